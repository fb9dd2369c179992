// Reads a document, or draws, as the program does that was started for it.
#include <cstdlib>

#include "documents/document_child.h"
#include "documents/drawing_child.h"

int main(int argc, char** argv) {
    if (const auto status = hearth::ui::documentReading(argc, argv)) {
        return *status;
    }
    return hearth::ui::drawingChild(argc, argv).value_or(EXIT_FAILURE);
}
