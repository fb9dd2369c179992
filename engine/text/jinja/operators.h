// Python's operators on values. Failures go to the heap; the result is then any value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "text/jinja/heap.h"
#include "text/jinja/program.h"
#include "text/jinja/value.h"

namespace hearth::jinja {

// "string", "list", ... for messages.
std::string_view type_name(const Value& value);
// "'name' is undefined"
std::string undefined_message(const Value& value);

bool is_true(const Value& value);
bool equal(Heap& heap, const Value& left, const Value& right);
// left < right
bool less(Heap& heap, const Value& left, const Value& right);
bool contains(Heap& heap, const Value& container, const Value& item);
Value binary(Heap& heap, Operator op, const Value& left, const Value& right);
Value negative(Heap& heap, const Value& value);

// Empty: a list or a dict has none.
std::optional<std::size_t> hash_of(const Value& value);
// Null: not there.
Value* find(Heap& heap, const Dict& dict, const Value& key, std::size_t hash);
const Value* find(Heap& heap, const Dict& dict, const Value& key);
const Value* find(const Dict& dict, std::string_view key);

// Characters of a string, keys of a dict, ...; of an iterator what is left, which it then has no
// more. False, and a failure: it cannot be iterated over.
bool collect(Heap& heap, const Value& value, std::vector<Value>& out);
// True for values that collect() accepts.
bool is_iterable(const Value& value);
// Empty: it has none.
std::optional<std::int64_t> length(const Value& value);

// value[key] of strings and lists; undefined where there is no such item.
Value item_at(Heap& heap, const Value& value, std::int64_t index);
Value slice_of(Heap& heap, const Value& value, const Slice& slice);
// The characters [begin, end) of a string.
Value characters(Heap& heap, const String& string, std::size_t begin, std::size_t end);

}  // namespace hearth::jinja
