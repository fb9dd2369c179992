// Thresholds below which a wished share of a feed-forward block's inputs lies on a text.
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include <hearth/tools.h>

#include "base/guarded.h"
#include "base/output_file.h"
#include "model/model_hash.h"
#include "model/threshold_file.h"
#include "session/loaded_model.h"
#include "session/processor.h"
#include "tools/observe_text.h"

namespace hearth::tools {
namespace {

// How often each size of number came, in bins of a 256th of their size: a number's upper bits are
// its logarithm. Together with the exponent they are 16.
class Sizes {
public:
    Sizes() : counts_(std::size_t{1} << 16) {}

    void add(const float* values, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) {
            ++counts_[bin(values[i])];
        }
        total_ += n;
    }
    // The bins' border below which the share that is nearest to `share` lies.
    float quantile(double share) const {
        const double wanted = share * static_cast<double>(total_);
        double below = 0;
        std::size_t border = 0;
        while (border < counts_.size() &&
               below + static_cast<double>(counts_[border]) / 2 < wanted) {
            below += static_cast<double>(counts_[border++]);
        }
        return std::bit_cast<float>(static_cast<std::uint32_t>(border) << kDropped);
    }
    double share_below(float threshold) const {
        std::uint64_t below = 0;
        for (std::size_t i = 0; i < bin(threshold); ++i) {
            below += counts_[i];
        }
        return static_cast<double>(below) / static_cast<double>(total_);
    }

private:
    static constexpr unsigned kDropped = 15;  // of 31 bits without the sign
    static std::size_t bin(float value) {
        return (std::bit_cast<std::uint32_t>(value) & 0x7FFFFFFFU) >> kDropped;
    }
    std::vector<std::uint64_t> counts_;
    std::uint64_t total_ = 0;
};

class SizeCounter : public FeedForwardObserver {
public:
    explicit SizeCounter(const ModelSpec& spec, ThreadPool& pool)
        : n_embd_(static_cast<std::size_t>(spec.n_embd)),
          pool_(pool),
          input(static_cast<std::size_t>(spec.n_layer())),
          hidden(input.size()) {}

    void observed(const FeedForwardRecord& record) override {
        const auto layer = static_cast<std::size_t>(record.layer);
        const auto n_tokens = static_cast<std::size_t>(record.n_tokens);
        pool_.run(2, [&](int part, int) {
            if (part == 0) {
                hidden[layer].add(record.hidden, n_tokens * static_cast<std::size_t>(record.n_ff));
            } else {
                input[layer].add(record.normed, n_tokens * n_embd_);
            }
        });
    }

private:
    const std::size_t n_embd_;
    ThreadPool& pool_;

public:
    std::vector<Sizes> input, hidden;
};

Result<CalibrationReport> calibrate_text(Engine& engine, std::string_view text,
                                         const CalibrationOptions& options,
                                         const std::function<void(int done, int windows)>& progress,
                                         const Cancellation& cancellation) {
    LoadedModel& impl = engine.impl();
    if (!(options.sparsity >= 0 && options.sparsity < 1)) {
        return Error{
            ErrorCode::InvalidArgument,
            "the sparsity is " + std::to_string(options.sparsity) + ", must be from 0 to below 1",
            {},
            "sparsity"};
    }
    if (auto possible = check_thresholds(impl.spec, impl.tensors); !possible) {
        return std::move(possible).error();
    }
    auto tokens = tokens_to_observe(impl, text, options.max_tokens, options.n_ctx);
    if (!tokens) {
        return std::move(tokens).error();
    }
    // Minutes of counting are not to end with a folder that does not exist: made, and removed.
    if (auto writable = OutputFile::create(options.output_path, 0); !writable) {
        return std::move(writable).error();
    }
    auto hash = model_hash(impl.file);
    if (!hash) {
        return std::move(hash).error();
    }
    SizeCounter counter(impl.spec, *impl.pool);
    if (auto seen = observe_tokens(impl, counter, *tokens, options.n_ctx, progress, cancellation);
        !seen) {
        return std::move(seen).error();
    }
    Thresholds thresholds{.model_hash = *std::move(hash),
                          .sparsity = options.sparsity,
                          .tokens = tokens->size(),
                          .input = {},
                          .hidden = {}};
    CalibrationReport report{
        .model_hash = thresholds.model_hash, .tokens = thresholds.tokens, .layers = {}};
    for (std::size_t i = 0; i < counter.input.size(); ++i) {
        const float input = counter.input[i].quantile(options.sparsity);
        const float hidden = counter.hidden[i].quantile(options.sparsity);
        if (!std::isfinite(input) || !std::isfinite(hidden)) {
            return Error{ErrorCode::BadFile,
                         "the model computes no numbers: its weights are damaged", impl.info.path,
                         "blk." + std::to_string(i)};
        }
        thresholds.input.push_back(input);
        thresholds.hidden.push_back(hidden);
        report.layers.push_back({.index = static_cast<int>(i),
                                 .input_threshold = static_cast<double>(input),
                                 .hidden_threshold = static_cast<double>(hidden),
                                 .input_below = counter.input[i].share_below(input),
                                 .hidden_below = counter.hidden[i].share_below(hidden)});
    }
    if (auto written = write_thresholds(options.output_path, thresholds); !written) {
        return std::move(written).error();
    }
    return report;
}

}  // namespace

Result<CalibrationReport> calibrate(Engine& engine, std::string_view text,
                                    const CalibrationOptions& options,
                                    const std::function<void(int done, int windows)>& progress,
                                    const Cancellation& cancellation) {
    return guarded_naming(engine.impl().info.path, [&] {
        return calibrate_text(engine, text, options, progress, cancellation);
    });
}

}  // namespace hearth::tools
