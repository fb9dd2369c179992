// Pieces read ahead in a circle: whatever the order in which reads return, each taker gets its
// piece's bytes; a pass that breaks off, a jump and an error leave nothing behind.
#include <QtTest>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include "base/aligned_buffer.h"
#include "memory/read_ahead.h"
#include "support/fake_reads.h"

namespace {

using hearth::FilePiece;
using hearth::FileRange;
using hearth::ReadAhead;
using hearth::ReadQueue;
using hearth::test::FakeReads;
using hearth::test::ReadScript;

constexpr std::uint64_t kFileBytes = 300'000;

std::vector<std::byte> content() {
    std::vector<std::byte> bytes(kFileBytes);
    std::mt19937 random(3);
    for (std::byte& byte : bytes) {
        byte = static_cast<std::byte>(random());
    }
    return bytes;
}

// Pieces of one run or of several, also at the file's end.
std::vector<FilePiece> pieces() {
    std::vector<FilePiece> all;
    std::mt19937 random(5);
    for (std::uint64_t at = 17; at + 9000 < kFileBytes;) {
        FilePiece piece;
        const int runs = 1 + static_cast<int>(random() % 3);
        for (int i = 0; i < runs; ++i) {
            const std::uint64_t bytes = 100 + random() % 2000;
            piece.push_back({at, bytes});
            at += bytes + random() % 700;
        }
        all.push_back(std::move(piece));
    }
    all.push_back({{kFileBytes - 50, 50}});
    return all;
}

std::vector<std::byte> bytes_of(const std::vector<std::byte>& file, const FilePiece& piece) {
    std::vector<std::byte> bytes;
    for (const FileRange& run : piece) {
        bytes.insert(bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(run.offset),
                     file.begin() + static_cast<std::ptrdiff_t>(run.offset + run.bytes));
    }
    return bytes;
}

struct Fixture {
    explicit Fixture(std::uint64_t alignment = 512, std::uint64_t n_slots = 5,
                     std::vector<FilePiece> of = pieces())
        : file(content()), all(std::move(of)), script(std::make_shared<ReadScript>(file)) {
        script->facts.alignment = alignment;
        script->facts.memory_alignment = alignment;
        script->facts.direct = alignment > 1;
        queue.emplace(std::move(
            *ReadQueue::open(std::make_unique<FakeReads>(script), hearth::ReadQueueOptions{4})));
        const auto largest =
            std::max_element(all.begin(), all.end(), [](const FilePiece& a, const FilePiece& b) {
                return ReadAhead::least_ring_bytes(a) < ReadAhead::least_ring_bytes(b);
            });
        ring_bytes = ReadAhead::least_ring_bytes(*largest) / 2 * n_slots;
        memory = std::move(
            *hearth::AlignedBuffer::create(ring_bytes + ReadAhead::kRingAlignment, "ring"));
        auto address = reinterpret_cast<std::uintptr_t>(memory.data());
        const auto skip = (ReadAhead::kRingAlignment - address % ReadAhead::kRingAlignment) %
                          ReadAhead::kRingAlignment;
        ahead = std::make_unique<ReadAhead>(
            *queue, all, std::span(memory.data() + skip, static_cast<std::size_t>(ring_bytes)));
    }

