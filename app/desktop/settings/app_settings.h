// The settings file: a plain INI people can read.
#pragma once

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
    // Values out of range fall back to their defaults.
    GenerationSettings generation() const;
    int threads() const;        // 0: the engine chooses
    int contextTokens() const;  // 0: the model's own

private:
    mutable QSettings settings_;
};

}  // namespace hearth::ui
