#include "conversation/chats.h"

#include <QClipboard>
#include <QGuiApplication>
#include <algorithm>
#include <utility>

#include "conversation/reply_writer.h"
#include "markdown/long_text.h"
#include "status/notices.h"

namespace hearth::ui {

namespace {

constexpr int kDraftDelayMs = 400;
constexpr int kDraftRetryMs = 2000;
constexpr int kOfferMs = 10 * 60 * 1000;
constexpr int kPurgeEveryMs = 24 * 60 * 60 * 1000;
constexpr qsizetype kLongestTitle = 200;
constexpr qsizetype kFieldMost = qsizetype{64} * 1024;  // characters

}  // namespace

Chats::Chats(ConversationStore& store, Notices& notices, const ReplyWriter& writer, QObject* parent)
    : QObject(parent), store_(store), notices_(notices), writer_(writer) {
    draftTimer_.setSingleShot(true);
    connect(&draftTimer_, &QTimer::timeout, this, &Chats::saveDraft);
    offerTimer_.setSingleShot(true);
    offerTimer_.setInterval(kOfferMs);
    connect(&offerTimer_, &QTimer::timeout, this, &Chats::dismissUndo);
    purgeTimer_.setInterval(kPurgeEveryMs);
    connect(&purgeTimer_, &QTimer::timeout, this, &Chats::purge);
    if (!readOnly()) {
        bin_ = store_.deleted();
        purgeTimer_.start();
    }
    dayTimer_.setSingleShot(true);
    connect(&dayTimer_, &QTimer::timeout, this, &Chats::followTheDay);
    followTheDay();
    earlierTimer_.setInterval(0);
    connect(&earlierTimer_, &QTimer::timeout, this, [this] { bringEarlier(kEarlierInATurn); });
    conversations_.reset(store_.conversations());
    draft_ = Draft::fromStored(store_.draft(kNoId));
}

// A timer may be late by the time for which the computer slept; the next change of the list helps.
void Chats::followTheDay() {
    const QDateTime now = QDateTime::currentDateTime();
    conversations_.setToday(now.date());
    dayTimer_.start(static_cast<int>(now.msecsTo(now.date().addDays(1).startOfDay())) + 1);
}

void Chats::select(qint64 id) {
    if (id != currentId_ && conversations_.indexOf(id) >= 0) {
        show(id);
    }
}

void Chats::showMessage(qint64 conversationId, qint64 messageId) {
    select(conversationId);
    if (currentId_ != conversationId) {
        return;  // it is in the bin by now
    }
    if (messages_.indexOf(messageId) < 0) {
        bringEarlier();
    }
    if (messages_.indexOf(messageId) < 0 && !readOnly() &&
        written(store_.showMessage(messageId), tr("The other version could not be shown."))) {
        reloadMessages();
        refreshSummary(currentId_);
    }
    if (messages_.indexOf(messageId) >= 0) {
        emit messageAsked(messageId);
    }
}

void Chats::newConversationIn(qint64 projectId) {
    show(kNoId, projectId);
}

qint64 Chats::currentProject() const {
    const int row = conversations_.indexOf(currentId_);
    return row >= 0 ? conversations_.rows().at(row).projectId : newProject_;
}

void Chats::moveTo(qint64 id, qint64 projectId) {
    if (conversations_.indexOf(id) < 0 || !mayWrite() ||
        !written(store_.moveToProject(id, projectId), tr("The conversation was not moved."))) {
        return;
    }
    refreshSummary(id);
    emit currentProjectChanged();
}

QList<qint64> Chats::chatsOf(qint64 projectId) const {
    QList<qint64> ids;
    for (const ConversationSummary& row : conversations_.rows()) {
        if (row.projectId == projectId) {
            ids.append(row.id);
        }
    }
    return ids;
}

bool Chats::leaveProject(qint64 projectId, bool withChats, const std::function<bool()>& write) {
    if (!mayWrite()) {
        return false;
    }
    const QList<qint64> ids = chatsOf(projectId);
    if (withChats) {
        for (const qint64 id : ids) {
            emit removing(id);
        }
        if (ids.contains(currentId_)) {
            saveDraft();
        }
    }
    if (!written(write(), tr("The project was not deleted."))) {
        return false;
    }
    const bool leaves = currentProject() == projectId;
    for (const qint64 id : ids) {
        if (withChats) {
            putIntoBin(id, conversations_.titleOf(id));
        } else {
            refreshSummary(id);
        }
    }
    if (leaves && (withChats || currentId_ == kNoId)) {
        show(kNoId);
    } else if (leaves) {
        emit currentProjectChanged();
    }
    emit undoChanged();
    return true;
}

void Chats::putIntoBin(qint64 id, const QString& title) {
    ConversationSummary deleted;
    deleted.id = id;
    deleted.title = title;
    notices_.forgetConversation(id);
    conversations_.remove(id);
    bin_.append(deleted);
    ++offered_;
    offerTimer_.start();
}

void Chats::show(qint64 id, qint64 newProject) {
    saveDraft();
    if (id != currentId_) {
        notices_.leaveConversation();
    }
    currentId_ = id;
    newProject_ = newProject;
    conversations_.setActive(id);
    messages_.setMessages({});
    showMessages();
    draft_ = unsaved_.contains(id) ? unsaved_.value(id) : Draft::fromStored(store_.draft(id));
    announce();
    emit draftReplaced();
    emit draftChanged();
    emit attachmentsChanged();
    notices_.enterConversation(id);
}

void Chats::announce() {
    emit currentChanged();
    emit currentTitleChanged();
    emit currentProjectChanged();
}

QList<Message> Chats::amended(QList<Message> path) const {
    for (Message& message : path) {
        writer_.amend(message);
    }
    return path;
}

void Chats::reloadMessages() {
    bringEarlier();  // what is shown stays, as far as it is still there
    messages_.setMessages(currentId_ == kNoId ? QList<Message>()
                                              : amended(store_.activePath(currentId_)));
}

// A chat of thousands of messages is there at once: its end, and the others in the next turns.
void Chats::showMessages() {
    earlierTimer_.stop();
    if (currentId_ != kNoId) {
        messages_.setMessages(amended(store_.activePathEnd(currentId_, kShownAtOnce)));
        if (messages_.count() == kShownAtOnce) {
            earlierTimer_.start();
        }
    }
}

// most: 0: all that are missing.
void Chats::bringEarlier(int most) {
    if (!earlierTimer_.isActive()) {
        return;
    }
    const qint64 before = messages_.first() == nullptr ? kNoId : messages_.first()->parentId;
    const QList<Message> path = before == kNoId ? QList<Message>()
                                : most == 0     ? store_.pathTo(before)
                                                : store_.pathEnd(before, most);
    if (path.isEmpty() || most == 0 || path.first().parentId == kNoId) {
        earlierTimer_.stop();
    }
    messages_.prepend(amended(path));
}

void Chats::refreshSummary(qint64 conversationId) {
    if (const auto summary = store_.summary(conversationId)) {
        conversations_.setToday(QDate::currentDate());
        conversations_.upsert(*summary);
        if (conversationId == currentId_) {
            emit currentTitleChanged();
        }
    }
}

bool Chats::written(bool done, const QString& otherwise) {
    if (done) {
        notices_.storeWorked();
        writeDrafts();
    } else {
        notices_.storeFailed(otherwise, store_.lastError());
    }
    return done;
}

bool Chats::mayWrite() {
    if (readOnly()) {
        notices_.notify(
            QStringLiteral("warning"),
            tr("Nothing can be changed here: another window is open, or the conversations are of a "
               "newer version of Hearth."));
        return false;
    }
    return true;
}

void Chats::rename(qint64 id, const QString& title) {
    const QString wanted = title.simplified().left(kLongestTitle);
    if (!wanted.isEmpty() && mayWrite() &&
        written(store_.rename(id, wanted), tr("The conversation was not renamed."))) {
        refreshSummary(id);
    }
}

void Chats::setPinned(qint64 id, bool pinned) {
    if (conversations_.indexOf(id) >= 0 && mayWrite() &&
        written(store_.setPinned(id, pinned), tr("The conversation was not pinned."))) {
        refreshSummary(id);
    }
}

QString Chats::instructions(qint64 id) {
    return id == kNoId ? newInstructions_ : store_.systemPrompt(id);
}

bool Chats::setInstructions(qint64 id, const QString& text) {
    if (!mayWrite()) {
        return false;
    }
    if (id == kNoId) {
        newInstructions_ = text;
        return true;
    }
    return written(store_.setSystemPrompt(id, text), tr("The instructions were not saved."));
}

void Chats::remove(qint64 id) {
    if (conversations_.indexOf(id) < 0 || !mayWrite()) {
        return;
    }
    emit removing(id);
    if (id == currentId_) {
        saveDraft();
    }
    const QString title = conversations_.titleOf(id);
    if (!written(store_.remove(id), tr("The conversation was not deleted."))) {
        return;
    }
    putIntoBin(id, title);
    if (id == currentId_) {
        show(kNoId);
    }
    emit undoChanged();
}

QString Chats::undoText() const {
    if (!undoOffered()) {
        return {};
    }
    const QString& title = bin_.last().title;
    return tr("Deleted: %n chats, the latest “%1”", nullptr, static_cast<int>(offered_)).arg(title);
}

void Chats::undoDelete() {
    if (bin_.isEmpty() || !mayWrite() ||
        !written(store_.restore(bin_.last().id), tr("The conversation was not brought back."))) {
        return;
    }
    const qint64 id = bin_.takeLast().id;
    offered_ = std::max(0, offered_ - 1);
    emit undoChanged();
    refreshSummary(id);
    select(id);
}

void Chats::dismissUndo() {
    if (undoOffered()) {
        offered_ = 0;
        offerTimer_.stop();
        emit undoChanged();
    }
}

void Chats::purge() {
    if (store_.purge(ConversationStore::kBinMs)) {
        bin_ = store_.deleted();
        offered_ = std::min(offered_, binCount());
        emit undoChanged();
    }
}

void Chats::selectVersion(qint64 messageId, int index) {
    const Message* message = messages_.find(messageId);
    if (message != nullptr && index >= 0 && index < message->versionCount &&
        index != message->versionIndex && mayWrite() &&
        written(store_.selectVersion(messageId, index),
                tr("The other version could not be shown."))) {
        reloadMessages();
        refreshSummary(currentId_);
    }
}

bool Chats::addEditedAnswer(qint64 messageId, const QString& text) {
    if (!mayWrite() || !written(store_.addEditedAnswer(messageId, text).has_value(),
                                tr("The change was not saved."))) {
        return false;
    }
    reloadMessages();
    refreshSummary(currentId_);
    return true;
}

std::optional<ConversationStore::Sent> Chats::addMessage(const QString& text,
                                                         const QString& systemPrompt) {
    const bool isDraft = draft_.message().trimmed() == text.trimmed();
    const auto sent =
        store_.send(currentId_, text, isDraft,
                    newInstructions_.isEmpty() ? systemPrompt : newInstructions_, newProject_);
    if (sent && currentId_ == kNoId) {
        newInstructions_.clear();
    }
    if (sent && isDraft) {
        draftTimer_.stop();
        draftDirty_ = false;
        unsaved_.remove(currentId_);
    }
    const bool stays = isDraft || draft_.isEmpty();  // else something else is in the field
    if (!written(sent.has_value(),
                 stays ? tr("Your message was not sent; it is still in the input field.")
                       : tr("Your message was not sent."))) {
        if (stays && !isDraft) {
            setDraft(text);
        }
        return sent;
    }
    if (isDraft) {
        draft_ = {};
        emit draftChanged();
        emit attachmentsChanged();
    } else if (currentId_ == kNoId && !draft_.isEmpty()) {
        unsaved_.insert(kNoId, {});  // the text in the field now belongs to the new conversation
        touchDraft();
    }
    currentId_ = sent->conversationId;
    refreshSummary(currentId_);
    conversations_.setActive(currentId_);
    return sent;
}

void Chats::setDraft(const QString& text) {
    if (text == draft_.text) {
        return;
    }
    draft_.text = text;
    if (text.size() > kFieldMost) {  // it came past attachPasted(), and would be slow from now on
        draft_.attach(text);
        draft_.text.clear();
        emit attachmentsChanged();
    }
    touchDraft();
    emit draftChanged();
}

void Chats::touchDraft() {
    draftDirty_ = true;
    draftTimer_.start(kDraftDelayMs);
}

QVariantList Chats::attachments() const {
    constexpr qsizetype kBegin = 60;
    QVariantList list;
    for (const QString& piece : draft_.pieces) {
        QString begin = piece.left(4 * kBegin).simplified();
        if (begin.size() > kBegin || piece.size() > 4 * kBegin) {
            begin = begin.left(kBegin) + QStringLiteral("…");
        }
        list.append(QVariantMap{{QStringLiteral("size"), describeSize(piece)},
                                {QStringLiteral("begin"), begin}});
    }
    return list;
}

bool Chats::attachPasted(bool selection, int fieldLength) {
    const QClipboard* clipboard = QGuiApplication::clipboard();
    const QString text = clipboard->text(selection ? QClipboard::Selection : QClipboard::Clipboard);
    // Many pastes, each of which would fit, do not fit together.
    const bool overflows = isTooLongToEdit(QString(fieldLength, QLatin1Char(' ')) + text);
    if (!overflows || readOnly()) {
        return false;
    }
    draft_.attach(text);
    touchDraft();
    emit attachmentsChanged();
    return true;
}

void Chats::detach(int index) {
    if (index >= 0 && index < draft_.pieces.size()) {
        draft_.pieces.removeAt(index);
        touchDraft();
        emit attachmentsChanged();
    }
}

QString Chats::attachment(int index) const {
    return draft_.pieces.value(index);
}

void Chats::saveDraft() {
    draftTimer_.stop();
    if (std::exchange(draftDirty_, false) && !readOnly()) {
        unsaved_.insert(currentId_, draft_);
    }
    writeDrafts();
}

// A text that the disk refuses stays here, also while another conversation is shown.
void Chats::writeDrafts() {
    if (unsaved_.isEmpty()) {
        return;
    }
    unsaved_.removeIf(
        [this](const auto& draft) { return store_.setDraft(draft.key(), draft.value().stored()); });
    if (unsaved_.isEmpty()) {
        notices_.end(Notices::Topic::Draft);
    } else {
        notices_.storeFailed(tr("What you are writing is not saved yet."), store_.lastError(),
                             Notices::Topic::Draft);
        if (!draftTimer_.isActive()) {
            draftTimer_.start(kDraftRetryMs);
        }
    }
}

}  // namespace hearth::ui
