// Whose turn is next: each client's oldest job before a second one of any client's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <string>

#include "answer_queue.h"

namespace hearth::server {

// The jobs that wait. One thread at a time may call it.
class TurnOrder {
public:
    struct Turn {
        std::string client;
        std::uint64_t id = 0;
        AnswerQueue::Job job;
    };

    // waiting_most: jobs that may wait.
    explicit TurnOrder(std::size_t waiting_most) : waiting_most_(waiting_most) {}

    // False: too many wait.
    bool add(Turn turn);
    // Drops a job that waits. False: there is none.
    bool forget(std::uint64_t id);
    // Takes the next job out; its client goes behind the others. Empty: none waits.
    std::optional<Turn> take();
    std::size_t waiting() const { return waiting_; }

private:
    struct Client {
        std::string name;
        std::deque<Turn> turns;  // never empty
    };

    std::list<Client> clients_;  // whose turn is next comes first
    std::size_t waiting_ = 0;
    std::size_t waiting_most_;
};

}  // namespace hearth::server
