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

float max_abs(vec4 value) {
    const vec4 a = abs(value);
    return max(max(a.x, a.y), max(a.z, a.w));
}
