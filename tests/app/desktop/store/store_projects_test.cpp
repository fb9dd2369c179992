// Projects on the disk: what belongs to them, and what is left when they go.
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QtTest>

#include "store/conversation_store.h"
#include "store/migrations.h"
#include "store/store_rescue.h"

using namespace hearth::ui;

namespace {

Attachment file(const QString& name, const QString& hash, const QString& path = {}) {
    Attachment attachment;
    attachment.name = name;
    attachment.kind = QStringLiteral("text");
    attachment.hash = hash;
    attachment.bytes = 10;
    attachment.characters = 10;
    attachment.tokens = 3;
    attachment.path = path;
    attachment.modifiedMs = path.isEmpty() ? 0 : 77;
    return attachment;
}

}  // namespace

class StoreProjectsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<ConversationStore> store_;

    void open() {
        store_.reset();
        store_ = std::make_unique<ConversationStore>();
        QCOMPARE(store_->open(folder_->path()).mode, ConversationStore::Mode::ReadWrite);
    }
    qint64 made(const QString& name, const QString& folder = {}) {
        Project project;
        project.name = name;
        project.folder = folder;
        return store_->addProject(project).value_or(kNoId);
    }
    ConversationStore::Sent chat(qint64 project, const QString& text = QStringLiteral("Hi")) {
        return store_->send(kNoId, text, true, {}, project).value_or(ConversationStore::Sent{});
    }

