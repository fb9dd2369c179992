#include "bridge/token_count.h"

#include <QDir>

#include <hearth/tools.h>

namespace hearth::ui {

namespace {

constexpr qsizetype kCounted = 400'000;  // characters; the rest is reckoned

}  // namespace

std::optional<TokenCount> countTokens(const QString& modelPath, const QString& text) {
    const auto vocabulary =
        tools::Vocabulary::open(QDir::toNativeSeparators(modelPath).toStdString());
    if (!vocabulary) {
        return std::nullopt;
    }
    const auto tokens = vocabulary->tokenize(text.left(kCounted).toStdString(), false, false);
    if (!tokens) {
        return std::nullopt;
    }
    const auto counted = static_cast<double>(tokens->size());
    if (text.size() <= kCounted) {
        return TokenCount{static_cast<int>(counted), true};
    }
    const double share = static_cast<double>(text.size()) / static_cast<double>(kCounted);
    return TokenCount{static_cast<int>(counted * share), false};
}

}  // namespace hearth::ui
