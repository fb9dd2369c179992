#include "conversation/chats.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QtTest>

#include "app/desktop/app_fixture.h"

using namespace hearth::ui;

class ChatsTest : public QObject, AppFixture {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { begin(); }
    void cleanup() { end(); }

    void deletesAndBringsBack();
    void undoesEveryDeletion();
    void offersToUndoAlsoAfterAStart();
    void changesNothingThatTheDiskRefuses();
    void keepsDeletedChatsForThirtyDays();
    void deletesWhileAnswering();
    void renames();
    void keepsDrafts();
    void keepsADraftThatIsNotSent();
    void takesASavedDraftAlong();
    void keepsDraftsThatTheDiskRefuses();
    void keepsARefusedTextThatWasNoDraft();
    void listsThePreviewOfTheVersionShown();
    void marksTheChatThatIsShown();
    void savesARefusedDraftByItself();
    void keepsPiecesThatNothingWasTypedBeside();
    void keepsLongPiecesBesideTheField();
    void saysNothingCanBeChanged();
    void opensLongConversations();
    void opensChatsAtTheBorder();

private:
    static QList<qint64> idsOf(const QList<Message>& messages) {
        QList<qint64> ids;
        for (const Message& message : messages) {
            ids << message.id;
        }
        return ids;
    }
};

void ChatsTest::deletesAndBringsBack() {
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    const qint64 id = chats().currentId();
    QSignalSpy undo(&chats(), &Chats::undoChanged);
    chats().remove(id);
    QCOMPARE(chats().currentId(), kNoId);
    QCOMPARE(chats().messages()->count(), 0);
    QCOMPARE(chats().conversations()->count(), 0);
    QVERIFY(chats().undoOffered());
    QCOMPARE(chats().undoText(), QString::fromUtf8("Deleted: “q”"));
    chats().undoDelete();
    QVERIFY(!chats().undoOffered());
    QCOMPARE(undo.size(), 2);
    QCOMPARE(chats().currentId(), id);
    QCOMPARE(texts(), QStringList({"q", "You said: q"}));
    chats().undoDelete();  // nothing to undo

    chats().remove(id);
    chats().dismissUndo();
    QVERIFY(!chats().undoOffered());
    start(false);
    QCOMPARE(chats().conversations()->count(), 0);
}

void ChatsTest::undoesEveryDeletion() {
    QList<qint64> ids;
    for (const char* text : {"One", "Two", "Three"}) {
        chats().newConversation();
        QVERIFY(replies().send(QString::fromLatin1(text)));
        waitForAnswer();
        ids << chats().currentId();
    }
    for (qint64 id : ids) {
        chats().remove(id);
    }
    QCOMPARE(chats().binCount(), 3);
    QCOMPARE(chats().undoText(), QString::fromUtf8("Deleted: 3 chats, the latest “Three”"));
    chats().undoDelete();
    QCOMPARE(chats().currentId(), ids.at(2));
    QCOMPARE(chats().undoText(), QString::fromUtf8("Deleted: 2 chats, the latest “Two”"));

    start(false);  // the offer is gone, and nothing else is
    QCOMPARE(chats().conversations()->count(), 1);
    QVERIFY(!chats().undoOffered() && chats().undoText().isEmpty());
    QCOMPARE(chats().binCount(), 2);
    chats().undoDelete();
    QCOMPARE(chats().currentTitle(), QStringLiteral("Two"));
    chats().undoDelete();
    QCOMPARE(texts(), QStringList({"One", "You said: One"}));
    chats().undoDelete();  // there is no more
    QCOMPARE(chats().conversations()->count(), 3);
    QCOMPARE(chats().binCount(), 0);
}

