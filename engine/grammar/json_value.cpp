#include "grammar/json_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "grammar/text_place.h"
#include "text/utf8.h"

namespace hearth {
namespace {

using Kind = JsonValue::Kind;

class JsonReader {
public:
    JsonReader(std::string_view text, std::string_view what) : text_(text), what_(what) {}

    Result<JsonValue> read() {
        JsonValue value;
        if (text_.size() > kMaxJsonBytes) {
            fail(0, "has " + std::to_string(text_.size()) + " bytes, at most " +
                        std::to_string(kMaxJsonBytes) + " are possible");
        } else {
            skip_space();
            value = any(0);
            skip_space();
            if (!error_ && at_ < text_.size()) {
                fail(at_, "more text after the value");
            }
        }
        if (error_) {
            return std::move(*error_);
        }
        return value;
    }

private:
    char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void fail(std::size_t at, const std::string& message) {
        if (!error_) {
            error_ = Error{ErrorCode::InvalidArgument,
                           std::string(what_) + ": " + place_in(text_, at) + ": " + message,
                           {},
                           std::string(what_)};
        }
        at_ = text_.size();
    }

    void skip_space() {
        while (here() == ' ' || here() == '\t' || here() == '\n' || here() == '\r') {
            ++at_;
        }
    }

    bool take(std::string_view word) {
        const bool found = text_.substr(std::min(at_, text_.size())).starts_with(word);
        at_ += found ? word.size() : 0;
        return found;
    }

    JsonValue any(int depth) {
        const std::size_t start = at_;
        JsonValue out = value(depth);
        out.at = start;
        return out;
    }

    JsonValue value(int depth) {
        if (depth > kMaxJsonDepth) {
            fail(at_, "nested deeper than " + std::to_string(kMaxJsonDepth));
            return {};
        }
        const char c = here();
        if (c == '{') {
            return object(depth);
        }
        if (c == '[') {
            return array(depth);
        }
        if (c == '"') {
            return {.kind = Kind::String, .text = string()};
        }
        if (c == '-' || (c >= '0' && c <= '9')) {
            return number();
        }
        if (take("true")) {
            return {.kind = Kind::Bool, .flag = true};
        }
        if (take("false")) {
            return {.kind = Kind::Bool};
        }
        if (!take("null")) {
            fail(at_, at_ < text_.size() ? "this is no JSON value" : "a value is missing");
        }
        return {};
    }

    JsonValue object(int depth) {
        JsonValue out{.kind = Kind::Object};
        const std::size_t start = at_++;
        skip_space();
        while (!error_ && here() != '}') {
            if (!out.members.empty() && !comma(start, "{")) {
                break;
            }
            const std::size_t name_at = at_;
            if (here() != '"') {
                fail(at_, at_ < text_.size() ? "a member's name in quotes is missing"
                                             : "the object is never closed");
                break;
            }
            std::string name = string();
            skip_space();
            if (!error_ && !take(":")) {
                fail(at_, ": is missing after the member's name");
            }
            skip_space();
            if (error_) {
                break;
            }
            JsonValue member = any(depth + 1);
            if (out.find(name) != nullptr) {
                fail(name_at, "member " + shown_text(json_string(name)) + " stands twice");
            }
            out.members.emplace_back(std::move(name), std::move(member));
            skip_space();
        }
        ++at_;
        return out;
    }

    JsonValue array(int depth) {
        JsonValue out{.kind = Kind::Array};
        const std::size_t start = at_++;
        skip_space();
        while (!error_ && here() != ']') {
            if (!out.items.empty() && !comma(start, "[")) {
                break;
            }
            out.items.push_back(any(depth + 1));
            skip_space();
        }
        ++at_;
        return out;
    }

    bool comma(std::size_t start, const char* bracket) {
        if (!take(",")) {
            fail(at_ < text_.size() ? at_ : start,
                 at_ < text_.size() ? std::string(", is missing")
                                    : std::string("this ") + bracket + " is never closed");
            return false;
        }
        skip_space();
        return true;
    }

    JsonValue number() {
        const std::size_t start = at_;
        const auto digits = [&] {
            const std::size_t first = at_;
            while (here() >= '0' && here() <= '9') {
                ++at_;
            }
            return at_ > first;
        };
        take("-");
        bool good = take("0") || digits();
        if (take(".")) {
            good = digits() && good;
        }
        if (take("e") || take("E")) {
            (void)(take("+") || take("-"));
            good = digits() && good;
        }
        if (!good) {
            fail(start, "this is no number");
        }
        return {.kind = Kind::Number, .text = std::string(text_.substr(start, at_ - start))};
    }

