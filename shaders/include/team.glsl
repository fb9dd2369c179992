// Threads that share a row: TEAM of them, one subgroup where SUBGROUPS says so. A shader that includes this has WORKGROUP,
// TEAM and SUBGROUPS among its constants.
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
