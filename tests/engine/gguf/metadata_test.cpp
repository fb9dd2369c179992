#include "gguf/metadata.h"

#include <QtTest>
#include <cmath>
#include <limits>
#include <string>

using namespace hearth;

namespace {

Metadata sample() {
    Metadata metadata;
    metadata.add("u", {MetadataType::U32, std::uint64_t{7}});
    metadata.add("huge", {MetadataType::U64, ~std::uint64_t{0}});
    metadata.add("i", {MetadataType::I16, std::int64_t{-5}});
    metadata.add("f", {MetadataType::F32, 1.5});
    metadata.add("nan", {MetadataType::F32, std::nan("")});
    metadata.add("inf", {MetadataType::F64, std::numeric_limits<double>::infinity()});
    metadata.add("b", {MetadataType::Bool, true});
    metadata.add("s", {MetadataType::String, std::string("text")});
    MetadataArray array;
    array.element = MetadataType::I32;
    array.signed_values = {1, -2};
    metadata.add("a", {MetadataType::Array, array});
    return metadata;
}

template <class T>
QString message(const Result<T>& result) {
    return result ? QString("a value") : QString::fromStdString(result.error().message);
}

}  // namespace

class MetadataTest : public QObject {
    Q_OBJECT

private slots:
    void keeps_order_and_refuses_a_second() {
        Metadata metadata = sample();
        QVERIFY(!metadata.add("u", {MetadataType::U8, std::uint64_t{1}}));
        QCOMPARE(metadata.entries().size(), std::size_t{9});
        QCOMPARE(QString::fromStdString(metadata.entries()[2].first), QString("i"));
        QVERIFY(*metadata.integer("u", 0, 10) == 7);
        QVERIFY(metadata.find("nothing") == nullptr);
        QVERIFY(metadata.contains("s") && !metadata.contains("S"));
        const Metadata copy = metadata;  // the index must not point into the original
        metadata = Metadata();
        QVERIFY(*copy.string("s") == "text");
    }

    void values_come_as_asked() {
        const Metadata metadata = sample();
        QVERIFY(*metadata.integer("u", 7, 7) == 7);
        QVERIFY(*metadata.integer("i", -5, 0) == -5);
        QVERIFY(*metadata.number("f") == 1.5);
        QVERIFY(*metadata.number("u") == 7.0);
        QVERIFY(*metadata.number("i") == -5.0);
        QVERIFY(*metadata.boolean("b"));
        QVERIFY(*metadata.string("s") == "text");
        const auto array = metadata.array("a", MetadataType::I32);
        QVERIFY(array && (*array)->signed_values.back() == -2);
    }

    void errors_name_key_wish_and_find_data() {
        QTest::addColumn<QString>("found");
        QTest::addColumn<QString>("wanted");
        const Metadata m = sample();
        QTest::newRow("missing") << message(m.string("none"))
                                 << "none: the file does not have this metadata key";
        QTest::newRow("missing integer")
            << message(m.integer("none", 0, 1)) << "none: the file does not have this metadata key";
        QTest::newRow("str") << message(m.string("u")) << "u: wanted a str, found u32";
        QTest::newRow("integer") << message(m.integer("s", 0, 1))
                                 << "s: wanted an integer, found str";
        QTest::newRow("no integer")
            << message(m.integer("f", 0, 9)) << "f: wanted an integer, found f32";
        QTest::newRow("too small")
            << message(m.integer("u", 8, 9)) << "u: wanted a number from 8 to 9, found 7";
        QTest::newRow("too large")
            << message(m.integer("u", 0, 6)) << "u: wanted a number from 0 to 6, found 7";
        QTest::newRow("negative") << message(m.integer("i", 0, 6))
                                  << "i: wanted a number from 0 to 6, found -5";
        QTest::newRow("beyond signed")
            << message(m.integer("huge", -1, 1))
            << "huge: wanted a number from -1 to 1, found 18446744073709551615";
        QTest::newRow("number") << message(m.number("s")) << "s: wanted a number, found str";
        QTest::newRow("nan") << message(m.number("nan"))
                             << "nan: wanted a finite number, found NaN";
        QTest::newRow("inf") << message(m.number("inf"))
                             << "inf: wanted a finite number, found infinity";
        QTest::newRow("bool") << message(m.boolean("u")) << "u: wanted a bool, found u32";
        QTest::newRow("array") << message(m.array("s", MetadataType::String))
                               << "s: wanted an array of str, found str";
        QTest::newRow("other array") << message(m.array("a", MetadataType::String))
                                     << "a: wanted an array of str, found array of i32";
    }
    void errors_name_key_wish_and_find() {
        QFETCH(QString, found);
        QFETCH(QString, wanted);
        QCOMPARE(found, wanted);
    }

    void errors_are_about_the_key() {
        const auto error = sample().string("u").error();
        QVERIFY(error.code == ErrorCode::BadFile);
        QVERIFY(error.field == "u");
    }
};

QTEST_APPLESS_MAIN(MetadataTest)
#include "metadata_test.moc"
