// Places of experts in words: what has some is named, what has none is not.
#include "bridge/expert_shares.h"

#include <QtTest>
#include <limits>

using hearth::ui::expertShareWords;

class ExpertSharesTest : public QObject {
    Q_OBJECT

private slots:
    void words_data() {
        QTest::addColumn<quint64>("card");
        QTest::addColumn<quint64>("memory");
        QTest::addColumn<quint64>("disk");
        QTest::addColumn<QString>("text");
        const auto row = [](const char* name, quint64 card, quint64 memory, quint64 disk,
                            const char* text) {
            QTest::newRow(name) << card << memory << disk << QString::fromUtf8(text);
        };
        row("no mixture", 0, 0, 0, "");
        row("one place", 0, 7, 0, "100 % memory");
        row("all places", 62, 30, 8, "62 % graphics card, 30 % memory, 8 % disk");
        row("a few", 0, 999, 1, "99 % memory, under 1 % disk");
        row("a few on the card", 1, 0, 1000, "under 1 % graphics card, 99 % disk");
        constexpr quint64 kMost = std::numeric_limits<quint64>::max();
        row("huge", kMost, kMost, 0, "50 % graphics card, 50 % memory");
    }
    void words() {
        QFETCH(quint64, card);
        QFETCH(quint64, memory);
        QFETCH(quint64, disk);
        QTEST(expertShareWords({card, memory, disk}), "text");
    }
};

QTEST_GUILESS_MAIN(ExpertSharesTest)
#include "expert_shares_test.moc"
