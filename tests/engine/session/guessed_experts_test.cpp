// Experts in slots of which somebody knows something before they are chosen: the next layer's are
// guessed, and a profile says which are chosen most.
#include <QtTest>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cpu/cold_neurons.h"
#include "cpu/cpu_layout.h"
#include "cpu/cpu_weights.h"
#include "cpu/flash_choice.h"
#include "cpu/layout_jobs.h"
#include "gguf/reader.h"
#include "model/model_hash.h"
#include "plan/firing_window.h"
#include "plan/placement.h"
#include "plan/profile_file.h"
#include "plan/self_profile.h"
#include "session/loaded_model.h"
#include "support/small_engine.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::DType;
using hearth::TokenId;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;
using hearth::test::words;

namespace {

// name: of an architecture; "... fused": gates and ups of experts are in one tensor.
TinyModelOptions options_of(const std::string& name) {
    const std::string arch = name.substr(0, name.find(' '));
    TinyModelOptions options{.arch = arch,
                             .type = DType::Q8_0,
                             .n_layer = 6,
                             .n_embd = 256,
                             .n_ff = 512,
                             .n_ctx = 64,
                             .fused_gate_up = name.ends_with(" fused")};
    // Qwen's would take RAM, and leave it where there is less.
    options.n_left_out = arch == "glm4moe" ? 1 : 0;
    if (arch == "gemma4") {
        options.n_experts = 8;
        options.n_used_experts = 3;
    }
    return options;
}

// The last expert, then the first, the second, ...
std::vector<int> most_chosen_first(int n_experts) {
    std::vector<int> experts;
    for (int i = 0; i < n_experts; ++i) {
        experts.push_back((i + n_experts - 1) % n_experts);
    }
    return experts;
}

// A profile of a model whose experts are chosen as often as most_chosen_first() says.
hearth::ActivationProfile profile_of(const hearth::ModelSpec& spec) {
    hearth::ActivationProfile profile;
    profile.tokens = 1000;
    profile.groups[0] = 1000;
    for (const hearth::LayerSpec& layer : spec.layers) {
        std::vector<std::uint32_t> fired(static_cast<std::size_t>(layer.experts.n));
        std::uint32_t times = 900;
        for (const int expert : most_chosen_first(layer.experts.n)) {
            fired[static_cast<std::size_t>(expert)] = times;
            times -= 50;
        }
        hearth::LayerProfile& counted = profile.layers.emplace_back();
        counted.fired.fill(std::vector<std::uint32_t>(fired.size()));
        counted.fired[0] = fired;
    }
    return profile;
}

bool uses_descend(std::span<const std::uint8_t> uses) {
    return uses.size() > 1 && uses.front() > uses.back() && uses.back() > 0 &&
           std::ranges::is_sorted(uses, std::greater<>());
}

}  // namespace

