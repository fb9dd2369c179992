// How the positions of a pass are cut into parts, for latent_attention.comp and latent_join.comp. A shader that includes
// this has RANK, TILE and PARTS.
//   parts  [queries, PARTS, VALUE_WORDS + 1]: sums; their weight and its exponent
const uint VALUE_WORDS = RANK / 2;  // of two numbers

// Positions of a part, whole tiles: so many that PARTS of them cover all that the pass's last token sees.
uint part_positions() {
    const uint n_tiles = (position + p.n_tokens + TILE - 1) / TILE;
    return (n_tiles + PARTS - 1) / PARTS * TILE;
}

uint part_count() {
    const uint each = part_positions();
    return (position + p.n_tokens + each - 1) / each;
}

uint part_at(uint query, uint part) {
    return (query * PARTS + part) * (VALUE_WORDS + 1);
}
