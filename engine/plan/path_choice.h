// Which path a token alone takes through a layer's feed-forward block: whichever is faster at the
// share of gates that are open there. Pure functions: whoever measures and switches is elsewhere.
//
// Both paths compute every gate and, of the neurons that fire, the rows of down. They differ in up:
//   Exact  reads the rows of the neurons whose gate is open. Rows that lie scattered come at about
//          half the speed of a stream, so this gains nothing from some open share on.
//   Dense  reads all of it, as a stream.
// Predictors are no third candidate: they change the text, so only who names the mode gets them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "plan/plan.h"
#include "plan/profile.h"

namespace hearth {

// What the up projection of one block takes, in any unit, the same for all of them.
struct PathSpeeds {
    // Shares of the gates that are open.
    static constexpr std::array kOpened = {0.2, 0.4, 0.6, 0.8, 1.0};

    double dense = 0;                            // all neurons, from tiles; 0: not measured
    std::array<double, kOpened.size()> exact{};  // of rows, at the shares kOpened

    bool measured() const { return dense > 0; }
    // At any share; between the measured ones on straight lines, nothing at 0.
    double exact_at(double opened) const;
};

// As seen on a processor with AVX-512 (Zen 5, two cores) at the width of a 7B model: for models too
// small for measuring to pay, whose path then depends on nothing but what they compute.
inline constexpr PathSpeeds kTypicalSpeeds{1.0, {0.33, 0.71, 1.05, 1.33, 1.2}};

// So many tokens tell how many gates are open: fewer are too much alike.
inline constexpr std::uint64_t kLeastTokensForPath = 16;

// Another path than the present one is taken only where it saves this share of the time: laying
// weights out anew costs some ms a layer, and measurements tell no smaller difference.
inline constexpr double kLeastPathGain = 0.05;

// Exact or Dense. opened: share of the gates that are open, 0 to 1. Precondition:
// speeds.measured().
FeedForwardMode choose_path(double opened, const PathSpeeds& speeds, FeedForwardMode present);

// The share of the gates that are open; empty: too few tokens were counted. opened: gates that
// were, neurons: that might have been, both over all tokens.
std::optional<double> measured_share(std::uint64_t tokens, std::uint64_t opened,
                                     std::uint64_t neurons);

// The share of the neurons from place `first` on that fired, by a profile: a little less than are
// open where a neuron must pass a second test. Empty: too few tokens, or no neurons. order: the
// plan's, see LayerPlacement::order.
std::optional<double> profiled_share(const ActivationProfile& profile, int layer,
                                     std::span<const int> order, int first);

}  // namespace hearth
