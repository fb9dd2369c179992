#include <QtTest>

#include "engine/vulkan/gpu_checks.h"

// On whatever device comes first, lavapipe where nothing else is, under the validation layer.
class GpuChecksTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        using namespace hearth::vulkan;
        auto instance = Instance::create(requested_validation());
        const auto without = requested_restrictions();
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
    }

    void check() {
        if (device_ == nullptr) {
            QSKIP(why_missing_.c_str());
        }
        for (const hearth::test::KernelCheck& check : checks_) {
            const auto outcome = check.run();
            if (outcome.skipped) {
                qInfo("%s: skipped, %s", check.name.c_str(), outcome.detail.c_str());
            }
            if (!outcome.passed) {
                QTest::qFail((check.name + ": " + outcome.detail).c_str(), __FILE__, __LINE__);
            }
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
