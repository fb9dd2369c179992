#include <QtTest>
#include <algorithm>
#include <functional>

#include "base/environment.h"
#include "engine/vulkan/check_sample.h"
#include "engine/vulkan/gpu_checks.h"
#include "engine/vulkan/tiny_executor.h"
#include "support/covering_sample.h"
#include "support/vulkan_faults.h"

using namespace hearth;
using hearth::test::TinyExecutor;
using hearth::test::VulkanFault;
using hearth::test::VulkanFaultKind;

class FaultsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        auto instance =
            vulkan::Instance::create(vulkan::validation_from(read_environment().vulkan_validation));
        if (!instance) {
            missing(instance.error().message);
            return;
        }
        instance_ = *instance;
        if (auto device = vulkan::Device::create(instance_, 0, {}); !device) {
            missing(device.error().message);
            return;
        }
        auto logits = TinyExecutor::run_all(open_device(), model_);
        QVERIFY2(logits, logits ? "" : logits.error().message.c_str());
        expected_ = std::move(*logits);
        QVERIFY(std::any_of(expected_.begin(), expected_.end(), [](float x) { return x != 0; }));
    }

    void init() {
        if (!why_missing_.empty()) {
            QSKIP(why_missing_.c_str());
        }
    }

    // One thing is refused, at every place it can be, in loading, in the first pass and after it.
    void refused_data() {
        QTest::addColumn<VulkanFaultKind>("kind");
        QTest::addColumn<ErrorCode>("code");
        QTest::addColumn<QString>("says");
        QTest::addColumn<int>("at_least");
        QTest::newRow("memory") << VulkanFaultKind::NoMemory << ErrorCode::OutOfMemory
                                << "answered VK_ERROR_OUT_OF_DEVICE_MEMORY when asked to hold" << 6;
        QTest::newRow("objects") << VulkanFaultKind::NoObject << ErrorCode::OutOfMemory
                                 << "answered VK_ERROR_OUT_OF_HOST_MEMORY when asked to" << 100;
        QTest::newRow("pipelines") << VulkanFaultKind::NoPipeline << ErrorCode::Internal
                                   << "when asked to prepare the shader" << 10;
        QTest::newRow("submissions") << VulkanFaultKind::LostAtSubmit << ErrorCode::DeviceLost
                                     << "answered VK_ERROR_DEVICE_LOST when asked to" << 20;
        QTest::newRow("waits") << VulkanFaultKind::LostAtWait << ErrorCode::DeviceLost
                               << "answered VK_ERROR_DEVICE_LOST when asked to" << 20;
    }
    void refused() {
        QFETCH(VulkanFaultKind, kind);
        QFETCH(ErrorCode, code);
        QFETCH(QString, says);
        QFETCH(int, at_least);
        // Each place costs the loading of a model: but for the first ones, some stand for their
        // neighbours.
        constexpr int kFirstOnes = 12;
        const int step = hearth::test::all_rows() ? 1 : 5;
        int n = 0;
        for (bool happened = true; happened;) {
            n += n < kFirstOnes ? 1 : step;
            const auto device = open_device();
            const VulkanFault fault(kind, n);
            const auto logits = TinyExecutor::run_all(device, model_);
            happened = fault.happened();
            const QByteArray which = QByteArray::number(n) + ": " +
                                     (logits ? "no error" : logits.error().message.c_str());
            QVERIFY2(logits.has_value() == !happened, which);
            if (happened) {
                QVERIFY2(logits.error().code == code, which);
                QVERIFY2(QString::fromStdString(logits.error().message).contains(says), which);
            } else {
                QVERIFY2(*logits == expected_, which);
            }
            QVERIFY2(fault.live_allocations() == 0, which);
        }
        QVERIFY2(n > at_least, QByteArray::number(n));
        nothing_was_left_behind();
    }

    // A load that is given up half way leaves nothing running.
    void cancelled_at_every_tensor() {
        for (int n = 1;; ++n) {
            const auto logits = TinyExecutor::run_all(open_device(), model_, n);
            if (logits) {
                QVERIFY2(n > 10, QByteArray::number(n));
                break;
            }
            QVERIFY2(logits.error().code == ErrorCode::Cancelled, logits.error().message.c_str());
        }
        nothing_was_left_behind();
    }

    // What failed once may succeed the next time: the executor is still whole.
    void a_batch_whose_shader_was_refused_runs_when_asked_again() {
        auto executor = TinyExecutor::load(open_device(), model_, 0);
        QVERIFY(executor);
        {
            const VulkanFault fault(VulkanFaultKind::NoPipeline, 1);
            const auto refused = executor->pass(5, 0);
            QVERIFY(fault.happened() && !refused && refused.error().code == ErrorCode::Internal);
        }
        const auto logits = executor->pass(5, 0);
        QVERIFY2(logits, logits ? "" : logits.error().message.c_str());
        QVERIFY(std::equal(logits->begin(), logits->end(), expected_.begin()));
    }

    // A batch whose weights are uploaded is given up between two pieces of weights; the next is
    // whole again.
    void an_upload_can_be_cancelled() {
        auto executor = TinyExecutor::load(open_device(), model_, 0);
        QVERIFY(executor);
        const auto wanted = executor->pass(6, 0, true);
        QVERIFY2(wanted, wanted ? "" : wanted.error().message.c_str());
        Cancellation cancellation;
        cancellation.request();
        const auto cancelled = executor->pass(6, 0, true, &cancellation);
        QVERIFY(!cancelled && cancelled.error().code == ErrorCode::Cancelled);
        const auto again = executor->pass(6, 0, true);
        QVERIFY(again && *again == *wanted);
        const auto token = executor->pass(1, 6);
        QVERIFY(token);
        nothing_was_left_behind();
    }

    // Weights that cannot be read end the pass, wherever that is; the next is whole again.
    void an_upload_can_fail() {
        auto executor = TinyExecutor::load(open_device(), model_, 0);
        QVERIFY(executor);
        const auto wanted = executor->pass(6, 0, true);
        QVERIFY2(wanted, wanted ? "" : wanted.error().message.c_str());
        int call = 1;
        for (bool failed = true; failed; ++call) {
            executor->fail_reads_from(call);
            const auto pass = executor->pass(6, 0, true);
            failed = !pass;
            QVERIFY(pass || pass.error().code == ErrorCode::ReadFailed);
            executor->fail_reads_from(0);
            const auto again = executor->pass(6, 0, true);
            QVERIFY(again && *again == *wanted);
        }
        QVERIFY2(call > 6, QByteArray::number(call));
        nothing_was_left_behind();
    }

    // A slot of uploaded weights is filled again only when what multiplies with it has ended, and a
    // GPU may begin as late as when it is waited for. Slots the GPU reads itself, and such that are
    // copied.
    void uploaded_weights_wait_for_a_late_gpu_data() {
        QTest::addColumn<bool>("copied");
        QTest::newRow("read where they are") << false;
        QTest::newRow("copied") << true;
    }
    void uploaded_weights_wait_for_a_late_gpu() {
        QFETCH(bool, copied);
        vulkan::Restrictions restrictions;
        restrictions.shared_memory = copied;
        const auto device = vulkan::Device::create(instance_, 0, restrictions);
        QVERIFY(device);
        auto executor = TinyExecutor::load(*device, model_, 0);
        QVERIFY(executor);
        std::vector<TinyExecutor::Logits> seen;
        for (const auto kind : {VulkanFaultKind::PromptSubmit, VulkanFaultKind::LateSubmit}) {
            const VulkanFault fault(kind, 1);
            auto logits = executor->pass(6, 0, true);
            QVERIFY2(logits, logits ? "" : logits.error().message.c_str());
            QVERIFY(fault.happened());
            seen.push_back(std::move(*logits));
        }
        QVERIFY2(seen[0] == seen[1], "a slot was filled while it was multiplied with");
    }

    // The same of what loading passes through its two buffers, and of everything else.
    void a_late_gpu_computes_the_same() {
        const VulkanFault fault(VulkanFaultKind::LateSubmit, 1);
        const auto logits = TinyExecutor::run_all(open_device(), model_);
        QVERIFY2(logits, logits ? "" : logits.error().message.c_str());
        QVERIFY(fault.happened());
        QVERIFY(*logits == expected_);
    }

    // The first batches of a prompt leave no logits; the last one may have as many tokens.
    void a_batch_without_logits_and_one_with_them() {
        std::vector<TinyExecutor::Logits> seen;
        for (const bool first_has_them : {true, false}) {
            auto executor = TinyExecutor::load(open_device(), model_, 0);
            QVERIFY(executor);
            QVERIFY(executor->pass(1, 0));
            QVERIFY(first_has_them ? executor->pass(5, 0).has_value()
                                   : executor->pass_without_logits(5, 0).has_value());
            auto logits = executor->pass(5, 5);
            QVERIFY2(logits, logits ? "" : logits.error().message.c_str());
            seen.push_back(std::move(*logits));
        }
        QVERIFY2(seen[0] == seen[1], "the logits are another pass's");
    }

    // Only passes that were said to count do, in whatever order the counts are asked for.
    void what_broke_off_is_not_counted() {
        auto executor = TinyExecutor::load(open_device(), model_, 0);
        QVERIFY(executor);
        QVERIFY(executor->pass(5, 0));
        std::vector<std::uint32_t> sum(2 * 96);
        for (const int token : {5, 6, 7}) {
            QVERIFY(executor->pass(1, token));
            executor->count_token();
            const auto fired = executor->fired();
            QVERIFY(fired && fired->size() == sum.size());
            const auto n_firing = std::count(fired->begin(), fired->end(), 1U);
            QVERIFY(n_firing > 0 && n_firing < 2 * 64);  // the hot neurons
            QCOMPARE(n_firing + std::count(fired->begin(), fired->end(), 0U), 2 * 96);
            if (token != 6) {
                std::transform(sum.begin(), sum.end(), fired->begin(), sum.begin(), std::plus<>());
            }
        }
        QVERIFY(*executor->fired() == std::vector<std::uint32_t>(sum.size()));
        for (const int token : {5, 6, 7}) {
            QVERIFY(executor->pass(1, token));
            if (token != 6) {
                executor->count_token();
            }
        }
        QVERIFY(executor->pass(4, 8));  // batches are not looked at
        QVERIFY(*executor->fired() == sum);
    }

    // Counts that could not be fetched are still there.
    void counts_that_were_refused_come_when_asked_again() {
        auto executor = TinyExecutor::load(open_device(), model_, 0);
        QVERIFY(executor);
        std::vector<std::uint32_t> expected;
        for (int refused = 0;; ++refused) {
            QVERIFY(executor->pass(1, 0));
            executor->count_token();
            bool happened = false;
            if (refused > 0) {
                const VulkanFault fault(VulkanFaultKind::NoObject, refused);
                const auto fired = executor->fired();
                happened = fault.happened();
                QVERIFY(happened ? !fired && fired.error().code == ErrorCode::OutOfMemory
                                 : *fired == expected);
                if (!happened) {
                    QVERIFY(refused > 2);  // one a layer
                    break;
                }
            }
            const auto fired = executor->fired();
            QVERIFY(fired && (refused == 0 || *fired == expected));
            expected = *fired;
        }
    }

    // Wrong results must not pass for right ones in any of the checks of shaders that are run.
    void checks_notice_a_device_that_computes_nothing() {
        const auto device = open_device();
        const auto checks = test::sample_of(test::shader_checks(device));
        QVERIFY(checks.size() > 200);
        for (const test::KernelCheck& check : checks) {
            const VulkanFault fault(VulkanFaultKind::NoDispatch, 1);
            const auto outcome = check.run();
            QVERIFY2(outcome.skipped != fault.happened(), check.name.c_str());
            QVERIFY2(outcome.skipped || !outcome.passed, check.name.c_str());
        }
    }

private:
    void missing(const std::string& why) {
        QVERIFY2(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"), why.c_str());
        why_missing_ = why;
    }

    std::shared_ptr<vulkan::Device> open_device() {
        auto device = vulkan::Device::create(instance_, 0, {});
        return device ? *device : nullptr;
    }

    // The validation layer counts what was freed too early or not at all; it speaks of the latter
    // when a device is destroyed, and all have been.
    void nothing_was_left_behind() {
        QVERIFY2(instance_->n_validation_messages() == 0,
                 instance_->first_validation_message().c_str());
    }

    std::shared_ptr<vulkan::Instance> instance_;
    test::TinyGpuModel model_;
    TinyExecutor::Logits expected_;
    std::string why_missing_;
};

QTEST_GUILESS_MAIN(FaultsTest)
#include "faults_test.moc"
