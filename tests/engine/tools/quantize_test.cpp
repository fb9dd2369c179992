#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/tools.h>

#include "gguf/encoding.h"
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
        const QString types =
            "; F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K and Q6_K are possible";
        const QString mixes = "; F32, F16, BF16, Q8_0, Q4_0, Q4_K_M, Q5_K_M and Q6_K are possible";
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
        add("a mix", "Q4_0,ffn_up=Q4_K_M", "weights cannot be written as \"Q4_K_M\"" + types);
        add("no base", "ffn_up=Q8_0", "weights cannot be written as \"ffn_up=Q8_0\"" + mixes);
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

    // A model of two layers whose rows fit blocks of 256, but for one.
    static test::GgufBuilder wide(DType type = DType::F16) {
        test::GgufBuilder builder;
        builder.key("general.architecture", "llama")
            .key("llama.block_count", std::uint32_t{2})
            .array("tokenizer.ggml.tokens", {"a", "b"});
        const auto add = [&](const std::string& name, std::vector<std::uint64_t> shape) {
            std::uint64_t count = 1;
            for (const std::uint64_t n : shape) {
                count *= n;
            }
            const auto values = wave(static_cast<std::size_t>(count), 0.1F);
            test::Bytes bytes(static_cast<std::size_t>(row_bytes(type, count)));
            quantize_row(type, values, bytes.data());
            builder.tensor(name, std::move(shape), type, std::move(bytes));
        };
        add("token_embd.weight", {8, 512});
        for (const char* layer : {"blk.0.", "blk.1."}) {
            add(std::string(layer) + "attn_q.weight", {300, 512});
            add(std::string(layer) + "attn_v.weight", {64, 512});
            add(std::string(layer) + "ffn_down.weight", {2, 256, 512});
        }
        builder.tensor_f32("blk.0.attn_norm.weight", {512}, wave(512, 1.0F));
        builder.tensor_f32("blk.0.attn_k.weight", {8, 576}, wave(8 * 576, 0.1F));
        builder.tensor_f32("blk.0.ffn_gate_inp.weight", {2, 512}, wave(1024, 0.1F));
        return builder;
    }

    void mixes_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("base");
        QTest::addColumn<QString>("short_rows");
        QTest::addColumn<int>("file_type");
        QTest::newRow("Q4_K_M") << "Q4_K_M"
                                << "Q4_K"
                                << "Q5_0" << 15;
        QTest::newRow("Q5_K_M") << "Q5_K_M"
                                << "Q5_K"
                                << "Q5_1" << 17;
        QTest::newRow("Q6_K") << "Q6_K"
                              << "Q6_K"
                              << "Q8_0" << 18;
    }
    void mixes() {
        QFETCH(QString, type);
        QFETCH(QString, base);
        QFETCH(QString, short_rows);
        QFETCH(int, file_type);
        const test::TempDir dir;
        QVERIFY(wide().write(dir.file("in")));
        const auto report = run(dir.file("in"), dir.file("out"), type.toStdString());
        QVERIFY2(report, qPrintable(message(report)));
        const auto file = GgufFile::open(dir.file("out"));
        QVERIFY2(file, qPrintable(message(file)));
        QCOMPARE(type_of(*file, "token_embd.weight"), "Q6_K");  // the output head, too
        QCOMPARE(type_of(*file, "blk.0.attn_q.weight"), base);
        QCOMPARE(type_of(*file, "blk.0.attn_v.weight"), base);
        QCOMPARE(type_of(*file, "blk.1.attn_v.weight"), "Q6_K");
        QCOMPARE(type_of(*file, "blk.1.ffn_down.weight"), "Q6_K");
        QCOMPARE(type_of(*file, "blk.0.attn_k.weight"), short_rows);
        QCOMPARE(type_of(*file, "blk.0.attn_norm.weight"), "F32");
        QCOMPARE(type_of(*file, "blk.0.ffn_gate_inp.weight"), "F32");
        QCOMPARE(static_cast<int>(*file->metadata().integer("general.file_type", 0, 100)),
                 file_type);
        QCOMPARE(report->quantised_before, std::uint64_t{0});
        std::uint64_t tensors = 0;
        for (const tools::TypeSummary& summary : report->types) {
            tensors += summary.tensors;
        }
        QCOMPARE(tensors, std::uint64_t{10});
        const auto wanted = wave(300 * 512, 0.1F);
        const auto found = values_of(*file, "blk.0.attn_q.weight");
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            QVERIFY(std::fabs(wanted[i] - found[i]) < 0.012F);
        }
    }

    void exceptions_overrule_a_mix() {
        const test::TempDir dir;
        QVERIFY(wide().write(dir.file("in")));
        QVERIFY(run(dir.file("in"), dir.file("out"),
                    "Q4_K_M,blk.1.attn_v=Q5_K,gate_inp=F16,attn_k=Q6_K", "Q5_1"));
        const auto file = GgufFile::open(dir.file("out"));
        QVERIFY(file);
        QCOMPARE(type_of(*file, "token_embd.weight"), "Q5_1");
        QCOMPARE(type_of(*file, "blk.1.attn_v.weight"), "Q5_K");
        QCOMPARE(type_of(*file, "blk.0.ffn_gate_inp.weight"), "F16");
        QCOMPARE(type_of(*file, "blk.0.attn_k.weight"), "Q8_0");
    }

    void from_every_type_data() {
        QTest::addColumn<int>("type");
        for (const Encoding& encoding : encodings()) {
            QTest::addRow("%s", std::string(dtype_info(encoding.type).name).c_str())
                << static_cast<int>(encoding.type);
        }
    }
    void from_every_type() {
        QFETCH(int, type);
        const auto from = static_cast<DType>(type);
        const test::TempDir dir;
        QVERIFY(wide(from).write(dir.file("in")));
        for (const char* to : {"Q4_K_M", "F32", "Q8_0"}) {
            const auto report = run(dir.file("in"), dir.file("out"), to);
            QVERIFY2(report, qPrintable(message(report)));
            const auto in = GgufFile::open(dir.file("in"));
            const auto out = GgufFile::open(dir.file("out"));
            QVERIFY(in && out);
            const auto wanted = values_of(*in, "blk.0.attn_q.weight");
            const auto found = values_of(*out, "blk.0.attn_q.weight");
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                QVERIFY(std::fabs(wanted[i] - found[i]) <
                        (to == std::string("Q4_K_M") ? 0.02F : 1e-3F));
            }
            const bool again = !is_float(encoding_of(from).codes) && to != std::string("F32") &&
                               to != dtype_info(from).name;
            QCOMPARE(report->quantised_before > 0, again);
        }
    }

    static test::GgufBuilder imatrix(std::size_t cols = 512) {
        std::vector<float> sums(2 * cols);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] = i % 8 == 0 ? 400.0F : 1.0F;
        }
        test::GgufBuilder builder;
        builder.key("general.type", "imatrix");
        for (const char* name : {"blk.0.attn_q.weight", "blk.1.attn_q.weight"}) {
            builder
                .tensor_f32(std::string(name) + ".in_sum2", {1, cols},
                            {sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(cols)})
                .tensor_f32(std::string(name) + ".counts", {1, 1}, {2});
        }
        // The second of two experts was never asked.
        builder.tensor_f32("blk.0.ffn_down.weight.in_sum2", {2, cols}, sums)
            .tensor_f32("blk.0.ffn_down.weight.counts", {2, 1}, {2, 0});
        return builder;
    }

    static Result<tools::QuantizeReport> weighed(const test::TempDir& dir, const std::string& to,
                                                 int threads = 0) {
        const Cancellation cancellation;
        return tools::quantize(dir.file("in"),
                               {.type = "Q4_K_M",
                                .output_path = dir.file(to),
                                .importance_path = dir.file("imatrix"),
                                .threads = threads},
                               {}, cancellation);
    }

    void importance_shifts_the_error() {
        const test::TempDir dir;
        QVERIFY(wide().write(dir.file("in")));
        QVERIFY(imatrix().write(dir.file("imatrix")));
        QVERIFY(run(dir.file("in"), dir.file("plain"), "Q4_K_M"));
        const auto report = weighed(dir, "weighed");
        QVERIFY2(report, qPrintable(message(report)));
        // A tensor without an entry is named, and made as without a matrix.
        QVERIFY(report->without_importance ==
                (std::vector<std::string>{"token_embd.weight", "blk.0.attn_v.weight",
                                          "blk.1.attn_v.weight", "blk.1.ffn_down.weight",
                                          "blk.0.attn_k.weight"}));
        const auto plain = GgufFile::open(dir.file("plain"));
        const auto with = GgufFile::open(dir.file("weighed"));
        QVERIFY(plain && with);
        QCOMPARE(test::tensor_data(*plain, "blk.0.attn_v.weight"),
                 test::tensor_data(*with, "blk.0.attn_v.weight"));
        // Every eighth column, in every row: also in rows that a share of work begins within.
        const auto error = [](const GgufFile& file, const std::string& name, std::size_t from,
                              std::size_t count) {
            const auto values = values_of(file, name);
            const auto wanted = wave(values.size(), 0.1F);
            double sum = 0;
            for (std::size_t i = from; i < from + count; i += 8) {
                sum += std::pow(static_cast<double>(values[i] - wanted[i]), 2.0);
            }
            return sum;
        };
        for (std::size_t row = 0; row < 300; row += 50) {
            const std::string name = "blk.1.attn_q.weight";
            QVERIFY(error(*with, name, row * 512, 50 * 512) <
                    0.6 * error(*plain, name, row * 512, 50 * 512));
        }
        const std::string experts = "blk.0.ffn_down.weight";
        const std::size_t expert = 256 * 512;
        QVERIFY(error(*with, experts, 0, expert) < 0.6 * error(*plain, experts, 0, expert));
        QVERIFY(error(*with, experts, expert, expert) >
                0.9 * error(*plain, experts, expert, expert));
    }

    void importance_is_the_same_for_any_number_of_threads() {
        const test::TempDir dir;
        QVERIFY(wide().write(dir.file("in")));
        QVERIFY(imatrix().write(dir.file("imatrix")));
        QVERIFY(weighed(dir, "one", 1));
        for (const int threads : {2, 3, 7}) {
            QVERIFY(weighed(dir, "many", threads));
            QVERIFY(test::read_file(dir.file("one")) == test::read_file(dir.file("many")));
        }
    }

    void a_bad_importance_matrix_writes_nothing_data() {
        QTest::addColumn<test::Bytes>("matrix");
        QTest::addColumn<QString>("wanted");
        QTest::newRow("other width")
            << imatrix(256).bytes()
            << "blk.0.attn_q.weight: the importance matrix has 256 values and 1 counts for 1 x 512 "
               "columns";
        QTest::newRow("other model")
            << test::GgufBuilder()
                   .key("general.type", "imatrix")
                   .tensor_f32("blk.7.attn_q.weight.in_sum2", {1, 512}, wave(512, 0.0F))
                   .tensor_f32("blk.7.attn_q.weight.counts", {1, 1}, {1})
                   .bytes()
            << "the importance matrix has no entry for any tensor of this model";
        QTest::newRow("negative")
            << test::GgufBuilder()
                   .key("general.type", "imatrix")
                   .tensor_f32("blk.1.attn_q.weight.in_sum2", {1, 512}, std::vector<float>(512, -2))
                   .tensor_f32("blk.1.attn_q.weight.counts", {1, 1}, {1})
                   .bytes()
            << "blk.1.attn_q.weight: value 0 of the importance matrix is -2.000000";
    }
    void a_bad_importance_matrix_writes_nothing() {
        QFETCH(test::Bytes, matrix);
        QFETCH(QString, wanted);
        const test::TempDir dir;
        QVERIFY(wide().write(dir.file("in")));
        QVERIFY(test::write_file(dir.file("imatrix"), matrix));
        QVERIFY(test::write_file(dir.file("out"), test::Bytes(3)));
        QCOMPARE(message(weighed(dir, "out")), wanted);
        QCOMPARE(test::read_file(dir.file("out")), test::Bytes(3));
        QCOMPARE(files_in(dir), std::size_t{3});
    }

    void names_the_row_that_is_no_number() {
        const test::TempDir dir;
        auto values = wave(3000 * 64, 0.1F);
        values[2345 * 64 + 17] = std::numeric_limits<float>::infinity();
        QVERIFY(test::GgufBuilder()
                    .key("general.architecture", "llama")
                    .tensor_f32("blk.0.ffn_up.weight", {3000, 64}, values)
                    .write(dir.file("in")));
        const auto report = run(dir.file("in"), dir.file("out"), "Q8_0");
        QCOMPARE(message(report), "blk.0.ffn_up.weight: row 2345 holds Inf or NaN");
        QVERIFY(report.error().code == ErrorCode::BadFile);
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
        const QString types = "; F32, F16, BF16, Q8_0, Q4_0, Q4_K_M, Q5_K_M and Q6_K are possible";
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
                                   << "w: is of type TQ1_0, which cannot be converted";
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
        QVERIFY(test::GgufBuilder().tensor("w", {1, 256}, DType::TQ1_0).write(dir.file("k")));
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
