#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/thread_pool.h"
#include "gguf/encoding.h"
#include "gguf/rows.h"
#include "interfaces/down_rows.h"
#include "interfaces/gemv.h"
#include "interfaces/quantize.h"
#include "vulkan/arena.h"
#include "vulkan/buffers.h"
#include "vulkan/gemm_kernel.h"
#include "vulkan/matrix.h"
#include "vulkan/probe.h"
#include "vulkan/recorded_commands.h"
#include "vulkan/shader_catalog.h"
#include "vulkan/shader_words.h"
#include "vulkan/teams.h"

namespace hearth::vulkan {
namespace {

// The size of a matrix: no multiple of any tile, but whole blocks of every type.
constexpr std::size_t kRows = 70;
constexpr std::size_t kColumns = 512;
constexpr std::size_t kTokens = 5;
constexpr std::size_t kChunk = 32;  // of neurons whose down rows are added
constexpr std::size_t kChunks = (kRows + kChunk - 1) / kChunk;
constexpr double kPatience = 20.0;  // the process around this has less
constexpr const char* kLabel = "trial";

enum class Kind { Vector, Batch, Rows };

struct TriedProduct {
    Kind kind;
    DType type;
    std::string name;
    BufferView out;        // on the GPU
    BufferView read;       // where the processor reads it
    double tolerance = 0;  // of the sum of the terms' sizes
};

// Takes dispatches as a Recorder does, and records nothing.
struct PipelineMaker {
    template <class Interface>
    void dispatch(const ShaderOf<Interface>& shader, const typename Interface::Constants& constants,
                  const typename Interface::Buffers&, const typename Interface::Params&,
                  const Launch& launch) {
        [[maybe_unused]] const auto made =
            pipelines.get(shader, constant_values(constants), launch.subgroup_size);
    }
    Pipelines& pipelines;
};

std::size_t values_of(Kind kind) {
    switch (kind) {
        case Kind::Vector:
            return kRows;
        case Kind::Batch:
            return kTokens * kRows;
        case Kind::Rows:
            break;
    }
    return kChunks * kColumns;
}

class Check {
public:
    explicit Check(std::shared_ptr<Device> device)
        : device_(std::move(device)), teams_(device_->features()) {}

    Result<void> run() {
        make_numbers();
        if (auto taken = take_memory(); !taken) {
            return taken;
        }
        fill_staging();
        make_pipelines();
        if (auto computed = compute(); !computed) {
            return computed;
        }
        for (const TriedProduct& product : products_) {
            if (auto right = compare(product); !right) {
                return right;
            }
        }
        return {};
    }

private:
    struct Matrix {
        DType type;
        MatrixLayout layout;
        std::vector<std::byte> bytes;  // as the shaders want it
        std::vector<float> values;     // [kRows, kColumns], what the type's bytes stand for
        BufferView view;
        BufferView staged;
    };

    bool uses_bytes(DType type) const {
        return is_quantized(type) && device_->features().integer_dot;
    }
    GemmForm gemm_form(DType type) const {
        return vulkan::gemm_form(device_->features(), type, false);
    }

    // Makes numbers that are the same on every machine.
    void make_numbers() {
        std::mt19937 random(2026);
        const auto between = [&](float low, float high) {
            return low + (high - low) * static_cast<float>(random()) / 4294967296.0F;
        };
        for (const Encoding& encoding : encodings()) {
            const DType type = encoding.type;
            if (!has_matrix_layout(type)) {
                continue;
            }
            Matrix matrix{type, MatrixLayout(type, kRows, kColumns), {}, {}, {}, {}};
            matrix.bytes.resize(matrix.layout.bytes);
            const RunPlaces runs = runs_of(matrix.layout, matrix.bytes.data());
            matrix.values.resize(kRows * kColumns);
            std::vector<float> row(kColumns);
            std::vector<std::byte> file_row(row_bytes(type, kColumns));
            for (std::size_t r = 0; r < kRows; ++r) {
                std::generate(row.begin(), row.end(), [&] { return between(-1, 1); });
                quantize_row(type, row, file_row.data());
                dequantize_row(type, file_row.data(),
                               std::span(matrix.values).subspan(r * kColumns, kColumns));
                put_in_runs(matrix.layout, file_row.data(), 0,
                            places_of_row(matrix.layout, runs, r));
            }
            matrices_.push_back(std::move(matrix));
        }
        // Inputs are whole numbers up to 127, and each block of 32 holds a 127. Rounding them to
        // bytes, as the quantised products do, then changes nothing.
        x_.resize(kTokens * kColumns);
        for (std::size_t i = 0; i < x_.size(); ++i) {
            x_[i] = i % 32 == 7 ? 127.0F : std::round(between(-127, 127));
        }
        hidden_.resize(kRows);
        for (std::size_t i = 0; i < kRows; ++i) {
            hidden_[i] = i % 3 == 0 ? between(0.5F, 1) : 0.0F;
        }
    }

