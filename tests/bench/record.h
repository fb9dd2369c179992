// What `compare` measured, as it is kept in a file: a long comparison is made in pieces, and the
// pieces give one table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>

#include "bench/comparison.h"

namespace hearth::bench {

// One child process.
struct Record {
    std::string model;   // path
    std::string engine;  // kHearth, or the peer's arguments
    int round = 0;
    std::vector<Test> wanted;
    double gb_per_s_before = 0;
    double gb_per_s_after = 0;
    double idle_before = 1;  // share of the arithmetic peak that was to be had: below 1, other
    double idle_after = 1;   // programs were busy
    std::string output;      // what it printed
    std::string problem;     // the last it said on standard error, if it failed; else empty
};

struct PeakFigure {
    std::string table;
    std::string instruction;
    bool is_integer = false;
    double operations_per_s = 0;
};

struct Measurements {
    std::string cpu;
    int threads = 0;
    std::vector<PeakFigure> peaks;
    std::vector<Record> records;
};

// A run as the table takes it: speeds, or why there are none. `hearth` gets the whole report of a
// run of Hearth; it stays as it is for others and for failures.
Run evaluate(const Record& record, HearthOutput& hearth);

std::string to_json(const Measurements& measurements);
// BadFile: not written by to_json().
Result<Measurements> parse_measurements(std::string_view json);

// Adds what another piece measured. InvalidArgument: on another processor or with other threads.
Result<void> join(Measurements& all, const Measurements& piece);

}  // namespace hearth::bench
