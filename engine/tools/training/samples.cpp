#include "tools/training/samples.h"

#include <utility>

#include "gguf/recipes.h"
#include "gguf/rows.h"

namespace hearth::tools {

std::vector<TokenSample> LayerSamples::tokens(const std::vector<SampleRun>& runs, int n_embd) {
    std::vector<TokenSample> tokens;
    for (const SampleRun& run : runs) {
        for (std::size_t t = 0; t < static_cast<std::size_t>(run.n_tokens); ++t) {
            tokens.push_back({run.inputs.data() + t * static_cast<std::size_t>(n_embd),
                              std::span(run.fired).subspan(run.offsets[t],
                                                           run.offsets[t + 1] - run.offsets[t])});
        }
    }
    return tokens;
}

SampleCollector::SampleCollector(const ModelSpec& spec, PredictorInput input, int first_layer,
                                 int end_layer)
    : n_embd_(spec.n_embd),
      input_(input),
      first_layer_(first_layer),
      layers_(static_cast<std::size_t>(end_layer - first_layer)) {}

void SampleCollector::observed(const FeedForwardRecord& record) {
    const int index = record.layer - first_layer_;
    if (index < 0 || index >= static_cast<int>(layers_.size())) {
        return;
    }
    LayerSamples& layer = layers_[static_cast<std::size_t>(index)];
    SampleRun run;
    run.n_tokens = record.n_tokens;
    const auto n_tokens = static_cast<std::size_t>(record.n_tokens);
    const auto n_embd = static_cast<std::size_t>(n_embd_);
    const auto n_ff = static_cast<std::size_t>(record.n_ff);
    run.inputs.resize(n_tokens * n_embd);
    // Values that are not finite become 0, those beyond a half its largest.
    quantize_row(
        kSampleType,
        {input_ == PredictorInput::Normed ? record.normed : record.residual, n_tokens * n_embd},
        reinterpret_cast<std::byte*>(run.inputs.data()));
    std::size_t count = 0;
    for (std::size_t i = 0; i < n_tokens * n_ff; ++i) {
        count += record.hidden[i] != 0.0F ? 1U : 0U;
    }
    run.fired.reserve(count);
    run.offsets.reserve(n_tokens + 1);
    run.offsets.push_back(0);
    for (std::size_t t = 0; t < n_tokens; ++t) {
        const float* hidden = record.hidden + t * n_ff;
        for (int i = 0; i < record.n_ff; ++i) {
            if (hidden[i] != 0.0F) {
                run.fired.push_back(pack_fired(i, hidden[i]));
            }
        }
        run.offsets.push_back(static_cast<std::uint32_t>(run.fired.size()));
    }
    (held_back_ ? layer.held_back : layer.training).push_back(std::move(run));
}

LayerSamples SampleCollector::take(int layer) {
    return std::move(layers_[static_cast<std::size_t>(layer - first_layer_)]);
}

}  // namespace hearth::tools
