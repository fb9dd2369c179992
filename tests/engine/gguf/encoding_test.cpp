#include "gguf/encoding.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "base/half.h"
#include "gguf/grids.h"
#include "gguf/recipes.h"
#include "gguf/row_piece.h"
#include "gguf/rows.h"

using namespace hearth;

namespace {

using Bytes = std::vector<std::byte>;

unsigned byte_at(const std::byte* block, std::size_t i) {
    return static_cast<unsigned>(block[i]);
}

float half_at(const std::byte* block, std::size_t i) {
    return half_to_float(
        static_cast<std::uint16_t>(byte_at(block, i) | byte_at(block, i + 1) << 8));
}

float bits_at(const std::byte* block, unsigned shift) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, block, shift == 0 ? 4 : 2);
    bits <<= shift;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// Scale and minimum of run `run` of a block of Q4_K or Q5_K.
std::pair<float, float> six_bit_pair(const std::byte* block, std::size_t run) {
    if (run < 4) {
        return {static_cast<float>(byte_at(block, 4 + run) % 64),
                static_cast<float>(byte_at(block, 8 + run) % 64)};
    }
    const unsigned both = byte_at(block, 8 + run);
    return {static_cast<float>(both % 16 + byte_at(block, run) / 64 * 16),
            static_cast<float>(both / 16 + byte_at(block, 4 + run) / 64 * 16)};
}

std::uint32_t word_at(const std::byte* block, std::size_t i) {
    std::uint32_t word;
    std::memcpy(&word, block + i, sizeof word);
    return word;
}

// The patterns that blocks name, two a word: gguf/grids.h.
const std::vector<std::uint32_t> kEights256{HEARTH_GRID_EIGHTS_256};
const std::vector<std::uint32_t> kEights512{HEARTH_GRID_EIGHTS_512};
const std::vector<std::uint32_t> kEights1024{HEARTH_GRID_EIGHTS_1024};
const std::vector<std::uint32_t> kFours256{HEARTH_GRID_FOURS_256};
const std::vector<std::uint32_t> kFours512{HEARTH_GRID_FOURS_512};
const std::vector<std::uint32_t> kTernary{HEARTH_GRID_TERNARY};

unsigned digit_of(const std::vector<std::uint32_t>& grid, std::size_t pattern, std::size_t value,
                  unsigned bits) {
    const unsigned packed = grid[pattern / 2] >> (pattern % 2 == 0 ? 0 : 16) & 0xFFFF;
    return packed >> bits * value & ((1U << bits) - 1);
}
float eight_of(const std::vector<std::uint32_t>& grid, std::size_t pattern, std::size_t value) {
    static constexpr float kNumbers[] = {8, 25, 43, 0};
    return kNumbers[digit_of(grid, pattern, value, 2)];
}
// Seven signs are stored; the eighth makes their number even.
float seventh_sign(unsigned signs, std::size_t value) {
    unsigned sum = 0;
    for (std::size_t i = 0; i < 7; ++i) {
        sum += signs >> i & 1;
    }
    const bool minus = value < 7 ? (signs >> value & 1) != 0 : sum % 2 == 1;
    return minus ? -1.0F : 1.0F;
}

