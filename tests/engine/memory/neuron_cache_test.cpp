// Neurons read when they are needed: whatever the order in which reads return and however few slots
// there are, a group that is awaited has its own bytes in its slots.
#include <QtTest>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <thread>

#include "memory/neuron_cache.h"
#include "support/fake_reads.h"

namespace {

using hearth::CachedLayer;
using hearth::NeuronCache;
using hearth::ReadQueue;
using hearth::test::FakeReads;
using hearth::test::ReadScript;

constexpr int kNeurons = 64;
constexpr int kGroups = 4;  // of 16 neurons
constexpr int kGroupNeurons = kNeurons / kGroups;
constexpr std::uint64_t kStride = 100;
constexpr std::uint64_t kRow = 40;
constexpr int kChannel = 1;

std::vector<std::byte> content() {
    std::vector<std::byte> bytes(2 * kNeurons * kStride + 7);
    std::mt19937 random(3);
    for (std::byte& byte : bytes) {
        byte = static_cast<std::byte>(random());
    }
    return bytes;
}

// Two runs a neuron, numbers in another order.
struct Fixture {
    explicit Fixture(int n_slots) : file(content()), script(std::make_shared<ReadScript>(file)) {
        script->facts.alignment = 16;
        script->facts.memory_alignment = 16;
        queue.emplace(
            std::move(*ReadQueue::open(std::make_unique<FakeReads>(script), {.depth = 4})));
        numbers.resize(kNeurons);
        std::iota(numbers.begin(), numbers.end(), 0);
        std::shuffle(numbers.begin(), numbers.end(), std::mt19937(1));
        memory.resize(static_cast<std::size_t>(n_slots) * 2 * kRow);
        CachedLayer layer;
        layer.n_neurons = kNeurons;
        layer.numbers = numbers;
        layer.runs = {{7, kStride, kRow, 0}, {7 + kNeurons * kStride, kStride, kRow, kRow}};
        layer.slot_bytes = 2 * kRow;
        layer.n_slots = n_slots;
        layer.base = memory.data();
        cache.emplace(*queue, kChannel, std::vector{layer});
    }

    bool is_in(int neuron, int slot) const {
        const std::byte* rows = memory.data() + static_cast<std::size_t>(slot) * 2 * kRow;
        const auto number = static_cast<std::size_t>(numbers[static_cast<std::size_t>(neuron)]);
        const std::byte* from = file.data() + 7 + number * kStride;
        return std::memcmp(rows, from, kRow) == 0 &&
               std::memcmp(rows + kRow, from + kNeurons * kStride, kRow) == 0;
    }

    std::vector<std::byte> file;
    std::shared_ptr<ReadScript> script;
    std::optional<ReadQueue> queue;
    std::vector<int> numbers;
    std::vector<std::byte> memory;
    std::optional<NeuronCache> cache;
};

// The names of a token's groups, and what the cache says of them.
struct Token {
    struct Group {
        std::vector<std::uint16_t> names, at;
        std::vector<std::uint8_t> read;
    };
    explicit Token(std::function<bool(int neuron)> named) : groups(kGroups) {
        for (int neuron = 0; neuron < kNeurons; ++neuron) {
            if (named(neuron)) {
                groups[static_cast<std::size_t>(neuron / kGroupNeurons)].names.push_back(
                    static_cast<std::uint16_t>(neuron % kGroupNeurons));
            }
        }
        for (Group& group : groups) {
            group.at.resize(group.names.size());
            group.read.resize(group.names.size());
        }
    }
    void want(NeuronCache& cache, int group) {
        Group& of = groups[static_cast<std::size_t>(group)];
        cache.want(group, {group * kGroupNeurons, of.names, of.at, of.read});
    }
    std::vector<Group> groups;
};

}  // namespace

