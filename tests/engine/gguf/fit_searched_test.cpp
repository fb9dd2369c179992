#include "gguf/fit_searched.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "base/half.h"
#include "gguf/rows.h"

using namespace hearth;

namespace {

constexpr std::size_t kCols = 1024;
constexpr std::size_t kRows = 16;

// Roughly normal, or with heavy tails; the same on every platform.
std::vector<float> values_of(std::mt19937& random, std::size_t count, bool heavy) {
    std::vector<float> values(count);
    for (float& value : values) {
        double sum = -6;
        for (int i = 0; i < 12; ++i) {
            sum += static_cast<double>(random()) * 0x1p-32;
        }
        value = static_cast<float>(heavy ? sum * sum * sum * 0.02 : sum * 0.02);
    }
    return values;
}

// From 0.8 to 100.
std::vector<float> importance_of(std::mt19937& random, std::size_t count) {
    std::vector<float> importance(count);
    for (float& each : importance) {
        const double u = 0.1 + static_cast<double>(random()) * 0x1p-32;
        each = static_cast<float>(1 / (u * u));
    }
    return importance;
}

std::vector<float> stored(DType type, std::span<const float> values,
                          std::span<const float> importance) {
    std::vector<std::byte> row(static_cast<std::size_t>(row_bytes(type, values.size())));
    quantize_row_searched(type, values, importance, row.data());
    std::vector<float> back(values.size());
    dequantize_row(type, row.data(), back);
    return back;
}

// Root of the mean square; weights: of columns, empty: all 1.
double error_of(std::span<const float> values, std::span<const float> back,
                std::span<const float> weights) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double off = static_cast<double>(values[i]) - static_cast<double>(back[i]);
        const double weight =
            weights.empty() ? 1.0 : static_cast<double>(weights[i % weights.size()]);
        sum += weight * off * off;
    }
    return std::sqrt(sum / static_cast<double>(values.size()));
}

// The least squared error of a run that a search over a fine grid of steps and minima finds.
double least_error(std::span<const float> x, int least, int most, bool with_minimum) {
    const auto [low, high] = std::minmax_element(x.begin(), x.end());
    const double range =
        static_cast<double>(std::max(*high, 0.0F)) - static_cast<double>(std::min(*low, 0.0F));
    double best = -1;
    for (int s = -300; s <= 300; ++s) {
        const double step = range / (most - least) * s / 200;
        for (int m = 0; m <= (with_minimum ? 300 : 0); ++m) {
            if (s == 0 || (with_minimum && s < 0)) {
                continue;
            }
            const double below =
                with_minimum ? -static_cast<double>(*low) * (0.7 + 0.4 * m / 300) : 0.0;
            double error = 0;
            for (const float each : x) {
                const double value = static_cast<double>(each);
                const double q = std::clamp(std::nearbyint((value + below) / step),
                                            static_cast<double>(least), static_cast<double>(most));
                error += (value - step * q + below) * (value - step * q + below);
            }
            best = best < 0 || error < best ? error : best;
        }
    }
    return best;
}

const DType kSearched[] = {DType::Q4_0, DType::Q4_1, DType::Q5_0, DType::Q5_1,
                           DType::Q4_K, DType::Q5_K, DType::Q6_K};

std::string name_of(DType type) {
    return std::string(dtype_info(type).name);
}

}  // namespace

class FitSearchedTest : public QObject {
    Q_OBJECT

private slots:
    void knows_what_it_takes() {
        for (const Encoding& encoding : encodings()) {
            const bool wanted = std::find(std::begin(kSearched), std::end(kSearched),
                                          encoding.type) != std::end(kSearched);
            QCOMPARE(has_search(encoding), wanted);
        }
    }

