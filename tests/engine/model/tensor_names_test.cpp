// The place of a role's rows: by common names, by those of a family, in tensors of several roles.
#include "model/tensor_names.h"

#include <QtTest>
#include <memory>
#include <string>
#include <vector>

#include "gguf/rows.h"
#include "model/weights.h"
#include "support/tiny_model.h"

using namespace hearth;
using test::Bytes;
using test::GgufBuilder;
using test::TinyModel;
using test::TinyModelOptions;

namespace {

// A file with tensors of these names, one value each.
Bytes file_with(const std::string& arch, const std::vector<std::string>& names) {
    GgufBuilder builder;
    builder.key("general.architecture", arch);
    for (const std::string& name : names) {
        builder.tensor(name, {1}, DType::F32);
    }
    return builder.bytes();
}

const TinyModelOptions kFused{
    .arch = "llama", .qkv_bias = true, .fused_qkv = true, .fused_gate_up = true};

// Spec and tensors of a file, whose bytes it keeps.
struct Bound {
    explicit Bound(const GgufBuilder& builder) : bytes(builder.bytes()) {
        file = std::make_unique<GgufFile>(std::move(*GgufFile::parse(bytes, "tiny.gguf")));
        auto read = read_model_spec(*file);
        if (!read) {
            error = read.error().message;
            return;
        }
        spec = *std::move(read);
        auto found = bind_tensors(*file, spec);
        if (!found) {
            error = found.error().message;
            return;
        }
        tensors = *std::move(found);
    }
    // A row of a role, as its bytes.
    Bytes row(int layer, Role role, std::uint64_t index) const {
        const Weight& weight = tensors.layers[static_cast<std::size_t>(layer)][role];
        const auto* from = bytes.data() + weight.in_file() + index * weight.stride;
        return {from, from + weight.row_size()};
    }

    Bytes bytes;
    std::unique_ptr<GgufFile> file;
    ModelSpec spec;
    ModelTensors tensors;
    std::string error;
};

}  // namespace

