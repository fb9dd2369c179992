// candidates.comp: the best of a row of logits, exactly.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "engine/vulkan/shader_checks.h"
#include "interfaces/candidate_groups.h"
#include "interfaces/candidates.h"
#include "support/best_candidates.h"
#include "vulkan/shader_catalog.h"

namespace hearth::test {
namespace {

namespace params = vulkan::params;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kGroups = CANDIDATE_GROUPS;  // of fours
constexpr std::size_t kTake = 256;

struct Row {
    const char* name;
    // Makes normal values what the row shall be.
    void (*shape)(std::vector<float>& values);
};

void equals(std::vector<float>& values) {
    std::fill(values.begin(), values.end(), -2.5F);
}

// A logit for hundreds of tokens, some of them 0 of either sign.
void coarse(std::vector<float>& values) {
    for (float& value : values) {
        value = std::round(value * 4) / 4;
    }
}

void small(std::vector<float>& values) {  // half of them denormal
    for (float& value : values) {
        value *= 1e-38F;
    }
}

void negative(std::vector<float>& values) {
    for (float& value : values) {
        value = -1 - std::fabs(value);
    }
}

void holed(std::vector<float>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i % 3 != 1) {
            // Both signs, and what only the bits below the highest make a NaN.
            values[i] = std::bit_cast<float>(i % 2 == 0 ? 0xFFC00000U : 0x7F800001U);
        } else if (i % 7 == 0) {
            values[i] = i % 2 == 0 ? kInfinity : -kInfinity;
        }
    }
}

void nowhere(std::vector<float>& values) {
    std::fill(values.begin(), values.end(), kNan);
}

void nearly_nowhere(std::vector<float>& values) {
    nowhere(values);
    for (std::size_t i = 0; i < values.size(); i += 1000) {
        values[i] = static_cast<float>(i % 7);
    }
}

void least(std::vector<float>& values) {
    std::fill(values.begin(), values.end(), -kInfinity);
}

// Large values in fewer groups than are taken: their bests say little of what is best.
void crowded(std::vector<float>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] += i / 4 % kGroups < kTake / 3 ? 100.0F : 0.0F;
    }
}

// The same, and equal.
void crowded_equals(std::vector<float>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = i / 4 % kGroups < kTake / 3 ? 1.0F : -1.0F;
    }
}

// Numbers in few groups only.
void crowded_numbers(std::vector<float>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = i / 4 % kGroups < kTake / 3 ? values[i] : kNan;
    }
}

// A row's candidates, and whether all are those that belong there.
bool same_row(std::span<const float> values, std::span<const Candidate> got) {
    const std::size_t take = got.size() - 1;
    std::vector<Candidate> wanted = best_of(values, take);
    wanted.resize(take, {0.0F, -1});
    const auto bad = std::find_if(values.begin(), values.end(),
                                  [](float value) { return !std::isfinite(value); });
    const bool finite = bad == values.end();
    const Candidate& mark = got[take];
    const bool marked =
        mark.token == (finite ? -1 : static_cast<std::int32_t>(bad - values.begin())) &&
        std::bit_cast<std::uint32_t>(mark.logit) ==
            (finite ? 0U : std::bit_cast<std::uint32_t>(*bad));
    return marked && same_candidates(got.first(take), wanted);
}

// The second of three rows is of that shape.
CheckOutcome check_row(const ShaderDevice& on, const Row& row, std::size_t n, std::uint32_t threads,
                       std::uint32_t take, std::uint32_t parts) {
    constexpr std::uint32_t kRows = 3;
    ShaderRig rig(on);
    std::vector<std::vector<float>> rows;
    std::vector<float> padded;
    for (std::uint32_t i = 0; i < kRows; ++i) {
        rows.push_back(normal_floats(n, i + 1));
        if (i == 1) {
            row.shape(rows.back());
        }
        padded.insert(padded.end(), rows.back().begin(), rows.back().end());
        // The last four go on behind the row, with what is larger than all of it and no number of
        // its.
        padded.resize((i + 1) * ((n + 3) / 4 * 4), kInfinity);
    }
    const RigBuffer& logits = rig.buffer_of(padded);
    // Something else than the mark behind the last of them.
    const RigBuffer& best = rig.buffer_of(std::vector<Candidate>(kRows * (take + 1)));
    params::CandidatesParams p{};
    p.n_values = static_cast<std::uint32_t>(n);
    const RigBuffer& groups = rig.buffer_of(std::vector<Candidate>(kRows * (kGroups + parts)));
    rig.dispatch(vulkan::shader_of<vulkan::interfaces::CandidateGroups>(),
                 {.WORKGROUP = std::min(threads, 256U)},
                 {.logits = logits.view, .best = groups.view}, p, {parts, kRows, 1});
    rig.dispatch(vulkan::shader_of<vulkan::interfaces::Candidates>(),
                 {.WORKGROUP = threads, .TAKE = take, .PARTS = parts},
                 {.logits = logits.view, .best = best.view, .of_groups = groups.view}, p,
                 {kRows, 1, 1});
    rig.run();
    const auto got = best.as<const Candidate>();
    bool same = true;
    for (std::uint32_t i = 0; i < kRows; ++i) {
        same = same && same_row(rows[i], got.subspan(i * (take + 1), take + 1));
    }
    return {same, std::to_string(take) + " of " + std::to_string(n)};
}

}  // namespace

void add_candidate_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks) {
    const std::uint32_t most =
        std::min(1024U, std::bit_floor(on.device->features().invocations_max));
    const auto add = [&](const Row& row, std::size_t n, std::uint32_t threads, std::uint32_t take,
                         std::uint32_t parts) {
        checks.push_back(checked("shader/candidates " + std::to_string(take) + " of " +
                                     std::to_string(n) + " " + row.name + ", " +
                                     std::to_string(threads) + " threads, " +
                                     std::to_string(parts) + " parts",
                                 [=] { return check_row(on, row, n, threads, take, parts); }));
    };
    const Row rows[] = {{"normal", [](std::vector<float>&) {}},
                        {"equals", equals},
                        {"coarse", coarse},
                        {"small", small},
                        {"negative", negative},
                        {"with NaN and infinities", holed},
                        {"NaN", nowhere},
                        {"mostly NaN", nearly_nowhere},
                        {"-infinity", least},
                        {"crowded", crowded},
                        {"crowded equals", crowded_equals},
                        {"crowded numbers", crowded_numbers}};
    for (const Row& row : rows) {
        for (const std::size_t n : {1U, 255U, 1023U, 32000U, 128256U}) {
            add(row, n, most, kTake, n > 40000 ? CANDIDATE_PARTS_MAX : 1);
        }
        add(row, 50257, std::min(most, 128U), kTake, 4);
        add(row, 4097, most, 1, CANDIDATE_PARTS_MAX);
    }
}

}  // namespace hearth::test
