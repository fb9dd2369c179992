// PowerInfer's files through the whole engine against the reference computation: the magic PWRI and
// GGUF's, down by neuron, predictors that see the residual, the types their quantiser leaves.
#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QtTest>
#include <cmath>
#include <limits>
#include <numeric>

#include "session/loaded_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::DType;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;

namespace {

std::vector<std::int32_t> sample_tokens(int count) {
    std::vector<std::int32_t> tokens;
    for (int i = 0; i < count; ++i) {
        tokens.push_back(3 + (i * 37 + 11) % 256);
    }
    return tokens;
}

std::unique_ptr<hearth::Engine> load(const std::string& path, const std::string& mode) {
    hearth::EngineOptions options;
    options.model_path = path;
    options.threads = 2;
    options.mode = mode;
    auto engine = hearth::Engine::load(options);
    if (!engine) {
        qWarning("%s", engine.error().message.c_str());
        return nullptr;
    }
    return std::move(*engine);
}

std::vector<float> batch_logits(hearth::Engine& engine, const std::vector<std::int32_t>& tokens) {
    std::vector<float> out;
    auto done = hearth::tools::logits(engine, tokens, true,
                                      [&](int, std::span<const float> row) -> hearth::Result<void> {
                                          out.insert(out.end(), row.begin(), row.end());
                                          return {};
                                      });
    return done ? out : std::vector<float>{};
}

// One token at a time: only then are neurons left out.
std::vector<float> single_logits(hearth::Engine& engine, const std::vector<std::int32_t>& tokens) {
    std::vector<float> out;
    hearth::Session& session = *engine.impl().session;
    session.clear();
    for (const std::int32_t token : tokens) {
        if (!session.decode_one(token, {})) {
            return {};
        }
        const std::span<const float> row = *session.last_logits({});
        out.insert(out.end(), row.begin(), row.end());
    }
    return out;
}

// Root of the mean square; of the difference, as a share of `unit`.
double rms(const std::vector<double>& values) {
    return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0) /
                     static_cast<double>(values.size()));
}
template <class Value>
double rms_difference(const std::vector<Value>& got, const std::vector<double>& wanted,
                      double unit) {
    if (got.size() != wanted.size() || got.empty()) {
        return std::numeric_limits<double>::infinity();
    }
    double squares = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const double difference = static_cast<double>(got[i]) - wanted[i];
        squares += difference * difference;
    }
    return std::sqrt(squares / static_cast<double>(got.size())) / unit;
}

}  // namespace

class PowerInferFileTest : public QObject {
    Q_OBJECT

private slots:
    void logits_equal_the_reference_data() {
        QTest::addColumn<QString>("variant");
        QTest::addColumn<double>("bound");  // of the error's mean square's root, beside the logits'
        for (const auto& [variant, bound] : {std::pair{"llama pwri F32", 1e-5},
                                             {"llama gguf F32", 1e-5},
                                             {"bamboo pwri F32", 1e-5},
                                             {"bamboo gguf F32 tied", 1e-5},
                                             {"llama pwri F16", 1e-5},
                                             {"bamboo pwri F16", 1e-5},
                                             {"llama pwri Q4_0 Q6_K-output Q4_0-predictors", 0.05},
                                             {"bamboo pwri Q4_0 Q6_K-output Q4_0-predictors", 0.05},
                                             {"llama pwri Q8_0 Q5_0-predictors", 0.05},
                                             {"bamboo pwri Q5_0 Q6_K-output Q5_0-predictors", 0.05},
                                             {"llama pwri Q6_K", 0.05},
                                             {"falcon pwri F32", 1e-5},
                                             {"falcon pwri F32 sharing second-norm", 1e-5},
                                             {"falcon pwri Q4_0 Q8_0-output Q4_0-predictors", 0.05},
                                             {"opt pwri F32 tied", 1e-5},
                                             {"opt gguf F16 tied", 1e-5},
                                             {"opt pwri Q4_0 tied Q4_0-predictors", 0.05}}) {
            QTest::newRow(variant) << QString(variant) << bound;
        }
    }
    void logits_equal_the_reference() {
        QFETCH(QString, variant);
        QFETCH(double, bound);
        const TinyModel model(options_of(variant), 4);
        const std::string path = dir_.file("model.gguf");
        QVERIFY(model.write(path));
        const std::vector<std::int32_t> tokens = sample_tokens(12);
        const std::vector<double> exact = model.logits(tokens);
        const std::vector<double> predicted = model.logits(tokens, true);
        const double unit = rms(exact);
        // A test of masks needs masks that matter.
        const double apart = rms_difference(exact, predicted, unit);
        QVERIFY2(apart > 0.1, qPrintable(QString::number(apart)));

        for (const char* mode : {"dense", "exact", "predicted"}) {
            auto engine = load(path, mode);
            QVERIFY(engine);
            QCOMPARE(engine->settings().mode, std::string(mode));
            const bool masks = engine->settings().mode == "predicted";
            // Prompts are computed whole.
            const double off = rms_difference(batch_logits(*engine, tokens), exact, unit);
            QVERIFY2(off < bound, qPrintable(QString("%1: %2").arg(mode).arg(off)));
            // Keys and values of earlier tokens are rounded to F16 here; a score near the threshold
            // may then fall on its other side.
            const double alone =
                rms_difference(single_logits(*engine, tokens), masks ? predicted : exact, unit);
            const double allowed = masks ? std::max(0.1 * apart, 1.5 * bound) : bound + 1e-3;
            QVERIFY2(
                alone < allowed,
                qPrintable(
                    QString("%1, one by one: %2; the masks: %3").arg(mode).arg(alone).arg(apart)));
        }
    }

