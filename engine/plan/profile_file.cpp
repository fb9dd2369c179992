#include "plan/profile_file.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/assert.h"
#include "gguf/printable.h"
#include "gguf/writer.h"
#include "model/model_hash.h"

namespace hearth {
namespace {

constexpr std::string_view kArchitecture = "hearth-profile";
constexpr std::size_t kBatches = kProfileBatches.size();
// The most tokens of a profile in a file, where an I32 holds each count.
constexpr std::uint64_t kMostTokens = std::numeric_limits<std::int32_t>::max();

std::string tensor_name(std::size_t layer) {
    return "blk." + std::to_string(layer) + ".ffn_fired";
}

// Reads one profile and remembers its file, for messages.
class ProfileReader {
public:
    ProfileReader(const GgufFile& file, const ModelSpec& spec)
        : file_(file), spec_(spec), n_layer_(spec.layers.size()) {}

    Result<ActivationProfile> read(std::string_view wanted_hash) {
        if (auto fine = check_kind(); !fine) {
            return std::move(fine).error();
        }
        auto hash = model_hash(file_);
        if (!hash) {
            return located(std::move(hash).error());
        }
        if (!wanted_hash.empty()) {
            if (auto same =
                    check_model_hash(std::string(wanted_hash), *hash, "the profile", file_.path());
                !same) {
                return std::move(same).error();
            }
        }
        profile_.model_hash = *std::move(hash);
        if (auto fine = read_totals(); !fine) {
            return located(std::move(fine).error());
        }
        if (auto fine = check_layer_count(); !fine) {
            return std::move(fine).error();
        }
        profile_.layers.resize(n_layer_);
        for (std::size_t i = 0; i < n_layer_; ++i) {
            if (auto fine = read_layer(i); !fine) {
                return located(std::move(fine).error());
            }
        }
        return std::move(profile_);
    }

private:
    Error located(Error error) const {
        error.path = file_.path();
        return error;
    }
    Error bad(std::string field, const std::string& what) const {
        return Error{.code = ErrorCode::BadFile,
                     .message = field + ": " + what,
                     .path = file_.path(),
                     .field = std::move(field)};
    }

    Result<void> check_kind() const {
        const auto arch = file_.metadata().string("general.architecture");
        const bool side_file = arch && *arch == kArchitecture;
        if (!side_file && !holds_profile(file_)) {
            return bad("general.architecture",
                       "the file is no activation profile (architecture \"" +
                           (arch ? printable(*arch) : std::string()) + "\")");
        }
        if (!side_file) {
            return {};  // a packed model: read_packed_layout() has checked its version
        }
        const auto version = file_.metadata().integer("hearth.format_version", 1,
                                                      std::numeric_limits<std::uint32_t>::max());
        if (!version) {
            return located(version.error());
        }
        if (*version > kSideFileVersion) {
            return Error{.code = ErrorCode::Unsupported,
                         .message =
                             "hearth.format_version: the profile was made by a newer "
                             "version of Hearth (format " +
                             std::to_string(*version) + ", this one reads up to " +
                             std::to_string(kSideFileVersion) + ")",
                         .path = file_.path(),
                         .field = "hearth.format_version"};
        }
        return {};
    }

    Result<void> read_totals() {
        const Metadata& metadata = file_.metadata();
        const auto tokens =
            metadata.integer("hearth.profile.tokens", 0, static_cast<std::int64_t>(kMostTokens));
        if (!tokens) {
            return tokens.error();
        }
        profile_.tokens = static_cast<std::uint64_t>(*tokens);
        const auto batches = metadata.array("hearth.profile.batches", MetadataType::I32);
        if (!batches) {
            return batches.error();
        }
        const auto& found = (*batches)->signed_values;
        if (!std::equal(found.begin(), found.end(), kProfileBatches.begin(),
                        kProfileBatches.end())) {
            return bad("hearth.profile.batches", "are other batch sizes than 1, 2, 4, 8, 16, 32");
        }
        const auto groups = metadata.array("hearth.profile.groups", MetadataType::U64);
        if (!groups) {
            return groups.error();
        }
        const auto& counts = (*groups)->unsigned_values;
        if (counts.size() != kBatches) {
            return bad("hearth.profile.groups", "has " + std::to_string(counts.size()) +
                                                    " numbers, must have " +
                                                    std::to_string(kBatches));
        }
        for (std::size_t b = 0; b < kBatches; ++b) {
            const std::uint64_t most =
                profile_.tokens / static_cast<std::uint64_t>(kProfileBatches[b]);
            if (counts[b] > most || (b == 0 && counts[b] != profile_.tokens)) {
                return bad("hearth.profile.groups",
                           std::to_string(counts[b]) + " groups of " +
                               std::to_string(kProfileBatches[b]) + " tokens, but " +
                               std::to_string(profile_.tokens) + " tokens were seen");
            }
            profile_.groups[b] = counts[b];
        }
        return {};
    }

