// Reads a document as the program does that was started for it.
#include <cstdlib>

#include "documents/document_child.h"

int main(int argc, char** argv) {
    return hearth::ui::documentReading(argc, argv).value_or(EXIT_FAILURE);
}
