// Where this program keeps what is the user's.
#pragma once

#include <QString>

namespace hearth::ui {

struct AppPaths {
    QString dataFolder;    // conversations
    QString settingsFile;  // an INI
    QString logFile;
    QString crashFolder;  // reports of crashes
    QString cacheFolder;  // what can be made again: trials of GPUs, profiles, shaders
    bool portable = false;
    bool together = false;  // all of them lie in dataFolder

    // First that applies: `dataFolderOption` (--data-dir), the environment's HEARTH_DATA_DIR, a
    // file named `portable` in programFolder (then programFolder/data), the places of the system.
    // The first three hold everything. Makes no folder.
    static AppPaths find(const QString& programFolder, const QString& dataFolderOption = {});
    // For --help: four lines, each with a name and a place.
    QString helpText() const;
};

// A variable of the environment that other programs go by. Empty: it is not set.
QString environmentText(const QString& name);

// The model that comes with the program: the one .gguf in starter-model beside the program or in
// its share folder. Empty: there is none.
QString starterModel(const QString& programFolder);
// Whether `path` names `starter`, which starterModel() said, or the one of another version: each
// version brings its own, and any of them stands for that of the version that runs. False where
// `starter` is empty.
bool isAStarter(const QString& path, const QString& starter);

}  // namespace hearth::ui
