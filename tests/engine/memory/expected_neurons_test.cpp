// Neurons that a layer will probably want are read while another one runs: the layer finds them if
// it wants them, and nothing that it has gives way for them.
#include <QtTest>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "memory/neuron_cache.h"
#include "support/fake_reads.h"

namespace {

using hearth::CachedLayer;
using hearth::NeuronCache;
using hearth::ReadQueue;
using hearth::test::FakeReads;
using hearth::test::ReadScript;

constexpr int kNeurons = 16;  // of each of two layers
constexpr int kSlots = 6;
constexpr int kRoom = 3;
constexpr std::uint64_t kBytes = 64;

using Names = std::vector<std::uint16_t>;

std::vector<std::byte> content() {
    std::vector<std::byte> bytes(2 * kNeurons * kBytes);
    std::mt19937 random(3);
    for (std::byte& byte : bytes) {
        byte = static_cast<std::byte>(random());
    }
    return bytes;
}

struct Fixture {
    // apart: the second half of a neuron is read from the other layer's part of the file.
    explicit Fixture(int n_slots = kSlots, int most_unhurried = 8, bool apart = false)
        : file(content()), script(std::make_shared<ReadScript>(file)) {
        script->facts.alignment = 16;
        script->facts.memory_alignment = 16;
        queue.emplace(std::move(*ReadQueue::open(std::make_unique<FakeReads>(script),
                                                 {.depth = 16,
                                                  .merge_gap_bytes = 0,
                                                  .largest_read_bytes = kBytes,
                                                  .most_unhurried = most_unhurried})));
        const auto n = static_cast<std::size_t>(n_slots);
        memory.resize(2 * n * kBytes);
        std::vector<CachedLayer> layers(2);
        for (std::size_t i = 0; i < layers.size(); ++i) {
            layers[i].n_neurons = kNeurons;
            layers[i].runs = {{i * kNeurons * kBytes, kBytes, apart ? kBytes / 2 : kBytes, 0}};
            if (apart) {
                layers[i].runs.push_back(
                    {(1 - i) * kNeurons * kBytes + kBytes / 2, kBytes, kBytes / 2, kBytes / 2});
            }
            layers[i].slot_bytes = kBytes;
            layers[i].largest_group = 4;
            layers[i].n_slots = n_slots;
            layers[i].base = memory.data() + i * n * kBytes;
        }
        cache.emplace(*queue, 1, layers, hearth::AheadRoom{room.data(), kBytes, kRoom});
    }

    struct Run {
        bool good = false;
        std::vector<std::uint8_t> read{};
        int n_read(std::uint8_t least) const {
            return static_cast<int>(
                std::count_if(read.begin(), read.end(), [&](auto how) { return how >= least; }));
        }
    };
    // One token's, whose bytes are looked at and put into their slots.
    Run run(int layer, const Names& names, const std::function<void()>& meanwhile = {}) {
        std::vector<std::uint16_t> at(names.size());
        Run seen;
        seen.read.resize(names.size());
        cache->begin(layer, 1);
        cache->want(0, {0, names, at, seen.read});
        if (meanwhile) {
            meanwhile();
        }
        seen.good = cache->await(0).has_value();
        for (std::size_t i = 0; i < names.size() && seen.good; ++i) {
            std::byte* const slot = cache->layer(layer).slot(at[i]);
            if (seen.read[i] != 0) {
                std::memmove(slot, cache->read_place(layer, at[i], seen.read[i]), kBytes);
            }
            seen.good = std::memcmp(slot, file.data() + place(layer, names[i]), kBytes) == 0;
        }
        cache->done(0, seen.good);
        cache->end();
        return seen;
    }
    static std::uint64_t place(int layer, int neuron) {
        return static_cast<std::uint64_t>(layer * kNeurons + neuron) * kBytes;
    }
    std::size_t times_read(int layer, int neuron) const {
        const auto seen = script->seen();
        return static_cast<std::size_t>(std::count_if(seen.begin(), seen.end(), [&](const auto& r) {
            return r.offset == place(layer, neuron);
        }));
    }

