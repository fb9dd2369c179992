// A broken file gets its exact sentence, and never a crash. No honest byte count of a file is
// trusted before it was compared with the file.
#include <QtTest>
#include <cstring>
#include <functional>
#include <string>

#include "gguf/header_parser.h"
#include "gguf/reader.h"
#include "support/gguf_builder.h"

using namespace hearth;
using test::Bytes;
using test::GgufBuilder;

namespace {

Bytes text(std::string_view characters) {
    Bytes bytes;
    test::append(bytes, characters);
    return bytes;
}

Bytes header(std::uint64_t tensors, std::uint64_t keys, const Bytes& rest = {}) {
    Bytes bytes = GgufBuilder().claim_tensors(tensors).claim_keys(keys).bytes();
    bytes.insert(bytes.end(), rest.begin(), rest.end());
    return bytes;
}

Bytes cut(Bytes bytes, std::size_t by) {
    bytes.resize(bytes.size() - by);
    return bytes;
}

// A string that claims `length` bytes and has none.
Bytes claimed_length(std::uint64_t length) {
    Bytes bytes;
    test::append(bytes, length);
    return bytes;
}

Bytes array_claim(std::uint32_t element, std::uint64_t count, const Bytes& items = {}) {
    Bytes bytes;
    test::append(bytes, element);
    test::append(bytes, count);
    test::append(bytes,
                 std::string_view(reinterpret_cast<const char*>(items.data()), items.size()));
    return bytes;
}

Bytes nested(int depth) {
    Bytes inner = GgufBuilder::array_value(std::vector<std::uint8_t>{1});
    for (int i = 1; i < depth; ++i) {
        inner = array_claim(GgufBuilder::array_number(), 1, inner);
    }
    return inner;
}

GgufBuilder one_tensor() {
    GgufBuilder builder;
    builder.key("general.architecture", "llama")
        .tensor_f32("blk.3.ffn_up.weight", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
    return builder;
}

constexpr std::uint32_t kArray = 9;
constexpr std::uint32_t kString = 8;
constexpr std::uint64_t kAll = ~std::uint64_t{0};

}  // namespace

class BrokenFileTest : public QObject {
    Q_OBJECT

private slots:
    void refused_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("message");
        QTest::addColumn<QString>("field");
        QTest::addColumn<int>("code");
        const auto add = [](const char* name, const Bytes& bytes, const QString& message,
                            const char* field, ErrorCode code = ErrorCode::BadFile) {
            QTest::newRow(name) << QByteArray(reinterpret_cast<const char*>(bytes.data()),
                                              static_cast<qsizetype>(bytes.size()))
                                << message << QString(field) << static_cast<int>(code);
        };

        // Not a GGUF file at all.
        add("empty", {}, "m.gguf is empty, not a GGUF model file", "");
        add("one byte", text("G"), "m.gguf is not a GGUF model file (it starts with 47)", "");
        add("three bytes", text("GGU"), "m.gguf is not a GGUF model file (it starts with 47 47 55)",
            "");
        add("zeros", Bytes(1 << 20), "m.gguf is not a GGUF model file (it starts with 00 00 00 00)",
            "");
        add("lower case", text("gguf and so on and so on and on"),
            "m.gguf is not a GGUF model file (it starts with 67 67 75 66)", "");
        add("reversed", text("FUGG and so on and so on and on"),
            "m.gguf is not a GGUF model file (it starts with 46 55 47 47)", "");
        add("zip", text("PK\x03\x04 and the rest of it"),
            "m.gguf is not a GGUF model file (it starts with 50 4B 03 04, like a ZIP archive)", "");
        add("web page", text("<!DOCTYPE html><html>"),
            "m.gguf is not a GGUF model file (it starts with 3C 21 44 4F, like a web page)", "");
        add("git lfs", text("version https://git-lfs.github.com/spec/v1\n"),
            "m.gguf is not a GGUF model file (it starts with 76 65 72 73, like a Git LFS pointer, "
            "not the file itself)",
            "");
        add("safetensors", text(std::string_view("\x10\0\0\0\0\0\0\0{\"a\":{}}", 16)),
            "m.gguf is not a GGUF model file (it starts with 10 00 00 00, like a safetensors file)",
            "");

