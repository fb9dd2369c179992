// The loaded model layer by layer, as the engine counts it.
#pragma once

#include <QList>
#include <QMetaType>
#include <QString>

#include "bridge/expert_shares.h"

namespace hearth::ui {

struct MappedLayer {
    // Bytes of its weights, as the file has them, by the place where they lie now.
    quint64 card = 0;
    quint64 memory = 0;
    quint64 disk = 0;
    int neurons = 0;         // of its feed-forward block; 0: it has none, or is a mixture
    int experts = 0;         // 0: it is no mixture
    int expertsOfToken = 0;  // that a token chooses
    bool dense = false;      // at present every neuron is computed
    quint64 tokens = 0;      // of answers, counted for `fired`
    double fired = 1;        // share of its neurons, in the mean
    ExpertShares chosen;     // experts, by the place where they lay
    // Neurons or experts that lie on disk and were needed: memory had them, or they were read.
    quint64 hits = 0;
    quint64 misses = 0;
    quint64 readBytes = 0;  // asked of the disk

    friend bool operator==(const MappedLayer&, const MappedLayer&) = default;
};

struct MapReport {
    QString modelPath = {};
    QList<MappedLayer> layers = {};
    quint64 tokens = 0;     // of answers
    quint64 readBytes = 0;  // that the disk gave
    quint64 ramUsed = 0;
    quint64 ramBudget = 0;
    quint64 vramUsed = 0;
    quint64 vramBudget = 0;
    bool budgetWaits = false;  // a new budget takes effect at the next token
    bool answering = false;
    int loads = 0;       // counters begin anew with each
    qint64 takenNs = 0;  // when, by a clock that does not jump

    friend bool operator==(const MapReport&, const MapReport&) = default;
};

}  // namespace hearth::ui

Q_DECLARE_METATYPE(hearth::ui::MapReport)
