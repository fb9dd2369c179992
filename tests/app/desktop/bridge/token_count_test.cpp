#include "bridge/token_count.h"

#include <QtTest>

using namespace hearth::ui;

class TokenCountTest : public QObject {
    Q_OBJECT

private slots:
    void counts();
    void specialTokensAreLetters();
    void reckonsLongTexts();
    void knowsNoOtherFile();

private:
    static int tokensOf(const QString& text) {
        const auto count = countTokens(QStringLiteral(HEARTH_STARTER), text);
        return count ? count->tokens : -1;
    }
};

void TokenCountTest::counts() {
    const auto count =
        countTokens(QStringLiteral(HEARTH_STARTER), QStringLiteral("The sky is blue."));
    QVERIFY(count);
    QVERIFY(count->isExact);
    QVERIFY(count->tokens >= 4 && count->tokens <= 16);
    QCOMPARE(tokensOf(QString()), 0);
    QVERIFY(tokensOf(QStringLiteral("The sky is blue.").repeated(10)) > 5 * count->tokens);
}

// A document that spells them counts as the model will read it: letter by letter.
void TokenCountTest::specialTokensAreLetters() {
    for (const char* token : {"<|im_end|>", "<|im_start|>", "<|endoftext|>", "</s>"}) {
        QVERIFY2(tokensOf(QString::fromLatin1(token)) > 1, token);
    }
}

void TokenCountTest::reckonsLongTexts() {
    const QString part =
        QStringLiteral("The sky is blue. ").repeated(25'000);  // 425,000 characters
    const auto count = countTokens(QStringLiteral(HEARTH_STARTER), part.repeated(4));
    QVERIFY(count);
    QVERIFY(!count->isExact);
    const double one = tokensOf(part.left(400'000));
    QVERIFY(std::abs(count->tokens - one * 4.25) < 2);
}

void TokenCountTest::knowsNoOtherFile() {
    QVERIFY(!countTokens(QStringLiteral("/nowhere.gguf"), QStringLiteral("x")));
    QVERIFY(!countTokens(QString::fromLocal8Bit(__FILE__), QStringLiteral("x")));
}

QTEST_GUILESS_MAIN(TokenCountTest)
#include "token_count_test.moc"
