// A mixture larger than its budget is talked to while the budget moves, reads fail and answers are
// stopped: every word is that of an engine that holds all of it.
// HEARTH_SOAK_SECONDS: for how long; without it a few rounds.
#include <hearth/engine.h>

#include <sys/syscall.h>
#include <unistd.h>
#include <QElapsedTimer>
#include <QtTest>
#include <atomic>
#include <cerrno>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "session/loaded_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

namespace {

std::atomic<int> fails_every{0};  // 0: no read does
std::atomic<int> failures_in_a_row{1};
std::atomic<std::uint64_t> reads{0};
std::atomic<std::uint64_t> failed_reads{0};

bool fails_now() {
    const int every = fails_every.load();
    const auto read = static_cast<int>(reads.fetch_add(1) % 1'000'000);
    const bool fails = every > 0 && read % every < failures_in_a_row.load();
    failed_reads += fails ? 1 : 0;
    return fails;
}

ssize_t read_at(int fd, void* to, std::size_t bytes, std::int64_t offset) {
    if (fails_now()) {
        errno = EIO;
        return -1;
    }
    return syscall(SYS_pread64, fd, to, bytes, offset);
}

}  // namespace

// The engine's reads come here instead of to the C library.
extern "C" ssize_t pread(int fd, void* to, std::size_t bytes, std::int64_t offset) {
    return read_at(fd, to, bytes, offset);
}
extern "C" ssize_t pread64(int fd, void* to, std::size_t bytes, std::int64_t offset) {
    return read_at(fd, to, bytes, offset);
}

class ExpertsSoakTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(hearth::test::TinyModel({.arch = "qwen3moe",
                                         .n_layer = 6,
                                         .n_embd = 128,
                                         .n_ff = 256,
                                         .n_ctx = 256,
                                         .n_experts = 16,
                                         .n_used_experts = 3})
                    .write(path_));
        all_ = load(std::nullopt);
        QVERIFY(all_);
        const std::uint64_t whole = all_->memory().weights.actual_bytes;
        const std::uint64_t rest = total(*all_) - whole;
        // The least tenth of the weights with which experts fit.
        for (std::uint64_t tenths = 3; tenths < 10 && !engine_; ++tenths) {
            low_ = rest + whole * tenths / 10;
            engine_ = load(low_);
        }
        QVERIFY(engine_ && engine_->flash().are_experts);
        high_ = rest + whole * 9 / 10;
        QVERIFY(low_ < high_);
    }
    void cleanup() { fails_every = 0; }

    void every_word_is_right_data() {
        QTest::addColumn<int>("every");
        QTest::addColumn<int>("in_a_row");
        QTest::newRow("a read fails now and then") << 50 << 1;
        QTest::newRow("reads fail for good") << 200 << 6;
    }
    void every_word_is_right() {
        QFETCH(int, every);
        QFETCH(int, in_a_row);
        const int seconds = qEnvironmentVariableIntValue("HEARTH_SOAK_SECONDS");
        const int rounds_most = seconds > 0 ? 1'000'000'000 : 12;
        every *= seconds > 0 ? 20 : 1;
        std::mt19937 random(3);
        const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
        std::atomic<bool> ends{false};
        std::thread mover([&, step = seconds > 0 ? 5000 : 50] {
            std::mt19937_64 budgets(5);
            while (!ends) {
                std::this_thread::sleep_for(std::chrono::milliseconds(step));
                const std::uint64_t bytes = low_ + budgets() % (high_ - low_);
                moved_ += engine_->set_budget({.ram_bytes = bytes, .vram_bytes = {}}) ? 1 : 0;
            }
        });
        failed_reads = 0;
        fails_every = every;
        failures_in_a_row = in_a_row;
        QElapsedTimer clock;
        clock.start();
        int errors = 0;
        int answers = 0;
        int stopped = 0;
        double longest_ms = 0;
        std::string problem;
        for (int round = 0; round < rounds_most && problem.empty(); ++round) {
            if (seconds > 0 && clock.elapsed() > 1000LL * seconds) {
                break;
            }
            std::string prompt;
            for (int i = below(40) + 1; i > 0; --i) {
                prompt += static_cast<char>('a' + below(26));
            }
            hearth::GenerationOptions options;
            options.max_tokens = below(30) + 2;
            options.sampling.temperature = 1.2F;
            options.sampling.seed = random();
            // Stopped somewhere, then once more, whole. Both engines do the same, since what is
            // kept of a prompt was rounded.
            const int pieces = below(12);
            const auto say = [&](hearth::Engine& engine, double& longest) {
                hearth::Cancellation stop;
                int seen = 0;
                auto last_ms = static_cast<double>(clock.elapsed());
                return engine.complete(
                    prompt, options,
                    [&](std::string_view) {
                        const auto now = static_cast<double>(clock.elapsed());
                        longest = std::max(longest, now - last_ms);
                        last_ms = now;
                        if (++seen == pieces) {
                            stop.request();
                        }
                    },
                    stop);
            };
            fails_every = 0;
            double unused = 0;
            const auto wanted = say(*all_, unused);
            fails_every = every;
            const auto first = say(*engine_, longest_ms);
            fails_every = 0;
            if (!wanted) {
                problem = wanted.error().message;
            } else if (first) {
                ++stopped;
                if (first->token_ids != wanted->token_ids) {
                    problem = "another word before the stop";
                }
            } else if (first.error().code != hearth::ErrorCode::ReadFailed ||
                       first.error().message.empty()) {
                problem = first.error().message;
            } else {
                ++errors;
                all_->impl().session->clear();
                engine_->impl().session->clear();
            }
            // An answer that failed is followed by one that does not, as soon as reads succeed.
            const auto whole = all_->complete(prompt, options, {}, never_);
            const auto again = engine_->complete(prompt, options, {}, never_);
            if (!whole || !again) {
                problem = (whole ? again : whole).error().message;
            } else if (again->token_ids != whole->token_ids) {
                problem = "another word in round " + std::to_string(round);
            }
            ++answers;
            // The budget may just be moving.
            const bool fits = QTest::qWaitFor([this] {
                const hearth::MemoryReport memory = engine_->memory();
                return engine_->carry_out_budget() && !memory.budget_waits &&
                       memory.used_bytes() <= memory.ram_budget_bytes;
            });
            if (!fits) {
                problem = "more is held than the budget allows";
            }
        }
        fails_every = 0;
        ends = true;
        mover.join();
        QVERIFY2(problem.empty(), problem.c_str());
        qInfo(
            "%d answers, %d stopped, %d ended by reads, %llu reads failed, budget moved %d times, "
            "longest wait for a piece %.0f ms",
            answers, stopped, errors, static_cast<unsigned long long>(failed_reads.load()),
            moved_.load(), longest_ms);
        QVERIFY(failed_reads > 0);
        QVERIFY(moved_ > 0);
        QCOMPARE(errors > 0, in_a_row > 2);  // a read is tried three times
    }

private:
    static std::uint64_t total(hearth::Engine& engine) {
        const hearth::MemoryReport memory = engine.memory();
        return memory.weights.actual_bytes + memory.kv.actual_bytes + memory.scratch.actual_bytes;
    }
    std::unique_ptr<hearth::Engine> load(std::optional<std::uint64_t> ram_bytes) const {
        hearth::EngineOptions options;
        options.model_path = path_;
        options.gpu = "none";
        options.threads = 2;
        options.ram_bytes = ram_bytes;
        auto engine = hearth::Engine::load(options);
        return engine ? std::move(*engine) : nullptr;
    }

    hearth::test::TempDir folder_;
    std::string path_ = folder_.file("mixture.gguf");
    std::unique_ptr<hearth::Engine> all_, engine_;
    std::uint64_t low_ = 0, high_ = 0;
    std::atomic<int> moved_{0};
    hearth::Cancellation never_;
};

QTEST_GUILESS_MAIN(ExpertsSoakTest)
#include "experts_soak_test.moc"
