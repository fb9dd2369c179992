// The figures that bench makes of many measurements.
#include "report.h"

#include <QtTest>
#include <numeric>

using namespace hearth::cli;

class ReportTest : public QObject {
    Q_OBJECT

private slots:
    // Each of the figures of a line tells a layer from the one before it.
    void layersThatAreAlikeShareALine() {
        using Layer = hearth::tools::PlanReport::Layer;
        const auto layer = [](int index, const char* attention, int hot, std::uint64_t vram,
                              std::uint64_t ram) {
            Layer made;
            made.index = index;
            made.attention = attention;
            made.hot_neurons = hot;
            made.ffn_vram_bytes = vram;
            made.ffn_ram_bytes = ram;
            return made;
        };
        const std::uint64_t mib = 1 << 20;
        const std::vector<Layer> layers{
            layer(0, "ram", 0, 0, 4 * mib),        layer(1, "ram", 0, 0, 4 * mib),
            layer(2, "vram", 0, 0, 4 * mib),       layer(3, "vram", 8, 2 * mib, 4 * mib),
            layer(4, "vram", 9, 2 * mib, 4 * mib), layer(5, "vram", 9, 3 * mib, 4 * mib),
            layer(6, "vram", 9, 3 * mib, 0),       layer(7, "vram", 9, 3 * mib, 0)};
        Layer mixture = layer(8, "vram", 96, 3 * mib, mib);
        mixture.n_experts = 16;
        mixture.hot_experts = 12;
        QCOMPARE(layers_text({mixture}),
                 std::string("layer 8: feed-forward 1.0 MiB in RAM, 3.0 MiB in VRAM (12 of 16 "
                             "experts); attention and KV cache in VRAM\n"));
        QCOMPARE(
            layers_text(layers),
            std::string("layers 0 to 1: feed-forward 4.0 MiB in RAM; attention and KV cache in "
                        "RAM\n"
                        "layer 2: feed-forward 4.0 MiB in RAM; attention and KV cache in "
                        "VRAM\n"
                        "layer 3: feed-forward 4.0 MiB in RAM, 2.0 MiB in VRAM (8 hot "
                        "neurons); attention and KV cache in VRAM\n"
                        "layer 4: feed-forward 4.0 MiB in RAM, 2.0 MiB in VRAM (9 hot "
                        "neurons); attention and KV cache in VRAM\n"
                        "layer 5: feed-forward 4.0 MiB in RAM, 3.0 MiB in VRAM (9 hot "
                        "neurons); attention and KV cache in VRAM\n"
                        "layers 6 to 7: feed-forward 3.0 MiB in VRAM (9 hot neurons); "
                        "attention and KV cache in VRAM\n"));
    }

    void medians() {
        QCOMPARE(median(std::vector{7.0}), 7.0);
        QCOMPARE(median(std::vector{9.0, 1.0, 4.0}), 4.0);
        QCOMPARE(median(std::vector{8.0, 1.0, 4.0, 2.0}), 3.0);
    }

    // The smallest value that so many are not above: one that was measured, never one between.
    void percentiles() {
        std::vector<double> values(10);
        std::iota(values.rbegin(), values.rend(), 1.0);
        QCOMPARE(percentile(values, 50), 5.0);
        QCOMPARE(percentile(values, 90), 9.0);
        QCOMPARE(percentile(values, 91), 10.0);
        QCOMPARE(percentile(values, 99), 10.0);
        QCOMPARE(percentile(values, 0), 1.0);
        QCOMPARE(percentile(values, 100), 10.0);
        QCOMPARE(percentile(std::vector{7.0}, 50), 7.0);
    }

    // Bytes that went to the GPU were loaded, too; a load that took no time has no speed.
    void loadSpeed() {
        hearth::LoadTimings timings;
        hearth::MemoryReport memory;
        memory.weights.actual_bytes = 3'000'000;
        memory.vram_weights.actual_bytes = 5'000'000;
        QVERIFY(load_speed_json(timings, memory).is_null());
        timings.total_ms = 4;
        QCOMPARE(load_speed_json(timings, memory).get<double>(), 2.0);
    }

