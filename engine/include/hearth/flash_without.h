// Parts of reading from flash that a measurement can leave out, to show what each part is worth.
#pragma once

namespace hearth {

// Answers are the same, whichever parts are left out.
struct FlashWithout {
    bool direct = false;   // reads pass through the page cache
    bool neurons = false;  // matrices are read whole, where a token could read single neurons
    bool cache = false;    // no neuron stays from one token to the next
    bool overlap = false;  // a layer's neurons are computed only once all of them have been read
    bool guesses = false;  // no experts are read before they are chosen
    bool trial = false;    // experts are guessed whether that gains or not
};

}  // namespace hearth
