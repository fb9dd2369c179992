// Lays out the processor's tiles of 16 rows as weights.glsl has them: bits move, nothing else.
//   tiles     [tiles, periods, period_words]; a tile's last period may be cut off
//   words     [n_words] of a period: x = run, row << 2 and word of the run's part << 8; y = its first move; z = its
//             moves; w = bits that are flipped
//   moves     x = word of the period, and by how much it is turned << TILE_MOVE_TURN; y = the bits that it gives
//   arranged  the layout; row r of the tiles is its row r * n_turns + turn
// A thread a word; y of the workgroup is the tile.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "interfaces/arrange_tiles.h"

void main() {
    const uint index = gl_GlobalInvocationID.x;
    const uint tile = gl_WorkGroupID.y;
    if (index >= p.words_of_tile) {
        return;
    }
    const uint period = index / p.n_words;
    const uvec4 word = words[index % p.n_words];
    const ArrangedRun run = p.runs[word.x & 3];
    const uint row = tile * 16 + (word.x >> 2 & 15);
    const uint at = period * run.period_words + (word.x >> 8);
    if (row >= p.n_rows || at >= run.row_words) {
        return;
    }
    uint value = word.w;
    for (uint i = word.y; i < word.y + word.z; ++i) {
        const uvec2 move = moves[i];
        const uint from = period * p.period_words + (move.x & ((1 << TILE_MOVE_TURN) - 1));
        if (from < p.tile_words) {
            const uint turn = move.x >> TILE_MOVE_TURN;
            const uint bits = tiles[tile * p.tile_words + from];
            value ^= (bits << turn | bits >> ((32 - turn) & 31)) & move.y;
        }
    }
    arranged[run.at + (row * p.n_turns + p.turn) * run.row_words + at] = value;
}
