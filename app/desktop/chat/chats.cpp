#include "chats.h"

#include <utility>

#include "notices.h"
#include "reply_writer.h"

namespace hearth::ui {

namespace {

constexpr int kDraftDelayMs = 400;
constexpr int kPurgeAfterMs = 10 * 60 * 1000;
constexpr qsizetype kLongestTitle = 200;

}  // namespace

Chats::Chats(ConversationStore& store, Notices& notices, const ReplyWriter& writer, QObject* parent)
    : QObject(parent), store_(store), notices_(notices), writer_(writer) {
    draftTimer_.setSingleShot(true);
    draftTimer_.setInterval(kDraftDelayMs);
    connect(&draftTimer_, &QTimer::timeout, this, &Chats::saveDraft);
    purgeTimer_.setSingleShot(true);
    purgeTimer_.setInterval(kPurgeAfterMs);
    connect(&purgeTimer_, &QTimer::timeout, this, [this] {
        dismissUndo();
        store_.purge(kPurgeAfterMs - 1000);
    });
    conversations_.reset(store_.conversations());
    draft_ = store_.draft(kNoId);
}

void Chats::select(qint64 id) {
    if (id != currentId_ && conversations_.indexOf(id) >= 0) {
        show(id);
    }
}

void Chats::show(qint64 id) {
    saveDraft();
    if (id != currentId_) {
        notices_.leaveConversation();
    }
    currentId_ = id;
    conversations_.setActive(id);
    messages_.setMessages({});
    reloadMessages();
    draft_ = store_.draft(id);
    announce();
    emit draftChanged();
    notices_.enterConversation(id);
}

void Chats::announce() {
    emit currentChanged();
    emit currentTitleChanged();
}

void Chats::reloadMessages() {
    QList<Message> path;
    if (currentId_ != kNoId) {
        path = store_.activePath(currentId_);
    }
    for (Message& message : path) {
        writer_.amend(message);
    }
    messages_.setMessages(path);
}

void Chats::refreshSummary(qint64 conversationId) {
    if (const auto summary = store_.summary(conversationId)) {
        conversations_.upsert(*summary);
        if (conversationId == currentId_) {
            emit currentTitleChanged();
        }
    }
}

bool Chats::written(bool done, const QString& otherwise) {
    if (done) {
        notices_.storeWorked();
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
    notices_.forgetConversation(id);
    conversations_.remove(id);
    deletedId_ = id;
    deletedTitle_ = title;
    purgeTimer_.start();
    if (id == currentId_) {
        show(kNoId);
    }
    emit undoChanged();
}

QString Chats::undoText() const {
    return canUndoDelete() ? tr("“%1” was deleted.").arg(deletedTitle_) : QString();
}

void Chats::undoDelete() {
    if (!canUndoDelete() ||
        !written(store_.restore(deletedId_), tr("The conversation was not brought back."))) {
        return;
    }
    const qint64 id = deletedId_;
    dismissUndo();
    refreshSummary(id);
    select(id);
}

void Chats::dismissUndo() {
    if (canUndoDelete()) {
        deletedId_ = kNoId;
        deletedTitle_.clear();
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

std::optional<ConversationStore::Sent> Chats::addMessage(const QString& text) {
    const bool isDraft = draft_.trimmed() == text.trimmed();
    const auto sent = store_.send(currentId_, text, isDraft);
    if (!written(sent.has_value(),
                 tr("Your message was not sent; it is still in the input field."))) {
        return sent;
    }
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
    currentId_ = sent->conversationId;
    refreshSummary(currentId_);
    conversations_.setActive(currentId_);
    return sent;
}

void Chats::setDraft(const QString& text) {
    if (text == draft_) {
        return;
    }
    draft_ = text;
    draftDirty_ = true;
    draftTimer_.start();
    emit draftChanged();
}

void Chats::saveDraft() {
    draftTimer_.stop();
    const bool dirty = std::exchange(draftDirty_, false) && !readOnly();
    if (dirty && !store_.setDraft(currentId_, draft_)) {
        notices_.draftFailed(tr("What you are writing is not saved yet."), store_.lastError());
        draftDirty_ = true;
    } else if (dirty) {
        notices_.draftWorked();
    }
}

}  // namespace hearth::ui
