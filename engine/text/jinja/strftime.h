// Dates as Python writes them in the C locale, whatever the program's locale is.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

namespace hearth::jinja {

// time: fields in their usual ranges. A directive that is not known stays as it is.
std::string strftime(std::string_view format, const std::tm& time);

}  // namespace hearth::jinja
