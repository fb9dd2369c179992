// The words of a crash report: addresses by library, and no folder that names its user.
#include "system/crash_text.h"

#include <QtTest>
#include <memory>
#include <string>

using namespace hearth::ui;

class CrashTextTest : public QObject {
    Q_OBJECT

private slots:
    void writesNumbers_data() {
        QTest::addColumn<quint64>("number");
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("none") << quint64{0} << QByteArray("0x0");
        QTest::newRow("a digit") << quint64{15} << QByteArray("0xf");
        QTest::newRow("two") << quint64{16} << QByteArray("0x10");
        QTest::newRow("zeros inside") << quint64{0x7f00'0000'1234} << QByteArray("0x7f0000001234");
        QTest::newRow("all") << ~quint64{0} << QByteArray("0xffffffffffffffff");
    }
    void writesNumbers() {
        QFETCH(const quint64, number);
        FixedText<32> text;
        text.addHex(number);
        QTEST(of(text), "text");
    }

    void hasItsBounds() {
        FixedText<6> text;
        text.add("abcd");
        text.add("efgh");
        QCOMPARE(of(text), QByteArray("abcdef"));
        text.add("x");
        QCOMPARE(of(text), QByteArray("abcdef"));
        text.clear();
        text.add("again");
        QCOMPARE(of(text), QByteArray("again"));
    }

    void describesAddresses_data() {
        QTest::addColumn<quint64>("address");
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("before all") << quint64{0xfff} << QByteArray("0xfff");
        QTest::newRow("the first of one") << quint64{0x1000} << QByteArray("libone.so+0x1000");
        QTest::newRow("the last of it") << quint64{0x1fff} << QByteArray("libone.so+0x1fff");
        QTest::newRow("between two") << quint64{0x2000} << QByteArray("0x2000");
        QTest::newRow("in the second") << quint64{0x3010} << QByteArray("two.dll+0x10");
        QTest::newRow("behind it") << quint64{0x4000} << QByteArray("0x4000");
    }
    void describesAddresses() {
        QFETCH(const quint64, address);
        const auto table = std::make_unique<ModuleTable>();
        table->add(0x1000, 0x2000, 0, "/u/somebody/lib/libone.so");
        table->add(0x3000, 0x4000, 0x3000, "C:\\u\\somebody\\two.dll");
        FixedText<128> text;
        table->describe(address, text);
        QTEST(of(text), "text");
        table->clear();
        text.clear();
        table->describe(0x1000, text);
        QCOMPARE(of(text), QByteArray("0x1000"));
    }

    void isBounded() {
        const auto table = std::make_unique<ModuleTable>();
        for (std::uintptr_t i = 0; i < ModuleTable::kMost + 5; ++i) {
            table->add(i * 16, i * 16 + 16, i * 16, "/x/" + std::string(100, 'n'));
        }
        FixedText<256> text;
        table->describe((ModuleTable::kMost - 1) * 16, text);
        QCOMPARE(of(text), QByteArray(63, 'n') + "+0x0");
        text.clear();
        table->describe(ModuleTable::kMost * 16, text);
        QCOMPARE(of(text), QByteArray("0x2000"));
    }

private:
    template <std::size_t Size>
    static QByteArray of(const FixedText<Size>& text) {
        return QByteArray(text.text().data(), static_cast<qsizetype>(text.text().size()));
    }
};

QTEST_APPLESS_MAIN(CrashTextTest)
#include "crash_text_test.moc"
