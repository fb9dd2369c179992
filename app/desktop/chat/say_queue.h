// `--say TEXT`: sends messages one after the other in a new conversation, each when the answer to
// the one before is complete.
#pragma once

#include <QList>
#include <QObject>
#include <QStringList>

#include "conversation.h"

namespace hearth::ui {

class AppController;

class SayQueue : public QObject {
    Q_OBJECT

public:
    // echo: what is answered, to anything, also goes to standard output as it is shown.
    SayQueue(AppController& controller, bool echo, QObject* parent = nullptr);

    // Starts with the event loop, and behind what was added before. What is refused ends with its
    // conversation.
    void add(const QStringList& texts);

private:
    void begin();
    void next();

    AppController& controller_;
    QList<QStringList> batches_;  // one for each conversation, the first one under way
    qint64 conversation_ = kNoId;
};

}  // namespace hearth::ui
