#include "bench/cache_policies.h"

#include <algorithm>
#include <array>
#include <compare>
#include <functional>
#include <iterator>
#include <limits>
#include <list>
#include <numeric>
#include <tuple>
#include <vector>

#include "memory/slot_rivals.h"
#include "memory/slot_table.h"

namespace hearth::bench {
namespace {

using Items = std::span<const std::uint16_t>;

// What an item is worth: compared first by `by`, then by `then`.
struct Worth {
    std::int64_t by = 0, then = 0;
    auto operator<=>(const Worth&) const = default;
};

// Keeps what is worth most, as the policy says after it has seen the demand.
class KeepsWorthiest : public LayerCache {
public:
    KeepsWorthiest(std::size_t n_items, std::size_t n_slots, bool selects)
        : n_slots_(n_slots), selects_(selects), here_(n_items), asked_(n_items) {}

    std::size_t use(Items demand) override {
        saw(demand);
        std::size_t misses = 0;
        for (const std::uint16_t item : demand) {
            asked_[item] = true;
            if (!here_[item]) {
                ++misses;
                kept_.push_back(item);
            }
        }
        keep();
        for (const std::uint16_t item : demand) {
            asked_[item] = false;
        }
        return misses;
    }

protected:
    virtual void saw(Items demand) = 0;
    virtual Worth worth(std::size_t item) const = 0;

    void fill() {
        kept_.resize(here_.size());
        std::iota(kept_.begin(), kept_.end(), std::size_t{0});
        keep();
    }

private:
    // No two are equal, so that every standard library keeps the same.
    using Key = std::tuple<bool, Worth, std::size_t>;

    void keep() {
        if (kept_.size() > n_slots_) {
            keys_.clear();
            for (const std::size_t item : kept_) {
                keys_.emplace_back(!selects_ && asked_[item], worth(item), item);
            }
            const auto end = keys_.begin() + static_cast<std::ptrdiff_t>(n_slots_);
            std::nth_element(keys_.begin(), end, keys_.end(), std::greater<>());
            kept_.clear();
            std::transform(keys_.begin(), end, std::back_inserter(kept_),
                           [](const Key& key) { return std::get<std::size_t>(key); });
        }
        std::fill(here_.begin(), here_.end(), false);
        for (const std::size_t item : kept_) {
            here_[item] = true;
        }
    }

    std::size_t n_slots_;
    bool selects_;
    std::vector<std::size_t> kept_;
    std::vector<Key> keys_;           // memory of keep()
    std::vector<bool> here_, asked_;  // by item
};

// LRU, LFU and LRU-K: how often an item was used, and when it was the last two times. They remember
// what is not there any more, too.
class ByPast : public KeepsWorthiest {
public:
    ByPast(CachePolicy policy, std::size_t n_items, std::size_t n_slots, bool selects)
        : KeepsWorthiest(n_items, n_slots, selects), policy_(policy), uses_(n_items) {}

protected:
    void saw(Items demand) override {
        ++now_;
        for (const std::uint16_t item : demand) {
            uses_[item] = {uses_[item].count + 1, now_, uses_[item].last};
        }
    }
    Worth worth(std::size_t item) const override {
        const Use& use = uses_[item];
        switch (policy_) {
            case CachePolicy::Lfu:
            case CachePolicy::LfuSelecting:
                return {use.count, use.last};
            case CachePolicy::LruK:
            case CachePolicy::LruKSelecting:
                return {use.before, use.last};
            case CachePolicy::Lru:
            case CachePolicy::Arc:
            case CachePolicy::Ours:
            case CachePolicy::OursInGroups:
            case CachePolicy::OursOfExperts:
            case CachePolicy::Static:
            case CachePolicy::Belady:
            case CachePolicy::kCount:
                break;
        }
        return {use.last, 0};
    }

private:
    struct Use {
        std::int64_t count = 0, last = 0, before = 0;
    };
    CachePolicy policy_;
    std::vector<Use> uses_;
    std::int64_t now_ = 0;
};

class StaticPinning : public KeepsWorthiest {
public:
    StaticPinning(std::size_t n_items, std::size_t n_slots)
        : KeepsWorthiest(n_items, n_slots, true), counts_(n_items) {}

