// What the window shows and what its controls do: the one object handed to Main.qml, as the
// property `app`. It decides the order in which things happen (on disk first, then the engine) and
// holds no chat data of its own beyond the reply being written.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QElapsedTimer>
#include <QHash>
#include <QObject>
#include <QTimer>
#include <QUrl>

#include "conversation_list_model.h"
#include "conversation_store.h"
#include "engine_status.h"
#include "inference_service.h"
#include "message_list_model.h"

namespace hearth::ui {

class AppSettings;
class SystemTheme;

class AppController : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("main() makes it")
    Q_PROPERTY(hearth::ui::ConversationListModel* conversations READ conversations CONSTANT)
    Q_PROPERTY(hearth::ui::MessageListModel* messages READ messages CONSTANT)
    Q_PROPERTY(hearth::ui::EngineStatus* engine READ engine CONSTANT)
    // -1: a new conversation that has no message yet
    Q_PROPERTY(qint64 currentConversationId READ currentConversationId NOTIFY currentChanged)
    Q_PROPERTY(QString currentTitle READ currentTitle NOTIFY currentTitleChanged)
    // An answer is being written, here or in another conversation.
    Q_PROPERTY(bool generating READ generating NOTIFY generatingChanged)
    // The conversation it is written in, else -1.
    Q_PROPERTY(
        qint64 generatingConversationId READ generatingConversationId NOTIFY generatingChanged)
    // Nothing is written to disk: no sending, renaming, deleting. The notice says why.
    Q_PROPERTY(bool readOnly READ readOnly NOTIFY readOnlyChanged)
    // A message would be accepted now: not read only, nothing generating, a model ready or loading.
    Q_PROPERTY(bool canSend READ canSend NOTIFY canSendChanged)
    // What stands in the input field, kept per conversation and on disk.
    Q_PROPERTY(QString draft READ draft WRITE setDraft NOTIFY draftChanged)
    // The banner; an empty text means none.
    Q_PROPERTY(QString noticeText READ noticeText NOTIFY noticeChanged)
    Q_PROPERTY(QString noticeKind READ noticeKind NOTIFY noticeChanged)  // "info" "warning" "error"
    // What a button on the banner should do: "" (none), "openModel", "reloadModel".
    Q_PROPERTY(QString noticeAction READ noticeAction NOTIFY noticeChanged)
    Q_PROPERTY(bool canUndoDelete READ canUndoDelete NOTIFY undoChanged)
    Q_PROPERTY(QString undoText READ undoText NOTIFY undoChanged)  // "“Rain” was deleted."
    Q_PROPERTY(bool dark READ dark NOTIFY darkChanged)
    // "system", "light", "dark"; kept in the settings
    Q_PROPERTY(QString themeMode READ themeMode WRITE setThemeMode NOTIFY themeModeChanged)
    Q_PROPERTY(QString version READ version CONSTANT)        // "0.1.0"
    Q_PROPERTY(QString dataFolder READ dataFolder CONSTANT)  // for "About": where the chats are

public:
    // All three outlive the controller. The store is open.
    AppController(InferenceService& inference, ConversationStore& store, AppSettings& settings,
                  QObject* parent = nullptr);
    ~AppController() override;

    ConversationListModel* conversations() { return &conversations_; }
    MessageListModel* messages() { return &messages_; }
    EngineStatus* engine() { return &engine_; }
    qint64 currentConversationId() const { return currentId_; }
    QString currentTitle() const;
    bool generating() const { return reply_.active; }
    qint64 generatingConversationId() const {
        return reply_.active ? reply_.conversationId : kNoId;
    }
    bool readOnly() const { return store_.readOnly(); }
    bool canSend() const;
    QString draft() const { return draft_; }
    void setDraft(const QString& text);
    QString noticeText() const { return notice_.text; }
    QString noticeKind() const { return notice_.kind; }
    QString noticeAction() const { return notice_.action; }
    bool canUndoDelete() const { return deletedId_ != kNoId; }
    QString undoText() const;
    bool dark() const;
    QString themeMode() const;
    void setThemeMode(const QString& mode);
    QString version() const;
    QString dataFolder() const;

