// What reading from flash may leave out, so that a measurement shows what each of its parts is
// worth.
#pragma once

namespace hearth {

// Answers are the same, whatever is left out.
struct FlashWithout {
    bool direct = false;   // reads pass through the page cache
    bool neurons = false;  // matrices are read whole, where a token could read single neurons
    bool cache = false;    // no neuron stays from one token to the next
    bool overlap = false;  // a layer's neurons are computed when all of them are here
};

}  // namespace hearth
