// Models with recurrent layers: their logits are those of plain arithmetic however a text is cut
// into passes, and a conversation that goes back answers as a fresh engine does.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "memory/snapshots.h"
#include "session/loaded_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::FinishReason;
using hearth::GenerationOptions;
using hearth::TokenId;
using hearth::test::TinyModel;

namespace {

constexpr int kCtx = 2400;
// Keys and values of earlier passes are read as halves; logits are about 1 each.
constexpr double kBound = 5e-3;
constexpr TokenId kEndOfTurn = 2;

GenerationOptions greedy(int max_tokens) {
    GenerationOptions options;
    options.sampling.temperature = 0;
    options.max_tokens = max_tokens;
    return options;
}

std::vector<TokenId> words(int count, int seed) {
    std::vector<TokenId> tokens;
    for (int i = 0; i < count; ++i) {
        tokens.push_back(3 + (i * i * 7 + i * 3 + seed) % 256);
    }
    return tokens;
}

std::vector<TokenId> joined(std::initializer_list<std::vector<TokenId>> parts) {
    std::vector<TokenId> all;
    for (const std::vector<TokenId>& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

}  // namespace

class RecurrentSessionTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase_data() {
        QTest::addColumn<QString>("arch");
        for (const char* arch : {"qwen35", "lfm2", "granitehybrid", "nemotron_h", "qwen4exp"}) {
            QTest::addRow("%s", arch) << arch;
        }
    }
    void init() {
        QFETCH_GLOBAL(QString, arch);
        arch_ = arch.toStdString();
        model_ = TinyModel({.arch = arch_,
                            .n_layer = 4,
                            .n_ctx = kCtx,
                            .n_left_out = arch_ == "qwen35" || arch_ == "qwen4exp" ? 1 : 0});
        QVERIFY(model_.write(path_));
        engine_ = load();
        fresh_ = load();
        QVERIFY(engine_ && fresh_);
    }

    void logits_are_those_of_plain_arithmetic_data() {
        QTest::addColumn<int>("batch");
        for (const int batch : {1, 2, 3, 7, 64, 130}) {
            QTest::addRow("%d", batch) << batch;
        }
    }
    void logits_are_those_of_plain_arithmetic() {
        QFETCH(int, batch);
        const std::vector<TokenId> tokens = words(130, 5);
        const std::vector<double> wanted = model_.logits(tokens);
        hearth::Session& session = *engine_->impl().session;
        session.clear();
        double sum = 0;
        int n_rows = 0;
        for (std::size_t first = 0; first < tokens.size(); ++n_rows) {
            const std::size_t n = std::min(static_cast<std::size_t>(batch), tokens.size() - first);
            QVERIFY(session.append(std::span(tokens).subspan(first, n), never_));
            first += n;
            const auto got = session.last_logits(never_);
            QVERIFY(got);
            const double off = difference(*got, wanted, first - 1);
            QVERIFY2(off < kBound, qPrintable(QString::number(off)));
            sum += divergence(*got, wanted, first - 1);
        }
        QVERIFY2(sum / n_rows < 1e-5, qPrintable(QString::number(sum / n_rows)));
    }

    // Models whose layers are all of one kind, and whose heads are single.
    void layers_may_all_be_alike_data() {
        QTest::addColumn<int>("interval");
        QTest::addColumn<int>("kernel");
        QTest::addRow("attention") << 1 << 4;
        QTest::addRow("recurrent") << 9 << 4;
        QTest::addRow("no convolution") << 2 << 1;
        QTest::addRow("a long convolution") << 2 << 16;
    }
    void layers_may_all_be_alike() {
        QFETCH(int, interval);
        QFETCH(int, kernel);
        if (arch_ != "qwen35" && kernel == 1) {
            return;  // others refuse it
        }
        const TinyModel model({.arch = arch_,
                               .n_layer = 3,
                               .n_ctx = 64,
                               .delta_net = {.interval = interval,
                                             .n_key_heads = 1,
                                             .n_value_heads = 3,
                                             .dim = 64,
                                             .conv_kernel = kernel}});
        QVERIFY(model.write(path_));
        const auto engine = load();
        QVERIFY(engine);
        const std::vector<TokenId> tokens = words(40, 5);
        const std::vector<double> wanted = model.logits(tokens);
        hearth::Session& session = *engine->impl().session;
        for (const auto& [first, n] : {std::pair{0, 17}, {17, 1}, {18, 2}, {20, 20}}) {
            QVERIFY(session.append(std::span(tokens).subspan(static_cast<std::size_t>(first),
                                                             static_cast<std::size_t>(n)),
                                   never_));
            const auto got = session.last_logits(never_);
            QVERIFY(got);
            QVERIFY(difference(*got, wanted, static_cast<std::size_t>(first + n - 1)) < kBound);
        }
    }

    void what_is_planned_is_held() {
        const hearth::LoadedModel& model = engine_->impl();
        // The layer that foretells has a past of its own.
        const bool foretells = model.foretelling != nullptr;
        QCOMPARE(foretells, arch_ == "qwen35");
        QVERIFY(model.session->past().cpu.bytes() + (foretells ? 1 : 0) <= model.plan.ram.kv);
        QVERIFY(foretells || model.session->past().cpu.bytes() == model.plan.ram.kv);
        QCOMPARE(model.ledger->actual().kv, model.plan.ram.kv);
        QVERIFY(model.session->past().cpu.state_bytes() > 0);
        QVERIFY(model.session->past().has_states());
    }

    // Answering again costs what follows the last message.
    void an_answer_is_given_again() {
        const auto prompt = chat(600);
        const auto first = answer(*engine_, prompt, 40);
        QVERIFY(first);
        QCOMPARE(first->cached_tokens, 0);
        const auto again = answer(*engine_, prompt, 40);
        QVERIFY(again);
        QCOMPARE(again->cached_tokens, static_cast<int>(prompt.size()) - kOpening);
        QCOMPARE(again->token_ids, first->token_ids);
        QCOMPARE(answer(*fresh_, prompt, 40)->token_ids, first->token_ids);
    }

    // A long answer takes snapshots of its own, and leaves that of the message before it.
    void a_long_answer_is_given_again() {
        const auto prompt = chat(90);
        const int n = 4 * hearth::Snapshots::kStep;
        const auto first = answer(*engine_, prompt, n);
        QVERIFY(first);
        const auto again = answer(*engine_, prompt, 8);
        QVERIFY(again);
        QCOMPARE(again->cached_tokens, static_cast<int>(prompt.size()) - kOpening);
    }

    // The next message leaves out the reasoning of the answer before.
    void a_conversation_goes_on_without_what_opened_the_answer() {
        const auto prompt = chat(300);
        QVERIFY(answer(*engine_, prompt, 30));
        auto next = prompt;
        next.resize(prompt.size() - 2);
        next = joined({next, words(20, 77), {kEndOfTurn}, words(50, 9), {kEndOfTurn}, opening()});
        const auto got = answer(*engine_, next, 30);
        QVERIFY(got);
        QCOMPARE(got->cached_tokens, static_cast<int>(prompt.size()) - kOpening);
        QCOMPARE(got->token_ids, answer(*fresh_, next, 30)->token_ids);
    }

    // A message that was sent is changed: near the end, far from it, at the beginning.
    void a_message_is_changed_data() {
        QTest::addColumn<int>("kept");
        for (const int kept : {0, 1, 40, 512, 700, 1100, 1500}) {
            QTest::addRow("%d", kept) << kept;
        }
    }
    void a_message_is_changed() {
        QFETCH(int, kept);
        const auto prompt = chat(1600);
        QVERIFY(answer(*engine_, prompt, 10));
        auto other = prompt;
        other.resize(static_cast<std::size_t>(kept));
        other = joined({other, {3}, words(100, 8), {kEndOfTurn}, opening()});
        const auto got = answer(*engine_, other, 24);
        const auto wanted = answer(*fresh_, other, 24);
        QVERIFY(got && wanted);
        QVERIFY(got->cached_tokens <= kept);
        QVERIFY(kept < 512 || got->cached_tokens >= kept - hearth::Snapshots::kStep);
        QCOMPARE(got->token_ids, wanted->token_ids);
        // And back to the branch before.
        QCOMPARE(answer(*engine_, prompt, 24)->token_ids, answer(*fresh_, prompt, 24)->token_ids);
    }

    void a_stopped_answer_goes_on() {
        const auto prompt = chat(100);
        hearth::Cancellation stop;
        int pieces = 0;
        const auto stopped = engine_->impl().session->generate(
            prompt, greedy(40),
            [&](std::string_view) {
                if (++pieces == 5) {
                    stop.request();
                }
            },
            stop);
        QVERIFY(stopped);
        QVERIFY(stopped->finish == FinishReason::Cancelled);
        const auto next = joined(
            {prompt, stopped->token_ids, {kEndOfTurn}, words(30, 3), {kEndOfTurn}, opening()});
        const auto got = answer(*engine_, next, 24);
        QVERIFY(got);
        QVERIFY(got->cached_tokens >= static_cast<int>(prompt.size()) - kOpening);
        QCOMPARE(got->token_ids, answer(*fresh_, next, 24)->token_ids);
        QCOMPARE(answer(*engine_, prompt, 24)->token_ids, answer(*fresh_, prompt, 24)->token_ids);
    }

    // A pass that breaks off leaves states that are nobody's.
    void a_stopped_prompt_leaves_nothing_stale() {
        if (arch_ == "qwen4exp") {
            return;  // nobody observes a mixture
        }
        const auto first = chat(120);
        const auto wanted = answer(*fresh_, first, 16);
        QVERIFY(answer(*engine_, first, 16));
        for (const int blocks : {1, 2, 3, 5}) {
            hearth::Cancellation stop;
            struct Observer final : hearth::FeedForwardObserver {
                void observed(const hearth::FeedForwardRecord&) override {
                    if (--left == 0) {
                        stop->request();
                    }
                }
                int left = 0;
                hearth::Cancellation* stop = nullptr;
            } observer;
            observer.left = blocks;
            observer.stop = &stop;
            engine_->impl().executor->observe(&observer);
            const auto stopped = engine_->impl().session->generate(chat(700), greedy(4), {}, stop);
            engine_->impl().executor->observe(nullptr);
            QVERIFY(stopped && stopped->finish == FinishReason::Cancelled);
            const auto again = answer(*engine_, first, 16);
            QVERIFY(again);
            QCOMPARE(again->token_ids, wanted->token_ids);
        }
    }

    void a_text_is_cut_back() {
        hearth::Session& session = *engine_->impl().session;
        const std::vector<TokenId> tokens = words(90, 2);
        const std::vector<double> wanted = model_.logits(tokens);
        session.clear();
        QVERIFY(session.append(words(90, 4), never_));
        session.truncate(0);
        QVERIFY(session.append(std::span(tokens).first(60), never_));
        QVERIFY(session.append(std::span(tokens).subspan(60), never_));
        session.truncate(70);
        QVERIFY(session.append(std::span(tokens).subspan(70), never_));
        const auto got = session.last_logits(never_);
        QVERIFY(got);
        QVERIFY(difference(*got, wanted, 89) < kBound);
    }

private:
    // The tokens that open an answer behind the last message.
    static constexpr int kOpening = 4;
    static std::vector<TokenId> opening() { return {20, 21, 22, 23}; }
    static std::vector<TokenId> chat(int count) {
        return joined({words(count, 11), {kEndOfTurn}, opening()});
    }
    std::optional<hearth::GenerationResult> answer(hearth::Engine& engine,
                                                   const std::vector<TokenId>& prompt, int n) {
        auto result = engine.impl().session->generate(prompt, greedy(n), {}, never_);
        return result ? std::optional(std::move(*result)) : std::nullopt;
    }
    static double difference(std::span<const float> got, const std::vector<double>& wanted,
                             std::size_t position) {
        double worst = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            const double off =
                std::fabs(static_cast<double>(got[i]) - wanted[position * got.size() + i]);
            worst = std::max(worst, std::isfinite(off) ? off : 1e9);
        }
        return worst;
    }
    // The divergence of `got` from what is wanted, in nats.
    static double divergence(std::span<const float> got, const std::vector<double>& wanted,
                             std::size_t position) {
        double total_got = 0;
        double total_wanted = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            total_got += std::exp(static_cast<double>(got[i]));
            total_wanted += std::exp(wanted[position * got.size() + i]);
        }
        double sum = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            const double logit = wanted[position * got.size() + i];
            sum += std::exp(logit) / total_wanted *
                   (logit - std::log(total_wanted) - static_cast<double>(got[i]) +
                    std::log(total_got));
        }
        return sum;
    }
    std::unique_ptr<hearth::Engine> load() const {
        hearth::EngineOptions options;
        options.model_path = path_;
        options.threads = 2;
        options.gpu = "none";
        auto engine = hearth::Engine::load(options);
        return engine ? std::move(*engine) : nullptr;
    }

    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
    std::string arch_;
    TinyModel model_;
    std::unique_ptr<hearth::Engine> engine_;
    std::unique_ptr<hearth::Engine> fresh_;
    const hearth::Cancellation never_{};
};

QTEST_GUILESS_MAIN(RecurrentSessionTest)
#include "recurrent_session_test.moc"
