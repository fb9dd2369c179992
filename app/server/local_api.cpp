#include "local_api.h"

#include <algorithm>
#include <ctime>
#include <exception>
#include <optional>
#include <string_view>
#include <vector>

#include "anthropic_messages.h"
#include "chat_completions.h"
#include "responses.h"
#include "text_completions.h"

namespace hearth::server {

struct LocalApi::Route {
    std::string_view path;
    Result<AnswerRequest> (*read)(const ApiJson& body);  // null: the list of models
    std::unique_ptr<AnswerForm> (*form)(const AnswerRequest& request, const AnswerLabel& label);
};

namespace {

constexpr std::string_view kModels = "/v1/models";
constexpr std::string_view kAnthropic = "/v1/messages";
constexpr LocalApi::Route kRoutes[] = {
    {kModels, nullptr, nullptr},
    {"/v1/chat/completions", read_chat_completion, chat_completion_form},
    {"/v1/completions", read_text_completion, text_completion_form},
    {"/v1/responses", read_response_request, response_form},
    {kAnthropic, read_anthropic_message, anthropic_message_form},
};

const LocalApi::Route* route_of(std::string_view path) {
    for (const LocalApi::Route& route : kRoutes) {
        const bool is_below = route.read == nullptr && path.size() > route.path.size() + 1 &&
                              path.starts_with(route.path) && path[route.path.size()] == '/';
        if (path == route.path || is_below) {
            return &route;
        }
    }
    return nullptr;
}

const char* allowed(const LocalApi::Route& route) {
    return route.read == nullptr ? "GET, HEAD, OPTIONS" : "POST, OPTIONS";
}

bool is_allowed(const LocalApi::Route& route, std::string_view method) {
    return method == "OPTIONS" ||
           (route.read == nullptr ? method == "GET" || method == "HEAD" : method == "POST");
}

// In the form of the API that the path belongs to.
HttpResponse error_for(std::string_view path, int status, const std::string& message,
                       const std::string& param = {}, const std::string& code = {}) {
    return path == kAnthropic ? anthropic_error(status, message)
                              : openai_error(status, message, param, code);
}

HttpResponse error_for(std::string_view path, const Error& error) {
    switch (error.code) {
        case ErrorCode::InvalidArgument:
        case ErrorCode::Unsupported:
            return error_for(path, 400, error.message, error.field);
        case ErrorCode::ContextFull:
            return error_for(path, 400, error.message, error.field, "context_length_exceeded");
        case ErrorCode::NotFound:
            return error_for(path, 404, error.message, error.field, "model_not_found");
        default:
            return error_for(path, 500, error.message);
    }
}

HttpResponse stopping(std::string_view path) {
    return error_for(path, 503, "the server stops");
}

std::string client_of(const AnswerRequest& request, const HttpRequest& head,
                      const HttpExchange& exchange) {
    const std::string* agent = head.header("user-agent");
    const std::string name = !request.client.empty() ? "user " + request.client
                             : agent != nullptr
                                 ? "program " + *agent
                                 : "connection " + std::to_string(exchange.connection());
    return name.substr(0, 200);
}

// Carries one answer from the model to the client.
class AnswerCarrier {
public:
    AnswerCarrier(const AnswerRequest& request, AnswerForm& form, HttpExchange& exchange)
        : request_(request), form_(form), exchange_(exchange) {
        sink_.reasoning = [this](std::string_view piece) {
            ++n_reasoning_;
            if (request_.streams) {
                opened().write(form_.reasoning(piece));
            } else {
                content_.reasoning += piece;
            }
        };
        sink_.text = [this](std::string_view piece) {
            if (is_over()) {
                return;
            }
            if (request_.streams) {
                opened().write(form_.text(piece));
            } else {
                content_.text += piece;
            }
        };
        sink_.call = [this](const ToolCall& call) {
            if (is_over()) {
                return;
            }
            // Some templates want ids of nine letters and digits.
            CallOfAnswer made{make_id(9), call};
            has_call_ = true;
            if (request_.streams) {
                opened().write(form_.call(made));
            } else {
                content_.calls.push_back(std::move(made));
            }
            if (is_over()) {
                exchange_.cancellation().request();
            }
        };
    }
    AnswerCarrier(const AnswerCarrier&) = delete;
    AnswerCarrier& operator=(const AnswerCarrier&) = delete;

    void push(std::string_view piece) { parts_.push(piece); }
    // The answer ended with its call, as the client wished.
    bool is_over() const { return request_.one_call && has_call_; }
    bool has_begun() const { return has_begun_; }

    void fail(HttpResponse refusal, const std::string& message) {
        if (!has_begun_) {
            exchange_.respond(std::move(refusal));
            return;
        }
        exchange_.write(form_.failure(message));
        exchange_.end_stream();
    }