class NeuronCacheTest : public QObject {
    Q_OBJECT

private slots:
    // However long each wait was, all of them together grow.
    void waitsAddUp() {
        constexpr int kWaits = 40;
        Fixture with(kGroupNeurons);
        Token first([](int neuron) { return neuron < kGroupNeurons; });
        Token second(
            [](int neuron) { return neuron >= kGroupNeurons && neuron < 2 * kGroupNeurons; });
        std::uint64_t before = 0;
        for (int i = 0; i < kWaits; ++i) {
            const int group = i % 2;
            with.script->hold();
            with.cache->begin(0, kGroups);
            for (int other = 0; other < kGroups; ++other) {
                (i % 2 == 0 ? first : second).want(*with.cache, other);
            }
            std::thread release([&] { with.script->release_all(); });
            QVERIFY(with.cache->await(group));
            release.join();
            for (int other = 0; other < kGroups; ++other) {
                QVERIFY(with.cache->await(other));
                with.cache->done(other);
            }
            with.cache->end();
            QVERIFY(with.cache->waited_ns() >= before);
            before = with.cache->waited_ns();
        }
        QVERIFY(before > 0);
    }

    // Also with room for one group alone, when each waits for the one before.
    void aGroupsOwnBytes() {
        for (const int n_slots : {kGroupNeurons, kGroupNeurons + 3, 40, kNeurons}) {
            Fixture with(n_slots);
            std::mt19937 random(static_cast<unsigned>(n_slots));
            std::uint64_t named = 0;
            for (int round = 0; round < 250; ++round) {
                // A thread names the groups in any order, another one computes them in theirs.
                Token token([&](int) { return random() % 3 != 0; });
                std::vector<int> order{0, 1, 2, 3};
                std::shuffle(order.begin(), order.end(), random);
                with.cache->begin(
                    0, kGroups,
                    std::array{NeuronCache::Reads::AtOnce, NeuronCache::Reads::WhenAllAreKnown,
                               NeuronCache::Reads::HeldStay}
                        .at(static_cast<std::size_t>(round) % 3));
                std::thread names([&] {
                    for (const int group : order) {
                        token.want(*with.cache, group);
                    }
                });
                for (int group = 0; group < kGroups; ++group) {
                    QVERIFY(with.cache->await(group));
                    QVERIFY(with.cache->is_pinned(group));
                    const Token::Group& of = token.groups[static_cast<std::size_t>(group)];
                    for (std::size_t i = 0; i < of.names.size(); ++i) {
                        QVERIFY(with.is_in(group * kGroupNeurons + of.names[i], of.at[i]));
                    }
                    named += of.names.size();
                    with.cache->done(group);
                }
                names.join();
                with.cache->end();
            }
            const hearth::CacheCounters counters = with.cache->counters();
            QCOMPARE(counters.hits + counters.misses, named);
            QVERIFY(counters.misses >= kNeurons);
            QVERIFY(n_slots < kNeurons || counters.misses == kNeurons);
        }
    }

    // What lies behind slots that are not used is never read into, nor computed with.
    void fewerSlotsAndMoreAgain() {
        Fixture with(kNeurons);
        std::mt19937 random(5);
        for (int round = 0; round < 300; ++round) {
            const int n_slots =
                kGroupNeurons + static_cast<int>(random() % (kNeurons + 1 - kGroupNeurons));
            with.cache->set_slots(0, n_slots);
            QCOMPARE(with.cache->n_slots(0), n_slots);
            QVERIFY(with.cache->n_held(0) <= n_slots);
            const auto unused =
                std::span(with.memory).subspan(static_cast<std::size_t>(n_slots) * 2 * kRow);
            std::fill(unused.begin(), unused.end(), std::byte{0xA5});
            for (int token_of_round = 0; token_of_round < 3; ++token_of_round) {
                Token token([&](int) { return random() % 3 == 0; });
                with.cache->begin(0, kGroups);
                for (int group = 0; group < kGroups; ++group) {
                    token.want(*with.cache, group);
                }
                for (int group = 0; group < kGroups; ++group) {
                    QVERIFY(with.cache->await(group));
                    const Token::Group& of = token.groups[static_cast<std::size_t>(group)];
                    for (std::size_t i = 0; i < of.names.size(); ++i) {
                        QVERIFY(of.at[i] < n_slots);
                        QVERIFY(with.is_in(group * kGroupNeurons + of.names[i], of.at[i]));
                    }
                    with.cache->done(group);
                }
                with.cache->end();
            }
            QVERIFY(std::all_of(unused.begin(), unused.end(),
                                [](std::byte byte) { return byte == std::byte{0xA5}; }));
        }
        QVERIFY(with.cache->counters().misses > kNeurons && with.cache->counters().hits > 0);
    }

