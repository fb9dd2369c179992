// The calls of the command line beside chatting: look into files, measure, convert. As with the
// engine, no exception comes out of here: any Result's error may be OutOfMemory or Internal. A call
// that computes with an Engine may also fail as Engine::complete() does.
#pragma once

#include <hearth/tools/convert.h>
#include <hearth/tools/devices.h>
#include <hearth/tools/files.h>
#include <hearth/tools/measure.h>
#include <hearth/tools/plan.h>
