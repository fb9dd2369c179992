// What units hold of a model takes as many bytes as the file's tensors: a budget means the file's
// own bits. From headers alone, as planning does it.
#include <QtTest>

#include "cpu/cpu_weights.h"
#include "gguf/encoding.h"
#include "plan/planner.h"
#include "session/processor.h"
#include "support/gguf_builder.h"
#include "vulkan/gpu_weights.h"

using hearth::DType;
using hearth::FeedForwardMode;
using hearth::test::GgufBuilder;

namespace {

constexpr std::uint64_t kEmbd = 512;
constexpr std::uint64_t kFf = 1536;
constexpr std::uint64_t kVocab = 1024;
constexpr std::uint64_t kWidth = 256;  // of predictors
constexpr double kMost = 1.02;

struct Kind {
    DType type;
    std::string arch = "llama";
    bool by_neuron = false;
    bool predictors = false;
    std::optional<DType> gate = std::nullopt;  // if not `type`
};

// A model of one layer without data.
GgufBuilder file_of(const Kind& kind) {
    const std::string a = kind.arch + ".";
    const auto number = [](std::uint64_t n) { return static_cast<std::uint32_t>(n); };
    GgufBuilder file;
    file.key("general.architecture", kind.arch)
        .key(a + "context_length", std::uint32_t{64})
        .key(a + "embedding_length", number(kEmbd))
        .key(a + "block_count", std::uint32_t{1})
        .key(a + "feed_forward_length", number(kFf))
        .key(a + "attention.head_count", std::uint32_t{16})
        .key(a + "attention.head_count_kv", std::uint32_t{4})
        .key(a + "attention.layer_norm_rms_epsilon", 1e-5F)
        .key("hearth.predictor.input", "normed")
        .tensor("token_embd.weight", {kVocab, kEmbd}, kind.type)
        .tensor("output.weight", {kVocab, kEmbd}, kind.type)
        .tensor("output_norm.weight", {kEmbd}, DType::F32)
        .tensor("blk.0.attn_norm.weight", {kEmbd}, DType::F32)
        .tensor("blk.0.ffn_norm.weight", {kEmbd}, DType::F32)
        .tensor("blk.0.attn_q.weight", {kEmbd, kEmbd}, kind.type)
        .tensor("blk.0.attn_k.weight", {kEmbd / 4, kEmbd}, kind.type)
        .tensor("blk.0.attn_v.weight", {kEmbd / 4, kEmbd}, kind.type)
        .tensor("blk.0.attn_output.weight", {kEmbd, kEmbd}, kind.type)
        .tensor("blk.0.ffn_gate.weight", {kFf, kEmbd}, kind.gate.value_or(kind.type))
        .tensor("blk.0.ffn_up.weight", {kFf, kEmbd}, kind.type);
    if (kind.by_neuron) {
        file.tensor("blk.0.ffn_down_t.weight", {kFf, kEmbd}, kind.type);
    } else {
        file.tensor("blk.0.ffn_down.weight", {kEmbd, kFf}, kind.type);
    }
    if (kind.predictors) {
        file.tensor("blk.0.fc1.weight", {kWidth, kEmbd}, kind.type)
            .tensor("blk.0.fc2.weight", {kFf, kWidth}, kind.type);
    }
    return file;
}

}  // namespace

