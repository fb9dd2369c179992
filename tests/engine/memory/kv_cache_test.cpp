#include "memory/kv_cache.h"

#include <QtTest>
#include <vector>

class KvCacheTest : public QObject {
    Q_OBJECT

private slots:
    void lays_out_keys_in_tiles_and_values_in_rows() {
        hearth::ModelSpec spec;
        spec.n_layer = 2;
        spec.n_head_kv = 3;
        spec.head_dim = 6;
        const int n_ctx = 20;  // two tiles, the second not full
        const std::uint64_t bytes = hearth::KvCache::bytes_for(spec, n_ctx);
        QCOMPARE(bytes, std::uint64_t{2 * 2 * 3 * 6 * 32 * 2});
        hearth::Ledger ledger({0, bytes, 0});
        auto cache = hearth::KvCache::create(spec, n_ctx, ledger);
        QVERIFY(cache);
        QCOMPARE(ledger.actual().kv, bytes);
        QCOMPARE(cache->n_ctx(), n_ctx);

        // Every place gets a number of its own; each must be found again, alone.
        const auto number = [](int layer, int head, int position, int c, int which) {
            return static_cast<std::uint16_t>((((layer * 3 + head) * 20 + position) * 6 + c) * 2 +
                                              which + 1);
        };
        for (int layer = 0; layer < 2; ++layer) {
            for (int head = 0; head < 3; ++head) {
                for (int position = n_ctx - 1; position >= 0; --position) {
                    std::vector<std::uint16_t> key;
                    std::vector<std::uint16_t> value;
                    for (int c = 0; c < 6; ++c) {
                        key.push_back(number(layer, head, position, c, 0));
                        value.push_back(number(layer, head, position, c, 1));
                    }
                    cache->store(layer, head, position, key.data(), value.data());
                }
            }
        }
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
};

QTEST_GUILESS_MAIN(KvCacheTest)
#include "kv_cache_test.moc"
