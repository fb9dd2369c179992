// Rows as files store them, in both ways and of every type.
#include "model/stored_rows.h"

#include <QtTest>
#include <cstring>
#include <random>

#include "gguf/convert_neuron_row.h"
#include "gguf/encoding.h"

using namespace hearth;

namespace {

constexpr std::uint64_t kRows = 4;

struct Stored {
    Stored(DType type, bool in_neuron_rows) {
        tensor.name = "w";
        weight.tensor = &tensor;
        weight.type = type;
        weight.rows = kRows;
        weight.cols = encoding_of(type).block_values > 64 ? 512 : 192;  // of 32: no whole groups
        weight.in_neuron_rows = in_neuron_rows;
        weight.stride = stored_row_bytes(weight) + 24;
        std::mt19937 random(1);
        std::vector<float> values(weight.cols);
        for (std::uint64_t r = 0; r < kRows; ++r) {
            for (float& value : values) {
                value = static_cast<float>(random() % 1000) / 500 - 1;
            }
            std::vector<std::byte>& row = file_rows.emplace_back(weight.row_size());
            quantize_row(type, values, row.data());
            // What lies between stored rows is nobody's.
            bytes.resize((r + 1) * weight.stride, std::byte{0xFF});
            std::byte* place = bytes.data() + r * weight.stride;
            if (in_neuron_rows) {
                to_neuron_row(type, row.data(), static_cast<int>(weight.cols), place);
            } else {
                std::memcpy(place, row.data(), row.size());
            }
        }
    }
    Result<void> check() const {
        return check_finite(weight, bytes.data(), kRows, weight.stride,
                            [](std::uint64_t i) { return 10 * i; });
    }

    TensorInfo tensor;
    Weight weight;
    std::vector<std::vector<std::byte>> file_rows;
    std::vector<std::byte> bytes;
};

}  // namespace

class StoredRowsTest : public QObject {
    Q_OBJECT

private:
    void every_form() {
        QTest::addColumn<DType>("type");
        QTest::addColumn<bool>("in_neuron_rows");
        for (const Encoding& encoding : encodings()) {
            const char* name = dtype_info(encoding.type).name.data();
            QTest::addRow("%s", name) << encoding.type << false;
            if (encoding.has(Layout::NeuronRow)) {
                QTest::addRow("%s as neuron rows", name) << encoding.type << true;
            }
        }
    }

private slots:
    void give_back_the_files_rows_data() { every_form(); }
    void give_back_the_files_rows() {
        QFETCH(DType, type);
        QFETCH(bool, in_neuron_rows);
        const Stored stored(type, in_neuron_rows);
        std::vector<std::byte> room(stored.weight.row_size());
        for (std::uint64_t r = 0; r < kRows; ++r) {
            const std::byte* place = stored.bytes.data() + r * stored.weight.stride;
            const std::byte* row = file_row(stored.weight, place, room.data());
            QCOMPARE(row == place, !in_neuron_rows);
            QVERIFY(std::memcmp(row, stored.file_rows[r].data(), room.size()) == 0);
        }
    }

    // Each number that may be Inf or NaN, one at a time.
    void find_what_is_no_number_data() { every_form(); }
    void find_what_is_no_number() {
        QFETCH(DType, type);
        QFETCH(bool, in_neuron_rows);
        Stored stored(type, in_neuron_rows);
        QVERIFY(stored.check());
        const Encoding& encoding = encoding_of(type);
        const auto cols = static_cast<int>(stored.weight.cols);
        const int held = in_neuron_rows ? neuron_row_cols(cols) : cols;
        if (encoding.packing == Packing::Ternary16) {
            return;  // its half lies in four places: gguf/finite_test.cpp
        }
        const int halves = std::max(1, encoding.n_halves());
        const int blocks = held / encoding.block_values;
        for (int which = 0; which < halves * blocks; ++which) {
            const int block = which % blocks;
            std::size_t at = 0;
            if (is_float(encoding.codes)) {
                at = static_cast<std::size_t>(block) * encoding.block_bytes;
            } else if (encoding.scales == ScaleKind::Power) {
                at = in_neuron_rows
                         ? row_code_bytes(encoding.codes, held) + static_cast<std::size_t>(which)
                         : static_cast<std::size_t>(block) * encoding.block_bytes +
                               encoding.shape.scales;
            } else if (in_neuron_rows) {
                at = row_code_bytes(encoding.codes, held) + row_byte_scales(encoding.scales, held) +
                     2 * static_cast<std::size_t>(which);
            } else {
                at = static_cast<std::size_t>(block) * encoding.block_bytes +
                     encoding.shape.halves[which / blocks];
            }
            std::byte* place = stored.bytes.data() + 2 * stored.weight.stride + at;
            std::byte before[4];
            std::memcpy(before, place, sizeof before);
            const std::uint32_t inf = encoding.codes == CodeKind::F32    ? 0x7F800000
                                      : encoding.codes == CodeKind::BF16 ? 0x7F80
                                                                         : 0x7C00;
            if (encoding.scales == ScaleKind::Power) {
                *place = std::byte{253};
            } else {
                std::memcpy(place, &inf, encoding.codes == CodeKind::F32 ? 4 : 2);
            }
            const auto found = stored.check();
            QVERIFY2(!found, qPrintable(QString::number(which)));
            const std::string number = std::to_string(block);
            // A file subtracts what a neuron row adds.
            const bool turned =
                in_neuron_rows && encoding.scales == ScaleKind::SixMin && which >= blocks;
            const std::string name = turned ? "-Inf" : "Inf";
            QCOMPARE(found.error().message,
                     "w: " + (is_float(encoding.codes)
                                  ? "value " + number + " of row 20 is Inf"
                                  : "the scale of row 20, block " + number + " is " + name));
            std::memcpy(place, before, sizeof before);
        }
        QVERIFY(stored.check());
    }
};

QTEST_APPLESS_MAIN(StoredRowsTest)
#include "stored_rows_test.moc"
