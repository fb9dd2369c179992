#include "documents/document_desk.h"

#include <QTemporaryDir>
#include <QtTest>

#include "support/document_maker.h"

using namespace hearth::ui;
using namespace hearth::test;

class DocumentDeskTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup() { desk_.reset(); }
    void readsAndKeeps();
    void quotesWhole();
    void quotesPassages();
    void quotesTheBeginningWhereNoWordFits();
    void passagesFitTheirTokens();
    void quotesInTheOrderOfTheDocument();
    void searchesSeveralDocuments();
    void missingTextIsSaid();
    void keepsOnlyWhatIsWanted();
    void refusesDamagedFilesOfTheShelf();

private:
    ReadFile read(const QString& path);
    QuotedTurns quote(const WantedTurn& turn);
    QList<DocumentFile::Part> parts(const QString& hash);
    WantedDocument wanted(const ReadFile& file, qint64 id) const {
        return {id, file.hash, QStringLiteral("lease.txt"), 0.25};
    }
    // A document of many passages, of which one has the word.
    ReadFile longDocument(const char* name, const QString& sentence, int before = 60);
    QStringList onShelf() const {
        return QDir(folder_->filePath(QStringLiteral("shelf"))).entryList(QDir::Files);
    }

    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<DocumentDesk> desk_;
};

void DocumentDeskTest::init() {
    folder_ = std::make_unique<QTemporaryDir>();
    desk_ =
        std::make_unique<DocumentDesk>(DocumentShelf(folder_->filePath(QStringLiteral("shelf"))));
    desk_->setProgram(QStringLiteral(HEARTH_DOCUMENT_CHILD));
    desk_->setCounter([](const QString& model, const QString& text) -> std::optional<TokenCount> {
        if (model != QLatin1String("model")) {
            return std::nullopt;
        }
        return TokenCount{static_cast<int>(text.count(QLatin1Char(' '))), true};
    });
}

