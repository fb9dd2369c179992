// The source of an SVG drawing, made safe for a renderer that would read the files and addresses
// that it names. It comes from a model and is hostile.
#pragma once

#include <QByteArray>
#include <QRectF>
#include <QString>
#include <QStringView>
#include <optional>

namespace hearth::ui {

// Bounds of a source; longer or deeper ones are refused. A block of code holds no more either
// (BlockSplitter::kMaxCodePiece).
constexpr qsizetype kMostSvgCharacters = qsizetype{64} * 1024;
constexpr int kDeepestSvg = 128;

struct SvgSource {
    // Only elements and attributes that are known to draw, and no reference but to a name within
    // the drawing ("#id"). The root has a viewBox where one is known, and no size.
    QByteArray svg;
    QString title;         // of the whole drawing; may be empty
    QSizeF size;           // in pixels, finite and positive; empty: the source does not say
    bool leftOut = false;  // it has visible parts that are not in `svg`
};

// Empty: this is no complete SVG, or it is too deep, or has declarations of its own (entities).
std::optional<SvgSource> cleanSvg(const QString& source);
// The size that cleanSvg() would find, by the beginning of the source alone. Empty: it does not
// say. Takes no longer than a few thousand characters do: the window may call it.
QSizeF svgSizeHint(const QString& source);

// The parts of cleanSvg(), for its tests.
// False: a value of an attribute or of a style may lead out of the drawing.
bool staysInDrawing(QStringView value);
// A style sheet without its comments and its rules that begin with "@".
QString withoutAtRules(QStringView css);
// A length in pixels: "12", "3cm". Empty: it is none, not finite, not positive, or a share ("50%").
std::optional<double> svgLength(QStringView text);

}  // namespace hearth::ui
