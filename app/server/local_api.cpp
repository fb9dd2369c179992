#include "local_api.h"

#include <algorithm>
#include <ctime>
#include <exception>
#include <optional>
#include <string_view>
#include <vector>

#include "answer_carrier.h"
#include "anthropic_messages.h"
#include "api_errors.h"
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

constexpr std::size_t kMostOfName = 200;  // bytes of a client's name
constexpr std::string_view kUser = "user ";
constexpr std::string_view kProgram = "program ";

constexpr std::string_view kModels = "/v1/models";
constexpr LocalApi::Route kRoutes[] = {
    {kModels, nullptr, nullptr},
    {"/v1/chat/completions", read_chat_completion, chat_completion_form},
    {"/v1/completions", read_text_completion, text_completion_form},
    {"/v1/responses", read_response_request, response_form},
    {kAnthropicPath, read_anthropic_message, anthropic_message_form},
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

Error other_model(const ServedModel& served) {
    return {ErrorCode::NotFound, "model: this server has \"" + served.id + "\" alone", {}, "model"};
}

bool means(const std::string& model, const ServedModel& served) {
    return model == served.id ||
           std::find(served.names.begin(), served.names.end(), model) != served.names.end();
}

std::string program_of(const HttpRequest& head) {
    const std::string* agent = head.header("user-agent");
    return agent == nullptr ? std::string() : std::string(kProgram) + *agent;
}

std::string client_of(const AnswerRequest& request, const HttpRequest& head,
                      const HttpExchange& exchange) {
    std::string name =
        request.client.empty() ? program_of(head) : std::string(kUser) + request.client;
    if (name.empty()) {
        name = "connection " + std::to_string(exchange.connection());
    }
    return name.substr(0, kMostOfName);
}

}  // namespace

std::string client_name(const std::string& client) {
    for (const std::string_view kind : {kUser, kProgram}) {
        if (client.starts_with(kind)) {
            return client.substr(kind.size());
        }
    }
    return {};
}

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
            HttpResponse response = stopping(one->second.route->path);
            tell_forgotten(one->second.note, response.status);
            one->second.exchange->respond(std::move(response));
            one = asked_.erase(one);
        } else {
            ++one;
        }
    }
}

void LocalApi::tell_forgotten(RequestNote note, int status) {
    note.state = RequestNote::State::Ended;
    note.status = status;
    tell(note);
}

void LocalApi::settle(std::uint64_t id) {
    const std::lock_guard lock(asked_mutex_);
    asked_.erase(id);
    settled_.notify_all();
}

void LocalApi::set_token(std::string token) {
    const std::lock_guard lock(token_mutex_);
    options_.token = std::move(token);
}

void LocalApi::tell(const RequestNote& note) {
    if (options_.watcher) {
        options_.watcher(note);
    }
}

void LocalApi::tell_end(const HttpRequest& head, int status) {
    tell({.number = ++last_number_,
          .client = program_of(head).substr(0, kMostOfName),
          .path = head.path.substr(0, kMostOfName),
          .status = status});
}

bool LocalApi::admits(const HttpRequest& head, HttpResponse& refusal) {
    const bool is_admitted = check(head, refusal);
    if (!is_admitted && refusal.status >= 400) {
        tell_end(head, refusal.status);
    }
    return is_admitted;
}

