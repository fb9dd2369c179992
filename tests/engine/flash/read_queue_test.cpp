#include "flash/read_queue.h"

#include <QtTest>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/output_file.h"
#include "support/fake_reads.h"
#include "support/gguf_builder.h"
#include "support/temp_dir.h"

using namespace hearth;
using test::FakeReads;
using test::ReadScript;
using Seen = std::vector<ReadScript::Seen>;

namespace {

test::Bytes random_bytes(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    test::Bytes bytes(count);
    for (std::byte& byte : bytes) {
        byte = static_cast<std::byte>(random());
    }
    return bytes;
}

// A fake of `bytes` bytes whose reads want an alignment of 512, as a disk's.
std::shared_ptr<ReadScript> script_of(std::size_t bytes) {
    auto script = std::make_shared<ReadScript>(random_bytes(bytes, bytes));
    script->facts.alignment = script->facts.memory_alignment = 512;
    script->facts.direct = true;
    return script;
}

ReadQueue open_fake(const std::shared_ptr<ReadScript>& script, ReadQueue::Options options) {
    auto queue = ReadQueue::open(std::make_unique<FakeReads>(script), options);
    Q_ASSERT(queue.has_value());
    return *std::move(queue);
}

// All that is outstanding, in the order in which it completed.
std::vector<ReadDone> take_all(ReadQueue& queue, int channel = 0) {
    std::vector<ReadDone> all(1000);
    all.resize(queue.take(all, all.size(), channel));
    return all;
}

std::vector<std::uint64_t> tickets(const std::vector<ReadDone>& done) {
    std::vector<std::uint64_t> out;
    for (const ReadDone& one : done) {
        out.push_back(one.ticket);
    }
    return out;
}

// One 512-byte sector a ticket, read at 512 * ticket.
struct Sectors {
    explicit Sectors(std::size_t count) : bytes(512 * count) {}
    ReadRequest at(std::uint64_t sector, std::uint64_t deadline = 0, int channel = 0) {
        return {512 * sector, {bytes.data() + 512 * sector, 512}, deadline, sector, channel};
    }
    test::Bytes bytes;
};

bool is_content(const test::Bytes& bytes, std::uint64_t offset, std::size_t size) {
    return std::memcmp(bytes.data(), random_bytes(size, size).data() + offset, bytes.size()) == 0;
}

}  // namespace

class ReadQueueTest : public QObject {
    Q_OBJECT

private slots:
    // Any offset, size and place, on the disk: the bytes of the file, and none beside them.
    void bytesOfTheFile_data() {
        QTest::addColumn<int>("depth");
        QTest::addColumn<quint64>("gap");
        QTest::addColumn<quint64>("largest");
        QTest::addColumn<bool>("direct");
        QTest::newRow("one at a time") << 1 << quint64{0} << quint64{64 << 10} << true;
        QTest::newRow("many") << 32 << quint64{0} << quint64{256 << 10} << true;
        QTest::newRow("merged") << 8 << quint64{64 << 10} << quint64{1 << 20} << true;
        QTest::newRow("small reads") << 8 << quint64{4096} << quint64{1000} << true;
        QTest::newRow("page cache") << 8 << quint64{4096} << quint64{64 << 10} << false;
    }
    void bytesOfTheFile() {
        QFETCH(int, depth);
        QFETCH(quint64, gap);
        QFETCH(quint64, largest);
        QFETCH(bool, direct);
        constexpr std::size_t kSize = 3'000'017;
        const test::TempDir dir;
        const test::Bytes content = random_bytes(kSize, 1);
        QVERIFY(test::write_file(dir.file("a"), content));
        auto queue = ReadQueue::open(dir.file("a"), {.depth = depth,
                                                     .merge_gap_bytes = gap,
                                                     .largest_read_bytes = largest,
                                                     .direct = direct});
        QVERIFY(queue);
        QCOMPARE(queue->size_bytes(), std::uint64_t{kSize});
        QCOMPARE(queue->direct(), queue->why_not_direct().empty());

        std::mt19937_64 random(2);
        constexpr std::size_t kRequests = 400, kGuard = 64;
        std::vector<test::Bytes> memory(kRequests);
        std::vector<ReadRequest> requests;
        std::uint64_t asked = 0;
        for (std::uint64_t i = 0; i < kRequests; ++i) {
            const std::size_t size = i % 50 == 0 ? random() % 500'000 : random() % 20'000;
            std::uint64_t offset = random() % (kSize - size + 1);
            std::size_t skip = kGuard + random() % 600;
            if (i % 3 == 0) {  // aligned
                offset &= ~std::uint64_t{4095};
                skip = kGuard;
            } else if (i % 10 == 1) {
                offset = kSize - size;
            }
            memory[i].resize(skip + size + kGuard + 4096, std::byte{0x5A});
            if (i % 3 == 0) {
                const auto at = reinterpret_cast<std::uintptr_t>(memory[i].data() + skip);
                skip += (4096 - at % 4096) % 4096;
            }
            requests.push_back({offset, {memory[i].data() + skip, size}, random() % 3, i});
            asked += size;
        }
        for (std::size_t i = 0; i < kRequests; i += 100) {
            QVERIFY(queue->submit(std::span(requests).subspan(i, 100)));
        }
        std::vector<ReadDone> done = take_all(*queue);
        QCOMPARE(done.size(), kRequests);
        for (const ReadDone& one : done) {
            QVERIFY2(one.status, one.status ? "" : one.status.error().message.c_str());
        }
        std::vector<std::uint64_t> all = tickets(done);
        std::sort(all.begin(), all.end());
        for (std::uint64_t i = 0; i < kRequests; ++i) {
            QCOMPARE(all[i], i);
            const ReadRequest& request = requests[i];
            QVERIFY2(request.to.empty() ||
                         std::memcmp(request.to.data(), content.data() + request.offset,
                                     request.to.size()) == 0,
                     qPrintable(QString::number(i)));
            const std::byte* const end = memory[i].data() + memory[i].size();
            QVERIFY(std::all_of(memory[i].data(), request.to.data(),
                                [](std::byte byte) { return byte == std::byte{0x5A}; }));
            QVERIFY(
                std::all_of(request.to.data() + request.to.size(),
                            static_cast<std::byte*>(memory[i].data() + (end - memory[i].data())),
                            [](std::byte byte) { return byte == std::byte{0x5A}; }));
        }
        const auto counters = queue->counters();
        QCOMPARE(counters.requests, std::uint64_t{kRequests});
        QCOMPARE(counters.bytes_asked, asked);
        QVERIFY(counters.bytes_read > 0 && counters.reads > 0 && counters.deepest > 0);
        QVERIFY(counters.deepest <= depth);
        QVERIFY(counters.p50_ns <= counters.p90_ns && counters.p90_ns <= counters.p99_ns);
        QVERIFY(counters.busy_ns > 0);
        QCOMPARE(queue->outstanding(), std::size_t{0});
    }

