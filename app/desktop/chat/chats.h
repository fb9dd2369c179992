// The conversations: which there are, the one shown with its messages and its draft, renaming,
// deleting, and taking a deletion back.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QTimer>

#include "conversation_list_model.h"
#include "conversation_store.h"
#include "message_list_model.h"

namespace hearth::ui {

class Notices;
class ReplyWriter;

class Chats : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    Q_PROPERTY(hearth::ui::ConversationListModel* conversations READ conversations CONSTANT)
    Q_PROPERTY(hearth::ui::MessageListModel* messages READ messages CONSTANT)
    // -1: a new conversation that has no message yet
    Q_PROPERTY(qint64 currentId READ currentId NOTIFY currentChanged)
    Q_PROPERTY(QString currentTitle READ currentTitle NOTIFY currentTitleChanged)
    // Nothing is written to disk: no sending, renaming, deleting. The notice says why.
    Q_PROPERTY(bool readOnly READ readOnly CONSTANT)
    // What stands in the input field, kept per conversation and on disk.
    Q_PROPERTY(QString draft READ draft WRITE setDraft NOTIFY draftChanged)
    Q_PROPERTY(bool canUndoDelete READ canUndoDelete NOTIFY undoChanged)
    Q_PROPERTY(QString undoText READ undoText NOTIFY undoChanged)  // "“Rain” was deleted."

public:
    // All outlive it. The store is open. writer: says what the disk does not know yet.
    Chats(ConversationStore& store, Notices& notices, const ReplyWriter& writer,
          QObject* parent = nullptr);

    ConversationListModel* conversations() { return &conversations_; }
    MessageListModel* messages() { return &messages_; }
    qint64 currentId() const { return currentId_; }
    QString currentTitle() const { return conversations_.titleOf(currentId_); }
    bool readOnly() const { return store_.readOnly(); }
    QString draft() const { return draft_; }
    void setDraft(const QString& text);
    bool canUndoDelete() const { return deletedId_ != kNoId; }
    QString undoText() const;

    Q_INVOKABLE void newConversation() { show(kNoId); }
    Q_INVOKABLE void select(qint64 id);
    Q_INVOKABLE void rename(qint64 id, const QString& title);
    Q_INVOKABLE void remove(qint64 id);
    Q_INVOKABLE void undoDelete();
    Q_INVOKABLE void dismissUndo();  // the offer goes away; the conversation stays deleted
    Q_INVOKABLE void selectVersion(qint64 messageId, int index);

    // Writes a message at the end of the current conversation, or of a new one, which is current
    // then: announce() says so once the answer's row can be shown. Empty: a notice says why.
    std::optional<ConversationStore::Sent> addMessage(const QString& text);
    void announce();
    // A further version of an answer, written by the user.
    bool addEditedAnswer(qint64 messageId, const QString& text);
    // The store was asked for something: true if it was done, else a notice says what was not.
    bool written(bool done, const QString& otherwise);
    // False: nothing can be written, and a notice says so.
    bool mayWrite();
    // From the disk, as it is now.
    void reloadMessages();
    void refreshSummary(qint64 conversationId);
    void saveDraft();

signals:
    void currentChanged();
    void currentTitleChanged();
    void draftChanged();
    void undoChanged();
    void removing(qint64 conversationId);

private:
    void show(qint64 id);

    ConversationStore& store_;
    Notices& notices_;
    const ReplyWriter& writer_;
    ConversationListModel conversations_;
    MessageListModel messages_;
    qint64 currentId_ = kNoId;
    QString draft_;
    bool draftDirty_ = false;
    QTimer draftTimer_;
    qint64 deletedId_ = kNoId;
    QString deletedTitle_;
    QTimer purgeTimer_;
};

}  // namespace hearth::ui
