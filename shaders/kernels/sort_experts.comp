// Sorts the pairs of a token and one of its experts by expert, those that the GPU has.
//   chosen  [n_pairs] of route.comp
//   places  [.] where the GPU has each expert, NOWHERE: the processor has it
//   pairs   [n_pairs]: which pair each row of the experts' inputs is
//   rows    [n_pairs]: the row of each pair, NOWHERE: the processor computes it
//   tiles   tiles[0] = (number of tiles, rows); tile t, at t + 1: (place of its expert, first row, end of its rows)
// One workgroup. The rows of one expert are in no certain order, and no row's values depend on where it lies.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "interfaces/sort_experts.h"

shared uint counts[MOST_EXPERTS + 1];  // by place, then where the rows of each place begin
shared uint first_tile[MOST_EXPERTS + 1];

void main() {
    const uint me = gl_LocalInvocationIndex;
    for (uint place = me; place < p.n_places; place += WORKGROUP) {
        counts[place] = 0;
    }
    barrier();
    for (uint pair = me; pair < p.n_pairs; pair += WORKGROUP) {
        const uint place = places[chosen[pair].x];
        if (place != NOWHERE) {
            atomicAdd(counts[place], 1);
        }
    }
    barrier();
    if (me == 0) {
        uint row = 0;
        uint tile = 0;
        for (uint place = 0; place < p.n_places; ++place) {
            const uint count = counts[place];
            counts[place] = row;
            first_tile[place] = tile;
            row += count;
            tile += (count + TILE - 1) / TILE;
        }
        tiles[0] = uvec4(tile, row, 0, 0);
        first_tile[p.n_places] = tile;
        counts[p.n_places] = row;
    }
    barrier();
    for (uint place = me; place < p.n_places; place += WORKGROUP) {
        const uint end = counts[place + 1];
        uint row = counts[place];
        for (uint tile = first_tile[place]; tile < first_tile[place + 1]; ++tile) {
            tiles[tile + 1] = uvec4(place, row, min(row + TILE, end), 0);
            row += TILE;
        }
    }
    barrier();
    for (uint pair = me; pair < p.n_pairs; pair += WORKGROUP) {
        const uint place = places[chosen[pair].x];
        uint row = NOWHERE;
        if (place != NOWHERE) {
            row = atomicAdd(counts[place], 1);
            pairs[row] = pair;
        }
        rows[pair] = row;
    }
}
