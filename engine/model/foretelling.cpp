#include "model/foretelling.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "gguf/rows.h"
#include "model/packed_layout.h"

namespace hearth {
namespace {

// The families whose layers do what the header says. Others join in another order, or take the
// stream before the norm.
constexpr std::array<std::string_view, 3> kFamilies{"qwen35", "qwen35moe", "qwen3next"};

struct Own {
    Role role;
    std::string_view name;
    std::uint64_t rows, cols;  // in n_embd; 0 rows: a vector
};
constexpr std::array kOwn{
    Own{ForetellingModel::kJoin, "nextn.eh_proj.weight", 1, 2},
    Own{ForetellingModel::kTokenNorm, "nextn.enorm.weight", 0, 1},
    Own{ForetellingModel::kStreamNorm, "nextn.hnorm.weight", 0, 1},
    Own{ForetellingModel::kNorm, "nextn.shared_head_norm.weight", 0, 1},
};

// Layers that have an embedding or a head of their own.
constexpr std::array<std::string_view, 2> kApart{"nextn.embed_tokens.weight",
                                                 "nextn.shared_head_head.weight"};

// A vector may be cut into rows of any length.
Result<Weight> bind_own(const GgufFile& file, const std::string& prefix, const Own& own,
                        std::uint64_t n_embd) {
    const std::string name = prefix + std::string(own.name);
    const TensorInfo* tensor = file.tensors().find(name);
    if (tensor == nullptr) {
        return Error{ErrorCode::BadFile, name + ": the file has no such tensor", {}, name};
    }
    const std::uint64_t rows = std::max<std::uint64_t>(1, own.rows * n_embd);
    const std::uint64_t cols = own.cols * n_embd;
    if (tensor->rows() != rows || tensor->cols() != cols) {
        return Error{ErrorCode::BadFile,
                     name + ": has " + std::to_string(tensor->rows()) + " rows of " +
                         std::to_string(tensor->cols()) + " values, must have " +
                         std::to_string(rows) + " of " + std::to_string(cols),
                     {},
                     name};
    }
    if (!is_computable(tensor->type)) {
        return Error{ErrorCode::Unsupported,
                     name + ": is of type " + std::string(dtype_info(tensor->type).name) +
                         ", which this version cannot compute with",
                     {},
                     name};
    }
    return whole(*tensor);
}

// Full attention whose past holds all positions.
bool is_plain_attention(const LayerSpec& layer) {
    const AttentionSpec& attention = layer.attention;
    return !layer.is_recurrent() && !layer.is_latent() && attention.window == 0 &&
           !attention.choice.present() && attention.has_own_past();
}

}  // namespace

FoundForetelling find_foretelling(const GgufFile& file, const ModelSpec& spec) {
    if (spec.n_left_out == 0 ||
        std::find(kFamilies.begin(), kFamilies.end(), spec.arch) == kFamilies.end()) {
        return {};
    }
    const auto left_out = [](std::string why) { return FoundForetelling{{}, std::move(why)}; };
    if (is_packed(file)) {
        return left_out("the file is packed");
    }
    const auto like = std::find_if(spec.layers.rbegin(), spec.layers.rend(), is_plain_attention);
    if (like == spec.layers.rend() || spec.mixes_streams() || spec.n_embd_layer > 0 ||
        spec.output_norm.kind != NormKind::Rms) {
        return left_out("the model has no layer of its kind");
    }
    const std::string prefix = "blk." + std::to_string(spec.n_blocks) + ".";
    for (const std::string_view name : kApart) {
        if (file.tensors().find(prefix + std::string(name)) != nullptr) {
            return left_out(prefix + std::string(name) + ": is not supported");
        }
    }
    ForetellingModel model{spec, {}};
    model.spec.layers.assign(1, *like);
    LayerSpec& layer = model.spec.layers.front();
    layer.attention_block = layer.feed_forward_block = spec.n_blocks;
    model.spec.n_blocks = 0;  // the blocks of the model are no concern of it
    model.spec.n_left_out += spec.n_blocks;
    auto bound = bind_tensors(file, model.spec);
    if (!bound) {
        return left_out(std::move(bound).error().message);
    }
    model.tensors = std::move(*bound);
    for (const RoleRow& row : model_roles()) {
        if (row.part != Part::Rope) {
            model.tensors[row.role] = {};
        }
    }
    for (const Own& own : kOwn) {
        auto weight = bind_own(file, prefix, own, static_cast<std::uint64_t>(spec.n_embd));
        if (!weight) {
            return left_out(std::move(weight).error().message);
        }
        model.tensors[own.role] = std::move(*weight);
    }
    model.spec.n_vocab = 0;
    return {std::move(model), {}};
}

}  // namespace hearth
