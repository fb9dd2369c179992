// The documents of the chats: files are attached to the draft, go to the model with their question,
// whole or in passages, and are shown. The text of each lies beside the conversations until no
// chat, and no deleted chat that can be brought back, has it.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QObject>
#include <QTemporaryDir>
#include <QTimer>
#include <QUrl>
#include <QVariantList>
#include <functional>
#include <memory>

#include "conversation/document_page.h"
#include "conversation/project_files.h"
#include "documents/document_desk.h"
#include "store/attachment.h"

namespace hearth::ui {

class ActiveModel;
class Chats;
class ConversationStore;

class Attachments : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    // The files of the shown draft: {name, says, failed, ready}. says: "PDF, 1,234 tokens", or a
    // sentence.
    Q_PROPERTY(QVariantList pending READ pending NOTIFY pendingChanged)
    // A file of the shown draft is being read: the message cannot be sent yet.
    Q_PROPERTY(bool reading READ reading NOTIFY pendingChanged)
    // Grows whenever ofQuestion() or underAnswer() may give something else.
    Q_PROPERTY(int revision READ revision NOTIFY revisionChanged)
    Q_PROPERTY(hearth::ui::DocumentPage* page READ page CONSTANT)

public:
    // Files of a draft at most.
    static constexpr int kMostFiles = 20;

    // All outlive it. The store is open.
    Attachments(ConversationStore& store, Chats& chats, ActiveModel& model,
                QObject* parent = nullptr);
    ~Attachments() override;

    DocumentDesk& desk() { return desk_; }
    const DocumentShelf& shelf() const { return desk_.shelf(); }
    // No document goes from the shelf between a call with true and one with false: chats that are
    // being imported have put some there that no chat of the store names yet.
    void holdShelf(bool held);
    DocumentPage* page() { return &page_; }
    ProjectFiles* projectFiles() { return &projectFiles_; }
    QVariantList pending() const;
    bool reading() const;
    int revision() const { return revision_; }

    // Reads files and adds them to the shown draft. Nothing where nothing can be written.
    Q_INVOKABLE void attach(const QStringList& paths);
    Q_INVOKABLE void attachUrls(const QList<QUrl>& urls);
    // True: the clipboard has files, and they are attached.
    Q_INVOKABLE bool paste();
    Q_INVOKABLE void remove(int index);
    // Opens the text of a file of the shown draft.
    Q_INVOKABLE void look(int index);

    // The documents of a question of the shown chat: {id, name, says}.
    Q_INVOKABLE QVariantList ofQuestion(qint64 messageId);
    // Passages that went with the question of an answer: {id, passage, label}.
    Q_INVOKABLE QVariantList underAnswer(qint64 messageId);
    // Opens the text of a document of the shown chat. passage: the one to show, of those that are
    // marked for the answer's question; -1: the beginning, and none is marked.
    Q_INVOKABLE void open(qint64 attachmentId, qint64 answerId, int passage);

    // Calls `done` with the messages as the model gets them: at once, where no document is in the
    // way, else later. They are a path that ends with the question and its answer. Files of the
    // chat's project go with the question: short ones whole, once a chat, else passages.
    void bring(qint64 conversationId, const QList<Message>& path,
               const std::function<void(const QList<Message>&)>& done);
    // Called after a message was written.
    void refresh();

    // Waits for the threads. Nothing may be called afterwards.
    void close();

signals:
    void pendingChanged();
    void revisionChanged();

private:
    // A file of a draft: read and in the store, or on its way, or refused.
    struct Pending {
        Attachment attachment;  // its id: kNoId until it is read
        QString problem;
        quint64 ticket = 0;  // of its reading
        std::shared_ptr<std::atomic<bool>> unwanted = nullptr;
        bool isReading() const { return attachment.id == kNoId && problem.isEmpty(); }
    };
    struct OfChat {
        qint64 conversationId = kNoId;
        bool known = false;
        QHash<qint64, QList<Attachment>> byQuestion;
        QHash<qint64, QList<UsedPassage>> passages;  // by question
        QList<Attachment> ofProject;                 // that went with a question
    };
    QList<Pending> stored(qint64 conversationId);
    QList<Pending>& draftOf(qint64 conversationId);
    void attachOne(const QString& path);
    void readDone(qint64 conversationId, quint64 ticket, const ReadFile& file);
    void recount();
    const OfChat& ofChat();
    const Attachment* find(qint64 attachmentId);
    qint64 questionOf(qint64 answerId) const;
    QString describe(const Attachment& attachment) const;
    int mostWhole() const;
    int mostSearched() const;
    WantedDocument wanted(const Attachment& attachment) const;
    void decideUses(QList<Attachment>& attachments);
    static bool isWholeIn(const QList<UsedPassage>& used, const Attachment& file);
    QList<Attachment> newWholes(const QList<Attachment>& ofProject, const QList<Attachment>& all,
                                const QList<UsedPassage>& used) const;
    void gather(qint64 conversationId, const QList<Message>& path,
                const std::function<void(const QList<Message>&)>& done);
    void sweepSoon();
    void sweep();

    ConversationStore& store_;
    Chats& chats_;
    ActiveModel& model_;
    std::unique_ptr<QTemporaryDir> ownFolder_;  // where nothing can be kept; else null
    DocumentDesk desk_;
    DocumentPage page_;
    ProjectFiles projectFiles_;
    QHash<qint64, QList<Pending>> drafts_;  // by conversation, as far as they were shown
    OfChat ofChat_;
    QTimer sweepTimer_;
    quint64 tickets_ = 0;
    int readings_ = 0;  // under way, imports too
    int revision_ = 0;
};

}  // namespace hearth::ui
