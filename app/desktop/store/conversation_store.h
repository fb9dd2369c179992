// The conversations on disk: one SQLite file.
// One thread (the GUI's) makes all calls; each runs a few small statements. Another thread may read
// through a store of its own (openBeside()). An empty optional or
// false means that the disk refused: lastError() says why, and nothing of the call was stored.
// Promises: a question and the empty row of its answer are one transaction, on disk (synced) when
// the call returns. Nothing is overwritten: versions are rows. A file that this build cannot read
// is moved aside, never deleted. One process writes; a second one reads.
#pragma once

#include <QHash>
#include <QList>
#include <QString>
#include <QVariant>
#include <memory>
#include <optional>

#include "store/attachment.h"
#include "store/chat_record.h"
#include "store/conversation.h"
#include "store/project.h"
#include "store/store_error.h"

class QSqlDatabase;
class QSqlQuery;

namespace hearth::ui {

class InstanceLock;

class ConversationStore {
public:
    enum class Mode {
        Closed,
        ReadWrite,
        ReadOnly,  // from a newer version, or another window holds it
        Memory,    // the folder cannot be written: old chats are there, new ones last until the end
    };
    struct OpenReport {
        Mode mode = Mode::Closed;
        QString noticeKind;  // "" when there is nothing to say
        QString noticeText;
        int interrupted = 0;         // answers that a crash cut off
        bool heldByAnother = false;  // the reason for ReadOnly
        bool diskFull = false;       // the notice holds until something can be written
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

    // Opens or creates folder/hearth.db, migrates it, marks cut-off answers, and purges
    // conversations that were in the bin for kBinMs. Always ends in a usable state; the report says
    // which.
    OpenReport open(const QString& folder);
    // Reads what another store of this process has open, which may write meanwhile. The thread that
    // calls this makes all further calls. False: lastError() says why.
    bool openBeside(const QString& folder);
    // Uses no disk at all: for tests and the demo.
    OpenReport openInMemory();
    void close();

    Mode mode() const { return mode_; }
    bool isInMemory() const { return mode_ == Mode::Memory; }
    bool readOnly() const { return mode_ != Mode::ReadWrite && mode_ != Mode::Memory; }
    QString folder() const { return folder_; }
    const StoreError& lastError() const { return lastError_; }
    QString connectionName() const { return connection_; }

    // Pinned ones first, then latest first, without the deleted ones.
    QList<ConversationSummary> conversations();
    std::optional<ConversationSummary> summary(qint64 conversationId);
    // From the first message to the active leaf, version counts filled in.
    QList<Message> activePath(qint64 conversationId);
    // From the first message to this one.
    QList<Message> pathTo(qint64 messageId);
    // The last messages of either path, so many at most, without reading the others.
    QList<Message> activePathEnd(qint64 conversationId, int most);
    QList<Message> pathEnd(qint64 messageId, int most);
    std::optional<Message> message(qint64 messageId);
    qint64 conversationOf(qint64 messageId);
    // The text that the model gets before the conversation; empty: none.
    QString systemPrompt(qint64 conversationId);

    // Adds the user's message at the end of the active path, and the answer's row (Generating).
    // conversationId kNoId: creates a conversation named after the text, which begins with
    // systemPrompt and keeps it, in the project. clearDraft: the draft of that conversation was
    // this text. It is removed in the same step, and its documents become the message's.
    std::optional<Sent> send(qint64 conversationId, const QString& text, bool clearDraft = true,
                             const QString& systemPrompt = {}, qint64 projectId = kNoId);
    // Adds a version of an answer (or a further answer to a question): its row (Generating).
    std::optional<qint64> addAnswer(qint64 messageId);
    // Adds a version of a question, with the same documents, and the answer's row.
    std::optional<Sent> addQuestion(qint64 messageId, const QString& text);
    // Adds a version of an answer, written by the user (Complete).
    std::optional<qint64> addEditedAnswer(qint64 messageId, const QString& text);

