// Conversations that take turns before one model: what each has left is copied and comes back.
#include <QtTest>
#include <memory>
#include <vector>

#include "session/loaded_model.h"
#include "support/small_engine.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::GenerationOptions;
using hearth::GenerationResult;
using hearth::TokenId;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;

namespace {

using Tokens = std::vector<TokenId>;

// Conversations differ from their first token on.
Tokens conversation(int number, int n_tokens) {
    Tokens tokens;
    for (int i = 0; i < n_tokens; ++i) {
        tokens.push_back(3 + (i * i * 7 + i * (number + 3) + 11 * number) % 256);
    }
    return tokens;
}

Tokens joined(Tokens first, const Tokens& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

}  // namespace

class KeptPastsTest : public QObject {
    Q_OBJECT

private:
    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("model.gguf");
    std::unique_ptr<hearth::Engine> engine_;

    hearth::Session& session() { return *engine_->impl().session; }
    bool load(const std::string& arch, const std::string& gpu = "none") {
        if (!TinyModel({.arch = arch, .n_ctx = 3000}).write(path_)) {
            return false;
        }
        hearth::EngineOptions options = hearth::test::small_engine(path_);
        options.n_ctx = 3000;
        options.gpu = gpu;
        options.speeds = hearth::test::kFastGpu;
        engine_ = hearth::test::load_or_say(options);
        return engine_ != nullptr;
    }
    GenerationResult answer(const Tokens& prompt, int n_tokens = 3) {
        GenerationOptions options;
        options.sampling.temperature = 0;
        options.max_tokens = n_tokens;
        options.drafts = false;
        auto result = session().generate(prompt, options, {}, {});
        return result ? std::move(*result) : GenerationResult{};
    }

private slots:
    void two_take_turns_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<int>("least");  // tokens that need not be computed again, of 600
        QTest::newRow("keys and values") << "llama" << 600;
        QTest::newRow("a past that moves") << "gemma2" << 256;
        QTest::newRow("states") << "qwen35" << 512;
        QTest::newRow("latents") << "deepseek2" << 600;
    }
    void two_take_turns() {
        QFETCH(QString, arch);
        QFETCH(int, least);
        QVERIFY(load(arch.toStdString()));
        session().set_kept_pasts(std::uint64_t{1} << 30);
        const Tokens one = conversation(1, 600);
        const Tokens two = conversation(2, 700);
        const Tokens more = conversation(9, 40);
        const GenerationResult first = answer(one);
        QCOMPARE(first.cached_tokens, 0);
        QCOMPARE(answer(two).cached_tokens, 0);
        QCOMPARE(session().kept_pasts().size(), std::size_t{1});
        // The first one again, and on.
        const GenerationResult again = answer(joined(one, more), 20);
        QVERIFY2(again.cached_tokens >= least, qPrintable(QString::number(again.cached_tokens)));
        // The second of two, the other way round.
        QVERIFY(answer(joined(two, more)).cached_tokens >= least);
        const GenerationResult third = answer(joined(one, more), 20);
        QVERIFY(third.cached_tokens >= least);
        QCOMPARE(third.token_ids, again.token_ids);
        // A past that comes back gives what one does that was never away.
        QVERIFY(load(arch.toStdString()));
        answer(one);
        QCOMPARE(answer(joined(one, more), 20).token_ids, again.token_ids);
    }

    void one_that_goes_on_is_not_copied() {
        QVERIFY(load("llama"));
        session().set_kept_pasts(std::uint64_t{1} << 30);
        const Tokens one = conversation(1, 600);
        answer(one, 400);
        // The answer, of which the next prompt has nothing, is no other conversation.
        const GenerationResult next = answer(joined(one, conversation(4, 30)));
        QCOMPARE(next.cached_tokens, 600);
        answer(one);  // nor is the same question again
        QCOMPARE(session().kept_pasts().size(), std::size_t{0});
        // Short ones are computed sooner than copied.
        answer(conversation(5, 200));
        answer(conversation(6, 300));
        QCOMPARE(session().kept_pasts().size(), std::size_t{1});
        QCOMPARE(answer(joined(conversation(5, 200), conversation(7, 60))).cached_tokens, 0);
    }

