// Budgets that move while a model is loaded: what is computed stays the same bits, what cannot be
// is refused and changes nothing, and what fails on the way leaves a model that answers.
#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QtTest>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "session/loaded_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

namespace {

using hearth::BudgetChange;
using hearth::DType;
using hearth::Engine;
using hearth::ErrorCode;
using hearth::test::TinyModelOptions;

constexpr int kCtx = 64;
constexpr int kTokens = 40;
constexpr std::array<std::int32_t, 5> kPrompt{5, 9, 70, 33, 12};
const char* const kText = "The quick brown fox";

struct Model {
    const char* name;
    TinyModelOptions options;
    const char* mode;
    bool packed = false;
};

const std::vector<Model>& models() {
    static const std::vector<Model> all{
        {"dense",
         {.arch = "llama", .type = DType::Q8_0, .n_layer = 12, .n_embd = 256, .n_ff = 1024},
         "dense"},
        {"sparse exact",
         {.type = DType::F16, .n_layer = 12, .n_embd = 256, .n_ff = 2048},
         "exact",
         true},
        {"sparse predicted",
         {.type = DType::Q4_0, .n_layer = 12, .n_embd = 256, .n_ff = 2048, .predictor_width = 64},
         "predicted",
         true},
    };
    return all;
}

using Between = std::function<void(int token)>;

// Logits after a prompt and after each of the tokens that follow one by one. Empty: it failed.
std::vector<float> logits_of(
    Engine& engine, const Between& between = [](int) {}) {
    hearth::Session& session = *engine.impl().session;
    std::vector<float> all;
    session.clear();
    bool fine = session.append(kPrompt, {}).has_value();
    for (int i = 0; i < kTokens && fine; ++i) {
        between(i);
        const auto done = session.decode_one(20 + i, {});
        if (!done) {
            qWarning("%s", done.error().message.c_str());
        }
        const auto row =
            done ? session.last_logits({}) : hearth::Result<std::span<float>>(done.error());
        fine = row.has_value();
        if (fine) {
            all.insert(all.end(), row->begin(), row->end());
        }
    }
    return fine ? all : std::vector<float>{};
}

struct Spoken {
    std::string text, notice;
    bool cancelled = false;
    std::optional<hearth::Error> error{};
};

Spoken answer(Engine& engine, const hearth::PieceCallback& on_piece = {},
              const hearth::Cancellation& cancellation = {}) {
    hearth::GenerationOptions options;
    options.sampling = {.temperature = 0};
    options.max_tokens = 24;
    const auto result = engine.complete(kText, options, on_piece, cancellation);
    if (!result) {
        return {{}, {}, false, result.error()};
    }
    return {result->text, result->notice, result->finish == hearth::FinishReason::Cancelled};
}

// What is answered when the conversation holds the prompt already. The first time its last token
// is one of a batch, whose keys are not rounded.
Spoken answer_again(Engine& engine) {
    const Spoken first = answer(engine);
    return first.error ? first : answer(engine);
}

std::uint64_t least_without_loading(Engine& engine) {
    return engine.memory().ledger_bytes() - engine.impl().executor->most_spared_ram();
}

}  // namespace

class BudgetTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        for (const Model& model : models()) {
            const std::string source = dir_.file(std::string(model.name) + ".gguf");
            TinyModelOptions options = model.options;
            options.n_ctx = kCtx;
            QVERIFY(hearth::test::TinyModel(options).write(source));
            paths_.push_back(source);
            if (model.packed) {
                paths_.back() = dir_.file(std::string(model.name) + "-packed.gguf");
                hearth::tools::PackOptions pack;
                pack.output_path = paths_.back();
                pack.format = 2;
                pack.predictor_input = model.options.predictor_width > 0 ? "normed" : "";
                QVERIFY(hearth::tools::pack(source, pack, {}, {}));
            }
            const auto engine = load(expected_.size());
            QVERIFY(engine);
            QVERIFY(!engine->impl().plan.reads_flash());
            whole_.push_back(engine->memory().ledger_bytes());
            expected_.push_back(logits_of(*engine));
            QVERIFY(!expected_.back().empty());
        }
    }

    void answersKeepTheirBits_data() {
        QTest::addColumn<std::size_t>("model");
        for (std::size_t i = 0; i < models().size(); ++i) {
            QTest::newRow(models()[i].name) << i;
        }
    }

    // From RAM to flash and back in the middle of an answer. The past is kept: computed again, the
    // tokens that came alone would be a batch, and the last bits other ones.
    void answersKeepTheirBits() {
        QFETCH(const std::size_t, model);
        const auto engine = load(model);
        QVERIFY(engine);
        const std::uint64_t whole = whole_[model];
        // Predictors and embeddings, which stay, are much of a small model.
        const std::uint64_t low = whole - whole / (models()[model].mode[0] == 'p' ? 8 : 3);
        int before = engine->impl().n_loads;
        const auto check = [&](std::uint64_t budget, bool reads_flash) {
            const hearth::MemoryReport memory = engine->memory();
            QCOMPARE(memory.ram_budget_bytes, budget);
            QCOMPARE(engine->settings().ram_bytes, budget);
            QVERIFY(!memory.budget_waits);
            QVERIFY(memory.used_bytes() <= budget);
            QCOMPARE(memory.ledger_bytes(), memory.planned_bytes());
            QCOMPARE(engine->impl().plan.reads_flash(), reads_flash);
        };
        const std::vector<float> seen = logits_of(*engine, [&](int i) {
            if (i == 10) {
                QVERIFY(engine->set_budget({.ram_bytes = low}));
                QVERIFY(engine->memory().budget_waits);
                QCOMPARE(engine->impl().n_loads, before);
            }
            if (i == 11) {
                check(low, true);
                QVERIFY(engine->set_budget({.ram_bytes = whole}));
            }
            if (i == 12) {
                check(whole, false);
                before = engine->impl().n_loads;
                QVERIFY(engine->set_budget({.ram_bytes = 2 * whole}));  // gains nothing
                QVERIFY(!engine->memory().budget_waits);
            }
            if (i == 13) {
                QCOMPARE(engine->impl().n_loads, before);
            }
        });
        QVERIFY(seen == expected_[model]);
        QCOMPARE(engine->model().n_ctx, kCtx);
    }

    // A smaller budget reads nothing, a larger one what it adds; what stays in RAM is never read
    // again. The executor is the same all the time.
    void onlyWhatIsAddedIsRead() {
        const auto engine = load(0);
        QVERIFY(engine);
        const hearth::Executor* const executor = engine->impl().executor.get();
        QVERIFY(executor->load_read_bytes() > whole_[0] / 2);
        std::mt19937 random(11);
        std::uint64_t on_flash = 0;
        int raised = 0;
        int lowered = 0;
        for (int round = 0; round < 24; ++round) {
            const std::uint64_t part = whole_[0] / 100 * (std::uint64_t{55} + random() % 46);
            QVERIFY(engine->set_budget({.ram_bytes = part}));
            const int loads = engine->impl().n_loads;
            QVERIFY(engine->carry_out_budget());
            if (engine->impl().n_loads == loads) {
                continue;
            }
            QCOMPARE(engine->impl().executor.get(), executor);
            const std::uint64_t now = engine->impl().plan.flash_bytes;
            QCOMPARE(executor->load_read_bytes(), on_flash > now ? on_flash - now : 0);
            (on_flash > now ? raised : lowered) += 1;
            on_flash = now;
            QVERIFY(engine->memory().used_bytes() <= part);
            QVERIFY(logits_of(*engine) == expected_[0]);
        }
        QVERIFY2(raised > 3 && lowered > 3, qPrintable(QString::number(raised)));
    }

    // Weights that never leave RAM are not read again where neurons lie in slots either.
    void slotsAreFilledAndNoMoreIsRead() {
        for (const std::size_t model : {std::size_t{1}, std::size_t{2}}) {
            const auto engine = load(model);
            QVERIFY(engine);
            const std::uint64_t all = engine->impl().executor->load_read_bytes();
            const std::uint64_t low = whole_[model] - whole_[model] / 8;
            QVERIFY(engine->set_budget({.ram_bytes = low}));
            QVERIFY(engine->carry_out_budget());
            const hearth::Plan lowered = engine->impl().plan;
            QVERIFY(lowered.placement.has_slots());
            QVERIFY(engine->impl().executor->load_read_bytes() <= lowered.flash_batch_bytes);
            QVERIFY(engine->set_budget({.ram_bytes = whole_[model]}));
            QVERIFY(engine->carry_out_budget());
            QVERIFY(!engine->impl().plan.reads_flash());
            QVERIFY(engine->impl().executor->load_read_bytes() <= lowered.flash_batch_bytes);
            QVERIFY(lowered.flash_batch_bytes < all);
            QVERIFY(logits_of(*engine) == expected_[model]);
        }
    }

    void whatDoesNotFitIsRefused_data() { answersKeepTheirBits_data(); }

    void whatDoesNotFitIsRefused() {
        QFETCH(const std::size_t, model);
        const auto engine = load(model);
        QVERIFY(engine);
        int before = engine->impl().n_loads;
        const std::vector<float> seen = logits_of(*engine, [&](int i) {
            if (i % 10 == 3) {
                const auto refused = engine->set_budget({.ram_bytes = 1000});
                QVERIFY(!refused);
                QCOMPARE(refused.error().code, ErrorCode::OverBudget);
                QVERIFY2(refused.error().message.find("with weights read from disk for every token "
                                                      "it needs") != std::string::npos,
                         refused.error().message.c_str());
                QVERIFY(!engine->memory().budget_waits);
            }
        });
        QVERIFY(seen == expected_[model]);
        QCOMPARE(engine->impl().n_loads, before);
        QCOMPARE(engine->memory().ledger_bytes(), whole_[model]);
    }

    // Sparing comes first; below its least, and above what was loaded, weights are loaded anew.
    void neuronsGiveWayBeforeAnythingIsLoaded() {
        constexpr std::size_t kModel = 1;
        const std::uint64_t whole = whole_[kModel];
        const auto engine = load(kModel, whole - whole / 4);
        QVERIFY(engine);
        const int loaded = engine->impl().n_loads;
        const std::uint64_t held = engine->memory().ledger_bytes();
        const std::uint64_t least = least_without_loading(*engine);
        QVERIFY(least < held);
        QVERIFY(engine->set_budget({.ram_bytes = least}));
        QVERIFY(!engine->memory().budget_waits);
        QCOMPARE(engine->memory().spared_bytes, held - least);
        QVERIFY(engine->set_budget({.ram_bytes = held}));
        QCOMPARE(engine->memory().spared_bytes, 0U);
        QVERIFY(engine->set_budget({.ram_bytes = held + held / 32}));  // not worth it
        QVERIFY(!engine->memory().budget_waits);
        QCOMPARE(engine->memory().ram_budget_bytes, held + held / 32);
        QCOMPARE(engine->impl().n_loads, loaded);

        // Between answers, by hand: memory is given back without a token.
        QVERIFY(engine->set_budget({.ram_bytes = least - 1}));
        QVERIFY(engine->memory().budget_waits);
        QCOMPARE(engine->memory().ledger_bytes(), held);
        double progress = 0;
        QVERIFY(engine->carry_out_budget([&](double fraction) { progress = fraction; }));
        QVERIFY(progress > 0.5);
        QVERIFY(!engine->memory().budget_waits);
        QVERIFY(engine->memory().ledger_bytes() < least);
        QVERIFY(logits_of(*engine) == expected_[kModel]);
        // The latest of several counts, and what waits may turn out to be there already.
        const int lowered = engine->impl().n_loads;
        QVERIFY(engine->set_budget({.ram_bytes = whole}));
        QVERIFY(engine->memory().budget_waits);
        QVERIFY(engine->set_budget({.ram_bytes = least - 1}));
        QVERIFY(!engine->memory().budget_waits);
        QVERIFY(engine->carry_out_budget());
        QCOMPARE(engine->impl().n_loads, lowered);
    }

    // The conversation goes on where it was: its tokens are not computed again.
    void aConversationIsKept() {
        const auto engine = load(0);
        QVERIFY(engine);
        const Spoken expected = answer_again(*engine);
        QVERIFY(!expected.text.empty());
        QVERIFY(engine->set_budget({.ram_bytes = whole_[0] - whole_[0] / 3}));
        QVERIFY(engine->carry_out_budget());
        hearth::GenerationOptions options;
        options.sampling = {.temperature = 0};
        options.max_tokens = 24;
        const hearth::Cancellation go_on;
        const auto again = engine->complete(kText, options, {}, go_on);
        QVERIFY(again);
        QCOMPARE(again->text, expected.text);
        QCOMPARE(again->cached_tokens, again->prompt_tokens - 1);
    }

    // A context that nobody asked for was chosen once: a smaller budget gives up other memory, and
    // the conversation stays as long as it may be.
    void aChosenContextStays() {
        const std::string path = dir_.file("chosen.gguf");
        QVERIFY(hearth::test::TinyModel({.arch = "llama",
                                         .type = DType::Q8_0,
                                         .n_layer = 4,
                                         .n_embd = 256,
                                         .n_ff = 1024,
                                         .n_ctx = 4096})
                    .write(path));
        hearth::EngineOptions options = options_for(0);
        options.model_path = path;
        options.n_ctx = 0;
        const auto engine = Engine::load(options);
        QVERIFY(engine);
        QCOMPARE((*engine)->model().n_ctx, 4096);
        const hearth::MemoryReport all = (*engine)->memory();
        const std::uint64_t low =
            all.ledger_bytes() - all.scratch.actual_bytes - all.kv.actual_bytes / 8;
        QVERIFY((*engine)->set_budget({.ram_bytes = low}));
        QVERIFY((*engine)->carry_out_budget());
        QVERIFY((*engine)->memory().ledger_bytes() <= low);
        QVERIFY((*engine)->impl().plan.reads_flash());
        QCOMPARE((*engine)->model().n_ctx, 4096);
    }

    // From the callback of an answer, on the engine's own thread.
    void aBudgetSetByACallback() {
        const auto engine = load(0);
        QVERIFY(engine);
        const Spoken expected = answer(*engine);
        const auto other = load(0);
        int pieces = 0;
        const Spoken seen = answer(*other, [&](std::string_view) {
            ++pieces;
            if (pieces == 3) {
                QVERIFY(other->set_budget({.ram_bytes = whole_[0] - whole_[0] / 4}));
                QVERIFY(other->carry_out_budget());
                QVERIFY(other->impl().plan.reads_flash());
            }
        });
        QVERIFY(pieces > 3);
        QCOMPARE(seen.text, expected.text);
        QCOMPARE(seen.notice, std::string());
    }

    // Between two batches of a prompt.
    void aBudgetSetWhileAPromptIsComputed() {
        TinyModelOptions options = models()[0].options;
        options.n_ctx = 256;
        const std::string path = dir_.file("long.gguf");
        QVERIFY(hearth::test::TinyModel(options).write(path));
        hearth::EngineOptions with = options_for(0);
        with.model_path = path;
        with.n_ctx = 256;
        std::uint64_t whole = 0;
        {
            auto probe = Engine::load(with);
            QVERIFY(probe);
            whole = (*probe)->memory().ledger_bytes();
        }
        with.ram_bytes = whole - 1;  // a smaller batch is what gives way
        auto loaded = Engine::load(with);
        QVERIFY(loaded);
        Engine& engine = **loaded;
        QVERIFY(!engine.impl().plan.reads_flash());
        const int n_batch = engine.impl().plan.n_batch;
        QVERIFY(n_batch < 200);
        std::vector<std::int32_t> tokens;
        for (int i = 0; i < 200; ++i) {
            tokens.push_back(3 + (i * 37 + 11) % 200);
        }
        const auto rows_with = [&](const Between& at) {
            std::vector<std::vector<float>> rows;
            const auto done =
                engine.impl().session->score(tokens, hearth::Decoder::Want::All,
                                             [&](std::size_t index, std::span<const float> row) {
                                                 if (index == rows.size()) {
                                                     rows.emplace_back(row.begin(), row.end());
                                                 }
                                                 at(static_cast<int>(index));
                                             },
                                             {});
            return done ? rows : std::vector<std::vector<float>>{};
        };
        const auto expected = rows_with([](int) {});
        QCOMPARE(expected.size(), tokens.size());
        const auto seen = rows_with([&](int index) {
            if (index == 3) {
                QVERIFY(engine.set_budget({.ram_bytes = whole - whole / 4}));
                QVERIFY(engine.memory().budget_waits);
            }
        });
        QVERIFY(engine.impl().plan.reads_flash());
        QCOMPARE(seen.size(), tokens.size());
        double most = 0;
        for (std::size_t i = 0; i < seen.size(); ++i) {
            for (std::size_t j = 0; j < seen[i].size(); ++j) {
                most = std::max(most, std::abs(static_cast<double>(seen[i][j] - expected[i][j])));
            }
            if (i < static_cast<std::size_t>(n_batch)) {
                QVERIFY(seen[i] == expected[i]);
            }
        }
        // Another size of batches rounds other keys: their last bits.
        QVERIFY2(most < 0.3, qPrintable(QString::number(most)));
    }

    // Reading from flash opens the file by its name; what was open already can still be read.
    void whatCannotBeLoadedLeavesWhatWasThere() {
        const auto engine = load(0);
        QVERIFY(engine);
        const Spoken expected = answer_again(*engine);
        const std::string away = dir_.file("away.gguf");
        const std::uint64_t low = whole_[0] - whole_[0] / 3;
        std::filesystem::rename(paths_[0], away);
        QVERIFY(engine->set_budget({.ram_bytes = low}));
        const Spoken seen = answer(*engine);
        QVERIFY(!seen.error);
        QCOMPARE(seen.text, expected.text);
        QVERIFY2(seen.notice.starts_with("the budget stays as it was: "), seen.notice.c_str());
        QCOMPARE(engine->memory().ram_budget_bytes, engine->impl().plan.ram_budget_bytes);
        QVERIFY(!engine->memory().budget_waits);
        QVERIFY(!engine->impl().plan.reads_flash());
        QVERIFY(engine->set_budget({.ram_bytes = low}));
        const auto refused = engine->carry_out_budget();
        QVERIFY(!refused);
        QVERIFY(refused.error().message.starts_with("the budget stays as it was: "));
        QCOMPARE(answer(*engine).text, expected.text);
        std::filesystem::rename(away, paths_[0]);
    }

    // Not even what was there before: an error, and the next answer tries again.
    void nothingCanBeLoaded() {
        const std::uint64_t low = whole_[0] - whole_[0] / 3;
        const auto engine = load(0, low);
        QVERIFY(engine);
        const Spoken expected = answer_again(*engine);
        const std::string away = dir_.file("away.gguf");
        std::filesystem::rename(paths_[0], away);
        for (const bool in_an_answer : {true, false}) {
            QVERIFY(engine->set_budget({.ram_bytes = low - low / 4}));
            if (in_an_answer) {
                const Spoken failed = answer(*engine);
                QVERIFY(failed.error);
                QVERIFY2(failed.error->message.find("nor as it was") != std::string::npos,
                         failed.error->message.c_str());
            } else {
                QVERIFY(!engine->carry_out_budget());
            }
            hasNoWeights(*engine);
            QVERIFY(answer(*engine).error);
            std::filesystem::rename(away, paths_[0]);
            const Spoken seen = answer(*engine);
            QVERIFY(!seen.error);
            QCOMPARE(seen.text, expected.text);
            std::filesystem::rename(paths_[0], away);
            QVERIFY(engine->set_budget({.ram_bytes = low}));
        }
        std::filesystem::rename(away, paths_[0]);
    }

    // Who stops an answer does not wait for weights; the next answer loads them.
    void loadingIsCancelled() {
        const auto engine = load(0);
        QVERIFY(engine);
        const Spoken expected = answer_again(*engine);
        hearth::Cancellation stop;
        const Spoken seen = answer(
            *engine,
            [&](std::string_view) {
                QVERIFY(engine->set_budget({.ram_bytes = whole_[0] - whole_[0] / 3}));
                stop.request();
            },
            stop);
        QVERIFY(seen.cancelled);
        const auto given_up = engine->carry_out_budget({}, &stop);
        QVERIFY(!given_up && given_up.error().code == ErrorCode::Cancelled);
        QVERIFY(engine->impl().executor != nullptr);  // nothing had begun
        QVERIFY(engine->memory().budget_waits);
        stop.reset();
        const auto stopped = engine->carry_out_budget([&](double) { stop.request(); }, &stop);
        QVERIFY(!stopped);
        QCOMPARE(stopped.error().code, ErrorCode::Cancelled);
        hasNoWeights(*engine);
        QVERIFY(engine->set_budget({.ram_bytes = whole_[0] - whole_[0] / 4}));
        QCOMPARE(answer(*engine).text, expected.text);
        QCOMPARE(engine->memory().ram_budget_bytes, whole_[0] - whole_[0] / 4);
        QVERIFY(engine->impl().plan.reads_flash());
    }

    // The budget stays the wanted one: the next answer loads for it, though nothing was set again.
    void aBudgetOutlivesItsCancelledLoad() {
        const auto engine = load(0);
        QVERIFY(engine);
        const std::uint64_t low = whole_[0] - whole_[0] / 3;
        QVERIFY(engine->set_budget({.ram_bytes = low}));
        hearth::Cancellation stop;
        const auto stopped = engine->carry_out_budget([&](double) { stop.request(); }, &stop);
        QVERIFY(!stopped);
        QCOMPARE(stopped.error().code, ErrorCode::Cancelled);
        QCOMPARE(engine->memory().ram_budget_bytes, low);
        const Spoken seen = answer(*engine);
        QVERIFY(!seen.error);
        QCOMPARE(seen.notice, std::string());
        QCOMPARE(engine->memory().ram_budget_bytes, low);
        QVERIFY(engine->impl().plan.reads_flash());
    }

    void anotherThreadMovesThem_data() { answersKeepTheirBits_data(); }

    // 200 changes at random, some of which cannot be met.
    void anotherThreadMovesThem() {
        QFETCH(const std::size_t, model);
        const auto engine = load(model);
        QVERIFY(engine);
        const std::uint64_t whole = whole_[model];
        std::atomic<int> changes = 0;
        std::atomic<int> refused = 0;
        std::atomic<int> wrong = 0;
        std::thread other([&] {
            std::mt19937_64 random(11);
            while (changes < 200) {
                const std::uint64_t budget = whole / 20 + random() % (whole + whole / 4);
                const auto done = engine->set_budget({.ram_bytes = budget});
                refused += done ? 0 : 1;
                wrong += done || done.error().code == ErrorCode::OverBudget ? 0 : 1;
                ++changes;
                std::this_thread::sleep_for(std::chrono::microseconds(random() % 4000));
            }
        });
        int answers = 0;
        bool same = true;
        while (same && (changes < 200 || answers == 0)) {
            same = logits_of(*engine) == expected_[model];
            ++answers;
        }
        other.join();
        QVERIFY2(same, qPrintable(QString::number(answers)));
        QCOMPARE(wrong, 0);
        QVERIFY(refused > 0 && refused < 200);
        QVERIFY(engine->carry_out_budget());
        const hearth::MemoryReport memory = engine->memory();
        QVERIFY(memory.used_bytes() <= memory.ram_budget_bytes);
        QVERIFY(logits_of(*engine) == expected_[model]);
    }

