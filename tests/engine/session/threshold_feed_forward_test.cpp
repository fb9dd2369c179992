// One token's feed-forward block from the inputs above thresholds, against masks and products made
// by brute force: every instruction set and type that thresholds work on.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>

#include "gguf/rows.h"
#include "hardware/cpu_features.h"
#include "plan/planner.h"
#include "session/processor.h"
#include "support/damaged_file.h"
#include "support/gguf_builder.h"
#include "support/loose_cpu_executor.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

namespace {

using hearth::Cluster;
using hearth::DType;
using hearth::FeedForwardMode;

constexpr int kEmbd = 160;  // no multiple of kColumnGroup
constexpr int kFf = 1408;

class Nothing : public hearth::LoadMonitor {
    bool loaded(double) override { return true; }
};

struct Recorder : hearth::FeedForwardObserver {
    void observed(const hearth::FeedForwardRecord& record) override {
        hidden.assign(record.hidden, record.hidden + kFf);
        normed.assign(record.normed, record.normed + kEmbd);
    }
    std::vector<float> hidden, normed;
};

// Random rows, and the same as the type keeps them.
struct Matrix {
    Matrix(DType type, int n_rows, int n_cols, unsigned seed) : rows(n_rows), cols(n_cols) {
        std::mt19937 random(seed);
        std::normal_distribution<float> normal;
        std::vector<float> values(static_cast<std::size_t>(rows * cols));
        std::generate(values.begin(), values.end(),
                      [&] { return normal(random) / std::sqrt(static_cast<float>(cols)); });
        bytes.resize(hearth::row_bytes(type, values.size()));
        kept.resize(values.size());
        hearth::quantize_row(type, values, bytes.data());
        hearth::dequantize_row(type, bytes.data(), kept);
    }
    std::vector<double> times(const std::vector<double>& x) const {
        std::vector<double> y;
        for (int r = 0; r < rows; ++r) {
            double sum = 0;
            for (int c = 0; c < cols; ++c) {
                sum += static_cast<double>(kept[static_cast<std::size_t>(r * cols + c)]) *
                       x[static_cast<std::size_t>(c)];
            }
            y.push_back(sum);
        }
        return y;
    }
    int rows, cols;
    hearth::test::Bytes bytes;
    std::vector<float> kept;
};

struct Fixture {
    explicit Fixture(DType type, std::vector<float> norm = {})
        : gate(type, kFf, kEmbd, 23), up(type, kFf, kEmbd, 24), down(type, kEmbd, kFf, 25) {
        hearth::test::GgufBuilder file = hearth::test::TinyModel({.arch = "llama",
                                                                  .type = type,
                                                                  .n_layer = 1,
                                                                  .n_embd = kEmbd,
                                                                  .n_head = 5,
                                                                  .n_head_kv = 5,
                                                                  .n_ff = kFf})
                                             .file();
        for (const auto& [name, matrix] :
             {std::pair{"gate", &gate}, std::pair{"up", &up}, std::pair{"down", &down}}) {
            const std::string tensor = std::string("blk.0.ffn_") + name + ".weight";
            file.without(tensor).tensor(tensor,
                                        {static_cast<std::uint64_t>(matrix->rows),
                                         static_cast<std::uint64_t>(matrix->cols)},
                                        type, matrix->bytes);
        }
        if (!norm.empty()) {
            file.without("blk.0.ffn_norm.weight")
                .tensor_f32("blk.0.ffn_norm.weight", {kEmbd}, std::move(norm));
        }
        path = dir.file("silu.gguf");
        written = file.write(path);
        std::mt19937 random(5);
        std::normal_distribution<float> normal;
        x.resize(kEmbd);
        std::generate(x.begin(), x.end(), [&] { return normal(random); });
    }

