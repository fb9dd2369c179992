// What other programs print, and the table made of it.
#include "bench/comparison.h"

#include <QtTest>

#include "bench/child_process.h"
#include "bench/record.h"

using namespace hearth;
using namespace hearth::bench;

namespace {

const Test kPrefill{false, 512, 0};
const Test kDecode{true, 64, 0};

Run run_of(std::string engine, const Test& test, std::vector<double> per_s, double beside) {
    return {"folder/a.gguf", std::move(engine), 0, beside, {{test, std::move(per_s)}}, 1e9, {},
            {test}};
}

Run failed_run(std::string engine, const Test& test, std::string failure) {
    Run run = run_of(std::move(engine), test, {}, 50);
    run.speeds.clear();
    run.failure = std::move(failure);
    return run;
}

std::vector<ModelFacts> one_model() {
    return {{"folder/a.gguf", "a", 700'000'000, 2e9, {}}};
}

QString text_of(const std::string& text) {
    return QString::fromStdString(text);
}

}  // namespace

class ComparisonTest : public QObject {
    Q_OBJECT

private slots:
    void medians() {
        QCOMPARE(median({}), 0.0);
        QCOMPARE(median({3}), 3.0);
        QCOMPARE(median({5, 1, 3}), 3.0);
        QCOMPARE(median({4, 1, 3, 2}), 2.5);
    }

    void names_of_tests() {
        QCOMPARE(to_string(kPrefill), std::string("prefill 512"));
        QCOMPARE(to_string(Test{true, 64, 4096}), std::string("decode 64 after 4096"));
    }

