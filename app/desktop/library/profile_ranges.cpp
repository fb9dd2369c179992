#include "library/profile_ranges.h"

#include <algorithm>

namespace hearth::ui {

QList<ByteRange> profileRanges(const HeaderExtent& header, qint64 total) {
    const auto end = static_cast<quint64>(total);
    QList<ByteRange> tensors;
    for (const HeaderExtent::Tensor& tensor : header.profile) {
        if (tensor.from > end || tensor.bytes > end - tensor.from) {
            return {};
        }
        if (tensor.bytes > 0) {
            const auto from = static_cast<qint64>(tensor.from);
            tensors.append({from, from + static_cast<qint64>(tensor.bytes)});
        }
    }
    std::sort(tensors.begin(), tensors.end(),
              [](const ByteRange& a, const ByteRange& b) { return a.from < b.from; });
    QList<ByteRange> ranges;
    for (const ByteRange& tensor : tensors) {
        if (!ranges.isEmpty() && tensor.from - ranges.constLast().end <= kProfileGapMost) {
            ranges.last().end = std::max(ranges.constLast().end, tensor.end);
        } else {
            ranges.append(tensor);
        }
    }
    qint64 bytes = 0;
    for (const ByteRange& range : ranges) {
        bytes += range.end - range.from;
    }
    return bytes > kProfileBytesMost || ranges.size() > kProfileRangesMost ? QList<ByteRange>()
                                                                           : ranges;
}

}  // namespace hearth::ui
