// The page of models and the recent ones in the header, as their user meets them: keys and clicks
// on the real window.
#include <QTest>

#include "app/demo/demo_hub.h"
#include "app/demo/demo_models.h"
#include "app/desktop/network/test_server.h"
#include "support/tiny_model.h"
#include "ui_window.h"

using namespace hearth::ui;
using namespace hearth::ui::test;

class ModelsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();
    void cleanup() { ui_.reset(); }
    void saysThatThereIsNothing();
    void searchesAndUses();
    void usesTheOneWhoseButtonIsPressed();
    void takesAFolderOff();
    void deletesAndBringsBack();
    void asksForTheActivation();
    void recentOnesAreInTheHeader();
    void getsAModel();
    void saysHowAnOfferWouldRun();
    void preparesAModel();
    void searchesTheHub();

private:
    QQuickItem* item(const char* name) { return ui_->item(QString::fromLatin1(name)); }
    QString row(int index) {
        const QList<QQuickItem*> rows = ui_->items(QStringLiteral("modelItself"));
        return index < rows.size() ? UiWindow::accessibleName(rows.at(index)) : QString();
    }
    qsizetype rows() { return ui_->items(QStringLiteral("modelRow")).size(); }
    void open();

    QTemporaryDir home_;
    std::unique_ptr<UiWindow> ui_;
};

// The bin, and what other applications have, are those of a home of this test's own.
void ModelsTest::initTestCase() {
    QVERIFY(home_.isValid());
    qputenv("HOME", home_.path().toUtf8());
    qputenv("XDG_DATA_HOME", (home_.path() + QStringLiteral("/data")).toUtf8());
    qputenv("XDG_CONFIG_HOME", (home_.path() + QStringLiteral("/config")).toUtf8());
    QVERIFY(QDir(home_.path()).mkpath(QStringLiteral("data")));
}

void ModelsTest::init() {
    QDir models(home_.filePath(QStringLiteral("models")));
    QVERIFY(models.removeRecursively());
    QVERIFY(models.mkpath(QStringLiteral(".")));
    ui_ = std::make_unique<UiWindow>();
    QVERIFY(ui_->ok());
    QVERIFY(ui_->activate());
}

void ModelsTest::open() {
    QVERIFY(demo::writeModels(home_.filePath(QStringLiteral("models"))));
    ui_->app().library()->addPlace(home_.filePath(QStringLiteral("models")));
    ui_->press(Qt::Key_M, Qt::ControlModifier);
    QTRY_VERIFY(item("modelList") != nullptr);
    QTRY_VERIFY(ui_->app().library()->count() >= 5);
    QTRY_VERIFY([this] {  // all were looked into
        for (const ModelRow& model : ui_->app().library()->models().rows()) {
            if (!model.factsKnown) {
                return false;
            }
        }
        return true;
    }());
}

void ModelsTest::saysThatThereIsNothing() {
    ui_->app().library()->addPlace(home_.filePath(QStringLiteral("models")));
    ui_->press(Qt::Key_M, Qt::ControlModifier);
    QTRY_VERIFY(item("lookAgain") != nullptr);
    QTRY_VERIFY(!ui_->app().library()->looking());
    // The starter model may be beside the program.
    QCOMPARE(item("noModels") != nullptr, ui_->app().library()->count() == 0);
    ui_->press(Qt::Key_Escape);
    QTRY_VERIFY(item("lookAgain") == nullptr);
}

void ModelsTest::searchesAndUses() {
    open();
    ui_->type(QStringLiteral("bamboo-7b"));
    QTRY_COMPARE(rows(), 1);
    QVERIFY2(row(0).startsWith(
                 QStringLiteral("Bamboo 7B DPO v0.1. bamboo-7b-dpo-v0.1.Q4_0 · bamboo · Q4_0 · ")),
             qPrintable(row(0)));
    ui_->press(Qt::Key_Down);
    ui_->press(Qt::Key_Return);
    QTRY_VERIFY(item("modelList") == nullptr);
    QVERIFY(
        ui_->inference().lastLoad().path.endsWith(QLatin1String("bamboo-7b-dpo-v0.1.Q4_0.gguf")));
}

