// The loader's functions, found at run time: a machine without Vulkan is a normal machine.
#define VOLK_IMPLEMENTATION
#include <volk.h>
