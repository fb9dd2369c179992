// Plain loops: what the compiler makes of them with the instruction set every such processor has.
#include "bench/peaks/peaks.h"

namespace hearth::bench::generic {

float int8_rounds(std::uint64_t rounds) {
    std::int32_t acc[kGenericLanes];
    for (int i = 0; i < kGenericLanes; ++i) {
        acc[i] = i;
    }
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const auto factor = static_cast<std::int8_t>(round);
        for (std::int32_t& a : acc) {
            // Unsigned, since wrapping is of no interest.
            const auto product = static_cast<std::uint32_t>(static_cast<std::int8_t>(a) * factor);
            a = static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + product);
        }
    }
    std::uint32_t sum = 0;
    for (const std::int32_t a : acc) {
        sum += static_cast<std::uint32_t>(a);
    }
    return static_cast<float>(sum);
}

float f32_rounds(std::uint64_t rounds) {
    float acc[kGenericLanes];
    for (int i = 0; i < kGenericLanes; ++i) {
        acc[i] = static_cast<float>(i);
    }
    for (std::uint64_t round = 0; round < rounds; ++round) {
        for (float& a : acc) {
            a = a * 0.5F + 1.0F;
        }
    }
    float sum = 0;
    for (const float a : acc) {
        sum += a;
    }
    return sum;
}

}  // namespace hearth::bench::generic
