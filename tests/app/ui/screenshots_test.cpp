// Pictures of the real window on a real X server (Xvfb, started here), each checked for what it
// must show and written to <build>/screenshots. With HEARTH_SCREENSHOT_DIR=<folder> small copies
// for the README go there as well: resources/screenshots is made that way.
#include <QClipboard>
#include <QCursor>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QScreen>
#include <QTest>

#include "app/demo/demo_downloads.h"
#include "app/demo/demo_models.h"
#include "app/demo/demo_scripts.h"
#include "app/desktop/display_main.h"
#include "pages.h"
#include "picture.h"
#include "ui_window.h"

using namespace hearth::ui;
using hearth::ui::test::showDownloads;
using hearth::ui::test::UiWindow;

class ScreenshotsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void empty();
    void midAnswer();
    void codeBlock();
    void dark();
    void neuronMap_data();
    void neuronMap();
    void narrow();
    void onAGpu_data();
    void onAGpu();
    void modelFails();
    void pages_data();
    void pages();
    void details_data();
    void details();

private:
    void fill(UiWindow& ui);
    // What the X server shows, after the window has come to rest.
    QImage shoot(UiWindow& ui, const QString& name, bool forReadme = true);
    void checkWindow(UiWindow& ui, const QImage& picture);
    // The items with this name that lie inside the window show text in pixels, not only in QML.
    void checkText(UiWindow& ui, const QImage& picture, const QString& name, const QString& text,
                   double leastInk = 0.01);
};

void ScreenshotsTest::initTestCase() {
    QCOMPARE(QGuiApplication::platformName(), QStringLiteral("xcb"));
    QCursor::setPos(1270, 950);  // beside the window: what is under it looks another way
}

// A few conversations, so that the list looks like one.
void ScreenshotsTest::fill(UiWindow& ui) {
    QVERIFY(ui.ok());
    QVERIFY(ui.activate());
    ui.window()->resize(1000, 700);
    ui.window()->setPosition(0, 0);
    const auto said = [&ui](const char* question, const char* answer) {
        ui.inference().setScripts({FakeInference::scriptFrom(QString::fromUtf8(answer))});
        ui.app().chats()->newConversation();
        return ui.ask(QString::fromUtf8(question));
    };
    QVERIFY(said("What is the capital of France?", "The capital of France is **Paris**."));
    QVERIFY(said("How long does bread keep?", "In a paper bag about three days."));
    QVERIFY(said("Tell me a short story.", "Once there was a small flame that lived in a hearth."));
    ui.inference().setScripts(demo::scripts());
}

QImage ScreenshotsTest::shoot(UiWindow& ui, const QString& name, bool forReadme) {
    QTest::qWait(400);
    const QImage picture = ui.window()
                               ->screen()
                               ->grabWindow(ui.window()->winId())
                               .toImage()
                               .convertToFormat(QImage::Format_RGB32);
    QDir().mkpath(QStringLiteral(HEARTH_BINARY_DIR "/screenshots"));
    picture.save(QStringLiteral(HEARTH_BINARY_DIR "/screenshots/%1.png").arg(name));
    const QString copies = qEnvironmentVariable("HEARTH_SCREENSHOT_DIR");
    if (forReadme && !copies.isEmpty()) {
        QDir().mkpath(copies);
        const QString file = copies + QStringLiteral("/%1.png").arg(name);
        test::reduced(picture).save(file, "PNG", 0);
        if (QFileInfo(file).size() > 80 * 1024 || picture.width() > 1000) {
            QTest::qFail(qPrintable(file + QStringLiteral(" is too large")), __FILE__, __LINE__);
        }
    }
    return picture;
}

void ScreenshotsTest::checkWindow(UiWindow& ui, const QImage& picture) {
    QCOMPARE(picture.size(), ui.window()->size());
    QVERIFY2(test::inkShare(picture, picture.rect()) > 0.01, "the picture is blank");
    QObject* theme = ui.theme();
    QVERIFY(theme != nullptr);
    // The ground of the chat, left of the messages, and that of the list where there is one.
    const QQuickItem* sidebar = ui.item(QStringLiteral("sidebar"));
    const int left = sidebar == nullptr ? 0 : qRound(sidebar->width());
    QCOMPARE(picture.pixelColor(left + 8, picture.height() / 2),
             theme->property("window").value<QColor>());
    if (sidebar != nullptr) {
        QCOMPARE(picture.pixelColor(130, picture.height() - 90),
                 theme->property("sidebar").value<QColor>());
    }
}