    void tune(Items demand) override {
        for (const std::uint16_t item : demand) {
            ++counts_[item];
        }
    }
    void begin() override { fill(); }

protected:
    void saw(Items) override {}
    Worth worth(std::size_t item) const override { return {counts_[item], 0}; }

private:
    std::vector<std::int64_t> counts_;
};

// Begins with what is used soonest: nobody's tuning can leave it anything better.
class Belady : public KeepsWorthiest {
public:
    Belady(std::size_t n_slots, const Trace& judged, std::size_t layer)
        : KeepsWorthiest(judged.n_items, n_slots, true), uses_(judged.n_items) {
        for (std::size_t token = judged.n_tokens(); token-- > 0;) {
            for (const std::uint16_t item : judged.demand(token, layer)) {
                uses_[item].push_back(static_cast<std::int64_t>(token));
            }
        }
    }

    void tune(Items) override {}
    void begin() override { fill(); }

protected:
    void saw(Items demand) override {
        for (const std::uint16_t item : demand) {
            uses_[item].pop_back();
        }
    }
    Worth worth(std::size_t item) const override {
        return {
            uses_[item].empty() ? std::numeric_limits<std::int64_t>::min() : -uses_[item].back(),
            0};
    }

private:
    std::vector<std::vector<std::int64_t>> uses_;  // by item: tokens to come, the next one last
};

// Megiddo and Modha's ARC, but for a set at a time: what the token asks for does not give way, and
// what finds no slot passes by.
class ArcCache : public LayerCache {
public:
    ArcCache(std::size_t n_items, std::size_t n_slots)
        : n_slots_(n_slots), list_(n_items, kNowhere), asked_(n_items) {
        for (std::size_t item = 0; item < n_items; ++item) {
            place_.push_back(lists_[kNowhere].insert(lists_[kNowhere].end(), item));
        }
    }

    std::size_t use(Items demand) override {
        std::vector<std::size_t> missing;
        for (const std::uint16_t item : demand) {
            asked_[item] = true;
            if (list_[item] == kOnce || list_[item] == kOften) {
                move(item, kOften);
            } else {
                missing.push_back(item);
            }
        }
        for (const std::size_t item : missing) {
            bring(item);
        }
        for (const std::uint16_t item : demand) {
            asked_[item] = false;
        }
        return missing.size();
    }

private:
    enum List : std::uint8_t { kOnce, kOften, kOnceGhosts, kOftenGhosts, kNowhere, kLists };

    std::size_t size(List list) const { return lists_[list].size(); }
    void move(std::size_t item, List to) {
        lists_[to].splice(lists_[to].end(), lists_[list_[item]], place_[item]);
        list_[item] = to;
    }
    // Moves the oldest of a list that the token does not ask for. False: there is none.
    bool move_oldest(List from, List to) {
        const auto oldest = std::find_if(lists_[from].begin(), lists_[from].end(),
                                         [&](std::size_t item) { return !asked_[item]; });
        if (oldest == lists_[from].end()) {
            return false;
        }
        move(*oldest, to);
        return true;
    }
    void bring(std::size_t item) {
        const List was = list_[item];
        const auto step = [&](List hit, List other) {
            return std::max<std::size_t>(1, size(other) / std::max<std::size_t>(1, size(hit)));
        };
        if (was == kOnceGhosts) {
            once_wanted_ = std::min(n_slots_, once_wanted_ + step(kOnceGhosts, kOftenGhosts));
        } else if (was == kOftenGhosts) {
            once_wanted_ -= std::min(once_wanted_, step(kOftenGhosts, kOnceGhosts));
        }
        if (size(kOnce) + size(kOften) == n_slots_ && !give_way(was == kOftenGhosts)) {
            return;
        }
        move(item, was == kNowhere ? kOnce : kOften);
        // The items used once and their ghosts are at most as many as the slots, all ghosts too.
        while (size(kOnce) + size(kOnceGhosts) > n_slots_ && move_oldest(kOnceGhosts, kNowhere)) {}
        while (size(kOnceGhosts) + size(kOftenGhosts) > n_slots_ &&
               move_oldest(kOftenGhosts, kNowhere)) {}
    }
    bool give_way(bool came_often) {
        const bool once = size(kOnce) > once_wanted_ || (came_often && size(kOnce) == once_wanted_);
        return once ? move_oldest(kOnce, kOnceGhosts) || move_oldest(kOften, kOftenGhosts)
                    : move_oldest(kOften, kOftenGhosts) || move_oldest(kOnce, kOnceGhosts);
    }

    std::size_t n_slots_;
    std::size_t once_wanted_ = 0;                       // ARC's p
    std::array<std::list<std::size_t>, kLists> lists_;  // the oldest first
    std::vector<List> list_;                            // by item
    std::vector<std::list<std::size_t>::iterator> place_;
    std::vector<bool> asked_;
};

class Ours : public LayerCache {
public:
    // group: so many neighbours are pinned at a time.
    Ours(std::size_t n_items, std::size_t n_slots, std::size_t group)
        : slots_(static_cast<int>(n_items),
                 static_cast<int>(std::min<std::size_t>(n_slots, SlotTable::kMostSlots))),
          group_(group) {}

