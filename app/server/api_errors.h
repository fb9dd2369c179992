// Errors in the form of the API that a path belongs to.
#pragma once

#include <string>
#include <string_view>

#include <hearth/result.h>

#include "answer_model.h"
#include "http_message.h"

namespace hearth::server {

inline constexpr std::string_view kAnthropicPath = "/v1/messages";
inline constexpr const char* kStops = "the server stops";

HttpResponse error_for(std::string_view path, int status, const std::string& message,
                       const std::string& param = {}, const std::string& code = {});
// An error of the engine, or of reading a request.
HttpResponse error_for(std::string_view path, const Error& error);
HttpResponse stopping(std::string_view path);
HttpResponse no_model(std::string_view path, const ServedModel& served);

}  // namespace hearth::server
