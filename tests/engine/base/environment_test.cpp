#include "base/environment.h"

#include <QtTest>
#include <array>

using namespace hearth;
using namespace std::chrono_literals;

class EnvironmentTest : public QObject {
    Q_OBJECT

private slots:
    void cleanup() {
        for (const char* name : {"HEARTH_CPU", "HEARTH_GPU_ALLOW_CPU", "HEARTH_GPU_TRIAL_SECONDS",
                                 "HEARTH_VULKAN_VALIDATION", "HEARTH_VULKAN_WITHOUT"}) {
            qunsetenv(name);
        }
    }

    void nothingIsSet() {
        cleanup();
        const Environment found = read_environment();
        QVERIFY(found.cpu.empty() && found.vulkan_validation.empty() &&
                found.vulkan_without.empty() && !found.cpu_counts_as_gpu);
        QCOMPARE(found.gpu_trial, 0s);
    }

    void isReadAnew() {
        qputenv("HEARTH_CPU", "avx2");
        qputenv("HEARTH_GPU_ALLOW_CPU", "1");
        qputenv("HEARTH_GPU_TRIAL_SECONDS", "50");
        qputenv("HEARTH_VULKAN_VALIDATION", "sync");
        qputenv("HEARTH_VULKAN_WITHOUT", "subgroups,integer-dot");
        const Environment found = read_environment();
        QCOMPARE(found.cpu, std::string("avx2"));
        QVERIFY(found.cpu_counts_as_gpu);
        QCOMPARE(found.gpu_trial, 50s);
        QCOMPARE(found.vulkan_validation, std::string("sync"));
        QCOMPARE(found.vulkan_without, std::string("subgroups,integer-dot"));
        qputenv("HEARTH_GPU_ALLOW_CPU", "yes");
        qputenv("HEARTH_CPU", "");
        QVERIFY(!read_environment().cpu_counts_as_gpu && read_environment().cpu.empty());
    }

    void timesAreKeptInBounds() {
        for (const auto& [text, seconds] :
             {std::pair("601", 600s), std::pair("-3", 0s), std::pair("soon", 0s)}) {
            qputenv("HEARTH_GPU_TRIAL_SECONDS", text);
            QCOMPARE(read_environment().gpu_trial, seconds);
        }
    }

    void aDefaultDoesNotReplaceWhatIsSet() {
        set_default_environment_variable("HEARTH_CPU", "avx2");
        QCOMPARE(read_environment().cpu, std::string("avx2"));
        set_default_environment_variable("HEARTH_CPU", "generic");
        QCOMPARE(read_environment().cpu, std::string("avx2"));
    }

    void variablesByPrefix() {
#ifdef Q_OS_LINUX
        qputenv("HEARTH_VULKAN_WITHOUT", "b");
        qputenv("HEARTH_CPU", "generic");
        const std::array<std::string_view, 2> prefixes{"HEARTH_V", "HEARTH_CPU="};
        const std::vector<std::string> found = environment_with(prefixes);
        const std::vector<std::string> wanted{"HEARTH_CPU=generic", "HEARTH_VULKAN_WITHOUT=b"};
        QCOMPARE(found, wanted);
#endif
    }
};

QTEST_GUILESS_MAIN(EnvironmentTest)
#include "environment_test.moc"
