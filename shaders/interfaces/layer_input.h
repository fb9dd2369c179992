// The interface of layer_input.comp.
#ifndef HEARTH_LAYER_INPUT_INTERFACE_H
#define HEARTH_LAYER_INPUT_INTERFACE_H
#include "include/interface.h"

CONSTANTS(LayerInput)
THREADS(WORKGROUP, 64);
BUFFERS
UPDATES(0, float, gates);
READS(1, float, inputs);
PUSHES(LayerInputParams)
#endif
