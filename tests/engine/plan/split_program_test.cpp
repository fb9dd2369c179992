#include "plan/split_program.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "engine/plan/split_milp.h"

using namespace hearth;

namespace {

struct Layers {
    std::vector<LayerChoices> in_ram, in_vram;
    std::uint64_t total_bytes = 0;

    const LayerChoices& of(std::size_t l, int n_in_ram) const {
        return static_cast<int>(l) < n_in_ram ? in_ram[l] : in_vram[l];
    }
};

// Seconds neither rise nor fall with bytes, and a choice may be worse than another in both.
Layers random_layers(std::mt19937& random, std::size_t n_layer, std::uint64_t grain) {
    const auto up_to = [&](unsigned n) { return static_cast<unsigned>(random() % (n + 1)); };
    Layers layers;
    for (std::size_t l = 0; l < n_layer; ++l) {
        std::uint64_t most = 0;
        for (auto* list : {&layers.in_ram, &layers.in_vram}) {
            LayerChoices choices;
            const unsigned n = 1 + up_to(4);
            for (unsigned c = 0; c < n; ++c) {
                choices.bytes.push_back(grain * up_to(12) + (grain > 1000 ? up_to(999) : 0));
                choices.seconds.push_back(up_to(1000) / 64.0);
                most = std::max(most, choices.bytes.back());
            }
            list->push_back(std::move(choices));
        }
        layers.total_bytes += most;
    }
    return layers;
}

std::uint64_t bytes_of(const Layers& layers, int n_in_ram, const std::vector<int>& choices) {
    std::uint64_t bytes = 0;
    for (std::size_t l = 0; l < choices.size(); ++l) {
        bytes += layers.of(l, n_in_ram).bytes[static_cast<std::size_t>(choices[l])];
    }
    return bytes;
}

double seconds_of(const Layers& layers, int n_in_ram, const std::vector<int>& choices) {
    double seconds = 0;
    for (std::size_t l = 0; l < choices.size(); ++l) {
        seconds += layers.of(l, n_in_ram).seconds[static_cast<std::size_t>(choices[l])];
    }
    return seconds;
}

// Infinite: no choice keeps the bounds.
double brute_force(const Layers& layers, int n_in_ram, std::uint64_t least, std::uint64_t most) {
    double best = std::numeric_limits<double>::infinity();
    std::vector<int> choices(layers.in_ram.size(), 0);
    for (;;) {
        const std::uint64_t bytes = bytes_of(layers, n_in_ram, choices);
        if (bytes >= least && bytes <= most) {
            best = std::min(best, seconds_of(layers, n_in_ram, choices));
        }
        std::size_t l = 0;
        while (l < choices.size() &&
               choices[l] + 1 == static_cast<int>(layers.of(l, n_in_ram).bytes.size())) {
            choices[l++] = 0;
        }
        if (l == choices.size()) {
            return best;
        }
        ++choices[l];
    }
}

}  // namespace

class SplitProgramTest : public QObject {
    Q_OBJECT

private slots:
    void equalsBruteForce() {
        std::mt19937 random(11);
        int found = 0;
        int forced = 0;
        for (int i = 0; i < 1500; ++i) {
            const std::size_t n_layer = random() % 5;
            const Layers layers = random_layers(random, n_layer, 32);
            const SplitTable table(layers.in_ram, layers.in_vram, layers.total_bytes);
            QVERIFY(table.exact());
            for (int n_in_ram = 0; n_in_ram <= static_cast<int>(n_layer); ++n_in_ram) {
                const std::uint64_t most = random() % (layers.total_bytes + 40);
                const std::uint64_t least = random() % 2 == 0 ? 0 : random() % (most + 1);
                const double wanted = brute_force(layers, n_in_ram, least, most);
                const auto answer = table.best(n_in_ram, least, most);
                QCOMPARE(answer.has_value(), std::isfinite(wanted));
                if (answer) {
                    const std::uint64_t bytes = bytes_of(layers, n_in_ram, answer->choices);
                    QVERIFY(bytes >= least && bytes <= most);
                    QVERIFY(std::abs(answer->seconds - wanted) < 1e-9);
                    QVERIFY(std::abs(seconds_of(layers, n_in_ram, answer->choices) - wanted) <
                            1e-9);
                    ++found;
                    forced += least > 0 ? 1 : 0;
                }
            }
        }
        QVERIFY(found > 2000);
        QVERIFY(forced > 500);
    }

