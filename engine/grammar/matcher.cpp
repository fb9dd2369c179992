#include "grammar/matcher.h"

#include <algorithm>
#include <utility>

namespace hearth {
namespace {

std::uint64_t mixed(std::uint64_t x) {
    x ^= x >> 33;
    x *= 0xFF51AFD7ED558CCDU;  // the finaliser of MurmurHash3
    x ^= x >> 33;
    x *= 0xC4CEB9FE1A85EC53U;
    return x ^ x >> 33;
}

}  // namespace

void Matcher::Seen::clear() {
    ++round_;
    size_ = 0;
    if (slots_.empty()) {
        slots_.resize(64);
        rounds_.resize(64);
    }
    if (round_ == 0) {  // counted through: old marks would count as new ones
        std::fill(rounds_.begin(), rounds_.end(), 0U);
        round_ = 1;
    }
}

bool Matcher::Seen::insert(Config config) {
    if (2 * size_ >= slots_.size()) {
        grow();
    }
    const std::uint64_t key = std::uint64_t{config.node} << 32 | config.stack;
    std::size_t at = mixed(key) & (slots_.size() - 1);
    while (rounds_[at] == round_) {
        if (slots_[at] == config) {
            return false;
        }
        at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = config;
    rounds_[at] = round_;
    ++size_;
    return true;
}

void Matcher::Seen::grow() {
    std::vector<Config> old = std::exchange(slots_, {});
    std::vector<std::uint32_t> old_rounds = std::exchange(rounds_, {});
    slots_.resize(2 * old.size());
    rounds_.resize(2 * old.size());
    size_ = 0;
    for (std::size_t i = 0; i < old.size(); ++i) {
        if (old_rounds[i] == round_) {
            insert(old[i]);
        }
    }
}

Matcher::Matcher(const Automaton& automaton)
    : automaton_(&automaton), n_classes_(automaton.n_classes()) {
    forget_all();
}

void Matcher::forget_all() {
    states_.clear();
    configs_.clear();
    steps_.clear();
    stacks_.clear();
    stack_of_.clear();
    state_of_.clear();
    stacks_.push_back({Automaton::kEnd, 0, 0});
    found_.clear();
    found_end_ = false;
    (void)intern();  // kDead
    std::fill(steps_.begin(), steps_.end(), kDead);
}

Matcher::State Matcher::start() {
    seen_.clear();
    found_.clear();
    found_end_ = false;
    reach({automaton_->root(), 0});
    return overflowed_ ? kDead : intern();
}

std::uint32_t Matcher::push(NodeId next, std::uint32_t below) {
    // A call that ends its rule leaves nothing to come back to: the callers' caller is next. Lists
    // that are written with recursion at the end stay flat.
    if (next == Automaton::kEnd) {
        return below;
    }
    const std::uint64_t key = std::uint64_t{next} << 32 | below;
    const auto [it, is_new] = stack_of_.try_emplace(key, 0U);
    if (is_new) {
        if (stacks_.size() >= kMaxStacks) {
            overflowed_ = true;
            stack_of_.erase(it);
            return below;
        }
        it->second = static_cast<std::uint32_t>(stacks_.size());
        stacks_.push_back({next, below, stacks_[below].depth + 1});
    }
    return it->second;
}

void Matcher::reach(Config config) {
    using Kind = Automaton::Node::Kind;
    pending_.assign(1, config);
    while (!pending_.empty() && !overflowed_) {
        const Config one = pending_.back();
        pending_.pop_back();
        ++work_;
        if (!seen_.insert(one)) {
            continue;
        }
        if (seen_.size() > kMaxReadings || work_ > kMaxWork) {
            overflowed_ = true;
            return;
        }
        const Automaton::Node& node = (*automaton_)[one.node];
        switch (node.kind) {
            case Kind::End:
                if (one.stack == 0) {
                    found_end_ = true;
                } else {
                    pending_.push_back({stacks_[one.stack].next, stacks_[one.stack].below});
                }
                break;
            case Kind::Bytes:
                if (node.count > 0) {
                    found_.push_back(one);
                }
                break;
            case Kind::Split:
                work_ += node.count;
                for (const NodeId target : automaton_->targets(node)) {
                    pending_.push_back({target, one.stack});
                }
                break;
            case Kind::Call: {
                if (stacks_[one.stack].depth < kMaxOpenRules) {
                    pending_.push_back({automaton_->start(node.rule), push(node.next, one.stack)});
                }
                break;
            }
        }
    }
}

Matcher::State Matcher::take_step(State from, std::uint8_t byte) {
    const StateInfo info = states_[from];
    seen_.clear();
    found_.clear();
    found_end_ = false;
    for (std::uint32_t i = 0; i < info.count && !overflowed_; ++i) {
        const Config config = configs_[info.first + i];
        const auto edges = automaton_->edges((*automaton_)[config.node]);
        work_ += edges.size();
        for (const Automaton::Edge& edge : edges) {
            if (edge.first <= byte && byte <= edge.last) {
                reach({edge.to, config.stack});
            }
        }
    }
    const State to = overflowed_ ? kDead : intern();
    steps_[from * n_classes_ + automaton_->byte_class(byte)] = to;
    return to;
}

Matcher::State Matcher::intern() {
    const auto key = [](const Config& config) {
        return std::uint64_t{config.node} << 32 | config.stack;
    };
    std::sort(found_.begin(), found_.end(),
              [&](const Config& a, const Config& b) { return key(a) < key(b); });
    std::uint64_t hash = found_end_ ? 1 : 2;
    for (const Config& config : found_) {
        hash = mixed(hash ^ key(config));
    }
    const auto [first, last] = state_of_.equal_range(hash);
    for (auto it = first; it != last; ++it) {
        const StateInfo& info = states_[it->second];
        if (info.may_end == found_end_ &&
            std::equal(found_.begin(), found_.end(), configs_.begin() + info.first,
                       configs_.begin() + info.first + info.count)) {
            return it->second;
        }
    }
    if (states_.size() >= kMaxStates || configs_.size() + found_.size() > kMaxConfigs ||
        steps_.size() + n_classes_ > kMaxSteps) {
        overflowed_ = true;
        return kDead;
    }
    const auto state = static_cast<State>(states_.size());
    states_.push_back({static_cast<std::uint32_t>(configs_.size()),
                       static_cast<std::uint32_t>(found_.size()), found_end_});
    configs_.insert(configs_.end(), found_.begin(), found_.end());
    steps_.resize(steps_.size() + n_classes_, kUnknown);
    state_of_.emplace(hash, state);
    return state;
}

Matcher::State Matcher::tidy(State keep, bool& did_forget) {
    did_forget = 2 * states_.size() > kMaxStates || 2 * configs_.size() > kMaxConfigs ||
                 2 * steps_.size() > kMaxSteps || 2 * stacks_.size() > kMaxStacks;
    if (!did_forget) {
        return keep;
    }
    const StateInfo info = states_[keep];
    std::vector<Config> kept(configs_.begin() + info.first,
                             configs_.begin() + info.first + info.count);
    const std::vector<Stack> old = std::exchange(stacks_, {});
    forget_all();
    // A stack's number is above those below it.
    std::unordered_map<std::uint32_t, std::uint32_t> moved{{0, 0}};
    std::vector<std::uint32_t> path;
    for (Config& config : kept) {
        path.clear();
        for (std::uint32_t at = config.stack; !moved.contains(at); at = old[at].below) {
            path.push_back(at);
        }
        for (auto it = path.rbegin(); it != path.rend(); ++it) {
            moved[*it] = push(old[*it].next, moved[old[*it].below]);
        }
        config.stack = moved[config.stack];
    }
    found_ = std::move(kept);
    found_end_ = info.may_end;
    return intern();
}

}  // namespace hearth
