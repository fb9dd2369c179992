// The network and how it learns: derivatives against differences, a problem that can be solved.
#include "tools/training/net.h"

#include <QtTest>
#include <cmath>

#include "gguf/rows.h"
#include "tools/training/fit.h"
#include "tools/training/float_gemm.h"
#include "tools/training/random.h"

using namespace hearth;
using namespace hearth::tools;

namespace {

// Tokens whose neurons fire where a hidden network of the same kind says so.
struct Planted {
    int n_embd = 16;
    int n_ff = 48;
    std::vector<SampleRun> runs;

    explicit Planted(int n_tokens, std::uint64_t seed, int inner = 6) {
        Random random(7);  // the problem is the same for every seed
        std::vector<float> a(static_cast<std::size_t>(inner * n_embd));
        std::vector<float> b(static_cast<std::size_t>(n_ff * inner));
        for (float& v : a) {
            v = static_cast<float>(random.normal());
        }
        for (float& v : b) {
            v = static_cast<float>(random.normal());
        }
        Random inputs(seed);
        SampleRun run;
        run.n_tokens = n_tokens;
        run.offsets.push_back(0);
        for (int t = 0; t < n_tokens; ++t) {
            std::vector<float> x(static_cast<std::size_t>(n_embd));
            for (float& v : x) {
                v = static_cast<float>(inputs.normal());
            }
            std::vector<std::uint16_t> halfs(x.size());
            quantize_row(DType::F16, x, reinterpret_cast<std::byte*>(halfs.data()));
            run.inputs.insert(run.inputs.end(), halfs.begin(), halfs.end());
            std::vector<float> hidden(static_cast<std::size_t>(inner));
            for (int i = 0; i < inner; ++i) {
                float sum = 0;
                for (int e = 0; e < n_embd; ++e) {
                    sum += a[static_cast<std::size_t>(i * n_embd + e)] *
                           x[static_cast<std::size_t>(e)];
                }
                hidden[static_cast<std::size_t>(i)] = sum > 0 ? sum : 0;
            }
            for (int n = 0; n < n_ff; ++n) {
                float sum = -6.0F;  // about one in eight fires
                for (int i = 0; i < inner; ++i) {
                    sum += b[static_cast<std::size_t>(n * inner + i)] *
                           hidden[static_cast<std::size_t>(i)];
                }
                if (sum > 0) {
                    run.fired.push_back(pack_fired(n, sum));
                }
            }
            run.offsets.push_back(static_cast<std::uint32_t>(run.fired.size()));
        }
        runs.push_back(std::move(run));
    }
    std::vector<TokenSample> tokens() const { return LayerSamples::tokens(runs, n_embd); }
};

std::vector<float> ones(int n) {
    return std::vector<float>(static_cast<std::size_t>(n), 1.0F);
}

}  // namespace

