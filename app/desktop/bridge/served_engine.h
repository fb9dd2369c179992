// The window's engine as the local API sees it: the model that is loaded now, or a sentence on why
// none answers.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include <hearth/cancellation.h>

#include "server/answer_model.h"

namespace hearth::ui {

class EngineWorker;

class ServedEngine final : public server::AnswerModel {
public:
    // worker: answers on the engine's thread; outlives this.
    explicit ServedEngine(EngineWorker& worker) : worker_(worker) {}

    server::ServedModel served() const override;
    Result<GenerationResult> answer(server::AnswerRequest request, const PieceCallback& on_piece,
                                    Cancellation& cancellation) override;

    // From now on no model answers, and the answer under way ends with that sentence. Returns a
    // number for serve(). is_coming: one is being loaded. Any thread.
    std::uint64_t refuse(const std::string& why, bool is_coming);
    // The model answers from now on, unless refuse() was called since it gave that number. Any
    // thread.
    void serve(std::uint64_t number, server::ServedModel model);
    // Ends the answer under way for somebody who wants no more of it. Any thread.
    void stopAnswer();

private:
    void end(const std::string& why, bool is_wished);

    EngineWorker& worker_;
    mutable std::mutex mutex_;
    server::ServedModel served_{.why_not = "Hearth has no model loaded"};
    std::uint64_t number_ = 0;
    Cancellation* current_ = nullptr;  // of the answer under way
    std::string ended_;                // why it was ended; empty: it was not
    bool is_wished_ = false;           // a person ended it
};

}  // namespace hearth::ui
