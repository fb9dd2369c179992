// Push constants, as GLSL and C++ alike read them: 32-bit members only.
#ifndef HEARTH_SHADER_PARAMS_H
#define HEARTH_SHADER_PARAMS_H

#ifdef __cplusplus
#include <cstdint>
namespace hearth::vulkan::params {
using uint = std::uint32_t;
#endif

// Where a matrix's parts lie in its buffer, in words of 32 bits from its beginning; see
// weights.glsl.
struct MatrixParams {
    uint rows;
    uint blocks;     // of 32 columns, in a row
    uint high_at;    // high bits
    uint scales_at;  // a row's scales begin at a whole word
    uint supers_at;  // scales of superblocks
};

struct GemvParams {
    MatrixParams matrix;
    uint y_at;      // where in y the first row goes
    uint has_bias;  // added: bias[y_at + row]
    uint relu;      // negative results become 0
    // For a matrix of heads:
    uint first_row;  // of all heads' rows, the matrix's first
    uint x_at;       // of the first head's input, a multiple of 4
    uint x_apart;    // from one head's to the next one's, likewise
    // For several tokens:
    uint n_tokens;
    uint y_stride;  // floats of y from one token to the next
};

struct JoinedGemvParams {
    MatrixParams matrix;
    uint y_at;
    uint has_bias;
    uint relu;
    float epsilon;  // of the norm
    float add_scale;
    uint stores;  // workgroup 0 leaves the stream
};

struct NeuronParams {
    MatrixParams
        matrix;       // rows: gate and up of one neuron side by side (GATES_BESIDE), or up alone
    uint first;       // where in h the first neuron goes
    uint n_neurons;   // of this matrix
    uint activation;  // ACTIVATION_*
    float gate_threshold;
    uint has_bias;         // of up
    uint has_mask;         // mask[first + i] says whether neuron i may fire
    float mask_threshold;  // it may where mask >= this
    uint first_place;      // of the matrix's experts, where neurons are experts'
    uint n_places;
};

struct JoinedNeuronParams {
    MatrixParams matrix;
    uint first;
    uint n_neurons;
    uint activation;
    float gate_threshold;
    uint has_bias;
    uint has_mask;
    float mask_threshold;
    float epsilon;  // of the norm
    float add_scale;
    uint stores;  // workgroup 0 leaves the stream
};

struct DownRowsParams {
    MatrixParams matrix;  // rows are neurons
    uint first;           // neuron of row 0 in h
    uint chunk;           // neurons of one chunk
    uint partial_at;      // in partial: chunk c of this matrix begins at partial_at + c * columns
};

struct ReduceParams {
    uint columns;
    uint parts;
    uint has_bias;
};

struct NormParams {
    uint columns;
    float epsilon;
    uint x_from;      // 1: x_in, what the processor wrote; 0: x
    float add_scale;  // of what is added
};

struct NormApartParams {
    uint columns;
    float epsilon;
    float add_scale;     // of what is added
    float router_scale;  // of what the router reads
};

struct NormJoinParams {
    uint columns;
    float epsilon;
};

#define QUANTIZE_HALVES 8  // values that a thread packs as halves; as bytes it takes 32
struct QuantizeParams {
    uint columns;  // of a row, a multiple of 32
    uint n_rows;
};

struct AttentionParams {
    uint n_head;
    uint n_head_kv;
    uint n_rows;  // of the past of one head
    uint n_tokens;
    float scale;
    float soft_cap;        // 0: none
    uint window;           // positions that a query sees; 0: all up to its own
    uint rope_pairs;       // 0: none
    uint rope_neighbours;  // 1: rotates (0, 1), (2, 3); 0: (0, d / 2), (1, d / 2 + 1)
    uint layer;            // whose past it is: past_at, STEP of interface.h
    float temperature;     // AttentionSpec::temperature
    uint temperature_length;
    float epsilon;  // of the norms of heads
};

struct HeadNormParams {
    uint n_head;
    uint n_head_kv;
    float epsilon;
};

struct LayerInputParams {
    uint width;   // values of a token for one layer
    uint stride;  // and for all of them
    uint first;   // where the layer's begin
    uint n_tokens;
};

struct PartGatesParams {
    uint n_values;  // of q
};

struct GateHeadsParams {
    uint n_head;
    float epsilon;
};

struct DeltaNetParams {
    uint n_key_heads;
    uint n_value_heads;
    uint n_tokens;
    float epsilon;
    uint layer;  // whose past it is, as in AttentionParams
    uint width;  // channels of a token, and where its queries, keys and values begin there
    uint q_at;
    uint k_at;
    uint v_at;
    uint group;  // neighbouring value heads that share a key head; 0: all n_key_heads apart do
};

struct StateSpaceConvParams {
    uint width;
    uint n_heads;
    uint layer;
};

struct GatedConvParams {
    uint width;
    uint n_tokens;
    uint layer;  // whose past it is, as in AttentionParams
};

struct RouteParams {
    MatrixParams matrix;  // of the router, where the shader multiplies with it
    uint n_embd;
    float scale;  // of weights
};

struct JoinedRouteParams {
    MatrixParams matrix;
    float scale;
    float epsilon;  // of the norm
    float add_scale;
    uint stores;  // workgroup 0 leaves the stream
};

struct SortExpertsParams {
    uint n_pairs;
    uint n_places;  // experts that the GPU has
};

// A run of a layout, in words.
struct ArrangedRun {
    uint at;
    uint row_words;
    uint period_words;
};

struct ArrangeTilesParams {
    ArrangedRun runs[4];  // quads, high, scales, supers
    uint n_words;         // of a period
    uint words_of_tile;   // of all its periods
    uint tile_words;      // of the processor's
    uint period_words;    // likewise
    uint n_rows;
    uint turn;  // of the tiles' rows among n_turns in the layout
    uint n_turns;
};

struct ExpertDownParams {
    MatrixParams matrix;
    uint n_rows;       // of one expert
    uint first_place;  // of the matrix's experts
    uint n_places;
    uint add;  // y += instead
};

struct AddExpertsParams {
    uint columns;  // a multiple of 4
    uint n_tokens;
    uint used;
    uint add;  // y += instead
};

struct GemmParams {
    MatrixParams matrix;
    uint n_tokens;
    uint x_stride;  // floats between tokens; of halves: the tokens that they were packed for
    uint x_at;      // the first column of x, a multiple of 4; 0 for bytes
    uint y_stride;
    uint y_at;
    uint has_bias;
    uint relu;
    uint add;  // transposed: y += instead
    // GROUPED:
    uint first_place;  // of the matrix's experts
    uint n_places;
    uint place_rows;  // of one expert
    uint used;        // experts of a token
    // GROUPED_HEADS, whose heads are places:
    uint x_apart;  // columns of x from one head to the next, a multiple of 4
};

struct ActivateParams {
    uint n_neurons;
    uint n_tokens;
    uint activation;
    float gate_threshold;
    uint gates;    // GATES_*
    uint weighed;  // WEIGHED_*
};

struct CandidatesParams {
    uint n_values;
};

#ifdef __cplusplus
static_assert(sizeof(NeuronParams) == 56 && sizeof(GemmParams) == 72);
}  // namespace hearth::vulkan::params
#endif

