// The local API: HTTP requests of OpenAI's and Anthropic's forms, answered by one model.
//
//     HttpServer's thread: access, JSON, the request's form -> AnswerQueue
//     the queue's thread:  the model's answer, taken apart, written in the request's form
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <hearth/result.h>

#include "access_rules.h"
#include "answer_form.h"
#include "answer_model.h"
#include "answer_queue.h"
#include "answer_request.h"
#include "http_server.h"
#include "request_note.h"

namespace hearth::server {

struct LocalApiOptions {
    HttpServer::Endpoint endpoint{};
    std::string token;  // see is_usable_token()
    HttpLimits limits{};
    RequestWatcher watcher{};  // null: nobody looks on
};

class LocalApi final : private HttpHandler {
public:
    // Listens when it returns. model: answers in jobs of the queue alone, until stop() returns.
    // Both must outlive this. InvalidArgument: the token is too short. Unsupported: the port is
    // taken.
    static Result<std::unique_ptr<LocalApi>> start(LocalApiOptions options, AnswerModel& model,
                                                   AnswerQueue& queue);
    ~LocalApi() override;  // as stop()

    std::uint16_t port() const { return server_->port(); }
    std::string url() const;  // "http://127.0.0.1:8080"
    // Requests bring this one from now on; a usable one. Any thread. Answers under way go on.
    void set_token(std::string token);
    // Refuses the requests that wait, ends the answer under way and waits for its end, closes all
    // connections and ends the server's thread. Not called in a job of the queue.
    void stop();

    // The meaning of a path.
    struct Route;

private:
    // A request in the queue, or being answered.
    struct Asked {
        const Route* route = nullptr;
        std::shared_ptr<HttpExchange> exchange;
        RequestNote note;
    };

    LocalApi(LocalApiOptions options, AnswerModel& model, AnswerQueue& queue);

    bool admits(const HttpRequest& head, HttpResponse& refusal) override;
    HttpResponse describe(const HttpRequest& head, int status) override;
    void handle(HttpRequest request, std::shared_ptr<HttpExchange> exchange) override;
    void client_left(const HttpExchange& exchange) override;

    bool check(const HttpRequest& head, HttpResponse& refusal);
    HttpResponse tell_models(const std::string& path) const;
    std::optional<HttpResponse> take_request(const Route& route, const HttpRequest& request,
                                             const std::shared_ptr<HttpExchange>& exchange);
    std::optional<HttpResponse> refusal_of(const Route& route, const AnswerRequest& request) const;
    void answer(const Route& route, AnswerRequest request, HttpExchange& exchange,
                RequestNote note);
    void carry(const Route& route, AnswerRequest request, HttpExchange& exchange,
               RequestNote& note);
    void settle(std::uint64_t id);
    void refuse_waiting();
    void tell(const RequestNote& note);
    void tell_end(const HttpRequest& head, int status);
    void tell_forgotten(RequestNote note, int status);

    LocalApiOptions options_;
    AnswerModel& model_;
    AnswerQueue& queue_;
    std::int64_t start_s_;  // since 1970
    std::atomic<bool> stops_{false};
    std::mutex token_mutex_;         // for the token in options_
    std::uint64_t last_number_ = 0;  // of a request; the server's thread
    std::mutex asked_mutex_;
    std::condition_variable settled_;
    std::map<std::uint64_t, Asked> asked_;  // by the request's number
    std::unique_ptr<HttpServer> server_;
};

}  // namespace hearth::server
