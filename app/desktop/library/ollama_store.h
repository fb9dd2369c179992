// Ollama's folder: models are blobs named by their hash, and manifests hold the models' names.
//
//   manifests/HOST/NAMESPACE/MODEL/TAG   JSON: layers, each with a media type and a digest
//   blobs/sha256-…                       the layers
#pragma once

#include <QStringList>
#include <atomic>

#include "library/found_model.h"

namespace hearth::ui {

// True if that folder is one.
bool isOllamaStore(const QString& folder);

struct OllamaModels {
    QList<FoundModel> models;
    QStringList problems;  // a sentence each
};
// Reads at most `manifestsMost` manifests.
OllamaModels readOllamaStore(const QString& folder, int manifestsMost,
                             const std::atomic<bool>& cancelled);

}  // namespace hearth::ui
