#include <algorithm>
#include <optional>
#include <utility>

#include "call_readers.h"

namespace hearth::server {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kGemmaQuote = "<|\"|>";
constexpr std::size_t kMostDepth = 64;
constexpr std::size_t kMostMembers = 512;  // an object looks through its members for each new one

enum class LiteralStyle { Python, Gemma };

bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

// Reads values from the beginning of a text. After a function returned nothing the text is of no
// use.
class LiteralReader {
public:
    LiteralReader(std::string_view text, LiteralStyle style) : text_(text), style_(style) {}

    std::string_view rest() const { return text_; }
    bool takes(std::string_view mark) { return take(text_, mark); }

    std::string_view name() {
        take(text_, "");
        const auto* const end = std::find_if_not(text_.begin(), text_.end(), is_name_char);
        const std::string_view found =
            text_.substr(0, static_cast<std::size_t>(end - text_.begin()));
        text_.remove_prefix(found.size());
        return found;
    }

    // KEY SEPARATOR VALUE, ..., CLOSING, behind the opening one; keys without quotes.
    std::optional<ApiJson> members(std::string_view separator, std::string_view closing,
                                   std::size_t depth = 0) {
        ApiJson all = ApiJson::object();
        while (!takes(closing)) {
            if ((!all.empty() && !takes(",")) || all.size() == kMostMembers) {
                return std::nullopt;
            }
            if (!all.empty() && takes(closing)) {
                break;
            }
            auto key = member_key(separator);
            if (!key || !takes(separator)) {
                return std::nullopt;
            }
            auto read = value(depth);
            if (!read) {
                return std::nullopt;
            }
            all[*key] = std::move(*read);
        }
        return all;
    }

    std::optional<ApiJson> value(std::size_t depth) {
        take(text_, "");
        if (depth > kMostDepth || text_.empty()) {
            return std::nullopt;
        }
        if (takes("{")) {
            return members(":", "}", depth + 1);
        }
        if (takes("[")) {
            return elements(depth + 1);
        }
        if (auto text = quoted(depth == 0)) {
            return std::move(*text);
        }
        return word();
    }

private:
    std::optional<std::string> member_key(std::string_view separator) {
        take(text_, "");
        if (separator == "=") {
            const std::string_view plain = name();
            return plain.empty() ? std::nullopt : std::optional(std::string(plain));
        }
        if (auto key = quoted(false)) {
            return key;
        }
        if (style_ == LiteralStyle::Python) {
            return std::nullopt;
        }
        const std::size_t end = text_.find(separator);
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        const std::string key(trimmed(text_.substr(0, end)));
        text_.remove_prefix(end);
        return key;
    }

    std::optional<ApiJson> elements(std::size_t depth) {
        constexpr std::string_view kClosing = "]";
        ApiJson all = ApiJson::array();
        while (!takes(kClosing)) {
            if (!all.empty() && !takes(",")) {
                return std::nullopt;
            }
            if (!all.empty() && takes(kClosing)) {
                break;
            }
            auto read = value(depth);
            if (!read) {
                return std::nullopt;
            }
            all.push_back(std::move(*read));
        }
        return all;
    }

    // Nothing, and nothing taken: the text does not begin with a quote, or has no second one.
    std::optional<std::string> quoted(bool is_argument) {
        if (text_.starts_with(kGemmaQuote)) {
            const std::size_t end = text_.find(kGemmaQuote, kGemmaQuote.size());
            if (end == std::string_view::npos) {
                return std::nullopt;
            }
            std::string out(text_.substr(kGemmaQuote.size(), end - kGemmaQuote.size()));
            text_.remove_prefix(end + kGemmaQuote.size());
            return out;
        }
        if (!text_.starts_with('"') && !text_.starts_with('\'')) {
            return std::nullopt;
        }
        std::string out;
        for (std::size_t i = 1; i < text_.size(); ++i) {
            if (text_[i] == '\\' && i + 1 < text_.size()) {
                i = unescape(i + 1, out);
            } else if (text_[i] == text_[0] && ends_string(text_.substr(i + 1), is_argument)) {
                text_.remove_prefix(i + 1);
                return out;
            } else {
                out += text_[i];
            }
        }
        return std::nullopt;
    }

