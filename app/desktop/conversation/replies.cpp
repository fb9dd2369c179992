#include "conversation/replies.h"

#include <QLoggingCategory>

#include "conversation/attachments.h"
#include "conversation/chats.h"
#include "conversation/reply_writer.h"
#include "settings/app_settings.h"
#include "status/active_model.h"
#include "status/notices.h"

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcChat, "hearth.chat")

namespace {

// The notice for a complete answer; empty: none.
QString noticeOf(const GenerationSummary& summary, int contextTokens, int mostTokens) {
    if (!summary.notice.isEmpty()) {
        return Replies::tr("Something changed while this was written (%1). The answer is complete.")
            .arg(summary.notice);
    }
    if (summary.droppedMessages == 1) {
        return Replies::tr(
                   "The first message no longer fits into the model's context (%1 tokens). The "
                   "model has not seen it; it is still here.")
            .arg(contextTokens);
    }
    if (summary.droppedMessages > 1) {
        return Replies::tr(
                   "The first %1 messages no longer fit into the model's context (%2 tokens). "
                   "The model has not seen them; they are still here.")
            .arg(summary.droppedMessages)
            .arg(contextTokens);
    }
    if (summary.finish == GenerationSummary::Finish::Length && mostTokens > 0 &&
        summary.tokenCount >= mostTokens) {
        return Replies::tr(
                   "The answer ends here because the settings allow no more than %1 tokens.")
            .arg(mostTokens);
    }
    if (summary.finish == GenerationSummary::Finish::Length) {
        return Replies::tr("The answer ends here because the model's context (%1 tokens) is full.")
            .arg(contextTokens);
    }
    return {};
}

// As the engine keeps what it remembers of it.
QString nameOf(qint64 conversationId) {
    return QString::number(conversationId);
}

}  // namespace

Replies::Replies(const Parts& parts, QObject* parent) : QObject(parent), parts_(parts) {
    connect(&parts_.model, &EngineStatus::changed, this, &Replies::canSendChanged);
    connect(this, &Replies::generatingChanged, this, &Replies::canSendChanged);
    connect(this, &Replies::generatingChanged, this, &Replies::showActivity);
    connect(&parts_.chats, &Chats::currentChanged, this, &Replies::canSendChanged);
    connect(&parts_.model, &ActiveModel::loaded, this, [this] {
        if (waitsForModel()) {
            generate();
        }
    });
    connect(&parts_.model, &ActiveModel::failed, this, [this](const QString& sentence) {
        if (waitsForModel()) {
            end(MessageState::Failed, sentence, {});
        }
    });
    connect(&parts_.chats, &Chats::removing, this, [this](qint64 conversationId) {
        stopIn(conversationId);
        parts_.inference.forget(nameOf(conversationId));
    });
    connect(&parts_.inference, &InferenceService::pieces, this, &Replies::onPieces);
    connect(&parts_.inference, &InferenceService::finished, this, &Replies::onFinished);
    connect(&parts_.inference, &InferenceService::failed, this,
            [this](quint64 requestId, const QString& sentence) {
                if (isOurs(requestId)) {
                    end(MessageState::Failed, sentence, {});
                }
            });
}

bool Replies::generating() const {
    return parts_.writer.active();
}

qint64 Replies::conversationId() const {
    return parts_.writer.conversationId();
}

bool Replies::answersIn(qint64 id) const {
    return id != kNoId && (conversationId() == id || parts_.writer.waitsIn(id));
}

bool Replies::answeringHere() const {
    return answersIn(parts_.chats.currentId());
}

bool Replies::canSend() const {
    return !parts_.chats.readOnly() && !answeringHere() &&
           (parts_.model.isReady() || parts_.model.isLoading());
}

bool Replies::isOurs(quint64 requestId) const {
    return generating() && requestId_ != 0 && requestId == requestId_;
}

bool Replies::waitsForModel() const {
    return generating() && requestId_ == 0;
}

