// Signed bytes of a block of 32 floats, as the CPU's quantize_row makes them: rounded to nearest. A block's scale is that
// of the largest of its sizes, max|x| / 127.
float byte_scale(float largest) {
    return largest / 127.0;
}

// The factor that makes bytes of values.
float bytes_per(float largest) {
    return largest > 0 ? 127.0 / largest : 0.0;
}

uint pack_bytes(vec4 value, float inverse) {
    const ivec4 q = ivec4(roundEven(value * inverse));
    return uint(q.x & 0xFF) | (uint(q.y & 0xFF) << 8) | (uint(q.z & 0xFF) << 16) | (uint(q.w & 0xFF) << 24);
}

// Halves of a batch lie as matrix units' panels take them, [columns / 32, n_rows, 32]: the word at which values
// 4 quarter to 4 quarter + 3 of a row begin.
uint halves_at(uint row, uint n_rows, uint quarter) {
    return (quarter / 8 * n_rows + row) * 16 + quarter % 8 * 2;
}

float max_abs(vec4 value) {
    const vec4 a = abs(value);
    return max(max(a.x, a.y), max(a.z, a.w));
}