void ScreenshotsTest::checkText(UiWindow& ui, const QImage& picture, const QString& name,
                                const QString& text, double leastInk) {
    for (QQuickItem* item : ui.items(name)) {
        QString shown = item->property("text").toString();
        if (item->objectName() == QLatin1String("blockText")) {
            QMetaObject::invokeMethod(item, "getText", Q_RETURN_ARG(QString, shown), Q_ARG(int, 0),
                                      Q_ARG(int, item->property("length").toInt()));
        }
        const QRect area = UiWindow::area(item).toRect();
        if (shown.contains(text) && picture.rect().contains(area.center())) {
            const double ink = test::inkShare(picture, area);
            QVERIFY2(ink > leastInk, qPrintable(QStringLiteral("%1: ink %2").arg(text).arg(ink)));
            return;
        }
    }
    QFAIL(qPrintable(QStringLiteral("“%1” is not in any %2").arg(text, name)));
}

void ScreenshotsTest::empty() {
    UiWindow ui;
    fill(ui);
    ui.app().chats()->newConversation();
    const QImage picture = shoot(ui, QStringLiteral("empty"));
    checkWindow(ui, picture);
    checkText(ui, picture, QStringLiteral("greeting"), QStringLiteral("What would you like"));
    for (const char* prompt : {"Who are you?", "Tell me a short story.", "Why is the sky blue?",
                               "What is the capital of France?"}) {
        checkText(ui, picture, QStringLiteral("examplePrompt"), QString::fromLatin1(prompt), 0.005);
    }
    checkText(ui, picture, QStringLiteral("title"), QStringLiteral("New chat"));
    checkText(ui, picture, QStringLiteral("modelPill"), QStringLiteral("Demo model"));
}

void ScreenshotsTest::midAnswer() {
    UiWindow ui;
    fill(ui);
    ui.inference().setScripts({demo::scripts().at(1)});
    ui.inference().setPieceDelayMs(25);
    ui.app().chats()->newConversation();
    QVERIFY(ui.app().replies()->send(QStringLiteral("Why is the sky blue?")));
    QTRY_VERIFY_WITH_TIMEOUT(ui.message(1, "text").toString().size() > 330, 20000);
    const QImage picture = shoot(ui, QStringLiteral("answering"));
    QVERIFY(ui.app().replies()->generating());
    checkWindow(ui, picture);
    checkText(ui, picture, QStringLiteral("blockText"), QStringLiteral("Why is the sky blue?"));
    checkText(ui, picture, QStringLiteral("blockText"), QStringLiteral("Sunlight looks white"));
    // The button is the stop button, in the colour of the ember.
    const QRect stop = UiWindow::area(ui.item(QStringLiteral("sendButton"))).toRect();
    QCOMPARE(test::mainColor(picture, stop), ui.theme()->property("accent").value<QColor>());
    ui.app().replies()->stop();
    QVERIFY(ui.waitForAnswer());
}

void ScreenshotsTest::codeBlock() {
    UiWindow ui;
    fill(ui);
    ui.app().chats()->newConversation();
    QVERIFY(ui.ask(QStringLiteral("How do I sort a list of words by their length in Python?")));
    const QImage picture = shoot(ui, QStringLiteral("code"));
    checkWindow(ui, picture);
    checkText(ui, picture, QStringLiteral("codeLanguage"), QStringLiteral("python"));
    checkText(ui, picture, QStringLiteral("codeText"), QStringLiteral("sorted(words, key=len)"));
    checkText(ui, picture, QStringLiteral("blockText"), QStringLiteral("the shortest word"));
    checkText(ui, picture, QStringLiteral("stats"), QStringLiteral("42 tokens/s"));
    const QRect code = UiWindow::area(ui.item(QStringLiteral("codeText"))).toRect();
    QCOMPARE(test::mainColor(picture, code), ui.theme()->property("code").value<QColor>());
}

void ScreenshotsTest::dark() {
    UiWindow ui;
    fill(ui);
    ui.app().appearance()->setThemeMode(QStringLiteral("dark"));
    ui.inference().setScripts({demo::scripts().at(2)});
    ui.app().chats()->newConversation();
    QVERIFY(ui.ask(QStringLiteral("How do I bake bread?")));
    const QImage picture = shoot(ui, QStringLiteral("dark"));
    checkWindow(ui, picture);
    QVERIFY(test::mainColor(picture, picture.rect()).lightness() < 60);
    checkText(ui, picture, QStringLiteral("blockText"), QStringLiteral("Bread, in short"));
    checkText(ui, picture, QStringLiteral("blockText"), QStringLiteral("spelt"));
    checkText(ui, picture, QStringLiteral("blockText"), QStringLiteral("Fold the dough"));
}

