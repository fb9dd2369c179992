// How the sums of teams that took positions of one head become one. A shader that includes this has ROW_TEAMS: the teams
// of a workgroup.
const uint JOINED = GROUP % 4 == 0 ? 4 : GROUP % 2 == 0 ? 2 : 1;
#include "attention_parts.glsl"
shared vec2 team_sums[ROW_TEAMS * WORDS];
shared float team_weights[ROW_TEAMS];
shared float team_peaks[ROW_TEAMS];

#include "head_squares.glsl"
HEAD_SQUARES(query_squares, q)
HEAD_SQUARES(key_squares, k)

// Of head g of the GROUP, once every team has written its sums, weight and peak above.
void join_teams(uint g, Part part) {
    const uint me = gl_LocalInvocationIndex;
    barrier();
    float most = NEVER;
    [[unroll]] for (uint t = 0; t < ROW_TEAMS; ++t) {
        most = max(most, team_peaks[t]);
    }
    vec2 all = vec2(0);
    float total = 0;
    [[unroll]] for (uint t = 0; t < ROW_TEAMS; ++t) {
        const float e = exp(team_peaks[t] - most);
        total += e * team_weights[t];
        all += e * team_sums[t * WORDS + min(me, WORDS - 1)];
    }
    const uint head = first_head() + g;
    if (part.count == 1) {
        write_head(head, all / total);
    } else {
        write_part(head, part_index(), all, total, most);
    }
}
