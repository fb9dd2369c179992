#include "documents/drawing.h"

#include <QDataStream>
#include <QIODevice>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace hearth::ui {

namespace {

constexpr quint32 kMagic = 0x48445731;  // "HDW1"
constexpr std::array<const char*, 5> kTroubles = {"", "notSvg", "tooLarge", "noSize",
                                                  "tooDemanding"};
constexpr qreal kTallest = 2048;  // logical pixels
constexpr qreal kMostRoom = 16384;
constexpr qsizetype kLongestTitle = 4096;  // bytes

bool isSize(QSizeF size) {
    return std::isfinite(size.width()) && std::isfinite(size.height()) && size.width() > 0 &&
           size.height() > 0;
}

}  // namespace

bool DrawingPlace::isSound() const {
    return room >= 1 && room <= kMostRoom && zoom >= 0.1 && zoom <= 10 && ratio >= 0.1 &&
           ratio <= 10;
}

QSizeF shownSize(QSizeF size, const DrawingPlace& place) {
    if (!isSize(size)) {
        return {};
    }
    const qreal scale = std::min({place.zoom, place.room / size.width(), kTallest / size.height()});
    return {std::max(1.0, std::round(size.width() * scale)),
            std::max(1.0, std::round(size.height() * scale))};
}

QSize drawingPixels(QSizeF size, const DrawingPlace& place) {
    const QSizeF shown = shownSize(size, place);
    if (shown.isEmpty()) {
        return {};
    }
    const qreal scale =
        std::min(place.ratio, kMostDrawingEdge / std::max(shown.width(), shown.height()));
    return {std::max(1, static_cast<int>(std::lround(shown.width() * scale))),
            std::max(1, static_cast<int>(std::lround(shown.height() * scale)))};
}

QByteArray DrawnSvg::toBytes() const {
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    out.setVersion(QDataStream::Qt_6_0);
    out << kMagic << static_cast<quint8>(trouble) << size.width() << size.height() << leftOut
        << title.toUtf8() << qint32{picture.width()} << qint32{picture.height()};
    for (int row = 0; row < picture.height(); ++row) {
        out.writeRawData(reinterpret_cast<const char*>(picture.constScanLine(row)),
                         4 * picture.width());
    }
    return bytes;
}

std::optional<DrawnSvg> DrawnSvg::fromBytes(const QByteArray& bytes) {
    QDataStream in(bytes);
    in.setVersion(QDataStream::Qt_6_0);
    quint32 magic = 0;
    quint8 trouble = 0;
    double width = 0;
    double height = 0;
    QByteArray title;
    qint32 columns = 0;
    qint32 rows = 0;
    DrawnSvg drawing;
    in >> magic >> trouble >> width >> height >> drawing.leftOut >> title >> columns >> rows;
    if (in.status() != QDataStream::Ok || magic != kMagic || trouble >= kTroubles.size() ||
        title.size() > kLongestTitle || columns < 0 || columns > kMostDrawingEdge || rows < 0 ||
        rows > kMostDrawingEdge || in.device()->bytesAvailable() != qint64{4} * columns * rows) {
        return std::nullopt;
    }
    drawing.trouble = static_cast<DrawingTrouble>(trouble);
    if (drawing.trouble != DrawingTrouble::None) {
        drawing.leftOut = false;
        return columns == 0 && rows == 0 ? std::optional(drawing) : std::nullopt;
    }
    drawing.size = {width, height};
    drawing.title = QString::fromUtf8(title);
    if (!isSize(drawing.size) || columns == 0 || rows == 0) {
        return std::nullopt;
    }
    drawing.picture = QImage(columns, rows, QImage::Format_ARGB32_Premultiplied);
    if (drawing.picture.isNull()) {
        return std::nullopt;
    }
    const char* pixels = bytes.constData() + (bytes.size() - qsizetype{4} * columns * rows);
    for (int row = 0; row < rows; ++row) {
        std::memcpy(drawing.picture.scanLine(row), pixels + qsizetype{4} * columns * row,
                    static_cast<std::size_t>(columns) * 4);
    }
    return drawing;
}

QString toString(DrawingTrouble trouble) {
    return QLatin1String(kTroubles.at(static_cast<std::size_t>(trouble)));
}

}  // namespace hearth::ui
