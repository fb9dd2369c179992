// Models whose layers see a window: their pasts have room for some of a context and move up when it
// is full. Answers are those of a past that holds all.
#include <QtTest>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "session/loaded_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::GenerationOptions;
using hearth::TokenId;
using hearth::test::TinyModel;

namespace {

constexpr int kCtx = 2400;
constexpr int kWindow = 9;  // of the tiny models
constexpr int kKept = hearth::kept_of_window(kWindow);
constexpr int kRoom = hearth::room_of_kept(kKept);
constexpr int kHoldsAll = kRoom + kKept;  // the longest context whose past does not move
static_assert(kHoldsAll < kCtx / 4 * 3);
constexpr TokenId kEndOfTurn = 2;

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

class MovingPastTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<QString>("kv");
        for (const char* arch : {"gemma2", "gemma4", "cohere2"}) {
            for (const char* kv : {"f16", "q8_0"}) {
                QTest::addRow("%s %s", arch, kv) << arch << kv;
            }
        }
    }
    void init() {
        QFETCH_GLOBAL(QString, arch);
        QFETCH_GLOBAL(QString, kv);
        kv_ = kv.toStdString();
        const std::string of = arch.toStdString();
        QVERIFY(
            TinyModel({.arch = of, .n_layer = of == "gemma4" ? 6 : 4, .n_ctx = kCtx}).write(path_));
        engine_ = load(kCtx);
        fresh_ = load(kCtx);
        QVERIFY(engine_ && fresh_);
        QVERIFY(engine_->impl().session->past().forgets());
    }

    void what_is_planned_is_held() {
        const hearth::LoadedModel& model = engine_->impl();
        QCOMPARE(model.session->past().cpu.bytes(), model.plan.ram.kv);
        // One of two layers, or of four, holds all.
        const auto all = load(kHoldsAll);
        QVERIFY(all);
        QVERIFY(!all->impl().session->past().forgets());
        QVERIFY(model.plan.ram.kv < all->impl().plan.ram.kv * kCtx / kHoldsAll * 9 / 10);
    }

    // Sums are added up in the same order, wherever the positions lie.
    void logits_are_those_of_a_past_that_holds_all_data() {
        QTest::addColumn<int>("batch");
        for (const int batch : {1, 7, 130, 512}) {
            QTest::addRow("%d", batch) << batch;
        }
    }
    void logits_are_those_of_a_past_that_holds_all() {
        QFETCH(int, batch);
        const auto all = load(kHoldsAll);
        QVERIFY(all);
        const std::vector<TokenId> tokens = words(kHoldsAll, 5);
        for (std::size_t first = 0; first < tokens.size();) {
            const std::size_t n = std::min(static_cast<std::size_t>(batch), tokens.size() - first);
            const auto some = std::span(tokens).subspan(first, n);
            QVERIFY(engine_->impl().session->append(some, never_));
            QVERIFY(all->impl().session->append(some, never_));
            first += n;
            if (batch == 1 && first % 50 != 0 && first < kRoom) {
                continue;
            }
            const auto got = engine_->impl().session->last_logits(never_);
            const auto wanted = all->impl().session->last_logits(never_);
            QVERIFY(got && wanted);
            QVERIFY2(std::equal(got->begin(), got->end(), wanted->begin()),
                     qPrintable(QString::number(first)));
        }
        QVERIFY(engine_->impl().session->past().cpu.first_position(0) > 0);
        QCOMPARE(all->impl().session->past().cpu.first_position(0), 0);
    }

    // Answering again costs what follows the last message, after a short answer and a long one.
    void an_answer_is_given_again_data() {
        QTest::addColumn<int>("prompt");
        QTest::addColumn<int>("answer");
        QTest::addRow("all is held") << 300 << 40;
        QTest::addRow("the room is full") << 1500 << 40;
        QTest::addRow("a long answer") << 300 << kRoom + 100;
        QTest::addRow("and a long prompt") << 900 << kRoom + 100;
    }
    void an_answer_is_given_again() {
        QFETCH(int, prompt);
        QFETCH(int, answer);
        const auto asked = chat(prompt);
        const auto first = ask(*engine_, asked, answer);
        QVERIFY(first);
        for (int i = 0; i < 2; ++i) {
            const auto again = ask(*engine_, asked, 40);
            QVERIFY(again);
            QVERIFY(again->cached_tokens >= static_cast<int>(asked.size()) - kOpening);
            QCOMPARE(again->token_ids, ask(*fresh_, asked, 40)->token_ids);
        }
    }

    // A message that was sent is changed: near the end, far from it, at the beginning. And back.
    void a_message_is_changed_data() {
        QTest::addColumn<int>("kept");
        for (const int kept : {0, 1, 40, 900, 1300, 1500}) {
            QTest::addRow("%d", kept) << kept;
        }
    }
    void a_message_is_changed() {
        QFETCH(int, kept);
        const auto asked = chat(1600);
        QVERIFY(ask(*engine_, asked, 10));
        auto other = asked;
        other.resize(static_cast<std::size_t>(kept));
        other = joined({other, {3}, words(100, 8), {kEndOfTurn}, opening()});
        const auto got = ask(*engine_, other, 24);
        const auto wanted = ask(*fresh_, other, 24);
        QVERIFY(got && wanted);
        QVERIFY(got->cached_tokens <= kept);
        QCOMPARE(got->token_ids, wanted->token_ids);
        QCOMPARE(ask(*engine_, asked, 24)->token_ids, ask(*fresh_, asked, 24)->token_ids);
    }

    void a_text_is_cut_back() {
        hearth::Session& session = *engine_->impl().session;
        const std::vector<TokenId> tokens = words(1400, 2);
        QVERIFY(fresh_->impl().session->append(tokens, never_));
        QVERIFY(session.append(words(1400, 4), never_));
        session.truncate(0);
        QVERIFY(session.append(std::span(tokens).first(1200), never_));
        QVERIFY(session.append(std::span(tokens).subspan(1200), never_));
        session.truncate(1190);
        QVERIFY(session.append(std::span(tokens).subspan(1190), never_));
        session.truncate(20);
        QVERIFY(session.append(std::span(tokens).subspan(20), never_));
        const auto got = session.last_logits(never_);
        const auto wanted = fresh_->impl().session->last_logits(never_);
        QVERIFY(got && wanted);
        double worst = 0;
        for (std::size_t i = 0; i < got->size(); ++i) {
            worst = std::max(worst, std::abs(static_cast<double>((*got)[i]) - (*wanted)[i]));
        }
        QVERIFY2(worst < 0.05, qPrintable(QString::number(worst)));  // passes were cut otherwise
    }

