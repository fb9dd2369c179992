#include "markdown/block_culling.h"

namespace hearth::ui {

BlockCulling::BlockCulling(QQuickItem* parent) : QQuickItem(parent) {}

void BlockCulling::setColumn(QQuickItem* column) {
    if (column == column_) {
        return;
    }
    if (column_ != nullptr) {
        column_->disconnect(this);
    }
    column_ = column;
    if (column_ != nullptr) {
        connect(column_, &QQuickItem::heightChanged, this, &BlockCulling::moved);
        connect(column_, &QQuickItem::childrenChanged, this, &BlockCulling::moved);
    }
    polish();
    emit columnChanged();
}

void BlockCulling::setView(QQuickItem* view) {
    if (view == view_) {
        return;
    }
    if (view_ != nullptr) {
        view_->disconnect(this);
    }
    view_ = view;
    if (view_ != nullptr) {
        connect(view_, &QQuickItem::heightChanged, this, &BlockCulling::moved);
    }
    polish();
    emit viewChanged();
}

void BlockCulling::updatePolish() {
    if (column_ == nullptr || view_ == nullptr) {
        return;
    }
    // One window's height more on both sides: parts are there before they come into view.
    const qreal height = view_->height();
    const qreal top = column_->mapFromItem(view_, QPointF()).y() - height;
    const qreal bottom = top + 3 * height;
    const QList<QQuickItem*> parts = column_->childItems();
    for (QQuickItem* part : parts) {
        const bool near = part->y() + part->height() >= top && part->y() <= bottom;
        const auto found = out_.constFind(part);
        const bool isOut = found != out_.constEnd();
        if (isOut && found->isNull()) {
            putBack(part);  // it has loaded something else since
        } else if (near == isOut) {
            near ? putBack(part) : takeOut(part);
        }
    }
}

void BlockCulling::takeOut(QQuickItem* part) {
    auto* content = part->property("item").value<QQuickItem*>();
    // The part with the keyboard focus stays.
    if (content == nullptr || part->hasActiveFocus()) {
        return;
    }
    content->setParentItem(nullptr);
    out_.insert(part, content);
    part->setActiveFocusOnTab(part->property("hasStops").toBool());
    connect(part, &QObject::destroyed, this, [this](QObject* gone) { out_.remove(gone); });
    connect(part, &QQuickItem::activeFocusChanged, this, [this, part](bool has) {
        if (has) {
            enter(part);
        }
    });
}

void BlockCulling::putBack(QQuickItem* part) {
    part->disconnect(this);
    part->setActiveFocusOnTab(false);
    if (QQuickItem* content = out_.take(part)) {
        content->setParentItem(part);
    }
}

// Tab reached a part that is out: goes on to the first stop within it.
void BlockCulling::enter(QQuickItem* part) {
    putBack(part);
    if (QQuickItem* next = part->nextItemInFocusChain(true)) {
        next->forceActiveFocus(Qt::TabFocusReason);
    }
}

}  // namespace hearth::ui
