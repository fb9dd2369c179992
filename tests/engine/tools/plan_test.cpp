// tools::plan on small files: what is read, what is said where something is missing.
#include <QtTest>
#include <algorithm>
#include <filesystem>

#include <hearth/tools.h>

#include "flash/disk_probe_file.h"
#include "hardware/memory_info.h"
#include "model/model_hash.h"
#include "plan/profile_file.h"
#include "plan/self_profile.h"
#include "support/gguf_builder.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using namespace hearth;
using test::TinyModel;

namespace {

constexpr std::uint64_t kNeuron = 3 * 64 * sizeof(float);
constexpr std::uint64_t kNeurons = 2 * 96 * kNeuron;

bool says(const tools::PlanReport& report, const std::string& words) {
    return std::any_of(report.reasons.begin(), report.reasons.end(), [&](const std::string& text) {
        return text.find(words) != std::string::npos;
    });
}

DiskProbe disk_with(const std::string& disk, double gb_per_s) {
    return {.disk = disk,
            .path = "a",
            .direct = true,
            .alignment = 512,
            .sequential_bytes_per_s = gb_per_s * 1e9,
            .random = {{8192, 8, gb_per_s * 1e5}},
            .depth = 8,
            .largest_read_bytes = 262'144,
            .merge_gap_bytes = 512};
}

}  // namespace

class PlanTest : public QObject {
    Q_OBJECT

private:
    test::TempDir dir_;
    std::string model_;

    tools::PlanOptions options() const {
        tools::PlanOptions o;
        o.model_path = model_;
        o.ram_bytes = std::uint64_t{1} << 30;
        o.threads = 1;
        o.speeds = MachineSpeeds{.ram_read_gb_per_s = 10};
        return o;
    }

    // Of layer 0 the last neurons fire, of layer 1 none but the first 32.
    void write_profile_to(const std::string& path, const std::string& hash) const {
        ActivationProfile profile;
        profile.model_hash = hash;
        profile.tokens = 1000;
        profile.groups[0] = 1000;
        profile.layers.resize(2);
        for (std::size_t l = 0; l < 2; ++l) {
            for (auto& fired : profile.layers[l].fired) {
                fired.assign(96, 0);
            }
            for (std::uint32_t n = 0; n < 96; ++n) {
                profile.layers[l].fired[0][n] = l == 0 ? 10 * n : (n < 32 ? 500 : 0);
            }
        }
        QVERIFY(write_profile(path, profile));
    }

private slots:
    void initTestCase() {
        model_ = dir_.file("tiny.gguf");
        QVERIFY(TinyModel().write(model_));
    }

    void everythingInRam() {
        const auto report = tools::plan(options());
        QVERIFY(report);
        QCOMPARE(report->fits, std::string("ram"));
        QCOMPARE(report->mode, std::string("exact"));
        QVERIFY(!report->has_profile && !report->solver);
        QCOMPARE(report->ram.total(), report->peak_ram_bytes.value());
        QCOMPARE(report->vram.total(), std::uint64_t{0});
        QCOMPARE(report->layers.size(), std::size_t{2});
        QCOMPARE(report->layers[1].ffn_ram_bytes, kNeurons / 2);
        QVERIFY(report->forecast.decode_per_s->mid > 0);
        QVERIFY(report->forecast.prefill_per_s.value_or(0) > 0);
        QVERIFY(report->forecast.ttft_ms.value_or(0) > 0);
        QVERIFY(std::abs(*report->forecast.ttft_ms * *report->forecast.prefill_per_s / 256'000 -
                         1) < 0.01);
        QVERIFY(says(*report, "there is no activation profile of this model"));
        QVERIFY(!says(*report, "processor only"));
        // The plan of the engine itself.
        EngineOptions load;
        load.model_path = model_;
        load.threads = 1;
        load.ram_bytes = options().ram_bytes;
        auto engine = Engine::load(load);
        QVERIFY(engine);
        QCOMPARE((*engine)->memory().planned_bytes(), report->ram.total());
        const auto beside = tools::forecast(std::move(*engine), 100);
        QVERIFY(beside);
        QVERIFY(beside->decode_per_s && beside->decode_per_s->mid > 0);
        QVERIFY(beside->ram_read_gb_per_s > 0 && !beside->disk_read_gb_per_s);
    }

