// Runs an automaton over bytes. All readings of the text so far are followed at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "grammar/automaton.h"

namespace hearth {

// Remembers each set of readings as a state, and each step between states once it was taken, so
// that most steps are one look-up. Its memory is bounded.
class Matcher {
public:
    using State = std::uint32_t;
    static constexpr State kDead = 0;  // no text goes on from here

    // Readings of one text.
    static constexpr std::size_t kMaxReadings = 16384;
    // Rules that may be open at once. Text that opens more is not matched: a model cannot nest
    // without end.
    static constexpr std::uint32_t kMaxOpenRules = 256;
    // Readings looked at between two calls of begin_work().
    static constexpr std::uint64_t kMaxWork = 20'000'000;
    static constexpr std::size_t kMaxStates = std::size_t{1} << 16;
    static constexpr std::size_t kMaxConfigs = std::size_t{1} << 22;
    static constexpr std::size_t kMaxSteps = std::size_t{1} << 23;
    static constexpr std::size_t kMaxStacks = std::size_t{1} << 20;

    // The automaton must stay where it is.
    explicit Matcher(const Automaton& automaton);

    // The state of the empty text. Valid until tidy() forgets it.
    State start();
    State step(State from, std::uint8_t byte) {
        const std::size_t at = from * n_classes_ + automaton_->byte_class(byte);
        const State known = steps_[at];
        return known != kUnknown ? known : take_step(from, byte);
    }
    // True: the text may end here.
    bool may_end(State state) const { return states_[state].may_end; }
    // True: a byte may follow, because there is a reading that wants one.
    bool goes_on(State state) const { return states_[state].count > 0; }

    void begin_work() { work_ = 0; }
    // A bound was passed. Steps lead to kDead, and what was answered since is not to be trusted.
    bool overflowed() const { return overflowed_; }

    // Forgets all but `keep` if what is remembered fills half of a bound, and returns its new name.
    // All other states are invalid then. did_forget: whether that happened.
    State tidy(State keep, bool& did_forget);

private:
    static constexpr State kUnknown = 0xFFFFFFFF;
    // A node that waits for a byte, and what is open around it.
    struct Config {
        NodeId node;
        std::uint32_t stack;
        friend bool operator==(const Config&, const Config&) = default;
    };
    struct StateInfo {
        std::uint32_t first = 0;  // of configs_
        std::uint32_t count = 0;
        bool may_end = false;
    };
    struct Stack {
        NodeId next;  // where the open rule's caller goes on
        std::uint32_t below;
        std::uint32_t depth;
    };
    // Configurations met while one step is taken.
    class Seen {
    public:
        void clear();
        bool insert(Config config);  // false: it was there
        std::size_t size() const { return size_; }

    private:
        void grow();
        std::vector<Config> slots_;
        std::vector<std::uint32_t> rounds_;
        std::uint32_t round_ = 0;
        std::size_t size_ = 0;
    };

    State take_step(State from, std::uint8_t byte);
    void forget_all();
    // Adds what can be reached from config without a byte.
    void reach(Config config);
    std::uint32_t push(NodeId next, std::uint32_t below);
    State intern();

    const Automaton* automaton_;
    std::size_t n_classes_;
    std::vector<StateInfo> states_;
    std::vector<Config> configs_;
    std::vector<State> steps_;   // [states, classes]
    std::vector<Stack> stacks_;  // 0: nothing is open
    std::unordered_map<std::uint64_t, std::uint32_t> stack_of_;
    std::unordered_multimap<std::uint64_t, State> state_of_;
    // Memory for the step being taken.
    Seen seen_;
    std::vector<Config> pending_;
    std::vector<Config> found_;
    bool found_end_ = false;
    std::uint64_t work_ = 0;
    bool overflowed_ = false;
};

}  // namespace hearth
