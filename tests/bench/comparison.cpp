#include "bench/comparison.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

namespace hearth::bench {
namespace {

using Json = nlohmann::json;

constexpr int kMostTokens = 1 << 24;

Error bad(std::string message) {
    return Error{ErrorCode::BadFile, std::move(message), {}, {}};
}

// Null where there is no such thing; never throws.
const Json& at(const Json& object, const char* key) {
    static const Json kNull;
    if (!object.is_object()) {
        return kNull;
    }
    const auto found = object.find(key);
    return found == object.end() ? kNull : *found;
}

double number(const Json& value) {
    return value.is_number() ? value.get<double>() : 0;
}

int count(const Json& value) {
    const double wide = number(value);
    return wide >= 0 && wide <= kMostTokens ? static_cast<int>(wide) : 0;
}

std::uint64_t bytes(const Json& value) {
    return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
}

std::string text(const Json& value) {
    return value.is_string() ? value.get<std::string>() : std::string();
}

// Those that are speeds.
std::vector<double> speeds_of(const Json& list) {
    std::vector<double> values;
    for (const Json& item : list.is_array() ? list : Json::array()) {
        const double value = number(item);
        if (std::isfinite(value) && value > 0) {
            values.push_back(value);
        }
    }
    return values;
}

// "tg64@pp4096": the depth, 4096. -1: another label.
int depth_in_label(std::string_view label) {
    const std::size_t mark = label.find("@pp");
    if (!label.starts_with("tg") || mark == std::string_view::npos) {
        return -1;
    }
    const std::string_view digits = label.substr(mark + 3);
    int depth = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), depth);
    return error == std::errc{} && end == digits.data() + digits.size() ? depth : -1;
}

std::string format(const char* pattern, double value) {
    std::string out(64, '\0');
    const int length = std::snprintf(out.data(), out.size(), pattern, value);
    out.resize(static_cast<std::size_t>(std::clamp(length, 0, 63)));
    return out;
}

// Three digits that mean something, or one behind the point.
std::string speed_text(double per_s) {
    return per_s <= 0 ? "-" : format(per_s < 100 ? "%.1f" : "%.0f", per_s);
}

std::string share_text(double share, double gb_per_s) {
    if (share <= 0) {
        return "-";
    }
    const std::string percent = format("%.0f %%", share * 100);
    return gb_per_s > 0 ? format("%.1f GB/s, ", gb_per_s) + percent : percent;
}

// A Markdown cell on one line.
std::string cell(std::string_view value) {
    std::string out;
    for (const char c : value.substr(0, 200)) {
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        if (c == '|') {
            out.insert(out.size() - 1, 1, '\\');
        }
    }
    return out;
}

std::string line(const std::vector<std::string>& cells) {
    std::string out = "|";
    for (const std::string& value : cells) {
        out.append(" ").append(cell(value)).append(" |");
    }
    return out + "\n";
}

std::string rule(std::size_t columns) {
    std::string out = "|";
    for (std::size_t i = 0; i < columns; ++i) {
        out += " --- |";
    }
    return out + "\n";
}

// All runs of one engine on one test of one model.
struct Collected {
    std::vector<double> per_s;
    std::vector<double> per_s_of_run;  // a median each, and beside it:
    std::vector<double> gb_per_s_beside;
    std::string failure;
};

Collected collect(const std::vector<Run>& runs, const std::string& model, const std::string& engine,
                  const Test& test) {
    Collected all;
    for (const Run& run : runs) {
        if (run.model != model || run.engine != engine) {
            continue;
        }
        const auto found = std::find_if(run.speeds.begin(), run.speeds.end(),
                                        [&](const Speeds& s) { return s.test == test; });
        if (found != run.speeds.end() && !found->per_s.empty()) {
            all.per_s.insert(all.per_s.end(), found->per_s.begin(), found->per_s.end());
            all.per_s_of_run.push_back(median(found->per_s));
            all.gb_per_s_beside.push_back(run.gb_per_s_beside);
        } else if (!run.failure.empty() &&
                   std::find(run.wanted.begin(), run.wanted.end(), test) != run.wanted.end()) {
            all.failure = run.failure;
        }
    }
    return all;
}

