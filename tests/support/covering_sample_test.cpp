#include "support/covering_sample.h"

#include <QtTest>
#include <set>
#include <string>
#include <vector>

using hearth::test::all_rows;
using hearth::test::CoveringSample;

class CoveringSampleTest : public QObject {
    Q_OBJECT

private slots:
    void each_feature_is_taken_once() {
        CoveringSample sample(false);
        std::set<std::string> covered;
        int taken = 0;
        const std::vector<std::vector<std::string>> rows{
            {"gemv", "Q4_0"}, {"gemv", "Q8_0"}, {"gemm", "Q4_0"}, {"gemm", "Q8_0"},
            {"gemv", "Q4_0"}, {"gemv", "tail"}, {"gemm", "tail"}};
        std::vector<bool> seen;
        for (const auto& row : rows) {
            seen.push_back(sample.takes(row));
            if (seen.back()) {
                ++taken;
                covered.insert(row.begin(), row.end());
            }
        }
        QCOMPARE(seen, (std::vector<bool>{true, true, true, false, false, true, false}));
        QCOMPARE(taken, 4);
        QCOMPARE(covered, (std::set<std::string>{"gemm", "gemv", "Q4_0", "Q8_0", "tail"}));
    }

    // A row that is not taken for its first feature still covers its others for later rows.
    void a_taken_row_covers_all_its_features() {
        CoveringSample sample(false);
        QVERIFY(sample.takes({"a", "b"}));
        QVERIFY(!sample.takes({"b"}));
        QVERIFY(!sample.takes({"b", "a"}));
        QVERIFY(sample.takes({"a", "c"}));
    }

    void all_rows_are_all_rows() {
        CoveringSample sample(true);
        for (int i = 0; i < 3; ++i) {
            QVERIFY(sample.takes({"a"}));
        }
        qputenv("HEARTH_ALL_ROWS", "1");
        QVERIFY(all_rows());
        qputenv("HEARTH_ALL_ROWS", "0");
        QVERIFY(!all_rows());
        qunsetenv("HEARTH_ALL_ROWS");
        QVERIFY(!all_rows());
    }
};

QTEST_APPLESS_MAIN(CoveringSampleTest)
#include "covering_sample_test.moc"
