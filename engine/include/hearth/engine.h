// The one door to the engine: load a model, chat with it.
//
// An Engine belongs to one thread at a time: every member is called from the thread that owns it
// (the desktop's engine thread, the command line's main thread). Callbacks arrive on that thread.
// Only Cancellation may be touched, and Engine::set_budget() called, from elsewhere, while the
// Engine lives.
//
// No exception comes out, not even one that a callback threw: it becomes the Error of the call,
// std::bad_alloc OutOfMemory and any other Internal. The Engine can be used on after either.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/flash_without.h>
#include <hearth/result.h>

namespace hearth {

struct LoadedModel;  // what stands behind an Engine

// "0.1.0"
std::string_view version();

// What loading measures of a machine with a GPU, to share a model out.
struct MachineSpeeds {
    double ram_read_gb_per_s = 0;
    double cpu_gflop_per_s = 0;
    double gpu_read_gb_per_s = 0;
    double to_gpu_gb_per_s = 0;
    double from_gpu_gb_per_s = 0;
    double round_trip_us = 0;
    double gpu_gflop_per_s = 0;
    double gpu_step_us = 0;  // a dispatch that waits for the one before, beside its bytes
};

struct EngineOptions {
    std::string model_path;
    int threads = 0;  // 0: as many as this machine is worth: one a fast core, or as measured
    int n_ctx = 0;    // tokens; 0: the model's own, at most 4096
    std::optional<std::uint64_t>
        ram_bytes;  // most the engine may hold; empty: what the machine has free
    // Where neurons are cached: fewer are while programs of this machine wait for memory, and as
    // many as before when they no longer do (Linux; see MemoryReport::spared_bytes). Answers are
    // the same.
    bool heeds_memory_pressure = true;
    std::optional<std::uint64_t> vram_bytes;  // likewise of the GPU's memory
    // "auto": the best there is, if any can be used; "none"; an index or part of a name: that one,
    // or an error.
    std::string gpu = "auto";
    // Where it is kept which GPUs drivers list and how they did when they were tried; empty:
    // nowhere. And the path of the running program, which is started to ask drivers and to try GPUs
    // (tools::list_gpus_here, tools::probe_gpu_here); empty: drivers are left alone unless a GPU is
    // named, which is then taken untried.
    std::string cache_folder;
    std::string program_path;
    // Taken instead of measuring: the same plan every time, however busy the machine is.
    std::optional<MachineSpeeds> speeds;
    // What one token computes of a feed-forward block. "exact": every neuron that fires, found by
    // its gate; the dense result, where the activation makes most neurons zero, and simply dense
    // where it does not. "predicted": of those, the ones a predictor names, which changes the text
    // a little. "dense": every neuron. "approximate", for blocks gated by SiLU: every neuron, but
    // computed from the inputs above a threshold only, and down from the hidden values above
    // another, which changes the text; prompts are computed whole.
    // Empty: as "exact", but layers in which so many neurons fire that leaving the others out costs
    // time are computed dense. Which those are is looked at after loading and between answers. The
    // two add up in another order: who needs the same bits every time names a mode.
    std::string mode;
    std::string predictors_path;  // for "predicted"; empty: those inside the model file
    std::string predictor_input;  // "normed" or "residual", for files that do not say; else empty
    std::string thresholds_path;  // for "approximate"; tools::calibrate() makes such a file
    // Where profiles are kept that models make of themselves while they are used; empty: none are.
    std::string profile_folder;
    bool keeps_profile = true;  // false: profiles there are read, and none is made or added to
    // "silu", "reglu", "drelu", "relu", "relu2"; empty: what the file says. Plain GGUF files of
    // ReLU-gated LLaMAs look like those with SiLU.
    std::string activation;
    FlashWithout flash_without{};  // for measurements
};

struct ModelInfo {
    std::string path;
    std::string name;  // general.name, else the file's name
    std::string arch;
    std::string type;  // the type most weight bytes have: "Q4_0"
    std::uint64_t file_bytes = 0;
    std::uint64_t n_params = 0;
    int n_layer = 0;
    int n_vocab = 0;
    int n_ctx_train = 0;  // what the model was trained for
    int n_ctx = 0;        // what this engine holds
    bool has_chat_template = false;
};

// What is read from disk in each pass, since RAM does not hold it.
struct FlashReport {
    std::uint64_t bytes_per_token = 0;  // of weights that each token reads, all of them
    // Neurons are read when a token needs them: those that it needed and RAM had, or had not.
    bool caches_neurons = false;
    std::uint64_t neuron_hits = 0;
    std::uint64_t neuron_misses = 0;
    std::string why_not_direct{};  // the page cache takes part; empty: it does not
    std::uint64_t read_bytes = 0;  // since loading
    std::uint64_t reads = 0;
    double busy_ms = 0;  // while at least one read was in flight
    double read_p50_ms = 0, read_p90_ms = 0, read_p99_ms = 0;     // of one read
    double stall_p50_ms = 0, stall_p90_ms = 0, stall_p99_ms = 0;  // of a pass
};

// Planned against actual, to the byte: what the planner promised and what the ledger counted.
struct MemoryReport {
    struct Line {
        std::uint64_t planned_bytes = 0;
        std::uint64_t actual_bytes = 0;
    };
    Line weights;
    Line kv;
    Line scratch;
    std::uint64_t ram_budget_bytes = 0;  // what Engine::set_budget() set last, else of loading
    bool budget_waits = false;           // for the next token: weights will be loaded anew
    // Of the weights' bytes, those that the engine does without at present since the budget was
    // lowered, or programs wait for memory. They stay in the lines above, which say what a larger
    // budget would fill again.
    std::uint64_t spared_bytes = 0;
    // Of the GPU's memory, by its own ledger.
    Line vram_weights;
    Line vram_kv;
    Line vram_scratch;
    std::uint64_t vram_budget_bytes = 0;
    std::uint64_t vram_bytes = 0;         // held
    std::uint64_t vram_driver_bytes = 0;  // as its driver counts; 0: it does not
    std::uint64_t bus_bytes_per_token = 0;

