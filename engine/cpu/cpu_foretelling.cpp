#include "cpu/cpu_foretelling.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/assert.h"
#include "cpu/matrix.h"
#include "cpu/pack_rows.h"
#include "plan/placement.h"

namespace hearth {

CpuForetelling::CpuForetelling(std::shared_ptr<const ForetellingModel> model,
                               const CpuExecutor& cpu, int n_ctx)
    : kept_(std::move(model)),
      model_(*kept_),
      cpu_(cpu),
      table_(cpu.table()),
      pool_(cpu.pool()),
      layer_(table_, pool_),
      n_embd_(static_cast<std::size_t>(model_.spec.n_embd)),
      n_vocab_(static_cast<std::size_t>(cpu.spec().n_vocab)),
      n_ctx_(n_ctx) {
    const auto context = static_cast<std::size_t>(n_ctx);
    text_.resize(context);
    seen_.reserve(context);
    pairs_.reserve(kBatch);
    tokens_.resize(kBatch);
}

std::uint64_t CpuForetelling::lay_out(int n_embd, int n_vocab, std::byte* base, Scratch& scratch) {
    std::uint64_t offset = 0;
    const auto take = [&](auto*& pointer, std::uint64_t bytes) {
        using Pointer = std::remove_reference_t<decltype(pointer)>;
        pointer = base == nullptr ? nullptr : reinterpret_cast<Pointer>(base + offset);
        offset += (bytes + AlignedBuffer::kAlignment - 1) / AlignedBuffer::kAlignment *
                  AlignedBuffer::kAlignment;
    };
    const auto row = static_cast<std::uint64_t>(n_embd) * sizeof(float);
    take(scratch.streams, kMostRows * row);
    take(scratch.joined, kBatch * 2 * row);
    take(scratch.x, kBatch * row);
    take(scratch.y, row);
    take(scratch.logits, static_cast<std::uint64_t>(n_vocab) * sizeof(float));
    take(scratch.quantized, quantized_bytes(2 * n_embd, kBatch));
    return offset;
}

Plan CpuForetelling::plan_for(const ForetellingModel& model, int n_ctx, int n_threads) {
    Plan plan;
    plan.placement = all_in_ram(model.spec.neurons());
    plan.n_ctx = n_ctx;
    plan.n_batch = kBatch;
    plan.threads = n_threads;
    return plan;
}

MemoryBytes CpuForetelling::bytes_for(const ForetellingModel& model, int n_vocab, int n_ctx,
                                      int n_threads) {
    const Plan plan = plan_for(model, n_ctx, n_threads);
    Scratch unused;
    return {.weights = CpuWeights::bytes_for(model.spec, model.tensors, plan.mode, plan.placement),
            .kv = KvCache::bytes_for(model.spec, n_ctx, plan.placement),
            .scratch = CpuExecutor::scratch_bytes(model.spec, 0, kBatch, n_threads, plan.mode) +
                       lay_out(model.spec.n_embd, n_vocab, nullptr, unused)};
}

Result<std::unique_ptr<CpuForetelling>> CpuForetelling::create(
    const GgufFile& file, std::shared_ptr<const ForetellingModel> kept, const CpuExecutor& cpu,
    const Plan& plan, Ledger& ledger, LoadMonitor& monitor) {
    const ForetellingModel& model = *kept;
    std::unique_ptr<CpuForetelling> made(new CpuForetelling(std::move(kept), cpu, plan.n_ctx));
    const Plan own = plan_for(model, plan.n_ctx, plan.threads);
    if (auto loaded = made->layer_.load({file, model.spec, model.tensors, own, ledger}, monitor);
        !loaded) {
        return std::move(loaded).error();
    }
    auto cache = KvCache::create(model.spec, own.n_ctx, ledger, own.placement);
    if (!cache) {
        return std::move(cache).error();
    }
    made->past_ = Past{std::move(*cache), nullptr};
    Scratch unused;
    const int n_vocab = cpu.spec().n_vocab;
    auto buffer =
        ledger.allocate(Purpose::Scratch, lay_out(model.spec.n_embd, n_vocab, nullptr, unused),
                        "scratch of the layer that foretells");
    if (!buffer) {
        return std::move(buffer).error();
    }
    made->buffer_ = std::move(*buffer);
    lay_out(model.spec.n_embd, n_vocab, made->buffer_.data(), made->scratch_);
    // The layer's own steps. Its stream comes and goes as another unit's would.
    for (Step step : compile(model.spec, own.placement, PassKind::Resident)) {
        if (step.layer != kNoLayer) {
            made->steps_.push_back(step);
        }
    }
    made->steps_.front().wait = 1;
    made->steps_.back().signal = 1;
    return made;
}

void CpuForetelling::norm(const float* x, std::span<const float> weight, float* y) const {
    table_.rms_norm(x, weight.data(), model_.spec.output_norm.eps, y, model_.spec.n_embd);
}

void CpuForetelling::go_back(int position, std::int32_t token) {
    while (!seen_.empty() && (seen_.back().position > position ||
                              (seen_.back().position == position && seen_.back().token != token))) {
        seen_.pop_back();
    }
    n_rows_ = std::clamp(position - first_, 0, n_rows_);
}

void CpuForetelling::passed(std::span<const std::int32_t> tokens, int position) {
    if (failed_ || tokens.empty()) {
        return;
    }
    go_back(position, tokens.front());
    if (end() != position) {
        first_ = position;
        n_rows_ = 0;
    }
    const std::span<const float> weight = cpu_.held_weights().vector(kNoLayer, Role::OutputNorm);
    // Drafts among them may be wrong: what waits is computed before they come, or after they went.
    const bool few = tokens.size() <= kEachAloneMost;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        text_[static_cast<std::size_t>(position) + i] = tokens[i];
        const int least = few && i == 0 ? static_cast<int>(tokens.size()) : 1;
        if (n_rows_ + least > kMostRows && !catch_up()) {
            failed_ = true;
            return;
        }
        norm(cpu_.stream() + i * n_embd_, weight, stream(n_rows_));
        ++n_rows_;
    }
}

