// A run of prompt text and whether special tokens spelled out in it are meant.
#pragma once

#include <string>

namespace hearth {

struct TextSegment {
    std::string text;
    bool markup = false;  // true: written by the template, special tokens in it are meant
};

}  // namespace hearth
