// What splits of small models between processor and GPU decode greedily, and what both units count
// meanwhile, as text that can be compared with a record.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vulkan/device.h"

namespace hearth::test {

struct RecordedSplit {
    std::string name;
    // Lines of words and numbers: the token ids, then what each unit counted of each layer. Empty:
    // see `problem`.
    std::function<std::string(std::string& problem)> run;
};

// Dense, exact and predicted; neurons, attention and the output head in shares; uploaded. What
// decides a token or a count lies far from where rounding decides, so that the record is every
// device's.
std::vector<RecordedSplit> recorded_splits(const std::shared_ptr<vulkan::Device>& device);

}  // namespace hearth::test
