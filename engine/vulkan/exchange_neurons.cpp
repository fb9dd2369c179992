#include "vulkan/exchange_neurons.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "include/params.h"

namespace hearth::vulkan {
namespace {

// Places of a layer, and the neurons of the file that stand there.
struct Placed {
    std::vector<int> places, numbers;

    void add(int place, std::span<const int> order) {
        if (std::find(places.begin(), places.end(), place) == places.end()) {
            places.push_back(place);
            numbers.push_back(order[static_cast<std::size_t>(place)]);
        }
    }
};

// The neurons' rows of a matrix, which has them of each role in turns.
Result<void> read_rows(const GgufFile& file, const LayerTensors& tensors,
                       std::initializer_list<Role> roles, const Placed& neurons,
                       const GpuMatrix& held, WeightLoader& loader) {
    const std::uint64_t together = roles.size();
    GpuMatrix read = plan_matrix(held.type, together * neurons.places.size(), held.cols, together,
                                 std::numeric_limits<std::uint32_t>::max());
    MatrixJob job{&read, {}, neurons.numbers};
    for (const Role role : roles) {
        job.sources.push_back({&file, tensors[role]});
    }
    return loader.neurons(job, neurons.places, held);
}

}  // namespace

Result<void> read_neurons(const PlanSlice& slice, std::span<const PlaceExchange> pairs,
                          GpuLayer& held, WeightLoader& loader) {
    const int layer = pairs.front().layer;
    const LayerTensors& tensors = slice.tensors.layers[static_cast<std::size_t>(layer)];
    const std::span<const int> order = slice.plan.placement.order(layer);
    HEARTH_ASSERT(held.down_by_neuron && held.expert_neurons == 0);
    Placed in_vram, both;
    for (const PlaceExchange& two : pairs) {
        HEARTH_ASSERT(two.vram_place < held.n_neurons && two.other_place >= held.n_neurons);
        in_vram.add(two.vram_place, order);
        both.add(two.vram_place, order);
        both.add(two.other_place, order);
    }
    Result<void> done;
    const auto read = [&](const GgufFile& file, Role role, std::initializer_list<Role> roles,
                          const Placed& neurons) {
        if (done && held[role].present()) {
            done = read_rows(file, tensors, roles, neurons, held[role], loader);
        }
    };
    read(slice.file, Role::Gate, {Role::Gate}, in_vram);
    if (held.gates() == GATES_BESIDE) {
        read(slice.file, Role::Up, {Role::Gate, Role::Up}, in_vram);
    } else {
        read(slice.file, Role::Up, {Role::Up}, in_vram);
    }
    read(slice.file, Role::Down, {Role::Down}, in_vram);
    if (held[Role::PredictorFc2].present()) {
        read(*slice.tensors.predictor_file, Role::PredictorFc2, {Role::PredictorFc2}, both);
    }
    BufferView& biases = held.vectors[Role::UpBias];
    if (done && biases.bytes > 0) {
        const auto n = static_cast<std::uint64_t>(held.n_neurons);
        done = loader.vector({&biases, &slice.file, tensors[Role::UpBias], order.first(n), n});
    }
    return done;
}

}  // namespace hearth::vulkan
