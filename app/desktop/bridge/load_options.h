// What the engine is told when it loads a model.
#pragma once

#include <QString>
#include <optional>

namespace hearth::ui {

struct LoadOptions {
    QString path = {};
    int threads = 0;        // 0: the engine chooses
    int contextTokens = 0;  // 0: the model's own
    // "auto": the best there is, if any can be used; "none"; a number or part of a name.
    QString gpu = QStringLiteral("auto");
    std::optional<quint64> ramBytes = {};   // most it may hold; empty: what the machine can spare
    std::optional<quint64> vramBytes = {};  // likewise of the graphics card's memory
    // What a token computes of a feed-forward block: "", "exact", "predicted", "dense",
    // "approximate". Empty: as "exact", but dense where that is faster.
    QString mode = {};
    QString activation = {};      // "silu", "reglu", ...; empty: what the file says
    QString predictorInput = {};  // "normed", "residual"; empty: what the file says
    QString predictorsPath = {};  // for "predicted"; empty: those inside the model
    QString thresholdsPath = {};  // for "approximate"
    bool heedsMemoryPressure = true;
    bool keepsProfile = true;

    friend bool operator==(const LoadOptions&, const LoadOptions&) = default;
};

}  // namespace hearth::ui
