#include "memory/moving_room.h"

#include <QtTest>
#include <algorithm>
#include <cstring>
#include <vector>

#include "memory/kv_cache.h"

using namespace hearth;

namespace {

constexpr int kWindow = 200;
constexpr int kKept = kept_of_window(kWindow);
constexpr int kRoom = room_of_kept(kKept);
constexpr int kCtx = 4 * kRoom;

}  // namespace

class MovingRoomTest : public QObject {
    Q_OBJECT

private slots:
    // However long the passes are: what is seen is held, what moves fits where none of it lies, and
    // so does a copy of it.
    void holds_what_is_seen_data() {
        QTest::addColumn<int>("window");
        for (const int window : {1, 2, 127, 128, 129, 130, 512, 1024, 4096}) {
            QTest::addRow("%d", window) << window;
        }
    }
    void holds_what_is_seen() {
        QFETCH(int, window);
        const int kept = kept_of_window(window);
        QCOMPARE(kept % kPastStep, 0);
        const int room_size = room_of_kept(kept);
        MovingRoom room(kept, window);
        int moved = 0;
        int position = 0;
        for (int i = 0; position < 5 * room_size; ++i) {
            const int n = i % 3 == 0 ? kMostPassTokens : i % 3 == 1 ? 1 : 37;
            if (room.is_full(position, n)) {
                const int first = room.first_for(position);
                QCOMPARE(first % kPastStep, 0);
                QVERIFY(first > room.first());
                QVERIFY(position - first <= kept);
                QVERIFY(first - room.first() >= position - first);
                room.set_first(first);
                ++moved;
            }
            QVERIFY(position + n - room.first() <= room_size);
            QVERIFY(std::max(position + 1 - window, 0) >= room.first());
            position += n;
        }
        QVERIFY(moved > 2);
    }

    void goes_back_to_what_is_held_or_copied() {
        MovingRoom room(kKept, kWindow);
        QCOMPARE(room.latest(5000), 5000);
        QCOMPARE(room.first_for(0), 0);
        QCOMPARE(room.first_for(kWindow - 1), 0);
        QCOMPARE(room.first_for(kWindow + kPastStep - 2), 0);
        QCOMPARE(room.first_for(kWindow + kPastStep - 1), kPastStep);
        room.set_first(2 * kPastStep);
        const int least = 2 * kPastStep + kWindow - 1;
        QVERIFY(room.is_held(least) && !room.is_held(least - 1) && !room.is_held(0));
        QCOMPARE(room.latest(least), least);
        QCOMPARE(room.latest(least - 1), 0);
        room.set_copied(300);
        QCOMPARE(room.latest(least - 1), 300);
        QCOMPARE(room.latest(300), 300);
        QCOMPARE(room.latest(299), 0);
    }

    void nothing_moves_without_windows() {
        const MovingRoom room;
        QVERIFY(!room.is_full(100000, 512));
    }