        // The fixed header.
        add("magic alone", text("GGUF"), "header: needs 24 bytes, file has 4", "header");
        add("header cut", cut(GgufBuilder().bytes(), 1), "header: needs 24 bytes, file has 23",
            "header");
        add("version 0", GgufBuilder().version(0).bytes(),
            "header: GGUF version 0; versions 2 and 3 can be read", "header",
            ErrorCode::Unsupported);
        add("version 1", GgufBuilder().version(1).bytes(),
            "header: GGUF version 1; versions 2 and 3 can be read", "header",
            ErrorCode::Unsupported);
        add("version 4", GgufBuilder().version(4).bytes(),
            "header: GGUF version 4; versions 2 and 3 can be read", "header",
            ErrorCode::Unsupported);
        add("big-endian", GgufBuilder().version(0x03000000).bytes(),
            "header: the file is big-endian; only little-endian files can be read", "header",
            ErrorCode::Unsupported);
        add("big-endian PWRI", GgufBuilder().magic("PWRI").version(0x02000000).bytes(),
            "header: the file is big-endian; only little-endian files can be read", "header",
            ErrorCode::Unsupported);

        // Counts.
        add("one key too many", header(0, 1),
            "header: claims 1 metadata keys, file has 0 bytes left", "header");
        add("keys beyond the file", header(0, 4, Bytes(55)),
            "header: claims 4 metadata keys, file has 55 bytes left", "header");
        add("keys beyond all bounds", header(0, kAll),
            "header: claims 18446744073709551615 metadata keys, more than 65536 cannot be",
            "header");
        add("one tensor too many", header(1, 0), "header: claims 1 tensors, file has 0 bytes left",
            "header");
        add("tensors beyond the file", header(3, 0, Bytes(98)),
            "header: claims 3 tensors, file has 98 bytes left", "header");
        add("tensors beyond all bounds", header(kAll, 0),
            "header: claims 18446744073709551615 tensors, more than 1048576 cannot be", "header");

        // Names of keys.
        add("nameless key", header(0, 1, Bytes(40)),
            "metadata key 1 of 1: its name is 0 bytes long; 1 to 65535 can be",
            "metadata key 1 of 1");
        add("key name too long",
            header(0, 1,
                   [] {
                       Bytes b = claimed_length(65536);
                       b.resize(80);
                       return b;
                   }()),
            "metadata key 1 of 1: its name is 65536 bytes long; 1 to 65535 can be",
            "metadata key 1 of 1");
        add("key name beyond the file",
            header(0, 1,
                   [] {
                       Bytes b = claimed_length(100);
                       b.resize(40);
                       return b;
                   }()),
            "metadata key 1 of 1: its name is 100 bytes long, file has 32 left",
            "metadata key 1 of 1");
        add("key name length cut",
            GgufBuilder().key("a", std::string(30, 'x')).claim_keys(2).bytes(),
            "metadata key 2 of 2: the file ends inside its name, at byte 75",
            "metadata key 2 of 2");
        add("key appears twice",
            GgufBuilder().key("a", true).key("b", true).key("a", false).bytes(),
            "a: this metadata key appears twice", "a");
        add("key with control bytes", GgufBuilder().raw_key("a\x1B[2J\xFF", 13, Bytes(4)).bytes(),
            "a\\x1B[2J\\xFF: metadata type 13 is not known", "a\\x1B[2J\\xFF");

        // Values.
        add("type cut", cut(GgufBuilder().raw_key("abcd", 0, Bytes(1)).bytes(), 2),
            "abcd: the file ends inside its type, at byte 39", "abcd");
        add("type unknown", GgufBuilder().raw_key("k", 13, Bytes(8)).bytes(),
            "k: metadata type 13 is not known", "k");
        add("type far off", GgufBuilder().raw_key("k", 0xFFFFFFFFU, Bytes(8)).bytes(),
            "k: metadata type 4294967295 is not known", "k");
        add("number cut", cut(GgufBuilder().key("k", std::uint64_t{1}).bytes(), 1),
            "k: the file ends inside its value, at byte 44", "k");
        add("bool of 2", GgufBuilder().raw_key("k", 7, Bytes(1, std::byte{2})).bytes(),
            "k: a bool is 0 or 1, found 2", "k");
        add("string length cut", cut(GgufBuilder().key("k", "").bytes(), 1),
            "k: the file ends inside its value, at byte 44", "k");
        add("string beyond the file", cut(GgufBuilder().key("k", "hello").bytes(), 1),
            "k: claims a string of 5 bytes, file has 4 left", "k");
        add("string of 2^64 - 1", GgufBuilder().raw_key("k", kString, claimed_length(kAll)).bytes(),
            "k: claims a string of 18446744073709551615 bytes, file has 0 left", "k");

