// Runs the kernel checks and prints them: `kernel_checks [-v] [--sample | --kinds] [TABLE]`. Exit
// status 1 if one failed, or if this processor runs too few of the table named, which then is
// checked alone.
// --sample, for emulated processors: what CoveringSample takes, last rows first. Covered are each
// kind of check ("matmul Q4_0", "attention part"), each number in each place of each kind's sizes,
// and each number of queries beside each number of positions; but no matrix of more than a million
// weights, which takes half a minute. All rows with HEARTH_ALL_ROWS=1. --kinds: the first check of
// each kind.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "engine/cpu/kernel_checks.h"
#include "support/covering_sample.h"

namespace {

// Fewer would mean that the checks of a table have been lost.
constexpr int kFewest = 50;

// "neon/attention/64x17+0x8": the kind is "attention", its sizes are 64, 17, 0, 8.
std::vector<std::string> features_of(const std::string& name) {
    const std::size_t kind_at = name.find('/') + 1;
    const std::size_t sizes_at = name.find('/', kind_at);
    const std::string kind = name.substr(kind_at, sizes_at - kind_at);
    std::vector<std::string> features{kind};
    if (sizes_at == std::string::npos) {
        return {name};
    }
    std::string size;
    int place = 0;
    for (std::size_t i = sizes_at + 1; i <= name.size(); ++i) {
        const bool ends = i == name.size() || name[i] == 'x' || name[i] == '+' || name[i] == '/';
        if (ends) {
            features.push_back(kind + ' ' + std::to_string(place++) + ": " + size);
            size.clear();
        } else {
            size += name[i];
        }
    }
    if (const std::size_t head_dim_ends = name.find('x', sizes_at);
        kind.starts_with("attention") && head_dim_ends != std::string::npos) {
        features.push_back("positions x queries: " + name.substr(head_dim_ends));
    }
    return features;
}

// "neon/matmul Q4_0/896x4864x3": its first two sizes are a matrix of four million weights. Types
// whose blocks name patterns take long to make.
bool is_large(const std::string& name) {
    const long kMostWeights = name.find(" IQ") == std::string::npos ? 1 << 20 : 1 << 18;
    const std::size_t sizes_at = name.find('/', name.find('/') + 1);
    long rows = 0;
    long cols = 0;
    return sizes_at != std::string::npos &&
           std::sscanf(name.c_str() + sizes_at, "/%ldx%ld", &rows, &cols) == 2 &&
           rows * cols > kMostWeights;
}

}  // namespace

int main(int argc, char** argv) {
    bool verbose = false;
    bool sampled = false;
    bool kinds = false;
    std::string table;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "-v") == 0) {
            verbose = true;
        } else if (std::strcmp(argv[i], "--sample") == 0) {
            sampled = true;
        } else if (std::strcmp(argv[i], "--kinds") == 0) {
            kinds = true;
        } else {
            table = argv[i];
        }
    }
    int failed = 0;
    int total = 0;
    std::vector<hearth::test::KernelCheck> checks = hearth::test::kernel_checks();
    std::erase_if(checks, [&](const hearth::test::KernelCheck& check) {
        return !table.empty() && check.name.rfind(table + "/", 0) != 0;
    });
    if (sampled) {
        hearth::test::CoveringSample sample;
        std::reverse(checks.begin(), checks.end());
        std::erase_if(checks, [&](const hearth::test::KernelCheck& check) {
            return (is_large(check.name) && !hearth::test::all_rows()) ||
                   !sample.takes(features_of(check.name));
        });
    }
    if (kinds) {
        hearth::test::CoveringSample sample;
        std::erase_if(checks, [&](const hearth::test::KernelCheck& check) {
            return !sample.takes({features_of(check.name).front()});
        });
    }
    for (const hearth::test::KernelCheck& check : checks) {
        const hearth::test::CheckOutcome outcome = check.run();
        ++total;
        failed += outcome.passed ? 0 : 1;
        if (verbose || !outcome.passed) {
            std::printf("%-4s %-40s %s\n", outcome.passed ? "ok" : "FAIL", check.name.c_str(),
                        outcome.detail.c_str());
        }
    }
    std::printf("%d kernel checks%s%s, %d failed\n", total, table.empty() ? "" : " of ",
                table.c_str(), failed);
    if (total <= kFewest) {
        std::printf("FAIL more than %d checks were expected\n", kFewest);
        return 1;
    }
    return failed == 0 ? 0 : 1;
}
