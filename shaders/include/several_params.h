// Push constants of shaders that compute a block for several tokens; see params.h.
#ifndef HEARTH_SHADER_SEVERAL_PARAMS_H
#define HEARTH_SHADER_SEVERAL_PARAMS_H
#include "include/params.h"

#ifdef __cplusplus
namespace hearth::vulkan::params {
#endif

struct SeveralNeuronsParams {
    MatrixParams matrix;  // as NeuronParams has it
    uint first;           // where in a token's row of h the first neuron goes
    uint n_neurons;       // of this matrix
    uint activation;      // ACTIVATION_*
    float gate_threshold;
    uint n_tokens;
    uint h_stride;  // floats of h from one token to the next
};

#ifdef __cplusplus
}  // namespace hearth::vulkan::params
#endif
#endif
