// Checks the arguments of a tool against its schema, as far as models go wrong: kinds, members that
// are missing or unknown, choices, and bounds. Keywords beyond these are passed over.
#pragma once

#include <string>

#include "server/request_fields.h"

namespace hearth::toolbox {

// A sentence with the place of the first mistake; empty: there is none. Bounded by the sizes of
// both.
std::string schema_fault(const server::ApiJson& value, const server::ApiJson& schema);

}  // namespace hearth::toolbox
