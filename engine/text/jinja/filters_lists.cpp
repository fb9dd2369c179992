// Filters that work on lists, dicts and whatever else can be iterated over.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "text/jinja/arguments.h"
#include "text/jinja/evaluator.h"
#include "text/jinja/filter_rows.h"
#include "text/jinja/printing.h"
#include "text/jinja/string_operations.h"

namespace hearth::jinja {
namespace {

using Names1 = std::array<std::string_view, 1>;
using Names2 = std::array<std::string_view, 2>;
using Names3 = std::array<std::string_view, 3>;

Value lower_case(Heap& heap, const Value& value) {
    return value.is(ValueKind::String) ? in_case(heap, *value.string, Case::Lower) : value;
}

// "a.b.0" as keys: names, and numbers where a part is all digits. None: no key at all.
std::vector<Value> path_of(Heap& heap, const Value& attribute) {
    if (attribute.is(ValueKind::None) || attribute.is(ValueKind::Undefined)) {
        return {};
    }
    if (!attribute.is(ValueKind::String)) {
        return {attribute};
    }
    const MarkedText dot(".", true);
    std::vector<Value> path = split(heap, *attribute.string, &dot, -1, false);
    for (Value& part : path) {
        const std::string_view text = part.string->text.bytes();
        constexpr std::size_t kMostDigits = 18;
        const bool is_number =
            !text.empty() && text.size() <= kMostDigits &&
            std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (is_number) {
            part = Value::of(static_cast<std::int64_t>(std::stoll(std::string(text))));
        }
    }
    return path;
}

Value follow(Evaluator& e, Value item, const std::vector<Value>& path, const Value& fallback) {
    for (const Value& key : path) {
        item = e.item(item, key);
        if (!fallback.is(ValueKind::None) && !fallback.is(ValueKind::Undefined) &&
            item.is(ValueKind::Undefined)) {
            item = fallback;
        }
    }
    return item;
}

std::vector<Value> items_of(Evaluator& e, const Value& value) {
    std::vector<Value> items;
    collect(e.heap(), value, items);
    return items;
}

// Sorts by key, equal ones as they stood.
std::vector<Value> sorted(Evaluator& e, const std::vector<Value>& items,
                          const std::vector<Value>& keys, bool reverse) {
    std::vector<std::size_t> order(items.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return reverse ? less(e.heap(), keys[b], keys[a]) : less(e.heap(), keys[a], keys[b]);
    });
    std::vector<Value> out;
    out.reserve(items.size());
    for (const std::size_t i : order) {
        out.push_back(items[i]);
    }
    return out;
}

Value count(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    const auto n = length(self);
    if (!n) {
        e.heap().fail(std::string(type_name(self)) + " has no length");
        return {};
    }
    return Value::of(*n);
}

Value list(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    return e.heap().list(items_of(e, self));
}

Value first(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    if (self.is(ValueKind::Sequence)) {  // an iterator keeps the others
        Sequence& sequence = *self.sequence;
        const bool is_iterator = sequence.flavour == Sequence::Flavour::Iterator;
        const std::size_t at = is_iterator ? sequence.next : 0;
        if (at < sequence.items.size()) {
            sequence.next = at + 1;
            return sequence.items[at];
        }
        return Value::undefined(e.heap().keep("the first item"));
    }
    if (self.is(ValueKind::String) && self.string->n_chars > 0) {
        return item_at(e.heap(), self, 0);
    }
    const std::vector<Value> items = items_of(e, self);
    return items.empty() ? Value::undefined(e.heap().keep("the first item")) : items.front();
}

Value last(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    if (self.is(ValueKind::Sequence) && self.sequence->flavour == Sequence::Flavour::Iterator) {
        e.heap().fail("an iterator has no last item; a list of it has");
        return {};
    }
    if (self.is(ValueKind::String) && self.string->n_chars > 0) {
        return item_at(e.heap(), self, -1);
    }
    const std::vector<Value> items = items_of(e, self);
    return items.empty() ? Value::undefined(e.heap().keep("the last item")) : items.back();
}

Value reverse(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    if (self.is(ValueKind::String)) {
        const Value slice =
            e.heap().slice(Value::none(), Value::none(), Value::of(std::int64_t{-1}));
        return slice_of(e.heap(), self, *slice.slice);
    }
    std::vector<Value> items = items_of(e, self);
    std::reverse(items.begin(), items.end());
    const bool was_iterator =
        self.is(ValueKind::Sequence) && self.sequence->flavour == Sequence::Flavour::Iterator;
    return was_iterator ? e.heap().list(std::move(items)) : e.heap().iterator(std::move(items));
}

Value join(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<2> args(e.heap(), given, Names2{"d", "attribute"});
    std::vector<Value> items = items_of(e, self);
    if (args.has(1) && !args.value(1).is(ValueKind::None)) {
        const std::vector<Value> path = path_of(e.heap(), args.value(1));
        for (Value& item : items) {
            item = follow(e, item, path, Value::none());
        }
    }
    return joined(e.heap(), text_of(e.heap(), args.value(0)), items, false);
}

Value map(Evaluator& e, const Value& self, const Arguments& given) {
    Heap& heap = e.heap();
    if (!is_true(self)) {  // also what cannot be iterated over, such as none
        return heap.iterator({});
    }
    std::vector<Value> items = items_of(e, self);
    if (given.positional.empty()) {
        const BoundArguments<2> args(heap, given, Names2{"attribute", "default"}, 1);
        const std::vector<Value> path = path_of(heap, args.value(0));
        for (Value& item : items) {
            item = follow(e, item, path, args.value(1));
        }
        return heap.iterator(std::move(items));
    }
    const std::string name(text_of(heap, given.positional[0]).bytes());
    const FilterRow* filter = find_filter(name);
    if (filter == nullptr) {
        if (!items.empty()) {
            heap.fail("there is no filter " + in_quotes(name));
        }
        return heap.iterator({});
    }
    Arguments rest;
    rest.positional.assign(given.positional.begin() + 1, given.positional.end());
    rest.named = given.named;
    const Heap::Level level(heap);  // map may be the filter that it applies
    for (Value& item : items) {
        if (!heap.take_steps(1)) {
            break;
        }
        item = filter->run(e, item, rest);
    }
    return heap.iterator(std::move(items));
}

template <bool kKeeps, bool kByAttribute>
Value select(Evaluator& e, const Value& self, const Arguments& given) {
    Heap& heap = e.heap();
    if (!is_true(self)) {  // also what cannot be iterated over, such as none
        return heap.iterator({});
    }
    const std::vector<Value> items = items_of(e, self);
    constexpr std::size_t kOffset = kByAttribute ? 1 : 0;
    std::vector<Value> path;
    if (kByAttribute) {
        if (given.positional.empty()) {
            heap.fail("the name of the attribute is missing");
            return {};
        }
        path = path_of(heap, given.positional[0]);
    }
    const TestRow* test = nullptr;
    Arguments rest;
    if (given.positional.size() > kOffset) {
        const std::string name(text_of(heap, given.positional[kOffset]).bytes());
        test = find_test(name);
        if (test == nullptr) {
            heap.fail("there is no test " + in_quotes(name));
            return {};
        }
        rest.positional.assign(given.positional.begin() + static_cast<std::ptrdiff_t>(kOffset) + 1,
                               given.positional.end());
        rest.named = given.named;
    }
    std::vector<Value> kept;
    for (const Value& item : items) {
        if (!heap.take_steps(1)) {
            break;
        }
        const Value looked_at = follow(e, item, path, Value::none());
        const bool holds = test == nullptr ? is_true(looked_at) : test->run(e, looked_at, rest);
        if (holds == kKeeps) {
            kept.push_back(item);
        }
    }
    return heap.iterator(std::move(kept));
}

Value items_filter(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    std::vector<Value> pairs;
    if (self.is(ValueKind::Dict)) {
        for (const auto& [key, value] : self.dict->entries) {
            pairs.push_back(e.heap().list({key, value}, Sequence::Flavour::Tuple));
        }
    } else if (!self.is(ValueKind::Undefined)) {
        e.heap().fail("only a dict has pairs, not " + std::string(type_name(self)));
    }
    return e.heap().iterator(std::move(pairs));
}

Value dictsort(Evaluator& e, const Value& self, const Arguments& given) {
    Heap& heap = e.heap();
    const BoundArguments<3> args(heap, given, Names3{"case_sensitive", "by", "reverse"});
    const String* by = args.string(1);
    const bool by_value = by != nullptr && by->text.bytes() == "value";
    if (!self.is(ValueKind::Dict) || (by != nullptr && !by_value && by->text.bytes() != "key")) {
        heap.fail(self.is(ValueKind::Undefined) ? undefined_message(self)
                                                : "only a dict is sorted so, by key or value");
        return {};
    }
    std::vector<Value> pairs;
    std::vector<Value> keys;
    for (const auto& [key, value] : self.dict->entries) {
        pairs.push_back(heap.list({key, value}, Sequence::Flavour::Tuple));
        const Value& looked_at = by_value ? value : key;
        keys.push_back(args.truth(0) ? looked_at : lower_case(heap, looked_at));
    }
    return heap.list(sorted(e, pairs, keys, args.truth(2)));
}

Value sort(Evaluator& e, const Value& self, const Arguments& given) {
    Heap& heap = e.heap();
    const BoundArguments<3> args(heap, given, Names3{"reverse", "case_sensitive", "attribute"});
    const std::vector<Value> items = items_of(e, self);
    std::vector<std::vector<Value>> paths;
    const Value attribute = args.value(2, Value::none());
    if (attribute.is(ValueKind::String)) {
        const MarkedText comma(",", true);
        for (const Value& part : split(heap, *attribute.string, &comma, -1, false)) {
            paths.push_back(path_of(heap, part));
        }
    } else {
        paths.push_back(path_of(heap, attribute));
    }
    std::vector<Value> keys;
    for (const Value& item : items) {
        std::vector<Value> key;
        for (const std::vector<Value>& path : paths) {
            const Value looked_at = follow(e, item, path, Value::none());
            key.push_back(args.truth(1) ? looked_at : lower_case(heap, looked_at));
        }
        keys.push_back(heap.list(std::move(key)));
    }
    return heap.list(sorted(e, items, keys, args.truth(0)));
}

Value unique(Evaluator& e, const Value& self, const Arguments& given) {
    Heap& heap = e.heap();
    const BoundArguments<2> args(heap, given, Names2{"case_sensitive", "attribute"});
    const std::vector<Value> path = path_of(heap, args.value(1));
    const Value seen = heap.dict();
    std::vector<Value> kept;
    for (const Value& item : items_of(e, self)) {
        Value key = follow(e, item, path, Value::none());
        key = args.truth(0) ? key : lower_case(heap, key);
        const std::size_t before = seen.dict->entries.size();
        heap.set(*seen.dict, key, Value::none());
        if (heap.failed()) {
            break;
        }
        if (seen.dict->entries.size() > before) {
            kept.push_back(item);
        }
    }
    return heap.iterator(std::move(kept));
}

template <bool kMost>
Value extreme(Evaluator& e, const Value& self, const Arguments& given) {
    Heap& heap = e.heap();
    const BoundArguments<2> args(heap, given, Names2{"case_sensitive", "attribute"});
    const std::vector<Value> path = path_of(heap, args.value(1));
    Value best = Value::undefined(heap.keep("the least or greatest item"));
    Value best_key;
    bool has_best = false;
    for (const Value& item : items_of(e, self)) {
        Value key = follow(e, item, path, Value::none());
        key = args.truth(0) ? key : lower_case(heap, key);
        if (!has_best || (kMost ? less(heap, best_key, key) : less(heap, key, best_key))) {
            best = item;
            best_key = key;
            has_best = true;
        }
    }
    return best;
}

Value sum(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<2> args(e.heap(), given, Names2{"attribute", "start"});
    const std::vector<Value> path = path_of(e.heap(), args.value(0));
    Value total = args.value(1, Value::of(std::int64_t{0}));
    if (total.is(ValueKind::String)) {
        e.heap().fail("strings are joined, not summed");
    }
    for (const Value& item : items_of(e, self)) {
        total = binary(e.heap(), Operator::Add, total, follow(e, item, path, Value::none()));
        if (e.heap().failed()) {
            break;
        }
    }
    return total;
}

Value batch(Evaluator& e, const Value& self, const Arguments& given) {
    Heap& heap = e.heap();
    const BoundArguments<2> args(heap, given, Names2{"linecount", "fill_with"}, 1);
    const std::int64_t size = args.integer(0, 1);
    std::vector<Value> rows;
    std::vector<Value> row;
    for (const Value& item : items_of(e, self)) {
        if (static_cast<std::int64_t>(row.size()) == size) {
            rows.push_back(heap.list(std::exchange(row, {})));
        }
        row.push_back(item);
    }
    if (!row.empty()) {
        const Value fill = args.value(1, Value::none());
        while (!fill.is(ValueKind::None) && static_cast<std::int64_t>(row.size()) < size &&
               heap.take_bytes(sizeof(Value))) {
            row.push_back(fill);
        }
        rows.push_back(heap.list(std::move(row)));
    }
    return heap.iterator(std::move(rows));
}

Value slice(Evaluator& e, const Value& self, const Arguments& given) {
    Heap& heap = e.heap();
    const BoundArguments<2> args(heap, given, Names2{"slices", "fill_with"}, 1);
    const std::int64_t n = args.integer(0, 1);
    const std::vector<Value> items = items_of(e, self);
    if (n == 0) {
        heap.fail("a list cannot be cut into 0 slices");
        return {};
    }
    std::vector<Value> rows;
    const auto size = static_cast<std::int64_t>(items.size());
    auto next = items.begin();
    for (std::int64_t i = 0; i < n && heap.take_bytes(sizeof(Sequence)); ++i) {
        const std::int64_t length = size / n + (i < size % n ? 1 : 0);
        std::vector<Value> row(next, next + length);
        next += length;
        if (const Value fill = args.value(1, Value::none());
            !fill.is(ValueKind::None) && i >= size % n) {
            row.push_back(fill);
        }
        rows.push_back(heap.list(std::move(row)));
    }
    return heap.iterator(std::move(rows));
}

Value groupby(Evaluator& e, const Value& self, const Arguments& given) {
    Heap& heap = e.heap();
    const BoundArguments<3> args(heap, given, Names3{"attribute", "default", "case_sensitive"}, 1);
    const std::vector<Value> items = items_of(e, self);
    const std::vector<Value> path = path_of(heap, args.value(0));
    const auto key_of = [&](const Value& item) {
        return follow(e, item, path, args.value(1, Value::none()));
    };
    const auto compared = [&](const Value& item) {
        const Value key = key_of(item);
        return args.truth(2) ? key : lower_case(heap, key);
    };
    std::vector<Value> keys;
    for (const Value& item : items) {
        keys.push_back(compared(item));
    }
    std::vector<Value> groups;
    std::vector<Value> group;
    Value group_key;
    const auto close = [&] {
        const Value members = heap.list(std::exchange(group, {}));
        const Value pair =
            heap.list({key_of(members.sequence->items.front()), members}, Sequence::Flavour::Tuple);
        pair.sequence->is_group = true;
        groups.push_back(pair);
    };
    for (const Value& item : sorted(e, items, keys, false)) {
        const Value key = compared(item);
        if (!group.empty() && !equal(heap, key, group_key)) {
            close();
        }
        if (heap.failed()) {
            return {};
        }
        group.push_back(item);
        group_key = key;
    }
    if (!group.empty()) {
        close();
    }
    return heap.list(std::move(groups));
}

constexpr std::array<FilterRow, 22> kRows = {{
    {"batch", batch},
    {"count", count},
    {"dictsort", dictsort},
    {"first", first},
    {"groupby", groupby},
    {"items", items_filter},
    {"join", join},
    {"last", last},
    {"length", count},
    {"list", list},
    {"map", map},
    {"max", extreme<true>},
    {"min", extreme<false>},
    {"reject", select<false, false>},
    {"rejectattr", select<false, true>},
    {"reverse", reverse},
    {"select", select<true, false>},
    {"selectattr", select<true, true>},
    {"slice", slice},
    {"sort", sort},
    {"sum", sum},
    {"unique", unique},
}};

}  // namespace

std::span<const FilterRow> list_filters() {
    return kRows;
}

}  // namespace hearth::jinja