private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        open();
    }

    void keepsAll() {
        Project first;
        first.name = QStringLiteral("beta");
        first.instructions = QStringLiteral("Be brief.");
        first.model = QStringLiteral("/models/a.gguf");
        first.temperature = 0.3;
        first.folder = QStringLiteral("/srv/notes");
        first.id = store_->addProject(first).value();
        Project second;
        second.name = QStringLiteral("Alpha");
        second.id = store_->addProject(second).value();
        open();
        QCOMPARE(store_->projects(), QList<Project>({second, first}));
        QCOMPARE(store_->project(first.id), std::optional(first));
        QVERIFY(!store_->project(99));
        second.name = QStringLiteral("gamma");
        second.temperature = 0.0;
        QVERIFY(store_->setProject(second));
        open();
        QCOMPARE(store_->projects(), QList<Project>({first, second}));
        second.id = 99;
        QVERIFY(!store_->setProject(second));
    }

    void chatsBelongToOne() {
        const qint64 one = made(QStringLiteral("One"));
        const qint64 two = made(QStringLiteral("Two"));
        const qint64 inside = chat(one).conversationId;
        const qint64 outside = chat(kNoId).conversationId;
        QCOMPARE(store_->projectOf(inside), one);
        QCOMPARE(store_->projectOf(outside), kNoId);
        QCOMPARE(store_->summary(inside)->projectId, one);
        QCOMPARE(store_->summary(outside)->projectId, kNoId);
        QCOMPARE(store_->summary(inside)->preview, QStringLiteral("Hi"));
        // A further message changes nothing of it.
        QVERIFY(store_->send(inside, QStringLiteral("More"), true, {}, two));
        QCOMPARE(store_->projectOf(inside), one);
        QVERIFY(store_->allowTool(inside, QStringLiteral("Hearth/read_file")));
        QVERIFY(store_->allowTool(outside, QStringLiteral("Hearth/read_file")));
        QVERIFY(store_->moveToProject(inside, two));
        open();
        QCOMPARE(store_->projectOf(inside), two);
        QVERIFY(!store_->isToolAllowed(inside, QStringLiteral("Hearth/read_file")));
        QVERIFY(store_->isToolAllowed(outside, QStringLiteral("Hearth/read_file")));
        QVERIFY(store_->moveToProject(inside, kNoId));
        QCOMPARE(store_->projectOf(inside), kNoId);
        QVERIFY(!store_->moveToProject(inside, 99));
        QCOMPARE(store_->projectOf(inside), kNoId);
        QVERIFY(store_->moveToProject(inside, one));
    }

    void permissionsAreOfTheProjectAndItsFolder() {
        const qint64 one = made(QStringLiteral("One"));
        const qint64 two = made(QStringLiteral("Two"));
        const QString permission = QStringLiteral("Hearth/time");
        QVERIFY(store_->allowToolInProject(one, permission));
        QVERIFY(store_->allowToolInProject(one, permission));
        QCOMPARE(store_->projectToolCount(one), 1);
        open();
        QVERIFY(store_->isToolAllowedInProject(one, permission));
        QVERIFY(!store_->isToolAllowedInProject(two, permission));
        QVERIFY(!store_->isToolAllowedInProject(one, QStringLiteral("Hearth/read_file")));
        Project changed = *store_->project(one);
        changed.name = QStringLiteral("Other");
        QVERIFY(store_->setProject(changed));
        QVERIFY(store_->isToolAllowedInProject(one, permission));
        changed.folder = QStringLiteral("/elsewhere");
        QVERIFY(store_->allowToolInProject(two, permission));
        QVERIFY(store_->setProject(changed));
        QVERIFY(!store_->isToolAllowedInProject(one, permission));
        QVERIFY(store_->isToolAllowedInProject(two, permission));
        QVERIFY(store_->forgetProjectTools(two));
        QCOMPARE(store_->projectToolCount(two), 0);
    }

    void filesAreReplacedByTheirPath() {
        const qint64 one = made(QStringLiteral("One"), QStringLiteral("/f"));
        const qint64 two = made(QStringLiteral("Two"), QStringLiteral("/f"));
        QVERIFY(store_->addProjectFiles(one, {file("b.txt", "h1", "b.txt"), file("a.txt", "h2")}));
        QVERIFY(store_->addProjectFiles(two, {file("b.txt", "h1", "b.txt")}));
        QList<Attachment> files = store_->projectFiles(one);
        QCOMPARE(files.size(), 2);
        QCOMPARE(files[0].name, QStringLiteral("a.txt"));  // attached ones first
        QCOMPARE(files[1].path, QStringLiteral("b.txt"));
        QCOMPARE(files[1].modifiedMs, 77);
        // An attached file of the same name is another one.
        QVERIFY(store_->addProjectFiles(one, {file("b.txt", "h3", "b.txt"), file("a.txt", "h4")}));
        files = store_->projectFiles(one);
        QCOMPARE(files.size(), 3);
        QCOMPARE(files[2].hash, QStringLiteral("h3"));
        QCOMPARE(store_->projectFiles(two).value(0).hash, QStringLiteral("h1"));
        // Another folder has other files; attached ones stay.
        Project changed = *store_->project(one);
        changed.folder = QStringLiteral("/g");
        QVERIFY(store_->setProject(changed));
        QCOMPARE(store_->projectFiles(one).size(), 2);
        QCOMPARE(store_->projectFiles(two).size(), 1);
        QVERIFY(store_->documentHashes()->contains(QStringLiteral("h1")));
        QVERIFY(!store_->documentHashes()->contains(QStringLiteral("h3")));
    }

    void whatWentWithAQuestionStays() {
        const qint64 one = made(QStringLiteral("One"), QStringLiteral("/f"));
        QVERIFY(store_->addProjectFiles(
            one, {file("a.txt", "h1"), file("b.txt", "h2", "b.txt"), file("c.txt", "h3")}));
        const QList<Attachment> files = store_->projectFiles(one);
        const auto sent = chat(one);
        QVERIFY(store_->setUsedPassages(sent.userId,
                                        {{sent.userId, files[0].id, UsedPassage::kWhole, 0},
                                         {sent.userId, files[2].id, 4, 0}}));
        QVERIFY(store_->dropProjectFiles({files[0].id, files[1].id}));
        QVERIFY(store_->addProjectFiles(one, {file("b.txt", "h9", "b.txt")}));
        QCOMPARE(store_->projectFiles(one).size(), 1);
        QStringList names;
        for (const Attachment& used : store_->usedProjectFiles(sent.conversationId)) {
            names << used.hash;
        }
        QCOMPARE(names, QStringList({"h1", "h2"}));
        QCOMPARE(store_->usedPassages(sent.conversationId).size(), 2);
        QVERIFY(!store_->documentHashes()->contains(QStringLiteral("h3")));
        // The start of the program keeps them too; with the chat they go.
        open();
        QCOMPARE(store_->usedProjectFiles(sent.conversationId).size(), 2);
        QVERIFY(store_->remove(sent.conversationId));
        QVERIFY(store_->purge(0));
        QVERIFY(store_->purge(0));
        QCOMPARE(*store_->documentHashes(), QStringList{QStringLiteral("h9")});
    }

    void aDeletedOneLeavesItsChats() {
        const qint64 one = made(QStringLiteral("One"));
        const qint64 two = made(QStringLiteral("Two"));
        const auto kept = chat(one);
        const qint64 other = chat(two).conversationId;
        QVERIFY(store_->addProjectFiles(one, {file("a.txt", "h1"), file("b.txt", "h2")}));
        QVERIFY(store_->addProjectFiles(two, {file("c.txt", "h3")}));
        QVERIFY(store_->allowToolInProject(one, QStringLiteral("x/y")));
        QVERIFY(store_->setUsedPassages(kept.userId,
                                        {{kept.userId, store_->projectFiles(one)[0].id, 0, 0}}));
        QVERIFY(store_->removeProject(one, false));
        QCOMPARE(store_->conversations().size(), 2);
        QCOMPARE(store_->projectOf(kept.conversationId), kNoId);
        QCOMPARE(store_->projectOf(other), two);
        QCOMPARE(store_->usedProjectFiles(kept.conversationId).size(), 1);
        QCOMPARE(*store_->documentHashes(), QStringList({"h1", "h3"}));
        QVERIFY(!store_->isToolAllowedInProject(one, QStringLiteral("x/y")));
        // A new one has nothing of it.
        const qint64 three = made(QStringLiteral("One"));
        QVERIFY(three != one);
        QVERIFY(store_->projectFiles(three).isEmpty());
    }

    void aDeletedOneTakesItsChatsAlong() {
        const qint64 one = made(QStringLiteral("One"));
        const qint64 inside = chat(one).conversationId;
        const qint64 outside = chat(kNoId).conversationId;
        QVERIFY(store_->removeProject(one, true));
        QCOMPARE(store_->conversations().size(), 1);
        QCOMPARE(store_->conversations()[0].id, outside);
        QCOMPARE(store_->deleted().value(0).id, inside);
        QVERIFY(store_->restore(inside));
        QCOMPARE(store_->projectOf(inside), kNoId);
    }

    void exportsKeepTheName() {
        const qint64 one = made(QStringLiteral("One"));
        const qint64 inside = chat(one).conversationId;
        const qint64 outside = chat(kNoId).conversationId;
        const ChatRecord record = *store_->record(inside);
        QCOMPARE(record.project, QStringLiteral("One"));
        QCOMPARE(store_->record(outside)->project, QString());
        QCOMPARE(store_->projectOf(store_->add(record).value()), one);
        // Nothing imported gains a right, a folder or files.
        QVERIFY(store_->allowToolInProject(one, QStringLiteral("x/y")));
        const qint64 second = store_->projectOf(store_->add(record).value());
        QVERIFY(second != one && second != kNoId);
        QCOMPARE(store_->projectOf(store_->add(record).value()), second);
        QVERIFY(store_->addProjectFiles(second, {file("a.txt", "h1")}));
        const qint64 third = store_->projectOf(store_->add(record).value());
        QVERIFY(third != second && third != one);
        Project changed = *store_->project(third);
        changed.folder = QStringLiteral("/f");
        QVERIFY(store_->setProject(changed));
        const qint64 last = store_->add(record).value();
        QVERIFY(store_->projectOf(last) != third);
        QCOMPARE(store_->projects().size(), 4);
        QCOMPARE(store_->record(last)->project, QStringLiteral("One"));
    }

    // The file of the version before, with all that it could hold.
    void theFormerVersionIsTakenOver() {
        store_.reset();
        const QString path = folder_->filePath(QStringLiteral("hearth.db"));
        QVERIFY(QFile::remove(path));
        {
            QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", "six");
            database.setDatabaseName(path);
            QVERIFY(database.open());
            QStringList sql;
            for (int step = 0; step < 6; ++step) {
                sql += migrations().at(step);
            }
            sql << "INSERT INTO conversations (id, title, created_at, updated_at) VALUES"
                   " (4, 'kept', 1, 2)"
                << "INSERT INTO messages (id, conversation_id, role, content, state, created_at)"
                   " VALUES (7, 4, 'user', 'words', 'complete', 1)"
                << "INSERT INTO chat_permissions VALUES (4, 'Hearth/time')"
                << "INSERT INTO chat_tools VALUES (4, '/folder')"
                << "INSERT INTO attachments (id, message_id, name, kind, hash, bytes, characters)"
                   " VALUES (9, 7, 'a.txt', 'text', 'h1', 5, 5)"
                << "INSERT INTO used_passages (message_id, attachment_id, passage) VALUES (7, 9, 3)"
                << "UPDATE conversations SET active_leaf = 7"
                << "PRAGMA user_version = 6";
            for (const QString& one : std::as_const(sql)) {
                QVERIFY2(QSqlQuery(database).exec(one), qPrintable(one));
            }
            database.close();
        }
        QSqlDatabase::removeDatabase("six");
        open();
        QCOMPARE(store_->conversations().value(0).title, QStringLiteral("kept"));
        QCOMPARE(store_->projectOf(4), kNoId);
        QCOMPARE(store_->activePath(4).value(0).content, QStringLiteral("words"));
        QVERIFY(store_->isToolAllowed(4, QStringLiteral("Hearth/time")));
        QCOMPARE(store_->toolFolder(4), QStringLiteral("/folder"));
        QCOMPARE(store_->attachmentsIn(4).value(0).hash, QStringLiteral("h1"));
        QCOMPARE(store_->usedPassages(4).value(0).passage, 3);
        QVERIFY(store_->projects().isEmpty());
        QVERIFY(store_->moveToProject(4, made(QStringLiteral("One"))));
    }

    void aDamagedFileGivesThemBack() {
        const qint64 one = made(QStringLiteral("One"), QStringLiteral("/f"));
        const auto sent = chat(one);
        QVERIFY(store_->addProjectFiles(one, {file("a.txt", "h1"), file("b.txt", "h2", "b.txt")}));
        const QList<Attachment> files = store_->projectFiles(one);
        QVERIFY(store_->setUsedPassages(sent.userId, {{sent.userId, files[1].id, 0, 0}}));
        QVERIFY(store_->dropProjectFiles({files[1].id}));
        store_->close();
        ConversationStore second;
        second.openInMemory();
        const Rescued rescued =
            rescueConversations(folder_->filePath(QStringLiteral("hearth.db")),
                                QSqlDatabase::database(second.connectionName()));
        QVERIFY(rescued.complete);
        QCOMPARE(second.projects().value(0).name, QStringLiteral("One"));
        QCOMPARE(second.projects().value(0).folder, QStringLiteral("/f"));
        QCOMPARE(second.projectOf(sent.conversationId), one);
        QCOMPARE(second.projectFiles(one).size(), 1);
        QCOMPARE(second.usedProjectFiles(sent.conversationId).value(0).path,
                 QStringLiteral("b.txt"));
        // A project that cannot be read is no reason to lose its chats.
        open();
        QSqlQuery query(QSqlDatabase::database(store_->connectionName()));
        QVERIFY(query.exec("PRAGMA foreign_keys = OFF"));
        QVERIFY(query.exec("DELETE FROM projects"));
        store_->close();
        ConversationStore third;
        third.openInMemory();
        const Rescued partly = rescueConversations(folder_->filePath(QStringLiteral("hearth.db")),
                                                   QSqlDatabase::database(third.connectionName()));
        QVERIFY(!partly.complete);
        QCOMPARE(third.conversations().size(), 1);
        QCOMPARE(third.projectOf(sent.conversationId), kNoId);
    }
};

QTEST_GUILESS_MAIN(StoreProjectsTest)
#include "store_projects_test.moc"
