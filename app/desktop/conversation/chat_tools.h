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
    // The shown chat's, or that of its project; empty: none.
    Q_PROPERTY(QString folder READ folder NOTIFY changed)
    // The project of the shown chat has a folder: tools read there and nowhere else.
    Q_PROPERTY(bool folderOfProject READ folderOfProject NOTIFY changed)
    // Tools that are called in the shown chat without a question, by its own permissions.
    Q_PROPERTY(int allowedCount READ allowedCount NOTIFY changed)

public:
    // Both outlive it.
    ChatTools(ConversationStore& store, Chats& chats, QObject* parent = nullptr);

    QString folder() const;
    bool folderOfProject() const;
    int allowedCount() const;
    // path: a folder; empty: none any more.
    Q_INVOKABLE void setFolder(const QString& path);
    Q_INVOKABLE void askAgain();  // nothing is allowed any more in the shown chat

    QString folderOf(qint64 conversationId) const;
    // In the chat, or in its project.
    bool allows(qint64 conversationId, const QString& permission) const;
    void allow(qint64 conversationId, const QString& permission);
    // In the chat's project; nothing where it belongs to none.
    void allowInProject(qint64 conversationId, const QString& permission);
    bool hasProject(qint64 conversationId) const;
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
