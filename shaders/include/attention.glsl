// An attention, for all kernels that compute one: the query that is multiplied with keys, the positions that it sees,
// and the weight of a position from its product. A kernel shares the work out over threads and knows nothing of this.
// Sums are over positions in tiles; they shrink when a larger score comes. A shader that includes this has HEAD_DIM
// and is pushed AttentionParams.
const uint WORDS = HEAD_DIM / 2;  // of two halves, in a row of keys or of values

// The score of a position that a query does not see, and the peak of those before the first.
const float NEVER = -3.4e38;

// The past of a layer, its keys and likewise its values, with room for n_rows positions:
//   halves           [n_head_kv, n_rows, WORDS] words of two
//   BYTES            [n_head_kv, n_rows, WORDS / 2] words of four signed bytes, and behind them [n_head_kv, n_rows,
//                    SCALE_WORDS] words of two halves, the scales of 32 values each
// The row of position 0 is at word past_at[2 * layer], its scales at past_at[2 * layer + 1]. Where the first position
// that is held is a later one, these words lie before the past; sums wrap around.
// All kernels see a row as words of two halves.
const uint SCALE_WORDS = (HEAD_DIM + 63) / 64;

uint past_row(uint head_kv, uint row) {
    return past_at[2 * p.layer] + (head_kv * p.n_rows + row) * (BYTES ? WORDS / 2 : WORDS);
}

uint past_scales(uint head_kv, uint row) {
    return past_at[2 * p.layer + 1] + (head_kv * p.n_rows + row) * SCALE_WORDS;
}

// Word `word` of a row from the words that hold its bytes and its scale.
uint halves_of(uint bytes, uint scales, uint word) {
    const int from = int(word % 2) * 16;
    const float scale = unpackHalf2x16(scales)[word / 16 % 2];
    return packHalf2x16(scale * vec2(bitfieldExtract(int(bytes), from, 8), bitfieldExtract(int(bytes), from + 8, 8)));
}

// A function that reads word `word` of row `row` of a head.
#define READS_PAST(name, past) \
    uint name(uint head_kv, uint row, uint word) { \
        return BYTES ? halves_of(past[past_row(head_kv, row) + word / 2], \
                                 past[past_scales(head_kv, row) + word / 32], word) \
                     : past[past_row(head_kv, row) + word]; \
    }


// cap * tanh(score / cap). Drivers' tanh may be far off. Below 1 its continued fraction (Lambert 1761) cut after the
// fifth term is off by less than 7e-8 of it; 1 - 2 / (1 + e^(2 u)) would lose what a small u has.
float soft_capped(float score, float cap) {
    const float u = score / cap;
    const float square = u * u;
    if (square < 1.0) {
        return cap * u * (945.0 + square * (105.0 + square)) / (945.0 + square * (420.0 + 15.0 * square));
    }
    return cap * (1.0 - 2.0 / (1.0 + exp(2.0 * u)));
}

// A shader that has scores says whether they are CAPPED, WINDOWED and TEMPERED: constants, since a token's attention is
// so short that asking the pushed numbers took 4 % of the decoding of a 1B model.
#ifdef HAS_SCORES
// The query of the token at `token`.
vec2 scaled(vec2 query, uint token) {
    return query * (TEMPERED ? p.scale * (1.0 + p.temperature * log(float(token / p.temperature_length + 1))) : p.scale);
}

// The first position that the token at `token` sees.
uint first_seen(uint token) {
    return !WINDOWED || token < p.window ? 0 : token + 1 - p.window;
}

// From the product of the query of the token at `token` and the key at `key`: positions, both.
float score_of(float product, uint token, uint key) {
    if (key > token || WINDOWED && key < first_seen(token)) {
        return NEVER;
    }
    return CAPPED ? soft_capped(product, p.soft_cap) : product;
}
#endif

// Beside the largest score there is, or was so far.
float weight_of(float score, float peak) {
    return score == NEVER ? 0.0 : exp(score - peak);
}
