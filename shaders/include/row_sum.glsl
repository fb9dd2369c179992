// Sums over a workgroup that has a row of activations. The interface has SUBGROUPS: the device adds over a subgroup.
#include "norm.glsl"

// The sum over the workgroup, in all of its threads, every one of which must call it.
float workgroup_sum(float value) {
    barrier();
    if (SUBGROUPS) {
        const float mine = subgroupAdd(value);
        if (gl_SubgroupInvocationID == 0) {
            sums[gl_SubgroupID] = mine;
        }
        barrier();
        float sum = 0;
        if (gl_NumSubgroups <= gl_SubgroupSize) {
            const uint lane = gl_SubgroupInvocationID;
            sum = subgroupAdd(lane < gl_NumSubgroups ? sums[lane] : 0);
        } else {
            for (uint i = 0; i < gl_NumSubgroups; ++i) {
                sum += sums[i];
            }
        }
        barrier();
        return sum;
    }
    const float sum = tree_sum(value);
    barrier();
    return sum;
}
