// The settings page as its user meets it: by keyboard and mouse, with a scripted engine and
// machine.
#include <QAccessible>
#include <QDir>
#include <QSet>
#include <QTest>
#include <algorithm>

#include "ui_window.h"

using namespace hearth::ui;
using hearth::ui::test::UiWindow;

class SettingsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QAccessible::setActive(true); }
    void opensAndCloses();
    void searches();
    void opensWithoutTheSearchOfBefore();
    void changesWhatRuns();
    void saysWhichModesAreRefused();
    void refusesAndGoesBack();
    void waitsForAnAnswer();
    void loadsNowAndClosesTheRefusal();
    void switchesBothWays();
    void choosesFilesAndFolders();
    void aClickedRowGoesBeforeATypedPath();
    void keepsFoldersOnceTheyAreTyped();
    void keepsWhatIsWrongInItsField();
    void showsTheForecast();
    void keepsTheKeyboard();
    void keepsTheKeyboardInSight();
    void resets();
    void changesOneModelAlone();
    void typesASystemPrompt();
    void showsTheLicences();
    void fits_data();
    void fits();
    void everySectionIsNamedAndReached_data();
    void everySectionIsNamedAndReached();

private:
    static void open(UiWindow& ui, const char* section = "model") {
        QVERIFY(ui.ok());
        QVERIFY(ui.activate());
        ui.app().engineChange()->setRestMs(0);
        ui.app().settings()->preview()->setRestMs(0);
        ui.press(Qt::Key_Comma, Qt::ControlModifier);
        QTRY_VERIFY(ui.item(QStringLiteral("settingsView")) != nullptr);
        QTRY_VERIFY(!ui.app().settings()->asking());  // the sliders know how far they go
        ui.app().settings()->rows()->setSection(QString::fromLatin1(section));
        ui.settle();
    }
    // A part of a setting's row.
    static QQuickItem* part(UiWindow& ui, const QString& key, const QString& name) {
        QQuickItem* row = ui.item(QStringLiteral("setting-") + key);
        const QList<QQuickItem*> found = ui.items(name);
        for (QQuickItem* item : found) {
            if (row != nullptr && row->isAncestorOf(item)) {
                return item;
            }
        }
        return nullptr;
    }
    static void typeInto(UiWindow& ui, QQuickItem* field, const QString& text) {
        QVERIFY(field != nullptr);
        field->forceActiveFocus(Qt::TabFocusReason);
        ui.press(Qt::Key_A, Qt::ControlModifier);
        ui.type(text);
        ui.press(Qt::Key_Return);
    }
};

void SettingsTest::opensAndCloses() {
    UiWindow ui;
    open(ui);
    QVERIFY(ui.item(QStringLiteral("composer")) == nullptr);  // nothing of the chat is reached
    QCOMPARE(ui.window()->activeFocusItem(), ui.item(QStringLiteral("searchSettings")));
    QCOMPARE(ui.machine().factsAsked(), 1);
    ui.press(Qt::Key_Escape);
    QTRY_VERIFY(ui.item(QStringLiteral("settingsView")) == nullptr);
    ui.type(QStringLiteral("hello"));  // the message field has the keyboard
    QTRY_COMPARE(ui.app().chats()->draft(), QStringLiteral("hello"));
    // From the menu, and back by the button.
    ui.click(ui.item(QStringLiteral("settingsButton")));
    ui.settle();
    ui.click(ui.item(QStringLiteral("openSettings")));
    QTRY_VERIFY(ui.item(QStringLiteral("settingsView")) != nullptr);
    QCOMPARE(ui.machine().factsAsked(), 1);  // measured once
    ui.click(ui.item(QStringLiteral("closeSettings")));
    QTRY_VERIFY(ui.item(QStringLiteral("settingsView")) == nullptr);
    // What belongs to the chat leads back to it.
    ui.press(Qt::Key_Comma, Qt::ControlModifier);
    QTRY_VERIFY(ui.item(QStringLiteral("settingsView")) != nullptr);
    ui.press(Qt::Key_N, Qt::ControlModifier);
    QTRY_VERIFY(ui.item(QStringLiteral("composer")) != nullptr);
}

