#include "library/offer_choice.h"

#include <algorithm>
#include <cmath>

namespace hearth::ui {

namespace {

// Weights, the keys and values of some thousand tokens, and room to compute in.
quint64 needOf(const CatalogEntry& entry) {
    const auto bytes = static_cast<quint64>(entry.bytes);
    return bytes + bytes / 16 + 700'000'000;
}

// The most weights that a token may read: at the 40 GB/s of a laptop's memory seven tokens a
// second.
constexpr qint64 kMostForProcessor = 6'000'000'000;

// The system and other programs keep a part.
quint64 withoutPart(quint64 bytes, quint64 part) {
    return bytes - bytes / part;
}

double worthOf(const CatalogEntry& entry) {
    return std::sqrt(static_cast<double>(entry.bytes) * static_cast<double>(entry.tokenBytes));
}

// The best of those that fit(entry).
template <class Fit>
int best(const QList<CatalogEntry>& entries, Fit&& fit) {
    int found = -1;
    for (int i = 0; i < entries.size(); ++i) {
        const CatalogEntry& entry = entries.at(i);
        if (entry.suggested && fit(entry) &&
            (found < 0 || worthOf(entry) > worthOf(entries.at(found)))) {
            found = i;
        }
    }
    return found;
}

}  // namespace

OfferMemory memoryFor(const MachineFacts& facts, const LoadOptions& options) {
    OfferMemory memory;
    memory.ramBytes = options.ramBytes.value_or(withoutPart(facts.ramBytes, 3));
    memory.ramBytes = std::min(memory.ramBytes, facts.ramBytes);
    if (options.gpu == QLatin1String("none")) {
        return memory;
    }
    const auto card = std::find_if(facts.cards.begin(), facts.cards.end(),
                                   [](const GraphicsCard& one) { return one.chosen; });
    if (card != facts.cards.end() && !card->sharesRam) {
        memory.cardBytes = std::min(options.vramBytes.value_or(withoutPart(card->memoryBytes, 8)),
                                    card->memoryBytes);
        memory.card = card->name;
    }
    return memory;
}

OfferChoice chooseOffer(const QList<CatalogEntry>& entries, const OfferMemory& memory) {
    const int onCard =
        best(entries, [&](const CatalogEntry& entry) { return needOf(entry) <= memory.cardBytes; });
    const int inRam = best(entries, [&](const CatalogEntry& entry) {
        const bool mixture = entry.tokenBytes < entry.bytes;
        return entry.tokenBytes <= kMostForProcessor &&
               needOf(entry) <= memory.ramBytes + (mixture ? memory.cardBytes : 0);
    });
    // A small card is no reason for a worse model than the processor would answer with.
    if (onCard >= 0 && (inRam < 0 || worthOf(entries.at(onCard)) >= worthOf(entries.at(inRam)))) {
        return {onCard, true, false};
    }
    return {inRam, false, inRam >= 0 && needOf(entries.at(inRam)) > memory.ramBytes};
}

}  // namespace hearth::ui
