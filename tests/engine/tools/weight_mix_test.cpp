#include "tools/weight_mix.h"

#include <QtTest>
#include <map>
#include <string>
#include <vector>

using namespace hearth;
using tools::MixModel;
using tools::WeightMix;

namespace {

TensorInfo tensor(const std::string& name, std::vector<std::uint64_t> shape) {
    return {.name = name, .shape = std::move(shape), .type = DType::F16};
}

// A layer each, in a file's order.
std::vector<TensorInfo> model(int n_layer, std::uint64_t width,
                              const std::string& value = "attn_v") {
    std::vector<TensorInfo> tensors{tensor("token_embd.weight", {100, width})};
    for (int l = 0; l < n_layer; ++l) {
        const std::string prefix = "blk." + std::to_string(l) + ".";
        tensors.push_back(tensor(prefix + "attn_norm.weight", {width}));
        tensors.push_back(tensor(prefix + "ffn_down.weight", {width, 2 * width}));
        tensors.push_back(tensor(prefix + "ffn_up.weight", {2 * width, width}));
        tensors.push_back(tensor(prefix + "ffn_gate.weight", {2 * width, width}));
        tensors.push_back(tensor(prefix + "attn_q.weight", {width, width}));
        tensors.push_back(tensor(prefix + "attn_k.weight", {width, width}));
        tensors.push_back(tensor(prefix + value + ".weight", {width, width}));
        tensors.push_back(tensor(prefix + "attn_output.weight", {width, width}));
    }
    return tensors;
}

MixModel facts(int n_layer, bool tied = true) {
    return {.arch = "llama",
            .n_layer = static_cast<std::uint64_t>(n_layer),
            .n_head = 32,
            .n_head_kv = 8,
            .n_expert = 0,
            .tied = tied};
}

std::map<std::string, QString> types_of(const char* mix, const MixModel& facts,
                                        const std::vector<TensorInfo>& tensors) {
    const auto types = mixed_types(*tools::find_weight_mix(mix), facts, tensors);
    std::map<std::string, QString> named;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        named[tensors[i].name] =
            types[i] ? QString::fromStdString(std::string(dtype_info(*types[i]).name)) : "as it is";
    }
    return named;
}

// "0 1 4": the layers whose tensor has the type.
QString layers_with(const std::map<std::string, QString>& types, const std::string& name,
                    const QString& type, int n_layer) {
    QStringList layers;
    for (int l = 0; l < n_layer; ++l) {
        const auto found = types.find("blk." + std::to_string(l) + "." + name);
        if (found != types.end() && found->second == type) {
            layers << QString::number(l);
        }
    }
    return layers.join(' ');
}

}  // namespace

class WeightMixTest : public QObject {
    Q_OBJECT

private slots:
    void names() {
        QCOMPARE(tools::weight_mix_names(),
                 std::string("F32, F16, BF16, Q8_0, Q4_0, Q4_K_M, Q5_K_M and Q6_K"));
        QCOMPARE(tools::weight_type_names(),
                 std::string("F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K and Q6_K"));
        QVERIFY(tools::find_weight_mix("Q4_K") == nullptr);
        QVERIFY(tools::find_weight_mix("") == nullptr);
        QVERIFY(tools::is_weight_type(DType::Q5_1) && !tools::is_weight_type(DType::IQ4_XS));
    }

    // Layers as llama-quantize (b11434) has them.
    void delicate_layers_have_more_bits_data() {
        QTest::addColumn<int>("n_layer");
        QTest::addColumn<QString>("layers");
        QTest::newRow("1") << 1 << "0";
        QTest::newRow("4") << 4 << "2 3";
        QTest::newRow("16") << 16 << "0 1 4 7 10 13 14 15";
        QTest::newRow("22") << 22 << "0 1 4 7 10 13 16 19 20 21";
        QTest::newRow("30") << 30 << "0 1 2 5 8 11 14 17 20 23 26 27 28 29";
    }
    void delicate_layers_have_more_bits() {
        QFETCH(int, n_layer);
        QFETCH(QString, layers);
        const auto tensors = model(n_layer, 512);
        for (const auto& [mix, base] : {std::pair{"Q4_K_M", "Q4_K"}, {"Q5_K_M", "Q5_K"}}) {
            const auto types = types_of(mix, facts(n_layer), tensors);
            QCOMPARE(layers_with(types, "ffn_down.weight", "Q6_K", n_layer), layers);
            QCOMPARE(layers_with(types, "attn_v.weight", "Q6_K", n_layer), layers);
            for (const char* name : {"ffn_up.weight", "ffn_gate.weight", "attn_q.weight",
                                     "attn_k.weight", "attn_output.weight"}) {
                QCOMPARE(layers_with(types, name, base, n_layer).split(' ').size(), n_layer);
            }
            QCOMPARE(layers_with(types, "attn_norm.weight", "F32", n_layer).split(' ').size(),
                     n_layer);
        }
        const auto all = types_of("Q6_K", facts(n_layer), tensors);
        QCOMPARE(layers_with(all, "ffn_up.weight", "Q6_K", n_layer).split(' ').size(), n_layer);
    }

