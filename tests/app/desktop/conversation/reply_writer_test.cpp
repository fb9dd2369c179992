#include "conversation/reply_writer.h"

#include <QElapsedTimer>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QtTest>

#include "app/desktop/app_fixture.h"

using namespace hearth::ui;

class ReplyWriterTest : public QObject, AppFixture {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { begin(); }
    void cleanup() { end(); }

    void checkpointsWhileAnswering();
    void writesNotEachPiece();
    void writesAtOnceWhenAsked();
    void survivesAFullDisk();
    void keepsWhyAnAnswerFailed();
    void savesTwoAnswersOnceThereIsRoom();
};

void ReplyWriterTest::checkpointsWhileAnswering() {
    fake_->setScripts({FakeInference::scriptFrom(QString(8000, QLatin1Char('x')))});
    fake_->setPieceDelayMs(1);
    QVERIFY(replies().send(QStringLiteral("q")));
    QTRY_VERIFY(!store_->message(last().id)->content.isEmpty());
    QVERIFY(replies().generating());
    const qsizetype before = store_->message(last().id)->content.size();
    QTRY_VERIFY(store_->message(last().id)->content.size() > before);
    QVERIFY(replies().generating());
}

// A slow disk would hold up the window. The time that passes bounds the writes: a busy machine is
// slower.
void ReplyWriterTest::writesNotEachPiece() {
    const auto changes = [&] {
        QSqlQuery query(QSqlDatabase::database(store_->connectionName()));
        return query.exec(QStringLiteral("SELECT total_changes()")) && query.next()
                   ? query.value(0).toLongLong()
                   : -1;
    };
    constexpr int kPieces = 500;
    constexpr qint64 kMostOfOne = 4;  // rows that one checkpoint changes
    fake_->setScripts({FakeInference::scriptFrom(QString(4 * kPieces, QLatin1Char('x')))});
    fake_->pauseAfter(1);
    QVERIFY(replies().send(QStringLiteral("q")));
    QTRY_VERIFY(!store_->message(last().id)->content.isEmpty());  // the first one
    const qint64 before = changes();
    QVERIFY(before > 0);
    QElapsedTimer clock;
    clock.start();
    fake_->pauseAfter(kPieces - 1);
    QTRY_COMPARE(last().content.size(), 4 * (kPieces - 1));
    QVERIFY(replies().generating());
    const qint64 most = kMostOfOne * (clock.elapsed() / ReplyWriter::kCheckpointMs + 2);
    QVERIFY2(changes() - before <= most, qPrintable(QString::number(changes() - before)));
    fake_->pauseAfter(-1);
    waitForAnswer();
}

// The end of the session asks for it, between two checkpoints.
void ReplyWriterTest::writesAtOnceWhenAsked() {
    fake_->setScripts({FakeInference::scriptFrom(QStringLiteral("12345678"))});
    fake_->pauseAfter(1);
    QVERIFY(replies().send(QStringLiteral("q")));
    QTRY_COMPARE(last().content, QStringLiteral("1234"));
    app_->flush();
    QCOMPARE(store_->message(last().id)->content, QStringLiteral("1234"));
    QVERIFY(store_->message(last().id)->state == MessageState::Generating);
    fake_->pauseAfter(-1);
    waitForAnswer();
    QCOMPARE(store_->message(last().id)->content, QStringLiteral("12345678"));
}

