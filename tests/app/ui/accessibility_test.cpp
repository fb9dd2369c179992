// What a screen reader sees: every visible control has a name and a role, Tab and Shift+Tab reach
// every action, and answers are announced.
#include <QAccessible>
#include <QSet>
#include <QTest>
#include <functional>

#include "app/demo/demo_models.h"
#include "app/demo/demo_scripts.h"
#include "pages.h"
#include "ui_window.h"

using hearth::ui::FakeInference;
using hearth::ui::test::showDownloads;
using hearth::ui::test::UiWindow;

namespace {

bool isInteractive(QAccessible::Role role) {
    switch (role) {
        case QAccessible::Button:
        case QAccessible::ButtonMenu:
        case QAccessible::CheckBox:
        case QAccessible::RadioButton:
        case QAccessible::ComboBox:
        case QAccessible::EditableText:
        case QAccessible::Link:
        case QAccessible::List:
        case QAccessible::ListItem:
        case QAccessible::MenuItem:
        case QAccessible::PageTab:
        case QAccessible::Slider:
            return true;
        default:
            return false;
    }
}

void visit(QAccessibleInterface* node, const std::function<void(QAccessibleInterface*)>& see,
           int depth = 0) {
    if (node == nullptr || depth > 60 || node->state().invisible) {
        return;
    }
    see(node);
    for (int i = 0; i < node->childCount(); ++i) {
        visit(node->child(i), see, depth + 1);
    }
}

// What can be reached by the mouse must be there for everybody.
void collectButtons(QQuickItem* item, QList<QQuickItem*>& found) {
    if (!item->isVisible()) {
        return;
    }
    if (item->inherits("QQuickAbstractButton") || item->inherits("QQuickTextArea") ||
        item->inherits("QQuickTextField")) {
        found.append(item);
    }
    for (QQuickItem* child : item->childItems()) {
        collectButtons(child, found);
    }
}

}  // namespace

class AccessibilityTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QAccessible::setActive(true); }
    void namesEverything_data();
    void namesEverything();
    void tabReachesEveryAction();
    void arrowsChooseAMessage();
    void pressesThroughTheInterface();
    void menusAreNamed();
    void announcesAnswers();

private:
    static void prepare(UiWindow& ui, const QString& scene);
};

void AccessibilityTest::prepare(UiWindow& ui, const QString& scene) {
    QVERIFY(ui.ok());
    QVERIFY(ui.activate());
    if (scene == QLatin1String("empty")) {
        return;
    }
    QVERIFY(ui.ask(QStringLiteral("How do I sort words by length?")));
    if (scene == QLatin1String("failed model")) {
        ui.inference().setLoadError(QStringLiteral("The file is broken."));
        ui.app().model()->openPath(QStringLiteral("broken.gguf"));
        QTRY_COMPARE(ui.app().model()->state(), QStringLiteral("failed"));
    } else if (scene == QLatin1String("undo")) {
        ui.app().chats()->remove(ui.app().chats()->currentId());
    } else if (scene == QLatin1String("notice")) {
        ui.app().notices()->notify(QStringLiteral("warning"),
                                   QStringLiteral("The disk is nearly full."),
                                   QStringLiteral("reloadModel"));
    } else if (scene == QLatin1String("downloads")) {
        showDownloads(ui);
        ui.press(Qt::Key_J, Qt::ControlModifier);
        QTRY_VERIFY(ui.item(QStringLiteral("downloadList")) != nullptr);
    } else if (scene == QLatin1String("models")) {
        static const QTemporaryDir folder;
        QVERIFY(hearth::ui::demo::writeModels(folder.path()));
        ui.app().library()->addPlace(folder.path());
        ui.press(Qt::Key_M, Qt::ControlModifier);
        QTRY_VERIFY(ui.items(QStringLiteral("modelRow")).size() >= 4);
    } else if (scene == QLatin1String("network")) {
        QMetaObject::invokeMethod(ui.item(QStringLiteral("dialogs")), "showNetwork");
        QTRY_VERIFY(ui.item(QStringLiteral("forbidNetwork")) != nullptr);
    } else if (scene == QLatin1String("narrow")) {
        ui.window()->resize(480, 640);
    } else if (scene == QLatin1String("versions")) {
        QVERIFY(ui.app().replies()->regenerate(ui.message(1, "messageId").toLongLong()));
        QVERIFY(ui.waitForAnswer());
    } else if (scene == QLatin1String("editing")) {
        QTRY_VERIFY(ui.item(QStringLiteral("editMessage")) != nullptr);
        ui.click(ui.item(QStringLiteral("editMessage")));
    } else if (scene == QLatin1String("generating")) {
        ui.inference().pauseAfter(3);
        QVERIFY(ui.app().replies()->send(QStringLiteral("More")));
        QTRY_COMPARE(ui.message(3, "text").toString().size(), 12);
    }
    ui.settle();
}

