// Room for experts: NeuronCache holds slices of 3-D tensors, all experts of a token pinned as one
// group that is named while the layer runs. What it misses is what the simulator says.
#include <QtTest>
#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>

#include "bench/cache_policies.h"
#include "bench/made_trace.h"
#include "memory/neuron_cache.h"
#include "support/temp_dir.h"

using namespace hearth;
using bench::Trace;

namespace {

constexpr std::uint32_t kLayers = 2;
constexpr std::uint32_t kExperts = 64;
constexpr std::uint32_t kChosen = 8;
constexpr std::uint64_t kSlices = 3;  // gate, up and down
constexpr int kChannel = 2;
constexpr std::uint64_t kHeader = 4321;  // before the tensors: not aligned

// A file of tensors [experts, bytes of a slice], three a layer, or of records of all three slices.
struct ExpertFile {
    ExpertFile(std::uint64_t slice, bool in_records) : slice_bytes(slice), records(in_records) {
        path = dir.file("experts.bin");
        bytes.resize(kHeader + kLayers * kExperts * kSlices * slice);
        std::mt19937_64 random(slice);
        for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
            const std::uint64_t value = random();
            std::memcpy(bytes.data() + i, &value, sizeof(value));
        }
        std::ofstream file(path, std::ios::binary);
        file.write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
    }
    std::vector<NeuronRun> runs(std::uint64_t layer) const {
        const std::uint64_t tensor = kExperts * slice_bytes;
        const std::uint64_t first = kHeader + layer * kSlices * tensor;
        if (records) {
            return {{first, kSlices * slice_bytes, kSlices * slice_bytes, 0}};
        }
        return {{first, slice_bytes, slice_bytes, 0},
                {first + tensor, slice_bytes, slice_bytes, slice_bytes},
                {first + 2 * tensor, slice_bytes, slice_bytes, 2 * slice_bytes}};
    }
    bool is_in(std::uint64_t layer, std::uint64_t expert, const std::byte* slot) const {
        const std::uint64_t tensor = kExperts * slice_bytes;
        for (std::uint64_t i = 0; i < kSlices; ++i) {
            const std::uint64_t at = kHeader + layer * kSlices * tensor +
                                     (records ? (expert * kSlices + i) * slice_bytes
                                              : i * tensor + expert * slice_bytes);
            if (std::memcmp(slot + i * slice_bytes, bytes.data() + at, slice_bytes) != 0) {
                return false;
            }
        }
        return true;
    }

    std::uint64_t slice_bytes;
    bool records;
    std::vector<std::byte> bytes;
    test::TempDir dir;
    std::string path;
};

}  // namespace

class ExpertCacheTest : public QObject {
    Q_OBJECT

private slots:
    // A token of experts that are expected seldom puts out none that are expected often.
    void expectedUsesDecideWhatGivesWay_data() {
        QTest::addColumn<bool>("may_pass");
        QTest::newRow("the rarest gives way") << false;
        QTest::newRow("some pass by") << true;
    }
    void expectedUsesDecideWhatGivesWay() {
        QFETCH(bool, may_pass);
        const ExpertFile file(2 << 10, false);
        auto queue = ReadQueue::open(file.path);
        QVERIFY(queue);
        constexpr int kSlots = 2 * static_cast<int>(kChosen);
        const std::uint64_t slot_bytes = kSlices * file.slice_bytes;
        std::vector<std::byte> memory(kSlots * slot_bytes);
        std::vector<std::byte> room(kChosen * slot_bytes);
        std::vector<std::uint8_t> uses(kExperts, 1);
        std::fill_n(uses.begin(), kChosen, std::uint8_t{40});
        NeuronCache cache(*queue, kChannel,
                          {{.n_neurons = static_cast<int>(kExperts),
                            .runs = file.runs(0),
                            .slot_bytes = slot_bytes,
                            .largest_group = static_cast<int>(kChosen),
                            .n_slots = kSlots,
                            .expected_uses = uses,
                            .base = memory.data(),
                            .may_pass = may_pass}},
                          {room.data(), slot_bytes, may_pass ? static_cast<int>(kChosen) : 0});
        std::vector<std::uint16_t> names(kChosen);
        std::vector<std::uint16_t> at(kChosen);
        std::vector<std::uint8_t> read(kChosen);
        const auto use = [&](int first) {
            std::iota(names.begin(), names.end(), static_cast<std::uint16_t>(first));
            cache.begin(0, 1);
            cache.want(0, {0, names, at, read});
            const bool there = static_cast<bool>(cache.await(0));
            cache.done(0);
            cache.end();
            return there;
        };
        for (int first = 0; first < 40; first += static_cast<int>(kChosen)) {
            QVERIFY(use(first));
        }
        const std::uint64_t before = cache.counters().misses;
        QVERIFY(use(0));
        QCOMPARE(cache.counters().misses, before);
    }

