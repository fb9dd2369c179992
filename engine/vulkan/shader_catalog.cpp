#include "vulkan/shader_catalog.h"

#include <cstdint>

#include "base/assert.h"
#include "hearth_shaders/activate.h"
#include "hearth_shaders/attention_batch.h"
#include "hearth_shaders/attention_decode.h"
#include "hearth_shaders/attention_decode_teams.h"
#include "hearth_shaders/candidates.h"
#include "hearth_shaders/down_rows_BF16.h"
#include "hearth_shaders/down_rows_F16.h"
#include "hearth_shaders/down_rows_F32.h"
#include "hearth_shaders/down_rows_Q4_0.h"
#include "hearth_shaders/down_rows_Q8_0.h"
#include "hearth_shaders/gemm_BF16.h"
#include "hearth_shaders/gemm_F16.h"
#include "hearth_shaders/gemm_F32.h"
#include "hearth_shaders/gemm_Q4_0.h"
#include "hearth_shaders/gemm_Q5_0.h"
#include "hearth_shaders/gemm_Q6_K.h"
#include "hearth_shaders/gemm_Q8_0.h"
#include "hearth_shaders/gemm_bytes_Q4_0.h"
#include "hearth_shaders/gemm_bytes_Q5_0.h"
#include "hearth_shaders/gemm_bytes_Q6_K.h"
#include "hearth_shaders/gemm_bytes_Q8_0.h"
#include "hearth_shaders/gemm_cooperative_nv_BF16.h"
#include "hearth_shaders/gemm_cooperative_nv_F16.h"
#include "hearth_shaders/gemm_cooperative_nv_F32.h"
#include "hearth_shaders/gemm_cooperative_nv_Q4_0.h"
#include "hearth_shaders/gemm_cooperative_nv_Q5_0.h"
#include "hearth_shaders/gemm_cooperative_nv_Q6_K.h"
#include "hearth_shaders/gemm_cooperative_nv_Q8_0.h"
#include "hearth_shaders/gemm_cooperative_nv_transposed_BF16.h"
#include "hearth_shaders/gemm_cooperative_nv_transposed_F16.h"
#include "hearth_shaders/gemm_cooperative_nv_transposed_F32.h"
#include "hearth_shaders/gemm_cooperative_nv_transposed_Q4_0.h"
#include "hearth_shaders/gemm_cooperative_nv_transposed_Q8_0.h"
#include "hearth_shaders/gemm_transposed_BF16.h"
#include "hearth_shaders/gemm_transposed_F16.h"
#include "hearth_shaders/gemm_transposed_F32.h"
#include "hearth_shaders/gemm_transposed_Q4_0.h"
#include "hearth_shaders/gemm_transposed_Q8_0.h"
#include "hearth_shaders/gemv_BF16.h"
#include "hearth_shaders/gemv_F16.h"
#include "hearth_shaders/gemv_F32.h"
#include "hearth_shaders/gemv_Q4_0.h"
#include "hearth_shaders/gemv_Q5_0.h"
#include "hearth_shaders/gemv_Q6_K.h"
#include "hearth_shaders/gemv_Q8_0.h"
#include "hearth_shaders/gemv_bytes_Q4_0.h"
#include "hearth_shaders/gemv_bytes_Q5_0.h"
#include "hearth_shaders/gemv_bytes_Q6_K.h"
#include "hearth_shaders/gemv_bytes_Q8_0.h"
#include "hearth_shaders/neurons_BF16.h"
#include "hearth_shaders/neurons_F16.h"
#include "hearth_shaders/neurons_F32.h"
#include "hearth_shaders/neurons_Q4_0.h"
#include "hearth_shaders/neurons_Q5_0.h"
#include "hearth_shaders/neurons_Q6_K.h"
#include "hearth_shaders/neurons_Q8_0.h"
#include "hearth_shaders/neurons_bytes_Q4_0.h"
#include "hearth_shaders/neurons_bytes_Q5_0.h"
#include "hearth_shaders/neurons_bytes_Q6_K.h"
#include "hearth_shaders/neurons_bytes_Q8_0.h"
#include "hearth_shaders/norm.h"
#include "hearth_shaders/quantize.h"
#include "hearth_shaders/reduce.h"
#include "hearth_shaders/rope_store.h"
#include "include/params.h"

#if HEARTH_KHR_COOPERATIVE
#include "hearth_shaders/gemm_cooperative_khr_BF16.h"
#include "hearth_shaders/gemm_cooperative_khr_F16.h"
#include "hearth_shaders/gemm_cooperative_khr_F32.h"
#include "hearth_shaders/gemm_cooperative_khr_Q4_0.h"
#include "hearth_shaders/gemm_cooperative_khr_Q5_0.h"
#include "hearth_shaders/gemm_cooperative_khr_Q6_K.h"
#include "hearth_shaders/gemm_cooperative_khr_Q8_0.h"
#include "hearth_shaders/gemm_cooperative_khr_transposed_BF16.h"
#include "hearth_shaders/gemm_cooperative_khr_transposed_F16.h"
#include "hearth_shaders/gemm_cooperative_khr_transposed_F32.h"
#include "hearth_shaders/gemm_cooperative_khr_transposed_Q4_0.h"
#include "hearth_shaders/gemm_cooperative_khr_transposed_Q8_0.h"
#endif

