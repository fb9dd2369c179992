// SmallThinker and Llama 4: what each layer of theirs computes, and files that contradict it.
#include <QtTest>
#include <cmath>
#include <functional>
#include <string>

#include "model/weights.h"
#include "support/tiny_model.h"

using namespace hearth;
using test::Bytes;
using test::GgufBuilder;
using test::TinyModel;
using test::TinyModelOptions;

namespace {

constexpr const char* kWindow = "smallthinker.attention.sliding_window";

GgufBuilder smallthinker() {
    return TinyModel({.arch = "smallthinker", .n_layer = 5}).file();
}

GgufBuilder llama4(int n_experts = 0) {
    TinyModelOptions options{.arch = "llama4", .n_layer = 5};
    if (n_experts > 64) {
        options.n_embd = 32;
        options.n_ff = 32;
    }
    options.n_experts = n_experts;
    options.n_used_experts = n_experts > 0 ? 1 : 0;
    return TinyModel(options).file();
}

// Spec and tensors of a file, whose bytes it keeps.
struct Bound {
    explicit Bound(const GgufBuilder& builder) : bytes(builder.bytes()) {
        auto parsed = GgufFile::parse(bytes, "tiny.gguf");
        auto read = parsed ? read_model_spec(*parsed) : Result<ModelSpec>(parsed.error());
        auto bound = read ? bind_tensors(*parsed, *read) : Result<ModelTensors>(read.error());
        error = bound ? std::string() : bound.error().message;
        if (bound) {
            spec = std::move(*read);
        }
    }
    Bytes bytes;
    ModelSpec spec;
    std::string error;
};

using Make = std::function<GgufBuilder()>;

}  // namespace

class MixtureFamiliesTest : public QObject {
    Q_OBJECT

private slots:
    // The first of four layers sees all and does not rotate, whatever window the file states.
    void smallthinker_sees_4096_positions() {
        const Bound bound(smallthinker());
        QVERIFY2(bound.error.empty(), bound.error.c_str());
        for (int i = 0; i < 5; ++i) {
            const LayerSpec& layer = bound.spec.layer(i);
            QCOMPARE(layer.attention.window, i % 4 == 0 ? 0 : 4096);
            QCOMPARE(layer.attention.rope.dim, i % 4 == 0 ? 0 : 16);
            QVERIFY(layer.activation == Activation::ReluGated);
            QVERIFY(layer.experts.routed_early && layer.experts.normed);
            QVERIFY(layer.experts.scores == RouterScores::Softmax);
        }
    }

    void smallthinker_without_a_window_rotates_everywhere_data() {
        QTest::addColumn<bool>("stated");
        QTest::newRow("no key") << false;
        QTest::newRow("a window of 0") << true;
    }
    void smallthinker_without_a_window_rotates_everywhere() {
        QFETCH(const bool, stated);
        GgufBuilder file = smallthinker();
        file.without(kWindow);
        if (stated) {
            file.key(kWindow, std::uint32_t{0});
        }
        const Bound bound(file);
        QVERIFY2(bound.error.empty(), bound.error.c_str());
        for (int i = 0; i < 5; ++i) {
            QCOMPARE(bound.spec.layer(i).attention.window, 0);
            QCOMPARE(bound.spec.layer(i).attention.rope.dim, 16);
        }
    }

    // The kind of 32 layers has sigmoids, which a converter does not state.
    void smallthinker_of_32_layers_has_sigmoids_data() {
        QTest::addColumn<int>("n_layer");
        QTest::addColumn<int>("stated");
        QTest::addColumn<bool>("sigmoids");
        QTest::newRow("32 layers") << 32 << 0 << true;
        QTest::newRow("32 layers that state softmax") << 32 << 1 << false;
        QTest::newRow("32 layers that state sigmoids") << 32 << 2 << true;
        QTest::newRow("33 layers") << 33 << 0 << false;
        QTest::newRow("33 layers that state sigmoids") << 33 << 2 << true;
    }
    void smallthinker_of_32_layers_has_sigmoids() {
        QFETCH(const int, n_layer);
        QFETCH(const int, stated);
        QFETCH(const bool, sigmoids);
        constexpr const char* kScores = "smallthinker.expert_gating_func";
        GgufBuilder file =
            TinyModel(
                {.arch = "smallthinker", .n_layer = n_layer, .n_embd = 32, .n_head = 2, .n_ff = 32})
                .file();
        file.without(kScores);
        if (stated > 0) {
            file.key(kScores, static_cast<std::uint32_t>(stated));
        }
        const Bound bound(file);
        QVERIFY2(bound.error.empty(), bound.error.c_str());
        for (const LayerSpec& layer : bound.spec.layers) {
            QCOMPARE(layer.experts.scores == RouterScores::Sigmoid, sigmoids);
        }
    }

    void llama4_has_a_mixture_in_every_second_layer() {
        const Bound bound(llama4());
        QVERIFY2(bound.error.empty(), bound.error.c_str());
        for (int i = 0; i < 5; ++i) {
            const LayerSpec& layer = bound.spec.layer(i);
            QCOMPARE(layer.is_mixture(), i % 2 == 1);
            QCOMPARE(layer.n_ff, i % 2 == 1 ? 8 * 96 : 192);
            if (i % 2 == 1) {
                QCOMPARE(layer.experts.n_ff_shared, 96);
                QVERIFY(layer.experts.weighs_inputs && !layer.experts.normed);
                QVERIFY(layer.experts.scores == RouterScores::Sigmoid);
            }
            const AttentionSpec& attention = layer.attention;
            const bool sees_all = i == 3;
            QCOMPARE(attention.chunked, !sees_all);
            QCOMPARE(attention.window, sees_all ? 0 : 8192);
            QCOMPARE(attention.rope.dim, sees_all ? 0 : 16);
            QCOMPARE(attention.temperature, sees_all ? 0.1F : 0.0F);
            QVERIFY(attention.head_norm == (sees_all ? HeadNorm::None : HeadNorm::Plain));
        }
    }