    // The errors that llama-quantize (b11434) leaves on the same rows: plain, and with the
    // importance both plain and weighted by it. A hundredth above is allowed.
    void errs_no_more_than_llama_quantize_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<bool>("heavy");
        QTest::addColumn<double>("plain");
        QTest::addColumn<double>("with_importance");
        QTest::addColumn<double>("weighted");
        const auto add = [](DType type, bool heavy, double plain, double with, double weighted) {
            QTest::addRow("%s/%s", name_of(type).c_str(), heavy ? "heavy tails" : "normal")
                << static_cast<int>(type) << heavy << plain << with << weighted;
        };
        add(DType::Q8_0, false, 1.05087e-04, 1.05087e-04, 3.07889e-04);
        add(DType::Q4_0, false, 1.68576e-03, 1.66507e-03, 4.23579e-03);
        add(DType::Q4_1, false, 1.54321e-03, 1.49374e-03, 3.40934e-03);
        add(DType::Q5_0, false, 8.39266e-04, 8.32547e-04, 2.11415e-03);
        add(DType::Q5_1, false, 7.46288e-04, 7.17775e-04, 1.62934e-03);
        add(DType::Q4_K, false, 1.40905e-03, 1.49999e-03, 3.46755e-03);
        add(DType::Q5_K, false, 7.14497e-04, 7.34181e-04, 1.76348e-03);
        add(DType::Q6_K, false, 3.47292e-04, 3.67396e-04, 8.59835e-04);
        add(DType::Q8_0, true, 6.11769e-04, 6.11769e-04, 1.79396e-03);
        add(DType::Q4_0, true, 7.92999e-03, 7.95698e-03, 2.10897e-02);
        add(DType::Q4_1, true, 8.08533e-03, 6.54698e-03, 1.58166e-02);
        add(DType::Q5_0, true, 4.24444e-03, 4.24138e-03, 1.17160e-02);
        add(DType::Q5_1, true, 3.95738e-03, 3.39927e-03, 8.17074e-03);
        add(DType::Q4_K, true, 6.51988e-03, 6.77607e-03, 1.67592e-02);
        add(DType::Q5_K, true, 3.57016e-03, 3.60899e-03, 9.40251e-03);
        add(DType::Q6_K, true, 1.72658e-03, 1.82554e-03, 4.65623e-03);
    }
    void errs_no_more_than_llama_quantize() {
        QFETCH(int, type);
        QFETCH(bool, heavy);
        QFETCH(double, plain);
        QFETCH(double, with_importance);
        QFETCH(double, weighted);
        std::mt19937 random(11);
        const auto values = values_of(random, kCols * kRows, heavy);
        const auto importance = importance_of(random, kCols);
        // As the tool does (engine/tools/quantize.cpp).
        std::vector<float> trusted(importance.size());
        std::transform(importance.begin(), importance.end(), trusted.begin(),
                       [](float each) { return std::pow(each, 0.9F); });
        std::vector<float> tiled;
        for (std::size_t r = 0; r < kRows; ++r) {
            tiled.insert(tiled.end(), trusted.begin(), trusted.end());
        }
        const auto without = stored(static_cast<DType>(type), values, {});
        const auto with = stored(static_cast<DType>(type), values, tiled);
        const double shares[] = {error_of(values, without, {}) / plain,
                                 error_of(values, with, {}) / with_importance,
                                 error_of(values, with, importance) / weighted};
        qInfo("%.4f of its error; with importance %.4f, weighted %.4f", shares[0], shares[1],
              shares[2]);
        QVERIFY(shares[0] <= 1.01);
        QVERIFY(shares[2] <= 1.01);
        // Q5_0 gives a little more of what does not count for what does.
        QVERIFY(shares[1] <= (static_cast<DType>(type) == DType::Q5_0 ? 1.02 : 1.01));
    }

    // One run of a block has values, so that its scales are exact and a grid tells the optimum.
    void comes_close_to_the_best_of_a_grid_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("bound");
        for (const auto& [type, bound] : {std::pair{DType::Q4_0, 1.03},
                                          {DType::Q5_0, 1.03},
                                          {DType::Q6_K, 1.03},
                                          {DType::Q4_1, 1.06},
                                          {DType::Q5_1, 1.06},
                                          {DType::Q4_K, 1.06},
                                          {DType::Q5_K, 1.06}}) {
            QTest::addRow("%s", name_of(type).c_str()) << static_cast<int>(type) << bound;
        }
    }
    void comes_close_to_the_best_of_a_grid() {
        QFETCH(int, type);
        QFETCH(double, bound);
        const Encoding& encoding = encoding_of(static_cast<DType>(type));
        const bool with_minimum = has_minimum(encoding.scales);
        const std::size_t run = encoding.scales == ScaleKind::Bytes16 ? 16 : 32;
        const int most = most_unpacked(encoding.codes) - encoding.zero;
        std::mt19937 random(3);
        double found = 0;
        double best = 0;
        for (int trial = 0; trial < 12; ++trial) {
            const auto x = values_of(random, run, trial % 2 == 1);
            std::vector<float> block(encoding.block_values, 0.0F);
            std::copy(x.begin(), x.end(), block.begin());
            // Q4_0 has its search only where there is an importance.
            const auto back = stored(encoding.type, block, std::vector<float>(block.size(), 1.0F));
            const double error = error_of(x, std::span(back).first(run), {});
            found += error * error * static_cast<double>(run);
            best += least_error(x, -encoding.zero, most, with_minimum);
            for (std::size_t i = run; i < back.size(); ++i) {
                QCOMPARE(back[i], 0.0F);
            }
        }
        qInfo("%.4f of the grid's error", found / best);
        QVERIFY2(found <= bound * best, qPrintable(QString::number(found / best)));
    }

    void keeps_what_it_can_hold_exactly() {
        for (const DType type : kSearched) {
            const Encoding& encoding = encoding_of(type);
            const int most = most_unpacked(encoding.codes);
            // Every code of every run, under scales that a block can say.
            std::vector<float> values(256);
            for (std::size_t i = 0; i < values.size(); ++i) {
                const auto code = static_cast<float>(static_cast<int>(i * 7 + i / 32) % (most + 1));
                values[i] = 0.25F * (code - static_cast<float>(encoding.zero));
            }
            const auto back = stored(type, values, std::vector<float>(values.size(), 1.0F));
            const double error = error_of(values, back, {});
            // The search of Q6_K tries few lines for a run.
            const double steps = encoding.scales == ScaleKind::Bytes16 ? 0.15 : 0.02;
            QVERIFY2(error < 0.25 * steps, qPrintable(QString::fromStdString(name_of(type)) + " " +
                                                      QString::number(error)));
        }
    }

    void is_better_than_the_quick_fit() {
        std::mt19937 random(5);
        for (const bool heavy : {false, true}) {
            const auto values = values_of(random, 256 * 20, heavy);
            for (const DType type : {DType::Q4_1, DType::Q5_0, DType::Q5_1, DType::Q6_K}) {
                std::vector<std::byte> row(
                    static_cast<std::size_t>(row_bytes(type, values.size())));
                quantize_row(type, values, row.data());
                std::vector<float> quick(values.size());
                dequantize_row(type, row.data(), quick);
                QVERIFY(error_of(values, stored(type, values, {}), {}) <
                        0.99 * error_of(values, quick, {}));
            }
        }
    }

    void what_counts_more_errs_less() {
        std::mt19937 random(6);
        const auto values = values_of(random, 256 * 20, false);
        std::vector<float> importance(values.size());
        for (std::size_t i = 0; i < importance.size(); ++i) {
            importance[i] = i % 4 == 0 ? 100.0F : 1.0F;
        }
        for (const DType type : kSearched) {
            const double with = error_of(values, stored(type, values, importance), importance);
            const double without = error_of(values, stored(type, values, {}), importance);
            QVERIFY2(with < 0.97 * without, qPrintable(QString::number(with / without)));
        }
    }

    // Nothing seen, nothing that counts, or one column alone.
    void importance_may_be_zero() {
        std::mt19937 random(7);
        const auto values = values_of(random, 512, false);
        for (const DType type : kSearched) {
            std::vector<float> importance(values.size(), 0.0F);
            QCOMPARE(stored(type, values, importance),
                     stored(type, values, std::vector<float>(values.size(), 1.0F)));
            importance[3] = 1e30F;
            const auto back = stored(type, values, importance);
            QVERIFY(std::fabs(back[3] - values[3]) <= 1e-3F);
            QVERIFY(error_of(values, back, {}) < 0.02);
        }
    }

    void odd_values_data() {
        QTest::addColumn<float>("fill");
        for (const float fill : {0.0F, 1.0F, -1.0F, 1e-30F, 1e-7F, 6e-8F, 3e38F, -3e38F, 1e5F}) {
            QTest::addRow("%g", static_cast<double>(fill)) << fill;
        }
    }
    void odd_values() {
        QFETCH(float, fill);
        for (const DType type : kSearched) {
            std::vector<float> values(512, fill);
            values[1] = 0.0F;
            values[40] = -fill;
            for (const auto& importance :
                 {std::vector<float>(), std::vector<float>(values.size(), 3e38F)}) {
                const auto back = stored(type, values, importance);
                for (std::size_t i = 0; i < back.size(); ++i) {
                    QVERIFY(std::isfinite(back[i]));
                    QVERIFY(std::fabs(back[i]) <= std::fabs(fill) * 1.15F + 1e-7F);
                }
            }
        }
    }

    void a_block_depends_on_itself_alone() {
        std::mt19937 random(8);
        const auto values = values_of(random, 1024, true);
        const auto importance = importance_of(random, 1024);
        for (const DType type : kSearched) {
            const auto whole = stored(type, values, importance);
            const std::size_t block = encoding_of(type).block_values;
            for (std::size_t first = 0; first < values.size(); first += block) {
                const auto alone = stored(type, std::span(values).subspan(first, block),
                                          std::span(importance).subspan(first, block));
                QVERIFY(std::equal(alone.begin(), alone.end(),
                                   whole.begin() + static_cast<std::ptrdiff_t>(first)));
            }
        }
    }
};

QTEST_APPLESS_MAIN(FitSearchedTest)
#include "fit_searched_test.moc"
