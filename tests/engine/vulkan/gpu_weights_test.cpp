// The models that a GPU can hold, and the bytes that it is charged for each layer.
#include "vulkan/gpu_weights.h"

#include <QtTest>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "gguf/reader.h"
#include "model/weights.h"
#include "support/tiny_model.h"

using namespace hearth;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;

using Change = std::function<void(ModelSpec&, ModelTensors&)>;
Q_DECLARE_METATYPE(Change)

namespace {

struct Bound {
    explicit Bound(const TinyModelOptions& options) : bytes(TinyModel(options).file().bytes()) {
        file.emplace(std::move(*GgufFile::parse(bytes, "memory")));
        spec = *read_model_spec(*file);
        tensors = *bind_tensors(*file, spec);
    }
    test::Bytes bytes;
    std::optional<GgufFile> file;
    ModelSpec spec;
    ModelTensors tensors;
};

constexpr vulkan::GpuLimits kLimits{std::uint64_t{1} << 30};

}  // namespace

class GpuWeightsTest : public QObject {
    Q_OBJECT

private slots:
    // One layer that no shader computes is enough, whichever it is.
    void aLayerThatNoShaderComputes_data() {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("why");
        QTest::newRow("nothing") << Change([](ModelSpec&, ModelTensors&) {}) << "";
        for (const std::size_t layer : {0U, 1U, 2U}) {
            const auto row = [&](const char* name, const char* why, auto change) {
                QTest::addRow("%s, layer %zu", name, layer)
                    << Change([=](ModelSpec& spec, ModelTensors& tensors) {
                           change(spec.layers[layer], tensors.layers[layer]);
                       })
                    << QString(why);
            };
            row("another rotation", "",
                [](LayerSpec& spec, LayerTensors&) { spec.attention.rope.base = 500; });
            row("large heads", "its attention heads are larger than the shaders take",
                [](LayerSpec& spec, LayerTensors&) { spec.attention.head_dim = 544; });
            row("many queries a key", "its attention heads are larger than the shaders take",
                [](LayerSpec& spec, LayerTensors&) { spec.attention.n_head = 34; });
            row("latents", "no shader computes this kind of latent attention yet",
                [](LayerSpec& spec, LayerTensors&) { spec.latent.rank = 32; });
            row("neurons in no whole blocks", "its rows are no whole blocks of 32",
                [](LayerSpec& spec, LayerTensors&) { spec.n_ff = 100; });
            row("experts behind a matrix", "",
                [](LayerSpec& spec, LayerTensors&) { spec.experts.n_latent = 32; });
            row("experts' inputs in no whole blocks", "its rows are no whole blocks of 32",
                [](LayerSpec& spec, LayerTensors&) { spec.experts.n_latent = 40; });
            row("chunks", "no shader computes attention in chunks yet",
                [](LayerSpec& spec, LayerTensors&) { spec.attention.chunked = true; });
            row("norms of heads without weights",
                "no shader computes this kind of attention layer yet",
                [](LayerSpec& spec, LayerTensors&) { spec.attention.head_norm = HeadNorm::Plain; });
            row("scores that grow from a chunk's last position on",
                "no shader computes this kind of attention layer yet",
                [](LayerSpec& spec, LayerTensors&) { spec.attention.temperature_offset = 1; });
            row("an early router", "",
                [](LayerSpec& spec, LayerTensors&) { spec.experts.routed_early = true; });
            row("weights before experts", "no shader weighs what experts read yet",
                [](LayerSpec& spec, LayerTensors&) { spec.experts.weighs_inputs = true; });
            const auto with_biases = [](int n_experts) {
                return [=](LayerSpec& spec, LayerTensors&) {
                    spec.experts.biases = true;
                    spec.experts.n = n_experts;
                    spec.n_ff = n_experts * 8192;
                };
            };
            row("biases of experts", "", with_biases(512));
            row("too many biases of experts",
                "its experts have more biases than a GPU is sent at once", with_biases(513));
            row("a threshold of inputs", "thresholds are applied on the processor only",
                [](LayerSpec&, LayerTensors& tensors) { tensors.input_threshold = 0.1F; });
            row("a threshold of hidden values", "thresholds are applied on the processor only",
                [](LayerSpec&, LayerTensors& tensors) { tensors.hidden_threshold = 0.1F; });
        }
    }
    void aLayerThatNoShaderComputes() {
        QFETCH(const Change, change);
        QFETCH(const QString, why);
        Bound bound({.n_layer = 3});
        change(bound.spec, bound.tensors);
        QCOMPARE(QString::fromStdString(vulkan::why_not_on_gpu(bound.spec, bound.tensors)), why);
    }