bool LocalApi::check(const HttpRequest& head, HttpResponse& refusal) {
    std::unique_lock lock(token_mutex_);
    const AccessFault fault = check_access(head, options_.token);
    lock.unlock();
    switch (fault) {
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
    tell_end(head, status);
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
    HttpResponse response;
    try {
        const Route& route = *route_of(request.path);
        if (route.read != nullptr) {
            auto refusal = take_request(route, request, exchange);
            if (!refusal) {
                return;  // its turn will come
            }
            response = std::move(*refusal);
        } else {
            response = tell_models(request.path);
        }
    } catch (const std::exception&) {  // memory is short
        response = error_for(request.path, 500, "the request could not be read");
    }
    tell_end(request, response.status);
    exchange->respond(std::move(response));
}

void LocalApi::client_left(const HttpExchange& exchange) {
    const std::lock_guard lock(asked_mutex_);
    const auto found = std::find_if(asked_.begin(), asked_.end(), [&](const auto& one) {
        return one.second.exchange.get() == &exchange;
    });
    if (found != asked_.end() && queue_.forget(found->first)) {
        tell_forgotten(found->second.note, 0);
        asked_.erase(found);
        settled_.notify_all();
    }
}

HttpResponse LocalApi::tell_models(const std::string& path) const {
    const ServedModel served = model_.served();
    const ApiJson model = {{"id", served.id},
                           {"object", "model"},
                           {"created", start_s_},
                           {"owned_by", "hearth"},
                           {"type", "model"},
                           {"display_name", served.id},
                           {"context_length", served.n_ctx}};
    if (path != kModels) {
        return served.answers() && means(path.substr(kModels.size() + 1), served)
                   ? json_response(200, model)
                   : openai_error(404, "this server has no such model", {}, "model_not_found");
    }
    const ApiJson id = served.answers() ? ApiJson(served.id) : ApiJson(nullptr);
    return json_response(200,
                         {{"object", "list"},
                          {"data", served.answers() ? ApiJson::array({model}) : ApiJson::array()},
                          {"has_more", false},
                          {"first_id", id},
                          {"last_id", id}});
}

std::optional<HttpResponse> LocalApi::take_request(const Route& route, const HttpRequest& request,
                                                   const std::shared_ptr<HttpExchange>& exchange) {
    const auto body = read_json_object(request.body);
    if (!body) {
        return error_for(route.path, body.error());
    }
    auto read = route.read(*body);
    if (!read) {
        return error_for(route.path, read.error());
    }
    if (auto refusal = refusal_of(route, *read)) {
        return refusal;
    }
    RequestNote note{.number = ++last_number_,
                     .client = client_of(*read, request, *exchange),
                     .path = std::string(route.path),
                     .state = RequestNote::State::Waits};
    const std::string client = note.client;
    auto shared = std::make_shared<AnswerRequest>(std::move(*read));
    // A connection's next request may come before the one that was answered is settled.
    const std::uint64_t id = note.number;
    const std::lock_guard lock(asked_mutex_);
    if (stops_.load()) {
        return stopping(route.path);
    }
    tell(note);
    const bool is_taken = queue_.add(client, id, [this, &route, shared, exchange, note, id] {
        answer(route, std::move(*shared), *exchange, note);
        settle(id);
    });
    if (is_taken) {
        asked_[id] = {&route, exchange, note};
    } else {
        tell_forgotten(note, 429);
        exchange->respond(error_for(route.path, 429, "too many requests wait"));
    }
    return std::nullopt;
}

// The model may have changed since the request came.
std::optional<HttpResponse> LocalApi::refusal_of(const Route& route,
                                                 const AnswerRequest& request) const {
    const ServedModel served = model_.served();
    if (!served.answers()) {
        return no_model(route.path, served);
    }
    if (!request.model.empty() && !means(request.model, served)) {
        return error_for(route.path, other_model(served));
    }
    return std::nullopt;
}

void LocalApi::answer(const Route& route, AnswerRequest request, HttpExchange& exchange,
                      RequestNote note) {
    note.state = RequestNote::State::IsAnswered;
    if (!exchange.client_left()) {
        tell(note);
        auto refusal = refusal_of(route, request);
        if (stops_.load()) {
            refusal = stopping(route.path);
        }
        if (refusal) {
            note.status = refusal->status;
            exchange.respond(std::move(*refusal));
        } else {
            carry(route, std::move(request), exchange, note);
        }
    }
    if (exchange.client_left()) {
        note.status = 0;
    }
    note.state = RequestNote::State::Ended;
    tell(note);
}

void LocalApi::carry(const Route& route, AnswerRequest request, HttpExchange& exchange,
                     RequestNote& note) {
    std::unique_ptr<AnswerForm> form;
    std::optional<AnswerCarrier> kept;
    try {
        form = route.form(request, {make_id(24), model_.served().id, std::time(nullptr)});
        AnswerCarrier& carrier = kept.emplace(request, *form, exchange, note);
        const auto result = model_.answer(
            request, [&](std::string_view piece) { carrier.push(piece); }, exchange.cancellation());
        if (!result) {
            carrier.fail(error_for(route.path, result.error()), result.error().message);
        } else if (result->finish == FinishReason::Cancelled && !carrier.is_over()) {
            carrier.fail(stopping(route.path), kStops);
        } else {
            carrier.end(*result);
        }
    } catch (const std::exception& error) {  // memory is short
        note.status = 500;
        if (kept && kept->has_begun()) {
            note.is_cut = true;
            exchange.end_stream();
        } else {
            exchange.respond(error_for(route.path, 500, error.what()));
        }
    }
}

}  // namespace hearth::server