    void whatIsHereIsNotReadAgain() {
        Fixture with(kNeurons);
        for (const bool first : {true, false}) {
            Token token([](int neuron) { return neuron % 2 == 0; });
            with.cache->begin(0, kGroups);
            for (int group = 0; group < kGroups; ++group) {
                token.want(*with.cache, group);
                QVERIFY(with.cache->is_pinned(group));
                const auto& read = token.groups[static_cast<std::size_t>(group)].read;
                QCOMPARE(std::count(read.begin(), read.end(), first ? 1 : 0),
                         static_cast<std::ptrdiff_t>(read.size()));
                QVERIFY(with.cache->await(group));
                with.cache->done(group);
            }
            with.cache->end();
        }
        QCOMPARE(with.cache->counters().hits, 32U);
        QCOMPARE(with.cache->counters().misses, 32U);
        QCOMPARE(with.cache->n_held(0), 32);
        with.cache->drop(0);
        QCOMPARE(with.cache->n_held(0), 0);
    }

    // Layers share nothing but the queue: of two that differ in everything each keeps its own.
    void twoLayers() {
        const std::vector<std::byte> file = content();
        auto script = std::make_shared<ReadScript>(file);
        auto queue = std::move(*ReadQueue::open(std::make_unique<FakeReads>(script), {.depth = 4}));
        std::vector<std::byte> memory(4096);
        CachedLayer first;
        first.n_neurons = kNeurons;
        first.runs = {{7, kStride, kRow, 0}};
        first.slot_bytes = kRow;
        first.n_slots = 20;
        first.base = memory.data();
        CachedLayer second = first;
        second.n_neurons = 32;
        second.runs = {{50, 2 * kStride, 30, 0}};
        second.slot_bytes = 32;
        second.n_slots = 24;
        second.base = memory.data() + 20 * kRow;
        NeuronCache cache(queue, kChannel, {first, second});
        const auto is_in = [&](const CachedLayer& layer, int neuron, int slot) {
            const hearth::NeuronRun& run = layer.runs.front();
            return std::memcmp(
                       layer.base + static_cast<std::size_t>(slot) * layer.slot_bytes,
                       file.data() + run.offset + static_cast<std::size_t>(neuron) * run.stride,
                       run.bytes) == 0;
        };
        // Neurons [begin, end) of a layer; how many of them were read.
        const auto ask = [&](int layer, int begin, int end) {
            std::vector<std::uint16_t> names, at(static_cast<std::size_t>(end - begin));
            std::vector<std::uint8_t> read(at.size());
            for (int n = begin; n < end; ++n) {
                names.push_back(static_cast<std::uint16_t>(n));
            }
            cache.begin(layer, 1);
            cache.want(0, {0, names, at, read});
            bool right = cache.await(0).has_value();
            for (std::size_t i = 0; i < names.size(); ++i) {
                right = right && is_in(layer == 0 ? first : second, names[i], at[i]);
            }
            cache.done(0);
            cache.end();
            return right ? std::count(read.begin(), read.end(), 1) : -1;
        };
        for (const std::ptrdiff_t expected : {10, 0}) {
            QCOMPARE(ask(0, 5, 15), expected);
            QCOMPARE(ask(1, 8, 18), expected);
        }
        QCOMPARE(cache.n_held(0), 10);
        QCOMPARE(cache.n_held(1), 10);
        cache.drop(1);
        QCOMPARE(cache.n_held(0), 10);
        QCOMPARE(cache.n_held(1), 0);
        QCOMPARE(ask(0, 5, 15), std::ptrdiff_t{0});
        QCOMPARE(ask(1, 8, 18), std::ptrdiff_t{10});
        cache.set_slots(1, 4);
        QCOMPARE(cache.n_slots(0), 20);
        QCOMPARE(cache.n_slots(1), 4);
        QCOMPARE(cache.n_held(0), 10);
        QVERIFY(cache.n_held(1) <= 4);
        QCOMPARE(ask(0, 5, 15), std::ptrdiff_t{0});
        QVERIFY(ask(1, 28, 32) >= 0);
    }