        // Arrays.
        add("array type unknown",
            GgufBuilder().raw_key("k", kArray, array_claim(77, 1, Bytes(9))).bytes(),
            "k: metadata type 77 is not known", "k");
        add("array head cut", cut(GgufBuilder().raw_key("k", kArray, array_claim(0, 0)).bytes(), 1),
            "k: the file ends inside its value, at byte 48", "k");
        add("array beyond the file",
            GgufBuilder().raw_key("k", kArray, array_claim(4, 3, Bytes(11))).bytes(),
            "k: claims 3 items of type u32, file has 11 bytes left", "k");
        add("array of 2^64 - 1 bytes",
            GgufBuilder().raw_key("k", kArray, array_claim(0, kAll, Bytes(9))).bytes(),
            "k: claims 18446744073709551615 items of type u8, file has 9 bytes left", "k");
        add("array size wraps",
            GgufBuilder().raw_key("k", kArray, array_claim(10, (kAll >> 3) + 1, Bytes(9))).bytes(),
            "k: claims 2305843009213693952 items of type u64, file has 9 bytes left", "k");
        add("strings beyond the file",
            GgufBuilder().raw_key("k", kArray, array_claim(8, 3, Bytes(23))).bytes(),
            "k: claims 3 items of type str, file has 23 bytes left", "k");
        add("string in an array cut",
            GgufBuilder()
                .raw_key("k", kArray,
                         array_claim(8, 2,
                                     [] {
                                         Bytes b;
                                         test::append_gguf_string(b, "x");
                                         test::append(b, std::uint64_t{9});
                                         return b;
                                     }()))
                .bytes(),
            "k: claims a string of 9 bytes, file has 0 left", "k");
        add("bool of 3 in an array",
            GgufBuilder().raw_key("k", kArray, array_claim(7, 2, Bytes(2, std::byte{3}))).bytes(),
            "k: a bool is 0 or 1, found 3", "k");
        add("arrays nested too deep", GgufBuilder().raw_key("k", kArray, nested(5)).bytes(),
            "k: arrays are nested deeper than 4", "k");
        add("inner array beyond the file",
            GgufBuilder()
                .raw_key("k", kArray, array_claim(9, 1, array_claim(6, 5, Bytes(19))))
                .bytes(),
            "k: claims 5 items of type f32, file has 19 bytes left", "k");
        add("too many items",
            GgufBuilder()
                .raw_key("k", kArray, array_claim(0, kMaxArrayItems + 1, Bytes(kMaxArrayItems + 1)))
                .bytes(),
            "k: arrays hold more than 8388608 items together", "k");
        add("too many items of two arrays",
            GgufBuilder()
                .raw_key("j", kArray, array_claim(0, kMaxArrayItems, Bytes(kMaxArrayItems)))
                .raw_key("k", kArray, array_claim(0, 1, Bytes(1)))
                .bytes(),
            "k: arrays hold more than 8388608 items together", "k");

        // Alignment.
        const QString range = "general.alignment: wanted a number from 8 to 1048576, found ";
        add("alignment 0", GgufBuilder().key("general.alignment", 0U).bytes(), range + "0",
            "general.alignment");
        add("alignment 4", GgufBuilder().key("general.alignment", 4U).bytes(), range + "4",
            "general.alignment");
        add("alignment 2^21", GgufBuilder().key("general.alignment", 1U << 21).bytes(),
            range + "2097152", "general.alignment");
        add("alignment 2^64 - 1", GgufBuilder().key("general.alignment", kAll).bytes(),
            range + "18446744073709551615", "general.alignment");
        add("alignment 48", GgufBuilder().key("general.alignment", 48U).bytes(),
            "general.alignment: 48 is no power of two", "general.alignment");
        add("alignment as text", GgufBuilder().key("general.alignment", "32").bytes(),
            "general.alignment: wanted an integer, found str", "general.alignment");

