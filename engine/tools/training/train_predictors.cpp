// Fits activation predictors: collects what blocks were given and what fired, a few layers at a
// time, fits each layer, keeps it as a part, and at the end puts the parts together.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <hearth/tools.h>

#include "base/guarded.h"
#include "base/hash128.h"
#include "gguf/recipes.h"
#include "gguf/rows.h"
#include "model/model_hash.h"
#include "model/predictor_file.h"
#include "session/loaded_model.h"
#include "tools/training/fit.h"
#include "tools/training/layer_file.h"
#include "tools/training/low_rank.h"
#include "tools/training/model_rows.h"
#include "tools/training/net.h"
#include "tools/training/recipe.h"
#include "tools/training/samples.h"
#include "tools/training/sizing.h"

namespace hearth::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kWindowTokens = 512;   // scored from an empty context
constexpr std::size_t kHeldBackEvery = 8;    // windows, one of which is held back
constexpr std::size_t kProbeTokens = 32768;  // what a width is tried on
constexpr std::size_t kProbeJudges = 8192;
constexpr const char* kPartVersion = "1";  // of what training does with the same options

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

std::filesystem::path path_of(const std::string& text) {
    return std::u8string(text.begin(), text.end());
}
std::string text_of(const std::filesystem::path& path) {
    const std::u8string text = path.u8string();
    return {text.begin(), text.end()};
}

class Trainer {
public:
    Trainer(LoadedModel& impl, const PredictorOptions& options, const PredictorRecipe& recipe,
            const PredictorProgress& progress, const Cancellation& cancellation)
        : impl_(impl),
          options_(options),
          recipe_(recipe),
          progress_(progress),
          cancellation_(cancellation) {}

    Result<PredictorReport> run(std::string_view text) {
        const auto start = Clock::now();
        if (auto fits = need_feed_forward_blocks(impl_.spec, "training predictors"); !fits) {
            return std::move(fits).error();
        }
        auto hash = model_hash(impl_.file);
        if (!hash) {
            return std::move(hash).error();
        }
        tokens_ = impl_.tokenizer->tokenize(text, false, options_.parse_special);
        if (options_.max_tokens > 0 && tokens_.size() > options_.max_tokens) {
            tokens_.resize(static_cast<std::size_t>(options_.max_tokens));
        }
        window_ = std::min<std::size_t>(kWindowTokens, static_cast<std::size_t>(impl_.plan.n_ctx));
        if (tokens_.size() < 2 * window_ &&
            !(recipe_.low_rank && text.empty() && options_.weights_path.empty())) {
            return Error{ErrorCode::InvalidArgument,
                         "the text has " + std::to_string(tokens_.size()) + " tokens; at least " +
                             std::to_string(2 * window_) +
                             " are needed to learn from some and to be judged by others",
                         {},
                         "file"};
        }
        if (auto opened = open_given(*hash); !opened) {
            return std::move(opened).error();
        }
        parts_ = path_of(options_.output_path + ".parts");
        make_key(*hash);
        if (auto made = make_layers(); !made) {
            return std::move(made).error();
        }
        if (std::none_of(layers_.begin(), layers_.end(),
                         [](const FittedLayer& layer) { return layer.report.written; })) {
            return Error{ErrorCode::Unsupported,
                         "no layer's predictor would save anything (layer " +
                             std::to_string(layers_.front().report.layer) + ": " +
                             layers_.front().report.reason + "); nothing was written",
                         {},
                         "model"};
        }
        const auto bytes =
            write_predictors(options_.output_path,
                             {.model_hash = *hash,
                              .name = impl_.info.name,
                              .kind = given_ && given_->linear ? "low_rank" : options_.kind,
                              .input = options_.input},
                             impl_.spec, layers_);
        if (!bytes) {
            return bytes.error();
        }
        std::error_code ignored;  // parts that stay are in nobody's way
        std::filesystem::remove_all(parts_, ignored);
        PredictorReport report;
        for (FittedLayer& layer : layers_) {
            report.layers.push_back(std::move(layer.report));
        }
        count_tokens(report);
        report.output_bytes = *bytes;
        report.seconds = seconds_since(start);
        return report;
    }

private:
    // The file whose weights are taken over, if there is one.
    Result<void> open_given(const std::string& model) {
        if (options_.weights_path.empty()) {
            return {};
        }
        auto file = GgufFile::open(options_.weights_path);
        if (!file) {
            return std::move(file).error();
        }
        given_file_.emplace(std::move(*file));
        auto bound = bind_predictors(*given_file_, impl_.spec, model, recipe_.input);
        if (!bound) {
            return std::move(bound).error();
        }
        given_ = std::move(*bound);
        return {};
    }

