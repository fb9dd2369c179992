// Counts how often each neuron fires on a text, and writes the counts as a side file.
#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <hearth/tools.h>

#include "base/guarded.h"
#include "base/output_file.h"
#include "engine_impl.h"
#include "gguf/printable.h"
#include "model/model_hash.h"
#include "model/packed_layout.h"
#include "plan/profile_file.h"
#include "tools/activation_counter.h"

namespace hearth::tools {
namespace {

// The executor shows its blocks to the counter while this lives.
class Observation {
public:
    Observation(Executor& executor, FeedForwardObserver& observer) : executor_(executor) {
        executor_.observe(&observer);
    }
    ~Observation() { executor_.observe(nullptr); }
    Observation(const Observation&) = delete;
    Observation& operator=(const Observation&) = delete;

private:
    Executor& executor_;
};

Error invalid(std::string message, std::string field) {
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = std::move(message),
                 .path = {},
                 .field = std::move(field)};
}

// Share of all firings that the most active fifth of the neurons has; 0 if none ever fired.
double hottest_fifth(std::vector<std::uint32_t> fired) {
    const std::size_t fifth = (fired.size() + 4) / 5;
    std::nth_element(fired.begin(), fired.begin() + static_cast<std::ptrdiff_t>(fifth - 1),
                     fired.end(), std::greater<>());
    const auto middle = fired.begin() + static_cast<std::ptrdiff_t>(fifth);
    const auto hot = std::accumulate(fired.begin(), middle, 0.0);
    const auto all = std::accumulate(middle, fired.end(), hot);
    return all > 0 ? hot / all : 0.0;
}

ProfileReport summary(const ActivationProfile& profile) {
    ProfileReport report;
    report.tokens = profile.tokens;
    report.model_hash = profile.model_hash;
    for (std::size_t i = 0; i < profile.layers.size(); ++i) {
        const auto& fired = profile.layers[i].fired[0];
        const auto looks = static_cast<double>(profile.tokens) * static_cast<double>(fired.size());
        const double fires = std::accumulate(fired.begin(), fired.end(), 0.0);
        report.layers.push_back({.index = static_cast<int>(i),
                                 .sparsity = looks > 0 ? 1 - fires / looks : 0.0,
                                 .hottest_20_share = hottest_fifth(fired)});
    }
    return report;
}

// The profile there already, checked to be of this model; empty if there is none.
Result<std::optional<ActivationProfile>> earlier_profile(const ProfileOptions& options,
                                                         const ModelSpec& spec,
                                                         const std::string& hash) {
    auto file = GgufFile::open(options.output_path);
    if (!file) {
        if (file.error().code == ErrorCode::NotFound) {
            return std::optional<ActivationProfile>();
        }
        return std::move(file).error();
    }
    auto profile = read_profile(*file, spec, hash);
    if (!profile) {
        return std::move(profile).error();
    }
    return std::optional(*std::move(profile));
}

Result<void> count_text(Engine::Impl& impl, std::span<const TokenId> tokens, std::size_t window,
                        const std::function<void(int done, int windows)>& progress,
                        const Cancellation& cancellation) {
    const auto windows = static_cast<int>((tokens.size() + window - 1) / window);
    int done_windows = 0;
    for (std::size_t first = 0; first < tokens.size(); first += window) {
        auto done = impl.session->score(
            tokens.subspan(first, std::min(window, tokens.size() - first)), Decoder::Want::None,
            [](std::size_t, std::span<const float>) {}, cancellation);
        if (!done) {
            return done;
        }
        if (progress) {
            progress(++done_windows, windows);
        }
    }
    return {};
}

Result<ProfileReport> profile_text(Engine& engine, std::string_view text,
                                   const ProfileOptions& options,
                                   const std::function<void(int done, int windows)>& progress,
                                   const Cancellation& cancellation) {
    Engine::Impl& impl = engine.impl();
    if (options.n_ctx < 1 || options.n_ctx > impl.plan.n_ctx) {
        return invalid("windows of " + std::to_string(options.n_ctx) +
                           " tokens were asked for; this model was loaded with a context of " +
                           std::to_string(impl.plan.n_ctx),
                       "ctx");
    }
    auto hash = model_hash(impl.file);
    if (!hash) {
        return std::move(hash).error();
    }
    std::optional<ActivationProfile> earlier;
    if (options.add) {
        auto found = earlier_profile(options, impl.spec, *hash);
        if (!found) {
            return std::move(found).error();
        }
        earlier = *std::move(found);
    }
    // Minutes of counting are not to end with a folder that does not exist: made, and removed.
    const auto n_ff = static_cast<std::uint64_t>(impl.spec.n_ff);
    const std::uint64_t bytes = static_cast<std::uint64_t>(impl.spec.n_layer) * n_ff *
                                kProfileBatches.size() * sizeof(std::uint32_t);
    if (auto writable = OutputFile::create(options.output_path, bytes); !writable) {
        return std::move(writable).error();
    }
    std::vector<TokenId> tokens = impl.tokenizer->tokenize(text, false, false);
    if (options.max_tokens > 0 && tokens.size() > options.max_tokens) {
        tokens.resize(static_cast<std::size_t>(options.max_tokens));
    }
    if (tokens.empty()) {
        return invalid("the text has no tokens", "file");
    }
    ActivationCounter counter(impl.spec.n_layer, impl.spec.n_ff, *impl.pool);
    {
        const Observation observation(*impl.executor, counter);
        if (auto counted = count_text(impl, tokens, static_cast<std::size_t>(options.n_ctx),
                                      progress, cancellation);
            !counted) {
            return std::move(counted).error();
        }
    }
    ActivationProfile profile = counter.take();
    profile.model_hash = *hash;
    if (is_packed(impl.file)) {
        // A side file is in the order of the file that the packed one was made from.
        const auto layout = read_packed_layout(impl.file, impl.spec);
        if (!layout) {
            return layout.error();
        }
        const auto order = read_neuron_order(impl.file, *layout);
        if (!order) {
            return order.error();
        }
        from_order(profile, *order);
    }
    if (earlier) {
        merge(profile, *earlier);
    }
    ProfileReport report = summary(profile);
    if (auto written = write_profile(options.output_path, std::move(profile)); !written) {
        return std::move(written).error();
    }
    return report;
}

}  // namespace

Result<ProfileReport> profile(Engine& engine, std::string_view text, const ProfileOptions& options,
                              const std::function<void(int done, int windows)>& progress,
                              const Cancellation& cancellation) {
    return guarded(engine.model().path,
                   [&] { return profile_text(engine, text, options, progress, cancellation); });
}

}  // namespace hearth::tools
