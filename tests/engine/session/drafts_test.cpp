// Tokens that are drafted from the conversation's own text: which, how many, and that an answer is
// the same token by token.
#include <QtTest>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "session/draft_length.h"
#include "session/loaded_model.h"
#include "session/prompt_lookup.h"
#include "session/speculation.h"
#include "support/small_engine.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::DraftLength;
using hearth::GenerationOptions;
using hearth::GenerationResult;
using hearth::look_up_draft;
using hearth::Speculation;
using hearth::TextDraft;
using hearth::TokenId;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;
using hearth::test::words;

namespace {

using Tokens = std::vector<TokenId>;

Tokens copy(std::span<const TokenId> tokens) {
    return {tokens.begin(), tokens.end()};
}

// Passes of a token and n drafts take 10 ms and so much more a draft.
void show_costs(DraftLength& length, double a_draft) {
    for (std::size_t n = 0; n <= DraftLength::kMost; ++n) {
        length.passed(n, 10 + a_draft * static_cast<double>(n));
    }
}

DraftLength length_with(double a_draft) {
    DraftLength length;
    show_costs(length, a_draft);
    return length;
}

}  // namespace

class DraftsTest : public QObject {
    Q_OBJECT

private:
    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("model.gguf");
    std::unique_ptr<hearth::Engine> engine_;

    hearth::Session& session() { return *engine_->impl().session; }
    hearth::Result<GenerationResult> answer(const Tokens& prompt, GenerationOptions options,
                                            bool drafts,
                                            const hearth::Cancellation& cancellation = {}) {
        options.drafts = drafts;
        return session().generate(prompt, options, {}, cancellation);
    }
    bool load(const TinyModelOptions& options) {
        if (!TinyModel(options).write(path_)) {
            return false;
        }
        engine_ = hearth::test::load_or_say(hearth::test::small_engine(path_));
        return engine_ != nullptr;
    }

private slots:
    void looks_up_what_followed_before_data() {
        QTest::addColumn<Tokens>("text");
        QTest::addColumn<int>("most");
        QTest::addColumn<Tokens>("draft");
        QTest::addColumn<int>("matched");
        QTest::newRow("nothing") << Tokens{} << 4 << Tokens{} << 0;
        QTest::newRow("one token twice is too little") << Tokens{7, 1, 7} << 4 << Tokens{} << 0;
        QTest::newRow("two") << Tokens{7, 8, 9, 5, 7, 8} << 4 << Tokens{9, 5, 7, 8} << 2;
        QTest::newRow("at most") << Tokens{7, 8, 9, 5, 7, 8} << 2 << Tokens{9, 5} << 2;
        QTest::newRow("none asked for") << Tokens{7, 8, 9, 5, 7, 8} << 0 << Tokens{} << 0;
        QTest::newRow("the longer match, though earlier")
            << Tokens{6, 7, 8, 1, 2, 7, 8, 3, 4, 6, 7, 8} << 2 << Tokens{1, 2} << 3;
        QTest::newRow("of equal ones the latest")
            << Tokens{3, 7, 8, 1, 7, 8, 2, 7, 8} << 1 << Tokens{2} << 2;
        QTest::newRow("it overlaps itself") << Tokens{5, 5, 5, 5} << 3 << Tokens{5} << 3;
        QTest::newRow("at the very beginning") << Tokens{1, 2, 3, 1, 2} << 1 << Tokens{3} << 2;
        QTest::newRow("no further than eight")
            << Tokens{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9} << 1
            << Tokens{10} << 8;
    }
    void looks_up_what_followed_before() {
        QFETCH(Tokens, text);
        QFETCH(int, most);
        QFETCH(Tokens, draft);
        QFETCH(int, matched);
        const TextDraft found = look_up_draft(text, static_cast<std::size_t>(most));
        QCOMPARE(copy(found.tokens), draft);
        QCOMPARE(static_cast<int>(found.matched), matched);
    }