void AccessibilityTest::namesEverything_data() {
    QTest::addColumn<QString>("scene");
    for (const char* scene : {"empty", "code", "versions", "editing", "generating", "failed model",
                              "undo", "notice", "narrow", "downloads", "models", "network"}) {
        QTest::newRow(scene) << QString::fromLatin1(scene);
    }
}

void AccessibilityTest::namesEverything() {
    QFETCH(const QString, scene);
    UiWindow ui;
    prepare(ui, scene);

    int controls = 0;
    QSet<QObject*> seen;
    QStringList unnamed;
    QAccessibleInterface* root = QAccessible::queryAccessibleInterface(ui.window());
    QVERIFY(root != nullptr);
    visit(root, [&](QAccessibleInterface* node) {
        seen.insert(node->object());
        if (!isInteractive(node->role())) {
            return;
        }
        ++controls;
        if (node->text(QAccessible::Name).trimmed().isEmpty()) {
            unnamed << QStringLiteral("%1 (role %2)")
                           .arg(QString::fromLatin1(node->object()->metaObject()->className()))
                           .arg(node->role());
        }
    });
    QVERIFY2(unnamed.isEmpty(), qPrintable(unnamed.join(QStringLiteral(", "))));
    QVERIFY2(controls >= 6, qPrintable(QString::number(controls)));

    QList<QQuickItem*> buttons;
    collectButtons(ui.window()->contentItem(), buttons);
    for (QQuickItem* button : buttons) {
        QVERIFY2(seen.contains(button), qPrintable(QStringLiteral("not in the tree: %1 “%2”")
                                                       .arg(button->objectName())
                                                       .arg(button->property("text").toString())));
        QVERIFY2(isInteractive(QAccessible::queryAccessibleInterface(button)->role()),
                 qPrintable(button->property("text").toString()));
    }
}

void AccessibilityTest::tabReachesEveryAction() {
    UiWindow ui;
    prepare(ui, QStringLiteral("versions"));
    QVERIFY(ui.ask(QStringLiteral("And the sky?")));
    ui.app().chats()->select(ui.app().chats()->conversations()->idAt(0));
    ui.settle();

    const auto round = [&ui](int key, Qt::KeyboardModifiers modifiers) {
        QStringList names;
        const QQuickItem* start = ui.window()->activeFocusItem();
        for (int i = 0; i < 60; ++i) {
            ui.press(key, modifiers);
            QQuickItem* now = ui.window()->activeFocusItem();
            names << UiWindow::accessibleName(now);
            if (now == start) {
                break;
            }
        }
        return names;
    };
    const QStringList forward = round(Qt::Key_Tab, Qt::NoModifier);
    QVERIFY2(forward.size() < 60, qPrintable(QStringLiteral("Tab does not come back: ") +
                                             forward.join(QStringLiteral(" | "))));
    QVERIFY2(!forward.contains(QString()), qPrintable(forward.join(QStringLiteral(" | "))));
    for (const char* wanted :
         {"Message", "New chat", "Hide the list of chats", "Model: Demo model", "Settings and help",
          "Hearth answered", "Copy this answer", "Answer again"}) {
        QVERIFY2(
            forward.contains(QString::fromLatin1(wanted)),
            qPrintable(QStringLiteral("%1 not in %2")
                           .arg(QString::fromLatin1(wanted), forward.join(QStringLiteral(" | ")))));
    }
    QVERIFY(forward.filter(QStringLiteral("Rename ")).size() == 1);
    QVERIFY(forward.filter(QStringLiteral("Delete ")).size() == 1);

    QStringList backward = round(Qt::Key_Backtab, Qt::ShiftModifier);
    QStringList sortedForward = forward;
    sortedForward.sort();
    backward.sort();
    QCOMPARE(backward.join(QStringLiteral(" | ")), sortedForward.join(QStringLiteral(" | ")));

    ui.type(QStringLiteral("x"));
    ui.press(Qt::Key_Tab);
    QCOMPARE(UiWindow::accessibleName(ui.window()->activeFocusItem()),
             QStringLiteral("Send the message"));
}

