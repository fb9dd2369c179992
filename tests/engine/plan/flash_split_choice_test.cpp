// Plans for machines whose VRAM and RAM together are smaller than the model: the GPU takes part, no
// budget is exceeded, and more of either is not slower.
#include "plan/flash_split_choice.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "engine/plan/checked_plan.h"
#include "plan/planner.h"

using namespace hearth;

namespace {

constexpr int kLayers = 8;
constexpr int kFf = 2048;
constexpr std::uint64_t kAttention = 4'000'000;
constexpr std::uint64_t kOutput = 10'000'000;
constexpr std::uint64_t kOther = 3'000'000;  // of the processor, always held
constexpr std::uint64_t kRow = 2'000;        // three make a neuron
constexpr std::uint64_t kNeurons = kFf * 3 * kRow;
constexpr std::uint64_t kAll = kOther + kOutput + kLayers * (kAttention + kNeurons);
constexpr std::uint64_t kKv = 1'000;  // of a position of a layer
constexpr std::uint64_t kScratch = 500'000;
constexpr std::uint64_t kGpuScratch = 800'000;

ModelSpec spec_of() {
    ModelSpec spec;
    spec.layers.resize(kLayers);
    for (LayerSpec& layer : spec.layers) {
        layer.n_ff = kFf;
        layer.activation = Activation::ReluGated;
    }
    spec.n_ctx_train = 4096;
    return spec;
}

// Few neurons fire often, the hottest first in the file.
TokenCosts tokens_of(FeedForwardMode mode) {
    TokenCosts tokens;
    tokens.mode = mode;
    tokens.activation = Activation::ReluGated;
    tokens.bytes.layers.assign(
        kLayers, {.attention = kAttention, .neuron = {kRow, kRow, kRow}, .kv_position = kKv});
    tokens.bytes.output = kOutput;
    tokens.bytes.multiply_adds = 1'000'000;
    tokens.heat.measured = true;
    LayerHeat heat;
    for (int n = 0; n < kFf; ++n) {
        heat.order.push_back(kFf - 1 - n);
        heat.rates.push_back(std::exp(-n / 200.0));
    }
    tokens.heat.layers.assign(kLayers, heat);
    return tokens;
}

std::uint64_t weights_of(const Placement& part) {
    std::uint64_t bytes = kOther + (part.output_in_vram() ? 0 : kOutput);
    for (int l = 0; l < kLayers; ++l) {
        bytes += part.attention_in_vram(l) ? 0 : kAttention;
        bytes += static_cast<std::uint64_t>(kFf - part.hot(l)) * 3 * kRow;
    }
    return bytes;
}

// Dense: what does not fit is read for each token. Sparse: as many neurons of each layer are cached
// as there is room for.
std::optional<FlashChoice> stream(FeedForwardMode mode, const Placement& part,
                                  std::uint64_t budget) {
    FlashChoice choice;
    choice.placement = part.layers.empty() ? all_in_ram(std::vector<int>(kLayers, kFf)) : part;
    const std::uint64_t all = weights_of(part);
    std::uint64_t neurons = 0;
    std::uint64_t layers = 0;
    for (int l = 0; l < kLayers; ++l) {
        neurons += static_cast<std::uint64_t>(kFf - part.hot(l)) * 3 * kRow;
        layers += part.hot(l) < kFf ? 1 : 0;
    }
    const std::uint64_t always = mode == FeedForwardMode::Dense ? kOther : all - neurons;
    if (budget < always + layers * 3 * kRow) {
        return std::nullopt;
    }
    if (mode == FeedForwardMode::Dense) {
        choice.placement.layers[0].streamed.add(Role::Down);
        choice.streamed_bytes = choice.batch_bytes = all - std::min(all, budget);
    } else {
        const auto n_slots =
            static_cast<int>((budget - always) / (3 * kRow) / std::max<std::uint64_t>(layers, 1));
        for (int l = 0; l < kLayers; ++l) {
            choice.placement.layers[static_cast<std::size_t>(l)].set_slots(
                std::min(n_slots, kFf - part.hot(l)));
        }
        choice.batch_bytes = neurons;
        choice.neuron_bytes = neurons;
    }
    choice.weights_bytes = std::min(all, budget);
    return choice;
}

MemoryCosts costs_of(FeedForwardMode mode) {
    MemoryCosts costs;
    costs.weights_bytes = weights_of;
    costs.kv_bytes = [](int n_ctx, const Placement& part) {
        std::uint64_t bytes = 0;
        for (int l = 0; l < kLayers; ++l) {
            bytes += part.attention_in_vram(l) ? 0 : kKv * static_cast<std::uint64_t>(n_ctx);
        }
        return bytes;
    };
    costs.scratch_bytes = [](int, int) { return kScratch; };
    costs.stream_to_fit = [mode](const Placement& part, std::uint64_t budget) {
        return stream(mode, part, budget);
    };
    costs.gpu = GpuMemoryCosts{
        .attention_bytes = [](int) { return kAttention; },
        .neurons_bytes = [](int, int n) { return static_cast<std::uint64_t>(n) * 3 * kRow; },
        .output_bytes = kOutput,
        .neurons_alone = false,
        .kv_bytes = [](int n_ctx, int) { return kKv * static_cast<std::uint64_t>(n_ctx); },
        .scratch_bytes = [](int, int) { return kGpuScratch; },
    };
    return costs;
}

Machine machine_of() {
    Machine machine;
    machine.cpu.physical_cores = 4;
    machine.memory.total_bytes = machine.memory.available_bytes = std::uint64_t{1} << 40;
    machine.ram_read_gb_per_s = 20;
    machine.gflop_per_s = 100;
    machine.disk_read_gb_per_s = 2;
    machine.disk_reads_per_s = 50'000;
    GpuUnit gpu;
    gpu.name = "GPU";
    gpu.memory = {std::uint64_t{1} << 40, 400, 20};
    gpu.gflop_per_s = 4000;
    machine.gpus.push_back(gpu);
    return machine;
}

struct Asked {
    FeedForwardMode mode = FeedForwardMode::Dense;
    std::optional<std::uint64_t> ram, vram;
    SplitPolicy split = SplitPolicy::Auto;
    Machine machine = machine_of();
};

Result<Plan> plan_of(const Asked& asked) {
    const TokenCosts tokens = tokens_of(asked.mode);
    Budget budget{.ram_bytes = asked.ram, .vram_bytes = asked.vram, .n_ctx = 512};
    budget.split = asked.split;
    return test::checked_plan(spec_of(), asked.machine, budget, costs_of(asked.mode), &tokens);
}

double tokens_per_s(const Asked& asked, const Plan& plan) {
    const TokenCosts tokens = tokens_of(asked.mode);
    const Forecast seen =
        forecast(tokens, plan.placement, 256, speeds_of(asked.machine), plan.upload, plan.n_batch,
                 flash_work(tokens, plan.placement, plan.flash_bytes, plan.flash_batch_bytes));
    return seen.decode_per_s->mid;
}

constexpr std::uint64_t percent(int n) {
    return kAll * static_cast<std::uint64_t>(n) / 100;
}

bool says(const Plan& plan, const char* what) {
    return std::any_of(plan.reasons.begin(), plan.reasons.end(), [&](const std::string& reason) {
        return reason.find(what) != std::string::npos;
    });
}

}  // namespace

