// The model behind the API, as the server sees it. Tests put another one in its place.
#pragma once

#include <string>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/engine.h>
#include <hearth/result.h>

#include "answer_request.h"

namespace hearth::server {

struct ServedModel {
    std::string id;                  // the name that clients ask for
    std::vector<std::string> names;  // others that mean it, too
    int n_ctx = 0;
};

class AnswerModel {
public:
    virtual ~AnswerModel() = default;
    // Any thread; does not change.
    virtual const ServedModel& served() const = 0;
    // The next two come from the queue's thread alone, one at a time. As Engine::chat() and
    // Engine::complete().
    virtual Result<GenerationResult> answer(AnswerRequest request, const PieceCallback& on_piece,
                                            const Cancellation& cancellation) = 0;
    // No request waits. Returns soon after `cancellation`.
    virtual void rest(const Cancellation& cancellation) = 0;
};

// The model of an engine that nobody else uses meanwhile. The engine must outlive it.
class EngineModel final : public AnswerModel {
public:
    explicit EngineModel(Engine& engine);
    const ServedModel& served() const override { return served_; }
    Result<GenerationResult> answer(AnswerRequest request, const PieceCallback& on_piece,
                                    const Cancellation& cancellation) override;
    void rest(const Cancellation& cancellation) override;

private:
    Engine& engine_;
    ServedModel served_;
};

}  // namespace hearth::server
