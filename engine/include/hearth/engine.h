// The one door to the engine: load a model, chat with it.
//
// An Engine belongs to one thread at a time. The thread that owns it calls every member (the
// desktop's engine thread, the command line's main thread), and callbacks arrive on that thread.
// Other threads may touch only Cancellation and call Engine::set_budget(), while the Engine lives.
//
// No exception leaves the engine, not even one that a callback threw. It becomes the Error of the
// call: std::bad_alloc becomes OutOfMemory, any other exception Internal. The Engine stays usable
// after either.
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

struct LoadedModel;  // the implementation behind an Engine

// "0.1.0"
std::string_view version();

// Speeds of a machine with a GPU. Loading measures them to divide a model between GPU and
// processor.
struct MachineSpeeds {
    double ram_read_gb_per_s = 0;
    double cpu_gflop_per_s = 0;
    double gpu_read_gb_per_s = 0;
    double to_gpu_gb_per_s = 0;
    double from_gpu_gb_per_s = 0;
    double round_trip_us = 0;
    double gpu_gflop_per_s = 0;
    double gpu_step_us = 0;  // a dispatch that waits for the one before, without its bytes
};

struct EngineOptions {
    std::string model_path;
    int threads = 0;  // 0: as many as pay on this machine: one a fast core, or as measured
    int n_ctx = 0;    // tokens; 0: the model's own, at most 4096
    // How keys and values of the conversation are held: "f16", or "q8_0": bytes, which take 0.53 of
    // the memory and change answers a little. Layers whose heads are no multiple of 16 stay "f16".
    std::string kv = "f16";
    std::optional<std::uint64_t>
        ram_bytes;  // most the engine may hold; empty: what the machine can spare
    // The RAM, within ram_bytes, that copies of conversations' keys and values may take, so that
    // conversations that take turns are not read anew each time. Empty: half of what the plan
    // leaves of ram_bytes, at most 8 GiB; 0: none.
    std::optional<std::uint64_t> kept_pasts_bytes;
    // Applies where neurons are cached. The engine caches fewer neurons while programs of this
    // machine wait for memory, and as many as before once they no longer wait (Linux; see
    // MemoryReport::spared_bytes). Answers are the same.
    bool heeds_memory_pressure = true;
    std::optional<std::uint64_t> vram_bytes;  // most of the GPU's memory; empty: what it can spare
    // "auto": the best GPU, or none if none can be used; "none"; an index or part of a name: that
    // GPU, or an error.
    std::string gpu = "auto";
    // cache_folder keeps the list of GPUs that drivers gave and the outcomes of their trials;
    // empty: nothing is kept. program_path is the path of the running program, which the engine
    // starts to ask drivers and to try GPUs (tools::list_gpus_here, tools::probe_gpu_here). Empty:
    // no driver is asked unless a GPU is named, which is then used untried.
    std::string cache_folder;
    std::string program_path;
    // Used instead of measuring: the plan is the same every time, however busy the machine is.
    std::optional<MachineSpeeds> speeds;
    // The neurons of a feed-forward block that one token computes.
    // - "exact": every neuron that fires, found by its gate. The result equals the dense one where
    //   the activation makes most neurons zero; other blocks are computed dense.
    // - "predicted": only those of the firing neurons that a predictor names, which changes the
    //   text a little.
    // - "dense": every neuron.
    // - "approximate", for blocks gated by SiLU: every neuron, but only from inputs above a
    //   threshold, and down only from hidden values above another, which changes the text. Prompts
    //   are computed whole in this mode.
    // - Empty: as "exact", but a layer is computed dense where so many neurons fire that leaving
    //   the others out costs time. The engine decides this for each layer after loading and between
    //   answers. Dense and exact add up in different orders: name a mode to get the same bits every
    //   time.
    std::string mode;
    std::string predictors_path;  // for "predicted"; empty: the predictors inside the model file
    std::string predictor_input;  // "normed" or "residual", for files that leave it open; else
                                  // empty
    std::string thresholds_path;  // for "approximate"; tools::calibrate() makes such a file
    // Keeps the profiles that models make of themselves while they are used; empty: none are made.
    std::string profile_folder;
    bool keeps_profile = true;  // false: profiles there are read, but none is made or added to
    // "silu", "reglu", "drelu", "relu", "relu2", "gelu", "geglu", "swiglu-oai"; empty: as the file
    // says. Plain GGUF files of ReLU-gated LLaMAs look like LLaMAs with SiLU.
    std::string activation;
    FlashWithout flash_without{};  // for measurements
};

