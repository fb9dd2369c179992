// The content of a good file. Broken ones are in broken_file_test.
#include "gguf/reader.h"

#include <QtTest>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/gguf_builder.h"
#include "support/temp_dir.h"
#include "support/tensor_data.h"

using namespace hearth;
using test::GgufBuilder;

namespace {

GgufBuilder small() {
    GgufBuilder builder;
    builder.key("general.architecture", "llama")
        .tensor_f32("matrix", {2, 3}, {1, 2, 3, 4, 5, 6})
        .tensor_f16("vector", {5}, {1, 2, 3, 4, 5})
        .tensor("blocks", {4, 64}, DType::Q4_0);
    return builder;
}

template <class T>
T get(const MetadataValue& value) {
    return std::get<T>(value.value);
}

}  // namespace

class ReaderTest : public QObject {
    Q_OBJECT

private slots:
    void both_versions_and_both_magics_data() {
        QTest::addColumn<QString>("magic");
        QTest::addColumn<int>("version");
        for (const char* magic : {"GGUF", "PWRI"}) {
            for (const int version : {2, 3}) {
                QTest::addRow("%s v%d", magic, version) << QString(magic) << version;
            }
        }
    }
    void both_versions_and_both_magics() {
        QFETCH(QString, magic);
        QFETCH(int, version);
        const test::Bytes bytes =
            small().magic(magic.toStdString()).version(static_cast<std::uint32_t>(version)).bytes();
        const auto file = GgufFile::parse(bytes, "p");
        QVERIFY2(file, file ? "" : file.error().message.c_str());
        QCOMPARE(static_cast<int>(file->version()), version);
        QVERIFY(file->container() == (magic == "PWRI" ? Container::Pwri : Container::Gguf));
        QCOMPARE(quint64{file->alignment()}, quint64{32});
        QCOMPARE(quint64{file->file_bytes()}, quint64{bytes.size()});
        QVERIFY(file->path() == "p");
        QCOMPARE(file->tensors().entries().size(), std::size_t{3});
    }

    void every_metadata_type() {
        GgufBuilder builder;
        builder.key("u8", std::uint8_t{255})
            .key("i8", std::int8_t{-128})
            .key("u16", std::uint16_t{65535})
            .key("i16", std::int16_t{-32768})
            .key("u32", std::uint32_t{4294967295U})
            .key("i32", std::numeric_limits<std::int32_t>::min())
            .key("u64", ~std::uint64_t{0})
            .key("i64", std::numeric_limits<std::int64_t>::min())
            .key("f32", 0.1F)
            .key("f64", 0.1)
            .key("true", true)
            .key("false", false)
            .key("string", std::string("a\0b\xFF", 4))
            .key("empty", "");
        const test::Bytes bytes = builder.bytes();
        const auto file = GgufFile::parse(bytes, "p");
        QVERIFY(file);
        const Metadata& m = file->metadata();
        QCOMPARE(m.entries().size(), std::size_t{14});
        const auto unsigned_is = [&](const char* key, MetadataType type, std::uint64_t wanted) {
            return m.find(key)->type == type && get<std::uint64_t>(*m.find(key)) == wanted;
        };
        const auto signed_is = [&](const char* key, MetadataType type, std::int64_t wanted) {
            return m.find(key)->type == type && get<std::int64_t>(*m.find(key)) == wanted;
        };
        QVERIFY(unsigned_is("u8", MetadataType::U8, 255));
        QVERIFY(signed_is("i8", MetadataType::I8, -128));
        QVERIFY(unsigned_is("u16", MetadataType::U16, 65535));
        QVERIFY(signed_is("i16", MetadataType::I16, -32768));
        QVERIFY(unsigned_is("u32", MetadataType::U32, 4294967295U));
        QVERIFY(signed_is("i32", MetadataType::I32, std::numeric_limits<std::int32_t>::min()));
        QVERIFY(unsigned_is("u64", MetadataType::U64, ~std::uint64_t{0}));
        QVERIFY(signed_is("i64", MetadataType::I64, std::numeric_limits<std::int64_t>::min()));
        QCOMPARE(get<double>(*m.find("f32")), static_cast<double>(0.1F));
        QCOMPARE(get<double>(*m.find("f64")), 0.1);
        QVERIFY(get<bool>(*m.find("true")));
        QVERIFY(!get<bool>(*m.find("false")));
        QVERIFY(get<std::string>(*m.find("string")) == std::string("a\0b\xFF", 4));
        QVERIFY(get<std::string>(*m.find("empty")).empty());
    }

