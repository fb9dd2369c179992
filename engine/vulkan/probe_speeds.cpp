#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "gguf/encoding.h"
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

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kCopyBytes = 32 * kMiB;
// Sizes that exceed the caches in front of either kind of memory.
constexpr std::uint64_t kOwnBytes = 512 * kMiB;
constexpr std::uint64_t kSharedBytes = 128 * kMiB;
constexpr std::uint64_t kColumns = 4096;
// Products, so few that a slow GPU computes them in a fifth of a second.
constexpr std::uint64_t kProductRows = 1024;
constexpr std::uint64_t kProductColumns = 2048;
constexpr std::uint64_t kProductTokens = 128;
// As many as fill a large GPU. A product of 128 tokens leaves most of it idle: an H200 gave 4.6
// Tflop/s for it and multiplied whole prompts at ten times that. Measured only where the few went
// fast.
constexpr std::uint64_t kManyTokens = 2048;
constexpr double kFewAreFast = 0.004;  // seconds
constexpr int kProducts = 1;  // of one submission: half a second on a processor that plays GPU
constexpr int kReads = 4;     // of one submission
// A GPU that was idle raises its clocks while it works, by more than twice and in steps: so long
// without a better result is enough, and so long altogether.
constexpr double kSteadySeconds = 0.15;
constexpr double kMostSeconds = 1.5;
constexpr double kBetter = 0.98;
constexpr std::uint64_t kRoundTrips = 64;
// Steps in a row, of a vector and so few rows that their bytes take no time.
constexpr int kFewSteps = 32;
constexpr int kManySteps = 128;
constexpr std::uint64_t kStepRows = 64;
constexpr double kPatience = 20.0;  // the process around this has less

// The type of weights that are halves.
DType halves() {
    return std::find_if(encodings().begin(), encodings().end(),
                        [](const Encoding& row) { return row.codes == CodeKind::F16; })
        ->type;
}

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

class Measurement {
public:
    explicit Measurement(std::shared_ptr<Device> device)
        : device_(std::move(device)), teams_(device_->features()) {}

    Result<GpuSpeeds> run() {
        if (auto taken = take_memory(); !taken) {
            return std::move(taken).error();
        }
        GpuSpeeds speeds;
        // Reads come first: they raise the clocks. What they read does not matter.
        for (const auto& [part, speed] :
             {std::pair(&Measurement::measure_reads, &speeds.read_gb_per_s),
              std::pair(&Measurement::measure_copies_in, &speeds.to_gpu_gb_per_s),
              std::pair(&Measurement::measure_copies_out, &speeds.from_gpu_gb_per_s),
              std::pair(&Measurement::measure_round_trips, &speeds.round_trip_us),
              std::pair(&Measurement::measure_products, &speeds.gflop_per_s),
              std::pair(&Measurement::measure_steps, &speeds.step_us)}) {
            auto measured = (this->*part)();
            if (!measured) {
                return std::move(measured).error();
            }
            *speed = *measured;
        }
        return speeds;
    }

private:
    Result<void> take_memory() {
        const PhysicalDevice& physical = device_->physical();
        const std::uint64_t most =
            std::min({physical.info.shares_ram ? kSharedBytes : kOwnBytes,
                      physical.info.available_bytes() / 4, physical.allocation_bytes_max,
                      device_->features().storage_range_bytes_max});
        layout_ = MatrixLayout(halves_, most / (2 * kColumns), kColumns);
        if (layout_.rows == 0) {
            return Error{ErrorCode::OutOfMemory, "it has no memory left to be tried in"};
        }
        const std::uint64_t y_bytes = layout_.rows * sizeof(float);
        const std::uint64_t x_bytes = kColumns * sizeof(float);
        const std::uint64_t products_in = kManyTokens * kProductColumns * sizeof(float);
        const std::uint64_t products_out = kManyTokens * kProductRows * sizeof(float);
        const auto create = [&](Arena& arena, MemoryKind kind,
                                const Arena::Pieces& pieces) -> Result<void> {
            auto made = Arena::create(device_, kind, pieces, "a trial");
            if (!made) {
                return std::move(made).error();
            }
            arena = std::move(*made);
            return {};
        };
        const std::uint64_t copy_bytes = std::min(kCopyBytes, layout_.bytes);
        if (auto made = create(weights_memory_, MemoryKind::Device, {layout_.bytes}); !made) {
            return made;
        }
        if (auto made = create(gpu_, MemoryKind::Device,
                               {x_bytes, x_bytes, x_bytes, y_bytes, products_in, products_out});
            !made) {
            return made;
        }
        if (auto made = create(written_, MemoryKind::Shared, {copy_bytes}); !made) {
            return made;
        }
        if (auto made = create(read_, MemoryKind::Readback, {copy_bytes}); !made) {
            return made;
        }
        weights_ = weights_memory_.take(layout_.bytes);
        x_ = {gpu_.take(x_bytes), gpu_.take(x_bytes), gpu_.take(x_bytes)};
        y_ = gpu_.take(y_bytes);
        products_in_ = gpu_.take(products_in);
        products_out_ = gpu_.take(products_out);
        in_ = written_.take(copy_bytes);
        out_ = read_.take(copy_bytes);
        std::memset(in_.mapped, 0x22, copy_bytes);  // halves like any other
        return {};
    }