namespace hearth::vulkan {
namespace {

template <std::size_t n>
constexpr Shader shader(const char* name, const std::uint32_t (&words)[n], std::uint32_t n_buffers,
                        std::size_t push_bytes) {
    return {name, words, n_buffers, static_cast<std::uint32_t>(push_bytes)};
}

}  // namespace

#define HEARTH_SHADER(name, n_buffers, push)                                              \
    {                                                                                     \
        static const Shader found = shader(#name, name, n_buffers, sizeof(params::push)); \
        return found;                                                                     \
    }
#define HEARTH_CASE(family, type, n_buffers, push) \
    case DType::type:                              \
        HEARTH_SHADER(family##_##type, n_buffers, push)
#define HEARTH_QUANTIZED_CASES(family, n_buffers, push) \
    HEARTH_CASE(family, Q8_0, n_buffers, push)          \
    HEARTH_CASE(family, Q4_0, n_buffers, push)          \
    HEARTH_CASE(family, Q5_0, n_buffers, push)          \
    HEARTH_CASE(family, Q6_K, n_buffers, push)
#define HEARTH_FLOAT_CASES(family, n_buffers, push) \
    HEARTH_CASE(family, F32, n_buffers, push)       \
    HEARTH_CASE(family, F16, n_buffers, push)       \
    HEARTH_CASE(family, BF16, n_buffers, push)
#define HEARTH_ROW_CASES(family, n_buffers, push) \
    HEARTH_FLOAT_CASES(family, n_buffers, push)   \
    HEARTH_CASE(family, Q8_0, n_buffers, push)    \
    HEARTH_CASE(family, Q4_0, n_buffers, push)

// Returns from the function around it, for every type of the cases.
#define HEARTH_SWITCH(cases)                 \
    switch (type) { cases default : break; } \
    ::hearth::assertion_failed("a shader takes this type", __FILE__, __LINE__)

bool has_khr_cooperative_shaders() {
    return HEARTH_KHR_COOPERATIVE != 0;
}

const Shader& gemv_shader(DType type, InputForm form) {
    if (form == InputForm::Bytes) {
        HEARTH_SWITCH(HEARTH_QUANTIZED_CASES(gemv_bytes, 6, GemvParams));
    }
    HEARTH_SWITCH(HEARTH_FLOAT_CASES(gemv, 6, GemvParams)
                      HEARTH_QUANTIZED_CASES(gemv, 6, GemvParams));
}

const Shader& neurons_shader(DType type, InputForm form) {
    if (form == InputForm::Bytes) {
        HEARTH_SWITCH(HEARTH_QUANTIZED_CASES(neurons_bytes, 12, NeuronParams));
    }
    HEARTH_SWITCH(HEARTH_FLOAT_CASES(neurons, 12, NeuronParams)
                      HEARTH_QUANTIZED_CASES(neurons, 12, NeuronParams));
}

const Shader& gemm_shader(DType type, GemmForm form) {
    switch (form) {
        case GemmForm::Bytes:
            HEARTH_SWITCH(HEARTH_QUANTIZED_CASES(gemm_bytes, 6, GemmParams));
        case GemmForm::FloatsTransposed:
            HEARTH_SWITCH(HEARTH_ROW_CASES(gemm_transposed, 6, GemmParams));
        case GemmForm::CooperativeNv:
            HEARTH_SWITCH(HEARTH_FLOAT_CASES(gemm_cooperative_nv, 6, GemmParams)
                              HEARTH_QUANTIZED_CASES(gemm_cooperative_nv, 6, GemmParams));
        case GemmForm::CooperativeNvTransposed:
            HEARTH_SWITCH(HEARTH_ROW_CASES(gemm_cooperative_nv_transposed, 6, GemmParams));
#if HEARTH_KHR_COOPERATIVE
        case GemmForm::CooperativeKhr:
            HEARTH_SWITCH(HEARTH_FLOAT_CASES(gemm_cooperative_khr, 6, GemmParams)
                              HEARTH_QUANTIZED_CASES(gemm_cooperative_khr, 6, GemmParams));
        case GemmForm::CooperativeKhrTransposed:
            HEARTH_SWITCH(HEARTH_ROW_CASES(gemm_cooperative_khr_transposed, 6, GemmParams));
#else
        case GemmForm::CooperativeKhr:
        case GemmForm::CooperativeKhrTransposed:
            ::hearth::assertion_failed("the shader was built", __FILE__, __LINE__);
#endif
        case GemmForm::Floats:
            break;
    }
    HEARTH_SWITCH(HEARTH_FLOAT_CASES(gemm, 6, GemmParams)
                      HEARTH_QUANTIZED_CASES(gemm, 6, GemmParams));
}

const Shader& down_rows_shader(DType type) {
    HEARTH_SWITCH(HEARTH_ROW_CASES(down_rows, 4, DownRowsParams));
}

// clang-format off
const Shader& norm_shader() HEARTH_SHADER(norm, 11, NormParams)
const Shader& reduce_shader() HEARTH_SHADER(reduce, 3, ReduceParams)
const Shader& quantize_shader() HEARTH_SHADER(quantize, 3, QuantizeParams)
const Shader& activate_shader() HEARTH_SHADER(activate, 2, ActivateParams)
const Shader& attention_decode_shader() HEARTH_SHADER(attention_decode, 12, AttentionParams)
const Shader& attention_decode_teams_shader()
    HEARTH_SHADER(attention_decode_teams, 12, AttentionParams)
const Shader& attention_batch_shader() HEARTH_SHADER(attention_batch, 5, AttentionParams)
const Shader& rope_store_shader() HEARTH_SHADER(rope_store, 7, AttentionParams)
const Shader& candidates_shader() HEARTH_SHADER(candidates, 2, CandidatesParams)
// clang-format on

}  // namespace hearth::vulkan
