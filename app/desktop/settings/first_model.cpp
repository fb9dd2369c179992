#include "settings/first_model.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include "bridge/remote_path.h"
#include "settings/app_settings.h"

namespace hearth::ui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(FirstModel)
};

}  // namespace

FirstModel firstModel(const QString& named, const AppSettings& settings, const QString& starter,
                      const std::function<bool(const QString& path)>& isThere) {
    if (!named.isEmpty()) {
        return {named, {}};
    }
    const QString last = settings.lastModelPath();
    if (last.isEmpty() || (isThere ? isThere(last) : QFileInfo::exists(last))) {
        return {last.isEmpty() ? starter : last, {}};
    }
    const QString gone =
        Words::tr("The model that was used last is not there any more: %1.")
            .arg(isRemotePath(last) ? nameOfModelAt(last) : QDir::toNativeSeparators(last));
    return {starter,
            gone + QLatin1Char(' ') +
                (starter.isEmpty() ? Words::tr("Open another one.")
                                   : Words::tr("The one that came with Hearth answers instead."))};
}

}  // namespace hearth::ui
