// Shows a drawing of an answer, once it is drawn.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QPointer>
#include <QQuickPaintedItem>
#include <QTimer>

#include "documents/drawing_desk.h"

namespace hearth::ui {

// Its implicit size is that of the drawing in its room, as far as it is known. It asks for nothing
// while it is hidden or out of the scene, and gives back its picture there.
class DrawingPicture : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(hearth::ui::DrawingDesk* desk READ desk WRITE setDesk NOTIFY deskChanged)
    Q_PROPERTY(QString source READ source WRITE setSource NOTIFY sourceChanged)
    Q_PROPERTY(qreal room READ room WRITE setRoom NOTIFY roomChanged)  // its width at most
    Q_PROPERTY(qreal zoom READ zoom WRITE setZoom NOTIFY zoomChanged)
    Q_PROPERTY(bool drawn READ drawn NOTIFY changed)
    Q_PROPERTY(QString trouble READ trouble NOTIFY changed)  // toString(DrawingTrouble)
    Q_PROPERTY(QString title READ title NOTIFY changed)      // of the drawing; may be empty
    Q_PROPERTY(bool leftOut READ leftOut NOTIFY changed)     // not all of it is shown

public:
    explicit DrawingPicture(QQuickItem* parent = nullptr);
    ~DrawingPicture() override;

    DrawingDesk* desk() const { return desk_; }
    void setDesk(DrawingDesk* desk);
    QString source() const { return source_; }
    void setSource(const QString& source);
    qreal room() const { return place_.room; }
    void setRoom(qreal room);
    qreal zoom() const { return place_.zoom; }
    void setZoom(qreal zoom);
    bool drawn() const { return drawn_; }
    QString trouble() const { return toString(drawing_.trouble); }
    QString title() const { return drawing_.title; }
    bool leftOut() const { return drawing_.leftOut; }

    // Tries once more what failed.
    Q_INVOKABLE void again();

    void paint(QPainter* painter) override;

signals:
    void deskChanged();
    void sourceChanged();
    void roomChanged();
    void zoomChanged();
    void changed();

protected:
    void componentComplete() override;
    void itemChange(ItemChange change, const ItemChangeData& value) override;

private:
    bool isSeen() const;
    void look();
    void ask();
    void drop();
    void take(const DrawnSvg& drawing);
    void measure();

    QPointer<DrawingDesk> desk_;
    QString source_;
    DrawingPlace place_;
    DrawnSvg drawing_;
    QSizeF hint_;  // its size, as long as it is not drawn
    bool drawn_ = false;
    quint64 ticket_ = 0;
    QTimer rest_;
};

}  // namespace hearth::ui
