// An attention, for all kernels that compute one: the query that is multiplied with keys, the positions that it sees,
// and the weight of a position from its product. A kernel shares the work out over threads and knows nothing of this.
// Sums are over positions in tiles; they shrink when a larger score comes. A shader that includes this has HEAD_DIM
// and is pushed AttentionParams.
const uint WORDS = HEAD_DIM / 2;  // of two halves, in a row of keys or of values

// The score of a position that a query does not see, and the peak of those before the first.
const float NEVER = -3.4e38;

// The word where the pass's rows of a head begin, in the layer's keys and likewise in its values.
uint past_of(uint head_kv) {
    return past_at[p.layer] + head_kv * p.n_ctx * WORDS;
}

vec2 scaled(vec2 query) {
    return query * p.scale;
}

// From the product of the query of the token at `token` and the key at `key`: positions, both.
float score_of(float product, uint token, uint key) {
    return key <= token ? product : NEVER;
}

// Beside the largest score there is, or was so far.
float weight_of(float score, float peak) {
    return score == NEVER ? 0.0 : exp(score - peak);
}
