// The interface of attention_decode.comp, attention_decode_teams.comp, of which attention_decode_rows is made too, and
// attention_decode_bytes.comp.
#ifndef HEARTH_ATTENTION_DECODE_INTERFACE_H
#define HEARTH_ATTENTION_DECODE_INTERFACE_H
#include "include/interface.h"

CONSTANTS(AttentionDecode)
THREADS(WORKGROUP, 128);
CONSTANT(1, uint, HEAD_DIM, 128);
CONSTANT(2, uint, GROUP, 1);   // query heads of a workgroup, which read one key head
CONSTANT(3, uint, PARTS, 16);
FLAG(4, WRITE_FLOATS, true);
FLAG(5, WRITE_BYTES, false);
CONSTANT(6, uint, TILE, 32);   // positions at a time
CONSTANT(7, uint, TEAM, 32);   // the subgroup's size; not of attention_decode.comp
FLAG(8, CAPPED, false);    // soft_cap counts
FLAG(9, WINDOWED, false);  // window counts
FLAG(10, BYTES, false);    // the past is held in bytes
FLAG(11, TEMPERED, false);  // temperature counts
FLAG(12, STORES, true);     // the layer keeps keys and values of its own
CONSTANT(13, uint, SHARERS, 1);  // workgroups that read one key head, each for its own GROUP
FLAG(14, NORMS, false);     // heads of q and k are normed first; not in attention_decode.comp
FLAG(15, SINKS, false);     // heads have sinks
FLAG(16, SEVERAL, false);   // p.n_tokens tokens from `position` on, whose keys and values the past has: not with STORES
BUFFERS
STEP(0);
READS(1, vec2, angles);
READS(2, float, q);
READS(3, float, k);
READS(4, float, v);
UPDATES(5, uint, keys);
UPDATES(6, uint, values);
SHARES(7, vec2, parts);
SHARES(8, uint, done);
WRITES(9, float, attended);
WRITES(10, uint, attended_bytes);
WRITES(11, float, attended_scales);
READS(12, float, q_norm);
READS(13, float, k_norm);
READS(14, float, sinks);
// attention_decode_rows: keys and values again, whose rows begin at multiples of 16 bytes.
READS(15, uvec4, key_quads);
READS(16, uvec4, value_quads);
PUSHES(AttentionParams)
#endif
