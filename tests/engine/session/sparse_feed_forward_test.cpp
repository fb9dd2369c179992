// One token's feed-forward block, neuron by neuron, against the same block computed whole: every
// instruction set, activation and form of the weights.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>

#include "base/aligned_buffer.h"
#include "cpu/neuron_rows_to_tile.h"
#include "cpu/pack_rows.h"
#include "cpu/up_layout.h"
#include "gguf/encoding.h"
#include "gguf/rows.h"
#include "hardware/cpu_features.h"
#include "plan/planner.h"
#include "session/processor.h"
#include "support/gguf_builder.h"
#include "support/loose_cpu_executor.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

namespace {

using hearth::Activation;
using hearth::Cluster;
using hearth::DType;
using hearth::FeedForwardMode;
using hearth::Role;
using hearth::test::Bytes;

constexpr int kEmbd = 160;  // no multiple of kRowGroup
constexpr int kFf = 1408;   // chunks of 128: 11 of them
constexpr int kWidth = 64;

class Nothing : public hearth::LoadMonitor {
    bool loaded(double) override { return true; }
};

// What a block computed, seen from outside.
struct Recorder : hearth::FeedForwardObserver {
    void observed(const hearth::FeedForwardRecord& record) override {
        hidden.assign(record.hidden, record.hidden + kFf);
        normed.assign(record.normed, record.normed + kEmbd);
    }
    std::vector<float> hidden, normed;
};

// Random rows, and the same as the type keeps them.
struct Matrix {
    Matrix(DType matrix_type, int n_rows, int n_cols, unsigned seed, float shift = 0.0F)
        : type(matrix_type), rows(n_rows), cols(n_cols) {
        std::mt19937 random(seed);
        std::normal_distribution<float> normal(shift, 1.0F);
        std::vector<float> values(static_cast<std::size_t>(rows * cols));
        std::generate(values.begin(), values.end(),
                      [&] { return normal(random) / std::sqrt(static_cast<float>(cols)); });
        bytes.resize(hearth::row_bytes(type, values.size()));
        kept.resize(values.size());
        hearth::quantize_row(type, values, bytes.data());
        hearth::dequantize_row(type, bytes.data(), kept);
    }
    double times(int row, const std::vector<float>& x) const {
        double sum = 0;
        for (int c = 0; c < cols; ++c) {
            sum += static_cast<double>(kept[static_cast<std::size_t>(row * cols + c)]) *
                   static_cast<double>(x[static_cast<std::size_t>(c)]);
        }
        return sum;
    }
    DType type;
    int rows, cols;
    Bytes bytes;
    std::vector<float> kept;
};

struct Options {
    Activation activation = Activation::DRelu;
    DType type = DType::Q4_0;
    bool by_neuron = true;  // down is stored by neuron
    float threshold = 0.0F;
    bool predictors = false;
    bool linear = false;  // the predictors: no ReLU between fc1 and fc2
    int n_ff = kFf;
};

// A file of one layer's interest and everything that computes with it.
struct Fixture {
    explicit Fixture(const Options& wanted)
        : options(wanted),
          fc1(DType::Q8_0, kWidth, kEmbd, 21),
          fc2(DType::Q8_0, wanted.n_ff, kWidth, 22, -0.2F),
          gate(wanted.type, wanted.n_ff, kEmbd, 23) {
        hearth::test::TinyModel model({.arch = "bamboo",
                                       .type = options.type,
                                       .n_layer = 1,
                                       .n_embd = kEmbd,
                                       .n_head = 5,
                                       .n_head_kv = 5,
                                       .n_ff = options.n_ff});
        hearth::test::GgufBuilder file = model.file();
        const auto n_ff = static_cast<std::uint64_t>(options.n_ff);
        file.key("hearth.activation", std::string(to_string(options.activation)));
        file.key("hearth.activation.threshold", options.threshold);
        file.without("blk.0.ffn_gate.weight")
            .tensor("blk.0.ffn_gate.weight", {n_ff, kEmbd}, options.type, gate.bytes);
        if (options.by_neuron) {
            const Matrix down(options.type, options.n_ff, kEmbd, 24);
            file.without("blk.0.ffn_down.weight")
                .tensor("blk.0.ffn_down_t.weight", {n_ff, kEmbd}, options.type, down.bytes);
        }
        if (options.predictors) {
            file.key("hearth.predictor.input", "normed")
                .key("hearth.predictor.linear", options.linear)
                .tensor("blk.0.fc1.weight", {kWidth, kEmbd}, fc1.type, fc1.bytes)
                .tensor("blk.0.fc2.weight", {n_ff, kWidth}, fc2.type, fc2.bytes);
        }
        path = dir.file("sparse.gguf");
        written = file.write(path);
        std::mt19937 random(5);
        std::normal_distribution<float> normal;
        x.resize(kEmbd);
        std::generate(x.begin(), x.end(), [&] { return normal(random); });
    }

