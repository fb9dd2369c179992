#include "system/own_window.h"

#include <QGuiApplication>
#include <QPalette>

namespace hearth::ui {

namespace {

bool isWayland(const QString& platform) {
    return platform.startsWith(QLatin1String("wayland"));
}

}  // namespace

void bringToFront(QWindow& window, const QString& activationToken) {
    window.setWindowStates(window.windowStates() & ~Qt::WindowMinimized);
    window.setVisible(true);  // show() would make a maximized window small
    window.raise();
    const bool token = !activationToken.isEmpty() && isWayland(QGuiApplication::platformName());
    if (token) {
        qputenv("XDG_ACTIVATION_TOKEN", activationToken.toUtf8());  // Qt reads it there
    }
    window.requestActivate();
    if (token) {
        qunsetenv("XDG_ACTIVATION_TOKEN");
    }
}

void colourFrame(QWindow& window, const FrameColours& colours) {
    colourFrame(window, colours, QGuiApplication::platformName());
}

void colourFrame(QWindow& window, const FrameColours& colours, const QString& platform) {
    if (!isWayland(platform)) {
        return;
    }
    // Qt's frames take these two colours when they are created.
    QPalette palette;
    palette.setColor(QPalette::Window, colours.ground);
    palette.setColor(QPalette::WindowText, colours.text);
    palette.setColor(QPalette::Disabled, QPalette::WindowText, colours.away);
    QGuiApplication::setPalette(palette);
    if (!window.frameMargins().isNull()) {  // an existing frame is created anew
        window.setFlag(Qt::FramelessWindowHint, true);
        window.setFlag(Qt::FramelessWindowHint, false);
    }
}

}  // namespace hearth::ui
