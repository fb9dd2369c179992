#include "tools/training/recipe.h"

#include <algorithm>
#include <string>
#include <utility>

#include "gguf/recipes.h"
#include "gguf/rows.h"
#include "tools/training/samples.h"

namespace hearth::tools {
namespace {

Error invalid(std::string what, std::string field) {
    return Error{ErrorCode::InvalidArgument, std::move(what), {}, std::move(field)};
}

}  // namespace

Result<PredictorRecipe> read_recipe(const PredictorOptions& options, const ModelSpec& spec) {
    PredictorRecipe recipe;
    if (options.kind != "trained" && options.kind != "low_rank") {
        return invalid(
            "there are predictors of kind trained and low_rank, not \"" + options.kind + "\"",
            "kind");
    }
    recipe.low_rank = options.kind == "low_rank";
    const auto input = predictor_input_from_name(options.input);
    if (!input) {
        return invalid("predictors read normed or residual, not \"" + options.input + "\"",
                       "input");
    }
    recipe.input = *input;
    if (recipe.low_rank && recipe.input != PredictorInput::Normed) {
        return invalid("a low-rank predictor is the gate itself, which reads normed", "input");
    }
    const auto type = dtype_from_name(options.type);
    if (!type || !is_written(*type)) {
        return invalid("predictors cannot be written as \"" + options.type + "\"; " +
                           written_types() + " are possible",
                       "type");
    }
    recipe.type = *type;
    const int last = options.last_layer < 0 ? spec.n_layer() - 1 : options.last_layer;
    if (options.first_layer < 0 || options.first_layer > last || last >= spec.n_layer()) {
        return invalid("layers " + std::to_string(options.first_layer) + " to " +
                           std::to_string(last) + " were asked for, the model has 0 to " +
                           std::to_string(spec.n_layer() - 1),
                       "layers");
    }
    recipe.first_layer = options.first_layer;
    recipe.end_layer = last + 1;
    const auto step = static_cast<int>(kPredictorWidthStep);
    if (options.width < 0 || options.width % step != 0 ||
        options.width > static_cast<int>(kMostPredictorWidth)) {
        return invalid("a width of " + std::to_string(options.width) +
                           " was asked for; possible are multiples of " + std::to_string(step) +
                           " up to " + std::to_string(kMostPredictorWidth),
                       "width");
    }
    int rank = spec.n_embd;
    for (int layer = recipe.first_layer; layer < recipe.end_layer; ++layer) {
        rank = std::min(rank, spec.layer(layer).n_ff);
    }
    if (recipe.low_rank && options.width > rank) {
        return invalid("the gate has no rank above " + std::to_string(rank), "width");
    }
    if (!(options.recall > 0 && options.recall <= 1)) {
        return invalid("recall is a share above 0 and up to 1", "recall");
    }
    if (options.passes < 1) {
        return invalid("at least one pass over the text is needed", "passes");
    }
    if (!is_sparse(spec.activation())) {
        return Error{ErrorCode::Unsupported,
                     "the neurons of this model (" + std::string(to_string(spec.activation())) +
                         ") never rest, so there is nothing to predict",
                     {},
                     "model"};
    }
    if (spec.n_ff_max() > kMostNeurons) {
        return Error{ErrorCode::Unsupported,
                     "the model has " + std::to_string(spec.n_ff_max()) +
                         " neurons a block; predictors are made for up to " +
                         std::to_string(kMostNeurons),
                     {},
                     "model"};
    }
    return recipe;
}

}  // namespace hearth::tools
