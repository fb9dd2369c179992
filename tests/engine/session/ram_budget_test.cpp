// A budget of RAM that an executor's memory follows, and what the waiting of other programs takes.
#include "session/ram_budget.h"

#include <QtTest>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <thread>

#include "compute/executor.h"

using namespace hearth;

namespace {

// Spares what it is told to, and nothing else.
class Sparing final : public Executor {
public:
    explicit Sparing(std::uint64_t most_bytes) : most(most_bytes) {}

    std::string_view name() const override { return "test/none"; }
    Result<void> load(const PlanSlice& /*slice*/, LoadMonitor& /*monitor*/) override { return {}; }
    Result<void> begin(const PassTask& /*task*/) override { return {}; }
    Result<void> run(const Step& /*step*/) override { return {}; }
    Result<void> wait(int /*point*/) override { return {}; }
    Result<void> signal(int /*point*/) override { return {}; }
    Result<std::span<float>> last_logits() override { return std::span<float>(); }
    Result<std::span<float>> logits(int /*first*/, int /*count*/) override {
        return std::span<float>();
    }
    Result<std::span<const LayerActivity>> activity() override {
        return std::span<const LayerActivity>();
    }
    void reset_activity() override {}
    std::uint64_t decode_weight_bytes() const override { return 0; }
    std::uint64_t most_spared_ram() const override { return most; }
    void set_spared_ram(std::uint64_t bytes) override { spared = bytes; }

    const std::uint64_t most;
    std::uint64_t spared = 0;
};

// As the window does while a pass runs.
bool set_elsewhere(RamBudget& budget, std::uint64_t bytes) {
    bool done = false;
    std::thread([&] { done = budget.set(bytes).has_value(); }).join();
    return done;
}

}  // namespace

class RamBudgetTest : public QObject {
    Q_OBJECT

private slots:
    void a_budget_holds_at_once_or_before_the_next_pass() {
        RamBudget budget;
        Sparing executor(600);
        budget.attach(&executor, 1000);
        QCOMPARE(executor.spared, 0U);
        QVERIFY(budget.set(900));
        QCOMPARE(executor.spared, 100U);
        QCOMPARE(budget.spared(), 100U);
        const auto refused = budget.set(399);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::OverBudget);
        QCOMPARE(refused.error().field, std::string("ram"));
        QCOMPARE(budget.bytes(), std::optional<std::uint64_t>(900));
        QCOMPARE(executor.spared, 100U);
        QVERIFY(budget.set(400));
        QCOMPARE(executor.spared, 600U);
        QVERIFY(budget.set(5000));  // more than is held
        QCOMPARE(executor.spared, 0U);
        {
            RamBudget::Passes passes(&budget);
            QVERIFY(set_elsewhere(budget, 700));
            QCOMPARE(executor.spared, 0U);  // it may be read from just now
            passes.next();
            QCOMPARE(executor.spared, 300U);
            QVERIFY(set_elsewhere(budget, 800));
            QCOMPARE(executor.spared, 300U);
        }
        QCOMPARE(executor.spared, 200U);
    }

    // A model that is loaded anew begins with the budget that was set, as far as it can.
    void another_executor_begins_with_the_budget() {
        RamBudget budget;
        QVERIFY(budget.set(700));
        Sparing first(600);
        budget.attach(&first, 1000);
        QCOMPARE(first.spared, 300U);
        budget.attach(nullptr, 0);
        QCOMPARE(budget.spared(), 0U);
        Sparing second(250);
        budget.attach(&second, 1000);
        QCOMPARE(second.spared, 250U);
        QCOMPARE(budget.spared(), 250U);
        QVERIFY(!budget.set(749));
        QVERIFY(budget.set(750));
    }

    // The machine is looked at every two seconds, until it turns out that it does not say. The
    // larger of what it and the budget ask for is spared.
    void programs_that_wait_are_given_some() {
        RamBudget budget;
        std::uint64_t now = 0;
        int looks = 0;
        bool known = true;
        budget.follow({[&]() -> Result<MemoryPressure> {
                           ++looks;
                           if (!known) {
                               return Error{ErrorCode::Unsupported, "not known"};
                           }
                           return MemoryPressure{.some_10s = 50};
                       },
                       [&] { return now; }});
        Sparing executor(600);
        budget.attach(&executor, 1000);
        const auto pass_at = [&](std::uint64_t ms) {
            now = ms;
            RamBudget::Passes(&budget).next();
        };
        pass_at(10'000);
        QCOMPARE(looks, 1);
        const std::uint64_t advised = executor.spared;
        QVERIFY(advised > 0 && advised <= 60);
        pass_at(11'999);
        QCOMPARE(looks, 1);
        pass_at(12'000);
        QCOMPARE(looks, 2);
        QVERIFY(budget.set(800));
        QCOMPARE(executor.spared, 200U);
        QVERIFY(budget.set(1000));
        QCOMPARE(executor.spared, advised);
        Sparing another(600);
        budget.attach(&another, 1000);
        QCOMPARE(another.spared, advised);
        Sparing nothing(0);
        budget.attach(&nothing, 1000);
        pass_at(20'000);
        QCOMPARE(looks, 2);  // nothing to be given
        budget.attach(&another, 1000);
        known = false;
        pass_at(22'000);
        pass_at(30'000);
        QCOMPARE(looks, 3);
    }
};

QTEST_APPLESS_MAIN(RamBudgetTest)
#include "ram_budget_test.moc"