// The second of two rows; all rows are back once the words of the search are gone.
void ModelsTest::usesTheOneWhoseButtonIsPressed() {
    open();
    const int all = item("modelList")->property("count").toInt();
    ui_->type(QStringLiteral("7b"));
    QTRY_COMPARE(rows(), 2);
    const QList<QQuickItem*> found = ui_->downwards(QStringLiteral("modelRow"));
    // The details of one are that one's.
    ui_->click(ui_->downwards(QStringLiteral("modelDetails")).at(1));
    QTRY_VERIFY(found.at(1)->property("unfolded").toBool());
    QVERIFY(!found.at(0)->property("unfolded").toBool());
    ui_->click(ui_->item(QStringLiteral("searchModels")));
    ui_->press(Qt::Key_Escape);  // the words alone
    ui_->settle();
    QVERIFY(item("modelList") != nullptr);
    QTRY_COMPARE(item("modelList")->property("count").toInt(), all);
    ui_->type(QStringLiteral("7b"));
    QTRY_COMPARE(rows(), 2);
    QList<QQuickItem*> use = ui_->downwards(QStringLiteral("useModel"));
    QCOMPARE(use.size(), 2);
    const QString path =
        ui_->downwards(QStringLiteral("modelRow")).at(1)->property("path").toString();
    ui_->click(use.at(1));
    QTRY_COMPARE(ui_->inference().lastLoad().path, path);
    QTRY_VERIFY(item("modelList") == nullptr);
}

void ModelsTest::takesAFolderOff() {
    open();
    const QString other = home_.filePath(QStringLiteral("other"));
    QVERIFY(QDir().mkpath(other));
    ui_->app().library()->addPlace(other);
    const QStringList folders = ui_->app().library()->folders();
    QVERIFY(folders.size() >= 2);
    ui_->settle();
    QQuickItem* button =
        ui_->button(QStringLiteral("Take the folder %1 off the list").arg(folders.last()));
    QVERIFY(button != nullptr);
    button->forceActiveFocus(Qt::TabFocusReason);
    ui_->press(Qt::Key_Return);
    QTRY_COMPARE(ui_->app().library()->folders(), folders.mid(0, folders.size() - 1));
    QVERIFY(QFileInfo::exists(folders.last()));
}

void ModelsTest::deletesAndBringsBack() {
    open();
    ui_->type(QStringLiteral("llama-3.2"));
    QTRY_COMPARE(rows(), 1);
    ui_->press(Qt::Key_Down);
    QTRY_COMPARE(ui_->window()->activeFocusItem()->objectName(), QStringLiteral("modelItself"));
    ui_->press(Qt::Key_Delete);
    QTRY_COMPARE(rows(), 0);
    const QString path = home_.filePath(QStringLiteral("models/Llama-3.2-1B-Instruct-Q8_0.gguf"));
    QVERIFY(!QFileInfo::exists(path));
    QTRY_VERIFY(item("modelsSaid") != nullptr);
    ui_->click(ui_->button(QStringLiteral("Undo"), item("modelsSaid")));
    QTRY_COMPARE(rows(), 1);
    QVERIFY(QFileInfo::exists(path));
    // Once more, and what is said is closed: the file stays in the bin.
    QTRY_VERIFY(item("deleteModel") != nullptr);
    ui_->click(item("deleteModel"));
    QTRY_VERIFY(!QFileInfo::exists(path));
    QTRY_VERIFY(item("modelsSaid") != nullptr);
    ui_->click(ui_->button(QStringLiteral("Dismiss"), item("modelsSaid")));
    QTRY_VERIFY(item("modelsSaid") == nullptr);
    QVERIFY(!QFileInfo::exists(path));
}

void ModelsTest::asksForTheActivation() {
    open();
    ui_->type(QStringLiteral("prosparse"));
    QTRY_COMPARE(rows(), 1);
    QTRY_VERIFY(item("isRelu") != nullptr);
    ui_->click(item("isRelu"));
    QTRY_VERIFY(item("isRelu") == nullptr);
    QCOMPARE(ui_->settings()
                 .loadOptions(home_.filePath(QStringLiteral("models/prosparse-llama-2-7b.gguf")))
                 .activation,
             QStringLiteral("reglu"));
}

