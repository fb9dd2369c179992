#include <hearth/engine.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "engine_impl.h"
#include "hardware/cpu_features.h"
#include "hardware/memory_info.h"
#include "session/make_executors.h"

namespace hearth {
namespace {

using Clock = std::chrono::steady_clock;

// Answers remembered for prefix reuse: more than fit any context.
constexpr std::size_t kMostAnswers = 64;

// Room a prompt leaves for the answer before old messages are dropped.
constexpr int kAnswerRoom = 256;

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

ModelInfo describe(const GgufFile& file, const ModelSpec& spec) {
    ModelInfo info;
    info.path = file.path();
    info.arch = spec.arch;
    auto name = file.metadata().string("general.name");
    info.name = name && !name->empty() ? *name : std::filesystem::path(file.path()).stem().string();
    info.file_bytes = file.file_bytes();
    info.n_layer = spec.n_layer;
    info.n_vocab = spec.n_vocab;
    info.n_ctx_train = spec.n_ctx_train;
    std::uint64_t most_bytes = 0;
    std::vector<std::pair<DType, std::uint64_t>> by_type;
    for (const TensorInfo& tensor : file.tensors().entries()) {
        info.n_params += tensor.values();
        auto found = std::find_if(by_type.begin(), by_type.end(),
                                  [&](const auto& pair) { return pair.first == tensor.type; });
        if (found == by_type.end()) {
            found = by_type.insert(by_type.end(), {tensor.type, 0});
        }
        found->second += tensor.bytes;
        if (found->second > most_bytes) {
            most_bytes = found->second;
            info.type = dtype_info(tensor.type).name;
        }
    }
    return info;
}

Result<void> check_gpu(const EngineOptions& options) {
    if (options.gpu == "auto" || options.gpu == "none") {
        return {};
    }
    return Error{ErrorCode::InvalidArgument,
                 "this version computes on the processor only, so there is no GPU \"" +
                     options.gpu + "\" to use; \"auto\" and \"none\" work",
                 {},
                 "gpu"};
}

// The errors of a load name the file, wherever they came from.
Error with_path(Error error, const std::string& path) {
    if (error.path.empty()) {
        error.path = path;
    }
    return error;
}

}  // namespace

std::string_view version() {
    return HEARTH_VERSION;
}

std::string_view to_string(FinishReason reason) {
    switch (reason) {
        case FinishReason::Stop:
            return "stop";
        case FinishReason::Length:
            return "length";
        case FinishReason::Cancelled:
            return "cancelled";
    }
    return "stop";
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

Engine::Impl& Engine::impl() {
    return *impl_;
}
const ModelInfo& Engine::model() const {
    return impl_->info;
}
const EngineSettings& Engine::settings() const {
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
    report.ram_budget_bytes = impl_->plan.ram_budget_bytes;
    return report;
}

Result<std::unique_ptr<Engine>> Engine::load(const EngineOptions& options,
                                             const LoadProgress& progress,
                                             const Cancellation* cancellation) {
    if (auto checked = check_gpu(options); !checked) {
        return std::move(checked).error();
    }
    Stopwatch total;
    Stopwatch step;
    auto impl = std::make_unique<Impl>();
    const std::string& path = options.model_path;

    auto file = GgufFile::open(path);
    if (!file) {
        return std::move(file).error();
    }
    impl->file = std::move(*file);
    auto spec = read_model_spec(impl->file);
    if (!spec) {
        return with_path(std::move(spec).error(), path);
    }
    impl->spec = *spec;
    auto tensors = bind_tensors(impl->file, impl->spec);
    if (!tensors) {
        return with_path(std::move(tensors).error(), path);
    }
    impl->tensors = std::move(*tensors);
    impl->info = describe(impl->file, impl->spec);
    impl->timings.open_ms = step.lap_ms();

    auto tokenizer = Tokenizer::create(impl->file.metadata());
    if (!tokenizer) {
        return with_path(std::move(tokenizer).error(), path);
    }
    impl->tokenizer = std::move(*tokenizer);
    if (impl->tokenizer->n_vocab() > impl->spec.n_vocab) {
        return Error{ErrorCode::BadFile,
                     "tokenizer.ggml.tokens: has " + std::to_string(impl->tokenizer->n_vocab()) +
                         " tokens, token_embd.weight has rows for " +
                         std::to_string(impl->spec.n_vocab),
                     path, "tokenizer.ggml.tokens"};
    }
    auto chat_template = ChatTemplate::create(impl->file.metadata());
    if (chat_template) {
        impl->chat_template = std::move(*chat_template);
    } else {
        impl->no_template = with_path(std::move(chat_template).error(), path);
    }
    impl->info.has_chat_template = impl->chat_template != nullptr;
    impl->timings.tokenizer_ms = step.lap_ms();

    const Machine machine{detect_cpu_features(), read_memory_info()};
    const Budget budget{options.ram_bytes, options.vram_bytes, options.n_ctx, options.threads};
    auto plan = make_plan(impl->spec, machine, budget, memory_costs(impl->spec, impl->tensors));
    if (!plan) {
        return with_path(std::move(plan).error(), path);
    }
    impl->plan = std::move(*plan);
    impl->info.n_ctx = impl->plan.n_ctx;
    impl->ledger = std::make_unique<Ledger>(impl->plan.ram);
    impl->pool = std::make_unique<ThreadPool>(impl->plan.threads);
    auto executor = make_cpu_executor(machine.cpu.flags, requested_isa(), *impl->pool);
    if (!executor) {
        return std::move(executor).error();
    }
    impl->executor = std::move(*executor);
    impl->timings.plan_ms = step.lap_ms();

    Monitor monitor(progress, cancellation);
    const PlanSlice slice{impl->file, impl->spec, impl->tensors, impl->plan, *impl->ledger};
    if (auto loaded = impl->executor->load(slice, monitor); !loaded) {
        return with_path(std::move(loaded).error(), path);
    }
    auto cache = KvCache::create(impl->spec, impl->plan.n_ctx, *impl->ledger);
    if (!cache) {
        return with_path(std::move(cache).error(), path);
    }
    auto decoder = Decoder::create(impl->spec, impl->plan, *impl->executor, *impl->ledger);
    if (!decoder) {
        return with_path(std::move(decoder).error(), path);
    }
    impl->session =
        std::make_unique<Session>(*impl->tokenizer, std::move(*decoder), std::move(*cache));
    impl->timings.weights_ms = step.lap_ms();
    impl->timings.total_ms = total.lap_ms();

    const std::string executor_name(impl->executor->name());
    impl->settings.threads = impl->plan.threads;
    impl->settings.isa = executor_name.substr(executor_name.find('/') + 1);
    impl->settings.ram_bytes = impl->plan.ram_budget_bytes;
    if (progress) {
        progress(1.0);
    }
    return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

namespace {

// The tokens of one chat. Words may reach across the borders of segments, so runs of segments are
// tokenised together; an answer this engine gave goes in with the very tokens it was given in.
Result<std::vector<TokenId>> chat_tokens(const Engine::Impl& impl,
                                         std::span<const ChatMessage> messages) {
    auto segments = impl.chat_template->apply(messages, true);
    if (!segments) {
        return std::move(segments).error();
    }
    std::vector<TokenId> tokens;
    const auto append = [&](std::span<const TokenId> more) {
        tokens.insert(tokens.end(), more.begin(), more.end());
    };
    const std::span<const ChatTemplate::Segment> all(*segments);
    std::size_t run = 0;  // where the segments not yet tokenised begin
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].markup) {
            continue;
        }
        const auto remembered =
            std::find_if(impl.answers.rbegin(), impl.answers.rend(),
                         [&](const auto& answer) { return answer.text == all[i].text; });
        if (remembered != impl.answers.rend()) {
            append(impl.tokenizer->tokenize(all.subspan(run, i - run), false));
            append(remembered->tokens);
            run = i + 1;
        }
    }
    append(impl.tokenizer->tokenize(all.subspan(run), false));
    return tokens;
}

struct CutChat {
    std::vector<TokenId> tokens;
    std::size_t first_kept = 0;
    int dropped = 0;
};

// The chat without the messages [n_system, first_kept).
Result<CutChat> cut_chat(const Engine::Impl& impl, std::span<const ChatMessage> messages,
                         std::size_t n_system, std::size_t first_kept) {
    std::vector<ChatMessage> kept(messages.begin(),
                                  messages.begin() + static_cast<std::ptrdiff_t>(n_system));
    kept.insert(kept.end(), messages.begin() + static_cast<std::ptrdiff_t>(first_kept),
                messages.end());
    auto tokens = chat_tokens(impl, kept);
    if (!tokens) {
        return std::move(tokens).error();
    }
    return CutChat{std::move(*tokens), first_kept, static_cast<int>(first_kept - n_system)};
}

// Tokens of the longest chat that fits. A cut moves everything after it, so the whole prompt is
// computed again: when one is needed it goes down to half of the context, and it stays where it is
// as long as the conversation fits behind it.
Result<CutChat> fit_chat(const Engine::Impl& impl, std::span<const ChatMessage> messages,
                         const GenerationOptions& options) {
    const std::size_t n_system = messages.front().role == "system" ? 1 : 0;
    auto whole = cut_chat(impl, messages, n_system, n_system);
    if (!whole || !options.drop_oldest_messages) {
        return whole;
    }
    const int n_ctx = impl.plan.n_ctx;
    int answer_room = std::min(kAnswerRoom, n_ctx / 4);
    if (options.max_tokens >= 0) {
        answer_room = std::min(answer_room, options.max_tokens);
    }
    const auto room = static_cast<std::size_t>(n_ctx - std::max(1, answer_room));
    if (whole->tokens.size() <= room) {
        return whole;
    }
    const std::size_t previous = impl.first_kept_message;
    if (previous > n_system && previous < messages.size() &&
        messages[previous].content == impl.first_kept_content) {
        auto again = cut_chat(impl, messages, n_system, previous);
        if (!again || again->tokens.size() <= room) {
            return again;
        }
    }
    // Cut at user messages, so that what is left still begins with one.
    const std::size_t target = room / 2;
    std::size_t first_kept = n_system;
    CutChat cut = std::move(*whole);
    while (cut.tokens.size() > target && first_kept + 1 < messages.size()) {
        do {
            ++first_kept;
        } while (first_kept + 1 < messages.size() && messages[first_kept].role != "user");
        auto shorter = cut_chat(impl, messages, n_system, first_kept);
        if (!shorter) {
            return shorter;
        }
        cut = std::move(*shorter);
    }
    return cut;
}

}  // namespace

