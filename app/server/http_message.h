// Requests and answers of HTTP, without the network.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::server {

struct HttpHeader {
    std::string name;  // of a request in lower case
    std::string value;
};

struct HttpRequest {
    std::string method;  // "GET"
    std::string path;    // as it was sent, without what follows '?'
    std::vector<HttpHeader> headers;
    std::string body;
    std::uint16_t port = 0;  // that it came to

    // name: in lower case. Null: there is none. The first of several.
    const std::string* header(std::string_view name) const;
    // How many headers have the name.
    int count(std::string_view name) const;
};

struct HttpResponse {
    int status = 200;
    std::vector<HttpHeader> headers;  // without those about length and connection
    std::string body;
};

// "Not Found"; a word for others.
std::string_view reason_of(int status);

}  // namespace hearth::server
