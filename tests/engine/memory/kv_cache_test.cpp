#include "memory/kv_cache.h"

#include <QtTest>
#include <vector>

class KvCacheTest : public QObject {
    Q_OBJECT

private slots:
    void lays_out_keys_in_tiles_and_values_in_rows() {
        hearth::ModelSpec spec;
        spec.layers.assign(2, {.attention = {.n_head_kv = 3, .head_dim = 6}});
        const int n_ctx = 20;  // two tiles, the second not full
        const std::uint64_t bytes = hearth::KvCache::bytes_for(spec, n_ctx);
        QCOMPARE(bytes, std::uint64_t{2 * 2 * 3 * 6 * 32 * 2});
        hearth::Ledger ledger({0, bytes, 0});
        auto cache = hearth::KvCache::create(spec, n_ctx, ledger);
        QVERIFY(cache);
        QCOMPARE(ledger.actual().kv, bytes);
        QCOMPARE(cache->n_ctx(), n_ctx);
        QCOMPARE(cache->bytes(), bytes);
        QVERIFY(cache->is_for(spec, n_ctx));
        QVERIFY(!cache->is_for(spec, n_ctx + 1));
        QVERIFY(!cache->is_for(spec, n_ctx, {true, false}));
        QVERIFY(!hearth::KvCache().is_for(spec, n_ctx));

        // Every place gets a number of its own; each must be found again, alone.
        const auto number = [](int layer, int head, int position, int c, int which) {
            return static_cast<std::uint16_t>((((layer * 3 + head) * 20 + position) * 6 + c) * 2 +
                                              which + 1);
        };
        for (int layer = 0; layer < 2; ++layer) {
            for (int head = 0; head < 3; ++head) {
                const auto key = [&](int position, int c) {
                    return number(layer, head, position, c, 0);
                };
                // Position 0 alone, 1 to 15 within a tile, 16 to 19 as a tile's beginning.
                std::vector<std::uint16_t> first;
                for (int c = 0; c < 6; ++c) {
                    first.push_back(key(0, c));
                }
                for (const auto& [position, n] : {std::pair{16, 4}, {1, 15}}) {
                    std::vector<std::uint16_t> tile(6 * 16, 0xFFFF);
                    for (int c = 0; c < 6; ++c) {
                        for (int i = 0; i < n; ++i) {
                            tile[static_cast<std::size_t>(c * 16 + i)] = key(position + i, c);
                        }
                    }
                    cache->store_keys(layer, head, position, n, tile.data());
                }
                cache->store_key(layer, head, 0, first.data());
                for (int position = 0; position < n_ctx; ++position) {
                    for (int c = 0; c < 6; ++c) {
                        cache->values(layer, head)[position * 6 + c] =
                            number(layer, head, position, c, 1);
                    }
                }
            }
        }
        // A whole tile in its place, the last key again.
        std::vector<std::uint16_t> tile;
        for (int c = 0; c < 6; ++c) {
            for (int position = 0; position < 16; ++position) {
                tile.push_back(number(1, 2, position, c, 0));
            }
        }
        cache->store_keys(1, 2, 0, 16, tile.data());
        for (int layer = 0; layer < 2; ++layer) {
            for (int head = 0; head < 3; ++head) {
                for (int position = 0; position < n_ctx; ++position) {
                    for (int c = 0; c < 6; ++c) {
                        QCOMPARE(
                            cache->keys(layer, head)[(position / 16 * 6 + c) * 16 + position % 16],
                            number(layer, head, position, c, 0));
                        QCOMPARE(cache->values(layer, head)[position * 6 + c],
                                 number(layer, head, position, c, 1));
                    }
                }
            }
        }
        QCOMPARE(cache->read_bytes(10), std::uint64_t{2 * 2 * 3 * 6 * 10 * 2});
    }

    void layers_whose_attention_is_elsewhere_take_nothing() {
        hearth::ModelSpec spec;
        spec.layers.assign(4, {.attention = {.n_head_kv = 2, .head_dim = 8}});
        const std::vector<bool> elsewhere{true, false, true, false};
        const std::uint64_t bytes = hearth::KvCache::bytes_for(spec, 16, elsewhere);
        QCOMPARE(bytes * 2, hearth::KvCache::bytes_for(spec, 16));
        hearth::Ledger ledger({0, bytes, 0});
        auto cache = hearth::KvCache::create(spec, 16, ledger, elsewhere);
        QVERIFY(cache);
        QCOMPARE(cache->read_bytes(3), std::uint64_t{2 * 2 * 2 * 8 * 3 * 2});
        // One layer's values end where the other's keys begin.
        QCOMPARE(cache->keys(3, 0) - cache->values(1, 1), 16 * 8);
        QCOMPARE(cache->keys(3, 0) - cache->keys(1, 0), 2 * 2 * 16 * 8);

        hearth::Ledger nothing({0, 0, 0});
        auto empty = hearth::KvCache::create(spec, 16, nothing, {true, true, true, true});
        QVERIFY(empty);
        QCOMPARE(empty->n_ctx(), 16);
        QCOMPARE(empty->read_bytes(16), std::uint64_t{0});
    }
};

QTEST_GUILESS_MAIN(KvCacheTest)
#include "kv_cache_test.moc"