    void fused_queries_follow_the_values() {
        const auto types = types_of("Q4_K_M", facts(16), model(16, 512, "attn_qkv"));
        QCOMPARE(layers_with(types, "attn_qkv.weight", "Q6_K", 16), "0 1 4 7 10 13 14 15");
    }

    // Only layers that have the tensor are counted, in the layers' order, not in that of names or
    // of the file.
    void values_are_counted_where_they_are() {
        auto tensors = model(16, 512);
        std::erase_if(tensors, [](const TensorInfo& each) {
            return each.name.find("attn_v") != std::string::npos &&
                   each.name.find("blk.1") == std::string::npos;  // left: 1, 10 to 15
        });
        std::reverse(tensors.begin(), tensors.end());
        const auto types = types_of("Q4_K_M", facts(16), tensors);
        QCOMPARE(layers_with(types, "attn_v.weight", "Q6_K", 16), "11 14 15");
    }

    void the_output_head_has_six_bits() {
        auto tensors = model(4, 512);
        auto types = types_of("Q4_K_M", facts(4, true), tensors);
        QCOMPARE(types["token_embd.weight"], "Q6_K");
        tensors.push_back(tensor("output.weight", {100, 512}));
        types = types_of("Q4_K_M", facts(4, false), tensors);
        QCOMPARE(types["token_embd.weight"], "Q4_K");
        QCOMPARE(types["output.weight"], "Q6_K");
        types = types_of("Q5_K_M", facts(4, false), tensors);
        QCOMPARE(types["token_embd.weight"], "Q5_K");
    }

    // Rows of 576 are no whole number of blocks of 256.
    void rows_that_do_not_fit() {
        auto tensors = model(30, 576);
        tensors.push_back(tensor("output.weight", {100, 576}));
        auto types = types_of("Q4_K_M", facts(30, false), tensors);
        QCOMPARE(types["output.weight"], "Q8_0");
        QCOMPARE(types["token_embd.weight"], "Q5_0");
        QCOMPARE(types["blk.3.attn_q.weight"], "Q5_0");
        QCOMPARE(types["blk.3.attn_v.weight"], "Q5_0");
        QCOMPARE(types["blk.0.attn_v.weight"], "Q8_0");
        QCOMPARE(types["blk.3.ffn_down.weight"], "Q5_0");  // 1,152
        QCOMPARE(types["blk.0.ffn_down.weight"], "Q8_0");
        types = types_of("Q5_K_M", facts(30, false), tensors);
        QCOMPARE(types["blk.3.attn_q.weight"], "Q5_1");
        types = types_of("Q6_K", facts(30, false), tensors);
        QCOMPARE(types["blk.3.attn_q.weight"], "Q8_0");
        types = types_of("Q4_K_M", facts(4), {tensor("blk.0.attn_q.weight", {8, 40})});
        QCOMPARE(types["blk.0.attn_q.weight"], "F16");
    }

