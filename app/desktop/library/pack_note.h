// A note on the disk about the packing under way: the next start after a crash finds here what was
// left.
#pragma once

#include <QString>
#include <optional>

#include "bridge/pack_service.h"

namespace hearth::ui {

struct PackNote {
    QString name;  // of the model, for people
    PackJob job;
};

// Empty: no packing was under way, or the file cannot be read or makes no sense.
std::optional<PackNote> readPackNote(const QString& path);
// Returns nothing, or a sentence.
QString writePackNote(const QString& path, const PackNote& note);

}  // namespace hearth::ui
