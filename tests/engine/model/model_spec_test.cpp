#include "model/model_spec.h"

#include <QtTest>
#include <cstring>
#include <functional>

#include "model/weights.h"
#include "support/tiny_model.h"

using hearth::DType;
using hearth::test::GgufBuilder;
using hearth::test::TinyModel;

namespace {

// The error of reading and binding a file, empty if there is none.
std::string error_of(const GgufBuilder& builder) {
    const hearth::test::Bytes bytes = builder.bytes();
    auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
    if (!file) {
        return file.error().message;
    }
    auto spec = hearth::read_model_spec(*file);
    if (!spec) {
        return spec.error().message;
    }
    auto tensors = hearth::bind_tensors(*file, *spec);
    return tensors ? std::string{} : tensors.error().message;
}

// Enough keys for a spec, none of them yet wrong.
GgufBuilder keys(const std::string& arch = "llama") {
    GgufBuilder builder;
    builder.key("general.architecture", arch);
    return builder;
}

}  // namespace

class ModelSpecTest : public QObject {
    Q_OBJECT

private slots:
    void reads_what_the_file_says() {
        const hearth::test::Bytes bytes =
            TinyModel({.arch = "llama", .tied = true, .rope_linear_factor = 4.0F}).file().bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY2(spec.has_value(), spec ? "" : spec.error().message.c_str());
        QCOMPARE(spec->arch, std::string("llama"));
        QCOMPARE(spec->n_layer(), 2);
        QCOMPARE(spec->n_embd, 64);
        QCOMPARE(spec->layer(1).attention.n_head, 4);
        QCOMPARE(spec->layer(1).attention.n_head_kv, 2);
        QCOMPARE(spec->layer(1).attention.head_dim, 16);
        QCOMPARE(spec->layer(1).attention.scale, 0.25F);
        QCOMPARE(spec->layer(1).n_ff, 96);
        QCOMPARE(spec->n_vocab, TinyModel::kVocab);
        QCOMPARE(spec->n_ctx_train, 128);
        QCOMPARE(spec->layer(1).attention.rope.linear_factor, 4.0F);
        QVERIFY(spec->tied_output);
        QVERIFY(spec->activation() == hearth::Activation::SiluGated);
    }

    void layers_may_differ() {
        const hearth::test::Bytes bytes =
            TinyModel({.head_dim = 16, .layers = {{4, 2, 96}, {6, 1, 160}}}).file().bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY2(spec.has_value(), spec ? "" : spec.error().message.c_str());
        QCOMPARE(spec->neurons(), (std::vector<int>{96, 160}));
        QCOMPARE(spec->layer(0).n_embd_q(), 64);
        QCOMPARE(spec->layer(1).n_embd_q(), 96);
        QCOMPARE(spec->layer(1).n_embd_kv(), 16);
        QCOMPARE(spec->layer(1).heads_per_kv(), 6);
        QCOMPARE(spec->n_ff_max(), 160);
        QCOMPARE(spec->n_embd_kv_max(), 32);
        QVERIFY(hearth::bind_tensors(*file, *spec));
    }

    void delta_nets_stand_between_attention() {
        const hearth::test::Bytes bytes =
            TinyModel({.arch = "qwen35", .n_layer = 4, .n_left_out = 1}).file().bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY2(spec.has_value(), spec ? "" : spec.error().message.c_str());
        QCOMPARE(spec->n_layer(), 4);
        QCOMPARE(spec->n_left_out, 1);
        const hearth::LayerSpec& recurrent = spec->layer(2);
        QVERIFY(recurrent.delta_net == (hearth::DeltaNetSpec{2, 4, 32, 32, 4}));
        QVERIFY(recurrent.is_recurrent() && spec->layer(0).is_recurrent());
        QCOMPARE(recurrent.n_embd_q(), 2 * 64 + 128);
        QCOMPARE(recurrent.n_embd_kv(), 4);
        QCOMPARE(recurrent.n_attended(), 128);
        QCOMPARE(recurrent.n_gate(), 128);
        const hearth::LayerSpec& attention = spec->layer(3);
        QVERIFY(!attention.is_recurrent() && !spec->layer(1).is_recurrent());
        QVERIFY(attention.attention.gated);
        QCOMPARE(attention.n_rows_q(), 2 * 64);
        QCOMPARE(attention.n_embd_q(), 64);
        QCOMPARE(attention.attention.rope.dim, 8);
        auto tensors = hearth::bind_tensors(*file, *spec);
        QVERIFY2(tensors.has_value(), tensors ? "" : tensors.error().message.c_str());
        QCOMPARE(tensors->layers.size(), std::size_t{4});
        using enum hearth::Role;
        const hearth::LayerTensors& net = tensors->layers[2];
        QCOMPARE(net[Q].tensor->name, std::string("blk.2.attn_qkv.weight"));
        QCOMPARE(net[K].tensor->name, std::string("blk.2.ssm_beta.weight"));
        QCOMPARE(net[V].tensor->name, std::string("blk.2.ssm_alpha.weight"));
        QCOMPARE(net[AttnOutput].tensor->name, std::string("blk.2.ssm_out.weight"));
        QCOMPARE(net[ConvTaps].values(), std::uint64_t{256 * 4});
        QCOMPARE(net[ConvTaps].bytes(), std::uint64_t{256 * 4 * 4});
        QVERIFY(!tensors->layers[3][DeltaA].present());
    }

    // Betas and alphas lie key head by key head, and so do channels and gates of older files.
    void key_heads_keep_their_rows_together() {
        for (const bool fused : {false, true}) {
            const hearth::test::Bytes bytes =
                TinyModel({.arch = "qwen3next",
                           .fused_delta = fused,
                           .delta_net = {.n_key_heads = 2, .n_value_heads = 6}})
                    .file()
                    .bytes();
            auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
            QVERIFY(file);
            auto spec = hearth::read_model_spec(*file);
            QVERIFY2(spec.has_value(), spec ? "" : spec.error().message.c_str());
            const hearth::DeltaNetSpec& net = spec->layer(0).delta_net;
            QCOMPARE(net.key_head_of(2), 0);
            QCOMPARE(net.key_head_of(3), 1);
            QVERIFY(!spec->layer(1).is_recurrent());
            auto tensors = hearth::bind_tensors(*file, *spec);
            QVERIFY2(tensors.has_value(), tensors ? "" : tensors.error().message.c_str());
            using enum hearth::Role;
            const hearth::LayerTensors& layer = tensors->layers[0];
            const auto is = [&](hearth::Role role, std::uint64_t first, std::uint64_t run,
                                const std::vector<int>& runs) {
                const hearth::Weight& weight = layer[role];
                QCOMPARE(weight.offset, first * 64 * 4);
                QCOMPARE(weight.run, run);
                QCOMPARE(weight.rows, runs.size() * run);
                QVERIFY(weight.runs && *weight.runs == runs);
            };
            QCOMPARE(layer[K].tensor, layer[V].tensor);
            is(K, 0, 3, {0, 2});
            is(V, 3, 3, {0, 2});
            if (fused) {
                QCOMPARE(layer[Q].tensor->name, std::string("blk.0.ssm_in.weight"));
                is(Q, 0, 32, {0, 8, 1, 9, 2, 3, 4, 10, 11, 12});
                is(DeltaGate, 5 * 32, 32, {0, 1, 2, 8, 9, 10});
            } else {
                QVERIFY(!layer[Q].runs && !layer[DeltaGate].runs);
            }
        }
    }