    // Given speeds decide, never this machine's.
    void drafts_as_many_as_pay() {
        DraftLength cheap = length_with(0.1);
        QCOMPARE(cheap.choose(4, 7), std::size_t{7});
        QCOMPARE(cheap.choose(4, 2), std::size_t{2});
        QCOMPARE(cheap.choose(4, 100), DraftLength::kMost);
        QCOMPARE(cheap.choose(4, 0), std::size_t{0});
        DraftLength dear = length_with(10);  // a draft costs as much as a token
        QCOMPARE(dear.choose(4, 7), std::size_t{0});
        DraftLength between =
            length_with(3);  // right three times in four: two tokens for 1.4 passes
        const std::size_t some = between.choose(4, 7);
        QVERIFY(some > 0 && some < 7);
    }
    void drafts_less_after_mistakes() {
        DraftLength length = length_with(1);
        for (int i = 0; i < 40; ++i) {
            length.judged(2, 3, 3);
        }
        QVERIFY(length.choose(2, 7) > 2);
        for (int i = 0; i < 40; ++i) {
            length.judged(2, 3, 0);
        }
        QCOMPARE(length.choose(2, 7), std::size_t{0});
        QVERIFY(length.choose(8, 7) > 2);  // long matches were not judged
        for (int i = 0; i < 40; ++i) {
            length.judged(2, 3, 3);
        }
        QCOMPARE(length.choose(2, 7), std::size_t{7});
    }
    void tries_again_now_and_then() {
        DraftLength length = length_with(20);
        int tried = 0;
        for (int i = 0; i < 640; ++i) {
            tried += length.choose(3, 7) > 0 ? 1 : 0;
        }
        QCOMPARE(tried, 10);
    }
    void follows_the_latest_costs() {
        DraftLength length = length_with(20);
        QCOMPARE(length.choose(5, 7), std::size_t{0});
        for (int i = 0; i < 60; ++i) {
            show_costs(length, 0.1);
        }
        QCOMPARE(length.choose(5, 7), std::size_t{7});
    }

    // The second of two drafts is wrong; then a whole one is right.
    void a_wrong_draft_voids_the_rest() {
        Speculation speculation;
        const Tokens text{1, 2, 30, 31, 32, 33, 34, 35, 3, 4, 5, 6, 1, 2, 30, 31, 32, 33, 34, 35};
        QCOMPARE(copy(speculation.draft(text, 3)), (Tokens{3, 4, 5}));
        speculation.passed({{0.0F}, {1.0F}, {2.0F}, {3.0F}});
        QCOMPARE(speculation.logits()[0], 0.0F);
        QVERIFY(speculation.accept(3));
        QCOMPARE(speculation.logits()[0], 1.0F);
        QVERIFY(!speculation.accept(9));
        QVERIFY(speculation.logits().empty());
        QCOMPARE(copy(speculation.draft(text, 1)), (Tokens{3}));
        speculation.passed({{5.0F}, {6.0F}});
        QVERIFY(speculation.accept(3));
        QCOMPARE(speculation.logits()[0], 6.0F);
        QVERIFY(!speculation.accept(4));  // it was not drafted
        QCOMPARE(speculation.n_drafted(), 4);
        QCOMPARE(speculation.n_right(), 2);
        speculation.begin();
        QCOMPARE(speculation.n_drafted(), 0);
    }

    // A pass costs what it takes with all that is drawn from it; of an answer's first nothing is
    // known.
    void time_counts_for_the_latest_pass() {
        Speculation speculation;
        const Tokens text{1, 2, 30, 31, 32, 33, 34, 35, 3, 4, 5, 6, 1, 2, 30, 31, 32, 33, 34, 35};
        const std::vector<std::vector<float>> rows(8, {0.0F});
        speculation.begin();
        speculation.spent(1e9);  // there was no pass
        const auto pass = [&](double ms) {
            const std::size_t n = speculation.draft(text, 3).size();
            auto some = rows;
            some.resize(n == 0 ? 0 : n + 1);
            speculation.passed(std::move(some));
            speculation.spent(ms);
            return n;
        };
        speculation.draft({}, 0);
        speculation.passed({});
        speculation.spent(10);
        QCOMPARE(pass(1000), std::size_t{3});
        QCOMPARE(pass(10), std::size_t{0});  // a draft of three took a hundred times as long
    }

    // One slow length says what its neighbours cost, too, so that not each is tried in turn.
    void a_length_that_was_seen_counts_for_longer_ones() {
        DraftLength length;
        length.passed(0, 10);
        QCOMPARE(length.choose(8, 7), std::size_t{7});
        length.passed(3, 40);
        QCOMPARE(length.choose(8, 7), std::size_t{0});
        DraftLength cheap;
        cheap.passed(0, 10);
        cheap.passed(3, 11);
        QCOMPARE(cheap.choose(8, 7), std::size_t{7});
    }

