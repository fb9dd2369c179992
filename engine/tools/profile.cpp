// Counts how often each neuron fires on a text, and writes the counts as a side file.
#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <hearth/tools.h>

#include "base/guarded.h"
#include "base/output_file.h"
#include "gguf/printable.h"
#include "model/model_hash.h"
#include "model/packed_layout.h"
#include "plan/profile_file.h"
#include "session/loaded_model.h"
#include "tools/activation_counter.h"
#include "tools/observe_text.h"

namespace hearth::tools {
namespace {

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

Result<ProfileReport> profile_text(Engine& engine, std::string_view text,
                                   const ProfileOptions& options,
                                   const std::function<void(int done, int windows)>& progress,
                                   const Cancellation& cancellation) {
    LoadedModel& impl = engine.impl();
    auto tokens = tokens_to_observe(impl, text, options.max_tokens, options.n_ctx);
    if (!tokens) {
        return std::move(tokens).error();
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
    std::uint64_t bytes = 0;
    for (const int n_ff : impl.spec.neurons()) {
        bytes += static_cast<std::uint64_t>(n_ff) * kProfileBatches.size() * sizeof(std::uint32_t);
    }
    if (auto writable = OutputFile::create(options.output_path, bytes); !writable) {
        return std::move(writable).error();
    }
    ActivationCounter counter(impl.spec.neurons(), *impl.pool);
    if (auto counted =
            observe_tokens(impl, counter, *tokens, options.n_ctx, progress, cancellation);
        !counted) {
        return std::move(counted).error();
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
    return guarded_naming(engine.impl().info.path, [&] {
        return profile_text(engine, text, options, progress, cancellation);
    });
}

}  // namespace hearth::tools
