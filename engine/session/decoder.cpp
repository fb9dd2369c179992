#include "session/decoder.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "gguf/finite.h"

namespace hearth {
namespace {

// Logits of this many positions are held at once: enough that scoring a text reads the output
// matrix once for several positions, 8 MB at a vocabulary of 128 K.
constexpr std::size_t kLogitRows = Accelerator::kLogitRows;

std::uint64_t rows_bytes(std::uint64_t rows, int width) {
    const std::uint64_t bytes = rows * static_cast<std::uint64_t>(width) * sizeof(float);
    return (bytes + AlignedBuffer::kAlignment - 1) / AlignedBuffer::kAlignment *
           AlignedBuffer::kAlignment;
}

// The residual and what a block adds to it; of a parallel layer, what both of its blocks do.
std::uint64_t n_streams(const ModelSpec& spec) {
    return spec.any([](const LayerSpec& layer) { return is_parallel(layer.norms); }) ? 3 : 2;
}

}  // namespace

std::uint64_t Decoder::scratch_bytes(const ModelSpec& spec, int n_batch) {
    return n_streams(spec) * rows_bytes(static_cast<std::uint64_t>(n_batch), spec.n_embd) +
           rows_bytes(kLogitRows, spec.n_vocab);
}

Result<Decoder> Decoder::create(const ModelSpec& spec, const Plan& plan, Executor& executor,
                                Ledger& ledger, Accelerator* accelerator) {
    auto scratch = ledger.allocate(Purpose::Scratch, scratch_bytes(spec, plan.n_batch),
                                   "scratch of the decoder");
    if (!scratch) {
        return std::move(scratch).error();
    }
    Decoder decoder;
    decoder.spec_ = spec;
    decoder.executor_ = &executor;
    decoder.accelerator_ = accelerator;
    decoder.part_ = plan.on_gpu();
    decoder.streaming_ = plan.streaming;
    decoder.n_ctx_ = plan.n_ctx;
    decoder.n_batch_ = plan.n_batch;
    decoder.accelerator_counts_ = accelerator != nullptr && plan.counts_firing;
    decoder.scratch_ = std::move(*scratch);
    std::byte* base = decoder.scratch_.data();
    const std::uint64_t stream = rows_bytes(static_cast<std::uint64_t>(plan.n_batch), spec.n_embd);
    decoder.x_ = reinterpret_cast<float*>(base);
    decoder.partial_ = reinterpret_cast<float*>(base + stream);
    decoder.second_partial_ = reinterpret_cast<float*>(base + 2 * stream);
    decoder.logits_ = reinterpret_cast<float*>(base + n_streams(spec) * stream);
    for (const LayerPlacement& layer : plan.placement.layers) {
        std::vector<Cluster>& own = decoder.clusters_.emplace_back();
        for (const auto& [cluster, residency] : layer.clusters) {
            if (unit_of(residency) == Unit::Cpu) {
                own.push_back(cluster);
            }
        }
    }
    if (decoder.logits_on_gpu()) {
        decoder.logits_ = accelerator->logits();
    }
    return decoder;
}

Result<Past> Decoder::make_past(Ledger& ledger) {
    auto cpu = KvCache::create(spec_, n_ctx_, ledger, part_.attention_in_vram);
    if (!cpu) {
        return std::move(cpu).error();
    }
    Past past{std::move(*cpu), nullptr};
    if (accelerator_ != nullptr) {
        auto gpu = accelerator_->make_past();
        if (!gpu) {
            return std::move(gpu).error();
        }
        past.gpu = std::move(*gpu);
    }
    return past;
}

Result<std::span<float>> Decoder::last_logits() {
    if (logits_on_gpu()) {
        if (auto fetched = accelerator_->fetch_logits(); !fetched) {
            return std::move(fetched).error();
        }
    }
    return std::span<float>{logits_, static_cast<std::size_t>(spec_.n_vocab)};
}

std::span<const Candidate> Decoder::candidates() const {
    return logits_on_gpu() ? accelerator_->candidates() : std::span<const Candidate>{};
}

Result<void> Decoder::forward(std::span<const std::int32_t> tokens, int position, Past& past,
                              Want want, const LogitsSink& sink, const Cancellation& cancellation) {
    HEARTH_ASSERT(position >= 0 && static_cast<std::size_t>(position) + tokens.size() <=
                                       static_cast<std::size_t>(past.n_ctx()));
    for (std::size_t first = 0; first < tokens.size();) {
        const std::size_t count =
            std::min(tokens.size() - first, static_cast<std::size_t>(n_batch_));
        const bool last_batch = first + count == tokens.size();
        const bool last_logits = want == Want::Last && last_batch;
        if (auto done =
                forward_batch(tokens.subspan(first, count), position + static_cast<int>(first),
                              past, last_logits, cancellation);
            !done) {
            return done;
        }
        if (count == 1 && profile_ != nullptr) {
            count_token();
        }
        Result<void> emitted;
        if (want == Want::All) {
            emitted = emit_logits(0, count, first, sink);
        } else if (last_logits && logits_on_gpu()) {  // computed with the pass
            if (sink) {
                auto logits = this->last_logits();
                if (!logits) {
                    return std::move(logits).error();
                }
                sink(first + count - 1, *logits);
            }
        } else if (last_logits) {
            emitted = emit_logits(count - 1, 1, first, sink);
        }
        if (!emitted) {
            return emitted;
        }
        first += count;
    }
    return {};
}

Result<void> Decoder::forward_batch(std::span<const std::int32_t> tokens, int position, Past& past,
                                    bool last_logits, const Cancellation& cancellation) {
    if (accelerator_ != nullptr) {
        return forward_split(tokens, position, past, last_logits, cancellation);
    }
    const int n_tokens = static_cast<int>(tokens.size());
    executor_->embed({tokens, x_, position});
    for (int layer = 0; layer < spec_.n_layer(); ++layer) {
        if (cancellation.requested()) {
            return Error{ErrorCode::Cancelled, "cancelled"};
        }
        layer_on_cpu(layer, n_tokens, position, past);
    }
    return executor_->finish();
}

void Decoder::count_firing(SelfProfile* profile) {
    HEARTH_ASSERT(profile == nullptr || accelerator_counts_ ||
                  std::all_of(part_.hot_neurons.begin(), part_.hot_neurons.end(),
                              [](int hot) { return hot == 0; }));
    executor_->count_firing(profile);
    profile_ = profile;
}

void Decoder::count_token() {
    if (!executor_->count_token()) {
        return;
    }
    if (accelerator_counts_) {
        accelerator_->count_token();
    }
    if (!profile_->token_done()) {
        count_firing(nullptr);
    }
}

void Decoder::layer_on_cpu(int layer, int n_tokens, int position, Past& past) {
    const int n_values = n_tokens * spec_.n_embd;
    const std::span<const Cluster> clusters = clusters_[static_cast<std::size_t>(layer)];
    executor_->attention({layer, x_, partial_, n_tokens, position, past});
    if (is_parallel(spec_.layer(layer).norms)) {
        executor_->feed_forward(
            {layer, x_, second_partial_, n_tokens, clusters, nullptr, counts_activity_});
        executor_->add(partial_, x_, n_values);
        executor_->add(second_partial_, x_, n_values);
        return;
    }
    executor_->add(partial_, x_, n_values);
    executor_->feed_forward({layer, x_, partial_, n_tokens, clusters, nullptr, counts_activity_});
    executor_->add(partial_, x_, n_values);
}

// A pass that breaks off here still runs through on the GPU, with whatever the buffers hold.
Result<void> Decoder::forward_split(std::span<const std::int32_t> tokens, int position, Past& past,
                                    bool last_logits, const Cancellation& cancellation) {
    const int n_tokens = static_cast<int>(tokens.size());
    executor_->embed({tokens, x_, position});
    const bool streamed = streaming_.takes(n_tokens);
    if (auto started = accelerator_->start(
            {n_tokens, position, last_logits, streamed, &cancellation, counts_activity_, &past});
        !started) {
        return started;
    }
    const bool meets = !walk_of(part_, spec_).empty();
    executor_->stay_alert(meets);
    auto walked = streamed ? streamed_walk(n_tokens, position, past, cancellation)
                           : walk(n_tokens, position, past, cancellation);
    executor_->stay_alert(false);
    auto finished = accelerator_->finish();
    return walked ? finished : walked;
}

Result<void> Decoder::walk(int n_tokens, int position, Past& past,
                           const Cancellation& cancellation) {
    const std::size_t bytes =
        static_cast<std::size_t>(n_tokens) * static_cast<std::size_t>(spec_.n_embd) * sizeof(float);
    const std::vector<WalkStep> steps = walk_of(part_, spec_);
    auto step = steps.begin();
    for (int layer = 0; layer <= spec_.n_layer(); ++layer) {
        if (cancellation.requested()) {
            return Error{ErrorCode::Cancelled, "cancelled"};
        }
        for (; step != steps.end() && step->layer == layer; ++step) {
            if (step->kind == WalkStep::Kind::Give) {
                std::memcpy(accelerator_->input(), x_, bytes);
            } else if (step->kind == WalkStep::Kind::Join) {
                // Through memory of our own: the shared one may be slow to write to out of order.
                std::memcpy(x_, accelerator_->published(), bytes);
                executor_->feed_forward({layer, x_, partial_, n_tokens,
                                         clusters_[static_cast<std::size_t>(layer)],
                                         accelerator_->scores(layer), counts_activity_});
                if (auto done = executor_->finish(); !done) {
                    return done;
                }
                std::memcpy(accelerator_->partial(), partial_, bytes);
            }
            if (auto met = step->kind == WalkStep::Kind::Take ? accelerator_->take()
                                                              : accelerator_->give();
                !met) {
                return met;
            }
            // At a layer that is split the stream stays with the GPU; what comes next is a Join.
            const bool moves = step->kind == WalkStep::Kind::Take &&
                               (layer == spec_.n_layer() || !part_.has_attention(layer));
            if (moves) {
                std::memcpy(x_, accelerator_->published(), bytes);
            }
        }
        if (layer < spec_.n_layer() && !part_.has_attention(layer)) {
            layer_on_cpu(layer, n_tokens, position, past);
        }
    }
    return executor_->finish();
}

Result<void> Decoder::streamed_walk(int n_tokens, int position, Past& past,
                                    const Cancellation& cancellation) {
    const std::size_t bytes =
        static_cast<std::size_t>(n_tokens) * static_cast<std::size_t>(spec_.n_embd) * sizeof(float);
    for (const WalkStep& step : streamed_walk_of(part_, spec_.n_layer())) {
        if (cancellation.requested()) {
            return Error{ErrorCode::Cancelled, "cancelled"};
        }
        if (step.kind == WalkStep::Kind::Give) {
            std::memcpy(accelerator_->input(), x_, bytes);
        } else if (auto taken = accelerator_->take(); !taken) {
            return taken;
        }
        if (step.kind == WalkStep::Kind::Take) {
            if (!part_.output_in_vram) {
                std::memcpy(x_, accelerator_->published(), bytes);
            }
            continue;
        }
        if (step.kind == WalkStep::Kind::Heads) {
            const SharedHeads shared = accelerator_->heads();
            executor_->heads({step.layer, shared.q, shared.k, shared.v, shared.attended, n_tokens,
                              position, past});
            if (auto done = executor_->finish(); !done) {
                return done;
            }
        }
        if (auto given = accelerator_->give(); !given) {
            return given;
        }
    }
    return executor_->finish();
}

Result<void> Decoder::emit_logits(std::size_t first, std::size_t count, std::size_t offset,
                                  const LogitsSink& sink) {
    const auto n_vocab = static_cast<std::size_t>(spec_.n_vocab);
    for (std::size_t done = 0; done < count;) {
        const std::size_t n = std::min(kLogitRows, count - done);
        Result<void> computed;
        if (logits_on_gpu()) {
            computed =
                accelerator_->output_rows(static_cast<int>(first + done), static_cast<int>(n));
        } else {
            executor_->output_head({x_ + (first + done) * static_cast<std::size_t>(spec_.n_embd),
                                    logits_, static_cast<int>(n)});
            computed = executor_->finish();
        }
        if (!computed) {
            return computed;
        }
        for (std::size_t i = 0; i < n; ++i) {
            const std::span<const float> row(logits_ + i * n_vocab, n_vocab);
            if (!all_finite(row)) {
                return not_finite("logits", "token", row);
            }
        }
        for (std::size_t i = 0; sink && i < n; ++i) {
            sink(offset + first + done + i, {logits_ + i * n_vocab, n_vocab});
        }
        done += n;
    }
    return {};
}

}  // namespace hearth
