#include "markdown/block_list_model.h"

#include <QAbstractItemModelTester>
#include <QRandomGenerator>
#include <QtTest>

#include "markdown/markdown_renderer.h"

using namespace hearth::ui;

namespace {

// The content of a view that only listens to signals. Fails on a change to a row it may not touch.
class Shadow : public QObject {
public:
    explicit Shadow(const BlockListModel& model) : model_(model) {
        connect(&model, &QAbstractItemModel::rowsInserted, this,
                [this](const QModelIndex&, int first, int last) {
                    for (int row = first; row <= last; ++row) {
                        blocks.insert(row, model_.blocks().at(row));
                        lasts.insert(row, isLast(row));
                    }
                });
        connect(&model, &QAbstractItemModel::rowsRemoved, this,
                [this](const QModelIndex&, int first, int last) {
                    blocks.remove(first, last - first + 1);
                    lasts.remove(first, last - first + 1);
                });
        connect(&model, &QAbstractItemModel::dataChanged, this,
                [this](const QModelIndex& from, const QModelIndex& to, const QList<int>& roles) {
                    for (int row = from.row(); row <= to.row(); ++row) {
                        lasts[row] = isLast(row);
                        if (roles == QList<int>{BlockListModel::LastRole}) {
                            continue;
                        }
                        if (blocks.at(row).closed) {
                            ++changesToClosed;
                        }
                        blocks[row] = model_.blocks().at(row);
                        ++changes;
                    }
                });
        connect(&model, &QAbstractItemModel::modelReset, this, [this] {
            blocks.clear();
            lasts.clear();
        });
    }
    // Whoever listened knows which row is the last.
    bool knowsTheLast() const {
        return lasts.isEmpty() || (lasts.count(true) == 1 && lasts.constLast());
    }

    QList<Block> blocks;
    QList<bool> lasts;
    int changes = 0;
    int changesToClosed = 0;

private:
    bool isLast(int row) const {
        return model_.data(model_.index(row), BlockListModel::LastRole).toBool();
    }

    const BlockListModel& model_;
};

QList<Block> parsedAtOnce(const QString& text) {
    BlockListModel model;
    model.setText(text, true);
    return model.blocks();
}

QString describe(const QList<Block>& blocks) {
    QStringList lines;
    for (const Block& block : blocks) {
        lines << toString(block.kind) + QStringLiteral(": ") + block.html + block.code;
    }
    return lines.join(QLatin1Char('\n'));
}

QString randomDocument(QRandomGenerator& random) {
    static const QStringList lines = {
        "plain words",
        "more *words* here",
        "",
        "",
        "# Heading",
        "## Two",
        "Setext",
        "===",
        "---",
        "***",
        "```",
        "```cpp",
        "~~~",
        "~~~~ python",
        "```svg",
        "<svg></svg>",
        "````",
        "int main() {",
        "- item",
        "- other",
        "* star",
        "+ plus",
        "1. one",
        "2. two",
        "3) three",
        "  - nested",
        "    - deeper",
        "   text in item",
        "    indented code",
        "\ttab",
        "> quote",
        "> > inner",
        ">",
        "> ```",
        "| a | b |",
        "|---|---|",
        "| 1 | 2 |",
        "- ```",
        "  ```",
        "1. ```sh",
        "   ```",
        "<div>",
        "[x]: http://a.example",
        "[x](http://a.example)",
        "`code",
        "**bold",
        "\\",
        "&amp;",
        "- ",
        "-",
        "10. ten",
        "#",
        "#no",
        "==",
        "  ===",
        "text  ",
        "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x94\xA5",
        "```` info`",
        "- - - x",
        "* * *",
    };
    QString text;
    const int count = random.bounded(1, 14);
    for (int i = 0; i < count; ++i) {
        text += lines.at(random.bounded(static_cast<int>(lines.size())));
        const int end = random.bounded(20);
        text += end == 0   ? QStringLiteral("\r\n")
                : end == 1 ? QStringLiteral("\r")
                           : QStringLiteral("\n");
    }
    if (random.bounded(3) == 0) {
        text.chop(1);
    }
    return text;
}

}  // namespace

