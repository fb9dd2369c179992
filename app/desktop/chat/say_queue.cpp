#include "say_queue.h"

#include <QTimer>
#include <cstdio>

#include "app_controller.h"

namespace hearth::ui {

SayQueue::SayQueue(AppController& controller, const QStringList& texts, QObject* parent)
    : QObject(parent), controller_(controller), texts_(texts) {
    if (texts_.isEmpty()) {
        return;
    }
    connect(controller_.replies(), &Replies::replyShown, this, [](qint64, const QString& text) {
        std::fputs(text.toUtf8().constData(), stdout);
        std::fflush(stdout);
    });
    connect(
        controller_.replies(), &Replies::replyEnded, this,
        [this] {
            std::fputc('\n', stdout);
            std::fflush(stdout);
            next();
        },
        Qt::QueuedConnection);
    QTimer::singleShot(0, this, [this] {
        controller_.chats()->newConversation();
        next();
    });
}

void SayQueue::next() {
    if (!texts_.isEmpty() && !controller_.replies()->send(texts_.takeFirst())) {
        texts_.clear();
    }
}

}  // namespace hearth::ui
