// Numbers as a past of bytes holds them.

// The half that multiplies bytes, from their numbers' largest magnitude and the sum of all magnitudes. Numbers that are
// none, or are infinite, make no number of it.
uint bytes_half(float largest, float sum) {
    const bool finite = sum < 1.0 / 0.0;
    return finite ? packHalf2x16(vec2(min(largest / 127.0, 65504.0), 0)) : 0x7E00u;
}

// Two numbers as bytes, in the low 16 bits.
uint two_bytes(vec2 pair, uint half_scale) {
    const float scale = unpackHalf2x16(half_scale).x;
    const ivec2 codes = scale > 0.0 ? ivec2(clamp(roundEven(pair / scale), vec2(-127), vec2(127))) : ivec2(0);
    return uint(codes.x & 255) | uint(codes.y & 255) << 8;
}
