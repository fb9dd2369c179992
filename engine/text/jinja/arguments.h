// The arguments of a filter, test, method or function, by position or name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "text/jinja/heap.h"
#include "text/jinja/library.h"
#include "text/jinja/operators.h"
#include "text/quoted.h"

namespace hearth::jinja {

// Finds the arguments that `names` lists; fails for others, and if one of the first n_required is
// missing. Its answers for what was not given are fallbacks.
template <std::size_t N>
class BoundArguments {
public:
    BoundArguments(Heap& heap, const Arguments& given, const std::array<std::string_view, N>& names,
                   std::size_t n_required = 0)
        : heap_(heap) {
        if (given.positional.size() > N) {
            heap.fail("at most " + std::to_string(N) + " arguments are taken, not " +
                      std::to_string(given.positional.size()));
            return;
        }
        for (std::size_t i = 0; i < given.positional.size(); ++i) {
            found_[i] = &given.positional[i];
        }
        for (const auto& [name, value] : given.named) {
            std::size_t i = 0;
            while (i < N && names[i] != name) {
                ++i;
            }
            if (i == N || found_[i] != nullptr) {
                heap.fail("an argument " + in_quotes(name) + " is not taken, or given twice");
                return;
            }
            found_[i] = &value;
        }
        for (std::size_t i = 0; i < n_required; ++i) {
            if (found_[i] == nullptr) {
                heap.fail("the argument " + in_quotes(names[i]) + " is missing");
                return;
            }
        }
    }

    bool has(std::size_t i) const { return found_[i] != nullptr; }
    // Undefined where it is missing.
    Value value(std::size_t i) const { return has(i) ? *found_[i] : Value{}; }
    Value value(std::size_t i, const Value& fallback) const {
        return has(i) ? *found_[i] : fallback;
    }
    bool truth(std::size_t i, bool fallback = false) const {
        return has(i) ? is_true(*found_[i]) : fallback;
    }
    // Fails for what is no whole number. None counts as missing.
    std::int64_t integer(std::size_t i, std::int64_t fallback) const {
        if (!has(i) || found_[i]->is(ValueKind::None)) {
            return fallback;
        }
        if (!found_[i]->is_integral()) {
            heap_.fail("a whole number is wanted, not " + std::string(type_name(*found_[i])));
            return fallback;
        }
        return found_[i]->as_int();
    }
    // Null where it is missing or None. Fails for what is no string.
    const String* string(std::size_t i) const {
        if (!has(i) || found_[i]->is(ValueKind::None)) {
            return nullptr;
        }
        if (!found_[i]->is(ValueKind::String)) {
            heap_.fail("a string is wanted, not " + std::string(type_name(*found_[i])));
            return nullptr;
        }
        return found_[i]->string;
    }

private:
    Heap& heap_;
    std::array<const Value*, N> found_{};
};

}  // namespace hearth::jinja
