// Runs the GPU checks and prints them: `gpu_checks [-v] [-g INDEX] [PART OF A NAME]`. Exit status 1
// if one failed or the validation layer, where it was asked for, said something; 77 without a
// device.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "engine/vulkan/gpu_checks.h"

int main(int argc, char** argv) {
    bool verbose = false;
    int index = 0;
    std::string part;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "-v") == 0) {
            verbose = true;
        } else if (std::strcmp(argv[i], "-g") == 0 && i + 1 < argc) {
            index = std::atoi(argv[++i]);
        } else {
            part = argv[i];
        }
    }
    using namespace hearth;
    auto instance = vulkan::Instance::create(vulkan::requested_validation());
    auto without = vulkan::requested_restrictions();
    if (!instance || !without) {
        std::printf("%s\n", (!instance ? instance.error() : without.error()).message.c_str());
        return 77;
    }
    auto device = vulkan::Device::create(*instance, index, *without);
    if (!device) {
        std::printf("%s\n", device.error().message.c_str());
        return 77;
    }
    std::printf("%s, %s\n", (*device)->physical().info.name.c_str(),
                (*device)->physical().info.driver.c_str());
    int failed = 0;
    int total = 0;
    for (const test::KernelCheck& check : test::split_checks(*device)) {
        if (check.name.find(part) == std::string::npos) {
            continue;
        }
        const test::CheckOutcome outcome = check.run();
        ++total;
        failed += outcome.passed ? 0 : 1;
        if (verbose || !outcome.passed) {
            std::printf("%-4s %-48s %s\n", outcome.passed ? "ok" : "FAIL", check.name.c_str(),
                        outcome.detail.c_str());
            std::fflush(stdout);
        }
    }
    const int messages = (*instance)->n_validation_messages();
    std::printf("%d GPU checks, %d failed, %d messages of the validation layer\n", total, failed,
                messages);
    if (messages > 0) {
        std::printf("%s\n", (*instance)->first_validation_message().c_str());
    }
    return failed == 0 && messages == 0 ? 0 : 1;
}
