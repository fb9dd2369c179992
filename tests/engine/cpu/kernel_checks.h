// Checks of every kernel table against plain arithmetic in double precision. No Qt: they run
// natively, under an emulator and on a bare machine (kernel_checks_main.cpp), and as rows of a
// QtTest.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace hearth::test {

struct CheckOutcome {
    bool passed = false;
    std::string detail;    // the errors seen and the bound
    bool skipped = false;  // and passed: nothing was checked, `detail` names what is missing
};

struct KernelCheck {
    std::string name;  // "avx2/matmul Q4_0/896x4864x3"
    std::function<CheckOutcome()> run;
};

// For every table this processor runs.
std::vector<KernelCheck> kernel_checks();

// The tables of this build that this processor does not run: "avx512".
std::vector<std::string> missing_tables();

}  // namespace hearth::test