// Value i of a block as the GGUF specification puts it, type by type and nothing shared between
// them or with the engine.
using ValueAt = std::function<float(const std::byte* block, std::size_t i)>;
const std::map<DType, ValueAt> kSpecified{
    {DType::F32, [](const std::byte* block, std::size_t) { return bits_at(block, 0); }},
    {DType::F16, [](const std::byte* block, std::size_t) { return half_at(block, 0); }},
    {DType::BF16, [](const std::byte* block, std::size_t) { return bits_at(block, 16); }},
    {DType::Q8_0,
     [](const std::byte* block, std::size_t i) {
         const int q = static_cast<int>(byte_at(block, 2 + i));
         return half_at(block, 0) * static_cast<float>(q < 128 ? q : q - 256);
     }},
    {DType::Q4_0,
     [](const std::byte* block, std::size_t i) {
         const unsigned both = byte_at(block, 2 + i % 16);
         const int q = static_cast<int>(i < 16 ? both % 16 : both / 16);
         return half_at(block, 0) * static_cast<float>(q - 8);
     }},
    {DType::Q5_0,
     [](const std::byte* block, std::size_t i) {
         std::uint32_t fifth;
         std::memcpy(&fifth, block + 2, 4);
         const unsigned both = byte_at(block, 6 + i % 16);
         const int q = static_cast<int>(i < 16 ? both % 16 : both / 16);
         return half_at(block, 0) * static_cast<float>(q - ((fifth >> i) % 2 == 1 ? 0 : 16));
     }},
    {DType::IQ4_NL,
     [](const std::byte* block, std::size_t i) {
         static constexpr int kNumbers[] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                            1,    13,   25,  38,  53,  69,  89,  113};
         const unsigned both = byte_at(block, 2 + i % 16);
         return half_at(block, 0) * static_cast<float>(kNumbers[i < 16 ? both % 16 : both / 16]);
     }},
    {DType::Q4_1,
     [](const std::byte* block, std::size_t i) {
         const unsigned both = byte_at(block, 4 + i % 16);
         const unsigned q = i < 16 ? both % 16 : both / 16;
         return half_at(block, 0) * static_cast<float>(q) + half_at(block, 2);
     }},
    {DType::Q5_1,
     [](const std::byte* block, std::size_t i) {
         std::uint32_t fifth;
         std::memcpy(&fifth, block + 4, 4);
         const unsigned both = byte_at(block, 8 + i % 16);
         const unsigned q = (i < 16 ? both % 16 : both / 16) + ((fifth >> i) % 2 == 1 ? 16 : 0);
         return half_at(block, 0) * static_cast<float>(q) + half_at(block, 2);
     }},
    {DType::Q6_K,
     [](const std::byte* block, std::size_t i) {
         const std::size_t half = i / 128;
         const std::size_t run = i / 32 % 4;  // of 32 values, four of them in a half
         const std::size_t l = i % 32;
         const unsigned both = byte_at(block, half * 64 + (run == 1 || run == 3 ? 32 : 0) + l);
         const unsigned low = run < 2 ? both % 16 : both / 16;
         const unsigned high = byte_at(block, 128 + half * 32 + l) / (1U << 2 * run) % 4;
         const int scale = static_cast<int>(byte_at(block, 192 + i / 16));
         return half_at(block, 208) * static_cast<float>((scale < 128 ? scale : scale - 256) *
                                                         static_cast<int>(low + 16 * high - 32));
     }},
    {DType::Q4_K,
     [](const std::byte* block, std::size_t i) {
         const auto [scale, minimum] = six_bit_pair(block, i / 32);
         const unsigned both = byte_at(block, 16 + i / 64 * 32 + i % 32);
         return half_at(block, 0) * scale *
                    static_cast<float>(i % 64 < 32 ? both % 16 : both / 16) -
                half_at(block, 2) * minimum;
     }},
    {DType::Q5_K,
     [](const std::byte* block, std::size_t i) {
         const auto [scale, minimum] = six_bit_pair(block, i / 32);
         const unsigned both = byte_at(block, 48 + i / 64 * 32 + i % 32);
         const unsigned fifth = byte_at(block, 16 + i % 32) >> i / 32 & 1;
         const unsigned q = (i % 64 < 32 ? both % 16 : both / 16) + 16 * fifth;
         return half_at(block, 0) * scale * static_cast<float>(q) - half_at(block, 2) * minimum;
     }},
    {DType::IQ4_XS,
     [](const std::byte* block, std::size_t i) {
         static constexpr int kNumbers[] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                            1,    13,   25,  38,  53,  69,  89,  113};
         const std::size_t run = i / 32;
         const unsigned low = byte_at(block, 4 + run / 2) >> (run % 2 == 0 ? 0 : 4) & 15;
         const unsigned high = byte_at(block, 2 + run / 4) >> 2 * (run % 4) & 3;
         const unsigned both = byte_at(block, 8 + run * 16 + i % 16);
         return half_at(block, 0) * (static_cast<float>(low + 16 * high) - 32) *
                static_cast<float>(kNumbers[i % 32 < 16 ? both % 16 : both / 16]);
     }},
    {DType::MXFP4,
     [](const std::byte* block, std::size_t i) {
         static constexpr float kNumbers[] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
         const unsigned both = byte_at(block, 1 + i % 16);
         const unsigned q = i < 16 ? both % 16 : both / 16;
         return std::ldexp(q < 8 ? kNumbers[q] : -kNumbers[q - 8],
                           static_cast<int>(byte_at(block, 0)) - 127);
     }},
    {DType::Q2_K,
     [](const std::byte* block, std::size_t i) {
         const unsigned both = byte_at(block, i / 16);
         const unsigned q = byte_at(block, 16 + i / 128 * 32 + i % 32) >> 2 * (i / 32 % 4) & 3;
         return half_at(block, 80) * static_cast<float>(both % 16 * q) -
                half_at(block, 82) * static_cast<float>(both / 16);
     }},
    {DType::Q3_K,
     [](const std::byte* block, std::size_t i) {
         const std::size_t run = i / 16;
         const unsigned low = byte_at(block, 96 + run % 8) >> (run < 8 ? 0 : 4) & 15;
         const unsigned high = byte_at(block, 104 + run % 4) >> 2 * (run / 4) & 3;
         const unsigned q = byte_at(block, 32 + i / 128 * 32 + i % 32) >> 2 * (i / 32 % 4) & 3;
         const bool third = (byte_at(block, i % 32) >> i / 32 & 1) != 0;
         return half_at(block, 108) * (static_cast<float>(low + 16 * high) - 32) *
                (static_cast<float>(q) - (third ? 0 : 4));
     }},
    {DType::IQ2_XXS,
     [](const std::byte* block, std::size_t i) {
         const std::byte* run = block + 2 + i / 32 * 8;
         const std::uint32_t signs = word_at(run, 4);
         return half_at(block, 0) * (0.5F + static_cast<float>(signs >> 28)) * 0.25F *
                eight_of(kEights256, byte_at(run, i % 32 / 8), i % 8) *
                seventh_sign(signs >> 7 * (i % 32 / 8) & 127, i % 8);
     }},
    {DType::IQ2_XS,
     [](const std::byte* block, std::size_t i) {
         const unsigned both = byte_at(block, 2 + i / 8 * 2) | byte_at(block, 3 + i / 8 * 2) << 8;
         const unsigned level = byte_at(block, 66 + i / 32) >> (i % 32 < 16 ? 0 : 4) & 15;
         return half_at(block, 0) * (0.5F + static_cast<float>(level)) * 0.25F *
                eight_of(kEights512, both % 512, i % 8) * seventh_sign(both / 512, i % 8);
     }},
    {DType::IQ2_S,
     [](const std::byte* block, std::size_t i) {
         const unsigned high = byte_at(block, 66 + i / 32) >> 2 * (i / 8 % 4) & 3;
         const unsigned level = byte_at(block, 74 + i / 32) >> (i % 32 < 16 ? 0 : 4) & 15;
         const bool minus = (byte_at(block, 34 + i / 8) >> i % 8 & 1) != 0;
         return half_at(block, 0) * (0.5F + static_cast<float>(level)) * 0.25F *
                eight_of(kEights1024, byte_at(block, 2 + i / 8) + 256 * high, i % 8) *
                (minus ? -1.0F : 1.0F);
     }},
    {DType::IQ3_XXS,
     [](const std::byte* block, std::size_t i) {
         const std::uint32_t signs = word_at(block, 66 + i / 32 * 4);
         const unsigned digit = digit_of(kFours256, byte_at(block, 2 + i / 4), i % 4, 3);
         return half_at(block, 0) * (0.5F + static_cast<float>(signs >> 28)) * 0.5F *
                (digit == 7 ? 62.0F : 4.0F + 8.0F * static_cast<float>(digit)) *
                seventh_sign(signs >> 7 * (i % 32 / 8) & 127, i % 8);
     }},
    {DType::IQ3_S,
     [](const std::byte* block, std::size_t i) {
         const unsigned ninth = byte_at(block, 66 + i / 32) >> i / 4 % 8 & 1;
         const unsigned digit =
             digit_of(kFours512, byte_at(block, 2 + i / 4) + 256 * ninth, i % 4, 3);
         const unsigned level = byte_at(block, 106 + i / 64) >> (i % 64 < 32 ? 0 : 4) & 15;
         const bool minus = (byte_at(block, 74 + i / 8) >> i % 8 & 1) != 0;
         return half_at(block, 0) * static_cast<float>(1 + 2 * level) *
                static_cast<float>(1 + 2 * digit) * (minus ? -1.0F : 1.0F);
     }},
    {DType::IQ1_S,
     [](const std::byte* block, std::size_t i) {
         const unsigned more = byte_at(block, 34 + i / 32 * 2) | byte_at(block, 35 + i / 32 * 2)
                                                                     << 8;
         const unsigned high = more >> 3 * (i / 8 % 4) & 7;
         const unsigned digit =
             digit_of(kTernary, byte_at(block, 2 + i / 8) + 256 * high, i % 8, 2);
         return half_at(block, 0) * static_cast<float>(2 * (more >> 12 & 7) + 1) *
                (static_cast<float>(digit) - 1 + (more >= 0x8000 ? -0.125F : 0.125F));
     }},
    {DType::IQ1_M,
     [](const std::byte* block, std::size_t i) {
         unsigned half = 0;
         for (std::size_t k = 0; k < 4; ++k) {
             half += byte_at(block, 49 + 2 * k) / 16 << 4 * k;
         }
         const unsigned levels = byte_at(block, 48 + i / 64 * 2) | byte_at(block, 49 + i / 64 * 2)
                                                                       << 8;
         const unsigned four = byte_at(block, 32 + i / 16) >> (i % 16 < 8 ? 0 : 4) & 15;
         const unsigned digit =
             digit_of(kTernary, byte_at(block, i / 8) + 256 * (four % 8), i % 8, 2);
         return half_to_float(static_cast<std::uint16_t>(half)) *
                static_cast<float>(2 * (levels >> 3 * (i / 16 % 4) & 7) + 1) *
                (static_cast<float>(digit) - 1 + (four >= 8 ? -0.125F : 0.125F));
     }},
};

