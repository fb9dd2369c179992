// What servers write into their fields, whatever it is.
#include <QtTest>

#include "downloads/http_fields.h"

using namespace hearth::ui;

class HttpFieldsTest : public QObject {
    Q_OBJECT

private slots:
    void ranges_data() {
        QTest::addColumn<QByteArray>("field");
        QTest::addColumn<QList<qint64>>("parts");  // empty: it is none
        const auto row = [](const char* field, QList<qint64> parts) {
            QTest::addRow("%s", *field == 0 ? "empty" : field) << QByteArray(field) << parts;
        };
        row("bytes 5-9/100", {5, 10, 100});
        row("  Bytes  5-9/100 ", {5, 10, 100});
        row("bytes 0-0/1", {0, 1, 1});
        row("bytes 5-9/*", {5, 10, -1});
        row("bytes */100", {-1, -1, 100});
        for (const char* wrong :
             {"", "bytes", "bytes 5-9", "bytes 9-5/100", "bytes 5-100/100", "bytes -5-9/100",
              "bytes 5-9/-100", "bytes */*", "bytes +5-9/100", "items 5-9/100", "bytes 5-/100",
              "bytes 5-9/1e3", "bytes 5-9/100/2", "bytes 0-9223372036854775807/*",
              "bytes 5-99999999999999999999/*", "bytes 0x5-9/100"}) {
            row(wrong, {});
        }
    }
    void ranges() {
        QFETCH(QByteArray, field);
        QFETCH(QList<qint64>, parts);
        const auto range = contentRange(field);
        QCOMPARE(range.has_value(), !parts.isEmpty());
        if (range) {
            QCOMPARE(QList<qint64>({range->from, range->end, range->total}), parts);
        }
    }
    void etags() {
        QCOMPARE(strongEtag("\"abc\""), QByteArray("\"abc\""));
        QCOMPARE(strongEtag(" \"\" "), QByteArray("\"\""));
        for (const char* none : {"", "W/\"abc\"", "abc", "\"", "\"abc"}) {
            QVERIFY2(strongEtag(none).isEmpty(), none);
        }
        QVERIFY(strongEtag('"' + QByteArray(1000, 'x') + '"').isEmpty());
    }
    void counts() {
        QCOMPARE(byteCount("0"), 0);
        QCOMPARE(byteCount(" 9223372036854775807"), std::numeric_limits<qint64>::max());
        for (const char* none : {"", "-1", "+1", "1.5", "9223372036854775808", "12 34", "x"}) {
            QCOMPARE(byteCount(none), -1);
        }
    }
};

QTEST_GUILESS_MAIN(HttpFieldsTest)
#include "http_fields_test.moc"
