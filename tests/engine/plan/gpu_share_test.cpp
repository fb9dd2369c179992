// Plans for machines with a GPU: what every one of them must keep, over random machines, models and
// profiles, and what a few known ones come to.
#include "plan/gpu_share.h"

#include <QtTest>
#include <cmath>
#include <limits>
#include <random>

#include "plan/planner.h"

using namespace hearth;

namespace {

struct Case {
    ModelSpec spec;
    Machine machine;
    TokenCosts tokens;
    MemoryCosts costs;
    std::uint64_t neurons_bytes = 0;
    std::uint64_t other_bytes = 0;
};

// n_layer layers of n_ff neurons; `fired` counts of 1000 tokens.
Case make_case(int n_layer, int n_ff, const NeuronBytes& neuron) {
    Case c;
    c.spec.n_layer = n_layer;
    c.spec.n_ff = n_ff;
    c.spec.n_ctx_train = 8192;
    c.spec.activation = c.tokens.activation = Activation::ReluGated;
    c.tokens.mode = FeedForwardMode::Exact;
    c.tokens.bytes.layers.assign(static_cast<std::size_t>(n_layer),
                                 {.attention = 50'000, .neuron = neuron});
    c.tokens.bytes.output = 100'000;
    c.machine.cpu.physical_cores = 4;
    c.machine.ram_read_gb_per_s = 50;
    c.machine.memory.available_bytes = std::uint64_t{1} << 40;
    return c;
}

void add_up(Case& c) {
    c.neurons_bytes = 0;
    c.other_bytes = c.tokens.bytes.output + 300'000;
    for (const LayerBytes& layer : c.tokens.bytes.layers) {
        c.neurons_bytes += layer.neuron.total() * static_cast<std::uint64_t>(c.spec.n_ff);
        c.other_bytes += layer.attention;
    }
    c.costs = {c.neurons_bytes + c.other_bytes,
               [](int n_ctx) { return static_cast<std::uint64_t>(n_ctx) * 100; },
               [](int, int n_batch) { return static_cast<std::uint64_t>(n_batch) * 200; }};
}

ActivationProfile random_profile(const ModelSpec& spec, std::mt19937_64& random) {
    ActivationProfile profile;
    profile.tokens = 1000;
    profile.layers.resize(static_cast<std::size_t>(spec.n_layer));
    for (LayerProfile& layer : profile.layers) {
        const double skew = 0.2 + static_cast<double>(random() % 100) / 10;
        for (int n = 0; n < spec.n_ff; ++n) {
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
              static_cast<double>(up_to(3) == 0 ? up_to(100) : up_to(10)) / 10}});
    }
    return c;
}

double forecast_seconds(const Case& c, const Plan& plan) {
    const auto seconds = decode_seconds(
        decode_costs(c.tokens, plan.hot_neurons, std::min(kForecastPositions, plan.n_ctx)),
        speeds_of(c.machine));
    return seconds.value_or(-1);
}

// Every neuron is placed once, bytes are those of the clusters, budgets hold, C_l holds.
QString breach(const Case& c, const Plan& plan) {
    const auto n_layer = static_cast<std::size_t>(c.spec.n_layer);
    const auto n_ff = static_cast<std::size_t>(c.spec.n_ff);
    std::vector<std::vector<int>> placed(n_layer, std::vector<int>(n_ff, 0));
    std::vector<std::uint64_t> hot(n_layer, 0);
    std::uint64_t vram = 0;
    std::uint64_t ram = c.other_bytes;
    for (const ClusterPlacement& p : plan.clusters) {
        const auto l = static_cast<std::size_t>(p.cluster.layer);
        const std::uint64_t bytes =
            c.tokens.bytes.layers[l].neuron.total() * static_cast<std::uint64_t>(p.cluster.count);
        if (p.cluster.count <= 0 || p.residency == Residency::Flash) {
            return "an empty cluster, or one on flash";
        }
        if (p.residency == Residency::Vram) {
            vram += bytes;
            hot[l] += static_cast<std::uint64_t>(p.cluster.count);
        } else {
            ram += bytes;
        }
        for (int i = p.cluster.first; i < p.cluster.first + p.cluster.count; ++i) {
            const auto place = static_cast<std::size_t>(i);
            const bool ordered = !plan.neuron_order.empty() && !plan.neuron_order[l].empty();
            const int neuron = ordered ? plan.neuron_order[l].at(place) : i;
            ++placed[l].at(static_cast<std::size_t>(neuron));
        }
    }
    for (const std::vector<int>& layer : placed) {
        if (std::any_of(layer.begin(), layer.end(), [](int times) { return times != 1; })) {
            return "a neuron is placed twice or not at all";
        }
    }
    if (vram != plan.vram.total() || ram != plan.ram.weights) {
        return QString("clusters hold %1 and %2, charged are %3 and %4")
            .arg(vram)
            .arg(ram)
            .arg(plan.vram.total())
            .arg(plan.ram.weights);
    }
    if (plan.vram.total() > plan.vram_budget_bytes || plan.ram.total() > plan.ram_budget_bytes) {
        return "a budget is exceeded";
    }
    const Speeds speeds = speeds_of(c.machine);
    for (std::size_t l = 0; l < n_layer; ++l) {
        const auto smallest =
            smallest_worthwhile(c.tokens.bytes.layers[l].neuron.total(), speeds.ram, speeds.vram);
        if (hot[l] > 0 && (!smallest || hot[l] < *smallest)) {
            return QString("layer %1 has %2 neurons on the GPU, C_l is %3")
                .arg(l)
                .arg(hot[l])
                .arg(smallest.value_or(0));
        }
    }
    const auto& solver = plan.solver;
    if (solver && solver->integer_value && solver->greedy_value &&
        *solver->integer_value < *solver->greedy_value * (1 - 1e-12)) {
        return "the integer program's value is below the greedy one's";
    }
    return {};
}

}  // namespace