    Matrix gate, up, down;
    hearth::test::TempDir dir;
    std::string path;
    bool written = false;
    std::vector<float> x;
};

// Made once for all instruction sets: most of the test's time.
const Fixture& fixture_of(DType type) {
    static std::map<DType, std::unique_ptr<Fixture>> made;
    std::unique_ptr<Fixture>& fixture = made[type];
    if (fixture == nullptr) {
        fixture = std::make_unique<Fixture>(type);
    }
    return *fixture;
}

// An executor with the file loaded.
struct Loaded {
    Loaded(const Fixture& fixture, FeedForwardMode mode, const std::string& isa, int threads,
           float input_threshold = 0, float hidden_threshold = 0)
        : pool(threads) {
        file = std::make_unique<hearth::GgufFile>(std::move(*hearth::GgufFile::open(fixture.path)));
        spec = *hearth::read_model_spec(*file);
        tensors = *hearth::bind_tensors(*file, spec);
        tensors.layers[0].input_threshold = input_threshold;
        tensors.layers[0].hidden_threshold = hidden_threshold;
        plan = *hearth::make_plan(spec, {hearth::detect_cpu_features(), {}},
                                  {.ram_bytes = 100'000'000, .threads = threads},
                                  hearth::memory_costs(spec, tensors, mode, threads));
        plan.mode = mode;
        ledger = std::make_unique<hearth::Ledger>(plan.ram);
        executor = hearth::test::loose_cpu_executor(pool, isa);
        Nothing monitor;
        loaded = hearth::check_thresholds(spec, tensors).has_value() &&
                 executor->load({*file, spec, tensors, plan, *ledger}, monitor).has_value() &&
                 ledger->actual().weights == plan.ram.weights;
    }
    std::vector<float> run(const std::vector<float>& x, const std::vector<Cluster>& clusters) {
        std::vector<float> y(x.size(), -1.0F);
        const auto done = executor->feed_forward(
            {0, x.data(), y.data(), static_cast<int>(x.size()) / kEmbd, clusters});
        return done ? y : std::vector<float>{};
    }
    std::vector<float> run(const std::vector<float>& x) { return run(x, {{0, 0, kFf}}); }

    std::unique_ptr<hearth::GgufFile> file;
    hearth::ModelSpec spec;
    hearth::ModelTensors tensors;
    hearth::Plan plan;
    std::unique_ptr<hearth::Ledger> ledger;
    hearth::ThreadPool pool;
    std::unique_ptr<hearth::CpuExecutor> executor;
    bool loaded = false;
};

double largest(const std::vector<float>& values) {
    double most = 0;
    for (const float value : values) {
        most = std::max(most, std::isfinite(value) ? std::fabs(static_cast<double>(value)) : 1e9);
    }
    return most;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
    std::vector<float> difference(a.size());
    std::transform(a.begin(), a.end(), b.begin(), difference.begin(), std::minus<>());
    return a.size() == b.size() ? largest(difference) : 1e9;
}

// As the kernels see activations: blocks of 32 in 8 bits.
std::vector<double> in_8_bits(const std::vector<double>& x) {
    std::vector<double> out;
    for (std::size_t b = 0; b < x.size(); b += 32) {
        double most = 0;
        for (std::size_t i = b; i < b + 32; ++i) {
            most = std::max(most, std::fabs(x[i]));
        }
        for (std::size_t i = b; i < b + 32; ++i) {
            out.push_back(most > 0 ? std::nearbyint(x[i] * 127 / most) * most / 127 : 0);
        }
    }
    return out;
}

// A size in the widest gap near the middle, so that rounding decides for none.
double middle_gap(std::vector<double> sizes) {
    std::sort(sizes.begin(), sizes.end());
    double threshold = 0;
    double widest = 0;
    for (std::size_t i = sizes.size() * 45 / 100; i < sizes.size() * 55 / 100; ++i) {
        if (sizes[i + 1] - sizes[i] > widest) {
            widest = sizes[i + 1] - sizes[i];
            threshold = (sizes[i + 1] + sizes[i]) / 2;
        }
    }
    return threshold;
}

std::vector<double> sizes_of(const std::vector<double>& x) {
    std::vector<double> sizes(x.size());
    std::transform(x.begin(), x.end(), sizes.begin(), [](double v) { return std::fabs(v); });
    return sizes;
}

// x rounded to 8 bits, without what lies below the threshold; counts what stays and is not 0.
std::vector<double> masked(const std::vector<double>& x, double threshold, std::uint64_t& kept) {
    std::vector<double> out = in_8_bits(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
        out[i] = std::fabs(x[i]) < threshold ? 0 : out[i];
        kept += out[i] != 0 ? 1 : 0;
    }
    return out;
}

}  // namespace

