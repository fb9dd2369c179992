#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <hearth/tools.h>

#include "base/guarded.h"
#include "hardware/memory_info.h"
#include "hardware/process_time.h"
#include "model/past_shape.h"
#include "session/decode_statistics.h"
#include "session/loaded_model.h"

namespace hearth::tools {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// The same made-up prompt every time: what a token is does not change what it costs.
std::vector<TokenId> random_tokens(int count, int n_vocab) {
    std::mt19937 random(1);
    std::vector<TokenId> tokens(static_cast<std::size_t>(count));
    for (TokenId& token : tokens) {
        token = static_cast<TokenId>(random() % static_cast<std::uint32_t>(n_vocab));
    }
    return tokens;
}

// What was read and what the processor did while tokens were decoded.
class DecodeMeter {
public:
    explicit DecodeMeter(const Executor& executor) : executor_(executor) {}

    void begin() {
        before_ = executor_.flash();
        processor_s_before_ = process_seconds();
    }
    void end(int n_tokens, double seconds) {
        const FlashReads after = executor_.flash();
        const auto since = [&](std::uint64_t FlashReads::*counter) {
            return static_cast<double>(after.*counter - before_.*counter);
        };
        sums_.reads += since(&FlashReads::reads);
        sums_.bytes += since(&FlashReads::bytes);
        sums_.hits += since(&FlashReads::neuron_hits);
        sums_.misses += since(&FlashReads::neuron_misses);
        busy_s_ += since(&FlashReads::busy_ns) / 1e9;
        processor_s_ += process_seconds() - processor_s_before_;
        seconds_ += seconds;
        n_tokens_ += n_tokens;
    }
    void report(BenchReport& report) const {
        if (n_tokens_ == 0) {
            return;
        }
        const auto n = static_cast<double>(n_tokens_);
        report.flash = {sums_.reads / n, sums_.bytes / n, sums_.hits / n, sums_.misses / n,
                        std::max(0.0, 1 - busy_s_ / seconds_)};
        report.processor_ms_per_token = processor_s_ / n * 1000.0;
    }

private:
    const Executor& executor_;
    FlashReads before_;
    BenchReport::Flash sums_;
    double processor_s_before_ = 0, processor_s_ = 0, busy_s_ = 0, seconds_ = 0;
    int n_tokens_ = 0;
};

// Each repetition is another answer: tokens of one that was given before find in the cache what
// they read then.
SamplingOptions sampling_of(int repetition, const BenchOptions& options) {
    SamplingOptions sampling = options.sampling;
    if (sampling.seed != 0) {
        sampling.seed += static_cast<std::uint64_t>(repetition + 1);
    }
    return sampling;
}

// Adds what the decoded tokens read of the past, in the mean.
void add_past_bytes(const LoadedModel& impl, const BenchOptions& options, BenchReport& report) {
    for (int l = 0; l < impl.spec.n_layer() && options.decode_tokens > 0; ++l) {
        const bool on_gpu = impl.plan.placement.attention_in_vram(l);
        const LayerSpec& layer = impl.spec.layer(l);
        std::uint64_t bytes = 0;
        for (int i = 0; i < options.decode_tokens; ++i) {
            const int positions = options.depth_tokens + i;
            // A GPU keeps latents once.
            bytes += on_gpu && layer.is_latent() ? past_shape(layer, positions).key_bytes(positions)
                                                 : past_read_bytes(layer, positions);
        }
        std::uint64_t& of_unit = on_gpu ? report.vram_bytes_per_token : report.ram_bytes_per_token;
        of_unit += bytes / static_cast<std::uint64_t>(options.decode_tokens);
    }
}

Result<BenchReport> measure(Engine& engine, const BenchOptions& options,
                            const Cancellation& cancellation) {
    LoadedModel& impl = engine.impl();
    Session& session = *impl.session;
    if (options.prefill_tokens < 0 || options.decode_tokens < 0 || options.depth_tokens < 0 ||
        options.repetitions < 1) {
        return Error{ErrorCode::InvalidArgument, "a test has no negative length", {}, "bench"};
    }
    if (bench_context(options) > impl.plan.n_ctx) {
        return Error{ErrorCode::InvalidArgument,
                     "the test needs " + std::to_string(bench_context(options)) +
                         " tokens of context, the model was loaded with " +
                         std::to_string(impl.plan.n_ctx),
                     {},
                     "bench"};
    }
    BenchReport report;
    report.depth_tokens = options.depth_tokens;
    report.prefill.tokens = options.prefill_tokens;
    report.decode.tokens = options.decode_tokens;
    const std::vector<TokenId> prompt = random_tokens(options.prefill_tokens, impl.spec.n_vocab);
    const auto depth = static_cast<std::size_t>(options.depth_tokens);

    // Filling a long context takes longer than all tests after it: once, and every test goes back.
    DecodeMeter meter(*impl.executor);
    session.clear();
    if (depth > 0) {
        const auto filling = random_tokens(options.depth_tokens, impl.spec.n_vocab);
        if (auto done = session.append(filling, cancellation); !done) {
            return std::move(done).error();
        }
    }
    for (int repetition = -1; repetition < options.repetitions; ++repetition) {
        const bool warm_up = repetition < 0;
        const SamplingOptions sampling = sampling_of(repetition, options);
        // Each repetition is an answer of its own; what the warm-up counted chooses its paths.
        impl.choose_paths();
        if (repetition == 0) {
            reset_decode_statistics(impl);
        }
        if (options.prefill_tokens > 0) {
            Sampler sampler(sampling, impl.spec.n_vocab);
            session.truncate(depth);
            const auto start = Clock::now();
            if (auto done = session.append(prompt, cancellation); !done) {
                return std::move(done).error();
            }
            const double prefill_s = seconds_since(start);
            if (auto token = session.draw(sampler, prompt, cancellation); !token) {
                return std::move(token).error();
            }
            if (!warm_up) {
                report.prefill.runs_per_s.push_back(options.prefill_tokens / prefill_s);
                report.ttft_ms.push_back(seconds_since(start) * 1000.0);
            }
        }
        if (options.decode_tokens > 0) {
            // From the same context, so that the figure does not depend on the prefill test.
            Sampler sampler(sampling, impl.spec.n_vocab);
            session.truncate(depth);
            TokenId token = impl.tokenizer->bos() >= 0 ? impl.tokenizer->bos() : 0;
            double total_s = 0;
            meter.begin();
            for (int i = 0; i < options.decode_tokens; ++i) {
                const auto start = Clock::now();
                if (auto done = session.decode_one(token, cancellation); !done) {
                    return std::move(done).error();
                }
                auto next = session.draw(sampler, session.cached_tokens(), cancellation);
                if (!next) {
                    return std::move(next).error();
                }
                token = *next;
                const double token_s = seconds_since(start);
                total_s += token_s;
                if (!warm_up) {
                    report.latency_ms.push_back(token_s * 1000.0);
                }
            }
            if (!warm_up) {
                report.decode.runs_per_s.push_back(options.decode_tokens / total_s);
                meter.end(options.decode_tokens, total_s);
            }
        }
    }
    session.clear();
    auto decoded = decode_statistics(impl);
    if (!decoded) {
        return std::move(decoded).error();
    }
    report.decoded = std::move(*decoded);
    meter.report(report);
    report.ram_bytes_per_token = report.decoded.ram_weight_bytes;
    report.vram_bytes_per_token = report.decoded.vram_weight_bytes;
    add_past_bytes(impl, options, report);
    return report;
}

}  // namespace

std::uint64_t peak_rss_bytes() {
    return hearth::peak_rss_bytes();
}

int bench_context(const BenchOptions& options) {
    const std::int64_t needed =
        std::int64_t{options.depth_tokens} +
        std::max(std::int64_t{options.prefill_tokens}, std::int64_t{options.decode_tokens} + 1);
    return static_cast<int>(std::min<std::int64_t>(needed, std::numeric_limits<int>::max()));
}

Result<BenchReport> bench(Engine& engine, const BenchOptions& options,
                          const Cancellation& cancellation) {
    return guarded_naming(engine.impl().info.path,
                          [&] { return measure(engine, options, cancellation); });
}

}  // namespace hearth::tools
