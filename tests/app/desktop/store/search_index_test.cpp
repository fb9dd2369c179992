// The index for searching: what it finds, how it follows the conversations, and that it is made
// anew whenever it is not theirs.
#include "store/search_index.h"

#include <QFile>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "store/conversation_store.h"

using namespace hearth::ui;

class SearchIndexTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void finds_data();
    void finds();
    void findsWhatAScanFinds();
    void waitsForAnImport();
    void theLatestFirst();
    void stopsWhenAsked();
    void findsAnAnswerOnceItIsComplete();
    void findsAnAnswerThatWentOn();
    void findsWhatACrashCut();
    void findsEveryVersion();
    void leavesReasoningOut();
    void leavesTheBinOut();
    void deletedMeansGone();
    void anotherStartGoesOn();
    void takesInALot();
    void isMadeAnew_data();
    void isMadeAnew();
    void missedAPurge();
    void readsInASecondWindow();
    void saysThatThereIsNoFullText();
    void saysThatChatsCannotBeRead();

private:
    qint64 say(const QString& question, const QString& answer, qint64 chat = kNoId);
    void openIndex();
    void catchUp();
    QStringList found(const QString& query, int most = 50);
    QString file() const { return folder_->filePath(QStringLiteral("search.db")); }

    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<ConversationStore> store_;
    std::unique_ptr<SearchIndex> index_;
};

void SearchIndexTest::init() {
    folder_ = std::make_unique<QTemporaryDir>();
    store_ = std::make_unique<ConversationStore>();
    QCOMPARE(static_cast<int>(store_->open(folder_->path()).mode),
             static_cast<int>(ConversationStore::Mode::ReadWrite));
    openIndex();
}

void SearchIndexTest::cleanup() {
    index_.reset();
    store_.reset();
}

void SearchIndexTest::openIndex() {
    index_.reset();
    index_ = std::make_unique<SearchIndex>();
    QVERIFY2(index_->open(folder_->path(), true), qPrintable(index_->problem()));
}

// Returns the conversation.
qint64 SearchIndexTest::say(const QString& question, const QString& answer, qint64 chat) {
    const auto sent = store_->send(chat, question);
    if (!sent || !store_->finishReply(sent->assistantId, answer, MessageState::Complete, {}, {})) {
        return kNoId;
    }
    return sent->conversationId;
}

void SearchIndexTest::catchUp() {
    while (index_->step()) {}
    QCOMPARE(index_->problem(), QString());
    QCOMPARE(index_->share(), 1.0);
}

// The words around each hit, joined.
QStringList SearchIndexTest::found(const QString& query, int most) {
    QStringList lines;
    for (const SearchHit& hit : index_->find(query, most)) {
        lines << hit.line.before + hit.line.match + hit.line.after;
    }
    return lines;
}

void SearchIndexTest::finds_data() {
    QTest::addColumn<QString>("query");
    QTest::addColumn<int>("count");
    const auto row = [](const char* query, int count) {
        QTest::newRow(query) << QString::fromUtf8(query) << count;
    };
    row("bread", 2);
    row("BREAD", 2);
    row("rea", 2);
    row("b", 2);
    row("br", 2);
    row("old bread", 1);
    row("bread old", 1);
    row("\"bread old\"", 0);
    row("\"old bread\"", 1);
    row("ol bread", 1);
    row("zz bread", 0);
    row("bread zebra", 0);
    row("хлеб", 1);
    row("ХЛЕБ", 1);
    row("х", 1);
    row("хл", 1);
    row("中国", 1);
    row("中", 1);
    row("国人喜", 1);
    row("中人", 0);
    row("C#", 1);
    row("++", 1);
    row("#", 1);
    row("'", 1);
    row("\\", 1);
    row("\U0001F600", 1);
    row("", 0);
    row("\"", 0);
    row("* OR bread", 0);
    row("NEAR(a b)", 0);
}

void SearchIndexTest::finds() {
    QVERIFY(say(QStringLiteral("Is old bread good?"), QStringLiteral("Bread keeps three days.")) >
            0);
    QVERIFY(say(QStringLiteral("Свежий хлеб"), QStringLiteral("中国人喜欢面条")) > 0);
    QVERIFY(say(QStringLiteral("C# or C++"), QStringLiteral("it's \\ \U0001F600")) > 0);
    catchUp();
    QFETCH(const QString, query);
    QFETCH(const int, count);
    QCOMPARE(found(query).size(), count);
}