        // Tensor infos.
        const char* up = "blk.3.ffn_up.weight";
        const QString up_text = QString(up) + ": ";
        add("nameless tensor", GgufBuilder().tensor_f32("", {8}, {1, 2, 3, 4, 5, 6, 7, 8}).bytes(),
            "tensor 1 of 1: its name is 0 bytes long; 1 to 65535 can be", "tensor 1 of 1");
        add("tensor name beyond the file",
            header(1, 0,
                   [] {
                       Bytes b = claimed_length(200);
                       b.resize(60);
                       return b;
                   }()),
            "tensor 1 of 1: its name is 200 bytes long, file has 52 left", "tensor 1 of 1");
        add("no dimensions", one_tensor().with_rank(0).bytes(),
            up_text + "has 0 dimensions; 1 to 4 can be", up);
        add("five dimensions", one_tensor().with_rank(5).bytes(),
            up_text + "has 5 dimensions; 1 to 4 can be", up);
        add("dimensions beyond all bounds", one_tensor().with_rank(0xFFFFFFFFU).bytes(),
            up_text + "has 4294967295 dimensions; 1 to 4 can be", up);
        add("shape cut",
            header(1, 0,
                   [] {
                       Bytes b;
                       test::append_gguf_string(b, "t");
                       test::append(b, std::uint32_t{4});
                       b.resize(40);
                       return b;
                   }()),
            "t: the file ends inside its shape, at byte 64", "t");
        add("offset cut",
            header(1, 0,
                   [] {
                       Bytes b;
                       test::append_gguf_string(b, "t");
                       test::append(b, std::uint32_t{1});
                       b.resize(32);
                       return b;
                   }()),
            "header: claims 1 tensors, file has 32 bytes left", "header");
        add("type and offset cut",
            header(1, 0,
                   [] {
                       Bytes b;
                       test::append_gguf_string(b, "ttt");
                       test::append(b, std::uint32_t{1});
                       b.resize(34);
                       return b;
                   }()),
            "ttt: the file ends inside its type and offset, at byte 58", "ttt");
        add("tensor type unknown", one_tensor().with_type(99).bytes(),
            up_text + "tensor type 99 is no type of GGUF but a fork's own", up,
            ErrorCode::Unsupported);
        add("tensor type withdrawn", one_tensor().with_type(4).bytes(),
            up_text + "is of type Q4_2, which the format no longer has", up,
            ErrorCode::Unsupported);
        add("tensor type of other tools", one_tensor().with_type(40).bytes(),
            up_text + "is of type NVFP4, which this version cannot compute with", up,
            ErrorCode::Unsupported);
        add("tensor type of nobody", one_tensor().with_type(77).bytes(),
            up_text + "tensor type 77 is not known", up, ErrorCode::Unsupported);
        add("small rows no whole blocks",
            GgufBuilder().tensor("t", {2, 576}, DType::IQ3_S, Bytes(990)).bytes(),
            "t: its rows of 576 values are no whole number of IQ3_S blocks (256 values)", "t");
        add("rows no whole blocks",
            GgufBuilder().tensor("t", {2, 33}, DType::Q4_0, Bytes(64)).bytes(),
            "t: its rows of 33 values are no whole number of Q4_0 blocks (32 values)", "t");
        add("K rows no whole blocks",
            GgufBuilder().tensor("t", {2, 128}, DType::Q6_K, Bytes(420)).bytes(),
            "t: its rows of 128 values are no whole number of Q6_K blocks (256 values)", "t");
        add("values wrap",
            GgufBuilder().tensor("t", {1ULL << 32, 1ULL << 32}, DType::F32, Bytes(32)).bytes(),
            "t: its shape [4294967296, 4294967296] has too many values", "t");
        add("values wrap to few",
            GgufBuilder().tensor("t", {1ULL << 63, 2, 1, 4}, DType::F32, Bytes(32)).bytes(),
            "t: its shape [9223372036854775808, 2, 1, 4] has too many values", "t");
        add("values wrap beside a zero",
            GgufBuilder().tensor("t", {1ULL << 63, 0, 1ULL << 63}, DType::F32, Bytes(32)).bytes(),
            "t: its shape [9223372036854775808, 0, 9223372036854775808] has too many values", "t");
        add("bytes wrap", GgufBuilder().tensor("t", {1ULL << 62}, DType::F32, Bytes(32)).bytes(),
            "t: its shape [4611686018427387904] has too many values", "t");
        add("tensor appears twice",
            GgufBuilder().tensor_f32("t", {1}, {1}).tensor_f32("t", {1}, {1}).bytes(),
            "t: this tensor appears twice", "t");