    int n_layers() const { return recipe_.end_layer - recipe_.first_layer; }

    // Everything that the bytes of a part depend on.
    void make_key(const std::string& model) {
        Hash128 hash;
        hash.add(kPartVersion);
        hash.add(model);
        hash.add(std::as_bytes(std::span(tokens_)));
        hash.add(static_cast<std::uint64_t>(window_));
        for (const std::string* text : {&options_.kind, &options_.input, &options_.type}) {
            hash.add(*text);
        }
        hash.add(static_cast<std::uint64_t>(options_.width));
        hash.add(static_cast<std::uint64_t>(options_.passes));
        hash.add(static_cast<std::uint64_t>(std::llround(options_.recall * 1e9)));
        hash.add(options_.seed);
        hash.add(options_.weights_path);
        hash.add(given_file_ ? given_file_->file_bytes() : 0);
        key_ = hash.hex();
    }

    std::string part_path(int layer) const {
        return text_of(parts_ / ("layer-" + std::to_string(layer) + ".gguf"));
    }

    bool is_held_back(std::size_t window) const {
        if (given_file_) {  // nothing is learnt, all may judge
            return true;
        }
        const std::size_t n_windows = (tokens_.size() + window_ - 1) / window_;
        const std::size_t every = std::min(kHeldBackEvery, n_windows);
        return every > 0 && window % every == every - 1;
    }

    void count_tokens(PredictorReport& report) const {
        for (std::size_t first = 0; first < tokens_.size(); first += window_) {
            (is_held_back(first / window_) ? report.held_back_tokens : report.training_tokens) +=
                std::min(window_, tokens_.size() - first);
        }
    }

    void tell(std::string_view what, int layer, double share_of_layer) const {
        if (progress_) {
            const double done = static_cast<double>(layers_.size()) + share_of_layer;
            progress_(what, layer, std::min(1.0, done / n_layers()));
        }
    }

    Result<void> make_layers() {
        int next = recipe_.first_layer;
        while (next < recipe_.end_layer) {
            if (auto part = read_layer(part_path(next), key_, impl_.spec, next)) {
                layers_.push_back(std::move(*part));
                tell("training", next, 0);
                ++next;
                continue;
            }
            int end = next + 1;
            const int most = tokens_.empty() ? 1 : layers_at_once();
            while (end < recipe_.end_layer && end - next < most &&
                   !read_layer(part_path(end), key_, impl_.spec, end)) {
                ++end;
            }
            SampleCollector collector(impl_.spec, recipe_.input, next, end);
            if (auto collected = collect(collector, next); !collected) {
                return collected;
            }
            for (; next < end; ++next) {
                if (auto made = make_layer(next, collector.take(next)); !made) {
                    return made;
                }
            }
        }
        return {};
    }

    // A quarter of the neurons firing is more than sparse models show; what more takes is taken.
    int layers_at_once() const {
        const auto n_embd = static_cast<std::uint64_t>(impl_.spec.n_embd);
        const auto n_ff = static_cast<std::uint64_t>(impl_.spec.n_ff_max());
        const std::uint64_t token_bytes = n_embd * sizeof(std::uint16_t) + n_ff / 4 * sizeof(Fired);
        const std::uint64_t layer_bytes = token_bytes * tokens_.size();
        return static_cast<int>(std::clamp<std::uint64_t>(options_.sample_bytes / layer_bytes, 1,
                                                          static_cast<std::uint64_t>(n_layers())));
    }

    // While it lives, the collector watches.
    struct Watch {
        LoadedModel& model;
        Watch(LoadedModel& watched, FeedForwardObserver& observer) : model(watched) {
            model.observe(&observer);
        }
        ~Watch() { model.observe(nullptr); }
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;
    };

