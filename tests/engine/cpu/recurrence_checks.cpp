#include "engine/cpu/recurrence_checks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

namespace hearth::test {
namespace {

using kernels::DeltaNet;
using kernels::KernelTable;
constexpr int kPanel = kernels::kStatePanel;

std::size_t size(int n) {
    return static_cast<std::size_t>(n);
}

std::vector<float> normal_values(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(count);
    std::generate(values.begin(), values.end(), [&] { return normal(random); });
    return values;
}

CheckOutcome within(double worst, double bound) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "error %.2e, bound %.0e", worst, bound);
    return {worst <= bound, text.data()};
}

// Rows lie apart, as they do among the channels of a layer. Keys have length 1.
struct Net {
    Net(int keys, int tokens) : key_dim(keys), n_tokens(tokens) {
        q = normal_values(size(n_tokens) * stride(), 1);
        k = normal_values(size(n_tokens) * stride(), 2);
        v = normal_values(size(n_tokens) * kStride, 3);
        state = normal_values(size(key_dim) * kPanel, 4);
        gates = normal_values(size(n_tokens) * 2 * kGates, 5);
        for (float& gate : gates) {
            gate = 1.0F / (1.0F + std::exp(-2.0F * gate));
        }
        for (int t = 0; t < n_tokens; ++t) {
            double squares = 0;
            for (std::size_t i = 0; i < size(key_dim); ++i) {
                const auto x = static_cast<double>(k[size(t) * stride() + i]);
                squares += x * x;
            }
            for (std::size_t i = 0; i < size(key_dim); ++i) {
                k[size(t) * stride() + i] /= static_cast<float>(std::sqrt(squares));
            }
        }
    }
    static constexpr std::size_t kStride = kPanel + 5;
    static constexpr std::size_t kGates = 3;
    std::size_t stride() const { return size(key_dim) + 7; }

    DeltaNet task(std::vector<float>& states, std::vector<float>& out, int first, int count,
                  int columns = kPanel) const {
        const auto at = size(first);
        return {.state = states.data(),
                .q = q.data() + at * stride(),
                .k = k.data() + at * stride(),
                .v = v.data() + at * kStride,
                .qk_stride = stride(),
                .v_stride = kStride,
                .decay = gates.data() + at * kGates,
                .beta = gates.data() + (size(n_tokens) + at) * kGates,
                .gate_stride = kGates,
                .out = out.data() + at * kStride,
                .out_stride = kStride,
                .key_dim = key_dim,
                .n_tokens = count,
                .columns = columns};
    }

    int key_dim;
    int n_tokens;
    std::vector<float> q, k, v, state, gates;
};

CheckOutcome check_delta_net(const KernelTable& table, int key_dim, int n_tokens) {
    const Net net(key_dim, n_tokens);
    std::vector<float> states = net.state;
    std::vector<float> out(size(n_tokens) * Net::kStride);
    table.delta_net(net.task(states, out, 0, n_tokens));
    std::vector<double> wanted(net.state.begin(), net.state.end());
    double worst = 0;
    const auto of = [](const std::vector<float>& values, std::size_t at) {
        return static_cast<double>(values[at]);
    };
    for (std::size_t t = 0; t < size(n_tokens); ++t) {
        const double decay = of(net.gates, t * Net::kGates);
        const double beta = of(net.gates, (size(n_tokens) + t) * Net::kGates);
        for (std::size_t c = 0; c < kPanel; ++c) {
            double known = 0;
            for (std::size_t i = 0; i < size(key_dim); ++i) {
                wanted[i * kPanel + c] *= decay;
                known += wanted[i * kPanel + c] * of(net.k, t * net.stride() + i);
            }
            const double change = beta * (of(net.v, t * Net::kStride + c) - known);
            double sum = 0;
            double terms = 0;
            for (std::size_t i = 0; i < size(key_dim); ++i) {
                double& state = wanted[i * kPanel + c];
                state += of(net.k, t * net.stride() + i) * change;
                sum += of(net.q, t * net.stride() + i) * state;
                terms += std::fabs(of(net.q, t * net.stride() + i) * state);
            }
            worst = std::max(worst, std::fabs(of(out, t * Net::kStride + c) - sum) / terms);
        }
    }
    for (std::size_t i = 0; i < states.size(); ++i) {
        worst = std::max(worst, std::fabs(of(states, i) - wanted[i]));
    }
    return within(worst, 2e-6);
}

