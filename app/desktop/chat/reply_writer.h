// The answer being written, on its way to the disk: checkpoints while it grows, its end, and a
// second try for what the disk did not take.
#pragma once

#include <QElapsedTimer>
#include <QList>
#include <QObject>
#include <QString>
#include <QTimer>

#include "conversation.h"

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

    // The question and the answer's row are on disk.
    void begin(qint64 conversationId, qint64 messageId);
    void append(const QString& text) { reply_.text += text; }
    // Not left to the timer alone: a busy event loop serves it last.
    void checkpointIfDue();
    void end(MessageState state, const QString& errorText, const ReplyStats& stats);
    // Writes what is pending.
    void flush();
    // Where the disk is behind, what the message really is.
    void amend(Message& message) const;

    // At most this much of a reply, in time, is lost when the process is killed.
    static constexpr int kCheckpointMs = 250;

private:
    struct Reply {
        qint64 conversationId = kNoId;
        qint64 messageId = kNoId;  // kNoId: none is being written
        QString text;
        qsizetype savedLength = 0;  // of text, at the last checkpoint
    };
    // A finished answer the disk did not take yet.
    struct Unsaved {
        qint64 messageId = kNoId;
        QString text;
        MessageState state = MessageState::Complete;
        QString errorText;
        ReplyStats stats;
    };
    void checkpoint();
    void retry();
    void saved();
    void notSaved();

    ConversationStore& store_;
    Notices& notices_;
    Reply reply_;
    QList<Unsaved> unsaved_;
    QTimer checkpointTimer_;
    QElapsedTimer sinceCheckpoint_;
    QTimer retryTimer_;
};

}  // namespace hearth::ui
