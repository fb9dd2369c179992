// Latent attention (DeepSeek-AI 2024, DeepSeek-V2, section 2.1), as data.
#pragma once

namespace hearth {

// A token leaves `rank` values, its latent, from which a matrix makes a key for each head and
// another one a value. Neither is made: the first matrix is applied to the head's query instead,
// the second to what the head attends to. All heads then share one key, the rotated part with the
// latent behind it, and one value, the latent. AttentionSpec describes these heads.
struct LatentSpec {
    int rank = 0;       // 0: the layer has no latents; else a multiple of kLatentStep
    int q_rank = 0;     // queries are made of so many values, which a norm follows; 0: of the input
    int plain_dim = 0;  // leading values of a head's query, not rotated; likewise a multiple
    int value_dim = 0;  // of a head; likewise
};

// Rows of a head begin at whole tiles, and columns at whole blocks of quantised values.
inline constexpr int kLatentStep = 32;

}  // namespace hearth
