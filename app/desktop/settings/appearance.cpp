#include "appearance.h"

#include <algorithm>

#include "app_settings.h"

namespace hearth::ui {

Appearance::Appearance(AppSettings& settings, QObject* parent)
    : QObject(parent), settings_(settings), zoom_(settings.zoom()) {
    connect(&systemTheme_, &SystemTheme::darkChanged, this, &Appearance::darkChanged);
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
    if (mode != themeMode()) {
        settings_.setThemeMode(mode);
        emit themeModeChanged();
    }
}

void Appearance::zoomBy(int steps) {
    const double zoom = steps == 0 ? 1 : std::clamp(zoom_ + 0.1 * steps, 0.8, 1.6);
    if (zoom != zoom_) {
        zoom_ = zoom;
        settings_.setZoom(zoom);
        emit zoomChanged();
    }
}

}  // namespace hearth::ui
