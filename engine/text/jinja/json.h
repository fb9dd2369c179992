// JSON text as values.
#pragma once

#include <optional>
#include <string_view>

#include "text/jinja/heap.h"
#include "text/jinja/value.h"

namespace hearth::jinja {

// Numbers and strings are marked as data or markup. Empty: it is no JSON, or is nested more than
// 100 levels deep, or the heap is full.
std::optional<Value> parse_json(Heap& heap, std::string_view text, bool markup);

}  // namespace hearth::jinja
