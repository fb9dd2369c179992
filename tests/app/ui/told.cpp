#include "told.h"

#include <QAccessible>
#include <QColor>
#include <QFont>
#include <QMetaEnum>
#include <QMetaProperty>
#include <QQuickItem>
#include <QQuickWindow>
#include <algorithm>
#include <cmath>

namespace hearth::ui::test {

namespace {

bool isOf(const QObject* object, const char* qmlType) {
    const QByteArray wanted = QByteArray(qmlType) + '_';
    for (const QMetaObject* type = object->metaObject(); type != nullptr;
         type = type->superClass()) {
        if (QByteArray(type->className()).startsWith(wanted)) {
            return true;
        }
    }
    return false;
}

QString quoted(const QString& text) {
    return QLatin1Char('"') + text + QLatin1Char('"');
}

QString roleName(int role) {
    const char* key = QMetaEnum::fromType<QAccessible::Role>().valueToKey(role);
    return key == nullptr ? QString::number(role) : QString::fromLatin1(key);
}

// The item's words for a screen reader, as its QML has them.
QObject* accessible(const QQuickItem* item) {
    for (QObject* child : item->children()) {
        if (child->inherits("QQuickAccessibleAttached")) {
            return child;
        }
    }
    return nullptr;
}

QString tipOf(const QQuickItem* item) {
    for (const QObject* child : item->children()) {
        if (child->inherits("QQuickToolTip")) {
            return child->property("text").toString();
        }
    }
    return {};
}

class Teller {
public:
    explicit Teller(QObject* theme) : theme_(theme) {}

    void visit(QQuickItem* item, bool unseen) {
        // (The places of the file picker are those of this computer.)
        if (!item->isVisible() || item->objectName() == QLatin1String("place")) {
            return;
        }
        if (isOf(item, "Shadow")) {
            lines_ << QStringLiteral("shadow");
            return;
        }
        const bool hidden = unseen || item->opacity() <= 0;
        const qsizetype before = lines_.size();
        tell(item);
        for (qsizetype i = before; i < lines_.size(); ++i) {
            if (hidden) {
                lines_[i] += QStringLiteral(", unseen");
            } else if (item->opacity() < 1) {
                lines_[i] += QStringLiteral(", %1 %").arg(std::lround(item->opacity() * 100));
            }
        }
        QList<QQuickItem*> children = item->childItems();
        if (item->parentItem() != nullptr && item->parentItem()->inherits("QQuickListView")) {
            // The rows as they lie on the screen: a list makes them in any order.
            std::stable_sort(children.begin(), children.end(),
                             [](const QQuickItem* one, const QQuickItem* other) {
                                 return one->y() < other->y();
                             });
        }
        for (QQuickItem* child : children) {
            visit(child, hidden);
        }
    }

    QStringList lines() const {
        QStringList all = lines_;
        all.replaceInStrings(QStringLiteral("\n"), QStringLiteral("\\n"));
        return all;
    }

private:
    QString colour(const QVariant& value) const {
        const auto color = value.value<QColor>();
        if (theme_ != nullptr) {
            const QMetaObject* type = theme_->metaObject();
            for (int i = 0; i < type->propertyCount(); ++i) {
                const QMetaProperty property = type->property(i);
                if (property.metaType() == QMetaType::fromType<QColor>() &&
                    property.read(theme_).value<QColor>() == color) {
                    return QString::fromLatin1(property.name());
                }
            }
        }
        return color.name(QColor::HexArgb);
    }

    QString letters(const QQuickItem* item) const {
        const auto font = item->property("font").value<QFont>();
        QString said =
            colour(item->property("color")) + QLatin1Char(' ') + QString::number(font.pixelSize());
        if (font.weight() >= QFont::DemiBold) {
            said += QStringLiteral(" bold");
        }
        if (theme_ != nullptr && font.family() == theme_->property("mono").toString()) {
            said += QStringLiteral(" mono");
        }
        return said;
    }

    static QString flags(const QQuickItem* item) {
        QStringList all;
        if (!item->isEnabled()) {
            all << QStringLiteral("off");
        }
        if (!item->activeFocusOnTab() && !item->inherits("QQuickMenuItem")) {
            all << QStringLiteral("no tab");
        }
        if (item->property("readOnly").toBool()) {
            all << QStringLiteral("read only");
        }
        if (item->property("highlighted").toBool()) {
            all << QStringLiteral("highlighted");
        }
        if (item->hasActiveFocus()) {
            all << QStringLiteral("focus");
        }
        return all.isEmpty() ? QString() : QLatin1Char(' ') + all.join(QStringLiteral(", "));
    }

    // Name and description, and the states that stand there for a screen reader alone.
    static QString said(const QObject* spoken) {
        QString line = quoted(spoken->property("name").toString());
        const QString description = spoken->property("description").toString();
        if (!description.isEmpty()) {
            line += QStringLiteral(" (%1)").arg(description);
        }
        for (const char* state : {"checked", "selected", "multiLine"}) {
            if (spoken->property(state).toBool()) {
                line += QLatin1Char(' ') + QLatin1String(state);
            }
        }
        return line;
    }

