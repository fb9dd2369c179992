#include "gguf/tensor_table.h"

#include <utility>

namespace hearth {

bool TensorTable::add(TensorInfo tensor) {
    if (!by_name_.try_emplace(tensor.name, entries_.size()).second) {
        return false;
    }
    entries_.push_back(std::move(tensor));
    return true;
}

const TensorInfo* TensorTable::find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &entries_[found->second];
}

}  // namespace hearth
