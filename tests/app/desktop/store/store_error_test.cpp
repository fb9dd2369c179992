// The sentence for what the disk refused.
#include <QSqlError>
#include <QtTest>

#include "store/store_error.h"

using namespace hearth::ui;

class StoreErrorTest : public QObject {
    Q_OBJECT

private slots:
    void theDiskSays_data();
    void theDiskSays();
};

// By SQLite's codes, whose low byte is the primary one.
void StoreErrorTest::theDiskSays_data() {
    QTest::addColumn<QString>("code");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("sentence");
    using Kind = StoreError::Kind;
    const auto rows = [](const char* name, std::initializer_list<int> codes, Kind kind,
                         const char* sentence) {
        for (const int code : codes) {
            QTest::addRow("%s %d", name, code)
                << QString::number(code) << static_cast<int>(kind) << QString::fromLatin1(sentence);
        }
    };
    const char* const other = "The disk reported an error. Check it, then try again.";
    rows("full", {13, 13 | 1 << 8, 778, 4618, 4874}, Kind::DiskFull,
         "The disk is full. Make some room on it, then try again.");
    rows("not writable", {3, 8, 14, 8 | 4 << 8, 14 | 2 << 8}, Kind::NotWritable,
         "The folder with your conversations cannot be written. Check its permissions, then try "
         "again.");
    rows("busy", {5, 6, 5 | 1 << 8, 6 | 1 << 8}, Kind::Busy,
         "Another program is using the file with your conversations. Close it, then try again.");
    rows("damaged", {11, 26, 11 | 1 << 8}, Kind::Damaged,
         "The file with your conversations is damaged. Restart Hearth: it keeps the file and "
         "begins a new one.");
    rows("other", {1, 10, 10 | 1 << 8, 7, 19}, Kind::Other, other);
    QTest::addRow("no code") << QString() << static_cast<int>(Kind::Other)
                             << QString::fromLatin1(other);
}

void StoreErrorTest::theDiskSays() {
    QFETCH(const QString, code);
    QFETCH(const int, kind);
    const StoreError error =
        storeErrorFrom(QSqlError(QStringLiteral("driver"), QStringLiteral("in SQLite's words"),
                                 QSqlError::StatementError, code));
    QCOMPARE(static_cast<int>(error.kind), kind);
    QTEST(sentenceFor(error), "sentence");
    QCOMPARE(error.detail,
             QStringLiteral("SQLite %1: in SQLite's words").arg(code.isEmpty() ? "0" : code));
    const StoreError none = storeErrorFrom(QSqlError());
    QVERIFY(none.kind == StoreError::Kind::None);
    QVERIFY(none.detail.isEmpty() && sentenceFor(none).isEmpty());
}

QTEST_GUILESS_MAIN(StoreErrorTest)
#include "store_error_test.moc"