void SettingsTest::searches() {
    UiWindow ui;
    open(ui);
    ui.type(QStringLiteral("proxy"));
    QTRY_COMPARE(ui.items(QStringLiteral("setting-network/proxy")).size(), 1);
    QVERIFY(ui.item(QStringLiteral("setting-engine/ram")) == nullptr);
    ui.type(QStringLiteral("warp"));
    QTRY_VERIFY(ui.item(QStringLiteral("nothingFound")) != nullptr);
    ui.press(Qt::Key_Escape);  // ends the search first
    QTRY_VERIFY(ui.item(QStringLiteral("setting-engine/ram")) != nullptr);
    QVERIFY(ui.item(QStringLiteral("settingsView")) != nullptr);
    ui.click(ui.item(QStringLiteral("section-network")));
    QTRY_VERIFY(ui.item(QStringLiteral("setting-network/proxy")) != nullptr);
}

// The page was left in the middle of a search, which its next visitor knows nothing of.
void SettingsTest::opensWithoutTheSearchOfBefore() {
    UiWindow ui;
    open(ui);
    for (const char* words : {"proxy", "warp"}) {  // the second finds nothing
        ui.type(QString::fromLatin1(words));
        QTRY_COMPARE(ui.app().settings()->rows()->search(), QString::fromLatin1(words));
        ui.click(ui.item(QStringLiteral("closeSettings")));
        QTRY_VERIFY(ui.item(QStringLiteral("settingsView")) == nullptr);
        ui.press(Qt::Key_Comma, Qt::ControlModifier);
        QTRY_VERIFY(ui.item(QStringLiteral("settingsView")) != nullptr);
        QCOMPARE(ui.item(QStringLiteral("searchSettings"))->property("text").toString(), QString());
        QCOMPARE(ui.app().settings()->rows()->search(), QString());
        QVERIFY(ui.item(QStringLiteral("nothingFound")) == nullptr);
        QTRY_VERIFY(ui.item(QStringLiteral("setting-engine/ram")) != nullptr);
    }
}

// By typing, by slider and by choosing: what the engine was told, and what it says runs.
void SettingsTest::changesWhatRuns() {
    UiWindow ui;
    open(ui);
    typeInto(ui, part(ui, "engine/ram", "typedValue"), QStringLiteral("2200M"));
    QTRY_COMPARE(ui.app().model()->report().ramBudget, quint64{2200} << 20);
    QCOMPARE(ui.inference().loadCalls(), 1);  // in the running chat
    QTRY_VERIFY(part(ui, "engine/ram", "runs")->property("text").toString().contains("2.3 GB"));

    QQuickItem* slider = part(ui, "engine/threads", "slider");
    QVERIFY(slider != nullptr);
    QCOMPARE(slider->property("value").toDouble(), 2.0);  // where it runs
    slider->forceActiveFocus(Qt::TabFocusReason);
    ui.press(Qt::Key_Right);
    QTRY_COMPARE(ui.app().model()->report().threads, 3);  // one more than ran
    QTRY_COMPARE(ui.app().model()->state(), QStringLiteral("ready"));

    QQuickItem* exact = part(ui, "engine/mode", "choice-exact");
    QVERIFY(exact != nullptr);
    exact->forceActiveFocus(Qt::TabFocusReason);
    ui.press(Qt::Key_Space);
    QTRY_COMPARE(ui.app().model()->report().mode, QStringLiteral("exact"));
    QTRY_COMPARE(ui.app().model()->state(), QStringLiteral("ready"));

    QQuickItem* automatic = part(ui, "engine/threads", "automatic");
    QVERIFY(automatic != nullptr);
    automatic->forceActiveFocus(Qt::TabFocusReason);
    ui.press(Qt::Key_Space);
    QTRY_COMPARE(ui.inference().lastLoad().threads, 0);
    QTRY_COMPARE(ui.app().model()->state(), QStringLiteral("ready"));
    // Not automatic again: it stays where it runs. Another row is not touched.
    QTRY_VERIFY(!part(ui, "engine/threads", "slider")->property("value").isNull());
    const double runs = part(ui, "engine/threads", "slider")->property("value").toDouble();
    part(ui, "engine/threads", "automatic")->forceActiveFocus(Qt::TabFocusReason);
    ui.press(Qt::Key_Space);
    QTRY_COMPARE(ui.settings().text("engine/threads"), QString::number(runs));
    QCOMPARE(ui.settings().text("engine/ram"), QStringLiteral("2200M"));
    QTRY_COMPARE(ui.app().model()->state(), QStringLiteral("ready"));
}

