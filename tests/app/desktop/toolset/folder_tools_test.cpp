#include "toolset/folder_tools.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace hearth::ui;

class FolderToolsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> all_;
    QString folder_;
    std::atomic<bool> stopped_ = false;

    void put(const QString& path, const QByteArray& bytes) {
        const QString there = all_->filePath(path);
        QDir().mkpath(QFileInfo(there).path());
        QFile file(there);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }

private slots:
    void init() {
        all_ = std::make_unique<QTemporaryDir>();
        folder_ = all_->filePath("chat");
        put("secret.txt", "a secret\n");
        put("chat2/secret.txt", "a secret\n");
        put("chat/a.txt", "one\ntwo\nthree\n");
        put("chat/sub/b.md", "Two trees\n");
        put("chat/.hidden/c.txt", "two\n");
        put("chat/d.bin", QByteArray("two\0", 4));
    }

    void leadsNowhereElse_data() {
        QTest::addColumn<QString>("path");
        for (const char* path : {"../secret.txt", "sub/../../secret.txt", "../chat2/secret.txt",
                                 "link.txt", "linked/secret.txt", "nothing.txt", "/etc/passwd"}) {
            QTest::newRow(path) << path;
        }
        QTest::newRow("the outer file by its whole path") << "@/secret.txt";
        QTest::newRow("a null") << QString("a.txt") + QChar(u'\0');
    }

    void leadsNowhereElse() {
        QFETCH(QString, path);
        path.replace('@', all_->path());
        QFile::link(all_->filePath("secret.txt"), folder_ + "/link.txt");
        QFile::link(all_->path(), folder_ + "/linked");
        const ToolOutcome outcome = readFile(folder_, path, 1, 100);
        QVERIFY(outcome.failed && !outcome.text.contains("a secret"));
        QVERIFY(listFolder(folder_, path).failed);
        QVERIFY(!searchFiles(folder_, "secret", {}, stopped_).text.contains("a secret"));
    }

    void aLinkWithinIsFollowed() {
        QFile::link(folder_ + "/a.txt", folder_ + "/within.txt");
        QCOMPARE(readFile(folder_, "within.txt", 1, 1).text,
                 QString("one\n[The file goes on at line 2.]"));
    }

    void readsLines() {
        QCOMPARE(readFile(folder_, "a.txt", 1, 100).text, QString("one\ntwo\nthree\n"));
        QCOMPARE(readFile(folder_, "sub/../a.txt", 2, 1).text,
                 QString("two\n[The file goes on at line 3.]"));
        QCOMPARE(readFile(folder_, "a.txt", 9, 1).text, QString("[There is nothing here.]"));
        QVERIFY(!readFile(folder_, folder_ + "/a.txt", 1, 1).failed);
        QVERIFY(readFile(folder_, "d.bin", 1, 1).failed);
        QVERIFY(readFile(folder_, "sub", 1, 1).failed);
        QVERIFY(readFile({}, "a.txt", 1, 1).failed);
    }

    void readsNoMoreThanAResult() {
        put("chat/long.txt", QByteArray(1000, 'x') + '\n' + QByteArray(kMostResultBytes + 1, 'y'));
        const ToolOutcome outcome = readFile(folder_, "long.txt", 1, 100);
        QVERIFY(!outcome.failed && outcome.text.endsWith("[The file goes on at line 2.]"));
        QVERIFY(readFile(folder_, "long.txt", 2, 100).failed);
    }

    void lists() {
        QCOMPARE(listFolder(folder_, {}).text.split('\n').filter("bytes").size(), 2);
        QVERIFY(listFolder(folder_, ".").text.contains("a.txt (14 bytes)"));
        QVERIFY(listFolder(folder_, {}).text.contains("sub/"));
        QCOMPARE(listFolder(folder_, "sub").text, QString("b.md (10 bytes)"));
        QVERIFY(listFolder(folder_, "a.txt").failed);
        for (int i = 0; i < 600; ++i) {
            put(QString("chat/many/%1").arg(i), "");
        }
        const QStringList many = listFolder(folder_, "many").text.split('\n');
        QCOMPARE(many.size(), 501);
        QCOMPARE(many.last(), QString("[There are more.]"));
    }

    void searches() {
        const QStringList hits = searchFiles(folder_, "TWO", {}, stopped_).text.split('\n');
        QVERIFY(hits.contains("a.txt:2: two"));
        QVERIFY(hits.contains("sub/b.md:1: Two trees"));
        QCOMPARE(hits.size(), 3);  // and the end; hidden files and binaries are left out
        QCOMPARE(searchFiles(folder_, "two", "*.md", stopped_).text,
                 QString("sub/b.md:1: Two trees\n"));
        QCOMPARE(searchFiles(folder_, "nowhere", {}, stopped_).text,
                 QString("[Nothing was found.]"));
        QVERIFY(searchFiles(folder_, " ", {}, stopped_).failed);
        put("chat/many.txt", QByteArray("two\n").repeated(200));
        const QString many = searchFiles(folder_, "two", "many.txt", stopped_).text;
        QCOMPARE(many.count("two"), 100);
        QVERIFY(many.endsWith("[The search ended here; there may be more.]"));
    }

    void stops() {
        const std::atomic<bool> stopped = true;
        QVERIFY(searchFiles(folder_, "two", {}, stopped).failed);
    }
};

QTEST_GUILESS_MAIN(FolderToolsTest)
#include "folder_tools_test.moc"
