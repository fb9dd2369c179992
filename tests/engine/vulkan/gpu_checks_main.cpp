// Runs the GPU checks and prints them, with -v also what passed and the processor time of each:
// `gpu_checks [-v] [-g INDEX] [--sample] [--list] [--judge
// TEST] [PART OF A NAME...]`, all or those whose names contain one of the parts. Exit status 1 if
// one failed, if a part is in no name, or if the validation layer, where it was asked for, said
// something; 77 without a device. --list prints their names alone. With --sample those that
// check_sample.h takes. With --judge what is skipped is judged by support/skips.h under that test's
// name, and what may not be skipped fails.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "engine/vulkan/check_sample.h"
#include "engine/vulkan/gpu_checks.h"
#include "support/skips.h"

namespace {

using namespace hearth;

int missing(const Error& error, const std::string& judged_as) {
    std::printf("%s\n", error.message.c_str());
    if (judged_as.empty()) {
        return 77;
    }
    const test::Skip all{judged_as + "::all", error.message};
    return test::judge_skips({&all, 1}) == 0 ? 77 : 1;
}

struct Part {
    std::string_view text;
    int matches = 0;
};

bool is_wanted(std::string_view name, std::vector<Part>& parts) {
    bool wanted = parts.empty();
    for (Part& part : parts) {
        if (name.find(part.text) != std::string_view::npos) {
            ++part.matches;
            wanted = true;
        }
    }
    return wanted;
}

}  // namespace

int main(int argc, char** argv) {
    bool verbose = false;
    int index = 0;
    bool sampled = false;
    bool lists = false;
    std::string judged_as;
    std::vector<Part> parts;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "-v") == 0) {
            verbose = true;
        } else if (std::strcmp(argv[i], "-g") == 0 && i + 1 < argc) {
            index = std::atoi(argv[++i]);
        } else if (std::strcmp(argv[i], "--sample") == 0) {
            sampled = true;
        } else if (std::strcmp(argv[i], "--list") == 0) {
            lists = true;
        } else if (std::strcmp(argv[i], "--judge") == 0 && i + 1 < argc) {
            judged_as = argv[++i];
        } else {
            parts.push_back({argv[i]});
        }
    }
    auto instance =
        vulkan::Instance::create(vulkan::validation_from(read_environment().vulkan_validation));
    if (!instance) {
        return missing(instance.error(), judged_as);
    }
    auto without = vulkan::parse_restrictions(read_environment().vulkan_without);
    if (!without) {
        std::printf("%s\n", without.error().message.c_str());
        return 1;
    }
    auto device = vulkan::Device::create(*instance, index, *without);
    if (!device) {
        return missing(device.error(), judged_as);
    }
    std::printf("%s, %s\n", (*device)->physical().info.name.c_str(),
                (*device)->physical().info.driver.c_str());
    std::vector<test::KernelCheck> checks = test::gpu_checks(*device);
    std::erase_if(checks,
                  [&](const test::KernelCheck& check) { return !is_wanted(check.name, parts); });
    if (sampled) {
        checks = test::sample_of(std::move(checks));
    }
    device->reset();  // the checks hold it
    if (lists) {
        for (const test::KernelCheck& check : checks) {
            std::printf("%s\n", check.name.c_str());
        }
        return 0;
    }
    int failed = 0;
    int total = 0;
    std::vector<test::Skip> skips;
    for (const test::KernelCheck& check : checks) {
        const std::clock_t began = std::clock();
        const test::CheckOutcome outcome = check.run();
        const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
        ++total;
        failed += outcome.passed ? 0 : 1;
        if (outcome.skipped) {
            skips.push_back({judged_as + "::" + check.name, outcome.detail});
        }
        if (verbose || !outcome.passed) {
            const char* how = outcome.skipped ? "skip" : outcome.passed ? "ok" : "FAIL";
            std::printf("%-4s %6.2f s  %-48s %s\n", how, seconds, check.name.c_str(),
                        outcome.detail.c_str());
            std::fflush(stdout);
        }
    }
    checks.clear();  // and the device: the layer names what was not freed
    const int messages = (*instance)->n_validation_messages();
    std::printf("%d GPU checks, %d failed, %d skipped, %d messages of the validation layer\n",
                total, failed, static_cast<int>(skips.size()), messages);
    if (messages > 0) {
        std::printf("%s\n", (*instance)->first_validation_message().c_str());
    }
    for (const Part& part : parts) {
        if (part.matches == 0) {
            std::printf("no check's name contains \"%s\"\n", std::string(part.text).c_str());
            ++failed;
        }
    }
    const int not_allowed = judged_as.empty() ? 0 : test::judge_skips(skips);
    return failed == 0 && messages == 0 && not_allowed == 0 ? 0 : 1;
}