    void a_common_beginning_serves_several() {
        QVERIFY(load("llama"));
        session().set_kept_pasts(std::uint64_t{1} << 30);
        const Tokens opening = conversation(1, 500);
        answer(joined(opening, conversation(2, 400)));
        answer(conversation(3, 600));
        // One that begins alike takes the copy's beginning, and leaves the copy to its owner.
        QCOMPARE(answer(joined(opening, conversation(4, 300))).cached_tokens, 500);
        QCOMPARE(answer(joined(joined(opening, conversation(2, 400)), conversation(5, 20)))
                     .cached_tokens,
                 900);
    }

    void copies_stay_within_their_room() {
        QVERIFY(load("llama"));
        session().set_kept_pasts(std::uint64_t{1} << 30);
        answer(conversation(1, 600));
        answer(conversation(2, 600));
        const std::uint64_t of_one = session().kept_pasts().bytes();
        QVERIFY(of_one > 0);
        session().set_kept_pasts(2 * of_one + of_one / 2);  // of two
        for (const int number : {3, 4, 5}) {
            answer(conversation(number, 600));
            QVERIFY(session().kept_pasts().bytes() <= session().kept_pasts().most());
        }
        QCOMPARE(session().kept_pasts().size(), std::size_t{2});
        // Copies of 3 and 4 are left.
        QCOMPARE(answer(joined(conversation(1, 600), conversation(9, 10))).cached_tokens, 0);
        QVERIFY(answer(joined(conversation(4, 600), conversation(9, 10))).cached_tokens >= 600);
        session().set_kept_pasts(of_one / 2);
        QCOMPARE(session().kept_pasts().size(), std::size_t{0});
        QCOMPARE(session().kept_pasts().bytes(), std::uint64_t{0});
        answer(conversation(6, 600));  // too large to be kept
        answer(conversation(7, 600));
        QCOMPARE(session().kept_pasts().bytes(), std::uint64_t{0});
    }

    void an_engine_plans_their_room() {
        QVERIFY(TinyModel({.arch = "llama", .n_ctx = 3000}).write(path_));
        hearth::EngineOptions options = hearth::test::small_engine(path_);
        options.n_ctx = 3000;
        options.ram_bytes = std::uint64_t{200} << 20;
        const auto most_of = [&](std::optional<std::uint64_t> asked) -> std::uint64_t {
            options.kept_pasts_bytes = asked;
            const auto engine = hearth::test::load_or_say(options);
            GenerationOptions one;
            one.max_tokens = 1;
            const bool answered = engine && engine->complete("word", one, {}, {});
            return answered ? engine->memory().kept_pasts.planned_bytes : ~std::uint64_t{0};
        };
        const std::uint64_t automatic = most_of(std::nullopt);
        QVERIFY(automatic > (std::uint64_t{50} << 20) && automatic < (std::uint64_t{100} << 20));
        QCOMPARE(most_of(0), std::uint64_t{0});
        QCOMPARE(most_of(std::uint64_t{1} << 20), std::uint64_t{1} << 20);
        QVERIFY(most_of(std::uint64_t{1} << 40) < options.ram_bytes);  // within the budget
    }

    void a_gpus_part_comes_back_too() {
        if (!load("llama", "0")) {
            QVERIFY(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"));
            QSKIP("there is no GPU, nor lavapipe");
        }
        QVERIFY(session().past().gpu != nullptr);
        session().set_kept_pasts(std::uint64_t{1} << 30);
        const Tokens one = conversation(1, 300);
        const Tokens more = conversation(9, 40);
        answer(one);
        answer(conversation(2, 300));
        const GenerationResult again = answer(joined(one, more), 10);
        QVERIFY(again.cached_tokens >= 300);
        QVERIFY(load("llama", "0"));
        answer(one);
        QCOMPARE(answer(joined(one, more), 10).token_ids, again.token_ids);
    }
};

QTEST_GUILESS_MAIN(KeptPastsTest)
#include "kept_pasts_test.moc"
