// `--say TEXT`: sends messages one after the other, each when the answer to the one before is
// complete, and writes the answers to standard output as they are shown.
#pragma once

#include <QObject>
#include <QStringList>

namespace hearth::ui {

class AppController;

class SayQueue : public QObject {
    Q_OBJECT

public:
    // Starts with the event loop. Ends at the first message that is refused.
    SayQueue(AppController& controller, const QStringList& texts, QObject* parent = nullptr);

private:
    void next();

    AppController& controller_;
    QStringList texts_;
};

}  // namespace hearth::ui
