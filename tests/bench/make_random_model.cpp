// make_random_model --shape llama-3.2-1b --type Q4_0 [--finer-type Q6_K] [--seed 1] [--threads 2]
//                   -o FILE
// make_random_model --sparse pwri|bamboo --shape llama-2-7b [--predictor-rank 1024]
//                   [--output-type Q6_K|Q4_0] [--firing 0.1] [--two-topics] [--chat-template]
//                   [--seed 1] [--threads 2] -o FILE
// make_random_model --family gemma3 [--type F32] [--seed 1] -o FILE
// make_random_model --shape qwen3.5-4b --foretells 0.8 -o FILE
// make_random_model --check FILE [--check-tokens 64]
// Writes a model of random weights, for measuring: a dense one, or one in PowerInfer's format with
// planted activity and predictors (sparse_model.h), or a small one of an architecture
// (support/test_family.h), to compare logits with other engines. The same arguments give the same
// bytes.
#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cstdio>
#include <thread>

#include "bench/kept_experts.h"
#include "bench/random_model.h"
#include "bench/sparse_model.h"
#include "bench/sparse_report.h"
#include "gguf/dtype.h"
#include "support/test_family.h"
#include "support/tiny_model.h"

namespace {

int check(const std::string& path, int n_tokens, int threads) {
    const auto layers = hearth::bench::report_sparse_model(path, n_tokens, 1, threads);
    if (!layers) {
        std::fprintf(stderr, "make_random_model: %s is no file to check\n", path.c_str());
        return 1;
    }
    std::printf("layer  density  gate open  busy 26 %%  jaccard  recall  precision  hot overlap\n");
    int index = 0;
    for (const hearth::bench::SparseLayerReport& layer : *layers) {
        std::printf("%5d  %7.4f  %9.4f  %9.3f  %7.3f  %6.3f  %9.3f  %11.3f\n", index++,
                    layer.density, layer.gate_open, layer.busy_share, layer.jaccard, layer.recall,
                    layer.precision, layer.hot_overlap);
    }
    return 0;
}

struct FamilyOptions {
    bool yarn = false;
    int head_dim = 0;
    int window_head_dim = 0;
    bool plain_layers = false;
    int n_experts = 0;
    int choice_budget = 0;
};

int write_family(const std::string& arch, const std::string& type_name, const FamilyOptions& wanted,
                 std::uint64_t seed, const std::string& path) {
    const auto type = hearth::dtype_from_name(type_name);
    if (!hearth::test::has_test_family(arch) || !type) {
        std::fprintf(stderr, "make_random_model: there is no %s \"%s\"\n", type ? "family" : "type",
                     type ? arch.c_str() : type_name.c_str());
        return 2;
    }
    const hearth::test::TestFamily family = hearth::test::test_family(arch);
    // Every window, border and layer without a rotation comes several times.
    const hearth::test::TinyModel model({.arch = arch,
                                         .type = *type,
                                         .n_layer = 8,
                                         .n_embd = 256,
                                         .n_head = 4,
                                         .n_head_kv = arch == "opt" || arch == "olmoe" ? 4 : 2,
                                         .n_ff = 512,
                                         .n_ctx = 128,
                                         .tied = family.tied,
                                         .output_scale = family.logit_scale < 1 ? 5.0F : 2.5F,
                                         .rope_linear_factor = wanted.yarn ? 4.0F : 1.0F,
                                         .yarn_context = wanted.yarn ? 64 : 0,
                                         .head_dim = wanted.head_dim,
                                         .window_head_dim = wanted.window_head_dim,
                                         .plain_layers = wanted.plain_layers,
                                         .delta_net = {.interval = family.gated_convs ? 3 : 4,
                                                       .n_key_heads = 4,
                                                       .n_value_heads = 8,
                                                       .dim = family.lone_blocks ? 80 : 64,
                                                       .conv_kernel = family.gated_convs ? 3 : 4},
                                         .n_left_out = family.delta_nets ? 1 : 0,
                                         .n_experts = wanted.n_experts,
                                         .n_used_experts = wanted.n_experts > 0 ? 2 : 0,
                                         .choice_budget = wanted.choice_budget},
                                        static_cast<unsigned>(seed));
    if (!model.write(path)) {
        std::fprintf(stderr, "make_random_model: %s could not be written\n", path.c_str());
        return 1;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace hearth;
    std::string shape_name;
    std::string type_name = "Q4_0";
    std::string finer_type_name;
    std::string sparse;
    std::string output_type_name = "Q6_K";
    bench::SparseOptions options;
    int predictor_rank = 0;
    std::string output;
    std::string names;
    std::string checked;
    int n_tokens = 64;
    int n_layer = 0;
    float lesser_experts = 1.0F;
    std::vector<double> kept_experts;
    int repeats = 0;
    double foretells = -1;
    std::uint64_t seed = 1;
    int threads = static_cast<int>(std::thread::hardware_concurrency());
    for (const bench::ModelShape& shape : bench::model_shapes()) {
        names += (names.empty() ? "" : ", ") + std::string(shape.name);
    }
    std::string family;
    FamilyOptions wanted;
    CLI::App app("Writes a GGUF file of random weights at a real model's shape.");
    app.add_option("--shape", shape_name, names);
    app.add_option("--type", type_name, "the type of matrices")->capture_default_str();
    app.add_option("--finer-type", finer_type_name,
                   "of those that files of mixed types store finer; as the others if not given");
    app.add_option("--family", family, "a small model of this architecture, of one --type");
    app.add_flag("--yarn", wanted.yarn,
                 "of a --family: trained for 64 positions, scaled to 256 by YaRN");
    app.add_option("--head-dim", wanted.head_dim, "of a --family: the width of heads");
    app.add_option("--window-head-dim", wanted.window_head_dim,
                   "of gemma4: the width of heads that see a window");
    app.add_flag("--plain-layers", wanted.plain_layers,
                 "of gemma4: the large kind, without inputs of layers and shared pasts");
    app.add_option("--experts", wanted.n_experts,
                   "of a --family that may be a mixture: so many, of which a token uses two")
        ->check(CLI::Range(2, 4096));
    app.add_option("--choice-budget", wanted.choice_budget,
                   "of qwen4exp: the positions that attention sees of the blocks that it chooses, "
                   "a multiple of 4");
    app.add_option("--sparse", sparse,
                   "pwri (ReLU-gated llama) or bamboo (dReLU): sparse, of type Q4_0 or F16")
        ->check(CLI::IsMember({"pwri", "bamboo"}));
    app.add_option("--output-type", output_type_name, "of a sparse model's output matrix")
        ->capture_default_str();
    app.add_option("--predictor-rank", predictor_rank,
                   "width of a sparse model's predictors; a quarter of n_embd if not given");
    app.add_option("--firing", options.firing,
                   "share of a sparse model's neurons that fire for a token, in the mean")
        ->capture_default_str();
    app.add_option("--layer-output", options.layer_output,
                   "deviation of what a block of a sparse model adds; a little keeps the activity")
        ->capture_default_str();
    app.add_flag("--chat-template", options.chat_template, "of a --shape: a chat can talk to it");
    app.add_flag(
        "--two-topics", options.two_topics,
        "of a sparse model: even and odd tokens make other neurons fire, and a text goes on "
        "with the tokens of its last one's kind");
    app.add_option("--layers", n_layer, "of a --shape, if not as many as the real model has")
        ->check(CLI::Range(1, 4096));
    app.add_option("--lesser-experts", lesser_experts,
                   "of a --shape that is a mixture: multiplies the router's rows of half of the "
                   "experts; 0.65 leaves them a fifth of the choices of 8 of 128")
        ->check(CLI::Range(0.0, 1.0));
    app.add_option("--kept-experts", kept_experts,
                   "of a --shape that is qwen3moe, gpt-oss or qwen35moe: greedy text runs through "
                   "the words by id, and each token keeps this share of the experts of the one "
                   "before it; of several shares each has its words (kept_experts.h)")
        ->delimiter(',')
        ->check(CLI::Range(0.0, 0.6));
    app.add_option(
           "--repeats", repeats,
           "of a dense --shape of the architectures llama and qwen35, whose head becomes its "
           "own: greedy text goes round so many words")
        ->check(CLI::Range(2, 1 << 20));
    app.add_option("--foretells", foretells,
                   "of a dense --shape of the architecture qwen35: "
                   "the head is its own, greedy text runs through the words by id, and a layer "
                   "behind the last foretells this share of them (kept_experts.h)")
        ->check(CLI::Range(0.0, 1.0));
    app.add_option("--seed", seed, "which random numbers")->capture_default_str();
    app.add_option("-t,--threads", threads, "threads that make them")->check(CLI::Range(1, 256));
    app.add_option("-o,--output", output, "file to write");
    app.add_option("--check", checked,
                   "writes nothing: prints what this file's neurons do on random tokens");
    app.add_option("--check-tokens", n_tokens, "how many")->check(CLI::Range(2, 4096));
    CLI11_PARSE(app, argc, argv);
    if (!checked.empty()) {
        return check(checked, n_tokens, threads);
    }
    if (output.empty()) {
        std::fprintf(stderr, "make_random_model: -o FILE is missing\n");
        return 2;
    }

    if (!family.empty()) {
        return write_family(family, type_name, wanted, seed, output);
    }
    const bench::ModelShape* found = bench::find_shape(shape_name);
    const auto type = dtype_from_name(type_name);
    const auto finer = dtype_from_name(finer_type_name.empty() ? type_name : finer_type_name);
    const auto output_type = dtype_from_name(output_type_name);
    const auto missing = [](const char* what, const std::string& name) {
        std::fprintf(stderr, "make_random_model: there is no %s \"%s\"\n", what, name.c_str());
        return 2;
    };
    if (found == nullptr) {
        return missing("shape", shape_name);
    }
    bench::ModelShape shape = *found;
    shape.n_layer = n_layer > 0 ? n_layer : shape.n_layer;
    shape.experts.lesser = lesser_experts;
    const std::vector<double> circles(
        static_cast<std::size_t>(
            repeats > 0 ? bench::words_of(shape.vocab, shape.n_vocab).count / repeats : 0),
        0.0);
    shape.experts.kept = repeats > 0 ? circles : kept_experts;
    const std::array<double, 1> one_circle{};
    if (foretells >= 0) {
        shape.foretells = foretells;
        shape.tied = false;
        if (repeats == 0) {
            shape.experts.kept = one_circle;
        }
    }
    shape.tied = shape.tied && repeats == 0;
    shape.chat_template = options.chat_template && sparse.empty();
    if (!type || !finer || !output_type) {
        return missing("type", !type ? type_name : !finer ? finer_type_name : output_type_name);
    }
    const auto start = std::chrono::steady_clock::now();
    options.kind = sparse == "bamboo" ? bench::SparseKind::DRelu : bench::SparseKind::ReluGated;
    options.type = *type;
    options.output_type = *output_type;
    options.predictor_rank = predictor_rank;
    options.seed = seed;
    options.threads = threads;
    const auto bytes = sparse.empty()
                           ? bench::write_random_model(output, shape, *type, *finer, seed, threads)
                           : bench::write_sparse_model(output, shape, options);
    if (!bytes) {
        std::fprintf(stderr, "make_random_model: %s\n", bytes.error().message.c_str());
        return 1;
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    std::printf("%s: %.2f GB in %.1f s\n", output.c_str(), static_cast<double>(*bytes) / 1e9,
                taken.count());
    for (std::size_t i = 0; i < kept_experts.size(); ++i) {
        const bench::WordRange words =
            bench::circle_of(shape.vocab, shape.n_vocab, i, kept_experts.size());
        std::printf("%g %% of the experts kept: tokens %d to %d\n", 100 * kept_experts[i],
                    words.first, words.first + words.count - 1);
    }
    return 0;
}
