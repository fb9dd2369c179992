// Records the GPU's steps of a pass as commands, cut where the units wait for each other.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "plan/steps.h"
#include "vulkan/layer_recorder.h"
#include "vulkan/recorded_commands.h"
#include "vulkan/weight_uploader.h"

namespace hearth::vulkan {

// What decides the commands of a pass, apart from the list of steps.
struct PassShape {
    PassKind kind = PassKind::Resident;
    int n_tokens = 0;
    bool last_logits = false;
    bool each_alone = false;  // PassTask::each_alone: the logits of all tokens are computed, too

    bool operator==(const PassShape&) const = default;
};

// The commands between two places where the GPU waits, signals or needs other weights.
struct Segment {
    RecordedCommands recorded;
    int wait = 0;     // the processor's point that must be reached before it; 0: none
    int signal = 0;   // the point that is reached after it; 0: none
    int upload = -1;  // the uploaded slice that must be there first; -1: none
};

struct RecordedPass {
    PassShape shape;
    std::vector<Segment> segments;
    std::vector<std::size_t> ends;  // of each of the GPU's steps: so many segments are whole then
    std::array<int, 2> n_points{};  // by Unit
};

class PassRecorder {
public:
    // uploader: null where no weights are uploaded. timed: as Recorder's.
    PassRecorder(const std::shared_ptr<Device>& device, LayerRecorder& layers,
                 WeightUploader* uploader, bool timed)
        : device_(device), layers_(layers), uploader_(uploader), timed_(timed) {}

    Result<RecordedPass> record(const PassShape& shape, std::span<const Step> steps);

private:
    void open();
    void close(int signal);
    // Ends the segment if there is anything in it.
    void cut();
    void add(const Step& step, std::span<const Step> rest);
    void add_head();

    const std::shared_ptr<Device>& device_;
    LayerRecorder& layers_;
    WeightUploader* uploader_;
    const bool timed_;
    RecordedPass pass_;
    std::optional<Recorder> recorder_;
    Segment segment_;  // being recorded
    std::optional<Error> error_;
};

}  // namespace hearth::vulkan
