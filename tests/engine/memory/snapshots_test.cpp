#include "memory/snapshots.h"

#include <QtTest>
#include <algorithm>

#include "memory/kv_cache.h"

using hearth::Snapshots;

class SnapshotsTest : public QObject {
    Q_OBJECT

private slots:
    void goes_back_to_the_latest_before() {
        Snapshots snapshots;
        QCOMPARE(snapshots.latest(100), 0);
        QVERIFY(!snapshots.slot_at(0));
        take(snapshots, 30);
        take(snapshots, 60);
        snapshots.set_present(75);
        QCOMPARE(snapshots.latest(100), 75);
        QCOMPARE(snapshots.latest(74), 60);
        QCOMPARE(snapshots.latest(60), 60);
        QCOMPARE(snapshots.latest(59), 30);
        QCOMPARE(snapshots.latest(29), 0);
        snapshots.set_present(std::nullopt);
        QCOMPARE(snapshots.latest(100), 60);
        snapshots.forget_after(59);
        QCOMPARE(snapshots.latest(100), 30);
        QVERIFY(snapshots.slot_at(30) && !snapshots.slot_at(60));
        snapshots.forget_after(30);  // what follows 30 goes on from there
        QVERIFY(snapshots.slot_at(30));
    }

    void is_due_after_a_step() {
        Snapshots snapshots;
        QVERIFY(!snapshots.is_due());
        snapshots.set_present(Snapshots::kStep - 1);
        QVERIFY(!snapshots.is_due());
        take(snapshots, Snapshots::kStep);
        QVERIFY(!snapshots.is_due());
        snapshots.set_present(2 * Snapshots::kStep);
        QVERIFY(snapshots.is_due());
    }

    // Tokens ahead of the states are taken in parts, so that a snapshot is where it would be.
    void takes_what_is_ahead_up_to_a_snapshot() {
        Snapshots snapshots;
        const int due = Snapshots::kStep;
        snapshots.set_ahead({due - 3, due + 4});
        QCOMPARE(snapshots.latest(due + 2), due + 2);
        QCOMPARE(snapshots.latest(due + 9), due + 4);
        QCOMPARE(snapshots.latest(due - 4), 0);
        Snapshots::Taking tokens = snapshots.to_take(due + 2);
        QCOMPARE(tokens.first, 0);
        QCOMPARE(tokens.count, 3);
        snapshots.take(tokens);
        QCOMPARE(snapshots.present().value(), due);
        QVERIFY(snapshots.is_due());
        snapshots.add(false);
        tokens = snapshots.to_take(due + 2);
        QCOMPARE(tokens.first, 3);
        QCOMPARE(tokens.count, 2);
        snapshots.take(tokens);
        QCOMPARE(snapshots.to_take(due + 2).count, 0);
        QCOMPARE(snapshots.to_take(due + 5).count, 0);  // nobody has that many
        snapshots.forget_after(due + 3);
        QCOMPARE(snapshots.latest(due + 4), due + 3);
        snapshots.set_present(std::nullopt);
        QCOMPARE(snapshots.latest(due + 3), due);
        QCOMPARE(snapshots.to_take(due + 3).count, 0);
    }

    // However long a text is, the distance to go back is a share of what follows.
    void thins_out_towards_the_beginning() {
        Snapshots snapshots;
        for (int position = Snapshots::kStep; position <= 64 * Snapshots::kStep;
             position += Snapshots::kStep) {
            take(snapshots, position);
            QCOMPARE(snapshots.latest(position), position);
            QVERIFY(snapshots.latest(position - 1) >= position - 8 * Snapshots::kStep ||
                    snapshots.latest(position - 1) == 0);
        }
        QVERIFY(snapshots.latest(40 * Snapshots::kStep) > 0);
    }

    void keeps_what_is_pinned() {
        Snapshots snapshots;
        take(snapshots, 10, true);
        for (int position = 512; position < 512 * 30; position += 512) {
            take(snapshots, position);
            QVERIFY(snapshots.slot_at(10));
        }
        take(snapshots, 512 * 30, true);
        take(snapshots, 512 * 31);
        take(snapshots, 512 * 32);
        QVERIFY(snapshots.slot_at(512 * 30));
    }

    // The same position again takes no other place, and stays pinned.
    void a_position_has_one_place() {
        Snapshots snapshots;
        const int place = take(snapshots, 40, true);
        QCOMPARE(take(snapshots, 40), place);
        for (int position = 512; position < 512 * 9; position += 512) {
            take(snapshots, position);
        }
        QVERIFY(snapshots.slot_at(40) == place);
    }

    void states_are_copied() {
        hearth::ModelSpec spec;
        spec.layers.assign(3, {.attention = {.n_head_kv = 2, .head_dim = 8}});
        spec.layers[0].delta_net = spec.layers[2].delta_net = {1, 2, 32, 32, 4};
        const std::uint64_t floats = 3 * (2 * 32 + 64) + 2 * 32 * 32;
        QCOMPARE(hearth::past_shape(spec.layers[2], 16).state_floats, floats);
        QCOMPARE(hearth::past_shape(spec.layers[2], 16).bytes_of(7), 4 * floats);
        const std::uint64_t bytes = hearth::KvCache::bytes_for(spec, 16);
        hearth::Ledger ledger({0, bytes, 0});
        auto cache = hearth::KvCache::create(spec, 16, ledger);
        QVERIFY(cache);
        QCOMPARE(ledger.actual().kv, bytes);
        QCOMPARE(cache->bytes(), bytes);
        QCOMPARE(cache->state_bytes(), 2 * 4 * floats);
        QVERIFY(bytes >= (1 + hearth::kSnapshots) * 2 * 4 * floats);
        std::fill_n(cache->values(1, 1), 2 * 16 * 8, std::byte{7});
        const auto fill = [&](float value) {
            std::fill_n(cache->state(0), floats, value);
            std::fill_n(cache->state(2), floats, value + 0.5F);
        };
        const auto holds = [&](float value) {
            return std::count(cache->state(0), cache->state(0) + floats, value) ==
                       static_cast<long>(floats) &&
                   std::count(cache->state(2), cache->state(2) + floats, value + 0.5F) ==
                       static_cast<long>(floats);
        };
        for (int slot = 0; slot < hearth::kSnapshots; ++slot) {
            fill(static_cast<float>(slot + 1));
            cache->save_states(slot);
        }
        for (int slot = 0; slot < hearth::kSnapshots; ++slot) {
            cache->restore_states(slot);
            QVERIFY(holds(static_cast<float>(slot + 1)));
        }
        cache->clear_states();
        QVERIFY(std::count(cache->state(2), cache->state(2) + floats, 0.0F) ==
                static_cast<long>(floats));
        const std::byte* values = cache->values(1, 1);
        QCOMPARE(std::count(values, values + 2 * 16 * 8, std::byte{7}), std::ptrdiff_t{2 * 16 * 8});
    }

private:
    static int take(Snapshots& snapshots, int position, bool pinned = false) {
        snapshots.set_present(position);
        return snapshots.add(pinned);
    }
};

QTEST_GUILESS_MAIN(SnapshotsTest)
#include "snapshots_test.moc"
