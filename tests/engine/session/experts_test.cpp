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
#include "support/small_engine.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::DType;
using hearth::TokenId;
using hearth::test::GgufBuilder;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;
using hearth::test::words;

namespace {

// Keys and values of earlier passes are read as halves; logits are about 1 each.
constexpr double kBound = 5e-3;
constexpr int kTokens = 70;

// Experts of Nemotron's that read and write fewer values than a token has.
constexpr const char* kLatent = "nemotron_h_moe latent";

// A Mixtral whose experts leave out what is negative of both gates and ups.
constexpr const char* kTurbo = "llama drelu";

// name: of an architecture; "... fused": gates and ups of experts are in one tensor.
TinyModelOptions options_of(const std::string& name) {
    const std::string arch = name.substr(0, name.find(' '));
    TinyModelOptions options{
        .arch = arch, .n_layer = 4, .n_ctx = 256, .fused_gate_up = name.ends_with(" fused")};
    options.n_latent = name == kLatent ? 32 : 0;
    if (arch == "llama" || arch == "granitehybrid") {
        options.n_experts = 5;
        options.n_used_experts = 2;
    }
    options.activation = name == kTurbo ? "drelu" : "";
    // Qwen's would take RAM, and leave it where there is less.
    options.n_left_out = arch == "glm4moe" || arch == "deepseek2" || arch == "qwen4exp" ? 1 : 0;
    if (arch == "nemotron_h_moe") {
        options.n_layer = 5;
    }
    if (arch == "gemma4") {
        options.n_experts = 8;
        options.n_used_experts = 3;
    }
    return options;
}

// Makes rows whole blocks of every type, and a Gemma 4 the large kind.
void make_wide(TinyModelOptions& options) {
    options.n_embd = 256;
    options.n_ff = 256;
    options.n_latent *= 16;  // more than a token's, in whole blocks
    options.plain_layers = true;
    if (options.arch == "gemma4") {
        options.head_dim = 64;
        options.window_head_dim = 64;
    }
}

struct Nothing final : hearth::LoadMonitor {
    bool loaded(double) override { return true; }
};

// One block by itself.
class Block {
public:
    // n_slots: experts that RAM has room for; 0: it has all. reversed: the last expert stands
    // first.
    Block(const std::string& path, const std::string& isa, int threads, int n_slots = 0,
          bool reversed = false)
        : file_(*hearth::GgufFile::open(path)),
          spec_(*hearth::read_model_spec(file_)),
          tensors_(*hearth::bind_tensors(file_, spec_)),
          plan_(*hearth::make_plan(
              spec_, {hearth::detect_cpu_features(), {}},
              {.ram_bytes = 400'000'000, .threads = threads},
              hearth::memory_costs(spec_, tensors_, hearth::FeedForwardMode::Dense, threads))),
          ledger_(with_slots(n_slots, reversed)),
          pool_(threads),
          executor_(hearth::test::loose_cpu_executor(pool_, isa)) {
        Nothing monitor;
        const auto loaded = executor_->load({file_, spec_, tensors_, plan_, ledger_}, monitor);
        loaded_ = loaded.has_value();
        error_ = loaded_ ? std::string() : loaded.error().message;
    }
    bool loaded() const { return loaded_; }
    hearth::FlashReads reads() const { return executor_->flash(); }
    int n_embd() const { return spec_.n_embd; }
    // The last layer's block of rows of n_embd numbers. Empty: it failed.
    std::vector<float> run(std::span<const float> x) {
        const int layer = spec_.n_layer() - 1;
        const hearth::Cluster all{layer, 0, spec_.layer(layer).n_ff};
        std::vector<float> y(x.size(), std::numeric_limits<float>::quiet_NaN());
        const auto n_tokens = static_cast<int>(x.size()) / spec_.n_embd;
        const auto done = executor_->feed_forward(
            {layer, x.data(), y.data(), n_tokens, {&all, 1}, nullptr, nullptr, true, x.data()});
        error_ = done ? std::string() : done.error().message;
        return done ? y : std::vector<float>{};
    }
    const std::string& error() const { return error_; }

private:
    hearth::MemoryBytes with_slots(int n_slots, bool reversed) {
        for (int i = 0; i < spec_.n_layer() && n_slots > 0; ++i) {
            const hearth::ExpertsSpec& experts = spec_.layer(i).experts;
            if (experts.present()) {
                hearth::LayerPlacement& placed =
                    plan_.placement.layers[static_cast<std::size_t>(i)];
                placed.set_slots(n_slots * experts.n_ff);
                for (int expert = experts.n; reversed && expert-- > 0;) {
                    placed.order.push_back(expert);
                }
            }
        }
        plan_.ram.weights = hearth::CpuWeights::bytes_for(
            spec_, tensors_, hearth::FeedForwardMode::Dense, plan_.placement);
        return plan_.ram;
    }

