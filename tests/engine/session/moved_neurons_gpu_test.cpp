// Neurons of sparse models that come to VRAM between answers, since they fire: logits stay those of
// the processor alone, what fires is found in VRAM more often, and a disk that fails meanwhile
// costs a load, no wrong word.
#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QtTest>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/model_hash.h"
#include "session/loaded_model.h"
#include "support/read_faults.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::Adapted;
using hearth::DType;
using hearth::Engine;
using hearth::SelfProfile;
using hearth::TokenId;
using hearth::test::ReadFaults;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;

namespace {

// A machine whose GPU is worth using: what is planned does not depend on how busy this one is.
constexpr hearth::MachineSpeeds kSpeeds{.ram_read_gb_per_s = 20,
                                        .cpu_gflop_per_s = 100,
                                        .gpu_read_gb_per_s = 100,
                                        .to_gpu_gb_per_s = 10,
                                        .from_gpu_gb_per_s = 10,
                                        .round_trip_us = 1,
                                        .gpu_gflop_per_s = 2000};

struct Kind {
    const char* name = "";
    TinyModelOptions options;
    const char* mode = "exact";
    bool packed = false;
    int ram_percent = 0;  // of what the processor takes if it may; 0: all
};

std::vector<Kind> kinds() {
    const auto with = [](const char* arch, DType type, int predictor_width = 0) {
        return TinyModelOptions{.arch = arch,
                                .type = type,
                                .n_layer = 4,
                                .n_embd = 128,
                                .n_head_kv = std::string(arch) == "opt" ? 4 : 2,
                                .n_ff = 1024,
                                .n_ctx = 128,
                                .by_neuron = true,
                                .predictor_width = predictor_width};
    };
    std::vector<Kind> all = {
        {"exact", with("bamboo", DType::F32)},
        {"with biases", with("opt", DType::F16)},
        {"predicted", with("bamboo", DType::F32, 64), "predicted"},
        {"packed", with("bamboo", DType::F32), "exact", true},
        {"packed and predicted", with("bamboo", DType::F32, 64), "predicted", true},
        {"packed, the rest in slots", with("bamboo", DType::F32), "exact", true, 88},
        {"predicted, the rest in slots", with("bamboo", DType::F32, 64), "predicted", true, 75}};
    for (Kind& kind : all) {
        if (kind.ram_percent > 0) {  // a batch needs room for a whole layer
            kind.options.n_layer = 10;
            kind.options.n_ff = 1024;
        }
    }
    return all;
}

}  // namespace

class MovedNeuronsGpuTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(write(kinds().front()));
        const auto with_gpu = Engine::load(options_for("0"));
        if (!with_gpu && with_gpu.error().field == "gpu") {
            QVERIFY(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"));
            QSKIP("there is no GPU, nor lavapipe");
        }
        QVERIFY2(with_gpu, with_gpu ? "" : with_gpu.error().message.c_str());
    }

    void what_fires_comes_to_vram_data() {
        QTest::addColumn<int>("index");
        const auto all = kinds();
        for (std::size_t i = 0; i < all.size(); ++i) {
            QTest::newRow(all[i].name) << static_cast<int>(i);
        }
    }
    void what_fires_comes_to_vram() {
        QFETCH(int, index);
        const Kind kind = kinds()[static_cast<std::size_t>(index)];
        QVERIFY(write(kind));
        const auto alone = load("none");
        const auto engine = split(kind.ram_percent);
        QVERIFY(alone && engine);
        hearth::LoadedModel& impl = engine->impl();
        QCOMPARE(impl.plan.placement.has_slots(), kind.ram_percent > 0);
        QVERIFY(in_vram(impl, false) > 0.9);
        QVERIFY(same(*alone, *engine));
        QVERIFY(engine->adapt(never_));         // of what was computed just now
        for (const bool odd : {true, false}) {  // and back
            fire(*impl.self_profile, impl.spec, odd, 3000);
            const hearth::Placement before = impl.plan.placement;
            const auto moved = engine->adapt(never_);
            QVERIFY2(moved, moved ? "" : moved.error().message.c_str());
            QVERIFY(moved->neurons > 0);
            QCOMPARE(moved->experts, 0);
            QCOMPARE(differences(before, impl.plan.placement), moved->neurons);
            QVERIFY(in_vram(impl, odd) > 0.9);
            const auto again = engine->adapt(never_);
            QVERIFY(again && again->neurons == 0);
            const hearth::MemoryReport memory = engine->memory();
            for (const auto& line : {memory.weights, memory.kv, memory.scratch, memory.vram_weights,
                                     memory.vram_kv, memory.vram_scratch}) {
                QCOMPARE(line.actual_bytes, line.planned_bytes);
            }
            QVERIFY(same(*alone, *engine));
        }
    }

    // Text decides what fires: tokens whose numbers have three bits alike.
    void hits_rise_after_the_text_changed() {
        Kind kind = kinds().front();
        kind.options.planted = true;
        kind.options.type = DType::F16;
        kind.options.n_ff = 256;
        QVERIFY(write(kind));
        const auto engine = split(0);
        QVERIFY(engine);
        for (const int text : {0, 7}) {
            double first = 0, last = 0;
            for (int answer = 0; answer < 8; ++answer) {
                decode(*engine, text);
                const auto moved = engine->adapt(never_);
                QVERIFY2(moved, moved ? "" : moved.error().message.c_str());
                QVERIFY(moved->uses > 0);
                last = static_cast<double>(moved->uses_in_vram) / static_cast<double>(moved->uses);
                first = answer == 0 ? last : first;
            }
            QVERIFY2(last > first + 0.1, qPrintable(QString("%1, then %2").arg(first).arg(last)));
        }
    }

    void a_call_ends_early_when_it_is_told_to() {
        QVERIFY(write(kinds().front()));
        const auto engine = split(0);
        QVERIFY(engine);
        hearth::LoadedModel& impl = engine->impl();
        fire(*impl.self_profile, impl.spec, true, 3000);
        hearth::Cancellation at_once;
        at_once.request();
        const hearth::Placement before = impl.plan.placement;
        auto moved = engine->adapt(at_once);
        QVERIFY(moved && moved->neurons == 0);
        QVERIFY(impl.plan.placement == before);
        moved = engine->adapt(never_);  // nothing that was counted is forgotten
        QVERIFY(moved && moved->neurons > 0);
    }

    void another_budget_loads_neurons_that_have_moved() {
        QVERIFY(write(kinds()[5]));
        const auto alone = load("none");
        const auto engine = split(0);
        QVERIFY(alone && engine);
        hearth::LoadedModel& impl = engine->impl();
        fire(*impl.self_profile, impl.spec, true, 3000);
        auto moved = engine->adapt(never_);
        QVERIFY(moved && moved->neurons > 0);
        const std::uint64_t held = impl.ledger->actual().total();
        QVERIFY(engine->set_budget({.ram_bytes = held / 100 * 88}));
        QVERIFY(engine->carry_out_budget());
        QVERIFY(impl.plan.placement.has_slots());
        QVERIFY(same(*alone, *engine));
        fire(*impl.self_profile, impl.spec, true, 3000);
        moved = engine->adapt(never_);
        QVERIFY(moved);
        QVERIFY(in_vram(impl, true) > 0.9);
        QVERIFY(same(*alone, *engine));
    }

    void a_disk_that_fails_costs_a_load() {
        QVERIFY(write(kinds().front()));
        const auto alone = load("none");
        const auto engine = split(0);
        QVERIFY(alone && engine);
        hearth::LoadedModel& impl = engine->impl();
        for (const int after : {0, 5}) {  // reads that are good
            // The load that follows goes by the profile of other days again.
            fire(*impl.self_profile, impl.spec, true, 3000);
            {
                std::atomic<int> reads = 0;
                const ReadFaults faults([&](std::uint64_t) { return reads++ >= after; });
                const auto moved = engine->adapt(never_);
                QVERIFY(!moved);
                QCOMPARE(moved.error().code, hearth::ErrorCode::ReadFailed);
                QCOMPARE(moved.error().path, path_);
                QVERIFY(faults.count() > 0);
                QVERIFY(impl.executor == nullptr && impl.gpu_executor == nullptr);
            }
            hearth::GenerationOptions options;
            options.sampling.temperature = 0;
            options.max_tokens = 5;
            const auto wanted = alone->complete("some words", options, {}, never_);
            const auto got = engine->complete("some words", options, {}, never_);
            QVERIFY2(got, got ? "" : got.error().message.c_str());
            QVERIFY(wanted && wanted->token_ids == got->token_ids);
            QVERIFY(same(*alone, *engine));
        }
        const auto moved = engine->adapt(never_);  // what was counted is known
        QVERIFY2(moved, moved ? "" : moved.error().message.c_str());
        QVERIFY(moved->neurons > 0);
        QVERIFY(same(*alone, *engine));
    }

