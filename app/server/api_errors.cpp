#include "api_errors.h"

#include "answer_form.h"

namespace hearth::server {

HttpResponse error_for(std::string_view path, int status, const std::string& message,
                       const std::string& param, const std::string& code) {
    return path == kAnthropicPath ? anthropic_error(status, message)
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
        case ErrorCode::Cancelled: {
            HttpResponse response = error_for(path, 503, error.message);
            if (error.field ==
                kNotAgain) {  // the clients' own libraries would ask again by themselves
                response.headers.push_back({"x-should-retry", "false"});
            }
            return response;
        }
        default:
            return error_for(path, 500, error.message);
    }
}

HttpResponse stopping(std::string_view path) {
    return error_for(path, 503, kStops);
}

HttpResponse no_model(std::string_view path, const ServedModel& served) {
    HttpResponse response = error_for(path, 503, served.why_not);
    if (served.is_coming) {
        response.headers.push_back({"retry-after", "2"});
    }
    return response;
}

}  // namespace hearth::server
