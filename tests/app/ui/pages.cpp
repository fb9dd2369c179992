#include "pages.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include "app/demo/demo_downloads.h"
#include "app/demo/demo_hub.h"
#include "app/demo/demo_models.h"
#include "app/demo/demo_scripts.h"
#include "app/desktop/network/test_server.h"
#include "support/document_maker.h"
#include "ui_window.h"

namespace hearth::ui::test {

namespace {

void ask(UiWindow& ui, const QString& question) {
    QVERIFY(ui.ask(question));
}

void ask(UiWindow& ui) {
    ask(ui, QStringLiteral("How do I sort a list of words by their length in Python?"));
}

void attach(UiWindow& ui, const QString& path) {
    ui.app().attachments()->attach({path});
    QTRY_VERIFY(!ui.app().attachments()->reading());
}

// A message with a long document, of which it uses passages.
void askAboutALease(UiWindow& ui) {
    QStringList pages;
    for (int page = 1; page <= 30; ++page) {
        pages.append(QStringLiteral("Clause %1 is about the stairs and the garden.\n")
                         .arg(page)
                         .repeated(40));
    }
    pages[17] += QStringLiteral("The rent is due on the third of the month.");
    attach(ui, hearth::test::writeFile(ui.store().folder() + QStringLiteral("/Lease 2026.pdf"),
                                       hearth::test::plainPdf(pages)));
    ui.app().chats()->setDraft(QStringLiteral("When must the rent be paid?"));
    ask(ui, QStringLiteral("When must the rent be paid?"));
}

void openDialog(UiWindow& ui, const char* name) {
    auto* dialog = ui.window()->findChild<QObject*>(QLatin1String(name));
    QVERIFY(dialog != nullptr);
    QMetaObject::invokeMethod(dialog, "open");
    QTRY_VERIFY(dialog->property("opened").toBool());
}

// Comes to the item by the keyboard first: a long dialog scrolls to it.
void clickOn(UiWindow& ui, const char* name) {
    QTRY_VERIFY(ui.item(QLatin1String(name)) != nullptr);
    ui.item(QLatin1String(name))->forceActiveFocus(Qt::TabFocusReason);
    ui.click(ui.item(QLatin1String(name)));
}

// With a sparse model that does not fit.
void openModels(UiWindow& ui) {
    const QString folder = ui.store().folder() + QStringLiteral("/pages");
    QVERIFY(QDir().mkpath(folder));
    QVERIFY(demo::writeModels(folder));
    ui.app().library()->addPlace(folder);
    ui.press(Qt::Key_M, Qt::ControlModifier);
    ui.app().library()->list()->setSearch(QStringLiteral("bamboo-7b"));
    QTRY_VERIFY(!ui.app().library()->looking());
    QTRY_COMPARE(ui.items(QStringLiteral("modelRow")).size(), 1);
    QTRY_COMPARE(ui.item(QStringLiteral("modelRow"))->property("fit").toString(),
                 QStringLiteral("streams"));
    ui.settle();
}

// The search of the hub, against a server on this computer that stands in for it.
void searchHub(UiWindow& ui) {
    auto* server = new TestServer([](const ServerRequest& request) {
        const QByteArray answer = demo::hubAnswer(request.path());
        return answer.isEmpty() ? ServerAnswer{.status = 404} : ServerAnswer{.body = answer};
    });
    server->setParent(ui.window());
    QVERIFY(server->start());
    ui.app().networkControl().setRules({.mirror = QUrl(server->base())});
    QMetaObject::invokeMethod(ui.item(QStringLiteral("dialogs")), "showModels");
    clickOn(ui, "getModel");
    QTRY_VERIFY(ui.item(QStringLiteral("hubWords")) != nullptr);
    ui.type(QStringLiteral("small chat"));
    ui.press(Qt::Key_Return);
    QTRY_VERIFY(ui.item(QStringLiteral("hubModel")) != nullptr);
}

void openOnHub(UiWindow& ui, int index) {
    searchHub(ui);
    ui.app().hub()->open(index);
    QTRY_VERIFY(ui.item(QStringLiteral("hubTerms")) != nullptr);
}

void considerPacking(UiWindow& ui) {
    openModels(ui);
    clickOn(ui, "modelDetails");
    clickOn(ui, "prepareModel");
    QTRY_VERIFY(ui.item(QStringLiteral("closePacking")) != nullptr);
}

void answerOf(UiWindow& ui, const char* answer) {
    ui.inference().setScripts({FakeInference::scriptFrom(QString::fromUtf8(answer))});
    QVERIFY(ui.ask(QStringLiteral("Tell me")));
}

// The model wants to call a tool, and waits.
void askForTool(UiWindow& ui) {
    ui.app().tools()->setBuiltInOn(QStringLiteral("calculate"), true);
    FakeInference::Script calling = FakeInference::scriptFrom(QStringLiteral("Let me see."));
    calling.summary.calls = {{QStringLiteral("c1"), QStringLiteral("calculate"),
                              QByteArrayLiteral("{\"expression\":\"6*7\"}")}};
    ui.inference().setScripts({calling, FakeInference::scriptFrom(QStringLiteral("It is 42."))});
    QVERIFY(ui.app().replies()->send(QStringLiteral("6 * 7?")));
    QTRY_VERIFY(ui.item(QStringLiteral("allowOnce")) != nullptr);
}

// Two projects, one with a chat, a file, a folder and a temperature. Its number.
qint64 groupChats(UiWindow& ui) {
    Projects& projects = *ui.app().projects();
    const qint64 id = projects.add(QStringLiteral("Garden and greenhouse"));
    projects.add(QStringLiteral("Taxes"));
    const QString folder = ui.store().folder() + QStringLiteral("/notes");
    QDir().mkpath(folder);
    const QString path =
        hearth::test::writeFile(folder + QStringLiteral("/roses.md"), "# Roses\n\nWater them.");
    projects.setInstructions(id, QStringLiteral("Talk of plants as a gardener would."));
    projects.setTemperature(id, 0.4);
    projects.files()->attach(id, {path});
    projects.setFolder(id, folder);
    ask(ui);
    ui.app().chats()->newConversationIn(id);
    ask(ui, QStringLiteral("When do I water the roses?"));
    [&] {
        QTRY_COMPARE(projects.files()->folderSays(id),
                     ProjectFiles::tr("%n files are searched.", nullptr, 1));
    }();
    return id;
}

// The model is served, and programs have asked.
void serve(UiWindow& ui) {
    using State = ServedRequest::State;
    ui.settings().set("api/on", QStringLiteral("true"));
    QTRY_COMPARE(ui.app().serving()->state(), QStringLiteral("on"));
    const QString chat = QStringLiteral("/v1/chat/completions");
    emit ui.serving().requestsChanged(
        {{.number = 1, .client = QStringLiteral("curl/8.14.1"), .path = chat, .status = 401},
         {.number = 2,
          .client = QStringLiteral("OpenAI/Python 1.99.0"),
          .path = chat,
          .status = 200,
          .promptTokens = 812,
          .answerTokens = 164},
         {.number = 3,
          .client = QStringLiteral("notes of a gardener"),
          .path = QStringLiteral("/v1/messages"),
          .state = State::IsAnswered},
         {.number = 4, .client = {}, .path = chat, .state = State::Waits}});
    emit ui.serving().turnsChanged(
        {.answers = true, .client = QStringLiteral("notes of a gardener"), .waiting = 1});
}

// A model on another computer, which a server on this one stands in for.
void chooseRemote(UiWindow& ui) {
    auto* server = new TestServer([](const ServerRequest& request) {
        return request.method == "GET"
                   ? ServerAnswer{.body = R"({"data":[{"id":"org/big-70b"},{"id":"small"}]})"}
                   : ServerAnswer{.headers = {{"Content-Type", "text/event-stream"}},
                                  .body =
                                      "data: {\"choices\":[{\"delta\":{\"content\":\"Rain "
                                      "falls.\"},\"finish_reason\":\"stop\"}]}\n\n"};
    });
    server->setParent(ui.window());
    QVERIFY(server->start());
    RemoteServers& servers = *ui.app().remote();
    QCOMPARE(servers.add(QStringLiteral("Attic"), server->base(), QStringLiteral("sk-secret")),
             QString());
    const auto row = [&] { return servers.list().at(0).toMap(); };
    QTRY_VERIFY(!row().value(QStringLiteral("asking")).toBool());
    const QVariantList models = row().value(QStringLiteral("models")).toList();
    QCOMPARE(models.size(), 2);
    ui.app().model()->openPath(models.at(0).toMap().value(QStringLiteral("path")).toString());
    QTRY_COMPARE(ui.app().model()->state(), QStringLiteral("ready"));
}

// As a crash of an earlier start would have.
void leaveReport(UiWindow& ui) {
    const QString folder = ui.app().dataFolder() + QStringLiteral("/crashes");
    QFile report(CrashReports::prepare(folder));
    QVERIFY(report.open(QIODevice::WriteOnly));
    report.write("Hearth 0.1.0, commit 0123456789ab\nsystem: Debian GNU/Linux 12, 6.1, x86_64\n");
    for (int i = 0; i < 30; ++i) {
        report.write("  libQt6Core.so.6+0x" + QByteArray::number(7919 * (i + 1), 16) + '\n');
    }
    report.close();
    QVERIFY(ui.app().tellOfCrash(folder));
}

}  // namespace

void showDownloads(UiWindow& ui) {
    Downloads& downloads = *ui.app().downloads();
    // The queue tells its own list when its thread gets to it: later, that would take these rows
    // away.
    downloads.close();
    QCoreApplication::sendPostedEvents(&downloads, QEvent::MetaCall);
    downloads.list()->show(demo::downloads());
}

const QList<Page>& pages() {
    static const QList<Page> kPages{
        {"empty", [](UiWindow&) {}},
        {"chat", [](UiWindow& ui) { ask(ui); }},
        {"versions",
         [](UiWindow& ui) {
             ask(ui);
             QVERIFY(ui.app().replies()->regenerate(ui.message(1, "messageId").toLongLong()));
             QVERIFY(ui.waitForAnswer());
         }},
        {"editing",
         [](UiWindow& ui) {
             ask(ui);
             clickOn(ui, "editMessage");
         }},
        {"generating",
         [](UiWindow& ui) {
             ui.inference().pauseAfter(3);
             QVERIFY(ui.app().replies()->send(QStringLiteral("More")));
             QTRY_VERIFY(ui.message(1, "text").toString().size() > 5);
         }},
        {"formatted",
         [](UiWindow& ui) {
             answerOf(ui,
                      "# Heading\n\nWords with `code`, a [link](https://example.org), and\n\n> a "
                      "quote\n\n- [x] a task\n- a list\n\n| a | b |\n|---|---|\n| 1 | 2 "
                      "|\n\n\\[x\\,y\\]\n\n你好");
         }},
        {"attached files",
         [](UiWindow& ui) {
             const QString folder = ui.store().folder();
             attach(ui, hearth::test::writeFile(folder + QStringLiteral("/notes.md"), "# Notes"));
             attach(ui, hearth::test::writeFile(folder + QStringLiteral("/photo.png"),
                                                "\x89PNG\r\n\x1A\n"));
         }},
        {"passages used", askAboutALease},
        {"document",
         [](UiWindow& ui) {
             askAboutALease(ui);
             clickOn(ui, "usedPassage");
             QTRY_VERIFY(!ui.items(QStringLiteral("markedPassage")).isEmpty());
         }},
        {"failed answer",
         [](UiWindow& ui) {
             FakeInference::Script script = FakeInference::scriptFrom(QStringLiteral("So far"));
             script.failWith = QStringLiteral("There is not enough memory for a longer answer.");
             ui.inference().setScripts({script});
             QVERIFY(ui.ask(QStringLiteral("And then?")));
         }},
        {"failed model",
         [](UiWindow& ui) {
             ui.inference().setLoadError(QStringLiteral("The file is broken. Choose another."));
             ui.app().model()->openPath(QStringLiteral("broken.gguf"));
             QTRY_COMPARE(ui.app().model()->state(), QStringLiteral("failed"));
         }},
        {"notice",
         [](UiWindow& ui) {
             ask(ui);
             ui.app().notices()->notify(
                 QStringLiteral("warning"),
                 QStringLiteral("The disk is nearly full: 12 MB are left, and 40 are needed."),
                 QStringLiteral("reloadModel"));
         }},
        {"undo",
         [](UiWindow& ui) {
             ask(ui);
             ui.app().chats()->remove(ui.app().chats()->currentId());
         }},
        {"list",
         [](UiWindow& ui) {
             ask(ui);
             ui.app().chats()->newConversation();
             ask(ui);
             QMetaObject::invokeMethod(ui.item(QStringLiteral("sidebar")), "takeFocus");
         }},
        {"projects", [](UiWindow& ui) { groupChats(ui); }},
        {"project",
         [](UiWindow& ui) {
             const qint64 id = groupChats(ui);
             QMetaObject::invokeMethod(ui.item(QStringLiteral("dialogs")), "showProject",
                                       Q_ARG(QVariant, id), Q_ARG(QVariant, qint64{-1}));
             QTRY_VERIFY(ui.item(QStringLiteral("projectName")) != nullptr);
         }},
        {"a project to delete",
         [](UiWindow& ui) {
             const qint64 id = groupChats(ui);
             QMetaObject::invokeMethod(ui.item(QStringLiteral("dialogs")), "askProjectRemoval",
                                       Q_ARG(QVariant, id));
             QTRY_VERIFY(ui.item(QStringLiteral("removeProjectAlone")) != nullptr);
         }},
        {"search",
         [](UiWindow& ui) {
             ask(ui);
             ui.press(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
             ui.type(QStringLiteral("list of words"));
             QTRY_COMPARE(ui.app().search()->hits()->count(), 2);
         }},
        {"search without a hit",
         [](UiWindow& ui) {
             ask(ui);
             ui.press(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
             ui.type(QStringLiteral("zebra"));
             QTRY_VERIFY(!ui.app().search()->says().isEmpty());
         }},
        {"settings menu", [](UiWindow& ui) { clickOn(ui, "settingsButton"); }},
        {"model menu", [](UiWindow& ui) { clickOn(ui, "modelPill"); }},
        {"neuron map",
         [](UiWindow& ui) {
             ask(ui);
             ui.inference().setMap(demo::map());
             ui.press(Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
             QTRY_VERIFY(ui.item(QStringLiteral("layerRows")) != nullptr);
             ui.app().map()->select(20);
         }},
        {"neuron map without a model",
         [](UiWindow& ui) {
             ui.inference().setLoadError(QStringLiteral("“notes.gguf” is not a model."));
             ui.app().model()->openPath(QStringLiteral("notes.gguf"));
             QTRY_COMPARE(ui.app().model()->state(), QStringLiteral("failed"));
             ui.press(Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
             QTRY_VERIFY(ui.item(QStringLiteral("mapSentence")) != nullptr);
         }},
        {"remote models",
         [](UiWindow& ui) {
             chooseRemote(ui);
             QMetaObject::invokeMethod(ui.item(QStringLiteral("dialogs")), "showRemote");
             QTRY_VERIFY(ui.item(QStringLiteral("addRemote")) != nullptr);
         }},
        {"words about to leave",
         [](UiWindow& ui) {
             chooseRemote(ui);
             QVERIFY(ui.app().replies()->send(QStringLiteral("What falls?")));
             QTRY_VERIFY(ui.item(QStringLiteral("sendOnce")) != nullptr);
         }},
        {"an answer from elsewhere",
         [](UiWindow& ui) {
             chooseRemote(ui);
             ui.app().remote()->setAlways(
                 ui.app().remote()->list().at(0).toMap().value(QStringLiteral("id")).toString(),
                 true);
             ask(ui);
         }},
        {"shortcuts", [](UiWindow& ui) { openDialog(ui, "shortcutsDialog"); }},
        {"about", [](UiWindow& ui) { openDialog(ui, "aboutDialog"); }},
        {"licences",
         [](UiWindow& ui) {
             ui.press(Qt::Key_F1);
             clickOn(ui, "aboutFromShortcuts");
             clickOn(ui, "showLicences");
             QTRY_VERIFY(ui.item(QStringLiteral("longText")) != nullptr);
         }},
        {"downloads",
         [](UiWindow& ui) {
             showDownloads(ui);
             ui.press(Qt::Key_J, Qt::ControlModifier);
             QTRY_VERIFY(ui.item(QStringLiteral("downloadList")) != nullptr);
         }},
        {"prepare a model",
         [](UiWindow& ui) {
             considerPacking(ui);
             QTRY_COMPARE(ui.app().packing()->state(), QStringLiteral("ready"));
         }},
        {"preparing a model",
         [](UiWindow& ui) {
             considerPacking(ui);
             clickOn(ui, "beginPacking");
             ui.packer().tell(3'400'000'000, 0, 5'100'000'000);
         }},
        {"models while preparing",
         [](UiWindow& ui) {
             considerPacking(ui);
             clickOn(ui, "beginPacking");
             ui.packer().tell(3'400'000'000, 0, 5'100'000'000);
             clickOn(ui, "closePacking");
         }},
        {"settings",
         [](UiWindow& ui) {
             ui.press(Qt::Key_Comma, Qt::ControlModifier);
             QTRY_VERIFY(ui.item(QStringLiteral("settingsView")) != nullptr);
             QTRY_VERIFY(!ui.app().settings()->asking());
             QTRY_VERIFY(ui.app().settings()->preview()->known());
             QTRY_VERIFY(!ui.app().settings()->preview()->busy());
         }},
        {"local API",
         [](UiWindow& ui) {
             serve(ui);
             clickOn(ui, "servingMark");
             QTRY_COMPARE(ui.items(QStringLiteral("servedRequest")).size(), 4);
         }},
        {"local API, port taken",
         [](UiWindow& ui) {
             ui.serving().setStartError(QStringLiteral("Port 8080 is used by another program."));
             ui.press(Qt::Key_Comma, Qt::ControlModifier);
             clickOn(ui, "section-api");
             ui.settings().set("api/on", QStringLiteral("true"));
             QTRY_VERIFY(ui.item(QStringLiteral("servingProblem")) != nullptr);
         }},
        {"another program is answered",
         [](UiWindow& ui) {
             ask(ui);
             serve(ui);
             ui.inference().pauseAfter(0);
             QVERIFY(ui.app().replies()->send(QStringLiteral("And in other languages?")));
             emit ui.serving().turnsChanged({.answers = true,
                                             .client = QStringLiteral("notes of a gardener"),
                                             .windowWaits = true,
                                             .waiting = 1});
             QTRY_VERIFY(ui.item(QStringLiteral("stopServing")) != nullptr);
         }},
        {"models",
         [](UiWindow& ui) {
             const QString folder = ui.store().folder() + QStringLiteral("/pages");
             QVERIFY(QDir().mkpath(folder));
             QVERIFY(demo::writeModels(folder));
             ui.app().library()->addPlace(folder);
             ui.press(Qt::Key_M, Qt::ControlModifier);
             QTRY_VERIFY(ui.item(QStringLiteral("modelList")) != nullptr);
             QTRY_VERIFY(ui.app().library()->list()->count() >= 5);
             QTRY_VERIFY(!ui.app().library()->looking());
         }},
        {"get a model",
         [](UiWindow& ui) {
             QMetaObject::invokeMethod(ui.item(QStringLiteral("dialogs")), "showModels");
             clickOn(ui, "getModel");
             QTRY_VERIFY(ui.item(QStringLiteral("offerAddress")) != nullptr);
         }},
        {"found on the hub", searchHub},
        {"files on the hub", [](UiWindow& ui) { openOnHub(ui, 0); }},
        {"gated on the hub", [](UiWindow& ui) { openOnHub(ui, 1); }},
        {"requests",
         [](UiWindow& ui) {
             QMetaObject::invokeMethod(ui.item(QStringLiteral("dialogs")), "showNetwork");
             QTRY_VERIFY(ui.item(QStringLiteral("forbidNetwork")) != nullptr);
         }},
        {"tools",
         [](UiWindow& ui) {
             ui.app().tools()->addServer(QStringLiteral("Files"), QStringLiteral("server /srv"),
                                         false);
             ui.app().tools()->log()->add(QStringLiteral("Files"), QStringLiteral("ended"));
             QMetaObject::invokeMethod(ui.item(QStringLiteral("dialogs")), "showTools");
             QTRY_VERIFY(ui.item(QStringLiteral("serverName")) != nullptr);
         }},
        {"a tool is asked for", askForTool},
        {"a tool was called",
         [](UiWindow& ui) {
             askForTool(ui);
             ui.app().rounds()->allowOnce();
             QVERIFY(ui.waitForAnswer());
             clickOn(ui, "toolLine");
         }},
        {"offers",
         [](UiWindow& ui) {
             ui.press(Qt::Key_M, Qt::ControlModifier);
             clickOn(ui, "getModel");
             QTRY_VERIFY(ui.item(QStringLiteral("offerAddress")) != nullptr);
         }},
        {"crash notice", [](UiWindow& ui) { leaveReport(ui); }},
        {"crash report",
         [](UiWindow& ui) {
             leaveReport(ui);
             clickOn(ui, "noticeAction");
             QTRY_VERIFY(ui.item(QStringLiteral("crashText")) != nullptr);
         }},
        {"open a model",
         [](UiWindow& ui) {
             ui.press(Qt::Key_O, Qt::ControlModifier);
             QTRY_VERIFY(ui.item(QStringLiteral("fileRow")) != nullptr ||
                         ui.item(QStringLiteral("folderNotice")) != nullptr);
         }},
        {"link",
         [](UiWindow& ui) {
             answerOf(ui, "[https://my-bank.example](https://user@other.example/login?to=x)");
             QTRY_VERIFY(ui.item(QStringLiteral("link")) != nullptr);
             ui.item(QStringLiteral("link"))->forceActiveFocus(Qt::TabFocusReason);
             ui.press(Qt::Key_Return);
             QTRY_VERIFY(ui.item(QStringLiteral("linkAddress")) != nullptr);
         }},
        {"long text",
         [](UiWindow& ui) {
             QVERIFY(ui.ask(QStringLiteral("A line of the log, and more.\n").repeated(2000)));
             clickOn(ui, "showAll");
         }},
    };
    return kPages;
}

}  // namespace hearth::ui::test
