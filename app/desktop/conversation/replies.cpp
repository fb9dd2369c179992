#include "conversation/replies.h"

#include <QLoggingCategory>

#include "conversation/answer_turns.h"
#include "conversation/attachments.h"
#include "conversation/chat_tools.h"
#include "conversation/chats.h"
#include "conversation/projects.h"
#include "conversation/tool_rounds.h"
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
    if (summary.droppedMessages > 0) {
        return Replies::tr(
                   "The first %n messages no longer fit into the model's context (%1 tokens). "
                   "The model has not seen them; they are still here.",
                   nullptr, summary.droppedMessages)
            .arg(contextTokens);
    }
    if (summary.finish == GenerationSummary::Finish::Length && mostTokens > 0 &&
        summary.tokenCount >= mostTokens) {
        return Replies::tr(
                   "The answer ends here because the settings allow no more than %1 tokens.")
            .arg(mostTokens);
    }
    if (summary.finish == GenerationSummary::Finish::Length && contextTokens <= 0) {
        return Replies::tr("The answer ends here because the server allows no more tokens.");
    }
    if (summary.finish == GenerationSummary::Finish::Length) {
        return Replies::tr("The answer ends here because the model's context (%1 tokens) is full.")
            .arg(contextTokens);
    }
    return {};
}

// The names of the models that wrote an answer one after the other.
QString namesTogether(const QString& former, const QString& now) {
    const QString separator = QStringLiteral(", ");
    const bool isLast = former == now || former.endsWith(separator + now);
    return former.isEmpty() ? now : isLast ? former : former + separator + now;
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
    connect(&parts_.rounds, &ToolRounds::roundDone, this, &Replies::onRoundDone);
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
    if (isNew) {
        parts_.chatTools.adopt(added->conversationId);
    }
    begin({added->conversationId, added->assistantId});
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
    begin({parts_.chats.currentId(), *answer});
    return true;
}

bool Replies::continueAnswer(qint64 messageId) {
    const Message* message = parts_.chats.messages()->find(messageId);
    if (message == nullptr || message->role != MessageRole::Assistant ||
        message->content.isEmpty() || !mayAnswer()) {
        return false;
    }
    if (!parts_.model.host().isEmpty()) {
        parts_.notices.notify(QStringLiteral("info"),
                              tr("A model that is not local cannot go on from the text of an "
                                 "answer. Ask for another answer."));
        return false;
    }
    const ReplyWriter::Waiting answer{parts_.chats.currentId(), messageId, message->content,
                                      message->stats};
    if (!parts_.chats.written(parts_.store.reopenReply(messageId),
                              tr("The answer could not be continued."))) {
        return false;
    }
    emit reopened(messageId, answer.text);
    begin(answer);
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
    begin({added->conversationId, added->assistantId});
    emit sent(added->conversationId, added->userId);
    return true;
}

// The question and the answer's row are on disk.
void Replies::begin(const ReplyWriter::Waiting& answer) {
    if (generating()) {
        parts_.writer.wait(answer);
        qCInfo(lcChat) << "waiting: message" << answer.messageId;
        parts_.chats.reloadMessages();
        parts_.chats.refreshSummary(answer.conversationId);
    } else {
        start(answer);
    }
    emit generatingChanged();
}

void Replies::start(const ReplyWriter::Waiting& answer) {
    parts_.writer.begin(answer);
    parts_.rounds.begin(answer.conversationId, answer.messageId);
    earlierTokens_ = 0;
    earlierFirstTokenMs_ = 0;
    requestId_ = 0;
    if (answer.conversationId == parts_.chats.currentId()) {
        parts_.chats.reloadMessages();
    }
    parts_.chats.refreshSummary(answer.conversationId);
    qCInfo(lcChat) << "answering: message" << answer.messageId;
    parts_.projects.bringModel(answer.conversationId);
    if (parts_.model.isReady()) {
        generate();
    }
}

void Replies::startNext() {
    while (!generating() && !parts_.writer.waiting().isEmpty()) {
        const ReplyWriter::Waiting next = parts_.writer.takeFirstWaiting();
        if (parts_.model.isReady() || parts_.model.isLoading()) {
            start(next);
        } else {
            endUnbegun(next, MessageState::Failed,
                       tr("There is no model to answer. Open one first."));
        }
    }
}

