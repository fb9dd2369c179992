// Several files read as one: every part counts, the last one as much as the first.
#include "flash/joined_file.h"

#include <QtTest>
#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/input_file.h"
#include "flash/direct_file.h"
#include "support/counting_bytes.h"
#include "support/gguf_builder.h"
#include "support/temp_dir.h"

using namespace hearth;

namespace {

constexpr std::array<std::size_t, 3> kSizes{9'000, 4'096, 12'345};

// Three files, each with bytes of its own.
struct Parts {
    Parts() {
        for (std::size_t i = 0; i < kSizes.size(); ++i) {
            paths.push_back(dir.file("part" + std::to_string(i)));
            contents.push_back(test::counting_bytes(kSizes[i]));
            for (std::byte& byte : contents.back()) {
                byte ^= static_cast<std::byte>(17 * i);
            }
            test::write_file(paths.back(), contents.back());
        }
    }
    InputFile open() const {
        std::vector<InputFile> files;
        for (const std::string& path : paths) {
            files.push_back(std::move(*InputFile::open(path)));
        }
        return InputFile::join(std::move(files));
    }

    test::TempDir dir;
    std::vector<std::string> paths;
    std::vector<test::Bytes> contents;
};

}  // namespace

class JoinedFileTest : public QObject {
    Q_OBJECT

private slots:
    // Also where a read is rounded up beyond a part's end: that is zeros, and no error.
    void everyPartIsRead() {
        const Parts parts;
        const InputFile file = parts.open();
        const auto joined = open_direct_parts(file, false);
        QVERIFY(joined);
        QCOMPARE((*joined)->facts().size_bytes, file.size_bytes());
        QCOMPARE((*joined)->facts().path, parts.paths.front());
        QVERIFY(!(*joined)->facts().direct);
        QVERIFY(!(*joined)->facts().why_not_direct.empty());
        for (std::size_t i = 0; i < kSizes.size(); ++i) {
            test::Bytes bytes(5'000, std::byte{0xEE});
            const std::uint64_t at = kSizes[i] - 3'000;
            const ReadOutcome got = (*joined)->read(file.begin_of(i) + at, bytes);
            QCOMPARE(got.error, 0);
            QVERIFY(std::equal(bytes.begin(), bytes.begin() + 3'000,
                               parts.contents[i].begin() + static_cast<std::ptrdiff_t>(at)));
            const bool last = i + 1 == kSizes.size();
            QCOMPARE(got.bytes, std::uint64_t{last ? 3'000U : 5'000U});
            QVERIFY(std::all_of(bytes.begin() + 3'000, bytes.end(), [&](std::byte byte) {
                return byte == (last ? std::byte{0xEE} : std::byte{0});
            }));
        }
    }

    void aChangeOfAnyPartIsTold_data() {
        QTest::addColumn<int>("part");
        QTest::newRow("the first") << 0;
        QTest::newRow("the second") << 1;
        QTest::newRow("the last") << 2;
    }
    void aChangeOfAnyPartIsTold() {
        QFETCH(const int, part);
        const Parts parts;
        const std::string& path = parts.paths[static_cast<std::size_t>(part)];
        const auto joined = open_direct_parts(parts.open());
        QVERIFY(joined);
        QCOMPARE((*joined)->change(), std::string());
        QCOMPARE((*joined)->change_of_name(), std::string());
        std::filesystem::last_write_time(
            path, std::filesystem::last_write_time(path) + std::chrono::seconds(5));
        QCOMPARE((*joined)->change(), std::string("it was written to since it was opened"));
        QCOMPARE((*joined)->change_of_name(), std::string());
        std::filesystem::remove(path);
        QCOMPARE((*joined)->change_of_name(), std::string("no file has its name any more"));
    }

    // Between the header and the first read.
    void aPartThatWasReplacedBeforeIsRefused() {
        for (std::size_t part = 0; part < kSizes.size(); ++part) {
            const Parts parts;
            const InputFile file = parts.open();
            QVERIFY(test::write_file(parts.paths[part], test::counting_bytes(20'000)));
            const auto joined = open_direct_parts(file);
            QVERIFY(!joined);
            QCOMPARE(joined.error().path, parts.paths[part]);
            QVERIFY(joined.error().message.starts_with(parts.paths[part]));
        }
    }

    // The whole is no better than its worst part, in whichever order the parts stand.
    void theWholeIsAsItsWorstPart() {
#ifdef __linux__
        if (!std::filesystem::is_directory("/dev/shm")) {
            QSKIP("there is no file system in memory");
        }
        const std::string in_memory =
            "/dev/shm/hearth-test-part-" + std::to_string(QCoreApplication::applicationPid());
        const Parts parts;
        QVERIFY(test::write_file(in_memory, parts.contents[1]));
        const auto on_disk = open_direct_file(parts.paths[0]);
        const auto alone = open_direct_file(in_memory);
        QVERIFY(on_disk && alone);
        const FileFacts& disk = (*on_disk)->facts();
        const FileFacts& memory = (*alone)->facts();
        for (const bool memory_first : {true, false}) {
            std::vector<InputFile> files;
            for (const bool first : {true, false}) {
                const std::string& path = first == memory_first ? in_memory : parts.paths[0];
                files.push_back(std::move(*InputFile::open(path)));
            }
            const auto joined = open_direct_parts(InputFile::join(std::move(files)));
            QVERIFY(joined);
            const FileFacts& both = (*joined)->facts();
            QCOMPARE(both.direct, disk.direct && memory.direct);
            QCOMPARE(both.why_not_direct.empty(), both.direct);
            QCOMPARE(both.alignment, std::max(disk.alignment, memory.alignment));
            QCOMPARE(both.memory_alignment,
                     std::max(disk.memory_alignment, memory.memory_alignment));
        }
        std::filesystem::remove(in_memory);
#else
        QSKIP("there is no file system in memory");
#endif
    }
};

QTEST_GUILESS_MAIN(JoinedFileTest)
#include "joined_file_test.moc"