    // Falcon and OPT without predictors, as other engines' files have them.
    void dense_files_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<bool>("by_neuron");
        QTest::newRow("falcon") << "falcon" << false;
        QTest::newRow("falcon by neuron") << "falcon" << true;  // GELU all the same
        QTest::newRow("opt") << "opt" << false;
    }
    void dense_files() {
        QFETCH(QString, arch);
        QFETCH(bool, by_neuron);
        TinyModelOptions options;
        options.arch = arch.toStdString();
        options.by_neuron = by_neuron;
        options.n_head_kv = arch == "opt" ? 4 : 1;
        options.tied = arch == "opt";
        const TinyModel model(options, 4);
        const std::string path = dir_.file("dense.gguf");
        QVERIFY(model.write(path));
        const std::vector<std::int32_t> tokens = sample_tokens(12);
        const std::vector<double> wanted = model.logits(tokens);
        auto engine = load(path, "exact");
        QVERIFY(engine);
        // Only ReLU leaves neurons at zero.
        QCOMPARE(engine->settings().mode, std::string(arch == "opt" ? "exact" : "dense"));
        QVERIFY(rms_difference(batch_logits(*engine, tokens), wanted, rms(wanted)) < 1e-5);
        QVERIFY(rms_difference(single_logits(*engine, tokens), wanted, rms(wanted)) < 1e-3);
    }

    // Learned positions end where their table does, whatever the metadata says.
    void a_context_is_no_longer_than_the_positions() {
        TinyModelOptions options;
        options.arch = "opt";
        options.n_head_kv = 4;
        options.tied = true;
        options.n_ctx = 40;
        const std::string path = dir_.file("short.gguf");
        auto file = TinyModel(options).file();
        QVERIFY(file.without("opt.context_length")
                    .key("opt.context_length", std::uint32_t{2048})
                    .write(path));
        auto engine = load(path, "exact");
        QVERIFY(engine);
        QCOMPARE(engine->model().n_ctx, 40);
        QVERIFY(batch_logits(*engine, sample_tokens(41)).empty());
        QVERIFY(!batch_logits(*engine, sample_tokens(40)).empty());
    }

    // The threshold decides: with all below it nothing fires, with none the result is exact.
    void the_files_threshold_counts() {
        const std::vector<std::int32_t> tokens = sample_tokens(6);
        const std::string path = dir_.file("threshold.gguf");
        for (const float threshold : {-1e9F, 0.4F, 1e9F}) {
            TinyModelOptions options = options_of("llama pwri F32");
            options.sparse_threshold = threshold;
            const TinyModel model(options, 4);
            QVERIFY(model.write(path));
            auto engine = load(path, "predicted");
            QVERIFY(engine);
            const std::vector<double> wanted = model.logits(tokens, true);
            QVERIFY(rms_difference(single_logits(*engine, tokens), wanted, rms(wanted)) < 0.02);
            double fired = 0;
            const auto decoded = engine->decode_statistics();
            QVERIFY(decoded);
            for (const hearth::LayerStatistics& layer : decoded->layers) {
                fired += layer.fired;
            }
            QCOMPARE(fired > 0, threshold < 1e6F);
        }
    }

private:
    static TinyModelOptions options_of(const QString& variant) {
        const QStringList words = variant.split(' ');
        const auto type = [&](const QString& suffix, DType otherwise) {
            for (const QString& word : words) {
                if (word.endsWith(suffix)) {
                    return *hearth::dtype_from_name(word.chopped(suffix.size()).toStdString());
                }
            }
            return otherwise;
        };
        TinyModelOptions options;
        options.arch = words[0].toStdString();
        options.pwri = words[1] == "pwri";
        options.type = *hearth::dtype_from_name(words[2].toStdString());
        options.n_embd = 256;
        options.n_ff = 512;
        options.by_neuron = true;
        options.tied = words.contains("tied");
        options.n_head_kv = words.contains("sharing") ? 1 : 4;
        options.second_norm = words.contains("second-norm");
        options.predictor_width = 64;
        options.predictor_type = type("-predictors", DType::F32);
        options.output_type = type("-output", options.type);
        return options;
    }

    hearth::test::TempDir dir_;
};

QTEST_GUILESS_MAIN(PowerInferFileTest)
#include "powerinfer_file_test.moc"
