#include "sampling_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "files.h"
#include "model_options.h"
#include "program.h"
#include "report.h"

namespace hearth::cli {
namespace {

constexpr int kMostTokens = std::numeric_limits<int>::max();

struct Range {
    const char* option;
    double value;
    double least;
    double most;
};

Wrong outside(const Range& range) {
    const auto shown = [](double value) { return format("%g", value); };
    return {std::string("--") + range.option + ": from " + shown(range.least) + " to " +
                shown(range.most),
            range.option};
}

void add_penalties(CLI::App& command, SamplingOptions& sampling) {
    command
        .add_option("--repeat-penalty", sampling.repeat_penalty,
                    "above 1: less of what was just said")
        ->capture_default_str();
    command
        .add_option("--presence-penalty", sampling.presence_penalty,
                    "lowers the logits of what was just said by this")
        ->capture_default_str();
    command
        .add_option("--frequency-penalty", sampling.frequency_penalty,
                    "lowers them by this for each time it was said")
        ->capture_default_str();
    command
        .add_option("--repeat-last-n", sampling.repeat_last_n,
                    "latest tokens that these penalties cover; 0: none, -1: all")
        ->capture_default_str()
        ->transform(whole_number(-1, kMostTokens));
}

void add_dry(CLI::App& command, SamplingArguments& arguments) {
    SamplingOptions& sampling = arguments.sampling;
    command
        .add_option("--dry-multiplier", sampling.dry_multiplier,
                    "DRY, against repeated passages; 0: off, 0.8 is usual")
        ->capture_default_str();
    command
        .add_option("--dry-base", sampling.dry_base, "DRY grows by this with each repeated token")
        ->capture_default_str();
    command
        .add_option("--dry-allowed-length", sampling.dry_allowed_length,
                    "longest repetition that DRY leaves alone")
        ->capture_default_str()
        ->transform(whole_number(1, kMostTokens));
    command
        .add_option("--dry-last-n", sampling.dry_last_n,
                    "latest tokens that DRY looks at; 0: none, -1: all")
        ->capture_default_str()
        ->transform(whole_number(-1, kMostTokens));
    command
        .add_option("--dry-breaker", arguments.dry_breakers,
                    "a text that ends a repetition, instead of line end : \" *; may be repeated")
        ->expected(1)
        ->take_all();
}

}  // namespace

void add_sampling_options(CLI::App& command, SamplingArguments& arguments) {
    SamplingOptions& sampling = arguments.sampling;
    command.add_option("--temp", sampling.temperature, "temperature; 0: always the likeliest")
        ->capture_default_str();
    command.add_option("--seed", sampling.seed, "same seed, same answer; 0: another each time")
        ->capture_default_str()
        ->transform(seed_number());
    command.add_option("--top-k", sampling.top_k, "among the K likeliest; 0: all")
        ->capture_default_str()
        ->transform(whole_number(0, kMostTokens));
    command
        .add_option("--typical-p", sampling.typical_p,
                    "among the most typical that make up this share; 1: all")
        ->capture_default_str();
    command.add_option("--top-p", sampling.top_p, "among those that make up this share")
        ->capture_default_str();
    command
        .add_option("--min-p", sampling.min_p,
                    "at least this share of the likeliest one's probability")
        ->capture_default_str();
    command
        .add_option("--xtc-probability", sampling.xtc_probability,
                    "how often XTC leaves out the likeliest ones; 0: never")
        ->capture_default_str();
    command
        .add_option("--xtc-threshold", sampling.xtc_threshold,
                    "XTC keeps one of those above this probability")
        ->capture_default_str();
    add_penalties(command, sampling);
    add_dry(command, arguments);
    command
        .add_option("--logit-bias", arguments.logit_bias,
                    "TOKEN=VALUE adds to a token's logit, by id or text; VALUE false bans it; may "
                    "be repeated")
        ->expected(1)
        ->take_all();
    command.add_option("--grammar", arguments.grammar, "the answer is text of this grammar (GBNF)");
    command.add_option("--grammar-file", arguments.grammar_file, "likewise, from a file");
    command.add_option("--json-schema", arguments.json_schema,
                       "the answer is JSON that this schema allows; {}: any JSON");
    command.add_option("--json-schema-file", arguments.json_schema_file, "likewise, from a file");
}

std::optional<LogitBias> parse_logit_bias(const std::string& text) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) {
        return std::nullopt;
    }
    LogitBias bias;
    const std::string token = text.substr(0, equals);
    const std::string value = text.substr(equals + 1);
    if (std::all_of(token.begin(), token.end(), [](char c) { return c >= '0' && c <= '9'; })) {
        const auto [end, wrong] =
            std::from_chars(token.data(), token.data() + token.size(), bias.token);
        if (wrong != std::errc()) {
            return std::nullopt;
        }
    } else {
        bias.text = token;
    }
    if (value == "false" || value == "-inf") {
        bias.bias = -std::numeric_limits<float>::infinity();
        return bias;
    }
    const char* first = value.data() + (value.starts_with('+') ? 1 : 0);
    const auto [end, wrong] = std::from_chars(first, value.data() + value.size(), bias.bias);
    const bool is_number = wrong == std::errc() && end == value.data() + value.size() &&
                           std::isfinite(bias.bias) && std::fabs(bias.bias) <= 1e9F;
    return is_number ? std::optional(bias) : std::nullopt;
}