    // The counter is the kernel's.
    void bytesReadAreTheKernels() {
#ifdef __linux__
        const auto kernels = [] {
            std::ifstream io("/proc/self/io");
            std::string name;
            for (std::uint64_t value = 0; io >> name >> value;) {
                if (name == "read_bytes:") {
                    return value;
                }
            }
            return ~std::uint64_t{0};
        };
        constexpr std::size_t kSize = 16 << 20;
        const test::TempDir dir;
        {
            auto file = OutputFile::create(dir.file("a"), kSize);
            QVERIFY(file);
            QVERIFY(file->write(random_bytes(kSize, 1)));
            QVERIFY(file->commit());
        }
        auto queue = ReadQueue::open(dir.file("a"));
        QVERIFY(queue);
        if (!queue->direct() || kernels() == ~std::uint64_t{0}) {
            QSKIP("the temporary folder is not on a disk");
        }
        // Some of what the kernel counts are pages of this program: the first reads fetch them.
        constexpr std::size_t kRequests = 2000, kStride = 20'480;
        test::Bytes memory(kRequests * kStride);
        QVERIFY(queue->submit(std::array{ReadRequest{1, {memory.data() + 1, 3}, 0, 0}, ReadRequest {
                                             0,
                                             {memory.data() + 4096, 8192},
                                             0,
                                             1
                                         }}));
        take_all(*queue);
        queue->restart_counters();
        std::mt19937_64 random(3);
        std::vector<ReadRequest> requests;
        for (std::uint64_t i = 0; i < kRequests; ++i) {
            const std::size_t size = 1 + random() % 20'000;
            requests.push_back(
                {random() % (kSize - size), {memory.data() + kStride * i, size}, 0, i});
        }
        const std::uint64_t before = kernels();
        QVERIFY(queue->submit(requests));
        std::vector<ReadDone> done(kRequests);
        QCOMPARE(queue->take(done, kRequests), kRequests);
        const std::uint64_t read = kernels() - before;
        const std::uint64_t counted = queue->counters().bytes_read;
        QVERIFY(counted > 5'000'000);
        QVERIFY2(read <= counted + counted / 100 && read + read / 100 >= counted,
                 qPrintable(QString("the kernel read %1, counted %2").arg(read).arg(counted)));
#else
        QSKIP("the temporary folder is not on a disk");
#endif
    }

