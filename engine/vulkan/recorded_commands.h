// Commands that are recorded once and replayed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>
#include <volk.h>

#include "vulkan/arena.h"
#include "vulkan/device.h"
#include "vulkan/pipelines.h"

namespace hearth::vulkan {

// The time that dispatches of one label took since the trace began.
struct DispatchTotals {
    std::uint64_t count = 0;
    std::uint64_t ns = 0;
    std::uint64_t bytes = 0;  // read and written, as the recorder was told
};
using Trace = std::map<std::string, DispatchTotals>;

// A command buffer and everything it refers to, except the memory of the buffers. Move-only. It
// must not be destroyed while it runs.
class RecordedCommands {
public:
    RecordedCommands() = default;
    RecordedCommands(RecordedCommands&& other) noexcept { *this = std::move(other); }
    RecordedCommands& operator=(RecordedCommands&& other) noexcept;
    ~RecordedCommands();

    VkCommandBuffer commands() const { return commands_; }
    std::size_t n_dispatches() const { return n_dispatches_; }
    // Adds to the trace what each dispatch of the latest run took. Precondition: that run has
    // ended. Does nothing if the commands were recorded without timestamps.
    Result<void> read_timestamps(Trace& trace) const;

private:
    friend class Recorder;
    struct Timed {
        std::string label;
        std::uint64_t bytes;
    };

    std::shared_ptr<Device> device_;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkCommandBuffer commands_ = VK_NULL_HANDLE;
    VkQueryPool queries_ = VK_NULL_HANDLE;
    std::vector<VkDescriptorPool> descriptors_;
    std::vector<Timed> timed_;
    std::size_t n_dispatches_ = 0;
};

// How much of a shader is run.
struct Launch {
    std::array<std::uint32_t, 3> groups{1, 1, 1};
    std::string_view label;
    std::uint64_t bytes = 0;  // weights read, for the trace
    int subgroup_size = 0;    // Pipelines::get()
};

struct Dispatch {
    Shader shader;
    std::span<const ConstantValue> constants;
    std::span<const BoundBuffer> buffers;  // of bindings 0, 1, ...
    std::span<const std::byte> push;
    Launch launch;
};

// Records commands. Keeps the first error, which finish() returns, and ignores what is recorded
// after it.
class Recorder {
public:
    // timed: puts a timestamp before and after every dispatch, which keeps dispatches from
    // overlapping.
    Recorder(std::shared_ptr<Device> device, bool timed);

    template <class Interface>
    void dispatch(const ShaderOf<Interface>& shader, const typename Interface::Constants& constants,
                  const typename Interface::Buffers& buffers,
                  const typename Interface::Params& params, const Launch& launch) {
        dispatch({shader, constant_values(constants), bound_buffers(buffers),
                  std::as_bytes(std::span(&params, 1)), launch});
    }
    // The same, of a shader whose interface is no longer known.
    void dispatch(const Dispatch& dispatch);
    // Makes everything after it wait until all writes of the dispatches before it are visible.
    void barrier();
    void copy(const BufferView& from, const BufferView& to);
    // Whether neither a dispatch nor a copy was recorded.
    bool empty() const { return empty_; }
    Result<RecordedCommands> finish();

private:
    Result<void> begin();
    Result<void> record(const Dispatch& dispatch);
    Result<VkDescriptorSet> take_set(VkDescriptorSetLayout layout);

    Pipelines& pipelines_;
    bool timed_;
    RecordedCommands recorded_;
    std::uint32_t sets_left_ = 0;
    bool empty_ = true;
    std::optional<Error> error_;
};

// A value of a timeline that a submission waits for or signals. A submission begins when `wait` has
// reached its value. It raises `signal` when it and everything before it have ended.
struct TimelinePoint {
    const Timeline* timeline = nullptr;  // null: none
    std::uint64_t value = 0;
};
struct Submission {
    const RecordedCommands* recorded = nullptr;  // null: only the points
    TimelinePoint wait;
    TimelinePoint signal;
    TimelinePoint signal_too{};  // at the same time
};
// Submits all of them in order and does not wait. DeviceLost, OutOfMemory.
Result<void> submit(Device& device, std::span<const Submission> submissions);

// Submits commands of the device's copy family to its copy queue, with the wait and the signals of
// `points`.
Result<void> submit_copy(Device& device, VkCommandBuffer commands, const Submission& points);

// Submits the commands alone and waits until they have ended. DeviceLost: the device is lost, or
// the commands take longer than `seconds_max`. OutOfMemory. The commands do not run any more after
// an error either.
Result<void> run(const std::shared_ptr<Device>& device, const RecordedCommands& recorded,
                 double seconds_max);

}  // namespace hearth::vulkan
