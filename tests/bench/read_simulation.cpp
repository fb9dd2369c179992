#include "bench/read_simulation.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>

#include "bench/random_numbers.h"
#include "flash/read_order.h"
#include "memory/slot_table.h"

namespace hearth::bench {
namespace {

using Items = std::span<const std::uint16_t>;
using Groups = std::vector<Items>;

// As the processor cuts a layer (cpu/feed_forward/neuron_chunks.h): 32 runs, of 128 neurons at
// least.
std::size_t group_items(std::size_t n_items) {
    return (std::max<std::size_t>((n_items + 31) / 32, 128) + 31) / 32 * 32;
}

Groups groups_of(Items demand, std::size_t n_items) {
    const std::size_t size = group_items(n_items);
    Groups groups;
    for (std::size_t at = 0; at < demand.size();) {
        std::size_t end = at;
        while (end < demand.size() && demand[end] / size == demand[at] / size) {
            ++end;
        }
        groups.push_back(demand.subspan(at, end - at));
        at = end;
    }
    return groups;
}

// One layer's slots as NeuronCache uses them.
class Cache {
public:
    Cache(std::size_t n_items, std::size_t n_slots, bool at_once)
        : slots_(static_cast<int>(n_items), static_cast<int>(n_slots)), at_once_(at_once) {}

    // Calls missed(items) for each group that misses any.
    template <class Missed>
    void use(const Groups& groups, const Missed& missed) {
        std::size_t asked = 0;
        for (const Items group : groups) {
            asked += group.size();
        }
        const bool all = !at_once_ && asked <= static_cast<std::size_t>(slots_.n_slots());
        for (const Items group : all ? groups : Groups{}) {
            pin_held(group);
        }
        for (const Items group : groups) {
            if (!all) {
                pin_held(group);
            }
            missing_.clear();
            for (const std::uint16_t item : group) {
                if (slots_.slot_of(item) == SlotTable::kNone) {
                    missing_.push_back(item);
                }
            }
            for (const std::uint16_t item : missing_) {
                if (slots_.n_unpinned() > 0) {
                    slots_.put(item);
                }
            }
            if (!missing_.empty()) {
                missed(Items(missing_));
            }
            if (!all) {
                unpin(group);
            }
        }
        for (const Items group : all ? groups : Groups{}) {
            unpin(group);
        }
    }

private:
    void pin_held(Items group) {
        for (const std::uint16_t item : group) {
            if (slots_.slot_of(item) != SlotTable::kNone) {
                slots_.use(item);
            }
        }
    }
    void unpin(Items group) {
        for (const std::uint16_t item : group) {
            if (slots_.slot_of(item) != SlotTable::kNone) {
                slots_.unpin(item);
            }
        }
    }

    SlotTable slots_;
    bool at_once_;
    std::vector<std::uint16_t> missing_;
};

// Sets of one layer, [n_tokens].
using Sets = std::vector<std::vector<std::uint16_t>>;

Sets asked(const Trace& trace, std::size_t layer) {
    Sets sets;
    for (std::size_t token = 0; token < trace.n_tokens(); ++token) {
        const Items demand = trace.demand(token, layer);
        sets.emplace_back(demand.begin(), demand.end());
    }
    return sets;
}

Sets missed(const Trace& trace, std::size_t layer, std::size_t n_slots) {
    Sets sets;
    Cache cache(trace.n_items, n_slots, true);
    for (std::size_t token = 0; token < trace.n_tokens(); ++token) {
        auto& set = sets.emplace_back();
        cache.use(groups_of(trace.demand(token, layer), trace.n_items),
                  [&](Items items) { set.insert(set.end(), items.begin(), items.end()); });
    }
    return sets;
}

// Joins the ends of chains, the most alike neurons first, until one chain is left. Alike: |both| /
// |either| of the tokens that name them.
std::vector<std::uint16_t> chain(const Sets& sets, std::size_t n) {
    std::vector<std::uint32_t> both(n * n);
    for (const auto& set : sets) {
        for (std::size_t i = 0; i < set.size(); ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                ++both[set[i] * n + set[j]];
            }
        }
    }
    struct Pair {
        float alike;
        std::uint16_t a, b;
    };
    std::vector<Pair> pairs;
    for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            const std::uint32_t count = both[a * n + b];
            if (count > 1) {
                const auto either = both[a * n + a] + both[b * n + b] - count;
                pairs.push_back({static_cast<float>(count) / static_cast<float>(either),
                                 static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b)});
            }
        }
    }
    std::sort(pairs.begin(), pairs.end(), [](const Pair& x, const Pair& y) {
        return std::tuple(-x.alike, x.a, x.b) < std::tuple(-y.alike, y.a, y.b);
    });
    std::vector<std::vector<std::uint16_t>> chains(n);
    std::vector<std::size_t> of(n);
    for (std::size_t i = 0; i < n; ++i) {
        chains[i] = {static_cast<std::uint16_t>(i)};
        of[i] = i;
    }
    const auto is_end = [&](std::uint16_t item) {
        const auto& in = chains[of[item]];
        return in.front() == item || in.back() == item;
    };
    for (const Pair& pair : pairs) {
        if (of[pair.a] == of[pair.b] || !is_end(pair.a) || !is_end(pair.b)) {
            continue;
        }
        const bool a_longer = chains[of[pair.a]].size() >= chains[of[pair.b]].size();
        const std::uint16_t keep = a_longer ? pair.a : pair.b;
        const std::uint16_t join = a_longer ? pair.b : pair.a;
        auto& to = chains[of[keep]];
        auto from = std::move(chains[of[join]]);
        chains[of[join]].clear();
        if (to.back() != keep) {
            std::reverse(to.begin(), to.end());
        }
        if (from.front() != join) {
            std::reverse(from.begin(), from.end());
        }
        for (const std::uint16_t item : from) {
            of[item] = of[keep];
            to.push_back(item);
        }
    }
    // The rest by how often it is named.
    std::vector<std::size_t> left;
    std::vector<double> named(n);
    for (std::size_t c = 0; c < n; ++c) {
        if (!chains[c].empty()) {
            left.push_back(c);
            for (const std::uint16_t item : chains[c]) {
                named[c] += both[item * n + item] / static_cast<double>(chains[c].size());
            }
        }
    }
    std::stable_sort(left.begin(), left.end(),
                     [&](std::size_t a, std::size_t b) { return named[a] > named[b]; });
    std::vector<std::uint16_t> order;
    for (const std::size_t c : left) {
        order.insert(order.end(), chains[c].begin(), chains[c].end());
    }
    return order;
}

