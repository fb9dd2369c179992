// The outlines of letters, and the measures of a font that formulas are set by.
#pragma once

#include <QFont>
#include <QHash>
#include <QString>

#include "markdown/math_box.h"
#include "markdown/math_node.h"

namespace hearth::ui {

// One family. Its letters are outlines, so that a formula is the same at any size. Used by the
// thread that made it, after the QGuiApplication.
class MathFont {
public:
    explicit MathFont(const QString& family);

    // The text at a size in pixels. An empty text has no ink. False in `known`: no font has it.
    MathBox letters(const QString& text, MathFace face, qreal size, bool* known);

    // All of these in em.
    qreal axis() const { return axis_; }  // the middle of "−" over the base line
    qreal xHeight() const { return xHeight_; }
    qreal rule() const { return rule_; }  // thickness of lines

private:
    struct Letters {
        QPainterPath path;
        QRectF bounds;
        qreal advance = 0;
        bool known = true;
    };
    const Letters& find(const QString& text, MathFace face);
    Letters make(const QString& text, MathFace face) const;

    QFont font_;
    QHash<std::pair<QString, int>, Letters> made_;
    qreal axis_ = 0.25;
    qreal xHeight_ = 0.45;
    qreal rule_ = 0.05;
};

}  // namespace hearth::ui