// The reason stays with an answer that is not on the disk yet, and another answer that is says
// nothing of that one.
void ReplyWriterTest::keepsWhyAnAnswerFailed() {
    const QString big(200'000, QLatin1Char('y'));
    FakeInference::Script broken;
    broken.pieces << big;
    broken.failWith = QStringLiteral("It broke.");
    fake_->setScripts({broken, FakeInference::scriptFrom(QStringLiteral("ok"))});
    fake_->pauseAfter(0);
    QVERIFY(replies().send(QStringLiteral("q")));
    const qint64 first = chats().currentId();
    chats().newConversation();
    QVERIFY(replies().send(QStringLiteral("r")));
    const qint64 second = last().id;
    fillDisk(true);
    fake_->pauseAfter(-1);
    QTRY_VERIFY_WITH_TIMEOUT(!replies().generating(), 60'000);
    QCOMPARE(store_->message(second)->content, QStringLiteral("ok"));  // it fits all the same
    QVERIFY(notices().holds(Notices::Topic::Answer));
    chats().select(first);
    QVERIFY(last().state == MessageState::Failed);
    QCOMPARE(last().errorText, QStringLiteral("It broke."));
    QCOMPARE(last().content, big);
    fillDisk(false);
    QTRY_VERIFY(store_->message(last().id)->state == MessageState::Failed);
    QCOMPARE(store_->message(last().id)->errorText, QStringLiteral("It broke."));
    QVERIFY(!notices().holds(Notices::Topic::Answer));
}

void ReplyWriterTest::survivesAFullDisk() {
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    fillDisk(true);
    const QString big(200'000, QLatin1Char('y'));
    chats().setDraft(big);
    QVERIFY(!replies().send(big));
    QCOMPARE(chats().wholeDraft(), big);
    QCOMPARE(notices().kind(), QStringLiteral("error"));
    QVERIFY(notices().text().contains(QLatin1String("disk is full")));
    QVERIFY(notices().text().contains(QLatin1String("still in the input field")));
    QCOMPARE(chats().messages()->count(), 2);

    // The disk fills while an answer is written: it goes on, and is saved when there is room.
    fillDisk(false);
    fake_->setScripts({FakeInference::scriptFrom(big)});
    QVERIFY(replies().send(QStringLiteral("more")));
    fillDisk(true);
    QTRY_VERIFY_WITH_TIMEOUT(!replies().generating(), 60'000);
    QCOMPARE(last().content, big);
    QVERIFY(notices().text().contains(QLatin1String("not saved yet")));
    chats().newConversation();
    chats().select(chats().conversations()->idAt(0));
    QCOMPARE(last().content, big);  // not lost by looking elsewhere
    fillDisk(false);
    QTRY_COMPARE(store_->message(last().id)->content, big);
    QVERIFY(store_->message(last().id)->state == MessageState::Complete);
}

// One answer after the other, in two chats; and a third when the disk fills again.
void ReplyWriterTest::savesTwoAnswersOnceThereIsRoom() {
    const QString big(50'000, QLatin1Char('y'));
    const QString bigger(60'000, QLatin1Char('z'));
    for (int round = 0; round < 2; ++round) {
        fake_->setScripts({FakeInference::scriptFrom(big), FakeInference::scriptFrom(bigger)});
        fake_->pauseAfter(0);
        QList<qint64> ids;
        for (int i = 0; i < 2; ++i) {
            chats().newConversation();
            QVERIFY(replies().send(QStringLiteral("q")));
            ids << chats().currentId();
        }
        fillDisk(true);
        fake_->pauseAfter(-1);
        QTRY_VERIFY_WITH_TIMEOUT(!replies().generating(), 60'000);
        for (int i = 0; i < 2; ++i) {
            chats().newConversation();
            chats().select(ids.at(i));
            QCOMPARE(last().content, i == 0 ? big : bigger);
            QVERIFY(last().state == MessageState::Complete);
            QVERIFY(store_->message(last().id)->state == MessageState::Generating);
        }
        notices().dismiss();
        fillDisk(false);
        QTRY_COMPARE(notices().text(), QStringLiteral("All answers are saved now."));
        notices().dismiss();
        for (int i = 0; i < 2; ++i) {
            const qint64 answer = store_->activePath(ids.at(i)).last().id;
            QCOMPARE(store_->message(answer)->content, i == 0 ? big : bigger);
            QVERIFY(store_->message(answer)->state == MessageState::Complete);
        }
    }
}

QTEST_MAIN(ReplyWriterTest)
#include "reply_writer_test.moc"
