// Draws the neuron map: a row for each layer, in one item however many layers there are. Four
// columns: where the layer's weights lie, what of it tokens use, how often memory had what lies on
// disk, and how fast the disk is read for it.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QList>
#include <QPointer>
#include <QQuickPaintedItem>
#include <QRectF>

#include "map/neuron_map.h"

namespace hearth::ui {

class LayerRows : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(hearth::ui::NeuronMap* map READ map WRITE setMap NOTIFY mapChanged)
    Q_PROPERTY(int rowHeight MEMBER rowHeight_ WRITE setRowHeight NOTIFY looksChanged)
    Q_PROPERTY(int labelWidth MEMBER labelWidth_ NOTIFY looksChanged)
    Q_PROPERTY(int gap MEMBER gap_ NOTIFY looksChanged)  // between columns
    Q_PROPERTY(int fontSize MEMBER fontSize_ NOTIFY looksChanged)
    Q_PROPERTY(QColor cardColor MEMBER card_ NOTIFY looksChanged)
    Q_PROPERTY(QColor memoryColor MEMBER memory_ NOTIFY looksChanged)
    Q_PROPERTY(QColor diskColor MEMBER disk_ NOTIFY looksChanged)
    Q_PROPERTY(QColor useColor MEMBER use_ NOTIFY looksChanged)
    Q_PROPERTY(QColor groundColor MEMBER ground_ NOTIFY looksChanged)  // of the window
    Q_PROPERTY(QColor trackColor MEMBER track_ NOTIFY looksChanged)
    Q_PROPERTY(QColor selectedColor MEMBER selected_ NOTIFY looksChanged)
    Q_PROPERTY(QColor textColor MEMBER text_ NOTIFY looksChanged)

public:
    explicit LayerRows(QQuickItem* parent = nullptr);

    NeuronMap* map() const { return map_; }
    void setMap(NeuronMap* map);
    void setRowHeight(int height);

    // Place and width of a column's bars; column: 0 to kColumns - 1.
    static constexpr int kColumns = 4;
    Q_INVOKABLE qreal columnX(int column) const;
    Q_INVOKABLE qreal columnWidth(int column) const;
    // -1: there is none at this height.
    Q_INVOKABLE int layerAt(qreal y) const;

    void paint(QPainter* painter) override;

    // A bar of a row, in whole pixels: what is drawn follows from these alone.
    enum class Fill : quint8 { Card, Memory, Disk, Use };
    struct Bar {
        int x = 0;
        int width = 0;
        Fill fill = Fill::Use;
        friend bool operator==(const Bar&, const Bar&) = default;
    };
    using Row = QList<Bar>;
    const QList<Row>& rows() const { return rows_; }
    int repaints() const { return repaints_; }  // asked for by setRows()

signals:
    void mapChanged();
    void looksChanged();

protected:
    void geometryChange(const QRectF& now, const QRectF& before) override;

private:
    QList<Row> barsOfLayers() const;
    Row barsOf(int layer) const;
    void refresh();
    void fill(QPainter& painter, const QRectF& area, Fill kind) const;

    QPointer<NeuronMap> map_;
    QList<Row> rows_;
    int marked_ = -1;
    int repaints_ = 0;
    int rowHeight_ = 14;
    int labelWidth_ = 30;
    int gap_ = 10;
    int fontSize_ = 12;
    QColor card_, memory_, disk_, use_, ground_, track_, selected_, text_;
};

// One of the looks of the map's bars, for its legend.
class PlaceSwatch : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(QString place MEMBER place_ NOTIFY changed)  // "card", "memory", "disk"
    Q_PROPERTY(QColor color MEMBER color_ NOTIFY changed)
    Q_PROPERTY(QColor groundColor MEMBER ground_ NOTIFY changed)

public:
    explicit PlaceSwatch(QQuickItem* parent = nullptr);
    void paint(QPainter* painter) override;

signals:
    void changed();

private:
    QString place_;
    QColor color_;
    QColor ground_;
};

}  // namespace hearth::ui
