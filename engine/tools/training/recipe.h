// What train-predictor was asked to do, checked against the model.
#pragma once

#include <hearth/result.h>
#include <hearth/tools.h>

#include "gguf/recipes.h"
#include "model/model_spec.h"
#include "model/predictor_file.h"

namespace hearth::tools {

// PredictorOptions, its names resolved and checked.
struct PredictorRecipe {
    bool low_rank = false;
    PredictorInput input = PredictorInput::Normed;
    DType type = kPredictorType;
    int first_layer = 0;
    int end_layer = 0;  // one past the last
};

// InvalidArgument names the option. Unsupported: a model whose neurons never rest, or with more of
// them than samples can name.
Result<PredictorRecipe> read_recipe(const PredictorOptions& options, const ModelSpec& spec);

}  // namespace hearth::tools
