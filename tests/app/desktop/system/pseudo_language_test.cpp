#include "system/pseudo_language.h"

#include <QtTest>

using namespace hearth::ui;

class PseudoLanguageTest : public QObject {
    Q_OBJECT

private slots:
    void marksLetters() {
        QCOMPARE(pseudoText(QStringLiteral("Settings")), QStringLiteral("⟦Šéţţîñĝš~~⟧"));
        QCOMPARE(pseudoText(QStringLiteral("A")), QStringLiteral("⟦Å~⟧"));
        QCOMPARE(pseudoText(QString()), QStringLiteral("⟦~⟧"));
        // No letter stays as it is.
        QString all;
        for (char letter = 'a'; letter <= 'z'; ++letter) {
            all += QLatin1Char(letter);
        }
        static const QRegularExpression kPlain(QStringLiteral("[a-zA-Z]"));
        QVERIFY(!pseudoText(all + all.toUpper()).contains(kPlain));
    }

    void keepsWhatIsFilledIn_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("kept");
        for (const char* kept : {"%1", "%12", "%n", "%Ln", "%L1", "<b>", "</i>", "&amp;", "\n"}) {
            QTest::newRow(kept) << QStringLiteral("an %1 end").arg(QLatin1String(kept))
                                << QString::fromLatin1(kept);
        }
    }
    void keepsWhatIsFilledIn() {
        QFETCH(QString, text);
        QFETCH(QString, kept);
        const QString pseudo = pseudoText(text);
        QVERIFY2(pseudo.startsWith(QStringLiteral("⟦åñ ") + kept + QStringLiteral(" éñđ~")),
                 qPrintable(pseudo));
    }

    void hasTheFormsOfEnglish() {
        const PseudoTranslator words(false);
        const auto lines = [&](int n) {
            return words.translate("LongText", "%1 characters, %Ln lines", nullptr, n);
        };
        QVERIFY(lines(1).contains(pseudoText(QStringLiteral("in one line")).mid(1, 11)));
        QVERIFY(lines(2).contains(QStringLiteral("%Ln")));
        QCOMPARE(words.translate("QGuiApplication", "QT_LAYOUT_DIRECTION", nullptr, -1), QString());
        const PseudoTranslator mirrored(true);
        QCOMPARE(mirrored.translate("QGuiApplication", "QT_LAYOUT_DIRECTION", nullptr, -1),
                 QStringLiteral("RTL"));
        QVERIFY(!mirrored.isEmpty());
    }
};

QTEST_GUILESS_MAIN(PseudoLanguageTest)
#include "pseudo_language_test.moc"
