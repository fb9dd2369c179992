#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <hearth/tools.h>

#include "base/guarded.h"
#include "hardware/memory_info.h"
#include "session/loaded_model.h"

namespace hearth::tools {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

double seconds_since(Clock::time_point start) {
    return Seconds(Clock::now() - start).count();
}

// Sets budgets on a thread of its own while it lives.
class Mover {
public:
    Mover(Engine& engine, const BudgetMoves& moves)
        : engine_(engine), moves_(moves), random_(moves.seed), thread_([this] { run(); }) {}
    ~Mover() { stop(); }
    Mover(const Mover&) = delete;
    Mover& operator=(const Mover&) = delete;

    void stop() {
        {
            const std::lock_guard lock(mutex_);
            stopped_ = true;
        }
        changed_.notify_all();
        if (thread_.joinable()) {
            thread_.join();
        }
    }
    // After stop().
    void note(MovedBudgetReport& report) const {
        report.changes = changes_;
        report.refused = refused_;
        report.refusal = refusal_;
        report.least_bytes = least_;
        report.most_bytes = most_;
    }

private:
    void run() {
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, Seconds(moves_.every_s), [this] { return stopped_; })) {
            lock.unlock();
            move();
            lock.lock();
        }
    }

    void move() {
        const std::uint64_t bytes = std::uniform_int_distribution<std::uint64_t>(
            moves_.least_bytes, moves_.most_bytes)(random_);
        least_ = changes_ == 0 ? bytes : std::min(least_, bytes);
        most_ = std::max(most_, bytes);
        ++changes_;
        if (const auto done = engine_.set_budget({.ram_bytes = bytes}); !done) {
            ++refused_;
            refusal_ = done.error().message;
        }
    }

    Engine& engine_;
    const BudgetMoves moves_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopped_ = false;
    // Of the thread until it has ended.
    std::mt19937_64 random_;
    std::uint64_t changes_ = 0, refused_ = 0, least_ = 0, most_ = 0;
    std::string refusal_;
    std::thread thread_;  // last: it uses the others
};

// What the process holds, at most once a second while it computes.
class RssSamples {
public:
    void look() {
        if (samples_.empty() || seconds_since(start_) - samples_.back().at_s >= 1) {
            take();
        }
    }
    void take() { samples_.push_back({seconds_since(start_), rss_bytes()}); }
    std::uint64_t first() const { return samples_.front().bytes; }
    MovedBudgetReport::Held between(double from_s, double to_s) const {
        std::vector<std::uint64_t> bytes;
        for (const Sample& sample : samples_) {
            if (sample.at_s >= from_s && sample.at_s <= to_s) {
                bytes.push_back(sample.bytes);
            }
        }
        if (bytes.empty()) {
            return {};
        }
        std::sort(bytes.begin(), bytes.end());
        return {bytes[bytes.size() / 2], bytes.back()};
    }

private:
    struct Sample {
        double at_s = 0;
        std::uint64_t bytes = 0;
    };
    const Clock::time_point start_ = Clock::now();
    std::vector<Sample> samples_;
};

Result<MovedBudgetReport> run(Engine& engine, const BenchOptions& options, const BudgetMoves& moves,
                              const Cancellation& cancellation) {
    LoadedModel& impl = engine.impl();
    Session& session = *impl.session;
    if (moves.least_bytes > moves.most_bytes || !(moves.seconds > 0) || !(moves.every_s > 0) ||
        options.prefill_tokens < 0 || options.decode_tokens < 1 || options.depth_tokens != 0) {
        return Error{ErrorCode::InvalidArgument,
                     "a moving budget needs a time, a least that is not above the most, and tokens "
                     "to decode",
                     {},
                     "move-budget"};
    }
    const int needed = std::max(options.prefill_tokens, 1) + options.decode_tokens;
    if (needed > impl.plan.n_ctx) {
        return Error{ErrorCode::InvalidArgument,
                     "an answer needs " + std::to_string(needed) +
                         " tokens of context, the model was loaded with " +
                         std::to_string(impl.plan.n_ctx),
                     {},
                     "bench"};
    }
    std::mt19937 random(1);
    std::vector<TokenId> prompt(static_cast<std::size_t>(std::max(options.prefill_tokens, 1)));
    for (TokenId& token : prompt) {
        token = static_cast<TokenId>(random() % static_cast<std::uint32_t>(impl.spec.n_vocab));
    }
    Sampler sampler(options.sampling, impl.spec.n_vocab);
    MovedBudgetReport report;
    RssSamples rss;
    std::vector<double> pauses;  // s
    rss.look();
    const auto start = Clock::now();
    Mover mover(engine, moves);
    while (seconds_since(start) < moves.seconds) {
        ++report.answers;
        impl.choose_paths();
        session.clear();
        auto before = Clock::now();
        if (auto done = session.append(prompt, cancellation); !done) {
            return std::move(done).error();
        }
        for (int i = 0; i < options.decode_tokens && seconds_since(start) < moves.seconds; ++i) {
            const auto token = session.draw(sampler, session.cached_tokens(), cancellation);
            if (!token) {
                return token.error();
            }
            const double pause = seconds_since(before);
            before = Clock::now();
            if (i == 0) {
                report.longest_prompt_ms = std::max(report.longest_prompt_ms, pause * 1e3);
            } else {
                pauses.push_back(pause);
            }
            ++report.tokens;
            if (auto done = session.decode_one(*token, cancellation); !done) {
                return std::move(done).error();
            }
            rss.look();
        }
    }
    mover.stop();
    report.seconds = seconds_since(start);
    rss.take();
    mover.note(report);
    session.clear();
    report.rss_at_start = rss.first();
    report.rss_at_end = rss_bytes();
    report.first_sixth = rss.between(0, report.seconds / 6);
    report.last_sixth =
        rss.between(report.seconds * 5 / 6, std::numeric_limits<double>::infinity());
    std::sort(pauses.begin(), pauses.end());
    const auto pause_at = [&](std::size_t percent) {
        return pauses.empty() ? 0 : pauses[(pauses.size() - 1) * percent / 100] * 1e3;
    };
    report.pause_p50_ms = pause_at(50);
    report.pause_p99_ms = pause_at(99);
    report.longest_pause_ms = pause_at(100);
    return report;
}

}  // namespace

Result<MovedBudgetReport> bench_moving_budget(Engine& engine, const BenchOptions& options,
                                              const BudgetMoves& moves,
                                              const Cancellation& cancellation) {
    return guarded_naming(engine.impl().info.path,
                          [&] { return run(engine, options, moves, cancellation); });
}

}  // namespace hearth::tools
