// Made-up models must be as good as real ones to everything but a reader.
#include "bench/random_model.h"

#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QtTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "base/half.h"
#include "gguf/reader.h"
#include "gguf/rows.h"
#include "model/model_spec.h"
#include "model/weights.h"
#include "support/gguf_builder.h"
#include "support/temp_dir.h"

using namespace hearth;
using namespace hearth::bench;

namespace {

const ModelShape kTinyLlama3{"tiny", 64,  2,    4,         2,   32,
                             96,     700, true, 500000.0F, 256, VocabKind::ByteLevel};
const ModelShape kTinyLlama2{"tiny", 96,   2,     3,        3,   32,
                             160,    1200, false, 10000.0F, 256, VocabKind::SentencePiece};

const ModelShape kTinyGemma4{"tiny",
                             64,
                             7,
                             4,
                             2,
                             64,
                             96,
                             700,
                             true,
                             500000.0F,
                             256,
                             VocabKind::SentencePiece,
                             "gemma4",
                             true,
                             0,
                             0,
                             0,
                             0,
                             {3, 16, 32, 3, 32}};

const ModelShape kTinyBlocks{.name = "tiny",
                             .n_embd = 64,
                             .n_layer = 5,
                             .n_head = 4,
                             .n_head_kv = 2,
                             .head_dim = 32,
                             .n_ff = 96,
                             .n_vocab = 700,
                             .tied = false,
                             .rope_base = 10000.0F,
                             .n_ctx = 256,
                             .vocab = VocabKind::ByteLevel,
                             .arch = "nemotron_h_moe",
                             .experts = {4, 2, 96, 32},
                             .blocks = {"M*EME", 4, 2, 32, 64}};

ModelShape tiny_next() {
    ModelShape shape = kTinyLlama3;
    shape.arch = "qwen3next";
    shape.head_norms = true;
    shape.delta_interval = 2;
    shape.n_key_heads = 2;
    shape.n_value_heads = 4;
    shape.state_dim = 32;
    shape.experts = {.n = 8, .n_used = 2, .n_ff = 32, .n_ff_shared = 32};
    return shape;
}
const ModelShape kTinyNext = tiny_next();

const ModelShape kTinyGemma4Experts{.name = "tiny",
                                    .n_embd = 64,
                                    .n_layer = 3,
                                    .n_head = 4,
                                    .n_head_kv = 2,
                                    .head_dim = 64,
                                    .n_ff = 96,
                                    .n_vocab = 700,
                                    .tied = true,
                                    .rope_base = 500000.0F,
                                    .n_ctx = 256,
                                    .vocab = VocabKind::SentencePiece,
                                    .arch = "gemma4",
                                    .head_norms = true,
                                    .windows = {3, 16, 32, 0, 0, 1},
                                    .experts = {8, 2, 32}};

ModelShape tiny_smallthinker() {
    ModelShape shape = kTinyLlama3;
    shape.arch = "smallthinker";
    shape.windows = {.window = 4096};
    shape.experts = {.n = 8, .n_used = 2, .n_ff = 32};
    return shape;
}
const ModelShape kTinySmallThinker = tiny_smallthinker();

ModelShape tiny_llama4() {
    ModelShape shape = kTinyLlama3;
    shape.arch = "llama4";
    shape.experts = {.n = 8, .n_used = 1, .n_ff = 32, .n_ff_shared = 32, .step = 2};
    return shape;
}
const ModelShape kTinyLlama4 = tiny_llama4();

ModelShape tiny_biased() {
    ModelShape shape = kTinyLlama3;
    shape.tied = false;
    shape.arch = "gpt-oss";
    shape.experts = {.n = 8, .n_used = 2, .n_ff = 96};
    return shape;
}
const ModelShape kTinyBiased = tiny_biased();

ModelShape tiny_mixture(float lesser) {
    ModelShape shape = kTinyLlama3;
    shape.arch = "qwen3moe";
    shape.head_norms = true;
    shape.experts = {.n = 8, .n_used = 2, .n_ff = 32, .lesser = lesser};
    return shape;
}

const ModelShape& shape_of(VocabKind kind) {
    return kind == VocabKind::ByteLevel ? kTinyLlama3 : kTinyLlama2;
}

}  // namespace

