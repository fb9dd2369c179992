#include "cpu/cpu_gated_conv.h"

#include <algorithm>
#include <cstddef>

namespace hearth {

// A task is all tokens of some channels: no channel reads another's.
void CpuGatedConv::run(const HeadsTask& task, const GatedConvSpec& of,
                       const CpuAttention::Scratch& heads) const {
    constexpr int kChannels = 64;
    constexpr int kChannelsOfOne = 1024;  // a single token is not worth many tasks
    const int step = task.n_tokens > 1 ? kChannels : kChannelsOfOne;
    const auto width = static_cast<std::size_t>(of.width);
    const CpuShortConv::Inputs inputs{heads.q, 3 * width, task.past.cpu.state(task.layer)};
    pool_.run((of.width + step - 1) / step, [&](int index, int) {
        const int first = index * step;
        const CpuShortConv::Channels channels{static_cast<std::size_t>(first),
                                              std::min(step, of.width - first)};
        for (int t = 0; t < task.n_tokens; ++t) {
            const auto token = static_cast<std::size_t>(t);
            float* b = heads.q + token * 3 * width + channels.first;
            const float* c = b + width;
            const float* x = c + width;
            for (int i = 0; i < channels.count; ++i) {
                b[i] *= x[i];
            }
            conv_.mix(task.layer, inputs, channels, t, c,
                      heads.attended + token * width + channels.first);
        }
        if (task.each_alone) {
            conv_.put_ahead(task.layer, inputs, channels, task.n_tokens,
                            task.past.cpu.ahead(task.layer));
        } else {
            conv_.keep(task.layer, inputs, channels, task.n_tokens);
        }
    });
}

void CpuGatedConv::take_ahead(Past& past, int layer, const GatedConvSpec& of,
                              const Snapshots::Taking& tokens) const {
    const auto width = static_cast<std::size_t>(of.width);
    const float* rows = past.cpu.ahead(layer) + static_cast<std::size_t>(tokens.first) * width;
    conv_.keep(layer, {rows, width, past.cpu.state(layer)}, {0, of.width}, tokens.count);
}

}  // namespace hearth
