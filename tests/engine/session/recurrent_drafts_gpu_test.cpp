// Drafts of models with recurrent layers on a GPU, and on both units: logits, states and snapshots
// are those of tokens that are passed one by one.
#include <hearth/engine.h>

#include <QtTest>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "session/decoder.h"
#include "session/loaded_model.h"
#include "support/passes_of_drafts.h"
#include "support/small_engine.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::Decoder;
using hearth::Past;
using hearth::TokenId;
using hearth::test::PassesOfDrafts;
using hearth::test::TinyModel;
using hearth::test::words;

namespace {

using Tokens = std::vector<TokenId>;

}  // namespace

class RecurrentDraftsGpuTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(write("qwen35"));
        const auto engine = hearth::Engine::load(options("0"));
        if (!engine && engine.error().field == "gpu") {
            QVERIFY(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"));
            QSKIP("there is no GPU, nor lavapipe");
        }
        QVERIFY2(engine, engine ? "" : engine.error().message.c_str());
    }

    // A snapshot is due at position 512, among tokens that are passed together.
    void states_are_those_of_single_tokens_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<int>("percent");  // of VRAM
        QTest::newRow("delta nets") << "qwen35" << 100;
        QTest::newRow("delta nets on both units") << "qwen35" << 60;
        QTest::newRow("delta nets and experts") << "qwen35moe" << 100;
        QTest::newRow("delta nets and experts on both units") << "qwen35moe" << 60;
        QTest::newRow("gated convolutions") << "lfm2" << 100;
        QTest::newRow("gated convolutions on both units") << "lfm2" << 30;
        QTest::newRow("Mamba") << "granitehybrid" << 100;
        QTest::newRow("Mamba on both units") << "granitehybrid" << 60;
    }
    void states_are_those_of_single_tokens() {
        QFETCH(QString, arch);
        QFETCH(int, percent);
        QVERIFY(write(arch.toStdString()));
        const auto engine = load_part(percent);
        QVERIFY(engine);
        hearth::LoadedModel& loaded = engine->impl();
        QVERIFY(loaded.session->can_draft());
        QVERIFY(loaded.session->past().gpu != nullptr);
        loaded.session->drop_past();  // the plan has room for one
        Decoder decoder(loaded.spec, loaded.plan, *loaded.executor, loaded.gpu_executor.get());
        PassesOfDrafts passes(decoder);
        const Tokens text = words(kBefore + 28);
        PassesOfDrafts::Rows rows[2];
        std::vector<std::byte> bytes[2];
        for (const int drafts : {0, 1}) {
            hearth::Ledger ledger({.kv = std::uint64_t{1} << 30});
            auto made = decoder.make_past(ledger);
            QVERIFY(made);
            Past& past = *made;
            QVERIFY(passes.pass(past, text, 0, kBefore, Decoder::Want::None));
            rows[drafts] = drafts == 1 ? passes.with_drafts(past, text, kBefore)
                                       : passes.one_by_one(past, text, kBefore);
            QVERIFY(past.is_ahead() == (drafts == 1));
            const auto end = static_cast<int>(text.size());
            QVERIFY(decoder.settle(past, end));
            QCOMPARE(past.latest(end), end);
            QCOMPARE(past.latest(512), 512);
            QVERIFY(decoder.forward(words(1, 5), end, past, Decoder::Want::All,
                                    [&](std::size_t, std::span<const float> row) {
                                        rows[drafts].emplace_back(row.begin(), row.end());
                                    },
                                    {}));
            QVERIFY(past.gpu->get(
                end,
                [&](std::span<const std::byte> piece) {
                    bytes[drafts].insert(bytes[drafts].end(), piece.begin(), piece.end());
                    return hearth::Result<void>();
                },
                0));
            // The snapshot that drafts were passed beyond.
            QVERIFY(passes.pass(past, text, 513, 514, Decoder::Want::All, &rows[drafts]));
        }
        QCOMPARE(rows[0].size(), std::size_t{30});
        QCOMPARE(rows[1].size(), rows[0].size());
        for (std::size_t i = 0; i < rows[0].size(); ++i) {
            QVERIFY2(rows[0][i] == rows[1][i], qPrintable(QString::number(i)));
        }
        QVERIFY(!bytes[0].empty() && bytes[0] == bytes[1]);
    }

    // By whole answers.
    void answers_are_the_same() {
        QVERIFY(write("qwen35"));
        const auto engine = load_part(100);
        QVERIFY(engine);
        hearth::LoadedModel& loaded = engine->impl();
        hearth::Session& session = *loaded.session;
        const Tokens text = words(60);
        const auto answer = [&](bool drafts) {
            hearth::GenerationOptions asked;
            asked.max_tokens = 40;
            asked.sampling.temperature = 0;
            asked.drafts = drafts;
            session.clear();
            const auto got = session.generate(text, asked, {}, {});
            return got ? got->token_ids : Tokens{};
        };
        const Tokens plain = answer(false);
        QVERIFY(!plain.empty());
        QVERIFY(answer(true) == plain);
        QVERIFY(answer(true) == plain);
    }

private:
    // Two of four right tokens stand before the snapshot.
    static constexpr int kBefore = 497;

    bool write(const std::string& arch) const {
        return TinyModel({.arch = arch,
                          .n_layer = 4,
                          .n_embd = 128,
                          .n_ff = 512,
                          .n_ctx = 800,
                          .delta_net = {.n_key_heads = 2, .n_value_heads = 4, .dim = 64}})
            .write(path_);
    }
    hearth::EngineOptions options(const std::string& gpu) const {
        hearth::EngineOptions options = hearth::test::small_engine(path_);
        options.gpu = gpu;
        options.speeds = hearth::test::kFastGpu;
        return options;
    }
    std::unique_ptr<hearth::Engine> load_part(int percent) const {
        auto whole = hearth::test::load_or_say(options("0"));
        if (whole == nullptr || percent == 100) {
            return whole;
        }
        const hearth::MemoryReport memory = whole->memory();
        const std::uint64_t scratch = memory.vram_scratch.actual_bytes;
        hearth::EngineOptions part = options("0");
        part.vram_bytes =
            scratch + (memory.vram_bytes - scratch) * static_cast<std::uint64_t>(percent) / 100;
        whole.reset();
        auto engine = hearth::test::load_or_say(part);
        return engine != nullptr && engine->settings().gpu_share < 1 ? std::move(engine) : nullptr;
    }

    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
};

QTEST_GUILESS_MAIN(RecurrentDraftsGpuTest)
#include "recurrent_drafts_gpu_test.moc"
