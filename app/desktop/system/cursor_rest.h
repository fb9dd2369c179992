// Lets the text cursor rest: a window that nobody uses draws nothing.
#pragma once

#include <QObject>
#include <QTimer>

namespace hearth::ui {

// While this object lives, text cursors stop blinking, and stay visible, once no key, button or
// wheel was used for `restMs`. The next one lets them blink again at the system's pace. A blink
// draws a part of the window anew twice a second for as long as the window is in front.
class CursorRest : public QObject {
    Q_OBJECT

public:
    static constexpr int kRestMs = 10'000;

    explicit CursorRest(int restMs = kRestMs);
    ~CursorRest() override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QTimer rest_;
    bool rests_ = false;
};

}  // namespace hearth::ui