class RandomModelTest : public QObject {
    Q_OBJECT

private slots:
    // Rows of half of a router are smaller, of others in each layer, and nothing else differs.
    void lesser_experts() {
        const auto rows = [&](float lesser, int layer) {
            const std::string path = dir_.file("mixture.gguf");
            std::vector<float> values(8 * 64);
            if (write_random_model(path, tiny_mixture(lesser), DType::F16, DType::F16, 1, 2)) {
                const auto file = GgufFile::open(path);
                const auto* router =
                    file->tensors().find("blk." + std::to_string(layer) + ".ffn_gate_inp.weight");
                if (!file->read(*router, 0, std::as_writable_bytes(std::span(values)))) {
                    values.clear();
                }
            }
            return values;
        };
        std::array<std::vector<bool>, 2> smaller;
        for (int layer = 0; layer < 2; ++layer) {
            const std::vector<float> plain = rows(1.0F, layer);
            const std::vector<float> uneven = rows(0.25F, layer);
            QVERIFY(!plain.empty() && !uneven.empty());
            for (std::size_t expert = 0; expert < 8; ++expert) {
                const float factor = uneven[expert * 64] / plain[expert * 64];
                QVERIFY(factor == 1.0F || factor == 0.25F);
                smaller[static_cast<std::size_t>(layer)].push_back(factor < 1);
                for (std::size_t i = expert * 64; i < (expert + 1) * 64; ++i) {
                    QCOMPARE(uneven[i], factor * plain[i]);
                }
            }
            QCOMPARE(std::count(smaller[static_cast<std::size_t>(layer)].begin(),
                                smaller[static_cast<std::size_t>(layer)].end(), true),
                     std::ptrdiff_t{4});
        }
        QVERIFY(smaller[0] != smaller[1]);
    }

    void loads_and_runs_data() {
        QTest::addColumn<const ModelShape*>("tiny");
        QTest::addColumn<QString>("type");
        for (const char* type : {"Q4_0", "Q8_0", "F16"}) {
            QTest::addRow("byte-level/%s", type) << &kTinyLlama3 << QString(type);
            QTest::addRow("SentencePiece/%s", type) << &kTinyLlama2 << QString(type);
            QTest::addRow("windows/%s", type) << &kTinyGemma4 << QString(type);
            QTest::addRow("delta nets/%s", type) << &kTinyNext << QString(type);
            QTest::addRow("blocks/%s", type) << &kTinyBlocks << QString(type);
            QTest::addRow("experts beside/%s", type) << &kTinyGemma4Experts << QString(type);
            QTest::addRow("early routers/%s", type) << &kTinySmallThinker << QString(type);
            QTest::addRow("every second a mixture/%s", type) << &kTinyLlama4 << QString(type);
            QTest::addRow("biases/%s", type) << &kTinyBiased << QString(type);
        }
    }
    void loads_and_runs() {
        QFETCH(const ModelShape*, tiny);
        QFETCH(QString, type);
        const ModelShape& shape = *tiny;
        const std::string path = dir_.file("model.gguf");
        const DType dtype = *dtype_from_name(type.toStdString());
        const auto bytes = write_random_model(path, shape, dtype, dtype, 1, 2);
        QVERIFY2(bytes, bytes ? "" : bytes.error().message.c_str());
        QCOMPARE(static_cast<qint64>(*bytes), QFileInfo(QString::fromStdString(path)).size());

        const auto report = tools::inspect(path);
        QVERIFY(report);
        QVERIFY2(report->supported, report->reason.c_str());
        QCOMPARE(report->types.front().type, type.toStdString());
        QCOMPARE(*report->n_vocab, static_cast<std::uint64_t>(shape.n_vocab));

        EngineOptions options;
        options.model_path = path;
        options.threads = 2;
        auto engine = Engine::load(options);
        QVERIFY2(engine, engine ? "" : engine.error().message.c_str());
        const std::vector<std::int32_t> tokens{1, 70, 600, 3};
        double sum = 0;
        double squares = 0;
        std::size_t count = 0;
        const auto done = tools::logits(
            **engine, tokens, true, [&](int, std::span<const float> row) -> Result<void> {
                for (const float value : row) {
                    sum += static_cast<double>(value);
                    squares += static_cast<double>(value) * static_cast<double>(value);
                }
                count += row.size();
                return {};
            });
        QVERIFY(done);
        // Weights of deviation 1 / sqrt(cols) leave a normed vector's products near deviation 1.
        const double deviation = std::sqrt(squares / static_cast<double>(count));
        QVERIFY2(deviation > 0.6 && deviation < 1.6, qPrintable(QString::number(deviation)));
        QVERIFY(std::abs(sum / static_cast<double>(count)) < 0.2);
    }

