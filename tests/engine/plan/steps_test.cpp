// Lists of steps over random placements: two units that each run their steps in order never wait
// for ever, every step finds what it reads, and the units wait where they must and nowhere else.
#include "plan/steps.h"
#include "support/vram_part.h"

#include <QtTest>
#include <array>
#include <map>
#include <optional>
#include <random>

using namespace hearth;

namespace {

struct Placed {
    std::vector<int> n_ff;  // by layer
    test::VramPart part;

    int n_layer() const { return static_cast<int>(n_ff.size()); }
};

// neurons_alone: the GPU may have neurons of a layer whose attention it has not.
Placed random_placement(std::mt19937& random, bool neurons_alone) {
    const auto upto = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
    Placed placed;
    const int kind = upto(3);  // 0: layers are alike
    const bool whole = upto(1) == 0;
    for (int layer = upto(6); layer >= 0; --layer) {
        const bool attention = kind == 0 ? whole : upto(1) == 0;
        const int n_ff = 32 * (1 + upto(7));
        const int hot =
            std::array{0, n_ff, 32 * upto(n_ff / 32)}[static_cast<std::size_t>(upto(2))];
        placed.n_ff.push_back(n_ff);
        placed.part.n_ff.push_back(n_ff);
        placed.part.attention_in_vram.push_back(attention);
        placed.part.hot_neurons.push_back(attention || neurons_alone ? hot : 0);
    }
    placed.part.output_in_vram = upto(1) == 0;
    if (kind == 1 && upto(3) == 0) {
        placed.part = {placed.n_ff};  // no GPU
    }
    return placed;
}

// What a step leaves, and which memory it is left in for the other unit.
enum class Value { Stream, Heads, Attended, BlockInput, Partial, Logits };

Value value_of(Op op) {
    switch (op) {
        case Op::Embed:
        case Op::Sum:
            return Value::Stream;
        case Op::AttentionIn:
            return Value::Heads;
        case Op::Attend:
            return Value::Attended;
        case Op::AttentionOut:
            return Value::BlockInput;
        case Op::FeedForward:
            return Value::Partial;
        case Op::Head:
            break;
    }
    return Value::Logits;
}

// Two units that run their own steps in order, one step at a time in an order drawn by chance.
// What a unit knows comes from its own steps, or from the other unit through a point.
class Run {
public:
    Run(const Placed& placed, PassKind kind, const std::vector<Step>& steps)
        : placed_(placed), kind_(kind) {
        for (const Step& step : steps) {
            of_[at(step.unit)].steps.push_back(step);
        }
    }

    // Empty: all went well.
    QString play(std::mt19937& random) {
        for (;;) {
            std::vector<std::size_t> ready;
            for (const std::size_t unit : {0U, 1U}) {
                const Side& side = of_[unit];
                if (side.next < side.steps.size() &&
                    side.steps[side.next].wait <= of_[1 - unit].reached) {
                    ready.push_back(unit);
                }
            }
            if (ready.empty()) {
                break;
            }
            run_next(ready[random() % ready.size()]);
        }
        for (const std::size_t unit : {0U, 1U}) {
            expect(of_[unit].next == of_[unit].steps.size(), "waits for ever", unit);
            for (const auto& [value, step] : of_[unit].left) {
                expect(value == Value::Logits, "signals and nobody waits", unit);
            }
        }
        expect(computed_ == placed_.n_ff, "neurons are left out", 0);
        return problem_;
    }

private:
    struct Side {
        std::vector<Step> steps;
        std::size_t next = 0;
        int reached = 0;
        std::map<Value, int> known;  // the layer each value is of; Stream: that it is after
        std::map<Value, Step> left;  // for the other unit, which has not read it yet
        std::vector<Step> parts;     // of the present layer's neurons
    };

    static std::size_t at(Unit unit) { return static_cast<std::size_t>(unit); }

