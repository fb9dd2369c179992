#include "tools/observe_text.h"

#include <algorithm>
#include <string>

namespace hearth::tools {
namespace {

// The model shows its blocks to the observer while this lives.
class Observation {
public:
    Observation(LoadedModel& model, FeedForwardObserver& observer) : model_(model) {
        model_.observe(&observer);
    }
    ~Observation() { model_.observe(nullptr); }
    Observation(const Observation&) = delete;
    Observation& operator=(const Observation&) = delete;

private:
    LoadedModel& model_;
};

Error invalid(std::string message, std::string field) {
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = std::move(message),
                 .path = {},
                 .field = std::move(field)};
}

}  // namespace

Result<std::vector<TokenId>> tokens_to_observe(LoadedModel& impl, std::string_view text,
                                               std::uint64_t max_tokens, int n_ctx) {
    if (impl.spec.has_experts() || impl.spec.has_routed_neurons()) {
        return Error{ErrorCode::Unsupported,
                     "the neurons of a mixture's experts are not observed by this version",
                     impl.file.path(), "expert_count"};
    }
    if (n_ctx < 1 || n_ctx > impl.plan.n_ctx) {
        return invalid("windows of " + std::to_string(n_ctx) +
                           " tokens were asked for; this model was loaded with a context of " +
                           std::to_string(impl.plan.n_ctx),
                       "ctx");
    }
    std::vector<TokenId> tokens = impl.tokenizer->tokenize(text, false, false);
    if (max_tokens > 0 && tokens.size() > max_tokens) {
        tokens.resize(static_cast<std::size_t>(max_tokens));
    }
    if (tokens.empty()) {
        return invalid("the text has no tokens", "file");
    }
    return tokens;
}

Result<void> observe_tokens(LoadedModel& impl, FeedForwardObserver& observer,
                            std::span<const TokenId> tokens, int n_ctx,
                            const std::function<void(int done, int windows)>& progress,
                            const Cancellation& cancellation) {
    const Observation observation(impl, observer);
    const auto window = static_cast<std::size_t>(n_ctx);
    const auto windows = static_cast<int>((tokens.size() + window - 1) / window);
    int done_windows = 0;
    for (std::size_t first = 0; first < tokens.size(); first += window) {
        auto done = impl.session->score(
            tokens.subspan(first, std::min(window, tokens.size() - first)), Decoder::Want::None,
            [](std::size_t, std::span<const float>) {}, cancellation);
        if (!done) {
            return done;
        }
        if (progress) {
            progress(++done_windows, windows);
        }
    }
    return {};
}

}  // namespace hearth::tools
