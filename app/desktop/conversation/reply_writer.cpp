#include "conversation/reply_writer.h"

#include <algorithm>
#include <utility>

#include "status/notices.h"
#include "store/conversation_store.h"

namespace hearth::ui {

namespace {

constexpr int kRetryMs = 2000;

}  // namespace

ReplyWriter::ReplyWriter(ConversationStore& store, Notices& notices, QObject* parent)
    : QObject(parent), store_(store), notices_(notices) {
    checkpointTimer_.setInterval(kCheckpointMs);
    checkpointTimer_.setTimerType(Qt::PreciseTimer);
    connect(&checkpointTimer_, &QTimer::timeout, this, &ReplyWriter::checkpoint);
    retryTimer_.setInterval(kRetryMs);
    connect(&retryTimer_, &QTimer::timeout, this, &ReplyWriter::retry);
}

void ReplyWriter::begin(const Waiting& answer) {
    reply_ = {answer.conversationId, answer.messageId, answer.text, answer.stats,
              answer.text.size()};
    sinceCheckpoint_.start();
    checkpointTimer_.start();
}

void ReplyWriter::checkpointIfDue() {
    if (sinceCheckpoint_.elapsed() >= kCheckpointMs) {
        checkpoint();
    }
}

void ReplyWriter::end(MessageState state, const QString& errorText, const ReplyStats& stats) {
    const Reply reply = std::exchange(reply_, {});
    checkpointTimer_.stop();
    finish({reply.messageId, reply.text, state, errorText, stats});
}

void ReplyWriter::endUnbegun(const Waiting& answer, MessageState state, const QString& errorText) {
    finish({answer.messageId, answer.text, state, errorText, answer.stats});
}

void ReplyWriter::finish(const Unsaved& answer) {
    if (store_.finishReply(answer.messageId, answer.text, answer.state, answer.errorText,
                           answer.stats)) {
        saved();
        return;
    }
    unsaved_.append(answer);
    retryTimer_.start();
    notSaved();
}

bool ReplyWriter::waitsIn(qint64 conversationId) const {
    return std::any_of(waiting_.begin(), waiting_.end(), [&](const Waiting& answer) {
        return answer.conversationId == conversationId;
    });
}

std::optional<ReplyWriter::Waiting> ReplyWriter::takeWaiting(qint64 conversationId) {
    for (qsizetype i = 0; i < waiting_.size(); ++i) {
        if (waiting_.at(i).conversationId == conversationId) {
            return waiting_.takeAt(i);
        }
    }
    return std::nullopt;
}

void ReplyWriter::flush() {
    checkpoint();
    retry();
}

void ReplyWriter::amend(Message& message) const {
    if (active() && message.id == reply_.messageId) {
        message.content = reply_.text;  // the disk may be a moment behind
    } else if (message.state == MessageState::Generating && !store_.readOnly()) {
        const bool waits =
            std::any_of(waiting_.begin(), waiting_.end(),
                        [&](const Waiting& answer) { return answer.messageId == message.id; });
        // Interrupted: the start could not mark it.
        message.state = waits ? MessageState::Waiting : MessageState::Interrupted;
    }
    for (const Unsaved& unsaved : unsaved_) {
        if (message.id == unsaved.messageId) {
            message.content = unsaved.text;
            message.state = unsaved.state;
            message.errorText = unsaved.errorText;
            message.stats = unsaved.stats;
        }
    }
}

void ReplyWriter::saved() {
    if (unsaved_.isEmpty()) {
        notices_.end(Notices::Topic::Answer);
    }
    notices_.storeWorked();
}

void ReplyWriter::notSaved() {
    notices_.storeFailed(tr("The answer is not saved yet; it will be tried again."),
                         store_.lastError(), Notices::Topic::Answer);
}

void ReplyWriter::checkpoint() {
    if (!active() || reply_.text.size() == reply_.savedLength) {
        return;
    }
    if (store_.checkpointReply(reply_.messageId, reply_.text)) {
        reply_.savedLength = reply_.text.size();
        saved();
    } else {
        notSaved();
    }
    sinceCheckpoint_.restart();
}

void ReplyWriter::retry() {
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
        notices_.end(Notices::Topic::Answer);
        notices_.notify(QStringLiteral("info"), tr("All answers are saved now."));
    }
}

}  // namespace hearth::ui
