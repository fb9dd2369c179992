// Bytes of tokens to valid UTF-8 pieces: what is shown never ends in the middle of a character.
#pragma once

#include <string>
#include <string_view>

namespace hearth {

// One stream of text; one thread at a time.
class Utf8Stream {
public:
    // Takes bytes, returns all that is complete. A sequence that can no longer become valid turns
    // into U+FFFD (one per maximal subpart, as Unicode section 3.9 recommends). Holds at most 3
    // bytes back.
    std::string push(std::string_view bytes);
    // End of text: what was held back becomes one U+FFFD, or nothing if nothing was held. The
    // stream can be used for the next text.
    std::string finish();

private:
    std::string pending_;
};

}  // namespace hearth