    void end(const GenerationResult& result) {
        parts_.finish();
        const bool is_own = std::find(request_.options.stop.begin(), request_.options.stop.end(),
                                      result.stop_string) != request_.options.stop.end();
        AnswerEnd end;
        end.finish = is_over() ? FinishReason::Stop : result.finish;
        end.stop_string = is_own ? result.stop_string : std::string();
        end.prompt_tokens = result.prompt_tokens;
        end.cached_tokens = result.cached_tokens;
        end.answer_tokens = static_cast<int>(result.token_ids.size());
        end.reasoning_tokens = std::min(n_reasoning_, end.answer_tokens);
        if (!request_.streams) {
            HttpResponse response = json_response(200, nullptr);
            response.body = form_.whole(content_, end);
            exchange_.respond(std::move(response));
            return;
        }
        HttpExchange& stream = opened();  // events have numbers: the first come first
        stream.write(form_.end(end));
        stream.end_stream();
    }

private:
    // The head waits for the first piece: what fails before it has a status of its own.
    HttpExchange& opened() {
        if (!std::exchange(has_begun_, true)) {
            HttpResponse head{200,
                              {{"content-type", "text/event-stream; charset=utf-8"},
                               {"cache-control", "no-store"},
                               {"x-content-type-options", "nosniff"}},
                              {}};
            exchange_.begin_stream(std::move(head));
            exchange_.write(form_.begin());
        }
        return exchange_;
    }

