#include "app_controller.h"

#include <QClipboard>
#include <QDir>
#include <QGuiApplication>
#include <QLoggingCategory>
#include <utility>

#include "app_settings.h"
#include "system_theme.h"

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcChat, "hearth.chat")

namespace {

constexpr int kDraftDelayMs = 400;
constexpr int kRetryMs = 2000;
constexpr int kPurgeAfterMs = 10 * 60 * 1000;
constexpr qsizetype kLongestTitle = 200;

}  // namespace

AppController::AppController(InferenceService& inference, ConversationStore& store,
                             AppSettings& settings, QObject* parent)
    : QObject(parent),
      inference_(inference),
      store_(store),
      settings_(settings),
      systemTheme_(new SystemTheme(this)) {
    connect(systemTheme_, &SystemTheme::darkChanged, this, &AppController::darkChanged);
    connect(this, &AppController::themeModeChanged, this, &AppController::darkChanged);
    connect(&engine_, &EngineStatus::changed, this, &AppController::canSendChanged);
    connect(this, &AppController::generatingChanged, this, &AppController::canSendChanged);

    draftTimer_.setSingleShot(true);
    draftTimer_.setInterval(kDraftDelayMs);
    connect(&draftTimer_, &QTimer::timeout, this, &AppController::saveDraft);
    checkpointTimer_.setInterval(kCheckpointMs);
    checkpointTimer_.setTimerType(Qt::PreciseTimer);
    connect(&checkpointTimer_, &QTimer::timeout, this, &AppController::checkpoint);
    retryTimer_.setInterval(kRetryMs);
    connect(&retryTimer_, &QTimer::timeout, this, &AppController::retryUnsaved);
    purgeTimer_.setSingleShot(true);
    purgeTimer_.setInterval(kPurgeAfterMs);
    connect(&purgeTimer_, &QTimer::timeout, this, [this] {
        dismissUndo();
        store_.purge(kPurgeAfterMs - 1000);
    });

    connect(&inference_, &InferenceService::loadProgress, &engine_, &EngineStatus::setProgress);
    connect(&inference_, &InferenceService::loaded, this, &AppController::onLoaded);
    connect(&inference_, &InferenceService::loadFailed, this, &AppController::onLoadFailed);
    connect(&inference_, &InferenceService::pieces, this, &AppController::onPieces);
    connect(&inference_, &InferenceService::finished, this, &AppController::onFinished);
    connect(&inference_, &InferenceService::failed, this, &AppController::onFailed);

    conversations_.reset(store_.conversations());
    draft_ = store_.draft(kNoId);
}

AppController::~AppController() {
    blockSignals(true);
    close();
}

void AppController::close() {
    if (std::exchange(closed_, true)) {
        return;
    }
    if (reply_.active) {
        inference_.cancel();
        endReply(MessageState::Stopped, {}, {});
    }
    flush();
}

void AppController::flush() {
    saveDraft();
    checkpoint();
    retryUnsaved();
}

// ---- conversations
// --------------------------------------------------------------------------------

QString AppController::currentTitle() const {
    return conversations_.titleOf(currentId_);
}

void AppController::newConversation() {
    showConversation(kNoId);
}

void AppController::selectConversation(qint64 id) {
    if (id != currentId_ && conversations_.indexOf(id) >= 0) {
        showConversation(id);
    }
}

void AppController::showConversation(qint64 id) {
    saveDraft();
    if (id != currentId_ && notice_.about == About::Conversation) {
        dismissNotice();
    }
    currentId_ = id;
    conversations_.setActive(id);
    messages_.setMessages({});
    reloadMessages();
    draft_ = store_.draft(id);
    emit currentChanged();
    emit currentTitleChanged();
    emit draftChanged();
    const Notice waiting = later_.take(id);
    if (!waiting.text.isEmpty() && notice_.text.isEmpty()) {
        setNotice(waiting);
    }
}

