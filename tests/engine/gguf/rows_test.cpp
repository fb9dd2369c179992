#include "gguf/rows.h"

#include <QtTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "base/half.h"
#include "gguf/blocks.h"
#include "gguf/encoding.h"

using namespace hearth;

namespace {

std::vector<float> normal_values(std::size_t count, float sigma, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0.0F, sigma);
    std::vector<float> values(count);
    std::generate(values.begin(), values.end(), [&] { return normal(random); });
    return values;
}

std::vector<std::byte> quantized(DType type, const std::vector<float>& values) {
    std::vector<std::byte> row(static_cast<std::size_t>(row_bytes(type, values.size())));
    quantize_row(type, values, row.data());
    return row;
}

std::vector<float> dequantized(DType type, const std::vector<std::byte>& row, std::size_t count) {
    std::vector<float> values(count);
    dequantize_row(type, row.data(), values);
    return values;
}

std::vector<float> round_trip(DType type, const std::vector<float>& values) {
    return dequantized(type, quantized(type, values), values.size());
}

// The error Q4_0 is to make small.
double weighted_error(const float* x, const float* y) {
    double error = 0;
    for (int i = 0; i < kBlockValues; ++i) {
        const double off = static_cast<double>(x[i]) - static_cast<double>(y[i]);
        error += std::sqrt(std::fabs(static_cast<double>(x[i]))) * off * off;
    }
    return error;
}

double error_with_scale(const float* x, float d) {
    float y[kBlockValues];
    for (int i = 0; i < kBlockValues; ++i) {
        y[i] = d == 0.0F ? 0.0F : d * std::clamp(std::nearbyint(x[i] / d), -8.0F, 7.0F);
    }
    return weighted_error(x, y);
}

// The least error any scale a half can hold gives: tries all of them that could matter.
double least_error(const float* x) {
    float most = 0;
    for (int i = 0; i < kBlockValues; ++i) {
        most = std::max(most, std::fabs(x[i]));
    }
    double least = std::numeric_limits<double>::infinity();
    const std::uint16_t first = float_to_half(most / 16);
    const std::uint16_t last = float_to_half(most / 4);
    for (std::uint32_t bits = first; bits <= last; ++bits) {
        const float d = half_to_float(static_cast<std::uint16_t>(bits));
        least = std::min({least, error_with_scale(x, d), error_with_scale(x, -d)});
    }
    return least;
}

const std::vector<DType> kComputable = [] {
    std::vector<DType> types;
    for (const Encoding& encoding : encodings()) {
        types.push_back(encoding.type);
    }
    return types;
}();

// How far a zero may be off beside values up to `most`: tables have no entry for it, and codes
// above a minimum seldom meet it.
float zero_error(DType type, float most) {
    const Encoding& encoding = encoding_of(type);
    if (encoding.codes == CodeKind::Packed) {
        return most;  // patterns have what others need
    }
    return code_table(encoding.codes) != nullptr ? most / 100
           : has_minimum(encoding.scales) ? most / static_cast<float>(most_unpacked(encoding.codes))
                                          : 0.0F;
}

}  // namespace

class RowsTest : public QObject {
    Q_OBJECT

private slots:
    void row_sizes() {
        QCOMPARE(row_bytes(DType::F32, 7), std::uint64_t{28});
        QCOMPARE(row_bytes(DType::BF16, 7), std::uint64_t{14});
        QCOMPARE(row_bytes(DType::Q4_0, 64), std::uint64_t{36});
        QCOMPARE(row_bytes(DType::Q8_0, 64), std::uint64_t{68});
        QCOMPARE(row_bytes(DType::Q6_K, 512), std::uint64_t{420});
    }

    void reads_q4_0_as_specified() {
        BlockQ4_0 block{};
        block.d = float_to_half(0.5F);
        for (int i = 0; i < 16; ++i) {
            block.qs[i] = static_cast<std::uint8_t>(i | ((15 - i) << 4));
        }
        std::vector<std::byte> row(sizeof block);
        std::memcpy(row.data(), &block, sizeof block);
        const auto values = dequantized(DType::Q4_0, row, 32);
        for (int i = 0; i < 16; ++i) {
            QCOMPARE(values[static_cast<std::size_t>(i)], 0.5F * static_cast<float>(i - 8));
            QCOMPARE(values[static_cast<std::size_t>(i + 16)], 0.5F * static_cast<float>(7 - i));
        }
    }