private:
    static void hasNoWeights(Engine& engine) {
        QVERIFY(engine.impl().executor == nullptr);
        QCOMPARE(engine.memory().ledger_bytes(), 0U);
        QCOMPARE(engine.flash().read_bytes, 0U);
        QVERIFY(!engine.decode_statistics());
        QVERIFY(engine.save_profile());
        engine.set_tracing(true);
        QVERIFY(engine.trace().empty());
    }
    hearth::EngineOptions options_for(std::size_t model) const {
        hearth::EngineOptions options;
        options.model_path = paths_[model];
        options.gpu = "none";
        options.threads = 2;
        options.n_ctx = kCtx;
        options.mode = models()[model].mode;
        options.predictor_input = options.mode == "predicted" ? "normed" : "";
        options.heeds_memory_pressure = false;  // of this machine, while the test runs
        return options;
    }
    std::unique_ptr<Engine> load(std::size_t model,
                                 std::optional<std::uint64_t> ram_bytes = std::nullopt) const {
        hearth::EngineOptions options = options_for(model);
        options.ram_bytes = ram_bytes;
        auto engine = Engine::load(options);
        if (!engine) {
            qWarning("%s", engine.error().message.c_str());
            return nullptr;
        }
        return std::move(*engine);
    }

    hearth::test::TempDir dir_;
    std::vector<std::string> paths_;            // [models]
    std::vector<std::uint64_t> whole_;          // [models] bytes of RAM with all weights in it
    std::vector<std::vector<float>> expected_;  // [models]
};

QTEST_GUILESS_MAIN(BudgetTest)
#include "budget_test.moc"
