// compare --hearth build/bin/hearth-cli [--peer llama-bench] --model A.gguf [--model B.gguf ...]
// Measures Hearth and another engine's llama-bench in turns and prints the table of
// docs/measurements.
//
// The memory of a shared machine is fast at one minute and slow at the next, so nothing is compared
// that was not measured side by side: every round takes each model through every engine, with the
// read bandwidth measured before and after each child process. The other engine is whatever the
// caller built; nothing is fetched here.
//
// --json FILE keeps every number and is written after each child, so a comparison may be stopped;
// `compare --from FILE [--from FILE ...]` prints the table of what several pieces measured.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "bench/child_process.h"
#include "bench/comparison.h"
#include "bench/peaks/peaks.h"
#include "bench/record.h"
#include "gguf/reader.h"
#include "hardware/bandwidth.h"
#include "hardware/cpu_features.h"

namespace {

using namespace hearth;
using namespace hearth::bench;

struct Options {
    std::string hearth;
    std::string peer;
    std::string peer_name = "peer";
    std::vector<std::string> peer_arguments;
    std::vector<std::string> models;
    std::vector<int> depths;
    int threads = 0;
    int prefill = 512;
    int decode = 64;
    int rounds = 3;
    int repetitions = 2;
    bool depth_only = false;
    std::string cpu;
    std::string json_path;
    std::vector<std::string> from;
};

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

std::string stem_of(const std::string& path) {
    return std::filesystem::path(path).stem().string();
}

ModelFacts read_facts(const std::string& path) {
    ModelFacts facts;
    facts.path = path;
    facts.name = stem_of(path);
    if (const auto file = GgufFile::open(path)) {
        facts.file_bytes = file->file_bytes();
        for (const TensorInfo& tensor : file->tensors().entries()) {
            // The output matrix sees a prompt's last token only, and the embedding is looked up.
            if (tensor.shape.size() == 2 && tensor.name.starts_with("blk.")) {
                facts.operations_per_prompt_token += 2 * static_cast<double>(tensor.values());
            }
        }
    }
    return facts;
}

class Comparison {
public:
    // peak: of which out.peaks has the speed on an idle machine.
    Comparison(const Options& options, const Peak& peak, double peak_per_s, Measurements& out)
        : options_(options), peak_(peak), peak_per_s_(peak_per_s), out_(out) {}