// What a model's chat template does beside writing messages.
struct ChatTraits {
    // What it tells the model where a conversation has no system message; empty: nothing.
    std::string default_system{};
    bool has_thinking_switch = false;   // GenerationOptions::thinking changes the prompt
    bool has_reasoning_effort = false;  // GenerationOptions::reasoning_effort changes it
    bool has_tools = false;             // GenerationOptions::tools changes it
    bool has_calls = false;             // ChatMessage::tool_calls are written, one call at least
    // Why the file's template is not used, a sentence; empty: it is used, or the file has none.
    std::string fallback{};
};

struct ModelInfo {
    std::string path;
    std::string name;  // general.name, else the file's name
    std::string arch;
    std::string type;  // the type of most weight bytes: "Q4_0"
    std::uint64_t file_bytes = 0;
    std::uint64_t n_params = 0;
    int n_layer = 0;
    int n_vocab = 0;
    int n_ctx_train = 0;  // context length in training
    int n_ctx = 0;        // context length of this engine
    bool has_chat_template = false;
    // The pre-tokenizer as the file names it, and the known one that is used in its place because
    // this build does not know how it cuts text into words (mostly empty). A reason to warn.
    std::string tokenizer_pre{};
    std::string tokenizer_fallback{};
    ChatTraits chat{};
};

// Weights that RAM does not hold and each pass reads from disk.
struct FlashReport {
    std::uint64_t bytes_per_token = 0;  // of weights: each token reads all of them from disk
    // true: a token reads neurons, or a mixture's experts, when it needs them. A hit was in RAM, a
    // miss was not.
    bool caches_neurons = false;
    bool are_experts = false;  // those that are read when they are needed
    std::uint64_t neuron_hits = 0;
    std::uint64_t neuron_misses = 0;
    // Experts may be guessed while the layer before them is computed. read_ahead counts those that
    // were read for that, read_ahead_used those of them that were chosen then.
    std::uint64_t experts_guessed = 0, guessed_right = 0;
    std::uint64_t read_ahead = 0, read_ahead_used = 0;
    // The engine tries now and then whether that gains anything, and does it only then. gain: the
    // share of a token's time that it saved in the latest trial.
    int guess_trials = 0;
    bool guesses_pay = false;
    double guess_gain = 0;
    std::string why_not_direct{};  // why reads pass through the page cache; empty: they do not
    std::uint64_t read_bytes = 0;  // since loading
    std::uint64_t reads = 0;
    double busy_ms = 0;  // time with at least one read in flight
    double read_p50_ms = 0, read_p90_ms = 0, read_p99_ms = 0;     // of one read
    double stall_p50_ms = 0, stall_p90_ms = 0, stall_p99_ms = 0;  // of a pass
};

// Planned against actual, to the byte: the planner's promise beside the ledger's count.
struct MemoryReport {
    struct Line {
        std::uint64_t planned_bytes = 0;
        std::uint64_t actual_bytes = 0;
    };
    Line weights;
    Line kv;
    Line scratch;
    std::uint64_t ram_budget_bytes = 0;  // from the latest Engine::set_budget(), else from loading
    bool budget_waits = false;           // the next token loads the weights anew
    // Bytes of weights that the engine does without at present, because the budget was lowered or
    // programs wait for memory. The lines above still count them: a larger budget would fill them
    // again.
    std::uint64_t spared_bytes = 0;
    // Copies of other conversations' keys and values, beside the lines above: the most that they
    // may take (as of the latest answer), and what they take. Copies go before the budget is
    // passed.
    Line kept_pasts;
    std::uint64_t n_kept_pasts = 0;
    // The GPU's memory, by its own ledger.
    Line vram_weights;
    Line vram_kv;
    Line vram_scratch;
    std::uint64_t vram_budget_bytes = 0;
    std::uint64_t vram_bytes = 0;         // held
    std::uint64_t vram_driver_bytes = 0;  // as its driver counts; 0: it does not say
    std::uint64_t bus_bytes_per_token = 0;

    std::uint64_t planned_bytes() const {
        return weights.planned_bytes + kv.planned_bytes + scratch.planned_bytes;
    }
    std::uint64_t ledger_bytes() const {
        return weights.actual_bytes + kv.actual_bytes + scratch.actual_bytes;
    }
    // Bytes that the engine may fill at present.
    std::uint64_t used_bytes() const { return ledger_bytes() - spared_bytes; }
};

