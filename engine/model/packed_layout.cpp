#include "model/packed_layout.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "gguf/encoding.h"
#include "gguf/printable.h"
#include "model/model_hash.h"
#include "model/stored_rows.h"

namespace hearth {
namespace {

constexpr std::string_view kVersionKey = "hearth.packed.version";

std::string shape_text(const std::vector<std::uint64_t>& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    }
    return text + "]";
}

class LayoutReader {
public:
    LayoutReader(const GgufFile& file, const ModelSpec& spec) : file_(file), spec_(spec) {}

    Result<PackedLayout> read() {
        if (auto fine = read_version(); !fine) {
            return std::move(fine).error();
        }
        auto hash = model_hash(file_);
        if (!hash) {
            return located(std::move(hash).error());
        }
        // Without the key it would be the packed file's own, which no side file was made for.
        if (!file_.metadata().contains("hearth.model_hash")) {
            return bad("hearth.model_hash", "the file does not have this metadata key");
        }
        layout_.model_hash = *std::move(hash);
        if (auto fits = need_feed_forward_blocks(spec_, "a packed file"); !fits) {
            return located(std::move(fits).error());
        }
        layout_.gated = is_gated(spec_.activation());
        layout_.layers.resize(static_cast<std::size_t>(spec_.n_layer()));
        if (auto fine = read_sizes(); !fine) {
            return located(std::move(fine).error());
        }
        if (auto fine = read_types(); !fine) {
            return located(std::move(fine).error());
        }
        for (std::size_t i = 0; i < layout_.layers.size(); ++i) {
            if (auto fine = read_layer(i); !fine) {
                return std::move(fine).error();
            }
        }
        return std::move(layout_);
    }

private:
    Error located(Error error) const {
        error.path = file_.path();
        return error;
    }
    Error bad(const std::string& field, const std::string& what) const {
        return Error{.code = ErrorCode::BadFile,
                     .message = field + ": " + what,
                     .path = file_.path(),
                     .field = field};
    }

    Result<void> read_version() {
        const auto version =
            file_.metadata().integer(kVersionKey, 1, std::numeric_limits<std::uint32_t>::max());
        if (!version) {
            return located(version.error());
        }
        if (*version > kPackedVersion) {
            return Error{.code = ErrorCode::Unsupported,
                         .message = std::string(kVersionKey) +
                                    ": the file was packed by a newer version of Hearth (format " +
                                    std::to_string(*version) + ", this one reads up to " +
                                    std::to_string(kPackedVersion) + ")",
                         .path = file_.path(),
                         .field = std::string(kVersionKey)};
        }
        layout_.version = static_cast<std::uint32_t>(*version);
        return {};
    }

    Result<void> read_sizes() {
        constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
        const std::string bytes_key = "hearth.packed.neuron_bytes";
        const auto neuron_bytes = file_.metadata().integer(bytes_key, 1, kMost);
        if (!neuron_bytes) {
            return neuron_bytes.error();
        }
        const std::string neurons_key = "hearth.packed.cluster_neurons";
        const auto cluster_neurons = file_.metadata().integer(neurons_key, 1, kMost);
        if (!cluster_neurons) {
            return cluster_neurons.error();
        }
        layout_.neuron_bytes = static_cast<std::uint64_t>(*neuron_bytes);
        layout_.cluster_neurons = static_cast<std::uint64_t>(*cluster_neurons);
        if (layout_.neuron_bytes % kPackedNeuronAlignment != 0) {
            return bad(bytes_key, "is " + std::to_string(*neuron_bytes) +
                                      ", must be a multiple of " +
                                      std::to_string(kPackedNeuronAlignment));
        }
        if (layout_.cluster_neurons != kPackedClusterNeurons) {
            return bad(neurons_key, "is " + std::to_string(*cluster_neurons) + ", must be " +
                                        std::to_string(kPackedClusterNeurons));
        }
        if (file_.alignment() % kPackedAlignment != 0) {
            return bad("general.alignment", "is " + std::to_string(file_.alignment()) +
                                                ", a packed file's must be a multiple of " +
                                                std::to_string(kPackedAlignment));
        }
        return {};
    }

