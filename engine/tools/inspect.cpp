// What a file holds, from its header; of the weights only samples are read, to see whether the
// output head repeats the embedding.
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <hearth/tools.h>

#include "base/guarded.h"
#include "gguf/reader.h"
#include "model/model_spec.h"
#include "model/packed_layout.h"
#include "model/predictor_file.h"
#include "model/tensor_names.h"
#include "model/weights.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace hearth::tools {
namespace {

constexpr std::uint64_t kArrayValuesShown = 16;

ArrayValue summary(const MetadataArray& array) {
    ArrayValue out;
    out.count = array.size();
    out.type = to_string(array.element);
    if (out.count > kArrayValuesShown) {
        return out;
    }
    for (const std::string& value : array.strings) {
        out.values.emplace_back(value);
    }
    for (const std::int64_t value : array.signed_values) {
        out.values.emplace_back(value);
    }
    for (const std::uint64_t value : array.unsigned_values) {
        if (array.element == MetadataType::Bool) {
            out.values.emplace_back(value != 0);
        } else {
            out.values.emplace_back(value);
        }
    }
    for (const double value : array.floating) {
        out.values.emplace_back(value);
    }
    for (const MetadataArray& value : array.nested) {
        out.values.emplace_back(std::make_shared<ArrayValue>(summary(value)));
    }
    return out;
}

InspectedValue shown(const hearth::MetadataValue& value) {
    if (const auto* array = std::get_if<MetadataArray>(&value.value)) {
        return std::make_shared<ArrayValue>(summary(*array));
    }
    if (const auto* b = std::get_if<bool>(&value.value)) {
        return *b;
    }
    if (const auto* u = std::get_if<std::uint64_t>(&value.value)) {
        return *u;
    }
    if (const auto* i = std::get_if<std::int64_t>(&value.value)) {
        return *i;
    }
    if (const auto* d = std::get_if<double>(&value.value)) {
        return *d;
    }
    return *std::get_if<std::string>(&value.value);
}

// A few dozen pages tell two different matrices apart; comparing gigabytes would not be "reads the
// header".
bool looks_tied(const GgufFile& file, const TensorInfo* embedding, const TensorInfo* output) {
    if (embedding == nullptr || output == nullptr || embedding->type != output->type ||
        embedding->shape != output->shape) {
        return false;
    }
    constexpr std::uint64_t kSamples = 32;
    std::array<std::byte, 4096> a{};
    std::array<std::byte, 4096> b{};
    for (std::uint64_t i = 0; i < kSamples; ++i) {
        const std::uint64_t at = embedding->bytes / kSamples * i;
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(a.size(), embedding->bytes - at));
        const auto of_a = std::span(a).first(count);
        const auto of_b = std::span(b).first(count);
        if (!file.file().read_at(embedding->offset + at, of_a) ||
            !file.file().read_at(output->offset + at, of_b) || a != b) {
            return false;
        }
    }
    return true;
}

// N of "blk.N.fc1.weight", -1 for any other name.
int predictor_layer(std::string_view name) {
    constexpr std::string_view kStart = "blk.";
    constexpr std::string_view kEnd = ".fc1.weight";
    if (!name.starts_with(kStart) || !name.ends_with(kEnd) ||
        name.size() <= kStart.size() + kEnd.size()) {
        return -1;
    }
    const std::string_view digits =
        name.substr(kStart.size(), name.size() - kStart.size() - kEnd.size());
    int layer = -1;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), layer);
    return error == std::errc() && stop == digits.data() + digits.size() ? layer : -1;
}

class Reporter {
public:
    explicit Reporter(const GgufFile& file) : file_(file), finder_(file) {}

    FileReport report() {
        FileReport out;
        out.path = file_.path();
        out.file_bytes = file_.file_bytes();
        out.container = file_.container() == Container::Pwri ? "PWRI" : "GGUF";
        out.format_version = file_.version();
        out.arch = text("general.architecture");
        arch_ = out.arch;
        describe_support(out);
        describe_dimensions(out);
        describe_tensors(out);
        out.tokenizer_model = text("tokenizer.ggml.model");
        out.tokenizer_pre = text("tokenizer.ggml.pre");
        out.tokenizer_fallback = Tokenizer::fallback_of(file_.metadata());
        out.chat_template = file_.metadata().contains("tokenizer.chat_template");
        if (const auto chat = ChatTemplate::create(file_.metadata()); chat) {
            out.chat = (*chat)->traits();
        } else if (out.supported) {
            out.no_chat = chat.error().message;
        }
        if (const auto threshold = file_.metadata().number("powerinfer.sparse_threshold")) {
            out.sparse_threshold = *threshold;
        }
        constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
        if (const auto tokens = file_.metadata().integer("hearth.profile.tokens", 0, kMost)) {
            out.profile_tokens = static_cast<std::uint64_t>(*tokens);
        }
        out.packed = is_packed(file_);
        out.packed_format = layout_ ? layout_->version : 0;
        out.gate_matrices = layout_ && has_gate_matrices(*layout_);
        for (const auto& [key, value] : file_.metadata().entries()) {
            out.metadata.emplace_back(key, shown(value));
        }
        return out;
    }

private:
    std::string text(std::string_view key) const {
        auto value = file_.metadata().string(key);
        return value ? *std::move(value) : std::string();
    }

