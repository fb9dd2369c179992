// The pieces of a GPU's working memory do not overlap, however many layers a model has.
#include "vulkan/buffers.h"

#include <QtTest>

#include "base/environment.h"
#include "include/params.h"
#include "vulkan/device.h"
#include "vulkan/instance.h"
#include "vulkan/past_arena.h"

using namespace hearth;
using namespace hearth::vulkan;

class BuffersTest : public QObject {
    Q_OBJECT

private:
    std::shared_ptr<Device> device_;
    std::string why_missing_;

private slots:
    void initTestCase() {
        auto instance = Instance::create(validation_from(read_environment().vulkan_validation));
        auto device = instance ? Device::create(*instance, 0, {})
                               : Result<std::shared_ptr<Device>>(instance.error());
        if (device) {
            device_ = *device;
        } else {
            why_missing_ = device.error().message;
            QVERIFY2(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"), why_missing_.c_str());
        }
    }

    // A pass's words come first, one of them for each layer; angles lie behind all of them and have
    // room for every token. The plan counts the same bytes.
    void anglesLieBehindTheWordsOfEveryLayer_data() {
        QTest::addColumn<int>("layers");
        for (const int layers : {1, 2, 29, 30, 60, 61, 62, 63, 64, 65, 126, 200}) {
            QTest::addRow("%d layers", layers) << layers;
        }
    }
    void anglesLieBehindTheWordsOfEveryLayer() {
        QFETCH(const int, layers);
        if (device_ == nullptr) {
            QSKIP(why_missing_.c_str());
        }
        constexpr int kBatch = 4;
        constexpr int kDim = 32;
        ModelSpec spec;
        spec.n_embd = 64;
        spec.n_vocab = 40;
        spec.layers.resize(static_cast<std::size_t>(layers));
        spec.layers.back().attention.rope.base = 500.0F;  // has angles of its own
        for (LayerSpec& layer : spec.layers) {
            layer.attention.n_head = layer.attention.n_head_kv = 2;
            layer.attention.head_dim = layer.attention.rope.dim = kDim;
            layer.n_ff = 64;
        }
        const auto made = Buffers::create(device_, spec, kBatch, 0, false);
        QVERIFY2(made, made ? "" : made.error().message.c_str());
        const std::uint64_t words =
            (STEP_PAST_AT + 2 * static_cast<std::uint64_t>(layers)) * sizeof(std::uint32_t);
        QCOMPARE(made->host_angles.size(), layers > 1 ? 2U : 1U);
        for (const auto& [step, angles] : {std::pair{made->step, made->angles.front()},
                                           {made->step, made->angles.back()},
                                           {made->host_step, made->host_angles.front()},
                                           {made->host_step, made->host_angles.back()}}) {
            QVERIFY2(angles.offset >= step.offset + words,
                     qPrintable(QString("angles begin at byte %1, the words take %2")
                                    .arg(angles.offset - step.offset)
                                    .arg(words)));
            QVERIFY(angles.offset + angles.bytes <= step.offset + step.bytes);
            QVERIFY(angles.bytes >= kBatch * kDim * sizeof(float));
        }
        QCOMPARE(made->host_angles.back().mapped - made->host_step.mapped,
                 static_cast<std::ptrdiff_t>(made->angles.back().offset - made->step.offset));
        QVERIFY(layers == 1 || made->angles.front().offset + made->angles.front().bytes <=
                                   made->angles.back().offset);
        const bool units = device_->features().matrix_units();
        QCOMPARE(made->scratch_held_bytes(), Buffers::scratch_bytes(spec, kBatch, 0, false, units));
        QVERIFY(Buffers::scratch_bytes(spec, kBatch, 0, false, true) >
                Buffers::scratch_bytes(spec, kBatch, 0, false, false));
        QCOMPARE(Buffers::scratch_bytes(spec, 1, 0, false, true),
                 Buffers::scratch_bytes(spec, 1, 0, false, false));
    }

    // Latents are keys, and values are a part of them: a layer has no other place for values.
    void latentsAreKeptOnce_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("rowBytes");
        QTest::newRow("halves") << static_cast<int>(KvType::F16) << 2 * 96;
        QTest::newRow("bytes") << static_cast<int>(KvType::Q8_0) << 96 + 8;
    }
    void latentsAreKeptOnce() {
        QFETCH(const int, type);
        QFETCH(const int, rowBytes);
        if (device_ == nullptr) {
            QSKIP(why_missing_.c_str());
        }
        constexpr int kCtx = 64;
        ModelSpec spec;
        spec.n_embd = 64;
        spec.n_vocab = 40;
        spec.layers.resize(2);
        for (LayerSpec& layer : spec.layers) {
            layer.attention.n_head = 5;
            layer.attention.n_head_kv = 1;
            layer.attention.head_dim = 96;
            layer.attention.value_dim = 64;
            layer.attention.rope.dim = 32;
            layer.attention.kv = static_cast<KvType>(type);
            layer.latent = {.rank = 64, .q_rank = 0, .plain_dim = 32, .value_dim = 32};
            layer.n_ff = 64;
        }
        Plan plan;
        plan.n_ctx = kCtx;
        plan.n_pasts = 2;
        plan.placement.layers.resize(2);
        plan.placement.layers[1].attention = Unit::Gpu;
        const auto one = static_cast<std::uint64_t>(rowBytes * kCtx);
        QCOMPARE(PastArena::bytes(spec.layer(1), kCtx), piece_bytes(one));
        const auto arena = PastArena::create(device_, spec, plan);
        QVERIFY2(arena, arena ? "" : arena.error().message.c_str());
        QCOMPARE(arena->bytes(), piece_bytes(2 * piece_bytes(one)));
        QCOMPARE(arena->keys[1].bytes, 2 * piece_bytes(one));
        QCOMPARE(arena->values[1].bytes, std::uint64_t{0});
        const auto first = arena->make_past();
        const auto second = arena->make_past();
        QVERIFY(first && second);
        QCOMPARE(arena->offsets(**first)[2] * std::uint64_t{4}, std::uint64_t{0});
        QCOMPARE(arena->offsets(**second)[2] * std::uint64_t{4}, piece_bytes(one));
        // Scales lie behind the rows of all positions.
        QCOMPARE(arena->offsets(**second)[3] * std::uint64_t{4},
                 piece_bytes(one) + std::uint64_t{kCtx} * (type == 0 ? 2 * 96 : 96));
    }

