#include "model/predictor_file.h"

#include <QtTest>
#include <functional>
#include <limits>

#include "support/tiny_model.h"

using hearth::DType;
using hearth::PredictorInput;
using hearth::test::GgufBuilder;
using hearth::test::TinyModel;

namespace {

constexpr const char* kHash = "0123456789abcdef0123456789abcdef";

// The tiny model's shape.
hearth::ModelSpec tiny_spec() {
    hearth::ModelSpec spec;
    spec.n_embd = 64;
    spec.layers.assign(2, {.n_ff = 96});
    return spec;
}

GgufBuilder& add_pair(GgufBuilder& builder, int layer, std::uint64_t width = 32) {
    const std::string prefix = "blk." + std::to_string(layer);
    builder.tensor(prefix + ".fc1.weight", {width, 64}, DType::F16);
    return builder.tensor(prefix + ".fc2.weight", {96, width}, DType::F16);
}

// A side file with a predictor of layer 1, nothing wrong with it.
GgufBuilder side_file() {
    GgufBuilder builder;
    builder.key("general.architecture", "hearth-predictors")
        .key("hearth.format_version", std::uint32_t{1})
        .key("hearth.model_hash", kHash)
        .key("hearth.predictor.input", "normed");
    return add_pair(builder, 1);
}

// What others write: the tensors and no word about the input.
GgufBuilder plain_file() {
    GgufBuilder builder;
    builder.key("general.architecture", "bamboo");
    return add_pair(builder, 0);
}

struct Bound {
    hearth::test::Bytes bytes;
    std::optional<hearth::GgufFile> file;
    hearth::Result<hearth::PredictorTensors> result = hearth::Error{};
};

void bind_file(Bound& bound, const GgufBuilder& builder, std::optional<PredictorInput> stated = {},
               const std::string& hash = kHash) {
    bound.bytes = builder.bytes();
    auto file = hearth::GgufFile::parse(bound.bytes, "p.gguf");
    if (!file) {
        bound.result = file.error();
        return;
    }
    bound.file.emplace(std::move(*file));
    bound.result = hearth::bind_predictors(*bound.file, tiny_spec(), hash, stated);
}

const float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace

class PredictorFileTest : public QObject {
    Q_OBJECT

private slots:
    void reads_a_side_file() {
        Bound bound;
        bind_file(bound, side_file().key("hearth.predictor.threshold", 0.25F));
        QVERIFY2(bound.result.has_value(),
                 bound.result ? "" : bound.result.error().message.c_str());
        const hearth::PredictorTensors& predictors = *bound.result;
        QVERIFY(predictors.any());
        QVERIFY(predictors.input == PredictorInput::Normed);
        QVERIFY(!predictors.linear);
        QCOMPARE(predictors.layers.size(), std::size_t{2});
        QVERIFY(!predictors.layers[0].present());
        QCOMPARE(predictors.layers[0].width(), 0);
        QVERIFY(predictors.layers[1].present());
        QCOMPARE(predictors.layers[1].width(), 32);
        QCOMPARE(predictors.layers[1].threshold, 0.25F);
        QCOMPARE(predictors.layers[1].fc2->name, std::string("blk.1.fc2.weight"));
        QCOMPARE(predictors.bytes(), std::uint64_t{(64 + 96) * 32 * 2});
    }

    void a_threshold_for_each_layer() {
        Bound bound;
        bind_file(bound,
                  side_file()
                      .key("hearth.predictor.threshold", 9.0F)
                      .array("hearth.predictor.thresholds", std::vector<float>{0.5F, -1.5F}));
        QVERIFY(bound.result.has_value());
        QCOMPARE(bound.result->layers[1].threshold, -1.5F);
    }

    // Two layers with different numbers of neurons, and predictors of different widths: each is
    // held against its own layer.
    void layers_that_differ() {
        hearth::ModelSpec spec = tiny_spec();
        spec.layers[1].n_ff = 160;
        for (const std::uint64_t rows : {160U, 96U}) {
            GgufBuilder builder;
            builder.key("general.architecture", "bamboo");
            add_pair(builder, 0);
            builder.tensor("blk.1.fc1.weight", {64, 64}, DType::F16);
            builder.tensor("blk.1.fc2.weight", {rows, 64}, DType::F16);
            const hearth::test::Bytes bytes = builder.bytes();
            const auto file = hearth::GgufFile::parse(bytes, "p.gguf");
            QVERIFY(file);
            const auto bound = hearth::bind_predictors(*file, spec, kHash, PredictorInput::Normed);
            QCOMPARE(bound.has_value(), rows == 160);
            if (!bound) {
                QCOMPARE(bound.error().message,
                         std::string("blk.1.fc2.weight: has shape [96, 64], must have [160, 64]"));
                continue;
            }
            QCOMPARE(bound->layers[0].width(), 32);
            QCOMPARE(bound->layers[1].width(), 64);
            QCOMPARE(bound->bytes(), std::uint64_t{(64 + 96) * 32 * 2 + (64 + 160) * 64 * 2});
        }
    }

