#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QDir>
#include <QFile>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "model/model_hash.h"
#include "plan/profile_file.h"
#include "support/covering_sample.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using namespace hearth;

namespace {

const QString kShared = QStringLiteral(HEARTH_SHARED_DIR "/starter-model/");
const std::string kText = "The quick brown fox jumps over the lazy dog, again and again. ";

std::unique_ptr<Engine> load(const std::string& path, int n_ctx) {
    EngineOptions options;
    options.model_path = path;
    options.n_ctx = n_ctx;
    auto engine = Engine::load(options);
    if (!engine) {
        qWarning("%s", engine.error().message.c_str());
        return nullptr;
    }
    return std::move(*engine);
}

// What the file at `path` says of the model at `model_path`.
Result<ActivationProfile> read_back(const std::string& path, const std::string& model_path) {
    auto model = GgufFile::open(model_path);
    auto file = GgufFile::open(path);
    if (!model || !file) {
        return Error{ErrorCode::NotFound, "no such file", path, {}};
    }
    auto spec = read_model_spec(*model);
    auto hash = model_hash(*model);
    if (!spec || !hash) {
        return Error{ErrorCode::BadFile, "no model", path, {}};
    }
    return read_profile(*file, *spec, *hash);
}

std::size_t files_in(const std::string& folder) {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder),
                                                  std::filesystem::directory_iterator()));
}

// Zeros in the hidden vector on the held-out text, from the starter model's card.
constexpr double kCardZeros[] = {0.754, 0.967, 0.957, 0.952, 0.943, 0.937,
                                 0.936, 0.932, 0.924, 0.915, 0.902, 0.867};
// Likewise on its first 20,000 bytes, as recorded from the shipped file with the commit that added
// this.
constexpr int kBeginning = 20'000;
constexpr double kBeginningZeros[] = {0.785, 0.974, 0.965, 0.960, 0.949, 0.942,
                                      0.939, 0.937, 0.930, 0.922, 0.909, 0.875};

}  // namespace

class ProfileTest : public QObject {
    Q_OBJECT

private:
    test::TempDir dir_;
    std::string model_ = dir_.file("tiny.gguf");
    std::string output_ = dir_.file("tiny.profile.gguf");
    const Cancellation never_{};

private slots:
    void init() {
        QVERIFY(test::TinyModel().write(model_));
        std::filesystem::remove(output_);
    }

