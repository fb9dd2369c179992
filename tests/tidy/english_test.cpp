// Comments open with their subject. The test counts sentences that open with a word of a riddle
// ("What was read is kept", "Of two files the newer wins") and holds each folder to its limit.
#include <QtTest>

namespace {

const QDir kRoot(HEARTH_SOURCE_DIR);

const QStringList kRiddles = {"What", "Of", "Where", "Whether", "Those", "Without", "Likewise"};

// ---- the limits --------------------------------------------------------------------------------

constexpr int kRewritten = -1;  // at most 5 % of the sentences

// The row with the longest prefix holds a file. `limit`: openings allowed, or kRewritten. A folder
// that was rewritten gets kRewritten; other numbers only ever become smaller.
struct Group {
    const char* prefix;
    int limit;
};
const Group kGroups[] = {
    {"engine/include/", kRewritten},
    {"app/cli/", kRewritten},
    {"app/common/", kRewritten},
    {"app/server/", kRewritten},
    {"app/toolbox/", kRewritten},
    {"app/desktop/", kRewritten},
    {"app/desktop/bridge/", kRewritten},
    {"app/desktop/conversation/", kRewritten},
    {"app/desktop/downloads/", kRewritten},
    {"app/desktop/files/", kRewritten},
    {"app/desktop/library/", kRewritten},
    {"app/desktop/markdown/", kRewritten},
    {"app/desktop/network/", kRewritten},
    {"app/desktop/qml/", kRewritten},
    {"app/desktop/settings/", kRewritten},
    {"app/desktop/status/", kRewritten},
    {"app/desktop/store/", kRewritten},
    {"app/desktop/system/", kRewritten},
    {"app/desktop/window/", kRewritten},
    {"README.md", kRewritten},
    {"docs/manual/", kRewritten},
    {"engine/", 9},
    {"engine/api/", 8},
    {"engine/base/", 17},
    {"engine/compute/", 15},
    {"engine/cpu/", 60},
    {"engine/flash/", 28},
    {"engine/gguf/", 24},
    {"engine/hardware/", 13},
    {"engine/memory/", 12},
    {"engine/model/", 29},
    {"engine/plan/", 67},
    {"engine/session/", 29},
    {"engine/text/", 12},
    {"engine/tools/", 38},
    {"engine/vulkan/", 44},
    {"shaders/", 20},
    {"installer/", 20},
    {"resources/", 0},
    {"docs/", 0},
    {"docs/decisions/", 55},
    {"docs/formats/", 4},
    {"docs/measurements/", 17},
    {"tests/", 5},
    {"tests/app/", 81},
    {"tests/bench/", 35},
    {"tests/engine/", 135},
    {"tests/installer/", 30},
    {"tests/support/", 23},
    {"tests/tidy/", 4},
    {"", 16},
};

const Group& group_of(const QString& path) {
    const Group* best = nullptr;
    for (const Group& group : kGroups) {
        if (path.startsWith(group.prefix) &&
            (!best || qstrlen(group.prefix) > qstrlen(best->prefix))) {
            best = &group;
        }
    }
    return *best;  // the last row holds every file
}

// ---- comments ----------------------------------------------------------------------------------

// A run of text without the marks of its comment.
struct Block {
    int line = 0;  // from 1
    QString text;
};

// Joins the lines of one comment: `alone` says that no code stands before the text.
class Blocks {
public:
    void add(int line, qsizetype column, bool alone, const QString& text) {
        const QString words = text.trimmed();
        if (words.isEmpty()) {
            last_line_ = kNone;
            return;
        }
        if (alone && line == last_line_ + 1 && column == last_column_) {
            blocks_.last().text += ' ' + words;
        } else {
            blocks_.append({line, words});
        }
        last_line_ = line;
        last_column_ = column;
    }
    QList<Block> take() { return std::move(blocks_); }

private:
    QList<Block> blocks_;
    static constexpr int kNone = -1;
    int last_line_ = kNone;  // no comment that a line could continue
    qsizetype last_column_ = 0;
};

// C++, QML, shaders: // and /* */. Strings are left out, also raw ones and those of QML.
QList<Block> slash_comments(const QString& text) {
    Blocks blocks;
    int line = 1;
    qsizetype start = 0;  // of the line
    bool code = false;    // before the comment, on its line
    const auto new_line = [&](qsizetype at) {
        ++line;
        start = at + 1;
        code = false;
    };
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        if (c == '\n') {
            new_line(i);
        } else if (c == '/' && text.mid(i + 1, 1) == "/") {
            qsizetype end = text.indexOf('\n', i);
            end = end < 0 ? text.size() : end;
            blocks.add(line, i - start, !code, text.mid(i + 2, end - i - 2));
            i = end - 1;
        } else if (c == '/' && text.mid(i + 1, 1) == "*") {
            qsizetype end = text.indexOf("*/", i + 2);
            end = end < 0 ? text.size() : end;
            const qsizetype column = i - start;
            bool alone = !code;
            for (QString& part : text.mid(i + 2, end - i - 2).split('\n')) {
                static const QRegularExpression kStar(R"(^\s*\*+)");
                blocks.add(line, column, alone, part.remove(kStar));
                alone = true;
                ++line;
            }
            --line;
            start = std::max(start, text.lastIndexOf('\n', end) + 1);
            i = end + 1;
        } else if (c == '"' && i > 0 && text[i - 1] == 'R') {
            const QString close = ')' + text.mid(i + 1, text.indexOf('(', i) - i - 1) + '"';
            const qsizetype found = text.indexOf(close, i);
            const qsizetype end = found < 0 ? text.size() : found + close.size();
            for (; i + 1 < end; ++i) {
                if (text[i + 1] == '\n') {
                    new_line(i + 1);
                }
            }
            code = true;
        } else if (c == '"' || c == '`' ||
                   (c == '\'' && !(i > 0 && text[i - 1].isLetterOrNumber()))) {
            code = true;
            for (++i; i < text.size() && text[i] != c && text[i] != '\n'; ++i) {
                i += text[i] == '\\' ? 1 : 0;
            }
            if (i < text.size() && text[i] == '\n') {
                new_line(i);
            }
        } else if (!c.isSpace()) {
            code = true;
        }
    }
    return blocks.take();
}

