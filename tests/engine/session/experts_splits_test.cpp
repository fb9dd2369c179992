// Mixtures at a quarter, a half and three quarters of the VRAM that they would take, with experts
// in RAM and on disk besides, in batches of several sizes: the words that the processor alone would
// say. HEARTH_ALL_ROWS=1 tries all; else one of each.
#include <hearth/engine.h>

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/loaded_model.h"
#include "support/small_engine.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::TokenId;

namespace {

constexpr double kMostKl = 1e-4;
// Logits may differ by so much: the better of two that are nearer is not certain.
constexpr double kMargin = 2e-2;

std::vector<double> log_softmax(std::span<const float> logits) {
    const double most = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const float one : logits) {
        sum += std::exp(double{one} - most);
    }
    std::vector<double> logs;
    for (const float one : logits) {
        logs.push_back(double{one} - most - std::log(sum));
    }
    return logs;
}

double kl(std::span<const float> wanted, std::span<const float> got) {
    const std::vector<double> p = log_softmax(wanted);
    const std::vector<double> q = log_softmax(got);
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        sum += std::exp(p[i]) * (p[i] - q[i]);
    }
    return sum;
}

}  // namespace

class ExpertsSplitsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(hearth::test::TinyModel(
                    {.arch = "qwen3moe", .n_layer = 4, .n_embd = 128, .n_ff = 256, .n_ctx = 1024})
                    .write(path_));
        auto whole = load("0");
        if (!whole && whole.error().field == "gpu") {
            QVERIFY(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"));
            QSKIP("there is no GPU, nor lavapipe");
        }
        QVERIFY2(whole, whole ? "" : whole.error().message.c_str());
        whole_ = std::move(*whole);
        alone_ = std::move(*load("none"));
    }

    void words_data() {
        QTest::addColumn<int>("vram_percent");
        QTest::addColumn<int>("ram_percent");  // of what the rest takes; 0: no limit
        const bool all = qEnvironmentVariableIntValue("HEARTH_ALL_ROWS") == 1;
        for (const int vram : {25, 40, 75}) {
            for (const int ram : {0, 50, 75}) {
                if (all || vram + ram == 90 || vram + ram == 100) {
                    QTest::addRow("%d %% of VRAM, %d %% of RAM", vram, ram) << vram << ram;
                }
            }
        }
    }
    void words() {
        QFETCH(const int, vram_percent);
        QFETCH(const int, ram_percent);
        const hearth::MemoryBytes& most = whole_->impl().plan.vram;
        const std::uint64_t vram =
            most.kv + most.scratch + most.weights / 100 * static_cast<std::uint64_t>(vram_percent);
        auto engine = load("0", std::nullopt, vram);
        QVERIFY(engine);
        if (ram_percent > 0) {
            const std::uint64_t rest = (*engine)->impl().plan.ram.total();
            engine = load("0", rest / 100 * static_cast<std::uint64_t>(ram_percent), vram);
            QVERIFY2(engine, engine ? "" : engine.error().message.c_str());
        }
        hearth::LoadedModel& split = (*engine)->impl();
        QCOMPARE(split.plan.placement.has_slots(), ram_percent > 0);
        QVERIFY(split.plan.placement.has_hot_neurons());
        const bool all = qEnvironmentVariableIntValue("HEARTH_ALL_ROWS") == 1;
        for (const std::size_t size :
             all ? std::vector<std::size_t>{1, 7, 64, 513} : std::vector<std::size_t>{7, 64}) {
            if (size > static_cast<std::size_t>(split.plan.n_ctx)) {
                continue;  // a smaller budget leads to a smaller context
            }
            const auto count = static_cast<int>(size);
            const std::vector<TokenId> tokens = hearth::test::words(count, count);
            std::vector<std::vector<float>> wanted, got;
            rows(alone_->impl(), tokens, wanted);
            rows(split, tokens, got);
            QCOMPARE(wanted.size(), size);
            QCOMPARE(got.size(), size);
            for (std::size_t t = 0; t < size; ++t) {
                const double difference = kl(wanted[t], got[t]);
                QVERIFY2(difference < kMostKl, qPrintable(QString::number(difference)));
                std::vector<float> sorted = wanted[t];
                std::partial_sort(sorted.begin(), sorted.begin() + 2, sorted.end(),
                                  std::greater<>());
                if (sorted[0] - sorted[1] > kMargin) {
                    QCOMPARE(best(got[t]), best(wanted[t]));
                }
            }
        }
    }

private:
    static std::ptrdiff_t best(const std::vector<float>& logits) {
        return std::max_element(logits.begin(), logits.end()) - logits.begin();
    }
    // The logits of all positions.
    void rows(hearth::LoadedModel& model, std::span<const TokenId> tokens,
              std::vector<std::vector<float>>& out) {
        const auto done = model.session->score(
            tokens, hearth::Decoder::Want::All,
            [&](std::size_t, std::span<const float> logits) {
                out.emplace_back(logits.begin(), logits.end());
            },
            never_);
        QVERIFY2(done, done ? "" : done.error().message.c_str());
    }
    hearth::Result<std::unique_ptr<hearth::Engine>> load(
        const std::string& gpu, std::optional<std::uint64_t> ram_bytes = std::nullopt,
        std::optional<std::uint64_t> vram_bytes = std::nullopt) const {
        hearth::EngineOptions options = hearth::test::small_engine(path_);
        options.gpu = gpu;
        options.speeds = hearth::test::kFastGpu;
        options.ram_bytes = ram_bytes;
        options.vram_bytes = vram_bytes;
        return hearth::Engine::load(options);
    }

    hearth::test::TempDir folder_;
    std::string path_ = folder_.file("mixture.gguf");
    std::unique_ptr<hearth::Engine> alone_, whole_;
    hearth::Cancellation never_;
};

QTEST_GUILESS_MAIN(ExpertsSplitsTest)
#include "experts_splits_test.moc"
