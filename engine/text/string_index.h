// From a token's text to its id: a flat hash table that keeps no copies of the texts.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace hearth {

// Different in every process, so that no file can be made whose keys all collide. Results do not
// depend on it.
inline std::uint64_t hash_seed() {
    static const std::uint64_t seed = [] {
        static const int anchor = 0;
        const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
        return static_cast<std::uint64_t>(now) * 0x9E3779B97F4A7C15U ^
               std::bit_cast<std::uintptr_t>(&anchor);
    }();
    return seed;
}

inline std::uint64_t hash_mix(std::uint64_t x) {
    x ^= x >> 33;
    x *= 0xFF51AFD7ED558CCDU;
    x ^= x >> 33;
    x *= 0xC4CEB9FE1A85EC53U;
    x ^= x >> 33;
    return x;
}

inline std::uint64_t hash_bytes(std::string_view text, std::uint64_t seed) {
    std::uint64_t hash = seed ^ text.size() * 0x9E3779B97F4A7C15U;
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, 8);
        hash = (hash ^ word) * 0x9FB21C651E98DF25U;
        hash ^= hash >> 32;
    }
    if (at < text.size()) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, text.size() - at);
        hash = (hash ^ word) * 0x9FB21C651E98DF25U;
    }
    return hash_mix(hash);
}

// TextOf: id to std::string_view; the same for every call.
class StringIndex {
public:
    // Room for `count` texts. Forgets all it had.
    void reset(std::size_t count) {
        slots_.assign(std::bit_ceil(count * 2 + 1), Slot{});
        mask_ = slots_.size() - 1;
        seed_ = hash_seed();
    }

    // The first of equal texts stays. Precondition: reset() made room for it.
    template <class TextOf>
    void add(std::int32_t id, const TextOf& text_of) {
        const std::string_view text = text_of(id);
        const std::uint64_t hash = hash_bytes(text, seed_);
        for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
            Slot& slot = slots_[i];
            if (slot.id < 0) {
                slot = {static_cast<std::uint32_t>(hash >> 32), id};
                return;
            }
            if (slot.tag == hash >> 32 && text_of(slot.id) == text) {
                return;
            }
        }
    }

    // -1: none.
    template <class TextOf>
    std::int32_t find(std::string_view text, const TextOf& text_of) const {
        return slots_.empty() ? -1 : find(text, hash_bytes(text, seed_), text_of);
    }

    // ids[i] = find(texts[i]). Twice as fast as one by one on a table that is larger than the
    // caches: the loads of a batch do not wait for each other.
    // Preconditions: texts.size() <= kBatch, ids.size() == texts.size(), reset() was called.
    static constexpr std::size_t kBatch = 192;
    template <class TextOf>
    void find_batch(std::span<const std::string_view> texts, std::span<std::int32_t> ids,
                    const TextOf& text_of) const {
        std::array<std::uint64_t, kBatch> hashes;
        std::array<Slot, kBatch> slots;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            hashes[i] = hash_bytes(texts[i], seed_);
        }
        for (std::size_t i = 0; i < texts.size(); ++i) {
            slots[i] = slots_[hashes[i] & mask_];
        }
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const Slot& slot = slots[i];
            ids[i] = slot.id < 0 || (slot.tag == hashes[i] >> 32 && text_of(slot.id) == texts[i])
                         ? slot.id
                         : find(texts[i], hashes[i], text_of);
        }
    }

private:
    struct Slot {
        std::uint32_t tag = 0;  // the hash's upper half
        std::int32_t id = -1;
    };

    template <class TextOf>
    std::int32_t find(std::string_view text, std::uint64_t hash, const TextOf& text_of) const {
        for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
            const Slot& slot = slots_[i];
            if (slot.id < 0 || (slot.tag == hash >> 32 && text_of(slot.id) == text)) {
                return slot.id;
            }
        }
    }

    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
    std::uint64_t seed_ = 0;
};

}  // namespace hearth