// A mode that the model cannot run in says why and cannot be chosen.
void SettingsTest::saysWhichModesAreRefused() {
    UiWindow ui;
    const QString why = QStringLiteral("This model holds no predictors.");
    ui.machine().setRefused({{QStringLiteral("predicted"), why}});
    open(ui);
    QTRY_VERIFY(part(ui, "engine/mode", "choice-predicted") != nullptr);
    QTRY_VERIFY(!part(ui, "engine/mode", "choice-predicted")->isEnabled());
    QQuickItem* predicted = part(ui, "engine/mode", "choice-predicted");
    QAccessibleInterface* face = QAccessible::queryAccessibleInterface(predicted);
    QVERIFY(face != nullptr);
    QCOMPARE(face->text(QAccessible::Description), why);
    QVERIFY(part(ui, "engine/mode", "choice-exact")->isEnabled());
    ui.click(predicted);
    QCOMPARE(ui.settings().text("engine/mode"), QStringLiteral("auto"));

    // Another file of predictors may change that.
    ui.machine().setRefused({});
    const qsizetype asked = ui.machine().modesAsked().size();
    QCOMPARE(
        ui.settings().set("engine/predictors", QStringLiteral("/p.gguf"), ui.app().model()->path()),
        QString());
    QCOMPARE(ui.machine().modesAsked().size(), asked + 1);
    QTRY_VERIFY(part(ui, "engine/mode", "choice-predicted")->isEnabled());
}

void SettingsTest::refusesAndGoesBack() {
    UiWindow ui;
    open(ui);
    // No number: the row says so, and nothing has changed.
    typeInto(ui, part(ui, "engine/threads", "typedValue"), QStringLiteral("many"));
    QTRY_VERIFY(part(ui, "engine/threads", "problem") != nullptr);
    QCOMPARE(ui.settings().text("engine/threads"), QStringLiteral("auto"));
    // The typed text stays beside its error when the field is left, until a right one replaces it.
    QQuickItem* const threads = part(ui, "engine/threads", "typedValue");
    part(ui, "engine/ram", "typedValue")->forceActiveFocus(Qt::TabFocusReason);
    QTRY_VERIFY(!threads->hasActiveFocus());
    ui.settle();
    QCOMPARE(threads->property("text").toString(), QStringLiteral("many"));
    QVERIFY(part(ui, "engine/threads", "problem") != nullptr);
    typeInto(ui, threads, QStringLiteral("2"));
    QTRY_COMPARE(ui.settings().text("engine/threads"), QStringLiteral("2"));
    QTRY_VERIFY(part(ui, "engine/threads", "problem") == nullptr);
    part(ui, "engine/ram", "typedValue")->forceActiveFocus(Qt::TabFocusReason);
    QTRY_COMPARE(threads->property("text").toString(), QStringLiteral("2"));
    // No budget for this model: the setting goes back.
    ui.inference().setBudgetError(QStringLiteral("That is too little memory."));
    typeInto(ui, part(ui, "engine/ram", "typedValue"), QStringLiteral("16M"));
    QTRY_VERIFY(ui.item(QStringLiteral("refusal")) != nullptr);
    QCOMPARE(ui.settings().text("engine/ram"), QStringLiteral("auto"));
    ui.app().engineChange()->dismissRefusal();
    QTRY_VERIFY(ui.item(QStringLiteral("refusal")) == nullptr);
}

void SettingsTest::waitsForAnAnswer() {
    UiWindow ui;
    QVERIFY(ui.ok());
    ui.inference().pauseAfter(3);
    QVERIFY(ui.app().replies()->send(QStringLiteral("More")));
    open(ui);
    QQuickItem* dense = part(ui, "engine/mode", "choice-dense");
    QVERIFY(dense != nullptr);
    dense->forceActiveFocus(Qt::TabFocusReason);
    ui.press(Qt::Key_Space);
    QTRY_VERIFY(ui.item(QStringLiteral("changeWaits")) != nullptr);
    QVERIFY(ui.app().replies()->generating());
    ui.inference().pauseAfter(-1);
    QTRY_COMPARE(ui.app().model()->report().mode, QStringLiteral("dense"));
    QTRY_VERIFY(ui.item(QStringLiteral("changeWaits")) == nullptr);
}

