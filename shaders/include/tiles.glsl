// The rows and the tokens of a workgroup's tile of a product. GROUPED: tokens are sorted by expert (sort_experts.comp),
// and a tile is of one expert. GROUPED_HEADS: a tile is of one head, of workgroup z. A shader that includes this has GROUPED among its constants and, among its buffers,
// `tiles`, and `pairs` for what the rows of x are.
struct Tile {
    uint first_token;
    uint end_token;
    uint w_row;   // of the matrix, where the expert's rows begin
    uint n_rows;  // of the expert, or of the matrix
};

// Empty where the workgroup has nothing to do.
Tile tile_of(uint number, uint tokens) {
    if (GROUPED == GROUPED_NOT) {
        return Tile(number * tokens, p.n_tokens, 0, p.matrix.rows);
    }
    if (GROUPED == GROUPED_HEADS) {
        return Tile(number * tokens, p.n_tokens, gl_WorkGroupID.z * p.place_rows, p.place_rows);
    }
    if (number >= tiles[0].x) {
        return Tile(0, 0, 0, 0);
    }
    const uvec4 one = tiles[number + 1];
    if (one.x < p.first_place || one.x - p.first_place >= p.n_places) {
        return Tile(0, 0, 0, 0);
    }
    return Tile(one.y, one.z, (one.x - p.first_place) * p.place_rows, p.place_rows);
}

// The first column of x that a workgroup multiplies with, and the first one of y. Heads' columns lie side by side.
uint head_number() {
    return GROUPED == GROUPED_HEADS ? p.first_place + gl_WorkGroupID.z : 0;
}
uint x_begin() {
    return p.x_at + head_number() * p.x_apart;
}
uint y_begin() {
    return p.y_at + head_number() * p.place_rows;
}

// The row of x that a token is.
uint row_of_input(uint token) {
    return GROUPED == GROUPED_GATHER ? pairs[token] / p.used : token;
}