    void expect(bool holds, const char* what, std::size_t unit) {
        if (!holds && problem_.isEmpty()) {
            problem_ = QString("%1 %2 at its step %3")
                           .arg(unit == 0 ? "the processor" : "the GPU", what)
                           .arg(of_[unit].next);
        }
    }
    bool knows(std::size_t unit, Value value, int layer) {
        const auto found = of_[unit].known.find(value);
        return found != of_[unit].known.end() && found->second == layer;
    }

    // What the other unit left at the point that the step waits for.
    void receive(const Step& step, std::size_t unit) {
        Side& side = of_[unit];
        std::map<Value, Step>& left = of_[1 - unit].left;
        const auto found = std::find_if(left.begin(), left.end(), [&](const auto& one) {
            return one.second.signal == step.wait;
        });
        expect(found != left.end(), "waits for a point that was not signalled or waited for", unit);
        if (found == left.end()) {
            return;
        }
        const auto& [value, from] = *found;
        side.known[value] = from.op == Op::Embed ? -1 : from.layer;
        if (value == Value::Partial) {
            side.parts.push_back(from);
        }
        left.erase(found);
    }

    void run_next(std::size_t unit) {
        Side& side = of_[unit];
        const Step step = side.steps[side.next];
        if (step.wait > 0) {
            receive(step, unit);
        }
        const bool attention = step.layer != kNoLayer && placed_.part.has_attention(step.layer);
        const Unit owner = kind_ == PassKind::Uploaded || attention ? Unit::Gpu : Unit::Cpu;
        switch (step.op) {
            case Op::Embed:
                expect(step.unit == Unit::Cpu, "embeds", unit);
                break;
            case Op::AttentionIn:
                expect(step.unit == owner, "multiplies with another's matrices", unit);
                expect(knows(unit, Value::Stream, step.layer - 1), "has no stream", unit);
                break;
            case Op::Attend:
                expect(step.unit == (attention ? Unit::Gpu : Unit::Cpu), "has no cache", unit);
                expect(knows(unit, Value::Heads, step.layer), "has no heads", unit);
                break;
            case Op::AttentionOut:
                expect(step.unit == owner, "multiplies with another's matrices", unit);
                expect(knows(unit, Value::Attended, step.layer), "has nothing attended", unit);
                expect(knows(unit, Value::Stream, step.layer - 1), "has no stream", unit);
                break;
            case Op::FeedForward: {
                expect(knows(unit, Value::BlockInput, step.layer), "has no block's input", unit);
                expect(step.n_neurons > 0, "computes no neurons", unit);
                const int hot = kind_ == PassKind::Uploaded
                                    ? placed_.n_ff[static_cast<std::size_t>(step.layer)]
                                    : placed_.part.hot(step.layer);
                expect(step.first_neuron == (unit == at(Unit::Gpu) ? 0 : hot),
                       "computes others' neurons", unit);
                computed_[static_cast<std::size_t>(step.layer)] += step.n_neurons;
                side.parts.push_back(step);
                break;
            }
            case Op::Sum: {
                expect(step.unit == owner, "adds to another's stream", unit);
                expect(knows(unit, Value::Stream, step.layer - 1), "has no stream", unit);
                int n = 0;
                for (const Step& part : side.parts) {
                    expect(part.layer == step.layer, "adds another layer's part", unit);
                    n += part.n_neurons;
                }
                expect(n == placed_.n_ff[static_cast<std::size_t>(step.layer)],
                       "adds too few or too many neurons", unit);
                side.parts.clear();
                break;
            }
            case Op::Head:
                expect(step.unit == (placed_.part.output_in_vram ? Unit::Gpu : Unit::Cpu),
                       "has no head", unit);
                expect(knows(unit, Value::Stream, placed_.n_layer() - 1), "has no stream", unit);
                break;
        }
        const Value value = value_of(step.op);
        side.known[value] = step.op == Op::Embed ? -1 : step.layer;
        if (step.signal > 0) {
            expect(step.signal == side.reached + 1, "signals out of order", unit);
            expect(!side.left.contains(value), "writes over what was not read yet", unit);
            side.reached = step.signal;
            side.left[value] = step;
            if (value == Value::Partial) {
                side.parts.clear();
            }
        }
        ++side.next;
    }