    std::uint64_t planned_bytes() const {
        return weights.planned_bytes + kv.planned_bytes + scratch.planned_bytes;
    }
    std::uint64_t ledger_bytes() const {
        return weights.actual_bytes + kv.actual_bytes + scratch.actual_bytes;
    }
    // What the engine may fill at present.
    std::uint64_t used_bytes() const { return ledger_bytes() - spared_bytes; }
};

// Where the time between "load" and "ready" went.
struct LoadTimings {
    double open_ms = 0;       // map the file, read its header
    double tokenizer_ms = 0;  // vocabulary tables
    double plan_ms = 0;       // machine, budget, placement
    double weights_ms = 0;    // read and lay out the weights
    double total_ms = 0;
};

// What really runs, after "auto" was resolved.
struct EngineSettings {
    int threads = 0;
    std::string isa;               // "generic", "avx2", "avxvnni", "avx512"
    std::string gpu = "none";      // its name
    std::string gpu_note;          // why it is none or does less than it might; may be empty
    int gpu_layers = 0;            // whose attention it computes
    double gpu_neurons = 0;        // share of all neurons it holds
    int gpu_uploads_from = 0;      // tokens of a batch that weights are uploaded for; 0: none
    double gpu_share = 0;          // of the weights a token may read, those in the GPU's memory
    std::uint64_t vram_bytes = 0;  // the budget
    std::uint64_t ram_bytes = 0;
    std::string mode = "dense";  // "dense", "exact", "predicted", "approximate"
    // No mode was named: layers may take the dense path, see LayerStatistics::path.
    bool paths_chosen = false;
    std::string kv = "f16";
};

// What decoded tokens computed of a layer's feed-forward block, whichever unit did: shares of its
// neurons.
struct LayerStatistics {
    // "dense", "exact", "predicted", "approximate": the present one, and the processor's, if it has
    // neurons of the layer
    std::string path;
    std::uint64_t tokens = 0;  // counted; the shares are 1 while there are none
    double examined = 1;       // whose gate was computed
    double opened = 1;         // whose gate was open
    double fired = 1;          // whose hidden value was not zero, or above its threshold
    double inputs = 1;         // of the block's inputs, those above their threshold
    // What the processor's part of the block takes for a token alone; 0: none was computed.
    double block_us = 0;
};

// What tokens of answers cost since the model was loaded or a benchmark began, by both units'
// counters. Prompts are not among them. In the mean of these tokens, but for the number of tokens.
struct DecodeStatistics {
    std::uint64_t tokens = 0;
    std::vector<LayerStatistics> layers;
    // Of the neurons whose gate was open, in dense layers of all of them: who computed them; their
    // sum is 1. Empty: no neuron was computed, and there is a GPU that might have.
    std::optional<double> cpu_share, gpu_share;
    // Of weight matrices and predictors, read from the machine's memory and from the GPU's; before
    // there are tokens, what one reads for which every neuron fires. Norms, biases, the token's own
    // embedding and the KV cache are left out.
    std::uint64_t ram_weight_bytes = 0, vram_weight_bytes = 0;
};

// What the GPU's dispatches of one kind took.
struct TraceEntry {
    std::string label;        // "gate_up"
    std::uint64_t count = 0;  // dispatches
    double us = 0;            // all of them
    std::uint64_t bytes = 0;  // of weights they read; 0: they read none
};

struct ChatMessage {
    std::string role;  // "system", "user", "assistant"
    std::string content;
};

struct SamplingOptions {
    float temperature = 0.8F;     // 0: greedy, and nothing below matters but repeat_penalty
    int top_k = 40;               // 0: off
    float top_p = 0.95F;          // 1: off
    float min_p = 0.05F;          // 0: off
    float repeat_penalty = 1.0F;  // 1: off; divides positive and multiplies negative logits
    int repeat_last_n = 64;       // how many of the latest tokens it looks at
    std::uint64_t seed = 0;       // 0: another one each time, reported in the result
};

struct GenerationOptions {
    SamplingOptions sampling;
    int max_tokens = -1;            // -1: until the model stops or the context is full
    std::vector<std::string> stop;  // the answer ends before the first of these; none may be empty
    // chat() only. When the conversation no longer fits the context: true leaves out its oldest
    // messages (never a leading system message, never the last message) and says how many; false
    // is ContextFull.
    bool drop_oldest_messages = true;
};

enum class FinishReason {
    Stop,    // an end token or a stop string
    Length,  // max_tokens, or the context is full
    Cancelled,
};
std::string_view to_string(FinishReason reason);

struct GenerationResult {
    std::string text;  // without the stop string
    std::vector<std::int32_t> token_ids;
    FinishReason finish = FinishReason::Stop;
    int prompt_tokens = 0;     // of the whole prompt
    int cached_tokens = 0;     // of those, already in the KV cache from the turn before
    int dropped_messages = 0;  // left out because the context was full
    double ttft_ms = 0;        // from the call to the first token
    double prefill_ms = 0;
    double prefill_per_s = 0;  // tokens really prefilled per second; 0 when all were cached
    double decode_per_s = 0;   // tokens after the first per second; 0 when there were none
    std::uint64_t seed = 0;    // what the sampler was seeded with
    // What happened meanwhile to the GPU, or to a budget that was set; mostly empty. The text is
    // whole.
    std::string notice;
};

// fraction: 0 to 1. Called a few dozen times at most.
using LoadProgress = std::function<void(double fraction)>;
// Valid UTF-8, never half a character, never part of a stop string. Not called with empty text.
using PieceCallback = std::function<void(std::string_view piece)>;

// Most that the engine may hold from now on, bytes; empty: as before.
struct BudgetChange {
    std::optional<std::uint64_t> ram_bytes{};
    std::optional<std::uint64_t> vram_bytes{};  // of the GPU's memory; 0: it does nothing
};

class Engine {
public:
    // Opens, plans, checks the plan against the budget, then loads. The result is ready to answer.
    // NotFound NotAFile PermissionDenied ReadFailed BadFile Unsupported OverBudget OutOfMemory
    // InvalidArgument Cancelled.
    static Result<std::unique_ptr<Engine>> load(const EngineOptions& options,
                                                const LoadProgress& progress = {},
                                                const Cancellation* cancellation = nullptr);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    const ModelInfo& model() const;
    const EngineSettings& settings() const;
    const LoadTimings& load_timings() const;
    // A sparse model whose file holds no profile counts which of its neurons fire. Adds what was
    // counted since the last time to its profile in EngineOptions::profile_folder and returns the
    // number of tokens, 0 if there is nothing to save. For idle moments: reads and writes some
    // megabytes. WriteFailed, DiskFull, PermissionDenied, ReadFailed, OutOfMemory: the counts are
    // kept. DeviceLost: they are lost, as they are where an answer survives a GPU's loss.
    Result<std::uint64_t> save_profile();
    // Between answers. DeviceLost: the GPU's counters are lost.
    Result<DecodeStatistics> decode_statistics();
    MemoryReport memory() const;
    FlashReport flash() const;
    // Any thread, also during an answer. Says at once whether the model can be computed so: what
    // cannot is OverBudget, which names what it needs, and nothing changes. Takes milliseconds,
    // with a GPU sometimes a third of a second.
    // - Where neurons are cached (FlashReport::caches_neurons) RAM is lowered, and raised to what
    //   loading took, at once, or before the next token or batch of a prompt.
    // - All else means that weights are loaded anew, which takes as long as loading did. It waits
    //   for the next token or batch, or for carry_out_budget(). More RAM than there was is loaded
    //   for where all weights then fit, or a sixteenth more of it can be used; else it is only
    //   noted. The conversation stays: keys and values are kept where the processor alone has
    //   them, before and after, and computed again otherwise.
    // Answers are the same apart from what a GPU's share changes in their last bits. The context
    // stays as loaded. decode_statistics() and flash() begin anew. Should loading fail, what was
    // there before is loaded again, and GenerationResult::notice says so.
    Result<void> set_budget(const BudgetChange& change);
    // Between answers: loads now what set_budget() left to the next token, so that memory is given
    // back without one. Nothing waits: does nothing. An error of what was to be loaded, as load():
    // it is as it was before, unless not even that could be loaded, as the message then says.
    // That, or Cancelled, leaves the engine without weights: the next answer loads them.
    Result<void> carry_out_budget(const LoadProgress& progress = {},
                                  const Cancellation* cancellation = nullptr);
    // From now on every dispatch of the GPU is timed, one after another: that slows it down.
    // trace(): since then, what took longest first; empty without a GPU.
    void set_tracing(bool on);
    std::vector<TraceEntry> trace() const;

    // One assistant turn: `messages` through the model's chat template, then generation. Messages
    // that the call before already saw are not computed again. A cancelled turn is a result with
    // FinishReason::Cancelled, not an error. ContextFull, Unsupported, InvalidArgument, Internal.
    Result<GenerationResult> chat(std::span<const ChatMessage> messages,
                                  const GenerationOptions& options, const PieceCallback& on_piece,
                                  const Cancellation& cancellation);

    // Continues `prompt` as it stands. Special tokens written out in it are recognised.
    Result<GenerationResult> complete(std::string_view prompt, const GenerationOptions& options,
                                      const PieceCallback& on_piece,
                                      const Cancellation& cancellation);

    // For tools.h, inside the library.
    LoadedModel& impl() { return *impl_; }

private:
    explicit Engine(std::unique_ptr<LoadedModel> impl);
    std::unique_ptr<LoadedModel> impl_;
};

}  // namespace hearth
