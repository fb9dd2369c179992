#include "plan/weight_upload.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hearth {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
// Larger slots are no faster. Smaller ones are slower.
constexpr std::uint64_t kSlotMost = 32 * kMiB;
constexpr std::uint64_t kSlotLeast = 4 * kMiB;
constexpr std::uint64_t kSlotPart = 128;  // of a GPU's memory
constexpr std::uint64_t kUploadPart = 8;  // all that uploading needs, at most
// A GPU's products must be this much faster than the processor's, because weights arrive late at
// times.
constexpr double kWorthwhile = 1.5;
constexpr int kTokensStep = 8;

}  // namespace

std::optional<WeightUpload> weight_upload_for(const TokenCosts& tokens, const Speeds& speeds,
                                              const GpuMemoryCosts& gpu, const UploadTask& task) {
    const auto [vram_bytes, n_batch, reads_flash] = task;
    const bool has_experts =
        std::any_of(tokens.bytes.layers.begin(), tokens.bytes.layers.end(),
                    [](const LayerBytes& layer) { return layer.is_mixture(); });
    if (has_experts && reads_flash) {  // they lie in the processor's slots, where it computes them
        return std::nullopt;
    }
    const bool known = speeds.gflop_per_s > 0 && speeds.vram_gflop_per_s > 0 &&
                       speeds.to_vram_gb_per_s > 0 && tokens.bytes.multiply_adds > 0;
    if (!gpu.upload_bytes || !known || speeds.vram_gflop_per_s < kWorthwhile * speeds.gflop_per_s) {
        return std::nullopt;
    }
    WeightUpload upload;
    upload.slot_bytes =
        std::max(std::clamp(vram_bytes / kSlotPart / kMiB * kMiB, kSlotLeast, kSlotMost),
                 gpu.slot_bytes_min);
    if (gpu.upload_bytes(n_batch, upload.slot_bytes) > vram_bytes / kUploadPart) {
        return std::nullopt;
    }
    // Both are taken of all weights. Those that are uploaded are the same share of both.
    const double bus_seconds = weight_bytes(tokens) / (speeds.to_vram_gb_per_s * 1e9);
    const double operations = 2 * static_cast<double>(tokens.bytes.multiply_adds);
    const double saved =
        operations / (speeds.gflop_per_s * 1e9) - operations / (speeds.vram_gflop_per_s * 1e9);
    const double least = bus_seconds / saved;
    if (!(least <= n_batch)) {
        return std::nullopt;
    }
    upload.tokens_min = std::max(1, static_cast<int>(std::ceil(least / kTokensStep))) * kTokensStep;
    return upload.tokens_min <= n_batch ? std::optional(upload) : std::nullopt;
}

MemoryCosts with_weight_upload(MemoryCosts costs, std::uint64_t slot_bytes) {
    GpuMemoryCosts& gpu = *costs.gpu;
    costs.scratch_bytes = [of_all = std::move(costs.scratch_bytes), more = gpu.upload_host_bytes,
                           slot_bytes](int n_ctx, int n_batch) {
        return of_all(n_ctx, n_batch) + more(n_batch, slot_bytes);
    };
    gpu.scratch_bytes = [of_all = std::move(gpu.scratch_bytes), more = gpu.upload_bytes,
                         slot_bytes](int n_ctx, int n_batch) {
        return of_all(n_ctx, n_batch) + more(n_batch, slot_bytes);
    };
    return costs;
}

}  // namespace hearth
