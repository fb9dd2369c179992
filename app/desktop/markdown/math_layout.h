// Sets a formula: a simplified form of the rules of The TeXbook, appendix G.
#pragma once

#include <optional>
#include <vector>

#include "markdown/math_box.h"
#include "markdown/math_font.h"
#include "markdown/math_node.h"

namespace hearth::ui {

// Sets one formula in one size.
class MathLayout {
public:
    // size: of its letters, in pixels. The font must outlive the layout.
    MathLayout(MathFont& font, qreal size) : font_(font), size_(size) {}

    // None: no font has one of its characters. All ink lies within the box.
    std::optional<MathBox> layOut(const MathNode& formula, MathStyle style);

private:
    // math_layout.cpp
    MathBox box(const MathNode& node, MathStyle style);
    MathBox row(const std::vector<MathNode>& parts, MathStyle style);
    MathBox letters(const QString& text, MathFace face, MathStyle style);
    MathBox operatorSign(const MathNode& node, MathStyle style);
    MathBox scripts(const MathNode& node, MathStyle style);
    MathBox limits(const MathBox& base, const MathBox& below, const MathBox& above,
                   MathStyle style) const;
    MathBox fraction(const MathNode& node, MathStyle style);
    MathBox radical(const MathNode& node, MathStyle style);
    MathBox fence(const MathNode& node, MathStyle style);
    MathBox fenced(MathBox body, const QString& open, const QString& close, MathStyle style);
    MathBox delimiter(const QString& text, qreal height, MathStyle style);
    qreal fenceHeight(const MathBox& body, MathStyle style) const;

    // math_layout_parts.cpp
    MathBox accent(const MathNode& node, MathStyle style);
    MathBox markAbove(const MathNode& node, MathBox base, MathStyle style) const;
    MathBox lineAlong(MathMark mark, MathBox base, MathStyle style) const;
    MathBox struck(MathMark mark, MathBox base, MathStyle style) const;
    MathBox stack(const MathNode& node, MathStyle style);
    MathBox arrow(const MathNode& node, MathStyle style);
    MathBox array(const MathNode& node, MathStyle style);

    qreal em(MathStyle style) const;
    qreal axis(MathStyle style) const { return font_.axis() * em(style); }
    qreal rule(MathStyle style) const { return font_.rule() * em(style); }
    qreal xHeight(MathStyle style) const { return font_.xHeight() * em(style); }

    MathFont& font_;
    qreal size_;
    bool known_ = true;
};

// The style of scripts of a style, and of the parts of a fraction in it.
MathStyle scriptStyle(MathStyle style);
MathStyle fractionStyle(MathStyle style);
bool isScript(MathStyle style);

}  // namespace hearth::ui
