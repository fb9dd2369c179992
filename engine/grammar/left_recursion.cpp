#include "grammar/left_recursion.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace hearth {
namespace {

using Kind = Automaton::Node::Kind;

// Finds the nodes from which the end of their rule can be reached without a byte.
std::vector<bool> reaches_end(const Automaton& automaton) {
    // Nodes to look at again once a node turns out to reach the end.
    std::vector<std::vector<NodeId>> depends(automaton.size());
    for (NodeId id = 0; id < automaton.size(); ++id) {
        const Automaton::Node& node = automaton[id];
        if (node.kind == Kind::Split) {
            for (const NodeId target : automaton.targets(node)) {
                depends[target].push_back(id);
            }
        } else if (node.kind == Kind::Call) {
            depends[node.next].push_back(id);
            depends[automaton.start(node.rule)].push_back(id);
        }
    }
    std::vector<bool> reaches(automaton.size());
    reaches[Automaton::kEnd] = true;
    std::vector<NodeId> work{Automaton::kEnd};
    while (!work.empty()) {
        const NodeId done = work.back();
        work.pop_back();
        for (const NodeId id : depends[done]) {
            const Automaton::Node& node = automaton[id];
            const bool both_parts = node.kind == Kind::Split ||
                                    (reaches[node.next] && reaches[automaton.start(node.rule)]);
            if (!reaches[id] && both_parts) {
                reaches[id] = true;
                work.push_back(id);
            }
        }
    }
    return reaches;
}

}  // namespace

// A rule calls itself first if a call and the start of its rule lie on one cycle of steps without a
// byte: in one strongly connected component (Tarjan's algorithm, without recursion).
std::optional<RuleId> left_recursive_rule(const Automaton& automaton) {
    const std::vector<bool> reaches = reaches_end(automaton);
    const auto n_steps = [&](NodeId id) -> std::uint32_t {
        const Automaton::Node& node = automaton[id];
        switch (node.kind) {
            case Kind::End:
            case Kind::Bytes:
                return 0;
            case Kind::Split:
                return node.count;
            case Kind::Call:
                return reaches[automaton.start(node.rule)] ? 2 : 1;
        }
        return 0;
    };
    const auto step = [&](NodeId id, std::uint32_t i) {
        const Automaton::Node& node = automaton[id];
        if (node.kind == Kind::Split) {
            return automaton.targets(node)[i];
        }
        return i == 0 ? automaton.start(node.rule) : node.next;
    };
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> order(automaton.size(), kNone);
    std::vector<std::uint32_t> low(automaton.size());
    std::vector<std::uint32_t> component(automaton.size(), kNone);
    std::vector<std::uint32_t> next_step(automaton.size());
    std::vector<NodeId> path;
    std::vector<NodeId> open;
    std::uint32_t counter = 0;
    for (NodeId first = 0; first < automaton.size(); ++first) {
        if (order[first] != kNone) {
            continue;
        }
        path.push_back(first);
        while (!path.empty()) {
            const NodeId id = path.back();
            if (order[id] == kNone) {
                order[id] = low[id] = counter++;
                open.push_back(id);
            }
            if (next_step[id] < n_steps(id)) {
                const NodeId to = step(id, next_step[id]++);
                if (order[to] == kNone) {
                    path.push_back(to);
                } else if (component[to] == kNone) {
                    low[id] = std::min(low[id], order[to]);
                }
                continue;
            }
            path.pop_back();
            if (!path.empty()) {
                low[path.back()] = std::min(low[path.back()], low[id]);
            }
            if (low[id] == order[id]) {
                while (component[id] == kNone) {
                    component[open.back()] = id;
                    open.pop_back();
                }
            }
        }
    }
    for (NodeId id = 0; id < automaton.size(); ++id) {
        const Automaton::Node& node = automaton[id];
        if (node.kind == Kind::Call && component[id] == component[automaton.start(node.rule)]) {
            return node.rule;
        }
    }
    return std::nullopt;
}

}  // namespace hearth
