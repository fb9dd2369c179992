// What is being packed, noted on the disk for as long as it takes: the next start after a crash
// finds here what was left.
#pragma once

#include <QString>
#include <optional>

#include "pack_service.h"

namespace hearth::ui {

struct PackNote {
    QString name;  // of the model, for people
    PackJob job;
};

// Empty: nothing was under way, or the file cannot be read or makes no sense.
std::optional<PackNote> readPackNote(const QString& path);
// Empty, or a sentence.
QString writePackNote(const QString& path, const PackNote& note);

}  // namespace hearth::ui
