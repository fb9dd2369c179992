// Models whose layers differ in all that a ModelSpec lets them differ in, and whose matrices are of
// several types: the processor's logits are those of plain arithmetic, for a batch and for tokens
// that come alone. Files of today's families say most of it once for all layers.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cpu/cpu_executor.h"
#include "gguf/writer.h"
#include "model/predictor_file.h"
#include "session/decoder.h"
#include "support/loose_cpu_executor.h"
#include "support/reference_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using namespace hearth;
using test::ReferenceLayer;
using test::TinyModel;
using test::TinyModelOptions;

namespace {

constexpr int kCtx = 64;
constexpr int kTokens = 20;

struct Nothing : LoadMonitor {
    bool loaded(double) override { return true; }
};

// Tensors whose names end so are of these types.
using Types = std::vector<std::pair<std::string, DType>>;

struct Row {
    std::string name;
    TinyModelOptions options;
    std::vector<ReferenceLayer> layers;  // empty: as the file says
    FeedForwardMode mode = FeedForwardMode::Dense;
    double bound = 1e-4;  // of the greatest difference
    Types types{};
};

// The model as a file, whose tensors are those of models that differ in their type alone.
bool write(const Row& row, const std::string& path) {
    std::map<DType, std::unique_ptr<test::Bytes>> bytes;
    std::map<DType, GgufFile> files;
    const auto add = [&](DType type) {
        TinyModelOptions options = row.options;
        options.type = type;
        bytes[type] = std::make_unique<test::Bytes>(TinyModel(options, 2).file().bytes());
        files.emplace(type, std::move(*GgufFile::parse(*bytes[type], "memory")));
    };
    add(row.options.type);
    for (const auto& [ending, type] : row.types) {
        if (!files.contains(type)) {
            add(type);
        }
    }
    const GgufFile& whole = files.at(row.options.type);
    std::vector<TensorInfo> tensors;
    std::vector<std::vector<std::byte>> data;
    for (const TensorInfo& tensor : whole.tensors().entries()) {
        const GgufFile* from = &whole;
        for (const auto& [ending, type] : row.types) {
            from = tensor.name.ends_with(ending) ? &files.at(type) : from;
        }
        const TensorInfo* found = from->tensors().find(tensor.name);
        data.emplace_back(static_cast<std::size_t>(found->bytes));
        if (!from->read(*found, 0, data.back())) {
            return false;
        }
        tensors.push_back(*found);
    }
    auto writer = GgufWriter::create(path, whole.metadata(), tensors, whole.container());
    for (const std::vector<std::byte>& of_tensor : data) {
        if (!writer || !writer->write(of_tensor)) {
            return false;
        }
    }
    return writer && writer->finish();
}

std::vector<Row> rows() {
    std::vector<Row> all;
    const TinyModelOptions llama{.arch = "llama", .n_layer = 3};
    const auto add_layers = [&](const char* name, TinyModelOptions options,
                                std::vector<ReferenceLayer> layers,
                                FeedForwardMode mode = FeedForwardMode::Dense) {
        options.n_layer = static_cast<int>(layers.size());
        all.push_back({name, std::move(options), std::move(layers), mode});
    };
    const ReferenceLayer usual;
    ReferenceLayer other = usual;
    other.rope_base = 50;
    add_layers("two bases of angles, one after the other", llama, {usual, other, usual});
    add_layers("two bases of angles, the second twice", llama, {usual, other, other, usual});
    other = usual;
    other.rope_linear_factor = 4;
    add_layers("positions of one layer are scaled", llama, {usual, other, usual});
    other = usual;
    other.rope_dim = 8;
    add_layers("one layer rotates half of a head", llama, {usual, other, usual});
    add_layers("all but one layer rotate half of a head", llama, {other, usual, other});
    add_layers("likewise with pairs half a head apart", {.arch = "qwen3"}, {usual, other, usual});
    other = usual;
    other.norm_eps = 0.5;
    add_layers("two norms", llama, {usual, other, usual});
    add_layers("two norms, of heads too", {.arch = "qwen3"}, {other, usual, other});
    other = usual;
    other.chunk = 7;
    add_layers("positions of one layer in chunks", llama, {usual, other, usual});
    other.chunk = 1;
    add_layers("chunks of one position", llama, {other, usual});
    other = usual;
    other.temperature = 0.9;
    other.temperature_length = 4;
    add_layers("scores that grow from a chunk's last position on", {.arch = "llama4"},
               {usual, usual, usual, other});
    ReferenceLayer third = usual;
    third.relu_threshold = 0.2;
    other = usual;
    other.relu_threshold = 0.5;
    for (const auto mode : {FeedForwardMode::Dense, FeedForwardMode::Exact}) {
        add_layers(mode == FeedForwardMode::Dense ? "three thresholds of gates, dense"
                                                  : "three thresholds of gates, exact",
                   {.arch = "llama", .activation = "reglu"}, {usual, other, third}, mode);
    }
    for (const auto mode : {FeedForwardMode::Dense, FeedForwardMode::Exact}) {
        all.push_back({std::string("three widths, ") + std::string(to_string(mode)),
                       {.arch = "bamboo",
                        .n_layer = 3,
                        .head_dim = 16,
                        .layers = {{4, 2, 160}, {6, 3, 96}, {2, 1, 224}}},
                       {},
                       mode});
    }

    // Each matrix of one layer is the only one that is quantised, and the only one that is not.
    const std::vector<std::string> matrices{"attn_q",   "attn_k", "attn_v",  "attn_output",
                                            "ffn_gate", "ffn_up", "ffn_down"};
    for (const std::string& matrix : matrices) {
        for (const auto& [most, one] :
             {std::pair{DType::F32, DType::Q8_0}, std::pair{DType::Q8_0, DType::F32}}) {
            all.push_back({matrix + " is " + std::string(dtype_info(one).name),
                           {.arch = "llama", .type = most, .n_layer = 2},
                           {},
                           FeedForwardMode::Dense,
                           0.15,
                           {{"blk.1." + matrix + ".weight", one}}});
        }
    }
    all.push_back({"every layer of other types",
                   {.arch = "llama", .n_layer = 3},
                   {},
                   FeedForwardMode::Dense,
                   0.15,
                   {{"blk.0.attn_q.weight", DType::F16},
                    {"blk.0.attn_k.weight", DType::Q8_0},
                    {"blk.0.attn_v.weight", DType::Q5_0},
                    {"blk.1.attn_q.weight", DType::Q8_0},
                    {"blk.1.ffn_gate.weight", DType::Q4_0},
                    {"blk.1.ffn_up.weight", DType::F16},
                    {"blk.1.ffn_down.weight", DType::BF16},
                    {"blk.2.ffn_gate.weight", DType::F16},
                    {"blk.2.ffn_up.weight", DType::Q5_0},
                    {"blk.2.ffn_down.weight", DType::Q4_0}}});
    for (const auto mode : {FeedForwardMode::Dense, FeedForwardMode::Exact}) {
        for (const DType gate : {DType::F32, DType::Q8_0}) {
            all.push_back({"bamboo, a layer's gates of " + std::string(dtype_info(gate).name) +
                               ", " + std::string(to_string(mode)),
                           {.type = gate == DType::F32 ? DType::Q8_0 : DType::F32, .n_layer = 2},
                           {},
                           mode,
                           0.15,
                           {{"blk.1.ffn_gate.weight", gate}}});
        }
    }
    // Predictors that differ in their widths, of another type than the weights.
    for (const DType type : {DType::F32, DType::Q8_0}) {
        for (const DType predictors : {DType::F32, DType::Q8_0}) {
            all.push_back({"predictors of " + std::string(dtype_info(predictors).name) +
                               " beside weights of " + std::string(dtype_info(type).name),
                           {.type = type,
                            .n_layer = 3,
                            .n_ff = 160,
                            .by_neuron = true,
                            .pwri = true,
                            .predictor_width = 64,
                            .predictor_type = predictors,
                            .sparse_threshold = 0.1F},
                           {},
                           FeedForwardMode::Predicted,
                           type == predictors ? 0.2 : 0.45});
        }
    }
    return all;
}

std::vector<std::int32_t> tokens() {
    std::vector<std::int32_t> all;
    for (int i = 0; i < kTokens; ++i) {
        all.push_back(3 + (i * 37 + 11) % 200);
    }
    return all;
}

// Logits of the first tokens as a batch and of the others alone; empty: see `problem`.
std::vector<float> computed(const Row& row, const std::string& path, int n_together,
                            std::string& problem) {
    const auto file = GgufFile::open(path);
    auto spec = file ? read_model_spec(*file) : Result<ModelSpec>(file.error());
    if (!spec) {
        problem = spec.error().message;
        return {};
    }
    for (std::size_t i = 0; i < row.layers.size(); ++i) {
        const ReferenceLayer& from = row.layers[i];
        LayerSpec& layer = spec->layers[i];
        layer.attention.rope.base = static_cast<float>(from.rope_base);
        layer.attention.rope.linear_factor = static_cast<float>(from.rope_linear_factor);
        layer.attention.rope.dim = from.rope_dim > 0 ? from.rope_dim : layer.attention.rope.dim;
        layer.norm.eps = static_cast<float>(from.norm_eps);
        layer.relu_threshold = static_cast<float>(from.relu_threshold);
        if (from.chunk > 0) {
            layer.attention.window = from.chunk;
            layer.attention.chunked = true;
        }
        if (from.temperature > 0) {
            layer.attention.temperature = static_cast<float>(from.temperature);
            layer.attention.temperature_length = from.temperature_length;
        }
    }
    auto tensors = bind_tensors(*file, *spec);
    if (tensors && row.mode == FeedForwardMode::Predicted) {
        const auto predictors = bind_predictors(*file, *spec, {}, std::nullopt);
        if (!predictors) {
            problem = predictors.error().message;
            return {};
        }
        use_predictors(*file, *predictors, *tensors);
    }
    if (!tensors) {
        problem = tensors.error().message;
        return {};
    }
    constexpr int kThreads = 2;
    Plan plan;
    plan.placement = all_in_ram(spec->neurons());
    plan.n_ctx = kCtx;
    plan.n_batch = 32;
    plan.threads = kThreads;
    plan.mode = row.mode;
    plan.ram = {CpuWeights::bytes_for(*spec, *tensors, row.mode),
                KvCache::bytes_for(*spec, kCtx, {}),
                CpuExecutor::scratch_bytes(*spec, tensors->predictor_width(), plan.n_batch,
                                           kThreads, row.mode)};
    Ledger ledger(plan.ram);
    ThreadPool pool(kThreads);
    const auto executor = test::loose_cpu_executor(pool);
    Nothing monitor;
    auto done = executor->load({*file, *spec, *tensors, plan, ledger}, monitor);
    Decoder decoder(*spec, plan, *executor, nullptr);
    auto past = decoder.make_past(ledger);
    std::vector<float> all;
    const auto keep = [&](std::size_t, std::span<const float> logits) {
        all.insert(all.end(), logits.begin(), logits.end());
    };
    const std::vector<std::int32_t> text = tokens();
    if (done && past) {
        done = decoder.forward(std::span(text).first(static_cast<std::size_t>(n_together)), 0,
                               *past, Decoder::Want::All, keep, {});
    }
    for (int i = n_together; i < kTokens && done; ++i) {
        done = decoder.forward(std::span(text).subspan(static_cast<std::size_t>(i), 1), i, *past,
                               Decoder::Want::All, keep, {});
    }
    if (!done) {
        problem = done.error().message;
        return {};
    }
    return all;
}

}  // namespace

