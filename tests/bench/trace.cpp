#include "bench/trace.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "base/input_file.h"
#include "base/output_file.h"
#include "gguf/byte_cursor.h"

namespace hearth::bench {
namespace {

constexpr std::string_view kMagic = "HTRC";
constexpr std::uint32_t kVersion = 1;

template <class T>
void append(std::vector<std::byte>& bytes, std::span<const T> values) {
    const auto raw = std::as_bytes(values);
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

// Reads one file; the first thing that is wrong ends it.
class Parser {
public:
    explicit Parser(const InputFile& file) : path_(file.path()), cursor_(file, file.size_bytes()) {}

    Result<Trace> parse() {
        std::string magic;
        if (!cursor_.take_string(kMagic.size(), magic)) {
            return broken("magic", "the file ends before it");
        }
        if (magic != kMagic) {
            return broken("magic", "is not HTRC");
        }
        std::uint32_t version = 0, n_tokens = 0;
        if (!cursor_.take(version) || !cursor_.take(trace_.n_layer) ||
            !cursor_.take(trace_.n_items) || !cursor_.take(n_tokens)) {
            return broken("header", "the file ends inside it");
        }
        if (version != kVersion) {
            return broken("version", "is " + std::to_string(version) + ", not 1");
        }
        if (trace_.n_layer == 0) {
            return broken("n_layer", "is 0");
        }
        if (trace_.n_items == 0 || trace_.n_items > kMostTraceItems) {
            return broken("n_items", "is " + std::to_string(trace_.n_items) + ", not 1 to " +
                                         std::to_string(kMostTraceItems));
        }
        const std::uint64_t least = 4 + std::uint64_t{4} * trace_.n_layer;  // bytes of a token
        if (cursor_.left() / least < n_tokens) {
            return broken("n_tokens", "is " + std::to_string(n_tokens) + " of " +
                                          std::to_string(least) + " bytes at least; " +
                                          std::to_string(cursor_.left()) + " bytes are left");
        }
        for (std::uint32_t token = 0; token < n_tokens; ++token) {
            std::int32_t id = 0;
            if (!cursor_.take(id)) {
                return broken(place(token, 0), "the file ends before it");
            }
            trace_.ids.push_back(id);
            for (std::uint32_t layer = 0; layer < trace_.n_layer; ++layer) {
                if (auto taken = take_set(token, layer); !taken) {
                    return std::move(taken).error();
                }
            }
        }
        if (cursor_.left() > 0) {
            return broken("end", std::to_string(cursor_.left()) + " bytes stand behind it");
        }
        return std::move(trace_);
    }

private:
    static std::string place(std::uint32_t token, std::uint32_t layer) {
        return "token " + std::to_string(token) + ", layer " + std::to_string(layer);
    }
    Error broken(const std::string& field, const std::string& found) const {
        if (cursor_.failure()) {
            return *cursor_.failure();
        }
        return {ErrorCode::BadFile, path_ + ": trace: " + field + ": " + found, path_, field};
    }

    Result<void> take_set(std::uint32_t token, std::uint32_t layer) {
        std::uint32_t count = 0;
        if (!cursor_.take(count) || count > trace_.n_items || cursor_.left() / 2 < count) {
            return broken(place(token, layer), "counts " + std::to_string(count) + " of " +
                                                   std::to_string(trace_.n_items) + " items, " +
                                                   std::to_string(cursor_.left()) +
                                                   " bytes are left");
        }
        std::vector<std::uint16_t>& set = trace_.sets.emplace_back(count);
        for (std::size_t i = 0; i < count; ++i) {
            if (!cursor_.take(set[i])) {
                return broken(place(token, layer), "the file ends inside it");
            }
            if (set[i] >= trace_.n_items || (i > 0 && set[i] <= set[i - 1])) {
                return broken(place(token, layer),
                              "item " + std::to_string(set[i]) + " is not above the one before" +
                                  " it and below " + std::to_string(trace_.n_items));
            }
        }
        return {};
    }

    std::string path_;
    ByteCursor cursor_;
    Trace trace_;
};

double ratio(std::size_t part, std::size_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

// value_of(|both|, |before|, |now|) of the sets of neighbouring tokens, in the mean.
template <class Value>
double mean_of_neighbours(const Trace& trace, Value&& value_of) {
    double sum = 0;
    std::vector<std::uint16_t> both;
    for (std::size_t i = trace.n_layer; i < trace.sets.size(); ++i) {
        const auto& now = trace.sets[i];
        const auto& before = trace.sets[i - trace.n_layer];
        both.clear();
        std::set_intersection(now.begin(), now.end(), before.begin(), before.end(),
                              std::back_inserter(both));
        sum += value_of(both.size(), before.size(), now.size());
    }
    const std::size_t pairs =
        trace.sets.size() - std::min<std::size_t>(trace.sets.size(), trace.n_layer);
    return pairs == 0 ? 0.0 : sum / static_cast<double>(pairs);
}

}  // namespace

double distinct_ratio(const Trace& trace) {
    return ratio(std::set<std::int32_t>(trace.ids.begin(), trace.ids.end()).size(),
                 trace.n_tokens());
}

double density(const Trace& trace) {
    std::size_t asked = 0;
    for (const auto& set : trace.sets) {
        asked += set.size();
    }
    return ratio(asked, trace.sets.size() * trace.n_items);
}

double jaccard(const Trace& trace) {
    return mean_of_neighbours(trace, [](std::size_t both, std::size_t before, std::size_t now) {
        return ratio(both, now + before - both);
    });
}

double kept_share(const Trace& trace) {
    return mean_of_neighbours(trace, [](std::size_t both, std::size_t before, std::size_t) {
        return ratio(both, before);
    });
}

Result<void> write_trace(const std::string& path, const Trace& trace) {
    auto file = OutputFile::create(path, 0);
    if (!file) {
        return std::move(file).error();
    }
    std::vector<std::byte> bytes;
    append(bytes, std::span(kMagic));
    const auto n_tokens = static_cast<std::uint32_t>(trace.n_tokens());
    const std::uint32_t header[] = {kVersion, trace.n_layer, trace.n_items, n_tokens};
    append(bytes, std::span<const std::uint32_t>(header));
    for (std::size_t token = 0; token < trace.n_tokens(); ++token) {
        append(bytes, std::span<const std::int32_t>(&trace.ids[token], 1));
        for (std::size_t layer = 0; layer < trace.n_layer; ++layer) {
            const auto set = trace.demand(token, layer);
            const auto count = static_cast<std::uint32_t>(set.size());
            append(bytes, std::span<const std::uint32_t>(&count, 1));
            append(bytes, set);
        }
        if (auto written = file->write(bytes); !written) {
            return written;
        }
        bytes.clear();
    }
    if (auto written = file->write(bytes); !written) {  // of a trace without tokens
        return written;
    }
    return file->commit();
}

Result<Trace> read_trace(const std::string& path) {
    auto file = InputFile::open(path);
    if (!file) {
        return std::move(file).error();
    }
    return Parser(*file).parse();
}

}  // namespace hearth::bench
