// The list of downloads on the disk, also where somebody else has written it.
#include <QTemporaryDir>
#include <QtTest>

#include "downloads/queue_file.h"

using namespace hearth::ui;

namespace {

// With " for '. (moc takes no raw strings with an address in them.)
QByteArray json(const char* text) {
    return QByteArray(text).replace('\'', '"');
}

}  // namespace

class QueueFileTest : public QObject {
    Q_OBJECT

private slots:
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }
    void comesBack() {
        QueuedDownload one{
            7,
            {QStringLiteral("Märchen"),
             QStringLiteral("/models"),
             QStringLiteral("mit"),
             {{QUrl(QStringLiteral("https://h/a%2Fb.gguf?x=1")), QStringLiteral("a.gguf"), 5,
               QByteArray(32, '\xab'), 7, true, QStringLiteral("llama")},
              {QUrl(QStringLiteral("https://h/b")), QStringLiteral("b.gguf")}}},
            QueuedDownload::State::Failed,
            QStringLiteral("Why."),
            {true, false}};
        QueuedDownload two = one;
        two.id = 8;
        two.state = QueuedDownload::State::Cancelled;
        QCOMPARE(writeQueueFile(path(), {one, two}), QString());
        const QueueFileContent content = readQueueFile(path());
        QCOMPARE(content.problem, QString());
        QCOMPARE(content.downloads.size(), 2);
        const QueuedDownload& back = content.downloads.first();
        QCOMPARE(back.id, 7);
        QCOMPARE(back.order.title, one.order.title);
        QCOMPARE(back.order.folder, one.order.folder);
        QCOMPARE(back.order.licence, one.order.licence);
        QCOMPARE(back.order.parts.first().url, one.order.parts.first().url);
        QCOMPARE(back.order.parts.first().sha256, one.order.parts.first().sha256);
        QCOMPARE(back.order.parts.first().bytes, 5);
        QCOMPARE(back.order.parts.first().bytesAbout, 7);
        QVERIFY(back.order.parts.first().model);
        QCOMPARE(back.order.parts.first().architecture, QStringLiteral("llama"));
        QCOMPARE(back.order.parts.last().bytes, -1);
        QCOMPARE(back.order.parts.last().bytesAbout, -1);
        QVERIFY(!back.order.parts.last().model);
        QVERIFY(back.order.parts.last().sha256.isEmpty());
        QVERIFY(back.state == QueuedDownload::State::Failed);
        QCOMPARE(back.text, one.text);
        QCOMPARE(back.partsDone, one.partsDone);
        QVERIFY(content.downloads.last().state == QueuedDownload::State::Cancelled);
    }
    void missesNothing() {
        QVERIFY(readQueueFile(path()).downloads.isEmpty());
        QVERIFY(readQueueFile(path()).problem.isEmpty());
    }
    void movesOthersAside_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addRow("empty") << QByteArray();
        QTest::addRow("torn") << QByteArray("{\"version\":1,\"downloads\":[{\"id\"");
        QTest::addRow("no JSON") << QByteArray("SQLite format 3\0", 16);
        QTest::addRow("later version") << QByteArray("{\"version\":2,\"downloads\":[]}");
        QTest::addRow("no list") << QByteArray("{\"version\":1,\"downloads\":5}");
        QTest::addRow("deep") << QByteArray(100'000, '[');
        QTest::addRow("huge") << QByteArray(17 << 20, ' ');
    }
    void movesOthersAside() {
        QFETCH(QByteArray, text);
        put(text);
        const QueueFileContent content = readQueueFile(path());
        QVERIFY(content.downloads.isEmpty());
        QVERIFY(!content.problem.isEmpty());
        QVERIFY(!QFile::exists(path()));
        QFile aside(path() + QStringLiteral(".unreadable"));
        QVERIFY(aside.open(QIODevice::ReadOnly));
        QCOMPARE(aside.readAll(), text);
        put("again");
        readQueueFile(path());
        QVERIFY(QFile::exists(path() + QStringLiteral(".unreadable-2")));
    }
    void leavesOutWhatMakesNoSense() {
        const QByteArray good =
            json("{'id':1,'folder':'/m','parts':[{'url':'https://h/a','file':'a','bytes':5}]}");
        QByteArray list;
        for (const char* odd :
             {"5", "{}", "[]", "{'id':2,'folder':'/m','parts':[]}",
              "{'id':3,'folder':'/m','parts':[{'url':'https://h/a','file':'../a'}]}",
              "{'id':4,'folder':'m','parts':[{'url':'https://h/a','file':'a'}]}",
              "{'id':5,'folder':'/m','parts':[{'url':'file:///a','file':'a'}]}",
              "{'id':-1,'folder':'/m','parts':[{'url':'https://h/a','file':'a'}]}"}) {
            list += json(odd) + ',';
        }
        put("{\"version\":1,\"downloads\":[" + list + good + ',' + good + "]}");
        const QueueFileContent content = readQueueFile(path());
        QCOMPARE(content.downloads.size(), 1);  // the second has the same number
        QCOMPARE(content.downloads.first().partsDone, QList<bool>({false}));
        QVERIFY(!content.problem.isEmpty());
    }
    void saysWhereItCannotWrite() {
        put("a file");
        const QString text = writeQueueFile(path() + QStringLiteral("/downloads.json"), {});
        QVERIFY(text.startsWith(QLatin1String("The list of downloads could not be kept")));
    }

private:
    QString path() const { return folder_->filePath(QStringLiteral("downloads.json")); }
    void put(const QByteArray& text) const {
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(text), text.size());
    }
    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(QueueFileTest)
#include "queue_file_test.moc"
