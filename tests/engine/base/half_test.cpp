// Every half against a computation by definition, every rounding boundary from both sides.
#include "base/half.h"

#include <QtTest>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

using namespace hearth;

namespace {

// By the definition of the format: sign, exponent, fraction. ldexp is exact here.
double half_by_definition(std::uint16_t h) {
    const int exponent = (h >> 10) & 31;
    const int fraction = h & 1023;
    const double magnitude =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    return (h & 0x8000) != 0 ? -magnitude : magnitude;
}

bool is_nan_half(std::uint16_t h) {
    return (h & 0x7C00) == 0x7C00 && (h & 0x3FF) != 0;
}

}  // namespace

class HalfTest : public QObject {
    Q_OBJECT

private slots:
    void every_half_to_float() {
        for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
            const auto h = static_cast<std::uint16_t>(bits);
            const float f = half_to_float(h);
            if (is_nan_half(h)) {
                QVERIFY2(std::isnan(f), qPrintable(QString::number(bits, 16)));
            } else if ((h & 0x7C00) == 0x7C00) {
                QVERIFY(std::isinf(f));
                QCOMPARE(std::signbit(f), (h & 0x8000) != 0);
            } else {
                QVERIFY2(static_cast<double>(f) == half_by_definition(h),
                         qPrintable(QString::number(bits, 16)));
                QCOMPARE(std::signbit(f), (h & 0x8000) != 0);
            }
        }
    }

    void every_half_survives_the_round_trip() {
        for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
            const auto h = static_cast<std::uint16_t>(bits);
            const std::uint16_t back = float_to_half(half_to_float(h));
            if (is_nan_half(h)) {
                QVERIFY(is_nan_half(back));
                QCOMPARE(back & 0x8000, h & 0x8000);
            } else {
                QCOMPARE(back, h);
            }
        }
    }

    // Between each half and the next the float halfway goes to the even one, its neighbours to the
    // nearer. That pins the rounding of every float there is.
    void rounds_at_every_boundary() {
        for (std::uint32_t bits = 0; bits < 0x7C00; ++bits) {
            const auto low = static_cast<std::uint16_t>(bits);
            const auto high = static_cast<std::uint16_t>(bits + 1);
            const double next = bits + 1 == 0x7C00 ? 65536.0 : half_by_definition(high);
            const auto middle = static_cast<float>((half_by_definition(low) + next) / 2.0);
            const float below = std::nextafter(middle, 0.0F);
            const float above = std::nextafter(middle, std::numeric_limits<float>::infinity());
            const std::uint16_t even = (low & 1) == 0 ? low : high;
            QCOMPARE(float_to_half(middle), even);
            QCOMPARE(float_to_half(below), low);
            QCOMPARE(float_to_half(above), high);
            QCOMPARE(float_to_half(-middle), static_cast<std::uint16_t>(even | 0x8000));
            QCOMPARE(float_to_half(-below), static_cast<std::uint16_t>(low | 0x8000));
            QCOMPARE(float_to_half(-above), static_cast<std::uint16_t>(high | 0x8000));
        }
    }

    void floats_outside_halves() {
        const float infinity = std::numeric_limits<float>::infinity();
        QCOMPARE(float_to_half(infinity), std::uint16_t{0x7C00});
        QCOMPARE(float_to_half(-infinity), std::uint16_t{0xFC00});
        QCOMPARE(float_to_half(std::numeric_limits<float>::max()), std::uint16_t{0x7C00});
        QCOMPARE(float_to_half(std::numeric_limits<float>::denorm_min()), std::uint16_t{0});
        QCOMPARE(float_to_half(-0.0F), std::uint16_t{0x8000});
        QVERIFY(is_nan_half(float_to_half(std::numeric_limits<float>::quiet_NaN())));
        // A NaN whose kept bits are all zero must not turn into infinity.
        QVERIFY(is_nan_half(float_to_half(std::bit_cast<float>(0x7F800001U))));
    }

    void every_bfloat16_is_the_upper_half_of_a_float() {
        for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
            const auto b = static_cast<std::uint16_t>(bits);
            const float f = bfloat16_to_float(b);
            QCOMPARE(std::bit_cast<std::uint32_t>(f), bits << 16);
            if (std::isnan(f)) {
                QVERIFY(std::isnan(bfloat16_to_float(float_to_bfloat16(f))));
            } else {
                QCOMPARE(float_to_bfloat16(f), b);
            }
        }
    }

    void bfloat16_rounds_at_every_boundary() {
        for (std::uint32_t bits = 0; bits < 0x7F80; ++bits) {
            const auto low = static_cast<std::uint16_t>(bits);
            const auto high = static_cast<std::uint16_t>(bits + 1);
            const auto at = [&](std::uint32_t part) {
                return float_to_bfloat16(std::bit_cast<float>((bits << 16) | part));
            };
            QCOMPARE(at(0x7FFF), low);
            QCOMPARE(at(0x8000), (low & 1) == 0 ? low : high);
            QCOMPARE(at(0x8001), high);
        }
        QVERIFY(
            std::isnan(bfloat16_to_float(float_to_bfloat16(std::bit_cast<float>(0x7F800001U)))));
    }
};

QTEST_APPLESS_MAIN(HalfTest)
#include "half_test.moc"
