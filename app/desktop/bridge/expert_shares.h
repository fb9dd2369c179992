// The experts of a mixture by the place where their weights lie.
#pragma once

#include <QString>

namespace hearth::ui {

// Counts, or bytes: only their shares are shown. All 0: the model is no mixture.
struct ExpertShares {
    quint64 card = 0;
    quint64 memory = 0;
    quint64 disk = 0;

    ExpertShares& operator+=(const ExpertShares& other) {
        card += other.card;
        memory += other.memory;
        disk += other.disk;
        return *this;
    }
    friend bool operator==(const ExpertShares&, const ExpertShares&) = default;
};

// "62 % graphics card, 30 % memory, 8 % disk", without places that have none; empty: no mixture.
QString expertShareWords(const ExpertShares& shares);

}  // namespace hearth::ui