// Clears a bit of the exponent of each half, or float, of blocks of any bytes.
void keep_finite(const Encoding& encoding, Bytes& bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += encoding.block_bytes) {
        std::byte* block = bytes.data() + at;
        // Floats end with it, blocks have it in their halves.
        if (is_float(encoding.codes)) {
            block[encoding.block_bytes - 1U] &= std::byte{0xBF};
        }
        for (int h = 0; h < encoding.n_halves(); ++h) {
            block[encoding.shape.halves[h] + std::size_t{1}] &= std::byte{0xBF};
        }
        if (encoding.packing == Packing::Ternary16) {
            block[55] &= std::byte{0xBF};  // the last quarter of its half
        }
        if (encoding.scales == ScaleKind::Power) {
            block[encoding.shape.scales] &= std::byte{0xBF};
        }
    }
}

Bytes random_blocks(const Encoding& encoding, std::size_t n_blocks) {
    std::mt19937 random(7);
    Bytes bytes(n_blocks * encoding.block_bytes);
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::byte>(random()); });
    keep_finite(encoding, bytes);
    return bytes;
}

}  // namespace

Q_DECLARE_METATYPE(const hearth::Encoding*)

class EncodingTest : public QObject {
    Q_OBJECT

    static void add_rows(bool floats) {
        QTest::addColumn<const Encoding*>("encoding");
        for (const Encoding& encoding : encodings()) {
            if (floats || (!is_float(encoding.codes) && encoding.codes != CodeKind::Packed)) {
                QTest::addRow("%s", std::string(dtype_info(encoding.type).name).c_str())
                    << &encoding;
            }
        }
    }

private slots:
    void finds_rows() {
        std::set<DType> found;
        for (std::uint32_t number = 0; number < 64; ++number) {
            const DTypeInfo* info = find_dtype(number);
            if (info == nullptr) {
                continue;
            }
            QCOMPARE(is_computable(info->type), kSpecified.count(info->type) == 1);
            if (find_encoding(info->type) != nullptr) {
                QCOMPARE(encoding_of(info->type).type, info->type);
                QVERIFY(found.insert(info->type).second);
            }
        }
        QCOMPARE(found.size(), encodings().size());
        QVERIFY(find_encoding(DType::I32) == nullptr);
    }

