// The values of a row of logits as numbers that sort, and the groups into which they are dealt out, four by four.
// The buffer `logits` and the parameters p are the shader's.
#extension GL_EXT_control_flow_attributes : require

const uint GROUPS = CANDIDATE_GROUPS;
const uint AHEAD = 4;  // loads on their way at a time
const uint NAN = 0x7fffffff;
const uint NO_ID = 0xffffffff;

// Grows with the logit; 0: it is not a number.
uint key_of(uint bits) {
    if ((bits & 0x7fffffff) > 0x7f800000) {
        return 0;
    }
    if (bits == 0x80000000) {
        bits = 0;
    }
    return bits >= 0x80000000 ? ~bits : bits | 0x80000000;
}

uint bits_of(uint key) {
    return key >= 0x80000000 ? key & 0x7fffffff : ~key;
}

bool better(uvec2 a, uvec2 b) {
    return a.x > b.x || (a.x == b.x && a.y < b.y);
}

// Key and id of one of the four values at `at`.
uvec2 value_of(uvec4 four, uint at, uint i) {
    const uint id = 4 * at + i;
    return uvec2(id < p.n_values ? key_of(four[i]) : 0, id);
}