Result<void> CpuForetelling::catch_up() {
    HEARTH_ASSERT(n_rows_ > 0);
    const auto is_seen = [&](int position) {
        return !seen_.empty() && seen_.back().position >= position;
    };
    int row = 0;
    while (row < n_rows_ && is_seen(first_ + row + 1)) {
        ++row;
    }
    while (row < n_rows_) {
        pairs_.clear();
        for (; row < n_rows_ && pairs_.size() < kBatch; ++row) {
            pairs_.push_back({stream(row), text_[static_cast<std::size_t>(first_ + row) + 1]});
        }
        const std::size_t place = seen_.size();
        if (auto done = compute(pairs_, place); !done) {
            return done;
        }
        const int position = first_ + row - static_cast<int>(pairs_.size()) + 1;
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            seen_.push_back({position + static_cast<int>(i), pairs_[i].token});
        }
    }
    std::copy_n(stream(n_rows_ - 1), n_embd_, stream(0));
    first_ += n_rows_ - 1;
    n_rows_ = 1;
    return {};
}

Result<void> CpuForetelling::compute(std::span<const Pair> pairs, std::size_t place) {
    const auto count = static_cast<int>(pairs.size());
    const auto of_model = cpu_.held_weights().lease(Part::Embedding);
    const auto own = layer_.held_weights().lease(Part::Embedding);
    if (!of_model || !own) {
        return !of_model ? of_model.error() : own.error();
    }
    const PackedMatrix& table = (*of_model)->tiles[Role::TokenEmbd];
    const PackedMatrix& join = (*own)->tiles[ForetellingModel::kJoin];
    const std::span<const float> token_norm = (*own)->vectors[ForetellingModel::kTokenNorm];
    const std::span<const float> stream_norm =
        layer_.held_weights().vector(kNoLayer, ForetellingModel::kStreamNorm);
    const std::size_t width = 2 * n_embd_;
    const ActivationRows input{scratch_.joined, width, scratch_.quantized, static_cast<int>(width),
                               count};
    const int group = kernels::group_width(count);
    pool_.run((count + group - 1) / group, [&](int task, int) {
        for (int i = task * group; i < std::min(count, (task + 1) * group); ++i) {
            const auto index = static_cast<std::size_t>(i);
            float* row = scratch_.joined + index * width;
            unpack_row(table.type, table.data, static_cast<std::uint64_t>(pairs[index].token),
                       {row, n_embd_});
            for (std::size_t k = 0; k < n_embd_; ++k) {
                row[k] *= model_.spec.embedding_scale;
            }
            norm(row, token_norm, row);
            norm(pairs[index].stream, stream_norm, row + n_embd_);
            if (takes_quantized(join.type)) {
                quantize_into(table_, input, i, 0, static_cast<int>(width) / kBlockValues, row);
            }
        }
    });
    const std::array product{Product{&join, scratch_.x, n_embd_}};
    multiply(pool_, table_, product, input);
    PassTask pass{.steps = steps_,
                  .tokens = std::span(tokens_).first(pairs.size()),
                  .position = static_cast<int>(place),
                  .counts = false,
                  .past = &past_};
    pass.shared.stream_to_cpu = scratch_.x;
    pass.shared.stream_to_gpu = scratch_.x;
    auto done = layer_.begin(pass);
    for (std::size_t i = 0; i < steps_.size() && done; ++i) {
        done = layer_.run(steps_[i]);
    }
    auto ended = layer_.end();
    if (!done || !ended) {
        return !done ? done : ended;
    }
    norm(scratch_.x + (pairs.size() - 1) * n_embd_,
         layer_.held_weights().vector(kNoLayer, ForetellingModel::kNorm), scratch_.y);
    return {};
}