    // Of a header alone the disk is that of the folder that the model will lie in, and never the
    // file, whose hole reads faster than any disk.
    void theDiskOfAModelThatIsNotThere() {
        auto header = options();
        header.model_path = dir_.file("header.gguf");
        QVERIFY(TinyModel({.n_embd = 256, .n_ff = 1024}).write(header.model_path));
        header.cache_folder = dir_.file("cache");
        header.mode = "dense";
        header.speeds = MachineSpeeds{.ram_read_gb_per_s = 10, .cpu_gflop_per_s = 100};
        const auto whole = tools::plan(header);
        QVERIFY(whole);
        header.ram_bytes = whole->ram.total() - whole->ram.weights / 3;
        const auto unknown = tools::plan(header);  // too small to measure on
        QVERIFY2(unknown, unknown ? "" : unknown.error().message.c_str());
        QVERIFY(unknown->flash_weights_bytes > 0);
        QCOMPARE(unknown->fits, std::string("flash"));
        std::uint64_t streamed = 0;
        for (const tools::PlanReport::Layer& layer : unknown->layers) {
            QCOMPARE(layer.ffn_ram_bytes + layer.ffn_flash_bytes,
                     std::uint64_t{3 * 1024 * 256 * sizeof(float)});
            streamed += layer.ffn_flash_bytes;
        }
        QVERIFY(streamed > 0 && streamed <= unknown->flash_weights_bytes);
        QVERIFY(!unknown->forecast.decode_per_s);
        QVERIFY(says(*unknown, "the speed of the disk could not be measured"));

        // Large enough, and a hole: it is not read, wherever else there is nothing to measure.
        std::filesystem::resize_file(header.model_path, 2 * kProbedBytesMin);
        header.disk_folder = dir_.file("none");
        const auto hole = tools::plan(header);
        QVERIFY2(hole, hole ? "" : hole.error().message.c_str());
        QVERIFY(!hole->forecast.decode_per_s);
        QVERIFY(says(*hole, "the speed of the disk could not be measured"));

        const std::string disk = disk_of(dir_.path());
        QVERIFY(!disk.empty());
        const auto with = [&](double gb_per_s) {
            QVERIFY(keep_disk_probe(header.cache_folder, version(), disk_with(disk, gb_per_s)));
        };
        header.disk_folder = dir_.path();
        with(2);
        const auto fast = tools::plan(header);
        with(0.1);
        const auto slow = tools::plan(header);
        QVERIFY(fast && slow && fast->forecast.decode_per_s && slow->forecast.decode_per_s);
        QVERIFY(fast->forecast.decode_per_s->mid > 5 * slow->forecast.decode_per_s->mid);
    }