class PredictorNetTest : public QObject {
    Q_OBJECT

private slots:
    void products_data() {
        QTest::addColumn<int>("m");
        QTest::addColumn<int>("n");
        QTest::addColumn<int>("k");
        QTest::addColumn<bool>("transposed");
        QTest::addColumn<bool>("accumulate");
        for (const bool transposed : {false, true}) {
            for (const bool accumulate : {false, true}) {
                QTest::addRow("one number%s%s", transposed ? " transposed" : "",
                              accumulate ? " added" : "")
                    << 1 << 1 << 1 << transposed << accumulate;
                QTest::addRow("odd sizes%s%s", transposed ? " transposed" : "",
                              accumulate ? " added" : "")
                    << 67 << 531 << 13 << transposed << accumulate;
            }
        }
    }
    void products() {
        QFETCH(int, m);
        QFETCH(int, n);
        QFETCH(int, k);
        QFETCH(bool, transposed);
        QFETCH(bool, accumulate);
        const auto size = [](int a, int b) { return static_cast<std::size_t>(a * b); };
        Random random(3);
        std::vector<float> a(size(m, k));
        std::vector<float> b(size(k, n));
        std::vector<float> c(size(m, n));
        for (auto* values : {&a, &b, &c}) {
            for (float& v : *values) {
                v = static_cast<float>(random.normal());
            }
        }
        const std::vector<float> before = c;
        ThreadPool pool(2);
        multiply(pool, {.a = a.data(),
                        .a_row_stride = static_cast<std::size_t>(transposed ? 1 : k),
                        .a_column_stride = static_cast<std::size_t>(transposed ? m : 1),
                        .b = b.data(),
                        .b_stride = static_cast<std::size_t>(n),
                        .c = c.data(),
                        .c_stride = static_cast<std::size_t>(n),
                        .m = m,
                        .n = n,
                        .k = k,
                        .accumulate = accumulate});
        for (int i = 0; i < m; ++i) {
            for (int j = 0; j < n; ++j) {
                const std::size_t at = static_cast<std::size_t>(i * n + j);
                double sum = accumulate ? static_cast<double>(before[at]) : 0;
                for (int s = 0; s < k; ++s) {
                    const int index = transposed ? s * m + i : i * k + s;
                    sum += static_cast<double>(a[static_cast<std::size_t>(index)]) *
                           static_cast<double>(b[static_cast<std::size_t>(s * n + j)]);
                }
                QVERIFY2(
                    std::abs(sum - static_cast<double>(c[at])) < 1e-4,
                    qPrintable(QString("%1, %2: %3 for %4").arg(i).arg(j).arg(c[at]).arg(sum)));
            }
        }
    }

    void sigmoids() {
        std::vector<float> values;
        for (int i = -4000; i <= 4000; ++i) {
            values.push_back(static_cast<float>(i) * 0.01F);
        }
        std::vector<float> found = values;
        sigmoid(found.data(), found.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double wanted = 1 / (1 + std::exp(-static_cast<double>(values[i])));
            QVERIFY2(std::abs(wanted - static_cast<double>(found[i])) < 1e-6,
                     qPrintable(QString::number(static_cast<double>(values[i]))));
        }
    }

    void samples_keep_neuron_and_magnitude() {
        for (const int neuron : {0, 1, kMostNeurons - 1}) {
            for (const float value : {1e-6F, -0.3F, 1.0F, 3.9F, 1000.0F}) {
                const Fired fired = pack_fired(neuron, value);
                QCOMPARE(neuron_of(fired), neuron);
                QVERIFY(std::abs(magnitude_of(fired) - std::abs(value)) <=
                        std::abs(value) * 0.0323F);
            }
        }
    }

    void derivatives_data() {
        QTest::addColumn<bool>("linear");
        QTest::newRow("with a ReLU") << false;
        QTest::newRow("linear") << true;
    }
    void derivatives() {
        QFETCH(bool, linear);
        const PredictorShape shape{6, 32, 9, linear};
        PredictorNet net(shape, 5);
        ThreadPool pool(2);
        Random random(6);
        std::vector<float> input(4 * 6);
        for (float& v : input) {
            v = static_cast<float>(random.normal());
        }
        const std::vector<std::uint32_t> offsets = {0, 2, 2, 5, 6};
        const std::vector<std::uint32_t> fired = {0, 8, 1, 2, 7, 4};
        const std::vector<float> weights = {1, 2, 0.5F, 3, 1, 7};
        const PredictorBatch batch{4, input.data(), offsets, fired, weights};
        net.differentiate(pool, batch);
        const auto check = [&](std::span<float> values, std::span<const float> gradient, int rows,
                               int columns) {
            double largest = 0;
            for (int r = 0; r < rows; ++r) {
                for (int c = 0; c < columns; ++c) {
                    const std::size_t at =
                        static_cast<std::size_t>(r) * PredictorNet::stride(columns) +
                        static_cast<std::size_t>(c);
                    const float kept = values[at];
                    constexpr float kStep = 1e-2F;
                    values[at] = kept + kStep;
                    const double above = net.loss(pool, batch);
                    values[at] = kept - kStep;
                    const double below = net.loss(pool, batch);
                    values[at] = kept;
                    const double slope = (above - below) / (2 * static_cast<double>(kStep));
                    const auto found = static_cast<double>(gradient[at]);
                    largest = std::max(largest, std::abs(found));
                    QVERIFY2(std::abs(slope - found) < 2e-3 + 5e-3 * std::abs(slope),
                             qPrintable(QString("%1, %2: %3, differences say %4")
                                            .arg(r)
                                            .arg(c)
                                            .arg(found)
                                            .arg(slope)));
                }
            }
            QVERIFY(largest > 0.05);  // there was something to compare
        };
        check(net.weights1(), net.gradient1(), shape.n_embd, shape.width);
        check(net.weights2(), net.gradient2(), shape.width, shape.n_ff);
    }

