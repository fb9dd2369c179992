#include "bridge/past_files.h"

#include <QtTest>

using hearth::ui::PastFiles;

class PastFilesTest : public QObject {
    Q_OBJECT

private slots:
    void namesOneFileForAWord() {
        const PastFiles files(QStringLiteral("/p"));
        QCOMPARE(files.pathOf(QStringLiteral("12")), QStringLiteral("/p/12.past"));
        for (const char* name : {"", "../12", "a b", "1.2", "ä"}) {
            QCOMPARE(files.pathOf(QString::fromUtf8(name)), QString());
        }
        QCOMPARE(PastFiles(QString()).pathOf(QStringLiteral("12")), QString());
    }

    void removesTheOldestBeyondTheMost() {
        const QTemporaryDir folder;
        const PastFiles files(folder.path());
        const QDateTime now = QDateTime::currentDateTime();
        for (int i = 0; i < 4; ++i) {
            QFile file(files.pathOf(QString::number(i)));
            QVERIFY(file.open(QIODevice::WriteOnly));
            QCOMPARE(file.write(QByteArray(1000, 'x')), 1000);
            QVERIFY(file.flush());
            QVERIFY(file.setFileTime(now.addSecs(i == 0 ? 10 : -i), QFile::FileModificationTime));
        }
        QFile other(folder.filePath(QStringLiteral("other")));
        QVERIFY(other.open(QIODevice::WriteOnly) && other.write("y") == 1);
        const auto left = [&] { return QDir(folder.path()).entryList(QDir::Files, QDir::Name); };
        files.trim(4000);
        QCOMPARE(left().size(), 5);
        files.trim(2999);
        QCOMPARE(left(), (QStringList{QStringLiteral("0.past"), QStringLiteral("1.past"),
                                      QStringLiteral("other")}));
        files.remove(QStringLiteral("0"));
        files.remove(QStringLiteral("0"));
        files.trim(0);
        QCOMPARE(left(), QStringList{QStringLiteral("other")});
        PastFiles(QString()).trim(0);
    }
};

QTEST_GUILESS_MAIN(PastFilesTest)
#include "past_files_test.moc"
