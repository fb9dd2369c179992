// Which changed budgets need loading, on plans that are made up: without a GPU, and without
// loading.
#include <hearth/engine.h>

#include <QtTest>
#include <memory>
#include <optional>

#include "session/loaded_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::BudgetControl;
using hearth::Budgets;

class BudgetControlTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const std::string path = dir_.file("tiny.gguf");
        QVERIFY(hearth::test::TinyModel({.n_layer = 2}).write(path));
        hearth::EngineOptions options;
        options.model_path = path;
        options.threads = 1;
        options.gpu = "none";
        auto engine = hearth::Engine::load(options);
        QVERIFY(engine);
        engine_ = std::move(*engine);
    }

    // Less VRAM than is held is given back by loading anew, whether that gains anything or not.
    // A budget that fits needs none.
    void less_vram_than_is_held_is_loaded_for() {
        hearth::RamBudget ram;
        BudgetControl control(ram);
        control.show(holding(1000));
        QVERIFY(control.set({.vram_bytes = 1000}));
        QVERIFY(!control.waits());
        for (const std::uint64_t vram : {999U, 500U, 0U}) {
            QVERIFY(control.set({.vram_bytes = vram}));
            QVERIFY(control.waits());
            const auto load = control.begin(false);
            QVERIFY(load && load->has_value());
            QCOMPARE((*load)->vram_bytes, std::optional(vram));
            control.end(true);
            control.show(holding(vram));
            QVERIFY(!control.waits());
            QCOMPARE(control.in_force().vram_bytes, std::optional(vram));
        }
    }

    // Loading for less failed: the budget of before holds, and the next change is carried out.
    void a_load_that_failed_is_followed_by_one_that_succeeds() {
        hearth::RamBudget ram;
        BudgetControl control(ram);
        control.show(holding(1000));
        QVERIFY(control.set({.vram_bytes = 10}));
        QVERIFY(control.begin(false)->has_value());
        control.end(false);
        QVERIFY(!control.waits());
        QCOMPARE(control.budgets()->vram_bytes, std::optional<std::uint64_t>(1000));
        QVERIFY(control.set({.vram_bytes = 20}));
        QVERIFY(control.waits());
        const auto load = control.begin(false);
        QVERIFY(load && load->has_value());
        QCOMPARE((*load)->vram_bytes, std::optional<std::uint64_t>(20));
    }

    // The failed load takes back its own budget only, not the one that came after it.
    void a_budget_set_during_a_load_that_failed_is_kept() {
        hearth::RamBudget ram;
        BudgetControl control(ram);
        control.show(holding(1000));
        QVERIFY(control.set({.vram_bytes = 10}));
        QVERIFY(control.begin(false)->has_value());
        QVERIFY(control.set({.vram_bytes = 20}));
        control.end(false);
        QVERIFY(control.waits());
        QCOMPARE(control.budgets()->vram_bytes, std::optional<std::uint64_t>(20));
        const auto load = control.begin(false);
        QVERIFY(load && load->has_value());
        QCOMPARE((*load)->vram_bytes, std::optional<std::uint64_t>(20));
    }

    // Two changes that wait are two: neither takes the other back.
    void a_second_change_keeps_the_first() {
        hearth::RamBudget ram;
        BudgetControl control(ram);
        const hearth::LoadedPlan loaded = holding(1000);
        control.show(loaded);
        QVERIFY(control.set({.vram_bytes = 10}));
        QVERIFY(control.set({.ram_bytes = 2 * loaded.held}));
        QVERIFY(control.waits());
        const auto load = control.begin(false);
        QVERIFY(load && load->has_value());
        QCOMPARE((*load)->vram_bytes, std::optional<std::uint64_t>(10));
        QCOMPARE((*load)->ram_bytes, std::optional<std::uint64_t>(2 * loaded.held));
        QCOMPARE(control.ram_bytes(), 2 * loaded.held);
    }

    // The load is done, and a budget that was set meanwhile is still to be carried out.
    void a_budget_set_during_a_load_that_succeeds_is_kept() {
        hearth::RamBudget ram;
        BudgetControl control(ram);
        control.show(holding(1000));
        QVERIFY(control.set({.vram_bytes = 10}));
        QVERIFY(control.begin(false)->has_value());
        QVERIFY(control.set({.vram_bytes = 5}));
        control.show(holding(10));
        control.end(true);
        QVERIFY(control.waits());
        QCOMPARE(control.in_force().vram_bytes, std::optional<std::uint64_t>(10));
        const auto load = control.begin(false);
        QVERIFY(load && load->has_value());
        QCOMPARE((*load)->vram_bytes, std::optional<std::uint64_t>(5));
    }

    // A budget that fitted when it was set and no longer does is refused when it should be carried
    // out: what is loaded stays, and so do its budgets.
    void a_budget_that_fits_no_more_is_given_up() {
        hearth::RamBudget ram;
        BudgetControl control(ram);
        hearth::LoadedPlan loaded = holding(1000);
        control.show(loaded);
        QVERIFY(control.set({.vram_bytes = 10}));
        auto basis = std::make_shared<hearth::PlanBasis>(*loaded.basis);
        basis->budget.n_ctx = 1'000'000;  // no plan holds so much
        loaded.basis = basis;
        control.show(loaded);
        QVERIFY(control.waits());
        QVERIFY(!control.begin(false));
        QVERIFY(!control.waits());
        QCOMPARE(control.budgets()->vram_bytes, std::optional<std::uint64_t>(1000));
        QCOMPARE(control.in_force().vram_bytes, std::optional<std::uint64_t>(1000));
    }

    // VRAM where no GPU is open: one is looked for, once, and not for a budget of none.
    void a_gpu_is_opened_for_more_vram() {
        hearth::RamBudget ram;
        BudgetControl control(ram);
        hearth::LoadedPlan loaded = holding(0);
        loaded.may_open_gpu = true;
        control.show(loaded);
        QVERIFY(!control.wants_gpu());
        QVERIFY(control.set({.vram_bytes = 1000}));
        QVERIFY(control.waits() && control.wants_gpu());
        control.no_gpu();
        QVERIFY(!control.wants_gpu());
        const auto load = control.begin(false);
        QVERIFY(load && !load->has_value());
        QVERIFY(!control.waits());
        QCOMPARE(control.in_force().vram_bytes, std::optional<std::uint64_t>(1000));
        loaded.budgets.vram_bytes = 1000;
        control.show(loaded);
        QVERIFY(control.set({.vram_bytes = 0}));
        QVERIFY(!control.waits() && !control.wants_gpu());
    }

private:
    // A model of which so many bytes of weights lie in VRAM, all that its budget allows.
    hearth::LoadedPlan holding(std::uint64_t vram) const {
        const hearth::LoadedModel& model = engine_->impl();
        hearth::LoadedPlan loaded{.basis = model.basis,
                                  .plan = model.plan,
                                  .budgets = {.ram_bytes = {}, .vram_bytes = vram},
                                  .held = engine_->memory().ledger_bytes()};
        loaded.plan.vram = {};
        loaded.plan.vram.weights = vram;
        return loaded;
    }

    hearth::test::TempDir dir_;
    std::unique_ptr<hearth::Engine> engine_;
};

QTEST_GUILESS_MAIN(BudgetControlTest)
#include "budget_control_test.moc"
