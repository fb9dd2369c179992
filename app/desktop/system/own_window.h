// What a window asks of the system that shows it.
#pragma once

#include <QColor>
#include <QString>
#include <QWindow>

namespace hearth::ui {

// To be in front and have the keyboard. A maximized window stays one. activationToken: Wayland's
// permission; may be empty.
void bringToFront(QWindow& window, const QString& activationToken);

// Colours of a title bar and of what is written in it; `away`: while another window has the
// keyboard.
struct FrameColours {
    QColor ground;
    QColor text;
    QColor away;
};
// On Wayland, where the desktop draws no title bars (GNOME) and Qt does. Elsewhere nothing happens.
// Before the window is shown and whenever they change.
void colourFrame(QWindow& window, const FrameColours& colours);
// The same by the name of a platform of Qt's: for tests.
void colourFrame(QWindow& window, const FrameColours& colours, const QString& platform);

}  // namespace hearth::ui
