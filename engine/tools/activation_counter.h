// Counts firing neurons while text runs through a model.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "compute/executor.h"
#include "plan/profile.h"

namespace hearth::tools {

// An executor's observer. The tokens of one observed block are cut into groups; tokens behind the
// last whole group of a size count in the smaller sizes alone. Costs about two
// instructions for each hidden value, shared over the pool.
class ActivationCounter : public FeedForwardObserver {
public:
    // neurons: of each layer. pool: not in use while observed() runs.
    ActivationCounter(const std::vector<int>& neurons, ThreadPool& pool);

    void observed(const FeedForwardRecord& record) override;

    // model_hash is the caller's to set.
    const ActivationProfile& profile() const { return profile_; }
    ActivationProfile take() { return std::move(profile_); }

private:
    ThreadPool& pool_;
    ActivationProfile profile_;
};

}  // namespace hearth::tools
