// The reads of a layout: those of a load, those of each pass, and the memory that these take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/cold_neurons.h"
#include "cpu/cpu_layout.h"
#include "cpu/weight_streams.h"
#include "memory/weight_job.h"

namespace hearth {

// Fills weights of the home Ram.
struct ResidentJob {
    WeightJob job;
    std::vector<std::size_t> weights;  // of the layout, those that it fills, in their order
    bool of_predictor = false;
};

// The matrices of the home Ram, each in one job, in the layout's order.
std::vector<ResidentJob> resident_jobs(const CpuLayout& layout);

// The matrices of the home Ram that an expert has, each in one job. place: of the expert in its
// layer's order.
std::vector<WeightJob> expert_jobs(const CpuLayout& layout, int layer, int place);

// The parts that passes read, in their order.
StreamedParts streamed_parts(const CpuLayout& layout);

// The layers whose neurons lie in slots.
std::vector<ColdLayer> cold_layers(const CpuLayout& layout);

// The bytes of a layout, as the ledger gives them.
struct LayoutBytes {
    std::uint64_t resident = 0;
    StreamMemory streamed;
    std::uint64_t tables = 0;  // of cached neurons
    std::uint64_t arena() const { return resident + streamed.total(); }
    std::uint64_t total() const { return arena() + tables; }
};
LayoutBytes bytes_of(const CpuLayout& layout, bool reads_flash);

}  // namespace hearth
