// The sample of the GPU checks that ./test.sh runs: most of their time is lavapipe's, which
// compiles a shader anew for each type, form and size. A check's name says what it is about, so a
// check that is added joins the sample if it is about something new.
//
//   shader/KERNEL [TYPE] [bytes|transposed|cooperative ...] REST   "shader/gemv Q4_0 bytes 37x96
//   bias"
//     in the sample: each type of each form of a kernel, and each REST of each form, of one type.
//     Later rows come first: they are the large and odd ones, and 1x32 is there once, not once a
//     type.
//   shader/attention_KERNEL Q/K heads of D at N[, WORD ...]
//     in the sample: each shape of heads, each N and each WORD, and of each kernel those that are
//     treated by its own code, and not by an include's.
//   split/ARCH [with two norms|planted] TYPE [by neuron] MODE P % [ordered][, REST]
//     in the sample: each architecture in each mode and layout, a type of each kind of code in each
//     layout, uploaded or not, each share P in each mode, and each REST of each architecture.
//   feature/ARCH N queries a key, feature/ARCH heads of N
//     in the sample: 3 queries, heads of 80, and the last of the others.
//   others: all of them.
#pragma once

#include <string>
#include <vector>

#include "engine/cpu/kernel_checks.h"

namespace hearth::test {

// What the check of this name covers.
std::vector<std::string> features_of(const std::string& name);

// Those of the checks that CoveringSample takes, in their order; all of them with
// HEARTH_ALL_ROWS=1.
std::vector<KernelCheck> sample_of(std::vector<KernelCheck> checks);

}  // namespace hearth::test
