#include "system/cursor_rest.h"

#include <QEvent>
#include <QGuiApplication>
#include <QStyleHints>

namespace hearth::ui {

namespace {

constexpr int kBySystem = -1;  // QStyleHints asks the platform

}  // namespace

CursorRest::CursorRest(int restMs) {
    rest_.setSingleShot(true);
    rest_.setInterval(restMs);
    connect(&rest_, &QTimer::timeout, this, [this] {
        rests_ = true;
        QGuiApplication::styleHints()->setCursorFlashTime(0);
    });
    QCoreApplication::instance()->installEventFilter(this);
    rest_.start();
}

CursorRest::~CursorRest() {
    QGuiApplication::styleHints()->setCursorFlashTime(kBySystem);
}

bool CursorRest::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::KeyPress:
        case QEvent::MouseButtonPress:
        case QEvent::TouchBegin:
        case QEvent::Wheel:
        case QEvent::InputMethod:
        case QEvent::FocusIn:
            // Items and windows get the same event one after the other.
            if (watched->isWindowType()) {
                rest_.start();
                if (rests_) {
                    rests_ = false;
                    QGuiApplication::styleHints()->setCursorFlashTime(kBySystem);
                }
            }
            return false;
        default:
            return false;
    }
}

}  // namespace hearth::ui
