// A template that was read: its statements and expressions as a tree.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/jinja/failure.h"
#include "text/jinja/value.h"

namespace hearth::jinja {

enum class NodeKind : std::uint8_t {
    // Expressions; `parts` are their operands.
    Literal,  // value
    Name,     // name
    List,
    Tuple,
    Dict,       // parts: key, value, key, value, ...
    Attribute,  // parts[0].name
    Item,       // parts[0][parts[1]]
    Slice,      // parts: start, stop, step; null where left out
    Call,       // parts[0](parts[1], ..., keywords)
    Filter,     // parts[0] | name(parts[1], ...); parts[0] null in a filter block
    Test,       // parts[0] is name(parts[1], ...)
    Not,
    Negative,
    Positive,
    Binary,  // parts[0] op parts[1]
    Concat,  // ~ of all parts
    And,
    Or,
    Compare,      // parts[0] ops[0] parts[1] ops[1] parts[2] ...
    Conditional,  // parts[0] if parts[1] else parts[2]; parts[2] may be null
    // Statements; `body` is what stands inside them.
    Data,         // value
    Print,        // parts[0]
    If,           // parts[i] guards branches[i]; one branch more: else
    For,          // parts: target, iterated, filter or null; branches: body, else
    Set,          // parts: target, value
    SetBlock,     // parts: target, filter or null; branches: body
    Macro,        // name, parameters; branches: body
    CallBlock,    // parts: the call; parameters of caller; branches: body
    FilterBlock,  // parts: the filter; branches: body
    With,         // parts: target, value, target, value, ...; branches: body
    Scope,        // branches: body
    Break,
    Continue,
    // Targets of assignments, beside Name and Tuple.
    NamespaceItem,  // parts[0].name
};

enum class Operator : std::uint8_t {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Modulo,
    Power,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    NotIn,
};

struct FilterRow;
struct TestRow;
struct Node;
using Nodes = std::vector<const Node*>;

struct KeywordArgument {
    std::string name;
    const Node* value = nullptr;
};

struct Parameter {
    int name = 0;
    const Node* fallback = nullptr;  // null: must be given, or is undefined
};

struct Node {
    NodeKind kind{};
    Operator op{};                                                        // of Binary
    bool uses_caller = false, uses_varargs = false, uses_kwargs = false;  // of Macro, CallBlock
    int line = 0;
    // jinja2 computes it while it reads the template, where it is more lenient about slices.
    bool is_constant = false;
    int depth = 1;  // of the deepest evaluation below it
    int name = -1;  // index into TemplateProgram::names
    Value value;
    const FilterRow* filter = nullptr;  // null: the name is unknown, which fails when it is run
    const TestRow* test = nullptr;
    Nodes parts;
    std::vector<KeywordArgument> keywords;
    const Node* rest = nullptr;           // *args
    const Node* rest_keywords = nullptr;  // **kwargs
    std::vector<Operator> ops;
    std::vector<Parameter> parameters;
    std::vector<Nodes> branches;
};

// Immutable once parsed; any thread.
class TemplateProgram {
public:
    struct Outcome;
    // Never throws for a bad template: Outcome says why.
    static Outcome parse(std::string_view source);

    const Nodes& body() const { return body_; }
    const std::string& name(int index) const { return names_[static_cast<std::size_t>(index)]; }
    int count_names() const { return static_cast<int>(names_.size()); }
    // -1: the template never says it.
    int find_name(std::string_view name) const;

private:
    friend class TemplateParser;
    int intern(std::string_view name);

    std::deque<Node> nodes_;
    std::deque<String> strings_;
    std::deque<std::string> names_;
    std::unordered_map<std::string_view, int> name_index_;
    Nodes body_;
};

struct TemplateProgram::Outcome {
    std::unique_ptr<TemplateProgram> program;  // null: failure says why
    Failure failure;
};

}  // namespace hearth::jinja