    std::vector<std::byte> file;
    std::shared_ptr<ReadScript> script;
    std::optional<ReadQueue> queue;
    std::vector<std::byte> memory;
    std::vector<std::byte> room = std::vector<std::byte>(kRoom * kBytes);
    std::optional<NeuronCache> cache;
};

// A token's neurons, told as they come.
struct Arriving {
    explicit Arriving(Names of)
        : names(std::move(of)), at(names.size()), read(names.size()), left(names.size()) {}
    void begin(NeuronCache& cache, int layer) {
        cache.begin(layer, 1);
        cache.want(0, {0, names, at, read, left});
    }
    Names more(NeuronCache& cache) {
        Names told;
        for (const std::uint16_t i : cache.await_more(0)) {
            told.push_back(names[i]);
        }
        return told;
    }
    bool end(NeuronCache& cache) {
        const bool good = cache.await(0).has_value();
        cache.done(0, good);
        cache.end();
        return good;
    }
    Names names, at;
    std::vector<std::uint8_t> read, left;
};

}  // namespace

class ExpectedNeuronsTest : public QObject {
    Q_OBJECT

private slots:
    void whatWasExpectedIsThere() {
        Fixture with;
        QVERIFY(with.run(1, {0, 1, 2, 3}).good);
        const Names expected{1, 4, 5, 9};
        const auto first = with.run(0, {7, 8}, [&] { with.cache->expect(1, expected); });
        QVERIFY(first.good);
        // 1 is here. 4 and 9 are wanted, 5 is not, 6 was not expected.
        const auto second = with.run(1, {1, 4, 6, 9});
        QVERIFY(second.good);
        QCOMPARE(second.read[0], std::uint8_t{0});
        QVERIFY(second.read[1] >= NeuronCache::kAhead && second.read[3] >= NeuronCache::kAhead);
        QCOMPARE(second.read[2], NeuronCache::kRead);
        const hearth::CacheCounters counters = with.cache->counters();
        QCOMPARE(counters.ahead, std::uint64_t{3});
        QCOMPARE(counters.taken, std::uint64_t{2});
        QCOMPARE(counters.hits, std::uint64_t{1});
        QCOMPARE(counters.misses, std::uint64_t{4 + 2 + 3});
        for (const int neuron : {4, 6, 9}) {
            QCOMPARE(with.times_read(1, neuron), std::size_t{1});
        }
        QCOMPARE(with.run(1, {1, 4, 6, 9}).n_read(1), 0);  // they have slots now
    }

    // Hits and misses are those of a cache that expects nothing, whatever is expected.
    void expectingChangesNoMisses() {
        Fixture with, plain;
        std::mt19937 random(7);
        std::uint64_t taken = 0;
        for (int token = 0; token < 200; ++token) {
            for (const int layer : {0, 1}) {
                Names names(4), expected(5);
                for (Names* list : {&names, &expected}) {
                    for (auto& name : *list) {
                        name = static_cast<std::uint16_t>(random() % kNeurons);
                    }
                    std::sort(list->begin(), list->end());
                    list->erase(std::unique(list->begin(), list->end()), list->end());
                }
                const auto got =
                    with.run(layer, names, [&] { with.cache->expect(1 - layer, expected); });
                const auto wanted = plain.run(layer, names);
                QVERIFY(got.good && wanted.good);
                for (std::size_t i = 0; i < names.size(); ++i) {
                    QCOMPARE(got.read[i] == 0, wanted.read[i] == 0);
                }
                taken += static_cast<std::uint64_t>(got.n_read(NeuronCache::kAhead));
            }
        }
        QVERIFY(taken > 50);
        QCOMPARE(with.cache->counters().taken, taken);
        QCOMPARE(with.cache->counters().misses, plain.cache->counters().misses);
    }

    // More than there is room for, the same again, and others instead.
    void roomIsUsedAgain() {
        Fixture with;
        with.script->hold();
        with.cache->expect(1, Names{1, 2, 3, 4, 5});
        with.script->await_begun(3);
        with.cache->expect(1, Names{1, 2, 3, 6});  // no room for it
        QCOMPARE(with.cache->counters().ahead, std::uint64_t{3});
        with.cache->expect(1, Names{2, 6});  // reads are under way to what is given up
        QCOMPARE(with.cache->counters().ahead, std::uint64_t{3});
        with.script->release_all();
        for (int i = 0; i < 1000 && with.queue->outstanding(1) > 0; ++i) {
            QTest::qWait(1);
        }
        with.cache->expect(1, Names{2, 6});
        QCOMPARE(with.cache->counters().ahead, std::uint64_t{4});
        const auto run = with.run(1, {1, 2, 6});
        QVERIFY(run.good);
        QCOMPARE(run.n_read(NeuronCache::kAhead), 2);
        QCOMPARE(with.times_read(1, 2), std::size_t{1});
    }