    void arrays_of_every_type() {
        GgufBuilder builder;
        builder.array<std::uint8_t>("u8", {0, 255})
            .array<std::int8_t>("i8", {-1, 127})
            .array<std::uint16_t>("u16", {65535})
            .array<std::int16_t>("i16", {-2})
            .array<std::uint32_t>("u32", {4294967295U})
            .array<std::int32_t>("i32", {-3, 4})
            .array<std::uint64_t>("u64", {~std::uint64_t{0}})
            .array<std::int64_t>("i64", {-5})
            .array<float>("f32", {0.5F})
            .array<double>("f64", {0.25})
            .array<bool>("bool", {true, false, true})
            .array("strings", {"", "one", "two"})
            .array<float>("none", {});
        const test::Bytes bytes = builder.bytes();
        const auto file = GgufFile::parse(bytes, "p");
        QVERIFY(file);
        const Metadata& m = file->metadata();
        using U = std::vector<std::uint64_t>;
        using I = std::vector<std::int64_t>;
        const auto at = [&](const char* key, MetadataType element) -> const MetadataArray& {
            return **m.array(key, element);
        };
        QCOMPARE(at("u8", MetadataType::U8).unsigned_values, (U{0, 255}));
        QCOMPARE(at("i8", MetadataType::I8).signed_values, (I{-1, 127}));
        QCOMPARE(at("u16", MetadataType::U16).unsigned_values, (U{65535}));
        QCOMPARE(at("i16", MetadataType::I16).signed_values, (I{-2}));
        QCOMPARE(at("u32", MetadataType::U32).unsigned_values, (U{4294967295U}));
        QCOMPARE(at("i32", MetadataType::I32).signed_values, (I{-3, 4}));
        QCOMPARE(at("u64", MetadataType::U64).unsigned_values, (U{~std::uint64_t{0}}));
        QCOMPARE(at("i64", MetadataType::I64).signed_values, (I{-5}));
        QCOMPARE(at("f32", MetadataType::F32).floating, (std::vector<double>{0.5}));
        QCOMPARE(at("f64", MetadataType::F64).floating, (std::vector<double>{0.25}));
        QCOMPARE(at("bool", MetadataType::Bool).unsigned_values, (U{1, 0, 1}));
        QCOMPARE(at("strings", MetadataType::String).strings,
                 (std::vector<std::string>{"", "one", "two"}));
        QCOMPARE(at("none", MetadataType::F32).size(), std::uint64_t{0});
    }

    void arrays_of_arrays() {
        test::Bytes value;
        test::append(value, GgufBuilder::array_number());
        test::append(value, std::uint64_t{2});
        for (const auto& inner : {std::vector<std::int32_t>{1, 2}, std::vector<std::int32_t>{3}}) {
            const test::Bytes bytes = GgufBuilder::array_value(inner);
            value.insert(value.end(), bytes.begin(), bytes.end());
        }
        const test::Bytes bytes =
            GgufBuilder().raw_key("k", GgufBuilder::array_number(), value).key("z", true).bytes();
        const auto file = GgufFile::parse(bytes, "p");
        QVERIFY(file);
        const auto array = file->metadata().array("k", MetadataType::Array);
        QVERIFY(array);
        QCOMPARE((*array)->nested.size(), std::size_t{2});
        QCOMPARE((*array)->nested[0].signed_values, (std::vector<std::int64_t>{1, 2}));
        QCOMPARE((*array)->nested[1].signed_values, (std::vector<std::int64_t>{3}));
        QVERIFY(*file->metadata().boolean("z"));
    }

