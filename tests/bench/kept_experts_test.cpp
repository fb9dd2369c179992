// Greedy text follows the words, and experts are kept as often as was planted, by the engine's own
// count.
#include "bench/kept_experts.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <hearth/engine.h>

#include "bench/expert_run.h"
#include "gguf/reader.h"
#include "gguf/rows.h"
#include "session/loaded_model.h"
#include "session/session.h"
#include "support/gguf_builder.h"
#include "support/temp_dir.h"

using namespace hearth;
using namespace hearth::bench;

namespace {

constexpr std::array kShares{0.0, 0.2, 0.4};

// 4 of 32 experts in each of three layers.
ModelShape shape_of(const std::string& arch, int n_embd, std::span<const double> kept) {
    ModelShape shape{.name = "tiny",
                     .n_embd = n_embd,
                     .n_layer = 3,
                     .n_head = 4,
                     .n_head_kv = 2,
                     .head_dim = n_embd / 2,
                     .n_ff = n_embd,
                     .n_vocab = 2000,
                     .tied = false,
                     .rope_base = 10000.0F,
                     .n_ctx = 512,
                     .vocab = VocabKind::ByteLevel};
    shape.experts = {.n = 32, .n_used = 4, .n_ff = n_embd, .kept = kept};
    if (arch == "gpt-oss") {
        shape.arch = "gpt-oss";
        return shape;
    }
    shape.arch = "qwen3moe";
    shape.head_norms = true;
    if (arch == "qwen35moe") {
        shape.arch = "qwen35moe";
        shape.delta_interval = 2;
        shape.n_key_heads = 2;
        shape.n_value_heads = 4;
        shape.state_dim = 32;
        shape.experts.n_ff_shared = n_embd;
    }
    return shape;
}

std::unique_ptr<Engine> load(const std::string& path, std::uint64_t ram_bytes = 0) {
    EngineOptions options;
    options.model_path = path;
    options.threads = 2;
    options.gpu = "none";
    options.n_ctx = 512;
    options.keeps_profile = false;
    if (ram_bytes > 0) {
        options.ram_bytes = ram_bytes;
    }
    auto engine = Engine::load(options);
    if (!engine) {
        qWarning("%s", engine.error().message.c_str());
    }
    return engine ? std::move(*engine) : nullptr;
}

}  // namespace