    // No two figures are alike, so that each stands under its own name.
    void figuresOfMemory() {
        hearth::MemoryReport memory;
        memory.weights = {1 << 10, 2 << 10};
        memory.kv = {3 << 10, 4 << 10};
        memory.scratch = {5 << 10, 6 << 10};
        memory.ram_budget_bytes = 7 << 10;
        const Json plain = memory_json(memory);
        QCOMPARE(plain["ledger_bytes"].get<int>(), 12 << 10);
        QVERIFY(plain["vram_driver_bytes"].is_null());
        QVERIFY(memory_line(memory).starts_with(
            "weights 1.0 KiB planned, 2.0 KiB used; kv 3.0 KiB planned, 4.0 KiB used; "
            "scratch 5.0 KiB planned, 6.0 KiB used; peak RSS "));
        QVERIFY(memory_line(memory).ends_with("; budget 7.0 KiB"));
        memory.vram_weights = {0, 8 << 10};
        memory.vram_kv = {0, 9 << 10};
        memory.vram_scratch = {0, 10 << 10};
        memory.vram_bytes = 27 << 10;
        memory.vram_budget_bytes = 28 << 10;
        memory.vram_driver_bytes = 29 << 10;
        const Json with_gpu = memory_json(memory);
        for (const auto& [name, kib] : {std::pair("weights_bytes", 2),
                                        {"kv_bytes", 4},
                                        {"scratch_bytes", 6},
                                        {"vram_bytes", 27},
                                        {"vram_weights_bytes", 8},
                                        {"vram_kv_bytes", 9},
                                        {"vram_scratch_bytes", 10},
                                        {"vram_driver_bytes", 29}}) {
            QVERIFY2(with_gpu[name] == kib << 10, name);
        }
        QVERIFY(memory_line(memory).find("; VRAM 27.0 KiB of 28.0 KiB; peak RSS ") !=
                std::string::npos);
    }

    void figuresOfFlash() {
        hearth::FlashReport flash;
        QVERIFY(flash_line(flash).empty());
        QVERIFY(flash_json(flash)["hit_rate"].is_null());
        QVERIFY(flash_json(flash)["read_ms"]["p50"].is_null());
        flash.bytes_per_token = 1 << 20;
        flash.read_bytes = 5;
        flash.reads = 6;
        flash.read_p50_ms = 1, flash.read_p90_ms = 2, flash.read_p99_ms = 3;
        flash.stall_p50_ms = 4, flash.stall_p90_ms = 5, flash.stall_p99_ms = 6;
        QCOMPARE(flash_line(flash),
                 std::string("1.0 MiB of the weights are read from disk for each token"));
        flash.caches_neurons = true;
        QVERIFY(flash_line(flash).ends_with(
            "for each token; neurons are read from disk when a token needs them"));
        flash.are_experts = true;
        QVERIFY(flash_line(flash).ends_with(
            "for each token; experts are read from disk when a token needs them"));
        flash.are_experts = false;
        flash.bytes_per_token = 0;
        flash.neuron_hits = 3;
        flash.neuron_misses = 1;
        flash.why_not_direct = "it is in memory";
        QCOMPARE(flash_line(flash),
                 std::string("neurons are read from disk when a token needs them, memory had 75 % "
                             "of them, through the page cache: it is in memory"));
        const Json json = flash_json(flash);
        QCOMPARE(json["read_bytes"].get<int>(), 5);
        QCOMPARE(json["reads"].get<int>(), 6);
        QCOMPARE(json["hit_rate"].get<double>(), 0.75);
        QVERIFY(json["read_ms"] == (Json{{"p50", 1.0}, {"p90", 2.0}, {"p99", 3.0}}));
        QVERIFY(json["stall_ms"] == (Json{{"p50", 4.0}, {"p90", 5.0}, {"p99", 6.0}}));
    }