// Chats that an earlier start deleted were never offered on this one's bar.
void ChatsTest::offersToUndoAlsoAfterAStart() {
    for (const char* text : {"One", "Two", "Three"}) {
        chats().newConversation();
        QVERIFY(replies().send(QString::fromLatin1(text)));
        waitForAnswer();
    }
    // Not in the order in which they were made, and not in one millisecond.
    const auto idOf = [this](const char* title) {
        for (const ConversationSummary& row : chats().conversations()->rows()) {
            if (row.title == QLatin1String(title)) {
                return row.id;
            }
        }
        return kNoId;
    };
    chats().remove(idOf("Two"));
    QTest::qWait(2);
    chats().remove(idOf("One"));
    start(false);
    chats().undoDelete();
    QCOMPARE(chats().currentTitle(), QStringLiteral("One"));
    QVERIFY(!chats().undoOffered());
    chats().remove(idOf("Three"));
    QVERIFY(chats().undoOffered());
    QCOMPARE(chats().undoText(), QString::fromUtf8("Deleted: “Three”"));
    // The bar that was closed counts from one again.
    chats().dismissUndo();
    chats().remove(idOf("One"));
    QCOMPARE(chats().undoText(), QString::fromUtf8("Deleted: “One”"));
    QCOMPARE(chats().binCount(), 3);
}

// The list says what the disk has.
void ChatsTest::changesNothingThatTheDiskRefuses() {
    fake_->setScripts({FakeInference::scriptFrom(QStringLiteral("Of rain.")),
                       FakeInference::scriptFrom(QStringLiteral("Of snow."))});
    for (const char* text : {"One", "Two"}) {
        chats().newConversation();
        QVERIFY(replies().send(QString::fromLatin1(text)));
        waitForAnswer();
    }
    const qint64 id = chats().currentId();
    QVERIFY(replies().regenerate(last().id));
    waitForAnswer();
    chats().remove(chats().conversations()->idAt(1));
    const QStringList before = texts();
    const auto refuse = [this](bool refuses) {
        QSqlQuery query(QSqlDatabase::database(store_->connectionName()));
        QVERIFY(query.exec(QStringLiteral("PRAGMA query_only = %1").arg(refuses ? 1 : 0)));
    };
    const auto said = [this](const char* sentence) {
        const bool is = notices().text().startsWith(QLatin1String(sentence));
        notices().dismiss();
        return is;
    };
    refuse(true);
    chats().remove(id);
    QVERIFY(said("The conversation was not deleted."));
    QCOMPARE(chats().currentId(), id);
    QCOMPARE(chats().conversations()->count(), 1);
    QCOMPARE(chats().binCount(), 1);
    chats().undoDelete();
    QVERIFY(said("The conversation was not brought back."));
    QCOMPARE(chats().conversations()->count(), 1);
    QCOMPARE(chats().binCount(), 1);
    QVERIFY(chats().undoOffered());
    chats().rename(id, QStringLiteral("Three"));
    QVERIFY(said("The conversation was not renamed."));
    QCOMPARE(chats().currentTitle(), QStringLiteral("Two"));
    chats().selectVersion(last().id, 0);
    QVERIFY(said("The other version could not be shown."));
    QVERIFY(!replies().regenerate(last().id));
    QVERIFY(said("The new answer could not be started."));
    QVERIFY(!replies().edit(chats().messages()->messages().first().id, QStringLiteral("Else")));
    QVERIFY(said("The changed message was not sent."));
    QVERIFY(!replies().edit(last().id, QStringLiteral("Else")));
    QVERIFY(said("The change was not saved."));
    QCOMPARE(texts(), before);
    QVERIFY(!replies().generating());
    // Once it takes them, each is done.
    refuse(false);
    chats().undoDelete();
    QCOMPARE(chats().conversations()->count(), 2);
    chats().remove(id);
    QCOMPARE(chats().conversations()->count(), 1);
}

