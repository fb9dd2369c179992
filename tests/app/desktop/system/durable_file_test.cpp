// A disk: its refusals, and the room that it has.
#include "system/durable_file.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace hearth::ui;

class DurableFileTest : public QObject {
    Q_OBJECT

private slots:
    // A download's folder is created by its first file: its room is that of the folder above.
    void knowsTheRoomOfAFolderToCome() {
        const QTemporaryDir folder;
        const qint64 here = freeBytes(folder.path());
        QVERIFY(here > 0);
        const qint64 below = freeBytes(folder.filePath(QStringLiteral("none/such/folder")));
        QVERIFY2(std::abs(below - here) < (qint64{1} << 30), qPrintable(QString::number(below)));
        QVERIFY(QDir(folder.path()).isEmpty());
        QVERIFY(freeBytes(QStringLiteral("/none-such")) >= 0);
    }

    void saysWhatIsWrong_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("words");
        using Kind = DiskTrouble::Kind;
        QTest::newRow("none") << static_cast<int>(Kind::None) << "";
        QTest::newRow("full") << static_cast<int>(Kind::Full)
                              << "The disk is full. Make room on it, then go on; nothing is lost.";
        QTest::newRow("too large")
            << static_cast<int>(Kind::TooLarge)
            << "This disk cannot hold a file so large. Choose a folder on another one.";
        QTest::newRow("refused") << static_cast<int>(Kind::Refused)
                                 << "The folder cannot be written (words of the system). Choose "
                                    "another one, or allow this one to be written.";
    }
    void saysWhatIsWrong() {
        QFETCH(const int, kind);
        QFETCH(const QString, words);
        const DiskTrouble trouble{static_cast<DiskTrouble::Kind>(kind),
                                  QStringLiteral("words of the system")};
        QCOMPARE(static_cast<bool>(trouble), !words.isEmpty());
        QCOMPARE(trouble.sentence(), words);
    }

    void tellsAFullDiskFromARefusal() {
#ifndef Q_OS_LINUX
        QSKIP("there is no device that is always full");
#else
        QFile full(QStringLiteral("/dev/full"));
        QVERIFY(full.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
        QVERIFY(full.write("x") != 1);
        QVERIFY(troubleOf(full).kind == DiskTrouble::Kind::Full);
        // A buffered file is told when its bytes are to be on the disk.
        QFile buffered(QStringLiteral("/dev/full"));
        QVERIFY(buffered.open(QIODevice::WriteOnly));
        buffered.write("x");
        QVERIFY(syncFile(buffered).kind == DiskTrouble::Kind::Full);
        const QTemporaryDir folder;
        QFile other(folder.path());
        QVERIFY(!other.open(QIODevice::WriteOnly));
        const DiskTrouble refused = troubleOf(other);
        QVERIFY(refused.kind == DiskTrouble::Kind::Refused);
        QCOMPARE(refused.detail, other.errorString());
#endif
    }

    void reservesRoomBehindWhatIsThere() {
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("file")));
        QVERIFY(file.open(QIODevice::ReadWrite) && file.write("here") == 4 && file.flush());
        QVERIFY(!reserve(file, 100'000));
        QVERIFY(!syncFile(file));
        syncFolder(folder.path());
        syncFolder(folder.filePath(QStringLiteral("none")));  // no harm
        QVERIFY(file.seek(0));
        QCOMPARE(file.read(4), QByteArray("here"));
        if (file.size() == 4) {
            QSKIP("this file system cannot reserve");
        }
        QCOMPARE(file.size(), 100'000);
        const DiskTrouble none =
            reserve(file, qint64{1} << 62);  // more than any file, or disk, has
        QVERIFY(none.kind == DiskTrouble::Kind::TooLarge || none.kind == DiskTrouble::Kind::Full);
        QVERIFY(!none.detail.isEmpty());
        QCOMPARE(file.size(), 100'000);
        QVERIFY(file.seek(0));
        QCOMPARE(file.read(4), QByteArray("here"));
    }
};

QTEST_GUILESS_MAIN(DurableFileTest)
#include "durable_file_test.moc"
