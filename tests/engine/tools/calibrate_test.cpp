// Thresholds from a text, and an engine that uses them.
#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QtTest>
#include <cmath>
#include <filesystem>

#include "model/threshold_file.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using namespace hearth;

namespace {

const std::string kText = "The quick brown fox jumps over the lazy dog, again and again. ";

// The activation is said: a plain file by neuron would be taken for one with ReLU.
EngineOptions options_for(const std::string& path, const std::string& activation = {}) {
    EngineOptions options;
    options.model_path = path;
    options.n_ctx = 64;
    options.threads = 2;
    options.activation = activation;
    return options;
}

}  // namespace

class CalibrateTest : public QObject {
    Q_OBJECT

private:
    test::TempDir dir_;
    std::string model_ = dir_.file("silu.gguf");
    std::string output_ = dir_.file("thresholds.gguf");
    const Cancellation never_{};

    Result<tools::CalibrationReport> calibrate(const std::string& model, double sparsity,
                                               const std::string& text = kText,
                                               const std::string& activation = {}) {
        auto engine = Engine::load(options_for(model, activation));
        if (!engine) {
            return engine.error();
        }
        tools::CalibrationOptions wanted;
        wanted.n_ctx = 32;
        wanted.sparsity = sparsity;
        wanted.output_path = output_;
        return tools::calibrate(**engine, text, wanted, {}, never_);
    }
    Result<std::unique_ptr<Engine>> load_approximate(const std::string& model,
                                                     const std::string& activation = {}) {
        EngineOptions options = options_for(model, activation);
        options.mode = "approximate";
        options.thresholds_path = output_;
        return Engine::load(options);
    }

private slots:
    void init() {
        QVERIFY(test::TinyModel({.arch = "llama", .type = DType::Q8_0}).write(model_));
        std::filesystem::remove(output_);
    }

    // What the text's own values say, and what single tokens then keep of them.
    void as_much_is_left_out_as_was_asked_data() {
        QTest::addColumn<double>("sparsity");
        for (const double sparsity : {0.0, 0.25, 0.5, 0.9}) {
            QTest::addRow("%g", sparsity) << sparsity;
        }
    }
    void as_much_is_left_out_as_was_asked() {
        QFETCH(double, sparsity);
        const auto report = calibrate(model_, sparsity);
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        QCOMPARE(report->tokens, static_cast<std::uint64_t>(kText.size()));
        QCOMPARE(report->layers.size(), std::size_t{2});
        for (const auto& layer : report->layers) {
            QVERIFY(std::fabs(layer.input_below - sparsity) < 0.02);
            QVERIFY(std::fabs(layer.hidden_below - sparsity) < 0.02);
            QVERIFY((layer.input_threshold == 0) == (sparsity == 0));
        }
        const auto engine = load_approximate(model_);
        QVERIFY2(engine.has_value(), engine ? "" : engine.error().message.c_str());
        QCOMPARE((*engine)->settings().mode, std::string("approximate"));
        const auto perplexity = tools::perplexity(**engine, kText, 32, {}, never_);
        QVERIFY(perplexity);
        double inputs = 0;
        double fired = 0;
        const auto decoded = (*engine)->decode_statistics();
        QVERIFY(decoded);
        for (const LayerStatistics& layer : decoded->layers) {
            QCOMPARE(layer.path, std::string("approximate"));
            QCOMPARE(layer.tokens, static_cast<std::uint64_t>(kText.size() - 1));
            inputs += layer.inputs / 2;
            fired += layer.fired / 2;
        }
        // Values that 8 bits make 0 are left out, too; windows begin elsewhere than the text's did.
        QVERIFY2(std::fabs(inputs - (1 - sparsity)) < 0.04, qPrintable(QString::number(inputs)));
        QVERIFY2(std::fabs(fired - (1 - sparsity)) < 0.10, qPrintable(QString::number(fired)));
    }

    void nothing_left_out_is_dense() {
        QVERIFY(calibrate(model_, 0));
        const auto dense = Engine::load(options_for(model_));
        const auto approximate = load_approximate(model_);
        QVERIFY(dense && approximate);
        const auto wanted = tools::perplexity(**dense, kText, 32, {}, never_, true);
        const auto got = tools::perplexity(**approximate, kText, 32, {}, never_);
        QVERIFY(wanted && got);
        // Sums in another order move a value to the next of its 127 steps now and then.
        QVERIFY2(std::fabs(got->loss - wanted->loss) < 2e-4,
                 qPrintable(QString::number(got->loss - wanted->loss)));
    }

