// A packed model through the whole engine against the file it was made from, and the profile a
// model makes of itself.
#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QFile>
#include <QtTest>
#include <cmath>

#include "gguf/encoding.h"
#include "gguf/reader.h"
#include "model/model_hash.h"
#include "plan/profile_file.h"
#include "session/loaded_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::DType;
using hearth::test::TinyModel;

namespace {

std::unique_ptr<hearth::Engine> load(const std::string& path, const std::string& mode,
                                     const std::string& profile_folder = {}) {
    hearth::EngineOptions options;
    options.model_path = path;
    options.threads = 2;
    options.mode = mode;
    options.profile_folder = profile_folder;
    auto engine = hearth::Engine::load(options);
    if (!engine) {
        qWarning("%s", engine.error().message.c_str());
        return nullptr;
    }
    return std::move(*engine);
}

std::vector<std::int32_t> sample_tokens(int count) {
    std::vector<std::int32_t> tokens;
    for (int i = 0; i < count; ++i) {
        tokens.push_back(3 + (i * 37 + 11) % 256);
    }
    return tokens;
}

// Of every position, one token at a time or in one batch.
std::vector<float> logits(hearth::Engine& engine, const std::vector<std::int32_t>& tokens,
                          bool single) {
    std::vector<float> out;
    const auto keep = [&](std::size_t, std::span<const float> row) {
        out.insert(out.end(), row.begin(), row.end());
    };
    hearth::Session& session = *engine.impl().session;
    session.clear();
    if (!single) {
        return session.score(tokens, hearth::Decoder::Want::All, keep, {}) ? out
                                                                           : std::vector<float>{};
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!session.decode_one(tokens[i], {})) {
            return {};
        }
        keep(i, *session.last_logits({}));
    }
    return out;
}

// Largest difference in units of the largest value.
double difference(const std::vector<float>& a, const std::vector<float>& b) {
    if (a.size() != b.size() || a.empty()) {
        return 1e9;
    }
    double most = 0;
    double size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
        most = std::max(most, std::isfinite(d) ? d : 1e9);
        size = std::max(size, std::fabs(static_cast<double>(b[i])));
    }
    return most / size;
}

}  // namespace