bool Replies::mayAnswer() {
    if (answeringHere() || !parts_.chats.mayWrite()) {
        return false;
    }
    if (!canSend()) {
        parts_.notices.notify(QStringLiteral("warning"),
                              tr("There is no model to answer. Open one first."),
                              QStringLiteral("openModel"));
        return false;
    }
    return true;
}

bool Replies::send(const QString& text) {
    if (text.trimmed().isEmpty() || !mayAnswer()) {
        return false;
    }
    const bool isNew = parts_.chats.currentId() == kNoId;
    const auto added =
        parts_.chats.addMessage(text, parts_.settings.systemPrompt(parts_.model.path()));
    if (!added) {
        return false;
    }
    parts_.attachments.refresh();
    begin(added->conversationId, added->assistantId);
    if (isNew) {
        parts_.chats.announce();
    }
    emit sent(added->conversationId, added->userId);
    return true;
}

bool Replies::regenerate(qint64 messageId) {
    if (parts_.chats.messages()->indexOf(messageId) < 0 || !mayAnswer()) {
        return false;
    }
    const auto answer = parts_.store.addAnswer(messageId);
    if (!parts_.chats.written(answer.has_value(), tr("The new answer could not be started."))) {
        return false;
    }
    begin(parts_.chats.currentId(), *answer);
    return true;
}

bool Replies::edit(qint64 messageId, const QString& newText) {
    const Message* message = parts_.chats.messages()->find(messageId);
    if (message == nullptr || newText.trimmed().isEmpty()) {
        return false;
    }
    if (message->role != MessageRole::User) {
        return message->state != MessageState::Generating &&
               message->state != MessageState::Waiting &&
               parts_.chats.addEditedAnswer(messageId, newText);
    }
    if (!mayAnswer()) {
        return false;
    }
    const auto added = parts_.store.addQuestion(messageId, newText);
    if (!parts_.chats.written(added.has_value(), tr("The changed message was not sent."))) {
        return false;
    }
    parts_.attachments.refresh();
    begin(added->conversationId, added->assistantId);
    emit sent(added->conversationId, added->userId);
    return true;
}

// The question and the answer's row are on disk.
void Replies::begin(qint64 conversationId, qint64 assistantId) {
    if (generating()) {
        parts_.writer.wait({conversationId, assistantId});
        qCInfo(lcChat) << "waiting: message" << assistantId;
        parts_.chats.reloadMessages();
        parts_.chats.refreshSummary(conversationId);
    } else {
        start(conversationId, assistantId);
    }
    emit generatingChanged();
}

void Replies::start(qint64 conversationId, qint64 assistantId) {
    parts_.writer.begin(conversationId, assistantId);
    requestId_ = 0;
    if (conversationId == parts_.chats.currentId()) {
        parts_.chats.reloadMessages();
    }
    parts_.chats.refreshSummary(conversationId);
    qCInfo(lcChat) << "answering: message" << assistantId;
    if (parts_.model.isReady()) {
        generate();
    }
}

void Replies::startNext() {
    while (!generating() && !parts_.writer.waiting().isEmpty()) {
        const ReplyWriter::Waiting next = parts_.writer.takeFirstWaiting();
        if (parts_.model.isReady() || parts_.model.isLoading()) {
            start(next.conversationId, next.messageId);
        } else {
            endUnbegun(next.conversationId, next.messageId, MessageState::Failed,
                       tr("There is no model to answer. Open one first."));
        }
    }
}

void Replies::endUnbegun(qint64 conversationId, qint64 messageId, MessageState state,
                         const QString& errorText) {
    parts_.writer.endUnbegun(messageId, state, errorText);
    parts_.chats.messages()->setResult(messageId, state, errorText, {});
    parts_.chats.refreshSummary(conversationId);
}

void Replies::showActivity() {
    QList<qint64> waiting;
    for (const ReplyWriter::Waiting& answer : parts_.writer.waiting()) {
        waiting.append(answer.conversationId);
    }
    parts_.chats.conversations()->setActivity(conversationId(), waiting);
}

