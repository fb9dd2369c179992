#include "base/input_file.h"

#include <QtTest>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#ifndef _WIN32
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#endif

#include "support/counting_bytes.h"
#include "support/gguf_builder.h"
#include "support/temp_dir.h"
#include "support/without_root.h"

using namespace hearth;

class InputFileTest : public QObject {
    Q_OBJECT

private slots:
    void reads_the_whole_file() {
        const test::TempDir dir;
        const test::Bytes content = test::counting_bytes(100'003);
        QVERIFY(test::write_file(dir.file("a"), content));
        auto opened = InputFile::open(dir.file("a"));
        QVERIFY(opened);
        const InputFile file = *std::move(opened);
        QCOMPARE(file.size_bytes(), std::uint64_t{100'003});
        QCOMPARE(file.path(), dir.file("a"));
        file.will_read(0, content.size());
        file.will_read(99'000, ~std::uint64_t{0});
        file.will_read(~std::uint64_t{0}, 1);
        test::Bytes all(content.size());
        QVERIFY(file.read_at(0, all));
        QVERIFY(all == content);
    }

    // A read that merges neighbours never reaches from one part into the next, whatever its size.
    void parts_lie_apart() {
        const test::TempDir dir;
        constexpr std::uint64_t kStep = InputFile::kPartAlignment;
        for (const std::uint64_t size : {kStep - 1, kStep, kStep + 1, std::uint64_t{1}}) {
            std::vector<InputFile> parts;
            for (const char* name : {"a", "b"}) {
                QVERIFY(
                    test::write_file(dir.file(name), test::Bytes(static_cast<std::size_t>(size))));
                auto part = InputFile::open(dir.file(name));
                QVERIFY(part);
                parts.push_back(*std::move(part));
            }
            const InputFile whole = InputFile::join(std::move(parts));
            QCOMPARE(whole.begin_of(0), std::uint64_t{0});
            QCOMPARE(whole.begin_of(1) % kStep, std::uint64_t{0});
            QVERIFY(whole.begin_of(1) >= size + kStep);
            QCOMPARE(whole.size_bytes(), whole.begin_of(1) + size);
        }
    }

    void opens_names_outside_ascii() {
        const test::TempDir dir;
        const std::string path = dir.file("gr\xC3\xBC\xC3\x9F \xE4\xBD\xA0.gguf");
        {
            std::ofstream out(std::filesystem::path(
                std::u8string(path.begin(), path.end())));  // UTF-8 on every system
            out << "hello";
        }
        const auto file = InputFile::open(path);
        QVERIFY(file);
        QCOMPARE(file->size_bytes(), std::uint64_t{5});
    }

    void empty_file() {
        const test::TempDir dir;
        QVERIFY(test::write_file(dir.file("empty"), {}));
        const auto file = InputFile::open(dir.file("empty"));
        QVERIFY(file);
        QCOMPARE(file->size_bytes(), std::uint64_t{0});
        std::array<std::byte, 1> one{};
        QVERIFY(!file->read_at(0, one));
        QVERIFY(file->read_at(0, {}));
    }

    void moving_keeps_it_open() {
        const test::TempDir dir;
        QVERIFY(test::write_file(dir.file("a"), test::counting_bytes(10)));
        QVERIFY(test::write_file(dir.file("b"), test::counting_bytes(20)));
        auto a = InputFile::open(dir.file("a"));
        auto b = InputFile::open(dir.file("b"));
        QVERIFY(a && b);
        *b = *std::move(a);
        QCOMPARE(b->size_bytes(), std::uint64_t{10});
        const InputFile c = *std::move(b);
        QCOMPARE(c.path(), dir.file("a"));
        test::Bytes all(10);
        QVERIFY(c.read_at(0, all));
        QVERIFY(all == test::counting_bytes(10));
    }

    void reads_ranges_data() {
        QTest::addColumn<quint64>("offset");
        QTest::addColumn<quint64>("bytes");
        QTest::addColumn<QString>("error");
        QTest::newRow("all") << quint64{0} << quint64{1000} << QString();
        QTest::newRow("middle") << quint64{100} << quint64{7} << QString();
        QTest::newRow("last byte") << quint64{999} << quint64{1} << QString();
        QTest::newRow("nothing at the end") << quint64{1000} << quint64{0} << QString();
        QTest::newRow("one too many")
            << quint64{0} << quint64{1001} << "wanted bytes up to 1001, the file ends at byte 1000";
        QTest::newRow("all beyond")
            << quint64{5000} << quint64{2} << "wanted bytes up to 5002, the file ends at byte 1000";
        QTest::newRow("offset no file can have")
            << ~quint64{0} << quint64{2}
            << "wanted bytes up to 18446744073709551615, the file ends at byte 1000";
    }
    void reads_ranges() {
        QFETCH(quint64, offset);
        QFETCH(quint64, bytes);
        QFETCH(QString, error);
        const test::TempDir dir;
        const test::Bytes content = test::counting_bytes(1000);
        QVERIFY(test::write_file(dir.file("a"), content));
        const auto file = InputFile::open(dir.file("a"));
        QVERIFY(file);
        test::Bytes out(bytes);
        const auto read = file->read_at(offset, out);
        if (error.isEmpty()) {
            QVERIFY(read);
            QVERIFY(std::ranges::equal(
                out, std::span(content).subspan(static_cast<std::size_t>(offset), bytes)));
        } else {
            QVERIFY(!read);
            QVERIFY(read.error().code == ErrorCode::ReadFailed);
            QCOMPARE(QString::fromStdString(read.error().message),
                     QString::fromStdString(dir.file("a")) + ": " + error);
        }
    }

    void a_file_cut_short_is_a_read_error() {
        const test::TempDir dir;
        QVERIFY(test::write_file(dir.file("a"), test::counting_bytes(8192)));
        const auto file = InputFile::open(dir.file("a"));
        QVERIFY(file);
        std::filesystem::resize_file(dir.file("a"), 100);
        test::Bytes out(4096);
        const auto read = file->read_at(50, out);
        QVERIFY(!read);
        QVERIFY(read.error().code == ErrorCode::ReadFailed);
        QCOMPARE(read.error().message,
                 dir.file("a") + ": wanted bytes up to 4146, the file ends at byte 100");
    }

    void what_cannot_be_opened_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* test, const char* name, ErrorCode code,
                            const char* message) {
            QTest::newRow(test) << QString(name) << static_cast<int>(code) << QString(message);
        };
        row("missing", "none", ErrorCode::NotFound, "%1: no such file");
        row("below a file", "file/none", ErrorCode::NotFound, "%1: no such file");
        row("folder", "folder", ErrorCode::NotAFile, "%1 is a folder, not a file");
#ifndef _WIN32
        row("pipe", "pipe", ErrorCode::NotAFile, "%1 is a pipe, not a file");
        row("socket", "socket", ErrorCode::NotAFile, "%1 is a socket, not a file");
        row("dangling link", "dangling", ErrorCode::NotFound, "%1: no such file");
        row("link to a folder", "link", ErrorCode::NotAFile, "%1 is a folder, not a file");
#endif
    }
    void what_cannot_be_opened() {
        QFETCH(QString, name);
        QFETCH(int, code);
        QFETCH(QString, message);
        const test::TempDir dir;
        QVERIFY(test::write_file(dir.file("file"), test::counting_bytes(3)));
        std::filesystem::create_directory(dir.file("folder"));
#ifndef _WIN32
        QCOMPARE(mkfifo(dir.file("pipe").c_str(), 0600), 0);
        std::filesystem::create_symlink("nowhere", dir.file("dangling"));
        std::filesystem::create_directory_symlink("folder", dir.file("link"));
        const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const std::string socket_path = dir.file("socket");
        QVERIFY(socket_path.size() < sizeof address.sun_path);
        socket_path.copy(address.sun_path, sizeof address.sun_path - 1);
        QCOMPARE(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
#endif
        const std::string path = dir.file(name.toStdString());
        const auto file = InputFile::open(path);
#ifndef _WIN32
        close(fd);
#endif
        QVERIFY(!file);
        QCOMPARE(static_cast<int>(file.error().code), code);
        QCOMPARE(QString::fromStdString(file.error().message),
                 message.arg(QString::fromStdString(path)));
        QCOMPARE(file.error().path, path);
    }

    void odd_names_are_not_found() {
        QVERIFY(InputFile::open("").error().code == ErrorCode::NotFound);
        QCOMPARE(InputFile::open("").error().message, std::string("no file was named"));
        const test::TempDir dir;
        QVERIFY(test::write_file(dir.file("a"), test::counting_bytes(3)));
        const std::string with_nul = dir.file("a") + std::string(1, '\0') + "b";
        QVERIFY(InputFile::open(with_nul).error().code == ErrorCode::NotFound);
    }

#ifndef _WIN32
    void devices_are_not_files() {
        const auto file = InputFile::open("/dev/zero");
        QVERIFY(!file);
        QCOMPARE(file.error().message, std::string("/dev/zero is a device, not a file"));
    }

    void a_file_without_permission() {
        const test::TempDir dir;
        QVERIFY(test::write_file(dir.file("a"), test::counting_bytes(3)));
        std::filesystem::permissions(dir.file("a"), std::filesystem::perms::none);
        const test::WithoutRoot user;
        QVERIFY(user.done());
        const auto file = InputFile::open(dir.file("a"));
        QVERIFY(!file);
        QVERIFY(file.error().code == ErrorCode::PermissionDenied);
    }
#endif
};

QTEST_APPLESS_MAIN(InputFileTest)
#include "input_file_test.moc"