    const AnswerRequest& request_;
    AnswerForm& form_;
    HttpExchange& exchange_;
    AnswerParts::Sink sink_;
    AnswerParts parts_{request_, sink_};
    AnswerContent content_;
    int n_reasoning_ = 0;
    bool has_call_ = false;
    bool has_begun_ = false;
};

}  // namespace

LocalApi::LocalApi(LocalApiOptions options, AnswerModel& model, AnswerQueue& queue)
    : options_(std::move(options)), model_(model), queue_(queue), start_s_(std::time(nullptr)) {}

Result<std::unique_ptr<LocalApi>> LocalApi::start(LocalApiOptions options, AnswerModel& model,
                                                  AnswerQueue& queue) {
    if (!is_usable_token(options.token)) {
        return Error{ErrorCode::InvalidArgument,
                     "the token must have 16 to 512 characters of ASCII without blanks",
                     {},
                     "token"};
    }
    std::unique_ptr<LocalApi> api(new LocalApi(std::move(options), model, queue));
    auto server = HttpServer::start(api->options_.endpoint, api->options_.limits, *api);
    if (!server) {
        return std::move(server).error();
    }
    api->server_ = std::move(*server);
    return api;
}

LocalApi::~LocalApi() {
    stop();
}

std::string LocalApi::url() const {
    return std::string(options_.endpoint.ipv6 ? "http://[::1]:" : "http://127.0.0.1:") +
           std::to_string(server_->port());
}

void LocalApi::stop() {
    stops_.store(true);
    if (server_ == nullptr) {
        return;
    }
    server_->refuse_more();
    refuse_waiting();
    std::unique_lock lock(asked_mutex_);
    settled_.wait(lock, [this] { return asked_.empty(); });  // the one that is answered
    lock.unlock();
    server_->finish();
}

void LocalApi::refuse_waiting() {
    const std::lock_guard lock(asked_mutex_);
    for (auto one = asked_.begin(); one != asked_.end();) {
        if (queue_.forget(one->first)) {
            one->second.exchange->respond(stopping(one->second.route->path));
            one = asked_.erase(one);
        } else {
            ++one;
        }
    }
}

void LocalApi::settle(std::uint64_t id) {
    const std::lock_guard lock(asked_mutex_);
    asked_.erase(id);
    settled_.notify_all();
}

bool LocalApi::admits(const HttpRequest& head, HttpResponse& refusal) {
    switch (check_access(head, options_.token)) {
        case AccessFault::Host:
            refusal = error_for(head.path, 403,
                                "the Host header must name this computer: 127.0.0.1, localhost or "
                                "[::1], with this server's port");
            return false;
        case AccessFault::Origin:
            refusal = error_for(head.path, 403, "pages of other sites may not ask this server");
            return false;
        case AccessFault::Token:
            refusal = error_for(head.path, 401,
                                "the token is missing or wrong: send it as \"Authorization: "
                                "Bearer TOKEN\" or as \"x-api-key: TOKEN\"",
                                {}, "invalid_api_key");
            refusal.headers.push_back({"www-authenticate", "Bearer"});
            return false;
        case AccessFault::None:
            break;
    }
    const Route* route = route_of(head.path);
    if (route == nullptr) {
        refusal = error_for(head.path, 404, "there is nothing at this path");
        return false;
    }
    if (!is_allowed(*route, head.method)) {
        refusal = error_for(head.path, 405, std::string("this path knows ") + allowed(*route));
        refusal.headers.push_back({"allow", allowed(*route)});
        return false;
    }
    if (head.method == "OPTIONS") {  // answered here: it brought no token, so no body is read
        refusal = {204, {{"allow", allowed(*route)}, {"cache-control", "no-store"}}, {}};
        return false;
    }
    return true;
}

HttpResponse LocalApi::describe(const HttpRequest& head, int status) {
    switch (status) {
        case 408:
            return error_for(head.path, status, "the request took too long to arrive");
        case 413:
            return error_for(
                head.path, status,
                "the body is larger than " + std::to_string(options_.limits.body_bytes) + " bytes");
        case 431:
            return error_for(head.path, status, "the headers are too many or too long");
        default:
            return error_for(head.path, status, "this is no HTTP/1.1 request");
    }
}

void LocalApi::handle(HttpRequest request, std::shared_ptr<HttpExchange> exchange) {
    const std::string path = request.path;
    try {
        const Route& route = *route_of(path);
        if (route.read != nullptr) {
            take_request(route, request, exchange);
        } else if (path == kModels) {
            const std::string id = model_.served().id;
            ApiJson list = {{"object", "list"},
                            {"data", ApiJson::array({model_json()})},
                            {"has_more", false},
                            {"first_id", id},
                            {"last_id", id}};
            exchange->respond(json_response(200, list));
        } else if (is_served(path.substr(kModels.size() + 1))) {
            exchange->respond(json_response(200, model_json()));
        } else {
            exchange->respond(
                openai_error(404, "this server has no such model", {}, "model_not_found"));
        }
    } catch (const std::exception&) {  // memory is short
        exchange->respond(error_for(path, 500, "the request could not be read"));
    }
}

void LocalApi::client_left(const HttpExchange& exchange) {
    if (queue_.forget(exchange.connection())) {
        settle(exchange.connection());
    }
}

bool LocalApi::is_served(const std::string& model) const {
    const ServedModel served = model_.served();
    return model == served.id ||
           std::find(served.names.begin(), served.names.end(), model) != served.names.end();
}

ApiJson LocalApi::model_json() const {
    const ServedModel served = model_.served();
    return {{"id", served.id},
            {"object", "model"},
            {"created", start_s_},
            {"owned_by", "hearth"},
            {"type", "model"},
            {"display_name", served.id},
            {"context_length", served.n_ctx}};
}

void LocalApi::take_request(const Route& route, const HttpRequest& request,
                            const std::shared_ptr<HttpExchange>& exchange) {
    auto body = read_json_object(request.body);
    if (!body) {
        exchange->respond(error_for(route.path, body.error()));
        return;
    }
    auto read = route.read(*body);
    if (!read) {
        exchange->respond(error_for(route.path, read.error()));
        return;
    }
    if (!read->model.empty() && !is_served(read->model)) {
        exchange->respond(error_for(
            route.path, Error{ErrorCode::NotFound,
                              "model: this server has \"" + model_.served().id + "\" alone",
                              {},
                              "model"}));
        return;
    }
    const std::string client = client_of(*read, request, *exchange);
    auto shared = std::make_shared<AnswerRequest>(std::move(*read));
    const std::uint64_t id = exchange->connection();
    const std::lock_guard lock(asked_mutex_);
    if (stops_.load()) {
        exchange->respond(stopping(route.path));
        return;
    }
    const bool is_taken = queue_.add(client, id, [this, &route, shared, exchange, id] {
        answer(route, std::move(*shared), *exchange);
        settle(id);
    });
    if (is_taken) {
        asked_[id] = {&route, exchange};
    } else {
        exchange->respond(error_for(route.path, 429, "too many requests wait"));
    }
}

void LocalApi::answer(const Route& route, AnswerRequest request, HttpExchange& exchange) {
    if (stops_.load()) {
        exchange.respond(stopping(route.path));
        return;
    }
    if (exchange.client_left()) {
        return;
    }
    std::unique_ptr<AnswerForm> form;
    std::optional<AnswerCarrier> kept;
    try {
        form = route.form(request, {make_id(24), model_.served().id, std::time(nullptr)});
        AnswerCarrier& carrier = kept.emplace(request, *form, exchange);
        const auto result = model_.answer(
            request, [&](std::string_view piece) { carrier.push(piece); }, exchange.cancellation());
        if (!result) {
            carrier.fail(error_for(route.path, result.error()), result.error().message);
        } else if (result->finish == FinishReason::Cancelled && !carrier.is_over()) {
            carrier.fail(stopping(route.path), "the server stops");
        } else {
            carrier.end(*result);
        }
    } catch (const std::exception& error) {  // memory is short
        if (kept && kept->has_begun()) {
            exchange.end_stream();
        } else {
            exchange.respond(error_for(route.path, 500, error.what()));
        }
    }
}

}  // namespace hearth::server
