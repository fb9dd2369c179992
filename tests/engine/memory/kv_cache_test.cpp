#include "memory/kv_cache.h"

#include <QtTest>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "base/half.h"
#include "model/past_shape.h"
#include "support/vram_part.h"

// Attention of these layers in VRAM.
static hearth::Placement elsewhere(const std::vector<bool>& layers) {
    return hearth::test::VramPart{.n_ff = std::vector<int>(layers.size(), 0),
                                  .attention_in_vram = layers};
}

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
        QVERIFY(!cache->is_for(spec, n_ctx, elsewhere({true, false})));
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
                        cache->value(layer, head, position)[c] =
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
                        const auto* keys =
                            reinterpret_cast<const std::uint16_t*>(cache->keys(layer, head));
                        QCOMPARE(keys[(position / 16 * 6 + c) * 16 + position % 16],
                                 number(layer, head, position, c, 0));
                        QCOMPARE(cache->value(layer, head, position)[c],
                                 number(layer, head, position, c, 1));
                    }
                }
            }
        }
    }

    // Two heads of each type, whose values are narrower than their keys.
    void values_may_be_narrower_than_keys() {
        hearth::ModelSpec spec;
        spec.layers.assign(2, {.attention = {.n_head_kv = 2, .head_dim = 48, .value_dim = 16}});
        spec.layers[1].attention.kv = hearth::KvType::Q8_0;
        const std::uint64_t key_tile = 16 * (48 + 2 * 2);
        const std::uint64_t value_tile = 16 * (16 + 2);
        const std::uint64_t halves = std::uint64_t{2} * 32 * (48 + 16) * 2;
        const std::uint64_t all = halves + 2 * 2 * (key_tile + value_tile);
        hearth::Ledger ledger({0, all, 0});
        QCOMPARE(hearth::KvCache::bytes_for(spec, 20), all);
        auto cache = hearth::KvCache::create(spec, 20, ledger);
        QVERIFY(cache);
        QCOMPARE(hearth::past_read_bytes(spec.layers[0], 10),
                 std::uint64_t{2} * 10 * (48 + 16) * 2);
        QCOMPARE(hearth::past_read_bytes(spec.layers[1], 10),
                 std::uint64_t{2} * 10 * (48 + 2 * 2 + 16 + 2));
        QCOMPARE(cache->values(0, 0) - cache->keys(0, 0), std::ptrdiff_t(32 * 48 * 2));
        QCOMPARE(cache->keys(0, 1) - cache->values(0, 0), std::ptrdiff_t(32 * 16 * 2));
        QCOMPARE(cache->values(1, 0) - cache->keys(1, 0), std::ptrdiff_t(2 * key_tile));
        QCOMPARE(cache->keys(1, 1) - cache->values(1, 0), std::ptrdiff_t(2 * value_tile));
        QCOMPARE(reinterpret_cast<std::byte*>(cache->value(0, 1, 5)) - cache->values(0, 1),
                 std::ptrdiff_t(5 * 16 * 2));
        std::vector<float> key(48, 3.0F);
        std::vector<float> value(16, 127.0F);
        cache->store_rounded(1, 1, 19, key.data(), value.data());
        const std::byte* tile = cache->values(1, 1) + value_tile;
        QCOMPARE(static_cast<int>(tile[3 * 16 + 15]), 127);
        std::uint16_t scale = 0;
        std::memcpy(&scale, tile + 16 * 16 + 2 * 3, sizeof scale);
        QCOMPARE(hearth::half_to_float(scale), 1.0F);
        QCOMPARE(static_cast<int>((cache->keys(1, 1) + key_tile)[47 * 16 + 3]), 127);
    }

    // Two layers of one model, of both types. Keys of bytes lie [head_dim][16] in a tile, values
    // [16][head_dim], and scales of 32 columns behind them.
    void rounds_to_bytes() {
        hearth::ModelSpec spec;
        spec.layers.assign(2, {.attention = {.n_head_kv = 2, .head_dim = 48}});
        spec.layers[1].attention.kv = hearth::KvType::Q8_0;
        const std::uint64_t tile = 16 * (48 + 2 * 2);
        const std::uint64_t halves = std::uint64_t{2} * 2 * 32 * 48 * 2;
        hearth::Ledger ledger({0, halves + 2 * 2 * 2 * tile, 0});
        QCOMPARE(hearth::KvCache::bytes_for(spec, 20), halves + 2 * 2 * 2 * tile);
        auto cache = hearth::KvCache::create(spec, 20, ledger);
        QVERIFY(cache);
        QCOMPARE(hearth::past_read_bytes(spec.layers[0], 10), halves * 10 / 32);
        QCOMPARE(hearth::past_read_bytes(spec.layers[1], 10), std::uint64_t{2} * 2 * 10 * (48 + 4));
        QCOMPARE(cache->keys(1, 1) - cache->keys(1, 0), std::ptrdiff_t(4 * tile));
        for (int position = 0; position < 20; ++position) {
            for (int head = 0; head < 2; ++head) {
                std::vector<float> key(48);
                std::vector<float> value(48);
                for (int c = 0; c < 48; ++c) {
                    key[std::size_t(c)] = float(position + 1) * float(c - 20 + head);
                    value[std::size_t(c)] = float(c % 7 - 3) / float(position + 1);
                }
                if (position == 19 && head == 1) {
                    key[40] = std::numeric_limits<float>::quiet_NaN();
                    value[3] = std::numeric_limits<float>::infinity();
                }
                const std::vector<float> keys = key;
                const std::vector<float> values = value;
                cache->store_rounded(1, head, position, key.data(), value.data());
                for (int c = 0; c < 48; ++c) {
                    const bool no_key = position == 19 && head == 1 && c >= 32;
                    const bool no_value = position == 19 && head == 1 && c < 32;
                    const auto i = std::size_t(c);
                    QCOMPARE(std::isnan(key[i]), no_key);
                    QCOMPARE(std::isnan(value[i]), no_value);
                    const float key_step = float(position + 1) * 30 / 127;
                    QVERIFY(no_key || std::fabs(key[i] - keys[i]) <= key_step * 0.502F);
                    const float value_step = 3.0F / float(position + 1) / 127;
                    QVERIFY(no_value || std::fabs(value[i] - values[i]) <= value_step * 0.502F);
                    const std::size_t in_tile = std::size_t(position) / 16 * tile;
                    const std::size_t row = std::size_t(position) % 16;
                    const auto read = [&](const std::byte* past, std::size_t at) {
                        std::uint16_t scale;
                        std::memcpy(&scale, past + in_tile + 16 * 48 + 2 * (i / 32 * 16 + row),
                                    sizeof scale);
                        return hearth::half_to_float(scale) *
                               float(static_cast<std::int8_t>(past[in_tile + at]));
                    };
                    QVERIFY(no_key || read(cache->keys(1, head), i * 16 + row) == key[i]);
                    QVERIFY(no_value || read(cache->values(1, head), row * 48 + i) == value[i]);
                }
            }
        }
    }

    // Small and large beyond what a half holds, and nothing at all.
    void rounds_extremes() {
        hearth::ModelSpec spec;
        spec.layers.assign(1, {.attention = {.n_head_kv = 1, .head_dim = 16}});
        spec.layers[0].attention.kv = hearth::KvType::Q8_0;
        hearth::Ledger ledger({0, 1 << 20, 0});
        auto cache = hearth::KvCache::create(spec, 16, ledger);
        QVERIFY(cache);
        std::vector<float> none(16, 0.0F);
        std::vector<float> small(16, 1e-12F);
        cache->store_rounded(0, 0, 0, none.data(), small.data());
        QCOMPARE(none, std::vector<float>(16, 0.0F));
        QCOMPARE(small, std::vector<float>(16, 0.0F));
        std::vector<float> large(16, -1e9F);
        std::vector<float> one(16, 1.0F);
        cache->store_rounded(0, 0, 1, large.data(), one.data());
        QCOMPARE(large, std::vector<float>(16, -127.0F * 65504.0F));
        QVERIFY(std::fabs(one[0] - 1.0F) < 1e-3F);
    }

    void layers_whose_attention_is_elsewhere_take_nothing() {
        hearth::ModelSpec spec;
        spec.layers.assign(4, {.attention = {.n_head_kv = 2, .head_dim = 8}});
        const hearth::Placement two = elsewhere({true, false, true, false});
        const std::uint64_t bytes = hearth::KvCache::bytes_for(spec, 16, two);
        QCOMPARE(bytes * 2, hearth::KvCache::bytes_for(spec, 16));
        hearth::Ledger ledger({0, bytes, 0});
        auto cache = hearth::KvCache::create(spec, 16, ledger, two);
        QVERIFY(cache);
        // One layer's values end where the other's keys begin.
        QCOMPARE(cache->keys(3, 0) - cache->values(1, 1), 2 * 16 * 8);
        QCOMPARE(cache->keys(3, 0) - cache->keys(1, 0), 2 * 2 * 2 * 16 * 8);

        hearth::Ledger nothing({0, 0, 0});
        auto empty =
            hearth::KvCache::create(spec, 16, nothing, elsewhere({true, true, true, true}));
        QVERIFY(empty);
        QCOMPARE(empty->n_ctx(), 16);
        QCOMPARE(empty->bytes(), std::uint64_t{0});
    }
};

QTEST_GUILESS_MAIN(KvCacheTest)
#include "kv_cache_test.moc"