    // The family's files ask for none of this.
    void latentsThatNoShaderComputes_data() {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("why");
        const QString kind = "no shader computes this kind of latent attention yet";
        QTest::newRow("nothing") << Change([](ModelSpec&, ModelTensors&) {}) << QString();
        const auto row = [&](const char* name, const auto& change) {
            QTest::newRow(name) << Change([=](ModelSpec& spec, ModelTensors&) {
                change(spec.layers.back());
            }) << kind;
        };
        row("a window", [](LayerSpec& layer) { layer.attention.window = 9; });
        row("a soft cap", [](LayerSpec& layer) { layer.attention.soft_cap = 30; });
        row("sinks", [](LayerSpec& layer) { layer.attention.sinks = true; });
        row("gates", [](LayerSpec& layer) { layer.attention.gated = true; });
        row("temperature", [](LayerSpec& layer) { layer.attention.temperature = 0.1F; });
        row("another layer's past", [](LayerSpec& layer) { layer.attention.past_of = 0; });
        row("no rotation",
            [](LayerSpec& layer) { layer.attention.rope.pairing = RopePairing::None; });
        row("keys of two heads", [](LayerSpec& layer) { layer.attention.n_head_kv = 2; });
        row("another norm", [](LayerSpec& layer) { layer.norm.kind = NormKind::Layer; });
        row("norms of heads",
            [](LayerSpec& layer) { layer.attention.head_norm = HeadNorm::Whole; });
        row("biases", [](LayerSpec& layer) { layer.qkv_bias = true; });
        row("129 heads", [](LayerSpec& layer) { layer.attention.n_head = 129; });
        row("18 rotated values", [](LayerSpec& layer) {
            layer.attention.rope.dim = 18;
            layer.attention.head_dim = layer.latent.rank + 18;
        });
        row("keys of another width", [](LayerSpec& layer) { layer.attention.head_dim += 32; });
        row("keys of 1,056 values", [](LayerSpec& layer) {
            layer.latent.rank = 1024;
            layer.attention.rope.dim = 32;
            layer.attention.head_dim = 1056;
        });
    }
    void latentsThatNoShaderComputes() {
        QFETCH(const Change, change);
        QFETCH(const QString, why);
        Bound bound({.arch = "deepseek2", .n_layer = 3});
        change(bound.spec, bound.tensors);
        QCOMPARE(QString::fromStdString(vulkan::why_not_on_gpu(bound.spec, bound.tensors)), why);
    }

    // A layer is charged for its own matrices: of another type, or of another number of neurons.
    void layersOfSeveralSizes() {
        const TinyModelOptions options{.arch = "llama", .type = DType::Q8_0, .n_layer = 3};
        Bound bound(options);
        TinyModelOptions other = options;
        other.gate_type = DType::F16;
        const Bound gates(other);
        other = options;
        other.type = DType::F32;
        const Bound floats(other);
        const auto replace = [&](std::size_t layer, Role role, const Bound& by) {
            bound.tensors.layers[layer].weights[role] = by.tensors.layers[layer][role];
        };
        replace(1, Role::Gate, gates);
        replace(2, Role::Q, floats);
        const auto attention = [&](std::size_t layer) {
            return vulkan::attention_bytes(bound.spec.layer(static_cast<int>(layer)),
                                           bound.tensors.layers[layer], kLimits);
        };
        const auto neurons = [&](std::size_t layer, int n) {
            return vulkan::neurons_bytes(bound.spec.layer(static_cast<int>(layer)),
                                         bound.tensors.layers[layer], n, kLimits);
        };
        QCOMPARE(attention(0), attention(1));
        QVERIFY(attention(2) > attention(0) + 64 * 64 * 2);
        for (const int n : {32, 64, 96}) {
            QCOMPARE(neurons(0, n), neurons(2, n));
            QVERIFY(neurons(1, n) > neurons(0, n));
            QVERIFY(neurons(0, n) > neurons(0, n - 32));
        }
        QCOMPARE(neurons(0, 0), std::uint64_t{0});
    }
};

QTEST_APPLESS_MAIN(GpuWeightsTest)
#include "gpu_weights_test.moc"
