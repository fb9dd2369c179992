// Which experts of a mixture, or neurons of a sparse model, VRAM should have in the place of
// others, by what tokens chose or what fired so far. A layer keeps as many as it has.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/model_spec.h"
#include "plan/placement.h"
#include "plan/profile.h"

namespace hearth {

// An item is what LayerPlacement::order numbers: an expert or a neuron. It is used if a token
// chooses it, or if it fires.
//
// Two forecasts compete: all uses that are known, of earlier days too, and those of the last
// answers. Each is judged by how many of the next uses the items have that it would put into VRAM.
// The better one says what moves.
//
// An exchange is wanted if the difference between both items is no chance: four standard deviations
// of it, since the most and the least of many are compared. One thread at a time.
class VramMoves {
public:
    // Uses lose half of their weight after so many tokens, in the forecast of the last answers and
    // in the judgement of both.
    static constexpr double kHalfLife = 512;

    // known: the profile that the plan went by, in the file's order; null: there is none.
    VramMoves(const ModelSpec& spec, const ActivationProfile* known);

    // True if anything of the model may move.
    static bool suits(const ModelSpec& spec);

    // counts: [n_layer][items of the file], uses since the last call, by `tokens` tokens.
    void add(std::span<const std::vector<std::uint32_t>> counts, std::uint64_t tokens,
             const Placement& placement);

    // The largest gains come first, at most `most`. Layers that VRAM has none or all of, and those
    // whose order is the file's own, have none. No place comes twice.
    std::vector<PlaceExchange> wanted(const Placement& placement, std::size_t most) const;

    // True if the last answers foresaw more. Equal ones: false.
    bool goes_by_last() const { return last_foresaw_ > all_foresaw_; }

    // Uses that were added since the last call of take_hits(), and those whose item lay in VRAM
    // then. Only layers that VRAM has a part of, not all, are counted.
    struct Hits {
        std::uint64_t uses = 0, in_vram = 0;
    };
    Hits take_hits();

private:
    struct Layer {
        int width = 0;             // neurons of an item; 0: none of the layer is counted
        std::vector<double> all;   // [items] uses
        std::vector<double> last;  // likewise, those of long ago weigh less
    };
    int items_in_vram(const Placement& placement, int layer) const;
    void count_hits(std::span<const std::uint32_t> counts, const Placement& placement, int layer);

    std::vector<Layer> layers_;
    double all_tokens_ = 0, last_tokens_ = 0;
    double all_foresaw_ = 0, last_foresaw_ = 0;  // uses
    Hits hits_;
};
}  // namespace hearth
