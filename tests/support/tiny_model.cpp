#include "support/tiny_model.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <utility>

#include "gguf/rows.h"
#include "support/reference_model.h"

namespace hearth::test {
namespace {

// Planted models: the first values of an embedding are the token's bits, +-kBit, far above what
// layers add to them, and a row of gate or up looks at one of them.
constexpr int kBits = 8;
constexpr float kBit = 16;
constexpr float kOfBit = 0.2F;
constexpr float kOfOthers = 0.05F;  // of what they are otherwise

int gate_bit(int layer, int neuron) {
    return (neuron + layer) % kBits;
}
int up_bit(int layer, int neuron) {
    return (neuron / kBits + 3 * layer) % kBits;
}
bool has_bit(std::int32_t token, int bit) {
    return ((token >> bit) & 1) != 0;
}
void look_at(int bit, std::span<float> row) {
    for (float& value : row) {
        value *= kOfOthers;
    }
    row[static_cast<std::size_t>(bit)] = kOfBit;
}

// The characters byte-level BPE writes the 256 bytes with: printable Latin-1 as itself, the others
// from U+0100 on.
std::vector<std::string> byte_tokens() {
    std::vector<std::string> tokens;
    unsigned next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) {
        const bool itself =
            (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
        const unsigned code = itself ? byte : next++;
        std::string text;
        if (code < 0x80) {
            text += static_cast<char>(code);
        } else {
            text += static_cast<char>(0xC0 | (code >> 6));
            text += static_cast<char>(0x80 | (code & 0x3F));
        }
        tokens.push_back(text);
    }
    return tokens;
}

// The family as the options want it.
TestFamily family_of(const TinyModelOptions& options) {
    TestFamily family = test_family(options.arch);
    const auto set = [&](std::string_view key, int value) {
        for (auto& [name, number] : family.integers) {
            number = name == key ? value : number;
        }
    };
    if (family.latent_rank > 0 && options.rope_dim > 0) {
        family.latent_rotated = options.rope_dim;
    }
    if (family.latent_rank > 0 && options.head_dim > 0) {
        family.latent_values = options.head_dim;
    }
    if (family.others_head_dim > 0 && options.head_dim > 0) {
        family.others_head_dim = options.head_dim;
        set("attention.value_length", options.head_dim);
    }
    if (family.window_head_dim > 0 && options.window_head_dim > 0) {
        family.window_head_dim = options.window_head_dim;
        for (const char* key : {"attention.key_length_swa", "attention.value_length_swa",
                                "rope.dimension_count_swa"}) {
            set(key, options.window_head_dim);
        }
    }
    if (options.n_experts > 0) {
        family.n_experts = options.n_experts;
        family.n_used_experts = options.n_used_experts;
    }
    if (options.choice_budget > 0) {
        family.choice_budget = options.choice_budget;
    }
    family.n_leading = options.n_leading.value_or(family.n_leading);
    if (options.plain_layers) {
        family.n_embd_layer = 0;
        family.n_shared = 0;
        set("embedding_length_per_layer_input", 0);
    }
    return family;
}

}  // namespace

TinyModel::TinyModel(TinyModelOptions options, unsigned seed)
    : options_(std::move(options)), family_(family_of(options_)) {
    const auto size = [](int n) { return static_cast<std::uint64_t>(n); };
    const std::uint64_t n_embd = size(options_.n_embd);
    const DType type = options_.type;
    unsigned next = seed * 1000;
    const std::uint64_t n_rows = size(kVocab + options_.n_padding_rows);
    Plant bits;
    if (options_.planted) {
        bits = [](int token, std::span<float> row) {
            for (int bit = 0; bit < kBits; ++bit) {
                row[static_cast<std::size_t>(bit)] = has_bit(token, bit) ? kBit : -kBit;
            }
        };
    }
    add_tensor("token_embd.weight", {n_rows, n_embd}, 1.0F, 0, type, ++next, bits);
    if (family_.has_positions) {
        add_tensor("position_embd.weight", {size(options_.n_ctx + 2), n_embd}, 0.5F, 0, type,
                   ++next);
    }
    if (family_.n_embd_layer > 0) {
        const std::uint64_t n_inputs = size(family_.n_embd_layer * options_.n_layer);
        add_tensor("per_layer_token_embd.weight", {n_rows, n_inputs}, 0.3F, 0, type, ++next);
        add_tensor("per_layer_model_proj.weight", {n_inputs, n_embd}, 1.0F, 0, type, ++next);
        add_vector("per_layer_proj_norm.weight", size(family_.n_embd_layer), 1, next);
    }
    if (ngram_layer() >= 0) {
        add_ngram_table(next);
    }
    for (int i = 0; i < options_.n_layer; ++i) {
        const std::string prefix = "blk." + std::to_string(i) + ".";
        if (i == ngram_layer()) {
            add_ngrams(prefix, next);
        }
        if (has_attention(i)) {
            add_attention(i, prefix, next);
        }
        if (has_feed_forward(i)) {
            add_feed_forward(i, prefix, next);
        }
    }
    add_left_out(next);
    if (family_.n_streams > 0) {
        add_mix("output_hc", false, next);
    } else {
        add_norm("output_norm", next);
    }
    if (options_.rope_factors || family_.window_head_dim > 0) {
        add_tensor("rope_freqs.weight", {size(rope_dim() / 2)}, 0.1F, 2, DType::F32, ++next);
    }
    if (family_.longrope_context > 0) {
        add_tensor("rope_factors_long.weight", {size(rope_dim() / 2)}, 0.1F, 3, DType::F32, ++next);
        add_tensor("rope_factors_short.weight", {size(rope_dim() / 2)}, 0.1F, 1, DType::F32,
                   ++next);
    }
    if (!options_.tied) {
        add_tensor("output.weight", {n_rows, n_embd},
                   options_.output_scale / std::sqrt(static_cast<float>(n_embd)), 0,
                   options_.output_type.value_or(type), ++next);
    }
    // Last in the file, as PowerInfer's converter writes them.
    for (int i = 0; i < options_.n_layer && options_.predictor_width > 0; ++i) {
        const std::string prefix = "blk." + std::to_string(i) + ".";
        const std::uint64_t width =
            size(options_.predictor_width + i * options_.predictor_width / 2);
        add_matrix(prefix + "fc1.weight", width, n_embd, options_.predictor_type, next);
        add_matrix(prefix + "fc2.weight", size(sizes(i).n_ff), width, options_.predictor_type,
                   next);
    }
}

bool TinyModel::planted_fires(int layer, int neuron, std::int32_t token) {
    return has_bit(token, gate_bit(layer, neuron)) && has_bit(token, up_bit(layer, neuron));
}

bool TinyModel::planted_opens(int layer, int neuron, std::int32_t token) {
    return has_bit(token, gate_bit(layer, neuron));
}

// Layers that see a window stand before one that sees all.
bool TinyModel::sees_all(int layer) const {
    return family_.window_pattern > 0 &&
           layer % family_.window_pattern ==
               (family_.first_sees_all ? 0 : family_.window_pattern - 1);
}

// The first two layers keep what the last ones read.
int TinyModel::n_own() const {
    return std::max(options_.n_layer - family_.n_shared, std::min(options_.n_layer, 2));
}

int TinyModel::head_dim(int layer) const {
    return family_.window_head_dim == 0 ? head_dim()
           : sees_all(layer)            ? family_.others_head_dim
                                        : family_.window_head_dim;
}

// Mamba-2 and attention with a feed-forward block behind them and without.
char TinyModel::block_kind(int block) const {
    const std::string_view kinds = options_.n_layer < 3 ? "*-" : "M*-M-";
    return kinds[static_cast<std::size_t>(block) % kinds.size()];
}

bool TinyModel::has_attention(int layer) const {
    return !family_.lone_blocks || block_kind(layer) != '-';
}

bool TinyModel::has_feed_forward(int layer) const {
    return !family_.lone_blocks || block_kind(layer) == '-';
}

TinyLayer TinyModel::sizes(int layer) const {
    if (family_.lone_blocks) {
        return {options_.n_head, block_kind(layer) == '*' ? options_.n_head_kv : 0,
                block_kind(layer) == '-' ? options_.n_ff : 0};
    }
    if ((family_.gated_convs || family_.mambas) && options_.layers.empty()) {
        return {options_.n_head, is_recurrent(layer) ? 0 : options_.n_head_kv, options_.n_ff};
    }
    const bool has_sizes = static_cast<std::size_t>(layer) < options_.layers.size();
    if (family_.window_head_dim > 0 && options_.layers.empty()) {
        const bool wide = layer >= n_own();
        return {options_.n_head, sees_all(layer) ? family_.others_n_head_kv : options_.n_head_kv,
                wide ? 2 * options_.n_ff : options_.n_ff};
    }
    if (family_.mixture_step > 0 && !has_sizes) {
        return {options_.n_head, options_.n_head_kv, 2 * options_.n_ff};
    }
    return has_sizes ? options_.layers[static_cast<std::size_t>(layer)]
                     : TinyLayer{options_.n_head, options_.n_head_kv, options_.n_ff};
}

int TinyModel::head_dim() const {
    if (family_.others_head_dim > 0) {
        return family_.others_head_dim;
    }
    return options_.head_dim > 0 ? options_.head_dim : options_.n_embd / options_.n_head;
}

int TinyModel::rope_dim() const {
    return family_.latent_rank > 0 ? family_.latent_rotated
           : options_.rope_dim > 0 ? options_.rope_dim
                                   : static_cast<int>(head_dim() * family_.rotated_share);
}

void TinyModel::add_matrix(const std::string& name, std::uint64_t rows, std::uint64_t cols,
                           DType type, unsigned& next, const Plant& plant) {
    add_tensor(name, {rows, cols}, 1.0F / std::sqrt(static_cast<float>(cols)), 0, type, ++next,
               plant);
}

void TinyModel::add_vector(const std::string& name, std::uint64_t n, float mean, unsigned& next) {
    add_tensor(name, {n}, 0.1F, mean, options_.vector_type, ++next);
}

void TinyModel::add_norm(const std::string& name, unsigned& next) {
    add_vector(name + ".weight", static_cast<std::uint64_t>(options_.n_embd), 1, next);
    if (family_.layer_norm && family_.norm_biases) {
        add_vector(name + ".bias", static_cast<std::uint64_t>(options_.n_embd), 0, next);
    }
}

bool TinyModel::is_recurrent(int layer) const {
    if (family_.lone_blocks) {
        return block_kind(layer) == 'M';
    }
    return (family_.delta_nets || family_.gated_convs || family_.mambas) &&
           layer < options_.n_layer && (layer + 1) % options_.delta_net.interval != 0;
}

// In whole steps of 32, wider than heads.
int TinyModel::mamba_states() const {
    return (options_.delta_net.dim + 63) / 32 * 32;
}

void TinyModel::add_mamba(const std::string& prefix, unsigned& next) {
    const TinyDeltaNet& net = options_.delta_net;
    const auto n_embd = static_cast<std::uint64_t>(options_.n_embd);
    const auto heads = static_cast<std::uint64_t>(net.n_value_heads);
    const auto groups = static_cast<std::uint64_t>(net.n_key_heads);
    const std::uint64_t values = heads * static_cast<std::uint64_t>(net.dim);
    const std::uint64_t channels = values + 2 * groups * static_cast<std::uint64_t>(mamba_states());
    const DType type = options_.type;
    add_norm(prefix + "attn_norm", next);
    add_matrix(prefix + "ssm_in.weight", values + channels + heads, n_embd, type, next);
    add_tensor(prefix + "ssm_conv1d.weight",
               {channels, static_cast<std::uint64_t>(net.conv_kernel)}, 0.6F, 0, DType::F32,
               ++next);
    add_tensor(prefix + "ssm_conv1d.bias", {channels}, 0.3F, 0, DType::F32, ++next);
    add_tensor(prefix + "ssm_dt.bias", {heads}, 0.5F, 0, DType::F32, ++next);
    add_tensor(prefix + "ssm_a", {heads, 1}, 0.1F, -0.4F, DType::F32, ++next);
    add_tensor(prefix + "ssm_d", {heads, 1}, 0.5F, 1, DType::F32, ++next);
    add_tensor(prefix + "ssm_norm.weight", {groups, values / groups}, 0.1F, 1, DType::F32, ++next);
    add_matrix(prefix + "ssm_out.weight", n_embd, values, type, next);
}

void TinyModel::add_gated_conv(const std::string& prefix, unsigned& next) {
    const auto n_embd = static_cast<std::uint64_t>(options_.n_embd);
    add_norm(prefix + "attn_norm", next);
    add_matrix(prefix + "shortconv.in_proj.weight", 3 * n_embd, n_embd, options_.type, next);
    add_tensor(prefix + "shortconv.conv.weight",
               {n_embd, static_cast<std::uint64_t>(options_.delta_net.conv_kernel)}, 0.6F, 0,
               DType::F32, ++next);
    add_matrix(prefix + "shortconv.out_proj.weight", n_embd, n_embd, options_.type, next);
}

void TinyModel::add_delta_net(const std::string& prefix, unsigned& next) {
    const TinyDeltaNet& net = options_.delta_net;
    const auto n_embd = static_cast<std::uint64_t>(options_.n_embd);
    const auto heads = static_cast<std::uint64_t>(net.n_value_heads);
    const auto dim = static_cast<std::uint64_t>(net.dim);
    const std::uint64_t values = heads * dim;
    const std::uint64_t channels = 2 * static_cast<std::uint64_t>(net.n_key_heads) * dim + values;
    const DType type = options_.type;
    if (family_.input_norms) {
        add_norm(prefix + "attn_norm", next);
    }
    add_matrix(prefix + "attn_qkv.weight", channels, n_embd, type, next);
    add_matrix(prefix + "attn_gate.weight", values, n_embd, type, next);
    const std::uint64_t group = heads / static_cast<std::uint64_t>(net.n_key_heads);
    if (options_.fused_delta) {
        fuse_by_key_head(prefix + "ssm_in.weight", {dim, dim, group * dim}, {group * dim});
    }
    add_tensor(prefix + "ssm_conv1d.weight",
               {channels, static_cast<std::uint64_t>(net.conv_kernel)}, 0.6F, 0, DType::F32,
               ++next);
    add_tensor(prefix + "ssm_dt.bias", {heads}, 0.5F, 0, DType::F32, ++next);
    add_tensor(prefix + "ssm_a", {heads}, 0.1F, -0.4F, DType::F32, ++next);
    add_matrix(prefix + "ssm_beta.weight", heads, n_embd, type, next);
    add_matrix(prefix + "ssm_alpha.weight", heads, n_embd, type, next);
    if (family_.neighbours_share) {
        fuse_by_key_head(prefix + "ssm_ba.weight", {group}, {group});
    }
    add_vector(prefix + "ssm_norm.weight", dim, 1, next);
    add_matrix(prefix + "ssm_out.weight", n_embd, values, type, next);
}

// Nobody computes them, so what they hold does not matter.
void TinyModel::add_left_out(unsigned& next) {
    const auto n_embd = static_cast<std::uint64_t>(options_.n_embd);
    for (int i = 0; i < options_.n_left_out; ++i) {
        const std::string prefix = "blk." + std::to_string(options_.n_layer + i) + ".";
        add_attention(options_.n_layer + i, prefix, next);
        add_feed_forward(options_.n_layer + i, prefix, next);
        add_matrix(prefix + "nextn.eh_proj.weight", n_embd, 2 * n_embd, options_.type, next);
        if (family_.n_streams > 0) {
            add_vector(prefix + "nextn.enorm.weight", n_embd, 1, next);
            add_vector(prefix + "nextn.hnorm.weight",
                       n_embd * static_cast<std::uint64_t>(family_.n_streams), 1, next);
            add_mix(prefix + "nextn.hc_head", false, next);
            continue;
        }
        for (const char* norm : {"nextn.enorm", "nextn.hnorm", "nextn.shared_head_norm"}) {
            add_vector(prefix + norm + ".weight", n_embd, 1, next);
        }
    }
}

void TinyModel::add_mix(const std::string& name, bool injects, unsigned& next) {
    const auto n_streams = static_cast<std::uint64_t>(family_.n_streams);
    const auto rank = static_cast<std::uint64_t>(family_.stream_rank);
    const std::uint64_t width = n_streams * static_cast<std::uint64_t>(options_.n_embd);
    const DType type = options_.type;
    const bool whole = width % dtype_info(type).block_values == 0;
    const DType narrow = rank % dtype_info(type).block_values == 0 ? type : DType::Q8_0;
    // Files may have the norms of all streams in one row, or a row each.
    if (name.ends_with("ffn")) {
        add_tensor(name + "_norm.weight", {n_streams, width / n_streams}, 0.1F, 1, DType::F32,
                   ++next);
    } else {
        add_vector(name + "_norm.weight", width, 1, next);
    }
    const auto add = [&](const char* ending, std::uint64_t rows, std::uint64_t cols, DType of) {
        // Wide enough that gates are not all one half.
        add_tensor(name + ending, {rows, cols}, 3.0F / std::sqrt(static_cast<float>(cols)), 0, of,
                   ++next);
    };
    add("_down.weight", rank, width, whole ? type : DType::Q8_0);
    add("_up.weight", width, rank, narrow);
    if (injects) {
        add("_inject.weight", n_streams, width, whole ? type : DType::Q8_0);
    }
}

// The second delta net, if there are several.
int TinyModel::ngram_layer() const {
    int found = -1;
    for (int i = 0, n = 0; i < options_.n_layer && family_.ngram_size > 0; ++i) {
        if (is_recurrent(i) && n++ < 2) {
            found = i;
        }
    }
    return found;
}

std::vector<std::uint64_t> TinyModel::ngram_counts() const {
    std::vector<std::uint64_t> counts;
    for (int i = 0; i < (family_.ngram_size - 1) * family_.ngram_heads; ++i) {
        counts.push_back(61 + 6 * static_cast<std::uint64_t>(i));
    }
    return counts;
}

std::uint64_t TinyModel::ngram_width() const {
    return static_cast<std::uint64_t>(options_.n_embd) / ngram_counts().size();
}

// Behind the rows that are read stand some that are not.
void TinyModel::add_ngram_table(unsigned& next) {
    std::uint64_t n_rows = 5;
    for (const std::uint64_t count : ngram_counts()) {
        n_rows += count;
    }
    const std::uint64_t width = ngram_width();
    const bool whole = width % dtype_info(options_.type).block_values == 0;
    add_tensor("per_layer_token_embd.weight", {n_rows, width}, 1.0F, 0,
               whole ? options_.type : DType::Q8_0, ++next);
}

void TinyModel::add_ngrams(const std::string& prefix, unsigned& next) {
    const auto n_embd = static_cast<std::uint64_t>(options_.n_embd);
    const std::uint64_t width = n_embd * static_cast<std::uint64_t>(family_.n_streams);
    const std::uint64_t n_values = n_embd;
    const bool whole = n_values % dtype_info(options_.type).block_values == 0;
    const DType type = whole ? options_.type : DType::Q8_0;
    add_matrix(prefix + "ple_key.weight", width, n_values, type, next);
    add_matrix(prefix + "ple_value.weight", n_embd, n_values, type, next);
    for (const char* norm : {"ple_norm_key", "ple_norm_query", "ple_norm_conv"}) {
        add_vector(prefix + norm + ".weight", width, 1, next);
    }
    add_tensor(prefix + "ple_conv1d.weight",
               {width, static_cast<std::uint64_t>(family_.ngram_taps)}, 0.6F, 0, DType::F32,
               ++next);
}

void TinyModel::add_choice(const std::string& prefix, unsigned& next) {
    const auto n_embd = static_cast<std::uint64_t>(options_.n_embd);
    const auto dim = static_cast<std::uint64_t>(family_.choice_dim);
    const std::uint64_t queries = dim * static_cast<std::uint64_t>(family_.choice_heads);
    add_matrix(prefix + "indexer.q_proj.weight", queries, n_embd, options_.type, next);
    add_matrix(prefix + "indexer.k_proj.weight", dim, n_embd, options_.type, next);
    add_vector(prefix + "indexer.q_norm.weight", dim, 1, next);
    add_vector(prefix + "indexer.k_norm.weight", dim, 1, next);
}

void TinyModel::add_stream_keys(GgufBuilder& builder) const {
    const std::string a = options_.arch + ".";
    const auto number = [](int n) { return static_cast<std::uint32_t>(n); };
    builder.key(a + "hyper_connection.count", number(family_.n_streams))
        .key(a + "hyper_connection.low_rank", number(family_.stream_rank))
        .key(a + "attention.indexer.head_count", number(family_.choice_heads))
        .key(a + "attention.indexer.key_length", number(family_.choice_dim))
        .key(a + "attention.indexer.top_k", number(family_.choice_budget));
    std::vector<std::int32_t> ratios;
    for (int i = 0; i < options_.n_layer + options_.n_left_out; ++i) {
        ratios.push_back(is_recurrent(i) ? 0 : family_.choice_block);
    }
    builder.array(a + "attention.compress_ratios", ratios);
    if (ngram_layer() < 0) {
        return;
    }
    builder.array(a + "ple.layers", std::vector<std::int32_t>{ngram_layer()})
        .key(a + "ple.ngram_size", number(family_.ngram_size))
        .key(a + "ple.heads_per_ngram", number(family_.ngram_heads))
        .key(a + "ple.conv_kernel", number(family_.ngram_taps))
        .key(a + "ple.eos_token_id", std::uint32_t{2})
        .key(a + "embedding_length_per_layer_input", static_cast<std::uint32_t>(ngram_width()));
    std::vector<std::uint64_t> multipliers;
    for (int i = 0; i < family_.ngram_size; ++i) {
        multipliers.push_back(25214903917U + 1181783497276652981U * static_cast<unsigned>(i));
    }
    const std::vector<std::uint64_t> counts = ngram_counts();
    std::vector<std::uint64_t> offsets{0};
    for (const std::uint64_t count : counts) {
        offsets.push_back(offsets.back() + count);
    }
    offsets.pop_back();
    builder.array(a + "ple.layer_multipliers", multipliers)
        .array(a + "ple.head_offsets", offsets)
        .array(a + "ple.head_vocab_sizes", counts);
}

void TinyModel::add_latent(int layer, const std::string& prefix, unsigned& next) {
    const auto size = [](int n) { return static_cast<std::uint64_t>(n); };
    const std::uint64_t n_embd = size(options_.n_embd);
    const std::uint64_t n_head = size(sizes(layer).n_head);
    const std::uint64_t rank = size(family_.latent_rank);
    const std::uint64_t rotated = size(family_.latent_rotated);
    const std::uint64_t plain = size(family_.latent_plain);
    const std::uint64_t values = size(family_.latent_values);
    const DType type = options_.type;
    // Rows that are no whole blocks of the type are of another one, as in real files.
    const auto narrow = [&](std::uint64_t cols) {
        return cols % dtype_info(type).block_values == 0 ? type : DType::Q8_0;
    };
    const auto add_heads = [&](const char* name, std::uint64_t rows, std::uint64_t cols) {
        add_tensor(prefix + name, {n_head, rows, cols}, 1.5F / std::sqrt(static_cast<float>(cols)),
                   0, narrow(cols), ++next);
    };
    add_norm(prefix + "attn_norm", next);
    if (options_.whole_queries) {
        add_matrix(prefix + "attn_q.weight", n_head * (plain + rotated), n_embd, type, next);
    } else {
        const std::uint64_t q_rank = size(family_.latent_query_rank);
        add_matrix(prefix + "attn_q_a.weight", q_rank, n_embd, type, next);
        add_vector(prefix + "attn_q_a_norm.weight", q_rank, 1, next);
        add_matrix(prefix + "attn_q_b.weight", n_head * (plain + rotated), q_rank, narrow(q_rank),
                   next);
    }
    add_matrix(prefix + "attn_kv_a_mqa.weight", rank + rotated, n_embd, type, next);
    add_vector(prefix + "attn_kv_a_norm.weight", rank, 1, next);
    if (options_.fused_kv_b) {
        add_matrix(prefix + "attn_kv_b.weight", n_head * (plain + values), rank, narrow(rank),
                   next);
    } else {
        add_heads("attn_k_b.weight", rank, plain);
        add_heads("attn_v_b.weight", values, rank);
    }
    add_matrix(prefix + "attn_output.weight", n_embd, n_head * values, type, next);
}

void TinyModel::add_attention(int layer, const std::string& prefix, unsigned& next) {
    const auto n_embd = static_cast<std::uint64_t>(options_.n_embd);
    const auto n_q = static_cast<std::uint64_t>(head_dim(layer) * sizes(layer).n_head);
    const auto n_kv = static_cast<std::uint64_t>(head_dim(layer) * sizes(layer).n_head_kv);
    const bool own_past = layer < n_own() || layer >= options_.n_layer;
    const DType type = options_.type;
    if (family_.latent_rank > 0) {
        add_latent(layer, prefix, next);
        return;
    }
    if (family_.n_streams > 0) {
        add_mix(prefix + "hc_attn", true, next);
        add_mix(prefix + "hc_ffn", true, next);
    }
    if (is_recurrent(layer)) {
        family_.delta_nets    ? add_delta_net(prefix, next)
        : family_.gated_convs ? add_gated_conv(prefix, next)
                              : add_mamba(prefix, next);
        return;
    }
    if (family_.input_norms) {
        add_norm(prefix + "attn_norm", next);
    }
    if (options_.second_norm) {
        add_norm(prefix + "attn_norm_2", next);
    }
    if (family_.fused_qkv || options_.fused_qkv) {
        add_matrix(prefix + "attn_qkv.weight", n_q + 2 * n_kv, n_embd, type, next);
        if (family_.qkv_bias || (options_.fused_qkv && options_.qkv_bias)) {
            add_vector(prefix + "attn_qkv.bias", n_q + 2 * n_kv, 0, next);
        }
    } else {
        add_matrix(prefix + "attn_q.weight", (family_.gated_heads ? 2 : 1) * n_q, n_embd, type,
                   next);
        if (own_past) {
            add_matrix(prefix + "attn_k.weight", n_kv, n_embd, type, next);
        }
        if (own_past && !(family_.others_keys_are_values && sees_all(layer))) {
            add_matrix(prefix + "attn_v.weight", n_kv, n_embd, type, next);
        }
        if (options_.qkv_bias || family_.biases || family_.qkv_bias) {
            add_vector(prefix + "attn_q.bias", n_q, 0, next);
            add_vector(prefix + "attn_k.bias", n_kv, 0, next);
            add_vector(prefix + "attn_v.bias", n_kv, 0, next);
        }
    }
    if (options_.head_norm || family_.head_norm) {
        const auto width = static_cast<std::uint64_t>(head_dim(layer));
        // Normed heads as long as these, times one, would make attention that sees one position.
        add_vector(prefix + "attn_q_norm.weight", width, options_.window_head_dim > 0 ? 0.05F : 1,
                   next);
        if (own_past) {
            add_vector(prefix + "attn_k_norm.weight", width, 1, next);
        }
    }
    if (family_.choice_block > 0) {
        add_choice(prefix, next);
    }
    if (family_.whole_norm) {
        add_vector(prefix + "attn_q_norm.weight", n_q, 1, next);
        add_vector(prefix + "attn_k_norm.weight", n_kv, 1, next);
    }
    add_matrix(prefix + "attn_output.weight", n_embd, n_q, type, next);
    if (family_.biases || family_.output_bias || options_.block_biases) {
        add_vector(prefix + "attn_output.bias", n_embd, 0, next);
    }
    if (family_.sinks) {
        add_tensor(prefix + "attn_sinks.weight", {static_cast<std::uint64_t>(sizes(layer).n_head)},
                   1.0F, options_.sinks, DType::F32, ++next);
    }
    if (family_.post_norms) {
        add_norm(prefix + "post_attention_norm", next);
    }
}

void TinyModel::add_experts(const std::string& prefix, unsigned& next) {
    const auto n = static_cast<std::uint64_t>(family_.n_experts);
    const auto n_embd = static_cast<std::uint64_t>(options_.n_embd);
    const auto n_ff = static_cast<std::uint64_t>(options_.n_ff);
    const auto scale_of = [](std::uint64_t cols) {
        return 1.0F / std::sqrt(static_cast<float>(cols));
    };
    const DType type = options_.type;
    // The stream that a router beside a dense block reads is divided by the root of its width.
    const float router = options_.router_scale * (family_.dense_beside ? 1.0F : scale_of(n_embd));
    add_tensor(prefix + "ffn_gate_inp.weight", {n, n_embd}, router, 0, DType::F32, ++next);
    if (family_.router_bias) {
        add_tensor(prefix + "exp_probs_b.bias", {n}, 0.3F, 0, DType::F32, ++next);
    }
    if (family_.gated) {
        add_tensor(prefix + "ffn_gate_exps.weight", {n, n_ff, n_embd}, scale_of(n_embd), 0,
                   options_.gate_type.value_or(type), ++next);
    }
    const auto n_latent = static_cast<std::uint64_t>(options_.n_latent);
    const std::uint64_t n_in = n_latent > 0 ? n_latent : n_embd;
    if (n_latent > 0) {
        add_matrix(prefix + "ffn_latent_down.weight", n_latent, n_embd, type, next);
        add_matrix(prefix + "ffn_latent_up.weight", n_embd, n_latent, type, next);
    }
    add_tensor(prefix + "ffn_up_exps.weight", {n, n_ff, n_in}, scale_of(n_in), 0, type, ++next);
    if (options_.fused_gate_up) {
        fuse_experts(prefix + "ffn_gate_up_exps.weight");
    }
    add_tensor(prefix + "ffn_down_exps.weight", {n, n_in, n_ff}, scale_of(n_ff), 0, type, ++next);
    if (family_.expert_biases) {
        add_tensor(prefix + "ffn_gate_inp.bias", {n}, 1.0F, 0, DType::F32, ++next);
        // Some far from where the function is clamped, and some beyond.
        add_tensor(prefix + "ffn_gate_exps.bias", {n, n_ff}, 4.0F, 0, DType::F32, ++next);
        add_tensor(prefix + "ffn_up_exps.bias", {n, n_ff}, 4.0F, 0, DType::F32, ++next);
        add_tensor(prefix + "ffn_down_exps.bias", {n, n_embd}, 0.3F, 0, DType::F32, ++next);
    }
    if (family_.dense_beside) {
        add_vector(prefix + "ffn_gate_inp.scale", n_embd, 1, next);
        add_tensor(prefix + "ffn_down_exps.scale", {n}, 0.4F, 1, DType::F32, ++next);
        add_norm(prefix + "pre_ffw_norm_2", next);
        add_norm(prefix + "post_ffw_norm_1", next);
        add_norm(prefix + "post_ffw_norm_2", next);
    }
    if (family_.n_shared_experts == 0) {
        return;
    }
    const std::uint64_t width = n_ff * static_cast<std::uint64_t>(family_.n_shared_experts);
    if (family_.shared_gate) {
        add_tensor(prefix + "ffn_gate_inp_shexp.weight", {n_embd}, 2 * scale_of(n_embd), 0,
                   DType::F32, ++next);
    }
    if (family_.gated) {
        add_matrix(prefix + "ffn_gate_shexp.weight", width, n_embd, type, next);
    }
    add_matrix(prefix + "ffn_up_shexp.weight", width, n_embd, type, next);
    add_matrix(prefix + "ffn_down_shexp.weight", n_embd, width, type, next);
}

void TinyModel::add_feed_forward(int layer, const std::string& prefix, unsigned& next) {
    const auto n_embd = static_cast<std::uint64_t>(options_.n_embd);
    if (!family_.parallel && family_.input_norms) {
        add_norm(prefix + "ffn_norm", next);
    }
    const bool mixture = family_.n_experts > 0 && layer >= family_.n_leading &&
                         (family_.mixture_step == 0 || (layer + 1) % family_.mixture_step == 0);
    if (mixture) {
        add_experts(prefix, next);
    }
    if (!mixture || family_.dense_beside) {
        add_dense_block(layer, prefix, next);
    }
    if (family_.post_norms) {
        add_norm(prefix + "post_ffw_norm", next);
    }
    if (family_.n_embd_layer > 0) {
        const auto width = static_cast<std::uint64_t>(family_.n_embd_layer);
        add_matrix(prefix + "inp_gate.weight", width, n_embd, options_.type, next);
        add_matrix(prefix + "proj.weight", n_embd, width, options_.type, next);
        add_norm(prefix + "post_norm", next);
    }
    if (family_.layer_scale) {
        add_vector(prefix + "layer_output_scale.weight", 1, 0.6F, next);
    }
}

void TinyModel::add_dense_block(int layer, const std::string& prefix, unsigned& next) {
    Plant gate;
    Plant up;
    if (options_.planted) {
        gate = [layer](int neuron, auto row) { look_at(gate_bit(layer, neuron), row); };
        up = [layer](int neuron, auto row) { look_at(up_bit(layer, neuron), row); };
    }
    const auto n_embd = static_cast<std::uint64_t>(options_.n_embd);
    const auto n_ff = static_cast<std::uint64_t>(sizes(layer).n_ff);
    const DType type = options_.type;
    const bool gated = family_.gated;
    if (gated) {
        add_matrix(prefix + "ffn_gate.weight", n_ff, n_embd, options_.gate_type.value_or(type),
                   next, gate);
    }
    add_matrix(prefix + "ffn_up.weight", n_ff, n_embd, type, next, up);
    if (gated && (family_.fused_gate_up || (options_.fused_gate_up && family_.n_experts == 0))) {
        fuse_last_two(family_.name_of(prefix + "ffn_gate_up.weight"));
    }
    const std::string down = prefix + (options_.by_neuron ? "ffn_down_t" : "ffn_down");
    if (options_.by_neuron) {
        add_tensor(down + ".weight", {n_ff, n_embd}, 1.0F / std::sqrt(static_cast<float>(n_ff)), 0,
                   type, ++next);
    } else {
        add_matrix(down + ".weight", n_embd, n_ff, type, next);
    }
    if (family_.biases || (options_.block_biases && !gated)) {
        add_vector(prefix + "ffn_up.bias", n_ff, 0, next);
        add_vector(down + ".bias", n_embd, 0, next);
    }
}

void TinyModel::add_tensor(const std::string& name, std::vector<std::uint64_t> shape, float scale,
                           float mean, DType type, unsigned seed, const Plant& plant) {
    // Quantisers take another type where rows are no whole blocks.
    const auto whole = [&](DType of) { return shape.back() % dtype_info(of).block_values == 0; };
    type = whole(type) ? type : whole(DType::Q8_0) ? DType::Q8_0 : DType::F32;
    std::mt19937 random(seed);
    std::uint64_t count = 1;
    for (const std::uint64_t n : shape) {
        count *= n;
    }
    std::vector<float> values(count);
    for (float& value : values) {
        // Roughly normal, and the same on every platform.
        double sum = -6;
        for (int i = 0; i < 12; ++i) {
            sum += static_cast<double>(random()) * 0x1p-32;
        }
        value = mean + scale * static_cast<float>(sum);
    }
    Bytes bytes(row_bytes(type, shape.back()) * (count / shape.back()));
    const std::size_t cols = shape.back();
    for (std::size_t r = 0; r < count / cols; ++r) {
        std::byte* place = bytes.data() + r * row_bytes(type, cols);
        const std::span<float> row = std::span(values).subspan(r * cols, cols);
        if (plant) {
            plant(static_cast<int>(r), row);
        }
        quantize_row(type, row, place);
    }
    stored_.push_back({family_.name_of(name), std::move(shape), type, std::move(bytes)});
}

void TinyModel::fuse_last_two(const std::string& name) {
    const Stored last = std::move(stored_.back());
    stored_.pop_back();
    Stored& both = stored_.back();
    both.name = name;
    both.shape.front() += last.shape.front();
    both.bytes.insert(both.bytes.end(), last.bytes.begin(), last.bytes.end());
}

void TinyModel::fuse_by_key_head(const std::string& name,
                                 const std::vector<std::uint64_t>& first_rows,
                                 const std::vector<std::uint64_t>& second_rows) {
    const Stored second = std::move(stored_.back());
    stored_.pop_back();
    const Stored first = std::move(stored_.back());
    stored_.pop_back();
    const auto n_heads = static_cast<std::uint64_t>(options_.delta_net.n_key_heads);
    const std::uint64_t row_size = first.bytes.size() / first.shape.front();
    Bytes bytes;
    for (std::uint64_t head = 0; head < n_heads; ++head) {
        for (const auto& [tensor, parts] :
             {std::pair{&first, &first_rows}, {&second, &second_rows}}) {
            std::uint64_t begin = 0;  // of the part
            for (const std::uint64_t rows : *parts) {
                const auto from = tensor->bytes.begin() +
                                  static_cast<std::ptrdiff_t>((begin + head * rows) * row_size);
                bytes.insert(bytes.end(), from,
                             from + static_cast<std::ptrdiff_t>(rows * row_size));
                begin += n_heads * rows;
            }
        }
    }
    stored_.push_back({name,
                       {first.shape.front() + second.shape.front(), first.shape.back()},
                       first.type,
                       std::move(bytes)});
}

// The last two tensors are gates and ups of all experts.
void TinyModel::fuse_experts(const std::string& name) {
    const Stored ups = std::move(stored_.back());
    stored_.pop_back();
    Stored& both = stored_.back();
    both.name = name;
    both.shape[1] += ups.shape[1];
    const Bytes gates = std::move(both.bytes);
    both.bytes.clear();
    const std::size_t expert = gates.size() / both.shape.front();
    for (std::size_t at = 0; at < gates.size(); at += expert) {
        for (const Bytes* from : {&gates, &ups.bytes}) {
            const auto first = from->begin() + static_cast<std::ptrdiff_t>(at);
            both.bytes.insert(both.bytes.end(), first, first + static_cast<std::ptrdiff_t>(expert));
        }
    }
}

GgufBuilder TinyModel::file() const {
    GgufBuilder builder;
    const std::string a = options_.arch + ".";
    const auto number = [](int n) { return static_cast<std::uint32_t>(n); };
    builder.key("general.architecture", options_.arch)
        .key("general.name", "Tiny")
        .key(a + "context_length", number(options_.n_ctx))
        .key(a + "embedding_length", number(options_.n_embd))
        .key(a + "block_count", number(options_.n_layer + options_.n_left_out))
        .key(a + (family_.layer_norm ? "attention.layer_norm_epsilon"
                                     : "attention.layer_norm_rms_epsilon"),
             options_.norm_eps);
    const auto of_layers = [&](const std::string& key, int TinyLayer::*size) {
        const bool differs =
            (size == &TinyLayer::n_head_kv && (family_.gated_convs || family_.mambas)) ||
            (size == &TinyLayer::n_ff && family_.lone_blocks);
        if (options_.layers.empty() && family_.window_head_dim == 0 && !differs) {
            builder.key(a + key, number(sizes(0).*size));
            return;
        }
        std::vector<std::int32_t> all;
        const auto n_stated = static_cast<int>(options_.layers.size());
        for (int i = 0; i < (n_stated > 0 ? n_stated : options_.n_layer); ++i) {
            all.push_back(sizes(i).*size);
        }
        builder.array(a + key, all);
    };
    of_layers("feed_forward_length", &TinyLayer::n_ff);
    of_layers("attention.head_count", &TinyLayer::n_head);
    if (family_.latent_rank > 0) {
        builder.key(a + "attention.head_count_kv",
                    number(options_.fused_kv_b ? options_.n_head : 1));
    } else {
        of_layers("attention.head_count_kv", &TinyLayer::n_head_kv);
    }
    if (family_.rotates) {
        builder.key(a + "rope.dimension_count", number(rope_dim()))
            .key(a + "rope.freq_base", options_.rope_base);
    }
    if (family_.delta_nets) {
        builder.key(a + "full_attention_interval", number(options_.delta_net.interval));
    }
    if (family_.delta_nets || family_.mambas) {
        const TinyDeltaNet& net = options_.delta_net;
        builder.key(a + "ssm.conv_kernel", number(net.conv_kernel))
            .key(a + "ssm.state_size", number(family_.mambas ? mamba_states() : net.dim))
            .key(a + "ssm.group_count", number(net.n_key_heads))
            .key(a + "ssm.time_step_rank", number(net.n_value_heads))
            .key(a + "ssm.inner_size", number(net.n_value_heads * net.dim));
    }
    if (family_.gated_convs) {
        builder.key(a + "shortconv.l_cache", number(options_.delta_net.conv_kernel));
    }
    if (family_.n_experts > 0) {
        builder.key(a + "expert_count", number(family_.n_experts))
            .key(a + "expert_used_count", number(family_.n_used_experts))
            .key(a + "expert_feed_forward_length", number(options_.n_ff));
        if (options_.n_latent > 0) {
            builder.key(a + "moe_latent_size", number(options_.n_latent));
        }
        if (family_.n_leading > 0) {
            builder.key(a + "leading_dense_block_count", number(family_.n_leading));
        }
        if (family_.router != "softmax" && !family_.weighs_inputs) {
            builder.key(a + "expert_gating_func", number(family_.router == "sigmoid" ? 2 : 3));
        }
        if (family_.weight_scale != 1) {
            builder.key(a + "expert_weights_scale", static_cast<float>(family_.weight_scale))
                .key(a + "expert_weights_norm", family_.normed_weights);
        }
        if (family_.n_expert_groups > 1) {
            builder.key(a + "expert_group_count", number(family_.n_expert_groups))
                .key(a + "expert_group_used_count", number(family_.n_used_groups));
        }
        if (family_.counts_shared) {
            builder.key(a + "expert_shared_count", number(family_.n_shared_experts));
        } else if (family_.n_shared_experts > 0 && !family_.known_shared) {
            builder.key(a + "expert_shared_feed_forward_length",
                        number(options_.n_ff * family_.n_shared_experts));
        }
    }
    if (options_.n_left_out > 0) {
        builder.key(a + "nextn_predict_layers", number(options_.n_left_out));
    }
    if (family_.n_streams > 0) {
        add_stream_keys(builder);
    }
    if (family_.window_head_dim > 0) {
        std::vector<bool> windowed;
        for (int i = 0; i < options_.n_layer; ++i) {
            windowed.push_back(!sees_all(i));
        }
        builder.array(a + "attention.sliding_window_pattern", windowed)
            .key(a + "attention.shared_kv_layers", number(options_.n_layer - n_own()));
    }
    if (family_.latent_rank > 0) {
        const int keys = family_.latent_plain + family_.latent_rotated;
        const int rank = family_.latent_rank;
        const bool fused = options_.fused_kv_b;
        builder.key(a + "attention.kv_lora_rank", number(rank))
            .key(a + "attention.key_length", number(fused ? keys : rank + family_.latent_rotated))
            .key(a + "attention.value_length", number(fused ? family_.latent_values : rank));
        if (!fused) {
            builder.key(a + "attention.key_length_mla", number(keys))
                .key(a + "attention.value_length_mla", number(family_.latent_values));
        }
        if (!options_.whole_queries) {
            builder.key(a + "attention.q_lora_rank", number(family_.latent_query_rank));
        }
    } else if (options_.head_dim > 0 || family_.others_head_dim > 0) {
        builder.key(a + "attention.key_length", number(head_dim()));
    }
    if (!options_.activation.empty()) {
        builder.key("hearth.activation", options_.activation);
    }
    if (options_.embedding_scale != 1.0F) {
        builder.key("test.embedding_scale", options_.embedding_scale);
    }
    if (options_.relu_threshold) {
        builder.key("hearth.activation.threshold", *options_.relu_threshold);
    }
    for (const auto& [key, text] : family_.keys) {
        builder.key(a + key, text);
    }
    for (const auto& [key, value] : family_.numbers) {
        builder.key(a + key, value);
    }
    for (const auto& [key, value] : family_.integers) {
        builder.key(a + key, number(value));
    }
    for (const auto& [key, value] : family_.truths) {
        builder.key(a + key, value);
    }
    if (!family_.sections.empty()) {
        builder.array(a + "rope.dimension_sections", family_.sections);
    }
    if (options_.yarn_context > 0) {
        builder.key(a + "rope.scaling.type", std::string("yarn"))
            .key(a + "rope.scaling.factor", options_.rope_linear_factor)
            .key(a + "rope.scaling.original_context_length", number(options_.yarn_context));
        if (family_.latent_rank > 0) {
            builder.key(a + "rope.scaling.yarn_log_multiplier", 0.2F);
        }
    }
    if (options_.pwri) {
        builder.magic("PWRI");
    }
    if (options_.sparse_threshold) {
        builder.key("powerinfer.sparse_threshold", *options_.sparse_threshold);
    }
    if (options_.rope_linear_factor != 1.0F && options_.yarn_context == 0) {
        builder.key(a + "rope.scaling.type", "linear")
            .key(a + "rope.scaling.factor", options_.rope_linear_factor);
    }
    std::vector<std::string> tokens{"<|endoftext|>", "<|im_start|>", "<|im_end|>"};
    for (std::string& token : byte_tokens()) {
        tokens.push_back(std::move(token));
    }
    std::vector<std::int32_t> types(tokens.size(), 1);
    types[0] = types[1] = types[2] = 3;
    builder.key("tokenizer.ggml.model", "gpt2")
        .key("tokenizer.ggml.pre", "gpt-2")
        .array("tokenizer.ggml.tokens", tokens)
        .array("tokenizer.ggml.token_type", types)
        .array("tokenizer.ggml.merges", std::vector<std::string>{})
        .key("tokenizer.ggml.eos_token_id", std::uint32_t{2})
        .key("tokenizer.ggml.add_bos_token", false);
    for (const Stored& tensor : stored_) {
        builder.tensor(tensor.name, tensor.shape, tensor.type, tensor.bytes);
    }
    return builder;
}

std::vector<double> TinyModel::logits(const std::vector<std::int32_t>& tokens,
                                      bool predicted) const {
    const auto model = ReferenceModel::parse(file().bytes());
    ReferenceOptions options;
    options.predicted = predicted;
    return model ? model->logits(tokens, options) : std::vector<double>{};
}

}  // namespace hearth::test
