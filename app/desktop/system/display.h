// Whether a window can be shown at all.
#pragma once

#include <QString>

namespace hearth::ui {

// True where Qt would end the process because it finds neither X11 nor Wayland: on Linux and the
// BSDs without DISPLAY and WAYLAND_DISPLAY, unless QT_QPA_PLATFORM, -platform or -display name
// something else. False says only that it is worth a try.
bool displayMissing(int argc, const char* const* argv);

// "QT_QUICK_BACKEND=software": what names Qt Quick's renderer, where the user has set it; else
// empty.
QString rendererVariable();

// What names a display for Qt; each may be empty. platform: the user's choice among them.
struct NamedDisplays {
    QString wayland;
    QString x;
    QString platform;
};
NamedDisplays namedDisplays();
// Whether who starts the program asks for Qt's own words about its plugins.
bool wantsQtsWords();

// Whether the session has a message bus that can be asked; asking where there is none would start
// one.
bool hasSessionBus();
// libxkbcommon finds no keyboard where its folder of layouts is missing, and Qt's Wayland crashes
// at the first key then (6.4). A desktop sends its whole layout, so any folder will do: `otherwise`
// is named, where the usual one is missing and the user names none. Before the QGuiApplication.
void nameKeyboardFolder(const QString& otherwise,
                        const QString& usual = QStringLiteral("/usr/share/X11/xkb"));
// The system's permission for this start to bring a window to the front (Wayland); else empty.
QString activationToken();

}  // namespace hearth::ui
