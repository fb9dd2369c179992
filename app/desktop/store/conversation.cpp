#include "store/conversation.h"

namespace hearth::ui {

QString toString(MessageRole role) {
    switch (role) {
        case MessageRole::System:
            return QStringLiteral("system");
        case MessageRole::User:
            return QStringLiteral("user");
        case MessageRole::Assistant:
            return QStringLiteral("assistant");
    }
    return {};
}

QString toString(MessageState state) {
    switch (state) {
        case MessageState::Complete:
            return QStringLiteral("complete");
        case MessageState::Generating:
            return QStringLiteral("generating");
        case MessageState::Stopped:
            return QStringLiteral("stopped");
        case MessageState::Failed:
            return QStringLiteral("failed");
        case MessageState::Interrupted:
            return QStringLiteral("interrupted");
        case MessageState::Waiting:
            return QStringLiteral("waiting");
    }
    return {};
}

MessageRole roleFromString(const QString& text) {
    for (MessageRole role : {MessageRole::System, MessageRole::Assistant}) {
        if (text == toString(role)) {
            return role;
        }
    }
    return MessageRole::User;
}

MessageState messageStateFromString(const QString& text) {
    for (MessageState state : {MessageState::Generating, MessageState::Stopped,
                               MessageState::Failed, MessageState::Interrupted}) {
        if (text == toString(state)) {
            return state;
        }
    }
    return MessageState::Complete;
}

QString toString(CallRecord::State state) {
    switch (state) {
        case CallRecord::State::Asked:
            return QStringLiteral("asked");
        case CallRecord::State::Running:
            return QStringLiteral("running");
        case CallRecord::State::Done:
            return QStringLiteral("done");
        case CallRecord::State::Failed:
            return QStringLiteral("failed");
        case CallRecord::State::Refused:
            return QStringLiteral("refused");
        case CallRecord::State::Interrupted:
            return QStringLiteral("interrupted");
    }
    return {};
}

CallRecord::State callStateFromString(const QString& text) {
    using State = CallRecord::State;
    for (const State state :
         {State::Asked, State::Running, State::Done, State::Failed, State::Refused}) {
        if (text == toString(state)) {
            return state;
        }
    }
    return State::Interrupted;
}

}  // namespace hearth::ui
