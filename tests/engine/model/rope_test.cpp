// Rotations against plain arithmetic in long double.
#include "model/rope.h"

#include <QtTest>
#include <cmath>
#include <vector>

using namespace hearth;

class RopeTest : public QObject {
    Q_OBJECT

private slots:
    // A float has no room for both the turns and the angle of a position this far.
    void angles_of_a_position_data() {
        QTest::addColumn<int>("position");
        QTest::addColumn<bool>("factors");
        for (const int position : {0, 1, 4097, 131'071, 10'000'019}) {
            QTest::addRow("%d", position) << position << false;
            QTest::addRow("%d, factors", position) << position << true;
        }
    }
    void angles_of_a_position() {
        QFETCH(int, position);
        QFETCH(bool, factors);
        RopeSpec spec;
        spec.dim = 64;
        spec.base = 10000.0F;
        spec.linear_factor = factors ? 4.0F : 1.0F;
        std::vector<float> divisors;
        for (int i = 0; i < 32 && factors; ++i) {
            divisors.push_back(1.0F + 0.25F * static_cast<float>(i));
        }
        const Rope rope(spec, divisors);
        std::vector<float> got(64);
        rope.angles(position, got.data());
        for (std::size_t i = 0; i < 32; ++i) {
            long double angle =
                position * std::pow(10000.0L, -2.0L * static_cast<long double>(i) / 64);
            if (factors) {
                angle /= 4.0L * static_cast<long double>(divisors[i]);
            }
            const double cosine = static_cast<double>(std::cos(angle));
            const double sine = static_cast<double>(std::sin(angle));
            QVERIFY(std::fabs(static_cast<double>(got[2 * i]) - cosine) < 1e-6);
            QVERIFY(std::fabs(static_cast<double>(got[2 * i + 1]) - sine) < 1e-6);
        }
    }

    // The leading values of every head turn, those behind them stay; both ways of pairing, all
    // values of a head and a part of them.
    void rotation_of_heads_data() {
        QTest::addColumn<bool>("neighbours");
        QTest::addColumn<int>("dim");
        for (const int dim : {8, 6, 2}) {
            QTest::addRow("neighbours, %d of 8", dim) << true << dim;
            QTest::addRow("halves, %d of 8", dim) << false << dim;
        }
    }
    void rotation_of_heads() {
        QFETCH(bool, neighbours);
        QFETCH(int, dim);
        constexpr int kHeads = 2;
        constexpr int kHeadDim = 8;
        RopeSpec spec;
        spec.dim = dim;
        spec.base = 10000.0F;
        spec.pairing = neighbours ? RopePairing::Neighbours : RopePairing::Halves;
        const Rope rope(spec, {});
        std::vector<float> angles(static_cast<std::size_t>(dim));
        rope.angles(3, angles.data());
        std::vector<float> x(kHeads * kHeadDim);
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = 1.0F + static_cast<float>(i * i % 7);
        }
        std::vector<float> wanted = x;
        for (int head = 0; head < kHeads; ++head) {
            for (int i = 0; i < dim / 2; ++i) {
                const int first = head * kHeadDim + (neighbours ? 2 * i : i);
                const int second = first + (neighbours ? 1 : dim / 2);
                const long double angle =
                    3 * std::pow(10000.0L, -2.0L * static_cast<long double>(i) / dim);
                const long double a = x[static_cast<std::size_t>(first)];
                const long double b = x[static_cast<std::size_t>(second)];
                wanted[static_cast<std::size_t>(first)] =
                    static_cast<float>(a * std::cos(angle) - b * std::sin(angle));
                wanted[static_cast<std::size_t>(second)] =
                    static_cast<float>(a * std::sin(angle) + b * std::cos(angle));
            }
        }
        rope.rotate(angles.data(), x.data(), kHeads, kHeadDim);
        for (std::size_t i = 0; i < x.size(); ++i) {
            QVERIFY2(std::fabs(x[i] - wanted[i]) < 1e-5F, qPrintable(QString::number(i)));
        }
    }
};

QTEST_APPLESS_MAIN(RopeTest)
#include "rope_test.moc"
