#include "text/template_outline.h"

#include <cctype>
#include <cstddef>

namespace hearth {
namespace {

bool is_word(char c) {
    const auto u = static_cast<unsigned char>(c);
    return u < 0x80 && (std::isalnum(u) != 0 || c == '_');
}

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

struct Word {
    enum class Kind { Name, String, Sign };
    Kind kind = Kind::Sign;
    std::string text;
};

// a [ 'b' ] becomes a . b, in place and in one pass: a template may be one long tag.
void join_subscripts(std::vector<Word>& words) {
    const auto is_sign = [](const Word& word, char sign) {
        return word.kind == Word::Kind::Sign && word.text[0] == sign;
    };
    std::size_t kept = 0;
    for (std::size_t i = 0; i < words.size();) {
        const bool follows_value =
            kept > 0 && (words[kept - 1].kind == Word::Kind::Name || is_sign(words[kept - 1], ']'));
        if (follows_value && i + 2 < words.size() && is_sign(words[i], '[') &&
            words[i + 1].kind == Word::Kind::String && is_sign(words[i + 2], ']')) {
            words[kept++] = {Word::Kind::Sign, "."};
            Word name = std::move(words[i + 1]);
            name.kind = Word::Kind::Name;
            words[kept++] = std::move(name);
            i += 3;
        } else {
            if (kept != i) {
                words[kept] = std::move(words[i]);
            }
            ++kept;
            ++i;
        }
    }
    words.resize(kept);
}

// The words of a tag's inside; a['b'] becomes a . b. False: something unknown.
bool read_words(std::string_view inside, std::vector<Word>& words) {
    for (std::size_t i = 0; i < inside.size();) {
        const char c = inside[i];
        if (is_blank(c)) {
            ++i;
        } else if (is_word(c)) {
            std::size_t end = i;
            while (end < inside.size() && is_word(inside[end])) {
                ++end;
            }
            words.push_back({Word::Kind::Name, std::string(inside.substr(i, end - i))});
            i = end;
        } else if (c == '\'' || c == '"') {
            std::string text;
            for (++i; i < inside.size() && inside[i] != c; ++i) {
                if (inside[i] != '\\') {
                    text += inside[i];
                    continue;
                }
                if (++i == inside.size()) {
                    return false;
                }
                switch (inside[i]) {
                    case 'n':
                        text += '\n';
                        break;
                    case 't':
                        text += '\t';
                        break;
                    case '\\':
                    case '\'':
                    case '"':
                        text += inside[i];
                        break;
                    default:
                        return false;
                }
            }
            if (i == inside.size()) {
                return false;
            }
            ++i;
            words.push_back({Word::Kind::String, std::move(text)});
        } else {
            // Two-character operators as one word.
            const bool two = i + 1 < inside.size() && inside[i + 1] == '=' &&
                             (c == '=' || c == '!' || c == '<' || c == '>');
            words.push_back({Word::Kind::Sign, std::string(inside.substr(i, two ? 2 : 1))});
            i += two ? 2 : 1;
        }
    }
    join_subscripts(words);
    return true;
}

class Builder {
public:
    void text(std::string_view text) {
        if (text.empty()) {
            return;
        }
        if (parts_.empty() || parts_.back().kind != OutlinePart::Kind::Text) {
            parts_.push_back({OutlinePart::Kind::Text, {}});
        }
        parts_.back().text += text;
    }

    bool statement(std::string_view inside) {
        std::vector<Word> words;
        if (!read_words(inside, words) || words.empty()) {
            return false;
        }
        std::string joined;
        for (const Word& word : words) {
            joined += joined.empty() ? "" : " ";
            joined += word.kind == Word::Kind::String ? "'" + word.text + "'" : word.text;
        }
        parts_.push_back({OutlinePart::Kind::Statement, std::move(joined)});
        return true;
    }

