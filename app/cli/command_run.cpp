// hearth-cli run: one answer, or a chat in the terminal.
#include <CLI/CLI.hpp>
#include <algorithm>

#include <hearth/reasoning.h>

#include "chat_loop.h"
#include "files.h"
#include "model_options.h"
#include "program.h"
#include "report.h"
#include "sampling_options.h"
#include "system.h"

namespace hearth::cli {
namespace {

struct Options : ModelOptions, SamplingArguments {
    std::string prompt;
    bool has_prompt = false;
    bool chat = false;
    bool raw = false;
    std::string system;
    int max_tokens = -1;
    std::vector<std::string> stop;
    std::string think;  // "on", "off"; empty: as the template has it
    std::string effort;
    bool no_drafts = false;
};

double ms_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

// Prints the time between the process's start and its first token, by step.
void print_first_token(const Program& program, const LoadTimings& load, double before_load_ms,
                       double before_answer_ms, const GenerationResult& result) {
    const double named = load.open_ms + load.tokenizer_ms + load.plan_ms + load.weights_ms;
    const double begin = program.process_to_main_ms;
    say(
        format("first token %.0f ms after the process began: start %.0f, arguments %.0f, open "
               "%.0f, tokenizer %.0f, plan %.0f, weights %.0f, other loading %.0f, prefill %.0f, "
               "template and sampling %.0f\n",
               begin + before_answer_ms + result.ttft_ms, begin, before_load_ms, load.open_ms,
               load.tokenizer_ms, load.plan_ms, load.weights_ms,
               std::max(0.0, before_answer_ms - before_load_ms - named), result.prefill_ms,
               std::max(0.0, result.ttft_ms - result.prefill_ms)));
}

void print_summary(const Engine& engine, const GenerationResult& result) {
    say(format("prompt %d tokens", result.prompt_tokens));
    if (result.cached_tokens > 0) {
        say(format(" (%d of them known)", result.cached_tokens));
    }
    say(format(" at %.1f/s, answer %zu tokens at %.1f/s, %s%s, seed %llu\n", result.prefill_per_s,
               result.token_ids.size(), result.decode_per_s,
               std::string(to_string(result.finish)).c_str(),
               engine.settings().mode == "approximate" ? ", approximate" : "",
               static_cast<unsigned long long>(result.seed)));
    if (result.drafted_tokens > result.guessed_tokens) {
        say(format("%d tokens were drafted from the text so far, %d of them were right\n",
                   result.drafted_tokens - result.guessed_tokens,
                   result.right_drafts - result.right_guesses));
    }
    if (result.guessed_tokens > 0) {
        say(format("%d tokens were foretold by a layer of the model, %d of them were right\n",
                   result.guessed_tokens, result.right_guesses));
    }
    say(memory_line(engine.memory()) + "\n");
    if (const std::string gpu = gpu_line(engine.settings()); !gpu.empty()) {
        say(gpu + "\n");
    }
    if (const std::string flash = flash_line(engine.flash()); !flash.empty()) {
        say(flash + "\n");
    }
    if (const std::string experts = experts_line(result.experts); !experts.empty()) {
        say(experts + "\n");
    }
    say(trace_table(engine.trace()));
    if (!result.notice.empty()) {
        say("meanwhile: " + result.notice + "\n");
    }
}

Json positive_or_null(double value) {
    return value > 0 ? Json(value) : Json(nullptr);
}

// All of them, and by where they came from.
Json drafts_json(const GenerationResult& result) {
    const auto counts = [](int tokens, int right) {
        return Json{{"tokens", tokens}, {"right", right}};
    };
    Json json = counts(result.drafted_tokens, result.right_drafts);
    json["text"] = counts(result.drafted_tokens - result.guessed_tokens,
                          result.right_drafts - result.right_guesses);
    json["layer"] = counts(result.guessed_tokens, result.right_guesses);
    return json;
}

Json result_json(const Engine& engine, const GenerationResult& result,
                 const DecodeStatistics& decoded, float temperature) {
    const ReasonedAnswer split = split_reasoning(result.text);
    return {
        {"text", std::string(split.answer)},
        {"reasoning", split.reasoning.empty() ? Json(nullptr) : Json(std::string(split.reasoning))},
        {"token_ids", result.token_ids},
        {"finish", std::string(to_string(result.finish))},
        {"prompt_tokens", result.prompt_tokens},
        {"cached_tokens", result.cached_tokens},
        {"load_ms", engine.load_timings().total_ms},
        {"load_gb_per_s", load_speed_json(engine.load_timings(), engine.memory())},
        {"ttft_ms", positive_or_null(result.ttft_ms)},
        {"prefill_per_s", positive_or_null(result.prefill_per_s)},
        {"decode_per_s", positive_or_null(result.decode_per_s)},
        {"settings", settings_json(engine.settings(), result.seed, temperature)},
        {"memory", memory_json(engine.memory())},
        {"flash", flash_json(engine.flash())},
        {"share", share_json(decoded)},
        {"experts", experts_json(result.experts)},
        {"drafts", drafts_json(result)},
        {"notice", result.notice.empty() ? Json(nullptr) : Json(result.notice)}};
}

int answer_once(Program& program, const Options& options, Engine& engine,
                const GenerationOptions& generation, double before_load_ms) {
    const auto on_piece = [&](std::string_view piece) {
        if (!program.json && !program.write(piece)) {
            program.cancellation.request();  // nobody reads any more
        }
    };
    const double before_answer_ms = ms_since(program.main_start);
    std::vector<ChatMessage> messages;
    if (!options.system.empty()) {
        messages.push_back({"system", options.system});
    }
    messages.push_back({"user", options.prompt});
    Result<GenerationResult> result =
        options.raw ? engine.complete(options.prompt, generation, on_piece, program.cancellation)
                    : engine.chat(messages, generation, on_piece, program.cancellation);
    if (!result) {
        return program.fail(result.error());
    }
    int status = kDone;
    if (program.json) {
        auto decoded = engine.decode_statistics();
        if (!decoded) {  // the answer was printed all the same
            result->notice += (result->notice.empty() ? "" : "; ") + decoded.error().message;
            decoded = DecodeStatistics();
        }
        status =
            program.finish(result_json(engine, *result, *decoded, generation.sampling.temperature));
    } else {
        program.write("\n");
        status = program.finish();
    }
    if (status != kDone) {
        return status;
    }
    if (!result->token_ids.empty()) {
        print_first_token(program, engine.load_timings(), before_load_ms, before_answer_ms,
                          *result);
    }
    print_summary(engine, *result);
    return was_interrupted() ? kInterrupted : kDone;
}

Wrong check(Options& options) {
    if (options.chat && (options.has_prompt || options.raw || !options.stop.empty())) {
        return {"--chat goes with neither -p, --raw nor --stop", "chat"};
    }
    if (options.raw && !options.system.empty()) {
        return {"--raw feeds the text as it is: --system has no place in it", "system"};
    }
    if (Wrong wrong = check_sampling(options); !wrong.message.empty()) {
        return wrong;
    }
    if (options.max_tokens != -1 && options.max_tokens < 1) {
        return {"-n: at least 1, or -1 for as many as there is room for", "max-tokens"};
    }
    if (std::any_of(options.stop.begin(), options.stop.end(),
                    [](const std::string& text) { return text.empty(); })) {
        return {"--stop: an empty text would stop everything", "stop"};
    }
    return {};
}

// Saves the profile, so that the next plan or pack of this model knows which neurons are hot.
void keep_profile(Engine& engine, bool chat) {
    const auto saved = engine.save_profile();
    if (!saved) {
        say("the profile of this model was not saved: " + saved.error().message + "\n");
    } else if (*saved > 0 && !chat) {  // a chat's screen shows the conversation only
        say(format(
            "noted which neurons fired in these %llu tokens: the next start knows which of this "
            "model to keep at hand\n",
            static_cast<unsigned long long>(*saved)));
    }
}

// Flags that the model's template does not look at.
void say_what_does_not_apply(const Engine& engine, const Options& options) {
    const ChatTraits& chat = engine.model().chat;
    if (!options.think.empty() && !chat.has_thinking_switch) {
        say("--think: this model's chat template has no such switch\n");
    }
    if (!options.effort.empty() && !chat.has_reasoning_effort) {
        say("--reasoning-effort: this model's chat template has no such setting\n");
    }
}

int run(Program& program, Options& options) {
    if (const Wrong wrong = check(options); !wrong.message.empty()) {
        return program.usage(wrong.message, wrong.option);
    }
    if (options.chat && program.json) {
        return program.usage("--chat talks to people: --json has no place in it", "--json");
    }
    if (!options.chat && !options.has_prompt) {
        if (input_is_terminal()) {
            return program.usage(
                "nothing to answer: give -p TEXT, --chat, or a text on standard "
                "input",
                "--prompt");
        }
        Result<std::string> text = read_text("-");
        if (!text) {
            return program.fail(text.error());
        }
        options.prompt = std::move(*text);
        // The last line end comes from the shell and is not part of the question.
        if (!options.raw && options.prompt.ends_with('\n')) {
            options.prompt.pop_back();
            if (options.prompt.ends_with('\r')) {
                options.prompt.pop_back();
            }
        }
    }
    if (!options.chat && options.prompt.empty()) {
        return program.usage("the prompt is empty", "--prompt");
    }

    GenerationOptions generation;
    if (auto read = read_grammar(options, generation); !read) {
        return program.fail(read.error());
    }
    const double before_load_ms = ms_since(program.main_start);
    options.keeps_profile = true;
    const Loaded loaded = load_model(program, options);
    if (loaded.engine == nullptr) {
        return loaded.status;
    }
    generation.sampling = options.sampling;
    generation.max_tokens = options.max_tokens;
    generation.stop = options.stop;
    generation.reasoning_effort = options.effort;
    generation.drafts = !options.no_drafts;
    if (!options.think.empty()) {
        generation.thinking = options.think == "on";
    }
    say_what_does_not_apply(*loaded.engine, options);
    const int status =
        options.chat ? chat_loop(program, *loaded.engine, options.system, generation)
                     : answer_once(program, options, *loaded.engine, generation, before_load_ms);
    keep_profile(*loaded.engine, options.chat);
    return status;
}

}  // namespace

void add_run(CLI::App& app, Program& program) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("run", "answer a question, or chat in the terminal");
    CLI::Option* prompt = command->add_option(
        "-p,--prompt", options->prompt, "the question: one user turn (default: standard input)");
    command->add_flag("--chat", options->chat, "chat in the terminal");
    command->add_flag("--raw", options->raw, "continue the text as it is, without chat template");
    command->add_option("--system", options->system,
                        "what the model is told before the first turn");
    command->add_option("-n,--max-tokens", options->max_tokens, "longest answer in tokens")
        ->transform(whole_number(-1, 1 << 24));
    add_sampling_options(*command, *options);
    command
        ->add_option("--stop", options->stop, "the answer ends before this text; may be repeated")
        ->expected(1)
        ->take_all();
    command->add_flag("--no-drafts", options->no_drafts,
                      "pass each token alone (drafts change the speed, not the answer)");
    command->add_option("--think", options->think, "whether the model reasons before it answers")
        ->check(CLI::IsMember({"on", "off"}));
    command->add_option("--reasoning-effort", options->effort, "how much it reasons")
        ->check(CLI::IsMember({"low", "medium", "high"}));
    add_model_options(*command, *options, program);
    command->callback([options, prompt, &program] {
        program.action = [options, prompt, &program] {
            options->has_prompt = prompt->count() > 0;
            return run(program, *options);
        };
    });
}

}  // namespace hearth::cli
