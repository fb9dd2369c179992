#include <algorithm>
#include <utility>

#include "text/jinja/operators.h"
#include "text/jinja/unicode.h"

namespace hearth::jinja {
namespace {

// Python's slice.indices(): which items of n a slice takes.
struct Indices {
    std::int64_t start = 0, step = 1, count = 0;
};

std::optional<Indices> indices(Heap& heap, const Slice& slice, std::int64_t n) {
    const auto bound = [&](const Value& value, std::int64_t fallback) {
        if (value.is(ValueKind::None)) {
            return fallback;
        }
        if (!value.is_integral()) {
            heap.fail("a slice must be made of whole numbers");
            return fallback;
        }
        return value.as_int();
    };
    const std::int64_t step = bound(slice.step, 1);
    if (step == 0) {
        heap.fail("the step of a slice is 0");
    }
    const std::int64_t lower = step < 0 ? -1 : 0;
    const std::int64_t upper = step < 0 ? n - 1 : n;
    const auto clamped = [&](const Value& value, std::int64_t fallback) {
        if (value.is(ValueKind::None)) {
            return fallback;
        }
        std::int64_t at = bound(value, fallback);
        if (at < 0) {
            at = at < -n ? lower : std::max(at + n, lower);
        }
        return std::min(at, upper);
    };
    const std::int64_t start = clamped(slice.start, step < 0 ? upper : lower);
    const std::int64_t stop = clamped(slice.stop, step < 0 ? lower : upper);
    if (heap.failed()) {
        return std::nullopt;
    }
    Indices out{start, step, 0};
    if (step > 0 && start < stop) {
        out.count = (stop - start - 1) / step + 1;
    } else if (step < 0 && start > stop) {
        // -step does not fit where step is the smallest number; one item is taken then.
        out.count = step < -n ? 1 : (start - stop - 1) / -step + 1;
    }
    return out;
}

// The byte at which each character begins, and the end.
std::vector<std::size_t> offsets(std::string_view text) {
    std::vector<std::size_t> out;
    out.reserve(text.size() + 1);
    for (std::size_t at = 0; at < text.size(); at += character_at(text, at).bytes) {
        out.push_back(at);
    }
    out.push_back(text.size());
    return out;
}

std::size_t byte_of(const String& string, std::size_t character) {
    if (string.is_ascii()) {
        return character;
    }
    if (character == string.n_chars) {
        return string.text.size();
    }
    std::size_t at = 0;
    for (std::size_t i = 0; i < character; ++i) {
        at += character_at(string.text.bytes(), at).bytes;
    }
    return at;
}

}  // namespace

std::optional<std::int64_t> length(const Value& value) {
    switch (value.kind) {
        case ValueKind::Undefined:
            return 0;
        case ValueKind::String:
            return static_cast<std::int64_t>(value.string->n_chars);
        case ValueKind::Sequence:
            if (value.sequence->flavour == Sequence::Flavour::Iterator) {
                return std::nullopt;
            }
            return static_cast<std::int64_t>(value.sequence->items.size());
        case ValueKind::Dict:
            return static_cast<std::int64_t>(value.dict->entries.size());
        default:
            return std::nullopt;
    }
}

bool is_iterable(const Value& value) {
    return value.is(ValueKind::Undefined) || value.is(ValueKind::String) ||
           value.is(ValueKind::Sequence) || value.is(ValueKind::Dict);
}

bool collect(Heap& heap, const Value& value, std::vector<Value>& out) {
    switch (value.kind) {
        case ValueKind::Undefined:
            return true;
        case ValueKind::String: {
            const std::string_view text = value.string->text.bytes();
            for (std::size_t at = 0; at < text.size() && !heap.failed();) {
                const std::size_t bytes = character_at(text, at).bytes;
                StringBuilder one(heap);
                one.append(value.string->text, at, at + bytes);
                out.push_back(one.value());
                at += bytes;
            }
            return !heap.failed();
        }
        case ValueKind::Sequence: {
            Sequence& sequence = *value.sequence;
            const bool is_iterator = sequence.flavour == Sequence::Flavour::Iterator;
            const std::size_t begin = is_iterator ? sequence.next : 0;
            heap.take_bytes((sequence.items.size() - begin) * sizeof(Value));
            out.insert(out.end(), sequence.items.begin() + static_cast<std::ptrdiff_t>(begin),
                       sequence.items.end());
            sequence.next = sequence.items.size();
            return !heap.failed();
        }
        case ValueKind::Dict:
            heap.take_bytes(value.dict->entries.size() * sizeof(Value));
            for (const auto& [key, item] : value.dict->entries) {
                out.push_back(key);
            }
            return !heap.failed();
        default:
            heap.fail(std::string(type_name(value)) + " cannot be iterated over");
            return false;
    }
}

Value characters(Heap& heap, const String& string, std::size_t begin, std::size_t end) {
    heap.look_at(string.is_ascii() ? 0 : string.text.size());
    StringBuilder out(heap);
    out.append(string.text, byte_of(string, begin), byte_of(string, end));
    return out.value(string.is_safe);
}

Value item_at(Heap& heap, const Value& value, std::int64_t index) {
    const std::int64_t n = *length(value);
    const std::int64_t at = index < 0 ? index + n : index;
    if (at < 0 || at >= n) {
        return Value::undefined(heap.keep("item " + std::to_string(index)));
    }
    const auto i = static_cast<std::size_t>(at);
    return value.is(ValueKind::String) ? characters(heap, *value.string, i, i + 1)
                                       : value.sequence->items[i];
}

Value slice_of(Heap& heap, const Value& value, const Slice& slice) {
    const auto taken = indices(heap, slice, *length(value));
    if (!taken) {
        return {};
    }
    if (value.is(ValueKind::String)) {
        const String& string = *value.string;
        const auto begin = static_cast<std::size_t>(std::max<std::int64_t>(taken->start, 0));
        if (taken->step == 1) {
            return characters(heap, string, begin, begin + static_cast<std::size_t>(taken->count));
        }
        heap.take_bytes(string.text.size() * sizeof(std::size_t));
        if (heap.failed()) {
            return {};
        }
        const std::vector<std::size_t> begins = offsets(string.text.bytes());
        StringBuilder out(heap);
        for (std::int64_t i = 0; i < taken->count && !heap.failed(); ++i) {
            const auto at = static_cast<std::size_t>(taken->start + i * taken->step);
            out.append(string.text, begins[at], begins[at + 1]);
        }
        return out.value(string.is_safe);
    }
    std::vector<Value> items;
    heap.take_bytes(static_cast<std::uint64_t>(taken->count) * sizeof(Value));
    for (std::int64_t i = 0; i < taken->count && !heap.failed(); ++i) {
        items.push_back(
            value.sequence->items[static_cast<std::size_t>(taken->start + i * taken->step)]);
    }
    const Value part = heap.list(std::move(items), value.sequence->flavour);
    if (value.sequence->flavour == Sequence::Flavour::Range) {
        Sequence& range = *part.sequence;
        range.step = value.sequence->step * taken->step;
        range.start = value.sequence->start + taken->start * value.sequence->step;
        range.stop = range.start + range.step * taken->count;
    }
    return part;
}

}  // namespace hearth::jinja
