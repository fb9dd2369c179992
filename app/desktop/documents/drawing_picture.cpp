#include "documents/drawing_picture.h"

#include <QPainter>
#include <QQuickWindow>

#include "documents/svg_source.h"

namespace hearth::ui {

namespace {

// A window that is being resized, and a block that is only passed by, ask for nothing.
constexpr int kRestMs = 120;
constexpr QSizeF kUnknownSize(300, 150);

}  // namespace

DrawingPicture::DrawingPicture(QQuickItem* parent) : QQuickPaintedItem(parent) {
    rest_.setSingleShot(true);
    rest_.setInterval(kRestMs);
    connect(&rest_, &QTimer::timeout, this, &DrawingPicture::ask);
}

DrawingPicture::~DrawingPicture() {
    drop();
}

void DrawingPicture::setDesk(DrawingDesk* desk) {
    if (desk != desk_) {
        drop();
        desk_ = desk;
        look();
        emit deskChanged();
    }
}

void DrawingPicture::setSource(const QString& source) {
    if (source != source_) {
        drop();
        source_ = source;
        hint_ = svgSizeHint(source);
        drawing_ = {};
        drawn_ = false;
        look();
        emit sourceChanged();
        emit changed();
    }
}

void DrawingPicture::setRoom(qreal room) {
    if (room != place_.room) {
        place_.room = room;
        look();
        emit roomChanged();
    }
}

void DrawingPicture::setZoom(qreal zoom) {
    if (zoom != place_.zoom) {
        place_.zoom = zoom;
        look();
        emit zoomChanged();
    }
}

void DrawingPicture::again() {
    if (drawing_.trouble != DrawingTrouble::None) {
        if (desk_ != nullptr) {
            desk_->forgetTrouble(source_);
        }
        drawing_ = {};
        look();
        emit changed();
    }
}

void DrawingPicture::componentComplete() {
    QQuickPaintedItem::componentComplete();
    look();
}

void DrawingPicture::itemChange(ItemChange change, const ItemChangeData& value) {
    QQuickPaintedItem::itemChange(change, value);
    if (change == ItemSceneChange || change == ItemVisibleHasChanged ||
        change == ItemDevicePixelRatioHasChanged) {
        look();
    }
}

bool DrawingPicture::isSeen() const {
    return isComponentComplete() && isVisible() && window() != nullptr;
}

void DrawingPicture::drop() {
    rest_.stop();
    if (desk_ != nullptr && ticket_ != 0) {
        desk_->drop(ticket_);
    }
    ticket_ = 0;
}

// Takes a picture that is there, else asks for it after a rest: what hides this item in answer,
// such as a trouble, must not come while it is being shown.
void DrawingPicture::look() {
    if (!isSeen()) {
        drop();
        drawing_.picture = {};
        return;
    }
    place_.ratio = window()->effectiveDevicePixelRatio();
    measure();
    if (desk_ == nullptr || source_.isEmpty() || !place_.isSound()) {
        drop();
        return;
    }
    if (drawing_.trouble != DrawingTrouble::None ||
        (drawn_ && drawing_.picture.size() == drawingPixels(drawing_.size, place_))) {
        drop();
        return;
    }
    drop();
    const auto known = desk_->known(source_, place_);
    if (known && known->trouble == DrawingTrouble::None) {
        take(*known);
    } else {
        rest_.start();
    }
}

void DrawingPicture::ask() {
    if (isSeen() && desk_ != nullptr) {
        ticket_ = desk_->draw(source_, place_, [this](const DrawnSvg& drawing) {
            ticket_ = 0;
            take(drawing);
        });
    }
}

void DrawingPicture::take(const DrawnSvg& drawing) {
    drawing_ = drawing;
    drawn_ = drawing.trouble == DrawingTrouble::None;
    measure();
    update();
    emit changed();
}

void DrawingPicture::measure() {
    const QSizeF size = drawn_ ? drawing_.size : hint_;
    const QSizeF shown = shownSize(size.isEmpty() ? kUnknownSize : size, place_);
    setImplicitSize(shown.width(), shown.height());
}

void DrawingPicture::paint(QPainter* painter) {
    if (!drawing_.picture.isNull()) {
        painter->setRenderHint(QPainter::SmoothPixmapTransform);
        painter->drawImage(QRectF(0, 0, width(), height()), drawing_.picture);
    }
}

}  // namespace hearth::ui
