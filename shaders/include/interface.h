// The words in which interfaces/ name a shader's constants and buffers. GLSL declares them; C++
// makes them the fields of a struct, so that either language finds a name or does not compile
// (engine/vulkan/interface_fields.h). An interface has three parts:
//
//   CONSTANTS(Norm)                       of the shader norm.comp: its specialization constants
//   THREADS(WORKGROUP, 256);              constant 0: the threads of a workgroup
//   CONSTANT(1, uint, ADDS, 0);           number, type, name, and what it is where nobody says
//   FLAG(2, PUBLISH, false);
//   BUFFERS                               number of the binding, type of the elements, name
//   READS(0, vec4, x_in);
//   WRITES(1, vec4, normed);
//   UPDATES(2, vec4, x);                  reads and writes
//   SHARES(3, uint, done);                updates, and sees what other workgroups write meanwhile
//   STEP(4);                              what is another in every pass; see below
//   PUSHES(NormParams)                    push constants: a struct of params.h, p in GLSL
#ifndef HEARTH_SHADER_INTERFACE_H
#define HEARTH_SHADER_INTERFACE_H

#include "include/params.h"

// Macros that hold halves of a struct.
// clang-format off

#ifdef __cplusplus

#include "vulkan/interface_fields.h"

// struct Norm { struct Constants {...}; struct Buffers {...}; using Params = ...; };
#define CONSTANTS(kernel) \
    namespace hearth::vulkan::interfaces { struct kernel { struct Constants {
#define THREADS(name, value) Constant<0> name
#define CONSTANT(id, type, name, value) Constant<id> name
#define FLAG(id, name, value) Constant<id> name
#define UNIT_SIZE(id, name, value) Constant<id> name
#define NO_BUFFERS }; }; }
#define BUFFERS }; struct Buffers {
#define READS(id, type, name) Binding<id> name
#define WRITES(id, type, name) Binding<id> name
#define UPDATES(id, type, name) Binding<id> name
#define SHARES(id, type, name) Binding<id> name
#define STEP(id) Binding<id> step
#define PUSHES(Struct) }; using Params = params::Struct; }; }

#else

#define CONSTANTS(kernel)
// A UNIT_SIZE says how matrix units are cut. NVIDIA's own extension knows one way, cooperative.glsl: no constant there.
#ifdef FIXED_SIZES
#define THREADS(name, value) layout(local_size_x = value) in
#define UNIT_SIZE(id, name, value) const uint name = value
#else
#define THREADS(name, value) layout(local_size_x_id = 0) in; layout(constant_id = 0) const uint name = value
#define UNIT_SIZE(id, name, value) layout(constant_id = id) const uint name = value
#endif
#define CONSTANT(id, type, name, value) layout(constant_id = id) const type name = value
#define FLAG(id, name, value) layout(constant_id = id) const bool name = value
#define NO_BUFFERS
#define BUFFERS
#define READS(id, type, name) layout(binding = id) readonly buffer Buffer_##name { type name[]; }
#define WRITES(id, type, name) layout(binding = id) writeonly buffer Buffer_##name { type name[]; }
#define UPDATES(id, type, name) layout(binding = id) buffer Buffer_##name { type name[]; }
#define SHARES(id, type, name) layout(binding = id) coherent buffer Buffer_##name { type name[]; }
// The processor writes it before the pass begins:
//   position   of the first token
//   counting   COUNTING_*, for `fired` of neurons.comp
//   activity   COUNTING_*, for `noted`
//   past_at    [n_layer, 2]: the word at which the pass's past begins in the layer's keys, and likewise values, and
//              that of its scales; of a state the first
#define STEP(id) \
    layout(binding = id) readonly buffer Step { uint position; uint counting; uint activity; uint past_at[]; }
#define PUSHES(Struct) layout(push_constant) uniform Push { Struct p; };

// The type of the input that matrices are multiplied with: input.glsl.
#ifdef INTEGER_DOT
#define INPUT uvec4
#else
#define INPUT vec4
#endif

#endif

#endif
