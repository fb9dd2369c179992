// Plans for machines with a GPU: what every one of them must keep, over random machines, models and
// profiles, and what a few known ones come to.
#include "plan/split_choice.h"

#include <QtTest>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include "engine/plan/checked_plan.h"
#include "engine/plan/split_milp.h"
#include "plan/batch_costs.h"
#include "plan/planner.h"
#include "plan/weight_upload.h"
#include "support/vram_part.h"

using namespace hearth;

namespace {

constexpr std::uint64_t kKvOfPosition = 100;  // of a layer

struct Case {
    ModelSpec spec;
    Machine machine;
    TokenCosts tokens;
    MemoryCosts costs;
    std::uint64_t neurons_bytes = 0;
    std::uint64_t other_bytes = 0;  // of weights: what is neither neuron, attention nor output
    std::uint64_t attention_bytes = 0;
    // Of VRAM: what a layer's first neuron brings along, and scratch of a token of a batch.
    std::uint64_t opening_bytes = 0;
    std::uint64_t scratch_bytes = 0;
    std::uint64_t upload_bytes = 0;  // of a token of a batch; 0: weights are not uploaded
};

// n_layer layers of n_ff neurons; `fired` counts of 1000 tokens.
Case make_case(int n_layer, int n_ff, const NeuronBytes& neuron) {
    Case c;
    c.spec.layers.resize(static_cast<std::size_t>(n_layer));
    for (LayerSpec& layer : c.spec.layers) {
        layer.n_ff = n_ff;
        layer.activation = Activation::ReluGated;
    }
    c.spec.n_ctx_train = 8192;
    c.tokens.activation = Activation::ReluGated;
    c.tokens.mode = FeedForwardMode::Exact;
    c.tokens.bytes.layers.assign(
        static_cast<std::size_t>(n_layer),
        {.attention = 50'000, .neuron = neuron, .kv_position = kKvOfPosition});
    c.tokens.bytes.output = 100'000;
    c.tokens.heat = neuron_heat(c.spec, nullptr);
    c.machine.cpu.physical_cores = 4;
    c.machine.ram_read_gb_per_s = 50;
    c.machine.memory.available_bytes = std::uint64_t{1} << 40;
    return c;
}

// The functions an executor would give, from the case's bytes.
void add_up(Case& c) {
    c.neurons_bytes = 0;
    c.attention_bytes = 0;
    c.other_bytes = 300'000;
    for (const LayerBytes& layer : c.tokens.bytes.layers) {
        c.neurons_bytes += layer.neuron.total() * static_cast<std::uint64_t>(c.spec.n_ff_max());
        c.attention_bytes += layer.attention;
    }
    const auto layers = c.tokens.bytes.layers;
    const auto at = [](int layer) { return static_cast<std::size_t>(layer); };
    c.costs.weights_bytes = [=, output = c.tokens.bytes.output, other = c.other_bytes,
                             n_ff = c.spec.n_ff_max()](const Placement& part) {
        std::uint64_t bytes = other + (part.output_in_vram() ? 0 : output);
        for (int l = 0; l < static_cast<int>(layers.size()); ++l) {
            bytes += part.attention_in_vram(l) ? 0 : layers[at(l)].attention;
            bytes += layers[at(l)].neuron.total() * static_cast<std::uint64_t>(n_ff - part.hot(l));
        }
        return bytes;
    };
    c.costs.kv_bytes = [n_layer = c.spec.n_layer()](int n_ctx, const Placement& part) {
        std::uint64_t bytes = 0;
        for (int l = 0; l < n_layer; ++l) {
            bytes += part.attention_in_vram(l) ? 0 : kKvOfPosition * static_cast<unsigned>(n_ctx);
        }
        return bytes;
    };
    c.costs.scratch_bytes = [](int, int n_batch) {
        return static_cast<std::uint64_t>(n_batch) * 200;
    };
    c.costs.gpu = GpuMemoryCosts{
        .attention_bytes = [=](int l) { return layers[at(l)].attention; },
        .neurons_bytes =
            [=, opening = c.opening_bytes](int l, int count) {
                return layers[at(l)].neuron.total() * static_cast<std::uint64_t>(count) +
                       (count > 0 ? opening : 0);
            },
        .output_bytes = c.tokens.bytes.output,
        .kv_bytes = [](int n_ctx, int) { return kKvOfPosition * static_cast<unsigned>(n_ctx); },
        .scratch_bytes = [per = c.scratch_bytes](
                             int,
                             int n_batch) { return per * static_cast<std::uint64_t>(n_batch); },
    };
    if (c.upload_bytes > 0) {
        c.costs.gpu->upload_bytes =
            c.costs.gpu->upload_host_bytes = [per = c.upload_bytes](int n_batch, std::uint64_t) {
                return per * static_cast<std::uint64_t>(n_batch);
            };
    }
}

// A prompt asks for these, in two of three cases: without them splits are compared by tokens.
void add_prompts(Case& c, std::mt19937_64& random) {
    const auto up_to = [&](std::uint64_t n) { return random() % (n + 1); };
    if (up_to(2) == 0) {
        return;
    }
    for (LayerBytes& layer : c.tokens.bytes.layers) {
        layer.attended = up_to(20'000);
        layer.to_heads = up_to(30'000);
        layer.from_heads = up_to(10'000);
    }
    c.tokens.bytes.multiply_adds = 1 + up_to(10'000'000);
    c.machine.gflop_per_s = 1 + static_cast<double>(up_to(2000));
    for (GpuUnit& gpu : c.machine.gpus) {
        gpu.gflop_per_s = 1 + static_cast<double>(up_to(20'000));
    }
    c.upload_bytes = up_to(1) * (1 + up_to(40));
    add_up(c);
}

ActivationProfile random_profile(const ModelSpec& spec, std::mt19937_64& random) {
    ActivationProfile profile;
    profile.tokens = 1000;
    profile.layers.resize(static_cast<std::size_t>(spec.n_layer()));
    for (LayerProfile& layer : profile.layers) {
        const double skew = 0.2 + static_cast<double>(random() % 100) / 10;
        for (int n = 0; n < spec.n_ff_max(); ++n) {
            const double u = static_cast<double>(random() % 10'000) / 1e4;
            layer.fired[0].push_back(static_cast<std::uint32_t>(1000 * std::pow(u, skew)));
        }
    }
    return profile;
}

Case random_case(std::mt19937_64& random) {
    const auto up_to = [&](std::uint64_t n) { return random() % (n + 1); };
    constexpr int kWidths[] = {32, 64, 96, 100, 128, 256, 320, 512};
    Case c = make_case(1 + static_cast<int>(up_to(7)), kWidths[up_to(7)], {});
    const std::uint64_t row = 64 * (1 + up_to(80));
    const bool alike = up_to(2) != 0;
    c.opening_bytes = up_to(1) * up_to(3000);
    c.scratch_bytes = up_to(2) * up_to(300);
    c.tokens.bytes.output = up_to(1) * up_to(400'000);
    c.tokens.bytes.stream = up_to(5000);
    for (LayerBytes& layer : c.tokens.bytes.layers) {
        const std::uint64_t down = alike ? row : row * (1 + up_to(1));
        layer = {.attention = up_to(200'000), .neuron = {row, row, down}};
        if (up_to(40) == 0) {
            layer.neuron = {};  // nothing known of it
        } else if (up_to(10) == 0) {
            layer.neuron.gate = 0;
        }
    }
    c.tokens.activation = up_to(1) == 0 ? Activation::ReluGated : Activation::DRelu;
    constexpr FeedForwardMode kModes[] = {FeedForwardMode::Dense, FeedForwardMode::Exact,
                                          FeedForwardMode::Predicted};
    c.tokens.mode = kModes[up_to(2)];
    const ActivationProfile profile = random_profile(c.spec, random);
    c.tokens.heat = neuron_heat(c.spec, up_to(4) == 0 ? nullptr : &profile);
    add_up(c);

    c.machine.ram_read_gb_per_s = 10 + static_cast<double>(up_to(90));
    const std::uint64_t n_gpus = up_to(9) == 0 ? up_to(2) : 1;
    for (std::uint64_t i = 0; i < n_gpus; ++i) {
        c.machine.gpus.push_back(
            {"gpu" + std::to_string(i),
             {std::uint64_t{1} << 50, static_cast<double>(up_to(1500)),
              static_cast<double>(up_to(3) == 0 ? up_to(100) : up_to(10)) / 10},
             0,
             static_cast<double>(up_to(30)),
             static_cast<double>(up_to(30))});
    }
    add_prompts(c, random);
    return c;
}

// A token with its share of a prompt.
double forecast_seconds(const Case& c, const Plan& plan) {
    const Speeds speeds = speeds_of(c.machine);
    return ExchangeCosts(c.tokens, speeds, plan.upload, plan.n_batch)
        .seconds(plan.placement, std::min(kForecastPositions, plan.n_ctx))
        .value_or(-1);
}

// Every neuron is placed once and each unit's in the file's order, bytes are those of the parts,
// budgets hold, groups are whole, attention goes from the last layer on.
QString breach(const Case& c, const Plan& plan) {
    const auto n_layer = static_cast<std::size_t>(c.spec.n_layer());
    const auto n_ff = static_cast<std::size_t>(c.spec.n_ff_max());
    std::vector<std::vector<int>> placed(n_layer, std::vector<int>(n_ff, 0));
    std::vector<int> hot(n_layer, 0);
    const Placement& on_gpu = plan.placement;
    for (std::size_t l = 0; l < n_layer; ++l) {
        const std::vector<int>& order = plan.placement.layers.at(l).order;
        const auto& source = c.tokens.heat.source;
        const auto in_source = [&](int neuron) {
            return source.empty() || source[l].empty()
                       ? neuron
                       : source[l][static_cast<std::size_t>(neuron)];
        };
        for (const auto& [cluster, home] : plan.placement.layers[l].clusters) {
            if (cluster.count <= 0 || (home != Home::Vram && home != Home::Ram)) {
                return "an empty cluster, or one on flash";
            }
            hot[l] += home == Home::Vram ? cluster.count : 0;
            int before = -1;
            for (int i = cluster.first; i < cluster.first + cluster.count; ++i) {
                const int neuron = order.empty() ? i : order[static_cast<std::size_t>(i)];
                ++placed[l].at(static_cast<std::size_t>(neuron));
                if (in_source(neuron) <= before) {
                    return "a unit's neurons are not in the source file's order";
                }
                before = in_source(neuron);
            }
        }
    }
    for (const std::vector<int>& layer : placed) {
        if (std::any_of(layer.begin(), layer.end(), [](int times) { return times != 1; })) {
            return "a neuron is placed twice or not at all";
        }
    }
    const bool uploads = plan.upload.slot_bytes > 0;
    const MemoryCosts costs =
        uploads ? with_weight_upload(c.costs, plan.upload.slot_bytes) : c.costs;
    const GpuMemoryCosts& gpu = *costs.gpu;
    MemoryBytes vram{on_gpu.output_in_vram() ? gpu.output_bytes : 0, 0, 0};
    for (int l = 0; l < c.spec.n_layer(); ++l) {
        const auto layer = static_cast<std::size_t>(l);
        if (hot[layer] != on_gpu.hot(l) || (hot[layer] != c.spec.n_ff_max() &&
                                            hot[layer] % group_neurons(c.spec.n_ff_max()) != 0)) {
            return QString("layer %1 has %2 hot neurons").arg(l).arg(hot[layer]);
        }
        vram.weights += gpu.neurons_bytes(l, hot[layer]);
        if (on_gpu.attention_in_vram(l)) {
            vram.weights += gpu.attention_bytes(l);
            vram.kv += gpu.kv_bytes(plan.n_ctx, l);
            if (l + 1 < c.spec.n_layer() && !on_gpu.attention_in_vram(l + 1)) {
                return "attention is in VRAM before a layer where it is not";
            }
        }
    }
    if (vram.total() > 0) {
        vram.scratch = gpu.scratch_bytes(plan.n_ctx, plan.n_batch);
    }
    const MemoryBytes ram{costs.weights_bytes(on_gpu), costs.kv_bytes(plan.n_ctx, on_gpu),
                          costs.scratch_bytes(plan.n_ctx, plan.n_batch)};
    if (!(vram == plan.vram) || !(ram == plan.ram)) {
        return QString("parts take %1 and %2, charged are %3 and %4")
            .arg(vram.total())
            .arg(ram.total())
            .arg(plan.vram.total())
            .arg(plan.ram.total());
    }
    if (plan.vram.total() > plan.vram_budget_bytes || plan.ram.total() > plan.ram_budget_bytes) {
        return "a budget is exceeded";
    }
    const auto& solver = plan.solver;
    if (solver.has_value() != (plan.vram.total() > 0)) {
        return "a report of nothing, or none of something";
    }
    return {};
}

// What two budgets leave to choose, stated from the case itself: every number of groups, all of
// RAM and VRAM counted, the forecast's seconds. Attention of the last layers, as split_choice.h
// says. less_bytes: of VRAM.
test::MilpAnswer solve_with_cbc(const Case& c, const SplitTask& task,
                                std::uint64_t less_bytes = 0) {
    const GpuMemoryCosts& gpu = *c.costs.gpu;
    const auto n_layer = static_cast<int>(c.tokens.bytes.layers.size());
    const std::uint64_t scratch = gpu.scratch_bytes(task.n_ctx, task.n_batch);
    const std::uint64_t needed = c.costs.weights_bytes({}) + c.costs.kv_bytes(task.n_ctx, {}) +
                                 c.costs.scratch_bytes(task.n_ctx, task.n_batch);
    const ExchangeCosts exchange(c.tokens, task.speeds, task.upload, task.n_batch);
    SplitProgram program;
    std::vector<std::vector<std::uint64_t>> spared[2];
    for (const bool in_vram : {false, true}) {
        for (int l = 0; l < n_layer; ++l) {
            const auto at = static_cast<std::size_t>(l);
            const std::vector<double> sums = neuron_bytes_sums(c.tokens, at);
            LayerChoices layer;
            spared[in_vram].emplace_back();
            for (int n = 0; n <= c.spec.n_ff_max(); ++n) {
                const bool whole =
                    n % group_neurons(c.spec.n_ff_max()) == 0 || n == c.spec.n_ff_max();
                if (!whole || (n > 0 && !in_vram && !gpu.neurons_alone)) {
                    continue;
                }
                layer.bytes.push_back(gpu.neurons_bytes(l, n));
                spared[in_vram].back().push_back(c.tokens.bytes.layers[at].neuron.total() *
                                                 static_cast<std::uint64_t>(n));
                layer.seconds.push_back(exchange.layer_seconds(
                    layer_seconds(layer_work(c.tokens, at, sums, in_vram, n, task.positions),
                                  c.tokens, task.speeds),
                    at, in_vram, n));
            }
            (in_vram ? program.in_vram : program.in_ram).push_back(std::move(layer));
        }
    }
    program.bytes_max = task.vram_bytes - scratch - std::min(task.vram_bytes - scratch, less_bytes);
    for (int n_in_ram = 0; n_in_ram <= n_layer; ++n_in_ram) {
        for (const bool output : {false, true}) {
            test::VramPart part{c.spec.neurons()};
            part.output_in_vram = output;
            SplitFrame frame{.n_in_ram = n_in_ram};
            std::uint64_t spares = output ? c.tokens.bytes.output : 0;
            frame.fixed_bytes = output ? gpu.output_bytes : 0;
            for (int l = 0; l < n_layer; ++l) {
                part.attention_in_vram.push_back(l >= n_in_ram);
                if (l >= n_in_ram) {
                    const std::uint64_t kv = kKvOfPosition * static_cast<unsigned>(task.n_ctx);
                    frame.fixed_bytes += gpu.attention_bytes(l) + gpu.kv_bytes(task.n_ctx, l);
                    spares += c.tokens.bytes.layers[static_cast<std::size_t>(l)].attention + kv;
                }
            }
            frame.bytes_min =
                needed > task.ram_bytes + spares ? needed - task.ram_bytes - spares : 0;
            frame.seconds = exchange.other_seconds(other_seconds(c.tokens, part, task.speeds));
            if (frame.fixed_bytes <= program.bytes_max) {
                program.frames.push_back(frame);
            }
        }
    }
    return test::solve_as_milp(program, spared[0], spared[1]);
}

bool says(const Plan& plan, const std::string& words) {
    return std::any_of(plan.reasons.begin(), plan.reasons.end(), [&](const std::string& reason) {
        return reason.find(words) != std::string::npos;
    });
}

}  // namespace

class SplitChoiceTest : public QObject {
    Q_OBJECT

private slots:
    // A thousand machines, each with two budgets, then with more of the one, of the other, of both.
    void randomMachines() {
        std::mt19937_64 random(2026);
        int planned = 0;
        int split = 0;
        int everything = 0;
        int forced = 0;
        int solved = 0;
        int compared = 0;
        int uploading = 0;
        for (int i = 0; i < 1000; ++i) {
            Case c = random_case(random);
            const std::uint64_t weights = c.costs.weights_bytes({});
            const auto share = [&](std::uint64_t bytes) {
                return static_cast<std::uint64_t>(static_cast<double>(random() % 1300) / 1000 *
                                                  static_cast<double>(bytes));
            };
            const int n_ctx = random() % 2 == 0 ? 0 : 512;
            const std::uint64_t kv = c.costs.kv_bytes(512, {});
            const std::uint64_t vram =
                share(c.neurons_bytes + c.attention_bytes + c.tokens.bytes.output + kv);
            const std::uint64_t ram = random() % 2 == 0
                                          ? weights - share(c.neurons_bytes) / 2 + random() % kv
                                          : weights + 40'000 + random() % 500'000;
            const std::uint64_t more_vram = vram + random() % (c.neurons_bytes / 3 + 100);
            const std::uint64_t more_ram = ram + random() % (c.neurons_bytes / 3 + 100);
            const auto plan_for = [&](std::uint64_t r, std::uint64_t v,
                                      SplitPolicy policy = SplitPolicy::Auto) {
                return test::checked_plan(
                    c.spec, c.machine,
                    {.ram_bytes = r, .vram_bytes = v, .n_ctx = n_ctx, .split = policy}, c.costs,
                    &c.tokens);
            };
            const auto tight = plan_for(ram, vram);
            if (!tight) {
                QVERIFY(tight.error().code == ErrorCode::OverBudget);
                QVERIFY(tight.error().message.find("the budget is") != std::string::npos);
                continue;
            }
            QVERIFY2(breach(c, *tight).isEmpty(), qPrintable(breach(c, *tight)));
            ++planned;
            split += tight->vram.total() > 0 &&
                     c.costs.weights_bytes(test::vram_part(tight->placement)) > c.other_bytes;
            everything +=
                c.costs.weights_bytes(test::vram_part(tight->placement)) == c.other_bytes ? 1 : 0;
            forced += weights > ram ? 1 : 0;
            if (tight->solver) {
                solved += tight->solver->chosen == "layers" ? 1 : 0;
                QVERIFY(tight->solver->chosen == "layers" || tight->solver->chosen == "forecast");
                QVERIFY(!tight->solver->integer_value && !tight->solver->greedy_value);
            }
            const double seconds = forecast_seconds(c, *tight);
            QVERIFY(seconds > 0);
            const auto not_slower = [&](const Result<Plan>& than, double limit) {
                // Slots of another size may cost more than they bring.
                const bool alike = than->n_ctx == tight->n_ctx && than->n_batch == tight->n_batch &&
                                   (tight->upload.slot_bytes == 0 ||
                                    than->upload.slot_bytes == tight->upload.slot_bytes);
                uploading += alike && than->upload.slot_bytes > 0 ? 1 : 0;
                compared += alike ? 1 : 0;
                return !alike || forecast_seconds(c, *than) <= limit * (1 + 1e-11);
            };
            const std::pair<std::uint64_t, std::uint64_t> roomier[] = {
                {ram, more_vram}, {more_ram, vram}, {more_ram, more_vram}};
            for (const auto& [more_r, more_v] : roomier) {
                const auto roomy = plan_for(more_r, more_v);
                QVERIFY(roomy);
                QVERIFY2(breach(c, *roomy).isEmpty(), qPrintable(breach(c, *roomy)));
                QVERIFY(roomy->n_ctx >= tight->n_ctx);
                QVERIFY2(not_slower(roomy, seconds),
                         qPrintable(QString("machine %1: %2 s with %3 and %4 bytes, %5 s with more")
                                        .arg(i)
                                        .arg(seconds)
                                        .arg(ram)
                                        .arg(vram)
                                        .arg(forecast_seconds(c, *roomy))));
            }
            for (const SplitPolicy policy : {SplitPolicy::Neurons, SplitPolicy::Layers}) {
                const auto asked = plan_for(ram, vram, policy);
                if (!asked) {
                    continue;
                }
                QVERIFY2(breach(c, *asked).isEmpty(), qPrintable(breach(c, *asked)));
                const bool alike = asked->n_ctx == tight->n_ctx &&
                                   asked->n_batch == tight->n_batch &&
                                   (tight->upload.slot_bytes == asked->upload.slot_bytes);
                QVERIFY(!alike || forecast_seconds(c, *asked) >= seconds * (1 - 1e-11));
                const Placement& part = asked->placement;
                for (int l = 0; l < c.spec.n_layer() && policy == SplitPolicy::Layers; ++l) {
                    QCOMPARE(part.hot(l), part.attention_in_vram(l) ? c.spec.n_ff_max() : 0);
                }
            }
        }
        qInfo(
            "%d planned, %d of them split and %d all on the GPU, %d with RAM short; %d in whole "
            "layers; %d compared with plans of more budget, %d that upload",
            planned, split, everything, forced, solved, compared, uploading);
        QVERIFY(planned > 600);
        QVERIFY(split > 300);
        QVERIFY(everything > 50);
        QVERIFY(forced > 50);
        QVERIFY(compared > 1500);
        QVERIFY(uploading > 100);
    }

    // The forecast of the choice is CBC's optimum of the program that the case itself states. Where
    // more VRAM is taken than RAM is spared (a layer's first neuron brings something along), RAM is
    // ample: a tight one is only bounded then, see split_choice.h.
    void equalsCbc() {
        std::mt19937_64 random(99);
        int compared = 0;
        int tight = 0;
        int bounded = 0;
        int rounded = 0;
        int none = 0;
        for (int i = 0; i < 240; ++i) {
            Case c = random_case(random);
            c.spec.layers.resize(std::min(c.spec.layers.size(), std::size_t{5}));
            c.tokens.bytes.layers.resize(static_cast<std::size_t>(c.spec.n_layer()));
            c.tokens.heat.layers.resize(static_cast<std::size_t>(c.spec.n_layer()));
            const bool ample = i % 3 == 0;
            c.opening_bytes = i % 3 == 2 ? 0 : 64 * (random() % 40);
            add_up(c);
            c.costs.gpu->neurons_alone = random() % 2 == 0;
            Speeds speeds;
            speeds.ram.bandwidth_gb_per_s = c.machine.ram_read_gb_per_s;
            speeds.vram = {.bandwidth_gb_per_s = static_cast<double>(1 + random() % 1500),
                           .sync_us = static_cast<double>(random() % 100) / 10};
            speeds.to_vram_gb_per_s = static_cast<double>(random() % 30);
            speeds.from_vram_gb_per_s = static_cast<double>(random() % 30);
            constexpr int kContext = 64;
            const std::uint64_t weights = c.costs.weights_bytes({});
            const std::uint64_t scratch = c.costs.gpu->scratch_bytes(kContext, 32);
            const std::uint64_t needed = weights + c.costs.kv_bytes(kContext, {}) + 32 * 200;
            const std::uint64_t ram = ample ? needed : needed - random() % (c.neurons_bytes + 1000);
            const std::uint64_t vram =
                scratch + 1 + random() % (weights + c.costs.kv_bytes(kContext, {}));
            speeds.gflop_per_s = c.machine.gflop_per_s;
            speeds.vram_gflop_per_s = static_cast<double>(1 + random() % 20'000);
            SplitTask task{c.tokens, c.costs, speeds, kContext, 32, kContext, ram, vram};
            if (speeds.to_vram_gb_per_s > 0 && random() % 2 == 0) {
                task.upload = {.slot_bytes = 64, .tokens_min = 8};
            }
            const auto choice = choose_split(task);
            const test::MilpAnswer wanted = solve_with_cbc(c, task);
            if (wanted.failed.find("COIN-OR CBC") != std::string::npos) {
                QSKIP("no solver: the program was not compared with CBC's");
            }
            QVERIFY2(wanted.failed.empty(), wanted.failed.c_str());
            if (!choice) {
                // Only what is bounded may miss a plan that fits.
                QVERIFY(!wanted.seconds || (c.opening_bytes > 0 && !ample));
                none += wanted.seconds ? 0 : 1;
                continue;
            }
            QVERIFY(wanted.seconds);
            const double seconds = ExchangeCosts(c.tokens, speeds, task.upload, task.n_batch)
                                       .seconds(choice->placement, task.positions)
                                       .value();
            const QString both =
                QString("case %1: %2 s, CBC has %3 s").arg(i).arg(seconds).arg(*wanted.seconds);
            QVERIFY2(seconds >= *wanted.seconds * (1 - 1e-6), qPrintable(both));
            const std::uint64_t taken = c.costs.weights_bytes(choice->placement) +
                                        c.costs.kv_bytes(kContext, choice->placement) + 32 * 200;
            QVERIFY(taken <= ram && choice->vram.total() <= vram);
            if (c.opening_bytes > 0 && !ample) {
                ++bounded;
                continue;
            }
            if (!choice->solver.optimal && choice->solver.chosen != "none") {
                // Bytes were rounded up, in each layer by less than a 16384th of what neurons take.
                const std::uint64_t all =
                    c.neurons_bytes + c.opening_bytes * static_cast<unsigned>(c.spec.n_layer());
                const test::MilpAnswer bound = solve_with_cbc(
                    c, task, (all / 16384 + 1) * static_cast<unsigned>(c.spec.n_layer()));
                QVERIFY2(!bound.seconds || seconds <= *bound.seconds * (1 + 1e-9),
                         qPrintable(both));
                ++rounded;
                continue;
            }
            QVERIFY2(seconds <= *wanted.seconds * (1 + 1e-9), qPrintable(both));
            ++compared;
            tight += needed > ram ? 1 : 0;
        }
        qInfo(
            "%d as fast as CBC's, %d of them with RAM short; %d rounded, %d bounded, %d impossible",
            compared, tight, rounded, bounded, none);
        QVERIFY(compared > 70);
        QVERIFY(tight > 35);
        QVERIFY(rounded > 20);
        QVERIFY(none > 3);
    }

    // The paper's objective where it is asked for: its values beside each other, a plan that keeps
    // the budgets, and never one that is forecast to be faster than the default.
    void papersObjective() {
        std::mt19937_64 random(7);
        int placed = 0;
        int slower = 0;
        for (int i = 0; i < 40; ++i) {
            Case c = random_case(random);
            Budget budget{.ram_bytes = c.costs.weights_bytes({}) + 700'000,
                          .vram_bytes = c.neurons_bytes / 3,
                          .n_ctx = 512};
            const auto fastest = test::checked_plan(c.spec, c.machine, budget, c.costs, &c.tokens);
            budget.solver = SplitSolver::Paper;
            const auto papers = test::checked_plan(c.spec, c.machine, budget, c.costs, &c.tokens);
            QVERIFY(fastest);
            QVERIFY(papers);
            QVERIFY2(breach(c, *papers).isEmpty(), qPrintable(breach(c, *papers)));
            if (!papers->solver) {
                continue;
            }
            const SolverReport& solver = *papers->solver;
            QVERIFY(solver.greedy_value);
            if (solver.integer_value) {
                QVERIFY(*solver.integer_value >= *solver.greedy_value * (1 - 1e-12));
            }
            const bool same_size = fastest->n_batch == papers->n_batch;
            QVERIFY(!same_size ||
                    forecast_seconds(c, *papers) >= forecast_seconds(c, *fastest) * (1 - 1e-11));
            if (solver.chosen != "forecast") {
                QVERIFY(solver.chosen == "integer" || solver.chosen == "greedy");
                QVERIFY(says(*papers, "by the paper's objective"));
                ++placed;
                slower += forecast_seconds(c, *papers) > forecast_seconds(c, *fastest) * 1.001;
            }
        }
        QVERIFY(placed > 15);
        QVERIFY(slower > 5);
    }

    // All of it fits: all but the embeddings go, and no layer waits.
    void everythingFits() {
        Case c = make_case(3, 100, {1000, 1000, 1000});
        c.scratch_bytes = 10;
        add_up(c);
        c.machine.gpus = {{"card", {std::uint64_t{1} << 40, 500, 10}}};
        const auto plan = test::checked_plan(c.spec, c.machine, {}, c.costs, &c.tokens);
        QVERIFY(plan);
        QVERIFY2(breach(c, *plan).isEmpty(), qPrintable(breach(c, *plan)));
        QCOMPARE(plan->ram.weights, c.other_bytes);
        QCOMPARE(plan->ram.kv, std::uint64_t{0});
        QCOMPARE(plan->vram.kv, std::uint64_t{3 * 4096 * 100});
        QCOMPARE(plan->vram.scratch, std::uint64_t{5120});
        QCOMPARE(test::vram_part(plan->placement).hot_neurons,
                 (std::vector<int>{100, 100, 100}));  // the last 36 too
        QVERIFY(plan->placement.output_in_vram());
        QCOMPARE(decode_costs(c.tokens, test::vram_part(plan->placement), 10).round_trips, 1.0);
    }

    // Attention too big for the GPU: of as many layers as fit, from the last on.
    void attentionTooBig() {
        Case c = make_case(4, 128, {1000, 1000, 1000});
        add_up(c);
        c.machine.gpus = {{"card", {std::uint64_t{1} << 40, 500, 0.1}}};
        const std::uint64_t layer = 50'000 + 512 * kKvOfPosition;
        const auto plan = test::checked_plan(
            c.spec, c.machine,
            {.vram_bytes = 100'000 + 2 * layer + 1000, .n_ctx = 512, .split = SplitPolicy::Neurons},
            c.costs, &c.tokens);
        QVERIFY(plan);
        QVERIFY2(breach(c, *plan).isEmpty(), qPrintable(breach(c, *plan)));
        QVERIFY((test::vram_part(plan->placement).attention_in_vram ==
                 std::vector<bool>{false, false, true, true}));
        QVERIFY(plan->placement.output_in_vram());
        QCOMPARE(plan->vram.total(), 100'000 + 2 * layer);
        QCOMPARE(test::vram_part(plan->placement).hot_neurons, (std::vector<int>{0, 0, 0, 0}));
    }

    void wholeLayers() {
        Case c = make_case(4, 128, {1000, 1000, 1000});
        add_up(c);
        c.machine.gpus = {{"card", {std::uint64_t{1} << 40, 500, 0.1}}};
        const std::uint64_t layer = 50'000 + 512 * kKvOfPosition + 128 * 3000;
        const auto plan = test::checked_plan(
            c.spec, c.machine,
            {.vram_bytes = 3 * layer, .n_ctx = 512, .split = SplitPolicy::Layers}, c.costs,
            &c.tokens);
        QVERIFY(plan);
        QVERIFY2(breach(c, *plan).isEmpty(), qPrintable(breach(c, *plan)));
        QCOMPARE(test::vram_part(plan->placement).hot_neurons,
                 (std::vector<int>{0, 128, 128, 128}));
        QCOMPARE(plan->vram.total(), 3 * layer);
        QVERIFY(!plan->placement.output_in_vram());
        QCOMPARE(plan->solver->chosen, std::string("layers"));
    }

    // What is nowhere sparse and whose units wait for next to nothing: neurons of every layer on
    // both, as many on each as it computes in the same time.
    void bothAtOnce() {
        Case c = make_case(2, 1024, {1000, 1000, 1000});
        c.tokens.mode = FeedForwardMode::Dense;
        add_up(c);
        c.machine.gpus = {{"card", {std::uint64_t{1} << 40, 150, 1e-6}}};
        const auto plan = test::checked_plan(c.spec, c.machine, {.n_ctx = 512}, c.costs, &c.tokens);
        QVERIFY(plan);
        QVERIFY2(breach(c, *plan).isEmpty(), qPrintable(breach(c, *plan)));
        QCOMPARE(test::vram_part(plan->placement).hot_neurons,
                 (std::vector<int>{768, 768}));  // 150 GB/s beside 50
        QVERIFY(
            (test::vram_part(plan->placement).attention_in_vram == std::vector<bool>{true, true}));
    }

    // Prompts count once the arithmetic is known: a share that the processor would compute as
    // fast as the GPU does its own makes a prompt many times as slow. And attention of all layers
    // comes before all of some layers where the processor's attention holds prompts up.
    void promptsCount() {
        Case c = make_case(2, 1024, {1000, 1000, 1000});
        c.tokens.mode = FeedForwardMode::Dense;
        c.tokens.bytes.multiply_adds = 6'000'000;
        add_up(c);
        c.machine.gpus = {{"card", {std::uint64_t{1} << 40, 150, 1e-6}}};
        c.machine.gpus[0].gflop_per_s = 10'000;
        c.machine.gflop_per_s = 100;
        const auto all = test::checked_plan(c.spec, c.machine, {.n_ctx = 512}, c.costs, &c.tokens);
        QVERIFY(all);
        QCOMPARE(test::vram_part(all->placement).hot_neurons, (std::vector<int>{1024, 1024}));
        for (const bool attends : {false, true}) {
            for (LayerBytes& layer : c.tokens.bytes.layers) {
                layer.attended = attends ? 100'000 : 0;
            }
            // A token is as fast either way, but for the round trip that neurons apart cost.
            c.machine.gpus[0].memory = {std::uint64_t{1} << 40, 1e6, 0.01};
            c.machine.gpus[0].to_gb_per_s = 1e3;
            const std::uint64_t layer = 50'000 + 512 * kKvOfPosition + 1024 * 3000;
            MemoryCosts costs = c.costs;
            costs.gpu->neurons_alone = false;
            const Speeds speeds = speeds_of(c.machine);
            const auto found = choose_split({.tokens = c.tokens,
                                             .memory = costs,
                                             .speeds = speeds,
                                             .n_ctx = 512,
                                             .n_batch = 512,
                                             .positions = 256,
                                             .ram_bytes = 20'000'000,
                                             .vram_bytes = layer,
                                             .upload = {.slot_bytes = 64, .tokens_min = 16}});
            QVERIFY(found);
            QCOMPARE(found->placement.attention_in_vram(0), attends);
            QVERIFY(found->placement.attention_in_vram(1));
        }
    }

    // Layer 3 reads the past of layer 1: with any budget one unit has both.
    void aLayerStaysWithThePastThatItReads() {
        Case c = make_case(4, 128, {1000, 1000, 1000});
        c.tokens.bytes.layers[3].past_of = 1;
        add_up(c);
        c.machine.gpus = {{"card", {std::uint64_t{1} << 40, 500, 0.1}}};
        for (const SplitPolicy policy :
             {SplitPolicy::Auto, SplitPolicy::Layers, SplitPolicy::Neurons}) {
            std::set<int> borders;
            for (std::uint64_t vram = 50'000; vram < 4'000'000; vram += 50'000) {
                const auto plan = test::checked_plan(
                    c.spec, c.machine,
                    {.ram_bytes = 40'000'000, .vram_bytes = vram, .n_ctx = 512, .split = policy},
                    c.costs, &c.tokens);
                QVERIFY(plan);
                const Placement& part = plan->placement;
                int border = 0;
                while (border < 4 && !part.attention_in_vram(border)) {
                    ++border;
                }
                borders.insert(border);
            }
            QVERIFY((borders == std::set<int>{0, 1, 4}));
        }
    }

    // Layers of four sizes, in everything: whatever the budgets, what is charged is what its own
    // parts cost, of one conversation or two, and more VRAM is not slower.
    void layersThatDiffer() {
        Case c = make_case(4, 128, {1000, 1000, 1000});
        constexpr std::uint64_t kOfLayer[] = {40, 900, 10, 300};
        for (std::size_t l = 0; l < 4; ++l) {
            LayerBytes& layer = c.tokens.bytes.layers[l];
            layer.kv_position = kOfLayer[l];
            layer.attention = 20'000 + 30'000 * ((l + 2) % 4);
            layer.neuron = {500 + 300 * l, 2000 - 400 * l, 1000};
        }
        add_up(c);
        c.machine.gpus = {{"card", {std::uint64_t{1} << 40, 500, 0.1}}};
        c.costs.kv_bytes = [&](int n_ctx, const Placement& part) {
            std::uint64_t bytes = 0;
            for (int l = 0; l < 4; ++l) {
                bytes += part.attention_in_vram(l) ? 0 : kOfLayer[l] * static_cast<unsigned>(n_ctx);
            }
            return bytes;
        };
        c.costs.gpu->kv_bytes = [&](int n_ctx, int layer) {
            return kOfLayer[layer] * static_cast<unsigned>(n_ctx);
        };
        for (const SplitPolicy policy :
             {SplitPolicy::Auto, SplitPolicy::Layers, SplitPolicy::Neurons}) {
            for (const int n_pasts : {1, 2}) {
                double slower = std::numeric_limits<double>::max();
                for (std::uint64_t vram = 50'000; vram < 4'000'000; vram += 150'000) {
                    const auto plan = test::checked_plan(c.spec, c.machine,
                                                         {.ram_bytes = 40'000'000,
                                                          .vram_bytes = vram,
                                                          .n_ctx = 512,
                                                          .split = policy,
                                                          .n_pasts = n_pasts},
                                                         c.costs, &c.tokens);
                    QVERIFY(plan);
                    const double seconds = forecast_seconds(c, *plan);
                    QVERIFY(policy != SplitPolicy::Auto || plan->n_batch < 512 ||
                            seconds <= slower * (1 + 1e-9));
                    slower = seconds;
                }
                QVERIFY(slower < std::numeric_limits<double>::max());
            }
        }
    }

    // Each conversation has a past of its own, on either unit.
    void pastsOfTwoConversations() {
        Case c = make_case(2, 128, {1000, 1000, 1000});
        add_up(c);
        c.machine.gpus = {{"card", {std::uint64_t{1} << 40, 500, 0.1}}};
        const auto one = test::checked_plan(c.spec, c.machine, {.n_ctx = 512}, c.costs, &c.tokens);
        const auto two =
            test::checked_plan(c.spec, c.machine, {.n_ctx = 512, .n_pasts = 2}, c.costs, &c.tokens);
        QVERIFY(one && two);
        QVERIFY(
            (test::vram_part(two->placement).attention_in_vram == std::vector<bool>{true, true}));
        QCOMPARE(one->vram.kv, 2 * 512 * kKvOfPosition);
        QCOMPARE(two->vram.kv, 2 * one->vram.kv);
        QCOMPARE(two->vram.weights, one->vram.weights);
    }

    // Where a round trip costs more than a layer takes, layers go whole.
    void dearRoundTrips() {
        Case c = make_case(4, 128, {1000, 1000, 1000});
        add_up(c);
        c.machine.gpus = {{"card", {std::uint64_t{1} << 40, 500, 5}}};
        const auto plan = test::checked_plan(
            c.spec, c.machine, {.vram_bytes = 1'300'000, .n_ctx = 512}, c.costs, &c.tokens);
        QVERIFY(plan);
        QVERIFY2(breach(c, *plan).isEmpty(), qPrintable(breach(c, *plan)));
        QCOMPARE(test::vram_part(plan->placement).hot_neurons, (std::vector<int>{0, 0, 128, 128}));
        QVERIFY(plan->placement.output_in_vram());
    }

    // What the desktop keeps, and what the driver says is there.
    void budgets() {
        GpuUnit gpu{"card", {24'000'000'000, 500, 1}};
        QCOMPARE(vram_budget_bytes(gpu, {}), std::uint64_t{21'600'000'000});
        gpu.available_bytes = 2'000'000'000;
        QCOMPARE(vram_budget_bytes(gpu, {}), std::uint64_t{1'488'000'000});
        QCOMPARE(vram_budget_bytes(gpu, {.vram_bytes = 1'900'000'000}),
                 std::uint64_t{1'900'000'000});
        QCOMPARE(vram_budget_bytes(gpu, {.vram_bytes = 3'000'000'000}),
                 std::uint64_t{2'000'000'000});
        gpu.available_bytes = 23'000'000'000;  // others hold a gigabyte
        QCOMPARE(vram_budget_bytes(gpu, {}), std::uint64_t{22'000'000'000});
        gpu.available_bytes = 24'000'000'000;  // it does not say
        QCOMPARE(vram_budget_bytes(gpu, {}), std::uint64_t{21'600'000'000});
        gpu.available_bytes = 400'000'000;
        QCOMPARE(vram_budget_bytes(gpu, {}), std::uint64_t{0});
    }

    // Scratch of a large batch would leave little: the batch is made smaller. Where the GPU gets
    // nothing in the end, it is not.
    void batchesShrinkForTheGpu() {
        Case c = make_case(2, 128, {1000, 1000, 1000});
        c.scratch_bytes = 1000;
        add_up(c);
        c.machine.gpus = {{"card", {std::uint64_t{1} << 40, 500, 0.1}}};
        const auto plan = test::checked_plan(
            c.spec, c.machine, {.vram_bytes = 1'100'000, .n_ctx = 512}, c.costs, &c.tokens);
        QVERIFY(plan);
        QVERIFY2(breach(c, *plan).isEmpty(), qPrintable(breach(c, *plan)));
        QCOMPARE(plan->n_batch, 128);
        QCOMPARE(plan->vram.scratch, std::uint64_t{128'000});
        const auto useless = test::checked_plan(
            c.spec, c.machine, {.vram_bytes = 40'000, .n_ctx = 512}, c.costs, &c.tokens);
        QVERIFY(useless);
        QCOMPARE(useless->vram.total(), std::uint64_t{0});
        QCOMPARE(useless->n_batch, 512);
        QVERIFY(says(*useless, "the GPU gets nothing"));
    }

    // Columns of a down projection cannot be moved: the file's order, cut at its blocks.
    void downByOutput() {
        Case c = make_case(1, 1024, {1000, 1000, 1000, true, 256});
        ActivationProfile profile;
        profile.tokens = 1000;
        profile.layers.resize(1);
        for (std::uint32_t n = 0; n < 1024; ++n) {
            profile.layers[0].fired[0].push_back(n < 960 ? n : 0);
        }
        c.tokens.heat = neuron_heat(c.spec, &profile, &c.tokens.bytes);
        add_up(c);
        c.machine.gpus = {{"card", {std::uint64_t{1} << 40, 500, 0.1}}};
        const auto plan = test::checked_plan(
            c.spec, c.machine, {.vram_bytes = 700 * 3000, .n_ctx = 512}, c.costs, &c.tokens);
        QVERIFY(plan);
        QVERIFY2(breach(c, *plan).isEmpty(), qPrintable(breach(c, *plan)));
        QVERIFY(test::vram_part(plan->placement).neuron_order.empty());
        QCOMPARE(test::vram_part(plan->placement).hot_neurons, (std::vector<int>{512}));
    }

    // Hot neurons go first, and each unit's stand as in the file.
    void theHottestGo() {
        Case c = make_case(2, 256, {1000, 1000, 1000});
        ActivationProfile profile;
        profile.tokens = 1000;
        profile.layers.resize(2);
        for (std::uint32_t n = 0; n < 256; ++n) {
            profile.layers[0].fired[0].push_back(n);                 // the last are the hottest
            profile.layers[1].fired[0].push_back(n < 64 ? 900 : 0);  // the first are
        }
        for (LayerBytes& layer : c.tokens.bytes.layers) {
            layer.attention = 1'000'000;
        }
        c.tokens.bytes.output = 1'000'000;
        c.tokens.heat = neuron_heat(c.spec, &profile);
        add_up(c);
        c.machine.gpus = {{"card", {std::uint64_t{1} << 40, 500, 0.1}}};
        const auto plan = test::checked_plan(c.spec, c.machine, {.vram_bytes = 128 * 3000 + 2999},
                                             c.costs, &c.tokens);
        QVERIFY(plan);
        QVERIFY2(breach(c, *plan).isEmpty(), qPrintable(breach(c, *plan)));
        QCOMPARE(test::vram_part(plan->placement).hot_neurons, (std::vector<int>{64, 64}));
        QVERIFY(plan->solver->optimal);
        QCOMPARE(plan->vram.total(), std::uint64_t{128 * 3000});
        QCOMPARE(test::vram_part(plan->placement).neuron_order[0][0], 192);
        QCOMPARE(test::vram_part(plan->placement).neuron_order[0][64], 0);
        QCOMPARE(test::vram_part(plan->placement).neuron_order[1][63], 63);
        QVERIFY(!plan->solver->greedy_value && !plan->solver->integer_value);
        // 192 to 255 of 1000 tokens, and 64 neurons at 900; by firing_rate() half a firing more.
        const auto papers = test::checked_plan(
            c.spec, c.machine, {.vram_bytes = 128 * 3000 + 2999, .solver = SplitSolver::Paper},
            c.costs, &c.tokens);
        QVERIFY(papers);
        QCOMPARE(test::vram_part(papers->placement).hot_neurons,
                 test::vram_part(plan->placement).hot_neurons);
        QVERIFY(std::abs(papers->solver->greedy_value.value() -
                         ((255 + 192) * 64 / 2 + 64 * 900 + 128 * 0.5) / 1001) < 1e-9);
    }

    // Of a packed file each unit's neurons lie as in the source file: of the same neurons, sums are
    // that file's.
    void asInTheSource() {
        for (const bool measured : {true, false}) {
            Case c = make_case(3, 256, {1000, 1000, 1000});
            ActivationProfile profile;
            profile.tokens = 1000;
            profile.layers.resize(3);
            c.tokens.heat.source.resize(3);
            for (std::size_t l = 0; l < 3; ++l) {
                for (std::uint32_t n = 0; n < 256; ++n) {
                    profile.layers[l].fired[0].push_back(1000 - 3 * n);
                    if (l > 0) {  // the first one was not moved
                        c.tokens.heat.source[l].push_back(static_cast<int>(n * 77 % 256));
                    }
                }
                c.tokens.bytes.layers[l].attention = 1'000'000;
            }
            c.tokens.bytes.output = 1'000'000;
            auto source = std::move(c.tokens.heat.source);
            c.tokens.heat = neuron_heat(c.spec, measured ? &profile : nullptr);
            c.tokens.heat.source = std::move(source);
            add_up(c);
            c.machine.gpus = {{"card", {std::uint64_t{1} << 40, 500, 0.1}}};
            for (const std::uint64_t vram : {std::uint64_t{250} * 3000, std::uint64_t{1} << 30}) {
                const auto plan =
                    make_plan(c.spec, c.machine, {.vram_bytes = vram}, c.costs, &c.tokens);
                QVERIFY(plan);
                QVERIFY2(breach(c, *plan).isEmpty(), qPrintable(breach(c, *plan)));
                const Placement& part = plan->placement;
                QCOMPARE(part.hot(0) + part.hot(1) + part.hot(2) < 3 * 256, vram < 1'000'000);
                for (int l = 0; l < 3; ++l) {
                    const auto order = part.order(l);
                    if (l == 0 && !measured) {
                        QVERIFY(order.empty());
                        continue;
                    }
                    QCOMPARE(order.size(), std::size_t{256});
                    for (int i = 0; i < 256; ++i) {  // the hottest are the file's first
                        QCOMPARE(order[static_cast<std::size_t>(i)] < part.hot(l), i < part.hot(l));
                    }
                }
            }
        }
    }

    void withoutProfile() {
        Case c = make_case(2, 128, {1000, 1000, 1000});
        add_up(c);
        c.machine.gpus = {{"card", {std::uint64_t{1} << 40, 500, 0.1}}};
        const auto plan = test::checked_plan(
            c.spec, c.machine, {.vram_bytes = 500'000, .n_ctx = 512}, c.costs, &c.tokens);
        QVERIFY(plan);
        QVERIFY2(breach(c, *plan).isEmpty(), qPrintable(breach(c, *plan)));
        QVERIFY(test::vram_part(plan->placement).neuron_order.empty());
        QVERIFY(plan->vram.weights > 300'000);
        QVERIFY(says(*plan, "no activation profile"));
    }

    // Numbers no machine has: no crash, no GPU, and a reason.
    void hostileMachines_data() {
        QTest::addColumn<double>("ram");
        QTest::addColumn<double>("gpu");
        QTest::addColumn<double>("sync");
        QTest::addColumn<QString>("reason");
        const double inf = std::numeric_limits<double>::infinity();
        const double nan = std::numeric_limits<double>::quiet_NaN();
        QTest::newRow("no ram bandwidth") << 0.0 << 500.0 << 1.0 << "the bandwidth of RAM";
        QTest::newRow("no gpu bandwidth") << 50.0 << 0.0 << 1.0 << "its bandwidth";
        QTest::newRow("negative") << 50.0 << -5.0 << 1.0 << "its bandwidth";
        QTest::newRow("nan") << 50.0 << nan << 1.0 << "its bandwidth";
        QTest::newRow("infinite") << 50.0 << inf << 1.0 << "its bandwidth";
        QTest::newRow("nan sync") << 50.0 << 500.0 << nan << "synchronising";
        QTest::newRow("slower than ram") << 50.0 << 50.0 << 0.0 << "no faster than RAM";
        QTest::newRow("endless sync") << 50.0 << 500.0 << 1e300 << "gets nothing";
        QTest::newRow("tiny bandwidths") << 1e-300 << 1e-299 << 1.0 << "";
    }
    void hostileMachines() {
        QFETCH(double, ram);
        QFETCH(double, gpu);
        QFETCH(double, sync);
        QFETCH(QString, reason);
        Case c = make_case(3, 128, {1000, 1000, 1000});
        add_up(c);
        c.machine.ram_read_gb_per_s = ram;
        c.machine.gpus = {{"card", {std::numeric_limits<std::uint64_t>::max(), gpu, sync}}};
        constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
        const auto plan = test::checked_plan(
            c.spec, c.machine, {.ram_bytes = kMost, .vram_bytes = kMost}, c.costs, &c.tokens);
        QVERIFY(plan);
        QVERIFY2(breach(c, *plan).isEmpty(), qPrintable(breach(c, *plan)));
        if (!reason.isEmpty()) {
            QCOMPARE(plan->vram.total(), std::uint64_t{0});
            QVERIFY(says(*plan, reason.toStdString()));
        }
    }

    void budgetsAtTheEdges() {
        Case c = make_case(2, 128, {1000, 1000, 1000});
        add_up(c);
        c.machine.gpus = {{"card", {std::uint64_t{1} << 40, 500, 0.1}}};
        const auto plan_for = [&](std::uint64_t ram, std::uint64_t vram) {
            return test::checked_plan(c.spec, c.machine,
                                      {.ram_bytes = ram, .vram_bytes = vram, .n_ctx = 512}, c.costs,
                                      &c.tokens);
        };
        constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
        const auto none = plan_for(kMost, 0);
        QVERIFY(none);
        QCOMPARE(none->vram.total(), std::uint64_t{0});
        QCOMPARE(none->placement.layers.size(), std::size_t{2});
        QVERIFY(!none->solver);
        const auto nothing = plan_for(0, 0);
        QVERIFY(!nothing && nothing.error().code == ErrorCode::OverBudget);
        const auto no_ram = plan_for(0, kMost);
        QVERIFY(!no_ram && no_ram.error().code == ErrorCode::OverBudget);
        QVERIFY(no_ram.error().message.find("of VRAM") != std::string::npos);
        // RAM for all but what VRAM holds: one byte decides. The same with all of it in VRAM.
        const std::uint64_t layer = 50'000 + 512 * kKvOfPosition + 128 * 3000;
        const std::uint64_t least = c.other_bytes + 100'000 + 32 * 200 + layer;
        QVERIFY(plan_for(least, layer));
        QVERIFY(!plan_for(least - 1, layer));
        const std::uint64_t embeddings = c.other_bytes + 32 * 200;
        QVERIFY(plan_for(embeddings, 2 * layer + 100'000));
        QVERIFY(!plan_for(embeddings - 1, 2 * layer + 100'000));
        // Sums that no machine holds do not wrap around.
        c.costs.kv_bytes = [](int, const Placement&) { return kMost; };
        QVERIFY(!plan_for(kMost - 1, kMost));
        c.costs.gpu->kv_bytes = [](int, int) { return kMost; };
        QVERIFY(!plan_for(kMost - 1, kMost));
    }

    // What a layer's first neuron brings along (a predictor, a norm) takes VRAM and spares no RAM.
    // Neurons are the only thing that can go, and RAM is short of a little more than two groups:
    // the GPU must take a third one, whatever round trips cost.
    void openingsSpareNoRam() {
        Case c = make_case(4, 128, {1000, 1000, 1000});
        c.opening_bytes = 100'000;
        for (LayerBytes& layer : c.tokens.bytes.layers) {
            layer.attention = 50'000'000;
        }
        c.tokens.bytes.output = 50'000'000;
        c.tokens.mode = FeedForwardMode::Predicted;
        add_up(c);
        c.machine.gpus = {{"card", {std::uint64_t{1} << 40, 51, 50}}};
        const std::uint64_t short_by = 2 * 64 * 3000 + 1000;
        const std::uint64_t needed =
            c.costs.weights_bytes({}) + c.costs.kv_bytes(512, {}) + 32 * 200;
        const auto plan_for = [&](std::uint64_t vram) {
            return test::checked_plan(
                c.spec, c.machine,
                {.ram_bytes = needed - short_by, .vram_bytes = vram, .n_ctx = 512}, c.costs,
                &c.tokens);
        };
        const auto plan = plan_for(1'000'000);
        QVERIFY2(plan, plan ? "" : plan.error().message.c_str());
        QVERIFY2(breach(c, *plan).isEmpty(), qPrintable(breach(c, *plan)));
        const std::vector<int> hot = test::vram_part(plan->placement).hot_neurons;
        QVERIFY(std::accumulate(hot.begin(), hot.end(), 0) >= 3 * 64);
        QVERIFY(!plan_for(3 * 64 * 3000));  // three groups' own bytes, and no room to open a layer
    }

    // Two parts that spare less together than each by itself: what the plan takes of RAM is added
    // up at the end, and a plan that would take more than the budget is refused.
    void sparesLessTogether() {
        Case c = make_case(2, 128, {1000, 1000, 1000});
        add_up(c);
        c.machine.gpus = {{"card", {std::uint64_t{1} << 40, 500, 0.1}}};
        const std::uint64_t all = c.costs.weights_bytes({});
        c.costs.weights_bytes = [all, exact = c.costs.weights_bytes](const Placement& part) {
            return std::max(exact(part), all - 250'000);
        };
        const auto plan_for = [&](std::uint64_t ram) {
            return test::checked_plan(c.spec, c.machine,
                                      {.ram_bytes = ram, .vram_bytes = 2'000'000, .n_ctx = 512},
                                      c.costs, &c.tokens);
        };
        const std::uint64_t rest = 32 * 200;  // scratch; the KV cache goes to VRAM
        const auto enough = plan_for(all - 250'000 + rest);
        QVERIFY(enough);
        QVERIFY(enough->ram.total() <= all - 250'000 + rest);
        const auto refused = plan_for(all - 400'000 + rest);
        QVERIFY(!refused && refused.error().code == ErrorCode::OverBudget);
    }

    void groups() {
        QCOMPARE(group_neurons(11008), 64);
        QCOMPARE(group_neurons(96), 32);
        QCOMPARE(group_neurons(100), 64);
        QCOMPARE(group_neurons(11008, 256), 256);
    }
};

QTEST_GUILESS_MAIN(SplitChoiceTest)
#include "split_choice_test.moc"
