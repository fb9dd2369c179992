// The environment's display: whether there is one, and its names.
#pragma once

#include <QString>

namespace hearth::ui {

// True where Qt would end the process because it finds neither X11 nor Wayland: on Linux and the
// BSDs without DISPLAY and WAYLAND_DISPLAY, unless QT_QPA_PLATFORM, -platform or -display name
// something else. False only says that a try makes sense.
bool displayMissing(int argc, const char* const* argv);

// "QT_QUICK_BACKEND=software": the variable with which the user chose Qt Quick's renderer; else
// empty.
QString rendererVariable();

// Variables that name a display for Qt; each may be empty. platform: the user's choice among them.
struct NamedDisplays {
    QString wayland;
    QString x;
    QString platform;
};
NamedDisplays namedDisplays();
// True if the user asked for Qt's own messages about its plugins.
bool wantsQtsWords();

// True if the session has a message bus. To ask a bus where there is none would start one.
bool hasSessionBus();
// libxkbcommon finds no keyboard where its folder of layouts is missing, and Qt's Wayland plugin
// then crashes at the first key (6.4). A desktop sends its whole layout, so any folder will do:
// this names `otherwise` where the usual folder is missing and the user named none. Call it before
// the QGuiApplication.
void nameKeyboardFolder(const QString& otherwise,
                        const QString& usual = QStringLiteral("/usr/share/X11/xkb"));
// The system's permission for this start to bring a window to the front (Wayland); else empty.
QString activationToken();

}  // namespace hearth::ui