// Random messages of few words in three scripts, and what is cut out of them at random: words,
// pieces, phrases. A scan of all texts says which messages have it.
void SearchIndexTest::findsWhatAScanFinds() {
    QRandomGenerator random(32);
    const QList<QStringList> words = {
        {"the", "rain", "a", "of", "it", "go", "The", "grain", "tea", "is", "C#", "no"},
        {"и", "дождь", "не", "в", "Он", "дом", "до", "я"},
        {"雨", "下雨", "了", "中国", "人", "是", "的中", "国"},
    };
    const auto pick = [&](const auto& list) { return list.at(random.bounded(list.size())); };
    QStringList texts;
    for (int i = 0; i < 300; ++i) {
        QString text;
        for (int length = 3 + random.bounded(30); length > 0; --length) {
            text += pick(random.bounded(8) == 0 ? pick(words) : words.at(i % 3));
            text += i % 3 == 2 && random.bounded(3) > 0
                        ? QString()
                        : pick(QStringList{" ", " ", "\n", "  ", ", "});
        }
        texts << text.trimmed();
    }
    for (int i = 0; i < texts.size(); i += 2) {
        QVERIFY(say(texts.at(i), texts.at(i + 1)) > 0);
    }
    catchUp();
    int hits = 0;
    for (int i = 0; i < 400; ++i) {
        const QString text = pick(texts);
        const auto piece = [&](int most) {
            const auto begin = random.bounded(text.size());
            return text.mid(begin, 1 + random.bounded(most)).remove(QLatin1Char('"'));
        };
        const QString query = i % 3 == 0 ? QLatin1Char('"') + piece(25) + QLatin1Char('"')
                              : i % 3 == 1
                                  ? piece(12)
                                  : piece(4) + QStringLiteral(" \"") + piece(12) + QLatin1Char('"');
        const QStringList wanted = searchWords(query);
        QStringList found;
        for (const SearchHit& hit : index_->find(query, 1000)) {
            found << store_->message(hit.messageId)->content;
        }
        QStringList scanned;
        for (qsizetype t = texts.size() - 1; t >= 0 && !wanted.isEmpty(); --t) {
            const QString folded = foldForSearch(texts.at(t));
            if (std::all_of(wanted.begin(), wanted.end(),
                            [&](const QString& word) { return folded.contains(word); })) {
                scanned << texts.at(t);
            }
        }
        hits += static_cast<int>(scanned.size());
        QVERIFY2(found == scanned, qPrintable(query));
    }
    QVERIFY(hits > 800);
}

// A chat that comes in parts is taken in once it is whole, also in more than one step; one that
// never is stops nothing.
void SearchIndexTest::waitsForAnImport() {
    ConversationStore::ComingChat coming;
    for (int i = 0; i < 250; ++i) {
        coming.chat.messages.append(
            {.parent = i - 1, .content = QStringLiteral("bread %1").arg(i)});
    }
    ConversationStore::ComingChat lost = coming;
    QVERIFY(store_->addPart(&coming));
    QVERIFY(say(QStringLiteral("later bread"), QStringLiteral("answer")) > 0);
    QVERIFY(!index_->step());
    QVERIFY(index_->share() < 1);
    QCOMPARE(found(QStringLiteral("bread"), 500), QStringList());
    while (!coming.there) {
        QVERIFY(store_->addPart(&coming));
    }
    QVERIFY(index_->step());  // not all of them
    while (index_->step()) {}
    QCOMPARE(found(QStringLiteral("bread"), 500).size(), 251);
    QVERIFY(store_->addPart(&lost));
    store_->dropParts(lost);
    catchUp();
    QVERIFY(say(QStringLiteral("more bread"), QStringLiteral("answer")) > 0);
    catchUp();
    QCOMPARE(found(QStringLiteral("bread"), 500).size(), 252);
}

void SearchIndexTest::theLatestFirst() {
    for (int i = 0; i < 20; ++i) {
        QVERIFY(say(QStringLiteral("word %1").arg(i), QStringLiteral("answer")) > 0);
    }
    catchUp();
    QCOMPARE(found(QStringLiteral("word"), 3), QStringList({"word 19", "word 18", "word 17"}));
    QCOMPARE(found(QStringLiteral("wo"), 2), QStringList({"word 19", "word 18"}));
    const SearchHit hit = index_->find(QStringLiteral("word 7"), 1).value(0);
    QCOMPARE(hit.title, QStringLiteral("word 17"));
    QVERIFY(hit.role == MessageRole::User);
    QCOMPARE(store_->conversationOf(hit.messageId), hit.conversationId);
    QVERIFY(hit.at.isValid());
}