    void tensors_with_shapes_outermost_first() {
        const test::Bytes bytes = small().bytes();
        const std::uint64_t data_start = small().header().size();
        const auto file = GgufFile::parse(bytes, "p");
        QVERIFY(file);
        const TensorInfo* matrix = file->tensors().find("matrix");
        QVERIFY(matrix != nullptr);
        QCOMPARE(matrix->shape, (std::vector<std::uint64_t>{2, 3}));
        QCOMPARE(matrix->rows(), std::uint64_t{2});
        QCOMPARE(matrix->cols(), std::uint64_t{3});
        QVERIFY(matrix->type == DType::F32);
        QCOMPARE(matrix->offset, data_start);
        QCOMPARE(matrix->bytes, std::uint64_t{24});
        const auto data = file->data(*matrix);
        float last = 0;
        std::memcpy(&last, data.data() + 20, 4);
        QCOMPARE(last, 6.0F);
        const TensorInfo* vector = file->tensors().find("vector");
        QCOMPARE(vector->offset, data_start + 32);
        QCOMPARE(vector->rows(), std::uint64_t{1});
        QCOMPARE(vector->bytes, std::uint64_t{10});
        const TensorInfo* blocks = file->tensors().find("blocks");
        QCOMPARE(blocks->offset, data_start + 64);
        QCOMPARE(blocks->bytes, std::uint64_t{4 * 2 * 18});
        QCOMPARE(blocks->values(), std::uint64_t{256});
        QVERIFY(file->tensors().find("none") == nullptr);
    }

    void four_dimensions_and_none_of_zero() {
        GgufBuilder builder;
        builder.tensor("four", {2, 3, 4, 5}, DType::F32)
            .tensor("zero", {0, 32}, DType::Q8_0)
            .tensor("zero cols", {7, 0}, DType::Q8_0)
            .tensor("after", {1}, DType::F32);
        const test::Bytes bytes = builder.bytes();
        const auto file = GgufFile::parse(bytes, "p");
        QVERIFY2(file, file ? "" : file.error().message.c_str());
        QCOMPARE(file->tensors().find("four")->rows(), std::uint64_t{24});
        QCOMPARE(file->tensors().find("zero")->bytes, std::uint64_t{0});
        QVERIFY(file->data(*file->tensors().find("zero")).empty());
        QCOMPARE(file->tensors().find("zero cols")->bytes, std::uint64_t{0});
        QCOMPARE(file->data(*file->tensors().find("after")).size(), std::size_t{4});
    }

    void alignment_moves_the_data_data() {
        QTest::addColumn<int>("alignment");
        for (const int alignment : {8, 16, 64, 4096, 65536}) {
            QTest::addRow("%d", alignment) << alignment;
        }
    }
    void alignment_moves_the_data() {
        QFETCH(int, alignment);
        GgufBuilder builder;
        builder.alignment(static_cast<std::uint32_t>(alignment))
            .tensor_f32("a", {1}, {1})
            .tensor_f32("b", {1}, {2});
        const test::Bytes bytes = builder.bytes();
        const auto file = GgufFile::parse(bytes, "p");
        QVERIFY2(file, file ? "" : file.error().message.c_str());
        QCOMPARE(static_cast<int>(file->alignment()), alignment);
        const TensorInfo* b = file->tensors().find("b");
        QCOMPARE(b->offset % static_cast<std::uint64_t>(alignment), std::uint64_t{0});
        float value = 0;
        std::memcpy(&value, file->data(*b).data(), 4);
        QCOMPARE(value, 2.0F);
    }

