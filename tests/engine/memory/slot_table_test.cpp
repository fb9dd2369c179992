#include "memory/slot_table.h"

#include <QtTest>
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

using hearth::SlotTable;

namespace {

// A token that uses these items: those that are not here take a slot.
std::vector<int> missing(SlotTable& table, const std::vector<int>& items) {
    std::vector<int> missed;
    for (const int item : items) {
        if (table.slot_of(item) != SlotTable::kNone) {
            table.use(item);
        } else {
            missed.push_back(item);
        }
    }
    for (const int item : missed) {
        table.put(item);
    }
    for (const int item : items) {
        table.unpin(item);
    }
    return missed;
}

}  // namespace

class SlotTableTest : public QObject {
    Q_OBJECT

private slots:
    void emptySlotsAreFilledFirst() {
        SlotTable table(10, 3);
        QCOMPARE(table.n_unpinned(), 3);
        QCOMPARE(table.n_here(), 0);
        QCOMPARE(table.slot_of(7), SlotTable::kNone);
        std::vector<bool> taken(3);
        for (const int item : {7, 2, 9}) {
            const int slot = table.put(item);
            QVERIFY(slot >= 0 && slot < 3 && !taken[static_cast<std::size_t>(slot)]);
            taken[static_cast<std::size_t>(slot)] = true;
            QCOMPARE(table.slot_of(item), slot);
        }
        QCOMPARE(table.n_unpinned(), 0);
    }

    // A profile's uses count from the first token on, and fade as counted ones do.
    void expectedUsesCount() {
        SlotTable table(6, 2);
        table.expect({});
        const std::vector<std::uint8_t> uses{9, 0, 5, 255, 1, 1};
        table.expect(uses);
        missing(table, {0, 3});
        QVERIFY(table.passes_by(2));
        QCOMPARE(table.most_used_absent(), 2);
        missing(table, {2});  // in the place of what was expected less
        QCOMPARE(table.slot_of(0), SlotTable::kNone);
        QVERIFY(table.slot_of(3) != SlotTable::kNone);
        for (int i = 0; i < 200; ++i) {
            missing(table, {i % 2 == 0 ? 4 : 5});
        }
        QCOMPARE(table.slot_of(3), SlotTable::kNone);
    }

    // An item passes by what was used as often as it, now counted; an empty slot it takes.
    void whatIsUsedSeldomMayPassBy() {
        SlotTable table(10, 2);
        QVERIFY(!table.passes_by(0));
        for (int i = 0; i < 4; ++i) {
            missing(table, {0, 1});
        }
        QVERIFY(table.passes_by(2));  // once against four times
        table.pass(2);                // of which one item forgets one
        QVERIFY(table.passes_by(2));
        QCOMPARE(table.slot_of(2), SlotTable::kNone);
        missing(table, {0, 1});
        missing(table, {0, 1});
        table.put(2);
        table.unpin(2);
        QVERIFY(!table.passes_by(1));  // five times and once more, against two
        missing(table, {1});
        table.use(0);
        table.use(1);
        QVERIFY(table.passes_by(3));  // what is pinned cannot give way
        table.unpin(0);
        table.unpin(1);
        QVERIFY(table.passes_by(3));
        table.drop(1);
        QVERIFY(!table.passes_by(3));
    }

    // An item that would be used as often as the only one that could give way passes by.
    void asOftenPassesBy() {
        SlotTable table(4, 1);
        missing(table, {0});
        QVERIFY(table.passes_by(1));
    }

    // As an eviction, it takes a quarter of the uses of one item after the other.
    void passingForgets() {
        SlotTable table(4, 1);
        for (int i = 0; i < 20; ++i) {
            missing(table, {0});
        }
        int passed = 0;
        for (; table.passes_by(1) && passed < 1000; ++passed) {
            table.pass(1);
            table.pass(2);
        }
        QVERIFY2(passed > 3 && passed < 20, qPrintable(QString::number(passed)));
    }

    // Four numbers a slot; of an item its slot and its uses.
    void itsBytes() {
        QCOMPARE(SlotTable::bytes_for(0, 1), 16U);
        QCOMPARE(SlotTable::bytes_for(1, 0), 5U);
        QCOMPARE(SlotTable::bytes_for(11008, 4000), 4000U * 16 + 11008U * 5);
    }

    void theOldestOfTheLeastUsedGivesWay() {
        SlotTable table(10, 3);
        QCOMPARE(missing(table, {0, 1, 2}).size(), 3U);
        QVERIFY(missing(table, {0}).empty());  // used once more
        QCOMPARE(missing(table, {3}), (std::vector{3}));
        QCOMPARE(table.slot_of(1), SlotTable::kNone);  // older than 2
        QVERIFY(table.slot_of(0) != SlotTable::kNone);
        QVERIFY(table.slot_of(2) != SlotTable::kNone);
        QVERIFY(table.slot_of(3) != SlotTable::kNone);
    }

    // Its uses wear off as the others come and go, not at once.
    void whatWasUsedOftenLongAgoGivesWayAtLast() {
        constexpr int kItems = 20;
        SlotTable table(kItems, 2);
        for (int i = 0; i < 30; ++i) {
            missing(table, {0});
        }
        int tokens = 0;
        for (; table.slot_of(0) != SlotTable::kNone && tokens < 1000; ++tokens) {
            missing(table, {1 + tokens % (kItems - 1)});
        }
        // One in 20 evictions takes a quarter: 30 22 16 12 9 6 4 3 2 1.
        QVERIFY2(tokens > 100 && tokens <= 200, qPrintable(QString::number(tokens)));
    }

