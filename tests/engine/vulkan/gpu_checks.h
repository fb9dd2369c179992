// Checks of what a GPU computes. No Qt: they run natively, on lavapipe, and on a bare machine with
// a real GPU (gpu_checks_main.cpp), and as rows of a QtTest.
#pragma once

#include <memory>
#include <vector>

#include "engine/cpu/kernel_checks.h"
#include "vulkan/device.h"

namespace hearth::test {

// Whole models split between processor and GPU, against the processor alone: every architecture,
// type, form of the down projection and mode, with 0, 30, 70 and 100 % of the neurons on the GPU.
std::vector<KernelCheck> split_checks(const std::shared_ptr<vulkan::Device>& device);

// Tiny models that each have one thing a file may hold (biases, a second norm, kinds of rope, ...),
// against the processor, which is compared with plain arithmetic.
std::vector<KernelCheck> feature_checks(const std::shared_ptr<vulkan::Device>& device);

// Each shader alone, against plain arithmetic in double precision: every type, every form this
// device has, odd sizes, matrices in slices. What a type means is gguf/rows.h's word.
std::vector<KernelCheck> shader_checks(const std::shared_ptr<vulkan::Device>& device);

// All of them, shaders first: where one is wrong, so are the models. Run them one at a time.
std::vector<KernelCheck> gpu_checks(const std::shared_ptr<vulkan::Device>& device);

}  // namespace hearth::test
