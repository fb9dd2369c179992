#include "system/system_theme.h"

#include <QEvent>
#include <QGuiApplication>
#include <QPalette>
#include <QStyleHints>

namespace hearth::ui {

SystemTheme::SystemTheme(QObject* parent) : QObject(parent) {
    if (qGuiApp == nullptr) {
        return;  // a test without windows
    }
    qGuiApp->installEventFilter(this);
    connect(&portal_, &PortalSettings::changed, this, &SystemTheme::look);
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    connect(QGuiApplication::styleHints(), &QStyleHints::colorSchemeChanged, this,
            &SystemTheme::look);
#endif
    look();
}

bool SystemTheme::eventFilter(QObject* watched, QEvent* event) {
    if (watched == qGuiApp && event->type() == QEvent::ApplicationPaletteChange) {
        look();
    }
    return false;
}

void SystemTheme::look() {
    const QPalette palette = QGuiApplication::palette();
    // The palettes of windows may be ours: see colourFrame().
    bool dark =
        palette.color(QPalette::Base).lightness() < palette.color(QPalette::Text).lightness();
    dark = portal_.dark().value_or(dark);
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    const Qt::ColorScheme scheme = QGuiApplication::styleHints()->colorScheme();
    if (scheme != Qt::ColorScheme::Unknown) {
        dark = scheme == Qt::ColorScheme::Dark;
    }
#endif
    if (dark != dark_) {
        dark_ = dark;
        emit darkChanged();
    }
    if (portal_.lessMotion() != lessMotion_) {
        lessMotion_ = portal_.lessMotion();
        emit lessMotionChanged();
    }
}

}  // namespace hearth::ui
