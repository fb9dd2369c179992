// What a test asks of a picture of the window.
#pragma once

#include <QColor>
#include <QImage>
#include <QRect>

namespace hearth::ui::test {

// The share of pixels in `area` (clipped to the picture) whose lightness differs from the most
// frequent colour there by more than a fifth: text and lines. 0 where everything is one colour.
double inkShare(const QImage& picture, const QRect& area);
// The most frequent colour.
QColor mainColor(const QImage& picture, const QRect& area);
// The same picture in at most 256 colours: the most frequent ones stay exact. Small as a PNG.
QImage reduced(const QImage& picture);

}  // namespace hearth::ui::test