    // One type a layer. `gate`: "" is no type but fits a block without a gate.
    Result<DType> type_in(const std::string& key, const std::string& name) const {
        const auto type = dtype_from_name(name);
        if (!type) {
            // Appended, since GCC 12 warns of "literal" + std::string (its bug 105651).
            return bad(key, std::string("\"").append(printable(name)) + "\" is no tensor type");
        }
        if (!is_computable(*type)) {
            return Error{
                .code = ErrorCode::Unsupported,
                .message = key + ": " + name + " is a type which this version cannot compute with",
                .path = file_.path(),
                .field = key};
        }
        if (!encoding_of(*type).has(Layout::NeuronRow)) {
            return Error{
                .code = ErrorCode::Unsupported,
                .message = key + ": rows of " + name + " cannot be computed neuron by neuron",
                .path = file_.path(),
                .field = key};
        }
        const std::uint32_t block = dtype_info(*type).block_values;
        if (static_cast<std::uint32_t>(spec_.n_embd) % block != 0) {
            return bad(key, "rows of " + std::to_string(spec_.n_embd) +
                                " values are no whole blocks of " + name);
        }
        return *type;
    }

    // One type a layer for each of a record's rows.
    Result<void> read_types() {
        constexpr std::array kKeys{"hearth.packed.gate_type", "hearth.packed.up_type",
                                   "hearth.packed.down_type"};
        for (std::size_t k = 0; k < kRecordRoles.size(); ++k) {
            if (auto fine = read_type_array(kKeys[k], kRecordRoles[k]); !fine) {
                return fine;
            }
        }
        return {};
    }

    Result<void> read_type_array(const std::string& key, Role role) {
        const auto array = file_.metadata().array(key, MetadataType::String);
        if (!array) {
            return array.error();
        }
        const auto& names = (*array)->strings;
        if (names.size() != layout_.layers.size()) {
            return bad(key, "has " + std::to_string(names.size()) + " types, the model has " +
                                std::to_string(layout_.layers.size()) + " layers");
        }
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (role == Role::Gate && !layout_.gated) {
                if (!names[i].empty()) {
                    return bad(key, "is \"" + printable(names[i]) +
                                        "\" though the model's blocks have no gate");
                }
                continue;
            }
            const auto type = type_in(key, names[i]);
            if (!type) {
                return type.error();
            }
            layout_.layers[i].rows[role].type = *type;
        }
        return {};
    }

    Result<const TensorInfo*> tensor(const std::string& name, DType type,
                                     const std::vector<std::uint64_t>& shape) const {
        const TensorInfo* found = file_.tensors().find(name);
        if (found == nullptr) {
            return bad(name, "the file has no such tensor");
        }
        if (found->type != type) {
            return bad(name, "is of type " + std::string(dtype_info(found->type).name) +
                                 ", must be " + std::string(dtype_info(type).name));
        }
        if (found->shape != shape) {
            return bad(
                name, "has shape " + shape_text(found->shape) + ", must have " + shape_text(shape));
        }
        return found;
    }

    Result<void> read_layer(std::size_t i) {
        PackedLayer& layer = layout_.layers[i];
        const auto n_embd = static_cast<std::uint64_t>(spec_.n_embd);
        const auto n_ff = static_cast<std::uint64_t>(spec_.layers[i].n_ff);
        std::uint64_t needed = 0;
        for (const Role role : record_roles(layout_.gated)) {
            Weight& rows = layer.rows[role];
            rows.rows = n_ff;
            rows.cols = n_embd;
            rows.offset = needed;
            rows.stride = layout_.neuron_bytes;
            rows.by_neuron = role == Role::Down;
            rows.in_neuron_rows = layout_.in_neuron_rows();
            needed += stored_row_bytes(rows.type, n_embd, rows.in_neuron_rows);
        }
        if (needed > layout_.neuron_bytes) {
            return bad("hearth.packed.neuron_bytes",
                       "is " + std::to_string(layout_.neuron_bytes) + ", a record of layer " +
                           std::to_string(i) + " takes " + std::to_string(needed));
        }
        const std::uint64_t clusters =
            (n_ff + layout_.cluster_neurons - 1) / layout_.cluster_neurons;
        const std::string prefix = "blk." + std::to_string(i) + ".";
        const auto neurons = tensor(prefix + "ffn_neurons.weight", DType::I8,
                                    {clusters * layout_.cluster_neurons, layout_.neuron_bytes});
        if (!neurons) {
            return neurons.error();
        }
        layer.neurons = *neurons;
        for (const Role role : record_roles(layout_.gated)) {
            layer.rows[role].tensor = layer.neurons;
        }
        const auto permutation = tensor(prefix + "ffn_permutation", DType::I32, {n_ff});
        if (!permutation) {
            return permutation.error();
        }
        layer.permutation = *permutation;
        return read_gates(prefix + "ffn_gate.weight", n_ff, layer);
    }