    void low_rank_is_linear() {
        Bound bound;
        bind_file(bound, side_file().key("hearth.predictor.kind", "low_rank"));
        QVERIFY(bound.result.has_value());
        QVERIFY(bound.result->linear);
        bind_file(bound, side_file().key("hearth.predictor.linear", true));
        QVERIFY(bound.result.has_value());
        QVERIFY(bound.result->linear);
        bind_file(bound, side_file().key("hearth.predictor.kind", "trained"));
        QVERIFY(bound.result.has_value());
        QVERIFY(!bound.result->linear);
        // Who says so outright is believed, whatever kind they are.
        bind_file(bound, side_file()
                             .key("hearth.predictor.kind", "low_rank")
                             .key("hearth.predictor.linear", false));
        QVERIFY(bound.result.has_value());
        QVERIFY(!bound.result->linear);
    }

    void what_the_input_is_data() {
        QTest::addColumn<std::function<GgufBuilder()>>("make");
        QTest::addColumn<int>("stated");  // -1: nothing
        QTest::addColumn<int>("wanted");
        using Make = std::function<GgufBuilder()>;
        const auto row = [](const char* name, Make make, int stated, PredictorInput wanted) {
            QTest::newRow(name) << make << stated << static_cast<int>(wanted);
        };
        const auto normed = PredictorInput::Normed;
        const auto residual = PredictorInput::Residual;
        row(
            "the file says normed", [] { return side_file(); }, -1, normed);
        row(
            "the file says residual",
            [] {
                return side_file()
                    .without("hearth.predictor.input")
                    .key("hearth.predictor.input", "residual");
            },
            -1, residual);
        row(
            "the file and the user agree", [] { return side_file(); }, 0, normed);
        row(
            "only the user says normed", [] { return plain_file(); }, 0, normed);
        row(
            "only the user says residual", [] { return plain_file(); }, 1, residual);
        row(
            "PowerInfer's magic", [] { return plain_file().magic("PWRI"); }, -1, residual);
        row(
            "PowerInfer's key",
            [] { return plain_file().key("powerinfer.sparse_threshold", 0.5F); }, -1, residual);
        row(
            "PowerInfer's transposed down",
            [] {
                return plain_file().tensor("blk.0.ffn_down_t.weight", {96, 64}, DType::F16);
            },
            -1, residual);
        row(
            "the file's key counts more than its form",
            [] { return plain_file().magic("PWRI").key("hearth.predictor.input", "normed"); }, -1,
            normed);
    }
    void what_the_input_is() {
        QFETCH(std::function<GgufBuilder()>, make);
        QFETCH(int, stated);
        QFETCH(int, wanted);
        Bound bound;
        bind_file(bound, make(),
                  stated < 0 ? std::nullopt : std::optional(static_cast<PredictorInput>(stated)));
        QVERIFY2(bound.result.has_value(),
                 bound.result ? "" : bound.result.error().message.c_str());
        QCOMPARE(static_cast<int>(bound.result->input), wanted);
    }

    void threshold_of_power_infer() {
        Bound bound;
        bind_file(bound, plain_file().magic("PWRI"));
        QVERIFY(bound.result.has_value());
        QCOMPARE(bound.result->layers[0].threshold, 0.0F);
        bind_file(bound, plain_file().magic("PWRI").key("powerinfer.sparse_threshold", 0.75F));
        QVERIFY(bound.result.has_value());
        QCOMPARE(bound.result->layers[0].threshold, 0.75F);
        QCOMPARE(bound.result->layers[1].threshold, 0.75F);
        bind_file(bound, plain_file()
                             .magic("PWRI")
                             .key("powerinfer.sparse_threshold", 0.75F)
                             .key("hearth.predictor.threshold", 0.25F));
        QVERIFY(bound.result);
        QCOMPARE(bound.result->layers[1].threshold, 0.25F);  // which was made for this program
    }

    void a_model_without_predictors_runs_exact() {
        Bound bound;
        bind_file(bound, TinyModel().file());
        QVERIFY2(bound.result.has_value(),
                 bound.result ? "" : bound.result.error().message.c_str());
        QVERIFY(!bound.result->any());
        QCOMPARE(bound.result->layers.size(), std::size_t{2});
        QCOMPARE(bound.result->bytes(), std::uint64_t{0});
    }

