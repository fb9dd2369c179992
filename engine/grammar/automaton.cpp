#include "grammar/automaton.h"

#include <algorithm>
#include <bitset>
#include <utility>

#include "grammar/left_recursion.h"
#include "grammar/text_place.h"
#include "text/utf8.h"

namespace hearth {

using Kind = Automaton::Node::Kind;

// Compiles backwards: each part is made with the node that follows it, so nothing is patched but
// loops and rules. After a bound is passed everything compiles to the end.
class AutomatonCompiler {
public:
    AutomatonCompiler(const Grammar& grammar, std::string_view what)
        : grammar_(grammar), what_(what) {}

    Result<Automaton> compile() {
        out_.nodes_.push_back({});
        out_.root_ = grammar_.root;
        for (const Grammar::Rule& rule : grammar_.rules()) {
            out_.starts_.push_back(part(rule.body, Automaton::kEnd));
        }
        if (full_ || grammar_.size() > Grammar::kMaxExpressions) {
            return wrong("it has more than " + std::to_string(Automaton::kMaxNodes) +
                         " states: repeat less");
        }
        if (const auto rule = left_recursive_rule(out_)) {
            return wrong("rule \"" +
                         shown_text(grammar_.rules()[static_cast<std::size_t>(*rule)].name) +
                         "\" may call itself before any character (left recursion)");
        }
        number_classes();
        return std::move(out_);
    }

private:
    Error wrong(const std::string& message) const {
        return {ErrorCode::InvalidArgument,
                std::string(what_) + ": " + message,
                {},
                std::string(what_)};
    }

    bool is_full() {
        full_ = full_ || out_.nodes_.size() >= Automaton::kMaxNodes ||
                out_.edges_.size() >= Automaton::kMaxEdges ||
                out_.targets_.size() >= Automaton::kMaxEdges;
        return full_;
    }

    NodeId add(const Automaton::Node& node) {
        if (is_full()) {
            return Automaton::kEnd;
        }
        out_.nodes_.push_back(node);
        return static_cast<NodeId>(out_.nodes_.size() - 1);
    }

    NodeId bytes(const std::vector<Automaton::Edge>& edges) {
        const auto first = static_cast<std::uint32_t>(out_.edges_.size());
        out_.edges_.insert(out_.edges_.end(), edges.begin(), edges.end());
        return add({.kind = Kind::Bytes,
                    .first = first,
                    .count = static_cast<std::uint32_t>(edges.size())});
    }

    NodeId split(const std::vector<NodeId>& targets) {
        const auto first = static_cast<std::uint32_t>(out_.targets_.size());
        out_.targets_.insert(out_.targets_.end(), targets.begin(), targets.end());
        return add({.kind = Kind::Split,
                    .first = first,
                    .count = static_cast<std::uint32_t>(targets.size())});
    }

    NodeId part(ExpressionId id, NodeId next) {
        if (is_full()) {
            return Automaton::kEnd;
        }
        const Expression& one = grammar_[id];
        switch (one.kind) {
            case Expression::Kind::Text:
                for (auto it = one.text.rbegin(); it != one.text.rend(); ++it) {
                    const auto byte = static_cast<std::uint8_t>(*it);
                    next = bytes({{byte, byte, next}});
                }
                return next;
            case Expression::Kind::Chars:
                return characters(one.chars, next);
            case Expression::Kind::Sequence:
                for (auto it = one.parts.rbegin(); it != one.parts.rend(); ++it) {
                    next = part(*it, next);
                }
                return next;
            case Expression::Kind::Choice: {
                std::vector<NodeId> targets;
                for (const ExpressionId alternative : one.parts) {
                    targets.push_back(part(alternative, next));
                }
                return split(targets);
            }
            case Expression::Kind::Repeat:
                return repeated(one, next);
            case Expression::Kind::Rule:
                return add({.kind = Kind::Call, .rule = one.rule, .next = next});
        }
        return next;
    }

