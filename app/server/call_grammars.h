// Grammars of calls in the forms that models write by themselves. They hold from a call's opening
// mark on: the name to the tools that there are, and arguments in JSON to the tool's schema.
#pragma once

#include <vector>

#include "answer_request.h"

namespace hearth::server {

// The grammar ends behind the name where arguments are no JSON.
std::vector<TriggeredGrammar> call_grammars(const std::vector<ToolDeclaration>& tools);
// The schemas of their rules schema-N, one for each tool: of objects.
std::vector<std::string> call_schemas(const std::vector<ToolDeclaration>& tools);

}  // namespace hearth::server