    Result<void> collect(SampleCollector& collector, int layer) {
        const Watch watch(impl_, collector);
        for (std::size_t first = 0; first < tokens_.size(); first += window_) {
            tell("collecting", layer, 0);
            collector.hold_back(is_held_back(first / window_));
            const std::size_t count = std::min(window_, tokens_.size() - first);
            if (auto scored = impl_.session->score(std::span(tokens_).subspan(first, count),
                                                   Decoder::Want::None, {}, cancellation_);
                !scored) {
                return scored;
            }
        }
        return {};
    }

    Result<void> make_layer(int layer, LayerSamples samples) {
        const auto start = Clock::now();
        auto fitted = given_file_        ? take_over(layer, samples)
                      : recipe_.low_rank ? make_low_rank(layer, samples)
                                         : train(layer, samples);
        if (!fitted) {
            return std::move(fitted).error();
        }
        fitted->report.seconds = seconds_since(start);
        std::error_code failed;
        std::filesystem::create_directories(parts_, failed);
        if (failed) {
            return Error{ErrorCode::WriteFailed, "cannot make the folder: " + failed.message(),
                         text_of(parts_), "output_path"};
        }
        if (auto kept = write_layer(part_path(layer), key_, impl_.spec, *fitted); !kept) {
            return kept;
        }
        layers_.push_back(std::move(*fitted));
        tell("training", layer, 0);
        return {};
    }

    const LayerTensors& tensors_of(int layer) const {
        return impl_.tensors.layers[static_cast<std::size_t>(layer)];
    }
    int n_ff(int layer) const { return impl_.spec.layer(layer).n_ff; }
    std::uint64_t gate_bytes(int layer) const { return deciding_rows(tensors_of(layer)).bytes(); }
    Result<std::vector<float>> down_norms(int layer) const {
        return read_down_norms(impl_.file, tensors_of(layer)[Role::Down]);
    }

    PredictorShape shape_of(int layer, int width) const {
        return {impl_.spec.n_embd, width, n_ff(layer), recipe_.low_rank};
    }

    DType type_for(int cols) const {
        return type_that_fits(recipe_.type, static_cast<std::uint64_t>(cols));
    }

    std::uint64_t bytes_of(int layer, int width) const {
        return row_bytes(type_for(impl_.spec.n_embd),
                         static_cast<std::uint64_t>(impl_.spec.n_embd)) *
                   static_cast<std::uint64_t>(width) +
               row_bytes(type_for(width), static_cast<std::uint64_t>(width)) *
                   static_cast<std::uint64_t>(n_ff(layer));
    }

    std::vector<std::byte> quantized(std::span<const float> values, DType type, int rows,
                                     int cols) const {
        const std::uint64_t stride = row_bytes(type, static_cast<std::uint64_t>(cols));
        std::vector<std::byte> bytes(static_cast<std::size_t>(stride) *
                                     static_cast<std::size_t>(rows));
        impl_.pool->run(rows, [&](int row, int) {
            quantize_row(
                type,
                values.subspan(static_cast<std::size_t>(row) * static_cast<std::size_t>(cols),
                               static_cast<std::size_t>(cols)),
                bytes.data() + stride * static_cast<std::uint64_t>(row));
        });
        return bytes;
    }

    static void dequantized(std::span<const std::byte> bytes, DType type, int cols,
                            std::span<float> values) {
        const auto stride =
            static_cast<std::size_t>(row_bytes(type, static_cast<std::uint64_t>(cols)));
        const auto n = static_cast<std::size_t>(cols);
        for (std::size_t r = 0; r * n < values.size(); ++r) {
            dequantize_row(type, bytes.data() + r * stride, values.subspan(r * n, n));
        }
    }

    // What the file will hold; the net then has just those weights, so that it is judged as it will
    // run.
    PredictorWeights settle(PredictorNet& net, std::vector<float> fc1,
                            std::vector<float> fc2) const {
        const PredictorShape& shape = net.shape();
        PredictorWeights weights;
        weights.fc1_type = type_for(shape.n_embd);
        weights.fc2_type = type_for(shape.width);
        weights.fc1 = quantized(fc1, weights.fc1_type, shape.width, shape.n_embd);
        weights.fc2 = quantized(fc2, weights.fc2_type, shape.n_ff, shape.width);
        dequantized(weights.fc1, weights.fc1_type, shape.n_embd, fc1);
        dequantized(weights.fc2, weights.fc2_type, shape.width, fc2);
        net.set(fc1, fc2);
        return weights;
    }