// Scripts and CMake: from a # that opens a word to the end of the line; #! is no comment.
QList<Block> hash_comments(const QString& text) {
    Blocks blocks;
    int number = 0;
    for (const QString& line : text.split('\n')) {
        ++number;
        QChar quote;
        for (qsizetype i = 0; i < line.size(); ++i) {
            const QChar c = line[i];
            if (c == '\\') {
                ++i;
            } else if (!quote.isNull()) {
                quote = c == quote ? QChar() : quote;
            } else if (c == '"' || c == '\'') {
                quote = c;
            } else if (c == '#' && line.mid(i + 1, 1) != "!" && (i == 0 || line[i - 1].isSpace())) {
                blocks.add(number, i, line.left(i).trimmed().isEmpty(), line.mid(i + 1));
                break;
            }
        }
    }
    return blocks.take();
}

// Documents: paragraphs, items of lists, cells of tables. Headings and fenced lines are left out.
QList<Block> paragraphs(const QString& text) {
    static const QRegularExpression kItem(R"(^(?:[-*]|\d+\.|>)\s+)");
    Blocks blocks;
    bool fence = false;
    int number = 0;
    int apart = 0;  // changes where a line goes on with nothing
    for (const QString& raw : text.split('\n')) {
        ++number;
        QString line = raw.trimmed();
        if (line.startsWith("```")) {
            fence = !fence;
            line.clear();
        }
        if (fence || line.startsWith('#')) {
            line.clear();
        }
        if (line.startsWith('|')) {
            for (const QString& cell : line.split('|')) {
                blocks.add(number, ++apart, false, cell);
            }
            continue;
        }
        const bool item = kItem.match(line).hasMatch();
        apart += item ? 1 : 0;
        blocks.add(number, apart, !item, line.remove(kItem));
    }
    return blocks.take();
}

enum class Kind { None, Slash, Hash, Document };