// By the buttons of their banners.
void SettingsTest::loadsNowAndClosesTheRefusal() {
    UiWindow ui;
    QVERIFY(ui.ok());
    ui.inference().pauseAfter(3);
    QVERIFY(ui.app().replies()->send(QStringLiteral("More")));
    open(ui);
    ui.app().settings()->rows()->set(QStringLiteral("engine/mode"), QStringLiteral("dense"));
    QTRY_VERIFY(ui.item(QStringLiteral("changeWaits")) != nullptr);
    QQuickItem* now = ui.button(QStringLiteral("Load now"), ui.item(QStringLiteral("changeWaits")));
    QVERIFY(now != nullptr);
    ui.click(now);
    QTRY_VERIFY(!ui.app().replies()->generating());
    QTRY_COMPARE(ui.app().model()->report().mode, QStringLiteral("dense"));
    QTRY_VERIFY(ui.item(QStringLiteral("changeWaits")) == nullptr);
    QTRY_COMPARE(ui.app().model()->state(), QStringLiteral("ready"));
    ui.inference().setBudgetError(QStringLiteral("That is too little memory."));
    ui.app().settings()->rows()->set(QStringLiteral("engine/ram"), QStringLiteral("16M"));
    QTRY_VERIFY(ui.item(QStringLiteral("refusal")) != nullptr);
    ui.click(ui.button(QStringLiteral("Dismiss"), ui.item(QStringLiteral("refusal"))));
    QTRY_VERIFY(ui.item(QStringLiteral("refusal")) == nullptr);
    QCOMPARE(ui.app().engineChange()->refusal(), QString());
}

// Two switches of one section: each its own setting, there and back.
void SettingsTest::switchesBothWays() {
    UiWindow ui;
    open(ui);
    for (const char* off : {"engine/keep-profile", "engine/memory-pressure"}) {
        for (const char* text : {"false", "true"}) {
            QQuickItem* control = part(ui, QString::fromLatin1(off), "settingSwitch");
            QVERIFY(control != nullptr);
            control->forceActiveFocus(Qt::TabFocusReason);
            ui.press(Qt::Key_Space);
            QTRY_COMPARE(ui.settings().text(off), QString::fromLatin1(text));
            for (const char* other : {"engine/keep-profile", "engine/memory-pressure"}) {
                QVERIFY(qstrcmp(off, other) == 0 ||
                        ui.settings().text(other) == QLatin1String("true"));
            }
        }
    }
    QTRY_COMPARE(ui.app().model()->state(), QStringLiteral("ready"));
    ui.app().settings()->rows()->setSection(QStringLiteral("network"));
    ui.settle();
    part(ui, "network/allowed", "settingSwitch")->forceActiveFocus(Qt::TabFocusReason);
    ui.press(Qt::Key_Space);
    QTRY_VERIFY(!ui.app().network()->allowed());
    ui.click(ui.item(QStringLiteral("showRequests")));
    QTRY_VERIFY(ui.item(QStringLiteral("forbidNetwork")) != nullptr);
    ui.press(Qt::Key_Escape);
    QTRY_VERIFY(ui.item(QStringLiteral("forbidNetwork")) == nullptr);
    QVERIFY(ui.item(QStringLiteral("settingsView")) != nullptr);
}

// Each for the row whose button was pressed: a file is set, a folder set or added.
void SettingsTest::choosesFilesAndFolders() {
    const QTemporaryDir folder;
    for (const char* name : {"one", "two", "three"}) {
        QVERIFY(QDir(folder.path()).mkdir(QString::fromLatin1(name)));
    }
    const QString file = folder.filePath(QStringLiteral("t.gguf"));
    QVERIFY(QFile(file).open(QIODevice::WriteOnly));
    UiWindow ui;
    open(ui);
    const auto choose = [&ui](const char* key, const QString& path) {
        QQuickItem* button = part(ui, QString::fromLatin1(key), "chooseButton");
        QVERIFY2(button != nullptr, key);
        button->forceActiveFocus(Qt::TabFocusReason);
        ui.press(Qt::Key_Return);
        QTRY_VERIFY(ui.item(QStringLiteral("pathField")) != nullptr);
        QQuickItem* field = ui.item(QStringLiteral("pathField"));
        field->forceActiveFocus(Qt::TabFocusReason);
        field->setProperty("text", path);
        ui.press(Qt::Key_Return);
        if (QFileInfo(path).isDir()) {
            ui.click(ui.item(QStringLiteral("pickFile")));
        }
        QTRY_VERIFY(ui.item(QStringLiteral("pathField")) == nullptr);
    };
    const QString model = ui.app().model()->path();
    choose("engine/thresholds", file);
    QCOMPARE(ui.settings().text("engine/thresholds", model), file);
    QCOMPARE(ui.settings().text("engine/predictors", model), QString());
    QTRY_COMPARE(ui.inference().lastLoad().thresholdsPath, file);
    QTRY_COMPARE(ui.app().model()->state(), QStringLiteral("ready"));
    ui.app().settings()->rows()->setSection(QStringLiteral("folders"));
    ui.settle();
    const QString one = folder.filePath(QStringLiteral("one"));
    const QString two = folder.filePath(QStringLiteral("two"));
    const QString three = folder.filePath(QStringLiteral("three"));
    choose("folders/models", one);
    choose("folders/models", two);
    QCOMPARE(ui.settings().text("folders/models"), one + QLatin1Char('\n') + two);
    choose("folders/downloads", one);
    choose("folders/downloads", three);
    QCOMPARE(ui.settings().text("folders/downloads"), three);
    // A typed folder goes before the one that is shown: the button shows it, and then takes it.
    part(ui, QStringLiteral("folders/downloads"), "chooseButton")
        ->forceActiveFocus(Qt::TabFocusReason);
    ui.press(Qt::Key_Return);
    QTRY_VERIFY(ui.item(QStringLiteral("pathField")) != nullptr);
    QQuickItem* field = ui.item(QStringLiteral("pathField"));
    field->forceActiveFocus(Qt::TabFocusReason);
    field->setProperty("text", two);
    ui.click(ui.item(QStringLiteral("pickFile")));
    ui.settle();
    QVERIFY(ui.item(QStringLiteral("pathField")) != nullptr);
    QCOMPARE(ui.settings().text("folders/downloads"), three);
    ui.click(ui.item(QStringLiteral("pickFile")));
    QTRY_VERIFY(ui.item(QStringLiteral("pathField")) == nullptr);
    QCOMPARE(ui.settings().text("folders/downloads"), two);
    QCOMPARE(ui.settings().text("folders/models"), one + QLatin1Char('\n') + two);
}

