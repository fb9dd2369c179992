// Makes a driver misbehave: stands in for single functions of it while it lives. One at a time, and
// no Instance may be created meanwhile.
#pragma once

#include <volk.h>

namespace hearth::test {

enum class GpuFault {
    NoDevice,         // the device cannot be opened
    NoMemory,         // the driver gives none
    NoLargeMemory,    // nor pieces above 16 MiB
    ShaderRefused,    // no shader is compiled
    SubmitLost,       // the device is lost when work is submitted
    WaitLost,         // the device is lost while it works
    DispatchLeftOut,  // the fifth dispatch does nothing
};

class GpuFaults {
public:
    explicit GpuFaults(GpuFault fault);
    ~GpuFaults();
    GpuFaults(const GpuFaults&) = delete;
    GpuFaults& operator=(const GpuFaults&) = delete;
};

}  // namespace hearth::test
