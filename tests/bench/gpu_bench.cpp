// What a GPU does for a model, in one process without Qt: for a bare machine with a real GPU.
//     gpu_bench -m MODEL [-g INDEX] [--hot PERCENT,...] [--layers PERCENT,...] [--mode
//     dense|exact|predicted]
//               [-t THREADS] [--ctx N] [-p 512] [-n 128] [-r 3] [--trace] [--cpu]
// --hot: attention, output head and that share of every layer's neurons on the GPU, the hottest
// first, as the first tokens on the processor showed them. --layers: that share of whole layers, as
// layer offloading does, at the bytes of VRAM it costs. Prints medians; --cpu also the processor
// alone.
//
// The split is set by hand here. What the hybrid reaches is measured as a user runs it, with
// `hearth-cli profile`, `pack` and `bench`; this program is the control that shows what the
// placement is worth.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "cpu/cpu_executor.h"
#include "gguf/reader.h"
#include "hardware/cpu_features.h"
#include "plan/self_profile.h"
#include "session/decoder.h"
#include "session/processor.h"
#include "support/vram_part.h"
#include "vulkan/vulkan_executor.h"

namespace {

using namespace hearth;

struct Options {
    std::string model;
    int device = 0;
    std::vector<int> hot;
    std::vector<int> layers;
    std::string mode = "dense";
    int threads = 0;
    int n_ctx = 2048;
    int n_prompt = 512;
    int n_decode = 128;
    int runs = 3;
    int slot_mib = 0;     // 0: prompts are split as tokens are
    int upload_from = 2;  // tokens
    bool trace = false;
    bool cpu = false;
    bool count = false;
};

struct Model {
    GgufFile file;
    ModelSpec spec;
    ModelTensors tensors;
    FeedForwardMode mode = FeedForwardMode::Dense;
};

struct Nothing : LoadMonitor {
    bool loaded(double) override { return true; }
};

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

[[noreturn]] void give_up(const Error& error) {
    std::fprintf(stderr, "gpu_bench: %s\n", error.message.c_str());
    std::exit(1);
}

template <class T>
T must(Result<T> result) {
    if (!result) {
        give_up(result.error());
    }
    return std::move(*result);
}
void must(Result<void> result) {
    if (!result) {
        give_up(result.error());
    }
}

// A model loaded as `part` says.
struct Loaded {
    Loaded(const Model& model, const test::VramPart& part, const Options& options,
           const std::shared_ptr<vulkan::Device>& device, ThreadPool& pool)
        : ledger({}) {
        const ModelSpec& spec = model.spec;
        plan.placement = part;
        plan.n_ctx = options.n_ctx;
        plan.n_batch = std::max(1, std::min(512, options.n_prompt));
        plan.threads = pool.n_threads();
        plan.mode = model.mode;
        plan.counts_firing = options.count && device != nullptr;
        const bool whole = std::all_of(part.hot_neurons.begin(), part.hot_neurons.end(),
                                       [&](int hot) { return hot == spec.n_ff_max(); });
        std::uint64_t host_bytes = 0;
        if (device != nullptr) {
            host_bytes = vulkan::Buffers::host_bytes(spec, plan.n_batch);
            if (options.slot_mib > 0 && !whole) {
                plan.upload = {static_cast<std::uint64_t>(options.slot_mib) << 20,
                               options.upload_from};
                host_bytes +=
                    vulkan::WeightUploader::host_bytes(spec, plan.n_batch, plan.upload.slot_bytes);
            }
        }
        plan.ram = {CpuWeights::bytes_for(spec, model.tensors, plan.mode, part),
                    KvCache::bytes_for(spec, plan.n_ctx, plan.placement),
                    CpuExecutor::scratch_bytes(spec, model.tensors.predictor_width(), plan.n_batch,
                                               plan.threads, plan.mode) +
                        host_bytes};
        ledger = Ledger(plan.ram);
        const PlanSlice slice{model.file, model.spec, model.tensors, plan, ledger};
        Nothing monitor;
        const auto start = std::chrono::steady_clock::now();
        executor = must(make_cpu_executor(detect_cpu_features().flags, {}, pool));
        must(executor->load(slice, monitor));
        if (device != nullptr) {
            gpu = std::make_unique<vulkan::VulkanExecutor>(device, pool, executor->weights());
            must(gpu->load(slice, monitor));
        }
        decoder.emplace(spec, plan, *executor, gpu.get());
        past = must(decoder->make_past(ledger));
        if (options.count) {
            profile.emplace("", spec.neurons());
            decoder->count_firing(&*profile);
        }
        load_seconds = seconds_since(start);
    }

    void forward(std::span<const std::int32_t> tokens, int position) {
        must(decoder->forward(
            tokens, position, past, Decoder::Want::Last, [](std::size_t, auto) {}, go_on));
    }