    // Each layer has its own: another's stay, those of the same that are not named again go.
    void layersAreExpectedTogether() {
        Fixture with;
        with.cache->expect(1, Names{1});
        with.cache->expect(0, Names{2, 3});
        const auto run = with.run(1, {1, 4});
        QVERIFY(run.good);
        QCOMPARE(run.n_read(NeuronCache::kAhead), 1);
        for (int i = 0; i < 1000 && with.queue->outstanding(1) > 0; ++i) {
            QTest::qWait(1);
        }
        with.cache->expect(0, Names{3});  // room of 2 is free, and 1's is again
        with.cache->expect(1, Names{5, 6});
        QCOMPARE(with.cache->counters().ahead, std::uint64_t{5});
        const auto other = with.run(0, {2, 3});
        QVERIFY(other.good);
        QCOMPARE(other.n_read(NeuronCache::kAhead), 1);
        QVERIFY(other.read[1] >= NeuronCache::kAhead);
        with.cache->expect_nothing();
        QCOMPARE(with.run(1, {5, 6}).n_read(NeuronCache::kAhead), 0);
    }

    // Likely ones go before the others, and more of them at once.
    void likelyOnesAreReadAtOnce() {
        Fixture with(kSlots, 2);
        with.script->hold();
        with.cache->expect(1, Names{7, 1, 2}, 1);
        with.script->await_begun(2);  // 7, and one that may be wanted
        QTest::qWait(20);
        QCOMPARE(with.script->seen().size(), std::size_t{2});
        QCOMPARE(with.times_read(1, 7), std::size_t{1});
        QCOMPARE(with.times_read(1, 1), std::size_t{1});
        with.cache->expect(1, Names{2, 7, 1}, 1);  // likely now
        with.script->await_begun(3);
        QCOMPARE(with.times_read(1, 2), std::size_t{1});
        with.script->release_all();
        QCOMPARE(with.run(1, {1, 2, 7}).n_read(NeuronCache::kAhead), 3);
        QCOMPARE(with.cache->counters().ahead, std::uint64_t{3});
    }

    // A token that comes while they are read waits for the same reads.
    void whatIsOnItsWayIsAwaited() {
        Fixture with;
        with.script->hold();
        with.cache->expect(1, Names{1, 2});
        with.script->await_begun(2);
        const auto run = with.run(1, {1, 2, 3}, [&] { with.script->release_all(); });
        QVERIFY(run.good);
        QCOMPARE(run.n_read(NeuronCache::kAhead), 2);
        QCOMPARE(with.script->seen().size(), std::size_t{3});
    }

    // Each as soon as it is there, in whatever order they come, and once.
    void theyAreToldAsTheyCome() {
        Fixture with;
        QVERIFY(with.run(1, {0}).good);
        with.script->hold();
        with.cache->expect(1, Names{4});
        with.script->await_begun(2);
        Arriving token({0, 4, 5, 9});
        token.begin(*with.cache, 1);
        with.script->await_begun(4);
        for (const int neuron : {9, 4, 5}) {
            with.script->release(Fixture::place(1, neuron));
            QCOMPARE(token.more(*with.cache), Names{static_cast<std::uint16_t>(neuron)});
        }
        QCOMPARE(token.more(*with.cache), Names{});
        QVERIFY(token.end(*with.cache));
        for (std::size_t i = 0; i < token.names.size(); ++i) {
            const std::byte* const lies =
                token.read[i] == 0 ? with.cache->layer(1).slot(token.at[i])
                                   : with.cache->read_place(1, token.at[i], token.read[i]);
            QCOMPARE(
                std::memcmp(lies, with.file.data() + Fixture::place(1, token.names[i]), kBytes), 0);
        }
        // All that is there is told at once.
        with.script->release_all();
        Arriving next({1, 2});
        next.begin(*with.cache, 1);
        for (int i = 0; i < 1000 && with.script->seen().size() < 6; ++i) {
            QTest::qWait(1);
        }
        Names told;
        for (Names more = next.more(*with.cache); !more.empty(); more = next.more(*with.cache)) {
            told.insert(told.end(), more.begin(), more.end());
        }
        std::sort(told.begin(), told.end());
        QCOMPARE(told, (Names{1, 2}));
        QVERIFY(next.end(*with.cache));
    }

