#include "markdown/formula_picture.h"

#include <QPainter>
#include <cmath>

#include "markdown/math_layout.h"
#include "markdown/math_parser.h"
#include "markdown/math_text.h"

namespace hearth::ui {

namespace {

constexpr qreal kMargin = 2;     // smoothed edges reach over the outlines
constexpr qreal kWidest = 8000;  // a texture holds no more at twice the pixels
constexpr qreal kTallest = 8000;

}  // namespace

FormulaPicture::FormulaPicture(QQuickItem* parent) : QQuickPaintedItem(parent) {
    setAntialiasing(true);
}

void FormulaPicture::setSource(const QString& source) {
    if (source != source_) {
        source_ = source;
        layOut();
        emit sourceChanged();
    }
}

void FormulaPicture::setFamily(const QString& family) {
    if (family != family_) {
        family_ = family;
        layOut();
        emit familyChanged();
    }
}

void FormulaPicture::setSize(qreal size) {
    if (size > 0 && size != size_) {
        size_ = size;
        layOut();
        emit sizeChanged();
    }
}

void FormulaPicture::setColor(const QColor& color) {
    if (color != color_) {
        color_ = color;
        update();
        emit colorChanged();
    }
}

void FormulaPicture::componentComplete() {
    QQuickPaintedItem::componentComplete();
    layOut();
}

void FormulaPicture::layOut() {
    if (!isComponentComplete()) {
        return;
    }
    const bool wasDrawn = drawn_;
    const QString before = words_;
    std::optional<MathBox> box;
    words_.clear();
    if (const auto formula = parseFormula(source_)) {
        MathFont font(family_);
        box =
            MathLayout(font, size_)
                .layOut(*formula, isDisplayFormula(source_) ? MathStyle::Display : MathStyle::Text);
        words_ = mathWords(*formula);
    }
    drawn_ = box && box->width <= kWidest && box->height() <= kTallest;
    box_ = drawn_ ? *box : MathBox();
    setImplicitSize(drawn_ ? std::ceil(box_.width + 2 * kMargin) : 0,
                    drawn_ ? std::ceil(box_.height() + 2 * kMargin) : 0);
    update();
    if (drawn_ != wasDrawn || words_ != before) {
        emit drawnChanged();
    }
}

void FormulaPicture::paint(QPainter* painter) {
    painter->setRenderHint(QPainter::Antialiasing);
    painter->translate(kMargin, kMargin + box_.ascent);
    for (const MathInk& ink : box_.ink) {
        painter->save();
        painter->translate(ink.at);
        painter->scale(ink.scale, ink.scale);
        painter->fillPath(ink.path, color_);
        painter->restore();
    }
}

}  // namespace hearth::ui
