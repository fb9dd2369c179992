#include "settings/window_place.h"

#include <QEvent>
#include <QGuiApplication>
#include <QScreen>
#include <algorithm>

#include "settings/app_settings.h"

namespace hearth::ui {

namespace {

constexpr int kKeepAfterMs = 500;
constexpr int kFrame =
    40;  // room for a title bar, whose height is not known before the window is shown

}  // namespace

WindowPlace::WindowPlace(AppSettings& settings, QObject* parent)
    : QObject(parent), settings_(settings) {
    timer_.setSingleShot(true);
    timer_.setInterval(kKeepAfterMs);
    connect(&timer_, &QTimer::timeout, this, &WindowPlace::keep);
}

bool WindowPlace::listShown() const {
    return settings_.listShown();
}

void WindowPlace::setListShown(bool shown) {
    if (shown != listShown()) {
        settings_.setListShown(shown);
        emit listShownChanged();
    }
}

WindowPlace::Fit WindowPlace::fit(const QRect& kept, const QSize& wanted,
                                  const QList<QRect>& screens) {
    const QRect title(kept.topLeft(), QSize(kept.width(), kFrame));
    QRect best;
    for (const QRect& screen : screens) {
        const QRect seen = title.intersected(screen);
        const bool enough = seen.width() >= 2 * kFrame && seen.height() >= kFrame / 2;
        if (enough && seen.width() > best.intersected(title).width()) {
            best = screen;
        }
    }
    const bool placed = !best.isNull();
    const QRect& screen = placed ? best : screens.first();
    Fit fit;
    fit.size = (kept.isEmpty() ? wanted : kept.size())
                   .boundedTo(screen.size() - QSize(0, kFrame))
                   .expandedTo(QSize(1, 1));
    if (placed) {
        const QRect most(screen.topLeft(), screen.size() - fit.size - QSize(0, kFrame));
        fit.position =
            QPoint(std::clamp(kept.x(), most.left(), most.left() + std::max(0, most.width())),
                   std::clamp(kept.y(), most.top(), most.top() + std::max(0, most.height())));
    }
    return fit;
}

void WindowPlace::open(QWindow* window) {
    window_ = window;
    QList<QRect> screens;
    for (const QScreen* screen : QGuiApplication::screens()) {  // the main screen is the first
        screens.append(screen->availableGeometry());
    }
    if (!screens.isEmpty()) {
        const Fit place = fit(settings_.windowPlace(), window->size(), screens);
        window->setMinimumSize(window->minimumSize().boundedTo(place.size));
        window->resize(place.size);
        if (place.position) {
            window->setFramePosition(*place.position);
        }
    }
    settings_.windowMaximized() ? window->showMaximized() : window->show();
    for (const auto change : {&QWindow::xChanged, &QWindow::yChanged, &QWindow::widthChanged,
                              &QWindow::heightChanged}) {
        connect(window, change, &timer_, qOverload<>(&QTimer::start));
    }
    connect(window, &QWindow::visibilityChanged, &timer_, qOverload<>(&QTimer::start));
    window->installEventFilter(this);
    timer_.start();
}

// A closed window has no place any more when the program ends.
bool WindowPlace::eventFilter(QObject* watched, QEvent* event) {
    if (watched == window_ && event->type() == QEvent::Close) {
        keep();
    }
    return false;
}

void WindowPlace::keep() {
    timer_.stop();
    if (window_.isNull()) {
        return;
    }
    const QWindow::Visibility visibility = window_->visibility();
    if (visibility == QWindow::Windowed) {
        settings_.setWindowPlace(QRect(window_->framePosition(), window_->size()));
        settings_.setWindowMaximized(false);
    } else if (visibility == QWindow::Maximized) {  // its earlier size is the one it returns to
        settings_.setWindowMaximized(true);
    }
}

}  // namespace hearth::ui
