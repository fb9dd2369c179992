#include "engine/vulkan/shader_rig.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>

#include "base/half.h"
#include "gguf/encoding.h"
#include "gguf/rows.h"
#include "vulkan/recorded_commands.h"

namespace hearth::test {
namespace {

constexpr std::uint64_t kTailBytes = 1024;  // behind every buffer, for stray reads and writes
constexpr std::byte kUnset{0xFF};

template <class T>
T taken(Result<T> result) {
    if (!result) {
        throw std::runtime_error(result.error().message);
    }
    return std::move(*result);
}

void done(const Result<void>& result) {
    if (!result) {
        throw std::runtime_error(result.error().message);
    }
}

}  // namespace

RigBuffer& ShaderRig::buffer(std::uint64_t bytes) {
    auto made = std::make_unique<RigBuffer>();
    const std::uint64_t whole = bytes + kTailBytes;
    made->device_arena_ = taken(
        vulkan::Arena::create(on_.device, vulkan::MemoryKind::Device, {whole}, "a shader check"));
    made->host_arena_ = taken(
        vulkan::Arena::create(on_.device, vulkan::MemoryKind::Readback, {whole}, "a shader check"));
    made->view = made->device_arena_.take(whole);
    made->host_ = made->host_arena_.take(whole);
    made->bytes = bytes;
    std::fill_n(made->host_.mapped, whole, kUnset);
    buffers_.push_back(std::move(made));
    return *buffers_.back();
}

void ShaderRig::run() {
    vulkan::Recorder recorder(on_.device, false);
    for (const auto& buffer : buffers_) {
        recorder.copy(buffer->host_, buffer->view);
    }
    for (const Call& call : calls_) {
        recorder.barrier();
        recorder.dispatch({.shader = call.shader,
                           .constants = call.constants,
                           .buffers = call.buffers,
                           .push = call.push,
                           .launch = {.groups = call.groups,
                                      .label = call.shader.name,
                                      .subgroup_size = call.subgroup_size}});
    }
    recorder.barrier();
    for (const auto& buffer : buffers_) {
        recorder.copy(buffer->view, buffer->host_);
    }
    const vulkan::RecordedCommands recorded = taken(recorder.finish());
    vulkan::Timeline timeline = taken(vulkan::Timeline::create(on_.device));
    const vulkan::Submission submission{&recorded, {}, {&timeline, 1}};
    done(vulkan::submit(*on_.device, {&submission, 1}));
    const Result<void> waited = timeline.wait(1, 60.0);
    done(on_.device->wait_idle());
    done(waited);
    for (const auto& buffer : buffers_) {
        const std::span tail(buffer->host_.mapped + buffer->bytes, kTailBytes);
        if (std::any_of(tail.begin(), tail.end(), [](std::byte b) { return b != kUnset; })) {
            throw std::runtime_error("wrote past the end of a buffer");
        }
    }
}

std::vector<TeamForm> team_forms(const ShaderDevice& on) {
    std::vector<TeamForm> forms{{32, false, 0, ""}};
    if (on.teams.subgroups) {
        forms.push_back({on.teams.size, true, on.teams.required_size, " subgroups"});
    }
    return forms;
}

std::vector<DType> matrix_types() {
    std::vector<DType> types;
    for (const Encoding& encoding : encodings()) {
        if (vulkan::has_matrix_layout(encoding.type)) {
            types.push_back(encoding.type);
        }
    }
    return types;
}

std::vector<float> normal_floats(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(count);
    std::generate(values.begin(), values.end(), [&] { return normal(random); });
    return values;
}

RigMatrix::RigMatrix(ShaderRig& rig, DType type, std::uint64_t rows, std::uint64_t cols,
                     unsigned seed, std::uint64_t unit, std::uint64_t range_bytes_max)
    : matrix(vulkan::plan_matrix(type, rows, cols, unit, range_bytes_max)),
      values_(normal_floats(static_cast<std::size_t>(rows * cols), seed)) {
    std::vector<std::byte> file_row(static_cast<std::size_t>(row_bytes(type, cols)));
    for (vulkan::GpuMatrix::Slice& slice : matrix.slices) {
        RigBuffer& buffer = rig.buffer(slice.layout.bytes);
        slice.view = buffer.view;
        slices_.push_back(&buffer);
        std::byte* to = buffer.as<std::byte>().data();
        for (std::uint64_t r = 0; r < slice.layout.rows; ++r) {
            const std::span row(
                values_.data() + static_cast<std::size_t>((slice.first_row + r) * cols),
                static_cast<std::size_t>(cols));
            quantize_row(type, row, file_row.data());
            dequantize_row(type, file_row.data(), row);
            vulkan::put_in_runs(
                slice.layout, file_row.data(), 0,
                vulkan::places_of_row(slice.layout, vulkan::runs_of(slice.layout, to), r));
        }
    }
}

void RigMatrix::spoil_row(std::uint64_t row) {
    for (std::size_t i = 0; i < slices_.size(); ++i) {
        const vulkan::GpuMatrix::Slice& slice = matrix.slices[i];
        if (row >= slice.first_row && row < slice.first_row + slice.layout.rows) {
            const vulkan::MatrixLayout::Run& quads = slice.layout.quads;
            std::fill_n(slices_[i]->as<std::byte>().data() + quads.at +
                            (row - slice.first_row) * quads.row_bytes,
                        quads.row_bytes, kUnset);
        }
    }
}

std::size_t halves_at(std::uint64_t row, std::uint64_t n_rows, std::uint64_t column) {
    return static_cast<std::size_t>((column / 32 * n_rows + row) * 32 + column % 32);
}

RigInput::RigInput(ShaderRig& rig, bool as_bytes, std::uint64_t n_tokens, std::uint64_t cols,
                   std::uint64_t stride, unsigned seed, bool as_halves)
    : cols_(cols) {
    const auto count = static_cast<std::size_t>(n_tokens * cols);
    values_.resize(count);
    if (as_halves) {
        const std::vector<float> random = normal_floats(count, seed);
        RigBuffer& made = rig.room_for<std::uint16_t>(static_cast<std::size_t>(stride * cols));
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint16_t half = float_to_half(random[i]);
            values_[i] = static_cast<double>(half_to_float(half));
            made.as<std::uint16_t>()[halves_at(i / cols, stride, i % cols)] = half;
        }
        values = made.view;
        return;
    }
    if (!as_bytes) {
        const std::vector<float> random = normal_floats(count, seed);
        std::copy(random.begin(), random.end(), values_.begin());
        RigBuffer& made = rig.room_for<float>(static_cast<std::size_t>(n_tokens * stride));
        for (std::uint64_t t = 0; t < n_tokens; ++t) {
            std::copy_n(random.begin() + static_cast<std::ptrdiff_t>(t * cols), cols,
                        made.as<float>().begin() + static_cast<std::ptrdiff_t>(t * stride));
        }
        values = made.view;
        return;
    }
    std::mt19937 random(seed);
    std::vector<std::int8_t> q(count);
    std::vector<float> d(count / vulkan::kBlockColumns);
    for (std::int8_t& one : q) {
        one = static_cast<std::int8_t>(std::uniform_int_distribution(-127, 127)(random));
    }
    for (float& one : d) {
        one = std::uniform_real_distribution(0.001F, 0.03F)(random);
    }
    for (std::size_t i = 0; i < count; ++i) {
        values_[i] = static_cast<double>(d[i / vulkan::kBlockColumns]) * q[i];
    }
    values = rig.buffer_of(q).view;
    scales = rig.buffer_of(d).view;
}