void SearchIndexTest::stopsWhenAsked() {
    for (int i = 0; i < 5; ++i) {
        QVERIFY(say(QStringLiteral("word"), QStringLiteral("answer")) > 0);
    }
    catchUp();
    int asked = 0;
    QCOMPARE(index_->find(QStringLiteral("word"), 50, kNoId, [&] { return ++asked > 2; }).size(),
             2);
}

void SearchIndexTest::findsAnAnswerOnceItIsComplete() {
    const auto sent = store_->send(kNoId, QStringLiteral("question"));
    QVERIFY(sent.has_value());
    QVERIFY(store_->checkpointReply(sent->assistantId, QStringLiteral("half of it")));
    catchUp();
    QCOMPARE(found(QStringLiteral("question")).size(), 1);
    QCOMPARE(found(QStringLiteral("half")).size(), 0);
    // A later message does not leave it behind.
    QVERIFY(say(QStringLiteral("another"), QStringLiteral("one")) > 0);
    catchUp();
    QVERIFY(store_->finishReply(sent->assistantId, QStringLiteral("half of it, and all"),
                                MessageState::Complete, {}, {}));
    catchUp();
    QCOMPARE(found(QStringLiteral("half")), QStringList({"half of it, and all"}));
}

void SearchIndexTest::findsAnAnswerThatWentOn() {
    const auto sent = store_->send(kNoId, QStringLiteral("question"));
    const QString former = QStringLiteral("half of it");
    QVERIFY(store_->finishReply(sent->assistantId, former, MessageState::Stopped, {}, {}));
    index_->reopen(sent->assistantId, former);  // it was not met yet: nothing is to be done
    catchUp();
    QCOMPARE(found(QStringLiteral("half")).size(), 1);
    for (const char* more : {"half of it, and a second", "half of it, and a second, and a third"}) {
        const QString before = store_->message(sent->assistantId)->content;
        QVERIFY(store_->reopenReply(sent->assistantId));
        index_->reopen(sent->assistantId, before);
        index_->reopen(sent->assistantId, before);  // known already
        QVERIFY(store_->checkpointReply(sent->assistantId, QString::fromLatin1(more)));
        catchUp();
        QCOMPARE(found(QStringLiteral("second")).size(), 0);
        QVERIFY(store_->finishReply(sent->assistantId, QString::fromLatin1(more),
                                    MessageState::Stopped, {}, {}));
        catchUp();
        QCOMPARE(found(QStringLiteral("second")), QStringList({more}));
        QCOMPARE(found(QStringLiteral("half")).size(), 1);
    }
    QCOMPARE(found(QStringLiteral("third")).size(), 1);
    QVERIFY(store_->remove(sent->conversationId));
    catchUp();
    QCOMPARE(found(QStringLiteral("half")).size(), 0);
}

void SearchIndexTest::findsWhatACrashCut() {
    const auto sent = store_->send(kNoId, QStringLiteral("question"));
    QVERIFY(store_->checkpointReply(sent->assistantId, QStringLiteral("half of it")));
    catchUp();
    index_.reset();
    store_->close();
    QCOMPARE(store_->open(folder_->path()).interrupted, 1);
    openIndex();
    catchUp();
    QCOMPARE(found(QStringLiteral("half")).size(), 1);
}

// An edited question and another answer are rows of their own.
void SearchIndexTest::findsEveryVersion() {
    const auto sent = store_->send(kNoId, QStringLiteral("first wording"));
    QVERIFY(store_->finishReply(sent->assistantId, QStringLiteral("first answer"),
                                MessageState::Complete, {}, {}));
    catchUp();
    const auto again = store_->addAnswer(sent->assistantId);
    QVERIFY(
        store_->finishReply(*again, QStringLiteral("other answer"), MessageState::Stopped, {}, {}));
    const auto edited = store_->addQuestion(sent->userId, QStringLiteral("second wording"));
    QVERIFY(store_->finishReply(edited->assistantId, QStringLiteral("last answer"),
                                MessageState::Complete, {}, {}));
    QVERIFY(store_->addEditedAnswer(edited->assistantId, QStringLiteral("my answer")).has_value());
    catchUp();
    QCOMPARE(found(QStringLiteral("wording")), QStringList({"second wording", "first wording"}));
    QCOMPARE(found(QStringLiteral("answer")),
             QStringList({"my answer", "last answer", "other answer", "first answer"}));
}

