#include "store/conversation_store.h"

#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QtTest>

using namespace hearth::ui;

namespace {

QStringList texts(const QList<Message>& path) {
    QStringList list;
    for (const Message& message : path) {
        list << message.content;
    }
    return list;
}

}  // namespace

class ConversationStoreTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();

    void sendsInOneStep();
    void keepsOrderOfConversations();
    void finishesAReply();
    void checkpointsSurviveAnotherReader();
    void syncsAgainAfterACheckpoint();
    void keepsVersionsOfAnswers();
    void keepsVersionsOfQuestions();
    void keepsVersionsWithTheirConversation();
    void keepsEditedAnswers();
    void refusesVersionsThatAreNotThere();
    void namesTheModel();
    void reopensAnAnswerThatMayGoOn();
    void listsPinnedOnesFirst();
    void changesTheInstructions();
    void deletesAndRestores();
    void datesTheLatestMessageAlone();
    void listsTheLatestDeletionLast();
    void purgesForGood();
    void purgesLongConversations();
    void addsAChatInParts();
    void numbersVersionsOfALongPath();
    void keepsDrafts();
    void keepsCallsWithTheirAnswer();
    void keepsWhatAChatAllows();
    void storesAnyText();
    void previewsWithoutReasoning_data();
    void previewsWithoutReasoning();
    void storesNothingWhenTheDiskIsFull();
    void makesTitles_data();
    void makesTitles();

private:
    // Question and finished answer.
    ConversationStore::Sent exchange(qint64 conversation, const QString& question,
                                     const QString& answer) {
        const auto sent = store_->send(conversation, question);
        Q_ASSERT(sent);
        store_->finishReply(sent->assistantId, answer, MessageState::Complete, {}, {});
        return *sent;
    }
    void reopen() {
        store_ = std::make_unique<ConversationStore>();
        QCOMPARE(static_cast<int>(store_->open(folder_->path()).mode),
                 static_cast<int>(ConversationStore::Mode::ReadWrite));
    }

    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<ConversationStore> store_;
};

void ConversationStoreTest::init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QVERIFY(folder_->isValid());
    reopen();
}

void ConversationStoreTest::cleanup() {
    store_.reset();
    folder_.reset();
}

void ConversationStoreTest::sendsInOneStep() {
    const auto sent = store_->send(kNoId, QStringLiteral("What is rain?"));
    QVERIFY(sent);
    QList<Message> path = store_->activePath(sent->conversationId);
    QCOMPARE(texts(path), QStringList({"What is rain?", ""}));
    QVERIFY(path[0].role == MessageRole::User && path[0].state == MessageState::Complete);
    QVERIFY(path[1].role == MessageRole::Assistant && path[1].state == MessageState::Generating);
    QCOMPARE(path[1].parentId, sent->userId);
    QCOMPARE(store_->summary(sent->conversationId)->title, QStringLiteral("What is rain?"));
    QCOMPARE(store_->summary(sent->conversationId)->preview, QStringLiteral("What is rain?"));
    QCOMPARE(store_->conversationOf(sent->assistantId), sent->conversationId);

    const auto more = store_->send(sent->conversationId, QStringLiteral("And snow?"));
    QCOMPARE(more->conversationId, sent->conversationId);
    QCOMPARE(texts(store_->activePath(sent->conversationId)),
             QStringList({"What is rain?", "", "And snow?", ""}));
    QCOMPARE(store_->summary(sent->conversationId)->title, QStringLiteral("What is rain?"));
}

void ConversationStoreTest::keepsOrderOfConversations() {
    const auto first = exchange(kNoId, "one", "1");
    QTest::qWait(2);  // dates have milliseconds
    const auto second = exchange(kNoId, "two", "2");
    QCOMPARE(store_->conversations().value(0).id, second.conversationId);
    QTest::qWait(2);
    exchange(first.conversationId, "more", "3");
    QCOMPARE(store_->conversations().value(0).id, first.conversationId);
    QCOMPARE(store_->conversations().value(0).preview, QStringLiteral("3"));
    QVERIFY(store_->rename(second.conversationId, QStringLiteral("Zwei")));
    QCOMPARE(store_->conversations().value(1).title, QStringLiteral("Zwei"));
    QCOMPARE(store_->conversations().size(), 2);
}

