// Turns what sampling options say in words into token ids.
#pragma once

#include <hearth/engine.h>
#include <hearth/result.h>

#include "session/logit_changes.h"
#include "text/tokenizer.h"

namespace hearth {

inline constexpr std::size_t kMaxLogitBiases = 65536;
inline constexpr float kMostLogitBias = 1e9F;  // many of them add up to a number
inline constexpr std::size_t kMaxDryBreakers = 1024;
inline constexpr std::size_t kMaxDryBreakerBytes = 256;

// Also checks the numbers of the steps that it names. InvalidArgument, whose field is the member of
// SamplingOptions: a number out of its bounds, a bias for no token or for a text that is not one
// token, more entries than the bounds above.
Result<SamplerWords> sampler_words(const SamplingOptions& options, const Tokenizer& tokenizer);

}  // namespace hearth
