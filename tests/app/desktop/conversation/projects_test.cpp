// Projects as chats use them: what the model gets, what tools may do, and what is left when one
// goes.
#include "conversation/projects.h"

#include <QDir>

#include "../app_fixture.h"
#include "support/document_maker.h"

using namespace hearth::ui;
using namespace hearth::test;

class ProjectsTest : public QObject, AppFixture {
    Q_OBJECT

    Projects& projects() { return *app_->projects(); }
    ProjectFiles& files() { return *projects().files(); }
    ToolRounds& rounds() { return *app_->rounds(); }

    void begun() {
        app_->attachments()->desk().setProgram(QStringLiteral(HEARTH_DOCUMENT_CHILD));
        app_->attachments()->desk().setCounter(
            [](const QString& /*model*/, const QString& text) -> std::optional<TokenCount> {
                return TokenCount{static_cast<int>(text.size() / 4), true};
            });
    }
    bool ask(const QString& question) {
        return replies().send(question) &&
               QTest::qWaitFor([this] { return !replies().generating(); }, 60'000);
    }
    bool askIn(qint64 project, const QString& question) {
        chats().newConversationIn(project);
        return ask(question);
    }
    QString asked() const { return fake_->lastTurns().last().content; }
    QString system() const {
        return fake_->lastTurns().first().role == QLatin1String("system")
                   ? fake_->lastTurns().first().content
                   : QString();
    }
    QString file(const QString& path, const QByteArray& text) {
        const QString whole = folder_->filePath(path);
        QDir().mkpath(QFileInfo(whole).path());
        return writeFile(whole, text);
    }
    bool attach(qint64 project, const QString& path) {
        files().attach(project, {path});
        return QTest::qWaitFor([this] { return !files().isReading(); }, 60'000);
    }
    QStringList says(qint64 project) {
        QStringList list;
        for (const QVariant& one : files().of(project)) {
            list << one.toMap().value("name").toString() + ": " +
                        one.toMap().value("says").toString();
        }
        return list;
    }
    QStringList used() {
        QStringList labels;
        for (const QVariant& one : app_->attachments()->underAnswer(last().id)) {
            labels << one.toMap().value("label").toString();
        }
        return labels;
    }
    QStringList onShelf() const {
        return QDir(folder_->filePath(QStringLiteral("documents"))).entryList(QDir::Files);
    }
    // A project with this folder, read.
    qint64 withFolder(const QString& name, const QString& path) {
        const qint64 id = projects().add(name);
        projects().setFolder(id, path);
        return id;
    }
    bool folderIsRead(qint64 project) {
        return QTest::qWaitFor(
            [&] {
                const QString says = files().folderSays(project);
                return !says.startsWith("Being read") && !says.contains("being looked at");
            },
            60'000);
    }
    static QByteArray longText(const QByteArray& sentence) {
        QByteArray text;
        for (int i = 0; i < 200; ++i) {
            text += QByteArray("Clause " + QByteArray::number(i) + " says nothing of interest. ")
                        .repeated(20);
            text += (i == 150 ? sentence : QByteArray()) + "\n\n";
        }
        return text;
    }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() {
        begin();
        begun();
    }
    void cleanup() { end(); }

    void instructionsGoBeforeThoseOfTheChat() {
        const qint64 one = projects().add("  One \n project ");
        QCOMPARE(projects().details(one).value("name").toString(), QString("One project"));
        QCOMPARE(projects().add("   "), kNoId);
        const qint64 two = projects().add("Two");
        QVERIFY(projects().setInstructions(one, "Be brief."));
        chats().newConversationIn(one);
        QCOMPARE(projects().currentName(), QString("One project"));
        QVERIFY(chats().setInstructions(kNoId, "Answer in verse."));
        QVERIFY(ask("Hi"));
        QCOMPARE(system(), QString("Be brief.\n\nAnswer in verse."));
        QCOMPARE(chats().currentProject(), one);
        QVERIFY(askIn(one, "Hi"));
        QCOMPARE(system(), QString("Be brief."));
        QVERIFY(askIn(two, "Hi"));
        QCOMPARE(system(), QString());
        QVERIFY(askIn(kNoId, "Hi"));
        QCOMPARE(system(), QString());
        QCOMPARE(projects().currentName(), QString());
        // A move holds from the next answer on, and so do changed instructions.
        chats().moveTo(chats().currentId(), one);
        QCOMPARE(projects().currentName(), QString("One project"));
        QVERIFY(ask("And?"));
        QCOMPARE(system(), QString("Be brief."));
        QVERIFY(projects().setInstructions(one, "Be long."));
        QVERIFY(ask("And?"));
        QCOMPARE(system(), QString("Be long."));
        // All of it is there after a start.
        const qint64 chat = chats().currentId();
        start();
        begun();
        chats().select(chat);
        QCOMPARE(projects().currentName(), QString("One project"));
        QVERIFY(ask("And?"));
        QCOMPARE(system(), QString("Be long."));
    }

    void temperatureIsItsOwn() {
        const double usual = settings_->generation(model().path()).temperature;
        const qint64 one = projects().add("One");
        projects().setTemperature(one, 0);
        QVERIFY(askIn(one, "Hi"));
        QCOMPARE(fake_->lastSettings().temperature, 0.0);
        projects().setTemperature(one, 1.25);
        QVERIFY(ask("Hi"));
        QCOMPARE(fake_->lastSettings().temperature, 1.25);
        QVERIFY(askIn(kNoId, "Hi"));
        QCOMPARE(fake_->lastSettings().temperature, usual);
        projects().setTemperature(one, -1);
        QVERIFY(askIn(one, "Hi"));
        QCOMPARE(fake_->lastSettings().temperature, usual);
        QCOMPARE(projects().details(one).value("temperature").toDouble(), -1.0);
    }

    void itsModelIsLoadedForTheAnswer() {
        const QString path = file("own.gguf", "x");
        const qint64 one = projects().add("One");
        projects().setModel(one, path);
        QCOMPARE(projects().details(one).value("modelName").toString(), QString("own"));
        QVERIFY(askIn(kNoId, "Hi"));
        QCOMPARE(fake_->loadCalls(), 1);
        QVERIFY(askIn(one, "Hi"));
        QVERIFY(last().state == MessageState::Complete);
        QCOMPARE(fake_->loadCalls(), 2);
        QCOMPARE(model().path(), path);
        QVERIFY(ask("More"));
        QCOMPARE(fake_->loadCalls(), 2);
        // Another one that is chosen there holds until another project's chat is shown.
        const QString other = file("other.gguf", "x");
        model().openPath(other);
        QTRY_VERIFY(model().isReady());
        QVERIFY(ask("More"));
        QCOMPARE(model().path(), other);
        chats().newConversation();
        QVERIFY(askIn(one, "Hi"));
        QCOMPARE(model().path(), path);
        // One that is gone: a sentence, and the loaded one answers.
        QVERIFY(QFile::remove(path));
        chats().newConversation();
        model().openPath(other);
        QTRY_VERIFY(model().isReady());
        QVERIFY(askIn(one, "Hi"));
        QVERIFY(last().state == MessageState::Complete);
        QVERIFY2(notices().text().contains("is not there any more"), qPrintable(notices().text()));
    }

    void aModelThatDoesNotLoadIsSaid() {
        const qint64 one = projects().add("One");
        projects().setModel(one, file("own.gguf", "x"));
        fake_->setLoadError("The file is broken.");
        QVERIFY(askIn(one, "Hi"));
        QVERIFY(last().state == MessageState::Failed);
        fake_->setLoadError({});
        model().reload();
        QTRY_VERIFY(model().isReady());
        QVERIFY(replies().regenerate(last().id));
        waitForAnswer();
        QVERIFY(last().state == MessageState::Complete);
    }

    void shortFilesGoOnceWhole() {
        const qint64 one = projects().add("One");
        const qint64 two = projects().add("Two");
        QVERIFY(attach(one, file("rent.txt", "The rent is due on the third.")));
        QVERIFY(attach(one, file("cat.txt", "The cat is called Mia.")));
        QVERIFY(attach(two, file("dog.txt", "The dog is called Rex.")));
        QCOMPARE(says(one), QStringList({"rent.txt: Text, 7 tokens", "cat.txt: Text, 5 tokens"}));
        QVERIFY(askIn(one, "When?"));
        QVERIFY(asked().contains("The rent is due on the third."));
        QVERIFY(asked().contains("File \"cat.txt\":"));
        QVERIFY(!asked().contains("Rex"));
        QVERIFY(asked().endsWith("\n\nWhen?"));
        QCOMPARE(used(), QStringList({"rent.txt, whole", "cat.txt, whole"}));
        QCOMPARE(texts().first(), QString("When?"));
        const QString first = asked();
        QVERIFY(ask("And then?"));
        QCOMPARE(asked(), QString("And then?"));
        QCOMPARE(fake_->lastTurns().first().content, first);
        // A file that comes later goes with the next question; one that goes stays where it was.
        QVERIFY(attach(one, file("bird.txt", "The bird is called Pip.")));
        files().remove(one, files().of(one).value(0).toMap().value("id").toLongLong());
        QVERIFY(ask("And now?"));
        QVERIFY(asked().contains("Pip"));
        QVERIFY(!asked().contains("Mia"));
        QCOMPARE(fake_->lastTurns().first().content, first);
        QVERIFY(replies().regenerate(last().id));
        waitForAnswer();
        QVERIFY(asked().contains("Pip"));
        // A new chat has what the project has now.
        QVERIFY(askIn(one, "When?"));
        QVERIFY(asked().contains("Mia") && asked().contains("Pip"));
        QVERIFY(!asked().contains("third"));
        // Outside of it there is nothing of it.
        QVERIFY(askIn(kNoId, "When?"));
        QCOMPARE(asked(), QString("When?"));
    }

    void longFilesAreSearched() {
        const qint64 one = projects().add("One");
        QVERIFY(attach(one, file("lease.txt", longText("The rent is due on the third."))));
        QVERIFY2(says(one)[0].endsWith("its passages are searched"), qPrintable(says(one)[0]));
        QVERIFY(askIn(one, "When must the rent be paid?"));
        QVERIFY(asked().contains("The rent is due on the third."));
        QVERIFY(asked().size() < 4 * 4096);
        QVERIFY(!used().isEmpty() && used()[0].startsWith("lease.txt, passage"));
        app_->attachments()->open(store_->usedPassages(chats().currentId())[0].attachmentId,
                                  last().id, 0);
        QTRY_VERIFY(app_->attachments()->page()->property("title").toString() == "lease.txt");
    }

    void refusedFilesSayWhy() {
        const qint64 one = projects().add("One");
        QVERIFY(attach(one, file("photo.png", "\x89PNG\r\n\x1A\n\0\0")));
        const QVariantMap row = files().of(one).value(0).toMap();
        QVERIFY(row.value("failed").toBool());
        files().remove(one, row.value("id").toLongLong());
        QVERIFY(files().of(one).isEmpty());
        QVERIFY(attach(one, file("good.txt", "words")));
        QCOMPARE(says(one).size(), 1);
    }

    void theFolderIsSearched() {
        file("notes/rent.md", "The rent is due on the third.");
        file("notes/deep/cat.txt", "The cat is called Mia.");
        for (int i = 0; i < 12; ++i) {
            file(QStringLiteral("notes/other%1.txt").arg(i),
                 "The cat sat with the dog, and is called.");
        }
        const qint64 one = withFolder("One", folder_->filePath("notes"));
        QVERIFY(folderIsRead(one));
        QCOMPARE(files().folderSays(one), QString("14 files are searched."));
        QVERIFY(askIn(one, "When is the rent due?"));
        QVERIFY(asked().contains("Passage of the file \"rent.md\":"));
        // The rarest word counts most, in whatever file it is.
        QVERIFY(ask("How is Mia called?"));
        QVERIFY2(asked().contains("Mia.\n"), qPrintable(asked()));
        QVERIFY(used().contains("deep/cat.txt, passage 1"));
        // No word fits: nothing goes in.
        QVERIFY(ask("Xylophone?"));
        QCOMPARE(asked(), QString("Xylophone?"));
    }

    // "Mia" stands in every passage of its file and "called" in one of each other: a file alone
    // would count the second as rarer.
    void passagesOfAllFilesAreRankedTogether() {
        const QByteArray filler = QByteArray("Grey stones lie beside quiet water. ").repeated(22);
        QByteArray cat;
        for (int i = 0; i < 3; ++i) {
            cat += "Mia sleeps here. " + filler + "\n\n";
        }
        file("notes/cat.txt", cat);
        for (int i = 0; i < 12; ++i) {
            QByteArray other = "They called. " + filler + "\n\n";
            for (int passage = 0; passage < 12; ++passage) {
                other += filler + "\n\n";
            }
            file(QStringLiteral("notes/other%1.txt").arg(i), other);
        }
        const qint64 one = withFolder("One", folder_->filePath("notes"));
        QVERIFY(folderIsRead(one));
        QVERIFY(askIn(one, "Mia called?"));
        QVERIFY2(asked().contains("Mia sleeps"), qPrintable(used().join('\n')));
    }

    // The size stays, the time changes.
    void aFileIsReadAgainAfterItsTime() {
        const QString path = file("notes/rent.md", "The rent is due on the third.");
        const qint64 one = withFolder("One", folder_->filePath("notes"));
        QVERIFY(askIn(one, "When is the rent due?"));
        QVERIFY(asked().contains("third"));
        const QDateTime before = QFileInfo(path).lastModified();
        file("notes/rent.md", "The rent is due on the fifth.");
        QFile changed(path);
        QVERIFY(changed.open(QIODevice::ReadWrite) &&
                changed.setFileTime(before.addSecs(10), QFileDevice::FileModificationTime));
        changed.close();
        QVERIFY(ask("When is the rent due?"));
        QVERIFY2(asked().contains("fifth"), qPrintable(asked()));
        // Back to an older time: from a backup, say.
        file("notes/rent.md", "The rent is due on the ninth.");
        QVERIFY(changed.open(QIODevice::ReadWrite) &&
                changed.setFileTime(before.addDays(-9), QFileDevice::FileModificationTime));
        changed.close();
        QVERIFY(ask("When is the rent due?"));
        QVERIFY2(asked().contains("ninth"), qPrintable(asked()));
    }

    void anotherFolderLeavesAttachedFiles() {
        file("notes/rent.md", "The rent is due on the third.");
        file("other/cat.txt", "The cat is called Mia.");
        const qint64 one = withFolder("One", folder_->filePath("notes"));
        files().attach(one, {file("dog.txt", "The dog is called Rex.")});
        projects().setFolder(one, folder_->filePath("other"));
        QVERIFY(folderIsRead(one));
        QTRY_VERIFY(!files().isReading());
        QCOMPARE(says(one), QStringList{"dog.txt: Text, 5 tokens"});
        QVERIFY(askIn(one, "Mia and the rent?"));
        QVERIFY(asked().contains("Mia.") && asked().contains("Rex."));
        QVERIFY(!asked().contains("third"));
    }

    void changesAreNoticedAtTheNextQuestion() {
        const QString path = file("notes/rent.md", "The rent is due on the third.");
        file("notes/cat.txt", "The cat is called Mia.");
        const qint64 one = withFolder("One", folder_->filePath("notes"));
        QVERIFY(askIn(one, "When is the rent due?"));
        QVERIFY(asked().contains("third"));
        const QStringList before = used();
        file("notes/rent.md", "The rent is due on the fourteenth.");
        file("notes/dog.txt", "The dog is called Rex.");
        QVERIFY(QFile::remove(folder_->filePath("notes/cat.txt")));
        QVERIFY(ask("When is the rent due?"));
        QVERIFY(asked().contains("fourteenth"));
        QVERIFY(!asked().contains("third."));
        QVERIFY(fake_->lastTurns().first().content.contains("third."));
        QVERIFY(ask("The cat and the dog?"));
        QVERIFY(asked().contains("Rex"));
        QVERIFY(!asked().contains("Mia"));
        QCOMPARE(files().folderSays(one), QString("2 files are searched."));
        // The passage shown is still the one that was used.
        const QVariantMap shown = app_->attachments()
                                      ->underAnswer(chats().messages()->messages().at(1).id)
                                      .value(0)
                                      .toMap();
        app_->attachments()->open(shown.value("id").toLongLong(),
                                  chats().messages()->messages().at(1).id, 0);
        QCOMPARE(shown.value("label").toString(), before.value(0));
        QVERIFY(!before.isEmpty());
    }

    void aHostileFolderHoldsNothingUp() {
        file("secret.txt", "The password is sesame.");
        file("notes/a.txt", "The rent is due on the third.");
        file("notes/broken.pdf", "%PDF-1.7 rubbish");
        QVERIFY(QFile::link(folder_->filePath("secret.txt"), folder_->filePath("notes/link.txt")));
        QVERIFY(QFile::link(folder_->path(), folder_->filePath("notes/up")));
        const qint64 one = withFolder("One", folder_->filePath("notes"));
        QVERIFY(folderIsRead(one));
        QCOMPARE(files().folderSays(one),
                 QString("One file is searched. Files that cannot be read: 1."));
        QVERIFY(askIn(one, "What is the password?"));
        QVERIFY(!asked().contains("sesame"));
        // A refused file is read again once it is another one.
        file("notes/broken.pdf", plainPdf({"The password is plugh."}));
        QVERIFY(ask("What is the password?"));
        QVERIFY(asked().contains("plugh"));
        // The folder's place is taken by a link.
        QVERIFY(QDir(folder_->filePath("notes")).removeRecursively());
        QVERIFY(QFile::link(folder_->path(), folder_->filePath("notes")));
        QVERIFY(ask("The password?"));
        QVERIFY(!asked().contains("sesame") && !asked().contains("plugh"));
        QVERIFY(files().folderSays(one).contains("not there any more"));
        projects().setFolder(one, folder_->filePath("nowhere"));
        QVERIFY(notices().text().contains("is no folder"));
        projects().setFolder(one, {});
        QCOMPARE(files().folderSays(one), QString());
    }

    void aQuestionDoesNotWaitForALargeFolder() {
        for (int i = 0; i < 40; ++i) {
            file(QStringLiteral("notes/%1.txt").arg(i), "The rent " + QByteArray::number(i));
        }
        files().setPatienceMs(0);
        const qint64 one = withFolder("One", folder_->filePath("notes"));
        QVERIFY(askIn(one, "The rent?"));
        QVERIFY(last().state == MessageState::Complete);
        QVERIFY(folderIsRead(one));
        QCOMPARE(files().folderSays(one), QString("40 files are searched."));
        files().setPatienceMs(60'000);
        QVERIFY(ask("The rent?"));
        QVERIFY(!used().isEmpty());
    }

    void textsGoWithTheirProject() {
        file("notes/a.txt", "The rent is due on the third.");
        const qint64 one = withFolder("One", folder_->filePath("notes"));
        QVERIFY(folderIsRead(one));
        QVERIFY(attach(one, file("b.txt", "The cat is called Mia.")));
        QCOMPARE(onShelf().size(), 2);
        QVERIFY(askIn(one, "Mia?"));
        projects().remove(one, false);
        QTRY_COMPARE(onShelf().size(), 1);  // the one that the question had
        QVERIFY(ask("And?"));
        QVERIFY(fake_->lastTurns().first().content.contains("Mia"));
        QVERIFY(chats().currentProject() == kNoId);
    }

    void deletingDuringAnAnswer() {
        const qint64 one = projects().add("One");
        const qint64 two = projects().add("Two");
        QVERIFY(projects().setInstructions(one, "Be brief."));
        fake_->setScripts({FakeInference::scriptFrom("A long answer that goes on and on.")});
        // Kept: the answer goes on.
        fake_->pauseAfter(2);
        chats().newConversationIn(one);
        QVERIFY(replies().send("Hi"));
        QTRY_VERIFY(last().content.size() > 3);
        projects().remove(one, false);
        QVERIFY(replies().generating());
        fake_->pauseAfter(-1);
        waitForAnswer();
        QVERIFY(last().state == MessageState::Complete);
        QCOMPARE(chats().conversations()->count(), 1);
        QVERIFY(ask("And?"));
        QCOMPARE(system(), QString());
        // Deleted with it: the answer ends, and the chat is in the bin.
        fake_->pauseAfter(2);
        chats().newConversationIn(two);
        QVERIFY(replies().send("Hi"));
        QTRY_VERIFY(last().content.size() > 3);
        projects().remove(two, true);
        fake_->pauseAfter(-1);
        waitForAnswer();
        QCOMPARE(chats().currentId(), kNoId);
        QCOMPARE(chats().currentProject(), kNoId);
        QCOMPARE(chats().conversations()->count(), 1);
        QCOMPARE(chats().binCount(), 1);
        QVERIFY(projects().all().isEmpty());
        chats().undoDelete();
        QCOMPARE(chats().conversations()->count(), 2);
        QVERIFY(ask("Again?"));
    }

    void deletingWhileTheFolderIsRead() {
        for (int i = 0; i < 10; ++i) {
            file(QStringLiteral("notes/%1.txt").arg(i), "The rent " + QByteArray::number(i));
        }
        const qint64 one = withFolder("One", folder_->filePath("notes"));
        chats().newConversationIn(one);
        QVERIFY(replies().send("The rent?"));
        projects().remove(one, false);
        waitForAnswer();
        QVERIFY(last().state == MessageState::Complete);
        QTRY_VERIFY(!files().isReading());
        QTRY_COMPARE(onShelf().size(), 0);
        const qint64 two = withFolder("Two", folder_->filePath("notes"));
        QVERIFY(folderIsRead(two));
        QCOMPARE(files().folderSays(two), QString("10 files are searched."));
    }

    void permissionsHoldInTheProjectAlone() {
        app_->tools()->setBuiltInOn("time", true);
        FakeInference::Script calling = FakeInference::scriptFrom("Let me see.");
        calling.summary.calls = {{"c1", "time", "{}"}};
        const auto answer = FakeInference::scriptFrom("Noon.");
        fake_->setScripts({calling, answer});
        const qint64 one = projects().add("One");
        const qint64 two = projects().add("Two");
        chats().newConversationIn(one);
        QVERIFY(replies().send("Time?"));
        QTRY_VERIFY(rounds().asking());
        QVERIFY(rounds().inProject());
        rounds().allowInProject();
        waitForAnswer();
        const qint64 chat = chats().currentId();
        QCOMPARE(projects().details(one).value("allowed").toInt(), 1);
        QVERIFY(askIn(one, "Time?"));  // another chat of the project asks nothing
        for (const qint64 other : {two, kNoId}) {
            chats().newConversationIn(other);
            QVERIFY(replies().send("Time?"));
            QTRY_VERIFY(rounds().asking());
            QCOMPARE(rounds().inProject(), other == two);
            rounds().allowInProject();  // outside of a project it is once
            waitForAnswer();
        }
        QVERIFY(askIn(two, "Time?"));
        chats().newConversation();
        QVERIFY(replies().send("Time?"));
        QTRY_VERIFY(rounds().asking());
        rounds().refuse();
        waitForAnswer();
        // A chat that leaves the project loses them.
        chats().select(chat);
        chats().moveTo(chat, kNoId);
        QVERIFY(replies().send("Time?"));
        QTRY_VERIFY(rounds().asking());
        rounds().refuse();
        waitForAnswer();
        projects().askAgain(two);
        chats().newConversationIn(two);
        QVERIFY(replies().send("Time?"));
        QTRY_VERIFY(rounds().asking());
        rounds().refuse();
        waitForAnswer();
    }

    void toolsReadInItsFolderAlone() {
        file("notes/a.txt", "inside");
        file("mine/b.txt", "of the chat");
        const qint64 one = withFolder("One", folder_->filePath("notes"));
        const QString notes = QFileInfo(folder_->filePath("notes")).canonicalFilePath();
        ChatTools& tools = *app_->chatTools();
        QVERIFY(askIn(kNoId, "Hi"));
        const qint64 chat = chats().currentId();
        tools.setFolder(folder_->filePath("mine"));
        QCOMPARE(tools.folderOf(chat), folder_->filePath("mine"));
        QVERIFY(!tools.folderOfProject());
        chats().moveTo(chat, one);
        QCOMPARE(tools.folderOf(chat), notes);
        QVERIFY(tools.folderOfProject());
        chats().newConversationIn(one);
        QCOMPARE(tools.folder(), notes);
        chats().newConversation();
        QCOMPARE(tools.folder(), QString());
        projects().setFolder(one, {});
        QCOMPARE(tools.folderOf(chat), folder_->filePath("mine"));
        // A permission was given for the former folder.
        QVERIFY(store_->allowToolInProject(one, "Hearth/read_file"));
        projects().setFolder(one, folder_->filePath("notes"));
        QCOMPARE(projects().details(one).value("allowed").toInt(), 0);
    }

    void anImportBringsItsProject() {
        const qint64 one = projects().add("One");
        QVERIFY(askIn(one, "Hi"));
        ChatRecord record = *store_->record(chats().currentId());
        record.project = "Two";
        const qint64 id = store_->add(record).value();
        chats().refreshSummary(id);
        QCOMPARE(projects().all().size(), 2);
        chats().select(id);
        QCOMPARE(projects().currentName(), QString("Two"));
        QCOMPARE(projects().rows()->rowOfProject(chats().currentProject()) + 1,
                 projects().rows()->rowOf(id));
    }

    void aFullDiskIsSaid() {
        const qint64 one = projects().add("One");
        fillDisk(true);
        QVERIFY(!projects().setInstructions(one, QString(100'000, 'x')));
        QVERIFY(!notices().text().isEmpty());
        fillDisk(false);
        QCOMPARE(projects().details(one).value("instructions").toString(), QString());
        QVERIFY(projects().add("Two") != kNoId);
        QVERIFY(projects().setInstructions(one, "Be brief."));
    }
};

QTEST_MAIN(ProjectsTest)
#include "projects_test.moc"