    const Placed& placed_;
    PassKind kind_;
    std::array<Side, 2> of_;
    std::vector<int> computed_ = std::vector<int>(placed_.n_ff.size());
    QString problem_;
};

// A place where a unit waits for the other, as three files derived it before there was a list:
//   ToGpu  the processor leaves the stream for the GPU     ToCpu  the GPU leaves it
//   Join   the processor leaves its part of a block        Heads  it computes a layer's heads
struct Crossing {
    enum Kind { ToGpu, ToCpu, Join, Heads } kind;
    int layer;  // n_layer: after the last
    bool operator==(const Crossing&) const = default;
};

std::vector<Crossing> expected_crossings(const Placed& placed, PassKind kind) {
    const test::VramPart& part = placed.part;
    std::vector<Crossing> walk;
    if (kind == PassKind::Uploaded) {
        walk.push_back({Crossing::ToGpu, 0});
        for (int layer = 0; layer < placed.n_layer(); ++layer) {
            if (!part.has_attention(layer)) {
                walk.push_back({Crossing::Heads, layer});
            }
        }
        walk.push_back({Crossing::ToCpu, placed.n_layer()});
        return walk;
    }
    bool on_gpu = false;
    const auto move_to = [&](bool gpu, int layer) {
        if (gpu != on_gpu) {
            walk.push_back({gpu ? Crossing::ToGpu : Crossing::ToCpu, layer});
        }
        on_gpu = gpu;
    };
    for (int layer = 0; layer < placed.n_layer(); ++layer) {
        move_to(part.has_attention(layer), layer);
        if (part.has_attention(layer) &&
            part.hot(layer) < placed.n_ff[static_cast<std::size_t>(layer)]) {
            walk.push_back({Crossing::ToCpu, layer});
            walk.push_back({Crossing::Join, layer});
        }
    }
    move_to(part.output_in_vram, placed.n_layer());
    return walk;
}

std::vector<Crossing> crossings_of(const std::vector<Step>& steps, PassKind kind, int n_layer) {
    std::vector<Crossing> walk;
    for (const Step& step : steps) {
        const int layer = step.layer == kNoLayer ? n_layer : step.layer;
        if (step.wait > 0 && step.op != Op::Attend) {  // Heads: counted where the GPU goes on
            walk.push_back({step.op == Op::AttentionOut ? Crossing::Heads
                            : step.op == Op::Sum        ? Crossing::Join
                            : step.unit == Unit::Gpu    ? Crossing::ToGpu
                                                        : Crossing::ToCpu,
                            layer});
        }
        // The end of what was uploaded for, which both had: the logits, or the stream.
        if (kind == PassKind::Uploaded && step.op == Op::Head && step.signal > 0) {
            walk.push_back({Crossing::ToCpu, n_layer});
        }
    }
    return walk;
}

constexpr std::array kKinds{PassKind::Resident, PassKind::Uploaded};

}  // namespace

class StepsTest : public QObject {
    Q_OBJECT

private slots:
    void units_never_wait_for_ever_data() {
        QTest::addColumn<bool>("neurons_alone");
        QTest::addRow("neurons where attention is") << false;
        QTest::addRow("neurons alone") << true;
    }
    void units_never_wait_for_ever() {
        QFETCH(bool, neurons_alone);
        std::mt19937 random(20);
        for (int i = 0; i < 3000; ++i) {
            const Placed placed = random_placement(random, neurons_alone);
            for (const PassKind kind : kKinds) {
                const auto steps = compile(placed.n_ff, placed.part, kind);
                for (int order = 0; order < 4; ++order) {
                    const QString problem = Run(placed, kind, steps).play(random);
                    QVERIFY2(problem.isEmpty(), qPrintable(problem));
                }
            }
        }
    }