void Replies::endUnbegun(const ReplyWriter::Waiting& answer, MessageState state,
                         const QString& errorText) {
    parts_.writer.endUnbegun(answer, state, errorText);
    parts_.chats.messages()->setResult(answer.messageId, state, errorText, answer.stats);
    parts_.chats.refreshSummary(answer.conversationId);
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
    const QString systemPrompt = parts_.projects.instructionsOf(conversationId());
    if (!systemPrompt.isEmpty()) {
        turns.append({toString(MessageRole::System), systemPrompt});
    }
    asked_.clear();
    for (Message message : path) {
        if (message.id == parts_.writer.messageId()) {  // it goes on
            message.content = parts_.writer.text();
            message.calls = parts_.rounds.calls();
        }
        for (const ChatTurn& turn : turnsOf(message)) {
            turns.append(turn);
            asked_.append(message.id);
        }
    }
    GenerationSettings settings = parts_.settings.generation(parts_.model.path());
    parts_.projects.apply(conversationId(), settings);
    // Behind the results of tools a turn of its own begins.
    settings.continuesLast = !parts_.writer.text().isEmpty() && !turns.isEmpty() &&
                             turns.last().role == toString(MessageRole::Assistant);
    modelName_ = namesTogether(parts_.writer.formerStats().model, parts_.model.modelName());
    parts_.store.nameModel(parts_.writer.messageId(), modelName_);  // tried again at its end
    if (!parts_.store.isInMemory()) {
        settings.conversation = nameOf(conversationId());
    }
    settings.tools = parts_.rounds.offer(!parts_.writer.text().isEmpty());
    mostTokens_ = settings.maxTokens;
    parts_.inference.generate(requestId_, turns, settings);
}

void Replies::stop() {
    stopIn(parts_.chats.currentId());
}

void Replies::stopIn(qint64 id) {
    if (const auto waiting = parts_.writer.takeWaiting(id)) {
        endUnbegun(*waiting, MessageState::Stopped, {});
        emit generatingChanged();
        emit replyEnded(waiting->messageId);
    } else if (!generating() || conversationId() != id) {
        return;
    } else if (waitsForModel() || gathering_ || parts_.rounds.isUnderWay()) {
        end(MessageState::Stopped, {}, {});
    } else {
        parts_.inference.cancel();  // onFinished() follows
    }
}

void Replies::close() {
    while (!parts_.writer.waiting().isEmpty()) {
        const ReplyWriter::Waiting answer = parts_.writer.takeFirstWaiting();
        endUnbegun(answer, MessageState::Interrupted, {});
    }
    if (generating()) {
        parts_.inference.cancel();
        end(MessageState::Stopped, {}, {});
    }
}

void Replies::onPieces(quint64 requestId, const QString& text) {
    if (isOurs(requestId)) {
        addText(parts_.rounds.take(text));
    }
}

void Replies::addText(const QString& text) {
    if (text.isEmpty()) {
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
    addText(parts_.rounds.finishText());
    const ReplyStats stats = statsOf(summary);
    if (!summary.calls.isEmpty() && !cancelled) {
        earlierTokens_ += summary.tokenCount;
        earlierFirstTokenMs_ = stats.firstTokenMs;
        parts_.writer.flush();
        if (!parts_.rounds.makeCalls(summary.calls, parts_.writer.text().size())) {
            end(MessageState::Failed,
                tr("The calls of tools could not be saved: %1")
                    .arg(sentenceFor(parts_.store.lastError())),
                stats);
        }
        return;
    }
    end(cancelled ? MessageState::Stopped : MessageState::Complete, {}, stats);
    const QString notice = noticeOf(summary, parts_.model.contextTokens(), mostTokens_);
    // An unsaved answer matters more.
    if (!parts_.notices.holds(Notices::Topic::Answer)) {
        parts_.notices.notifyAbout(conversation, conversation == parts_.chats.currentId(), notice);
    }
}

void Replies::onRoundDone() {
    if (!generating()) {
        return;
    }
    if (parts_.model.isReady()) {
        generate();
    } else if (parts_.model.isLoading()) {
        requestId_ = 0;
    } else {
        end(MessageState::Failed, tr("There is no model to answer. Open one first."), {});
    }
}

ReplyStats Replies::statsOf(const GenerationSummary& summary) const {
    const ReplyStats& former = parts_.writer.formerStats();
    ReplyStats stats;
    stats.tokenCount = former.tokenCount + earlierTokens_ + summary.tokenCount;
    stats.firstTokenMs = former.firstTokenMs > 0    ? former.firstTokenMs
                         : earlierFirstTokenMs_ > 0 ? earlierFirstTokenMs_
                                                    : summary.firstTokenMs;
    stats.tokensPerSecond = summary.tokensPerSecond;
    stats.device = summary.device;
    stats.experts = expertShareWords(summary.experts);
    stats.model = modelName_;
    stats.isCut = summary.finish == GenerationSummary::Finish::Length;
    if (summary.droppedMessages > 0) {
        stats.readsFrom = asked_.value(summary.droppedMessages, kNoId);
    }
    return stats;
}

void Replies::end(MessageState state, const QString& errorText, const ReplyStats& given) {
    ReplyStats stats = given;
    if (stats.model.isEmpty()) {  // it failed, or ended before the model answered
        stats = parts_.writer.formerStats();
        stats.model = requestId_ == 0 ? stats.model : modelName_;
        stats.isCut = false;
    }
    const qint64 message = parts_.writer.messageId();
    const qint64 conversation = conversationId();
    gathering_ = false;
    addText(parts_.rounds.finishText());
    parts_.rounds.end();
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
