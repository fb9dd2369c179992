// Single faults, and what a person is told.
#include <QSignalSpy>
#include <QtTest>

#include "download_bench.h"

using namespace hearth::ui;
using namespace hearth::ui::test;
using State = FileDownload::State;
using Reason = FileDownload::Reason;

namespace {

const QByteArray kWhole = randomBytes(300'000, 42);
const QByteArray kEtag = "\"one\"";

// The beginning of a model: `filler` bytes of another key stand before the architecture.
QByteArray modelHeader(const QByteArray& architecture, qsizetype filler = 0) {
    QByteArray bytes("GGUF");
    const auto number = [&bytes](quint64 value, int size) {
        for (int i = 0; i < size; ++i) {
            bytes += static_cast<char>(value >> (8 * i));
        }
    };
    const auto text = [&](const QByteArray& value) {
        number(static_cast<quint64>(value.size()), 8);
        bytes += value;
    };
    number(3, 4);  // version
    number(0, 8);  // tensors
    number(2, 8);  // keys
    text("x.filler");
    number(8, 4);  // a text
    text(QByteArray(filler, 'f'));
    text("general.architecture");
    number(8, 4);
    text(architecture);
    return bytes;
}

// A model of that architecture, as long as it is known to be.
QByteArray model(const QByteArray& architecture, qsizetype filler = 0) {
    QByteArray bytes = modelHeader(architecture, filler);
    return bytes + randomBytes(3'000'000 - bytes.size(), 5);
}

ServerAnswer then(ServerAnswer answer, qint64 sent, ServerAnswer::Then what) {
    answer.bodyBytesSent = sent;
    answer.then = what;
    return answer;
}

}  // namespace

class FileDownloadTest : public QObject {
    Q_OBJECT

private slots:
    void fetches();
    void asksForTheRest();
    void dropsAndGoesOn();
    void stallsAndGoesOn();
    void backsOffAndGivesUp();
    void waitsAsLongAsItIsAsked();
    void asksAgainAfter_data();
    void asksAgainAfter();
    void aPauseEndsTheWait();
    void aPauseEndsTheCheck();
    void aPauseEndsTheVerifying();
    void aKillCostsAFewSeconds();
    void stopsWithASentence_data();
    void stopsWithASentence();
    void pausesAndLosesNothing();
    void doesNotMixFiles_data();
    void doesNotMixFiles();
    void aNewDateIsAnotherFile_data();
    void aNewDateIsAnotherFile();
    void aShorterFileBeginsAnew();
    void aPartMaySayLessThanTheWhole();
    void aBrokenCopyOfTheBeginningShiftsNothing();
    void aFileThatAlwaysChanges();
    void asksForAllWhereRangesAreLies();
    void findsTheChunkThatWasSentWrong();
    void findsAllThatWasSentWrong_data();
    void findsAllThatWasSentWrong();
    void endsWhereTheServerHasAnotherFile();
    void takesFilesOfUnknownSize();
    void packedIsRefused();
    void overwritesNothing();
    void overwritesNothingThatCameMeanwhile();
    void theSwitchStopsIt();
    void readsSlowly();
    void anotherFileEndsEarly_data();
    void anotherFileEndsEarly();
    void theRightFileComesAfterAnotherOne();
    void aWrongAnswerKeepsWhatIsThere();
    void aHeaderInTwoRunsIsLookedAt();
    void aModelOfAnyArchitecture_data();
    void aModelOfAnyArchitecture();
    void anotherKindOfHashSaysNothing();
    void showsTheTokenToItsHost();
    void saysWhatIsWrongWithARange_data();
    void saysWhatIsWrongWithARange();
    void aPartWhereAllIsAskedFor();
};

void FileDownloadTest::fetches() {
    DownloadBench bench([](const ServerRequest& r) { return serve(r, kWhole, kEtag); });
    bench.make(sha256(kWhole), kWhole.size());
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QCOMPARE(fileAt(bench.target()), kWhole);
    QCOMPARE(bench.server.requests().size(), 1);
    QVERIFY(!bench.server.requests().first().headers.contains("range"));
    QCOMPARE(bench.bytesReceived(), kWhole.size());
}

void FileDownloadTest::asksForTheRest() {
    DownloadBench bench([&](const ServerRequest& r) {
        return bench.server.requests().size() == 1
                   ? then(serve(r, kWhole, kEtag), 100'000, ServerAnswer::Then::Stall)
                   : serve(r, kWhole, kEtag);
    });
    bench.make();
    QVERIFY(bench.run());
    QVERIFY(bench.file->state() == State::Done);
    QCOMPARE(bench.server.requests().size(), 2);
    const ServerRequest& second = bench.server.requests().last();
    QCOMPARE(second.headers.value("range"), QByteArray("bytes=100000-299999"));
    QCOMPARE(second.headers.value("if-range"), kEtag);
    QCOMPARE(bench.bytesReceived(), kWhole.size());  // not a byte twice
    QCOMPARE(fileAt(bench.target()), kWhole);
}

void FileDownloadTest::dropsAndGoesOn() {
    DownloadBench bench([&](const ServerRequest& r) {
        return then(serve(r, kWhole, kEtag), 20'000,
                    bench.server.requests().size() % 2 == 0 ? ServerAnswer::Then::Reset
                                                            : ServerAnswer::Then::Close);
    });
    bench.make(sha256(kWhole));
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QVERIFY(bench.server.requests().size() > FileDownload::kTriesMost + 1);  // each brought bytes
    QCOMPARE(bench.bytesReceived(), kWhole.size());
}

void FileDownloadTest::stallsAndGoesOn() {
    DownloadBench bench([&](const ServerRequest& r) {
        return bench.server.requests().size() == 1
                   ? then(serve(r, kWhole, kEtag), 100'000, ServerAnswer::Then::Stall)
                   : serve(r, kWhole, kEtag);
    });
    bench.make();
    const qint64 began = bench.clock.nowMs();
    QStringList sentences;
    QObject::connect(bench.file.get(), &FileDownload::changed, [&] {
        if (bench.file->state() == State::Waiting) {
            sentences << bench.file->text();
        }
    });
    QVERIFY(bench.run());
    QVERIFY(bench.file->state() == State::Done);
    QCOMPARE(sentences, QStringList({"Nothing came from the server for 30 seconds."}));
    const qint64 took = bench.clock.nowMs() - began;
    QVERIFY(took >= FileDownload::kStallMs + 500 && took <= FileDownload::kStallMs + 1000);
}

void FileDownloadTest::backsOffAndGivesUp() {
    DownloadBench bench([](const ServerRequest&) { return ServerAnswer{.status = 500}; });
    bench.make();
    QList<qint64> waits;
    QObject::connect(bench.file.get(), &FileDownload::changed, [&] {
        if (bench.file->state() == State::Waiting) {
            waits << bench.file->waitsUntilMs() - bench.clock.nowMs();
        }
    });
    QVERIFY(bench.run());
    QVERIFY(bench.file->state() == State::Stopped);
    QVERIFY(bench.file->reason() == Reason::Unreachable);
    QVERIFY(bench.file->text().contains(QLatin1String("try again later")));
    QCOMPARE(waits.size(), FileDownload::kTriesMost);
    qint64 most = 1000;
    for (const qint64 wait : waits) {
        QVERIFY(wait >= most / 2 && wait <= most);
        most *= 2;
    }
    QCOMPARE(bench.server.requests().size(), FileDownload::kTriesMost + 1);
    QVERIFY(bench.run());  // a person tries again: as often, and not more slowly
    QVERIFY(bench.file->reason() == Reason::Unreachable);
    QCOMPARE(bench.server.requests().size(), 2 * (FileDownload::kTriesMost + 1));
    QVERIFY(waits.at(FileDownload::kTriesMost) <= 1000);
}

void FileDownloadTest::waitsAsLongAsItIsAsked() {
    DownloadBench bench([&](const ServerRequest& r) {
        return bench.server.requests().size() == 1
                   ? ServerAnswer{.status = 429, .headers = {{"Retry-After", "77"}}}
                   : serve(r, kWhole, kEtag);
    });
    bench.make();
    const qint64 began = bench.clock.nowMs();
    QVERIFY(bench.run());
    QVERIFY(bench.file->state() == State::Done);
    QCOMPARE(bench.clock.nowMs() - began, 77'000);
}

void FileDownloadTest::asksAgainAfter_data() {
    QTest::addColumn<int>("status");
    for (const int status : {408, 425, 429, 500, 502, 503, 504}) {
        QTest::addRow("%d", status) << status;
    }
}

void FileDownloadTest::asksAgainAfter() {
    QFETCH(int, status);
    DownloadBench bench([&](const ServerRequest& r) {
        return bench.server.requests().size() == 1 ? ServerAnswer{.status = status}
                                                   : serve(r, kWhole, kEtag);
    });
    bench.make();
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QCOMPARE(bench.server.requests().size(), 2);
}

// Neither the wait for a busy server nor that for a silent one goes on behind a pause.
void FileDownloadTest::aPauseEndsTheWait() {
    bool busy = true;
    DownloadBench bench([&](const ServerRequest& r) {
        return busy ? ServerAnswer{.status = 503}
                    : then(serve(r, kWhole, kEtag), 100'000, ServerAnswer::Then::Stall);
    });
    bench.make();
    const auto staysPaused = [&](qsizetype asked) {
        bench.file->pause();
        bench.clock.pass(3'600'000);
        QTest::qWait(1);
        return bench.file->state() == State::Stopped && bench.file->reason() == Reason::Paused &&
               bench.server.requests().size() == asked;
    };
    QVERIFY(bench.run([&] { return bench.file->state() == State::Waiting; }));
    QVERIFY(staysPaused(1));
    busy = false;
    QVERIFY(bench.run([&] { return bench.file->bytesDone() == 100'000; }));
    QVERIFY(staysPaused(2));
}

// An earlier run's chunks are read one at a time, and a pause comes in between.
void FileDownloadTest::aPauseEndsTheCheck() {
    DownloadBench bench([&](const ServerRequest& r) {
        return bench.server.requests().size() == 1
                   ? then(serve(r, kWhole, kEtag), 100'000, ServerAnswer::Then::Stall)
                   : serve(r, kWhole, kEtag);
    });
    bench.make();
    QVERIFY(bench.run([&] { return bench.file->bytesDone() == 100'000; }));
    bench.file->pause();
    bench.make();
    bench.file->start();
    QVERIFY(bench.file->state() == State::Checking);
    bench.file->pause();
    QCoreApplication::processEvents();
    QTest::qWait(1);
    QVERIFY(bench.file->state() == State::Stopped);
    QCOMPARE(bench.server.requests().size(), 1);
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QCOMPARE(fileAt(bench.target()), kWhole);
}

void FileDownloadTest::aPauseEndsTheVerifying() {
    DownloadBench bench([](const ServerRequest& r) { return serve(r, kWhole, kEtag); });
    bench.make(sha256(kWhole));
    bool pauses = true;
    QObject::connect(bench.file.get(), &FileDownload::changed, [&] {
        if (bench.file->state() == State::Verifying && std::exchange(pauses, false)) {
            QMetaObject::invokeMethod(bench.file.get(), &FileDownload::pause, Qt::QueuedConnection);
        }
    });
    QVERIFY(bench.run());
    QVERIFY(bench.file->reason() == Reason::Paused);
    QCoreApplication::processEvents();
    QVERIFY(bench.file->state() == State::Stopped);
    QVERIFY(!QFile::exists(bench.target()));
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QCOMPARE(bench.server.requests().size(), 1);
    QCOMPARE(fileAt(bench.target()), kWhole);
}

// A slow line: a chunk takes long, and the disk has what came of it until a few seconds ago. It is
// not asked to write each piece at once, either.
void FileDownloadTest::aKillCostsAFewSeconds() {
    DownloadBench bench([](const ServerRequest& r) { return serve(r, kWhole, kEtag); });
    constexpr qint64 kRate = 1000;
    bench.limit.setBytesPerSecond(kRate);
    bench.make();
    bench.file->start();
    QDeadlineTimer patience(20'000);
    while (bench.file->bytesDone() < 14 * kRate && !patience.hasExpired()) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 1);
        if (const auto next = bench.clock.nextInMs(); next && *next <= SpeedLimit::kPauseMs) {
            bench.clock.ringNext();
        }
    }
    const qint64 had = bench.file->bytesDone();
    QVERIFY(had >= 14 * kRate && had < DownloadBench::kChunk);
    bench.end();
    const qint64 left = PartFile::leftOf(bench.target()).bytesDone;
    QVERIFY2(left >= had - kRate * (FileDownload::kTailEveryMs + 500) / 1000,
             qPrintable(QString::number(left)));
    const QByteArray journal = fileAt(bench.part() + QStringLiteral(".journal"));
    QVERIFY2(journal.count("\ntail ") <= 4, journal.constData());
}

void FileDownloadTest::stopsWithASentence_data() {
    QTest::addColumn<int>("status");
    for (const int status : {204, 304, 400, 401, 403, 404, 410, 451}) {
        QTest::addRow("%d", status) << status;
    }
}

void FileDownloadTest::stopsWithASentence() {
    QFETCH(int, status);
    DownloadBench bench([&](const ServerRequest&) {
        return ServerAnswer{.status = status, .body = status < 400 ? "" : "no"};
    });
    bench.make();
    QVERIFY(bench.run());
    QVERIFY(bench.file->state() == State::Stopped);
    QVERIFY(bench.file->reason() == Reason::Refused);
    QVERIFY(bench.file->text().endsWith(QLatin1Char('.')));
    QCOMPARE(bench.server.requests().size(), 1);
    QVERIFY(!QFile::exists(bench.target()));
}

void FileDownloadTest::pausesAndLosesNothing() {
    DownloadBench bench([&](const ServerRequest& r) {
        return bench.server.requests().size() == 1
                   ? then(serve(r, kWhole, kEtag), 100'000, ServerAnswer::Then::Stall)
                   : serve(r, kWhole, kEtag);
    });
    bench.make(sha256(kWhole));
    QVERIFY(bench.run([&] { return bench.file->bytesDone() == 100'000; }));
    bench.file->pause();
    QVERIFY(bench.file->state() == State::Stopped && bench.file->reason() == Reason::Paused);
    QVERIFY(bench.file->text().isEmpty());
    bench.make(sha256(kWhole));  // the program is started again
    QVERIFY(bench.run());
    QVERIFY(bench.file->state() == State::Done);
    QCOMPARE(bench.bytesReceived(), kWhole.size());
    QCOMPARE(bench.server.requests().last().headers.value("range"),
             QByteArray("bytes=100000-299999"));
}

void FileDownloadTest::doesNotMixFiles_data() {
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QByteArray>("after");
    QTest::addColumn<bool>("heedsIfRange");
    QTest::addRow("another tag") << QByteArray("\"one\"") << QByteArray("\"two\"") << true;
    QTest::addRow("another tag, ranges all the same")
        << QByteArray("\"one\"") << QByteArray("\"two\"") << false;
    QTest::addRow("no tag") << QByteArray() << QByteArray() << true;
    QTest::addRow("a weak tag") << QByteArray("W/\"one\"") << QByteArray("W/\"one\"") << true;
}

// The file changes, its size does not.
void FileDownloadTest::doesNotMixFiles() {
    QFETCH(QByteArray, before);
    QFETCH(QByteArray, after);
    QFETCH(bool, heedsIfRange);
    const QByteArray other = randomBytes(kWhole.size(), 43);
    DownloadBench bench([&](const ServerRequest& r) {
        ServerRequest request = r;
        if (!heedsIfRange) {
            request.headers.remove("if-range");
        }
        return bench.server.requests().size() == 1
                   ? then(serve(request, kWhole, before), 100'000, ServerAnswer::Then::Stall)
                   : serve(request, other, after);
    });
    bench.make();
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QCOMPARE(fileAt(bench.target()), other);
    QCOMPARE(bench.file->bytesDropped(), 100'000);
}

void FileDownloadTest::aNewDateIsAnotherFile_data() {
    QTest::addColumn<bool>("ranges");
    QTest::addRow("sends all") << false;
    QTest::addRow("sends the part that was asked for") << true;
}

// A server that knows no tags: the date of the file is all that tells.
void FileDownloadTest::aNewDateIsAnotherFile() {
    QFETCH(const bool, ranges);
    const QByteArray other = randomBytes(kWhole.size(), 43);
    DownloadBench bench([&](const ServerRequest& r) {
        const bool first = bench.server.requests().size() == 1;
        ServerRequest request = r;
        request.headers.remove("if-range");
        if (!ranges) {
            request.headers.remove("range");
        }
        ServerAnswer answer = serve(request, first ? kWhole : other, {});
        answer.headers.append(
            {"Last-Modified", QByteArray(first ? "Mon, 01 Jan 2024 00:00:00 GMT"
                                               : "Tue, 02 Jan 2024 00:00:00 GMT")});
        return first ? then(answer, 100'000, ServerAnswer::Then::Stall) : answer;
    });
    bench.make();
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QCOMPARE(bench.server.requests().at(1).headers.value("if-range"),
             QByteArray("Mon, 01 Jan 2024 00:00:00 GMT"));
    QCOMPARE(fileAt(bench.target()), other);
    QCOMPARE(bench.file->bytesDropped(), 100'000);
}

// The part that is asked for does not exist any more.
void FileDownloadTest::aShorterFileBeginsAnew() {
    const QByteArray other = randomBytes(50'000, 43);
    DownloadBench bench([&](const ServerRequest& r) {
        if (bench.server.requests().size() == 1) {
            return then(serve(r, kWhole, kEtag), 100'000, ServerAnswer::Then::Stall);
        }
        ServerRequest request = r;
        request.headers.remove("if-range");
        return serve(request, other, "\"two\"");
    });
    bench.make();
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QCOMPARE(fileAt(bench.target()), other);
    QCOMPARE(bench.server.requests().size(), 3);  // the whole, a part, the other whole
}

// No tag beside a part, and no size in its range: what the first answer said still holds.
void FileDownloadTest::aPartMaySayLessThanTheWhole() {
    DownloadBench bench([&](const ServerRequest& r) {
        if (bench.server.requests().size() == 1) {
            return then(serve(r, kWhole, kEtag), 100'000, ServerAnswer::Then::Stall);
        }
        ServerAnswer answer = serve(r, kWhole, kEtag);
        answer.headers = {{"Content-Range", "bytes 100000-299999/*"}};
        return answer;
    });
    bench.make();
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QCOMPARE(bench.server.requests().size(), 2);
    QCOMPARE(bench.bytesReceived(), kWhole.size());
    QCOMPARE(fileAt(bench.target()), kWhole);
}

// A server sends all instead of a part, breaks off before the part begins, and then sends the part.
void FileDownloadTest::aBrokenCopyOfTheBeginningShiftsNothing() {
    DownloadBench bench([&](const ServerRequest& r) {
        ServerRequest request = r;
        switch (bench.server.requests().size()) {
            case 1:
                return then(serve(r, kWhole, kEtag), 100'000, ServerAnswer::Then::Stall);
            case 2:
                request.headers.remove("range");
                return then(serve(request, kWhole, kEtag), 50'000, ServerAnswer::Then::Stall);
            default:
                return serve(r, kWhole, kEtag);
        }
    });
    bench.make();
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QCOMPARE(fileAt(bench.target()), kWhole);
    QCOMPARE(bench.server.requests().size(), 3);
    QCOMPARE(bench.file->bytesSkipped(), 50'000);
}

void FileDownloadTest::aFileThatAlwaysChanges() {
    DownloadBench bench([&](const ServerRequest& r) {
        const qsizetype number = bench.server.requests().size();
        return then(serve(r, kWhole, '"' + QByteArray::number(number) + '"'), 50'000,
                    ServerAnswer::Then::Stall);
    });
    bench.make();
    QVERIFY(bench.run());
    QVERIFY(bench.file->state() == State::Stopped);
    QVERIFY(bench.file->text().startsWith(QLatin1String("The download started over 5 times")));
    QVERIFY(!QFile::exists(bench.target()));
    const qsizetype asked = bench.server.requests().size();
    QVERIFY(asked > FileDownload::kBeginningsMost);
    QVERIFY(bench.run());  // a person tries again
    QVERIFY(bench.file->text().startsWith(QLatin1String("The download started over 5 times")));
    QVERIFY(bench.server.requests().size() - asked > FileDownload::kBeginningsMost);
}

void FileDownloadTest::asksForAllWhereRangesAreLies() {
    DownloadBench bench([&](const ServerRequest& r) {
        ServerRequest request = r;
        const auto range = r.range();
        if (range) {
            request.headers["range"] = "bytes=" + QByteArray::number(range->first + 7) + '-';
        }
        return bench.server.requests().size() == 1
                   ? then(serve(request, kWhole, kEtag), 100'000, ServerAnswer::Then::Stall)
                   : serve(request, kWhole, kEtag);
    });
    bench.make(sha256(kWhole));
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QCOMPARE(bench.server.requests().size(), 1 + FileDownload::kLiesMost + 1);
    QVERIFY(!bench.server.requests().last().headers.contains("range"));
    QCOMPARE(bench.file->bytesSkipped(), 100'000);
    QCOMPARE(bench.bytesReceived(), kWhole.size() + 100'000);
}

// One byte, in a chunk in the middle: what follows that chunk is not fetched a second time.
void FileDownloadTest::findsTheChunkThatWasSentWrong() {
    QByteArray wrong = kWhole;
    wrong[100'000] = static_cast<char>(~wrong.at(100'000));
    DownloadBench bench([&](const ServerRequest& r) {
        return serve(r, bench.server.requests().size() == 1 ? wrong : kWhole, kEtag);
    });
    bench.make(sha256(kWhole));
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QCOMPARE(fileAt(bench.target()), kWhole);
    QVERIFY(bench.file->bytesCompared() > 100'000);
    QVERIFY(bench.file->bytesCompared() <= 300'000);
}

void FileDownloadTest::findsAllThatWasSentWrong_data() {
    QTest::addColumn<QList<qint64>>("first");   // bytes that are wrong in the first copy
    QTest::addColumn<QList<qint64>>("second");  // and in the second
    QTest::addRow("two") << QList<qint64>{100'000, 200'000} << QList<qint64>{};
    QTest::addRow("the last byte") << QList<qint64>{299'999} << QList<qint64>{};
    QTest::addRow("more than are looked at at once")
        << QList<qint64>{1, 60'000, 120'000, 180'000, 240'000} << QList<qint64>{};
    QTest::addRow("the second copy elsewhere") << QList<qint64>{100'000} << QList<qint64>{50'000};
    QTest::addRow("two of each") << QList<qint64>{100'000, 200'000}
                                 << QList<qint64>{50'000, 150'000};
}

// A third look at a chunk finds it right.
void FileDownloadTest::findsAllThatWasSentWrong() {
    QFETCH(const QList<qint64>, first);
    QFETCH(const QList<qint64>, second);
    DownloadBench bench([&](const ServerRequest& r) {
        const bool isFirst = bench.server.requests().size() == 1;
        const bool isSecond = !isFirst && bench.file->bytesCompared() < kWhole.size();
        QByteArray sent = kWhole;
        for (const qint64 at : isFirst ? first : isSecond ? second : QList<qint64>()) {
            sent[at] = static_cast<char>(~sent.at(at));
        }
        return serve(r, sent, kEtag);
    });
    bench.make(sha256(kWhole));
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QCOMPARE(fileAt(bench.target()), kWhole);
    QVERIFY(bench.file->bytesCompared() <=
            kWhole.size() + (first.size() + second.size()) * DownloadBench::kChunk);
}

void FileDownloadTest::endsWhereTheServerHasAnotherFile() {
    DownloadBench bench([](const ServerRequest& r) { return serve(r, kWhole, kEtag); });
    bench.make(sha256("another"));
    QVERIFY(bench.run());
    QVERIFY(bench.file->state() == State::Stopped);
    QVERIFY(bench.file->reason() == Reason::WrongFile);
    QVERIFY(bench.file->text().contains(QLatin1String("SHA-256")));
    QCOMPARE(bench.bytesReceived(), 2 * kWhole.size());  // and no more
    QVERIFY(!QFile::exists(bench.target()) && !QFile::exists(bench.part()));

    bench.make({}, kWhole.size() + 1);
    QVERIFY(bench.run());
    QVERIFY(bench.file->reason() == Reason::WrongFile);
    QVERIFY(!QFile::exists(bench.target()));
}

void FileDownloadTest::takesFilesOfUnknownSize() {
    DownloadBench bench([&](const ServerRequest& r) {
        ServerAnswer answer = serve(r, kWhole, kEtag);
        answer.chunked = true;
        return bench.server.requests().size() == 1
                   ? then(answer, 100'000, ServerAnswer::Then::Reset)
                   : answer;
    });
    bench.make();
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QCOMPARE(fileAt(bench.target()), kWhole);
}

void FileDownloadTest::packedIsRefused() {
    DownloadBench bench([](const ServerRequest& r) {
        ServerAnswer answer = serve(r, kWhole, kEtag);
        answer.headers.append(qMakePair(QByteArray("Content-Encoding"), QByteArray("gzip")));
        return answer;
    });
    bench.make();
    QVERIFY(bench.run());
    QVERIFY(bench.file->reason() == Reason::Refused);
    QVERIFY(bench.file->text().contains(QLatin1String("gzip")));
}

void FileDownloadTest::overwritesNothing() {
    DownloadBench bench([](const ServerRequest& r) { return serve(r, kWhole, kEtag); });
    QFile mine(bench.target());
    QVERIFY(mine.open(QIODevice::WriteOnly) && mine.write("mine") == 4);
    mine.close();
    bench.make();
    QVERIFY(bench.run());
    QVERIFY(bench.file->reason() == Reason::Refused);
    QCOMPARE(fileAt(bench.target()), QByteArray("mine"));
    QCOMPARE(bench.server.connections(), 0);
}

// Another program makes a file of that name while this one is fetched.
void FileDownloadTest::overwritesNothingThatCameMeanwhile() {
    DownloadBench bench([&](const ServerRequest& r) {
        QFile mine(bench.target());
        if (mine.open(QIODevice::WriteOnly)) {
            mine.write("mine");
        }
        return serve(r, kWhole, kEtag);
    });
    bench.make(sha256(kWhole));
    QVERIFY(bench.run());
    QVERIFY(bench.file->reason() == Reason::Refused);
    QVERIFY2(bench.file->text().contains(QLatin1String("try again")),
             qPrintable(bench.file->text()));
    QCOMPARE(fileAt(bench.target()), QByteArray("mine"));
    QVERIFY(QFile::remove(bench.target()));
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QCOMPARE(fileAt(bench.target()), kWhole);
    QCOMPARE(bench.server.requests().size(), 1);  // all of it was there
}

void FileDownloadTest::theSwitchStopsIt() {
    DownloadBench bench([](const ServerRequest& r) {
        return then(serve(r, kWhole, kEtag), 100'000, ServerAnswer::Then::Stall);
    });
    bench.make();
    QVERIFY(bench.run([&] { return bench.file->bytesDone() == 100'000; }));
    bench.control.setRules({.forbidAll = true});
    QTRY_VERIFY(bench.ended());
    QVERIFY(bench.file->reason() == Reason::Forbidden);
    const qsizetype asked = bench.server.requests().size();
    bench.file->start();
    QTRY_VERIFY(bench.ended());
    QVERIFY(bench.file->reason() == Reason::Forbidden);
    QCOMPARE(bench.server.requests().size(), asked);
}

void FileDownloadTest::readsSlowly() {
    DownloadBench bench([](const ServerRequest& r) { return serve(r, kWhole, kEtag); });
    bench.limit.setBytesPerSecond(5'000);  // longer than a server may be silent
    bench.make(sha256(kWhole));
    const qint64 began = bench.clock.nowMs();
    bench.file->start();
    QDeadlineTimer patience(20'000);
    while (!bench.ended() && !patience.hasExpired()) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 1);
        // Not while the answer is on its way: a busy machine would see 30 virtual seconds go by.
        if (const auto next = bench.clock.nextInMs(); next && *next <= SpeedLimit::kPauseMs) {
            bench.clock.ringNext();
        }
    }
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QVERIFY(bench.clock.nowMs() - began >= 60'000 - 250);
    QCOMPARE(bench.server.requests().size(), 1);
}

void FileDownloadTest::anotherFileEndsEarly_data() {
    QTest::addColumn<QByteArray>("served");
    QTest::addColumn<qint64>("about");
    QTest::addColumn<QByteArray>("linked");    // X-Linked-Etag, as the hub says it
    QTest::addColumn<bool>("chunked");         // no length beforehand
    QTest::addColumn<qint64>("receivedMost");  // bytes
    QTest::addColumn<QString>("said");
    const QByteArray right = model("llama");
    const auto row = [&](const char* name, const QByteArray& served, qint64 about, qint64 most,
                         const char* said, const QByteArray& linked = {}, bool chunked = false) {
        QTest::newRow(name) << served << about << linked << chunked << most
                            << QString::fromUtf8(said);
    };
    // A mirror that has 98 MB under the name of a model of 4.7 GB.
    row("much smaller", right, 140'000'000, 1 << 21, "3.0 MB instead of about 140.0 MB");
    row("larger", right, 2'000'000, 1 << 21, "3.0 MB instead of about 2.0 MB");
    row("smaller, found at its end", right.left(100'000), 3'000'000, 100'000,
        "100.0 kB instead of about 3.0 MB", {}, true);
    row("no model", randomBytes(3'000'000, 8), 3'000'000, 1 << 21, "is no model");
    row("of another architecture", model("qwen2"), 3'000'000, 1 << 21, "qwen2 instead of llama");
    row("of another architecture, said late", model("qwen2", 700'000), 3'000'000, 5 << 19,
        "qwen2 instead of llama");
    row("the header is cut off", modelHeader("llama", 9).chopped(3), -1, 1000, "cut off");
    row("another hash by the hub", right, 3'000'000, 1 << 21, "another SHA-256",
        sha256("another").toHex());
}

void FileDownloadTest::anotherFileEndsEarly() {
    QFETCH(const QByteArray, served);
    QFETCH(const qint64, about);
    QFETCH(const QByteArray, linked);
    QFETCH(const bool, chunked);
    QFETCH(const qint64, receivedMost);
    QFETCH(const QString, said);
    DownloadBench bench([&](const ServerRequest& request) {
        ServerAnswer answer = serve(request, served, kEtag);
        answer.chunked = chunked;
        if (!linked.isEmpty()) {
            answer.headers.append({"X-Linked-Etag", '"' + linked + '"'});
        }
        return answer;
    });
    bench.make({.url = QUrl(bench.server.base() + QStringLiteral("/model.gguf")),
                .target = bench.target(),
                .sha256 = linked.isEmpty() ? QByteArray() : sha256(served),
                .purpose = QStringLiteral("Test"),
                .bytesAbout = about,
                .model = true,
                .architecture = QStringLiteral("llama")});
    QVERIFY(bench.run());
    QVERIFY(bench.file->state() == State::Stopped);
    QVERIFY2(bench.file->reason() == Reason::WrongFile, qPrintable(bench.file->text()));
    QVERIFY2(bench.file->text().contains(said), qPrintable(bench.file->text()));
    QVERIFY2(bench.bytesReceived() <= receivedMost,
             qPrintable(QString::number(bench.bytesReceived())));
    QVERIFY(!QFile::exists(bench.target()));
    QCOMPARE(QFileInfo(bench.part()).size(), 0);
}

void FileDownloadTest::theRightFileComesAfterAnotherOne() {
    const QByteArray right = model("llama");
    DownloadBench bench([&](const ServerRequest& request) {
        return bench.server.requests().size() == 1 ? serve(request, model("qwen2"), "\"two\"")
                                                   : serve(request, right, kEtag);
    });
    bench.make({.url = QUrl(bench.server.base() + QStringLiteral("/model.gguf")),
                .target = bench.target(),
                .purpose = QStringLiteral("Test"),
                .bytesAbout = 2'900'000,
                .model = true,
                .architecture = QStringLiteral("llama")});
    QVERIFY(bench.run());
    QVERIFY(bench.file->reason() == Reason::WrongFile);
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QCOMPARE(fileAt(bench.target()), right);
}

// A server that answers once with a page of its own costs nothing of what came before.
void FileDownloadTest::aWrongAnswerKeepsWhatIsThere() {
    const QByteArray right = model("llama");
    DownloadBench bench([&](const ServerRequest& request) {
        switch (bench.server.requests().size()) {
            case 1:
                return then(serve(request, right, kEtag), 1'000'000, ServerAnswer::Then::Stall);
            case 2:
                return ServerAnswer{.body = "<html>"};
            default:
                return serve(request, right, kEtag);
        }
    });
    bench.make({.url = QUrl(bench.server.base() + QStringLiteral("/model.gguf")),
                .target = bench.target(),
                .purpose = QStringLiteral("Test"),
                .bytesAbout = 3'000'000,
                .model = true,
                .architecture = QStringLiteral("llama")});
    QVERIFY(bench.run());
    QVERIFY(bench.file->reason() == Reason::WrongFile);
    QCOMPARE(bench.file->bytesDone(), 1'000'000);
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QCOMPARE(bench.server.requests().last().headers.value("range"),
             QByteArray("bytes=1000000-2999999"));
    QCOMPARE(fileAt(bench.target()), right);
}

// The run before ended within the first bytes: what it left is judged with what comes then.
void FileDownloadTest::aHeaderInTwoRunsIsLookedAt() {
    const QByteArray other = model("qwen2");
    DownloadBench bench([&](const ServerRequest& request) {
        return bench.server.requests().size() == 1
                   ? then(serve(request, other, kEtag), 20'000, ServerAnswer::Then::Stall)
                   : serve(request, other, kEtag);
    });
    const FileOrder order{.url = QUrl(bench.server.base() + QStringLiteral("/model.gguf")),
                          .target = bench.target(),
                          .purpose = QStringLiteral("Test"),
                          .model = true,
                          .architecture = QStringLiteral("llama")};
    bench.make(order);
    QVERIFY(bench.run([&] { return bench.file->bytesDone() == 20'000; }));
    bench.file->pause();
    bench.make(order);
    QVERIFY(bench.run());
    QVERIFY2(bench.file->reason() == Reason::WrongFile, qPrintable(bench.file->text()));
    QVERIFY(bench.bytesReceived() < 2'000'000);
}

void FileDownloadTest::aModelOfAnyArchitecture_data() {
    QTest::addColumn<QByteArray>("served");
    QTest::addColumn<bool>("taken");
    QTest::addRow("a model") << model("qwen2") << true;
    QTest::addRow("none") << randomBytes(300'000, 8) << false;
}

// Nothing but its being a model is known beforehand.
void FileDownloadTest::aModelOfAnyArchitecture() {
    QFETCH(const QByteArray, served);
    QFETCH(const bool, taken);
    DownloadBench bench([&](const ServerRequest& r) { return serve(r, served, kEtag); });
    bench.make({.url = QUrl(bench.server.base() + QStringLiteral("/model.gguf")),
                .target = bench.target(),
                .purpose = QStringLiteral("Test"),
                .model = true});
    QVERIFY(bench.run());
    QVERIFY2(taken == (bench.file->state() == State::Done), qPrintable(bench.file->text()));
    QVERIFY(taken || bench.file->reason() == Reason::WrongFile);
    QCOMPARE(QFile::exists(bench.target()), taken);
}

// The hub names small files by a hash of another kind, which cannot be compared.
void FileDownloadTest::anotherKindOfHashSaysNothing() {
    DownloadBench bench([](const ServerRequest& r) {
        ServerAnswer answer = serve(r, kWhole, kEtag);
        answer.headers.append({"X-Linked-Etag", '"' + QByteArray(40, 'a') + '"'});
        return answer;
    });
    bench.make(sha256(kWhole));
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
}

// Some models come to known people alone; each of the requests says who asks.
void FileDownloadTest::showsTheTokenToItsHost() {
    const auto authority = TestAuthority::make();
    QVERIFY2(authority, "the openssl program makes the certificates of this test");
    DownloadBench bench(
        [&](const ServerRequest& r) {
            if (r.headers.value("authorization") != "Bearer hf_secret") {
                return ServerAnswer{.status = 401};
            }
            return bench.server.requests().size() == 1
                       ? then(serve(r, kWhole, kEtag), 100'000, ServerAnswer::Then::Close)
                       : serve(r, kWhole, kEtag);
        },
        &*authority);
    bench.make();
    QVERIFY(bench.run());
    QVERIFY2(bench.file->text().contains(QLatin1String("access token")),
             qPrintable(bench.file->text()));
    bench.control.setToken(siteOf(bench.server.base()), "hf_secret");
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QCOMPARE(fileAt(bench.target()), kWhole);
}

void FileDownloadTest::saysWhatIsWrongWithARange_data() {
    QTest::addColumn<int>("fault");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("another part") << 0
                                  << "The server sends another part of the file than Hearth asked "
                                     "for.";
    QTest::newRow("longer than it says") << 1
                                         << "The server sends another part of the file than Hearth "
                                            "asked for.";
    QTest::newRow("no such part") << 2
                                  << "The server says that this part of the file does not exist.";
    QTest::newRow("an early end") << 3 << "The server stopped before the end of the file.";
}

// The second answer is odd; the third brings the rest, and what came before is kept.
void FileDownloadTest::saysWhatIsWrongWithARange() {
    QFETCH(const int, fault);
    QFETCH(const QString, sentence);
    DownloadBench bench([&](const ServerRequest& r) {
        ServerAnswer answer = serve(r, kWhole, kEtag);
        switch (bench.server.requests().size()) {
            case 1:
                return then(answer, 100'000, ServerAnswer::Then::Stall);
            case 2:
                if (fault < 2) {
                    answer.headers.last().second =
                        fault == 0 ? "bytes 100001-299999/300000" : "bytes 100000-299998/300000";
                } else if (fault == 2) {
                    answer = {.status = 416};
                } else {
                    answer.chunked = true;
                    answer.body.chop(50'000);
                }
                return answer;
            default:
                return answer;
        }
    });
    bench.make(sha256(kWhole));
    QStringList sentences;
    QObject::connect(bench.file.get(), &FileDownload::changed, [&] {
        if (bench.file->state() == State::Waiting) {
            sentences << bench.file->text();
        }
    });
    QVERIFY(bench.run());
    QVERIFY2(bench.file->state() == State::Done, qPrintable(bench.file->text()));
    QCOMPARE(sentences.size(), 2);
    QCOMPARE(sentences.last(), sentence);
    QCOMPARE(fileAt(bench.target()), kWhole);
    QCOMPARE(bench.server.requests().last().headers.value("range"),
             fault == 3 ? QByteArray("bytes=250000-299999") : QByteArray("bytes=100000-299999"));
}

// The whole file was asked for: a part of it is none, however often it comes.
void FileDownloadTest::aPartWhereAllIsAskedFor() {
    DownloadBench bench([](const ServerRequest&) {
        return ServerAnswer{
            .status = 206, .headers = {{"Content-Range", "bytes 0-299999/300000"}}, .body = kWhole};
    });
    bench.make(sha256(kWhole));
    QVERIFY(bench.run());
    QVERIFY(bench.file->reason() == Reason::Unreachable);
    QCOMPARE(bench.file->text(),
             QStringLiteral("Hearth asked for the whole file, and the server sends only a part. It "
                            "was tried 9 times; try again later."));
    QCOMPARE(bench.server.requests().size(), FileDownload::kTriesMost + 1);
    QVERIFY(!QFile::exists(bench.target()));
}

QTEST_GUILESS_MAIN(FileDownloadTest)
#include "file_download_test.moc"
