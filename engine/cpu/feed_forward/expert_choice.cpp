#include "cpu/feed_forward/expert_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "base/assert.h"

namespace hearth {
namespace {

// The smallest normal half: a smaller sum counts as it.
constexpr float kLeastSum = 6.103515625e-5F;

void softmax(std::span<float> values) {
    const float largest = *std::max_element(values.begin(), values.end());
    double sum = 0;
    for (float& value : values) {
        value = std::exp(value - largest);
        sum += static_cast<double>(value);
    }
    const auto factor = static_cast<float>(1.0 / sum);
    for (float& value : values) {
        value *= factor;
    }
}

// The best experts so far, the best one first; weights are scores.
class Best {
public:
    explicit Best(std::span<ChosenExpert> room) : room_(room) {}

    // Experts come in ascending order.
    void offer(std::size_t expert, float score) {
        if (count_ == room_.size() && !(score > room_.back().weight)) {
            return;
        }
        std::size_t at = count_ < room_.size() ? count_++ : count_ - 1;
        for (; at > 0 && score > room_[at - 1].weight; --at) {
            room_[at] = room_[at - 1];
        }
        room_[at] = {static_cast<std::int32_t>(expert), score};
    }

private:
    std::span<ChosenExpert> room_;
    std::size_t count_ = 0;
};

// The groups that a token's experts are of: those with the largest best scores where scores are a
// softmax's (DeepSeek-V2's group-limited choice), else with the largest sums of two best ones
// (DeepSeek-V3, section 2.1.2).
class Groups {
public:
    template <class Score>
    Groups(const ExpertsSpec& spec, Score&& score)
        : size_(static_cast<std::size_t>(spec.n / spec.n_groups)) {
        const auto n = static_cast<std::size_t>(spec.n_groups);
        HEARTH_ASSERT(spec.n_groups <= kMostExpertGroups);
        if (n == 1) {
            used_[0] = true;
            return;
        }
        const bool of_two = size_ > 1 && spec.scores != RouterScores::Softmax;
        std::array<float, kMostExpertGroups> scores{};
        for (std::size_t group = 0; group < n; ++group) {
            float best = -std::numeric_limits<float>::infinity();
            float second = of_two ? best : 0.0F;
            for (std::size_t i = group * size_; i < (group + 1) * size_; ++i) {
                const float next = score(i);
                second = of_two ? std::max(second, std::min(best, next)) : second;
                best = std::max(best, next);
            }
            scores[group] = best + second;
        }
        for (std::size_t group = 0; group < n; ++group) {
            int before = 0;  // groups that come first
            for (std::size_t other = 0; other < n; ++other) {
                before += scores[other] > scores[group] ||
                                  (scores[other] == scores[group] && other < group)
                              ? 1
                              : 0;
            }
            used_[group] = before < spec.n_used_groups;
        }
    }

    bool uses(std::size_t expert) const { return used_[expert / size_]; }

private:
    std::size_t size_;
    std::array<bool, kMostExpertGroups> used_{};
};

void weigh(const ExpertsSpec& spec, std::span<ChosenExpert> chosen) {
    if (spec.scores == RouterScores::SoftmaxOfChosen) {
        float largest = chosen.front().weight;
        for (const ChosenExpert& one : chosen) {
            largest = std::max(largest, one.weight);
        }
        for (ChosenExpert& one : chosen) {
            one.weight = std::exp(one.weight - largest);
        }
    }
    float factor = spec.scale;
    if (spec.normed || spec.scores == RouterScores::SoftmaxOfChosen) {
        double sum = 0;
        for (const ChosenExpert& one : chosen) {
            sum += static_cast<double>(one.weight);
        }
        factor /= std::max(static_cast<float>(sum), kLeastSum);
    }
    for (ChosenExpert& one : chosen) {
        one.weight *= factor;
    }
}

}  // namespace

void choose_experts(const ExpertsSpec& spec, std::span<float> products, std::span<const float> bias,
                    std::span<ChosenExpert> chosen) {
    HEARTH_DCHECK(products.size() == static_cast<std::size_t>(spec.n) &&
                  chosen.size() == static_cast<std::size_t>(spec.n_used));
    if (spec.scores == RouterScores::Softmax) {
        softmax(products);
    } else if (spec.scores == RouterScores::Sigmoid) {
        for (float& value : products) {
            value = 1.0F / (1.0F + std::exp(-value));
        }
    }
    const auto score = [&](std::size_t expert) {
        return bias.empty() ? products[expert] : products[expert] + bias[expert];
    };
    const Groups groups(spec, score);
    Best best(chosen);
    for (std::size_t expert = 0; expert < products.size(); ++expert) {
        if (groups.uses(expert)) {
            best.offer(expert, score(expert));
        }
    }
    for (ChosenExpert& one : chosen) {
        one.weight = products[static_cast<std::size_t>(one.expert)];
    }
    std::sort(chosen.begin(), chosen.end(),
              [](const ChosenExpert& a, const ChosenExpert& b) { return a.expert < b.expert; });
    weigh(spec, chosen);
}

}  // namespace hearth