    // The share of zeros, per layer, is the card's within one point.
    void the_starter_model_is_as_sparse_as_its_card_says_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<bool>("beginning");
        const QDir folder(QStringLiteral(HEARTH_SOURCE_DIR "/resources/starter-model"));
        const QStringList shipped = folder.entryList({"*.gguf"}, QDir::Files);
        QCOMPARE(shipped.size(), 1);
        QTest::newRow("shipped file, the text's beginning") << folder.filePath(shipped[0]) << true;
        if (test::all_rows()) {
            QTest::newRow("F16 master") << kShared + "hearth-starter-f16.gguf" << false;
            QTest::newRow("shipped file") << folder.filePath(shipped[0]) << false;
        }
    }
    void the_starter_model_is_as_sparse_as_its_card_says() {
        QFETCH(QString, model);
        QFETCH(bool, beginning);
        if (model.startsWith(kShared) && !QFile::exists(model)) {
            QSKIP("needs ../shared/starter-model");
        }
        QFile text(QStringLiteral(HEARTH_SOURCE_DIR "/tests/data/heldout.txt"));
        QVERIFY(text.open(QIODevice::ReadOnly));
        const auto engine = load(model.toStdString(), 1024);
        QVERIFY(engine);
        const auto report = tools::profile(
            *engine, (beginning ? text.read(kBeginning) : text.readAll()).toStdString(),
            {.n_ctx = 1024, .max_tokens = 0, .add = false, .output_path = output_}, {}, never_);
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        QCOMPARE(report->tokens, std::uint64_t{beginning ? 5067U : 42797U});
        QCOMPARE(report->layers.size(), std::size(kCardZeros));
        for (std::size_t i = 0; i < report->layers.size(); ++i) {
            const double wanted = beginning ? kBeginningZeros[i] : kCardZeros[i];
            QVERIFY2(std::fabs(report->layers[i].sparsity - wanted) <= 0.01,
                     qPrintable(QString("layer %1: %2 zeros, recorded %3")
                                    .arg(i)
                                    .arg(report->layers[i].sparsity)
                                    .arg(wanted)));
        }
    }

    void what_is_reported_is_what_was_written() {
        const auto engine = load(model_, 64);
        QVERIFY(engine);
        std::vector<int> seen;
        // Windows of 48 tokens: groups of 32 do not fill them.
        const auto report = tools::profile(
            *engine, kText + kText, {.n_ctx = 48, .max_tokens = 100, .output_path = output_},
            [&](int done, int windows) { seen.push_back(100 * done + windows); }, never_);
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        QCOMPARE(seen, (std::vector<int>{103, 203, 303}));
        QCOMPARE(report->tokens, std::uint64_t{100});
        const auto profile = read_back(output_, model_);
        QVERIFY2(profile.has_value(), profile ? "" : profile.error().message.c_str());
        QCOMPARE(profile->model_hash, report->model_hash);
        // 48 + 48 + 4 tokens.
        QVERIFY(profile->groups == (std::array<std::uint64_t, 6>{100, 50, 25, 12, 6, 2}));
        for (std::size_t i = 0; i < 2; ++i) {
            std::vector<std::uint32_t> fired = profile->layers[i].fired[0];
            double sum = 0;
            for (const std::uint32_t count : fired) {
                sum += count;
            }
            QVERIFY(sum > 0 && sum < 100.0 * 96);
            QCOMPARE(report->layers[i].index, static_cast<int>(i));
            QCOMPARE(report->layers[i].sparsity, 1 - sum / (100.0 * 96));
            std::sort(fired.rbegin(), fired.rend());
            double hot = 0;
            for (std::size_t n = 0; n < 20; ++n) {  // a fifth of 96, rounded up
                hot += fired[n];
            }
            QCOMPARE(report->layers[i].hottest_20_share, hot / sum);
        }
    }

    // Neurons have the numbers of the file that a packed model was made from.
    void a_packed_model_counts_in_the_order_of_its_source() {
        const tools::ProfileOptions options{.n_ctx = 64, .output_path = output_};
        const std::string packed = dir_.file("packed.gguf");
        {
            const auto engine = load(model_, 64);
            QVERIFY(engine && tools::profile(*engine, kText, options, {}, never_));
        }
        const auto source = read_back(output_, model_);
        const auto report =
            tools::pack(model_, {.output_path = packed, .profile_path = output_}, {}, never_);
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        const auto engine = load(packed, 64);
        QVERIFY(engine);
        QVERIFY(tools::profile(*engine, kText, options, {}, never_));
        const auto again = read_back(output_, model_);
        QVERIFY2(again.has_value(), again ? "" : again.error().message.c_str());
        QCOMPARE(again->model_hash, source->model_hash);
        // The first block reads what no sum in another order has touched.
        QVERIFY(again->layers[0].fired == source->layers[0].fired);
        const auto& before = source->layers[1].fired[0];
        const auto& after = again->layers[1].fired[0];
        for (std::size_t n = 0; n < before.size(); ++n) {
            QVERIFY(before[n] <= after[n] + 2 && after[n] <= before[n] + 2);
        }
        std::filesystem::remove(packed);
    }

    // The observer is gone afterwards, and counting changes no answer.
    void leaves_the_engine_as_it_was() {
        const auto engine = load(model_, 64);
        QVERIFY(engine);
        GenerationOptions generation;
        generation.sampling.temperature = 0;
        generation.max_tokens = 8;
        const auto before = engine->complete("Hello", generation, {}, never_);
        QVERIFY(tools::profile(*engine, kText, {.n_ctx = 64, .output_path = output_}, {}, never_));
        const auto bytes = test::read_file(output_);
        const auto after = engine->complete("Hello", generation, {}, never_);
        QVERIFY(before && after);
        QCOMPARE(after->token_ids, before->token_ids);
        QVERIFY(test::read_file(output_) == bytes);
    }

    void twice_with_add_is_twice_the_counts() {
        const auto engine = load(model_, 64);
        QVERIFY(engine);
        const tools::ProfileOptions options{.n_ctx = 64, .add = true, .output_path = output_};
        QVERIFY(tools::profile(*engine, kText, options, {}, never_));  // to nothing: a fresh one
        const auto once = read_back(output_, model_);
        const auto report = tools::profile(*engine, kText, options, {}, never_);
        QVERIFY(report);
        const auto twice = read_back(output_, model_);
        QVERIFY(once && twice);
        QCOMPARE(twice->tokens, 2 * once->tokens);
        QCOMPARE(report->tokens, twice->tokens);
        QCOMPARE(twice->groups[3], 2 * once->groups[3]);
        for (std::size_t n = 0; n < 96; ++n) {
            QCOMPARE(twice->layers[1].fired[2][n], 2 * once->layers[1].fired[2][n]);
        }
    }

    void add_refuses_what_is_of_another_model() {
        const auto engine = load(model_, 64);
        QVERIFY(engine);
        ActivationProfile other;
        other.model_hash = "0123456789abcdef0123456789abcdef";
        other.layers.resize(2);
        for (auto& layer : other.layers) {
            layer.fired.fill(std::vector<std::uint32_t>(96));
        }
        QVERIFY(write_profile(output_, other));
        const auto bytes = test::read_file(output_);
        const auto report = tools::profile(
            *engine, kText, {.n_ctx = 64, .add = true, .output_path = output_}, {}, never_);
        QVERIFY(!report);
        QVERIFY(report.error().message.find(other.model_hash) != std::string::npos);
        QVERIFY(test::read_file(output_) == bytes);
    }

    // Whatever happens, what stood at the path stands there whole, and nothing beside it.
    void writes_nothing_after_an_error_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<int>("code");
        QTest::newRow("cancelled") << "cancelled" << static_cast<int>(ErrorCode::Cancelled);
        QTest::newRow("no text") << "no text" << static_cast<int>(ErrorCode::InvalidArgument);
        QTest::newRow("window") << "window" << static_cast<int>(ErrorCode::InvalidArgument);
        QTest::newRow("no folder") << "no folder" << static_cast<int>(ErrorCode::NotFound);
        QTest::newRow("a callback throws") << "throws" << static_cast<int>(ErrorCode::Internal);
    }
    void writes_nothing_after_an_error() {
        QFETCH(QString, what);
        QFETCH(int, code);
        const auto engine = load(model_, 64);
        QVERIFY(engine);
        QVERIFY(test::write_file(output_, test::bytes_of(std::vector<int>{1, 2, 3})));
        const auto before = test::read_file(output_);
        const std::size_t files = files_in(dir_.path());
        Cancellation cancellation;
        tools::ProfileOptions options{.n_ctx = 16, .output_path = output_};
        if (what == "window") {
            options.n_ctx = 65;
        } else if (what == "no folder") {
            options.output_path = dir_.file("no/profile.gguf");
        }
        int windows = 0;
        const auto report = tools::profile(
            *engine, what == "no text" ? "" : kText, options,
            [&](int, int) {
                ++windows;
                if (what == "cancelled") {
                    cancellation.request();
                } else if (what == "throws") {
                    throw std::runtime_error("the window is gone");
                }
            },
            cancellation);
        QVERIFY(!report);
        QVERIFY2(static_cast<int>(report.error().code) == code, report.error().message.c_str());
        QCOMPARE(windows, what == "cancelled" || what == "throws" ? 1 : 0);
        QVERIFY(test::read_file(output_) == before);
        QCOMPARE(files_in(dir_.path()), files);
        // And nobody watches any more.
        GenerationOptions generation;
        generation.max_tokens = 2;
        QVERIFY(engine->complete("Hello", generation, {}, never_));
    }
};

QTEST_GUILESS_MAIN(ProfileTest)
#include "profile_test.moc"
