#include "conversation/chat_tools.h"

#include <utility>

#include "conversation/chats.h"
#include "store/conversation_store.h"

namespace hearth::ui {

ChatTools::ChatTools(ConversationStore& store, Chats& chats, QObject* parent)
    : QObject(parent), store_(store), chats_(chats) {
    connect(&chats_, &Chats::currentChanged, this, &ChatTools::changed);
}

QString ChatTools::folder() const {
    return folderOf(chats_.currentId());
}

QString ChatTools::folderOf(qint64 conversationId) const {
    return conversationId == kNoId ? nextFolder_ : store_.toolFolder(conversationId);
}

int ChatTools::allowedCount() const {
    return chats_.currentId() == kNoId ? 0 : store_.allowedToolCount(chats_.currentId());
}

void ChatTools::setFolder(const QString& path) {
    if (chats_.currentId() == kNoId) {
        nextFolder_ = path;
    } else if (chats_.mayWrite()) {
        chats_.written(store_.setToolFolder(chats_.currentId(), path),
                       tr("The folder is not saved."));
    }
    emit changed();
}

void ChatTools::adopt(qint64 conversationId) {
    const QString folder = std::exchange(nextFolder_, {});
    if (!folder.isEmpty()) {
        chats_.written(store_.setToolFolder(conversationId, folder),
                       tr("The folder is not saved."));
        emit changed();
    }
}

bool ChatTools::allows(qint64 conversationId, const QString& permission) const {
    return store_.isToolAllowed(conversationId, permission);
}

void ChatTools::allow(qint64 conversationId, const QString& permission) {
    chats_.written(store_.allowTool(conversationId, permission),
                   tr("The permission is not saved: Hearth will ask again."));
    emit changed();
}

void ChatTools::askAgain() {
    if (chats_.currentId() != kNoId && chats_.mayWrite()) {
        chats_.written(store_.forgetAllowedTools(chats_.currentId()),
                       tr("The permissions could not be withdrawn."));
        emit changed();
    }
}

}  // namespace hearth::ui
