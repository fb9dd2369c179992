#include "vulkan/recorded_commands.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "vulkan/check.h"

namespace hearth::vulkan {
namespace {

constexpr std::uint32_t kSetsPerPool = 64;
constexpr std::uint32_t kBuffersPerSet = 23;
constexpr std::uint32_t kTimedMost = 4096;  // dispatches of one recording

// Owns what a VkSubmitInfo points to. It must stay where it is until the submission.
class SubmitInfo {
public:
    VkSubmitInfo fill(VkCommandBuffer commands, const Submission& submission,
                      VkPipelineStageFlags stages) {
        VkSubmitInfo info{};
        info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
        info.pNext = &values_;
        values_.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
        commands_ = commands;
        info.commandBufferCount = commands == VK_NULL_HANDLE ? 0 : 1;
        info.pCommandBuffers = &commands_;
        stages_ = stages;
        if (submission.wait.timeline != nullptr) {
            wait_ = submission.wait.timeline->handle();
            wait_value_ = submission.wait.value;
            info.waitSemaphoreCount = values_.waitSemaphoreValueCount = 1;
            info.pWaitSemaphores = &wait_;
            info.pWaitDstStageMask = &stages_;
            values_.pWaitSemaphoreValues = &wait_value_;
        }
        for (const TimelinePoint& signal : {submission.signal, submission.signal_too}) {
            if (signal.timeline != nullptr) {
                signals_[info.signalSemaphoreCount] = signal.timeline->handle();
                signal_values_[info.signalSemaphoreCount] = signal.value;
                ++info.signalSemaphoreCount;
            }
        }
        info.pSignalSemaphores = signals_.data();
        values_.signalSemaphoreValueCount = info.signalSemaphoreCount;
        values_.pSignalSemaphoreValues = signal_values_.data();
        return info;
    }

private:
    VkTimelineSemaphoreSubmitInfo values_{};
    VkCommandBuffer commands_ = VK_NULL_HANDLE;
    VkPipelineStageFlags stages_ = 0;
    VkSemaphore wait_ = VK_NULL_HANDLE;
    std::uint64_t wait_value_ = 0;
    std::array<VkSemaphore, 2> signals_{};
    std::array<std::uint64_t, 2> signal_values_{};
};

}  // namespace

RecordedCommands& RecordedCommands::operator=(RecordedCommands&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(pool_, other.pool_);
    std::swap(commands_, other.commands_);
    std::swap(queries_, other.queries_);
    std::swap(descriptors_, other.descriptors_);
    std::swap(timed_, other.timed_);
    std::swap(n_dispatches_, other.n_dispatches_);
    return *this;
}

RecordedCommands::~RecordedCommands() {
    if (device_ == nullptr) {
        return;
    }
    for (VkDescriptorPool pool : descriptors_) {
        vkDestroyDescriptorPool(device_->handle(), pool, nullptr);
    }
    if (queries_ != VK_NULL_HANDLE) {
        vkDestroyQueryPool(device_->handle(), queries_, nullptr);
    }
    if (pool_ != VK_NULL_HANDLE) {
        vkDestroyCommandPool(device_->handle(), pool_, nullptr);
    }
}

Result<void> RecordedCommands::read_timestamps(Trace& trace) const {
    if (queries_ == VK_NULL_HANDLE || timed_.empty()) {
        return {};
    }
    std::vector<std::uint64_t> ticks(2 * timed_.size());
    HEARTH_VK(vkGetQueryPoolResults(device_->handle(), queries_, 0,
                                    static_cast<std::uint32_t>(ticks.size()),
                                    ticks.size() * sizeof(std::uint64_t), ticks.data(),
                                    sizeof(std::uint64_t), VK_QUERY_RESULT_64_BIT),
              "read its timestamps");
    const double ns = device_->physical().timestamp_ns;
    for (std::size_t i = 0; i < timed_.size(); ++i) {
        DispatchTotals& entry = trace[timed_[i].label];
        ++entry.count;
        entry.ns +=
            static_cast<std::uint64_t>(static_cast<double>(ticks[2 * i + 1] - ticks[2 * i]) * ns);
        entry.bytes += timed_[i].bytes;
    }
    return {};
}

Recorder::Recorder(std::shared_ptr<Device> device, bool timed)
    : pipelines_(device->pipelines()), timed_(timed && device->physical().timestamp_ns > 0) {
    recorded_.device_ = std::move(device);
    if (auto begun = begin(); !begun) {
        error_ = std::move(begun).error();
    }
}

Result<void> Recorder::begin() {
    const VkDevice device = recorded_.device_->handle();
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool.queueFamilyIndex = recorded_.device_->queue_family();
    HEARTH_VK(vkCreateCommandPool(device, &pool, nullptr, &recorded_.pool_), "record commands");
    VkCommandBufferAllocateInfo buffer{};
    buffer.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    buffer.commandPool = recorded_.pool_;
    buffer.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    buffer.commandBufferCount = 1;
    HEARTH_VK(vkAllocateCommandBuffers(device, &buffer, &recorded_.commands_), "record commands");
    VkCommandBufferBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    HEARTH_VK(vkBeginCommandBuffer(recorded_.commands_, &info), "record commands");
    if (timed_) {
        VkQueryPoolCreateInfo queries{};
        queries.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
        queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
        queries.queryCount = 2 * kTimedMost;
        HEARTH_VK(vkCreateQueryPool(device, &queries, nullptr, &recorded_.queries_),
                  "take timestamps");
        vkCmdResetQueryPool(recorded_.commands_, recorded_.queries_, 0, queries.queryCount);
    }
    // The commands see the writes of what ran before it, and what the processor wrote meanwhile.
    VkMemoryBarrier written{};
    written.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    written.srcAccessMask = VK_ACCESS_HOST_WRITE_BIT;
    written.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;
    vkCmdPipelineBarrier(recorded_.commands_, VK_PIPELINE_STAGE_HOST_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
                         1, &written, 0, nullptr, 0, nullptr);
    barrier();
    return {};
}

Result<VkDescriptorSet> Recorder::take_set(VkDescriptorSetLayout layout) {
    const VkDevice device = recorded_.device_->handle();
    if (sets_left_ == 0) {
        const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        kSetsPerPool * kBuffersPerSet};
        VkDescriptorPoolCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
        info.maxSets = kSetsPerPool;
        info.poolSizeCount = 1;
        info.pPoolSizes = &size;
        VkDescriptorPool pool = VK_NULL_HANDLE;
        HEARTH_VK(vkCreateDescriptorPool(device, &info, nullptr, &pool), "name buffers");
        recorded_.descriptors_.push_back(pool);
        sets_left_ = kSetsPerPool;
    }
    VkDescriptorSetAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    info.descriptorPool = recorded_.descriptors_.back();
    info.descriptorSetCount = 1;
    info.pSetLayouts = &layout;
    VkDescriptorSet set = VK_NULL_HANDLE;
    HEARTH_VK(vkAllocateDescriptorSets(device, &info, &set), "name buffers");
    --sets_left_;
    return set;
}