    // Records commands, runs them once to warm up and once more, and returns the seconds of the
    // second run.
    template <class Record>
    Result<double> time(Record&& record) {
        Recorder recorder(device_, false);
        record(recorder);
        auto recorded = recorder.finish();
        if (!recorded) {
            return std::move(recorded).error();
        }
        double seconds = 0;
        for (int run = 0; run < 2; ++run) {
            const Clock::time_point start = Clock::now();
            if (auto ran = vulkan::run(device_, *recorded, kPatience); !ran) {
                return std::move(ran).error();
            }
            seconds = seconds_since(start);
        }
        return seconds;
    }

    Result<double> measure_copies_in() {
        auto seconds = time([&](Recorder& recorder) {
            for (std::uint64_t at = 0; at + in_.bytes <= weights_.bytes; at += in_.bytes) {
                recorder.copy(in_, weights_.part(at, in_.bytes));
            }
        });
        if (!seconds) {
            return seconds;
        }
        return static_cast<double>(weights_.bytes / in_.bytes * in_.bytes) / *seconds / 1e9;
    }

    Result<double> measure_copies_out() {
        constexpr int kCopies = 4;
        auto seconds = time([&](Recorder& recorder) {
            for (int i = 0; i < kCopies; ++i) {
                recorder.copy(weights_.part(0, out_.bytes), out_);
                recorder.barrier();  // to the same place
            }
        });
        if (!seconds) {
            return seconds;
        }
        return static_cast<double>(kCopies * out_.bytes) / *seconds / 1e9;
    }

    // With one token. The next one waits for it.
    void record_product(Recorder& recorder, const MatrixLayout& matrix, const BufferView& weights,
                        std::string_view label) {
        constexpr std::uint32_t kThreads = 128;
        constexpr std::uint32_t kRowsOfATeam = 2;
        const std::uint64_t per_group = kThreads / teams_.size * kRowsOfATeam;
        recorder.dispatch(gemv_shader(halves_, InputForm::Floats),
                          {.WORKGROUP = kThreads,
                           .TEAM = teams_.size,
                           .SUBGROUPS = teams_.subgroups,
                           .ROWS = kRowsOfATeam,
                           .BLOCKS = static_cast<std::uint32_t>(matrix.blocks),
                           .HEAD_ROWS = 0,
                           .TOKENS = 1,
                           .AHEAD = 1},
                          {.quads = weights,
                           .words = weights,
                           .x = x_.floats,
                           .xd = x_.scales,
                           .y = y_,
                           .bias = BufferView{}},
                          {.matrix = matrix.params(),
                           .y_at = 0,
                           .has_bias = 0,
                           .relu = 0,
                           .first_row = 0,
                           .x_at = 0,
                           .x_apart = 0,
                           .n_tokens = 1,
                           .y_stride = 0},
                          {.groups = {groups_of(matrix.rows, per_group), 1, 1},
                           .label = label,
                           .subgroup_size = teams_.required_size});
        recorder.barrier();
    }

