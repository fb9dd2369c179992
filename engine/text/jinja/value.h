// The values that a template computes with: Python's, as far as templates use them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/jinja/marked_text.h"

namespace hearth::jinja {

struct String;
struct Sequence;
struct Dict;
struct Callable;
struct Loop;
struct Slice;

enum class ValueKind : std::uint8_t {
    Undefined,
    None,
    Bool,
    Int,
    Float,
    String,
    Sequence,
    Dict,
    Namespace,
    Callable,
    Loop,
    Slice,
};

// Cheap to copy. Its pointers are to objects of the Heap or of the TemplateProgram and live as
// long.
struct Value {
    ValueKind kind = ValueKind::Undefined;
    bool is_data = false;  // of a number or truth value: it came from a message
    union {
        bool truth;
        std::int64_t integer = 0;
        double real;
        const String* string;
        Sequence* sequence;
        Dict* dict;  // of Namespace too
        Callable* callable;
        Loop* loop;
        Slice* slice;
        const std::string* name;  // of Undefined: what was not found; may be null
    };

    bool is(ValueKind k) const { return kind == k; }
    bool is_number() const {
        return is(ValueKind::Int) || is(ValueKind::Float) || is(ValueKind::Bool);
    }
    // Bools count as integers, as in Python.
    bool is_integral() const { return is(ValueKind::Int) || is(ValueKind::Bool); }
    // Precondition: is_integral().
    std::int64_t as_int() const { return is(ValueKind::Bool) ? (truth ? 1 : 0) : integer; }
    // Precondition: is_number().
    double as_real() const { return is(ValueKind::Float) ? real : static_cast<double>(as_int()); }

    static Value none() { return of_kind(ValueKind::None); }
    static Value of(bool b) {
        Value v = of_kind(ValueKind::Bool);
        v.truth = b;
        return v;
    }
    static Value of(std::int64_t i) {
        Value v = of_kind(ValueKind::Int);
        v.integer = i;
        return v;
    }
    static Value of(double d) {
        Value v = of_kind(ValueKind::Float);
        v.real = d;
        return v;
    }
    static Value undefined(const std::string* name) {
        Value v;
        v.name = name;
        return v;
    }

private:
    static Value of_kind(ValueKind kind) {
        Value v;
        v.kind = kind;
        return v;
    }
};

struct String {
    MarkedText text;
    bool is_safe = false;     // Markup of jinja2: what is added to it gets HTML-escaped
    std::size_t n_chars = 0;  // characters
    bool is_ascii() const { return n_chars == text.size(); }
};

// Everything that is iterated over. Its items do not change once it is made.
struct Sequence {
    enum class Flavour : std::uint8_t {
        List,
        Tuple,
        Range,
        Keys,  // the views of a dict
        Values,
        Items,
        Iterator,  // can be walked once; has no length
    };
    Flavour flavour = Flavour::List;
    std::vector<Value> items;
    std::size_t next = 0;                        // of Iterator: how many were taken
    std::int64_t start = 0, step = 1, stop = 0;  // of Range
    int depth = 1;                               // containers inside each other, this one included
    bool is_group = false;  // a tuple of the filter groupby: its items have names

    bool is_indexable() const { return flavour <= Flavour::Range; }
};

// In order of insertion.
struct Dict {
    std::vector<std::pair<Value, Value>> entries;
    std::unordered_multimap<std::size_t, std::size_t> index;  // hash to entry; empty while small
    int depth = 1;
};

struct Slice {
    Value start, stop, step;
};

}  // namespace hearth::jinja