    // The disk reads what is computed first before what is computed last, whatever the places in
    // the file: with one reader, group by group.
    void groupsAreReadInTheirOrder() {
        const std::vector<std::byte> file = content();
        auto script = std::make_shared<ReadScript>(file);
        auto queue = std::move(*ReadQueue::open(std::make_unique<FakeReads>(script),
                                                {.depth = 1, .merge_gap_bytes = 0}));
        std::vector<std::byte> memory(kNeurons * kRow);
        std::vector<int> backwards(kNeurons);
        std::iota(backwards.rbegin(), backwards.rend(), 0);
        CachedLayer layer;
        layer.n_neurons = kNeurons;
        layer.numbers = backwards;
        layer.runs = {{7, kStride, kRow, 0}};
        layer.slot_bytes = kRow;
        layer.n_slots = kNeurons;
        layer.base = memory.data();
        NeuronCache cache(queue, kChannel, {layer});
        Token token([](int neuron) { return neuron % 4 == 0; });
        script->hold();
        cache.begin(0, kGroups);
        for (int group = 0; group < kGroups; ++group) {
            token.want(cache, group);
        }
        script->release_all();
        for (int group = 0; group < kGroups; ++group) {
            QVERIFY(cache.await(group));
            cache.done(group);
        }
        cache.end();
        const std::vector<ReadScript::Seen> seen = script->seen();
        QCOMPARE(seen.size(), std::size_t{16});
        // The first read had begun before the others were asked for.
        for (std::size_t i = 1; i < seen.size(); ++i) {
            const auto number = static_cast<int>((seen[i].offset - 7) / kStride);
            QCOMPARE((kNeurons - 1 - number) / kGroupNeurons, static_cast<int>(i / 4));
        }
    }

    // A group that failed loses only what was to be read for it.
    void aFailedReadCostsNothingElse() {
        Fixture with(kNeurons);
        const auto ask = [&](std::function<bool(int)> named) {
            Token token(std::move(named));
            with.cache->begin(0, kGroups);
            bool good = true;
            for (int group = 0; group < kGroups; ++group) {
                token.want(*with.cache, group);
                good = with.cache->await(group).has_value() && good;
                with.cache->done(group);
            }
            with.cache->end();
            return good;
        };
        QVERIFY(ask([](int neuron) { return neuron % 2 == 0; }));
        QCOMPARE(with.cache->n_held(0), 32);
        with.script->instead = [](std::uint64_t, std::uint64_t) {
            return std::optional(hearth::ReadOutcome{.error = EIO});
        };
        QVERIFY(!ask([](int) { return true; }));
        QCOMPARE(with.cache->n_held(0), 32);
        with.script->instead = {};
        const std::uint64_t misses = with.cache->counters().misses;
        QVERIFY(ask([](int neuron) { return neuron % 2 == 0; }));
        QCOMPARE(with.cache->counters().misses, misses);
        QVERIFY(ask([](int) { return true; }));
        QCOMPARE(with.cache->n_held(0), kNeurons);
    }

    // Neurons that a later group wants do not give way to an earlier group's.
    void whatLaterGroupsWantStays() {
        for (const bool known : {false, true}) {
            Fixture with(kGroupNeurons + 1);
            const auto run = [&](std::function<bool(int)> named) {
                Token token(std::move(named));
                with.cache->begin(
                    0, kGroups,
                    known ? NeuronCache::Reads::WhenAllAreKnown : NeuronCache::Reads::AtOnce);
                for (int group = 0; group < kGroups; ++group) {
                    token.want(*with.cache, group);
                }
                for (int group = 0; group < kGroups; ++group) {
                    QVERIFY(with.cache->await(group));
                    with.cache->done(group);
                }
                with.cache->end();
            };
            run([](int neuron) { return neuron >= kNeurons - kGroupNeurons; });
            QCOMPARE(with.cache->counters().misses, std::uint64_t{kGroupNeurons});
            // Two new ones of the first group, and all but one of the last.
            run([](int neuron) {
                return neuron < 2 || (neuron >= kNeurons - kGroupNeurons && neuron < kNeurons - 1);
            });
            QCOMPARE(with.cache->counters().misses,
                     static_cast<std::uint64_t>(kGroupNeurons + (known ? 2 : 3)));
        }
    }