    Options options;
    Matrix fc1, fc2, gate;
    hearth::test::TempDir dir;
    std::string path;
    bool written = false;
    std::vector<float> x;
};

// Made once for all instruction sets: most of the test's time.
const Fixture& fixture_of(const Options& options) {
    static std::map<QString, std::unique_ptr<Fixture>> made;
    const QString key = QStringLiteral("%1/%2/%3/%4")
                            .arg(static_cast<int>(options.activation))
                            .arg(static_cast<int>(options.type))
                            .arg(options.by_neuron)
                            .arg(static_cast<double>(options.threshold));
    std::unique_ptr<Fixture>& fixture = made[key];
    if (fixture == nullptr) {
        fixture = std::make_unique<Fixture>(options);
    }
    return *fixture;
}

// An executor with the file loaded.
struct Loaded {
    Loaded(const Fixture& fixture, FeedForwardMode mode, const std::string& isa, int threads)
        : pool(threads) {
        file = std::make_unique<hearth::GgufFile>(std::move(*hearth::GgufFile::open(fixture.path)));
        spec = *hearth::read_model_spec(*file);
        tensors = *hearth::bind_tensors(*file, spec);
        if (mode == FeedForwardMode::Predicted) {
            hearth::use_predictors(*file, *hearth::bind_predictors(*file, spec, {}), tensors);
        }
        plan = *hearth::make_plan(spec, {hearth::detect_cpu_features(), {}},
                                  {.ram_bytes = 100'000'000, .threads = threads},
                                  hearth::memory_costs(spec, tensors, mode, threads));
        plan.mode = mode;
        ledger = std::make_unique<hearth::Ledger>(plan.ram);
        executor = hearth::test::loose_cpu_executor(pool, isa);
        Nothing monitor;
        loaded = executor->load({*file, spec, tensors, plan, *ledger}, monitor).has_value() &&
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

}  // namespace

class SparseFeedForwardTest : public QObject {
    Q_OBJECT

private slots:
    void rows_of_variants() {
        QTest::addColumn<QString>("isa");
        QTest::addColumn<QString>("activation");
        QTest::addColumn<int>("type");
        QTest::addColumn<bool>("by_neuron");
        QTest::addColumn<double>("threshold");
        for (const std::string& isa : hearth::runnable_isas(hearth::detect_cpu_features().flags)) {
            for (const DType type :
                 {DType::F32, DType::F16, DType::Q8_0, DType::Q4_0, DType::Q5_0}) {
                for (const bool by_neuron : {true, false}) {
                    for (const auto& [activation, threshold] :
                         {std::pair{"reglu", 0.0}, {"reglu", 0.25}, {"drelu", 0.0}}) {
                        QTest::addRow("%s/%s/%s/%g/%s", isa.c_str(),
                                      hearth::dtype_info(type).name.data(), activation, threshold,
                                      by_neuron ? "by neuron" : "by output")
                            << QString::fromStdString(isa) << activation << static_cast<int>(type)
                            << by_neuron << threshold;
                    }
                }
            }
        }
    }

