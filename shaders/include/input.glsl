// The vector a matrix is multiplied with, and its product with a unit of a row's weights (weights.glsl). A shader that includes this
// has among its buffers, for INTEGER_DOT (quantised weights, packed products of signed bytes):
//   x   uvec4[]  [tokens, blocks, 2]  values as signed bytes
//   xd  float[]  [tokens, blocks]     scale of each block
// (JOINED: joined_norm.glsl has made them),
// and else
//   x   vec4[]   [tokens, blocks, 8]
// TAKES_ZERO_OFF, which only codes without minima may say: what they stand for is made of a unit's codes once, instead of
// sums of each input. The integers are the same.

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

#ifndef TAKES_ZERO_OFF
#define TAKES_ZERO_OFF false
#endif

// Four codes, of at most seven bits, less ZERO, as signed bytes.
uint less_zero(uint codes) {
#ifdef CODES_Packed
    return codes;
#else
    return (codes | 0x80808080u) - uint(ZERO) * 0x01010101u ^ 0x80808080u;
#endif
}

InputUnit load_input(uint at) {
#ifdef JOINED
    const uvec4 low = joined_input[at * 2];
    const uvec4 high = joined_input[at * 2 + 1];
    const ivec2 sums = NEEDS_SUMS ? joined_halves[at] : ivec2(0);
    return InputUnit(low, high, joined_scales[at], sums.x, sums.y);
#else
    const uvec4 low = x[at * 2];
    const uvec4 high = x[at * 2 + 1];
    const bool sums = NEEDS_SUMS && !TAKES_ZERO_OFF;
    return InputUnit(low, high, xd[at], sums ? sum4(low) : 0, sums ? sum4(high) : 0);
#endif
}

// A row's part of a unit, for products with the inputs of several tokens.
struct WeightUnit {
    Codes32 codes;
    Scales scales;
};

WeightUnit load_weights(MatrixParams m, uint row, uint block) {
    Codes32 codes = load_codes(m, row, block);
    if (TAKES_ZERO_OFF) {
        [[unroll]] for (uint i = 0; i < 8; ++i) {
            codes.word[i] = less_zero(codes.word[i]);
        }
    }
    return WeightUnit(codes, load_scales(m, row, block));
}

float dot_weights(WeightUnit weights, InputUnit x) {
    const Codes32 w = weights.codes;
    const int low = dot4(w.word[0], x.low.x) + dot4(w.word[1], x.low.y) + dot4(w.word[2], x.low.z) +
                    dot4(w.word[3], x.low.w);
    const int high = dot4(w.word[4], x.high.x) + dot4(w.word[5], x.high.y) + dot4(w.word[6], x.high.z) +
                     dot4(w.word[7], x.high.w);
    return scaled_dot(weights.scales, ivec2(low, high), ivec2(x.low_sum, x.high_sum), x.d);
}

float dot_unit(MatrixParams m, uint row, uint block, InputUnit x) {
    return dot_weights(load_weights(m, row, block), x);
}

#else

struct InputUnit {
    vec4 v[8 / UNITS];
};

// Unit `at` of an input that begins at quad `from` of x.
InputUnit load_input_from(uint from, uint at) {
    InputUnit unit;
    [[unroll]] for (int i = 0; i < 8 / UNITS; ++i) {
#ifdef JOINED
        unit.v[i] = joined_floats[from + at * (8 / UNITS) + i];
#else
        unit.v[i] = x[from + at * (8 / UNITS) + i];
#endif
    }
    return unit;
}

InputUnit load_input(uint at) {
    return load_input_from(0, at);
}

// A row's part of a unit, for products with the inputs of several tokens.
struct WeightUnit {
    vec4 w[8 / UNITS];
};

WeightUnit load_weights(MatrixParams m, uint row, uint at) {
#ifdef QUANTIZED
    return WeightUnit(load_values(m, row, at).w);
#else
    return WeightUnit(load_quad(m, row, at).v);
#endif
}

float dot_weights(WeightUnit weights, InputUnit unit) {
    float sum = dot(weights.w[0], unit.v[0]);
    [[unroll]] for (int i = 1; i < 8 / UNITS; ++i) {
        sum += dot(weights.w[i], unit.v[i]);
    }
    return sum;
}

float dot_unit(MatrixParams m, uint row, uint at, InputUnit unit) {
    return dot_weights(load_weights(m, row, at), unit);
}

#endif