Result<void> Recorder::record(const Dispatch& dispatch) {
    const Shader& shader = dispatch.shader;
    HEARTH_ASSERT(dispatch.buffers.size() == shader.n_buffers &&
                  shader.n_buffers <= kBuffersPerSet && dispatch.push.size() == shader.push_bytes);
    const Launch& launch = dispatch.launch;
    auto pipeline = pipelines_.get(shader, dispatch.constants, launch.subgroup_size);
    if (!pipeline) {
        return std::move(pipeline).error();
    }
    auto set = take_set((*pipeline)->set_layout);
    if (!set) {
        return std::move(set).error();
    }
    // A binding that is not used still needs a buffer. Any of the others will do.
    const auto used =
        std::find_if(dispatch.buffers.begin(), dispatch.buffers.end(),
                     [](const BoundBuffer& bound) { return bound.view.buffer != nullptr; });
    HEARTH_ASSERT(used != dispatch.buffers.end());
    std::array<VkDescriptorBufferInfo, kBuffersPerSet> infos{};
    std::array<VkWriteDescriptorSet, kBuffersPerSet> writes{};
    for (std::uint32_t i = 0; i < shader.n_buffers; ++i) {
        const BoundBuffer& bound = dispatch.buffers[i];
        HEARTH_ASSERT(bound.binding == i);  // the interface numbers them in order
        const BufferView& view = bound.view.buffer != nullptr ? bound.view : used->view;
        infos[i] = {view.buffer, view.offset, view.bytes};
        writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        writes[i].dstSet = *set;
        writes[i].dstBinding = i;
        writes[i].descriptorCount = 1;
        writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        writes[i].pBufferInfo = &infos[i];
    }
    vkUpdateDescriptorSets(recorded_.device_->handle(), shader.n_buffers, writes.data(), 0,
                           nullptr);

    const VkCommandBuffer commands = recorded_.commands_;
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, (*pipeline)->handle);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, (*pipeline)->layout, 0, 1,
                            &*set, 0, nullptr);
    if (shader.push_bytes > 0) {
        vkCmdPushConstants(commands, (*pipeline)->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                           static_cast<std::uint32_t>(shader.push_bytes), dispatch.push.data());
    }
    const bool timed = timed_ && recorded_.timed_.size() < kTimedMost;
    const auto query = static_cast<std::uint32_t>(2 * recorded_.timed_.size());
    if (timed) {
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, recorded_.queries_,
                            query);
    }
    vkCmdDispatch(commands, launch.groups[0], launch.groups[1], launch.groups[2]);
    if (timed) {
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, recorded_.queries_,
                            query + 1);
        recorded_.timed_.push_back({std::string(launch.label), launch.bytes});
    }
    ++recorded_.n_dispatches_;
    empty_ = false;
    return {};
}

