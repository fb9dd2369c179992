// Tools that make files of models. For errors see hearth/tools.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/engine.h>
#include <hearth/result.h>
#include <hearth/tools/files.h>

namespace hearth::tools {

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

}  // namespace hearth::tools