    // With fewer slots than names, what is here stays, and room for the largest group beside it.
    void whatIsHereStaysWhereNotAllFit() {
        for (const auto reads :
             {NeuronCache::Reads::WhenAllAreKnown, NeuronCache::Reads::HeldStay}) {
            Fixture with(3 * kGroupNeurons);
            const auto run = [&](int first_group) {
                Token token([&](int neuron) { return neuron >= first_group * kGroupNeurons; });
                with.cache->begin(0, kGroups, reads);
                for (int group = 0; group < kGroups; ++group) {
                    token.want(*with.cache, group);
                }
                for (int group = 0; group < kGroups; ++group) {
                    QVERIFY(with.cache->await(group));
                    const Token::Group& of = token.groups[static_cast<std::size_t>(group)];
                    for (std::size_t i = 0; i < of.names.size(); ++i) {
                        QVERIFY(with.is_in(group * kGroupNeurons + of.names[i], of.at[i]));
                    }
                    with.cache->done(group);
                }
                with.cache->end();
            };
            run(kGroups - 2);
            const std::uint64_t before = with.cache->counters().misses;
            QCOMPARE(before, std::uint64_t{2 * kGroupNeurons});
            run(0);
            const bool stay = reads == NeuronCache::Reads::HeldStay;
            QCOMPARE(with.cache->counters().misses - before,
                     static_cast<std::uint64_t>((kGroups - (stay ? 2 : 0)) * kGroupNeurons));
        }
    }

    void aFailedReadLeavesNothing() {
        Fixture with(kNeurons);
        const std::uint64_t bad =
            7 + kStride * static_cast<std::uint64_t>(with.numbers[20]);  // of group 1
        with.script->instead = [&](std::uint64_t offset, std::uint64_t bytes) {
            const bool fails = offset <= bad && offset + bytes > bad;
            return fails ? std::optional(hearth::ReadOutcome{.error = EIO}) : std::nullopt;
        };
        Token token([](int) { return true; });
        with.cache->begin(0, kGroups);
        std::vector<int> held;
        for (int group = 0; group < kGroups; ++group) {
            token.want(*with.cache, group);
        }
        bool failed = false;
        for (int group = 0; group < kGroups; ++group) {
            const auto status = with.cache->await(group);
            failed = failed || (group == 1 && !status);
            if (!status) {
                QCOMPARE(status.error().code, hearth::ErrorCode::ReadFailed);
            }
            with.cache->done(group);
        }
        with.cache->end();
        QVERIFY(failed);
        with.script->instead = {};
        Token again([](int) { return true; });
        with.cache->begin(0, kGroups);
        for (int group = 0; group < kGroups; ++group) {
            again.want(*with.cache, group);
            QVERIFY(with.cache->await(group));
            const Token::Group& of = again.groups[static_cast<std::size_t>(group)];
            for (std::size_t i = 0; i < of.names.size(); ++i) {
                QVERIFY(with.is_in(group * kGroupNeurons + of.names[i], of.at[i]));
            }
            if (group == 1) {
                QVERIFY(std::all_of(of.read.begin(), of.read.end(), [](int r) { return r == 1; }));
            }
            with.cache->done(group);
        }
        with.cache->end();
    }

    // A layer that is given up half way leaves the cache as it was, with nothing pinned.
    void aLayerThatIsGivenUp() {
        Fixture with(kGroupNeurons);
        for (int round = 0; round < 3; ++round) {
            Token token([](int) { return true; });
            with.script->hold();
            with.cache->begin(0, kGroups);
            token.want(*with.cache, 0);
            token.want(*with.cache, 1);
            QVERIFY(with.cache->is_pinned(0));
            QVERIFY(!with.cache->is_pinned(1));  // it has no slots yet
            with.script->release_all();
            with.cache->end();
            QCOMPARE(with.cache->n_held(0), 0);
        }
    }
};

QTEST_GUILESS_MAIN(NeuronCacheTest)
#include "neuron_cache_test.moc"