    // The reads of a depth of one, and their order, after a first read that holds it up.
    void order_data() {
        QTest::addColumn<quint64>("gap");
        QTest::addColumn<quint64>("largest");
        QTest::addColumn<QList<QPair<int, int>>>("requests");  // sector, deadline
        QTest::addColumn<QList<QPair<int, int>>>("reads");     // sector, sectors
        using List = QList<QPair<int, int>>;
        QTest::newRow("by deadline") << quint64{0} << quint64{512} << List{{9, 3}, {5, 1}, {1, 2}}
                                     << List{{5, 1}, {1, 1}, {9, 1}};
        QTest::newRow("equal ones in file order")
            << quint64{0} << quint64{512} << List{{9, 1}, {5, 1}, {7, 1}, {2, 2}}
            << List{{5, 1}, {7, 1}, {9, 1}, {2, 1}};
        QTest::newRow("neighbours are one read")
            << quint64{0} << quint64{1 << 20} << List{{6, 0}, {5, 0}, {7, 0}} << List{{5, 3}};
        QTest::newRow("so are those with a small gap")
            << quint64{1024} << quint64{1 << 20} << List{{5, 0}, {8, 0}} << List{{5, 4}};
        QTest::newRow("a larger gap")
            << quint64{1023} << quint64{1 << 20} << List{{5, 0}, {8, 0}} << List{{5, 1}, {8, 1}};
        QTest::newRow("another deadline")
            << quint64{1024} << quint64{1 << 20} << List{{5, 1}, {6, 0}} << List{{6, 1}, {5, 1}};
        QTest::newRow("no read is too large")
            << quint64{0} << quint64{1024} << List{{5, 0}, {6, 0}, {7, 0}} << List{{5, 2}, {7, 1}};
        QTest::newRow("the same bytes twice")
            << quint64{0} << quint64{1 << 20} << List{{5, 0}, {5, 0}} << List{{5, 1}};
    }
    void order() {
        QFETCH(quint64, gap);
        QFETCH(quint64, largest);
        using List = QList<QPair<int, int>>;
        QFETCH(List, requests);
        QFETCH(List, reads);
        constexpr std::size_t kSize = 16 * 512;
        const auto script = script_of(kSize);
        ReadQueue queue =
            open_fake(script, {.depth = 1, .merge_gap_bytes = gap, .largest_read_bytes = largest});
        script->hold();
        Sectors sectors(16);
        QVERIFY(queue.submit(std::array{sectors.at(0)}));
        script->await_begun(1);
        std::vector<ReadRequest> all;
        for (const auto& [sector, deadline] : requests) {
            all.push_back(sectors.at(static_cast<std::uint64_t>(sector),
                                     static_cast<std::uint64_t>(deadline)));
        }
        QVERIFY(queue.submit(all));
        script->release_all();
        QCOMPARE(take_all(queue).size(), all.size() + 1);
        Seen expected = {{0, 512}};
        for (const auto& [sector, count] : reads) {
            expected.push_back({static_cast<std::uint64_t>(sector) * 512,
                                static_cast<std::uint64_t>(count) * 512});
        }
        QVERIFY(script->seen() == expected);
        const test::Bytes content = random_bytes(kSize, kSize);
        for (const ReadRequest& request : all) {
            QVERIFY(std::memcmp(request.to.data(), content.data() + request.offset, 512) == 0);
        }
        const auto counters = queue.counters();
        QCOMPARE(counters.reads, std::uint64_t{expected.size()});
        std::uint64_t read = 0;
        for (const auto& one : expected) {
            read += one.bytes;
        }
        QCOMPARE(counters.bytes_read, read);
        QCOMPARE(counters.bytes_asked, std::uint64_t{512 * (all.size() + 1)});
    }

    // A read on the chance that it is wanted comes last, and holds up few others: some of it
    // at once, while the rest waits for these or becomes as urgent as all else.
    void unhurriedReads() {
        constexpr std::size_t kSize = 32 * 512;
        const auto script = script_of(kSize);
        ReadQueue queue = open_fake(
            script,
            {.depth = 8, .merge_gap_bytes = 0, .largest_read_bytes = 512, .most_unhurried = 2});
        script->hold();
        Sectors sectors(32);
        std::vector<ReadRequest> all;
        for (const std::uint64_t sector : {2, 4, 6, 8, 10}) {
            all.push_back(sectors.at(sector, ReadRequest::kUnhurried));
        }
        QVERIFY(queue.submit(all));
        script->await_begun(2);
        QVERIFY(queue.submit(std::array{sectors.at(20, 1), sectors.at(22, 1)}));
        script->await_begun(4);  // others begin at once
        QVERIFY(script->seen().size() == 4);
        const std::array wanted{all[4].ticket};
        queue.set_deadline(wanted, 0);
        script->await_begun(5);
        script->release(2 * 512);
        script->await_begun(6);  // the next one takes its place
        const Seen seen = script->seen();
        const auto begun = [&](std::uint64_t sector) {
            return std::count(seen.begin(), seen.end(), Seen::value_type{sector * 512, 512}) == 1;
        };
        QVERIFY(begun(2) && begun(4) && begun(20) && begun(22) && begun(10) && begun(6));
        QVERIFY(!begun(8));
        const std::array rest{all[3].ticket};
        queue.cancel(rest);
        script->release_all();
        std::size_t cancelled = 0;
        for (const ReadDone& done : take_all(queue)) {
            cancelled += done.status ? 0 : 1;
        }
        QCOMPARE(cancelled, std::size_t{1});
        QCOMPARE(script->seen().size(), std::size_t{6});
    }

    // Likely ones come before these, and more of them are under way, all of both together.
    void likelyReads() {
        constexpr std::size_t kSize = 32 * 512;
        const auto script = script_of(kSize);
        ReadQueue queue = open_fake(script, {.depth = 8,
                                             .merge_gap_bytes = 0,
                                             .largest_read_bytes = 512,
                                             .most_unhurried = 1,
                                             .most_likely = 3});
        script->hold();
        Sectors sectors(32);
        std::vector<ReadRequest> all;
        for (const std::uint64_t sector : {2, 4}) {
            all.push_back(sectors.at(sector, ReadRequest::kUnhurried));
        }
        for (const std::uint64_t sector : {10, 12, 14, 16}) {
            all.push_back(sectors.at(sector, ReadRequest::kLikely));
        }
        QVERIFY(queue.submit(all));
        script->await_begun(3);
        QVERIFY(queue.submit(std::array{sectors.at(20, 1)}));
        script->await_begun(4);  // what is wanted begins at once
        const auto begun = [&](std::uint64_t sector) {
            const Seen seen = script->seen();
            return std::count(seen.begin(), seen.end(), Seen::value_type{sector * 512, 512}) == 1;
        };
        QVERIFY(begun(10) && begun(12) && begun(14) && begun(20));
        script->release(2 * 512);
        script->release(10 * 512);
        script->await_begun(5);
        QVERIFY(begun(16) && !begun(2));  // three are under way again
        script->release(12 * 512);
        script->release(14 * 512);
        QTest::qWait(20);
        QVERIFY(!begun(2) && !begun(4));  // one still is
        script->release_all();
        take_all(queue);
        QVERIFY(begun(2) && begun(4));
    }

