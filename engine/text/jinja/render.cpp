#include "text/jinja/render.h"

#include "text/jinja/evaluator.h"

namespace hearth::jinja {

Rendered render(const TemplateProgram& program, Heap& heap, const Dict& variables,
                const std::tm& now) {
    Rendered out;
    if (!heap.failed()) {
        out.text = Evaluator(program, heap, variables, now).run();
    }
    out.failure = heap.failure();
    return out;
}

}  // namespace hearth::jinja
