// Drafts of models with recurrent layers: states, logits and snapshots are those of tokens that are
// passed one by one, whatever was drafted wrong.
#include <QtTest>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "memory/ledger.h"
#include "memory/past_file.h"
#include "session/decoder.h"
#include "session/loaded_model.h"
#include "support/passes_of_drafts.h"
#include "support/small_engine.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::Decoder;
using hearth::GenerationOptions;
using hearth::Past;
using hearth::Snapshots;
using hearth::TokenId;
using hearth::test::TinyModel;
using hearth::test::words;

namespace {

constexpr int kCtx = 1400;
using Tokens = std::vector<TokenId>;
using Rows = std::vector<std::vector<float>>;

}  // namespace

class RecurrentDraftsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase_data() {
        QTest::addColumn<QString>("arch");
        for (const char* arch : {"qwen35", "qwen35moe", "lfm2", "granitehybrid"}) {
            QTest::addRow("%s", arch) << arch;
        }
    }
    void init() {
        QFETCH_GLOBAL(QString, arch);
        const TinyModel model({.arch = arch.toStdString(), .n_layer = 4, .n_ctx = kCtx});
        QVERIFY(model.write(path_));
        engine_ = hearth::test::load_or_say(hearth::test::small_engine(path_));
        other_ = hearth::test::load_or_say(hearth::test::small_engine(path_));
        QVERIFY(engine_ && other_);
        hearth::LoadedModel& loaded = engine_->impl();
        QVERIFY(loaded.session->can_draft());
        decoder_ = std::make_unique<Decoder>(loaded.spec, loaded.plan, *loaded.executor);
        passes_ = std::make_unique<hearth::test::PassesOfDrafts>(*decoder_);
    }
    void cleanup() { decoder_.reset(); }

    // A snapshot is due at position 512: at any of the tokens that are passed together.
    void states_are_those_of_single_tokens_data() {
        QTest::addColumn<int>("before");
        for (const int before : {1, 40, 497, 503, 504, 505, 506, 507, 508, 509, 510, 511, 512}) {
            QTest::addRow("%d", before) << before;
        }
    }
    void states_are_those_of_single_tokens() {
        QFETCH(int, before);
        const Tokens text = words(before + 34);
        Past alone = past_of(text, before);
        Past drafted = past_of(text, before);
        const Rows wanted = passes_->one_by_one(alone, text, before);
        const Rows got = passes_->with_drafts(drafted, text, before);
        QCOMPARE(got.size(), wanted.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            QVERIFY2(got[i] == wanted[i], qPrintable(QString::number(i)));
        }
        QVERIFY(drafted.is_ahead());  // the last pass ends with a wrong token
        QVERIFY(decoder_->settle(drafted, static_cast<int>(text.size())));
        QVERIFY(!drafted.is_ahead());
        QVERIFY(states(drafted) == states(alone));
        QVERIFY(drafted.place().snapshots.numbers() == alone.place().snapshots.numbers());
    }

    // The text of tests above would be right, too, if a pass went back to a snapshot each time.
    void a_wrong_draft_costs_no_other_pass() {
        const Tokens text = words(60);
        Past some = past_of(text, 40);
        QVERIFY(passes_->pass(some, text, 40, 48, Decoder::Want::EachAlone));
        for (int position = 40; position <= 48; ++position) {
            QCOMPARE(some.latest(position), position);
        }
        QCOMPARE(some.latest(52), 48);
        QCOMPARE(some.latest(39), 0);
        some.forget_after(43);  // other tokens come there
        QCOMPARE(some.latest(45), 43);
    }

    // From where drafts began, as if they had never been.
    void all_drafts_may_be_forgotten() {
        const Tokens text = words(70);
        Past alone = past_of(text, 40);
        Past drafted = past_of(text, 40);
        const Rows wanted = passes_->one_by_one(alone, text, 40);
        const Tokens wrong = words(48, 11);
        for (int round = 0; round < 3; ++round) {
            QVERIFY(passes_->pass(drafted, wrong, 40, 48, Decoder::Want::EachAlone));
        }
        QVERIFY(passes_->one_by_one(drafted, text, 40) == wanted);
        QVERIFY(states(drafted) == states(alone));
    }

    // A pass that breaks off leaves states that are nobody's.
    void a_pass_may_break_off() {
        const Tokens text = words(70);
        Past some = past_of(text, 40);
        QVERIFY(passes_->pass(some, text, 40, 46, Decoder::Want::EachAlone));
        hearth::Cancellation stop;
        stop.request();
        const auto stopped = decoder_->forward(
            std::span(text).subspan(43, 5), 43, some, Decoder::Want::EachAlone,
            [](std::size_t, std::span<const float>) {}, stop);
        QVERIFY(!stopped && stopped.error().code == hearth::ErrorCode::Cancelled);
        QVERIFY(!some.is_ahead());
        QCOMPARE(some.latest(46), 0);
        Past fresh = past_of(text, 43);
        const Rows wanted = passes_->one_by_one(fresh, text, 43);
        QVERIFY(wanted.size() == 27 && passes_->one_by_one(some, text, 43) == wanted);
    }

    void a_past_that_is_settled_is_given_away() {
        const Tokens text = words(80);
        Past alone = past_of(text, 40);
        Past drafted = past_of(text, 40);
        Past third = past_of(text, 1);
        const Rows wanted = passes_->one_by_one(alone, text, 40);
        passes_->with_drafts(drafted, std::span(text).first(60), 40);
        QVERIFY(decoder_->settle(drafted, 60));
        std::vector<std::byte> bytes;
        QVERIFY(drafted.get(60, [&](std::span<const std::byte> piece) -> hearth::Result<void> {
            bytes.insert(bytes.end(), piece.begin(), piece.end());
            return {};
        }));
        std::size_t at = 0;
        QVERIFY(third.put(60, [&](std::span<std::byte> piece) -> hearth::Result<void> {
            std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), piece.size(),
                        piece.begin());
            at += piece.size();
            return {};
        }));
        QCOMPARE(third.latest(60), 60);
        const Rows rest = passes_->one_by_one(third, text, 60);
        QVERIFY(std::equal(rest.begin(), rest.end(), wanted.begin() + 20, wanted.end()));
    }

    // Two conversations that go on, go back, are kept in RAM and on disk, with drafts and without:
    // texts and computed tokens are the same.
    void conversations_are_the_same_data() {
        QTest::addColumn<bool>("sampled");
        QTest::newRow("greedy") << false;
        QTest::newRow("sampled") << true;
    }
    void conversations_are_the_same() {
        QFETCH(bool, sampled);
        hearth::Session& with = *engine_->impl().session;
        hearth::Session& without = *other_->impl().session;
        with.set_kept_pasts(std::uint64_t{64} << 20);
        without.set_kept_pasts(std::uint64_t{64} << 20);
        int drafted = 0;
        Tokens texts[2];
        for (int i = 0; i < 2; ++i) {
            texts[i] = words(300, 3 + 4 * i);
            const Tokens again = texts[i];
            texts[i].insert(texts[i].end(), again.begin(), again.end());
        }
        for (int turn = 0; turn < 6; ++turn) {
            Tokens& text = texts[turn % 2];
            GenerationOptions asked;
            asked.max_tokens = 60;
            asked.sampling.temperature = sampled ? 0.7F : 0.0F;
            asked.sampling.seed = 5;
            const auto got = with.generate(text, asked, {}, {});
            const std::string file = dir_.file("past");
            if (turn == 3) {
                const auto saved = with.save_past(file, "key");
                QVERIFY(saved);
                QCOMPARE(*saved, with.cached_tokens().size());
                QVERIFY(*with.restore_past(file, "key") == *saved);
            }
            asked.drafts = false;
            const auto wanted = without.generate(text, asked, {}, {});
            QVERIFY(got && wanted);
            QCOMPARE(got->token_ids, wanted->token_ids);
            QCOMPARE(got->cached_tokens, wanted->cached_tokens);
            drafted += got->drafted_tokens;
            // The answer goes on, or its second half is another one.
            const std::size_t all = got->token_ids.size();
            const std::size_t kept = turn < 2 ? all : all / 2;
            text.insert(text.end(), got->token_ids.begin(),
                        got->token_ids.begin() + static_cast<std::ptrdiff_t>(kept));
            const Tokens more = words(30, 9);
            text.insert(text.end(), more.begin(), more.end());
        }
        QVERIFY(drafted > 0 || sampled);
    }

    // A load that failed between answers leaves nobody who could take what is ahead.
    void executors_may_be_gone_in_between() {
        hearth::LoadedModel& loaded = engine_->impl();
        hearth::Session& session = *loaded.session;
        decoder_.reset();
        const Tokens half = words(40);
        Tokens prompt = half;
        prompt.insert(prompt.end(), half.begin(), half.end());
        GenerationOptions asked;
        asked.sampling.temperature = 0;
        asked.max_tokens = 100;
        hearth::Cancellation stop;
        const auto stopped = session.generate(
            prompt, asked,
            [&](std::string_view) {
                if (session.past().is_ahead()) {
                    stop.request();
                }
            },
            stop);
        QVERIFY(stopped);
        if (!session.past().is_ahead()) {
            QVERIFY(loaded.spec.layers[0].is_delta_net());  // whose text repeats nothing
            return;
        }
        loaded.executor.reset();
        const auto again = session.generate(prompt, asked, {}, {});
        asked.drafts = false;
        const auto wanted = other_->impl().session->generate(prompt, asked, {}, {});
        QVERIFY(again && wanted);
        QVERIFY(loaded.executor != nullptr);
        QCOMPARE(again->token_ids, wanted->token_ids);
    }

    // Tokens that do not fit one batch could not be taken back.
    void small_batches_have_no_drafts() {
        for (const int n_batch : {7, 8}) {
            hearth::Plan plan = engine_->impl().plan;
            plan.n_batch = n_batch;
            const Decoder small(engine_->impl().spec, plan, *engine_->impl().executor);
            QCOMPARE(small.can_pass_each_alone(), n_batch == 8);
        }
    }

private:
    // That has taken the first tokens of a text.
    Past past_of(const Tokens& text, int count) {
        auto made = decoder_->make_past(ledger_);
        Past past = made ? std::move(*made) : Past{};
        if (!passes_->pass(past, text, 0, count, Decoder::Want::None)) {
            qWarning("no past");
        }
        return past;
    }
    // The bytes of now and of all snapshots.
    static std::vector<std::byte> states(Past& past) {
        const std::span<const std::byte> all = past.cpu.pieces(1).back();
        return {all.begin(), all.end()};
    }

    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
    hearth::Ledger ledger_{{.kv = std::uint64_t{1} << 30}};
    std::unique_ptr<hearth::Engine> engine_, other_;
    std::unique_ptr<Decoder> decoder_;
    std::unique_ptr<hearth::test::PassesOfDrafts> passes_;
};

QTEST_GUILESS_MAIN(RecurrentDraftsTest)
#include "recurrent_drafts_test.moc"