    hearth::GgufFile file_;
    hearth::ModelSpec spec_;
    hearth::ModelTensors tensors_;
    hearth::Plan plan_;
    hearth::Ledger ledger_;
    hearth::ThreadPool pool_;
    std::unique_ptr<hearth::CpuExecutor> executor_;
    bool loaded_ = false;
    std::string error_;
};

}  // namespace

class ExpertsTest : public QObject {
    Q_OBJECT

private slots:
    void logits_are_those_of_plain_arithmetic_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<int>("batch");
        for (const char* arch :
             {"llama",     "granitehybrid",  "qwen2moe", "qwen3moe",   "qwen3vlmoe", "qwen3next",
              "qwen35moe", "olmoe",          "lfm2moe",  "granitemoe", "glm4moe",    "minimax-m2",
              "gpt-oss",   "nemotron_h_moe", kLatent,    "gemma4",     "deepseek2",  "smallthinker",
              "llama4",    kTurbo,           "qwen4exp"}) {
            for (const int batch : {1, 7, 64, 70}) {
                QTest::addRow("%s, %d", arch, batch) << arch << batch;
            }
        }
        for (const char* arch : {"qwen3moe fused", "gemma4 fused"}) {
            QTest::addRow("%s, 7", arch) << arch << 7;
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
        QTest::newRow("softmax of all") << "gpt-oss"
                                        << "expert_gating_func" << 1.0;
        QTest::newRow("windows") << "gpt-oss"
                                 << "attention.sliding_window" << 100.0;
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

    // A past that a single token reads in parts: its heads' sinks count once.
    void sinks_count_in_a_long_past() {
        TinyModelOptions options = options_of("gpt-oss");
        options.n_layer = 2;
        options.n_ctx = 2400;
        options.sinks = 6;  // as much as some hundred positions
        const TinyModel model(options);
        QVERIFY(model.write(path_));
        const auto engine = load();
        QVERIFY(engine);
        const std::vector<TokenId> tokens = words(1101);
        const std::vector<double> all = model.logits(tokens);
        hearth::Session& session = *engine->impl().session;
        QVERIFY(session.append(std::span(tokens).first(1100), never_));
        QVERIFY(session.append(std::span(tokens).subspan(1100), never_));
        const auto row = session.last_logits(never_);
        QVERIFY(row);
        double worst = 0;
        for (std::size_t i = 0; i < row->size(); ++i) {
            worst = std::max(
                worst, std::fabs(static_cast<double>((*row)[i]) - all[1100 * row->size() + i]));
        }
        QVERIFY2(worst < kBound, qPrintable(QString::number(worst)));
    }

    // Three heads read a key head, and eight queries are computed together: most groups of queries
    // begin behind the first head.
    void heads_have_sinks_of_their_own() {
        TinyModelOptions options = options_of("gpt-oss");
        options.n_head = 6;
        options.head_dim = 32;
        const TinyModel model(options);
        const std::vector<double> got = logits_of(model.file());
        const std::vector<double> wanted = model.logits(words(kTokens));
        QCOMPARE(got.size(), wanted.size());
        double worst = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            worst = std::max(worst, std::fabs(got[i] - wanted[i]));
        }
        QVERIFY2(worst < kBound, qPrintable(QString::number(worst)));
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
        const char* archs[] = {"qwen3moe", "qwen2moe", "glm4moe",     "nemotron_h_moe",
                               kLatent,    "llama4",   "smallthinker"};
        int next = 0;
        for (const char* isa : {"", "avx2", "generic"}) {
            for (const DType type :
                 {DType::F32, DType::BF16, DType::Q8_0, DType::Q4_0, DType::Q4_K, DType::Q6_K}) {
                QTest::addRow("%s %s", isa, hearth::dtype_info(type).name.data())
                    << archs[next++ % 7] << static_cast<int>(type) << isa;
            }
        }
        // A dense block beside the experts, whose gates and ups are in one tensor.
        for (const DType type : {DType::F32, DType::Q8_0, DType::Q4_K}) {
            QTest::addRow("beside %s", hearth::dtype_info(type).name.data())
                << "gemma4 fused" << static_cast<int>(type) << "";
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
        make_wide(options);
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

    // With slots for some experts a block gives what it gives with all of them, bit by bit, and
    // reads each expert that has no slot once for a batch.
    void slots_change_nothing_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("n_slots");
        for (const DType type : {DType::F32, DType::Q8_0, DType::Q4_K}) {
            for (const int n_slots : {3, 6}) {
                QTest::addRow("gemma4 fused %s, %d", hearth::dtype_info(type).name.data(), n_slots)
                    << "gemma4 fused" << static_cast<int>(type) << n_slots;
            }
        }
        for (const char* arch :
             {"qwen3moe", "qwen2moe", "nemotron_h_moe", kLatent, "smallthinker"}) {
            for (const DType type : {DType::F32, DType::Q8_0, DType::Q4_0, DType::Q4_K}) {
                for (const int n_slots : {3, 4, 5, 6, 7}) {
                    // Experts without gates stand in fewer rows.
                    const bool tried =
                        std::string(arch) == "qwen3moe" ||
                        (std::string(arch) == "qwen2moe" ? n_slots < 6 : n_slots % 4 == 3);
                    if (tried) {
                        QTest::addRow("%s %s, %d", arch, hearth::dtype_info(type).name.data(),
                                      n_slots)
                            << arch << static_cast<int>(type) << n_slots;
                    }
                }
            }
        }
    }
    void slots_change_nothing() {
        QFETCH(QString, arch);
        QFETCH(int, type);
        QFETCH(int, n_slots);
        TinyModelOptions options = options_of(arch.toStdString());
        options.type = static_cast<DType>(type);
        // One sees all, and one is a block of another kind.
        options.n_layer = options.arch == "gemma4" || options.arch == "nemotron_h_moe" ? 2 : 1;
        make_wide(options);
        const TinyModel model(options);
        QVERIFY(model.write(path_));
        Block whole(path_, "", 2);
        Block some(path_, "", 2, n_slots);
        QVERIFY(whole.loaded() && some.loaded());
        QVERIFY(some.reads().caches_neurons && !whole.reads().caches_neurons);
        std::mt19937 random(11);
        std::normal_distribution<float> normal;
        const int n = arch == "qwen2moe" ? 6 : 8;
        for (const int n_tokens : {1, 1, 1, 60, 1, 2, 60, 60, 3, 1, 1}) {
            std::vector<float> x(static_cast<std::size_t>(n_tokens) * 256);
            std::generate(x.begin(), x.end(), [&] { return normal(random); });
            const hearth::FlashReads before = some.reads();
            const std::vector<float> got = some.run(x);
            const hearth::FlashReads after = some.reads();
            QVERIFY(!got.empty());
            QVERIFY(got == whole.run(x));
            const auto hits = static_cast<int>(after.neuron_hits - before.neuron_hits);
            const auto misses = static_cast<int>(after.neuron_misses - before.neuron_misses);
            if (n_tokens == 60) {  // that use all experts
                QCOMPARE(hits + misses, n);
                QVERIFY2(misses <= n - n_slots + std::min(n_slots / 2, 8),
                         qPrintable(QString::number(misses)));
            } else if (n_tokens == 1) {
                QCOMPARE(hits + misses, arch == "qwen2moe" ? 2 : 3);
            }
        }
    }

    // Experts that are chosen seldom need no slot where others are chosen often.
    void experts_that_pass_by_change_nothing_data() {
        QTest::addColumn<int>("n_slots");
        QTest::newRow("a token's slots") << 3;
        QTest::newRow("a few more") << 5;
    }
    void experts_that_pass_by_change_nothing() {
        QFETCH(int, n_slots);
        TinyModelOptions options{.arch = "qwen3moe", .n_layer = 6};
        options.n_experts = 16;
        options.n_used_experts = 3;
        QVERIFY(TinyModel(options).write(path_));
        Block whole(path_, "", 2);
        Block some(path_, "", 2, n_slots, n_slots > 3);
        QVERIFY(whole.loaded() && some.loaded());
        std::mt19937 random(2);
        std::normal_distribution<float> normal;
        std::vector<std::vector<float>> usual(3);  // most tokens are one of these
        const auto any = [&] {
            std::vector<float> x(static_cast<std::size_t>(some.n_embd()));
            std::generate(x.begin(), x.end(), [&] { return normal(random); });
            return x;
        };
        std::generate(usual.begin(), usual.end(), any);
        for (int i = 0; i < 150; ++i) {
            const std::vector<float> x = i % 3 == 0 ? any() : usual[random() % usual.size()];
            const std::vector<float> got = some.run(x);
            QVERIFY(!got.empty() && got == whole.run(x));
        }
        QVERIFY(some.reads().experts_passed > 10);
    }

    // A read that fails ends a block with an error, and the next one has what it needs.
    void a_failed_read_leaves_nothing() {
        const TinyModel model({.arch = "qwen3moe", .n_layer = 1});
        const hearth::test::Bytes bytes = model.file().bytes();
        QVERIFY(hearth::test::write_file(path_, bytes));
        Block whole(path_, "", 2);
        Block some(path_, "", 2, 3);
        QVERIFY(whole.loaded() && some.loaded());
        std::vector<float> x(static_cast<std::size_t>(40 * some.n_embd()));
        std::mt19937 random(4);
        std::normal_distribution<float> normal;
        std::generate(x.begin(), x.end(), [&] { return normal(random); });
        const std::vector<float> wanted = whole.run(x);
        QVERIFY(!wanted.empty());
        QVERIFY(hearth::test::write_file(path_, std::span(bytes).first(bytes.size() / 4)));
        QVERIFY(some.run(x).empty());
        QVERIFY(some.run(x).empty());
        QVERIFY(hearth::test::write_file(path_, bytes));
        QVERIFY(some.run(x) == wanted);
    }

    // Experts with numbers that are none are told by the row of the file, in slots too.
    void experts_that_are_not_finite_are_told() {
        GgufBuilder file = TinyModel({.arch = "qwen3moe", .n_layer = 1}).file();
        std::vector<float> values(8 * 64 * 96, 0.01F);
        values[5 * 64 * 96 + 7 * 96] = std::numeric_limits<float>::infinity();
        file.without("blk.0.ffn_down_exps.weight")
            .tensor_f32("blk.0.ffn_down_exps.weight", {8, 64, 96}, values);
        QVERIFY(file.write(path_));
        QVERIFY(!Block(path_, "", 2).loaded());
        Block some(path_, "", 2, 3);  // the fifth is not among the first ones
        QVERIFY(some.loaded());
        std::vector<float> x(static_cast<std::size_t>(60 * some.n_embd()));
        std::mt19937 random(4);
        std::normal_distribution<float> normal;
        std::generate(x.begin(), x.end(), [&] { return normal(random); });
        QVERIFY(some.run(x).empty());
        QVERIFY2(some.error().find("row 327") != std::string::npos, some.error().c_str());
    }

    // Ups behind the gates of the same tensor are told by the tensor's row, too.
    void fused_experts_that_are_not_finite_are_told() {
        TinyModelOptions options = options_of("gemma4 fused");
        options.n_layer = 2;
        options.plain_layers = true;
        GgufBuilder file = TinyModel(options).file();
        std::vector<float> values(8 * 192 * 64, 0.01F);
        values[(5 * 192 + 96 + 7) * 64] = std::numeric_limits<float>::infinity();
        file.without("blk.1.ffn_gate_up_exps.weight")
            .tensor_f32("blk.1.ffn_gate_up_exps.weight", {8, 192, 64}, values);
        QVERIFY(file.write(path_));
        Block whole(path_, "", 2);
        QVERIFY(!whole.loaded());
        QVERIFY2(whole.error().find("row 1063") != std::string::npos, whole.error().c_str());
        Block some(path_, "", 2, 3);
        QVERIFY(some.loaded());
        std::vector<float> x(static_cast<std::size_t>(60 * some.n_embd()));
        std::mt19937 random(4);
        std::normal_distribution<float> normal;
        std::generate(x.begin(), x.end(), [&] { return normal(random); });
        QVERIFY(some.run(x).empty());
        QVERIFY2(some.error().find("row 1063") != std::string::npos, some.error().c_str());
    }

    // Vectors beside the experts that hold no numbers are refused where they are loaded.
    void vectors_beside_that_are_not_finite_are_told_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("length");
        QTest::newRow("factors of experts") << "blk.1.ffn_down_exps.scale" << 8;
        QTest::newRow("the router's norm") << "blk.1.ffn_gate_inp.scale" << 64;
        QTest::newRow("the experts' norm") << "blk.1.pre_ffw_norm_2.weight" << 64;
    }
    void vectors_beside_that_are_not_finite_are_told() {
        QFETCH(QString, name);
        QFETCH(int, length);
        TinyModelOptions options = options_of("gemma4");
        options.n_layer = 2;
        options.plain_layers = true;
        std::vector<float> values(static_cast<std::size_t>(length), 1.0F);
        values.back() = std::numeric_limits<float>::quiet_NaN();
        GgufBuilder file = TinyModel(options).file();
        const std::string tensor = name.toStdString();
        file.without(tensor).tensor_f32(tensor, {static_cast<std::uint64_t>(length)}, values);
        QVERIFY(file.write(path_));
        const Block block(path_, "", 2);
        QVERIFY(!block.loaded());
        QVERIFY2(block.error().find(tensor) != std::string::npos, block.error().c_str());
    }

