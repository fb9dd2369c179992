// hearth-cli bench: speed of prefill and decode.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include <hearth/tools.h>

#include "model_options.h"
#include "printable.h"
#include "program.h"
#include "report.h"
#include "size.h"
#include "system.h"

namespace hearth::cli {
namespace {

struct Options : ModelOptions {
    tools::BenchOptions bench;
    std::vector<std::string> without;  // parts of reading from flash
    std::vector<std::string> moves;    // --move-budget
};

// The parts that --without may name.
struct FlashPartName {
    const char* name;
    bool FlashWithout::*part;
};
constexpr std::array kFlashParts{FlashPartName{"direct", &FlashWithout::direct},
                                 FlashPartName{"neurons", &FlashWithout::neurons},
                                 FlashPartName{"cache", &FlashWithout::cache},
                                 FlashPartName{"overlap", &FlashWithout::overlap},
                                 FlashPartName{"guesses", &FlashWithout::guesses},
                                 FlashPartName{"trial", &FlashWithout::trial}};

// Means over the decoded tokens alone, where weights are read from flash.
Json flash_per_token_json(const tools::BenchReport& report) {
    const tools::BenchReport::Flash& flash = report.flash;
    return {{"reads", flash.reads},
            {"bytes", flash.bytes},
            {"hits", flash.hits},
            {"misses", flash.misses},
            {"disk_idle_share", flash.reads > 0 ? Json(flash.idle_share) : Json(nullptr)}};
}

double smallest(const std::vector<double>& values) {
    return *std::min_element(values.begin(), values.end());
}

double greatest(const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end());
}

// Null stands for a test that was left out.
Json rates_json(const tools::Rates& rates) {
    const std::vector<double>& runs = rates.runs_per_s;
    if (runs.empty()) {
        return {{"tokens", rates.tokens},
                {"median_per_s", nullptr},
                {"min_per_s", nullptr},
                {"max_per_s", nullptr},
                {"runs", Json::array()}};
    }
    return {{"tokens", rates.tokens},
            {"median_per_s", median(runs)},
            {"min_per_s", smallest(runs)},
            {"max_per_s", greatest(runs)},
            {"runs", runs}};
}

Json or_null(double value) {
    return value > 0 ? Json(value) : Json(nullptr);
}

Json forecast_json(const tools::SpeedForecast& forecast) {
    const std::optional<tools::SpeedForecast::Range> decode = forecast.decode_per_s;
    return {
        {"decode_per_s", decode ? Json(decode->mid) : Json(nullptr)},
        {"ram_read_gb_per_s", or_null(forecast.ram_read_gb_per_s)},
        {"disk_read_gb_per_s", or_null(forecast.disk_read_gb_per_s.value_or(0))},
        {"prefill_per_s", forecast.prefill_per_s ? Json(*forecast.prefill_per_s) : Json(nullptr)}};
}

Json report_json(const Engine& engine, const tools::BenchReport& report,
                 const SamplingOptions& sampling, const std::vector<std::string>& without) {
    const std::vector<double>& ttft = report.ttft_ms;
    const std::vector<double>& latency = report.latency_ms;
    const bool decoded = !report.decode.runs_per_s.empty();
    const auto latency_at = [&](double percent) {
        return latency.empty() ? Json(nullptr) : Json(percentile(latency, percent));
    };
    Json layers = Json::array();
    for (const LayerStatistics& layer : report.decoded.layers) {
        layers.push_back({{"index", layers.size()},
                          {"path", layer.path},
                          {"density", layer.fired},
                          {"block_us", layer.block_us > 0 ? Json(layer.block_us) : Json(nullptr)},
                          {"examined", layer.examined},
                          {"opened", layer.opened},
                          {"inputs", layer.inputs}});
    }
    Json object;
    object["model"] = model_json(engine.model());
    object["settings"] = settings_json(engine.settings(), sampling.seed, sampling.temperature);
    object["depth"] = report.depth_tokens;
    object["load_ms"] = engine.load_timings().total_ms;
    object["load_gb_per_s"] = load_speed_json(engine.load_timings(), engine.memory());
    object["prefill"] = rates_json(report.prefill);
    object["decode"] = rates_json(report.decode);
    object["ttft_ms"] = {{"median", ttft.empty() ? Json(nullptr) : Json(median(ttft))},
                         {"min", ttft.empty() ? Json(nullptr) : Json(smallest(ttft))},
                         {"max", ttft.empty() ? Json(nullptr) : Json(greatest(ttft))}};
    object["memory"] = memory_json(engine.memory());
    object["flash"] = flash_json(engine.flash());
    object["flash"]["per_token"] = decoded ? flash_per_token_json(report) : Json(nullptr);
    object["flash"]["without"] = without;
    object["processor_ms_per_token"] = decoded && report.processor_ms_per_token > 0
                                           ? Json(report.processor_ms_per_token)
                                           : Json(nullptr);
    object["share"] = share_json(report.decoded);
    object["bytes_per_token"] = {
        {"vram", decoded ? Json(report.vram_bytes_per_token) : Json(nullptr)},
        {"bus", engine.memory().bus_bytes_per_token},
        {"ram", decoded ? Json(report.ram_bytes_per_token) : Json(nullptr)},
        {"flash", engine.flash().bytes_per_token}};
    object["latency_ms"] = {
        {"p50", latency_at(50)}, {"p90", latency_at(90)}, {"p99", latency_at(99)}};
    object["layers"] = std::move(layers);
    return object;
}

std::string rates_line(const char* name, const tools::Rates& rates) {
    const std::vector<double>& runs = rates.runs_per_s;
    return runs.empty()
               ? ""
               : format("%-8s %5d tokens  %9.1f/s  (%.1f to %.1f, %zu runs)\n", name, rates.tokens,
                        median(runs), smallest(runs), greatest(runs), runs.size());
}

// Bytes read from memory: "3.1 GiB", or one figure for each memory.
std::string read_text(const tools::BenchReport& report) {
    const std::string ram = format_size(report.ram_bytes_per_token);
    return report.vram_bytes_per_token == 0
               ? ram
               : ram + " of RAM and " + format_size(report.vram_bytes_per_token) + " of VRAM";
}

// Describes the feed-forward blocks of single tokens: their time, the neurons computed in layers
// that leave some out (in the mean), and the neurons that fired in layers that might leave some out
// but gain nothing by it.
std::string sparsity_line(const Engine& engine, const DecodeStatistics& decoded) {
    double examined = 0, opened = 0, fired = 0, inputs = 0, block_us = 0;
    double dense_fired = 0;
    int n = 0;
    int n_dense = 0;
    for (const LayerStatistics& layer : decoded.layers) {
        block_us += layer.block_us;
        if (layer.path == "dense" && layer.tokens > 0) {
            dense_fired += layer.fired;
            ++n_dense;
        }
        if (layer.path != "dense" && layer.tokens > 0) {
            examined += layer.examined;
            opened += layer.opened;
            fired += layer.fired;
            inputs += layer.inputs;
            ++n;
        }
    }
    if (block_us == 0) {
        return "";
    }
    std::string line = format("feed-forward blocks %.3f ms a token", block_us / 1e3);
    if (n > 0 && engine.settings().mode == "approximate") {
        line += format(", approximate: %.1f %% of their inputs and %.1f %% of the neurons kept",
                       100 * inputs / n, 100 * fired / n);
    } else if (n > 0) {
        line += format(
            ", %s in %d layers: %.1f %% of the gates computed, %.1f %% open, %.1f %% of "
            "the neurons fired",
            engine.settings().mode.c_str(), n, 100 * examined / n, 100 * opened / n,
            100 * fired / n);
    }
    if (n_dense > 0) {
        line += format(", dense in %d layers, where %.1f %% of the neurons fired", n_dense,
                       100 * dense_fired / n_dense);
    }
    return line + "\n";
}

// As far as the forecast.
std::string report_text(const Engine& engine, const tools::BenchReport& report) {
    std::string text = format("%s, %s, %s, %d threads\n", printable(engine.model().name).c_str(),
                              printable(engine.model().type).c_str(), engine.settings().isa.c_str(),
                              engine.settings().threads);
    if (report.depth_tokens > 0) {
        text += format("after %d tokens\n", report.depth_tokens);
    }
    text += rates_line("prefill", report.prefill) + rates_line("decode", report.decode);
    if (!report.ttft_ms.empty()) {
        text += format("first token %.1f ms (%.1f to %.1f)\n", median(report.ttft_ms),
                       smallest(report.ttft_ms), greatest(report.ttft_ms));
    }
    if (!report.latency_ms.empty()) {
        text += format("token latency %.2f ms, 90 %% %.2f, 99 %% %.2f; %s read for each\n",
                       percentile(report.latency_ms, 50), percentile(report.latency_ms, 90),
                       percentile(report.latency_ms, 99), read_text(report).c_str());
    }
    if (const std::string gpu = gpu_line(engine.settings()); !gpu.empty()) {
        text += gpu + "\n";
    }
    if (const std::string flash = flash_line(engine.flash()); !flash.empty()) {
        text += flash + "\n";
    }
    return text;
}

// one_memory: all that a token reads lies in RAM.
std::string forecast_line(const tools::SpeedForecast& forecast, const tools::BenchReport& report,
                          bool one_memory) {
    if (forecast.disk_read_gb_per_s == 0.0) {
        return "the speed of the disk could not be measured: no forecast\n";
    }
    if (!forecast.decode_per_s || report.decode.runs_per_s.empty()) {
        return "";
    }
    const tools::SpeedForecast::Range& range = *forecast.decode_per_s;
    std::string line = format("forecast %.1f/s (%.1f to %.1f)", range.mid, range.low, range.high);
    if (forecast.disk_read_gb_per_s) {
        line += format("; the disk reads %.1f GB/s", *forecast.disk_read_gb_per_s);
    } else if (one_memory) {
        const double gb_per_s = median(report.decode.runs_per_s) *
                                static_cast<double>(report.ram_bytes_per_token) / 1e9;
        line += format("; memory delivered %.1f GB/s, %.0f %% of the %.1f measured now", gb_per_s,
                       100 * gb_per_s / forecast.ram_read_gb_per_s, forecast.ram_read_gb_per_s);
    }
    return line + "\n";
}

// Behind the forecast.
std::string closing_text(const Engine& engine, const tools::BenchReport& report) {
    const Json speed = load_speed_json(engine.load_timings(), engine.memory());
    return sparsity_line(engine, report.decoded) +
           format("loaded in %.0f ms, %.1f GB/s\n", engine.load_timings().total_ms,
                  speed.is_null() ? 0.0 : speed.get<double>()) +
           memory_line(engine.memory()) + "\n";
}

// "1800,500M,900M", or with a seed behind. Empty: something else.
std::optional<tools::BudgetMoves> parse_moves(const std::vector<std::string>& parts) {
    const auto number = [](const std::string& text) { return parse_size(text); };
    if (parts.size() < 3 || parts.size() > 4) {
        return std::nullopt;
    }
    const auto seconds = number(parts[0]);
    const auto least = number(parts[1]);
    const auto most = number(parts[2]);
    const auto seed = parts.size() > 3 ? number(parts[3]) : std::optional<std::uint64_t>(1);
    if (!seconds || !least || !most || !seed || *seconds == 0 || *least > *most) {
        return std::nullopt;
    }
    return tools::BudgetMoves{.seconds = static_cast<double>(*seconds),
                              .least_bytes = *least,
                              .most_bytes = *most,
                              .seed = *seed};
}

Json held_json(const tools::MovedBudgetReport::Held& held) {
    return {{"median_bytes", held.median_bytes}, {"most_bytes", held.most_bytes}};
}

Json moved_json(const tools::MovedBudgetReport& report) {
    return {{"seconds", report.seconds},
            {"answers", report.answers},
            {"tokens", report.tokens},
            {"pause_ms",
             {{"p50", report.pause_p50_ms},
              {"p99", report.pause_p99_ms},
              {"longest", report.longest_pause_ms}}},
            {"longest_prompt_ms", report.longest_prompt_ms},
            {"changes", report.changes},
            {"refused", report.refused},
            {"refusal", report.refusal},
            {"least_bytes", report.least_bytes},
            {"most_bytes", report.most_bytes},
            {"rss_bytes",
             {{"start", report.rss_at_start},
              {"end", report.rss_at_end},
              {"first_sixth", held_json(report.first_sixth)},
              {"last_sixth", held_json(report.last_sixth)}}}};
}

// Measures while another thread moves the budget.
int run_moving(Program& program, const Options& options, Engine& engine,
               const tools::BudgetMoves& moves) {
    const auto report =
        tools::bench_moving_budget(engine, options.bench, moves, program.cancellation);
    if (!report) {
        return program.fail(report.error());
    }
    if (program.json) {
        return program.finish(
            {{"model", model_json(engine.model())},
             {"settings", settings_json(engine.settings(), options.bench.sampling.seed,
                                        options.bench.sampling.temperature)},
             {"moved_budget", moved_json(*report)},
             {"memory", memory_json(engine.memory())},
             {"flash", flash_json(engine.flash())}});
    }
    program.write(format(
        "%.0f s, %llu tokens, %llu changes from %s to %s, %llu refused\n", report->seconds,
        static_cast<unsigned long long>(report->tokens),
        static_cast<unsigned long long>(report->changes), format_size(report->least_bytes).c_str(),
        format_size(report->most_bytes).c_str(), static_cast<unsigned long long>(report->refused)));
    program.write(format("pause between tokens %.1f ms, 99 %% %.1f, longest %.1f\n",
                         report->pause_p50_ms, report->pause_p99_ms, report->longest_pause_ms));
    program.write(format("held at most %s in the first sixth, %s in the last\n",
                         format_size(report->first_sixth.most_bytes).c_str(),
                         format_size(report->last_sixth.most_bytes).c_str()));
    program.write(memory_line(engine.memory()) + "\n");
    return program.finish();
}

int run(Program& program, const Options& options) {
    const auto moves = parse_moves(options.moves);
    if (!options.moves.empty() && (!moves || options.bench.decode_tokens == 0)) {
        return program.usage(
            "--move-budget takes SECONDS,LEAST,MOST[,SEED], least not above most, and tokens to "
            "decode",
            "--move-budget");
    }
    if (options.bench.prefill_tokens == 0 && options.bench.decode_tokens == 0) {
        return program.usage("-p 0 and -n 0 leave nothing to measure", "--prefill");
    }
    const float temperature = options.bench.sampling.temperature;
    if (!(temperature >= 0 && temperature <= 100)) {
        return program.usage("--temp: from 0 to 100", "--temp");
    }
    // The default context is what the tests need: the automatic one may be too short, and a longer
    // one would count as memory that nothing uses.
    ModelOptions model = options;
    if (model.n_ctx == 0) {
        model.n_ctx = moves
                          ? std::max(options.bench.prefill_tokens, 1) + options.bench.decode_tokens
                          : tools::bench_context(options.bench);
    }
    for (const FlashPartName& part : kFlashParts) {
        model.flash_without.*part.part = std::find(options.without.begin(), options.without.end(),
                                                   part.name) != options.without.end();
    }
    model.heeds_memory_pressure = false;  // measure just the budget that was asked for
    Loaded loaded = load_model(program, model);
    if (loaded.engine == nullptr) {
        return loaded.status;
    }
    if (moves) {
        return run_moving(program, options, *loaded.engine, *moves);
    }
    const Engine& engine = *loaded.engine;
    const auto report = tools::bench(*loaded.engine, options.bench, program.cancellation);
    if (!report) {
        return program.fail(report.error());
    }
    if (was_interrupted()) {
        return program.fail(
            {ErrorCode::Cancelled, "stopped before the measurement was done", "", ""});
    }
    // All of this comes before the forecast, which ends the engine and measures bandwidth in memory
    // of its own.
    Json object = report_json(engine, *report, options.bench.sampling, options.without);
    const std::string text = report_text(engine, *report);
    const std::string closing = closing_text(engine, *report);
    const std::string trace = trace_table(engine.trace());
    const bool one_memory = engine.settings().gpu == "none";
    const auto forecast = tools::forecast(
        std::move(loaded.engine), options.bench.depth_tokens + options.bench.decode_tokens / 2,
        options.bench.prefill_tokens);
    if (!forecast) {
        return program.fail(forecast.error());
    }
    if (program.json) {
        object["forecast"] = forecast_json(*forecast);
        return program.finish(object);
    }
    program.write(text);
    say(trace);
    program.write(forecast_line(*forecast, *report, one_memory));
    program.write(closing);
    return program.finish();
}

}  // namespace