void Measure::add(double got, double wanted, double size) {
    const double error = std::fabs(got - wanted) / std::max(size, 1e-30);
    worst_ = std::isfinite(error) ? std::max(worst_, error) : HUGE_VAL;
    ++count_;
}

void Measure::add_bytes(std::span<const std::int8_t> bytes, std::span<const float> scales,
                        std::span<const double> wanted, std::span<const double> sizes) {
    constexpr std::size_t kBlock = vulkan::kBlockColumns;
    for (std::size_t b = 0; b < wanted.size() / kBlock; ++b) {
        const auto d = static_cast<double>(scales[b]);
        double most = 0;
        double size = 0;
        for (std::size_t i = b * kBlock; i < (b + 1) * kBlock; ++i) {
            most = std::max(most, std::fabs(wanted[i]));
            size = std::max(size, std::max(sizes[i], std::fabs(wanted[i])));
        }
        add(127 * d, most, size);
        for (std::size_t i = b * kBlock; i < (b + 1) * kBlock; ++i) {
            const double off = std::fabs(d * bytes[i] - wanted[i]);
            // What is nearest to a value a little off is half a step off and that little.
            add(std::max(off - 0.5 * d, 0.0), 0, 2 * size);
        }
    }
}

void Measure::add_halves(std::span<const std::uint16_t> halves, std::size_t columns,
                         std::span<const double> wanted, std::span<const double> sizes) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::uint16_t half =
            halves[halves_at(i / columns, wanted.size() / columns, i % columns)];
        // Half a step of a half is 2^-11 of it.
        const double off = std::fabs(static_cast<double>(half_to_float(half)) - wanted[i]) -
                           std::max(std::fabs(wanted[i]) * 0x1p-11, 0x1p-25);
        add(std::max(off, 0.0), 0, std::max(sizes[i], std::fabs(wanted[i])));
    }
}

void Measure::require(bool condition, const char* what) {
    if (!condition && broken_.empty()) {
        broken_ = what;
    }
}

CheckOutcome Measure::outcome() const {
    std::array<char, 128> text{};
    std::snprintf(text.data(), text.size(), "error %.2e of %zu values, bound %.0e", worst_, count_,
                  bound_);
    const bool passed = broken_.empty() && count_ > 0 && worst_ <= bound_;
    return {passed, broken_.empty() ? text.data() : broken_ + "; " + text.data()};
}

bool is_untouched(float value) {
    return std::bit_cast<std::uint32_t>(value) == ~std::uint32_t{0};
}

KernelCheck checked(std::string name, std::function<CheckOutcome()> run) {
    return {std::move(name), [run = std::move(run)]() -> CheckOutcome {
                try {
                    return run();
                } catch (const std::runtime_error& error) {
                    return {false, error.what()};
                }
            }};
}

}  // namespace hearth::test
