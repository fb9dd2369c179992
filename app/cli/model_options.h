// Options of every command that opens or loads a model.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <hearth/engine.h>

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace hearth::cli {

class Program;

// -m, --json: for commands that need a file but load no weights.
struct FileOptions {
    std::string model;  // empty: the starter model
};

// Also -t --gpu --vram --ram --exact --predicted --approximate --kv --ctx.
struct ModelOptions : FileOptions {
    int threads = 0;
    int n_ctx = 0;
    std::string gpu = "auto";
    std::string vram = "auto";
    std::string ram = "auto";
    std::string kept_pasts = "auto";
    std::string kv = "f16";
    bool trace = false;
    bool exact = false;
    bool predicted = false;
    bool dense = false;
    bool approximate = false;
    std::string thresholds;
    std::string predictors;
    std::string predictor_input;
    std::string activation;
    bool reads_profile = false;  // uses the profile that a sparse model made of itself
    bool keeps_profile = false;  // uses it, and makes it or adds to it
    bool heeds_memory_pressure = true;
    FlashWithout flash_without{};
};

// For CLI11's transform(): a whole number in decimal. CLI11 itself would read 010 as 8 and would
// cut numbers that are too large.
CLI::Validator whole_number(std::int64_t smallest, std::int64_t greatest);
CLI::Validator seed_number();  // 0 to 2^64 - 1
CLI::Validator not_empty();    // for check()
// For check(): a number from `smallest` to `greatest`; NaN is none. CLI11's Range lets it pass.
CLI::Validator real_number(double smallest, double greatest);

void add_json_option(CLI::App& command, Program& program);
void add_file_options(CLI::App& command, FileOptions& options, Program& program);
void add_model_options(CLI::App& command, ModelOptions& options, Program& program);

// The file to open: the one after -m, else the starter model that came with the program. NotFound.
Result<std::string> model_path(const FileOptions& options);

// Loads the model, or prints the reason for the failure. `engine` is then null and `status` is the
// exit status. SIGINT cancels.
struct Loaded {
    std::unique_ptr<Engine> engine;
    int status = 0;
};
Loaded load_model(Program& program, const ModelOptions& options);

}  // namespace hearth::cli