    void is_sound_data() { add_rows(true); }
    void is_sound() {
        QFETCH(const Encoding*, encoding);
        const DTypeInfo& info = dtype_info(encoding->type);
        QCOMPARE(std::uint32_t{encoding->block_values}, info.block_values);
        QCOMPARE(std::uint32_t{encoding->block_bytes}, info.block_bytes);
        QVERIFY(encoding->has(Layout::Tile));
        const bool quantised = !is_float(encoding->codes);
        QCOMPARE(encoding->scales != ScaleKind::None, quantised);
        const bool packed = encoding->codes == CodeKind::Packed;
        QCOMPARE(packed, encoding->scales == ScaleKind::Packed);
        QCOMPARE(packed, encoding->packing != Packing::None);
        if (packed) {
            QVERIFY(!encoding->has(Layout::NeuronRow) && !encoding->has(Layout::InputColumn));
            QVERIFY(!encoding->written);
            return;
        }
        QCOMPARE(half_count(encoding->scales) > 0 || encoding->scales == ScaleKind::Power,
                 quantised);
        QCOMPARE(encoding->shape.codes != BlockShape::kNone, quantised);
        QCOMPARE(encoding->shape.scales != BlockShape::kNone,
                 quantised && encoding->scales != ScaleKind::Half &&
                     encoding->scales != ScaleKind::HalfMin);
        QCOMPARE(encoding->shape.high != BlockShape::kNone, high_bits(encoding->codes) > 0);
        // By input a block is 32 values under one scale.
        QVERIFY(!encoding->has(Layout::InputColumn) || encoding->block_values == kBlockValues);
    }