Result<GenerationResult> Engine::chat(std::span<const ChatMessage> messages,
                                      const GenerationOptions& options,
                                      const PieceCallback& on_piece,
                                      const Cancellation& cancellation) {
    if (impl_->chat_template == nullptr) {
        return impl_->no_template;
    }
    if (messages.empty()) {
        return Error{
            ErrorCode::InvalidArgument, "a chat needs at least one message", {}, "messages"};
    }
    auto cut = fit_chat(*impl_, messages, options);
    if (!cut) {
        return std::move(cut).error();
    }
    const bool any_kept = cut->first_kept < messages.size();  // not with a system message alone
    impl_->first_kept_message = cut->first_kept;
    impl_->first_kept_content = any_kept ? messages[cut->first_kept].content : std::string();

    GenerationOptions with_stops = options;
    for (std::string& stop : impl_->chat_template->stop_strings()) {
        with_stops.stop.push_back(std::move(stop));
    }
    auto result = impl_->session->generate(cut->tokens, with_stops, on_piece, cancellation);
    if (result) {
        result->dropped_messages = cut->dropped;
        if (!result->text.empty()) {
            if (impl_->answers.size() == kMostAnswers) {
                impl_->answers.erase(impl_->answers.begin());
            }
            impl_->answers.push_back({result->text, result->token_ids});
        }
    }
    return result;
}

Result<GenerationResult> Engine::complete(std::string_view prompt, const GenerationOptions& options,
                                          const PieceCallback& on_piece,
                                          const Cancellation& cancellation) {
    return impl_->session->generate(impl_->tokenizer->tokenize(prompt, true, true), options,
                                    on_piece, cancellation);
}

}  // namespace hearth