class PackedModelTest : public QObject {
    Q_OBJECT

private slots:
    void computes_as_its_source_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<bool>("by_neuron");
        QTest::addColumn<bool>("hot_first");
        QTest::addColumn<double>("bound");
        // Down by neuron is added in float where the source quantises what it is multiplied with,
        // and Q4_0's is stored as Q8_0.
        const auto row = [](const char* name, DType type, bool by_neuron, bool hot, double bound) {
            QTest::newRow(name) << static_cast<int>(type) << by_neuron << hot << bound;
        };
        row("F32", DType::F32, false, true, 1e-5);
        row("F32, no profile", DType::F32, false, false, 1e-5);
        row("F16", DType::F16, false, true, 1e-5);
        row("Q8_0", DType::Q8_0, false, true, 2e-2);
        row("Q4_0", DType::Q4_0, false, true, 2e-2);
        row("Q4_0, by neuron", DType::Q4_0, true, true, 1e-5);
    }
    void computes_as_its_source() {
        QFETCH(int, type);
        QFETCH(bool, by_neuron);
        QFETCH(bool, hot_first);
        QFETCH(double, bound);
        hearth::test::TempDir dir;
        const std::string source = dir.file("source.gguf");
        const std::string packed = dir.file("packed.gguf");
        const std::string profile = dir.file("profile.gguf");
        hearth::test::TinyModelOptions options;
        options.type = static_cast<DType>(type);
        options.n_ff = 224;
        options.by_neuron = by_neuron;
        QVERIFY(TinyModel(options).write(source));
        auto dense = load(source, "dense");
        QVERIFY(dense);
        if (hot_first) {
            std::string text;
            for (int i = 0; i < 200; ++i) {
                text += static_cast<char>('a' + i * 7 % 26);
            }
            QVERIFY(hearth::tools::profile(*dense, text, {.n_ctx = 64, .output_path = profile}, {},
                                           {}));
        }
        const auto report = hearth::tools::pack(
            source, {.output_path = packed, .profile_path = hot_first ? profile : ""}, {}, {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QCOMPARE(report->by_hotness, hot_first);

        const std::vector<std::int32_t> tokens = sample_tokens(24);
        for (const bool single : {true, false}) {
            const std::vector<float> wanted = logits(*dense, tokens, single);
            for (const char* mode : {"dense", "exact"}) {
                auto engine = load(packed, mode);
                QVERIFY(engine);
                const double off = difference(logits(*engine, tokens, single), wanted);
                QVERIFY2(
                    off <= bound,
                    qPrintable(
                        QString("%1, %2: %3").arg(mode).arg(single ? "single" : "batch").arg(off)));
            }
        }
    }

    // In neither format a bit of a logit is another one, whatever the layout in RAM makes of the
    // records; nor is one of the source, where that has the same rows in the same order.
    void both_formats_give_the_same_bits_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<QString>("arch");
        QTest::addColumn<bool>("by_neuron");
        QTest::addColumn<int>("n_embd");
        for (const hearth::Encoding& encoding : hearth::encodings()) {
            if (!encoding.has(hearth::Layout::NeuronRow)) {
                continue;
            }
            const int n_embd = encoding.block_values > 64 ? 256 : 96;  // no whole groups
            const char* name = hearth::dtype_info(encoding.type).name.data();
            const int type = static_cast<int>(encoding.type);
            QTest::addRow("%s", name) << type << "bamboo" << false << n_embd;
            QTest::addRow("%s by neuron", name) << type << "bamboo" << true << n_embd;
        }
        QTest::newRow("no gate") << static_cast<int>(DType::Q4_0) << "opt" << false << 64;
    }
    void both_formats_give_the_same_bits() {
        QFETCH(int, type);
        QFETCH(QString, arch);
        QFETCH(bool, by_neuron);
        QFETCH(int, n_embd);
        hearth::test::TempDir dir;
        const std::string source = dir.file("source.gguf");
        QVERIFY(TinyModel({.arch = arch.toStdString(),
                           .type = static_cast<DType>(type),
                           .n_embd = n_embd,
                           .n_ff = 256,
                           .by_neuron = by_neuron,
                           .predictor_width = 64,
                           .sparse_threshold = 0.1F})
                    .write(source));
        const std::vector<std::int32_t> tokens = sample_tokens(24);
        for (const char* mode : {"dense", "exact", "predicted"}) {
            std::vector<std::vector<float>> got[2];
            for (const std::uint32_t format : {0U, 1U, 2U}) {
                std::string path = source;
                if (format > 0) {
                    path = dir.file("packed.gguf");
                    const auto report = hearth::tools::pack(
                        source, {.output_path = path, .format = format}, {}, {});
                    QVERIFY2(report, report ? "" : report.error().message.c_str());
                }
                auto engine = load(path, mode);
                QVERIFY(engine);
                got[0].push_back(logits(*engine, tokens, false));
                got[1].push_back(logits(*engine, tokens, true));
            }
            for (const auto& of : got) {
                QVERIFY(!of[0].empty());
                QVERIFY2(of[1] == of[2], mode);
                QVERIFY2(!by_neuron || of[0] == of[2], mode);
            }
        }
    }

    // While it answers, a model without a profile counts what fires: the same numbers a profiler
    // finds, in the order of the file it was packed from.
    void profiles_itself() {
        hearth::test::TempDir dir;
        const std::string source = dir.file("source.gguf");
        hearth::test::TinyModelOptions options;
        options.n_ff = 224;
        QVERIFY(TinyModel(options).write(source));
        const std::string packed = dir.file("packed.gguf");
        QVERIFY(hearth::tools::pack(source, {.output_path = packed}, {}, {}));
        const auto file = hearth::GgufFile::open(source);
        QVERIFY(file);
        const auto hash = hearth::model_hash(*file);
        const auto spec = hearth::read_model_spec(*file);
        QVERIFY(hash && spec);

        const std::vector<std::int32_t> tokens = sample_tokens(40);
        std::vector<hearth::ActivationProfile> profiles;
        for (const std::string& path : {source, packed}) {
            const std::string folder = dir.file(path == source ? "cache-a" : "cache-b");
            auto engine = load(path, "exact", folder);
            QVERIFY(engine);
            const auto nothing = engine->save_profile();
            QVERIFY(nothing && *nothing == 0);
            logits(*engine, tokens, true);
            const auto saved = engine->save_profile();
            QVERIFY2(saved, saved ? "" : saved.error().message.c_str());
            QCOMPARE(*saved, static_cast<std::uint64_t>(tokens.size()));
            logits(*engine, tokens, true);  // counting goes on
            QVERIFY(engine->save_profile());
            const auto made = hearth::GgufFile::open(hearth::self_profile_path(folder, *hash));
            QVERIFY2(made, made ? "" : made.error().message.c_str());
            auto profile = hearth::read_profile(*made, *spec, *hash);
            QVERIFY2(profile, profile ? "" : profile.error().message.c_str());
            QCOMPARE(profile->tokens, static_cast<std::uint64_t>(2 * tokens.size()));
            profiles.push_back(std::move(*profile));
        }
        bool varied = false;
        for (std::size_t layer = 0; layer < profiles[0].layers.size(); ++layer) {
            const auto& fired = profiles[0].layers[layer].fired[0];
            QVERIFY(fired == profiles[1].layers[layer].fired[0]);
            varied = varied || std::adjacent_find(fired.begin(), fired.end(),
                                                  std::not_equal_to<>()) != fired.end();
        }
        QVERIFY(varied);

        // Neither a dense engine nor one that was given no folder counts.
        auto dense = load(source, "dense", dir.file("cache-c"));
        logits(*dense, tokens, true);
        QCOMPARE(*dense->save_profile(), std::uint64_t{0});
        auto quiet = load(source, "exact");
        logits(*quiet, tokens, true);
        QCOMPARE(*quiet->save_profile(), std::uint64_t{0});
    }

    void modes_that_cannot_be() {
        hearth::test::TempDir dir;
        const std::string silu = dir.file("silu.gguf");
        const std::string relu = dir.file("relu.gguf");
        QVERIFY(TinyModel({.arch = "llama"}).write(silu));
        QVERIFY(TinyModel().write(relu));
        const auto error = [](const hearth::EngineOptions& options) {
            const auto engine = hearth::Engine::load(options);
            return engine ? QString() : QString::fromStdString(engine.error().message);
        };
        hearth::EngineOptions options;
        options.model_path = silu;
        options.mode = "predicted";
        QVERIFY(error(options).contains("this model's activation, silu, makes none so"));
        options.model_path = relu;
        QVERIFY(error(options).contains("the model file has no predictors"));
        options.predictors_path = dir.file("none.gguf");
        QVERIFY(!error(options).isEmpty());
        options.predictor_input = "raw";
        QVERIFY(error(options).contains("\"raw\" is no predictor input"));
        options = {};
        options.model_path = relu;
        options.mode = "sparse";
        QVERIFY(error(options).contains("\"sparse\" is no mode"));
        options.mode = "exact";
        options.activation = "swish";
        QVERIFY(error(options).contains("\"swish\" is no activation"));
        // A SiLU model asked to be exact is dense, and says so.
        options = {};
        options.model_path = silu;
        const auto engine = hearth::Engine::load(options);
        QVERIFY(engine);
        QCOMPARE((*engine)->settings().mode, std::string("dense"));
    }
};

QTEST_GUILESS_MAIN(PackedModelTest)
#include "packed_model_test.moc"