// The time between "load" and "ready", by step.
struct LoadTimings {
    double open_ms = 0;       // open the file, read its header
    double tokenizer_ms = 0;  // vocabulary tables
    double plan_ms = 0;       // machine, budget, placement
    double weights_ms = 0;    // read and lay out the weights
    double total_ms = 0;
};

// The settings in effect, after "auto" was resolved.
struct EngineSettings {
    int threads = 0;
    std::string isa;               // "generic", "avx2", "avxvnni", "avx512", "neon"
    std::string gpu = "none";      // its name
    std::string gpu_note;          // why there is none, or why it does less than it might; may be
                                   // empty
    int gpu_layers = 0;            // layers whose attention it computes
    double gpu_neurons = 0;        // share of all neurons it holds
    int gpu_uploads_from = 0;      // tokens of a batch that weights are uploaded for; 0: none
    double gpu_share = 0;          // its part of the weights that a token may read
    std::uint64_t vram_bytes = 0;  // the budget
    std::uint64_t ram_bytes = 0;
    std::string mode = "dense";  // "dense", "exact", "predicted", "approximate"
    // True: no mode was named, so layers may take the dense path (see LayerStatistics::path).
    bool paths_chosen = false;
    std::string kv = "f16";
};

// One layer's feed-forward block as decoded tokens computed it, on either unit. Shares are of its
// neurons.
struct LayerStatistics {
    // "dense", "exact", "predicted", "approximate": the present path; the processor's, if it has
    // neurons of the layer
    std::string path;
    std::uint64_t tokens = 0;  // counted; the shares are 1 while there are none
    double examined = 1;       // gate was computed
    double opened = 1;         // gate was open
    double fired = 1;          // hidden value was not zero, or above its threshold
    double inputs = 1;         // share of the block's inputs above their threshold
    // Time of the processor's part of the block for a single token; 0: it computed none.
    double block_us = 0;
};

// Cost of the tokens of answers since loading or since a benchmark began, by both units' counters.
// Prompts are left out. All figures but the number of tokens are means per token.
struct DecodeStatistics {
    std::uint64_t tokens = 0;
    std::vector<LayerStatistics> layers;
    // Shares of the computed neurons by unit: of those whose gate was open, in dense layers of all.
    // The two add up to 1. Empty: no neuron was computed, and a GPU might have computed some.
    std::optional<double> cpu_share, gpu_share;
    // Bytes of weight matrices and predictors that a token read from the machine's memory and from
    // the GPU's. Before any token: the bytes that a token reads when every neuron fires. Norms,
    // biases, the token's own embedding and the KV cache are left out.
    std::uint64_t ram_weight_bytes = 0, vram_weight_bytes = 0;
};

// Time of the GPU's dispatches of one kind.
struct TraceEntry {
    std::string label;        // "gate_up"
    std::uint64_t count = 0;  // dispatches
    double us = 0;            // all of them
    std::uint64_t bytes = 0;  // of weights they read; 0: none
};

struct ChatMessage {
    std::string role;  // "system", "user", "assistant", "tool", "developer"
    std::string content;
    std::string reasoning{};     // of an assistant: what it wrote before its answer
    std::string tool_calls{};    // of an assistant: a JSON array, as OpenAI's API has it
    std::string tool_call_id{};  // of a tool's result
    std::string name{};          // of the tool
};

// Adds to a token's logit.
struct LogitBias {
    std::int32_t token = -1;  // below 0: the token of `text`
    std::string text{};       // special tokens are recognised; InvalidArgument: not a single token
    float bias = 0;           // -infinity: the token never comes
};

// Steps are applied in this order: logit bias, repetition, frequency and presence penalties, DRY,
// temperature, top-k, typical-p, top-p, min-p, XTC, draw. session/sampler.h defines each.
struct SamplingOptions {
    float temperature = 0.8F;  // 0: greedy; then only bias and penalties of the fields below count
    int top_k = 40;            // 0: off
    float typical_p = 1.0F;    // 1: off
    float top_p = 0.95F;       // 1: off
    float min_p = 0.05F;       // 0: off
    float xtc_probability = 0.0F;  // 0: off; how often the likeliest tokens are left out
    float xtc_threshold = 0.1F;    // of the tokens above this probability one stays; above 0.5: off
    float repeat_penalty = 1.0F;   // 1: off; divides positive and multiplies negative logits
    float presence_penalty = 0.0F;   // 0: off; subtracted once for a token of the window
    float frequency_penalty = 0.0F;  // 0: off; subtracted for each time it stands in the window
    int repeat_last_n = 64;  // latest tokens that these three cover; 0: none, -1: the context
    // DRY: a token that would continue a repetition of n tokens loses multiplier * base^(n -
    // allowed_length), if n is at least allowed_length. Tokens with one of the breakers in them,
    // and special tokens, end a repetition.
    float dry_multiplier = 0.0F;  // 0: off
    float dry_base = 1.75F;
    int dry_allowed_length = 2;
    int dry_last_n = -1;  // latest tokens looked at; 0: none, -1: the context
    std::vector<std::string> dry_breakers = {"\n", ":", "\"", "*"};
    std::vector<LogitBias> logit_bias{};
    std::uint64_t seed = 0;  // 0: a new one each time, reported in the result
};

