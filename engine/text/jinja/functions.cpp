// Functions that templates call by name: jinja2's own and those of transformers.
#include <algorithm>
#include <array>

#include "text/jinja/arguments.h"
#include "text/jinja/evaluator.h"
#include "text/jinja/objects.h"
#include "text/jinja/printing.h"
#include "text/jinja/strftime.h"

namespace hearth::jinja {
namespace {

using Names1 = std::array<std::string_view, 1>;
using Names3 = std::array<std::string_view, 3>;

constexpr std::uint64_t kMostInRange = 100'000;  // as jinja2's sandbox has it

Value range(Evaluator& e, const Arguments& given) {
    Heap& heap = e.heap();
    const BoundArguments<3> args(heap, given, Names3{"start", "stop", "step"}, 1);
    const bool has_start = args.has(1);
    for (std::size_t i = 0; i < 3; ++i) {
        if (args.has(i) && !args.value(i).is_integral()) {
            heap.fail("a range is made of whole numbers");
            return {};
        }
    }
    const std::int64_t start = has_start ? args.integer(0, 0) : 0;
    const std::int64_t stop = args.integer(has_start ? 1 : 0, 0);
    const std::int64_t step = args.integer(2, 1);
    if (step == 0) {
        heap.fail("the step of a range is 0");
    }
    if (heap.failed()) {
        return {};
    }
    std::uint64_t count = 0;
    if (step > 0 ? start < stop : start > stop) {
        const std::uint64_t width =
            step > 0 ? static_cast<std::uint64_t>(stop) - static_cast<std::uint64_t>(start)
                     : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(stop);
        const std::uint64_t stride =
            step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
        count = (width - 1) / stride + 1;
    }
    if (count > kMostInRange) {
        heap.fail(Failure::ValueKind::Limit,
                  "a range has more than " + std::to_string(kMostInRange) + " numbers");
        return {};
    }
    std::vector<Value> items;
    items.reserve(count);
    std::int64_t at = start;
    for (std::uint64_t i = 0; i < count; ++i) {
        items.push_back(Value::of(at));
        at = static_cast<std::int64_t>(static_cast<std::uint64_t>(at) +
                                       static_cast<std::uint64_t>(step));
    }
    const Value out = heap.list(std::move(items), Sequence::Flavour::Range);
    out.sequence->start = start;
    out.sequence->stop = stop;
    out.sequence->step = step;
    return out;
}

// A dict from another, or from pairs, and from names.
void fill(Evaluator& e, const Arguments& given, Dict& out) {
    Heap& heap = e.heap();
    if (given.positional.size() > 1) {
        heap.fail("at most one argument is taken without a name");
        return;
    }
    if (!given.positional.empty()) {
        const Value& from = given.positional[0];
        if (from.is(ValueKind::Dict) || from.is(ValueKind::Namespace)) {
            for (const auto& [key, value] : from.dict->entries) {
                heap.set(out, key, value);
            }
        } else {
            std::vector<Value> items;
            collect(heap, from, items);
            for (const Value& item : items) {
                std::vector<Value> pair;
                if (!collect(heap, item, pair) || pair.size() != 2) {
                    heap.fail("a dict is made of pairs");
                    return;
                }
                heap.set(out, pair[0], pair[1]);
            }
        }
    }
    for (const auto& [name, value] : given.named) {
        heap.set(out, heap.text(name, true), value);
    }
}

Value make_dict(Evaluator& e, const Arguments& given) {
    const Value out = e.heap().dict();
    fill(e, given, *out.dict);
    return out;
}

Value make_namespace(Evaluator& e, const Arguments& given) {
    const Value out = e.heap().dict(ValueKind::Namespace);
    fill(e, given, *out.dict);
    return out;
}

Value callable_of(Evaluator& e, Callable::What what, std::vector<Value>&& items) {
    e.heap().take_bytes(items.size() * sizeof(Value));
    Value out;
    out.kind = ValueKind::Callable;
    out.callable = e.heap().callable();
    out.callable->what = what;
    out.callable->items = std::move(items);
    return out;
}

Value cycler(Evaluator& e, const Arguments& given) {
    if (given.positional.empty() || !given.named.empty()) {
        e.heap().fail("cycler wants values to go through");
        return {};
    }
    return callable_of(e, Callable::What::Cycler, std::vector<Value>(given.positional));
}

Value joiner(Evaluator& e, const Arguments& given) {
    const BoundArguments<1> args(e.heap(), given, Names1{"sep"});
    return callable_of(e, Callable::What::Joiner,
                       {args.has(0) ? args.value(0) : e.heap().text(", ", true)});
}

Value raise_exception(Evaluator& e, const Arguments& given) {
    const BoundArguments<1> args(e.heap(), given, Names1{"message"}, 1);
    if (!e.heap().failed()) {
        e.heap().fail(Failure::ValueKind::Raised,
                      std::string(text_of(e.heap(), args.value(0)).bytes()));
    }
    return {};
}

Value strftime_now(Evaluator& e, const Arguments& given) {
    const BoundArguments<1> args(e.heap(), given, Names1{"format"}, 1);
    const String* format = args.string(0);
    return format == nullptr ? Value{}
                             : e.heap().text(strftime(format->text.bytes(), e.now()), true);
}

constexpr std::array<FunctionRow, 7> kFunctions = {{
    {"cycler", cycler},
    {"dict", make_dict},
    {"joiner", joiner},
    {"namespace", make_namespace},
    {"raise_exception", raise_exception},
    {"range", range},
    {"strftime_now", strftime_now},
}};

}  // namespace

const FunctionRow* find_function(std::string_view name) {
    const auto row =
        std::find_if(kFunctions.begin(), kFunctions.end(),
                     [&](const FunctionRow& function) { return function.name == name; });
    return row != kFunctions.end() ? &*row : nullptr;
}

}  // namespace hearth::jinja
