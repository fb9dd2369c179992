// A chat gives tools two things: the folder in which they may read, and those that need not ask.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "store/conversation.h"

namespace hearth::ui {

class Chats;
class ConversationStore;

class ChatTools : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    // The shown chat's; empty: none.
    Q_PROPERTY(QString folder READ folder NOTIFY changed)
    // Tools that are called in the shown chat without a question.
    Q_PROPERTY(int allowedCount READ allowedCount NOTIFY changed)

public:
    // Both outlive it.
    ChatTools(ConversationStore& store, Chats& chats, QObject* parent = nullptr);

    QString folder() const;
    int allowedCount() const;
    // path: a folder; empty: none any more.
    Q_INVOKABLE void setFolder(const QString& path);
    Q_INVOKABLE void askAgain();  // nothing is allowed any more in the shown chat

    QString folderOf(qint64 conversationId) const;
    bool allows(qint64 conversationId, const QString& permission) const;
    void allow(qint64 conversationId, const QString& permission);
    // The chat is new: it has the folder that was chosen before its first message.
    void adopt(qint64 conversationId);

signals:
    void changed();

private:
    ConversationStore& store_;
    Chats& chats_;
    QString nextFolder_;  // of the chat that has no message yet
};

}  // namespace hearth::ui
