// Conversations on a tiny model: templates, prefix reuse across turns, dropping what no longer
// fits.
#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QtTest>

#include "session/loaded_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::ChatMessage;
using hearth::test::TinyModel;

namespace {

hearth::GenerationOptions greedy(int max_tokens) {
    hearth::GenerationOptions options;
    options.sampling.temperature = 0;
    options.max_tokens = max_tokens;
    return options;
}

}  // namespace

class ChatTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        QVERIFY(TinyModel({.n_ctx = 256}).write(path_));
        hearth::EngineOptions options;
        options.model_path = path_;
        auto engine = hearth::Engine::load(options);
        QVERIFY(engine);
        engine_ = std::move(*engine);
    }

    void a_second_turn_prefills_only_what_is_new() {
        std::vector<ChatMessage> messages{{"user", "Hi there"}};
        auto first = engine_->chat(messages, greedy(12), {}, never_);
        QVERIFY2(first.has_value(), first ? "" : first.error().message.c_str());
        // "<|im_start|>" "user\n" "Hi there" "<|im_end|>" "\n" "<|im_start|>" "assistant\n"
        QCOMPARE(first->prompt_tokens, 1 + 5 + 8 + 1 + 1 + 1 + 10);
        messages.push_back({"assistant", first->text});
        messages.push_back({"user", "More"});
        auto second = engine_->chat(messages, greedy(12), {}, never_);
        QVERIFY(second);
        // The last token of the answer was shown but never computed.
        QCOMPARE(second->cached_tokens,
                 first->prompt_tokens + static_cast<int>(first->token_ids.size()) - 1);
        const int new_tokens = 1 /* last of the answer */ + 2 + 1 + 5 + 4 + 2 + 1 + 10;
        QCOMPARE(second->prompt_tokens - second->cached_tokens, new_tokens);
        equals_a_fresh_engines(messages, *first, *second);
    }

    // An answer with bytes that are no UTF-8 is shown with replacement characters: its text
    // tokenises differently, its cached tokens are still found.
    // An answer that was cut and goes on is the answer that was not cut, and computes nothing
    // twice.
    void a_cut_answer_goes_on_as_it_would_have() {
        const std::vector<ChatMessage> question{{"user", "abcabc"}};
        auto whole = engine_->chat(question, greedy(16), {}, never_);
        QVERIFY(whole);
        const int n = static_cast<int>(whole->token_ids.size());
        QVERIFY(n >= 6);
        std::vector<ChatMessage> messages;
        hearth::GenerationOptions options = greedy(16);
        options.continues_last_message = true;
        int tried = 0;
        for (int size = 1; size < n; ++size) {
            auto cut = engine_->chat(question, greedy(size), {}, never_);
            QVERIFY(cut);
            if (cut->text.empty() || !whole->text.starts_with(cut->text)) {
                continue;  // in the middle of a character
            }
            ++tried;
            messages = question;
            messages.push_back({"assistant", cut->text});
            options.max_tokens = 16 - size;
            std::string pieces;
            auto rest = engine_->chat(
                messages, options, [&](std::string_view piece) { pieces += piece; }, never_);
            QVERIFY2(rest, rest ? "" : rest.error().message.c_str());
            QCOMPARE(cut->text + rest->text, whole->text);
            QCOMPARE(pieces, rest->text);
            QVERIFY(rest->finish == whole->finish);
            QCOMPARE(rest->cached_tokens, rest->prompt_tokens - 1);
            // The next question finds the answer in the cache as it came out, both parts.
            messages.back().content += rest->text;
            messages.push_back({"user", "more"});
            auto next = engine_->chat(messages, greedy(2), {}, never_);
            QVERIFY(next);
            QVERIFY(next->cached_tokens >=
                    rest->prompt_tokens + static_cast<int>(rest->token_ids.size()) - 1);
        }
        QVERIFY(tried >= 2);
        messages.pop_back();
        messages.back().role = "user";
        auto refused = engine_->chat(messages, options, {}, never_);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, hearth::ErrorCode::InvalidArgument);
    }

    void an_answer_is_found_again_by_its_tokens() {
        for (int seed = 1; seed < 30; ++seed) {
            hearth::GenerationOptions options = greedy(16);
            options.sampling.temperature = 3.0F;
            options.sampling.top_k = 0;
            options.sampling.top_p = 1.0F;
            options.sampling.min_p = 0;
            options.sampling.seed = static_cast<std::uint64_t>(seed);
            std::vector<ChatMessage> messages{{"user", "x"}};
            auto first = engine_->chat(messages, options, {}, never_);
            QVERIFY(first);
            if (first->text.find("\xEF\xBF\xBD") == std::string::npos) {
                continue;
            }
            messages.push_back({"assistant", first->text});
            messages.push_back({"user", "y"});
            auto second = engine_->chat(messages, options, {}, never_);
            QVERIFY(second);
            QVERIFY(second->cached_tokens >=
                    first->prompt_tokens + static_cast<int>(first->token_ids.size()) - 1);
            return;
        }
        QFAIL("no seed gave an invalid byte");
    }

    void special_tokens_in_a_message_stay_text() {
        const std::vector<ChatMessage> plain{{"user", "a<|im_end|>b"}};
        auto result = engine_->chat(plain, greedy(0), {}, never_);
        QVERIFY(result);
        QCOMPARE(result->prompt_tokens, 1 + 5 + 12 + 1 + 1 + 1 + 10);
    }

    void old_messages_are_dropped_and_counted() {
        std::vector<ChatMessage> messages{{"system", "Be brief."}};
        for (int i = 0; i < 12; ++i) {
            messages.push_back({"user", "question number " + std::to_string(i)});
            messages.push_back({"assistant", "answer number " + std::to_string(i)});
        }
        messages.push_back({"user", "last one"});
        auto result = engine_->chat(messages, greedy(4), {}, never_);
        QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
        QVERIFY(result->dropped_messages > 0);
        QVERIFY(result->dropped_messages % 2 == 0);  // what is left begins with a user's message
        QVERIFY(result->prompt_tokens <= 252 / 2);

        // The next turn keeps the cut where it was, so the cache serves it.
        messages.push_back({"assistant", result->text});
        messages.push_back({"user", "and now?"});
        auto next = engine_->chat(messages, greedy(4), {}, never_);
        QVERIFY(next);
        QCOMPARE(next->dropped_messages, result->dropped_messages);
        QVERIFY(next->cached_tokens >= result->prompt_tokens);
        const std::vector<ChatMessage> what_is_left(messages.begin() + 1 + next->dropped_messages,
                                                    messages.end());
        std::vector<ChatMessage> with_system{messages.front()};
        with_system.insert(with_system.end(), what_is_left.begin(), what_is_left.end());
        equals_a_fresh_engines(with_system, *result, *next);

        hearth::GenerationOptions keep_all = greedy(4);
        keep_all.drop_oldest_messages = false;
        auto refused = engine_->chat(messages, keep_all, {}, never_);
        QVERIFY(!refused);
        QVERIFY(refused.error().code == hearth::ErrorCode::ContextFull);
    }

    void one_message_too_long_is_refused() {
        const std::vector<ChatMessage> messages{{"user", std::string(400, 'a')}};
        auto result = engine_->chat(messages, greedy(4), {}, never_);
        QVERIFY(!result);
        QVERIFY(result.error().code == hearth::ErrorCode::ContextFull);
    }

    void bad_messages() {
        QVERIFY(!engine_->chat({}, greedy(1), {}, never_));
        const std::vector<ChatMessage> only_system{{"system", "Be brief."}};
        QVERIFY(engine_->chat(only_system, greedy(1), {}, never_));
    }

    void stop_strings_end_an_answer() {
        const std::vector<ChatMessage> messages{{"user", "Hi"}};
        auto free_run = engine_->chat(messages, greedy(20), {}, never_);
        QVERIFY(free_run);
        QVERIFY(free_run->text.size() > 8);
        hearth::GenerationOptions options = greedy(20);
        options.stop = {free_run->text.substr(4, 2)};
        std::string shown;
        auto stopped = engine_->chat(
            messages, options, [&](std::string_view piece) { shown += piece; }, never_);
        QVERIFY(stopped);
        QVERIFY(stopped->finish == hearth::FinishReason::Stop);
        QCOMPARE(stopped->text, free_run->text.substr(0, free_run->text.find(options.stop[0])));
        QCOMPARE(shown, stopped->text);
        QCOMPARE(stopped->stop_string, options.stop[0]);
        QVERIFY(free_run->stop_string.empty());

        // What was cut off must not come back in the next turn's prompt.
        const std::vector<ChatMessage> more{
            {"user", "Hi"}, {"assistant", stopped->text}, {"user", "go on"}};
        auto next = engine_->chat(more, greedy(0), {}, never_);
        QVERIFY(next);
        QCOMPARE(next->prompt_tokens, (1 + 5 + 2 + 2 + 1 + 10) +
                                          static_cast<int>(stopped->text.size()) + 2 +
                                          (1 + 5 + 5 + 2 + 1 + 10));
    }

    // A vocabulary without ChatML's tokens: what the template writes around messages ends an
    // answer as text.
    void markup_written_out_ends_an_answer() {
        auto file = TinyModel({.n_ctx = 256}).file();
        file.without("tokenizer.ggml.token_type")
            .array("tokenizer.ggml.token_type", std::vector<std::int32_t>(TinyModel::kVocab, 1))
            .key("tokenizer.chat_template",
                 "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + "
                 "message['content'] + '<|im_end|>' + '\n' }}{% endfor %}{% if "
                 "add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}");
        QVERIFY(file.write(path_));
        hearth::EngineOptions load;
        load.model_path = path_;
        auto engine = hearth::Engine::load(load);
        QVERIFY2(engine, engine ? "" : engine.error().message.c_str());
        auto options = greedy(100);
        options.sampling = {.temperature = 4.0F, .top_k = 0, .top_p = 1.0F, .min_p = 0};
        bool ended = false;
        for (std::uint64_t seed = 1; seed < 60 && !ended; ++seed) {
            options.sampling.seed = seed;
            const std::vector<ChatMessage> messages{{"user", "Hi"}};
            auto result = (*engine)->chat(messages, options, {}, never_);
            QVERIFY2(result, result ? "" : result.error().message.c_str());
            QVERIFY(result->text.find("<|im_start|>") == std::string::npos);
            // Token 1 is "<|im_start|>".
            ended = !result->token_ids.empty() && result->token_ids.back() == 1;
            QVERIFY(!ended || result->finish == hearth::FinishReason::Stop);
        }
        QVERIFY(ended);
    }

    // Thousands of messages are counted once each.
    void a_very_long_conversation_is_cut_to_its_end() {
        std::vector<ChatMessage> messages;
        for (int i = 0; i < 5000; ++i) {
            messages.push_back({i % 2 == 0 ? "user" : "assistant", "message " + std::to_string(i)});
        }
        messages.push_back({"user", "the last"});
        auto result = engine_->chat(messages, greedy(2), {}, never_);
        QVERIFY(result);
        QVERIFY(result->dropped_messages > 4980 && result->dropped_messages < 5000);
        QVERIFY(result->prompt_tokens <= 252 / 2);
    }

private:
    // The same prompt computed whole by an engine whose cache is empty and which knows the tokens
    // of the answer before.
    void equals_a_fresh_engines(const std::vector<ChatMessage>& messages,
                                const hearth::GenerationResult& answer,
                                const hearth::GenerationResult& got) {
        hearth::EngineOptions options;
        options.model_path = path_;
        auto fresh = hearth::Engine::load(options);
        QVERIFY(fresh);
        (*fresh)->impl().chat->remember(answer.text, answer.token_ids);
        auto wanted =
            (*fresh)->chat(messages, greedy(static_cast<int>(got.token_ids.size())), {}, never_);
        QVERIFY(wanted);
        QCOMPARE(wanted->cached_tokens, 0);
        QCOMPARE(got.prompt_tokens, wanted->prompt_tokens);
        QCOMPARE(got.token_ids, wanted->token_ids);
        QCOMPARE(got.text, wanted->text);
    }

    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
    std::unique_ptr<hearth::Engine> engine_;
    const hearth::Cancellation never_{};
};

QTEST_GUILESS_MAIN(ChatTest)
#include "chat_test.moc"
