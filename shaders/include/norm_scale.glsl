// The factor of `n` values whose squares have that sum: the root mean square norm.
float norm_scale(float squares, float n, float epsilon) {
    return inversesqrt(squares / n + epsilon);
}