void Replies::generate() {
    requestId_ = ++lastRequestId_;
    gathering_ = true;
    parts_.attachments.bring(conversationId(), parts_.store.pathTo(parts_.writer.messageId()),
                             [this, id = requestId_](const QList<Message>& path) {
                                 if (isOurs(id)) {
                                     gathering_ = false;
                                     ask(path);
                                 }
                             });
}

// path: as the model gets it, with the texts of documents.
void Replies::ask(const QList<Message>& path) {
    QList<ChatTurn> turns;
    // The prompt is the one that the conversation began with, whatever the settings say now: the
    // same question gets the same answer.
    const QString systemPrompt = parts_.store.systemPrompt(conversationId());
    if (!systemPrompt.isEmpty()) {
        turns.append({toString(MessageRole::System), systemPrompt});
    }
    for (const Message& message : path) {
        if (message.id != parts_.writer.messageId() && !message.content.isEmpty()) {
            turns.append({toString(message.role), message.content});
        }
    }
    GenerationSettings settings = parts_.settings.generation(parts_.model.path());
    if (!parts_.store.isInMemory()) {
        settings.conversation = nameOf(conversationId());
    }
    mostTokens_ = settings.maxTokens;
    parts_.inference.generate(requestId_, turns, settings);
}

void Replies::stop() {
    stopIn(parts_.chats.currentId());
}

void Replies::stopIn(qint64 id) {
    if (const auto waiting = parts_.writer.takeWaiting(id)) {
        endUnbegun(id, waiting->messageId, MessageState::Stopped, {});
        emit generatingChanged();
        emit replyEnded(waiting->messageId);
    } else if (!generating() || conversationId() != id) {
        return;
    } else if (waitsForModel() || gathering_) {
        end(MessageState::Stopped, {}, {});
    } else {
        parts_.inference.cancel();  // onFinished() follows
    }
}

void Replies::close() {
    while (!parts_.writer.waiting().isEmpty()) {
        const ReplyWriter::Waiting answer = parts_.writer.takeFirstWaiting();
        endUnbegun(answer.conversationId, answer.messageId, MessageState::Interrupted, {});
    }
    if (generating()) {
        parts_.inference.cancel();
        end(MessageState::Stopped, {}, {});
    }
}

void Replies::onPieces(quint64 requestId, const QString& text) {
    if (!isOurs(requestId)) {
        return;
    }
    parts_.writer.append(text);
    parts_.chats.messages()->appendText(parts_.writer.messageId(), text);
    emit replyShown(parts_.writer.messageId(), text);
    parts_.writer.checkpointIfDue();
}

void Replies::onFinished(quint64 requestId, const GenerationSummary& summary) {
    if (!isOurs(requestId)) {
        return;
    }
    const qint64 conversation = conversationId();
    const bool cancelled = summary.finish == GenerationSummary::Finish::Cancelled;
    end(cancelled ? MessageState::Stopped : MessageState::Complete, {},
        {summary.tokenCount, summary.firstTokenMs, summary.tokensPerSecond, summary.device,
         expertShareWords(summary.experts)});
    const QString notice = noticeOf(summary, parts_.model.contextTokens(), mostTokens_);
    // An unsaved answer matters more.
    if (!parts_.notices.holds(Notices::Topic::Answer)) {
        parts_.notices.notifyAbout(conversation, conversation == parts_.chats.currentId(), notice);
    }
}

void Replies::end(MessageState state, const QString& errorText, const ReplyStats& stats) {
    const qint64 message = parts_.writer.messageId();
    const qint64 conversation = conversationId();
    gathering_ = false;
    parts_.writer.end(state, errorText, stats);
    qCInfo(lcChat).noquote() << "answered: message" << message << toString(state)
                             << stats.tokenCount << "tokens";
    parts_.chats.messages()->setResult(message, state, errorText, stats);
    parts_.chats.refreshSummary(conversation);
    startNext();
    emit generatingChanged();
    emit replyEnded(message);
}

}  // namespace hearth::ui
