// The door of the interpreter: a template and its variables to text.
#pragma once

#include <ctime>
#include <optional>

#include "text/jinja/failure.h"
#include "text/jinja/heap.h"
#include "text/jinja/program.h"

namespace hearth::jinja {

struct Rendered {
    MarkedText text;
    std::optional<Failure> failure;  // if there is one, the text means nothing
};

// variables: made in `heap`, which counts the rendering too.
Rendered render(const TemplateProgram& program, Heap& heap, const Dict& variables,
                const std::tm& now);

}  // namespace hearth::jinja