CheckOutcome check_state_space(const KernelTable& table, int key_dim, int n_tokens, int columns) {
    const Net net(key_dim, n_tokens);
    std::vector<float> states = net.state;
    states.resize(size(key_dim * columns));
    std::vector<float> out(size(n_tokens) * Net::kStride);
    table.state_space(net.task(states, out, 0, n_tokens, columns));
    std::vector<double> wanted(states.size());
    std::copy_n(net.state.begin(), states.size(), wanted.begin());
    double worst = 0;
    const auto of = [](const std::vector<float>& values, std::size_t at) {
        return static_cast<double>(values[at]);
    };
    for (std::size_t t = 0; t < size(n_tokens); ++t) {
        const double decay = of(net.gates, t * Net::kGates);
        const double step = of(net.gates, (size(n_tokens) + t) * Net::kGates);
        for (std::size_t c = 0; c < size(columns); ++c) {
            double sum = 0;
            double terms = 0;
            for (std::size_t i = 0; i < size(key_dim); ++i) {
                double& state = wanted[i * size(columns) + c];
                state = decay * state +
                        of(net.k, t * net.stride() + i) * step * of(net.v, t * Net::kStride + c);
                sum += of(net.q, t * net.stride() + i) * state;
                terms += std::fabs(of(net.q, t * net.stride() + i) * state);
            }
            worst = std::max(worst, std::fabs(of(out, t * Net::kStride + c) - sum) / terms);
        }
    }
    for (std::size_t t = 0; t < size(n_tokens); ++t) {  // nothing is written beside the panel
        for (std::size_t c = size(columns); c < Net::kStride; ++c) {
            worst = std::max(worst, std::fabs(of(out, t * Net::kStride + c)));
        }
    }
    for (std::size_t i = 0; i < states.size(); ++i) {
        worst = std::max(worst, std::fabs(of(states, i) - wanted[i]));
    }
    return within(worst, 2e-6);
}

using Pass = void (*KernelTable::*)(const DeltaNet& task);

// However a text is cut into batches, every bit is the same.
CheckOutcome check_cuts(const KernelTable& table, Pass pass) {
    constexpr int kTokens = 23;
    const Net net(64, kTokens);
    std::vector<float> whole_states = net.state;
    std::vector<float> whole(size(kTokens) * Net::kStride);
    (table.*pass)(net.task(whole_states, whole, 0, kTokens));
    for (const int cut : {1, 2, 7, 22}) {
        std::vector<float> states = net.state;
        std::vector<float> out(whole.size());
        for (int first = 0; first < kTokens; first += cut) {
            (table.*pass)(net.task(states, out, first, std::min(cut, kTokens - first)));
        }
        if (std::memcmp(states.data(), whole_states.data(), states.size() * sizeof(float)) != 0 ||
            std::memcmp(out.data(), whole.data(), out.size() * sizeof(float)) != 0) {
            return {false, "differs when cut into " + std::to_string(cut)};
        }
    }
    return {true, "alike"};
}

