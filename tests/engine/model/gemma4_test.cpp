// A Gemma 4 mixture: each layer's dense block is the shared expert beside the others, its experts'
// gates and ups may be in one tensor, and what does not fit together is refused.
#include <QtTest>
#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include "model/weights.h"
#include "support/tiny_model.h"

using namespace hearth;
using test::Bytes;
using test::GgufBuilder;
using test::TinyModel;
using test::TinyModelOptions;

namespace {

// Five experts of 96 neurons. The dense blocks of the last two of four layers have 192.
GgufBuilder mixture(bool fused = false) {
    return TinyModel({.arch = "gemma4",
                      .n_layer = 4,
                      .fused_gate_up = fused,
                      .n_experts = 5,
                      .n_used_experts = 2})
        .file();
}

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
    // The rows of one expert of the last layer.
    Bytes rows(Role role, std::uint64_t expert) const {
        const Weight& weight = tensors.layers.back()[role];
        const auto* from =
            bytes.data() + weight.in_file() + expert * weight.expert_stride() * weight.stride;
        return {from, from + weight.expert_rows() * weight.stride};
    }

    Bytes bytes;
    std::unique_ptr<GgufFile> file;
    ModelSpec spec;
    ModelTensors tensors;
    std::string error;
};

using Make = std::function<GgufBuilder()>;

}  // namespace

class Gemma4Test : public QObject {
    Q_OBJECT

private slots:
    // No layer of these rotates by factors, and a file may have them.
    void every_layer_may_see_a_window() {
        for (const bool factors : {true, false}) {
            GgufBuilder file = TinyModel({.arch = "gemma4", .n_layer = 1}).file();
            if (!factors) {
                file.without("rope_freqs.weight");
            }
            const Bound bound(file);
            QVERIFY2(bound.error.empty(), bound.error.c_str());
            QVERIFY(bound.spec.layer(0).attention.window > 0);
            QVERIFY(!bound.tensors[Role::RopeFreqs].present());
        }
        const Bound second(TinyModel({.arch = "gemma4", .n_layer = 2}).file());
        QVERIFY2(second.error.empty(), second.error.c_str());
        QVERIFY(second.tensors[Role::RopeFreqs].present());
    }

    // Rows of 32 values are no whole block of a K-quant, and files have another type there.
    void narrow_matrices_beside_k_quants() {
        const Bound bound(
            TinyModel(
                {.arch = "gemma4", .type = DType::Q4_K, .n_layer = 8, .n_embd = 256, .n_ff = 512})
                .file());
        QVERIFY2(bound.error.empty(), bound.error.c_str());
        for (const LayerTensors& layer : bound.tensors.layers) {
            QCOMPARE(layer[Role::LayerProj].type, DType::Q8_0);
            QCOMPARE(layer[Role::LayerGate].type, DType::Q4_K);
            QCOMPARE(layer[Role::Down].type, DType::Q4_K);
        }
    }

    void the_dense_block_is_the_shared_expert() {
        const Bound bound(mixture());
        QVERIFY2(bound.error.empty(), bound.error.c_str());
        for (int i = 0; i < 4; ++i) {
            const LayerSpec& layer = bound.spec.layer(i);
            QCOMPARE(layer.n_ff, 5 * 96);
            QCOMPARE(layer.experts.n_ff, 96);
            QCOMPARE(layer.experts.n_ff_shared, i < 2 ? 96 : 192);
            QVERIFY(layer.experts.norms_apart && layer.experts.scaled && layer.experts.normed);
            QCOMPARE(layer.experts.router_scale, 1.0F / std::sqrt(64.0F));
            QVERIFY(layer.experts.scores == RouterScores::Softmax);
            const LayerTensors& tensors = bound.tensors.layers[static_cast<std::size_t>(i)];
            const std::string prefix = "blk." + std::to_string(i) + ".";
            for (const auto& [role, name] : {std::pair{Role::SharedGate, "ffn_gate.weight"},
                                             {Role::SharedDown, "ffn_down.weight"},
                                             {Role::Down, "ffn_down_exps.weight"},
                                             {Role::FfnNorm, "ffn_norm.weight"},
                                             {Role::RouterNorm, "ffn_gate_inp.scale"},
                                             {Role::ExpertsNorm, "pre_ffw_norm_2.weight"},
                                             {Role::SharedPostNorm, "post_ffw_norm_1.weight"},
                                             {Role::ExpertsPostNorm, "post_ffw_norm_2.weight"},
                                             {Role::FfnPostNorm, "post_ffw_norm.weight"},
                                             {Role::ExpertScale, "ffn_down_exps.scale"}}) {
                QVERIFY(tensors[role].present());
                QCOMPARE(tensors[role].tensor->name, prefix + name);
            }
        }
        // The names are the block's own in a dense model.
        const Bound dense(TinyModel({.arch = "gemma4", .n_layer = 4}).file());
        QVERIFY2(dense.error.empty(), dense.error.c_str());
        QVERIFY(!dense.spec.has_experts());
        QCOMPARE(dense.tensors.layers[0][Role::Gate].tensor->name,
                 std::string("blk.0.ffn_gate.weight"));
        QVERIFY(!dense.tensors.layers[0][Role::SharedGate].present());
    }