    void figuresOfGuesses() {
        hearth::FlashReport flash;
        flash.caches_neurons = flash.are_experts = true;
        flash.experts_guessed = 200;
        flash.guessed_right = 150;
        flash.read_ahead = 40;
        flash.read_ahead_used = 10;
        QCOMPARE(flash_line(flash),
                 std::string("experts are read from disk when a token needs them; the next layer's "
                             "are guessed, 75 % right, 25 % of 40 that were read early were used"));
        flash.guess_trials = 1;
        flash.guesses_pay = true;
        flash.guess_gain = 0.081;
        QVERIFY(flash_line(flash).ends_with(
            "were used, which saved 8.1 % of a token's time when it was tried and is done"));
        const Json json = flash_json(flash);
        QCOMPARE(json["experts_guessed"].get<int>(), 200);
        QCOMPARE(json["read_ahead_used"].get<int>(), 10);
        QCOMPARE(json["guess_gain"].get<double>(), 0.081);
        QVERIFY(json["guesses_pay"].get<bool>());
    }

    void placesOfExperts() {
        QVERIFY(hearth::cli::experts_json({}).is_null());
        QVERIFY(hearth::cli::experts_line({}).empty());
        const hearth::ExpertsServed experts{.vram = 5, .ram = 2, .disk = 1};
        QVERIFY(hearth::cli::experts_json(experts) == (Json{{"vram", 5}, {"ram", 2}, {"disk", 1}}));
        QCOMPARE(
            hearth::cli::experts_line(experts),
            std::string("experts chosen: 62.5 % from VRAM, 25.0 % from RAM, 12.5 % from disk"));
    }

    void figuresOfTheGpu() {
        hearth::EngineSettings settings;
        QVERIFY(gpu_line(settings).empty());
        settings.gpu_note = "it is busy";
        QCOMPARE(gpu_line(settings), std::string("no GPU: it is busy"));
        settings.gpu = "ACME";
        settings.gpu_layers = 3;
        settings.gpu_neurons = 0.4;
        settings.gpu_share = 0.6;
        QCOMPARE(gpu_line(settings),
                 std::string("ACME: attention of 3 layers, 40 % of the neurons, "
                             "60 % of the weights; it is busy"));
        settings.gpu_note.clear();
        settings.gpu_uploads_from = 32;
        QVERIFY(gpu_line(settings).ends_with("60 % of the weights, prompts from 32 tokens on"));
        settings.vram_bytes = 7;
        settings.ram_bytes = 8;
        settings.threads = 9;
        const Json json = settings_json(settings, 11, 0.8F);
        QCOMPARE(json["gpu_layers"].get<int>(), 3);
        QCOMPARE(json["gpu_neurons"].get<double>(), 0.4);
        QCOMPARE(json["gpu_streams_from"].get<int>(), 32);
        QVERIFY(json["gpu_note"].is_null());
        QCOMPARE(json["vram_bytes"].get<int>(), 7);
        QCOMPARE(json["ram_bytes"].get<int>(), 8);
        QCOMPARE(json["threads"].get<int>(), 9);
        QCOMPARE(json["seed"].get<int>(), 11);
        QCOMPARE(json["temp"].get<double>(), 0.8);
        QCOMPARE(json["paths"].get<std::string>(), std::string("fixed"));
    }

    // Microseconds are of all dispatches, and shown for each; bytes in those are GB/s.
    void tracedTimes() {
        QVERIFY(trace_table({}).empty());
        const std::string table = trace_table({{"gemv", 4, 100, 2'000'000}, {"norm", 2, 10, 0}});
        const QStringList lines = QString::fromStdString(table).split('\n');
        QCOMPARE(lines.size(), 4);
        QCOMPARE(lines[0].simplified(), QString("gemv 4 dispatches 25.0 us each 100 us 20 GB/s"));
        QCOMPARE(lines[1].simplified(), QString("norm 2 dispatches 5.0 us each 10 us"));
        QCOMPARE(lines[2], QString("all 110 us"));
    }

    void shares() {
        hearth::DecodeStatistics decoded;
        QVERIFY(share_json(decoded)["cpu"].is_null());
        QVERIFY(share_json(decoded)["gpu"].is_null());
        decoded.cpu_share = 0.25;
        decoded.gpu_share = 0.75;
        QCOMPARE(share_json(decoded)["cpu"].get<double>(), 0.25);
        QCOMPARE(share_json(decoded)["gpu"].get<double>(), 0.75);
    }
};

QTEST_GUILESS_MAIN(ReportTest)
#include "report_test.moc"
