#include "cpu/feed_forward/batch_path.h"

#include <array>
#include <cstdint>

namespace hearth {

BatchPath::BatchPath(const kernels::KernelTable& table, ThreadPool& pool, const ModelSpec& spec,
                     const Scratch& scratch)
    : table_(table), pool_(pool), n_embd_(spec.n_embd), hidden_(table, pool, spec, scratch.hidden) {
    if (scratch.rows) {
        rows_.emplace(table, pool, spec.n_embd, *scratch.rows);
    }
}

LayerActivity BatchPath::run(const FeedForwardTask& task, const CpuLayer& layer,
                             const ActivationRows& input, FeedForwardObserver* observer) {
    const PackedMatrix& down = layer.tiles[Role::Down];
    const auto n_neurons = static_cast<std::size_t>(layer.n_neurons);
    const ActivationRows hidden = hidden_.compute(
        task, layer, input.f32, down.present() && takes_quantized(down.type), observer,
        [&](Role role, int first, int end, int worker, float* y) {
            if (layer.tiles[role].present()) {
                multiply_rows(table_, layer.tiles[role], input, first, end, y, n_neurons);
            } else {
                rows_->multiply(layer.rows[role], input, first, end, worker, y, n_neurons);
            }
        });
    LayerActivity token{.passed = 1, .computed = static_cast<std::uint64_t>(layer.n_neurons)};
    if (down.present()) {
        const std::array product{Product{&down, task.y, static_cast<std::size_t>(n_embd_)}};
        multiply(pool_, table_, product, hidden);
    } else {
        token.down_rows = rows_->add_down(task, layer);
    }
    return token;
}

}  // namespace hearth
