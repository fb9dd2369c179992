// record_experts MODEL [--text FILE | --first TOKEN] [--before 0] [--tokens 128] [--skip 0]
//                [--ctx 512] [--ram BYTES] [--gpu none] [--vram BYTES] [--program FILE]
//                [--guesses trial] [--cache-folder DIR] [-t THREADS] [-o TRACE] [--tune TRACE]
//                [--report FILE]
// Decodes a text token by token, as an answer is, or greedy text, and records for cache_simulator
// which experts of each mixture its tokens choose. --skip: so many of the text's tokens first, so
// that one text gives a trace to learn from and another to judge by. --before: decodes so many
// tokens first, whose trace is --tune's. --report: how fast the others were, what they missed, and
// what room the cache had, for cache_simulator --cache. Traces want --gpu none. --program:
// hearth-cli, which tries the GPU first; without it a GPU is used untried, by --gpu INDEX.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <hearth/engine.h>

#include "bench/expert_run.h"
#include "bench/trace.h"

namespace {

using namespace hearth;

[[noreturn]] void give_up(const std::string& why) {
    std::fprintf(stderr, "record_experts: %s\n", why.c_str());
    std::exit(1);
}

void must_write(const std::string& path, const bench::Trace& trace) {
    if (path.empty()) {
        return;
    }
    if (auto written = bench::write_trace(path, trace); !written) {
        give_up(written.error().message);
    }
}

std::vector<TokenId> read_text(const std::string& path, const Tokenizer& tokenizer,
                               std::uint64_t skip) {
    std::ifstream stream(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (text.empty()) {
        give_up(path + ": cannot be read, or is empty");
    }
    std::vector<TokenId> tokens = tokenizer.tokenize(text, true, false);
    tokens.erase(tokens.begin(),
                 tokens.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(
                                      tokens.size(), static_cast<std::size_t>(skip))));
    if (tokens.empty()) {
        give_up(path + ": has fewer tokens");
    }
    return tokens;
}

}  // namespace

int main(int argc, char** argv) {
    EngineOptions options;
    options.gpu = "none";
    options.keeps_profile = false;
    options.n_ctx = 512;
    options.threads = static_cast<int>(std::thread::hardware_concurrency());
    bench::ExpertRunOptions wanted;
    std::string text_path, output, tune, report_path;
    std::uint64_t skip = 0, ram = 0, vram = 0;
    TokenId first = -1;
    CLI::App app("Records which experts a text's tokens choose.");
    app.add_option("model", options.model_path)->required();
    auto* text = app.add_option("--text", text_path, "decodes this; else greedy text");
    app.add_option("--first", first, "token of greedy text; the begin token if not given")
        ->excludes(text)
        ->check(CLI::Range(0, 1 << 30));
    app.add_option("--before", wanted.n_before, "tokens that are decoded first")
        ->check(CLI::Range(0, 1 << 24));
    app.add_option("--tokens", wanted.n_tokens, "how many then, at most")
        ->check(CLI::Range(1, 1 << 24))
        ->capture_default_str();
    app.add_option("--skip", skip, "how many of the text's before all of them")->needs(text);
    app.add_option("--ctx", options.n_ctx, "tokens of a window")->check(CLI::Range(2, 1 << 20));
    app.add_option("--ram", ram, "bytes that the engine may hold")
        ->transform(CLI::AsSizeValue(false));
    app.add_option("--gpu", options.gpu, "an index or part of a name")->capture_default_str();
    app.add_option("--vram", vram, "bytes of the GPU's memory")->transform(CLI::AsSizeValue(false));
    app.add_option("--program", options.program_path, "hearth-cli, which tries the GPU");
    app.add_option("--cache-folder", options.cache_folder,
                   "of hearth-cli, whose plan has measured the disk");
    app.add_option("-t,--threads", options.threads)->check(CLI::Range(1, 256));
    app.add_option("-o,--output", output, "the trace");
    app.add_option("--tune", tune, "the trace of the tokens before");
    app.add_option("--report", report_path, "JSON");
    std::string guesses = "trial";
    app.add_option("--guesses", guesses, "of the next layer's experts")
        ->check(CLI::IsMember({"trial", "always", "never"}))
        ->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    options.flash_without.guesses = guesses == "never";
    options.flash_without.trial = guesses == "always";
    if (ram > 0) {
        options.ram_bytes = ram;
    }
    if (vram > 0) {
        options.vram_bytes = vram;
    }
    const auto engine = Engine::load(options);
    if (!engine) {
        give_up(engine.error().message);
    }
    LoadedModel& model = (*engine)->impl();
    if (!text_path.empty()) {
        wanted.text = read_text(text_path, *model.tokenizer, skip);
    }
    if (first >= 0) {
        wanted.first = first;
    }
    wanted.records = !output.empty() || !tune.empty();
    const auto run = bench::run_experts(model, wanted);
    if (!run) {
        give_up(run.error().message);
    }
    must_write(output, run->trace);
    must_write(tune, run->before);
    const std::string report = bench::to_json(run->report);
    if (!report_path.empty() && !(std::ofstream(report_path) << report << '\n').flush()) {
        give_up(report_path + ": cannot be written");
    }
    std::printf(
        "%zu tokens, the latest %d; %llu measured: %.2f tokens/s, hits %.1f %%, "
        "read %.1f MB a token\n",
        run->tokens.size(), run->tokens.empty() ? -1 : run->tokens.back(),
        static_cast<unsigned long long>(run->report.tokens), run->report.tokens_per_second,
        100 * run->report.hit_rate(), run->report.disk_bytes / 1e6);
    if (const FlashReads& disk = run->disk; disk.caches_neurons) {
        std::printf(
            "disk at work %.0f %% of the time; %llu experts guessed, %llu right; %llu read early, "
            "%llu used; %d trials, the latest saved %.1f %%: guesses are %s\n",
            100 * run->disk_busy, static_cast<unsigned long long>(disk.experts_guessed),
            static_cast<unsigned long long>(disk.guessed_right),
            static_cast<unsigned long long>(disk.read_ahead),
            static_cast<unsigned long long>(disk.read_ahead_used), disk.guess_trials,
            100 * disk.guess_gain, disk.guesses_pay ? "done" : "left");
    }
    return 0;
}