    Result<void> take_memory() {
        const std::uint64_t x_bytes = x_.size() * sizeof(float);
        const std::uint64_t x_scales = x_.size() / kBlockColumns * sizeof(float);
        const std::uint64_t hidden_bytes = hidden_.size() * sizeof(float);
        for (const Matrix& matrix : matrices_) {
            const DType type = matrix.type;
            const std::string name(dtype_info(type).name);
            const bool halves = is_cooperative(gemm_form(type));
            products_.push_back({Kind::Vector, type, name + " times a vector", {}, {}, 1e-4});
            products_.push_back(
                {Kind::Batch, type, name + " times a batch", {}, {}, halves ? 1e-3 : 1e-4});
            products_.push_back({Kind::Rows, type, name + " row by row", {}, {}, 1e-4});
        }
        Arena::Pieces on_gpu{x_bytes, x_.size(), x_scales, x_.size() * 2, hidden_bytes};
        Arena::Pieces written{x_bytes, hidden_bytes};
        Arena::Pieces read;
        for (const Matrix& matrix : matrices_) {
            on_gpu.push_back(matrix.layout.bytes);
            written.push_back(matrix.layout.bytes);
        }
        std::uint64_t poison_bytes = x_bytes;
        for (const TriedProduct& product : products_) {
            poison_bytes = std::max(poison_bytes, values_of(product.kind) * sizeof(float));
        }
        written.push_back(poison_bytes);
        for (const TriedProduct& product : products_) {
            on_gpu.push_back(values_of(product.kind) * sizeof(float));
            read.push_back(values_of(product.kind) * sizeof(float));
        }
        constexpr const char* kWhat = "a trial";
        const auto create = [&](Arena& arena, MemoryKind kind,
                                const Arena::Pieces& pieces) -> Result<void> {
            auto made = Arena::create(device_, kind, pieces, kWhat);
            if (!made) {
                return std::move(made).error();
            }
            arena = std::move(*made);
            return {};
        };
        if (auto made = create(gpu_, MemoryKind::Device, on_gpu); !made) {
            return made;
        }
        if (auto made = create(written_, MemoryKind::Shared, written); !made) {
            return made;
        }
        if (auto made = create(read_, MemoryKind::Readback, read); !made) {
            return made;
        }
        input_ = {gpu_.take(x_bytes), gpu_.take(x_.size()), gpu_.take(x_scales)};
        input_halves_ = gpu_.take(x_.size() * 2);
        hidden_view_ = gpu_.take(hidden_bytes);
        staged_x_ = written_.take(x_bytes);
        staged_hidden_ = written_.take(hidden_bytes);
        for (Matrix& matrix : matrices_) {
            matrix.view = gpu_.take(matrix.layout.bytes);
            matrix.staged = written_.take(matrix.layout.bytes);
        }
        poison_ = written_.take(poison_bytes);
        for (TriedProduct& product : products_) {
            product.out = gpu_.take(values_of(product.kind) * sizeof(float));
            product.read = read_.take(values_of(product.kind) * sizeof(float));
        }
        return {};
    }

    void fill_staging() {
        std::memcpy(staged_x_.mapped, x_.data(), staged_x_.bytes);
        std::memcpy(staged_hidden_.mapped, hidden_.data(), staged_hidden_.bytes);
        for (const Matrix& matrix : matrices_) {
            std::memcpy(matrix.staged.mapped, matrix.bytes.data(), matrix.bytes.size());
        }
        std::memset(poison_.mapped, 0xFF, poison_.bytes);  // floats that are no numbers
    }

