// The places of the user's files.
#pragma once

#include <QString>
#include <optional>

namespace hearth::ui {

struct AppPaths {
    QString dataFolder;    // conversations
    QString settingsFile;  // an INI
    QString logFile;
    QString crashFolder;  // reports of crashes
    QString cacheFolder;  // files that can be made again: trials of GPUs, profiles, shaders
    bool portable = false;
    bool together = false;  // true: dataFolder holds all of them

    // The first that applies decides: `dataFolderOption` (--data-dir), the environment's
    // HEARTH_DATA_DIR, a file named `portable` in programFolder (then programFolder/data), the
    // places of the system. The first three hold everything. Creates no folder.
    static AppPaths find(const QString& programFolder, const QString& dataFolderOption = {});
    // For --help: four lines, each with a name and a place.
    QString helpText() const;
};

// A variable of the environment that other programs read, too. Empty: it is not set.
QString environmentText(const QString& name);

// HEARTH_LANGUAGE of the environment: goes before the setting. Empty: it is not set.
QString languageFromEnvironment();

// HEARTH_PAST_SECONDS of the environment. Empty: it is not set, or no number.
std::optional<double> pastSecondsFromEnvironment();

// The model that comes with the program: the one .gguf in starter-model beside the program or in
// its share folder. Empty: there is none.
QString starterModel(const QString& programFolder);
// True if `path` names `starter`, the result of starterModel(), or the starter model of another
// version. Each version brings its own, and any of them stands for that of the running version.
// False where `starter` is empty.
bool isAStarter(const QString& path, const QString& starter);

}  // namespace hearth::ui
