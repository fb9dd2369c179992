// The vector a matrix is multiplied with, and its product with a unit of a row's weights (weights.glsl). A shader that includes this
// declares, for INTEGER_DOT (quantised weights, packed products of signed bytes):
//   xq  uvec4[]  [tokens, blocks, 2]  values as signed bytes
//   xd  float[]  [tokens, blocks]     scale of each block
// and else
//   x   vec4[]   [tokens, blocks, 8]

#ifdef INTEGER_DOT

// OpSDotKHR with PackedVectorFormat4x8Bit: glslang 12 has no name for it.
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = 4450)
int packed_dot(uint a, uint b, spirv_literal int format);

int dot4(uint a, uint b) {
    return packed_dot(a, b, 0);
}

struct InputUnit {
    uvec4 low, high;
    float d;
    int low_sum, high_sum;  // of the values in each half
};

int sum4(uvec4 words) {
    return dot4(words.x, 0x01010101u) + dot4(words.y, 0x01010101u) + dot4(words.z, 0x01010101u) +
           dot4(words.w, 0x01010101u);
}

InputUnit load_input(uint at) {
    const uvec4 low = xq[at * 2];
    const uvec4 high = xq[at * 2 + 1];
    return InputUnit(low, high, xd[at], ZERO_CODE == 0 ? 0 : sum4(low), ZERO_CODE == 0 ? 0 : sum4(high));
}

float dot_unit(MatrixParams m, uint row, uint block, InputUnit x) {
    const Codes32 w = block_codes(m, row, block);
    const int low = dot4(w.word[0], x.low.x) + dot4(w.word[1], x.low.y) + dot4(w.word[2], x.low.z) +
                    dot4(w.word[3], x.low.w) - ZERO_CODE * x.low_sum;
    const int high = dot4(w.word[4], x.high.x) + dot4(w.word[5], x.high.y) + dot4(w.word[6], x.high.z) +
                     dot4(w.word[7], x.high.w) - ZERO_CODE * x.high_sum;
#ifdef WEIGHTS_Q6_K
    const ivec2 scales = half_scales(m, row, block);
    return block_scale(m, row, block) * x.d * float(low * scales.x + high * scales.y);
#else
    return block_scale(m, row, block) * x.d * float(low + high);
#endif
}

#elif defined(WEIGHTS_QUANTIZED)

struct InputUnit {
    vec4 v[8];
};

InputUnit load_input(uint at) {
    InputUnit unit;
    [[unroll]] for (int i = 0; i < 8; ++i) {
        unit.v[i] = x[at * 8 + i];
    }
    return unit;
}

float dot_unit(MatrixParams m, uint row, uint block, InputUnit unit) {
    const Values32 w = block_values(m, row, block);
    float sum = 0;
    [[unroll]] for (int i = 0; i < 8; ++i) {
        sum += dot(w.w[i], unit.v[i]);
    }
    return sum;
}

#else

// A unit is a quad: 4 floats or 8 halves.
struct InputUnit {
    vec4 v[8 / QUADS];
};

InputUnit load_input(uint at) {
    InputUnit unit;
    [[unroll]] for (int i = 0; i < 8 / QUADS; ++i) {
        unit.v[i] = x[at * (8 / QUADS) + i];
    }
    return unit;
}

float dot_unit(MatrixParams m, uint row, uint at, InputUnit unit) {
    const uvec4 q = quads[row * m.blocks * QUADS + at];
#if defined(WEIGHTS_F32)
    return dot(uintBitsToFloat(q), unit.v[0]);
#elif defined(WEIGHTS_F16)
    return dot(vec4(unpackHalf2x16(q.x), unpackHalf2x16(q.y)), unit.v[0]) +
           dot(vec4(unpackHalf2x16(q.z), unpackHalf2x16(q.w)), unit.v[1]);
#else
    return dot(uintBitsToFloat(uvec4(q.x << 16, q.x & 0xFFFF0000u, q.y << 16, q.y & 0xFFFF0000u)), unit.v[0]) +
           dot(uintBitsToFloat(uvec4(q.z << 16, q.z & 0xFFFF0000u, q.w << 16, q.w & 0xFFFF0000u)), unit.v[1]);
#endif
}

#endif
