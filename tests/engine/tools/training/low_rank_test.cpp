#include "tools/training/low_rank.h"

#include <QtTest>
#include <cmath>

#include "tools/training/random.h"

using namespace hearth;
using namespace hearth::tools;

namespace {

constexpr int kRows = 80;
constexpr int kCols = 48;

// Rank `rank`, values of size about 1.
std::vector<float> matrix_of_rank(int rank) {
    Random random(11);
    std::vector<double> a(static_cast<std::size_t>(kRows * rank));
    std::vector<double> b(static_cast<std::size_t>(rank * kCols));
    for (auto* values : {&a, &b}) {
        for (double& v : *values) {
            v = random.normal();
        }
    }
    std::vector<float> matrix;
    for (int r = 0; r < kRows; ++r) {
        for (int c = 0; c < kCols; ++c) {
            double sum = 0;
            for (int i = 0; i < rank; ++i) {
                sum += a[static_cast<std::size_t>(r * rank + i)] *
                       b[static_cast<std::size_t>(i * kCols + c)];
            }
            matrix.push_back(static_cast<float>(sum / std::sqrt(rank)));
        }
    }
    return matrix;
}

// Root mean square of matrix - fc2 fc1.
double error_of(const std::vector<float>& matrix, const LowRank& parts, int rank) {
    double sum = 0;
    for (int r = 0; r < kRows; ++r) {
        for (int c = 0; c < kCols; ++c) {
            double value = 0;
            for (int i = 0; i < rank; ++i) {
                value += static_cast<double>(parts.fc2[static_cast<std::size_t>(r * rank + i)]) *
                         static_cast<double>(parts.fc1[static_cast<std::size_t>(i * kCols + c)]);
            }
            const double off =
                value - static_cast<double>(matrix[static_cast<std::size_t>(r * kCols + c)]);
            sum += off * off;
        }
    }
    return std::sqrt(sum / (kRows * kCols));
}

}  // namespace

class LowRankTest : public QObject {
    Q_OBJECT

private slots:
    void is_exact_where_the_matrix_has_that_rank_data() {
        QTest::addColumn<int>("true_rank");
        QTest::addColumn<int>("rank");
        QTest::newRow("its rank") << 8 << 8;
        QTest::newRow("more than its rank") << 8 << 32;
        QTest::newRow("full rank") << kCols << kCols;
    }
    void is_exact_where_the_matrix_has_that_rank() {
        QFETCH(int, true_rank);
        QFETCH(int, rank);
        ThreadPool pool(2);
        const auto matrix = matrix_of_rank(true_rank);
        const auto parts = low_rank(matrix, kRows, kCols, rank, 1, pool, {});
        QVERIFY(parts);
        QCOMPARE(parts->fc1.size(), static_cast<std::size_t>(rank * kCols));
        QCOMPARE(parts->fc2.size(), static_cast<std::size_t>(kRows * rank));
        QVERIFY(error_of(matrix, *parts, rank) < 1e-4);
    }

    // Rank 2 of a matrix with singular values 3, 2 and 1, all others 0: what is lost is the 1.
    void keeps_the_largest_parts() {
        std::vector<float> matrix(static_cast<std::size_t>(kRows * kCols));
        for (int i = 0; i < 3; ++i) {
            matrix[static_cast<std::size_t>((5 + i) * kCols + 7 * i)] = static_cast<float>(3 - i);
        }
        ThreadPool pool(1);
        const auto parts = low_rank(matrix, kRows, kCols, 2, 1, pool, {});
        QVERIFY(parts);
        const double lost = error_of(matrix, *parts, 2) * std::sqrt(kRows * kCols);
        QVERIFY2(std::abs(lost - 1) < 1e-3, qPrintable(QString::number(lost)));
    }

    void threads_change_nothing() {
        const auto matrix = matrix_of_rank(40);
        ThreadPool one(1);
        ThreadPool three(3);
        const auto a = low_rank(matrix, kRows, kCols, 16, 1, one, {});
        const auto b = low_rank(matrix, kRows, kCols, 16, 1, three, {});
        QVERIFY(a && b);
        QCOMPARE(a->fc1, b->fc1);
        QCOMPARE(a->fc2, b->fc2);
    }

    void stops_when_asked() {
        Cancellation cancellation;
        cancellation.request();
        ThreadPool pool(1);
        const auto parts = low_rank(matrix_of_rank(8), kRows, kCols, 8, 1, pool, cancellation);
        QVERIFY(!parts);
        QVERIFY(parts.error().code == ErrorCode::Cancelled);
    }
};

QTEST_GUILESS_MAIN(LowRankTest)
#include "low_rank_test.moc"
