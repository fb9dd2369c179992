// The state of the running engine, by its own report; never what the settings ask for.
#pragma once

#include <QMetaType>
#include <QString>
#include <QStringList>
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
    // Copies of what conversations have left in the model, within the budget: what they may take,
    // what they take, and their number.
    quint64 keptPastsMost = 0;
    quint64 keptPastsBytes = 0;
    quint64 keptPasts = 0;
    quint64 diskPerToken = 0;  // of weights: each token reads all of them
    bool budgetWaits = false;  // it takes effect at the next token
    // Of the model's chat template.
    QString defaultSystem = {};  // its words where a chat has no instructions; empty: none
    bool hasThinkingSwitch = false;
    bool hasReasoningEffort = false;

    // The values of the setting "chat/reasoning" that this model knows.
    QStringList reasoningWords() const {
        QStringList words = {QStringLiteral("auto")};
        if (hasThinkingSwitch) {
            words << QStringLiteral("off") << QStringLiteral("on");
        }
        if (hasReasoningEffort) {
            words << QStringLiteral("low") << QStringLiteral("medium") << QStringLiteral("high");
        }
        return words;
    }

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
