// Qwen3.8-Flash-Next, the experiment before Qwen 4: a mixture with the layers of Qwen3.5, whose
// delta nets have a sigmoid for a gate. Three things are new. The residual stream is several, which
// every block mixes. Attention chooses blocks of the past. One layer adds rows of a table that the
// latest tokens choose.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"
#include "model/architectures/delta_nets.h"

namespace hearth {
namespace {

constexpr std::int64_t kMostLayers = 4096;
constexpr std::int64_t kMostWidth = 1 << 20;
constexpr std::int64_t kMostStreams = 16;
constexpr std::int64_t kMostHeads = 4096;
constexpr std::int64_t kMostHeadDim = 1024;
constexpr std::int64_t kMostPositions = 1 << 27;
constexpr std::int64_t kMostTaps = 16;
constexpr std::int64_t kMostVocabulary = 1 << 24;
constexpr std::uint64_t kMostRows = std::numeric_limits<std::int32_t>::max();
constexpr int kRankStep = 32;  // a matrix has whole blocks

constexpr std::string_view kStreams = "hyper_connection.count";
constexpr std::string_view kRank = "hyper_connection.low_rank";
constexpr std::string_view kRatios = "attention.compress_ratios";
constexpr std::string_view kBudget = "attention.indexer.top_k";
constexpr std::string_view kTableLayers = "ple.layers";
constexpr std::string_view kHeadsEach = "ple.heads_per_ngram";
constexpr std::string_view kOffsets = "ple.head_offsets";
constexpr std::string_view kCounts = "ple.head_vocab_sizes";

void read_streams(Keys& keys, ModelSpec& spec) {
    spec.n_streams = keys.integer(kStreams, 2, kMostStreams);
    spec.stream_rank = keys.integer(kRank, 1, kMostWidth);
    if (spec.stream_rank % kRankStep != 0) {
        keys.unsupported(kRank, std::to_string(spec.stream_rank) + " is no multiple of " +
                                    std::to_string(kRankStep));
    }
    if (std::int64_t{spec.n_streams} * spec.n_embd > kMostWidth) {
        keys.bad(kStreams, std::to_string(spec.n_streams) + " streams of " +
                               std::to_string(spec.n_embd) + " values are too wide");
    }
}

// The choice of one layer that attends. ratio: positions of a block.
BlockChoiceSpec choice_of(Keys& keys, BlockChoiceSpec choice, int budget, int ratio, int layer) {
    const std::string name = "layer " + std::to_string(layer);
    if (ratio < 2) {
        keys.bad(kRatios, name + " attends to blocks of " + std::to_string(ratio) +
                              " positions, which must be 2 or more");
        return {};
    }
    if (budget % ratio != 0) {
        keys.bad(kBudget, std::to_string(budget) + " positions are no whole blocks of " +
                              std::to_string(ratio));
        return {};
    }
    choice.block = ratio;
    choice.n_chosen = budget / ratio;
    return choice;
}

// Attention sees all in a file that has no ratios.
void read_choices(Keys& keys, ModelSpec& spec) {
    constexpr std::string_view kDim = "attention.indexer.key_length";
    const BlockChoiceSpec usual{
        .n_head = keys.integer("attention.indexer.head_count", 1, kMostHeads),
        .dim = keys.integer(kDim, 2, kMostHeadDim)};
    const int budget = keys.integer(kBudget, 1, kMostPositions);
    const bool chooses = keys.has(kRatios);
    const std::vector<int> ratios =
        chooses ? keys.per_layer(kRatios, 0, kMostPositions, spec.n_blocks + spec.n_left_out)
                : std::vector<int>{};
    for (int i = 0; i < spec.n_layer() && !keys.failure(); ++i) {
        LayerSpec& layer = spec.layers[static_cast<std::size_t>(i)];
        if (layer.is_recurrent()) {
            continue;
        }
        layer.choice_unused = !chooses;
        if (!chooses) {
            continue;
        }
        layer.attention.choice =
            choice_of(keys, usual, budget, ratios[static_cast<std::size_t>(i)], i);
        if (layer.attention.rope.dim > usual.dim) {
            keys.bad(kDim, "rotating " + std::to_string(layer.attention.rope.dim) + " of " +
                               std::to_string(usual.dim) + " values is not possible");
        }
    }
}

// The first n numbers of an array that has as many at least, each from `least` to `most`.
std::vector<std::uint64_t> numbers(Keys& keys, std::string_view name, std::size_t n,
                                   std::uint64_t least, std::uint64_t most) {
    std::vector<std::uint64_t> found(n, least);
    const MetadataValue* value = keys.file().metadata().find(keys.key(name));
    if (value == nullptr || value->type != MetadataType::Array) {
        keys.bad(name, "is no array, " + std::to_string(n) + " integers are needed");
        return found;
    }
    const auto& array = std::get<MetadataArray>(value->value);
    std::vector<std::uint64_t> all = array.unsigned_values;
    for (const std::int64_t number : array.signed_values) {
        all.push_back(number < 0 ? std::numeric_limits<std::uint64_t>::max()
                                 : static_cast<std::uint64_t>(number));
    }
    if (all.size() < n) {
        keys.bad(name, "has " + std::to_string(all.size()) + " integers, " + std::to_string(n) +
                           " are needed");
        return found;
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (all[i] < least || all[i] > most) {
            keys.bad(name, "number " + std::to_string(i) + " is not from " + std::to_string(least) +
                               " to " + std::to_string(most));
            return found;
        }
        found[i] = all[i];
    }
    return found;
}

// The rows that the file's table has. Every head's are among them.
void check_rows(Keys& keys, NgramSpec& ngram) {
    const RoleTensor found = keys.tensor(Role::LayerTokenEmbd);
    if (found.tensor == nullptr) {
        keys.fail(ErrorCode::BadFile, found.name, found.name + ": the file has no such tensor");
        return;
    }
    ngram.n_rows = found.tensor->rows();
    if (ngram.n_rows > kMostRows) {
        keys.fail(ErrorCode::Unsupported, found.name,
                  found.name + ": " + std::to_string(ngram.n_rows) + " rows are more than " +
                      std::to_string(kMostRows));
        return;
    }
    for (std::size_t i = 0; i < ngram.offsets.size(); ++i) {
        if (const std::uint64_t end = ngram.offsets[i] + ngram.counts[i]; end > ngram.n_rows) {
            keys.fail(ErrorCode::BadFile, found.name,
                      found.name + ": has " + std::to_string(ngram.n_rows) + " rows, and head " +
                          std::to_string(i) + " of " + keys.key(kOffsets) + " and " +
                          keys.key(kCounts) + " reads up to row " + std::to_string(end - 1));
            return;
        }
    }
}

void read_ngrams(Keys& keys, ModelSpec& spec) {
    const MetadataValue* value = keys.file().metadata().find(keys.key(kTableLayers));
    if (value == nullptr) {
        return;
    }
    if (value->type != MetadataType::Array) {
        keys.bad(kTableLayers, "is no array");
        return;
    }
    const std::uint64_t n_layers = std::get<MetadataArray>(value->value).size();
    if (n_layers == 0) {
        return;
    }
    if (n_layers > 1) {
        keys.unsupported(kTableLayers, std::to_string(n_layers) +
                                           " layers read tables, and this version knows one");
        return;
    }
    const auto most_layer = static_cast<std::uint64_t>(spec.n_layer() - 1);
    const auto layer = static_cast<int>(numbers(keys, kTableLayers, 1, 0, most_layer).front());
    LayerSpec& reader = spec.layers[static_cast<std::size_t>(layer)];
    if (!reader.is_recurrent()) {
        keys.bad(kTableLayers, "layer " + std::to_string(layer) +
                                   " attends, and a delta net must read the table");
    }
    NgramSpec ngram;
    ngram.size = keys.integer("ple.ngram_size", 2, NgramSpec::kMostSize);
    ngram.n_heads_each = keys.integer(kHeadsEach, 1, NgramSpec::kMostHeads);
    ngram.width = keys.integer("embedding_length_per_layer_input", 1, kMostWidth);
    ngram.end_token = keys.integer("ple.eos_token_id", 0, kMostVocabulary);
    reader.ngram = {.kernel = keys.integer("ple.conv_kernel", 1, kMostTaps),
                    .step = ngram.size,
                    .width = spec.n_residual()};
    if (keys.failure()) {
        return;
    }
    if (ngram.n_heads() > NgramSpec::kMostHeads) {
        keys.bad(kHeadsEach, std::to_string(ngram.n_heads()) + " heads are more than " +
                                 std::to_string(NgramSpec::kMostHeads));
        return;
    }
    if (std::int64_t{ngram.n_heads()} * ngram.width > kMostWidth) {
        keys.bad(kHeadsEach, std::to_string(ngram.n_heads()) + " heads of " +
                                 std::to_string(ngram.width) + " values are too wide");
        return;
    }
    const auto n_heads = static_cast<std::size_t>(ngram.n_heads());
    ngram.multipliers = numbers(keys, "ple.layer_multipliers", static_cast<std::size_t>(ngram.size),
                                0, std::numeric_limits<std::int64_t>::max());
    ngram.offsets = numbers(keys, kOffsets, n_heads, 0, kMostRows);
    ngram.counts = numbers(keys, kCounts, n_heads, 1, kMostRows);
    check_rows(keys, ngram);
    spec.ngram = std::move(ngram);
}

void of_layer(Keys& keys, int block, LayerSpec& layer) {
    if (!is_delta_net(keys, block)) {
        layer.attention.head_norm = HeadNorm::Each;
        layer.attention.gated = true;
        return;
    }
    layer.delta_net = read_delta_net(keys);
    layer.delta_net.sigmoid_gate = true;
    layer.attention.rope = {.pairing = RopePairing::None};
}

Result<ModelSpec> read_qwen4_exp(Keys& keys, std::optional<Activation> stated) {
    auto spec = read_decoder(keys,
                             {.norm = NormKind::Rms,
                              .activation = Activation::SiluGated,
                              .rope = RopePairing::Halves,
                              .experts = {.shared = SharedExpert::Wide, .shared_gate = true},
                              .of_layer = of_layer},
                             stated);
    if (!spec) {
        return spec;
    }
    read_streams(keys, *spec);
    if (!keys.failure()) {
        read_choices(keys, *spec);
    }
    if (!keys.failure()) {
        read_ngrams(keys, *spec);
    }
    if (keys.failure()) {
        return *keys.failure();
    }
    return spec;
}

constexpr std::array kNames{
    TensorName{.name = "attn_qkv.weight", .roles = {Role::Q}, .where = kDeltaNetTensor},
    TensorName{.name = "attn_q.weight", .roles = {Role::Q}},
    TensorName{.name = "ssm_beta.weight", .roles = {Role::K}, .where = kDeltaNetTensor},
    TensorName{.name = "attn_k.weight", .roles = {Role::K}},
    TensorName{.name = "ssm_alpha.weight", .roles = {Role::V}, .where = kDeltaNetTensor},
    TensorName{.name = "attn_v.weight", .roles = {Role::V}},
    TensorName{.name = "ssm_out.weight", .roles = {Role::AttnOutput}, .where = kDeltaNetTensor},
    TensorName{.name = "attn_output.weight", .roles = {Role::AttnOutput}},
};

}  // namespace

extern constinit const Architecture kQwen4Exp{
    .name = "qwen4exp", .read = read_qwen4_exp, .names = kNames, .experts = true};

}  // namespace hearth
