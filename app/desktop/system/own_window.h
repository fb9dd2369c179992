// Requests of a window to the system that shows it.
#pragma once

#include <QColor>
#include <QString>
#include <QWindow>

namespace hearth::ui {

// Brings the window to the front and gives it the keyboard. A maximized window stays maximized.
// activationToken: Wayland's permission; may be empty.
void bringToFront(QWindow& window, const QString& activationToken);

// Colours of a title bar and its text; `away`: the text while another window has the keyboard.
struct FrameColours {
    QColor ground;
    QColor text;
    QColor away;
};
// Acts on Wayland where the desktop draws no title bars (GNOME) and Qt does; elsewhere nothing
// happens. Call it before the window is shown and whenever the colours change.
void colourFrame(QWindow& window, const FrameColours& colours);
// The same for a named platform of Qt: for tests.
void colourFrame(QWindow& window, const FrameColours& colours, const QString& platform);

}  // namespace hearth::ui
