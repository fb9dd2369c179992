#include "gguf/finite.h"

#include <QtTest>
#include <algorithm>
#include <vector>

#include "gguf/encoding.h"
#include "gguf/rows.h"
#include "support/damaged_file.h"

using namespace hearth;

class FiniteTest : public QObject {
    Q_OBJECT

private slots:
    void one_number_is_enough_data() {
        QTest::addColumn<int>("type");
        for (const Encoding& encoding : encodings()) {
            QTest::newRow(dtype_info(encoding.type).name.data()) << static_cast<int>(encoding.type);
        }
    }
    // A float, or a scale or a minimum of a block, in the last block of a row.
    void one_number_is_enough() {
        QFETCH(int, type);
        constexpr std::uint64_t kCols = 512;
        constexpr std::uint64_t kRows = 3;
        const Encoding& encoding = encoding_of(static_cast<DType>(type));
        const auto stride = static_cast<std::size_t>(row_bytes(encoding.type, kCols));
        std::vector<std::byte> fine(kRows * stride);
        for (std::size_t row = 0; row < kRows; ++row) {
            quantize_row(encoding.type, std::vector<float>(kCols, 0.5F),
                         fine.data() + row * stride);
        }
        QVERIFY(rows_are_finite(encoding.type, fine.data(), kRows, stride, kCols));
        const std::uint32_t bits = encoding.codes == CodeKind::F32    ? test::kInfBits
                                   : encoding.codes == CodeKind::BF16 ? test::kInfBits >> 16
                                                                      : test::kHalfInfBits;
        const std::size_t bytes = encoding.codes == CodeKind::F32 ? 4 : 2;
        const std::size_t last = 2 * stride - encoding.block_bytes;  // of the second row
        for (int h = 0; h < std::max(1, encoding.n_halves()); ++h) {
            std::vector<std::byte> rows = fine;
            const bool quantised = !is_float(encoding.codes);
            const bool power = encoding.scales == ScaleKind::Power;
            if (power) {
                rows[last + encoding.shape.scales] = std::byte{253};
            } else if (encoding.packing == Packing::Ternary16) {
                for (const std::size_t quarter : {49U, 51U, 53U, 55U}) {
                    rows[last + quarter] &= std::byte{0x0F};
                }
                rows[last + 53] |= std::byte{0xC0};
                rows[last + 55] |= std::byte{0x70};
            } else {
                std::memcpy(rows.data() + last + (quantised ? encoding.shape.halves[h] : 0), &bits,
                            bytes);
            }
            QVERIFY(!rows_are_finite(encoding.type, rows.data(), kRows, stride, kCols));
            const std::string at = std::to_string(kCols / encoding.block_values - 1);
            QCOMPARE(
                rows_not_finite("w", encoding.type, rows.data(), kRows, stride, kCols, 10).message,
                quantised ? "w: the scale of row 11, block " + at + " is Inf"
                          : "w: value " + at + " of row 11 is Inf");
        }
    }
};

QTEST_APPLESS_MAIN(FiniteTest)
#include "finite_test.moc"