std::vector<std::uint16_t> layer_order(const Trace& tuning, std::size_t layer, FileOrder order,
                                       std::size_t n_slots) {
    std::vector<std::uint16_t> places(tuning.n_items);
    std::iota(places.begin(), places.end(), std::uint16_t{0});
    switch (order) {
        case FileOrder::Hottest: {
            std::vector<std::size_t> counts(tuning.n_items);
            for (std::size_t token = 0; token < tuning.n_tokens(); ++token) {
                for (const std::uint16_t item : tuning.demand(token, layer)) {
                    ++counts[item];
                }
            }
            std::stable_sort(places.begin(), places.end(), [&](std::uint16_t a, std::uint16_t b) {
                return counts[a] > counts[b];
            });
            return places;
        }
        case FileOrder::AskedTogether:
            return chain(asked(tuning, layer), tuning.n_items);
        case FileOrder::MissedTogether:
            return chain(missed(tuning, layer, n_slots), tuning.n_items);
        case FileOrder::Random: {
            Random random(seed_of(1, layer));
            for (std::size_t i = places.size(); i > 1; --i) {
                std::swap(places[i - 1], places[random.next() % i]);
            }
            return places;
        }
        case FileOrder::AsTraced:
        case FileOrder::kCount:
            break;
    }
    return places;
}

}  // namespace

std::string_view to_string(FileOrder order) {
    switch (order) {
        case FileOrder::AsTraced:
            return "as traced";
        case FileOrder::Hottest:
            return "hottest first";
        case FileOrder::AskedTogether:
            return "asked together";
        case FileOrder::MissedTogether:
            return "missed together";
        case FileOrder::Random:
            return "random";
        case FileOrder::kCount:
            break;
    }
    return {};
}

std::vector<std::vector<std::uint16_t>> file_order(const Trace& tuning, FileOrder order,
                                                   std::size_t n_slots) {
    std::vector<std::vector<std::uint16_t>> orders;
    for (std::size_t layer = 0; layer < tuning.n_layer; ++layer) {
        orders.push_back(layer_order(tuning, layer, order, n_slots));
    }
    return orders;
}

Trace in_order(const Trace& trace, const std::vector<std::vector<std::uint16_t>>& order) {
    Trace ordered = trace;
    for (std::size_t layer = 0; layer < trace.n_layer; ++layer) {
        std::vector<std::uint16_t> place_of(trace.n_items);
        for (std::size_t place = 0; place < trace.n_items; ++place) {
            place_of[order[layer][place]] = static_cast<std::uint16_t>(place);
        }
        for (std::size_t token = 0; token < trace.n_tokens(); ++token) {
            auto& set = ordered.sets[token * trace.n_layer + layer];
            for (std::uint16_t& item : set) {
                item = place_of[item];
            }
            std::sort(set.begin(), set.end());
        }
    }
    return ordered;
}

Reads replay_reads(const Trace& tuning, const Trace& judged, std::size_t n_slots, bool at_once,
                   const ReadRules& rules) {
    Reads sum;
    std::vector<std::byte> record(rules.record_bytes);  // where reads would go
    PlannedRead read;
    for (std::size_t layer = 0; layer < judged.n_layer; ++layer) {
        Cache cache(judged.n_items, n_slots, at_once);
        for (std::size_t token = 0; token < tuning.n_tokens(); ++token) {
            cache.use(groups_of(tuning.demand(token, layer), tuning.n_items), [](Items) {});
        }
        for (std::size_t token = 0; token < judged.n_tokens(); ++token) {
            ReadOrder order(rules.alignment, rules.largest_read_bytes, rules.merge_gap_bytes);
            std::uint64_t group = 0;
            cache.use(groups_of(judged.demand(token, layer), judged.n_items), [&](Items items) {
                sum.misses += static_cast<double>(items.size());
                for (const std::uint16_t item : items) {
                    order.push({.deadline = group,
                                .offset = item * rules.record_bytes,
                                .to = std::span(record)});
                }
                ++group;
            });
            while (!order.empty()) {
                order.next(read);
                sum.reads += 1;
                sum.bytes += static_cast<double>(read.end - read.begin);
            }
        }
    }
    const auto n_tokens = static_cast<double>(std::max<std::size_t>(1, judged.n_tokens()));
    return {sum.misses / n_tokens, sum.reads / n_tokens, sum.bytes / n_tokens};
}

}  // namespace hearth::bench
