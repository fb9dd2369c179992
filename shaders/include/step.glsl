// What is another in every pass: the processor writes it before the pass begins. A shader that includes this says
// where it is bound, STEP_BINDING.
layout(binding = STEP_BINDING) readonly buffer Step {
    uint position;   // of the first token
    uint counting;   // COUNTING_*, for `fired` of neurons.comp
    uint activity;   // COUNTING_*, for `noted`
    uint past_at[];  // [n_layer]: the word at which the pass's past begins in the layer's keys, and likewise values
};
