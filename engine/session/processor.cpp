#include "session/processor.h"

#include <array>
#include <map>
#include <utility>

#include "cpu/cpu_executor.h"
#include "cpu/cpu_foretelling.h"
#include "cpu/flash_choice.h"
#include "cpu/measure_speeds.h"
#include "gguf/recipes.h"

namespace hearth {

std::uint64_t weights_bytes(const ModelSpec& spec, const ModelTensors& tensors,
                            FeedForwardMode mode) {
    return CpuWeights::bytes_for(spec, tensors, mode);
}

Result<void> check_thresholds(const ModelSpec& spec, const ModelTensors& tensors) {
    if (spec.activation() != Activation::SiluGated) {
        return Error{ErrorCode::InvalidArgument,
                     "thresholds are for blocks gated by SiLU; this model's activation is " +
                         std::string(to_string(spec.activation())) +
                         (is_sparse(spec.activation())
                              ? ", which makes zeros by itself: use \"exact\" or \"predicted\""
                              : ""),
                     {},
                     "mode"};
    }
    return CpuWeights::can_lie_by_input(tensors);
}

MemoryCosts memory_costs(const ModelSpec& spec, const ModelTensors& tensors, FeedForwardMode mode,
                         int n_threads, const FlashWithout& without, const FiringWindow& window) {
    return {
        .weights_bytes =
            [spec, &tensors, mode](const Placement& placement) {
                return CpuWeights::bytes_for(spec, tensors, mode, placement);
            },
        .kv_bytes =
            [spec](int n_ctx, const Placement& placement) {
                return KvCache::bytes_for(spec, n_ctx, placement);
            },
        .scratch_bytes =
            [spec, width = tensors.predictor_width(), n_threads, mode](int, int n_batch) {
                return CpuExecutor::scratch_bytes(spec, width, n_batch, n_threads, mode);
            },
        .stream_to_fit =
            [spec, &tensors, mode, caches = !without.neurons, window](const Placement& placement,
                                                                      std::uint64_t budget) {
                return hearth::stream_to_fit(spec, tensors, mode, placement, budget, caches,
                                             window);
            },
    };
}

std::vector<std::string> runnable_isas(std::uint32_t cpu_flags) {
    std::array<const kernels::KernelTable*, kernels::kMostTables> tables{};
    const int count = kernels::available(cpu_flags, tables.data());
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) {
        names.emplace_back(tables[static_cast<std::size_t>(i)]->name);
    }
    return names;
}

Result<std::unique_ptr<Executor>> make_cpu_executor(std::uint32_t cpu_flags, const std::string& isa,
                                                    ThreadPool& pool) {
    const kernels::KernelTable* table = kernels::select(cpu_flags, isa.c_str());
    if (table == nullptr) {
        std::string known;
        for (const std::string& name : runnable_isas(cpu_flags)) {
            known += (known.empty() ? "" : ", ") + name;
        }
        return Error{ErrorCode::InvalidArgument,
                     "HEARTH_CPU asks for \"" + isa + "\"; this processor runs " + known,
                     {},
                     "HEARTH_CPU"};
    }
    return std::unique_ptr<Executor>(std::make_unique<CpuExecutor>(*table, pool));
}

MemoryBytes foretelling_bytes(const ForetellingModel& model, int n_vocab, int n_ctx,
                              int n_threads) {
    return CpuForetelling::bytes_for(model, n_vocab, n_ctx, n_threads);
}

Result<std::unique_ptr<Foretelling>> make_foretelling(const GgufFile& file,
                                                      std::shared_ptr<const ForetellingModel> model,
                                                      const Executor& cpu, const Plan& plan,
                                                      Ledger& ledger, LoadMonitor& monitor) {
    auto made = CpuForetelling::create(file, std::move(model), static_cast<const CpuExecutor&>(cpu),
                                       plan, ledger, monitor);
    if (!made) {
        return std::move(made).error();
    }
    return std::unique_ptr<Foretelling>(std::move(*made));
}

UsualMatrix usual_matrix(const ModelSpec& spec, const ModelTensors& tensors) {
    std::map<DType, std::uint64_t> bytes;
    const auto add = [&bytes](const ByRole<Weight>& weights) {
        for (std::size_t i = 0; i < kRoles; ++i) {
            const RoleRow& row = row_of(static_cast<Role>(i));
            if (!row.is_vector() && row.part != Part::Embedding && row.part != Part::Table &&
                row.part != Part::Rope && weights[row.role].present()) {
                bytes[weights[row.role].type] += weights[row.role].bytes();
            }
        }
    };
    add(tensors.weights);
    for (const LayerTensors& layer : tensors.layers) {
        add(layer.weights);
    }
    const int n_expert_ff = spec.most([](const LayerSpec& layer) { return layer.experts.n_ff; });
    UsualMatrix usual{
        .type = kMeasuredType, .rows = std::max(spec.n_ff_max(), n_expert_ff), .cols = spec.n_embd};
    std::uint64_t most = 0;
    for (const auto& [type, sum] : bytes) {
        usual.read_bytes += sum;
        if (sum > most) {
            usual.type = type;
            most = sum;
        }
    }
    return usual;
}

KernelSpeeds measure_kernel_speeds(std::uint32_t cpu_flags, const std::string& isa,
                                   ThreadPool& pool, const UsualMatrix& usual,
                                   std::uint64_t most_bytes) {
    const kernels::KernelTable* table = kernels::select(cpu_flags, isa.c_str());
    return table == nullptr ? KernelSpeeds{}
                            : measure_kernel_speeds(*table, pool, usual, most_bytes);
}

}  // namespace hearth