        // The place of the data: it begins at byte 128 of one_tensor().
        add("data cut", cut(one_tensor().bytes(), 1), up_text + "ends at byte 160, file has 159",
            up);
        add("data missing", one_tensor().header(), up_text + "ends at byte 160, file has 128", up);
        add("header cut at its end", cut(one_tensor().header(), 3),
            up_text + "the file ends inside its type and offset, at byte 125", up);
        add("offset beyond the file", one_tensor().with_offset(1024).bytes(),
            up_text + "ends at byte 1184, file has 160", up);
        add("offset not aligned", one_tensor().with_offset(8).bytes(),
            up_text + "its offset 8 is no multiple of the alignment 32", up);
        add("offset wraps", one_tensor().with_offset(kAll - 31).bytes(),
            up_text + "starts at byte 18446744073709551584 of the data, file has 160", up);
        add("offset wraps when bytes are added",
            one_tensor().with_offset((kAll >> 1) - 31 - 128).bytes(),
            up_text + "starts at byte 9223372036854775648 of the data, file has 160", up);
        add("same place twice",
            GgufBuilder()
                .tensor_f32("a", {1}, {1})
                .tensor_f32("b", {1}, {1})
                .with_offset(0)
                .bytes(),
            "b: starts at byte 96, before a ends at 100", "b");
        add("one inside another",
            GgufBuilder()
                .tensor("a", {64}, DType::F32)
                .tensor_f32("b", {1}, {1})
                .with_offset(64)
                .bytes(),
            "b: starts at byte 160, before a ends at 352", "b");
    }
    void refused() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, message);
        QFETCH(QString, field);
        QFETCH(int, code);
        const auto file = GgufFile::parse(
            std::as_bytes(std::span(bytes.constData(), static_cast<std::size_t>(bytes.size()))),
            "m.gguf");
        QVERIFY(!file);
        QCOMPARE(QString::fromStdString(file.error().message), message);
        QCOMPARE(QString::fromStdString(file.error().field), field);
        QCOMPARE(static_cast<int>(file.error().code), code);
        QCOMPARE(QString::fromStdString(file.error().path), QString("m.gguf"));
    }

    void the_deepest_nesting_that_is_read() {
        const Bytes bytes = GgufBuilder().raw_key("k", kArray, nested(4)).bytes();
        QVERIFY(GgufFile::parse(bytes, "p"));
    }

    // Every prefix of a good file is refused, or holds all there is.
    void every_truncation() {
        GgufBuilder builder = one_tensor();
        builder.array("tokens", {"a", "bb", ""})
            .array<float>("scores", {1, 2, 3})
            .raw_key("deep", kArray, nested(3))
            .tensor("q", {1, 32}, DType::Q8_0);
        const Bytes whole = builder.bytes();
        QVERIFY(GgufFile::parse(whole, "p"));
        for (std::size_t length = 0; length < whole.size(); ++length) {
            // A buffer of its own, so that a read past the end is seen by AddressSanitizer.
            const Bytes prefix(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
            const auto file = GgufFile::parse(prefix, "p");
            QVERIFY2(!file, qPrintable(QString("accepted %1 bytes").arg(length)));
            QVERIFY(!file.error().message.empty());
        }
    }

    // Any one byte changed to anything: whatever is accepted lies inside the file.
    void every_byte_changed() {
        GgufBuilder builder = one_tensor();
        builder.array("tokens", {"a", "bb", ""}).tensor("q", {1, 32}, DType::Q8_0);
        const Bytes whole = builder.bytes();
        int accepted = 0;
        int refused = 0;
        for (std::size_t at = 0; at < builder.header().size(); ++at) {
            for (int value = 0; value < 256; ++value) {
                Bytes bytes = whole;
                bytes[at] = static_cast<std::byte>(value);
                const auto file = GgufFile::parse(bytes, "p");
                if (!file) {
                    ++refused;
                    continue;
                }
                ++accepted;
                for (const TensorInfo& tensor : file->tensors().entries()) {
                    QVERIFY(tensor.bytes <= bytes.size());
                    QVERIFY(tensor.offset <= bytes.size() - tensor.bytes || tensor.bytes == 0);
                    QCOMPARE(file->data(tensor).size(), static_cast<std::size_t>(tensor.bytes));
                }
            }
        }
        // Both happen, or the loop above says nothing.
        QVERIFY(accepted > 1000);
        QVERIFY(refused > 1000);
    }

    // Noise with a good start.
    void noise() {
        std::uint64_t state = 0x9E3779B97F4A7C15U;
        const auto next = [&state] {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            return state;
        };
        for (int round = 0; round < 20'000; ++round) {
            Bytes bytes = GgufBuilder().claim_keys(next() % 3).claim_tensors(next() % 3).bytes();
            const std::size_t extra = next() % 200;
            for (std::size_t i = 0; i < extra; ++i) {
                // Mostly small numbers, as lengths and types are.
                const std::uint64_t r = next();
                bytes.push_back(static_cast<std::byte>(r % 4 == 0 ? (r >> 8) % 14 : 0));
            }
            const auto file = GgufFile::parse(bytes, "p");
            if (file) {
                for (const TensorInfo& tensor : file->tensors().entries()) {
                    QCOMPARE(file->data(tensor).size(), static_cast<std::size_t>(tensor.bytes));
                }
            }
        }
    }
};

QTEST_APPLESS_MAIN(BrokenFileTest)
#include "broken_file_test.moc"
