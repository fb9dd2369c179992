// The options with which the engine loads a model.
#pragma once

#include <QString>
#include <optional>

namespace hearth::ui {

struct LoadOptions {
    QString path = {};
    int threads = 0;        // 0: the engine chooses
    int contextTokens = 0;  // 0: the model's own
    // "auto": the best graphics card, or none if none can be used; "none"; a number or part of a
    // name.
    QString gpu = QStringLiteral("auto");
    std::optional<quint64> ramBytes = {};   // the most it may hold; empty: what the machine can
                                            // spare
    std::optional<quint64> vramBytes = {};  // the most of the graphics card's memory; empty: what
                                            // it can spare
    // The neurons of a feed-forward block that a token computes: "", "exact", "predicted", "dense",
    // "approximate". Empty: as "exact", but dense where that is faster.
    QString mode = {};
    QString kv = QStringLiteral("f16");  // how keys and values are held; or "q8_0"
    QString activation = {};             // "silu", "reglu", ...; empty: as the file says
    QString predictorInput = {};         // "normed", "residual"; empty: as the file says
    QString predictorsPath = {};         // for "predicted"; empty: the predictors inside the model
    QString thresholdsPath = {};         // for "approximate"
    bool heedsMemoryPressure = true;
    bool keepsProfile = true;
    // What the model remembers of conversations is kept on disk, so that they go on at once.
    bool keepsPasts = true;

    friend bool operator==(const LoadOptions&, const LoadOptions&) = default;
};

}  // namespace hearth::ui
