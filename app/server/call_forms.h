// The forms in which models write calls of tools: one row for each, by the mark that opens it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "answer_request.h"

namespace hearth::server {

inline constexpr std::size_t kMostCalls = 128;  // behind one mark

struct ToolCall {
    std::string name;
    std::string arguments;  // JSON, an object
};

struct CallForm {
    // Around which texts between the marks the form has quotes, which the closing mark may be in.
    enum class Quotes {
        None,
        Json,
        Tags,        // <parameter ...> </parameter>, <arg_value> </arg_value>
        JsonOrTags,  // Json where a brace or bracket comes before any tag
        Gemma,       // <|"|>
    };
    std::string_view opening;
    std::string_view closing;  // empty: the calls go to the end of the answer
    Quotes quotes;
    // Appends the calls of the text between the marks. False: it is none in this form, or names a
    // tool that is not there; `calls` is then of no use.
    bool (*read)(std::string_view text, const std::vector<ToolDeclaration>& tools,
                 std::vector<ToolCall>& calls);
    // A mark that models write behind the closing one without having opened it; mostly empty.
    std::string_view stray;
};

// No opening mark begins with another one.
std::span<const CallForm> call_forms();

// The calls between the marks of a form. is_closed: the closing mark was there. Empty: there are
// none, or more than kMostCalls, or the text may be the beginning of a longer call.
std::vector<ToolCall> read_calls(const CallForm& form, std::string_view text, bool is_closed,
                                 const std::vector<ToolDeclaration>& tools);
// The calls that a text without marks is: {"name": ..., "arguments": {...}}, or an array of such.
std::vector<ToolCall> read_calls(std::string_view text, const std::vector<ToolDeclaration>& tools);

// Looks for the closing mark in a text that grows. The text's earlier bytes must stay as they are.
class ClosingMark {
public:
    explicit ClosingMark(const CallForm& form) : form_(&form), quotes_(form.quotes) {}

    // npos: it is not there yet. is_end: no more text comes; quotes that were never closed then
    // count as other characters.
    std::size_t find(std::string_view text, bool is_end);

private:
    const CallForm* form_;
    CallForm::Quotes quotes_;
    std::size_t at_ = 0;            // bytes before it need not be looked at again
    std::string_view quoted_till_;  // the quote that is awaited; empty: none is open
};

}  // namespace hearth::server
