#include "gguf/writer.h"

#include <QtTest>
#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>

#include "gguf/reader.h"
#include "support/gguf_builder.h"
#include "support/temp_dir.h"
#include "support/tensor_data.h"

using namespace hearth;
using test::GgufBuilder;

namespace {

TensorInfo info(std::string name, std::vector<std::uint64_t> shape, DType type) {
    TensorInfo tensor;
    tensor.name = std::move(name);
    tensor.shape = std::move(shape);
    tensor.type = type;
    return tensor;
}

test::Bytes pattern(std::size_t count) {
    test::Bytes bytes(count);
    for (std::size_t i = 0; i < count; ++i) {
        bytes[i] = static_cast<std::byte>(i * 13 + 1);
    }
    return bytes;
}

// Every type, nested arrays too.
GgufBuilder rich() {
    GgufBuilder builder;
    test::Bytes nested;
    test::append(nested, GgufBuilder::array_number());
    test::append(nested, std::uint64_t{1});
    const test::Bytes inner = GgufBuilder::array_value(std::vector<std::int16_t>{-1, 2});
    nested.insert(nested.end(), inner.begin(), inner.end());
    builder.key("general.architecture", "llama")
        .key("u8", std::uint8_t{255})
        .key("i8", std::int8_t{-128})
        .key("u16", std::uint16_t{65535})
        .key("i16", std::int16_t{-32768})
        .key("u32", std::uint32_t{4294967295U})
        .key("i32", std::numeric_limits<std::int32_t>::min())
        .key("u64", ~std::uint64_t{0})
        .key("i64", std::numeric_limits<std::int64_t>::min())
        .key("f32", 0.1F)
        .key("f64", 0.1)
        .key("bool", true)
        .key("text", std::string("a\0b\xFF", 4))
        .array<std::uint8_t>("a.u8", {0, 255})
        .array<std::int8_t>("a.i8", {-128})
        .array<std::uint16_t>("a.u16", {65535})
        .array<std::int32_t>("a.i32", {-3, 4})
        .array<std::uint64_t>("a.u64", {~std::uint64_t{0}})
        .array<std::int64_t>("a.i64", {-5})
        .array<float>("a.f32", {0.5F, 0.1F})
        .array<double>("a.f64", {0.1})
        .array<bool>("a.bool", {true, false})
        .array("a.str", {"", "one"})
        .array<float>("a.none", {})
        .raw_key("a.a", GgufBuilder::array_number(), nested)
        .tensor("first", {3, 5}, DType::F32, pattern(60))
        .tensor("empty", {0, 32}, DType::Q8_0)
        .tensor("second", {2, 64}, DType::Q4_0, pattern(72))
        .tensor("third", {7}, DType::F16, pattern(14));
    return builder;
}

// Copies a file that was parsed.
Result<void> copy(const GgufFile& file, const std::string& path) {
    auto writer =
        GgufWriter::create(path, file.metadata(), file.tensors().entries(), file.container());
    if (!writer) {
        return writer.error();
    }
    for (const TensorInfo& tensor : file.tensors().entries()) {
        if (auto written = writer->write(file.data(tensor)); !written) {
            return written;
        }
    }
    return writer->finish();
}

QString message(const Result<GgufWriter>& writer) {
    return writer ? QString("a writer") : QString::fromStdString(writer.error().message);
}

std::size_t files_in(const test::TempDir& dir) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir.path())) {
        ++count;
    }
    return count;
}

Metadata with(const char* key, MetadataType type, auto value) {
    Metadata metadata;
    metadata.add(key, {type, value});
    return metadata;
}

}  // namespace

