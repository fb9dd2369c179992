// Sums over a workgroup, and the root mean square norm.
#include "norm_scale.glsl"

shared float sums[WORKGROUP];

// The sum over the workgroup, in all of its threads. Every thread must call it; sums[] is read until the next barrier.
float tree_sum(float value) {
    const uint me = gl_LocalInvocationIndex;
    sums[me] = value;
    for (uint step = WORKGROUP / 2; step > 0; step /= 2) {
        barrier();
        if (me < step) {
            sums[me] += sums[me + step];
        }
    }
    barrier();
    return sums[0];
}
