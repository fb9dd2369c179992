// A model that says what a test tells it.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "server/answer_model.h"

namespace hearth::test {

class FakeModel final : public server::AnswerModel {
public:
    using Say = std::function<Result<GenerationResult>(const server::AnswerRequest&,
                                                       const PieceCallback&, const Cancellation&)>;

    FakeModel() { serve({.id = "fake", .names = {"default"}, .n_ctx = 512}); }
    server::ServedModel served() const override {
        const std::lock_guard lock(mutex_);
        return served_;
    }
    void serve(server::ServedModel model) {
        const std::lock_guard lock(mutex_);
        served_ = std::move(model);
    }
    Result<GenerationResult> answer(server::AnswerRequest request, const PieceCallback& on_piece,
                                    Cancellation& cancellation) override {
        return say.now()(request, on_piece, cancellation);
    }

    // Says the pieces, with plausible figures.
    static GenerationResult speak(const std::vector<std::string>& pieces,
                                  const PieceCallback& on_piece);

    // Changes between two answers while one goes on.
    class Changing {
    public:
        explicit Changing(Say first) : say_(std::move(first)) {}
        Changing& operator=(Say next) {
            const std::lock_guard lock(mutex_);
            say_ = std::move(next);
            return *this;
        }
        Say now() const {
            const std::lock_guard lock(mutex_);
            return say_;
        }

    private:
        mutable std::mutex mutex_;
        Say say_;
    };
    Changing say{[](const server::AnswerRequest& request, const PieceCallback& on_piece,
                    const Cancellation&) -> Result<GenerationResult> {
        const std::string last = request.is_raw ? request.prompt : request.messages.back().content;
        return speak({"You said ", last, "."}, on_piece);
    }};

private:
    mutable std::mutex mutex_;
    server::ServedModel served_;
};

inline GenerationResult FakeModel::speak(const std::vector<std::string>& pieces,
                                         const PieceCallback& on_piece) {
    GenerationResult result;
    for (const std::string& piece : pieces) {
        on_piece(piece);
        result.text += piece;
        result.token_ids.push_back(1);
    }
    result.prompt_tokens = 10;
    result.cached_tokens = 4;
    return result;
}

}  // namespace hearth::test
