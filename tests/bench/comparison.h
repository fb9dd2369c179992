// What `compare` measured, and the table made of it. Pure: text and numbers in, text out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>

namespace hearth::bench {

// What is measured: the speed at which `tokens` tokens are read (prefill) or written one by one
// (decode), with `depth` tokens in the context before.
struct Test {
    bool is_decode = false;
    int tokens = 0;
    int depth = 0;
    friend bool operator==(const Test&, const Test&) = default;
};
std::string to_string(const Test& test);  // "prefill 512", "decode 64 after 4096"

struct Speeds {
    Test test;
    std::vector<double> per_s;  // tokens a second, one a repetition
};

// Memory and loading of Hearth, from one run.
struct Footprint {
    double load_ms = 0;
    std::uint64_t rss_peak_bytes = 0;  // 0: the system does not say
    std::uint64_t kv_bytes = 0;
};

struct HearthOutput {
    std::vector<Speeds> speeds;
    Footprint footprint;
    double bytes_per_token = 0;  // read by a decoded one; 0: none was
    int threads = 0;
    std::string isa;
};

// `hearth-cli bench --json`. BadFile: no JSON, or not of that kind; its own error if it reports
// one.
Result<HearthOutput> parse_hearth_bench(std::string_view json);

// `llama-bench -o json`, of llama.cpp (n_depth) and of ik_llama.cpp (a test "tg64@pp4096" is
// decode after 4096). Tests of mixed kind are left out. BadFile: no such JSON, or one without a
// usable test.
Result<std::vector<Speeds>> parse_llama_bench(std::string_view json);

// One child process and the read bandwidth measured before and after it.
struct Run {
    std::string model;
    std::string engine;  // kHearth, or the peer's arguments
    int round = 0;
    double gb_per_s_beside = 0;
    std::vector<Speeds> speeds;
    double bytes_per_token = 0;  // Hearth's only
    std::string failure;         // why there are no speeds
    std::vector<Test> wanted;
};
inline constexpr std::string_view kHearth = "Hearth";

struct ModelFacts {
    std::string path;  // names it in Run::model
    std::string name;  // for the table
    std::uint64_t file_bytes = 0;
    double operations_per_prompt_token = 0;  // in the layers' matrices
    std::vector<Footprint> footprints;       // of the runs without depth
};

// One line of the table. 0 where unknown.
struct Row {
    std::string model;  // its name
    Test test;
    double ours_per_s = 0;  // median of all repetitions of all rounds
    double peer_per_s = 0;  // of the variant whose median is best
    std::string peer;       // that variant, or why there is none
    double ours_share = 0;  // of the limit: decode: bandwidth beside it; prefill: the peak
    double peer_share = 0;
    double ours_gb_per_s = 0;  // decode only
    double peer_gb_per_s = 0;
};

double median(std::vector<double> values);  // 0 of none

// Rows in order of models and of tests as they first appear. integer_peak: operations a second.
std::vector<Row> make_rows(const std::vector<ModelFacts>& models, const std::vector<Run>& runs,
                           double integer_peak);

// Markdown. peer_name empty: columns of ours alone.
std::string speed_table(const std::vector<Row>& rows, const std::string& peer_name);
std::string memory_table(const std::vector<ModelFacts>& models);

}  // namespace hearth::bench
