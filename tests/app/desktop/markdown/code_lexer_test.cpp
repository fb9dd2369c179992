// Kinds of words in lines of code, language by language.
#include "markdown/code_lexer.h"

#include <QRandomGenerator>
#include <QSet>
#include <QtTest>

#include "markdown/code_languages.h"

using namespace hearth::ui;

namespace {

// A line with its runs in brackets: "[t:int] a = [n:1];".
QString marked(const CodeLexer& lexer, const QString& line, int* state) {
    QList<WordRun> runs;
    *state = lexer.lex(line, *state, &runs);
    QString out;
    qsizetype at = 0;
    for (const WordRun& run : runs) {
        const char kind = "ktsnc"[static_cast<int>(run.kind)];
        out += line.mid(at, run.start - at) + QLatin1Char('[') + QLatin1Char(kind) +
               QLatin1Char(':') + line.mid(run.start, run.length) + QLatin1Char(']');
        at = run.start + run.length;
    }
    return out + line.mid(at);
}

QString marked(const QString& language, const QString& code) {
    const CodeLexer lexer(language);
    int state = 0;
    QStringList lines;
    for (const QString& line : code.split(QLatin1Char('\n'))) {
        lines << marked(lexer, line, &state);
    }
    return lines.join(QLatin1Char('\n'));
}

}  // namespace

class CodeLexerTest : public QObject {
    Q_OBJECT

private slots:
    void knowsWords_data();
    void knowsWords();
    void knowsTwentyLanguagesAndMore();
    void leavesOthersAlone();
    void runsAreInOrderInsideTheLine();
    void boundsTheRunsOfALine();
};

void CodeLexerTest::knowsWords_data() {
    QTest::addColumn<QString>("language");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* language, const char* code, const char* expected) {
        QTest::addRow("%s: %s", language, code)
            << QString::fromLatin1(language) << QString::fromUtf8(code)
            << QString::fromUtf8(expected);
    };
    row("c", "#include <stdio.h>\nint a = 0x1F; // b",
        "[k:#include] <stdio.h>\n[t:int] a = [n:0x1F]; [c:// b]");
    row("cpp", "auto s = \"a\\\"b\"; /* x\ny */ return 1.5e-3f;",
        "[k:auto] s = [s:\"a\\\"b\"]; [c:/* x]\n[c:y */] [k:return] [n:1.5e-3f];");
    row("cs", "var p = @\"c:\\\" + 'x';", "[k:var] p = [s:@\"c:\\\"] + [s:'x'];");
    row("java", "public class A extends B {}", "[k:public] [k:class] A [k:extends] B {}");
    row("ts", "const a: string = `x\n${y}`;", "[k:const] a: [t:string] = [s:`x]\n[s:${y}`];");
    row("js", "let url = 'http://x'; // end", "[k:let] url = [s:'http://x']; [c:// end]");
    row("python", "def f(x):\n    \"\"\"Says\n    what\"\"\"\n    return len(x) # n",
        "[k:def] f(x):\n    [s:\"\"\"Says]\n[s:    what\"\"\"]\n    [k:return] [t:len](x) [c:# n]");
    row("rust", "fn id<'a>(x: &'a str) -> u8 { 1_000 }",
        "[k:fn] id<'a>(x: &'a [t:str]) -> [t:u8] { [n:1_000] }");
    row("go", "s := `a\\` + \"b\"", "s := [s:`a\\`] + [s:\"b\"]");
    row("swift", "let a: Int = 3", "[k:let] a: [t:Int] = [n:3]");
    row("kotlin", "val a = \"\"\"x\ny\"\"\"", "[k:val] a = [s:\"\"\"x]\n[s:y\"\"\"]");
    row("ruby", "if a.nil? then puts 'b' end # c",
        "[k:if] a.nil? [k:then] [t:puts] [s:'b'] [k:end] [c:# c]");
    row("php", "ECHO $if; # c", "[k:ECHO] $if; [c:# c]");
    row("perl", "my $x = 'a';", "[k:my] $x = [s:'a'];");
    row("lua", "--[[ a\nb ]] local x = [[t]] -- c",
        "[c:--[[ a]\n[c:b ]]] [k:local] x = [s:[[t]]] [c:-- c]");
    row("r", "x <- c(1, TRUE) # y", "x <- [t:c]([n:1], [k:TRUE]) [c:# y]");
    row("haskell", "f' x = {- a -} case x of -- b",
        "f' x = [c:{- a -}] [k:case] x [k:of] [c:-- b]");
    row("bash", "if [ $# -gt 1 ]; then echo \"a\nb\"; fi",
        "[k:if] [ $# -gt [n:1] ]; [k:then] [t:echo] [s:\"a]\n[s:b\"]; [k:fi]");
    row("powershell", "IF ($a) { <# b #> }", "[k:IF] ($a) { [c:<# b #>] }");
    row("sql", "Select 'it''s' FROM t -- c", "[k:Select] [s:'it'][s:'s'] [k:FROM] t [c:-- c]");
    row("html", "<a href=\"x\">1 &lt; 2</a> <!-- c\nd -->",
        "[k:<a] [t:href]=[s:\"x\"][k:>]1 [n:&lt;] 2[k:</a][k:>] [c:<!-- c]\n[c:d -->]");
    row("xml", "<b\nc='d'/>", "[k:<b]\n[t:c]=[s:'d'][k:/][k:>]");
    row("css", "a { color: \"red\"; } /* b */", "a { [t:color]: [s:\"red\"]; } [c:/* b */]");
    row("json", "{\"a\": \"b\", \"c\" : [1, true]}",
        "{[t:\"a\"]: [s:\"b\"], [t:\"c\"] : [[n:1], [k:true]]}");
    row("yaml", "a-b: true # c\n- 'd'", "[t:a-b]: [k:true] [c:# c]\n- [s:'d']");
    row("toml", "a.b = \"c\" # d", "[t:a.b] = [s:\"c\"] [c:# d]");
    row("makefile", "ifeq (a, b) # c", "[k:ifeq] (a, b) [c:# c]");
    row("dockerfile", "FROM a AS b", "[k:FROM] a [k:AS] b");
    row("diff", "--- a\n+b\n-c\n@@ 1\n d", "[c:--- a]\n[s:+b]\n[n:-c]\n[t:@@ 1]\n d");
    row("dart", "final a = '''b\nc''';", "[k:final] a = [s:'''b]\n[s:c'''];");
    row("julia", "#= a\n=# function f() end", "[c:#= a]\n[c:=#] [k:function] f() [k:end]");
    // A text that is open at the end of a line ends with it, where the language has it so.
    row("c", "char* a = \"b\nint c;", "[t:char]* a = [s:\"b]\n[t:int] c;");
    row("python", "x = 'it\\'s' + 'a", "x = [s:'it\\'s'] + [s:'a]");
}