    void gated_convolutions_have_no_key_heads() {
        const hearth::test::Bytes bytes =
            TinyModel({.arch = "lfm2", .n_layer = 4, .delta_net = {.conv_kernel = 3}})
                .file()
                .key("lfm2.attention.sliding_window", std::uint32_t{9})
                .bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY2(spec.has_value(), spec ? "" : spec.error().message.c_str());
        const hearth::LayerSpec& conv = spec->layer(2);
        QVERIFY(conv.gated_conv == (hearth::GatedConvSpec{64, 3}));
        QVERIFY(conv.is_recurrent() && !conv.is_delta_net());
        QCOMPARE(conv.n_embd_q(), 3 * 64);
        QCOMPARE(conv.n_embd_kv(), 0);
        QCOMPARE(conv.n_attended(), 64);
        QCOMPARE(conv.n_gate(), 0);
        const hearth::LayerSpec& attention = spec->layer(3);
        QVERIFY(!attention.is_recurrent() && spec->layer(0).is_gated_conv());
        QVERIFY(attention.attention.head_norm == hearth::HeadNorm::Each);
        QCOMPARE(attention.attention.window, 9);
        QCOMPARE(attention.n_embd_kv(), 2 * 16);
        auto tensors = hearth::bind_tensors(*file, *spec);
        QVERIFY2(tensors.has_value(), tensors ? "" : tensors.error().message.c_str());
        using enum hearth::Role;
        const hearth::LayerTensors& layer = tensors->layers[2];
        QCOMPARE(layer[Q].tensor->name, std::string("blk.2.shortconv.in_proj.weight"));
        QCOMPARE(layer[AttnOutput].tensor->name, std::string("blk.2.shortconv.out_proj.weight"));
        QCOMPARE(layer[ConvTaps].values(), std::uint64_t{64 * 3});
        QVERIFY(!layer[K].present() && !layer[V].present() && !layer[QNorm].present());
        QCOMPARE(tensors->layers[1][Q].tensor->name, std::string("blk.1.attn_q.weight"));
        QCOMPARE((*tensors)[OutputNorm].tensor->name, std::string("token_embd_norm.weight"));
    }

    void epsilon_of_layer_norms_stands_in() {
        const hearth::test::Bytes bytes =
            TinyModel({.arch = "nemotron_h", .n_layer = 5})
                .file()
                .without("nemotron_h.attention.layer_norm_rms_epsilon")
                .bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY2(spec.has_value(), spec ? "" : spec.error().message.c_str());
        QCOMPARE(spec->layer(0).norm.eps, 1e-5F);
    }

    // M * - M -: a feed-forward block belongs to the layer of the block before it.
    void blocks_of_one_operation_become_layers() {
        const hearth::test::Bytes bytes =
            TinyModel({.arch = "nemotron_h", .n_layer = 5}).file().bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY2(spec.has_value(), spec ? "" : spec.error().message.c_str());
        QCOMPARE(spec->n_layer(), 3);
        QCOMPARE(spec->n_blocks, 5);
        QCOMPARE(spec->neurons(), (std::vector<int>{0, 96, 96}));
        QVERIFY(spec->layer(0).is_state_space() && spec->layer(2).is_state_space());
        QVERIFY(!spec->layer(1).is_recurrent());
        QCOMPARE(spec->layer(1).attention_block, 1);
        QCOMPARE(spec->layer(1).feed_forward_block, 2);
        QCOMPARE(spec->layer(2).attention_block, 3);
        QCOMPARE(spec->layer(2).feed_forward_block, 4);
        auto tensors = hearth::bind_tensors(*file, *spec);
        QVERIFY2(tensors.has_value(), tensors ? "" : tensors.error().message.c_str());
        using enum hearth::Role;
        const hearth::LayerTensors& layer = tensors->layers[2];
        QCOMPARE(layer[AttnNorm].tensor->name, std::string("blk.3.attn_norm.weight"));
        QCOMPARE(layer[Q].tensor->name, std::string("blk.3.ssm_in.weight"));
        QCOMPARE(layer[FfnNorm].tensor->name, std::string("blk.4.attn_norm.weight"));
        QCOMPARE(layer[Up].tensor->name, std::string("blk.4.ffn_up.weight"));
        for (const hearth::Role role : {FfnNorm, Up, Down, UpBias, DownBias}) {
            QVERIFY(!tensors->layers[0][role].present());
        }
        const auto packed = hearth::need_feed_forward_blocks(*spec, "packing");
        QVERIFY(!packed);
        QCOMPARE(packed.error().message,
                 std::string("packing needs neurons in every layer, and block 0 of this model has "
                             "none"));
    }

    // A token may use every expert of the groups that it chooses.
    void all_experts_of_the_chosen_groups() {
        const hearth::test::Bytes bytes = TinyModel({.arch = "glm4moe"})
                                              .file()
                                              .without("glm4moe.expert_used_count")
                                              .key("glm4moe.expert_used_count", std::uint32_t{4})
                                              .bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY2(spec.has_value(), spec ? "" : spec.error().message.c_str());
        const hearth::ExpertsSpec& experts = spec->layer(1).experts;
        QCOMPARE(experts.n / experts.n_groups * experts.n_used_groups, 4);
        QCOMPARE(experts.n_used, 4);
    }

    // M * E M E
    void blocks_of_experts_become_layers() {
        const hearth::test::Bytes bytes = TinyModel({.arch = "nemotron_h_moe", .n_layer = 5})
                                              .file()
                                              .without("nemotron_h_moe.expert_gating_func")
                                              .bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY2(spec.has_value(), spec ? "" : spec.error().message.c_str());
        QCOMPARE(spec->neurons(), (std::vector<int>{0, 8 * 96, 8 * 96}));
        QCOMPARE(spec->counted(), (std::vector<int>{0, 8, 8}));
        QVERIFY(!spec->layer(0).is_mixture() && !spec->layer(0).has_feed_forward());
        const hearth::LayerSpec& mixture = spec->layer(2);
        QVERIFY(mixture.is_state_space());
        QVERIFY(mixture.experts == (hearth::ExpertsSpec{.n = 8,
                                                        .n_used = 3,
                                                        .n_ff = 96,
                                                        .scores = hearth::RouterScores::Sigmoid,
                                                        .may_be_biased = true,
                                                        .normed = true,
                                                        .scale = 2.5F,
                                                        .n_ff_shared = 192}));
        auto tensors = hearth::bind_tensors(*file, *spec);
        QVERIFY2(tensors.has_value(), tensors ? "" : tensors.error().message.c_str());
        using enum hearth::Role;
        const hearth::LayerTensors& layer = tensors->layers[2];
        QCOMPARE(layer[FfnNorm].tensor->name, std::string("blk.4.attn_norm.weight"));
        QCOMPARE(layer[Up].tensor->name, std::string("blk.4.ffn_up_exps.weight"));
        QCOMPARE(layer[SharedUp].tensor->name, std::string("blk.4.ffn_up_shexp.weight"));
        QCOMPARE(layer[RouterBias].tensor->name, std::string("blk.4.exp_probs_b.bias"));
        for (const hearth::Role role : {Gate, SharedGate, SharedRouter, UpBias, DownBias}) {
            QVERIFY(!layer[role].present());
        }
    }

    void experts_may_read_fewer_values() {
        const hearth::test::Bytes bytes =
            TinyModel({.arch = "nemotron_h_moe", .n_layer = 5, .n_latent = 32}).file().bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY2(spec.has_value(), spec ? "" : spec.error().message.c_str());
        QCOMPARE(spec->layer(0).experts.n_latent, 0);
        QCOMPARE(spec->layer(1).experts.n_latent, 32);
        auto tensors = hearth::bind_tensors(*file, *spec);
        QVERIFY2(tensors.has_value(), tensors ? "" : tensors.error().message.c_str());
        using enum hearth::Role;
        const hearth::LayerTensors& layer = tensors->layers[1];
        QCOMPARE(layer[ExpertLatentDown].rows, std::uint64_t{32});
        QCOMPARE(layer[ExpertLatentUp].cols, std::uint64_t{32});
        QCOMPARE(layer[Up].cols, std::uint64_t{32});
        QCOMPARE(layer[Down].expert_rows(), std::uint64_t{32});
        QCOMPARE(layer[SharedUp].cols, std::uint64_t{64});
    }

