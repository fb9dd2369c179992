// Without a named mode, layers change between the exact and the dense path: the whole engine, with
// speeds that are given.
#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QDir>
#include <QtTest>
#include <memory>

#include "model/model_hash.h"
#include "plan/profile_file.h"
#include "plan/self_profile.h"
#include "session/loaded_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

namespace {

using hearth::LayerPaths;
using hearth::PathSpeeds;
using hearth::test::TinyModel;
using Names = std::vector<std::string>;

constexpr PathSpeeds kSlowRows{1, {10, 20, 30, 40, 50}};  // of what a tiny model opens: dense
constexpr int kTokens = 20;                               // enough to tell

std::unique_ptr<hearth::Engine> load(const std::string& path, const std::string& mode,
                                     const std::string& profile_folder = {}) {
    hearth::EngineOptions options;
    options.model_path = path;
    options.threads = 2;
    options.gpu = "none";
    options.mode = mode;
    options.profile_folder = profile_folder;
    auto engine = hearth::Engine::load(options);
    if (!engine) {
        qWarning("%s", engine.error().message.c_str());
        return nullptr;
    }
    return std::move(*engine);
}

void give_speeds(hearth::Engine& engine, const PathSpeeds& speeds) {
    engine.impl().paths = std::make_unique<LayerPaths>(*engine.impl().executor->paths(), speeds);
}

std::vector<hearth::LayerStatistics> layers_of(hearth::Engine& engine) {
    auto decoded = engine.decode_statistics();
    return decoded ? std::move(decoded->layers) : std::vector<hearth::LayerStatistics>{};
}

Names paths_of(hearth::Engine& engine) {
    Names names;
    for (const hearth::LayerStatistics& layer : layers_of(engine)) {
        names.push_back(layer.path);
    }
    return names;
}

bool decode(hearth::Engine& engine, int n_tokens) {
    hearth::Session& session = *engine.impl().session;
    session.clear();
    for (int i = 0; i < n_tokens; ++i) {
        if (!session.decode_one(3 + (i * 37 + 11) % 256, {})) {
            return false;
        }
    }
    return true;
}

// An answer, and the paths of every moment of it.
std::string answer(hearth::Engine& engine, std::vector<Names>* seen = nullptr) {
    hearth::GenerationOptions options;
    options.sampling.temperature = 0;
    options.max_tokens = 30;
    const auto result = engine.complete("abc", options,
                                        [&](std::string_view) {
                                            if (seen != nullptr) {
                                                seen->push_back(paths_of(engine));
                                            }
                                        },
                                        {});
    return result ? result->text : "failed";
}

std::vector<float> logits_of(hearth::Engine& engine, const std::vector<std::int32_t>& tokens) {
    std::vector<float> out;
    const auto done = hearth::tools::logits(
        engine, tokens, true, [&](int, std::span<const float> row) -> hearth::Result<void> {
            out.insert(out.end(), row.begin(), row.end());
            return {};
        });
    return done ? out : std::vector<float>{};
}

const Names kExact{"exact", "exact"};
const Names kDense{"dense", "dense"};

}  // namespace

class ChosenPathsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        path_ = dir_.file("model.gguf");
        QVERIFY(TinyModel({.n_ff = 224, .by_neuron = true}).write(path_));
    }

    void paths_change_between_answers_only() {
        auto engine = load(path_, "");
        auto exact = load(path_, "exact");
        QVERIFY(engine && exact);
        QVERIFY(engine->settings().paths_chosen && !exact->settings().paths_chosen);
        QCOMPARE(engine->settings().mode, std::string("exact"));
        give_speeds(*engine, kSlowRows);
        QVERIFY(paths_of(*engine) == kExact);
        std::vector<Names> seen;
        QCOMPARE(answer(*engine, &seen), answer(*exact));
        QVERIFY(!seen.empty());
        for (const Names& names : seen) {
            QVERIFY(names == kExact);
        }
        QVERIFY(decode(*engine, kTokens));
        QVERIFY(paths_of(*engine) == kExact);
        seen.clear();
        answer(*engine, &seen);
        QVERIFY(!seen.empty());
        for (const Names& names : seen) {
            QVERIFY(names == kDense);
        }
        // The counters go on on the dense path.
        const hearth::LayerStatistics layer = layers_of(*engine).at(1);
        QVERIFY(layer.tokens > kTokens);
        QVERIFY(layer.fired < layer.opened && layer.opened < 0.9);
        // fix() turns back, and what is computed then is what it was before.
        engine->impl().paths->fix();
        QVERIFY(paths_of(*engine) == kExact);
        QCOMPARE(answer(*engine), answer(*exact));
    }

    void named_modes_stay() {
        for (const char* mode : {"exact", "dense"}) {
            auto engine = load(path_, mode);
            QVERIFY(engine);
            QVERIFY(engine->impl().paths == nullptr && !engine->settings().paths_chosen);
            QVERIFY(decode(*engine, kTokens));
            answer(*engine);
            QVERIFY(paths_of(*engine) == Names(2, mode));
        }
        // Blocks without a gate read the same bytes on either path.
        const std::string plain = dir_.file("plain.gguf");
        QVERIFY(TinyModel({.arch = "opt"}).write(plain));
        auto ungated = load(plain, "");
        QVERIFY(ungated && !ungated->impl().executor->paths()->has_paths(0));
        give_speeds(*ungated, kSlowRows);
        QVERIFY(decode(*ungated, kTokens));
        answer(*ungated);
        QVERIFY(paths_of(*ungated) == kExact);
        // Where nothing rests there is nothing to choose.
        const std::string silu = dir_.file("silu.gguf");
        QVERIFY(TinyModel({.arch = "llama"}).write(silu));
        auto engine = load(silu, "");
        QVERIFY(engine && engine->impl().paths == nullptr && !engine->settings().paths_chosen);
        QVERIFY(paths_of(*engine) == kDense);
    }

    void logits_and_perplexity_take_one_path() {
        auto exact = load(path_, "exact");
        QVERIFY(exact);
        const std::vector<std::int32_t> token{17};  // alone, it is computed as an answer's are
        const std::vector<float> wanted = logits_of(*exact, token);
        QVERIFY(!wanted.empty());
        for (const bool of_logits : {true, false}) {
            auto engine = load(path_, "");
            QVERIFY(engine);
            give_speeds(*engine, kSlowRows);
            QVERIFY(decode(*engine, kTokens));
            answer(*engine);
            QVERIFY(paths_of(*engine) == kDense);
            if (of_logits) {
                QVERIFY(logits_of(*engine, token) == wanted);
            } else {
                const auto report =
                    hearth::tools::perplexity(*engine, "A text of some letters.", 8, {}, {}, true);
                const auto same =
                    hearth::tools::perplexity(*exact, "A text of some letters.", 8, {}, {}, true);
                QVERIFY(report && same);
                QCOMPARE(report->loss, same->loss);
            }
            QVERIFY(paths_of(*engine) == kExact);
            QVERIFY(decode(*engine, kTokens));
            answer(*engine);
            QVERIFY(paths_of(*engine) == kExact);
        }
    }

    void a_profile_decides_at_load() {
        const auto file = hearth::GgufFile::open(path_);
        const auto hash = hearth::model_hash(*file);
        QVERIFY(file && hash);
        hearth::ActivationProfile profile;
        profile.model_hash = *hash;
        profile.tokens = 100;
        profile.groups[0] = 100;
        profile.layers.resize(2);
        for (std::size_t layer = 0; layer < 2; ++layer) {
            for (auto& fired : profile.layers[layer].fired) {
                fired.assign(224, 0);
            }
            profile.layers[layer].fired[0].assign(224, layer == 0 ? 10 : 90);
        }
        const std::string folder = dir_.file("cache");
        const std::string of_model = hearth::self_profile_path(folder, *hash);
        QVERIFY(QDir().mkpath(QFileInfo(QString::fromStdString(of_model)).path()));
        const auto written = hearth::write_profile(of_model, profile);
        QVERIFY2(written, written ? "" : written.error().message.c_str());

        auto engine = load(path_, "", folder);
        QVERIFY(engine);
        QVERIFY((paths_of(*engine) == Names{"exact", "dense"}));
        QVERIFY(paths_of(*load(path_, "exact", folder)) == kExact);
        QVERIFY(paths_of(*load(path_, "")) == kExact);  // of this engine nothing is left
        // What it counts itself is less than the profile says.
        QVERIFY(decode(*engine, kTokens));
        answer(*engine);
        QVERIFY(paths_of(*engine) == kExact);
    }

    void a_benchmark_chooses_after_its_warm_up() {
        auto engine = load(path_, "");
        QVERIFY(engine);
        give_speeds(*engine, kSlowRows);
        hearth::tools::BenchOptions options;
        options.prefill_tokens = 0;
        options.decode_tokens = kTokens;
        options.repetitions = 1;
        QVERIFY(hearth::tools::bench(*engine, options, {}));
        const auto layers = layers_of(*engine);
        for (const hearth::LayerStatistics& layer : layers) {
            QCOMPARE(layer.path, std::string("dense"));
            QCOMPARE(layer.tokens, std::uint64_t{kTokens});
            QVERIFY(layer.fired > 0.05 && layer.fired < 0.9);
        }
    }

private:
    hearth::test::TempDir dir_;
    std::string path_;
};

QTEST_GUILESS_MAIN(ChosenPathsTest)
#include "chosen_paths_test.moc"