    void describe(FittedLayer& fitted, int layer, int width) const {
        fitted.report.layer = layer;
        fitted.report.width = width;
        fitted.report.predictor_bytes = bytes_of(layer, width);
        fitted.report.gate_bytes = gate_bytes(layer);
    }

    // Chooses the threshold, fills in the quality and leaves the layer out if its predictor does
    // not pay.
    Result<FittedLayer> judged(FittedLayer fitted, PredictorNet& net,
                               const std::vector<TokenSample>& held_back,
                               std::span<const float> norms) const {
        const auto quality =
            calibrate(net, held_back, norms, options_.recall, *impl_.pool, cancellation_);
        if (!quality) {
            return quality.error();
        }
        PredictorLayerReport& report = fitted.report;
        report.threshold = quality->threshold;
        report.recall = quality->recall;
        report.weighted_recall = quality->weighted_recall;
        report.precision = quality->precision;
        report.predicted = quality->predicted;
        report.active = quality->active;
        const double bytes =
            predicted_bytes(report.predictor_bytes, report.predicted, report.gate_bytes);
        report.written = bytes < static_cast<double>(report.gate_bytes);
        if (!report.written) {
            report.reason = "predictor and predicted gate rows are " +
                            std::to_string(std::llround(bytes)) + " bytes, the whole gate " +
                            std::to_string(report.gate_bytes);
            fitted.weights = {};
        }
        return fitted;
    }

    // Above it not even a predictor that predicted nothing would pay.
    int most_width(int layer) const {
        const int step = width_step(impl_.spec.n_embd);
        int width = step;
        while (width + step <= static_cast<int>(kMostPredictorWidth) &&
               bytes_of(layer, width + step) < gate_bytes(layer)) {
            width += step;
        }
        return width;
    }

    Result<int> find_width(int layer, const std::vector<TokenSample>& training,
                           const std::vector<TokenSample>& held_back,
                           const std::vector<float>& norms, const NeuronActivity& activity) {
        const int n_embd = impl_.spec.n_embd;
        const std::vector<TokenSample> some(
            training.begin(), training.begin() + static_cast<std::ptrdiff_t>(
                                                     std::min(training.size(), kProbeTokens)));
        const std::vector<TokenSample> judges(
            held_back.begin(), held_back.begin() + static_cast<std::ptrdiff_t>(
                                                       std::min(held_back.size(), kProbeJudges)));
        WidthSearch search(baseline_width(activity, n_embd), width_step(n_embd), most_width(layer));
        while (search.next() != 0) {
            PredictorNet net(shape_of(layer, search.next()), options_.seed);
            if (auto learnt = fit(net, some, norms, {.passes = 1, .seed = options_.seed},
                                  *impl_.pool, {}, cancellation_);
                !learnt) {
                return std::move(learnt).error();
            }
            const auto quality =
                calibrate(net, judges, norms, options_.recall, *impl_.pool, cancellation_);
            if (!quality) {
                return quality.error();
            }
            search.tried(predicted_bytes(bytes_of(layer, search.next()), quality->predicted,
                                         gate_bytes(layer)));
        }
        return search.best();
    }

    Result<FittedLayer> train(int layer, const LayerSamples& samples) {
        const int n_embd = impl_.spec.n_embd;
        const auto training = LayerSamples::tokens(samples.training, n_embd);
        const auto held_back = LayerSamples::tokens(samples.held_back, n_embd);
        const auto norms = down_norms(layer);
        if (!norms) {
            return norms.error();
        }
        const NeuronActivity activity = measure_activity(training, n_ff(layer));
        FittedLayer fitted;
        fitted.report.skew = activity.skew;
        if (activity.active == 0) {
            describe(fitted, layer, 0);
            fitted.report.reason = "no neuron fired for the text";
            return fitted;
        }
        int width = options_.width;
        if (width == 0) {
            const auto found = find_width(layer, training, held_back, *norms, activity);
            if (!found) {
                return found.error();
            }
            width = *found;
        }
        PredictorNet net(shape_of(layer, width), options_.seed);
        const auto progress = [&](double share) { tell("training", layer, share); };
        if (auto learnt =
                fit(net, training, *norms, {.passes = options_.passes, .seed = options_.seed},
                    *impl_.pool, progress, cancellation_);
            !learnt) {
            return std::move(learnt).error();
        }
        describe(fitted, layer, width);
        fitted.weights = settle(net, net.fc1(), net.fc2());
        return judged(std::move(fitted), net, held_back, *norms);
    }