    void reads_q8_0_as_specified() {
        BlockQ8_0 block{};
        block.d = float_to_half(-0.25F);
        for (int i = 0; i < 32; ++i) {
            block.qs[i] = static_cast<std::int8_t>(i * 8 - 128);
        }
        std::vector<std::byte> row(sizeof block);
        std::memcpy(row.data(), &block, sizeof block);
        const auto values = dequantized(DType::Q8_0, row, 32);
        for (int i = 0; i < 32; ++i) {
            QCOMPARE(values[static_cast<std::size_t>(i)], -0.25F * static_cast<float>(i * 8 - 128));
        }
    }

    void reads_q5_0_as_specified() {
        // Value i is d * (code - 16); the code's fifth bit is bit i of a 32-bit number.
        std::vector<std::byte> row;
        const auto put = [&](unsigned byte) { row.push_back(static_cast<std::byte>(byte)); };
        const auto code = [](unsigned i) { return (i * 7 + 3) % 32; };
        const std::uint16_t d = float_to_half(-0.5F);
        put(d & 255U);
        put(static_cast<unsigned>(d >> 8));
        std::uint32_t fifth = 0;
        for (unsigned i = 0; i < 32; ++i) {
            fifth |= code(i) / 16 << i;
        }
        for (unsigned i = 0; i < 4; ++i) {
            put(fifth >> 8 * i & 255U);
        }
        for (unsigned i = 0; i < 16; ++i) {
            put(code(i) % 16 | code(i + 16) % 16 << 4);
        }
        const auto values = dequantized(DType::Q5_0, row, 32);
        for (unsigned i = 0; i < 32; ++i) {
            QCOMPARE(values[i], -0.5F * (static_cast<float>(code(i)) - 16.0F));
        }
    }

    void reads_q6_k_as_specified() {
        // Each half of the 256 in runs of 32: low nibbles of the first two runs, then of the last
        // two, in the halves of 64 bytes; the four runs' high pairs in 32 bytes.
        const auto code = [](unsigned i) { return (i * 29 + i / 64 + 5) % 64; };
        const auto scale = [](unsigned i) { return static_cast<int>(i * 17 % 256) - 128; };
        std::vector<unsigned> bytes;
        for (unsigned h = 0; h < 256; h += 128) {
            for (unsigned l = 0; l < 64; ++l) {
                bytes.push_back(code(h + l) % 16 | code(h + 64 + l) % 16 << 4);
            }
        }
        for (unsigned h = 0; h < 256; h += 128) {
            for (unsigned l = 0; l < 32; ++l) {
                bytes.push_back(code(h + l) / 16 | code(h + 32 + l) / 16 << 2 |
                                code(h + 64 + l) / 16 << 4 | code(h + 96 + l) / 16 << 6);
            }
        }
        for (unsigned i = 0; i < 16; ++i) {
            bytes.push_back(static_cast<unsigned>(scale(i)) & 255U);
        }
        const std::uint16_t d = float_to_half(0.25F);
        bytes.push_back(d & 255U);
        bytes.push_back(static_cast<unsigned>(d >> 8));
        std::vector<std::byte> row;
        for (const unsigned byte : bytes) {
            row.push_back(static_cast<std::byte>(byte));
        }
        const auto values = dequantized(DType::Q6_K, row, 256);
        for (unsigned i = 0; i < 256; ++i) {
            QCOMPARE(values[i],
                     0.25F * static_cast<float>(scale(i / 16) * (static_cast<int>(code(i)) - 32)));
        }
    }

