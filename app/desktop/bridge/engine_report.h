// The state of the running engine, by its own report; never what the settings ask for.
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
    bool modeChosen = false;  // no mode was named: layers take the faster path
    QString gpu = {};         // its name; empty: none is used
    QString gpuNote = {};     // why none is used, or why it does less than it might; may be empty
    double gpuShare = 0;      // its part of the weights that a token may read
    // Bytes: the budget, the plan, and what is held.
    quint64 ramBudget = 0;
    quint64 ramPlanned = 0;
    quint64 ramUsed = 0;
    quint64 vramBudget = 0;
    quint64 vramUsed = 0;
    quint64 diskPerToken = 0;  // of weights: each token reads all of them
    bool budgetWaits = false;  // it takes effect at the next token

    friend bool operator==(const EngineReport&, const EngineReport&) = default;
};

// The most bytes that the engine may hold from now on; empty: as before.
struct BudgetRequest {
    quint64 id = 0;  // chosen by the caller, repeated in the answer
    std::optional<quint64> ramBytes = {};
    std::optional<quint64> vramBytes = {};
};

}  // namespace hearth::ui

Q_DECLARE_METATYPE(hearth::ui::EngineReport)
