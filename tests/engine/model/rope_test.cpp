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
};

QTEST_APPLESS_MAIN(RopeTest)
#include "rope_test.moc"
