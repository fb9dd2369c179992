// Whose turn is next: each client's oldest job before a second one of any client's. A person who
// waits comes before programs, as far as that allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <set>
#include <string>

#include "answer_queue.h"

namespace hearth::server {

// The jobs that wait. One thread at a time may call it.
class TurnOrder {
public:
    struct Turn {
        std::string client;  // of a program's
        std::uint64_t id = 0;
        AnswerQueue::Job job;
        // It is of the person at this computer: it comes next, but for clients that have waited
        // since before the person's turn before.
        bool is_person = false;
    };

    // waiting_most: jobs of programs that may wait.
    explicit TurnOrder(std::size_t waiting_most) : waiting_most_(waiting_most) {}

    // False: too many wait. A person's is always taken.
    bool add(Turn turn);
    // Drops a program's job that waits. False: there is none.
    bool forget(std::uint64_t id);
    // Drops the person's jobs that wait. False: there are none.
    bool forget_person();
    // Takes the next job out; its client goes behind the others. Empty: none waits.
    std::optional<Turn> take();
    std::size_t waiting() const { return waiting_; }  // jobs of programs
    bool person_waits() const;

private:
    struct Client {
        std::string name;
        bool is_person = false;
        std::deque<Turn> turns;  // never empty
    };
    using Clients = std::list<Client>;

    Clients::iterator find(const Turn& turn);
    Clients::iterator place_of_person();

    Clients clients_;  // whose turn is next comes first
    std::size_t waiting_ = 0;
    std::size_t waiting_most_;
    bool person_had_turn_ = false;
    std::set<std::string> since_person_;  // clients that had a turn since the person's latest one
};

}  // namespace hearth::server
