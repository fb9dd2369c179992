// The banner alone: which notice stands, which waits, and what ends it, topic by topic.
#include <QSignalSpy>
#include <QtTest>

#include "status/notices.h"

using namespace hearth::ui;
using Topic = Notices::Topic;

class NoticeOrderTest : public QObject {
    Q_OBJECT

private slots:
    void conditionsStayClosed_data();
    void conditionsStayClosed();
    void endsWhatWaitsToo();
    void eachConversationHasItsOwn();
    void saysWhatTheDiskRefused();
};

void NoticeOrderTest::conditionsStayClosed_data() {
    QTest::addColumn<int>("topic");
    for (const auto& [name, topic] : {std::pair{"draft", Topic::Draft},
                                      {"answer", Topic::Answer},
                                      {"settings", Topic::Settings},
                                      {"packing", Topic::Packing}}) {
        QTest::newRow(name) << static_cast<int>(topic);
    }
}

void NoticeOrderTest::conditionsStayClosed() {
    QFETCH(const int, topic);
    const auto condition = static_cast<Topic>(topic);
    Notices notices;
    const QString kind = QStringLiteral("error");
    notices.begin(condition, kind, QStringLiteral("It holds."));
    QVERIFY(notices.holds(condition));
    QCOMPARE(notices.text(), QStringLiteral("It holds."));
    QCOMPARE(notices.kind(), kind);
    notices.dismiss();
    notices.begin(condition, kind, QStringLiteral("It holds."));
    QCOMPARE(notices.text(), QString());  // closed while it holds
    QVERIFY(notices.holds(condition));
    notices.end(condition);
    QVERIFY(!notices.holds(condition));
    notices.begin(condition, kind, QStringLiteral("Again."));
    QCOMPARE(notices.text(), QStringLiteral("Again."));
    // Another notice goes before it, and it comes back.
    notices.notify(QStringLiteral("info"), QStringLiteral("News."), QStringLiteral("openModel"));
    QCOMPARE(notices.text(), QStringLiteral("News."));
    QCOMPARE(notices.action(), QStringLiteral("openModel"));
    notices.dismiss();
    QCOMPARE(notices.text(), QStringLiteral("Again."));
    QCOMPARE(notices.action(), QString());
}

// A condition that has ended does not come back after the notice that went before it.
void NoticeOrderTest::endsWhatWaitsToo() {
    Notices notices;
    notices.begin(Topic::Draft, QStringLiteral("error"), QStringLiteral("Draft."));
    notices.begin(Topic::Answer, QStringLiteral("error"), QStringLiteral("Answer."));
    notices.notify(QStringLiteral("info"), QStringLiteral("News."));
    const QSignalSpy changed(&notices, &Notices::changed);
    notices.end(Topic::Answer);
    QCOMPARE(changed.size(), 0);  // another one is shown
    QCOMPARE(notices.text(), QStringLiteral("News."));
    notices.dismiss();
    QCOMPARE(notices.text(), QStringLiteral("Draft."));
    notices.dismiss();
    QCOMPARE(notices.text(), QString());
    QCOMPARE(changed.size(), 2);
}

void NoticeOrderTest::eachConversationHasItsOwn() {
    Notices notices;
    notices.enterConversation(1);
    notices.notifyAbout(2, false, QStringLiteral("Of the second."));
    notices.notifyAbout(3, false, QStringLiteral("Of the third."));
    notices.notifyAbout(1, true, QStringLiteral("Of the first."));
    QCOMPARE(notices.text(), QStringLiteral("Of the first."));
    notices.leaveConversation();
    QCOMPARE(notices.text(), QString());
    notices.enterConversation(2);
    QCOMPARE(notices.text(), QStringLiteral("Of the second."));
    notices.dismiss();
    notices.leaveConversation();
    notices.enterConversation(2);
    QCOMPARE(notices.text(), QString());  // it was read
    notices.forgetConversation(3);
    notices.leaveConversation();
    notices.enterConversation(3);
    QCOMPARE(notices.text(), QString());
    // Nobody is in a conversation: what closes shows none of another one.
    notices.notifyAbout(4, false, QStringLiteral("Of the fourth."));
    notices.enterConversation(4);
    QCOMPARE(notices.text(), QStringLiteral("Of the fourth."));
    notices.leaveConversation();
    notices.notifyAbout(4, false, QStringLiteral("Later."));
    notices.notify(QStringLiteral("info"), QStringLiteral("News."));
    notices.dismiss();
    QCOMPARE(notices.text(), QString());
    notices.enterConversation(4);
    QCOMPARE(notices.text(), QStringLiteral("Later."));
    notices.notifyAbout(4, true, {});  // it is no longer true
    QCOMPARE(notices.text(), QString());
}

void NoticeOrderTest::saysWhatTheDiskRefused() {
    const StoreError full{StoreError::Kind::DiskFull, {}};
    const QString why = QStringLiteral(" The disk is full. Make some room on it, then try again.");
    Notices notices;
    notices.storeFailed(QStringLiteral("It was not saved."), full);
    QCOMPARE(notices.text(), QStringLiteral("It was not saved.") + why);
    QCOMPARE(notices.kind(), QStringLiteral("error"));
    QVERIFY(!notices.holds(Topic::Disk));
    notices.storeWorked();
    QCOMPARE(notices.text(), QString());
    notices.storeFailed(QStringLiteral("Drafts."), full, Topic::Draft);
    QVERIFY(notices.holds(Topic::Draft));
    notices.storeWorked();  // a draft may still be refused
    QCOMPARE(notices.text(), QStringLiteral("Drafts.") + why);
    notices.end(Topic::Draft);
    QCOMPARE(notices.text(), QString());
}

QTEST_GUILESS_MAIN(NoticeOrderTest)
#include "notice_order_test.moc"