    // recorder: a Recorder, or what makes the pipelines alone.
    template <class To>
    void record(To& recorder, const Matrix& matrix, const TriedProduct& product) {
        const DType type = matrix.type;
        const params::MatrixParams shape = matrix.layout.params();
        switch (product.kind) {
            case Kind::Vector: {
                const bool bytes = uses_bytes(type);
                constexpr std::uint32_t kThreads = 128;
                constexpr std::uint32_t kRowsOfATeam = 2;
                recorder.dispatch(
                    gemv_shader(type, bytes ? InputForm::Bytes : InputForm::Floats),
                    {.WORKGROUP = kThreads,
                     .TEAM = teams_.size,
                     .SUBGROUPS = teams_.subgroups,
                     .ROWS = kRowsOfATeam,
                     .BLOCKS = static_cast<std::uint32_t>(matrix.layout.blocks),
                     .HEAD_ROWS = 0,
                     .TOKENS = 1,
                     .AHEAD = 2},
                    {.quads = matrix.view,
                     .words = matrix.view,
                     .x = bytes ? input_.packed : input_.floats,
                     .xd = input_.scales,
                     .y = product.out,
                     .bias = BufferView{}},
                    {.matrix = shape,
                     .y_at = 0,
                     .has_bias = 0,
                     .relu = 0,
                     .first_row = 0,
                     .x_at = 0,
                     .x_apart = 0,
                     .n_tokens = 1,
                     .y_stride = 0},
                    {.groups = {groups_of(kRows, kThreads / teams_.size * kRowsOfATeam), 1, 1},
                     .label = kLabel,
                     .subgroup_size = teams_.required_size});
                break;
            }
            case Kind::Batch: {
                const GemmForm form = gemm_form(type);
                GemmKernel kernel = gemm_kernel(device_->features(), type, form, false);
                kernel.constants.HALVES = is_cooperative(form);
                recorder.dispatch(
                    kernel.shader, kernel.constants,
                    {.quads = matrix.view,
                     .words = matrix.view,
                     .x = form == GemmForm::Bytes ? input_.packed : input_.floats,
                     .xd = input_.scales,
                     .y = product.out,
                     .bias = BufferView{},
                     .pairs = BufferView{},
                     .tiles = BufferView{},
                     .x_halves = input_halves_},
                    {.matrix = shape,
                     .n_tokens = kTokens,
                     .x_stride =
                         static_cast<std::uint32_t>(is_cooperative(form) ? kTokens : kColumns),
                     .x_at = 0,
                     .y_stride = kRows,
                     .y_at = 0,
                     .has_bias = 0,
                     .relu = 0,
                     .add = 0,
                     .first_place = 0,
                     .n_places = 0,
                     .place_rows = 1,
                     .used = 0,
                     .x_apart = 0},
                    {.groups = {groups_of(kRows, kernel.tile), groups_of(kTokens, kernel.tile), 1},
                     .label = kLabel,
                     .subgroup_size = kernel.subgroup_size});
                break;
            }
            case Kind::Rows: {
                recorder.dispatch(
                    down_rows_shader(type), {.WORKGROUP = down_rows_threads(device_->features())},
                    {.quads = matrix.view,
                     .words = matrix.view,
                     .h = hidden_view_,
                     .partial = product.out},
                    {.matrix = shape, .first = 0, .chunk = kChunk, .partial_at = 0},
                    {.groups = {groups_of(matrix.layout.row_loads(), kDownQuads), kChunks, 1},
                     .label = kLabel});
                break;
            }
        }
    }

    // Drivers take a tenth of a second for each of a hundred pipelines: 11 seconds on one thread,
    // with NVIDIA's, on a machine that has none of them in its cache. An error is compute()'s,
    // which asks for the same pipelines.
    void make_pipelines() {
        constexpr unsigned kThreadsMost = 16;
        ThreadPool pool(
            static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, kThreadsMost)));
        pool.run(static_cast<int>(products_.size()), [&](int i, int) {
            const TriedProduct& product = products_[static_cast<std::size_t>(i)];
            PipelineMaker maker{device_->pipelines()};
            record(maker, matrix_of(product.type), product);
        });
    }

