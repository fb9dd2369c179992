// The plain values of a chat. Messages form a tree: an edited question or a regenerated answer is a
// sibling of the old one, never its replacement.
#pragma once

#include <QDateTime>
#include <QList>
#include <QString>

namespace hearth::ui {

constexpr qint64 kNoId = -1;

enum class MessageRole { System, User, Assistant };

enum class MessageState {
    Complete,
    Generating,
    Stopped,      // by the user
    Failed,       // see errorText
    Interrupted,  // the program ended during the answer
    Waiting,      // another answer must end first; on disk it is Generating
};

// Spellings for the database and QML.
QString toString(MessageRole role);
QString toString(MessageState state);
MessageRole roleFromString(const QString& text);
MessageState messageStateFromString(const QString& text);

struct ReplyStats {
    int tokenCount = 0;
    double firstTokenMs = 0;
    double tokensPerSecond = 0;
    // While the program runs; not stored:
    QString device = {};   // the GPU and its share
    QString experts = {};  // the places of those that a mixture's tokens chose
    // Stored again:
    QString model = {};        // the name of the model that wrote it; several are joined by ", "
    bool isCut = false;        // it ended at the most tokens that were allowed, or with the context
    qint64 readsFrom = kNoId;  // the first message that the model read; kNoId: it read all
};

struct Message {
    qint64 id = kNoId;
    qint64 parentId = kNoId;  // kNoId: the first of its conversation
    MessageRole role = MessageRole::User;
    QString content;  // markdown as written
    MessageState state = MessageState::Complete;
    QString errorText;
    ReplyStats stats;
    int versionIndex = 0;  // among its siblings, oldest first
    int versionCount = 1;
};

struct ConversationSummary {
    qint64 id = kNoId;
    QString title;
    QDateTime updatedAt;
    QString preview;  // the start of its latest message
    bool isPinned = false;
};

}  // namespace hearth::ui
