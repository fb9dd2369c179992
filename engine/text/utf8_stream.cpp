#include "text/utf8_stream.h"

#include <cstddef>

#include "text/utf8.h"

namespace hearth {
namespace {
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
}

std::string Utf8Stream::push(std::string_view bytes) {
    std::string joined;
    std::string_view text = bytes;
    if (!pending_.empty()) {
        joined = pending_;
        joined += bytes;
        text = joined;
        pending_.clear();
    }
    std::string out;
    out.reserve(text.size());
    std::size_t at = 0;
    while (at < text.size()) {
        const Utf8Step step = utf8_step(text, at);
        if (step.kind == Utf8Step::Kind::Truncated) {
            pending_ = text.substr(at);
            break;
        }
        out += step.kind == Utf8Step::Kind::Valid ? text.substr(at, step.bytes) : kReplacement;
        at += step.bytes;
    }
    return out;
}

std::string Utf8Stream::finish() {
    if (pending_.empty()) {
        return {};
    }
    pending_.clear();
    return std::string(kReplacement);
}

}  // namespace hearth