    // bench's forecast knows the disk as plan's does, also where experts come from slots: as it was
    // measured before, else now, and the file is too small for that.
    void theEnginesForecastKnowsTheDisk_data() {
        QTest::addColumn<std::string>("arch");
        QTest::newRow("streamed weights") << std::string("llama");
        QTest::newRow("experts in slots") << std::string("qwen3moe");
    }
    void theEnginesForecastKnowsTheDisk() {
        QFETCH(const std::string, arch);
        const test::TempDir cache;
        EngineOptions load;
        load.model_path = dir_.file("disk.gguf");
        const bool mixture = arch == "qwen3moe";
        QVERIFY(TinyModel({.arch = arch, .n_layer = 3, .n_embd = 256, .n_ff = mixture ? 128 : 1024})
                    .write(load.model_path));
        load.threads = 1;
        load.n_ctx = 64;
        load.gpu = "none";
        load.cache_folder = cache.path();
        load.speeds = MachineSpeeds{.ram_read_gb_per_s = 10, .cpu_gflop_per_s = 50};
        bool reads = false;
        for (std::uint64_t percent = 100; !reads; percent -= 5) {
            const auto engine = Engine::load(load);
            QVERIFY2(engine, engine ? "" : engine.error().message.c_str());
            const FlashReport flash = (*engine)->flash();
            reads = flash.bytes_per_token > 0 || flash.caches_neurons;
            QVERIFY(!reads || flash.are_experts == mixture);
            if (!reads) {
                load.ram_bytes = (*engine)->memory().planned_bytes() * (percent - 5) / 100;
            }
        }
        const auto forecast = [&](int prompt_tokens = 0) {
            auto engine = Engine::load(load);
            return engine ? tools::forecast(std::move(*engine), load.n_ctx, prompt_tokens)
                          : engine.error();
        };
        const auto unknown = forecast();
        QVERIFY2(unknown, unknown ? "" : unknown.error().message.c_str());
        QCOMPARE(unknown->disk_read_gb_per_s, std::optional<double>(0));
        QVERIFY(!unknown->decode_per_s && !unknown->prefill_per_s);

        tools::PlanOptions same;
        same.model_path = load.model_path;
        same.threads = load.threads;
        same.n_ctx = load.n_ctx;
        same.gpu = load.gpu;
        same.ram_bytes = load.ram_bytes;
        same.cache_folder = load.cache_folder;
        same.speeds = load.speeds;
        double slower = 0;
        for (const double gb_per_s : {0.1, 2.0}) {
            QVERIFY(keep_disk_probe(cache.path(), version(),
                                    disk_with(disk_of(load.model_path), gb_per_s)));
            const auto plan = tools::plan(same);
            QVERIFY(plan && plan->forecast.decode_per_s && plan->forecast.prefill_per_s);
            QCOMPARE(plan->fits, std::string("flash"));
            const auto known = forecast();
            QVERIFY(known && known->decode_per_s);
            QCOMPARE(known->disk_read_gb_per_s, std::optional(gb_per_s));
            QCOMPARE(known->decode_per_s->low, plan->forecast.decode_per_s->low);
            QCOMPARE(known->decode_per_s->mid, plan->forecast.decode_per_s->mid);
            QCOMPARE(known->decode_per_s->high, plan->forecast.decode_per_s->high);
            QCOMPARE(known->prefill_per_s, plan->forecast.prefill_per_s);
            // A short prompt has the disk to itself for fewer tokens; a long one is several
            // batches.
            const auto whole = forecast(1 << 20);
            const auto part = forecast(4);
            QVERIFY(whole && part && part->prefill_per_s);
            QCOMPARE(whole->prefill_per_s, known->prefill_per_s);
            QVERIFY(*part->prefill_per_s < *known->prefill_per_s);
            QVERIFY(known->decode_per_s->mid > 2 * slower);
            slower = known->decode_per_s->mid;
        }
    }

    // What this process gives back before it loads the model is there for it.
    void whatIsFreedCounts() {
        auto now = options();
        now.ram_bytes = {};
        const auto before = tools::plan(now);
        now.freed_ram_bytes = std::uint64_t{1} << 50;  // more than there is
        const auto all = tools::plan(now);
        QVERIFY(before && all);
        QVERIFY(all->ram_budget_bytes >= before->ram_budget_bytes);
        const MemoryInfo memory = read_memory_info();
        const std::uint64_t most =
            std::min(memory.total_bytes, memory.limit_bytes.value_or(memory.total_bytes));
        QVERIFY(all->ram_budget_bytes <= most && all->ram_budget_bytes > most / 2);
    }