    // A request larger than a read becomes several, at once.
    void largeRequestsAreCut() {
        constexpr std::size_t kSize = 40 * 512;
        const auto script = script_of(kSize);
        ReadQueue queue = open_fake(script, {.depth = 4, .largest_read_bytes = 4096});
        script->hold();
        test::Bytes bytes(4096 * 4 - 200);
        QVERIFY(queue.submit(std::array{ReadRequest{100, bytes, 0, 7}}));
        script->await_begun(4);
        Seen seen = script->seen();
        std::sort(seen.begin(), seen.end(),
                  [](const auto& a, const auto& b) { return a.offset < b.offset; });
        QVERIFY(seen == (Seen{{0, 4096}, {4096, 4096}, {8192, 4096}, {12288, 4096}}));
        QCOMPARE(queue.counters().deepest, 4);
        std::array<ReadDone, 1> done;
        QCOMPARE(queue.take(done, 0), std::size_t{0});
        script->release_all();
        QCOMPARE(queue.take(done, 1), std::size_t{1});
        QVERIFY(done[0].status && done[0].ticket == 7);
        QVERIFY(is_content(bytes, 100, kSize));
    }

    // They complete in the order of the disk, not in that of the requests.
    void readsThatOvertakeEachOther() {
        constexpr std::size_t kSize = 16 * 512;
        const auto script = script_of(kSize);
        ReadQueue queue = open_fake(script, {.depth = 3, .merge_gap_bytes = 0});
        script->hold();
        Sectors sectors(16);
        QVERIFY(queue.submit(std::array{sectors.at(1), sectors.at(5), sectors.at(9)}));
        script->await_begun(3);
        std::vector<std::uint64_t> order;
        for (const std::uint64_t sector : {9U, 1U, 5U}) {
            script->release(512 * sector);
            std::array<ReadDone, 4> done;
            QCOMPARE(queue.take(done, 1), std::size_t{1});
            QVERIFY(done[0].status);
            order.push_back(done[0].ticket);
        }
        QVERIFY(order == (std::vector<std::uint64_t>{9, 1, 5}));
    }

    void takeWaitsForAsManyAsAsked() {
        const auto script = script_of(16 * 512);
        ReadQueue queue = open_fake(script, {.depth = 4, .merge_gap_bytes = 0});
        std::array<ReadDone, 8> done;
        QCOMPARE(queue.take(done, 1), std::size_t{0});  // nothing to wait for
        script->hold();
        Sectors sectors(16);
        QVERIFY(queue.submit(std::array{sectors.at(1), sectors.at(5), sectors.at(9)}));
        script->await_begun(3);
        std::thread other([&] {
            script->release(512 * 1);
            script->release(512 * 5);
            script->release(512 * 9);
        });
        QCOMPARE(queue.take(done, 3), std::size_t{3});
        other.join();
        QVERIFY(queue.submit(std::array<ReadRequest, 0>{}));
        QCOMPARE(queue.take(done, 5), std::size_t{0});
    }

    void cancelled() {
        constexpr std::size_t kSize = 16 * 512;
        const auto script = script_of(kSize);
        ReadQueue queue = open_fake(script, {.depth = 1, .merge_gap_bytes = 0});
        script->hold();
        Sectors sectors(16);
        QVERIFY(queue.submit(std::array{sectors.at(0)}));
        script->await_begun(1);
        QVERIFY(queue.submit(std::array{sectors.at(3), sectors.at(5), sectors.at(7)}));
        queue.cancel(std::array<std::uint64_t, 3>{5, 0, 12});
        std::array<ReadDone, 8> done;
        QCOMPARE(queue.take(done, 1), std::size_t{1});  // that in flight is not over yet
        QCOMPARE(done[0].ticket, std::uint64_t{5});
        QVERIFY(done[0].status.error().code == ErrorCode::Cancelled);
        script->release_all();
        QCOMPARE(queue.take(done, 3), std::size_t{3});
        QCOMPARE(done[0].ticket, std::uint64_t{0});
        QVERIFY(done[0].status.error().code == ErrorCode::Cancelled);
        QVERIFY(done[1].status && done[1].ticket == 3);
        QVERIFY(done[2].status && done[2].ticket == 7);
        QVERIFY(script->seen() == (Seen{{0, 512}, {3 * 512, 512}, {7 * 512, 512}}));

        script->hold();
        QVERIFY(queue.submit(std::array{sectors.at(1)}));
        script->await_begun(4);
        QVERIFY(queue.submit(std::array{sectors.at(2), sectors.at(4)}));
        queue.cancel_all();
        QCOMPARE(queue.outstanding(), std::size_t{1});
        script->release_all();
        const std::vector<ReadDone> rest = take_all(queue);
        QCOMPARE(rest.size(), std::size_t{3});
        for (const ReadDone& one : rest) {
            QVERIFY(!one.status && one.status.error().code == ErrorCode::Cancelled);
        }
        // A request with a ticket that was cancelled before is a new one.
        QVERIFY(queue.submit(std::array{sectors.at(2)}));
        QVERIFY(take_all(queue)[0].status);
        QCOMPARE(queue.counters().requests, std::uint64_t{3});
    }

