// The CPU executor with part of a model: two that hold complementary parts give together what one
// gives that holds all, and take from the ledger exactly what was planned.
#include <hearth/tools.h>

#include <QtTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>

#include "cpu/cpu_executor.h"
#include "hardware/cpu_features.h"
#include "session/processor.h"
#include "support/loose_cpu_executor.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"
#include "support/vram_part.h"

namespace {

using hearth::Cluster;
using hearth::DType;
using hearth::FeedForwardMode;
using hearth::Placement;
using hearth::Role;
using hearth::test::VramPart;

constexpr int kEmbd = 64;
constexpr int kFf = 320;  // three chunks of 128, the last of them not full
constexpr int kLayers = 2;
constexpr int kCtx = 64;
constexpr int kThreads = 2;

struct Nothing : hearth::LoadMonitor {
    bool loaded(double) override { return true; }
};

// Records of a packed file, rows of a neuron each, or down by output.
enum class Form { Packed, ByNeuron, ByOutput };

struct Model {
    Model(const hearth::test::TinyModelOptions& options, FeedForwardMode wanted,
          bool packed = false)
        : mode(wanted) {
        const bool says_input = options.sparse_threshold.has_value();  // as PowerInfer's do
        std::string path = dir.file("tiny.gguf");
        if (!hearth::test::TinyModel(options).write(path)) {
            return;
        }
        if (packed) {
            const std::string source = std::exchange(path, dir.file("packed.gguf"));
            if (!hearth::tools::pack(
                    source, {.output_path = path, .predictor_input = says_input ? "" : "normed"},
                    {}, {})) {
                return;
            }
        }
        file = std::make_unique<hearth::GgufFile>(std::move(*hearth::GgufFile::open(path)));
        spec = *hearth::read_model_spec(*file);
        tensors = *hearth::bind_tensors(*file, spec);
        if (mode == FeedForwardMode::Predicted) {
            const auto stated =
                says_input ? std::nullopt : std::optional(hearth::PredictorInput::Normed);
            hearth::use_predictors(*file, *hearth::bind_predictors(*file, spec, {}, stated),
                                   tensors);
        }
    }
    std::uint64_t weights(const Placement& placement) const {
        return hearth::CpuWeights::bytes_for(spec, tensors, mode, placement);
    }

    hearth::test::TempDir dir;
    std::unique_ptr<hearth::GgufFile> file;
    hearth::ModelSpec spec;
    hearth::ModelTensors tensors;
    FeedForwardMode mode;
};

// Made once for all its splits.
const Model& model_of(const std::string& arch, bool pwri, Form form, DType type,
                      FeedForwardMode mode) {
    static std::map<std::tuple<std::string, bool, Form, DType, FeedForwardMode>,
                    std::unique_ptr<Model>>
        made;
    std::unique_ptr<Model>& model = made[{arch, pwri, form, type, mode}];
    if (model == nullptr) {
        const bool powerinfer = pwri || form == Form::ByNeuron;
        model = std::make_unique<Model>(
            hearth::test::TinyModelOptions{
                .arch = arch,
                .type = type,
                .n_layer = kLayers,
                .n_embd = kEmbd,
                .n_ff = kFf,
                .n_ctx = kCtx,
                .by_neuron = form == Form::ByNeuron,
                .pwri = pwri,
                .predictor_width = 64,
                .sparse_threshold = powerinfer ? std::optional(0.1F) : std::nullopt},
            mode, form == Form::Packed);
    }
    return *model;
}

// What is left of a model for the processor, loaded.
struct Part {
    Part(const Model& of, const Placement& placement) : model(of), ledger({}), pool(kThreads) {
        plan.placement =
            placement.layers.empty() ? hearth::all_in_ram(model.spec.neurons()) : placement;
        plan.n_ctx = kCtx;
        plan.n_batch = 32;
        plan.threads = kThreads;
        plan.mode = model.mode;
        plan.ram = {
            model.weights(plan.placement),
            hearth::KvCache::bytes_for(model.spec, kCtx, plan.placement),
            hearth::CpuExecutor::scratch_bytes(model.spec, model.tensors.predictor_width(),
                                               plan.n_batch, kThreads, model.mode),
        };
        ledger = hearth::Ledger(plan.ram);
        executor = hearth::test::loose_cpu_executor(pool);
        Nothing monitor;
        auto made = hearth::KvCache::create(model.spec, kCtx, ledger, plan.placement);
        const auto done =
            executor->load({*model.file, model.spec, model.tensors, plan, ledger}, monitor);
        loaded = made && done && ledger.actual() == plan.ram;
        if (made) {
            past.cpu = std::move(*made);
        }
    }
    std::vector<Cluster> clusters(int layer) const {
        const int hot = plan.placement.hot(layer);
        return hot == kFf ? std::vector<Cluster>{} : std::vector<Cluster>{{layer, hot, kFf - hot}};
    }
    std::vector<float> run(int layer, const std::vector<float>& x) {
        std::vector<float> y(x.size(), -1.0F);
        const auto done = executor->feed_forward(
            {layer, x.data(), y.data(), static_cast<int>(x.size()) / kEmbd, clusters(layer)});
        return done ? y : std::vector<float>{};
    }
    std::vector<float> attend(int layer, const std::vector<float>& x, int position) {
        std::vector<float> y(x.size(), -1.0F);
        const auto done = executor->attention(
            {x.data(), y.data(), {layer, static_cast<int>(x.size()) / kEmbd, position, past}});
        return done ? y : std::vector<float>{};
    }

