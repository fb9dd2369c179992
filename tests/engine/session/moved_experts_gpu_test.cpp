// Experts that come to VRAM between answers, since tokens choose them: logits stay those of the
// processor alone, and a disk that fails meanwhile costs a load, no wrong word.
#include <hearth/engine.h>

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/model_hash.h"
#include "session/loaded_model.h"
#include "support/read_faults.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::DType;
using hearth::Engine;
using hearth::SelfProfile;
using hearth::TokenId;
using hearth::test::ReadFaults;
using hearth::test::TinyModel;

namespace {

// A machine whose GPU is worth using: what is planned does not depend on how busy this one is.
constexpr hearth::MachineSpeeds kSpeeds{.ram_read_gb_per_s = 20,
                                        .cpu_gflop_per_s = 100,
                                        .gpu_read_gb_per_s = 100,
                                        .to_gpu_gb_per_s = 10,
                                        .from_gpu_gb_per_s = 10,
                                        .round_trip_us = 1,
                                        .gpu_gflop_per_s = 2000};

// All tokens choose the odd experts, or the even ones.
bool is_hot(int expert, bool odd) {
    return (expert % 2 == 1) == odd;
}

void choose(SelfProfile& profile, const hearth::ModelSpec& spec, bool odd, int tokens) {
    for (int layer = 0; layer < spec.n_layer(); ++layer) {
        for (int expert = 0; expert < spec.layer(layer).experts.n; ++expert) {
            profile.fired(layer)[static_cast<std::size_t>(expert)] +=
                is_hot(expert, odd) ? static_cast<std::uint32_t>(tokens) : 0U;
        }
    }
    for (int t = 0; t < tokens; ++t) {
        QVERIFY(profile.token_done());
    }
}

}  // namespace

class MovedExpertsGpuTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(write("qwen3moe"));
        const auto with_gpu = Engine::load(options_for("0"));
        if (!with_gpu && with_gpu.error().field == "gpu") {
            QVERIFY(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"));
            QSKIP("there is no GPU, nor lavapipe");
        }
        QVERIFY2(with_gpu, with_gpu ? "" : with_gpu.error().message.c_str());
    }

    void what_is_chosen_comes_to_vram_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<int>("ram_percent");  // of what the processor takes if it may
        QTest::newRow("qwen3moe") << "qwen3moe" << 0;
        QTest::newRow("qwen3moe, experts in slots") << "qwen3moe" << 75;
        QTest::newRow("gates and ups in one tensor") << "qwen3moe fused" << 0;
        QTest::newRow("a shared expert") << "qwen35moe" << 0;
    }
    void what_is_chosen_comes_to_vram() {
        QFETCH(QString, arch);
        QFETCH(int, ram_percent);
        QVERIFY(write(arch.toStdString()));
        const auto alone = load("none");
        const auto engine = split(ram_percent);
        QVERIFY(alone && engine);
        hearth::LoadedModel& impl = engine->impl();
        QCOMPARE(impl.plan.placement.has_slots(), ram_percent > 0);
        QVERIFY(in_vram(impl, false) > 0.9);
        QVERIFY(same(*alone, *engine));
        for (const bool odd : {true, false, true}) {  // and back
            choose(*impl.self_profile, impl.spec, odd, 3000);
            const hearth::Placement before = impl.plan.placement;
            const auto moved = engine->adapt(never_);
            QVERIFY2(moved, moved ? "" : moved.error().message.c_str());
            QVERIFY(moved->experts > 0);
            QCOMPARE(differences(before, impl.plan.placement), moved->experts);
            QVERIFY(in_vram(impl, odd) > 0.9);
            const auto again = engine->adapt(never_);
            QVERIFY(again && again->experts == 0);
            const hearth::MemoryReport memory = engine->memory();
            for (const auto& line : {memory.weights, memory.kv, memory.scratch, memory.vram_weights,
                                     memory.vram_kv, memory.vram_scratch}) {
                QCOMPARE(line.actual_bytes, line.planned_bytes);
            }
            QVERIFY(same(*alone, *engine));
        }
    }

    void a_call_ends_early_when_it_is_told_to() {
        QVERIFY(write("qwen3moe"));
        const auto engine = split(0);
        QVERIFY(engine);
        hearth::LoadedModel& impl = engine->impl();
        choose(*impl.self_profile, impl.spec, true, 3000);
        hearth::Cancellation at_once;
        at_once.request();
        const hearth::Placement before = impl.plan.placement;
        auto moved = engine->adapt(at_once);
        QVERIFY(moved && moved->experts == 0);
        QVERIFY(impl.plan.placement == before);
        moved = engine->adapt(never_);  // nothing that was counted is forgotten
        QVERIFY(moved && moved->experts > 0);
    }

    void a_profile_that_was_saved_is_known() {
        QVERIFY(write("qwen3moe"));
        const auto engine = split(0);
        QVERIFY(engine);
        hearth::LoadedModel& impl = engine->impl();
        choose(*impl.self_profile, impl.spec, true, 3000);
        const auto saved = engine->save_profile();
        QVERIFY(saved && *saved >= 3000);
        const auto moved = engine->adapt(never_);
        QVERIFY(moved && moved->experts > 0);
        QVERIFY(in_vram(impl, true) > 0.9);
    }

    // The budget's load goes by the profile that was known when the model was opened.
    void another_budget_loads_experts_that_have_moved() {
        QVERIFY(write("qwen3moe"));
        const auto alone = load("none");
        const auto engine = split(0);
        QVERIFY(alone && engine);
        hearth::LoadedModel& impl = engine->impl();
        choose(*impl.self_profile, impl.spec, true, 3000);
        auto moved = engine->adapt(never_);
        QVERIFY(moved && moved->experts > 0);
        const std::uint64_t held = impl.ledger->actual().total();
        QVERIFY(engine->set_budget({.ram_bytes = held / 100 * 75}));
        QVERIFY(engine->carry_out_budget());
        QVERIFY(impl.plan.placement.has_slots());
        QVERIFY(same(*alone, *engine));
        choose(*impl.self_profile, impl.spec, true, 3000);
        moved = engine->adapt(never_);
        QVERIFY(moved);
        QVERIFY(in_vram(impl, true) > 0.9);
        QVERIFY(same(*alone, *engine));
    }

    void a_disk_that_fails_costs_a_load() {
        QVERIFY(write("qwen3moe"));
        const auto alone = load("none");
        const auto engine = split(0);
        QVERIFY(alone && engine);
        hearth::LoadedModel& impl = engine->impl();
        for (const int after : {0, 5}) {  // reads that are good
            // The load that follows goes by the profile of other days again.
            choose(*impl.self_profile, impl.spec, true, 3000);
            {
                int reads = 0;
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
        QVERIFY(moved->experts > 0);
        QVERIFY(same(*alone, *engine));
    }

private:
    bool write(const std::string& name) {
        const std::string arch = name.substr(0, name.find(' '));
        const bool good =
            TinyModel({.arch = arch,
                       .n_layer = 4,
                       .n_embd = 128,
                       .n_ff = 256,
                       .n_ctx = 128,
                       .fused_gate_up = name.ends_with(" fused"),
                       .delta_net = {.n_key_heads = 2, .n_value_heads = 4, .dim = 64}})
                .write(path_);
        // The profile of other days: the even ones.
        auto file = hearth::GgufFile::open(path_);
        auto spec = file ? hearth::read_model_spec(*file) : file.error();
        auto hash = file ? hearth::model_hash(*file) : file.error();
        if (!good || !spec || !hash) {
            return false;
        }
        SelfProfile known(*hash, spec->counted());
        choose(known, *spec, false, 2000);
        const std::string path = hearth::self_profile_path(dir_.file("cache"), *hash);
        std::remove(path.c_str());
        return known.save(path).has_value();
    }
    hearth::EngineOptions options_for(const std::string& gpu) const {
        hearth::EngineOptions options;
        options.model_path = path_;
        options.gpu = gpu;
        options.threads = 2;
        options.speeds = kSpeeds;
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
    // The hot share of the experts in VRAM, in layers of which it has some.
    static double in_vram(const hearth::LoadedModel& impl, bool odd) {
        double hot = 0, all = 0;
        for (int layer = 0; layer < impl.spec.n_layer(); ++layer) {
            const hearth::ExpertsSpec& experts = impl.spec.layer(layer).experts;
            const std::span<const int> order = impl.plan.placement.order(layer);
            const int n = experts.present() ? impl.plan.placement.hot(layer) / experts.n_ff : 0;
            for (int place = 0; place < std::min(n, experts.n / 2) && n < experts.n; ++place) {
                hot +=
                    !order.empty() && is_hot(order[static_cast<std::size_t>(place)], odd) ? 1 : 0;
                ++all;
            }
        }
        return all > 0 ? hot / all : 0;
    }
    // Experts that VRAM has now and had not.
    static int differences(const hearth::Placement& before, const hearth::Placement& now) {
        int count = 0;
        for (std::size_t l = 0; l < now.layers.size(); ++l) {
            for (std::size_t i = 0; i < now.layers[l].order.size(); ++i) {
                count += before.layers[l].order[i] != now.layers[l].order[i] ? 1 : 0;
            }
        }
        return count / 2;
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
    const hearth::Cancellation never_{};
};

QTEST_GUILESS_MAIN(MovedExpertsGpuTest)
#include "moved_experts_gpu_test.moc"
