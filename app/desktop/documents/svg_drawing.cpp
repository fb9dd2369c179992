#include "documents/svg_drawing.h"

#include <QPainter>
#include <QSvgRenderer>

#include "documents/svg_source.h"

namespace hearth::ui {

namespace {

DrawnSvg failed(DrawingTrouble trouble) {
    DrawnSvg drawing;
    drawing.trouble = trouble;
    return drawing;
}

}  // namespace

DrawnSvg drawSvg(const QString& source, const DrawingPlace& place) {
    if (source.size() > kMostSvgCharacters) {
        return failed(DrawingTrouble::TooLarge);
    }
    const auto clean = cleanSvg(source);
    QSvgRenderer renderer;
    if (!clean || !renderer.load(clean->svg)) {
        return failed(DrawingTrouble::NotSvg);
    }
    renderer.setAspectRatioMode(Qt::KeepAspectRatio);
    DrawnSvg drawing;
    drawing.title = clean->title;
    drawing.leftOut = clean->leftOut;
    // A drawing that has no size and no viewBox is as large as what it draws.
    drawing.size = clean->size.isEmpty() ? renderer.viewBoxF().size() : clean->size;
    const QSize pixels = drawingPixels(drawing.size, place);
    if (pixels.isEmpty()) {
        return failed(DrawingTrouble::NoSize);
    }
    drawing.picture = QImage(pixels, QImage::Format_ARGB32_Premultiplied);
    if (drawing.picture.isNull()) {
        return failed(DrawingTrouble::TooDemanding);
    }
    drawing.picture.fill(Qt::transparent);
    QPainter painter(&drawing.picture);
    renderer.render(&painter, QRectF(QPointF(), pixels));
    return drawing;
}

}  // namespace hearth::ui
