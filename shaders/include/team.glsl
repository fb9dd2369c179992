// Threads that share a row: TEAM of them, one subgroup where SUBGROUPS says so. Constants 0 to 2.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint WORKGROUP = 128;
layout(constant_id = 1) const uint TEAM = 32;
layout(constant_id = 2) const bool SUBGROUPS = false;

shared float team_sums[WORKGROUP];

uint team_lane() {
    return SUBGROUPS ? gl_SubgroupInvocationID : gl_LocalInvocationIndex % TEAM;
}
uint team_index() {
    return SUBGROUPS ? gl_SubgroupID : gl_LocalInvocationIndex / TEAM;
}
const uint TEAMS = WORKGROUP / TEAM;

// The sum over a team, in all of its threads. Every thread of the workgroup must call it.
float team_sum(float value) {
    if (SUBGROUPS) {
        return subgroupAdd(value);
    }
    const uint at = gl_LocalInvocationIndex;
    barrier();
    team_sums[at] = value;
    for (uint step = TEAM / 2; step > 0; step /= 2) {
        barrier();
        if (at % TEAM < step) {
            team_sums[at] += team_sums[at + step];
        }
    }
    barrier();
    return team_sums[at - at % TEAM];
}