    // A profile with more layers belongs to another model.
    Result<void> check_layer_count() const {
        if (file_.tensors().find(tensor_name(n_layer_)) != nullptr) {
            return bad(tensor_name(n_layer_),
                       "the model has " + std::to_string(n_layer_) + " layers only");
        }
        return {};
    }

    Result<void> read_layer(std::size_t layer) {
        if (!spec_.layers[layer].has_feed_forward()) {
            return {};
        }
        const std::string name = tensor_name(layer);
        const TensorInfo* tensor = file_.tensors().find(name);
        if (tensor == nullptr) {
            return bad(name, "the file has no such tensor");
        }
        if (tensor->type != DType::I32) {
            return bad(
                name, "is of type " + std::string(dtype_info(tensor->type).name) + ", must be I32");
        }
        const auto n_ff = static_cast<std::size_t>(spec_.layers[layer].n_counted());
        if (tensor->shape != std::vector<std::uint64_t>{kBatches, n_ff}) {
            std::string shape;
            for (const std::uint64_t size : tensor->shape) {
                shape += (shape.empty() ? "" : ", ") + std::to_string(size);
            }
            return bad(name, "has shape [" + shape + "], must have [" + std::to_string(kBatches) +
                                 ", " + std::to_string(n_ff) + "]");
        }
        LayerProfile& out = profile_.layers[layer];
        for (std::size_t b = 0; b < kBatches; ++b) {
            out.fired[b].resize(n_ff);
            if (auto read = file_.read(*tensor, b * n_ff * sizeof(std::uint32_t),
                                       std::as_writable_bytes(std::span(out.fired[b])));
                !read) {
                return read;
            }
            if (auto fine = check_counts(name, out, b); !fine) {
                return fine;
            }
        }
        return {};
    }

    Result<void> check_counts(const std::string& name, const LayerProfile& layer,
                              std::size_t b) const {
        for (std::size_t n = 0; n < layer.fired[b].size(); ++n) {
            const std::uint32_t fired = layer.fired[b][n];
            // The counts are read as unsigned, so a negative number is above every limit too.
            if (fired > profile_.groups[b] || fired > layer.fired[0][n]) {
                return bad(name, "neuron " + std::to_string(n) + " fired in " +
                                     std::to_string(static_cast<std::int32_t>(fired)) + " of " +
                                     std::to_string(profile_.groups[b]) + " groups of " +
                                     std::to_string(kProfileBatches[b]) + " tokens, and for " +
                                     std::to_string(static_cast<std::int32_t>(layer.fired[0][n])) +
                                     " single tokens");
            }
        }
        return {};
    }