void ScreenshotsTest::neuronMap_data() {
    QTest::addColumn<QString>("theme");
    QTest::newRow("map") << QStringLiteral("light");
    QTest::newRow("map-dark") << QStringLiteral("dark");
}

// Beside an answer that is being written, its disk at work.
void ScreenshotsTest::neuronMap() {
    QFETCH(const QString, theme);
    const QString name = QString::fromLatin1(QTest::currentDataTag());
    UiWindow ui;
    fill(ui);
    ui.app().appearance()->setThemeMode(theme);
    ui.window()->resize(1240, 760);
    ui.inference().setScripts({demo::scripts().at(1)});
    ui.inference().pauseAfter(90);
    ui.app().chats()->newConversation();
    ui.inference().setMap(demo::map());
    ui.press(Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(ui.item(QStringLiteral("layerRows")) != nullptr);
    QVERIFY(ui.app().replies()->send(QStringLiteral("Why is the sky blue?")));
    QTRY_VERIFY_WITH_TIMEOUT(ui.message(1, "text").toString().size() > 300, 20000);
    MapReport later = demo::map();
    for (const bool last : {false, true}) {
        later.answering = true;
        later.takenNs += 1'000'000'000;
        later.readBytes += last ? 43'000'000 : 0;
        for (qsizetype i = 0; i < later.layers.size(); ++i) {
            later.layers[i].readBytes +=
                last && later.layers[i].disk > 0 ? 300'000 + quint64(i * 5 % 13) * 160'000 : 0;
        }
        ui.inference().setMap(later);
    }
    ui.app().map()->select(20);
    const QImage picture = shoot(ui, name, false);
    checkText(ui, picture, QStringLiteral("mapWords"), QStringLiteral("Layer 21 of 32."));
    checkText(ui, picture, QStringLiteral("mapLine"), QStringLiteral("43.0 MB a second now"));
    const QRect rows = UiWindow::area(ui.item(QStringLiteral("layerRows"))).toRect();
    QVERIFY(test::inkShare(picture, rows) > 0.3);
    ui.inference().pauseAfter(-1);
    QVERIFY(ui.waitForAnswer());
}

void ScreenshotsTest::narrow() {
    UiWindow ui;
    fill(ui);
    ui.app().chats()->newConversation();
    QVERIFY(ui.ask(QStringLiteral("How do I sort a list of words by their length in Python?")));
    ui.window()->resize(440, 700);
    const QImage picture = shoot(ui, QStringLiteral("narrow"), false);
    QCOMPARE(picture.width(), 440);
    QVERIFY(ui.item(QStringLiteral("sidebar")) == nullptr);
    checkText(ui, picture, QStringLiteral("blockText"), QStringLiteral("the shortest word"));
    // Nothing sticks out of the window.
    for (const char* name : {"composer", "title", "modelPill", "stats", "answer", "userBubble"}) {
        for (QQuickItem* item : ui.items(QString::fromLatin1(name))) {
            QVERIFY2(UiWindow::area(item).left() >= 0 && UiWindow::area(item).right() <= 440, name);
        }
    }
}

void ScreenshotsTest::onAGpu_data() {
    QTest::addColumn<int>("width");
    QTest::newRow("gpu") << 1000;
    QTest::newRow("gpu-narrow") << 440;
}

// The card, what it has of the model and where a mixture's experts lay stand under the answer,
// whatever the name's length.
void ScreenshotsTest::onAGpu() {
    QFETCH(const int, width);
    const QString card = QStringLiteral("NVIDIA GeForce RTX 4060 Laptop GPU 62 %");
    UiWindow ui;
    fill(ui);
    FakeInference::Script script =
        FakeInference::scriptFrom(QStringLiteral("The hot neurons are on the card."));
    script.summary.device = card;
    script.summary.experts = {.card = 62, .memory = 30, .disk = 8};
    script.summary.tokensPerSecond = 42;
    script.summary.firstTokenMs = 120;
    ui.inference().setScripts({script});
    ui.app().chats()->newConversation();
    QVERIFY(ui.ask(QStringLiteral("Where are you computed?")));
    ui.window()->resize(width, 700);
    const QImage picture = shoot(ui, QString::fromLatin1(QTest::currentDataTag()), false);
    QCOMPARE(picture.width(), width);
    checkText(ui, picture, QStringLiteral("stats"), card);
    checkText(ui, picture, QStringLiteral("stats"),
              QStringLiteral("experts: 62 % graphics card, 30 % memory, 8 % disk"));
    for (QQuickItem* item : ui.items(QStringLiteral("stats"))) {
        QVERIFY(UiWindow::area(item).left() >= 0 && UiWindow::area(item).right() <= width);
    }
}

void ScreenshotsTest::modelFails() {
    UiWindow ui;
    fill(ui);
    ui.app().chats()->newConversation();
    ui.inference().setLoadError(QStringLiteral(
        "“notes.gguf” is not a model: it begins like a text file. Choose another file."));
    ui.app().model()->openPath(QStringLiteral("notes.gguf"));
    QTRY_COMPARE(ui.app().model()->state(), QStringLiteral("failed"));
    const QImage picture = shoot(ui, QStringLiteral("model-error"), false);
    checkWindow(ui, picture);
    checkText(ui, picture, QStringLiteral("modelSentence"), QStringLiteral("is not a model"));
    checkText(ui, picture, QStringLiteral("openAnother"), QStringLiteral("Open another model"),
              0.005);
}

void ScreenshotsTest::pages_data() {
    QTest::addColumn<QString>("scene");
    for (const char* scene : {"page-settings", "page-get-a-model"}) {
        QTest::newRow(scene) << QString::fromLatin1(scene);
    }
}

void ScreenshotsTest::pages() {
    QFETCH(const QString, scene);
    UiWindow ui;
    fill(ui);
    const char* item = "offerRow";
    // No folder of this machine.
    QCOMPARE(ui.settings().set("folders/downloads", QStringLiteral("/srv/models")), QString());
    if (scene == QLatin1String("page-settings")) {
        item = "forecastSpeed";
        EngineReport report = ui.app().model()->report();
        report.gpu = ui.machine().plan().gpu;
        report.gpuShare = 0.62;
        ui.app().settings()->setRunning(ui.app().model()->running(), report);
        ui.press(Qt::Key_Comma, Qt::ControlModifier);
        QTRY_VERIFY(ui.app().settings()->preview()->known());
        QTRY_VERIFY(!ui.app().settings()->preview()->busy());
    } else {
        ui.press(Qt::Key_M, Qt::ControlModifier);
        QTRY_VERIFY(ui.item(QStringLiteral("getModel")) != nullptr);
        ui.click(ui.item(QStringLiteral("getModel")));
    }
    QTRY_VERIFY(ui.item(QLatin1String(item)) != nullptr);
    const QImage picture = shoot(ui, scene);
    const QRect area = UiWindow::area(ui.item(QLatin1String(item))).toRect();
    QVERIFY(picture.rect().contains(area.center()));
    QVERIFY(test::inkShare(picture, area) > 0.02);
}

void ScreenshotsTest::details_data() {
    QTest::addColumn<QString>("scene");
    for (const char* scene : {"menu",
                              "model-menu",
                              "shortcuts",
                              "about",
                              "editing",
                              "undo",
                              "search",
                              "search-nothing",
                              "narrow-list",
                              "stopped",
                              "failed",
                              "queue",
                              "link",
                              "link-asked",
                              "long-text",
                              "long-text-shown",
                              "formula",
                              "formulas",
                              "formulas-light",
                              "formulas-narrow",
                              "drawing",
                              "drawing-light",
                              "drawing-narrow",
                              "downloads",
                              "downloads-empty",
                              "downloads-narrow",
                              "network",
                              "network-narrow",
                              "settings",
                              "settings-answers",
                              "settings-search",
                              "settings-narrow",
                              "models",
                              "models-empty",
                              "models-narrow"}) {
        QTest::newRow(scene) << QString::fromLatin1(scene);
    }
}

// Things that open, in the dark theme for a change.
void ScreenshotsTest::details() {
    QFETCH(const QString, scene);
    const bool light = scene.endsWith(QLatin1String("-light"));
    UiWindow ui;
    fill(ui);
    ui.app().appearance()->setThemeMode(QStringLiteral("dark"));
    if (scene.endsWith(QLatin1String("-narrow"))) {  // and with the largest letters
        ui.app().appearance()->zoomBy(1);
        while (ui.app().appearance()->zoom() < 1.59) {
            ui.app().appearance()->zoomBy(1);
        }
        ui.window()->resize(480, 700);
        QTest::qWait(50);
    }
    if (scene == QLatin1String("stopped")) {
        ui.inference().setPieceDelayMs(10);
        ui.app().chats()->newConversation();
        QVERIFY(ui.app().replies()->send(QStringLiteral("Go on")));
        QTRY_VERIFY(ui.message(1, "text").toString().size() > 80);
        ui.app().replies()->stop();
        QVERIFY(ui.waitForAnswer());
    } else if (scene == QLatin1String("failed")) {
        FakeInference::Script script =
            FakeInference::scriptFrom(QStringLiteral("So far, so good."));
        script.failWith = QStringLiteral("There is not enough memory for a longer answer.");
        ui.inference().setScripts({script});
        QVERIFY(ui.ask(QStringLiteral("And then?")));
    } else if (scene == QLatin1String("queue")) {
        ui.inference().pauseAfter(30);
        for (const char* text : {"Why is the sky blue?", "And at night?", "How far is the moon?"}) {
            ui.app().chats()->newConversation();
            QVERIFY(ui.app().replies()->send(QString::fromLatin1(text)));
        }
    } else if (scene.startsWith(QLatin1String("link"))) {
        ui.inference().setScripts({FakeInference::scriptFrom(QStringLiteral(
            "You will find it at [https://my-bank.example](https://user@xn--pple-43d.com/login?to="
            "account) or at <https://example.org>.\n\nAsk again if you do not."))});
        ui.app().chats()->newConversation();
        QVERIFY(ui.ask(QStringLiteral("Where is my bank?")));
        QTRY_VERIFY(ui.item(QStringLiteral("link")) != nullptr);
        ui.item(QStringLiteral("link"))->forceActiveFocus(Qt::TabFocusReason);
        if (scene == QLatin1String("link-asked")) {
            ui.press(Qt::Key_Return);
        }
    } else if (scene.startsWith(QLatin1String("long-text"))) {
        const QString text = QStringLiteral("A line of the log, as long as such lines are.\n");
        QGuiApplication::clipboard()->setText(text.repeated(20'000));
        ui.inference().setScripts({FakeInference::scriptFrom(QStringLiteral("It repeats."))});
        ui.app().chats()->newConversation();
        QVERIFY(ui.ask(text.repeated(2000)));
        QVERIFY(ui.app().chats()->attachPasted(false, 0));
        ui.type(QStringLiteral("And what does this one say?"));
        if (scene == QLatin1String("long-text-shown")) {
            QTRY_VERIFY(ui.item(QStringLiteral("lookAtAttachment")) != nullptr);
            ui.click(ui.item(QStringLiteral("lookAtAttachment")));
        }
    } else if (scene == QLatin1String("formula")) {
        ui.inference().setScripts({FakeInference::scriptFrom(QStringLiteral(
            "The roots of \\(a x^2 + b x + c\\) are\n\n\\[\nx_{1,2} = \\frac{-b \\pm "
            "\\sqrt{b^2 - 4\\,a\\,c}}{2a}\n\\]\n\nwhere \\(a \\neq 0\\)."))});
        ui.app().chats()->newConversation();
        QVERIFY(ui.ask(QStringLiteral("How do I solve a quadratic equation?")));
    } else if (scene.startsWith(QLatin1String("formulas"))) {
        if (light) {
            ui.app().appearance()->setThemeMode(QStringLiteral("light"));
        }
        ui.inference().setScripts({FakeInference::scriptFrom(demo::formulas())});
        ui.app().chats()->newConversation();
        QVERIFY(ui.ask(QStringLiteral("Which formulas does a physicist need?")));
    } else if (scene.startsWith(QLatin1String("drawing"))) {
        if (light) {
            ui.app().appearance()->setThemeMode(QStringLiteral("light"));
        }
        ui.inference().setScripts({FakeInference::scriptFrom(demo::drawing())});
        ui.app().chats()->newConversation();
        QVERIFY(ui.ask(QStringLiteral("How does water go round?")));
        QTRY_VERIFY_WITH_TIMEOUT(ui.item(QStringLiteral("drawing")) != nullptr &&
                                     ui.item(QStringLiteral("drawing"))->property("drawn").toBool(),
                                 60'000);
    } else if (scene == QLatin1String("editing")) {
        ui.app().chats()->newConversation();
        QVERIFY(ui.ask(QStringLiteral("How do I sort words?")));
        QVERIFY(ui.app().replies()->regenerate(ui.message(1, "messageId").toLongLong()));
        QVERIFY(ui.waitForAnswer());
        QTest::qWait(100);
        ui.click(ui.item(QStringLiteral("editMessage")));
    } else if (scene == QLatin1String("undo")) {
        ui.app().chats()->remove(ui.app().chats()->currentId());
        QMetaObject::invokeMethod(ui.item(QStringLiteral("sidebar")), "takeFocus");
    } else if (scene.startsWith(QLatin1String("search"))) {
        ui.press(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        if (scene == QLatin1String("search")) {
            ui.type(QStringLiteral("th"));
            QTRY_COMPARE(ui.app().search()->hits()->count(), 4);
            ui.press(Qt::Key_Return);
        } else {
            ui.type(QStringLiteral("zebra"));
            QTRY_VERIFY(!ui.app().search()->says().isEmpty());
        }
    } else if (scene == QLatin1String("narrow-list")) {
        ui.window()->resize(440, 700);
        QTest::qWait(50);
        ui.press(Qt::Key_B, Qt::ControlModifier);
    } else if (scene.startsWith(QLatin1String("downloads"))) {
        if (scene != QLatin1String("downloads-empty")) {
            showDownloads(ui);
        }
        ui.press(Qt::Key_J, Qt::ControlModifier);
    } else if (scene.startsWith(QLatin1String("models"))) {
        const QTemporaryDir folder;
        QVERIFY(demo::writeModels(folder.path()));
        PlanAnswer plan = ui.planner().plan();
        plan.experts = {.card = 30, .memory = 50, .disk = 20};
        ui.planner().setPlan(plan);
        if (scene == QLatin1String("models-narrow")) {
            ui.window()->resize(480, 700);
        }
        if (scene != QLatin1String("models-empty")) {
            ui.app().library()->addPlace(folder.path());
        }
        ui.press(Qt::Key_M, Qt::ControlModifier);
        QTRY_VERIFY(!ui.app().library()->looking());
        const ModelFilter* models = ui.app().library()->list();
        if (models->count() > 0) {  // one is open, and has answered
            ui.app().library()->setCurrent(
                models->index(0, 0).data(ModelListModel::PathRole).toString());
            ui.app().library()->setExperts({.card = 62, .memory = 30, .disk = 8});
        }
        QTest::qWait(300);
    } else if (scene.startsWith(QLatin1String("network"))) {
        demo::fillRequests(ui.app().networkControl().log());
        QMetaObject::invokeMethod(ui.item(QStringLiteral("dialogs")), "showNetwork");
        QTRY_VERIFY(ui.item(QStringLiteral("requestList")) != nullptr);
    } else if (scene.startsWith(QLatin1String("settings"))) {
        ui.press(Qt::Key_Comma, Qt::ControlModifier);
        if (scene == QLatin1String("settings-answers")) {
            ui.app().settings()->rows()->setSection(QStringLiteral("answers"));
        } else if (scene == QLatin1String("settings-search")) {
            ui.app().settings()->rows()->setSearch(QStringLiteral("memory"));
        } else if (scene == QLatin1String("settings-narrow")) {
            ui.window()->resize(480, 700);
        }
    } else if (scene == QLatin1String("shortcuts")) {
        ui.press(Qt::Key_F1);
    } else if (scene == QLatin1String("about")) {
        QMetaObject::invokeMethod(ui.window()->findChild<QObject*>(QStringLiteral("aboutDialog")),
                                  "open");
    } else {
        ui.click(ui.item(scene == QLatin1String("menu") ? QStringLiteral("settingsButton")
                                                        : QStringLiteral("modelPill")));
    }
    const QImage before = shoot(ui, QStringLiteral("detail-") + scene, false);
    QVERIFY(test::inkShare(before, before.rect()) > 0.005);
    QVERIFY((test::mainColor(before, before.rect()).lightness() < 90) != light);
}

int main(int argc, char** argv) {
    qputenv("QT_SCALE_FACTOR", "1");
    return test::mainOnDisplay<ScreenshotsTest>(argc, argv);
}

#include "screenshots_test.moc"
