#include "plan/steps.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace hearth {
namespace {

Unit unit_with(bool on_gpu) {
    return on_gpu ? Unit::Gpu : Unit::Cpu;
}

Unit other(Unit unit) {
    return unit == Unit::Cpu ? Unit::Gpu : Unit::Cpu;
}

class Compiler {
public:
    Compiler(const Placement& placement, PassKind kind) : placement_(placement), kind_(kind) {}

    std::vector<Step> run(std::span<const int> n_ff) {
        add({.op = Op::Embed, .unit = Unit::Cpu});
        for (std::size_t layer = 0; layer < n_ff.size(); ++layer) {
            add_layer(static_cast<int>(layer), n_ff[layer]);
        }
        const Unit head = unit_of(placement_.output);
        add({.op = Op::Head, .unit = head});
        steps_.back().signal = head == Unit::Gpu ? 1 : 0;
        number_points();
        return std::move(steps_);
    }

private:
    void add_layer(int layer, int n_ff) {
        const LayerSteps all = layer_steps(layer, n_ff, placement_.attention_in_vram(layer),
                                           placement_.hot(layer), kind_);
        const std::size_t first = steps_.size();
        for (std::size_t i = 0; i < static_cast<std::size_t>(all.count); ++i) {
            const int input = all.inputs[i];
            add(all.steps[i], input < 0 ? first - 1 : first + static_cast<std::size_t>(input));
        }
    }

    void add(const Step& step) { add(step, steps_.empty() ? 0 : steps_.size() - 1); }
    // input: the step whose result this one reads. Until number_points(), `signal` only says
    // whether the step signals, and `wait` is 1 + the place of the step that is waited for.
    void add(const Step& step, std::size_t input) {
        steps_.push_back(step);
        if (steps_[input].unit != step.unit) {
            steps_[input].signal = 1;
            steps_.back().wait = static_cast<int>(input) + 1;
        }
    }

    void number_points() {
        std::array<int, 2> n_points{};
        for (Step& step : steps_) {
            if (step.signal > 0) {
                step.signal = ++n_points[static_cast<std::size_t>(step.unit)];
            }
            if (step.wait > 0) {
                step.wait = steps_[static_cast<std::size_t>(step.wait) - 1].signal;
            }
        }
    }

    const Placement& placement_;
    const PassKind kind_;
    std::vector<Step> steps_;
};

}  // namespace

LayerSteps layer_steps(int layer, int n_ff, bool attention_in_vram, int hot, PassKind kind) {
    LayerSteps out;
    const auto add = [&](const Step& step, int input) {
        out.steps[static_cast<std::size_t>(out.count)] = step;
        out.inputs[static_cast<std::size_t>(out.count)] = input;
        return out.count++;
    };
    const bool uploaded = kind == PassKind::Uploaded;
    const Unit owner = unit_with(uploaded || attention_in_vram);
    int last = add({.op = Op::AttentionIn, .unit = owner, .layer = layer}, -1);
    last = add({.op = Op::Attend, .unit = unit_with(attention_in_vram), .layer = layer}, last);
    last = add({.op = Op::AttentionOut, .unit = owner, .layer = layer}, last);
    // The owner's neurons do not wait for the other unit's, and the sum waits for both.
    const int input = last;
    const int n_gpu = uploaded ? n_ff : hot;
    for (const Unit unit : {owner, other(owner)}) {
        const int first = unit == Unit::Gpu ? 0 : n_gpu;
        const int n = unit == Unit::Gpu ? n_gpu : n_ff - n_gpu;
        if (n > 0) {
            last = add({.op = Op::FeedForward,
                        .unit = unit,
                        .layer = layer,
                        .first_neuron = first,
                        .n_neurons = n},
                       input);
        }
    }
    add({.op = Op::Sum, .unit = owner, .layer = layer}, last);
    return out;
}

std::vector<Step> compile(std::span<const int> n_ff, const Placement& placement, PassKind kind) {
    return Compiler(placement, kind).run(n_ff);
}

std::vector<Step> compile(const ModelSpec& spec, const Placement& placement, PassKind kind) {
    return compile(spec.neurons(), placement, kind);
}

int n_signals(std::span<const Step> steps) {
    return static_cast<int>(
        std::count_if(steps.begin(), steps.end(), [](const Step& s) { return s.signal > 0; }));
}

}  // namespace hearth