    void assumedGpu() {
        auto with_gpu = options();
        with_gpu.model_path = dir_.file("by_neuron.gguf");
        QVERIFY(TinyModel({.by_neuron = true}).write(with_gpu.model_path));
        const auto in_ram = tools::plan(with_gpu);
        with_gpu.profile_path = dir_.file("profile.gguf");
        const auto file = GgufFile::open(with_gpu.model_path);
        write_profile_to(with_gpu.profile_path, *model_hash(*file));
        with_gpu.assume_gpu = tools::AssumedGpu{1 << 20, 500, 0.01};
        with_gpu.vram_bytes = 64 * kNeuron;
        const auto report = tools::plan(with_gpu);
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QVERIFY(report->has_profile);
        QCOMPARE(report->fits, std::string("split"));
        QCOMPARE(report->vram_budget_bytes, 64 * kNeuron);
        QCOMPARE(report->vram.total(), 64 * kNeuron);
        QCOMPARE(report->layers[0].hot_neurons, 32);
        QCOMPARE(report->layers[1].hot_neurons, 32);
        QCOMPARE(report->layers[0].ffn_vram_bytes, 32 * kNeuron);
        QCOMPARE(report->layers[0].ffn_ram_bytes, 64 * kNeuron);
        QVERIFY(report->solver);
        QCOMPARE(report->solver->chosen, std::string("forecast"));
        QVERIFY(!report->solver->greedy_value && !report->solver->integer_value);
        // Firings per token: neurons 64 to 95 at n / 100, and 32 at 0.5, of 1000 tokens (k + 1/2 of
        // 1001).
        auto by_paper = with_gpu;
        by_paper.solver = "paper";
        const auto papers = tools::plan(by_paper);
        QVERIFY2(papers, papers ? "" : papers.error().message.c_str());
        QVERIFY(papers->solver);
        QVERIFY(std::abs(papers->solver->greedy_value.value() -
                         (32 * 795 + 32 * 500 + 64 * 0.5) / 1001) < 1e-9);
        QVERIFY(papers->solver->chosen == "integer" || papers->solver->chosen == "greedy");
        QVERIFY(says(*report, "is assumed, not found"));

        // The processor's rows are padded.
        QVERIFY(report->ram.weights + report->vram.weights <= in_ram->ram.weights);
        with_gpu.vram_bytes = 1 << 20;
        const auto all = tools::plan(with_gpu);
        QCOMPARE(all->fits, std::string("gpu"));
        QCOMPARE(all->output, std::string("vram"));
        QCOMPARE(all->layers[0].attention, std::string("vram"));
        QCOMPARE(all->layers[0].ffn_vram_bytes, kNeurons / 2);
        QCOMPARE(all->vram.kv, in_ram->ram.kv);
        QCOMPARE(all->ram.kv, std::uint64_t{0});
        QVERIFY(all->forecast.decode_per_s->mid > report->forecast.decode_per_s->mid);
    }

