// Bounds by hand, and the reports that they are made from.
#include "bench/cache_bound.h"

#include <QtTest>
#include <string>
#include <vector>

using namespace hearth;
using namespace hearth::bench;

namespace {

// Two layers of four experts: the second asks for what the first does and for 3.
Trace trace_of(const std::vector<std::uint16_t>& items) {
    Trace trace{2, 4, {}, {}};
    for (const std::uint16_t item : items) {
        trace.ids.push_back(0);
        trace.sets.push_back({item});
        trace.sets.push_back({item, 3});
    }
    return trace;
}

CacheReport report_of() {
    CacheReport report;
    report.tokens = 4;
    report.tokens_per_second = 2.5;
    report.hits = 6;
    report.misses = 2;
    report.disk_bytes = 700;
    report.streamed_bytes = 100;
    report.layers = {{.n_slots = 2, .expert_bytes = 1000, .resident = {}},
                     {.n_slots = 1, .expert_bytes = 3000, .resident = {1, 3}}};
    return report;
}

}  // namespace

class CacheBoundTest : public QObject {
    Q_OBJECT

private slots:
    void slots_are_asked_for_what_does_not_stay() {
        const auto asked = asked_of_slots(trace_of({0, 1, 2}), report_of());
        QVERIFY(asked);
        const std::vector<std::vector<std::uint16_t>> wanted{{0}, {0}, {1}, {}, {2}, {2}};
        QVERIFY(asked->sets == wanted);
        QCOMPARE(asked->ids.size(), std::size_t{3});
    }

    void other_layers_and_experts_are_refused() {
        CacheReport fewer = report_of();
        fewer.layers.pop_back();
        CacheReport unknown = report_of();
        unknown.layers[1].resident = {1, 4};
        for (const auto& [report, why] :
             {std::pair{fewer, "the report has 1 layers, the trace has 2"},
              {unknown, "layer 1 of the report holds expert 4, the trace has 4"}}) {
            const auto asked = asked_of_slots(trace_of({0}), report);
            QVERIFY(!asked);
            QCOMPARE(asked.error().code, ErrorCode::InvalidArgument);
            QCOMPARE(asked.error().message, std::string(why));
        }
    }

    // Layer 0 has two slots, layer 1 one for 0 and 2. LRU misses 0, 2, 0 in layer 1, all four
    // tokens of layer 0 but the third.
    void the_slower_of_both_is_the_bound() {
        const CacheReport report = report_of();
        const auto asked = asked_of_slots(trace_of({0, 2, 0, 1}), report);
        QVERIFY(asked);
        const Trace nothing = trace_of({});
        CacheBound bound = cache_bound(CachePolicy::Lru, nothing, *asked, report,
                                       {.disk_bytes_per_second = 10000, .seconds_in_ram = 0.1});
        QCOMPARE(bound.hit_rate, 1 - 6.0 / 7);
        QCOMPARE(bound.disk_bytes, (3 * 1000 + 3 * 3000) / 4.0 + 100);
        QCOMPARE(bound.disk_seconds, 0.31);
        QCOMPARE(bound.tokens_per_second, 1 / 0.31);
        bound = cache_bound(CachePolicy::Lru, nothing, *asked, report,
                            {.disk_bytes_per_second = 10000, .seconds_in_ram = 0.5});
        QCOMPARE(bound.tokens_per_second, 2.0);
        // The tuned items are there: 1 and 0 of layer 0; 0 of layer 1.
        const auto tuning = asked_of_slots(trace_of({1, 0}), report);
        QVERIFY(tuning);
        bound = cache_bound(CachePolicy::Lru, *tuning, *asked, report,
                            {.disk_bytes_per_second = 10000, .seconds_in_ram = 0.1});
        QCOMPARE(bound.hit_rate, 1 - 4.0 / 7);
    }