void ModelsTest::preparesAModel() {
    open();
    ui_->type(QStringLiteral("bamboo-7b"));
    QTRY_COMPARE(rows(), 1);
    ui_->press(Qt::Key_Down);
    QVERIFY(item("prepareModel") == nullptr);
    ui_->press(Qt::Key_Space);  // its details
    QTRY_VERIFY(item("prepareModel") != nullptr);
    ui_->press(Qt::Key_Tab);
    for (int i = 0; i < 8 && ui_->window()->activeFocusItem() != item("prepareModel"); ++i) {
        ui_->press(Qt::Key_Tab);
    }
    QCOMPARE(ui_->window()->activeFocusItem(), item("prepareModel"));
    ui_->press(Qt::Key_Return);
    QTRY_VERIFY(item("packingFacts") != nullptr);
    QCOMPARE(ui_->packer().targets().value(0),
             home_.filePath(QStringLiteral("models/bamboo-7b-dpo-v0.1.Q4_0.hearth.gguf")));
    ui_->click(item("beginPacking"));
    QTRY_VERIFY(item("packingProgress") != nullptr);
    ui_->packer().tell(1'000'000'000, 0, 4'000'000'000);
    QTRY_COMPARE(UiWindow::accessibleName(item("packingProgress")),
                 QStringLiteral("Preparing bamboo-7b-dpo-v0.1.Q4_0: 12 %"));
    ui_->press(Qt::Key_Escape);  // closes the dialog alone
    QTRY_VERIFY(item("packingFacts") == nullptr);
    QTRY_VERIFY(item("packingCard") != nullptr);
    QVERIFY(!ui_->packer().stopped());
    ui_->click(item("showPacking"));
    QTRY_VERIFY(item("stopPacking") != nullptr);
    ui_->click(item("stopPacking"));
    QVERIFY(ui_->packer().stopped());
    ui_->packer().end(PackOutcome::End::Stopped);
    QTRY_VERIFY(item("stopPacking") == nullptr);
    QTRY_VERIFY(item("packingCard") == nullptr);
    // Again, to its end, and used.
    ui_->click(item("prepareModel"));
    QTRY_VERIFY(item("beginPacking") != nullptr && item("beginPacking")->isEnabled());
    ui_->click(item("beginPacking"));
    ui_->packer().end(PackOutcome::End::Done);
    QTRY_VERIFY(item("usePacked") != nullptr);
    ui_->click(item("usePacked"));
    QTRY_VERIFY(ui_->inference().lastLoad().path.endsWith(QLatin1String("v0.1.Q4_0.hearth.gguf")));
    QTRY_VERIFY(item("modelList") == nullptr);
}

void ModelsTest::recentOnesAreInTheHeader() {
    open();
    ui_->press(Qt::Key_Escape);
    for (const char* name : {"prosparse-llama-2-7b", "bamboo-7b-dpo-v0.1.Q4_0"}) {
        ui_->app().library()->noteUsed(
            home_.filePath(QStringLiteral("models/%1.gguf").arg(QLatin1String(name))));
    }
    ui_->click(item("modelPill"));
    QTRY_COMPARE(ui_->items(QStringLiteral("recentModel")).size(), 2);
    ui_->settle();
    // By place: the one that was used last stands above.
    QMap<qreal, QString> names;
    for (QQuickItem* const row : ui_->items(QStringLiteral("recentModel"))) {
        names.insert(UiWindow::area(row).top(), UiWindow::accessibleName(row));
    }
    QCOMPARE(names.values(), QStringList({"Use Bamboo 7B DPO v0.1", "Use ProSparse LLaMA 2 7B"}));
    ui_->click(ui_->items(QStringLiteral("recentModel")).last());
    QTRY_VERIFY(
        ui_->inference().lastLoad().path.endsWith(QLatin1String("prosparse-llama-2-7b.gguf")));
}