    void everyExpertOfATokenIsThere_data() {
        QTest::addColumn<quint64>("slice_bytes");
        QTest::addColumn<bool>("in_records");
        QTest::addColumn<int>("n_slots");
        QTest::addColumn<double>("stays");
        QTest::addColumn<bool>("may_pass");
        QTest::newRow("96 KiB, one token's demand")
            << quint64{96 << 10} << false << 8 << 0.5 << false;
        QTest::newRow("96 KiB, a quarter") << quint64{96 << 10} << false << 16 << 0.5 << false;
        QTest::newRow("96 KiB in records, above the largest read")
            << quint64{96 << 10} << true << 16 << 0.5 << false;
        QTest::newRow("of no whole sectors") << quint64{70'001} << false << 24 << 0.5 << false;
        QTest::newRow("all of them") << quint64{20 << 10} << false << 64 << 0.5 << false;
        QTest::newRow("some pass by") << quint64{2 << 10} << false << 12 << 0.0 << true;
        QTest::newRow("some pass by, in records") << quint64{2 << 10} << true << 8 << 0.0 << true;
    }
    void everyExpertOfATokenIsThere() {
        QFETCH(quint64, slice_bytes);
        QFETCH(bool, in_records);
        QFETCH(int, n_slots);
        QFETCH(double, stays);
        QFETCH(bool, may_pass);
        const ExpertFile file(slice_bytes, in_records);
        auto queue = ReadQueue::open(file.path);
        QVERIFY(queue);
        const Trace trace = bench::make_expert_trace(
            {.n_layer = kLayers, .n_items = kExperts, .n_tokens = 40, .stays = stays}, kChosen);

        const std::uint64_t slot_bytes = kSlices * slice_bytes;
        const std::uint64_t of_layer = static_cast<std::uint64_t>(n_slots) * slot_bytes;
        std::vector<std::byte> memory(kLayers * of_layer);
        std::vector<CachedLayer> layers;
        std::vector<std::unique_ptr<bench::LayerCache>> simulated;
        for (std::uint32_t layer = 0; layer < kLayers; ++layer) {
            layers.push_back({.n_neurons = static_cast<int>(kExperts),
                              .runs = file.runs(layer),
                              .slot_bytes = slot_bytes,
                              .largest_group = static_cast<int>(kChosen),
                              .n_slots = n_slots,
                              .base = memory.data() + layer * of_layer,
                              .may_pass = may_pass});
            simulated.push_back(bench::make_layer_cache(
                may_pass ? bench::CachePolicy::OursOfExperts : bench::CachePolicy::Ours,
                static_cast<std::size_t>(n_slots), trace, layer));
        }
        std::vector<std::byte> room(may_pass ? kChosen * slot_bytes : 0);
        QVERIFY(NeuronCache::check(layers));
        NeuronCache cache(*queue, kChannel, layers,
                          {room.data(), slot_bytes, may_pass ? static_cast<int>(kChosen) : 0});

        std::uint64_t misses = 0;
        std::vector<std::uint16_t> at(kChosen);
        std::vector<std::uint8_t> read(kChosen);
        for (std::size_t token = 0; token < trace.n_tokens(); ++token) {
            for (std::uint32_t layer = 0; layer < kLayers; ++layer) {
                const auto names = trace.demand(token, layer);
                QCOMPARE(names.size(), std::size_t{kChosen});
                cache.begin(static_cast<int>(layer), 1);
                cache.want(0, {0, names, at, read});
                QVERIFY(cache.is_pinned(0));
                QVERIFY(cache.await(0));
                for (std::size_t i = 0; i < names.size(); ++i) {
                    QVERIFY(file.is_in(layer, names[i],
                                       cache.place(static_cast<int>(layer), at[i], read[i])));
                }
                cache.done(0);
                cache.end();
                const std::size_t expected = simulated[layer]->use(names);
                QCOMPARE(
                    static_cast<std::size_t>(kChosen - std::count(read.begin(), read.end(), 0)),
                    expected);
                misses += expected;
            }
        }
        const CacheCounters counters = cache.counters();
        QCOMPARE(counters.misses, misses);
        QCOMPARE(counters.passed > 0, may_pass);
        QCOMPARE(counters.hits + counters.misses, std::uint64_t{40} * kLayers * kChosen);
        QVERIFY(counters.hits > 0);
        QCOMPARE(queue->counters().bytes_asked, misses * slot_bytes);
        QVERIFY(n_slots < static_cast<int>(kExperts) || misses <= kLayers * kExperts);
    }

    // One by one, an expert of a token may give way to another one of it.
    void oneByOneMissesMore() {
        const ExpertFile file(512, false);
        auto queue = ReadQueue::open(file.path);
        QVERIFY(queue);
        const Trace trace = bench::make_expert_trace(
            {.n_layer = 1, .n_items = kExperts, .n_tokens = 400, .stays = 0.6}, kChosen);
        const auto misses_of = [&](bool one_by_one) {
            std::vector<std::byte> memory(12 * kSlices * 512);
            const CachedLayer layer{.n_neurons = static_cast<int>(kExperts),
                                    .runs = file.runs(0),
                                    .slot_bytes = kSlices * 512,
                                    .largest_group = one_by_one ? 1 : static_cast<int>(kChosen),
                                    .n_slots = 12,
                                    .base = memory.data()};
            NeuronCache cache(*queue, kChannel, std::vector{layer});
            std::vector<std::uint16_t> at(kChosen);
            std::vector<std::uint8_t> read(kChosen);
            for (std::size_t token = 0; token < trace.n_tokens(); ++token) {
                const auto names = trace.demand(token, 0);
                const std::size_t size = one_by_one ? 1 : names.size();
                const int n_groups = static_cast<int>(names.size() / size);
                cache.begin(0, n_groups);
                for (int group = 0; group < n_groups; ++group) {
                    const std::size_t first = static_cast<std::size_t>(group) * size;
                    cache.want(group,
                               {0, names.subspan(first, size), std::span(at).subspan(first, size),
                                std::span(read).subspan(first, size)});
                    if (!cache.await(group)) {
                        return std::uint64_t{0};
                    }
                    cache.done(group);
                }
                cache.end();
            }
            return cache.counters().misses;
        };
        const std::uint64_t together = misses_of(false);
        const std::uint64_t alone = misses_of(true);
        QVERIFY2(together > 0 && alone * 10 > together * 14,
                 qPrintable(QStringLiteral("%1 %2").arg(together).arg(alone)));
    }

    // Below one token's demand a cache is refused before it reads anything.
    void tooFewSlotsAreToldBefore() {
        CachedLayer layer{.n_neurons = 64, .slot_bytes = 1000, .largest_group = 8, .n_slots = 8};
        QVERIFY(NeuronCache::check(std::vector{layer, layer}));
        CachedLayer small = layer;
        small.n_slots = 7;
        const auto refused = NeuronCache::check(std::vector{layer, small});
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::OverBudget);
        QCOMPARE(QString::fromStdString(refused.error().message),
                 QStringLiteral("cached layer 1 has 7 slots of 1000 bytes, and a token needs 8 at "
                                "a time"));
        small.largest_group = small.n_slots = 0;
        QVERIFY(!NeuronCache::check(std::vector{small}));
    }
};

QTEST_GUILESS_MAIN(ExpertCacheTest)
#include "expert_cache_test.moc"
