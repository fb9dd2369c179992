// Latent attention as files describe it: what becomes of good ones, and why others are refused.
#include <QtTest>
#include <cmath>
#include <functional>
#include <string>

#include "model/model_spec.h"
#include "model/weights.h"
#include "support/gguf_builder.h"
#include "support/tiny_model.h"

using hearth::DType;
using hearth::Role;
using hearth::test::Bytes;
using hearth::test::GgufBuilder;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;

namespace {

const std::string kArch = "deepseek2.";

TinyModelOptions options_of(bool fused = false) {
    return {.arch = "deepseek2", .n_left_out = 1, .fused_kv_b = fused};
}

// Empty: the file is good.
std::string error_of(const GgufBuilder& builder) {
    const Bytes bytes = builder.bytes();
    const auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
    if (!file) {
        return file.error().message;
    }
    const auto spec = hearth::read_model_spec(*file);
    if (!spec) {
        return spec.error().message;
    }
    const auto tensors = hearth::bind_tensors(*file, *spec);
    return tensors ? std::string{} : tensors.error().message;
}

std::function<GgufBuilder()> with(const char* key, std::uint32_t value, bool fused = false) {
    return [=] {
        return TinyModel(options_of(fused)).file().without(kArch + key).key(kArch + key, value);
    };
}

std::function<GgufBuilder()> shaped(const char* name, std::vector<std::uint64_t> shape,
                                    bool fused = false) {
    return [=] {
        return TinyModel(options_of(fused)).file().without(name).tensor(name, shape, DType::F32);
    };
}

}  // namespace

class LatentSpecTest : public QObject {
    Q_OBJECT

private slots:
    void heads_are_those_of_the_latents() {
        const Bytes bytes = TinyModel(options_of()).file().bytes();
        const auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        const auto spec = hearth::read_model_spec(*file);
        QVERIFY2(spec.has_value(), spec ? "" : spec.error().message.c_str());
        QCOMPARE(spec->n_layer(), 2);
        const hearth::LayerSpec& layer = spec->layer(1);
        QVERIFY(layer.is_latent());
        QCOMPARE(layer.latent.rank, 64);
        QCOMPARE(layer.latent.q_rank, 96);
        QCOMPARE(layer.latent.plain_dim, 32);
        QCOMPARE(layer.latent.value_dim, 64);
        QCOMPARE(layer.attention.n_head, 4);
        QCOMPARE(layer.attention.n_head_kv, 1);
        QCOMPARE(layer.attention.head_dim, 80);
        QCOMPARE(layer.attention.values_dim(), 64);
        QCOMPARE(layer.attention.rope.dim, 16);
        QCOMPARE(layer.attention.scale, 1.0F / std::sqrt(48.0F));
        QCOMPARE(layer.n_rows_q(), 4 * 48);
        QCOMPARE(layer.n_embd_q(), 4 * 80);
        QCOMPARE(layer.n_embd_kv(), 80);
        QCOMPARE(layer.n_embd_v(), 64);
        QCOMPARE(layer.n_attended(), 4 * 64);
        QVERIFY(layer.experts.scores == hearth::RouterScores::Sigmoid);
        QVERIFY(!spec->layer(0).is_mixture() && layer.is_mixture());
        const auto tensors = hearth::bind_tensors(*file, *spec);
        QVERIFY2(tensors.has_value(), tensors ? "" : tensors.error().message.c_str());
        const hearth::LayerTensors& bound = tensors->layers[1];
        QCOMPARE(bound[Role::Q].tensor->name, std::string("blk.1.attn_q_b.weight"));
        QCOMPARE(bound[Role::K].rows, std::uint64_t{80});
        QVERIFY(!bound[Role::V].present());
        QCOMPARE(bound[Role::KeyUp].rows, std::uint64_t{4 * 64});
        QCOMPARE(bound[Role::KeyUp].cols, std::uint64_t{32});
        QCOMPARE(bound[Role::ValueUp].rows, std::uint64_t{4 * 64});
        QCOMPARE(bound[Role::ValueUp].cols, std::uint64_t{64});
        QVERIFY(!bound[Role::KeyUp].turned);
    }