CheckOutcome check_conv(const KernelTable& table, int kernel, int n, bool gated, bool biased) {
    const std::size_t stride = size(n) + 3;
    const std::vector<float> taps = normal_values(size(kernel) * stride, 6);
    const std::vector<float> x = normal_values(size(kernel) * stride, 7);
    std::vector<const float*> rows;
    for (int j = kernel - 1; j >= 0; --j) {  // in no order
        rows.push_back(x.data() + size(j) * stride);
    }
    std::vector<float> y(size(n) + 1, 5.0F);
    const std::vector<float> gate = normal_values(size(n), 10);
    const std::vector<float> bias = normal_values(size(n), 11);
    table.short_conv({.rows = rows.data(),
                      .taps = taps.data(),
                      .stride = stride,
                      .kernel = kernel,
                      .gate = gated ? gate.data() : nullptr,
                      .bias = biased ? bias.data() : nullptr,
                      .y = y.data(),
                      .n = n});
    double worst = y[size(n)] == 5.0F ? 0 : 1;  // nothing is written behind the end
    for (std::size_t i = 0; i < size(n); ++i) {
        double sum = biased ? static_cast<double>(bias[i]) : 0;
        double terms = 1e-30 + std::fabs(sum);
        for (std::size_t j = 0; j < size(kernel); ++j) {
            const double term =
                static_cast<double>(taps[j * stride + i]) * static_cast<double>(rows[j][i]);
            sum += term;
            terms += std::fabs(term);
        }
        const double wanted =
            gated ? static_cast<double>(gate[i]) * sum : sum / (1 + std::exp(-sum));
        worst = std::max(worst, std::fabs(static_cast<double>(y[i]) - wanted) / terms);
    }
    return within(worst, 2e-6);
}

CheckOutcome check_sigmoid(const KernelTable& table, int n) {
    std::vector<float> gate = normal_values(size(n), 8);
    const std::vector<float> up = normal_values(size(n), 9);
    gate[0] = -200.0F;
    gate[size(n) - 1] = 200.0F;
    std::vector<float> y = up;
    table.sigmoid_mul(gate.data(), y.data(), y.data(), n);
    double worst = 0;
    for (std::size_t i = 0; i < size(n); ++i) {
        const double wanted =
            static_cast<double>(up[i]) / (1 + std::exp(-static_cast<double>(gate[i])));
        worst = std::max(worst, std::fabs(static_cast<double>(y[i]) - wanted) /
                                    std::max(std::fabs(wanted), 1e-30));
    }
    return within(worst, 1e-5);
}

}  // namespace

void add_recurrence_checks(const KernelTable& table, std::vector<KernelCheck>& checks) {
    const std::string prefix = std::string(table.name) + "/";
    for (const int key_dim : {32, 64, 128}) {
        for (const int n_tokens : {1, 2, 40}) {
            checks.push_back(
                {prefix + "delta_net/" + std::to_string(key_dim) + "/" + std::to_string(n_tokens),
                 [&table, key_dim, n_tokens] {
                     return check_delta_net(table, key_dim, n_tokens);
                 }});
        }
    }
    for (const int key_dim : {32, 128, 256}) {
        for (const int n_tokens : {1, 40}) {
            for (const int columns : {kPanel, kernels::kHalfStatePanel}) {
                checks.push_back({prefix + "state_space/" + std::to_string(key_dim) + "/" +
                                      std::to_string(n_tokens) +
                                      (columns == kPanel ? "" : "/half a panel"),
                                  [&table, key_dim, n_tokens, columns] {
                                      return check_state_space(table, key_dim, n_tokens, columns);
                                  }});
            }
        }
    }
    checks.push_back({prefix + "delta_net/cut",
                      [&table] { return check_cuts(table, &KernelTable::delta_net); }});
    checks.push_back({prefix + "state_space/cut",
                      [&table] { return check_cuts(table, &KernelTable::state_space); }});
    for (const auto& [kernel, n] : {std::pair{4, 128}, {4, 35}, {1, 16}, {16, 7}}) {
        for (const char* kind : {"", "/gated", "/biased"}) {
            checks.push_back(
                {prefix + "short_conv/" + std::to_string(kernel) + "/" + std::to_string(n) + kind,
                 [&table, kernel = kernel, n = n, what = std::string(kind)] {
                     return check_conv(table, kernel, n, what == "/gated", what == "/biased");
                 }});
        }
    }
    for (const int n : {15, 512}) {
        checks.push_back({prefix + "sigmoid_mul/" + std::to_string(n),
                          [&table, n] { return check_sigmoid(table, n); }});
    }
}

}  // namespace hearth::test
