// Trace files: what was written is read, what is broken is refused; made traces are as stated.
#include "bench/trace.h"

#include <QtTest>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "bench/made_trace.h"
#include "bench/sparse_model.h"
#include "support/temp_dir.h"

using namespace hearth;
using namespace hearth::bench;

namespace {

Trace small_trace() {
    return {2, 10, {7, 7, 9}, {{1, 2, 3}, {}, {2, 3, 4, 9}, {0}, {2}, {0, 5}}};
}

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Both words of each layer's items, [n_items]: the share of the tokens that ask for it.
std::vector<double> frequencies(const Trace& trace, std::size_t layer) {
    std::vector<double> shares(trace.n_items);
    for (std::size_t t = 0; t < trace.n_tokens(); ++t) {
        for (const std::uint16_t item : trace.demand(t, layer)) {
            shares[item] += 1.0 / static_cast<double>(trace.n_tokens());
        }
    }
    return shares;
}

double mean_distance(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += std::abs(a[i] - b[i]) / static_cast<double>(a.size());
    }
    return sum;
}

}  // namespace

class TraceTest : public QObject {
    Q_OBJECT

private slots:
    void is_read_as_written() {
        const std::string path = dir_.file("a.trace");
        QVERIFY(write_trace(path, small_trace()));
        const auto trace = read_trace(path);
        QVERIFY2(trace, trace ? "" : trace.error().message.c_str());
        QCOMPARE(trace->n_layer, 2U);
        QCOMPARE(trace->n_items, 10U);
        QVERIFY(trace->ids == small_trace().ids);
        QVERIFY(trace->sets == small_trace().sets);
        QCOMPARE(trace->demand(1, 0).size(), std::size_t{4});
        QCOMPARE(bytes_of(path).size(), std::size_t{20 + 3 * 12 + 2 * 11});
    }

    void empty_is_read() {
        const std::string path = dir_.file("empty.trace");
        QVERIFY(write_trace(path, {1, 1, {}, {}}));
        const auto trace = read_trace(path);
        QVERIFY(trace);
        QCOMPARE(trace->n_tokens(), std::size_t{0});
        QCOMPARE(distinct_ratio(*trace), 0.0);
        QCOMPARE(density(*trace), 0.0);
        QCOMPARE(jaccard(*trace), 0.0);
        QCOMPARE(kept_share(*trace), 0.0);
    }

    void figures() {
        QCOMPARE(distinct_ratio(small_trace()), 2.0 / 3);
        QCOMPARE(density(small_trace()), 11.0 / 60);
        // Layer 0: {2, 3} of {1, 2, 3, 4, 9}, {2} of {2, 3, 4, 9}; layer 1: none of {0}, {0} of
        // {0, 5}.
        QCOMPARE(jaccard(small_trace()), (2.0 / 5 + 1.0 / 4 + 0 + 1.0 / 2) / 4);
        // The earlier ones keep {2, 3} of {1, 2, 3}, {2} of {2, 3, 4, 9}; none of none, {0} of {0}.
        QCOMPARE(kept_share(small_trace()), (2.0 / 3 + 1.0 / 4 + 0 + 1) / 4);
    }

    void broken_is_refused_data() {
        QTest::addColumn<int>("at");
        QTest::addColumn<quint32>("value");
        QTest::addColumn<int>("bytes");
        QTest::addColumn<QString>("field");
        QTest::newRow("magic") << 0 << 0x12345678U << 4 << "magic";
        QTest::newRow("version") << 4 << 2U << 4 << "version";
        QTest::newRow("no layers") << 8 << 0U << 4 << "n_layer";
        QTest::newRow("all too many layers") << 8 << 0xFFFFFFFFU << 4 << "n_tokens";
        QTest::newRow("no items") << 12 << 0U << 4 << "n_items";
        QTest::newRow("too many items") << 12 << 65537U << 4 << "n_items";
        QTest::newRow("more tokens") << 16 << 7U << 4 << "n_tokens";
        QTest::newRow("all too many tokens") << 16 << 0xFFFFFFFFU << 4 << "n_tokens";
        QTest::newRow("fewer tokens") << 16 << 2U << 4 << "end";
        QTest::newRow("count above the items") << 24 << 11U << 4 << "token 0, layer 0";
        QTest::newRow("count above all bytes") << 24 << 0xFFFFFFFFU << 4 << "token 0, layer 0";
        QTest::newRow("item beyond the items") << 32 << 10U << 2 << "token 0, layer 0";
        QTest::newRow("item twice") << 30 << 1U << 2 << "token 0, layer 0";
        QTest::newRow("item out of order") << 28 << 5U << 2 << "token 0, layer 0";
    }
    void broken_is_refused() {
        QFETCH(int, at);
        QFETCH(quint32, value);
        QFETCH(int, bytes);
        QFETCH(QString, field);
        const std::string path = dir_.file("broken.trace");
        QVERIFY(write_trace(path, small_trace()));
        std::string content = bytes_of(path);
        std::memcpy(content.data() + at, &value, static_cast<std::size_t>(bytes));
        std::ofstream(path, std::ios::binary) << content;
        const auto trace = read_trace(path);
        QVERIFY(!trace);
        QCOMPARE(trace.error().code, ErrorCode::BadFile);
        QCOMPARE(QString::fromStdString(trace.error().field), field);
        QVERIFY(trace.error().message.find(path) != std::string::npos);
    }

