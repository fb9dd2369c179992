// Finds rules that may call themselves before they match any character.
#pragma once

#include <optional>

#include "grammar/automaton.h"

namespace hearth {

// One such rule, if there is any. Time: linear in the automaton.
std::optional<RuleId> left_recursive_rule(const Automaton& automaton);

}  // namespace hearth