    void models_of_eight_experts() {
        MixModel eight = facts(16, false);
        eight.n_expert = 8;
        auto tensors = model(16, 512);
        tensors.push_back(tensor("blk.2.ffn_down_exps.weight", {8, 512, 1024}));
        tensors.push_back(tensor("blk.4.ffn_down_exps.weight", {8, 512, 1024}));
        tensors.push_back(tensor("blk.2.ffn_gate_inp.weight", {8, 512}));
        auto types = types_of("Q4_K_M", eight, tensors);
        QCOMPARE(types["blk.3.attn_v.weight"], "Q8_0");
        QCOMPARE(types["blk.3.attn_k.weight"], "Q8_0");
        QCOMPARE(types["blk.3.attn_output.weight"], "Q5_K");
        // By their layer: there may be several in one.
        QCOMPARE(types["blk.2.ffn_down_exps.weight"], "Q4_K");
        QCOMPARE(types["blk.4.ffn_down_exps.weight"], "Q6_K");
        QCOMPARE(types["blk.2.ffn_gate_inp.weight"], "as it is");
        types = types_of("Q5_K_M", eight, tensors);
        QCOMPARE(types["blk.3.attn_output.weight"], "Q5_K");
        types = types_of("Q6_K", eight, tensors);
        QCOMPARE(types["blk.3.attn_output.weight"], "Q6_K");
        QCOMPARE(types["blk.3.attn_k.weight"], "Q8_0");
    }

    void models_of_70b() {
        MixModel large = facts(80, false);
        const auto tensors = model(80, 512);
        auto types = types_of("Q4_K_M", large, tensors);
        QCOMPARE(types["blk.10.attn_v.weight"], "Q5_K");
        QCOMPARE(types["blk.0.attn_v.weight"], "Q6_K");
        large.n_head_kv = 32;
        QCOMPARE(types_of("Q4_K_M", large, tensors)["blk.10.attn_v.weight"], "Q4_K");
        large.arch = "qwen2";
        QCOMPARE(types_of("Q4_K_M", large, tensors)["blk.10.attn_v.weight"], "Q5_K");
    }

    void falcon() {
        MixModel model_facts = facts(32);
        model_facts.arch = "falcon";
        const auto types = types_of("Q4_K_M", model_facts, model(32, 512, "attn_qkv"));
        QCOMPARE(types.at("token_embd.weight"), "Q8_0");
        QCOMPARE(types.at("blk.1.ffn_down.weight"), "Q6_K");
        QCOMPARE(types.at("blk.3.ffn_down.weight"), "Q5_K");
        QCOMPARE(types.at("blk.4.ffn_down.weight"), "Q4_K");
    }

    void small_matrices_stay() {
        for (const char* name :
             {"blk.0.ffn_gate_inp.weight", "blk.0.ssm_conv1d.weight", "blk.0.attn_q_norm.weight",
              "blk.0.shortconv.conv.weight", "position_embd.weight", "blk.0.ssm_a",
              "blk.0.altup_proj.weight", "per_layer_model_proj.weight"}) {
            QVERIFY2(tools::stays_as_it_is(name), name);
            QCOMPARE(types_of("Q4_K_M", facts(4), {tensor(name, {64, 256})})[name], "as it is");
        }
        // A type for all is one for all that is no vector cut into rows.
        for (const auto& [name, type] : {std::pair{"blk.0.ssm_conv1d.weight", "F32"},
                                         {"blk.0.shortconv.conv.weight", "F32"},
                                         {"blk.0.ffn_gate_inp.weight", "F32"},
                                         {"blk.0.ffn_gate_exps.weight", "Q4_0"},
                                         {"blk.0.ssm_norm.weight", "F32"},
                                         {"blk.0.ssm_a", "F32"},
                                         {"blk.0.ssm_d", "F32"},
                                         {"position_embd.weight", "Q4_0"}}) {
            QCOMPARE(types_of("Q4_0", facts(4), {tensor(name, {64, 256})})[name], type);
        }
        QVERIFY(!tools::stays_as_it_is("blk.0.ffn_gate.weight"));
    }

    void names_that_make_no_sense() {
        std::vector<TensorInfo> tensors;
        for (const char* name : {"blk.99999999999999999999.ffn_down.weight", "blk.-5.attn_v.weight",
                                 "blk..ffn_down.weight", "ffn_down.weight", "weight"}) {
            tensors.push_back(tensor(name, {256, 256}));
        }
        MixModel none;
        QCOMPARE(types_of("Q4_K_M", none, tensors).size(), tensors.size());
        none.n_expert = 2;
        QCOMPARE(types_of("Q4_K_M", none, tensors).size(), tensors.size());
    }
};

QTEST_APPLESS_MAIN(WeightMixTest)
#include "weight_mix_test.moc"
