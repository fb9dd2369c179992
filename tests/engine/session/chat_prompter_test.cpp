// Conversations to tokens: what is remembered of one turn must be right for the next.
#include "session/chat_prompter.h"

#include <QRegularExpression>
#include <QtTest>

#include "gguf/reader.h"
#include "support/tiny_model.h"

using hearth::ChatMessage;
using hearth::ChatPrompter;
using hearth::TokenId;
using Ids = std::vector<TokenId>;

namespace {

// <|im_start|>; the bytes begin at 3.
constexpr TokenId kStart = 1;
constexpr TokenId byte(char c) {
    return 3 + static_cast<unsigned char>(c);
}

}  // namespace

class ChatPrompterTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        auto file = hearth::GgufFile::parse(hearth::test::TinyModel().file().bytes(), "memory");
        QVERIFY(file);
        auto tokenizer = hearth::Tokenizer::create(file->metadata());
        QVERIFY(tokenizer);
        tokenizer_ = std::move(*tokenizer);
        file_ = std::make_unique<hearth::GgufFile>(std::move(*file));
    }

    // An answer goes in as it came out, unless its tokens say something else than its text.
    void an_answer_is_remembered_where_its_tokens_are_its_text_data() {
        QTest::addColumn<std::vector<int>>("tokens");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("remembered");
        const auto row = [](const char* name, const Ids& tokens, const char* text, bool yes) {
            QTest::newRow(name) << tokens << QByteArray(text) << yes;
        };
        // Half a character is shown as U+FFFD, whose own bytes are others.
        row("half a character", {byte('a'), 3 + 0xC3}, "a\xEF\xBF\xBD", true);
        row("nothing", {}, "", false);
        row("a special token, which shows nothing", {byte('a'), kStart, byte('b')}, "ab", false);
        row("only a special token", {kStart}, "", false);
        row("cut at a stop string", {byte('a'), 3 + 0xC3, byte('b')}, "a", false);
    }
    void an_answer_is_remembered_where_its_tokens_are_its_text() {
        QFETCH(std::vector<int>, tokens);
        QFETCH(QByteArray, text);
        QFETCH(bool, remembered);
        const std::vector<ChatMessage> messages{
            {"user", "hi"}, {"assistant", text.toStdString()}, {"user", "more"}};
        auto plain = prompter()->prompt(messages, {}, 200);
        QVERIFY(plain);
        auto knows = prompter();
        knows->remember(text.toStdString(), tokens);
        auto got = knows->prompt(messages, {}, 200);
        QVERIFY(got);
        if (!remembered) {
            QCOMPARE(got->tokens, plain->tokens);
            return;
        }
        QVERIFY(got->tokens != plain->tokens);
        QVERIFY(std::search(got->tokens.begin(), got->tokens.end(), tokens.begin(), tokens.end()) !=
                got->tokens.end());
    }

    // More answers than are kept: the latest are.
    void the_latest_answers_are_kept() {
        auto knows = prompter();
        const auto text_of = [](int i) { return std::to_string(i) + "\xEF\xBF\xBD"; };
        const auto tokens_of = [](int i) {
            Ids tokens;
            for (const char c : std::to_string(i)) {
                tokens.push_back(byte(c));
            }
            tokens.push_back(3 + 0xC3);
            return tokens;
        };
        const auto remembered = [&](int i) {
            const std::vector<ChatMessage> messages{
                {"user", "hi"}, {"assistant", text_of(i)}, {"user", "more"}};
            const auto prompt = knows->prompt(messages, {}, 200);
            const Ids answer = tokens_of(i);
            return prompt && std::search(prompt->tokens.begin(), prompt->tokens.end(),
                                         answer.begin(), answer.end()) != prompt->tokens.end();
        };
        for (int i = 100; i < 170; ++i) {
            knows->remember(text_of(i), tokens_of(i));
            QVERIFY(remembered(i));
            QVERIFY(remembered(std::max(100, i - 63)));
        }
        QVERIFY(!remembered(100));
    }

    // Two answers of one text: the tokens of the later one are those in the cache.
    void of_equal_answers_the_later_counts() {
        const std::string text = "a\xEF\xBF\xBD";
        const Ids earlier{byte('a'), 3 + 0xC3};
        const Ids later{byte('a'), 3 + 0xC4};
        auto knows = prompter();
        knows->remember(text, earlier);
        knows->remember(text, later);
        const std::vector<ChatMessage> messages{
            {"user", "hi"}, {"assistant", text}, {"user", "more"}};
        const auto prompt = knows->prompt(messages, {}, 200);
        QVERIFY(prompt);
        const auto holds = [&](const Ids& answer) {
            return std::search(prompt->tokens.begin(), prompt->tokens.end(), answer.begin(),
                               answer.end()) != prompt->tokens.end();
        };
        QVERIFY(holds(later) && !holds(earlier));
    }

    // An open answer ends the prompt, as it came out or as its text says; marks of a template are
    // none where somebody wrote them.
    void an_answer_is_left_open() {
        hearth::GenerationOptions options;
        const std::vector<ChatMessage> question{{"user", "hi"}};
        const auto begun = prompter()->prompt(question, options, 200);
        QVERIFY(begun);
        options.continues_last_message = true;
        const std::string text = "a\xEF\xBF\xBD";
        const std::vector<ChatMessage> messages{{"user", "hi"}, {"assistant", text}};
        auto plain = prompter()->prompt(messages, options, 200);
        QVERIFY(plain);
        QCOMPARE(plain->continued_tokens, std::size_t{4});
        Ids expected = begun->tokens;
        for (const char c : text) {
            expected.push_back(byte(c));
        }
        QCOMPARE(plain->tokens, expected);

        auto knows = prompter();
        knows->remember(text, {byte('a'), 3 + 0xC3});
        auto drawn = knows->prompt(messages, options, 200);
        QVERIFY(drawn);
        QCOMPARE(drawn->continued_tokens, std::size_t{2});
        expected = begun->tokens;
        expected.push_back(byte('a'));
        expected.push_back(3 + 0xC3);
        QCOMPARE(drawn->tokens, expected);

        const std::vector<ChatMessage> spelled{{"user", "hi"}, {"assistant", "<|im_start|>"}};
        auto words = prompter()->prompt(spelled, options, 200);
        QVERIFY(words);
        QCOMPARE(words->continued_tokens, spelled[1].content.size());
    }

    void what_is_no_answer_is_not_continued() {
        hearth::GenerationOptions options;
        options.continues_last_message = true;
        for (const std::vector<ChatMessage>& messages :
             std::initializer_list<std::vector<ChatMessage>>{{{"user", "hi"}},
                                                             {{"assistant", "alone"}},
                                                             {{"user", "hi"}, {"assistant", ""}},
                                                             {{"user", "hi"}, {"user", "more"}}}) {
            const auto prompt = prompter()->prompt(messages, options, 200);
            QVERIFY(!prompt);
            QCOMPARE(prompt.error().code, hearth::ErrorCode::InvalidArgument);
        }
    }

    // The question of a long answer stays, whatever else must go.
    void the_question_of_an_open_answer_is_kept() {
        hearth::GenerationOptions options;
        const std::vector<ChatMessage> messages{{"user", std::string(60, 'a')},
                                                {"assistant", std::string(60, 'b')},
                                                {"user", "last"},
                                                {"assistant", std::string(100, 'c')}};
        options.continues_last_message = true;
        auto whole = prompter()->prompt(messages, options, 1000);
        QVERIFY(whole);
        QCOMPARE(whole->dropped_messages, 0);
        const int n_ctx = static_cast<int>(whole->tokens.size());
        auto cut = prompter()->prompt(messages, options, n_ctx);
        QVERIFY(cut);
        QCOMPARE(cut->dropped_messages, 2);
        QCOMPARE(cut->continued_tokens, std::size_t{100});
    }

    // The room left for an answer is no larger than the answer may be.
    void a_short_answer_needs_little_room() {
        const std::vector<ChatMessage> messages{
            {"user", std::string(60, 'a')}, {"assistant", std::string(60, 'b')}, {"user", "last"}};
        auto all = prompter()->prompt(messages, {}, 400);
        QVERIFY(all);
        QCOMPARE(all->dropped_messages, 0);
        const int n_ctx = static_cast<int>(all->tokens.size()) + 4;
        hearth::GenerationOptions options;
        for (const auto& [max_tokens, dropped] :
             {std::pair{0, 0}, {4, 0}, {5, 2}, {1000, 2}, {-1, 2}}) {
            options.max_tokens = max_tokens;
            auto prompt = prompter()->prompt(messages, options, n_ctx);
            QVERIFY(prompt);
            QCOMPARE(prompt->dropped_messages, dropped);
        }
        // A prompt that fills the context leaves none at all, not even for the empty answer.
        options.max_tokens = 0;
        QCOMPARE(prompter()->prompt(messages, options, n_ctx - 3)->dropped_messages, 0);
        QCOMPARE(prompter()->prompt(messages, options, n_ctx - 4)->dropped_messages, 2);
    }

    // A prompt that was cut takes half of the room, so that the next messages need no cut. The
    // system message is never dropped and counts among what is kept, however long it is.
    void a_system_message_counts_among_what_is_kept() {
        constexpr int kCtx = 512;
        constexpr std::size_t kRoom = kCtx - kCtx / 4;
        for (const std::size_t length : {0U, 60U, 110U}) {
            std::vector<ChatMessage> messages;
            if (length > 0) {
                messages.push_back({"system", std::string(length, 's')});
            }
            for (int i = 0; i < 12; ++i) {
                messages.push_back({"user", "question number " + std::to_string(i)});
                messages.push_back({"assistant", "answer number " + std::to_string(i)});
            }
            messages.push_back({"user", "last"});
            auto knows = prompter();
            const auto cut = knows->prompt(messages, {}, kCtx);
            QVERIFY(cut && cut->dropped_messages > 0);
            QVERIFY2(cut->tokens.size() <= kRoom / 2,
                     qPrintable(QString("%1 tokens of %2 beside a system message of %3")
                                    .arg(cut->tokens.size())
                                    .arg(kRoom)
                                    .arg(length)));
            QVERIFY(cut->tokens.size() > kRoom / 4);
            // The next turn keeps the cut, until it takes all of the room; then it is cut anew.
            messages.push_back({"assistant", "answer"});
            messages.push_back({"user", "and more"});
            const auto next = knows->prompt(messages, {}, kCtx);
            QVERIFY(next);
            QCOMPARE(next->dropped_messages, cut->dropped_messages);
            while (messages.size() < 60) {
                messages.push_back({"assistant", "answer"});
                messages.push_back({"user", "and more"});
                const auto later = knows->prompt(messages, {}, kCtx);
                QVERIFY(later && later->tokens.size() <= kRoom);
                const bool anew = later->dropped_messages != cut->dropped_messages;
                QVERIFY(!anew || later->tokens.size() <= kRoom / 2);
                if (anew) {
                    break;
                }
            }
            QVERIFY(messages.size() < 60);
        }
    }

    // Two conversations in turn, both too long: each is cut as it would be alone.
    void another_conversations_cut_is_not_used() {
        std::vector<ChatMessage> even;
        std::vector<ChatMessage> steep;  // most of it in its first messages
        for (int i = 0; i < 12; ++i) {
            even.push_back({"user", "question number " + std::to_string(i)});
            even.push_back({"assistant", "answer number " + std::to_string(i)});
            steep.push_back({"user", i < 2 ? std::string(180, 'x') : "q"});
            steep.push_back({"assistant", "a"});
        }
        even.push_back({"user", "last"});
        steep.push_back({"user", "last"});
        constexpr int kCtx = 512;
        auto even_alone = prompter()->prompt(even, {}, kCtx);
        auto steep_alone = prompter()->prompt(steep, {}, kCtx);
        QVERIFY(even_alone && steep_alone);
        QVERIFY(even_alone->dropped_messages > steep_alone->dropped_messages);
        QVERIFY(steep_alone->dropped_messages > 0);
        auto both = prompter();
        for (int turn = 0; turn < 2; ++turn) {
            auto first = both->prompt(even, {}, kCtx);
            auto second = both->prompt(steep, {}, kCtx);
            QVERIFY(first && second);
            QCOMPARE(first->dropped_messages, even_alone->dropped_messages);
            QCOMPARE(first->tokens, even_alone->tokens);
            QCOMPARE(second->dropped_messages, steep_alone->dropped_messages);
            QCOMPARE(second->tokens, steep_alone->tokens);
        }
    }

    // Calls go with their results, and a question with all that answers it.
    void calls_are_dropped_with_their_results() {
        const auto call = [](const std::string& name) {
            ChatMessage message{"assistant", ""};
            message.tool_calls =
                "[{\"type\":\"function\",\"function\":{\"name\":\"" + name + "\"}}]";
            return message;
        };
        const auto result = [](const std::string& text, const char* role = "tool") {
            ChatMessage message{role, text};
            message.tool_call_id = "c";
            return message;
        };
        for (const char* role : {"tool", "user"}) {  // also as words of the user
            std::vector<ChatMessage> messages{
                {"system", "s"},     {"user", "first"},
                call("aaa"),         result(std::string(40, 'a'), role),
                {"assistant", "so"}, {"user", "second"}};
            for (const char* name : {"bbb", "ccc", "ddd", "eee", "fff", "ggg"}) {
                messages.push_back(call(name));
                messages.push_back(result(std::string(20, name[0]), role));
            }
            auto knows = prompter(kWithCalls);
            QVERIFY(knows != nullptr);
            const auto whole = knows->prompt(messages, {}, 2000);
            QVERIFY(whole);
            QCOMPARE(whole->dropped_messages, 0);
            const int n_whole = static_cast<int>(whole->tokens.size());
            QStringList seen;
            for (int n_ctx = n_whole + 100; n_ctx > 60; --n_ctx) {
                const auto cut = prompter(kWithCalls)->prompt(messages, {}, n_ctx);
                QVERIFY(cut);
                const QString text = QString::fromStdString(tokenizer_->detokenize(cut->tokens));
                QString names;  // the letters, in order
                for (const QString& part : text.split('#').mid(1)) {
                    names += part.left(1);
                }
                if (seen.isEmpty() || seen.last() != names) {
                    seen << names;
                    QCOMPARE(cut->dropped_messages,
                             static_cast<int>(messages.size()) - static_cast<int>(names.size()));
                }
            }
            QVERIFY2(seen.size() >= 3, qPrintable(seen.join(' ')));
            for (const QString& names : seen) {  // system, question, then calls with their results
                static const QRegularExpression kWhole("^s(qcrt)?q(cr)+$");
                QVERIFY2(kWhole.match(QString(names).replace('u', 'r')).hasMatch(),
                         qPrintable(seen.join(' ')));
            }
            QCOMPARE(seen.last().size(), 4);

            // A later question is asked where the cut was: it is cut anew there.
            const int n_ctx = n_whole / 2;
            const auto before = knows->prompt(messages, {}, n_ctx);
            QVERIFY(before && before->dropped_messages > 4);
            messages.push_back({"assistant", "done"});
            messages.push_back({"user", "third"});
            const auto after = knows->prompt(messages, {}, n_ctx);
            QVERIFY(after);
            const std::string text = tokenizer_->detokenize(after->tokens);
            QVERIFY2(text.find("#ss#q") == 0 && text.find("third") != std::string::npos,
                     text.c_str());
        }
    }

