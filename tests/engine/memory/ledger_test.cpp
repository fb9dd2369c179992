#include "memory/ledger.h"

#include <QtTest>

class LedgerTest : public QObject {
    Q_OBJECT

private slots:
    void counts_by_purpose_to_the_byte() {
        hearth::Ledger ledger({1000, 200, 30});
        auto a = ledger.allocate(hearth::Purpose::Weights, 600, "a");
        auto b = ledger.allocate(hearth::Purpose::Weights, 400, "b");
        auto c = ledger.allocate(hearth::Purpose::Kv, 200, "c");
        auto d = ledger.allocate(hearth::Purpose::Scratch, 29, "d");
        QVERIFY(a && b && c && d);
        QVERIFY((ledger.actual() == hearth::MemoryBytes{1000, 200, 29}));
    }

    void refuses_what_was_not_planned() {
        hearth::Ledger ledger({1000, 200, 30});
        QVERIFY(ledger.allocate(hearth::Purpose::Kv, 150, "half"));
        auto more = ledger.allocate(hearth::Purpose::Kv, 51, "KV cache");
        QVERIFY(!more);
        QVERIFY(more.error().code == hearth::ErrorCode::Internal);
        QCOMPARE(more.error().message,
                 std::string("KV cache: asks for 51 bytes, the plan has 50 left for it"));
        QCOMPARE(ledger.actual().kv, std::uint64_t{150});
    }

    void what_the_system_refuses_is_not_counted() {
        hearth::Ledger ledger({~std::uint64_t{0}, 0, 0});
        auto huge = ledger.allocate(hearth::Purpose::Weights, std::uint64_t{1} << 60, "weights");
        QVERIFY(!huge);
        QVERIFY(huge.error().code == hearth::ErrorCode::OutOfMemory);
        QCOMPARE(ledger.actual().weights, std::uint64_t{0});
    }
};

QTEST_GUILESS_MAIN(LedgerTest)
#include "ledger_test.moc"
