// What must hold of every page of the window, in every theme and size: each returns what is wrong,
// one line each, empty: nothing.
#pragma once

#include <QImage>
#include <QStringList>

class QQuickItem;

namespace hearth::ui::test {

class UiWindow;

// What is in front: the popup that was opened last, else all of the window.
QQuickItem* front(UiWindow& ui);

// Every control that is seen has a name and a role for a screen reader.
QStringList unnamed(UiWindow& ui);
// Tab goes through every control in front and comes back; what has the keyboard has a name and lies
// in the window. (Lists are one
// stop; in a menu Down takes the place of Tab.)
QStringList unreachable(UiWindow& ui);
// No text is cut that is not meant to be, and no control lies outside the window.
QStringList clipped(UiWindow& ui);
// Text on its ground, as drawn: 4.5:1, large text 3:1.
QStringList pale(UiWindow& ui);

}  // namespace hearth::ui::test
