#include "plan/weight_upload.h"

#include <QtTest>

using namespace hearth;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kVram = 8192 * kMiB;

// A layer of 1000 neurons, 4.5 bits a weight: 9/16 of a byte and one multiplication each.
TokenCosts some_model() {
    TokenCosts tokens;
    tokens.bytes.layers.resize(4);
    tokens.heat.layers.resize(4);
    for (std::size_t l = 0; l < 4; ++l) {
        tokens.bytes.layers[l].attention = 9'000'000;
        tokens.bytes.layers[l].neuron = {.gate = 9000, .up = 9000, .down = 9000};
        tokens.heat.layers[l].rates.assign(1000, 1.0);
    }
    tokens.bytes.multiply_adds = 4ULL * 36'000'000 * 16 / 9;
    return tokens;
}

GpuMemoryCosts gpu_costs() {
    GpuMemoryCosts costs = assumed_gpu_costs(some_model());
    costs.upload_bytes = [](int n_batch, std::uint64_t slot) {
        return 2 * slot + static_cast<std::uint64_t>(n_batch) * 1000;
    };
    costs.upload_host_bytes = [](int n_batch, std::uint64_t slot) {
        return 3 * slot + static_cast<std::uint64_t>(n_batch);
    };
    return costs;
}

Speeds some_speeds() {
    Speeds speeds;
    speeds.gflop_per_s = 1000;
    speeds.vram_gflop_per_s = 20000;
    speeds.to_vram_gb_per_s = 25;
    return speeds;
}

}  // namespace

class WeightUploadTest : public QObject {
    Q_OBJECT

private slots:
    // A weight takes 2 operations a token there and 9/16 bytes of the bus a batch: 9/16 / 25e9
    // seconds against 2 (1e-12 - 0.05e-12) a token, equal at 11.8 tokens.
    void fromTheNumberOfTokensWhereTheBusIsFaster() {
        const auto upload =
            weight_upload_for(some_model(), some_speeds(), gpu_costs(), {kVram, 512});
        QVERIFY(upload);
        QCOMPARE(upload->tokens_min, 16);
        QVERIFY(!upload->applies_to(15) && upload->applies_to(16));
        QCOMPARE(upload->slot_bytes, 32 * kMiB);
        Speeds speeds = some_speeds();
        speeds.to_vram_gb_per_s = 5;  // 59.2
        QCOMPARE(weight_upload_for(some_model(), speeds, gpu_costs(), {kVram, 512})->tokens_min,
                 64);
        QVERIFY(weight_upload_for(some_model(), speeds, gpu_costs(), {kVram, 64}));
        QVERIFY(!weight_upload_for(some_model(), speeds, gpu_costs(), {kVram, 63}));
    }

    // A token multiplies with an eighth of the neurons, and all of them pass the bus.
    void experts() {
        TokenCosts mixture = some_model();
        std::uint64_t used = 0;
        for (LayerBytes& layer : mixture.bytes.layers) {
            layer.expert_neurons = 125;
            used += layer.attention + 125 * layer.neuron.total();
        }
        mixture.bytes.multiply_adds = used * 16 / 9;
        const auto upload = weight_upload_for(mixture, some_speeds(), gpu_costs(), {kVram, 512});
        QVERIFY(upload);
        QCOMPARE(upload->tokens_min, 40);  // 11.8 * 36 / 12.4 = 34.4
        QVERIFY(!weight_upload_for(mixture, some_speeds(), gpu_costs(), {kVram, 512, true}));
        QVERIFY(weight_upload_for(some_model(), some_speeds(), gpu_costs(), {kVram, 512, true}));
    }

    void notWhereItDoesNotPay_data() {
        QTest::addColumn<double>("cpu");
        QTest::addColumn<double>("gpu");
        QTest::addColumn<double>("bus");
        QTest::newRow("a slow GPU") << 1000.0 << 1400.0 << 25.0;
        QTest::newRow("unknown processor") << 0.0 << 20000.0 << 25.0;
        QTest::newRow("unknown GPU") << 1000.0 << 0.0 << 25.0;
        QTest::newRow("unknown bus") << 1000.0 << 20000.0 << 0.0;
    }
    void notWhereItDoesNotPay() {
        QFETCH(double, cpu);
        QFETCH(double, gpu);
        QFETCH(double, bus);
        Speeds speeds;
        speeds.gflop_per_s = cpu;
        speeds.vram_gflop_per_s = gpu;
        speeds.to_vram_gb_per_s = bus;
        QVERIFY(!weight_upload_for(some_model(), speeds, gpu_costs(), {kVram, 512}));
    }

    void slotsFitTheMemory() {
        const auto slot_of = [](std::uint64_t vram) {
            const auto upload =
                weight_upload_for(some_model(), some_speeds(), gpu_costs(), {vram, 512});
            return upload ? upload->slot_bytes : 0;
        };
        QCOMPARE(slot_of(80000 * kMiB), 32 * kMiB);
        QCOMPARE(slot_of(2048 * kMiB), 16 * kMiB);
        QCOMPARE(slot_of(128 * kMiB), 4 * kMiB);
        QCOMPARE(slot_of(60 * kMiB), std::uint64_t{0});  // more than an eighth of it
        GpuMemoryCosts costs = gpu_costs();
        costs.slot_bytes_min = 20 * kMiB;
        QCOMPARE(
            weight_upload_for(some_model(), some_speeds(), costs, {2048 * kMiB, 512})->slot_bytes,
            20 * kMiB);
        costs.upload_bytes = {};
        QVERIFY(!weight_upload_for(some_model(), some_speeds(), costs, {kVram, 512}));
    }

    void whatItTakesIsCounted() {
        MemoryCosts costs;
        costs.scratch_bytes = [](int, int n_batch) { return std::uint64_t(n_batch) * 7; };
        costs.gpu = gpu_costs();
        const MemoryCosts with = with_weight_upload(costs, 4 * kMiB);
        QCOMPARE(with.scratch_bytes(100, 10), 70 + 12 * kMiB + 10);
        QCOMPARE(with.gpu->scratch_bytes(100, 10),
                 costs.gpu->scratch_bytes(100, 10) + 8 * kMiB + 10'000);
    }
};

QTEST_GUILESS_MAIN(WeightUploadTest)
#include "weight_upload_test.moc"
