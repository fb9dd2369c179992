// Python's two ways to put values into a pattern.
#pragma once

#include "text/jinja/heap.h"
#include "text/jinja/library.h"
#include "text/jinja/value.h"

namespace hearth::jinja {

// pattern % arguments: a tuple, a dict for %(name)s, or one value.
Value format_percent(Heap& heap, const String& pattern, const Value& arguments);
// pattern.format(...): {}, {0}, {name}, each with !s or !r and a format specification.
Value format_braces(Heap& heap, const String& pattern, const Arguments& arguments);

}  // namespace hearth::jinja
