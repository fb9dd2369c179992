#include "settings/crash_reports.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace hearth::ui;

namespace {

bool write(const QString& path, const QByteArray& text) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

}  // namespace

class CrashReportsTest : public QObject {
    Q_OBJECT

private slots:
    // A report that could not be deleted can be deleted once the reason is gone.
    void aFailedDeletionIsNotTheLast() {
        const QTemporaryDir folder;
        QVERIFY(write(CrashReports::prepare(folder.path()), "It crashed."));
        CrashReports reports;
        QVERIFY(reports.look(folder.path()));
        QCOMPARE(reports.text(), QStringLiteral("It crashed."));
        // A folder with something in it stands at its place: no file can be removed there.
        const QString place = reports.file();
        QVERIFY(QFile::remove(place) && QDir().mkpath(place) && write(place + "/x", "x"));
        QSignalSpy removed(&reports, &CrashReports::removed);
        reports.remove();
        QTRY_COMPARE(removed.size(), 1);
        QCOMPARE(removed.takeFirst().first().toBool(), false);
        QCOMPARE(reports.text(), QStringLiteral("It crashed."));  // and stays to be read
        QVERIFY(QDir(place).removeRecursively() && write(place, "It crashed."));
        reports.remove();
        QTRY_COMPARE(removed.size(), 1);
        QCOMPARE(removed.takeFirst().first().toBool(), true);
        QVERIFY(!QFile::exists(place));
        QCOMPARE(reports.text(), QString());
        QCOMPARE(reports.file(), QString());
        reports.remove();  // nothing is there any more
        QTest::qWait(10);
        QCOMPARE(removed.size(), 0);
    }

    // Of several reports the latest is shown, once; the folder keeps the last few.
    void theLatestIsShownOnce() {
        const QTemporaryDir folder;
        const QDir dir(folder.path());
        for (int i = 0; i < CrashReports::kMostKept + 2; ++i) {
            QVERIFY(write(
                dir.filePath(
                    QStringLiteral("new-20260101-0000%1.txt").arg(i, 2, 10, QLatin1Char('0'))),
                QByteArray::number(i)));
        }
        CrashReports reports;
        QVERIFY(reports.look(folder.path()));
        QCOMPARE(reports.text(), QString::number(CrashReports::kMostKept + 1));
        const QStringList kept = dir.entryList(QDir::Files, QDir::Name);
        QCOMPARE(kept.size(), CrashReports::kMostKept);
        QCOMPARE(kept.first(), QStringLiteral("crash-20260101-000002.txt"));
        CrashReports next;
        QVERIFY(!next.look(folder.path()));
        QCOMPARE(next.text(), QString());
    }
};

QTEST_GUILESS_MAIN(CrashReportsTest)
#include "crash_reports_test.moc"
