#include "cpu/kept_weights.h"

#include <algorithm>
#include <cstring>

namespace hearth {
namespace {

bool same_neurons(const RowChoice& a, const RowChoice& b) {
    return a.count == b.count && a.first == b.first &&
           std::equal(a.order.begin(), a.order.end(), b.order.begin(), b.order.end());
}

// The weights of a segment that the layout has in RAM.
struct Kept {
    const HeldWeight* now = nullptr;
    const HeldWeight* before = nullptr;
};

void move_bytes(const Kept& kept, const std::byte* from, std::byte* to) {
    std::memmove(to + kept.now->at, from + kept.before->at,
                 static_cast<std::size_t>(std::min(kept.now->bytes, kept.before->bytes)));
}

}  // namespace

std::vector<const HeldWeight*> kept_weights(const CpuLayout& layout, const CpuLayout& before) {
    std::vector<ByRole<const HeldWeight*>> known(before.blocks.size() + 1);
    for (const HeldWeight& held : before.weights) {
        if (held.home == Home::Ram) {
            known[before.segment_of(held.layer)][held.role] = &held;
        }
    }
    std::vector<const HeldWeight*> kept(layout.weights.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const HeldWeight& held = layout.weights[i];
        const std::size_t segment = layout.segment_of(held.layer);
        const HeldWeight* const same = known[segment][held.role];
        // Gates have the same bytes in a matrix of their own and in records.
        const bool is_same =
            same != nullptr && held.home == Home::Ram && same->form == held.form &&
            (same->source.same_as(held.source) || held.role == Role::Gate) &&
            same->source.type == held.source.type && same->source.rows == held.source.rows &&
            same->source.cols == held.source.cols &&
            (!is_of_neurons(held) ||
             same_neurons(layout.blocks[segment].neurons, before.blocks[segment].neurons));
        kept[i] = is_same ? same : nullptr;
    }
    return kept;
}

Result<void> move_kept(const CpuLayout& layout, const std::vector<const HeldWeight*>& kept,
                       Segments& segments) {
    std::vector<std::vector<Kept>> of_segments(segments.count());
    std::vector<bool> in_place(segments.count(), true);  // each moves to the front, or not at all
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const HeldWeight& held = layout.weights[i];
        const std::size_t segment = layout.segment_of(held.layer);
        if (kept[i] != nullptr) {
            of_segments[segment].push_back({&held, kept[i]});
        }
        if (held.home == Home::Ram) {
            in_place[segment] = in_place[segment] && kept[i] != nullptr && held.at <= kept[i]->at;
        }
    }
    for (std::size_t s = 0; s < segments.count(); ++s) {
        if (in_place[s] && layout.segment_bytes[s] <= segments.bytes(s)) {
            for (const Kept& one : of_segments[s]) {
                move_bytes(one, segments.data(s), segments.data(s));
            }
            segments.shrink(s, layout.segment_bytes[s]);
        } else {
            in_place[s] = false;
        }
    }
    for (std::size_t s = 0; s < segments.count(); ++s) {
        if (in_place[s]) {
            continue;
        }
        auto moved = segments.replace(s, layout.segment_bytes[s], "weights",
                                      [&](const std::byte* from, std::byte* to) {
                                          for (const Kept& one : of_segments[s]) {
                                              move_bytes(one, from, to);
                                          }
                                      });
        if (!moved) {
            return moved;
        }
    }
    return {};
}

}  // namespace hearth
