// A job brings the chosen rows of its sources, each once, to the place that its form gives them;
// what is no number is refused with its row in the file.
#include "memory/weight_job.h"

#include <QtTest>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>
#include <vector>

#include "base/assert.h"
#include "support/temp_dir.h"

using namespace hearth;

namespace {

constexpr std::uint64_t kCols = 32;
constexpr std::uint64_t kRowBytes = kCols * sizeof(float);
constexpr std::uint64_t kHead = 100;  // bytes before the first tensor

float value_of(std::uint64_t tensor, std::uint64_t row, std::uint64_t col) {
    return static_cast<float>(10'000 * (tensor + 1) + 100 * row + col);
}

// Rows one after the other, of `n_turns` jobs' matrices in turns; counts what it was given.
class Plain final : public WeightForm {
public:
    explicit Plain(std::uint64_t turn = 0, std::uint64_t n_turns = 1, std::uint64_t room = 0)
        : turn_(turn), n_turns_(n_turns), room_(room) {}
    std::uint64_t room_bytes(const Weight&) const override { return room_; }
    void put(const FormRows& rows, std::byte* base) const override {
        HEARTH_ASSERT(rows.room.size() >= room_);
        n_rows += rows.count;
        const std::uint64_t bytes = rows.n_cols * sizeof(float);
        for (std::uint64_t i = 0; i < rows.count; ++i) {
            std::memcpy(base + ((rows.first + i) * n_turns_ + turn_) * bytes,
                        rows.rows + i * rows.stride + rows.first_col * sizeof(float), bytes);
        }
    }
    mutable std::atomic<std::uint64_t> n_rows = 0;

private:
    std::uint64_t turn_, n_turns_, room_;
};

// Reads as FileRows does, and knows how often each byte was read.
class CountingRows final : public RowSource {
public:
    explicit CountingRows(const InputFile& file)
        : reads_(file), n_reads_(static_cast<std::size_t>(file.size_bytes())) {}
    Result<std::span<const std::byte>> take(std::size_t task, const FilePiece& piece,
                                            std::span<std::byte> room) override {
        for (const FileRange& run : piece) {
            for (std::uint64_t i = run.offset; i < run.offset + run.bytes; ++i) {
                ++n_reads_[static_cast<std::size_t>(i)];
            }
        }
        return reads_.take(task, piece, room);
    }
    void give_back(std::size_t) override { ++n_given_back; }
    void will_take(const FileRange&) override { ++n_announced; }
    int reads_of(std::uint64_t byte) const { return n_reads_[static_cast<std::size_t>(byte)]; }

    std::atomic<int> n_given_back = 0;
    int n_announced = 0;

private:
    FileRows reads_;
    std::vector<std::atomic<int>> n_reads_;
};

}  // namespace

class WeightJobTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        std::ofstream out(path_, std::ios::binary);
        out << std::string(kHead, 'x');
        for (std::uint64_t t = 0; t < 2; ++t) {
            tensors_[t].name = "t" + std::to_string(t);
            tensors_[t].shape = {kRows, kCols};
            tensors_[t].offset = kHead + t * kRows * kRowBytes;
            tensors_[t].bytes = kRows * kRowBytes;
            for (std::uint64_t r = 0; r < kRows; ++r) {
                for (std::uint64_t c = 0; c < kCols; ++c) {
                    const float value = t == 1 && r == kBadRow
                                            ? std::numeric_limits<float>::infinity()
                                            : value_of(t, r, c);
                    out.write(reinterpret_cast<const char*>(&value), sizeof value);
                }
            }
        }
        out.close();
        auto file = InputFile::open(path_);
        QVERIFY(file);
        file_ = std::move(*file);
    }

    // Some rows of one tensor, some of their columns, in an order of its own, by one thread and by
    // several, with a last task that is smaller.
    void chosenRowsOfChosenColumns() {
        std::vector<int> order(kRows);
        std::iota(order.rbegin(), order.rend(), 0);
        std::swap(order[3], order[9]);
        for (const int threads : {1, 3}) {
            for (const bool ordered : {false, true}) {
                ThreadPool pool(threads);
                const Plain form;
                const RowChoice rows{
                    17, 2, ordered ? std::span<const int>(order) : std::span<const int>{}};
                const WeightJob job({source(0, rows)}, {{whole(tensors_[0]), 0, &form, 8, 8, 16}},
                                    5);
                QCOMPARE(job.n_tasks(), std::size_t{4});
                QCOMPARE(job.task_bytes(), 5 * kRowBytes);
                QCOMPARE(job.file_bytes(), 17 * kRowBytes);
                CountingRows reads(file_);
                std::vector<std::byte> held(8 + 17 * 16 * sizeof(float));
                QVERIFY(run(job, reads, pool, held, true));
                QCOMPARE(reads.n_given_back, 4);
                QCOMPARE(reads.n_announced, ordered ? 1 : 0);
                QCOMPARE(form.n_rows, std::uint64_t{17});
                for (std::uint64_t i = 0; i < 17; ++i) {
                    const std::uint64_t row = rows.in_file(i);
                    QCOMPARE(reads.reads_of(tensors_[0].offset + row * kRowBytes), 1);
                    for (std::uint64_t c = 0; c < 16; ++c) {
                        QCOMPARE(value_at(held, 8 + (i * 16 + c) * sizeof(float)),
                                 value_of(0, row, 8 + c));
                    }
                }
                QCOMPARE(reads.reads_of(tensors_[0].offset), 0);
            }
        }
    }

    // Runs of rows between which others stand, in the file's order and in another one. The row
    // that is told is the tensor's, also where a weight begins behind others' rows.
    void runsThatLieApart() {
        const std::vector<int> order{2, 0, 3, 1};
        const Plain form;
        ThreadPool pool(2);
        for (const bool ordered : {false, true}) {
            const RowChoice rows{
                6, 2, ordered ? std::span<const int>(order) : std::span<const int>{}, 2, 5};
            const WeightJob job({source(0, rows)}, {{whole(tensors_[0]), 0, &form, 0, 0, kCols}},
                                4);
            CountingRows reads(file_);
            std::vector<std::byte> held(6 * kRowBytes);
            QVERIFY(run(job, reads, pool, held, true));
            const std::array<std::uint64_t, 6> wanted =
                ordered ? std::array<std::uint64_t, 6>{0, 1, 15, 16, 5, 6}
                        : std::array<std::uint64_t, 6>{5, 6, 10, 11, 15, 16};
            for (std::uint64_t i = 0; i < 6; ++i) {
                QCOMPARE(rows.in_file(i), wanted[i]);
                QCOMPARE(value_at(held, i * kRowBytes), value_of(0, wanted[i], 0));
            }
        }
        Weight behind = whole(tensors_[1]);
        behind.offset = 3 * behind.stride;
        behind.rows = kRows - 3;
        const WeightJob job({{behind.in_file(), kRowBytes, kRowBytes, {kRows - 3, 0, {}}}},
                            {{behind, 0, &form, 0, 0, kCols}}, 4);
        std::vector<std::byte> held(kRows * kRowBytes);
        CountingRows reads(file_);
        const auto refused = run(job, reads, pool, held, true);
        QVERIFY(!refused);
        QVERIFY2(
            refused.error().message.find("row " + std::to_string(kBadRow)) != std::string::npos,
            refused.error().message.c_str());
    }

    // Rows of two tensors are read together, each into its own matrix or in turns into one.
    void twoSourcesInTurns() {
        ThreadPool pool(2);
        const Plain first(0, 2);
        const Plain second(1, 2, 64);
        const RowChoice rows{10, 1, {}};
        const WeightJob job({source(0, rows), source(1, rows)},
                            {{whole(tensors_[0]), 0, &first, 0, 0, kCols},
                             {whole(tensors_[1]), 1, &second, 0, 0, kCols}},
                            4);
        QCOMPARE(job.file_bytes(), 20 * kRowBytes);
        CountingRows reads(file_);
        std::vector<std::byte> held(20 * kRowBytes);
        QVERIFY(run(job, reads, pool, held, true));
        for (std::uint64_t i = 0; i < 20; ++i) {
            QCOMPARE(value_at(held, i * kRowBytes), value_of(i % 2, 1 + i / 2, 0));
        }
    }

    // The message has the row of the file. Whoever does not ask is not told; the next run works.
    void whatIsNoNumberIsRefused() {
        ThreadPool pool(2);
        const Plain form;
        const WeightJob job({source(1, {kRows, 0, {}})},
                            {{whole(tensors_[1]), 0, &form, 0, 0, kCols}}, 4);
        std::vector<std::byte> held(kRows * kRowBytes);
        CountingRows reads(file_);
        const auto refused = run(job, reads, pool, held, true);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::BadFile);
        QVERIFY2(refused.error().message.find("t1") != std::string::npos &&
                     refused.error().message.find(std::to_string(kBadRow)) != std::string::npos,
                 refused.error().message.c_str());
        QVERIFY(run(job, reads, pool, held, false));
        QCOMPARE(value_at(held, 0), value_of(1, 0, 0));
    }

private:
    static constexpr std::uint64_t kRows = 23;
    static constexpr std::uint64_t kBadRow = 13;

    WeightJob::Source source(std::size_t tensor, const RowChoice& rows) const {
        return {tensors_[tensor].offset, kRowBytes, kRowBytes, rows};
    }
    static Result<void> run(const WeightJob& job, RowSource& reads, ThreadPool& pool,
                            std::vector<std::byte>& held, bool check) {
        std::vector<std::vector<std::byte>> staging(static_cast<std::size_t>(pool.n_threads()));
        return job.run(reads, pool, staging, check, held.data());
    }
    static float value_at(const std::vector<std::byte>& bytes, std::uint64_t at) {
        float value = 0;
        std::memcpy(&value, bytes.data() + at, sizeof value);
        return value;
    }

    test::TempDir dir_;
    std::string path_ = dir_.file("rows");
    std::array<TensorInfo, 2> tensors_;
    InputFile file_;
};

QTEST_GUILESS_MAIN(WeightJobTest)
#include "weight_job_test.moc"
