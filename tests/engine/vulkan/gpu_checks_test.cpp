#include <QtTest>

#include "base/environment.h"
#include "engine/vulkan/check_sample.h"
#include "engine/vulkan/gpu_checks.h"

// On whatever device comes first, lavapipe where nothing else is, under the validation layer.
class GpuChecksTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        using namespace hearth::vulkan;
        auto instance =
            Instance::create(validation_from(hearth::read_environment().vulkan_validation));
        const auto without = parse_restrictions(hearth::read_environment().vulkan_without);
        QVERIFY(without);
        if (!instance) {
            missing(instance.error().message);
            return;
        }
        instance_ = *instance;
        auto device = Device::create(instance_, 0, *without);
        if (!device) {
            missing(device.error().message);
            return;
        }
        device_ = *device;
        checks_ = hearth::test::gpu_checks(device_);
        QVERIFY(checks_.size() > 300);
        checks_ = hearth::test::sample_of(std::move(checks_));
    }

    void check_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < checks_.size(); ++i) {
            QTest::newRow(checks_[i].name.c_str()) << static_cast<int>(i);
        }
        if (checks_.empty()) {
            QTest::newRow("all") << -1;
        }
    }
    void check() {
        QFETCH(int, index);
        if (index < 0) {
            QSKIP(why_missing_.c_str());
        }
        const auto outcome = checks_[static_cast<std::size_t>(index)].run();
        if (outcome.skipped) {
            QSKIP(outcome.detail.c_str());
        }
        QVERIFY2(outcome.passed, outcome.detail.c_str());
    }

    void the_validation_layer_says_nothing() {
        if (instance_ == nullptr) {
            return;
        }
        checks_.clear();
        device_.reset();  // the layer names what was not freed
        QVERIFY2(instance_->n_validation_messages() == 0,
                 instance_->first_validation_message().c_str());
    }

private:
    void missing(const std::string& why) {
        QVERIFY2(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"), why.c_str());
        why_missing_ = why;
    }

    std::shared_ptr<hearth::vulkan::Instance> instance_;
    std::shared_ptr<hearth::vulkan::Device> device_;
    std::vector<hearth::test::KernelCheck> checks_;
    std::string why_missing_;
};

QTEST_GUILESS_MAIN(GpuChecksTest)
#include "gpu_checks_test.moc"
