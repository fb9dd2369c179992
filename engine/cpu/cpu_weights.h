// The weights that a CPU executor holds, which are those that no GPU has. They lie in one arena,
// which is laid out before anything is read.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "base/assert.h"
#include "base/thread_pool.h"
#include "compute/executor.h"
#include "cpu/convert_input_columns.h"
#include "cpu/cpu_layout.h"
#include "cpu/matrix.h"
#include "memory/segments.h"
#include "model/cluster.h"

namespace hearth {

// Neuron rows (kernels/neuron_rows.h), each matrix by itself: where most rows of one are read they
// are a stream, and a stream with another matrix's rows in between came at a third of the speed.
struct CpuRows {
    DType type{};
    const std::byte* data = nullptr;
    std::size_t bytes = 0;  // of a row, from one to the next; 0: the matrix is not here
    bool present() const { return bytes > 0; }
    const std::byte* row(int neuron) const {
        return data + static_cast<std::size_t>(neuron) * bytes;
    }
};

// The views of a layer that kernels read (cpu_layout.h says which form a matrix has). In the mode
// Exact the up projection of a gated block begins as rows and may become tiles. A layer's neurons
// are numbered here from the first one the processor has: whatever has a neuron for an index has
// n_neurons of them.
class ColdNeurons;
struct CpuLayer {
    int n_neurons = 0;  // 0: nothing of the block is here
    int first = 0;      // place of neuron 0 in the plan
    // [n_neurons] in the file, or a mixture's experts; empty: as their places
    std::span<const int> numbers;
    int number(int neuron) const {
        return numbers.empty() ? first + neuron : numbers[static_cast<std::size_t>(neuron)];
    }
    // Turns places of the plan into neurons of this layer. Precondition: they are here.
    Cluster own(const Cluster& places) const {
        HEARTH_ASSERT(places.first >= first && places.first + places.count <= first + n_neurons);
        return {places.layer, places.first - first, places.count};
    }

    ByRole<std::span<const float>> vectors;  // empty: none, or not here; down's bias: with place 0
    // A matrix is in one of these forms, or not here.
    ByRole<PackedMatrix> tiles;
    ByRole<CpuRows> rows;
    ByRole<ColumnMatrix> columns;  // gate, up and down all are, and all of their neurons
    // Null: all neurons are here. Else row n of `rows` is that of slot n, and which neuron has it
    // is for the cache to say. A mixture's `tiles` are those of one expert, in slot 0.
    ColdNeurons* cold = nullptr;
    // There is room for up in rows or in tiles, at up_place, see up_layout.h. Else it has one form,
    // and so single tokens have one path.
    bool two_layouts = false;
    std::byte* up_place = nullptr;
    bool sparse = false;     // single tokens leave out what does not fire
    bool predicted = false;  // single tokens compute what a predictor names
    float input_threshold = 0.0F;
    float hidden_threshold = 0.0F;
    float predictor_threshold = 0.0F;

    bool has_attention() const { return tiles[Role::Q].present(); }
    bool by_input() const { return columns[Role::Gate].present(); }
};

// What one call may read: nobody keeps a view longer than its lease, since the next lease may find
// the bytes at another place.
class WeightLease {
public:
    const CpuLayer& operator*() const { return *layer_; }
    const CpuLayer* operator->() const { return layer_; }

private:
    friend class CpuWeights;
    explicit WeightLease(const CpuLayer& layer) : layer_(&layer) {}

    const CpuLayer* layer_;
};

// What a pass reads of the file, in its order.
struct PassBytes {
    std::uint64_t of_token = 0;
    std::uint64_t of_batch = 0;
};

class WeightStreams;
struct ColdLayer;
struct LayoutBytes;

class CpuWeights {
public:
    CpuWeights();
    CpuWeights(CpuWeights&&) noexcept;
    CpuWeights& operator=(CpuWeights&&) noexcept;
    ~CpuWeights();

    // Whether the feed-forward matrices can be held by input. Each must be a tensor of its own, by
    // output, of a type that has the layout InputColumn. Unsupported: names the tensor.
    static Result<void> can_lie_by_input(const ModelTensors& tensors);

    // The bytes that load() will take from the ledger, exactly. Precondition: VRAM has nothing
    // where the mode is Thresholded.
    static std::uint64_t bytes_for(const ModelSpec& spec, const ModelTensors& tensors,
                                   FeedForwardMode mode, const Placement& placement = {});
    // What passes read then, without the single neurons that a token reads.
    static PassBytes bytes_read(const ModelSpec& spec, const ModelTensors& tensors,
                                FeedForwardMode mode, const Placement& placement);

