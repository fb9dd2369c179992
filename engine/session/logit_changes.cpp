#include "session/logit_changes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hearth {

LogitChanges::LogitChanges(const SamplingOptions& options, int n_vocab, SamplerWords words)
    : repeat_penalty_(options.repeat_penalty),
      presence_penalty_(options.presence_penalty),
      frequency_penalty_(options.frequency_penalty),
      last_n_(options.repeat_last_n),
      counts_window_(
          (repeat_penalty_ != 1.0F || presence_penalty_ != 0.0F || frequency_penalty_ != 0.0F) &&
          last_n_ != 0),
      biases_(std::move(words.biases)) {
    if (options.dry_multiplier > 0.0F && options.dry_last_n != 0) {
        dry_ = DryPenalty(options, std::move(words.breaks));
    }
    std::erase_if(biases_, [](const SamplerWords::Bias& one) {
        return one.token < 0 || one.bias == 0.0F;  // no change at all
    });
    has_bias_ = !biases_.empty();
    for (const SamplerWords::Bias& one : biases_) {
        bans_ = bans_ || std::isinf(one.bias);
        lower_only_ = lower_only_ && one.bias < 0;
    }
    if (counts_window_) {
        lower_only_ = lower_only_ && repeat_penalty_ >= 1.0F && std::isfinite(repeat_penalty_) &&
                      presence_penalty_ >= 0.0F && frequency_penalty_ >= 0.0F;
    }
    if (on()) {
        slots_.resize(static_cast<std::size_t>(n_vocab));
        touched_.reserve(slots_.size());
        changes_.reserve(slots_.size());
    }
}

LogitChanges::Change& LogitChanges::touch(std::int32_t token) {
    std::uint32_t& slot = slots_[static_cast<std::size_t>(token)];
    if (slot == 0) {
        touched_.push_back(token);
        changes_.emplace_back();
        slot = static_cast<std::uint32_t>(changes_.size());
    }
    return changes_[slot - 1];
}

void LogitChanges::look_at(std::span<const std::int32_t> recent) {
    for (const std::int32_t token : touched_) {
        slots_[static_cast<std::size_t>(token)] = 0;
    }
    touched_.clear();
    changes_.clear();
    for (const SamplerWords::Bias& one : biases_) {
        touch(one.token).bias += one.bias;
    }
    const auto known = [this](std::int32_t token) {
        return token >= 0 && static_cast<std::size_t>(token) < slots_.size();
    };
    if (counts_window_) {
        const std::size_t n = last_n_ < 0
                                  ? recent.size()
                                  : std::min(recent.size(), static_cast<std::size_t>(last_n_));
        for (const std::int32_t token : recent.last(n)) {
            if (known(token)) {
                ++touch(token).count;
            }
        }
    }
    if (dry_.on()) {
        for (const DryPenalty::Hit& hit : dry_.hits(recent)) {
            if (known(hit.token)) {
                Change& change = touch(hit.token);
                change.repetition = std::max(change.repetition, hit.length);
            }
        }
    }
}

float LogitChanges::changed(std::int32_t token, float logit) const {
    const std::uint32_t slot = slots_.empty() ? 0 : slots_[static_cast<std::size_t>(token)];
    if (slot == 0) {
        return logit;
    }
    const Change& change = changes_[slot - 1];
    if (change.bias != 0.0F) {
        if (std::isinf(change.bias)) {
            return std::numeric_limits<float>::quiet_NaN();
        }
        logit += change.bias;
    }
    if (change.count > 0) {
        if (repeat_penalty_ != 1.0F) {
            logit = logit > 0 ? logit / repeat_penalty_ : logit * repeat_penalty_;
        }
        logit -= static_cast<float>(change.count) * frequency_penalty_ + presence_penalty_;
    }
    if (change.repetition > 0) {
        logit -= dry_.penalty(change.repetition);
    }
    return logit;
}

}  // namespace hearth
