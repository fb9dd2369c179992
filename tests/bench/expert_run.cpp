#include "bench/expert_run.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "plan/self_profile.h"
#include "session/sampler.h"
#include "session/session.h"

namespace hearth::bench {
namespace {

Error invalid(std::string message) {
    return {ErrorCode::InvalidArgument, std::move(message), {}, "experts"};
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
    Trace trace() const { return {static_cast<std::uint32_t>(layers_.size()), n_items_, {}, {}}; }
    void add_to(Trace& trace, TokenId token) {
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

CacheReport::Layer room_of(const LoadedModel& model, int layer) {
    const ExpertsSpec& experts = model.spec.layer(layer).experts;
    const LayerTensors& tensors = model.tensors.layers[static_cast<std::size_t>(layer)];
    const Placement& placement = model.plan.placement;
    CacheReport::Layer room;
    for (const Role role : {Role::Gate, Role::Up, Role::Down}) {
        room.expert_bytes += tensors[role].bytes() / static_cast<std::uint64_t>(experts.n);
    }
    room.n_slots = static_cast<std::uint64_t>(placement.n_slots(layer) / experts.n_ff);
    const int stay = room.n_slots == 0 ? experts.n : placement.hot(layer) / experts.n_ff;
    const std::span<const int> order = placement.order(layer);
    for (int place = 0; place < stay; ++place) {
        room.resident.push_back(static_cast<std::uint16_t>(
            order.empty() ? place : order[static_cast<std::size_t>(place)]));
    }
    room.n_slots = std::min(room.n_slots, static_cast<std::uint64_t>(experts.n - stay));
    std::sort(room.resident.begin(), room.resident.end());
    return room;
}

// The latest tokens took so many seconds. before: the disk's counters before them.
CacheReport report_of(const LoadedModel& model, const FlashReads& before, std::size_t n_tokens,
                      double seconds) {
    const FlashReads after = model.executor->flash();
    CacheReport report;
    report.tokens = n_tokens;
    if (n_tokens > 0) {
        const auto n = static_cast<double>(n_tokens);
        report.tokens_per_second = n / seconds;
        report.disk_bytes = static_cast<double>(after.bytes - before.bytes) / n;
    }
    report.hits = after.neuron_hits - before.neuron_hits;
    report.misses = after.neuron_misses - before.neuron_misses;
    report.streamed_bytes = after.bytes_per_pass;
    for (int layer = 0; layer < model.spec.n_layer(); ++layer) {
        if (model.spec.layer(layer).is_mixture()) {
            report.layers.push_back(room_of(model, layer));
        }
    }
    return report;
}

// The token that comes next.
class Text {
public:
    Text(LoadedModel& model, const ExpertRunOptions& options)
        : model_(model),
          text_(options.text),
          sampler_({.temperature = 0}, model.spec.n_vocab),
          next_(options.first.value_or(std::max(0, model.tokenizer->bos()))) {}

    TokenId next() const { return text_.empty() ? next_ : text_[at_]; }
    bool is_over() const { return !text_.empty() && at_ == text_.size(); }
    Result<void> advance(const Cancellation& cancellation) {
        ++at_;
        if (!text_.empty()) {
            return {};
        }
        auto drawn = model_.session->draw(sampler_, model_.session->cached_tokens(), cancellation);
        if (!drawn) {
            return std::move(drawn).error();
        }
        next_ = *drawn;
        return {};
    }

private:
    LoadedModel& model_;
    std::span<const TokenId> text_;
    Sampler sampler_;
    TokenId next_;
    std::size_t at_ = 0;
};

Result<ExpertRun> decode(LoadedModel& model, const ExpertRunOptions& options, Choices& choices) {
    using Clock = std::chrono::steady_clock;
    Session& session = *model.session;
    const Cancellation go_on;
    ExpertRun run{{}, choices.trace(), choices.trace(), {}, {}, 0};
    Text text(model, options);
    const auto n_before = static_cast<std::size_t>(std::max(0, options.n_before));
    const std::size_t n_all = n_before + static_cast<std::size_t>(std::max(0, options.n_tokens));
    FlashReads before;
    auto start = Clock::now();
    session.clear();
    while (run.tokens.size() < n_all && !text.is_over()) {
        if (run.tokens.size() == n_before) {
            before = model.executor->flash();
            start = Clock::now();
        }
        const TokenId token = text.next();
        if (token < 0 || token >= model.spec.n_vocab) {
            return invalid("token " + std::to_string(token) + " is not below " +
                           std::to_string(model.spec.n_vocab));
        }
        if (session.cached_tokens().size() == static_cast<std::size_t>(model.plan.n_ctx)) {
            session.clear();
        }
        if (auto done = session.decode_one(token, go_on); !done) {
            return std::move(done).error();
        }
        if (options.records) {
            choices.add_to(run.tokens.size() < n_before ? run.before : run.trace, token);
        }
        run.tokens.push_back(token);
        if (auto advanced = text.advance(go_on); !advanced) {
            return std::move(advanced).error();
        }
    }
    const std::chrono::duration<double> taken = Clock::now() - start;
    run.report = report_of(model, before, run.tokens.size() - std::min(run.tokens.size(), n_before),
                           taken.count());
    run.disk = model.executor->flash();
    run.disk_busy = static_cast<double>(run.disk.busy_ns - before.busy_ns) / (1e9 * taken.count());
    return run;
}

}  // namespace

Result<ExpertRun> run_experts(LoadedModel& model, const ExpertRunOptions& options) {
    if (!model.spec.has_experts()) {
        return invalid(model.info.path + ": is no mixture of experts");
    }
    if (options.records && model.plan.placement.uses_vram()) {
        return invalid("experts are recorded where no GPU computes");
    }
    Choices choices(model.spec);
    if (options.records) {
        model.session->count_firing(&choices.profile());
    }
    auto run = decode(model, options, choices);
    if (options.records) {
        model.session->count_firing(nullptr);
    }
    return run;
}

}  // namespace hearth::bench
