#include "window/say_queue.h"

#include <QtTest>

#include "app/desktop/app_fixture.h"

using namespace hearth::ui;

// Texts of the command line: those of the start, and those that a later start hands over.
class SayQueueTest : public QObject, AppFixture {
    Q_OBJECT

private slots:
    void init() { begin(); }
    void cleanup() { end(); }

    void saysEachStartInItsOwnChat();
    void comesBackToItsChat();
    void goesOnAfterARefusal();
    void goesOnAfterADeletedChat();
    void goesOnAfterAStop();

private:
    // The chats, the oldest first: "One, Two".
    QStringList questions() {
        QStringList all;
        for (const ConversationSummary& chat : store_->conversations()) {
            QStringList texts;
            for (const Message& message : store_->activePath(chat.id)) {
                if (message.role == MessageRole::User) {
                    texts << message.content;
                }
            }
            all.prepend(texts.join(QStringLiteral(", ")));
        }
        return all;
    }
};

void SayQueueTest::saysEachStartInItsOwnChat() {
    SayQueue say(*app_, false);
    say.add({});  // a start without texts
    say.add({QStringLiteral("One"), QStringLiteral("Two")});
    say.add({QStringLiteral("Three")});
    say.add({QStringLiteral("Four"), QStringLiteral("Five")});
    QTRY_COMPARE(questions(), QStringList({"One, Two", "Three", "Four, Five"}));
    waitForAnswer();
    // And once all is said.
    say.add({QStringLiteral("Six")});
    QTRY_COMPARE(questions().size(), 4);
    QCOMPARE(questions().last(), QStringLiteral("Six"));
    waitForAnswer();
    QCOMPARE(fake_->generateCalls(), 6);
}

// The user looks at another chat, and asks there, while the first answer is written.
void SayQueueTest::comesBackToItsChat() {
    SayQueue say(*app_, false);
    fake_->pauseAfter(0);
    say.add({QStringLiteral("One"), QStringLiteral("Two")});
    QTRY_COMPARE(fake_->generateCalls(), 1);
    chats().newConversation();
    QVERIFY(replies().send(QStringLiteral("Mine")));
    fake_->pauseAfter(-1);
    QTRY_COMPARE(fake_->generateCalls(), 3);
    waitForAnswer();
    QStringList all = questions();
    all.sort();
    QCOMPARE(all, QStringList({"Mine", "One, Two"}));
}

// The disk takes nothing: what was to be said stands in the field, and later texts are said.
void SayQueueTest::goesOnAfterARefusal() {
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    SayQueue say(*app_, false);
    const QString big(50'000, QLatin1Char('y'));
    fillDisk(true);
    say.add({big});
    QTRY_COMPARE(chats().wholeDraft(), big);
    fillDisk(false);
    say.add({QStringLiteral("One"), QStringLiteral("Two")});
    QTRY_COMPARE(questions(), QStringList({"q", "One, Two"}));
    waitForAnswer();
}

void SayQueueTest::goesOnAfterADeletedChat() {
    SayQueue say(*app_, false);
    fake_->pauseAfter(0);
    say.add({QStringLiteral("One"), QStringLiteral("Two")});
    say.add({QStringLiteral("Three")});
    QTRY_COMPARE(fake_->generateCalls(), 1);
    fake_->pauseAfter(-1);
    chats().remove(chats().currentId());
    QTRY_COMPARE(questions(), QStringList({"Three"}));
    waitForAnswer();
}

// The text's answer waits behind the user's own.
void SayQueueTest::goesOnAfterAStop() {
    fake_->pauseAfter(0);
    QVERIFY(replies().send(QStringLiteral("Mine")));
    SayQueue say(*app_, false);
    say.add({QStringLiteral("One"), QStringLiteral("Two")});
    QTRY_COMPARE(questions().value(1), QStringLiteral("One"));
    QVERIFY(last().state == MessageState::Waiting);
    replies().stop();
    QTRY_COMPARE(questions().value(1), QStringLiteral("One, Two"));
    QVERIFY(last().state == MessageState::Waiting);
    QCOMPARE(fake_->generateCalls(), 1);
    fake_->pauseAfter(-1);
    waitForAnswer();
    QCOMPARE(fake_->generateCalls(), 2);
}

QTEST_MAIN(SayQueueTest)
#include "say_queue_test.moc"
