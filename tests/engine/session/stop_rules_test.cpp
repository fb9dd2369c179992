#include "session/stop_rules.h"

#include <QtTest>

class StopRulesTest : public QObject {
    Q_OBJECT

private slots:
    void every_way_of_cutting_gives_the_same_text_data() {
        QTest::addColumn<QStringList>("stops");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("wanted");
        QTest::addColumn<bool>("stopped");
        QTest::newRow("none") << QStringList{} << "abcabc"
                              << "abcabc" << false;
        QTest::newRow("empty is ignored") << QStringList{""} << "abc"
                                          << "abc" << false;
        QTest::newRow("at once") << QStringList{"ab"} << "abc"
                                 << "" << true;
        QTest::newRow("in the middle") << QStringList{"</s>"} << "one </s> two"
                                       << "one " << true;
        QTest::newRow("almost") << QStringList{"</s>"} << "a </s b"
                                << "a </s b" << false;
        QTest::newRow("almost at the end") << QStringList{"</s>"} << "a </s"
                                           << "a </s" << false;
        QTest::newRow("overlapping starts") << QStringList{"aab"} << "aaab"
                                            << "a" << true;
        QTest::newRow("the first wins") << QStringList{"dd", "b"} << "abcdd"
                                        << "a" << true;
        QTest::newRow("the first in the text, not in the list") << QStringList{"b", "dd"} << "abcdd"
                                                                << "a" << true;
    }
    void every_way_of_cutting_gives_the_same_text() {
        QFETCH(QStringList, stops);
        QFETCH(QString, text);
        QFETCH(QString, wanted);
        QFETCH(bool, stopped);
        std::vector<std::string> stop_strings;
        for (const QString& stop : stops) {
            stop_strings.push_back(stop.toStdString());
        }
        const std::string whole = text.toStdString();
        // Each bit of `cuts` says whether a piece ends after that character.
        for (unsigned cuts = 0; cuts < (1U << (whole.size() - 1)); ++cuts) {
            hearth::StopRules rules(stop_strings);
            std::string shown;
            std::string piece;
            for (std::size_t i = 0; i < whole.size(); ++i) {
                piece += whole[i];
                if (i + 1 == whole.size() || ((cuts >> i) & 1U) != 0) {
                    shown += rules.push(piece);
                    piece.clear();
                }
            }
            if (!rules.stopped()) {
                shown += rules.finish();
            }
            QCOMPARE(QString::fromStdString(shown), wanted);
            QCOMPARE(rules.stopped(), stopped);
            if (stopped) {
                QVERIFY(stop_strings.back() == rules.stopped_by() ||
                        stop_strings.front() == rules.stopped_by());
                QVERIFY(whole.substr(shown.size()).starts_with(rules.stopped_by()));
            }
        }
    }

    void shows_what_cannot_become_a_stop() {
        hearth::StopRules rules({"END"});
        QCOMPARE(rules.push("abcE"), std::string("abc"));
        QCOMPARE(rules.push("N"), std::string());
        QCOMPARE(rules.push("x"), std::string("ENx"));
        QCOMPARE(rules.push("END more"), std::string());
        QVERIFY(rules.stopped());
        QCOMPARE(rules.push("and more"), std::string());
    }
};

QTEST_GUILESS_MAIN(StopRulesTest)
#include "stop_rules_test.moc"
