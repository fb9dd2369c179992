// SIGINT, SIGTERM and SIGHUP end the program as closing the window does, so that the reply so far
// and the draft are written. Outside of POSIX systems this does nothing: Windows tells a program
// with a window by a message, which Qt handles.
#pragma once

#include <QObject>

namespace hearth::ui {

class QuitSignals : public QObject {
    Q_OBJECT

public:
    // One at a time, in the thread of the event loop. Ignored signals (nohup, a job in the
    // background) stay ignored. The second arrival of a signal ends the process at once.
    explicit QuitSignals(QObject* parent = nullptr);
    // Restores the signals' earlier handling.
    ~QuitSignals() override;

    bool active() const { return active_; }

signals:
    // Sent from the event loop, also when the signal came before the loop began.
    void asked();

private:
    bool active_ = false;
};

}  // namespace hearth::ui
