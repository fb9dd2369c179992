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

// A call of a tool within an answer.
struct CallRecord {
    enum class State {
        Asked,  // the user has not answered yet
        Running,
        Done,
        Failed,
        Refused,      // by the user, or by a limit
        Interrupted,  // the answer ended before
    };
    qint64 id = kNoId;
    int round = 0;        // from 0; calls of one round were made together
    qsizetype place = 0;  // characters of the answer before it
    QString callId;
    QString tool;       // the name by which the model called it
    QString source;     // the server's name
    QString arguments;  // JSON
    State state = State::Asked;
    QString result;   // as the model got it
    QString thought;  // reasoning that the model wrote after the result

    bool hasEnded() const { return state != State::Asked && state != State::Running; }
    bool operator==(const CallRecord&) const = default;
};
QString toString(CallRecord::State state);
CallRecord::State callStateFromString(const QString& text);

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
    QList<CallRecord> calls = {};  // in their order
};

struct ConversationSummary {
    qint64 id = kNoId;
    QString title;
    QDateTime updatedAt;
    QString preview;  // the start of its latest message
    bool isPinned = false;
    qint64 projectId = kNoId;  // kNoId: it belongs to none
};

}  // namespace hearth::ui
