// The frame that all commands share: output, failure, interruption.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include <hearth/cancellation.h>
#include <hearth/result.h>
#include <nlohmann/json.hpp>

namespace CLI {
class App;
}

namespace hearth::cli {

using Json = nlohmann::ordered_json;

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kInterrupted = 130;

// One run of hearth-cli. Commands return its exit status.
class Program {
public:
    double process_to_main_ms = 0;  // from the system's start of the process to main()
    std::chrono::steady_clock::time_point main_start;

    std::string command;          // "run"; empty until one is chosen
    bool json = false;            // --json
    std::function<int()> action;  // set by the chosen command
    Cancellation cancellation;    // requested by SIGINT

    // Writes to standard output and flushes, so that readers see each piece as it comes. Returns
    // false once a write failed; nothing more is written then.
    bool write(std::string_view bytes);
    bool write_failed() const { return write_errno_ != 0; }

    // Prints {"schema":1,"command":...,"version":..., fields...}. Returns kDone, or kFailed if it
    // could not be written.
    int finish(const Json& fields);
    // Like finish(), when all output was text.
    int finish();

    // Says a sentence on standard error, which is read on; empty: nothing.
    void warn(const std::string& sentence) const;

    // Reports the error on standard error, or with --json as the contract's error object. Returns
    // kFailed, or kInterrupted for Cancelled.
    int fail(const Error& error);
    // A wrong command line; `option` is its long name, "--ctx" or "ctx". Returns kUsage.
    int usage(const std::string& message, const std::string& option = {});

    // Call it once command and json are known. From then on a SIGINT that ends the process at once
    // reports itself in JSON, too.
    void announce_interrupts() const;

private:
    Json envelope() const;
    Json error_object(const Error& error) const;
    void report(const Error& error);

    int write_errno_ = 0;
};

// Replaces invalid UTF-8 (model output, metadata, paths) by U+FFFD; never throws for it.
std::string to_text(const Json& json);

// Each adds one subcommand and, when it is chosen, sets program.action. One file per command.
void add_run(CLI::App& app, Program& program);
void add_serve(CLI::App& app, Program& program);
void add_bench(CLI::App& app, Program& program);
void add_logits(CLI::App& app, Program& program);
void add_tokenize(CLI::App& app, Program& program);
void add_detokenize(CLI::App& app, Program& program);
void add_template(CLI::App& app, Program& program);
void add_perplexity(CLI::App& app, Program& program);
void add_inspect(CLI::App& app, Program& program);
void add_devices(CLI::App& app, Program& program);
void add_quantize(CLI::App& app, Program& program);
void add_plan(CLI::App& app, Program& program);
void add_train_predictor(CLI::App& app, Program& program);
void add_profile(CLI::App& app, Program& program);
void add_pack(CLI::App& app, Program& program);
void add_probe_gpu(CLI::App& app, Program& program);

}  // namespace hearth::cli
