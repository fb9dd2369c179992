// The conversations on disk: one SQLite file.
//
// Promises: a question and the empty row of its answer are one transaction, on disk (synced) when
// the call returns. Nothing is overwritten: versions are rows. A file this build cannot read is
// moved aside, never deleted. One process writes; a second one reads.
//
// Called from one thread (the GUI's); each call is a few small statements. An empty optional or
// false means the disk said no: lastError() says what, and nothing of the call was stored.
#pragma once

#include <QList>
#include <QString>
#include <QVariant>
#include <memory>
#include <optional>

#include "conversation.h"
#include "store_error.h"

class QSqlDatabase;
class QSqlQuery;

namespace hearth::ui {

class InstanceLock;

class ConversationStore {
public:
    enum class Mode {
        Closed,
        ReadWrite,
        ReadOnly,  // from a newer version, or another window has it
        Memory,    // the folder cannot be written: old chats are there, new ones last until the end
    };
    struct OpenReport {
        Mode mode = Mode::Closed;
        QString noticeKind;  // "" when there is nothing to say
        QString noticeText;
        int interrupted = 0;         // answers a crash had cut off
        bool heldByAnother = false;  // read only because of that
        bool diskFull = false;       // the notice is true until something could be written
    };
    struct Sent {
        qint64 conversationId = kNoId;
        qint64 userId = kNoId;
        qint64 assistantId = kNoId;
    };

    ConversationStore();
    ~ConversationStore();
    ConversationStore(const ConversationStore&) = delete;
    ConversationStore& operator=(const ConversationStore&) = delete;

    // Opens or makes folder/hearth.db, migrates it, marks cut-off answers, purges what
    // has been in the bin for kBinMs.
    // Always ends in a usable state; the report says which.
    OpenReport open(const QString& folder);
    // Nothing on disk at all: tests and the demo.
    OpenReport openInMemory();
    void close();

    Mode mode() const { return mode_; }
    bool readOnly() const { return mode_ != Mode::ReadWrite && mode_ != Mode::Memory; }
    QString folder() const { return folder_; }
    const StoreError& lastError() const { return lastError_; }
    QString connectionName() const { return connection_; }

    // Latest first, without the deleted ones.
    QList<ConversationSummary> conversations();
    std::optional<ConversationSummary> summary(qint64 conversationId);
    // From the first message to the active leaf, version counts filled in.
    QList<Message> activePath(qint64 conversationId);
    // From the first message to this one.
    QList<Message> pathTo(qint64 messageId);
    std::optional<Message> message(qint64 messageId);
    qint64 conversationOf(qint64 messageId);
    // What the model is told before the conversation; empty: nothing.
    QString systemPrompt(qint64 conversationId);

    // The user's message at the end of the active path, and the answer's row (Generating).
    // conversationId kNoId: in a new conversation called after the text, which begins with
    // systemPrompt and keeps it. clearDraft: the draft of
    // that conversation was this text and goes in the same step.
    std::optional<Sent> send(qint64 conversationId, const QString& text, bool clearDraft = true,
                             const QString& systemPrompt = {});
    // A further version of an answer (or a further answer to a question): its row (Generating).
    std::optional<qint64> addAnswer(qint64 messageId);
    // A further version of a question, and the answer's row.
    std::optional<Sent> addQuestion(qint64 messageId, const QString& text);
    // A further version of an answer, written by the user (Complete).
    std::optional<qint64> addEditedAnswer(qint64 messageId, const QString& text);

    // The answer so far; survives the end of the process, not yet a loss of power.
    bool checkpointReply(qint64 messageId, const QString& text);
    // The answer's end; survives a loss of power.
    bool finishReply(qint64 messageId, const QString& text, MessageState state,
                     const QString& errorText, const ReplyStats& stats);

    // Shows version `index` of a message: the path goes on to its latest descendant.
    bool selectVersion(qint64 messageId, int index);
    bool rename(qint64 conversationId, const QString& title);
    bool remove(
        qint64 conversationId);  // into the bin: restore() brings it back until it is purged
    bool restore(qint64 conversationId);
    // What the bin holds, deleted last at the end. Without previews.
    QList<ConversationSummary> deleted();
    // Removes for good what was deleted at least olderThanMs ago.
    bool purge(qint64 olderThanMs);
    // How long the bin keeps a conversation.
    static constexpr qint64 kBinMs = qint64{30} * 24 * 60 * 60 * 1000;

    // kNoId: the draft of the conversation that does not exist yet.
    QString draft(qint64 conversationId);
    bool setDraft(qint64 conversationId, const QString& text);

private:
    QSqlDatabase database() const;
    bool openConnection(const QString& file);
    void closeConnection();
    OpenReport openWritable(const QString& file);
    bool openOnFullDisk(const QString& file);
    OpenReport openReadOnly(const QString& file, const QString& why);
    OpenReport openWithoutDisk(const QString& file, const QString& why);
    void copyInto(const QString& file);
    bool configure();
    bool migrate();
    int schemaVersion();
    bool isDamaged(const QString& file);
    bool run(const QString& sql, const QVariantList& values = {});
    // The first column of the first row; null if there is none. Empty: it could not be asked.
    // Within a transaction that ends it: SQLite may have rolled back already, and what was written
    // next would stand alone.
    std::optional<QVariant> ask(const QString& sql, const QVariantList& values = {});
    // The same where a failure and nothing are one: looking, not writing.
    QVariant value(const QString& sql, const QVariantList& values = {});
    // Commits are synced from here on. False: they are not, and lastError() says why.
    bool syncFully();
    bool run(QSqlQuery& query, const QString& sql, const QVariantList& values);
    std::optional<qint64> insertMessage(qint64 conversationId, qint64 parentId, Role role,
                                        const QString& text, MessageState state);
    bool setLeaf(qint64 conversationId, qint64 messageId);

    QString folder_;
    QString connection_;
    Mode mode_ = Mode::Closed;
    StoreError lastError_;
    bool syncs_ = true;  // false: a checkpoint could not put the setting back
    std::unique_ptr<InstanceLock> lock_;
};

// The title a conversation gets from its first message.
QString titleFrom(const QString& firstMessage);

}  // namespace hearth::ui
