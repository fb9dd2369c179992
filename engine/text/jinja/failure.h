// Why a template could not be read or rendered.
#pragma once

#include <string>

namespace hearth::jinja {

struct Failure {
    enum class ValueKind {
        Syntax,   // it is no template, or uses what this interpreter does not have
        Runtime,  // it computes what cannot be computed
        Limit,    // it takes too much time, memory or depth
        Raised,   // it refuses the conversation: raise_exception
    };
    ValueKind kind = ValueKind::Runtime;
    std::string message;
    int line = 0;  // of the template; 0: unknown
};

}  // namespace hearth::jinja
