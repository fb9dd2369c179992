// Searches folders for models, at any depth. Each file counts once, however many links lead to it.
// A hostile folder (a loop of links, a folder that may not be read, a million files) costs a
// sentence, not the rest.
// Reads four bytes of each file and takes as long as the disk does: not for the GUI thread.
// Reads four bytes of each file. Takes as long as the disk does: not for the GUI thread.
#pragma once

#include <QStringList>
#include <atomic>

#include "library/found_model.h"
#include "library/model_places.h"

namespace hearth::ui {

struct ScanLimits {
    int entries = 200'000;  // in one folder with all below it
    int depth = 64;
};

struct ScanReport {
    QList<FoundModel> models;  // in the order of folders, then by name
    QStringList problems;      // a sentence each
};

// `places` tells which application owns a file. Once `cancelled` is set, this returns soon, with
// the models so far.
ScanReport scanFolders(const QStringList& folders, const QList<ModelPlace>& places,
                       const std::atomic<bool>& cancelled, const ScanLimits& limits = {});

// A single file that was named. Empty: it is no model.
std::optional<FoundModel> scanFile(const QString& path, const QList<ModelPlace>& places);

}  // namespace hearth::ui
