// 200 servers, each with faults of its own by a seed: they drop, stall, corrupt, lie about ranges,
// redirect, change the file between requests, and answer 416, 429 and 500; half of them over TLS.
// Between them the program is killed and the disk loses bytes. Every file is right in the end, and
// what came more than once is at most
//   - the chunks that the disk lost,
//   - less than a chunk for each kill,
//   - what was there of a file that changed,
//   - what a server sent though it was not asked for: all from the beginning (or it had lied about
//     ranges three times, and is asked for all), or beyond the range,
//   - where the server sent wrong bytes: once more all of it, and twice the chunks that differed.
#include <QtTest>
#include <utility>

#include "download_bench.h"

using namespace hearth::ui;
using namespace hearth::ui::test;

namespace {

constexpr int kSeeds = 200;

enum Trouble {
    Reset,
    Close,
    Stall,
    Silent,
    Corrupt,
    OtherPart,    // another range than asked for, and it says so
    ShiftedPart,  // another range, and it says it is the right one
    AllOfIt,      // 200 where a part was asked for
    MoreOfIt,     // goes on behind the range
    LessOfIt,     // less than asked for, in good order
    Redirect,
    Changed,
    NoSuchRange,
    TooMany,
    Fault,
    kTroubles
};

struct Sequence {
    explicit Sequence(quint32 seed) : random(seed), seed_(seed) {
        const QList<qint64> sizes{0, 1, DownloadBench::kChunk, DownloadBench::kChunk + 1,
                                  DownloadBench::kChunk * 3};
        bytes = seed % 4 == 0 ? sizes.at(static_cast<qsizetype>(seed / 4) % sizes.size())
                              : random.bounded(500'000);
        // A file that changes has no hash that could be known before.
        changes = seed % 3 == 0;
        troublesLeft = random.bounded(1, 12);
        useDates = seed % 5 == 1;
        corruptsFirst = !changes && seed % 7 == 1;  // else luck decides whether any does
        whole = randomBytes(bytes, seed);
    }

    QByteArray validator() const {
        return useDates ? QByteArray("Mon, 0") + QByteArray::number(version % 9 + 1) +
                              " Jan 2024 00:00:00 GMT"
                        : "\"version " + QByteArray::number(version) + '"';
    }

    ServerAnswer good(const ServerRequest& request) {
        ServerAnswer answer = serve(request, whole, validator());
        if (useDates) {
            for (auto& [name, value] : answer.headers) {
                if (name == "ETag") {
                    name = "Last-Modified";
                }
            }
        }
        return answer;
    }

    ServerAnswer answer(const ServerRequest& request) {
        if (!request.range() && had) {
            moreThanAsked += had();  // it was lied to about ranges, and asks for none any more
        }
        if (request.path().startsWith("/elsewhere")) {
            return good(request);
        }
        if (std::exchange(corruptsFirst, false)) {
            return corrupt(good(request));
        }
        if (troublesLeft == 0 || random.bounded(3) == 0) {
            return good(request);
        }
        --troublesLeft;
        const auto range = request.range();
        switch (random.bounded(static_cast<int>(kTroubles))) {
            case Reset:
                return cut(good(request), ServerAnswer::Then::Reset);
            case Close:
                return cut(good(request), ServerAnswer::Then::Close);
            case Stall:
                return cut(good(request), ServerAnswer::Then::Stall);
            case Silent:
                return {.silent = true, .then = ServerAnswer::Then::Stall};
            case Corrupt:
                return changes ? good(request) : corrupt(good(request));
            case OtherPart:
                if (range && range->first > 0) {
                    ServerRequest other = request;
                    other.headers["range"] = "bytes=" + QByteArray::number(range->first - 1) + '-';
                    return good(other);
                }
                return good(request);
            case ShiftedPart:
                if (range && range->first > 0 && !changes) {
                    ServerAnswer shifted = good(request);
                    if (shifted.status == 206) {
                        ++corrupted;
                        shifted.body = whole.mid(range->first - 1, shifted.body.size());
                    }
                    return shifted;
                }
                return good(request);
            case AllOfIt: {
                ServerRequest all = request;
                all.headers.remove("range");
                moreThanAsked += range ? range->first + (bytes - endOf(*range)) : 0;
                return good(all);
            }
            case MoreOfIt: {
                if (!range) {
                    return good(request);
                }
                ServerRequest more = request;
                more.headers["range"] = "bytes=" + QByteArray::number(range->first) + '-';
                moreThanAsked += bytes - endOf(*range);
                return good(more);
            }
            case LessOfIt: {
                if (!range) {
                    return good(request);
                }
                ServerRequest less = request;
                less.headers["range"] = "bytes=" + QByteArray::number(range->first) + '-' +
                                        QByteArray::number((range->first + endOf(*range)) / 2);
                return good(less);
            }
            case Redirect:
                return {.status = random.bounded(2) == 0 ? 302 : 307,
                        .headers = {{"Location", "/elsewhere?signature=1"}}};
            case Changed:
                if (changes && version < 4) {
                    ofOlderFiles += had ? had() : 0;
                    ++version;
                    whole = randomBytes(bytes + random.bounded(-5, 6) * (bytes > 5 ? 1 : 0),
                                        seed_ + 1000U * static_cast<quint32>(version));
                    bytes = whole.size();
                }
                return good(request);
            case NoSuchRange:
                return {.status = 416,
                        .headers = {{"Content-Range", "bytes */" + QByteArray::number(bytes)}}};
            case TooMany:
                return {.status = 429,
                        .headers = {{"Retry-After", QByteArray::number(random.bounded(100))}},
                        .body = "slow down"};
            default:
                return {.status = random.bounded(2) == 0 ? 500 : 503, .body = "fault"};
        }
    }

    qint64 endOf(const QPair<qint64, qint64>& range) const {
        return range.second < 0 ? bytes : std::min(range.second, bytes);
    }

    ServerAnswer cut(ServerAnswer answer, ServerAnswer::Then then) {
        answer.bodyBytesSent = random.bounded(static_cast<quint32>(answer.body.size()) + 1);
        answer.then = then;
        return answer;
    }

    ServerAnswer corrupt(ServerAnswer answer) {
        if (!answer.body.isEmpty()) {
            ++corrupted;
            char& byte =
                answer.body.data()[random.bounded(static_cast<quint32>(answer.body.size()))];
            byte = static_cast<char>(byte ^ 1);
        }
        return answer;
    }

    QRandomGenerator random;
    quint32 seed_;
    QByteArray whole;
    qint64 bytes = 0;
    int version = 0;
    bool changes = false;
    bool useDates = false;
    bool corruptsFirst = false;
    int troublesLeft = 0;
    std::function<qint64()> had;  // bytes that are there, at this moment

    int corrupted = 0;  // answers
    qint64 ofOlderFiles = 0;
    qint64 moreThanAsked = 0;
};

}  // namespace

class SeededServersTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        authority_ = TestAuthority::make();
        QVERIFY2(authority_, "the openssl program makes the certificates of this test");
    }
    void everyFileIsRight_data() {
        QTest::addColumn<quint32>("seed");
        for (quint32 seed = 0; seed < kSeeds; ++seed) {
            QTest::addRow("%s, seed %u", seed % 2 == 0 ? "http" : "https", seed) << seed;
        }
    }
    void everyFileIsRight();
    void cleanupTestCase() {
        qInfo().noquote() << "fetched" << all_ << "bytes of files," << again_
                          << "of them again; allowed" << allowed_ << "; the servers had sent"
                          << inFlight_ << "more, in flight when a connection ended;" << corrupted_
                          << "answers were wrong," << damaged_ << "chunks were damaged," << kills_
                          << "kills";
        QVERIFY(corrupted_ > 10 && damaged_ > 10 && kills_ > 20);  // or this shows little
    }