void SettingsTest::aClickedRowGoesBeforeATypedPath() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("t.gguf"));
    QVERIFY(QFile(file).open(QIODevice::WriteOnly));
    UiWindow ui;
    open(ui);
    QQuickItem* button = part(ui, QStringLiteral("engine/thresholds"), "chooseButton");
    QVERIFY(button != nullptr);
    button->forceActiveFocus(Qt::TabFocusReason);
    ui.press(Qt::Key_Return);
    QTRY_VERIFY(ui.item(QStringLiteral("pathField")) != nullptr);
    QQuickItem* field = ui.item(QStringLiteral("pathField"));
    field->forceActiveFocus(Qt::TabFocusReason);
    field->setProperty("text", folder.path());
    ui.press(Qt::Key_Return);
    // Not a row of the folder that was shown first: the list is read on a thread.
    const auto rowOfFile = [&ui]() -> QQuickItem* {
        const QList<QQuickItem*> rows = ui.items(QStringLiteral("fileRow"));
        const auto found = std::find_if(rows.begin(), rows.end(), [](const QQuickItem* row) {
            return row->property("name").toString() == QStringLiteral("t.gguf");
        });
        return found == rows.end() ? nullptr : *found;
    };
    QTRY_VERIFY(rowOfFile() != nullptr);
    QTRY_COMPARE(field->property("text").toString(), folder.path());
    field->setProperty("text", QStringLiteral("/nowhere/x.gguf"));
    ui.click(rowOfFile());
    QTRY_COMPARE(field->property("text").toString(), folder.path());
    ui.click(ui.item(QStringLiteral("pickFile")));
    QTRY_VERIFY(ui.item(QStringLiteral("pathField")) == nullptr);
    QCOMPARE(ui.settings().text("engine/thresholds", ui.app().model()->path()), file);
}

// A pause of the typist keeps instructions, and not half a path.
void SettingsTest::keepsFoldersOnceTheyAreTyped() {
    UiWindow ui;
    open(ui, "folders");
    QQuickItem* area = part(ui, QStringLiteral("folders/models"), "settingArea");
    QVERIFY(area != nullptr);
    const QString before = ui.settings().text("folders/models");
    area->forceActiveFocus(Qt::TabFocusReason);
    ui.type(QStringLiteral("/half"));
    const QObjectList parts = area->findChildren<QObject*>();
    const auto pause = std::find_if(parts.begin(), parts.end(), [](const QObject* each) {
        return each->property("interval").isValid() && each->property("running").toBool();
    });
    QVERIFY(pause != parts.end());
    QTRY_VERIFY(!(*pause)->property("running").toBool());
    QCOMPARE(ui.settings().text("folders/models"), before);
    ui.type(QStringLiteral("way"));
    ui.press(Qt::Key_Tab);
    QTRY_COMPARE(
        ui.settings().text("folders/models"),
        (before.isEmpty() ? QString() : before + QLatin1Char('\n')) + QStringLiteral("/halfway"));
}

