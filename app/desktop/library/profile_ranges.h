// The parts of a model file on a server that hold its activation profile: few requests of few
// bytes, whatever the header says.
#pragma once

#include <QList>

#include "downloads/gguf_extent.h"

namespace hearth::ui {

// Bytes of a file.
struct ByteRange {
    qint64 from = 0;
    qint64 end = 0;  // behind the last
    bool operator==(const ByteRange&) const = default;
};

// The profile of a sparse model of 70 billion parameters (80 layers of 28,672 neurons) has 55 MB.
inline constexpr qint64 kProfileBytesMost = qint64{64} << 20;
// `pack` writes the profile in one place; a packer that goes by layers uses one place for each.
inline constexpr qsizetype kProfileRangesMost = 128;
// A request costs more time than so many unneeded bytes.
inline constexpr qint64 kProfileGapMost = qint64{64} << 10;

// Ascending; near ranges are joined. Empty if the header names no profile, one outside of the
// file's `total` bytes, or more than the limits above.
QList<ByteRange> profileRanges(const HeaderExtent& header, qint64 total);

}  // namespace hearth::ui
