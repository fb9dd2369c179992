// The batch that a plan takes where weights are uploaded for prompts.
#include "plan/size_choice.h"

#include <QtTest>

using namespace hearth;

namespace {

constexpr int kLayers = 8;
constexpr int kExperts = 64;
constexpr int kExpertNeurons = 64;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// Experts of 1 MiB of which a token chooses four: 512 MiB in all.
TokenCosts mixture() {
    TokenCosts tokens;
    tokens.bytes.layers.resize(kLayers);
    tokens.heat.layers.resize(kLayers);
    for (std::size_t l = 0; l < kLayers; ++l) {
        LayerBytes& layer = tokens.bytes.layers[l];
        layer.attention = kMiB;
        layer.neuron = {.gate = 5120, .up = 5120, .down = 6144, .of_expert = true};
        layer.expert_neurons = kExpertNeurons;
        layer.block = 1000;
        tokens.heat.layers[l].rates.assign(kExperts * kExpertNeurons, 4.0 / kExperts);
    }
    tokens.bytes.multiply_adds = kLayers * 5 * kMiB * 16 / 9;
    return tokens;
}

Speeds speeds() {
    Speeds speeds;
    speeds.ram.bandwidth_gb_per_s = 50;
    speeds.vram.bandwidth_gb_per_s = 500;
    return speeds;
}

}  // namespace

class SizeChoiceTest : public QObject {
    Q_OBJECT

private slots:
    void batches_data() {
        QTest::addColumn<std::uint64_t>("scratch_of_token");
        QTest::addColumn<double>("gpu_gflop");
        QTest::addColumn<double>("bus");
        QTest::addColumn<int>("n_ctx");
        QTest::addColumn<int>("kept");
        QTest::addColumn<int>("batch");
        const std::uint64_t usual = 5000;
        QTest::newRow("the bus decides how fast") << usual << 20000.0 << 10.0 << 4096 << 0 << 2048;
        QTest::newRow("a short context") << usual << 20000.0 << 10.0 << 1024 << 0 << 1024;
        QTest::newRow("no room for so much") << 4 * usual << 20000.0 << 10.0 << 4096 << 0 << 1024;
        QTest::newRow("no room") << 10 * usual << 20000.0 << 10.0 << 4096 << 0 << 512;
        QTest::newRow("a fast bus") << usual << 20000.0 << 1000.0 << 4096 << 0 << 512;
        QTest::newRow("a slow GPU") << usual << 0.3 << 1e-4 << 4096 << 0 << 512;
        QTest::newRow("pasts that move") << usual << 20000.0 << 10.0 << 4096 << 128 << 512;
    }
    void batches() {
        QFETCH(const std::uint64_t, scratch_of_token);
        QFETCH(const double, gpu_gflop);
        QFETCH(const double, bus);
        QFETCH(const int, n_ctx);
        QFETCH(const int, kept);
        QFETCH(const int, batch);
        TokenCosts tokens = mixture();
        tokens.bytes.layers.back().kept = kept;
        MemoryCosts costs;
        costs.weights_bytes = [](const Placement&) { return 600 * kMiB; };
        costs.kv_bytes = [](int positions, const Placement&) {
            return static_cast<std::uint64_t>(positions) * 1000;
        };
        costs.scratch_bytes = [](int, int n_batch) {
            return static_cast<std::uint64_t>(n_batch) * 1000;
        };
        costs.gpu = assumed_gpu_costs(tokens);
        costs.gpu->scratch_bytes = [=](int, int n_batch) {
            return static_cast<std::uint64_t>(n_batch) * scratch_of_token;
        };
        costs.gpu->upload_bytes = [](int n_batch, std::uint64_t slot) {
            return 3 * slot + static_cast<std::uint64_t>(n_batch) * 1000;
        };
        costs.gpu->upload_host_bytes = costs.gpu->upload_bytes;
        Speeds fast = speeds();
        fast.gflop_per_s = gpu_gflop / 100;
        fast.vram_gflop_per_s = gpu_gflop;
        fast.to_vram_gb_per_s = bus;
        const Budget budget;
        const SizeChoice choice = choose_sizes({.costs = costs,
                                                .tokens = &tokens,
                                                .speeds = fast,
                                                .budget = budget,
                                                .wanted_ctx = n_ctx,
                                                .fixed_ctx = true,
                                                .ram_bytes = 4000 * kMiB,
                                                .alone_ram_bytes = 4000 * kMiB,
                                                .vram_bytes = 256 * kMiB});
        QVERIFY(choice.fits);
        QVERIFY(choice.upload.slot_bytes > 0);
        QCOMPARE(choice.n_batch, batch);
        QVERIFY(choice.split.vram.total() <= 256 * kMiB);
    }

    // The slots' memory would hold experts: uploads must gain more of prompts than tokens lose.
    void uploadsAreTakenWhereAnExchangeIsFaster() {
        const TokenCosts tokens = mixture();
        MemoryCosts costs;
        costs.weights_bytes = [](const Placement&) { return 600 * kMiB; };
        costs.kv_bytes = [](int, const Placement&) { return std::uint64_t{0}; };
        costs.scratch_bytes = [](int, int) { return std::uint64_t{0}; };
        costs.gpu = assumed_gpu_costs(tokens);
        costs.gpu->upload_bytes = [](int, std::uint64_t) { return 30 * kMiB; };
        costs.gpu->upload_host_bytes = costs.gpu->upload_bytes;
        const Budget budget;
        for (const double cpu : {100.0, 1e7}) {
            Speeds fast = speeds();
            fast.gflop_per_s = cpu;
            fast.vram_gflop_per_s = 20 * cpu;
            fast.to_vram_gb_per_s = 1e6;
            const SizeChoice choice = choose_sizes({.costs = costs,
                                                    .tokens = &tokens,
                                                    .speeds = fast,
                                                    .budget = budget,
                                                    .wanted_ctx = 512,
                                                    .fixed_ctx = true,
                                                    .ram_bytes = 4000 * kMiB,
                                                    .alone_ram_bytes = 4000 * kMiB,
                                                    .vram_bytes = 256 * kMiB});
            QVERIFY(choice.fits);
            QCOMPARE(choice.upload.slot_bytes > 0, cpu < 1e6);
        }
    }
};

QTEST_GUILESS_MAIN(SizeChoiceTest)
#include "size_choice_test.moc"
