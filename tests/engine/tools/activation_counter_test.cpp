#include "tools/activation_counter.h"

#include <QtTest>
#include <limits>
#include <random>
#include <set>
#include <vector>

using hearth::ActivationProfile;
using hearth::kProfileBatches;
using hearth::tools::ActivationCounter;

namespace {

// [n_tokens, n_ff]; roughly one value in ten is no zero, of whatever kind.
std::vector<float> hidden_values(int n_tokens, int n_ff, unsigned seed) {
    const float kinds[] = {1.0F, 1e-30F, -2.0F, std::numeric_limits<float>::infinity(),
                           std::numeric_limits<float>::denorm_min()};
    std::mt19937 random(seed);
    std::vector<float> values(static_cast<std::size_t>(n_tokens) * static_cast<std::size_t>(n_ff));
    for (float& value : values) {
        const auto draw = static_cast<unsigned>(random() % 50);
        value = draw < 5 ? kinds[draw] : draw < 20 ? -0.0F : 0.0F;
    }
    return values;
}

}  // namespace

class ActivationCounterTest : public QObject {
    Q_OBJECT

private slots:
    void counts_like_a_plain_loop_data() {
        QTest::addColumn<int>("n_ff");
        QTest::addColumn<int>("threads");
        QTest::addColumn<QList<int>>("calls");  // tokens of each
        QTest::newRow("one token") << 64 << 1 << QList<int>{1};
        QTest::newRow("whole groups") << 512 << 3 << QList<int>{32, 64};
        QTest::newRow("odd numbers") << 300 << 2 << QList<int>{33, 1, 31, 95, 7};
        QTest::newRow("fewer neurons than lanes") << 5 << 2 << QList<int>{50};
        QTest::newRow("decoding") << 48 << 2 << QList<int>(70, 1);
    }
    void counts_like_a_plain_loop() {
        QFETCH(int, n_ff);
        QFETCH(int, threads);
        QFETCH(QList<int>, calls);
        constexpr int kLayers = 2;
        hearth::ThreadPool pool(threads);
        ActivationCounter counter(std::vector<int>(kLayers, n_ff), pool);
        const auto width = static_cast<std::size_t>(n_ff);
        ActivationProfile expected;
        expected.layers.resize(kLayers);
        for (auto& layer : expected.layers) {
            layer.fired.fill(std::vector<std::uint32_t>(width));
        }
        unsigned seed = 0;
        for (const int n_tokens : calls) {
            for (int layer = 0; layer < kLayers; ++layer) {
                const std::vector<float> hidden = hidden_values(n_tokens, n_ff, ++seed);
                counter.observed({layer, n_tokens, nullptr, nullptr, hidden.data(), n_ff});
                for (std::size_t b = 0; b < kProfileBatches.size(); ++b) {
                    for (std::size_t n = 0; n < width; ++n) {
                        std::set<int> groups;
                        for (int t = 0; t < n_tokens / kProfileBatches[b] * kProfileBatches[b];
                             ++t) {
                            if (hidden[static_cast<std::size_t>(t) * width + n] != 0.0F) {
                                groups.insert(t / kProfileBatches[b]);
                            }
                        }
                        expected.layers[static_cast<std::size_t>(layer)].fired[b][n] +=
                            static_cast<std::uint32_t>(groups.size());
                    }
                }
            }
            expected.tokens += static_cast<std::uint64_t>(n_tokens);
            for (std::size_t b = 0; b < kProfileBatches.size(); ++b) {
                expected.groups[b] += static_cast<std::uint64_t>(n_tokens / kProfileBatches[b]);
            }
        }
        const ActivationProfile& got = counter.profile();
        QCOMPARE(got.tokens, expected.tokens);
        QVERIFY(got.groups == expected.groups);
        for (std::size_t layer = 0; layer < kLayers; ++layer) {
            for (std::size_t b = 0; b < kProfileBatches.size(); ++b) {
                QVERIFY2(
                    got.layers[layer].fired[b] == expected.layers[layer].fired[b],
                    qPrintable(
                        QString("layer %1, batches of %2").arg(layer).arg(kProfileBatches[b])));
            }
        }
    }
};

QTEST_APPLESS_MAIN(ActivationCounterTest)
#include "activation_counter_test.moc"
