#include "hardware/gpu_list.h"

#include <QtTest>

#include "hardware/driver_manifests.h"
#include "hardware/driver_state.h"

using namespace hearth;

namespace {

constexpr const char* kVersion = "1.2.3";

GpuInfo gpu() {
    GpuInfo info;
    info.index = 3;
    info.name = "A card (with a name)";
    info.kind = GpuKind::Discrete;
    info.driver = "ACME 1.2";
    info.vulkan_version = "1.3.230";
    info.vendor_id = 0x10DE;
    info.device_id = 0xFFFFFFFF;
    info.uuid = {0x00, 0x11, 0xAB, 0xFF, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0xE0};
    info.heaps = {{std::uint64_t{80} << 30, 5, true}, {7, 6, false}};
    info.shares_ram = true;
    info.integer_dot = true;
    info.cooperative_matrix = true;
    info.subgroup_size = 32;
    info.subgroup_size_min = 8;
    info.subgroup_size_max = 64;
    info.storage_range_bytes_max = 0xFFFFFFFF;
    return info;
}

bool equal(const GpuInfo& a, const GpuInfo& b) {
    return format_gpu_list({{a}, {}}) == format_gpu_list({{b}, {}});
}

void write(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
}

}  // namespace

class GpuListTest : public QObject {
    Q_OBJECT

private slots:
    void thereAndBack() {
        GpuInfo other;
        other.kind = GpuKind::Cpu;
        other.unusable = "its driver is older than Vulkan 1.2";
        const auto list = parse_gpu_list("a remark\n" + format_gpu_list({{gpu(), other}, {}}));
        QVERIFY(list);
        QCOMPARE(list->gpus.size(), std::size_t{2});
        const GpuInfo& first = list->gpus[0];
        QCOMPARE(first.index, 3);
        QCOMPARE(first.name.c_str(), "A card (with a name)");
        QVERIFY(first.kind == GpuKind::Discrete && first.uuid == gpu().uuid);
        QCOMPARE(first.driver.c_str(), "ACME 1.2");
        QCOMPARE(first.vulkan_version.c_str(), "1.3.230");
        QVERIFY(first.vendor_id == 0x10DE && first.device_id == 0xFFFFFFFF);
        QVERIFY(first.shares_ram && first.integer_dot && first.cooperative_matrix);
        QVERIFY(first.subgroup_size == 32 && first.subgroup_size_min == 8 &&
                first.subgroup_size_max == 64);
        QCOMPARE(first.storage_range_bytes_max, std::uint64_t{0xFFFFFFFF});
        QCOMPARE(first.memory_bytes(), std::uint64_t{80} << 30);
        QCOMPARE(first.available_bytes(), std::uint64_t{5});
        QCOMPARE(first.heaps.size(), std::size_t{2});
        QVERIFY(first.unusable.empty());
        QVERIFY(equal(list->gpus[1], other));
    }

    void none() {
        const auto list = parse_gpu_list(format_gpu_list({{}, "no driver\nat all", 2}));
        QVERIFY(list && list->gpus.empty());
        QCOMPARE(list->none.c_str(), "no driver at all");
        QCOMPARE(list->failures, 2);
    }

    void withoutSomeDrivers() {
        const std::string paths = "/a/" + std::string(2000, 'b') + ".json:/c.json";
        const GpuList written{{gpu()}, {}, 1, paths, "the driver /d.json is left out"};
        const auto list = parse_gpu_list(format_gpu_list(written));
        QVERIFY(list && list->gpus.size() == 1 && equal(list->gpus[0], gpu()));
        QCOMPARE(list->drivers, paths);
        QCOMPARE(list->left_out, written.left_out);
        QCOMPARE(list->failures, 1);
        const auto none = parse_gpu_list(format_gpu_list({{}, "none", 2, "/c.json", "/d.json"}));
        QVERIFY(none && none->gpus.empty());
        QCOMPARE(none->drivers.c_str(), "/c.json");
        QCOMPARE(none->failures, 2);
    }