    // The least that run() returns, of as many runs as it takes until none is better.
    template <class Run>
    static Result<double> least(Run&& run) {
        double least = 1e9;
        double noted = 1e9;
        const Clock::time_point begin = Clock::now();
        Clock::time_point better = begin;
        do {
            const Result<double> seconds = run();
            if (!seconds) {
                return seconds;
            }
            least = std::min(least, *seconds);
            if (least < kBetter * noted) {
                noted = least;
                better = Clock::now();
            }
        } while (seconds_since(better) < kSteadySeconds && seconds_since(begin) < kMostSeconds);
        return least;
    }

    // The seconds of one of `count` dispatches, which `record(recorder, label)` adds one by one.
    // Takes the best of several runs, by the GPU's own clock where it has one.
    template <class Record>
    Result<double> best_of(int count, Record&& record) {
        Recorder recorder(device_, true);
        for (int i = 0; i < count; ++i) {
            record(recorder, std::to_string(i));
        }
        auto recorded = recorder.finish();
        if (!recorded) {
            return std::move(recorded).error();
        }
        return least([&]() -> Result<double> {
            const Clock::time_point start = Clock::now();
            if (auto ran = vulkan::run(device_, *recorded, kPatience); !ran) {
                return std::move(ran).error();
            }
            double best = seconds_since(start) / count;
            Trace trace;
            if (auto read = recorded->read_timestamps(trace); !read) {
                return std::move(read).error();
            }
            for (const auto& [label, entry] : trace) {
                if (entry.ns > 0) {
                    best = std::min(best, static_cast<double>(entry.ns) * 1e-9);
                }
            }
            return best;
        });
    }

    Result<double> measure_reads() {
        auto seconds = best_of(kReads, [&](Recorder& recorder, std::string_view label) {
            record_product(recorder, layout_, weights_, label);
        });
        if (!seconds) {
            return seconds;
        }
        return static_cast<double>(layout_.bytes) / *seconds / 1e9;
    }

    // Measures round trips as they are in a split layer: the processor signals the GPU, which waits
    // with its work submitted, and the GPU signals the processor. Returns the median.
    Result<double> measure_round_trips() {
        auto told_gpu = Timeline::create(device_);
        auto told_processor = Timeline::create(device_);
        if (!told_gpu || !told_processor) {
            return std::move(!told_gpu ? told_gpu : told_processor).error();
        }
        Recorder recorder(device_, false);
        recorder.dispatch(shader_of<interfaces::Quantize>(), {.WORKGROUP = 64, .HALVES = false},
                          {.x = x_.floats, .bytes = x_.packed, .scales = x_.scales},
                          {.columns = kBlockColumns, .n_rows = 1}, {.label = "round trip"});
        auto recorded = recorder.finish();
        if (!recorded) {
            return std::move(recorded).error();
        }
        std::vector<double> us;
        for (std::uint64_t i = 1; i <= kRoundTrips; ++i) {
            const Submission submission{&*recorded, {&*told_gpu, i}, {&*told_processor, i}};
            auto done = submit(*device_, {&submission, 1});
            const Clock::time_point start = Clock::now();
            if (done) {
                done = told_gpu->signal(i);
            }
            if (done) {
                done = told_processor->wait(i, kPatience);
            }
            if (!done) {
                // Signal, so that submitted work does not wait for ever and does not lose its
                // command buffer.
                [[maybe_unused]] const auto told = told_gpu->signal(kRoundTrips + 1);
                [[maybe_unused]] const auto idle = device_->wait_idle();
                return std::move(done).error();
            }
            us.push_back(seconds_since(start) * 1e6);
        }
        std::nth_element(us.begin(), us.begin() + kRoundTrips / 2, us.end());
        return us[kRoundTrips / 2];
    }

    // Measures what a step costs beside its bytes: the difference of a long row of steps and a
    // short one, without what a submission takes.
    Result<double> measure_steps() {
        std::array<double, 2> seconds{};
        for (std::size_t i = 0; i < seconds.size(); ++i) {
            auto taken = row_seconds(i == 0 ? kFewSteps : kManySteps);
            if (!taken) {
                return taken;
            }
            seconds[i] = *taken;
        }
        return std::max(0.0, seconds[1] - seconds[0]) / (kManySteps - kFewSteps) * 1e6;
    }

