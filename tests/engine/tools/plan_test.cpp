// tools::plan on small files: what is read, what is said where something is missing.
#include <QtTest>
#include <algorithm>

#include <hearth/tools.h>

#include "model/model_hash.h"
#include "plan/profile_file.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using namespace hearth;
using test::TinyModel;

namespace {

constexpr std::uint64_t kNeuron = 3 * 64 * sizeof(float);
constexpr std::uint64_t kNeurons = 2 * 96 * kNeuron;

bool says(const tools::PlanReport& report, const std::string& words) {
    return std::any_of(report.reasons.begin(), report.reasons.end(), [&](const std::string& text) {
        return text.find(words) != std::string::npos;
    });
}

}  // namespace

class PlanTest : public QObject {
    Q_OBJECT

private:
    test::TempDir dir_;
    std::string model_;

    tools::PlanOptions options() const {
        tools::PlanOptions o;
        o.model_path = model_;
        o.ram_bytes = std::uint64_t{1} << 30;
        o.threads = 1;
        o.assume_ram_gb_per_s = 10;
        return o;
    }

    // Of layer 0 the last neurons fire, of layer 1 none but the first 32.
    void write_profile_to(const std::string& path, const std::string& hash) const {
        ActivationProfile profile;
        profile.model_hash = hash;
        profile.tokens = 1000;
        profile.groups[0] = 1000;
        profile.layers.resize(2);
        for (std::size_t l = 0; l < 2; ++l) {
            for (auto& fired : profile.layers[l].fired) {
                fired.assign(96, 0);
            }
            for (std::uint32_t n = 0; n < 96; ++n) {
                profile.layers[l].fired[0][n] = l == 0 ? 10 * n : (n < 32 ? 500 : 0);
            }
        }
        QVERIFY(write_profile(path, profile));
    }

private slots:
    void initTestCase() {
        model_ = dir_.file("tiny.gguf");
        QVERIFY(TinyModel().write(model_));
    }

    void everythingInRam() {
        const auto report = tools::plan(options());
        QVERIFY(report);
        QCOMPARE(report->fits, std::string("ram"));
        QCOMPARE(report->mode, std::string("exact"));
        QVERIFY(!report->has_profile && !report->solver);
        QCOMPARE(report->ram.total(), report->peak_ram_bytes.value());
        QCOMPARE(report->vram.total(), std::uint64_t{0});
        QCOMPARE(report->layers.size(), std::size_t{2});
        QCOMPARE(report->layers[1].ffn_ram_bytes, kNeurons / 2);
        QVERIFY(report->forecast.decode_per_s->mid > 0);
        QVERIFY(!report->forecast.prefill_per_s && !report->forecast.ttft_ms);
        QVERIFY(says(*report, "without a profile"));
        // The plan of the engine itself.
        EngineOptions load;
        load.model_path = model_;
        load.threads = 1;
        load.ram_bytes = options().ram_bytes;
        const auto engine = Engine::load(load);
        QVERIFY(engine);
        QCOMPARE((*engine)->memory().planned_bytes(), report->ram.total());
        const auto beside = tools::forecast(**engine, 100);
        QVERIFY(beside);
        QVERIFY(beside->decode_per_s && beside->decode_per_s->mid > 0);
    }

    void assumedGpu() {
        auto with_gpu = options();
        with_gpu.model_path = dir_.file("by_neuron.gguf");
        QVERIFY(TinyModel({.by_neuron = true}).write(with_gpu.model_path));
        const auto in_ram = tools::plan(with_gpu);
        with_gpu.profile_path = dir_.file("profile.gguf");
        const auto file = GgufFile::open(with_gpu.model_path);
        write_profile_to(with_gpu.profile_path, *model_hash(*file));
        with_gpu.assume_gpu = tools::AssumedGpu{1 << 20, 500, 0.01};
        with_gpu.vram_bytes = 64 * kNeuron;
        const auto report = tools::plan(with_gpu);
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QVERIFY(report->has_profile);
        QCOMPARE(report->fits, std::string("split"));
        QCOMPARE(report->vram_budget_bytes, 64 * kNeuron);
        QCOMPARE(report->vram.total(), 64 * kNeuron);
        QCOMPARE(report->layers[0].hot_neurons, 32);
        QCOMPARE(report->layers[1].hot_neurons, 32);
        QCOMPARE(report->layers[0].ffn_vram_bytes, 32 * kNeuron);
        QCOMPARE(report->layers[0].ffn_ram_bytes, 64 * kNeuron);
        QVERIFY(report->solver);
        // Firings per token: neurons 64 to 95 at n / 100, and 32 at 0.5.
        QVERIFY(std::abs(report->solver->greedy_value.value() - (32 * 79.5 / 100 + 16)) < 1e-9);
        QVERIFY(says(*report, "is assumed, not found"));

        // The processor's rows are padded.
        QVERIFY(report->ram.weights + report->vram.weights <= in_ram->ram.weights);
        with_gpu.vram_bytes = 1 << 20;
        const auto all = tools::plan(with_gpu);
        QCOMPARE(all->fits, std::string("gpu"));
        QCOMPARE(all->output, std::string("vram"));
        QCOMPARE(all->layers[0].attention, std::string("vram"));
        QCOMPARE(all->layers[0].ffn_vram_bytes, kNeurons / 2);
        QCOMPARE(all->vram.kv, in_ram->ram.kv);
        QCOMPARE(all->ram.kv, std::uint64_t{0});
        QVERIFY(all->forecast.decode_per_s->mid > report->forecast.decode_per_s->mid);
    }

