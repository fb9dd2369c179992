// What a file may hold, one tiny model a feature with the feature present: computed by the
// processor and, shared out in several ways, with a GPU. What a unit that ignored the feature would
// compute is known, too, and must be told apart.
#include <hearth/tools.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "engine/vulkan/gpu_checks.h"
#include "engine/vulkan/split_model.h"
#include "support/covering_sample.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"
#include "support/vram_part.h"

namespace hearth::test {
namespace {

constexpr int kSingle = 3;  // tokens that are passed alone, at the end
// Two whole batches and the single tokens: of the first batch no logits are wanted.
constexpr SplitSizes kSizes{64, 16, 2};
constexpr int kTokens = 2 * 16 + kSingle;
// Both units keep keys and values as halves, a GPU those of its own batch, too.
constexpr double kBound = 2e-3;
// The processor against the reference in double precision, which rounds nothing.
constexpr double kReferenceBound = 4e-3;
// A unit that ignores a feature is off by this at least: what is within kBound knows it.
constexpr double kIgnored = 5 * kBound;

// How much more than others' a model's logits change with what is rounded. The small gemma4 of
// random weights looks at one position where others look at several: 1.8e-3 on lavapipe, 2.9e-3 on
// an H100, whose matrix units take halves. The qwen35moe is off by 2.0e-3 there. The first six
// models of qwen3next are off by 1.5e-3 to 3.9e-3 on an H200. The gpt-oss, whose experts have large
// biases, is off by 1.3e-3 on lavapipe.
double sensitivity(const TinyModelOptions& options) {
    const bool sensitive = options.arch == "gemma4" || options.arch == "qwen35moe" ||
                           options.arch == "qwen3next" || options.arch == "gpt-oss";
    return sensitive ? 2 : 1;
}

// The rest is of matrix units, which take halves: on an H200 gpt-oss is off by 4.9e-3, a Nemotron 3
// whose experts stand behind a matrix by 2.8e-3, latent attention by 2.6e-3, and gemma4 by 4.6e-3,
// since queries and the weights of positions are halves, too.
double rounded_more(const TinyModelOptions& options) {
    if (options.arch == "gemma4") {
        return 1.5;
    }
    return options.arch == "gpt-oss" || options.arch == "deepseek2" || options.n_latent > 0 ? 2 : 1;
}

// Bytes round a past eight times as much as halves. If a unit's sum lies beside the border
// between two bytes, the other one may take the other byte: 1.6e-3 on lavapipe, 5.5e-3 on an H100.
constexpr double kBytesReferenceBound = 4e-2;
constexpr double kBytesBound = 6e-3;
constexpr double kBytesIgnored = 4.5e-3;

// How the model is shared out. Uploaded: for a batch, what the GPU has not is uploaded.
// Attention: the GPU has no neurons. Exchanged: as SplitUploaded, and experts, or neurons whose
// down projections are stored by neuron, change their places.
enum class Way {
    Gpu,
    Split,
    Uploaded,
    Apart,
    SplitUploaded,
    Attention,
    AttentionUploaded,
    Exchanged
};
constexpr std::array kAllWays{Way::Gpu, Way::Split, Way::Uploaded, Way::Apart};
// Enough for what every way has in common: a token, a batch, what is uploaded, and both units'
// share.
constexpr std::array kTwoWays{Way::Split, Way::Uploaded};
constexpr std::array kMixtureWays{Way::Gpu,   Way::Split,         Way::Uploaded,
                                  Way::Apart, Way::SplitUploaded, Way::Exchanged};
constexpr std::array kAttentionWays{Way::Gpu,   Way::Split,         Way::Uploaded,
                                    Way::Apart, Way::SplitUploaded, Way::Attention};
constexpr std::array kEveryWay{
    Way::Gpu,           Way::Split,     Way::Uploaded,          Way::Apart,
    Way::SplitUploaded, Way::Attention, Way::AttentionUploaded, Way::Exchanged};
constexpr std::array kMovedWays{Way::Exchanged};

// The ways of a row of which another one goes all of them through the same code: all in --all.
std::span<const Way> as_others(std::span<const Way> ways) {
    return all_rows() ? ways : std::span<const Way>(kTwoWays);
}

const char* name_of(Way way) {
    switch (way) {
        case Way::Gpu:
            return "on the GPU";
        case Way::Split:
            return "split";
        case Way::Uploaded:
            return "uploaded";
        case Way::Attention:
            return "attention on the GPU";
        case Way::SplitUploaded:
            return "split, the rest uploaded";
        case Way::AttentionUploaded:
            return "attention on the GPU, the rest uploaded";
        case Way::Exchanged:
            return "experts or neurons change places";
        case Way::Apart:
            break;
    }
    return "layers apart";
}

using Change = std::function<void(ModelSpec& spec, ModelTensors& tensors)>;

struct Feature {
    const char* name;
    TinyModelOptions options;
    // Makes the bound model one without the feature; null: it would not be one.
    Change ignore = nullptr;
    FeedForwardMode mode = FeedForwardMode::Exact;
    Change set = nullptr;  // what a file cannot say
    std::span<const Way> ways = kTwoWays;
    std::uint32_t packed = 0;                         // by `hearth-cli pack`, in which format
    std::function<void(ModelSpec&)> means = nullptr;  // what the file's architecture does not say
    bool past_in_bytes = false;                       // KvType::Q8_0
    // A value beside a threshold may be on its other side where it is rounded otherwise. Matrix
    // units take halves: an H100 is off by a third of what the threshold matters.
    bool jumps = false;
    unsigned seed = 1;
    // Units round what they multiply, each its own, and may choose other experts for it. Only bits
    // of the same unit are compared.
    bool rounds = false;
};

// In every layer.
Change each_layer(std::function<void(LayerTensors&)> change) {
    return [change = std::move(change)](ModelSpec&, ModelTensors& tensors) {
        std::for_each(tensors.layers.begin(), tensors.layers.end(), change);
    };
}

Change spec_change(std::function<void(ModelSpec&)> change) {
    return [change = std::move(change)](ModelSpec& spec, ModelTensors&) { change(spec); };
}

// In every layer.
Change layer_change(std::function<void(LayerSpec&)> change) {
    return [change = std::move(change)](ModelSpec& spec, ModelTensors&) {
        std::for_each(spec.layers.begin(), spec.layers.end(), change);
    };
}

Change norm_change(std::function<void(NormSpec&)> change) {
    return spec_change([change = std::move(change)](ModelSpec& spec) {
        change(spec.output_norm);
        for (LayerSpec& layer : spec.layers) {
            change(layer.norm);
        }
    });
}

void set_past(ModelSpec& spec, KvType type) {
    for (LayerSpec& layer : spec.layers) {
        layer.attention.kv = type;
    }
}

Change without(Role role) {
    return each_layer([role](LayerTensors& layer) { layer[role] = {}; });
}

Change with_activation(Activation other) {
    return layer_change([other](LayerSpec& layer) { layer.activation = other; });
}

// The odd ones first.
void order_odd_first(int n, VramPart& part) {
    for (const int first : {1, 0}) {
        for (int item = first; item < n; item += 2) {
            part.neuron_order.back().push_back(item);
        }
    }
}

// Half of a mixture's experts, the odd ones first.
void share_experts(const ExpertsSpec& experts, VramPart& part) {
    part.hot_neurons.back() = experts.n / 2 * experts.n_ff;
    order_odd_first(experts.n, part);
}

// True if neurons of the layer can change their places one by one.
bool has_single_neurons(const LayerSpec& layer) {
    return !layer.is_mixture() && is_sparse(layer.activation) && layer.down_by_neuron;
}

Placement part_of(Way way, const ModelSpec& spec) {
    VramPart part{spec.neurons()};
    const auto n = static_cast<std::size_t>(spec.n_layer());
    for (const LayerSpec& layer : spec.layers) {
        const bool attention = way == Way::Attention || way == Way::AttentionUploaded;
        const bool none = way == Way::Uploaded || attention;
        part.hot_neurons.push_back(way == Way::Gpu ? layer.n_ff : none ? 0 : layer.n_ff / 64 * 32);
        part.neuron_order.emplace_back();
        if (layer.is_mixture() && way != Way::Gpu && !attention) {
            share_experts(layer.experts, part);
        } else if (way == Way::Exchanged && has_single_neurons(layer)) {
            order_odd_first(layer.n_ff, part);
        }
    }
    part.attention_in_vram.assign(n, true);
    part.output_in_vram = way != Way::Apart;
    if (way == Way::Apart || way == Way::Uploaded) {
        part.attention_in_vram.front() = false;
        part.hot_neurons.front() = 0;
    }
    return part;
}

// The first and the last expert of the GPU change places with such of the processor, and some
// neurons, two of them in one tile of the processor's.
std::vector<PlaceExchange> exchanges(const Placement& placement, const ModelSpec& spec) {
    std::vector<PlaceExchange> pairs;
    for (int layer = 0; layer < spec.n_layer(); ++layer) {
        const ExpertsSpec& experts = spec.layer(layer).experts;
        const int hot = placement.hot(layer) / spec.layer(layer).n_ff_counted();
        if (experts.present()) {
            pairs.push_back({layer, hot - 1, hot});
            pairs.push_back({layer, 0, experts.n - 1});
        } else if (has_single_neurons(spec.layer(layer))) {
            const int n = spec.layer(layer).n_ff;
            for (const auto& [one, other] :
                 {std::pair{hot - 1, hot}, {0, n - 1}, {5, hot + 3}, {6, hot + 17}}) {
                pairs.push_back({layer, one, other});
            }
        }
    }
    return pairs;
}

// The same units, but the processor's experts come from disk: there is room for as many as a token
// uses. All but a few of single neurons find room.
Placement with_slots(Way way, const ModelSpec& spec) {
    Placement placement = part_of(way, spec);
    for (std::size_t l = 0; l < placement.layers.size(); ++l) {
        const ExpertsSpec& experts = spec.layers[l].experts;
        if (experts.present()) {
            placement.layers[l].set_slots(experts.n_used * experts.n_ff);
        } else if (has_single_neurons(spec.layers[l])) {
            placement.layers[l].set_slots(spec.layers[l].n_ff - placement.layers[l].hot() - 8);
        }
    }
    return placement;
}

// A file's tensors as a model has them, `mode` being one its activation allows.
struct Bound {
    GgufFile file;
    ModelSpec spec;
    ModelTensors tensors;
    FeedForwardMode mode;
};

Result<Bound> bind(const std::string& path, const Feature& feature) {
    auto file = GgufFile::open(path);
    auto spec = file ? read_model_spec(*file) : Result<ModelSpec>(file.error());
    if (spec && feature.means) {
        feature.means(*spec);
    }
    auto tensors = spec ? bind_tensors(*file, *spec) : Result<ModelTensors>(spec.error());
    if (!tensors) {
        return tensors.error();
    }
    const FeedForwardMode mode =
        is_sparse(spec->activation()) ? feature.mode : FeedForwardMode::Dense;
    return Bound{std::move(*file), std::move(*spec), std::move(*tensors), mode};
}

Result<void> predict(const GgufFile& file, const ModelSpec& spec, ModelTensors& tensors) {
    auto predictors = bind_predictors(file, spec, {}, std::nullopt);
    if (!predictors) {
        return predictors.error();
    }
    use_predictors(file, *predictors, tensors);
    return {};
}

using Rows = std::vector<std::vector<float>>;

// The rows SplitModel::run() gives, of logits [n_tokens, n_vocab].
Rows rows_of(const std::vector<double>& logits, std::size_t n_tokens, std::size_t n_vocab) {
    std::vector<std::size_t> places;
    for (std::size_t t = n_tokens - kSingle - 1; t < n_tokens; ++t) {
        places.push_back(t);
    }
    for (std::size_t t = 0; t < 20; ++t) {
        places.push_back(t);
    }
    Rows rows;
    for (const std::size_t place : places) {
        const auto row = logits.begin() + static_cast<std::ptrdiff_t>(place * n_vocab);
        std::vector<float> values(n_vocab);
        std::transform(row, row + static_cast<std::ptrdiff_t>(n_vocab), values.begin(),
                       [](double value) { return static_cast<float>(value); });
        rows.push_back(std::move(values));
    }
    return rows;
}

// True if the rows of batches are the same: the first one, and those behind the single tokens'.
bool same_batches(const Rows& one, const Rows& other) {
    return one.size() == other.size() && one.front() == other.front() &&
           std::equal(one.begin() + 1 + kSingle, one.end(), other.begin() + 1 + kSingle);
}

CheckOutcome check(const Feature& feature, const std::shared_ptr<vulkan::Device>& device) {
    const TempDir dir;
    const std::string path = dir.file("tiny.gguf");
    const TinyModel model(feature.options, feature.seed);
    const double sensitive = sensitivity(feature.options);
    if (!model.write(path)) {
        return {false, "the model could not be written"};
    }
    const std::string packed = dir.file("packed.gguf");
    if (feature.packed > 0) {
        const auto report = tools::pack(
            path, {.output_path = packed, .force = true, .format = feature.packed}, {}, {});
        if (!report) {
            return {false, report.error().message};
        }
    }
    auto bound = bind(feature.packed > 0 ? packed : path, feature);
    const bool predicted = feature.mode == FeedForwardMode::Predicted;
    if (auto done =
            bound && predicted ? predict(bound->file, bound->spec, bound->tensors) : Result<void>{};
        !bound || !done) {
        return {false, (bound ? done.error() : bound.error()).message};
    }
    if (feature.set) {
        feature.set(bound->spec, bound->tensors);
    }
    if (feature.past_in_bytes) {
        set_past(bound->spec, KvType::Q8_0);
    }
    std::vector<std::int32_t> tokens(kTokens);
    std::mt19937 random(7);
    std::generate(tokens.begin(), tokens.end(), [&] {
        return std::uniform_int_distribution<std::int32_t>(3, TinyModel::kVocab - 1)(random);
    });
    std::string problem;
    std::vector<std::vector<std::uint32_t>> counts;  // of experts' choices, latest computed
    std::vector<std::vector<std::uint32_t>> fired;   // counts of all layers, of neurons too
    const auto compute = [&](const ModelSpec& spec, const ModelTensors& tensors,
                             const Placement& part, const std::shared_ptr<vulkan::Device>& on,
                             const WeightUpload& upload,
                             std::span<const PlaceExchange> pairs = {}) {
        SplitModel loaded(bound->file, spec, tensors, bound->mode, part, on, upload, kSizes);
        if (loaded.problem.empty() && !pairs.empty()) {
            loaded.run(tokens, kSingle);  // what the units keep of it is of the old places
            loaded.exchange(pairs);
        }
        Rows rows = loaded.problem.empty() ? loaded.run(tokens, kSingle) : Rows{};
        problem = loaded.problem;
        counts.clear();
        fired.clear();
        for (int layer = 0; layer < spec.n_layer(); ++layer) {
            const std::span<const std::uint32_t> of_layer = loaded.profile.fired(layer);
            fired.emplace_back(of_layer.begin(), of_layer.end());
            if (spec.layer(layer).is_mixture()) {
                counts.push_back(fired.back());
            }
        }
        return rows;
    };
    const Rows expected = compute(bound->spec, bound->tensors, {}, nullptr, {});
    if (!problem.empty()) {
        return {false, problem};
    }
    const auto expected_counts = counts;
    if (!predicted && !feature.rounds) {  // a batch leaves no neuron out, the reference does
        const auto n_vocab = static_cast<std::size_t>(bound->spec.n_vocab);
        const Rows reference = rows_of(model.logits(tokens), tokens.size(), n_vocab);
        const double error = worst_row(reference, expected).error;
        if (!(error <= (feature.past_in_bytes ? kBytesReferenceBound : kReferenceBound))) {
            return {false, "the processor is off the reference by " + std::to_string(error)};
        }
    }
    double ignored = 0;
    if (feature.ignore) {
        ModelSpec spec = bound->spec;
        ModelTensors tensors = bound->tensors;
        feature.ignore(spec, tensors);
        const Rows other = compute(spec, tensors, {}, nullptr, {});
        ignored = problem.empty() ? worst_row(expected, other).error : 0;
        if (!(ignored >= (feature.past_in_bytes ? kBytesIgnored : kIgnored * sensitive))) {
            return {false, problem + " without it logits differ by " + std::to_string(ignored)};
        }
    }
    // Nearer to bytes than to halves.
    // A byte of a latent is a key's and a value's at once: 1.39e-2 on an H200, uploaded.
    const bool latent = bound->spec.any(&LayerSpec::is_latent);
    const double bytes_bound = kBytesBound * sensitive * (latent ? 2.5 : 1);
    const double bound_of_units = feature.jumps ? 0.5 * ignored
                                  : !feature.past_in_bytes
                                      ? kBound * sensitive * rounded_more(feature.options)
                                  : feature.ignore ? std::min(bytes_bound, 0.8 * ignored)
                                                   : bytes_bound;
    double worst = 0;
    Rows on_gpu;
    for (const Way way : feature.ways) {
        const std::uint64_t slot =
            vulkan::WeightUploader::slot_bytes_min(bound->spec, bound->tensors);
        const bool uploads = way == Way::Uploaded || way == Way::SplitUploaded ||
                             way == Way::AttentionUploaded || way == Way::Exchanged;
        const WeightUpload upload = uploads ? WeightUpload{slot, 2} : WeightUpload{};
        const Placement part = part_of(way, bound->spec);
        const auto pairs =
            way == Way::Exchanged ? exchanges(part, bound->spec) : std::vector<PlaceExchange>{};
        const Rows seen = compute(bound->spec, bound->tensors, part, device, upload, pairs);
        if (!problem.empty() || seen.size() != expected.size()) {
            return {false, std::string(name_of(way)) + ": " + problem};
        }
        if (way == Way::Gpu) {
            on_gpu = seen;
        }
        if (counts != expected_counts && !feature.rounds) {
            return {false, std::string(name_of(way)) + ": other experts were counted"};
        }
        if (!pairs.empty()) {
            Placement then = part;
            for (const PlaceExchange& two : pairs) {
                exchange(then, two);
            }
            const auto fired_of_moved = fired;
            if (compute(bound->spec, bound->tensors, then, device, upload) != seen) {
                return {false, "logits are not those of what is loaded there: " + problem};
            }
            if (fired != fired_of_moved) {
                return {false, "what moved is counted under other numbers"};
            }
            const bool uncached =
                !uploads || feature.options.arch == "qwen3moe" || !bound->spec.has_experts();
            if (uncached) {
                const Rows there = compute(bound->spec, bound->tensors, then, device, {});
                if (compute(bound->spec, bound->tensors, with_slots(way, bound->spec), device, {},
                            pairs) != there) {
                    return {false, "nor are those of what comes from disk: " + problem};
                }
            }
        }
        const bool cached =
            (way == Way::Split &&
             (feature.options.arch == "qwen3moe" || feature.options.arch == "gpt-oss")) ||
            ((way == Way::Split || way == Way::Attention) &&
             bound->spec.any([](const LayerSpec& layer) { return layer.experts.has_own_input(); }));
        if (cached && compute(bound->spec, bound->tensors, with_slots(way, bound->spec), device,
                              {}) != seen) {
            return {false, "experts from disk change logits: " + problem};
        }
        if (way == Way::AttentionUploaded && !same_batches(seen, on_gpu)) {
            return {false, "uploaded experts give other bits than those in VRAM"};
        }
        const RowError error = worst_row(expected, seen);
        worst = std::max(worst, error.error);
        if (!(error.error <= bound_of_units) && !feature.rounds) {
            std::array<char, 160> text{};
            std::snprintf(text.data(), text.size(),
                          "%s: error %.2e in row %zu, bound %.0e; without it %.1e", name_of(way),
                          error.error, error.row, bound_of_units, ignored);
            return {false, text.data()};
        }
    }
    std::array<char, 96> text{};
    std::snprintf(text.data(), text.size(), "error %.2e, bound %.0e; without it %.1e", worst,
                  bound_of_units, ignored);
    return {true, text.data()};
}

TinyModelOptions of(const char* arch) {
    TinyModelOptions options;
    options.arch = arch;
    options.n_ctx = kSizes.n_ctx;
    options.n_head_kv = std::string(arch) == "opt" ? 4 : 2;
    return options;
}

TinyModelOptions with(const char* arch, const std::function<void(TinyModelOptions&)>& change) {
    TinyModelOptions options = of(arch);
    change(options);
    return options;
}

// Mixtures, and the rules of their routers.
void add_mixtures(std::vector<Feature>& all) {
    const auto three_layers = [](TinyModelOptions& o) { o.n_layer = 3; };
    // Sigmoids near 1 are so near each other in some models that rounding a past decides. And the
    // first qwen3next changes more than others with what is rounded: see sensitivity().
    const auto seed_of = [](const std::string& arch) {
        return arch == "glm4moe" || arch == "nemotron_h_moe" ? 2U : arch == "qwen3next" ? 5U : 1U;
    };
    for (const test::TestFamily& family : test::test_families()) {
        if (family.n_experts > 0 && !family.weighs_inputs && family.n_streams == 0) {
            all.push_back(
                {"a mixture with all its features", with(family.arch.c_str(), three_layers)});
            all.back().seed = seed_of(family.arch);
            all.back().ways = family.expert_biases || family.latent_rank > 0 || family.routed_early
                                  ? std::span<const Way>(kEveryWay)
                              : family.arch == "qwen3moe" ? std::span<const Way>(kMixtureWays)
                                                          : as_others(kMixtureWays);
        }
    }
    const auto add = [&](const char* name, const char* arch, Change ignore) {
        all.push_back({name, with(arch, three_layers), std::move(ignore)});
        all.back().seed = seed_of(arch);
        all.back().ways = {};
    };
    const auto rule = [](void (*change)(ExpertsSpec&)) {
        return layer_change([change](LayerSpec& layer) { change(layer.experts); });
    };
    add("experts' weights are normed", "qwen3moe", rule([](ExpertsSpec& e) { e.normed = false; }));
    add("experts' weights are scaled", "glm4moe", rule([](ExpertsSpec& e) { e.scale = 1; }));
    add("experts' weights are sigmoids", "minimax-m2",
        rule([](ExpertsSpec& e) { e.scores = RouterScores::Softmax; }));
    add("experts are chosen by a bias", "minimax-m2", without(Role::RouterBias));
    add("experts are chosen by groups", "glm4moe",
        rule([](ExpertsSpec& e) { e.n_used_groups = e.n_groups; }));
    add("the shared expert has a gate", "qwen2moe", without(Role::SharedRouter));
    add("experts' weights are the softmax of the chosen", "gpt-oss",
        rule([](ExpertsSpec& e) { e.scores = RouterScores::Softmax; }));
    for (const auto& [name, role] : {std::pair{"bias of the router", Role::RouterProductBias},
                                     {"bias of experts' gates", Role::ExpertGateBias},
                                     {"bias of experts' ups", Role::ExpertUpBias},
                                     {"bias of experts' downs", Role::ExpertDownBias},
                                     {"bias of attention's output", Role::AttnOutputBias},
                                     {"sinks", Role::Sinks}}) {
        add(name, "gpt-oss", without(role));
    }
    add("sinks of each head", "gpt-oss", [](ModelSpec&, ModelTensors& tensors) {
        std::swap(tensors.layers[0][Role::Sinks], tensors.layers[1][Role::Sinks]);
    });
    add("the function of experts is clamped", "gpt-oss", with_activation(Activation::SiluGated));
    add("windows beside sinks", "gpt-oss",
        layer_change([](LayerSpec& layer) { layer.attention.window = 0; }));
    add("neighbours share a key head", "qwen3next",
        layer_change([](LayerSpec& layer) { layer.delta_net.neighbours_share = false; }));
}

// Each type goes another way over the bus.
void upload_bytes(Feature& feature) {
    static constexpr std::array kWays{Way::Gpu, Way::AttentionUploaded};
    feature.options.type = DType::Q8_0;
    feature.rounds = true;
    feature.ways = kWays;
}

// A dense block beside the experts of each layer, which read and give through norms of their own.
void add_experts_beside(std::vector<Feature>& all) {
    const auto options = [](bool fused) {
        return with("gemma4", [fused](TinyModelOptions& o) {
            o.n_layer = 3;
            o.n_experts = 8;
            o.n_used_experts = 3;
            o.plain_layers = true;
            o.fused_gate_up = fused;
        });
    };
    all.push_back({"experts beside a block", options(false)});
    all.back().ways = kEveryWay;
    all.push_back({"experts beside a block, in one tensor", options(true)});
    all.back().ways = as_others(kEveryWay);
    all.push_back({"experts beside a block, in bytes", options(false)});
    upload_bytes(all.back());
    const auto add = [&](const char* name, Change ignore) {
        all.push_back({name, options(false), std::move(ignore)});
        all.back().ways = {};
    };
    const auto swapped = [](Role one, Role other) {
        return each_layer(
            [one, other](LayerTensors& layer) { std::swap(layer[one], layer[other]); });
    };
    using enum Role;
    add("scale of what a router reads",
        layer_change([](LayerSpec& layer) { layer.experts.router_scale = 1; }));
    add("factors of experts", without(ExpertScale));
    add("norm that a router reads", swapped(RouterNorm, ExpertsNorm));
    add("norm that experts read", swapped(ExpertsNorm, FfnNorm));
    add("norms before both sums meet", swapped(ExpertsPostNorm, SharedPostNorm));
    add("norm of both sums", swapped(FfnPostNorm, SharedPostNorm));
    add("gelu of experts", with_activation(Activation::SiluGated));
}

// Experts that read and write fewer values than a token has, or more, behind matrices of their own.
void add_latent_experts(std::vector<Feature>& all) {
    for (const auto& [name, width] : {std::pair{"experts behind a matrix", 32},
                                      std::pair{"experts behind a wide matrix", 96}}) {
        all.push_back({name, with("nemotron_h_moe", [n_latent = width](TinyModelOptions& o) {
                           o.n_layer = 5;
                           o.n_latent = n_latent;
                       })});
        all.back().ways = width == 32 ? std::span<const Way>(kEveryWay) : as_others(kEveryWay);
        all.back().seed = 2;
    }
    all.push_back({"experts behind a wide matrix, in bytes", all.back().options});
    upload_bytes(all.back());
}

// Latent attention of dense layers, in each form that files have.
void add_latent_attention(std::vector<Feature>& all) {
    const auto add = [&](const char* name, bool fused, bool whole,
                         const std::function<void(TinyModelOptions&)>& change) {
        all.push_back({name, with("deepseek2", [&](TinyModelOptions& o) {
                           o.n_layer = 3;
                           o.n_leading = 3;
                           o.fused_kv_b = fused;
                           o.whole_queries = whole;
                           change(o);
                       })});
        all.back().ways = kAttentionWays;
    };
    const auto nothing = [](TinyModelOptions&) {};
    add("latents", false, false, nothing);
    // Else a head gives as many values as a latent has.
    add("latents, narrow values", false, false, [](TinyModelOptions& o) { o.head_dim = 32; });
    add("latents, narrow values of one matrix", true, false,
        [](TinyModelOptions& o) { o.head_dim = 32; });
    add("latents, one matrix for keys and values", true, false, nothing);
    add("latents, queries of the input", false, true, nothing);
    add("latents under yarn", true, true, [](TinyModelOptions& o) {
        o.rope_linear_factor = 4.0F;
        o.yarn_context = 32;
    });
    // Whole blocks are rotated: else a card's one copy has other bytes than the processor's two.
    add("latents in bytes", false, false, [](TinyModelOptions& o) { o.rope_dim = 32; });
    all.back().past_in_bytes = true;
    all.back().ignore = spec_change([](ModelSpec& spec) { set_past(spec, KvType::F16); });
}

void add_norms(std::vector<Feature>& all) {
    const auto one_norm = [](Role from, Role to, Role from_bias, Role to_bias) {
        return each_layer([=](LayerTensors& layer) {
            layer[to] = layer[from];
            layer[to_bias] = layer[from_bias];
        });
    };
    using enum Role;
    const Change attentions = one_norm(AttnNorm, FfnNorm, AttnNormBias, FfnNormBias);
    const Change neurons = one_norm(FfnNorm, AttnNorm, FfnNormBias, AttnNormBias);
    const auto two = [](TinyModelOptions& o) { o.second_norm = true; };
    all.push_back({"two norms, attention's for both", with("falcon", two), attentions});
    all.push_back({"two norms, the neurons' for both", with("falcon", two), neurons});
    all.push_back({"norm of a parallel block", of("falcon"), without(Role::AttnNormBias)});
    all.push_back({"bias of attention's norm", of("opt"), without(Role::AttnNormBias)});
    all.push_back({"bias of the neurons' norm", of("opt"), without(Role::FfnNormBias)});
    all.push_back({"bias of the last norm", of("opt"),
                   [](ModelSpec&, ModelTensors& tensors) { tensors[Role::OutputNormBias] = {}; }});
    all.push_back({"norm less the mean", of("falcon"),
                   norm_change([](NormSpec& norm) { norm.kind = NormKind::Rms; })});
    all.push_back({"epsilon", with("llama", [](TinyModelOptions& o) { o.norm_eps = 0.5F; }),
                   norm_change([](NormSpec& norm) { norm.eps = 1e-5F; })});
    all.push_back({"norms and biases of halves",
                   with("opt", [](TinyModelOptions& o) { o.vector_type = DType::F16; }),
                   without(Role::FfnNormBias)});
}

void add_biases(std::vector<Feature>& all) {
    const auto qkv = [](TinyModelOptions& o) { o.qkv_bias = true; };
    const auto blocks = [](TinyModelOptions& o) { o.block_biases = true; };
    all.push_back({"bias of q", with("llama", qkv), without(Role::QBias)});
    all.push_back({"bias of k", with("llama", qkv), without(Role::KBias)});
    all.push_back({"bias of v", with("llama", qkv), without(Role::VBias)});
    for (const char* arch : {"llama", "falcon", "opt"}) {
        all.push_back(
            {"bias of attention's output", with(arch, blocks), without(Role::AttnOutputBias)});
    }
    for (const char* arch : {"falcon", "opt"}) {
        all.push_back({"bias of up", with(arch, blocks), without(Role::UpBias)});
        all.push_back({"bias of down", with(arch, blocks), without(Role::DownBias)});
    }
    all.push_back({"bias of down by neuron",
                   with("opt", [](TinyModelOptions& o) { o.by_neuron = true; }),
                   without(Role::DownBias)});
}

void add_head_norms(std::vector<Feature>& all) {
    const auto normed = [](ModelSpec& spec) {
        for (LayerSpec& layer : spec.layers) {
            layer.attention.head_norm = HeadNorm::Each;
        }
    };
    struct Row {
        const char* name;
        int dim;
        Change ignore;
    };
    const Change one_weight =
        each_layer([](LayerTensors& layer) { layer[Role::KNorm] = layer[Role::QNorm]; });
    for (const Row& row :
         {Row{"norms of heads", 16, one_weight}, {"norms of heads of 96", 96, one_weight}}) {
        all.push_back({row.name,
                       with("llama",
                            [&](TinyModelOptions& o) {
                                o.head_norm = true;
                                o.head_dim = row.dim;
                            }),
                       row.ignore});
        all.back().means = normed;
        all.back().ways = kAllWays;
    }
}

void add_embedding_scales(std::vector<Feature>& all) {
    // OPT's learned positions are not scaled.
    for (const auto& [name, arch] : {std::pair{"scaled embedding", "llama"},
                                     std::pair{"scaled embedding beside positions", "opt"}}) {
        all.push_back({name, with(arch, [](TinyModelOptions& o) { o.embedding_scale = 2.5F; }),
                       spec_change([](ModelSpec& spec) { spec.embedding_scale = 1.0F; })});
        all.back().means = [](ModelSpec& spec) { spec.embedding_scale = 2.5F; };
    }
}

void add_positions(std::vector<Feature>& all) {
    const auto pairing = [](RopePairing other) {
        return layer_change([other](LayerSpec& layer) { layer.attention.rope.pairing = other; });
    };
    all.push_back({"neighbours rotated", of("llama"), pairing(RopePairing::Halves)});
    all.push_back({"halves rotated", of("falcon"), pairing(RopePairing::Neighbours)});
    const Change whole =
        layer_change([](LayerSpec& layer) { layer.attention.rope.dim = layer.attention.head_dim; });
    for (const char* arch : {"llama", "falcon"}) {
        all.push_back({"a part of the head rotated",
                       with(arch, [](TinyModelOptions& o) { o.rope_dim = 6; }), whole});
    }
    all.push_back({"factors of frequencies",
                   with("llama", [](TinyModelOptions& o) { o.rope_factors = true; }),
                   [](ModelSpec&, ModelTensors& tensors) { tensors[Role::RopeFreqs] = {}; }});
    all.push_back(
        {"positions divided",
         with("llama", [](TinyModelOptions& o) { o.rope_linear_factor = 4.0F; }),
         layer_change([](LayerSpec& layer) { layer.attention.rope.linear_factor = 1.0F; })});
    all.push_back({"base of frequencies",
                   with("llama", [](TinyModelOptions& o) { o.rope_base = 100.0F; }),
                   layer_change([](LayerSpec& layer) { layer.attention.rope.base = 10000.0F; })});
    all.push_back({"learned positions", of("opt"),
                   spec_change([](ModelSpec& spec) { spec.first_learned_position = 0; })});
}

// Features of single families, each left out by itself. A family's rows are about one model: the
// first compares the units, the others show that a unit without the feature would be found out.
void add_families(std::vector<Feature>& all) {
    std::set<std::string> families;
    const auto add = [&](const char* name, const char* arch, Change ignore) {
        const TinyModelOptions options = with(
            arch, [&](TinyModelOptions& o) { o.n_layer = std::string(arch) == "gemma4" ? 6 : 4; });
        if (families.insert(arch).second) {
            all.push_back({"with all its features", options});
            all.back().ways =
                families.size() == 1 ? std::span<const Way>(kAllWays) : as_others(kAllWays);
        }
        all.push_back({name, options, std::move(ignore)});
        all.back().ways = {};
    };
    const auto attention = [](void (*change)(AttentionSpec&)) {
        return layer_change([change](LayerSpec& layer) { change(layer.attention); });
    };
    // Each layer's other norm.
    const auto swapped = [](Role to, Role from) {
        return each_layer([to, from](LayerTensors& layer) { layer[to] = layer[from]; });
    };
    for (const test::TestFamily& family : test::test_families()) {
        if (family.gated && family.halves && family.n_experts == 0) {
            add("pairs half a head apart", family.arch.c_str(),
                attention([](AttentionSpec& a) { a.rope.pairing = RopePairing::Neighbours; }));
        }
    }
    using enum Role;
    const Change no_window = attention([](AttentionSpec& a) { a.window = 0; });
    const Change no_logit_scale = spec_change([](ModelSpec& spec) { spec.logit_scale = 1.0F; });
    add("soft cap of scores", "gemma2", attention([](AttentionSpec& a) { a.soft_cap = 0; }));
    add("soft cap of logits", "gemma2",
        spec_change([](ModelSpec& spec) { spec.logit_soft_cap = 0; }));
    add("windows", "gemma2", no_window);
    add("windows one less", "gemma2",
        attention([](AttentionSpec& a) { a.window -= a.window > 0 ? 1 : 0; }));
    add("norm of attention's output", "gemma2", swapped(AttnPostNorm, FfnPostNorm));
    add("norm of the block's output", "gemma2", swapped(FfnPostNorm, AttnPostNorm));
    add("windows", "gemma3", no_window);
    add("base of windows' rotation", "gemma3",
        attention([](AttentionSpec& a) { a.rope.base = 10000.0F; }));
    add("long factors", "phi3",
        [](ModelSpec&, ModelTensors& tensors) { tensors[RopeLong] = tensors[RopeShort]; });
    add("magnitude of rotation", "phi3", attention([](AttentionSpec& a) { a.rope.magnitude = 1; }));
    add("a layer that does not rotate", "smollm3", [](ModelSpec& spec, ModelTensors&) {
        spec.layers[3].attention.rope = spec.layers[2].attention.rope;
    });
    add("scale of scores", "granite", attention([](AttentionSpec& a) { a.scale *= 2; }));
    add("scale of what blocks add", "granite",
        layer_change([](LayerSpec& layer) { layer.residual_scale = 1; }));
    add("scale of logits", "granite", no_logit_scale);
    add("norms around blocks", "glm4", swapped(AttnPostNorm, FfnPostNorm));
    add("norms after blocks", "olmo2", swapped(FfnPostNorm, AttnPostNorm));
    add("one norm of all heads of q", "olmo2", [](ModelSpec&, ModelTensors& tensors) {
        std::swap(tensors.layers[0][QNorm], tensors.layers[1][QNorm]);
    });
    add("one norm of all heads of k", "olmo2", [](ModelSpec&, ModelTensors& tensors) {
        std::swap(tensors.layers[0][KNorm], tensors.layers[1][KNorm]);
    });
    add("windows of a parallel layer", "cohere2", no_window);
    add("layers that see all do not rotate", "cohere2", [](ModelSpec& spec, ModelTensors&) {
        spec.layers[1].attention.rope = spec.layers[0].attention.rope;
    });
    add("scale of logits", "cohere2", no_logit_scale);
    add("norm less the mean, without a bias", "cohere2",
        norm_change([](NormSpec& norm) { norm.kind = NormKind::Rms; }));
    add("norm less the mean, with a gate", "stablelm", without(FfnNormBias));
    add("biases and no gate", "starcoder2", without(UpBias));
    add("squared relu", "nemotron", with_activation(Activation::Relu));
    // Layers 0 and 2 are delta nets, 1 and 3 have gated heads.
    const auto exchanged = [](Role role) {
        return [role](ModelSpec&, ModelTensors& tensors) {
            std::swap(tensors.layers[0][role], tensors.layers[2][role]);
        };
    };
    add("gates of heads", "qwen35", [](ModelSpec& spec, ModelTensors& tensors) {
        for (const std::size_t layer : {1U, 3U}) {
            spec.layers[layer].attention.gated = false;
            tensors.layers[layer][Q].rows /= 2;
        }
    });
    add("short convolution", "qwen35", exchanged(ConvTaps));
    add("decay of states", "qwen35", exchanged(DeltaA));
    add("bias of the decay", "qwen35", exchanged(DeltaDt));
    add("gates of a delta net", "qwen35", exchanged(DeltaGate));
    add("norm of a delta net's heads", "qwen35", exchanged(DeltaNorm));
    add("beta beside alpha", "qwen35", each_layer([](LayerTensors& layer) {
            if (layer[DeltaA].present()) {
                std::swap(layer[K], layer[V]);
            }
        }));
    add("gated convolution", "lfm2", exchanged(ConvTaps));
    add("input of a gated convolution", "lfm2", exchanged(Q));
    add("norm of the heads between convolutions", "lfm2", [](ModelSpec&, ModelTensors& tensors) {
        std::swap(tensors.layers[1][QNorm], tensors.layers[3][KNorm]);
    });
    add("state space", "granitehybrid", exchanged(DeltaA));
    add("bias of the steps", "granitehybrid", exchanged(DeltaDt));
    add("bias of the convolution", "granitehybrid", exchanged(ConvBias));
    add("convolution before a state space", "granitehybrid", exchanged(ConvTaps));
    add("values past the states", "granitehybrid", exchanged(StateSkip));
    add("gates of a state space", "granitehybrid", exchanged(DeltaGate));
    add("norm of a state space's groups", "granitehybrid", exchanged(DeltaNorm));
    add("scale of what blocks add", "granitehybrid",
        layer_change([](LayerSpec& layer) { layer.residual_scale = 1; }));
    // Blocks M * - M: layers 0 and 2 have no neurons.
    add("squared relu behind a block of attention", "nemotron_h",
        with_activation(Activation::Relu));
    add("state space alone", "nemotron_h", exchanged(DeltaA));
    add("norm of a block alone", "nemotron_h", [](ModelSpec&, ModelTensors& tensors) {
        std::swap(tensors.layers[1][FfnNorm], tensors.layers[1][AttnNorm]);
    });
    all.push_back({"half a panel of states",
                   with("nemotron_h",
                        [](TinyModelOptions& o) {
                            o.n_layer = 4;
                            o.delta_net.dim = 48;
                        }),
                   exchanged(StateSkip)});
    // Layers 0, 2 and 4 see a window, 1, 3 and 5 all; 4 and 5 read the pasts of 2 and 3.
    add("windows", "gemma4", no_window);
    add("base of windows' rotation", "gemma4",
        attention([](AttentionSpec& a) { a.rope.base = 10000.0F; }));
    add("factors of some layers' frequencies", "gemma4",
        attention([](AttentionSpec& a) { a.rope.factored = false; }));
    add("norm of values", "gemma4", attention([](AttentionSpec& a) { a.v_norm = false; }));
    add("keys for values", "gemma4", [](ModelSpec& spec, ModelTensors& tensors) {
        spec.layers[1].attention.v_is_k = false;
        tensors.layers[1][V] = tensors.layers[3][K];
    });
    all.push_back({"with windows alone", with("gemma4", [](TinyModelOptions& o) { o.n_layer = 1; }),
                   no_window});
    add("another layer's past", "gemma4",
        [](ModelSpec& spec, ModelTensors&) { spec.layers[4].attention.past_of = 0; });
    add("another layer's past that sees all", "gemma4",
        [](ModelSpec& spec, ModelTensors&) { spec.layers[5].attention.past_of = 1; });
    add("scale of what a layer leaves", "gemma4", without(LayerScale));
    add("gates of layers' inputs", "gemma4", exchanged(LayerGate));
    add("projection of layers' inputs", "gemma4", exchanged(LayerProj));
    add("norm of layers' inputs", "gemma4", exchanged(LayerPostNorm));
    add("soft cap of logits", "gemma4",
        spec_change([](ModelSpec& spec) { spec.logit_soft_cap = 0; }));
    for (const bool plain : {false, true}) {
        all.push_back({plain ? "heads of 256 and 512 of the large kind" : "heads of 256 and 512",
                       with("gemma4",
                            [&](TinyModelOptions& o) {
                                o.n_layer = plain ? 3 : 6;
                                o.head_dim = 512;
                                o.window_head_dim = 256;
                                o.plain_layers = plain;
                            }),
                       no_window});
    }
    add("temperature by position", "mistral3",
        attention([](AttentionSpec& a) { a.temperature = 0; }));
    const auto yarn = [](TinyModelOptions& o) {
        o.yarn_context = 16;
        o.rope_linear_factor = 8;
        o.rope_base = 100;
    };
    all.push_back({"yarn", with("llama", yarn),
                   attention([](AttentionSpec& a) { a.rope.yarn_context = 0; })});
    all.push_back({"yarn's magnitude", with("qwen2", yarn),
                   attention([](AttentionSpec& a) { a.rope.magnitude = 1; })});
}

void add_activations(std::vector<Feature>& all) {
    using enum Activation;
    struct Row {
        const char* name;
        const char* arch;
        const char* activation;
        Activation other;
    };
    for (const Row& row : {Row{"silu", "llama", "silu", ReluGated},
                           {"reglu", "llama", "reglu", DRelu},
                           {"drelu", "bamboo", "drelu", ReluGated},
                           {"relu", "opt", "relu", ReluSquared},
                           {"relu2", "opt", "relu2", Relu},
                           {"gelu", "falcon", "gelu", Relu},
                           {"geglu", "llama", "geglu", SiluGated},
                           {"swiglu-oai", "llama", "swiglu-oai", SiluGated}}) {
        all.push_back({row.name,
                       with(row.arch, [&](TinyModelOptions& o) { o.activation = row.activation; }),
                       with_activation(row.other)});
    }
    const auto threshold = [](TinyModelOptions& o) {
        o.activation = "reglu";
        o.relu_threshold = 0.4F;
    };
    const Change at_zero = layer_change([](LayerSpec& layer) { layer.relu_threshold = 0; });
    all.push_back({"threshold of gates", with("llama", threshold), at_zero});
    all.back().jumps = true;
    all.push_back({"threshold of gates, all computed", with("llama", threshold), at_zero,
                   FeedForwardMode::Dense});
    all.back().jumps = true;
}

void add_shapes(std::vector<Feature>& all) {
    // Queries that read one key, with heads of 16 that fit every group.
    static constexpr std::array kGroups{"1 query a key",   "2 queries a key", "3 queries a key",
                                        "4 queries a key", "5 queries a key", "6 queries a key",
                                        "7 queries a key", "8 queries a key"};
    for (int group = 1; group <= 8; ++group) {
        all.push_back(
            {kGroups[static_cast<std::size_t>(group - 1)], with("llama", [&](TinyModelOptions& o) {
                 o.n_head = 2 * group;
                 o.n_head_kv = 2;
                 o.head_dim = 16;
             })});
    }
    struct Head {
        const char* name;
        int dim;
        int n_head;
    };
    for (const Head& head : {Head{"heads of 2", 2, 16},
                             {"heads of 6", 6, 16},
                             {"heads of 20", 20, 8},
                             {"heads of 48", 48, 2},
                             {"heads of 80", 80, 4},
                             {"heads of 96", 96, 2},
                             {"heads of 112", 112, 2},
                             {"heads of 160", 160, 2},
                             {"heads of 192", 192, 2},
                             {"heads of 256", 256, 2}}) {
        all.push_back({head.name, with("llama", [&](TinyModelOptions& o) {
                           o.head_dim = head.dim;
                           o.n_head = head.n_head;
                           o.n_head_kv = head.n_head / 2;
                       })});
    }
    all.push_back({"tied output", with("llama", [](TinyModelOptions& o) { o.tied = true; })});
    all.push_back({"one tensor of q, k and v",
                   with("llama", [](TinyModelOptions& o) { o.fused_qkv = true; })});
    all.push_back({"one tensor of gate and up",
                   with("llama", [](TinyModelOptions& o) { o.fused_gate_up = true; })});
    for (const char* arch : {"llama", "falcon", "opt"}) {
        const bool alike = std::string(arch) == "opt";
        all.push_back({"layers of different sizes",
                       with(arch,
                            [&](TinyModelOptions& o) {
                                o.head_dim = 16;
                                o.layers = {{4, alike ? 4 : 2, 160}, {6, alike ? 6 : 1, 96}};
                            }),
                       nullptr, FeedForwardMode::Exact, nullptr, kAllWays});
    }
    all.push_back({"rows behind the vocabulary",
                   with("llama", [](TinyModelOptions& o) { o.n_padding_rows = 3; })});
    all.push_back({"gate and up of two types",
                   with("llama", [](TinyModelOptions& o) { o.gate_type = DType::F16; })});
    all.push_back({"an output head of another type",
                   with("llama", [](TinyModelOptions& o) { o.output_type = DType::BF16; })});
}

// Heads of whole blocks of 32, of a part of one, of an odd number of scales.
void add_pasts_in_bytes(std::vector<Feature>& all) {
    const auto add = [&](const char* name, const TinyModelOptions& options, bool shows = true) {
        Feature feature{name, options};
        const bool is_first = std::none_of(all.begin(), all.end(), [&](const Feature& other) {
            return other.past_in_bytes && other.options.arch == options.arch;
        });
        if (shows) {
            feature.ignore = spec_change([](ModelSpec& spec) { set_past(spec, KvType::F16); });
        }
        feature.ways = is_first ? std::span<const Way>(kAllWays) : kTwoWays;
        feature.past_in_bytes = true;
        all.push_back(std::move(feature));
    };
    for (const auto& [name, dim] : {std::pair{"past in bytes, heads of 32", 32},
                                    {"past in bytes, heads of 48", 48},
                                    {"past in bytes, heads of 64", 64},
                                    {"past in bytes, heads of 96", 96},
                                    {"past in bytes, heads of 128", 128}}) {
        add(name, with("llama", [width = dim](TinyModelOptions& o) {
                o.head_dim = width;
                o.n_head = 4;
                o.n_head_kv = 2;
            }));
    }
    add("past in bytes, three queries a key", with("llama", [](TinyModelOptions& o) {
            o.head_dim = 32;
            o.n_head = 6;
            o.n_head_kv = 2;
        }));
    // Attention counts for little in these.
    add("past in bytes", of("gemma3"), false);
    add("past in bytes of another layer",
        with("gemma4",
             [](TinyModelOptions& o) {
                 o.n_layer = 6;
                 o.head_dim = 64;
                 o.window_head_dim = 32;
             }),
        false);
    add("past in bytes", of("opt"));
    add("past in bytes beside states", of("qwen35"), false);
}

void add_packed(std::vector<Feature>& all) {
    const auto add = [&](const char* name, const TinyModelOptions& options, FeedForwardMode mode,
                         std::uint32_t format = 2) {
        all.push_back({name, options, nullptr, mode});
        all.back().packed = format;
    };
    add("packed", of("bamboo"), FeedForwardMode::Exact);
    add("packed in format 1", of("bamboo"), FeedForwardMode::Exact, 1);
    add("packed", of("opt"), FeedForwardMode::Exact);
    add("packed layers of different sizes",
        with("bamboo",
             [](TinyModelOptions& o) {
                 o.head_dim = 16;
                 o.layers = {{4, 2, 96}, {4, 4, 224}};
             }),
        FeedForwardMode::Exact);
    add("packed with predictors",
        with("bamboo",
             [](TinyModelOptions& o) {
                 o.by_neuron = true;
                 o.predictor_width = 64;
                 o.sparse_threshold = 0.1F;
             }),
        FeedForwardMode::Predicted);
}

// Neurons of sparse models that come to VRAM in the place of others, with what belongs to them.
void add_moved_neurons(std::vector<Feature>& all) {
    using enum FeedForwardMode;
    const auto add = [&](const char* name, const char* arch, FeedForwardMode mode,
                         const std::function<void(TinyModelOptions&)>& change,
                         std::uint32_t packed = 0) {
        Feature feature{name, with(arch, [&](TinyModelOptions& o) {
                            o.by_neuron = true;
                            o.n_ff = 320;
                            if (mode == Predicted) {
                                o.predictor_width = 64;
                                o.sparse_threshold = 0.1F;
                            }
                            change(o);
                        })};
        feature.mode = mode;
        feature.ways = kMovedWays;
        feature.packed = packed;
        feature.rounds = true;  // bits are compared with a load's
        all.push_back(std::move(feature));
    };
    const auto of_type = [](DType type) { return [=](TinyModelOptions& o) { o.type = type; }; };
    add("neurons change places", "bamboo", Exact, of_type(DType::F32));
    add("neurons of Q4_0 change places", "bamboo", Exact, of_type(DType::Q4_0));
    add("neurons of Q8_0 change places", "bamboo", Exact, of_type(DType::Q8_0));
    add("neurons with biases change places", "opt", Exact, of_type(DType::F16));
    add("neurons whose gates are of another type change places", "bamboo", Exact,
        [](TinyModelOptions& o) { o.gate_type = DType::F16; });
    add("predicted neurons change places", "bamboo", Predicted, of_type(DType::F32));
    add("predicted neurons of Q4_0 change places", "bamboo", Predicted, of_type(DType::Q4_0));
    add("packed neurons change places", "bamboo", Exact, of_type(DType::Q4_0), 2);
    add("neurons packed in format 1 change places", "bamboo", Exact, of_type(DType::Q4_0), 1);
    add("packed neurons with biases change places", "opt", Exact, of_type(DType::F16), 2);
    add("packed and predicted neurons change places", "bamboo", Predicted, of_type(DType::Q4_0), 2);
}

// What no shader computes, and what the GPU says then.
struct Refusal {
    const char* name;
    Change change;
    const char* why;
};

CheckOutcome check_refusal(const Refusal& refusal) {
    const TempDir dir;
    const std::string path = dir.file("tiny.gguf");
    const Feature feature{refusal.name, of("llama")};
    auto bound = TinyModel(feature.options).write(path)
                     ? bind(path, feature)
                     : Result<Bound>(Error{ErrorCode::WriteFailed, "the model"});
    if (!bound) {
        return {false, bound.error().message};
    }
    if (const std::string why = vulkan::why_not_on_gpu(bound->spec, bound->tensors); !why.empty()) {
        return {false, "a plain model is refused: " + why};
    }
    refusal.change(bound->spec, bound->tensors);
    const std::string why = vulkan::why_not_on_gpu(bound->spec, bound->tensors);
    return {why == refusal.why, why};
}

std::vector<Refusal> refusals() {
    constexpr const char* kHeads = "its attention heads are larger than the shaders take";
    return {
        {"heads of 514", layer_change([](LayerSpec& layer) {
             layer.attention.head_dim = 514;
             layer.attention.n_head = layer.attention.n_head_kv = 32;
         }),
         kHeads},
        {"17 queries a key", layer_change([](LayerSpec& layer) {
             layer.attention.n_head_kv = 2;
             layer.attention.n_head = 34;
         }),
         kHeads},
        {"9 queries of 512 a key", layer_change([](LayerSpec& layer) {
             layer.attention.head_dim = 512;
             layer.attention.n_head_kv = 1;
             layer.attention.n_head = 9;
         }),
         kHeads},
        {"values that are keys without a norm",
         layer_change([](LayerSpec& layer) { layer.attention.v_is_k = true; }),
         "no shader computes this kind of attention layer yet"},
        {"inputs of layers that are no whole blocks",
         spec_change([](ModelSpec& spec) { spec.n_embd_layer = 33; }),
         "its rows are no whole blocks of 32"},
        {"rows that are no whole blocks", layer_change([](LayerSpec& layer) { layer.n_ff = 100; }),
         "its rows are no whole blocks of 32"},
        {"thresholds of inputs",
         each_layer([](LayerTensors& layer) { layer.input_threshold = 0.1F; }),
         "thresholds are applied on the processor only"},
        {"thresholds of hidden values",
         each_layer([](LayerTensors& layer) { layer.hidden_threshold = 0.1F; }),
         "thresholds are applied on the processor only"}};
}

void add_predictors(std::vector<Feature>& all) {
    using enum FeedForwardMode;
    const auto options = [](TinyModelOptions& o) {
        o.by_neuron = true;
        o.predictor_width = 64;
        o.sparse_threshold = 0.1F;
    };
    const Change exact = each_layer(
        [](LayerTensors& layer) { layer[Role::PredictorFc1] = layer[Role::PredictorFc2] = {}; });
    const Change normed = [](ModelSpec&, ModelTensors& tensors) {
        tensors.predictor_input = PredictorInput::Normed;
    };
    const Change residual = [](ModelSpec&, ModelTensors& tensors) {
        tensors.predictor_input = PredictorInput::Residual;
    };
    const Change linear = [](ModelSpec&, ModelTensors& tensors) {
        tensors.predictor_linear = true;
    };
    const Change relu = [](ModelSpec&, ModelTensors& tensors) { tensors.predictor_linear = false; };
    const Change first_only = [](ModelSpec&, ModelTensors& tensors) {
        tensors.layers.back()[Role::PredictorFc1] = {};
        tensors.layers.back()[Role::PredictorFc2] = {};
    };
    for (const char* arch : {"bamboo", "falcon", "opt"}) {
        all.push_back({"predictors", with(arch, options), exact, Predicted});
        all.push_back(
            {"predictors of the residual stream", with(arch, options), normed, Predicted});
        all.push_back(
            {"predictors of the normed input", with(arch, options), residual, Predicted, normed});
    }
    all.push_back({"predictors without ReLU", with("bamboo", options), relu, Predicted, linear});
    all.push_back(
        {"a predictor of one layer", with("bamboo", options), exact, Predicted, first_only});
    all.push_back({"threshold of predictors", with("bamboo", options),
                   each_layer([](LayerTensors& layer) { layer.predictor_threshold = 0.6F; }),
                   Predicted});
    const auto two = [&](TinyModelOptions& o) {
        options(o);
        o.second_norm = true;
    };
    const Change one_norm = each_layer([](LayerTensors& layer) {
        layer[Role::FfnNorm] = layer[Role::AttnNorm];
        layer[Role::FfnNormBias] = layer[Role::AttnNormBias];
    });
    all.push_back({"predictors beside two norms", with("falcon", two), one_norm, Predicted});
    all.push_back(
        {"predictors of the second norm", with("falcon", two), one_norm, Predicted, normed});
}

}  // namespace

std::vector<KernelCheck> feature_checks(const std::shared_ptr<vulkan::Device>& device) {
    std::vector<Feature> all;
    add_norms(all);
    add_biases(all);
    add_predictors(all);
    for (Feature& feature : all) {
        feature.ways = kAllWays;
    }
    add_head_norms(all);
    add_embedding_scales(all);
    add_positions(all);
    add_families(all);
    add_mixtures(all);
    add_experts_beside(all);
    add_latent_experts(all);
    add_latent_attention(all);
    add_activations(all);
    add_shapes(all);
    add_pasts_in_bytes(all);
    add_packed(all);
    add_moved_neurons(all);
    std::vector<KernelCheck> checks;
    for (const Refusal& refusal : refusals()) {
        checks.push_back({std::string("feature/refused: ") + refusal.name,
                          [refusal] { return check_refusal(refusal); }});
    }
    for (const Feature& feature : all) {
        checks.push_back({"feature/" + feature.options.arch + " " + feature.name,
                          [feature, device] { return check(feature, device); }});
    }
    return checks;
}

}  // namespace hearth::test
