// The local API: HTTP requests of OpenAI's and Anthropic's forms, answered by one model.
//
//     HttpServer's thread: access, JSON, the request's form -> TurnQueue
//     TurnQueue's thread:  the model's answer, taken apart, written in the request's form
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <hearth/cancellation.h>
#include <hearth/result.h>

#include "access_rules.h"
#include "answer_form.h"
#include "answer_model.h"
#include "answer_request.h"
#include "http_server.h"
#include "turn_queue.h"

namespace hearth::server {

struct LocalApiOptions {
    HttpServer::Endpoint endpoint{};
    std::string token;  // see is_usable_token()
    HttpLimits limits{};
    std::size_t waiting_most = 32;  // requests in the queue
};

class LocalApi final : private HttpHandler {
public:
    // Listens when it returns. model: used on the queue's thread alone until stop() returns; must
    // outlive this. InvalidArgument: the token is too short. Unsupported: the port is taken.
    static Result<std::unique_ptr<LocalApi>> start(LocalApiOptions options, AnswerModel& model);
    ~LocalApi() override;  // as stop()

    std::uint16_t port() const { return server_->port(); }
    std::string url() const;  // "http://127.0.0.1:8080"
    // Ends the answers under way, closes all connections and ends both threads.
    void stop();

    // The meaning of a path.
    struct Route;

private:
    LocalApi(LocalApiOptions options, AnswerModel& model);

    bool admits(const HttpRequest& head, HttpResponse& refusal) override;
    HttpResponse describe(const HttpRequest& head, int status) override;
    void handle(HttpRequest request, std::shared_ptr<HttpExchange> exchange) override;
    void client_left(const HttpExchange& exchange) override;

    void take_request(const Route& route, const HttpRequest& request,
                      const std::shared_ptr<HttpExchange>& exchange);
    void answer(const Route& route, AnswerRequest request, HttpExchange& exchange);
    ApiJson model_json() const;
    bool is_served(const std::string& model) const;

    LocalApiOptions options_;
    AnswerModel& model_;
    std::int64_t start_s_;  // since 1970
    std::atomic<bool> stops_{false};
    Cancellation rest_;  // requested when there is something to do again
    std::unique_ptr<TurnQueue> queue_;
    std::unique_ptr<HttpServer> server_;
};

}  // namespace hearth::server
