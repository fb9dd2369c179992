#include "base/sleep_word.h"

#include <QtTest>

#include "support/plain_checks.h"

class SleepWordTest : public QObject {
    Q_OBJECT

private slots:
    void wakes_data() {
        QTest::addColumn<int>("at");
        const std::vector<hearth::test::PlainCheck>& checks = hearth::test::plain_checks();
        QVERIFY(!checks.empty());
        for (std::size_t i = 0; i < checks.size(); ++i) {
            QTest::addRow("%s", checks[i].name.c_str()) << static_cast<int>(i);
        }
    }
    // A lost wake-up is a test that does not end.
    void wakes() {
        QFETCH(int, at);
        const std::string wrong = hearth::test::plain_checks()[static_cast<std::size_t>(at)].run();
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    void a_value_that_has_changed_lets_nobody_sleep() {
        hearth::SleepWord word(3);
        word.sleep_while(2);
        QCOMPARE(word.add(2), 5U);
        word.sleep_while(3);
        word.set(0);
        QCOMPARE(word.add(0xFFFFFFFFU), 0xFFFFFFFFU);
        QCOMPARE(word.add(2), 1U);  // wraps
    }
};

QTEST_GUILESS_MAIN(SleepWordTest)
#include "sleep_word_test.moc"
