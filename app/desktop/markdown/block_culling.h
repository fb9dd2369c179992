// Takes the parts of a long message that are out of view out of the scene. Qt's software renderer
// walks over the whole scene for every frame, and an answer of 20,000 tokens has hundreds of parts.
// Hidden parts keep their size, place and selection. A hidden part with links or buttons is a stop
// for Tab itself, and comes back when Tab reaches it.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QPointer>
#include <QQuickItem>

namespace hearth::ui {

class BlockCulling : public QQuickItem {
    Q_OBJECT
    QML_ELEMENT
    // Its children are the parts: Loaders, with a property `hasStops` for parts in which Tab may
    // stop.
    Q_PROPERTY(QQuickItem* column READ column WRITE setColumn NOTIFY columnChanged)
    // The Flickable that shows some of the parts.
    Q_PROPERTY(QQuickItem* view READ view WRITE setView NOTIFY viewChanged)

public:
    explicit BlockCulling(QQuickItem* parent = nullptr);

    QQuickItem* column() const { return column_; }
    void setColumn(QQuickItem* column);
    QQuickItem* view() const { return view_; }
    void setView(QQuickItem* view);
    // Called when the column moved or the view scrolled.
    Q_INVOKABLE void moved() { polish(); }

signals:
    void columnChanged();
    void viewChanged();

protected:
    // Called before each frame for which something moved.
    void updatePolish() override;

private:
    void takeOut(QQuickItem* part);
    void putBack(QQuickItem* part);
    void enter(QQuickItem* part);

    QPointer<QQuickItem> column_;
    QPointer<QQuickItem> view_;
    QHash<QObject*, QPointer<QQuickItem>> out_;  // the loaded items that are out of the scene, by
                                                 // part
};

}  // namespace hearth::ui
