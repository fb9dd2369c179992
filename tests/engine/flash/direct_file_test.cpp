#include "flash/direct_file.h"

#include <QtTest>
#include <cstring>
#include <filesystem>
#include <string>

#ifdef __linux__
#include <sys/vfs.h>
#endif

#include "base/aligned_buffer.h"
#include "support/counting_bytes.h"
#include "support/gguf_builder.h"
#include "support/temp_dir.h"

using namespace hearth;

class DirectFileTest : public QObject {
    Q_OBJECT

private slots:
    // However the file system reads: facts hold, an aligned read brings the bytes, the last one
    // what there is.
    void reads_data() {
        QTest::addColumn<bool>("direct");
        QTest::newRow("direct") << true;
        QTest::newRow("page cache") << false;
    }
    void reads() {
        QFETCH(bool, direct);
        const test::TempDir dir;
        const test::Bytes content = test::counting_bytes(10'000);
        QVERIFY(test::write_file(dir.file("a"), content));
        const auto file = open_direct_file(dir.file("a"), direct);
        QVERIFY(file);
        const FileFacts& facts = (*file)->facts();
        QCOMPARE(facts.path, dir.file("a"));
        QCOMPARE(facts.size_bytes, std::uint64_t{10'000});
        QCOMPARE(facts.direct, facts.why_not_direct.empty());
        if (!direct) {
            QVERIFY(!facts.direct);
            QCOMPARE(facts.alignment, std::uint64_t{1});
        }
        auto buffer = AlignedBuffer::create(1 << 20, "test");
        QVERIFY(buffer);
        const auto at = reinterpret_cast<std::uintptr_t>(buffer->data());
        const std::uint64_t skip = (0x10000 - at % 0x10000) % 0x10000;
        const auto to = buffer->span<std::byte>(skip, 16'384);
        const ReadOutcome all = (*file)->read(0, to);
        QCOMPARE(all.error, 0);
        QCOMPARE(all.bytes, std::uint64_t{10'000});
        QVERIFY(std::memcmp(to.data(), content.data(), content.size()) == 0);
        const ReadOutcome last = (*file)->read(8192, to.first(4096));
        QCOMPARE(last.bytes, std::uint64_t{10'000 - 8192});
        QVERIFY(std::memcmp(to.data(), content.data() + 8192, 10'000 - 8192) == 0);
    }

    void wrongPaths() {
        const test::TempDir dir;
        QVERIFY(open_direct_file(dir.file("none")).error().code == ErrorCode::NotFound);
        QVERIFY(open_direct_file(dir.path()).error().code == ErrorCode::NotAFile);
        QVERIFY(open_direct_file("/dev/null").error().code == ErrorCode::NotAFile);
    }

    // A file in memory is not read past memory, whatever the kernel says of O_DIRECT.
    void filesInMemoryAreNotDirect() {
#ifdef __linux__
        struct statfs system {};
        if (statfs("/dev/shm", &system) != 0 || system.f_type != 0x01021994) {
            QSKIP("there is no file system in memory");
        }
        const std::filesystem::path path =
            "/dev/shm/hearth-test-" + std::to_string(QCoreApplication::applicationPid());
        if (!test::write_file(path.string(), test::counting_bytes(5000))) {
            QSKIP("there is no file system in memory");
        }
        const auto file = open_direct_file(path.string());
        std::filesystem::remove(path);
        QVERIFY(file);
        QVERIFY(!(*file)->facts().direct);
        QCOMPARE((*file)->facts().why_not_direct,
                 std::string("the file system keeps its files in memory"));
#else
        QSKIP("there is no file system in memory");
#endif
    }

    void changesAreTold() {
        const test::TempDir dir;
        const std::string path = dir.file("a");
        QVERIFY(test::write_file(path, test::counting_bytes(9000)));
        const auto file = open_direct_file(path);
        QVERIFY(file);
        QCOMPARE((*file)->change(), std::string());
        QCOMPARE((*file)->change_of_name(), std::string());

        std::filesystem::resize_file(path, 5000);
        QCOMPARE((*file)->change(),
                 std::string("it has 5000 bytes now and had 9000 when it was opened"));
        std::filesystem::resize_file(path, 9000);
        std::filesystem::last_write_time(
            path, std::filesystem::last_write_time(path) + std::chrono::seconds(5));
        QCOMPARE((*file)->change(), std::string("it was written to since it was opened"));

        QVERIFY(test::write_file(dir.file("b"), test::counting_bytes(9000)));
        std::filesystem::rename(dir.file("b"), path);
        QCOMPARE((*file)->change_of_name(), std::string("another file has its name now"));
        std::filesystem::remove(path);
        QCOMPARE((*file)->change_of_name(), std::string("no file has its name any more"));
    }
};

QTEST_GUILESS_MAIN(DirectFileTest)
#include "direct_file_test.moc"