    void broken_data() {
        QTest::addColumn<QByteArray>("text");
        const auto whole = QByteArray::fromStdString(format_gpu_list({{gpu()}, {}}));
        const auto changed = [&](const char* from, const char* to) {
            return QByteArray(whole).replace(from, to);
        };
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("no device") << QByteArray("hearth gpu list 1\nend\n");
        QTest::newRow("another format") << changed("list 1", "list 9");
        QTest::newRow("no end") << changed("end\n", "");
        QTest::newRow("cut") << whole.left(whole.size() / 2);
        QTest::newRow("a kind there is not") << changed("discrete", "indiscrete");
        QTest::newRow("uuid too short") << changed("0011ab", "0011");
        QTest::newRow("uuid no number") << changed("0011ab", "0011xb");
        QTest::newRow("a negative number") << changed("subgroup_size 32", "subgroup_size -32");
        QTest::newRow("a line is missing") << changed("integer_dot 1\n", "");
        QTest::newRow("more than a flag") << changed("integer_dot 1", "integer_dot 2");
        QTest::newRow("drivers left out without a reason")
            << changed("gpu 3\n", "drivers /a.json\nleft_out \nfailures 1\ngpu 3\n");
        QTest::newRow("half a heap") << changed("available 6\n", "");
    }
    void broken() {
        QFETCH(QByteArray, text);
        QVERIFY(!parse_gpu_list(text.toStdString()));
        const QTemporaryDir folder;
        write(folder.filePath("gpu_list.txt"), "1.2.3 state\n" + text);
        const std::string path = folder.path().toStdString();
        QVERIFY(!read_gpu_list(path, kVersion, "state"));
        keep_gpu_list(path, kVersion, "state", {{gpu()}, {}});
        QVERIFY(read_gpu_list(path, kVersion, "state"));
    }

    void keptForVersionAndState() {
        const QTemporaryDir folder;
        const std::string path = (folder.path() + "/made/here").toStdString();
        keep_gpu_list(path, kVersion, "state", {{gpu()}, {}});
        const auto kept = read_gpu_list(path, kVersion, "state");
        QVERIFY(kept && kept->gpus.size() == 1 && equal(kept->gpus[0], gpu()));
        QVERIFY(!read_gpu_list(path, "1.2.4", "state"));
        QVERIFY(!read_gpu_list(path, kVersion, "states"));
        QVERIFY(!read_gpu_list(path, kVersion, {}));  // a system that does not say
        QVERIFY(!read_gpu_list({}, kVersion, "state"));
        keep_gpu_list({}, kVersion, "state", {{gpu()}, {}});
        keep_gpu_list("/proc/no folder", kVersion, "state", {{gpu()}, {}});
    }