// A grammar for a part of an answer: a call of a tool from its opening mark on.
struct TriggeredGrammar {
    enum class Place {
        Answer,      // not within the model's reasoning
        Beginning,   // where the answer begins so, behind reasoning and blanks
        AlsoThought  // a mark that ends reasoning
    };
    // The text behind which the grammar holds. Special tokens count as they are spelled, here and
    // in the grammar, where they are those around calls.
    std::string opening{};
    Place place = Place::Answer;
    bool ends_answer = false;  // nothing may come behind the grammar's text; else anything may
    std::string grammar{};     // GBNF
};

struct GenerationOptions {
    SamplingOptions sampling;
    int max_tokens = -1;            // -1: until the model stops or the context is full
    std::vector<std::string> stop;  // the answer ends before the first of these; none may be empty
    // chat() only, when the conversation no longer fits the context. True leaves out its oldest
    // messages and reports their number: questions with all that answers them, and of the latest
    // question calls of tools with their results. A leading system message, the latest question and
    // the last message stay. False returns ContextFull.
    bool drop_oldest_messages = true;
    // The answer is text of this grammar: GBNF, as grammar/gbnf.h describes it. Every token is
    // chosen among all tokens of the vocabulary that the grammar allows next; tokens that end a
    // turn come exactly where the text may end. Special tokens match no text. Empty: any text.
    std::string grammar{};
    // The same as a JSON schema: the answer is JSON that the schema allows. At most one of the
    // two.
    std::string json_schema{};
    // Each holds from the next place on that it names; unless the whole answer has a grammar or a
    // schema. One that cannot be read or followed does not hold.
    std::vector<TriggeredGrammar> triggered{};
    // JSON schemas: in the grammars of these, the rule schema-0 is text of the first. One that has
    // no grammar stands for any JSON object.
    std::vector<std::string> triggered_schemas{};
    // chat() only, for templates that know them (ChatTraits). Empty: as the template has it.
    std::optional<bool> thinking{};  // whether the model reasons before it answers
    std::string reasoning_effort{};  // "low", "medium", "high"
    // The last message is an answer that was cut, as text of this engine: the model goes on from
    // its end, and the result has only what follows. InvalidArgument: it is no assistant's, is
    // empty, or has calls; there is none before it.
    bool continues_last_message = false;
    // A JSON array of function declarations; empty: none. With tools, special tokens around a call
    // ("[TOOL_CALLS]") are part of the answer's text.
    std::string tools{};
    // Tokens that the conversation's own text lets expect, or a layer of the model that foretells
    // them, may be passed together with the one before them, where that is faster. The answer is
    // the same, token by token.
    bool drafts = true;
};

enum class FinishReason {
    Stop,    // an end token or a stop string
    Length,  // max_tokens, or the context is full
    Cancelled,
    Grammar,  // no token of the vocabulary goes on with the grammar, and its text is not whole
};
std::string_view to_string(FinishReason reason);

// The experts of a mixture that tokens chose, by where their weights lay at that time.
struct ExpertsServed {
    std::uint64_t vram = 0;
    std::uint64_t ram = 0;
    std::uint64_t disk = 0;  // memory had none of these: they were read first

    std::uint64_t all() const { return vram + ram + disk; }
    ExpertsServed& operator+=(const ExpertsServed& other) {
        vram += other.vram;
        ram += other.ram;
        disk += other.disk;
        return *this;
    }
    bool operator==(const ExpertsServed&) const = default;
};

// The outcome of Engine::adapt(): usually nothing came.
struct Adapted {
    int experts = 0;  // of a mixture, that came to VRAM
    int neurons = 0;  // likewise, of a sparse model
    // Choices of experts, or firings of neurons, by tokens that were passed alone since the call
    // before, in layers that VRAM has a part of; and how many of them found theirs in VRAM.
    std::uint64_t uses = 0, uses_in_vram = 0;

