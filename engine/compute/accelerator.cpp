#include "compute/accelerator.h"

namespace hearth {

std::vector<WalkStep> walk_of(const GpuPart& part, const ModelSpec& spec) {
    std::vector<WalkStep> walk;
    bool on_gpu = false;  // where the residual stream is: after embedding with the processor
    const auto move_to = [&](bool gpu, int layer) {
        if (on_gpu != gpu) {
            walk.push_back({gpu ? WalkStep::Kind::Give : WalkStep::Kind::Take, layer});
            on_gpu = gpu;
        }
    };
    for (int layer = 0; layer < spec.n_layer(); ++layer) {
        move_to(part.has_attention(layer), layer);
        if (part.has_attention(layer) && part.hot(layer) < spec.layer(layer).n_ff) {
            walk.push_back({WalkStep::Kind::Take, layer});
            walk.push_back({WalkStep::Kind::Join, layer});
        }
    }
    move_to(part.output_in_vram, spec.n_layer());
    return walk;
}

std::vector<WalkStep> streamed_walk_of(const GpuPart& part, int n_layer) {
    std::vector<WalkStep> walk{{WalkStep::Kind::Give, 0}};
    for (int layer = 0; layer < n_layer; ++layer) {
        if (!part.has_attention(layer)) {
            walk.push_back({WalkStep::Kind::Heads, layer});
        }
    }
    walk.push_back({WalkStep::Kind::Take, n_layer});
    return walk;
}

}  // namespace hearth
