#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/tools.h>

#include "gguf/reader.h"
#include "gguf/rows.h"
#include "support/gguf_builder.h"
#include "support/temp_dir.h"
#include "support/tensor_data.h"

using namespace hearth;
using tools::QuantizeOptions;

namespace {

std::vector<float> wave(std::size_t count, float scale) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = scale * std::sin(static_cast<float>(i) * 0.7F + 0.3F);
    }
    return values;
}

// Larger than one thread's share in one tensor; a repeated output head; rows no block fits.
test::GgufBuilder source(bool tied = true) {
    test::GgufBuilder builder;
    builder.key("general.architecture", "bamboo")
        .key("general.file_type", std::uint32_t{1})
        .key("general.name", "tiny")
        .array("tokenizer.ggml.tokens", {"a", "b"})
        .tensor_f16("token_embd.weight", {8, 64}, wave(512, 0.5F))
        .tensor_f16("output.weight", {8, 64}, wave(512, tied ? 0.5F : 0.4F))
        .tensor_f32("blk.0.attn_norm.weight", {64}, wave(64, 1.0F))
        .tensor_f16("blk.0.attn_q.bias", {64}, wave(64, 1.0F))
        .tensor_f16("blk.0.ffn_up.weight", {3000, 64}, wave(3000 * 64, 0.1F))
        .tensor_f32("blk.0.odd.weight", {4, 40}, wave(160, 0.1F));
    return builder;
}

Result<tools::QuantizeReport> run(const std::string& from, const std::string& to,
                                  const std::string& type, const std::string& embedding = {}) {
    const Cancellation cancellation;
    return tools::quantize(from, {.type = type, .embedding_type = embedding, .output_path = to}, {},
                           cancellation);
}

std::vector<float> values_of(const GgufFile& file, std::string_view name) {
    const TensorInfo* tensor = file.tensors().find(name);
    if (tensor == nullptr) {
        return {};
    }
    std::vector<float> values(static_cast<std::size_t>(tensor->values()));
    dequantize_row(tensor->type, test::tensor_data(file, name).data(), values);
    return values;
}

QString type_of(const GgufFile& file, std::string_view name) {
    const TensorInfo* tensor = file.tensors().find(name);
    return tensor == nullptr ? QString("absent")
                             : QString::fromStdString(std::string(dtype_info(tensor->type).name));
}

template <class T>
QString message(const Result<T>& result) {
    return result ? QString("done") : QString::fromStdString(result.error().message);
}

std::size_t files_in(const test::TempDir& dir) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir.path())) {
        ++count;
    }
    return count;
}

}  // namespace

