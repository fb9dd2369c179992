// A model without a profile makes its own while it is used.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <hearth/result.h>

#include "plan/profile_file.h"

namespace hearth {

// The path at which a model's own profile is kept: "<cache_folder>/profiles/<hash>.gguf". A packed
// mixture counts neurons (ModelSpec::has_routed_neurons()), and the file that it was made from, of
// the same hash, counts experts: of_routed_neurons, "<hash>-neurons.gguf".
std::string self_profile_path(const std::string& cache_folder, const std::string& model_hash,
                              bool of_routed_neurons = false);

// Counts what fires for decoded tokens, one token at a time. Its profiles therefore know batches of
// 1 only, and have 0 groups of the others. One thread at a time.
class SelfProfile {
public:
    // neurons: of each layer. Takes a counter for each. order: the order of a packed model's
    // neurons, which differs from that of the file it was made from; empty for any other model.
    SelfProfile(std::string model_hash, const std::vector<int>& neurons, NeuronOrder order = {});
    // Sets hash and order of a profile that began without them. They must be set before save().
    // Finding them out reads the file, and loading should not wait for that.
    void name_model(std::string model_hash, NeuronOrder order);
    bool has_name() const { return !model_hash_.empty(); }

    // Counters of a layer, [n_ff]. The caller adds 1 for each neuron that fired for the token.
    std::span<std::uint32_t> fired(int layer) { return fired_[static_cast<std::size_t>(layer)]; }
    // Called once per token, after the token is counted in every layer. False: the caller must
    // save() first, or a counter would overflow.
    bool token_done() {
        ++tokens_;
        return tokens_ < kMostTokens;
    }
    std::uint64_t tokens() const { return tokens_; }  // counted since the last save()

    struct Counts {
        std::vector<std::vector<std::uint32_t>> fired;  // [n_layer][n_ff]
        std::uint64_t tokens = 0;
    };
    // Counts since the last call or save(). The first call takes as many counters again.
    Counts take_news();

    // Adds what was counted to the file at `path` and begins again at 0. Makes the folders. Writes
    // beside `path` and renames. Replaces a file that is broken, of another model or of another
    // version, because a cache is never trusted. Does nothing if no token was counted. Keeps the
    // counts after an error. WriteFailed, DiskFull, PermissionDenied.
    Result<void> save(const std::string& path);

private:
    static constexpr std::uint64_t kMostTokens = std::uint64_t{1} << 30;

    std::string model_hash_;
    NeuronOrder order_;
    std::uint64_t tokens_ = 0;
    std::vector<std::vector<std::uint32_t>> fired_;
    Counts taken_;  // of these; empty: nothing is
};

}  // namespace hearth
