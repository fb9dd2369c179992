#include "walker.h"

#include <QAccessible>
#include <QColor>
#include <QFont>
#include <QPointer>
#include <QQuickItem>
#include <QQuickWindow>
#include <QSet>
#include <QTest>
#include <cmath>
#include <functional>

#include "contrast.h"
#include "picture.h"
#include "ui_window.h"

namespace hearth::ui::test {

namespace {

constexpr int kMostStops = 160;

void visit(QQuickItem* item, const std::function<void(QQuickItem*)>& see) {
    if (!item->isVisible() || item->opacity() <= 0) {
        return;
    }
    see(item);
    for (QQuickItem* child : item->childItems()) {
        visit(child, see);
    }
}

bool isControl(const QQuickItem* item) {
    return item->inherits("QQuickAbstractButton") || item->inherits("QQuickTextArea") ||
           item->inherits("QQuickTextField") || item->inherits("QQuickSlider") ||
           item->inherits("QQuickComboBox");
}

QString nameOf(QQuickItem* item) {
    const QString said = UiWindow::accessibleName(item);
    return QStringLiteral("%1 %2 “%3”")
        .arg(QString::fromLatin1(item->metaObject()->className()).section(QLatin1Char('_'), 0, 0),
             item->objectName(),
             (said.isEmpty() ? item->property("text").toString() : said).left(60));
}

// Somewhere in what can be scrolled: it may lie above or below of what is seen.
bool scrolls(const QQuickItem* item) {
    for (const QQuickItem* up = item->parentItem(); up != nullptr; up = up->parentItem()) {
        if (up->inherits("QQuickFlickable")) {
            return true;
        }
    }
    return false;
}

// What of it is not cut off by what it lies in.
QRectF seen(const QQuickItem* item) {
    QRectF area = UiWindow::area(item);
    for (const QQuickItem* up = item->parentItem(); up != nullptr; up = up->parentItem()) {
        if (up->clip()) {
            area &= UiWindow::area(up);
        }
    }
    return area;
}

// The ring round what has the keyboard, if it has one, is cut by what the item lies in. Above and
// below that may be so where the item has no room itself.
bool ringIsCut(QQuickItem* item, const QRectF& window) {
    bool cut = false;
    visit(item, [&](const QQuickItem* inner) {
        if (!QLatin1String(inner->metaObject()->className())
                 .startsWith(QLatin1String("FocusRing"))) {
            return;
        }
        const QRectF whole = UiWindow::area(inner);
        const QRectF left = seen(inner) & window;
        const bool narrow = left.width() < whole.width() - 0.5;
        const bool low =
            left.height() < whole.height() - 0.5 && seen(item).height() > item->height() - 0.5;
        cut |= narrow || low;
    });
    return cut;
}

double opacityOf(const QQuickItem* item) {
    double opacity = 1;
    for (; item != nullptr; item = item->parentItem()) {
        opacity *= item->opacity();
    }
    return opacity;
}

bool isText(const QQuickItem* item) {
    return item->inherits("QQuickText");
}

}  // namespace

QQuickItem* front(UiWindow& ui) {
    QQuickItem* found = ui.window()->contentItem();
    visit(ui.window()->contentItem(), [&](QQuickItem* item) {
        if (item->inherits("QQuickPopupItem") && item->width() > 0) {
            found = item;
        }
    });
    return found;
}

QStringList unnamed(UiWindow& ui) {
    QStringList wrong;
    visit(front(ui), [&](QQuickItem* item) {
        QAccessibleInterface* said = QAccessible::queryAccessibleInterface(item);
        if (!isControl(item) || (said != nullptr && said->state().invisible)) {
            return;
        }
        if (said == nullptr || said->role() == QAccessible::NoRole) {
            wrong << QStringLiteral("no role: ") + nameOf(item);
        } else if (said->text(QAccessible::Name).trimmed().isEmpty()) {
            wrong << QStringLiteral("no name: ") + nameOf(item);
        }
    });
    return wrong;
}

QStringList unreachable(UiWindow& ui) {
    QStringList wrong;
    QQuickItem* root = front(ui);
    bool menu = false;
    QSet<QQuickItem*> before;
    visit(root, [&](QQuickItem* item) { before.insert(item); });
    visit(root, [&](const QQuickItem* item) { menu |= item->inherits("QQuickMenuItem"); });
    const auto key = menu ? Qt::Key_Down : Qt::Key_Tab;
    QSet<QQuickItem*> stops;
    bool back = false;
    for (int i = 0; i < kMostStops && !back; ++i) {
        ui.press(key);
        QQuickItem* now = ui.window()->activeFocusItem();
        if (now == nullptr) {
            return {QStringLiteral("Tab leads nowhere")};
        }
        back = stops.contains(now);
        if (!back) {
            const QPointer<QQuickItem> there(now);
            ui.settle();
            if (there == nullptr) {
                return {QStringLiteral("what had the keyboard went while the window settled")};
            }
            const QRectF window(0, 0, ui.window()->width(), ui.window()->height());
            if (!seen(now).intersects(window)) {
                wrong << QStringLiteral("has the keyboard out of sight: ") + nameOf(now);
            }
            if (ringIsCut(now, window)) {
                wrong << QStringLiteral("the ring round what has the keyboard is cut: ") +
                             nameOf(now);
            }
            if (UiWindow::accessibleName(now).isEmpty()) {
                wrong << QStringLiteral("has the keyboard and no name: ") + nameOf(now);
            }
        }
        stops.insert(now);
    }
    if (!back) {
        wrong << QStringLiteral("Tab does not come back");
    }
    visit(root, [&](QQuickItem* item) {
        const bool stop =
            menu ? item->inherits("QQuickMenuItem") : isControl(item) && item->activeFocusOnTab();
        // What comes only while the keyboard is elsewhere is not there to be reached.
        if (stop && item->isEnabled() && before.contains(item) && !stops.contains(item)) {
            wrong << QStringLiteral("the keyboard does not reach ") + nameOf(item);
        }
    });
    return wrong;
}

QStringList clipped(UiWindow& ui) {
    QStringList wrong;
    const QRectF window(0, 0, ui.window()->width(), ui.window()->height());
    visit(front(ui), [&](QQuickItem* item) {
        const QRectF area = UiWindow::area(item);
        if (area.isEmpty()) {
            return;
        }
        if (isText(item)) {
            const QSizeF text(item->property("contentWidth").toDouble(),
                              item->property("contentHeight").toDouble());
            const bool elided = item->property("elide").toInt() != Qt::ElideNone;
            if (item->property("text").toString().isEmpty()) {
                return;
            }
            if (text.height() > item->height() + 1 ||
                (!elided && text.width() > item->width() + 1)) {
                wrong << QStringLiteral("text is cut: %1, %2 x %3 in %4 x %5")
                             .arg(nameOf(item))
                             .arg(text.width())
                             .arg(text.height())
                             .arg(item->width())
                             .arg(item->height());
            }
            if (elided && item->width() < 16) {
                wrong << QStringLiteral("no room for text: ") + nameOf(item);
            }
        }
        if (isText(item) || isControl(item)) {
            const bool beside = area.left() < -0.5 || area.right() > window.right() + 0.5;
            const bool below = area.top() < -0.5 || area.bottom() > window.bottom() + 0.5;
            if (beside ? !seen(item).isEmpty() : below && !scrolls(item)) {
                wrong << QStringLiteral("lies outside of the window: %1 at %2, %3 to %4, %5")
                             .arg(nameOf(item))
                             .arg(area.left())
                             .arg(area.top())
                             .arg(area.right())
                             .arg(area.bottom());
            }
        }
        // A button holds what is in it.
        if (isControl(item) && item->inherits("QQuickAbstractButton")) {
            visit(item, [&](QQuickItem* inner) {
                if (isText(inner) && !inner->property("text").toString().isEmpty() &&
                    !area.adjusted(-1, -1, 1, 1).contains(UiWindow::area(inner)) &&
                    !UiWindow::area(inner).isEmpty()) {
                    wrong << QStringLiteral("stands out of its button: ") + nameOf(item);
                }
            });
        }
    });
    return wrong;
}

QStringList pale(UiWindow& ui) {
    QStringList wrong;
    ui.settle();
    const QImage picture = ui.window()->grabWindow();
    const double scale = picture.devicePixelRatio();
    visit(front(ui), [&](QQuickItem* item) {
        const QString text = item->property("text").toString();
        if (!(isText(item) || item->inherits("QQuickTextEdit") ||
              item->inherits("QQuickTextInput")) ||
            text.trimmed().isEmpty() || !item->isEnabled()) {
            return;
        }
        const QRectF area = seen(item) & QRectF(0, 0, ui.window()->width(), ui.window()->height());
        if (area.width() < 4 || area.height() < 4) {
            return;
        }
        const QRect pixels(qRound(area.left() * scale), qRound(area.top() * scale),
                           qRound(area.width() * scale), qRound(area.height() * scale));
        const QColor ground = mainColor(picture, pixels);
        const auto ink = item->property("color").value<QColor>();
        const double opacity = opacityOf(item) * ink.alphaF();
        const auto mixed = [&](double a, double b) { return opacity * a + (1 - opacity) * b; };
        const QColor drawn = QColor::fromRgbF(float(mixed(ink.redF(), ground.redF())),
                                              float(mixed(ink.greenF(), ground.greenF())),
                                              float(mixed(ink.blueF(), ground.blueF())));
        const auto font = item->property("font").value<QFont>();
        const bool large =
            font.pixelSize() >= 24 || (font.pixelSize() >= 19 && font.weight() >= QFont::Bold);
        const double found = contrast(drawn, ground);
        if (found < (large ? 3.0 : 4.5)) {
            wrong << QStringLiteral("%1:1, %2 on %3: %4")
                         .arg(found, 0, 'f', 2)
                         .arg(drawn.name(), ground.name(), nameOf(item));
        }
    });
    return wrong;
}

}  // namespace hearth::ui::test
