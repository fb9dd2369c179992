#include "access_rules.h"

#include <algorithm>
#include <charconv>

#include "random_bytes.h"

namespace hearth::server {
namespace {

char lowered(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_same_word(std::string_view a, std::string_view lower) {
    return a.size() == lower.size() && std::equal(a.begin(), a.end(), lower.begin(),
                                                  [](char x, char y) { return lowered(x) == y; });
}

// "localhost:8080", "127.0.0.1:8080", "[::1]:8080".
bool names_this_server(std::string_view host, std::uint16_t port) {
    std::size_t colon = host.rfind(':');
    if (host.ends_with(']')) {
        colon = std::string_view::npos;
    }
    // A browser leaves out the port where it is HTTP's own.
    const std::string_view number =
        colon == std::string_view::npos ? std::string_view("80") : host.substr(colon + 1);
    std::uint16_t named = 0;
    const auto [end, wrong] = std::from_chars(number.data(), number.data() + number.size(), named);
    if (wrong != std::errc() || end != number.data() + number.size() || named != port) {
        return false;
    }
    const std::string_view name = host.substr(0, colon);
    return is_same_word(name, "localhost") || name == "127.0.0.1" || name == "[::1]";
}

bool is_own_origin(std::string_view origin, std::uint16_t port) {
    constexpr std::string_view kScheme = "http://";
    return origin.starts_with(kScheme) && names_this_server(origin.substr(kScheme.size()), port);
}

bool has_token(const HttpRequest& head, std::string_view token) {
    constexpr std::size_t kScheme = 7;
    if (const std::string* given = head.header("authorization")) {
        return given->size() > kScheme &&
               is_same_word(std::string_view(*given).substr(0, kScheme), "bearer ") &&
               is_same_secret(std::string_view(*given).substr(kScheme), token);
    }
    const std::string* given = head.header("x-api-key");
    return given != nullptr && is_same_secret(*given, token);
}

}  // namespace

AccessFault check_access(const HttpRequest& head, std::string_view token) {
    const std::string* host = head.header("host");
    if (host == nullptr || head.count("host") != 1 || !names_this_server(*host, head.port)) {
        return AccessFault::Host;
    }
    for (const HttpHeader& header : head.headers) {
        if (header.name == "origin" && !is_own_origin(header.value, head.port)) {
            return AccessFault::Origin;
        }
    }
    return head.method == "OPTIONS" || has_token(head, token) ? AccessFault::None
                                                              : AccessFault::Token;
}

bool is_same_secret(std::string_view given, std::string_view secret) {
    // Every character is looked at, wherever the first difference is. volatile: nothing is left out
    // once the result is known.
    volatile unsigned char differences = given.size() == secret.size() && !secret.empty() ? 0 : 1;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const char other = secret.empty() ? '\0' : secret[i % secret.size()];
        const auto difference = static_cast<unsigned char>(given[i] ^ other);
        differences = static_cast<unsigned char>(differences | difference);
    }
    return differences == 0;
}

std::string make_token() {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string token;
    for (const unsigned char byte : random_bytes(24)) {
        token += kDigits[byte >> 4U];
        token += kDigits[byte & 15U];
    }
    return token;
}

std::string make_id(std::size_t count) {
    constexpr std::string_view kLetters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    std::string id;
    for (const unsigned char byte : random_bytes(count)) {
        id += kLetters[byte % kLetters.size()];
    }
    return id;
}

bool is_usable_token(std::string_view token) {
    return token.size() >= 16 && token.size() <= 512 &&
           std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

}  // namespace hearth::server
