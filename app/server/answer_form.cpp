#include "answer_form.h"

namespace hearth::server {
namespace {

std::string kind_of(int status) {
    switch (status) {
        case 401:
            return "authentication_error";
        case 403:
            return "permission_error";
        case 404:
            return "not_found_error";
        case 413:
            return "request_too_large";
        case 429:
            return "rate_limit_error";
        case 503:
            return "overloaded_error";
        default:
            return status >= 500 ? "api_error" : "invalid_request_error";
    }
}

ApiJson or_null(const std::string& text) {
    return text.empty() ? ApiJson(nullptr) : ApiJson(text);
}

}  // namespace

std::string event_text(std::string_view name, const ApiJson& data) {
    std::string text;
    if (!name.empty()) {
        text.append("event: ").append(name).append("\n");
    }
    return text.append("data: ").append(to_bytes(data)).append("\n\n");
}

ApiJson openai_error_json(int status, const std::string& message, const std::string& param,
                          const std::string& code) {
    return {{"error",
             {{"message", message},
              {"type", kind_of(status)},
              {"param", or_null(param)},
              {"code", or_null(code)}}}};
}

ApiJson anthropic_error_json(int status, const std::string& message) {
    return {{"type", "error"}, {"error", {{"type", kind_of(status)}, {"message", message}}}};
}

HttpResponse json_response(int status, const ApiJson& json) {
    return {status,
            {{"content-type", "application/json"},
             {"cache-control", "no-store"},
             {"x-content-type-options", "nosniff"}},
            to_bytes(json)};
}

HttpResponse openai_error(int status, const std::string& message, const std::string& param,
                          const std::string& code) {
    return json_response(status, openai_error_json(status, message, param, code));
}

HttpResponse anthropic_error(int status, const std::string& message) {
    return json_response(status, anthropic_error_json(status, message));
}

}  // namespace hearth::server