    // Reads every tensor once, tile by tile, into its place. Peak memory is what is planned, plus
    // one staging buffer per thread. Vectors become floats. OutOfMemory, ReadFailed, Cancelled.
    // before: weights of the same tensors, loaded for another plan; what RAM shall hold as it did
    // is not read again. Up of layers with two layouts lies in rows there. While a layer's weights
    // grow, it is in memory twice. Precondition: the plan's orders are as LayerPlacement says.
    static Result<CpuWeights> load(const PlanSlice& slice, ThreadPool& pool, LoadMonitor& monitor,
                                   CpuWeights before = {});

    // As Executor::exchange(). Neurons and experts in slots are read when a token needs them.
    Result<void> exchange(const PlanSlice& slice, std::span<const PlaceExchange> pairs,
                          ThreadPool& pool);

    // Bytes of the file that load() read for RAM to hold.
    std::uint64_t load_read_bytes() const { return load_read_bytes_; }

    // Forms, types and sizes of a layer, or of the model's own roles (kNoLayer; Output is TokenEmbd
    // itself when tied): views without bytes.
    const CpuLayer& layer(int layer) const { return shapes_[place_of(layer)]; }
    std::span<const CpuLayer> layers() const { return std::span(shapes_).first(n_layers()); }

    // The only way to the bytes: the roles of a part, and of Neurons those of the places, with what
    // any neuron needs: the block's norm, biases and predictor. Parts that the plan leaves on flash
    // are read into a place that they share: one of those is leased at a time, by the thread that
    // runs the steps. Neurons of a layer that is cached are leased as begin_pass() said: in slots,
    // or all of them. ReadFailed names file and offset. Precondition: this unit has the part and
    // the places.
    Result<WeightLease> lease(Part part, int layer = kNoLayer,
                              std::span<const Cluster> places = {}) const;
    // A layer's vectors, which are always held. Empty: there is none here.
    std::span<const float> vector(int layer, Role role) const {
        return held_[place_of(layer)].vectors[role];
    }
    // A mixture's router, which is always held where the layer's first place is. Not present: not
    // here.
    const PackedMatrix& router(int layer) const {
        return held_[place_of(layer)].tiles[Role::Router];
    }
    // Between passes. batch: the pass needs all neurons. ReadFailed: the file was changed.
    Result<void> begin_pass(bool batch);

    // What was read from flash since loading. Null: nothing lies there.
    const WeightStreams* streams() const { return streams_.get(); }
    WeightStreams* streams() { return streams_.get(); }

    // Calls change(the layer), which may lay its bytes out anew. Precondition: nothing is leased.
    template <class Change>
    void rearrange(int layer, Change&& change) {
        CpuLayer& held = held_[place_of(layer)];
        change(held);
        shapes_[place_of(layer)] = without_bytes(held);
    }

private:
    static CpuLayer without_bytes(const CpuLayer& layer);
    Result<void> take_memory(const PlanSlice& slice, const LayoutBytes& bytes, CpuWeights& before);
    Result<void> read_resident(const PlanSlice& slice, ThreadPool& pool, LoadMonitor& monitor);
    Result<void> read_up_biases(const InputFile& file, int layer);
    void show_slots(const ColdLayer& cold);
    std::size_t n_layers() const { return shapes_.empty() ? 0 : shapes_.size() - 1; }
    std::size_t place_of(int layer) const {
        return layer == kNoLayer ? held_.size() - 1 : static_cast<std::size_t>(layer);
    }

    Segments segments_;       // of layout_; the tail is the streams'
    Placement placement_;     // whose orders layers and streams refer to
    CpuLayout layout_;        // of placement_
    std::vector<bool> kept_;  // [layout's weights]: nothing to read; while loading
    std::uint64_t load_read_bytes_ = 0;
    std::unique_ptr<WeightStreams> streams_;  // reads into the tail; null: all is resident
    std::vector<CpuLayer> held_;              // [n_layer], then the model's own roles
    std::vector<CpuLayer> shapes_;            // the same without bytes
    std::vector<CpuLayer> batch_;  // [n_layer] as a batch sees those that are cached; empty: none
    bool batch_pass_ = false;
};

}  // namespace hearth
