#include "part_account.h"

#include <QAccessible>
#include <QColor>
#include <QFont>
#include <QMetaEnum>
#include <QMetaProperty>
#include <functional>

namespace hearth::ui::test {

namespace {

// By the name of its type, or of one that it derives from.
bool isA(const QObject* object, const char* type) {
    const QByteArray start = QByteArray(type) + '_';
    for (const QMetaObject* up = object->metaObject(); up != nullptr; up = up->superClass()) {
        if (QByteArray(up->className()).startsWith(start)) {
            return true;
        }
    }
    return false;
}

// Tested by themselves, and a line here.
bool isComponent(const QObject* item) {
    for (const char* type : {"AppButton", "IconButton", "AppSwitch", "AppTextField", "AppSlider",
                             "AppMenuItem", "AppScrollBar", "Banner", "Icon", "Shadow"}) {
        if (isA(item, type)) {
            return true;
        }
    }
    return item->inherits("QQuickTextArea");
}

bool isButton(const QQuickItem* item) {
    return item->inherits("QQuickAbstractButton");
}

QString quoted(const QString& text) {
    return QStringLiteral("“%1”").arg(QString(text).replace(QLatin1Char('\n'), QLatin1Char('|')));
}

QString kind(const QQuickItem* item) {
    for (const char* type : {"AppSwitch", "AppSlider", "Banner", "Icon", "FocusRing"}) {
        if (isA(item, type)) {
            return QString::fromLatin1(type).remove(QLatin1String("App")).toLower();
        }
    }
    if (isButton(item)) {
        return QStringLiteral("button");
    }
    if (item->inherits("QQuickTextField") || item->inherits("QQuickTextArea")) {
        return QStringLiteral("field");
    }
    if (item->inherits("QQuickText") || item->inherits("QQuickTextEdit")) {
        return QStringLiteral("text");
    }
    return item->inherits("QQuickRectangle") ? QStringLiteral("box") : QStringLiteral("item");
}

QString spoken(QQuickItem* item) {
    QAccessibleInterface* face = QAccessible::queryAccessibleInterface(item);
    if (face == nullptr) {
        return {};
    }
    static const QMetaEnum kRoles = QMetaEnum::fromType<QAccessible::Role>();
    const QString name = face->text(QAccessible::Name);
    if (name.isEmpty() && item->inherits("QQuickText")) {
        return {};  // ignored, as some versions of Qt say it
    }
    // Qt's own controls take their first role back, in some of its versions.
    QString said = isButton(item) ? QStringLiteral("press")
                                  : QString::fromLatin1(kRoles.valueToKey(face->role()));
    if (name != item->property("text").toString()) {
        said += QLatin1Char(' ') + quoted(name);
    }
    if (const QString more = face->text(QAccessible::Description); !more.isEmpty()) {
        said += QStringLiteral(" described ") + quoted(more);
    }
    const QAccessible::State state = face->state();
    const std::pair<bool, const char*> states[] = {{state.checked, "checked"},
                                                   {state.selected, "selected"},
                                                   {state.multiLine, "several lines"},
                                                   {state.passwordEdit, "hidden"}};
    for (const auto& [is, word] : states) {
        if (is) {
            said += QStringLiteral(", ") + QLatin1String(word);
        }
    }
    return QStringLiteral(" [") + said + QLatin1Char(']');
}

}  // namespace

PartAccount::PartAccount(const QObject* theme) {
    const QMetaObject* type = theme->metaObject();
    for (int i = 0; i < type->propertyCount(); ++i) {
        const QVariant value = type->property(i).read(theme);
        if (value.metaType().id() == QMetaType::QColor) {
            const QString code = value.value<QColor>().name(QColor::HexArgb);
            if (!colours_.contains(code)) {
                colours_.insert(code, QString::fromLatin1(type->property(i).name()));
            }
        }
    }
}

QString PartAccount::colour(const QVariant& value) const {
    const QString code = value.value<QColor>().name(QColor::HexArgb);
    return colours_.value(code, code);
}

QString PartAccount::called(QQuickItem* item) {
    QAccessibleInterface* face = QAccessible::queryAccessibleInterface(item);
    const QString name = face == nullptr ? QString() : face->text(QAccessible::Name);
    return !name.isEmpty()                 ? name
           : !item->objectName().isEmpty() ? item->objectName()
                                           : item->property("text").toString();
}

QString PartAccount::told(QQuickItem* item) {
    const QString name = item->objectName();
    return name.isEmpty() || name == called(item) ? called(item)
                                                  : called(item) + QLatin1String(" #") + name;
}

QString PartAccount::line(QQuickItem* item) const {
    const QString type = kind(item);
    const QString text = item->property("text").toString();
    const QString said = spoken(item);
    QString line = type;
    if (!text.isEmpty()) {
        line += QLatin1Char(' ') + quoted(text);
    }
    if (type == QLatin1String("box")) {
        const QColor color = item->property("color").value<QColor>();
        const QVariant border = item->property("border");
        const auto* pen = border.value<QObject*>();
        const int width = pen == nullptr ? 0 : pen->property("width").toInt();
        // Qt has a border of 1 where none is wanted; its colour is then not set.
        const bool framed = pen != nullptr && width > 0 &&
                            pen->property("color").value<QColor>() != QColor(Qt::black);
        if (said.isEmpty() && color.alpha() == 0 && !framed) {
            return {};
        }
        line += color.alpha() == 0 ? QString() : QLatin1Char(' ') + colour(color);
        if (framed) {
            line += QStringLiteral(" framed %1 %2").arg(colour(pen->property("color"))).arg(width);
        }
        if (item->height() <= 12) {
            line += QStringLiteral(" wide %1").arg(qRound(item->width()));
        }
    } else if (type == QLatin1String("icon")) {
        line += QLatin1Char(' ') + item->property("name").toString() + QLatin1Char(' ') +
                colour(item->property("color"));
    } else if (type == QLatin1String("text")) {
        if (text.isEmpty()) {
            return {};
        }
        const QString color = colour(item->property("color"));
        line += color == QLatin1String("text") ? QString() : QLatin1Char(' ') + color;
        if (item->property("font").value<QFont>().weight() > QFont::Normal) {
            line += QStringLiteral(" strong");
        }
    } else if (type == QLatin1String("item") && said.isEmpty()) {
        return {};
    }
    for (const char* name : {"kind", "iconName", "hint", "actionText", "placeholderText"}) {
        const QString value = item->property(name).toString();
        if (!value.isEmpty()) {
            line += QStringLiteral(" %1=%2").arg(QLatin1String(name), value);
        }
    }
    for (const char* name : {"wrong", "faint", "readOnly"}) {
        line += item->property(name).toBool() ? QLatin1Char(' ') + QLatin1String(name) : QString();
    }
    if (type == QLatin1String("slider")) {
        line += QStringLiteral(" %1 to %2 by %3 at %4")
                    .arg(item->property("from").toDouble())
                    .arg(item->property("to").toDouble())
                    .arg(item->property("stepSize").toDouble())
                    .arg(item->property("value").toDouble());
    }
    line += item->isEnabled() ? QString() : QStringLiteral(" disabled");
    line += item->objectName().isEmpty() ? QString() : QStringLiteral(" #") + item->objectName();
    return line + said;
}

void PartAccount::add(QQuickItem* item, QStringList& lines) const {
    if (!item->isVisible() || isA(item, "Shadow") || isA(item, "AppScrollBar")) {
        return;
    }
    // A popup's own item: Qt says what it is in one way or another.
    if (const QString own = item->inherits("QQuickPopupItem") ? QString() : line(item);
        !own.isEmpty()) {
        lines << own;
    }
    if (isComponent(item)) {
        return;
    }
    for (QQuickItem* child : item->childItems()) {
        add(child, lines);
    }
}

QStringList PartAccount::of(QQuickItem* whole) const {
    QStringList lines;
    add(whole, lines);
    return lines;
}

QList<QQuickItem*> PartAccount::buttons(QQuickItem* whole) {
    QList<QQuickItem*> found;
    const std::function<void(QQuickItem*)> visit = [&](QQuickItem* item) {
        if (!item->isVisible()) {
            return;
        }
        if (isButton(item) && item->isEnabled()) {
            found << item;
        }
        for (QQuickItem* child : item->childItems()) {
            visit(child);
        }
    };
    visit(whole);
    return found;
}

}  // namespace hearth::ui::test
