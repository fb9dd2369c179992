// Mixtures of experts on the processor: logits are those of plain arithmetic however a text is cut
// into passes, each rule of a router counts, and what a token leaves out is not read.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cpu/cpu_executor.h"
#include "hardware/cpu_features.h"
#include "plan/planner.h"
#include "session/loaded_model.h"
#include "session/processor.h"
#include "support/loose_cpu_executor.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::DType;
using hearth::TokenId;
using hearth::test::GgufBuilder;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;

namespace {

// Keys and values of earlier passes are read as halves; logits are about 1 each.
constexpr double kBound = 5e-3;
constexpr int kTokens = 70;

std::vector<TokenId> words(int count) {
    std::vector<TokenId> tokens;
    for (int i = 0; i < count; ++i) {
        tokens.push_back(3 + (i * i * 7 + i * 3 + 5) % 256);
    }
    return tokens;
}

TinyModelOptions options_of(const std::string& arch) {
    TinyModelOptions options{.arch = arch, .n_layer = 4, .n_ctx = 256};
    if (arch == "llama" || arch == "granitehybrid") {
        options.n_experts = 5;
        options.n_used_experts = 2;
    }
    options.n_left_out = arch == "qwen35moe" || arch == "glm4moe" ? 1 : 0;
    return options;
}

struct Nothing final : hearth::LoadMonitor {
    bool loaded(double) override { return true; }
};

// One block by itself.
class Block {
public:
    Block(const std::string& path, const std::string& isa, int threads)
        : file_(*hearth::GgufFile::open(path)),
          spec_(*hearth::read_model_spec(file_)),
          tensors_(*hearth::bind_tensors(file_, spec_)),
          plan_(*hearth::make_plan(
              spec_, {hearth::detect_cpu_features(), {}},
              {.ram_bytes = 400'000'000, .threads = threads},
              hearth::memory_costs(spec_, tensors_, hearth::FeedForwardMode::Dense, threads))),
          ledger_(plan_.ram),
          pool_(threads),
          executor_(hearth::test::loose_cpu_executor(pool_, isa)) {
        Nothing monitor;
        loaded_ = executor_->load({file_, spec_, tensors_, plan_, ledger_}, monitor).has_value();
    }
    bool loaded() const { return loaded_; }
    int n_embd() const { return spec_.n_embd; }
    // The last layer's block of rows of n_embd numbers. Empty: it failed.
    std::vector<float> run(std::span<const float> x) {
        const int layer = spec_.n_layer() - 1;
        const hearth::Cluster all{layer, 0, spec_.layer(layer).n_ff};
        std::vector<float> y(x.size(), std::numeric_limits<float>::quiet_NaN());
        const auto n_tokens = static_cast<int>(x.size()) / spec_.n_embd;
        const bool done =
            executor_->feed_forward({layer, x.data(), y.data(), n_tokens, {&all, 1}}).has_value();
        return done ? y : std::vector<float>{};
    }

private:
    hearth::GgufFile file_;
    hearth::ModelSpec spec_;
    hearth::ModelTensors tensors_;
    hearth::Plan plan_;
    hearth::Ledger ledger_;
    hearth::ThreadPool pool_;
    std::unique_ptr<hearth::CpuExecutor> executor_;
    bool loaded_ = false;
};

}  // namespace