    void refuses_what_it_cannot_do_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<QString>("arch");
        QTest::addColumn<bool>("by_neuron");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("message");
        const auto invalid = static_cast<int>(ErrorCode::InvalidArgument);
        const auto unsupported = static_cast<int>(ErrorCode::Unsupported);
        const auto q8_0 = static_cast<int>(DType::Q8_0);
        QTest::newRow("sparse") << q8_0 << "bamboo" << false << invalid << "makes zeros by itself";
        QTest::newRow("no gate") << q8_0 << "falcon" << false << invalid << "gated by SiLU";
        QTest::newRow("floats") << static_cast<int>(DType::F16) << "llama" << false << unsupported
                                << "blk.0.ffn_gate.weight: is of type F16";
        QTest::newRow("by neuron")
            << q8_0 << "llama" << true << unsupported << "stores neurons one by one";
    }
    void refuses_what_it_cannot_do() {
        QFETCH(int, type);
        QFETCH(QString, arch);
        QFETCH(bool, by_neuron);
        QFETCH(int, code);
        QFETCH(QString, message);
        QVERIFY(calibrate(model_, 0.5));  // thresholds of whatever model
        const std::string path = dir_.file("other.gguf");
        QVERIFY(test::TinyModel({.arch = arch.toStdString(),
                                 .type = static_cast<DType>(type),
                                 .by_neuron = by_neuron})
                    .write(path));
        const std::string activation = by_neuron ? "silu" : "";
        const auto engine = load_approximate(path, activation);
        QVERIFY(!engine);
        QCOMPARE(static_cast<int>(engine.error().code), code);
        QVERIFY2(engine.error().message.find(message.toStdString()) != std::string::npos,
                 engine.error().message.c_str());
        QCOMPARE(engine.error().path, path);
        std::filesystem::remove(output_);
        const auto calibrated = calibrate(path, 0.5, kText, activation);
        QVERIFY(!calibrated);
        QCOMPARE(static_cast<int>(calibrated.error().code), code);
        QVERIFY(!std::filesystem::exists(output_));
    }

    void thresholds_of_another_model_are_refused() {
        QVERIFY(calibrate(model_, 0.5));
        const std::string path = dir_.file("other.gguf");
        QVERIFY(test::TinyModel({.arch = "llama", .type = DType::Q8_0}, 2).write(path));
        const auto engine = load_approximate(path);
        QVERIFY(!engine);
        QVERIFY(engine.error().code == ErrorCode::InvalidArgument);
        QCOMPARE(engine.error().path, output_);
    }

    void a_file_of_thresholds_is_needed() {
        EngineOptions options = options_for(model_);
        options.mode = "approximate";
        const auto none = Engine::load(options);
        QVERIFY(!none);
        QCOMPARE(none.error().field, std::string("thresholds"));
        options.thresholds_path = dir_.file("nowhere.gguf");
        const auto missing = Engine::load(options);
        QVERIFY(!missing);
        QVERIFY(missing.error().code == ErrorCode::NotFound);
    }

    void only_the_processor_applies_them() {
        QVERIFY(calibrate(model_, 0.5));
        EngineOptions options = options_for(model_);
        options.mode = "approximate";
        options.thresholds_path = output_;
        options.gpu = "auto";
        const auto without = Engine::load(options);
        QVERIFY(without);
        QCOMPARE((*without)->settings().gpu, std::string("none"));
        QVERIFY(!(*without)->settings().gpu_note.empty());
        options.gpu = "GeForce";
        const auto named = Engine::load(options);
        QVERIFY(!named);
        QVERIFY(named.error().code == ErrorCode::InvalidArgument);
        QCOMPARE(named.error().field, std::string("gpu"));
    }

    void bad_wishes() {
        QCOMPARE(calibrate(model_, 1.0).error().field, std::string("sparsity"));
        QCOMPARE(calibrate(model_, -0.1).error().field, std::string("sparsity"));
        QCOMPARE(calibrate(model_, std::nan("")).error().field, std::string("sparsity"));
        QCOMPARE(calibrate(model_, 0.5, "").error().field, std::string("file"));
        QVERIFY(!std::filesystem::exists(output_));
    }
};

QTEST_GUILESS_MAIN(CalibrateTest)
#include "calibrate_test.moc"
