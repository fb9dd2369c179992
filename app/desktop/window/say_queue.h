// `--say TEXT`: sends messages one after the other in a new conversation, each when the answer to
// the previous one is complete.
#pragma once

#include <QList>
#include <QObject>
#include <QStringList>

#include "store/conversation.h"

namespace hearth::ui {

class AppController;

class SayQueue : public QObject {
    Q_OBJECT

public:
    // echo: every answer, to any message, also goes to standard output as it is shown.
    SayQueue(AppController& controller, bool echo, QObject* parent = nullptr);

    // Starts with the event loop, after texts that were added earlier. A refused message ends its
    // conversation.
    void add(const QStringList& texts);

private:
    void begin();
    void next();

    AppController& controller_;
    QList<QStringList> batches_;  // one for each conversation; the first one is under way
    qint64 conversation_ = kNoId;
};

}  // namespace hearth::ui