class ExpertsTest : public QObject {
    Q_OBJECT

private slots:
    void logits_are_those_of_plain_arithmetic_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<int>("batch");
        for (const char* arch :
             {"llama", "granitehybrid", "qwen2moe", "qwen3moe", "qwen3vlmoe", "qwen35moe", "olmoe",
              "lfm2moe", "granitemoe", "glm4moe", "minimax-m2"}) {
            for (const int batch : {1, 7, 64, 70}) {
                QTest::addRow("%s, %d", arch, batch) << arch << batch;
            }
        }
    }
    void logits_are_those_of_plain_arithmetic() {
        QFETCH(QString, arch);
        QFETCH(int, batch);
        const TinyModel model(options_of(arch.toStdString()));
        QVERIFY(model.write(path_));
        const auto engine = load();
        QVERIFY(engine);
        const std::vector<TokenId> tokens = words(kTokens);
        const std::vector<double> all = model.logits(tokens);
        std::vector<double> got;
        std::vector<double> wanted;
        hearth::Session& session = *engine->impl().session;
        for (std::size_t first = 0; first < tokens.size();) {
            const std::size_t n = std::min(static_cast<std::size_t>(batch), tokens.size() - first);
            QVERIFY(session.append(std::span(tokens).subspan(first, n), never_));
            first += n;
            const auto row = session.last_logits(never_);
            QVERIFY(row);
            got.insert(got.end(), row->begin(), row->end());
            const auto at = all.begin() + static_cast<std::ptrdiff_t>((first - 1) * row->size());
            wanted.insert(wanted.end(), at, at + static_cast<std::ptrdiff_t>(row->size()));
        }
        double worst = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            worst = std::max(worst, std::fabs(got[i] - wanted[i]));
        }
        QVERIFY2(worst < kBound, qPrintable(QString::number(worst)));
        QVERIFY(divergence(got, wanted) < 1e-5);
    }

    // Each rule changed once, in the file's keys: then the logits are others.
    void each_rule_of_a_router_counts_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<QString>("key");
        QTest::addColumn<double>("value");
        QTest::newRow("sigmoids") << "lfm2moe"
                                  << "expert_gating_func" << 1.0;
        QTest::newRow("softmax") << "qwen3moe"
                                 << "expert_gating_func" << 2.0;
        QTest::newRow("weights that are normed") << "qwen3moe"
                                                 << "expert_weights_norm" << 0.0;
        QTest::newRow("weights that are not") << "olmoe"
                                              << "expert_weights_norm" << 1.0;
        QTest::newRow("softmax of the chosen") << "olmoe"
                                               << "expert_gating_func" << 3.0;
        QTest::newRow("scale of weights") << "glm4moe"
                                          << "expert_weights_scale" << 1.0;
        QTest::newRow("groups") << "glm4moe"
                                << "expert_group_count" << 1.0;
        QTest::newRow("groups that are used") << "glm4moe"
                                              << "expert_group_used_count" << 4.0;
        QTest::newRow("experts of a token") << "qwen3moe"
                                            << "expert_used_count" << 2.0;
        QTest::newRow("bias") << "minimax-m2"
                              << "" << 0.0;
    }
    void each_rule_of_a_router_counts() {
        QFETCH(QString, arch);
        QFETCH(QString, key);
        QFETCH(double, value);
        TinyModelOptions options = options_of(arch.toStdString());
        options.router_scale = 1.0F;
        const TinyModel model(options);
        GgufBuilder changed = model.file();
        if (key.isEmpty()) {
            for (int layer = 0; layer < 4; ++layer) {
                changed.without("blk." + std::to_string(layer) + ".exp_probs_b.bias");
            }
        } else {
            const std::string name = (arch + "." + key).toStdString();
            const hearth::test::Bytes whole = changed.bytes();
            if (hearth::GgufFile::parse(whole, "tiny.gguf")->metadata().contains(name)) {
                changed.without(name);
            }
            if (key == "expert_weights_norm") {
                changed.key(name, value > 0);
            } else if (key == "expert_weights_scale") {
                changed.key(name, static_cast<float>(value));
            } else {
                changed.key(name, static_cast<std::uint32_t>(value));
            }
        }
        const std::vector<double> got = logits_of(changed);
        QVERIFY(!got.empty());
        const double kl = divergence(got, model.logits(words(kTokens)));
        QVERIFY2(kl > 1e-2, qPrintable(QString::number(kl)));
    }

    // The softmax of all, normed over the chosen, is the softmax of the chosen.
    void softmax_of_the_chosen_is_normed_softmax() {
        const TinyModel model(options_of("qwen3moe"));
        GgufBuilder other = model.file();
        other.key("qwen3moe.expert_gating_func", std::uint32_t{3});
        const std::vector<double> got = logits_of(other);
        QVERIFY(!got.empty());
        QVERIFY(divergence(got, logits_of(model.file())) < 1e-9);
    }

    // A shared expert without a key of its own is as wide as a dense block would be.
    void a_shared_expert_may_be_as_wide_as_a_block() {
        const TinyModel model(options_of("qwen35moe"));
        GgufBuilder other = model.file();
        other.without("qwen35moe.expert_shared_feed_forward_length");
        const std::vector<double> got = logits_of(other);
        QVERIFY(got == logits_of(model.file()));
    }

    // Experts never trained say nothing.
    void experts_may_be_all_zeros() {
        const TinyModel model(options_of("llama"));
        GgufBuilder zeros = model.file();
        zeros.without("blk.1.ffn_down_exps.weight")
            .tensor("blk.1.ffn_down_exps.weight", {5, 64, 96}, DType::F32);
        const std::vector<double> got = logits_of(zeros);
        QVERIFY(!got.empty());
        QVERIFY(std::all_of(got.begin(), got.end(), [](double x) { return std::isfinite(x); }));
        QVERIFY(divergence(got, model.logits(words(kTokens))) > 1e-4);
    }

    // A block's rows come out the same, bit by bit, in a batch and alone, by any number of threads.
    void batches_and_threads_change_nothing_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<int>("type");
        QTest::addColumn<QString>("isa");
        const char* archs[] = {"qwen3moe", "qwen2moe", "glm4moe"};
        int next = 0;
        for (const char* isa : {"", "avx2", "generic"}) {
            for (const DType type :
                 {DType::F32, DType::BF16, DType::Q8_0, DType::Q4_0, DType::Q4_K, DType::Q6_K}) {
                QTest::addRow("%s %s", isa, hearth::dtype_info(type).name.data())
                    << archs[next++ % 3] << static_cast<int>(type) << isa;
            }
        }
    }
    void batches_and_threads_change_nothing() {
        QFETCH(QString, arch);
        QFETCH(int, type);
        QFETCH(QString, isa);
        if (!hearth::kernels::select(hearth::detect_cpu_features().flags, isa.toUtf8())) {
            QSKIP("this processor has no such instructions");
        }
        TinyModelOptions options = options_of(arch.toStdString());
        options.type = static_cast<DType>(type);
        options.n_layer = 2;
        options.n_embd = 256;
        options.n_ff = 256;
        QVERIFY(TinyModel(options).write(path_));
        std::mt19937 random(3);
        std::normal_distribution<float> normal;
        constexpr int kRows = 67;
        std::vector<float> x(static_cast<std::size_t>(kRows) * 256);
        std::generate(x.begin(), x.end(), [&] { return normal(random); });
        std::vector<float> first;
        for (const int threads : {1, 2, 3}) {
            Block block(path_, isa.toStdString(), threads);
            QVERIFY(block.loaded());
            const std::vector<float> all = block.run(x);
            first = first.empty() ? all : first;
            QVERIFY(!all.empty() && all == first);
            const std::span rows(x);
            for (const auto& [token, count] :
                 {std::pair{0, 1}, {66, 1}, {10, 2}, {20, 5}, {30, 16}, {31, 33}}) {
                const auto at = static_cast<std::size_t>(token) * 256;
                const auto n = static_cast<std::size_t>(count) * 256;
                const std::vector<float> some = block.run(rows.subspan(at, n));
                QVERIFY(std::equal(some.begin(), some.end(),
                                   all.begin() + static_cast<std::ptrdiff_t>(at)));
                QCOMPARE(some.size(), n);
            }
        }
    }

    // A router that gives no numbers ends a pass with an error, and the next one works.
    void a_router_that_overflows_is_told() {
        const TinyModel model({.arch = "qwen3moe", .n_layer = 1});
        QVERIFY(model.write(path_));
        Block block(path_, "", 2);
        QVERIFY(block.loaded());
        std::vector<float> x(static_cast<std::size_t>(block.n_embd()), 1.0F);
        const std::vector<float> before = block.run(x);
        QVERIFY(!before.empty());
        x[0] = std::numeric_limits<float>::quiet_NaN();
        QVERIFY(block.run(x).empty());
        x[0] = 1.0F;
        QVERIFY(block.run(x) == before);
    }

    // The bytes that a decoded token reads: those of its experts, of the shared one and the router.
    void a_token_reads_the_experts_that_it_uses() {
        const auto bytes = [&](int n_used) {
            TinyModelOptions options = options_of("llama");
            options.n_used_experts = n_used;
            TinyModel(options).write(path_);
            const auto engine = load();
            return engine == nullptr ? 0 : engine->impl().executor->decode_weight_bytes();
        };
        // Three matrices of floats in each of four layers.
        const std::uint64_t expert = 4 * 3 * 64 * 96 * sizeof(float);
        QCOMPARE(bytes(2) - bytes(1), expert);
        QCOMPARE(bytes(5) - bytes(2), 3 * expert);
    }

    void what_is_planned_is_held() {
        QVERIFY(TinyModel(options_of("qwen35moe")).write(path_));
        const auto engine = load();
        QVERIFY(engine);
        const hearth::LoadedModel& model = engine->impl();
        QCOMPARE(model.ledger->actual().total(), model.plan.ram.total());
    }