    // One step alone: it takes the stream from memory that a GPU would share, or leaves it there.
    std::vector<float> head(const std::vector<float>& x) {
        const std::vector<std::int32_t> tokens(x.size() / kEmbd);
        const hearth::SharedMemory shared{.stream_to_cpu = x.data()};
        const bool done =
            executor->begin({.tokens = tokens, .last_logits = true, .shared = shared}) &&
            executor->run({.op = hearth::Op::Head, .wait = 1}) && executor->end();
        const auto logits = executor->last_logits();
        return done ? std::vector<float>(logits->begin(), logits->end()) : std::vector<float>{};
    }
    std::vector<float> embed(const std::vector<std::int32_t>& tokens, int position) {
        std::vector<float> x(tokens.size() * kEmbd, -1.0F);
        const hearth::SharedMemory shared{.stream_to_gpu = x.data()};
        const bool done =
            executor->begin({.tokens = tokens, .position = position, .shared = shared}) &&
            executor->run({.op = hearth::Op::Embed, .signal = 1}) && executor->end();
        return done ? x : std::vector<float>{};
    }

    const Model& model;
    hearth::Plan plan;
    hearth::Ledger ledger;
    hearth::ThreadPool pool;
    std::unique_ptr<hearth::CpuExecutor> executor;
    hearth::Past past;
    bool loaded = false;
};

// Of layer 0 `hot` neurons, of layer 1 as many less or more, in the file's order or another.
VramPart part_of(int hot, bool ordered) {
    VramPart part{std::vector<int>(kLayers, kFf)};
    part.hot_neurons = {hot, hot == 0 || hot == kFf ? hot : kFf - hot};
    for (unsigned layer = 0; layer < kLayers && ordered; ++layer) {
        std::vector<int> order(kFf);
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), std::mt19937(layer));
        if (layer == 1) {  // as a planner leaves it
            std::sort(order.begin() + part.hot_neurons[1], order.end());
        }
        part.neuron_order.push_back(order);
    }
    return part;
}

// The neurons that `part` leaves to the processor go to the GPU, and the other way round.
VramPart complement(const VramPart& part) {
    VramPart other = part;
    other.neuron_order.resize(kLayers);
    for (int layer = 0; layer < kLayers; ++layer) {
        const auto l = static_cast<std::size_t>(layer);
        std::vector<int>& order = other.neuron_order[l];
        if (order.empty()) {
            order.resize(kFf);
            std::iota(order.begin(), order.end(), 0);
        }
        std::rotate(order.begin(), order.begin() + part.hot(layer), order.end());
        other.hot_neurons[l] = kFf - part.hot(layer);
    }
    return other;
}

std::vector<float> random_rows(int n_tokens, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> x(static_cast<std::size_t>(n_tokens * kEmbd));
    std::generate(x.begin(), x.end(), [&] { return normal(random); });
    return x;
}

