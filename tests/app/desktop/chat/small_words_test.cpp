// Small texts about chats: what the disk said, the draft of a message, the end of a sentence.
#include <QSqlError>
#include <QtTest>

#include "conversation.h"
#include "draft.h"
#include "long_text.h"
#include "plain_line.h"
#include "sentences.h"
#include "store_error.h"

using namespace hearth::ui;

class SmallWordsTest : public QObject {
    Q_OBJECT

private slots:
    void theDiskSays_data();
    void theDiskSays();
    void eachWordComesBack();
    void aDraftHasSoManyPieces();
    void aDraftIsSentInOrder();
    void aDraftComesBack();
    void sentencesEnd_data();
    void sentencesEnd();
    void linesWithoutMarkup_data();
    void linesWithoutMarkup();
};

// By SQLite's codes, whose low byte is the primary one.
void SmallWordsTest::theDiskSays_data() {
    QTest::addColumn<QString>("code");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("sentence");
    using Kind = StoreError::Kind;
    const auto rows = [](const char* name, std::initializer_list<int> codes, Kind kind,
                         const char* sentence) {
        for (const int code : codes) {
            QTest::addRow("%s %d", name, code)
                << QString::number(code) << static_cast<int>(kind) << QString::fromLatin1(sentence);
        }
    };
    const char* const other = "The disk reported an error. Check it, then try again.";
    rows("full", {13, 13 | 1 << 8, 778, 4618, 4874}, Kind::DiskFull,
         "The disk is full. Make some room on it, then try again.");
    rows("not writable", {3, 8, 14, 8 | 4 << 8, 14 | 2 << 8}, Kind::NotWritable,
         "The folder with your conversations cannot be written. Check its permissions, then try "
         "again.");
    rows("busy", {5, 6, 5 | 1 << 8, 6 | 1 << 8}, Kind::Busy,
         "Another program is using the file with your conversations. Close it, then try again.");
    rows("damaged", {11, 26, 11 | 1 << 8}, Kind::Damaged,
         "The file with your conversations is damaged. Restart Hearth: it keeps the file and "
         "begins a new one.");
    rows("other", {1, 10, 10 | 1 << 8, 7, 19}, Kind::Other, other);
    QTest::addRow("no code") << QString() << static_cast<int>(Kind::Other)
                             << QString::fromLatin1(other);
}

void SmallWordsTest::theDiskSays() {
    QFETCH(const QString, code);
    QFETCH(const int, kind);
    const StoreError error =
        storeErrorFrom(QSqlError(QStringLiteral("driver"), QStringLiteral("in SQLite's words"),
                                 QSqlError::StatementError, code));
    QCOMPARE(static_cast<int>(error.kind), kind);
    QTEST(sentenceFor(error), "sentence");
    QCOMPARE(error.detail,
             QStringLiteral("SQLite %1: in SQLite's words").arg(code.isEmpty() ? "0" : code));
    const StoreError none = storeErrorFrom(QSqlError());
    QVERIFY(none.kind == StoreError::Kind::None);
    QVERIFY(none.detail.isEmpty() && sentenceFor(none).isEmpty());
}

// The words are in files of every version.
void SmallWordsTest::eachWordComesBack() {
    for (const auto& [state, word] : {std::pair{MessageState::Complete, "complete"},
                                      {MessageState::Generating, "generating"},
                                      {MessageState::Stopped, "stopped"},
                                      {MessageState::Failed, "failed"},
                                      {MessageState::Interrupted, "interrupted"}}) {
        QCOMPARE(toString(state), QString::fromLatin1(word));
        QVERIFY2(messageStateFromString(QString::fromLatin1(word)) == state, word);
    }
    QCOMPARE(toString(MessageState::Waiting), QStringLiteral("waiting"));
    QVERIFY(messageStateFromString(QStringLiteral("of a later version")) == MessageState::Complete);
    for (const auto& [role, word] : {std::pair{MessageRole::System, "system"},
                                     {MessageRole::User, "user"},
                                     {MessageRole::Assistant, "assistant"}}) {
        QCOMPARE(toString(role), QString::fromLatin1(word));
        QVERIFY2(roleFromString(QString::fromLatin1(word)) == role, word);
    }
    QVERIFY(roleFromString(QStringLiteral("of a later version")) == MessageRole::User);
}

