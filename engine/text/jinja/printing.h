// Values as text: as str() and repr() of Python print them, and as JSON.
#pragma once

#include <string>

#include "text/jinja/heap.h"
#include "text/jinja/value.h"

namespace hearth::jinja {

void print(StringBuilder& out, const Value& value);      // str()
void represent(StringBuilder& out, const Value& value);  // repr()
std::string real_text(double real);
// The text itself of a string; else what str() makes of it.
MarkedText text_of(Heap& heap, const Value& value);

struct JsonStyle {
    std::optional<MarkedText> indent;  // of each level
    std::string item_separator = ", ";
    std::string key_separator = ": ";
    bool sort_keys = false;
    bool ascii = false;  // what is not ASCII as \uXXXX
};
// As json.dumps(); fails for what JSON does not have.
void print_json(StringBuilder& out, const Value& value, const JsonStyle& style);

// Appends with & < > ' " as entities.
void escape_html(StringBuilder& out, const MarkedText& text);

}  // namespace hearth::jinja
