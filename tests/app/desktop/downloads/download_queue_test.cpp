// Several downloads: who has a turn, what a person does with them, what is left after a restart.
#include <QSignalSpy>
#include <QtTest>

#include "download_bench.h"
#include "downloads/download_list_model.h"
#include "downloads/download_queue.h"
#include "system/durable_file.h"

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
              if (busy.contains(QString::fromLatin1(request.path()))) {
                  answer = {.status = 503, .headers = {{"Retry-After", "77"}}};
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
        changed = std::make_unique<QSignalSpy>(queue.get(), &DownloadQueue::changed);
        trouble = std::make_unique<QSignalSpy>(queue.get(), &DownloadQueue::trouble);
        queue->open();
    }
    void restart() {
        queue->close();
        begin();
    }
    // As a kill would: nothing is written any more.
    void kill() {
        queue.reset();
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
    QList<QueuedDownload> listed() const { return readQueueFile(listFile()).downloads; }
    int askedFor(const QString& name) const {
        return static_cast<int>(
            std::count_if(server.requests().begin(), server.requests().end(),
                          [&](const auto& one) { return one.path() == '/' + name.toLatin1(); }));
    }

    QSet<QString> held;  // paths
    QSet<QString> missing;
    QSet<QString> busy;
    NetworkControl control;
    TestServer server;
    QTemporaryDir folder;
    std::shared_ptr<VirtualClock> clock;
    std::unique_ptr<DownloadQueue> queue;
    std::unique_ptr<QSignalSpy> completed;
    std::unique_ptr<QSignalSpy> changed;
    std::unique_ptr<QSignalSpy> trouble;
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
    void aDoneFileHasItsRoomAlready();
    void aDownloadWithoutRoomHoldsNobodyUp();
    void aRefusingDiskPausesIt();
    void eachChangeIsOnTheDisk();
    void comparesWhatIsKnownBeforehand_data();
    void comparesWhatIsKnownBeforehand();
    void aKillEndsTheOfferToUndo();
    void aCancelledSplitLeavesNoPart();
    void aDeletedFileComesAgain();
    void heedsTheSpeedLimit();
    void theSecondFileHasTheSpeedOfTheFirst();
    void saysHowLongItWaits();
    void tellsAFewTimesASecond();
    void saysWhatIsWrongWithTheList();
    void theSwitchPausesAll();
    void speaksPlainly_data();
    void speaksPlainly();
    void speaksOfUnknownThings();
    void offersWhatCanBeDone_data();
    void offersWhatCanBeDone();
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
    bench.queue->remove(1);  // it is neither done nor cancelled
    QVERIFY(bench.status(1).state == State::Paused);
    QCOMPARE(bench.status(1).bytesDone, 40'000);
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
    bench.clock->pass(DownloadQueue::kUndoMs);  // the cancellation is no longer due
    QCoreApplication::processEvents();
    QCOMPARE(bench.queue->statuses().size(), 1);
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
    bench.queue->cancel(1);
    QVERIFY(bench.status(1).text.isEmpty());
    bench.queue->undoCancel(1);
    QTRY_VERIFY(bench.status(1).state == State::Failed);
    bench.missing.clear();
    bench.queue->resume(1);
    QVERIFY(bench.status(1).underWay());
    QTRY_VERIFY(bench.status(1).state == State::Done);
    QVERIFY(bench.status(1).text.isEmpty());
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

// The first of two files is there: only the second one still needs room.
void DownloadQueueTest::aDoneFileHasItsRoomAlready() {
    QueueBench bench;
    bench.queue->close();
    DownloadOrder order = bench.order({QStringLiteral("a"), QStringLiteral("b")});
    order.parts.first().bytes = freeBytes(bench.folder.path()) + (qint64{1} << 30);
    QFile first(bench.at(QStringLiteral("a")));
    QVERIFY(first.open(QIODevice::WriteOnly) && first.write("all of it") == 9);
    first.close();
    QCOMPARE(writeQueueFile(bench.listFile(),
                            {{1, order, QueuedDownload::State::Open, {}, {true, false}}}),
             QString());
    bench.begin();
    bench.queue->resume(1);
    QVERIFY2(bench.status(1).underWay(), qPrintable(bench.status(1).text));
    QTRY_VERIFY(bench.status(1).state == State::Done);
    QCOMPARE(fileAt(bench.at(QStringLiteral("b"))), kWhole);
    QCOMPARE(fileAt(first.fileName()), QByteArray("all of it"));
}

void DownloadQueueTest::aDownloadWithoutRoomHoldsNobodyUp() {
    QueueBench bench;
    bench.held = {QStringLiteral("/a"), QStringLiteral("/b"), QStringLiteral("/e")};
    bench.queue->add(1, bench.order({QStringLiteral("a")}));
    bench.queue->add(2, bench.order({QStringLiteral("b")}));
    for (const qint64 id : {3, 4}) {
        DownloadOrder order = bench.order({QString(QChar('a' + static_cast<int>(id) - 1))});
        order.parts.first().bytes = qint64{1} << 49;
        bench.queue->add(id, order);
    }
    bench.queue->add(5, bench.order({QStringLiteral("e")}));
    QVERIFY(bench.status(3).state == State::Queued && bench.status(5).state == State::Queued);
    bench.queue->pause(1);  // one turn is free, and neither of the next two can take it
    for (const qint64 id : {3, 4}) {
        QVERIFY(bench.status(id).state == State::Paused);
        QVERIFY(bench.status(id).text.startsWith(QLatin1String("It needs 562.9 TB")));
    }
    QTRY_COMPARE(bench.status(5).bytesDone, 40'000);
}

// A person can mend the disk, so the download waits for that and does not fail.
void DownloadQueueTest::aRefusingDiskPausesIt() {
    QueueBench bench;
    const QString part = bench.at(QStringLiteral("a.part"));
    QVERIFY(QDir().mkpath(part));  // a folder has the name of the file
    bench.queue->add(1, bench.order({QStringLiteral("a")}));
    QTRY_VERIFY(bench.status(1).state == State::Paused);
    QVERIFY(!bench.status(1).text.isEmpty());
    QVERIFY(QDir().rmdir(part));
    bench.queue->resume(1);
    QTRY_VERIFY(bench.status(1).state == State::Done);
    QVERIFY(bench.status(1).text.isEmpty());
    QCOMPARE(fileAt(bench.at(QStringLiteral("a"))), kWhole);
}

// A kill at any moment finds the list as it is shown.
void DownloadQueueTest::eachChangeIsOnTheDisk() {
    using Kept = QueuedDownload::State;
    QueueBench bench;
    bench.held = {QStringLiteral("/a2")};
    bench.missing = {QStringLiteral("/b")};
    bench.queue->add(1, bench.order({QStringLiteral("a1"), QStringLiteral("a2")}));
    QCOMPARE(bench.listed().size(), 1);
    QCOMPARE(bench.listed().first().id, 1);
    QTRY_COMPARE(bench.status(1).bytesDone, kWhole.size() + 40'000);
    QCOMPARE(bench.listed().first().partsDone, QList<bool>({true, false}));
    bench.queue->add(2, bench.order({QStringLiteral("b")}));
    QTRY_VERIFY(bench.status(2).state == State::Failed);
    QVERIFY(bench.listed().last().state == Kept::Failed);
    QCOMPARE(bench.listed().last().text, bench.status(2).text);
    bench.missing.clear();
    bench.held.insert(QStringLiteral("/b"));
    bench.queue->resume(2);
    QVERIFY(bench.listed().last().state == Kept::Open);
    QVERIFY(bench.listed().last().text.isEmpty());
    QTRY_COMPARE(bench.status(2).bytesDone, 40'000);
    bench.queue->cancel(2);
    QVERIFY(bench.listed().last().state == Kept::Cancelled);
    bench.held.clear();
    bench.queue->undoCancel(2);
    QVERIFY(bench.listed().last().state == Kept::Open);
    QTRY_VERIFY(bench.status(2).state == State::Done);
    QVERIFY(bench.listed().last().state == Kept::Done);
    bench.queue->remove(2);
    QCOMPARE(bench.listed().size(), 1);
    bench.kill();
    QCOMPARE(bench.queue->statuses().size(), 1);
    bench.queue->resume(1);
    QTRY_VERIFY(bench.status(1).state == State::Done);
    QCOMPARE(bench.askedFor(QStringLiteral("a1")), 1);
    QCOMPARE(fileAt(bench.at(QStringLiteral("a2"))), kWhole);
}

void DownloadQueueTest::comparesWhatIsKnownBeforehand_data() {
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<qint64>("about");
    QTest::addColumn<bool>("model");
    QTest::addColumn<bool>("hashed");
    QTest::addColumn<QString>("said");  // empty: it is the file
    QTest::newRow("nothing") << qint64{-1} << qint64{-1} << false << false << "";
    QTest::newRow("its size") << qint64{99'999} << qint64{-1} << false << false
                              << "100,000 bytes instead of 99,999";
    QTest::newRow("about its size")
        << qint64{-1} << qint64{80'000} << false << false << "instead of about 80.0 kB";
    QTest::newRow("about its size, which is a tenth less")
        << qint64{-1} << qint64{111'111} << false << false << "";
    QTest::newRow("about its size, which is more than a tenth less")
        << qint64{-1} << qint64{111'112} << false << false << "instead of about 111.1 kB";
    QTest::newRow("that it is a model")
        << qint64{-1} << qint64{-1} << true << false << "is no model";
    QTest::newRow("its hash") << qint64{-1} << qint64{-1} << false << true << "SHA-256";
}

// The second of two files, whose first is what it should be.
void DownloadQueueTest::comparesWhatIsKnownBeforehand() {
    QFETCH(const qint64, bytes);
    QFETCH(const qint64, about);
    QFETCH(const bool, model);
    QFETCH(const bool, hashed);
    QFETCH(const QString, said);
    QueueBench bench;
    DownloadOrder order = bench.order({QStringLiteral("a"), QStringLiteral("b")});
    DownloadPart& part = order.parts.last();
    part.bytes = bytes;
    part.bytesAbout = about;
    part.model = model;
    part.sha256 = hashed ? sha256("another") : QByteArray();
    bench.queue->add(1, order);
    QTRY_VERIFY(bench.status(1).state == (said.isEmpty() ? State::Done : State::Failed));
    QVERIFY2(bench.status(1).text.contains(said), qPrintable(bench.status(1).text));
    QCOMPARE(fileAt(bench.at(QStringLiteral("a"))), kWhole);
    QCOMPARE(QFile::exists(bench.at(QStringLiteral("b"))), said.isEmpty());
}

void DownloadQueueTest::aKillEndsTheOfferToUndo() {
    QueueBench bench;
    bench.held = {QStringLiteral("/a"), QStringLiteral("/b")};
    bench.queue->add(1, bench.order({QStringLiteral("a")}));
    bench.queue->add(2, bench.order({QStringLiteral("b")}));
    QTRY_VERIFY(bench.status(1).bytesDone == 40'000 && bench.status(2).bytesDone == 40'000);
    bench.queue->cancel(1);
    bench.kill();
    QVERIFY(!QFile::exists(bench.at(QStringLiteral("a.part"))));
    QVERIFY(QFile::exists(bench.at(QStringLiteral("b.part"))));
    QCOMPARE(bench.queue->statuses().size(), 1);
    QVERIFY(bench.status(2).state == State::Paused);
    QCOMPARE(bench.listed().size(), 1);
}

// The part that goes is the one that was under way, whichever of the files it belongs to.
void DownloadQueueTest::aCancelledSplitLeavesNoPart() {
    QueueBench bench;
    bench.held = {QStringLiteral("/b")};
    bench.queue->add(1, bench.order({QStringLiteral("a"), QStringLiteral("b")}));
    QTRY_COMPARE(bench.status(1).bytesDone, kWhole.size() + 40'000);
    QVERIFY(QFile::exists(bench.at(QStringLiteral("b.part"))));
    bench.queue->cancel(1);
    bench.queue->remove(1);
    QVERIFY(bench.queue->statuses().isEmpty());
    QVERIFY(!QFile::exists(bench.at(QStringLiteral("b.part"))));
    QVERIFY(!QFile::exists(bench.at(QStringLiteral("b.part.journal"))));
}

// Somebody deleted a file that had come, before the other one was there.
void DownloadQueueTest::aDeletedFileComesAgain() {
    QueueBench bench;
    bench.held = {QStringLiteral("/b")};
    bench.queue->add(1, bench.order({QStringLiteral("a"), QStringLiteral("b")}));
    QTRY_COMPARE(bench.status(1).bytesDone, kWhole.size() + 40'000);
    bench.queue->pause(1);
    QVERIFY(QFile::remove(bench.at(QStringLiteral("a"))));
    bench.held.clear();
    bench.queue->resume(1);
    QTRY_VERIFY(bench.status(1).state == State::Done);
    QCOMPARE(fileAt(bench.at(QStringLiteral("a"))), kWhole);
    QCOMPARE(fileAt(bench.at(QStringLiteral("b"))), kWhole);
    QCOMPARE(bench.status(1).bytesDone, 2 * kWhole.size());
}

// The limit of the start, and one that a person sets while files come.
void DownloadQueueTest::heedsTheSpeedLimit() {
    QueueBench bench;
    bench.control.setRules({.bytesPerSecondMost = 1000});
    bench.restart();
    for (const char* name : {"a", "b"}) {
        const qint64 began = bench.clock->nowMs();
        bench.queue->add(*name, bench.order({QString(name)}));
        QTRY_VERIFY((bench.clock->pass(SpeedLimit::kPauseMs), bench.status(*name).bytesDone > 0));
        QVERIFY(bench.status(*name).bytesDone <= bench.clock->nowMs() - began);
        bench.control.setRules({});
        QTRY_VERIFY(
            (bench.clock->pass(SpeedLimit::kPauseMs), bench.status(*name).state == State::Done));
        bench.control.setRules({.bytesPerSecondMost = 1000});
    }
}

void DownloadQueueTest::theSecondFileHasTheSpeedOfTheFirst() {
    QueueBench bench;
    bench.control.setRules({.bytesPerSecondMost = 100'000});
    bench.queue->add(1, bench.order({QStringLiteral("a"), QStringLiteral("b")}));
    int seen = 0;
    QDeadlineTimer patience(20'000);
    while (bench.status(1).state != State::Done && !patience.hasExpired()) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 1);
        const DownloadStatus now = bench.status(1);
        if (now.state == State::Receiving && now.bytesDone > kWhole.size() + 30'000) {
            ++seen;
            QVERIFY2(now.bytesPerSecond > 50'000 && now.bytesPerSecond < 150'000,
                     qPrintable(QString::number(now.bytesPerSecond)));
        }
        // Only where bytes wait for the limit: else time would pass while they are on their way.
        if (const auto next = bench.clock->nextInMs(); next && *next <= SpeedLimit::kPauseMs) {
            bench.clock->ringNext();
        }
    }
    QVERIFY(bench.status(1).state == State::Done);
    QVERIFY(seen > 0);
}

void DownloadQueueTest::saysHowLongItWaits() {
    QueueBench bench;
    bench.busy = {QStringLiteral("/a")};
    bench.queue->add(1, bench.order({QStringLiteral("a")}));
    QTRY_VERIFY(bench.status(1).state == State::Waiting);
    QVERIFY(bench.status(1).underWay());
    QCOMPARE(bench.status(1).waitSeconds, 77);
    QVERIFY2(bench.status(1).text.contains(QLatin1String("(503)")),
             qPrintable(bench.status(1).text));
    bench.clock->pass(1500);
    QCOMPARE(bench.status(1).waitSeconds, 76);
    bench.busy.clear();
    bench.clock->pass(75'500);
    QTRY_VERIFY(bench.status(1).state == State::Done);
    QVERIFY(bench.status(1).text.isEmpty());
}

// However many pieces come, and no longer than something is under way.
void DownloadQueueTest::tellsAFewTimesASecond() {
    QueueBench bench;
    bench.held = {QStringLiteral("/a")};
    bench.changed->clear();
    bench.queue->add(1, bench.order({QStringLiteral("a")}));
    QTRY_COMPARE(bench.status(1).bytesDone, 40'000);
    QCOMPARE(bench.changed->size(), 1);
    bench.clock->pass(DownloadQueue::kTellEveryMs - 1);
    QCOMPARE(bench.changed->size(), 1);
    bench.clock->pass(1);
    QCOMPARE(bench.changed->size(), 2);
    const auto told = bench.changed->last().first().value<QList<DownloadStatus>>();
    QCOMPARE(told.first().bytesDone, 40'000);
    bench.clock->pass(999);
    QCOMPARE(bench.changed->size(), 2);
    bench.clock->pass(1);
    QCOMPARE(bench.changed->size(), 3);
    bench.queue->pause(1);
    bench.clock->pass(1000);
    bench.changed->clear();
    bench.clock->pass(10'000);
    QCOMPARE(bench.changed->size(), 0);
}

void DownloadQueueTest::saysWhatIsWrongWithTheList() {
    QueueBench bench;
    bench.queue->close();
    QFile list(bench.listFile());
    QVERIFY(list.open(QIODevice::WriteOnly) && list.write("no list") == 7);
    list.close();
    bench.begin();
    QCOMPARE(bench.trouble->size(), 1);
    QVERIFY(bench.trouble->first().first().toString().contains(QLatin1String("unreadable")));
    // And where it cannot be kept, the download goes on all the same.
    QVERIFY(QDir().mkpath(bench.listFile()));
    bench.trouble->clear();
    bench.queue->add(1, bench.order({QStringLiteral("a")}));
    QCOMPARE(bench.trouble->size(), 1);
    QTRY_VERIFY(bench.status(1).state == State::Done);
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

void DownloadQueueTest::speaksOfUnknownThings() {
    DownloadStatus status;
    QCOMPARE(downloadLine(status), QStringLiteral("waits for its turn"));  // not even a size
    status.state = State::Receiving;
    status.bytesDone = 250'000'000;
    QCOMPARE(downloadLine(status), QStringLiteral("250 MB"));
    status.bytesTotal = 99'900'000;
    status.bytesDone = 0;
    QCOMPARE(downloadLine(status), QStringLiteral("0 bytes of 99.9 MB"));
    status.state = State::Checking;
    status.bytesTotal = 0;
    QCOMPARE(downloadLine(status), QStringLiteral("Checks the part on the disk: 0 %"));
    status.bytesTotal = 10;
    status.stepBytes = 11;
    QCOMPARE(downloadLine(status), QStringLiteral("Checks the part on the disk: 100 %"));
    status.state = State::Waiting;
    status.waitSeconds = 119;
    QVERIFY(downloadLine(status).endsWith(QLatin1String("tries again in 119 s")));
    status.waitSeconds = 150;
    QVERIFY(downloadLine(status).endsWith(QLatin1String("tries again in 3 min")));
    status.state = State::Done;
    status.bytesTotal = 4'800'000'000;
    status.verified = true;
    QCOMPARE(downloadLine(status), QStringLiteral("4.80 GB · done · checked by its SHA-256"));
}

void DownloadQueueTest::offersWhatCanBeDone_data() {
    QTest::addColumn<int>("state");
    QTest::addColumn<QString>("offers");
    QTest::addColumn<QString>("tone");
    QTest::addColumn<double>("progress");
    const auto row = [](const char* name, State state, const char* offers, const char* tone,
                        double progress) {
        QTest::addRow("%s", name) << static_cast<int>(state) << QString(offers) << QString(tone)
                                  << progress;
    };
    row("queued", State::Queued, "pause cancel", "running", 0.25);
    row("receiving", State::Receiving, "pause cancel", "running", 0.25);
    row("waiting", State::Waiting, "pause cancel", "running", 0.25);
    row("checking", State::Checking, "pause cancel", "running", 0.5);
    row("verifying", State::Verifying, "pause cancel", "running", 0.5);
    row("comparing", State::Comparing, "pause cancel", "running", 0.5);
    row("paused", State::Paused, "Go on cancel", "still", 0.25);
    row("failed", State::Failed, "Try again cancel", "failed", 0.25);
    row("done", State::Done, "remove a.gguf", "done", 1.0);
    row("cancelled", State::Cancelled, "undo remove", "still", 0.25);
}

void DownloadQueueTest::offersWhatCanBeDone() {
    QFETCH(const int, state);
    DownloadStatus status;
    status.state = static_cast<State>(state);
    status.bytesDone = 1000;
    status.stepBytes = 2000;
    status.bytesTotal = 4000;
    status.paths = QStringList{QStringLiteral("a.gguf"), QStringLiteral("b.gguf")};
    DownloadListModel model;
    model.show({DownloadStatus(), status});
    const auto at = [&](DownloadListModel::Role role) { return model.index(1).data(role); };
    QStringList offers;
    for (const auto& [role, name] : {std::pair(DownloadListModel::CanPause, "pause"),
                                     std::pair(DownloadListModel::CanResume, ""),
                                     std::pair(DownloadListModel::CanCancel, "cancel"),
                                     std::pair(DownloadListModel::CanUndo, "undo"),
                                     std::pair(DownloadListModel::CanRemove, "remove")}) {
        if (at(role).toBool()) {
            offers << (*name == 0 ? at(DownloadListModel::ResumeText).toString() : QString(name));
        }
    }
    if (const QString path = at(DownloadListModel::ModelPath).toString(); !path.isEmpty()) {
        offers << path;
    }
    QTEST(offers.join(QLatin1Char(' ')), "offers");
    QTEST(at(DownloadListModel::Tone).toString(), "tone");
    QTEST(at(DownloadListModel::Progress).toDouble(), "progress");
    QCOMPARE(model.index(0).data(DownloadListModel::Progress).toDouble(), -1.0);  // no size
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
    QSignalSpy counted(&model, &DownloadListModel::countChanged);
    QSignalSpy told(&model, &QAbstractItemModel::dataChanged);
    model.show(some({1, 2, 3}));
    QCOMPARE(counted.size(), 1);
    QList<DownloadStatus> further = some({1, 2, 3});
    further[1].title = QStringLiteral("further");
    model.show(further);
    QCOMPARE(model.index(1).data(DownloadListModel::Title).toString(), QStringLiteral("further"));
    QVERIFY(std::any_of(told.begin(), told.end(), [](const QList<QVariant>& one) {
        return one.first().toModelIndex().row() == 1;
    }));
    QCOMPARE(inserted.size(), 3);
    QCOMPARE(counted.size(), 1);
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