void AppController::reloadMessages() {
    QList<Message> path;
    if (currentId_ != kNoId) {
        path = store_.activePath(currentId_);
    }
    for (Message& message : path) {
        if (reply_.active && message.id == reply_.messageId) {
            message.content = reply_.text;  // the disk may be a moment behind
        } else if (message.state == MessageState::Generating && !readOnly()) {
            message.state = MessageState::Interrupted;  // could not be marked at the start
        }
        for (const Unsaved& unsaved : std::as_const(unsaved_)) {
            if (message.id == unsaved.messageId) {
                message.content = unsaved.text;
                message.state = unsaved.state;
                message.errorText = unsaved.errorText;
                message.stats = unsaved.stats;
            }
        }
    }
    messages_.setMessages(path);
}

void AppController::refreshSummary(qint64 conversationId) {
    if (const auto summary = store_.summary(conversationId)) {
        conversations_.upsert(*summary);
        if (conversationId == currentId_) {
            emit currentTitleChanged();
        }
    }
}

void AppController::renameConversation(qint64 id, const QString& title) {
    const QString wanted = title.simplified().left(kLongestTitle);
    if (wanted.isEmpty() || !mayWrite()) {
        return;
    }
    if (!store_.rename(id, wanted)) {
        storeFailed(tr("The conversation was not renamed."));
        return;
    }
    storeWorked();
    refreshSummary(id);
}

void AppController::deleteConversation(qint64 id) {
    if (conversations_.indexOf(id) < 0 || !mayWrite()) {
        return;
    }
    if (reply_.active && reply_.conversationId == id) {
        stop();
    }
    if (id == currentId_) {
        saveDraft();
    }
    const QString title = conversations_.titleOf(id);
    if (!store_.remove(id)) {
        storeFailed(tr("The conversation was not deleted."));
        return;
    }
    storeWorked();
    later_.remove(id);
    conversations_.remove(id);
    deletedId_ = id;
    deletedTitle_ = title;
    purgeTimer_.start();
    if (id == currentId_) {
        showConversation(kNoId);
    }
    emit undoChanged();
}

QString AppController::undoText() const {
    return canUndoDelete() ? tr("“%1” was deleted.").arg(deletedTitle_) : QString();
}

void AppController::undoDelete() {
    if (!canUndoDelete()) {
        return;
    }
    if (!store_.restore(deletedId_)) {
        storeFailed(tr("The conversation was not brought back."));
        return;
    }
    storeWorked();
    const qint64 id = deletedId_;
    dismissUndo();
    refreshSummary(id);
    selectConversation(id);
}

void AppController::dismissUndo() {
    if (canUndoDelete()) {
        deletedId_ = kNoId;
        deletedTitle_.clear();
        emit undoChanged();
    }
}

// ---- messages
// -------------------------------------------------------------------------------------

bool AppController::canSend() const {
    return !readOnly() && !generating() &&
           (engine_.state() == QLatin1String("ready") ||
            engine_.state() == QLatin1String("loading"));
}

bool AppController::mayWrite() {
    if (readOnly()) {
        notify(
            QStringLiteral("warning"),
            tr("Nothing can be changed here: another window is open, or the conversations are of a "
               "newer version of Hearth."));
        return false;
    }
    return true;
}

bool AppController::mayAnswer() {
    if (generating() || !mayWrite()) {
        return false;
    }
    if (!canSend()) {
        notify(QStringLiteral("warning"), tr("There is no model to answer. Open one first."),
               QStringLiteral("openModel"));
        return false;
    }
    return true;
}

bool AppController::send(const QString& text) {
    if (text.trimmed().isEmpty() || !mayAnswer()) {
        return false;
    }
    const bool isDraft = draft_.trimmed() == text.trimmed();
    const auto sent = store_.send(currentId_, text, isDraft);
    if (!sent) {
        storeFailed(tr("Your message was not sent; it is still in the input field."));
        return false;
    }
    storeWorked();
    if (isDraft) {
        draftTimer_.stop();
        draftDirty_ = false;
        draft_.clear();
        emit draftChanged();
    } else if (currentId_ == kNoId && !draft_.isEmpty()) {
        store_.setDraft(kNoId, {});  // what stands in the field now belongs to the new conversation
        draftDirty_ = true;
        draftTimer_.start();
    }
    const bool isNew = currentId_ == kNoId;
    currentId_ = sent->conversationId;
    refreshSummary(currentId_);
    conversations_.setActive(currentId_);
    beginReply(sent->conversationId, sent->assistantId);
    if (isNew) {
        emit currentChanged();
        emit currentTitleChanged();
    }
    emit this->sent(sent->conversationId, sent->userId);
    return true;
}

