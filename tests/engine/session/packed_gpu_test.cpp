// A packed model on a GPU beside the file that it was made from: the same logits, bit for bit, by
// the same dispatches, with all of it in VRAM and with a part.
#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QtTest>
#include <algorithm>
#include <map>

#include "gguf/reader.h"
#include "model/model_hash.h"
#include "model/packed_layout.h"
#include "plan/self_profile.h"
#include "session/loaded_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"
#include "support/vram_part.h"

using hearth::DType;
using hearth::test::TinyModel;

namespace {

constexpr int kLayers = 3;
constexpr int kFf = 4096;  // so much that neurons on the GPU are worth a round trip
constexpr int kPrompt = 21;
constexpr int kAlone = 4;

// Of a machine whose GPU is worth using: what is planned does not depend on how busy this one is.
constexpr hearth::MachineSpeeds kSpeeds{.ram_read_gb_per_s = 20,
                                        .cpu_gflop_per_s = 100,
                                        .gpu_read_gb_per_s = 100,
                                        .to_gpu_gb_per_s = 10,
                                        .from_gpu_gb_per_s = 10,
                                        .round_trip_us = 10,
                                        .gpu_gflop_per_s = 2000};

struct Seen {
    std::vector<float> logits;  // of each position, first as a batch, then one token at a time
    std::vector<hearth::TraceEntry> dispatches;
};

std::vector<std::int32_t> sample_tokens(int count) {
    std::vector<std::int32_t> tokens;
    for (int i = 0; i < count; ++i) {
        tokens.push_back(3 + (i * 37 + 11) % 256);
    }
    return tokens;
}

// Empty logits: it failed.
Seen run(hearth::Engine& engine) {
    const std::vector<std::int32_t> tokens = sample_tokens(kPrompt + kAlone);
    const auto batch = std::span(tokens).first(kPrompt);
    Seen seen;
    const auto keep = [&](std::size_t, std::span<const float> row) {
        seen.logits.insert(seen.logits.end(), row.begin(), row.end());
    };
    hearth::Session& session = *engine.impl().session;
    engine.set_tracing(true);
    session.clear();
    if (!session.score(batch, hearth::Decoder::Want::All, keep, {})) {
        return {};
    }
    session.clear();
    for (const std::int32_t token : tokens) {
        if (!session.decode_one(token, {})) {
            return {};
        }
        const auto last = session.last_logits({});
        if (!last) {
            return {};
        }
        keep(0, *last);
    }
    seen.dispatches = engine.trace();  // the longest first
    std::sort(seen.dispatches.begin(), seen.dispatches.end(),
              [](const auto& a, const auto& b) { return a.label < b.label; });
    return seen;
}

}  // namespace

class PackedGpuTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const auto with_gpu = load(write({.n_embd = 64}, "any.gguf"), "dense");
        if (with_gpu == nullptr) {
            QVERIFY(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"));
            QSKIP("there is no GPU, nor lavapipe");
        }
    }

    void as_the_source_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<QString>("mode");
        QTest::addColumn<unsigned>("format");
        QTest::addColumn<int>("percent");  // of VRAM that the whole model takes
        for (const int percent : {100, 60, 40, 20}) {
            const auto add = [&](DType type, const char* mode, unsigned format) {
                QTest::addRow("%s, %s, format %u, %d %%", hearth::dtype_info(type).name.data(),
                              mode, format, percent)
                    << static_cast<int>(type) << QString::fromLatin1(mode) << format << percent;
            };
            add(DType::Q4_0, "exact", 2);
            add(DType::Q4_0, "predicted", 2);
            add(DType::F16, "exact", 1);
            add(DType::Q8_0, "dense", 2);
        }
    }
    void as_the_source() {
        QFETCH(int, type);
        QFETCH(QString, mode);
        QFETCH(unsigned, format);
        QFETCH(int, percent);
        const std::string how = mode.toStdString();
        const std::string plain = write({.type = static_cast<DType>(type),
                                         .n_layer = kLayers,
                                         .n_embd = 256,
                                         .n_ff = kFf,
                                         .n_ctx = 32,  // what batches take is little beside weights
                                         .by_neuron = true,
                                         .predictor_width = how == "predicted" ? 64 : 0,
                                         .sparse_threshold = 0.1F,
                                         .planted = how != "predicted"},
                                        "plain.gguf");
        const hearth::test::TempDir profiles;
        QVERIFY(keep_profile(plain, profiles.path()));
        const std::string packed = dir_.file("packed.gguf");
        const auto report = hearth::tools::pack(plain,
                                                {.output_path = packed,
                                                 .cache_folder = profiles.path(),
                                                 .force = true,
                                                 .format = format},
                                                {}, {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());

        // Some drivers open only some dozen instances in the life of a process.
        hearth::MemoryReport& most = whole_[plain_key(type, mode)];
        if (most.vram_bytes == 0) {
            const auto whole = load(plain, how);
            QVERIFY(whole);
            most = whole->memory();
        }
        const std::uint64_t budget =
            most.vram_scratch.actual_bytes + (most.vram_bytes - most.vram_scratch.actual_bytes) *
                                                 static_cast<std::uint64_t>(percent) / 100;
        const auto source = load(plain, how, budget, profiles.path());
        const auto other = load(packed, how, budget);
        QVERIFY(source && other);
        const hearth::test::VramPart of_source =
            hearth::test::vram_part(source->impl().plan.placement);
        const hearth::test::VramPart of_packed =
            hearth::test::vram_part(other->impl().plan.placement);
        QCOMPARE(of_packed.hot_neurons, of_source.hot_neurons);
        QCOMPARE(of_packed.attention_in_vram, of_source.attention_in_vram);
        const bool split = std::any_of(of_source.hot_neurons.begin(), of_source.hot_neurons.end(),
                                       [](int hot) { return hot < kFf; });
        QCOMPARE(split, percent < 100);
        units_have_the_sources_neurons(of_source, packed, of_packed);

        const Seen expected = run(*source);
        const Seen seen = run(*other);
        QVERIFY(!expected.logits.empty());
        QCOMPARE(seen.logits.size(), expected.logits.size());
        const auto differs =
            std::mismatch(seen.logits.begin(), seen.logits.end(), expected.logits.begin());
        QVERIFY2(differs.first == seen.logits.end(),
                 qPrintable(QStringLiteral("logit %1 of %2 is %3, the source's is %4")
                                .arg(differs.first - seen.logits.begin())
                                .arg(seen.logits.size())
                                .arg(static_cast<double>(*differs.first), 0, 'g', 9)
                                .arg(static_cast<double>(*differs.second), 0, 'g', 9)));
        QVERIFY(!expected.dispatches.empty());
        QCOMPARE(seen.dispatches.size(), expected.dispatches.size());
        for (std::size_t i = 0; i < seen.dispatches.size(); ++i) {
            QCOMPARE(seen.dispatches[i].label, expected.dispatches[i].label);
            QCOMPARE(seen.dispatches[i].count, expected.dispatches[i].count);
            QCOMPARE(seen.dispatches[i].bytes, expected.dispatches[i].bytes);
        }
    }

    // A permutation that is none costs speed and nothing else, and the plan says so.
    void a_broken_permutation() {
        const std::string plain = write({.n_embd = 64, .n_ff = 512, .by_neuron = true}, "p.gguf");
        const std::string packed = dir_.file("broken.gguf");
        QVERIFY(hearth::tools::pack(plain, {.output_path = packed, .force = true}, {}, {}));
        {
            const auto file = hearth::GgufFile::open(packed);
            QVERIFY(file);
            const auto spec = hearth::read_model_spec(*file);
            QVERIFY(spec);
            const auto layout = hearth::read_packed_layout(*file, *spec);
            QVERIFY(layout);
            QFile raw(QString::fromStdString(packed));
            QVERIFY(raw.open(QIODevice::ReadWrite));
            QVERIFY(raw.seek(static_cast<qint64>(layout->layers[1].permutation->offset)));
            QCOMPARE(raw.write("\x07\x00\x00\x00", 4), 4);
        }
        const auto source = load(plain, "exact");
        const auto other = load(packed, "exact");
        QVERIFY(source && other);
        QCOMPARE(run(*other).logits, run(*source).logits);
        const std::vector<std::string>& reasons = other->impl().plan.reasons;
        QVERIFY(std::any_of(reasons.begin(), reasons.end(), [](const std::string& reason) {
            return reason.find("blk.1.ffn_permutation: place 7 holds neuron 7") !=
                   std::string::npos;
        }));
    }

private:
    std::string write(const hearth::test::TinyModelOptions& options, const char* name) const {
        const std::string path = dir_.file(name);
        return TinyModel(options).write(path) ? path : std::string();
    }

    static std::unique_ptr<hearth::Engine> load(const std::string& path, const std::string& mode,
                                                std::optional<std::uint64_t> vram_bytes = {},
                                                const std::string& profile_folder = {}) {
        hearth::EngineOptions options;
        options.model_path = path;
        options.threads = 2;
        options.mode = mode;
        options.gpu =
            std::string("0");  // GCC 12 takes the assignment for an overflow under sanitizers
        options.speeds = kSpeeds;
        options.vram_bytes = vram_bytes;
        options.profile_folder = profile_folder;
        options.keeps_profile = false;
        auto engine = hearth::Engine::load(options);
        if (!engine) {
            qWarning("%s", engine.error().message.c_str());
            return nullptr;
        }
        return std::move(*engine);
    }

    // As if the model had been used: its hot neurons lie scattered, and many are equally hot.
    static bool keep_profile(const std::string& path, const std::string& folder) {
        const auto file = hearth::GgufFile::open(path);
        const auto hash = file ? hearth::model_hash(*file) : hearth::Result<std::string>("");
        hearth::SelfProfile profile(*hash, std::vector<int>(kLayers, kFf));
        for (std::uint64_t token = 0; token < hearth::kProfileTokensMin; ++token) {
            for (int layer = 0; layer < kLayers; ++layer) {
                for (int n = 0; n < kFf; ++n) {
                    const bool fires = TinyModel::planted_fires(layer, n, static_cast<int>(token));
                    profile.fired(layer)[static_cast<std::size_t>(n)] += fires ? 1 : 0;
                }
            }
            profile.token_done();
        }
        return static_cast<bool>(profile.save(hearth::self_profile_path(folder, *hash)));
    }

    // Place by place.
    static void units_have_the_sources_neurons(const hearth::test::VramPart& of_source,
                                               const std::string& packed,
                                               const hearth::test::VramPart& of_packed) {
        const auto file = hearth::GgufFile::open(packed);
        const auto spec = hearth::read_model_spec(*file);
        const auto layout = hearth::read_packed_layout(*file, *spec);
        QVERIFY(layout);
        for (int layer = 0; layer < kLayers; ++layer) {
            const auto permutation =
                hearth::read_permutation(*file, layout->layers[static_cast<std::size_t>(layer)]);
            QVERIFY(permutation);
            QVERIFY(!std::is_sorted(permutation->begin(), permutation->end()));
            const auto order = of_packed.order(layer);
            QCOMPARE(order.size(), std::size_t{kFf});
            for (std::size_t place = 0; place < kFf; ++place) {
                const auto wanted = of_source.order(layer).empty()
                                        ? static_cast<std::int32_t>(place)
                                        : of_source.order(layer)[place];
                QCOMPARE((*permutation)[static_cast<std::size_t>(order[place])], wanted);
            }
        }
    }

    static QString plain_key(int type, const QString& mode) { return QString::number(type) + mode; }

    hearth::test::TempDir dir_;
    std::map<QString, hearth::MemoryReport> whole_;  // of the plain files, all in VRAM
};

QTEST_GUILESS_MAIN(PackedGpuTest)
#include "packed_gpu_test.moc"