    // A neuron whose first bytes are there is not there.
    void halfANeuronIsNone() {
        Fixture with(kSlots, 8, true);
        const auto first = [](int neuron) { return Fixture::place(1, neuron); };
        const auto second = [](int neuron) { return Fixture::place(0, neuron) + kBytes / 2; };
        with.script->hold();
        with.cache->expect(1, Names{3});
        with.script->await_begun(2);
        Arriving token({2, 3, 7});
        token.begin(*with.cache, 1);
        with.script->await_begun(6);
        for (const int neuron : {2, 3}) {
            with.script->release(neuron == 2 ? first(2) : second(3));
        }
        with.script->release(second(7));
        with.script->release(first(7));
        QCOMPARE(token.more(*with.cache), Names{7});
        with.script->release(first(3));
        QCOMPARE(token.more(*with.cache), Names{3});
        with.script->release(second(2));
        QCOMPARE(token.more(*with.cache), Names{2});
        QVERIFY(token.end(*with.cache));
    }

    // Nothing is told any more, whatever still comes; the next token finds all well.
    void aFailureEndsWhatIsTold() {
        Fixture with;
        with.script->instead = [](std::uint64_t offset, std::uint64_t) {
            return offset == place_of_three() ? std::optional(hearth::ReadOutcome{.error = EIO})
                                              : std::nullopt;
        };
        with.script->hold();
        Arriving token({2, 3});
        token.begin(*with.cache, 1);
        with.script->await_begun(2);
        for (std::size_t begun = 2; begun < 5; ++begun) {  // it is tried again
            with.script->release(place_of_three());
            if (begun < 4) {
                with.script->await_begun(begun + 1);
            }
        }
        QCOMPARE(token.more(*with.cache), Names{});
        with.script->release_all();
        QVERIFY(!token.end(*with.cache));
        with.script->instead = {};
        QVERIFY(with.run(1, {2, 3}).good);
    }

    // Its number is another neuron's from now on: its slot is forgotten, and so is a read on the
    // chance that it is wanted.
    void aNumberIsForgotten() {
        Fixture with;
        QVERIFY(with.run(1, {0, 1, 2}).good);
        with.cache->expect(1, Names{4, 5});
        for (int i = 0; i < 1000 && with.queue->outstanding(1) > 0; ++i) {
            QTest::qWait(1);
        }
        with.cache->forget(1, 1);
        with.cache->forget(1, 4);
        with.cache->forget(1, 9);  // it was nowhere
        QVERIFY(!with.cache->holds(1, 1) && with.cache->holds(1, 2));
        const auto run = with.run(1, {0, 1, 4, 5});
        QVERIFY(run.good);
        QCOMPARE(run.read[0], std::uint8_t{0});
        QCOMPARE(run.read[1], NeuronCache::kRead);
        QCOMPARE(run.read[2], NeuronCache::kRead);
        QVERIFY(run.read[3] >= NeuronCache::kAhead);
        QVERIFY(with.run(1, {1, 4}).n_read(1) == 0);
    }

    // A neuron that could not be read when it was expected is read when it is wanted.
    void aFailedExpectationIsNoError() {
        Fixture with;
        with.script->instead = [](std::uint64_t, std::uint64_t) {
            return std::optional(hearth::ReadOutcome{.error = EIO});
        };
        with.cache->expect(1, Names{1, 2});
        for (int i = 0; i < 1000 && with.queue->outstanding(1) > 0; ++i) {
            QTest::qWait(1);
        }
        with.script->instead = {};
        with.cache->expect(1, Names{1, 2});  // learns of it
        const auto run = with.run(1, {1, 2});
        QVERIFY(run.good);
        QCOMPARE(run.n_read(NeuronCache::kAhead), 0);
        // One that fails while a token waits for it is the token's error, and the next one is fine.
        with.script->hold();
        with.cache->expect(1, Names{3});
        with.script->await_begun(2 * 3 + 2 + 1);
        const auto failed = with.run(1, {3, 4}, [&] {
            with.script->instead = [](std::uint64_t offset, std::uint64_t) {
                return offset == place_of_three() ? std::optional(hearth::ReadOutcome{.error = EIO})
                                                  : std::nullopt;
            };
            with.script->release_all();
        });
        QVERIFY(!failed.good);
        with.script->instead = {};
        QVERIFY(with.run(1, {3, 4}).good);
    }

