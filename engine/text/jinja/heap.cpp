#include "text/jinja/heap.h"

#include <algorithm>
#include <utility>

#include "text/jinja/objects.h"
#include "text/jinja/operators.h"
#include "text/jinja/unicode.h"

namespace hearth::jinja {
namespace {

constexpr std::size_t kIndexedFrom = 9;  // smaller dicts are searched

int depth_of(const Value& value) {
    if (value.is(ValueKind::Sequence)) {
        return value.sequence->depth;
    }
    return value.is(ValueKind::Dict) ? value.dict->depth : 0;
}

}  // namespace

Heap::Heap(const Limits& limits) : limits_(limits) {}
Heap::~Heap() = default;

void Heap::fail(Failure::ValueKind kind, std::string message) {
    if (!failure_) {
        failure_ = Failure{kind, std::move(message), line_};
    }
}

bool Heap::take_steps(std::uint64_t steps) {
    steps_ += steps;
    if (steps_ > limits_.steps) {
        fail(Failure::ValueKind::Limit,
             "it takes more than " + std::to_string(limits_.steps) + " steps");
    }
    return !failure_;
}

void Heap::enter() {
    if (++depth_ > limits_.depth) {
        fail(Failure::ValueKind::Limit, "calls and expressions stand more than " +
                                            std::to_string(limits_.depth) +
                                            " levels inside each other");
    }
}

bool Heap::take_bytes(std::uint64_t bytes) {
    if (bytes > limits_.bytes - std::min(limits_.bytes, bytes_)) {
        fail(Failure::ValueKind::Limit, "it creates more than " +
                                            std::to_string(limits_.bytes >> 20) +
                                            " MiB of strings and lists");
        return false;
    }
    bytes_ += bytes;
    return look_at(bytes);
}

Value Heap::text(MarkedText&& text, bool is_safe) {
    take_bytes(sizeof(String));
    String& string = strings_.emplace_back();
    string.n_chars = count_characters(text.bytes());
    string.text = std::move(text);
    string.is_safe = is_safe;
    Value value;
    value.kind = ValueKind::String;
    value.string = &string;
    return value;
}

Value Heap::list(std::vector<Value>&& items, Sequence::Flavour flavour) {
    take_bytes(sizeof(Sequence) + items.size() * sizeof(Value));
    Sequence& sequence = sequences_.emplace_back();
    sequence.flavour = flavour;
    for (const Value& item : items) {
        sequence.depth = std::max(sequence.depth, depth_of(item) + 1);
    }
    if (sequence.depth > limits_.value_depth) {
        fail(Failure::ValueKind::Limit, "lists and dicts stand more than " +
                                            std::to_string(limits_.value_depth) +
                                            " levels inside each other");
    }
    sequence.items = std::move(items);
    Value value;
    value.kind = ValueKind::Sequence;
    value.sequence = &sequence;
    return value;
}

Value Heap::dict(ValueKind kind) {
    take_bytes(sizeof(Dict));
    Value value;
    value.kind = kind;
    value.dict = &dicts_.emplace_back();
    return value;
}

void Heap::set(Dict& dict, const Value& key, const Value& value) {
    take_bytes(2 * sizeof(Value));
    const auto hash = hash_of(key);
    if (!hash) {
        fail("a list or dict cannot be a key");
        return;
    }
    dict.depth = std::max(dict.depth, std::max(depth_of(value), depth_of(key)) + 1);
    if (dict.depth > limits_.value_depth) {
        fail(Failure::ValueKind::Limit, "lists and dicts stand more than " +
                                            std::to_string(limits_.value_depth) +
                                            " levels inside each other");
        return;
    }
    if (Value* known = find(*this, dict, key, *hash); known != nullptr) {
        *known = value;
        return;
    }
    dict.entries.emplace_back(key, value);
    if (dict.entries.size() == kIndexedFrom) {
        for (std::size_t i = 0; i < dict.entries.size(); ++i) {
            dict.index.emplace(*hash_of(dict.entries[i].first), i);
        }
    } else if (dict.entries.size() > kIndexedFrom) {
        dict.index.emplace(*hash, dict.entries.size() - 1);
    }
}

std::vector<Value> Heap::items_of_last() {
    std::vector<Value> items = std::move(sequences_.back().items);
    sequences_.pop_back();
    give_back(sizeof(Sequence));
    return items;
}

Value Heap::slice(const Value& start, const Value& stop, const Value& step) {
    Value value;
    take_bytes(sizeof(Slice));
    value.kind = ValueKind::Slice;
    value.slice = &slices_.emplace_back(Slice{start, stop, step});
    return value;
}

Callable* Heap::callable() {
    take_bytes(sizeof(Callable));
    return callables_.emplace_back(std::make_unique<Callable>()).get();
}

Loop* Heap::loop() {
    take_bytes(sizeof(Loop));
    return loops_.emplace_back(std::make_unique<Loop>()).get();
}

const std::string* Heap::keep(std::string name) {
    take_bytes(sizeof(std::string) + name.size());
    return &names_.emplace_back(std::move(name));
}

}  // namespace hearth::jinja