// By the keyboard alone, from words to a file among the downloads.
void ModelsTest::searchesTheHub() {
    TestServer server([](const ServerRequest& request) {
        const QByteArray answer = demo::hubAnswer(request.path());
        return answer.isEmpty() ? ServerAnswer{.status = 404} : ServerAnswer{.body = answer};
    });
    QVERIFY(server.start());
    ui_->app().networkControl().setRules({.mirror = QUrl(server.base())});
    ui_->press(Qt::Key_M, Qt::ControlModifier);
    QTRY_VERIFY(item("getModel") != nullptr);
    ui_->click(item("getModel"));
    QTRY_VERIFY(item("hubWords") != nullptr);
    ui_->type(QStringLiteral("small"));
    QTest::qWait(0);
    QCOMPARE(server.connections(), 0);  // not before it is asked for
    ui_->press(Qt::Key_Return);
    QTRY_COMPARE(ui_->items(QStringLiteral("hubModel")).size(), 3);
    QVERIFY(item("offerRow") == nullptr);
    ui_->press(Qt::Key_Tab);
    ui_->press(Qt::Key_Tab);
    QCOMPARE(UiWindow::accessibleName(ui_->window()->activeFocusItem()),
             QStringLiteral("Org/Small-Chat-1B-GGUF. 412,345 downloads lately · licence: "
                            "apache-2.0"));
    ui_->press(Qt::Key_Return);
    QTRY_COMPARE(ui_->items(QStringLiteral("hubFile")).size(), 4);
    QTRY_COMPARE(ui_->window()->activeFocusItem(), item("hubBack"));
    for (const char* button : {"hubPage", "forecastHubFile"}) {
        ui_->press(Qt::Key_Tab);
        QTRY_COMPARE(ui_->window()->activeFocusItem()->objectName(), QString::fromLatin1(button));
    }
    ui_->press(Qt::Key_Space);  // how it would run: the server has no such file
    QTRY_VERIFY(item("offerVerdict") != nullptr);
    QTRY_VERIFY2(
        UiWindow::accessibleName(item("offerVerdict")).contains(QLatin1String("no such file")),
        qPrintable(UiWindow::accessibleName(item("offerVerdict"))));
    ui_->press(Qt::Key_Tab);
    QVERIFY2(UiWindow::accessibleName(ui_->window()->activeFocusItem())
                 .startsWith(QStringLiteral("Download: ")),
             qPrintable(UiWindow::accessibleName(ui_->window()->activeFocusItem())));
    ui_->press(Qt::Key_Space);
    QTRY_COMPARE(ui_->app().downloads()->list()->all().size(), 1);
    QCOMPARE(ui_->app().downloads()->list()->all().first().licence, QStringLiteral("apache-2.0"));
    ui_->click(item("hubBack"));
    QTRY_COMPARE(ui_->items(QStringLiteral("hubModel")).size(), 3);
    QTRY_COMPARE(ui_->window()->activeFocusItem(), item("hubWords"));
    ui_->press(Qt::Key_Escape);  // back to what is proposed; the dialog stays
    QTRY_VERIFY(item("hubModel") == nullptr);
    QTRY_VERIFY(item("offerRow") != nullptr);
}