    Q_INVOKABLE void newConversation();
    Q_INVOKABLE void selectConversation(qint64 id);
    Q_INVOKABLE void renameConversation(qint64 id, const QString& title);
    Q_INVOKABLE void deleteConversation(qint64 id);
    Q_INVOKABLE void undoDelete();
    Q_INVOKABLE void dismissUndo();  // the offer goes away; the conversation stays deleted
    // True: the message is on disk and the draft was cleared. False: nothing was sent, a notice
    // says why (blank text is ignored without one), and the text is still the caller's.
    Q_INVOKABLE bool send(const QString& text);
    Q_INVOKABLE void stop();
    // A further version of an answer. For a question: one more answer to it.
    Q_INVOKABLE bool regenerate(qint64 messageId);
    // A further version of a question, which is answered, or of an answer. The old one stays.
    Q_INVOKABLE bool edit(qint64 messageId, const QString& newText);
    Q_INVOKABLE void selectVersion(qint64 messageId, int index);
    Q_INVOKABLE void copyText(const QString& text);
    Q_INVOKABLE void openModelFile(const QUrl& url);
    Q_INVOKABLE void openModelPath(const QString& path);
    Q_INVOKABLE void reloadModel();
    Q_INVOKABLE void dismissNotice();

    // A banner. kind: "info", "warning", "error".
    void notify(const QString& kind, const QString& text, const QString& action = {});
    // As said at the start about the disk: it goes away once something was written.
    void notifyAboutDisk(const QString& kind, const QString& text);
    // Writes what is pending: the draft, the reply so far.
    void flush();
    // Before the program ends: stops the reply and writes everything. Nothing may be called
    // afterwards.
    void close();

    // At most this much of a reply, in time, is lost when the process is killed.
    static constexpr int kCheckpointMs = 250;

signals:
    void currentChanged();
    void currentTitleChanged();
    void generatingChanged();
    void readOnlyChanged();
    void canSendChanged();
    void draftChanged();
    void noticeChanged();
    void undoChanged();
    void darkChanged();
    void themeModeChanged();
    // The message and its empty answer are on disk; inference comes next.
    void sent(qint64 conversationId, qint64 messageId);
    // Text was added to the answer, as shown.
    void replyShown(qint64 messageId, const QString& text);
    // The answer is complete, stopped or failed, and on disk.
    void replyEnded(qint64 messageId);

private:
    // The answer being written.
    struct Reply {
        bool active = false;
        bool started = false;  // the engine works on it; false: it waits for the model to load
        quint64 requestId = 0;
        qint64 conversationId = kNoId;
        qint64 messageId = kNoId;
        QString text;
        qsizetype savedLength = 0;  // of text, at the last checkpoint
    };
    // A finished answer the disk did not take yet.
    struct Unsaved {
        qint64 messageId = kNoId;
        QString text;
        MessageState state = MessageState::Complete;
        QString errorText;
        ReplyStats stats;
    };
    // What a notice is about says when it goes away by itself.
    enum class About {
        Program,       // stays until it is dismissed or replaced
        Conversation,  // another conversation is shown
        Disk,          // a message is written again
        Draft,         // the draft, or a message, is written again
    };
    struct Notice {
        QString text;
        QString kind;
        QString action;
        About about = About::Program;
    };

    void connectInference();
    void showConversation(qint64 id);
    void reloadMessages();
    void refreshSummary(qint64 conversationId);
    void beginReply(qint64 conversationId, qint64 assistantId);
    void loadModel(const QString& path);
    void onLoaded(const LoadedModel& model);
    void onLoadFailed(const QString& sentence);
    void startGeneration();
    void onPieces(quint64 requestId, const QString& text);
    void onFinished(quint64 requestId, const GenerationSummary& summary);
    void onFailed(quint64 requestId, const QString& sentence);
    void endReply(MessageState state, const QString& errorText, const ReplyStats& stats);
    void checkpoint();
    void retryUnsaved();
    void saveDraft();
    void setNotice(const Notice& notice);
    void notifyAbout(qint64 conversationId, const QString& text);
    void storeFailed(const QString& what, About about = About::Disk);
    void storeWorked();
    bool mayAnswer();
    bool mayWrite();

    InferenceService& inference_;
    ConversationStore& store_;
    AppSettings& settings_;
    SystemTheme* systemTheme_;
    ConversationListModel conversations_;
    MessageListModel messages_;
    EngineStatus engine_;
    qint64 currentId_ = kNoId;
    QString draft_;
    bool draftDirty_ = false;
    QTimer draftTimer_;
    Notice notice_;
    QHash<qint64, Notice> later_;  // about conversations that are not shown
    qint64 deletedId_ = kNoId;
    QString deletedTitle_;
    QTimer purgeTimer_;
    QTimer retryTimer_;
    bool saveFailed_ = false;  // a notice says so
    Reply reply_;
    QList<Unsaved> unsaved_;
    QTimer checkpointTimer_;
    QElapsedTimer sinceCheckpoint_;
    quint64 nextRequestId_ = 1;
    int contextTokens_ = 0;
    QString lastGoodModel_;
    bool closed_ = false;
};

}  // namespace hearth::ui