class KeptExpertsTest : public QObject {
    Q_OBJECT

private slots:
    void the_engine_keeps_what_is_planted_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<QString>("type");
        QTest::addColumn<int>("n_embd");
        QTest::newRow("qwen3moe/Q8_0") << "qwen3moe"
                                       << "Q8_0" << 64;
        QTest::newRow("gpt-oss/MXFP4") << "gpt-oss"
                                       << "MXFP4" << 64;
        QTest::newRow("qwen35moe/Q4_0") << "qwen35moe"
                                        << "Q4_0" << 64;
        QTest::newRow("qwen3moe/Q4_K") << "qwen3moe"
                                       << "Q4_K" << 512;
    }
    void the_engine_keeps_what_is_planted() {
        QFETCH(QString, arch);
        QFETCH(QString, type);
        QFETCH(int, n_embd);
        const ModelShape shape = shape_of(arch.toStdString(), n_embd, kShares);
        const DType main = *dtype_from_name(type.toStdString());
        const DType finer = main == DType::Q4_K ? DType::Q6_K : DType::Q8_0;
        const auto written = write_random_model(path_, shape, main, finer, 5, 2);
        QVERIFY2(written, written ? "" : written.error().message.c_str());
        const auto engine = load(path_);
        QVERIFY(engine);
        const std::size_t n_tokens = 400;
        for (std::size_t i = 0; i < kShares.size(); ++i) {
            const WordRange words = circle_of(shape.vocab, shape.n_vocab, i, kShares.size());
            const auto run = run_experts(
                engine->impl(), {.first = words.first, .n_before = 3, .n_tokens = n_tokens});
            QVERIFY2(run, run ? "" : run.error().message.c_str());
            QCOMPARE(run->before.n_tokens(), std::size_t{3});
            QCOMPARE(run->trace.n_tokens(), n_tokens);
            for (std::size_t t = 0; t < run->tokens.size(); ++t) {
                QCOMPARE(run->tokens[t], words.first + static_cast<int>(t));
            }
            QCOMPARE(run->trace.n_layer, 3U);
            QCOMPARE(run->trace.n_items, 32U);
            const double kept = kept_share(run->trace);
            QVERIFY2(std::abs(kept - kShares[i]) < 0.03, qPrintable(QString::number(kept)));
            // A layer's experts are as good as independent of another layer's.
            std::size_t alike = 0;
            std::vector<int> uses(32);
            for (std::size_t t = 0; t < n_tokens; ++t) {
                const auto first = run->trace.demand(t, 0);
                const auto second = run->trace.demand(t, 1);
                QCOMPARE(first.size(), std::size_t{4});
                alike += std::equal(first.begin(), first.end(), second.begin(), second.end());
                for (const std::uint16_t expert : first) {
                    ++uses[expert];
                }
            }
            QVERIFY(alike < n_tokens / 20);
            QVERIFY(*std::min_element(uses.begin(), uses.end()) > 0);
            QVERIFY(*std::max_element(uses.begin(), uses.end()) < 150);  // 50 in the mean
        }
    }

    // The last word of a circle is followed by its first, a token that is no word by the first of
    // all.
    void circles_close() {
        const ModelShape shape = shape_of("qwen3moe", 64, kShares);
        QVERIFY(write_random_model(path_, shape, DType::Q8_0, DType::Q8_0, 1, 2));
        const auto engine = load(path_);
        QVERIFY(engine);
        for (std::size_t i = 0; i < kShares.size(); ++i) {
            const WordRange words = circle_of(shape.vocab, shape.n_vocab, i, kShares.size());
            const int last = words.first + words.count - 1;
            const auto run = run_experts(engine->impl(), {.first = last, .n_tokens = 3});
            QVERIFY(run);
            const std::vector<TokenId> wanted{last, words.first, words.first + 1};
            QVERIFY(run->tokens == wanted);
        }
        const int first = circle_of(shape.vocab, shape.n_vocab, 0, kShares.size()).first;
        for (const int no_word : {7, shape.n_vocab - 1}) {
            const auto run = run_experts(engine->impl(), {.first = no_word, .n_tokens = 3});
            QVERIFY(run);
            const std::vector<TokenId> wanted{no_word, first, first + 1};
            QVERIFY(run->tokens == wanted);
        }
        const auto from_begin = run_experts(engine->impl(), {.n_tokens = 2});
        QVERIFY(from_begin);
        QCOMPARE(from_begin->tokens[0], shape.n_vocab - 256);
        QCOMPARE(from_begin->tokens[1], first);
        QVERIFY(!run_experts(engine->impl(), {.first = shape.n_vocab, .n_tokens = 1}));
    }

    // Text alone is planted in a dense model: it goes round each circle.
    void a_dense_model_repeats_its_text_data() {
        QTest::addColumn<QString>("arch");
        QTest::newRow("llama") << "llama";
        QTest::newRow("qwen35") << "qwen35";
    }
    void a_dense_model_repeats_its_text() {
        QFETCH(QString, arch);
        const std::string name = arch.toStdString();
        const std::vector<double> circles(40, 0.0);
        ModelShape shape = shape_of(name == "llama" ? "qwen3moe" : "qwen35moe", 64, circles);
        shape.arch = name;
        shape.head_norms = name != "llama";
        shape.experts = {.kept = circles};
        QVERIFY(write_random_model(path_, shape, DType::Q8_0, DType::Q8_0, 1, 2));
        const auto engine = load(path_);
        QVERIFY(engine);
        const Cancellation never;
        for (const std::size_t circle : {std::size_t{0}, std::size_t{39}}) {
            const WordRange words = circle_of(shape.vocab, shape.n_vocab, circle, circles.size());
            QVERIFY(words.count > 2 && words.count < 60);
            Session& session = *engine->impl().session;
            session.clear();
            for (int i = 0; i < 2 * words.count; ++i) {
                QVERIFY(session.decode_one(words.first + i % words.count, never));
                const auto logits = session.last_logits(never);
                QVERIFY(logits);
                const auto best = std::max_element(logits->begin(), logits->end());
                QCOMPARE(static_cast<int>(best - logits->begin()),
                         words.first + (i + 1) % words.count);
            }
        }
        shape.experts.kept = kShares;
        const auto shared = write_random_model(path_, shape, DType::Q8_0, DType::Q8_0, 1, 2);
        QVERIFY(!shared);
        QVERIFY(shared.error().message.find("no share of its experts") != std::string::npos);
    }

    // The first 32 columns pass through the model as they are: all that would write them is zero,
    // and routers read nothing else.
    void no_block_writes_the_code_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<int>("n_writers");
        QTest::newRow("qwen3moe") << "qwen3moe" << 3 * 2;
        QTest::newRow("gpt-oss") << "gpt-oss" << 3 * 4;
        QTest::newRow("qwen35moe") << "qwen35moe" << 3 * 3;
    }
    void no_block_writes_the_code() {
        QFETCH(QString, arch);
        QFETCH(int, n_writers);
        const ModelShape shape = shape_of(arch.toStdString(), 64, kShares);
        QVERIFY(write_random_model(path_, shape, DType::Q4_0, DType::Q8_0, 1, 2));
        const auto file = GgufFile::open(path_);
        QVERIFY(file);
        int writers = 0;
        int routers = 0;
        for (const TensorInfo& tensor : file->tensors().entries()) {
            std::vector<std::byte> bytes(tensor.rows() * row_bytes(tensor.type, tensor.cols()));
            QVERIFY(file->read(tensor, 0, bytes));
            std::vector<float> values(tensor.values());
            dequantize_row(tensor.type, bytes.data(), values);
            const std::string& name = tensor.name;
            const auto is = [&](const char* end) { return name.ends_with(end); };
            const bool is_bias = is("attn_output.bias") || is("ffn_down_exps.bias");
            if (is_bias || is("attn_output.weight") || is("ssm_out.weight") ||
                is("ffn_down_exps.weight") || is("ffn_down_shexp.weight")) {
                ++writers;
                const std::size_t of_output = is_bias ? 1 : tensor.cols();
                for (std::size_t i = 0; i < values.size(); i += of_output) {
                    const bool in_code = i / of_output % 64 < 32;
                    const bool zero = std::all_of(&values[i], &values[i] + of_output,
                                                  [](float value) { return value == 0; });
                    QVERIFY2(zero == in_code, name.c_str());
                }
            } else if (is("ffn_gate_inp.weight")) {
                ++routers;
                double squares = 0;
                for (std::size_t i = 0; i < values.size(); ++i) {
                    QVERIFY(i % 64 < 32 || values[i] == 0);
                    squares += static_cast<double>(values[i] * values[i]);
                }
                QVERIFY(std::abs(squares / 32 - 1) < 0.2);  // as long as without a code
            } else if (is("ffn_gate_inp.bias")) {
                QVERIFY(std::all_of(values.begin(), values.end(),
                                    [](float value) { return value == 0; }));
            }
        }
        QCOMPARE(writers, n_writers);
        QCOMPARE(routers, 3);
    }

    // A budget with slots for some of the experts decodes the same text, and reports its slots.
    void a_run_reports_its_cache() {
        const ModelShape shape = shape_of("qwen3moe", 256, kShares);
        QVERIFY(write_random_model(path_, shape, DType::Q8_0, DType::Q8_0, 1, 2));
        const auto whole = load(path_);
        QVERIFY(whole);
        const ExpertRunOptions wanted{.first = 1000, .n_before = 20, .n_tokens = 60};
        const auto in_ram = run_experts(whole->impl(), wanted);
        QVERIFY(in_ram);
        QCOMPARE(in_ram->report.hits + in_ram->report.misses, std::uint64_t{0});
        const std::uint64_t expert = 3ULL * 256 * 256 * 34 / 32;
        const auto some = load(path_, whole->impl().plan.ram.total() - 3 * 32 * expert / 2);
        QVERIFY(some);
        for (const bool records : {true, false}) {
            ExpertRunOptions options = wanted;
            options.records = records;
            const auto run = run_experts(some->impl(), options);
            QVERIFY(run);
            QVERIFY(run->tokens == in_ram->tokens);
            QCOMPARE(run->trace.n_tokens(), std::size_t(records ? 60 : 0));
            QVERIFY(!records || run->trace.sets == in_ram->trace.sets);
            const CacheReport& report = run->report;
            QCOMPARE(report.tokens, std::uint64_t{60});
            QCOMPARE(report.hits + report.misses, std::uint64_t{60 * 3 * 4});
            QVERIFY(report.misses > 0 && report.disk_bytes > 0 && report.tokens_per_second > 0);
            QCOMPARE(report.layers.size(), std::size_t{3});
            for (std::size_t layer = 0; layer < 3; ++layer) {
                QVERIFY(report.layers[layer].n_slots > 4 && report.layers[layer].n_slots < 32);
                QCOMPARE(report.layers[layer].expert_bytes, expert);
                QVERIFY(report.layers[layer].resident.empty());
                QCOMPARE(in_ram->report.layers[layer].n_slots, std::uint64_t{0});
                QCOMPARE(in_ram->report.layers[layer].resident.size(), std::size_t{32});
            }
        }
    }

    void a_share_is_found_by_drawing() {
        QVERIFY(std::abs(kept_share_of(0, 128, 8) - 8.0 / 128) < 0.004);
        QVERIFY(std::abs(kept_share_of(0, 7, 3) - 3.0 / 7) < 0.015);
        QCOMPARE(kept_share_of(1, 32, 4), 1.0);
        double before = -1;
        for (const double correlation : {-0.5, 0.0, 0.4, 0.7, 0.93}) {
            const double share = kept_share_of(correlation, 32, 4);
            QVERIFY(share > before);
            before = share;
        }
        QVERIFY(before > 0.6);
    }

    void bytes_depend_on_the_seed_alone() {
        const auto made = [&](std::uint64_t seed, int threads) {
            const ModelShape shape = shape_of("gpt-oss", 64, kShares);
            return write_random_model(path_, shape, DType::Q4_0, DType::Q8_0, seed, threads)
                       ? test::read_file(path_)
                       : test::Bytes{};
        };
        const test::Bytes one = made(7, 1);
        QVERIFY(!one.empty());
        QVERIFY(made(7, 3) == one);
        QVERIFY(made(8, 1) != one);
    }

    void refuses_what_it_cannot_plant_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<QString>("why");
        QTest::newRow("another architecture") << 0 << "not in llama";
        QTest::newRow("a tied head") << 1 << "output matrix of its own";
        QTest::newRow("too narrow") << 2 << "no room for a code";
        QTest::newRow("blocks longer than a code") << 3 << "no room for a code";
        QTest::newRow("too much") << 4 << "0 to 0.6";
        QTest::newRow("no number") << 5 << "0 to 0.6";
        QTest::newRow("too few experts") << 6 << "are kept where 4 of 6 are chosen";
        QTest::newRow("too few words") << 7 << "two words";
    }
    void refuses_what_it_cannot_plant() {
        QFETCH(int, which);
        QFETCH(QString, why);
        const std::vector<double> shares = which == 4   ? std::vector{0.2, 0.8}
                                           : which == 5 ? std::vector{std::nan("")}
                                                        : std::vector{0.2, 0.4};
        ModelShape shape = shape_of("qwen3moe", which == 2 ? 32 : which == 3 ? 256 : 64, shares);
        DType type = DType::Q8_0;
        if (which == 0) {
            shape.arch = "llama";
        } else if (which == 1) {
            shape.tied = true;
        } else if (which == 3) {
            type = DType::Q4_K;
        } else if (which == 6) {
            shape.experts.n = 6;
        } else if (which == 7) {
            shape.n_vocab = least_vocab(shape.vocab) + 3;
        }
        const auto made = write_random_model(path_, shape, type, type, 1, 1);
        QVERIFY(!made);
        QCOMPARE(made.error().code, ErrorCode::InvalidArgument);
        QVERIFY2(made.error().message.find(why.toStdString()) != std::string::npos,
                 made.error().message.c_str());
    }

private:
    test::TempDir dir_;
    std::string path_ = dir_.file("kept.gguf");
};

QTEST_GUILESS_MAIN(KeptExpertsTest)
#include "kept_experts_test.moc"
