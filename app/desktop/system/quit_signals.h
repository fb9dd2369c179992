// SIGINT, SIGTERM and SIGHUP end the program as closing the window does, so that the reply so far
// and the draft are written. Elsewhere than on POSIX systems it does nothing: Windows tells a
// program with a window by a message, which Qt handles.
#pragma once

#include <QObject>

namespace hearth::ui {

class QuitSignals : public QObject {
    Q_OBJECT

public:
    // One at a time, in the thread of the event loop. Signals that are ignored (nohup, a job in the
    // background) stay ignored. A signal's second arrival ends the process at once.
    explicit QuitSignals(QObject* parent = nullptr);
    // What the signals did before they do again.
    ~QuitSignals() override;

    bool active() const { return active_; }

signals:
    // From the event loop; also when the signal came before the loop began.
    void asked();

private:
    bool active_ = false;
};

}  // namespace hearth::ui
