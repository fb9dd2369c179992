// The options of a load that the engine and its forecast have alike.
#pragma once

#include "bridge/load_options.h"

namespace hearth::ui {

// Options: EngineOptions or tools::PlanOptions, which have fields of the same names. What only one
// of them has is left as it is.
template <typename Options>
void setLoadFields(const LoadOptions& from, Options* to) {
    to->model_path = from.path.toStdString();
    to->threads = from.threads;
    to->n_ctx = from.contextTokens;
    to->ram_bytes = from.ramBytes;
    to->vram_bytes = from.vramBytes;
    to->gpu = from.gpu.toStdString();
    to->mode = from.mode.toStdString();
    to->kv = from.kv.toStdString();
    to->activation = from.activation.toStdString();
    to->predictor_input = from.predictorInput.toStdString();
    to->predictors_path = from.predictorsPath.toStdString();
    to->thresholds_path = from.thresholdsPath.toStdString();
}

}  // namespace hearth::ui