class BlockListModelTest : public QObject {
    Q_OBJECT

private slots:
    void knowsDrawings_data();
    void knowsDrawings();
    void knowsADrawingOnceItIsComplete();
    void showsFormulasWhole_data();
    void showsFormulasWhole();
    void streamsLikeOneParse();
    void streamsLikeOneParseWhenCut();
    void agreesWithWholeDocument_data();
    void agreesWithWholeDocument();
    void touchesOnlyTheOpenBlock();
    void showsAnUnclosedFence();
    void closesAFenceByItsOwnLength();
    void endsALineOnceWhereReturnAndFeedCome();
    void boundsAGiantLine();
    void boundsGiantBlocks_data();
    void boundsGiantBlocks();
    void cutsALongListBetweenItems();
    void cutsALongLineBetweenSentences_data();
    void cutsALongLineBetweenSentences();
    void hasRoles();
};

// The property: any text, in any split, ends as the one-shot parse of it.
void BlockListModelTest::streamsLikeOneParse() {
    QRandomGenerator random(20261120);
    for (int round = 0; round < 3000; ++round) {
        const QString text = randomDocument(random);
        BlockListModel model;
        Shadow shadow(model);
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::Fatal);
        model.setText({}, false);
        for (qsizetype at = 0; at < text.size();) {
            const qsizetype size = random.bounded(1, 9);
            model.append(text.mid(at, size));
            at += size;
            // Meanwhile it shows what the one-shot parse of an unfinished text shows.
            if (random.bounded(16) == 0) {
                BlockListModel sofar;
                sofar.setText(text.left(at), false);
                QCOMPARE(describe(model.blocks()), describe(sofar.blocks()));
            }
        }
        model.finish();
        const QList<Block> expected = parsedAtOnce(text);
        QVERIFY2(model.blocks() == expected,
                 qPrintable(QStringLiteral("source:\n%1\nstreamed:\n%2\nat once:\n%3")
                                .arg(text, describe(model.blocks()), describe(expected))));
        QVERIFY2(shadow.blocks == expected, qPrintable(text));
        QVERIFY2(shadow.knowsTheLast(), qPrintable(text));
    }
}