    void text_survives_the_vocabulary_data() {
        QTest::addColumn<int>("vocab");
        QTest::newRow("byte-level") << int(VocabKind::ByteLevel);
        QTest::newRow("SentencePiece") << int(VocabKind::SentencePiece);
    }
    void text_survives_the_vocabulary() {
        QFETCH(int, vocab);
        const std::string path = dir_.file("vocab.gguf");
        QVERIFY(write_random_model(path, shape_of(static_cast<VocabKind>(vocab)), DType::Q8_0,
                                   DType::Q8_0, 1, 1));
        const auto words = tools::Vocabulary::open(path);
        QVERIFY(words);
        const std::string text = "the cat sat \xC3\xBC\n\x01 42";
        const auto tokens = words->tokenize(text, false, false);
        QVERIFY(tokens && !tokens->empty());
        // Merges are found: not every character is a token of its own.
        QVERIFY(tokens->size() < text.size());
        const auto back = words->detokenize(*tokens);
        QVERIFY(back);
        QVERIFY2(*back == text || *back == " " + text, back->c_str());
        QCOMPARE(words->tokenize("a", true, false)->size(), 2U);  // a begin token comes first
    }

    void values_are_spread_like_a_normal_distribution_data() {
        QTest::addColumn<QString>("type");
        for (const char* type : {"Q4_0", "Q8_0", "F16", "Q5_0", "MXFP4"}) {
            QTest::newRow(type) << QString(type);
        }
    }
    void values_are_spread_like_a_normal_distribution() {
        QFETCH(QString, type);
        const std::string path = dir_.file("spread.gguf");
        const DType dtype = *dtype_from_name(type.toStdString());
        QVERIFY(write_random_model(path, kTinyLlama3, dtype, dtype, 3, 1));
        const auto file = GgufFile::open(path);
        QVERIFY(file);
        const TensorInfo* tensor = file->tensors().find("blk.1.ffn_down.weight");
        QVERIFY(tensor != nullptr);
        std::vector<float> row(tensor->cols());
        double squares = 0;
        double sum = 0;
        for (std::uint64_t r = 0; r < tensor->rows(); ++r) {
            std::vector<std::byte> bytes(row_bytes(tensor->type, row.size()));
            QVERIFY(file->file().read_at(tensor->offset + r * bytes.size(), bytes));
            dequantize_row(tensor->type, bytes.data(), row);
            for (const float value : row) {
                squares += static_cast<double>(value) * static_cast<double>(value);
                sum += static_cast<double>(value);
            }
        }
        const double n = static_cast<double>(tensor->values());
        const double wanted = 1 / std::sqrt(static_cast<double>(row.size()));
        QVERIFY(std::abs(std::sqrt(squares / n) / wanted - 1) < 0.08);
        QVERIFY(std::abs(sum / n) < 0.06 * wanted);
    }

    void bytes_depend_on_the_seed_alone() {
        const auto made = [&](std::uint64_t seed, int threads) {
            const std::string path = dir_.file("same.gguf");
            return write_random_model(path, kTinyLlama2, DType::Q4_0, DType::Q4_0, seed, threads)
                       ? test::read_file(path)
                       : test::Bytes{};
        };
        const test::Bytes one = made(7, 1);
        QVERIFY(!one.empty());
        QVERIFY(made(7, 3) == one);
        QVERIFY(made(8, 1) != one);
    }