    // In a block without gates it is a tensor that nobody knows.
    Result<void> read_gates(const std::string& name, std::uint64_t n_ff, PackedLayer& layer) const {
        if (!layout_.gated || file_.tensors().find(name) == nullptr) {
            return {};
        }
        const auto gates = tensor(name, layer.rows[Role::Gate].type,
                                  {n_ff, static_cast<std::uint64_t>(spec_.n_embd)});
        if (!gates) {
            return gates.error();
        }
        layer.gates = *gates;
        return {};
    }

    const GgufFile& file_;
    const ModelSpec& spec_;
    PackedLayout layout_;
};

}  // namespace

std::span<const Role> record_roles(bool gated) {
    return std::span(kRecordRoles).subspan(gated ? 0 : 1);
}

std::uint64_t padded_neuron_bytes(std::uint64_t bytes, std::uint32_t version) {
    const auto up_to = [&](std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; };
    const std::uint64_t sectors = up_to(512);
    return version >= kPackedNeuronRowVersion && sectors - bytes <= bytes / 25
               ? sectors
               : up_to(kPackedNeuronAlignment);
}

bool is_packed(const GgufFile& file) {
    return file.metadata().contains(kVersionKey);
}

Result<PackedLayout> read_packed_layout(const GgufFile& file, const ModelSpec& spec) {
    return LayoutReader(file, spec).read();
}

std::vector<TensorContent> contents_of(const TensorInfo& tensor, const PackedLayout* layout) {
    if (layout != nullptr) {
        for (const PackedLayer& layer : layout->layers) {
            if (layer.neurons != &tensor) {
                continue;
            }
            std::vector<TensorContent> contents;
            for (const Role role : record_roles(layout->gated)) {
                const Weight& rows = layer.rows[role];
                contents.push_back({rows.type, rows.values(), rows.bytes()});
            }
            return contents;
        }
    }
    return {{tensor.type, tensor.values(), tensor.bytes}};
}

bool is_side_note(const TensorInfo& tensor, const PackedLayout* layout) {
    const auto has_it = [&](const PackedLayer& layer) { return layer.gates == &tensor; };
    return tensor.name.ends_with(".ffn_permutation") || tensor.name.ends_with(".ffn_fired") ||
           (layout != nullptr && std::any_of(layout->layers.begin(), layout->layers.end(), has_it));
}

bool has_gate_matrices(const PackedLayout& layout) {
    return std::any_of(layout.layers.begin(), layout.layers.end(),
                       [](const PackedLayer& layer) { return layer.gates != nullptr; });
}

Result<std::vector<std::int32_t>> read_permutation(const GgufFile& file, const PackedLayer& layer) {
    const TensorInfo& tensor = *layer.permutation;
    std::vector<std::int32_t> order(static_cast<std::size_t>(tensor.values()));
    if (auto read = file.read(tensor, 0, std::as_writable_bytes(std::span(order))); !read) {
        return std::move(read).error();
    }
    std::vector<bool> seen(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::int32_t neuron = order[i];
        if (neuron < 0 || static_cast<std::size_t>(neuron) >= order.size() ||
            seen[static_cast<std::size_t>(neuron)]) {
            return Error{.code = ErrorCode::BadFile,
                         .message = tensor.name + ": place " + std::to_string(i) +
                                    " holds neuron " + std::to_string(neuron) +
                                    ", which is outside of " + std::to_string(order.size()) +
                                    " or there already",
                         .path = file.path(),
                         .field = tensor.name};
        }
        seen[static_cast<std::size_t>(neuron)] = true;
    }
    return order;
}

Result<std::vector<std::vector<std::int32_t>>> read_neuron_order(const GgufFile& file,
                                                                 const PackedLayout& layout) {
    std::vector<std::vector<std::int32_t>> orders;
    for (const PackedLayer& layer : layout.layers) {
        auto order = read_permutation(file, layer);
        if (!order) {
            return std::move(order).error();
        }
        orders.push_back(*std::move(order));
    }
    return orders;
}

}  // namespace hearth
