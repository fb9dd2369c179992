#include <QTest>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "text/pre_tokenizer.h"
#include "text/utf8.h"

namespace hearth {
namespace {

QStringList split(const char* name, const std::string& text) {
    const PreTokenizerRow* row = find_pre_tokenizer(name);
    if (row == nullptr) {
        return {"no such row"};
    }
    const auto made = PreTokenizer::create(*row);
    if (!made) {
        return {QString::fromStdString(made.error().message)};
    }
    std::vector<std::string_view> pieces;
    made->split(text, pieces);
    QStringList out;
    for (const std::string_view piece : pieces) {
        out << QString::fromUtf8(piece.data(), static_cast<qsizetype>(piece.size()));
    }
    return out;
}

}  // namespace

class PreTokenizerTest : public QObject {
    Q_OBJECT

private slots:
    void splits_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("pieces");
        const auto row = [](const char* name, const char* text, const QStringList& pieces) {
            QTest::addRow("%s: %s", name, text)
                << QByteArray(name) << QString::fromUtf8(text) << pieces;
        };
        row("gpt-2", "I've  2345 cats!\n", {"I", "'ve", " ", " 2345", " cats", "!", "\n"});
        row("gpt-2", "a  \n  b", {"a", "  \n ", " b"});
        row("gpt-2", "'S", {"'", "S"});
        row("starcoder", "x 12", {"x", " ", "1", "2"});
        row("llama-bpe", "I'VE 12345\n\n x", {"I", "'VE", " ", "123", "45", "\n\n", " x"});
        row("llama-bpe", "(word)!?\n", {"(word", ")!?\n"});
        row("qwen2", "a123", {"a", "1", "2", "3"});
        row("gpt-4o", "HelloWorld's", {"Hello", "World's"});
        row("gpt-4o", "a//b/", {"a", "//", "b", "/"});
        row("tekken", "HelloWorld's 12", {"Hello", "World", "'s", " ", "1", "2"});
        row("falcon", "a, 12345b", {"a", ",", " ", "123", "45", "b"});
        row("falcon", "$5+=", {"$", "5", "+="});
        row("deepseek-llm", "a b  \n12", {"a", " b", "  ", "\n", "1", "2"});
        row("deepseek-llm", "a\u4E2D\u6587b", {"a", "\u4E2D\u6587", "b"});
        row("qwen35", "e\u0301a\u0323 1", {"e\u0301a\u0323", " ", "1"});
        row("seed-coder", "a!\n\n", {"a", "!", "\n\n"});
        row("minimax-m2", "a//b", {"a", "//", "b"});
        row("kimi-k2", "ab\u4E2D\u6587cd1234", {"ab", "\u4E2D\u6587", "cd", "123", "4"});
        row("tiny_aya", "1234567 99a", {"1", "234", "567", " ", "99", "a"});
        row("tiny_aya", "1234\u200D", {"123", "4", "\u200D"});
        row("superbpe", "a 1234567b", {"a ", "1", "234", "567", "b"});
        row("superbpe", "123\u00B2", {"123\u00B2"});
        row("afmoe", "x12345!", {"x", "12", "345", "!"});
        row("jais-2", "a       b", {"a", "    ", "  ", " b"});
        row("exaone-moe", "a b  c", {"a b", " ", " c"});
        row("bloom", "one two, x", {"one", " two", ",", " x"});
        row("default", "I've", {"I", "'ve"});
        row("deepseek-coder", "if (x)", {"if", " (", "x", ")"});
        row("deepseek-v3", "1234.foo \u4E2Dx +=\n",
            {"123", "4", ".foo", " ", "\u4E2D", "x", " +=\n"});
        // U+180E is no space any more, U+3000 and U+0085 are.
        row("gpt-2", "a\u180E\u180Eb", {"a", "\u180E\u180E", "b"});
        row("llama-bpe", "a\u180Eb",
            {"a",
             "\u180E"
             "b"});
        row("gpt-2", "a\u3000\u0085z", {"a", "\u3000", "\u0085", "z"});
    }
    void splits() {
        QFETCH(QByteArray, name);
        QFETCH(QString, text);
        QFETCH(QStringList, pieces);
        QCOMPARE(split(name.constData(), text.toStdString()), pieces);
    }

    void everyRowKeepsEveryByte_data() {
        QTest::addColumn<int>("index");
        std::set<const PreTokenizerStep*> seen;  // rows of the same steps are one
        for (std::size_t i = 0; i < pre_tokenizers().size(); ++i) {
            if (seen.insert(pre_tokenizers()[i].steps.data()).second) {
                QTest::newRow(std::string(pre_tokenizers()[i].name).c_str()) << static_cast<int>(i);
            }
        }
    }
    void everyRowKeepsEveryByte() {
        QFETCH(int, index);
        const auto made = PreTokenizer::create(pre_tokenizers()[static_cast<std::size_t>(index)]);
        QVERIFY(made.has_value());
        std::mt19937 random(3);
        const std::u32string alphabet =
            U"aZ'sS 9\u0661\n\r\t.,$+_\u00E9\u0301\u4E2D\uAC00\u3000"
            U"\u00A0\x01\U0001F600\u01C5\u02B0";
        for (int round = 0; round < 2000; ++round) {
            std::string text;
            for (int i = 0; i < 24; ++i) {
                append_utf8(text, alphabet[random() % alphabet.size()]);
            }
            std::vector<std::string_view> pieces;
            made->split(text, pieces);
            std::string joined;
            for (const std::string_view piece : pieces) {
                QVERIFY(!piece.empty());
                joined += piece;
            }
            QCOMPARE(joined, text);
        }
    }

    // A quadratic step would take hours here; ctest's time limit is the judge.
    void longRunsAreLinear_data() { everyRowKeepsEveryByte_data(); }
    void longRunsAreLinear() {
        QFETCH(int, index);
        const auto made = PreTokenizer::create(pre_tokenizers()[static_cast<std::size_t>(index)]);
        QVERIFY(made.has_value());
        constexpr std::size_t kBytes = std::size_t{1} << 17;
        for (const char* unit : {"a", "A", " ", "\n", "!", "1", "\x01", "\xE4\xB8\xAD", " \t",
                                 "a b ", "\xF0\x9F\x98\x80"}) {
            std::string text;
            while (text.size() < kBytes) {
                text += unit;
            }
            for (const char* end : {"", "x", "\n", "."}) {
                std::vector<std::string_view> pieces;
                made->split(text + end, pieces);
                QVERIFY(!pieces.empty());
            }
        }
    }

    void namesAreUnique() {
        std::set<std::string_view> names;
        for (const PreTokenizerRow& row : pre_tokenizers()) {
            QVERIFY(names.insert(row.name).second);
            QVERIFY(find_pre_tokenizer(row.name) == &row);
        }
        QVERIFY(find_pre_tokenizer("") == nullptr);
        QVERIFY(find_pre_tokenizer("no-such-tokenizer") == nullptr);
    }
};

}  // namespace hearth

QTEST_APPLESS_MAIN(hearth::PreTokenizerTest)
#include "pre_tokenizer_test.moc"
