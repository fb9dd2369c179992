#include "window/say_queue.h"

#include <QTimer>
#include <cstdio>

#include "window/app_controller.h"

namespace hearth::ui {

SayQueue::SayQueue(AppController& controller, bool echo, QObject* parent)
    : QObject(parent), controller_(controller) {
    if (echo) {
        connect(controller_.replies(), &Replies::replyShown, this, [](qint64, const QString& text) {
            std::fputs(text.toUtf8().constData(), stdout);
            std::fflush(stdout);
        });
        connect(controller_.replies(), &Replies::replyEnded, this, [] {
            std::fputc('\n', stdout);
            std::fflush(stdout);
        });
    }
    connect(
        controller_.replies(), &Replies::replyEnded, this,
        [this] {
            if (conversation_ != kNoId && !controller_.replies()->answersIn(conversation_)) {
                next();
            }
        },
        Qt::QueuedConnection);
}

void SayQueue::add(const QStringList& texts) {
    if (texts.isEmpty()) {
        return;
    }
    batches_.append(texts);
    if (batches_.size() == 1) {
        QTimer::singleShot(0, this, &SayQueue::begin);
    }
}

void SayQueue::begin() {
    conversation_ = kNoId;
    controller_.chats()->newConversation();
    next();
}

void SayQueue::next() {
    if (conversation_ != kNoId) {  // the user may look at another conversation now
        controller_.chats()->select(conversation_);
    }
    const bool here = controller_.chats()->currentId() == conversation_;
    QStringList& texts = batches_.first();
    if (here && !texts.isEmpty() && controller_.replies()->send(texts.takeFirst())) {
        conversation_ = controller_.chats()->currentId();
        return;
    }
    batches_.removeFirst();
    conversation_ = kNoId;
    if (!batches_.isEmpty()) {
        QTimer::singleShot(0, this, &SayQueue::begin);
    }
}

}  // namespace hearth::ui