    void answers_are_the_same_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<bool>("drafts");  // whether this family's tokens can be passed together
        QTest::newRow("dense") << "llama" << true;
        QTest::newRow("a mixture") << "qwen3moe" << true;
        QTest::newRow("latent attention") << "deepseek2" << true;
        QTest::newRow("a past that moves") << "gpt-oss" << true;
        QTest::newRow("gated convolutions") << "lfm2" << true;
        QTest::newRow("states") << "granitehybrid" << true;
        QTest::newRow("a table of n-grams") << "qwen4exp" << false;
        QTest::newRow("sparse") << "bamboo" << false;
    }
    void answers_are_the_same() {
        QFETCH(QString, arch);
        QFETCH(bool, drafts);
        TinyModelOptions options{.arch = arch.toStdString(), .n_ctx = 400};
        QVERIFY(load(options));
        QCOMPARE(session().can_draft(), drafts);
        Tokens prompt = words(30);
        const Tokens again = prompt;
        prompt.insert(prompt.end(), again.begin(), again.end());
        int right = 0;
        for (const bool sampled : {false, true}) {
            for (const bool penalties : {false, true}) {
                GenerationOptions asked;
                asked.max_tokens = 120;
                asked.sampling.temperature = sampled ? 0.7F : 0.0F;
                asked.sampling.seed = 11;
                asked.sampling.repeat_penalty = penalties ? 1.1F : 1.0F;
                const auto plain = answer(prompt, asked, false);
                const Tokens left = copy(session().cached_tokens());
                const auto drafted = answer(prompt, asked, true);
                QVERIFY(plain && drafted);
                QCOMPARE(drafted->token_ids, plain->token_ids);
                QCOMPARE(drafted->text, plain->text);
                QCOMPARE(drafted->finish, plain->finish);
                QCOMPARE(plain->drafted_tokens, 0);
                QVERIFY(drafted->right_drafts <= drafted->drafted_tokens);
                QVERIFY(drafts || drafted->drafted_tokens == 0);
                right += drafted->right_drafts;
                // Whoever goes on finds what an answer without drafts would have left.
                QCOMPARE(copy(session().cached_tokens()), left);
            }
        }
        QVERIFY2(right > 0 || !drafts, "no draft was right");
    }

    // An answer ends where it is told to, also in the middle of what was passed together.
    void ends_where_it_should() {
        QVERIFY(load({.arch = "llama", .n_ctx = 160}));
        Tokens prompt = words(20);
        GenerationOptions asked;
        asked.sampling.temperature = 0;
        for (const int most : {1, 2, 3, 5, 8, 13, 21, -1}) {  // the last one fills the context
            asked.max_tokens = most;
            const auto plain = answer(prompt, asked, false);
            const auto drafted = answer(prompt, asked, true);
            QVERIFY(plain && drafted);
            QCOMPARE(drafted->token_ids, plain->token_ids);
            QCOMPARE(drafted->finish, plain->finish);
        }
    }

    // An answer that was stopped leaves a session that answers as before.
    void a_stop_leaves_nothing_behind() {
        QVERIFY(load({.arch = "llama", .n_ctx = 400}));
        const Tokens prompt = words(40);
        GenerationOptions asked;
        asked.sampling.temperature = 0;
        asked.max_tokens = 60;
        const auto wanted = answer(prompt, asked, false);
        QVERIFY(wanted);
        for (const int at : {1, 7, 20, 33}) {
            hearth::Cancellation cancel;
            asked.drafts = true;
            int pieces = 0;
            const auto stopped = session().generate(
                prompt, asked,
                [&](std::string_view) {
                    if (++pieces == at) {
                        cancel.request();
                    }
                },
                cancel);
            QVERIFY(stopped);
            QVERIFY(std::equal(stopped->token_ids.begin(), stopped->token_ids.end(),
                               wanted->token_ids.begin()));
            const auto whole = answer(prompt, asked, true);
            QVERIFY(whole);
            QCOMPARE(whole->token_ids, wanted->token_ids);
        }
    }
};

QTEST_GUILESS_MAIN(DraftsTest)
#include "drafts_test.moc"