    // The last block is attention and experts, and foretells.
    void a_block_that_foretells_may_be_another_kind() {
        const std::string a = "nemotron_h_moe.";
        QCOMPARE(error_of(TinyModel({.arch = "nemotron_h_moe", .n_layer = 5})
                              .file()
                              .without(a + "block_count")
                              .key(a + "block_count", 6U)
                              .key(a + "nextn_predict_layers", 1U)
                              .without(a + "feed_forward_length")
                              .array(a + "feed_forward_length",
                                     std::vector<std::int32_t>{0, 0, 96, 0, 96, 96})
                              .without(a + "attention.head_count_kv")
                              .array(a + "attention.head_count_kv",
                                     std::vector<std::int32_t>{0, 2, 0, 0, 0, 2})
                              .tensor("blk.5.nextn.enorm.weight", {64}, DType::F32)),
                 std::string());
    }

    void layers_of_mamba_have_no_key_heads() {
        const hearth::test::Bytes bytes =
            TinyModel({.arch = "granitehybrid", .n_layer = 4}).file().bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY2(spec.has_value(), spec ? "" : spec.error().message.c_str());
        const hearth::LayerSpec& layer = spec->layer(2);
        QVERIFY(layer.state_space == (hearth::StateSpaceSpec{4, 2, 32, 64, 4}));
        QVERIFY(layer.is_recurrent() && !layer.is_delta_net());
        QCOMPARE(layer.n_embd_q(), 128 + 2 * 2 * 64);
        QCOMPARE(layer.n_embd_kv(), 4);
        QCOMPARE(layer.n_attended(), 128);
        QCOMPARE(layer.n_gate(), 128);
        QCOMPARE(layer.residual_scale, 0.25F);
        QVERIFY(!spec->layer(3).is_recurrent() && spec->layer(0).is_state_space());
        QVERIFY(spec->layer(3).attention.rope.pairing == hearth::RopePairing::None);
        QCOMPARE(spec->layer(3).attention.scale, 0.5F);
        auto tensors = hearth::bind_tensors(*file, *spec);
        QVERIFY2(tensors.has_value(), tensors ? "" : tensors.error().message.c_str());
        using enum hearth::Role;
        const hearth::LayerTensors& bound = tensors->layers[2];
        for (const hearth::Role role : {DeltaGate, Q, K}) {
            QCOMPARE(bound[role].tensor->name, std::string("blk.2.ssm_in.weight"));
        }
        QCOMPARE(bound[DeltaGate].offset, std::uint64_t{0});
        QCOMPARE(bound[Q].offset, std::uint64_t{128 * 64 * 4});
        QCOMPARE(bound[K].offset, std::uint64_t{(128 + 384) * 64 * 4});
        QCOMPARE(bound[DeltaNorm].cols, std::uint64_t{128});
        QVERIFY(!bound[V].present() && bound[StateSkip].present() && bound[ConvBias].present());
    }

    // The list of layers says more than a number of them would.
    void recurrent_layers_may_be_listed() {
        const hearth::test::Bytes bytes =
            TinyModel({.arch = "qwen35", .n_layer = 2})
                .file()
                .array("qwen35.attention.recurrent_layers", std::vector<std::int32_t>{1, 0})
                .without("qwen35.full_attention_interval")
                .bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY2(spec.has_value(), spec ? "" : spec.error().message.c_str());
        QVERIFY(spec->layer(0).is_recurrent() && !spec->layer(1).is_recurrent());
    }

    // In every family.
    void layers_that_foretell_are_left_out() {
        for (const char* arch : {"llama", "qwen3", "gemma3"}) {
            QCOMPARE(error_of(TinyModel({.arch = arch, .n_left_out = 2}).file()), std::string());
        }
        const hearth::test::Bytes bytes =
            TinyModel({.arch = "llama", .n_left_out = 2}).file().bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY(spec);
        QCOMPARE(spec->n_layer(), 2);
    }

    void activations_data() {
        using enum hearth::Activation;
        QTest::addColumn<int>("activation");
        QTest::addColumn<bool>("gated");
        QTest::addColumn<bool>("sparse");
        const auto row = [](hearth::Activation activation, bool gated, bool sparse) {
            QTest::newRow(hearth::to_string(activation).data())
                << static_cast<int>(activation) << gated << sparse;
        };
        row(SiluGated, true, false);
        row(GeluGated, true, false);
        row(Gelu, false, false);
        row(ReluGated, true, true);
        row(DRelu, true, true);
        row(Relu, false, true);
        row(ReluSquared, false, true);
    }
    void activations() {
        QFETCH(int, activation);
        QFETCH(bool, gated);
        QFETCH(bool, sparse);
        const auto one = static_cast<hearth::Activation>(activation);
        QCOMPARE(hearth::is_gated(one), gated);
        QCOMPARE(hearth::is_sparse(one), sparse);
        QVERIFY(hearth::activation_from_name(hearth::to_string(one)) == one);
    }

    void norms_of_parallel_layers_may_differ() {
        GgufBuilder builder = TinyModel({.arch = "falcon", .second_norm = true}).file();
        builder.without("blk.1.attn_norm_2.weight").without("blk.1.attn_norm_2.bias");
        const hearth::test::Bytes bytes = builder.bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY(spec);
        QVERIFY(spec->layer(0).norms == hearth::Norms::ParallelTwo);
        QVERIFY(spec->layer(1).norms == hearth::Norms::ParallelOne);
        QVERIFY(hearth::bind_tensors(*file, *spec));
    }

    void linear_scaling_has_an_older_spelling() {
        const hearth::test::Bytes bytes =
            TinyModel({.arch = "llama"}).file().key("llama.rope.scale_linear", 4.0F).bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY(spec);
        QCOMPARE(spec->layer(1).attention.rope.linear_factor, 4.0F);
    }

    // Its heads need not be as wide together as the stream.
    void gemma_scales_by_the_streams_width() {
        const hearth::test::Bytes bytes =
            TinyModel({.arch = "gemma", .head_dim = 32}).file().bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY(spec);
        QCOMPARE(spec->layer(0).n_embd_q(), 128);
        QCOMPARE(spec->embedding_scale, 8.0F);
    }

