// gemv.comp and gemm.comp: a matrix of every type times one token and a batch.
#include <algorithm>
#include <string>

#include "engine/vulkan/shader_checks.h"
#include "interfaces/gemv.h"
#include "vulkan/gemm_kernel.h"
#include "vulkan/shader_catalog.h"

namespace hearth::test {
namespace {

namespace params = vulkan::params;
using vulkan::GemmForm;
using vulkan::GpuMatrix;
using vulkan::InputForm;

struct Shape {
    std::uint64_t rows, blocks, n_tokens;  // blocks of 32 columns, or more where the type's are
};

std::uint64_t cols_of(DType type, const Shape& shape) {
    return shape.blocks * std::max(32U, dtype_info(type).block_values);
}

std::string shape_name(DType type, const Shape& shape) {
    std::string name = std::to_string(shape.rows) + "x" + std::to_string(cols_of(type, shape));
    if (shape.n_tokens > 1) {
        name.append("x").append(std::to_string(shape.n_tokens));
    }
    return name;
}

// A binding that holds a third of the matrix, or any.
std::uint64_t range_for(DType type, const Shape& shape, bool in_slices) {
    const std::uint64_t bytes = vulkan::MatrixLayout(type, shape.rows, cols_of(type, shape)).bytes;
    return in_slices ? bytes / 3 : ~std::uint64_t{0};
}

struct Extras {
    bool bias = false;
    bool relu = false;
    bool in_slices = false;
    bool aligned = false;  // rows of y begin at 16 bytes
    bool halves = false;   // of the input
};

std::string extras_name(const Extras& extras) {
    return std::string(extras.bias ? " bias" : "") + (extras.relu ? " relu" : "") +
           (extras.in_slices ? " in slices" : "") + (extras.aligned ? " aligned" : "") +
           (extras.halves ? " halves" : "");
}

Sum product(const RigMatrix& w, const RigInput& x, std::uint64_t row, std::uint64_t token) {
    Sum sum;
    for (std::uint64_t c = 0; c < w.matrix.cols; ++c) {
        sum.add(w.at(row, c) * x.at(token, c));
    }
    return sum;
}

// ---- gemv --------------------------------------------------------------------------------------

struct GemvCase {
    DType type;
    InputForm form;
    TeamForm team;
    std::uint32_t rows_of_team;
    Shape shape;
    Extras extras;
};

CheckOutcome check_gemv(const ShaderDevice& on, const GemvCase& one) {
    constexpr std::uint32_t kThreads = 128;
    const Shape& shape = one.shape;
    ShaderRig rig(on);
    const RigMatrix w(rig, one.type, shape.rows, cols_of(one.type, shape), 1, 1,
                      range_for(one.type, shape, one.extras.in_slices));
    const RigInput x(rig, one.form == InputForm::Bytes, shape.n_tokens, w.matrix.cols,
                     w.matrix.cols, 2);
    const std::vector<float> bias = normal_floats(static_cast<std::size_t>(shape.rows), 3);
    const vulkan::BufferView bias_view =
        one.extras.bias ? rig.buffer_of(bias).view : vulkan::BufferView{};
    const std::uint64_t y_stride = shape.rows + 3;
    const RigBuffer& y = rig.room_for<float>(static_cast<std::size_t>(shape.n_tokens * y_stride));
    for (const GpuMatrix::Slice& slice : w.matrix.slices) {
        params::GemvParams p{};
        p.matrix = slice.layout.params();
        p.y_at = static_cast<std::uint32_t>(slice.first_row);
        p.has_bias = one.extras.bias ? 1 : 0;
        p.relu = one.extras.relu ? 1 : 0;
        p.n_tokens = static_cast<std::uint32_t>(shape.n_tokens);
        p.y_stride = static_cast<std::uint32_t>(y_stride);
        rig.dispatch(
            vulkan::gemv_shader(one.type, one.form),
            {.WORKGROUP = kThreads,
             .TEAM = one.team.size,
             .SUBGROUPS = one.team.subgroups,
             .ROWS = one.rows_of_team,
             .BLOCKS = static_cast<std::uint32_t>(w.matrix.cols / vulkan::kBlockColumns),
             .HEAD_ROWS = 0,
             .TOKENS = shape.n_tokens == 1   ? 1
                       : shape.n_tokens <= 4 ? 4
                                             : 8,
             .AHEAD = shape.n_tokens == 1 ? 3 : 1},  // no divisor of the steps of any row
            {.quads = slice.view,
             .words = slice.view,
             .x = x.values,
             .xd = x.scales,
             .y = y.view,
             .bias = bias_view},
            p, {groups_for(slice.layout.rows, kThreads / one.team.size * one.rows_of_team), 1, 1},
            one.team.required_size);
    }
    rig.run();
    Measure measure(2e-6);
    measure.require(one.extras.in_slices == (w.matrix.slices.size() > 1), "not cut as wanted");
    for (std::uint64_t t = 0; t < shape.n_tokens; ++t) {
        for (std::uint64_t r = 0; r < shape.rows; ++r) {
            Sum sum = product(w, x, r, t);
            if (one.extras.bias) {
                sum.add(static_cast<double>(bias[static_cast<std::size_t>(r)]));
            }
            if (one.extras.relu) {
                sum.value = std::max(sum.value, 0.0);
            }
            const auto at = static_cast<std::size_t>(t * y_stride + r);
            measure.add(static_cast<double>(y.as<float>()[at]), sum);
        }
    }
    return measure.outcome();
}

void add_gemv(const ShaderDevice& on, DType type, InputForm form,
              std::vector<KernelCheck>& checks) {
    constexpr Shape kOne{1, 1, 1};
    constexpr Shape kOdd{37, 3, 1};
    constexpr Shape kWide{131, 33, 1};
    constexpr Shape kSeveral{37, 9, 3};
    constexpr Shape kMost{37, 3, 8};
    for (const TeamForm& team : team_forms(on)) {
        for (const GemvCase& one : {GemvCase{type, form, team, 1, kOne, {}},
                                    GemvCase{type, form, team, 2, kOdd, {.bias = true}},
                                    GemvCase{type, form, team, 1, kOdd, {.in_slices = true}},
                                    GemvCase{type, form, team, 2, kSeveral, {.bias = true}},
                                    GemvCase{type, form, team, 2, kMost, {.in_slices = true}},
                                    GemvCase{type, form, team, 1, kWide, {true, true, true}}}) {
            checks.push_back(checked("shader/gemv " + std::string(dtype_info(type).name) +
                                         (form == InputForm::Bytes ? " bytes " : " ") +
                                         shape_name(type, one.shape) + team.name +
                                         extras_name(one.extras),
                                     [on, one] { return check_gemv(on, one); }));
        }
    }
}

// ---- gemm --------------------------------------------------------------------------------------

struct GemmCase {
    DType type;
    GemmForm form;
    bool transposed;
    Shape shape;
    Extras extras;
    vulkan::CooperativeTiles tiles{};  // CooperativeKhr's
};

const char* form_name(GemmForm form) {
    switch (form) {
        case GemmForm::Floats:
            return "";
        case GemmForm::Bytes:
            return " bytes";
        case GemmForm::CooperativeNv:
            return " cooperative nv";
        case GemmForm::CooperativeKhr:
            return " cooperative khr";
    }
    return "";
}

CheckOutcome check_gemm(const ShaderDevice& on, const GemmCase& one) {
    const Shape& shape = one.shape;
    const bool transposed = one.transposed;
    const bool cooperative = is_cooperative(one.form);
    vulkan::ShaderFeatures features = on.device->features();
    features.khr_cooperative_matrix = {one.tiles};
    vulkan::GemmKernel kernel = gemm_kernel(features, one.type, one.form, transposed);
    kernel.constants.HALVES = one.extras.halves;
    ShaderRig rig(on);
    const RigMatrix w(rig, one.type, shape.rows, cols_of(one.type, shape), 1, transposed ? 32 : 1,
                      range_for(one.type, shape, one.extras.in_slices));
    const std::uint64_t n_in = transposed ? w.matrix.rows : w.matrix.cols;
    const std::uint64_t n_out = transposed ? w.matrix.cols : w.matrix.rows;
    const bool bytes = one.form == GemmForm::Bytes;
    // Rows begin where vectors of four may; the room between them, or behind those of a panel,
    // shows who goes too far.
    const bool halves = one.extras.halves;
    const std::uint64_t x_stride = halves ? shape.n_tokens + 1 : n_in + 4;
    const std::uint64_t y_stride = one.extras.aligned ? (n_out + 7) / 4 * 4 : n_out + 5;
    const RigInput x(rig, bytes, shape.n_tokens, n_in, x_stride, 2, halves);
    const std::vector<float> bias = normal_floats(static_cast<std::size_t>(n_out), 3);
    const vulkan::BufferView bias_view =
        one.extras.bias ? rig.buffer_of(bias).view : vulkan::BufferView{};
    const RigBuffer& y = rig.room_for<float>(static_cast<std::size_t>(shape.n_tokens * y_stride));
    for (const GpuMatrix::Slice& slice : w.matrix.slices) {
        params::GemmParams p{};
        p.matrix = slice.layout.params();
        p.n_tokens = static_cast<std::uint32_t>(shape.n_tokens);
        p.x_stride = static_cast<std::uint32_t>(x_stride);
        p.y_stride = static_cast<std::uint32_t>(y_stride);
        p.x_at = static_cast<std::uint32_t>(transposed ? slice.first_row : 0);
        p.y_at = static_cast<std::uint32_t>(transposed ? 0 : slice.first_row);
        p.add = transposed && slice.first_row > 0 ? 1 : 0;
        p.has_bias = one.extras.bias && p.add == 0 ? 1 : 0;
        p.relu = one.extras.relu ? 1 : 0;
        rig.dispatch(kernel.shader, kernel.constants,
                     {.quads = slice.view,
                      .words = slice.view,
                      .x = x.values,
                      .xd = x.scales,
                      .y = y.view,
                      .bias = bias_view,
                      .pairs = vulkan::BufferView{},
                      .tiles = vulkan::BufferView{},
                      .x_halves = halves ? x.values : vulkan::BufferView{}},
                     p,
                     {groups_for(transposed ? n_out : slice.layout.rows, kernel.tile),
                      groups_for(shape.n_tokens, kernel.tile), 1},
                     kernel.subgroup_size);
    }
    rig.run();
    // Halves keep 11 bits of each factor.
    Measure measure(cooperative ? 1e-3 : 2e-6);
    measure.require(one.extras.in_slices == (w.matrix.slices.size() > 1), "not cut as wanted");
    for (std::uint64_t t = 0; t < shape.n_tokens; ++t) {
        const auto row = y.as<float>().subspan(static_cast<std::size_t>(t * y_stride),
                                               static_cast<std::size_t>(y_stride));
        for (std::uint64_t r = 0; r < n_out; ++r) {
            Sum sum;
            for (std::uint64_t c = 0; c < n_in; ++c) {
                sum.add((transposed ? w.at(c, r) : w.at(r, c)) * x.at(t, c));
            }
            if (one.extras.bias) {
                sum.add(static_cast<double>(bias[static_cast<std::size_t>(r)]));
            }
            if (one.extras.relu) {
                sum.value = std::max(sum.value, 0.0);
            }
            measure.add(static_cast<double>(row[static_cast<std::size_t>(r)]), sum);
        }
        measure.require(
            std::all_of(row.begin() + static_cast<std::ptrdiff_t>(n_out), row.end(), is_untouched),
            "wrote between two tokens");
    }
    return measure.outcome();
}

std::string tiles_name(const vulkan::CooperativeTiles& tiles) {
    if (tiles.subgroup_size == 0) {
        return "";
    }
    return " in " + std::to_string(tiles.shape.m) + "x" + std::to_string(tiles.shape.n) + "x" +
           std::to_string(tiles.shape.k);
}

// Both ways round, where the form has both.
void add_gemm(const ShaderDevice& on, DType type, GemmForm form, std::vector<KernelCheck>& checks,
              const vulkan::CooperativeTiles& tiles = {}) {
    std::vector<GemmCase> cases{{type, form, false, {1, 1, 2}, {}},
                                {type, form, false, {37, 3, 5}, {.bias = true}},
                                {type, form, false, {150, 5, 70}, {}},
                                {type, form, false, {150, 3, 71}, {.aligned = true}},
                                {type, form, false, {130, 2, 129}, {.bias = true, .relu = true}},
                                {type, form, false, {67, 3, 17}, {true, true, true}}};
    if (form != GemmForm::Bytes) {  // rows are neurons, in blocks of 32
        cases.insert(cases.end(),
                     {{type, form, true, {32, 1, 2}, {}},
                      {type, form, true, {96, 3, 5}, {.bias = true}},
                      {type, form, true, {160, 5, 70}, {.bias = true, .relu = true}},
                      {type, form, true, {64, 4, 129}, {}},
                      {type, form, true, {96, 3, 39}, {.aligned = true}},
                      {type, form, true, {224, 3, 17}, {.bias = true, .in_slices = true}}});
    }
    if (is_cooperative(form)) {
        for (const Shape& shape : {Shape{37, 3, 5}, Shape{150, 5, 70}, Shape{130, 2, 129}}) {
            cases.push_back({type, form, false, shape, {.aligned = true, .halves = true}});
        }
    }
    for (GemmCase& one : cases) {
        one.tiles = tiles;
        checks.push_back(checked("shader/gemm " + std::string(dtype_info(type).name) +
                                     form_name(form) + (one.transposed ? " transposed" : "") +
                                     tiles_name(tiles) + " " + shape_name(type, one.shape) +
                                     extras_name(one.extras),
                                 [on, one] { return check_gemm(on, one); }));
    }
}

void add_cooperative_gemm(const ShaderDevice& on, DType type, std::vector<KernelCheck>& checks) {
    const vulkan::ShaderFeatures& features = on.device->features();
    if (features.nv_cooperative_matrix) {
        add_gemm(on, type, GemmForm::CooperativeNv, checks);
    }
    // Also what the engine would not choose here: other devices have nothing else.
    for (const vulkan::CooperativeTiles& tiles : features.khr_cooperative_matrix) {
        add_gemm(on, type, GemmForm::CooperativeKhr, checks, tiles);
    }
}

// In the place of what this device, or this build, cannot check.
void add_missing(const ShaderDevice& on, std::vector<KernelCheck>& checks) {
    const auto skip = [&](const char* name, const char* why) {
        checks.push_back({name, [why] { return CheckOutcome{true, why, true}; }});
    };
    const vulkan::ShaderFeatures& features = on.device->features();
    if (!features.nv_cooperative_matrix) {
        skip("shader/gemm cooperative nv", "the device is without VK_NV_cooperative_matrix");
    }
    if (!vulkan::has_khr_cooperative_shaders()) {
        skip("shader/gemm cooperative khr",
             "the compiler of shaders did not know GL_KHR_cooperative_matrix");
    } else if (features.khr_cooperative_matrix.empty()) {
        skip("shader/gemm cooperative khr",
             "the device is without VK_KHR_cooperative_matrix, or sizes that fit");
    }
}

}  // namespace

void add_product_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks) {
    const vulkan::ShaderFeatures& features = on.device->features();
    for (const DType type : matrix_types()) {
        const bool bytes = vulkan::is_quantized(type) && features.integer_dot;
        add_gemv(on, type, InputForm::Floats, checks);
        add_gemm(on, type, GemmForm::Floats, checks);
        if (bytes) {
            add_gemv(on, type, InputForm::Bytes, checks);
            add_gemm(on, type, GemmForm::Bytes, checks);
        }
        add_cooperative_gemm(on, type, checks);
    }
    add_missing(on, checks);
}

}  // namespace hearth::test