    void one_matrix_may_be_both() {
        const Bytes bytes = TinyModel(options_of(true)).file().bytes();
        const auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        const auto spec = hearth::read_model_spec(*file);
        QVERIFY2(spec.has_value(), spec ? "" : spec.error().message.c_str());
        QCOMPARE(spec->layer(0).latent.plain_dim, 32);
        QCOMPARE(spec->layer(0).latent.value_dim, 64);
        const auto tensors = hearth::bind_tensors(*file, *spec);
        QVERIFY2(tensors.has_value(), tensors ? "" : tensors.error().message.c_str());
        const hearth::Weight& keys = tensors->layers[0][Role::KeyUp];
        const hearth::Weight& values = tensors->layers[0][Role::ValueUp];
        QCOMPARE(keys.tensor->name, std::string("blk.0.attn_kv_b.weight"));
        QCOMPARE(keys.tensor, values.tensor);
        QVERIFY(keys.turned && !values.turned);
        QCOMPARE(keys.rows, std::uint64_t{4 * 32});
        QCOMPARE(values.rows, std::uint64_t{4 * 64});
        QCOMPARE(keys.offset, std::uint64_t{0});
        QCOMPARE(values.offset, std::uint64_t{32 * 64 * 4});
        for (const hearth::Weight* weight : {&keys, &values}) {
            QCOMPARE(weight->cols, std::uint64_t{64});
            QCOMPARE(weight->n_parts, std::uint64_t{4});
            QCOMPARE(weight->part_stride, std::uint64_t{96 * 64 * 4});
        }
    }

    void scales_grow_under_yarn() {
        const Bytes bytes =
            TinyModel({.arch = "deepseek2", .rope_linear_factor = 40.0F, .yarn_context = 64})
                .file()
                .without(kArch + "rope.scaling.yarn_log_multiplier")
                .key(kArch + "rope.scaling.yarn_log_multiplier", 0.1F)
                .bytes();
        const auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        const auto spec = hearth::read_model_spec(*file);
        QVERIFY2(spec.has_value(), spec ? "" : spec.error().message.c_str());
        const float growth = 1.0F + 0.1F * std::log(40.0F);
        const hearth::AttentionSpec& attention = spec->layer(0).attention;
        QVERIFY(std::fabs(attention.scale - growth * growth / std::sqrt(48.0F)) < 1e-6F);
        QCOMPARE(attention.rope.magnitude, 1.0F);
        QCOMPARE(attention.rope.linear_factor, 40.0F);
    }

    void heads_of_keys_need_not_be_stated() {
        for (const bool fused : {false, true}) {
            GgufBuilder file = TinyModel(options_of(fused)).file();
            QCOMPARE(error_of(file), std::string{});
            file.without(kArch + "attention.head_count_kv");
            QCOMPARE(error_of(file), std::string{});
        }
    }

    // Older files do not say what their routers compute.
    void routers_without_a_bias_are_softmax() {
        GgufBuilder file = TinyModel(options_of()).file();
        file.without(kArch + "expert_gating_func");
        for (const bool biased : {true, false}) {
            if (!biased) {
                file.without("blk.1.exp_probs_b.bias");
            }
            const Bytes bytes = file.bytes();
            const auto parsed = hearth::GgufFile::parse(bytes, "tiny.gguf");
            QVERIFY(parsed);
            const auto spec = hearth::read_model_spec(*parsed);
            QVERIFY2(spec.has_value(), spec ? "" : spec.error().message.c_str());
            QVERIFY((spec->layer(1).experts.scores == hearth::RouterScores::Sigmoid) == biased);
        }
    }

