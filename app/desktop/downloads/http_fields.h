// Fields of HTTP that downloads rely on (RFC 9110).
#pragma once

#include <QByteArray>
#include <optional>

namespace hearth::ui {

// Content-Range: "bytes 5-9/100" is {5, 10, 100}. "bytes */100" has no part, "bytes 5-9/*" no
// total.
struct ContentRange {
    qint64 from = -1;
    qint64 end = -1;
    qint64 total = -1;  // -1: unknown
};
// Empty: this is no such field, or it contradicts itself.
std::optional<ContentRange> contentRange(const QByteArray& field);

// Empty for a weak ETag, which promises nothing about single bytes, and for a text that is none.
QByteArray strongEtag(const QByteArray& field);

// A count of bytes; -1: the field is none.
qint64 byteCount(const QByteArray& field);

}  // namespace hearth::ui