    // The profile that the model made of itself while it was used.
    void findsItsOwnProfile() {
        const test::TempDir cache;
        auto with_cache = options();
        with_cache.cache_folder = cache.path();
        with_cache.gpu = "none";
        const auto none = tools::plan(with_cache);
        QVERIFY(none && !none->has_profile);
        const auto file = GgufFile::open(model_);
        const std::string hash = *model_hash(*file);
        const auto use = [&](int tokens) {
            SelfProfile profile(hash, std::vector<int>(2, 96));
            for (int t = 0; t < tokens; ++t) {
                for (std::size_t n = 0; n < 24; ++n) {
                    ++profile.fired(0)[n];
                    ++profile.fired(1)[n];
                }
                profile.token_done();
            }
            QVERIFY(profile.save(self_profile_path(cache.path(), hash)));
        };
        use(2);
        const auto two = tools::plan(with_cache);
        QVERIFY(two && !two->has_profile);
        QVERIFY(says(*two, "the model made of itself, from 2 tokens, is not used: at least 100"));
        QCOMPARE(two->forecast.decode_per_s->mid, none->forecast.decode_per_s->mid);
        use(97);
        QVERIFY(!tools::plan(with_cache)->has_profile);
        use(1);
        const auto hundred = tools::plan(with_cache);
        QVERIFY(hundred && hundred->has_profile);
        QVERIFY(says(*hundred, "the model made of itself, from 100 tokens, says how often"));
        QVERIFY(hundred->forecast.decode_per_s->mid > 1.1 * none->forecast.decode_per_s->mid);
        // One that was named comes first, one in the folder is never trusted.
        auto named = with_cache;
        named.profile_path = dir_.file("named.gguf");
        write_profile_to(named.profile_path, hash);
        const auto by_name = tools::plan(named);
        QVERIFY(by_name && says(*by_name, "that was named, from 1000 tokens"));
        QVERIFY(test::write_file(self_profile_path(cache.path(), hash), {}));
        const auto broken = tools::plan(with_cache);
        QVERIFY(broken && !broken->has_profile);
        QVERIFY(says(*broken, "there is no activation profile"));
    }

    // bench's forecast stands on the same profile as plan's.
    void theEnginesForecastKnowsTheProfile() {
        const test::TempDir cache;
        EngineOptions load;
        load.model_path = model_;
        load.threads = 1;
        load.gpu = "none";
        load.profile_folder = cache.path();
        load.keeps_profile = false;
        load.speeds = MachineSpeeds{.ram_read_gb_per_s = 10, .cpu_gflop_per_s = 50};
        const auto before = tools::forecast(std::move(*Engine::load(load)), 100);
        QVERIFY(before && before->decode_per_s);
        QVERIFY(before->prefill_per_s.value_or(0) > 0);
        const std::string hash = *model_hash(*GgufFile::open(model_));
        SelfProfile profile(hash, std::vector<int>(2, 96));
        for (int t = 0; t < 200; ++t) {
            profile.token_done();
        }
        QVERIFY(profile.save(self_profile_path(cache.path(), hash)));
        const auto after = tools::forecast(std::move(*Engine::load(load)), 100);
        QVERIFY(after && after->decode_per_s->mid > 1.1 * before->decode_per_s->mid);
        // It is read only.
        const auto engine = Engine::load(load);
        GenerationOptions options;
        options.max_tokens = 3;
        QVERIFY((*engine)->complete("abc", options, {}, Cancellation()));
        QCOMPARE(*(*engine)->save_profile(), std::uint64_t{0});
    }