class WriterTest : public QObject {
    Q_OBJECT

private slots:
    // A file that the builder made byte by byte comes back byte for byte.
    void copies_a_file_exactly_data() {
        QTest::addColumn<int>("alignment");
        QTest::addColumn<QString>("magic");
        QTest::newRow("default") << 0 << "GGUF";
        QTest::newRow("PWRI") << 0 << "PWRI";
        QTest::newRow("8") << 8 << "GGUF";
        QTest::newRow("64") << 64 << "GGUF";
        QTest::newRow("16384") << 16384 << "GGUF";
    }
    void copies_a_file_exactly() {
        QFETCH(int, alignment);
        QFETCH(QString, magic);
        GgufBuilder builder = rich();
        builder.magic(magic.toStdString());
        if (alignment != 0) {
            builder.alignment(static_cast<std::uint32_t>(alignment));
        }
        const test::Bytes bytes = builder.bytes();
        const auto file = GgufFile::parse(bytes, "p");
        QVERIFY2(file, file ? "" : file.error().message.c_str());
        const test::TempDir dir;
        const auto copied = copy(*file, dir.file("copy"));
        QVERIFY2(copied, copied ? "" : copied.error().message.c_str());
        QVERIFY(test::read_file(dir.file("copy")) == bytes);
        QCOMPARE(files_in(dir), std::size_t{1});
    }

    void takes_data_in_pieces() {
        const test::TempDir dir;
        auto writer = GgufWriter::create(dir.file("a"), {},
                                         {info("a", {10}, DType::F32), info("b", {3}, DType::F32)});
        QVERIFY(writer);
        const test::Bytes data = pattern(40);
        QVERIFY(writer->write(std::span(data).first(1)));
        QVERIFY(writer->write(std::span(data).subspan(1, 30)));
        QVERIFY(writer->write({}));
        QVERIFY(writer->write(std::span(data).subspan(31)));
        QVERIFY(writer->write(std::span(data).first(12)));
        const std::uint64_t file_bytes = writer->file_bytes();
        QVERIFY(writer->finish());
        const auto file = GgufFile::open(dir.file("a"));
        QVERIFY(file);
        QCOMPARE(file->file_bytes(), file_bytes);
        QVERIFY(std::ranges::equal(test::tensor_data(*file, "a"), data));
        QVERIFY(std::ranges::equal(test::tensor_data(*file, "b"), std::span(data).first(12)));
    }

    void a_vocabulary_without_tensors() {
        const test::TempDir dir;
        auto writer = GgufWriter::create(dir.file("a"),
                                         with("k", MetadataType::String, std::string("v")), {});
        QVERIFY(writer);
        QVERIFY(!writer->write(pattern(1)));
        auto again = GgufWriter::create(dir.file("a"),
                                        with("k", MetadataType::String, std::string("v")), {});
        QVERIFY(again && again->finish());
        const auto file = GgufFile::open(dir.file("a"));
        QVERIFY(file);
        QVERIFY(*file->metadata().string("k") == "v");
    }

    void refuses_data_that_does_not_fit() {
        const test::TempDir dir;
        auto writer = GgufWriter::create(dir.file("a"), {},
                                         {info("a", {10}, DType::F32), info("b", {3}, DType::F32)});
        QVERIFY(writer);
        QVERIFY(writer->write(pattern(39)));
        const auto crossing = writer->write(pattern(2));
        QVERIFY(!crossing);
        QVERIFY(crossing.error().code == ErrorCode::InvalidArgument);
        QVERIFY(crossing.error().message == "a: takes 1 more bytes, got 2");
        QVERIFY(!writer->write(pattern(1)));
        QVERIFY(!writer->finish());
        QVERIFY(!std::filesystem::exists(dir.file("a")));
    }

    void refuses_to_finish_what_is_not_whole() {
        const test::TempDir dir;
        QVERIFY(test::write_file(dir.file("a"), pattern(5)));
        {
            auto writer = GgufWriter::create(
                dir.file("a"), {}, {info("a", {10}, DType::F32), info("b", {3}, DType::F32)});
            QVERIFY(writer);
            QVERIFY(writer->write(pattern(40)));
            QVERIFY(writer->write(pattern(5)));
            const auto finished = writer->finish();
            QVERIFY(!finished);
            QVERIFY(finished.error().message == "b: got 5 of 12 bytes");
        }
        QVERIFY(test::read_file(dir.file("a")) == pattern(5));
        QCOMPARE(files_in(dir), std::size_t{1});
    }

    void stopping_anywhere_keeps_the_old_file() {
        const test::TempDir dir;
        for (const std::size_t written : {0U, 1U, 40U}) {
            QVERIFY(test::write_file(dir.file("a"), pattern(5)));
            {
                auto writer = GgufWriter::create(dir.file("a"), {}, {info("a", {10}, DType::F32)});
                QVERIFY(writer);
                QVERIFY(writer->write(pattern(written)));
            }
            QVERIFY(test::read_file(dir.file("a")) == pattern(5));
            QCOMPARE(files_in(dir), std::size_t{1});
        }
    }