    // The kind with 128 experts has no norms of heads.
    void llama4_of_128_experts_norms_no_heads() {
        const Bound bound(llama4(128));
        QVERIFY2(bound.error.empty(), bound.error.c_str());
        for (const LayerSpec& layer : bound.spec.layers) {
            if (layer.is_mixture()) {
                QCOMPARE(layer.experts.n, 128);
            }
            QVERIFY(layer.attention.head_norm == HeadNorm::None);
        }
    }

    // Query p sees the positions of its own chunk. Scores begin to grow with the last position of
    // the first one.
    void chunks_begin_at_their_multiples() {
        const Bound bound(llama4());
        QVERIFY2(bound.error.empty(), bound.error.c_str());
        const AttentionSpec& chunked = bound.spec.layer(0).attention;
        QCOMPARE(first_seen(chunked, 0), 0);
        QCOMPARE(first_seen(chunked, 8191), 0);
        QCOMPARE(first_seen(chunked, 8192), 8192);
        QCOMPARE(first_seen(chunked, 16383), 8192);
        const AttentionSpec& all = bound.spec.layer(3).attention;
        QCOMPARE(first_seen(all, 16383), 0);
        QCOMPARE(temperature_at(all, 8190), 1.0F);
        QCOMPARE(temperature_at(all, 8191), 1.0F + 0.1F * std::log(2.0F));
        QCOMPARE(temperature_at(chunked, 8191), 1.0F);
    }

    void refuses_data() {
        QTest::addColumn<Make>("make");
        QTest::addColumn<QString>("wanted");
        const auto row = [](const char* name, const char* wanted, Make make) {
            QTest::newRow(name) << std::move(make) << QString(wanted);
        };
        const auto stated = [](const GgufBuilder& file, const char* name, std::uint32_t value) {
            return [=] {
                GgufBuilder changed = file;
                return changed.without(name).key(name, value);
            };
        };
        const auto without = [](const GgufBuilder& file, const char* name) {
            return [=] {
                GgufBuilder changed = file;
                return changed.without(name);
            };
        };
        row("a SmallThinker without experts", "smallthinker.expert_count: must be positive",
            stated(smallthinker(), "smallthinker.expert_count", 0));
        row("a SmallThinker without a router",
            "blk.2.ffn_gate_inp.weight: the file has no such tensor",
            without(smallthinker(), "blk.2.ffn_gate_inp.weight"));
        row("a pattern of windows",
            "smallthinker.attention.sliding_window_pattern: this architecture is not known to have "
            "it",
            [] {
                return smallthinker().key("smallthinker.attention.sliding_window_pattern",
                                          std::uint32_t{2});
            });
        row("a window that is no number",
            "smallthinker.attention.sliding_window: wanted an integer, found str",
            [] { return smallthinker().without(kWindow).key(kWindow, "wide"); });
        row("experts stored by neuron",
            "blk.1.ffn_down_exps.weight: stores experts by neuron, as files made for PowerInfer "
            "do; a file of the same model made for llama.cpp can be run",
            [] {
                const char* name = "blk.1.ffn_down_exps.weight";
                return smallthinker().without(name).tensor(name, {8, 96, 64}, DType::F32);
            });
        row("a Llama 4 without experts", "llama4.expert_count: must be positive",
            stated(llama4(), "llama4.expert_count", 0));
        row("a Llama 4 that does not count experts", "llama4.expert_count: must be positive",
            without(llama4(), "llama4.expert_count"));
        row("no step", "llama4.interleave_moe_layer_step: the file does not have this metadata key",
            without(llama4(), "llama4.interleave_moe_layer_step"));
        row("a step of no layers",
            "llama4.interleave_moe_layer_step: wanted a number from 1 to 4096, found 0",
            stated(llama4(), "llama4.interleave_moe_layer_step", 0));
        row("a mixture where the file has a dense block",
            "blk.0.ffn_gate_inp.weight: the file has no such tensor",
            stated(llama4(), "llama4.interleave_moe_layer_step", 1));
        row("a dense block where the file has a mixture",
            "blk.1.ffn_gate_exps.weight: has shape [8, 96, 64], must have [192, 64]",
            stated(llama4(), "llama4.interleave_moe_layer_step", 5));
        row("no shared expert", "blk.3.ffn_up_shexp.weight: the file has no such tensor",
            without(llama4(), "blk.3.ffn_up_shexp.weight"));
        row("layers that all see all",
            "llama4.attention.sliding_window: layers of this architecture see chunks of 8192 "
            "positions",
            [] { return llama4().key("llama4.attention.sliding_window", std::uint32_t{0}); });
        row("norms of heads with weights",
            "blk.0.attn_q_norm.weight: is a tensor this version does not know what to do with",
            [] { return llama4().tensor("blk.0.attn_q_norm.weight", {16}, DType::F32); });
    }
    void refuses() {
        QFETCH(Make, make);
        QFETCH(QString, wanted);
        QCOMPARE(QString::fromStdString(Bound(make()).error), wanted);
    }
};

QTEST_GUILESS_MAIN(MixtureFamiliesTest)
#include "mixture_families_test.moc"
