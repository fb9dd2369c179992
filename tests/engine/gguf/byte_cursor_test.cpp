#include "gguf/byte_cursor.h"

#include <QtTest>
#include <filesystem>
#include <string>

#include "support/counting_bytes.h"
#include "support/gguf_builder.h"
#include "support/temp_dir.h"

using namespace hearth;

namespace {

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

}  // namespace

class ByteCursorTest : public QObject {
    Q_OBJECT

private slots:
    // Numbers and strings of all lengths, across the borders of pieces, as from memory.
    void a_file_reads_as_memory_does() {
        const test::Bytes content = test::counting_bytes(3 * ByteCursor::kPieceBytes + 5);
        QVERIFY(test::write_file(path_, content));
        const auto file = InputFile::open(path_);
        QVERIFY(file);
        ByteCursor in_file(*file, kNoLimit);
        ByteCursor in_memory(content);
        std::uint64_t length = 0;
        while (true) {
            std::uint64_t a = 0;
            std::uint64_t b = 0;
            const bool more = in_memory.take(a);
            QCOMPARE(in_file.take(b), more);
            QCOMPARE(a, b);
            length = (length * 3 + 1) % 40'001;
            std::string text;
            std::string same;
            const bool whole = in_memory.take_string(length, text);
            QCOMPARE(in_file.take_string(length, same), whole);
            QVERIFY(text == same);
            QCOMPARE(in_file.position(), in_memory.position());
            QCOMPARE(in_file.left(), in_memory.left());
            if (!more) {
                break;
            }
        }
        QVERIFY(in_file.left() < sizeof(std::uint64_t));
        QVERIFY(!in_file.failure());
    }

    void a_string_of_several_pieces() {
        const test::Bytes content = test::counting_bytes(4 * ByteCursor::kPieceBytes);
        QVERIFY(test::write_file(path_, content));
        const auto file = InputFile::open(path_);
        QVERIFY(file);
        ByteCursor cursor(*file, kNoLimit);
        std::uint8_t first = 0;
        QVERIFY(cursor.take(first));
        std::string text;
        QVERIFY(cursor.take_string(content.size() - 1, text));
        QVERIFY(std::equal(text.begin(), text.end(), content.begin() + 1, content.end(),
                           [](char c, std::byte b) { return static_cast<std::byte>(c) == b; }));
        QCOMPARE(cursor.left(), std::uint64_t{0});
    }

    void looks_ahead() {
        const test::Bytes content = test::counting_bytes(ByteCursor::kPieceBytes + 3);
        QVERIFY(test::write_file(path_, content));
        const auto file = InputFile::open(path_);
        QVERIFY(file);
        ByteCursor cursor(*file, kNoLimit);
        QVERIFY(std::ranges::equal(cursor.peek(64), std::span(content).first(64)));
        QCOMPARE(cursor.position(), std::uint64_t{0});
        std::string text;
        QVERIFY(cursor.take_string(ByteCursor::kPieceBytes - 2, text));
        QVERIFY(std::ranges::equal(cursor.peek(64), std::span(content).last(5)));
        QVERIFY(std::ranges::equal(ByteCursor(std::span(content).last(5)).peek(64),
                                   std::span(content).last(5)));
    }

    // Missing bytes are no failure of the file: nothing moves, the caller says what is missing.
    void too_few_bytes() {
        const test::Bytes content = test::counting_bytes(10);
        QVERIFY(test::write_file(path_, content));
        const auto file = InputFile::open(path_);
        QVERIFY(file);
        ByteCursor cursor(*file, kNoLimit);
        std::uint64_t number = 0;
        QVERIFY(cursor.take(number));
        QVERIFY(!cursor.take(number));
        std::string text = "kept";
        QVERIFY(!cursor.take_string(3, text));
        QVERIFY(!cursor.take_string(kNoLimit, text));
        QCOMPARE(text, std::string("kept"));
        QCOMPARE(cursor.position(), std::uint64_t{8});
        QVERIFY(!cursor.failure());
    }

    void a_file_cut_while_it_is_read() {
        QVERIFY(test::write_file(path_, test::counting_bytes(3 * ByteCursor::kPieceBytes)));
        const auto file = InputFile::open(path_);
        QVERIFY(file);
        ByteCursor cursor(*file, kNoLimit);
        std::uint64_t number = 0;
        QVERIFY(cursor.take(number));
        std::filesystem::resize_file(path_, 100);
        std::string text;
        QVERIFY(cursor.take_string(ByteCursor::kPieceBytes - 8, text));  // was read already
        QVERIFY(!cursor.take(number));
        QVERIFY(cursor.failure());
        QVERIFY(cursor.failure()->code == ErrorCode::ReadFailed);
        QCOMPARE(cursor.failure()->message,
                 path_ + ": wanted bytes up to 262144, the file ends at byte 100");
        QVERIFY(!cursor.take(number));
    }

    void no_more_than_may_be_read() {
        QVERIFY(test::write_file(path_, test::counting_bytes(1000)));
        const auto file = InputFile::open(path_);
        QVERIFY(file);
        ByteCursor cursor(*file, 100);
        std::string text;
        QVERIFY(cursor.take_string(96, text));
        QVERIFY(!cursor.failure());
        std::uint64_t number = 0;
        QVERIFY(!cursor.take(number));
        QVERIFY(cursor.failure());
        QVERIFY(cursor.failure()->code == ErrorCode::BadFile);
        QCOMPARE(cursor.failure()->message,
                 std::string("header: is longer than 100 bytes, more than a header can be"));
        ByteCursor other(*file, 100);
        QVERIFY(!other.take_string(500, text));
        QVERIFY(other.failure());
    }

private:
    test::TempDir dir_;
    std::string path_ = dir_.file("file");
};

QTEST_APPLESS_MAIN(ByteCursorTest)
#include "byte_cursor_test.moc"