private:
    int damage(DownloadBench& bench, Sequence& sequence);

    std::optional<TestAuthority> authority_;
    qint64 all_ = 0;
    qint64 again_ = 0;
    qint64 allowed_ = 0;
    qint64 inFlight_ = 0;
    int corrupted_ = 0;
    int damaged_ = 0;
    int kills_ = 0;
};

// The disk loses bytes of one or two chunks. How many chunks.
int SeededServersTest::damage(DownloadBench& bench, Sequence& sequence) {
    QFile part(bench.part());
    if (!part.open(QIODevice::ReadWrite) || part.size() == 0) {
        return 0;
    }
    QSet<qint64> chunks;
    for (int i = 0; i < 2; ++i) {
        const qint64 at = sequence.random.bounded(static_cast<quint32>(part.size()));
        part.seek(at);
        const char before = part.read(1).at(0);
        part.seek(at);
        part.putChar(static_cast<char>(before ^ 0x10));
        chunks.insert(at / DownloadBench::kChunk);
    }
    return static_cast<int>(chunks.size());
}

void SeededServersTest::everyFileIsRight() {
    QFETCH(quint32, seed);
    Sequence sequence(seed);
    DownloadBench bench([&](const ServerRequest& request) { return sequence.answer(request); },
                        seed % 2 == 0 ? nullptr : &*authority_);
    sequence.had = [&] { return bench.file->bytesDone(); };
    const QByteArray hash = sequence.changes ? QByteArray() : sha256(sequence.whole);
    int kills = seed % 2 == 0 ? 0 : sequence.random.bounded(1, 4);
    qint64 allowed = 0;
    int damaged = 0;
    int runs = 0;
    for (bool ended = false; !ended;) {
        bench.make(hash);
        ++runs;
        const qint64 from = bench.bytesReceived();
        const qint64 until =
            kills > 0 ? sequence.random.bounded(static_cast<quint32>(sequence.bytes) / 2 + 1) : -1;
        QVERIFY2(bench.run([&] { return until >= 0 && bench.bytesReceived() - from > until; }),
                 qPrintable(bench.file->text()));
        ended = bench.ended();
        if (ended && bench.file->state() == FileDownload::State::Stopped) {
            // A person would press "try again"; one does so here as well.
            QVERIFY2(bench.file->reason() == FileDownload::Reason::Unreachable ||
                         bench.file->reason() == FileDownload::Reason::WrongFile,
                     qPrintable(bench.file->text()));
            QVERIFY2(
                bench.file->reason() == FileDownload::Reason::Unreachable || sequence.corrupted > 0,
                qPrintable(bench.file->text()));
            ended = false;
        }
        if (!ended) {
            --kills;
            ++kills_;
            allowed += DownloadBench::kChunk;
            bench.end();
            if (sequence.random.bounded(2) == 0) {
                damaged += damage(bench, sequence);
            }
        }
    }
    QCOMPARE(fileAt(bench.target()), sequence.whole);
    QVERIFY(!QFile::exists(bench.part()));
    QVERIFY(!QFile::exists(bench.part() + QStringLiteral(".journal")));

    allowed += sequence.ofOlderFiles + sequence.moreThanAsked + damaged * DownloadBench::kChunk;
    if (sequence.corrupted > 0) {
        allowed +=
            (kills_ > 0 ? 2 : 1) * sequence.bytes + 4 * sequence.corrupted * DownloadBench::kChunk;
    }
    const qint64 again = bench.bytesReceived() - sequence.bytes;
    QVERIFY2(again <= allowed,
             qPrintable(QStringLiteral("%1 bytes came again, %2 allowed").arg(again).arg(allowed)));
    all_ += sequence.bytes;
    again_ += again;
    allowed_ += allowed;
    inFlight_ += bench.server.bodyBytesInAll() - bench.bytesReceived();
    corrupted_ += sequence.corrupted;
    damaged_ += damaged;
}

QTEST_GUILESS_MAIN(SeededServersTest)
#include "seeded_servers_test.moc"
