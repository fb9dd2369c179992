// Reasoning comes out between <think> and </think>, whatever tokens a model puts around it.
#include "text/answer_marks.h"

#include <QTest>

#include <hearth/reasoning.h>

#include "vocab_fixture.h"

namespace hearth {

class AnswerMarksTest : public QObject {
    Q_OBJECT

private slots:
    void marks_data() {
        QTest::addColumn<QStringList>("special");
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<QByteArray>("shown");
        const QStringList gpt = {"<|channel|>", "<|message|>", "<|start|>", "<|end|>"};
        const QStringList gemma = {"<|channel>", "<channel|>"};
        QTest::newRow("none") << QStringList() << QByteArray("It rains.")
                              << QByteArray("It rains.");
        QTest::newRow("special tokens")
            << QStringList{"<think>", "</think>"} << QByteArray("<think>\nHm.</think>\n\nYes.")
            << QByteArray("<think>\nHm.</think>\n\nYes.");
        QTest::newRow("words") << QStringList() << QByteArray("<think>Hm.</think>Yes.")
                               << QByteArray("<think>Hm.</think>Yes.");
        QTest::newRow("channels")
            << gpt
            << QByteArray(
                   "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>"
                   "final<|message|>Yes.")
            << QByteArray("<think>\nHm.\n</think>\n\nYes.");
        QTest::newRow("two thoughts")
            << gpt
            << QByteArray(
                   "<|channel|>analysis<|message|>A<|end|><|start|>assistant<|channel|>"
                   "commentary<|message|>B<|end|><|start|>assistant<|channel|>final"
                   "<|message|>C")
            << QByteArray("<think>\nAB\n</think>\n\nC");
        QTest::newRow("answer alone")
            << gpt << QByteArray("<|channel|>final<|message|>Yes.") << QByteArray("Yes.");
        QTest::newRow("stopped while it reasons")
            << gpt << QByteArray("<|channel|>analysis<|message|>Hm") << QByteArray("<think>\nHm");
        for (const auto& [opening, closing] :
             {std::pair("[THINK]", "[/THINK]"), std::pair("<seed:think>", "</seed:think>"),
              std::pair("<|START_THINKING|>", "<|END_THINKING|>"),
              std::pair("<|inner_prefix|>", "<|inner_suffix|>")}) {
            QTest::newRow(opening)
                << QStringList{opening, closing} << QByteArray(opening) + "Hm." + closing + "Yes."
                << QByteArray("<think>Hm.</think>Yes.");
        }
        QTest::newRow("an opening alone")
            << QStringList{"[THINK]"} << QByteArray("[THINK]Hm.") << QByteArray("Hm.");
        QTest::newRow("Gemma") << gemma << QByteArray("<|channel>thought\nHm.<channel|>Yes.")
                               << QByteArray("<think>\nHm.\n</think>\n\nYes.");
        QTest::newRow("Gemma, nothing thought")
            << gemma << QByteArray("<|channel>thought\n<channel|>Yes.")
            << QByteArray("<think>\n\n</think>\n\nYes.");
    }
    void marks() {
        QFETCH(QStringList, special);
        QFETCH(QByteArray, answer);
        QFETCH(QByteArray, shown);
        test::VocabFixture vocabulary = test::byte_level_fixture();
        for (const QString& token : special) {
            vocabulary.add(token.toStdString(), 3);
        }
        const auto tokenizer = test::make_tokenizer(vocabulary);
        QVERIFY(tokenizer != nullptr);
        AnswerMarks marks(*tokenizer);
        std::string text;
        for (const TokenId token : tokenizer->tokenize(answer.toStdString(), false, true)) {
            marks.push(token, text);
        }
        QCOMPARE(QByteArray::fromStdString(text), shown);

        // As a prompt has the text again, it gives the same text, and may go on from any point.
        const std::string whole = shown.toStdString();
        for (std::size_t size = 1; size <= whole.size(); ++size) {
            const std::string begin = whole.substr(0, size);
            AnswerMarks again(*tokenizer);
            std::string back;
            for (const TokenId token : tokenizer->tokenize(again.spelled(begin), false)) {
                again.push(token, back);
            }
            if (size == whole.size()) {
                QCOMPARE(QByteArray::fromStdString(back), shown);
            }
        }
    }

    // The model's own marks and no words: special tokens that somebody wrote stay words.
    void textsAreSpelledWithTheModelsMarks() {
        const auto spelled = [](std::initializer_list<const char*> special, const char* text) {
            test::VocabFixture vocabulary = test::byte_level_fixture();
            for (const char* token : special) {
                vocabulary.add(token, 3);
            }
            const auto tokenizer = test::make_tokenizer(vocabulary);
            QStringList out;
            for (const TextSegment& part : AnswerMarks(*tokenizer).spelled(text)) {
                out << (part.markup ? QStringLiteral("mark ") : QStringLiteral("text ")) +
                           QString::fromStdString(part.text);
            }
            return out;
        };
        const auto gpt = {"<|channel|>", "<|message|>", "<|start|>", "<|end|>"};
        const auto gemma = {"<|channel>", "<channel|>"};
        QCOMPARE(spelled({}, "a <|end|>"), QStringList({"text a <|end|>"}));
        QCOMPARE(spelled({"<think>", "</think>"}, "<think>a</think>b"),
                 QStringList({"mark <think>", "text a", "mark </think>", "text b"}));
        QCOMPARE(spelled(gpt, "a"), QStringList({"mark <|channel|>final<|message|>", "text a"}));
        QCOMPARE(spelled(gpt, "<think>\na"),
                 QStringList({"mark <|channel|>analysis<|message|>", "text a"}));
        QCOMPARE(
            spelled(gpt, "<think>\na\n</think>\n\nb"),
            QStringList({"mark <|channel|>analysis<|message|>", "text a",
                         "mark <|end|><|start|>assistant<|channel|>final<|message|>", "text b"}));
        QCOMPARE(spelled(gemma, "<think>\na\n</think>\n\nb"),
                 QStringList({"mark <|channel>thought\n", "text a", "mark <channel|>", "text b"}));
    }