    void exact_equals_dense_data() { rows_of_variants(); }
    void exact_equals_dense() {
        QFETCH(QString, isa);
        QFETCH(QString, activation);
        QFETCH(int, type);
        QFETCH(bool, by_neuron);
        QFETCH(double, threshold);
        const Fixture& fixture =
            fixture_of({.activation = *hearth::activation_from_name(activation.toStdString()),
                        .type = static_cast<DType>(type),
                        .by_neuron = by_neuron,
                        .threshold = static_cast<float>(threshold)});
        QVERIFY(fixture.written);
        Loaded dense(fixture, FeedForwardMode::Dense, isa.toStdString(), 2);
        Loaded exact(fixture, FeedForwardMode::Exact, isa.toStdString(), 2);
        QVERIFY(dense.loaded && exact.loaded);
        Recorder recorder;
        dense.executor->observe(&recorder);
        const std::vector<float> wanted = dense.run(fixture.x);
        const std::vector<float> got = exact.run(fixture.x);
        // Down by output takes the hidden values in 8 bits in both; by neuron in float in both.
        QVERIFY2(largest_difference(got, wanted) <= 2e-5 * largest(wanted),
                 qPrintable(QString::number(largest_difference(got, wanted))));

        // The mask is brute force's.
        const hearth::LayerActivity activity = exact.executor->activity().value()[0];
        int fired = 0;
        int opened = 0;
        int unsure = 0;  // so close to the threshold that rounding decides
        for (int i = 0; i < kFf; ++i) {
            fired += recorder.hidden[static_cast<std::size_t>(i)] != 0.0F ? 1 : 0;
            const double gate = fixture.gate.times(i, recorder.normed) - threshold;
            opened += gate > 0 ? 1 : 0;
            unsure += std::fabs(gate) < 0.02 ? 1 : 0;
        }
        QCOMPARE(activity.tokens, std::uint64_t{1});
        QCOMPARE(activity.examined, static_cast<std::uint64_t>(kFf));
        QCOMPARE(activity.neurons, static_cast<std::uint64_t>(kFf));
        QCOMPARE(static_cast<int>(activity.fired), fired);
        QVERIFY(std::abs(static_cast<int>(activity.opened) - opened) <= unsure);
        QVERIFY(fired > kFf / 10 && fired < kFf * 6 / 10);
        QVERIFY(activity.opened < activity.neurons);

        // Several tokens: gate and up are computed whole, and each token gets the same. From 16 on
        // rows of down are unpacked first.
        for (const std::size_t n_tokens : {3U, 20U}) {
            std::vector<float> all;
            for (std::size_t t = 0; t < n_tokens; ++t) {
                all.insert(all.end(), fixture.x.begin(), fixture.x.end());
            }
            const std::vector<float> batch = exact.run(all);
            for (std::size_t t = 0; t < n_tokens; ++t) {
                const std::vector<float> row(batch.begin() + static_cast<long>(t * kEmbd),
                                             batch.begin() + static_cast<long>((t + 1) * kEmbd));
                QVERIFY(largest_difference(row, wanted) <= 2e-5 * largest(wanted));
            }
        }
        QCOMPARE(exact.executor->activity().value()[0].tokens,
                 std::uint64_t{1});  // batches do not count
    }

    void either_path_gives_the_same_data() { rows_of_variants(); }
    void either_path_gives_the_same() {
        QFETCH(QString, isa);
        QFETCH(QString, activation);
        QFETCH(int, type);
        QFETCH(bool, by_neuron);
        QFETCH(double, threshold);
        const Fixture& fixture =
            fixture_of({.activation = *hearth::activation_from_name(activation.toStdString()),
                        .type = static_cast<DType>(type),
                        .by_neuron = by_neuron,
                        .threshold = static_cast<float>(threshold)});
        Loaded loaded(fixture, FeedForwardMode::Exact, isa.toStdString(), 2);
        QVERIFY(loaded.loaded);
        hearth::CpuExecutor& executor = *loaded.executor;
        QVERIFY(executor.has_paths(0));
        hearth::SelfProfile exact_fired("", std::vector<int>(1, kFf));
        hearth::SelfProfile dense_fired("", std::vector<int>(1, kFf));
        std::vector<float> batch;
        for (int t = 0; t < 3; ++t) {
            batch.insert(batch.end(), fixture.x.begin(), fixture.x.end());
        }

        executor.count_firing(&exact_fired);
        const std::vector<float> wanted = loaded.run(fixture.x);
        executor.count_token();
        const hearth::LayerActivity exact = executor.activity().value()[0];
        QVERIFY(exact.path == FeedForwardMode::Exact);
        const std::vector<float> wanted_batch = loaded.run(batch);
        const std::uint64_t exact_bytes = executor.decode_weight_bytes();

        executor.set_path(0, FeedForwardMode::Dense);
        QVERIFY(executor.activity().value()[0].path == FeedForwardMode::Dense);
        executor.reset_activity();
        QVERIFY(executor.activity().value()[0].path == FeedForwardMode::Dense);
        executor.count_firing(&dense_fired);
        const std::vector<float> got = loaded.run(fixture.x);
        executor.count_token();
        QVERIFY2(largest_difference(got, wanted) <= 2e-5 * largest(wanted),
                 qPrintable(QString::number(largest_difference(got, wanted))));
        const hearth::LayerActivity dense = executor.activity().value()[0];
        QCOMPARE(dense.tokens, std::uint64_t{1});
        QCOMPARE(dense.neurons, exact.neurons);
        QCOMPARE(dense.examined, exact.examined);
        QCOMPARE(dense.opened, exact.opened);
        QCOMPARE(dense.fired, exact.fired);
        QVERIFY(exact_fired.fired(0)[0] <= 1);
        QVERIFY(std::ranges::equal(dense_fired.fired(0), exact_fired.fired(0)));
        // All of up is read, as the file has it, in place of padded rows.
        const DType kept = static_cast<DType>(type);
        const std::uint64_t row = hearth::row_bytes(kept, kEmbd);
        const std::uint64_t padded = hearth::neuron_row_bytes(kept, 256);
        QCOMPARE(executor.decode_weight_bytes(),
                 exact_bytes - exact.opened * padded + exact.neurons * row);
        // A batch computes everything whatever the path.
        QVERIFY(loaded.run(batch) == wanted_batch);

        // And back: bit by bit what it was.
        executor.set_path(0, FeedForwardMode::Exact);
        QVERIFY(executor.activity().value()[0].path == FeedForwardMode::Exact);
        QVERIFY(loaded.run(fixture.x) == wanted);
        QVERIFY(loaded.run(batch) == wanted_batch);
    }

