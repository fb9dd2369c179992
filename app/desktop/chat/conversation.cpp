#include "conversation.h"

namespace hearth::ui {

QString toString(Role role) {
    switch (role) {
        case Role::System:
            return QStringLiteral("system");
        case Role::User:
            return QStringLiteral("user");
        case Role::Assistant:
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

Role roleFromString(const QString& text) {
    for (Role role : {Role::System, Role::Assistant}) {
        if (text == toString(role)) {
            return role;
        }
    }
    return Role::User;
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

}  // namespace hearth::ui