    // A GPU that is there: the plan is the one that loading makes, to the byte, and both forecasts
    // know its speeds. Speeds are given, so that it does not matter how busy the machine is.
    void theMachinesGpu_data() {
        QTest::addColumn<int>("percent");  // of what the whole model takes of VRAM; 0: nothing
        QTest::newRow("all of it") << 100;
        QTest::newRow("half") << 50;
        QTest::newRow("none") << 0;
    }
    void theMachinesGpu() {
        QFETCH(int, percent);
        EngineOptions load;
        load.model_path = dir_.file("split.gguf");
        QVERIFY(TinyModel({.n_layer = 3, .n_embd = 128, .n_ff = 4096, .by_neuron = true})
                    .write(load.model_path));
        load.threads = 1;
        load.n_ctx = 64;
        load.gpu = "0";
        load.ram_bytes = std::uint64_t{1} << 30;
        load.speeds = MachineSpeeds{.ram_read_gb_per_s = 10,
                                    .cpu_gflop_per_s = 20,
                                    .gpu_read_gb_per_s = 100,
                                    .to_gpu_gb_per_s = 10,
                                    .from_gpu_gb_per_s = 10,
                                    .round_trip_us = 5,
                                    .gpu_gflop_per_s = 400};
        const auto whole = Engine::load(load);
        if (!whole && whole.error().field == "gpu") {
            QVERIFY(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"));
            QSKIP("there is no GPU, nor lavapipe");
        }
        QVERIFY2(whole, whole ? "" : whole.error().message.c_str());
        const MemoryReport all = (*whole)->memory();
        const std::uint64_t scratch = all.vram_scratch.actual_bytes;
        load.vram_bytes =
            scratch + (all.vram_bytes - scratch) * static_cast<std::uint64_t>(percent) / 100;
        if (percent == 0) {
            load.gpu = "none";
        }
        tools::PlanOptions same;
        same.model_path = load.model_path;
        same.threads = load.threads;
        same.n_ctx = load.n_ctx;
        same.gpu = load.gpu;
        same.ram_bytes = load.ram_bytes;
        same.vram_bytes = load.vram_bytes;
        same.speeds = load.speeds;
        const auto report = tools::plan(same);
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        auto engine = Engine::load(load);
        QVERIFY2(engine, engine ? "" : engine.error().message.c_str());
        const MemoryReport memory = (*engine)->memory();
        QCOMPARE(report->peak_ram_bytes.value(), memory.planned_bytes());
        QCOMPARE(report->peak_ram_bytes.value(), memory.ledger_bytes());
        QCOMPARE(report->peak_vram_bytes.value(), memory.vram_bytes);
        QCOMPARE(report->vram_budget_bytes, memory.vram_budget_bytes);
        QCOMPARE(report->fits, std::string(percent == 100  ? "gpu"
                                           : percent == 50 ? "split"
                                                           : "ram"));
        QCOMPARE(report->gpu.empty(), percent == 0);
        QCOMPARE(report->gpu, percent == 0 ? std::string() : (*engine)->settings().gpu);
        double neurons = 0;
        for (const tools::PlanReport::Layer& layer : report->layers) {
            neurons += layer.hot_neurons / (3.0 * 4096);
        }
        QVERIFY(std::abs(neurons - (*engine)->settings().gpu_neurons) < 1e-9);
        QVERIFY(!says(*report, "processor only"));
        // What bench shows beside its measurements.
        const auto beside = tools::forecast(std::move(*engine), report->n_ctx);
        QVERIFY(beside && beside->decode_per_s && report->forecast.decode_per_s);
        QCOMPARE(beside->decode_per_s->mid, report->forecast.decode_per_s->mid);
        QVERIFY(beside->prefill_per_s && report->forecast.prefill_per_s);
        QCOMPARE(*beside->prefill_per_s, *report->forecast.prefill_per_s);
        QVERIFY(report->forecast.ttft_ms);
        // All in VRAM at 100 GB/s, or all in RAM at 10: bytes over bandwidth, 85 or 80 % of it.
        if (percent != 50) {
            const double bytes = static_cast<double>(report->ram.weights + report->vram.weights);
            const double at = report->forecast.decode_per_s->high * bytes / 1e9;
            const double limit = percent == 0 ? 10 : 100;
            QVERIFY2(at > 0.8 * limit && at < 1.5 * limit, qPrintable(QString::number(at)));
        }
    }

    // No GPU here, and somebody gave a budget of VRAM: why it changes nothing.
    void withoutGpu() {
        auto without = options();
        without.gpu = "none";
        QVERIFY(!says(*tools::plan(without), "GPU"));
        without.vram_bytes = 1000;
        const auto report = tools::plan(without);
        QVERIFY(report);
        QVERIFY(says(*report, "no GPU is used: none was asked for; a budget of VRAM changes"));
        QCOMPARE(report->vram_budget_bytes, std::uint64_t{0});
        without.gpu = "77";
        const auto unknown = tools::plan(without);
        QVERIFY(!unknown && unknown.error().field == "gpu");
    }

    void wholeLayers() {
        auto with_gpu = options();
        with_gpu.assume_gpu = tools::AssumedGpu{1 << 20, 500, 0.01};
        with_gpu.vram_bytes = 150'000;
        with_gpu.split = "layers";
        const auto report = tools::plan(with_gpu);
        QVERIFY(report);
        QCOMPARE(report->fits, std::string("split"));
        QCOMPARE(report->solver->chosen, std::string("layers"));
        QCOMPARE(report->layers[0].hot_neurons, 0);
        QCOMPARE(report->layers[1].hot_neurons, 96);
        QCOMPARE(report->layers[0].attention, std::string("ram"));
        QCOMPARE(report->layers[1].attention, std::string("vram"));
        with_gpu.split = "slices";
        const auto wrong = tools::plan(with_gpu);
        QVERIFY(!wrong && wrong.error().code == ErrorCode::InvalidArgument);
        // The paper places neurons.
        with_gpu.split = "layers";
        with_gpu.solver = "paper";
        const auto both = tools::plan(with_gpu);
        QVERIFY(!both && both.error().field == "solver");
        with_gpu.split = "";
        with_gpu.solver = "guess";
        const auto unknown = tools::plan(with_gpu);
        QVERIFY(!unknown && unknown.error().field == "solver");
    }

    void doesNotFit() {
        auto tight = options();
        tight.ram_bytes = 1000;
        const auto report = tools::plan(tight);
        QVERIFY(report);
        QCOMPARE(report->fits, std::string("no"));
        QCOMPARE(report->ram_budget_bytes, std::uint64_t{1000});
        QVERIFY(report->layers.empty() && !report->peak_ram_bytes);
        QVERIFY(!report->forecast.decode_per_s);
        QVERIFY(says(*report, "the budget is 0.0 MB"));
    }

    // What loading refuses is refused, in the same words.
    void modesThatAModelCannotRunIn_data() {
        QTest::addColumn<std::string>("arch");
        QTest::addColumn<bool>("predictors");  // whose input nothing says
        QTest::addColumn<std::string>("mode");
        QTest::addColumn<std::string>("field");  // empty: it runs
        const std::string none;
        QTest::newRow("no predictors") << std::string("bamboo") << false << std::string("predicted")
                                       << std::string("predictors");
        QTest::newRow("an input that nobody says")
            << std::string("bamboo") << true << std::string("predicted")
            << std::string("hearth.predictor.input");
        QTest::newRow("never at zero")
            << std::string("llama") << false << std::string("predicted") << std::string("mode");
        QTest::newRow("no thresholds") << std::string("llama") << false
                                       << std::string("approximate") << std::string("thresholds");
        QTest::newRow("no such mode")
            << std::string("llama") << false << std::string("quick") << std::string("mode");
        for (const char* mode : {"", "exact", "dense"}) {
            QTest::addRow("sparse, \"%s\"", mode)
                << std::string("bamboo") << true << std::string(mode) << none;
            QTest::addRow("dense, \"%s\"", mode)
                << std::string("llama") << false << std::string(mode) << none;
        }
    }
    void modesThatAModelCannotRunIn() {
        QFETCH(const std::string, arch);
        QFETCH(const bool, predictors);
        QFETCH(const std::string, mode);
        QFETCH(const std::string, field);
        auto wanted = options();
        wanted.model_path = dir_.file("mode.gguf");
        auto file = TinyModel({.arch = arch}).file();
        for (const std::string layer : {"blk.0", "blk.1"}) {
            if (predictors) {
                file.tensor(layer + ".fc1.weight", {32, 64}, DType::F32)
                    .tensor(layer + ".fc2.weight", {96, 32}, DType::F32);
            }
        }
        QVERIFY(file.write(wanted.model_path));
        wanted.mode = mode;
        const auto planned = tools::plan(wanted);
        EngineOptions load;
        load.model_path = wanted.model_path;
        load.threads = 1;
        load.ram_bytes = wanted.ram_bytes;
        load.mode = mode;
        const auto loaded = Engine::load(load);
        QCOMPARE(planned.has_value(), field.empty());
        QCOMPARE(loaded.has_value(), field.empty());
        if (!field.empty()) {
            QCOMPARE(planned.error().message, loaded.error().message);
            QCOMPARE(planned.error().field, field);
            QCOMPARE(loaded.error().field, field);
            QVERIFY(planned.error().code == ErrorCode::InvalidArgument);
            QVERIFY(loaded.error().code == ErrorCode::InvalidArgument);
            QCOMPARE(planned.error().path, loaded.error().path);
        }
        const auto modes = tools::modes(wanted);
        QVERIFY(modes);
        bool listed = false;
        for (const tools::ModeReport& one : *modes) {
            listed = listed || one.mode == mode;
            if (one.mode == mode) {
                QCOMPARE(one.refused.has_value(), !field.empty());
                QVERIFY(!one.refused || one.refused->message == loaded.error().message);
            }
        }
        QCOMPARE(listed, !mode.empty() && mode != "quick");
        wanted.model_path = dir_.file("none.gguf");
        QVERIFY(tools::modes(wanted).error().code == ErrorCode::NotFound);
    }

    // Predictors inside the model, as PowerInfer's files have them: counted, and read per token.
    void withPredictors() {
        auto with = options();
        with.model_path = dir_.file("predicted.gguf");
        auto file = TinyModel().file();
        file.key("hearth.predictor.input", "residual");
        for (const std::string layer : {"blk.0", "blk.1"}) {
            file.tensor(layer + ".fc1.weight", {32, 64}, DType::F32)
                .tensor(layer + ".fc2.weight", {96, 32}, DType::F32);
        }
        QVERIFY(file.write(with.model_path));
        const auto exact = tools::plan(with);
        QVERIFY2(exact, exact ? "" : exact.error().message.c_str());
        QCOMPARE(exact->ram.predictors, std::uint64_t{0});
        with.mode = "predicted";
        const auto predicted = tools::plan(with);
        QVERIFY(predicted);
        QCOMPARE(predicted->mode, std::string("predicted"));
        QCOMPARE(predicted->ram.predictors, std::uint64_t{2 * 4 * (32 * 64 + 96 * 32)});
        // Rows of neurons are padded to 128 columns, which gates computed whole are not.
        QCOMPARE(predicted->ram.weights - exact->ram.weights,
                 std::uint64_t{2 * 96 * (128 - 64) * 4});
    }

    void brokenProfiles() {
        auto broken = options();
        broken.profile_path = dir_.file("of-another.gguf");
        write_profile_to(broken.profile_path, "0123456789abcdef0123456789abcdef");
        const auto report = tools::plan(broken);
        QVERIFY(!report);
        QVERIFY(!report.error().message.empty());
        broken.profile_path = dir_.file("none.gguf");
        const auto missing = tools::plan(broken);
        QVERIFY(!missing && missing.error().code == ErrorCode::NotFound);
        QCOMPARE(missing.error().path, broken.profile_path);
        broken.profile_path = model_;
        QVERIFY(!tools::plan(broken));
    }

    void wrongNumbers() {
        auto wrong = options();
        wrong.n_ctx = 129;
        const auto report = tools::plan(wrong);
        QVERIFY(!report && report.error().code == ErrorCode::InvalidArgument);
        QCOMPARE(report.error().field, std::string("ctx"));
        wrong = options();
        wrong.assume_gpu = tools::AssumedGpu{~std::uint64_t{0}, 0, 0};
        const auto no_bandwidth = tools::plan(wrong);
        QVERIFY(no_bandwidth);
        QCOMPARE(no_bandwidth->fits, std::string("ram"));
        QVERIFY(says(*no_bandwidth, "its bandwidth is not known"));
    }
};

QTEST_GUILESS_MAIN(PlanTest)
#include "plan_test.moc"