    // The last word of a layer's bits is not full where its neurons are no multiple of 32; what
    // fired in it for one token did not fire for the next.
    void firing_is_counted_for_each_token_alone() {
        const Fixture fixture({.type = DType::F32, .n_ff = 159});
        QVERIFY(fixture.written);
        Loaded loaded(fixture, FeedForwardMode::Exact, {}, 2);
        QVERIFY(loaded.loaded);
        std::vector<float> other = fixture.x;
        std::transform(other.begin(), other.end(), other.begin(), std::negate<>());
        for (const FeedForwardMode path : {FeedForwardMode::Exact, FeedForwardMode::Dense}) {
            loaded.executor->set_path(0, path);
            const auto count = [&](std::initializer_list<const std::vector<float>*> tokens) {
                hearth::SelfProfile fired("", {159});
                loaded.executor->count_firing(&fired);
                for (const std::vector<float>* token : tokens) {
                    loaded.run(*token, {{0, 0, 159}});
                    loaded.executor->count_token();
                }
                const auto counts = fired.fired(0);
                loaded.executor->count_firing(nullptr);
                return std::vector<std::uint32_t>(counts.begin(), counts.end());
            };
            std::vector<std::uint32_t> wanted = count({&fixture.x});
            QVERIFY(std::count(wanted.begin() + 128, wanted.end(), 1U) > 0);
            const std::vector<std::uint32_t> more = count({&other});
            std::transform(wanted.begin(), wanted.end(), more.begin(), wanted.begin(),
                           std::plus<>());
            QVERIFY(count({&fixture.x, &other}) == wanted);
        }
        loaded.executor->count_firing(nullptr);
    }

    void only_the_exact_mode_has_two_paths() {
        const Fixture fixture({.predictors = true});
        QVERIFY(!Loaded(fixture, FeedForwardMode::Dense, {}, 1).executor->has_paths(0));
        QVERIFY(!Loaded(fixture, FeedForwardMode::Predicted, {}, 1).executor->has_paths(0));
    }

    void paths_are_measured_where_there_are_two() {
        const Fixture fixture({});
        Loaded exact(fixture, FeedForwardMode::Exact, {}, 2);
        const std::vector<float> before = exact.run(fixture.x);
        const hearth::PathSpeeds speeds = exact.executor->measure_paths();
        QVERIFY(speeds.measured());
        for (const double time : speeds.exact) {
            QVERIFY(time > 0);
        }
        QVERIFY(exact.run(fixture.x) == before);
        Loaded dense(fixture, FeedForwardMode::Dense, {}, 2);
        QVERIFY(!dense.executor->measure_paths().measured());
    }