void CodeLexerTest::knowsWords() {
    QFETCH(QString, language);
    QFETCH(QString, code);
    QFETCH(QString, expected);
    QCOMPARE(marked(language, code), expected);
}

void CodeLexerTest::knowsTwentyLanguagesAndMore() {
    const QStringList names = codeLanguageNames();
    QCOMPARE(QSet<QString>(names.begin(), names.end()).size(), names.size());
    QSet<const CodeLanguage*> rows;
    for (const QString& name : names) {
        QCOMPARE(name, name.toLower());
        QVERIFY(CodeLexer(name).isKnown());
        rows.insert(codeLanguage(name));
    }
    QVERIFY2(rows.size() >= 20, qPrintable(QString::number(rows.size())));
}

void CodeLexerTest::leavesOthersAlone() {
    for (const char* language : {"", "text", "formula", "Cpp", "c ", "klingon"}) {
        QVERIFY(!CodeLexer(QString::fromLatin1(language)).isKnown());
        QCOMPARE(marked(QString::fromLatin1(language), QStringLiteral("int a; // b")),
                 QStringLiteral("int a; // b"));
    }
}

void CodeLexerTest::runsAreInOrderInsideTheLine() {
    QRandomGenerator random(7);
    const QString letters = QString::fromUtf8("ab01 \"'`/*#-<>=!&;:\\[]{}()$@.+\t_é中");
    for (const QString& name : codeLanguageNames()) {
        const CodeLexer lexer(name);
        int state = 0;
        for (int line = 0; line < 200; ++line) {
            QString text;
            for (int i = random.bounded(40); i > 0; --i) {
                text += letters[random.bounded(int(letters.size()))];
            }
            QList<WordRun> runs;
            state = lexer.lex(text, state, &runs);
            QVERIFY(state >= 0);
            qsizetype at = 0;
            for (const WordRun& run : runs) {
                QVERIFY(run.start >= at && run.length > 0);
                at = run.start + run.length;
                QVERIFY(at <= text.size());
            }
        }
        for (const int odd : {-1, 99, 1'000'000}) {
            QList<WordRun> runs;
            QVERIFY(lexer.lex(QStringLiteral("int a"), odd, &runs) >= 0);
        }
    }
}

void CodeLexerTest::boundsTheRunsOfALine() {
    QList<WordRun> runs;
    CodeLexer(QStringLiteral("c")).lex(QStringLiteral("1 ").repeated(10'000), 0, &runs);
    QCOMPARE(runs.size(), CodeLexer::kMostRuns);
}

QTEST_MAIN(CodeLexerTest)
#include "code_lexer_test.moc"
