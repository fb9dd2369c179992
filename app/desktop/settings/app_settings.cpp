#include "app_settings.h"

#include <QStringList>

namespace hearth::ui {

namespace {

double number(const QSettings& settings, const char* key, double fallback, double least,
              double most) {
    bool ok = false;
    const double value = settings.value(QLatin1String(key), fallback).toDouble(&ok);
    return ok && value >= least && value <= most ? value : fallback;
}

int integer(const QSettings& settings, const char* key, int fallback, int least, int most) {
    bool ok = false;
    const int value = settings.value(QLatin1String(key), fallback).toInt(&ok);
    return ok && value >= least && value <= most ? value : fallback;
}

}  // namespace

AppSettings::AppSettings(const QString& iniFile) : settings_(iniFile, QSettings::IniFormat) {}

QString AppSettings::lastModelPath() const {
    return settings_.value(QStringLiteral("model/path")).toString();
}

void AppSettings::setLastModelPath(const QString& path) {
    settings_.setValue(QStringLiteral("model/path"), path);
}

QString AppSettings::themeMode() const {
    const QString mode = settings_.value(QStringLiteral("window/theme")).toString();
    return mode == QLatin1String("light") || mode == QLatin1String("dark")
               ? mode
               : QStringLiteral("system");
}

void AppSettings::setThemeMode(const QString& mode) {
    settings_.setValue(QStringLiteral("window/theme"), mode);
}

GenerationSettings AppSettings::generation() const {
    GenerationSettings values;
    values.temperature = number(settings_, "sampling/temperature", values.temperature, 0, 10);
    values.topK = integer(settings_, "sampling/top_k", values.topK, 0, 1'000'000);
    values.topP = number(settings_, "sampling/top_p", values.topP, 0.01, 1);
    values.minP = number(settings_, "sampling/min_p", values.minP, 0, 1);
    values.seed = settings_.value(QStringLiteral("sampling/seed"), 0).toULongLong();
    return values;
}

int AppSettings::threads() const {
    return integer(settings_, "engine/threads", 0, 0, 1024);
}

int AppSettings::contextTokens() const {
    return integer(settings_, "engine/context", 0, 0, 1 << 24);
}

}  // namespace hearth::ui