    void refuses_data() {
        QTest::addColumn<QString>("wanted");
        QTest::addColumn<std::function<GgufBuilder()>>("make");
        const auto row = [](const char* name, const char* wanted,
                            std::function<GgufBuilder()> make) {
            QTest::newRow(name) << QString(wanted) << std::move(make);
        };
        const auto without = [](const char* name, bool fused = false) {
            return [=] { return TinyModel(options_of(fused)).file().without(name); };
        };
        row("no rank", "deepseek2.attention.kv_lora_rank: the file does not have this metadata key",
            without("deepseek2.attention.kv_lora_rank"));
        row("a rank of nothing",
            "deepseek2.attention.kv_lora_rank: wanted a number from 1 to 1024, found 0",
            with("attention.kv_lora_rank", 0));
        row("a rank that does not fit keys",
            "deepseek2.attention.key_length: is 80, must be 96 + 16",
            with("attention.kv_lora_rank", 96));
        row("values that are no latents", "deepseek2.attention.value_length: is 32, must be 64",
            with("attention.value_length", 32));
        row("a rank within a tile", "deepseek2.attention.kv_lora_rank: 40 is no multiple of 32",
            with("attention.kv_lora_rank", 40, true));
        row("heads wider than kernels take",
            "deepseek2.attention.kv_lora_rank: 1024 and 16 rotated values are more than 1024",
            with("attention.kv_lora_rank", 1024, true));
        row("keys that are rotated and nothing else",
            "deepseek2.attention.key_length_mla: is 16, and 16 of these are rotated",
            with("attention.key_length_mla", 16));
        row("keys narrower than what is rotated",
            "deepseek2.attention.key_length: is 8, and 16 of these are rotated",
            with("attention.key_length", 8, true));
        row("keys within a block", "deepseek2.attention.key_length_mla: 24 is no multiple of 32",
            with("attention.key_length_mla", 40));
        row("values within a tile", "deepseek2.attention.value_length_mla: 48 is no multiple of 32",
            with("attention.value_length_mla", 48));
        row("an odd rotation", "deepseek2.rope.dimension_count: rotating 15 of 79 head dimensions",
            [] {
                return TinyModel(options_of(true))
                    .file()
                    .without(kArch + "rope.dimension_count")
                    .key(kArch + "rope.dimension_count", 15U)
                    .without(kArch + "attention.key_length")
                    .key(kArch + "attention.key_length", 47U);
            });
        row("several keys for absorbed heads",
            "deepseek2.attention.head_count_kv: is 2, must be 1, since the heads share one latent",
            with("attention.head_count_kv", 2));
        row("fewer keys than heads",
            "deepseek2.attention.head_count_kv: is 1, must be 4, as many as there are heads",
            with("attention.head_count_kv", 1, true));
        row("no rotation", "deepseek2.rope.dimension_count: the file does not have this",
            without("deepseek2.rope.dimension_count"));
        row("another rank of queries",
            "blk.0.attn_q_b.weight: has shape [192, 96], must have [192, 128]",
            with("attention.q_lora_rank", 128));
        row("queries without their rank",
            "blk.0.attn_q_b.weight: has shape [192, 96], must have [192, 64]",
            without("deepseek2.attention.q_lora_rank"));
        row("queries without the first matrix", "blk.0.attn_q_a.weight: the file has no such",
            without("blk.0.attn_q_a.weight"));
        row("queries without their norm", "blk.1.attn_q_a_norm.weight: the file has no such",
            without("blk.1.attn_q_a_norm.weight"));
        row("latents without their norm", "blk.1.attn_kv_a_norm.weight: the file has no such",
            without("blk.1.attn_kv_a_norm.weight"));
        row("no latents", "blk.0.attn_kv_a_mqa.weight: the file has no such tensor",
            without("blk.0.attn_kv_a_mqa.weight"));
        row("latents without what is rotated",
            "blk.0.attn_kv_a_mqa.weight: has shape [64, 64], must have [80, 64]",
            shaped("blk.0.attn_kv_a_mqa.weight", {64, 64}));
        row("no matrix for keys", "blk.0.attn_k_b.weight: the file has no such tensor",
            without("blk.0.attn_k_b.weight"));
        row("no matrix for values", "blk.1.attn_v_b.weight: the file has no such tensor",
            without("blk.1.attn_v_b.weight"));
        row("neither one matrix nor two", "blk.0.attn_k_b.weight: the file has no such tensor",
            without("blk.0.attn_kv_b.weight", true));
        row("keys that are not turned",
            "blk.0.attn_k_b.weight: has shape [4, 32, 64], must have [4, 64, 32]",
            shaped("blk.0.attn_k_b.weight", {4, 32, 64}));
        row("values of another width",
            "blk.1.attn_v_b.weight: has shape [4, 32, 64], must have [4, 64, 64]",
            shaped("blk.1.attn_v_b.weight", {4, 32, 64}));
        row("values of one head behind those of the other",
            "blk.1.attn_v_b.weight: has shape [256, 64], must have [4, 64, 64]",
            shaped("blk.1.attn_v_b.weight", {256, 64}));
        row("one matrix of fewer heads",
            "blk.0.attn_kv_b.weight: has shape [288, 64], must have [384, 64]",
            shaped("blk.0.attn_kv_b.weight", {288, 64}, true));
        row("one matrix, and those that it is",
            "blk.0.attn_k_b.weight: is a tensor this version does not know what to do with", [] {
                return TinyModel(options_of())
                    .file()
                    .tensor("blk.0.attn_kv_b.weight", {384, 64}, DType::F32);
            });
        row("one matrix and another for keys",
            "blk.0.attn_k_b.weight: is a tensor this version does not know what to do with", [] {
                return TinyModel(options_of(true))
                    .file()
                    .tensor("blk.0.attn_k_b.weight", {4, 64, 32}, DType::F32);
            });
        row("an output of other heads",
            "blk.0.attn_output.weight: has shape [64, 320], must have [64, 256]",
            shaped("blk.0.attn_output.weight", {64, 320}));
        row("a bias of queries",
            "blk.0.attn_q.bias: is a tensor this version does not know what to do with", [] {
                return TinyModel(options_of())
                    .file()
                    .tensor("blk.0.attn_q.bias", {192}, DType::F32);
            });
        row("YaRN without its multiplier",
            "deepseek2.rope.scaling.yarn_log_multiplier: the file does not have this metadata key",
            [] {
                return TinyModel(
                           {.arch = "deepseek2", .rope_linear_factor = 4.0F, .yarn_context = 64})
                    .file()
                    .without(kArch + "rope.scaling.yarn_log_multiplier");
            });
        row("a multiplier beyond reason",
            "deepseek2.rope.scaling.yarn_log_multiplier: is 1000.000000, must be up to 10.000000",
            [] {
                const std::string key = kArch + "rope.scaling.yarn_log_multiplier";
                return TinyModel(
                           {.arch = "deepseek2", .rope_linear_factor = 4.0F, .yarn_context = 64})
                    .file()
                    .without(key)
                    .key(key, 1000.0F);
            });
        row("positions divided",
            "deepseek2.rope.scaling.type: this architecture is scaled by \"yarn\" only",
            [] { return TinyModel({.arch = "deepseek2", .rope_linear_factor = 4.0F}).file(); });
        row("scores that grow with positions",
            "deepseek2.attention.temperature_scale: this architecture is not known to have it", [] {
                return TinyModel(options_of())
                    .file()
                    .key(kArch + "attention.temperature_scale", 0.1F);
            });
    }
    void refuses() {
        QFETCH(QString, wanted);
        QFETCH(std::function<GgufBuilder()>, make);
        const std::string error = error_of(make());
        QVERIFY2(QString::fromStdString(error).startsWith(wanted), error.c_str());
    }
};

QTEST_APPLESS_MAIN(LatentSpecTest)
#include "latent_spec_test.moc"