    // As files of mixed types have them.
    void some_matrices_may_be_of_a_finer_type() {
        const std::string path = dir_.file("finer.gguf");
        QVERIFY(write_random_model(path, kTinyLlama3, DType::Q4_0, DType::Q8_0, 1, 1));
        const auto file = GgufFile::open(path);
        QVERIFY(file);
        const auto type_of = [&](const char* name) {
            const TensorInfo* tensor = file->tensors().find(name);
            return tensor == nullptr ? DType::I8 : tensor->type;
        };
        QCOMPARE(type_of("blk.0.attn_q.weight"), DType::Q4_0);
        QCOMPARE(type_of("blk.0.attn_v.weight"), DType::Q8_0);
        QCOMPARE(type_of("blk.0.ffn_down.weight"), DType::Q8_0);
        QCOMPARE(type_of("blk.1.ffn_down.weight"), DType::Q4_0);
    }

    // Plans need no more of a model.
    void a_header_is_that_of_the_model() {
        const QTemporaryDir dir;
        const std::string whole = dir.filePath("whole.gguf").toStdString();
        const std::string header = dir.filePath("header.gguf").toStdString();
        const auto bytes = write_random_model(whole, kTinyLlama3, DType::Q4_0, DType::Q8_0, 1, 1);
        QCOMPARE(write_model_header(header, kTinyLlama3, DType::Q4_0, DType::Q8_0).value(),
                 bytes.value());
        QFile model(QString::fromStdString(whole));
        QFile file(QString::fromStdString(header));
        QVERIFY(model.open(QIODevice::ReadOnly) && file.open(QIODevice::ReadOnly));
        QCOMPARE(file.size(), model.size());
        const auto opened = GgufFile::open(header);
        QVERIFY(opened && bind_tensors(*opened, *read_model_spec(*opened)));
        const auto data = static_cast<qint64>(opened->tensors().entries().front().offset);
        QCOMPARE(file.read(data), model.read(data));
        QVERIFY(!write_model_header(header, kTinyLlama3, DType::Q6_K, DType::Q6_K));
        QVERIFY(
            !write_model_header(dir.path().toStdString(), kTinyLlama3, DType::Q4_0, DType::Q4_0));
    }

    void refuses_what_it_cannot_make() {
        const std::string path = dir_.file("refused.gguf");
        ModelShape odd = kTinyLlama3;
        odd.n_ff = 100;
        ModelShape few = kTinyLlama3;
        few.n_vocab = least_vocab(few.vocab) - 1;
        for (const auto& [shape, type] :
             {std::pair{kTinyLlama3, DType::Q8_1}, {odd, DType::Q4_0}, {few, DType::Q4_0}}) {
            const auto made = write_random_model(path, shape, type, type, 1, 1);
            QVERIFY(!made);
            QCOMPARE(made.error().code, ErrorCode::InvalidArgument);
            QVERIFY(!QFileInfo::exists(QString::fromStdString(path)));
        }
    }

    void named_shapes_are_those_of_the_models() {
        const ModelShape* small = find_shape("llama-3.2-1b");
        QVERIFY(small != nullptr);
        QVERIFY(small->tied);
        QCOMPARE(small->n_head * small->head_dim, small->n_embd);
        const ModelShape* large = find_shape("llama-2-7b");
        QVERIFY(large != nullptr);
        QVERIFY(!large->tied);
        QVERIFY(find_shape("llama") == nullptr);
        for (const ModelShape& shape : model_shapes()) {
            QVERIFY(shape.n_vocab >= least_vocab(shape.vocab));
            QCOMPARE(shape.n_head % shape.n_head_kv, 0);
        }
    }

private:
    test::TempDir dir_;
};

QTEST_GUILESS_MAIN(RandomModelTest)
#include "random_model_test.moc"
