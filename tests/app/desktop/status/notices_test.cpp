#include "status/notices.h"

#include <QtTest>

#include "app/desktop/app_fixture.h"

using namespace hearth::ui;

class NoticesTest : public QObject, AppFixture {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { begin(); }
    void cleanup() { end(); }

    void reportsDroppedMessages();
    void reportsAFullContext();
    void clearsWhatIsNoLongerTrue();
    void keepsNoticesWithTheirConversation();
    void clearsADiskNoticeOnceWritten();
    void keepsWhatAStartFoundOut();
    void staysClosedWhileItIsTrue();
    void goesWithWhatItIsAbout();
    void waitsForTheOneBefore();
    void saysAConditionAsItIsNow();
};

void NoticesTest::reportsDroppedMessages() {
    auto script = FakeInference::scriptFrom(QStringLiteral("ok"));
    script.summary.droppedMessages = 4;
    fake_->setScripts({script});
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    QCOMPARE(notices().kind(), QStringLiteral("info"));
    QVERIFY2(notices().text().startsWith(QLatin1String("The first 4 messages no longer fit")),
             qPrintable(notices().text()));
    QVERIFY(notices().text().contains(QLatin1String("1024")));
    notices().dismiss();
    QVERIFY(notices().text().isEmpty());
}

void NoticesTest::reportsAFullContext() {
    auto script = FakeInference::scriptFrom(QStringLiteral("ok"));
    script.summary.finish = GenerationSummary::Finish::Length;
    fake_->setScripts({script});
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    QVERIFY(last().state == MessageState::Complete);
    QVERIFY(notices().text().contains(QLatin1String("context (1024 tokens) is full")));
}

void NoticesTest::clearsWhatIsNoLongerTrue() {
    auto cut = FakeInference::scriptFrom(QStringLiteral("ok"));
    cut.summary.droppedMessages = 8;
    const auto whole = FakeInference::scriptFrom(QStringLiteral("ok"));
    fake_->setScripts({cut, whole, cut, whole});
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    QVERIFY(notices().text().startsWith(QLatin1String("The first 8 messages")));
    QVERIFY(replies().send(QStringLiteral("short")));
    waitForAnswer();
    QCOMPARE(notices().text(), QString());

    // Likewise out of sight, before anybody has read it.
    const qint64 first = chats().currentId();
    fake_->pauseAfter(0);
    QVERIFY(replies().send(QStringLiteral("q")));
    chats().newConversation();
    fake_->pauseAfter(-1);
    waitForAnswer();
    chats().select(first);
    QVERIFY(!notices().text().isEmpty());
    fake_->pauseAfter(0);
    QVERIFY(replies().send(QStringLiteral("q")));
    chats().newConversation();
    fake_->pauseAfter(-1);
    waitForAnswer();
    chats().select(first);
    QCOMPARE(notices().text(), QString());

    // A notice about something else is not for an answer to clear.
    notices().notify(QStringLiteral("warning"), QStringLiteral("Something."));
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    QVERIFY(!notices().text().isEmpty());
}

void NoticesTest::keepsNoticesWithTheirConversation() {
    auto script = FakeInference::scriptFrom(QStringLiteral("ok"));
    script.summary.droppedMessages = 4;
    fake_->setScripts({script});
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    const qint64 first = chats().currentId();
    QVERIFY(!notices().text().isEmpty());
    chats().newConversation();
    QVERIFY(notices().text().isEmpty());

    // Ended out of sight: said when the conversation is looked at.
    chats().select(first);
    QVERIFY(notices().text().isEmpty());
    QVERIFY(replies().send(QStringLiteral("q")));
    chats().newConversation();
    waitForAnswer();
    QVERIFY(notices().text().isEmpty());
    chats().select(first);
    QVERIFY(notices().text().startsWith(QLatin1String("The first 4 messages no longer fit")));

    // What is about the program stays.
    notices().notify(QStringLiteral("warning"), QStringLiteral("general"));
    chats().newConversation();
    QCOMPARE(notices().text(), QStringLiteral("general"));
}

