#include "part_script.h"

#include <QAccessible>
#include <QFile>
#include <QKeyEvent>
#include <QKeySequence>
#include <QTest>
#include <algorithm>

#include "part_stage.h"

namespace hearth::ui::test {

namespace {

const QStringList kVerbs{"look", "press", "say",  "focus", "key",
                         "type", "click", "tabs", "?",     "until"};

QString verbOf(const QString& deed) {
    const QString first = deed.section(QLatin1Char(' '), 0, 0);
    return kVerbs.contains(first) ? first : QString();
}

// Lines that went, and lines that came.
QStringList difference(QStringList before, const QStringList& after) {
    QStringList lines;
    QStringList came;
    for (const QString& line : after) {
        if (!before.removeOne(line)) {
            came << QStringLiteral("+ ") + line;
        }
    }
    // A dialog goes as a whole.
    const bool closed = std::any_of(before.cbegin(), before.cend(), [](const QString& line) {
        return line.startsWith(QLatin1String("item [Dialog"));
    });
    for (const QString& line : std::as_const(before)) {
        if (!closed || line.startsWith(QLatin1String("item [Dialog")) ||
            line.startsWith(QLatin1String("keyboard: "))) {
            lines << QStringLiteral("- ") + line;
        }
    }
    return lines + came;
}

void pressKey(PartStage& stage, const QString& words) {
    const bool held = words.endsWith(QLatin1String(" held"));
    const QString name = words.section(QLatin1Char(' '), 0, 0);
    const QKeyCombination key = QKeySequence(name)[0];
    const QString text = key.key() == Qt::Key_Space ? QStringLiteral(" ") : QString();
    if (!held) {
        QTest::keyClick(stage.window(), key.key(), key.keyboardModifiers());
        return;
    }
    QKeyEvent event(QEvent::KeyPress, key.key(), key.keyboardModifiers(), text, true);
    QCoreApplication::sendEvent(stage.window(), &event);
}

// Once it has the keyboard.
void press(PartStage& stage) {
    QTest::keyClick(stage.window(), Qt::Key_Space);
}

// Does it, but for a look. Empty, or what is wrong.
QString act(PartStage& stage, const QString& deed) {
    const QString verb = verbOf(deed);
    const QString rest = deed.mid(verb.size() + 1);
    if (verb.isEmpty()) {
        return stage.run(deed);
    }
    if (verb == QLatin1String("until")) {
        if (!QTest::qWaitFor([&] { return stage.value(rest) == QLatin1String("true"); }, 20000)) {
            return QStringLiteral("never ") + rest;
        }
    } else if (verb == QLatin1String("key")) {
        pressKey(stage, rest);
    } else if (verb == QLatin1String("type")) {
        for (const QChar letter : rest) {
            QTest::keyClick(stage.window(), letter.toLatin1());
        }
    } else if (verb != QLatin1String("look") && verb != QLatin1String("tabs") &&
               verb != QLatin1String("?") && deed != QLatin1String("press all")) {
        QQuickItem* item = stage.item(rest);
        if (item == nullptr) {
            return QStringLiteral("nothing is called ") + rest;
        }
        if (verb == QLatin1String("press")) {
            item->forceActiveFocus(Qt::TabFocusReason);
            press(stage);
        } else if (verb == QLatin1String("focus")) {
            item->forceActiveFocus(Qt::TabFocusReason);
        } else if (verb == QLatin1String("click")) {
            stage.window()->grabWindow();  // lays it out
            QTest::mouseClick(stage.window(), Qt::LeftButton, Qt::NoModifier,
                              item->mapToScene({item->width() / 2, item->height() / 2}).toPoint());
        } else {
            QAccessibleInterface* face = QAccessible::queryAccessibleInterface(item);
            if (face == nullptr || face->actionInterface() == nullptr) {
                return QStringLiteral("a screen reader cannot press it");
            }
            face->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        }
    }
    stage.settle();
    return {};
}

QStringList tabs(PartStage& stage) {
    QStringList stops;
    const QQuickItem* start = nullptr;
    for (int i = 0; i < 60; ++i) {
        QTest::keyClick(stage.window(), Qt::Key_Tab);
        QQuickItem* now = stage.window()->activeFocusItem();
        if (now == start) {
            break;
        }
        start = start == nullptr ? now : start;
        stops << PartAccount::told(now);
    }
    return stops;
}

}  // namespace

bool PartScript::read(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly | QIODevice::Text)) {
        return false;
    }
    QString text = QString::fromUtf8(file.readAll());
    text.chop(text.endsWith(QLatin1Char('\n')) ? 1 : 0);
    for (const QString& line : text.split(QLatin1Char('\n'))) {
        if (line.startsWith(QLatin1String("== "))) {
            cases_.append({line.mid(3), {}});
        } else if (cases_.isEmpty()) {
            head_ << line;
            qml_ +=
                line.startsWith(QLatin1String("| ")) ? line.mid(2) + QLatin1Char('\n') : QString();
        } else if (line.startsWith(QLatin1String("> "))) {
            cases_.last().steps.append({line.mid(2), {}});
        } else if (line.startsWith(QLatin1String("  ")) && !cases_.last().steps.isEmpty()) {
            cases_.last().steps.last().expected << line.mid(2);
        } else if (!line.isEmpty()) {
            return false;
        }
    }
    return !qml_.isEmpty() && !cases_.isEmpty();
}