// The same where pieces are cut: lines and blocks beyond the bounds, characters of two units.
void BlockListModelTest::streamsLikeOneParseWhenCut() {
    QRandomGenerator random(7);
    for (const char* unit : {"word ", "x", "\xF0\x9F\x94\xA5", "| a ", "> - "}) {
        for (const char* head : {"", "```\n", "- "}) {
            QString text = QString::fromLatin1(head);
            text += QString::fromUtf8(unit).repeated(200'000 / static_cast<int>(qstrlen(unit)));
            text += QStringLiteral("\nend");
            BlockListModel model;
            for (qsizetype at = 0; at < text.size();) {
                const qsizetype size = random.bounded(1, 20'000);
                model.append(text.mid(at, size));
                at += size;
            }
            model.finish();
            QVERIFY(model.blocks() == parsedAtOnce(text));
        }
    }
}

// The splitter's borders are markdown's: the whole document parsed in one go gives the same blocks.
void BlockListModelTest::agreesWithWholeDocument_data() {
    QTest::addColumn<QString>("text");
    QTest::addRow("answer")
        << "Sure!\n\n# Plan\nFirst *this*:\n\n1. one\n2. two\n   - a\n   - b\n\n"
           "   more of two\n3. three\n\nThen\nthat.\n\n> quoted\nlazily\n\nEnd";
    QTest::addRow("heading right after text") << "text\n## H\ntext\n---\nrest";
    QTest::addRow("loose list") << "- a\n\n- b\n\n  c\n\nd";
    QTest::addRow("two lists") << "- a\n- b\n* c\n* d\n1. e\n1) f";
    QTest::addRow("table") << "Look:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\nafter";
    QTest::addRow("list breaks a paragraph") << "text\n- a\n- b\n\ntext\n2. no list\n1. list";
    QTest::addRow("quote, list, quote") << "> a\n- b\n> c\n\n> d\n\n> e";
    QTest::addRow("rules") << "a\n\n***\n- - -\n___\nb";
    QTest::addRow("indented code") << "a\n\n    code\n\n    more\nb\n    lazy";
    QTest::addRow("nested") << "- a\n  > b\n  > c\n\n  - d\n    - e\n\n- f";
    QTest::addRow("ordered wide") << "10. a\n    b\n11. c\n\n    d\n";
    QTest::addRow("fence in list") << "- a\n  ```\n  x\n\n  y\n  ```\n- b\n\nc";
    QTest::addRow("fence ends with its item") << "- ```\n  x\ny";
    QTest::addRow("no heading") << "text\n####### seven\n\n###### six\ntext\n#no\n   # yes";
    QTest::addRow("too far in") << "a\n    # no\n   # yes\nb\n    > no\n   > yes";
    QTest::addRow("no rule") << "text\n__\nmore\n___\nend";
    QTest::addRow("no number") << "1234567890. no\n\n123456789. yes\n\n1.no\n\n0) yes";
    QTest::addRow("by tabs") << "-\ta\n\n\tb\n\n\tc\nd\n\n1.\te\n\tf";
    QTest::addRow("no fence") << "```a`b\ntext\n\n``\nmore";
    QTest::addRow("empty items") << "-\n- a\n-\n\nb";
}

void BlockListModelTest::agreesWithWholeDocument() {
    QFETCH(QString, text);
    QCOMPARE(describe(parsedAtOnce(text)), describe(renderMarkdown(text)));
}

void BlockListModelTest::touchesOnlyTheOpenBlock() {
    const QString text =
        QStringLiteral("# Title\n\nfirst words\n\n```c\nint x;\n```\n\n- a\n- b\n\nlast");
    BlockListModel model;
    Shadow shadow(model);
    for (QChar c : text) {
        model.append(QString(c));
    }
    model.finish();
    QCOMPARE(describe(shadow.blocks), describe(parsedAtOnce(text)));
    QCOMPARE(model.count(), 5);
    QCOMPARE(shadow.changesToClosed, 0);
    QVERIFY(shadow.changes > 0);
}

void BlockListModelTest::showsAnUnclosedFence() {
    BlockListModel model;
    model.append(QStringLiteral("```C++ numbered\nint x;\n\n  y"));
    QCOMPARE(model.count(), 1);
    QVERIFY(model.blocks().first().kind == BlockKind::Code);
    QCOMPARE(model.blocks().first().language, QStringLiteral("c++"));
    QCOMPARE(model.blocks().first().code, QStringLiteral("int x;\n\n  y"));
    QVERIFY(!model.blocks().first().closed);
    model.append(QStringLiteral("\n``"));  // half a fence is not shown
    QCOMPARE(model.blocks().first().code, QStringLiteral("int x;\n\n  y"));
    model.append(QStringLiteral("`\n"));
    QVERIFY(model.blocks().first().closed);
    model.append(QStringLiteral("after"));
    QCOMPARE(model.count(), 2);
    QVERIFY(model.blocks().first().closed);
    QVERIFY(!model.blocks().last().closed);
    model.finish();
    QVERIFY(model.blocks().last().closed);
}

// Four backticks may hold three.
void BlockListModelTest::closesAFenceByItsOwnLength() {
    BlockListModel model;
    model.setText(QStringLiteral("````\na\n```\nb\n````\nafter"), true);
    QCOMPARE(model.count(), 2);
    QCOMPARE(model.blocks().first().code, QStringLiteral("a\n```\nb"));
}

// A return at the end of a piece and the line feed at the start of the next are one line's end.
void BlockListModelTest::endsALineOnceWhereReturnAndFeedCome() {
    BlockListModel model;
    for (const char* piece : {"```\r", "\na\r", "\n", "b\r\n```\r", "\n"}) {
        model.append(QString::fromLatin1(piece));
    }
    model.finish();
    QCOMPARE(model.count(), 1);
    QCOMPARE(model.blocks().first().code, QStringLiteral("a\nb"));
}

void BlockListModelTest::boundsAGiantLine() {
    // The second has characters of two units across every border.
    for (const QString& text :
         {QString(1'000'000, QLatin1Char('x')),
          QLatin1Char('x') + QString::fromUtf8("\xF0\x9F\x94\xA5").repeated(50'000)}) {
        BlockListModel model;
        model.setText(text, true);
        QString all;
        for (const Block& block : model.blocks()) {
            QVERIFY(block.html.size() <= BlockSplitter::kMaxTextPiece);
            all += block.html;
        }
        QVERIFY(all == text);
    }
}

void BlockListModelTest::boundsGiantBlocks_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<int>("limit");
    QTest::addRow("paragraph") << "some words\n"
                               << 10 * static_cast<int>(BlockSplitter::kMaxTextPiece);
    QTest::addRow("list") << "- item\n" << 10 * static_cast<int>(BlockSplitter::kMaxTextPiece);
    QTest::addRow("quote") << "> text\n" << 10 * static_cast<int>(BlockSplitter::kMaxTextPiece);
    QTest::addRow("table") << "|a|b|\n" << 10 * static_cast<int>(BlockSplitter::kMaxTextPiece);
    QTest::addRow("code") << "```\n" << 2 * static_cast<int>(BlockSplitter::kMaxCodePiece);
}

void BlockListModelTest::boundsGiantBlocks() {
    QFETCH(QString, line);
    QFETCH(int, limit);
    QString text = line;
    if (line.startsWith(QLatin1Char('|'))) {
        text += QStringLiteral("|-|-|\n");
    }
    const QString more = line.startsWith(QLatin1Char('`')) ? QStringLiteral("int x;\n") : line;
    text += more.repeated(300'000 / more.size());
    const QList<Block> blocks = parsedAtOnce(text);
    QVERIFY(blocks.size() > 3);
    for (const Block& block : blocks) {
        QVERIFY(block.html.size() + block.code.size() <= limit);
    }
}

// A list is cut where an item begins: numbers go on, and the content of an item stays there.
void BlockListModelTest::cutsALongListBetweenItems() {
    QString text;
    for (int i = 1; i <= 400; ++i) {
        text += QStringLiteral("%1. An item\n    - and one within it\n").arg(i);
    }
    const QList<Block> blocks = parsedAtOnce(text);
    QVERIFY(blocks.size() >= 3);
    QString all;
    for (const Block& block : blocks) {
        QVERIFY(block.kind == BlockKind::List);
        QVERIFY(block.html.size() < 4 * BlockSplitter::kLongList);
        all += block.html;
    }
    QCOMPARE(all.count(QStringLiteral("and one within it")), 400);
    QVERIFY(!all.contains(QStringLiteral("<pre")));
    const QString begin = QStringLiteral("<ol start=\"");
    const qsizetype from = blocks.at(1).html.indexOf(begin) + begin.size();
    const int number = blocks.at(1).html.mid(from).section(QLatin1Char('"'), 0, 0).toInt();
    QCOMPARE(blocks.first().html.count(QStringLiteral("An item")), number - 1);
}

void BlockListModelTest::cutsALongLineBetweenSentences_data() {
    QTest::addColumn<QString>("begin");
    QTest::addColumn<QString>("sentence");
    QTest::addColumn<bool>("cut");
    QTest::addRow("prose") << QString() << QStringLiteral("Rain is water (mostly), e.g. here. ")
                           << true;
    QTest::addRow("markup") << QString()
                            << QStringLiteral("In **bold. And** more, `x. Y` and [a. B](c) too. ")
                            << true;
    QTest::addRow("a name") << QString() << QStringLiteral("So my_long_name does 5 * 3. ") << true;
    QTest::addRow("Chinese") << QString() << QString::fromUtf8("雨是水。") << true;
    QTest::addRow("bold throughout")
        << QStringLiteral("**") << QStringLiteral("Rain is water. ") << false;
    QTest::addRow("no sentences") << QString() << QStringLiteral("and then rain, ") << false;
    QTest::addRow("what would be a list")
        << QString() << QStringLiteral("and so on. - not an item. 1. nor this ") << false;
    QTest::addRow("item") << QStringLiteral("- ") << QStringLiteral("Rain is water. ") << false;
    QTest::addRow("heading") << QStringLiteral("# ") << QStringLiteral("Rain is water. ") << false;
}

// Streamed as at once, all of it there, and each part a paragraph of whole sentences.
void BlockListModelTest::cutsALongLineBetweenSentences() {
    QFETCH(const QString, begin);
    QFETCH(const QString, sentence);
    QFETCH(const bool, cut);
    const QString text = begin + sentence.repeated(12'000 / sentence.size());
    const QList<Block> blocks = parsedAtOnce(text);
    BlockListModel streamed;
    for (qsizetype from = 0; from < text.size(); from += 5) {
        streamed.append(text.mid(from, 5));
    }
    streamed.finish();
    QVERIFY(streamed.blocks() == blocks);
    if (!cut) {
        QCOMPARE(blocks.size(), 1);
        return;
    }
    QVERIFY(blocks.size() >= 3);
    const QString one = parsedAtOnce(sentence).first().html;
    qsizetype sentences = 0;
    for (const Block& block : blocks) {
        QVERIFY(block.kind == BlockKind::Paragraph);
        QString rest = block.html;
        sentences += rest.count(one);
        QVERIFY2(rest.remove(one).trimmed().isEmpty(), qPrintable(rest));
    }
    QCOMPARE(sentences, text.size() / sentence.size());
}

void BlockListModelTest::hasRoles() {
    BlockListModel model;
    model.setText(QStringLiteral("## *a*"), true);
    const QHash<int, QByteArray> names = model.roleNames();
    QHash<QByteArray, QVariant> values;
    for (auto it = names.begin(); it != names.end(); ++it) {
        values[it.value()] = model.data(model.index(0), it.key());
    }
    QCOMPARE(values["kind"].toString(), QStringLiteral("heading"));
    QCOMPARE(values["html"].toString(), QStringLiteral("<em>a</em>"));
    QCOMPARE(values["level"].toInt(), 2);
    QCOMPARE(values["closed"].toBool(), true);
    QCOMPARE(values["code"].toString(), QString());
    QCOMPARE(values["language"].toString(), QString());
    QCOMPARE(values["drawing"].toString(), QString());
    QVERIFY(!model.data(model.index(1), BlockListModel::KindRole).isValid());
}

void BlockListModelTest::knowsDrawings_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("drawings");
    const auto row = [](const char* name, const QString& text, const QStringList& drawings) {
        QTest::addRow("%s", name) << text << drawings;
    };
    const QString none;
    const QString whole = QStringLiteral("whole");
    const QString tooLong = QStringLiteral("tooLong");
    for (const char* language : {"", "svg", "SVG", "xml", "html"}) {
        row(language, QStringLiteral("```%1\n<svg>\n</svg>\n```").arg(QLatin1String(language)),
            {whole});
    }
    row("another language", QStringLiteral("```js\n<svg></svg>\n```"), {none});
    row("no fence", QStringLiteral("    <svg></svg>"), {none});
    row("not closed", QStringLiteral("```svg\n<svg></svg>\n"), {none});
    row("two", QStringLiteral("```svg\n<svg/>\n```\n~~~xml\n\n  <svg a='b'></svg>\n\n~~~"),
        {whole, whole});
    row("behind a declaration",
        QStringLiteral("```xml\n<?xml version='1.0'?>\n<!-- > -->\n<!DOCTYPE svg PUBLIC 'a' "
                       "'b'>\n<svg>\n</svg>\n```"),
        {whole});
    row("another document", QStringLiteral("```xml\n<?xml version='1.0'?>\n<a/>\n```"), {none});
    row("another element", QStringLiteral("```svg\n<svgs></svgs>\n```"), {none});
    row("nothing but its beginning", QStringLiteral("```svg\n<svg\n```"), {none});
    row("a piece", QStringLiteral("```svg\n<path d='M0 0'/>\n```"), {none});
    row("a comment without end", QStringLiteral("```svg\n<!-- <svg></svg>\n```"), {none});
    row("HTML that goes on", QStringLiteral("```html\n<svg></svg>\n<p>a</p>\n```"), {none});
    row("SVG without an end", QStringLiteral("```svg\n<svg><g>\n```"), {whole});
    row("in a list", QStringLiteral("- a\n  ```svg\n  <svg></svg>\n  ```"), {none});
    const QString path = QStringLiteral("<path d='M0 0'/>\n").repeated(5000);
    row("longer than a block", QStringLiteral("```svg\n<svg>\n%1</svg>\n```").arg(path),
        {tooLong, none});
    row("a long piece that ends as one", QStringLiteral("```svg\n%1<svg></svg>\n```").arg(path),
        {none, none});
    row("long code", QStringLiteral("```html\n<p>\n%1</p>\n```").arg(path), {none, none});
    // The second block is closed, and begins as a drawing does.
    row("a drawing where a block was cut",
        QStringLiteral("```svg\n%1\n<svg></svg>\n```")
            .arg(QString(BlockSplitter::kMaxCodePiece, QLatin1Char('x'))),
        {none, none});
}

void BlockListModelTest::knowsDrawings() {
    QFETCH(QString, text);
    QFETCH(QStringList, drawings);
    QStringList found;
    for (const Block& block : parsedAtOnce(text)) {
        found << toString(block.drawing);
    }
    QCOMPARE(found, drawings);
}

void BlockListModelTest::knowsADrawingOnceItIsComplete() {
    BlockListModel model;
    model.append(QStringLiteral("```svg\n<svg></svg>\n``"));
    QVERIFY(model.blocks().first().drawing == DrawingCode::None);
    model.append(QStringLiteral("`\nIt"));
    QVERIFY(model.blocks().first().drawing == DrawingCode::Whole);
    QVERIFY(model.blocks().first().closed);
}

void BlockListModelTest::showsFormulasWhole_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("blocks");
    const QString sum = QStringLiteral("\\[\na\n=\n- b\\,\n\\]");
    QTest::addRow("alone") << QStringLiteral("Then:\n") + sum + QStringLiteral("\nso.")
                           << QStringLiteral("paragraph: Then:\nformula: ") + sum +
                                  QStringLiteral("\nparagraph: so.");
    QTest::addRow("in one line") << "a\n\n$$ x_1 $$\n\nb"
                                 << "paragraph: a\nformula: $$ x_1 $$\nparagraph: b";
    QTest::addRow("text behind it") << "\\[ \\x \\] is it"
                                    << "paragraph: <code>\\[ \\x \\]</code> is it";
    QTest::addRow("an environment")
        << "So\n\\begin{align}\na &= b \\\\\n- c &= d\n\\end{align}\nand"
        << "paragraph: So\nformula: \\begin{align}\na &= b \\\\\n- c &= "
           "d\n\\end{align}\nparagraph: and";
    QTest::addRow("an environment in one line") << "\\begin{gather}x\\end{gather}"
                                                << "formula: \\begin{gather}x\\end{gather}";
    QTest::addRow("another environment")
        << "\\begin{itemize}\n\\end{itemize}"
        << "paragraph: <code>\\begin{itemize}<br>\\end{itemize}</code>";
    QTest::addRow("not known here") << "\\[ \\frobnicate \\]"
                                    << "code: \\[ \\frobnicate \\]";
    QTest::addRow("not closed") << "\\[ x"
                                << "paragraph: [ x";
    QTest::addRow("none") << "$$5 is much\n\nb"
                          << "paragraph: $$5 is much\nparagraph: b";
    QTest::addRow("in a list") << "- a\n  \\[\n  \\x_1\n  \\]\n- b"
                               << "list: <ul><li>a<br><code>\\[<br>  \\x_1<br>  \\]</code></li>"
                                  "<li>b</li></ul>";
    QTest::addRow("in code") << "```\n\\[\n```"
                             << "code: \\[";
}

void BlockListModelTest::showsFormulasWhole() {
    QFETCH(QString, source);
    QFETCH(QString, blocks);
    QCOMPARE(describe(parsedAtOnce(source)), blocks);
    BlockListModel model;  // letter by letter it ends as the same
    model.setText({}, false);
    for (const QChar letter : source) {
        model.append(QString(letter));
    }
    model.finish();
    QCOMPARE(describe(model.blocks()), blocks);
}

QTEST_GUILESS_MAIN(BlockListModelTest)
#include "block_list_model_test.moc"