class GpuShareTest : public QObject {
    Q_OBJECT

private slots:
    // A thousand machines, each with two budgets, then with more of the one, of the other, of both.
    void randomMachines() {
        std::mt19937_64 random(2026);
        int planned = 0;
        int split = 0;
        int forced = 0;
        int integer = 0;
        int other = 0;
        for (int i = 0; i < 1000; ++i) {
            const Case c = random_case(random);
            const auto share = [&](std::uint64_t bytes) {
                return static_cast<std::uint64_t>(static_cast<double>(random() % 1300) / 1000 *
                                                  static_cast<double>(bytes));
            };
            const std::uint64_t vram = share(c.neurons_bytes);
            const std::uint64_t ram = random() % 2 == 0
                                          ? c.other_bytes + 60'000 + share(c.neurons_bytes)
                                          : c.costs.weights_bytes + 40'000 + random() % 500'000;
            const std::uint64_t more_vram = vram + random() % (c.neurons_bytes / 3 + 100);
            const std::uint64_t more_ram = ram + random() % (c.neurons_bytes / 3 + 100);
            const auto plan_for = [&](std::uint64_t r, std::uint64_t v) {
                return make_plan(c.spec, c.machine, {.ram_bytes = r, .vram_bytes = v}, c.costs,
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
            split += tight->vram.total() > 0 ? 1 : 0;
            forced += c.costs.weights_bytes > ram ? 1 : 0;
            integer += tight->solver && tight->solver->chosen == "integer" ? 1 : 0;
            other += tight->solver && tight->solver->chosen == "forecast" ? 1 : 0;
            const double seconds = forecast_seconds(c, *tight);
            QVERIFY(seconds > 0);
            const std::pair<std::uint64_t, std::uint64_t> roomier[] = {
                {ram, more_vram}, {more_ram, vram}, {more_ram, more_vram}};
            for (const auto& [more_r, more_v] : roomier) {
                const auto roomy = plan_for(more_r, more_v);
                QVERIFY(roomy);
                QVERIFY2(breach(c, *roomy).isEmpty(), qPrintable(breach(c, *roomy)));
                QVERIFY2(forecast_seconds(c, *roomy) <= seconds * (1 + 1e-11),
                         qPrintable(QString("machine %1: %2 s with %3 and %4 bytes, %5 s with more")
                                        .arg(i)
                                        .arg(seconds)
                                        .arg(ram)
                                        .arg(vram)
                                        .arg(forecast_seconds(c, *roomy))));
            }
        }
        qInfo(
            "%d planned, %d of them with neurons on the GPU, %d because RAM was short; %d by the "
            "integer program, %d by the forecast",
            planned, split, forced, integer, other);
        QVERIFY(planned > 600);
        QVERIFY(split > 400);
        QVERIFY(forced > 50);
    }

    // Hot neurons go first: the layer that fires more gets more.
    void theHottestGo() {
        Case c = make_case(2, 256, {1000, 1000, 1000});
        ActivationProfile profile;
        profile.tokens = 1000;
        profile.layers.resize(2);
        for (std::uint32_t n = 0; n < 256; ++n) {
            profile.layers[0].fired[0].push_back(n);                 // the last are the hottest
            profile.layers[1].fired[0].push_back(n < 64 ? 900 : 0);  // the first are
        }
        c.tokens.heat = neuron_heat(c.spec, &profile);
        add_up(c);
        c.machine.gpus = {{"card", {1 << 30, 500, 0.1}}};
        const auto plan =
            make_plan(c.spec, c.machine, {.vram_bytes = 128 * 3000 + 2999}, c.costs, &c.tokens);
        QVERIFY(plan);
        QVERIFY2(breach(c, *plan).isEmpty(), qPrintable(breach(c, *plan)));
        QCOMPARE(plan->hot_neurons, (std::vector<int>{64, 64}));
        QCOMPARE(plan->vram.total(), std::uint64_t{128 * 3000});
        QCOMPARE(plan->neuron_order[0][0], 255);
        QCOMPARE(plan->neuron_order[1][63], 63);
        // 192 to 255 of 1000 tokens, and 64 neurons at 0.9.
        QCOMPARE(plan->solver->greedy_value.value(), (255 + 192) * 64 / 2 / 1000.0 + 64 * 0.9);
    }

    void withoutProfile() {
        Case c = make_case(2, 128, {1000, 1000, 1000});
        c.tokens.heat = neuron_heat(c.spec, nullptr);
        add_up(c);
        c.machine.gpus = {{"card", {1 << 30, 500, 0.1}}};
        const auto plan = make_plan(c.spec, c.machine, {.vram_bytes = 200'000}, c.costs, &c.tokens);
        QVERIFY(plan);
        QVERIFY2(breach(c, *plan).isEmpty(), qPrintable(breach(c, *plan)));
        QVERIFY(plan->neuron_order.empty());
        QCOMPARE(plan->vram.total(), std::uint64_t{192'000});  // 64 neurons of 3000 bytes
        QVERIFY(std::any_of(plan->reasons.begin(), plan->reasons.end(), [](const auto& reason) {
            return reason.find("no activation profile") != std::string::npos;
        }));
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
        QTest::newRow("endless sync") << 50.0 << 500.0 << 1e300 << "gets no neurons";
        QTest::newRow("tiny bandwidths") << 1e-300 << 1e-299 << 1.0 << "";
    }
    void hostileMachines() {
        QFETCH(double, ram);
        QFETCH(double, gpu);
        QFETCH(double, sync);
        QFETCH(QString, reason);
        Case c = make_case(3, 128, {1000, 1000, 1000});
        c.tokens.heat = neuron_heat(c.spec, nullptr);
        add_up(c);
        c.machine.ram_read_gb_per_s = ram;
        c.machine.gpus = {{"card", {std::numeric_limits<std::uint64_t>::max(), gpu, sync}}};
        constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
        const auto plan = make_plan(c.spec, c.machine, {.ram_bytes = kMost, .vram_bytes = kMost},
                                    c.costs, &c.tokens);
        QVERIFY(plan);
        QVERIFY2(breach(c, *plan).isEmpty(), qPrintable(breach(c, *plan)));
        if (!reason.isEmpty()) {
            QCOMPARE(plan->vram.total(), std::uint64_t{0});
            QVERIFY(std::any_of(plan->reasons.begin(), plan->reasons.end(), [&](const auto& text) {
                return text.find(reason.toStdString()) != std::string::npos;
            }));
        }
    }

    void budgetsAtTheEdges() {
        Case c = make_case(2, 128, {1000, 1000, 1000});
        c.tokens.heat = neuron_heat(c.spec, nullptr);
        add_up(c);
        c.machine.gpus = {{"card", {1 << 30, 500, 0.1}}};
        const auto plan_for = [&](std::uint64_t ram, std::uint64_t vram) {
            return make_plan(c.spec, c.machine,
                             {.ram_bytes = ram, .vram_bytes = vram, .n_ctx = 512}, c.costs,
                             &c.tokens);
        };
        constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
        const auto none = plan_for(kMost, 0);
        QVERIFY(none);
        QCOMPARE(none->vram.total(), std::uint64_t{0});
        QCOMPARE(none->clusters.size(), std::size_t{2});
        const auto all = plan_for(kMost, kMost);
        QVERIFY(all);
        QCOMPARE(all->vram.total(), c.neurons_bytes);
        QCOMPARE(all->ram.weights, c.other_bytes);
        QCOMPARE(all->clusters.size(), std::size_t{2});
        const auto nothing = plan_for(0, 0);
        QVERIFY(!nothing && nothing.error().code == ErrorCode::OverBudget);
        const auto no_ram = plan_for(0, kMost);
        QVERIFY(!no_ram && no_ram.error().code == ErrorCode::OverBudget);
        QVERIFY(no_ram.error().message.find("of VRAM") != std::string::npos);
        // RAM for all but one neuron more than VRAM holds: one byte decides.
        const std::uint64_t least = c.other_bytes + 512 * 100 + 32 * 200 + 128 * 3000;
        QVERIFY(plan_for(least, 128 * 3000));
        QVERIFY(!plan_for(least - 1, 128 * 3000));
        // Sums that no machine holds do not wrap around.
        c.costs.kv_bytes = [](int) { return kMost; };
        QVERIFY(!plan_for(kMost - 1, kMost));
    }

    // Neurons in the last part of a group stay in RAM, whatever VRAM there is.
    void oddWidths() {
        QCOMPARE(group_neurons(11008), 64);
        QCOMPARE(group_neurons(96), 32);
        QCOMPARE(group_neurons(100), 64);
        Case c = make_case(1, 100, {1000, 1000, 1000});
        c.tokens.heat = neuron_heat(c.spec, nullptr);
        add_up(c);
        c.machine.gpus = {{"card", {1 << 30, 500, 0.1}}};
        const auto plan = make_plan(c.spec, c.machine, {}, c.costs, &c.tokens);
        QVERIFY(plan);
        QVERIFY2(breach(c, *plan).isEmpty(), qPrintable(breach(c, *plan)));
        QCOMPARE(plan->hot_neurons, (std::vector<int>{64}));
    }
};

QTEST_GUILESS_MAIN(GpuShareTest)
#include "gpu_share_test.moc"