    void learns_what_can_be_learnt() {
        const Planted training(6000, 1);
        const Planted others(1000, 2);
        PredictorNet net({training.n_embd, 64, training.n_ff, false}, 3);
        ThreadPool pool(2);
        const auto norms = ones(training.n_ff);
        const auto learnt =
            fit(net, training.tokens(), norms, {.passes = 60, .seed = 4}, pool, {}, {});
        QVERIFY2(learnt, learnt ? "" : learnt.error().message.c_str());
        const auto quality = calibrate(net, others.tokens(), norms, 0.999, pool, {});
        QVERIFY(quality);
        QVERIFY(quality->active > 0.05 && quality->active < 0.3);
        QVERIFY(quality->weighted_recall >= 0.999);
        QVERIFY2(quality->recall > 0.95, qPrintable(QString::number(quality->recall)));
        QVERIFY2(quality->predicted < 1.5 * quality->active,
                 qPrintable(QString("%1 of %2").arg(quality->predicted).arg(quality->active)));
    }

    // A giant counts as 30 of the mean: all tokens in one step, whose derivatives are compared with
    // those of the weights written out.
    void a_giant_weighs_thirty_means() {
        Planted planted(200, 1);
        SampleRun& run = planted.runs.front();
        run.fired[7] = pack_fired(neuron_of(run.fired[7]), 4000.0F);
        const std::vector<TokenSample> tokens = planted.tokens();
        const auto norms = ones(planted.n_ff);
        const FitOptions options{.passes = 1, .seed = 4, .balance = 0.5};
        const PredictorShape shape{planted.n_embd, 32, planted.n_ff, false};
        ThreadPool pool(2);
        PredictorNet learnt(shape, 3);
        QVERIFY(fit(learnt, tokens, norms, options, pool, {}, {}));

        double sum = 0;
        for (const Fired one : run.fired) {
            sum += static_cast<double>(importance(one, norms));
        }
        const auto n_fired = static_cast<double>(run.fired.size());
        const double rest = 200.0 * planted.n_ff - n_fired;
        std::vector<std::uint32_t> fired;
        std::vector<float> weights;
        double most = 0;
        for (const Fired one : run.fired) {
            const double in_means = static_cast<double>(importance(one, norms)) / (sum / n_fired);
            most = std::max(most, in_means);
            fired.push_back(static_cast<std::uint32_t>(neuron_of(one)));
            weights.push_back(
                static_cast<float>(options.balance * rest / n_fired * std::min(in_means, 30.0)));
        }
        QVERIFY(most > 300);
        std::vector<float> input(run.inputs.size());
        dequantize_row(DType::F16, reinterpret_cast<const std::byte*>(run.inputs.data()), input);
        PredictorNet wanted(shape, 3);
        wanted.differentiate(pool, {200, input.data(), run.offsets, fired, weights});
        const auto same = [](std::span<const float> a, std::span<const float> b) {
            double difference = 0;
            double largest = 0;
            for (std::size_t i = 0; i < a.size(); ++i) {
                difference = std::max(difference, static_cast<double>(std::abs(a[i] - b[i])));
                largest = std::max(largest, static_cast<double>(std::abs(b[i])));
            }
            return a.size() == b.size() && largest > 0 && difference < 1e-4 * largest;
        };
        QVERIFY(same(learnt.gradient1(), wanted.gradient1()));
        QVERIFY(same(learnt.gradient2(), wanted.gradient2()));
    }