ReadFile DocumentDeskTest::read(const QString& path) {
    std::optional<ReadFile> answer;
    desk_->read(path, QStringLiteral("model"), [&](const ReadFile& file) { answer = file; });
    if (!QTest::qWaitFor([&] { return answer.has_value(); }, 60'000)) {
        return {};
    }
    return *answer;
}

QuotedTurns DocumentDeskTest::quote(const WantedTurn& turn) {
    std::optional<QuotedTurns> answer;
    desk_->quote({turn}, [&](const QuotedTurns& quoted) { answer = quoted; });
    if (!QTest::qWaitFor([&] { return answer.has_value(); }, 60'000)) {
        return {};
    }
    return *answer;
}

QList<DocumentFile::Part> DocumentDeskTest::parts(const QString& hash) {
    std::optional<QList<DocumentFile::Part>> answer;
    desk_->parts(hash, [&](const QList<DocumentFile::Part>& found) { answer = found; });
    if (!QTest::qWaitFor([&] { return answer.has_value(); }, 60'000)) {
        return {};
    }
    return *answer;
}

ReadFile DocumentDeskTest::longDocument(const char* name, const QString& sentence, int before) {
    QString text;
    for (int i = 0; i < 120; ++i) {
        text +=
            QStringLiteral("Clause %1 says nothing of interest to anybody. ").arg(i).repeated(12);
        text += i == before ? sentence + QStringLiteral("\n\n") : QStringLiteral("\n\n");
    }
    return read(writeFile(folder_->filePath(QString::fromLatin1(name)), text.toUtf8()));
}

void DocumentDeskTest::readsAndKeeps() {
    const QString path = writeFile(folder_->filePath(QStringLiteral("a.md")), "one two three");
    const ReadFile file = read(path);
    QCOMPARE(file.problem, QString());
    QVERIFY(file.kind == DocumentKind::Markdown);
    QCOMPARE(file.bytes, 13);
    QCOMPARE(file.characters, 13);
    QCOMPARE(file.tokens.tokens, 2);
    QVERIFY(file.tokens.isExact);
    QCOMPARE(onShelf(), QStringList{file.hash + QStringLiteral(".document")});
    // The same again is the same file, and another one is another.
    QCOMPARE(read(path).hash, file.hash);
    QCOMPARE(onShelf().size(), 1);
    QVERIFY(read(writeFile(path, "one")).hash != file.hash);
    QCOMPARE(onShelf().size(), 2);
    const ReadFile bad = read(folder_->path());
    QVERIFY(bad.problem.contains(QLatin1String("is not a file")));
    QVERIFY(bad.hash.isEmpty());
    // A success after the failure.
    QCOMPARE(read(path).problem, QString());
}

void DocumentDeskTest::quotesWhole() {
    const ReadFile file =
        read(writeFile(folder_->filePath(QStringLiteral("a.txt")), "The rent is due."));
    WantedTurn turn;
    turn.text = QStringLiteral("When?");
    turn.whole = {wanted(file, 1)};
    const QuotedTurns quoted = quote(turn);
    QCOMPARE(
        quoted.texts,
        QStringList{QStringLiteral("File \"lease.txt\":\n```\nThe rent is due.\n```\n\nWhen?")});
    QVERIFY(quoted.found.isEmpty());
}

void DocumentDeskTest::quotesPassages() {
    const QString sentence = QStringLiteral("The rent is due on the third of the month.");
    const ReadFile file = longDocument("long.txt", sentence);
    WantedTurn turn;
    turn.text = QStringLiteral("When must the rent be paid?");
    turn.searched = {wanted(file, 7)};
    turn.searchTokens = 500;
    const QuotedTurns quoted = quote(turn);
    QVERIFY(quoted.texts.value(0).contains(sentence));
    QVERIFY(quoted.texts.value(0).endsWith(turn.text));
    // The passages that it names are those that it quotes.
    QVERIFY(!quoted.found.isEmpty());
    const QList<DocumentFile::Part> all = parts(file.hash);
    QVERIFY(all.size() > 100);
    bool has = false;
    for (const FoundPassage& found : quoted.found) {
        QCOMPARE(found.id, 7);
        QVERIFY(quoted.texts.value(0).contains(all.at(found.passage).text.trimmed()));
        has = has || all.at(found.passage).text.contains(sentence);
    }
    QVERIFY(has);
    // The same passages, asked for again, give the same text.
    WantedTurn again;
    again.text = turn.text;
    for (const FoundPassage& found : quoted.found) {
        again.passages.append({wanted(file, 7), found.passage});
    }
    QCOMPARE(quote(again).texts, quoted.texts);
}

void DocumentDeskTest::quotesTheBeginningWhereNoWordFits() {
    const ReadFile file = longDocument("long.txt", {});
    WantedTurn turn;
    turn.text = QStringLiteral("Zusammenfassung?");
    turn.searched = {wanted(file, 1)};
    turn.searchTokens = 400;
    const QuotedTurns quoted = quote(turn);
    QVERIFY(quoted.texts.value(0).contains(QLatin1String("Clause 0 says")));
    QCOMPARE(quoted.found.value(0).passage, 0);
}

void DocumentDeskTest::passagesFitTheirTokens() {
    const ReadFile file = longDocument("long.txt", {});
    for (const int tokens : {1, 500, 1'000'000}) {
        WantedTurn turn;
        turn.text = QStringLiteral("Which clause?");
        turn.searched = {wanted(file, 1)};
        turn.searchTokens = tokens;
        const QuotedTurns quoted = quote(turn);
        const qsizetype passages = quoted.found.size();
        QVERIFY(passages >= 1 && passages <= DocumentDesk::kMostPassages);
        const double used =
            0.25 * static_cast<double>(quoted.texts.value(0).size() - 60 * passages);
        QVERIFY(passages == 1 || used <= tokens);
        // In the order of the document.
        for (qsizetype i = 1; i < passages; ++i) {
            QVERIFY(quoted.found[i - 1].passage < quoted.found[i].passage);
        }
    }
}

// The best passage is the later one.
void DocumentDeskTest::quotesInTheOrderOfTheDocument() {
    const QString filler = QStringLiteral("Nothing of interest to anybody. ").repeated(25);
    QString text;
    for (int i = 0; i < 100; ++i) {
        text += filler +
                (i == 20   ? QStringLiteral("Some rent.")
                 : i == 70 ? QStringLiteral("Zebras and rent, rent, rent.")
                           : QString()) +
                QStringLiteral("\n\n");
    }
    const ReadFile file =
        read(writeFile(folder_->filePath(QStringLiteral("order.txt")), text.toUtf8()));
    WantedTurn turn;
    turn.text = QStringLiteral("Zebras, rent?");
    turn.searched = {wanted(file, 1)};
    turn.searchTokens = 10'000;
    const QuotedTurns quoted = quote(turn);
    const qsizetype some = quoted.texts.value(0).indexOf(QLatin1String("Some rent."));
    const qsizetype best = quoted.texts.value(0).indexOf(QLatin1String("Zebras and rent"));
    QVERIFY(some >= 0 && best > some);
    QVERIFY(quoted.found.value(0).passage < quoted.found.value(1).passage);
    // With room for one passage it is the best.
    turn.searchTokens = 1;
    QVERIFY(quote(turn).texts.value(0).contains(QLatin1String("Zebras and rent")));
}

void DocumentDeskTest::searchesSeveralDocuments() {
    const ReadFile first = longDocument("first.txt", QStringLiteral("The cat sleeps."), 100);
    const ReadFile second = longDocument("second.txt", QStringLiteral("The zebra runs."), 5);
    WantedTurn turn;
    turn.text = QStringLiteral("Where are the zebra and the cat?");
    turn.searched = {wanted(first, 1), wanted(second, 2)};
    turn.searchTokens = 10'000;
    const QuotedTurns quoted = quote(turn);
    const QString text = quoted.texts.value(0);
    QVERIFY(text.contains(QLatin1String("The cat sleeps.")));
    QVERIFY(text.contains(QLatin1String("The zebra runs.")));
    QVERIFY(text.indexOf(QLatin1String("cat sleeps")) < text.indexOf(QLatin1String("zebra runs")));
}

void DocumentDeskTest::missingTextIsSaid() {
    WantedTurn turn;
    turn.text = QStringLiteral("Why?");
    turn.whole = {{1, QString(64, QLatin1Char('0')), QStringLiteral("gone.txt")}};
    turn.passages = {{{2, QStringLiteral("../../etc/passwd"), QStringLiteral("bad.txt")}, 0}};
    turn.searched = {{3, QString(64, QLatin1Char('1')), QStringLiteral("other.txt")}};
    const QuotedTurns quoted = quote(turn);
    QCOMPARE(quoted.texts, QStringList{QStringLiteral(
                               "The text of the file \"gone.txt\" is missing.\n\nThe text of the "
                               "file \"bad.txt\" is missing.\n\nWhy?")});
    QVERIFY(parts(QString(64, QLatin1Char('0'))).isEmpty());
}

void DocumentDeskTest::keepsOnlyWhatIsWanted() {
    const ReadFile one = read(writeFile(folder_->filePath(QStringLiteral("1.txt")), "one"));
    const ReadFile two = read(writeFile(folder_->filePath(QStringLiteral("2.txt")), "two"));
    const QString shelf = folder_->filePath(QStringLiteral("shelf/"));
    writeFile(shelf + QStringLiteral("half.document.part"), "x");
    writeFile(shelf + QStringLiteral("somebody's.txt"), "x");
    desk_->keepOnly({two.hash});
    QTRY_COMPARE(onShelf(), (QStringList{two.hash + QStringLiteral(".document"),
                                         QStringLiteral("somebody's.txt")}));
    QVERIFY(parts(one.hash).isEmpty());
    QCOMPARE(parts(two.hash).size(), 1);
}

void DocumentDeskTest::refusesDamagedFilesOfTheShelf() {
    const QString path = folder_->filePath(QStringLiteral("1.txt"));
    const ReadFile one = read(writeFile(path, "one"));
    const QString kept =
        folder_->filePath(QStringLiteral("shelf/")) + one.hash + QStringLiteral(".document");
    writeFile(kept, "no database");
    QVERIFY(parts(one.hash).isEmpty());
    // Attached again, it is made anew.
    QCOMPARE(read(path).hash, one.hash);
    QCOMPARE(parts(one.hash).value(0).text, QStringLiteral("one"));
}

QTEST_GUILESS_MAIN(DocumentDeskTest)
#include "document_desk_test.moc"
