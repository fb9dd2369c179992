// Who may ask: a program of this computer that knows the token. A web page of elsewhere may not,
// even where it makes the browser ask.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http_message.h"

namespace hearth::server {

enum class AccessFault {
    None,
    Host,    // the request names another host: a name that was made to lead to this computer
    Origin,  // a page of another site asks
    Token,   // none, or a wrong one
};

// Looks at headers alone. OPTIONS needs no token, since browsers send none with it. The token comes
// as "Authorization: Bearer TOKEN" or as "x-api-key: TOKEN".
AccessFault check_access(const HttpRequest& head, std::string_view token);

// Takes the same time for all texts of one length.
bool is_same_secret(std::string_view given, std::string_view secret);

// 48 hexadecimal digits that nobody can guess; empty: the system has no random numbers.
std::string make_token();
// count letters and digits, likewise.
std::string make_id(std::size_t count);

// At least 16 printable characters of ASCII, without blanks.
bool is_usable_token(std::string_view token);

}  // namespace hearth::server