    void refused_data() {
        QTest::addColumn<QString>("found");
        QTest::addColumn<QString>("wanted");
        const test::TempDir dir;
        const std::string path = dir.file("a");
        const auto tensors = [&](std::vector<TensorInfo> list) {
            return message(GgufWriter::create(path, {}, std::move(list)));
        };
        const auto keys = [&](const Metadata& metadata) {
            return message(GgufWriter::create(path, metadata, {}));
        };
        QTest::newRow("name taken")
            << tensors({info("t", {1}, DType::F32), info("t", {1}, DType::F32)})
            << "t: this tensor appears twice";
        QTest::newRow("no whole blocks")
            << tensors({info("t", {33}, DType::Q4_0)})
            << "t: its rows of 33 values are no whole number of Q4_0 blocks (32 values)";
        QTest::newRow("no shape")
            << tensors({info("t", {}, DType::F32)})
            << "t: a tensor has a name of 1 to 65535 bytes and 1 to 4 dimensions";
        QTest::newRow("five dimensions")
            << tensors({info("t", {1, 1, 1, 1, 1}, DType::F32)})
            << "t: a tensor has a name of 1 to 65535 bytes and 1 to 4 dimensions";
        QTest::newRow("no name")
            << tensors({info("", {1}, DType::F32)})
            << ": a tensor has a name of 1 to 65535 bytes and 1 to 4 dimensions";
        QTest::newRow("too large") << tensors({info("t", {1ULL << 61}, DType::F32)})
                                   << "t: its shape [2305843009213693952] has too many values";
        QTest::newRow("alignment")
            << keys(with("general.alignment", MetadataType::U32, std::uint64_t{48}))
            << "general.alignment: is no power of two from 8 to 1048576";
        QTest::newRow("alignment type")
            << keys(with("general.alignment", MetadataType::I32, std::int64_t{32}))
            << "general.alignment: is no power of two from 8 to 1048576";
        QTest::newRow("too wide") << keys(with("k", MetadataType::U8, std::uint64_t{256}))
                                  << "k: its value does not fit its type, u8";
        QTest::newRow("too low") << keys(with("k", MetadataType::I8, std::int64_t{-129}))
                                 << "k: its value does not fit its type, i8";
        QTest::newRow("sign") << keys(with("k", MetadataType::U32, std::int64_t{1}))
                              << "k: its value does not fit its type, u32";
        QTest::newRow("text as number") << keys(with("k", MetadataType::U32, std::string("1")))
                                        << "k: its value does not fit its type, u32";
        QTest::newRow("number as bool") << keys(with("k", MetadataType::Bool, std::uint64_t{1}))
                                        << "k: its value does not fit its type, bool";
        QTest::newRow("no key") << keys(with("", MetadataType::Bool, true))
                                << ": a metadata key is 1 to 65535 bytes long";
        MetadataArray array;
        array.element = MetadataType::U8;
        array.unsigned_values = {256};
        QTest::newRow("array item") << keys(with("k", MetadataType::Array, array))
                                    << "k: its value does not fit its type, array";
        array.element = MetadataType::Bool;
        array.unsigned_values = {2};
        QTest::newRow("bool item") << keys(with("k", MetadataType::Array, array))
                                   << "k: its value does not fit its type, array";
        QTest::newRow("folder") << message(GgufWriter::create(dir.path(), {}, {}))
                                       .remove(QString::fromStdString(dir.path()))
                                << " is a folder, not a file that can be written";
        QTest::newRow("no room") << message(GgufWriter::create(
                                                path, {}, {info("t", {1ULL << 58}, DType::F32)}))
                                        .section(", its disk", 0, 0)
                                        .remove(QString::fromStdString(path))
                                 << ": needs 1152921504606847040 bytes";
        QCOMPARE(files_in(dir), std::size_t{0});
    }
    void refused() {
        QFETCH(QString, found);
        QFETCH(QString, wanted);
        QCOMPARE(found, wanted);
    }
};

QTEST_APPLESS_MAIN(WriterTest)
#include "writer_test.moc"