// The bit at which a move of arrange_tiles.comp says by how much a word is turned.
#define TILE_MOVE_TURN 16

// Words of the step's buffer before its table of pasts; see STEP of interface.h.
#define STEP_PAST_AT 3

// Where the products of neurons with their gates are.
#define GATES_NONE 0    // nowhere: the neurons have none
#define GATES_BESIDE 1  // rows of gates and ups take turns
#define GATES_APART 2   // gates are a matrix of their own

// Tokens of a product: as they come; sorted by expert, each the input of its pair's token; sorted
// by expert already; as they come, for each of the heads that a matrix is made of.
#define GROUPED_NOT 0
#define GROUPED_GATHER 1
#define GROUPED_SORTED 2
#define GROUPED_HEADS 3

// Hidden values are multiplied with nothing, with the weight of the token, or with that of the
// row's pair.
#define WEIGHED_NOT 0
#define WEIGHED_BY_TOKEN 1
#define WEIGHED_BY_PAIR 2

// The most experts of a mixture, of a token, and the most groups of experts.
#define MOST_EXPERTS 1024
#define MOST_USED_EXPERTS 64
#define MOST_EXPERT_GROUPS 64
// The place of an expert that the GPU does not have.
#define NOWHERE 0xFFFFFFFFu

// Groups into which a row of logits is dealt out, and the most workgroups that share them out:
// powers of two.
#define CANDIDATE_GROUPS 1024
#define CANDIDATE_PARTS_MAX 32

// hearth::RouterScores's order.
#define ROUTER_SOFTMAX 0
#define ROUTER_SIGMOID 1
#define ROUTER_SOFTMAX_OF_CHOSEN 2

// What becomes of the token that neurons.comp noted before this one: `counting` and `activity` in
// the step's buffer.
#define COUNTING_DROP 0   // it does not count
#define COUNTING_KEEP 1   // it does
#define COUNTING_BEGIN 2  // no token does so far

// hearth::Activation's order.
#define ACTIVATION_SILU_GATED 0
#define ACTIVATION_RELU_GATED 1
#define ACTIVATION_DRELU 2
#define ACTIVATION_RELU 3
#define ACTIVATION_RELU_SQUARED 4
#define ACTIVATION_GELU 5
#define ACTIVATION_GELU_GATED 6
#define ACTIVATION_SILU_CLAMPED 7
#define ACTIVATION_NONE 255  // up alone, not hearth::Activation's

#endif
