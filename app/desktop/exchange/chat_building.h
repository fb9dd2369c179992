// The readers of foreign chats share this.
#pragma once

#include <QJsonValue>
#include <QString>

#include "store/chat_record.h"

namespace hearth::ui {

// A time in seconds or in milliseconds since 1970, as ms; 0: it is none.
inline qint64 timeOf(const QJsonValue& value) {
    constexpr double kLastSecond = 1e11;  // the year 5138; in milliseconds 1973
    constexpr double kLast = 1e14;
    const double time = value.toDouble();
    if (!(time > 0) || time > kLast) {
        return 0;
    }
    return static_cast<qint64>(time < kLastSecond ? time * 1000 : time);
}

// Reasoning before an answer, as the window tells it from the answer.
inline QString withReasoning(const QString& reasoning, const QString& answer) {
    return reasoning.trimmed().isEmpty()
               ? answer
               : QStringLiteral("<think>\n%1\n</think>\n\n").arg(reasoning.trimmed()) + answer;
}

// Fills in what a foreign chat may lack: a title, and times. False: it has no message.
bool completeChat(ChatRecord* chat);

}  // namespace hearth::ui