    void q5_0_and_q6_k_are_within_a_step() {
        for (const float sigma : {1e-2F, 1.0F, 1000.0F}) {
            const auto values = normal_values(256 * 20, sigma, 2);
            for (const auto& [type, run, codes] :
                 {std::tuple{DType::Q5_0, 32U, 16.0F}, {DType::Q6_K, 16U, 32.0F}}) {
                const auto back = round_trip(type, values);
                for (std::size_t first = 0; first < values.size(); first += run) {
                    float most = 0;
                    for (std::size_t i = first; i < first + run; ++i) {
                        most = std::max(most, std::fabs(values[i]));
                    }
                    // Half a step, a whole one for the code that is missing on one side; Q6_K's
                    // steps are rounded themselves.
                    const float bound = most / codes * (type == DType::Q5_0 ? 1.01F : 1.3F);
                    for (std::size_t i = first; i < first + run; ++i) {
                        QVERIFY(std::fabs(values[i] - back[i]) <= bound);
                    }
                }
            }
        }
    }

    void f32_is_kept_and_halves_are_rounded() {
        const auto values = normal_values(1000, 3.0F, 1);
        QCOMPARE(round_trip(DType::F32, values), values);
        const auto halves = round_trip(DType::F16, values);
        const auto bfloats = round_trip(DType::BF16, values);
        for (std::size_t i = 0; i < values.size(); ++i) {
            QCOMPARE(halves[i], half_to_float(float_to_half(values[i])));
            QCOMPARE(bfloats[i], bfloat16_to_float(float_to_bfloat16(values[i])));
            QVERIFY(std::fabs(bfloats[i] - values[i]) <= std::fabs(values[i]) / 256);
        }
    }

    void q8_0_is_within_half_a_step() {
        for (const float sigma : {1e-3F, 0.05F, 1.0F, 1000.0F}) {
            const auto values = normal_values(32 * 200, sigma, 2);
            const auto back = round_trip(DType::Q8_0, values);
            for (std::size_t block = 0; block < values.size(); block += 32) {
                float most = 0;
                for (std::size_t i = block; i < block + 32; ++i) {
                    most = std::max(most, std::fabs(values[i]));
                }
                // Half a step, and what rounding the step to a half can add at its 127th multiple.
                const float bound = most / 127 * 0.5F * 1.002F + most * 0x1p-11F;
                for (std::size_t i = block; i < block + 32; ++i) {
                    QVERIFY(std::fabs(values[i] - back[i]) <= bound);
                }
            }
        }
    }

    void quantising_again_changes_nothing() {
        for (const DType type : {DType::F16, DType::BF16, DType::Q8_0}) {
            const auto once = round_trip(type, normal_values(3200, 0.1F, 3));
            const auto twice = round_trip(type, once);
            for (std::size_t i = 0; i < once.size(); ++i) {
                QVERIFY(std::fabs(once[i] - twice[i]) <= std::fabs(once[i]) * 1e-3F);
            }
        }
    }

    void q4_0_comes_close_to_the_best_scale_there_is_data() {
        QTest::addColumn<std::vector<float>>("values");
        const std::size_t count = std::size_t{32} * 60;
        QTest::newRow("normal") << normal_values(count, 0.02F, 4);
        QTest::newRow("large") << normal_values(count, 5000.0F, 5);
        auto heavy = normal_values(count, 0.1F, 6);
        for (float& value : heavy) {
            value = value * value * value;
        }
        QTest::newRow("heavy tails") << heavy;
        auto positive = normal_values(count, 1.0F, 7);
        for (float& value : positive) {
            value = std::fabs(value);
        }
        QTest::newRow("positive") << positive;
        auto negative = positive;
        for (float& value : negative) {
            value = -value;
        }
        QTest::newRow("negative") << negative;
        std::vector<float> uniform(count);
        for (std::size_t i = 0; i < count; ++i) {
            uniform[i] = static_cast<float>((i * 2654435761U) % 1000) / 500.0F - 1.0F;
        }
        QTest::newRow("uniform") << uniform;
        // Codes -8 to 7, and an extreme a little beyond 8: it belongs on the side of 7.
        std::vector<float> steps(count);
        for (std::size_t i = 0; i < count; ++i) {
            steps[i] = static_cast<float>((i * 2654435761U) % 1000 % 16) - 8.0F;
        }
        for (std::size_t block = 0; block < count; block += 32) {
            steps[block] = 8.05F;
            steps[block + 1] = -8.0F;
        }
        QTest::newRow("an extreme on the short side") << steps;
    }
    void q4_0_comes_close_to_the_best_scale_there_is() {
        QFETCH(std::vector<float>, values);
        const auto back = round_trip(DType::Q4_0, values);
        double found = 0;
        double best = 0;
        double plain = 0;
        for (std::size_t block = 0; block < values.size(); block += 32) {
            const float* x = values.data() + block;
            found += weighted_error(x, back.data() + block);
            best += least_error(x);
            float extreme = 0;
            for (int i = 0; i < 32; ++i) {
                extreme = std::fabs(x[i]) > std::fabs(extreme) ? x[i] : extreme;
            }
            plain += error_with_scale(x, half_to_float(float_to_half(extreme / -8.0F)));
        }
        QVERIFY2(found <= best * 1.005, qPrintable(QString("%1 of the best").arg(found / best)));
        QVERIFY2(found < plain, qPrintable(QString("%1 of plain").arg(found / plain)));
        qInfo("error %.4f of the best scale's, %.4f of the plain scale's", found / best,
              found / plain);
    }