    // False: the file of --json cannot be written.
    bool measure() {
        probe();
        for (int round = 0; round < options_.rounds; ++round) {
            for (const std::string& model : options_.models) {
                if (!options_.depth_only && !measure_at(model, round, 0)) {
                    return false;
                }
                // Filling a long context takes minutes: once.
                for (const int depth : round == 0 ? options_.depths : std::vector<int>{}) {
                    if (!measure_at(model, round, depth)) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

private:
    // Takes 0.5 s.
    void probe() {
        last_gb_per_s_ = measure_ram_read_gb_per_s(out_.threads);
        last_idle_ = measure_peak(peak_, out_.threads).typical / peak_per_s_;
    }

    bool measure_at(const std::string& model, int round, int depth) {
        bool kept =
            measure_one(model, round, depth, std::string(kHearth), hearth_command(model, depth));
        for (const std::string& arguments : options_.peer_arguments) {
            if (!options_.peer.empty()) {
                kept = kept && measure_one(model, round, depth, arguments,
                                           peer_command(model, depth, arguments));
            }
        }
        return kept;
    }

    bool measure_one(const std::string& model, int round, int depth, const std::string& engine,
                     const std::vector<std::string>& command) {
        Record record;
        record.model = model;
        record.engine = engine;
        record.round = round;
        record.wanted = wanted(depth);
        record.gb_per_s_before = last_gb_per_s_;
        record.idle_before = last_idle_;
        ChildResult child = run_child(command);
        probe();
        record.gb_per_s_after = last_gb_per_s_;
        record.idle_after = last_idle_;
        record.output = child.is_cut ? std::string() : std::move(child.output);
        if (child.status != 0) {
            record.problem = child.last_error.empty() ? "ended with an error" : child.last_error;
        }
        tell(record);
        out_.records.push_back(std::move(record));
        return save();
    }

    // What a run at this depth is asked for.
    std::vector<Test> wanted(int depth) const {
        const std::array tests{Test{false, depth == 0 ? options_.prefill : 0, depth},
                               Test{true, options_.decode, depth}};
        std::vector<Test> asked;
        std::copy_if(tests.begin(), tests.end(), std::back_inserter(asked),
                     [](const Test& test) { return test.tokens > 0; });
        return asked;
    }

    std::vector<std::string> hearth_command(const std::string& model, int depth) const {
        // Greedy, since llama-bench draws no tokens at all.
        return {options_.hearth,
                "bench",
                "-m",
                model,
                "-t",
                std::to_string(out_.threads),
                "-p",
                std::to_string(depth == 0 ? options_.prefill : 0),
                "-n",
                std::to_string(options_.decode),
                "-r",
                std::to_string(options_.repetitions),
                "--depth",
                std::to_string(depth),
                "--temp",
                "0",
                "--json"};
    }

    std::vector<std::string> peer_command(const std::string& model, int depth,
                                          const std::string& arguments) {
        std::vector<std::string> command{
            options_.peer, "-m", model, "-t", std::to_string(out_.threads), "-o", "json"};
        const std::string decode = std::to_string(options_.decode);
        // It fills a long context anew for every repetition.
        const std::string repetitions = std::to_string(depth == 0 ? options_.repetitions : 1);
        if (depth == 0) {
            command.insert(command.end(), {"-p", std::to_string(options_.prefill), "-n", decode});
        } else if (knows_depth()) {
            command.insert(command.end(), {"-p", "0", "-n", decode, "-d", std::to_string(depth)});
        } else {
            command.insert(command.end(),
                           {"-p", "0", "-n", "0", "-gp", std::to_string(depth) + "," + decode});
        }
        command.insert(command.end(), {"-r", repetitions});
        const std::vector<std::string> words = words_of(arguments);
        command.insert(command.end(), words.begin(), words.end());
        return command;
    }

    // llama.cpp's has -d, --n-depth; ik_llama.cpp's has -gp instead.
    bool knows_depth() {
        if (!knows_depth_) {
            const ChildResult help = run_child({options_.peer, "--help"});
            knows_depth_ = help.output.find("--n-depth") != std::string::npos;
        }
        return *knows_depth_;
    }

    void tell(const Record& record) const {
        HearthOutput ignored;
        const Run run = evaluate(record, ignored);
        std::string speeds;
        for (const Speeds& one : run.speeds) {
            std::array<char, 64> text{};
            std::snprintf(text.data(), text.size(), " %.1f/s;", median(one.per_s));
            speeds += " " + to_string(one.test) + text.data();
        }
        std::fprintf(stderr,
                     "%d. %s, %s:%s%s%s memory reads %.1f, %.1f GB/s, idle "
                     "%.0f, %.0f %%\n",
                     record.round + 1, stem_of(record.model).c_str(), record.engine.c_str(),
                     speeds.c_str(), run.failure.empty() ? "" : " failed: ",
                     run.failure.empty() ? "" : (run.failure + ";").c_str(), record.gb_per_s_before,
                     record.gb_per_s_after, 100 * record.idle_before, 100 * record.idle_after);
    }

    bool save() const {
        if (options_.json_path.empty()) {
            return true;
        }
        std::ofstream file(options_.json_path, std::ios::binary);
        file << to_json(out_);
        file.close();
        if (!file) {
            std::fprintf(stderr, "compare: %s could not be written\n", options_.json_path.c_str());
        }
        return static_cast<bool>(file);
    }

    const Options& options_;
    const Peak& peak_;
    double peak_per_s_;
    Measurements& out_;
    double last_gb_per_s_ = 0;
    double last_idle_ = 1;
    std::optional<bool> knows_depth_;
};

// The integer peak that all others are judged by comes last.
const Peak& widest_integer_peak(std::uint32_t cpu_flags) {
    std::array<const Peak*, kMostPeaks> peaks{};
    const int count = available_peaks(cpu_flags, peaks.data());
    const Peak* widest = nullptr;
    for (int i = 0; i < count; ++i) {
        const Peak* peak = peaks[static_cast<std::size_t>(i)];
        widest = peak->kind == PeakKind::Int8 ? peak : widest;
    }
    return *widest;  // plain loops run everywhere
}

// All tables. False: the pieces do not belong together.
bool print(const Measurements& all, const std::string& peer_name) {
    std::vector<ModelFacts> models;
    std::vector<Run> runs;
    std::vector<double> probes;
    std::vector<double> idle;
    std::string isa;
    bool has_peer = false;
    for (const Record& record : all.records) {
        auto facts = std::find_if(models.begin(), models.end(),
                                  [&](const ModelFacts& m) { return m.path == record.model; });
        if (facts == models.end()) {
            models.push_back(read_facts(record.model));
            facts = models.end() - 1;
        }
        HearthOutput hearth;
        runs.push_back(evaluate(record, hearth));
        has_peer = has_peer || record.engine != kHearth;
        probes.insert(probes.end(), {record.gb_per_s_before, record.gb_per_s_after});
        idle.insert(idle.end(), {record.idle_before, record.idle_after});
        if (hearth.isa.empty()) {
            continue;
        }
        if (!isa.empty() && isa != hearth.isa) {
            std::fprintf(stderr, "compare: Hearth used %s here and %s there: no one table\n",
                         isa.c_str(), hearth.isa.c_str());
            return false;
        }
        isa = hearth.isa;
        if (std::all_of(record.wanted.begin(), record.wanted.end(),
                        [](const Test& test) { return test.depth == 0; })) {
            facts->footprints.push_back(hearth.footprint);
        }
    }
    std::sort(probes.begin(), probes.end());
    std::sort(idle.begin(), idle.end());
    const char* plural = all.threads == 1 ? "" : "s";
    std::printf(
        "%s, %d thread%s, Hearth's kernels: %s. Memory reads between the runs: median "
        "%.1f GB/s, %.1f to %.1f. Arithmetic to be had then: median %.0f %% of the peak, lowest "
        "%.0f %%.\n\n",
        all.cpu.c_str(), all.threads, plural, isa.c_str(), median(probes),
        probes.empty() ? 0 : probes.front(), probes.empty() ? 0 : probes.back(), 100 * median(idle),
        idle.empty() ? 0 : 100 * idle.front());
    double integer_peak = 0;
    std::printf("| at most | instruction | %d thread%s |\n| --- | --- | --- |\n", all.threads,
                plural);
    for (const PeakFigure& peak : all.peaks) {
        std::printf("| %s %s | %s | %.2f T%s/s |\n", peak.table.c_str(),
                    peak.is_integer ? "int8" : "f32", peak.instruction.c_str(),
                    peak.operations_per_s / 1e12, peak.is_integer ? "op" : "flop");
        if (peak.is_integer && peak.table == isa) {
            integer_peak = peak.operations_per_s;
        }
    }
    std::printf(
        "\n%s\n%s",
        speed_table(make_rows(models, runs, integer_peak), has_peer ? peer_name : "").c_str(),
        memory_table(models).c_str());
    return true;
}

int print_from(const Options& options) {
    Measurements all;
    for (const std::string& path : options.from) {
        std::ifstream file(path, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        const auto piece = parse_measurements(text);
        const auto joined = piece ? join(all, *piece) : Result<void>(piece.error());
        if (!joined) {
            std::fprintf(stderr, "compare: %s: %s\n", path.c_str(),
                         file ? joined.error().message.c_str() : "cannot be read");
            return 1;
        }
    }
    return print(all, options.peer_name) ? 0 : 1;
}

int measure(const Options& options) {
    const CpuFeatures cpu = detect_cpu_features();
    Measurements all;
    all.cpu = cpu.name;
    all.threads = options.threads > 0 ? options.threads : cpu.physical_cores;
    std::array<const Peak*, kMostPeaks> peaks{};
    const int n_peaks = available_peaks(cpu.flags, peaks.data());
    const Peak& widest = widest_integer_peak(cpu.flags);
    double widest_per_s = 0;
    for (int i = 0; i < n_peaks; ++i) {
        const Peak& peak = *peaks[static_cast<std::size_t>(i)];
        const double per_s = measure_peak(peak, all.threads).best;
        all.peaks.push_back({peak.table, peak.instruction, peak.kind == PeakKind::Int8, per_s});
        widest_per_s = &peak == &widest ? per_s : widest_per_s;
    }
    if (!options.cpu.empty()) {
        set_environment("HEARTH_CPU", options.cpu);
    }
    if (!Comparison(options, widest, widest_per_s, all).measure()) {
        return 1;
    }
    return print(all, options.peer_name) ? 0 : 1;
}

// The values of --peer-args begin with a dash: said with "=", CLI11 takes them for what they are.
std::vector<std::string> joined_arguments(int argc, char** argv) {
    std::vector<std::string> words;
    for (int i = argc - 1; i > 0; --i) {  // CLI11 reads them from the back
        std::string word = argv[i];
        if (word == "--peer-args" && !words.empty()) {
            word += "=" + words.back();
            words.pop_back();
        }
        words.push_back(std::move(word));
    }
    return words;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Measures Hearth and another engine in turns.");
    app.add_option("--hearth", options.hearth, "hearth-cli to measure");
    app.add_option("--peer", options.peer, "llama-bench of llama.cpp or ik_llama.cpp");
    app.add_option("--peer-name", options.peer_name, "what the table calls it");
    app.add_option("--peer-args", options.peer_arguments,
                   "its settings in one word, \"-fa 1 -rtr 0\"; several: the best counts")
        ->allow_extra_args(false);
    app.add_option("--model", options.models, "GGUF files");
    app.add_option("-t,--threads", options.threads, "threads (default: one per core)")
        ->check(CLI::Range(1, 1024));
    app.add_option("-p,--prefill", options.prefill, "prompt tokens; 0 leaves it out")
        ->check(CLI::Range(0, 1 << 20))
        ->capture_default_str();
    app.add_option("-n,--decode", options.decode, "decoded tokens; 0 leaves it out")
        ->check(CLI::Range(0, 1 << 20))
        ->capture_default_str();
    app.add_option("--depth", options.depths, "decode after this many tokens too: 4096,16384")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(1, 1 << 20));
    app.add_flag("--depth-only", options.depth_only, "nothing but what --depth asks for");
    app.add_option("--rounds", options.rounds, "rounds; long contexts are measured in the first")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    app.add_option("-r,--repetitions", options.repetitions, "repetitions inside one process")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    app.add_option("--cpu", options.cpu, "Hearth's kernels: generic, avx2, ...");
    app.add_option("--json", options.json_path, "file that takes every number");
    app.add_option("--from", options.from, "measure nothing: the table of such files");
    try {
        app.parse(joined_arguments(argc, argv));
    } catch (const CLI::ParseError& error) {
        return app.exit(error);
    }
    if (!options.from.empty()) {
        return print_from(options);
    }
    if (options.hearth.empty() || options.models.empty()) {
        std::fprintf(stderr, "compare: --hearth and --model, or --from, say what to compare\n");
        return 2;
    }
    if (options.prefill == 0 && options.decode == 0) {
        std::fprintf(stderr, "compare: -p 0 and -n 0 leave nothing to measure\n");
        return 2;
    }
    for (const std::string& path : options.models) {
        if (const auto file = GgufFile::open(path); !file) {
            std::fprintf(stderr, "compare: %s\n", file.error().message.c_str());
            return 1;
        }
    }
    if (options.peer_arguments.empty()) {
        options.peer_arguments = {"-fa 1"};
    }
    return measure(options);
}
