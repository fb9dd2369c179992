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

    // Guesses cost time to make.
    void guesses_as_many_as_pay() {
        DraftLength cheap = length_with(0.1);
        cheap.guessed(2, 0.2);
        for (int i = 0; i < 40; ++i) {
            cheap.judged_guesses(7, 7);
        }
        QCOMPARE(cheap.choose_guesses(7, 0, 0), std::size_t{7});
        QCOMPARE(cheap.choose_guesses(2, 0, 0), std::size_t{2});
        QCOMPARE(cheap.choose_guesses(0, 0, 0), std::size_t{0});
        DraftLength dear = length_with(0.1);
        dear.guessed(2, 20);  // one takes as long as a token
        QCOMPARE(dear.choose_guesses(7, 0, 0), std::size_t{0});
        DraftLength between = length_with(1);
        between.guessed(1, 2);
        const std::size_t some = between.choose_guesses(7, 0, 0);
        QVERIFY(some > 0 && some < 7);
    }
    // Each place of a chain has a chance of its own: here the second is always wrong.
    void guesses_as_far_as_they_were_right() {
        DraftLength length = length_with(0.5);
        length.guessed(1, 0.5);
        for (int i = 0; i < 60; ++i) {
            length.judged_guesses(3, 1);
        }
        QCOMPARE(length.choose_guesses(7, 0, 0), std::size_t{1});
        for (int i = 0; i < 60; ++i) {
            length.judged_guesses(1, 1);  // says nothing of the second
        }
        QCOMPARE(length.choose_guesses(7, 0, 0), std::size_t{1});
        for (int i = 0; i < 60; ++i) {
            length.judged_guesses(1, 0);
        }
        QCOMPARE(length.choose_guesses(7, 0, 0), std::size_t{0});
        // One is tried where none pays, after 8 times that none was, 16, 32, and then always 64.
        // One more than pays is tried now and then.
        int tried = 0;
        for (int i = 0; i < 640; ++i) {
            tried += length.choose_guesses(7, 0, 0) > 0 ? 1 : 0;
        }
        QCOMPARE(tried, 12);
        for (int i = 0; i < 60; ++i) {
            length.judged_guesses(1, 1);
        }
        int longer = 0;
        for (int i = 0; i < 640; ++i) {
            longer += length.choose_guesses(7, 0, 0) == 2 ? 1 : 0;
        }
        QCOMPARE(longer, 10);
    }
    // Nobody knows about the guesses behind a first one that was wrong.
    void a_wrong_guess_says_nothing_of_those_behind_it() {
        DraftLength length = length_with(0.1);
        length.guessed(2, 0.2);
        for (int i = 0; i < 60; ++i) {
            length.judged_guesses(3, 3);
        }
        for (int i = 0; i < 60; ++i) {
            length.judged_guesses(3, 0);
        }
        QCOMPARE(length.choose_guesses(3, 0, 0), std::size_t{0});
        for (int i = 0; i < 60; ++i) {
            length.judged_guesses(1, 1);
        }
        QCOMPARE(length.choose_guesses(3, 0, 0), std::size_t{3});
    }
    // The source that promises more tokens for the time is taken.
    void the_better_source_counts() {
        DraftLength length = length_with(0.5);
        length.guessed(1, 1);
        const std::size_t of_text = length.choose(8, 7);
        QVERIFY(of_text > 0);
        QCOMPARE(length.choose_guesses(7, 8, of_text), std::size_t{0});  // a long match is free
        const std::size_t of_short = length.choose(2, 7);
        QVERIFY(length.choose_guesses(7, 2, of_short) > 0);  // a short one is seldom right
        for (int i = 0; i < 60; ++i) {
            length.judged(8, 3, 0);
        }
        QCOMPARE(length.choose(8, 7), std::size_t{0});
        QVERIFY(length.choose_guesses(7, 8, 0) > 0);
    }
    // A text's draft that is tried, though it does not pay, is not put aside.
    void a_trial_of_the_text_goes_first() {
        DraftLength length = length_with(0.5);
        length.guessed(1, 0.1);
        for (int i = 0; i < 60; ++i) {
            length.judged(2, 3, 0);
        }
        int tried = 0;
        for (int i = 0; i < 640; ++i) {
            const std::size_t n = length.choose(2, 7);
            const std::size_t guesses = length.choose_guesses(7, 2, n);
            QVERIFY((n > 0) != (guesses > 0));
            tried += n > 0 ? 1 : 0;
        }
        QCOMPARE(tried, 10);
    }

    // Guesses take the place of a draft that the text has not. They count apart, and their making
    // is no part of a pass.
    void guesses_are_counted_apart() {
        Speculation speculation;
        const Tokens text{1, 2, 3, 4};
        const Tokens guessed{5, 6, 7};
        std::size_t asked = 0;
        const Speculation::Guess guess = [&](std::size_t n) -> Speculation::Guesses {
            asked = n;
            return {std::span(guessed).first(std::min<std::size_t>(n, 3)), 30};
        };
        speculation.begin();
        // Until a token went alone, nothing says what a guess saves.
        QVERIFY(speculation.draft(text, 2, guess).empty());
        QCOMPARE(asked, std::size_t{0});
        speculation.passed({});
        speculation.spent(10);
        QCOMPARE(copy(speculation.draft(text, 2, guess)), (Tokens{5, 6}));
        QCOMPARE(asked, std::size_t{2});
        speculation.passed({{0.0F}, {1.0F}, {2.0F}});
        QVERIFY(speculation.accept(5));
        QVERIFY(!speculation.accept(9));
        QCOMPARE(speculation.n_drafted(), 2);
        QCOMPARE(speculation.n_guessed(), 2);
        QCOMPARE(speculation.n_right(), 1);
        QCOMPARE(speculation.n_right_guesses(), 1);
        const Tokens again{1, 2, 30, 31, 32, 33, 34, 35, 3, 4, 5, 6, 1, 2, 30, 31, 32, 33, 34, 35};
        asked = 0;
        QCOMPARE(copy(speculation.draft(again, 2, guess)), (Tokens{3, 4}));
        QCOMPARE(asked, std::size_t{0});
        speculation.passed({{0.0F}, {1.0F}, {2.0F}});
        QVERIFY(speculation.accept(3));
        QVERIFY(!speculation.accept(9));
        QCOMPARE(speculation.n_drafted(), 4);
        QCOMPARE(speculation.n_guessed(), 2);
        QCOMPARE(speculation.n_right_guesses(), 1);
        QCOMPARE(speculation.n_right(), 2);
        // No guess came: the token goes alone.
        QVERIFY(
            speculation.draft(text, 2, [](std::size_t) { return Speculation::Guesses{}; }).empty());
        speculation.passed({});
        speculation.begin();
        QCOMPARE(speculation.n_guessed(), 0);
        QCOMPARE(speculation.n_right_guesses(), 0);
    }
    // The first times count alike: one that something held up is outweighed soon.
    void one_slow_pass_is_outweighed() {
        DraftLength length;
        length.passed(0, 10);
        length.guessed(1, 1);
        length.passed(1, 60);
        QCOMPARE(length.choose_guesses(1, 0, 0), std::size_t{0});
        for (int i = 0; i < 6; ++i) {
            length.passed(1, 10.5);
        }
        QCOMPARE(length.choose_guesses(1, 0, 0), std::size_t{0});  // (60 + 6 * 10.5) / 7
        for (int i = 0; i < 6; ++i) {
            length.passed(1, 10.5);
        }
        QCOMPARE(length.choose_guesses(1, 0, 0), std::size_t{1});
    }
    // 60 of a pass's 70 ms went into guesses: two tokens for 10 ms, and as many more for the guess.
    void the_time_of_guesses_is_no_pass() {
        Speculation speculation;
        const Tokens text{1, 2, 3, 4};
        const Tokens guessed{5, 6, 7, 8, 9, 10, 11};
        const auto pass = [&](double guess_ms, double ms) {
            std::size_t n = 0;
            speculation.draft(text, 7, [&](std::size_t most) -> Speculation::Guesses {
                n = most;
                return {std::span(guessed).first(most), guess_ms};
            });
            speculation.passed(std::vector<std::vector<float>>(n == 0 ? 0 : n + 1, {0.0F}));
            speculation.spent(ms);
            return n;
        };
        speculation.begin();
        speculation.draft({}, 0);
        speculation.passed({});
        speculation.spent(10);
        const std::size_t first = pass(60, 70);
        QVERIFY(first > 0);
        QCOMPARE(pass(60, 70), std::size_t{0});  // a guess is as dear as a token or dearer
        const Tokens again{1, 2, 30, 31, 32, 33, 34, 35, 3, 4, 5, 6, 1, 2, 30, 31, 32, 33, 34, 35};
        QCOMPARE(speculation.draft(again, 7).size(), std::size_t{7});  // drafted passes are cheap
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
