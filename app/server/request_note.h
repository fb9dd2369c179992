// The requests to the local API and their outcomes, for somebody who looks on.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace hearth::server {

// One request. Texts are a stranger's bytes.
struct RequestNote {
    enum class State { Waits, IsAnswered, Ended };

    std::uint64_t number = 0;  // counts the requests of a server
    std::string client{};      // as it takes turns; see client_name()
    std::string path{};
    State state = State::Ended;
    int status = 0;         // of HTTP, once it has ended; 0: its client left before
    int prompt_tokens = 0;  // of an answer
    int answer_tokens = 0;
    bool is_cut = false;  // the answer had begun, and ended with an error
};

// Called by the server's thread and the queue's, in turn for one request. Must not wait.
using RequestWatcher = std::function<void(const RequestNote& note)>;

// The name that a client gives itself: of a user, a program or a connection; empty: none.
std::string client_name(const std::string& client);

}  // namespace hearth::server
