#include <optional>
#include <string>

#include <hearth/tools.h>

#include "base/guarded.h"
#include "session/loaded_model.h"

namespace hearth::tools {
namespace {

Result<void> give_logits(
    Engine& engine, std::span<const std::int32_t> tokens, bool all,
    const std::function<Result<void>(int position, std::span<const float>)>& row,
    const Cancellation* cancellation) {
    LoadedModel& impl = engine.impl();
    if (tokens.empty()) {
        return Error{ErrorCode::InvalidArgument, "no tokens were given", {}, "tokens"};
    }
    for (const std::int32_t token : tokens) {
        if (token < 0 || token >= impl.spec.n_vocab) {
            return Error{ErrorCode::InvalidArgument,
                         "token " + std::to_string(token) + " is outside the vocabulary of " +
                             std::to_string(impl.spec.n_vocab),
                         {},
                         "tokens"};
        }
    }
    impl.fix_paths();
    Result<void> status;
    const Cancellation never;
    auto done = impl.session->score(
        tokens, all ? Decoder::Want::All : Decoder::Want::Last,
        [&](std::size_t index, std::span<const float> values) {
            if (status) {
                status = row(static_cast<int>(index), values);
            }
        },
        cancellation != nullptr ? *cancellation : never);
    return done ? status : done;
}

}  // namespace

Result<void> logits(Engine& engine, std::span<const std::int32_t> tokens, bool all,
                    const std::function<Result<void>(int position, std::span<const float>)>& row,
                    const Cancellation* cancellation) {
    return guarded_naming(engine.impl().info.path,
                          [&] { return give_logits(engine, tokens, all, row, cancellation); });
}

}  // namespace hearth::tools