void SearchIndexTest::leavesReasoningOut() {
    QVERIFY(say(QStringLiteral("Why <think>so</think>?"),
                QStringLiteral("<think>\nhidden words\n</think>\n\nshown words")) > 0);
    catchUp();
    QCOMPARE(found(QStringLiteral("hidden")).size(), 0);
    QCOMPARE(found(QStringLiteral("shown")), QStringList({"shown words"}));
    QCOMPARE(found(QStringLiteral("so</think>")).size(), 1);  // the user's own words
}

void SearchIndexTest::leavesTheBinOut() {
    const qint64 chat = say(QStringLiteral("bread one"), QStringLiteral("answer"));
    QVERIFY(say(QStringLiteral("bread two"), QStringLiteral("answer")) > 0);
    catchUp();
    QVERIFY(store_->remove(chat));
    QCOMPARE(found(QStringLiteral("bread")), QStringList({"bread two"}));  // even before a step
    catchUp();
    QCOMPARE(found(QStringLiteral("bread")), QStringList({"bread two"}));
    QVERIFY(store_->restore(chat));
    catchUp();
    QCOMPARE(found(QStringLiteral("bread")), QStringList({"bread two", "bread one"}));
    // A second time, with a message that is met in the bin.
    QVERIFY(say(QStringLiteral("bread three"), QStringLiteral("answer"), chat) > 0);
    QVERIFY(store_->remove(chat));
    catchUp();
    openIndex();
    catchUp();
    QCOMPARE(found(QStringLiteral("bread")), QStringList({"bread two"}));
    QVERIFY(store_->restore(chat));
    catchUp();
    QCOMPARE(found(QStringLiteral("bread")),
             QStringList({"bread three", "bread two", "bread one"}));
}

// No trigram of a purged chat stays in the file.
void SearchIndexTest::deletedMeansGone() {
    for (int i = 0; i < 30; ++i) {
        QVERIFY(say(QStringLiteral("bread %1").arg(i), QStringLiteral("usual words")) > 0);
        catchUp();
    }
    const qint64 chat = say(QStringLiteral("qzxqzx"), QStringLiteral("qzxqzx"));
    catchUp();
    const auto fileHas = [this](const QByteArray& text) {
        index_->close();  // what is in the log comes into the file
        QFile file(this->file());
        const bool has = file.open(QIODevice::ReadOnly) && file.readAll().contains(text);
        openIndex();
        return has;
    };
    QVERIFY(fileHas("qzx"));
    QVERIFY(store_->remove(chat));
    catchUp();
    QVERIFY(store_->purge(0));
    catchUp();
    QVERIFY(!fileHas("qzx"));
    QCOMPARE(found(QStringLiteral("bread")).size(), 30);
    QCOMPARE(found(QStringLiteral("br")).size(), 30);
}

void SearchIndexTest::anotherStartGoesOn() {
    QVERIFY(say(QStringLiteral("bread"), QStringLiteral("answer")) > 0);
    catchUp();
    openIndex();
    QCOMPARE(index_->share(), 1.0);  // nothing is to be done again
    QCOMPARE(found(QStringLiteral("bread")).size(), 1);
    QVERIFY(say(QStringLiteral("more bread"), QStringLiteral("answer")) > 0);
    catchUp();
    QCOMPARE(found(QStringLiteral("bread")).size(), 2);
}