Result<std::int32_t> CpuForetelling::best_token() {
    const auto weights = cpu_.held_weights().lease(Part::Output);
    if (!weights) {
        return weights.error();
    }
    const PackedMatrix& head = (*weights)->tiles[Role::Output];
    const auto n_embd = static_cast<int>(n_embd_);
    const ActivationRows input{scratch_.y, n_embd_, scratch_.quantized, n_embd, 1};
    if (takes_quantized(head.type)) {
        quantize_into(table_, input, 0, 0, n_embd / kBlockValues, scratch_.y);
    }
    const std::array product{Product{&head, scratch_.logits, n_vocab_}};
    multiply(pool_, table_, product, input);
    std::int32_t best = -1;
    float greatest = -std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < n_vocab_; ++i) {
        if (scratch_.logits[i] > greatest) {  // never where it is no number
            greatest = scratch_.logits[i];
            best = static_cast<std::int32_t>(i);
        }
    }
    return best;
}

std::span<const std::int32_t> CpuForetelling::guess(std::span<const std::int32_t> text,
                                                    std::size_t most) {
    guesses_.clear();
    if (failed_ || most == 0 || text.size() < 2 || text.size() > static_cast<std::size_t>(n_ctx_)) {
        return {};
    }
    const auto position = static_cast<int>(text.size()) - 1;
    go_back(position, text.back());
    const auto other = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& pair) {
        return text[static_cast<std::size_t>(pair.position)] != pair.token;
    });
    if (other != seen_.end()) {
        seen_.erase(other, seen_.end());
        n_rows_ = 0;  // of another text, too
    }
    const auto first = static_cast<std::ptrdiff_t>(first_);
    if (n_rows_ == 0 || end() != position ||
        !std::equal(text.begin() + first, text.begin() + position, text_.begin() + first)) {
        return {};
    }
    text_[static_cast<std::size_t>(position)] = text.back();
    if (!seen_.empty() && seen_.back().position == position) {
        seen_.pop_back();  // what it left is wanted again
    }
    auto done = catch_up();
    for (std::size_t place = seen_.size(); done; ++place) {
        const auto token = best_token();
        if (!token) {
            done = token.error();
            break;
        }
        if (*token < 0) {
            break;
        }
        guesses_.push_back(*token);
        if (guesses_.size() == most || place == static_cast<std::size_t>(n_ctx_)) {
            break;
        }
        // The next token's pair has what the layer left in the place of a stream.
        const Pair pair{scratch_.y, *token};
        done = compute({&pair, 1}, place);
    }
    failed_ = !done;
    return guesses_;
}

}  // namespace hearth
