#include "report.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

#include "printable.h"
#include "size.h"

namespace hearth::cli {

Json settings_json(const EngineSettings& settings, std::uint64_t seed, float temperature) {
    return {{"threads", settings.threads},
            {"isa", settings.isa},
            {"gpu", settings.gpu},
            {"gpu_layers", settings.gpu_layers},
            {"gpu_neurons", settings.gpu_neurons},
            {"gpu_streams_from",
             settings.gpu_uploads_from == 0 ? Json(nullptr) : Json(settings.gpu_uploads_from)},
            {"gpu_note", settings.gpu_note.empty() ? Json(nullptr) : Json(settings.gpu_note)},
            {"vram_bytes", settings.vram_bytes},
            {"ram_bytes", settings.ram_bytes},
            {"mode", settings.mode},
            {"paths", settings.paths_chosen ? "chosen" : "fixed"},
            {"kv", settings.kv},
            {"seed", seed},
            // The detour through text keeps 0.8F from reading 0.800000011920929.
            {"temp", std::stod(format("%.6g", static_cast<double>(temperature)))}};
}

Json model_json(const ModelInfo& model) {
    return {{"path", model.path},
            {"arch", model.arch},
            {"type", model.type},
            {"file_bytes", model.file_bytes}};
}

Json memory_json(const MemoryReport& memory) {
    const std::uint64_t peak = tools::peak_rss_bytes();
    return {{"rss_peak_bytes", peak == 0 ? Json(nullptr) : Json(peak)},
            {"ledger_bytes", memory.ledger_bytes()},
            {"weights_bytes", memory.weights.actual_bytes},
            {"kv_bytes", memory.kv.actual_bytes},
            {"scratch_bytes", memory.scratch.actual_bytes},
            {"vram_bytes", memory.vram_bytes},
            {"vram_weights_bytes", memory.vram_weights.actual_bytes},
            {"vram_kv_bytes", memory.vram_kv.actual_bytes},
            {"vram_scratch_bytes", memory.vram_scratch.actual_bytes},
            {"vram_driver_bytes",
             memory.vram_driver_bytes == 0 ? Json(nullptr) : Json(memory.vram_driver_bytes)}};
}

Json flash_json(const FlashReport& flash) {
    const auto ms = [&](double value) {
        return flash.bytes_per_token > 0 || flash.caches_neurons ? Json(value) : Json(nullptr);
    };
    const std::uint64_t named = flash.neuron_hits + flash.neuron_misses;
    return {{"read_bytes", flash.read_bytes},
            {"reads", flash.reads},
            {"read_ms",
             {{"p50", ms(flash.read_p50_ms)},
              {"p90", ms(flash.read_p90_ms)},
              {"p99", ms(flash.read_p99_ms)}}},
            {"hit_rate", named == 0 ? Json(nullptr)
                                    : Json(static_cast<double>(flash.neuron_hits) /
                                           static_cast<double>(named))},
            {"experts_guessed", flash.experts_guessed},
            {"guessed_right", flash.guessed_right},
            {"read_ahead", flash.read_ahead},
            {"read_ahead_used", flash.read_ahead_used},
            {"guess_trials", flash.guess_trials},
            {"guesses_pay", flash.guesses_pay},
            {"guess_gain", flash.guess_gain},
            {"stall_ms",
             {{"p50", ms(flash.stall_p50_ms)},
              {"p90", ms(flash.stall_p90_ms)},
              {"p99", ms(flash.stall_p99_ms)}}}};
}

Json share_json(const DecodeStatistics& decoded) {
    const auto or_null = [](const std::optional<double>& share) {
        return share ? Json(*share) : Json(nullptr);
    };
    return {{"cpu", or_null(decoded.cpu_share)}, {"gpu", or_null(decoded.gpu_share)}};
}

Json experts_json(const ExpertsServed& experts) {
    return experts.all() == 0
               ? Json(nullptr)
               : Json{{"vram", experts.vram}, {"ram", experts.ram}, {"disk", experts.disk}};
}

std::string experts_line(const ExpertsServed& experts) {
    if (experts.all() == 0) {
        return {};
    }
    const auto percent = [&](std::uint64_t part) {
        return 100 * static_cast<double>(part) / static_cast<double>(experts.all());
    };
    return format("experts chosen: %.1f %% from VRAM, %.1f %% from RAM, %.1f %% from disk",
                  percent(experts.vram), percent(experts.ram), percent(experts.disk));
}

std::string moved_line(const Adapted& adapted, bool is_mixture) {
    if (is_mixture) {
        return adapted.experts > 0 ? format("%d experts came to VRAM", adapted.experts) : "";
    }
    if (adapted.uses == 0) {
        return {};
    }
    std::string line =
        format("neurons that fired: %.1f %% lay in VRAM",
               100 * static_cast<double>(adapted.uses_in_vram) / static_cast<double>(adapted.uses));
    return adapted.neurons > 0 ? line + format("; %d came there", adapted.neurons) : line;
}

Json load_speed_json(const LoadTimings& timings, const MemoryReport& memory) {
    const auto bytes =
        static_cast<double>(memory.weights.actual_bytes + memory.vram_weights.actual_bytes);
    return timings.total_ms > 0 ? Json(bytes / timings.total_ms / 1e6) : Json(nullptr);
}

std::string gpu_line(const EngineSettings& settings) {
    std::string line;
    if (settings.gpu != "none") {
        line = format("%s: attention of %d layers, %.0f %% of the neurons, %.0f %% of the weights",
                      settings.gpu.c_str(), settings.gpu_layers, 100 * settings.gpu_neurons,
                      100 * settings.gpu_share);
        if (settings.gpu_uploads_from > 0) {
            line += format(", prompts from %d tokens on", settings.gpu_uploads_from);
        }
    }
    if (!settings.gpu_note.empty()) {
        line += (line.empty() ? "no GPU: " : "; ") + settings.gpu_note;
    }
    return line;
}

std::string tokenizer_warning(const std::string& pre, const std::string& fallback) {
    return fallback.empty() ? std::string()
                            : format(
                                  "this version does not know how the tokenizer '%s' cuts text "
                                  "into words; it is taken for '%s', and answers may suffer",
                                  printable(pre, 60).c_str(), fallback.c_str());
}

std::string flash_line(const FlashReport& flash) {
    std::string line;
    if (flash.bytes_per_token > 0) {
        line = format_size(flash.bytes_per_token) +
               " of the weights are read from disk for each token";
    }
    if (flash.caches_neurons) {
        const std::uint64_t named = flash.neuron_hits + flash.neuron_misses;
        line += std::string(line.empty() ? "" : "; ") +
                (flash.are_experts ? "experts" : "neurons") +
                " are read from disk when a token needs them";
        if (named > 0) {
            line +=
                format(", memory had %.0f %% of them",
                       100 * static_cast<double>(flash.neuron_hits) / static_cast<double>(named));
        }
    }
    const auto percent = [](std::uint64_t part, std::uint64_t all) {
        return 100 * static_cast<double>(part) / static_cast<double>(all);
    };
    if (flash.experts_guessed > 0) {
        line += format("; the next layer's are guessed, %.0f %% right",
                       percent(flash.guessed_right, flash.experts_guessed));
    }
    if (flash.read_ahead > 0) {
        line += format(", %.0f %% of %llu that were read early were used",
                       percent(flash.read_ahead_used, flash.read_ahead),
                       static_cast<unsigned long long>(flash.read_ahead));
    }
    if (flash.guess_trials > 0) {
        line += format(", which saved %.1f %% of a token's time when it was tried and is %s",
                       100 * flash.guess_gain, flash.guesses_pay ? "done" : "left");
    }
    if (!line.empty() && !flash.why_not_direct.empty()) {
        line += ", through the page cache: " + flash.why_not_direct;
    }
    return line;
}

std::string trace_table(const std::vector<TraceEntry>& trace) {
    std::string table;
    double sum = 0;
    for (const TraceEntry& entry : trace) {
        sum += entry.us;
        table += format("%-12s %8llu dispatches %10.1f us each %12.0f us", entry.label.c_str(),
                        static_cast<unsigned long long>(entry.count),
                        entry.us / static_cast<double>(std::max<std::uint64_t>(entry.count, 1)),
                        entry.us);
        table += entry.bytes == 0 ? std::string("\n")
                                  : format("  %7.0f GB/s\n", static_cast<double>(entry.bytes) /
                                                                 std::max(entry.us, 1e-3) / 1e3);
    }
    return table.empty() ? table : table + format("all %.0f us\n", sum);
}

std::string memory_line(const MemoryReport& memory) {
    const auto part = [](const char* name, const MemoryReport::Line& line) {
        return std::string(name) + " " + format_size(line.planned_bytes) + " planned, " +
               format_size(line.actual_bytes) + " used; ";
    };
    return part("weights", memory.weights) + part("kv", memory.kv) +
           part("scratch", memory.scratch) +
           (memory.vram_bytes == 0 ? std::string()
                                   : "VRAM " + format_size(memory.vram_bytes) + " of " +
                                         format_size(memory.vram_budget_bytes) + "; ") +
           "peak RSS " + format_size(tools::peak_rss_bytes()) + "; budget " +
           format_size(memory.ram_budget_bytes);
}

double percentile(std::span<const double> values, double percent) {
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
    const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
    return sorted[std::min(index, sorted.size() - 1)];
}

double median(std::span<const double> values) {
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

std::string format(const char* pattern, ...) {
    va_list arguments;
    va_start(arguments, pattern);
    va_list again;
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, pattern, arguments);
    va_end(arguments);
    std::string text(static_cast<std::size_t>(std::max(length, 0)), '\0');
    // clang's analyzer does not see that va_copy() sets it.
    // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized)
    std::vsnprintf(text.data(), text.size() + 1, pattern, again);
    va_end(again);
    return text;
}

std::string layers_text(const std::vector<tools::PlanReport::Layer>& layers) {
    const auto alike = [](const tools::PlanReport::Layer& a, const tools::PlanReport::Layer& b) {
        return a.attention == b.attention && a.hot_neurons == b.hot_neurons &&
               a.ffn_vram_bytes == b.ffn_vram_bytes && a.ffn_ram_bytes == b.ffn_ram_bytes;
    };
    std::string text;
    for (std::size_t first = 0; first < layers.size();) {
        std::size_t last = first;
        while (last + 1 < layers.size() && alike(layers[last + 1], layers[first])) {
            ++last;
        }
        const tools::PlanReport::Layer& layer = layers[first];
        const std::string which = first == last ? format("layer %d", layer.index)
                                                : format("layers %zu to %zu", first, last);
        text += which + ": feed-forward ";
        if (layer.ffn_ram_bytes > 0 || layer.hot_neurons == 0) {
            text += format_size(layer.ffn_ram_bytes) + " in RAM";
            text += layer.hot_neurons > 0 ? ", " : "";
        }
        if (layer.hot_neurons > 0) {
            text += format_size(layer.ffn_vram_bytes) + " in VRAM";
            text += layer.n_experts > 0
                        ? format(" (%d of %d experts)", layer.hot_experts, layer.n_experts)
                        : format(" (%d hot neurons)", layer.hot_neurons);
        }
        text +=
            format("; attention and KV cache in %s\n", layer.attention == "vram" ? "VRAM" : "RAM");
        first = last + 1;
    }
    return text;
}

}  // namespace hearth::cli