    void a_layer_without_slots_misses_what_it_is_asked_for() {
        CacheReport report = report_of();
        report.layers[1].n_slots = 0;
        report.layers[1].resident.clear();
        const Trace trace = trace_of({0, 0});
        const CacheBound bound =
            cache_bound(CachePolicy::Belady, trace, trace, report,
                        {.disk_bytes_per_second = 1000, .seconds_in_ram = 0.1});
        QCOMPARE(bound.disk_bytes, 4 * 3000 / 2.0 + 100);
        QCOMPARE(bound.hit_rate, 1 - 4.0 / 6);
    }

    void the_table_shows_the_runs_share() {
        const CacheReport report = report_of();
        const auto asked = asked_of_slots(trace_of({0, 2, 0, 1}), report);
        QVERIFY(asked);
        const std::string table = cache_bound_table(
            trace_of({}), *asked, report, {.disk_bytes_per_second = 10000, .seconds_in_ram = 0.1});
        for (const char* text :
             {"| LRU | 14.3 % | 0.0 | 310.0 | 3.23 |", "| LFU |", "| static |", "| Belady |",
              "| the run | 75.0 % |", "2.50 tokens/s, 77.5 % of the bound of LRU"}) {
            QVERIFY2(table.find(text) != std::string::npos, table.c_str());
        }
    }

    void a_report_is_read_as_written() {
        const CacheReport report = report_of();
        const auto read = parse_cache_report(to_json(report), "a.json");
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE(read->tokens, report.tokens);
        QCOMPARE(read->tokens_per_second, report.tokens_per_second);
        QCOMPARE(read->hits, report.hits);
        QCOMPARE(read->misses, report.misses);
        QCOMPARE(read->hit_rate(), 0.75);
        QCOMPARE(read->disk_bytes, report.disk_bytes);
        QCOMPARE(read->streamed_bytes, report.streamed_bytes);
        QCOMPARE(read->layers.size(), std::size_t{2});
        QCOMPARE(read->layers[0].n_slots, std::uint64_t{2});
        QCOMPARE(read->layers[1].expert_bytes, std::uint64_t{3000});
        QVERIFY(read->layers[1].resident == report.layers[1].resident);
        QCOMPARE(CacheReport{}.hit_rate(), 1.0);
    }

    void broken_reports_are_refused_data() {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QString>("field");
        QTest::newRow("no JSON") << QByteArray("{") << QByteArray("[") << "tokens";
        QTest::newRow("negative") << QByteArray("\"hits\":6") << QByteArray("\"hits\":-6")
                                  << "hits";
        QTest::newRow("text") << QByteArray("2.5") << QByteArray("\"2.5\"") << "tokens_per_s";
        QTest::newRow("a field less")
            << QByteArray("disk_bytes") << QByteArray("disk") << "disk_bytes";
        QTest::newRow("no layers") << QByteArray("\"layers\"") << QByteArray("\"l\"") << "layers";
        QTest::newRow("experts that descend")
            << QByteArray("[1,3]") << QByteArray("[3,1]") << "layer 1: resident";
        QTest::newRow("one expert twice")
            << QByteArray("[1,3]") << QByteArray("[3,3]") << "layer 1: resident";
        QTest::newRow("too many experts")
            << QByteArray("[1,3]") << QByteArray("[1,65536]") << "layer 1: resident";
        QTest::newRow("a layer that is a number")
            << QByteArray("\"layers\":[") << QByteArray("\"layers\":[5,") << "layer 0: slots";
    }
    void broken_reports_are_refused() {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(QString, field);
        QByteArray json(to_json(report_of()).c_str());
        QVERIFY(json.contains(from));
        const auto read = parse_cache_report(json.replace(from, to).toStdString(), "a.json");
        QVERIFY(!read);
        QCOMPARE(read.error().code, ErrorCode::BadFile);
        QCOMPARE(QString::fromStdString(read.error().field), field);
    }
};

QTEST_GUILESS_MAIN(CacheBoundTest)
#include "cache_bound_test.moc"
