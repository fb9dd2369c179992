// The end of a sentence.
#include <QtTest>

#include "markdown/sentences.h"

using namespace hearth::ui;

class SentencesTest : public QObject {
    Q_OBJECT

private slots:
    void sentencesEnd_data();
    void sentencesEnd();
};

// A reader's program speaks an answer sentence by sentence, and never half of a marked one.
void SentencesTest::sentencesEnd_data() {
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

void SentencesTest::sentencesEnd() {
    QFETCH(const QString, text);
    QFETCH(const int, end);
    QCOMPARE(sentenceEnd(text), end);
}

QTEST_GUILESS_MAIN(SentencesTest)
#include "sentences_test.moc"
