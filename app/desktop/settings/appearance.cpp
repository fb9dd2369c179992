#include "settings/appearance.h"

#include <algorithm>
#include <cmath>

#include "settings/app_settings.h"
#include "system/own_window.h"

namespace hearth::ui {

Appearance::Appearance(AppSettings& settings, QObject* parent)
    : QObject(parent), settings_(settings), zoom_(settings.zoom()) {
    connect(&systemTheme_, &SystemTheme::darkChanged, this, &Appearance::darkChanged);
    connect(&systemTheme_, &SystemTheme::lessMotionChanged, this, &Appearance::motionChanged);
    connect(&settings_, &AppSettings::changed, this, [this](const QString& key) {
        if (key == QLatin1String("window/motion")) {
            emit motionChanged();
        } else if (key == QLatin1String("window/theme")) {
            emit themeModeChanged();
        } else if (key == QLatin1String("window/zoom") && zoom_ != settings_.zoom()) {
            zoom_ = settings_.zoom();
            emit zoomChanged();
        }
    });
    connect(this, &Appearance::themeModeChanged, this, &Appearance::darkChanged);
}

bool Appearance::dark() const {
    const QString mode = themeMode();
    return mode == QLatin1String("system") ? systemTheme_.dark() : mode == QLatin1String("dark");
}

QString Appearance::themeMode() const {
    return settings_.themeMode();
}

void Appearance::setThemeMode(const QString& mode) {
    settings_.setThemeMode(mode);
}

bool Appearance::motion() const {
    return settings_.motion() && !systemTheme_.lessMotion();
}

void Appearance::setSparing(bool sparing) {
    if (sparing != sparing_) {
        sparing_ = sparing;
        emit sparingChanged();
    }
}

void Appearance::colourFrame(QWindow* window, const QColor& ground, const QColor& text,
                             const QColor& away) {
    if (window != nullptr) {
        hearth::ui::colourFrame(*window, {ground, text, away});
    }
}

void Appearance::zoomBy(int steps) {
    const double zoom = steps == 0 ? 1 : std::clamp(std::round(10 * zoom_ + steps) / 10, 0.8, 2.0);
    if (zoom != zoom_) {
        zoom_ = zoom;
        settings_.setZoom(zoom);
        emit zoomChanged();
    }
}

}  // namespace hearth::ui