void NoticesTest::clearsADiskNoticeOnceWritten() {
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    const qint64 id = chats().currentId();
    const QString big(200'000, QLatin1Char('y'));
    fillDisk(true);
    QVERIFY(!replies().send(big));
    QVERIFY(notices().text().contains(QLatin1String("disk is full")));
    chats().detach(0);
    chats().setDraft(QStringLiteral("small"));  // fits all the same
    app_->flush();
    QVERIFY(notices().text().contains(QLatin1String("disk is full")));
    fillDisk(false);
    chats().rename(id, QStringLiteral("Rain"));
    QVERIFY2(notices().text().isEmpty(), qPrintable(notices().text()));

    fillDisk(true);
    chats().setDraft(big);
    app_->flush();
    QVERIFY(notices().text().contains(QLatin1String("not saved yet")));
    fillDisk(false);
    app_->flush();
    QVERIFY2(notices().text().isEmpty(), qPrintable(notices().text()));

    notices().notifyAboutDisk(QStringLiteral("error"), QStringLiteral("full"));
    QVERIFY(replies().send(QStringLiteral("q")));
    QVERIFY(notices().text().isEmpty());
    waitForAnswer();

    // As long as an answer is not on disk, another write says nothing.
    fake_->setScripts({FakeInference::scriptFrom(big)});
    QVERIFY(replies().send(QStringLiteral("more")));
    fillDisk(true);
    QTRY_VERIFY_WITH_TIMEOUT(!replies().generating(), 60'000);
    chats().rename(id, QStringLiteral("Snow"));
    QVERIFY(!notices().text().isEmpty());
    fillDisk(false);
    QTRY_COMPARE(notices().text(), QStringLiteral("All answers are saved now."));
}

// Bad settings, and a model that cannot be opened: both are read.
void NoticesTest::keepsWhatAStartFoundOut() {
    const QString warning = QStringLiteral("warning");
    notices().notifyAtStart(warning, QStringLiteral("Settings."));
    notices().notifyAtStart(warning, QStringLiteral("Arguments."));
    QCOMPARE(notices().text(), QStringLiteral("Settings."));
    fake_->setLoadError(QStringLiteral("Broken."));
    model().openPath(QStringLiteral("/models/broken.gguf"));
    QTRY_COMPARE(notices().text(), QStringLiteral("Broken."));
    QCOMPARE(notices().action(), QStringLiteral("openModel"));
    notices().dismiss();
    QCOMPARE(notices().text(), QStringLiteral("Settings."));
    QCOMPARE(notices().kind(), warning);
    QCOMPARE(notices().action(), QString());
    notices().dismiss();
    QCOMPARE(notices().text(), QStringLiteral("Arguments."));
    notices().dismiss();
    QCOMPARE(notices().text(), QString());
    // Nothing comes back that was read.
    notices().notify(QStringLiteral("info"), QStringLiteral("Else."));
    notices().dismiss();
    QCOMPARE(notices().text(), QString());
}

// Closed once, a condition is not told again with every try; it is when it begins anew.
void NoticesTest::staysClosedWhileItIsTrue() {
    const QString big(50'000, QLatin1Char('y'));
    for (int round = 0; round < 2; ++round) {
        fillDisk(true);
        chats().setDraft(big);
        app_->flush();
        QVERIFY(notices().text().contains(QLatin1String("not saved yet")));
        notices().dismiss();
        chats().setDraft(big + QLatin1Char('x'));
        app_->flush();
        QCOMPARE(notices().text(), QString());
        fillDisk(false);
        app_->flush();
        QCOMPARE(notices().text(), QString());
        chats().setDraft(QString());
        for (qsizetype left = chats().attachments().size(); left > 0; --left) {
            chats().detach(0);
        }
        app_->flush();
        QSqlQuery query(QSqlDatabase::database(store_->connectionName()));
        QVERIFY(query.exec(QStringLiteral("VACUUM")));  // no page of it is left to be used again
    }

    // An answer: its checkpoints fail, and then its end.
    for (int round = 0; round < 2; ++round) {
        fake_->setScripts({FakeInference::scriptFrom(QString(200'000, QLatin1Char('y')))});
        fake_->pauseAfter(1);
        QVERIFY(replies().send(QStringLiteral("q")));
        fillDisk(true);
        fake_->pauseAfter(-1);
        QTRY_VERIFY_WITH_TIMEOUT(notices().text().contains(QLatin1String("not saved yet")), 60'000);
        notices().dismiss();
        QTRY_VERIFY_WITH_TIMEOUT(!replies().generating(), 60'000);
        QCOMPARE(notices().text(), QString());
        fillDisk(false);
        QTRY_COMPARE(notices().text(), QStringLiteral("All answers are saved now."));
        notices().dismiss();
    }

    for (int round = 0; round < 2; ++round) {
        emit settings_->notKept(QStringLiteral("Settings are not kept."));
        QCOMPARE(notices().text(), QStringLiteral("Settings are not kept."));
        notices().dismiss();
        emit settings_->notKept(QStringLiteral("Settings are not kept."));
        QCOMPARE(notices().text(), QString());
        emit settings_->kept();
    }
}

void NoticesTest::goesWithWhatItIsAbout() {
    // The model that is gone is no news once another one is chosen, also behind another notice.
    notices().notifyAtStart(QStringLiteral("info"), QStringLiteral("Gone."), true);
    QCOMPARE(notices().text(), QStringLiteral("Gone."));
    notices().notify(QStringLiteral("info"), QStringLiteral("Downloaded."));
    model().openPath(QStringLiteral("/models/other.gguf"));
    notices().dismiss();
    QCOMPARE(notices().text(), QString());
    QTRY_COMPARE(model().state(), QStringLiteral("ready"));

    emit settings_->notKept(QStringLiteral("Settings are not kept."));
    notices().notify(QStringLiteral("info"), QStringLiteral("Downloaded."));
    notices().dismiss();  // it still holds, and nobody closed it
    QCOMPARE(notices().text(), QStringLiteral("Settings are not kept."));
    notices().notify(QStringLiteral("info"), QStringLiteral("Downloaded."));
    emit settings_->kept();
    notices().dismiss();
    QCOMPARE(notices().text(), QString());

    // A refused wish, until the next one.
    notices().notifyAboutChange(QStringLiteral("Too little memory."));
    settings_->set("window/motion", QStringLiteral("none"));
    QCOMPARE(notices().text(), QStringLiteral("Too little memory."));
    settings_->set("engine/ctx", QStringLiteral("2048"));
    QCOMPARE(notices().text(), QString());
}

// The second of two notices at once is not lost.
void NoticesTest::waitsForTheOneBefore() {
    auto script = FakeInference::scriptFrom(QStringLiteral("ok"));
    script.summary.droppedMessages = 4;
    fake_->setScripts({script});
    fake_->pauseAfter(0);
    QVERIFY(replies().send(QStringLiteral("q")));
    const qint64 first = chats().currentId();
    chats().newConversation();
    fake_->pauseAfter(-1);
    waitForAnswer();
    notices().notify(QStringLiteral("warning"), QStringLiteral("general"));
    chats().select(first);
    QCOMPARE(notices().text(), QStringLiteral("general"));
    notices().dismiss();
    QVERIFY(notices().text().startsWith(QLatin1String("The first 4 messages no longer fit")));
    notices().dismiss();
    QCOMPARE(notices().text(), QString());
    // Left before its turn came: it waits on.
    chats().newConversation();
    notices().notify(QStringLiteral("warning"), QStringLiteral("general"));
    notices().notifyAbout(first, false, QStringLiteral("About the first."));
    chats().select(first);
    chats().newConversation();
    notices().dismiss();
    QCOMPARE(notices().text(), QString());
    chats().select(first);
    QCOMPARE(notices().text(), QStringLiteral("About the first."));
}

// Said again in other words, also while another notice stands before it.
void NoticesTest::saysAConditionAsItIsNow() {
    const QString warning = QStringLiteral("warning");
    using Topic = Notices::Topic;
    notices().begin(Topic::Settings, warning, QStringLiteral("One."));
    notices().begin(Topic::Settings, warning, QStringLiteral("Two."));
    QCOMPARE(notices().text(), QStringLiteral("Two."));
    notices().notify(QStringLiteral("info"), QStringLiteral("Downloaded."));
    notices().begin(Topic::Settings, QStringLiteral("error"), QStringLiteral("Three."));
    QCOMPARE(notices().text(), QStringLiteral("Downloaded."));
    notices().begin(Topic::Packing, warning, QStringLiteral("Half."));
    QCOMPARE(notices().text(), QStringLiteral("Half."));
    notices().dismiss();
    QCOMPARE(notices().text(), QStringLiteral("Three."));
    QCOMPARE(notices().kind(), QStringLiteral("error"));
    notices().begin(Topic::Packing, warning, QStringLiteral("Half."));  // it was closed
    QCOMPARE(notices().text(), QStringLiteral("Three."));
    notices().end(Topic::Settings);
    QCOMPARE(notices().text(), QString());
    QVERIFY(notices().holds(Topic::Packing) && !notices().holds(Topic::Settings));
}

QTEST_MAIN(NoticesTest)
#include "notices_test.moc"
