#include "bench/record.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace hearth::bench {
namespace {

using Json = nlohmann::json;

Json test_json(const Test& test) {
    return {{"decode", test.is_decode}, {"tokens", test.tokens}, {"depth", test.depth}};
}

// Programs print what they like; what is no JSON is kept as the text it is.
Json output_json(const std::string& output) {
    Json parsed = Json::parse(output, nullptr, false);
    return parsed.is_discarded() ? Json(output) : parsed;
}

// value() of the library throws for another type; a file that was changed by hand has them.
template <class T>
bool take(const Json& object, const char* key, T& value) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    if (!object.is_object() || found == object.end()) {
        return false;
    }
    if constexpr (std::is_same_v<T, std::string>) {
        if (!found->is_string()) {
            return false;
        }
    } else if constexpr (std::is_same_v<T, bool>) {
        if (!found->is_boolean()) {
            return false;
        }
    } else if constexpr (std::is_same_v<T, int>) {
        if (!found->is_number_unsigned() || found->get<std::uint64_t>() > (1U << 24)) {
            return false;
        }
    } else if (!found->is_number()) {
        return false;
    }
    value = found->get<T>();
    return true;
}

const Json& list(const Json& object, const char* key) {
    static const Json kEmpty = Json::array();
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() && found->is_array() ? *found : kEmpty;
}

bool take_record(const Json& item, Record& record) {
    bool fine = take(item, "model", record.model) && take(item, "engine", record.engine) &&
                take(item, "round", record.round) &&
                take(item, "gb_per_s_before", record.gb_per_s_before) &&
                take(item, "gb_per_s_after", record.gb_per_s_after) &&
                take(item, "idle_before", record.idle_before) &&
                take(item, "idle_after", record.idle_after) &&
                take(item, "problem", record.problem) && item.contains("output");
    if (!fine) {
        return false;
    }
    for (const Json& wanted : list(item, "wanted")) {
        Test test;
        fine = fine && take(wanted, "decode", test.is_decode) &&
               take(wanted, "tokens", test.tokens) && take(wanted, "depth", test.depth);
        record.wanted.push_back(test);
    }
    const Json& output = item["output"];
    record.output = output.is_string()
                        ? output.get<std::string>()
                        : output.dump(-1, ' ', false, Json::error_handler_t::replace);
    return fine;
}

}  // namespace

Run evaluate(const Record& record, HearthOutput& hearth) {
    Run run;
    run.model = record.model;
    run.engine = record.engine;
    run.round = record.round;
    run.gb_per_s_beside = (record.gb_per_s_before + record.gb_per_s_after) / 2;
    run.wanted = record.wanted;
    std::string problem;
    if (record.engine == kHearth) {
        if (auto output = parse_hearth_bench(record.output)) {
            hearth = *output;
            run.speeds = std::move(output->speeds);
            run.bytes_per_token = output->bytes_per_token;
        } else {
            problem = output.error().message;
        }
    } else if (auto speeds = parse_llama_bench(record.output)) {
        run.speeds = std::move(*speeds);
    } else {
        problem = speeds.error().message;
    }
    if (!problem.empty()) {
        run.failure = record.problem.empty() ? problem : record.problem;
    }
    return run;
}

std::string to_json(const Measurements& measurements) {
    Json peaks = Json::array();
    for (const PeakFigure& peak : measurements.peaks) {
        peaks.push_back({{"table", peak.table},
                         {"instruction", peak.instruction},
                         {"is_integer", peak.is_integer},
                         {"operations_per_s", peak.operations_per_s}});
    }
    Json records = Json::array();
    for (const Record& record : measurements.records) {
        Json wanted = Json::array();
        for (const Test& test : record.wanted) {
            wanted.push_back(test_json(test));
        }
        records.push_back({{"model", record.model},
                           {"engine", record.engine},
                           {"round", record.round},
                           {"wanted", std::move(wanted)},
                           {"gb_per_s_before", record.gb_per_s_before},
                           {"gb_per_s_after", record.gb_per_s_after},
                           {"idle_before", record.idle_before},
                           {"idle_after", record.idle_after},
                           {"problem", record.problem},
                           {"output", output_json(record.output)}});
    }
    const Json all{{"cpu", measurements.cpu},
                   {"threads", measurements.threads},
                   {"peaks", std::move(peaks)},
                   {"records", std::move(records)}};
    return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Measurements> parse_measurements(std::string_view json) {
    const Json root = Json::parse(json, nullptr, false);
    Measurements out;
    bool fine = take(root, "cpu", out.cpu) && take(root, "threads", out.threads);
    for (const Json& item : list(root, "peaks")) {
        PeakFigure peak;
        fine = fine && take(item, "table", peak.table) &&
               take(item, "instruction", peak.instruction) &&
               take(item, "is_integer", peak.is_integer) &&
               take(item, "operations_per_s", peak.operations_per_s);
        out.peaks.push_back(std::move(peak));
    }
    for (const Json& item : list(root, "records")) {
        fine = fine && take_record(item, out.records.emplace_back());
    }
    if (!fine) {
        return Error{ErrorCode::BadFile, "is no file of measurements", {}, {}};
    }
    return out;
}

Result<void> join(Measurements& all, const Measurements& piece) {
    if (all.records.empty() && all.cpu.empty()) {
        all = piece;
        return {};
    }
    if (all.cpu != piece.cpu || all.threads != piece.threads) {
        return Error{ErrorCode::InvalidArgument,
                     "measured on " + piece.cpu + " with " + std::to_string(piece.threads) +
                         " threads, the others on " + all.cpu + " with " +
                         std::to_string(all.threads),
                     {},
                     {}};
    }
    all.records.insert(all.records.end(), piece.records.begin(), piece.records.end());
    return {};
}

}  // namespace hearth::bench