    // The whole program, frames and all: CBC, given the same one, finds nothing faster, and what it
    // finds is as fast.
    void equalsCbc() {
        std::mt19937 random(803);
        const auto up_to = [&](std::uint64_t n) { return random() % (n + 1); };
        int found = 0;
        int forced = 0;
        int none = 0;
        int worse_frames = 0;
        for (int i = 0; i < 400; ++i) {
            const std::size_t n_layer = 1 + up_to(4);
            const Layers layers = random_layers(random, n_layer, 32);
            SplitProgram program{layers.in_ram, layers.in_vram, {}, 0};
            program.bytes_max = up_to(layers.total_bytes + 200);
            const std::uint64_t n_frames = 1 + up_to(2 * n_layer + 1);
            for (std::uint64_t f = 0; f < n_frames; ++f) {
                const std::uint64_t fixed = up_to(program.bytes_max);
                program.frames.push_back(
                    {.n_in_ram = static_cast<int>(up_to(n_layer)),
                     .fixed_bytes = up_to(1) * fixed,
                     .bytes_min = up_to(2) == 0 ? up_to(layers.total_bytes + 10) : 0,
                     .seconds = static_cast<double>(up_to(1000)) / 64});
            }
            const test::MilpAnswer wanted = test::solve_as_milp(program);
            if (wanted.failed.find("COIN-OR CBC") != std::string::npos) {
                QSKIP("no solver: the program was not compared with CBC's");
            }
            QVERIFY2(wanted.failed.empty(), wanted.failed.c_str());
            const auto answer = solve_split(program);
            QCOMPARE(answer.has_value(), wanted.seconds.has_value());
            if (!answer) {
                ++none;
                continue;
            }
            QVERIFY(answer->exact);
            const SplitFrame& frame = program.frames[answer->frame];
            const std::uint64_t bytes = bytes_of(layers, frame.n_in_ram, answer->choices);
            QVERIFY(bytes >= frame.bytes_min && bytes + frame.fixed_bytes <= program.bytes_max);
            const double seconds = frame.seconds + answer->layer_seconds;
            QVERIFY(std::abs(frame.seconds + seconds_of(layers, frame.n_in_ram, answer->choices) -
                             seconds) < 1e-9);
            QVERIFY2(std::abs(seconds - *wanted.seconds) < 1e-9,
                     qPrintable(QString("program %1: %2 s, CBC has %3 s")
                                    .arg(i)
                                    .arg(seconds)
                                    .arg(*wanted.seconds)));
            ++found;
            forced += frame.bytes_min > 0 ? 1 : 0;
            SplitProgram first = program;
            first.first_frame = true;
            const auto any = solve_split(first);
            QVERIFY(any && any->frame <= answer->frame);
            worse_frames += program.frames[any->frame].seconds + any->layer_seconds > seconds;
        }
        QVERIFY(found > 200);
        QVERIFY(forced > 30);
        QVERIFY(none > 10);
        QVERIFY(worse_frames > 50);
    }

    // Sizes with no common divisor worth the name: rounded, still within the bounds, near the best,
    // and still never slower with wider bounds.
    void roundedSizes() {
        std::mt19937 random(5);
        for (int i = 0; i < 100; ++i) {
            const Layers layers = random_layers(random, 5, 1'000'003);
            const SplitTable table(layers.in_ram, layers.in_vram, layers.total_bytes);
            QVERIFY(!table.exact());
            for (int n_in_ram = 0; n_in_ram <= 5; ++n_in_ram) {
                double before = std::numeric_limits<double>::infinity();
                for (std::uint64_t step = 1; step <= 8; ++step) {
                    const std::uint64_t most = step * layers.total_bytes / 8;
                    const auto answer = table.best(n_in_ram, 0, most);
                    // Of every 16384 units a layer loses less than one.
                    const std::uint64_t lost = 5 * (layers.total_bytes / 16384 + 1);
                    const double bound =
                        brute_force(layers, n_in_ram, 0, most - std::min(most, lost));
                    QVERIFY(answer || !std::isfinite(bound));
                    if (!answer) {
                        continue;
                    }
                    QVERIFY(bytes_of(layers, n_in_ram, answer->choices) <= most);
                    QVERIFY(answer->seconds <= bound + 1e-9);
                    QVERIFY(answer->seconds <= before);
                    before = answer->seconds;
                    const std::uint64_t least = most - most / 4;
                    if (const auto forced = table.best(n_in_ram, least, most)) {
                        const std::uint64_t bytes = bytes_of(layers, n_in_ram, forced->choices);
                        QVERIFY(bytes >= least && bytes <= most);
                        QVERIFY(forced->seconds >= answer->seconds);
                    }
                }
            }
        }
    }

    // Rounding must not cost the choice of everything where there is room for it.
    void everythingFitsDespiteRounding() {
        const LayerChoices layer{{0, 400'000'009, 1'000'000'007}, {3, 2, 1}};
        const std::vector<LayerChoices> five(5, layer);
        const SplitTable table(five, five, 6'000'000'000);
        QVERIFY(!table.exact());
        for (int n_in_ram = 0; n_in_ram <= 5; ++n_in_ram) {
            const auto answer = table.best(n_in_ram, 0, 6'000'000'000);
            QVERIFY(answer);
            QCOMPARE(answer->choices, std::vector<int>(5, 2));
        }
    }

    // What a layer takes in any case is counted to the byte, whatever its size: a bound that fits
    // exactly is kept, one byte less is not.
    void certainBytesAreExact() {
        const std::vector<LayerChoices> in_ram{{{0}, {3}}, {{0}, {3}}};
        const std::vector<LayerChoices> in_vram{{{1'000'000'007}, {1}}, {{998'244'353}, {1}}};
        const SplitTable table(in_ram, in_vram, 1'000'000'007 + 998'244'353);
        QVERIFY(table.exact());
        QVERIFY(table.best(0, 1'998'244'360, 1'998'244'360));
        QVERIFY(!table.best(0, 0, 1'998'244'359));
        QVERIFY(!table.best(0, 1'998'244'361, 1'998'244'360));
        QVERIFY(table.best(1, 0, 998'244'353));
        QVERIFY(!table.best(1, 0, 998'244'352));
    }

    void nothingToChoose() {
        const SplitTable none({}, {}, 100);
        QVERIFY(none.best(0, 0, 100)->choices.empty());
        QVERIFY(!none.best(0, 1, 100));
        // More than any machine has: no sum wraps around.
        constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
        const LayerChoices huge{{0, kMost / 2 + 1}, {2, 1}};
        const SplitTable table({huge, huge}, {huge, huge}, kMost);
        QCOMPARE(table.best(1, 0, 1000)->choices, (std::vector<int>{0, 0}));
        QVERIFY(!table.best(1, kMost, kMost));
    }
};

QTEST_GUILESS_MAIN(SplitProgramTest)
#include "split_program_test.moc"
