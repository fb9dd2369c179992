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

    // A layer that is not factored turns as without factors, whatever they are.
    void factors_of_other_layers() {
        RopeSpec spec;
        spec.dim = 64;
        spec.base = 10000.0F;
        spec.factored = false;
        const std::vector<float> divisors(32, 3.0F);
        std::vector<float> got(64);
        std::vector<float> wanted(64);
        Rope(spec, divisors).angles(7, got.data());
        Rope(spec, {}).angles(7, wanted.data());
        QCOMPARE(got, wanted);
        spec.factored = true;
        Rope(spec, divisors).angles(7, got.data());
        QVERIFY(got != wanted);
    }

    // 8192 positions are scaled by 4. Pairs that turn 32 times and more keep their frequency, those
    // that turn once or less are divided, and between them the share grows evenly (section 3.2 of
    // the paper). With a base of 10000 and 64 dimensions 10 log(8192 / (32 * 2 pi)) / log(10000)
    // ... are pairs 12.9 and 24.9: 12 and 25.
    void yarn() {
        RopeSpec spec;
        spec.dim = 64;
        spec.base = 10000.0F;
        spec.linear_factor = 4.0F;
        spec.magnitude = 1.125F;
        spec.yarn_context = 8192;
        const Rope rope(spec, {});
        std::vector<float> got(64);
        rope.angles(1, got.data());
        for (int i = 0; i < 32; ++i) {
            const double own = std::pow(10000.0, -2.0 * i / 64);
            const double divided = i <= 12 ? 0.0 : i >= 25 ? 1.0 : (i - 12) / 13.0;
            const double angle = own * (1 - divided) + own / 4 * divided;
            QVERIFY2(std::fabs(static_cast<double>(got[static_cast<std::size_t>(2 * i)]) -
                               1.125 * std::cos(angle)) < 1e-6,
                     qPrintable(QString::number(i)));
            QVERIFY2(std::fabs(static_cast<double>(got[static_cast<std::size_t>(2 * i + 1)]) -
                               1.125 * std::sin(angle)) < 1e-6,
                     qPrintable(QString::number(i)));
        }
    }

    void factorsOfAContext() {
        ModelSpec spec;
        QCOMPARE(rope_factors_role(spec, 1 << 20), Role::RopeFreqs);
        spec.longrope_context = 4096;
        QCOMPARE(rope_factors_role(spec, 4096), Role::RopeShort);
        QCOMPARE(rope_factors_role(spec, 4097), Role::RopeLong);
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