    void tensors_in_any_order_and_with_gaps() {
        test::Bytes bytes = GgufBuilder()
                                .tensor_f32("late", {1}, {1})
                                .with_offset(64)
                                .tensor_f32("early", {1}, {2})
                                .with_offset(0)
                                .header();
        bytes.resize(bytes.size() + 68);
        const auto file = GgufFile::parse(bytes, "p");
        QVERIFY2(file, file ? "" : file.error().message.c_str());
        QCOMPARE(file->tensors().entries()[0].offset - file->tensors().entries()[1].offset,
                 std::uint64_t{64});
    }

    void a_vocabulary_without_tensors() {
        const test::Bytes bytes = GgufBuilder().array("tokenizer.ggml.tokens", {"a", "b"}).bytes();
        const auto file = GgufFile::parse(bytes, "p");
        QVERIFY(file);
        QVERIFY(file->tensors().entries().empty());
        const test::Bytes nothing = GgufBuilder().bytes();
        QCOMPARE(nothing.size(), std::size_t{24});
        QVERIFY(GgufFile::parse(nothing, "p"));
    }

    void opens_from_disk_and_moves() {
        const test::TempDir dir;
        QVERIFY(small().write(dir.file("m.gguf")));
        auto opened = GgufFile::open(dir.file("m.gguf"));
        QVERIFY(opened);
        const GgufFile file = *std::move(opened);
        const auto parsed_bytes = small().bytes();
        const auto parsed = GgufFile::parse(parsed_bytes, "p");
        for (const TensorInfo& tensor : file.tensors().entries()) {
            QVERIFY(std::ranges::equal(test::tensor_data(file, tensor.name),
                                       parsed->data(*parsed->tensors().find(tensor.name))));
        }
        QCOMPARE(file.file_bytes(), std::uint64_t{parsed_bytes.size()});
        QCOMPARE(parsed->file_bytes(), std::uint64_t{parsed_bytes.size()});
    }

    // A header of many pieces, as a large vocabulary's is.
    void a_long_header_from_disk() {
        std::vector<std::string> words;
        for (int i = 0; i < 60'000; ++i) {
            words.push_back("word " + std::to_string(i));
        }
        const GgufBuilder builder = small().array("tokenizer.ggml.tokens", words);
        const test::TempDir dir;
        QVERIFY(builder.write(dir.file("m.gguf")));
        const auto file = GgufFile::open(dir.file("m.gguf"));
        QVERIFY2(file, file ? "" : file.error().message.c_str());
        const auto tokens = file->metadata().array("tokenizer.ggml.tokens", MetadataType::String);
        QVERIFY(tokens);
        QVERIFY((*tokens)->strings == words);
        QCOMPARE(file->tensors().entries().size(),
                 GgufFile::parse(small().bytes(), "p")->tensors().entries().size());
    }

    // Zeros that take no disk are there, so no claim is a lie: the header itself has a bound.
    void a_header_without_end() {
        const test::TempDir dir;
        test::Bytes length;
        test::append(length, std::uint64_t{1} << 31);
        QVERIFY(GgufBuilder().raw_key("k", 8, length).write(dir.file("m.gguf")));
        std::filesystem::resize_file(dir.file("m.gguf"), std::uintmax_t{1} << 32);
        const auto file = GgufFile::open(dir.file("m.gguf"));
        QVERIFY(!file);
        QCOMPARE(file.error().message, std::string("header: is longer than 268435456 bytes, more "
                                                   "than a header can be"));
        QCOMPARE(file.error().path, dir.file("m.gguf"));
    }

    void what_is_no_file() {
        const test::TempDir dir;
        QVERIFY(GgufFile::open(dir.file("none")).error().code == ErrorCode::NotFound);
        const auto folder = GgufFile::open(dir.path());
        QVERIFY(folder.error().code == ErrorCode::NotAFile);
        QCOMPARE(QString::fromStdString(folder.error().message),
                 QString::fromStdString(dir.path()) + " is a folder, not a file");
    }
};

QTEST_APPLESS_MAIN(ReaderTest)
#include "reader_test.moc"
