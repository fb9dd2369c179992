#include "hardware/gpu_selection.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/assert.h"

namespace hearth {
namespace {

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same(char a, char b) {
    return lower(a) == lower(b);
}

bool has_name(const GpuInfo& gpu, std::string_view name) {
    return std::equal(gpu.name.begin(), gpu.name.end(), name.begin(), name.end(), same);
}

bool has_in_name(const GpuInfo& gpu, std::string_view part) {
    return std::search(gpu.name.begin(), gpu.name.end(), part.begin(), part.end(), same) !=
           gpu.name.end();
}

std::string listed(std::span<const GpuInfo> gpus, std::span<const int> places) {
    std::string text;
    for (const int place : places) {
        const GpuInfo& gpu = gpus[static_cast<std::size_t>(place)];
        text += (text.empty() ? "" : ", ") + std::to_string(gpu.index) + " (" + gpu.name + ")";
    }
    return text;
}

Error no_such(std::span<const GpuInfo> gpus, std::string_view wanted) {
    std::vector<int> all(gpus.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = static_cast<int>(i);
    }
    return Error{ErrorCode::InvalidArgument,
                 "there is no GPU \"" + std::string(wanted) + "\"; the system lists " +
                     (gpus.empty() ? "none" : listed(gpus, all)),
                 {},
                 "gpu"};
}

// The place of the one that was asked for by index or name.
Result<int> find(std::span<const GpuInfo> gpus, std::string_view wanted) {
    const auto all_that = [&](auto&& fits) {
        std::vector<int> places;
        for (std::size_t i = 0; i < gpus.size(); ++i) {
            if (fits(gpus[i])) {
                places.push_back(static_cast<int>(i));
            }
        }
        return places;
    };
    std::vector<int> found;
    if (wanted.find_first_not_of("0123456789") == std::string_view::npos && !wanted.empty()) {
        int index = -1;
        std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
        found = all_that([&](const GpuInfo& gpu) { return gpu.index == index; });
    } else if (!wanted.empty()) {
        found = all_that([&](const GpuInfo& gpu) { return has_name(gpu, wanted); });
        if (found.empty()) {
            found = all_that([&](const GpuInfo& gpu) { return has_in_name(gpu, wanted); });
        }
    }
    if (found.empty()) {
        return no_such(gpus, wanted);
    }
    if (found.size() > 1) {
        return Error{ErrorCode::InvalidArgument,
                     std::string("\"").append(wanted) + "\" names more than one GPU: " +
                         listed(gpus, found) + "; say which by its number",
                     {},
                     "gpu"};
    }
    return found.front();
}

int rank(GpuKind kind) {
    switch (kind) {
        case GpuKind::Discrete:
            return 4;
        case GpuKind::Integrated:
            return 3;
        case GpuKind::Virtual:
            return 2;
        case GpuKind::Other:
            return 1;
        case GpuKind::Cpu:
            break;
    }
    return 0;
}

bool better(const GpuInfo& a, const GpuProbe& of_a, const GpuInfo& b, const GpuProbe& of_b) {
    const bool measured = of_a.speeds.read_gb_per_s > 0 && of_b.speeds.read_gb_per_s > 0;
    return std::tuple(rank(a.kind), measured ? of_a.speeds.read_gb_per_s : 0.0, a.memory_bytes()) >
           std::tuple(rank(b.kind), measured ? of_b.speeds.read_gb_per_s : 0.0, b.memory_bytes());
}

// Why "auto" does not consider it; empty: it does.
std::string obstacle(const GpuInfo& gpu, const GpuProbe& probe, bool allow_cpu) {
    if (!gpu.unusable.empty()) {
        return gpu.unusable;
    }
    if (probe.verdict == GpuVerdict::Failed) {
        return probe.reason;
    }
    return gpu.kind == GpuKind::Cpu && !allow_cpu
               ? "it is the processor once more, which computes faster without it"
               : "";
}

}  // namespace

Result<GpuSelection> select_gpu(std::span<const GpuInfo> gpus, std::span<const GpuProbe> probes,
                                std::string_view wanted, bool allow_cpu) {
    HEARTH_ASSERT(gpus.size() == probes.size());
    GpuSelection selection;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        selection.left_out.push_back(obstacle(gpus[i], probes[i], allow_cpu));
    }
    if (wanted == "auto") {
        for (std::size_t i = 0; i < gpus.size(); ++i) {
            const auto best = static_cast<std::size_t>(std::max(selection.chosen, 0));
            if (selection.left_out[i].empty() &&
                (selection.chosen < 0 || better(gpus[i], probes[i], gpus[best], probes[best]))) {
                selection.chosen = static_cast<int>(i);
            }
        }
    } else if (wanted != "none") {
        auto found = find(gpus, wanted);
        if (!found) {
            return std::move(found).error();
        }
        const GpuInfo& gpu = gpus[static_cast<std::size_t>(*found)];
        if (!gpu.unusable.empty()) {
            return Error{ErrorCode::Unsupported,
                         "the GPU " + gpu.name + " cannot be used: " + gpu.unusable,
                         {},
                         "gpu"};
        }
        selection.chosen = *found;
    }
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        std::string& reason = selection.left_out[i];
        if (static_cast<int>(i) == selection.chosen) {
            reason.clear();
        } else if (reason.empty()) {
            reason = selection.chosen < 0 ? "no GPU is asked for" : "another one is taken";
        }
    }
    return selection;
}

}  // namespace hearth
