// The model behind the API, as the server sees it. Tests put another one in its place.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/engine.h>
#include <hearth/result.h>

#include "answer_request.h"

namespace hearth::server {

struct ServedModel {
    std::string id{};                  // the name that clients ask for; empty: there is no model
    std::vector<std::string> names{};  // others that mean it, too
    int n_ctx = 0;
    std::string why_not{};   // a sentence without its full stop: none answers; empty: this one does
    bool is_coming = false;  // then: one is being loaded

    bool answers() const { return why_not.empty(); }
};

// The field of an error Cancelled behind an answer that a person stopped: the client is told not to
// ask again by itself.
inline constexpr const char* kNotAgain = "not-again";

class AnswerModel {
public:
    virtual ~AnswerModel() = default;
    // Any thread. May be another one the next time.
    virtual ServedModel served() const = 0;
    // Comes from the queue's jobs alone, one at a time. As Engine::chat() and Engine::complete(),
    // and Cancelled: no model answers, or no longer, as the message says.
    virtual Result<GenerationResult> answer(AnswerRequest request, const PieceCallback& on_piece,
                                            Cancellation& cancellation) = 0;
};

// The names of an engine's model.
ServedModel served_model(const ModelInfo& model);
// The request, with its tools, answered by an engine.
Result<GenerationResult> answer_with(Engine& engine, AnswerRequest request,
                                     const PieceCallback& on_piece,
                                     const Cancellation& cancellation);

// The model of an engine that nobody else uses meanwhile. The engine must outlive it.
class EngineModel final : public AnswerModel {
public:
    explicit EngineModel(Engine& engine) : engine_(engine), served_(served_model(engine.model())) {}
    ServedModel served() const override { return served_; }
    Result<GenerationResult> answer(AnswerRequest request, const PieceCallback& on_piece,
                                    Cancellation& cancellation) override {
        return answer_with(engine_, std::move(request), on_piece, cancellation);
    }

private:
    Engine& engine_;
    ServedModel served_;
};

}  // namespace hearth::server
