// attention_batch.comp and attention_cooperative.comp.
#include <optional>

#include "engine/vulkan/attention_cases.h"
#include "engine/vulkan/shader_checks.h"
#include "interfaces/attention_batch.h"
#include "vulkan/attention_kernel.h"
#include "vulkan/shader_catalog.h"

namespace hearth::test {
namespace {

namespace interfaces = vulkan::interfaces;

struct Form {
    std::optional<vulkan::AttentionKernel> kernel;  // none: attention_batch.comp
    std::uint32_t queries = 0, positions = 0;
};

CheckOutcome check_form(const ShaderDevice& on, const AttentionCase& one, const Form& form) {
    const Heads& heads = one.heads;
    const auto cache = one.bytes ? random_bytes : random_cache;
    const std::vector<float> queries =
        normal_floats(std::size_t{one.n_tokens} * heads.n_head * heads.dim, 1);
    const auto all_keys = cache(one, one.position + one.n_tokens, 4);
    const auto all_values = cache(one, one.position + one.n_tokens, 5);
    ShaderRig rig(on);
    const RigBuffer& step = rig.buffer_of(step_of(one));
    const RigBuffer& q = rig.buffer_of(queries);
    const RigBuffer& keys = rig.buffer_of(all_keys);
    const RigBuffer& values = rig.buffer_of(all_values);
    const RigBuffer& out = rig.room_for<float>(queries.size());
    const std::array<std::uint32_t, 3> groups{groups_for(one.n_tokens, form.queries), heads.n_head,
                                              1};
    const RigBuffer& sinks = rig.buffer_of(sinks_of(one));
    if (form.kernel) {
        rig.dispatch(form.kernel->shader,
                     {.WORKGROUP = form.kernel->workgroup,
                      .M = form.kernel->shape.m,
                      .N = form.kernel->shape.n,
                      .K = form.kernel->shape.k,
                      .HEAD_DIM = heads.dim,
                      .QUERIES = form.kernel->queries,
                      .TILE = form.kernel->positions,
                      .SPLIT = form.kernel->split,
                      .CAPPED = one.soft_cap > 0,
                      .WINDOWED = one.window > 0,
                      .BYTES = one.bytes,
                      .TEMPERED = one.temperature > 0,
                      .SINKS = one.sinks},
                     {.step = step.view,
                      .q = q.view,
                      .keys = keys.view,
                      .values = values.view,
                      .key_quads = keys.view,
                      .value_quads = values.view,
                      .attended = out.view,
                      .sinks = sinks.view},
                     params_of(one), groups, form.kernel->subgroup_size);
    } else {
        rig.dispatch(vulkan::shader_of<interfaces::AttentionBatch>(),
                     {.WORKGROUP = vulkan::kAttentionThreads,
                      .HEAD_DIM = heads.dim,
                      .QUERIES = form.queries,
                      .TILE = form.positions,
                      .CAPPED = one.soft_cap > 0,
                      .WINDOWED = one.window > 0,
                      .BYTES = one.bytes,
                      .TEMPERED = one.temperature > 0,
                      .SINKS = one.sinks},
                     {.step = step.view,
                      .q = q.view,
                      .keys = keys.view,
                      .values = values.view,
                      .attended = out.view,
                      .sinks = sinks.view},
                     params_of(one), groups);
    }
    rig.run();
    // Halves keep 11 bits: of queries and of weights, or of what bytes become.
    Measure measure(form.kernel ? 2e-3 : one.bytes ? 1e-3 : 5e-6);
    const std::vector<double> key_numbers = numbers_of(one, all_keys);
    const std::vector<double> value_numbers = numbers_of(one, all_values);
    std::vector<Sum> query(heads.dim);
    for (std::uint32_t t = 0; t < one.n_tokens; ++t) {
        for (std::uint32_t head = 0; head < heads.n_head; ++head) {
            const std::size_t from = (std::size_t{t} * heads.n_head + head) * heads.dim;
            for (std::size_t c = 0; c < heads.dim; ++c) {
                query[c].value = static_cast<double>(queries[from + c]);
            }
            const std::vector<Sum> sums =
                attended(one, query, head, one.position + t + 1, key_numbers, value_numbers);
            for (std::size_t c = 0; c < heads.dim; ++c) {
                measure.add(static_cast<double>(out.as<float>()[from + c]), sums[c]);
            }
        }
    }
    return measure.outcome();
}

CheckOutcome check_plain(const ShaderDevice& on, const AttentionCase& one) {
    const vulkan::AttentionTile tile =
        vulkan::attention_batch_tile(static_cast<int>(one.heads.dim));
    return check_form(on, one, {std::nullopt, tile.queries, tile.positions});
}

// The engine takes this one with Khronos' extension alone, or NVIDIA's.
std::optional<vulkan::AttentionKernel> kernel_for(const ShaderDevice& on, bool khr,
                                                  std::uint32_t dim) {
    vulkan::ShaderFeatures features = on.device->features();
    features.nv_cooperative_matrix = features.nv_cooperative_matrix && !khr;
    if (!khr) {
        features.khr_cooperative_matrix.clear();
    }
    return vulkan::attention_kernel(features, static_cast<int>(dim));
}

template <bool Khr>
CheckOutcome check_cooperative(const ShaderDevice& on, const AttentionCase& one) {
    const auto kernel = kernel_for(on, Khr, one.heads.dim);
    return check_form(on, one, {kernel, kernel->queries, kernel->positions});
}

std::vector<AttentionCase> cases() {
    constexpr std::uint32_t kCtx = 230;
    std::vector<AttentionCase> batches;
    const auto add_sinks = [&](AttentionCase one) {
        one.sinks = true;
        batches.push_back(one);
    };
    for (const std::uint32_t dim : {32U, 64U, 128U}) {
        batches.push_back({{2, 2, dim}, kCtx, 0, 2});
        batches.push_back({{4, 1, dim}, kCtx, 0, 50});
        batches.push_back({{4, 4, dim}, kCtx, 63, 17});
        batches.push_back({{8, 2, dim}, kCtx, 200, 30});
    }
    batches.push_back({{3, 3, 80}, kCtx, 31, 16});
    batches.push_back({{4, 1, 256}, kCtx, 100, 9});
    batches.push_back({{4, 1, 512}, kCtx, 100, 9});
    batches.push_back(
        {.heads = {8, 1, 512}, .n_ctx = kCtx, .position = 3, .n_tokens = 70, .window = 20});
    batches.push_back(
        {.heads = {4, 2, 32}, .n_ctx = kCtx, .position = 10, .n_tokens = 40, .temperature = 0.5F});
    for (const std::uint32_t window : {1U, 20U, 64U, 180U}) {
        batches.push_back({.heads = {4, 2, 64},
                           .n_ctx = kCtx,
                           .position = 150,
                           .n_tokens = 40,
                           .soft_cap = window == 20 ? 2.0F : 0.0F,
                           .window = window});
        batches.push_back({.heads = {2, 2, 32},
                           .n_ctx = kCtx,
                           .position = 0,
                           .n_tokens = 70,
                           .soft_cap = window == 64 ? 0.2F : 0.0F,
                           .window = window});
    }
    for (const std::uint32_t position : {0U, 150U}) {
        for (const std::uint32_t window : {0U, 1U, 20U}) {
            add_sinks({.heads = {8, 2, 64},
                       .n_ctx = kCtx,
                       .position = position,
                       .n_tokens = 40,
                       .window = window});
        }
    }
    add_sinks({{3, 3, 80}, kCtx, 31, 16});
    for (const std::uint32_t dim : {32U, 80U, 128U, 256U}) {
        batches.push_back({.heads = {4, 2, dim},
                           .n_ctx = kCtx,
                           .position = 90,
                           .n_tokens = 70,
                           .window = dim == 80 ? 50U : 0U,
                           .bytes = true});
    }
    return batches;
}

}  // namespace

void add_attention_batch_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks) {
    std::vector<AttentionCase> batches = cases();
    add_cases(on, "attention_batch", check_plain, batches, checks);
    // Lengths of which 16 are no divisor are the plain kernel's, as those of 512 are.
    for (const std::uint32_t position : {0U, 100U, 129U}) {
        batches.push_back({{2, 1, 256}, 230, position, 97});
        batches.push_back({{2, 1, 64}, 230, position, 100});
    }
    std::vector<AttentionCase> of_khr = batches;
    std::erase_if(of_khr, [&](const auto& one) { return !kernel_for(on, true, one.heads.dim); });
    std::erase_if(batches, [&](const auto& one) { return !kernel_for(on, false, one.heads.dim); });
    add_cases(on, "attention_cooperative_nv", check_cooperative<false>, batches, checks);
    add_cases(on, "attention_cooperative_khr", check_cooperative<true>, of_khr, checks);
}

}  // namespace hearth::test
