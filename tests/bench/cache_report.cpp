#include "bench/cache_report.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace hearth::bench {
namespace {

using Json = nlohmann::json;

// Reads fields of an object; remembers the first one that is not as it should be.
class Fields {
public:
    Fields(const Json& object, std::string place, std::string& wrong)
        : object_(object), place_(std::move(place)), wrong_(wrong) {}

    void take(const char* name, std::uint64_t& value) {
        if (const Json* found = find(name); found != nullptr && found->is_number_unsigned()) {
            value = found->get<std::uint64_t>();
        } else {
            note(name);
        }
    }
    void take(const char* name, double& value) {
        const Json* found = find(name);
        if (found != nullptr && found->is_number() && found->get<double>() >= 0 &&
            std::isfinite(found->get<double>())) {
            value = found->get<double>();
        } else {
            note(name);
        }
    }
    // Ascending numbers below kMostTraceItems.
    void take(const char* name, std::vector<std::uint16_t>& values) {
        const Json* found = find(name);
        if (found == nullptr || !found->is_array()) {
            return note(name);
        }
        for (const Json& value : *found) {
            const bool fits = value.is_number_unsigned() &&
                              value.get<std::uint64_t>() < kMostTraceItems &&
                              (values.empty() || value.get<std::uint64_t>() > values.back());
            if (!fits) {
                return note(name);
            }
            values.push_back(value.get<std::uint16_t>());
        }
    }

private:
    const Json* find(const char* name) const {
        const auto found = object_.is_object() ? object_.find(name) : object_.end();
        return object_.is_object() && found != object_.end() ? &*found : nullptr;
    }
    void note(const char* name) {
        if (wrong_.empty()) {
            wrong_ = place_ + name;
        }
    }

    const Json& object_;
    std::string place_;
    std::string& wrong_;
};

}  // namespace

double CacheReport::hit_rate() const {
    const std::uint64_t asked = hits + misses;
    return asked == 0 ? 1.0 : static_cast<double>(hits) / static_cast<double>(asked);
}

std::string to_json(const CacheReport& report) {
    Json layers = Json::array();
    for (const CacheReport::Layer& layer : report.layers) {
        layers.push_back({{"slots", layer.n_slots},
                          {"expert_bytes", layer.expert_bytes},
                          {"resident", layer.resident}});
    }
    return Json{{"tokens", report.tokens},
                {"tokens_per_s", report.tokens_per_second},
                {"hits", report.hits},
                {"misses", report.misses},
                {"disk_bytes", report.disk_bytes},
                {"streamed_bytes", report.streamed_bytes},
                {"layers", std::move(layers)}}
        .dump();
}

Result<CacheReport> parse_cache_report(std::string_view json, const std::string& path) {
    const Json root = Json::parse(json, nullptr, false);
    CacheReport report;
    std::string wrong;
    Fields fields(root, "", wrong);
    fields.take("tokens", report.tokens);
    fields.take("tokens_per_s", report.tokens_per_second);
    fields.take("hits", report.hits);
    fields.take("misses", report.misses);
    fields.take("disk_bytes", report.disk_bytes);
    fields.take("streamed_bytes", report.streamed_bytes);
    const auto layers = root.is_object() ? root.find("layers") : root.end();
    if (!root.is_object() || layers == root.end() || !layers->is_array()) {
        wrong = wrong.empty() ? "layers" : wrong;
    } else {
        for (const Json& object : *layers) {
            CacheReport::Layer& layer = report.layers.emplace_back();
            Fields of_layer(object, "layer " + std::to_string(report.layers.size() - 1) + ": ",
                            wrong);
            of_layer.take("slots", layer.n_slots);
            of_layer.take("expert_bytes", layer.expert_bytes);
            of_layer.take("resident", layer.resident);
        }
    }
    if (!wrong.empty()) {
        return Error{ErrorCode::BadFile, path + ": report of a cache: " + wrong, path, wrong};
    }
    return report;
}

Result<Trace> asked_of_slots(const Trace& trace, const CacheReport& report) {
    const auto invalid = [](std::string message) {
        return Error{ErrorCode::InvalidArgument, std::move(message), {}, "report"};
    };
    if (report.layers.size() != trace.n_layer) {
        return invalid("the report has " + std::to_string(report.layers.size()) +
                       " layers, the trace has " + std::to_string(trace.n_layer));
    }
    for (std::size_t layer = 0; layer < report.layers.size(); ++layer) {
        const auto& resident = report.layers[layer].resident;
        if (!resident.empty() && resident.back() >= trace.n_items) {
            return invalid("layer " + std::to_string(layer) + " of the report holds expert " +
                           std::to_string(resident.back()) + ", the trace has " +
                           std::to_string(trace.n_items));
        }
    }
    Trace asked = trace;
    for (std::size_t i = 0; i < asked.sets.size(); ++i) {
        const auto& resident = report.layers[i % trace.n_layer].resident;
        std::vector<std::uint16_t> rest;
        std::set_difference(asked.sets[i].begin(), asked.sets[i].end(), resident.begin(),
                            resident.end(), std::back_inserter(rest));
        asked.sets[i] = std::move(rest);
    }
    return asked;
}

}  // namespace hearth::bench
