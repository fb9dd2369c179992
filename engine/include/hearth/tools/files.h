// Tools that look into files, and into what somebody knows of a model without having it. For
// errors see hearth/tools.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <hearth/engine.h>
#include <hearth/result.h>

namespace hearth::tools {

// ---- inspect: the content of a file; reads its header only -----------------------------------

struct ArrayValue;
// Integers keep their signedness; strings may hold any bytes the file had.
using InspectedValue = std::variant<bool, std::uint64_t, std::int64_t, double, std::string,
                                    std::shared_ptr<ArrayValue>>;
struct ArrayValue {
    std::uint64_t count = 0;
    std::string type;                    // element type: "i32", "str", ...
    std::vector<InspectedValue> values;  // all of them up to 16, none above
};

struct TensorSummary {
    std::string name;
    std::vector<std::uint64_t> shape;  // outermost first
    std::string type;
    std::uint64_t offset = 0;  // from the start of the file
    std::uint64_t bytes = 0;
};

// Tensors stored as one type. The records of a packed file count as the matrices that they hold.
struct TypeSummary {
    std::string type;
    std::uint64_t tensors = 0;
    std::uint64_t bytes = 0;
};

// The numbers of a model whose layers differ in one.
struct LayerNumbers {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
};

struct FileReport {
    std::string path;
    std::uint64_t file_bytes = 0;
    std::string container;  // "GGUF" or "PWRI"
    std::uint32_t format_version = 0;
    std::string arch;        // empty: the file names none
    bool supported = false;  // this build can run it
    std::string reason;      // if not
    std::uint64_t params = 0;
    std::optional<std::uint64_t> n_layer, n_embd, n_head, n_head_kv, head_dim, n_ff, n_vocab, n_ctx;
    // Set where the file has one number a layer; n_head, n_head_kv or n_ff is empty then.
    std::optional<LayerNumbers> heads_of_layers, heads_kv_of_layers, ff_of_layers;
    std::optional<std::uint64_t> expert_count, expert_used;
    std::vector<TypeSummary> types;  // most bytes first
    std::string tokenizer_model;     // tokenizer.ggml.model, empty if none
    std::string tokenizer_pre;
    std::string tokenizer_fallback;  // see ModelInfo
    bool chat_template = false;
    std::string no_chat;  // of a supported model: why chat() would be refused; empty: it would not
    ChatTraits chat;      // of its template
    std::string activation;  // of the feed-forward block if known: "silu", see EngineOptions
    std::vector<int> predictor_layers;
    std::string predictor_input;  // "normed", "residual"; empty: none, or the file leaves it open
    std::optional<double> sparse_threshold;
    std::optional<std::uint64_t> profile_tokens;  // of an activation profile inside
    bool packed = false;                          // one record a neuron
    std::uint32_t packed_format = 0;              // PackOptions::format; 0: none that can be read
    bool gate_matrices = false;                   // a packed file has its gates as matrices too
    std::vector<TensorSummary> tensors;
    std::vector<std::pair<std::string, InspectedValue>> metadata;
};

Result<FileReport> inspect(const std::string& path);

// ---- vocabulary: tokenize, detokenize, template; works on files without weights --------------

struct PromptOptions {
    bool add_generation_prompt = true;
    std::optional<bool> thinking{};  // the three: see GenerationOptions
    std::string reasoning_effort{};
    std::string tools{};
};
struct Prompt {
    std::string text;
    std::string notice;  // why it is not what the file's template prints; empty: it is
};

class Vocabulary {
public:
    static Result<Vocabulary> open(const std::string& path);
    ~Vocabulary();
    Vocabulary(Vocabulary&&) noexcept;
    Vocabulary& operator=(Vocabulary&&) noexcept;

    // See ModelInfo.
    const std::string& tokenizer_pre() const;
    const std::string& tokenizer_fallback() const;

    // text: any bytes. add_special: adds the begin token where the model wants one. parse_special:
    // special tokens written out in the text become their ids.
    Result<std::vector<std::int32_t>> tokenize(std::string_view text, bool add_special,
                                               bool parse_special) const;
    // The exact bytes. InvalidArgument for an id outside the vocabulary.
    Result<std::string> detokenize(std::span<const std::int32_t> tokens) const;
    // Unsupported: the file has no template. InvalidArgument: the template refuses the
    // conversation.
    Result<Prompt> apply_template(std::span<const ChatMessage> messages,
                                  const PromptOptions& options = {}) const;

private:
    struct Impl;
    explicit Vocabulary(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// ---- missing_parts: what this build lacks for a chat with a model that is not here --------------

// The facts about a model that somebody knows without having it.
struct ModelTraits {
    std::string arch;                // general.architecture
    std::vector<std::string> types;  // of its weights: "Q4_0"
    bool chat_template = true;       // the file has one
    // That template, or a shorter one that is made of the same parts of Jinja.
    std::string jinja;
};

struct MissingPart {
    enum class Kind {
        Architecture,
        WeightType,
        NoTemplate,  // the model has none: it continues text and does not chat
        Template,    // it cannot be read; prompts are written another way
    };
    Kind kind{};
    std::string name;  // of the architecture or the type; else empty

    bool operator==(const MissingPart&) const = default;
};

// Empty: as far as is known, it would chat. By the same tables as loading.
std::vector<MissingPart> missing_parts(const ModelTraits& traits);

}  // namespace hearth::tools