Wrong check_sampling(SamplingArguments& arguments) {
    SamplingOptions& s = arguments.sampling;
    // These forms of the comparisons reject NaN.
    if (!(s.top_p > 0 && s.top_p <= 1)) {
        return {"--top-p: above 0, at most 1", "top-p"};
    }
    if (!(s.typical_p > 0 && s.typical_p <= 1)) {
        return {"--typical-p: above 0, at most 1", "typical-p"};
    }
    if (!(s.repeat_penalty > 0 && s.repeat_penalty <= 100)) {
        return {"--repeat-penalty: above 0, at most 100", "repeat-penalty"};
    }
    const Range ranges[] = {
        {"temp", static_cast<double>(s.temperature), 0, 100},
        {"min-p", static_cast<double>(s.min_p), 0, 1},
        {"xtc-probability", static_cast<double>(s.xtc_probability), 0, 1},
        {"xtc-threshold", static_cast<double>(s.xtc_threshold), 0, 1},
        {"presence-penalty", static_cast<double>(s.presence_penalty), -100, 100},
        {"frequency-penalty", static_cast<double>(s.frequency_penalty), -100, 100},
        {"dry-multiplier", static_cast<double>(s.dry_multiplier), 0, 100},
        {"dry-base", static_cast<double>(s.dry_base), 1, 100},
    };
    for (const Range& range : ranges) {
        if (!(range.value >= range.least && range.value <= range.most)) {
            return outside(range);
        }
    }
    for (const std::string& text : arguments.logit_bias) {
        auto bias = parse_logit_bias(text);
        if (!bias) {
            return {"--logit-bias: \"" + text +
                        "\" is not TOKEN=VALUE with a number from -1e9 to 1e9, or false",
                    "logit-bias"};
        }
        s.logit_bias.push_back(std::move(*bias));
    }
    if (!arguments.dry_breakers.empty()) {
        s.dry_breakers = arguments.dry_breakers;
    }
    const std::string* const sources[] = {&arguments.grammar, &arguments.grammar_file,
                                          &arguments.json_schema, &arguments.json_schema_file};
    if (std::count_if(std::begin(sources), std::end(sources),
                      [](const std::string* source) { return !source->empty(); }) > 1) {
        return {"--grammar, --grammar-file, --json-schema, --json-schema-file: one of them",
                "grammar"};
    }
    return {};
}

Result<void> read_grammar(const SamplingArguments& arguments, GenerationOptions& options) {
    options.grammar = arguments.grammar;
    options.json_schema = arguments.json_schema;
    const auto read = [](const std::string& path, std::string& text) -> Result<void> {
        if (path.empty()) {
            return {};
        }
        auto content = read_text(path);
        if (!content) {
            return std::move(content).error();
        }
        if (content->find_first_not_of(" \t\r\n") == std::string::npos) {
            return Error{ErrorCode::InvalidArgument, "the file is empty", path, {}};
        }
        text = std::move(*content);
        return {};
    };
    if (auto done = read(arguments.grammar_file, options.grammar); !done) {
        return done;
    }
    return read(arguments.json_schema_file, options.json_schema);
}

}  // namespace hearth::cli
