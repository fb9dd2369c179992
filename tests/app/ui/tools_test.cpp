// Tools by keyboard and by mouse: their page, the question over the field, the calls in an answer.
#include <QTest>

#include "ui_window.h"

using namespace hearth::ui;
using hearth::ui::test::UiWindow;

class ToolsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<UiWindow> ui_;

    QQuickItem* item(const char* name) const { return ui_->item(QLatin1String(name)); }
    QString text(const char* name) const {
        const QQuickItem* found = item(name);
        return found == nullptr ? QString() : found->property("text").toString();
    }
    void showTools() {
        QMetaObject::invokeMethod(item("dialogs"), "showTools");
        QTRY_VERIFY(item("serverName") != nullptr);
        ui_->settle();
    }
    void closeTools() {
        ui_->press(Qt::Key_Escape);
        QTRY_VERIFY(item("serverName") == nullptr);
    }
    // The model calls a tool and then answers.
    void askWithCall() {
        FakeInference::Script calling = FakeInference::scriptFrom("Let me see.");
        calling.summary.calls = {{"c1", "calculate", R"({"expression":"6*7"})"}};
        ui_->inference().setScripts({calling, FakeInference::scriptFrom("It is 42.")});
        ui_->type("What is 6 * 7?");
        ui_->press(Qt::Key_Return);
        QTRY_VERIFY(item("allowOnce") != nullptr);
        ui_->settle();
    }
    // Tab from here to the item; false: it is not on the way.
    bool tabTo(const char* name, int key = Qt::Key_Tab) {
        for (int i = 0; i < 40; ++i) {
            const QQuickItem* now = ui_->window()->activeFocusItem();
            if (now != nullptr && now->objectName() == QLatin1String(name)) {
                return true;
            }
            ui_->press(key, key == Qt::Key_Backtab ? Qt::ShiftModifier : Qt::NoModifier);
        }
        return false;
    }