    // Rows of 1024 columns are as long as a tile's, others are padded: then groups move one by one.
    void up_changes_its_form_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("n_embd");
        QTest::addColumn<int>("n_neurons");
        QTest::addColumn<int>("threads");
        for (const hearth::Encoding& encoding : hearth::encodings()) {
            if (!encoding.has(hearth::Layout::NeuronRow)) {
                continue;
            }
            const DType type = encoding.type;
            const int block = encoding.block_values;
            for (const int n_embd : {(160 + block - 1) / block * block, 1024}) {
                for (const int n_neurons : {16, 96, 75}) {
                    QTest::addRow("%s/%d/%d", hearth::dtype_info(type).name.data(), n_embd,
                                  n_neurons)
                        << static_cast<int>(type) << n_embd << n_neurons << 3;
                }
            }
        }
    }
    void up_changes_its_form() {
        QFETCH(int, type);
        QFETCH(int, n_embd);
        QFETCH(int, n_neurons);
        QFETCH(int, threads);
        const auto kept = static_cast<DType>(type);
        const Matrix up(kept, n_neurons, n_embd, 31);
        const std::size_t file_row = hearth::row_bytes(kept, static_cast<std::uint64_t>(n_embd));
        const std::size_t row = hearth::neuron_row_bytes(kept, n_embd);
        const auto tiles_bytes = static_cast<std::size_t>(hearth::packed_bytes(
            kept, static_cast<std::uint64_t>(n_neurons), static_cast<std::uint64_t>(n_embd)));
        const std::size_t rows_bytes = row * static_cast<std::size_t>(n_neurons);
        auto place = *hearth::AlignedBuffer::create(std::max(tiles_bytes, rows_bytes), "up");
        Bytes in_rows(rows_bytes);
        for (int i = 0; i < n_neurons; ++i) {
            const auto at = static_cast<std::size_t>(i);
            hearth::to_neuron_row(kept, up.bytes.data() + at * file_row, n_embd,
                                  in_rows.data() + at * row);
        }
        // What lies in tiles, as the file has it; the last tile's missing rows hold anything.
        const auto in_tiles = [&] {
            Bytes rows(up.bytes.size());
            for (int i = 0; i < n_neurons; i += hearth::kernels::kTileRows) {
                const std::size_t at = static_cast<std::size_t>(i) * file_row;
                hearth::unpack_tile(kept, place.data() + at,
                                    std::min(hearth::kernels::kTileRows, n_neurons - i), n_embd,
                                    rows.data() + at);
            }
            return rows == up.bytes;
        };
        std::copy(in_rows.begin(), in_rows.end(), place.data());
        hearth::CpuLayer layer;
        layer.n_neurons = n_neurons;
        layer.two_layouts = true;
        layer.up_place = place.data();
        layer.rows[Role::Up] = {kept, place.data(), row};
        hearth::ThreadPool pool(threads);
        const std::size_t room = sizeof(float) * 16 * static_cast<std::size_t>(n_embd);
        std::vector<std::byte> scratch(room * static_cast<std::size_t>(threads));

        hearth::lay_up_in_tiles(layer, n_embd, pool, scratch.data(), room);
        QVERIFY(!layer.rows[Role::Up].present() && layer.tiles[Role::Up].data == place.data());
        QVERIFY(layer.tiles[Role::Up].type == kept && layer.tiles[Role::Up].rows == n_neurons &&
                layer.tiles[Role::Up].cols == n_embd);
        QVERIFY(in_tiles());
        hearth::lay_up_in_tiles(layer, n_embd, pool, scratch.data(), room);
        QVERIFY(in_tiles());

        hearth::lay_up_in_rows(layer, n_embd, pool, scratch.data(), room);
        QVERIFY(!layer.tiles[Role::Up].present() && layer.rows[Role::Up].data == place.data());
        QVERIFY(layer.rows[Role::Up].type == kept && layer.rows[Role::Up].bytes == row);
        QVERIFY(std::equal(in_rows.begin(), in_rows.end(), place.data()));
        hearth::lay_up_in_rows(layer, n_embd, pool, scratch.data(), room);
        QVERIFY(std::equal(in_rows.begin(), in_rows.end(), place.data()));
    }

