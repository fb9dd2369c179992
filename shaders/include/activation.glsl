// The tanh form. tanh saturates long before its argument overflows.
float gelu(float x) {
    return 0.5 * x * (1.0 + tanh(clamp(0.7978845608 * (x + 0.044715 * x * x * x), -15.0, 15.0)));
}

// The feed-forward block's f; up alone where there is no gate.
float hidden_value(uint activation, float threshold, float gate, float up) {
    switch (activation) {
        case ACTIVATION_SILU_GATED:
            return gate / (1.0 + exp(-gate)) * up;
        case ACTIVATION_RELU_GATED:
            return gate > threshold ? gate * up : 0.0;
        case ACTIVATION_DRELU:
            return max(gate, 0.0) * max(up, 0.0);
        case ACTIVATION_RELU:
            return max(up, 0.0);
        case ACTIVATION_RELU_SQUARED:
            return max(up, 0.0) * max(up, 0.0);
        case ACTIVATION_GELU_GATED:
            return gelu(gate) * up;
        case ACTIVATION_SILU_CLAMPED: {
            const float bounded = min(gate, 7.0);
            return bounded / (1.0 + exp(-1.702 * bounded)) * (clamp(up, -7.0, 7.0) + 1.0);
        }
        case ACTIVATION_NONE:
            return up;
        default:
            return gelu(up);
    }
}

// Whether up needs to be known: a gate that is closed makes the hidden value 0 whatever up is.
bool gate_open(uint activation, float threshold, float gate) {
    const bool always = activation == ACTIVATION_SILU_GATED || activation == ACTIVATION_GELU_GATED ||
                        activation == ACTIVATION_SILU_CLAMPED;
    return always || (activation == ACTIVATION_RELU_GATED ? gate > threshold : gate > 0.0);
}