    // Precisions, recalls and the threshold of a net whose scores are the truth.
    void calibration_counts_right() {
        const Planted planted(300, 9, 6);
        SampleRun run = planted.runs.front();
        // The input's first value decides all: neuron 0 fires exactly where it is above 0.5.
        run.fired.clear();
        run.offsets.assign(1, 0);
        int expected = 0;
        for (int t = 0; t < run.n_tokens; ++t) {
            float x = 0;
            dequantize_row(
                DType::F16,
                reinterpret_cast<const std::byte*>(run.inputs.data() + t * planted.n_embd),
                std::span(&x, 1));
            if (x > 0.5F) {
                run.fired.push_back(pack_fired(0, 1.0F));
                ++expected;
            }
            run.offsets.push_back(static_cast<std::uint32_t>(run.fired.size()));
        }
        const std::vector<SampleRun> runs{run};
        PredictorNet net({planted.n_embd, 32, planted.n_ff, true}, 1);
        std::vector<float> fc1(static_cast<std::size_t>(32 * planted.n_embd));
        std::vector<float> fc2(static_cast<std::size_t>(planted.n_ff * 32));
        fc1[0] = 1;  // score of neuron 0: x
        fc2[0] = 1;
        net.set(fc1, fc2);
        QCOMPARE(net.fc1(), fc1);
        QCOMPARE(net.fc2(), fc2);
        ThreadPool pool(3);
        const auto quality = calibrate(net, LayerSamples::tokens(runs, planted.n_embd),
                                       ones(planted.n_ff), 1.0, pool, {});
        QVERIFY(quality);
        QVERIFY(std::abs(quality->threshold - 0.5F) < 0.05F);
        QCOMPARE(quality->recall, 1.0);
        QCOMPARE(quality->weighted_recall, 1.0);
        QVERIFY(quality->precision > 0.97);
        QCOMPARE(quality->active, static_cast<double>(expected) / (300.0 * planted.n_ff));
    }

    void threads_change_nothing() {
        const Planted training(700, 1);
        const auto norms = ones(training.n_ff);
        std::vector<std::vector<float>> found;
        std::vector<float> thresholds;
        for (const int threads : {1, 3}) {
            ThreadPool pool(threads);
            PredictorNet net({training.n_embd, 64, training.n_ff, false}, 3);
            QVERIFY(fit(net, training.tokens(), norms, {.passes = 3, .seed = 4}, pool, {}, {}));
            const auto quality = calibrate(net, training.tokens(), norms, 0.9, pool, {});
            QVERIFY(quality);
            found.push_back(net.fc1());
            found.push_back(net.fc2());
            thresholds.push_back(quality->threshold);
        }
        QCOMPARE(found[0], found[2]);
        QCOMPARE(found[1], found[3]);
        QCOMPARE(thresholds[0], thresholds[1]);
    }

    void another_seed_is_another_net() {
        QVERIFY(PredictorNet({8, 32, 8, false}, 1).fc1() !=
                PredictorNet({8, 32, 8, false}, 2).fc1());
    }

    void nothing_to_learn_from() {
        Planted training(50, 1);
        training.runs.front().fired.clear();
        training.runs.front().offsets.assign(51, 0);
        PredictorNet net({training.n_embd, 32, training.n_ff, false}, 3);
        ThreadPool pool(1);
        const auto learnt = fit(net, training.tokens(), ones(training.n_ff), {}, pool, {}, {});
        QVERIFY(!learnt);
        QCOMPARE(learnt.error().message, std::string("no neuron fired for the text"));
    }

    void stops_when_asked() {
        const Planted training(600, 1);
        PredictorNet net({training.n_embd, 32, training.n_ff, false}, 3);
        ThreadPool pool(1);
        Cancellation cancellation;
        cancellation.request();
        const auto learnt =
            fit(net, training.tokens(), ones(training.n_ff), {}, pool, {}, cancellation);
        QVERIFY(!learnt);
        QVERIFY(learnt.error().code == ErrorCode::Cancelled);
        const auto quality =
            calibrate(net, training.tokens(), ones(training.n_ff), 0.9, pool, cancellation);
        QVERIFY(!quality);
        QVERIFY(quality.error().code == ErrorCode::Cancelled);
    }
};

QTEST_GUILESS_MAIN(PredictorNetTest)
#include "net_test.moc"