    bool operator==(const Adapted&) const = default;
};

struct GenerationResult {
    // Without the stop string. Where the template itself begins the model's reasoning, the text
    // begins with "<think>" all the same; see split_reasoning().
    std::string text;
    std::vector<std::int32_t> token_ids;
    FinishReason finish = FinishReason::Stop;
    std::string stop_string;   // that ended the answer; empty: none did
    int prompt_tokens = 0;     // of the whole prompt
    int cached_tokens = 0;     // of the prompt, those that the KV cache still had from the turn
                               // before
    int dropped_messages = 0;  // left out because the context was full
    double ttft_ms = 0;        // from the call to the first token
    double prefill_ms = 0;
    double prefill_per_s = 0;  // prefilled tokens per second; 0 when all were cached
    double decode_per_s = 0;   // tokens after the first per second; 0 when there were none
    int drafted_tokens = 0;    // that were passed before they were drawn
    int right_drafts = 0;      // of these, that were drawn then
    // The model's own layer foretold so many of both; the others are from the text.
    int guessed_tokens = 0, right_guesses = 0;
    ExpertsServed experts;   // chosen for tokens that were passed alone, in all layers; none: no
                             // mixture
    std::uint64_t seed = 0;  // the sampler's seed
    // Tells what happened to the GPU or to a changed budget during the answer, why a grammar ended
    // it, and why the prompt is not what the model's template prints; mostly empty. The text is
    // complete.
    std::string notice;
};

// A layer's weights by where they lie now, and what became of those that tokens asked for.
struct LayerMap {
    // Bytes of its weights, as the file has them. flash: no memory holds them, or for a moment
    // only.
    std::uint64_t vram_bytes = 0, ram_bytes = 0, flash_bytes = 0;
    int neurons = 0;            // of its feed-forward block; 0: it has none, or is a mixture
    int experts = 0;            // 0: the layer is no mixture
    int experts_per_token = 0;  // that its router chooses
    LayerStatistics statistics{};
    ExpertsServed served{};  // chosen by the tokens of answers
    // Neurons, or experts, that lie on flash and that tokens of prompts and answers named: memory
    // had them, or they were read.
    std::uint64_t hits = 0, misses = 0;
    // Asked of the disk for the layer, without what the disk reads around that.
    std::uint64_t read_bytes = 0;
};

// Counters begin anew when weights are loaded anew.
struct ModelMap {
    std::uint64_t tokens = 0;  // of answers
    std::vector<LayerMap> layers{};
    std::uint64_t other_read_bytes = 0;  // for weights that are no layer's
    int loads = 0;                       // how often weights were loaded
};

// fraction: 0 to 1. Called at most a few dozen times.
using LoadProgress = std::function<void(double fraction)>;
// piece: valid UTF-8, never half a character, never part of a stop string, never empty.
using PieceCallback = std::function<void(std::string_view piece)>;

// The most bytes that the engine may hold from now on; empty: as before.
struct BudgetChange {
    std::optional<std::uint64_t> ram_bytes{};
    std::optional<std::uint64_t> vram_bytes{};  // the GPU's memory; 0: the GPU computes nothing
};

