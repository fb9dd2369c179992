// Remote models by keyboard and by mouse: their page, the question before words leave, and the
// places that say where they go.
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "app/desktop/network/test_server.h"
#include "bridge/remote_path.h"
#include "ui_window.h"

using namespace hearth::ui;
using hearth::ui::test::ServerAnswer;
using hearth::ui::test::ServerRequest;
using hearth::ui::test::TestServer;
using hearth::ui::test::UiWindow;

class RemoteTest : public QObject {
    Q_OBJECT

    std::unique_ptr<TestServer> server_;
    std::unique_ptr<UiWindow> ui_;

    QQuickItem* item(const char* name) const { return ui_->item(QLatin1String(name)); }
    QString text(const char* name) const {
        const QQuickItem* found = item(name);
        return found == nullptr ? QString() : found->property("text").toString();
    }
    QString host() const { return QUrl(server_->base()).authority(); }
    void showRemote() {
        QMetaObject::invokeMethod(item("dialogs"), "showRemote");
        QTRY_VERIFY(item("addRemote") != nullptr);
        ui_->settle();
    }
    void add() {
        QCOMPARE(ui_->app().remote()->add("Attic", server_->base(), "sk-secret"), QString());
        QTRY_VERIFY(!ui_->app().remote()->list().at(0).toMap().value("asking").toBool());
    }
    QString id() const { return ui_->app().remote()->list().at(0).toMap().value("id").toString(); }
    void choose() {
        add();
        ui_->app().model()->openPath(remotePath({id(), "big"}));
        QTRY_COMPARE(ui_->app().model()->state(), QStringLiteral("ready"));
        ui_->settle();
    }
    void typeInto(const char* field, const QString& words) {
        item(field)->forceActiveFocus();
        ui_->type(words);
    }
    int questions() const {
        int count = 0;
        for (const ServerRequest& request : server_->requests()) {
            count += request.method == "POST" ? 1 : 0;
        }
        return count;
    }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() {
        server_ = std::make_unique<TestServer>([](const ServerRequest& request) {
            if (request.method == "GET") {
                return ServerAnswer{.body = R"({"data":[{"id":"big"},{"id":"small"}]})"};
            }
            return ServerAnswer{.headers = {{"Content-Type", "text/event-stream"}},
                                .body =
                                    "data: {\"choices\":[{\"delta\":{\"content\":\"Rain falls.\"},"
                                    "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"};
        });
        QVERIFY(server_->start());
        ui_ = std::make_unique<UiWindow>();
        QVERIFY(ui_->ok() && ui_->activate());
    }
    void cleanup() {
        ui_.reset();
        server_.reset();
    }

