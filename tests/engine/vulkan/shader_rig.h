// What a check of one shader needs: buffers of its own, dispatches, and a measure of what came out.
// Anything that goes wrong besides the numbers is a std::runtime_error, which checked() makes a
// failure of the check.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/cpu/kernel_checks.h"
#include "gguf/dtype.h"
#include "vulkan/arena.h"
#include "vulkan/device.h"
#include "vulkan/matrix.h"
#include "vulkan/pipelines.h"
#include "vulkan/teams.h"

namespace hearth::test {

// A device and how threads are grouped on it.
struct ShaderDevice {
    explicit ShaderDevice(std::shared_ptr<vulkan::Device> on)
        : device(std::move(on)), teams(device->features()) {}

    std::shared_ptr<vulkan::Device> device;
    vulkan::Teams teams;  // as the engine groups threads here
};

// Memory of the GPU and a copy of it the processor sees. Bytes nobody set are 0xFF: not a number,
// as halves and as floats, so that a shader that reads past an end shows it.
class RigBuffer {
public:
    vulkan::BufferView view;  // what a shader is given: `bytes` and some more
    std::uint64_t bytes = 0;

    template <class T>
    std::span<T> as() const {
        return {reinterpret_cast<T*>(host_.mapped), static_cast<std::size_t>(bytes / sizeof(T))};
    }

private:
    friend class ShaderRig;
    vulkan::Arena device_arena_, host_arena_;
    vulkan::BufferView host_;
};

class ShaderRig {
public:
    explicit ShaderRig(const ShaderDevice& on) : on_(on) {}

    RigBuffer& buffer(std::uint64_t bytes);
    template <class T>
    RigBuffer& buffer_of(const std::vector<T>& values) {
        RigBuffer& made = buffer(values.size() * sizeof(T));
        std::memcpy(made.as<T>().data(), values.data(), values.size() * sizeof(T));
        return made;
    }
    template <class T>
    RigBuffer& room_for(std::size_t count) {
        return buffer(count * sizeof(T));
    }

    // One after another, each sees what those before it wrote.
    template <class Interface>
    void dispatch(const vulkan::ShaderOf<Interface>& shader,
                  const typename Interface::Constants& constants,
                  const typename Interface::Buffers& buffers,
                  const typename Interface::Params& params,
                  const std::array<std::uint32_t, 3>& groups, int subgroup_size = 0) {
        const auto values = vulkan::constant_values(constants);
        const auto bound = vulkan::bound_buffers(buffers);
        const auto push = std::as_bytes(std::span(&params, 1));
        calls_.push_back({shader,
                          {values.begin(), values.end()},
                          {bound.begin(), bound.end()},
                          {push.begin(), push.end()},
                          groups,
                          subgroup_size});
    }

    // Copies all buffers over, runs the dispatches and copies all back. Throws if one of them wrote
    // past the end of a buffer.
    void run();

private:
    struct Call {
        vulkan::Shader shader;
        std::vector<vulkan::ConstantValue> constants;
        std::vector<vulkan::BoundBuffer> buffers;
        std::vector<std::byte> push;
        std::array<std::uint32_t, 3> groups;
        int subgroup_size;
    };
    ShaderDevice on_;
    std::vector<std::unique_ptr<RigBuffer>> buffers_;
    std::vector<Call> calls_;
};

constexpr std::uint32_t groups_for(std::uint64_t n, std::uint64_t per_group) {
    return static_cast<std::uint32_t>((n + per_group - 1) / per_group);
}

// The types that shaders multiply with.
std::vector<DType> matrix_types();

// How the threads of a workgroup are grouped; every device runs the plain form.
struct TeamForm {
    std::uint32_t size = 32;
    bool subgroups = false;
    int required_size = 0;
    const char* name = "";
};
std::vector<TeamForm> team_forms(const ShaderDevice& on);

std::vector<float> normal_floats(std::size_t count, unsigned seed);

// A matrix of random values: on the device in slices of at most `range_bytes_max`, and what those
// bytes mean (gguf/rows.h).
class RigMatrix {
public:
    RigMatrix(ShaderRig& rig, DType type, std::uint64_t rows, std::uint64_t cols, unsigned seed,
              std::uint64_t unit = 1, std::uint64_t range_bytes_max = ~std::uint64_t{0});

    // Makes a row something no product survives, in the types that have a NaN.
    void spoil_row(std::uint64_t row);
    double at(std::uint64_t row, std::uint64_t col) const {
        return static_cast<double>(values_[static_cast<std::size_t>(row * matrix.cols + col)]);
    }
    vulkan::GpuMatrix matrix;

private:
    std::vector<float> values_;
    std::vector<RigBuffer*> slices_;
};

// The place of a value among halves that are packed for matrix units (buffers.h).
std::size_t halves_at(std::uint64_t row, std::uint64_t n_rows, std::uint64_t column);

// Activations of a batch as floats [n_tokens, stride], as random signed bytes with a scale per
// 32 [n_tokens, cols], or as halves that are packed for `stride` tokens.
class RigInput {
public:
    RigInput(ShaderRig& rig, bool as_bytes, std::uint64_t n_tokens, std::uint64_t cols,
             std::uint64_t stride, unsigned seed, bool as_halves = false);
    double at(std::uint64_t token, std::uint64_t col) const {
        return values_[static_cast<std::size_t>(token * cols_ + col)];
    }
    vulkan::BufferView values;  // floats, halves or bytes
    vulkan::BufferView scales;  // empty: of floats and halves

private:
    std::uint64_t cols_;
    std::vector<double> values_;
};

// A sum and the size of its terms: rounding errors are a share of that.
struct Sum {
    double value = 0;
    double size = 0;
    void add(double term) {
        value += term;
        size += term < 0 ? -term : term;
    }
};

// The largest error, in units of what each value's error scales with.
class Measure {
public:
    explicit Measure(double bound) : bound_(bound) {}
    void add(double got, double wanted, double size);
    void add(double got, const Sum& wanted) { add(got, wanted.value, wanted.size); }
    // Signed bytes [32 n] and scales [n] for `wanted`, whose errors scale with `sizes`: the nearest
    // there are to within the bound.
    void add_bytes(std::span<const std::int8_t> bytes, std::span<const float> scales,
                   std::span<const double> wanted, std::span<const double> sizes);
    // Halves: the nearest there are, likewise.
    // halves: as halves_at() says.
    void add_halves(std::span<const std::uint16_t> halves, std::size_t columns,
                    std::span<const double> wanted, std::span<const double> sizes);
    void require(bool condition, const char* what);
    CheckOutcome outcome() const;

private:
    double bound_;
    double worst_ = 0;
    std::size_t count_ = 0;
    std::string broken_;
};

// Whether nobody wrote there.
bool is_untouched(float value);

// A check that catches what the rig throws.
KernelCheck checked(std::string name, std::function<CheckOutcome()> run);

}  // namespace hearth::test
