// Tells the user something through the desktop's notifications while nobody looks at the window.
#pragma once

#include <QString>
#include <functional>

class QObject;

namespace hearth::ui {

// Asks the desktop to show a notification and returns at once. Calls `refused` where the desktop
// shows none, from the event loop or from within this call, unless `context` is gone.
void notifyDesktop(const QString& title, const QString& text, QObject* context,
                   std::function<void()> refused);

}  // namespace hearth::ui
