// The measurement behind `hearth-cli bench`: what it does, not how fast.
#include <hearth/tools.h>

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <optional>

#include "session/loaded_model.h"
#include "support/planted_figures.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using namespace hearth;

class BenchTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(test::TinyModel().write(path_));
        EngineOptions options;
        options.model_path = path_;
        options.threads = 2;
        auto loaded = Engine::load(options);
        QVERIFY(loaded);
        engine_ = std::move(*loaded);
    }

    void measures_what_is_asked_for_data() {
        QTest::addColumn<int>("prefill");
        QTest::addColumn<int>("decode");
        QTest::addColumn<int>("depth");
        QTest::newRow("both") << 20 << 9 << 0;
        QTest::newRow("prefill") << 20 << 0 << 0;
        QTest::newRow("decode") << 0 << 9 << 0;
        QTest::newRow("both at a depth") << 20 << 9 << 70;
        QTest::newRow("to the last position") << 0 << 27 << 100;
    }
    void measures_what_is_asked_for() {
        QFETCH(int, prefill);
        QFETCH(int, decode);
        QFETCH(int, depth);
        tools::BenchOptions options;
        options.prefill_tokens = prefill;
        options.decode_tokens = decode;
        options.depth_tokens = depth;
        options.repetitions = 3;
        const auto report = tools::bench(*engine_, options, {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QCOMPARE(report->depth_tokens, depth);
        QCOMPARE(report->prefill.runs_per_s.size(), prefill > 0 ? 3U : 0U);
        QCOMPARE(report->decode.runs_per_s.size(), decode > 0 ? 3U : 0U);
        QCOMPARE(report->latency_ms.size(), static_cast<std::size_t>(3 * decode));
        const Session& session = *engine_->impl().session;
        QVERIFY(session.cached_tokens().empty());
        const std::uint64_t weights = engine_->impl().executor->decode_weight_bytes();
        // Keys and values in halves of all positions before the token in the middle.
        std::uint64_t kv = 0;
        for (const LayerSpec& layer : engine_->impl().spec.layers) {
            kv += decode > 0 ? std::uint64_t{2} * 2 *
                                   static_cast<std::uint64_t>(layer.attention.n_head_kv *
                                                              layer.attention.head_dim) *
                                   static_cast<std::uint64_t>(depth + decode / 2)
                             : 0;
        }
        QCOMPARE(report->ram_bytes_per_token, weights + kv);
        QCOMPARE(report->vram_bytes_per_token, std::uint64_t{0});
        QCOMPARE(report->decoded.tokens, static_cast<std::uint64_t>(3 * decode));
        // All is the processor's if there is no GPU, even with no token decoded.
        QCOMPARE(report->decoded.cpu_share, std::optional<double>(1.0));
        QCOMPARE(report->decoded.gpu_share, std::optional<double>(0.0));
    }

    // What one answer read is in the cache of a model on flash when it is given again.
    void each_repetition_is_another_answer() {
        const std::string path = dir_.file("answers.gguf");
        QVERIFY(test::TinyModel({.n_ff = 192, .planted = true}).write(path));
        EngineOptions options;
        options.model_path = path;
        options.mode = "exact";
        const auto engine = Engine::load(options);
        QVERIFY(engine);
        const auto opened = [&](int repetitions) {
            tools::BenchOptions bench;
            bench.prefill_tokens = 0;
            bench.decode_tokens = 7;
            bench.repetitions = repetitions;
            bench.sampling.temperature = 100;
            const auto report = tools::bench(**engine, bench, {});
            return report ? report->decoded.layers.front().opened : -1;
        };
        const double one = opened(1);
        QVERIFY(one > 0);
        QCOMPARE(opened(1), one);
        QVERIFY(std::fabs(opened(2) - one) > 1e-6);
    }

    // A state is read whole by each token, and a window's past as far as the window goes.
    void a_past_counts_as_it_is_read() {
        constexpr int kDepth = 40;
        constexpr int kTokens = 9;
        for (const char* arch : {"qwen35", "gemma3"}) {
            const std::string path = dir_.file("past.gguf");
            QVERIFY(test::TinyModel({.arch = arch, .n_layer = 4, .n_ctx = 64}).write(path));
            EngineOptions options;
            options.model_path = path;
            options.threads = 2;
            const auto engine = Engine::load(options);
            QVERIFY(engine);
            const ModelSpec& spec = (*engine)->impl().spec;
            std::uint64_t past = 0;
            bool special = false;
            for (const LayerSpec& layer : spec.layers) {
                const AttentionSpec& attention = layer.attention;
                special = special || layer.is_recurrent() || attention.window > 0;
                if (layer.is_recurrent()) {
                    const DeltaNetSpec& net = layer.delta_net;
                    past += sizeof(float) * static_cast<std::uint64_t>(
                                                (layer.conv_kernel() - 1) * layer.conv_width() +
                                                net.value_width() * net.key_dim);
                    continue;
                }
                std::uint64_t positions = 0;
                for (int i = 0; i < kTokens; ++i) {
                    positions += static_cast<std::uint64_t>(
                        std::min(kDepth + i, attention.window > 0 ? attention.window : kDepth + i));
                }
                past += positions * 2 * 2 *
                        static_cast<std::uint64_t>(attention.n_head_kv * attention.head_dim) /
                        kTokens;
            }
            QVERIFY(special);
            tools::BenchOptions bench;
            bench.prefill_tokens = 0;
            bench.decode_tokens = kTokens;
            bench.depth_tokens = kDepth;
            bench.repetitions = 1;
            const auto report = tools::bench(**engine, bench, {});
            QVERIFY2(report, report ? "" : report.error().message.c_str());
            const std::uint64_t weights = (*engine)->impl().executor->decode_weight_bytes();
            QCOMPARE(report->ram_bytes_per_token, weights + past);
        }
    }

    // Planted: what fires for a token is known to the neuron.
    void figures_are_those_of_the_decoded_tokens_data() {
        QTest::addColumn<QString>("mode");
        QTest::addColumn<bool>("by_neuron");
        QTest::addColumn<int>("prefill");
        // A prompt of one token is computed as an answer's are, and is none.
        QTest::newRow("exact") << "exact" << false << 20;
        QTest::newRow("exact, by neuron, prompt of 1") << "exact" << true << 1;
        QTest::newRow("exact, no prompt") << "exact" << false << 0;
        QTest::newRow("dense") << "dense" << false << 1;
        QTest::newRow("dense, by neuron") << "dense" << true << 20;
    }
    void figures_are_those_of_the_decoded_tokens() {
        QFETCH(QString, mode);
        QFETCH(bool, by_neuron);
        QFETCH(int, prefill);
        constexpr int kLayers = 2;
        constexpr std::uint64_t kEmbd = 128;
        constexpr std::uint64_t kFf = 192;
        constexpr std::uint64_t kTokens = 7;
        const std::string path = dir_.file("planted.gguf");
        QVERIFY(test::TinyModel({.n_layer = kLayers,
                                 .n_embd = kEmbd,
                                 .n_ff = kFf,
                                 .by_neuron = by_neuron,
                                 .planted = true})
                    .write(path));
        EngineOptions options;
        options.model_path = path;
        options.threads = 2;
        options.mode = mode.toStdString();
        const auto engine = Engine::load(options);
        QVERIFY(engine);
        const std::vector<TokenId> tokens = test::tokens_that_bench_decodes(**engine, kTokens);
        tools::BenchOptions bench;
        bench.prefill_tokens = prefill;
        bench.decode_tokens = kTokens;
        bench.repetitions = 3;
        bench.sampling.temperature = 0;
        const auto report = tools::bench(**engine, bench, {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());

        const bool exact = mode == "exact";
        std::uint64_t opened = 0;
        std::uint64_t fired = 0;
        for (int layer = 0; layer < kLayers; ++layer) {
            const auto seen = test::planted_counts(layer, tokens, 0, kFf);
            opened += seen.opened;
            fired += seen.fired;
            const LayerStatistics& said = report->decoded.layers[static_cast<std::size_t>(layer)];
            QCOMPARE(said.path, mode.toStdString());
            const auto share = [](std::uint64_t n) {
                return static_cast<double>(n) / static_cast<double>(kFf * kTokens);
            };
            QCOMPARE(said.examined, 1.0);
            QCOMPARE(said.opened, exact ? share(seen.opened) : 1.0);
            QCOMPARE(said.fired, exact ? share(seen.fired) : 1.0);
        }
        QVERIFY(fired > 0 && fired < opened && opened < kLayers * kFf * kTokens);
        QCOMPARE(report->decoded.tokens, 3 * kTokens);
        QCOMPARE(report->decoded.cpu_share, 1.0);
        QCOMPARE(report->decoded.gpu_share, 0.0);

        // Attention, the output head in whole tiles of 16 rows, keys and values of the tokens
        // before; of a block every gate, up of open gates, and down, if it lies by neuron, of what
        // fires, whatever the mode.
        constexpr std::uint64_t kRow = kEmbd * sizeof(float);
        constexpr std::uint64_t kKv = kEmbd / 2;
        const std::uint64_t attention = (2 * kEmbd + 2 * kKv) * kRow;
        const std::uint64_t output = (test::TinyModel::kVocab + 15) / 16 * 16 * kRow;
        const std::uint64_t past = 2 * 2 * kKv * (kTokens - 1) / 2;
        const auto mean = [](std::uint64_t n) {
            return static_cast<double>(n * kRow) / static_cast<double>(kTokens);
        };
        const double up = exact ? mean(opened) : mean(kLayers * kFf * kTokens);
        const double down = by_neuron ? mean(fired) : mean(kLayers * kFf * kTokens);
        QCOMPARE(report->ram_bytes_per_token,
                 output + kLayers * (attention + past + kFf * kRow) +
                     static_cast<std::uint64_t>(std::llround(up + down)));
    }

    void needs_a_context_that_holds_it() {
        tools::BenchOptions options;
        options.prefill_tokens = 20;
        options.decode_tokens = 27;
        options.depth_tokens = 100;
        QCOMPARE(tools::bench_context(options), 128);
        QVERIFY(tools::bench(*engine_, options, {}));
        options.depth_tokens = 101;
        const auto refused = tools::bench(*engine_, options, {});
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::InvalidArgument);
        QVERIFY(QString::fromStdString(refused.error().message).contains("129"));
        options.depth_tokens = std::numeric_limits<int>::max();
        QCOMPARE(tools::bench_context(options), std::numeric_limits<int>::max());
        QVERIFY(!tools::bench(*engine_, options, {}));
        options.depth_tokens = -1;
        QVERIFY(!tools::bench(*engine_, options, {}));
    }

    // A truncated context is as good as one that never held more.
    void going_back_leaves_no_trace() {
        Session& session = *engine_->impl().session;
        const std::vector<TokenId> first(40, 7);
        const std::vector<TokenId> other(50, 9);
        const std::vector<TokenId> second{11, 12, 13};
        const auto logits_after_second = [&] {
            const auto done = session.append(second, {});
            const std::span<const float> logits = *session.last_logits({});
            return done ? std::vector<float>(logits.begin(), logits.end()) : std::vector<float>{};
        };
        session.clear();
        QVERIFY(session.append(first, {}));
        const std::vector<float> wanted = logits_after_second();
        QVERIFY(!wanted.empty());

        session.clear();
        QVERIFY(session.append(first, {}));
        QVERIFY(session.append(other, {}));
        QVERIFY(logits_after_second() != wanted);
        session.truncate(first.size());
        QCOMPARE(session.cached_tokens().size(), first.size());
        QVERIFY(logits_after_second() == wanted);
        session.truncate(1000);  // more than there are: nothing to forget
        QCOMPARE(session.cached_tokens().size(), first.size() + second.size());
        session.clear();
    }

private:
    test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
    std::unique_ptr<Engine> engine_;
};

QTEST_GUILESS_MAIN(BenchTest)
#include "bench_test.moc"
