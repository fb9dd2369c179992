#include "conversation/round_text.h"

#include <QtTest>

using hearth::ui::RoundText;

class RoundTextTest : public QObject {
    Q_OBJECT

private slots:
    void splits_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("answer");
        QTest::addColumn<QString>("thought");
        const auto row = [](const char* text, const char* answer, const char* thought) {
            QTest::newRow(text) << text << answer << thought;
        };
        row("It is 42.", "\n\nIt is 42.", "");
        row("\n It is 42. ", "\n\nIt is 42. ", "");
        row("<think>\nHm.\n</think>\n\nIt is.", "\n\nIt is.", "Hm.");
        row(" <think>Hm.</think>", "", "Hm.");
        row("<think>Hm, </thin", "", "Hm, </thin");
        row("<thin", "\n\n<thin", "");
        row("", "", "");
        row("a <think>b</think>", "\n\na <think>b</think>", "");
    }

    void splits() {
        QFETCH(QString, text);
        for (qsizetype step = 1; step <= std::max(qsizetype{1}, text.size()); ++step) {
            RoundText round(true);
            QString answer;
            for (qsizetype at = 0; at < text.size(); at += step) {
                answer += round.take(text.mid(at, step));
            }
            answer += round.finish();
            QTEST(answer, "answer");
            QTEST(round.thought(), "thought");
        }
    }

    void begins_the_answer_where_there_is_none() {
        RoundText round(false);
        QString answer = round.take("\nIt is");
        answer += round.take(" 42.");
        answer += round.finish();
        QCOMPARE(answer, QString("It is 42."));
    }
};

QTEST_APPLESS_MAIN(RoundTextTest)
#include "round_text_test.moc"
