// The local API in the window: its mark, its page, and the line while another program is answered.
#include <QClipboard>
#include <QGuiApplication>
#include <QtTest>

#include "ui_window.h"

using namespace hearth::ui;
using hearth::ui::test::UiWindow;

class ServingUiTest : public QObject {
    Q_OBJECT

private slots:
    void theMarkIsThereWhileItServes();
    void addressAndTokenAreCopied();
    void anotherProgramIsAnswered();
    void aTakenPortIsTold();
};

void ServingUiTest::theMarkIsThereWhileItServes() {
    UiWindow ui;
    QVERIFY(ui.ok() && ui.activate());
    QVERIFY(ui.item("servingMark") == nullptr);
    for (int i = 0; i < 2; ++i) {
        ui.settings().set("api/on", "true");
        QTRY_VERIFY(ui.item("servingMark") != nullptr);
        ui.window()->resize(420, 600);  // also where there is little room
        ui.settle();
        QVERIFY(ui.item("servingMark") != nullptr);
        ui.window()->resize(1080, 760);
        ui.settle();
        ui.click(ui.item("servingMark"));
        QTRY_VERIFY(ui.item("servingCard") != nullptr);
        QVERIFY(ui.item("setting-api/on") != nullptr);
        ui.press(Qt::Key_Escape);
        ui.settings().set("api/on", "false");
        QTRY_VERIFY(ui.item("servingMark") == nullptr);
    }
}

void ServingUiTest::addressAndTokenAreCopied() {
    UiWindow ui;
    QVERIFY(ui.ok() && ui.activate());
    ui.settings().set("api/on", "true");
    QTRY_VERIFY(ui.item("servingMark") != nullptr);
    ui.click(ui.item("servingMark"));
    QTRY_VERIFY(ui.item("copyAddress") != nullptr);
    const auto press = [&](const char* name) {
        ui.item(name)->forceActiveFocus(Qt::TabFocusReason);
        ui.settle();
        ui.click(ui.item(name));
    };
    press("copyAddress");
    QCOMPARE(QGuiApplication::clipboard()->text(), QString("http://127.0.0.1:8080/v1"));
    const QString token = ui.app().serving()->token();
    QVERIFY(!ui.item("servingToken")->property("text").toString().contains(token));
    press("copyToken");
    QCOMPARE(QGuiApplication::clipboard()->text(), token);
    press("showToken");
    QCOMPARE(ui.item("servingToken")->property("text").toString(), token);
    press("renewToken");
    QVERIFY(ui.app().serving()->token() != token);
    QCOMPARE(ui.item("servingToken")->property("text").toString(), ui.app().serving()->token());
}

void ServingUiTest::anotherProgramIsAnswered() {
    UiWindow ui;
    QVERIFY(ui.ok() && ui.activate());
    QVERIFY(ui.item("servingStrip") == nullptr);
    const QString name = QStringLiteral("notes of a gardener");
    emit ui.serving().turnsChanged({.answers = true, .client = name});
    QTRY_VERIFY(ui.item("servingStrip") != nullptr);
    const auto said = [&] { return UiWindow::accessibleName(ui.item("servingStrip")); };
    QVERIFY(said().contains(name) && !said().contains("waits"));
    emit ui.serving().turnsChanged({.answers = true, .client = name, .windowWaits = true});
    QVERIFY2(said().contains(name) && said().contains("waits"), qPrintable(said()));
    ui.click(ui.item("stopServing"));
    QCOMPARE(ui.serving().calls().last(), QString("stopAnswer"));
    emit ui.serving().turnsChanged({});
    QTRY_VERIFY(ui.item("servingStrip") == nullptr);
}

void ServingUiTest::aTakenPortIsTold() {
    UiWindow ui;
    QVERIFY(ui.ok() && ui.activate());
    ui.serving().setStartError("Port 8080 is used by another program.");
    ui.press(Qt::Key_Comma, Qt::ControlModifier);
    QTRY_VERIFY(ui.item("section-api") != nullptr);
    ui.click(ui.item("section-api"));
    QTRY_VERIFY(ui.item("setting-api/on") != nullptr);
    ui.settle();
    ui.click(ui.item("settingSwitch"));
    QTRY_VERIFY(ui.item("servingProblem") != nullptr);
    QCOMPARE(ui.settings().text("api/on"), QString("false"));
    QVERIFY(ui.item("servingAddress") == nullptr);
}

QTEST_MAIN(ServingUiTest)
#include "serving_test.moc"
