// The search over all chats, as the window uses it: a question that a later one overtakes, what is
// said below the hits, and the way to a message.
#include "conversation/chat_search.h"

#include <QSignalSpy>
#include <QtTest>

#include "app/desktop/app_fixture.h"

using namespace hearth::ui;

class ChatSearchTest : public QObject, private AppFixture {
    Q_OBJECT

private slots:
    void init() {
        begin();
        fake_->setScripts({FakeInference::scriptFrom(QStringLiteral("Yes."))});
    }
    void cleanup() { end(); }
    void findsAsOneTypes();
    void saysWhatItDoes();
    void showsTheMessage();
    void showsAnotherVersion();
    void findsInAProject();
    void saysNothingOfMemory();
    void endsInTheMiddle();

private:
    ChatSearch& search() { return *app_->search(); }
    QVariant hit(int row, int role) {
        return search().hits()->data(search().hits()->index(row), role);
    }
    void ask(const QString& text) {
        QVERIFY(replies().send(text));
        waitForAnswer();
    }
};

void ChatSearchTest::findsAsOneTypes() {
    ask(QStringLiteral("Is **old** `bread` <good>?"));
    chats().newConversation();
    ask(QStringLiteral("Bread & butter"));
    search().setQuery(QStringLiteral("zebra"));
    search().setQuery(QStringLiteral("bread"));  // overtakes it
    QTRY_COMPARE(search().hits()->count(), 2);
    QCOMPARE(hit(0, SearchHitListModel::TitleRole).toString(), QStringLiteral("Bread & butter"));
    QCOMPARE(hit(0, SearchHitListModel::StyledRole).toString(),
             QStringLiteral("<b>Bread</b> &amp; butter"));
    QCOMPARE(hit(1, SearchHitListModel::LineRole).toString(),
             QStringLiteral("Is old bread <good>?"));
    QCOMPARE(hit(1, SearchHitListModel::StyledRole).toString(),
             QStringLiteral("Is old <b>bread</b> &lt;good&gt;?"));
    QCOMPARE(hit(1, SearchHitListModel::FromRole).toString(), QStringLiteral("user"));
    QVERIFY(!hit(2, SearchHitListModel::LineRole).isValid());
    search().setQuery(QStringLiteral("bread old"));
    QTRY_COMPARE(search().hits()->count(), 1);
    search().setQuery({});
    QCOMPARE(search().hits()->count(), 0);
    QCOMPARE(search().says(), QString());
}

void ChatSearchTest::saysWhatItDoes() {
    ask(QStringLiteral("bread"));
    search().setQuery(QStringLiteral("zebra"));
    QTRY_COMPARE(search().says(), QStringLiteral("No message has these words."));
    search().setQuery(QStringLiteral(" "));
    QCOMPARE(search().says(), QString());
    for (int i = 0; i < ChatSearch::kMostHits; ++i) {
        QVERIFY(store_->send(chats().currentId(), QStringLiteral("bread %1").arg(i)).has_value());
    }
    search().setQuery(QStringLiteral("bread"));
    QTRY_COMPARE(search().hits()->count(), ChatSearch::kMostHits);
    QCOMPARE(search().says(), QStringLiteral("The latest 50. Type more to find earlier ones."));
}

void ChatSearchTest::showsTheMessage() {
    ask(QStringLiteral("old bread"));
    const qint64 first = chats().currentId();
    const qint64 message = chats().messages()->messages().first().id;
    chats().newConversation();
    ask(QStringLiteral("something else"));
    QSignalSpy asked(&chats(), &Chats::messageAsked);
    chats().showMessage(first, message);
    QCOMPARE(chats().currentId(), first);
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked.first().first().toLongLong(), message);
    // A chat that has gone meanwhile.
    chats().newConversation();
    chats().remove(first);
    chats().showMessage(first, message);
    QCOMPARE(asked.size(), 1);
    QCOMPARE(chats().currentId(), kNoId);
}

void ChatSearchTest::showsAnotherVersion() {
    ask(QStringLiteral("old bread"));
    const qint64 answer = chats().messages()->messages().last().id;
    QVERIFY(replies().regenerate(answer));
    waitForAnswer();
    QCOMPARE(chats().messages()->indexOf(answer), -1);
    QSignalSpy asked(&chats(), &Chats::messageAsked);
    chats().showMessage(chats().currentId(), answer);
    QCOMPARE(chats().messages()->indexOf(answer), 1);
    QCOMPARE(asked.size(), 1);
}

// The same words in two projects and in none; a project that goes takes its limit with it.
void ChatSearchTest::findsInAProject() {
    Projects& projects = *app_->projects();
    const qint64 garden = projects.add(QStringLiteral("Garden"));
    const qint64 empty = projects.add(QStringLiteral("Empty"));
    chats().newConversationIn(garden);
    ask(QStringLiteral("old bread"));
    chats().newConversation();
    ask(QStringLiteral("new bread"));
    search().setQuery(QStringLiteral("bread"));
    QTRY_COMPARE(search().hits()->count(), 2);
    search().setProject(garden);
    QTRY_COMPARE(search().hits()->count(), 1);
    QCOMPARE(hit(0, SearchHitListModel::LineRole).toString(), QStringLiteral("old bread"));
    search().setProject(empty);
    QTRY_COMPARE(search().says(), QStringLiteral("No message of this project has these words."));
    QCOMPARE(search().hits()->count(), 0);
    projects.remove(garden, false);
    QCOMPARE(search().project(), empty);
    projects.remove(empty, false);
    QCOMPARE(search().project(), kNoId);
    QTRY_COMPARE(search().hits()->count(), 2);
}

void ChatSearchTest::saysNothingOfMemory() {
    app_.reset();
    ConversationStore store;
    store.openInMemory();
    AppController app(*fake_, store, *settings_);
    app.search()->setQuery(QStringLiteral("bread"));
    QCOMPARE(app.search()->says(),
             QStringLiteral("Chats cannot be searched while their folder cannot be written."));
    app.close();
}

void ChatSearchTest::endsInTheMiddle() {
    for (int i = 0; i < 60; ++i) {
        QVERIFY(store_->send(kNoId, QStringLiteral("bread %1").arg(i)).has_value());
    }
    search().setQuery(QStringLiteral("bread"));
    start();  // ends it without waiting for an answer
    search().setQuery(QStringLiteral("bread"));
    QTRY_COMPARE(search().hits()->count(), ChatSearch::kMostHits);
}

QTEST_MAIN(ChatSearchTest)
#include "chat_search_test.moc"
