// The methods of Python's strings, lists, tuples and dicts that change nothing, and those of loop.
#include <algorithm>
#include <array>
#include <span>

#include "text/jinja/arguments.h"
#include "text/jinja/evaluator.h"
#include "text/jinja/formatting.h"
#include "text/jinja/objects.h"
#include "text/jinja/printing.h"
#include "text/jinja/string_operations.h"

namespace hearth::jinja {
namespace {

using Names1 = std::array<std::string_view, 1>;
using Names2 = std::array<std::string_view, 2>;
using Names3 = std::array<std::string_view, 3>;

const MarkedText* text_or_null(const String* string) {
    return string == nullptr ? nullptr : &string->text;
}

template <Side kSide>
Value strip_method(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<1> args(e.heap(), given, Names1{"chars"});
    return strip(e.heap(), *self.string, text_or_null(args.string(0)), kSide);
}

template <bool kFromRight>
Value split_method(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<2> args(e.heap(), given, Names2{"sep", "maxsplit"});
    return e.heap().list(split(e.heap(), *self.string, text_or_null(args.string(0)),
                               args.integer(1, -1), kFromRight));
}

Value splitlines(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<1> args(e.heap(), given, Names1{"keepends"});
    return e.heap().list(split_lines(e.heap(), *self.string, args.truth(0)));
}

// The part of the text that start and end leave, in characters; empty: start lies past the end.
std::optional<Value> part_of(Evaluator& e, const Value& self, const Value& start,
                             const Value& end) {
    const auto bound = [](const Value& v) { return v.is_integral() ? v : Value::none(); };
    if (start.is_integral() && start.as_int() > static_cast<std::int64_t>(self.string->n_chars)) {
        return std::nullopt;
    }
    const Value slice = e.heap().slice(bound(start), bound(end), Value::none());
    return slice_of(e.heap(), self, *slice.slice);
}

template <bool kStart>
Value starts_or_ends(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<3> args(e.heap(), given, Names3{"prefix", "start", "end"}, 1);
    const auto part = part_of(e, self, args.value(1), args.value(2));
    if (!part || !part->is(ValueKind::String)) {
        return Value::of(false);
    }
    const std::string_view text = part->string->text.bytes();
    const auto fits = [&](const Value& wanted) {
        if (!wanted.is(ValueKind::String)) {
            e.heap().fail("a string is wanted, not " + std::string(type_name(wanted)));
            return false;
        }
        const std::string_view bytes = wanted.string->text.bytes();
        return kStart ? text.starts_with(bytes) : text.ends_with(bytes);
    };
    const Value wanted = args.value(0);
    if (wanted.is(ValueKind::Sequence) && wanted.sequence->flavour == Sequence::Flavour::Tuple) {
        const std::vector<Value>& items = wanted.sequence->items;
        return Value::of(std::any_of(items.begin(), items.end(), fits));
    }
    return Value::of(fits(wanted));
}

template <bool kLast, bool kMustBe>
Value find_method_of_string(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<3> args(e.heap(), given, Names3{"sub", "start", "end"}, 1);
    const String* wanted = args.string(0);
    const auto part = part_of(e, self, args.value(1), args.value(2));
    if (wanted == nullptr || e.heap().failed()) {
        e.heap().fail("a string is wanted");
        return {};
    }
    std::int64_t found = -1;
    if (part) {
        const std::string_view text = part->string->text.bytes();
        const std::string_view sub = wanted->text.bytes();
        e.heap().look_at(text.size());
        const std::size_t at = kLast ? text.rfind(sub) : text.find(sub);
        if (at != std::string_view::npos) {
            std::int64_t start = args.value(1).is_integral() ? args.value(1).as_int() : 0;
            const auto n = static_cast<std::int64_t>(self.string->n_chars);
            start = start < 0 ? std::max<std::int64_t>(start < -n ? 0 : start + n, 0) : start;
            found = start + static_cast<std::int64_t>(count_characters(text.substr(0, at)));
        }
    }
    if (kMustBe && found < 0) {
        e.heap().fail("the text that is looked for is not there");
    }
    return Value::of(found);
}

Value count_in_string(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<3> args(e.heap(), given, Names3{"sub", "start", "end"}, 1);
    const String* wanted = args.string(0);
    const auto part = part_of(e, self, args.value(1), args.value(2));
    if (wanted == nullptr || !part || e.heap().failed()) {
        return Value::of(std::int64_t{0});
    }
    const std::string_view text = part->string->text.bytes();
    const std::string_view sub = wanted->text.bytes();
    e.heap().look_at(text.size());
    if (sub.empty()) {
        return Value::of(static_cast<std::int64_t>(part->string->n_chars) + 1);
    }
    std::int64_t count = 0;
    for (std::size_t at = text.find(sub); at != std::string_view::npos;
         at = text.find(sub, at + sub.size())) {
        ++count;
    }
    return Value::of(count);
}

Value replace_method(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<3> args(e.heap(), given, Names3{"old", "new", "count"}, 2);
    const String* from = args.string(0);
    const String* to = args.string(1);
    if (from == nullptr || to == nullptr) {
        e.heap().fail("a string is wanted");
        return {};
    }
    return replace(e.heap(), *self.string, from->text, to->text, args.integer(2, -1));
}

template <Case kCase>
Value case_method(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    return in_case(e.heap(), *self.string, kCase);
}

template <Value (*kChange)(Heap&, const String&)>
Value changed_method(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    return kChange(e.heap(), *self.string);
}

// It holds for every character, and there is one.
template <bool (*kHolds)(std::uint32_t)>
Value all_method(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    const std::string_view text = self.string->text.bytes();
    e.heap().look_at(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const UnicodeCharacter c = character_at(text, at);
        if (!kHolds(c.code)) {
            return Value::of(false);
        }
        at += c.bytes;
    }
    return Value::of(!text.empty());
}

bool is_alnum(std::uint32_t code) {
    return is_alpha(code) || is_numeric(code);
}

template <bool kUpper>
Value has_case(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    return Value::of(is_in_case(self.string->text.bytes(), kUpper));
}

Value is_ascii_text(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    return Value::of(self.string->is_ascii());
}

Value isprintable(Evaluator& e, const Value& self, const Arguments& given) {
    return self.string->text.empty() ? Value::of(true) : all_method<is_printable>(e, self, given);
}

Value join_method(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<1> args(e.heap(), given, Names1{"iterable"}, 1);
    std::vector<Value> items;
    collect(e.heap(), args.value(0), items);
    return joined(e.heap(), self.string->text, items, true);
}

template <Side kSide>
Value justify_method(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<2> args(e.heap(), given, Names2{"width", "fillchar"}, 1);
    const String* fill = args.string(1);
    return justified(e.heap(), *self.string, args.integer(0, 0),
                     fill == nullptr ? MarkedText(" ", true) : fill->text, kSide);
}

Value zfill(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<1> args(e.heap(), given, Names1{"width"}, 1);
    const std::string_view text = self.string->text.bytes();
    const bool has_sign = text.starts_with('-') || text.starts_with('+');
    const Value rest = characters(e.heap(), *self.string, has_sign ? 1 : 0, self.string->n_chars);
    const Value padded = justified(e.heap(), *rest.string, args.integer(0, 0) - (has_sign ? 1 : 0),
                                   MarkedText("0", true), Side::Right);
    if (!has_sign || !padded.is(ValueKind::String)) {
        return padded;
    }
    StringBuilder out(e.heap());
    out.append(self.string->text, 0, 1);
    out.append(padded.string->text);
    return out.value();
}

Value expandtabs(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<1> args(e.heap(), given, Names1{"tabsize"});
    const std::int64_t size = args.integer(0, 8);
    StringBuilder out(e.heap());
    std::int64_t column = 0;
    const MarkedText& text = self.string->text;
    for (std::size_t at = 0; at < text.size() && !e.heap().failed();) {
        const UnicodeCharacter c = character_at(text.bytes(), at);
        if (c.code == '\t') {
            const std::int64_t blanks = size <= 0 ? 0 : size - column % size;
            for (std::int64_t i = 0; i < blanks && !e.heap().failed(); ++i) {
                out.append(" ", text.is_markup(at));
            }
            column += blanks;
        } else {
            out.append(text, at, at + c.bytes);
            column = c.code == '\n' || c.code == '\r' ? 0 : column + 1;
        }
        at += c.bytes;
    }
    return out.value();
}

template <bool kLast>
Value partition(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<1> args(e.heap(), given, Names1{"sep"}, 1);
    const String* separator = args.string(0);
    if (separator == nullptr || separator->text.empty()) {
        e.heap().fail("a string cannot be parted at an empty one");
        return {};
    }
    std::vector<Value> parts = split(e.heap(), *self.string, &separator->text, 1, kLast);
    if (parts.size() == 1) {
        const Value empty = e.heap().text("", true);
        parts = kLast ? std::vector<Value>{empty, empty, parts[0]}
                      : std::vector<Value>{parts[0], empty, empty};
    } else if (parts.size() == 2) {
        parts.insert(parts.begin() + 1, args.value(0));
    }
    return e.heap().list(std::move(parts), Sequence::Flavour::Tuple);
}

template <bool kStart>
Value remove_affix(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<1> args(e.heap(), given, Names1{"affix"}, 1);
    const String* affix = args.string(0);
    const std::string_view text = self.string->text.bytes();
    if (affix == nullptr || affix->text.empty() ||
        !(kStart ? text.starts_with(affix->text.bytes()) : text.ends_with(affix->text.bytes()))) {
        return self;
    }
    StringBuilder out(e.heap());
    out.append(self.string->text, kStart ? affix->text.size() : 0,
               kStart ? text.size() : text.size() - affix->text.size());
    return out.value(self.string->is_safe);
}

Value format_method(Evaluator& e, const Value& self, const Arguments& given) {
    return format_braces(e.heap(), *self.string, given);
}

constexpr std::array<MethodRow, 41> kOfStrings = {{
    {"capitalize", changed_method<capitalized>},
    {"casefold", case_method<Case::Lower>},
    {"center", justify_method<Side::Both>},
    {"count", count_in_string},
    {"endswith", starts_or_ends<false>},
    {"expandtabs", expandtabs},
    {"find", find_method_of_string<false, false>},
    {"format", format_method},
    {"index", find_method_of_string<false, true>},
    {"isalnum", all_method<is_alnum>},
    {"isalpha", all_method<is_alpha>},
    {"isascii", is_ascii_text},
    {"isdecimal", all_method<is_decimal>},
    {"isdigit", all_method<is_digit>},
    {"islower", has_case<false>},
    {"isnumeric", all_method<is_numeric>},
    {"isprintable", isprintable},
    {"isspace", all_method<is_space>},
    {"isupper", has_case<true>},
    {"join", join_method},
    {"ljust", justify_method<Side::Left>},
    {"lower", case_method<Case::Lower>},
    {"lstrip", strip_method<Side::Left>},
    {"partition", partition<false>},
    {"removeprefix", remove_affix<true>},
    {"removesuffix", remove_affix<false>},
    {"replace", replace_method},
    {"rfind", find_method_of_string<true, false>},
    {"rindex", find_method_of_string<true, true>},
    {"rjust", justify_method<Side::Right>},
    {"rpartition", partition<true>},
    {"rsplit", split_method<true>},
    {"rstrip", strip_method<Side::Right>},
    {"split", split_method<false>},
    {"splitlines", splitlines},
    {"startswith", starts_or_ends<true>},
    {"strip", strip_method<Side::Both>},
    {"swapcase", changed_method<swapped_case>},
    {"title", changed_method<titled>},
    {"upper", case_method<Case::Upper>},
    {"zfill", zfill},
}};

// ---- lists, dicts ------------------------------------------------------------------------------

Value count_in_list(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<1> args(e.heap(), given, Names1{"value"}, 1);
    std::int64_t count = 0;
    for (const Value& item : self.sequence->items) {
        count += equal(e.heap(), item, args.value(0)) ? 1 : 0;
    }
    return Value::of(count);
}

Value index_in_list(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<1> args(e.heap(), given, Names1{"value"}, 1);
    const std::vector<Value>& items = self.sequence->items;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (equal(e.heap(), items[i], args.value(0))) {
            return Value::of(static_cast<std::int64_t>(i));
        }
    }
    e.heap().fail("the item that is looked for is not in the list");
    return {};
}

Value copied(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    (void)e;
    return self;
}

constexpr std::array<MethodRow, 3> kOfLists = {{
    {"copy", copied},
    {"count", count_in_list},
    {"index", index_in_list},
}};

Value get(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<2> args(e.heap(), given, Names2{"key", "default"}, 1);
    if (!hash_of(args.value(0))) {
        e.heap().fail("a list or dict cannot be a key");
        return {};
    }
    const Value* found = find(e.heap(), *self.dict, args.value(0));
    return found != nullptr ? *found : args.value(1, Value::none());
}

template <Sequence::Flavour kView>
Value view(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    std::vector<Value> items;
    for (const auto& [key, value] : self.dict->entries) {
        items.push_back(kView == Sequence::Flavour::Keys ? key
                        : kView == Sequence::Flavour::Values
                            ? value
                            : e.heap().list({key, value}, Sequence::Flavour::Tuple));
    }
    return e.heap().list(std::move(items), kView);
}

constexpr std::array<MethodRow, 5> kOfDicts = {{
    {"copy", copied},
    {"get", get},
    {"items", view<Sequence::Flavour::Items>},
    {"keys", view<Sequence::Flavour::Keys>},
    {"values", view<Sequence::Flavour::Values>},
}};

// ---- loop, cycler ------------------------------------------------------------------------------

Value cycle(Evaluator& e, const Value& self, const Arguments& given) {
    if (given.positional.empty() || !given.named.empty()) {
        e.heap().fail("loop.cycle wants values to go through");
        return {};
    }
    return given.positional[self.loop->index % given.positional.size()];
}

Value changed(Evaluator& e, const Value& self, const Arguments& given) {
    std::optional<std::vector<Value>>& last = self.loop->last_changed;
    bool is_same = last && last->size() == given.positional.size();
    for (std::size_t i = 0; is_same && i < last->size(); ++i) {
        is_same = equal(e.heap(), (*last)[i], given.positional[i]);
    }
    e.heap().take_bytes(given.positional.size() * sizeof(Value));
    last = given.positional;
    return Value::of(!is_same);
}

constexpr std::array<MethodRow, 2> kOfLoops = {{
    {"changed", changed},
    {"cycle", cycle},
}};

Value next_of_cycler(Evaluator&, const Value& self, const Arguments&) {
    Callable& cycler = *self.callable;
    const Value value = cycler.items[cycler.at];
    cycler.at = (cycler.at + 1) % cycler.items.size();
    return value;
}

Value reset_cycler(Evaluator&, const Value& self, const Arguments&) {
    self.callable->at = 0;
    return Value::none();
}

constexpr std::array<MethodRow, 2> kOfCyclers = {{
    {"next", next_of_cycler},
    {"reset", reset_cycler},
}};

}  // namespace

const MethodRow* find_method(const Value& self, std::string_view name) {
    const auto among = [&](std::span<const MethodRow> rows) -> const MethodRow* {
        const auto row = std::lower_bound(
            rows.begin(), rows.end(), name,
            [](const MethodRow& r, std::string_view wanted) { return r.name < wanted; });
        return row != rows.end() && row->name == name ? &*row : nullptr;
    };
    switch (self.kind) {
        case ValueKind::String:
            return among(kOfStrings);
        case ValueKind::Sequence:
            if (self.sequence->flavour == Sequence::Flavour::List) {
                return among(kOfLists);
            }
            return self.sequence->is_indexable() ? among(std::span(kOfLists).subspan(1)) : nullptr;
        case ValueKind::Dict:
            return among(kOfDicts);
        case ValueKind::Loop:
            return among(kOfLoops);
        case ValueKind::Callable:
            return self.callable->what == Callable::What::Cycler ? among(kOfCyclers) : nullptr;
        default:
            return nullptr;
    }
}

}  // namespace hearth::jinja
