// Unicode's form C: letters and the marks on them as one character, where there is one.
#pragma once

#include <string>
#include <string_view>

namespace hearth {

// False if compose(text) is `text` for certain: it has no character from U+0300 on.
bool may_need_composing(std::string_view text);

// `text` in form C, as of the Unicode version of the library in use (for characters that an older
// one has, all versions agree). Bytes that are no UTF-8 stay, and nothing is composed across them.
// Time O(n log n), memory O(n), whatever the text. Throws std::bad_alloc.
std::string compose(std::string_view text);

}  // namespace hearth
