#include "bridge/engine_map.h"

#include <chrono>

#include <hearth/engine.h>

namespace hearth::ui {

namespace {

MappedLayer layerOf(const LayerMap& layer) {
    MappedLayer mapped;
    mapped.card = layer.vram_bytes;
    mapped.memory = layer.ram_bytes;
    mapped.disk = layer.flash_bytes;
    mapped.neurons = layer.neurons;
    mapped.experts = layer.experts;
    mapped.expertsOfToken = layer.experts_per_token;
    mapped.dense = layer.statistics.path == "dense";
    mapped.tokens = layer.statistics.tokens;
    mapped.fired = layer.statistics.fired;
    mapped.chosen = {layer.served.vram, layer.served.ram, layer.served.disk};
    mapped.hits = layer.hits;
    mapped.misses = layer.misses;
    mapped.readBytes = layer.read_bytes;
    return mapped;
}

}  // namespace

std::optional<MapReport> mapOf(Engine& engine) {
    const auto map = engine.map();
    if (!map) {
        return std::nullopt;
    }
    MapReport report;
    report.modelPath = QString::fromStdString(engine.model().path);
    report.layers.reserve(static_cast<qsizetype>(map->layers.size()));
    for (const LayerMap& layer : map->layers) {
        report.layers.append(layerOf(layer));
    }
    report.tokens = map->tokens;
    report.readBytes = engine.flash().read_bytes;
    const MemoryReport memory = engine.memory();
    report.ramUsed = memory.used_bytes();
    report.ramBudget = memory.ram_budget_bytes;
    report.vramUsed = memory.vram_bytes;
    report.vramBudget = memory.vram_budget_bytes;
    report.budgetWaits = memory.budget_waits;
    report.loads = map->loads;
    report.takenNs = std::chrono::duration_cast<std::chrono::nanoseconds>(
                         std::chrono::steady_clock::now().time_since_epoch())
                         .count();
    return report;
}

}  // namespace hearth::ui
