// The search over all chats, by keyboard and by mouse: the field, the hits, the way to a message
// and back.
#include <QTest>

#include "ui_window.h"

using namespace hearth::ui;
using hearth::ui::test::UiWindow;

class SearchTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup() { ui_.reset(); }
    void byKeys();
    void byMouse();
    void endsWithEscape();
    void showsALongChatAtItsMessage();
    void inAProject();
    void inANarrowWindow();
    void whileTheListIsHidden();

private:
    void say(const char* question, const char* answer);
    void search(const char* words, int hits);
    bool hasFocus(const char* name) const {
        const QQuickItem* item = ui_->window()->activeFocusItem();
        return item != nullptr && item->objectName() == QLatin1String(name);
    }
    QString says() const {
        const QQuickItem* item = ui_->item(QStringLiteral("searchSays"));
        return item == nullptr ? QString() : item->property("text").toString();
    }
    // The title of the chat that is shown.
    QString title() const { return ui_->app().chats()->currentTitle(); }

    std::unique_ptr<UiWindow> ui_;
};

void SearchTest::init() {
    ui_ = std::make_unique<UiWindow>();
    QVERIFY(ui_->ok() && ui_->activate());
    say("How long does bread keep?", "In a paper bag about **three days**.");
    say("And noodles?", "Dry ones for years.");
    say("你好", "中国人喜欢面条");
}

void SearchTest::say(const char* question, const char* answer) {
    ui_->inference().setScripts({FakeInference::scriptFrom(QString::fromUtf8(answer))});
    ui_->app().chats()->newConversation();
    QVERIFY(ui_->ask(QString::fromUtf8(question)));
}

