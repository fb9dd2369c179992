// The whole engine on a tiny model against plain arithmetic in double precision.
#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "support/temp_dir.h"
#include "support/tiny_model.h"

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

std::unique_ptr<hearth::Engine> load(const std::string& path, int threads = 2) {
    hearth::EngineOptions options;
    options.model_path = path;
    options.threads = threads;
    auto engine = hearth::Engine::load(options);
    if (!engine) {
        qWarning("%s", engine.error().message.c_str());
        return nullptr;
    }
    return std::move(*engine);
}

std::vector<float> all_logits(hearth::Engine& engine, const std::vector<std::int32_t>& tokens) {
    std::vector<float> out;
    auto done = hearth::tools::logits(engine, tokens, true,
                                      [&](int, std::span<const float> row) -> hearth::Result<void> {
                                          out.insert(out.end(), row.begin(), row.end());
                                          return {};
                                      });
    return done ? out : std::vector<float>{};
}

// Restores HEARTH_CPU when a test ends.
struct CpuOverride {
    explicit CpuOverride(const QByteArray& isa) { qputenv("HEARTH_CPU", isa); }
    ~CpuOverride() { qunsetenv("HEARTH_CPU"); }
};

}  // namespace

class EngineTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        qunsetenv("HEARTH_CPU");
        QVERIFY(model_.write(path_));
    }

    void logits_equal_plain_arithmetic_data() {
        QTest::addColumn<QByteArray>("isa");
        QTest::addColumn<QString>("variant");
        QTest::addColumn<double>("bound");
        auto devices = hearth::tools::devices();
        QVERIFY(devices);
        for (const std::string& isa : devices->isa) {
            // Quantised activations: a step is 1/127 of a block's largest value, the logits are
            // about 1 each.
            for (const auto& [variant, bound] : {std::pair{"bamboo F32", 2e-5},
                                                 {"bamboo F16", 2e-5},
                                                 {"bamboo BF16", 2e-5},
                                                 {"bamboo Q8_0", 0.15},
                                                 {"bamboo Q4_0", 0.15},
                                                 {"llama F32", 2e-5},
                                                 {"llama F32 tied bias factors linear", 1e-4},
                                                 {"llama Q4_0", 0.15},
                                                 {"llama F32 no sharing", 2e-5},
                                                 {"llama F32 geglu", 2e-5},
                                                 {"llama Q8_0 geglu", 0.15},
                                                 {"llama F32 uneven layers", 2e-5},
                                                 {"bamboo Q4_0 uneven layers", 0.15},
                                                 {"gemma F32 tied", 1e-4},
                                                 {"gemma Q8_0 uneven layers", 0.15},
                                                 {"llama F32 fused bias", 2e-5},
                                                 {"gemma Q8_0 fused uneven layers", 0.15},
                                                 {"qwen2 F32", 2e-5},
                                                 {"qwen3 F32", 2e-5},
                                                 {"qwen3 Q8_0 uneven layers", 0.15},
                                                 {"qwen2 Q4_0", 0.15}}) {
                QTest::addRow("%s/%s", isa.c_str(), variant)
                    << QByteArray::fromStdString(isa) << QString(variant) << bound;
            }
        }
    }
    void logits_equal_plain_arithmetic() {
        QFETCH(QByteArray, isa);
        QFETCH(QString, variant);
        QFETCH(double, bound);
        const QStringList words = variant.split(' ');
        TinyModelOptions options;
        options.arch = words[0].toStdString();
        options.type = *hearth::dtype_from_name(words[1].toStdString());
        options.tied = words.contains("tied");
        options.qkv_bias = words.contains("bias");
        options.fused_qkv = options.fused_gate_up = words.contains("fused");
        options.rope_factors = words.contains("factors");
        options.rope_linear_factor = words.contains("linear") ? 4.0F : 1.0F;
        options.n_head_kv = words.contains("sharing") ? 4 : 2;
        options.activation = words.contains("geglu") ? "geglu" : "";
        if (words.contains("uneven")) {
            options.head_dim = 16;
            options.layers = {{4, 2, 160}, {6, 3, 96}};
        }
        const TinyModel model(options, 2);
        const std::string path = dir_.file("variant.gguf");
        QVERIFY(model.write(path));
        const CpuOverride use(isa);
        auto engine = load(path);
        QVERIFY(engine);
        QCOMPARE(engine->settings().isa, isa.toStdString());

        const std::vector<std::int32_t> tokens = sample_tokens(40);
        const std::vector<float> got = all_logits(*engine, tokens);
        const std::vector<double> wanted = model.logits(tokens);
        QCOMPARE(got.size(), wanted.size());
        double worst = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            worst = std::max(worst, std::fabs(static_cast<double>(got[i]) - wanted[i]));
        }
        QVERIFY2(worst < bound, qPrintable(QString("greatest difference %1").arg(worst)));
    }

    // The same bits for any number of threads, and whatever follows in the batch.
    void threads_and_batches_change_nothing() {
        const std::vector<std::int32_t> tokens = sample_tokens(50);
        for (const hearth::DType type : {hearth::DType::F16, hearth::DType::Q4_0}) {
            const std::string path = dir_.file("same.gguf");
            QVERIFY(TinyModel({.type = type}).write(path));
            auto one = load(path, 1);
            QVERIFY(one);
            const std::vector<float> wanted = all_logits(*one, tokens);
            QVERIFY(!wanted.empty());
            for (const int threads : {2, 3, 7}) {
                auto engine = load(path, threads);
                QVERIFY(engine);
                QCOMPARE(all_logits(*engine, tokens), wanted);
            }
            // A prefix alone gives what it gives inside the longer text.
            const std::vector<std::int32_t> prefix(tokens.begin(), tokens.begin() + 7);
            const std::vector<float> alone = all_logits(*one, prefix);
            QVERIFY(std::equal(alone.begin(), alone.end(), wanted.begin()));
        }
    }

    void planned_memory_is_what_is_held() {
        auto engine = load(path_);
        QVERIFY(engine);
        const hearth::MemoryReport memory = engine->memory();
        QVERIFY(memory.weights.actual_bytes > 0 && memory.kv.actual_bytes > 0 &&
                memory.scratch.actual_bytes > 0);
        QCOMPARE(memory.weights.planned_bytes, memory.weights.actual_bytes);
        QCOMPARE(memory.kv.planned_bytes, memory.kv.actual_bytes);
        QCOMPARE(memory.scratch.planned_bytes, memory.scratch.actual_bytes);
    }

    void a_budget_too_small_is_refused_before_loading() {
        hearth::EngineOptions options;
        options.model_path = path_;
        options.ram_bytes = 100'000;
        int progress_calls = 0;
        auto engine = hearth::Engine::load(options, [&](double) { ++progress_calls; });
        QVERIFY(!engine);
        QVERIFY(engine.error().code == hearth::ErrorCode::OverBudget);
        QVERIFY(engine.error().message.find("the budget is 0.1 MB") != std::string::npos);
        QCOMPARE(engine.error().path, path_);
        QCOMPARE(progress_calls, 0);
    }

    void bad_options_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<int>("code");
        const auto code = [](hearth::ErrorCode c) { return static_cast<int>(c); };
        QTest::newRow("no file") << "missing" << code(hearth::ErrorCode::NotFound);
        QTest::newRow("folder") << "folder" << code(hearth::ErrorCode::NotAFile);
        QTest::newRow("gpu") << "gpu" << code(hearth::ErrorCode::InvalidArgument);
        QTest::newRow("context") << "context" << code(hearth::ErrorCode::InvalidArgument);
        QTest::newRow("isa") << "isa" << code(hearth::ErrorCode::InvalidArgument);
    }
    void bad_options() {
        QFETCH(QString, what);
        QFETCH(int, code);
        hearth::EngineOptions options;
        options.model_path = what == "missing"  ? dir_.file("none.gguf")
                             : what == "folder" ? dir_.path()
                                                : path_;
        options.gpu = what == "gpu" ? "77" : "auto";
        options.n_ctx = what == "context" ? 100'000 : 0;
        const CpuOverride use(what == "isa" ? "mmx" : "");
        auto engine = hearth::Engine::load(options);
        QVERIFY(!engine);
        QCOMPARE(static_cast<int>(engine.error().code), code);
    }

    // The name that a file gives itself, fit to be shown; without one the file's own.
    void a_model_has_a_name() {
        const std::string path = dir_.file("my.model.v2.gguf");
        const auto name_with = [&](const std::optional<std::string>& said) {
            hearth::test::GgufBuilder file = TinyModel().file();
            file.without("general.name");
            if (said) {
                file.key("general.name", *said);
            }
            const auto engine = file.write(path) ? load(path) : nullptr;
            return engine ? engine->model().name : std::string("none");
        };
        QCOMPARE(name_with("Tiny"), std::string("Tiny"));
        QCOMPARE(name_with("T\x1B[2Ji\nny\x7F"), std::string("T[2Jiny"));
        QCOMPARE(name_with("half \xC3"), std::string("half \xEF\xBF\xBD"));
        for (const std::optional<std::string>& said :
             {std::optional<std::string>(), std::optional<std::string>(""),
              std::optional<std::string>("\n\x01")}) {
            QCOMPARE(name_with(said), std::string("my.model.v2"));
        }
    }

    // The type that most bytes are of, and as many parameters as inspecting the file counts.
    void a_model_has_a_type_and_a_size() {
        const std::string path = dir_.file("typed.gguf");
        const auto type_with = [&](const hearth::test::TinyModelOptions& options) {
            const auto engine = TinyModel(options).write(path) ? load(path) : nullptr;
            const auto report = hearth::tools::inspect(path);
            return engine && report && engine->model().n_params == report->params
                       ? engine->model().type
                       : std::string("none");
        };
        QCOMPARE(type_with({}), std::string("F32"));
        QCOMPARE(type_with({.type = hearth::DType::Q8_0}), std::string("Q8_0"));
        QCOMPARE(type_with({.type = hearth::DType::Q8_0,
                            .n_layer = 1,
                            .n_ff = 32,
                            .output_type = hearth::DType::F32}),
                 std::string("F32"));
        QCOMPARE(type_with({.type = hearth::DType::Q8_0,
                            .n_layer = 6,
                            .n_ff = 384,
                            .output_type = hearth::DType::F16}),
                 std::string("Q8_0"));
    }

    void progress_grows_to_the_whole() {
        std::vector<double> seen;
        hearth::EngineOptions options;
        options.model_path = path_;
        QVERIFY(hearth::Engine::load(options, [&](double part) { seen.push_back(part); }));
        QVERIFY(!seen.empty() && seen.front() >= 0);
        QVERIFY(std::is_sorted(seen.begin(), seen.end()));
        QCOMPARE(seen.back(), 1.0);
    }

    void cancelling_a_load() {
        hearth::EngineOptions options;
        options.model_path = path_;
        hearth::Cancellation cancel;
        cancel.request();
        auto engine = hearth::Engine::load(options, {}, &cancel);
        QVERIFY(!engine);
        QVERIFY(engine.error().code == hearth::ErrorCode::Cancelled);
    }

    void generates_up_to_its_limits() {
        auto engine = load(path_);
        QVERIFY(engine);
        hearth::GenerationOptions options;
        options.sampling.temperature = 0;
        options.max_tokens = 5;
        const hearth::Cancellation never;
        auto five = engine->complete("Hello", options, {}, never);
        QVERIFY(five);
        QCOMPARE(five->prompt_tokens, 5);
        QCOMPARE(five->cached_tokens, 0);
        QCOMPARE(five->token_ids.size(), std::size_t{5});
        QVERIFY(five->finish == hearth::FinishReason::Length);

        options.max_tokens = 0;
        auto none = engine->complete("Hello", options, {}, never);
        QVERIFY(none);
        QVERIFY(none->token_ids.empty());
        QVERIFY(none->finish == hearth::FinishReason::Length);

        // To the end of the context: 128 tokens, then it stops by itself (or at an end token).
        options.max_tokens = -1;
        auto all = engine->complete("Hello", options, {}, never);
        QVERIFY(all);
        QVERIFY(all->prompt_tokens + static_cast<int>(all->token_ids.size()) <= 129);
    }

    void prompts_that_do_not_fit() {
        auto engine = load(path_);
        QVERIFY(engine);
        const hearth::Cancellation never;
        auto full = engine->complete(std::string(128, 'a'), {}, {}, never);
        QVERIFY(!full);
        QVERIFY(full.error().code == hearth::ErrorCode::ContextFull);
        QCOMPARE(full.error().message,
                 std::string("the prompt has 128 tokens, the context holds 128 and needs room for "
                             "the answer"));
        auto empty = engine->complete("", {}, {}, never);
        QVERIFY(!empty);
        QVERIFY(empty.error().code == hearth::ErrorCode::InvalidArgument);
        QVERIFY(engine->complete(std::string(127, 'a'), {}, {}, never));
    }

    // What a turn shares with the one before is not computed again, and the answer is the same.
    // (The shared part is now read from the cache, rounded to F16; these prompts' margins are wide
    // enough.)
    void a_shared_prefix_is_reused_data() {
        QTest::addColumn<QString>("prompt");
        QTest::addColumn<int>("shared");
        QTest::newRow("to a tile's border") << "The quick brown cat" << 16;
        QTest::newRow("into a tile") << "The quick brown fry" << 17;
        QTest::newRow("at an odd position") << "The quick and the dead" << 10;
    }
    void a_shared_prefix_is_reused() {
        QFETCH(QString, prompt);
        QFETCH(int, shared);
        const std::string text = prompt.toStdString();
        auto engine = load(path_);
        auto fresh = load(path_);
        QVERIFY(engine && fresh);
        hearth::GenerationOptions options;
        options.sampling.temperature = 0;
        options.max_tokens = 8;
        const hearth::Cancellation never;
        QVERIFY(engine->complete("The quick brown fox", options, {}, never));
        auto again = engine->complete(text, options, {}, never);
        auto alone = fresh->complete(text, options, {}, never);
        QVERIFY(again && alone);
        QCOMPARE(again->cached_tokens, shared);
        QCOMPARE(alone->cached_tokens, 0);
        QCOMPARE(again->token_ids, alone->token_ids);
        for (const auto* one : {&*again, &*alone}) {  // the speed is that of what was computed
            QVERIFY(std::abs(one->prefill_per_s * one->prefill_ms / 1000 + one->cached_tokens -
                             one->prompt_tokens) < 1e-6);
            QVERIFY(one->ttft_ms >= one->prefill_ms);
        }
        auto same = engine->complete(text, options, {}, never);
        QVERIFY(same);
        QCOMPARE(same->cached_tokens, static_cast<int>(text.size()) - 1);  // all but the last
        QCOMPARE(same->token_ids, alone->token_ids);
    }

    void cancelling_ends_within_a_token() {
        auto engine = load(path_);
        QVERIFY(engine);
        hearth::GenerationOptions options;
        options.sampling.seed = 5;
        hearth::Cancellation cancel;
        int pieces = 0;
        auto result = engine->complete(
            "Hello", options,
            [&](std::string_view) {
                if (++pieces == 3) {
                    cancel.request();
                }
            },
            cancel);
        QVERIFY(result);
        QVERIFY(result->finish == hearth::FinishReason::Cancelled);
        QVERIFY(pieces <= 4);  // at most what was held back comes after

        auto at_once = engine->complete("Other", options, {}, cancel);
        QVERIFY(at_once);
        QVERIFY(at_once->finish == hearth::FinishReason::Cancelled);
        QVERIFY(at_once->token_ids.empty());
        // And the next turn is right again.
        cancel.reset();
        options.sampling.temperature = 0;
        options.max_tokens = 6;
        auto after = engine->complete("Other words", options, {}, cancel);
        auto fresh = load(path_);
        auto wanted = fresh->complete("Other words", options, {}, cancel);
        QVERIFY(after && wanted);
        QCOMPARE(after->token_ids, wanted->token_ids);
    }

    // Published models often have more rows than tokens; those must never be drawn.
    void padding_rows_are_no_tokens() {
        const std::string path = dir_.file("padded.gguf");
        QVERIFY(TinyModel({.n_padding_rows = 253}).write(path));
        auto engine = load(path);
        QVERIFY(engine);
        hearth::GenerationOptions options;
        options.sampling = {.temperature = 5.0F, .top_k = 0, .top_p = 1.0F, .min_p = 0, .seed = 3};
        options.max_tokens = 60;
        const hearth::Cancellation never;
        for (int i = 0; i < 5; ++i) {
            auto result = engine->complete("Hello", options, {}, never);
            QVERIFY(result);
            for (const std::int32_t token : result->token_ids) {
                QVERIFY(token < TinyModel::kVocab);
            }
            options.sampling.seed += 1;
        }
    }

    void logits_of_bad_tokens() {
        auto engine = load(path_);
        QVERIFY(engine);
        const auto ignore = [](int, std::span<const float>) { return hearth::Result<void>{}; };
        QVERIFY(!hearth::tools::logits(*engine, {}, false, ignore));
        const std::vector<std::int32_t> outside{3, 259};
        auto result = hearth::tools::logits(*engine, outside, false, ignore);
        QVERIFY(!result);
        QCOMPARE(result.error().message, std::string("token 259 is outside the vocabulary of 259"));
        auto too_many = hearth::tools::logits(*engine, sample_tokens(129), false, ignore);
        QVERIFY(!too_many);
        QVERIFY(too_many.error().code == hearth::ErrorCode::ContextFull);
    }

    // Against the same sum done in double from the reference's logits.
    void perplexity_scores_every_position() {
        auto engine = load(path_);
        QVERIFY(engine);
        const std::string text = "It was a dark and stormy night; the rain fell in torrents.";
        const int window = 16;
        std::vector<std::int32_t> tokens;
        for (const char c : text) {
            tokens.push_back(3 + static_cast<unsigned char>(c));  // the byte tokens in order
        }
        double sum = 0;
        double squares = 0;
        for (std::size_t first = 0; first + 1 < tokens.size(); first += window) {
            const std::size_t count = std::min<std::size_t>(window, tokens.size() - 1 - first);
            const std::vector<double> logits =
                model_.logits({tokens.begin() + static_cast<std::ptrdiff_t>(first),
                               tokens.begin() + static_cast<std::ptrdiff_t>(first + count)});
            for (std::size_t i = 0; i < count; ++i) {
                double total = 0;
                for (std::size_t v = 0; v < TinyModel::kVocab; ++v) {
                    total += std::exp(logits[i * TinyModel::kVocab + v]);
                }
                const double loss =
                    std::log(total) -
                    logits[i * TinyModel::kVocab + static_cast<std::size_t>(tokens[first + i + 1])];
                sum += loss;
                squares += loss * loss;
            }
        }
        const auto n = static_cast<double>(tokens.size() - 1);
        const double wanted = std::exp(sum / n);
        // Of the mean loss, as a sample's: divided by n - 1, then by n; then of its exponential.
        const double error = wanted * std::sqrt((squares - sum * sum / n) / (n - 1) / n);
        const hearth::Cancellation never;
        auto report = hearth::tools::perplexity(*engine, text, window, {}, never);
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        QCOMPARE(report->tokens, static_cast<std::uint64_t>(tokens.size() - 1));
        QCOMPARE(report->windows, 4);
        QVERIFY(std::fabs(report->perplexity - wanted) < 1e-3 * wanted);
        // n for n - 1 would be off by more than 1 / (2 n).
        QVERIFY2(std::fabs(report->standard_error - error) < error / (8 * n),
                 qPrintable(QString("%1, not %2").arg(report->standard_error).arg(error)));
        QVERIFY(std::fabs(report->loss - sum / n) < 1e-3);
    }

private:
    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
    TinyModel model_;
};

QTEST_GUILESS_MAIN(EngineTest)
#include "engine_test.moc"
