#include "map/layer_rows.h"

#include <QFont>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

#include "map/layer_words.h"

namespace hearth::ui {

namespace {

// Shares of the width beside the labels and gaps.
constexpr std::array<qreal, LayerRows::kColumns> kParts = {0.46, 0.18, 0.18, 0.18};
constexpr int kLeastTextRow = 12;  // rows below this height have a number only now and then

// Card: full. Memory: hatched. Disk: dots in a frame. So they differ in grey, too.
void fillPlace(QPainter& painter, const QRectF& area, LayerRows::Fill kind, const QColor& color,
               const QColor& ground) {
    switch (kind) {
        case LayerRows::Fill::Card:
        case LayerRows::Fill::Use:
            painter.fillRect(area, color);
            break;
        case LayerRows::Fill::Memory:
            painter.fillRect(area, color);
            painter.fillRect(area, QBrush(ground, Qt::BDiagPattern));
            break;
        case LayerRows::Fill::Disk:
            painter.fillRect(area, QBrush(color, Qt::Dense6Pattern));
            painter.setPen(color);
            painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5));
            break;
    }
}

// Whole pixels; what is there has one at least.
int pixels(double share, qreal width) {
    const int whole = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * width));
    return share > 0 ? std::max(whole, 1) : 0;
}

}  // namespace

LayerRows::LayerRows(QQuickItem* parent) : QQuickPaintedItem(parent) {
    connect(this, &LayerRows::looksChanged, this, [this] {
        rows_ = barsOfLayers();
        update();
    });
}

void LayerRows::setMap(NeuronMap* map) {
    if (map == map_) {
        return;
    }
    if (map_ != nullptr) {
        map_->disconnect(this);
    }
    map_ = map;
    if (map_ != nullptr) {
        connect(map_, &NeuronMap::layersChanged, this, &LayerRows::refresh);
        connect(map_, &NeuronMap::changed, this, &LayerRows::refresh);
    }
    emit mapChanged();
    refresh();
}

void LayerRows::setRowHeight(int height) {
    if (height != rowHeight_) {
        rowHeight_ = height;
        emit looksChanged();
    }
}

qreal LayerRows::columnWidth(int column) const {
    const qreal room = width() - labelWidth_ - LayerRows::kColumns * gap_;
    return std::floor(std::max(room, 0.0) * kParts[static_cast<std::size_t>(column)]);
}

qreal LayerRows::columnX(int column) const {
    qreal x = labelWidth_ + gap_;
    for (int i = 0; i < column; ++i) {
        x += columnWidth(i) + gap_;
    }
    return x;
}

int LayerRows::layerAt(qreal y) const {
    const int layer = static_cast<int>(std::floor(y / rowHeight_));
    return layer >= 0 && layer < rows_.size() ? layer : -1;
}

QList<LayerRows::Row> LayerRows::barsOfLayers() const {
    QList<Row> rows;
    for (int layer = 0; map_ != nullptr && layer < map_->layerCount(); ++layer) {
        rows << barsOf(layer);
    }
    return rows;
}

// The bars of one column after another. Parts of a whole end where the next one begins.
LayerRows::Row LayerRows::barsOf(int index) const {
    const MappedLayer& layer = map_->report()->layers.at(index);
    Row row;
    const auto stack = [&](int column, double card, double memory, double disk) {
        const double all = card + memory + disk;
        const qreal width = columnWidth(column);
        double before = 0;
        for (const auto& [part, fill] :
             {std::pair{card, Fill::Card}, std::pair{memory, Fill::Memory},
              std::pair{disk, Fill::Disk}}) {
            const int from = pixels(all > 0 ? before / all : 0, width);
            const int to = pixels(all > 0 ? (before + part) / all : 0, width);
            if (part > 0 && to > from) {
                row << Bar{qRound(columnX(column)) + from, to - from, fill};
            }
            before += part;
        }
    };
    const auto single = [&](int column, double share) {
        if (const int width = pixels(share, columnWidth(column)); width > 0) {
            row << Bar{qRound(columnX(column)), width, Fill::Use};
        }
    };
    stack(0, static_cast<double>(layer.card), static_cast<double>(layer.memory),
          static_cast<double>(layer.disk));
    if (layer.experts > 0) {
        stack(1, static_cast<double>(layer.chosen.card), static_cast<double>(layer.chosen.memory),
              static_cast<double>(layer.chosen.disk));
    } else if (layer.neurons > 0) {
        single(1, layer.tokens > 0 ? layer.fired : layer.dense ? 1 : 0);
    }
    single(2, hitShare(layer.hits, layer.misses).value_or(0));
    const double fastest = map_->rates().fastestLayer().value_or(0);
    single(3, fastest > 0 ? map_->rates().layer(index).value_or(0) / fastest : 0);
    return row;
}

