// Scores of a layer's neurons for one token, by the layer's activation predictor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/thread_pool.h"
#include "cpu/cpu_weights.h"
#include "cpu/feed_forward/task.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "model/model_spec.h"
#include "model/predictor_file.h"

namespace hearth {

// scores = fc2 f(fc1 input), as model/predictor_file.h says.
class NeuronPredictor {
public:
    struct Scratch {
        float* hidden = nullptr;         // [width] of the widest layer's predictor
        std::byte* quantized = nullptr;  // one token, the wider of n_embd and that width
    };
    template <class Take>
    static void lay_out(const ModelSpec& spec, int width, Scratch& scratch, Take&& take) {
        take(scratch.hidden, static_cast<std::uint64_t>(width) * sizeof(float));
        take(scratch.quantized, quantized_bytes(std::max(width, spec.n_embd), 1));
    }

    // The predictors of a model are alike in this.
    struct Form {
        PredictorInput input = PredictorInput::Normed;
        bool linear = false;  // f is no ReLU
    };
    NeuronPredictor(const kernels::KernelTable& table, ThreadPool& pool, int n_embd,
                    const Form& form, const Scratch& scratch)
        : table_(table), pool_(pool), n_embd_(n_embd), form_(form), scratch_(scratch) {}

    // Computes the predictor's own hidden values. input: the block's. The engine's thread.
    void begin(const FeedForwardTask& task, const CpuLayer& layer, const ActivationRows& input);
    // scores[n] becomes neuron n's score for first <= n < end. first: a multiple of 32. Any thread.
    void score(const CpuLayer& layer, int first, int end, float* scores) const;

private:
    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    int n_embd_;
    Form form_;
    Scratch scratch_;
    ActivationRows hidden_;  // what fc2 is multiplied with
};

}  // namespace hearth