    // A step waits for what stands before it, and each point but the last logits' is waited for
    // once.
    void a_point_is_waited_for_once() {
        std::mt19937 random(21);
        for (int i = 0; i < 3000; ++i) {
            const Placed placed = random_placement(random, true);
            for (const PassKind kind : kKinds) {
                std::array<int, 2> signalled{};
                std::array<int, 2> waited{};
                const auto steps = compile(placed.n_ff, placed.part, kind);
                for (const Step& step : steps) {
                    const auto unit = static_cast<std::size_t>(step.unit);
                    if (step.wait > 0) {
                        QCOMPARE(step.wait, ++waited[unit]);
                        QVERIFY(step.wait <= signalled[1 - unit]);
                    }
                    if (step.signal > 0) {
                        QCOMPARE(step.signal, ++signalled[unit]);
                    }
                }
                const int last = placed.part.output_in_vram ? 1 : 0;
                QCOMPARE(waited[0], signalled[1] - last);
                QCOMPARE(waited[1], signalled[0]);
                QCOMPARE(n_signals(steps), signalled[0] + signalled[1]);
            }
        }
    }

    void units_meet_where_they_always_did() {
        std::mt19937 random(22);
        for (int i = 0; i < 3000; ++i) {
            const Placed placed = random_placement(random, false);
            for (const PassKind kind : kKinds) {
                const auto steps = compile(placed.n_ff, placed.part, kind);
                QVERIFY(crossings_of(steps, kind, placed.n_layer()) ==
                        expected_crossings(placed, kind));
            }
        }
    }

    // Written out: a split layer, one of the processor and one of the GPU.
    void a_list_written_out() {
        test::VramPart part{{96, 96, 96}};
        part.attention_in_vram = {true, false, true};
        part.hot_neurons = {64, 0, 96};
        part.output_in_vram = true;
        ModelSpec spec;
        spec.layers.resize(3);
        for (LayerSpec& layer : spec.layers) {
            layer.n_ff = 96;
        }
        using enum Op;
        const Unit cpu = Unit::Cpu;
        const Unit gpu = Unit::Gpu;
        const std::vector<Step> resident{
            {Embed, cpu, kNoLayer, 0, 0, 0, 1},
            {AttentionIn, gpu, 0, 0, 0, 1, 0},
            {Attend, gpu, 0},
            {AttentionOut, gpu, 0, 0, 0, 0, 1},
            {FeedForward, gpu, 0, 0, 64},
            {FeedForward, cpu, 0, 64, 32, 1, 2},
            {Sum, gpu, 0, 0, 0, 2, 2},
            {AttentionIn, cpu, 1, 0, 0, 2, 0},
            {Attend, cpu, 1},
            {AttentionOut, cpu, 1},
            {FeedForward, cpu, 1, 0, 96},
            {Sum, cpu, 1, 0, 0, 0, 3},
            {AttentionIn, gpu, 2, 0, 0, 3, 0},
            {Attend, gpu, 2},
            {AttentionOut, gpu, 2},
            {FeedForward, gpu, 2, 0, 96},
            {Sum, gpu, 2},
            {Head, gpu, kNoLayer, 0, 0, 0, 3},
        };
        QVERIFY(compile(spec, part, PassKind::Resident) == resident);
        const std::vector<Step> uploaded{
            {Embed, cpu, kNoLayer, 0, 0, 0, 1},
            {AttentionIn, gpu, 0, 0, 0, 1, 0},
            {Attend, gpu, 0},
            {AttentionOut, gpu, 0},
            {FeedForward, gpu, 0, 0, 96},
            {Sum, gpu, 0},
            {AttentionIn, gpu, 1, 0, 0, 0, 1},
            {Attend, cpu, 1, 0, 0, 1, 2},
            {AttentionOut, gpu, 1, 0, 0, 2, 0},
            {FeedForward, gpu, 1, 0, 96},
            {Sum, gpu, 1},
            {AttentionIn, gpu, 2},
            {Attend, gpu, 2},
            {AttentionOut, gpu, 2},
            {FeedForward, gpu, 2, 0, 96},
            {Sum, gpu, 2},
            {Head, gpu, kNoLayer, 0, 0, 0, 2},
        };
        QVERIFY(compile(spec, part, PassKind::Uploaded) == uploaded);
    }
};

QTEST_GUILESS_MAIN(StepsTest)
#include "steps_test.moc"