    // Slots that are used again are filled with what was used most, one token's after the other.
    void emptySlotsAreFilled() {
        Fixture with(12);
        for (int i = 0; i < 3; ++i) {
            QVERIFY(with.run(0, {0, 1, 2, 3}).good);
            QVERIFY(with.run(0, {4, 5, 6, 7}).good);
        }
        QVERIFY(with.run(0, {8, 9, 10, 11}).good);
        QCOMPARE(with.cache->n_held(0), 12);
        QVERIFY(!with.cache->refill(0));  // no slot is empty
        with.cache->set_slots(0, 4);
        with.cache->set_slots(0, 12);
        const int held = with.cache->n_held(0);
        QVERIFY(held <= 4);
        std::set<int> filled;
        const auto take = [&] {
            while (const auto one = with.cache->next_filled()) {
                QCOMPARE(std::memcmp(with.cache->layer(0).slot(one->at),
                                     with.file.data() + Fixture::place(0, one->neuron), kBytes),
                         0);
                filled.insert(one->neuron);
                with.cache->filled(*one, true);
            }
        };
        // Each read ends before the next one is asked for: a busy machine would start more of them.
        while (filled.size() < 4) {
            QVERIFY(with.cache->refill(0));
            QTRY_COMPARE(with.queue->outstanding(1), std::size_t{0});
            take();
        }
        QVERIFY(filled.size() >= 4);
        QVERIFY(std::all_of(filled.begin(), filled.end(), [](int n) { return n < 8; }));
        QVERIFY(with.run(0, {0, 1, 2, 3}).good);
        QVERIFY(with.run(0, {4, 5, 6, 7}).good);
        QVERIFY(!with.cache->refill(1));  // nothing is known of it
    }

    // A token that wants what is being filled waits for it; what failed is empty again; and less
    // room ends it.
    void aTokenMayWantWhatIsFilled() {
        Fixture with(12);
        for (int i = 0; i < 3; ++i) {
            QVERIFY(with.run(0, {0, 1, 2, 3}).good);
        }
        with.cache->drop(0);
        with.script->hold();
        const std::size_t before = with.script->seen().size();
        QVERIFY(with.cache->refill(0));
        with.script->await_begun(before + 1);
        const auto run = with.run(0, {0, 1, 2, 3}, [&] { with.script->release_all(); });
        QVERIFY(run.good);
        QCOMPARE(run.n_read(NeuronCache::kRead), 4);
        QCOMPARE(with.script->seen().size(), before + 4);
        QVERIFY(!with.cache->next_filled());
        QCOMPARE(with.run(0, {0, 1, 2, 3}).n_read(1), 0);

        with.cache->drop(0);
        with.script->instead = [](std::uint64_t, std::uint64_t) {
            return std::optional(hearth::ReadOutcome{.error = EIO});
        };
        QVERIFY(with.cache->refill(0));
        for (int i = 0; i < 1000 && with.queue->outstanding(1) > 0; ++i) {
            QTest::qWait(1);
        }
        with.script->instead = {};
        QVERIFY(!with.cache->next_filled());
        QVERIFY(!with.cache->is_filling());
        QCOMPARE(with.cache->n_held(0), 0);
        QVERIFY(with.run(0, {0, 1, 2, 3}).good);

        with.cache->drop(0);
        QVERIFY(with.cache->refill(0) && with.cache->refill(0));
        with.cache->set_slots(0, 5);
        QVERIFY(!with.cache->is_filling());
        QCOMPARE(with.cache->n_held(0), 0);
        QVERIFY(!with.cache->refill(0));  // a token needs the others
        QVERIFY(with.run(0, {0, 1, 2, 3}).good);
    }

    void goneWhileReading() {
        Fixture with;
        with.script->hold();
        with.cache->expect(1, Names{1, 2, 3});
        with.script->await_begun(3);
        std::thread release([&] { with.script->release_all(); });
        with.cache.reset();
        QCOMPARE(with.queue->outstanding(1), std::size_t{0});
        release.join();
    }

private:
    static std::uint64_t place_of_three() { return Fixture::place(1, 3); }
};

QTEST_GUILESS_MAIN(ExpectedNeuronsTest)
#include "expected_neurons_test.moc"
