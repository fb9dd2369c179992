#include "conversation/chat_tools.h"

#include <utility>

#include "conversation/chats.h"
#include "store/conversation_store.h"

namespace hearth::ui {

ChatTools::ChatTools(ConversationStore& store, Chats& chats, QObject* parent)
    : QObject(parent), store_(store), chats_(chats) {
    connect(&chats_, &Chats::currentChanged, this, &ChatTools::changed);
    connect(&chats_, &Chats::currentProjectChanged, this, &ChatTools::changed);
}

QString ChatTools::folder() const {
    return folderOf(chats_.currentId());
}

QString ChatTools::folderOf(qint64 conversationId) const {
    const qint64 project =
        conversationId == kNoId ? chats_.currentProject() : store_.projectOf(conversationId);
    if (project != kNoId) {
        const QString folder = store_.project(project).value_or(Project{}).folder;
        if (!folder.isEmpty()) {
            return folder;
        }
    }
    return conversationId == kNoId ? nextFolder_ : store_.toolFolder(conversationId);
}

bool ChatTools::folderOfProject() const {
    const qint64 project = chats_.currentProject();
    return project != kNoId && !store_.project(project).value_or(Project{}).folder.isEmpty();
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
    const qint64 project = store_.projectOf(conversationId);
    return store_.isToolAllowed(conversationId, permission) ||
           (project != kNoId && store_.isToolAllowedInProject(project, permission));
}

bool ChatTools::hasProject(qint64 conversationId) const {
    return store_.projectOf(conversationId) != kNoId;
}

void ChatTools::allowInProject(qint64 conversationId, const QString& permission) {
    const qint64 project = store_.projectOf(conversationId);
    if (project != kNoId) {
        chats_.written(store_.allowToolInProject(project, permission),
                       tr("The permission is not saved: Hearth will ask again."));
        emit changed();
    }
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