void ConversationStoreTest::finishesAReply() {
    const auto sent = store_->send(kNoId, QStringLiteral("q"));
    QVERIFY(store_->finishReply(sent->assistantId, "answer", MessageState::Failed, "It broke.",
                                {57, 120.5, 41.5, {}}));
    reopen();
    const Message message = *store_->message(sent->assistantId);
    QCOMPARE(message.content, QStringLiteral("answer"));
    QVERIFY(message.state == MessageState::Failed);
    QCOMPARE(message.errorText, QStringLiteral("It broke."));
    QCOMPARE(message.stats.tokenCount, 57);
    QCOMPARE(message.stats.firstTokenMs, 120.5);
    QCOMPARE(message.stats.tokensPerSecond, 41.5);
}

void ConversationStoreTest::checkpointsSurviveAnotherReader() {
    const auto sent = store_->send(kNoId, QStringLiteral("q"));
    QVERIFY(store_->checkpointReply(sent->assistantId, "half an ans"));
    ConversationStore reader;
    QCOMPARE(static_cast<int>(reader.open(folder_->path()).mode),
             static_cast<int>(ConversationStore::Mode::ReadOnly));
    QCOMPARE(reader.message(sent->assistantId)->content, QStringLiteral("half an ans"));
    QVERIFY(reader.message(sent->assistantId)->state == MessageState::Generating);
}

// Checkpoints alone go without a sync: what follows them must survive a power failure.
void ConversationStoreTest::syncsAgainAfterACheckpoint() {
    const auto synchronous = [this] {
        QSqlQuery query(QSqlDatabase::database(store_->connectionName()));
        return query.exec(QStringLiteral("PRAGMA synchronous")) && query.next()
                   ? query.value(0).toInt()
                   : -1;
    };
    constexpr int kFull = 2;
    QCOMPARE(synchronous(), kFull);
    for (int round = 0; round < 2; ++round) {
        const auto sent = store_->send(kNoId, QStringLiteral("q"));
        QVERIFY(sent);
        for (const char* text : {"half", "half an ans"}) {
            QVERIFY(store_->checkpointReply(sent->assistantId, QString::fromLatin1(text)));
            QCOMPARE(synchronous(), kFull);
        }
        QVERIFY(store_->finishReply(sent->assistantId, "answer", MessageState::Complete, {}, {}));
        QCOMPARE(synchronous(), kFull);
    }
}

void ConversationStoreTest::keepsVersionsOfAnswers() {
    const auto sent = exchange(kNoId, "q", "first");
    const auto follow = exchange(sent.conversationId, "q2", "a2");
    const auto again = store_->addAnswer(sent.assistantId);
    QVERIFY(again);
    store_->finishReply(*again, "second", MessageState::Complete, {}, {});
    QList<Message> path = store_->activePath(sent.conversationId);
    QCOMPARE(texts(path), QStringList({"q", "second"}));
    QCOMPARE(path[1].versionIndex, 1);
    QCOMPARE(path[1].versionCount, 2);

    QVERIFY(store_->selectVersion(*again, 0));
    path = store_->activePath(sent.conversationId);
    QCOMPARE(texts(path), QStringList({"q", "first", "q2", "a2"}));
    QCOMPARE(path[1].versionIndex, 0);
    QCOMPARE(path.last().id, follow.assistantId);

    const auto third = store_->addAnswer(sent.userId);  // asked of the question itself
    QVERIFY(third);
    QCOMPARE(store_->message(*third)->versionIndex, 2);
    QCOMPARE(texts(store_->pathTo(follow.assistantId)), QStringList({"q", "first", "q2", "a2"}));
}