    // As many conversations as the plan has, each with a place of its own, which is free again once
    // its conversation is gone. Layers whose attention the processor computes have none.
    void conversationsHavePlaces() {
        if (device_ == nullptr) {
            QSKIP(why_missing_.c_str());
        }
        constexpr int kCtx = 64;
        ModelSpec spec;
        spec.n_embd = 64;
        spec.n_vocab = 40;
        spec.layers.resize(2);
        for (LayerSpec& layer : spec.layers) {
            layer.attention.n_head = layer.attention.n_head_kv = 2;
            layer.attention.head_dim = layer.attention.rope.dim = 32;
            layer.n_ff = 64;
        }
        Plan plan;
        plan.n_ctx = kCtx;
        plan.n_pasts = 2;
        plan.placement.layers.resize(2);
        plan.placement.layers[1].attention = Unit::Gpu;
        const auto arena = PastArena::create(device_, spec, plan);
        QVERIFY2(arena, arena ? "" : arena.error().message.c_str());
        const std::uint64_t half = PastArena::bytes(spec.layer(1), kCtx) / 2;
        QVERIFY(half > 0);
        QCOMPARE(arena->keys[0].bytes, std::uint64_t{0});
        QCOMPARE(arena->keys[1].bytes, 2 * half);
        QCOMPARE(arena->values[1].bytes, 2 * half);
        const PastArena::RunCopies no_copies = [](std::span<const PastArena::Copy>) {
            return Result<void>{};
        };
        auto first = arena->make_past(no_copies);
        const auto second = arena->make_past(no_copies);
        QVERIFY(first && second);
        const auto place = [&](const GpuPast& past, std::size_t layer) {
            return arena->offsets(past)[2 * layer] * std::uint64_t{sizeof(std::uint32_t)};
        };
        QCOMPARE(place(**first, 1), std::uint64_t{0});
        QCOMPARE(place(**second, 1), half);
        QCOMPARE(place(**second, 0), std::uint64_t{0});
        QVERIFY(!arena->make_past(no_copies));
        first->reset();
        const auto third = arena->make_past(no_copies);
        QVERIFY(third);
        QCOMPARE(place(**third, 1), std::uint64_t{0});
        QVERIFY(!arena->make_past(no_copies));
    }