class QuantizeTest : public QObject {
    Q_OBJECT

private slots:
    void every_type_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("odd_type");
        QTest::addColumn<int>("file_type");
        QTest::addColumn<double>("bound");  // of the error, as a share of the largest value
        QTest::newRow("F32") << "F32"
                             << "F32" << 0 << 5e-4;  // the source is F16
        QTest::newRow("F16") << "F16"
                             << "F16" << 1 << 5e-4;
        QTest::newRow("BF16") << "BF16"
                              << "BF16" << 32 << 4.5e-3;
        QTest::newRow("Q8_0") << "Q8_0"
                              << "F16" << 7 << 5e-3;
        QTest::newRow("Q4_0") << "Q4_0"
                              << "F16" << 2 << 0.1;
    }
    void every_type() {
        QFETCH(QString, type);
        QFETCH(QString, odd_type);
        QFETCH(int, file_type);
        QFETCH(double, bound);
        const test::TempDir dir;
        QVERIFY(source().write(dir.file("in")));
        const auto report = run(dir.file("in"), dir.file("out"), type.toStdString());
        QVERIFY2(report, qPrintable(message(report)));
        QVERIFY(report->shared_output);
        QCOMPARE(report->input_bytes, std::filesystem::file_size(dir.file("in")));
        QCOMPARE(report->output_bytes, std::filesystem::file_size(dir.file("out")));
        const auto file = GgufFile::open(dir.file("out"));
        QVERIFY2(file, qPrintable(message(file)));
        QCOMPARE(file->tensors().entries().size(), std::size_t{5});
        QCOMPARE(type_of(*file, "token_embd.weight"), type);
        QCOMPARE(type_of(*file, "output.weight"), QString("absent"));
        QCOMPARE(type_of(*file, "blk.0.ffn_up.weight"), type);
        QCOMPARE(type_of(*file, "blk.0.attn_norm.weight"), QString("F32"));
        QCOMPARE(type_of(*file, "blk.0.attn_q.bias"), QString("F32"));
        QCOMPARE(type_of(*file, "blk.0.odd.weight"), odd_type);
        QCOMPARE(values_of(*file, "blk.0.attn_norm.weight"), wave(64, 1.0F));
        const auto found = values_of(*file, "blk.0.ffn_up.weight");
        const auto wanted = wave(3000 * 64, 0.1F);
        double worst = 0;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            worst = std::max(worst, static_cast<double>(std::fabs(found[i] - wanted[i])));
        }
        QVERIFY2(worst <= 0.1 * bound, qPrintable(QString::number(worst)));
        QCOMPARE(static_cast<int>(*file->metadata().integer("general.file_type", 0, 100)),
                 file_type);
        QCOMPARE(
            static_cast<int>(*file->metadata().integer("general.quantization_version", 0, 100)), 2);
        QVERIFY(*file->metadata().string("general.name") == "tiny");
        QVERIFY((*file->metadata().array("tokenizer.ggml.tokens", MetadataType::String))->strings ==
                (std::vector<std::string>{"a", "b"}));
    }

    // Cut into shares for threads, the bytes are those of whole rows one after another.
    void threads_change_nothing() {
        const test::TempDir dir;
        QVERIFY(source().write(dir.file("in")));
        QVERIFY(run(dir.file("in"), dir.file("out"), "Q4_0"));
        const auto in = GgufFile::open(dir.file("in"));
        const auto out = GgufFile::open(dir.file("out"));
        QVERIFY(in && out);
        const auto values = values_of(*in, "blk.0.ffn_up.weight");
        const test::Bytes data = test::tensor_data(*out, "blk.0.ffn_up.weight");
        test::Bytes row(36);
        for (std::size_t r = 0; r < 3000; ++r) {
            quantize_row(DType::Q4_0, std::span(values).subspan(r * 64, 64), row.data());
            QVERIFY(std::ranges::equal(row, std::span(data).subspan(r * 36, 36)));
        }
    }

    void the_embedding_may_have_a_type_of_its_own() {
        const test::TempDir dir;
        QVERIFY(source(false)
                    .tensor_f16("blk.0.attn_output.weight", {2, 32}, wave(64, 1.0F))
                    .write(dir.file("in")));
        const auto report = run(dir.file("in"), dir.file("out"), "Q4_0", "Q8_0");
        QVERIFY(report);
        QVERIFY(!report->shared_output);
        const auto file = GgufFile::open(dir.file("out"));
        QVERIFY(file);
        QCOMPARE(type_of(*file, "token_embd.weight"), QString("Q8_0"));
        QCOMPARE(type_of(*file, "output.weight"), QString("Q8_0"));
        QCOMPARE(type_of(*file, "blk.0.attn_output.weight"), QString("Q4_0"));
        QCOMPARE(type_of(*file, "blk.0.ffn_up.weight"), QString("Q4_0"));
        QCOMPARE(static_cast<int>(*file->metadata().integer("general.file_type", 0, 100)), 2);
    }

    void named_tensors_may_have_a_type_of_their_own() {
        const test::TempDir dir;
        QVERIFY(source(false).write(dir.file("in")));
        const auto report = run(dir.file("in"), dir.file("out"),
                                "Q4_0,token_embd=BF16,ffn_up=Q8_0,ffn=F32,blk.=Q8_0", "F16");
        QVERIFY2(report, qPrintable(message(report)));
        const auto file = GgufFile::open(dir.file("out"));
        QVERIFY(file);
        QCOMPARE(type_of(*file, "token_embd.weight"), QString("BF16"));
        QCOMPARE(type_of(*file, "output.weight"), QString("F16"));
        QCOMPARE(type_of(*file, "blk.0.ffn_up.weight"), QString("Q8_0"));    // the first that fits
        QCOMPARE(type_of(*file, "blk.0.attn_norm.weight"), QString("F32"));  // a vector stays F32
        QCOMPARE(type_of(*file, "blk.0.odd.weight"), QString("F16"));        // no whole blocks
        QCOMPARE(static_cast<int>(*file->metadata().integer("general.file_type", 0, 100)), 2);
    }

    void exceptions_that_make_no_sense_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("wanted");
        const QString types = "; F32, F16, BF16, Q8_0 and Q4_0 are possible";
        const QString shape = " is no exception like attn_v=Q8_0: part of a name, a type";
        const auto add = [](const char* name, const char* type, const QString& wanted) {
            QTest::newRow(name) << QString(type) << wanted;
        };
        add("type", "Q4_0,ffn_up=Q9", "weights cannot be written as \"Q9\"" + types);
        add("no type", "Q4_0,ffn_up=", "weights cannot be written as \"\"" + types);
        add("no equals", "Q4_0,ffn_up", "\"ffn_up\"" + shape);
        add("no name", "Q4_0,=Q8_0", "\"=Q8_0\"" + shape);
        add("nothing", "Q4_0,", "\"\"" + shape);
        add("nothing between", "Q4_0,,ffn_up=Q8_0", "\"\"" + shape);
        add("no base", "ffn_up=Q8_0", "weights cannot be written as \"ffn_up=Q8_0\"" + types);
        add("no tensor", "Q4_0,ffn_pu=Q8_0", "no tensor of the file has \"ffn_pu\" in its name");
    }
    void exceptions_that_make_no_sense() {
        QFETCH(QString, type);
        QFETCH(QString, wanted);
        const test::TempDir dir;
        QVERIFY(source().write(dir.file("in")));
        const auto report = run(dir.file("in"), dir.file("out"), type.toStdString());
        QCOMPARE(message(report), wanted);
        QVERIFY(report.error().code == ErrorCode::InvalidArgument);
        QCOMPARE(files_in(dir), std::size_t{1});
    }

    void what_has_its_type_is_copied() {
        const test::TempDir dir;
        QVERIFY(source().write(dir.file("in")));
        QVERIFY(run(dir.file("in"), dir.file("once"), "Q4_0"));
        QVERIFY(run(dir.file("once"), dir.file("twice"), "Q4_0"));
        QVERIFY(test::read_file(dir.file("once")) == test::read_file(dir.file("twice")));
    }

    void keeps_magic_and_alignment() {
        const test::TempDir dir;
        QVERIFY(source().magic("PWRI").alignment(128).write(dir.file("in")));
        QVERIFY(run(dir.file("in"), dir.file("out"), "Q8_0"));
        const auto file = GgufFile::open(dir.file("out"));
        QVERIFY(file);
        QVERIFY(file->container() == Container::Pwri);
        QCOMPARE(file->alignment(), std::uint64_t{128});
    }

    void refused_data() {
        QTest::addColumn<QString>("in");
        QTest::addColumn<QString>("out");
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("wanted");
        const QString types = "; F32, F16, BF16, Q8_0 and Q4_0 are possible";
        QTest::newRow("same file") << "in"
                                   << "in"
                                   << "Q4_0"
                                   << "DIR/in: input and output are the same file";
        QTest::newRow("same file by a link") << "in"
                                             << "link"
                                             << "Q4_0"
                                             << "DIR/link: input and output are the same file";
        QTest::newRow("unknown type") << "in"
                                      << "out"
                                      << "q4_0"
                                      << "weights cannot be written as \"q4_0\"" + types;
        QTest::newRow("type of others") << "in"
                                        << "out"
                                        << "Q4_K"
                                        << "weights cannot be written as \"Q4_K\"" + types;
        QTest::newRow("no type") << "in"
                                 << "out"
                                 << ""
                                 << "weights cannot be written as \"\"" + types;
        QTest::newRow("no input") << "none"
                                  << "out"
                                  << "Q4_0"
                                  << "DIR/none: no such file";
        QTest::newRow("vocabulary") << "vocabulary"
                                    << "out"
                                    << "Q4_0"
                                    << "DIR/vocabulary holds a vocabulary and no weights";
        QTest::newRow("K weights") << "k"
                                   << "out"
                                   << "Q4_0"
                                   << "w: is of type Q3_K, which cannot be converted";
        QTest::newRow("folder") << "in"
                                << "folder"
                                << "Q4_0"
                                << "DIR/folder is a folder, not a file that can be written";
    }
    void refused() {
        QFETCH(QString, in);
        QFETCH(QString, out);
        QFETCH(QString, type);
        QFETCH(QString, wanted);
        const test::TempDir dir;
        QVERIFY(source().write(dir.file("in")));
        std::filesystem::create_symlink(dir.file("in"), dir.file("link"));
        std::filesystem::create_directory(dir.file("folder"));
        QVERIFY(test::GgufBuilder().key("k", true).write(dir.file("vocabulary")));
        QVERIFY(test::GgufBuilder().tensor("w", {1, 256}, DType::Q3_K).write(dir.file("k")));
        const std::size_t before = files_in(dir);
        const test::Bytes bytes = test::read_file(dir.file("in"));
        const auto report =
            run(dir.file(in.toStdString()), dir.file(out.toStdString()), type.toStdString());
        QCOMPARE(message(report), wanted.replace("DIR", QString::fromStdString(dir.path())));
        QCOMPARE(files_in(dir), before);
        QVERIFY(test::read_file(dir.file("in")) == bytes);
    }

    void progress_rises_to_one() {
        const test::TempDir dir;
        QVERIFY(source().write(dir.file("in")));
        const Cancellation cancellation;
        std::vector<double> seen;
        const auto report = tools::quantize(
            dir.file("in"), {.type = "Q8_0", .embedding_type = {}, .output_path = dir.file("out")},
            [&](double fraction) { seen.push_back(fraction); }, cancellation);
        QVERIFY(report);
        QVERIFY(seen.size() >= 5);
        QVERIFY(std::is_sorted(seen.begin(), seen.end()));
        QCOMPARE(seen.back(), 1.0);
    }

    void a_cancelled_run_leaves_the_old_output() {
        const test::TempDir dir;
        QVERIFY(source().write(dir.file("in")));
        const test::Bytes old = {std::byte{1}, std::byte{2}};
        QVERIFY(test::write_file(dir.file("out"), old));
        Cancellation cancellation;
        int calls = 0;
        const auto report = tools::quantize(
            dir.file("in"), {.type = "Q8_0", .embedding_type = {}, .output_path = dir.file("out")},
            [&](double) {
                if (++calls == 2) {
                    cancellation.request();
                }
            },
            cancellation);
        QVERIFY(!report);
        QVERIFY(report.error().code == ErrorCode::Cancelled);
        QCOMPARE(calls, 2);
        QVERIFY(test::read_file(dir.file("out")) == old);
        QCOMPARE(files_in(dir), std::size_t{2});
    }

    void a_finished_run_replaces_the_old_output() {
        const test::TempDir dir;
        QVERIFY(source().write(dir.file("in")));
        QVERIFY(test::write_file(dir.file("out"), test::Bytes(5)));
        QVERIFY(run(dir.file("in"), dir.file("out"), "F16"));
        QVERIFY(GgufFile::open(dir.file("out")));
        QCOMPARE(files_in(dir), std::size_t{2});
    }
};

QTEST_APPLESS_MAIN(QuantizeTest)
#include "quantize_test.moc"