class FlashSplitChoiceTest : public QObject {
    Q_OBJECT

private slots:
    void the_gpu_takes_its_share_data() {
        QTest::addColumn<int>("mode");
        QTest::newRow("dense") << static_cast<int>(FeedForwardMode::Dense);
        QTest::newRow("exact") << static_cast<int>(FeedForwardMode::Exact);
        QTest::newRow("predicted") << static_cast<int>(FeedForwardMode::Predicted);
    }
    // Ten budgets of each memory: both hold, the GPU is used wherever it holds a layer's attention,
    // a plan is faster than the processor alone, and more of either memory is not slower.
    void the_gpu_takes_its_share() {
        QFETCH(const int, mode);
        std::vector<double> with_less_ram(11, 0.0);
        for (int ram = 35; ram <= 80; ram += 5) {
            double with_less_vram = 0;
            for (int step = 0; step <= 10; ++step) {
                Asked asked{static_cast<FeedForwardMode>(mode), percent(ram),
                            step == 0 ? 1 : percent(5 * step)};
                const auto plan = plan_of(asked);
                QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
                QCOMPARE(plan->n_ctx, 512);
                QVERIFY(plan->ram.total() <= *asked.ram);
                QVERIFY(plan->vram.total() <= *asked.vram);
                QCOMPARE(plan->vram.total() > 0, step > 0);
                QVERIFY(plan->reads_flash() || ram + 5 * step > 90);
                const double seen = tokens_per_s(asked, *plan);
                const QByteArray which = QByteArray::number(ram) + " % of RAM, " +
                                         QByteArray::number(5 * step) +
                                         " % of VRAM: " + QByteArray::number(seen) + " tokens/s";
                // Steps of a share; where all fits memory, another search with another objective.
                const double slack = plan->reads_flash() ? 1e-3 : 0.05;
                QVERIFY2(seen >= with_less_vram * (1 - slack), which);
                QVERIFY2(step != 1 || seen > with_less_vram, which);
                auto& less_ram = with_less_ram[static_cast<std::size_t>(step)];
                QVERIFY2(seen >= less_ram * (1 - slack), which);
                with_less_vram = less_ram = seen;
            }
        }
    }