// It can be mended there; the setting itself has not changed.
void SettingsTest::keepsWhatIsWrongInItsField() {
    UiWindow ui;
    open(ui, "network");
    typeInto(ui, part(ui, "network/mirror", "settingField"), QStringLiteral("http://m.example"));
    QTRY_VERIFY(part(ui, "network/mirror", "problem") != nullptr);
    part(ui, "network/proxy", "settingField")->forceActiveFocus(Qt::TabFocusReason);
    ui.settle();
    QCOMPARE(part(ui, "network/mirror", "settingField")->property("text").toString(),
             QStringLiteral("http://m.example"));
    QCOMPARE(ui.settings().text("network/mirror"), QString());
    typeInto(ui, part(ui, "network/mirror", "settingField"),
             QStringLiteral("https://m.example/hub/"));
    QTRY_VERIFY(part(ui, "network/mirror", "problem") == nullptr);
    QCOMPARE(ui.settings().text("network/mirror"), QStringLiteral("https://m.example/hub"));
    QCOMPARE(ui.settings().text("network/proxy"), QStringLiteral("system"));
    part(ui, "network/proxy", "settingField")->forceActiveFocus(Qt::TabFocusReason);
    ui.settle();
    QCOMPARE(part(ui, "network/mirror", "settingField")->property("text").toString(),
             QStringLiteral("https://m.example/hub"));
    // The second of two changed rows has a button that resets the second.
    typeInto(ui, part(ui, "network/speed-limit", "settingField"), QStringLiteral("2M"));
    QTRY_COMPARE(ui.settings().text("network/speed-limit"), QStringLiteral("2M"));
    ui.settle();
    QVERIFY(part(ui, "network/speed-limit", "resetSetting") != nullptr);
    part(ui, "network/speed-limit", "resetSetting")->forceActiveFocus(Qt::TabFocusReason);
    ui.press(Qt::Key_Return);
    QTRY_COMPARE(ui.settings().text("network/speed-limit"), QStringLiteral("none"));
    QCOMPARE(ui.settings().text("network/mirror"), QStringLiteral("https://m.example/hub"));
}

void SettingsTest::showsTheForecast() {
    UiWindow ui;
    open(ui);
    const auto speed = [&ui] {
        QQuickItem* item = ui.item(QStringLiteral("forecastSpeed"));
        return item == nullptr ? QString() : item->property("text").toString();
    };
    QTRY_COMPARE(speed(), QStringLiteral("14 to 21 tokens/s"));
    QVERIFY(UiWindow::accessibleName(ui.item(QStringLiteral("forecast")))
                .contains(QLatin1String("stay on the disk")));
    PlanAnswer plan;
    plan.sentence = QStringLiteral("The model would not run like this.");
    ui.machine().setPlan(plan);
    ui.app().settings()->rows()->set(QStringLiteral("engine/vram"), QStringLiteral("1G"));
    QTRY_COMPARE(speed(), plan.sentence);
    ui.click(ui.item(QStringLiteral("tryCards")));
    QTRY_VERIFY(ui.machine().anewAsked());
}

// What is said anew while the keyboard is at a choice leaves it there, and in sight.
void SettingsTest::keepsTheKeyboard() {
    UiWindow ui;
    ui.machine().setAnswers(false);
    open(ui);
    QTRY_VERIFY(ui.machine().latestPlan() > 0);
    const auto inSight = [&](const char* choice) {
        const QQuickItem* item = part(ui, QStringLiteral("engine/mode"), QLatin1String(choice));
        const QRectF view = UiWindow::area(ui.item(QStringLiteral("settingsFlick")));
        return item != nullptr && item->hasActiveFocus() && view.contains(UiWindow::area(item));
    };
    QQuickItem* exact = part(ui, "engine/mode", "choice-exact");
    QVERIFY(exact != nullptr);
    exact->forceActiveFocus(Qt::TabFocusReason);
    ui.settle();
    QVERIFY(inSight("choice-exact"));
    QVERIFY(ui.item(QStringLiteral("settingsFlick"))->property("contentY").toDouble() > 0);
    const double before = UiWindow::area(ui.item(QStringLiteral("forecast"))).height();
    ui.machine().setAnswers(true);
    ui.machine().answer(ui.machine().latestPlan());
    ui.settle();
    QVERIFY(UiWindow::area(ui.item(QStringLiteral("forecast"))).height() > before + 40);
    QVERIFY(inSight("choice-exact"));
    ui.press(Qt::Key_Space);
    QTRY_COMPARE(ui.app().model()->report().mode, QStringLiteral("exact"));
    QTRY_COMPARE(ui.app().model()->state(), QStringLiteral("ready"));
    ui.settle();
    QVERIFY(inSight("choice-exact"));
    // Whoever scrolls away is not brought back.
    ui.item(QStringLiteral("settingsFlick"))->setProperty("contentY", 0);
    ui.app().settings()->preview()->setModel(QStringLiteral("another.gguf"));
    ui.settle();
    QCOMPARE(ui.item(QStringLiteral("settingsFlick"))->property("contentY").toDouble(), 0.0);
}