    // string or name(.name)*, joined by +.
    bool output(std::string_view inside) {
        std::vector<Word> words;
        if (!read_words(inside, words) || words.empty()) {
            return false;
        }
        std::size_t i = 0;
        while (true) {
            if (i == words.size()) {
                return false;
            }
            if (words[i].kind == Word::Kind::String) {
                text(words[i++].text);
            } else if (words[i].kind == Word::Kind::Name) {
                std::string value = words[i++].text;
                while (i + 1 < words.size() && words[i].text == "." &&
                       words[i + 1].kind == Word::Kind::Name) {
                    value += "." + words[i + 1].text;
                    i += 2;
                }
                parts_.push_back({OutlinePart::Kind::Value, std::move(value)});
            } else {
                return false;
            }
            if (i == words.size()) {
                return true;
            }
            if (words[i].kind != Word::Kind::Sign || words[i].text != "+") {
                return false;
            }
            ++i;
        }
    }

    std::vector<OutlinePart> take() { return std::move(parts_); }

private:
    std::vector<OutlinePart> parts_;
};

// The place where the tag that starts at `open` closes: the position of its two-character end.
std::size_t find_close(std::string_view jinja, std::size_t from, std::string_view close) {
    if (close == "#}") {
        return jinja.find(close, from);
    }
    char quote = 0;
    for (std::size_t i = from; i + 1 < jinja.size(); ++i) {
        if (quote != 0) {
            if (jinja[i] == '\\') {
                ++i;
            } else if (jinja[i] == quote) {
                quote = 0;
            }
        } else if (jinja[i] == '\'' || jinja[i] == '"') {
            quote = jinja[i];
        } else if (jinja.substr(i, 2) == close) {
            return i;
        }
    }
    return std::string_view::npos;
}

// What lstrip_blocks takes away in front of a block: blanks since the line's start.
void strip_line_start(std::string_view& before, bool at_line_start) {
    std::size_t end = before.size();
    while (end > 0 && (before[end - 1] == ' ' || before[end - 1] == '\t')) {
        --end;
    }
    if (end == 0 ? at_line_start : before[end - 1] == '\n') {
        before = before.substr(0, end);
    }
}

}  // namespace

std::optional<std::vector<OutlinePart>> template_outline(std::string_view jinja) {
    std::string unix_lines;
    for (std::size_t i = 0; i < jinja.size(); ++i) {
        if (jinja[i] != '\r' || i + 1 == jinja.size() || jinja[i + 1] != '\n') {
            unix_lines += jinja[i];
        }
    }
    if (unix_lines.ends_with('\n')) {
        unix_lines.pop_back();
    }
    std::string_view rest = unix_lines;
    Builder builder;
    bool at_line_start = true;
    while (true) {
        std::size_t open = rest.find('{');
        while (open != std::string_view::npos &&
               (open + 1 == rest.size() ||
                std::string_view("{%#").find(rest[open + 1]) == std::string_view::npos)) {
            open = rest.find('{', open + 1);
        }
        if (open == std::string_view::npos) {
            builder.text(rest);
            return builder.take();
        }
        const char kind = rest[open + 1];
        const std::string_view close = kind == '{' ? "}}" : kind == '%' ? "%}" : "#}";
        const std::size_t end = find_close(rest, open + 2, close);
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        std::string_view before = rest.substr(0, open);
        std::string_view inside = rest.substr(open + 2, end - open - 2);
        rest.remove_prefix(end + 2);

        const bool trims_before = inside.starts_with('-');
        const bool keeps_before = inside.starts_with('+');
        inside.remove_prefix(trims_before || keeps_before ? 1 : 0);
        const bool trims_after = inside.ends_with('-');
        const bool keeps_after = kind != '{' && inside.ends_with('+');
        inside.remove_suffix(trims_after || keeps_after ? 1 : 0);
        if (trims_before) {
            while (!before.empty() && is_blank(before.back())) {
                before.remove_suffix(1);
            }
        } else if (kind != '{' && !keeps_before) {
            strip_line_start(before, at_line_start);
        }
        builder.text(before);
        if ((kind == '{' && !builder.output(inside)) ||
            (kind == '%' && !builder.statement(inside))) {
            return std::nullopt;
        }
        at_line_start = false;
        if (trims_after) {
            while (!rest.empty() && is_blank(rest.front())) {
                at_line_start = rest.front() == '\n';
                rest.remove_prefix(1);
            }
        } else if (kind != '{' && !keeps_after && rest.starts_with('\n')) {
            rest.remove_prefix(1);
            at_line_start = true;
        }
    }
}

}  // namespace hearth