    // Scale and codes fit each other: the best scale for a block's codes, and the codes nearest to
    // that, are hardly ever better than what is stored.
    void q4_0_is_refined_until_nothing_is_gained() {
        const std::size_t n_blocks = 2000;
        const auto values = normal_values(32 * n_blocks, 0.02F, 10);
        const auto back = round_trip(DType::Q4_0, values);
        const auto row = quantized(DType::Q4_0, values);
        int better = 0;
        for (std::size_t b = 0; b < n_blocks; ++b) {
            const float* x = &values[32 * b];
            BlockQ4_0 block;
            std::memcpy(&block, &row[b * sizeof block], sizeof block);
            const double d = static_cast<double>(half_to_float(block.d));
            double xq = 0;
            double qq = 0;
            for (std::size_t i = 0; i < 32; ++i) {
                const double value = static_cast<double>(x[i]);
                const double q = static_cast<double>(back[32 * b + i]) / d;
                const double weight = std::sqrt(std::fabs(value));
                xq += weight * value * q;
                qq += weight * q * q;
            }
            const float best = half_to_float(float_to_half(static_cast<float>(xq / qq)));
            const double error = weighted_error(x, &back[32 * b]);
            better += error_with_scale(x, best) < error * (1 - 1e-4) ? 1 : 0;
        }
        qInfo("%d of %d blocks could be better", better, static_cast<int>(n_blocks));
        QVERIFY2(better * 200 < static_cast<int>(n_blocks), qPrintable(QString::number(better)));
    }

    void q4_0_keeps_what_it_can_hold_exactly() {
        // All sixteen codes with a scale that a half holds.
        std::vector<float> values(32);
        for (int i = 0; i < 32; ++i) {
            values[static_cast<std::size_t>(i)] = 0.125F * static_cast<float>(i % 16 - 8);
        }
        QCOMPARE(round_trip(DType::Q4_0, values), values);
        for (float& value : values) {
            value = -value;
        }
        QCOMPARE(round_trip(DType::Q4_0, values), values);
    }

    // A table's ends lie at different distances from zero: either may be the extreme.
    void entries_of_a_table_are_exact() {
        for (const Encoding& encoding : encodings()) {
            const std::int8_t* table = code_table(encoding.codes);
            for (const int first : {0, 1}) {
                // Scales of six bits reach 31.
                const float size = encoding.scales == ScaleKind::Six ? 31.0F / 256 : 0.125F;
                for (const float d : {size, -size}) {
                    std::vector<float> values(table == nullptr ? 0 : 256);
                    for (std::size_t i = 0; i < values.size(); ++i) {
                        values[i] = d * static_cast<float>(table[first + static_cast<int>(i % 15)]);
                    }
                    QCOMPARE(round_trip(encoding.type, values), values);
                }
            }
        }
    }

