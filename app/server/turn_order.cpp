#include "turn_order.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hearth::server {
namespace {

// Names are a stranger's: beyond so many a client counts as one that had no turn.
constexpr std::size_t kMostNames = 256;

}  // namespace

bool TurnOrder::person_waits() const {
    return std::any_of(clients_.begin(), clients_.end(),
                       [](const Client& client) { return client.is_person; });
}

TurnOrder::Clients::iterator TurnOrder::find(const Turn& turn) {
    return std::find_if(clients_.begin(), clients_.end(), [&](const Client& known) {
        return known.is_person == turn.is_person && (known.is_person || known.name == turn.client);
    });
}

// Behind the last client that had no turn since the person's latest one.
TurnOrder::Clients::iterator TurnOrder::place_of_person() {
    if (!person_had_turn_) {
        return clients_.begin();
    }
    return std::find_if(clients_.rbegin(), clients_.rend(),
                        [&](const Client& client) { return !since_person_.contains(client.name); })
        .base();
}

bool TurnOrder::add(Turn turn) {
    if (!turn.is_person && waiting_ >= waiting_most_) {
        return false;
    }
    auto found = find(turn);
    if (found == clients_.end()) {
        const auto place = turn.is_person ? place_of_person() : clients_.end();
        found = clients_.insert(place, {turn.client, turn.is_person, {}});
    }
    waiting_ += turn.is_person ? 0 : 1;
    found->turns.push_back(std::move(turn));
    return true;
}

bool TurnOrder::forget(std::uint64_t id) {
    for (auto client = clients_.begin(); client != clients_.end(); ++client) {
        const auto found =
            std::find_if(client->turns.begin(), client->turns.end(),
                         [id](const Turn& one) { return !one.is_person && one.id == id; });
        if (found != client->turns.end()) {
            client->turns.erase(found);
            --waiting_;
            if (client->turns.empty()) {
                clients_.erase(client);
            }
            return true;
        }
    }
    return false;
}

bool TurnOrder::forget_person() {
    return clients_.remove_if([](const Client& client) { return client.is_person; }) > 0;
}

std::optional<TurnOrder::Turn> TurnOrder::take() {
    if (clients_.empty()) {
        return std::nullopt;
    }
    Client& client = clients_.front();
    Turn turn = std::move(client.turns.front());
    client.turns.pop_front();
    if (turn.is_person) {
        person_had_turn_ = true;
        since_person_.clear();
    } else {
        --waiting_;
        if (since_person_.size() < kMostNames) {
            since_person_.insert(turn.client);
        }
    }
    if (client.turns.empty()) {
        clients_.pop_front();
    } else {
        clients_.splice(clients_.end(), clients_, clients_.begin());
    }
    return turn;
}

}  // namespace hearth::server
