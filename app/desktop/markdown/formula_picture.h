// Draws a formula of its own lines.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QQuickPaintedItem>

#include "markdown/math_box.h"

namespace hearth::ui {

// Its implicit size is that of the formula with a small margin. Drawn at any other size, the
// formula stays as it is, on the left and in the middle.
class FormulaPicture : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(QString source READ source WRITE setSource NOTIFY sourceChanged)  // with delimiters
    Q_PROPERTY(QString family READ family WRITE setFamily NOTIFY familyChanged)  // of its letters
    Q_PROPERTY(qreal size READ size WRITE setSize NOTIFY sizeChanged)            // in pixels
    Q_PROPERTY(QColor color READ color WRITE setColor NOTIFY colorChanged)
    // False: the source is no formula that can be drawn, or no font has one of its characters.
    Q_PROPERTY(bool drawn READ drawn NOTIFY drawnChanged)
    // The formula as a text for screen readers.
    Q_PROPERTY(QString words READ words NOTIFY drawnChanged)

public:
    explicit FormulaPicture(QQuickItem* parent = nullptr);

    QString source() const { return source_; }
    void setSource(const QString& source);
    QString family() const { return family_; }
    void setFamily(const QString& family);
    qreal size() const { return size_; }
    void setSize(qreal size);
    QColor color() const { return color_; }
    void setColor(const QColor& color);
    bool drawn() const { return drawn_; }
    QString words() const { return words_; }

    void paint(QPainter* painter) override;

signals:
    void sourceChanged();
    void familyChanged();
    void sizeChanged();
    void colorChanged();
    void drawnChanged();

protected:
    void componentComplete() override;

private:
    void layOut();

    QString source_;
    QString family_;
    qreal size_ = 17;
    QColor color_;
    bool drawn_ = false;
    QString words_;
    MathBox box_;
};

}  // namespace hearth::ui
