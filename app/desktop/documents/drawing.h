// A drawing of an answer as a picture, or why there is none.
#pragma once

#include <QByteArray>
#include <QImage>
#include <QSize>
#include <QSizeF>
#include <QString>
#include <optional>

namespace hearth::ui {

enum class DrawingTrouble {
    None,
    NotSvg,       // not complete, or not well-formed
    TooLarge,     // its source is longer than is read
    NoSize,       // it is empty
    TooDemanding  // it needed too much memory or time, or its renderer crashed
};

// Pixels of the longer edge at most.
constexpr int kMostDrawingEdge = 2048;

// The place in which a drawing is shown.
struct DrawingPlace {
    qreal room = 0;   // its width at most, in logical pixels
    qreal zoom = 1;   // of the window
    qreal ratio = 1;  // pixels of the screen a logical pixel

    // Positive, and of a screen that there may be.
    bool isSound() const;
};

// How large a drawing of that size is shown, in whole logical pixels: as wide as it says, at most
// as wide as its room, and in its own ratio. Empty where `size` is.
QSizeF shownSize(QSizeF size, const DrawingPlace& place);
// The pixels of its picture. Empty where `size` is.
QSize drawingPixels(QSizeF size, const DrawingPlace& place);

struct DrawnSvg {
    DrawingTrouble trouble = DrawingTrouble::None;
    QSizeF size;           // what the source asks for, finite and positive
    QString title;         // of the source; may be empty
    bool leftOut = false;  // visible parts of the source are not in the picture
    QImage picture;        // ARGB32 premultiplied, on a clear ground; null after a trouble

    // The form between two processes. Empty: the bytes are no such drawing.
    QByteArray toBytes() const;
    static std::optional<DrawnSvg> fromBytes(const QByteArray& bytes);
    static constexpr qint64 kMostBytes = qint64{4} * kMostDrawingEdge * kMostDrawingEdge + 65536;
};

// Spellings for QML: "" "notSvg" "tooLarge" "noSize" "tooDemanding".
QString toString(DrawingTrouble trouble);

}  // namespace hearth::ui
