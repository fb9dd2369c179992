// A word from a program that nobody is looking at, through the desktop's own notifications.
#pragma once

#include <QString>
#include <functional>

class QObject;

namespace hearth::ui {

// Asks the desktop to show it and returns at once. `refused` is called where there is nobody to
// show it, from the event loop or from within, unless `context` is gone.
void notifyDesktop(const QString& title, const QString& text, QObject* context,
                   std::function<void()> refused);

}  // namespace hearth::ui