private:
    // Of every position, in one pass.
    std::vector<double> logits_of(const GgufBuilder& file) {
        if (!file.write(path_)) {
            return {};
        }
        const auto engine = load();
        if (!engine) {
            return {};
        }
        std::vector<double> all;
        const auto keep = [&](std::size_t, std::span<const float> row) {
            all.insert(all.end(), row.begin(), row.end());
        };
        const bool done =
            engine->impl()
                .session->score(words(kTokens), hearth::Decoder::Want::All, keep, never_)
                .has_value();
        return done ? all : std::vector<double>{};
    }
    // The mean over positions of the divergence of `got` from what is wanted, in nats.
    static double divergence(const std::vector<double>& got, const std::vector<double>& wanted) {
        const auto n_vocab = static_cast<std::size_t>(TinyModel::kVocab);
        double sum = 0;
        for (std::size_t row = 0; row < wanted.size(); row += n_vocab) {
            double total_got = 0;
            double total_wanted = 0;
            for (std::size_t i = row; i < row + n_vocab; ++i) {
                total_got += std::exp(got[i]);
                total_wanted += std::exp(wanted[i]);
            }
            for (std::size_t i = row; i < row + n_vocab; ++i) {
                sum += std::exp(wanted[i]) / total_wanted *
                       (wanted[i] - std::log(total_wanted) - got[i] + std::log(total_got));
            }
        }
        return sum / static_cast<double>(wanted.size() / n_vocab);
    }
    std::unique_ptr<hearth::Engine> load() const {
        hearth::EngineOptions options;
        options.model_path = path_;
        options.threads = 2;
        options.gpu = "none";
        auto engine = hearth::Engine::load(options);
        if (!engine) {
            qWarning("%s", engine.error().message.c_str());
        }
        return engine ? std::move(*engine) : nullptr;
    }

    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
    const hearth::Cancellation never_{};
};

QTEST_GUILESS_MAIN(ExpertsTest)
#include "experts_test.moc"
