// What loading a model and forecasting it ask the planner, so that both get the same answer.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <hearth/engine.h>
#include <hearth/result.h>

#include "compute/kernel_speeds.h"
#include "hardware/speed_book.h"
#include "model/foretelling.h"
#include "plan/known_profile.h"
#include "plan/planner.h"
#include "session/gpus.h"
#include "session/open_gpu.h"

namespace hearth {

// A GPU that a plan may use.
struct WantedGpu {
    std::unique_ptr<OpenGpu> gpu;  // null: none is used
    GpuSpeeds speeds;
    std::string note;        // why devices that are there are left out
    std::string no_devices;  // why there are none, if that is why
};

// Whether EngineOptions::gpu names a device.
bool names_one(const std::string& wanted);

// Opens the GPU that `wanted` asks for (EngineOptions::gpu) and that its trial allows. A GPU
// nothing is known of is tried first, if `trials` say how, see gpus.h. Its speeds are the
// given ones, else those of the trial, else they are measured. What goes wrong with a GPU that
// nobody named is no error but a note. Errors as choose_gpu() and open_gpu().
Result<WantedGpu> open_wanted_gpu(const std::string& wanted, GpuTrials trials,
                                  const std::optional<MachineSpeeds>& speeds);

// What this process holds and gives back before it loads the model, bytes.
struct FreedMemory {
    std::uint64_t ram = 0, vram = 0;
};

struct PlanRequest {
    const GgufFile& file;
    const ModelSpec& spec;
    const ModelTensors& tensors;
    FeedForwardMode mode;  // as asked for
    Budget budget;
    const ActivationProfile* profile = nullptr;
    std::string profile_folder{};  // where the model keeps the profile it makes of itself; empty:
                                   // it makes none
    const OpenGpu* gpu = nullptr;
    GpuSpeeds gpu_speeds{};
    bool gpu_named = false;  // it was asked for by name and is used even if it is no faster
    std::string isa{};       // as for make_cpu_executor()
    // Taken instead of measuring; of the processor's, a 0 is measured.
    std::optional<MachineSpeeds> speeds{};
    std::optional<GpuUnit> assumed_gpu{};  // without `gpu`: one that is not there
    // Where measurements of disks are kept; empty: nowhere. None is made here.
    std::string cache_folder{};
    // Where the model is going to lie, if `file` is only a header of it.
    std::string disk_folder{};
    FreedMemory freed{};
    SpeedBook* book = nullptr;  // of what was measured before; null: all is measured anew
};

struct MachinePlan {
    Plan plan;
    Machine machine;              // speeds of the processor that nothing depended on are 0
    std::string gpu_unsupported;  // why the GPU takes no part of this model; empty: it can
    bool busy = false;            // other work disturbed what was measured of the processor
    // The layer that foretells is loaded, and plan.ram has its bytes. Else plan.reasons says why
    // not, if the file has one.
    bool foretells = false;
};

// The budget's threads, or default_threads() where nobody asked for a number.
int threads_for(const PlanRequest& request);

TokenCosts token_costs(const PlanRequest& request);

// All that a plan for this machine follows from, but for the budgets. Any thread may plan on it.
struct PlanBasis {
    const ModelSpec* spec = nullptr;  // outlives this, as the request's tensors do
    FeedForwardMode mode{};           // as asked for
    bool counts_firing = false;
    Budget budget;  // as asked for, the number of threads found
    Machine
        machine;  // of the processor's speeds those that are known: 0 is measured when it matters
    MemoryCosts costs;
    std::optional<TokenCosts> tokens{};  // where there is a GPU
    bool gpu_named = false;
    bool gpu_assumed = false;
    std::string gpu_unsupported{};  // as in MachinePlan
    std::string isa{};
    std::optional<MachineSpeeds> speeds{};
    UsualMatrix usual{};
    SpeedBook* book = nullptr;
    std::string no_source_order{};  // why NeuronHeat::source is not known of a packed file
    std::shared_ptr<const ForetellingModel> foretelling{};  // null: the file has none
    std::string no_foretelling{};  // why a layer that the file has is left out
};

PlanBasis plan_basis(const PlanRequest& request);

// Makes a plan for these budgets, with this context and as many threads as `budget` says. Errors as
// make_plan().
Result<MachinePlan> plan_on(const PlanBasis& basis, Budget budget);

// Makes the plan. Where the GPU holds all of the model nothing of the processor is measured: that
// takes 0.4 s. Errors as make_plan().
Result<MachinePlan> plan_for_machine(const PlanRequest& request);

// The speed of the disk that the model lies on, as it was measured before or else now, in half a
// second. Nothing where the file is too small for that or the page cache cannot be passed.
void measure_disk(Machine& machine, const std::string& model_path, const std::string& cache_folder,
                  SpeedBook* book = nullptr);
// Of the disk that a model is going to lie on, in this folder. Where it was not measured before,
// that takes the time to write kSampleBytes too, unless there is a model to read (disk_sample.h).
void measure_disk_of_folder(Machine& machine, const std::string& folder,
                            const std::string& cache_folder, SpeedBook* book = nullptr);

// How that disk wants to be read, if it was measured before (`devices -m`).
// experts: a mixture's are read, whose matrices come in large reads even where nothing is known.
DiskReads known_disk_reads(const std::string& model_path, const std::string& cache_folder,
                           bool experts);

// Fills in what plan_for_machine() had no need to measure of the processor: how fast it reads and
// multiplies weights like these. True: other work disturbed it, and the speeds may be too low; that
// is only known with a book.
bool measure_processor(Machine& machine, int threads, const std::string& isa,
                       const std::optional<MachineSpeeds>& speeds, const UsualMatrix& usual,
                       SpeedBook* book = nullptr);

GpuUnit gpu_unit(const OpenGpu& gpu, const GpuSpeeds& speeds);

// The forecast of a plan on the machine it was made for, the processor measured. Positions: of the
// KV cache.
Forecast forecast_for_machine(const TokenCosts& tokens, const Plan& plan, const Machine& machine,
                              int positions);

}  // namespace hearth
