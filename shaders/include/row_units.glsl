// How a team goes through a row: in each step a thread takes a unit (weights.glsl), and neighbouring threads neighbouring
// ones. A shader that includes this has BLOCKS and TEAM among its constants.
//
// Steps [0, STEPS) hang on no condition: a branch around each would keep a compiler from loading for the next one meanwhile. A row
// that does not end with a step has few threads at work in its last one. If they are most of a team, the others take the last
// unit once more and leave it out of their sums; if they are fewer, this step comes apart from the others (HAS_REST), behind a
// branch. (Mesa 22.3 makes no shader whose constants choose with ?:.)
const uint ROW_UNITS = BLOCKS * UNITS;
const uint UNITS_LEFT = ROW_UNITS % TEAM;
const uint ALL_STEPS = (ROW_UNITS + TEAM - 1) / TEAM;
const uint STEPS = (ROW_UNITS + TEAM / 4) / TEAM;
const bool HAS_REST = STEPS < ALL_STEPS;

uint unit_in(uint step) {
    const uint at = step * TEAM + team_lane();
    return UNITS_LEFT == 0 ? at : min(at, ROW_UNITS - 1);
}

// Says if the row has a unit for this thread in the step.
bool within_row(uint step) {
    return UNITS_LEFT == 0 || step * TEAM + team_lane() < ROW_UNITS;
}