    std::uint32_t hex4(std::size_t start) {
        std::uint32_t unit = 0;
        const std::string_view digits = text_.substr(std::min(at_, text_.size()), 4);
        const auto [end, wrong] =
            std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
        if (wrong != std::errc() || digits.size() < 4 || end != digits.data() + 4) {
            fail(start, "\\u wants 4 hexadecimal digits");
        }
        at_ += 4;
        return unit;
    }

    std::uint32_t escaped(std::size_t start) {
        const char c = here();
        ++at_;
        switch (c) {
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case '"':
            case '\\':
            case '/':
                return static_cast<std::uint32_t>(c);
            case 'u': {
                const std::uint32_t unit = hex4(start);
                if (unit < 0xD800 || unit > 0xDFFF) {
                    return unit;
                }
                const bool pairs = unit < 0xDC00 && take("\\u");
                const std::uint32_t second = pairs ? hex4(start) : 0;
                if (second < 0xDC00 || second > 0xDFFF) {
                    fail(start, "half a surrogate pair");
                    return 0;
                }
                return 0x10000 + ((unit - 0xD800) << 10 | (second - 0xDC00));
            }
            default:
                fail(start, "an unknown escape");
                return 0;
        }
    }

    std::string string() {
        const std::size_t start = at_++;
        std::string out;
        while (!error_ && here() != '"') {
            if (at_ >= text_.size()) {
                fail(start, "this \" is never closed");
                break;
            }
            const std::size_t from = at_;
            if (static_cast<std::uint8_t>(here()) < 0x20) {
                fail(from, "a control character in a string");
            } else if (here() == '\\') {
                ++at_;
                const std::uint32_t one = escaped(from);
                if (!error_) {
                    append_utf8(out, one);
                }
            } else {
                const Utf8Step step = utf8_step(text_, at_);
                if (step.kind != Utf8Step::Kind::Valid) {
                    fail(from, "bytes that are not UTF-8");
                    break;
                }
                out += text_.substr(at_, step.bytes);
                at_ += step.bytes;
            }
        }
        ++at_;
        return out;
    }

    std::string_view text_;
    std::string_view what_;
    std::size_t at_ = 0;
    std::optional<Error> error_;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](const Member& member) { return member.first == name; });
    return found != members.end() ? &found->second : nullptr;
}

void JsonValue::set(std::string name, JsonValue value) {
    for (Member& member : members) {
        if (member.first == name) {
            member.second = std::move(value);
            return;
        }
    }
    members.emplace_back(std::move(name), std::move(value));
}

double JsonValue::number() const {
    double value = 0;
    if (is(Kind::Number)) {
        std::from_chars(text.data(), text.data() + text.size(), value);
    }
    return value;
}

std::optional<long long> JsonValue::whole() const {
    const double value = number();
    if (!is(Kind::Number) || std::floor(value) != value || std::fabs(value) >= 1e15) {
        return std::nullopt;
    }
    return static_cast<long long>(value);
}

bool operator==(const JsonValue& a, const JsonValue& b) {
    if (a.kind != b.kind) {
        return false;
    }
    switch (a.kind) {
        case Kind::Null:
            return true;
        case Kind::Bool:
            return a.flag == b.flag;
        case Kind::Number:
            return a.text == b.text || a.number() == b.number();
        case Kind::String:
            return a.text == b.text;
        case Kind::Array:
            return a.items == b.items;
        case Kind::Object:
            return a.members.size() == b.members.size() &&
                   std::all_of(a.members.begin(), a.members.end(), [&](const auto& member) {
                       const JsonValue* other = b.find(member.first);
                       return other != nullptr && member.second == *other;
                   });
    }
    return false;
}

std::string json_string(std::string_view characters) {
    constexpr char kHex[] = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : characters) {
        const auto byte = static_cast<std::uint8_t>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (c == '\r') {
            out += "\\r";
        } else if (byte < 0x20) {
            out += "\\u00";
            out += kHex[byte >> 4];
            out += kHex[byte & 0xF];
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string json_text(const JsonValue& value) {
    switch (value.kind) {
        case Kind::Null:
            return "null";
        case Kind::Bool:
            return value.flag ? "true" : "false";
        case Kind::Number:
            return value.text;
        case Kind::String:
            return json_string(value.text);
        case Kind::Array: {
            std::string out = "[";
            for (const JsonValue& item : value.items) {
                out += out.size() > 1 ? "," : "";
                out += json_text(item);
            }
            return out + "]";
        }
        case Kind::Object: {
            std::string out = "{";
            for (const auto& [name, member] : value.members) {
                out += out.size() > 1 ? "," : "";
                out += json_string(name);
                out += ':';
                out += json_text(member);
            }
            return out + "}";
        }
    }
    return "null";
}

Result<JsonValue> parse_json(std::string_view text, std::string_view what) {
    return JsonReader(text, what).read();
}

}  // namespace hearth