    Plan plan;
    Ledger ledger;
    std::unique_ptr<Executor> executor;
    std::unique_ptr<vulkan::VulkanExecutor> gpu;
    Past past;
    std::optional<Decoder> decoder;
    std::optional<SelfProfile> profile;
    Cancellation go_on;
    double load_seconds = 0;
};

std::vector<std::int32_t> some_tokens(const ModelSpec& spec, int n) {
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(n));
    std::uint32_t state = 1;
    for (std::int32_t& token : tokens) {
        state = state * 1664525U + 1013904223U;
        token = static_cast<std::int32_t>((state >> 8) % static_cast<std::uint32_t>(spec.n_vocab));
    }
    return tokens;
}

// [n_layer][n_ff]: the neurons that fired most on some tokens first.
std::vector<std::vector<int>> hottest_first(const Model& model, const Options& options,
                                            ThreadPool& pool) {
    Loaded whole(model, {}, options, nullptr, pool);
    SelfProfile profile("", model.spec.neurons());
    whole.decoder->count_firing(&profile);
    const std::vector<std::int32_t> tokens = some_tokens(model.spec, 96);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        whole.forward(std::span(tokens).subspan(i, 1), static_cast<int>(i));
    }
    std::vector<std::vector<int>> orders;
    for (int layer = 0; layer < model.spec.n_layer(); ++layer) {
        const std::span<const std::uint32_t> fired = profile.fired(layer);
        std::vector<int> order(fired.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
            return fired[static_cast<std::size_t>(a)] > fired[static_cast<std::size_t>(b)];
        });
        orders.push_back(std::move(order));
    }
    return orders;
}

