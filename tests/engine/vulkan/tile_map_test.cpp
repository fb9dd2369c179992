// Maps of tiles that the processor converts in other ways than it does: gpu_checks has those that
// it does.
#include "vulkan/tile_map.h"

#include <QtTest>
#include <cstring>

#include "cpu/pack_rows.h"

using namespace hearth;
using hearth::vulkan::TileMap;

namespace {

void unpack(DType type, const std::byte* tile, int cols, std::byte* rows) {
    unpack_tile(type, tile, static_cast<int>(TileMap::kRows), cols, rows);
}

}  // namespace

class TileMapTest : public QObject {
    Q_OBJECT

private slots:
    void a_word_comes_from_a_word() {
        const auto map = TileMap::find(DType::F32, 64, unpack);
        QVERIFY(map && map->type() == DType::F32 && map->cols() == 64);
        QCOMPARE(map->words().size() / 4, map->moves().size() / 2);
        QCOMPARE(map->words_of_tile(), std::uint64_t{16 * 64});
    }

    // A bit that depends on two bits at once is more than moved.
    void a_crooked_conversion_has_no_map() {
        const auto crooked = [](DType type, const std::byte* tile, int cols, std::byte* rows) {
            unpack(type, tile, cols, rows);
            rows[0] = tile[0] & tile[4];
        };
        QVERIFY(!TileMap::find(DType::F32, 64, crooked));
    }

    // Halves of a row that change places repeat with the row alone.
    void a_long_period_is_found() {
        const auto halves = [](DType type, const std::byte* tile, int cols, std::byte* rows) {
            unpack(type, tile, cols, rows);
            const auto half = static_cast<std::size_t>(cols) * 2;
            for (std::size_t r = 0; r < TileMap::kRows; ++r) {
                std::byte* row = rows + r * 2 * half;
                for (std::size_t i = 0; i < half; ++i) {
                    std::swap(row[i], row[half + i]);
                }
            }
        };
        const auto map = TileMap::find(DType::F32, 128, halves);
        QVERIFY(map);
        QCOMPARE(map->words().size() / 4, std::size_t{16 * 128});
        QVERIFY(!TileMap::find(DType::F32, 1024, halves));  // longer than any that is tried
    }

    void shapes_that_shaders_do_not_take() {
        QVERIFY(!TileMap::find(DType::Q4_K, 128, unpack));
        QVERIFY(!TileMap::find(DType::I32, 64, unpack));
    }
};

QTEST_GUILESS_MAIN(TileMapTest)
#include "tile_map_test.moc"