    std::optional<std::uint64_t> number(std::string_view name) const {
        constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
        const auto value = file_.metadata().integer(arch_ + "." + std::string(name), 0, kMost);
        if (!value) {
            return std::nullopt;  // no such key, or one number a layer
        }
        return static_cast<std::uint64_t>(*value);
    }

    // Of one number a layer.
    std::optional<LayerNumbers> numbers_of_layers(std::string_view name) const {
        const MetadataValue* value = file_.metadata().find(arch_ + "." + std::string(name));
        if (value == nullptr || value->type != MetadataType::Array) {
            return std::nullopt;
        }
        const auto& array = std::get<MetadataArray>(value->value);
        std::vector<std::uint64_t> numbers = array.unsigned_values;
        for (const std::int64_t number : array.signed_values) {
            if (number < 0) {
                return std::nullopt;
            }
            numbers.push_back(static_cast<std::uint64_t>(number));
        }
        if (numbers.empty() || numbers.size() != array.size()) {
            return std::nullopt;
        }
        const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
        return LayerNumbers{*least, *most};
    }

    void describe_support(FileReport& out) {
        if (file_.tensors().entries().empty()) {
            out.reason = "holds a vocabulary and no weights";
        } else if (const auto spec = read_model_spec(file_); !spec) {
            out.reason = spec.error().message;
        } else {
            out.activation = to_string(spec->activation());
            spec_ = *spec;
            if (is_packed(file_)) {
                if (auto layout = read_packed_layout(file_, *spec)) {
                    layout_ = std::move(*layout);
                }
            }
            const auto tensors = bind_tensors(file_, *spec);
            out.supported = tensors.has_value();
            if (!tensors) {
                out.reason = tensors.error().message;
            }
        }
    }

    void describe_dimensions(FileReport& out) const {
        out.n_layer = number("block_count");
        out.n_embd = number("embedding_length");
        out.n_head = number("attention.head_count");
        out.n_head_kv = number("attention.head_count_kv");
        if (!out.n_head_kv && !file_.metadata().contains(arch_ + ".attention.head_count_kv")) {
            out.n_head_kv = out.n_head;
        }
        out.head_dim = number("attention.key_length");
        if (!out.head_dim && out.n_embd && out.n_head && *out.n_head > 0) {
            out.head_dim = *out.n_embd / *out.n_head;
        }
        out.n_ff = number("feed_forward_length");
        out.heads_of_layers = numbers_of_layers("attention.head_count");
        out.heads_kv_of_layers = numbers_of_layers("attention.head_count_kv");
        out.ff_of_layers = numbers_of_layers("feed_forward_length");
        out.n_ctx = number("context_length");
        out.expert_count = number("expert_count");
        out.expert_used = number("expert_used_count");
        const auto tokens = file_.metadata().array("tokenizer.ggml.tokens", MetadataType::String);
        const TensorInfo* embedding = finder_.find(Role::TokenEmbd).tensor;
        if (embedding != nullptr && embedding->shape.size() == 2) {
            out.n_vocab = embedding->rows();
        } else if (tokens) {
            out.n_vocab = (*tokens)->size();
        } else {
            out.n_vocab = number("vocab_size");
        }
    }

    void describe_tensors(FileReport& out) const {
        const TensorInfo* output = finder_.find(Role::Output).tensor;
        const bool tied = looks_tied(file_, finder_.find(Role::TokenEmbd).tensor, output);
        std::map<std::string_view, TypeSummary> types;
        std::set<int> predictors;
        for (const TensorInfo& tensor : file_.tensors().entries()) {
            const bool repeated = tied && &tensor == output;
            const bool beside = is_side_note(tensor, layout());
            for (const TensorContent& content : contents_of(tensor, layout())) {
                const std::string_view type = dtype_info(content.type).name;
                TypeSummary& sum = types[type];
                sum.type = type;
                ++sum.tensors;
                sum.bytes += content.bytes;
                out.params += repeated || beside ? 0 : content.values;
            }
            if (const int layer = predictor_layer(tensor.name); layer >= 0) {
                predictors.insert(layer);
            }
            out.tensors.push_back({.name = tensor.name,
                                   .shape = tensor.shape,
                                   .type = std::string(dtype_info(tensor.type).name),
                                   .offset = tensor.offset,
                                   .bytes = tensor.bytes});
        }
        for (auto& [name, sum] : types) {
            out.types.push_back(std::move(sum));
        }
        std::stable_sort(
            out.types.begin(), out.types.end(),
            [](const TypeSummary& a, const TypeSummary& b) { return a.bytes > b.bytes; });
        out.predictor_layers.assign(predictors.begin(), predictors.end());
        if (!predictors.empty()) {
            const auto input = predictor_input_of(file_);
            out.predictor_input = input && *input ? std::string(to_string(**input)) : std::string();
        }
    }

    const PackedLayout* layout() const { return layout_ ? &*layout_ : nullptr; }

    const GgufFile& file_;
    const TensorFinder finder_;
    std::string arch_;
    ModelSpec spec_;                      // as far as it could be read
    std::optional<PackedLayout> layout_;  // empty: not packed, or broken
};

}  // namespace

Result<FileReport> inspect(const std::string& path) {
    return guarded(path, [&]() -> Result<FileReport> {
        const auto file = GgufFile::open(path);
        if (!file) {
            return file.error();
        }
        return Reporter(*file).report();
    });
}

}  // namespace hearth::tools