bool AppController::regenerate(qint64 messageId) {
    if (messages_.indexOf(messageId) < 0 || !mayAnswer()) {
        return false;
    }
    const auto answer = store_.addAnswer(messageId);
    if (!answer) {
        storeFailed(tr("No further answer was begun."));
        return false;
    }
    storeWorked();
    beginReply(currentId_, *answer);
    return true;
}

bool AppController::edit(qint64 messageId, const QString& newText) {
    const Message* message = messages_.find(messageId);
    if (message == nullptr || newText.trimmed().isEmpty()) {
        return false;
    }
    if (message->role != Role::User) {
        if (message->state == MessageState::Generating || !mayWrite()) {
            return false;
        }
        if (!store_.addEditedAnswer(messageId, newText)) {
            storeFailed(tr("The change was not saved."));
            return false;
        }
        storeWorked();
        reloadMessages();
        refreshSummary(currentId_);
        return true;
    }
    if (!mayAnswer()) {
        return false;
    }
    const auto sent = store_.addQuestion(messageId, newText);
    if (!sent) {
        storeFailed(tr("The changed message was not sent."));
        return false;
    }
    storeWorked();
    beginReply(sent->conversationId, sent->assistantId);
    emit this->sent(sent->conversationId, sent->userId);
    return true;
}

void AppController::selectVersion(qint64 messageId, int index) {
    const Message* message = messages_.find(messageId);
    if (message == nullptr || index < 0 || index >= message->versionCount ||
        index == message->versionIndex || !mayWrite()) {
        return;
    }
    if (!store_.selectVersion(messageId, index)) {
        storeFailed(tr("The other version could not be shown."));
        return;
    }
    storeWorked();
    reloadMessages();
    refreshSummary(currentId_);
}

void AppController::copyText(const QString& text) {
    QGuiApplication::clipboard()->setText(text);
}

// ---- the answer being written
// -----------------------------------------------------------------------

// The question and the answer's row are on disk.
void AppController::beginReply(qint64 conversationId, qint64 assistantId) {
    reply_ = {};
    reply_.active = true;
    reply_.conversationId = conversationId;
    reply_.messageId = assistantId;
    reloadMessages();
    refreshSummary(conversationId);
    sinceCheckpoint_.start();
    checkpointTimer_.start();
    qCInfo(lcChat) << "answering: message" << assistantId;
    if (engine_.state() == QLatin1String("ready")) {
        startGeneration();
    }
    emit generatingChanged();
}

void AppController::startGeneration() {
    QList<ChatTurn> turns;
    for (const Message& message : store_.pathTo(reply_.messageId)) {
        if (message.id != reply_.messageId && !message.content.isEmpty()) {
            turns.append({toString(message.role), message.content});
        }
    }
    reply_.started = true;
    reply_.requestId = nextRequestId_++;
    inference_.generate(reply_.requestId, turns, settings_.generation());
}

void AppController::stop() {
    if (!reply_.active) {
        return;
    }
    if (reply_.started) {
        inference_.cancel();  // onFinished() follows
    } else {
        endReply(MessageState::Stopped, {}, {});
    }
}

void AppController::onPieces(quint64 requestId, const QString& text) {
    if (!reply_.active || requestId != reply_.requestId) {
        return;
    }
    reply_.text += text;
    messages_.appendText(reply_.messageId, text);
    emit replyShown(reply_.messageId, text);
    // Not left to the timer alone: a busy event loop serves it last.
    if (sinceCheckpoint_.elapsed() >= kCheckpointMs) {
        checkpoint();
    }
}