class Engine {
public:
    // Opens the model, plans, checks the plan against the budget, then loads. The result is ready
    // to answer. NotFound NotAFile PermissionDenied ReadFailed BadFile Unsupported OverBudget
    // OutOfMemory InvalidArgument Cancelled.
    static Result<std::unique_ptr<Engine>> load(const EngineOptions& options,
                                                const LoadProgress& progress = {},
                                                const Cancellation* cancellation = nullptr);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    const ModelInfo& model() const;
    const EngineSettings& settings() const;
    const LoadTimings& load_timings() const;
    // A sparse model whose file holds no profile counts which of its neurons fire, and so does any
    // that a GPU has a part of. This adds the
    // counts since the last call to the profile in EngineOptions::profile_folder and returns their
    // number of tokens, 0 if there is nothing to save. Call it in idle moments: it reads and writes
    // some megabytes. WriteFailed, DiskFull, PermissionDenied, ReadFailed, OutOfMemory: the counts
    // are kept. DeviceLost: they are lost, as they are where an answer survives the loss of a GPU.
    Result<std::uint64_t> save_profile();
    // Writes what the conversation has left in the model to a file, and brings it back in another
    // run of the program: the next prompt then computes only what the file has not. The file takes
    // as many bytes as keys and values do, of the tokens that there are. Both return the number of
    // tokens: 0 where there are none, or where the file is of another model, context, mode, way of
    // holding the past or version of this program. The conversation of before is forgotten when
    // another one comes. Call them between answers. WriteFailed, DiskFull, PermissionDenied,
    // NotFound, ReadFailed, DeviceLost, OutOfMemory, Cancelled; BadFile: it was damaged. After an
    // error of restore_past() the model remembers nothing, and answers go on as after a load.
    // A file that was saved or restored last, and holds the beginning of the same conversation,
    // gets the rest of it appended, unless the model has layers with a window or a state: then
    // saves_in_parts() is false, and all of it is written anew.
    bool saves_in_parts() const;
    Result<std::uint64_t> save_past(const std::string& path, const Cancellation& cancellation = {});
    Result<std::uint64_t> restore_past(const std::string& path);
    // Lets experts that tokens chose often take the place of others in VRAM, where a GPU has some
    // of a mixture's experts; likewise neurons of a sparse model that fired often. Call it between
    // answers, in idle moments. It reads each of them from the file, for either unit at most 1 GiB
    // of experts or 64 MiB of neurons, whose reads are small. It looks at `cancellation` every
    // 64 MiB, or 4 MiB: a call then returns early. After an error the engine has no weights, and
    // the next answer loads them: ReadFailed, BadFile, DeviceLost, OutOfMemory.
    Result<Adapted> adapt(const Cancellation& cancellation);
    // Call it between answers. DeviceLost: the GPU's counters are lost.
    Result<DecodeStatistics> decode_statistics();
    // Call it between answers, or in a PieceCallback. Takes less than a millisecond on the
    // processor; a GPU copies counters of each layer. DeviceLost; Internal: no weights are loaded.
    Result<ModelMap> map();
    MemoryReport memory() const;
    FlashReport flash() const;
    // Changes the budget. Any thread may call this, also during an answer. It says at once whether
    // the model can be computed within the budget: OverBudget names the bytes that are needed, and
    // nothing changes. Takes milliseconds, with a GPU sometimes a third of a second.
    // - Where neurons are cached (FlashReport::caches_neurons), a change of RAM up to the bytes
    //   that loading took is carried out at once, or before the next token or batch of a prompt.
    // - Any other change loads the weights anew, which takes as long as loading did. It waits
    //   for the next token or batch, or for carry_out_budget(). More RAM than before leads to a new
    //   load only where all weights then fit, or a sixteenth more of it can be used; otherwise it
    //   is only noted. The conversation stays: keys and values are kept where the processor alone
    //   holds them before and after, and computed again otherwise.
    // Answers are the same apart from the last bits, which the GPU's share changes. The context
    // stays as loaded. decode_statistics() and flash() begin anew. If loading fails, the engine
    // loads the earlier state again, and GenerationResult::notice says so.
    Result<void> set_budget(const BudgetChange& change);
    // Carries out now what set_budget() left to the next token, so that memory is given back
    // without one. Call it between answers. Does nothing if nothing waits. An error is that of
    // loading, as load() has them: the engine is then as it was before, unless that could not be
    // loaded either, as the message says. In that case, and after Cancelled, the engine has no
    // weights: the next answer loads them.
    Result<void> carry_out_budget(const LoadProgress& progress = {},
                                  const Cancellation* cancellation = nullptr);
    // From this call on every dispatch of the GPU is timed, one after another, which slows it down.
    // trace() returns the dispatches since then, longest time first; empty without a GPU.
    void set_tracing(bool on);
    std::vector<TraceEntry> trace() const;

    // One assistant turn: `messages` through the model's chat template, then generation. Messages
    // that the previous call saw are not computed again. A cancelled turn is a result with
    // FinishReason::Cancelled, not an error. ContextFull. Unsupported: the file has no template, or
    // the grammar is too ambiguous to follow. InvalidArgument: of the options, with line and column
    // where it is about a grammar, and what the template refuses, in its own words. BadFile:
    // weights or logits are no numbers. ReadFailed: of weights that lie on disk. DeviceLost. Where
    // weights had to be loaded anew, all that load() fails with.
    Result<GenerationResult> chat(std::span<const ChatMessage> messages,
                                  const GenerationOptions& options, const PieceCallback& on_piece,
                                  const Cancellation& cancellation);

    // Continues `prompt` as it stands. Special tokens written out in it are recognised. Errors as
    // chat(), but for Unsupported.
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
