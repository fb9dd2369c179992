#include "conversation/answer_turns.h"

namespace hearth::ui {

namespace {

QString withThought(const QString& thought, const QString& text) {
    return thought.isEmpty()
               ? text
               : QStringLiteral("<think>\n") + thought + QStringLiteral("\n</think>\n\n") + text;
}

// The template writes blank lines of its own.
QString segment(const QString& content, qsizetype begin, qsizetype end) {
    return content.mid(begin, end - begin).trimmed();
}

}  // namespace

QList<ChatTurn> turnsOf(const Message& message) {
    const QString role = toString(message.role);
    if (message.calls.isEmpty()) {
        return message.content.isEmpty() ? QList<ChatTurn>()
                                         : QList<ChatTurn>{{role, message.content}};
    }
    QList<ChatTurn> turns;
    QString thought;  // of the round before
    qsizetype begin = 0;
    for (qsizetype i = 0; i < message.calls.size();) {
        const CallRecord& first = message.calls.at(i);
        ChatTurn asking{role, withThought(thought, segment(message.content, begin, first.place))};
        QList<ChatTurn> results;
        for (; i < message.calls.size() && message.calls.at(i).round == first.round; ++i) {
            const CallRecord& call = message.calls.at(i);
            asking.calls.append({call.callId, call.tool, call.arguments.toUtf8()});
            results.append({QStringLiteral("tool"),
                            call.hasEnded() && call.state != CallRecord::State::Interrupted
                                ? call.result
                                : QStringLiteral("[The call was interrupted.]"),
                            {},
                            call.callId,
                            call.tool});
            thought = call.thought;
        }
        turns.append(asking);
        turns.append(results);
        begin = first.place;
    }
    const QString rest = segment(message.content, begin, message.content.size());
    if (!rest.isEmpty()) {
        turns.append({role, withThought(thought, rest)});
    }
    return turns;
}

}  // namespace hearth::ui