double largest(const std::vector<float>& values) {
    double most = 0;
    for (const float value : values) {
        most = std::max(most, std::isfinite(value) ? std::fabs(static_cast<double>(value)) : 1e9);
    }
    return most;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
    std::vector<float> difference(a.size());
    std::transform(a.begin(), a.end(), b.begin(), difference.begin(), std::minus<>());
    return largest(difference);
}

void add_down_bias(const Model& model, int layer, std::vector<float>& y) {
    const hearth::Weight& bias =
        model.tensors.layers[static_cast<std::size_t>(layer)][Role::DownBias];
    if (!bias.present()) {
        return;
    }
    std::vector<float> values(kEmbd);
    QVERIFY(model.file->file().read_at(bias.in_file(), std::as_writable_bytes(std::span(values))));
    for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] += values[i % kEmbd];
    }
}

// Bytes held by both of two parts of a block: what is not its neurons'.
std::uint64_t shared_bytes(const Model& model) {
    std::uint64_t bytes = 0;
    for (const hearth::LayerTensors& layer : model.tensors.layers) {
        const bool own_norm = !layer[Role::FfnNorm].same_as(layer[Role::AttnNorm]);
        bytes += own_norm ? kEmbd * sizeof(float) : 0;
        bytes += own_norm && layer[Role::FfnNormBias].present() ? kEmbd * sizeof(float) : 0;
        bytes += model.mode == FeedForwardMode::Predicted ? layer[Role::PredictorFc1].bytes() : 0;
    }
    return bytes;
}

}  // namespace

class CpuSliceTest : public QObject {
    Q_OBJECT

private slots:
    // The processor adds the experts that a GPU chose and that are here, each with its weight; it
    // refuses a choice that names none, and not the next one.
    void experts_that_a_gpu_chose() {
        const Model& model =
            model_of("qwen3moe", false, Form::ByOutput, DType::F32, FeedForwardMode::Dense);
        const hearth::ExpertsSpec& experts = model.spec.layer(0).experts;
        QCOMPARE(experts.n, 8);
        QCOMPARE(experts.n_used, 3);
        const auto with_hot = [&](int n_hot, const std::vector<int>& order) {
            VramPart part{model.spec.neurons()};
            part.hot_neurons.assign(kLayers, n_hot * experts.n_ff);
            part.neuron_order.assign(kLayers, order);
            return part;
        };
        const std::vector<float> x = random_rows(1, 8);
        using Choice = std::array<hearth::ChosenExpert, 3>;
        const auto run = [&](Part& part, const Choice& choice) {
            std::vector<float> y(kEmbd, -1.0F);
            const int hot = part.plan.placement.hot(0);
            const Cluster cold{0, hot, model.spec.layer(0).n_ff - hot};
            const auto done = part.executor->feed_forward({.layer = 0,
                                                           .x = x.data(),
                                                           .y = y.data(),
                                                           .n_tokens = 1,
                                                           .clusters = {&cold, 1},
                                                           .chosen = choice.data()});
            return done ? y : std::vector<float>{};
        };
        // All but the first expert are here.
        Part most(model, with_hot(1, {}));
        // Experts 6, 1, 4 and 3 are here, in this order.
        Part half(model, with_hot(4, {0, 7, 5, 2, 6, 1, 4, 3}));
        QVERIFY(most.loaded && half.loaded);
        const auto one = run(most, {{{1, 0.5F}, {2, 0.0F}, {3, 0.0F}}});
        const auto six = run(most, {{{0, 9.0F}, {2, 0.0F}, {6, 0.25F}}});
        const auto both = run(half, {{{1, 0.5F}, {5, 3.0F}, {6, 0.25F}}});
        QVERIFY(!one.empty() && !six.empty() && !both.empty());
        for (std::size_t i = 0; i < both.size(); ++i) {
            QVERIFY(std::abs(both[i] - (one[i] + six[i])) <= 1e-5F);
            QVERIFY(one[i] != 0.0F && six[i] != 0.0F);
        }
        const auto none = run(half, {{{0, 1.0F}, {2, 1.0F}, {7, 1.0F}}});
        QCOMPARE(none, std::vector<float>(kEmbd, 0.0F));
        for (const Choice& wrong :
             {Choice{{{1, 1.0F}, {1, 1.0F}, {6, 1.0F}}}, Choice{{{1, 1.0F}, {3, 1.0F}, {8, 1.0F}}},
              Choice{{{-1, 1.0F}, {3, 1.0F}, {6, 1.0F}}},
              Choice{{{1, std::nanf("")}, {3, 1.0F}, {6, 1.0F}}}}) {
            QVERIFY(run(half, wrong).empty());
        }
        QCOMPARE(run(half, {{{1, 0.5F}, {5, 3.0F}, {6, 0.25F}}}), both);
    }

