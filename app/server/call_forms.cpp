#include "call_forms.h"

#include <algorithm>

#include "call_readers.h"

namespace hearth::server {
namespace {

using Quotes = CallForm::Quotes;

bool read_braced_or_tagged(std::string_view text, const Tools& tools, Calls& calls) {
    text = trimmed(text);
    const bool is_json = text.starts_with('{') || text.starts_with('[');
    return is_json                          ? read_call_objects(text, tools, calls)
           : text.starts_with("<function=") ? read_parameter_tags(text, tools, calls)
                                            : read_key_tags(text, tools, calls);
}

// The opening mark has the tag's beginning.
bool read_function(std::string_view text, const Tools& tools, Calls& calls) {
    const std::size_t name_end = std::min(text.find('>'), text.size());
    std::string_view rest = text.substr(name_end);
    return take(rest, ">") && take(rest, "{")
               ? read_function_calls(text, tools, calls)
               : read_parameter_tags("<function=" + std::string(text), tools, calls);
}

// Behind Llama's mark there is a call of any kind. The tool "python" is called by its arguments
// alone.
bool read_llama_calls(std::string_view text, const Tools& tools, Calls& calls) {
    text = trimmed(text);
    if (!text.starts_with('{') && !text.starts_with('[')) {
        return read_python_calls(text, tools, calls);
    }
    return read_call_objects(text, tools, calls) || add_call("python", text, tools, calls);
}

constexpr CallForm kForms[] = {
    // Qwen, Hermes and Granite; Qwen-Coder and Nemotron; GLM
    {"<tool_call>", "</tool_call>", Quotes::JsonOrTags, read_braced_or_tagged, ""},
    // Functionary; Qwen-Coder where it leaves out the tag around
    {"<function=", "</function>", Quotes::JsonOrTags, read_function, "</tool_call>"},
    // Granite 3
    {"<|tool_call|>", "", Quotes::None, read_call_objects, ""},
    // Mistral
    {"[TOOL_CALLS]", "", Quotes::None, read_mistral_calls, ""},
    // Llama 3
    {"<|python_tag|>", "", Quotes::None, read_llama_calls, ""},
    // Seed-OSS
    {"<seed:tool_call>", "</seed:tool_call>", Quotes::Tags, read_parameter_tags, ""},
    // MiniMax
    {"<minimax:tool_call>", "</minimax:tool_call>", Quotes::Tags, read_invoke_tags, ""},
    // Command R
    {"<|START_ACTION|>", "<|END_ACTION|>", Quotes::Json, read_call_objects, ""},
    // Apertus
    {"<|tools_prefix|>", "<|tools_suffix|>", Quotes::Json, read_keyed_objects, ""},
    // LFM2
    {"<|tool_call_start|>", "<|tool_call_end|>", Quotes::None, read_python_calls, ""},
    // Gemma 4
    {"<|tool_call>", "<tool_call|>", Quotes::Gemma, read_gemma_calls, ""},
    // Kimi K2
    {"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", Quotes::Json, read_kimi_calls,
     ""},
    {"<|tool_call_begin|>", "<|tool_call_end|>", Quotes::Json, read_kimi_calls,
     "<|tool_calls_section_end|>"},
    // DeepSeek
    {"<\uFF5Ctool\u2581calls\u2581begin\uFF5C>", "<\uFF5Ctool\u2581calls\u2581end\uFF5C>",
     Quotes::Json, read_deepseek_calls, ""},
    {"<\uFF5Ctool\u2581call\u2581begin\uFF5C>", "<\uFF5Ctool\u2581call\u2581end\uFF5C>",
     Quotes::Json, read_deepseek_calls, "<\uFF5Ctool\u2581calls\u2581end\uFF5C>"},
    // gpt-oss, as AnswerMarks of the engine spells the header
    {"<|channel|>commentary to=", "<|call|>", Quotes::Json, read_channel_calls, ""},
};

struct QuotePair {
    std::string_view opening, closing;
};
constexpr QuotePair kJsonQuotes[] = {{"\"", "\""}};
constexpr QuotePair kGemmaQuotes[] = {{"<|\"|>", "<|\"|>"}};
constexpr QuotePair kTagQuotes[] = {{"<parameter", "</parameter>"},
                                    {"<arg_value>", "</arg_value>"}};

std::span<const QuotePair> quote_pairs(Quotes quotes) {
    switch (quotes) {
        case Quotes::Json:
            return kJsonQuotes;
        case Quotes::Tags:
            return kTagQuotes;
        case Quotes::Gemma:
            return kGemmaQuotes;
        case Quotes::None:
        case Quotes::JsonOrTags:
            break;
    }
    return {};
}

// True if the text is the beginning of the mark, and no more.
bool may_begin(std::string_view text, std::string_view mark) {
    return text.size() < mark.size() && mark.starts_with(text);
}

// An answer may be cut within a call. A call that lacks its closing mark alone ends so.
bool is_whole(std::string_view text) {
    text = trimmed(text);
    constexpr std::string_view kEnds[] = {"}",
                                          "]",
                                          ")",
                                          "```",
                                          "</function>",
                                          "</invoke>",
                                          "<|tool_call_end|>",
                                          "<\uFF5Ctool\u2581call\u2581end\uFF5C>"};
    return std::any_of(std::begin(kEnds), std::end(kEnds),
                       [&](std::string_view end) { return text.ends_with(end); });
}

}  // namespace

std::span<const CallForm> call_forms() {
    return kForms;
}

std::vector<ToolCall> read_calls(const CallForm& form, std::string_view text, bool is_closed,
                                 const std::vector<ToolDeclaration>& tools) {
    std::vector<ToolCall> calls;
    const bool are_calls = (is_closed || is_whole(text)) && form.read(text, tools, calls) &&
                           calls.size() <= kMostCalls;
    return are_calls ? calls : std::vector<ToolCall>();
}

std::vector<ToolCall> read_calls(std::string_view text, const std::vector<ToolDeclaration>& tools) {
    std::vector<ToolCall> calls;
    const bool are_calls = read_call_objects(text, tools, calls) && calls.size() <= kMostCalls;
    return are_calls ? calls : std::vector<ToolCall>();
}

std::size_t ClosingMark::find(std::string_view text, bool is_end) {
    const std::string_view closing = form_->closing;
    if (closing.empty()) {
        return std::string_view::npos;
    }
    if (quotes_ == Quotes::JsonOrTags) {
        const std::size_t first = text.find_first_of("{[<");
        if (first != std::string_view::npos) {
            quotes_ = text[first] == '<' ? Quotes::Tags : Quotes::Json;
        }
    }
    const std::span<const QuotePair> pairs = quote_pairs(quotes_);
    while (at_ < text.size() && quotes_ != Quotes::JsonOrTags) {
        const std::string_view rest = text.substr(at_);
        if (quoted_till_.empty() && rest.starts_with(closing)) {
            return at_;
        }
        bool is_begun = may_begin(rest, closing);
        std::size_t taken = 1;
        for (const QuotePair& pair : pairs) {
            const std::string_view quote = quoted_till_.empty() ? pair.opening : pair.closing;
            is_begun = is_begun || may_begin(rest, quote);
            if (rest.starts_with(quote) && (quoted_till_.empty() || quoted_till_ == quote)) {
                quoted_till_ = quoted_till_.empty() ? pair.closing : std::string_view();
                taken = quote.size();
                break;
            }
        }
        if (quotes_ == Quotes::Json && !quoted_till_.empty() && rest[0] == '\\') {
            is_begun = rest.size() == 1;
            taken = 2;
        }
        if (is_begun) {
            break;  // more text says what it is
        }
        at_ += taken;
    }
    return is_end ? text.find(closing) : std::string_view::npos;
}

}  // namespace hearth::server