    std::size_t use(Items demand) override {
        std::size_t misses = 0;
        for (std::size_t done = 0; done < demand.size();) {
            std::size_t end = done;
            while (end < demand.size() && demand[end] / group_ == demand[done] / group_) {
                ++end;
            }
            misses += use_at_once(demand.subspan(done, end - done));
            done = end;
        }
        return misses;
    }

private:
    std::size_t use_at_once(Items demand) {
        std::vector<int> missing;
        for (const int item : demand) {
            if (slots_.slot_of(item) == SlotTable::kNone) {
                missing.push_back(item);
            } else {
                slots_.use(item);
            }
        }
        for (const int item : missing) {
            if (slots_.n_unpinned() > 0) {
                slots_.put(item);
            }
        }
        for (const int item : demand) {  // in this order, as NeuronCache does
            if (slots_.slot_of(item) != SlotTable::kNone) {
                slots_.unpin(item);
            }
        }
        return missing.size();
    }

    SlotTable slots_;
    std::size_t group_;
};

// As NeuronCache does it for experts.
class OursOfExperts : public LayerCache {
public:
    OursOfExperts(std::size_t n_items, std::size_t n_slots)
        : slots_(static_cast<int>(n_items), static_cast<int>(n_slots)),
          rivals_(static_cast<int>(n_items), static_cast<int>(n_slots)) {}

    std::size_t use(Items demand) override {
        rivals_.saw(0, demand);
        std::size_t misses = 0;
        for (const int item : demand) {
            if (slots_.slot_of(item) != SlotTable::kNone) {
                slots_.use(item);
            }
        }
        for (const int item : demand) {
            if (slots_.slot_of(item) != SlotTable::kNone) {
                continue;
            }
            ++misses;
            if (slots_.n_unpinned() == 0) {
                slots_.pass(item);
            } else {
                SlotRivals::put(slots_, item, rivals_.way(), true);
            }
        }
        for (const int item : demand) {
            if (slots_.slot_of(item) != SlotTable::kNone) {
                slots_.unpin(item);
            }
        }
        return misses;
    }

private:
    SlotTable slots_;
    SlotRivals rivals_;
};

}  // namespace

std::string_view to_string(CachePolicy policy) {
    switch (policy) {
        case CachePolicy::Lru:
            return "LRU";
        case CachePolicy::Lfu:
            return "LFU";
        case CachePolicy::LfuSelecting:
            return "LFU, selecting";
        case CachePolicy::LruK:
            return "LRU-2";
        case CachePolicy::LruKSelecting:
            return "LRU-2, selecting";
        case CachePolicy::Arc:
            return "ARC";
        case CachePolicy::Ours:
            return "ours";
        case CachePolicy::OursInGroups:
            return "ours, in groups";
        case CachePolicy::OursOfExperts:
            return "ours, of experts";
        case CachePolicy::Static:
            return "static";
        case CachePolicy::Belady:
            return "Belady";
        case CachePolicy::kCount:
            break;
    }
    return {};
}

std::unique_ptr<LayerCache> make_layer_cache(CachePolicy policy, std::size_t n_slots,
                                             const Trace& judged, std::size_t layer) {
    const std::size_t n_items = judged.n_items;
    switch (policy) {
        case CachePolicy::Lru:
        case CachePolicy::Lfu:
        case CachePolicy::LruK:
            return std::make_unique<ByPast>(policy, n_items, n_slots, false);
        case CachePolicy::LfuSelecting:
        case CachePolicy::LruKSelecting:
            return std::make_unique<ByPast>(policy, n_items, n_slots, true);
        case CachePolicy::Arc:
            return std::make_unique<ArcCache>(n_items, n_slots);
        case CachePolicy::Ours:
            return std::make_unique<Ours>(n_items, n_slots, n_items);
        case CachePolicy::OursInGroups:
            return std::make_unique<Ours>(n_items, n_slots, kPinnedNeighbours);
        case CachePolicy::OursOfExperts:
            return std::make_unique<OursOfExperts>(
                n_items, std::min<std::size_t>(n_slots, SlotTable::kMostSlots));
        case CachePolicy::Static:
            return std::make_unique<StaticPinning>(n_items, n_slots);
        case CachePolicy::Belady:
            return std::make_unique<Belady>(n_slots, judged, layer);
        case CachePolicy::kCount:
            break;
    }
    return nullptr;
}

}  // namespace hearth::bench
