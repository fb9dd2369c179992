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

double AppSettings::zoom() const {
    return number(settings_, "window/zoom", 1, 0.8, 1.6);
}

void AppSettings::setZoom(double zoom) {
    settings_.setValue(QStringLiteral("window/zoom"), zoom);
}

bool AppSettings::listShown() const {
    return settings_.value(QStringLiteral("window/list"), true).toBool();
}

void AppSettings::setListShown(bool shown) {
    settings_.setValue(QStringLiteral("window/list"), shown);
}

QRect AppSettings::windowPlace() const {
    constexpr int kMost = 1 << 16;
    return {integer(settings_, "window/x", 0, -kMost, kMost),
            integer(settings_, "window/y", 0, -kMost, kMost),
            integer(settings_, "window/width", 0, 1, kMost),
            integer(settings_, "window/height", 0, 1, kMost)};
}

void AppSettings::setWindowPlace(const QRect& place) {
    settings_.setValue(QStringLiteral("window/x"), place.x());
    settings_.setValue(QStringLiteral("window/y"), place.y());
    settings_.setValue(QStringLiteral("window/width"), place.width());
    settings_.setValue(QStringLiteral("window/height"), place.height());
}

bool AppSettings::windowMaximized() const {
    return settings_.value(QStringLiteral("window/maximized"), false).toBool();
}

void AppSettings::setWindowMaximized(bool maximized) {
    settings_.setValue(QStringLiteral("window/maximized"), maximized);
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