    // Stores the answer so far; it survives the end of the process, not yet a loss of power.
    bool checkpointReply(qint64 messageId, const QString& text);
    // Stores the end of the answer; it survives a loss of power.
    bool finishReply(qint64 messageId, const QString& text, MessageState state,
                     const QString& errorText, const ReplyStats& stats);
    // The model that begins to write the answer, so that a kill does not lose its name.
    bool nameModel(qint64 messageId, const QString& model);
    // An answer with text, the last message of a shown path, is Generating again and keeps its
    // text. False also where it is none.
    bool reopenReply(qint64 messageId);

    // Adds a call to an answer that is being written, synced. Its number; empty: see lastError().
    std::optional<qint64> addToolCall(qint64 messageId, const CallRecord& call);
    // Stores state, result and thought of a call, synced.
    bool setToolCall(const CallRecord& call);
    // The folder in which tools may read; empty: none. Of kNoId: none.
    QString toolFolder(qint64 conversationId);
    bool setToolFolder(qint64 conversationId, const QString& folder);
    // "Always in this chat": of a tool, as ToolRounds names it.
    bool isToolAllowed(qint64 conversationId, const QString& permission);
    bool allowTool(qint64 conversationId, const QString& permission);
    bool forgetAllowedTools(qint64 conversationId);
    int allowedToolCount(qint64 conversationId);

    // By their names.
    QList<Project> projects();
    std::optional<Project> project(qint64 projectId);
    // The project of a conversation; kNoId: none.
    qint64 projectOf(qint64 conversationId);
    std::optional<qint64> addProject(const Project& project);
    // Another folder: the files of the former one are forgotten, and so are the permissions, which
    // were given for that one.
    bool setProject(const Project& project);
    // The project is gone for good. withChats: its chats are in the bin, else they belong to none.
    bool removeProject(qint64 projectId, bool withChats);
    // kNoId: into none. The permissions of the chat end.
    bool moveToProject(qint64 conversationId, qint64 projectId);
    // "Always in this project", as isToolAllowed() of a chat.
    bool isToolAllowedInProject(qint64 projectId, const QString& permission);
    bool allowToolInProject(qint64 projectId, const QString& permission);
    bool forgetProjectTools(qint64 projectId);
    int projectToolCount(qint64 projectId);
    // Attached files first, then those of the folder.
    QList<Attachment> projectFiles(qint64 projectId);
    // All or nothing. Files of the folder take the place of those with their path.
    bool addProjectFiles(qint64 projectId, const QList<Attachment>& files);
    // A file that went with a question stays with it.
    bool dropProjectFiles(const QList<qint64>& attachmentIds);
    // Files that went with a question of the conversation.
    QList<Attachment> usedProjectFiles(qint64 conversationId);

    // Shows version `index` of a message: the path continues to its latest descendant.
    bool selectVersion(qint64 messageId, int index);
    // Shows the versions that a message belongs to, down to its latest descendant.
    bool showMessage(qint64 messageId);
    bool rename(qint64 conversationId, const QString& title);
    bool setPinned(qint64 conversationId, bool pinned);
    bool setSystemPrompt(qint64 conversationId, const QString& text);
    bool remove(
        qint64 conversationId);  // into the bin: restore() brings it back until it is purged
    bool restore(qint64 conversationId);
    // The content of the bin, the latest deletion last. Without previews.
    QList<ConversationSummary> deleted();
    // Removes conversations for good that were deleted at least olderThanMs ago.
    bool purge(qint64 olderThanMs);
    // The time for which the bin keeps a conversation.
    static constexpr qint64 kBinMs = qint64{30} * 24 * 60 * 60 * 1000;

