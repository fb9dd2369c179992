#include "markdown/letters.h"

#include <QFontDatabase>
#include <QtTest>

using namespace hearth::ui;

class LettersTest : public QObject {
    Q_OBJECT

private slots:
    void namesWhatIsMissing_data();
    void namesWhatIsMissing();
    void asksTheFonts();
    void looksOnce();
};

void LettersTest::namesWhatIsMissing_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("words");
    const auto row = [](const char* name, const char* text, const QStringList& words) {
        QTest::newRow(name) << QString::fromUtf8(text) << words;
    };
    row("nothing", "", {});
    row("Latin", "Größe: 5 × 3, naïve «œuvre»\n\tĀž", {});
    row("Chinese", "你好", {"Chinese"});
    row("Japanese", "ひらがな", {"Japanese"});
    row("Korean", "안녕", {"Korean"});
    row("their punctuation", "a。b", {"Chinese"});
    row("emoji", "Hot \U0001F525", {"emoji"});
    row("an old emoji", "\u2600", {"emoji"});
    row("Bopomofo", "\u3105", {"Chinese"});
    row("both", "你\U0001F525", {"Chinese", "emoji"});
    row("another script", "नमस्ते", {"other characters"});
    // Characters that join emoji and pick their form have no shape of their own.
    row("shapeless", "a\u200d\ufe0f\u2060\u0301b", {});
    row("private and unassigned", "\ue000\U000E0FFF", {});
}

// As if there were no font but one for Latin.
void LettersTest::namesWhatIsMissing() {
    QFETCH(QString, text);
    QFETCH(QStringList, words);
    Letters letters([](char32_t letter) { return letter < 0x250; });
    const QString sentence = letters.missing(text);
    QCOMPARE(sentence.isEmpty(), words.isEmpty());
    for (const QString& word : words) {
        QVERIFY2(sentence.contains(word), qPrintable(sentence));
    }
    Letters all([](char32_t) { return true; });
    QCOMPARE(all.missing(text), QString());
}

void LettersTest::asksTheFonts() {
    Letters letters;
    QCOMPARE(letters.missing(QStringLiteral("Grüße, →, α, Ж")), QString());
    const bool chinese = !QFontDatabase::families(QFontDatabase::SimplifiedChinese).isEmpty();
    QCOMPARE(letters.missing(QStringLiteral("你好")).isEmpty(), chinese);
}

void LettersTest::looksOnce() {
    int asked = 0;
    Letters letters([&](char32_t) {
        ++asked;
        return false;
    });
    letters.missing(QString(10'000, QChar(0x4F60)));
    letters.missing(QString(10'000, QChar(0x4F60)));
    QCOMPARE(asked, 1);
    QVERIFY(letters.missing(QString(1'000'000, QLatin1Char('a')) + QChar(0x4F60)).isEmpty());
}

QTEST_MAIN(LettersTest)
#include "letters_test.moc"
