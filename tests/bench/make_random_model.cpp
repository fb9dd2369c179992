// make_random_model --shape llama-3.2-1b --type Q4_0 [--seed 1] [--threads 2] -o FILE
// Writes a model of random weights, for measuring. The same arguments give the same bytes.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <thread>

#include "bench/random_model.h"

int main(int argc, char** argv) {
    using namespace hearth;
    std::string shape_name;
    std::string type_name;
    std::string output;
    std::string names;
    std::uint64_t seed = 1;
    int threads = static_cast<int>(std::thread::hardware_concurrency());
    for (const bench::ModelShape& shape : bench::model_shapes()) {
        names += (names.empty() ? "" : ", ") + std::string(shape.name);
    }
    CLI::App app("Writes a GGUF file of random weights at a real model's shape.");
    app.add_option("--shape", shape_name, names)->required();
    app.add_option("--type", type_name, "Q4_0, Q8_0 or F16: every matrix's type")->required();
    app.add_option("--seed", seed, "which random numbers")->capture_default_str();
    app.add_option("-t,--threads", threads, "threads that make them")->check(CLI::Range(1, 256));
    app.add_option("-o,--output", output, "file to write")->required();
    CLI11_PARSE(app, argc, argv);

    const bench::ModelShape* shape = bench::find_shape(shape_name);
    const auto type = dtype_from_name(type_name);
    if (shape == nullptr || !type) {
        std::fprintf(stderr, "make_random_model: there is no %s \"%s\"\n",
                     shape == nullptr ? "shape" : "type",
                     (shape == nullptr ? shape_name : type_name).c_str());
        return 2;
    }
    const auto start = std::chrono::steady_clock::now();
    const auto bytes = bench::write_random_model(output, *shape, *type, seed, threads);
    if (!bytes) {
        std::fprintf(stderr, "make_random_model: %s\n", bytes.error().message.c_str());
        return 1;
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    std::printf("%s: %.2f GB in %.1f s\n", output.c_str(), static_cast<double>(*bytes) / 1e9,
                taken.count());
    return 0;
}
