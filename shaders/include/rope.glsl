// Rotary position embedding: what value `at` of a head becomes, from itself and its partner in the pair. A
// shader that includes this is pushed AttentionParams and reads angles [tokens, rope_pairs]: cosine and sine of each
// pair's angle, as the CPU computed them in double.
uint rope_partner(uint at) {
    if (at >= 2 * p.rope_pairs) {
        return at;
    }
    if (p.rope_neighbours != 0) {
        return at ^ 1;
    }
    return at < p.rope_pairs ? at + p.rope_pairs : at - p.rope_pairs;
}

float rope_apply(uint at, uint token, float value, float partner) {
    if (at >= 2 * p.rope_pairs) {
        return value;
    }
    const bool neighbours = p.rope_neighbours != 0;
    const uint pair = neighbours ? at / 2 : at % p.rope_pairs;
    const bool second = neighbours ? (at & 1) == 1 : at >= p.rope_pairs;
    const vec2 angle = angles[token * p.rope_pairs + pair];
    return second ? partner * angle.y + value * angle.x : value * angle.x - partner * angle.y;
}