// The network is forbidden: what is asked for waits.
void ModelsTest::getsAModel() {
    QCOMPARE(ui_->settings().set("network/allowed", QStringLiteral("false")), QString());
    QTRY_VERIFY(!ui_->app().network()->allowed());
    ui_->press(Qt::Key_M, Qt::ControlModifier);
    QTRY_VERIFY(item("getModel") != nullptr);
    ui_->click(item("getModel"));
    QTRY_VERIFY(item("offerAddress") != nullptr);
    QCOMPARE(ui_->items(QStringLiteral("offerRow")).size(), ui_->app().offers()->list().size());
    QTRY_COMPARE(ui_->window()->activeFocusItem(), item("hubWords"));
    ui_->press(Qt::Key_Tab);
    QTRY_COMPARE(ui_->window()->activeFocusItem(), item("offerAddress"));
    ui_->type(QStringLiteral("https://example.org/"));
    ui_->press(Qt::Key_Return);
    QTRY_VERIFY(item("offersSaid") != nullptr);
    QTRY_VERIFY(item("suggestion") != nullptr);
    QVERIFY(UiWindow::accessibleName(item("suggestion"))
                .startsWith(QStringLiteral("For this computer: Gemma 4 12B, Q4_K_M (7.1 GB).")));
    for (const char* button : {"getAddress", "checkAddress", "getSuggested", "getOffer"}) {
        ui_->press(Qt::Key_Tab);
        QTRY_COMPARE(ui_->window()->activeFocusItem()->objectName(), QString::fromLatin1(button));
    }
    QVERIFY(UiWindow::accessibleName(ui_->window()->activeFocusItem())
                .startsWith(QStringLiteral("Download: Llama 3.2 1B Instruct, Q4_0, about 773")));
    // A model that would not chat says so, and can be downloaded all the same.
    const QList<QQuickItem*> missing = ui_->items(QStringLiteral("offerMissing"));
    QVERIFY(!missing.isEmpty() && missing.size() < ui_->app().offers()->list().size());
    QVERIFY(UiWindow::accessibleName(ui_->items(QStringLiteral("offerRow")).last())
                .contains(QLatin1String("chat template")));
    QCOMPARE(ui_->items(QStringLiteral("getOffer")).last()->property("text").toString(),
             QStringLiteral("Download anyway"));
    ui_->press(Qt::Key_Space);
    QTRY_COMPARE(ui_->app().offers()->states().first(), QStringLiteral("coming"));
    QVERIFY(item("offersSaid") == nullptr);
    QTRY_COMPARE(ui_->app().downloads()->list()->all().size(), 1);
    QCOMPARE(ui_->app().downloads()->list()->all().first().licence, QStringLiteral("llama3.2"));
    // The suggestion is downloaded by one click, and then among the downloads.
    QVERIFY(item("getSuggested")->isEnabled());
    ui_->click(item("getSuggested"));
    QTRY_COMPARE(ui_->app().downloads()->list()->all().size(), 2);
    QCOMPARE(ui_->app().downloads()->list()->all().last().title,
             QStringLiteral("Gemma 4 12B, Q4_K_M"));
    QTRY_VERIFY(!item("getSuggested")->isEnabled());
}

// A server on this computer stands in for the hub; the planner is a scripted one.
void ModelsTest::saysHowAnOfferWouldRun() {
    const hearth::test::Bytes bytes = hearth::test::TinyModel({.arch = "llama"}).file().bytes();
    const QByteArray model(reinterpret_cast<const char*>(bytes.data()),
                           static_cast<qsizetype>(bytes.size()));
    TestServer server([&model](const ServerRequest&) {
        return ServerAnswer{
            .status = 206,
            .headers = {{"Content-Range",
                         "bytes 0-" + QByteArray::number(model.size() - 1) + "/773000000"}},
            .body = model};
    });
    QVERIFY(server.start());
    ui_->press(Qt::Key_M, Qt::ControlModifier);
    QTRY_VERIFY(item("getModel") != nullptr);
    ui_->click(item("getModel"));
    QTRY_VERIFY(item("checkOffer") != nullptr);
    QVERIFY(item("offerVerdict") == nullptr);
    QVERIFY(UiWindow::accessibleName(item("checkOffer")).contains(QLatin1String("Llama 3.2 1B")));

    QCOMPARE(ui_->settings().set("network/allowed", QStringLiteral("false")), QString());
    QTRY_VERIFY(!ui_->app().network()->allowed());
    ui_->click(item("checkOffer"));
    QTRY_VERIFY(item("offerVerdict") != nullptr);
    QTRY_VERIFY2(UiWindow::accessibleName(item("offerVerdict"))
                     .contains(QLatin1String("switched all network requests off")),
                 qPrintable(UiWindow::accessibleName(item("offerVerdict"))));
    QVERIFY(server.requests().isEmpty());

    QCOMPARE(ui_->settings().set("network/allowed", QStringLiteral("true")), QString());
    QCOMPARE(ui_->settings().set("network/mirror", server.base()), QString());
    item("checkOffer")->forceActiveFocus(Qt::TabFocusReason);
    ui_->press(Qt::Key_Space);
    QTRY_VERIFY2(
        UiWindow::accessibleName(item("offerVerdict")).contains(QLatin1String("14 to 21 tokens/s")),
        qPrintable(UiWindow::accessibleName(item("offerVerdict"))));
    QVERIFY(
        UiWindow::accessibleName(item("offerHeader")).startsWith(QStringLiteral("llama · F32")));
    QCOMPARE(server.requests().size(), 1);
    QVERIFY(ui_->app().downloads()->list()->all().isEmpty());
}

QTEST_MAIN(ModelsTest)
#include "models_test.moc"
