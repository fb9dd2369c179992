#include "memory/ledger.h"

#include <string>

namespace hearth {
namespace {

std::uint64_t& counter(MemoryBytes& bytes, Purpose purpose) {
    switch (purpose) {
        case Purpose::Weights:
            return bytes.weights;
        case Purpose::Kv:
            return bytes.kv;
        case Purpose::Scratch:
            break;
    }
    return bytes.scratch;
}

}  // namespace

Result<void> Ledger::count(Purpose purpose, std::uint64_t bytes, std::string_view what) {
    std::uint64_t& used = counter(actual_, purpose);
    const std::uint64_t allowed = counter(planned_, purpose);
    if (bytes > allowed - used) {
        return Error{ErrorCode::Internal, std::string(what) + ": asks for " +
                                              std::to_string(bytes) + " bytes, the plan has " +
                                              std::to_string(allowed - used) + " left for it"};
    }
    used += bytes;
    return {};
}

Result<AlignedBuffer> Ledger::allocate(Purpose purpose, std::uint64_t bytes,
                                       std::string_view what) {
    if (auto counted = count(purpose, bytes, what); !counted) {
        return std::move(counted).error();
    }
    auto buffer = AlignedBuffer::create(bytes, what);
    if (!buffer) {
        counter(actual_, purpose) -= bytes;
    }
    return buffer;
}

}  // namespace hearth
