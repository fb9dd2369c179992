// A grammar as a pushdown automaton over bytes. Sets of characters become sequences of bytes, so
// that a text may be matched in pieces that end inside a character.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>

#include "grammar/grammar.h"

namespace hearth {

using NodeId = std::uint32_t;

class Automaton {
public:
    static constexpr std::size_t kMaxNodes = std::size_t{1} << 19;
    static constexpr std::size_t kMaxEdges = std::size_t{1} << 21;

    // The end of every rule.
    static constexpr NodeId kEnd = 0;

    struct Edge {
        std::uint8_t first, last;  // of bytes, both included
        NodeId to;
    };
    struct Node {
        enum class Kind : std::uint8_t {
            End,
            Bytes,  // goes on with a byte: edges [first, first + count)
            Split,  // goes on at each of targets [first, first + count)
            Call,   // goes on at start(rule), then at `next`
        };
        Kind kind = Kind::End;
        std::uint32_t first = 0;
        std::uint32_t count = 0;
        RuleId rule = -1;
        NodeId next = kEnd;
    };

    // InvalidArgument: more nodes or edges than above; a rule that may call itself before it
    // matches any character (left recursion), by name. what: what the message begins with.
    static Result<Automaton> compile(const Grammar& grammar, std::string_view what);

    const Node& operator[](NodeId id) const { return nodes_[id]; }
    std::size_t size() const { return nodes_.size(); }
    std::span<const Edge> edges(const Node& node) const {
        return std::span(edges_).subspan(node.first, node.count);
    }
    std::span<const NodeId> targets(const Node& node) const {
        return std::span(targets_).subspan(node.first, node.count);
    }
    NodeId start(RuleId rule) const { return starts_[static_cast<std::size_t>(rule)]; }
    std::size_t n_rules() const { return starts_.size(); }
    NodeId root() const { return starts_[static_cast<std::size_t>(root_)]; }

    // Bytes that no edge tells apart share a class. byte_class() < n_classes().
    std::uint8_t byte_class(std::uint8_t byte) const { return classes_[byte]; }
    std::size_t n_classes() const { return n_classes_; }

private:
    friend class AutomatonCompiler;
    std::vector<Node> nodes_;
    std::vector<Edge> edges_;
    std::vector<NodeId> targets_;
    std::vector<NodeId> starts_;  // by rule
    RuleId root_ = 0;
    std::array<std::uint8_t, 256> classes_{};
    std::size_t n_classes_ = 0;
};

}  // namespace hearth
