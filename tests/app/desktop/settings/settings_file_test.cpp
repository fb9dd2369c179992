#include "settings/settings_file.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include "app/desktop/settings/text_file.h"

using namespace hearth::ui;
using test::readText;
using test::writeText;

class SettingsFileTest : public QObject {
    Q_OBJECT

private slots:
    void writes();
    void keepsWhatSomebodyEdited();
    void leavesAloneWhatItCannotRead();
    void triesAgain();
    void removesWhatAKillLeft();
};

void SettingsFileTest::writes() {
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("sub/s.ini"));
    {
        SettingsFile file(name);
        for (int i = 0; i <= 200; ++i) {
            file.set(QStringLiteral("a/b"), {QString::number(i)});
        }
        file.set(QStringLiteral("a/c"), {QStringLiteral("1")});
        file.flush();
        QCOMPARE(readText(name), QByteArray("[a]\nb=200\nc=1\n"));
        file.remove(QStringLiteral("a/b"));
    }
    QCOMPARE(readText(name), QByteArray("[a]\nc=1\n"));
    QCOMPARE(QDir(folder.filePath(QStringLiteral("sub"))).entryList(QDir::Files).size(), 1);
}

void SettingsFileTest::keepsWhatSomebodyEdited() {
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("s.ini"));
    writeText(name, "; mine\n[a]\nb=1\n");
    SettingsFile file(name);
    file.set(QStringLiteral("a/b"), {QStringLiteral("2")});
    file.flush();
    writeText(name, readText(name) + "; while it runs\nother=3\n");
    file.set(QStringLiteral("a/b"), {QStringLiteral("4")});
    file.flush();
    QCOMPARE(readText(name), QByteArray("; mine\n[a]\nb=4\n; while it runs\nother=3\n"));
}

// A folder can neither be read nor replaced, not even by root.
void SettingsFileTest::leavesAloneWhatItCannotRead() {
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("s.ini"));
    QVERIFY(QDir().mkpath(name));
    SettingsFile file(name);
    QSignalSpy failed(&file, &SettingsFile::failed);
    file.set(QStringLiteral("a/b"), {QStringLiteral("2")});
    QTRY_COMPARE(failed.size(), 1);
    QVERIFY(failed.first().first().toString().contains(QDir::toNativeSeparators(name)));
    QVERIFY(QDir(name).exists());
}

void SettingsFileTest::triesAgain() {
    const QTemporaryDir folder;
    const QString sub = folder.filePath(QStringLiteral("sub"));
    writeText(sub, "where the folder should be");
    SettingsFile file(sub + QStringLiteral("/s.ini"));
    QSignalSpy failed(&file, &SettingsFile::failed);
    file.set(QStringLiteral("a/b"), {QStringLiteral("2")});
    QTRY_COMPARE(failed.size(), 1);
    file.set(QStringLiteral("a/d"), {QStringLiteral("4")});
    QTRY_COMPARE(failed.size(), 2);
    file.set(QStringLiteral("a/d"), {QStringLiteral("5")});  // what was said later holds
    QTRY_COMPARE(failed.size(), 3);
    QVERIFY(QFile::remove(sub));
    file.set(QStringLiteral("a/c"), {QStringLiteral("3")});
    file.flush();
    QCOMPARE(readText(sub + QStringLiteral("/s.ini")), QByteArray("[a]\nb=2\nc=3\nd=5\n"));
    QCOMPARE(failed.size(), 3);
    // And what is changed after it was written.
    file.set(QStringLiteral("a/b"), {QStringLiteral("9")});
    file.remove(QStringLiteral("a/d"));
    file.flush();
    QCOMPARE(readText(sub + QStringLiteral("/s.ini")), QByteArray("[a]\nb=9\nc=3\n"));
    QCOMPARE(failed.size(), 3);
}

// Files that an old write left under a name of QSaveFile's, and none that somebody named.
void SettingsFileTest::removesWhatAKillLeft() {
    const QTemporaryDir folder;
    const QString name = folder.filePath(QStringLiteral("s.ini"));
    const QDateTime old = QDateTime::currentDateTime().addSecs(-3700);
    const QStringList stay = {"s.ini.backup", "s.ini.BACKUP",  "s.ini.Backup",
                              "s.ini.aB1cDe", "s.ini.aBcDeFg", "t.ini.aBcDeF"};
    for (const QString& other : stay + QStringList({"s.ini.aBcDeF", "s.ini.QyXzab"})) {
        writeText(folder.filePath(other), "[a]\nb=1\n");
        QFile file(folder.filePath(other));
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.setFileTime(old, QFileDevice::FileModificationTime));
    }
    writeText(folder.filePath(QStringLiteral("s.ini.gHiJkL")), "under way");
    SettingsFile file(name);
    file.set(QStringLiteral("a/b"), {QStringLiteral("2")});
    file.flush();
    QStringList left = QDir(folder.path()).entryList(QDir::Files);
    QStringList wanted = stay + QStringList({"s.ini", "s.ini.gHiJkL"});
    left.sort();
    wanted.sort();
    QCOMPARE(left, wanted);
}

QTEST_GUILESS_MAIN(SettingsFileTest)
#include "settings_file_test.moc"
