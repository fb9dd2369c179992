// The calls of the command line beside chatting: look into files, measure, convert. As with the
// engine, no exception comes out of here: any Result's error may be OutOfMemory or Internal. A call
// that computes with an Engine may also fail as Engine::complete() does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <hearth/engine.h>
#include <hearth/result.h>

namespace hearth::tools {

// ---- inspect: the content of a file; reads its header only -----------------------------------

struct ArrayValue;
// Integers keep their signedness; strings may hold any bytes the file had.
using InspectedValue = std::variant<bool, std::uint64_t, std::int64_t, double, std::string,
                                    std::shared_ptr<ArrayValue>>;
struct ArrayValue {
    std::uint64_t count = 0;
    std::string type;                    // element type: "i32", "str", ...
    std::vector<InspectedValue> values;  // all of them up to 16, none above
};

struct TensorSummary {
    std::string name;
    std::vector<std::uint64_t> shape;  // outermost first
    std::string type;
    std::uint64_t offset = 0;  // from the start of the file
    std::uint64_t bytes = 0;
};

// Tensors stored as one type. The records of a packed file count as the matrices that they hold.
struct TypeSummary {
    std::string type;
    std::uint64_t tensors = 0;
    std::uint64_t bytes = 0;
};

// Of a model whose layers differ in a number.
struct LayerNumbers {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
};

struct FileReport {
    std::string path;
    std::uint64_t file_bytes = 0;
    std::string container;  // "GGUF" or "PWRI"
    std::uint32_t format_version = 0;
    std::string arch;        // empty: the file names none
    bool supported = false;  // this build can run it
    std::string reason;      // if not
    std::uint64_t params = 0;
    std::optional<std::uint64_t> n_layer, n_embd, n_head, n_head_kv, head_dim, n_ff, n_vocab, n_ctx;
    // Where the file has one number a layer, and n_head, n_head_kv or n_ff is empty.
    std::optional<LayerNumbers> heads_of_layers, heads_kv_of_layers, ff_of_layers;
    std::optional<std::uint64_t> expert_count, expert_used;
    std::vector<TypeSummary> types;  // most bytes first
    std::string tokenizer_model;     // tokenizer.ggml.model, empty if none
    std::string tokenizer_pre;
    std::string tokenizer_fallback;  // see ModelInfo
    bool chat_template = false;
    std::string no_chat;  // of a supported model: why chat() would be refused; empty: it would not
    ChatTraits chat;      // of its template
    std::string activation;  // of the feed-forward block if known: "silu", see EngineOptions
    std::vector<int> predictor_layers;
    std::string predictor_input;  // "normed", "residual"; empty: none, or the file leaves it open
    std::optional<double> sparse_threshold;
    std::optional<std::uint64_t> profile_tokens;  // of an activation profile inside
    bool packed = false;                          // one record a neuron
    std::uint32_t packed_format = 0;              // PackOptions::format; 0: none that can be read
    bool gate_matrices = false;                   // a packed file has its gates as matrices too
    std::vector<TensorSummary> tensors;
    std::vector<std::pair<std::string, InspectedValue>> metadata;
};

Result<FileReport> inspect(const std::string& path);

// ---- vocabulary: tokenize, detokenize, template; works on files without weights --------------

struct PromptOptions {
    bool add_generation_prompt = true;
    std::optional<bool> thinking{};  // the three: see GenerationOptions
    std::string reasoning_effort{};
    std::string tools{};
};
struct Prompt {
    std::string text;
    std::string notice;  // why it is not what the file's template prints; empty: it is
};

class Vocabulary {
public:
    static Result<Vocabulary> open(const std::string& path);
    ~Vocabulary();
    Vocabulary(Vocabulary&&) noexcept;
    Vocabulary& operator=(Vocabulary&&) noexcept;

    // See ModelInfo.
    const std::string& tokenizer_pre() const;
    const std::string& tokenizer_fallback() const;