// What has the keyboard stays in sight when the window shrinks, also where it had to be scrolled
// to; a reader who has scrolled away by hand is left there.
void SettingsTest::keepsTheKeyboardInSight() {
    UiWindow ui;
    open(ui);
    ui.window()->resize(1080, 760);
    ui.settle();
    QQuickItem* const list = ui.item(QStringLiteral("settingsView"));
    const auto focus = [&ui] { return ui.window()->activeFocusItem(); };
    const auto inSight = [&ui, &focus] {
        const QRectF place = UiWindow::area(focus());
        return place.top() >= 0 && place.bottom() <= ui.window()->height();
    };
    QVERIFY(list != nullptr);
    // By Tab, down to where the page is longer than the window.
    for (int i = 0; i < 60 && (i < 5 || UiWindow::area(focus()).bottom() < 640); ++i) {
        ui.press(Qt::Key_Tab);
        ui.settle();
        QVERIFY2(inSight(), qPrintable(focus()->objectName()));
    }
    const QQuickItem* const held = focus();
    for (const int height : {600, 500, 420}) {
        ui.window()->resize(1080, height);
        ui.settle();
        QTRY_VERIFY2(inSight(), qPrintable(QString::number(height)));
        QCOMPARE(focus(), held);
    }
}

void SettingsTest::resets() {
    UiWindow ui;
    open(ui, "appearance");
    QVERIFY(part(ui, "window/zoom", "resetSetting") == nullptr);
    typeInto(ui, part(ui, "window/zoom", "typedValue"), QStringLiteral("1.5"));
    QTRY_COMPARE(ui.app().appearance()->zoom(), 1.5);
    ui.settle();
    QQuickItem* reset = part(ui, "window/zoom", "resetSetting");
    QVERIFY(reset != nullptr);
    reset->forceActiveFocus(Qt::TabFocusReason);
    ui.press(Qt::Key_Return);
    QTRY_COMPARE(ui.app().appearance()->zoom(), 1.0);
    QQuickItem* dark = part(ui, "window/theme", "choice-dark");
    QVERIFY(dark != nullptr);
    ui.click(dark);
    QTRY_VERIFY(ui.app().appearance()->dark());
}

void SettingsTest::changesOneModelAlone() {
    UiWindow ui;
    open(ui);
    const QString path = ui.app().model()->path();
    ui.click(ui.item(QStringLiteral("forModel")));
    QTRY_VERIFY(ui.app().settings()->rows()->forModel());
    typeInto(ui, part(ui, "engine/ctx", "typedValue"), QStringLiteral("512"));
    QTRY_COMPARE(ui.app().model()->report().contextTokens, 512);
    QVERIFY(ui.settings().isSet("engine/ctx", path) && !ui.settings().isSet("engine/ctx"));
    QTRY_COMPARE(ui.app().model()->state(), QStringLiteral("ready"));
    // And for all again.
    ui.item(QStringLiteral("settingsFlick"))->setProperty("contentY", 0);
    ui.click(ui.item(QStringLiteral("forModel")));
    QTRY_VERIFY(!ui.app().settings()->rows()->forModel());
    typeInto(ui, part(ui, "engine/threads", "typedValue"), QStringLiteral("3"));
    QTRY_COMPARE(ui.app().model()->report().threads, 3);
    QVERIFY(ui.settings().isSet("engine/threads") && !ui.settings().isSet("engine/threads", path));
}

void SettingsTest::typesASystemPrompt() {
    UiWindow ui;
    open(ui, "answers");
    QQuickItem* area = part(ui, "chat/system", "settingArea");
    QVERIFY(area != nullptr);
    area->forceActiveFocus(Qt::TabFocusReason);
    ui.type(QStringLiteral("Be"));
    QTRY_COMPARE(ui.settings().systemPrompt(), QStringLiteral("Be"));  // after a pause
    QVERIFY(area->hasActiveFocus());
    ui.type(QStringLiteral(" brief."));
    ui.press(Qt::Key_Escape);  // left while it is typed: nothing is lost
    QTRY_VERIFY(ui.item(QStringLiteral("settingsView")) == nullptr);
    QCOMPARE(ui.settings().systemPrompt(), QStringLiteral("Be brief."));
    QVERIFY(ui.ask(QStringLiteral("q")));
    QCOMPARE(ui.inference().lastTurns().first().content, QStringLiteral("Be brief."));
}