    // A budget below the file: the plan caches experts and nothing else, and answers are the same.
    void a_budget_caches_experts_data() {
        QTest::addColumn<QString>("arch");
        QTest::newRow("a shared expert") << "qwen35moe";
        QTest::newRow("a dense block beside") << "gemma4 fused";
    }
    void a_budget_caches_experts() {
        QFETCH(QString, arch);
        TinyModelOptions options = options_of(arch.toStdString());
        options.n_ctx = 64;
        options.type = DType::Q8_0;
        options.n_embd = 256;
        options.n_ff = 512;
        QVERIFY(TinyModel(options).write(path_));
        const auto whole = load();
        QVERIFY(whole);
        const std::uint64_t all = whole->impl().plan.ram.total();
        const std::uint64_t experts = 4ULL * 8 * 3 * 256 * 512 * 34 / 32;
        QVERIFY(all > experts);
        const std::vector<TokenId> tokens = words(24);
        for (const double share : {0.9, 0.7, 0.5}) {
            const auto some =
                load(all - static_cast<std::uint64_t>((1 - share) * static_cast<double>(experts)));
            QVERIFY(some);
            const hearth::Placement& placement = some->impl().plan.placement;
            for (int layer = 0; layer < 4; ++layer) {
                QVERIFY(!placement.streamed(layer).any());
                QVERIFY(placement.n_slots(layer) % 512 == 0 && placement.n_slots(layer) > 0);
            }
            QVERIFY(some->impl().plan.ram.total() <= some->impl().plan.ram_budget_bytes);
            QCOMPARE(some->impl().ledger->actual().total(), some->impl().plan.ram.total());
            for (const auto& engine : {whole.get(), some.get()}) {
                engine->impl().session->clear();
                QVERIFY(engine->impl().session->append(tokens, never_));
            }
            for (int i = 0; i < 8; ++i) {
                const auto wanted = whole->impl().session->last_logits(never_);
                const auto got = some->impl().session->last_logits(never_);
                QVERIFY(got && wanted && std::equal(got->begin(), got->end(), wanted->begin()));
                QVERIFY(
                    whole->impl().session->decode_one(tokens[static_cast<std::size_t>(i)], never_));
                QVERIFY(
                    some->impl().session->decode_one(tokens[static_cast<std::size_t>(i)], never_));
            }
            const hearth::FlashReport report = some->flash();
            QVERIFY(report.caches_neurons && report.are_experts);
            QVERIFY(report.neuron_misses > 0);
        }
    }

