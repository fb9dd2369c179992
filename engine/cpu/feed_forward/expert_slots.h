// The experts of a batch in a layer of whose experts RAM holds some: they come into a cache's
// slots, some at a time, in the batch's order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "base/thread_pool.h"
#include "cpu/cold_neurons.h"
#include "cpu/cpu_weights.h"

namespace hearth {

// The batch's experts have numbers from 0 on, and come in steps of some of them. From begin() to
// end(), step by step:
//
//   begin(...)
//   is_pinned(0): what was here already may be computed with
//   read(0): all of the step's may
//   done(0)
//   ...
//   end()
//
// Belongs to the engine's thread. Allocates nothing after it is made.
class ExpertSlots {
public:
    // n_experts: of a batch, at most.
    ExpertSlots(ThreadPool& pool, std::size_t n_experts);

    // Room for the names of n experts: their places among the layer's. Fill it before begin().
    std::span<std::uint16_t> names(int n) {
        return std::span(names_).first(static_cast<std::size_t>(n));
    }
    // Reads begin. n: experts, of n_tokens tokens. Precondition: layer.cold, and it must stay.
    void begin(const CpuLayer& layer, int number, int n, int n_tokens);
    int n_steps() const { return n_steps_; }
    int first(int step) const { return step * step_; }
    int end(int step) const { return first(step + 1) < n_ ? first(step + 1) : n_; }
    // An expert of a step that is pinned or read.
    bool was_read(int expert) const { return read_[static_cast<std::size_t>(expert)] != 0; }
    // The matrix of the layer's tiles in an expert's slot; none stays none.
    PackedMatrix in_slot(const PackedMatrix& tiles, int expert) const;

    // Not where reads and arithmetic are to take turns.
    bool is_pinned(int step);
    // Waits for the step's experts, and lays out each as soon as it is there, while others still
    // come. ReadFailed, BadFile: then nothing is read any more.
    Result<void> read(int step);
    // The step's slots are free for others. good: as of read().
    void done(int step, bool good);
    void end();

private:
    static constexpr int kGroup = 8;  // experts that a batch waits for together, at most

    NeuronCache& cache() const { return cold_->cache(); }
    Result<void> arrange_arriving(int step);
    Result<void> arrange(std::span<const std::uint16_t> some, int first);

    ThreadPool& pool_;
    ColdNeurons* cold_ = nullptr;
    int index_ = 0;  // of the cache's layers
    int n_ = 0;
    int step_ = 0;
    int n_steps_ = 0;
    // The cache takes and gives these, one an expert.
    std::vector<std::uint16_t> names_;
    std::vector<std::uint16_t> slots_;
    std::vector<std::uint8_t> read_;
    std::vector<std::uint8_t> left_;
};

}  // namespace hearth