    std::vector<std::byte> file;
    std::vector<FilePiece> all;
    std::shared_ptr<ReadScript> script;
    std::optional<ReadQueue> queue;
    std::uint64_t ring_bytes = 0;
    hearth::AlignedBuffer memory;
    std::unique_ptr<ReadAhead> ahead;
};

// Takes pieces [first, end) with some threads, in about that order. How many had wrong bytes.
int wrong_pieces(Fixture& f, std::size_t first, std::size_t end, int n_threads) {
    std::atomic<std::size_t> next{first};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < n_threads; ++t) {
        threads.emplace_back([&] {
            for (std::size_t piece = next++; piece < end; piece = next++) {
                const auto bytes = f.ahead->take(piece);
                const std::vector<std::byte> expected = bytes_of(f.file, f.all[piece]);
                wrong += bytes && std::equal(bytes->begin(), bytes->end(), expected.begin(),
                                             expected.end())
                             ? 0
                             : 1;
                f.ahead->give_back(piece);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return wrong;
}

}  // namespace

class ReadAheadTest : public QObject {
    Q_OBJECT

private slots:
    void everyPieceOfSeveralPasses() {
        for (const std::uint64_t alignment : {1U, 512U, 4096U}) {
            for (const int threads : {1, 2, 7}) {
                Fixture f(alignment);
                for (int pass = 0; pass < 3; ++pass) {
                    f.ahead->seek(0);
                    QCOMPARE(wrong_pieces(f, 0, f.all.size(), threads), 0);
                }
            }
        }
    }

    // Two of them read one file by one queue, each by its channel, and one begins anew all the
    // time.
    void twoShareAQueue() {
        Fixture f;
        auto memory =
            *hearth::AlignedBuffer::create(f.ring_bytes + ReadAhead::kRingAlignment, "ring");
        const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
        const auto skip = (ReadAhead::kRingAlignment - address % ReadAhead::kRingAlignment) %
                          ReadAhead::kRingAlignment;
        ReadAhead other(*f.queue, f.all,
                        std::span(memory.data() + skip, static_cast<std::size_t>(f.ring_bytes)), 2);
        std::atomic<bool> over{false};
        std::atomic<int> wrong{0};
        std::thread restless([&] {
            std::mt19937 random(7);
            while (!over) {
                const std::size_t piece = random() % f.all.size();
                other.seek(piece);
                const auto bytes = other.take(piece);
                const std::vector<std::byte> expected = bytes_of(f.file, f.all[piece]);
                wrong += bytes && std::equal(bytes->begin(), bytes->end(), expected.begin(),
                                             expected.end())
                             ? 0
                             : 1;
                other.give_back(piece);
            }
        });
        int wrong_here = 0;
        for (int pass = 0; pass < 10; ++pass) {
            f.ahead->seek(0);
            wrong_here += wrong_pieces(f, 0, f.all.size(), 2);
        }
        over = true;
        restless.join();
        QCOMPARE(wrong_here, 0);
        QCOMPARE(wrong.load(), 0);
    }

    // Reads return in any order: a thousand orders, by random delays of each read.
    void anyOrderOfArrival() {
        std::mt19937 random(11);
        Fixture f;
        std::mutex mutex;
        f.script->instead = [&](std::uint64_t, std::uint64_t) {
            std::chrono::microseconds delay{};
            {
                const std::lock_guard lock(mutex);
                delay = std::chrono::microseconds(random() % 200);
            }
            std::this_thread::sleep_for(delay);
            return std::optional<hearth::ReadOutcome>{};
        };
        const std::size_t n = std::min<std::size_t>(f.all.size(), 12);
        for (int order = 0; order < 1000; ++order) {
            f.ahead->seek(0);
            QCOMPARE(wrong_pieces(f, 0, n, 2), 0);
        }
    }

    void jumps() {
        Fixture f;
        std::mt19937 random(7);
        for (int i = 0; i < 200; ++i) {
            const std::size_t first = random() % f.all.size();
            const std::size_t end = std::min(f.all.size(), first + 1 + random() % 6);
            f.ahead->seek(first);
            QCOMPARE(wrong_pieces(f, first, end, 1 + static_cast<int>(random() % 3)), 0);
        }
    }

    // The circle goes on: what follows the last piece is read while nobody asks for it yet.
    void theNextPassIsReadAhead() {
        Fixture f;
        f.ahead->seek(0);
        QCOMPARE(wrong_pieces(f, 0, f.all.size(), 1), 0);
        const std::uint64_t first = f.all.front().front().offset / 512 * 512;
        const auto reads_of_first = [&] {
            const auto seen = f.script->seen();
            return std::count_if(seen.begin(), seen.end(), [&](const ReadScript::Seen& read) {
                return read.offset == first;
            });
        };
        QTRY_COMPARE(reads_of_first(), 2);
        f.ahead->seek(0);
        QCOMPARE(wrong_pieces(f, 0, 3, 1), 0);
        QCOMPARE(reads_of_first(), 2);
    }

    void anErrorNamesFileAndOffsetAndTheNextPassIsWhole() {
        Fixture f;
        std::atomic<bool> failing{true};
        f.script->instead = [&](std::uint64_t offset, std::uint64_t) {
            return failing && offset > 20'000 ? std::optional(hearth::ReadOutcome{0, EIO})
                                              : std::nullopt;
        };
        f.ahead->seek(0);
        bool failed = false;
        for (std::size_t piece = 0; piece < f.all.size() && !failed; ++piece) {
            const auto bytes = f.ahead->take(piece);
            if (!bytes) {
                failed = true;
                QCOMPARE(bytes.error().code, hearth::ErrorCode::ReadFailed);
                QVERIFY(bytes.error().message.find("fake.bin") != std::string::npos ||
                        bytes.error().path == "fake.bin");
            }
            f.ahead->give_back(piece);
        }
        QVERIFY(failed);
        failing = false;
        f.ahead->seek(0);
        QCOMPARE(wrong_pieces(f, 0, f.all.size(), 2), 0);
    }

    // A piece of several reads is right only where each of them came: whichever fails, first or
    // last.
    void oneFailedReadFailsItsPiece() {
        const FilePiece spread{
            {0, 1000}, {100'000, 1000}, {200'000, 1000}};  // too far to be joined
        for (const FileRange& bad : spread) {
            Fixture f(512, 5, {{{50'000, 1000}}, spread, {{250'000, 1000}}});
            std::atomic<bool> failing{true};
            f.script->instead = [&](std::uint64_t offset, std::uint64_t bytes) {
                return failing && offset <= bad.offset && bad.offset < offset + bytes
                           ? std::optional(hearth::ReadOutcome{0, EIO})
                           : std::nullopt;
            };
            f.ahead->seek(0);
            QCOMPARE(wrong_pieces(f, 0, 1, 1), 0);
            QVERIFY2(!f.ahead->take(1), qPrintable(QString::number(bad.offset)));
            f.ahead->give_back(1);
            QCOMPARE(wrong_pieces(f, 2, 3, 1), 0);
            failing = false;
            f.ahead->seek(0);
            QCOMPARE(wrong_pieces(f, 0, 3, 1), 0);
        }
    }

    // The disk failed while the next pass's first pieces were read ahead, and nobody has taken
    // their completions. It is well again when that pass begins.
    void aFailureThatNobodyHasCollected() {
        Fixture f;
        std::atomic<bool> failing{false};
        f.script->instead = [&](std::uint64_t, std::uint64_t) {
            return failing ? std::optional(hearth::ReadOutcome{0, EIO}) : std::nullopt;
        };
        f.ahead->seek(0);
        QCOMPARE(wrong_pieces(f, 0, f.all.size() - 5, 1), 0);
        QTRY_COMPARE(f.queue->outstanding(), std::size_t{0});  // the ring holds the last five
        failing = true;
        QCOMPARE(wrong_pieces(f, f.all.size() - 5, f.all.size(), 1), 0);
        QTRY_COMPARE(f.queue->outstanding(), std::size_t{0});
        failing = false;
        for (int pass = 0; pass < 2; ++pass) {
            f.ahead->seek(0);
            QCOMPARE(wrong_pieces(f, 0, f.all.size(), 2), 0);
        }
    }

    // A later piece failed, and take() of an earlier one has collected the failure. A disk that
    // is still ill is asked once more, and a piece that fails after the seek is an error at once.
    void aFailureOfALaterPieceBeforeASeek() {
        for (const bool mended : {true, false}) {
            Fixture f;
            std::atomic<bool> failing{true};
            std::atomic<int> failures{0};
            const FileRange run = f.all[3].front();
            f.script->instead = [&](std::uint64_t offset, std::uint64_t bytes) {
                const bool fails = failing && offset <= run.offset && run.offset < offset + bytes;
                failures += fails ? 1 : 0;
                return fails ? std::optional(hearth::ReadOutcome{0, EIO}) : std::nullopt;
            };
            f.ahead->seek(0);
            QTRY_COMPARE(f.queue->outstanding(), std::size_t{0});
            QCOMPARE(wrong_pieces(f, 0, 1, 1), 0);
            const int before = failures;
            QVERIFY(before > 0);
            failing = !mended;
            f.ahead->seek(1);
            QCOMPARE(wrong_pieces(f, 1, 3, 1), 0);
            QCOMPARE(f.ahead->take(3).has_value(), mended);
            f.ahead->give_back(3);
            QCOMPARE(failures.load(), mended ? before : 2 * before);
            if (mended) {
                QCOMPARE(wrong_pieces(f, 4, f.all.size(), 1), 0);
            }
            // The ring may have read piece 3 for the next pass. A jump behind it forgets that.
            f.ahead->seek(4);
            QTRY_COMPARE(f.queue->outstanding(), std::size_t{0});
            failing = true;
            f.ahead->seek(0);
            QCOMPARE(wrong_pieces(f, 0, 3, 1), 0);
            QVERIFY(!f.ahead->take(3));
            f.ahead->give_back(3);
            failing = false;
            f.ahead->seek(1);
            QCOMPARE(wrong_pieces(f, 1, f.all.size(), 1), 0);
        }
    }

    // The more there is to stream, the more of it is read ahead: a part of it, within a bound.
    void theRingGrowsWithWhatIsRead() {
        constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
        const auto slots_of = [&](std::size_t n_pieces) {
            const std::vector<FilePiece> of(n_pieces, FilePiece{{0, kPiece}});
            const std::uint64_t room = ReadAhead::least_ring_bytes(of.front()) / 2;
            const std::uint64_t bytes = ReadAhead::ring_bytes(of);
            return bytes % room == 0 ? bytes / room : 0;
        };
        QCOMPARE(ReadAhead::ring_bytes({}), std::uint64_t{0});
        QCOMPARE(slots_of(1), std::uint64_t{2});
        QCOMPARE(slots_of(8), std::uint64_t{2});
        QCOMPARE(slots_of(40), std::uint64_t{10});
        QCOMPARE(slots_of(1000), (std::uint64_t{64} << 20) / (kPiece + 4096));
        // Runs need room for what the disk's alignment adds to each; the largest piece decides.
        const std::vector<FilePiece> runs{{{0, 10}, {5000, 10}, {9000, 10}}, {{20'000, 10}}};
        QCOMPARE(ReadAhead::ring_bytes(runs), std::uint64_t{2 * 3 * 8192});
    }

    void endsWhileReadsAreHeld() {
        Fixture f;
        f.script->hold();
        f.ahead->seek(0);
        f.script->await_begun(2);
        std::thread later([&] { f.script->release_all(); });
        f.ahead.reset();
        later.join();
    }
};

QTEST_GUILESS_MAIN(ReadAheadTest)
#include "read_ahead_test.moc"