    // Each expert's gates stand before its ups.
    void gates_and_ups_may_be_in_one_tensor() {
        const Bound apart(mixture());
        const Bound fused(mixture(true));
        QVERIFY2(fused.error.empty(), fused.error.c_str());
        QCOMPARE(fused.tensors.layers[3][Role::Up].tensor->name,
                 std::string("blk.3.ffn_gate_up_exps.weight"));
        for (const Role role : {Role::Gate, Role::Up, Role::Down}) {
            QCOMPARE(fused.tensors.layers[3][role].rows, apart.tensors.layers[3][role].rows);
            for (std::uint64_t expert = 0; expert < 5; ++expert) {
                QVERIFY(fused.rows(role, expert) == apart.rows(role, expert));
            }
        }
    }

    void refuses_data() {
        QTest::addColumn<Make>("make");
        QTest::addColumn<QString>("wanted");
        const auto row = [](const std::string& name, const std::string& wanted, Make make) {
            QTest::newRow(name.c_str()) << std::move(make) << QString::fromStdString(wanted);
        };
        for (const char* tensor :
             {"ffn_gate_inp.weight", "ffn_gate_inp.scale", "pre_ffw_norm_2.weight",
              "post_ffw_norm_1.weight", "post_ffw_norm_2.weight", "post_ffw_norm.weight",
              "ffn_down_exps.scale", "ffn_down_exps.weight", "ffn_gate_exps.weight",
              "ffn_gate.weight", "ffn_up.weight", "ffn_down.weight"}) {
            const std::string name = std::string("blk.2.") + tensor;
            row("without " + name, name + ": the file has no such tensor",
                [name] { return mixture().without(name); });
        }
        const auto shaped = [&](const char* what, const std::string& name,
                                const std::vector<std::uint64_t>& shape, const char* wanted,
                                bool fused = false) {
            row(what, name + wanted,
                [=] { return mixture(fused).without(name).tensor(name, shape, DType::F32); });
        };
        shaped("scales of fewer experts", "blk.1.ffn_down_exps.scale", {4},
               ": has shape [4], must have [5]");
        shaped("a scale an output", "blk.1.ffn_down_exps.scale", {5, 64},
               ": has shape [5, 64], must have [5]");
        shaped("a scale of the router an expert", "blk.1.ffn_gate_inp.scale", {5},
               ": has shape [5], must have [64]");
        shaped("gates alone in the tensor of both", "blk.1.ffn_gate_up_exps.weight", {5, 96, 64},
               ": has shape [5, 96, 64], must have [5, 192, 64]", true);
        shaped("both of fewer experts", "blk.1.ffn_gate_up_exps.weight", {4, 192, 64},
               ": has shape [4, 192, 64], must have [5, 192, 64]", true);
        shaped("both turned", "blk.1.ffn_gate_up_exps.weight", {5, 64, 192},
               ": has shape [5, 64, 192], must have [5, 192, 64]", true);
        shaped("both as a matrix", "blk.1.ffn_gate_up_exps.weight", {960, 64},
               ": has shape [960, 64], must have [5, 192, 64]", true);
        shaped("a dense block as wide as another layer's", "blk.3.ffn_gate.weight", {96, 64},
               ": has shape [96, 64], must have [192, 64]");
        row("gates in one tensor and apart",
            "blk.0.ffn_gate_exps.weight: is a tensor this version does not know what to do with",
            [] {
                return mixture(true).tensor("blk.0.ffn_gate_exps.weight", {5, 96, 64}, DType::F32);
            });
        row("experts of a dense model",
            "blk.0.ffn_gate_up_exps.weight: has shape [5, 192, 64], must have [192, 64]", [] {
                return TinyModel({.arch = "gemma4", .n_layer = 4})
                    .file()
                    .tensor("blk.0.ffn_gate_up_exps.weight", {5, 192, 64}, DType::F32);
            });
        const auto key = [](const char* name, std::uint32_t value) {
            return [=] {
                return mixture()
                    .without(std::string("gemma4.") + name)
                    .key(std::string("gemma4.") + name, value);
            };
        };
        row("a dense block of no whole tiles",
            "gemma4.feed_forward_length: block 0 has 40 neurons beside its experts, which must be "
            "a positive multiple of 32",
            key("feed_forward_length", 40));
        row("no dense block",
            "gemma4.feed_forward_length: block 0 has 0 neurons beside its experts, which must be a "
            "positive multiple of 32",
            [] { return mixture().without("gemma4.feed_forward_length"); });
        row("more experts than weights",
            "blk.0.ffn_gate_exps.weight: has shape [5, 96, 64], must have [6, 96, 64]",
            key("expert_count", 6));
        row("experts that are not there", "blk.0.ffn_gate_inp.weight: the file has no such tensor",
            [] {
                return TinyModel({.arch = "gemma4", .n_layer = 4})
                    .file()
                    .key("gemma4.expert_count", std::uint32_t{5})
                    .key("gemma4.expert_used_count", std::uint32_t{2})
                    .key("gemma4.expert_feed_forward_length", std::uint32_t{96});
            });
        row("experts without a key",
            "blk.0.ffn_gate_exps.weight: has shape [5, 96, 64], must have [96, 64]",
            [] { return mixture().without("gemma4.expert_count"); });
    }
    void refuses() {
        QFETCH(Make, make);
        QFETCH(QString, wanted);
        QCOMPARE(QString::fromStdString(Bound(make()).error), wanted);
    }
};

QTEST_GUILESS_MAIN(Gemma4Test)
#include "gemma4_test.moc"