class ThresholdFeedForwardTest : public QObject {
    Q_OBJECT

private:
    static void add_rows() {
        QTest::addColumn<QString>("isa");
        QTest::addColumn<int>("type");
        for (const std::string& isa : hearth::runnable_isas(hearth::detect_cpu_features().flags)) {
            for (const DType type : {DType::Q4_0, DType::Q5_0, DType::Q8_0}) {
                QTest::addRow("%s/%s", isa.c_str(), hearth::dtype_info(type).name.data())
                    << QString::fromStdString(isa) << static_cast<int>(type);
            }
        }
    }

private slots:
    void without_thresholds_equals_dense_data() { add_rows(); }
    void without_thresholds_equals_dense() {
        QFETCH(QString, isa);
        QFETCH(int, type);
        const Fixture& fixture = fixture_of(static_cast<DType>(type));
        QVERIFY(fixture.written);
        Loaded dense(fixture, FeedForwardMode::Dense, isa.toStdString(), 2);
        Loaded all(fixture, FeedForwardMode::Thresholded, isa.toStdString(), 2);
        QVERIFY(dense.loaded && all.loaded);
        const std::vector<float> wanted = dense.run(fixture.x);
        QVERIFY2(largest_difference(all.run(fixture.x), wanted) <= 1e-5 * largest(wanted),
                 qPrintable(QString::number(largest_difference(all.run(fixture.x), wanted))));
        // Several tokens are the same products of the same tiles.
        Loaded strict(fixture, FeedForwardMode::Thresholded, isa.toStdString(), 2, 1e9F, 1e9F);
        for (const std::size_t n_tokens : {3U, 20U}) {
            std::vector<float> tokens;
            for (std::size_t t = 0; t < n_tokens; ++t) {
                tokens.insert(tokens.end(), fixture.x.begin(), fixture.x.end());
            }
            QVERIFY(strict.run(tokens) == dense.run(tokens));
        }
        QCOMPARE(largest(strict.run(fixture.x)), 0.0);
    }

    void leaves_out_what_the_masks_say_data() { add_rows(); }
    void leaves_out_what_the_masks_say() {
        QFETCH(QString, isa);
        QFETCH(int, type);
        const Fixture& fixture = fixture_of(static_cast<DType>(type));
        Loaded dense(fixture, FeedForwardMode::Dense, isa.toStdString(), 1);
        Recorder recorder;
        dense.executor->observe(&recorder);
        const std::vector<float> whole = dense.run(fixture.x);

        const std::vector<double> x(recorder.normed.begin(), recorder.normed.end());
        const double input_threshold = middle_gap(sizes_of(x));
        std::uint64_t inputs = 0;
        const std::vector<double> kept_x = masked(x, input_threshold, inputs);
        const std::vector<double> gate = fixture.gate.times(kept_x);
        const std::vector<double> up = fixture.up.times(kept_x);
        std::vector<double> hidden(gate.size());
        std::transform(gate.begin(), gate.end(), up.begin(), hidden.begin(),
                       [](double g, double u) { return g / (1 + std::exp(-g)) * u; });
        const double hidden_threshold = middle_gap(sizes_of(hidden));
        std::uint64_t fired = 0;
        const std::vector<double> wanted =
            fixture.down.times(masked(hidden, hidden_threshold, fired));

        Loaded thresholded(fixture, FeedForwardMode::Thresholded, isa.toStdString(), 2,
                           static_cast<float>(input_threshold),
                           static_cast<float>(hidden_threshold));
        QVERIFY(thresholded.loaded);
        const std::vector<float> got = thresholded.run(fixture.x);
        std::vector<float> oracle(wanted.begin(), wanted.end());
        // A hidden value may round to the next of its 127 steps.
        QVERIFY2(largest_difference(got, oracle) <= 2e-3 * largest(oracle),
                 qPrintable(QString::number(largest_difference(got, oracle) / largest(oracle))));
        QVERIFY(largest_difference(whole, oracle) > 0.05 * largest(oracle));

        const hearth::LayerActivity activity = thresholded.executor->activity().value()[0];
        QVERIFY(activity.path == FeedForwardMode::Thresholded);
        QCOMPARE(activity.tokens, std::uint64_t{1});
        QCOMPARE(activity.inputs, static_cast<std::uint64_t>(kEmbd));
        QCOMPARE(activity.inputs_kept, inputs);
        QCOMPARE(activity.neurons, static_cast<std::uint64_t>(kFf));
        QVERIFY(activity.fired + 3 >= fired && activity.fired <= fired + 3);
        QVERIFY(inputs > kEmbd * 2 / 5 && inputs < kEmbd * 3 / 5);
    }

