// Whether what a unit holds of a weight is the file's own number: a block whose inputs no kernel
// rounds, against plain arithmetic in double precision.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gguf/dtype.h"
#include "vulkan/device.h"

namespace hearth::test {

struct HeldBlock {
    DType gate, up, down;
    bool on_gpu = false;
    bool by_neuron = true;  // exact, from rows of neurons; else dense, from tiles

    std::string name() const;
};

// The root mean square of the logits' error by that of the logits, for tokens passed alone.
// `problem` says what went wrong. device: null where the processor has the block.
//
// The block's normed input is 15.875 = 127/8 in one place and 0 elsewhere, which 8 bits a value
// hold exactly, and hidden values are added in float: what is left of an error is the weights'.
double error_of(const HeldBlock& block, const std::shared_ptr<vulkan::Device>& device,
                std::string& problem);

}  // namespace hearth::test
