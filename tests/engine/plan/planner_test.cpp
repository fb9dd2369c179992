#include "plan/planner.h"

#include <QtTest>
#include <random>

#include "engine/plan/checked_plan.h"

namespace {

hearth::ModelSpec small_spec() {
    hearth::ModelSpec spec;
    spec.layers.resize(3);
    for (hearth::LayerSpec& layer : spec.layers) {
        layer.n_ff = 96;
    }
    spec.n_ctx_train = 8192;
    return spec;
}

hearth::MemoryCosts costs(std::uint64_t weights) {
    return {[weights](const hearth::Placement&) { return weights; },
            [](int n_ctx, const hearth::Placement&) {
                return static_cast<std::uint64_t>(n_ctx) * 1000;
            },
            [](int, int n_batch) { return static_cast<std::uint64_t>(n_batch) * 2000; }};
}

hearth::Machine machine(std::uint64_t available_bytes) {
    hearth::Machine m;
    m.cpu.physical_cores = 6;
    m.memory.total_bytes = m.memory.available_bytes = available_bytes;
    return m;
}

}  // namespace

class PlannerTest : public QObject {
    Q_OBJECT

private slots:
    void everything_fits() {
        auto plan =
            hearth::test::checked_plan(small_spec(), machine(1'000'000'000), {}, costs(50'000'000));
        QVERIFY(plan);
        QCOMPARE(plan->n_ctx, hearth::kAutoContext);
        QCOMPARE(plan->n_batch, 512);
        QCOMPARE(plan->threads, 6);
        QCOMPARE(plan->ram_budget_bytes, std::uint64_t{900'000'000});
        QVERIFY((plan->ram == hearth::MemoryBytes{50'000'000, 4'096'000, 1'024'000}));
        QVERIFY(plan->reasons.empty());
        const hearth::Placement& placement = plan->placement;
        QVERIFY(placement.output == hearth::Home::Ram);
        QCOMPARE(placement.layers.size(), std::size_t{3});
        for (std::size_t i = 0; i < 3; ++i) {
            const hearth::LayerPlacement& layer = placement.layers[i];
            QVERIFY(layer.attention == hearth::Unit::Cpu);
            QCOMPARE(layer.clusters.size(), std::size_t{1});
            QCOMPARE(layer.clusters[0].cluster.layer, static_cast<int>(i));
            QCOMPARE(layer.clusters[0].cluster.first, 0);
            QCOMPARE(layer.clusters[0].cluster.count, 96);
            QVERIFY(layer.clusters[0].home == hearth::Home::Ram);
        }
        QCOMPARE(plan->n_pasts, 1);
        const auto two = hearth::test::checked_plan(small_spec(), machine(1'000'000'000),
                                                    {.n_pasts = 2}, costs(50'000'000));
        QVERIFY(two);
        QCOMPARE(two->n_pasts, 2);
        QVERIFY((two->ram == hearth::MemoryBytes{50'000'000, 8'192'000, 1'024'000}));
    }

    // Batch first, context next, both with a reason only where the user notices.
    void shrinks_before_it_fails() {
        auto smaller_batch = hearth::test::checked_plan(
            small_spec(), machine(1), {.ram_bytes = 54'700'000}, costs(50'000'000));
        QVERIFY(smaller_batch);
        QCOMPARE(smaller_batch->n_ctx, 4096);
        QCOMPARE(smaller_batch->n_batch, 256);
        QVERIFY(smaller_batch->reasons.empty());

        auto smaller_context = hearth::test::checked_plan(
            small_spec(), machine(1), {.ram_bytes = 51'200'000}, costs(50'000'000));
        QVERIFY(smaller_context);
        QCOMPARE(smaller_context->n_ctx, 1024);
        QCOMPARE(smaller_context->reasons.size(), std::size_t{1});
        QCOMPARE(smaller_context->reasons[0],
                 std::string("the context was cut from 4096 to 1024 tokens to fit 51.2 MB of RAM"));
    }

    // Of a model larger than RAM some weights are read in each pass. The context that was asked for
    // stays; one that nobody asked for shrinks to 2048 first.
    void weights_that_do_not_fit_stay_on_flash() {
        hearth::MemoryCosts streaming = costs(50'000'000);
        streaming.stream_to_fit = [](const hearth::Placement&,
                                     std::uint64_t budget) -> std::optional<hearth::FlashChoice> {
            constexpr std::uint64_t kLeast = 20'000'000;
            if (budget < kLeast) {
                return std::nullopt;
            }
            hearth::FlashChoice choice;
            choice.placement = hearth::all_in_ram(small_spec().neurons());
            choice.placement.layers[1].streamed.add(hearth::Role::Down);
            choice.weights_bytes = budget;
            choice.streamed_bytes = 50'000'000 - budget;
            return choice;
        };
        const auto plan_of = [&](std::uint64_t ram, int n_ctx) {
            return hearth::test::checked_plan(small_spec(), machine(1),
                                              {.ram_bytes = ram, .n_ctx = n_ctx}, streaming);
        };
        const auto shorter = plan_of(52'200'000, 0);
        QVERIFY(shorter);
        QCOMPARE(shorter->n_ctx, 2048);
        QCOMPARE(shorter->flash_bytes, 0U);
        QVERIFY(!shorter->reads_flash());

        for (const int n_ctx : {0, 4096}) {
            const auto streamed = plan_of(n_ctx == 0 ? 51'200'000 : 52'200'000, n_ctx);
            QVERIFY(streamed);
            QCOMPARE(streamed->n_ctx, 4096);
            QVERIFY(streamed->flash_bytes > 0);
            QVERIFY(streamed->placement.streamed(1).has(hearth::Role::Down));
            QVERIFY(!streamed->placement.streamed(0).has(hearth::Role::Down));
            QCOMPARE(streamed->ram.total(), streamed->ram_budget_bytes);
            QVERIFY(streamed->reasons.back().find("read from disk for every token") !=
                    std::string::npos);
        }
        // A short context that was asked for fits as a long one does, with nothing on flash.
        const auto small = plan_of(52'200'000, 512);
        QVERIFY(small);
        QCOMPARE(small->n_ctx, 512);
        QCOMPARE(small->flash_bytes, 0U);
        QVERIFY(!small->reads_flash());
        const auto never = plan_of(20'000'000, 4096);
        QVERIFY(!never);
        QCOMPARE(never.error().code, hearth::ErrorCode::OverBudget);
        const std::string& message = never.error().message;
        const std::size_t said =
            message.find("it needs 24.");  // 20 and the cache and a batch of 32
        QVERIFY2(said != std::string::npos, message.c_str());
    }

    // A budget that fits exactly is enough; a byte less takes a smaller batch, and at the smallest
    // size of all it is refused.
    void a_byte_decides() {
        constexpr std::uint64_t kAll = 50'000'000 + 4'096'000 + 1'024'000;
        const auto plan_for = [](std::uint64_t ram, int n_ctx = 0) {
            return hearth::test::checked_plan(
                small_spec(), machine(1), {.ram_bytes = ram, .n_ctx = n_ctx}, costs(50'000'000));
        };
        QCOMPARE(plan_for(kAll)->n_batch, 512);
        QCOMPARE(plan_for(kAll)->ram.total(), kAll);
        QCOMPARE(plan_for(kAll - 1)->n_batch, 256);
        constexpr std::uint64_t kLeast = 50'000'000 + 4'096'000 + 32 * 2000;
        QCOMPARE(plan_for(kLeast, 4096)->n_batch, 32);
        QVERIFY(!plan_for(kLeast - 1, 4096));
    }

    // A context that nobody asked for shrinks to 512 tokens and no further.
    void the_smallest_context_is_tried() {
        constexpr std::uint64_t kLeast = 50'000'000 + 512 * 1000 + 32 * 2000;
        const auto smallest = hearth::test::checked_plan(small_spec(), machine(1),
                                                         {.ram_bytes = kLeast}, costs(50'000'000));
        QVERIFY(smallest);
        QCOMPARE(smallest->n_ctx, 512);
        QCOMPARE(smallest->ram.total(), kLeast);
        QVERIFY(!hearth::test::checked_plan(small_spec(), machine(1), {.ram_bytes = kLeast - 1},
                                            costs(50'000'000)));
    }

    void a_context_asked_for_is_kept_or_refused() {
        auto plan = hearth::test::checked_plan(
            small_spec(), machine(1), {.ram_bytes = 51'200'000, .n_ctx = 4096}, costs(50'000'000));
        QVERIFY(!plan);
        QVERIFY(plan.error().code == hearth::ErrorCode::OverBudget);
        QCOMPARE(plan.error().message,
                 std::string("needs 54.2 MB of RAM (weights 50.0 MB, KV cache 4.1 MB for 4096 "
                             "tokens, scratch 0.1 MB), the budget is 51.2 MB"));
        auto too_long = hearth::test::checked_plan(small_spec(), machine(1'000'000'000),
                                                   {.n_ctx = 8193}, costs(1));
        QVERIFY(!too_long);
        QVERIFY(too_long.error().code == hearth::ErrorCode::InvalidArgument);
    }

    // Over a thousand random machines: a plan stays within its budget, and more budget is never a
    // smaller context or an error where less was none.
    void budgets_hold() {
        std::mt19937_64 random(7);
        for (int i = 0; i < 1000; ++i) {
            const hearth::MemoryCosts c = costs(random() % 100'000'000);
            const std::uint64_t budget = random() % 110'000'000;
            const std::uint64_t more = budget + random() % 10'000'000;
            auto tight =
                hearth::test::checked_plan(small_spec(), machine(1), {.ram_bytes = budget}, c);
            auto roomy =
                hearth::test::checked_plan(small_spec(), machine(1), {.ram_bytes = more}, c);
            if (tight) {
                QVERIFY(tight->ram.total() <= budget);
                QVERIFY(roomy);
                QVERIFY(roomy->n_ctx >= tight->n_ctx);
            } else {
                QVERIFY(tight.error().code == hearth::ErrorCode::OverBudget);
            }
        }
    }
};

QTEST_GUILESS_MAIN(PlannerTest)
#include "planner_test.moc"