    // Bytes are bytes: VRAM is full, to a group of neurons a layer.
    void vram_is_filled() {
        for (const auto mode : {FeedForwardMode::Dense, FeedForwardMode::Exact}) {
            const Asked asked{mode, percent(40), percent(30)};
            const auto plan = plan_of(asked);
            QVERIFY(plan);
            QVERIFY(*asked.vram - plan->vram.total() <= kLayers * 64 * 3 * kRow);
            QCOMPARE(plan->solver->chosen, std::string("flash"));
        }
    }

    // Where neurons are as sparse as these, the hottest of every layer are worth more than all
    // neurons of some layers.
    void the_hottest_neurons_go_to_the_gpu() {
        const auto plan = plan_of({FeedForwardMode::Exact, percent(35), percent(45)});
        QVERIFY(plan);
        const Placement& on_gpu = plan->placement;
        for (int l = 0; l < kLayers; ++l) {
            QVERIFY(on_gpu.attention_in_vram(l));
            QVERIFY(on_gpu.hot(l) > 0 && on_gpu.hot(l) < kFf);
            // Here the file has the hottest last.
            QCOMPARE(on_gpu.order(l).front(), kFf - on_gpu.hot(l));
            QCOMPARE(on_gpu.order(l).back(), kFf - on_gpu.hot(l) - 1);
            QVERIFY(plan->placement.n_slots(l) > 0);
        }
    }

    // A token reads all of a mixture's attention and few of its experts.
    void attention_of_all_of_a_mixture_goes_to_the_gpu() {
        constexpr int kOfExpert = kFf / 8;
        TokenCosts tokens = tokens_of(FeedForwardMode::Dense);
        for (LayerBytes& layer : tokens.bytes.layers) {
            layer.expert_neurons = kOfExpert;
            layer.neuron.of_expert = true;
        }
        for (LayerHeat& layer : tokens.heat.layers) {
            layer.order.clear();
            layer.rates.assign(kFf, 0.25);
        }
        tokens.heat.measured = false;
        const MemoryCosts costs = costs_of(FeedForwardMode::Exact);  // experts come when needed
        const Speeds speeds = speeds_of(machine_of());
        const auto found =
            choose_flash_split({tokens, costs, speeds, 512, 128, 256, percent(45), percent(45)});
        QVERIFY(found && found->flash);
        for (int l = 0; l < kLayers; ++l) {
            const int hot = found->placement.hot(l);
            QVERIFY(found->placement.attention_in_vram(l));
            QVERIFY(hot > 0 && hot < kFf && hot % kOfExpert == 0);
        }
    }