Kind kind_of(const QString& path, const QString& text) {
    static const QRegularExpression kSlash(R"(\.(h|hpp|cpp|c|inc|mm|qml|js|comp|glsl|nsi|nsh)$)");
    static const QRegularExpression kHash(R"(\.(sh|py|cmake)$|(^|/)CMakeLists\.txt$)");
    if (path.startsWith("tests/fuzz/corpus/")) {
        return Kind::None;
    }
    if (path.endsWith(".md")) {
        return Kind::Document;
    }
    if (kSlash.match(path).hasMatch()) {
        return Kind::Slash;
    }
    return kHash.match(path).hasMatch() || text.startsWith("#!") ? Kind::Hash : Kind::None;
}

QList<Block> blocks_of(Kind kind, const QString& text) {
    switch (kind) {
        case Kind::Slash:
            return slash_comments(text);
        case Kind::Hash:
            return hash_comments(text);
        case Kind::Document:
            return paragraphs(text);
        case Kind::None:
            break;
    }
    return {};
}

// ---- sentences ---------------------------------------------------------------------------------

// A sentence opens with a capital letter and ends at a full stop, or with its block.
QStringList sentences_of(const QString& block) {
    static const QRegularExpression kEnd(R"((?<=[.!?])["')\]*_`]*\s+)");
    static const QRegularExpression kOpens(R"(^["'(\[*_`]*\p{Lu})");
    QStringList sentences;
    for (const QString& part : block.split(kEnd)) {
        if (kOpens.match(part).hasMatch()) {
            sentences << part;
        }
    }
    return sentences;
}

bool is_riddle(const QString& sentence) {
    static const QRegularExpression kFirstWord(R"(^["'(\[*_`]*(\w+))",
                                               QRegularExpression::UseUnicodePropertiesOption);
    return !sentence.endsWith('?') && kRiddles.contains(kFirstWord.match(sentence).captured(1));
}

struct Count {
    int sentences = 0;
    QStringList riddles;  // "path:line: sentence"
};

void count(const QString& path, const QString& text, Count& into) {
    for (const Block& block : blocks_of(kind_of(path, text), text)) {
        for (const QString& sentence : sentences_of(block.text)) {
            ++into.sentences;
            if (is_riddle(sentence)) {
                into.riddles << QString("%1:%2: %3").arg(path).arg(block.line).arg(sentence);
            }
        }
    }
}

// The project's files that git would track.
QStringList files() {
    static const QRegularExpression kIgnored(
        R"(^(\.git|build|build-[^/]*|dist|\.cache)(/|$)|(^|/)__pycache__/)");
    QStringList paths;
    QDirIterator it(kRoot.path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (it.hasNext()) {
        const QString path = kRoot.relativeFilePath(it.next());
        if (!kIgnored.match(path).hasMatch()) {
            paths << path;
        }
    }
    paths.sort();
    return paths;
}

}  // namespace

class EnglishTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        for (const QString& path : files()) {
            QFile file(kRoot.filePath(path));
            QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(path));
            const QByteArray bytes = file.readAll();
            if (!bytes.left(8192).contains('\0')) {
                count(path, QString::fromUtf8(bytes), counts_[group_of(path).prefix]);
            }
        }
    }

    // Each row of the table is a row here; the share is printed.
    void openings_data() {
        QTest::addColumn<QString>("prefix");
        QTest::addColumn<int>("limit");
        for (const Group& group : kGroups) {
            QTest::newRow(*group.prefix ? group.prefix : "the rest") << group.prefix << group.limit;
        }
    }
    void openings() {
        QFETCH(QString, prefix);
        QFETCH(int, limit);
        const Count& found = counts_[prefix];
        const int riddles = static_cast<int>(found.riddles.size());
        QVERIFY2(found.sentences > 0, "no file is here: delete the row");
        const QString share = QString("%1 of %2 sentences, %3 %")
                                  .arg(riddles)
                                  .arg(found.sentences)
                                  .arg(100.0 * riddles / found.sentences, 0, 'f', 1);
        qInfo("%s", qPrintable(share));
        const bool good = limit == kRewritten ? 20 * riddles <= found.sentences : riddles <= limit;
        const QString allowed = limit == kRewritten ? QString("5 %") : QString::number(limit);
        for (qsizetype i = 0; !good && i < riddles; ++i) {
            qInfo("%s", qPrintable(found.riddles[i]));
        }
        QVERIFY2(good, qPrintable(share + " open with " + kRiddles.join(", ") +
                                  "; allowed: " + allowed + ". Put the subject first."));
    }

    // Whole texts, and the sentences that count.
    void examples_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("sentences");
        QTest::addColumn<int>("riddles");
        const auto row = [](const char* name, const char* path, const char* text, int sentences,
                            int riddles) {
            QTest::newRow(name) << path << text << sentences << riddles;
        };
        row("one", "a.h", "// What was read is kept.\nint x;\n", 1, 1);
        row("each word", "a.h",
            "// Of A b. Where a. Whether a. Those a. Without a. Likewise a. What a.", 7, 7);
        row("the subject first", "a.h", "// Rows are kept. Columns are not.", 2, 0);
        row("the second of two", "a.h", "// Rows are kept. What is not goes.", 2, 1);
        row("over two lines", "a.h", "// Rows are kept.\n// What is not\n// goes.", 2, 1);
        row("no sentence opens with a line", "a.h", "// It says\n// What it is.", 1, 0);
        row("a gap opens a comment", "a.h", "// It says\n\n// What it is.", 2, 1);
        row("behind code", "a.h", "int x;  // Where it lies.\n        // Of two.", 2, 2);
        row("goes on behind code", "a.h", "int x;  // It lies\n        // Where it is.", 1, 0);
        row("two behind code", "a.h", "int x;  // It lies\nint y;  // Where it is.", 2, 1);
        row("no capital letter", "a.h", "int x;  // what it is", 0, 0);
        row("a longer word", "a.h", "// Offsets. Whatever. Whereas.", 3, 0);
        row("a question", "a.h", "// What is rain? It falls.", 2, 0);
        row("in quotes", "a.h", "// It is \"so.\" What follows falls.", 2, 1);
        row("with stars", "a.h", "/* Rows are kept.\n * What is not goes. */", 2, 1);
        row("behind stars", "a.h", "/* A. */ int x;\n// Of two.", 2, 1);
        row("in a string", "a.cpp", "f(\"// What it is.\");  // Here.", 1, 0);
        row("in a raw string", "a.cpp", "f(R\"x(\n// What.\n\")x\");\n// Of two.", 1, 1);
        row("behind a separator", "a.cpp", "int x = 1'000;  // Of two.\nint y = 2'000;", 1, 1);
        row("a quote", "a.cpp", "char c = '\"';  // Of two.", 1, 1);
        row("QML", "a.qml", "Text { text: 'http://x' } // Where it is.", 1, 1);
        row("a shader", "a.comp", "// Where it is.\n", 1, 1);
        row("a script", "a.sh", "#!/bin/sh\n# What it is.\nx=\"a # What.\"\ny=$# # Of two.", 2, 2);
        row("CMake", "x/CMakeLists.txt", "# Where it is.\n", 1, 1);
        row("a document", "a.md", "# What it is\n\nIt is.\nWhat it is not.\n\n- Of two\n- One", 4,
            2);
        row("a table", "a.md", "| What | a |\n| --- | --- |\n| A. Of two. | Where |", 4, 3);
        row("a fence", "a.md", "```\nWhat it is.\n```\nIt is.", 1, 0);
        row("no text", "a.json", "// What it is.", 0, 0);
    }
    void examples() {
        QFETCH(QString, path);
        QFETCH(QString, text);
        QFETCH(int, sentences);
        QFETCH(int, riddles);
        Count found;
        count(path, text, found);
        QCOMPARE(static_cast<int>(found.riddles.size()), riddles);
        QCOMPARE(found.sentences, sentences);
    }

private:
    QHash<QString, Count> counts_;
};

QTEST_GUILESS_MAIN(EnglishTest)
#include "english_test.moc"