void ChatsTest::keepsDeletedChatsForThirtyDays() {
    for (const char* text : {"old", "young"}) {
        chats().newConversation();
        QVERIFY(replies().send(QString::fromLatin1(text)));
        waitForAnswer();
        chats().remove(chats().currentId());
    }
    QCOMPARE(chats().binCount(), 2);
    QSqlQuery query(QSqlDatabase::database(store_->connectionName()));
    const auto age = [&](const char* title, int days) {
        QVERIFY(query.exec(QStringLiteral("UPDATE conversations SET deleted_at = deleted_at - %1"
                                          " WHERE title = '%2'")
                               .arg(qint64{days} * 24 * 60 * 60 * 1000)
                               .arg(QLatin1String(title))));
    };
    age("old", 31);
    age("young", 29);
    query.clear();
    start(false);
    QCOMPARE(chats().binCount(), 1);
    chats().undoDelete();
    QCOMPARE(chats().currentTitle(), QStringLiteral("young"));
}

void ChatsTest::deletesWhileAnswering() {
    fake_->setScripts({FakeInference::scriptFrom(QString(4000, QLatin1Char('x')))});
    fake_->setPieceDelayMs(1);
    QVERIFY(replies().send(QStringLiteral("q")));
    QTRY_VERIFY(last().content.size() > 20);
    const qint64 id = chats().currentId();
    chats().remove(id);
    waitForAnswer();
    QCOMPARE(chats().conversations()->count(), 0);
    chats().undoDelete();
    QVERIFY(last().state == MessageState::Stopped);
    QVERIFY(last().content.size() > 20);
}

void ChatsTest::renames() {
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    const qint64 id = chats().currentId();
    QSignalSpy title(&chats(), &Chats::currentTitleChanged);
    chats().rename(id, QStringLiteral("  My\n rain "));
    QCOMPARE(chats().currentTitle(), QStringLiteral("My rain"));
    QVERIFY(title.size() >= 1);
    chats().rename(id, QStringLiteral("   "));
    QCOMPARE(chats().currentTitle(), QStringLiteral("My rain"));
    chats().rename(id, QString(5000, QLatin1Char('x')));
    QCOMPARE(chats().currentTitle().size(), 200);
}

void ChatsTest::keepsDrafts() {
    chats().setDraft(QStringLiteral("for a new one"));
    chats().newConversation();
    QCOMPARE(chats().draft(), QStringLiteral("for a new one"));
    QVERIFY(replies().send(QStringLiteral("for a new one")));
    QCOMPARE(chats().draft(), QString());
    waitForAnswer();
    chats().setDraft(QStringLiteral("reply"));
    const qint64 id = chats().currentId();
    chats().newConversation();
    QCOMPARE(chats().draft(), QString());
    chats().setDraft(QStringLiteral("fresh"));
    chats().select(id);
    QCOMPARE(chats().draft(), QStringLiteral("reply"));
    start();  // the end of the program writes it
    QCOMPARE(chats().draft(), QStringLiteral("fresh"));
    chats().setDraft(QStringLiteral("fresher"));
    QTRY_COMPARE(store_->draft(kNoId), QStringLiteral("fresher"));  // also by itself
}

void ChatsTest::keepsADraftThatIsNotSent() {
    chats().setDraft(QStringLiteral("half a thought"));
    QVERIFY(replies().send(QStringLiteral("a suggestion clicked")));
    QCOMPARE(chats().draft(), QStringLiteral("half a thought"));
    waitForAnswer();
    app_->flush();
    QCOMPARE(store_->draft(chats().currentId()), QStringLiteral("half a thought"));
    QCOMPARE(store_->draft(kNoId), QString());
}