    NodeId repeated(const Expression& one, NodeId next) {
        const ExpressionId body = one.parts[0];
        int more = one.least;  // copies that stand before what is optional
        if (one.most < 0) {
            const NodeId loop = split({next, next});
            const NodeId again = part(body, loop);
            if (!full_) {
                out_.targets_[out_.nodes_[loop].first] = again;
            }
            next = more > 0 ? again : loop;
            more -= more > 0 ? 1 : 0;
        } else {
            const NodeId after = next;
            for (int i = one.least; i < one.most && !is_full(); ++i) {
                next = split({part(body, next), after});
            }
        }
        for (; more > 0 && !is_full(); --more) {
            const NodeId copy = part(body, next);
            if (copy == next) {
                break;  // the body is the empty text: more copies add nothing but time
            }
            next = copy;
        }
        return next;
    }

    // `count` bytes that continue a character, then `next`.
    NodeId tail(std::size_t count, NodeId next) {
        while (tails_.size() <= count) {
            tails_.push_back(tails_.empty() ? next : bytes({{0x80, 0xBF, tails_.back()}}));
        }
        return tails_[count];
    }

    NodeId characters(const CodePoints& set, NodeId next) {
        constexpr std::uint32_t kLastOfLength[] = {0x7F, 0x7FF, 0xFFFF, kLastCodePoint};
        tails_.clear();
        std::vector<Automaton::Edge> edges;
        for (const CodePointRange& range : set) {
            std::uint32_t first = range.first;
            for (const std::uint32_t end : kLastOfLength) {
                if (first <= end && first <= range.last) {
                    std::string low;
                    std::string high;
                    append_utf8(low, first);
                    append_utf8(high, std::min(end, range.last));
                    byte_range(edges, low, high, next);
                    first = end + 1;
                }
            }
        }
        return bytes(edges);
    }

    // Characters from `low` to `high`, of equally many bytes.
    void byte_range(std::vector<Automaton::Edge>& edges, std::string_view low,
                    std::string_view high, NodeId next) {
        const auto a = static_cast<std::uint8_t>(low[0]);
        const auto b = static_cast<std::uint8_t>(high[0]);
        const std::string_view low_rest = low.substr(1);
        const std::string_view high_rest = high.substr(1);
        const std::string least(low_rest.size(), '\x80');
        const std::string most(high_rest.size(), '\xBF');
        const auto below = [&](std::uint8_t byte, std::string_view from, std::string_view to) {
            std::vector<Automaton::Edge> inner;
            byte_range(inner, from, to, next);
            edges.push_back({byte, byte, bytes(inner)});
        };
        const bool whole_first = low_rest == least;
        const bool whole_last = high_rest == most;
        if (a == b && !(whole_first && whole_last)) {
            below(a, low_rest, high_rest);
            return;
        }
        if (!whole_first) {
            below(a, low_rest, most);
        }
        const int from = whole_first ? a : a + 1;
        const int to = whole_last ? b : b - 1;
        if (from <= to) {
            edges.push_back({static_cast<std::uint8_t>(from), static_cast<std::uint8_t>(to),
                             tail(low_rest.size(), next)});
        }
        if (!whole_last) {
            below(b, least, high_rest);
        }
    }

    void number_classes() {
        std::bitset<257> begins;
        begins[0] = true;
        for (const Automaton::Edge& edge : out_.edges_) {
            begins[edge.first] = true;
            begins[edge.last + std::size_t{1}] = true;
        }
        std::size_t count = 0;
        for (std::size_t byte = 0; byte < 256; ++byte) {
            count += begins[byte] ? 1 : 0;
            out_.classes_[byte] = static_cast<std::uint8_t>(count - 1);
        }
        out_.n_classes_ = count;
    }

    const Grammar& grammar_;
    std::string_view what_;
    Automaton out_;
    std::vector<NodeId> tails_;  // of the present set
    bool full_ = false;
};

Result<Automaton> Automaton::compile(const Grammar& grammar, std::string_view what) {
    return AutomatonCompiler(grammar, what).compile();
}

}  // namespace hearth