void add_bench(CLI::App& app, Program& program) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("bench", "measure prefill and decode");
    tools::BenchOptions& bench = options->bench;
    command->add_option("-p,--prefill", bench.prefill_tokens, "prompt tokens; 0 leaves it out")
        ->capture_default_str()
        ->transform(whole_number(0, 1 << 24));
    command->add_option("-n,--decode", bench.decode_tokens, "tokens to generate; 0 leaves it out")
        ->capture_default_str()
        ->transform(whole_number(0, 1 << 24));
    command
        ->add_option("-d,--depth", bench.depth_tokens,
                     "tokens already in the context when either begins")
        ->capture_default_str()
        ->transform(whole_number(0, 1 << 24));
    command->add_option("-r,--repetitions", bench.repetitions, "times each")
        ->capture_default_str()
        ->transform(whole_number(1, 10000));
    command->add_option("--temp", bench.sampling.temperature, "temperature")->capture_default_str();
    command->add_option("--seed", bench.sampling.seed, "seed")
        ->capture_default_str()
        ->transform(seed_number());
    std::vector<std::string> names;
    names.reserve(std::size(kFlashParts));
    for (const FlashPartName& part : kFlashParts) {
        names.emplace_back(part.name);
    }
    command
        ->add_option("--without", options->without,
                     "parts of reading from disk to leave out: direct, neurons, cache, overlap")
        ->delimiter(',')
        ->check(CLI::IsMember(names));
    command
        ->add_option("--move-budget", options->moves,
                     "SECONDS,LEAST,MOST[,SEED]: answers for so long while the budget of RAM moves "
                     "at random every 5 seconds; -d and -r do not count")
        ->delimiter(',');
    add_model_options(*command, *options, program);
    options->reads_profile = true;
    command->callback([options, &program] {
        program.action = [options, &program] { return run(program, *options); };
    });
}

}  // namespace hearth::cli
