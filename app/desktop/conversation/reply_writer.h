// Writes the answer under way to the disk: checkpoints while it grows, its end, and a second try
// for text that the disk refused. It also holds the queue of waiting answers.
#pragma once

#include <QElapsedTimer>
#include <QList>
#include <QObject>
#include <QString>
#include <QTimer>
#include <optional>

#include "store/conversation.h"

namespace hearth::ui {

class ConversationStore;
class Notices;

class ReplyWriter : public QObject {
    Q_OBJECT

public:
    ReplyWriter(ConversationStore& store, Notices& notices, QObject* parent = nullptr);

    bool active() const { return reply_.messageId != kNoId; }
    qint64 conversationId() const { return reply_.conversationId; }
    qint64 messageId() const { return reply_.messageId; }

    // Answers that begin when earlier ones have ended. Their questions are on disk, at most one for
    // each conversation. An answer that is continued has text, and what is known of it.
    struct Waiting {
        qint64 conversationId = kNoId;
        qint64 messageId = kNoId;
        QString text = {};
        ReplyStats stats = {};
    };

    // The question and the answer's row are on disk.
    void begin(const Waiting& answer);
    // The text so far; empty at first, unless the answer is continued.
    const QString& text() const { return reply_.text; }
    // The figures of an answer before it was continued.
    const ReplyStats& formerStats() const { return reply_.stats; }
    void append(const QString& text) { reply_.text += text; }
    // Called also between timeouts: a busy event loop serves the timer last.
    void checkpointIfDue();
    void end(MessageState state, const QString& errorText, const ReplyStats& stats);
    const QList<Waiting>& waiting() const { return waiting_; }
    bool waitsIn(qint64 conversationId) const;
    void wait(const Waiting& answer) { waiting_.append(answer); }
    Waiting takeFirstWaiting() { return waiting_.takeFirst(); }
    std::optional<Waiting> takeWaiting(qint64 conversationId);
    // Ends an answer that was taken from the queue and never began: it keeps its text.
    void endUnbegun(const Waiting& answer, MessageState state, const QString& errorText);

    // Writes pending text.
    void flush();
    // Corrects a message whose state on the disk is out of date.
    void amend(Message& message) const;

    // At most this much of a reply, in time, is lost when the process is killed.
    static constexpr int kCheckpointMs = 250;

private:
    struct Reply {
        qint64 conversationId = kNoId;
        qint64 messageId = kNoId;  // kNoId: none is being written
        QString text;
        ReplyStats stats;           // before it was continued
        qsizetype savedLength = 0;  // length of `text` at the last checkpoint
    };
    // A finished answer that the disk did not take yet.
    struct Unsaved {
        qint64 messageId = kNoId;
        QString text;
        MessageState state = MessageState::Complete;
        QString errorText;
        ReplyStats stats;
    };
    void finish(const Unsaved& answer);
    void checkpoint();
    void retry();
    void saved();
    void notSaved();

    ConversationStore& store_;
    Notices& notices_;
    Reply reply_;
    QList<Waiting> waiting_;
    QList<Unsaved> unsaved_;
    QTimer checkpointTimer_;
    QElapsedTimer sinceCheckpoint_;
    QTimer retryTimer_;
};

}  // namespace hearth::ui