    const GgufFile& file_;
    const ModelSpec& spec_;
    const std::size_t n_layer_;
    ActivationProfile profile_;
};

template <class Place>
void reorder(ActivationProfile& profile, const NeuronOrder& order, Place place) {
    HEARTH_ASSERT(order.size() == profile.layers.size());
    std::vector<std::uint32_t> moved;
    for (std::size_t l = 0; l < order.size(); ++l) {
        for (auto& fired : profile.layers[l].fired) {
            HEARTH_ASSERT(fired.size() == order[l].size());
            moved.resize(fired.size());
            for (std::size_t i = 0; i < fired.size(); ++i) {
                place(moved, fired, i, static_cast<std::size_t>(order[l][i]));
            }
            fired.swap(moved);
        }
    }
}

}  // namespace

bool holds_profile(const GgufFile& file) {
    return file.metadata().contains("hearth.profile.tokens");
}

Result<ActivationProfile> read_profile(const GgufFile& file, const ModelSpec& spec,
                                       std::string_view model_hash) {
    return ProfileReader(file, spec).read(model_hash);
}

void add_profile_keys(Metadata& metadata, const ActivationProfile& profile) {
    MetadataArray batches;
    batches.element = MetadataType::I32;
    batches.signed_values.assign(kProfileBatches.begin(), kProfileBatches.end());
    MetadataArray groups;
    groups.element = MetadataType::U64;
    groups.unsigned_values.assign(profile.groups.begin(), profile.groups.end());
    metadata.add("hearth.profile.tokens", {MetadataType::U64, profile.tokens});
    metadata.add("hearth.profile.batches", {MetadataType::Array, std::move(batches)});
    metadata.add("hearth.profile.groups", {MetadataType::Array, std::move(groups)});
}

std::vector<TensorInfo> profile_tensors(const ActivationProfile& profile) {
    std::vector<TensorInfo> tensors;
    for (std::size_t i = 0; i < profile.layers.size(); ++i) {
        if (profile.layers[i].fired[0].empty()) {  // no tensor is empty
            continue;
        }
        TensorInfo tensor;
        tensor.name = tensor_name(i);
        tensor.shape = {kBatches, profile.layers[i].fired[0].size()};
        tensor.type = DType::I32;
        tensors.push_back(std::move(tensor));
    }
    return tensors;
}

std::vector<std::byte> profile_tensor_bytes(const LayerProfile& layer) {
    std::vector<std::byte> bytes;
    for (const auto& fired : layer.fired) {
        const auto from = std::as_bytes(std::span(fired));
        bytes.insert(bytes.end(), from.begin(), from.end());
    }
    return bytes;
}

Result<void> write_profile(const std::string& path, ActivationProfile profile) {
    while (profile.tokens > kMostTokens) {
        halve(profile);
    }
    Metadata metadata;
    metadata.add("general.architecture", {MetadataType::String, std::string(kArchitecture)});
    metadata.add("hearth.format_version", {MetadataType::U32, std::uint64_t{kSideFileVersion}});
    metadata.add("hearth.model_hash", {MetadataType::String, profile.model_hash});
    add_profile_keys(metadata, profile);
    auto writer = GgufWriter::create(path, metadata, profile_tensors(profile));
    if (!writer) {
        return std::move(writer).error();
    }
    for (const LayerProfile& layer : profile.layers) {
        if (layer.fired[0].empty()) {
            continue;
        }
        if (auto written = writer->write(profile_tensor_bytes(layer)); !written) {
            return written;
        }
    }
    return writer->finish();
}

void halve(ActivationProfile& profile) {
    profile.tokens /= 2;
    for (std::uint64_t& groups : profile.groups) {
        groups /= 2;
    }
    for (LayerProfile& layer : profile.layers) {
        for (auto& fired : layer.fired) {
            for (std::uint32_t& count : fired) {
                count /= 2;
            }
        }
    }
}

void merge(ActivationProfile& profile, const ActivationProfile& other) {
    HEARTH_ASSERT(profile.layers.size() == other.layers.size());
    profile.tokens += other.tokens;
    for (std::size_t b = 0; b < kBatches; ++b) {
        profile.groups[b] += other.groups[b];
    }
    for (std::size_t l = 0; l < profile.layers.size(); ++l) {
        for (std::size_t b = 0; b < kBatches; ++b) {
            auto& to = profile.layers[l].fired[b];
            const auto& from = other.layers[l].fired[b];
            HEARTH_ASSERT(to.size() == from.size());
            for (std::size_t n = 0; n < to.size(); ++n) {
                // The sum fits: a profile from a file holds at most 2^31 - 1 tokens, and counting
                // stops there.
                to[n] += from[n];
            }
        }
    }
}

void to_order(ActivationProfile& profile, const NeuronOrder& order) {
    reorder(profile, order, [](auto& moved, const auto& fired, std::size_t i, std::size_t neuron) {
        moved[i] = fired[neuron];
    });
}

void from_order(ActivationProfile& profile, const NeuronOrder& order) {
    reorder(profile, order, [](auto& moved, const auto& fired, std::size_t i, std::size_t neuron) {
        moved[neuron] = fired[i];
    });
}

}  // namespace hearth