    // Left out is what lies below a threshold, not at it.
    void an_input_at_the_threshold_is_kept() {
        const Fixture& fixture = fixture_of(DType::Q8_0);
        Loaded dense(fixture, FeedForwardMode::Dense, {}, 1);
        Recorder recorder;
        dense.executor->observe(&recorder);
        dense.run(fixture.x);
        std::vector<float> sizes;
        for (const float value : recorder.normed) {
            sizes.push_back(std::fabs(value));
        }
        std::sort(sizes.begin(), sizes.end());
        const std::size_t at = sizes.size() / 2;
        Loaded some(fixture, FeedForwardMode::Thresholded, {}, 1, sizes[at]);
        QVERIFY(some.loaded);
        some.run(fixture.x);
        QCOMPARE(some.executor->activity().value()[0].inputs_kept,
                 static_cast<std::uint64_t>(sizes.size() - at));
    }

    void higher_thresholds_leave_less() {
        const Fixture& fixture = fixture_of(DType::Q8_0);
        Loaded dense(fixture, FeedForwardMode::Dense, {}, 2);
        const std::vector<float> wanted = dense.run(fixture.x);
        double error = 0;
        std::uint64_t bytes = dense.executor->decode_weight_bytes() * 2;
        for (const float threshold : {0.0F, 0.3F, 0.7F, 1.5F}) {
            Loaded some(fixture, FeedForwardMode::Thresholded, {}, 2, threshold, threshold / 4);
            double squares = 0;
            const std::vector<float> got = some.run(fixture.x);
            for (std::size_t i = 0; i < got.size(); ++i) {
                squares += std::pow(static_cast<double>(got[i] - wanted[i]), 2);
            }
            QVERIFY(squares > error || threshold == 0.0F);
            QVERIFY(some.executor->decode_weight_bytes() < bytes);
            error = squares;
            bytes = some.executor->decode_weight_bytes();
        }
    }

    void any_number_of_threads_gives_the_same_bytes() {
        const Fixture& fixture = fixture_of(DType::Q4_0);
        Loaded one(fixture, FeedForwardMode::Thresholded, {}, 1, 0.5F, 0.05F);
        Loaded two(fixture, FeedForwardMode::Thresholded, {}, 2, 0.5F, 0.05F);
        Loaded five(fixture, FeedForwardMode::Thresholded, {}, 5, 0.5F, 0.05F);
        const std::vector<float> y = one.run(fixture.x);
        QVERIFY(y == two.run(fixture.x));
        QVERIFY(y == five.run(fixture.x));
        QVERIFY(y == five.run(fixture.x));
    }

    void clusters_add_up() {
        const Fixture& fixture = fixture_of(DType::Q8_0);
        Loaded some(fixture, FeedForwardMode::Thresholded, {}, 2, 0.4F, 0.02F);
        const std::vector<float> whole = some.run(fixture.x);
        std::vector<float> sum = some.run(fixture.x, {{0, 0, 96}, {0, 160, 448}});
        const std::vector<float> rest = some.run(fixture.x, {{0, 96, 64}, {0, 608, 800}});
        std::transform(sum.begin(), sum.end(), rest.begin(), sum.begin(), std::plus<>());
        QVERIFY(largest_difference(sum, whole) <= 1e-5 * largest(whole));
        QVERIFY(largest(rest) > 1e-3);
        QCOMPARE(largest(some.run(fixture.x, {})), 0.0);
    }

    // Not below any threshold, and 0 in 8 bits: the block's scale must tell.
    void damage_shows() {
        std::vector<float> norm(kEmbd, 1.0F);
        norm[17] = std::numeric_limits<float>::max();  // times an input above 1 it is no number
        const Fixture fixture(DType::Q4_0, norm);
        Loaded some(fixture, FeedForwardMode::Thresholded, {}, 1, 0.5F, 0.05F);
        QVERIFY(some.loaded);
        std::vector<float> x = fixture.x;
        x[17] = 1000;
        QVERIFY(largest(some.run(x)) >= 1e9);
    }

    // The scale of one block is enough, here of the last.
    void weights_that_are_no_numbers() {
        for (const char* tensor :
             {"blk.0.ffn_gate.weight", "blk.0.ffn_up.weight", "blk.0.ffn_down.weight"}) {
            const Fixture fixture(DType::Q4_0);
            QVERIFY(Loaded(fixture, FeedForwardMode::Thresholded, {}, 2).loaded);
            const std::uint64_t last = fixture.up.bytes.size() - hearth::row_bytes(DType::Q4_0, 32);
            QVERIFY(hearth::test::overwrite_tensor(fixture.path, tensor, last,
                                                   hearth::test::kHalfNanBits, 2));
            QVERIFY(!Loaded(fixture, FeedForwardMode::Thresholded, {}, 2).loaded);
        }
    }
};

QTEST_GUILESS_MAIN(ThresholdFeedForwardTest)
#include "threshold_feed_forward_test.moc"