void measure(const char* what, const Model& model, const test::VramPart& part,
             const Options& options, const std::shared_ptr<vulkan::Device>& device,
             ThreadPool& pool) {
    Loaded loaded(model, part, options, device, pool);
    const std::vector<std::int32_t> tokens =
        some_tokens(model.spec, options.n_prompt + options.n_decode);
    std::vector<double> prefill;
    std::vector<double> decode;
    for (int run = 0; run <= options.runs; ++run) {  // the first warms up
        auto start = std::chrono::steady_clock::now();
        if (options.n_prompt > 0) {
            loaded.forward(std::span(tokens).first(static_cast<std::size_t>(options.n_prompt)), 0);
        }
        const double first = seconds_since(start);
        loaded.executor->reset_activity();
        start = std::chrono::steady_clock::now();
        for (int i = options.n_prompt; i < options.n_prompt + options.n_decode; ++i) {
            loaded.forward(std::span(tokens).subspan(static_cast<std::size_t>(i), 1), i);
        }
        if (run > 0) {
            prefill.push_back(options.n_prompt / first);
            decode.push_back(options.n_decode / seconds_since(start));
        }
    }
    double vram = 0;
    double bus = 0;
    if (loaded.gpu) {
        vram = static_cast<double>(loaded.gpu->held().total());
        bus = static_cast<double>(loaded.gpu->bus_bytes_per_token());
    }
    std::uint64_t fired = 0;
    std::uint64_t examined = 0;
    std::uint64_t block_ns = 0;
    const auto activity = loaded.executor->activity();
    for (const LayerActivity& layer : *activity) {
        fired += layer.fired;
        examined += layer.examined;
        block_ns += layer.block_ns;
    }
    std::printf(
        "%-24s decode %8.2f/s  prefill %9.1f/s  vram %.3f GB  ram %.3f GB  bus %.0f B/token  load "
        "%.1f s  cpu: fired %.0f examined %.0f per token, blocks %.2f ms",
        what, median(decode), median(prefill), vram / 1e9,
        static_cast<double>(loaded.plan.ram.total()) / 1e9, bus, loaded.load_seconds,
        static_cast<double>(fired) / options.n_decode,
        static_cast<double>(examined) / options.n_decode,
        static_cast<double>(block_ns) / 1e6 / options.n_decode);
    if (loaded.gpu) {
        std::printf("  driver says %.3f GB\n",
                    static_cast<double>(loaded.gpu->driver_bytes()) / 1e9);
    } else {
        std::printf("\n");
    }
    if (options.trace && loaded.gpu) {
        for (const bool batch : {false, true}) {
            if (batch && options.n_prompt == 0) {
                continue;
            }
            loaded.gpu->set_tracing(true);
            constexpr int kTokens = 8;
            for (int i = 0; i < kTokens && !batch; ++i) {
                loaded.forward(std::span(tokens).first(1), options.n_prompt + i);
            }
            if (batch) {
                loaded.forward(std::span(tokens).first(static_cast<std::size_t>(options.n_prompt)),
                               0);
            }
            const double passes = batch ? 1 : kTokens;
            std::printf("  %s: label, dispatches, us each, us a pass, GB/s\n",
                        batch ? "prefill" : "decode");
            double sum = 0;
            for (const TraceLine& line : loaded.gpu->trace()) {
                sum += line.us / passes;
                std::printf("    %-12s %6.0f %9.2f %9.1f %8.0f\n", line.label.c_str(),
                            static_cast<double>(line.count) / passes,
                            line.us / static_cast<double>(line.count), line.us / passes,
                            static_cast<double>(line.bytes) / line.us / 1e3);
            }
            std::printf("    sum %.1f us\n", sum);
        }
        loaded.gpu->set_tracing(false);
    }
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Measures a model split between a GPU and the processor.");
    app.add_option("-m,--model", options.model)->required();
    app.add_option("-g,--gpu", options.device);
    app.add_option("--hot", options.hot)->delimiter(',');
    app.add_option("--layers", options.layers)->delimiter(',');
    app.add_option("--mode", options.mode)->check(CLI::IsMember({"dense", "exact", "predicted"}));
    app.add_option("-t,--threads", options.threads);
    app.add_option("--ctx", options.n_ctx);
    app.add_option("-p", options.n_prompt);
    app.add_option("-n", options.n_decode);
    app.add_option("-r", options.runs);
    app.add_option("--slot", options.slot_mib,
                   "MiB; for batches, what the GPU has not is uploaded");
    app.add_option("--upload-from,--stream-from", options.upload_from, "tokens of such a batch");
    app.add_flag("--trace", options.trace);
    app.add_flag("--cpu", options.cpu);
    app.add_flag("--count", options.count, "count what fires");
    CLI11_PARSE(app, argc, argv);

    Model model;
    model.file = must(GgufFile::open(options.model));
    model.spec = must(read_model_spec(model.file));
    model.tensors = must(bind_tensors(model.file, model.spec));
    if (is_sparse(model.spec.activation())) {
        model.mode = options.mode == "exact"       ? FeedForwardMode::Exact
                     : options.mode == "predicted" ? FeedForwardMode::Predicted
                                                   : FeedForwardMode::Dense;
    }
    if (model.mode == FeedForwardMode::Predicted) {
        use_predictors(model.file, must(bind_predictors(model.file, model.spec, {})),
                       model.tensors);
    }
    const CpuFeatures cpu = detect_cpu_features();
    ThreadPool pool(options.threads > 0 ? options.threads : cpu.physical_cores);
    auto instance = must(
        vulkan::Instance::create(vulkan::validation_from(read_environment().vulkan_validation)));
    auto device = must(vulkan::Device::create(
        instance, options.device,
        must(vulkan::parse_restrictions(read_environment().vulkan_without))));
    std::printf("%s, %s, %d threads, %s, %s\n", device->physical().info.name.c_str(),
                device->physical().info.driver.c_str(), pool.n_threads(), options.model.c_str(),
                std::string(to_string(model.mode)).c_str());
    const int n_layer = model.spec.n_layer();
    const auto layers = static_cast<std::size_t>(n_layer);
    if (options.cpu) {
        measure("processor", model, {}, options, nullptr, pool);
    }
    std::vector<std::vector<int>> orders;
    const bool may_order = model.tensors.layers.front()[Role::Down].by_neuron;
    if (may_order && is_sparse(model.spec.activation()) &&
        std::any_of(options.hot.begin(), options.hot.end(), [](int p) { return p < 100; })) {
        orders = hottest_first(model, options, pool);
    }
    for (const int percent : options.hot) {
        test::VramPart part{model.spec.neurons()};
        part.attention_in_vram.assign(layers, true);
        part.output_in_vram = true;
        part.hot_neurons.assign(layers, percent >= 100
                                            ? model.spec.n_ff_max()
                                            : model.spec.n_ff_max() * percent / 100 / 64 * 64);
        if (percent < 100) {
            part.neuron_order = orders;
        }
        measure(("neurons " + std::to_string(percent) + " %").c_str(), model, part, options, device,
                pool);
    }
    for (const int percent : options.layers) {
        test::VramPart part{model.spec.neurons()};
        const auto n = layers * static_cast<std::size_t>(percent) / 100;
        part.attention_in_vram.assign(layers, false);
        part.hot_neurons.assign(layers, 0);
        for (std::size_t layer = layers - n; layer < layers; ++layer) {
            part.attention_in_vram[layer] = true;
            part.hot_neurons[layer] = model.spec.n_ff_max();
        }
        part.output_in_vram = true;
        measure(("layers " + std::to_string(n)).c_str(), model, part, options, device, pool);
    }
    return 0;
}