void ConversationStoreTest::keepsVersionsOfQuestions() {
    const auto sent = exchange(kNoId, "q", "a");
    const auto other = store_->addQuestion(sent.userId, QStringLiteral("Q!"));
    QVERIFY(other);
    QCOMPARE(other->conversationId, sent.conversationId);
    store_->finishReply(other->assistantId, "A!", MessageState::Complete, {}, {});
    QList<Message> path = store_->activePath(sent.conversationId);
    QCOMPARE(texts(path), QStringList({"Q!", "A!"}));
    QCOMPARE(path[0].versionIndex, 1);
    QCOMPARE(path[0].versionCount, 2);
    QCOMPARE(path[1].versionCount, 1);
    QVERIFY(store_->selectVersion(path[0].id, 0));
    reopen();  // the choice is remembered
    QCOMPARE(texts(store_->activePath(sent.conversationId)), QStringList({"q", "a"}));

    // First questions of other conversations are no versions of this one.
    exchange(kNoId, "elsewhere", "b");
    QCOMPARE(store_->message(sent.userId)->versionCount, 2);
}

// First questions have no parent: only the conversation tells whose versions they are.
void ConversationStoreTest::keepsVersionsWithTheirConversation() {
    const auto older = exchange(kNoId, "older", "o");
    const auto sent = exchange(kNoId, "q", "a");
    const auto other = store_->addQuestion(sent.userId, QStringLiteral("Q!"));
    QVERIFY(other);
    store_->finishReply(other->assistantId, "A!", MessageState::Complete, {}, {});
    QVERIFY(store_->selectVersion(other->userId, 0));
    QCOMPARE(texts(store_->activePath(sent.conversationId)), QStringList({"q", "a"}));
    QVERIFY(store_->selectVersion(sent.userId, 1));
    QCOMPARE(texts(store_->activePath(sent.conversationId)), QStringList({"Q!", "A!"}));
    QVERIFY(!store_->selectVersion(other->userId, 2));
    QCOMPARE(texts(store_->activePath(older.conversationId)), QStringList({"older", "o"}));
}

void ConversationStoreTest::keepsEditedAnswers() {
    const auto sent = exchange(kNoId, "q", "a");
    const auto edited = store_->addEditedAnswer(sent.assistantId, QStringLiteral("b"));
    QVERIFY(edited);
    QCOMPARE(texts(store_->activePath(sent.conversationId)), QStringList({"q", "b"}));
    QVERIFY(store_->message(*edited)->state == MessageState::Complete);
    QCOMPARE(store_->message(sent.assistantId)->content, QStringLiteral("a"));
}

void ConversationStoreTest::refusesVersionsThatAreNotThere() {
    const auto sent = exchange(kNoId, "q", "a");
    QVERIFY(!store_->selectVersion(sent.assistantId, 1));
    QVERIFY(!store_->selectVersion(sent.assistantId, -1));
    QVERIFY(!store_->selectVersion(999, 0));
    QVERIFY(!store_->addAnswer(999));
    QVERIFY(!store_->addQuestion(999, "x"));
    QVERIFY(!store_->message(999));
    QVERIFY(!store_->send(999, "x"));  // the foreign key holds
    QCOMPARE(texts(store_->activePath(sent.conversationId)), QStringList({"q", "a"}));
    QCOMPARE(store_->conversationOf(999), kNoId);
    QVERIFY(store_->activePath(999).isEmpty());
}

// A name that came before the end is there after a kill; an end without one does not take it away.
void ConversationStoreTest::namesTheModel() {
    const auto sent = store_->send(kNoId, QStringLiteral("q"));
    QVERIFY(store_->nameModel(sent->assistantId, QStringLiteral("One")));
    reopen();
    QCOMPARE(store_->message(sent->assistantId)->stats.model, QStringLiteral("One"));
    QVERIFY(store_->finishReply(sent->assistantId, "a", MessageState::Complete, {}, {}));
    QCOMPARE(store_->message(sent->assistantId)->stats.model, QStringLiteral("One"));
    ReplyStats stats;
    stats.model = QStringLiteral("Two");
    stats.isCut = true;
    stats.readsFrom = sent->userId;
    QVERIFY(store_->finishReply(sent->assistantId, "a", MessageState::Complete, {}, stats));
    reopen();
    const Message message = *store_->message(sent->assistantId);
    QCOMPARE(message.stats.model, QStringLiteral("Two"));
    QVERIFY(message.stats.isCut);
    QCOMPARE(message.stats.readsFrom, sent->userId);
    QVERIFY(store_->message(sent->userId)->stats.model.isEmpty());
    QCOMPARE(store_->message(sent->userId)->stats.readsFrom, kNoId);
    QVERIFY(store_->finishReply(sent->assistantId, "a", MessageState::Complete, {}, {}));
    QVERIFY(!store_->message(sent->assistantId)->stats.isCut);
}