    Result<void> compute() {
        Recorder recorder(device_, false);
        // Poison the memory, which may still hold the right answers of the trial before.
        const auto poison = [&](const BufferView& view) {
            recorder.copy(poison_.part(0, view.bytes), view);
        };
        poison(input_.packed);
        poison(input_halves_);
        poison(input_.scales);
        for (const TriedProduct& product : products_) {
            poison(product.out);
        }
        recorder.copy(staged_x_, input_.floats);
        recorder.copy(staged_hidden_, hidden_view_);
        for (const Matrix& matrix : matrices_) {
            recorder.copy(matrix.staged, matrix.view);
        }
        recorder.barrier();
        constexpr std::uint32_t kThreads = 64;
        for (const bool halves : {false, true}) {
            recorder.dispatch(
                shader_of<interfaces::Quantize>(), {.WORKGROUP = kThreads, .HALVES = halves},
                {.x = input_.floats,
                 .bytes = halves ? input_halves_ : input_.packed,
                 .scales = input_.scales},
                {.columns = kColumns, .n_rows = kTokens},
                {.groups = {groups_of(x_.size() / (halves ? QUANTIZE_HALVES : kBlockColumns),
                                      kThreads),
                            1, 1},
                 .label = kLabel});
        }
        recorder.barrier();
        for (const TriedProduct& product : products_) {
            record(recorder, matrix_of(product.type), product);
        }
        recorder.barrier();
        for (const TriedProduct& product : products_) {
            recorder.copy(product.out, product.read);
        }
        auto recorded = recorder.finish();
        if (!recorded) {
            return std::move(recorded).error();
        }
        return vulkan::run(device_, *recorded, kPatience);
    }

    const Matrix& matrix_of(DType type) const {
        return *std::find_if(matrices_.begin(), matrices_.end(),
                             [type](const Matrix& matrix) { return matrix.type == type; });
    }

    // Value `at` of the product, [kRows] or [kTokens, kRows] or, of rows, [kColumns].
    double given(const TriedProduct& product, std::size_t at) const {
        const float* values = product.read.as<float>();
        if (product.kind != Kind::Rows) {
            return values[at];
        }
        double sum = 0;
        for (std::size_t chunk = 0; chunk < kChunks; ++chunk) {
            sum += values[chunk * kColumns + at];
        }
        return sum;
    }

    Result<void> compare(const TriedProduct& product) const {
        const std::vector<float>& w = matrix_of(product.type).values;
        const bool rows = product.kind == Kind::Rows;
        const std::size_t n = rows ? kColumns : values_of(product.kind);
        for (std::size_t at = 0; at < n; ++at) {
            double right = 0;
            double size = 0;
            for (std::size_t k = 0; k < (rows ? kRows : kColumns); ++k) {
                const float weight = rows ? w[k * kColumns + at] : w[at % kRows * kColumns + k];
                const float value = rows ? hidden_[k] : x_[at / kRows * kColumns + k];
                const double term = static_cast<double>(weight) * static_cast<double>(value);
                right += term;
                size += std::abs(term);
            }
            const double value = given(product, at);
            // Written so that a value that is not a number fails too.
            if (!(std::abs(value - right) <= product.tolerance * size)) {
                return Error{ErrorCode::Internal, "it computes wrong: " + product.name +
                                                      ", value " + std::to_string(at) + " is " +
                                                      std::to_string(value) + " and should be " +
                                                      std::to_string(right)};
            }
        }
        return {};
    }

    std::shared_ptr<Device> device_;
    Teams teams_;
    std::vector<Matrix> matrices_;
    std::vector<TriedProduct> products_;
    std::vector<float> x_;       // [kTokens, kColumns]
    std::vector<float> hidden_;  // [kRows]
    Arena gpu_;
    Arena written_;
    Arena read_;
    GpuActivations input_;
    BufferView input_halves_;
    BufferView hidden_view_, staged_x_, staged_hidden_, poison_;
};

}  // namespace

Result<void> check_answers(const std::shared_ptr<Device>& device) {
    return Check(device).run();
}

}  // namespace hearth::vulkan
