#include "conversation/answer_turns.h"

#include <QtTest>

using namespace hearth::ui;

namespace {

CallRecord call(int round, qsizetype place, const char* id, CallRecord::State state,
                const char* result, const char* thought = "") {
    CallRecord record;
    record.round = round;
    record.place = place;
    record.callId = id;
    record.tool = "echo";
    record.arguments = "{}";
    record.state = state;
    record.result = result;
    record.thought = thought;
    return record;
}

// "role: content [ids of calls] <id of the call it answers>" for each turn.
QStringList words(const Message& message) {
    QStringList all;
    for (const ChatTurn& turn : turnsOf(message)) {
        QString line = turn.role + ": " + turn.content;
        for (const ModelCall& one : turn.calls) {
            line += " [" + one.id + ' ' + one.name + ' ' + one.arguments + ']';
        }
        all << line + (turn.callId.isEmpty() ? QString() : " <" + turn.callId + '>');
    }
    return all;
}

}  // namespace

class AnswerTurnsTest : public QObject {
    Q_OBJECT

private slots:
    void a_message_without_calls_is_one_turn() {
        Message message;
        message.content = "Hi";
        QCOMPARE(words(message), QStringList({"user: Hi"}));
        message.role = MessageRole::Assistant;
        message.content = "<think>x</think>Hello";
        QCOMPARE(words(message), QStringList({"assistant: <think>x</think>Hello"}));
        message.content.clear();
        QCOMPARE(words(message), QStringList());
    }

    void rounds_follow_one_another() {
        Message message;
        message.role = MessageRole::Assistant;
        message.content = "First.\n\nThen.\n\nLast.";
        using State = CallRecord::State;
        message.calls = {call(0, 6, "a", State::Done, "one"),
                         call(0, 6, "b", State::Refused, "no", "I see."),
                         call(1, 13, "c", State::Failed, "bad")};
        QCOMPARE(words(message),
                 QStringList({"assistant: First. [a echo {}] [b echo {}]", "tool: one <a>",
                              "tool: no <b>",
                              "assistant: <think>\nI see.\n</think>\n\nThen. [c echo {}]",
                              "tool: bad <c>", "assistant: Last."}));
    }

    void an_answer_under_way_ends_with_its_results() {
        Message message;
        message.role = MessageRole::Assistant;
        message.calls = {call(0, 0, "a", CallRecord::State::Done, "one")};
        QCOMPARE(words(message), QStringList({"assistant:  [a echo {}]", "tool: one <a>"}));
    }

    void a_call_without_a_result_says_so() {
        Message message;
        message.role = MessageRole::Assistant;
        for (const auto state : {CallRecord::State::Interrupted, CallRecord::State::Running,
                                 CallRecord::State::Asked}) {
            message.calls = {call(0, 0, "a", state, "half")};
            QCOMPARE(words(message).last(), QString("tool: [The call was interrupted.] <a>"));
        }
    }
};

QTEST_APPLESS_MAIN(AnswerTurnsTest)
#include "answer_turns_test.moc"
