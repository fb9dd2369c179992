// What runs, as the engine itself says it; never what the settings ask for.
#pragma once

#include <QMetaType>
#include <QString>
#include <optional>

namespace hearth::ui {

struct EngineReport {
    QString modelPath = {};
    int threads = 0;
    int contextTokens = 0;
    QString mode = {};        // "dense", "exact", "predicted", "approximate"
    bool modeChosen = false;  // nobody named one: layers take the faster path
    QString gpu = {};         // its name; empty: none is used
    QString gpuNote = {};     // why none is, or why it does less than it might; may be empty
    double gpuShare = 0;      // of the weights that a token may read
    // Bytes: what it may hold, what it was planned to and what it holds.
    quint64 ramBudget = 0;
    quint64 ramPlanned = 0;
    quint64 ramUsed = 0;
    quint64 vramBudget = 0;
    quint64 vramUsed = 0;
    quint64 diskPerToken = 0;  // of weights that each token reads from disk
    bool budgetWaits = false;  // for the next token

    friend bool operator==(const EngineReport&, const EngineReport&) = default;
};

// What the engine may hold from now on, bytes; empty: as before.
struct BudgetRequest {
    quint64 id = 0;  // of the caller, for the answer
    std::optional<quint64> ramBytes = {};
    std::optional<quint64> vramBytes = {};
};

}  // namespace hearth::ui

Q_DECLARE_METATYPE(hearth::ui::EngineReport)