    // A whole chat, all versions of its messages; empty also where it is not there.
    std::optional<ChatRecord> record(qint64 conversationId);
    // Adds a chat as it was recorded, all or nothing. Empty also for a chat without messages.
    std::optional<qint64> add(const ChatRecord& chat);
    // The same in parts, so that none of them takes long: the first call to addPart() is with the
    // chat alone. Nobody sees the chat before it is there; one that never is goes at the next
    // open().
    struct ComingChat {
        ChatRecord chat;
        bool there = false;
        qint64 id = kNoId;
        QList<qint64> messages = {};                        // their ids, so far
        QHash<std::pair<int, int>, qint64> documents = {};  // ids by message and place there
    };
    static constexpr int kPartMessages = 100;
    static constexpr qsizetype kPartLetters = 200'000;
    bool addPart(ComingChat* coming);
    // Takes back what came of it. lastError() stays.
    void dropParts(const ComingChat& coming);

    // kNoId: the draft of a conversation that does not exist yet.
    QString draft(qint64 conversationId);
    bool setDraft(qint64 conversationId, const QString& text);

    // Documents of a draft (kNoId: of the conversation that does not exist yet), in their order.
    QList<Attachment> draftAttachments(qint64 conversationId);
    std::optional<qint64> addDraftAttachment(qint64 conversationId, const Attachment& attachment);
    bool removeDraftAttachment(qint64 attachmentId);
    bool setTokens(qint64 attachmentId, int tokens, bool exact);
    bool setUse(qint64 attachmentId, Attachment::Use use);
    // Documents of all messages of a conversation, and the passages that went with its questions.
    QList<Attachment> attachmentsIn(qint64 conversationId);
    QList<UsedPassage> usedPassages(qint64 conversationId);
    // In place of those that were noted for the question before.
    bool setUsedPassages(qint64 questionId, const QList<UsedPassage>& passages);
    // Names all documents, also of deleted chats that can be brought back. Empty optional: that
    // cannot be read.
    std::optional<QStringList> documentHashes();

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
    // The first column of the first row; null if there is none. Empty: the query failed. Within a
    // transaction a failure ends it: SQLite may have rolled back already, and the next write would
    // stand alone.
    std::optional<QVariant> ask(const QString& sql, const QVariantList& values = {});
    // The same for reads, where a failure counts as no result.
    QVariant value(const QString& sql, const QVariantList& values = {});
    // Commits are not synced from this call on: syncFully() comes before one that promises it.
    bool syncLess();
    // Commits are synced from this call on. False: they are not, and lastError() says why.
    bool syncFully();
    bool run(QSqlQuery& query, const QString& sql, const QVariantList& values);
    std::optional<qint64> insertMessage(qint64 conversationId, qint64 parentId, MessageRole role,
                                        const QString& text, MessageState state);
    bool setLeaf(qint64 conversationId, qint64 messageId);
    void readToolCalls(QList<Message>& path);
    void readToolCalls(qint64 conversationId, const QHash<qint64, int>& places, ChatRecord* chat);
    std::optional<qint64> insertToolCall(qint64 messageId, const CallRecord& call);
    QList<Attachment> attachments(const QString& condition, qint64 id);
    bool giveDraftTo(qint64 conversationId, qint64 messageId);
    bool copyAttachments(qint64 fromMessage, qint64 toMessage);
    bool dropProjectFile(qint64 attachmentId);
    bool dropFolderFiles(qint64 projectId);
    void addFiles(qint64 conversationId, const QHash<qint64, int>& places, ChatRecord* chat);
    bool beginChat(ComingChat* coming);
    bool insertRecorded(ComingChat* coming);
    bool endChat(ComingChat* coming);
    std::optional<qint64> projectNamed(const QString& name);

    QString folder_;
    QString connection_;
    Mode mode_ = Mode::Closed;
    StoreError lastError_;
    bool syncs_ = true;  // false: a checkpoint could not restore the setting
    std::unique_ptr<InstanceLock> lock_;
};

// The title that a conversation gets from its first message.
QString titleFrom(const QString& firstMessage);

}  // namespace hearth::ui
