// Filters that work on strings, and those that write values as text.
#include <algorithm>
#include <array>

#include "text/jinja/arguments.h"
#include "text/jinja/evaluator.h"
#include "text/jinja/filter_rows.h"
#include "text/jinja/formatting.h"
#include "text/jinja/printing.h"
#include "text/jinja/string_operations.h"

namespace hearth::jinja {
namespace {

using Names1 = std::array<std::string_view, 1>;
using Names2 = std::array<std::string_view, 2>;
using Names3 = std::array<std::string_view, 3>;
using Names4 = std::array<std::string_view, 4>;

Value as_string(Evaluator& e, const Value& value) {
    return value.is(ValueKind::String) ? value : e.heap().text(text_of(e.heap(), value));
}

template <Case kCase>
Value in_case_filter(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    return in_case(e.heap(), *as_string(e, self).string, kCase);
}

template <Value (*kChange)(Heap&, const String&)>
Value changed(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    return kChange(e.heap(), *as_string(e, self).string);
}

Value string(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    return as_string(e, self);
}

Value trim(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<1> args(e.heap(), given, Names1{"chars"});
    const String* set = args.string(0);
    return strip(e.heap(), *as_string(e, self).string, set == nullptr ? nullptr : &set->text,
                 Side::Both);
}

Value replace_filter(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<3> args(e.heap(), given, Names3{"old", "new", "count"}, 2);
    if (e.heap().failed()) {
        return {};
    }
    String plain;
    plain.text = text_of(e.heap(), self);
    return replace(e.heap(), plain, text_of(e.heap(), args.value(0)),
                   text_of(e.heap(), args.value(1)), args.integer(2, -1));
}

Value center(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<1> args(e.heap(), given, Names1{"width"});
    return justified(e.heap(), *as_string(e, self).string, args.integer(0, 80),
                     MarkedText(" ", true), Side::Both);
}

Value indent(Evaluator& e, const Value& self, const Arguments& given) {
    Heap& heap = e.heap();
    const BoundArguments<3> args(heap, given, Names3{"width", "first", "blank"});
    if (!self.is(ValueKind::String)) {
        heap.fail("only a string can be indented, not " + std::string(type_name(self)));
        return {};
    }
    StringBuilder by(heap);
    if (args.value(0).is(ValueKind::String)) {
        by.append(args.value(0).string->text);
    } else {
        const std::int64_t width = args.integer(0, 4);
        for (std::int64_t i = 0; i < width && !heap.failed(); ++i) {
            by.append(" ", true);
        }
    }
    return indented(heap, self.string->text, by.text(), args.truth(1), args.truth(2),
                    self.string->is_safe);
}

Value truncate(Evaluator& e, const Value& self, const Arguments& given) {
    Heap& heap = e.heap();
    const BoundArguments<4> args(heap, given, Names4{"length", "killwords", "end", "leeway"});
    const Value end = args.value(2, heap.text("...", true));
    if (!self.is(ValueKind::String) || !end.is(ValueKind::String)) {
        heap.fail("only a string can be truncated");
        return {};
    }
    const std::int64_t most = args.integer(0, 255);
    const std::int64_t leeway = args.integer(3, 5);
    const auto n = static_cast<std::int64_t>(self.string->n_chars);
    const auto n_end = static_cast<std::int64_t>(end.string->n_chars);
    if (most < n_end || leeway < 0) {
        heap.fail("a text cannot be truncated to less than what marks its end");
        return {};
    }
    if (leeway >= n - most) {
        return self;
    }
    Value kept = characters(heap, *self.string, 0, static_cast<std::size_t>(most - n_end));
    if (!args.truth(1)) {
        const MarkedText blank(" ", true);
        kept = split(heap, *kept.string, &blank, 1, true).front();
    }
    return binary(heap, Operator::Add, kept, end);
}

Value wordcount(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    const MarkedText text = text_of(e.heap(), self);
    std::int64_t count = 0;
    bool in_word = false;
    for (std::size_t at = 0; at < text.size();) {
        const UnicodeCharacter c = character_at(text.bytes(), at);
        const bool is = is_word(c.code);
        count += is && !in_word ? 1 : 0;
        in_word = is;
        at += c.bytes;
    }
    return Value::of(count);
}

Value format(Evaluator& e, const Value& self, const Arguments& given) {
    Heap& heap = e.heap();
    if (!given.positional.empty() && !given.named.empty()) {
        heap.fail("a format takes values by position or by name, not both");
        return {};
    }
    Value values;
    if (given.named.empty()) {
        values = heap.list(std::vector<Value>(given.positional), Sequence::Flavour::Tuple);
    } else {
        values = heap.dict();
        for (const auto& [name, value] : given.named) {
            heap.set(*values.dict, heap.text(name, true), value);
        }
    }
    return format_percent(heap, *as_string(e, self).string, values);
}

template <bool kAlways>
Value escape(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    const Value text = as_string(e, self);
    if (text.string->is_safe && !kAlways) {
        return text;
    }
    StringBuilder out(e.heap());
    escape_html(out, text.string->text);
    return out.value(true);
}

Value safe(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    return e.heap().text(text_of(e.heap(), self), true);
}

Value urlencode(Evaluator& e, const Value& self, const Arguments& given) {
    const BoundArguments<0> args(e.heap(), given, {});
    if (self.is(ValueKind::Sequence) || self.is(ValueKind::Dict)) {
        e.heap().fail("only text can be encoded for an address here");
        return {};
    }
    const MarkedText text = text_of(e.heap(), self);
    StringBuilder out(e.heap());
    for (std::size_t at = 0; at < text.size() && !e.heap().failed(); ++at) {
        const char c = text.bytes()[at];
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') ||
                              std::string_view("_.-~/").find(c) != std::string_view::npos;
        if (is_plain) {
            out.append(text, at, at + 1);
        } else {
            constexpr std::string_view kHex = "0123456789ABCDEF";
            const auto byte = static_cast<unsigned char>(c);
            const char escaped[] = {'%', kHex[byte >> 4], kHex[byte & 15]};
            out.append(std::string_view(escaped, 3), text.is_markup(at));
        }
    }
    return out.value();
}

// The filter of transformers: it escapes nothing for HTML.
Value tojson(Evaluator& e, const Value& self, const Arguments& given) {
    Heap& heap = e.heap();
    const BoundArguments<4> args(heap, given,
                                 Names4{"ensure_ascii", "indent", "separators", "sort_keys"});
    JsonStyle style;
    style.ascii = args.truth(0);
    style.sort_keys = args.truth(3);
    const Value indent = args.value(1, Value::none());
    if (indent.is(ValueKind::String)) {
        style.indent = indent.string->text;
    } else if (!indent.is(ValueKind::None)) {
        const std::int64_t width = args.integer(1, 0);
        StringBuilder blanks(heap);
        for (std::int64_t i = 0; i < width && !heap.failed(); ++i) {
            blanks.append(" ", true);
        }
        style.indent = blanks.take();
    }
    if (style.indent) {
        style.item_separator.assign(1, ',');
    }
    if (const Value separators = args.value(2, Value::none()); !separators.is(ValueKind::None)) {
        std::vector<Value> pair;
        if (!collect(heap, separators, pair) || pair.size() != 2 ||
            !pair[0].is(ValueKind::String) || !pair[1].is(ValueKind::String)) {
            heap.fail("separators of JSON are two strings");
            return {};
        }
        style.item_separator = pair[0].string->text.bytes();
        style.key_separator = pair[1].string->text.bytes();
    }
    StringBuilder out(heap);
    print_json(out, self, style);
    return out.value();
}

constexpr std::array<FilterRow, 18> kRows = {{
    {"capitalize", changed<capitalized>},
    {"center", center},
    {"e", escape<false>},
    {"escape", escape<false>},
    {"forceescape", escape<true>},
    {"format", format},
    {"indent", indent},
    {"lower", in_case_filter<Case::Lower>},
    {"replace", replace_filter},
    {"safe", safe},
    {"string", string},
    {"title", changed<titled_by_filter>},
    {"tojson", tojson},
    {"trim", trim},
    {"truncate", truncate},
    {"upper", in_case_filter<Case::Upper>},
    {"urlencode", urlencode},
    {"wordcount", wordcount},
}};

}  // namespace

std::span<const FilterRow> text_filters() {
    return kRows;
}

}  // namespace hearth::jinja
