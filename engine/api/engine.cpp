#include <hearth/engine.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "api/adapt.h"
#include "api/assembly.h"
#include "base/guarded.h"
#include "base/private_folder.h"
#include "hardware/cpu_features.h"
#include "hardware/memory_info.h"
#include "model/model_hash.h"
#include "model/packed_layout.h"
#include "session/decode_statistics.h"
#include "session/loaded_model.h"
#include "session/model_map.h"
#include "session/model_mode.h"
#include "session/processor.h"
#include "text/utf8_stream.h"

namespace hearth {
namespace {

using Clock = std::chrono::steady_clock;

class Stopwatch {
public:
    double lap_ms() {
        const auto now = Clock::now();
        const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
        last_ = now;
        return ms;
    }

private:
    Clock::time_point last_ = Clock::now();
};

struct Monitor final : LoadMonitor {
    Monitor(const LoadProgress& callback, const Cancellation* flag)
        : progress(callback), cancellation(flag) {}
    bool loaded(double fraction) override {
        if (progress && fraction - reported >= 0.02) {
            reported = fraction;
            progress(fraction);
        }
        return cancellation == nullptr || !cancellation->requested();
    }
    const LoadProgress& progress;
    const Cancellation* cancellation;
    double reported = 0;
};

// A file's own words made fit to be shown: valid UTF-8, no control characters.
std::string shown_name(std::string_view text) {
    Utf8Stream utf8;
    std::string name = utf8.push(text);
    name += utf8.finish();  // on its own: operands of a sum have no order
    std::erase_if(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
    return name;
}

// "models/tiny.gguf" to "tiny". Paths are UTF-8 everywhere, which std::filesystem does not take
// them for.
std::string stem_of(const std::string& path) {
    const std::size_t slash = path.find_last_of("/\\");
    const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    return name.substr(0, name.rfind('.'));
}

ModelInfo describe(const GgufFile& file, const ModelSpec& spec) {
    ModelInfo info;
    info.path = file.path();
    info.arch = spec.arch;
    auto name = file.metadata().string("general.name");
    info.name = name ? shown_name(*name) : std::string();
    if (info.name.empty()) {
        info.name = stem_of(file.path());
    }
    info.file_bytes = file.file_bytes();
    info.n_layer = spec.n_layer();
    info.n_vocab = spec.n_vocab;
    info.n_ctx_train = spec.n_ctx_train;
    const auto packed =
        is_packed(file) ? read_packed_layout(file, spec) : Result<PackedLayout>(PackedLayout{});
    const PackedLayout* layout = is_packed(file) && packed ? &*packed : nullptr;
    std::map<DType, std::uint64_t> by_type;
    std::uint64_t most_bytes = 0;
    for (const TensorInfo& tensor : file.tensors().entries()) {
        if (is_side_note(tensor, layout)) {
            continue;
        }
        for (const TensorContent& content : contents_of(tensor, layout)) {
            info.n_params += content.values;
            std::uint64_t& bytes = by_type[content.type];
            bytes += content.bytes;
            if (bytes > most_bytes) {
                most_bytes = bytes;
                info.type = dtype_info(content.type).name;
            }
        }
    }
    return info;
}

// The errors of a load name the file, wherever they came from.
Error with_path(Error error, const std::string& path) {
    if (error.path.empty()) {
        error.path = path;
    }
    return error;
}

// Nothing is to spare while programs wait for memory, or after the budget was lowered.
std::uint64_t room_for_pasts(const LoadedModel& impl) {
    constexpr std::uint64_t kMost = std::uint64_t{8} << 30;
    const std::uint64_t held = impl.ledger->actual().total();
    const std::uint64_t budget = impl.budgets.ram_bytes();
    if (budget <= held || impl.ram_budget.spared() > 0) {
        return 0;
    }
    const std::uint64_t left = budget - held;
    return std::min(left, impl.options.kept_pasts_bytes.value_or(std::min(left / 2, kMost)));
}

}  // namespace

std::string_view to_string(FinishReason reason) {
    switch (reason) {
        case FinishReason::Stop:
            return "stop";
        case FinishReason::Length:
            return "length";
        case FinishReason::Cancelled:
            return "cancelled";
        case FinishReason::Grammar:
            return "grammar";
    }
    return "stop";
}

Engine::Engine(std::unique_ptr<LoadedModel> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

const ModelInfo& Engine::model() const {
    return impl_->info;
}
const EngineSettings& Engine::settings() const {
    impl_->settings.ram_bytes = impl_->budgets.ram_bytes();
    return impl_->settings;
}
const LoadTimings& Engine::load_timings() const {
    return impl_->timings;
}

MemoryReport Engine::memory() const {
    const MemoryBytes& planned = impl_->ledger->planned();
    const MemoryBytes& actual = impl_->ledger->actual();
    MemoryReport report;
    report.weights = {planned.weights, actual.weights};
    report.kv = {planned.kv, actual.kv};
    report.scratch = {planned.scratch, actual.scratch};
    report.ram_budget_bytes = impl_->budgets.ram_bytes();
    report.budget_waits = impl_->budgets.waits();
    report.spared_bytes = impl_->ram_budget.spared();
    if (impl_->session != nullptr) {
        const PastShelf& shelf = impl_->session->kept_pasts();
        report.kept_pasts = {shelf.most(), shelf.bytes()};
        report.n_kept_pasts = shelf.size();
    }
    if (impl_->gpu_executor != nullptr) {
        const MemoryBytes held = impl_->gpu_executor->held();
        const MemoryBytes& promised = impl_->plan.vram;
        report.vram_weights = {promised.weights, held.weights};
        report.vram_kv = {promised.kv, held.kv};
        report.vram_scratch = {promised.scratch, held.scratch};
        // A smaller one that what is loaded fits holds without loading anew.
        report.vram_budget_bytes =
            std::min(impl_->plan.vram_budget_bytes,
                     impl_->budgets.in_force().vram_bytes.value_or(impl_->plan.vram_budget_bytes));
        report.vram_bytes = held.total();
        report.vram_driver_bytes = impl_->gpu_executor->driver_bytes();
        report.bus_bytes_per_token = impl_->gpu_executor->bus_bytes_per_token();
    }
    return report;
}

FlashReport Engine::flash() const {
    if (impl_->executor == nullptr) {
        return {};
    }
    const FlashReads reads = impl_->executor->flash();
    constexpr double kNsPerMs = 1e6;
    return {.bytes_per_token = reads.bytes_per_pass,
            .caches_neurons = reads.caches_neurons,
            .are_experts = reads.caches_neurons && impl_->spec.has_experts(),
            .neuron_hits = reads.neuron_hits,
            .neuron_misses = reads.neuron_misses,
            .experts_guessed = reads.experts_guessed,
            .guessed_right = reads.guessed_right,
            .read_ahead = reads.read_ahead,
            .read_ahead_used = reads.read_ahead_used,
            .guess_trials = reads.guess_trials,
            .guesses_pay = reads.guesses_pay,
            .guess_gain = reads.guess_gain,
            .why_not_direct = reads.why_not_direct,
            .read_bytes = reads.bytes,
            .reads = reads.reads,
            .busy_ms = static_cast<double>(reads.busy_ns) / kNsPerMs,
            .read_p50_ms = static_cast<double>(reads.read_p50_ns) / kNsPerMs,
            .read_p90_ms = static_cast<double>(reads.read_p90_ns) / kNsPerMs,
            .read_p99_ms = static_cast<double>(reads.read_p99_ns) / kNsPerMs,
            .stall_p50_ms = static_cast<double>(reads.stall_p50_ns) / kNsPerMs,
            .stall_p90_ms = static_cast<double>(reads.stall_p90_ns) / kNsPerMs,
            .stall_p99_ms = static_cast<double>(reads.stall_p99_ns) / kNsPerMs};
}

Result<void> Engine::set_budget(const BudgetChange& change) {
    return guarded_naming(impl_->info.path, [&] { return impl_->budgets.set(change); });
}

Result<void> Engine::carry_out_budget(const LoadProgress& progress,
                                      const Cancellation* cancellation) {
    return guarded_naming(impl_->info.path, [&]() -> Result<void> {
        if (impl_->executor != nullptr && !impl_->budgets.waits()) {
            return {};
        }
        if (cancellation != nullptr && cancellation->requested()) {
            return Error{ErrorCode::Cancelled, "cancelled"};
        }
        Monitor monitor(progress, cancellation);
        auto outcome = hearth::carry_out_budget(*impl_, monitor);
        if (!outcome) {
            return std::move(outcome).error();
        }
        if (outcome->refused) {
            return std::move(*outcome->refused);
        }
        return {};
    });
}

void Engine::set_tracing(bool on) {
    if (impl_->gpu_executor != nullptr) {
        impl_->gpu_executor->set_tracing(on);
    }
}

std::vector<TraceEntry> Engine::trace() const {
    std::vector<TraceEntry> entries;
    if (impl_->gpu_executor != nullptr) {
        for (TraceLine& line : impl_->gpu_executor->trace()) {
            entries.push_back({std::move(line.label), line.count, line.us, line.bytes});
        }
    }
    return entries;
}

Result<std::uint64_t> Engine::save_profile() {
    return guarded_naming(impl_->info.path, [&]() -> Result<std::uint64_t> {
        SelfProfile* profile = impl_->self_profile.get();
        if (profile == nullptr || profile->tokens() == 0) {
            return std::uint64_t{0};
        }
        auto hash = model_hash(impl_->file);
        if (!hash) {
            return std::move(hash).error();
        }
        if (!profile->has_name()) {
            NeuronOrder order;
            if (is_packed(impl_->file)) {
                const auto layout = read_packed_layout(impl_->file, impl_->spec);
                if (!layout) {
                    return layout.error();
                }
                auto read = read_neuron_order(impl_->file, *layout);
                if (!read) {
                    return std::move(read).error();
                }
                order = std::move(*read);
            }
            profile->name_model(*hash, std::move(order));
        }
        if (impl_->gpu_executor != nullptr) {
            auto collected = note_uses(*impl_);
            if (collected) {
                collected = impl_->gpu_executor->collect_firing(*profile);
            }
            if (!collected) {
                if (collected.error().code ==
                    ErrorCode::DeviceLost) {  // until recover() begins anew
                    impl_->session->count_firing(nullptr);
                    impl_->self_profile.reset();
                }
                return std::move(collected).error();
            }
        }
        const std::uint64_t tokens = profile->tokens();
        if (auto saved = profile->save(self_profile_path(impl_->options.profile_folder, *hash,
                                                         impl_->spec.has_routed_neurons()));
            !saved) {
            return std::move(saved).error();
        }
        if (impl_->executor != nullptr) {
            impl_->session->count_firing(profile);  // it had stopped if the counters were full
        }
        return tokens;
    });
}

namespace {

// The model, the mode and the layout of a past. Predicted blocks and those with thresholds leave
// other keys and values in the layers behind them.
Result<std::string> past_key(LoadedModel& impl) {
    const auto hash = model_hash(impl.file);
    if (!hash) {
        return hash.error();
    }
    const bool approximate =
        impl.mode == FeedForwardMode::Predicted || impl.mode == FeedForwardMode::Thresholded;
    std::string key(version());
    for (const std::string_view part :
         {std::string_view(*hash), approximate ? to_string(impl.mode) : std::string_view("whole"),
          to_string(impl.spec.activation())}) {
        key.append("\n").append(part);
    }
    return key.append("\n")
        .append(std::to_string(impl.plan.n_ctx))
        .append("\n")
        .append(impl.session->past().layout_text());
}

}  // namespace

bool Engine::saves_in_parts() const {
    return impl_->session->saves_in_parts();
}

Result<std::uint64_t> Engine::save_past(const std::string& path, const Cancellation& cancellation) {
    return guarded_naming(path, [&]() -> Result<std::uint64_t> {
        const auto key = past_key(*impl_);
        if (!key) {
            return key.error();
        }
        make_private_folder(path.substr(0, path.rfind('/') + 1));
        auto saved = impl_->session->save_past(path, *key, cancellation);
        return saved ? Result<std::uint64_t>(*saved) : std::move(saved).error();
    });
}

Result<std::uint64_t> Engine::restore_past(const std::string& path) {
    return guarded_naming(path, [&]() -> Result<std::uint64_t> {
        const auto key = past_key(*impl_);
        if (!key) {
            return key.error();
        }
        auto restored = impl_->session->restore_past(path, *key);
        return restored ? Result<std::uint64_t>(*restored) : std::move(restored).error();
    });
}

Result<Adapted> Engine::adapt(const Cancellation& cancellation) {
    return guarded_naming(impl_->info.path, [&] { return hearth::adapt(*impl_, cancellation); });
}

Result<DecodeStatistics> Engine::decode_statistics() {
    return guarded_naming(impl_->info.path, [&] { return hearth::decode_statistics(*impl_); });
}

Result<ModelMap> Engine::map() {
    return guarded_naming(impl_->info.path, [&] { return hearth::model_map(*impl_); });
}

Result<std::unique_ptr<Engine>> Engine::load(const EngineOptions& options,
                                             const LoadProgress& progress,
                                             const Cancellation* cancellation) {
    return guarded_naming(options.model_path, [&]() -> Result<std::unique_ptr<Engine>> {
        Stopwatch total;
        Stopwatch step;
        auto impl = std::make_unique<LoadedModel>();
        impl->options = options;
        impl->environment = read_environment();
        const std::string& path = options.model_path;

        auto file = GgufFile::open(path);
        if (!file) {
            return std::move(file).error();
        }
        impl->file = std::move(*file);
        auto model = open_mode({.mode = options.mode,
                                .activation = options.activation,
                                .predictors_path = options.predictors_path,
                                .predictor_input = options.predictor_input,
                                .thresholds_path = options.thresholds_path,
                                .kv = options.kv},
                               impl->file);
        if (!model) {
            return with_path(std::move(model).error(), path);
        }
        impl->mode = model->mode;
        impl->spec = std::move(model->spec);
        impl->tensors = std::move(model->tensors);
        impl->predictor_file = std::move(model->predictor_file);
        impl->info = describe(impl->file, impl->spec);
        impl->timings.open_ms = step.lap_ms();

        auto tokenizer = Tokenizer::create(impl->file.metadata());
        if (!tokenizer) {
            return with_path(std::move(tokenizer).error(), path);
        }
        impl->tokenizer = std::move(*tokenizer);
        if (impl->tokenizer->n_vocab() > impl->spec.n_vocab) {
            return Error{ErrorCode::BadFile,
                         "tokenizer.ggml.tokens: has " +
                             std::to_string(impl->tokenizer->n_vocab()) + " tokens, " +
                             impl->tensors[Role::TokenEmbd].tensor->name + " has rows for " +
                             std::to_string(impl->spec.n_vocab),
                         path, "tokenizer.ggml.tokens"};
        }
        auto chat_template = ChatTemplate::create(impl->file.metadata());
        if (chat_template) {
            impl->info.chat = (*chat_template)->traits();
            impl->chat =
                std::make_unique<ChatPrompter>(*impl->tokenizer, std::move(*chat_template));
        } else {
            impl->no_template = with_path(std::move(chat_template).error(), path);
        }
        impl->info.has_chat_template = impl->chat != nullptr;
        if (auto pre = impl->file.metadata().string("tokenizer.ggml.pre"); pre) {
            impl->info.tokenizer_pre = std::move(pre).value();
        }
        impl->info.tokenizer_fallback = impl->tokenizer->fallback();
        impl->timings.tokenizer_ms = step.lap_ms();

        Monitor monitor(progress, cancellation);
        if (auto assembled = assemble(*impl, monitor); !assembled) {
            return with_path(std::move(assembled).error(), path);
        }
        impl->timings.weights_ms = step.lap_ms();
        impl->timings.total_ms = total.lap_ms();
        if (progress) {
            progress(1.0);
        }
        return std::unique_ptr<Engine>(new Engine(std::move(impl)));
    });
}

Result<GenerationResult> Engine::chat(std::span<const ChatMessage> messages,
                                      const GenerationOptions& options,
                                      const PieceCallback& on_piece,
                                      const Cancellation& cancellation) {
    return guarded_naming(impl_->info.path, [&]() -> Result<GenerationResult> {
        if (impl_->chat == nullptr) {
            return impl_->no_template;
        }
        Stopwatch before;
        auto prompt = impl_->chat->prompt(messages, options, impl_->plan.n_ctx);
        if (!prompt) {
            return std::move(prompt).error();
        }
        GenerationOptions with_stops = options;
        for (std::string& stop : impl_->chat->stop_strings()) {
            with_stops.stop.push_back(std::move(stop));
        }
        const double prompt_ms = before.lap_ms();
        impl_->choose_paths();
        impl_->session->set_kept_pasts(room_for_pasts(*impl_));
        // Readers of the text look for reasoning between two marks; here the prompt had the first.
        constexpr std::string_view kOpening = "<think>\n";
        bool is_first = prompt->begins_reasoning;
        const PieceCallback on_marked_piece = [&](std::string_view piece) {
            if (std::exchange(is_first, false)) {
                on_piece(kOpening);
            }
            on_piece(piece);
        };
        auto result = impl_->session->generate(
            prompt->tokens, with_stops,
            on_piece && prompt->begins_reasoning ? on_marked_piece : on_piece, cancellation,
            std::span<const TokenId>(prompt->tokens).last(prompt->continued_tokens));
        if (!result) {
            return result;
        }
        if (result->ttft_ms > 0) {
            result->ttft_ms += prompt_ms;
        }
        result->dropped_messages = prompt->dropped_messages;
        if (options.continues_last_message) {
            std::vector<TokenId> whole(
                prompt->tokens.end() - static_cast<std::ptrdiff_t>(prompt->continued_tokens),
                prompt->tokens.end());
            whole.insert(whole.end(), result->token_ids.begin(), result->token_ids.end());
            impl_->chat->remember(messages.back().content + result->text, whole);
        } else {
            impl_->chat->remember(result->text, result->token_ids);
        }
        if (prompt->begins_reasoning && !result->text.empty()) {
            result->text.insert(0, kOpening);
        }
        if (prompt->notice.empty() && !std::exchange(impl_->said_fallback, true)) {
            prompt->notice = impl_->info.chat.fallback;
        }
        if (!prompt->notice.empty()) {
            result->notice += (result->notice.empty() ? "" : "; ") + prompt->notice;
        }
        return result;
    });
}

Result<GenerationResult> Engine::complete(std::string_view prompt, const GenerationOptions& options,
                                          const PieceCallback& on_piece,
                                          const Cancellation& cancellation) {
    return guarded_naming(impl_->info.path, [&] {
        impl_->choose_paths();
        impl_->session->set_kept_pasts(room_for_pasts(*impl_));
        return impl_->session->generate(impl_->tokenizer->tokenize(prompt, true, true), options,
                                        on_piece, cancellation);
    });
}

}  // namespace hearth
