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
#include <string>
#include <utility>

#include <hearth/result.h>

#include "access_rules.h"
#include "answer_form.h"
#include "answer_model.h"
#include "answer_queue.h"
#include "answer_request.h"
#include "http_server.h"

namespace hearth::server {

struct LocalApiOptions {
    HttpServer::Endpoint endpoint{};
    std::string token;  // see is_usable_token()
    HttpLimits limits{};
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
    };

    LocalApi(LocalApiOptions options, AnswerModel& model, AnswerQueue& queue);

    bool admits(const HttpRequest& head, HttpResponse& refusal) override;
    HttpResponse describe(const HttpRequest& head, int status) override;
    void handle(HttpRequest request, std::shared_ptr<HttpExchange> exchange) override;
    void client_left(const HttpExchange& exchange) override;

    void take_request(const Route& route, const HttpRequest& request,
                      const std::shared_ptr<HttpExchange>& exchange);
    void answer(const Route& route, AnswerRequest request, HttpExchange& exchange);
    void settle(std::uint64_t id);
    void refuse_waiting();
    ApiJson model_json() const;
    bool is_served(const std::string& model) const;

    LocalApiOptions options_;
    AnswerModel& model_;
    AnswerQueue& queue_;
    std::int64_t start_s_;  // since 1970
    std::atomic<bool> stops_{false};
    std::mutex asked_mutex_;
    std::condition_variable settled_;
    std::map<std::uint64_t, Asked> asked_;  // by connection
    std::unique_ptr<HttpServer> server_;
};

}  // namespace hearth::server
