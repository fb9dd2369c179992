#include "session/layer_paths.h"

#include "base/assert.h"

namespace hearth {

LayerPaths::LayerPaths(BlockPaths& unit, const PathSpeeds& speeds)
    : unit_(unit), speeds_(speeds), paths_(unit.activity()->size(), FeedForwardMode::Exact) {}

void LayerPaths::begin(std::span<const std::optional<double>> opened) {
    HEARTH_ASSERT(opened.empty() || opened.size() == paths_.size());
    for (std::size_t layer = 0; layer < opened.size(); ++layer) {
        if (opened[layer]) {
            choose(static_cast<int>(layer), *opened[layer]);
        }
    }
}

void LayerPaths::take_over(const LayerPaths& before) {
    HEARTH_ASSERT(before.paths_.size() == paths_.size());
    for (std::size_t layer = 0; layer < paths_.size(); ++layer) {
        set(static_cast<int>(layer), before.paths_[layer]);
    }
    fixed_ = before.fixed_;
}

void LayerPaths::choose() {
    const std::span<const LayerActivity> activity = *unit_.activity();
    for (std::size_t layer = 0; layer < activity.size(); ++layer) {
        const LayerActivity& seen = activity[layer];
        if (const auto opened = measured_share(seen.tokens, seen.opened, seen.neurons)) {
            choose(static_cast<int>(layer), *opened);
        }
    }
}

void LayerPaths::choose(int layer, double opened) {
    if (!fixed_) {
        set(layer, choose_path(opened, speeds_, paths_[static_cast<std::size_t>(layer)]));
    }
}

void LayerPaths::fix() {
    for (std::size_t layer = 0; layer < paths_.size(); ++layer) {
        set(static_cast<int>(layer), FeedForwardMode::Exact);
    }
    fixed_ = true;
}

void LayerPaths::set(int layer, FeedForwardMode path) {
    FeedForwardMode& present = paths_[static_cast<std::size_t>(layer)];
    if (path != present && unit_.has_paths(layer)) {
        unit_.set_path(layer, path);
        present = path;
    }
}

}  // namespace hearth