void SearchTest::search(const char* words, int hits) {
    ui_->press(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(hasFocus("searchChats"));
    ui_->type(QString::fromUtf8(words));
    QTRY_COMPARE(ui_->app().search()->hits()->count(), hits);
    ui_->settle();
    QCOMPARE(ui_->items(QStringLiteral("searchHit")).size(), hits);
}

void SearchTest::byKeys() {
    search("bread", 1);
    QVERIFY(ui_->items(QStringLiteral("conversation")).isEmpty());
    const QQuickItem* hit = ui_->item(QStringLiteral("searchHit"));
    QCOMPARE(hit->property("title").toString(), QStringLiteral("How long does bread keep?"));
    ui_->press(Qt::Key_Return);
    QCOMPARE(title(), QStringLiteral("How long does bread keep?"));
    QTRY_COMPARE(ui_->items(QStringLiteral("foundMark")).size(), 1);
    // The next one, from the field, down into the hits and back up.
    ui_->press(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(ui_->item(QStringLiteral("searchChats"))->property("selectedText").toString(),
             QStringLiteral("bread"));  // what is typed replaces it
    ui_->item(QStringLiteral("searchChats"))->setProperty("text", QStringLiteral("中国"));
    QTRY_COMPARE(ui_->app().search()->hits()->count(), 1);
    QTRY_COMPARE(ui_->item(QStringLiteral("searchHit"))->property("title").toString(),
                 QStringLiteral("你好"));
    ui_->settle();
    ui_->press(Qt::Key_Down);
    QVERIFY(hasFocus("searchHit"));
    ui_->press(Qt::Key_Up);
    QVERIFY(hasFocus("searchChats"));
    ui_->press(Qt::Key_Down);
    ui_->press(Qt::Key_Return);
    QCOMPARE(title(), QStringLiteral("你好"));
    QTRY_COMPARE(ui_->items(QStringLiteral("foundMark")).size(), 1);
}

void SearchTest::byMouse() {
    search("d", 4);
    ui_->click(ui_->downwards(QStringLiteral("searchHit")).at(1));
    QCOMPARE(title(), QStringLiteral("And noodles?"));
    // The hits stay, for the next one.
    ui_->click(ui_->downwards(QStringLiteral("searchHit")).at(3));
    QCOMPARE(title(), QStringLiteral("How long does bread keep?"));
}

void SearchTest::endsWithEscape() {
    search("zebra", 0);
    QTRY_COMPARE(says(), QStringLiteral("No message has these words."));
    ui_->press(Qt::Key_Escape);
    QCOMPARE(ui_->app().search()->query(), QString());
    QCOMPARE(ui_->items(QStringLiteral("conversation")).size(), 3);
    QVERIFY(hasFocus("searchChats"));
    ui_->press(Qt::Key_Escape);
    QVERIFY(hasFocus("composerInput"));
    // From a hit likewise.
    search("bread", 1);
    ui_->press(Qt::Key_Down);
    ui_->press(Qt::Key_Escape);
    QVERIFY(hasFocus("searchChats"));
    QCOMPARE(ui_->items(QStringLiteral("conversation")).size(), 3);
}

void SearchTest::showsALongChatAtItsMessage() {
    say("The needle", "is here.");
    for (int i = 0; i < 12; ++i) {
        ui_->inference().setScripts(
            {FakeInference::scriptFrom(QStringLiteral("One more line of many.\n\n").repeated(8))});
        QVERIFY(ui_->ask(QStringLiteral("Go on %1").arg(i)));
    }
    search("needle", 1);
    ui_->press(Qt::Key_Return);
    ui_->settle();
    QTRY_COMPARE(ui_->items(QStringLiteral("foundMark")).size(), 1);
    const QRectF mark = UiWindow::area(ui_->item(QStringLiteral("foundMark")));
    const QRectF list = UiWindow::area(ui_->item(QStringLiteral("messageList")));
    QVERIFY2(list.contains(mark.center()), qPrintable(QString::number(mark.center().y())));
    // It stays there: nothing pulls the view to the end.
    ui_->settle();
    QVERIFY(list.contains(UiWindow::area(ui_->item(QStringLiteral("foundMark"))).center()));
    // Another chat has no mark.
    ui_->app().chats()->newConversation();
    ui_->settle();
    QVERIFY(ui_->items(QStringLiteral("foundMark")).isEmpty());
}

// From the project's menu; Escape, and the button in the field, search all chats again.
void SearchTest::inAProject() {
    const qint64 garden = ui_->app().projects()->add(QStringLiteral("Garden"));
    ui_->app().chats()->newConversationIn(garden);
    ui_->inference().setScripts({FakeInference::scriptFrom(QStringLiteral("Yes."))});
    QVERIFY(ui_->ask(QStringLiteral("Bread for birds?")));
    ui_->settle();
    const auto askProject = [this] {
        ui_->item(QStringLiteral("project"))->forceActiveFocus();
        ui_->press(Qt::Key_F10, Qt::ShiftModifier);
        ui_->settle();
        QTRY_VERIFY(ui_->item(QStringLiteral("searchInProject")) != nullptr);
        ui_->click(ui_->item(QStringLiteral("searchInProject")));
        QTRY_VERIFY(hasFocus("searchChats"));
    };
    askProject();
    QCOMPARE(UiWindow::accessibleName(ui_->item(QStringLiteral("searchChats"))),
             QStringLiteral("Search the chats of Garden"));
    ui_->type(QStringLiteral("bread"));
    QTRY_COMPARE(ui_->app().search()->hits()->count(), 1);
    QCOMPARE(ui_->item(QStringLiteral("searchHit"))->property("title").toString(),
             QStringLiteral("Bread for birds?"));
    ui_->click(ui_->item(QStringLiteral("searchAllChats")));
    QTRY_COMPARE(ui_->app().search()->hits()->count(), 2);
    QVERIFY(hasFocus("searchChats"));
    QCOMPARE(UiWindow::accessibleName(ui_->item(QStringLiteral("searchChats"))),
             QStringLiteral("Search all chats"));
    QVERIFY(ui_->item(QStringLiteral("searchAllChats")) == nullptr);
    ui_->press(Qt::Key_Escape);
    askProject();
    ui_->press(Qt::Key_Escape);
    QCOMPARE(ui_->app().search()->project(), kNoId);
    QVERIFY(hasFocus("searchChats"));
}

void SearchTest::inANarrowWindow() {
    ui_->window()->resize(480, 720);
    ui_->settle();
    search("bread", 1);
    ui_->press(Qt::Key_Return);
    ui_->settle();
    QVERIFY(ui_->item(QStringLiteral("sidebar")) == nullptr);
    QCOMPARE(title(), QStringLiteral("How long does bread keep?"));
    QTRY_COMPARE(ui_->items(QStringLiteral("foundMark")).size(), 1);
}

void SearchTest::whileTheListIsHidden() {
    ui_->press(Qt::Key_B, Qt::ControlModifier);
    ui_->settle();
    QVERIFY(ui_->item(QStringLiteral("sidebar")) == nullptr);
    search("bread", 1);
    QVERIFY(ui_->item(QStringLiteral("sidebar")) != nullptr);
}

QTEST_MAIN(SearchTest)
#include "search_test.moc"