// The text in the field, saved for a new chat, moves to the chat that a suggestion opens.
void ChatsTest::takesASavedDraftAlong() {
    chats().setDraft(QStringLiteral("half a thought"));
    QTRY_COMPARE(store_->draft(kNoId), QStringLiteral("half a thought"));
    QVERIFY(replies().send(QStringLiteral("a suggestion clicked")));
    waitForAnswer();
    QCOMPARE(chats().draft(), QStringLiteral("half a thought"));
    const qint64 id = chats().currentId();
    chats().newConversation();
    QCOMPARE(chats().draft(), QString());
    QCOMPARE(store_->draft(kNoId), QString());
    QCOMPARE(store_->draft(id), QStringLiteral("half a thought"));
    start();
    QCOMPARE(chats().draft(), QString());
    chats().select(id);
    QCOMPARE(chats().draft(), QStringLiteral("half a thought"));
}

// Refused messages of two chats, whatever is clicked in between; and the same once there is room.
void ChatsTest::keepsDraftsThatTheDiskRefuses() {
    QList<qint64> ids;
    for (const char* text : {"One", "Two"}) {
        chats().newConversation();
        QVERIFY(replies().send(QString::fromLatin1(text)));
        waitForAnswer();
        ids << chats().currentId();
    }
    const QString big(50'000, QLatin1Char('y'));
    const QString bigger(60'000, QLatin1Char('z'));
    fillDisk(true);
    chats().setDraft(bigger);
    QVERIFY(!replies().send(bigger));
    chats().select(ids.at(0));
    QCOMPARE(chats().wholeDraft(), QString());
    chats().setDraft(big);
    QVERIFY(!replies().send(big));
    QVERIFY(notices().text().contains(QLatin1String("still in the input field")));
    for (int round = 0; round < 2; ++round) {
        chats().newConversation();
        QCOMPARE(chats().wholeDraft(), QString());
        chats().select(ids.at(1));
        QCOMPARE(chats().wholeDraft(), bigger);
        chats().select(ids.at(0));
        QCOMPARE(chats().wholeDraft(), big);
    }
    // One of them is emptied: it does not come back.
    chats().select(ids.at(1));
    chats().setDraft(QString());
    chats().select(ids.at(0));
    chats().select(ids.at(1));
    QCOMPARE(chats().wholeDraft(), QString());

    fillDisk(false);
    chats().rename(ids.at(1), QStringLiteral("There is room"));
    QVERIFY(store_->draft(ids.at(0)).contains(big));
    chats().select(ids.at(0));
    QVERIFY(replies().send(chats().wholeDraft()));
    waitForAnswer();
    chats().newConversation();
    chats().select(ids.at(0));
    QCOMPARE(chats().wholeDraft(), QString());
    // Sent at the second try, before anything else was written.
    fillDisk(true);
    chats().setDraft(bigger);
    QVERIFY(!replies().send(bigger));
    chats().saveDraft();
    fillDisk(false);
    QVERIFY(replies().send(chats().wholeDraft()));
    waitForAnswer();
    QCOMPARE(chats().wholeDraft(), QString());
    chats().newConversation();
    chats().select(ids.at(0));
    QCOMPARE(chats().wholeDraft(), QString());
    start(false);
    chats().select(ids.at(0));
    QCOMPARE(chats().wholeDraft(), QString());
}

// An example that is clicked, a text of the command line.
void ChatsTest::keepsARefusedTextThatWasNoDraft() {
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    chats().newConversation();
    const QString big(50'000, QLatin1Char('y'));
    fillDisk(true);
    QVERIFY(!replies().send(big));
    QCOMPARE(chats().wholeDraft(), big);
    QVERIFY(notices().text().contains(QLatin1String("still in the input field")));
    // The field has something else already.
    chats().setDraft(QStringLiteral("mine"));
    QVERIFY(!replies().send(big));
    QCOMPARE(chats().wholeDraft(), QStringLiteral("mine"));
    QVERIFY2(notices().text().startsWith(QLatin1String("Your message was not sent.")),
             qPrintable(notices().text()));
}

void ChatsTest::listsThePreviewOfTheVersionShown() {
    fake_->setScripts({FakeInference::scriptFrom(QStringLiteral("Of rain.")),
                       FakeInference::scriptFrom(QStringLiteral("Of snow."))});
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    QVERIFY(replies().regenerate(last().id));
    waitForAnswer();
    const auto preview = [this] {
        return chats().conversations()->data(chats().conversations()->index(0),
                                             ConversationListModel::PreviewRole);
    };
    QCOMPARE(preview().toString(), QStringLiteral("Of snow."));
    chats().selectVersion(last().id, 0);
    QCOMPARE(texts().last(), QStringLiteral("Of rain."));
    QCOMPARE(preview().toString(), QStringLiteral("Of rain."));
    chats().selectVersion(last().id, 1);
    QCOMPARE(preview().toString(), QStringLiteral("Of snow."));
    QVERIFY(replies().edit(last().id, QStringLiteral("Of hail.")));  // written by the user
    QCOMPARE(preview().toString(), QStringLiteral("Of hail."));
}

void ChatsTest::marksTheChatThatIsShown() {
    const auto marked = [this] {
        QStringList titles;
        auto* list = chats().conversations();
        for (int row = 0; row < list->count(); ++row) {
            if (list->data(list->index(row), ConversationListModel::ActiveRole).toBool()) {
                titles << list->titleOf(list->idAt(row));
            }
        }
        return titles;
    };
    for (const char* text : {"One", "Two"}) {
        chats().newConversation();
        QCOMPARE(marked(), QStringList());
        QVERIFY(replies().send(QString::fromLatin1(text)));
        QCOMPARE(marked(), QStringList({QString::fromLatin1(text)}));
        waitForAnswer();
    }
    chats().select(chats().conversations()->idAt(1));
    QCOMPARE(marked(), QStringList({QStringLiteral("One")}));
}

// Nothing else is written meanwhile, and nobody types on.
void ChatsTest::savesARefusedDraftByItself() {
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    const QString big(50'000, QLatin1Char('y'));
    fillDisk(true);
    chats().setDraft(big);
    chats().saveDraft();
    QVERIFY(notices().text().contains(QLatin1String("not saved yet")));
    fillDisk(false);
    QTRY_COMPARE(store_->draft(chats().currentId()), big);
    QCOMPARE(notices().text(), QString());
}

// Pasted and taken away again, without a letter typed: both are there at the next start. A
// separator within them is no border.
void ChatsTest::keepsPiecesThatNothingWasTypedBeside() {
    const QString big = QStringLiteral("one line\n").repeated(20'000);
    const QString other = QString(QChar(0x1E)) + QStringLiteral("a line\n").repeated(20'000);
    for (const QString& text : {big, other}) {
        QGuiApplication::clipboard()->setText(text);
        QVERIFY(chats().attachPasted(false, 0));
    }
    start();
    QCOMPARE(chats().attachments().size(), 2);
    QCOMPARE(chats().attachment(0), big);
    QVERIFY(chats().attachment(1).endsWith(other.mid(1)));
    chats().detach(0);
    start();
    QCOMPARE(chats().attachments().size(), 1);
    QVERIFY(chats().attachment(0).endsWith(other.mid(1)));
    QCOMPARE(chats().draft(), QString());
    chats().detach(0);
    chats().setDraft(QStringLiteral("two") + QChar(0x1E) + QStringLiteral("words"));
    start();
    QCOMPARE(chats().draft(), QStringLiteral("two words"));
    QVERIFY(chats().attachments().isEmpty());
    // A text of an earlier version that the field would be slow with.
    chats().setDraft({});
    chats().saveDraft();
    QVERIFY(store_->setDraft(kNoId, big));
    start();
    QCOMPARE(chats().draft(), QString());
    QCOMPARE(chats().attachment(0), big);
    QCOMPARE(chats().wholeDraft(), big);
}

void ChatsTest::keepsLongPiecesBesideTheField() {
    const QString big = QStringLiteral("one line\n").repeated(20'000);
    QGuiApplication::clipboard()->setText(QStringLiteral("short"));
    QVERIFY(!chats().attachPasted(false, 0));  // the field's own business
    QVERIFY(chats().attachPasted(false, 16 * 1024));
    chats().detach(0);
    QGuiApplication::clipboard()->setText(big);
    QSignalSpy changed(&chats(), &Chats::attachmentsChanged);
    QVERIFY(chats().attachPasted(false, 0));
    QCOMPARE(changed.size(), 1);
    QCOMPARE(chats().draft(), QString());
    chats().setDraft(QStringLiteral("Sum this up:"));
    QCOMPARE(chats().attachments().size(), 1);
    QCOMPARE(chats().attachments().first().toMap().value(QStringLiteral("size")).toString(),
             QStringLiteral("180000 characters, 20000 lines"));
    const QString begin =
        chats().attachments().first().toMap().value(QStringLiteral("begin")).toString();
    QVERIFY2(begin.startsWith(QLatin1String("one line one line")) && begin.endsWith(QChar(u'…')),
             qPrintable(begin));
    QCOMPARE(chats().attachment(0), big);

    // With its conversation, and over the end of the program.
    start();
    QCOMPARE(chats().draft(), QStringLiteral("Sum this up:"));
    QCOMPARE(chats().attachment(0), big);
    QVERIFY(chats().attachPasted(false, 0));
    chats().detach(1);
    chats().detach(7);
    QVERIFY(replies().send(chats().wholeDraft()));
    QCOMPARE(texts().first(), QStringLiteral("Sum this up:\n\n") + big);
    QVERIFY(chats().attachments().isEmpty() && chats().draft().isEmpty());
    QVERIFY(store_->draft(kNoId).isEmpty());
    waitForAnswer();

    // Past the check, from an input method say.
    chats().setDraft(big);
    QCOMPARE(chats().draft(), QString());
    QCOMPARE(chats().attachment(0), big);
    for (int i = 0; i < 40; ++i) {
        QVERIFY(chats().attachPasted(false, 0));
    }
    QVERIFY(chats().attachments().size() <= 5);
    QCOMPARE(chats().wholeDraft().count(QStringLiteral("one line")), 41 * 20'000);
}

void ChatsTest::saysNothingCanBeChanged() {
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    ConversationStore second;
    second.open(folder_->path());
    FakeInference fake;
    AppController reader(fake, second, *settings_);
    reader.model()->openPath(QStringLiteral("/models/fake.gguf"));
    QTRY_COMPARE(reader.model()->state(), QStringLiteral("ready"));
    QVERIFY(reader.chats()->readOnly() && !reader.replies()->canSend());
    reader.chats()->select(reader.chats()->conversations()->idAt(0));
    QCOMPARE(reader.chats()->messages()->count(), 2);
    QVERIFY(!reader.replies()->send(QStringLiteral("x")));
    QVERIFY(!reader.notices()->text().isEmpty());
    reader.chats()->remove(reader.chats()->currentId());
    reader.chats()->rename(reader.chats()->currentId(), QStringLiteral("x"));
    QCOMPARE(reader.chats()->conversations()->rows().value(0).title, QStringLiteral("q"));
    const Message answer = reader.chats()->messages()->messages().last();
    QVERIFY(!reader.replies()->regenerate(answer.id));
    reader.notices()->dismiss();
    QVERIFY(!reader.replies()->edit(answer.id, QStringLiteral("x")));
    QVERIFY(reader.notices()->text().startsWith(QLatin1String("Nothing can be changed here")));
    QCOMPARE(reader.chats()->messages()->messages().last().content, answer.content);
    // An answer that the other window writes is none that was cut off.
    fake_->pauseAfter(1);
    QVERIFY(replies().send(QStringLiteral("more")));
    reader.chats()->newConversation();
    reader.chats()->select(reader.chats()->conversations()->idAt(0));
    QCOMPARE(reader.chats()->messages()->count(), 4);
    QVERIFY(reader.chats()->messages()->messages().last().state == MessageState::Generating);
    fake_->pauseAfter(-1);
    waitForAnswer();
}

void ChatsTest::opensLongConversations() {
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    const qint64 id = chats().currentId();
    QSqlDatabase database = QSqlDatabase::database(store_->connectionName());
    QSqlQuery query(database);
    QVERIFY(query.exec(
        QStringLiteral(
            "INSERT INTO messages (conversation_id, parent_id, role, content, state,"
            " created_at) WITH RECURSIVE n(i) AS (SELECT %1 UNION ALL SELECT i + 1 FROM n"
            " LIMIT 10000) SELECT %2, i, 'user', 'text', 'complete', 0 FROM n")
            .arg(last().id)
            .arg(id)));
    query.clear();
    chats().newConversation();
    QVERIFY(store_->selectVersion(store_->activePath(id).first().id, 0));
    const QList<Message> path = store_->activePath(id);
    QCOMPARE(path.size(), qsizetype{10'002});
    // Its end is there at once, and no turn brings more than a few.
    chats().select(id);
    const MessageListModel& messages = *chats().messages();
    QCOMPARE(messages.count(), Chats::kShownAtOnce);
    QCOMPARE(last().id, path.last().id);
    int most = 0;
    connect(
        &messages, &QAbstractItemModel::rowsInserted, this,
        [&](const QModelIndex&, int first, int end) { most = std::max(most, end - first + 1); });
    QTRY_COMPARE(messages.count(), 10'002);
    QCOMPARE(most, Chats::kEarlierInATurn);
    QCOMPARE(idsOf(messages.messages()), idsOf(path));
    QTest::qWait(0);
    QCOMPARE(messages.count(), 10'002);
    // All of them come first if they are needed: nothing is there twice, and what is shown
    // stays.
    const auto open = [&] {
        chats().newConversation();
        chats().select(id);
        QCoreApplication::processEvents();
    };
    open();
    QVERIFY(messages.count() < 10'002);
    chats().showMessage(id, path.first().id);
    QCOMPARE(idsOf(messages.messages()), idsOf(path));
    open();
    QSignalSpy removed(&messages, &QAbstractItemModel::rowsRemoved);
    QVERIFY(replies().send(QStringLiteral("more")));
    waitForAnswer();
    QCOMPARE(messages.count(), 10'004);
    QCOMPARE(removed.size(), 0);
    // Another chat gets none of them.
    open();
    QVERIFY(replies().send(QStringLiteral("end")));
    waitForAnswer();
    open();
    chats().newConversation();
    QTest::qWait(0);
    QCOMPARE(messages.count(), 0);
}

// As many as are shown at once, one less and one more.
void ChatsTest::opensChatsAtTheBorder() {
    for (const int count : {Chats::kShownAtOnce - 1, Chats::kShownAtOnce, Chats::kShownAtOnce + 1,
                            Chats::kShownAtOnce + Chats::kEarlierInATurn,
                            Chats::kShownAtOnce + Chats::kEarlierInATurn + 1}) {
        ChatRecord chat;
        for (int i = 0; i < count; ++i) {
            chat.messages.append({.parent = i - 1, .content = QString::number(i)});
        }
        const auto id = store_->add(chat);
        QVERIFY(id);
        chats().refreshSummary(*id);
        chats().select(*id);
        QTRY_COMPARE(chats().messages()->count(), count);
        for (int i = 0; i < 3; ++i) {
            QCoreApplication::processEvents();
        }
        QCOMPARE(texts().size(), qsizetype{count});
        QCOMPARE(texts().first(), QStringLiteral("0"));
        QCOMPARE(texts().last(), QString::number(count - 1));
    }
}

QTEST_MAIN(ChatsTest)
#include "chats_test.moc"
