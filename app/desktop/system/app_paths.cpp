#include "system/app_paths.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace hearth::ui {

namespace {

AppPaths allIn(const QString& folder) {
    const QDir dir(QDir(folder).absolutePath());
    AppPaths paths;
    paths.dataFolder = dir.path();
    paths.settingsFile = dir.filePath(QStringLiteral("hearth.ini"));
    paths.logFile = dir.filePath(QStringLiteral("hearth.log"));
    paths.crashFolder = dir.filePath(QStringLiteral("crashes"));
    paths.cacheFolder = dir.filePath(QStringLiteral("cache"));
    paths.together = true;
    return paths;
}

// Organisation and program have the same name here; one folder is enough.
QString place(QStandardPaths::StandardLocation location) {
    QString folder = QStandardPaths::writableLocation(location);
    const QString twice = QStringLiteral("/Hearth/Hearth");
    if (folder.endsWith(twice)) {
        folder.chop(twice.size() / 2);
    }
    return folder;
}

}  // namespace

AppPaths AppPaths::find(const QString& programFolder, const QString& dataFolderOption) {
    if (!dataFolderOption.isEmpty()) {
        return allIn(dataFolderOption);
    }
    const QString fromEnvironment = qEnvironmentVariable("HEARTH_DATA_DIR");
    if (!fromEnvironment.isEmpty()) {
        return allIn(fromEnvironment);
    }
    const QDir program(programFolder);
    if (QFileInfo::exists(program.filePath(QStringLiteral("portable")))) {
        AppPaths paths = allIn(program.filePath(QStringLiteral("data")));
        paths.portable = true;
        return paths;
    }
    AppPaths paths;
    // The local place, not the roaming one: a database does not belong on a network share.
    paths.dataFolder = place(QStandardPaths::AppLocalDataLocation);
    paths.settingsFile = place(QStandardPaths::AppConfigLocation) + QStringLiteral("/hearth.ini");
    paths.logFile = paths.dataFolder + QStringLiteral("/hearth.log");
    paths.crashFolder = paths.dataFolder + QStringLiteral("/crashes");
    // The command line uses the same folder.
    paths.cacheFolder = QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) +
                        QStringLiteral("/hearth");
    return paths;
}

QString AppPaths::helpText() const {
    const auto line = [](const QString& name, const QString& place) {
        return QStringLiteral("  %1 %2\n").arg(name, -15).arg(QDir::toNativeSeparators(place));
    };
    return QCoreApplication::translate("AppPaths", "What is kept:") + QLatin1Char('\n') +
           line(QCoreApplication::translate("AppPaths", "conversations"), dataFolder) +
           line(QCoreApplication::translate("AppPaths", "settings"), settingsFile) +
           line(QCoreApplication::translate("AppPaths", "log"), logFile) +
           line(QCoreApplication::translate("AppPaths", "cache"), cacheFolder);
}

QString environmentText(const QString& name) {
    return qEnvironmentVariable(name.toLatin1().constData());
}

QString languageFromEnvironment() {
    return environmentText(QStringLiteral("HEARTH_LANGUAGE"));
}

std::optional<double> pastSecondsFromEnvironment() {
    bool isNumber = false;
    const double seconds =
        environmentText(QStringLiteral("HEARTH_PAST_SECONDS")).toDouble(&isNumber);
    return isNumber ? std::optional(seconds) : std::nullopt;
}

QString starterModel(const QString& programFolder) {
    const QDir program(programFolder);
    for (const QString& folder : {program.filePath(QStringLiteral("starter-model")),
                                  program.filePath(QStringLiteral("../share/hearth/starter-model")),
                                  program.filePath(QStringLiteral("../Resources/starter-model"))}) {
        const QFileInfoList files =
            QDir(folder).entryInfoList({QStringLiteral("*.gguf")}, QDir::Files);
        if (!files.isEmpty()) {
            return files.first().canonicalFilePath();
        }
    }
    return {};
}

bool isAStarter(const QString& path, const QString& starter) {
    if (starter.isEmpty() || path == starter) {
        return !path.isEmpty() && path == starter;
    }
    const QString clean = QDir::cleanPath(path);
    const QString folder = QFileInfo(clean).path();
    const bool shares = folder.endsWith(QLatin1String("/share/hearth/starter-model"));
    return folder.endsWith(QLatin1String("/starter-model")) &&
           clean.endsWith(QLatin1String(".gguf")) &&
           (shares || QFileInfo(clean).fileName() == QFileInfo(starter).fileName());
}

}  // namespace hearth::ui