    // Two kinds of layers in one cache, and one that reads another's past.
    void moves_and_copies_data() {
        QTest::addColumn<bool>("bytes");
        QTest::addRow("halves") << false;
        QTest::addRow("bytes") << true;
    }
    void moves_and_copies() {
        QFETCH(bool, bytes);
        ModelSpec spec;
        spec.layers.assign(3, {.attention = {.n_head_kv = 2, .head_dim = 16}});
        for (const std::size_t layer : {1U, 2U}) {
            spec.layers[layer].attention.window = kWindow;
            spec.layers[layer].attention.kept = kKept;
        }
        spec.layers[2].attention.past_of = 1;
        for (LayerSpec& layer : spec.layers) {
            layer.attention.kv = bytes ? KvType::Q8_0 : KvType::F16;
        }
        const std::uint64_t of_row = bytes ? 2 * 2 * (16 + 2) : 2 * 2 * 16 * 2;
        const std::uint64_t planned = KvCache::bytes_for(spec, kCtx);
        QCOMPARE(planned, of_row * std::uint64_t{kCtx + kRoom + kKept});
        Ledger ledger({0, planned, 0});
        auto cache = KvCache::create(spec, kCtx, ledger);
        QVERIFY(cache);
        QVERIFY(cache->moves());
        // As many positions as need no room: all are held.
        QCOMPARE(KvCache::bytes_for(spec, kRoom + kKept),
                 of_row * std::uint64_t{2 * (kRoom + kKept)});

        constexpr int kFirst = 3 * kPastStep;
        constexpr int kEnd = kFirst + kKept - 5;
        fill(*cache, bytes, 0, 0, kEnd);
        fill(*cache, bytes, 1, 0, kEnd);
        const auto seen = rows(*cache, bytes, 1, 0, kEnd);
        const auto all = rows(*cache, bytes, 0, 0, kEnd);
        cache->save_kept(kFirst, kEnd);
        cache->move_up(kFirst, kEnd);
        QCOMPARE(cache->first_position(0), 0);
        QCOMPARE(cache->first_position(1), kFirst);
        QCOMPARE(cache->first_position(2), kFirst);
        QVERIFY(rows(*cache, bytes, 0, 0, kEnd) == all);
        QVERIFY(rows(*cache, bytes, 1, kFirst, kEnd) == tail(seen, kFirst));
        QVERIFY(rows(*cache, bytes, 2, kFirst, kEnd) == tail(seen, kFirst));
        // Later positions come behind, and then the copy is what it was.
        fill(*cache, bytes, 1, kEnd, kFirst + kRoom);
        QVERIFY(rows(*cache, bytes, 1, kFirst, kEnd) == tail(seen, kFirst));
        cache->move_up(kFirst + 4 * kPastStep, kFirst + 4 * kPastStep + kKept);
        QCOMPARE(cache->first_position(1), kFirst + 4 * kPastStep);
        cache->restore_kept(kFirst, kEnd);
        QCOMPARE(cache->first_position(1), kFirst);
        QVERIFY(rows(*cache, bytes, 1, kFirst, kEnd) == tail(seen, kFirst));
        cache->move_back();
        QCOMPARE(cache->first_position(1), 0);
        fill(*cache, bytes, 1, 0, kEnd);
        QVERIFY(rows(*cache, bytes, 1, 0, kEnd) == seen);
        QVERIFY(rows(*cache, bytes, 0, 0, kEnd) == all);
    }

private:
    static std::size_t tile_bytes(bool bytes) { return bytes ? 16 * 16 + 16 * 2 : 16 * 16 * 2; }
    static void fill(KvCache& cache, bool bytes, int layer, int first, int end) {
        for (int head = 0; head < 2; ++head) {
            for (int position = first; position < end; ++position) {
                std::vector<float> key(16);
                std::vector<float> value(16);
                std::vector<std::uint16_t> halves(16);
                for (int c = 0; c < 16; ++c) {
                    const int number = ((layer * 2 + head) * kCtx + position) * 16 + c;
                    key[std::size_t(c)] = float(number % 997);
                    value[std::size_t(c)] = float(number % 991);
                    halves[std::size_t(c)] = std::uint16_t(number % 65521);
                }
                if (bytes) {
                    cache.store_rounded(layer, head, position, key.data(), value.data());
                    continue;
                }
                cache.store_key(layer, head, position, halves.data());
                std::memcpy(cache.value(layer, head, position), halves.data(), 32);
            }
        }
    }
    // The key and the value of each head at each position.
    static std::vector<std::vector<std::byte>> rows(KvCache& cache, bool bytes, int layer,
                                                    int first, int end) {
        std::vector<std::vector<std::byte>> all;
        for (int position = first; position < end; ++position) {
            const int row = position - cache.first_position(layer);
            std::vector<std::byte> one;
            for (int head = 0; head < 2; ++head) {
                const std::size_t tile = std::size_t(row / 16) * tile_bytes(bytes);
                const std::byte* keys = cache.keys(layer, head) + tile;
                const std::byte* values = cache.values(layer, head) + tile;
                const std::size_t size = bytes ? 1 : 2;
                const auto r = std::size_t(row % 16);
                for (std::size_t c = 0; c < 16; ++c) {
                    one.insert(one.end(), keys + (c * 16 + r) * size,
                               keys + (c * 16 + r + 1) * size);
                }
                one.insert(one.end(), values + r * 16 * size, values + (r + 1) * 16 * size);
                if (bytes) {
                    one.insert(one.end(), keys + 256 + 2 * r, keys + 256 + 2 * r + 2);
                    one.insert(one.end(), values + 256 + 2 * r, values + 256 + 2 * r + 2);
                }
            }
            all.push_back(std::move(one));
        }
        return all;
    }
    static std::vector<std::vector<std::byte>> tail(const std::vector<std::vector<std::byte>>& all,
                                                    int first) {
        return {all.begin() + first, all.end()};
    }
};

QTEST_GUILESS_MAIN(MovingRoomTest)
#include "moving_room_test.moc"
