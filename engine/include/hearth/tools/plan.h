// Plans: the places that a model's weights would have, and its speed. For errors see
// hearth/tools.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <hearth/engine.h>
#include <hearth/result.h>

namespace hearth::tools {

// ---- plan --------------------------------------------------------------------------------------

// A GPU that the machine does not have: plan() shows what it would do with it.
struct AssumedGpu {
    std::uint64_t capacity_bytes = 0;
    double read_gb_per_s = 0;
    double sync_us = 0;  // cost for a layer of bringing both units' sums together
};

// Keeps speeds that plans measure, so that two plans of like weights say the same: the best of what
// was measured, and what was measured while other work took the processor only until there is
// better. Any thread, at once from several.
class SpeedMemory {
public:
    SpeedMemory();
    ~SpeedMemory();
    SpeedMemory(const SpeedMemory&) = delete;
    SpeedMemory& operator=(const SpeedMemory&) = delete;

    // For the library.
    struct Impl;
    Impl& impl() { return *impl_; }

private:
    std::unique_ptr<Impl> impl_;
};

struct PlanOptions {
    std::string model_path;
    std::optional<std::uint64_t> ram_bytes, vram_bytes;  // as in EngineOptions
    int threads = 0;
    int n_ctx = 0;
    // A profile beside the model. Empty: the one inside the model, else the one in cache_folder
    // that the model made of itself while it was used.
    std::string profile_path;
    // As in EngineOptions. Empty: "exact", where the model allows it.
    std::string mode, predictors_path, predictor_input, activation, thresholds_path, kv;
    std::string split;  // what a GPU gets: "auto" or empty, "neurons", "layers"
    // "forecast" or empty: places on the GPU the neurons that are forecast to be fastest there, as
    // loading does; "paper": those of PowerInfer's integer program (not with "layers").
    std::string solver;
    std::string gpu = "auto", cache_folder, program_path;  // as in EngineOptions
    std::optional<AssumedGpu> assume_gpu;                  // instead of the machine's
    // Used instead of measuring; fields that are 0 are measured.
    std::optional<MachineSpeeds> speeds;
    // The folder that the model will lie in, if model_path is only its header and the rest a hole,
    // which reads as no disk does. The speed of that folder's disk is measured. Empty: model_path
    // is the model.
    std::string disk_folder;
    // Memory that this process holds and gives back before it loads the model.
    std::uint64_t freed_ram_bytes = 0, freed_vram_bytes = 0;
    // Speeds of earlier plans; null: this plan measures for itself.
    std::shared_ptr<SpeedMemory> speed_memory;
};

// Tokens a second, forecast from measured bandwidth; unknown values are empty.
struct SpeedForecast {
    struct Range {
        double low = 0, mid = 0, high = 0;
    };
    std::optional<Range> decode_per_s;
    std::optional<double> prefill_per_s;
    std::optional<double> ttft_ms;
    double ram_read_gb_per_s = 0;  // the bandwidth behind the forecast; 0: could not be measured
    // Empty: no weights are read from disk.
    std::optional<double> disk_read_gb_per_s;
};

struct PlanReport {
    struct Bytes {
        std::uint64_t weights = 0;  // without predictors
        std::uint64_t predictors = 0;
        std::uint64_t kv = 0;
        std::uint64_t scratch = 0;

        std::uint64_t total() const { return weights + predictors + kv + scratch; }
    };
    struct Layer {
        int index = 0;
        std::string attention = "ram";  // or "vram"
        std::string kv = "ram";
        std::uint64_t ffn_vram_bytes = 0, ffn_ram_bytes = 0, ffn_flash_bytes = 0;
        int hot_neurons = 0;  // of its feed-forward block, in VRAM
        int n_experts = 0;    // of a mixture; 0: the layer is none
        int hot_experts = 0;  // of these, in VRAM
    };
    struct Solver {
        // "forecast" (the fastest neurons), "layers" (whole layers are faster, or were asked for),
        // "flash" (the neurons that spare the disk most, of a model larger than both memories);
        // with PlanOptions::solver "paper": "integer" or "greedy", or "forecast" if neither fits
        std::string chosen;
        // With "paper": expected firings per token of the neurons on the GPU. Else empty.
        std::optional<double> integer_value, greedy_value;
        double ms = 0;
        bool optimal = false;  // no placement is better by its own objective
    };
    std::string fits;  // "gpu" (all but the embeddings), "split", "ram"; "no": see reasons
    std::uint64_t ram_budget_bytes = 0, vram_budget_bytes = 0;
    Bytes ram, vram;
    std::uint64_t flash_weights_bytes = 0;
    std::vector<Layer> layers;     // empty when it does not fit
    std::string output = "ram";    // the output head: or "vram"
    std::optional<Solver> solver;  // empty: there was nothing to solve
    SpeedForecast forecast;
    std::optional<std::uint64_t> peak_ram_bytes, peak_vram_bytes;  // empty when it does not fit
    std::string gpu;                                               // its name; empty: none is used
    int n_ctx = 0;
    int threads = 0;
    std::string mode;              // "dense", "exact", "predicted", "approximate"
    bool has_profile = false;      // with enough tokens, else see reasons
    double ram_read_gb_per_s = 0;  // measured or assumed; 0: could not be measured
    // Other work took the processor while it was measured, so the forecast may be too low. Known
    // with a speed_memory only.
    bool busy = false;
    std::vector<std::string> reasons;
};

// Tells where all parts of the model would lie and how fast it would run on this machine, with the
// GPU that loading would use, at the speeds of that GPU's trial. Reads the model's header, not its
// weights, and measures the processor's memory and arithmetic (0.4 s). A sparse model is planned as
// `run` loads it, with counters for a profile of its own. Errors as for Engine::load(), but a model
// that does not fit is a result: fits is "no". BadFile, InvalidArgument: the profile is broken or
// of another model.
Result<PlanReport> plan(const PlanOptions& options);

// The reason for which loading would refuse a mode, if it would.
struct ModeReport {
    std::string mode;              // as in EngineOptions
    std::optional<Error> refused;  // empty: loading would accept it
};

// Reports on every mode, with the other options as they are (`options.mode` does not count). Reads
// the model's header, and as much of side files as loading does. An error holds for all modes;
// errors as for Engine::load().
Result<std::vector<ModeReport>> modes(const PlanOptions& options);

// The forecast that plan() would give of this engine for decoding with `positions` in the context,
// and for its prefill, to stand beside bench's measurement: of a prompt of so many tokens, 0 is one
// of whole batches, as plan() has it. Uses the speeds of the engine's GPU
// from its trial. The engine is destroyed first: what is measured then needs the memory that it
// has. Measures the processor's memory and arithmetic: 0.4 s and 256 MiB, so call it after
// peak_rss_bytes(). Where the engine reads weights from disk, that is measured, too, as plan() does
// it: half a second, unless it was measured before. Nothing is forecast where it cannot be.
Result<SpeedForecast> forecast(std::unique_ptr<Engine> engine, int positions,
                               int prompt_tokens = 0);

}  // namespace hearth::tools