    void any_number_of_threads_gives_the_same_bytes() {
        const Fixture fixture({.predictors = true});
        for (const FeedForwardMode mode : {FeedForwardMode::Exact, FeedForwardMode::Predicted}) {
            Loaded one(fixture, mode, {}, 1);
            Loaded two(fixture, mode, {}, 2);
            Loaded five(fixture, mode, {}, 5);
            const std::vector<float> y = one.run(fixture.x);
            QVERIFY(y == two.run(fixture.x));
            QVERIFY(y == five.run(fixture.x));
            QVERIFY(y == five.run(fixture.x));
        }
        Loaded one(fixture, FeedForwardMode::Exact, {}, 1);
        Loaded five(fixture, FeedForwardMode::Exact, {}, 5);
        one.executor->set_path(0, FeedForwardMode::Dense);
        five.executor->set_path(0, FeedForwardMode::Dense);
        const std::vector<float> y = one.run(fixture.x);
        QVERIFY(y == five.run(fixture.x));
        QVERIFY(y == five.run(fixture.x));
    }

    void clusters_add_up() {
        for (const bool by_neuron : {true, false}) {
            const Fixture fixture({.type = DType::F16, .by_neuron = by_neuron});
            Loaded exact(fixture, FeedForwardMode::Exact, {}, 2);
            const std::vector<float> whole = exact.run(fixture.x);
            std::vector<float> sum = exact.run(fixture.x, {{0, 0, 96}, {0, 160, 448}});
            const std::vector<float> rest = exact.run(fixture.x, {{0, 96, 64}, {0, 608, 800}});
            std::transform(sum.begin(), sum.end(), rest.begin(), sum.begin(), std::plus<>());
            QVERIFY(largest_difference(sum, whole) <= 1e-5 * largest(whole));
            QVERIFY(largest(rest) > 1e-3);
            QCOMPARE(largest(exact.run(fixture.x, {})), 0.0);
            exact.executor->set_path(0, FeedForwardMode::Dense);
            const std::vector<float> part = exact.run(fixture.x, {{0, 96, 64}, {0, 608, 800}});
            QVERIFY(largest_difference(part, rest) <= 1e-5 * largest(whole));
        }
    }

