// The settings file: a plain INI people can read.
#pragma once

#include <QRect>
#include <QSettings>
#include <QString>

#include "inference_service.h"

namespace hearth::ui {

class AppSettings {
public:
    explicit AppSettings(const QString& iniFile);

    QString lastModelPath() const;
    void setLastModelPath(const QString& path);
    QString themeMode() const;  // "system", "light", "dark"
    void setThemeMode(const QString& mode);
    double zoom() const;  // of the text, 0.8 to 1.6
    void setZoom(double zoom);
    bool listShown() const;
    void setListShown(bool shown);
    QRect windowPlace() const;  // empty: there is none yet
    void setWindowPlace(const QRect& place);
    bool windowMaximized() const;
    void setWindowMaximized(bool maximized);
    // Values out of range fall back to their defaults.
    GenerationSettings generation() const;
    int threads() const;        // 0: the engine chooses
    int contextTokens() const;  // 0: the model's own

private:
    mutable QSettings settings_;
};

}  // namespace hearth::ui
