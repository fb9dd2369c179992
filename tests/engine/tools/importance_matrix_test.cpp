#include "tools/importance_matrix.h"

#include <QtTest>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/gguf_builder.h"
#include "support/temp_dir.h"

using namespace hearth;
using tools::ImportanceMatrix;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
QString message(const Result<T>& result) {
    return result ? QString("done") : QString::fromStdString(result.error().message);
}

test::GgufBuilder gguf(const std::vector<float>& sums = {2, 4, 6, 8},
                       const std::vector<float>& counts = {2}) {
    test::GgufBuilder builder;
    builder.key("general.type", "imatrix")
        .tensor_f32("blk.0.attn_q.weight.in_sum2", {counts.size(), sums.size() / counts.size()},
                    sums)
        .tensor_f32("blk.0.attn_q.weight.counts", {counts.size(), 1}, counts);
    return builder;
}

struct OldEntry {
    std::string name;
    std::int32_t calls;
    std::vector<float> values;
};

test::Bytes old_form(const std::vector<OldEntry>& entries, std::int32_t count = -1) {
    test::Bytes bytes;
    test::append(bytes, count < 0 ? static_cast<std::int32_t>(entries.size()) : count);
    for (const OldEntry& entry : entries) {
        test::append(bytes, static_cast<std::int32_t>(entry.name.size()));
        test::append(bytes, std::string_view(entry.name));
        test::append(bytes, entry.calls);
        test::append(bytes, static_cast<std::int32_t>(entry.values.size()));
        for (const float value : entry.values) {
            test::append(bytes, value);
        }
    }
    return bytes;
}

}  // namespace

class ImportanceMatrixTest : public QObject {
    Q_OBJECT

private slots:
    void reads_gguf() {
        const test::TempDir dir;
        QVERIFY(gguf().write(dir.file("m")));
        const auto matrix = ImportanceMatrix::open(dir.file("m"));
        QVERIFY2(matrix, qPrintable(message(matrix)));
        QVERIFY(matrix->has("blk.0.attn_q.weight"));
        QVERIFY(!matrix->has("blk.1.attn_q.weight"));
        const auto values = matrix->read("blk.0.attn_q.weight", 1, 4);
        QVERIFY2(values, qPrintable(message(values)));
        QCOMPARE(*values, (std::vector<float>{1, 2, 3, 4}));
    }

    // An expert that no token went to has no squares; all its columns count alike.
    void experts_have_counts_of_their_own() {
        const test::TempDir dir;
        QVERIFY(gguf({2, 4, 0, 0, 9, 3}, {2, 0, 3}).write(dir.file("m")));
        const auto matrix = ImportanceMatrix::open(dir.file("m"));
        QVERIFY(matrix);
        const auto values = matrix->read("blk.0.attn_q.weight", 3, 2);
        QVERIFY2(values, qPrintable(message(values)));
        QCOMPARE(*values, (std::vector<float>{1, 2, 1, 1, 3, 1}));
    }

    void reads_the_older_form() {
        const test::TempDir dir;
        test::Bytes bytes =
            old_form({{"blk.0.attn_q.weight", 2, {2, 4}}, {"blk.1.attn_q.weight", 0, {3, 5}}});
        test::append(bytes, std::int32_t{12});  // calls, and the name of a text
        test::append(bytes, std::int32_t{4});
        test::append(bytes, std::string_view("text"));
        QVERIFY(test::write_file(dir.file("m"), bytes));
        const auto matrix = ImportanceMatrix::open(dir.file("m"));
        QVERIFY2(matrix, qPrintable(message(matrix)));
        QCOMPARE(*matrix->read("blk.0.attn_q.weight", 1, 2), (std::vector<float>{1, 2}));
        QCOMPARE(*matrix->read("blk.1.attn_q.weight", 1, 2), (std::vector<float>{3, 5}));
    }