void AccessibilityTest::arrowsChooseAMessage() {
    UiWindow ui;
    prepare(ui, QStringLiteral("code"));
    QVERIFY(ui.ask(QStringLiteral("And the sky?")));
    const auto here = [&ui] { return UiWindow::accessibleName(ui.window()->activeFocusItem()); };
    const auto tabTo = [&](const QString& name) {
        for (int i = 0; i < 60 && here() != name; ++i) {
            ui.press(Qt::Key_Tab);
        }
        return here() == name;
    };
    QVERIFY(tabTo(QStringLiteral("Hearth answered")));
    for (int i = 0;
         i < 40 && ui.item(QStringLiteral("messageList"))->property("currentIndex").toInt() > 1;
         ++i) {
        ui.press(Qt::Key_Up);
    }
    QCOMPARE(ui.item(QStringLiteral("messageList"))->property("currentIndex").toInt(), 1);
    // The answer with code: Tab goes through its own buttons, not through those of the others.
    QVERIFY(tabTo(QStringLiteral("Copy the code")));
    QVERIFY(tabTo(QStringLiteral("Copy this answer")));
    QVERIFY(tabTo(QStringLiteral("Answer again")));
    QCOMPARE(ui.item(QStringLiteral("messageList"))->property("currentIndex").toInt(), 1);
}

void AccessibilityTest::pressesThroughTheInterface() {
    UiWindow ui;
    prepare(ui, QStringLiteral("code"));
    QCOMPARE(ui.messageCount(), 2);
    QAccessibleInterface* button =
        QAccessible::queryAccessibleInterface(ui.item(QStringLiteral("newConversation")));
    QVERIFY(button != nullptr && button->actionInterface() != nullptr);
    button->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
    QCOMPARE(ui.messageCount(), 0);
    // Return and Space press a button that has the focus.
    QQuickItem* prompt = ui.item(QStringLiteral("examplePrompt"));
    QVERIFY(prompt != nullptr);
    prompt->forceActiveFocus(Qt::TabFocusReason);
    ui.press(Qt::Key_Return);
    QVERIFY(ui.waitForAnswer());
    QCOMPARE(ui.messageCount(), 2);
    ui.item(QStringLiteral("newConversation"))->forceActiveFocus(Qt::TabFocusReason);
    ui.press(Qt::Key_Space);
    QCOMPARE(ui.messageCount(), 0);
}

void AccessibilityTest::menusAreNamed() {
    UiWindow ui;
    prepare(ui, QStringLiteral("empty"));
    for (const char* opener : {"settingsButton", "modelPill"}) {
        ui.item(QString::fromLatin1(opener))->forceActiveFocus(Qt::TabFocusReason);
        ui.press(Qt::Key_Space);
        ui.settle();
        // Down goes through the entries, each with a name; Escape leads back to the button.
        QSet<QString> names;
        for (int i = 0; i < 8; ++i) {
            ui.press(Qt::Key_Down);
            QQuickItem* now = ui.window()->activeFocusItem();
            QVERIFY(now != nullptr);
            if (now->inherits("QQuickMenuItem")) {
                names.insert(UiWindow::accessibleName(now));
            }
        }
        QVERIFY2(names.size() >= 2, opener);
        QVERIFY2(!names.contains(QString()), opener);
        ui.press(Qt::Key_Escape);
        QTRY_COMPARE(ui.window()->activeFocusItem(), ui.item(QString::fromLatin1(opener)));
    }
    ui.item(QStringLiteral("settingsButton"))->forceActiveFocus(Qt::TabFocusReason);
    ui.press(Qt::Key_Space);
    ui.settle();
    for (int i = 0; i < 3; ++i) {
        ui.press(Qt::Key_Down);
    }
    ui.press(Qt::Key_Return);
    QTRY_COMPARE(ui.app().appearance()->themeMode(), QStringLiteral("dark"));
}

void AccessibilityTest::announcesAnswers() {
    UiWindow ui;
    prepare(ui, QStringLiteral("empty"));
    ui.inference().setScripts(
        {FakeInference::scriptFrom(QStringLiteral("It rains.\n\nTake a coat.\n\nStay dry."))});
    QQuickItem* announcer = ui.item(QStringLiteral("announcer"));
    QVERIFY(announcer != nullptr);
    ui.inference().pauseAfter(0);
    QVERIFY(ui.app().replies()->send(QStringLiteral("Weather?")));
    // A part is said as soon as the next has begun, the last when the answer ends.
    const std::initializer_list<std::pair<qsizetype, const char*>> parts = {
        {3, "It rains."}, {7, "Take a coat."}, {-1, "Stay dry."}};
    for (const auto& [pieces, text] : parts) {
        ui.inference().pauseAfter(pieces);
        QTRY_COMPARE(UiWindow::accessibleName(announcer), QString::fromLatin1(text));
    }
}

QTEST_MAIN(AccessibilityTest)
#include "accessibility_test.moc"
