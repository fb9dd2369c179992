// Values with a state: what can be called, and the variable `loop`.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "text/jinja/library.h"
#include "text/jinja/program.h"
#include "text/jinja/value.h"

namespace hearth::jinja {

// Variables of a block; those of the blocks around it are found through `parent`.
struct Scope {
    Scope* parent = nullptr;
    bool is_captured = false;  // a macro that was defined here may outlive the block
    std::vector<std::pair<int, Value>> variables;  // by TemplateProgram's index of the name
};

struct Callable {
    enum class What { Function, Method, Macro, Cycler, Joiner };
    What what{};
    const FunctionRow* function = nullptr;
    const MethodRow* method = nullptr;
    Value self{};                 // of Method
    const Node* macro = nullptr;  // Macro or CallBlock
    Scope* scope = nullptr;       // where the macro was defined
    std::vector<Value> items;     // of Cycler; the separator of Joiner
    std::size_t at = 0;           // which of them is next; of Joiner: how often it was called
};

// One run of a for block. The block's filter is asked item by item, because the block's body may
// change what the filter looks at.
struct Loop {
    const Node* node = nullptr;
    Scope* outer = nullptr;
    std::vector<Value> source;
    std::size_t n_taken = 0;      // of source
    std::vector<Value> accepted;  // those that the filter let through, so far
    std::size_t index = 0;        // of the current item in accepted
    std::optional<std::vector<Value>> last_changed;
    bool was_named = false;  // the template may hold it beyond its end
};

}  // namespace hearth::jinja
