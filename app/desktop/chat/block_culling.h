// Takes the parts of a long message that are out of view out of the scene: Qt's software renderer
// walks over all that is in it for every frame, and an answer of 20,000 tokens has hundreds of
// parts. They keep their size, their place and what is chosen in them. One with links or buttons is
// a stop for Tab meanwhile, and comes back when Tab reaches it.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QPointer>
#include <QQuickItem>

namespace hearth::ui {

class BlockCulling : public QQuickItem {
    Q_OBJECT
    QML_ELEMENT
    // Its children are the parts: Loaders, with a property `hasStops` where Tab may stop within.
    Q_PROPERTY(QQuickItem* column READ column WRITE setColumn NOTIFY columnChanged)
    // What shows some of them: a Flickable.
    Q_PROPERTY(QQuickItem* view READ view WRITE setView NOTIFY viewChanged)

public:
    explicit BlockCulling(QQuickItem* parent = nullptr);

    QQuickItem* column() const { return column_; }
    void setColumn(QQuickItem* column);
    QQuickItem* view() const { return view_; }
    void setView(QQuickItem* view);
    // The column or what the view shows is elsewhere now.
    Q_INVOKABLE void moved() { polish(); }

signals:
    void columnChanged();
    void viewChanged();

protected:
    // Before each frame for which something moved.
    void updatePolish() override;

private:
    void takeOut(QQuickItem* part);
    void putBack(QQuickItem* part);
    void enter(QQuickItem* part);

    QPointer<QQuickItem> column_;
    QPointer<QQuickItem> view_;
    QHash<QObject*, QPointer<QQuickItem>> out_;  // what the parts have loaded, by part
};

}  // namespace hearth::ui
