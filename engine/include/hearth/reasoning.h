// The reasoning that some models write before their answer, apart from the answer:
// <think> ... </think>.
#pragma once

#include <string_view>

namespace hearth {

// Parts of the text that was given.
struct ReasonedAnswer {
    std::string_view reasoning;  // without the blanks around it; empty: there is none
    std::string_view answer;     // without the blanks before it, if there is reasoning
};

// Reasoning counts where it stands at the beginning. A block without an end is reasoning to the
// end of the text. If only the end stands there, all before it is reasoning, since some templates
// write the beginning themselves.
ReasonedAnswer split_reasoning(std::string_view text);

}  // namespace hearth
