// Counts the tokens of a text as a model's tokenizer cuts it.
#pragma once

#include <QString>
#include <optional>

namespace hearth::ui {

struct TokenCount {
    int tokens = 0;
    bool isExact = false;  // else reckoned from a part of the text
};

// Opens the vocabulary of the model's file for each call, which takes as long as reading it does:
// not on the window's thread. Special tokens that are written out in the text count as the letters
// they are. Empty: there is no such model. Any thread.
std::optional<TokenCount> countTokens(const QString& modelPath, const QString& text);

}  // namespace hearth::ui