class DifferingLayersTest : public QObject {
    Q_OBJECT

private slots:
    void plainArithmetic_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            QTest::newRow(rows_[i].name.c_str()) << static_cast<int>(i);
        }
    }
    void plainArithmetic() {
        QFETCH(const int, index);
        const Row& row = rows_[static_cast<std::size_t>(index)];
        const test::TempDir dir;
        const std::string path = dir.file("tiny.gguf");
        QVERIFY(write(row, path));
        const auto reference = test::ReferenceModel::open(path);
        QVERIFY(reference);
        test::ReferenceOptions options;
        options.layers = row.layers;
        options.predicted = row.mode == FeedForwardMode::Predicted;
        // A batch computes every neuron, whatever is predicted.
        const std::vector<double> wanted = reference->logits(tokens(), options);
        for (const int n_together : {kTokens, 12, 1}) {
            if (options.predicted && n_together > 1) {
                continue;
            }
            std::string problem;
            const std::vector<float> got = computed(row, path, n_together, problem);
            QVERIFY2(problem.empty(), problem.c_str());
            QCOMPARE(got.size(), wanted.size());
            double worst = 0;
            for (std::size_t i = 0; i < got.size(); ++i) {
                worst = std::max(worst, std::fabs(static_cast<double>(got[i]) - wanted[i]));
            }
            // A later pass attends to what was rounded to halves.
            const double bound = n_together == kTokens ? row.bound : std::max(row.bound, 3e-3);
            QVERIFY2(
                worst < bound,
                qPrintable(
                    QString("greatest difference %1, %2 together").arg(worst).arg(n_together)));
        }
        if (row.layers.empty()) {
            return;
        }
        // The row would see a layer that is computed as another one is.
        std::vector<ReferenceLayer> alike(row.layers.size(), row.layers.front());
        options.layers = alike;
        const std::vector<double> first = reference->logits(tokens(), options);
        double differs = 0;
        for (std::size_t i = 0; i < first.size(); ++i) {
            differs = std::max(differs, std::fabs(first[i] - wanted[i]));
        }
        QVERIFY2(differs > 0.05, qPrintable(QString::number(differs)));
    }

private:
    const std::vector<Row> rows_ = rows();
};

QTEST_GUILESS_MAIN(DifferingLayersTest)
#include "differing_layers_test.moc"
