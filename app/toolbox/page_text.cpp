#include "toolbox/page_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace hearth::toolbox {
namespace {

constexpr std::array<std::string_view, 26> kBlocks = {
    "p",  "div",     "br",      "li",     "ul",     "ol",   "tr",  "table", "h1",
    "h2", "h3",      "h4",      "h5",     "h6",     "pre",  "dl",  "dt",    "dd",
    "hr", "section", "article", "header", "footer", "main", "nav", "title"};
constexpr std::array<std::string_view, 6> kHidden = {"script",   "style",  "noscript",
                                                     "template", "iframe", "svg"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kEntities = {
    {{"amp", "&"},
     {"lt", "<"},
     {"gt", ">"},
     {"quot", "\""},
     {"apos", "'"},
     {"nbsp", " "},
     {"ndash", "–"},
     {"mdash", "—"},
     {"hellip", "…"},
     {"copy", "©"}}};

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

void append_code_point(std::uint32_t code, std::string& out) {
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
        code = 0xFFFD;
    }
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0U | (code >> 6U));
        out += static_cast<char>(0x80U | (code & 0x3FU));
    } else if (code < 0x10000) {
        out += static_cast<char>(0xE0U | (code >> 12U));
        out += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
        out += static_cast<char>(0x80U | (code & 0x3FU));
    } else {
        out += static_cast<char>(0xF0U | (code >> 18U));
        out += static_cast<char>(0x80U | ((code >> 12U) & 0x3FU));
        out += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
        out += static_cast<char>(0x80U | (code & 0x3FU));
    }
}

// The name between & and ; as text; false: it is no entity.
bool append_entity(std::string_view name, std::string& out) {
    for (const auto& [known, text] : kEntities) {
        if (name == known) {
            out += text;
            return true;
        }
    }
    if (name.size() < 2 || name.front() != '#') {
        return false;
    }
    const bool is_hex = name[1] == 'x' || name[1] == 'X';
    const std::string_view digits = name.substr(is_hex ? 2 : 1);
    std::uint32_t code = 0;
    for (const char c : digits) {
        const int digit = c >= '0' && c <= '9'                           ? c - '0'
                          : is_hex && lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10
                                                                         : -1;
        if (digit < 0) {
            return false;
        }
        code = std::min<std::uint32_t>(
            code * (is_hex ? 16 : 10) + static_cast<std::uint32_t>(digit), 0x110000);
    }
    append_code_point(code, out);
    return !digits.empty();
}

class PageReader {
public:
    explicit PageReader(std::string_view html) : html_(html) {}

    std::string read() {
        while (at_ < html_.size()) {
            const char c = html_[at_];
            if (c == '<') {
                tag();
            } else if (c == '&') {
                entity();
            } else if (is_blank(c)) {
                wants_blank_ = true;
                ++at_;
            } else {
                put(std::string_view(&html_[at_], 1));
                ++at_;
            }
        }
        return std::move(out_);
    }

private:
    void put(std::string_view text) {
        if (wants_line_ && !out_.empty()) {
            out_ += '\n';
        } else if (wants_blank_ && !out_.empty() && out_.back() != '\n') {
            out_ += ' ';
        }
        wants_line_ = wants_blank_ = false;
        out_ += text;
    }

    void entity() {
        constexpr std::size_t kMostName = 10;
        const std::size_t end = html_.substr(at_, kMostName + 2).find(';');
        std::string text;
        if (end != std::string_view::npos && append_entity(html_.substr(at_ + 1, end - 1), text)) {
            at_ += end + 1;
            if (text == " ") {
                wants_blank_ = true;
            } else {
                put(text);
            }
        } else {
            put("&");
            ++at_;
        }
    }

    void tag() {
        if (html_.substr(at_).starts_with("<!--")) {
            const std::size_t end = html_.find("-->", at_ + 4);
            at_ = end == std::string_view::npos ? html_.size() : end + 3;
            return;
        }
        const std::size_t begin = at_ + 1;
        const char first = begin < html_.size() ? lower(html_[begin]) : ' ';
        if (first != '/' && first != '!' && first != '?' && !(first >= 'a' && first <= 'z')) {
            put("<");
            ++at_;
            return;
        }
        const std::size_t end = html_.find('>', begin);
        std::string name;
        std::size_t i = begin + (first == '/' ? 1 : 0);
        while (i < html_.size() && name.size() < 12 && html_[i] != '>' && !is_blank(html_[i]) &&
               html_[i] != '/') {
            name += lower(html_[i++]);
        }
        at_ = end == std::string_view::npos ? html_.size() : end + 1;
        if (std::find(kBlocks.begin(), kBlocks.end(), name) != kBlocks.end()) {
            wants_line_ = true;
        } else if (first != '/' &&
                   std::find(kHidden.begin(), kHidden.end(), name) != kHidden.end()) {
            skip_to_end_of(name);
        }
    }

    // Everything up to the closing tag is no text.
    void skip_to_end_of(const std::string& name) {
        while (at_ < html_.size()) {
            at_ = html_.find("</", at_);
            if (at_ == std::string_view::npos) {
                at_ = html_.size();
                return;
            }
            at_ += 2;
            const std::string_view here = html_.substr(at_, name.size());
            if (here.size() == name.size() &&
                std::equal(here.begin(), here.end(), name.begin(),
                           [](char a, char b) { return lower(a) == b; })) {
                const std::size_t end = html_.find('>', at_);
                at_ = end == std::string_view::npos ? html_.size() : end + 1;
                return;
            }
        }
    }

    std::string_view html_;
    std::size_t at_ = 0;
    bool wants_blank_ = false;
    bool wants_line_ = false;
    std::string out_;
};

}  // namespace

std::string page_text(std::string_view html) {
    return PageReader(html).read();
}

}  // namespace hearth::toolbox