    void architectures_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("activation");
        for (const hearth::test::TestFamily& family : hearth::test::test_families()) {
            QTest::newRow(family.arch.c_str())
                << QString::fromStdString(family.arch)
                << static_cast<int>(*hearth::activation_from_name(family.dense));
        }
    }
    void architectures() {
        QFETCH(QString, name);
        QFETCH(int, activation);
        const GgufBuilder builder = TinyModel({.arch = name.toStdString()}).file();
        const hearth::test::Bytes bytes = builder.bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY2(spec.has_value(), spec ? "" : spec.error().message.c_str());
        QCOMPARE(static_cast<int>(spec->activation()), activation);
        QCOMPARE(error_of(builder), std::string());
    }

    void other_kinds_data() {
        QTest::addColumn<QString>("wanted");
        QTest::addColumn<QString>("field");
        QTest::addColumn<std::function<GgufBuilder()>>("make");
        using Make = std::function<GgufBuilder()>;
        const auto row = [](const char* name, const char* wanted, const char* field, Make make) {
            QTest::newRow(name) << wanted << field << make;
        };
        const auto arch = [&](const char* name, const char* wanted) {
            row(name, wanted, "general.architecture",
                [name] { return GgufBuilder().key("general.architecture", name); });
        };
        for (const char* name :
             {"bert", "modern-bert", "nomic-bert", "nomic-bert-moe", "neo-bert", "jina-bert-v2",
              "jina-bert-v3", "eurobert", "gemma-embedding", "llama-embed"}) {
            arch(name, "it is an embedding model");
        }
        for (const char* name : {"eagle3", "dflash", "gemma4-assistant"}) {
            arch(name, "it is a draft");
        }
        for (const char* name : {"dream", "llada", "llada-moe", "rnd1"}) {
            arch(name, "it is a diffusion language model");
        }
        for (const char* name : {"wavtokenizer-dec", "whisper", "qwen3tts", "pockettts"}) {
            arch(name, "it is a model of speech");
        }
        for (const char* name : {"flux", "sd1", "sdxl", "sd3", "aura", "lumina2", "hidream",
                                 "qwen_image", "ltxv", "hyvid", "wan", "cosmos"}) {
            arch(name, "it is a model that makes pictures");
        }
        arch("clip", "it is a projector");
        arch("controlvector", "it is a control vector");
        arch("t5", "it is a model of an encoder");
        arch("t5encoder", "it is a model of an encoder");
        for (const auto& [type, wanted] : {std::pair{"adapter", "it is an adapter (LoRA)"},
                                           {"imatrix", "it is an importance matrix"},
                                           {"mmproj", "it is a projector"}}) {
            row(type, wanted, "general.type",
                [type = type] { return TinyModel().file().key("general.type", type); });
        }
        row("pooled vectors", "it is an embedding model", "bamboo.pooling_type",
            [] { return TinyModel().file().key("bamboo.pooling_type", 3U); });
        row("ranks", "it is a reranker", "bamboo.pooling_type",
            [] { return TinyModel().file().key("bamboo.pooling_type", 4U); });
    }

    void other_kinds() {
        QFETCH(QString, wanted);
        QFETCH(QString, field);
        QFETCH(std::function<GgufBuilder()>, make);
        const hearth::test::Bytes bytes = make().bytes();
        const auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file.has_value());
        const auto spec = hearth::read_model_spec(*file);
        QVERIFY(!spec);
        QCOMPARE(spec.error().code, hearth::ErrorCode::Unsupported);
        QVERIFY2(spec.error().message.starts_with(wanted.toStdString()),
                 spec.error().message.c_str());
        QCOMPARE(QString::fromStdString(spec.error().field), field);
        QVERIFY(!spec.error().path.empty());
    }

    // Files of chat models have these values, too.
    void chat_models_stay() {
        const GgufBuilder builder = TinyModel()
                                        .file()
                                        .key("general.type", "model")
                                        .key("bamboo.pooling_type", 0U)
                                        .key("bamboo.expert_count", 0U);
        QCOMPARE(error_of(builder), std::string());
    }

    void refuses_data() {
        QTest::addColumn<QString>("wanted");
        QTest::addColumn<std::function<GgufBuilder()>>("make");
        using Make = std::function<GgufBuilder()>;
        const auto row = [](const char* name, const char* wanted, Make make) {
            QTest::newRow(name) << wanted << make;
        };
        row("no architecture", "general.architecture: the file does not have this metadata key",
            [] { return GgufBuilder().key("a", "b"); });
        const std::string unknown =
            "the architecture \"mamba\" is not one this version can run (it runs " +
            hearth::test::test_family_names() + ")";
        row("unknown architecture", unknown.c_str(), [] { return keys("mamba"); });
        row("no keys", "llama.block_count: the file does not have this metadata key",
            [] { return keys(); });
        row("sizes of too many layers",
            "bamboo.feed_forward_length: has 3 integers, the model has 2 layers", [] {
                return TinyModel({.layers = {{4, 2, 96}, {4, 2, 96}, {4, 2, 96}}}).file();
            });
        row("a layer without neurons",
            "llama.feed_forward_length: number 1 is not from 1 to 1048576", [] {
                return keys()
                    .key("llama.block_count", std::uint32_t{2})
                    .key("llama.embedding_length", std::uint32_t{64})
                    .array("llama.feed_forward_length", std::vector<std::int32_t>{96, 0});
            });
        row("heads of the second layer that do not share evenly",
            "bamboo.attention.head_count: 4 heads do not share 3 key/value heads evenly", [] {
                return TinyModel({.layers = {{4, 2, 96}, {4, 3, 96}}}).file();
            });
        row("zero layers", "llama.block_count: wanted a number from 1 to 4096, found 0",
            [] { return keys().key("llama.block_count", std::uint32_t{0}); });
        row("a billion layers",
            "llama.block_count: wanted a number from 1 to 4096, found 1000000000",
            [] { return keys().key("llama.block_count", std::uint32_t{1000000000}); });
        row("text for a number", "llama.block_count: wanted an integer, found str",
            [] { return keys().key("llama.block_count", "two"); });
        row("values narrower than keys",
            "bamboo.attention.value_length: value heads of 8 beside key heads of 16 are not "
            "supported",
            [] { return TinyModel().file().key("bamboo.attention.value_length", 8U); });
        row("yarn without a factor",
            "bamboo.rope.scaling.factor: the file does not have this metadata key",
            [] { return TinyModel().file().key("bamboo.rope.scaling.type", "yarn"); });
        row("a scaling nobody knows",
            "bamboo.rope.scaling.type: RoPE scaling \"dynamic\" is not supported",
            [] { return TinyModel().file().key("bamboo.rope.scaling.type", "dynamic"); });
        row("factors for long contexts without their border",
            "llama.rope.scaling.original_context_length: the file does not have this metadata key",
            [] {
                return TinyModel({.arch = "llama"})
                    .file()
                    .tensor("rope_factors_long.weight", {8}, hearth::DType::F32,
                            hearth::test::Bytes(32));
            });
        row("a window for half of the layers",
            "gemma2.attention.sliding_window_pattern: has 1 integers, the model has 2 layers", [] {
                return TinyModel({.arch = "gemma2"})
                    .file()
                    .array("gemma2.attention.sliding_window_pattern", std::vector<std::int32_t>{1});
            });
        row("a negative magnitude of rotations",
            "llama.rope.scaling.attn_factor: is -1.000000, must be positive", [] {
                return TinyModel({.arch = "llama"})
                    .file()
                    .key("llama.rope.scaling.attn_factor", -1.0F);
            });
        row("unknown activation",
            "hearth.activation: \"swish\" is no activation this version knows",
            [] { return TinyModel().file().key("hearth.activation", "swish"); });
        row("activation without a gate",
            "the activation \"relu2\" does not fit the architecture bamboo",
            [] { return TinyModel().file().key("hearth.activation", "relu2"); });
        row("negative threshold", "hearth.activation.threshold: is -1.000000, must be 0 or more",
            [] { return TinyModel().file().key("hearth.activation.threshold", -1.0F); });
        row("experts",
            "a mixture of 8 experts of the architecture \"bamboo\" is not something this version "
            "can "
            "run",
            [] { return TinyModel().file().key("bamboo.expert_count", std::uint32_t{8}); });
        row("a mixture whose other keys are missing",
            "qwen3moe.block_count: the file does not have this metadata key", [] {
                return GgufBuilder()
                    .key("general.architecture", "qwen3moe")
                    .key("qwen3moe.expert_count", std::uint32_t{128});
            });
        const auto mixture = [](const char* arch, const char* key, std::uint32_t value,
                                bool is_there = true) {
            return [=] {
                const std::string name = std::string(arch) + "." + key;
                GgufBuilder file = TinyModel({.arch = arch}).file();
                return (is_there ? file.without(name) : file).key(name, value);
            };
        };
        const auto qwen3moe = [mixture](const char* key, std::uint32_t value) {
            return mixture("qwen3moe", key, value);
        };
        row("more experts than weights",
            "blk.0.ffn_gate_exps.weight: has shape [8, 96, 64], must have [9, 96, 64]",
            qwen3moe("expert_count", 9));
        row("fewer experts than weights",
            "blk.0.ffn_gate_exps.weight: has shape [8, 96, 64], must have [4, 96, 64]",
            qwen3moe("expert_count", 4));
        row("too many experts",
            "qwen3moe.expert_count: wanted a number from 0 to 4096, found 4294967295",
            qwen3moe("expert_count", 4294967295U));
        row("more experts used than there are",
            "qwen3moe.expert_used_count: wanted a number from 1 to 8, found 9",
            qwen3moe("expert_used_count", 9));
        row("no experts used", "qwen3moe.expert_used_count: wanted a number from 1 to 8, found 0",
            qwen3moe("expert_used_count", 0));
        row("narrower experts than weights",
            "blk.0.ffn_gate_exps.weight: has shape [8, 96, 64], must have [8, 64, 64]",
            qwen3moe("expert_feed_forward_length", 64));
        row("experts that begin within a tile",
            "qwen3moe.expert_feed_forward_length: experts of 40 neurons are no multiple of 32",
            qwen3moe("expert_feed_forward_length", 40));
        row("experts without neurons",
            "qwen3moe.expert_feed_forward_length: is 0, and the model has experts",
            qwen3moe("expert_feed_forward_length", 0));
        row("more neurons than fit",
            "llama.expert_feed_forward_length: 4096 experts of 1048576 neurons are too many", [] {
                return TinyModel({.arch = "llama"})
                    .file()
                    .key("llama.expert_count", std::uint32_t{4096})
                    .key("llama.expert_used_count", std::uint32_t{1})
                    .key("llama.expert_feed_forward_length", std::uint32_t{1} << 20);
            });
        row("a router that nobody knows",
            "qwen3moe.expert_gating_func: is no function of a router that this version knows",
            mixture("qwen3moe", "expert_gating_func", 9, false));
        row("groups of unequal size",
            "glm4moe.expert_group_count: 8 experts do not make 3 groups of equal size",
            mixture("glm4moe", "expert_group_count", 3));
        row("groups that are too small",
            "glm4moe.expert_used_count: a token uses 3 experts, and 1 groups have 2",
            mixture("glm4moe", "expert_group_used_count", 1));
        row("too many groups", "glm4moe.expert_group_count: 65 groups are more than 64",
            mixture("glm4moe", "expert_group_count", 65));
        row("shared experts of another width",
            "blk.0.ffn_gate_shexp.weight: has shape [192, 64], must have [96, 64]",
            mixture("qwen2moe", "expert_shared_feed_forward_length", 96));
        row("fewer shared experts than weights",
            "blk.1.ffn_gate_shexp.weight: has shape [192, 64], must have [96, 64]",
            mixture("glm4moe", "expert_shared_count", 1));
        row("a shared expert that begins within a tile",
            "qwen2moe.expert_shared_feed_forward_length: 40 neurons are no multiple of 32",
            mixture("qwen2moe", "expert_shared_feed_forward_length", 40));
        row("shared experts that nobody can read",
            "glm4moe.expert_shared_count: 4096 experts are too wide", [] {
                return TinyModel({.arch = "glm4moe"})
                    .file()
                    .without("glm4moe.expert_shared_count")
                    .key("glm4moe.expert_shared_count", std::uint32_t{4096})
                    .without("glm4moe.expert_feed_forward_length")
                    .key("glm4moe.expert_feed_forward_length", std::uint32_t{1024});
            });
        row("a layer that is dense and a mixture",
            "blk.0.ffn_gate_inp.weight: the file has no such tensor",
            mixture("lfm2moe", "leading_dense_block_count", 0));
        row("a mixture that should be dense",
            "blk.1.ffn_gate_exps.weight: has shape [8, 96, 64], must have [96, 64]",
            mixture("lfm2moe", "leading_dense_block_count", 2));
        for (const char* tensor :
             {"blk.0.attn_sinks.weight", "blk.1.attn_output.bias", "blk.0.ffn_gate_inp.bias",
              "blk.1.ffn_gate_exps.bias", "blk.0.ffn_up_exps.bias", "blk.1.ffn_down_exps.bias"}) {
            const std::string wanted = std::string(tensor) + ": the file has no such tensor";
            const std::string name = std::string("gpt-oss: ") + tensor;
            row(name.c_str(), wanted.c_str(),
                [tensor] { return TinyModel({.arch = "gpt-oss"}).file().without(tensor); });
        }
        row("biases of fewer experts",
            "blk.0.ffn_down_exps.bias: has shape [7, 64], must have [8, 64]", [] {
                return TinyModel({.arch = "gpt-oss"})
                    .file()
                    .without("blk.0.ffn_down_exps.bias")
                    .tensor("blk.0.ffn_down_exps.bias", {7, 64}, hearth::DType::F32);
            });
        row("gpt-oss without experts", "gpt-oss.expert_count: must be positive", [] {
            return TinyModel({.arch = "gpt-oss"})
                .file()
                .without("gpt-oss.expert_count")
                .key("gpt-oss.expert_count", std::uint32_t{0});
        });
        for (const char* tensor :
             {"blk.0.ffn_gate_inp.weight", "blk.0.ffn_gate_exps.weight", "blk.1.ffn_up_exps.weight",
              "blk.0.ffn_down_exps.weight", "blk.0.ffn_gate_inp_shexp.weight",
              "blk.1.ffn_down_shexp.weight"}) {
            const std::string wanted = std::string(tensor) + ": the file has no such tensor";
            const std::string name = std::string("mixture: ") + tensor;
            row(name.c_str(), wanted.c_str(),
                [tensor] { return TinyModel({.arch = "qwen2moe"}).file().without(tensor); });
        }
        row("experts that are no number", "bamboo.expert_count: wanted an integer, found str",
            [] { return TinyModel().file().key("bamboo.expert_count", "eight"); });
        row("unknown tensor",
            "blk.0.attn_sinks.weight: is a tensor this version does not know "
            "what to do with",
            [] { return TinyModel().file().tensor_f32("blk.0.attn_sinks.weight", {1}, {0}); });
        row("qwen2 without a bias of its first queries",
            "blk.0.attn_q.bias: the file has no such tensor",
            [] { return TinyModel({.arch = "qwen2"}).file().without("blk.0.attn_q.bias"); });
        row("qwen2 without a bias of its keys", "blk.1.attn_k.bias: the file has no such tensor",
            [] { return TinyModel({.arch = "qwen2"}).file().without("blk.1.attn_k.bias"); });
        row("qwen3 without a norm of its queries",
            "blk.1.attn_q_norm.weight: the file has no such tensor",
            [] { return TinyModel({.arch = "qwen3"}).file().without("blk.1.attn_q_norm.weight"); });
        row("llama with a norm of its queries",
            "blk.0.attn_q_norm.weight: is a tensor this version does not know what to do with",
            [] { return TinyModel({.arch = "llama", .head_norm = true}).file(); });
        const auto qwen35 = [](const char* key, std::uint32_t value) {
            return [key, value] {
                return TinyModel({.arch = "qwen35"}).file().without(key).key(key, value);
            };
        };
        row("an interval of no layers",
            "qwen35.full_attention_interval: wanted a number from 1 to 4096, found 0",
            qwen35("qwen35.full_attention_interval", 0));
        row("delta net heads that do not share evenly",
            "qwen35.ssm.group_count: 4 value heads do not share 3 key heads evenly",
            qwen35("qwen35.ssm.group_count", 3));
        row("no key heads", "qwen35.ssm.group_count: wanted a number from 1 to 4096, found 0",
            qwen35("qwen35.ssm.group_count", 0));
        row("a convolution of nothing",
            "qwen35.ssm.conv_kernel: wanted a number from 1 to 16, found 0",
            qwen35("qwen35.ssm.conv_kernel", 0));
        row("a convolution of a billion",
            "qwen35.ssm.conv_kernel: wanted a number from 1 to 16, found 1000000000",
            qwen35("qwen35.ssm.conv_kernel", 1000000000));
        row("a convolution of another length",
            "blk.0.ssm_conv1d.weight: has shape [256, 4], must have [256, 3]",
            qwen35("qwen35.ssm.conv_kernel", 3));
        row("heads of 40", "qwen35.ssm.state_size: heads of 40 are no multiple of 32 up to 256",
            qwen35("qwen35.ssm.state_size", 40));
        row("heads of 4294967295",
            "qwen35.ssm.state_size: wanted a number from 1 to 1048576, found 4294967295",
            qwen35("qwen35.ssm.state_size", 4294967295U));
        row("heads of 2048", "qwen35.ssm.state_size: heads of 2048 are no multiple of 32 up to 256",
            qwen35("qwen35.ssm.state_size", 2048));
        row("values of another width", "qwen35.ssm.inner_size: is 64, 4 heads of 32 are 128 wide",
            qwen35("qwen35.ssm.inner_size", 64));
        row("heads beyond number",
            "qwen35.ssm.time_step_rank: wanted a number from 1 to 4096, found 4294967295",
            qwen35("qwen35.ssm.time_step_rank", 4294967295U));
        row("no sizes of delta nets",
            "qwen35.ssm.group_count: the file does not have this metadata key",
            [] { return TinyModel({.arch = "qwen35"}).file().without("qwen35.ssm.group_count"); });
        for (const char* tensor :
             {"blk.0.ssm_conv1d.weight", "blk.0.ssm_dt.bias", "blk.0.ssm_norm.weight",
              "blk.0.ssm_beta.weight", "blk.0.ssm_alpha.weight", "blk.0.attn_gate.weight",
              "blk.0.ssm_out.weight", "blk.0.attn_qkv.weight"}) {
            const std::string wanted = std::string(tensor) + ": the file has no such tensor";
            row(tensor, wanted.c_str(),
                [tensor] { return TinyModel({.arch = "qwen35"}).file().without(tensor); });
        }
        row("blk.0.ssm_a", "blk.0.attn_q.weight: the file has no such tensor",
            [] { return TinyModel({.arch = "qwen35"}).file().without("blk.0.ssm_a"); });
        for (const char* tensor : {"blk.0.ssm_ba.weight", "blk.0.attn_gate.weight",
                                   "blk.1.attn_k.weight", "blk.1.post_attention_norm.weight"}) {
            const std::string wanted = std::string(tensor) + ": the file has no such tensor";
            const std::string name = std::string("qwen3next: ") + tensor;
            row(name.c_str(), wanted.c_str(),
                [tensor] { return TinyModel({.arch = "qwen3next"}).file().without(tensor); });
        }
        row("betas of other heads", "blk.0.ssm_ba.weight: has shape [9, 64], must have [8, 64]",
            [] {
                return TinyModel({.arch = "qwen3next"})
                    .file()
                    .without("blk.0.ssm_ba.weight")
                    .tensor("blk.0.ssm_ba.weight", {9, 64}, DType::F32);
            });
        row("channels in one tensor and apart",
            "blk.0.attn_qkv.weight: is a tensor this version does not know what to do with", [] {
                return TinyModel({.arch = "qwen3next", .fused_delta = true})
                    .file()
                    .tensor("blk.0.attn_qkv.weight", {256, 64}, DType::F32);
            });
        row("channels of another width",
            "blk.0.ssm_in.weight: has shape [384, 64], must have [320, 64]", [] {
                return TinyModel({.arch = "qwen3next", .fused_delta = true})
                    .file()
                    .without("qwen3next.ssm.group_count")
                    .key("qwen3next.ssm.group_count", 1U);
            });
        row("channels of a delta net in attention",
            "blk.1.ssm_in.weight: is a delta net's, and its block is attention", [] {
                return TinyModel({.arch = "qwen3next"})
                    .file()
                    .tensor("blk.1.ssm_in.weight", {384, 64}, DType::F32);
            });
        row("betas of a delta net in attention",
            "blk.1.ssm_ba.weight: is a delta net's, and its block is attention", [] {
                return TinyModel({.arch = "qwen3next"})
                    .file()
                    .tensor("blk.1.ssm_a", {4}, DType::F32)
                    .tensor("blk.1.attn_qkv.weight", {128, 64}, DType::F32)
                    .tensor("blk.1.ssm_ba.weight", {8, 64}, DType::F32);
            });
        row("heads of qwen3next that do not share evenly",
            "qwen3next.ssm.group_count: 4 value heads do not share 3 key heads evenly", [] {
                return TinyModel({.arch = "qwen3next"})
                    .file()
                    .without("qwen3next.ssm.group_count")
                    .key("qwen3next.ssm.group_count", 3U);
            });
        const auto lfm2 = [](const char* key, std::uint32_t value) {
            return [key, value] {
                return TinyModel({.arch = "lfm2"}).file().without(key).key(key, value);
            };
        };
        for (const auto& [name, value] : {std::pair{"a gated convolution of one token", 1U},
                                          {"a gated convolution of 17 tokens", 17U}}) {
            const std::string wanted =
                "lfm2.shortconv.l_cache: wanted a number from 2 to 16, found " +
                std::to_string(value);
            row(name, wanted.c_str(), lfm2("lfm2.shortconv.l_cache", value));
        }
        row("a gated convolution of another length",
            "blk.0.shortconv.conv.weight: has shape [64, 4], must have [64, 3]",
            lfm2("lfm2.shortconv.l_cache", 3));
        row("no length of gated convolutions",
            "lfm2.shortconv.l_cache: the file does not have this metadata key",
            [] { return TinyModel({.arch = "lfm2"}).file().without("lfm2.shortconv.l_cache"); });
        row("attention where convolutions are",
            "blk.0.shortconv.in_proj.weight: has shape [192, 64], must have [64, 64]",
            lfm2("lfm2.attention.head_count_kv", 2));
        row("convolutions where attention is",
            "blk.1.attn_q.weight: has shape [64, 64], must have [192, 64]",
            lfm2("lfm2.attention.head_count_kv", 0));
        row("key heads of too few layers",
            "lfm2.attention.head_count_kv: has 1 integers, the model has 2 layers", [] {
                return TinyModel({.arch = "lfm2"})
                    .file()
                    .without("lfm2.attention.head_count_kv")
                    .array("lfm2.attention.head_count_kv", std::vector<std::int32_t>{2});
            });
        row("llama without key heads",
            "llama.attention.head_count_kv: wanted a number from 1 to 4096, found 0", [] {
                return TinyModel({.arch = "llama"})
                    .file()
                    .without("llama.attention.head_count_kv")
                    .key("llama.attention.head_count_kv", 0U);
            });
        row("an encoder",
            "lfm2.attention.causal: is false: a model that sees later tokens answers nothing",
            [] { return TinyModel({.arch = "lfm2"}).file().key("lfm2.attention.causal", false); });
        for (const char* tensor : {"blk.0.shortconv.out_proj.weight", "token_embd_norm.weight",
                                   "blk.1.attn_k_norm.weight", "blk.1.attn_k.weight"}) {
            const std::string wanted = std::string(tensor) + ": the file has no such tensor";
            row(tensor, wanted.c_str(),
                [tensor] { return TinyModel({.arch = "lfm2"}).file().without(tensor); });
        }
        row("blk.0.shortconv.conv.weight", "blk.0.attn_q.weight: the file has no such tensor", [] {
            return TinyModel({.arch = "lfm2"}).file().without("blk.0.shortconv.conv.weight");
        });
        const auto hybrid = [](const char* key, std::uint32_t value) {
            return [key, value] {
                return TinyModel({.arch = "granitehybrid"}).file().without(key).key(key, value);
            };
        };
        row("mamba's heads that do not share evenly",
            "granitehybrid.ssm.group_count: 4 heads do not share 3 groups evenly",
            hybrid("granitehybrid.ssm.group_count", 3));
        row("mamba without groups",
            "granitehybrid.ssm.group_count: wanted a number from 1 to 4096, found 0",
            hybrid("granitehybrid.ssm.group_count", 0));
        row("mamba without heads",
            "granitehybrid.ssm.time_step_rank: wanted a number from 1 to 4096, found 0",
            hybrid("granitehybrid.ssm.time_step_rank", 0));
        row("mamba's values of parts of heads",
            "granitehybrid.ssm.inner_size: is 130, no multiple of 4 heads",
            hybrid("granitehybrid.ssm.inner_size", 130));
        row("mamba's heads of 8", "granitehybrid.ssm.inner_size: heads of 8 are no multiple of 16",
            hybrid("granitehybrid.ssm.inner_size", 32));
        row("mamba's states of 40",
            "granitehybrid.ssm.state_size: states of 40 are no multiple of 32 up to 256",
            hybrid("granitehybrid.ssm.state_size", 40));
        row("mamba's states of 512",
            "granitehybrid.ssm.state_size: states of 512 are no multiple of 32 up to 256",
            hybrid("granitehybrid.ssm.state_size", 512));
        row("mamba's states of another width",
            "blk.0.ssm_in.weight: has shape [516, 64], must have [388, 64]",
            hybrid("granitehybrid.ssm.state_size", 32));
        row("mamba's convolution of one token",
            "granitehybrid.ssm.conv_kernel: wanted a number from 2 to 16, found 1",
            hybrid("granitehybrid.ssm.conv_kernel", 1));
        row("experts beside mamba that are missing",
            "granitehybrid.expert_used_count: the file does not have this metadata key", [] {
                return TinyModel({.arch = "granitehybrid"})
                    .file()
                    .key("granitehybrid.expert_count", 8U);
            });
        for (const char* tensor :
             {"blk.0.ssm_in.weight", "blk.0.ssm_conv1d.weight", "blk.0.ssm_dt.bias", "blk.0.ssm_d",
              "blk.0.ssm_norm.weight", "blk.0.ssm_out.weight", "blk.1.attn_k.weight"}) {
            const std::string wanted = std::string(tensor) + ": the file has no such tensor";
            const std::string name = std::string("mamba: ") + tensor;
            row(name.c_str(), wanted.c_str(),
                [tensor] { return TinyModel({.arch = "granitehybrid"}).file().without(tensor); });
        }
        const auto lone_blocks = [](std::vector<std::int32_t> n_ff) {
            return [n_ff = std::move(n_ff)] {
                return TinyModel({.arch = "nemotron_h", .n_layer = 5})
                    .file()
                    .without("nemotron_h.feed_forward_length")
                    .array("nemotron_h.feed_forward_length", n_ff);
            };
        };
        row("a feed-forward block first",
            "nemotron_h.feed_forward_length: block 0 is a feed-forward block without attention or "
            "a recurrence before it",
            lone_blocks({96, 0, 96, 0, 96}));
        row("a feed-forward block behind another",
            "nemotron_h.feed_forward_length: block 3 is a feed-forward block without attention or "
            "a recurrence before it",
            lone_blocks({0, 0, 96, 96, 0}));
        row("no feed-forward block",
            "nemotron_h.feed_forward_length: no block of the model is a feed-forward block",
            lone_blocks({0, 0, 0, 0, 0}));
        row("another family's layer without neurons",
            "llama.feed_forward_length: number 1 is not from 1 to 1048576", [] {
                return TinyModel({.arch = "llama"})
                    .file()
                    .without("llama.feed_forward_length")
                    .array("llama.feed_forward_length", std::vector<std::int32_t>{96, 0});
            });
        for (const char* tensor : {"blk.0.attn_norm.weight", "blk.2.attn_norm.weight",
                                   "blk.2.ffn_up.weight", "blk.4.ffn_down.weight"}) {
            const std::string wanted = std::string(tensor) + ": the file has no such tensor";
            const std::string name = std::string("lone blocks: ") + tensor;
            row(name.c_str(), wanted.c_str(), [tensor] {
                return TinyModel({.arch = "nemotron_h", .n_layer = 5}).file().without(tensor);
            });
        }
        row("neurons in a block of Mamba-2",
            "blk.3.ffn_up.weight: is a tensor this version does not know what to do with", [] {
                return TinyModel({.arch = "nemotron_h", .n_layer = 5})
                    .file()
                    .tensor_f32("blk.3.ffn_up.weight", {1}, {0});
            });
        for (const char* tensor : {"blk.2.attn_norm.weight", "blk.2.ffn_gate_inp.weight",
                                   "blk.2.ffn_up_exps.weight", "blk.4.ffn_down_exps.weight",
                                   "blk.4.ffn_up_shexp.weight", "blk.2.ffn_down_shexp.weight"}) {
            const std::string wanted = std::string(tensor) + ": the file has no such tensor";
            const std::string name = std::string("blocks of experts: ") + tensor;
            row(name.c_str(), wanted.c_str(), [tensor] {
                return TinyModel({.arch = "nemotron_h_moe", .n_layer = 5}).file().without(tensor);
            });
        }
        for (const char* tensor : {"blk.2.ffn_gate_exps.weight", "blk.2.ffn_gate_shexp.weight",
                                   "blk.3.ffn_up_exps.weight", "blk.2.ffn_latent_down.weight"}) {
            const std::string wanted =
                std::string(tensor) + ": is a tensor this version does not know what to do with";
            const std::string name = std::string("blocks of experts with ") + tensor;
            row(name.c_str(), wanted.c_str(), [tensor] {
                return TinyModel({.arch = "nemotron_h_moe", .n_layer = 5})
                    .file()
                    .tensor(tensor, {1}, DType::F32);
            });
        }
        const auto latent = [](int width, const char* without) {
            return [=] {
                GgufBuilder file =
                    TinyModel({.arch = "nemotron_h_moe", .n_layer = 5, .n_latent = width}).file();
                return *without == 0 ? file : file.without(without);
            };
        };
        row("experts that read parts of blocks",
            "nemotron_h_moe.moe_latent_size: 40 values are no multiple of 32", latent(40, ""));
        for (const char* tensor : {"blk.2.ffn_latent_down.weight", "blk.4.ffn_latent_up.weight"}) {
            const std::string wanted = std::string(tensor) + ": the file has no such tensor";
            row(tensor, wanted.c_str(), latent(32, tensor));
        }
        row("experts that read all of a token's values",
            "blk.2.ffn_up_exps.weight: has shape [8, 96, 64], must have [8, 96, 32]", [] {
                return TinyModel({.arch = "nemotron_h_moe", .n_layer = 5})
                    .file()
                    .key("nemotron_h_moe.moe_latent_size", 32U);
            });
        row("blocks of experts of two widths",
            "nemotron_h_moe.expert_feed_forward_length: experts of one layer are wider than those "
            "of another",
            [] {
                return TinyModel({.arch = "nemotron_h_moe", .n_layer = 5})
                    .file()
                    .without("nemotron_h_moe.expert_feed_forward_length")
                    .array("nemotron_h_moe.expert_feed_forward_length",
                           std::vector<std::int32_t>{0, 0, 96, 0, 64});
            });
        row("all layers foretell",
            "llama.nextn_predict_layers: 2 of 2 layers predict more tokens: none is left to "
            "compute",
            [] {
                return TinyModel({.arch = "llama"}).file().key("llama.nextn_predict_layers", 2U);
            });
        row("a layer behind those that foretell",
            "blk.3.attn_norm.weight: is a tensor this version does not know what to do with", [] {
                return TinyModel({.arch = "llama", .n_left_out = 1})
                    .file()
                    .tensor_f32("blk.3.attn_norm.weight", {1}, {0});
            });
        row("heads that do not share evenly",
            "bamboo.attention.head_count: 4 heads do not share 3 key/value heads evenly",
            [] { return TinyModel({.n_head_kv = 3}).file(); });
        row("vocabulary only", "holds a vocabulary and no weights", [] {
            return keys()
                .key("llama.block_count", std::uint32_t{2})
                .key("llama.embedding_length", std::uint32_t{64})
                .key("llama.feed_forward_length", std::uint32_t{96})
                .key("llama.attention.head_count", std::uint32_t{4})
                .key("llama.context_length", std::uint32_t{128})
                .key("llama.attention.layer_norm_rms_epsilon", 1e-5F);
        });
    }
    void refuses() {
        QFETCH(QString, wanted);
        QFETCH(std::function<GgufBuilder()>, make);
        QCOMPARE(QString::fromStdString(error_of(make())), wanted);
    }

    void refusesAPastOfAnotherSize() {
        const hearth::test::Bytes bytes =
            TinyModel(
                {.arch = "gemma4",
                 .n_layer = 6,
                 .layers =
                     {{4, 2, 96}, {4, 1, 96}, {4, 2, 96}, {4, 1, 96}, {4, 1, 96}, {4, 1, 96}}})
                .file()
                .bytes();
        const auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        const auto spec = hearth::read_model_spec(*file);
        QVERIFY(!spec);
        const QString message = QString::fromStdString(spec.error().message);
        QVERIFY2(message.contains("layer 4 has 1 key heads and would read the 2 of layer 2"),
                 qPrintable(message));
    }

    // Numbers of a Gemma 4 file that do not fit together.
    void refuses_gemma4_data() {
        QTest::addColumn<std::string>("key");
        QTest::addColumn<quint32>("value");
        QTest::addColumn<QString>("wanted");
        const auto row = [](const std::string& key, quint32 value, const char* wanted) {
            QTest::addRow("%s %u", key.c_str(), value) << key << value << wanted;
        };
        row("attention.shared_kv_layers", 4, "attention.shared_kv_layers");
        row("attention.shared_kv_layers", 3, "layer of its kind");
        row("embedding_length_per_layer_input", 33, "per_layer_token_embd.weight: has shape");
        row("embedding_length_per_layer_input", 0x7FFFFFFF, "embedding_length_per_layer_input");
        row("attention.key_length_swa", 33, "value heads of 32 beside key heads of 33");
        row("rope.dimension_count_swa", 34, "rope.dimension_count_swa");
    }
    void refuses_gemma4() {
        QFETCH(std::string, key);
        QFETCH(quint32, value);
        QFETCH(QString, wanted);
        hearth::test::Bytes bytes = TinyModel({.arch = "gemma4", .n_layer = 4}).file().bytes();
        const std::string name = "gemma4." + key;
        const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        const std::size_t at = all.find(name);
        QVERIFY(at != std::string_view::npos);
        // The type stands between.
        std::memcpy(bytes.data() + at + name.size() + sizeof(std::uint32_t), &value, sizeof value);
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        auto tensors = spec ? hearth::bind_tensors(*file, *spec)
                            : hearth::Result<hearth::ModelTensors>(spec.error());
        QVERIFY(!tensors);
        QVERIFY2(QString::fromStdString(tensors.error().message).contains(wanted),
                 tensors.error().message.c_str());
    }

    void activation_data() {
        QTest::addColumn<std::function<GgufBuilder()>>("make");
        QTest::addColumn<QString>("stated");
        QTest::addColumn<QString>("wanted");
        const auto row = [](const char* name, const char* stated, const char* wanted,
                            std::function<GgufBuilder()> make) {
            QTest::newRow(name) << std::move(make) << stated << wanted;
        };
        const auto llama = [] { return TinyModel({.arch = "llama"}).file(); };
        row("llama", "", "silu", llama);
        row("bamboo", "", "drelu", [] { return TinyModel().file(); });
        row("PowerInfer's llama", "", "reglu", [=] { return llama().magic("PWRI"); });
        row("PowerInfer's bamboo", "", "drelu", [] { return TinyModel().file().magic("PWRI"); });
        row("down by neuron", "", "reglu", [=] {
            return llama()
                .without("blk.0.ffn_down.weight")
                .tensor("blk.0.ffn_down_t.weight", {96, 64}, hearth::DType::F32);
        });
        row("a key", "", "drelu", [=] { return llama().key("hearth.activation", "drelu"); });
        row("stated", "reglu", "reglu", llama);
        row("stated against the file", "silu", "silu", [=] { return llama().magic("PWRI"); });
    }
    void activation() {
        QFETCH(std::function<GgufBuilder()>, make);
        QFETCH(QString, stated);
        QFETCH(QString, wanted);
        const hearth::test::Bytes bytes = make().bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec =
            hearth::read_model_spec(*file, hearth::activation_from_name(stated.toStdString()));
        QVERIFY(spec);
        const std::string_view name = to_string(spec->activation());
        QCOMPARE(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())), wanted);
        QVERIFY(hearth::bind_tensors(*file, *spec));
    }

    void wrong_shape() {
        hearth::test::TinyModelOptions wide;
        wide.n_ff = 128;
        const hearth::test::Bytes bytes = TinyModel(wide).file().bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY(spec);
        spec->layers[0].n_ff = 96;
        auto tensors = hearth::bind_tensors(*file, *spec);
        QVERIFY(!tensors);
        QCOMPARE(tensors.error().message,
                 std::string("blk.0.ffn_gate.weight: has shape [128, 64], must have [96, 64]"));
    }

    void down_by_neuron_of_a_packed_type() {
        const hearth::test::Bytes bytes =
            TinyModel({.type = hearth::DType::IQ2_S, .n_embd = 256, .n_ff = 256, .by_neuron = true})
                .file()
                .bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY(spec);
        const auto tensors = hearth::bind_tensors(*file, *spec);
        QVERIFY(!tensors);
        QCOMPARE(tensors.error().message,
                 std::string("blk.0.ffn_down_t.weight: is of type IQ2_S, whose rows cannot be "
                             "computed neuron by neuron"));
    }

    void type_nobody_computes_with() {
        const hearth::test::Bytes bytes =
            TinyModel().file().tensor("blk.0.fc1.weight", {16, 256}, hearth::DType::Q4_K).bytes();
        auto file = hearth::GgufFile::parse(bytes, "tiny.gguf");
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY(spec);
        QVERIFY(hearth::bind_tensors(*file, *spec));  // predictors are not computed with
    }
};

QTEST_GUILESS_MAIN(ModelSpecTest)
#include "model_spec_test.moc"