void AppController::onFinished(quint64 requestId, const GenerationSummary& summary) {
    if (!reply_.active || requestId != reply_.requestId) {
        return;
    }
    const qint64 conversationId = reply_.conversationId;
    const bool cancelled = summary.finish == GenerationSummary::Finish::Cancelled;
    endReply(cancelled ? MessageState::Stopped : MessageState::Complete, {},
             {summary.tokenCount, summary.firstTokenMs, summary.tokensPerSecond, summary.device});
    if (saveFailed_) {
        return;  // that notice matters more
    }
    if (!summary.notice.isEmpty()) {
        notifyAbout(conversationId,
                    tr("The graphics card stopped answering (%1). The answer is complete.")
                        .arg(summary.notice));
    } else if (summary.droppedMessages > 0) {
        notifyAbout(
            conversationId,
            summary.droppedMessages == 1
                ? tr("The first message no longer fits into the model's context (%1 tokens). The "
                     "model has not seen it; it is still here.")
                      .arg(contextTokens_)
                : tr("The first %1 messages no longer fit into the model's context (%2 tokens). "
                     "The model has not seen them; they are still here.")
                      .arg(summary.droppedMessages)
                      .arg(contextTokens_));
    } else if (summary.finish == GenerationSummary::Finish::Length) {
        notifyAbout(conversationId,
                    tr("The answer ends here because the model's context (%1 tokens) is full.")
                        .arg(contextTokens_));
    }
}

void AppController::onFailed(quint64 requestId, const QString& sentence) {
    if (reply_.active && requestId == reply_.requestId) {
        endReply(MessageState::Failed, sentence, {});
    }
}

void AppController::endReply(MessageState state, const QString& errorText,
                             const ReplyStats& stats) {
    const Reply reply = std::exchange(reply_, {});
    checkpointTimer_.stop();
    if (!store_.finishReply(reply.messageId, reply.text, state, errorText, stats)) {
        unsaved_.append({reply.messageId, reply.text, state, errorText, stats});
        retryTimer_.start();
        saveFailed_ = true;
        storeFailed(tr("The answer is not saved yet; it will be tried again."));
    } else {
        saveFailed_ = !unsaved_.isEmpty();
        storeWorked();
    }
    qCInfo(lcChat).noquote() << "answered: message" << reply.messageId << toString(state)
                             << stats.tokenCount << "tokens";
    messages_.setResult(reply.messageId, state, errorText, stats);
    refreshSummary(reply.conversationId);
    emit generatingChanged();
    emit replyEnded(reply.messageId);
}

void AppController::checkpoint() {
    if (!reply_.active || reply_.text.size() == reply_.savedLength) {
        return;
    }
    if (store_.checkpointReply(reply_.messageId, reply_.text)) {
        reply_.savedLength = reply_.text.size();
        saveFailed_ = !unsaved_.isEmpty();
        storeWorked();
    } else if (!std::exchange(saveFailed_, true)) {
        storeFailed(tr("The answer is not saved yet; it will be tried again."));
    }
    sinceCheckpoint_.restart();
}

void AppController::retryUnsaved() {
    while (!unsaved_.isEmpty()) {
        const Unsaved& first = unsaved_.first();
        if (!store_.finishReply(first.messageId, first.text, first.state, first.errorText,
                                first.stats)) {
            return;
        }
        unsaved_.removeFirst();
    }
    if (retryTimer_.isActive()) {
        retryTimer_.stop();
        saveFailed_ = false;
        notify(QStringLiteral("info"), tr("All answers are saved now."));
    }
}

// ---- draft, notice, theme
// ---------------------------------------------------------------------------

void AppController::setDraft(const QString& text) {
    if (text == draft_) {
        return;
    }
    draft_ = text;
    draftDirty_ = true;
    draftTimer_.start();
    emit draftChanged();
}

