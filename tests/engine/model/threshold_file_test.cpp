#include "model/threshold_file.h"

#include <QtTest>
#include <functional>
#include <limits>

#include "support/gguf_builder.h"
#include "support/temp_dir.h"

using hearth::GgufFile;
using hearth::test::GgufBuilder;

namespace {

constexpr const char* kHash = "0123456789abcdef0123456789abcdef";

GgufBuilder file() {
    GgufBuilder builder;
    builder.key("general.architecture", "hearth-thresholds")
        .key("hearth.format_version", std::uint32_t{1})
        .key("hearth.model_hash", kHash)
        .key("hearth.threshold.sparsity", 0.5F)
        .key("hearth.threshold.tokens", std::uint64_t{100})
        .array("hearth.threshold.input", std::vector<float>{0.25F, 0.0F})
        .array("hearth.threshold.hidden", std::vector<float>{0.5F, 2.0F});
    return builder;
}

GgufBuilder with_layers(const char* key, const std::vector<float>& values) {
    GgufBuilder builder = file();
    builder.without(key).array(key, values);
    return builder;
}

template <class T>
GgufBuilder with(const char* key, T value) {
    GgufBuilder builder = file();
    builder.without(key).key(key, value);
    return builder;
}

GgufBuilder lacking(const char* key) {
    GgufBuilder builder = file();
    builder.without(key);
    return builder;
}

}  // namespace

class ThresholdFileTest : public QObject {
    Q_OBJECT

private slots:
    void reads_what_was_made_by_hand() {
        const auto bytes = file().bytes();
        const auto opened = GgufFile::parse(bytes, "t.gguf");
        QVERIFY(opened);
        const auto got = hearth::read_thresholds(*opened, 2, kHash);
        QVERIFY2(got.has_value(), got ? "" : got.error().message.c_str());
        QCOMPARE(got->sparsity, 0.5);
        QCOMPARE(got->tokens, std::uint64_t{100});
        QVERIFY(got->input == (std::vector<float>{0.25F, 0.0F}));
        QVERIFY(got->hidden == (std::vector<float>{0.5F, 2.0F}));
        QCOMPARE(got->model_hash, std::string(kHash));
    }

    void comes_back_from_the_disk() {
        hearth::test::TempDir dir;
        const std::string path = dir.file("t.gguf");
        QVERIFY(hearth::write_thresholds(path, {.model_hash = kHash,
                                                .sparsity = 0.5,
                                                .tokens = 100,
                                                .input = {0.25F, 0.0F},
                                                .hidden = {0.5F, 2.0F}}));
        const auto opened = GgufFile::open(path);
        QVERIFY(opened);
        const auto got = hearth::read_thresholds(*opened, 2, kHash);
        QVERIFY2(got.has_value(), got ? "" : got.error().message.c_str());
        QCOMPARE(got->sparsity, 0.5);
        QCOMPARE(got->tokens, std::uint64_t{100});
        QVERIFY(got->input == (std::vector<float>{0.25F, 0.0F}));
        QVERIFY(got->hidden == (std::vector<float>{0.5F, 2.0F}));
    }

    void layers_get_theirs() {
        hearth::ModelTensors tensors;
        tensors.layers.resize(2);
        hearth::use_thresholds({.model_hash = {}, .input = {1, 2}, .hidden = {3, 4}}, tensors);
        QCOMPARE(tensors.layers[1].input_threshold, 2.0F);
        QCOMPARE(tensors.layers[0].hidden_threshold, 3.0F);
    }

    void broken_files_say_what_is_wrong_data() {
        QTest::addColumn<hearth::test::Bytes>("bytes");
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("message");
        QTest::addColumn<int>("code");
        const auto row = [](const char* name, const GgufBuilder& builder, const char* field,
                            const char* message,
                            hearth::ErrorCode code = hearth::ErrorCode::BadFile) {
            QTest::newRow(name) << builder.bytes() << field << message << static_cast<int>(code);
        };
        constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
        constexpr float kInf = std::numeric_limits<float>::infinity();
        const char* input = "hearth.threshold.input";
        const char* hidden = "hearth.threshold.hidden";
        row("another kind", with("general.architecture", "llama"), "general.architecture",
            "holds no thresholds (architecture \"llama\")");
        row("no kind", lacking("general.architecture"), "general.architecture",
            "holds no thresholds");
        row("newer", with("hearth.format_version", std::uint32_t{2}), "hearth.format_version",
            "newer version", hearth::ErrorCode::Unsupported);
        row("no version", lacking("hearth.format_version"), "hearth.format_version", "");
        row("another model", with("hearth.model_hash", "ffffffffffffffffffffffffffffffff"),
            "hearth.model_hash", "ffffffff", hearth::ErrorCode::InvalidArgument);
        row("no model", lacking("hearth.model_hash"), "hearth.model_hash", "");
        row("sparsity 1", with("hearth.threshold.sparsity", 1.0F), "hearth.threshold.sparsity",
            "below 1");
        row("sparsity is no number", with("hearth.threshold.sparsity", kNan),
            "hearth.threshold.sparsity", "finite number");
        row("no sparsity", lacking("hearth.threshold.sparsity"), "hearth.threshold.sparsity", "");
        row("no tokens", lacking("hearth.threshold.tokens"), "hearth.threshold.tokens", "");
        row("too few layers", with_layers(input, {1}), input,
            "has 1 numbers, the model has 2 layers");
        row("too many layers", with_layers(hidden, {1, 2, 3}), hidden, "has 3 numbers");
        row("negative", with_layers(hidden, {1, -0.5F}), hidden, "layer 1");
        row("no number", with_layers(input, {kNan, 1}), input, "layer 0");
        row("infinite", with_layers(input, {1, kInf}), input, "layer 1");
        row("no inputs", lacking(input), input, "");
        row("no hidden values", lacking(hidden), hidden, "");
        row("another type", with(input, 3.0F), input, "");
    }
    void broken_files_say_what_is_wrong() {
        QFETCH(hearth::test::Bytes, bytes);
        QFETCH(QString, field);
        QFETCH(QString, message);
        QFETCH(int, code);
        const auto opened = GgufFile::parse(bytes, "t.gguf");
        QVERIFY(opened);
        const auto got = hearth::read_thresholds(*opened, 2, kHash);
        QVERIFY(!got.has_value());
        QCOMPARE(static_cast<int>(got.error().code), code);
        QCOMPARE(QString::fromStdString(got.error().field), field);
        QCOMPARE(got.error().path, std::string("t.gguf"));
        QVERIFY2(got.error().message.find(message.toStdString()) != std::string::npos,
                 got.error().message.c_str());
    }
};

QTEST_GUILESS_MAIN(ThresholdFileTest)
#include "threshold_file_test.moc"