private:
    // Marks each message with a letter: s, q for questions, c for calls, r or u for results, t for
    // text.
    static constexpr const char* kWithCalls =
        "{% for m in messages %}#{{ 's' if m.role == 'system' else 'c' if m.tool_calls else 'r' if "
        "m.role == 'tool' else 'u' if m.tool_call_id else 'q' if m.role == 'user' else 't' }}"
        "{{ m.content }}{% for c in m.tool_calls or [] %}{{ c.function.name }}{% endfor %}"
        "{% endfor %}";

    std::unique_ptr<ChatPrompter> prompter(const char* jinja) const {
        hearth::Metadata metadata;
        metadata.add("tokenizer.chat_template", {hearth::MetadataType::String, std::string(jinja)});
        auto made = hearth::ChatTemplate::create(metadata);
        return made ? std::make_unique<ChatPrompter>(*tokenizer_, std::move(*made)) : nullptr;
    }
    std::unique_ptr<ChatPrompter> prompter() const {
        auto made = hearth::ChatTemplate::create(file_->metadata());
        return made ? std::make_unique<ChatPrompter>(*tokenizer_, std::move(*made)) : nullptr;
    }

    std::unique_ptr<hearth::GgufFile> file_;
    std::unique_ptr<hearth::Tokenizer> tokenizer_;
};

QTEST_GUILESS_MAIN(ChatPrompterTest)
#include "chat_prompter_test.moc"