void Recorder::dispatch(const Dispatch& dispatch) {
    if (error_) {
        return;
    }
    if (auto recorded = record(dispatch); !recorded) {
        error_ = std::move(recorded).error();
    }
}

void Recorder::barrier() {
    if (error_) {
        return;
    }
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                            VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    constexpr VkPipelineStageFlags kStages =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    vkCmdPipelineBarrier(recorded_.commands_, kStages, kStages, 0, 1, &barrier, 0, nullptr, 0,
                         nullptr);
}

void Recorder::copy(const BufferView& from, const BufferView& to) {
    if (error_) {
        return;
    }
    HEARTH_ASSERT(from.bytes <= to.bytes);
    empty_ = false;
    const VkBufferCopy region{from.offset, to.offset, from.bytes};
    vkCmdCopyBuffer(recorded_.commands_, from.buffer, to.buffer, 1, &region);
}

Result<RecordedCommands> Recorder::finish() {
    if (error_) {
        return std::move(*error_);
    }
    // Makes writes visible to the processor, which reads them next. The semaphore only makes it
    // wait.
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    vkCmdPipelineBarrier(recorded_.commands_,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                         VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
    HEARTH_VK(vkEndCommandBuffer(recorded_.commands_), "record commands");
    return std::move(recorded_);
}

Result<void> submit(Device& device, std::span<const Submission> submissions) {
    constexpr VkPipelineStageFlags kStages =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    std::vector<SubmitInfo> parts(submissions.size());
    std::vector<VkSubmitInfo> infos(submissions.size());
    for (std::size_t i = 0; i < submissions.size(); ++i) {
        const RecordedCommands* recorded = submissions[i].recorded;
        infos[i] = parts[i].fill(recorded == nullptr ? VK_NULL_HANDLE : recorded->commands(),
                                 submissions[i], kStages);
    }
    // One call submits up to the next wait. NVIDIA's driver (580.159) was seen to begin what
    // follows a wait in the same call before the processor had signalled.
    for (std::size_t first = 0; first < infos.size();) {
        std::size_t end = first + 1;
        while (end < infos.size() && submissions[end - 1].signal.timeline == nullptr &&
               submissions[end].wait.timeline == nullptr) {
            ++end;
        }
        HEARTH_VK(vkQueueSubmit(device.queue(), static_cast<std::uint32_t>(end - first),
                                &infos[first], VK_NULL_HANDLE),
                  "start its work");
        first = end;
    }
    return {};
}

Result<void> submit_copy(Device& device, VkCommandBuffer commands, const Submission& points) {
    SubmitInfo part;
    const VkSubmitInfo info = part.fill(commands, points, VK_PIPELINE_STAGE_TRANSFER_BIT);
    HEARTH_VK(vkQueueSubmit(device.copy_queue(), 1, &info, VK_NULL_HANDLE), "start a copy");
    return {};
}

Result<void> run(const std::shared_ptr<Device>& device, const RecordedCommands& recorded,
                 double seconds_max) {
    auto timeline = Timeline::create(device);
    if (!timeline) {
        return std::move(timeline).error();
    }
    const Submission submission{&recorded, {}, {&*timeline, 1}};
    auto done = submit(*device, {&submission, 1});
    if (done) {
        done = timeline->wait(1, seconds_max);
    }
    if (!done) {
        [[maybe_unused]] const auto idle = device->wait_idle();
    }
    return done;
}

}  // namespace hearth::vulkan
