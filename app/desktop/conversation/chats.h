// The conversations: their list, the shown one with its messages and its draft, renaming, deleting
// into a bin, and undoing deletions, the latest first.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QObject>
#include <QTimer>
#include <QVariantList>
#include <functional>

#include "conversation/conversation_list_model.h"
#include "conversation/draft.h"
#include "conversation/message_list_model.h"
#include "store/conversation_store.h"

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
    // The project of the shown conversation, or of the one that has no message yet; -1: none.
    Q_PROPERTY(qint64 currentProject READ currentProject NOTIFY currentProjectChanged)
    // The text of the input field, kept per conversation and on disk.
    Q_PROPERTY(QString draft READ draft WRITE setDraft NOTIFY draftChanged)
    // Pieces beside the field that are too long for it: {size: "9,000 characters, 700 lines",
    // begin: "First words"}, kept like the draft.
    Q_PROPERTY(QVariantList attachments READ attachments NOTIFY attachmentsChanged)
    // Number of conversations that undoDelete() can bring back, also those of earlier starts.
    Q_PROPERTY(int binCount READ binCount NOTIFY undoChanged)
    // True shortly after a deletion: the bar offers to undo it.
    Q_PROPERTY(bool undoOffered READ undoOffered NOTIFY undoChanged)
    // "Deleted: “Rain”", "Deleted: 3 chats, the latest “Rain”": where it is too long, the title is
    // cut and not what happened.
    Q_PROPERTY(QString undoText READ undoText NOTIFY undoChanged)

public:
    // All outlive it. The store is open. writer: knows what is not on the disk yet.
    Chats(ConversationStore& store, Notices& notices, const ReplyWriter& writer,
          QObject* parent = nullptr);

    ConversationListModel* conversations() { return &conversations_; }
    // A chat shows its end at first, and some more of what is before in each turn of the loop. The
    // list creates a windowful from the first message that it gets before it goes to the end: with
    // few messages little of that is in vain.
    MessageListModel* messages() { return &messages_; }
    static constexpr int kShownAtOnce = 4;
    static constexpr int kEarlierInATurn = 400;
    qint64 currentId() const { return currentId_; }
    QString currentTitle() const { return conversations_.titleOf(currentId_); }
    bool readOnly() const { return store_.readOnly(); }
    qint64 currentProject() const;
    QString draft() const { return draft_.text; }
    QVariantList attachments() const;
    void setDraft(const QString& text);
    int binCount() const { return static_cast<int>(bin_.size()); }
    bool undoOffered() const { return offered_ > 0; }
    QString undoText() const;

    // The message that sending the draft would send.
    Q_INVOKABLE QString wholeDraft() const { return draft_.message(); }
    // True: the text to paste is too long for the field, which holds fieldLength characters, and is
    // an attachment now. selection: paste by the middle button.
    Q_INVOKABLE bool attachPasted(bool selection, int fieldLength);
    Q_INVOKABLE void detach(int index);
    Q_INVOKABLE QString attachment(int index) const;

    Q_INVOKABLE void newConversation() { show(kNoId); }
    // Its first message begins a chat of the project.
    Q_INVOKABLE void newConversationIn(qint64 projectId);
    // Into a project, or (-1) into none.
    Q_INVOKABLE void moveTo(qint64 id, qint64 projectId);
    Q_INVOKABLE void select(qint64 id);
    // Shows a message of any conversation, and the versions that it belongs to.
    Q_INVOKABLE void showMessage(qint64 conversationId, qint64 messageId);
    Q_INVOKABLE void rename(qint64 id, const QString& title);
    // Keeps a chat at the top of the list, or no longer.
    Q_INVOKABLE void setPinned(qint64 id, bool pinned);
    // The text that the model gets before a chat. Of a new chat (-1) empty: that of the settings.
    Q_INVOKABLE QString instructions(qint64 id);
    // False: a notice says why not. For a new chat it holds from its first message on.
    Q_INVOKABLE bool setInstructions(qint64 id, const QString& text);
    Q_INVOKABLE void remove(qint64 id);
    Q_INVOKABLE void undoDelete();   // undoes the latest deletion; called again, the one before it
    Q_INVOKABLE void dismissUndo();  // withdraws the offer; the conversations stay in the bin
    Q_INVOKABLE void selectVersion(qint64 messageId, int index);

    // Writes a message at the end of the current conversation, or of a new one. The new one begins
    // with systemPrompt, unless setInstructions() gave it another, and becomes current; announce()
    // reports that once the answer's row can be shown. Empty: a notice says why.
    std::optional<ConversationStore::Sent> addMessage(const QString& text,
                                                      const QString& systemPrompt);
    void announce();
    // Adds a version of an answer, written by the user.
    bool addEditedAnswer(qint64 messageId, const QString& text);
    // All chats of a project, the latest first.
    QList<qint64> chatsOf(qint64 projectId) const;
    // The project goes, as `write` tells the store: its chats go into the bin, or belong to none.
    // False: a notice says why not.
    bool leaveProject(qint64 projectId, bool withChats, const std::function<bool()>& write);
    // Reports the result of a request to the store: true if it was done, else a notice says what
    // was not.
    bool written(bool done, const QString& otherwise);
    // False: nothing can be written, and a notice says so.
    bool mayWrite();
    // Reads the messages from the disk anew, all of them.
    void reloadMessages();
    void refreshSummary(qint64 conversationId);
    void saveDraft();

signals:
    void currentChanged();
    void currentTitleChanged();
    void currentProjectChanged();
    void draftChanged();
    // Another conversation's draft is there: nothing that was typed before belongs to it.
    void draftReplaced();
    void attachmentsChanged();
    void undoChanged();
    void removing(qint64 conversationId);
    // The message is in the list: the view goes there.
    void messageAsked(qint64 messageId);

private:
    void show(qint64 id, qint64 newProject = kNoId);
    void showMessages();
    void bringEarlier(int most = 0);
    QList<Message> amended(QList<Message> path) const;
    void putIntoBin(qint64 id, const QString& title);
    void touchDraft();
    void writeDrafts();
    void purge();
    void followTheDay();

    ConversationStore& store_;
    Notices& notices_;
    const ReplyWriter& writer_;
    ConversationListModel conversations_;
    MessageListModel messages_;
    qint64 currentId_ = kNoId;
    Draft draft_;
    bool draftDirty_ = false;
    QHash<qint64, Draft>
        unsaved_;  // drafts that the disk does not have as they are, by conversation
    QTimer draftTimer_;
    QList<ConversationSummary> bin_;  // the latest deletion is last
    int offered_ = 0;                 // so many of the last ones are named on the bar
    QTimer offerTimer_;
    QTimer purgeTimer_;
    QTimer earlierTimer_;        // as long as messages before the shown ones are missing
    QTimer dayTimer_;            // to the next midnight
    QString newInstructions_;    // of the chat that has no message yet
    qint64 newProject_ = kNoId;  // likewise
};

}  // namespace hearth::ui