    void isAddedAndUsed() {
        ui_->click(item("modelPill"));
        ui_->click(item("remoteModels"));
        QTRY_VERIFY(item("addRemote") != nullptr);
        QVERIFY(!item("addRemote")->isEnabled());
        typeInto("remoteAddress", "http://example.org");
        ui_->click(item("addRemote"));
        QVERIFY(text("remoteWrong").contains("must begin with https://"));
        item("remoteAddress")->setProperty("text", server_->base());
        typeInto("remoteKey", "sk-secret");
        QVERIFY(!item("remoteKey")->property("displayText").toString().contains("secret"));
        typeInto("remoteName", "Attic");
        ui_->press(Qt::Key_Return);
        QTRY_COMPARE(ui_->items("useRemote").size(), 2);
        QCOMPARE(text("remoteWrong"), QString());
        QCOMPARE(text("remoteKey"), QString());
        QVERIFY(text("remoteKeySays").startsWith("Its key is"));
        QCOMPARE(UiWindow::accessibleName(item("useRemote")), QString("Use big"));
        ui_->settle();
        ui_->click(item("useRemote"));
        QTRY_COMPARE(ui_->app().model()->modelName(), QString("big · not local"));
        QTRY_VERIFY(item("addRemote") == nullptr);
        QCOMPARE(text("modelPill"), QString("big · not local"));
        QCOMPARE(text("composerHint"), "Answers can be wrong. Words go to " + host() + ".");
        QCOMPARE(UiWindow::accessibleName(item("composerHint")), text("composerHint"));
    }
    void saysWhatIsWrong() {
        add();
        server_.reset();
        ui_->app().remote()->ask(id());
        showRemote();
        QTRY_VERIFY(text("remoteSays").contains("127.0.0.1"));
        ui_->app().networkControl().setRules({.forbidAll = true});
        ui_->settle();
        ui_->click(item("askRemote"));
        QTRY_VERIFY(text("remoteSays").startsWith("You have switched all network requests off."));
    }
    void isChangedAndRemoved() {
        add();
        showRemote();
        ui_->click(item("editRemote"));
        QTRY_VERIFY(item("saveRemote") != nullptr);
        QQuickItem* name = ui_->items("remoteName").first();
        QCOMPARE(name->property("text").toString(), QString("Attic"));
        name->setProperty("text", "Cellar");
        ui_->settle();
        ui_->click(item("saveRemote"));
        QTRY_VERIFY(item("saveRemote") == nullptr);
        QCOMPARE(ui_->app().remote()->list().at(0).toMap().value("name").toString(),
                 QString("Cellar"));
        QTRY_VERIFY(item("askRemote")->isEnabled());
        ui_->click(item("remoteAlways"));
        QVERIFY(ui_->app().remote()->list().at(0).toMap().value("always").toBool());
        ui_->settle();
        ui_->click(item("removeRemote"));
        QVERIFY(ui_->app().remote()->list().isEmpty());
        QTRY_VERIFY(item("remoteServer") == nullptr);
    }
    // Nothing leaves before the answer; the card has a name for screen readers.
    void asksBeforeWordsLeave() {
        choose();
        QVERIFY(item("sendCard") == nullptr);
        ui_->type("What falls?");
        ui_->press(Qt::Key_Return);
        QTRY_VERIFY(item("sendOnce") != nullptr);
        ui_->settle();
        QCOMPARE(text("sendQuestion"), "Send the words of this chat to " + host() + "?");
        QVERIFY(text("sendDetails").contains("attached files and of the project's files"));
        QCOMPARE(UiWindow::accessibleName(item("sendCard")),
                 text("sendQuestion") + " " + text("sendDetails"));
        QCOMPARE(text("waitingText"), QString("Nothing is sent yet."));
        QCOMPARE(questions(), 0);
        // Enter in the field answers nothing.
        ui_->press(Qt::Key_Return);
        QVERIFY(ui_->app().consent()->asking());
        ui_->click(item("sendNothing"));
        QVERIFY(ui_->waitForAnswer());
        QCOMPARE(questions(), 0);
        QCOMPARE(ui_->window()->activeFocusItem()->objectName(), QString("composerInput"));
        ui_->type("What falls?");
        ui_->press(Qt::Key_Return);
        QTRY_VERIFY(item("sendOnce") != nullptr);
        ui_->settle();
        ui_->click(item("sendOnce"));
        QVERIFY(ui_->waitForAnswer());
        QCOMPARE(questions(), 1);
        QCOMPARE(ui_->message(3, "text").toString(), QString("Rain falls."));
        QVERIFY(ui_->message(3, "stats").toString().startsWith("big · not local · "));
        QVERIFY(ui_->message(3, "stats").toString().contains(host()));
        QTRY_VERIFY(item("sendCard") == nullptr);
    }
    void asksForAnotherChat() {
        choose();
        ui_->type("What falls?");
        ui_->press(Qt::Key_Return);
        QTRY_VERIFY(item("sendOnce") != nullptr);
        ui_->app().chats()->newConversation();
        ui_->settle();
        QCOMPARE(text("sendQuestion"),
                 "Send the words of another chat, which waits for its answer, to " + host() + "?");
        ui_->app().consent()->refuse();
        QVERIFY(ui_->waitForAnswer());
    }
    // Neither place is cut to say something else in a small window.
    void saysSoInASmallWindow() {
        choose();
        ui_->window()->resize(440, 700);
        ui_->settings().setZoom(2);
        ui_->settle();
        QQuickItem* hint = item("composerHint");
        QVERIFY(hint->height() > 1.5 * hint->property("font").value<QFont>().pixelSize());
        QVERIFY(!hint->property("truncated").toBool());
        QVERIFY(UiWindow::area(hint).bottom() <= ui_->window()->height());
        const QList<QQuickItem*> parts = item("modelPill")->findChildren<QQuickItem*>();
        QVERIFY(std::any_of(parts.begin(), parts.end(), [](const QQuickItem* part) {
            return part->property("text").toString() == "not local" &&
                   !part->property("truncated").toBool();
        }));
    }
    // Escape stops an answer that waits for the user's word, as any other.
    void escapeStopsTheQuestion() {
        choose();
        ui_->type("What falls?");
        ui_->press(Qt::Key_Return);
        QTRY_VERIFY(item("sendOnce") != nullptr);
        ui_->press(Qt::Key_Escape);
        QVERIFY(ui_->waitForAnswer());
        QTRY_VERIFY(item("sendCard") == nullptr);
        QCOMPARE(questions(), 0);
    }
    void theSettingsSaySo() {
        choose();
        ui_->press(Qt::Key_Comma, Qt::ControlModifier);
        QTRY_VERIFY(item("settingsNotLocal") != nullptr);
        QVERIFY(text("settingsNotLocal").contains(host()));
        QVERIFY(item("forecastSpeed") == nullptr);
    }
};

QTEST_MAIN(RemoteTest)
#include "remote_test.moc"