    void wholeLayers() {
        auto with_gpu = options();
        with_gpu.assume_gpu = tools::AssumedGpu{1 << 20, 500, 0.01};
        with_gpu.vram_bytes = 150'000;
        with_gpu.split = "layers";
        const auto report = tools::plan(with_gpu);
        QVERIFY(report);
        QCOMPARE(report->fits, std::string("split"));
        QCOMPARE(report->solver->chosen, std::string("layers"));
        QCOMPARE(report->layers[0].hot_neurons, 0);
        QCOMPARE(report->layers[1].hot_neurons, 96);
        QCOMPARE(report->layers[0].attention, std::string("ram"));
        QCOMPARE(report->layers[1].attention, std::string("vram"));
        with_gpu.split = "slices";
        const auto wrong = tools::plan(with_gpu);
        QVERIFY(!wrong && wrong.error().code == ErrorCode::InvalidArgument);
    }

    void doesNotFit() {
        auto tight = options();
        tight.ram_bytes = 1000;
        const auto report = tools::plan(tight);
        QVERIFY(report);
        QCOMPARE(report->fits, std::string("no"));
        QCOMPARE(report->ram_budget_bytes, std::uint64_t{1000});
        QVERIFY(report->layers.empty() && !report->peak_ram_bytes);
        QVERIFY(!report->forecast.decode_per_s);
        QVERIFY(says(*report, "the budget is 0.0 MB"));
    }

    void nothingToPredictWith() {
        auto predicted = options();
        predicted.predicted = true;
        const auto report = tools::plan(predicted);
        QVERIFY(report);
        QCOMPARE(report->mode, std::string("exact"));
        QVERIFY(says(*report, "no predictors"));

        predicted.model_path = dir_.file("silu.gguf");
        QVERIFY(TinyModel({.arch = "llama"}).write(predicted.model_path));
        const auto dense = tools::plan(predicted);
        QVERIFY(dense);
        QCOMPARE(dense->mode, std::string("dense"));
        QVERIFY(says(*dense, "every neuron is computed"));
    }

    // Predictors inside the model, as PowerInfer's files have them: counted, and read per token.
    void withPredictors() {
        auto with = options();
        with.model_path = dir_.file("predicted.gguf");
        auto file = TinyModel().file();
        file.key("hearth.predictor.input", "residual");
        for (const std::string layer : {"blk.0", "blk.1"}) {
            file.tensor(layer + ".fc1.weight", {32, 64}, DType::F32)
                .tensor(layer + ".fc2.weight", {96, 32}, DType::F32);
        }
        QVERIFY(file.write(with.model_path));
        const auto exact = tools::plan(with);
        QVERIFY2(exact, exact ? "" : exact.error().message.c_str());
        QCOMPARE(exact->ram.predictors, std::uint64_t{0});
        with.predicted = true;
        const auto predicted = tools::plan(with);
        QVERIFY(predicted);
        QCOMPARE(predicted->mode, std::string("predicted"));
        QCOMPARE(predicted->ram.predictors, std::uint64_t{2 * 4 * (32 * 64 + 96 * 32)});
        // Rows of neurons are padded to 128 columns, which gates computed whole are not.
        QCOMPARE(predicted->ram.weights - exact->ram.weights,
                 std::uint64_t{2 * 96 * (128 - 64) * 4});
    }

    void brokenProfiles() {
        auto broken = options();
        broken.profile_path = dir_.file("of-another.gguf");
        write_profile_to(broken.profile_path, "0123456789abcdef0123456789abcdef");
        const auto report = tools::plan(broken);
        QVERIFY(!report);
        QVERIFY(!report.error().message.empty());
        broken.profile_path = dir_.file("none.gguf");
        const auto missing = tools::plan(broken);
        QVERIFY(!missing && missing.error().code == ErrorCode::NotFound);
        QCOMPARE(missing.error().path, broken.profile_path);
        broken.profile_path = model_;
        QVERIFY(!tools::plan(broken));
    }

    void wrongNumbers() {
        auto wrong = options();
        wrong.n_ctx = 129;
        const auto report = tools::plan(wrong);
        QVERIFY(!report && report.error().code == ErrorCode::InvalidArgument);
        QCOMPARE(report.error().field, std::string("ctx"));
        wrong = options();
        wrong.assume_gpu = tools::AssumedGpu{~std::uint64_t{0}, 0, 0};
        const auto no_bandwidth = tools::plan(wrong);
        QVERIFY(no_bandwidth);
        QCOMPARE(no_bandwidth->fits, std::string("ram"));
        QVERIFY(says(*no_bandwidth, "its bandwidth is not known"));
    }
};

QTEST_GUILESS_MAIN(PlanTest)
#include "plan_test.moc"