    // An answer says where the experts of its tokens lay; the prompt's are not among them.
    void an_answer_says_where_its_experts_lay() {
        TinyModelOptions options = options_of("lfm2moe");  // its first layers have no experts
        options.n_ctx = 64;
        options.n_embd = 256;
        options.n_ff = 512;
        QVERIFY(TinyModel(options).write(path_));
        const auto whole = load();
        QVERIFY(whole);
        const hearth::ModelSpec& spec = whole->impl().spec;
        std::uint64_t chosen = 0;
        std::uint64_t expert_bytes = 0;
        for (const hearth::LayerSpec& layer : spec.layers) {
            chosen += static_cast<std::uint64_t>(layer.is_mixture() ? layer.experts.n_used : 0);
            expert_bytes += layer.is_mixture() ? 3ULL * 256 * 512 * 4 : 0;
        }
        const auto some = load(whole->impl().plan.ram.total() - expert_bytes);
        QVERIFY(some && some->flash().are_experts);
        const auto same_bytes = [&] {
            return whole->impl().executor->decode_weight_bytes() ==
                   some->impl().executor->decode_weight_bytes();
        };
        QVERIFY(same_bytes());
        hearth::GenerationOptions generation;
        generation.sampling.temperature = 0;
        for (const int n : {7, 4}) {
            generation.max_tokens = n;
            const auto in_ram = whole->complete("some words", generation, {}, never_);
            QVERIFY(in_ram);
            const auto decoded = static_cast<std::uint64_t>(in_ram->token_ids.size()) - 1;
            QVERIFY(decoded > 0);
            const hearth::ExpertsServed all{.vram = 0, .ram = decoded * chosen, .disk = 0};
            QVERIFY(in_ram->experts == all);
            const std::uint64_t before = some->flash().neuron_misses;
            const auto read = some->complete("some words", generation, {}, never_);
            QVERIFY(read && read->token_ids == in_ram->token_ids);
            QCOMPARE(read->experts.all(), all.all());
            QCOMPARE(read->experts.vram, std::uint64_t{0});
            QVERIFY(read->experts.disk > 0);
            QVERIFY(read->experts.disk <= some->flash().neuron_misses - before);
            QVERIFY(read->experts.ram > 0);
            QVERIFY(same_bytes());  // that a token reads, from wherever
            const auto statistics = some->decode_statistics();
            QVERIFY(statistics);
            for (std::size_t l = 0; l < spec.layers.size(); ++l) {
                const hearth::LayerSpec& layer = spec.layers[l];
                const double share = layer.is_mixture() ? layer.experts.used_share() : 1.0;
                QCOMPARE(statistics->layers[l].examined, share);
                QCOMPARE(statistics->layers[l].fired, share);
            }
        }
    }