    // The best of several runs.
    Result<double> row_seconds(int count) {
        const MatrixLayout matrix(halves_, std::min(kStepRows, layout_.rows), kColumns);
        const BufferView weights = weights_.part(0, matrix.bytes);
        Recorder recorder(device_, false);
        for (int i = 0; i < count; ++i) {
            record_product(recorder, matrix, weights, "step");
        }
        auto recorded = recorder.finish();
        if (!recorded) {
            return std::move(recorded).error();
        }
        return least([&]() -> Result<double> {
            const Clock::time_point start = Clock::now();
            if (auto ran = vulkan::run(device_, *recorded, kPatience); !ran) {
                return std::move(ran).error();
            }
            return seconds_since(start);
        });
    }

    // Measures products as a prompt has them, in the best form that this device has for halves.
    Result<double> measure_products() {
        auto seconds = product_seconds(kProductTokens);
        if (seconds && *seconds > 0 && *seconds < kFewAreFast) {
            auto of_many = product_seconds(kManyTokens);
            if (!of_many) {
                return of_many;
            }
            return gflop_per_s(kManyTokens, *of_many);
        }
        return seconds && *seconds > 0 ? gflop_per_s(kProductTokens, *seconds) : seconds;
    }

    static double gflop_per_s(std::uint64_t tokens, double seconds) {
        return 2.0 * kProductRows * kProductColumns * static_cast<double>(tokens) / seconds / 1e9;
    }

    // What one product takes; 0: not known.
    Result<double> product_seconds(std::uint64_t n_tokens) {
        const MatrixLayout matrix(halves_, kProductRows, kProductColumns);
        const ShaderFeatures& features = device_->features();
        const GemmForm form = gemm_form(features, halves_, false);
        GemmKernel kernel = gemm_kernel(features, halves_, form, false);
        kernel.constants.HALVES = is_cooperative(form);  // as the engine packs them
        const BufferView weights = weights_.part(0, std::min(weights_.bytes, matrix.bytes));
        if (weights.bytes < matrix.bytes) {
            return 0.0;  // not known
        }
        return best_of(kProducts, [&](Recorder& recorder, std::string_view label) {
            recorder.dispatch(kernel.shader, kernel.constants,
                              {.quads = weights,
                               .words = weights,
                               .x = products_in_,
                               .xd = products_in_,
                               .y = products_out_,
                               .bias = BufferView{},
                               .pairs = BufferView{},
                               .tiles = BufferView{},
                               .x_halves = products_in_},
                              {.matrix = matrix.params(),
                               .n_tokens = static_cast<std::uint32_t>(n_tokens),
                               .x_stride = static_cast<std::uint32_t>(
                                   is_cooperative(form) ? n_tokens : kProductColumns),
                               .x_at = 0,
                               .y_stride = static_cast<std::uint32_t>(kProductRows),
                               .y_at = 0,
                               .has_bias = 0,
                               .relu = 0,
                               .add = 0,
                               .first_place = 0,
                               .n_places = 0,
                               .place_rows = 1,
                               .used = 0,
                               .x_apart = 0},
                              {.groups = {static_cast<std::uint32_t>(kProductRows) / kernel.tile,
                                          static_cast<std::uint32_t>(n_tokens) / kernel.tile, 1},
                               .label = label,
                               .subgroup_size = kernel.subgroup_size});
            recorder.barrier();
        });
    }

    std::shared_ptr<Device> device_;
    Teams teams_;
    DType halves_ = halves();
    MatrixLayout layout_;
    Arena weights_memory_;
    Arena gpu_;
    Arena written_;
    Arena read_;
    BufferView weights_, y_, products_in_, products_out_, in_, out_;
    GpuActivations x_;
};

}  // namespace

Result<GpuSpeeds> measure_speeds(const std::shared_ptr<Device>& device) {
    return Measurement(device).run();
}

}  // namespace hearth::vulkan
