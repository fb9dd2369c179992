#include "cpu/feed_forward/neuron_predictor.h"

#include <array>

namespace hearth {

void NeuronPredictor::begin(const FeedForwardTask& task, const CpuLayer& layer,
                            const ActivationRows& input) {
    ActivationRows from = input;
    if (form_.input == PredictorInput::Residual) {
        from = {task.x, static_cast<std::size_t>(n_embd_), scratch_.quantized, n_embd_, 1};
        if (takes_quantized(layer.tiles[Role::PredictorFc1].type)) {
            quantize_into(table_, from, 0, 0, n_embd_ / kBlockValues, task.x);
        }
    }
    const int width = layer.tiles[Role::PredictorFc1].rows;
    const std::array product{Product{&layer.tiles[Role::PredictorFc1], scratch_.hidden,
                                     static_cast<std::size_t>(width)}};
    multiply(pool_, table_, product, from);
    for (int i = 0; i < width && !form_.linear; ++i) {
        scratch_.hidden[i] = std::max(scratch_.hidden[i], 0.0F);
    }
    hidden_ = {scratch_.hidden, static_cast<std::size_t>(width), scratch_.quantized, width, 1};
    if (takes_quantized(layer.tiles[Role::PredictorFc2].type)) {
        quantize_into(table_, hidden_, 0, 0, width / kBlockValues, scratch_.hidden);
    }
}

void NeuronPredictor::score(const CpuLayer& layer, int first, int end, float* scores) const {
    multiply_rows(table_, layer.tiles[Role::PredictorFc2], hidden_, first, end, scores,
                  static_cast<std::size_t>(layer.n_neurons));
}

}  // namespace hearth
