#include "picture.h"

#include <QHash>
#include <algorithm>
#include <cstdlib>
#include <limits>

namespace hearth::ui::test {

namespace {

QHash<QRgb, int> histogram(const QImage& picture, const QRect& area) {
    QHash<QRgb, int> counts;
    for (int y = area.top(); y <= area.bottom(); ++y) {
        for (int x = area.left(); x <= area.right(); ++x) {
            ++counts[picture.pixel(x, y) | 0xff000000U];
        }
    }
    return counts;
}

int distance(QRgb a, QRgb b) {
    const int red = qRed(a) - qRed(b);
    const int green = qGreen(a) - qGreen(b);
    const int blue = qBlue(a) - qBlue(b);
    return 2 * red * red + 4 * green * green + 3 * blue * blue;
}

}  // namespace

QColor mainColor(const QImage& picture, const QRect& area) {
    const QRect inside = area.intersected(picture.rect());
    QRgb most = 0;
    int best = 0;
    const QHash<QRgb, int> counts = histogram(picture, inside);
    for (auto it = counts.cbegin(); it != counts.cend(); ++it) {
        if (it.value() > best) {
            best = it.value();
            most = it.key();
        }
    }
    return QColor(most);
}

double inkShare(const QImage& picture, const QRect& area) {
    const QRect inside = area.intersected(picture.rect());
    if (inside.isEmpty()) {
        return 0;
    }
    const int ground = mainColor(picture, inside).lightness();
    qint64 ink = 0;
    const QHash<QRgb, int> counts = histogram(picture, inside);
    for (auto it = counts.cbegin(); it != counts.cend(); ++it) {
        if (std::abs(QColor(it.key()).lightness() - ground) > 51) {
            ink += it.value();
        }
    }
    return static_cast<double>(ink) / (static_cast<double>(inside.width()) * inside.height());
}

QImage reduced(const QImage& picture) {
    const QHash<QRgb, int> counts = histogram(picture, picture.rect());
    QList<QRgb> colours = counts.keys();
    std::sort(colours.begin(), colours.end(), [&counts](QRgb a, QRgb b) {
        return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
    });
    const QList<QRgb> table = colours.mid(0, 256);
    QHash<QRgb, uchar> nearest;
    for (const QRgb colour : colours) {
        int best = std::numeric_limits<int>::max();
        for (int i = 0; i < table.size(); ++i) {
            if (const int d = distance(colour, table[i]); d < best) {
                best = d;
                nearest[colour] = static_cast<uchar>(i);
            }
        }
    }
    QImage result(picture.size(), QImage::Format_Indexed8);
    result.setColorTable(table);
    for (int y = 0; y < picture.height(); ++y) {
        uchar* line = result.scanLine(y);
        for (int x = 0; x < picture.width(); ++x) {
            line[x] = nearest.value(picture.pixel(x, y) | 0xff000000U);
        }
    }
    return result;
}

}  // namespace hearth::ui::test
