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
            row("latents", "no shader computes latent attention yet",
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
            row("an early router", "no shader routes by what a layer begins with yet",
                [](LayerSpec& spec, LayerTensors&) { spec.experts.routed_early = true; });
            row("weights before experts", "no shader weighs what experts read yet",
                [](LayerSpec& spec, LayerTensors&) { spec.experts.weighs_inputs = true; });
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
            return vulkan::attention_bytes(bound.spec, bound.tensors.layers[layer], kLimits);
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