    Result<FittedLayer> make_low_rank(int layer, const LayerSamples& samples) {
        const ModelSpec& spec = impl_.spec;
        const auto gate = read_rows(impl_.file, deciding_rows(tensors_of(layer)));
        if (!gate) {
            return gate.error();
        }
        const int step = width_step(spec.n_embd);
        const int most = std::min(spec.n_embd, n_ff(layer));
        const int width = options_.width != 0 ? options_.width
                                              : std::min(most / step * step,
                                                         std::max(step, most / 4 / step * step));
        auto parts = low_rank(*gate, n_ff(layer), spec.n_embd, width, options_.seed, *impl_.pool,
                              cancellation_);
        if (!parts) {
            return std::move(parts).error();
        }
        FittedLayer fitted;
        describe(fitted, layer, width);
        PredictorNet net(shape_of(layer, width), options_.seed);
        fitted.weights = settle(net, std::move(parts->fc1), std::move(parts->fc2));
        const auto held_back = LayerSamples::tokens(samples.held_back, spec.n_embd);
        if (held_back.empty()) {  // a gate above 0 is what lets a neuron fire
            fitted.report.written = fitted.report.predictor_bytes < fitted.report.gate_bytes;
            if (!fitted.report.written) {
                fitted.report.reason = "the predictor is larger than the gate";
                fitted.weights = {};
            }
            return fitted;
        }
        const auto norms = down_norms(layer);
        if (!norms) {
            return norms.error();
        }
        fitted.report.skew = measure_activity(held_back, n_ff(layer)).skew;
        return judged(std::move(fitted), net, held_back, *norms);
    }

    // The given file's weights, in the type asked for; only the threshold is new.
    Result<FittedLayer> take_over(int layer, const LayerSamples& samples) {
        const LayerPredictor& given = given_->layers[static_cast<std::size_t>(layer)];
        FittedLayer fitted;
        if (!given.present()) {
            describe(fitted, layer, 0);
            fitted.report.reason = "the given file has no predictor of this layer";
            return fitted;
        }
        const auto rows_of = [&](const TensorInfo& tensor) {
            return read_rows(*given_file_, whole(tensor));
        };
        auto fc1 = rows_of(*given.fc1);
        auto fc2 = rows_of(*given.fc2);
        const auto norms = down_norms(layer);
        if (!fc1 || !fc2 || !norms) {
            return !fc1 ? fc1.error() : !fc2 ? fc2.error() : norms.error();
        }
        describe(fitted, layer, given.width());
        PredictorShape shape = shape_of(layer, given.width());
        shape.linear = given_->linear;
        PredictorNet net(shape, options_.seed);
        fitted.weights = settle(net, std::move(*fc1), std::move(*fc2));
        const auto held_back = LayerSamples::tokens(samples.held_back, impl_.spec.n_embd);
        fitted.report.skew = measure_activity(held_back, n_ff(layer)).skew;
        return judged(std::move(fitted), net, held_back, *norms);
    }

    LoadedModel& impl_;
    const PredictorOptions& options_;
    const PredictorRecipe recipe_;
    const PredictorProgress& progress_;
    const Cancellation& cancellation_;
    std::optional<GgufFile> given_file_;
    std::optional<PredictorTensors> given_;
    std::vector<std::int32_t> tokens_;
    std::size_t window_ = 0;
    std::filesystem::path parts_;
    std::string key_;
    std::vector<FittedLayer> layers_;  // finished, from first_layer on
};

}  // namespace

Result<PredictorReport> train_predictors(Engine& engine, std::string_view text,
                                         const PredictorOptions& options,
                                         const PredictorProgress& progress,
                                         const Cancellation& cancellation) {
    return guarded_naming(engine.impl().info.path, [&]() -> Result<PredictorReport> {
        LoadedModel& impl = engine.impl();
        const auto recipe = read_recipe(options, impl.spec);
        if (!recipe) {
            return recipe.error();
        }
        return Trainer(impl, options, *recipe, progress, cancellation).run(text);
    });
}

}  // namespace hearth::tools