    // Only where the answer may have calls: else the window would show them.
    void marksOfCallsAreShown() {
        test::VocabFixture vocabulary = test::byte_level_fixture();
        for (const char* token :
             {"<tool_call>", "</tool_call>", "[TOOL_CALLS]", "[ARGS]", "<|\"|>"}) {
            vocabulary.add(token, 3);
        }
        const auto tokenizer = test::make_tokenizer(vocabulary);
        QVERIFY(tokenizer != nullptr);
        const std::string answer = "a<tool_call>b</tool_call>[TOOL_CALLS]c[ARGS]<|\"|>d";
        for (const bool shows : {false, true}) {
            AnswerMarks marks(*tokenizer, shows);
            std::string text;
            for (const TokenId token : tokenizer->tokenize(answer, false, true)) {
                marks.push(token, text);
            }
            QCOMPARE(text, shows ? answer : std::string("abcd"));
        }
    }

    // gpt-oss names the tool in either header of a message.
    void messagesToToolsAreShown_data() {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<QByteArray>("shown");
        QTest::addColumn<QByteArray>("hidden");  // if the answer may have no calls
        const QByteArray call = "<|channel|>commentary to=functions.f<|message|>{}";
        QTest::newRow("channel") << QByteArray(
                                        "<|channel|>commentary to=functions.f "
                                        "<|constrain|>json<|message|>{}")
                                 << call << QByteArray("<think>\n{}");
        QTest::newRow("no blank")
            << QByteArray("<|channel|>commentary to=functions.f<|constrain|>json<|message|>{}")
            << call << QByteArray("<think>\n{}");
        QTest::newRow("role") << QByteArray(
                                     " to=functions.f<|channel|>commentary json<|message|>{}")
                              << call << QByteArray(" to=functions.f<think>\n{}");
        QTest::newRow("behind reasoning")
            << QByteArray(
                   "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant to=functions.f"
                   "<|channel|>commentary json<|message|>{}")
            << QByteArray("<think>\nHm.\n</think>\n\n") + call << QByteArray("<think>\nHm.{}");
        QTest::newRow("two") << QByteArray(
                                    "<|channel|>commentary to=functions.f<|message|>{}<|end|>"
                                    "<|start|>assistant<|channel|>final<|message|>Yes.")
                             << call + "<|call|>Yes."
                             << QByteArray("<think>\n{}\n</think>\n\nYes.");
        QTest::newRow("words") << QByteArray(" to be") << QByteArray(" to be")
                               << QByteArray(" to be");
    }
    void messagesToToolsAreShown() {
        QFETCH(QByteArray, answer);
        test::VocabFixture vocabulary = test::byte_level_fixture();
        for (const char* token : {"<|channel|>", "<|message|>", "<|start|>", "<|end|>",
                                  "<|return|>", "<|constrain|>"}) {
            vocabulary.add(token, 3);
        }
        const auto tokenizer = test::make_tokenizer(vocabulary);
        QVERIFY(tokenizer != nullptr);
        for (const bool shows : {true, false}) {
            AnswerMarks marks(*tokenizer, shows);
            std::string text;
            for (const TokenId token : tokenizer->tokenize(answer.toStdString(), false, true)) {
                marks.push(token, text);
            }
            QFETCH(QByteArray, shown);
            QFETCH(QByteArray, hidden);
            QCOMPARE(QByteArray::fromStdString(text), shows ? shown : hidden);
        }
    }

    void splits_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("reasoning");
        QTest::addColumn<QByteArray>("answer");
        const auto row = [](const char* text, const char* reasoning, const char* answer) {
            QTest::newRow(text) << QByteArray(text) << QByteArray(reasoning) << QByteArray(answer);
        };
        row("It rains.", "", "It rains.");
        row("<think>\nHm.\n\nWell.\n</think>\n\nIt rains.\n", "Hm.\n\nWell.", "It rains.\n");
        row("\n <think>Hm.</think>It rains.", "Hm.", "It rains.");
        row("Hm.</think>It rains.", "Hm.", "It rains.");
        row("<think>\n\n</think>\n\nIt rains.", "", "It rains.");
        row("<think>\nHm. Wel", "Hm. Wel", "");
        row("Write <think> and </think> around it.", "", "Write <think> and </think> around it.");
        row("<think>One.</think>Two.<think>Three.</think>", "One.", "Two.<think>Three.</think>");
        row("", "", "");
    }
    void splits() {
        QFETCH(QByteArray, text);
        const ReasonedAnswer split =
            split_reasoning(std::string_view(text.data(), static_cast<std::size_t>(text.size())));
        QTEST(QByteArray(split.reasoning.data(), static_cast<qsizetype>(split.reasoning.size())),
              "reasoning");
        QTEST(QByteArray(split.answer.data(), static_cast<qsizetype>(split.answer.size())),
              "answer");
    }
};

}  // namespace hearth

QTEST_APPLESS_MAIN(hearth::AnswerMarksTest)
#include "answer_marks_test.moc"
