// record_trace MODEL --text FILE [--tokens 0] [--skip 0] [--ctx 512] [-t THREADS]
//              [--predictors FILE [--predictor-input normed|residual]]
//              [--fires TRACE] [--opens TRACE] [--names TRACE] [--asks TRACE]
// Runs a text through a model with the engine's own executor, every neuron of every block computed,
// and records for cache_simulator
//   --fires  which neurons' hidden values are not 0: whose down is needed
//   --opens  which gates are open: what the exact mode needs up of; like fires unless up has a ReLU
//   --names  which ones the layer's predictor names; all that fire, in layers that have none
//   --asks   likewise, but in layers that have none those whose gates are open: what the predicted
//            mode needs
// --skip: so many of the text's tokens first, so that one text gives a trace to learn from and
// another to judge by.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <hearth/engine.h>

#include "bench/trace.h"
#include "session/loaded_model.h"
#include "tools/observe_text.h"
#include "tools/training/model_rows.h"

namespace {

using namespace hearth;

[[noreturn]] void give_up(const std::string& why) {
    std::fprintf(stderr, "record_trace: %s\n", why.c_str());
    std::exit(1);
}
template <class T>
T must(Result<T> result) {
    if (!result) {
        give_up(result.error().message);
    }
    return *std::move(result);
}

// Of rows of `cols` values.
float dot(const float* a, const float* b, std::size_t cols) {
    std::array<float, 16> sums{};
    std::size_t c = 0;
    for (; c + sums.size() <= cols; c += sums.size()) {
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] += a[c + i] * b[c + i];
        }
    }
    float sum = 0;
    for (; c < cols; ++c) {
        sum += a[c] * b[c];
    }
    for (const float part : sums) {
        sum += part;
    }
    return sum;
}

// A file's rows as floats. What the engine computes from the same numbers, rounded, may differ in
// the last digits: in a trace, for a neuron at its threshold.
struct Matrix {
    Matrix(const GgufFile& file, const Weight& rows)
        : cols(static_cast<std::size_t>(rows.cols)), values(must(tools::read_rows(file, rows))) {}
    // [rows]
    std::vector<float> times(const float* x, ThreadPool& pool) const {
        std::vector<float> y(values.size() / cols);
        constexpr std::size_t kRows = 256;
        pool.run(static_cast<int>((y.size() + kRows - 1) / kRows), [&](int task, int) {
            const std::size_t first = static_cast<std::size_t>(task) * kRows;
            for (std::size_t r = first; r < std::min(first + kRows, y.size()); ++r) {
                y[r] = dot(values.data() + r * cols, x, cols);
            }
        });
        return y;
    }
    std::size_t cols;
    std::vector<float> values;
};

enum Kind { kFires, kOpens, kNames, kAsks, kKinds };

// Sets of one layer, [n_tokens].
using Sets = std::vector<std::vector<std::uint16_t>>;

template <class Is>
std::vector<std::uint16_t> where(int n, const Is& is) {
    std::vector<std::uint16_t> items;
    for (int i = 0; i < n; ++i) {
        if (is(static_cast<std::size_t>(i))) {
            items.push_back(static_cast<std::uint16_t>(i));
        }
    }
    return items;
}

class Recorder : public FeedForwardObserver {
public:
    Recorder(LoadedModel& model, const std::array<std::string, kKinds>& paths) : model_(model) {
        for (std::size_t l = 0; l < model.tensors.layers.size(); ++l) {
            const LayerTensors& tensors = model.tensors.layers[l];
            Layer& layer = layers_.emplace_back();
            for (std::size_t kind = 0; kind < kKinds; ++kind) {
                layer.wanted[kind] = !paths[kind].empty();
            }
            const bool predicted = tensors.has_predictor();
            if (layer.wanted[kOpens] || (layer.wanted[kAsks] && !predicted)) {
                layer.gate.emplace_back(model.file, tools::deciding_rows(tensors));
            }
            if ((layer.wanted[kNames] || layer.wanted[kAsks]) && predicted) {
                const GgufFile& file = *model.tensors.predictor_file;
                layer.predictor.emplace_back(file, tensors[Role::PredictorFc1]);
                layer.predictor.emplace_back(file, tensors[Role::PredictorFc2]);
            }
        }
    }

    void observed(const FeedForwardRecord& record) override {
        Layer& layer = layers_[static_cast<std::size_t>(record.layer)];
        const auto n_embd = static_cast<std::size_t>(model_.spec.n_embd);
        for (std::size_t t = 0; t < static_cast<std::size_t>(record.n_tokens); ++t) {
            const float* hidden = record.hidden + t * static_cast<std::size_t>(record.n_ff);
            const float* normed = record.normed + t * n_embd;
            const auto fires = where(record.n_ff, [&](std::size_t i) { return hidden[i] != 0.0F; });
            if (layer.wanted[kFires]) {
                layer.sets[kFires].push_back(fires);
            }
            std::vector<std::uint16_t> opens, names;
            if (!layer.gate.empty()) {
                const auto gate = layer.gate.front().times(normed, *model_.pool);
                const float threshold = model_.spec.layer(record.layer).relu_threshold;
                opens = where(record.n_ff, [&](std::size_t i) { return gate[i] > threshold; });
            }
            if (!layer.predictor.empty()) {
                const bool sees_normed = model_.tensors.predictor_input == PredictorInput::Normed;
                names = named(record, layer, sees_normed ? normed : record.residual + t * n_embd);
            }
            const bool predicted = !layer.predictor.empty();
            const auto keep = [&](Kind kind, const std::vector<std::uint16_t>& set) {
                if (layer.wanted[kind]) {
                    layer.sets[kind].push_back(set);
                }
            };
            keep(kOpens, opens);
            keep(kNames, predicted ? names : fires);
            keep(kAsks, predicted ? names : opens);
        }
    }