    void tell(QQuickItem* item) {
        const QObject* spoken = accessible(item);
        const int role = spoken == nullptr ? QAccessible::NoRole : spoken->property("role").toInt();
        const bool spoke = role != QAccessible::NoRole && !spoken->property("ignored").toBool();
        const bool control = item->inherits("QQuickAbstractButton") ||
                             item->inherits("QQuickTextField") ||
                             item->inherits("QQuickTextArea") || item->inherits("QQuickSlider");
        if (spoke || control) {
            QString line = roleName(role);
            if (spoken != nullptr) {
                line += QLatin1Char(' ') + said(spoken);
            }
            const QString text = item->property("text").toString();
            if (item->inherits("QQuickAbstractButton") &&
                (spoken == nullptr || text != spoken->property("name").toString())) {
                line += QStringLiteral(" says ") + quoted(text);
            }
            const QString tip = tipOf(item);
            if (!tip.isEmpty() && tip != text) {
                line += QStringLiteral(" tip ") + quoted(tip);
            }
            if (item->inherits("QQuickSlider")) {
                line += QStringLiteral(" %1 of %2 to %3 in %4")
                            .arg(item->property("value").toDouble())
                            .arg(item->property("from").toDouble())
                            .arg(item->property("to").toDouble())
                            .arg(item->property("stepSize").toDouble());
            }
            if (control || item->activeFocusOnTab() || item->hasActiveFocus()) {
                line += flags(item);
            }
            lines_ << line;
        }
        if (item->inherits("QQuickText")) {
            const QString text = item->property("text").toString();
            if (!text.isEmpty()) {
                lines_ << QStringLiteral("text ") + quoted(text) + QLatin1Char(' ') + letters(item);
            }
        } else if (item->inherits("QQuickTextEdit") || item->inherits("QQuickTextInput")) {
            QString text = item->property("text").toString();
            if (item->inherits("QQuickTextEdit")) {  // the words, not their markup
                QMetaObject::invokeMethod(item, "getText", Q_RETURN_ARG(QString, text),
                                          Q_ARG(int, 0),
                                          Q_ARG(int, item->property("length").toInt()));
            }
            const bool fixed = item->property("readOnly").toBool();
            QString line = (fixed ? QStringLiteral("prose ") : QStringLiteral("field ")) +
                           quoted(text) + QLatin1Char(' ') + letters(item);
            const QString hint = item->property("placeholderText").toString();
            if (!hint.isEmpty()) {
                line += QStringLiteral(" hint ") + quoted(hint);
            }
            lines_ << line;
        } else if (isOf(item, "Icon")) {
            const QString name = item->property("name").toString();
            if (!name.isEmpty()) {
                lines_ << QStringLiteral("icon %1 %2 %3")
                              .arg(name, colour(item->property("color")))
                              .arg(item->property("size").toDouble());
            }
        } else if (isOf(item, "FocusRing")) {
            lines_ << QStringLiteral("ring");
        } else if (item->inherits("QQuickRectangle")) {
            tellGround(item);
        } else if (item->inherits("QQuickListView")) {
            lines_ << QStringLiteral("list %1 of %2")
                          .arg(item->property("currentIndex").toInt())
                          .arg(item->property("count").toInt());
        } else if (item->property("layoutDirection").toInt() == Qt::RightToLeft) {
            lines_ << QStringLiteral("from the right");
        }
    }

    void tellGround(const QQuickItem* item) {
        const auto color = item->property("color").value<QColor>();
        const auto* pen = item->property("border").value<QObject*>();
        const double width = pen == nullptr ? 0 : pen->property("width").toDouble();
        const auto edge = pen == nullptr ? QColor() : pen->property("color").value<QColor>();
        QString line;
        if (color.alpha() > 0) {
            line = QStringLiteral("ground ") + colour(color);
        }
        // Qt draws no border of 1 until its colour or width is set, and says 1 all the same.
        if (width > 0 && edge.alpha() > 0 && edge != QColor(Qt::black)) {
            line += (line.isEmpty() ? QString() : QStringLiteral(" ")) +
                    QStringLiteral("edge %1 %2").arg(colour(edge)).arg(width);
        }
        const QQuickItem* parent = item->parentItem();
        if (!line.isEmpty() && item->height() <= 6 && parent != nullptr && parent->width() > 0 &&
            item->width() < parent->width() && parent->height() <= 6) {
            line += QStringLiteral(" %1 %").arg(std::lround(100 * item->width() / parent->width()));
        }
        if (!line.isEmpty()) {
            lines_ << line;
        }
    }

    QObject* theme_;
    QStringList lines_;
};

}  // namespace

QStringList told(QQuickItem* whole, QObject* theme) {
    Teller teller(theme);
    teller.visit(whole, false);
    return teller.lines();
}

}  // namespace hearth::ui::test
