// Looks through folders for models: any depth, each file once, whatever links say. What is hostile
// (a loop of links, a folder that may not be read, a million files) costs a sentence, not the rest.
//
// Reads four bytes of each file. Takes as long as the disk does: not for the GUI thread.
#pragma once

#include <QStringList>
#include <atomic>

#include "found_model.h"
#include "model_places.h"

namespace hearth::ui {

struct ScanLimits {
    int entries = 200'000;  // of one folder with all below it
    int depth = 64;
};

struct ScanReport {
    QList<FoundModel> models;  // in the order of folders, then by name
    QStringList problems;      // a sentence each
};

// `places`: to say whose a file is. Once `cancelled`, it returns soon, with what it has.
ScanReport scanFolders(const QStringList& folders, const QList<ModelPlace>& places,
                       const std::atomic<bool>& cancelled, const ScanLimits& limits = {});

// A file that was named by itself. Empty: it is no model.
std::optional<FoundModel> scanFile(const QString& path, const QList<ModelPlace>& places);

}  // namespace hearth::ui