    void odd_blocks_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<float>("fill");
        for (const DType type : kComputable) {
            const std::string name(dtype_info(type).name);
            for (const float fill : {0.0F, -0.0F, 1.0F, -1.0F, 1e-30F, 1e-7F, 6e-8F, 3e38F, -3e38F,
                                     1e5F, std::numeric_limits<float>::denorm_min()}) {
                QTest::addRow("%s/%g", name.c_str(), static_cast<double>(fill))
                    << static_cast<int>(type) << fill;
            }
        }
    }
    // Whatever comes in, what comes out is finite and no larger than what came in.
    void odd_blocks() {
        QFETCH(int, type);
        QFETCH(float, fill);
        std::vector<float> values(512, fill);
        values[1] = 0.0F;
        values[40] = -fill;
        const auto back = round_trip(static_cast<DType>(type), values);
        const bool packed = encoding_of(static_cast<DType>(type)).codes == CodeKind::Packed;
        const float slack = zero_error(static_cast<DType>(type), std::fabs(fill));
        for (std::size_t i = 0; i < back.size(); ++i) {
            QVERIFY(std::isfinite(back[i]));
            QVERIFY(std::fabs(back[i]) <= std::fabs(values[i]) * 1.15F + (packed ? slack : 0.0F) +
                                              1e-7F + (values[i] == 0.0F ? slack : 0.0F));
        }
    }

    void values_that_are_not_finite_become_zero() {
        const float infinity = std::numeric_limits<float>::infinity();
        const float nan = std::numeric_limits<float>::quiet_NaN();
        for (const DType type : kComputable) {
            std::vector<float> values(256, 0.5F);
            values[3] = nan;
            values[4] = infinity;
            values[5] = -infinity;
            const auto back = round_trip(type, values);
            for (const std::size_t i : {3U, 4U, 5U}) {
                QVERIFY(std::fabs(back[i]) <= zero_error(type, 0.5F));
            }
            const bool packed = encoding_of(type).codes == CodeKind::Packed;
            QVERIFY(std::fabs(back[6] - 0.5F) < (packed ? 0.3F : 0.01F));
            const auto all = round_trip(type, std::vector<float>(256, nan));
            QCOMPARE(all, std::vector<float>(256, 0.0F));
        }
    }

    void halves_that_are_too_large_saturate() {
        const auto halves = round_trip(DType::F16, {1e6F, -1e6F, 65519.0F});
        QCOMPARE(halves, (std::vector<float>{65504.0F, -65504.0F, 65504.0F}));
        const float most = std::numeric_limits<float>::max();
        QVERIFY(std::isfinite(round_trip(DType::BF16, {most})[0]));
    }

    // The span between them overflows a float.
    void a_least_and_a_greatest_value_far_apart() {
        for (const DType type : kComputable) {
            std::vector<float> values(has_minimum(encoding_of(type).scales) ? 256 : 0);
            for (std::size_t i = 0; i < values.size(); ++i) {
                values[i] = i % 2 == 0 ? 3e38F : -3e38F;
            }
            const auto back = round_trip(type, values);
            for (std::size_t i = 0; i < back.size(); ++i) {
                QVERIFY(back[i] * values[i] > 0);
            }
        }
    }

    void rows_need_no_alignment_and_may_be_empty() {
        const auto values = normal_values(256, 1.0F, 8);
        for (const DType type : kComputable) {
            const auto row = quantized(type, values);
            std::vector<std::byte> shifted(row.size() + 1);
            quantize_row(type, values, shifted.data() + 1);
            QVERIFY(std::equal(row.begin(), row.end(), shifted.begin() + 1));
            std::vector<float> back(256);
            dequantize_row(type, shifted.data() + 1, back);
            QCOMPARE(back, dequantized(type, row, 256));
            quantize_row(type, {}, nullptr);
            dequantize_row(type, nullptr, {});
        }
    }

    void the_same_from_any_thread() {
        const auto values = normal_values(32 * 100, 1.0F, 9);
        const auto wanted = quantized(DType::Q4_0, values);
        std::vector<std::vector<std::byte>> results(4);
        std::vector<std::thread> threads;
        for (auto& result : results) {
            threads.emplace_back([&] { result = quantized(DType::Q4_0, values); });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        for (const auto& result : results) {
            QVERIFY(result == wanted);
        }
    }
};

QTEST_APPLESS_MAIN(RowsTest)
#include "rows_test.moc"
