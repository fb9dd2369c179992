// Drafted tokens that a GPU passes together, or both units do: each has the bits that it has alone.
#include <QtTest>
#include <vector>

#include "session/loaded_model.h"
#include "support/small_engine.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::DType;
using hearth::TokenId;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;
using hearth::test::words;

namespace {

using Tokens = std::vector<TokenId>;

}  // namespace

class DraftsGpuTest : public QObject {
    Q_OBJECT

private:
    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("model.gguf");
    std::unique_ptr<hearth::Engine> engine_;

    hearth::Session& session() { return *engine_->impl().session; }
    // percent: of the VRAM that the whole model takes.
    bool load(const TinyModelOptions& model, const char* kv, std::uint64_t percent,
              const char* mode = "") {
        if (!TinyModel(model).write(path_)) {
            return false;
        }
        hearth::EngineOptions options = hearth::test::small_engine(path_);
        options.gpu = "0";
        options.speeds = hearth::test::kFastGpu;
        options.n_ctx = model.n_ctx;
        options.kv = kv;
        options.mode = mode;
        engine_ = hearth::test::load_or_say(options);
        if (engine_ && percent < 100) {
            options.vram_bytes = engine_->memory().vram_bytes * percent / 100;
            engine_.reset();
            engine_ = hearth::test::load_or_say(options);
        }
        return engine_ != nullptr;
    }

private slots:
    void initTestCase() {
        QVERIFY(TinyModel({.arch = "llama"}).write(path_));
        hearth::EngineOptions options = hearth::test::small_engine(path_);
        options.gpu = "0";
        const auto engine = hearth::Engine::load(options);
        if (!engine && engine.error().field == "gpu") {
            QVERIFY(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"));
            QSKIP("there is no GPU, nor lavapipe");
        }
        QVERIFY2(engine, engine ? "" : engine.error().message.c_str());
    }

    void each_has_the_bits_it_has_alone_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<DType>("type");
        QTest::addColumn<QString>("kv");
        QTest::addColumn<int>("before");   // tokens
        QTest::addColumn<int>("percent");  // of VRAM
        const auto row = [](const char* arch, DType type, const char* kv, int before, int percent) {
            QTest::addRow("%s %d %s %d %d %%", arch, static_cast<int>(type), kv, before, percent)
                << arch << type << kv << before << percent;
        };
        row("llama", DType::Q4_0, "f16", 3, 100);
        row("llama", DType::F16, "f16", 300, 100);   // a past of several parts
        row("llama", DType::Q8_0, "q8_0", 70, 100);  // in bytes
        row("llama", DType::Q4_0, "f16", 70, 60);    // the processor has a part
        row("qwen3", DType::Q4_0, "f16", 70, 100);   // heads are normed
        row("qwen3", DType::Q4_0, "q8_0", 70, 100);
        row("gemma2", DType::Q8_0, "f16", 900, 100);  // a window that has moved, norms behind
        row("starcoder2", DType::Q4_0, "f16", 70, 100);
        row("falcon", DType::F32, "f16", 70, 100);   // attention and block side by side
        row("olmo2", DType::Q4_0, "f16", 70, 100);   // whole queries and keys are normed
        row("gemma4", DType::Q8_0, "f16", 70, 100);  // inputs of layers, shared pasts
    }
    void each_has_the_bits_it_has_alone() {
        QFETCH(QString, arch);
        QFETCH(DType, type);
        QFETCH(QString, kv);
        QFETCH(int, before);
        QFETCH(int, percent);
        TinyModelOptions model{.arch = arch.toStdString(),
                               .type = type,
                               .n_layer = percent < 100 ? 4 : 2,
                               .n_head = 2,
                               .n_head_kv = 1,
                               .n_ff = 192,
                               .n_ctx = 1100,
                               .head_dim = arch == "qwen3" ? 64 : 0};
        QVERIFY(load(model, kv.toUtf8().constData(), static_cast<std::uint64_t>(percent)));
        QVERIFY(session().append(words(before), {}));
        compare_with_alone({2, 4, 5, 8, 11});  // the last one are two passes
    }

private:
    void compare_with_alone(std::initializer_list<int> counts) {
        QVERIFY(session().past().gpu != nullptr);
        QVERIFY(session().can_draft());
        for (const int count : counts) {
            const Tokens tokens = words(count, 5 + count);
            std::vector<std::vector<float>> together;
            const auto looked =
                session().look_ahead(tokens,
                                     [&](std::size_t index, std::span<const float> row) {
                                         QCOMPARE(index, together.size());
                                         together.emplace_back(row.begin(), row.end());
                                     },
                                     {});
            QVERIFY2(looked, looked ? "" : looked.error().message.c_str());
            QCOMPARE(static_cast<int>(together.size()), count);
            const std::size_t held = session().cached_tokens().size();
            for (std::size_t i = 0; i < tokens.size(); ++i) {
                QVERIFY(session().decode_one(tokens[i], {}));
                const auto alone = session().last_logits({});
                QVERIFY(alone);
                QVERIFY2(std::equal(alone->begin(), alone->end(), together[i].begin()),
                         qPrintable(QString("token %1 of %2").arg(i).arg(count)));
            }
            session().truncate(held);
        }
    }

private slots:

    void mixtures_have_the_bits_they_have_alone_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<DType>("type");
        QTest::addColumn<int>("percent");  // of VRAM
        const auto row = [](const char* arch, DType type, int percent) {
            QTest::addRow("%s %d %d %%", arch, static_cast<int>(type), percent)
                << arch << type << percent;
        };
        row("qwen3moe", DType::Q4_0, 100);
        row("qwen3moe", DType::F16, 100);
        row("qwen3moe", DType::Q4_0, 60);   // the processor has experts
        row("qwen2moe", DType::Q8_0, 100);  // a shared expert with a gate
        row("qwen2moe", DType::Q8_0, 60);
        row("olmoe", DType::Q4_0, 100);
        row("granitemoe", DType::Q4_0, 100);
        row("glm4moe", DType::Q4_0, 100);  // a dense layer, groups of experts, a shared one
        row("glm4moe", DType::Q4_0, 60);
        row("minimax-m2", DType::Q8_0, 100);
        row("gpt-oss", DType::Q8_0, 100);  // biases of experts, sinks, windows
        row("gpt-oss", DType::Q8_0, 60);
        row("smallthinker", DType::Q4_0, 100);  // routers read the stream; experts' gates close
        row("smallthinker", DType::Q4_0, 60);
        row("gemma4", DType::Q8_0, 100);  // norms apart
        row("gemma4", DType::Q8_0, 60);
        row("llama", DType::Q4_0, 100);
    }
    void mixtures_have_the_bits_they_have_alone() {
        QFETCH(QString, arch);
        QFETCH(DType, type);
        QFETCH(int, percent);
        const bool may_have_none = arch == "gemma4" || arch == "llama";
        QVERIFY(load({.arch = arch.toStdString(),
                      .type = type,
                      .n_layer = percent < 100 ? 4 : 2,
                      .n_embd = 128,
                      .n_ff = 256,
                      .n_ctx = 400,
                      .n_experts = may_have_none ? 8 : 0,
                      .n_used_experts = may_have_none ? 2 : 0},
                     "f16", static_cast<std::uint64_t>(percent)));
        const hearth::Placement& placement = engine_->impl().plan.placement;
        const hearth::ModelSpec& spec = engine_->impl().spec;
        int hot = 0;
        int all = 0;
        for (int layer = 0; layer < spec.n_layer(); ++layer) {
            if (spec.layer(layer).is_mixture()) {
                hot += placement.hot(layer);
                all += spec.layer(layer).n_ff;
            }
        }
        QVERIFY(hot > 0);
        QCOMPARE(hot < all, percent < 100);
        QVERIFY(session().append(words(70), {}));
        compare_with_alone({3, 8});
    }

    void sparse_models_have_the_bits_they_have_alone_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<DType>("type");
        QTest::addColumn<bool>("by_neuron");
        QTest::addColumn<bool>("fused");
        QTest::addColumn<QString>("activation");
        const auto row = [](const char* arch, DType type, bool by_neuron, bool fused,
                            const char* activation) {
            QTest::addRow("%s %d %s%s%s", arch, static_cast<int>(type), activation,
                          by_neuron ? " by neuron" : "", fused ? " fused" : "")
                << arch << type << by_neuron << fused << activation;
        };
        row("bamboo", DType::Q4_0, false, false, "");
        row("bamboo", DType::Q4_0, true, false, "");
        row("bamboo", DType::F16, true, false, "");
        row("llama", DType::Q8_0, false, true, "reglu");
        row("opt", DType::Q4_0, false, false, "");    // there are no gates
        row("falcon", DType::Q4_0, true, false, "");  // likewise
    }
    void sparse_models_have_the_bits_they_have_alone() {
        QFETCH(QString, arch);
        QFETCH(DType, type);
        QFETCH(bool, by_neuron);
        QFETCH(bool, fused);
        QFETCH(QString, activation);
        QVERIFY(load({.arch = arch.toStdString(),
                      .type = type,
                      .n_ff = 192,
                      .n_ctx = 200,
                      .by_neuron = by_neuron,
                      .fused_gate_up = fused,
                      .activation = activation.toStdString(),
                      .relu_threshold = activation.isEmpty() ? std::optional<float>() : 0.1F},
                     "f16", 100, "exact"));
        QVERIFY(session().append(words(40), {}));
        compare_with_alone({3, 8});
    }

    // A few tokens of a sparse model leave out what none of them opens, more compute all; the sums
    // are the processor's.
    void a_short_batch_leaves_out_closed_gates_data() {
        QTest::addColumn<DType>("type");
        QTest::addColumn<bool>("by_neuron");
        QTest::addColumn<int>("percent");
        QTest::newRow("plain") << DType::F32 << false << 100;
        QTest::newRow("bytes") << DType::Q8_0 << false << 100;
        QTest::newRow("by neuron") << DType::F32 << true << 100;
        QTest::newRow("by neuron, a part") << DType::F32 << true << 60;
    }
    void a_short_batch_leaves_out_closed_gates() {
        QFETCH(DType, type);
        QFETCH(bool, by_neuron);
        QFETCH(int, percent);
        const TinyModelOptions model{.arch = "bamboo",
                                     .type = type,
                                     .n_layer = 3,
                                     .n_ff = 192,
                                     .n_ctx = 200,
                                     .by_neuron = by_neuron};
        QVERIFY(load(model, "f16", static_cast<std::uint64_t>(percent), "exact"));
        hearth::EngineOptions options = hearth::test::small_engine(path_);
        options.mode = "exact";
        options.n_ctx = model.n_ctx;
        const auto processor = hearth::test::load_or_say(options);
        QVERIFY(processor);
        hearth::Executor& gpu = *engine_->impl().gpu_executor;
        for (const int count : {2, 5, 8, 9, 33}) {
            std::vector<std::span<float>> logits;
            for (hearth::Engine* engine : {engine_.get(), processor.get()}) {
                hearth::Session& at = *engine->impl().session;
                at.clear();
                QVERIFY(at.append(words(20), {}));
                gpu.set_tracing(true);
                QVERIFY(at.append(words(count, 4 + count), {}));
                const auto last = at.last_logits({});
                QVERIFY(last);
                logits.push_back(*last);
                const auto trace = gpu.trace();
                if (engine == engine_.get()) {
                    QCOMPARE(std::any_of(trace.begin(), trace.end(),
                                         [](const hearth::TraceLine& line) {
                                             return line.label == "activate";
                                         }),
                             count > 8);
                }
            }
            for (std::size_t i = 0; i < logits[0].size(); ++i) {
                QVERIFY(std::abs(logits[0][i] - logits[1][i]) < 0.05F);
            }
        }
    }

    void says_what_it_cannot_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<int>("predictor_width");
        QTest::newRow("latent attention") << "deepseek2" << 0;
        QTest::newRow("predictors") << "bamboo" << 64;
    }
    void says_what_it_cannot() {
        QFETCH(QString, arch);
        QFETCH(int, predictor_width);
        QVERIFY(load({.arch = arch.toStdString(),
                      .n_ctx = 200,
                      .by_neuron = predictor_width > 0,
                      .predictor_width = predictor_width},
                     "f16", 100, predictor_width > 0 ? "predicted" : ""));
        QVERIFY(!session().can_draft());
    }

    void answers_are_the_same_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<int>("percent");
        QTest::newRow("all in VRAM") << "llama" << 100;
        QTest::newRow("a part") << "llama" << 60;
        QTest::newRow("a mixture") << "qwen3moe" << 100;
        QTest::newRow("a mixture, a part") << "qwen3moe" << 60;
        QTest::newRow("sparse") << "bamboo" << 100;
    }
    void answers_are_the_same() {
        QFETCH(QString, arch);
        QFETCH(int, percent);
        QVERIFY(load({.arch = arch.toStdString(), .type = DType::Q4_0, .n_layer = 4, .n_ctx = 400},
                     "f16", static_cast<std::uint64_t>(percent), arch == "bamboo" ? "exact" : ""));
        QVERIFY(session().past().gpu != nullptr);
        QVERIFY(session().can_draft());
        int tried = 0;
        int right = 0;
        for (const int step : {3, 5, 7, 9, 11}) {  // some answers go round
            Tokens prompt = words(30, step);
            const Tokens again = prompt;
            prompt.insert(prompt.end(), again.begin(), again.end());
            hearth::GenerationOptions asked;
            asked.max_tokens = 100;
            asked.sampling.temperature = step == 3 ? 0.7F : 0.0F;
            if (step == 5) {  // draws want all logits
                asked.sampling.temperature = 0.1F;
                asked.sampling.top_k = 0;
                asked.sampling.min_p = 0;
            }
            asked.sampling.seed = 11;
            asked.drafts = false;
            session().clear();  // both prompts are passed as one batch
            const auto plain = session().generate(prompt, asked, {}, {});
            asked.drafts = true;
            session().clear();
            const auto drafted = session().generate(prompt, asked, {}, {});
            QVERIFY(plain && drafted);
            QCOMPARE(drafted->token_ids, plain->token_ids);
            QCOMPARE(plain->drafted_tokens, 0);
            tried += drafted->drafted_tokens;
            right += drafted->right_drafts;
        }
        // The mixtures' answers seldom go round.
        QVERIFY2(tried > 0 && (right > 0 || arch == "qwen3moe"),
                 qPrintable(QString("%1 of %2 drafts were right").arg(right).arg(tried)));
    }
};

QTEST_GUILESS_MAIN(DraftsGpuTest)
#include "drafts_gpu_test.moc"