    bench::Trace take(Kind kind, const std::vector<TokenId>& tokens) {
        bench::Trace trace{static_cast<std::uint32_t>(layers_.size()),
                           static_cast<std::uint32_t>(model_.spec.n_ff_max()),
                           {tokens.begin(), tokens.end()},
                           {}};
        for (std::size_t t = 0; t < tokens.size(); ++t) {
            for (Layer& layer : layers_) {
                trace.sets.push_back(std::move(layer.sets[kind][t]));
            }
        }
        return trace;
    }

private:
    struct Layer {
        std::array<bool, kKinds> wanted{};
        std::array<Sets, kKinds> sets;
        std::vector<Matrix> gate;       // or none
        std::vector<Matrix> predictor;  // fc1, fc2; or none
    };

    std::vector<std::uint16_t> named(const FeedForwardRecord& record, const Layer& layer,
                                     const float* input) const {
        std::vector<float> inner = layer.predictor[0].times(input, *model_.pool);
        for (float& value : inner) {
            value = model_.tensors.predictor_linear ? value : std::max(value, 0.0F);
        }
        const auto score = layer.predictor[1].times(inner.data(), *model_.pool);
        const float threshold =
            model_.tensors.layers[static_cast<std::size_t>(record.layer)].predictor_threshold;
        return where(record.n_ff, [&](std::size_t i) { return score[i] >= threshold; });
    }

    LoadedModel& model_;
    std::vector<Layer> layers_;
};

}  // namespace

int main(int argc, char** argv) {
    EngineOptions options;
    options.gpu = "none";
    options.keeps_profile = false;
    options.n_ctx = 512;
    options.threads = static_cast<int>(std::thread::hardware_concurrency());
    std::string text_path;
    std::uint64_t n_tokens = 0;
    std::uint64_t skip = 0;
    std::array<std::string, kKinds> paths;
    CLI::App app("Records which neurons of a model fire on a text.");
    app.add_option("model", options.model_path)->required();
    app.add_option("--text", text_path)->required();
    app.add_option("--tokens", n_tokens, "how many; 0: all");
    app.add_option("--skip", skip, "how many before them");
    app.add_option("--ctx", options.n_ctx, "tokens of a window")->check(CLI::Range(1, 1 << 20));
    app.add_option("-t,--threads", options.threads)->check(CLI::Range(1, 256));
    app.add_option("--predictors", options.predictors_path, "if they are in a file of their own");
    app.add_option("--predictor-input", options.predictor_input, "normed or residual, if need be");
    app.add_option("--fires", paths[kFires]);
    app.add_option("--opens", paths[kOpens]);
    app.add_option("--names", paths[kNames]);
    app.add_option("--asks", paths[kAsks]);
    CLI11_PARSE(app, argc, argv);
    options.mode = paths[kNames].empty() && paths[kAsks].empty() ? "exact" : "predicted";

    std::ifstream stream(text_path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream.good() && text.empty()) {
        give_up(text_path + ": cannot be read, or is empty");
    }
    const Cancellation go_on;
    const auto engine = must(Engine::load(options));
    LoadedModel& model = engine->impl();
    if (static_cast<std::uint32_t>(model.spec.n_ff_max()) > bench::kMostTraceItems) {
        give_up("a trace has no room for " + std::to_string(model.spec.n_ff_max()) +
                " neurons a layer");
    }
    auto tokens = must(
        tools::tokens_to_observe(model, text, n_tokens == 0 ? 0 : skip + n_tokens, options.n_ctx));
    if (tokens.size() <= skip) {
        give_up(text_path + ": has " + std::to_string(tokens.size()) + " tokens");
    }
    tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(skip));
    Recorder recorder(model, paths);
    const auto progress = [](int done, int windows) {
        std::fprintf(stderr, "\r%d of %d windows", done, windows);
    };
    if (auto seen = tools::observe_tokens(model, recorder, tokens, options.n_ctx, progress, go_on);
        !seen) {
        give_up(seen.error().message);
    }
    std::fprintf(stderr, "\n");
    for (const Kind kind : {kFires, kOpens, kNames, kAsks}) {
        if (!paths[kind].empty()) {
            if (auto written = bench::write_trace(paths[kind], recorder.take(kind, tokens));
                !written) {
                give_up(written.error().message);
            }
        }
    }
    return 0;
}
