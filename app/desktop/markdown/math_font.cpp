#include "markdown/math_font.h"

#include <QFontMetricsF>
#include <algorithm>

namespace hearth::ui {

namespace {

constexpr int kOutlineSize = 100;  // pixels
constexpr qsizetype kMostKept = 3000;

// True for characters without a shape of their own.
bool isBlank(char32_t letter) {
    return QChar::isSpace(letter) || QChar::isMark(letter);
}

}  // namespace

MathFont::MathFont(const QString& family) : font_(family) {
    font_.setPixelSize(kOutlineSize);
    font_.setHintingPreference(QFont::PreferNoHinting);
    const QRectF minus = find(QStringLiteral("−"), MathFace::Upright).bounds;
    const QRectF small = find(QStringLiteral("x"), MathFace::Upright).bounds;
    if (!minus.isEmpty()) {
        axis_ = -minus.center().y() / kOutlineSize;
        rule_ = std::clamp(minus.height() / kOutlineSize, 0.04, 0.065);
    }
    if (!small.isEmpty()) {
        xHeight_ = -small.top() / kOutlineSize;
    }
}

MathFont::Letters MathFont::make(const QString& text, MathFace face) const {
    QFont font = font_;
    font.setItalic(face == MathFace::Italic || face == MathFace::BoldItalic);
    font.setBold(face == MathFace::Bold || face == MathFace::BoldItalic);
    if (face == MathFace::Mono) {
        font.setFamilies({QStringLiteral("monospace")});
        font.setStyleHint(QFont::Monospace);
    } else if (face == MathFace::Sans) {
        font.setFamilies({QStringLiteral("sans-serif")});
        font.setStyleHint(QFont::SansSerif);
    }
    Letters made;
    const QFontMetricsF metrics(font);
    bool hasShape = false;
    for (const char32_t letter : text.toUcs4()) {
        made.known = made.known && (QChar::isSpace(letter) || metrics.inFontUcs4(letter));
        hasShape = hasShape || !isBlank(letter);
    }
    made.path.setFillRule(Qt::WindingFill);
    made.path.addText(0, 0, font, text);
    made.bounds = made.path.boundingRect();
    made.advance = metrics.horizontalAdvance(text);
    // A font of pictures has no outlines.
    made.known = made.known && (!hasShape || !made.path.isEmpty());
    return made;
}

const MathFont::Letters& MathFont::find(const QString& text, MathFace face) {
    const auto key = std::pair(text, static_cast<int>(face));
    const auto kept = made_.constFind(key);
    if (kept != made_.cend()) {
        return *kept;
    }
    if (made_.size() >= kMostKept) {
        made_.clear();
    }
    return *made_.insert(key, make(text, face));
}

MathBox MathFont::letters(const QString& text, MathFace face, qreal size, bool* known) {
    const Letters& letters = find(text, face);
    const qreal scale = size / kOutlineSize;
    MathBox box;
    *known = letters.known;
    box.width = letters.advance * scale;
    if (letters.path.isEmpty()) {
        return box;
    }
    box.ink.append({.path = letters.path, .bounds = letters.bounds, .at = {}, .scale = scale});
    box.ascent = -letters.bounds.top() * scale;
    box.descent = letters.bounds.bottom() * scale;
    box.overhang = std::max(0.0, letters.bounds.right() - letters.advance) * scale;
    box.width += box.overhang;
    return box;
}

}  // namespace hearth::ui
