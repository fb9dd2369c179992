#include <hearth/reasoning.h>

#include <cstddef>

namespace hearth {
namespace {

constexpr std::string_view kOpening = "<think>";
constexpr std::string_view kClosing = "</think>";
constexpr std::string_view kBlanks = " \t\r\n";

std::string_view without_blanks_before(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(kBlanks);
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

std::string_view without_blanks(std::string_view text) {
    text = without_blanks_before(text);
    const std::size_t end = text.find_last_not_of(kBlanks);
    return end == std::string_view::npos ? std::string_view() : text.substr(0, end + 1);
}

}  // namespace

ReasonedAnswer split_reasoning(std::string_view text) {
    std::string_view rest = without_blanks_before(text);
    const bool is_opened = rest.starts_with(kOpening);
    if (is_opened) {
        rest.remove_prefix(kOpening.size());
    }
    const std::size_t closing = rest.find(kClosing);
    if (closing == std::string_view::npos) {
        return is_opened ? ReasonedAnswer{without_blanks(rest), {}} : ReasonedAnswer{{}, text};
    }
    // An opening in the middle is something that the answer says about such marks.
    if (!is_opened && rest.substr(0, closing).find(kOpening) != std::string_view::npos) {
        return {{}, text};
    }
    return {without_blanks(rest.substr(0, closing)),
            without_blanks_before(rest.substr(closing + kClosing.size()))};
}

}  // namespace hearth
