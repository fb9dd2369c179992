// A model without a profile makes its own while it is used.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <hearth/result.h>

#include "plan/profile_file.h"

namespace hearth {

// Where a model's own profile is kept: "<cache_folder>/profiles/<hash>.gguf".
std::string self_profile_path(const std::string& cache_folder, const std::string& model_hash);

// Counts decoded tokens, one at a time: its profiles know batches of 1 only (0 groups for the
// others). One thread at a time.
class SelfProfile {
public:
    // Takes n_layer * n_ff counters. order: of a packed model, whose neurons do not lie as in the
    // file it was made from; empty otherwise.
    SelfProfile(std::string model_hash, int n_layer, int n_ff, NeuronOrder order = {});
    // Hash and order, for a profile that began without: to be known before save(), since finding
    // them out reads the file and loading should not wait for that.
    void name_model(std::string model_hash, NeuronOrder order);
    bool has_name() const { return !model_hash_.empty(); }

    // [n_ff]: add 1 for each neuron that fired for the token.
    std::span<std::uint32_t> fired(int layer) { return fired_[static_cast<std::size_t>(layer)]; }
    // Once a token, when it is counted in every layer. False when save() has to come first: a
    // counter would overflow.
    bool token_done() {
        ++tokens_;
        return tokens_ < kMostTokens;
    }
    std::uint64_t tokens() const { return tokens_; }  // counted since the last save()

    // Adds what was counted to the file at `path` and begins again at 0. Makes the folders; writes
    // beside and renames. A file there that is broken, of another model or of another version is
    // replaced: a cache is never trusted. No tokens: does nothing. After an error the counts are
    // kept. WriteFailed, DiskFull, PermissionDenied.
    Result<void> save(const std::string& path);

private:
    static constexpr std::uint64_t kMostTokens = std::uint64_t{1} << 30;

    std::string model_hash_;
    NeuronOrder order_;
    std::uint64_t tokens_ = 0;
    std::vector<std::vector<std::uint32_t>> fired_;
};

}  // namespace hearth
