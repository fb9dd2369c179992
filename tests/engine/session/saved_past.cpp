#include "engine/session/saved_past.h"

#include <filesystem>

#include "session/loaded_model.h"

namespace hearth::test {
namespace {

constexpr std::int32_t kEndOfTurn = 2;
constexpr int kOpening = 3;

}  // namespace

std::vector<std::int32_t> conversation(int n_tokens) {
    std::vector<std::int32_t> tokens;
    for (int i = 0; i < n_tokens - kOpening - 1; ++i) {
        tokens.push_back(3 + (i * i * 7 + i * 3 + 5) % 256);
    }
    tokens.push_back(kEndOfTurn);
    tokens.insert(tokens.end(), kOpening, 40);
    return tokens;
}

std::optional<GenerationResult> answer_of(Engine& engine, const std::vector<std::int32_t>& prompt,
                                          int n_tokens) {
    GenerationOptions options;
    options.sampling.temperature = 0;
    options.max_tokens = n_tokens;
    auto result = engine.impl().session->generate(prompt, options, {}, {});
    return result ? std::optional(std::move(*result)) : std::nullopt;
}

std::string check_saved_past(Engine& writer, Engine& reader, const std::string& path,
                             int n_tokens) {
    std::vector<std::int32_t> prompt = conversation(n_tokens);
    const auto first = answer_of(writer, prompt);
    if (!first) {
        return "no first answer";
    }
    const auto saved = writer.save_past(path);
    if (!saved) {
        return saved.error().message;
    }
    const std::size_t held = writer.impl().session->cached_tokens().size();
    if (*saved != held || held < prompt.size()) {
        return "saved " + std::to_string(*saved) + " tokens of " + std::to_string(held);
    }
    // Something else is forgotten.
    if (!answer_of(reader, conversation(40))) {
        return "no other answer";
    }
    const auto restored = reader.restore_past(path);
    if (!restored || *restored != *saved) {
        return restored ? "restored " + std::to_string(*restored) : restored.error().message;
    }
    const auto same = [&](const char* what, const std::vector<std::int32_t>& next) -> std::string {
        const auto wanted = answer_of(writer, next);
        const auto got = answer_of(reader, next);
        if (!wanted || !got) {
            return std::string(what) + ": no answer";
        }
        if (got->cached_tokens != wanted->cached_tokens || got->token_ids != wanted->token_ids) {
            return std::string(what) + ": " + std::to_string(got->cached_tokens) +
                   " tokens were held, wanted are " + std::to_string(wanted->cached_tokens);
        }
        const auto a = writer.impl().session->last_logits({});
        const auto b = reader.impl().session->last_logits({});
        return a && b && std::equal(a->begin(), a->end(), b->begin())
                   ? std::string()
                   : std::string(what) + ": other logits";
    };
    // The same question again goes back to its end; the conversation goes on behind its answer.
    if (std::string why = same("again", prompt); !why.empty()) {
        return why;
    }
    prompt.insert(prompt.end(), first->token_ids.begin(), first->token_ids.end());
    for (const std::int32_t token : {kEndOfTurn, 77, 78, 79, kEndOfTurn, 40}) {
        prompt.push_back(token);
    }
    if (std::string why = same("on", prompt); !why.empty()) {
        return why;
    }
    // The file grows by what came since, unless the model forgets, and both come back. Its first
    // part is anew: the same question again has computed some positions again, in other batches.
    std::filesystem::remove(path);
    const auto anew = writer.save_past(path);
    if (!anew) {
        return anew.error().message;
    }
    const auto before = std::filesystem::file_size(path);
    const auto cached = writer.impl().session->cached_tokens();
    prompt.assign(cached.begin(), cached.end());
    prompt.insert(prompt.end(), {kEndOfTurn, 201, 5, 113, kEndOfTurn, 40});
    if (std::string why = same("more", prompt); !why.empty()) {
        return why;
    }
    const auto more = writer.save_past(path);
    const auto grown = std::filesystem::file_size(path) - before;
    if (!more || *more <= *anew) {
        return more ? "saved no more" : more.error().message;
    }
    if (writer.saves_in_parts() && grown > before / 2) {
        return "it grew by " + std::to_string(grown) + " of " + std::to_string(before) + " bytes";
    }
    if (!answer_of(reader, conversation(40))) {
        return "no other answer";
    }
    const auto both = reader.restore_past(path);
    if (!both || *both != *more) {
        return both ? "restored " + std::to_string(*both) : both.error().message;
    }
    const auto now = writer.impl().session->cached_tokens();
    prompt.assign(now.begin(), now.end());
    prompt.insert(prompt.end(), {kEndOfTurn, 17, 190, 66, kEndOfTurn, 40});
    return same("further", prompt);
}

}  // namespace hearth::test
