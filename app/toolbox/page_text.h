// The text of an HTML page, for a model that reads it. Linear in the page's length.
#pragma once

#include <string>
#include <string_view>

namespace hearth::toolbox {

// Leaves out tags, scripts, styles and comments; blocks become lines. The page's first title is the
// first line. Text that is no HTML comes out as it is, apart from entities and blanks.
std::string page_text(std::string_view html);

}  // namespace hearth::toolbox