// Beyond five the last one grows; the sign between them on the disk is in none of them.
void SmallWordsTest::aDraftHasSoManyPieces() {
    Draft draft;
    QVERIFY(draft.isEmpty());
    for (int i = 1; i <= 5; ++i) {
        draft.attach(QString::number(i));
        QCOMPARE(draft.pieces.size(), i);
    }
    QVERIFY(!draft.isEmpty());
    draft.attach(QStringLiteral("6"));
    draft.attach(QStringLiteral("a\x1e") + QLatin1Char('b'));
    QCOMPARE(draft.pieces, QStringList({"1", "2", "3", "4", "5\n\n6\n\na b"}));
    Draft first;
    first.attach(QStringLiteral("a\x1e") + QLatin1Char('b'));
    QCOMPARE(first.pieces, QStringList({"a b"}));
}

void SmallWordsTest::aDraftIsSentInOrder() {
    QCOMPARE((Draft{QStringLiteral("text"), {}}.message()), QStringLiteral("text"));
    QCOMPARE((Draft{QStringLiteral(" \n"), {}}.message()), QStringLiteral(" \n"));
    QCOMPARE((Draft{QStringLiteral("text"), {"one", "two"}}.message()),
             QStringLiteral("text\n\none\n\ntwo"));
    QCOMPARE((Draft{QStringLiteral(" \n"), {"one"}}.message()), QStringLiteral("one"));
    QVERIFY(!(Draft{QStringLiteral(" "), {}}.isEmpty()));
    QVERIFY(!(Draft{{}, {"one"}}.isEmpty()));
}

void SmallWordsTest::aDraftComesBack() {
    for (const Draft& draft : {Draft{}, Draft{QStringLiteral("text"), {}}, Draft{{}, {"one"}},
                               Draft{QStringLiteral("a\nb "), {"one", "two"}}}) {
        QVERIFY2(Draft::fromStored(draft.stored()) == draft, qPrintable(draft.message()));
    }
    const QString odd = QStringLiteral("a\x1e") + QLatin1Char('b');
    QCOMPARE(Draft::fromStored(Draft{odd, {"one"}}.stored()),
             (Draft{QStringLiteral("a b"), {"one"}}));
    // An earlier version let somebody type more than the field takes now: it becomes the first.
    QString text(1000, QLatin1Char('x'));
    while (!isTooLongToEdit(text)) {
        text += text;
    }
    QCOMPARE(Draft::fromStored(Draft{text, {"one"}}.stored()), (Draft{{}, {text, "one"}}));
}

// A reader's program speaks an answer sentence by sentence, and never half of a marked one.
void SmallWordsTest::sentencesEnd_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("end");
    const auto row = [](const char* text, int end) {
        QTest::addRow("%s", text) << QString::fromUtf8(text) << end;
    };
    row("Hello. World", 6);
    row("Hello. W", 6);
    row("Hello. ", 0);
    row("Hello.", 0);
    row("Hello.World", 0);
    row("Hello. world", 0);
    row("Hi! You", 3);
    row("Why? You", 4);
    row("Well: You", 0);
    row("A. B. C", 5);
    row("Sum. 5 more", 0);
    row("你好。世界", 3);
    row("你好！世界", 3);
    row("你好？世界", 3);
    row("你好。", 0);
    row("**Hi. You** are", 0);
    row("**Hi.** You. Are", 12);
    row("`a. B` c. D", 9);
    row("(so. It) goes", 0);
    row("(so) it. Goes", 8);
    row("[so. It](x) goes", 0);
    row("so) it. Goes (on", 7);
    row("\\*so. It", 5);
    row("snake_case. It", 11);
    row("2 * 3. It", 6);
    row("*so. It", 0);
    row("~~so~~. It", 7);
    row("**so*. It", 0);
}

void SmallWordsTest::sentencesEnd() {
    QFETCH(const QString, text);
    QFETCH(const int, end);
    QCOMPARE(sentenceEnd(text), end);
}

void SmallWordsTest::linesWithoutMarkup_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("plain");
    const auto row = [](const char* line, const char* plain) {
        QTest::addRow("%s", line) << QString::fromUtf8(line) << QString::fromUtf8(plain);
    };
    row("**Bold** and `code`", "Bold and code");
    row("***both*** and ~~gone~~", "both and gone");
    row("__so__ and _so_", "so and so");
    row("[a](http://b) c", "a c");
    row("![a](b.png) c", "a c");
    row("[a](b \"title\") c", "a c");
    row("**a *b* c**", "a b c");
    row("snake_case_name", "snake_case_name");
    row("2 * 3 * 4", "2 * 3 * 4");
    row("a*b*c", "a*b*c");
    row("\\*a*", "\\*a*");
    row("[a] (b)", "[a] (b)");
    row("*a", "*a");
}

void SmallWordsTest::linesWithoutMarkup() {
    QFETCH(const QString, line);
    QTEST(withoutMarkup(line), "plain");
}

QTEST_GUILESS_MAIN(SmallWordsTest)
#include "small_words_test.moc"