    // Neurons of a packed file that are read from disk come as they lie there, not as in the file
    // that it was made from.
    void the_order_of_the_source_does_not_matter() {
        const Asked asked{FeedForwardMode::Exact, percent(35), percent(45)};
        TokenCosts tokens = tokens_of(asked.mode);
        const Budget budget{.ram_bytes = asked.ram, .vram_bytes = asked.vram, .n_ctx = 512};
        const auto without =
            make_plan(spec_of(), asked.machine, budget, costs_of(asked.mode), &tokens);
        std::vector<std::int32_t> backwards(kFf);
        std::iota(backwards.rbegin(), backwards.rend(), 0);
        tokens.heat.source.assign(kLayers, backwards);
        const auto plan =
            make_plan(spec_of(), asked.machine, budget, costs_of(asked.mode), &tokens);
        QVERIFY(without && plan && plan->reads_flash());
        for (int l = 0; l < kLayers; ++l) {
            QVERIFY(std::ranges::equal(plan->placement.order(l), without->placement.order(l)));
        }
    }

    // The last layer reads the past of the second: with any budget one unit has both.
    void a_layer_stays_with_the_past_that_it_reads() {
        for (const auto mode : {FeedForwardMode::Dense, FeedForwardMode::Exact}) {
            for (const auto policy :
                 {SplitPolicy::Auto, SplitPolicy::Layers, SplitPolicy::Neurons}) {
                bool splits = false;
                for (int share = 5; share <= 95; share += 5) {
                    const Asked asked{mode, percent(40), percent(share), policy};
                    TokenCosts tokens = tokens_of(mode);
                    tokens.bytes.layers.back().past_of = 1;
                    const Budget budget{.ram_bytes = asked.ram,
                                        .vram_bytes = asked.vram,
                                        .n_ctx = 512,
                                        .split = policy};
                    const auto plan =
                        make_plan(spec_of(), asked.machine, budget, costs_of(mode), &tokens);
                    if (!plan) {
                        continue;
                    }
                    const Placement& part = plan->placement;
                    QCOMPARE(part.attention_in_vram(1), part.attention_in_vram(kLayers - 1));
                    splits = splits || part.attention_in_vram(1) != part.attention_in_vram(0);
                }
                QVERIFY(splits || policy == SplitPolicy::Neurons);
            }
        }
    }

    void policies_are_kept() {
        for (const auto mode : {FeedForwardMode::Dense, FeedForwardMode::Exact}) {
            const auto layers = plan_of({mode, percent(40), percent(35), SplitPolicy::Layers});
            QVERIFY(layers);
            const Placement& whole = layers->placement;
            for (int l = 0; l < kLayers; ++l) {
                QCOMPARE(whole.hot(l), whole.attention_in_vram(l) ? kFf : 0);
            }
            QVERIFY(whole.attention_in_vram(kLayers - 1) && !whole.attention_in_vram(0));
            const auto neurons = plan_of({mode, percent(40), percent(35), SplitPolicy::Neurons});
            QVERIFY(neurons);
            for (int l = 0; l < kLayers; ++l) {
                QVERIFY(neurons->placement.attention_in_vram(l));
            }
        }
    }

    // A GPU that costs more than it spares gets nothing unless it must.
    void the_processor_alone_may_be_faster() {
        Asked asked{FeedForwardMode::Dense, percent(80), percent(5)};
        asked.machine.gpus.front().memory.sync_us = 1e6;
        const auto plan = plan_of(asked);
        QVERIFY(plan);
        QCOMPARE(plan->vram.total(), 0U);
        QVERIFY(plan->reads_flash());
        QVERIFY(says(*plan, "the GPU gets nothing"));
        asked.split = SplitPolicy::Neurons;
        const auto named = plan_of(asked);
        QVERIFY(named);
        QVERIFY(named->vram.total() > 0);
    }