void ConversationStoreTest::reopensAnAnswerThatMayGoOn() {
    const auto first = store_->send(kNoId, QStringLiteral("q"));
    QVERIFY(!store_->reopenReply(first->assistantId));  // it has no text
    store_->finishReply(first->assistantId, "half", MessageState::Failed, "It broke.", {});
    QVERIFY(!store_->reopenReply(first->userId));
    QVERIFY(!store_->reopenReply(first->assistantId + 99));
    QVERIFY(store_->reopenReply(first->assistantId));
    reopen();  // as after a kill
    const Message message = *store_->message(first->assistantId);
    QVERIFY(message.state == MessageState::Interrupted);
    QCOMPARE(message.content, QStringLiteral("half"));
    QVERIFY(message.errorText.isEmpty());
    exchange(first->conversationId, "more", "b");
    QVERIFY(!store_->reopenReply(first->assistantId));  // others follow it
}

void ConversationStoreTest::listsPinnedOnesFirst() {
    const auto first = exchange(kNoId, "one", "1");
    QTest::qWait(2);  // dates have milliseconds
    const auto second = exchange(kNoId, "two", "2");
    QVERIFY(!store_->conversations().value(0).isPinned);
    QVERIFY(store_->setPinned(first.conversationId, true));
    QCOMPARE(store_->conversations().value(0).id, first.conversationId);
    QVERIFY(store_->conversations().value(0).isPinned);
    QVERIFY(store_->summary(first.conversationId)->isPinned);
    QVERIFY(!store_->summary(second.conversationId)->isPinned);
    QVERIFY(store_->setPinned(first.conversationId, false));
    QCOMPARE(store_->conversations().value(0).id, second.conversationId);
}

void ConversationStoreTest::changesTheInstructions() {
    const auto first = exchange(kNoId, "one", "1");
    const auto second = exchange(kNoId, "two", "2");
    QVERIFY(store_->setSystemPrompt(first.conversationId, QStringLiteral("Be brief.")));
    QCOMPARE(store_->systemPrompt(first.conversationId), QStringLiteral("Be brief."));
    QVERIFY(store_->systemPrompt(second.conversationId).isEmpty());
    QVERIFY(store_->setSystemPrompt(first.conversationId, {}));
    QVERIFY(store_->systemPrompt(first.conversationId).isEmpty());
}