QList<QStringList> PartScript::play(PartStage& stage, const PartCase& one) const {
    QList<QStringList> outcomes;
    if (const QString wrong = stage.show(qml_); !wrong.isEmpty()) {
        return {{QLatin1Char('!') + wrong}};
    }
    QStringList before;  // empty: nobody has looked yet
    QStringList done;
    for (const PartStep& step : one.steps) {
        QStringList lines;
        if (step.deed == QLatin1String("press all")) {
            const qsizetype count = stage.buttons().size();
            for (qsizetype i = 0; i < count; ++i) {
                stage.show(qml_);
                for (const QString& earlier : std::as_const(done)) {
                    act(stage, earlier);
                }
                QQuickItem* const button = stage.buttons().value(i);
                if (button == nullptr) {
                    return outcomes << QStringList{QStringLiteral("!the buttons are others")};
                }
                button->forceActiveFocus(Qt::TabFocusReason);
                stage.settle();
                stage.asked();
                const QStringList then = stage.account();
                lines << PartAccount::told(button);
                press(stage);
                stage.settle();
                for (const QString& line : stage.asked() + difference(then, stage.account())) {
                    lines << QStringLiteral("  ") + line;
                }
            }
            stage.show(qml_);
            for (const QString& earlier : std::as_const(done)) {
                act(stage, earlier);
            }
            stage.asked();
            before = stage.account();
            outcomes << lines;
            continue;
        }
        if (const QString wrong = act(stage, step.deed); !wrong.isEmpty()) {
            return outcomes << QStringList{QLatin1Char('!') + wrong};
        }
        done << step.deed;
        const QString verb = verbOf(step.deed);
        if (verb == QLatin1String("?")) {
            lines << stage.value(step.deed.mid(2));
        } else if (verb == QLatin1String("tabs")) {
            lines = tabs(stage);
        } else if (verb == QLatin1String("look")) {
            before = stage.account();
            lines = stage.asked() + before;
        } else if (!before.isEmpty()) {
            const QStringList now = stage.account();
            lines = stage.asked() + difference(before, now);
            before = now;
        }
        outcomes << lines;
    }
    return outcomes;
}

QString PartScript::text(const QList<QList<QStringList>>& outcomes) const {
    QString text;
    for (const QString& line : head_) {
        text += line + QLatin1Char('\n');
    }
    for (qsizetype i = 0; i < cases_.size(); ++i) {
        text += (i > 0 ? QStringLiteral("\n== ") : QStringLiteral("== ")) + cases_[i].name +
                QLatin1Char('\n');
        for (qsizetype step = 0; step < cases_[i].steps.size(); ++step) {
            text += QStringLiteral("> ") + cases_[i].steps[step].deed + QLatin1Char('\n');
            for (const QString& line : outcomes.value(i).value(step)) {
                text += QStringLiteral("  ") + line + QLatin1Char('\n');
            }
        }
    }
    return text;
}

}  // namespace hearth::ui::test
