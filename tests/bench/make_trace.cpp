// make_trace neurons|experts [--layers 4] [--items N] [--tokens 1000] [--stays 0] [--of-text 0]
//            [--firing 0.1 [--last-firing F]] [--chosen 8] [--zipf 0.8] [--model 1] [--text 1] -o
//            TRACE
// Writes a made trace for cache_simulator (made_trace.h). Traces of one --model differ by --text.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "bench/made_trace.h"

int main(int argc, char** argv) {
    using namespace hearth::bench;
    MadeTraceOptions options;
    options.n_items = 0;
    std::string kind;
    std::string output;
    double firing = 0.1;
    double last_firing = 0;
    std::uint32_t chosen = 8;
    double zipf = 0.8;
    CLI::App app("Writes a trace of neurons or experts that were never computed.");
    app.add_option("kind", kind)->required()->check(CLI::IsMember({"neurons", "experts"}));
    app.add_option("--layers", options.n_layer)->check(CLI::Range(1, 1024));
    app.add_option("--items", options.n_items, "a layer; 8192 neurons or 64 experts if not given")
        ->check(CLI::Range(1U, kMostTraceItems));
    app.add_option("--tokens", options.n_tokens)->check(CLI::Range(1, 1'000'000));
    app.add_option("--stays", options.stays, "share that the next token does not draw anew")
        ->check(CLI::Range(0.0, 1.0));
    app.add_option("--of-text", options.of_text, "share whose popularity is the text's")
        ->check(CLI::Range(0.0, 1.0));
    app.add_option("--firing", firing, "share of the neurons a token, in the mean")
        ->check(CLI::Range(0.001, 0.9));
    app.add_option("--last-firing", last_firing, "of the last layer, if layers differ")
        ->check(CLI::Range(0.001, 0.9));
    app.add_option("--chosen", chosen, "experts a token")->check(CLI::Range(1U, kMostTraceItems));
    app.add_option("--zipf", zipf, "exponent of the experts' popularity")
        ->check(CLI::Range(0.0, 4.0));
    app.add_option("--model", options.model, "a number: which model");
    app.add_option("--text", options.text, "a number: which text");
    app.add_option("-o,--output", output)->required();
    CLI11_PARSE(app, argc, argv);
    const bool experts = kind == "experts";
    if (options.n_items == 0) {
        options.n_items = experts ? 64 : 8192;
    }
    if (experts && chosen > options.n_items) {
        std::fprintf(stderr, "make_trace: %u experts of %u cannot be chosen\n", chosen,
                     options.n_items);
        return 2;
    }
    const Trace trace = experts ? make_expert_trace(options, chosen, zipf)
                                : make_neuron_trace(options, firing, last_firing);
    if (auto written = write_trace(output, trace); !written) {
        std::fprintf(stderr, "make_trace: %s\n", written.error().message.c_str());
        return 1;
    }
    return 0;
}
