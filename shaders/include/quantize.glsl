// Signed bytes of a block of 32 floats, as the CPU's quantize_row makes them: d = max|x| / 127, rounded to nearest.
uint pack_bytes(vec4 value, float inverse) {
    const ivec4 q = ivec4(roundEven(value * inverse));
    return uint(q.x & 0xFF) | (uint(q.y & 0xFF) << 8) | (uint(q.z & 0xFF) << 16) | (uint(q.w & 0xFF) << 24);
}

float max_abs(vec4 value) {
    const vec4 a = abs(value);
    return max(max(a.x, a.y), max(a.z, a.w));
}
