#include "shown_words.h"

#include <QAccessible>
#include <QQuickItem>
#include <QRegularExpression>
#include <algorithm>

#include "ui_window.h"
#include "walker.h"

namespace hearth::ui::test {

namespace {

// Texts of this computer, or too long to be listed: rows of files, licences, a report.
bool isLeftOut(const QQuickItem* item) {
    static const QStringList kNames{QStringLiteral("place"), QStringLiteral("fileRow"),
                                    QStringLiteral("fileField"), QStringLiteral("longText"),
                                    QStringLiteral("crashText")};
    return kNames.contains(item->objectName());
}

void visit(QQuickItem* item, const std::function<void(QQuickItem*)>& see) {
    if (item->isVisible() && item->opacity() > 0 && !isLeftOut(item)) {
        see(item);
        for (QQuickItem* child : item->childItems()) {
            visit(child, see);
        }
    }
}

bool isWritten(const QQuickItem* item) {
    return item->inherits("QQuickTextEdit") || item->inherits("QQuickTextInput");
}

bool isText(const QQuickItem* item) {
    return item->inherits("QQuickText") || isWritten(item);
}

bool isControl(const QQuickItem* item) {
    return item->inherits("QQuickAbstractButton") || item->inherits("QQuickSlider") ||
           isWritten(item);
}

QRectF seen(const QQuickItem* item) {
    QRectF area = UiWindow::area(item);
    for (const QQuickItem* up = item->parentItem(); up != nullptr; up = up->parentItem()) {
        if (up->clip()) {
            area &= UiWindow::area(up);
        }
    }
    return area;
}

bool holds(const QQuickItem* outer, const QQuickItem* inner) {
    for (; inner != nullptr; inner = inner->parentItem()) {
        if (inner == outer) {
            return true;
        }
    }
    return false;
}

QString nameOf(const QQuickItem* item) {
    return QStringLiteral("%1 “%2”").arg(
        item->objectName().isEmpty()
            ? QString::fromLatin1(item->metaObject()->className()).section(QLatin1Char('_'), 0, 0)
            : item->objectName(),
        item->property("text").toString().left(40));
}

// The parts of a text that no translator gave, between those that one did and the signs that part
// data.
QStringList untranslatedParts(const QString& text) {
    QString left;
    int depth = 0;
    for (const QChar letter : text) {
        if (letter == QChar(u'⟦')) {
            ++depth;
            left += QLatin1Char('\n');
        } else if (letter == QChar(u'⟧')) {
            --depth;
        } else if (depth == 0) {
            left += letter;
        }
    }
    static const QRegularExpression kBetween(QStringLiteral("[\n·]"));
    static const QRegularExpression kAround(QStringLiteral("^[\\s.,:;()]+|[\\s.,:;()]+$"));
    QStringList parts;
    const QStringList all = left.split(kBetween, Qt::SkipEmptyParts);
    for (const QString& part : all) {
        parts << QString(part).remove(kAround);
    }
    return parts;
}

bool hasLetters(const QString& text) {
    static const QRegularExpression kWord(QStringLiteral("[A-Za-z]{2,}"));
    return kWord.match(text).hasMatch();
}

}  // namespace

QStringList shownWords(UiWindow& ui) {
    QStringList words;
    const auto add = [&](const QString& text) {
        if (!text.trimmed().isEmpty() && !words.contains(text)) {
            words << text;
        }
    };
    visit(ui.window()->contentItem(), [&](QQuickItem* item) {
        if (isWritten(item) && item->property("textFormat").toInt() != Qt::PlainText) {
            QString text;
            QMetaObject::invokeMethod(item, "getText", Q_RETURN_ARG(QString, text), Q_ARG(int, 0),
                                      Q_ARG(int, item->property("length").toInt()));
            add(text);
        } else if (isText(item)) {
            add(item->property("text").toString());
        }
        add(item->property("placeholderText").toString());
        for (QObject* child : item->children()) {
            if (child->inherits("QQuickAccessibleAttached") &&
                !child->property("ignored").toBool()) {
                add(child->property("name").toString());
                add(child->property("description").toString());
            } else if (child->inherits("QQuickToolTip")) {
                add(child->property("text").toString());
            }
        }
    });
    return words;
}

QStringList rawWords(const QStringList& words, const QStringList& data) {
    QStringList raw;
    for (const QString& text : words) {
        const QStringList parts = untranslatedParts(text);
        for (const QString& part : parts) {
            if (hasLetters(part) && !data.contains(part) && !raw.contains(part)) {
                raw << part;
            }
        }
    }
    return raw;
}

QStringList overlaps(UiWindow& ui) {
    QList<QQuickItem*> items;
    visit(front(ui), [&](QQuickItem* item) {
        const bool isEmpty = isText(item) && item->property("text").toString().isEmpty();
        if ((isText(item) || isControl(item)) && !isEmpty && !seen(item).isEmpty()) {
            items << item;
        }
    });
    QStringList found;
    for (qsizetype i = 0; i < items.size(); ++i) {
        for (qsizetype j = i + 1; j < items.size(); ++j) {
            const QRectF both = seen(items[i]) & seen(items[j]);
            if (both.width() > 1.5 && both.height() > 1.5 && !holds(items[i], items[j]) &&
                !holds(items[j], items[i])) {
                found << nameOf(items[i]) + QStringLiteral(" and ") + nameOf(items[j]);
            }
        }
    }
    return found;
}

}  // namespace hearth::ui::test
