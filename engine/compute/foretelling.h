// A session's questions to a model's layer that foretells tokens (model/foretelling.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hearth {

// Follows the passes of a conversation, and guesses what comes next. It is never wrong about an
// answer: whoever asks for a guess finds out by himself whether it is right. A layer that has not
// seen all of the conversation guesses with what it has seen. One session's; its thread.
class Foretelling {
public:
    virtual ~Foretelling() = default;

    // The model has just passed these tokens, at positions from `position` on, and the processor
    // still holds the stream behind its last layer. Later positions count no more. Not every token
    // need be drawn one day.
    virtual void passed(std::span<const std::int32_t> tokens, int position) = 0;

    // Guesses at most `most` tokens that follow `text`. All but the last token of the text have
    // been passed. Fewer, or none: the layer has not seen the latest pass, or the context ends.
    // Valid until the next call.
    virtual std::span<const std::int32_t> guess(std::span<const std::int32_t> text,
                                                std::size_t most) = 0;

    // The logits [n_vocab] of the last token that was guessed.
    virtual std::span<const float> latest_logits() const = 0;
    // So many tokens of the conversation are in the layer's own past.
    virtual std::size_t n_seen() const = 0;
};

}  // namespace hearth