class HeldBytesTest : public QObject {
    Q_OBJECT

private:
    static void compare(std::uint64_t held, std::uint64_t of_file, double most) {
        const double ratio = static_cast<double>(held) / static_cast<double>(of_file);
        qInfo("%.4f", ratio);
        QVERIFY2(ratio <= most, qPrintable(QString::number(ratio)));
        QVERIFY(ratio > 0.98);
    }

private slots:
    void as_many_as_the_file_has_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("gate");
        QTest::addColumn<bool>("by_neuron");
        QTest::addColumn<int>("mode");
        QTest::addColumn<bool>("on_gpu");
        const auto add = [](DType type, DType gate, bool by_neuron, FeedForwardMode mode,
                            bool on_gpu) {
            const auto name = [](DType of) { return hearth::dtype_info(of).name.data(); };
            QTest::addRow("%s %s%s%s, %s%s", on_gpu ? "gpu" : "processor", name(type),
                          gate == type ? "" : ", gate ", gate == type ? "" : name(gate),
                          hearth::to_string(mode).data(), by_neuron ? " by neuron" : "")
                << static_cast<int>(type) << static_cast<int>(gate) << by_neuron
                << static_cast<int>(mode) << on_gpu;
        };
        using enum FeedForwardMode;
        for (const bool on_gpu : {false, true}) {
            for (const hearth::Encoding& encoding : hearth::encodings()) {
                const DType type = encoding.type;
                for (const FeedForwardMode mode : {Dense, Exact, Predicted}) {
                    if (mode == Predicted && !encoding.has(hearth::Layout::NeuronRow)) {
                        continue;  // no predictor is held
                    }
                    for (const bool by_neuron : {false, true}) {
                        if (!by_neuron || encoding.has(hearth::Layout::NeuronRow)) {
                            add(type, type, by_neuron, mode, on_gpu);
                        }
                    }
                }
            }
            add(DType::Q4_0, DType::Q8_0, false, Exact, on_gpu);
            add(DType::Q4_0, DType::Q5_0, false, Dense, on_gpu);
            add(DType::Q8_0, DType::F16, true, Exact, on_gpu);
            add(DType::Q4_0, DType::Q6_K, false, Dense, on_gpu);
        }
        for (const hearth::Encoding& encoding : hearth::encodings()) {
            if (encoding.has(hearth::Layout::InputColumn)) {
                add(encoding.type, encoding.type, false, Thresholded, false);
            }
        }
    }
    void as_many_as_the_file_has() {
        QFETCH(int, type);
        QFETCH(int, gate);
        QFETCH(bool, by_neuron);
        QFETCH(int, mode);
        QFETCH(bool, on_gpu);
        const auto how = static_cast<FeedForwardMode>(mode);
        const bool sparse = how == FeedForwardMode::Exact || how == FeedForwardMode::Predicted;
        const Kind kind{static_cast<DType>(type), sparse || by_neuron ? "bamboo" : "llama",
                        by_neuron, how == FeedForwardMode::Predicted, static_cast<DType>(gate)};
        const hearth::test::Bytes bytes = file_of(kind).bytes();
        const auto file = hearth::GgufFile::parse(bytes, "of a test");
        QVERIFY2(file, file ? "" : file.error().message.c_str());
        const auto spec = hearth::read_model_spec(*file);
        QVERIFY2(spec, spec ? "" : spec.error().message.c_str());
        auto tensors = hearth::bind_tensors(*file, *spec);
        QVERIFY2(tensors, tensors ? "" : tensors.error().message.c_str());
        if (kind.predictors) {
            const auto predictors = hearth::bind_predictors(*file, *spec, {});
            QVERIFY2(predictors, predictors ? "" : predictors.error().message.c_str());
            hearth::use_predictors(*file, *predictors, *tensors);
        }
        std::uint64_t of_file = 0;
        for (const hearth::TensorInfo& tensor : file->tensors().entries()) {
            of_file += tensor.bytes;
        }
        std::uint64_t held = 0;
        if (on_gpu) {
            const hearth::vulkan::GpuLimits limits;
            const hearth::LayerTensors& layer = tensors->layers[0];
            of_file -= (*tensors)[hearth::Role::TokenEmbd].bytes();
            held = hearth::vulkan::attention_bytes(spec->layers.front(), layer, limits) +
                   hearth::vulkan::neurons_bytes(spec->layers.front(), layer, spec->n_ff_max(),
                                                 limits) +
                   hearth::vulkan::output_bytes(*tensors, limits);
            held += kind.predictors ? hearth::vulkan::predictor_bytes(layer, limits) : 0;
        } else {
            held = hearth::CpuWeights::bytes_for(*spec, *tensors, how);
        }
        // A GPU holds a list of patterns beside each matrix, which shows where these are small.
        const bool packed =
            hearth::encoding_of(static_cast<DType>(type)).codes == hearth::CodeKind::Packed;
        compare(held, of_file, packed ? 1.10 : kMost);
    }
};

QTEST_GUILESS_MAIN(HeldBytesTest)
#include "held_bytes_test.moc"
