// Several downloads: who has a turn, what a person does with them, what is left after a restart.
#include <QSignalSpy>
#include <QtTest>

#include "download_bench.h"
#include "download_list_model.h"
#include "download_queue.h"
#include "durable_file.h"

using namespace hearth::ui;
using namespace hearth::ui::test;
using State = DownloadStatus::State;

namespace {

const QByteArray kWhole = randomBytes(100'000, 9);

// A queue on a clock that a test turns, and a server that holds back what the test tells it to.
class QueueBench {
public:
    QueueBench()
        : server([this](const ServerRequest& request) {
              ServerAnswer answer = serve(request, kWhole, "\"one\"");
              if (held.contains(QString::fromLatin1(request.path()))) {
                  answer.bodyBytesSent = 40'000;
                  answer.then = ServerAnswer::Then::Stall;
              }
              if (missing.contains(QString::fromLatin1(request.path()))) {
                  answer = {.status = 404};
              }
              return answer;
          }),
          folder(quickFolder()),
          clock(std::make_shared<VirtualClock>()) {
        if (!server.start()) {
            qFatal("no server");
        }
        begin();
    }
    ~QueueBench() { queue->close(); }

    void begin() {
        queue = std::make_unique<DownloadQueue>(control, clock, listFile(),
                                                QSslConfiguration::defaultConfiguration(),
                                                DownloadBench::kChunk);
        completed = std::make_unique<QSignalSpy>(queue.get(), &DownloadQueue::completed);
        queue->open();
    }
    void restart() {
        queue->close();
        begin();
    }

    QString listFile() const { return folder.filePath(QStringLiteral("data/downloads.json")); }
    QString at(const QString& name) const { return folder.filePath(name); }
    DownloadOrder order(const QStringList& names) const {
        DownloadOrder all{names.first(), folder.path(), QStringLiteral("mit"), {}};
        for (const QString& name : names) {
            all.parts.append({QUrl(server.base() + QLatin1Char('/') + name), name, kWhole.size(),
                              sha256(kWhole)});
        }
        return all;
    }
    DownloadStatus status(qint64 id) const {
        for (const DownloadStatus& one : queue->statuses()) {
            if (one.id == id) {
                return one;
            }
        }
        return {};
    }
    int askedFor(const QString& name) const {
        return static_cast<int>(
            std::count_if(server.requests().begin(), server.requests().end(),
                          [&](const auto& one) { return one.path() == '/' + name.toLatin1(); }));
    }

    QSet<QString> held;  // paths
    QSet<QString> missing;
    NetworkControl control;
    TestServer server;
    QTemporaryDir folder;
    std::shared_ptr<VirtualClock> clock;
    std::unique_ptr<DownloadQueue> queue;
    std::unique_ptr<QSignalSpy> completed;
};

}  // namespace

class DownloadQueueTest : public QObject {
    Q_OBJECT

private slots:
    void twoAtOnce();
    void aSplitIsOne();
    void pausesAndGoesOn();
    void aPauseDoesNotSlowItDown();
    void asksNobodyAfterAStart();
    void saysHowFarAnUnknownSizeCame();
    void isVerifiedByAHashOfEachFile();
    void cancelsAndUndoes();
    void aCancelledOneGoes();
    void failsAndTriesAgain();
    void saysThatThereIsNoRoom();
    void aPartHasItsRoomAlready();
    void theSwitchPausesAll();
    void speaksPlainly_data();
    void speaksPlainly();
    void rowsKeepTheirPlace();
};

void DownloadQueueTest::twoAtOnce() {
    QueueBench bench;
    for (const char* name : {"/1", "/2", "/3"}) {
        bench.held.insert(QString(name));
    }
    for (qint64 id = 1; id <= 3; ++id) {
        bench.queue->add(id, bench.order({QString::number(id)}));
    }
    QTRY_VERIFY(bench.status(1).bytesDone == 40'000 && bench.status(2).bytesDone == 40'000);
    QVERIFY(bench.status(3).state == State::Queued);
    QCOMPARE(bench.askedFor(QStringLiteral("3")), 0);
    bench.queue->pause(1);
    QTRY_COMPARE(bench.status(3).bytesDone, 40'000);
    bench.queue->resume(1);
    QVERIFY(bench.status(1).state == State::Queued);
    bench.held.clear();
    bench.queue->pause(2);
    QTRY_VERIFY(bench.status(1).state == State::Done);
    QCOMPARE(fileAt(bench.at(QStringLiteral("1"))), kWhole);
}

void DownloadQueueTest::aSplitIsOne() {
    QueueBench bench;
    const QStringList names = namesOfSplit(QStringLiteral("m-00001-of-00003.gguf"));
    bench.queue->add(1, bench.order(names));
    QTRY_COMPARE(bench.completed->size(), 1);
    QCOMPARE(bench.queue->statuses().size(), 1);
    QCOMPARE(bench.status(1).bytesTotal, 3 * kWhole.size());
    QCOMPARE(bench.status(1).bytesDone, 3 * kWhole.size());
    for (const QString& name : names) {
        QCOMPARE(fileAt(bench.at(name)), kWhole);
        QCOMPARE(bench.askedFor(name), 1);
    }
    QCOMPARE(bench.completed->first().at(2).toStringList().size(), 3);
}

void DownloadQueueTest::pausesAndGoesOn() {
    QueueBench bench;
    bench.held.insert(QStringLiteral("/a"));
    bench.queue->add(1, bench.order({QStringLiteral("a")}));
    QTRY_COMPARE(bench.status(1).bytesDone, 40'000);
    bench.queue->pause(1);
    QVERIFY(bench.status(1).state == State::Paused);
    QVERIFY(bench.status(1).text.isEmpty());
    bench.held.clear();
    bench.queue->resume(1);
    QTRY_VERIFY(bench.status(1).state == State::Done);
    QCOMPARE(bench.server.requests().last().headers.value("range"),
             QByteArray("bytes=40000-99999"));
    QCOMPARE(fileAt(bench.at(QStringLiteral("a"))), kWhole);
}

// The meter begins anew: no time has passed since, so no speed is known yet.
void DownloadQueueTest::aPauseDoesNotSlowItDown() {
    QueueBench bench;
    bench.held.insert(QStringLiteral("/a"));
    bench.queue->add(1, bench.order({QStringLiteral("a")}));
    QTRY_COMPARE(bench.status(1).bytesDone, 40'000);
    bench.queue->pause(1);
    QVERIFY(bench.status(1).state == State::Paused);
    bench.clock->pass(60'000);
    bench.queue->resume(1);
    QTRY_COMPARE(bench.status(1).bytesDone, 80'000);
    QVERIFY(bench.status(1).state == State::Receiving);
    QCOMPARE(bench.status(1).bytesPerSecond, 0.0);
    QCOMPARE(bench.status(1).secondsLeft, -1);
}

void DownloadQueueTest::asksNobodyAfterAStart() {
    QueueBench bench;
    bench.held = {QStringLiteral("/a"), QStringLiteral("/b")};
    for (const qint64 id : {1, 2, 3}) {
        bench.queue->add(id, bench.order({QString(QChar('a' + static_cast<int>(id) - 1))}));
    }
    QTRY_VERIFY(bench.status(1).bytesDone == 40'000 && bench.status(2).bytesDone == 40'000);
    bench.restart();
    const qsizetype asked = bench.server.requests().size();
    QCOMPARE(bench.queue->statuses().size(), 3);
    for (const DownloadStatus& one : bench.queue->statuses()) {
        QVERIFY(one.state == State::Paused);
        QCOMPARE(one.title, QString(QChar('a' + static_cast<int>(one.id) - 1)));
        // Nothing is asked, and yet it is said how far each is.
        QCOMPARE(one.bytesTotal, kWhole.size());
        QCOMPARE(one.bytesDone, one.id == 3 ? 0 : 40'000);
    }
    bench.clock->pass(3'600'000);
    QTest::qWait(1);
    QCOMPARE(bench.server.requests().size(), asked);
    bench.held.clear();
    bench.queue->resume(1);
    QTRY_VERIFY(bench.status(1).state == State::Done);
    QCOMPARE(bench.server.requests().last().headers.value("range"),
             QByteArray("bytes=40000-99999"));
    bench.restart();
    QVERIFY(bench.status(1).state == State::Done);
}

// An earlier run left a download of two files, whose sizes nobody knew beforehand, half done.
void DownloadQueueTest::saysHowFarAnUnknownSizeCame() {
    QueueBench bench;
    bench.held = {QStringLiteral("/m-00002-of-00002.gguf")};
    DownloadOrder order = bench.order(namesOfSplit(QStringLiteral("m-00001-of-00002.gguf")));
    for (DownloadPart& part : order.parts) {
        part.bytes = -1;
        part.sha256.clear();
    }
    bench.queue->add(1, order);
    QTRY_COMPARE(bench.status(1).bytesDone, kWhole.size() + 40'000);
    bench.restart();
    QVERIFY(bench.status(1).state == State::Paused);
    QCOMPARE(bench.status(1).bytesTotal, 2 * kWhole.size());
    QCOMPARE(bench.status(1).bytesDone, kWhole.size() + 40'000);
    bench.held.clear();
    bench.queue->resume(1);
    QTRY_VERIFY(bench.status(1).state == State::Done);
    QCOMPARE(bench.status(1).bytesDone, 2 * kWhole.size());
    QVERIFY(!bench.status(1).verified);
}

void DownloadQueueTest::isVerifiedByAHashOfEachFile() {
    QueueBench bench;
    DownloadOrder whole = bench.order(namesOfSplit(QStringLiteral("a-00001-of-00002.gguf")));
    DownloadOrder half = bench.order(namesOfSplit(QStringLiteral("b-00001-of-00002.gguf")));
    half.parts.last().sha256.clear();
    bench.queue->add(1, whole);
    bench.queue->add(2, half);
    QTRY_COMPARE(bench.completed->size(), 2);
    QVERIFY(bench.status(1).verified);
    QVERIFY(!bench.status(2).verified);
    bench.restart();
    QVERIFY(bench.status(1).verified);
    QVERIFY(!bench.status(2).verified);
}

void DownloadQueueTest::cancelsAndUndoes() {
    QueueBench bench;
    bench.held.insert(QStringLiteral("/a"));
    bench.queue->add(1, bench.order({QStringLiteral("a")}));
    QTRY_COMPARE(bench.status(1).bytesDone, 40'000);
    bench.queue->cancel(1);
    QVERIFY(bench.status(1).state == State::Cancelled);
    bench.clock->pass(DownloadQueue::kUndoMs - 1);
    QVERIFY(QFile::exists(bench.at(QStringLiteral("a.part"))));
    bench.held.clear();
    bench.queue->undoCancel(1);
    QTRY_VERIFY(bench.status(1).state == State::Done);
    QCOMPARE(bench.server.requests().last().headers.value("range"),
             QByteArray("bytes=40000-99999"));
    bench.queue->cancel(1);  // too late
    bench.queue->undoCancel(1);
    QVERIFY(bench.status(1).state == State::Done);
    bench.queue->remove(1);
    QVERIFY(bench.queue->statuses().isEmpty());
    QCOMPARE(fileAt(bench.at(QStringLiteral("a"))), kWhole);
}

void DownloadQueueTest::aCancelledOneGoes() {
    QueueBench bench;
    bench.held = {QStringLiteral("/a"), QStringLiteral("/b"), QStringLiteral("/c")};
    const QString a = bench.at(QStringLiteral("a.part"));
    const QString b = bench.at(QStringLiteral("b.part"));
    bench.queue->add(1, bench.order({QStringLiteral("a")}));
    bench.queue->add(2, bench.order({QStringLiteral("b")}));
    QTRY_VERIFY(bench.status(1).bytesDone == 40'000 && bench.status(2).bytesDone == 40'000);
    bench.queue->cancel(1);
    bench.clock->pass(DownloadQueue::kUndoMs);
    QTRY_VERIFY(!QFile::exists(a));
    QVERIFY(!QFile::exists(a + QStringLiteral(".journal")));
    QCOMPARE(bench.queue->statuses().size(), 1);
    bench.queue->cancel(2);
    QVERIFY(QFile::exists(b));
    bench.restart();  // the offer ends with the program
    QVERIFY(!QFile::exists(b));
    QVERIFY(bench.queue->statuses().isEmpty());
}

void DownloadQueueTest::failsAndTriesAgain() {
    QueueBench bench;
    bench.missing.insert(QStringLiteral("/a"));
    bench.queue->add(1, bench.order({QStringLiteral("a")}));
    QTRY_VERIFY(bench.status(1).state == State::Failed);
    QCOMPARE(bench.status(1).text,
             QStringLiteral("The server has no such file; it may have been moved."));
    bench.restart();
    QVERIFY(bench.status(1).state == State::Failed);
    QVERIFY(bench.status(1).text.startsWith(QLatin1String("The server has no such file")));
    bench.missing.clear();
    bench.queue->resume(1);
    QTRY_VERIFY(bench.status(1).state == State::Done);
}

void DownloadQueueTest::saysThatThereIsNoRoom() {
    QueueBench bench;
    DownloadOrder order = bench.order({QStringLiteral("a"), QStringLiteral("b")});
    order.parts.last().bytes = qint64{1} << 49;
    bench.queue->add(1, order);
    QVERIFY(bench.status(1).state == State::Paused);
    QVERIFY2(bench.status(1).text.startsWith(QLatin1String("It needs 562.9 TB")),
             qPrintable(bench.status(1).text));
    QCOMPARE(bench.server.requests().size(), 0);
}

// The file of a download that is under way takes the room of the whole from the beginning.
void DownloadQueueTest::aPartHasItsRoomAlready() {
    QueueBench bench;
    const qint64 more = freeBytes(bench.folder.path()) + (qint64{1} << 30);
    QFile part(bench.at(QStringLiteral("a.part")));
    QVERIFY(part.open(QIODevice::WriteOnly));
    QVERIFY(part.resize(more));  // all of it a hole, which takes no room here
    part.close();
    for (const char* name : {"a", "b"}) {
        DownloadOrder order = bench.order({QString(name)});
        order.parts.first().bytes = more;
        bench.queue->add(*name, order);
    }
    QVERIFY2(bench.status('a').state != State::Paused, qPrintable(bench.status('a').text));
    QVERIFY(bench.status('b').state == State::Paused);
    QVERIFY2(bench.status('b').text.startsWith(QLatin1String("It needs ")),
             qPrintable(bench.status('b').text));
}

void DownloadQueueTest::theSwitchPausesAll() {
    QueueBench bench;
    bench.held.insert(QStringLiteral("/a"));
    bench.queue->add(1, bench.order({QStringLiteral("a")}));
    QTRY_COMPARE(bench.status(1).bytesDone, 40'000);
    bench.control.setRules({.forbidAll = true});
    QTRY_VERIFY(bench.status(1).state == State::Paused);
    QCOMPARE(bench.status(1).text, QStringLiteral("You have switched all network requests off."));
    const qsizetype asked = bench.server.requests().size();
    bench.queue->resume(1);
    QTRY_VERIFY(bench.status(1).state == State::Paused);
    QCOMPARE(bench.server.requests().size(), asked);
    bench.held.clear();
    bench.control.setRules({});
    bench.queue->resume(1);
    QTRY_VERIFY(bench.status(1).state == State::Done);
}

void DownloadQueueTest::speaksPlainly_data() {
    QTest::addColumn<int>("state");
    QTest::addColumn<QString>("line");
    const auto row = [](const char* name, State state, const char* line) {
        QTest::addRow("%s", name) << static_cast<int>(state) << QString(line);
    };
    row("queued", State::Queued, "1.20 GB of 4.80 GB · waits for its turn");
    row("connecting", State::Connecting, "1.20 GB of 4.80 GB · connecting");
    row("receiving", State::Receiving, "1.20 GB of 4.80 GB · 12.0 MB/s · 5 min left");
    row("waiting", State::Waiting, "1.20 GB of 4.80 GB · tries again in 42 s");
    row("checking", State::Checking, "Checks the part on the disk: 12 %");
    row("verifying", State::Verifying, "Checks the whole file: 12 %");
    row("comparing", State::Comparing, "Looks for the damaged part: 12 %");
    row("paused", State::Paused, "1.20 GB of 4.80 GB · paused");
    row("failed", State::Failed, "1.20 GB of 4.80 GB");
    row("done", State::Done, "4.80 GB · done · not verified: its SHA-256 is not known");
    row("cancelled", State::Cancelled, "Cancelled. The downloaded part will be deleted.");
}

void DownloadQueueTest::speaksPlainly() {
    QFETCH(int, state);
    DownloadStatus status;
    status.state = static_cast<State>(state);
    status.bytesDone = 1'200'000'000;
    status.bytesTotal = 4'800'000'000;
    status.stepBytes = 600'000'000;
    status.bytesPerSecond = 12e6;
    status.secondsLeft = 300;
    status.waitSeconds = 42;
    QTEST(downloadLine(status), "line");
}

void DownloadQueueTest::rowsKeepTheirPlace() {
    DownloadListModel model;
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
    QSignalSpy removed(&model, &QAbstractItemModel::rowsRemoved);
    const auto some = [](std::initializer_list<qint64> ids) {
        QList<DownloadStatus> all;
        for (const qint64 id : ids) {
            all.append(DownloadStatus());
            all.last().id = id;
        }
        return all;
    };
    model.show(some({1, 2, 3}));
    model.show(some({1, 2, 3}));
    QCOMPARE(inserted.size(), 3);
    model.show(some({1, 3, 4}));
    QCOMPARE(removed.size(), 1);
    QCOMPARE(removed.first().at(1).toInt(), 1);
    QCOMPARE(inserted.size(), 4);
    QCOMPARE(model.index(2).data(DownloadListModel::DownloadId).toLongLong(), 4);
    model.show({});
    QCOMPARE(model.rowCount(), 0);
}

QTEST_GUILESS_MAIN(DownloadQueueTest)
#include "download_queue_test.moc"