private:
    // The tokens that open an answer behind the last message.
    static constexpr int kOpening = 4;
    static std::vector<TokenId> opening() { return {20, 21, 22, 23}; }
    static std::vector<TokenId> chat(int count) {
        return joined({words(count, 11), {kEndOfTurn}, opening()});
    }
    std::optional<hearth::GenerationResult> ask(hearth::Engine& engine,
                                                const std::vector<TokenId>& prompt, int n) {
        GenerationOptions options;
        options.sampling.temperature = 0;
        options.max_tokens = n;
        auto result = engine.impl().session->generate(prompt, options, {}, never_);
        return result ? std::optional(std::move(*result)) : std::nullopt;
    }
    std::unique_ptr<hearth::Engine> load(int n_ctx) const {
        hearth::EngineOptions options;
        options.model_path = path_;
        options.threads = 2;
        options.gpu = "none";
        options.n_ctx = n_ctx;
        options.kv = kv_;
        auto engine = hearth::Engine::load(options);
        return engine ? std::move(*engine) : nullptr;
    }

    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
    std::string kv_;
    std::unique_ptr<hearth::Engine> engine_;
    std::unique_ptr<hearth::Engine> fresh_;
    const hearth::Cancellation never_{};
};

QTEST_GUILESS_MAIN(MovingPastTest)
#include "moving_past_test.moc"