private slots:
    void init() {
        ui_ = std::make_unique<UiWindow>();
        QVERIFY(ui_->ok() && ui_->activate());
    }
    void cleanup() { ui_.reset(); }

    void isSwitchedOnByKeys() {
        QVERIFY(item("toolsPill") == nullptr);
        showTools();
        QVERIFY(tabTo("builtIn-calculate"));
        ui_->press(Qt::Key_Space);
        QCOMPARE(ui_->app().tools()->onCount(), 1);
        QVERIFY(item("builtIn-calculate")->property("on").toBool());
        QVERIFY(!item("builtIn-time")->property("on").toBool());
        closeTools();
        QCOMPARE(text("toolsPill"), QString("Tools: 1"));
        ui_->click(item("toolsPill"));
        QTRY_VERIFY(item("serverName") != nullptr);
        ui_->click(item("builtIn-calculate"));
        QCOMPARE(ui_->app().tools()->onCount(), 0);
    }

    void theMenuLeadsThere() {
        ui_->click(item("settingsButton"));
        ui_->click(item("toolsItem"));
        QTRY_VERIFY(item("serverName") != nullptr);
    }

    void asksAndShowsTheCall() {
        ui_->app().tools()->setBuiltInOn("calculate", true);
        askWithCall();
        QCOMPARE(text("toolQuestion"),
                 QString("The model wants to call “calculate” of Hearth, with:"));
        QVERIFY(text("toolArguments").contains("\"expression\": \"6*7\""));
        QCOMPARE(UiWindow::accessibleName(item("toolCard")), text("toolQuestion"));
        // Enter in the field answers nothing.
        QCOMPARE(ui_->window()->activeFocusItem()->objectName(), QString("composerInput"));
        ui_->press(Qt::Key_Return);
        QVERIFY(ui_->app().rounds()->asking());
        QVERIFY(tabTo("allowOnce", Qt::Key_Backtab));
        ui_->press(Qt::Key_Return);
        QVERIFY(ui_->waitForAnswer());
        QTRY_VERIFY(item("toolCard") == nullptr || !item("toolCard")->isVisible());
        QCOMPARE(ui_->window()->activeFocusItem()->objectName(), QString("composerInput"));
        QCOMPARE(ui_->message(1, "text").toString(), QString("Let me see.\n\nIt is 42."));

        ui_->settle();
        QCOMPARE(text("toolLine"), QString("calculate · Hearth · done"));
        QVERIFY(UiWindow::accessibleName(item("toolLine")).startsWith("Show the call"));
        QVERIFY(item("shownResult") == nullptr);
        QVERIFY(tabTo("toolLine", Qt::Key_Backtab));
        ui_->press(Qt::Key_Return);
        ui_->settle();
        QCOMPARE(text("shownResult"), QString("42"));
        QVERIFY(text("shownArguments").contains("6*7"));
        QVERIFY(UiWindow::accessibleName(item("toolLine")).startsWith("Hide the call"));
        ui_->press(Qt::Key_Return);
        ui_->settle();
        QVERIFY(item("shownResult") == nullptr);
    }

    void refusesByMouse() {
        ui_->app().tools()->setBuiltInOn("calculate", true);
        askWithCall();
        ui_->click(item("refuseTool"));
        QVERIFY(ui_->waitForAnswer());
        ui_->settle();
        QCOMPARE(text("toolLine"), QString("calculate · Hearth · refused"));
    }

    void alwaysAsksNoSecondTime() {
        ui_->app().tools()->setBuiltInOn("calculate", true);
        askWithCall();
        QCOMPARE(text("allowAlways"), QString("Always in this chat: calculate"));
        ui_->click(item("allowAlways"));
        QVERIFY(ui_->waitForAnswer());
        showTools();
        QVERIFY(text("askAgain").contains("1 allowed"));
        ui_->click(item("askAgain"));
        QCOMPARE(ui_->app().chatTools()->allowedCount(), 0);
        QTRY_VERIFY(item("askAgain") == nullptr);
    }

    void escapeStopsTheAnswerThatAsks() {
        ui_->app().tools()->setBuiltInOn("calculate", true);
        askWithCall();
        ui_->press(Qt::Key_Escape);
        QTRY_VERIFY(!ui_->app().replies()->generating());
        ui_->settle();
        QVERIFY(item("allowOnce") == nullptr);
        QCOMPARE(text("toolLine"), QString("calculate · Hearth · interrupted"));
    }

    void aServerIsAddedAndSwitchedOn() {
        showTools();
        QVERIFY(tabTo("serverName"));
        ui_->type("Scripted");
        ui_->press(Qt::Key_Return);
        QCOMPARE(ui_->window()->activeFocusItem()->objectName(), QString("serverEntry"));
        ui_->type("\"unfinished");
        ui_->press(Qt::Key_Return);
        QVERIFY(text("serverWrong").startsWith("Enter a command line"));
        item("serverEntry")
            ->setProperty("text", QStringLiteral("\"%1\" good").arg(HEARTH_SCRIPTED_SERVER));
        ui_->press(Qt::Key_Return);
        QTRY_COMPARE(ui_->items("toolServer").size(), 1);
        QCOMPARE(text("serverWrong"), QString());
        QVERIFY(!item("serverOn")->property("on").toBool());
        QVERIFY(item("serverSays") == nullptr);
        QVERIFY(!item("serverNetwork")->property("on").toBool());
        ui_->app().tools()->setServerNetwork(1, true);
        QVERIFY(item("serverNetwork")->property("on").toBool());
        ui_->app().tools()->setServerOn(1, true);
        QTRY_VERIFY_WITH_TIMEOUT(text("serverSays").startsWith("Ready: scripted 1. Tools: echo, "),
                                 20'000);
        ui_->app().tools()->removeServer(1);
        QTRY_COMPARE(ui_->items("toolServer").size(), 0);
    }

    void theChatHasAFolder() {
        showTools();
        QCOMPARE(text("toolFolder"), QString("No folder: files cannot be read."));
        ui_->click(item("chooseToolFolder"));
        auto* picker = ui_->window()->findChild<QObject*>("toolFolderPicker");
        QTRY_VERIFY(picker != nullptr && picker->property("opened").toBool());
        QMetaObject::invokeMethod(picker, "done", Q_ARG(QString, ui_->store().folder()));
        QTRY_COMPARE(text("toolFolder"), ui_->store().folder());
        ui_->settle();
        ui_->click(item("leaveToolFolder"));
        QCOMPARE(text("toolFolder"), QString("No folder: files cannot be read."));
    }
};

QTEST_MAIN(ToolsTest)
#include "tools_test.moc"