    // The disk's speed is not known when a model is loaded for the first time.
    void a_disk_that_was_not_measured_is_a_usual_one() {
        Asked asked{FeedForwardMode::Exact, percent(40), percent(30)};
        asked.machine.disk_read_gb_per_s = asked.machine.disk_reads_per_s = 0;
        const auto plan = plan_of(asked);
        QVERIFY(plan);
        QVERIFY(plan->vram.total() > 0);
        QVERIFY(plan->reads_flash());
        QVERIFY(says(*plan, "of VRAM"));
    }

    void memory_that_both_share_is_counted_once_data() {
        QTest::addColumn<std::uint64_t>("ram");  // 0: automatic
        QTest::addColumn<std::uint64_t>("vram");
        QTest::addColumn<std::uint64_t>("available");
        QTest::addColumn<std::uint64_t>("sum");
        constexpr std::uint64_t kAvailable = kAll / 10 * 7;
        constexpr std::uint64_t kSpare = kAvailable / 10 * 9 + 10;
        const std::uint64_t none = 0;
        QTest::newRow("both automatic") << none << none << kAvailable << kSpare;
        QTest::newRow("RAM given") << percent(40) << none << kAvailable << kSpare;
        QTest::newRow("VRAM given") << none << percent(30) << kAvailable << kSpare;
        QTest::newRow("both given") << percent(50) << percent(70) << percent(50) << percent(100);
        QTest::newRow("the GPU may have all") << none << none << 4 * kAll << 4 * kAll;
    }
    void memory_that_both_share_is_counted_once() {
        QFETCH(const std::uint64_t, ram);
        QFETCH(const std::uint64_t, vram);
        QFETCH(const std::uint64_t, available);
        QFETCH(const std::uint64_t, sum);
        for (const bool shared : {true, false}) {
            Asked asked{FeedForwardMode::Exact, ram > 0 ? std::optional(ram) : std::nullopt,
                        vram > 0 ? std::optional(vram) : std::nullopt};
            asked.machine.memory = {percent(100), available, {}};
            asked.machine.gpus.front().shares_ram = shared;
            const auto plan = plan_of(asked);
            QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
            QVERIFY(plan->vram.total() > 0 && plan->ram.total() > 0);
            QVERIFY(plan->vram.total() <= plan->vram_budget_bytes);
            QVERIFY(plan->ram.total() <= plan->ram_budget_bytes);
            if (!shared) {
                continue;
            }
            QVERIFY(plan->ram_budget_bytes + plan->vram_budget_bytes <= sum);
            QCOMPARE(plan->reads_flash(), available < kAll);
            if (available > kAll) {
                QVERIFY(plan->placement.attention_in_vram(0) && plan->placement.hot(0) == kFf);
            }
        }
    }

    // More VRAM than both have together would leave no RAM: the processor takes all of it alone.
    void more_vram_than_there_is_leaves_no_ram() {
        Asked asked{FeedForwardMode::Exact, std::nullopt, percent(95)};
        asked.machine.memory = {percent(100), percent(40), {}};
        asked.machine.gpus.front().shares_ram = true;
        const auto plan = plan_of(asked);
        QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
        QCOMPARE(plan->vram.total(), std::uint64_t{0});
        QVERIFY(plan->ram_budget_bytes <= percent(40));
        QVERIFY(plan->ram.total() <= plan->ram_budget_bytes);
    }

    // VRAM may hold what RAM must hold otherwise.
    void ram_alone_may_be_too_small() {
        const Asked asked{FeedForwardMode::Exact, kOther + kScratch + 4'000'000, percent(40)};
        const auto plan = plan_of(asked);
        QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
        QVERIFY(plan->vram.total() > 0);
        const auto never = plan_of({FeedForwardMode::Exact, kOther / 2, percent(40)});
        QVERIFY(!never && never.error().code == ErrorCode::OverBudget);
    }
};

QTEST_GUILESS_MAIN(FlashSplitChoiceTest)
#include "flash_split_choice_test.moc"
