// What a model does with the products of its output head before they are logits.
#pragma once

#include <cmath>
#include <span>

#include "model/model_spec.h"

namespace hearth {

// Both steps keep the order of the values. What is not finite stays so, that it is found.
inline float finished_logit(const ModelSpec& spec, float product) {
    const float scaled = spec.logit_scale * product;
    return spec.logit_soft_cap == 0.0F || !std::isfinite(scaled)
               ? scaled
               : spec.logit_soft_cap * std::tanh(scaled / spec.logit_soft_cap);
}

inline void finish_logits(const ModelSpec& spec, std::span<float> products) {
    if (spec.logit_scale == 1.0F && spec.logit_soft_cap == 0.0F) {
        return;
    }
    for (float& product : products) {
        product = finished_logit(spec, product);
    }
}

}  // namespace hearth