class TensorNamesTest : public QObject {
    Q_OBJECT

private slots:
    void names_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<QStringList>("held");
        QTest::addColumn<int>("role");
        QTest::addColumn<QString>("name");
        const auto row = [](const char* what, const char* arch, const QStringList& held, Role role,
                            const char* name) {
            QTest::newRow(what) << arch << held << static_cast<int>(role) << name;
        };
        row("of the model", "llama", {"output.weight"}, Role::Output, "output.weight");
        row("missing", "llama", {}, Role::Q, "blk.1.attn_q.weight");
        row("of another layer", "llama", {"blk.0.attn_qkv.weight"}, Role::Q, "blk.1.attn_q.weight");
        row("in one with others", "llama", {"blk.1.attn_qkv.weight"}, Role::V,
            "blk.1.attn_qkv.weight");
        row("in one and apart", "llama", {"blk.1.attn_qkv.weight", "blk.1.attn_k.weight"}, Role::K,
            "blk.1.attn_qkv.weight");
        row("biases in one", "llama", {"blk.1.attn_qkv.bias"}, Role::KBias, "blk.1.attn_qkv.bias");
        row("gate and up in one", "llama", {"blk.1.ffn_gate_up.weight"}, Role::Up,
            "blk.1.ffn_gate_up.weight");
        row("gates and ups of experts in one", "qwen3moe",
            {"blk.1.ffn_gate_inp.weight", "blk.1.ffn_gate_up_exps.weight"}, Role::Up,
            "blk.1.ffn_gate_up_exps.weight");
        row("a dense block beside experts", "gemma4", {"blk.1.ffn_gate_inp.weight"},
            Role::SharedDown, "blk.1.ffn_down.weight");
        row("by neuron", "llama", {"blk.1.ffn_down_t.weight"}, Role::Down,
            "blk.1.ffn_down_t.weight");
        row("its bias, called as others'", "llama", {"blk.1.ffn_down_t.weight"}, Role::DownBias,
            "blk.1.ffn_down.bias");
        row("an architecture that nobody knows", "mamba", {"blk.1.attn_qkv.weight"}, Role::Q,
            "blk.1.attn_qkv.weight");
        // Names of a family's own stand instead of the common ones.
        row("one norm of the family's", "falcon", {"blk.1.ffn_norm.weight"}, Role::FfnNorm,
            "blk.1.attn_norm.weight");
        row("the first of two norms", "falcon", {"blk.1.attn_norm_2.weight"}, Role::FfnNorm,
            "blk.1.attn_norm.weight");
        row("the second of two norms", "falcon", {"blk.1.attn_norm_2.weight"}, Role::AttnNorm,
            "blk.1.attn_norm_2.weight");
        row("its bias, missing", "falcon", {"blk.1.attn_norm_2.weight", "blk.1.attn_norm.bias"},
            Role::AttnNormBias, "blk.1.attn_norm_2.bias");
        row("a bias without its norm", "falcon", {"blk.1.attn_norm_2.bias"}, Role::AttnNormBias,
            "blk.1.attn_norm.bias");
        row("not renamed by the family", "falcon", {"blk.1.attn_qkv.weight"}, Role::Q,
            "blk.1.attn_qkv.weight");
        row("another family's names", "llama", {"blk.1.attn_norm_2.weight"}, Role::AttnNorm,
            "blk.1.attn_norm.weight");
    }
    void names() {
        QFETCH(QString, arch);
        QFETCH(QStringList, held);
        QFETCH(int, role);
        QFETCH(QString, name);
        std::vector<std::string> names;
        for (const QString& one : held) {
            names.push_back(one.toStdString());
        }
        const Bytes bytes = file_with(arch.toStdString(), names);
        const auto file = GgufFile::parse(bytes, "names.gguf");
        QVERIFY(file);
        const RoleTensor found = TensorFinder(*file).find(static_cast<Role>(role), 1);
        QCOMPARE(QString::fromStdString(found.name), name);
        QCOMPARE(found.tensor, file->tensors().find(found.name));
        QCOMPARE(found.by_neuron, name.endsWith("ffn_down_t.weight"));
    }

    void rows_of_one_tensor() {
        const Bound fused(TinyModel(kFused).file());
        QVERIFY2(fused.error.empty(), fused.error.c_str());
        TinyModelOptions options = kFused;
        options.fused_gate_up = false;
        const Bound apart(TinyModel(options).file());
        for (const int layer : {0, 1}) {
            const LayerTensors& of = fused.tensors.layers[static_cast<std::size_t>(layer)];
            for (const Role role : {Role::Gate, Role::Up}) {
                QCOMPARE(of[role].rows, std::uint64_t{96});
                QVERIFY(!of[role].in_records());
                for (const std::uint64_t row : {0U, 95U}) {
                    QVERIFY(fused.row(layer, role, row) == apart.row(layer, role, row));
                }
            }
            QVERIFY(of[Role::Gate].tensor == of[Role::Up].tensor);
            QVERIFY(!of[Role::Gate].same_as(of[Role::Up]));
            // 64 queries, 32 keys, 32 values.
            const TensorInfo& bias = *of[Role::QBias].tensor;
            QCOMPARE(bias.shape, std::vector<std::uint64_t>{128});
            const Bytes all(
                fused.bytes.begin() + static_cast<std::ptrdiff_t>(bias.offset),
                fused.bytes.begin() + static_cast<std::ptrdiff_t>(bias.offset + bias.bytes));
            Bytes joined;
            for (const Role role : {Role::QBias, Role::KBias, Role::VBias}) {
                QCOMPARE(of[role].rows, std::uint64_t{1});
                const Bytes own = fused.row(layer, role, 0);
                joined.insert(joined.end(), own.begin(), own.end());
            }
            QVERIFY(joined == all);
            QCOMPARE(of[Role::KBias].cols, std::uint64_t{32});
        }
    }

    void fused_tensors_that_do_not_fit() {
        GgufBuilder file = TinyModel(kFused).file();
        file.without("blk.1.ffn_gate_up.weight")
            .tensor("blk.1.ffn_gate_up.weight", {191, 64}, DType::F32);
        QCOMPARE(Bound(file).error,
                 std::string("blk.1.ffn_gate_up.weight: has shape [191, 64], must have [192, 64]"));
        file.without("blk.1.ffn_gate_up.weight");
        QCOMPARE(Bound(file).error,
                 std::string("blk.1.ffn_gate.weight: the file has no such tensor"));
        file = TinyModel(kFused).file();
        file.without("blk.0.attn_qkv.bias").tensor("blk.0.attn_qkv.bias", {127}, DType::F32);
        QCOMPARE(Bound(file).error,
                 std::string("blk.0.attn_qkv.bias: has shape [127], must have [128]"));
        // Parts of a vector are whole blocks of its type.
        TinyModelOptions options = kFused;
        options.n_head = 3;
        options.n_head_kv = 1;
        options.head_dim = 16;
        file = TinyModel(options).file();
        file.without("blk.1.attn_qkv.bias").tensor("blk.1.attn_qkv.bias", {80}, DType::F16);
        QCOMPARE(Bound(file).error, std::string());
        options.n_head_kv = 3;
        options.head_dim = 32;
        options.n_head = 3;
        file = TinyModel(options).file();
        file.without("blk.1.attn_qkv.bias").tensor("blk.1.attn_qkv.bias", {288}, DType::Q8_0);
        QCOMPARE(Bound(file).error, std::string());
        options.head_dim = 16;
        options.n_head = 6;
        options.n_head_kv = 1;
        file = TinyModel(options).file();
        file.without("blk.1.attn_qkv.bias").tensor("blk.1.attn_qkv.bias", {128}, DType::Q8_0);
        QCOMPARE(Bound(file).error,
                 std::string("blk.1.attn_qkv.bias: values 96 to 112 are no whole blocks of Q8_0"));
    }

    // Fused or apart, each tensor once: both are refused.
    void a_tensor_beside_the_fused_one() {
        GgufBuilder file = TinyModel(kFused).file();
        file.tensor("blk.1.ffn_up.weight", {96, 64}, DType::F32);
        QCOMPARE(
            Bound(file).error,
            std::string(
                "blk.1.ffn_up.weight: is a tensor this version does not know what to do with"));
    }

    // Packing starts from these.
    void blocks_alone() {
        GgufBuilder file = TinyModel({.arch = "opt", .n_head_kv = 4}).file();
        file.without("blk.1.attn_q.weight").without("blk.1.ffn_up.bias");
        const Bytes bytes = file.bytes();
        const auto parsed = GgufFile::parse(bytes, "tiny.gguf");
        const auto spec = read_model_spec(*parsed);
        QVERIFY(spec && !bind_tensors(*parsed, *spec));
        const auto blocks = bind_neurons(*parsed, *spec);
        QVERIFY2(blocks, blocks ? "" : blocks.error().message.c_str());
        QVERIFY(!(*blocks)[1][Role::Gate].present());
        QCOMPARE((*blocks)[1][Role::Up].tensor->name, std::string("blk.1.ffn_up.weight"));
        QVERIFY(!(*blocks)[1][Role::AttnNorm].present());
    }
};

QTEST_APPLESS_MAIN(TensorNamesTest)
#include "tensor_names_test.moc"