// Several steps, and each leaves a file that finds what it has.
void SearchIndexTest::takesInALot() {
    const qint64 chat = say(QStringLiteral("first bread"), QStringLiteral("answer"));
    for (int i = 0; i < 200; ++i) {
        QVERIFY(say(QStringLiteral("question %1").arg(i), QStringLiteral("answer"), chat) > 0);
    }
    QVERIFY(say(QString(100'000, QLatin1Char('x')), QStringLiteral("last bread")) > 0);
    QVERIFY(index_->step());
    QVERIFY(index_->share() > 0 && index_->share() < 1);
    QCOMPARE(found(QStringLiteral("bread")).size(), 1);
    openIndex();
    catchUp();
    QCOMPARE(found(QStringLiteral("bread")).size(), 2);
    QCOMPARE(found(QStringLiteral("question"), 500).size(), 200);
}

void SearchIndexTest::isMadeAnew_data() {
    QTest::addColumn<QString>("sql");  // empty: the file is no database
    QTest::newRow("missing") << QStringLiteral("-");
    QTest::newRow("no database") << QString();
    QTest::newRow("another version") << QStringLiteral("PRAGMA user_version = 99");
    QTest::newRow("without a table") << QStringLiteral("DROP TABLE progress");
    QTest::newRow("of other chats") << QStringLiteral("UPDATE progress SET last_created = 1");
    QTest::newRow("of later chats") << QStringLiteral("UPDATE progress SET last_id = 1000");
    QTest::newRow("of more messages") << QStringLiteral("UPDATE progress SET held = 100");
}

void SearchIndexTest::isMadeAnew() {
    QFETCH(const QString, sql);
    QVERIFY(say(QStringLiteral("bread"), QStringLiteral("answer")) > 0);
    catchUp();
    index_->close();
    if (sql == QLatin1String("-")) {
        QVERIFY(QFile::remove(file()));
    } else if (sql.isEmpty()) {
        QFile broken(file());
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write(QByteArray(8192, 'x'));
    } else {
        {
            QSqlDatabase database =
                QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("spoil"));
            database.setDatabaseName(file());
            QVERIFY(database.open());
            QVERIFY(QSqlQuery(database).exec(sql));
        }
        QSqlDatabase::removeDatabase(QStringLiteral("spoil"));
    }
    openIndex();
    QVERIFY(index_->share() < 1);
    catchUp();
    QCOMPARE(found(QStringLiteral("bread")).size(), 1);
}

// A chat that went for good before the index met it in the bin.
void SearchIndexTest::missedAPurge() {
    const qint64 chat = say(QStringLiteral("bread one"), QStringLiteral("answer"));
    QVERIFY(say(QStringLiteral("bread two"), QStringLiteral("answer")) > 0);
    catchUp();
    index_->close();
    QVERIFY(store_->remove(chat) && store_->purge(0));
    openIndex();
    QVERIFY(index_->share() < 1);
    catchUp();
    QCOMPARE(found(QStringLiteral("bread")), QStringList({"bread two"}));
}

void SearchIndexTest::readsInASecondWindow() {
    SearchIndex second;
    QVERIFY(!index_->step());  // nothing to take in
    index_->close();
    QVERIFY(QFile::remove(file()));
    QVERIFY(!second.open(folder_->path(), false));
    QCOMPARE(second.problem(), QStringLiteral("Chats cannot be searched in this window."));
    QVERIFY(!QFile::exists(file()));
    openIndex();
    QVERIFY(say(QStringLiteral("bread"), QStringLiteral("answer")) > 0);
    catchUp();
    QVERIFY(second.open(folder_->path(), false));
    QCOMPARE(second.find(QStringLiteral("bread"), 50).size(), 1);
    QVERIFY(!second.step());
}

void SearchIndexTest::saysThatThereIsNoFullText() {
    index_->close();
    QVERIFY(QFile::remove(file()));
    SearchIndex without(QStringLiteral("fts99"));
    QVERIFY(!without.open(folder_->path(), true));
    QCOMPARE(without.problem(),
             QStringLiteral("Chats cannot be searched: the SQLite of this system has no full-text "
                            "search (FTS5)."));
    QVERIFY(without.find(QStringLiteral("bread"), 50).isEmpty());
    QVERIFY(!without.step());
    // The chats are as before.
    QVERIFY(say(QStringLiteral("bread"), QStringLiteral("answer")) > 0);
    QCOMPARE(store_->conversations().size(), 1);
}

void SearchIndexTest::saysThatChatsCannotBeRead() {
    const QTemporaryDir other;
    QFile file(other.filePath(QStringLiteral("hearth.db")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(8192, 'x'));
    file.close();
    SearchIndex index;
    QVERIFY(!index.open(other.path(), true));
    QCOMPARE(index.problem(),
             QStringLiteral("Chats cannot be searched: their file cannot be read."));
}

QTEST_GUILESS_MAIN(SearchIndexTest)
#include "search_index_test.moc"