// Bandwidth moves while one measures, so each run is divided by what was measured beside it.
double share_of_bandwidth(const Collected& all, double bytes_per_token) {
    std::vector<double> shares;
    for (std::size_t i = 0; i < all.per_s_of_run.size(); ++i) {
        if (all.gb_per_s_beside[i] > 0) {
            shares.push_back(all.per_s_of_run[i] * bytes_per_token / 1e9 / all.gb_per_s_beside[i]);
        }
    }
    return median(std::move(shares));
}

double bytes_per_token(const std::vector<Run>& runs, const std::string& model, const Test& test) {
    for (const Run& run : runs) {
        const bool has = std::any_of(run.speeds.begin(), run.speeds.end(),
                                     [&](const Speeds& s) { return s.test == test; });
        if (run.model == model && run.engine == kHearth && has) {
            return run.bytes_per_token;
        }
    }
    return 0;
}

template <class T>
void add_new(std::vector<T>& list, const T& value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) {
        list.push_back(value);
    }
}

Row make_row(const ModelFacts& model, const Test& test, const std::vector<Run>& runs,
             const std::vector<std::string>& peers, double integer_peak) {
    Row row;
    row.model = model.name;
    row.test = test;
    const Collected ours = collect(runs, model.path, std::string(kHearth), test);
    row.ours_per_s = median(ours.per_s);
    Collected best;
    for (const std::string& peer : peers) {
        Collected theirs = collect(runs, model.path, peer, test);
        if (theirs.per_s.empty()) {
            // Why there is no figure, unless another variant gives one.
            row.peer = best.per_s.empty() && row.peer.empty() ? theirs.failure : row.peer;
        } else if (median(theirs.per_s) > median(best.per_s)) {
            best = std::move(theirs);
            row.peer = peer;
        }
    }
    row.peer_per_s = median(best.per_s);
    if (!test.is_decode) {
        if (integer_peak > 0) {
            row.ours_share = row.ours_per_s * model.operations_per_prompt_token / integer_peak;
            row.peer_share = row.peer_per_s * model.operations_per_prompt_token / integer_peak;
        }
        return row;
    }
    // The same model has the same bytes for everybody.
    const double per_token = bytes_per_token(runs, model.path, test);
    row.ours_share = share_of_bandwidth(ours, per_token);
    row.peer_share = share_of_bandwidth(best, per_token);
    row.ours_gb_per_s = row.ours_per_s * per_token / 1e9;
    row.peer_gb_per_s = row.peer_per_s * per_token / 1e9;
    return row;
}

}  // namespace

std::string to_string(const Test& test) {
    std::string out = (test.is_decode ? "decode " : "prefill ") + std::to_string(test.tokens);
    if (test.depth > 0) {
        out += " after " + std::to_string(test.depth);
    }
    return out;
}

