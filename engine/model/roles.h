// What a tensor is in its model or layer, whatever a file calls it. One row a role; binding,
// executors, uploads, costs and packing loop over the rows, so that a tensor cannot be forgotten in
// one of them.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/model_spec.h"

namespace hearth {

enum class Role : std::uint8_t {
    // Of the model.
    TokenEmbd,
    PositionEmbd,
    OutputNorm,
    OutputNormBias,
    Output,
    RopeFreqs,
    RopeLong,
    RopeShort,
    LayerTokenEmbd,
    LayerInputProj,
    LayerInputNorm,
    HeadMixNorm,
    HeadMixDown,
    HeadMixUp,
    // Of a layer.
    AttnNorm,
    AttnNormBias,
    AttnMixNorm,
    AttnMixDown,
    AttnMixUp,
    AttnMixInject,
    NgramKey,
    NgramValue,
    NgramKeyNorm,
    NgramQueryNorm,
    NgramConvNorm,
    NgramTaps,
    Q,
    K,
    V,
    QBias,
    KBias,
    VBias,
    QNorm,
    KNorm,
    Sinks,
    ChoiceQ,
    ChoiceK,
    ChoiceQNorm,
    ChoiceKNorm,
    QDown,
    QDownNorm,
    LatentNorm,
    KeyUp,
    ValueUp,
    AttnOutput,
    AttnOutputBias,
    DeltaGate,
    ConvTaps,
    ConvBias,
    DeltaDt,
    DeltaA,
    DeltaNorm,
    StateSkip,
    AttnPostNorm,
    FfnNorm,
    FfnNormBias,
    FfnMixNorm,
    FfnMixDown,
    FfnMixUp,
    FfnMixInject,
    Gate,
    Up,
    Down,
    UpBias,
    DownBias,
    Router,
    RouterBias,
    RouterProductBias,
    ExpertGateBias,
    ExpertUpBias,
    ExpertDownBias,
    ExpertLatentDown,
    ExpertLatentUp,
    SharedRouter,
    SharedGate,
    SharedUp,
    SharedDown,
    RouterNorm,
    ExpertsNorm,
    ExpertScale,
    SharedPostNorm,
    ExpertsPostNorm,
    FfnPostNorm,
    LayerGate,
    LayerProj,
    LayerPostNorm,
    LayerScale,
    PredictorFc1,
    PredictorFc2,
};
inline constexpr std::size_t kRoles = static_cast<std::size_t>(Role::PredictorFc2) + 1;

// One T a role.
template <class T>
struct ByRole {
    std::array<T, kRoles> all{};

    T& operator[](Role role) { return all[static_cast<std::size_t>(role)]; }
    const T& operator[](Role role) const { return all[static_cast<std::size_t>(role)]; }
};

class RoleSet {
public:
    void add(Role role) { bits_.set(static_cast<std::size_t>(role)); }
    bool has(Role role) const { return bits_.test(static_cast<std::size_t>(role)); }
    bool any() const { return bits_.any(); }
    bool operator==(const RoleSet&) const = default;

private:
    std::bitset<kRoles> bits_;
};

// A size that the spec knows.
enum class Dim : std::uint8_t {
    One,
    Embd,
    Query,       // n_head * head_dim, twice where attention is gated; a delta net's channels; b, c
                 // and x of a gated convolution
    KeyValue,    // n_head_kv * head_dim; a delta net's value heads; Mamba-2's heads
    Attended,    // n_head times the values of a head; a delta net's or Mamba-2's values; the
                 // channels of a gated convolution
    QueryInput,  // q_rank of latent attention that has one, else n_embd
    QueryRank,
    Latent,
    Latents,       // one for each head of queries
    PlainQuery,    // of a head
    ConvTaps,      // of all channels of a recurrent layer's convolution
    ConvChannels,  // of a recurrent layer's convolution
    DeltaHeads,    // of a delta net or of Mamba-2
    DeltaNormed,   // a head of values; all values of Mamba-2
    HeadDim,
    Heads,      // of queries
    QueryNorm,  // of HeadNorm: a head, or all of q
    KeyNorm,    // likewise of k
    Ff,         // of a mixture: of all experts, one expert's behind those of the other
    Experts,
    ExpertsEmbd,  // n_embd values of each expert
    SharedFf,
    ExpertLatent,  // ExpertsSpec::n_latent
    Vocab,
    Streams,        // n_streams
    Residual,       // n_residual()
    StreamRank,     // stream_rank
    TableRows,      // a row a token, or those that n-grams choose among
    TableCols,      // values for all layers, or of an n-gram's row
    NgramValues,    // of a token's rows
    NgramTaps,      // of all channels of the convolution behind them
    ChoiceQueries,  // of BlockChoiceSpec
    ChoiceDim,      // likewise, a head's and a key's
    Positions,
    RopePairs,       // of the layers whose rotation has factors
    LayerInput,      // n_embd_layer
    LayerInputs,     // of all layers
    PredictorWidth,  // of the file
};
// Precondition: dim is not PredictorWidth. layer: of the model's own roles, any.
std::uint64_t size_of(Dim dim, const ModelSpec& spec, const LayerSpec& layer);

// What a tensor belongs to, and so which unit holds it.
enum class Part : std::uint8_t {
    Embedding,    // the processor
    Table,        // nobody: the processor reads rows of the file for each token
    Rope,         // whoever computes attention
    Attention,    // the unit of the layer's attention
    BlockInput,   // the feed-forward block's norms: the GPU with attention, the processor if it has
                  // neurons of the layer
    Neurons,      // each unit those of its neurons; of a mixture, of its experts
    FirstNeuron,  // the unit of the layer's first neuron, which routes a mixture's tokens
    EachNeuron,   // every unit that has neurons of the layer, all of it
    Predictor,    // the GPU all of it; the processor fc1, and fc2's rows of its neurons
    Output,       // the unit of the output head
};

enum class Need : std::uint8_t {
    Required,
    Optional,
    Absent,  // such a model has none: a file that has it is refused
    Unused,  // a file may have it, and nothing is computed with it
};

struct RoleRow {
    Role role;
    std::string_view name;  // usually, in a file (tensor_names.h); of a layer: behind "blk.N."
    Dim rows, cols;         // One row: a vector
    Part part;
    Need (*need)(const ModelSpec& spec, const LayerSpec& layer);

    bool is_vector() const { return rows == Dim::One; }
};

// In the order of the enumerators.
std::span<const RoleRow> model_roles();
std::span<const RoleRow> layer_roles();
const RoleRow& row_of(Role role);
// The block of the file that holds a layer's tensor of this role.
int block_of(Role role, const LayerSpec& layer);
bool is_of_layer(Role role);

}  // namespace hearth
