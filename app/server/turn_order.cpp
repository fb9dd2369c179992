#include "turn_order.h"

#include <algorithm>
#include <utility>

namespace hearth::server {

bool TurnOrder::add(Turn turn) {
    if (waiting_ >= waiting_most_) {
        return false;
    }
    auto found = std::find_if(clients_.begin(), clients_.end(),
                              [&](const Client& known) { return known.name == turn.client; });
    if (found == clients_.end()) {
        found = clients_.insert(clients_.end(), {turn.client, {}});
    }
    found->turns.push_back(std::move(turn));
    ++waiting_;
    return true;
}

bool TurnOrder::forget(std::uint64_t id) {
    for (auto client = clients_.begin(); client != clients_.end(); ++client) {
        const auto found = std::find_if(client->turns.begin(), client->turns.end(),
                                        [id](const Turn& one) { return one.id == id; });
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

std::optional<TurnOrder::Turn> TurnOrder::take() {
    if (clients_.empty()) {
        return std::nullopt;
    }
    Client& client = clients_.front();
    Turn turn = std::move(client.turns.front());
    client.turns.pop_front();
    --waiting_;
    if (client.turns.empty()) {
        clients_.pop_front();
    } else {
        clients_.splice(clients_.end(), clients_, clients_.begin());
    }
    return turn;
}

}  // namespace hearth::server