    void a_packed_model_holds_them_inside() {
        Bound bound;
        GgufBuilder packed = TinyModel().file();
        add_pair(packed, 0);
        packed.key("hearth.packed.version", std::uint32_t{1})
            .key("hearth.model_hash", kHash)
            .key("hearth.predictor.input", "normed");
        bind_file(bound, packed);
        QVERIFY2(bound.result.has_value(),
                 bound.result ? "" : bound.result.error().message.c_str());
        QVERIFY(bound.result->layers[0].present());
    }

    void a_hash_that_is_not_known_is_not_compared() {
        Bound bound;
        bind_file(bound, side_file(), {}, "");
        QVERIFY(bound.result.has_value());
    }

    void refuses_data() {
        QTest::addColumn<QString>("wanted");
        QTest::addColumn<std::function<GgufBuilder()>>("make");
        using Make = std::function<GgufBuilder()>;
        const auto row = [](const char* name, const char* wanted, Make make) {
            QTest::newRow(name) << wanted << make;
        };
        row("nothing about the input",
            "hearth.predictor.input: the file does not say what its predictors' input is, normed "
            "or residual",
            [] { return plain_file(); });
        row("side file without the input",
            "hearth.predictor.input: the file does not say what its predictors' input is, normed "
            "or residual",
            [] { return side_file().without("hearth.predictor.input"); });
        row("an input nobody knows",
            "hearth.predictor.input: is \"logits\", this program knows normed and residual",
            [] { return plain_file().key("hearth.predictor.input", "logits"); });
        row("a number for the input", "hearth.predictor.input: wanted a str, found u32",
            [] { return plain_file().key("hearth.predictor.input", std::uint32_t{1}); });
        row("another model",
            "hearth.model_hash: the predictors were made for another model (ffff, this one is "
            "0123456789abcdef0123456789abcdef)",
            [] {
                return side_file().without("hearth.model_hash").key("hearth.model_hash", "ffff");
            });
        row("no hash", "hearth.model_hash: the file does not have this metadata key",
            [] { return side_file().without("hearth.model_hash"); });
        row("newer version",
            "hearth.format_version: the predictors are of version 2, this program reads up to 1",
            [] {
                return side_file()
                    .without("hearth.format_version")
                    .key("hearth.format_version", std::uint32_t{2});
            });
        row("version 0", "hearth.format_version: wanted a number from 1 to 4294967295, found 0",
            [] {
                return side_file()
                    .without("hearth.format_version")
                    .key("hearth.format_version", std::uint32_t{0});
            });
        row("no version", "hearth.format_version: the file does not have this metadata key",
            [] { return side_file().without("hearth.format_version"); });
        row("a profile", "general.architecture: the file is a \"hearth-profile\", not predictors",
            [] {
                return side_file()
                    .without("general.architecture")
                    .key("general.architecture", "hearth-profile");
            });
        row("no predictors", "blk.0.fc1.weight: the file holds no predictors",
            [] { return side_file().without("blk.1.fc1.weight").without("blk.1.fc2.weight"); });
        row("no fc2", "blk.1.fc2.weight: the file has only fc1 of this layer's predictor",
            [] { return side_file().without("blk.1.fc2.weight"); });
        row("no fc1", "blk.1.fc1.weight: the file has only fc2 of this layer's predictor",
            [] { return side_file().without("blk.1.fc1.weight"); });
        row("a layer too many", "blk.2.fc1.weight: the model has 2 layers", [] {
            GgufBuilder builder = side_file();
            return add_pair(builder, 2);
        });
        row("a layer beyond any number",
            "blk.18446744073709551615.fc1.weight: the model has 2 layers", [] {
                return side_file().tensor("blk.18446744073709551615.fc1.weight", {32, 64},
                                          DType::F16);
            });
        row("another embedding", "blk.0.fc1.weight: has shape [32, 128], must have [width, 64]",
            [] {
                return side_file()
                    .tensor("blk.0.fc1.weight", {32, 128}, DType::F16)
                    .tensor("blk.0.fc2.weight", {96, 32}, DType::F16);
            });
        row("three dimensions", "blk.0.fc1.weight: has shape [1, 32, 64], must have [width, 64]",
            [] {
                return side_file()
                    .tensor("blk.0.fc1.weight", {1, 32, 64}, DType::F16)
                    .tensor("blk.0.fc2.weight", {96, 32}, DType::F16);
            });
        row("another number of neurons", "blk.0.fc2.weight: has shape [64, 32], must have [96, 32]",
            [] {
                return side_file()
                    .tensor("blk.0.fc1.weight", {32, 64}, DType::F16)
                    .tensor("blk.0.fc2.weight", {64, 32}, DType::F16);
            });
        row("two widths", "blk.0.fc2.weight: has shape [96, 64], must have [96, 32]", [] {
            return side_file()
                .tensor("blk.0.fc1.weight", {32, 64}, DType::F16)
                .tensor("blk.0.fc2.weight", {96, 64}, DType::F16);
        });
        row("a width that is no multiple of 32",
            "blk.0.fc1.weight: is 48 wide, wanted a multiple of 32 from 32 to 32768", [] {
                GgufBuilder builder = side_file();
                return add_pair(builder, 0, 48);
            });
        row("no width", "blk.0.fc1.weight: is 0 wide, wanted a multiple of 32 from 32 to 32768",
            [] {
                GgufBuilder builder = side_file();
                return add_pair(builder, 0, 0);
            });
        row("a width beyond reason",
            "blk.0.fc1.weight: is 32800 wide, wanted a multiple of 32 from 32 to 32768", [] {
                GgufBuilder builder = side_file();
                return add_pair(builder, 0, 32800);
            });
        row("a type nobody computes with",
            "blk.0.fc2.weight: is of type I8, which this version cannot compute with", [] {
                return side_file()
                    .tensor("blk.0.fc1.weight", {32, 64}, DType::F16)
                    .tensor("blk.0.fc2.weight", {96, 32}, DType::I8);
            });
        row("a bias", "blk.1.fc1.bias: is a part of a predictor this version does not know",
            [] { return side_file().tensor("blk.1.fc1.bias", {32}, DType::F32); });
        row("threshold is no number",
            "hearth.predictor.threshold: wanted a finite number, found NaN",
            [] { return side_file().key("hearth.predictor.threshold", kNan); });
        row("threshold beyond a float",
            "hearth.predictor.threshold: is beyond what a 32-bit number can hold",
            [] { return side_file().key("hearth.predictor.threshold", 1e300); });
        row("one of the thresholds is no number",
            "hearth.predictor.thresholds: number 1 is not finite", [] {
                return side_file().array("hearth.predictor.thresholds",
                                         std::vector<float>{0.0F, kNan});
            });
        row("too few thresholds",
            "hearth.predictor.thresholds: has 1 numbers, the model has 2 layers", [] {
                return side_file().array("hearth.predictor.thresholds", std::vector<float>{0.0F});
            });
        row("thresholds of another type",
            "hearth.predictor.thresholds: wanted an array of f32, found array of i32", [] {
                return side_file().array("hearth.predictor.thresholds",
                                         std::vector<std::int32_t>{0, 0});
            });
        row("threshold of PowerInfer is no number",
            "powerinfer.sparse_threshold: wanted a finite number, found NaN",
            [] { return plain_file().magic("PWRI").key("powerinfer.sparse_threshold", kNan); });
        row("another kind",
            "hearth.predictor.kind: is \"oracle\", this program knows trained and low_rank",
            [] { return side_file().key("hearth.predictor.kind", "oracle"); });
        row("linear or not as text", "hearth.predictor.linear: wanted a bool, found str",
            [] { return side_file().key("hearth.predictor.linear", "yes"); });
    }
    void refuses() {
        QFETCH(QString, wanted);
        QFETCH(std::function<GgufBuilder()>, make);
        Bound bound;
        bind_file(bound, make());
        QVERIFY(!bound.result.has_value());
        QCOMPARE(QString::fromStdString(bound.result.error().message), wanted);
        QCOMPARE(bound.result.error().path, std::string("p.gguf"));
        QVERIFY(!bound.result.error().field.empty());
    }

    void refuses_a_statement_that_contradicts_the_file() {
        Bound bound;
        bind_file(bound, side_file(), PredictorInput::Residual);
        QVERIFY(!bound.result);
        QVERIFY(bound.result.error().code == hearth::ErrorCode::InvalidArgument);
        QCOMPARE(bound.result.error().message,
                 std::string("hearth.predictor.input: the predictors' input is normed, not "
                             "residual"));
    }

    void names_of_inputs() {
        for (const PredictorInput input : {PredictorInput::Normed, PredictorInput::Residual}) {
            QVERIFY(hearth::predictor_input_from_name(hearth::to_string(input)) == input);
        }
        QVERIFY(!hearth::predictor_input_from_name("Normed"));
    }
};

QTEST_GUILESS_MAIN(PredictorFileTest)
#include "predictor_file_test.moc"
