#include "markdown/reasoning.h"

#include <QtTest>

using namespace hearth::ui;

class ReasoningTest : public QObject {
    Q_OBJECT

private slots:
    void findsTheAnswer_data();
    void findsTheAnswer();
    void dependsOnTheWholeTextAlone_data() { findsTheAnswer_data(); }
    void dependsOnTheWholeTextAlone();
    void holdsBackHalfAMark();
};

void ReasoningTest::findsTheAnswer_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("thought");
    QTest::addColumn<QString>("answer");
    const auto row = [](const char* name, const char* text, const char* thought,
                        const char* answer) {
        QTest::addRow("%s", name) << QString::fromUtf8(text) << QString::fromUtf8(thought)
                                  << QString::fromUtf8(answer);
    };
    row("none", "It rains.\n\n    code\n", "", "It rains.\n\n    code\n");
    row("empty", "", "", "");
    row("blank", " \n", "", " \n");
    row("before the answer", "<think>\nHm.\n\nWell.\n</think>\n\nIt rains.\n", "Hm.\n\nWell.",
        "It rains.\n");
    row("after blanks", "\n <think>Hm.</think>It rains.", "Hm.", "It rains.");
    row("opened by the template", "Hm.\n</think>\n\nIt rains.", "Hm.", "It rains.");
    row("closed at once", "<think>\n\n</think>\n\nIt rains.", "", "It rains.");
    row("cut off", "<think>\nHm. Wel", "Hm. Wel", "");
    row("cut off in the mark", "<think>\nHm.\n</thi", "Hm.\n</thi", "");
    row("nothing after it", "<think>Hm.</think>\n", "Hm.", "");
    row("half an opening", "<thi", "", "<thi");
    row("another tag", "<thinking>Hm.</thinking>", "", "<thinking>Hm.</thinking>");
    row("about it", "Write <think> and </think> around it.", "",
        "Write <think> and </think> around it.");
    row("about it, after it", "Hm.</think>Write <think> before it and </think> after it.", "Hm.",
        "Write <think> before it and </think> after it.");
    row("twice", "<think>One.</think>Two.<think>Three.</think>Four.", "One.",
        "Two.<think>Three.</think>Four.");
    row("letters of two halves", "<think>\xF0\x9F\x99\x82</think>\xF0\x9F\x99\x82",
        "\xF0\x9F\x99\x82", "\xF0\x9F\x99\x82");
}

void ReasoningTest::findsTheAnswer() {
    QFETCH(QString, text);
    QFETCH(QString, thought);
    QFETCH(QString, answer);
    Reasoning reasoning;
    reasoning.follow(text, true);
    QCOMPARE(reasoning.thought(text).toString(), thought);
    QCOMPARE(reasoning.answer(text).toString(), answer);
    QCOMPARE(answerIn(text), answer);
}

void ReasoningTest::dependsOnTheWholeTextAlone() {
    QFETCH(QString, text);
    QFETCH(QString, thought);
    QFETCH(QString, answer);
    for (const qsizetype step : {1, 2, 3, 7, 8}) {
        Reasoning grown;
        for (qsizetype size = 0; size < text.size(); size += step) {
            const QString part = text.left(size);
            grown.follow(part, false);
            // The text shown meanwhile is a part of what comes, or is taken back as a whole.
            const QString shown = grown.thought(part).toString();
            QVERIFY2(thought.startsWith(shown), qPrintable(shown));
        }
        grown.follow(text, true);
        QCOMPARE(grown.thought(text).toString(), thought);
        QCOMPARE(grown.answer(text).toString(), answer);
    }
}

void ReasoningTest::holdsBackHalfAMark() {
    Reasoning reasoning;
    QString text = QStringLiteral(" <thi");
    reasoning.follow(text, false);
    QVERIFY(reasoning.answer(text).isEmpty() && !reasoning.isOpen());
    text += QStringLiteral("nk>");
    reasoning.follow(text, false);
    QVERIFY(reasoning.isOpen());
    text += QStringLiteral("Hm.</th");
    reasoning.follow(text, false);
    QCOMPARE(reasoning.thought(text).toString(), QStringLiteral("Hm."));
    text += QStringLiteral("e other way");
    reasoning.follow(text, false);
    QCOMPARE(reasoning.thought(text).toString(), QStringLiteral("Hm.</the other way"));
    text += QStringLiteral("</think>\n");
    reasoning.follow(text, false);
    QVERIFY(!reasoning.isOpen());
    QVERIFY(reasoning.answer(text).isEmpty());
}

QTEST_MAIN(ReasoningTest)
#include "reasoning_test.moc"
