// What a session keeps from one call to the next: whatever came before, an answer is a fresh
// engine's.
#include <QtTest>
#include <algorithm>
#include <cmath>

#include <hearth/tools.h>

#include "session/loaded_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"
#include "text/utf8_stream.h"

using hearth::FinishReason;
using hearth::GenerationOptions;
using hearth::TokenId;
using hearth::test::TinyModel;

namespace {

constexpr int kCtx = 1200;
// Keys and values of earlier passes are read as halves; logits are about 1 each.
constexpr double kBound = 5e-3;

GenerationOptions greedy(int max_tokens) {
    GenerationOptions options;
    options.sampling.temperature = 0;
    options.max_tokens = max_tokens;
    return options;
}

// The byte tokens in order.
std::vector<TokenId> tokens_of(const std::string& text) {
    std::vector<TokenId> tokens;
    for (const char c : text) {
        tokens.push_back(3 + static_cast<unsigned char>(c));
    }
    return tokens;
}

std::string words(int count, int seed) {
    std::string text;
    for (int i = 0; static_cast<int>(text.size()) < count; ++i) {
        text += static_cast<char>('a' + (i * i * 7 + i * 3 + seed) % 26);
        text += i % 5 == 4 ? " " : "";
    }
    return text.substr(0, static_cast<std::size_t>(count));
}

double largest_difference(std::span<const float> got, std::span<const double> wanted) {
    double worst = got.size() == wanted.size() ? 0 : 1e9;
    for (std::size_t i = 0; i < std::min(got.size(), wanted.size()); ++i) {
        const double off = std::fabs(static_cast<double>(got[i]) - wanted[i]);
        worst = std::max(worst, std::isfinite(off) ? off : 1e9);
    }
    return worst;
}

// Asks for a stop when so many feed-forward blocks have been computed.
struct StopAfter final : hearth::FeedForwardObserver {
    StopAfter(hearth::Engine& engine, int wanted) : executor(*engine.impl().executor), at(wanted) {
        executor.observe(this);
    }
    ~StopAfter() override { executor.observe(nullptr); }
    StopAfter(const StopAfter&) = delete;
    StopAfter& operator=(const StopAfter&) = delete;
    void observed(const hearth::FeedForwardRecord& /*record*/) override {
        if (++blocks == at) {
            cancel.request();
        }
    }
    hearth::Executor& executor;
    int at;
    int blocks = 0;
    hearth::Cancellation cancel;
};

}  // namespace

class SessionTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        QVERIFY(model_.write(path_));
        engine_ = load();
        fresh_ = load();
        QVERIFY(engine_ && fresh_);
    }

    // All positions of texts longer than one pass, against plain arithmetic in double precision.
    void more_tokens_than_a_pass_takes_data() {
        QTest::addColumn<int>("count");
        for (const int count : {511, 512, 513, 1030}) {
            QTest::addRow("%d", count) << count;
        }
    }
    void more_tokens_than_a_pass_takes() {
        QFETCH(int, count);
        QCOMPARE(engine_->impl().plan.n_batch, 512);
        const std::vector<TokenId> tokens = tokens_of(words(count, 5));
        const std::vector<double> wanted = model_.logits(tokens);
        int rows = 0;
        double worst = 0;
        auto done = hearth::tools::logits(
            *engine_, tokens, true,
            [&](int position, std::span<const float> row) -> hearth::Result<void> {
                if (position == rows) {
                    ++rows;
                    worst = std::max(worst, largest_difference(row, wanted_row(wanted, position)));
                }
                return {};
            });
        QVERIFY(done);
        QCOMPARE(rows, count);
        QVERIFY2(worst < kBound, qPrintable(QString::number(worst)));
        std::vector<int> last;
        done = hearth::tools::logits(
            *engine_, tokens, false,
            [&](int position, std::span<const float>) -> hearth::Result<void> {
                last.push_back(position);
                return {};
            });
        QVERIFY(done);
        QCOMPARE(last, std::vector<int>{count - 1});
    }

    // A prompt that goes on from any position of the cache: the borders of tiles of 16 keys and
    // places between them.
    void a_prompt_goes_on_from_the_cache_data() {
        QTest::addColumn<int>("shared");
        QTest::addColumn<int>("added");
        for (const int shared : {1, 7, 15, 16, 17, 31, 32, 47}) {
            for (const int added : {1, 2, 16, 19, 40}) {
                QTest::addRow("%d+%d", shared, added) << shared << added;
            }
        }
    }
    void a_prompt_goes_on_from_the_cache() {
        QFETCH(int, shared);
        QFETCH(int, added);
        const std::string before = words(60, 1);
        const std::string prompt =
            before.substr(0, static_cast<std::size_t>(shared)) + "#" + words(added - 1, 9);
        QVERIFY(engine_->complete(before, greedy(3), {}, never_));
        auto result = engine_->complete(prompt, greedy(1), {}, never_);
        QVERIFY(result);
        QCOMPARE(result->cached_tokens, shared);
        const std::vector<double> wanted = model_.logits(tokens_of(prompt));
        const auto got = engine_->impl().session->last_logits(never_);
        QVERIFY(got);
        const double worst =
            largest_difference(*got, wanted_row(wanted, static_cast<int>(prompt.size()) - 1));
        QVERIFY2(worst < kBound, qPrintable(QString::number(worst)));

        auto again = engine_->complete(prompt, greedy(12), {}, never_);
        auto alone = fresh_->complete(prompt, greedy(12), {}, never_);
        QVERIFY(again && alone);
        QCOMPARE(again->cached_tokens, static_cast<int>(prompt.size()) - 1);
        QCOMPARE(again->token_ids, alone->token_ids);
    }

    // A past in bytes: however a text is cut into passes, all read the same numbers, but for a
    // value that sums in another order and so falls to the next byte.
    void bytes_are_the_same_however_a_text_is_cut() {
        const auto bytes = load("q8_0");
        QVERIFY(bytes);
        QCOMPARE(bytes->settings().kv, std::string("q8_0"));
        QVERIFY(bytes->memory().kv.actual_bytes <= engine_->memory().kv.actual_bytes * 9 / 16);
        const std::vector<TokenId> tokens = tokens_of(words(130, 5));
        hearth::Session& session = *bytes->impl().session;
        std::vector<float> whole;
        for (const std::size_t batch : {130U, 1U, 7U, 64U}) {
            session.clear();
            for (std::size_t first = 0; first < tokens.size(); first += batch) {
                const std::size_t n = std::min(batch, tokens.size() - first);
                QVERIFY(session.append(std::span(tokens).subspan(first, n), never_));
            }
            const auto got = session.last_logits(never_);
            QVERIFY(got);
            if (whole.empty()) {
                whole.assign(got->begin(), got->end());
            }
            double worst = 0;
            for (std::size_t i = 0; i < whole.size(); ++i) {
                worst = std::max(worst, static_cast<double>(std::fabs((*got)[i] - whole[i])));
            }
            QVERIFY2(worst < 1e-3, qPrintable(QString::number(worst)));
        }
        const auto other = load("q4_0");
        QVERIFY(!other);
    }

    // What a stopped prompt has overwritten no longer counts as cached.
    void a_stopped_prompt_leaves_nothing_stale_data() {
        QTest::addColumn<int>("shared");
        QTest::addColumn<int>("blocks");  // computed when the stop is asked for
        for (const int shared : {0, 10, 25}) {
            for (const int blocks : {1, 2, 3, 4}) {  // of 3 layers: in the first pass, the second
                QTest::addRow("%d shared, %d blocks", shared, blocks) << shared << blocks;
            }
        }
    }
    void a_stopped_prompt_leaves_nothing_stale() {
        QFETCH(int, shared);
        QFETCH(int, blocks);
        const std::string first = words(40, 2);
        const std::string second =
            first.substr(0, static_cast<std::size_t>(shared)) + "#" + words(600, 4);
        auto wanted = fresh_->complete(first, greedy(16), {}, never_);
        auto before = engine_->complete(first, greedy(16), {}, never_);
        QVERIFY(wanted && before);
        QCOMPARE(before->token_ids, wanted->token_ids);
        {
            StopAfter stop(*engine_, blocks);
            auto stopped = engine_->complete(second, greedy(16), {}, stop.cancel);
            QVERIFY(stopped);
            QVERIFY(stopped->finish == FinishReason::Cancelled);
            QVERIFY(stopped->token_ids.empty());
        }
        auto again = engine_->complete(first, greedy(16), {}, never_);
        QVERIFY(again);
        QCOMPARE(again->token_ids, wanted->token_ids);
        QVERIFY(again->cached_tokens <= shared);
        // And the text that was stopped is computed whole.
        auto whole = engine_->complete(second, greedy(16), {}, never_);
        auto alone = fresh_->complete(second, greedy(16), {}, never_);
        QVERIFY(whole && alone);
        QCOMPARE(whole->token_ids, alone->token_ids);
    }

    // A stop is seen before the next layer, in any pass of a long prompt.
    void a_prompt_stops_within_a_layer_data() {
        QTest::addColumn<int>("blocks");
        for (const int blocks : {1, 2, 4, 8}) {  // passes of 3 layers
            QTest::addRow("%d", blocks) << blocks;
        }
    }
    void a_prompt_stops_within_a_layer() {
        QFETCH(int, blocks);
        StopAfter stop(*engine_, blocks);
        int pieces = 0;
        auto stopped = engine_->complete(
            words(1100, 3), greedy(4), [&](std::string_view) { ++pieces; }, stop.cancel);
        QVERIFY(stopped);
        QVERIFY(stopped->finish == FinishReason::Cancelled);
        QVERIFY(stopped->token_ids.empty() && stopped->text.empty());
        QCOMPARE(stop.blocks, blocks);
        QCOMPARE(pieces, 0);
        QVERIFY(engine_->impl().session->cached_tokens().empty());
    }

    // A token that is broken off is not in the cache, those before it are.
    void a_stopped_token_leaves_nothing_stale() {
        const std::string prompt = words(20, 6);
        auto wanted = fresh_->complete(prompt, greedy(24), {}, never_);
        QVERIFY(wanted);
        QVERIFY(wanted->token_ids.size() == 24);
        for (const int blocks : {3 + 3 * 5 + 1, 3 + 3 * 5 + 2}) {
            {
                StopAfter stop(*engine_, blocks);
                auto stopped = engine_->complete(prompt, greedy(24), {}, stop.cancel);
                QVERIFY(stopped);
                QVERIFY(stopped->finish == FinishReason::Cancelled);
                QCOMPARE(stopped->token_ids,
                         std::vector<TokenId>(wanted->token_ids.begin(),
                                              wanted->token_ids.begin() +
                                                  static_cast<long>(stopped->token_ids.size())));
                QCOMPARE(stopped->token_ids.size(), std::size_t{6});
                QCOMPARE(engine_->impl().session->cached_tokens().size(), prompt.size() + 5);
            }
            auto again = engine_->complete(prompt, greedy(24), {}, never_);
            QVERIFY(again);
            QCOMPARE(again->token_ids, wanted->token_ids);
            engine_->impl().session->clear();
        }
    }

    // A new decoder begins with an empty past, and computing it again is given up half way: the
    // session forgets the tokens that its past does not hold, and goes on from there.
    void given_up_while_the_past_is_computed_anew() {
        const std::string prompt = words(40, 2);
        const auto wanted = fresh_->complete(prompt, greedy(16), {}, never_);
        QVERIFY(wanted);
        hearth::LoadedModel& model = engine_->impl();
        for (const int blocks : {1, 2}) {
            QVERIFY(engine_->complete(prompt, greedy(16), {}, never_));
            model.session->drop_past();
            hearth::Ledger ledger(model.plan.ram);
            hearth::Decoder decoder(model.spec, model.plan, *model.executor);
            auto past = decoder.make_past(ledger);
            QVERIFY(past);
            model.session->replace(std::move(decoder), std::move(*past));
            {
                StopAfter stop(*engine_, blocks);
                const auto stopped = engine_->complete(prompt + "#", greedy(1), {}, stop.cancel);
                QVERIFY(stopped && stopped->finish == FinishReason::Cancelled);
            }
            QVERIFY(model.session->cached_tokens().empty());
            const auto again = engine_->complete(prompt, greedy(16), {}, never_);
            QVERIFY(again);
            QCOMPARE(again->cached_tokens, 0);
            QCOMPARE(again->token_ids, wanted->token_ids);
        }
    }

    // Scoring a text writes over what the cache held.
    void scoring_forgets_the_conversation() {
        const std::string prompt = words(40, 2);
        auto wanted = engine_->complete(prompt, greedy(16), {}, never_);
        QVERIFY(wanted);
        const std::vector<TokenId> other = tokens_of(words(70, 8));
        QVERIFY(hearth::tools::logits(
            *engine_, other, true,
            [](int, std::span<const float>) -> hearth::Result<void> { return {}; }));
        auto again = engine_->complete(prompt, greedy(16), {}, never_);
        QVERIFY(again);
        QCOMPARE(again->cached_tokens, 0);
        QCOMPARE(again->token_ids, wanted->token_ids);
    }

    // The last position of the context is used, and the token drawn from its logits is shown.
    void an_answer_fills_the_context() {
        for (const int room : {1, 2, 17}) {
            const std::string prompt = words(kCtx - room, 4);
            auto result = engine_->complete(prompt, greedy(-1), {}, never_);
            QVERIFY(result);
            QVERIFY(result->finish == FinishReason::Length);
            QCOMPARE(static_cast<int>(result->token_ids.size()), room + 1);
            QCOMPARE(static_cast<int>(engine_->impl().session->cached_tokens().size()), kCtx);
        }
    }

    // A penalty that nothing outweighs, over prompt and answer: no token comes twice.
    void a_penalty_sees_prompt_and_answer() {
        const std::string prompt = "abcdefgh";
        GenerationOptions options = greedy(40);
        options.sampling.repeat_penalty = 1e6F;
        options.sampling.repeat_last_n = 1000;
        auto result = engine_->complete(prompt, options, {}, never_);
        QVERIFY(result);
        QVERIFY(result->token_ids.size() > 10);
        std::vector<TokenId> all = tokens_of(prompt);
        all.insert(all.end(), result->token_ids.begin(), result->token_ids.end());
        const std::size_t count = all.size();
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        QCOMPARE(all.size(), count);
    }

    // The token that ends a turn belongs to no answer; a special one belongs to it and shows
    // nothing.
    void special_tokens_are_not_shown() {
        const hearth::Tokenizer& tokenizer = *engine_->impl().tokenizer;
        GenerationOptions options = greedy(200);
        options.sampling = {.temperature = 4.0F, .top_k = 0, .top_p = 1.0F, .min_p = 0};
        bool ended = false;
        bool special = false;
        for (std::uint64_t seed = 1; seed < 60 && !(ended && special); ++seed) {
            options.sampling.seed = seed;
            auto result = engine_->complete("abc", options, {}, never_);
            QVERIFY(result);
            ended = ended || result->finish == FinishReason::Stop;
            QCOMPARE(result->finish == FinishReason::Stop, result->token_ids.size() < 200);
            std::string bytes;
            for (const TokenId token : result->token_ids) {
                QVERIFY(!tokenizer.is_end_of_turn(token));
                special = special || tokenizer.is_special(token);
                if (token >= 3) {
                    bytes += static_cast<char>(token - 3);
                }
            }
            hearth::Utf8Stream shown;
            const std::string text = shown.push(bytes) + shown.finish();
            QCOMPARE(result->text, text);
        }
        QVERIFY(ended && special);
    }

    // An answer that ends by length while its tail is held back: as the start of a stop string, or
    // as a character that is not whole.
    void the_end_shows_what_was_held_back() {
        const std::string prompt = words(30, 2);
        auto free_run = fresh_->complete(prompt, greedy(16), {}, never_);
        QVERIFY(free_run);
        QVERIFY(free_run->text.size() > 4);
        for (const std::size_t n : {1U, 3U}) {
            GenerationOptions options = greedy(16);
            options.stop = {free_run->text.substr(free_run->text.size() - n) + "\x01"};
            std::string shown;
            auto result = engine_->complete(
                prompt, options, [&](std::string_view piece) { shown += piece; }, never_);
            QVERIFY(result);
            QVERIFY(result->finish == FinishReason::Length);
            QCOMPARE(result->text, free_run->text);
            QCOMPARE(shown, free_run->text);
        }

        GenerationOptions options = greedy(3);
        options.sampling = {.temperature = 4.0F, .top_k = 0, .top_p = 1.0F, .min_p = 0};
        for (std::uint64_t seed = 1; seed < 200; ++seed) {
            options.sampling.seed = seed;
            std::string shown;
            auto result = engine_->complete(
                prompt, options, [&](std::string_view piece) { shown += piece; }, never_);
            QVERIFY(result);
            QCOMPARE(shown, result->text);
            // The first byte of a character of two or more.
            const bool half = result->token_ids.size() == 3 && result->token_ids[2] >= 3 + 0xC2 &&
                              result->token_ids[2] <= 3 + 0xF4;
            if (half) {
                QVERIFY(QByteArray::fromStdString(result->text).endsWith("\xEF\xBF\xBD"));
                return;
            }
        }
        QFAIL("no seed ends on half a character");
    }

private:
    std::unique_ptr<hearth::Engine> load(const char* kv = "f16") const {
        hearth::EngineOptions options;
        options.kv = kv;
        options.model_path = path_;
        options.threads = 2;
        options.gpu = "none";
        auto engine = hearth::Engine::load(options);
        return engine ? std::move(*engine) : nullptr;
    }
    static std::span<const double> wanted_row(const std::vector<double>& logits, int position) {
        return std::span(logits).subspan(static_cast<std::size_t>(position * TinyModel::kVocab),
                                         TinyModel::kVocab);
    }

    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
    TinyModel model_{{.n_layer = 3, .n_ctx = kCtx}};
    std::unique_ptr<hearth::Engine> engine_;
    std::unique_ptr<hearth::Engine> fresh_;
    const hearth::Cancellation never_{};
};

QTEST_GUILESS_MAIN(SessionTest)
#include "session_test.moc"