void LayerRows::refresh() {
    const int marked = map_ == nullptr ? -1 : map_->selected();
    QList<Row> rows = barsOfLayers();
    if (rows != rows_ || marked != marked_) {
        rows_ = std::move(rows);
        marked_ = marked;
        ++repaints_;
        update();
    }
}

void LayerRows::geometryChange(const QRectF& now, const QRectF& before) {
    QQuickPaintedItem::geometryChange(now, before);
    if (now.size() != before.size()) {
        rows_ = barsOfLayers();
        update();
    }
}

void LayerRows::fill(QPainter& painter, const QRectF& area, Fill kind) const {
    const QColor color = kind == Fill::Card     ? card_
                         : kind == Fill::Memory ? memory_
                         : kind == Fill::Disk   ? disk_
                                                : use_;
    fillPlace(painter, area, kind, color, ground_);
}

void LayerRows::paint(QPainter* painter) {
    QFont font;
    font.setPixelSize(std::max(fontSize_, 1));
    painter->setFont(font);
    const int inset = rowHeight_ >= 8 ? rowHeight_ / 6 : 1;
    // As many rows to a number as it takes for it to have room.
    const int every =
        rowHeight_ >= kLeastTextRow
            ? 1
            : static_cast<int>(std::ceil(static_cast<qreal>(fontSize_ + 2) / rowHeight_ / 5)) * 5;
    for (int layer = 0; layer < rows_.size(); ++layer) {
        const int top = layer * rowHeight_;
        if (layer == marked_) {
            painter->fillRect(QRectF(0, top, width(), rowHeight_), selected_);
        }
        for (int column = 0; column < kColumns; ++column) {
            painter->fillRect(
                QRectF(columnX(column), top + inset, columnWidth(column), rowHeight_ - 2 * inset),
                track_);
        }
        for (const Bar& bar : rows_.at(layer)) {
            fill(*painter, QRectF(bar.x, top + inset, bar.width, rowHeight_ - 2 * inset), bar.fill);
        }
        if (layer == marked_) {
            painter->setPen(text_);
            painter->drawRect(QRectF(0.5, top + 0.5, width() - 1, rowHeight_ - 1));
        }
        if (layer == marked_ || (layer + 1) % every == 0 || (layer == 0 && every > 1)) {
            painter->setPen(text_);
            const int room = std::max(rowHeight_, fontSize_ + 2);
            painter->drawText(QRectF(0, top + (rowHeight_ - room) / 2.0, labelWidth_, room),
                              Qt::AlignRight | Qt::AlignVCenter, QString::number(layer + 1));
        }
    }
}

PlaceSwatch::PlaceSwatch(QQuickItem* parent) : QQuickPaintedItem(parent) {
    connect(this, &PlaceSwatch::changed, this, [this] { update(); });
}

void PlaceSwatch::paint(QPainter* painter) {
    using Fill = LayerRows::Fill;
    const Fill kind = place_ == QLatin1String("disk")     ? Fill::Disk
                      : place_ == QLatin1String("memory") ? Fill::Memory
                                                          : Fill::Card;
    fillPlace(*painter, QRectF(0, 0, width(), height()), kind, color_, ground_);
}

}  // namespace hearth::ui
