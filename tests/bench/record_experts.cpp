// record_experts MODEL --text FILE [--tokens 0] [--skip 0] [--ctx 512] [--ram BYTES] [-t THREADS]
//                -o TRACE
// Decodes a text token by token, as an answer is, and records for cache_simulator which experts of
// each mixture its tokens choose. --skip: so many of the text's tokens first, so that one text
// gives a trace to learn from and another to judge by.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <hearth/engine.h>

#include "bench/trace.h"
#include "plan/self_profile.h"
#include "session/loaded_model.h"
#include "session/session.h"

namespace {

using namespace hearth;

[[noreturn]] void give_up(const std::string& why) {
    std::fprintf(stderr, "record_experts: %s\n", why.c_str());
    std::exit(1);
}

// The experts of each mixture that the latest token chose: those whose counts have grown.
class Choices {
public:
    explicit Choices(const ModelSpec& spec) : profile_("", spec.counted()) {
        for (int layer = 0; layer < spec.n_layer(); ++layer) {
            const LayerSpec& of = spec.layer(layer);
            if (of.is_mixture()) {
                layers_.push_back(layer);
                before_.emplace_back(static_cast<std::size_t>(of.experts.n));
                n_items_ = std::max(n_items_, static_cast<std::uint32_t>(of.experts.n));
            }
        }
    }
    SelfProfile& profile() { return profile_; }
    bench::Trace trace() const {
        return {static_cast<std::uint32_t>(layers_.size()), n_items_, {}, {}};
    }
    void add_to(bench::Trace& trace, TokenId token) {
        trace.ids.push_back(token);
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            const auto counts = profile_.fired(layers_[i]);
            std::vector<std::uint16_t> chosen;
            for (std::size_t expert = 0; expert < counts.size(); ++expert) {
                if (counts[expert] != std::exchange(before_[i][expert], counts[expert])) {
                    chosen.push_back(static_cast<std::uint16_t>(expert));
                }
            }
            trace.sets.push_back(std::move(chosen));
        }
    }

private:
    SelfProfile profile_;
    std::vector<int> layers_;  // that are mixtures
    std::vector<std::vector<std::uint32_t>> before_;
    std::uint32_t n_items_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    EngineOptions options;
    options.gpu = "none";
    options.keeps_profile = false;
    options.n_ctx = 512;
    options.threads = static_cast<int>(std::thread::hardware_concurrency());
    std::string text_path, output;
    std::uint64_t n_tokens = 0, skip = 0, ram = 0;
    CLI::App app("Records which experts a text's tokens choose.");
    app.add_option("model", options.model_path)->required();
    app.add_option("--text", text_path)->required();
    app.add_option("--tokens", n_tokens, "how many; 0: all");
    app.add_option("--skip", skip, "how many before them");
    app.add_option("--ctx", options.n_ctx, "tokens of a window")->check(CLI::Range(2, 1 << 20));
    app.add_option("--ram", ram, "bytes that the engine may hold");
    app.add_option("-t,--threads", options.threads)->check(CLI::Range(1, 256));
    app.add_option("-o,--output", output)->required();
    CLI11_PARSE(app, argc, argv);
    if (ram > 0) {
        options.ram_bytes = ram;
    }
    std::ifstream stream(text_path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (text.empty()) {
        give_up(text_path + ": cannot be read, or is empty");
    }
    const auto engine = Engine::load(options);
    if (!engine) {
        give_up(engine.error().message);
    }
    LoadedModel& model = (*engine)->impl();
    if (!model.spec.has_experts()) {
        give_up(options.model_path + ": is no mixture of experts");
    }
    std::vector<TokenId> tokens = model.tokenizer->tokenize(text, true, false);
    tokens.erase(tokens.begin(),
                 tokens.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(
                                      tokens.size(), static_cast<std::size_t>(skip))));
    if (n_tokens > 0 && n_tokens < tokens.size()) {
        tokens.resize(static_cast<std::size_t>(n_tokens));
    }
    if (tokens.empty()) {
        give_up(text_path + ": has fewer tokens");
    }
    const Cancellation go_on;
    Choices choices(model.spec);
    bench::Trace trace = choices.trace();
    model.session->count_firing(&choices.profile());
    for (const TokenId token : tokens) {
        if (model.session->cached_tokens().size() == static_cast<std::size_t>(model.plan.n_ctx)) {
            model.session->clear();
        }
        if (auto done = model.session->decode_one(token, go_on); !done) {
            give_up(done.error().message);
        }
        choices.add_to(trace, token);
    }
    model.session->count_firing(nullptr);
    if (auto written = bench::write_trace(output, trace); !written) {
        give_up(written.error().message);
    }
    return 0;
}