    void whatComesBackIsNotNew() {
        SlotTable table(100, 2);
        for (int i = 0; i < 3; ++i) {
            missing(table, {0});
        }
        missing(table, {1, 2});  // 0 gives way: a token needs both slots
        QCOMPARE(table.slot_of(0), SlotTable::kNone);
        QCOMPARE(missing(table, {0}), (std::vector{0}));
        for (const int item : {3, 4, 5, 6}) {
            missing(table, {item});
            QVERIFY(table.slot_of(0) != SlotTable::kNone);
        }
    }

    // Beyond it the older one gives way, however often it was used.
    void usesAreCountedToABound() {
        SlotTable table(10, 3);
        for (const auto& [item, uses] : {std::pair{0, 300}, {1, 70}, {2, 63}}) {
            for (int i = 0; i < uses; ++i) {
                missing(table, {item});
            }
        }
        missing(table, {3});
        QCOMPARE(table.slot_of(0), SlotTable::kNone);
        QVERIFY(table.slot_of(1) != SlotTable::kNone && table.slot_of(2) != SlotTable::kNone);
    }

    void whatIsPinnedStays() {
        SlotTable table(10, 3);
        table.put(4);
        missing(table, {0, 1});
        for (const int item : {2, 3, 5, 6, 7}) {
            missing(table, {item});
            QVERIFY(table.slot_of(4) != SlotTable::kNone);
        }
        QCOMPARE(table.n_unpinned(), 2);
        table.unpin(4);
        for (const int item : {0, 1, 2}) {
            missing(table, {item});
        }
        QCOMPARE(table.slot_of(4), SlotTable::kNone);
    }

    void aSlotThatWasDroppedIsTakenNext() {
        SlotTable table(10, 3);
        missing(table, {0, 1, 2});
        const int slot = table.slot_of(1);
        QCOMPARE(table.n_here(), 3);
        table.drop(1);
        QCOMPARE(table.n_here(), 2);
        QCOMPARE(table.slot_of(1), SlotTable::kNone);
        QCOMPARE(table.n_unpinned(), 3);
        QCOMPARE(table.put(8), slot);
        QVERIFY(table.slot_of(0) != SlotTable::kNone && table.slot_of(2) != SlotTable::kNone);
    }

    void fewerSlotsKeepWhatLiesInThem() {
        SlotTable table(20, 5);
        missing(table, {0, 1, 2, 3, 4});
        missing(table, {0, 1, 2, 3, 4});
        std::vector<int> slot_of;
        for (int item = 0; item < 5; ++item) {
            slot_of.push_back(table.slot_of(item));
        }
        table.set_slots(3);
        QCOMPARE(table.n_slots(), 3);
        QCOMPARE(table.n_unpinned(), 3);
        int gone = 0;
        for (int item = 0; item < 5; ++item) {
            const int slot = slot_of[static_cast<std::size_t>(item)];
            QCOMPARE(table.slot_of(item), slot < 3 ? slot : SlotTable::kNone);
            gone = slot < 3 ? gone : item;
        }
        for (const int item : {10, 11, 12}) {
            const int slot = table.put(item);
            QVERIFY(slot >= 0 && slot < 3);
        }
        for (const int item : {10, 11, 12}) {
            table.unpin(item);
        }
        // It comes back with its uses, and more slots are empty at first.
        table.set_slots(5);
        QCOMPARE(missing(table, {gone, 13}), (std::vector{gone, 13}));
        for (const int item : {10, 11, 12}) {
            QVERIFY(table.slot_of(item) != SlotTable::kNone);
        }
        for (const int item : {14, 15, 16, 17}) {
            missing(table, {item});
        }
        QVERIFY(table.slot_of(gone) != SlotTable::kNone);
        table.set_slots(0);
        table.set_slots(5);
        QCOMPARE(table.slot_of(gone), SlotTable::kNone);
        QCOMPARE(table.n_unpinned(), 5);
    }

    // Any order of calls leaves each slot with one item and each item with one slot.
    void slotsAndItemsStayOneToOne() {
        constexpr int kItems = 50;
        SlotTable table(kItems, 17);
        std::uint32_t random = 1;
        int n_slots = 17;
        for (int token = 0; token < 2000; ++token) {
            if (token % 10 == 9) {
                random = random * 1664525 + 1013904223;
                n_slots = 1 + static_cast<int>(random >> 16) % 17;
                table.set_slots(n_slots);
            }
            std::vector<int> items;
            for (int item = 0; item < kItems && std::cmp_less(items.size(), n_slots); ++item) {
                random = random * 1664525 + 1013904223;
                if (random >> 24 < static_cast<std::uint32_t>(200 / (item + 1) + 10)) {
                    items.push_back(item);
                }
            }
            missing(table, items);
            if (token % 7 == 0 && !items.empty()) {
                table.drop(items.front());
            }
            QCOMPARE(table.n_unpinned(), n_slots);
            std::vector<int> item_of(static_cast<std::size_t>(n_slots), SlotTable::kNone);
            for (int item = 0; item < kItems; ++item) {
                if (const int slot = table.slot_of(item); slot != SlotTable::kNone) {
                    QVERIFY(slot < n_slots);
                    QCOMPARE(item_of[static_cast<std::size_t>(slot)], SlotTable::kNone);
                    item_of[static_cast<std::size_t>(slot)] = item;
                }
            }
            QCOMPARE(std::ptrdiff_t{table.n_here()},
                     n_slots - std::count(item_of.begin(), item_of.end(), SlotTable::kNone));
            for (std::size_t i = token % 7 == 0 ? 1 : 0; i < items.size(); ++i) {
                QVERIFY(table.slot_of(items[i]) != SlotTable::kNone);
            }
        }
    }
};

QTEST_GUILESS_MAIN(SlotTableTest)
#include "slot_table_test.moc"