    // An observer is shown tokens that are computed whole: who counts is told to leave them out.
    void an_observed_token_does_not_count() {
        struct : hearth::FeedForwardObserver {
            void observed(const hearth::FeedForwardRecord&) override { ++seen; }
            int seen = 0;
        } observer;
        const Model& model =
            model_of("bamboo", false, Form::ByNeuron, DType::F32, FeedForwardMode::Exact);
        Part whole(model, {});
        hearth::SelfProfile profile("", std::vector<int>(kLayers, kFf));
        whole.executor->count_firing(&profile);
        whole.run(0, random_rows(1, 5));
        whole.executor->observe(&observer);
        whole.run(1, random_rows(1, 6));
        QCOMPARE(observer.seen, 1);
        QVERIFY(!whole.executor->count_token());
        whole.executor->observe(nullptr);
        for (int layer = 0; layer < kLayers; ++layer) {
            QVERIFY(std::ranges::all_of(profile.fired(layer), [](auto n) { return n == 0; }));
        }
    }

    void two_parts_are_the_whole_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<bool>("pwri");
        QTest::addColumn<int>("form");
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("mode");
        QTest::addColumn<int>("hot");
        QTest::addColumn<bool>("ordered");
        // dReLU and SiLU gates, ReLU without a gate and with biases, GELU without either.
        const std::pair<const char*, bool> kinds[] = {{"bamboo", false},
                                                      {"llama", false},
                                                      {"llama", true},
                                                      {"opt", false},
                                                      {"falcon", false}};
        for (const auto& [arch, pwri] : kinds) {
            const bool sparse = pwri || arch == std::string("bamboo") || arch == std::string("opt");
            for (const auto& [name, form] : {std::pair{"packed", Form::Packed},
                                             {"by neuron", Form::ByNeuron},
                                             {"by output", Form::ByOutput}}) {
                // Packed and PowerInfer's files are of sparse models; a column of a block that is
                // stored by output moves with its neighbours only.
                if (!sparse && form != Form::ByOutput) {
                    continue;
                }
                for (const DType type : {DType::F32, DType::Q8_0, DType::Q4_0, DType::Q5_0}) {
                    for (const FeedForwardMode mode :
                         {FeedForwardMode::Dense, FeedForwardMode::Exact,
                          FeedForwardMode::Predicted}) {
                        if (!sparse && mode != FeedForwardMode::Dense) {
                            continue;
                        }
                        for (const int hot : {0, 96, 224, kFf}) {
                            for (const bool ordered : {false, true}) {
                                if (ordered && form == Form::ByOutput) {
                                    continue;
                                }
                                QTest::addRow("%s%s/%s/%s/%s/%d/%s", arch, pwri ? " pwri" : "",
                                              hearth::dtype_info(type).name.data(), name,
                                              to_string(mode).data(), hot,
                                              ordered ? "ordered" : "as the file")
                                    << arch << pwri << static_cast<int>(form)
                                    << static_cast<int>(type) << static_cast<int>(mode) << hot
                                    << ordered;
                            }
                        }
                    }
                }
            }
        }
    }
    void two_parts_are_the_whole() {
        QFETCH(QString, arch);
        QFETCH(bool, pwri);
        QFETCH(int, form);
        QFETCH(int, type);
        QFETCH(int, mode);
        QFETCH(int, hot);
        QFETCH(bool, ordered);
        const Model& model = model_of(arch.toStdString(), pwri, static_cast<Form>(form),
                                      static_cast<DType>(type), static_cast<FeedForwardMode>(mode));
        QVERIFY(model.file != nullptr);
        const VramPart cut = part_of(hot, ordered);
        Part whole(model, {});
        Part cold(model, cut);
        Part rest(model, complement(cut));
        QVERIFY(whole.loaded && cold.loaded && rest.loaded);

        hearth::SelfProfile of_whole("", std::vector<int>(kLayers, kFf));
        hearth::SelfProfile of_parts("", std::vector<int>(kLayers, kFf));
        whole.executor->count_firing(&of_whole);
        cold.executor->count_firing(&of_parts);
        rest.executor->count_firing(&of_parts);
        // A token that broke off after the first layer is not in the counts.
        for (Part* part : {&whole, &cold, &rest}) {
            part->run(0, random_rows(1, 99));
            part->executor->reset_activity();
        }
        const bool counts = whole.executor->activity().value()[0].path != FeedForwardMode::Dense;
        const bool split = hot != 0 && hot != kFf;
        for (const int n_tokens : {1, 1, 5, 20}) {
            for (int layer = 0; layer < kLayers; ++layer) {
                const std::vector<float> x =
                    random_rows(n_tokens, static_cast<unsigned>(n_tokens + 10 * layer));
                const std::vector<float> wanted = whole.run(layer, x);
                std::vector<float> sum = cold.run(layer, x);
                const std::vector<float> other = rest.run(layer, x);
                QVERIFY(!split || (largest(sum) > 1e-3 && largest(other) > 1e-3));
                std::transform(sum.begin(), sum.end(), other.begin(), sum.begin(), std::plus<>());
                if (split) {  // place 0 is on the GPU, either way
                    add_down_bias(model, layer, sum);
                }
                QVERIFY2(largest_difference(sum, wanted) <= 2e-5 * largest(wanted),
                         qPrintable(QString::number(largest_difference(sum, wanted))));
            }
            for (Part* part : {&whole, &cold, &rest}) {
                QVERIFY(n_tokens > 1 || part->executor->count_token());
            }
        }
        for (std::size_t l = 0; l < kLayers; ++l) {
            const auto& all = whole.executor->activity().value()[l];
            const auto& a = cold.executor->activity().value()[l];
            const auto& b = rest.executor->activity().value()[l];
            QCOMPARE(all.neurons, counts ? std::uint64_t{2 * kFf} : std::uint64_t{0});
            QCOMPARE(a.neurons + b.neurons, all.neurons);
            QCOMPARE(a.examined + b.examined, all.examined);
            QCOMPARE(a.opened + b.opened, all.opened);
            QCOMPARE(a.fired + b.fired, all.fired);
            QVERIFY(!counts || all.fired > 0);
            const std::span<const std::uint32_t> fired = of_whole.fired(static_cast<int>(l));
            QCOMPARE(std::accumulate(fired.begin(), fired.end(), std::uint64_t{0}), all.fired);
            QVERIFY(std::ranges::equal(of_whole.fired(static_cast<int>(l)),
                                       of_parts.fired(static_cast<int>(l))));
        }

        // What belongs to no neuron is in both parts, or, down's bias, in neither.
        VramPart none = cut;
        none.hot_neurons = {kFf, kFf};
        std::uint64_t blocks = whole.ledger.actual().weights - model.weights(none);
        for (const hearth::LayerTensors& layer : model.tensors.layers) {
            if (split) {
                blocks -= layer[Role::DownBias].present() ? kEmbd * sizeof(float) : 0;
            }
        }
        if (split) {
            blocks += shared_bytes(model);
        }
        QCOMPARE(
            cold.ledger.actual().weights + rest.ledger.actual().weights - 2 * model.weights(none),
            blocks);
    }

    // One token's reads add up too: before any was computed, of all neurons.
    void decode_bytes_add_up() {
        for (const bool by_neuron : {true, false}) {
            const Model model({.type = DType::Q4_0,
                               .n_layer = kLayers,
                               .n_embd = kEmbd,
                               .n_ff = kFf,
                               .by_neuron = by_neuron},
                              FeedForwardMode::Exact);
            const VramPart cut = part_of(96, by_neuron);
            VramPart none = cut;
            none.hot_neurons = {kFf, kFf};
            Part whole(model, {});
            Part cold(model, cut);
            Part rest(model, complement(cut));
            Part bare(model, none);
            QVERIFY(whole.loaded && cold.loaded && rest.loaded && bare.loaded);
            const auto bytes = [](const Part& part) {
                return part.executor->decode_weight_bytes();
            };
            QCOMPARE(bytes(cold) + bytes(rest), bytes(whole) + bytes(bare));
            QVERIFY(bytes(cold) > bytes(bare));
            for (int layer = 0; layer < kLayers; ++layer) {
                for (Part* part : {&whole, &cold, &rest}) {
                    part->run(layer, random_rows(1, 4));
                }
            }
            QCOMPARE(bytes(cold) + bytes(rest), bytes(whole) + bytes(bare));
        }
    }

    void attention_and_output_elsewhere_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<bool>("tied");
        for (const char* arch : {"llama", "opt", "falcon"}) {
            QTest::addRow("%s", arch) << arch << false;
            QTest::addRow("%s/tied", arch) << arch << true;
        }
    }
    void attention_and_output_elsewhere() {
        QFETCH(QString, arch);
        QFETCH(bool, tied);
        const Model model({.arch = arch.toStdString(),
                           .n_layer = kLayers,
                           .n_embd = kEmbd,
                           .n_ff = kFf,
                           .n_ctx = kCtx,
                           .tied = tied,
                           .rope_factors = arch == "llama"},
                          FeedForwardMode::Dense);
        VramPart first{model.spec.neurons()};
        first.attention_in_vram = {true, false};
        VramPart head{model.spec.neurons()};
        head.output_in_vram = true;
        VramPart all_but_neurons{model.spec.neurons()};
        all_but_neurons.attention_in_vram = {true, true};
        all_but_neurons.output_in_vram = true;
        Part whole(model, {});
        Part second(model, first);
        Part headless(model, head);
        Part neurons(model, all_but_neurons);
        QVERIFY(whole.loaded && second.loaded && headless.loaded && neurons.loaded);

        // Bytes of what is elsewhere. Falcon's one norm stays for the neurons.
        const hearth::LayerTensors& layer = model.tensors.layers[0];
        std::uint64_t attention = 0;
        for (const Role role : {Role::Q, Role::K, Role::V, Role::QBias, Role::KBias, Role::VBias,
                                Role::AttnOutput, Role::AttnOutputBias}) {
            attention += layer[role].bytes();
        }
        if (!layer[Role::AttnNorm].same_as(layer[Role::FfnNorm])) {
            attention += layer[Role::AttnNorm].bytes() + layer[Role::AttnNormBias].bytes();
        }
        const hearth::ModelTensors& tensors = model.tensors;
        const hearth::Weight& output_matrix = tensors[Role::Output];
        std::uint64_t output =
            tensors[Role::OutputNorm].bytes() + tensors[Role::OutputNormBias].bytes();
        output +=
            tied ? 0 : (output_matrix.rows + 15) / 16 * 16 * output_matrix.cols * sizeof(float);
        const std::uint64_t ropes = tensors[Role::RopeFreqs].present() ? 64 : 0;  // a cache line
        const std::uint64_t all = whole.ledger.actual().weights;
        QCOMPARE(all - second.ledger.actual().weights, attention);
        QCOMPARE(all - headless.ledger.actual().weights, output);
        QCOMPARE(all - neurons.ledger.actual().weights, kLayers * attention + output + ropes);
        QCOMPARE(second.ledger.actual().kv * 2, whole.ledger.actual().kv);
        QCOMPARE(neurons.ledger.actual().kv, std::uint64_t{0});
        QVERIFY(neurons.executor->decode_weight_bytes() < second.executor->decode_weight_bytes());

        // What is here gives what it gave.
        const std::vector<float> x = random_rows(7, 8);
        const std::vector<float> next = random_rows(1, 9);
        whole.attend(0, x, 0);  // angles are computed with the first layer's attention
        QVERIFY(second.attend(1, x, 0) == whole.attend(1, x, 0));
        whole.attend(0, next, 7);
        QVERIFY(second.attend(1, next, 7) == whole.attend(1, next, 7));
        QVERIFY(neurons.run(0, x) == whole.run(0, x));
        QVERIFY(!second.head(next).empty() && second.head(next) == whole.head(next));
        QVERIFY(neurons.embed({3, 258, 0}, 4) == whole.embed({3, 258, 0}, 4));
    }
};

QTEST_GUILESS_MAIN(CpuSliceTest)
#include "cpu_slice_test.moc"
