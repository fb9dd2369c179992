// The choice of a token's experts by the products of its layer's router.
#pragma once

#include <span>

#include "compute/chosen_expert.h"
#include "model/experts_spec.h"

namespace hearth {

// Chooses spec.n_used experts, those with the largest scores, of equal ones the first. products:
// [spec.n], finite, overwritten. bias: [spec.n], or empty. chosen: [spec.n_used], in ascending
// order of experts. Any thread.
void choose_experts(const ExpertsSpec& spec, std::span<float> products, std::span<const float> bias,
                    std::span<ChosenExpert> chosen);

}  // namespace hearth
