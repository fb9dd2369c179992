#include "size.h"

#include <QtTest>

class SizeTest : public QObject {
    Q_OBJECT

private slots:
    void parses_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("good");
        QTest::addColumn<quint64>("bytes");
        const auto good = [](const char* text, quint64 bytes) {
            QTest::newRow(text) << text << true << bytes;
        };
        good("0", 0);
        good("4096", 4096);
        good("512M", 512ULL << 20);
        good("3.5G", 7ULL << 29);
        good("1k", 1024);
        good("0.5K", 512);
        good("2T", 2ULL << 40);
        good("0.1G", 107374182);
        good("18446744073709551615", 18446744073709551615ULL);
        good("16777215T", 16777215ULL << 40);
        good("1.999999999999K", 2047);
        for (const char* text : {"",
                                 "M",
                                 "G4",
                                 "4.G",
                                 ".5G",
                                 "1.5",
                                 "-1",
                                 "+1",
                                 " 1",
                                 "1 G",
                                 "1GB",
                                 "0x10",
                                 "1e9",
                                 "1..5G",
                                 "1.5.5G",
                                 "NaN",
                                 "auto",
                                 "16777216T",
                                 "18446744073709551616",
                                 "99999999999999999999999G",
                                 "1.x5G"}) {
            QTest::addRow("bad '%s'", text) << text << false << quint64{0};
        }
    }
    void parses() {
        QFETCH(QString, text);
        QFETCH(bool, good);
        QFETCH(quint64, bytes);
        const auto size = hearth::parse_size(text.toStdString());
        QCOMPARE(size.has_value(), good);
        if (good) {
            QCOMPARE(quint64{*size}, bytes);
        }
    }

    void budgets_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("bytes");  // -1: empty
        QTest::addColumn<QString>("wrong");
        QTest::newRow("auto") << "auto" << qint64{-1} << "";
        QTest::newRow("size") << "512M" << qint64{512 << 20} << "";
        QTest::newRow("nothing") << "0" << qint64{0} << "";
        QTest::newRow("the most") << "1024T" << (qint64{1} << 50) << "";
        QTest::newRow("a byte more") << "1125899906842625" << qint64{-1} << "is too large";
        QTest::newRow("absurd") << "999999999G" << qint64{-1} << "is too large";
        QTest::newRow("beyond 64 bits") << "99999999999999999999G" << qint64{-1} << "is too large";
        QTest::newRow("beyond, in bytes") << "18446744073709551616" << qint64{-1} << "is too large";
        QTest::newRow("a word") << "much" << qint64{-1} << "is no size";
        QTest::newRow("no digits") << "G" << qint64{-1} << "is no size";
        QTest::newRow("half a byte") << "1.5" << qint64{-1} << "is no size";
        QTest::newRow("empty") << "" << qint64{-1} << "is no size";
    }
    void budgets() {
        QFETCH(QString, text);
        QFETCH(qint64, bytes);
        QFETCH(QString, wrong);
        std::optional<std::uint64_t> found = 7;
        const auto said = hearth::parse_budget("--ram", text.toStdString(), found);
        QCOMPARE(said.has_value(), !wrong.isEmpty());
        if (said) {
            QVERIFY2(
                said->find("--ram: \"" + text.toStdString() + "\" " + wrong.toStdString()) == 0,
                said->c_str());
        }
        QCOMPARE(found ? static_cast<qint64>(*found) : qint64{-1}, bytes);
    }

    void formats_data() {
        QTest::addColumn<quint64>("bytes");
        QTest::addColumn<QString>("text");
        QTest::newRow("bytes") << quint64{1023} << "1023 B";
        QTest::newRow("kibibytes") << quint64{1536} << "1.5 KiB";
        QTest::newRow("most") << ~quint64{0} << "16.0 EiB";
    }
    void formats() {
        QFETCH(quint64, bytes);
        QTEST(QString::fromStdString(hearth::format_size(bytes)), "text");
    }
};

QTEST_GUILESS_MAIN(SizeTest)
#include "size_test.moc"
