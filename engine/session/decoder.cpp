#include "session/decoder.h"

#include <algorithm>

#include "base/assert.h"
#include "gguf/finite.h"

namespace hearth {

Decoder::Decoder(const ModelSpec& spec, const Plan& plan, Executor& cpu, Executor* gpu)
    : units_{&cpu, gpu},
      head_(unit(unit_of(plan.placement.output))),
      upload_(plan.upload),
      spec_(spec),
      placement_(plan.placement),
      steps_{compile(spec, placement_, PassKind::Resident),
             compile(spec, placement_, PassKind::Uploaded)},
      n_ctx_(plan.n_ctx),
      n_batch_(plan.n_batch),
      gpu_counts_(gpu != nullptr && plan.counts_firing) {
    for (const LayerSpec& layer : spec.layers) {
        experts_a_token_ +=
            static_cast<std::uint64_t>(layer.is_mixture() ? layer.experts.n_used : 0);
    }
}

bool Decoder::can_pass_each_alone() const {
    const Executor* gpu = unit(Unit::Gpu);
    // Tokens of a second batch would come to states that have not taken those of the first.
    return unit(Unit::Cpu)->can_pass_each_alone() &&
           (gpu == nullptr || gpu->can_pass_each_alone()) &&
           (n_batch_ >= kEachAloneMost || !spec_.is_recurrent());
}

// In parts, so that snapshots are of the positions at which tokens passed one by one take them.
Result<void> Decoder::settle(Past& past, int position) {
    for (;;) {
        const Snapshots::Taking tokens = past.to_take(position);
        if (tokens.count == 0) {
            past.forget_ahead();
            return {};
        }
        for (Executor* executor : units_) {
            auto taken = executor == nullptr ? Result<void>() : executor->take_ahead(past, tokens);
            if (!taken) {
                return taken;
            }
        }
        past.took(tokens);
        if (auto kept = past.keep_some(); !kept) {
            return kept;
        }
    }
}

Result<Past> Decoder::make_past(Ledger& ledger) {
    auto cpu = KvCache::create(spec_, n_ctx_, ledger, placement_);
    if (!cpu) {
        return std::move(cpu).error();
    }
    Past past{std::move(*cpu), nullptr, MovingRoom::of(spec_)};
    if (Executor* gpu = unit(Unit::Gpu); gpu != nullptr) {
        auto made = gpu->make_past();
        if (!made) {
            return std::move(made).error();
        }
        past.gpu = std::move(*made);
    }
    return past;
}

bool Decoder::can_keep(const Past& past, const ModelSpec& spec, const Plan& plan) {
    return past.gpu == nullptr && plan.vram.total() == 0 && past.cpu.is_for(spec, plan.n_ctx);
}

Result<void> Decoder::forward(std::span<const std::int32_t> tokens, int position, Past& past,
                              Want want, const LogitsSink& sink, const Cancellation& cancellation) {
    const auto done = forward_until(tokens, position, past, want, sink, cancellation, {});
    return done ? Result<void>() : done.error();
}

Result<std::size_t> Decoder::forward_until(std::span<const std::int32_t> tokens, int position,
                                           Past& past, Want want, const LogitsSink& sink,
                                           const Cancellation& cancellation,
                                           const std::function<bool()>& ends) {
    HEARTH_ASSERT(position >= 0 && static_cast<std::size_t>(position) + tokens.size() <=
                                       static_cast<std::size_t>(past.n_ctx()));
    RamBudget::Passes passes(ram_budget_);
    if (auto settled = settle(past, position); !settled) {
        return std::move(settled).error();
    }
    if (auto begun = past.go_to(position); !begun) {
        return std::move(begun).error();
    }
    for (std::size_t first = 0; first < tokens.size();) {
        passes.next();
        const bool alone = want == Want::EachAlone || want == Want::Drafts;
        const int most = alone ? std::min(n_batch_, kEachAloneMost) : n_batch_;
        const std::size_t count = std::min(tokens.size() - first, static_cast<std::size_t>(most));
        PassTask task{.tokens = tokens.subspan(first, count),
                      .position = position + static_cast<int>(first),
                      .last_logits = want == Want::Last && first + count == tokens.size(),
                      .counts = counts_activity_,
                      .each_alone = alone && count > 1,
                      .past = &past,
                      .cancellation = &cancellation};
        if (auto settled = settle(past, task.position); !settled) {
            return std::move(settled).error();
        }
        if (auto made = past.make_room(task.position, task.n_tokens()); !made) {
            return std::move(made).error();
        }
        past.begin_pass();
        latest_is_token_ = false;
        if (auto done = run(task); !done) {
            return std::move(done).error();
        }
        latest_is_token_ = count == 1;
        if (task.each_alone) {
            past.end_pass_ahead(task.position, task.n_tokens());
        } else {
            past.end_pass(task.position + task.n_tokens());
        }
        if (auto kept = past.keep_some(); !kept) {
            return std::move(kept).error();
        }
        if (follows_ && foretelling_ != nullptr && can_pass_each_alone()) {
            foretelling_->passed(task.tokens, task.position);
        }
        if (count == 1 && profile_ != nullptr) {
            count_token();
        }
        const bool stay = want == Want::Drafts && task.each_alone && count == tokens.size() &&
                          !head_->candidates(0).empty();
        for (std::size_t i = 0; stay && i < count; ++i) {
            sink(i, {});
        }
        if (want == Want::All || (alone && !stay)) {
            if (auto shown = show_logits(task.n_tokens(), first, sink); !shown) {
                return std::move(shown).error();
            }
        } else if (task.last_logits && sink) {
            auto logits = last_logits();
            if (!logits) {
                return std::move(logits).error();
            }
            sink(first + count - 1, *logits);
        }
        first += count;
        if (ends && ends()) {
            return first;
        }
    }
    return tokens.size();
}

// A pass that breaks off here still runs through on the GPU, with whatever the memory holds.
Result<void> Decoder::run(PassTask& task) {
    const bool uploads = !task.each_alone && upload_.applies_to(task.n_tokens());
    task.kind = uploads ? PassKind::Uploaded : PassKind::Resident;
    task.steps = steps_[static_cast<std::size_t>(task.kind)];
    const std::array order{unit(Unit::Gpu), unit(Unit::Cpu)};  // the GPU begins before it is needed
    if (order.front() != nullptr) {
        task.shared = order.front()->shared();
    }
    for (Executor* executor : order) {
        if (auto begun = executor != nullptr ? executor->begin(task) : Result<void>{}; !begun) {
            return begun;
        }
    }
    auto status = run_steps(task);
    for (Executor* executor : order) {
        auto ended = executor != nullptr ? executor->end() : Result<void>{};
        if (status) {
            status = std::move(ended);
        }
    }
    return status;
}

Result<void> Decoder::run_steps(const PassTask& task) {
    for (const Step& step : task.steps) {
        if (task.cancellation->requested()) {
            return Error{ErrorCode::Cancelled, "cancelled"};
        }
        Executor* other = unit(step.unit == Unit::Cpu ? Unit::Gpu : Unit::Cpu);
        Result<void> done;
        if (step.wait > 0) {
            done = other->wait(step.wait);
        }
        if (done) {
            done = unit(step.unit)->run(step);
        }
        if (done && step.signal > 0) {
            done = other->signal(step.signal);
        }
        if (!done) {
            return done;
        }
    }
    return {};
}

// The GPU need not be asked: it computes all that the processor does not.
ExpertsServed Decoder::experts_of_token() const {
    if (!latest_is_token_ || experts_a_token_ == 0) {
        return {};
    }
    const ExpertsOfToken cpu = unit(Unit::Cpu)->experts_of_token();
    return {.vram = experts_a_token_ - cpu.chosen, .ram = cpu.chosen - cpu.read, .disk = cpu.read};
}

void Decoder::count_firing(SelfProfile* profile) {
    HEARTH_ASSERT(profile == nullptr || gpu_counts_ || !placement_.has_hot_neurons());
    unit(Unit::Cpu)->count_firing(profile);
    profile_ = profile;
}

void Decoder::count_token() {
    if (!unit(Unit::Cpu)->count_token()) {
        return;
    }
    if (gpu_counts_) {
        unit(Unit::Gpu)->count_token();
    }
    if (!profile_->token_done()) {
        count_firing(nullptr);
    }
}

Result<void> Decoder::show_logits(int n_tokens, std::size_t offset, const LogitsSink& sink) {
    const auto n_vocab = static_cast<std::size_t>(spec_.n_vocab);
    for (int first = 0; first < n_tokens;) {
        const int count = std::min(Executor::kLogitRows, n_tokens - first);
        const auto logits = head_->logits(first, count);
        if (!logits) {
            return logits.error();
        }
        for (int i = 0; i < count; ++i) {
            const auto row = logits->subspan(static_cast<std::size_t>(i) * n_vocab, n_vocab);
            if (!all_finite(row)) {
                return not_finite("logits", "token", row);
            }
            if (sink) {
                sink(offset + static_cast<std::size_t>(first + i), row);
            }
        }
        first += count;
    }
    return {};
}

}  // namespace hearth