void AppController::saveDraft() {
    draftTimer_.stop();
    const bool dirty = std::exchange(draftDirty_, false) && !readOnly();
    if (dirty && !store_.setDraft(currentId_, draft_)) {
        storeFailed(tr("What you are writing is not saved yet."), About::Draft);
        draftDirty_ = true;
    } else if (dirty && notice_.about == About::Draft) {
        dismissNotice();
    }
}

void AppController::storeFailed(const QString& what, About about) {
    setNotice({what + QLatin1Char(' ') + sentenceFor(store_.lastError()),
               QStringLiteral("error"),
               {},
               about});
}

// A draft may fit where a message does not: what it says about messages is left to messages.
void AppController::storeWorked() {
    const bool aboutWriting = notice_.about == About::Disk || notice_.about == About::Draft;
    if (aboutWriting && !saveFailed_) {
        dismissNotice();
    }
}

void AppController::setNotice(const Notice& notice) {
    notice_ = notice;
    emit noticeChanged();
}

void AppController::notify(const QString& kind, const QString& text, const QString& action) {
    setNotice({text, kind, action, About::Program});
}

void AppController::notifyAboutDisk(const QString& kind, const QString& text) {
    setNotice({text, kind, {}, About::Disk});
}

// Over another conversation it would be about the wrong messages.
void AppController::notifyAbout(qint64 conversationId, const QString& text) {
    const Notice notice{text, QStringLiteral("info"), {}, About::Conversation};
    if (conversationId == currentId_) {
        setNotice(notice);
    } else {
        later_.insert(conversationId, notice);
    }
}

void AppController::dismissNotice() {
    notify({}, {});
}

bool AppController::dark() const {
    const QString mode = themeMode();
    return mode == QLatin1String("system") ? systemTheme_->dark() : mode == QLatin1String("dark");
}

QString AppController::themeMode() const {
    return settings_.themeMode();
}

void AppController::setThemeMode(const QString& mode) {
    if (mode != themeMode()) {
        settings_.setThemeMode(mode);
        emit themeModeChanged();
    }
}

QString AppController::version() const {
    return QStringLiteral(HEARTH_VERSION);
}

QString AppController::dataFolder() const {
    return QDir::toNativeSeparators(store_.folder());
}

// ---- the model
// --------------------------------------------------------------------------------------

void AppController::openModelFile(const QUrl& url) {
    if (!url.isLocalFile()) {
        notify(QStringLiteral("error"), tr("Only a file on this computer can be opened."),
               QStringLiteral("openModel"));
        return;
    }
    openModelPath(url.toLocalFile());
}

void AppController::openModelPath(const QString& path) {
    if (path.isEmpty()) {
        return;
    }
    if (!notice_.action.isEmpty()) {
        dismissNotice();  // it was about a model
    }
    loadModel(path);
}

void AppController::reloadModel() {
    openModelPath(engine_.path().isEmpty() ? settings_.lastModelPath() : engine_.path());
}

void AppController::loadModel(const QString& path) {
    engine_.setLoading(path);
    inference_.loadModel({path, settings_.threads(), settings_.contextTokens()});
}

void AppController::onLoaded(const LoadedModel& model) {
    contextTokens_ = model.contextTokens;
    lastGoodModel_ = model.path;
    settings_.setLastModelPath(model.path);
    engine_.setReady(model);
    qCInfo(lcChat).noquote() << "model ready:" << model.path << engine_.detail();
    if (reply_.active && !reply_.started) {
        startGeneration();
    }
}

void AppController::onLoadFailed(const QString& sentence) {
    const QString failed = engine_.path();
    engine_.setFailed(sentence);
    notify(QStringLiteral("error"), sentence, QStringLiteral("openModel"));
    // The model before it was given up to make room: a wrong choice of file should not cost it.
    if (!lastGoodModel_.isEmpty() && lastGoodModel_ != failed) {
        loadModel(std::exchange(lastGoodModel_, {}));
        return;
    }
    if (reply_.active && !reply_.started) {
        endReply(MessageState::Failed, sentence, {});
    }
}

}  // namespace hearth::ui
