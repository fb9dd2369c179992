// The model of the catalogue for somebody who does not want to choose.
#pragma once

#include <QList>
#include <QString>

#include "bridge/load_options.h"
#include "bridge/machine_service.h"
#include "library/catalog.h"

namespace hearth::ui {

// The most that a model may take, in bytes; 0: there is none.
struct OfferMemory {
    quint64 cardBytes = 0;  // of the graphics card that a model would use
    quint64 ramBytes = 0;
    QString card = {};  // its name

    friend bool operator==(const OfferMemory&, const OfferMemory&) = default;
};

// options: the settings for any model: its budgets and its card.
OfferMemory memoryFor(const MachineFacts& facts, const LoadOptions& options);

struct OfferChoice {
    int index = -1;  // -1: none fits
    bool onCard = false;
    bool together = false;  // RAM alone has no room for it, with the card it has
};

// The best entry that the catalogue suggests and the card holds whole. If there is no such card,
// the best that memory holds and a processor answers with at a reading speed; of a mixture the card
// may hold a part. A dense model is the better the larger it is. A mixture counts as a dense model
// of the geometric mean of its size and of what a token reads: a rule of thumb.
OfferChoice chooseOffer(const QList<CatalogEntry>& entries, const OfferMemory& memory);

}  // namespace hearth::ui
