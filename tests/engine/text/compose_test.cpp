#include <QTest>

#include <string>

#include "text/compose.h"
#include "text/utf8.h"

namespace hearth {

// That it is right over many strings: pre_tokenizer_oracle_test.cpp.
class ComposeTest : public QObject {
    Q_OBJECT

private slots:
    void examples_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("composed");
        const auto row = [](const char* name, const char* text, const char* composed) {
            QTest::newRow(name) << QByteArray(text) << QByteArray(composed);
        };
        row("nothing", "", "");
        row("ASCII", "plain text", "plain text");
        row("a mark on ASCII", "ae\u0301b", "a\u00E9b");
        row("at the start", "\u0301e", "\u0301e");
        row("at the end", "xe\u0301", "x\u00E9");
        row("on what is below U+0300", "\u00FC\u0304", "\u01D6");
        row("two marks, out of order", "a\u0301\u0323", "\u1EA1\u0301");
        row("Hangul", "\u1112\u1161\u11AB", "\uD55C");
        row("one that stays apart", "\u0958", "\u0915\u093C");
        row("a sign of its own", "\u212B", "\u00C5");
        row("broken byte between", "e\xFF\u0301", "e\xFF\u0301");
        row("cut at the end", "e\u0301e\xCC",
            "\u00E9"
            "e\xCC");
        row("lone continuation", "e\x81\u0301", "e\x81\u0301");
    }
    void examples() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, composed);
        QCOMPARE(QByteArray::fromStdString(compose(text.toStdString())), composed);
        if (!may_need_composing(text.toStdString())) {
            QCOMPARE(composed, text);
        }
    }

    void needed() {
        QVERIFY(!may_need_composing("plain \u00E9 \u02FF"));
        QVERIFY(may_need_composing("\u0300"));
        QVERIFY(may_need_composing("e\u0301"));
    }

    // Ordering marks in the square of their number would take hours; ctest's time limit is the
    // judge.
    void aTextOfMarks() {
        constexpr std::size_t kPairs = 200'000;
        std::string text = "a";
        std::string wanted = "\u1EA1";
        for (std::size_t i = 0; i < kPairs; ++i) {
            text += "\u0301\u0323";
        }
        for (std::size_t i = 1; i < kPairs; ++i) {
            wanted += "\u0323";
        }
        for (std::size_t i = 0; i < kPairs; ++i) {
            wanted += "\u0301";
        }
        QVERIFY(compose(text) == wanted);
    }
};

}  // namespace hearth

QTEST_APPLESS_MAIN(hearth::ComposeTest)
#include "compose_test.moc"
