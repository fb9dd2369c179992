// The sum of a head's squares, whose first value is `from`, by a whole subgroup.
#define HEAD_SQUARES(name, of) \
    float name(uint from) { \
        float squares = 0; \
        for (uint i = gl_SubgroupInvocationID; i < HEAD_DIM; i += TEAM) { \
            squares += of[from + i] * of[from + i]; \
        } \
        return subgroupAdd(squares); \
    }