double median(std::vector<double> values) {
    if (values.empty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Result<HearthOutput> parse_hearth_bench(std::string_view json) {
    const Json root = Json::parse(json, nullptr, false);
    if (!root.is_object()) {
        return bad("printed no JSON object");
    }
    if (const Json& error = at(root, "error"); error.is_object()) {
        return bad(text(at(error, "message")));
    }
    HearthOutput out;
    const int depth = count(at(root, "depth"));
    for (const char* name : {"prefill", "decode"}) {
        const Json& test = at(root, name);
        Speeds speeds{{std::string_view(name) == "decode", count(at(test, "tokens")), depth},
                      speeds_of(at(test, "runs"))};
        if (!speeds.per_s.empty()) {
            out.speeds.push_back(std::move(speeds));
        }
    }
    if (out.speeds.empty()) {
        return bad("printed JSON without a measurement");
    }
    const Json& memory = at(root, "memory");
    out.footprint = {number(at(root, "load_ms")), bytes(at(memory, "rss_peak_bytes")),
                     bytes(at(memory, "kv_bytes"))};
    out.bytes_per_token = number(at(at(root, "bytes_per_token"), "ram"));
    out.threads = count(at(at(root, "settings"), "threads"));
    out.isa = text(at(at(root, "settings"), "isa"));
    return out;
}

Result<std::vector<Speeds>> parse_llama_bench(std::string_view json) {
    const Json root = Json::parse(json, nullptr, false);
    if (!root.is_array()) {
        return bad("printed no JSON list");
    }
    std::vector<Speeds> out;
    for (const Json& item : root) {
        const int n_prompt = count(at(item, "n_prompt"));
        const int n_gen = count(at(item, "n_gen"));
        const int labelled = depth_in_label(text(at(item, "test")));
        Speeds speeds;
        if (n_gen > 0 && labelled == n_prompt) {
            speeds.test = {true, n_gen, n_prompt};
        } else if ((n_prompt > 0) != (n_gen > 0)) {
            speeds.test = {n_gen > 0, std::max(n_prompt, n_gen), count(at(item, "n_depth"))};
        } else {
            continue;
        }
        speeds.per_s = speeds_of(at(item, "samples_ts"));
        if (!speeds.per_s.empty()) {
            out.push_back(std::move(speeds));
        }
    }
    if (out.empty()) {
        return bad("printed JSON without a measurement");
    }
    return out;
}

std::vector<Row> make_rows(const std::vector<ModelFacts>& models, const std::vector<Run>& runs,
                           double integer_peak) {
    std::vector<std::string> peers;
    for (const Run& run : runs) {
        if (run.engine != kHearth) {
            add_new(peers, run.engine);
        }
    }
    std::vector<Row> rows;
    for (const ModelFacts& model : models) {
        std::vector<Test> tests;
        for (const Run& run : runs) {
            for (const Test& test : run.model == model.path ? run.wanted : std::vector<Test>{}) {
                add_new(tests, test);
            }
        }
        for (const Test& test : tests) {
            rows.push_back(make_row(model, test, runs, peers, integer_peak));
        }
    }
    return rows;
}

std::string speed_table(const std::vector<Row>& rows, const std::string& peer_name) {
    std::vector<std::string> head{"model", "test", "Hearth, tokens/s", "of the limit"};
    if (!peer_name.empty()) {
        head.insert(head.end(), {peer_name + ", tokens/s", "of the limit", "Hearth / peer",
                                 "peer's arguments"});
    }
    std::string out = line(head) + rule(head.size());
    for (const Row& row : rows) {
        std::vector<std::string> cells{row.model, to_string(row.test), speed_text(row.ours_per_s),
                                       share_text(row.ours_share, row.ours_gb_per_s)};
        if (!peer_name.empty()) {
            const bool both = row.ours_per_s > 0 && row.peer_per_s > 0;
            cells.insert(
                cells.end(),
                {speed_text(row.peer_per_s), share_text(row.peer_share, row.peer_gb_per_s),
                 both ? format("%.2f", row.ours_per_s / row.peer_per_s) : "-",
                 row.peer_per_s > 0 || row.peer.empty() ? row.peer : "failed: " + row.peer});
        }
        out += line(cells);
    }
    return out;
}

std::string memory_table(const std::vector<ModelFacts>& models) {
    std::string out =
        line({"model", "file", "KV cache", "peak RSS", "above file and KV", "load"}) + rule(6);
    const auto megabytes = [](double value) { return format("%.0f MB", value / 1e6); };
    for (const ModelFacts& model : models) {
        if (model.footprints.empty()) {
            continue;
        }
        std::vector<double> loads;
        Footprint most;
        for (const Footprint& one : model.footprints) {
            loads.push_back(one.load_ms);
            if (one.rss_peak_bytes >= most.rss_peak_bytes) {
                most = one;
            }
        }
        const auto file = static_cast<double>(model.file_bytes);
        const auto kv = static_cast<double>(most.kv_bytes);
        const auto rss = static_cast<double>(most.rss_peak_bytes);
        out += line({model.name, megabytes(file), megabytes(kv), rss > 0 ? megabytes(rss) : "-",
                     rss > 0 ? megabytes(rss - file - kv) : "-",
                     format("%.2f s", median(std::move(loads)) / 1000)});
    }
    return out;
}

}  // namespace hearth::bench