    // Some outcomes of the first reads, and what comes of the request.
    void failures_data() {
        QTest::addColumn<QList<QPair<int, int>>>("outcomes");  // bytes, error
        QTest::addColumn<QString>("error");
        QTest::addColumn<int>("reads");
        using List = QList<QPair<int, int>>;
        const QString at = "fake.bin: %1 bytes at byte %2 cannot be read: ";
        const QString io = QString::fromStdString(std::system_category().message(EIO));
        QTest::newRow("good") << List{} << QString() << 1;
        QTest::newRow("fails once") << List{{0, EIO}} << QString() << 2;
        QTest::newRow("interrupted") << List{{0, EINTR}} << QString() << 2;
        QTest::newRow("fails twice") << List{{0, EIO}, {0, EIO}} << QString() << 3;
        QTest::newRow("fails three times")
            << List{{0, EIO}, {0, EIO}, {0, EIO}} << at.arg(4096).arg(1024) + io << 3;
        QTest::newRow("comes short") << List{{1024, 0}} << QString() << 2;
        QTest::newRow("short by less than a sector") << List{{1500, 0}} << QString() << 2;
        QTest::newRow("short four times")
            << List{{512, 0}, {512, 0}, {512, 0}, {512, 0}} << QString() << 5;
        QTest::newRow("short, then fails three times")
            << List{{512, 0}, {0, EIO}, {0, EIO}, {0, EIO}} << at.arg(3584).arg(1536) + io << 4;
        QTest::newRow("fails, comes short, fails")
            << List{{0, EIO}, {512, 0}, {0, EIO}} << QString() << 4;
        QTest::newRow("ends") << List{{512, 0}, {100, 0}, {100, 0}, {100, 0}}
                              << at.arg(3584).arg(1536) + "the file ends at byte 1636; it was cut"
                              << 4;
    }
    void failures() {
        using List = QList<QPair<int, int>>;
        QFETCH(List, outcomes);
        QFETCH(QString, error);
        QFETCH(int, reads);
        constexpr std::size_t kSize = 16 * 512;
        const auto script = script_of(kSize);
        script->change = error.contains("cut") ? "it was cut" : "";
        qsizetype next = 0;
        script->instead = [&](std::uint64_t, std::uint64_t) -> std::optional<ReadOutcome> {
            if (next == outcomes.size()) {
                return std::nullopt;
            }
            const auto [bytes, number] = outcomes[next++];
            return ReadOutcome{static_cast<std::uint64_t>(bytes), number};
        };
        ReadQueue queue = open_fake(script, {.depth = 1});
        test::Bytes bytes(4096);
        QVERIFY(queue.submit(std::array{ReadRequest{1024, bytes, 0, 1}}));
        const std::vector<ReadDone> done = take_all(queue);
        QCOMPARE(done.size(), std::size_t{1});
        QCOMPARE(done[0].status.has_value(), error.isEmpty());
        if (done[0].status) {
            QVERIFY(is_content(bytes, 1024, kSize));
        } else {
            QCOMPARE(QString::fromStdString(done[0].status.error().message), error);
            QVERIFY(done[0].status.error().code == ErrorCode::ReadFailed);
            QCOMPARE(done[0].status.error().path, std::string("fake.bin"));
        }
        QCOMPARE(queue.counters().reads, static_cast<std::uint64_t>(reads));
        QCOMPARE(queue.counters().retries, static_cast<std::uint64_t>(reads - 1));
    }

    // A place that cannot be read, under one of the requests of a merged read or in a gap.
    void aBadPlaceCostsItsRequestOnly() {
        constexpr std::size_t kSize = 16 * 512;
        const auto script = script_of(kSize);
        script->instead = [&](std::uint64_t offset, std::uint64_t bytes) {
            const auto covers = [&](std::uint64_t sector) {
                return offset <= 512 * sector && offset + bytes > 512 * sector;
            };
            return covers(4) || covers(6) ? std::optional(ReadOutcome{0, EIO}) : std::nullopt;
        };
        ReadQueue queue = open_fake(script, {.depth = 1});
        Sectors sectors(16);
        script->hold();
        QVERIFY(queue.submit(std::array{sectors.at(0)}));
        script->await_begun(1);
        QVERIFY(
            queue.submit(std::array{sectors.at(3), sectors.at(4), sectors.at(5), sectors.at(7)}));
        script->release_all();
        const std::vector<ReadDone> done = take_all(queue);
        QVERIFY(tickets(done) == (std::vector<std::uint64_t>{0, 3, 4, 5, 7}));
        const test::Bytes content = random_bytes(16 * 512, 16 * 512);
        const auto is_there = [&](std::uint64_t sector) {
            const std::size_t at = 512 * static_cast<std::size_t>(sector);
            return std::memcmp(sectors.bytes.data() + at, content.data() + at, 512) == 0;
        };
        for (const ReadDone& one : done) {
            QCOMPARE(one.status.has_value(), one.ticket != 4);
            QCOMPARE(is_there(one.ticket), one.ticket != 4);  // those behind the bad one, too
        }
        // The same queue reads the place when it is good again.
        script->instead = {};
        QVERIFY(queue.submit(std::array{sectors.at(4), sectors.at(6)}));
        for (const ReadDone& one : take_all(queue)) {
            QVERIFY(one.status && is_there(one.ticket));
        }
        QVERIFY(is_there(4) && is_there(6));
    }