class GuessedExpertsTest : public QObject {
    Q_OBJECT

private slots:
    // Answers are the same whether the next layer's experts are guessed and read early or not.
    // Guesses are right more often than by chance.
    void guesses_change_nothing_data() {
        QTest::addColumn<QString>("arch");
        for (const char* arch : {"qwen3moe", "qwen35moe", "gemma4 fused", "gpt-oss", "glm4moe"}) {
            QTest::newRow(arch) << arch;
        }
    }
    void guesses_change_nothing() {
        QFETCH(QString, arch);
        QVERIFY(TinyModel(options_of(arch.toStdString())).write(path_));
        const auto whole = load();
        QVERIFY(whole);
        const std::uint64_t ram =
            whole->impl().plan.ram.total() - 3ULL * 4 * 3 * 256 * 512 * 34 / 32;
        hearth::FlashWithout always;
        always.trial = true;
        hearth::FlashWithout never;
        never.guesses = true;
        const auto guessing = load(ram, always);
        const auto plain = load(ram, never);
        QVERIFY(guessing && plain && guessing->flash().are_experts);
        const std::vector<TokenId> tokens = words(40);
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            std::vector<float> wanted;
            for (const auto& engine : {whole.get(), guessing.get(), plain.get()}) {
                QVERIFY(engine->impl().session->decode_one(tokens[i], never_));
                const auto got = engine->impl().session->last_logits(never_);
                QVERIFY(got);
                if (wanted.empty()) {
                    wanted.assign(got->begin(), got->end());
                }
                QVERIFY(std::equal(got->begin(), got->end(), wanted.begin()));
            }
        }
        const hearth::FlashReport report = guessing->flash();
        const hearth::FlashReport other = plain->flash();
        QCOMPARE(other.experts_guessed, std::uint64_t{0});
        QCOMPARE(other.read_ahead, std::uint64_t{0});
        QCOMPARE(report.neuron_hits + report.neuron_misses,
                 other.neuron_hits + other.neuron_misses);
        const hearth::ModelSpec& spec = whole->impl().spec;
        std::uint64_t guessed = 0;  // of all mixtures but the first
        bool first = true;
        for (const hearth::LayerSpec& layer : spec.layers) {
            if (layer.is_mixture()) {
                guessed += first ? 0 : static_cast<std::uint64_t>(layer.experts.n_used);
                first = false;
            }
        }
        QCOMPARE(report.experts_guessed, guessed * tokens.size());
        const hearth::ExpertsSpec& experts = spec.layers.back().experts;
        const hearth::FlashReads reads = guessing->impl().executor->flash();
        QCOMPARE(reads.second_guessed,  // of all but the first two
                 (guessed - static_cast<std::uint64_t>(experts.n_used)) * tokens.size());
        for (const auto& [right, all] : {std::pair(reads.guessed_right, reads.experts_guessed),
                                         std::pair(reads.second_right, reads.second_guessed)}) {
            QVERIFY2(
                static_cast<double>(right) > 1.2 * experts.used_share() * static_cast<double>(all),
                qPrintable(QString::number(right)));
        }
        QVERIFY(report.read_ahead > 0 && report.read_ahead_used > 0);
        QVERIFY(report.read_ahead_used <= report.neuron_misses);
    }

    // A router that reads what a layer begins with is asked before attention: what it names is
    // right.
    void early_routers_are_foreseen() {
        QVERIFY(TinyModel(options_of("smallthinker")).write(path_));
        const auto whole = load();
        QVERIFY(whole && whole->impl().spec.layer(1).experts.routed_early);
        const auto some = load(whole->impl().plan.ram.total() - 3ULL * 4 * 3 * 256 * 512 * 34 / 32);
        QVERIFY(some && some->flash().are_experts);
        for (const TokenId token : words(40)) {
            for (const auto& engine : {whole.get(), some.get()}) {
                QVERIFY(engine->impl().session->decode_one(token, never_));
            }
            const auto wanted = whole->impl().session->last_logits(never_);
            const auto got = some->impl().session->last_logits(never_);
            QVERIFY(wanted && got && std::equal(got->begin(), got->end(), wanted->begin()));
        }
        const hearth::FlashReport report = some->flash();
        QCOMPARE(report.experts_guessed, std::uint64_t{0});
        QVERIFY(report.read_ahead > 0);
        QCOMPARE(report.read_ahead_used, report.read_ahead);
        QCOMPARE(report.read_ahead_used, report.neuron_misses);
    }

    // Slots begin with the experts that a profile knows to be chosen most, and results are the
    // same.
    void slots_begin_with_the_experts_that_are_chosen_most() {
        QVERIFY(TinyModel(options_of("qwen35moe")).write(path_));
        const auto whole = load();
        QVERIFY(whole);
        const hearth::LoadedModel& model = whole->impl();
        const int n = model.spec.layer(0).experts.n;
        const std::vector<int> wanted = most_chosen_first(n);
        const hearth::ActivationProfile profile = profile_of(model.spec);
        const auto mode = hearth::FeedForwardMode::Dense;
        const std::uint64_t budget =
            hearth::CpuWeights::bytes_for(model.spec, model.tensors, mode) * 7 / 10;
        const auto chosen = [&](const hearth::ActivationProfile* known) {
            return hearth::stream_to_fit(model.spec, model.tensors, mode, {}, budget, true,
                                         hearth::FiringWindow(model.spec, known));
        };
        const auto by_profile = chosen(&profile);
        const auto as_in_the_file = chosen(nullptr);
        QVERIFY(by_profile && as_in_the_file);
        QVERIFY(by_profile->weights_bytes <= budget);
        QCOMPARE(
            by_profile->weights_bytes,
            hearth::CpuWeights::bytes_for(model.spec, model.tensors, mode, by_profile->placement));
        for (int layer = 0; layer < model.spec.n_layer(); ++layer) {
            QVERIFY(by_profile->placement.n_slots(layer) > 0);
            QVERIFY(std::ranges::equal(by_profile->placement.order(layer), wanted));
            QVERIFY(uses_descend(by_profile->placement.expected_uses(layer)));
            QVERIFY(as_in_the_file->placement.order(layer).empty());
            QVERIFY(as_in_the_file->placement.expected_uses(layer).empty());
        }
    }

    // Experts that no GPU has begin in slots, wherever a plan for a GPU has put them.
    void beside_a_gpu_too() {
        QVERIFY(TinyModel(options_of("qwen35moe")).write(path_));
        const auto whole = load();
        QVERIFY(whole);
        const hearth::LoadedModel& model = whole->impl();
        const hearth::ExpertsSpec& experts = model.spec.layer(0).experts;
        const hearth::ActivationProfile profile = profile_of(model.spec);
        std::vector<int> n_ff;
        for (const hearth::LayerSpec& layer : model.spec.layers) {
            n_ff.push_back(layer.n_ff);
        }
        hearth::Placement split = hearth::all_in_ram(n_ff);
        std::vector<int> order{1, experts.n - 1};  // as placement_of() gives it: both runs ascend
        for (int expert = 0; expert < experts.n - 1; ++expert) {
            if (expert != 1) {
                order.push_back(expert);
            }
        }
        for (int layer = 0; layer < model.spec.n_layer(); ++layer) {
            hearth::place_neurons(split, layer, n_ff[static_cast<std::size_t>(layer)],
                                  2 * experts.n_ff);
            split.layers[static_cast<std::size_t>(layer)].order = order;
        }
        // The later ones of the processor's experts are chosen most.
        hearth::ActivationProfile turned = profile;
        for (hearth::LayerProfile& layer : turned.layers) {
            for (auto& fired : layer.fired) {
                std::reverse(fired.begin() + 2, fired.end() - 1);
            }
        }
        const auto mode = hearth::FeedForwardMode::Dense;
        const std::uint64_t budget =
            hearth::CpuWeights::bytes_for(model.spec, model.tensors, mode, split) * 8 / 10;
        const auto chosen = hearth::stream_to_fit(model.spec, model.tensors, mode, split, budget,
                                                  true, hearth::FiringWindow(model.spec, &turned));
        QVERIFY(chosen);
        for (int layer = 0; layer < model.spec.n_layer(); ++layer) {
            QVERIFY(chosen->placement.n_slots(layer) > 0);
            const std::span<const int> now = chosen->placement.order(layer);
            QVERIFY(std::ranges::equal(now.first(2), std::vector<int>{1, experts.n - 1}));
            QCOMPARE(now[2], 0);
            for (int i = 3; i < experts.n; ++i) {
                QCOMPARE(now[static_cast<std::size_t>(i)], experts.n + 1 - i);
            }
            QVERIFY(uses_descend(chosen->placement.expected_uses(layer).subspan(2)));
        }
        // The cache is told of those that it may hold.
        const hearth::CpuLayout layout =
            hearth::lay_out(model.spec, model.tensors, mode, chosen->placement);
        for (const hearth::ColdLayer& cold : hearth::cold_layers(layout)) {
            QVERIFY(std::ranges::equal(cold.expected_uses,
                                       chosen->placement.expected_uses(cold.layer).subspan(2)));
        }
        QVERIFY(!hearth::cold_layers(layout).empty());
    }

    // The same of an engine without a GPU, which finds the profile by itself.
    void an_engine_goes_by_its_own_profile() {
        QVERIFY(TinyModel(options_of("qwen35moe")).write(path_));
        const auto whole = load();
        QVERIFY(whole);
        const auto file = hearth::GgufFile::open(path_);
        const auto hash = hearth::model_hash(*file);
        QVERIFY(file && hash);
        hearth::ActivationProfile profile = profile_of(whole->impl().spec);
        profile.model_hash = *hash;
        const std::string folder = dir_.file("cache");
        const std::string of_model = hearth::self_profile_path(folder, *hash);
        QVERIFY(QDir().mkpath(QFileInfo(QString::fromStdString(of_model)).path()));
        QVERIFY(hearth::write_profile(of_model, std::move(profile)));
        hearth::EngineOptions options = hearth::test::small_engine(
            path_, whole->impl().plan.ram.total() - 3ULL * 4 * 3 * 256 * 512 * 34 / 32);
        for (const bool known : {true, false}) {
            options.profile_folder = known ? folder : dir_.file("nothing");
            const auto engine = hearth::test::load_or_say(options);
            QVERIFY(engine && engine->flash().are_experts);
            const hearth::Placement& placement = engine->impl().plan.placement;
            const int n = engine->impl().spec.layer(0).experts.n;
            for (int layer = 0; layer < engine->impl().spec.n_layer(); ++layer) {
                QCOMPARE(std::ranges::equal(placement.order(layer), most_chosen_first(n)), known);
                QCOMPARE(placement.expected_uses(layer).empty(), !known);
            }
        }
    }

private:
    std::unique_ptr<hearth::Engine> load(std::uint64_t ram_bytes = 0,
                                         const hearth::FlashWithout& without = {}) const {
        hearth::EngineOptions options = hearth::test::small_engine(path_, ram_bytes);
        options.flash_without = without;
        return hearth::test::load_or_say(options);
    }

    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
    const hearth::Cancellation never_{};
};

QTEST_GUILESS_MAIN(GuessedExpertsTest)
#include "guessed_experts_test.moc"
