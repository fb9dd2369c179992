// Sets how often the window may change while an answer is written, so that drawing leaves the
// processor to the model.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "system/renderer.h"

namespace hearth::ui {

class FramePace : public QObject {
    Q_OBJECT

public:
    static constexpr int kShortestMs = 16;  // a frame of a common screen
    static constexpr int kLongestMs = 100;  // at longer intervals text no longer seems to flow
    static constexpr double kShare = 0.06;  // of one core, for drawing

    explicit FramePace(DrawnBy by, QObject* parent = nullptr);

    // Time from one change to the next. A graphics card takes every frame; a driver that computes
    // on the processor takes few. For Qt's own renderer the interval follows the measured load of
    // the GUI thread.
    int intervalMs() const { return intervalMs_; }
    // True while an answer is written.
    void setRunning(bool running);
    // The next interval, if the GUI thread took `share` of one core at this one.
    static int next(int intervalMs, double share);

signals:
    void intervalChanged(int ms);

private:
    void look();

    DrawnBy by_;
    int intervalMs_;
    QTimer timer_;
    QElapsedTimer sinceLook_;
    double threadMs_ = 0;
};

}  // namespace hearth::ui
