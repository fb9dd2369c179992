#include "random_bytes.h"

#include <uv.h>

namespace hearth::server {

std::vector<unsigned char> random_bytes(std::size_t count) {
    std::vector<unsigned char> bytes(count);
    // It answers at once, since there is no callback.
    if (uv_random(nullptr, nullptr, bytes.data(), bytes.size(), 0, nullptr) != 0) {
        return {};
    }
    return bytes;
}

}  // namespace hearth::server
