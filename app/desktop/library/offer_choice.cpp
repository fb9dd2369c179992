#include "offer_choice.h"

#include <algorithm>
#include <limits>

namespace hearth::ui {

namespace {

// Weights, the keys and values of some thousand tokens, and room to compute in.
quint64 needOf(const CatalogEntry& entry) {
    const auto bytes = static_cast<quint64>(entry.bytes);
    return bytes + bytes / 16 + 700'000'000;
}

// A token reads all weights once: at the 40 GB/s of a laptop's memory seven tokens a second.
constexpr qint64 kMostForProcessor = 6'000'000'000;

// The system and other programs keep a part.
quint64 withoutPart(quint64 bytes, quint64 part) {
    return bytes - bytes / part;
}

int largest(const QList<CatalogEntry>& entries, quint64 budget, qint64 most) {
    int best = -1;
    for (int i = 0; i < entries.size(); ++i) {
        const CatalogEntry& entry = entries.at(i);
        const bool fits = entry.suggested && entry.bytes <= most && needOf(entry) <= budget;
        if (fits && (best < 0 || entry.bytes > entries.at(best).bytes)) {
            best = i;
        }
    }
    return best;
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
    const int onCard = largest(entries, memory.cardBytes, std::numeric_limits<qint64>::max());
    const int inRam = largest(entries, memory.ramBytes, kMostForProcessor);
    // A small card is no reason for a smaller model than the processor would answer with.
    if (onCard >= 0 && (inRam < 0 || entries.at(onCard).bytes >= entries.at(inRam).bytes)) {
        return {onCard, true};
    }
    return {inRam, false};
}

}  // namespace hearth::ui
