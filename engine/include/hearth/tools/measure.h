// Tools that run a text or a test through a loaded model. For errors see hearth/tools.h.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/engine.h>
#include <hearth/result.h>

namespace hearth::tools {

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

// ---- profile ------------------------------------------------------------------------------------

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

// ---- bench while another thread moves the budget ------------------------------------------------

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

}  // namespace hearth::tools