    // A router that gives no numbers ends a pass with an error, and the next one works.
    void a_router_that_overflows_is_told_data() {
        QTest::addColumn<QString>("arch");
        QTest::newRow("qwen3moe") << "qwen3moe";
        QTest::newRow("gemma4") << "gemma4";
    }
    void a_router_that_overflows_is_told() {
        QFETCH(QString, arch);
        TinyModelOptions options = options_of(arch.toStdString());
        options.n_layer = 2;
        options.plain_layers = true;
        QVERIFY(TinyModel(options).write(path_));
        Block block(path_, "", 2);
        QVERIFY(block.loaded());
        std::vector<float> x(static_cast<std::size_t>(block.n_embd()), 1.0F);
        const std::vector<float> before = block.run(x);
        QVERIFY(!before.empty());
        x[0] = std::numeric_limits<float>::quiet_NaN();
        QVERIFY(block.run(x).empty());
        QVERIFY2(block.error().find("ffn_gate_inp") != std::string::npos, block.error().c_str());
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

    void what_is_planned_is_held_data() {
        QTest::addColumn<QString>("arch");
        QTest::newRow("qwen35moe") << "qwen35moe";
        QTest::newRow("gemma4") << "gemma4";
        QTest::newRow("smallthinker") << "smallthinker";
        QTest::newRow("llama4") << "llama4";
        QTest::newRow("qwen4exp") << "qwen4exp";
    }
    void what_is_planned_is_held() {
        QFETCH(QString, arch);
        QVERIFY(TinyModel(options_of(arch.toStdString())).write(path_));
        const auto engine = load();
        QVERIFY(engine);
        const hearth::LoadedModel& model = engine->impl();
        QCOMPARE(model.ledger->actual().total(), model.plan.ram.total());
    }

private:
    // The logits of every position, in one pass.
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
    std::unique_ptr<hearth::Engine> load(std::uint64_t ram_bytes = 0) const {
        return hearth::test::load_or_say(hearth::test::small_engine(path_, ram_bytes));
    }

    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
    const hearth::Cancellation never_{};
};

QTEST_GUILESS_MAIN(ExpertsTest)
#include "experts_test.moc"