    // No read of a request begins after another of its reads has failed for good.
    void aRequestThatFailedIsReadNoFurther() {
        const auto script = script_of(64 * 512);
        script->instead = [](std::uint64_t, std::uint64_t) { return ReadOutcome{0, EIO}; };
        ReadQueue queue = open_fake(script, {.depth = 1, .largest_read_bytes = 512});
        test::Bytes bytes(32 * 512);
        QVERIFY(queue.submit(std::array{ReadRequest{0, bytes, 0, 1}}));
        const std::vector<ReadDone> done = take_all(queue);
        QCOMPARE(done.size(), std::size_t{1});
        QVERIFY(!done[0].status);
        QCOMPARE(script->seen().size(), std::size_t{3});
    }

    void pastTheEnd() {
        constexpr std::size_t kSize = 5000;
        const auto script = script_of(kSize);
        ReadQueue queue = open_fake(script, {});
        test::Bytes last(100), beyond(100), far(100), none;
        QVERIFY(queue.submit(std::array{
            ReadRequest{4900, last, 0, 0}, ReadRequest{4901, beyond, 0, 1},
            ReadRequest{~std::uint64_t{0} - 50, far, 0, 2}, ReadRequest{5000, none, 0, 3}}));
        const std::vector<ReadDone> done = take_all(queue);
        QCOMPARE(done.size(), std::size_t{4});
        for (const ReadDone& one : done) {
            QCOMPARE(one.status.has_value(), one.ticket == 0 || one.ticket == 3);
            if (one.ticket == 1) {
                QCOMPARE(one.status.error().message,
                         std::string("fake.bin: 100 bytes at byte 4901 are wanted, "
                                     "the file has 5000"));
            }
        }
        QVERIFY(is_content(last, 4900, kSize));
        QCOMPARE(script->seen().size(), std::size_t{1});
    }

