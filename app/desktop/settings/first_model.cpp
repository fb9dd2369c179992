#include "settings/first_model.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include "settings/app_settings.h"

namespace hearth::ui {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("FirstModel", text);
}

}  // namespace

FirstModel firstModel(const QString& named, const AppSettings& settings, const QString& starter) {
    if (!named.isEmpty()) {
        return {named, {}};
    }
    const QString last = settings.lastModelPath();
    if (last.isEmpty() || QFileInfo::exists(last)) {
        return {last.isEmpty() ? starter : last, {}};
    }
    const QString gone = tr("The model that was used last is not there any more: %1.")
                             .arg(QDir::toNativeSeparators(last));
    return {starter,
            gone + QLatin1Char(' ') +
                (starter.isEmpty() ? tr("Open another one.")
                                   : tr("The one that came with Hearth answers instead."))};
}

}  // namespace hearth::ui