    void every_cut_is_refused() {
        const std::string path = dir_.file("cut.trace");
        QVERIFY(write_trace(path, small_trace()));
        const std::string content = bytes_of(path);
        for (std::size_t length = 0; length < content.size(); ++length) {
            std::ofstream(path, std::ios::binary) << content.substr(0, length);
            QVERIFY(!read_trace(path));
        }
        std::ofstream(path, std::ios::binary) << content << '\0';
        QVERIFY(!read_trace(path));
        QCOMPARE(read_trace(dir_.file("none.trace")).error().code, ErrorCode::NotFound);
    }

    void neurons_fire_as_planted_data() {
        QTest::addColumn<double>("stays");
        QTest::addColumn<double>("neighbours");
        QTest::newRow("independent") << 0.0 << 0.33;
        QTest::newRow("sticky") << 0.7 << 0.74;
    }
    // Whatever stays, a neuron fires as often.
    void neurons_fire_as_planted() {
        QFETCH(double, stays);
        QFETCH(double, neighbours);
        const Trace trace =
            make_neuron_trace({.n_layer = 2, .n_items = 1000, .n_tokens = 2000, .stays = stays});
        QVERIFY2(std::abs(jaccard(trace) - neighbours) < 0.02,
                 qPrintable(QString::number(jaccard(trace))));
        auto seen = frequencies(trace, 1);
        std::sort(seen.begin(), seen.end(), std::greater<>());
        std::vector<double> planted;
        for (int i = 0; i < 1000; ++i) {
            planted.push_back(planted_frequency((i + 0.5) / 1000));
        }
        QVERIFY2(mean_distance(seen, planted) < 0.01,
                 qPrintable(QString::number(mean_distance(seen, planted))));
    }

    // From the first layer to the last by the same factor.
    void layers_may_differ() {
        const Trace trace =
            make_neuron_trace({.n_layer = 3, .n_items = 1000, .n_tokens = 1000}, 0.01, 0.09);
        const double planted[] = {0.01, 0.03, 0.09};
        for (std::size_t layer = 0; layer < 3; ++layer) {
            double sum = 0;
            for (const double share : frequencies(trace, layer)) {
                sum += share / 1000;
            }
            QVERIFY2(std::abs(sum / planted[layer] - 1) < 0.05, qPrintable(QString::number(sum)));
        }
    }

    // Two texts of one model agree on what is frequent, apart from the share that is the text's.
    void texts_share_a_model() {
        MadeTraceOptions options{.n_layer = 1, .n_items = 1000, .n_tokens = 1000, .of_text = 0.3};
        const auto first = frequencies(make_neuron_trace(options), 0);
        options.text = 2;
        const auto second = frequencies(make_neuron_trace(options), 0);
        options.model = 2;
        const auto other = frequencies(make_neuron_trace(options), 0);
        const double all = mean_distance(first, other);
        QVERIFY(all > 0.08);
        const double some = mean_distance(first, second) / all;
        QVERIFY2(some > 0.25 && some < 0.45, qPrintable(QString::number(some)));
    }

    void experts_are_drawn_by_popularity() {
        const Trace trace =
            make_expert_trace({.n_layer = 2, .n_items = 16, .n_tokens = 4000}, 1, 1.0);
        auto seen = frequencies(trace, 1);
        std::sort(seen.begin(), seen.end(), std::greater<>());
        double sum = 0;
        for (int rank = 1; rank <= 16; ++rank) {
            sum += 1.0 / rank;
        }
        for (std::size_t i = 0; i < 16; ++i) {
            QVERIFY(std::abs(seen[i] - 1 / (static_cast<double>(i + 1) * sum)) < 0.025);
        }
    }

    void experts_stay() {
        const MadeTraceOptions options{.n_layer = 1, .n_items = 64, .n_tokens = 2000, .stays = 0.8};
        const Trace trace = make_expert_trace(options, 8);
        for (const auto& set : trace.sets) {
            QCOMPARE(set.size(), std::size_t{8});
            QVERIFY(std::is_sorted(set.begin(), set.end()));
        }
        // 6.4 of 8 stay and of the other 1.6 a few are drawn again: 6.7 of 9.3.
        QVERIFY2(std::abs(jaccard(trace) - 0.72) < 0.03,
                 qPrintable(QString::number(jaccard(trace))));
        QVERIFY(jaccard(make_expert_trace({.n_items = 64, .stays = 1}, 64)) == 1.0);
    }

private:
    test::TempDir dir_;
};

QTEST_GUILESS_MAIN(TraceTest)
#include "trace_test.moc"