    // text: any bytes. add_special: adds the begin token where the model wants one. parse_special:
    // special tokens written out in the text become their ids.
    Result<std::vector<std::int32_t>> tokenize(std::string_view text, bool add_special,
                                               bool parse_special) const;
    // The exact bytes. InvalidArgument for an id outside the vocabulary.
    Result<std::string> detokenize(std::span<const std::int32_t> tokens) const;
    // Unsupported: the file has no template. InvalidArgument: the template refuses the
    // conversation.
    Result<Prompt> apply_template(std::span<const ChatMessage> messages,
                                  const PromptOptions& options = {}) const;

private:
    struct Impl;
    explicit Vocabulary(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// ---- missing_parts: what this build lacks for a chat with a model that is not here --------------

// The facts about a model that somebody knows without having it.
struct ModelTraits {
    std::string arch;                // general.architecture
    std::vector<std::string> types;  // of its weights: "Q4_0"
    bool chat_template = true;       // the file has one
    // That template, or a shorter one that is made of the same parts of Jinja.
    std::string jinja;
};

struct MissingPart {
    enum class Kind {
        Architecture,
        WeightType,
        NoTemplate,  // the model has none: it continues text and does not chat
        Template,    // it cannot be read; prompts are written another way
    };
    Kind kind{};
    std::string name;  // of the architecture or the type; else empty

    bool operator==(const MissingPart&) const = default;
};

// Empty: as far as is known, it would chat. By the same tables as loading.
std::vector<MissingPart> missing_parts(const ModelTraits& traits);

// ---- logits, perplexity ----------------------------------------------------------------------

// Calls row(position, logits[n_vocab]) in order of position: for every position if `all`, else for
// the last. InvalidArgument: no tokens, or an id outside the vocabulary. ContextFull. Cancelled.
Result<void> logits(Engine& engine, std::span<const std::int32_t> tokens, bool all,
                    const std::function<Result<void>(int position, std::span<const float>)>& row,
                    const Cancellation* cancellation = nullptr);

struct PerplexityReport {
    double perplexity = 0;
    double standard_error = 0;  // of the perplexity, from the spread of the token losses
    double loss = 0;            // mean negative log likelihood, nats per token
    std::uint64_t tokens = 0;   // scored
    int windows = 0;
};

// Scores windows of `n_ctx` tokens that do not overlap. Every position is scored from the start of
// its window on; the last target of a window is the first token of the next. A window is one batch,
// or with `token_by_token` single tokens, as answers are computed. Only single tokens leave neurons
// out, so an engine that predicts always scores token by token.
Result<PerplexityReport> perplexity(Engine& engine, std::string_view text, int n_ctx,
                                    const std::function<void(int done, int windows)>& progress,
                                    const Cancellation& cancellation, bool token_by_token = false);

// ---- profile
// -------------------------------------------------------------------------------------

struct ProfileOptions {
    int n_ctx = 1024;              // tokens of a window; windows do not overlap
    std::uint64_t max_tokens = 0;  // of the text; 0: all
    bool add = false;              // to the profile that output_path holds already
    std::string output_path;
};

struct LayerFirings {
    int index = 0;
    double sparsity = 0;          // share of hidden values that were 0
    double hottest_20_share = 0;  // share of all firings that the most active fifth of the neurons
                                  // has
};

// Counts of the whole file, those of earlier runs included.
struct ProfileReport {
    std::string model_hash;
    std::uint64_t tokens = 0;
    std::vector<LayerFirings> layers;
};

// Runs the text through the model, counts which neurons fire, and writes the counts to output_path.
// After an error it writes nothing. Neurons are numbered as in the file that the model came in, or
// was packed from. InvalidArgument: no text, a window longer than the context, or (add) a profile
// of another model. BadFile, Unsupported (add): the file there is no profile. Cancelled.
Result<ProfileReport> profile(Engine& engine, std::string_view text, const ProfileOptions& options,
                              const std::function<void(int done, int windows)>& progress,
                              const Cancellation& cancellation);

// ---- calibrate: thresholds for the mode "approximate" ------------------------------------------

struct CalibrationOptions {
    int n_ctx = 1024;              // tokens of a window; windows do not overlap
    std::uint64_t max_tokens = 0;  // of the text; 0: all
    double sparsity = 0.4;         // share of inputs to leave out, from 0 to below 1
    std::string output_path;
};

struct CalibrationReport {
    struct Layer {
        int index = 0;
        double input_threshold = 0, hidden_threshold = 0;
        double input_below = 0, hidden_below = 0;  // shares of the text's values
    };
    std::string model_hash;
    std::uint64_t tokens = 0;
    std::vector<Layer> layers;
};

// Runs the text through the model and writes two thresholds for each layer to output_path: the
// wished share of the inputs of its feed-forward block lies below the one, the same share of its
// hidden values below the other. After an error it writes nothing. InvalidArgument: no text, a
// window longer than the context, no such sparsity, a model whose activation makes zeros by itself.
// Unsupported: types or a form of the weights that thresholds do not work on. Cancelled.
Result<CalibrationReport> calibrate(Engine& engine, std::string_view text,
                                    const CalibrationOptions& options,
                                    const std::function<void(int done, int windows)>& progress,
                                    const Cancellation& cancellation);

// ---- bench -------------------------------------------------------------------------------------

struct BenchOptions {
    int prefill_tokens = 512;  // 0: leave out
    int decode_tokens = 128;   // 0: leave out
    int depth_tokens = 0;      // already in the context when either begins
    int repetitions = 5;
    // Temperature 0.8. The seed is that of the warm-up run, which is not counted; each repetition
    // draws with the next one.
    SamplingOptions sampling = {.seed = 1};
};

struct Rates {
    int tokens = 0;
    std::vector<double> runs_per_s;
};

struct BenchReport {
    int depth_tokens = 0;
    Rates prefill, decode;
    std::vector<double> ttft_ms;     // one a repetition: prefill and the first sample
    std::vector<double> latency_ms;  // one a decoded token, all repetitions
    // The decoded tokens of all repetitions, without the warm-up.
    DecodeStatistics decoded;
    // Bytes read for one token, in the mean: weights, as DecodeStatistics counts them, and keys and
    // values.
    std::uint64_t ram_bytes_per_token = 0, vram_bytes_per_token = 0;
    // Means of the decoded tokens.
    struct Flash {
        double reads = 0;
        double bytes = 0;
        double hits = 0, misses = 0;  // neurons that were in RAM, and that were not
        double idle_share = 0;        // share of the time without a read in flight
    };
    Flash flash;
    double processor_ms_per_token = 0;  // of all cores together, also those that read
};

// The context that an engine needs for these tests. Precondition: no number is negative.
int bench_context(const BenchOptions& options);

// Runs one warm-up, then the repetitions. Prefill and decode each begin with exactly depth_tokens
// in the context. InvalidArgument: a negative number, or a context shorter than bench_context().
Result<BenchReport> bench(Engine& engine, const BenchOptions& options,
                          const Cancellation& cancellation);

// ---- bench while another thread moves the budget
// -------------------------------------------------

struct BudgetMoves {
    double seconds = 0;  // duration
    // Each move sets a random budget of RAM between these, in bytes.
    std::uint64_t least_bytes = 0, most_bytes = 0;
    std::uint64_t seed = 1;
    double every_s = 5;
};

struct MovedBudgetReport {
    // Memory that the process held, sampled every second; 0: the system does not say.
    struct Held {
        std::uint64_t median_bytes = 0, most_bytes = 0;
    };
    double seconds = 0;
    std::uint64_t answers = 0;  // begun
    std::uint64_t tokens = 0;
    // Between two tokens of an answer.
    double pause_p50_ms = 0, pause_p99_ms = 0, longest_pause_ms = 0;
    double longest_prompt_ms = 0;  // until an answer's first token
    std::uint64_t changes = 0;     // of the budget, also refused ones
    std::uint64_t refused = 0;
    std::string refusal;                            // the latest one's message
    std::uint64_t least_bytes = 0, most_bytes = 0;  // asked for
    std::uint64_t rss_at_start = 0, rss_at_end = 0;
    Held first_sixth, last_sixth;  // of the time
};

// Answers again and again, with prompts and tokens as `options` says, while the budget moves.
// InvalidArgument: as bench(), or least above most. Errors as bench().
Result<MovedBudgetReport> bench_moving_budget(Engine& engine, const BenchOptions& options,
                                              const BudgetMoves& moves,
                                              const Cancellation& cancellation);

// The most memory that this process ever held.
std::uint64_t peak_rss_bytes();

// ---- quantize ----------------------------------------------------------------------------------

struct QuantizeOptions {
    // "F32", "F16", "BF16", "Q8_0", "Q4_0": all matrices. "Q4_K_M", "Q5_K_M", "Q6_K": a mix, whose
    // delicate matrices have more bits, and whose small ones stay as they are. Exceptions follow:
    // in "Q4_K_M,attn_v=Q8_0,blk.0.=F16" tensors with that in their name get the other type; the
    // first match counts.
    std::string type;
    std::string embedding_type{};  // for token_embd and output; empty: as `type` has it
    std::string output_path;
    // An importance matrix of this model, as llama-imatrix writes it; empty: none.
    std::string importance_path{};
    int threads = 0;  // 0: all cores
};

struct QuantizeReport {
    std::uint64_t input_bytes = 0;
    std::uint64_t output_bytes = 0;
    bool shared_output = false;  // output.weight was equal to token_embd.weight and was left out
    std::vector<TypeSummary> types;               // of the output, most bytes first
    std::uint64_t quantised_before = 0;           // tensors that lose twice
    std::vector<std::string> without_importance;  // tensors that the matrix has no entry for
};

// Writes a temporary file beside the output and renames it, so a stop at any moment leaves no half
// file. Needs some MiB of memory, whatever the model. The bytes are the same for any number of
// threads. A model in several files becomes one. InvalidArgument (an option makes no sense, or the
// importance matrix has nothing for this model), Unsupported (a type that cannot be converted),
// BadFile (also Inf or NaN in a tensor, with its row; an importance matrix of another shape, or
// with a value that is negative or no number), NotFound, ReadFailed, DiskFull, WriteFailed,
// Cancelled.
Result<QuantizeReport> quantize(const std::string& input_path, const QuantizeOptions& options,
                                const std::function<void(double fraction)>& progress,
                                const Cancellation& cancellation);

// ---- plan --------------------------------------------------------------------------------------

// A GPU that the machine does not have: plan() shows what it would do with it.
struct AssumedGpu {
    std::uint64_t capacity_bytes = 0;
    double read_gb_per_s = 0;
    double sync_us = 0;  // cost for a layer of bringing both units' sums together
};

// Keeps speeds that plans measure, so that two plans of like weights say the same: the best of what
// was measured, and what was measured while other work took the processor only until there is
// better. Any thread, at once from several.
class SpeedMemory {
public:
    SpeedMemory();
    ~SpeedMemory();
    SpeedMemory(const SpeedMemory&) = delete;
    SpeedMemory& operator=(const SpeedMemory&) = delete;

    // For the library.
    struct Impl;
    Impl& impl() { return *impl_; }

private:
    std::unique_ptr<Impl> impl_;
};

struct PlanOptions {
    std::string model_path;
    std::optional<std::uint64_t> ram_bytes, vram_bytes;  // as in EngineOptions
    int threads = 0;
    int n_ctx = 0;
    // A profile beside the model. Empty: the one inside the model, else the one in cache_folder
    // that the model made of itself while it was used.
    std::string profile_path;
    // As in EngineOptions. Empty: "exact", where the model allows it.
    std::string mode, predictors_path, predictor_input, activation, thresholds_path, kv;
    std::string split;  // what a GPU gets: "auto" or empty, "neurons", "layers"
    // "forecast" or empty: places on the GPU the neurons that are forecast to be fastest there, as
    // loading does; "paper": those of PowerInfer's integer program (not with "layers").
    std::string solver;
    std::string gpu = "auto", cache_folder, program_path;  // as in EngineOptions
    std::optional<AssumedGpu> assume_gpu;                  // instead of the machine's
    // Used instead of measuring; fields that are 0 are measured.
    std::optional<MachineSpeeds> speeds;
    // The folder that the model will lie in, if model_path is only its header and the rest a hole,
    // which reads as no disk does. The speed of that folder's disk is measured. Empty: model_path
    // is the model.
    std::string disk_folder;
    // Memory that this process holds and gives back before it loads the model.
    std::uint64_t freed_ram_bytes = 0, freed_vram_bytes = 0;
    // Speeds of earlier plans; null: this plan measures for itself.
    std::shared_ptr<SpeedMemory> speed_memory;
};

// Tokens a second, forecast from measured bandwidth; unknown values are empty.
struct SpeedForecast {
    struct Range {
        double low = 0, mid = 0, high = 0;
    };
    std::optional<Range> decode_per_s;
    std::optional<double> prefill_per_s;
    std::optional<double> ttft_ms;
    double ram_read_gb_per_s = 0;  // the bandwidth behind the forecast; 0: could not be measured
    // Empty: no weights are read from disk.
    std::optional<double> disk_read_gb_per_s;
};

struct PlanReport {
    struct Bytes {
        std::uint64_t weights = 0;  // without predictors
        std::uint64_t predictors = 0;
        std::uint64_t kv = 0;
        std::uint64_t scratch = 0;

        std::uint64_t total() const { return weights + predictors + kv + scratch; }
    };
    struct Layer {
        int index = 0;
        std::string attention = "ram";  // or "vram"
        std::string kv = "ram";
        std::uint64_t ffn_vram_bytes = 0, ffn_ram_bytes = 0, ffn_flash_bytes = 0;
        int hot_neurons = 0;  // of its feed-forward block, in VRAM
        int n_experts = 0;    // of a mixture; 0: the layer is none
        int hot_experts = 0;  // of these, in VRAM
    };
    struct Solver {
        // "forecast" (the fastest neurons), "layers" (whole layers are faster, or were asked for),
        // "flash" (the neurons that spare the disk most, of a model larger than both memories);
        // with PlanOptions::solver "paper": "integer" or "greedy", or "forecast" if neither fits
        std::string chosen;
        // With "paper": expected firings per token of the neurons on the GPU. Else empty.
        std::optional<double> integer_value, greedy_value;
        double ms = 0;
        bool optimal = false;  // no placement is better by its own objective
    };
    std::string fits;  // "gpu" (all but the embeddings), "split", "ram"; "no": see reasons
    std::uint64_t ram_budget_bytes = 0, vram_budget_bytes = 0;
    Bytes ram, vram;
    std::uint64_t flash_weights_bytes = 0;
    std::vector<Layer> layers;     // empty when it does not fit
    std::string output = "ram";    // the output head: or "vram"
    std::optional<Solver> solver;  // empty: there was nothing to solve
    SpeedForecast forecast;
    std::optional<std::uint64_t> peak_ram_bytes, peak_vram_bytes;  // empty when it does not fit
    std::string gpu;                                               // its name; empty: none is used
    int n_ctx = 0;
    int threads = 0;
    std::string mode;              // "dense", "exact", "predicted", "approximate"
    bool has_profile = false;      // with enough tokens, else see reasons
    double ram_read_gb_per_s = 0;  // measured or assumed; 0: could not be measured
    // Other work took the processor while it was measured, so the forecast may be too low. Known
    // with a speed_memory only.
    bool busy = false;
    std::vector<std::string> reasons;
};

// Tells where all parts of the model would lie and how fast it would run on this machine, with the
// GPU that loading would use, at the speeds of that GPU's trial. Reads the model's header, not its
// weights, and measures the processor's memory and arithmetic (0.4 s). A sparse model is planned as
// `run` loads it, with counters for a profile of its own. Errors as for Engine::load(), but a model
// that does not fit is a result: fits is "no". BadFile, InvalidArgument: the profile is broken or
// of another model.
Result<PlanReport> plan(const PlanOptions& options);

// The reason for which loading would refuse a mode, if it would.
struct ModeReport {
    std::string mode;              // as in EngineOptions
    std::optional<Error> refused;  // empty: loading would accept it
};

// Reports on every mode, with the other options as they are (`options.mode` does not count). Reads
// the model's header, and as much of side files as loading does. An error holds for all modes;
// errors as for Engine::load().
Result<std::vector<ModeReport>> modes(const PlanOptions& options);

// The forecast that plan() would give of this engine for decoding with `positions` in the context,
// and for its prefill, to stand beside bench's measurement: of a prompt of so many tokens, 0 is one
// of whole batches, as plan() has it. Uses the speeds of the engine's GPU
// from its trial. The engine is destroyed first: what is measured then needs the memory that it
// has. Measures the processor's memory and arithmetic: 0.4 s and 256 MiB, so call it after
// peak_rss_bytes(). Where the engine reads weights from disk, that is measured, too, as plan() does
// it: half a second, unless it was measured before. Nothing is forecast where it cannot be.
Result<SpeedForecast> forecast(std::unique_ptr<Engine> engine, int positions,
                               int prompt_tokens = 0);

// ---- train-predictor ---------------------------------------------------------------------------

struct PredictorOptions {
    std::string output_path;
    // "trained": two layers with a ReLU between, fitted to the text. "low_rank": the gate itself,
    // as a matrix of small rank; a text only sets its thresholds.
    std::string kind = "trained";
    std::string input = "normed";  // or "residual": the predictors' input
    std::string type = "Q8_0";     // of their weights: "Q4_0", "Q8_0", "F16", "BF16", "F32"
    int first_layer = 0;
    int last_layer = -1;  // -1: the model's last
    int width = 0;        // a multiple of 32; 0: each layer's own, by sparsity, skew and trial
    // Sets thresholds: predicted neurons hold this share of what the firing neurons add to the
    // block's output (of their squared contributions), on text held back from training.
    double recall = 0.97;
    // A predictors file of this model. Its weights are kept, nothing is learnt, and the whole text
    // sets thresholds anew. Empty: predictors are learnt.
    std::string weights_path;
    std::uint64_t max_tokens = 0;  // of the text; 0: all
    int passes = 6;                // over the text's tokens, while training
    std::uint64_t seed = 1;
    std::uint64_t sample_bytes = std::uint64_t{2} << 30;  // most memory for training samples; one
                                                          // layer's are always held
    bool parse_special = true;  // special tokens written out in the text are tokens
};

// Outcome of one layer. Shares are from 0 to 1, measured on held-back tokens; all are 0 if no text
// was given.
struct PredictorLayerReport {
    int layer = 0;
    bool written = false;  // false: the layer runs exact, see `reason`
    std::string reason;
    bool resumed = false;  // finished in an earlier run
    int width = 0;
    float threshold = 0;
    double recall = 0;           // of the neurons that fired, the predicted share
    double weighted_recall = 0;  // the same by contribution: PredictorOptions::recall sets it
    double precision = 0;        // of the predicted neurons, the share that fired
    double predicted = 0;        // predicted share of all neurons
    double active = 0;           // share of all neurons that fired
    double skew = 0;             // share of all firings that the busiest fifth of the neurons has
    std::uint64_t predictor_bytes = 0;
    std::uint64_t gate_bytes = 0;  // bytes that exact mode reads to know which neurons fire
    double seconds = 0;
};

struct PredictorReport {
    std::vector<PredictorLayerReport> layers;
    std::uint64_t training_tokens = 0;
    std::uint64_t held_back_tokens = 0;
    std::uint64_t output_bytes = 0;
    double seconds = 0;
};

// what: "collecting" or "training"; layer: of the model; fraction: of the whole work, 0 to 1.
using PredictorProgress = std::function<void(std::string_view what, int layer, double fraction)>;

// Fits activation predictors for a model whose neurons rest and writes them as a side file. A
// folder OUTPUT.parts beside it keeps finished layers until the whole is done. A stopped run
// therefore continues when it is started again with the same model, text and options. An eighth of
// the text is held back: it sets thresholds and measures how good they are. A layer whose predictor
// would read as much as it saves is left out and runs exact. If that is true of all layers, nothing
// is written: Unsupported. The bytes are the same for any number of threads. InvalidArgument: an
// option makes no sense, or the text is too short to hold some of it back. Unsupported: the model's
// neurons never rest. Cancelled, and the errors of writing a file.
Result<PredictorReport> train_predictors(Engine& engine, std::string_view text,
                                         const PredictorOptions& options,
                                         const PredictorProgress& progress,
                                         const Cancellation& cancellation);
// ---- pack --------------------------------------------------------------------------------------

struct PackOptions {
    std::string output_path{};
    // Empty: the profile that the model made of itself, in cache_folder, if it has enough tokens;
    // else neurons stay in the file's order.
    std::string profile_path{};
    std::string cache_folder{};     // empty: nowhere
    std::string predictors_path{};  // empty: those inside the model, if there are any
    std::string predictor_input{};  // "normed", "residual"; empty: as the predictors' file says
    std::string activation{};       // "reglu", ...; empty: as the model's file has it
    std::string down_type{};        // "Q8_0", "Q4_0", ...; empty: the type that loses next to
                                    // nothing
    bool force = false;             // packs also a model whose neurons never fall silent
    // 2: rows in the layout that the processor computes with. 1: rows as in the model's file, for
    // versions of Hearth that do not know 2.
    std::uint32_t format = 2;
    // Stores gates also as a matrix of their own, so that a machine that holds half of the model
    // need not read all records to find the gates. Layers whose closed gates are not left out, or
    // that have no gates, get no such matrix. Format 1 has none: versions that need it do not know
    // them.
    bool gate_matrices = true;
    // Flushes the disk after so many bytes, which bounds the work that an interruption costs.
    std::uint64_t checkpoint_bytes = std::uint64_t{256} << 20;
};

// Progress of a packing. Every byte is written, then read back.
struct PackProgress {
    std::uint64_t written_bytes = 0;  // of the output, also by an earlier attempt
    std::uint64_t verified_bytes = 0;
    std::uint64_t output_bytes = 0;
};

// The outcome that a packing would have.
struct PackPreview {
    std::uint64_t input_bytes = 0;
    std::uint64_t output_bytes = 0;
    std::uint64_t kept_bytes = 0;  // of the output, from an earlier attempt with the same options
    bool by_hotness = false;       // there is a profile; else neurons stay in the file's order
    std::uint64_t profile_tokens = 0;
};

struct PackReport {
    struct DownType {
        std::string source;  // type in the model: "Q4_0"
        std::string stored;
    };
    std::string model_hash;
    std::uint64_t input_bytes = 0;
    std::uint64_t output_bytes = 0;
    std::uint64_t resumed_bytes = 0;   // of the output, from an earlier attempt
    std::uint64_t verified_bytes = 0;  // of tensors, read back and compared with the sources
    bool by_hotness = false;
    bool by_itself = false;  // by the profile that the model made of itself
    std::uint64_t profile_tokens = 0;
    std::vector<int> predictor_layers;
    std::vector<DownType> down_types;     // one a layer
    std::uint64_t gate_matrix_bytes = 0;  // of the output; 0: there are none
};

// Writes the model with a record for each neuron (engine/model/packed_layout.h), the profile and
// the predictors inside. Needs memory for the records of one layer. An attempt that was stopped,
// killed or failed continues when the same files and options are given again; its bytes wait in
// output_path.partial. An older file at output_path stays until all is written and verified.
// DiskFull (also before it starts), InvalidArgument (packed already, a profile or predictors of
// another model, a type or format that cannot be written), Unsupported (neurons that never fall
// silent, unless forced; experts), BadFile, ReadFailed (also, with the field "source": it changed
// meanwhile), WriteFailed (written bytes read back otherwise), OutOfMemory, Cancelled. progress:
// may be empty; called on the caller's thread, at least once in 4 MiB. cancellation: any thread may
// request it; heeded within some megabytes.
Result<PackReport> pack(const std::string& input_path, const PackOptions& options,
                        const std::function<void(const PackProgress&)>& progress,
                        const Cancellation& cancellation);

// Previews what pack() would make of the same arguments. Reads headers and two pages a tensor, and
// writes nothing. Errors as pack() has them, without those of writing.
Result<PackPreview> preview_pack(const std::string& input_path, const PackOptions& options);

// Removes the files that an unfinished attempt left beside output_path, but never output_path
// itself. No such file is no error. WriteFailed: another process is writing it, or it cannot be
// removed.
Result<void> discard_partial_pack(const std::string& output_path);

// ---- devices -----------------------------------------------------------------------------------

struct ThreadCount {
    int threads = 0;
    double speed = 0;  // arithmetic a second, relative to the first of the list
};

struct GpuReport {
    struct Heap {
        std::uint64_t bytes = 0;
        std::uint64_t available_bytes =
            0;  // to this process now; `bytes` if the driver does not say
        bool device_local = false;
    };
    // As measured in its trial; 0: unknown.
    struct Speeds {
        double read_gb_per_s = 0;    // shaders, from its own memory
        double to_gpu_gb_per_s = 0;  // copies, over the bus
        double from_gpu_gb_per_s = 0;
        double round_trip_us = 0;  // GPU signals processor, processor signals GPU
        double gflop_per_s = 0;    // shaders, products of many tokens
        double step_us = 0;        // a dispatch that waits for the one before, without its bytes
    };
    int index = 0;  // the value of EngineOptions::gpu; in the drivers' order
    std::string name;
    std::string kind;            // "discrete", "integrated", "virtual", "cpu", "other"
    std::string driver;          // "NVIDIA 580.159.04"
    std::string vulkan_version;  // "1.3.230"
    std::vector<Heap> heaps;
    std::uint64_t memory_bytes = 0;     // of the heap that would hold a model
    std::uint64_t available_bytes = 0;  // of the same heap
    bool shares_ram = false;
    bool integer_dot = false;         // multiplies packed bytes
    bool cooperative_matrix = false;  // has matrix units this version can use
    int subgroup_size = 0;            // 0: shaders may not use subgroups
    int subgroup_size_min = 0, subgroup_size_max = 0;
    // "ok": tried, its answers are right; "failed": tried, see reason; "skipped": this version
    // cannot compute on it; "unprobed".
    std::string status;
    bool chosen = false;  // "auto" takes it, as far as is known now
    std::string reason;   // why "auto" does not take it; empty: chosen
    std::string untried;  // why a trial that was asked for was not possible
    Speeds speeds;
};

// A disk, as measured on one of its files.
struct DiskReport {
    struct Random {
        std::uint64_t bytes = 0;  // of a read
        int depth = 0;            // reads in flight at once: the fastest number
        double per_s = 0;
    };
    std::string path;  // of the file
    bool direct = false;
    std::string why_not_direct;  // the figures are then 0
    std::uint64_t alignment_bytes = 0;
    double sequential_gb_per_s = 0;
    std::vector<Random> random;  // ascending
    // How the engine reads from it.
    int depth = 0;
    std::uint64_t largest_read_bytes = 0, merge_gap_bytes = 0;
};

struct DeviceReport {
    std::string cpu_name;
    std::vector<std::string> isa;  // kernel tables this processor can run
    std::string selected_isa;
    int physical_cores = 0;
    int logical_cores = 0;
    int performance_cores = 0;               // fast ones of the physical cores; all, if alike
    int threads = 0;                         // default for a large model, from the next line
    std::vector<ThreadCount> thread_speeds;  // measured by this call; ascending
    std::uint64_t ram_total_bytes = 0;
    std::uint64_t ram_available_bytes = 0;
    std::optional<std::uint64_t> ram_limit_bytes;  // a container's limit, if there is one
    double ram_read_gb_per_s = 0;                  // measured by this call
    std::vector<DiskReport> disks;                 // measured now or before
    std::vector<GpuReport> gpus;                   // in the order of the drivers
    std::string no_gpus;                           // why there are none
    std::string drivers_left_out;                  // which, and why; empty: none
};

struct DeviceOptions {
    // Tries every GPU anew, each in a process of its own that is killed after 5 s, and forgets
    // earlier outcomes. False: GPUs are listed with the outcomes of earlier trials. The disk of
    // disk_file is measured anew, too.
    bool probe = false;
    // A file whose disk is measured, if it was not before: takes 1.5 s. The file needs at least 16
    // MiB.
    std::string disk_file{};
    // The path of a program that prints list_gpus_here() when started with the arguments "probe-gpu
    // list", or probe_gpu_here(INDEX) with "probe-gpu INDEX", and ends. Front ends name themselves.
    // Empty: no driver is asked, and no GPU is listed.
    std::string program{};
    // Keeps outcomes, in a file for this machine's GPUs and this version; empty: nothing is kept.
    std::string cache_folder{};
};

// Takes about half a second: it measures. A process of its own asks the GPUs' drivers. No GPU, no
// loader and no driver, or one that crashes, are no errors. NotFound, NotAFile, PermissionDenied,
// ReadFailed, InvalidArgument (too small): disk_file.
Result<DeviceReport> devices(const DeviceOptions& options = {});

// Tries a GPU in this process: its driver may crash or hang. A process is started to do just this
// and ends after 30 s in any case. The text is for the process that started it; empty: out of
// memory.
std::string probe_gpu_here(int index);

// Asks the drivers for their devices, in this process. The text is for the process that started it;
// empty: out of memory.
std::string list_gpus_here();

}  // namespace hearth::tools