    void reads_llama_bench_data() {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<bool>("is_decode");
        QTest::addColumn<int>("tokens");
        QTest::addColumn<int>("depth");
        QTest::newRow("prefill") << QByteArray(
                                        R"([{"n_prompt":512,"n_gen":0,"test":"pp512",
                                            "samples_ts":[400.5,410.5]}])")
                                 << false << 512 << 0;
        QTest::newRow("decode") << QByteArray(
                                       R"([{"n_prompt":0,"n_gen":64,"test":"tg64",
                                           "samples_ts":[400.5,410.5]}])")
                                << true << 64 << 0;
        QTest::newRow("ik after a prompt")
            << QByteArray(R"([{"n_prompt":4096,"n_gen":64,"test":"tg64@pp4096",
                              "samples_ts":[400.5,410.5]}])")
            << true << 64 << 4096;
        QTest::newRow("llama.cpp at a depth")
            << QByteArray(R"([{"n_prompt":0,"n_gen":64,"n_depth":4096,
                              "samples_ts":[400.5,410.5]}])")
            << true << 64 << 4096;
    }
    void reads_llama_bench() {
        QFETCH(QByteArray, json);
        QFETCH(bool, is_decode);
        QFETCH(int, tokens);
        QFETCH(int, depth);
        const auto speeds = parse_llama_bench(json.toStdString());
        QVERIFY(speeds);
        QCOMPARE(speeds->size(), 1U);
        QVERIFY((speeds->front().test == Test{is_decode, tokens, depth}));
        QCOMPARE(speeds->front().per_s, (std::vector<double>{400.5, 410.5}));
    }

    void prompt_and_answer_in_one_is_no_test_of_ours() {
        const auto speeds = parse_llama_bench(
            R"([{"n_prompt":512,"n_gen":64,"test":"pp512+tg64","samples_ts":[9]},
                {"n_prompt":0,"n_gen":64,"test":"tg64","samples_ts":[8]}])");
        QVERIFY(speeds);
        QCOMPARE(speeds->size(), 1U);
        QCOMPARE(speeds->front().per_s.front(), 8.0);
    }

    void refuses_llama_bench_data() {
        QTest::addColumn<QByteArray>("json");
        for (const char* json :
             {"", "no json", "{}", "[]", "[1,null,\"x\"]", "[{\"n_prompt\":512}]",
              R"([{"n_prompt":512,"n_gen":0,"samples_ts":[0,-1,"x"]}])",
              R"([{"n_prompt":1e300,"n_gen":0,"samples_ts":[5]}])",
              R"([{"n_prompt":512,"n_gen":0,"samples_ts":[5]})"}) {
            QTest::newRow(json) << QByteArray(json);
        }
    }
    void refuses_llama_bench() {
        QFETCH(QByteArray, json);
        const auto speeds = parse_llama_bench(json.toStdString());
        QVERIFY(!speeds);
        QCOMPARE(speeds.error().code, ErrorCode::BadFile);
    }

    void reads_hearth_bench() {
        const auto output = parse_hearth_bench(
            R"({"schema":1,"command":"bench","depth":4096,"load_ms":812.5,
                "settings":{"threads":2,"isa":"avx512"},
                "prefill":{"tokens":0,"runs":[]},"decode":{"tokens":64,"runs":[50.5,51.5]},
                "memory":{"rss_peak_bytes":900000000,"kv_bytes":134217728},
                "bytes_per_token":{"ram":763000000}})");
        QVERIFY(output);
        QCOMPARE(output->speeds.size(), 1U);
        QVERIFY((output->speeds.front().test == Test{true, 64, 4096}));
        QCOMPARE(output->speeds.front().per_s, (std::vector<double>{50.5, 51.5}));
        QCOMPARE(output->footprint.load_ms, 812.5);
        QCOMPARE(output->footprint.rss_peak_bytes, std::uint64_t{900000000});
        QCOMPARE(output->footprint.kv_bytes, std::uint64_t{134217728});
        QCOMPARE(output->bytes_per_token, 763e6);
        QCOMPARE(output->isa, std::string("avx512"));
        QCOMPARE(output->threads, 2);
    }

    void hearths_own_error_is_shown() {
        const auto output =
            parse_hearth_bench(R"({"error":{"code":"not_found","message":"no such file"}})");
        QVERIFY(!output);
        QCOMPARE(output.error().message, std::string("no such file"));
        QVERIFY(!parse_hearth_bench(""));
        QVERIFY(!parse_hearth_bench("[]"));
        QVERIFY(!parse_hearth_bench("{}"));
    }

    void the_best_variant_of_the_peer_counts() {
        const std::vector<Run> runs{
            run_of("Hearth", kDecode, {30, 50}, 50), run_of("-rtr 0", kDecode, {20}, 50),
            run_of("-rtr 1", kDecode, {25}, 40), run_of("Hearth", kDecode, {40}, 80)};
        const std::vector<Row> rows = make_rows(one_model(), runs, 1e12);
        QCOMPARE(rows.size(), 1U);
        const Row& row = rows.front();
        QCOMPARE(row.model, std::string("a"));
        QCOMPARE(row.ours_per_s, 40.0);  // of 30, 50, 40
        QCOMPARE(row.peer_per_s, 25.0);
        QCOMPARE(row.peer, std::string("-rtr 1"));
        QCOMPARE(row.ours_gb_per_s, 40.0);
        // 40 of 50 GB/s, then 40 of 80: each against what was measured beside it.
        QCOMPARE(row.ours_share, 0.65);
        QCOMPARE(row.peer_share, 0.625);
        const QString table = text_of(speed_table(rows, "peer"));
        QVERIFY2(table.contains("| a | decode 64 | 40.0 | 40.0 GB/s, 65 % | 25.0 | "
                                "25.0 GB/s, 62 % | 1.60 | -rtr 1 |\n"),
                 qPrintable(table));
    }

    void prefill_is_a_share_of_the_peak() {
        const std::vector<Run> runs{run_of("Hearth", kPrefill, {300}, 50),
                                    run_of("-fa 1", kPrefill, {200}, 50)};
        const Row row = make_rows(one_model(), runs, 1e12).front();
        QCOMPARE(row.ours_share, 0.6);
        QCOMPARE(row.peer_share, 0.4);
        QCOMPARE(row.ours_gb_per_s, 0.0);
        QVERIFY(text_of(speed_table({row}, "peer")).contains("| 300 | 60 % | 200 | 40 % | 1.50 |"));
        // Without a known peak the speeds still stand.
        QCOMPARE(make_rows(one_model(), runs, 0).front().ours_share, 0.0);
    }

    void a_peer_that_fails_leaves_the_rest() {
        const std::vector<Run> runs{run_of("Hearth", kDecode, {40}, 50),
                                    failed_run("-rtr 0", kDecode, "illegal | instruction\n"),
                                    run_of("Hearth", kPrefill, {300}, 50),
                                    failed_run("-rtr 0", kPrefill, "killed"),
                                    run_of("-rtr 1", kPrefill, {100}, 50)};
        const std::vector<Row> rows = make_rows(one_model(), runs, 1e12);
        QCOMPARE(rows.size(), 2U);
        const QString table = text_of(speed_table(rows, "peer"));
        QVERIFY2(table.contains("| - | - | - | failed: illegal \\| instruction  |\n"),
                 qPrintable(table));
        QCOMPARE(rows[1].peer, std::string("-rtr 1"));
        QVERIFY(!table.contains("killed"));
    }

    void hearth_failing_leaves_the_peers_row() {
        const std::vector<Run> runs{failed_run("Hearth", kDecode, "does not load"),
                                    run_of("-rtr 1", kDecode, {25}, 40)};
        const Row row = make_rows(one_model(), runs, 1e12).front();
        QCOMPARE(row.ours_per_s, 0.0);
        QCOMPARE(row.peer_per_s, 25.0);
        QVERIFY(text_of(speed_table({row}, "peer")).contains("| a | decode 64 | - | - | 25.0 |"));
    }

    void without_a_peer_the_table_is_ours_alone() {
        const std::vector<Run> runs{run_of("Hearth", kDecode, {40}, 50)};
        const QString table = text_of(speed_table(make_rows(one_model(), runs, 1e12), ""));
        QCOMPARE(table.split('\n').at(0),
                 QString("| model | test | Hearth, tokens/s | of the limit |"));
        QVERIFY(table.contains("| a | decode 64 | 40.0 | 40.0 GB/s, 80 % |\n"));
    }

    void memory_above_file_and_cache() {
        std::vector<ModelFacts> models = one_model();
        QCOMPARE(text_of(memory_table(models)).count('\n'), 2);  // nothing known yet
        models.front().footprints = {{500, 850'000'000, 50'000'000},
                                     {700, 860'000'000, 50'000'000}};
        const QString table = text_of(memory_table(models));
        QVERIFY2(table.contains("| a | 700 MB | 50 MB | 860 MB | 110 MB | 0.60 s |\n"),
                 qPrintable(table));
        models.front().footprints = {{500, 0, 50'000'000}};
        QVERIFY(text_of(memory_table(models)).contains("| 50 MB | - | - | 0.50 s |"));
    }

    void measurements_survive_their_file() {
        Measurements all;
        all.cpu = "a \"processor\"";
        all.threads = 2;
        all.peaks = {{"avx512", "vpdpbusd 512", true, 2.18e12}};
        all.records = {
            {"folder/a.gguf",
             "Hearth",
             1,
             {kPrefill, kDecode},
             50.5,
             49.5,
             1,
             0.5,
             R"({"decode":{"tokens":64,"runs":[50.5]},"bytes_per_token":{"ram":5e8},
                            "settings":{"threads":2,"isa":"avx2"}})",
             ""},
            {"folder/a.gguf", "-fa 1", 1, {kDecode}, 49.5, 48, 0.5, 1, "no JSON\xFF", "killed"}};
        const auto back = parse_measurements(to_json(all));
        QVERIFY(back);
        QCOMPARE(back->cpu, all.cpu);
        QCOMPARE(back->threads, 2);
        QCOMPARE(back->peaks.size(), 1U);
        QCOMPARE(back->peaks[0].operations_per_s, 2.18e12);
        QVERIFY(back->peaks[0].is_integer);
        QCOMPARE(back->records.size(), 2U);
        QCOMPARE(back->records[0].idle_after, 0.5);
        QCOMPARE(back->records[1].idle_before, 0.5);

        HearthOutput hearth;
        const Run ours = evaluate(back->records[0], hearth);
        QCOMPARE(ours.engine, std::string("Hearth"));
        QCOMPARE(ours.round, 1);
        QCOMPARE(ours.gb_per_s_beside, 50.0);
        QVERIFY((ours.wanted == std::vector<Test>{kPrefill, kDecode}));
        QCOMPARE(ours.speeds.size(), 1U);
        QCOMPARE(ours.bytes_per_token, 5e8);
        QCOMPARE(hearth.isa, std::string("avx2"));
        QVERIFY(ours.failure.empty());
        HearthOutput none;
        QCOMPARE(evaluate(back->records[1], none).failure, std::string("killed"));
        QVERIFY(none.isa.empty());
    }

    void what_is_no_file_of_measurements_is_refused_data() {
        QTest::addColumn<QByteArray>("json");
        for (const char* json :
             {"", "[]", "{}", R"({"cpu":1,"threads":2})", R"({"cpu":"x","threads":-1})",
              R"({"cpu":"x","threads":2,"records":[{}]})",
              R"({"cpu":"x","threads":2,"peaks":[{"table":"avx2"}]})"}) {
            QTest::newRow(json) << QByteArray(json);
        }
    }
    void what_is_no_file_of_measurements_is_refused() {
        QFETCH(QByteArray, json);
        QVERIFY(!parse_measurements(json.toStdString()));
    }

    void pieces_of_one_machine_join() {
        Measurements piece;
        piece.cpu = "one";
        piece.threads = 2;
        piece.records.resize(3);
        Measurements all;
        QVERIFY(join(all, piece));
        QVERIFY(join(all, piece));
        QCOMPARE(all.records.size(), 6U);
        piece.threads = 1;
        QVERIFY(!join(all, piece));
        piece.threads = 2;
        piece.cpu = "another";
        QVERIFY(!join(all, piece));
        QCOMPARE(all.records.size(), 6U);
    }

    void arguments_reach_a_child_unchanged() {
        const std::string program = QCoreApplication::applicationFilePath().toStdString();
        for (const char* text : {"plain", "two words", "'quotes' \"both\"", "$HOME `x` \\ %PATH%",
                                 "semi;colon & pipe | star *", ""}) {
            const ChildResult result = run_child({program, "--echo", text});
            QVERIFY(result.started);
            QCOMPARE(result.status, 0);
            QCOMPARE(text_of(result.output), QString(text));
        }
    }

    void a_child_that_fails_says_why() {
        const std::string program = QCoreApplication::applicationFilePath().toStdString();
        const ChildResult failed = run_child({program, "--fail"});
        QVERIFY(failed.status != 0);
        QCOMPARE(text_of(failed.last_error), QString("the last line"));
        const ChildResult missing = run_child({program + "-none-such"});
        QVERIFY(missing.status != 0);
        QVERIFY(missing.output.empty());
        QVERIFY(!missing.last_error.empty());
    }

    void a_child_that_prints_without_end_is_cut() {
        const std::string program = QCoreApplication::applicationFilePath().toStdString();
        const ChildResult result = run_child({program, "--flood"});
        QCOMPARE(result.status, 0);
        QVERIFY(result.is_cut);
        QVERIFY(result.output.size() <= kMostOutput);
    }

    void children_inherit_the_environment() {
        const std::string program = QCoreApplication::applicationFilePath().toStdString();
        set_environment("HEARTH_COMPARISON_TEST", "seen");
        QCOMPARE(text_of(run_child({program, "--variable"}).output), QString("seen"));
    }
};

// The test is its own child.
int main(int argc, char** argv) {
    const std::string_view task = argc > 1 ? argv[1] : "";
    if (task == "--echo" && argc == 3) {
        std::fputs(argv[2], stdout);
        return 0;
    }
    if (task == "--fail") {
        std::fputs("a first line\nthe last line\n\n", stderr);
        return 3;
    }
    if (task == "--variable") {
        std::fputs(qgetenv("HEARTH_COMPARISON_TEST").constData(), stdout);
        return 0;
    }
    if (task == "--flood") {
        const std::string piece(1 << 20, 'x');
        for (int i = 0; i < 20; ++i) {
            std::fwrite(piece.data(), 1, piece.size(), stdout);
        }
        return 0;
    }
    QCoreApplication app(argc, argv);
    ComparisonTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "comparison_test.moc"