    void refuses_a_bad_list_data() {
        QTest::addColumn<test::Bytes>("bytes");
        QTest::addColumn<QString>("wanted");
        const auto add = [](const char* name, const test::Bytes& bytes, const QString& wanted) {
            QTest::newRow(name) << bytes << wanted;
        };
        const auto typed = [](const char* type) {
            return test::GgufBuilder()
                .key("general.type", type)
                .tensor_f32("a.in_sum2", {1, 4}, {1, 2, 3, 4})
                .tensor_f32("a.counts", {1, 1}, {1})
                .bytes();
        };
        add("a model", typed("model"), "FILE: is no importance matrix: general.type is \"model\"");
        add("no type", test::GgufBuilder().key("a", true).bytes(),
            "FILE: is no importance matrix: it has no general.type");
        add("no entries", test::GgufBuilder().key("general.type", "imatrix").bytes(),
            "FILE: has no entries of an importance matrix");
        add("no counts",
            test::GgufBuilder()
                .key("general.type", "imatrix")
                .tensor_f32("a.in_sum2", {1, 4}, {1, 2, 3, 4})
                .bytes(),
            "a.in_sum2: there is no a.counts");
        add("halves",
            test::GgufBuilder()
                .key("general.type", "imatrix")
                .tensor_f16("a.in_sum2", {1, 4}, {1, 2, 3, 4})
                .tensor_f32("a.counts", {1, 1}, {1})
                .bytes(),
            "a.in_sum2: is of type F16, not F32");
        add("counts that do not divide",
            gguf({1, 2, 3, 4}, {1})
                .tensor_f32("a.in_sum2", {1, 4}, {1, 2, 3, 4})
                .tensor_f32("a.counts", {3, 1}, {1, 1, 1})
                .bytes(),
            "a.counts: has 3 counts for 4 sums");
        add("a negative count", gguf({1, 2}, {-1}).bytes(),
            "blk.0.attn_q.weight.counts: count 0 is -1.000000");
        add("a count that is no number", gguf({1, 2}, {kNan}).bytes(),
            "blk.0.attn_q.weight.counts: count 0 is NaN");
        add("empty", {}, "FILE: is no importance matrix");
        add("some text", test::bytes_of(std::vector<char>{'h', 'e', 'l', 'l', 'o'}),
            "FILE: is no importance matrix");
        add("no old entries", old_form({}), "FILE: is no importance matrix");
        const OldEntry entry{"a", 1, {1, 2}};
        add("cut before an entry", old_form({entry}, 2), "FILE: ends within entry 1, at byte 25");
        test::Bytes cut = old_form({entry});
        cut.pop_back();
        add("cut within values", cut, "FILE: ends within entry 0, at byte 24");
        cut.resize(14);
        add("cut within numbers", cut, "FILE: ends within entry 0, at byte 14");
        cut.resize(8);
        add("cut within a name", cut, "FILE: ends within entry 0, at byte 8");
        add("no name", old_form({{"", 1, {1}}}), "FILE: the name of entry 0 has 0 bytes");
        add("a long name", old_form({{std::string(2000, 'a'), 1, {1}}}),
            "FILE: the name of entry 0 has 2000 bytes");
        add("no values", old_form({{"a", 1, {}}}), "a: has 0 values of 1 calls");
        add("negative calls", old_form({{"a", -1, {1}}}), "a: has 1 values of -1 calls");
        add("twice", old_form({entry, entry}), "a: stands there twice");
    }
    void refuses_a_bad_list() {
        QFETCH(test::Bytes, bytes);
        QFETCH(QString, wanted);
        const test::TempDir dir;
        QVERIFY(test::write_file(dir.file("m"), bytes));
        const auto matrix = ImportanceMatrix::open(dir.file("m"));
        QCOMPARE(message(matrix), wanted.replace("FILE", QString::fromStdString(dir.file("m"))));
        QVERIFY(matrix.error().code == ErrorCode::BadFile);
        QCOMPARE(matrix.error().path, dir.file("m"));
    }

    void refuses_values_data() {
        QTest::addColumn<std::vector<float>>("values");
        QTest::addColumn<int>("cols");
        QTest::addColumn<QString>("wanted");
        const QString name = "blk.0.attn_q.weight: ";
        const QString value = name + "value 1 of the importance matrix is ";
        QTest::newRow("negative") << std::vector<float>{1, -2} << 2 << value + "-2.000000";
        QTest::newRow("NaN") << std::vector<float>{1, kNan} << 2 << value + "NaN";
        QTest::newRow("Inf") << std::vector<float>{1, std::numeric_limits<float>::infinity()} << 2
                             << value + "Inf";
        QTest::newRow("too few")
            << std::vector<float>{1, 2} << 4
            << name + "the importance matrix has 2 values and 1 counts for 1 x 4 columns";
    }
    void refuses_values() {
        QFETCH(std::vector<float>, values);
        QFETCH(int, cols);
        QFETCH(QString, wanted);
        const test::TempDir dir;
        QVERIFY(gguf(values, {1}).write(dir.file("new")));
        QVERIFY(test::write_file(dir.file("old"), old_form({{"blk.0.attn_q.weight", 1, values}})));
        for (const char* file : {"new", "old"}) {
            const auto matrix = ImportanceMatrix::open(dir.file(file));
            QVERIFY(matrix);
            const auto read =
                matrix->read("blk.0.attn_q.weight", 1, static_cast<std::uint64_t>(cols));
            QCOMPARE(message(read), wanted);
            QVERIFY(read.error().code == ErrorCode::BadFile);
        }
    }

    void a_missing_file() {
        const auto matrix = ImportanceMatrix::open("/nowhere/at/all");
        QVERIFY(!matrix);
        QVERIFY(matrix.error().code == ErrorCode::NotFound);
    }
};

QTEST_APPLESS_MAIN(ImportanceMatrixTest)
#include "importance_matrix_test.moc"
