// Asks the model and shows its answers: sending, stopping, answering again. A question is written
// to the disk before the engine begins. One answer is written at a time: a question in another
// conversation waits for its turn.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "bridge/inference_service.h"
#include "conversation/reply_writer.h"
#include "store/conversation.h"

namespace hearth::ui {

class ActiveModel;
class AppSettings;
class Attachments;
class ChatTools;
class Chats;
class ConversationStore;
class Notices;
class Projects;
class ToolRounds;

class Replies : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    // An answer is being written, in this or another conversation.
    Q_PROPERTY(bool generating READ generating NOTIFY generatingChanged)
    // In the shown conversation an answer is being written, or waits for its turn.
    Q_PROPERTY(bool answeringHere READ answeringHere NOTIFY canSendChanged)
    // A message would be accepted now: not read only, not answeringHere, a model ready or loading.
    Q_PROPERTY(bool canSend READ canSend NOTIFY canSendChanged)

public:
    // All parts outlive it.
    struct Parts {
        InferenceService& inference;
        ConversationStore& store;
        AppSettings& settings;
        Notices& notices;
        ActiveModel& model;
        ReplyWriter& writer;
        Chats& chats;
        ChatTools& chatTools;
        ToolRounds& rounds;
        Attachments& attachments;
        Projects& projects;
    };
    explicit Replies(const Parts& parts, QObject* parent = nullptr);

    bool generating() const;
    qint64 conversationId() const;  // the conversation of the answer under way, else kNoId
    // True if an answer is being written in it, or waits for its turn.
    bool answersIn(qint64 conversationId) const;
    bool answeringHere() const;
    bool canSend() const;

    // True: the message is on disk and the draft was cleared. False: nothing was sent, a notice
    // says why (blank text is ignored without one), and the text still belongs to the caller.
    Q_INVOKABLE bool send(const QString& text);
    // Stops the answer in the shown conversation: it ends, or loses its place in the queue.
    Q_INVOKABLE void stop();
    // Writes a further version of an answer. For a question: one more answer to it.
    Q_INVOKABLE bool regenerate(qint64 messageId);
    // Goes on from the text of the last answer of the shown conversation, in the same message.
    Q_INVOKABLE bool continueAnswer(qint64 messageId);
    // Adds a version of a question, which is answered, or of an answer. The old one stays.
    Q_INVOKABLE bool edit(qint64 messageId, const QString& newText);

    // Called before the program ends: the reply so far counts as stopped, a waiting one as
    // interrupted.
    void close();

signals:
    void generatingChanged();
    void canSendChanged();
    // The message and its empty answer are on disk; inference comes next.
    void sent(qint64 conversationId, qint64 messageId);
    // An answer that was complete with this text goes on.
    void reopened(qint64 messageId, const QString& former);
    // Text was added to the answer, as shown.
    void replyShown(qint64 messageId, const QString& text);
    // The answer is complete, stopped or failed, and on disk.
    void replyEnded(qint64 messageId);

private:
    bool mayAnswer();
    void begin(const ReplyWriter::Waiting& answer);
    void start(const ReplyWriter::Waiting& answer);
    void startNext();
    void generate();
    void ask(const QList<Message>& path);
    void stopIn(qint64 conversationId);
    void endUnbegun(const ReplyWriter::Waiting& answer, MessageState state,
                    const QString& errorText);
    ReplyStats statsOf(const GenerationSummary& summary) const;
    void showActivity();
    bool isOurs(quint64 requestId) const;
    bool waitsForModel() const;
    void onPieces(quint64 requestId, const QString& text);
    void addText(const QString& text);
    void onFinished(quint64 requestId, const GenerationSummary& summary);
    void onRoundDone();
    void end(MessageState state, const QString& errorText, const ReplyStats& stats);

    Parts parts_;
    quint64 requestId_ = 0;   // 0: the answer waits for the model to load
    bool gathering_ = false;  // the texts of documents are on their way; nothing is asked yet
    quint64 lastRequestId_ = 0;
    int mostTokens_ = -1;  // limit of the answer under way
    QString modelName_;    // that writes it, after those that wrote its beginning
    QList<qint64> asked_;  // the messages that the engine was given, the first one first
    // The answer's rounds before this one have so many; without calls of tools there are none.
    int earlierTokens_ = 0;
    double earlierFirstTokenMs_ = 0;
};

}  // namespace hearth::ui
