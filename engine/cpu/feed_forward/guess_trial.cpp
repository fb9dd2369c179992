#include "cpu/feed_forward/guess_trial.h"

#include <algorithm>
#include <cmath>

namespace hearth {
namespace {

template <std::size_t n>
double median(std::array<double, n> values) {
    std::sort(values.begin(), values.end());
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

struct Means {
    double ns = 0;
    double misses = 0;
};
Means means_of(const GuessTrial::Tokens& tokens) {
    Means means;
    for (const GuessTrial::Token& token : tokens) {
        means.ns += token.ns / static_cast<double>(tokens.size());
        means.misses += token.misses / static_cast<double>(tokens.size());
    }
    return means;
}

using Times = std::array<double, GuessTrial::kPairs>;

// The median distance from the median.
double spread_of(Times times) {
    const double middle = median(times);
    for (double& time : times) {
        time = std::abs(time - middle);
    }
    return median(times);
}

struct Outcome {
    double gain = 0;
    double error = 0;  // of the gain, as far as times spread
};

Outcome outcome_of(GuessTrial::Tokens with, GuessTrial::Tokens without) {
    std::array<double, 2 * GuessTrial::kPairs> all{};
    for (std::size_t i = 0; i < with.size(); ++i) {
        all[i] = with[i].ns;
        all[with.size() + i] = without[i].ns;
    }
    const double most = 2 * median(all);
    double spread = 0;    // of misses
    double together = 0;  // misses and time
    for (GuessTrial::Tokens* tokens : {&with, &without}) {
        for (GuessTrial::Token& token : *tokens) {
            token.ns = std::min(token.ns, most);
        }
        const Means means = means_of(*tokens);
        for (const GuessTrial::Token& token : *tokens) {
            spread += (token.misses - means.misses) * (token.misses - means.misses);
            together += (token.misses - means.misses) * (token.ns - means.ns);
        }
    }
    const double of_miss = spread > 0 ? std::max(0.0, together / spread) : 0.0;
    const double usual = (means_of(with).misses + means_of(without).misses) / 2;
    const auto times_of = [&](const GuessTrial::Tokens& tokens) {
        Times times{};
        std::transform(tokens.begin(), tokens.end(), times.begin(),
                       [&](const GuessTrial::Token& token) {
                           return token.ns - of_miss * (token.misses - usual);
                       });
        return times;
    };
    const Times after = times_of(with);
    const Times before = times_of(without);
    const double typical = median(before);
    if (typical <= 0) {
        return {};
    }
    // A median of n normal values errs by 1.25 deviations / sqrt(n), a deviation is 1.48 spreads.
    const double error = 1.25 * 1.48 * std::hypot(spread_of(after), spread_of(before)) /
                         std::sqrt(static_cast<double>(GuessTrial::kPairs));
    return {1 - median(after) / typical, error / typical};
}

}  // namespace

double GuessTrial::gain_of(Tokens with, Tokens without) {
    return outcome_of(with, without).gain;
}

bool GuessTrial::guesses() const {
    if (waits_ > 0) {
        return pays_;
    }
    const bool first = tried_ % 2 == 0;
    return first == (tried_ / 2 % 2 == 0);  // with, without, without, with
}

void GuessTrial::ended(std::uint64_t ns, std::uint64_t misses) {
    if (waits_ > 0) {
        --waits_;
        return;
    }
    Tokens& tokens = guesses() ? with_ : without_;
    tokens[static_cast<std::size_t>(tried_ / 2)] = {static_cast<double>(ns),
                                                    static_cast<double>(misses)};
    if (++tried_ == 2 * kPairs) {
        decide();
    }
}

// A trial that cannot tell changes nothing.
void GuessTrial::decide() {
    const Outcome outcome = outcome_of(with_, without_);
    const double least = pays_ ? kStays : kBegins;
    gain_ = outcome.gain;
    if (std::abs(gain_ - least) >= outcome.error) {
        pays_ = gain_ >= least;
    }
    ++n_trials_;
    tried_ = 0;
    waits_ = kKept;
}

}  // namespace hearth