    // The loader's own, or those that the user names.
    void manifestsOfDrivers() {
        const QTemporaryDir folder;
        const std::string root = folder.path().toStdString();
        QDir dir(folder.path());
        QVERIFY(dir.mkpath("usr/share/vulkan/icd.d") && dir.mkpath("etc/vulkan/icd.d") &&
                dir.mkpath("own"));
        for (const char* name :
             {"usr/share/vulkan/icd.d/b.json", "usr/share/vulkan/icd.d/a.json",
              "usr/share/vulkan/icd.d/a.txt", "etc/vulkan/icd.d/c.json", "own/d.json"}) {
            write(folder.filePath(name), "{}");
        }
        for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES",
                                 "XDG_DATA_DIRS", "XDG_CONFIG_DIRS"}) {
            qunsetenv(name);
        }
        if (driver_state(root).empty()) {
            QVERIFY(driver_manifests(root).empty());
            QSKIP("this system's drivers are not known by files");
        }
        const auto paths = [&](std::initializer_list<const char*> names) {
            std::vector<std::string> all;
            for (const char* name : names) {
                all.push_back(root + "/" + name);
            }
            return all;
        };
        QCOMPARE(driver_manifests(root),
                 paths({"usr/share/vulkan/icd.d/a.json", "usr/share/vulkan/icd.d/b.json",
                        "etc/vulkan/icd.d/c.json"}));
        qputenv("VK_ADD_DRIVER_FILES", "/own/d.json");
        QCOMPARE(driver_manifests(root).front(), root + "/own/d.json");
        QCOMPARE(driver_manifests(root).size(), std::size_t{4});
        qunsetenv("VK_ADD_DRIVER_FILES");
        qputenv("VK_ICD_FILENAMES", "/own:/etc/vulkan/icd.d/c.json:/nowhere.json");
        QCOMPARE(driver_manifests(root), paths({"own/d.json", "etc/vulkan/icd.d/c.json"}));
        qputenv("VK_DRIVER_FILES", "/own/d.json:/own/d.json");
        QCOMPARE(driver_manifests(root), paths({"own/d.json"}));
        qunsetenv("VK_ICD_FILENAMES");
        qunsetenv("VK_DRIVER_FILES");
    }

    // Each of these may change what drivers list.
    void driverState() {
        const QTemporaryDir folder;
        const std::string root = folder.path().toStdString();
        if (driver_state(root).empty()) {
            QSKIP("this system's drivers are not known by files");
        }
        QDir dir(folder.path());
        QVERIFY(dir.mkpath("usr/share/vulkan/icd.d") && dir.mkpath("dev/dri") &&
                dir.mkpath("proc/sys/kernel/random") && dir.mkpath("etc"));
        std::string before = driver_state(root);
        QCOMPARE(driver_state(root), before);
        const auto changes = [&](const char* what) {
            const std::string now = driver_state(root);
            const bool other = now != before;
            before = now;
            QVERIFY2(other, what);
        };
        const QString manifest = folder.filePath("usr/share/vulkan/icd.d/acme.json");
        write(manifest, "{}");
        changes("a driver is there");
        write(manifest, "{ }");
        changes("its manifest is another");
        QFile file(manifest);
        QVERIFY(
            file.open(QIODevice::ReadWrite) &&
            file.setFileTime(QDateTime::fromSecsSinceEpoch(1), QFileDevice::FileModificationTime));
        file.close();
        changes("its manifest has another time");
        write(folder.filePath("dev/dri/renderD128"), "");
        changes("a device is there");
        write(folder.filePath("dev/nvidia0"), "");
        changes("another device is there");
        write(folder.filePath("proc/sys/kernel/random/boot_id"), "one\n");
        changes("the system was started anew");
        write(folder.filePath("etc/ld.so.cache"), "libraries");
        changes("a library is there");
        QVERIFY(dir.mkpath("sys/module/nvidia"));
        write(folder.filePath("sys/module/nvidia/version"), "550.1\n");
        changes("a kernel module is there");
        write(folder.filePath("sys/module/nvidia/version"), "550.2\n");
        changes("a kernel module is new");
        for (const char* device : {"dev/kfd", "dev/dxg"}) {
            write(folder.filePath(device), "");
            changes(device);
        }
        write(folder.filePath("dev/null"), "");
        QCOMPARE(driver_state(root), before);  // no device of a driver
        for (const char* layers : {"implicit_layer.d", "explicit_layer.d"}) {
            QVERIFY(dir.mkpath(QString("etc/vulkan/") + layers));
            write(folder.filePath(QString("etc/vulkan/") + layers + "/a.json"), "{}");
            changes(layers);
        }
        qputenv("VK_DRIVER_FILES", "/one.json");
        changes("a variable names the driver");
        write(folder.filePath("one.json"), "{}");
        changes("the driver it names is there");
        qunsetenv("VK_DRIVER_FILES");
        changes("the variable is gone");
        QCOMPARE(driver_state(root), before);
    }
};

QTEST_GUILESS_MAIN(GpuListTest)
#include "gpu_list_test.moc"
