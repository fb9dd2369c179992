// Puts a plan in a few words: whether a model fits this computer, and how fast it would answer.
#pragma once

#include "bridge/machine_service.h"
#include "library/model_list_model.h"

namespace hearth::ui {

ModelFit fitOf(const PlanAnswer& answer);
// "12 to 18 tokens/s"; empty: unknown.
QString speedWords(double low, double high);

}  // namespace hearth::ui