void SettingsTest::showsTheLicences() {
    UiWindow ui;
    open(ui, "about");
    QQuickItem* button = ui.item(QStringLiteral("showLicences"));
    QVERIFY(button != nullptr);
    button->forceActiveFocus(Qt::TabFocusReason);
    ui.press(Qt::Key_Return);
    QTRY_VERIFY(ui.item(QStringLiteral("longText")) != nullptr);
}

void SettingsTest::fits_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<double>("zoom");
    QTest::newRow("usual") << QSize(1080, 760) << 1.0;
    QTest::newRow("1366x768 at 200 %") << QSize(1366, 728) << 2.0;
    QTest::newRow("480 wide") << QSize(480, 640) << 1.0;
    QTest::newRow("480 wide at 150 %") << QSize(480, 640) << 1.5;
}

// Nothing sticks out at the sides, in any section.
void SettingsTest::fits() {
    QFETCH(const QSize, size);
    QFETCH(const double, zoom);
    UiWindow ui;
    open(ui);
    ui.window()->resize(size);
    ui.settings().setZoom(zoom);
    for (const char* section : {"model", "answers", "appearance", "folders", "network", "about"}) {
        ui.app().settings()->rows()->setSection(QString::fromLatin1(section));
        ui.settle();
        QList<QQuickItem*> items{ui.item(QStringLiteral("settingsFlick"))};
        int seen = 0;
        while (!items.isEmpty()) {
            QQuickItem* item = items.takeLast();
            if (item == nullptr || !item->isVisible() || item->width() == 0) {
                continue;
            }
            ++seen;
            const QRectF area = UiWindow::area(item);
            const bool isFocusRing = item->property("shown").isValid();
            QVERIFY2(isFocusRing || (area.left() >= -0.5 && area.right() <= size.width() + 0.5),
                     qPrintable(QStringLiteral("%1: %2 “%3” from %4 to %5")
                                    .arg(QString::fromLatin1(section), item->objectName(),
                                         item->property("text").toString())
                                    .arg(area.left())
                                    .arg(area.right())));
            items.append(item->childItems());
        }
        QVERIFY(seen > 10);
    }
}

void SettingsTest::everySectionIsNamedAndReached_data() {
    QTest::addColumn<QString>("section");
    QTest::addColumn<double>("zoom");
    for (const char* section : {"model", "answers", "appearance", "folders", "network", "about"}) {
        for (const double zoom : {1.0, 1.5, 2.0}) {
            QTest::addRow("%s at %g", section, zoom) << QString::fromLatin1(section) << zoom;
        }
    }
}

// Tab goes through all there is to press or to type in, each with a name and in sight, and round.
void SettingsTest::everySectionIsNamedAndReached() {
    QFETCH(const QString, section);
    QFETCH(const double, zoom);
    UiWindow ui;
    open(ui, section.toLatin1().constData());
    ui.settings().setZoom(zoom);
    ui.app().settings()->rows()->set(QStringLiteral("sampling/preset"), QStringLiteral("own"));
    ui.settle();
    QSet<QQuickItem*> wanted;
    QList<QQuickItem*> items{ui.item(QStringLiteral("settingsView"))};
    while (!items.isEmpty()) {
        QQuickItem* item = items.takeLast();
        if (!item->isVisible() || !item->isEnabled()) {
            continue;
        }
        if (item->inherits("QQuickAbstractButton") || item->inherits("QQuickTextField") ||
            item->inherits("QQuickTextArea") || item->inherits("QQuickSlider")) {
            wanted.insert(item);
        }
        items.append(item->childItems());
    }
    QVERIFY(wanted.size() >= 9);
    QSet<QQuickItem*> reached;
    const QQuickItem* const start = ui.window()->activeFocusItem();
    const QRectF whole(0, 0, ui.window()->width(), ui.window()->height());
    for (int i = 0; i < 200; ++i) {
        ui.press(Qt::Key_Tab);
        QQuickItem* now = ui.window()->activeFocusItem();
        QVERIFY(now != nullptr);
        QVERIFY2(!UiWindow::accessibleName(now).isEmpty(), qPrintable(now->objectName()));
        QVERIFY2(whole.intersects(UiWindow::area(now)), qPrintable(UiWindow::accessibleName(now)));
        reached.insert(now);
        if (now == start) {
            break;
        }
    }
    for (QQuickItem* item : wanted) {
        QVERIFY2(reached.contains(item), qPrintable(item->objectName() + QLatin1Char(' ') +
                                                    UiWindow::accessibleName(item)));
    }
}

QTEST_MAIN(SettingsTest)
#include "settings_test.moc"