void ConversationStoreTest::deletesAndRestores() {
    const auto sent = exchange(kNoId, "q", "a");
    QVERIFY(store_->remove(sent.conversationId));
    QVERIFY(store_->conversations().isEmpty());
    QVERIFY(!store_->summary(sent.conversationId));
    QVERIFY(store_->purge(60'000));  // too young to go
    QVERIFY(store_->restore(sent.conversationId));
    QCOMPARE(store_->conversations().size(), 1);
    QCOMPARE(texts(store_->activePath(sent.conversationId)), QStringList({"q", "a"}));
}

// A chat that is renamed, deleted and brought back, or whose other version is looked at, stays
// where it is in the list.
void ConversationStoreTest::datesTheLatestMessageAlone() {
    const auto sent = exchange(kNoId, "q", "a");
    const auto again = store_->addAnswer(sent.assistantId);
    QVERIFY(again);
    const qint64 id = sent.conversationId;
    QSqlQuery query(QSqlDatabase::database(store_->connectionName()));
    QVERIFY(query.exec(QStringLiteral("UPDATE conversations SET updated_at = 5")));
    query.clear();
    QVERIFY(store_->selectVersion(*again, 0));
    QVERIFY(store_->rename(id, QStringLiteral("Else")));
    QVERIFY(store_->remove(id) && store_->restore(id));
    QVERIFY(store_->checkpointReply(*again, QStringLiteral("half")));
    QCOMPARE(store_->summary(id)->updatedAt, QDateTime::fromMSecsSinceEpoch(5));
    QVERIFY(store_->addEditedAnswer(*again, QStringLiteral("b")));
    QVERIFY(store_->summary(id)->updatedAt > QDateTime::fromMSecsSinceEpoch(5));
}

void ConversationStoreTest::listsTheLatestDeletionLast() {
    QList<qint64> ids;
    for (const char* text : {"one", "two", "three"}) {
        ids << exchange(kNoId, QString::fromLatin1(text), "a").conversationId;
        QVERIFY(store_->remove(ids.last()));
    }
    QSqlQuery query(QSqlDatabase::database(store_->connectionName()));
    QVERIFY(
        query.exec(QStringLiteral("UPDATE conversations SET deleted_at = deleted_at - 1000"
                                  " WHERE title = 'two'")));
    query.clear();
    QStringList titles;
    for (const ConversationSummary& row : store_->deleted()) {
        titles << row.title;
    }
    QCOMPARE(titles, QStringList({"two", "one", "three"}));
}

void ConversationStoreTest::purgesForGood() {
    const auto sent = exchange(kNoId, "SecretSauce", "a");
    store_->setDraft(sent.conversationId, QStringLiteral("SecretDraft"));
    QVERIFY(store_->remove(sent.conversationId));
    reopen();
    QVERIFY(store_->message(sent.userId));  // in the bin
    QCOMPARE(store_->deleted().size(), 1);
    QSqlQuery query(QSqlDatabase::database(store_->connectionName()));
    QVERIFY(query.exec(QStringLiteral("UPDATE conversations SET deleted_at = 0")));
    query.clear();
    reopen();  // a start purges what has been there long enough
    QVERIFY(!store_->message(sent.userId));
    QVERIFY(!store_->restore(sent.conversationId) || store_->conversations().isEmpty());
    store_.reset();  // the log is merged and gone
    for (const QFileInfo& info : QDir(folder_->path()).entryInfoList(QDir::Files)) {
        QFile file(info.filePath());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        QVERIFY2(!bytes.contains("SecretSauce") && !bytes.contains("SecretDraft"),
                 qPrintable(info.fileName()));
    }
}

// No call writes more than a part, nobody sees the chat before it is whole, and one that was not
// goes at the next start.
void ConversationStoreTest::addsAChatInParts() {
    ChatRecord chat;
    chat.title = QStringLiteral("long");
    chat.project = QStringLiteral("Garden");
    constexpr int kMessages = 2 * ConversationStore::kPartMessages + 7;
    for (int i = 0; i < kMessages; ++i) {
        chat.messages.append({.parent = i - 1, .content = QStringLiteral("text %1").arg(i)});
    }
    chat.messages[3].content = QString(ConversationStore::kPartLetters, QLatin1Char('x'));
    const auto count = [&] {
        QSqlQuery query(QSqlDatabase::database(store_->connectionName()));
        return query.exec(QStringLiteral("SELECT count(*) FROM messages")) && query.next()
                   ? query.value(0).toInt()
                   : -1;
    };
    ConversationStore::ComingChat coming{chat};
    QList<int> counts;
    while (!coming.there) {
        QVERIFY(store_->conversations().isEmpty() && store_->deleted().isEmpty());
        QVERIFY(store_->projects().isEmpty());
        QVERIFY(store_->purge(0));  // is for the bin, where it is not
        QVERIFY(store_->addPart(&coming));
        counts << count();
    }
    QCOMPARE(counts, QList<int>({4, 104, 204, kMessages}));
    QCOMPARE(store_->conversations().size(), 1);
    QCOMPARE(store_->record(coming.id)->messages.size(), qsizetype{kMessages});
    QCOMPARE(store_->record(coming.id)->project, QStringLiteral("Garden"));
    ConversationStore::ComingChat other{chat};
    QVERIFY(store_->addPart(&other));
    QCOMPARE(count(), kMessages + 4);
    reopen();  // as after a kill
    QCOMPARE(count(), kMessages);
    QVERIFY(!store_->addPart(&other));
    store_->dropParts(other);
    QCOMPARE(count(), kMessages);
    QVERIFY(store_->add(chat));
    QCOMPARE(store_->conversations().size(), 2);
}

// Versions in the middle, of the first question, and beside the path.
void ConversationStoreTest::numbersVersionsOfALongPath() {
    ChatRecord chat;
    for (int i = 0; i < 300; ++i) {
        chat.messages.append({.parent = i - 1,
                              .role = i % 2 == 0 ? MessageRole::User : MessageRole::Assistant,
                              .content = QString::number(i)});
    }
    for (const int parent : {-1, 150, 150, 299}) {
        chat.messages.append({.parent = parent, .content = QStringLiteral("beside")});
    }
    chat.shown = 299;
    const auto id = store_->add(chat);
    QVERIFY(id);
    const auto other = exchange(kNoId, "other", "chat");
    const QList<Message> path = store_->activePath(*id);
    QCOMPARE(path.size(), qsizetype{300});
    for (int i = 0; i < path.size(); ++i) {
        QCOMPARE(path.at(i).content, QString::number(i));
        QCOMPARE(path.at(i).versionCount, i == 0 ? 2 : i == 151 ? 3 : 1);
        QCOMPARE(path.at(i).versionIndex, 0);
        const auto alone = store_->message(path.at(i).id);
        QVERIFY(alone && alone->versionCount == path.at(i).versionCount);
    }
    QVERIFY(store_->selectVersion(path.at(151).id, 2));
    const QList<Message> now = store_->activePath(*id);
    QCOMPARE(now.size(), qsizetype{152});
    QCOMPARE(now.last().versionIndex, 2);
    QCOMPARE(store_->pathTo(other.assistantId).size(), qsizetype{2});
    QVERIFY(store_->pathTo(4711).isEmpty());
}

// A chain of thousands of parents: no recursion limit may be in the way.
void ConversationStoreTest::purgesLongConversations() {
    const auto first = exchange(kNoId, "q0", "a0");
    QSqlDatabase database = QSqlDatabase::database(store_->connectionName());
    QVERIFY(database.transaction());
    QSqlQuery query(database);
    query.prepare(
        QStringLiteral("INSERT INTO messages (conversation_id, parent_id, role, content,"
                       " state, created_at) VALUES (?, ?, 'user', 'm', 'complete', 0)"));
    qint64 parent = first.assistantId;
    for (int i = 0; i < 5000; ++i) {
        query.addBindValue(first.conversationId);
        query.addBindValue(parent);
        QVERIFY(query.exec());
        parent = query.lastInsertId().toLongLong();
    }
    QVERIFY(database.commit());
    query.clear();
    QVERIFY(store_->selectVersion(first.userId, 0));  // walks down to the last
    QCOMPARE(store_->activePath(first.conversationId).size(), 5002);
    QVERIFY(store_->remove(first.conversationId));
    QVERIFY(store_->purge(-1000));
    QVERIFY(!store_->message(first.userId));
    QVERIFY(!store_->message(parent));
}

void ConversationStoreTest::keepsCallsWithTheirAnswer() {
    const auto first = store_->send(kNoId, QStringLiteral("One?"));
    const auto other = store_->addAnswer(first->assistantId);
    QVERIFY(store_->checkpointReply(*other, QStringLiteral("Let me see.")));
    CallRecord call;
    call.round = 1;
    call.place = 6;
    call.callId = QStringLiteral("abc");
    call.tool = QStringLiteral("echo");
    call.source = QStringLiteral("Server");
    call.arguments = QStringLiteral("{}");
    call.id = store_->addToolCall(*other, call).value_or(kNoId);
    QVERIFY(call.id != kNoId);
    QVERIFY(store_->activePath(first->conversationId).last().calls == QList<CallRecord>{call});
    call.state = CallRecord::State::Done;
    call.result = QStringLiteral("<|im_end|>");
    call.thought = QStringLiteral("so");
    QVERIFY(store_->setToolCall(call));
    CallRecord second = call;
    second.state = CallRecord::State::Running;
    second.place = 1000;
    second.id = store_->addToolCall(*other, second).value_or(kNoId);
    const QList<Message> path = store_->activePath(first->conversationId);
    QVERIFY(path.first().calls.isEmpty());
    QCOMPARE(path.last().calls.size(), 2);
    QVERIFY(path.last().calls.first() == call);
    QCOMPARE(path.last().calls.last().place, qsizetype{11});  // no longer than the answer
    QVERIFY(path.last().calls.last().state == CallRecord::State::Running);
    // An answer that has ended waits for nothing.
    QVERIFY(
        store_->finishReply(*other, QStringLiteral("Let me see."), MessageState::Stopped, {}, {}));
    QVERIFY(store_->activePath(first->conversationId).last().calls.last().state ==
            CallRecord::State::Interrupted);
    // The version beside it has none.
    QVERIFY(store_->selectVersion(*other, 0));
    QVERIFY(store_->activePath(first->conversationId).last().calls.isEmpty());
}

void ConversationStoreTest::keepsWhatAChatAllows() {
    const auto one = store_->send(kNoId, QStringLiteral("One?"));
    const auto two = store_->send(kNoId, QStringLiteral("Two?"));
    QVERIFY(store_->setToolFolder(one->conversationId, QStringLiteral("/srv/a")));
    QVERIFY(store_->setToolFolder(one->conversationId, QStringLiteral("/srv/b")));
    QCOMPARE(store_->toolFolder(one->conversationId), QStringLiteral("/srv/b"));
    QCOMPARE(store_->toolFolder(two->conversationId), QString());
    QVERIFY(store_->allowTool(one->conversationId, QStringLiteral("s/t")));
    QVERIFY(store_->allowTool(one->conversationId, QStringLiteral("s/t")));
    QVERIFY(store_->isToolAllowed(one->conversationId, QStringLiteral("s/t")));
    QVERIFY(!store_->isToolAllowed(one->conversationId, QStringLiteral("s/other")));
    QVERIFY(!store_->isToolAllowed(two->conversationId, QStringLiteral("s/t")));
    QCOMPARE(store_->allowedToolCount(one->conversationId), 1);
    QVERIFY(store_->forgetAllowedTools(one->conversationId));
    QCOMPARE(store_->allowedToolCount(one->conversationId), 0);
    // They go with the chat.
    QVERIFY(store_->allowTool(two->conversationId, QStringLiteral("s/t")));
    QVERIFY(store_->remove(two->conversationId) && store_->purge(-1000));
    QVERIFY(!store_->isToolAllowed(two->conversationId, QStringLiteral("s/t")));
}

void ConversationStoreTest::keepsDrafts() {
    QCOMPARE(store_->draft(kNoId), QString());
    QVERIFY(store_->setDraft(kNoId, QStringLiteral("half a thou")));
    const auto other = exchange(kNoId, "x", "y");
    QCOMPARE(store_->draft(kNoId), QString());  // sending from there took it
    QVERIFY(store_->setDraft(kNoId, QStringLiteral("half a thought")));
    QVERIFY(store_->setDraft(other.conversationId, QStringLiteral("reply")));
    reopen();
    QCOMPARE(store_->draft(kNoId), QStringLiteral("half a thought"));
    QCOMPARE(store_->draft(other.conversationId), QStringLiteral("reply"));
    QVERIFY(store_->send(other.conversationId, QStringLiteral("z"), false));
    QCOMPARE(store_->draft(other.conversationId), QStringLiteral("reply"));
    QVERIFY(store_->setDraft(other.conversationId, {}));
    QCOMPARE(store_->draft(other.conversationId), QString());
}

void ConversationStoreTest::storesAnyText() {
    const QString text =
        QString::fromUtf8("'; DROP TABLE messages; -- \xF0\x9F\x94\xA5 \xC3\xA4\n\t") +
        QString(300'000, QLatin1Char('x'));
    const auto sent = exchange(kNoId, text, text);
    reopen();
    QCOMPARE(texts(store_->activePath(sent.conversationId)), QStringList({text, text}));
    QVERIFY(store_->summary(sent.conversationId)->preview.size() <= 160);
}

void ConversationStoreTest::previewsWithoutReasoning_data() {
    QTest::addColumn<QString>("answer");
    QTest::addColumn<QString>("preview");
    const QString much(5000, QLatin1Char('x'));
    QTest::addRow("plain") << "It rains."
                           << "It rains.";
    QTest::addRow("reasoning") << QStringLiteral("\n<think>\n") + much +
                                      QStringLiteral("</think>\n\nIt rains.")
                               << "It rains.";
    QTest::addRow("opened by the template")
        << much + QStringLiteral("\n</think>\nIt rains.") << "It rains.";
    QTest::addRow("still reasoning") << "<think>\nHm"
                                     << "q";
    QTest::addRow("about it later") << much + QStringLiteral("\n</think>\nWrite <think> before it.")
                                    << "Write <think> before it.";
    QTest::addRow("about it") << "Write <think> and </think> around it."
                              << "Write <think> and </think> around it.";
}

void ConversationStoreTest::previewsWithoutReasoning() {
    QFETCH(QString, answer);
    QFETCH(QString, preview);
    const auto sent = exchange(kNoId, "q", answer);
    QCOMPARE(store_->summary(sent.conversationId)->preview, preview);
    QCOMPARE(store_->conversations().first().preview, preview);
}

void ConversationStoreTest::storesNothingWhenTheDiskIsFull() {
    const auto sent = exchange(kNoId, "q", "a");
    QSqlQuery limit(QSqlDatabase::database(store_->connectionName()));
    QVERIFY(limit.exec(QStringLiteral("PRAGMA max_page_count = 1")));  // as small as it is: "full"
    limit.clear();
    const QString big(200'000, QLatin1Char('x'));
    QVERIFY(!store_->send(sent.conversationId, big));
    QVERIFY(store_->lastError().kind == StoreError::Kind::DiskFull);
    QVERIFY(sentenceFor(store_->lastError()).contains(QLatin1String("disk is full")));
    QVERIFY(!store_->checkpointReply(sent.assistantId, big));
    QVERIFY(!store_->finishReply(sent.assistantId, big, MessageState::Complete, {}, {}));
    QCOMPARE(texts(store_->activePath(sent.conversationId)), QStringList({"q", "a"}));

    QVERIFY(limit.exec(QStringLiteral("PRAGMA max_page_count = 1000000")));  // room again
    limit.clear();
    QVERIFY(store_->send(sent.conversationId, big));
    reopen();
    QCOMPARE(texts(store_->activePath(sent.conversationId)), QStringList({"q", "a", big, ""}));
}

void ConversationStoreTest::makesTitles_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("title");
    QTest::addRow("short") << "What is rain?"
                           << "What is rain?";
    QTest::addRow("first line") << "\n  \n# Rain  and   snow\nmore"
                                << "Rain and snow";
    const QString question = "Please explain to me in great detail how rain forms in clouds";
    QTest::addRow("as long as a wide window") << question << question;
    const QString words = QStringLiteral("word ").repeated(50);
    QTest::addRow("long") << words << words.left(199) + QString::fromUtf8("…");
    QTest::addRow("no spaces") << QString(300, QLatin1Char('x'))
                               << QString(200, QLatin1Char('x')) + QString::fromUtf8("…");
    const QString letters(199, QLatin1Char('x'));
    QTest::addRow("cut before a character of two units")
        << letters + QString::fromUtf8("\xF0\x9F\x94\xA5 and more")
        << letters + QString::fromUtf8("…");
    QTest::addRow("a link") << "[https://my-bank.example](https://other.example/login) is what?"
                            << "https://my-bank.example is what?";
    QTest::addRow("a picture") << "What is in ![the *red* house](a.png \"b\")?"
                               << "What is in the red house?";
    QTest::addRow("emphasis") << "Is **this _very_ bold** or `a_b()` ~~not~~?"
                              << "Is this very bold or a_b() not?";
    QTest::addRow("no markup") << "2 * 3 * 4, snake_case_name and \\*stars\\*"
                               << "2 * 3 * 4, snake_case_name and \\*stars\\*";
    QTest::addRow("marks only") << "> - \n```" << QString::fromUtf8("…");
}

void ConversationStoreTest::makesTitles() {
    QFETCH(QString, text);
    QFETCH(QString, title);
    QCOMPARE(titleFrom(text), title);
}

QTEST_GUILESS_MAIN(ConversationStoreTest)
#include "conversation_store_test.moc"