    // The rows of a past that moved up are found where those of position 0 would be, before its
    // place; so are the scales of bytes. A layer that holds all does not move.
    void placesMoveUp() {
        if (device_ == nullptr) {
            QSKIP(why_missing_.c_str());
        }
        constexpr int kWindow = 9;
        constexpr std::uint32_t kHeads = 3;
        constexpr std::uint32_t kWords = 32 / 4;  // of a row of bytes; one more has its scale
        ModelSpec spec;
        spec.n_embd = 64;
        spec.n_vocab = 40;
        spec.layers.resize(2);
        for (LayerSpec& layer : spec.layers) {
            layer.attention.n_head = layer.attention.n_head_kv = int{kHeads};
            layer.attention.head_dim = layer.attention.rope.dim = 32;
            layer.attention.kv = KvType::Q8_0;
            layer.n_ff = 64;
        }
        spec.layers[1].attention.window = kWindow;
        spec.layers[1].attention.kept = kept_of_window(kWindow);
        const auto room = static_cast<std::uint32_t>(room_of_kept(kept_of_window(kWindow)));
        Plan plan;
        plan.n_ctx = 4096;
        plan.n_pasts = 2;
        plan.placement.layers.resize(2);
        plan.placement.layers[0].attention = plan.placement.layers[1].attention = Unit::Gpu;
        const auto arena = PastArena::create(device_, spec, plan);
        QVERIFY2(arena, arena ? "" : arena.error().message.c_str());
        std::vector<PastArena::Copy> copied;
        const PastArena::RunCopies run = [&](std::span<const PastArena::Copy> copies) {
            copied.assign(copies.begin(), copies.end());
            return Result<void>{};
        };
        const auto first = arena->make_past(run);
        const auto second = arena->make_past(run);
        QVERIFY(first && second && (*second)->moves());
        const auto offsets = [&] {
            const auto now = arena->offsets(**second);
            return std::vector<std::uint32_t>(now.begin(), now.end());
        };
        const std::vector<std::uint32_t> before = offsets();
        QCOMPARE(before.size(), std::size_t{4});
        QCOMPARE(before[1] - before[0], kHeads * 4096 * kWords);
        QCOMPARE(before[3] - before[2], kHeads * room * kWords);
        constexpr std::uint32_t kFirst = 3 * kPastStep;
        QVERIFY((*second)->move_up(int{kFirst}, int{kFirst} + 100));
        const std::vector<std::uint32_t> wanted{before[0], before[1], before[2] - kFirst * kWords,
                                                before[3] - kFirst};
        QVERIFY(offsets() == wanted);
        // Rows and scales of each head's keys and values, a hundred positions of each.
        QCOMPARE(copied.size(), std::size_t{kHeads} * 2 * 2);
        for (const PastArena::Copy& copy : copied) {
            QCOMPARE(copy.from.bytes, copy.to.bytes);
            QVERIFY(copy.to.bytes == 100 * 4 * kWords || copy.to.bytes == std::uint64_t{400});
            const std::uint64_t moved = copy.to.bytes == 400 ? kFirst * 4 : kFirst * 4 * kWords;
            QCOMPARE(copy.from.offset - copy.to.offset, moved);
        }
        (*second)->move_back();
        QVERIFY(offsets() == before);
    }
};

QTEST_GUILESS_MAIN(BuffersTest)
#include "buffers_test.moc"
