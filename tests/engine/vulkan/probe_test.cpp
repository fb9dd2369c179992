#include "vulkan/probe.h"
#include "base/environment.h"

#include <QtTest>
#include <array>
#include <optional>
#include <vector>

#include "engine/vulkan/gpu_faults.h"

using namespace hearth;
using namespace hearth::vulkan;
using hearth::test::GpuFault;
using hearth::test::GpuFaults;

// On whatever device comes first, under the validation layer.
class ProbeTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        auto instance = Instance::create(validation_from(read_environment().vulkan_validation));
        const auto gpus =
            instance ? (*instance)->gpus() : Result<std::vector<GpuInfo>>(instance.error());
        if (!gpus || gpus->empty()) {
            QVERIFY2(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"), "there is no Vulkan device");
            QSKIP("there is no Vulkan device");
        }
        instance_ = *instance;
        gpu_ = gpus->front();
    }

    void right_data() {
        QTest::addColumn<QByteArray>("without");
        QTest::newRow("as it is") << QByteArray();
        QTest::newRow("lesser") << QByteArray("integer-dot,cooperative-matrix,subgroups");
    }
    void right() {
        QFETCH(QByteArray, without);
        const GpuProbe outcome = probe(instance_, 0, *parse_restrictions(without.toStdString()));
        QVERIFY2(outcome.verdict == GpuVerdict::Ok, outcome.reason.c_str());
        QVERIFY(outcome.uuid == gpu_.uuid);
        const GpuSpeeds& speeds = outcome.speeds;
        QVERIFY(speeds.read_gb_per_s > 0 && speeds.to_gpu_gb_per_s > 0 &&
                speeds.from_gpu_gb_per_s > 0 && speeds.round_trip_us > 0 &&
                speeds.gflop_per_s > 0 && speeds.step_us > 0);
        QVERIFY2(instance_->n_validation_messages() == 0,
                 instance_->first_validation_message().c_str());
    }

    void faults_data() {
        QTest::addColumn<int>("fault");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* name, GpuFault fault, const char* reason) {
            QTest::newRow(name) << static_cast<int>(fault) << QByteArray(reason);
        };
        row("not to be opened", GpuFault::NoDevice, "VK_ERROR_INITIALIZATION_FAILED");
        row("no memory", GpuFault::NoMemory, "VK_ERROR_OUT_OF_DEVICE_MEMORY");
        row("no large memory", GpuFault::NoLargeMemory, "VK_ERROR_OUT_OF_DEVICE_MEMORY");
        row("shaders refused", GpuFault::ShaderRefused, "VK_ERROR_INVALID_SHADER_NV");
        row("lost when it is to begin", GpuFault::SubmitLost, "VK_ERROR_DEVICE_LOST");
        row("lost while it works", GpuFault::WaitLost, "VK_ERROR_DEVICE_LOST");
        row("wrong answers", GpuFault::DispatchLeftOut, "it computes wrong: ");
    }
    void faults() {
        QFETCH(int, fault);
        QFETCH(QByteArray, reason);
        const GpuFaults faults(static_cast<GpuFault>(fault));
        const GpuProbe outcome = probe(instance_, 0, {});
        QCOMPARE(outcome.verdict, GpuVerdict::Failed);
        QVERIFY2(QByteArray::fromStdString(outcome.reason).contains(reason),
                 outcome.reason.c_str());
        QVERIFY(outcome.uuid == gpu_.uuid);
        QVERIFY2(instance_->n_validation_messages() == 0,
                 instance_->first_validation_message().c_str());
    }

    // Drivers are named to the loader for one instance alone, be it made or not.
    void theLoaderForgetsNamedDrivers() {
        const std::array<const char*, 3> names{"VK_DRIVER_FILES", "VK_ICD_FILENAMES",
                                               "VK_ADD_DRIVER_FILES"};
        std::vector<std::optional<QByteArray>> before;
        const auto values = [&] {
            std::vector<std::optional<QByteArray>> now;
            for (const char* name : names) {
                now.push_back(qEnvironmentVariableIsSet(name) ? std::optional(qgetenv(name))
                                                              : std::nullopt);
            }
            return now;
        };
        const bool added = !qEnvironmentVariableIsSet(names[2]);
        if (added) {
            qputenv(names[2], "/nowhere/added.json");
        }
        before = values();
        const Validation validation = validation_from(read_environment().vulkan_validation);
        QVERIFY(!Instance::create(validation, "/nowhere/none.json"));
        QVERIFY(values() == before);
        if (added) {
            qunsetenv(names[2]);
        }
        const auto again = Instance::create(validation);
        QVERIFY2(again, again ? "" : again.error().message.c_str());
        const auto gpus = (*again)->gpus();
        QVERIFY(gpus && !gpus->empty());
        QVERIFY(gpus->front().uuid == gpu_.uuid);
    }

    void noSuchDevice() {
        for (const int index : {-1, 1000}) {
            const GpuProbe outcome = probe(instance_, index, {});
            QCOMPARE(outcome.verdict, GpuVerdict::Failed);
            QVERIFY(!outcome.reason.empty());
        }
    }

private:
    std::shared_ptr<Instance> instance_;
    GpuInfo gpu_;
};

QTEST_GUILESS_MAIN(ProbeTest)
#include "probe_test.moc"