    void decodes_as_specified_data() { add_rows(true); }
    void decodes_as_specified() {
        QFETCH(const Encoding*, encoding);
        const auto specified = kSpecified.find(encoding->type);
        QVERIFY2(specified != kSpecified.end(), "spell the type out above");
        constexpr std::size_t kBlocks = 41;
        const Bytes bytes = random_blocks(*encoding, kBlocks);
        std::vector<float> values(kBlocks * encoding->block_values);
        dequantize_row(encoding->type, bytes.data(), values);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const float wanted =
                specified->second(bytes.data() + i / encoding->block_values * encoding->block_bytes,
                                  i % encoding->block_values);
            // The sign of a zero may be the number's or the scale's.
            const bool zero = values[i] == 0 && wanted == 0;
            QVERIFY2(zero || std::memcmp(&values[i], &wanted, sizeof wanted) == 0,
                     qPrintable(QString("value %1 is %2, specified %3")
                                    .arg(i)
                                    .arg(static_cast<double>(values[i]))
                                    .arg(static_cast<double>(wanted))));
        }
    }

    // llama.cpp b11434 made these floats of 2,048 blocks that a generator gives: every pattern of a
    // list occurs. A hash each.
    void decodes_as_recorded_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<qulonglong>("hash");
        const auto row = [](DType type, std::uint64_t hash) {
            QTest::newRow(dtype_info(type).name.data())
                << static_cast<int>(type) << qulonglong{hash};
        };
        row(DType::Q2_K, 0x673b31f85c2a3288U);
        row(DType::Q3_K, 0x47367cd4f9bef008U);
        row(DType::IQ2_XXS, 0x67cbf2f0faa83c45U);
        row(DType::IQ2_XS, 0x8063b8e5690f8911U);
        row(DType::IQ2_S, 0x5e3cb2b41dd99eb1U);
        row(DType::IQ3_XXS, 0xba0cd948f5a67543U);
        row(DType::IQ3_S, 0x6a0f03545b9cd5e1U);
        row(DType::IQ1_S, 0x457973ae182375a0U);
        row(DType::IQ1_M, 0xfee789784cfa4a9fU);
    }
    void decodes_as_recorded() {
        QFETCH(int, type);
        QFETCH(qulonglong, hash);
        const Encoding& encoding = encoding_of(static_cast<DType>(type));
        constexpr std::size_t kBlocks = 2048;
        Bytes bytes(kBlocks * encoding.block_bytes);
        std::uint32_t random = 1;
        for (std::byte& byte : bytes) {
            random = random * 1664525U + 1013904223U;
            byte = static_cast<std::byte>(random >> 24);
        }
        keep_finite(encoding, bytes);
        std::vector<float> values(kBlocks * kSuperBlockValues);
        dequantize_row(encoding.type, bytes.data(), values);
        std::uint64_t found = 1469598103934665603U;  // FNV-1a
        for (const float value : values) {
            const float one = value == 0 ? 0.0F : value;  // zeros without a sign
            std::uint32_t bits = 0;
            std::memcpy(&bits, &one, sizeof bits);
            for (unsigned shift = 0; shift < 32; shift += 8) {
                found = (found ^ (bits >> shift & 255U)) * 1099511628211U;
            }
        }
        QCOMPARE(qulonglong{found}, hash);
    }

    void put_together_undoes_take_apart_data() { add_rows(false); }
    void put_together_undoes_take_apart() {
        QFETCH(const Encoding*, encoding);
        const auto most = static_cast<std::size_t>(RowPiece::kValues / encoding->block_values);
        for (std::size_t n_blocks = 1; n_blocks <= most; ++n_blocks) {
            const auto n = static_cast<int>(n_blocks * encoding->block_values);
            const Bytes bytes = random_blocks(*encoding, n_blocks);
            RowPiece piece;
            std::memset(&piece, 0xA5, sizeof piece);
            take_apart(*encoding, bytes.data(), n, piece);
            for (int i = n; i < RowPiece::kValues; ++i) {
                QCOMPARE(piece.codes[i], std::uint8_t{0xA5});
            }
            Bytes back(bytes.size() + 1, std::byte{0x5A});
            put_together(*encoding, piece, n, back.data());
            QVERIFY(std::equal(bytes.begin(), bytes.end(), back.begin()));
            QCOMPARE(back.back(), std::byte{0x5A});
        }
    }

    void names_types_in_a_sentence() {
        QCOMPARE(written_types(), std::string("F32, F16, BF16, Q8_0 and Q4_0"));
        QCOMPARE(encoding_names([](const Encoding& row) { return row.codes == CodeKind::Bits6; }),
                 std::string("Q6_K"));
        QCOMPARE(encoding_names([](const Encoding&) { return false; }), std::string());
    }

    void recipes_follow_the_rows() {
        QVERIFY(is_written(DType::Q4_0) && !is_written(DType::Q6_K) && !is_written(DType::Q4_K));
        QCOMPARE(type_that_fits(DType::Q4_0, 64), DType::Q4_0);
        QCOMPARE(type_that_fits(DType::Q4_0, 72), DType::F16);
        QCOMPARE(type_that_fits(DType::F32, 7), DType::F32);
        for (const auto& [type, shorter] : {std::pair{DType::Q4_K, DType::Q5_0},
                                            {DType::Q5_K, DType::Q5_1},
                                            {DType::Q6_K, DType::Q8_0}}) {
            QCOMPARE(type_that_fits(type, 768), type);
            QCOMPARE(type_that_fits(type, 576), shorter);
            QCOMPARE(type_that_fits(type, 24), DType::F16);
        }
        // Floats stay what they are; blocks stay where their rows are neurons already.
        QCOMPARE(neuron_down_type(DType::BF16, false, 64), DType::BF16);
        QCOMPARE(neuron_down_type(DType::Q4_0, true, 64), DType::Q4_0);
        QCOMPARE(neuron_down_type(DType::Q4_0, false, 64), DType::Q8_0);
        QCOMPARE(neuron_down_type(DType::Q4_0, false, 40), DType::F16);
        for (const Encoding& row : encodings()) {
            QCOMPARE(neuron_down_type(row.type, true, 256), row.type);
        }
    }
};

QTEST_APPLESS_MAIN(EncodingTest)
#include "encoding_test.moc"