    // Templates print strings in quotes as they are, with quotes inside them. The last quote is the
    // one behind which the text goes on as literals do.
    bool ends_string(std::string_view rest, bool is_argument) const {
        const std::size_t begin = rest.find_first_not_of(kBlanks);
        if (begin == std::string_view::npos) {
            return true;
        }
        if (rest[begin] != ',' || !is_argument) {
            constexpr std::string_view kEnds = ",)]}:";
            return kEnds.find(rest[begin]) != std::string_view::npos;
        }
        LiteralReader next(rest.substr(begin + 1), style_);  // the name of the next argument
        return next.takes(")") || (!next.name().empty() && next.takes("="));
    }

    // The escape whose letter is at i. Returns the place of its last byte.
    std::size_t unescape(std::size_t i, std::string& out) const {
        constexpr std::string_view kLetters = "nrtbf0\\\"'/\n";
        constexpr char kMeant[] = "\n\r\t\b\f\0\\\"'/\n";
        static_assert(sizeof(kMeant) == kLetters.size() + 1);
        const std::size_t digits = text_[i] == 'x' ? 2 : text_[i] == 'u' ? 4 : 0;
        if (digits > 0) {
            // JSON knows how, also of two halves of one character.
            std::size_t length = digits;
            const bool is_high =
                digits == 4 && text_.size() > i + 10 && text_.substr(i + 5).starts_with("\\u");
            if (is_high && (text_[i + 1] == 'd' || text_[i + 1] == 'D')) {
                length = 10;
            }
            const std::string_view spelled = text_.substr(i + 1, length);
            const ApiJson read = ApiJson::parse(
                (digits == 2 ? "\"\\u00" : "\"\\u") + std::string(spelled) + "\"", nullptr, false);
            if (read.is_string() && spelled.size() == length) {
                out += read.get<std::string>();
                return i + length;
            }
        } else if (const std::size_t letter = kLetters.find(text_[i]);
                   letter != std::string_view::npos) {
            if (text_[i] != '\n') {
                out += kMeant[letter];
            }
            return i;
        }
        out += '\\';  // no escape, as in Python
        return i - 1;
    }

    std::optional<ApiJson> word() {
        const auto* const end = std::find_if_not(
            text_.begin(), text_.end(), [](char c) { return is_name_char(c) || c == '+'; });
        const std::string_view found =
            text_.substr(0, static_cast<std::size_t>(end - text_.begin()));
        text_.remove_prefix(found.size());
        if (found == "True" || found == "true") {
            return true;
        }
        if (found == "False" || found == "false") {
            return false;
        }
        if (found == "None" || found == "null") {
            return ApiJson();
        }
        ApiJson number = ApiJson::parse(found, nullptr, false);
        return number.is_number() ? std::optional(std::move(number)) : std::nullopt;
    }

    std::string_view text_;
    LiteralStyle style_;
};

bool add_read_call(std::string_view name, const std::optional<ApiJson>& arguments,
                   const Tools& tools, Calls& calls) {
    const ToolDeclaration* tool = tool_named(name, tools);
    if (tool == nullptr || !arguments) {
        return false;
    }
    calls.push_back({tool->name, to_bytes(*arguments)});
    return true;
}

}  // namespace

bool read_python_calls(std::string_view text, const Tools& tools, Calls& calls) {
    LiteralReader reader(trimmed(text), LiteralStyle::Python);
    const bool is_list = reader.takes("[");
    do {
        std::string_view name = reader.name();
        constexpr std::string_view kCall = ".call";  // as Llama calls its own tools
        if (tool_named(name, tools) == nullptr && name.ends_with(kCall)) {
            name.remove_suffix(kCall.size());
        }
        if (!reader.takes("(") || !add_read_call(name, reader.members("=", ")"), tools, calls)) {
            return false;
        }
    } while (is_list && reader.takes(","));
    return (!is_list || reader.takes("]")) && trimmed(reader.rest()).empty();
}

bool read_gemma_calls(std::string_view text, const Tools& tools, Calls& calls) {
    LiteralReader reader(trimmed(text), LiteralStyle::Gemma);
    reader.takes("call:");
    const std::string_view name = reader.name();
    return reader.takes("{") && add_read_call(name, reader.members(":", "}"), tools, calls) &&
           trimmed(reader.rest()).empty();
}

ApiJson read_python_value(std::string_view text) {
    LiteralReader reader(text, LiteralStyle::Python);
    auto read = reader.value(0);
    return read && trimmed(reader.rest()).empty() ? std::move(*read)
                                                  : ApiJson(ApiJson::value_t::discarded);
}

}  // namespace hearth::server