private:
    // A packed file has the even neurons of its source first.
    bool is_hot(int neuron, int n_ff, bool odd) const {
        return (kind_.packed ? neuron >= n_ff / 2 : neuron % 2 == 1) == odd;
    }
    // All tokens fire the odd neurons, or the even ones.
    void fire(SelfProfile& profile, const hearth::ModelSpec& spec, bool odd, int tokens) const {
        for (int layer = 0; layer < spec.n_layer(); ++layer) {
            const int n_ff = spec.layer(layer).n_ff;
            for (int neuron = 0; neuron < n_ff; ++neuron) {
                profile.fired(layer)[static_cast<std::size_t>(neuron)] +=
                    is_hot(neuron, n_ff, odd) ? static_cast<std::uint32_t>(tokens) : 0U;
            }
        }
        for (int t = 0; t < tokens; ++t) {
            QVERIFY(profile.token_done());
        }
    }
    bool write(const Kind& kind) {
        const std::string source = dir_.file("tiny.gguf");
        kind_ = kind;
        kind_.packed = false;
        path_ = source;
        const bool good = TinyModel(kind.options).write(source);
        // The profile of other days: the even ones.
        auto file = hearth::GgufFile::open(source);
        auto spec = file ? hearth::read_model_spec(*file) : file.error();
        auto hash = file ? hearth::model_hash(*file) : file.error();
        if (!good || !spec || !hash) {
            return false;
        }
        SelfProfile known(*hash, spec->counted());
        fire(known, *spec, false, 2000);
        const std::string cache = dir_.file("cache");
        const std::string path = hearth::self_profile_path(cache, *hash);
        std::remove(path.c_str());
        if (!known.save(path)) {
            return false;
        }
        if (kind.packed) {
            path_ = dir_.file("packed.gguf");
            kind_.packed = true;
            return hearth::tools::pack(
                       source, {.output_path = path_, .cache_folder = cache, .force = true}, {}, {})
                .has_value();
        }
        return true;
    }
    hearth::EngineOptions options_for(const std::string& gpu) const {
        hearth::EngineOptions options;
        options.model_path = path_;
        options.gpu = gpu;
        options.threads = 2;
        options.speeds = kSpeeds;
        options.mode = kind_.mode;
        options.profile_folder = dir_.file("cache");
        options.keeps_profile = true;
        return options;
    }
    std::unique_ptr<Engine> load(const std::string& gpu,
                                 std::optional<std::uint64_t> ram_bytes = std::nullopt,
                                 std::optional<std::uint64_t> vram_bytes = std::nullopt) const {
        hearth::EngineOptions options = options_for(gpu);
        options.ram_bytes = ram_bytes;
        options.vram_bytes = vram_bytes;
        auto engine = Engine::load(options);
        if (!engine) {
            qWarning("%s", engine.error().message.c_str());
        }
        return engine ? std::move(*engine) : nullptr;
    }
    // VRAM has about half of the weights.
    std::unique_ptr<Engine> split(int ram_percent) const {
        const auto whole = load("0");
        if (whole == nullptr) {
            return nullptr;
        }
        const hearth::MemoryBytes& vram = whole->impl().plan.vram;
        const std::uint64_t half = vram.kv + vram.scratch + vram.weights / 2;
        auto engine = load("0", std::nullopt, half);
        if (engine != nullptr && ram_percent > 0) {
            const std::uint64_t all = engine->impl().plan.ram.total();
            engine = load("0", all / 100 * static_cast<std::uint64_t>(ram_percent), half);
        }
        return engine;
    }
    // The share that VRAM has of as many hot neurons as it could have, in layers of which it has
    // some.
    double in_vram(const hearth::LoadedModel& impl, bool odd) const {
        double hot = 0, all = 0;
        for (int layer = 0; layer < impl.spec.n_layer(); ++layer) {
            const int n_ff = impl.spec.layer(layer).n_ff;
            const std::span<const int> order = impl.plan.placement.order(layer);
            const int n = impl.plan.placement.hot(layer);
            if (n == n_ff || order.empty()) {
                continue;
            }
            all += std::min(n, n_ff / 2);
            hot += static_cast<double>(
                std::count_if(order.begin(), order.begin() + n,
                              [&](int neuron) { return is_hot(neuron, n_ff, odd); }));
        }
        return all > 0 ? hot / all : 0;
    }
    // Neurons that VRAM has now and had not.
    static int differences(const hearth::Placement& before, const hearth::Placement& now) {
        int count = 0;
        for (std::size_t l = 0; l < now.layers.size(); ++l) {
            for (std::size_t i = 0; i < now.layers[l].order.size(); ++i) {
                count += before.layers[l].order[i] != now.layers[l].order[i] ? 1 : 0;
            }
        }
        return count / 2;
    }
    // 100 tokens, one by one, whose numbers end with the three bits of `text`.
    void decode(Engine& engine, int text) const {
        engine.impl().session->clear();
        for (int i = 0; i < 100; ++i) {
            const TokenId token = 8 * (1 + i * 7 % 30) + text;
            QVERIFY(engine.impl().session->append({&token, 1}, never_));
        }
    }
    // Batches and single tokens.
    bool same(Engine& alone, Engine& engine) const {
        constexpr double kBound = 2e-2;
        std::vector<TokenId> tokens;
        for (int i = 0; i < 50; ++i) {
            tokens.push_back(3 + (i * i * 7 + i * 3 + 5) % 256);
        }
        for (Engine* loaded : {&alone, &engine}) {
            loaded->impl().session->clear();
        }
        for (std::size_t first = 0; first < tokens.size();) {
            const std::size_t n = first == 0 ? 31 : first < 40 ? 1 : 7;
            const std::span part =
                std::span(tokens).subspan(first).first(std::min(n, tokens.size() - first));
            first += part.size();
            if (!alone.impl().session->append(part, never_) ||
                !engine.impl().session->append(part, never_)) {
                return false;
            }
            const auto wanted = alone.impl().session->last_logits(never_);
            const auto got = engine.impl().session->last_logits(never_);
            if (!wanted || !got) {
                return false;
            }
            for (std::size_t i = 0; i < got->size(); ++i) {
                if (!(std::fabs((*got)[i] - (*wanted)[i]) < kBound)) {
                    qWarning("logit %zu is %g, not %g", i, double{(*got)[i]}, double{(*wanted)[i]});
                    return false;
                }
            }
        }
        return true;
    }

    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
    Kind kind_;
    const hearth::Cancellation never_{};
};

QTEST_GUILESS_MAIN(MovedNeuronsGpuTest)
#include "moved_neurons_gpu_test.moc"
