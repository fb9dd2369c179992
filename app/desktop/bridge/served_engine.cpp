#include "bridge/served_engine.h"

#include <utility>

#include "bridge/engine_worker.h"

namespace hearth::ui {

server::ServedModel ServedEngine::served() const {
    const std::lock_guard lock(mutex_);
    return served_;
}

Result<GenerationResult> ServedEngine::answer(server::AnswerRequest request,
                                              const PieceCallback& on_piece,
                                              Cancellation& cancellation) {
    {
        const std::lock_guard lock(mutex_);
        if (!served_.answers()) {
            return Error{ErrorCode::Cancelled, served_.why_not, {}, {}};
        }
        current_ = &cancellation;
        ended_.clear();
    }
    auto result = worker_.answer(std::move(request), on_piece, cancellation);
    const std::lock_guard lock(mutex_);
    current_ = nullptr;
    if (!ended_.empty() && (!result || result->finish == FinishReason::Cancelled)) {
        return Error{ErrorCode::Cancelled, ended_, {}, is_wished_ ? server::kNotAgain : ""};
    }
    return result;
}

std::uint64_t ServedEngine::refuse(const std::string& why, bool is_coming) {
    const std::lock_guard lock(mutex_);
    served_ = {.why_not = why, .is_coming = is_coming};
    end(why, false);
    return ++number_;
}

void ServedEngine::serve(std::uint64_t number, server::ServedModel model) {
    const std::lock_guard lock(mutex_);
    if (number == number_) {
        served_ = std::move(model);
    }
}

void ServedEngine::stopAnswer() {
    const std::lock_guard lock(mutex_);
    end("somebody at Hearth's window stopped this answer", true);
}

// The lock is held.
void ServedEngine::end(const std::string& why, bool is_wished) {
    if (current_ != nullptr && ended_.empty()) {
        ended_ = why;
        is_wished_ = is_wished;
        current_->request();
    }
}

}  // namespace hearth::ui
