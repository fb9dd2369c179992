// The rows of the filters' table, by what they work on. Each file sorts its own.
#pragma once

#include <span>

#include "text/jinja/library.h"

namespace hearth::jinja {

std::span<const FilterRow> text_filters();
std::span<const FilterRow> list_filters();
std::span<const FilterRow> number_filters();

}  // namespace hearth::jinja