    void predicted_computes_what_the_predictor_names_data() {
        QTest::addColumn<QString>("isa");
        QTest::addColumn<bool>("by_neuron");
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("threshold");  // of the gate
        QTest::addColumn<bool>("linear");
        for (const std::string& isa : hearth::runnable_isas(hearth::detect_cpu_features().flags)) {
            const auto row = [&](const char* name, bool by_neuron, DType type = DType::Q4_0,
                                 double threshold = 0, bool linear = false) {
                QTest::addRow("%s/%s", isa.c_str(), name)
                    << QString::fromStdString(isa) << by_neuron << static_cast<int>(type)
                    << threshold << linear;
            };
            row("by neuron", true);
            row("by output", false);
            // The predictor alone takes the input in 8 bits.
            row("float weights", true, DType::F16);
            row("gates above a threshold", true, DType::Q4_0, 0.25);
            row("linear", true, DType::Q4_0, 0, true);
            row("linear, float weights, a threshold", false, DType::F32, 0.25, true);
        }
    }
    void predicted_computes_what_the_predictor_names() {
        QFETCH(QString, isa);
        QFETCH(bool, by_neuron);
        QFETCH(int, type);
        QFETCH(double, threshold);
        QFETCH(bool, linear);
        const Fixture fixture(
            {.activation = threshold == 0 ? Activation::DRelu : Activation::ReluGated,
             .type = static_cast<DType>(type),
             .by_neuron = by_neuron,
             .threshold = static_cast<float>(threshold),
             .predictors = true,
             .linear = linear});
        QVERIFY(fixture.written);
        Loaded predicted(fixture, FeedForwardMode::Predicted, isa.toStdString(), 2);
        QVERIFY(predicted.loaded);
        const std::vector<float> y = predicted.run(fixture.x);
        const hearth::LayerActivity activity = predicted.executor->activity().value()[0];
        QVERIFY(activity.path == FeedForwardMode::Predicted);

        // The scores once more, in double precision, from the normed input.
        Loaded dense(fixture, FeedForwardMode::Dense, isa.toStdString(), 2);
        Recorder recorder;
        dense.executor->observe(&recorder);
        dense.run(fixture.x);
        std::vector<float> hidden;
        for (int i = 0; i < kWidth; ++i) {
            const double value = fixture.fc1.times(i, recorder.normed);
            hidden.push_back(static_cast<float>(linear ? value : std::max(0.0, value)));
        }
        int named = 0;
        int unsure = 0;
        int opened = 0;
        int fired = 0;
        for (int i = 0; i < kFf; ++i) {
            const double score = fixture.fc2.times(i, hidden);
            const double gate = fixture.gate.times(i, recorder.normed) - threshold;
            named += score >= 0 ? 1 : 0;
            unsure += std::fabs(score) < 0.02 || std::fabs(gate) < 0.005 ? 1 : 0;
            opened += score >= 0 && gate > 0 ? 1 : 0;
            fired += score >= 0 && recorder.hidden[static_cast<std::size_t>(i)] != 0.0F ? 1 : 0;
        }
        QVERIFY(std::abs(static_cast<int>(activity.opened) - opened) <= unsure);
        QVERIFY(std::abs(static_cast<int>(activity.examined) - named) <= unsure);
        QVERIFY(std::abs(static_cast<int>(activity.fired) - fired) <= unsure);
        QVERIFY(activity.examined < activity.neurons * 8 / 10);
        QVERIFY(activity.fired <= activity.opened && activity.opened < activity.examined);
        QVERIFY(unsure < kFf / 10);
        QVERIFY(largest(y) > 1e-3);

        // A predictor that names all gives the exact result.
        Loaded exact(fixture, FeedForwardMode::Exact, isa.toStdString(), 2);
        Loaded every(fixture, FeedForwardMode::Predicted, isa.toStdString(), 2);
        for (hearth::LayerTensors& layer : every.tensors.layers) {
            layer.predictor_threshold = -1e9F;
        }
        hearth::Ledger ledger(every.plan.ram);
        Nothing monitor;
        every.executor = hearth::test::loose_cpu_executor(every.pool, isa.toStdString());
        QVERIFY(every.executor->load({*every.file, every.spec, every.tensors, every.plan, ledger},
                                     monitor));
        const std::vector<float> wanted = exact.run(fixture.x);
        QVERIFY(largest_difference(every.run(fixture.x), wanted) <= 2e-5 * largest(wanted));
        QCOMPARE(every.executor->activity().value()[0].examined, static_cast<std::uint64_t>(kFf));
    }

    // A score equal to the threshold counts as active.
    void a_score_at_the_threshold_names_its_neuron() {
        const Fixture fixture({.predictors = true});
        Loaded predicted(fixture, FeedForwardMode::Predicted, {}, 2);
        QVERIFY(predicted.loaded);
        const float threshold = predicted.tensors.layers[0].predictor_threshold;
        std::vector<float> scores(kFf, std::nextafter(threshold, -1e9F));
        for (std::size_t i = 0; i < scores.size(); i += 3) {
            scores[i] = threshold;
        }
        const std::vector<Cluster> all{{0, 0, kFf}};
        std::vector<float> y(fixture.x.size());
        QVERIFY(predicted.executor->feed_forward(
            {0, fixture.x.data(), y.data(), 1, all, scores.data()}));
        QCOMPARE(predicted.executor->activity().value()[0].examined,
                 static_cast<std::uint64_t>((kFf + 2) / 3));
    }

    void bytes_follow_what_fired() {
        const Fixture fixture({});
        Loaded dense(fixture, FeedForwardMode::Dense, {}, 2);
        Loaded exact(fixture, FeedForwardMode::Exact, {}, 2);
        const std::uint64_t before = exact.executor->decode_weight_bytes();
        exact.run(fixture.x);
        const hearth::LayerActivity activity = exact.executor->activity().value()[0];
        // A row of 160 columns is two groups: 128 bytes of nibbles and 16 of scales.
        const std::uint64_t saved = (2 * activity.neurons - activity.opened - activity.fired) * 144;
        QCOMPARE(before - exact.executor->decode_weight_bytes(), saved);
        exact.executor->reset_activity();
        QCOMPARE(exact.executor->decode_weight_bytes(), before);
        dense.run(fixture.x);
        QCOMPARE(dense.executor->activity().value()[0].tokens, std::uint64_t{0});
    }
};

QTEST_GUILESS_MAIN(SparseFeedForwardTest)
#include "sparse_feed_forward_test.moc"
