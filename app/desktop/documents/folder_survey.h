// The documents in a folder that a user chose: found by their names, without following a link, and
// bounded, whatever the folder holds.
#pragma once

#include <QList>
#include <QString>
#include <functional>

namespace hearth::ui {

struct SurveyedFile {
    QString path;  // within the folder
    qint64 bytes = 0;
    qint64 modifiedMs = 0;  // since 1970

    friend bool operator==(const SurveyedFile&, const SurveyedFile&) = default;
};

struct FolderSurvey {
    bool there = false;         // else it is no folder, or cannot be read, or is a link by now
    QList<SurveyedFile> files;  // those nearest to the top first, by name
    bool cut = false;           // there is more than the bounds allow
    int tooLarge = 0;           // files
    int closed = 0;             // folders that cannot be read
};

// Bounds of a survey, so that a folder of any kind takes seconds and megabytes.
struct SurveyBounds {
    int mostFiles = 500;
    int mostEntries = 20'000;  // that are looked at
    int deepest = 16;          // folders within folders
    qint64 mostFileBytes = qint64{32} << 20;
    qint64 mostBytes = qint64{512} << 20;  // of all files
};

// root: a canonical path. Hidden files and folders, links, and what is no ordinary file are passed
// over. stopped: asked again and again; true ends the survey early. Any thread but the window's: a
// disk may take its time.
FolderSurvey surveyFolder(const QString& root, const std::function<bool()>& stopped,
                          const SurveyBounds& bounds = {});

// An ordinary file, and no link leads to it or out of the folder. Any thread.
bool standsInFolder(const QString& root, const QString& path);

// Says by its name that it may be a document of a kind that Hearth reads.
bool isDocumentName(const QString& name);

}  // namespace hearth::ui