    // The real file: what is gone is an error that says so, what is there is read.
    void aFileThatIsCut() {
        const test::TempDir dir;
        const std::string path = dir.file("a");
        QVERIFY(test::write_file(path, random_bytes(100'000, 4)));
        auto queue = ReadQueue::open(path, {.merge_gap_bytes = 0});
        QVERIFY(queue);
        std::filesystem::resize_file(path, 50'000);
        test::Bytes there(1000), gone(1000), across(10'000);
        QVERIFY(queue->submit(std::array{ReadRequest{1000, there, 0, 0},
                                         ReadRequest{45'000, across, 0, 1},
                                         ReadRequest{90'000, gone, 0, 2}}));
        for (const ReadDone& one : take_all(*queue)) {
            QCOMPARE(one.status.has_value(), one.ticket == 0);
            if (one.ticket != 0) {
                const std::string& message = one.status.error().message;
                QVERIFY2(message.starts_with(path + ": ") &&
                             message.ends_with("; it has 50000 bytes now and had 100000 when it "
                                               "was opened"),
                         message.c_str());
            }
        }
        QVERIFY(!queue->change().empty());
    }

    void aFileThatIsReplaced() {
        const test::TempDir dir;
        const test::Bytes old = random_bytes(100'000, 4);
        QVERIFY(test::write_file(dir.file("a"), old));
        QVERIFY(test::write_file(dir.file("b"), random_bytes(100'000, 5)));
        auto queue = ReadQueue::open(dir.file("a"));
        QVERIFY(queue);
        std::filesystem::rename(dir.file("b"), dir.file("a"));
        test::Bytes bytes(100'000);
        QVERIFY(queue->submit(std::array{ReadRequest{0, bytes, 0, 0}}));
        QVERIFY(take_all(*queue)[0].status);
        QVERIFY(bytes == old);
        QCOMPARE(queue->change(), std::string());
    }

    void tooManyRequests() {
        const auto script = script_of(16 * 512);
        ReadQueue queue = open_fake(script, {.depth = 1, .most_requests = 3});
        script->hold();
        Sectors sectors(16);
        QVERIFY(queue.submit(std::array{sectors.at(1), sectors.at(3)}));
        const auto refused = queue.submit(std::array{sectors.at(5), sectors.at(7)});
        QVERIFY(!refused && refused.error().code == ErrorCode::OverBudget);
        QCOMPARE(queue.outstanding(), std::size_t{2});
        script->release_all();
        while (queue.outstanding() > 0) {
            std::this_thread::yield();
        }
        QVERIFY(!queue.submit(std::array{sectors.at(5), sectors.at(7)}));  // two are not taken yet
        QCOMPARE(take_all(queue).size(), std::size_t{2});
        QVERIFY(queue.submit(std::array{sectors.at(5), sectors.at(7), sectors.at(9)}));
        QCOMPARE(take_all(queue).size(), std::size_t{3});
    }

    void wrongOptions() {
        const auto open = [](ReadQueue::Options options) {
            return ReadQueue::open(std::make_unique<FakeReads>(script_of(512)), options);
        };
        QVERIFY(!open({.depth = -1}));
        QVERIFY(!open({.largest_read_bytes = 0}));
        QVERIFY(!open({.most_requests = 0}));
        QCOMPARE(open({.depth = 7})->depth(), 7);
        QCOMPARE(open({})->depth(), ReadQueue::kUsualDepth);
        QVERIFY(open({.depth = 1 << 20})->depth() <= 1024);
        const test::TempDir dir;
        QVERIFY(ReadQueue::open(dir.file("none")).error().code == ErrorCode::NotFound);
    }

    // The destructor waits for what is being read: nothing is written to what it leaves.
    void destroyedWhileReading() {
        const auto script = script_of(64 * 512);
        Sectors sectors(64);
        std::thread late;
        {
            ReadQueue queue = open_fake(script, {.depth = 2, .merge_gap_bytes = 0});
            script->hold();
            std::vector<ReadRequest> all;
            for (std::uint64_t i = 0; i < 64; i += 2) {
                all.push_back(sectors.at(i));
            }
            QVERIFY(queue.submit(all));
            script->await_begun(2);
            late = std::thread([&] { script->release_all(); });
        }
        late.join();
        const std::size_t begun = script->seen().size();
        const test::Bytes left = sectors.bytes;
        QVERIFY(begun >= 2);
        for (const ReadScript::Seen& one : script->seen()) {  // what began was waited for
            const test::Bytes sector(left.begin() + static_cast<std::ptrdiff_t>(one.offset),
                                     left.begin() + static_cast<std::ptrdiff_t>(one.offset) + 512);
            QVERIFY(is_content(sector, one.offset, 64 * 512));
        }
    }

    // Each channel completes to its own taker, and what is read first is the deadlines' matter.
    void channelsShareOneOrder() {
        constexpr std::size_t kSize = 16 * 512;
        const auto script = script_of(kSize);
        ReadQueue queue = open_fake(script, {.depth = 1, .merge_gap_bytes = 0});
        script->hold();
        Sectors sectors(16);
        QVERIFY(queue.submit(std::array{sectors.at(0)}));
        script->await_begun(1);
        QVERIFY(queue.submit(std::array{sectors.at(9, 4, 1), sectors.at(3, 2, 3)}));
        QVERIFY(queue.submit(std::array{sectors.at(5, 1, 0), sectors.at(7, 3, 0)}));
        QVERIFY(queue.submit(std::array{sectors.at(11, 2, 1), sectors.at(1, 5, 3)}));
        QCOMPARE(queue.outstanding(0), std::size_t{3});
        QCOMPARE(queue.outstanding(1), std::size_t{2});
        QCOMPARE(queue.outstanding(2), std::size_t{0});
        QCOMPARE(queue.outstanding(3), std::size_t{2});
        script->release_all();
        QVERIFY(tickets(take_all(queue, 0)) == (std::vector<std::uint64_t>{0, 5, 7}));
        QVERIFY(tickets(take_all(queue, 1)) == (std::vector<std::uint64_t>{11, 9}));
        QVERIFY(tickets(take_all(queue, 2)).empty());
        QVERIFY(tickets(take_all(queue, 3)) == (std::vector<std::uint64_t>{3, 1}));
        Seen expected;
        for (const std::uint64_t sector : {0U, 5U, 3U, 11U, 7U, 9U, 1U}) {
            expected.push_back({512 * sector, 512});
        }
        QVERIFY(script->seen() == expected);
    }

    // One read, two channels: each gets its own part.
    void aReadForTwoChannels() {
        constexpr std::size_t kSize = 16 * 512;
        const auto script = script_of(kSize);
        ReadQueue queue = open_fake(script, {.depth = 1});
        script->hold();
        Sectors sectors(16);
        QVERIFY(queue.submit(std::array{sectors.at(0)}));
        script->await_begun(1);
        QVERIFY(queue.submit(std::array{sectors.at(5, 1, 1), sectors.at(6, 1, 2)}));
        script->release_all();
        QVERIFY(tickets(take_all(queue, 1)) == (std::vector<std::uint64_t>{5}));
        QVERIFY(tickets(take_all(queue, 2)) == (std::vector<std::uint64_t>{6}));
        QVERIFY(script->seen() == (Seen{{0, 512}, {5 * 512, 1024}}));
        const test::Bytes two(sectors.bytes.begin() + 5 * 512, sectors.bytes.begin() + 7 * 512);
        QVERIFY(is_content(two, 5 * 512, kSize));
    }

    // Cancelled reads may wait or be in flight.
    void cancellingOneChannelLeavesTheOther() {
        const auto script = script_of(16 * 512);
        ReadQueue queue = open_fake(script, {.depth = 2, .merge_gap_bytes = 0});
        script->hold();
        Sectors sectors(16);
        QVERIFY(queue.submit(std::array{sectors.at(0, 0, 1), sectors.at(2, 0, 2)}));
        script->await_begun(2);
        QVERIFY(queue.submit(std::array{sectors.at(5, 1, 1), sectors.at(7, 1, 2),
                                        sectors.at(9, 2, 1), sectors.at(11, 2, 2)}));
        queue.cancel_all(1);
        queue.cancel(std::array<std::uint64_t, 2>{7, 9}, 1);  // 7 is another channel's
        const std::size_t in_flight = queue.outstanding(1), wanted = queue.outstanding(2);
        script->release_all();
        QCOMPARE(in_flight, std::size_t{1});
        QCOMPARE(wanted, std::size_t{3});
        const std::vector<ReadDone> cancelled = take_all(queue, 1);
        QCOMPARE(cancelled.size(), std::size_t{3});
        for (const ReadDone& one : cancelled) {
            QVERIFY(!one.status && one.status.error().code == ErrorCode::Cancelled);
        }
        const std::vector<ReadDone> good = take_all(queue, 2);
        QCOMPARE(good.size(), std::size_t{3});
        for (const ReadDone& one : good) {
            QVERIFY(one.status);
        }
        QCOMPARE(script->seen().size(), std::size_t{4});
    }

    // Two threads sleep at once, each for its channel: the one whose read comes wakes, whatever
    // the other waits for, and a channel that nobody takes from, full, holds up none.
    void aLateChannelHoldsUpNoOther() {
        const auto script = script_of(16 * 512);
        ReadQueue queue = open_fake(script, {.depth = 3, .merge_gap_bytes = 0, .most_requests = 2});
        script->hold();
        Sectors sectors(16);
        QVERIFY(queue.submit(std::array{sectors.at(1, 0, 1), sectors.at(3, 0, 2)}));
        script->await_begun(2);
        std::atomic<bool> late_is_over{false};
        std::thread late([&] {
            std::array<ReadDone, 1> done;
            const std::size_t count = queue.take(done, 1, 1);
            late_is_over = count == 1 && done[0].ticket == 1;
        });
        std::thread release([&] { script->release(512 * 3); });
        std::array<ReadDone, 2> done;
        QCOMPARE(queue.take(done, 2, 2), std::size_t{1});  // that is all of channel 2
        release.join();
        QCOMPARE(done[0].ticket, std::uint64_t{3});
        QVERIFY(!late_is_over);

        QVERIFY(queue.submit(std::array{sectors.at(5, 0, 0), sectors.at(7, 0, 0)}));
        QVERIFY(!queue.submit(std::array{sectors.at(9, 0, 0)}));  // its channel is full
        QVERIFY(queue.submit(std::array{sectors.at(11, 0, 2)}));
        script->release_all();
        QCOMPARE(queue.take(done, 1, 2), std::size_t{1});
        QCOMPARE(done[0].ticket, std::uint64_t{11});
        late.join();
        QVERIFY(late_is_over);
    }

    void destroyedWhileTwoChannelsRead() {
        const auto script = script_of(64 * 512);
        Sectors sectors(64);
        std::thread late;
        {
            ReadQueue queue = open_fake(script, {.depth = 2, .merge_gap_bytes = 0});
            script->hold();
            std::vector<ReadRequest> all;
            for (std::uint64_t i = 0; i < 64; i += 2) {
                all.push_back(sectors.at(i, 0, static_cast<int>(i / 2 % 2)));
            }
            QVERIFY(queue.submit(all));
            script->await_begun(2);
            queue.cancel_all(1);
            late = std::thread([&] { script->release_all(); });
        }
        late.join();
        const test::Bytes left = sectors.bytes;
        for (const ReadScript::Seen& one : script->seen()) {
            const test::Bytes sector(left.begin() + static_cast<std::ptrdiff_t>(one.offset),
                                     left.begin() + static_cast<std::ptrdiff_t>(one.offset) + 512);
            QVERIFY(is_content(sector, one.offset, 64 * 512));
        }
    }

    void moved() {
        const auto script = script_of(16 * 512);
        ReadQueue a = open_fake(script, {.depth = 1});
        Sectors sectors(16);
        script->hold();
        QVERIFY(a.submit(std::array{sectors.at(1)}));
        ReadQueue b = std::move(a);
        script->release_all();
        QCOMPARE(take_all(b).size(), std::size_t{1});
        b = open_fake(script, {.depth = 2});
        QCOMPARE(b.depth(), 2);
    }

    // Several threads submit, several take, one cancels: each request completes once.
    void manyThreads_data() {
        QTest::addColumn<int>("channels");
        QTest::newRow("one channel") << 1;
        QTest::newRow("three channels") << 3;
    }
    void manyThreads() {
        QFETCH(int, channels);
        constexpr std::size_t kSectors = 4096, kEach = 600;
        const auto script = script_of(512 * kSectors);
        ReadQueue queue = open_fake(script, {.depth = 8, .merge_gap_bytes = 512});
        Sectors sectors(kSectors);
        std::vector<std::thread> threads;
        std::atomic<std::size_t> good{0}, cancelled{0};
        std::array<std::atomic<std::size_t>, ReadQueue::kChannels> submitted{}, completed{};
        std::atomic<int> submitters{3};
        for (std::uint64_t t = 0; t < 3; ++t) {
            threads.emplace_back([&, t] {
                const int channel = static_cast<int>(t) % channels;
                for (std::uint64_t i = 0; i < kEach; i += 4) {
                    std::vector<ReadRequest> some;
                    for (std::uint64_t k = 0; k < 4; ++k) {
                        some.push_back(
                            sectors.at(((i + k) * 3 + t) * 2 % kSectors, i % 5, channel));
                    }
                    if (queue.submit(some)) {
                        submitted[static_cast<std::size_t>(channel)] += 4;
                    }
                    if (i % 40 == 0) {
                        queue.cancel(std::array{some[1].ticket}, channel);
                    }
                }
                --submitters;
            });
        }
        for (int t = 0; t < 2 * channels; ++t) {
            threads.emplace_back([&, channel = t % channels] {
                const auto own = static_cast<std::size_t>(channel);
                std::array<ReadDone, 16> done;
                while (submitters > 0 || completed[own] < submitted[own]) {
                    const std::size_t count = queue.take(done, 3, channel);
                    for (std::size_t i = 0; i < count; ++i) {
                        ++(done[i].status ? good : cancelled);
                    }
                    completed[own] += count;
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        QCOMPARE(submitted[0] + submitted[1] + submitted[2], 3 * kEach);
        QCOMPARE(good + cancelled, 3 * kEach);
        QCOMPARE(queue.counters().requests, std::uint64_t{good});
        QVERIFY(good > 2 * kEach);
    }
};

QTEST_GUILESS_MAIN(ReadQueueTest)
#include "read_queue_test.moc"
