// The executor against itself: what a feed-forward block gives in one piece it must give in
// clusters.
#include "cpu/cpu_executor.h"

#include <QtTest>
#include <random>

#include "hardware/cpu_features.h"
#include "plan/planner.h"
#include "session/processor.h"
#include "support/loose_cpu_executor.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

namespace {

struct Nothing final : hearth::LoadMonitor {
    bool loaded(double) override { return true; }
};
struct StopAtOnce final : hearth::LoadMonitor {
    bool loaded(double) override { return false; }
};

}  // namespace

class CpuExecutorTest : public QObject {
    Q_OBJECT

private slots:
    void clusters_add_up_to_the_block_data() {
        QTest::addColumn<int>("type");
        for (const hearth::DType type :
             {hearth::DType::F32, hearth::DType::F16, hearth::DType::Q8_0, hearth::DType::Q4_0}) {
            QTest::newRow(hearth::dtype_info(type).name.data()) << static_cast<int>(type);
        }
    }
    void clusters_add_up_to_the_block() {
        QFETCH(int, type);
        hearth::test::TempDir dir;
        const std::string path = dir.file("tiny.gguf");
        QVERIFY(hearth::test::TinyModel({.type = static_cast<hearth::DType>(type)}).write(path));
        auto file = hearth::GgufFile::open(path);
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        QVERIFY(spec);
        auto tensors = hearth::bind_tensors(*file, *spec);
        QVERIFY(tensors);
        auto plan = hearth::make_plan(
            *spec, {hearth::detect_cpu_features(), {}}, {.ram_bytes = 100'000'000},
            hearth::memory_costs(*spec, *tensors, hearth::FeedForwardMode::Exact, 2));
        QVERIFY(plan);
        hearth::Ledger ledger(plan->ram);
        hearth::ThreadPool pool(2);
        const auto executor = hearth::test::loose_cpu_executor(pool);
        Nothing monitor;
        QVERIFY(executor->load({*file, *spec, *tensors, *plan, ledger}, monitor));

        const int n_tokens = 5;
        std::mt19937 random(3);
        std::normal_distribution<float> normal;
        std::vector<float> x(static_cast<std::size_t>(n_tokens * spec->n_embd));
        std::generate(x.begin(), x.end(), [&] { return normal(random); });
        const auto run = [&](const std::vector<hearth::Cluster>& clusters) {
            std::vector<float> y(x.size());
            const bool done =
                executor->feed_forward({1, x.data(), y.data(), n_tokens, clusters}).has_value();
            return done ? y : std::vector<float>{};
        };
        const std::vector<float> whole = run({{1, 0, 96}});
        const std::vector<float> first = run({{1, 0, 32}});
        const std::vector<float> rest = run({{1, 32, 32}, {1, 64, 32}});
        const std::vector<float> none = run({});
        bool changes = false;
        for (std::size_t i = 0; i < whole.size(); ++i) {
            QVERIFY(std::fabs(first[i] + rest[i] - whole[i]) < 1e-5F);
            QCOMPARE(none[i], 0.0F);
            changes = changes || std::fabs(first[i]) > 1e-3F;
        }
        QVERIFY(changes);
    }

    void a_cancelled_load_says_so() {
        hearth::test::TempDir dir;
        const std::string path = dir.file("tiny.gguf");
        QVERIFY(hearth::test::TinyModel().write(path));
        auto file = hearth::GgufFile::open(path);
        QVERIFY(file);
        auto spec = hearth::read_model_spec(*file);
        auto tensors = hearth::bind_tensors(*file, *spec);
        auto plan = hearth::make_plan(
            *spec, {hearth::detect_cpu_features(), {}}, {.ram_bytes = 100'000'000},
            hearth::memory_costs(*spec, *tensors, hearth::FeedForwardMode::Exact, 2));
        QVERIFY(plan);
        hearth::Ledger ledger(plan->ram);
        hearth::ThreadPool pool(1);
        auto executor = hearth::make_cpu_executor(0, "generic", pool);
        StopAtOnce monitor;
        auto loaded = (*executor)->load({*file, *spec, *tensors, *plan, ledger}, monitor);
        QVERIFY(!loaded);
        QVERIFY(loaded.error().code == hearth::ErrorCode::Cancelled);
    }

    // Heads may be wider together than the stream. Their values are quantised, too.
    void wide_heads_have_room() {
        constexpr int kTokens = 64;
        const auto spec_of = [](int n_head) {
            hearth::ModelSpec spec;
            spec.n_embd = 64;
            spec.n_vocab = 32;
            spec.layers.push_back(
                {.attention = {.n_head = n_head, .n_head_kv = 1, .head_dim = 64}, .n_ff = 64});
            return spec;
        };
        const auto scratch = [](const hearth::ModelSpec& spec) {
            return hearth::CpuExecutor::scratch_bytes(spec, 0, kTokens, 1,
                                                      hearth::FeedForwardMode::Dense);
        };
        const auto heads = [](const hearth::ModelSpec& spec) {
            hearth::CpuAttention::Scratch unused;
            std::uint64_t bytes = 0;
            hearth::CpuAttention::lay_out(spec, kTokens, unused, [&](auto*&, std::uint64_t piece) {
                constexpr std::uint64_t kUnit = hearth::AlignedBuffer::kAlignment;
                bytes += (piece + kUnit - 1) / kUnit * kUnit;
            });
            return bytes;
        };
        const hearth::ModelSpec narrow = spec_of(1);
        const hearth::ModelSpec wide = spec_of(8);
        QCOMPARE(scratch(wide) - scratch(narrow), heads(wide) - heads(narrow) +
                                                      hearth::quantized_bytes(512, kTokens) -
                                                      hearth::quantized_bytes(64, kTokens));
    }

    void an_instruction_set_that_is_not_there() {
        hearth::ThreadPool pool(1);
        auto executor = hearth::make_cpu_executor(0, "avx512", pool);
        QVERIFY(!executor);
        QCOMPARE(executor.error().message,
                 std::string("HEARTH_CPU asks for \"avx512\"; this processor runs generic"));
    }
};

QTEST_GUILESS_MAIN(CpuExecutorTest)
#include "cpu_executor_test.moc"
