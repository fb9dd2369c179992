// Which experts VRAM should have in the place of others, by what tokens chose so far. A layer keeps
// as many as it has: two experts change their places.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/model_spec.h"
#include "plan/placement.h"
#include "plan/profile.h"

namespace hearth {

// Two forecasts compete: all choices that are known, of earlier days too, and those of the last
// answers. Each is judged by how many of the next choices the experts that it would put into VRAM
// have. The better one says what moves.
//
// An exchange is wanted if the difference between both experts is no chance: four standard
// deviations of it, since the most and the least of many are compared. One thread at a time.
class ExpertMoves {
public:
    // Choices lose half of their weight after so many tokens, in the forecast of the last answers
    // and in the judgement of both.
    static constexpr double kHalfLife = 512;

    // known: the profile that the plan went by, in the file's order; null: there is none.
    ExpertMoves(const ModelSpec& spec, const ActivationProfile* known);

    // counts: [n_layer][experts of the file], choices since the last call; `tokens` chose.
    void add(std::span<const std::vector<std::uint32_t>> counts, std::uint64_t tokens,
             const Placement& placement);

    // The largest gains come first, at most `most`. Layers that VRAM has none or all of, and those
    // whose order is the file's own, have none.
    std::vector<ExpertExchange> wanted(const Placement& placement, std::size_t most) const;

    // True if the last answers foresaw more. Equal ones: false.
    bool goes_by_last() const { return last_foresaw_ > all_foresaw_; }

private:
    struct Layer {
        int n_ff = 0;              // of an expert; 0: no mixture
        std::vector<double> all;   // [experts] choices
        std::vector<double> last;  // likewise, those of long ago weigh less
    };
    int experts_in_vram(const Placement& placement, int layer) const;

    std::vector<Layer> layers_;
    double all_tokens_ = 0, last_tokens_ = 0;
    double all_foresaw_ = 0, last_foresaw_ = 0;  // choices
};
}  // namespace hearth
