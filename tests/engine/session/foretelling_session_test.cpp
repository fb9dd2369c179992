// The layer that foretells tokens: its numbers are those of plain arithmetic, its past follows the
// conversation, and an answer is the same with and without it.
#include <QtTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/random_model.h"
#include "session/loaded_model.h"
#include "support/reference_model.h"
#include "support/small_engine.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::DType;
using hearth::GenerationOptions;
using hearth::TokenId;
using hearth::test::Bytes;
using hearth::test::GgufBuilder;
using hearth::test::ReferenceModel;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;
using hearth::test::words;

namespace {

using Tokens = std::vector<TokenId>;
using Row = std::vector<double>;

constexpr std::size_t kEmbd = 64;
constexpr int kLayers = 2;
// Keys and values of earlier batches are read as halves; logits are about 1 each.
constexpr double kBound = 5e-3;

TinyModelOptions tiny(int n_ctx = 400) {
    return {.arch = "qwen35",
            .n_layer = kLayers,
            .n_embd = static_cast<int>(kEmbd),
            .n_ctx = n_ctx,
            .delta_net = {.interval = 1},
            .n_left_out = 1};
}

std::vector<float> values_of(const hearth::GgufFile& file, const Bytes& bytes,
                             const std::string& name) {
    const hearth::TensorInfo* tensor = file.tensors().find(name);
    std::vector<float> values(tensor == nullptr ? 0 : tensor->values());
    if (!values.empty()) {
        std::memcpy(values.data(), bytes.data() + tensor->offset, values.size() * sizeof(float));
    }
    return values;
}

// The layer computed a second way, by making models of its parts: one leaves the stream instead of
// logits, and one has the layer alone and embeddings that are what it reads.
class LayerReference {
public:
    explicit LayerReference(const TinyModelOptions& options)
        : options_(options), bytes_(TinyModel(options).file().bytes()) {
        auto file = hearth::GgufFile::parse(bytes_, "tiny.gguf");
        file_.emplace(std::move(*file));
        table_ = values("token_embd.weight");
        head_ = values("output.weight");
        join_ = values(block() + "nextn.eh_proj.weight");
        enorm_ = values(block() + "nextn.enorm.weight");
        hnorm_ = values(block() + "nextn.hnorm.weight");
    }

    // The streams that the model leaves, behind its output norm.
    std::vector<Row> streams(const Tokens& text) const {
        const auto model = ReferenceModel::parse(with_identity(TinyModel(options_).file()).bytes());
        return rows_of(model->logits(text));
    }
    // The layer's row for each pair of a token and the stream before it.
    std::vector<Row> layer(const std::vector<std::pair<TokenId, Row>>& pairs) const {
        TinyModelOptions one = options_;
        one.n_layer = 1;
        one.n_left_out = 0;
        GgufBuilder file = TinyModel(one).file();
        std::vector<float> inputs(static_cast<std::size_t>(TinyModel::kVocab) * kEmbd);
        Tokens places;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const Row x = joined(pairs[i].first, pairs[i].second);
            std::copy(x.begin(), x.end(), inputs.begin() + static_cast<std::ptrdiff_t>(i * kEmbd));
            places.push_back(static_cast<TokenId>(i));
        }
        file.without("token_embd.weight")
            .tensor_f32("token_embd.weight", {TinyModel::kVocab, kEmbd}, inputs);
        put(file, "output_norm.weight", block() + "nextn.shared_head_norm.weight");
        for (const hearth::TensorInfo& tensor : file_->tensors().entries()) {
            if (tensor.name.starts_with(block()) &&
                tensor.name.find(".nextn.") == std::string::npos) {
                put(file, "blk.0." + tensor.name.substr(block().size()), tensor.name);
            }
        }
        const auto model = ReferenceModel::parse(with_identity(std::move(file)).bytes());
        return rows_of(model->logits(places));
    }
    // The model's head.
    Row logits(const Row& normed) const {
        Row out(TinyModel::kVocab);
        for (std::size_t r = 0; r < out.size(); ++r) {
            for (std::size_t c = 0; c < kEmbd; ++c) {
                out[r] += static_cast<double>(head_[r * kEmbd + c]) * normed[c];
            }
        }
        return out;
    }

private:
    std::string block() const { return "blk." + std::to_string(kLayers) + "."; }
    std::vector<float> values(const std::string& name) const {
        return values_of(*file_, bytes_, name);
    }
    void put(GgufBuilder& file, const std::string& to, const std::string& from) const {
        const hearth::TensorInfo* tensor = file_->tensors().find(from);
        file.without(to).tensor_f32(to, tensor->shape, values(from));
    }
    static GgufBuilder with_identity(GgufBuilder file) {
        std::vector<float> one(static_cast<std::size_t>(TinyModel::kVocab) * kEmbd);
        for (std::size_t i = 0; i < kEmbd; ++i) {
            one[i * kEmbd + i] = 1;
        }
        file.without("output.weight").tensor_f32("output.weight", {TinyModel::kVocab, kEmbd}, one);
        return file;
    }
    static std::vector<Row> rows_of(const std::vector<double>& logits) {
        std::vector<Row> rows;
        for (std::size_t at = 0; at < logits.size(); at += TinyModel::kVocab) {
            const auto first = logits.begin() + static_cast<std::ptrdiff_t>(at);
            rows.emplace_back(first, first + static_cast<std::ptrdiff_t>(kEmbd));
        }
        return rows;
    }
    static void add_normed(const Row& x, const std::vector<float>& weight, Row& out) {
        double squares = 0;
        for (const double value : x) {
            squares += value * value;
        }
        const double scale = 1 / std::sqrt(squares / static_cast<double>(x.size()) + 1e-5);
        for (std::size_t i = 0; i < x.size(); ++i) {
            out.push_back(x[i] * scale * static_cast<double>(weight[i]));
        }
    }
    Row joined(TokenId token, const Row& stream) const {
        const auto first = table_.begin() +
                           static_cast<std::ptrdiff_t>(token) * static_cast<std::ptrdiff_t>(kEmbd);
        Row both;
        add_normed(Row(first, first + static_cast<std::ptrdiff_t>(kEmbd)), enorm_, both);
        add_normed(stream, hnorm_, both);
        Row x(kEmbd);
        for (std::size_t r = 0; r < kEmbd; ++r) {
            for (std::size_t c = 0; c < 2 * kEmbd; ++c) {
                x[r] += static_cast<double>(join_[r * 2 * kEmbd + c]) * both[c];
            }
        }
        return x;
    }

    TinyModelOptions options_;
    Bytes bytes_;
    std::optional<hearth::GgufFile> file_;
    std::vector<float> table_, head_, join_, enorm_, hnorm_;
};

GenerationOptions greedy(int max_tokens) {
    GenerationOptions options;
    options.sampling.temperature = 0;
    options.max_tokens = max_tokens;
    return options;
}

Tokens copy(std::span<const TokenId> tokens) {
    return {tokens.begin(), tokens.end()};
}

TokenId best_of(const Row& logits) {
    return static_cast<TokenId>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

}  // namespace

class ForetellingSessionTest : public QObject {
    Q_OBJECT

private:
    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("model.gguf");
    std::unique_ptr<hearth::Engine> engine_;

    hearth::LoadedModel& impl() { return engine_->impl(); }
    hearth::Session& session() { return *impl().session; }
    hearth::Foretelling* layer() { return impl().foretelling.get(); }

    bool load(const TinyModelOptions& options) {
        return TinyModel(options).write(path_) && open(hearth::test::small_engine(path_));
    }
    bool open(const hearth::EngineOptions& options) {
        engine_ = hearth::test::load_or_say(options);
        return engine_ != nullptr;
    }
    // A model whose text is planted, and whose layer is right about this share of it. Every layer
    // but each delta_interval-th is a delta net.
    bool load_planted(double share, int delta_interval = 1) {
        using namespace hearth::bench;
        ModelShape shape{"tiny", 64,  2,     4,        2,   32,
                         96,     700, false, 10000.0F, 512, VocabKind::ByteLevel};
        shape.arch = "qwen35";
        shape.head_norms = true;
        shape.delta_interval = delta_interval;
        shape.n_key_heads = 2;
        shape.n_value_heads = 4;
        shape.state_dim = 32;
        shape.foretells = share;
        const std::array<double, 1> circle{};
        shape.experts.kept = circle;
        return write_random_model(path_, shape, DType::F16, DType::F16, 1, 2) &&
               open(hearth::test::small_engine(path_));
    }
    hearth::Result<hearth::GenerationResult> answer(const Tokens& prompt, GenerationOptions options,
                                                    bool drafts) {
        options.drafts = drafts;
        return session().generate(prompt, options, {}, {});
    }

    // So many tokens of the prompt are what the session holds.
    int n_alike(const Tokens& prompt) {
        const auto held = session().cached_tokens();
        return static_cast<int>(
            std::mismatch(held.begin(), held.end(), prompt.begin(), prompt.end()).first -
            held.begin());
    }
    // Empty: after what the session holds and one more token, `most` guesses of the layer are those
    // of plain arithmetic. left_out: the position of a token whose pair the layer has not.
    std::string check_guesses(const LayerReference& reference, std::size_t most,
                              int left_out = -1) {
        Tokens text = copy(session().cached_tokens());
        text.push_back(77);
        const std::vector<Row> streams = reference.streams(text);
        std::vector<std::pair<TokenId, Row>> pairs;
        for (std::size_t p = 1; p < text.size(); ++p) {
            if (static_cast<int>(p) != left_out) {
                pairs.emplace_back(text[p], streams[p - 1]);
            }
        }
        const std::size_t n_pairs = pairs.size();
        for (std::size_t n = 1; n <= most; ++n) {
            const auto guesses = layer()->guess(text, n);
            if (guesses.size() != n) {
                return "there are " + std::to_string(guesses.size()) + " guesses of " +
                       std::to_string(n);
            }
            if (layer()->n_seen() != n_pairs) {
                return "the layer has " + std::to_string(layer()->n_seen()) + " pairs of " +
                       std::to_string(n_pairs);
            }
            const Row row = reference.layer(pairs).back();
            const Row wanted = reference.logits(row);
            const auto logits = layer()->latest_logits();
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                if (!(std::abs(wanted[i] - static_cast<double>(logits[i])) < kBound)) {
                    return "guess " + std::to_string(n) + ", logit " + std::to_string(i) + ": " +
                           std::to_string(logits[i]) + " instead of " + std::to_string(wanted[i]);
                }
            }
            const auto token = static_cast<std::size_t>(guesses[n - 1]);
            if (wanted[token] < wanted[static_cast<std::size_t>(best_of(wanted))] - kBound) {
                return "guess " + std::to_string(n) + " is not the best";
            }
            pairs.emplace_back(guesses[n - 1], row);
        }
        return {};
    }

private slots:
    // Short, and longer than the batches in which the layer catches up.
    void computes_what_it_should_data() {
        QTest::addColumn<int>("tokens");
        for (const int tokens : {2, 9, 72, 73, 74, 200}) {
            QTest::addRow("%d", tokens) << tokens;
        }
    }
    void computes_what_it_should() {
        QFETCH(int, tokens);
        QVERIFY(load(tiny()));
        QVERIFY(session().can_draft());
        QVERIFY(layer() != nullptr);
        QVERIFY(answer(words(tokens), greedy(1), true));
        const std::string why = check_guesses(LayerReference(tiny()), 3);
        QVERIFY2(why.empty(), why.c_str());
    }

    // Answers leave wrong drafts behind, and come and go.
    void follows_the_conversation() {
        QVERIFY(load(tiny()));
        const LayerReference reference(tiny());
        const Tokens prompt = words(40);
        const auto first = answer(prompt, greedy(100), true);
        QVERIFY(first);
        QVERIFY(first->guessed_tokens > 0);
        std::string why = check_guesses(reference, 2);
        QVERIFY2(why.empty(), why.c_str());
        // Another text from position 30 on. The stream before it is gone, and so one pair.
        Tokens other(prompt.begin(), prompt.begin() + 30);
        const Tokens rest = words(33, 7);
        other.insert(other.end(), rest.begin(), rest.end());
        int alike = n_alike(other);
        QVERIFY(alike >= 30 && alike < 40);
        QVERIFY(answer(other, greedy(5), true));
        why = check_guesses(reference, 2, alike);
        QVERIFY2(why.empty(), why.c_str());
        // Another conversation leaves nothing.
        const Tokens new_one = words(20, 11);
        alike = n_alike(new_one);
        QVERIFY(alike < 3);
        QVERIFY(answer(new_one, greedy(5), true));
        why = check_guesses(reference, 1, alike > 0 ? alike : -1);
        QVERIFY2(why.empty(), why.c_str());
    }

    // Tokens that it was not told of are no tokens to it, and no other text's are taken for them.
    void an_answer_without_drafts_is_not_followed() {
        QVERIFY(load(tiny()));
        QVERIFY(answer(words(40), greedy(3), false));
        QCOMPARE(layer()->n_seen(), std::size_t{0});
        Tokens text = copy(session().cached_tokens());
        text.push_back(77);
        QVERIFY(layer()->guess(text, 3).empty());
        QCOMPARE(layer()->n_seen(), std::size_t{0});
        // It follows from where it is told of the next tokens.
        text = copy(session().cached_tokens());
        const std::size_t before = text.size();
        text.insert(text.end(), {50, 60, 70, 80});
        QVERIFY(answer(text, greedy(1), true));
        text = copy(session().cached_tokens());
        text.push_back(77);
        QCOMPARE(layer()->guess(text, 2).size(), std::size_t{2});
        QCOMPARE(layer()->n_seen(), text.size() - 1 - before);
        // A text that nobody passed has no guesses, and what was seen of another one goes.
        text[before + 2] = 90;
        QVERIFY(layer()->guess(text, 2).empty());
        QCOMPARE(layer()->n_seen(), std::size_t{1});
    }

    void a_restored_past_is_no_past_of_its() {
        QVERIFY(load(tiny()));
        QVERIFY(answer(words(60), greedy(20), true));
        const std::string past = dir_.file("past");
        QVERIFY(engine_->save_past(past));
        const auto wanted = answer(words(30, 7), greedy(40), true);
        QVERIFY(wanted);
        QVERIFY(engine_->restore_past(past));
        // The other conversation's tokens are not taken for this one's.
        Tokens text = copy(session().cached_tokens());
        text.push_back(77);
        QVERIFY(layer()->guess(text, 2).empty());
        Tokens next = copy(session().cached_tokens());
        next.insert(next.end(), {50, 60, 70});
        const auto with = answer(next, greedy(30), true);
        QVERIFY(with);
        QVERIFY(open(hearth::test::small_engine(path_)));
        const auto without = answer(next, greedy(30), false);
        QVERIFY(without);
        QCOMPARE(with->token_ids, without->token_ids);
    }

    // Wrong guesses and right ones, greedy and sampled.
    void answers_are_the_same_data() {
        QTest::addColumn<double>("share");
        QTest::addColumn<int>("delta_interval");
        for (const double share : {0.0, 0.6, 1.0}) {
            QTest::addRow("%g", share) << share << 1;
            QTest::addRow("%g, with states", share) << share << 2;
        }
    }
    void answers_are_the_same() {
        QFETCH(double, share);
        QFETCH(int, delta_interval);
        QVERIFY(load_planted(share, delta_interval));
        QVERIFY(layer() != nullptr);
        for (const bool sampled : {false, true}) {
            GenerationOptions asked = greedy(150);
            asked.sampling.temperature = sampled ? 1.5F : 0.0F;
            asked.sampling.seed = 11;
            asked.sampling.repeat_penalty = sampled ? 1.1F : 1.0F;
            const auto plain = answer({300, 301, 302}, asked, false);
            const Tokens left = copy(session().cached_tokens());
            session().clear();
            const auto with = answer({300, 301, 302}, asked, true);
            QVERIFY(plain && with);
            QCOMPARE(with->token_ids, plain->token_ids);
            QCOMPARE(copy(session().cached_tokens()), left);
            QCOMPARE(plain->guessed_tokens, 0);
            QVERIFY(with->guessed_tokens > 0);
            QVERIFY(with->guessed_tokens <= with->drafted_tokens);
            QVERIFY(with->right_guesses <= with->right_drafts);
            if (!sampled) {
                QVERIFY(share > 0 || with->right_guesses == 0);
                QVERIFY(share == 0 || with->right_guesses > 0);
                QVERIFY(share < 1 || with->right_guesses >= with->guessed_tokens - 7);
            }
        }
    }

    // The share that was planted, whoever decides how many guesses pay: each word's successor is
    // guessed once.
    void a_planted_share_is_reached_data() {
        QTest::addColumn<double>("share");
        for (const double share : {0.0, 0.6, 0.8, 1.0}) {
            QTest::addRow("%g", share) << share;
        }
    }
    void a_planted_share_is_reached() {
        QFETCH(double, share);
        QVERIFY(load_planted(share));
        constexpr int kWords = 150;
        Tokens text{256};  // the first word
        int right = 0;
        for (int i = 0; i < kWords; ++i) {
            const auto next = answer(text, greedy(1), true);
            QVERIFY(next);
            text.push_back(next->token_ids.front());
            QCOMPARE(text.back(), TokenId{257 + i});
            const auto guess = layer()->guess(text, 1);
            QCOMPARE(guess.size(), std::size_t{1});
            right += guess.front() == text.back() + 1 ? 1 : 0;
        }
        const double reached = static_cast<double>(right) / kWords;
        QVERIFY2(std::abs(reached - share) < (share == 0 || share == 1 ? 0.001 : 0.08),
                 qPrintable(QString::number(reached)));
    }

    void a_stop_leaves_nothing_behind() {
        QVERIFY(load_planted(0.6));
        const Tokens prompt{300, 301, 302};
        const auto wanted = answer(prompt, greedy(60), false);
        QVERIFY(wanted);
        for (const int at : {1, 7, 20, 33}) {
            hearth::Cancellation cancel;
            int pieces = 0;
            const auto stopped = session().generate(
                prompt, greedy(60),
                [&](std::string_view) {
                    if (++pieces == at) {
                        cancel.request();
                    }
                },
                cancel);
            QVERIFY(stopped);
            QVERIFY(std::equal(stopped->token_ids.begin(), stopped->token_ids.end(),
                               wanted->token_ids.begin()));
            const auto whole = answer(prompt, greedy(60), true);
            QVERIFY(whole);
            QCOMPARE(whole->token_ids, wanted->token_ids);
        }
    }

    // To the last position of the context, and of the layer's past.
    void the_context_ends() {
        QVERIFY(load_planted(1.0));
        const int n_ctx = session().n_ctx();
        Tokens prompt(static_cast<std::size_t>(n_ctx) - 30, 300);
        const auto plain = answer(prompt, greedy(-1), false);
        session().clear();
        const auto with = answer(prompt, greedy(-1), true);
        QVERIFY(plain && with);
        QCOMPARE(with->token_ids, plain->token_ids);
        QVERIFY(with->right_drafts > 0);
    }

    // It takes what is planned for it.
    void its_memory_is_planned() {
        QVERIFY(load(tiny()));
        QVERIFY(impl().ledger->actual() == impl().ledger->planned());
        const std::uint64_t with = impl().plan.ram.total();
        QVERIFY(impl().plan.reasons.empty());
        TinyModelOptions none = tiny();
        none.n_left_out = 0;
        QVERIFY(load(none));
        QVERIFY(layer() == nullptr);
        const std::uint64_t alone = impl().plan.ram.total();
        QVERIFY(alone < with);
        // A budget for the model alone leaves it out, and so does one byte less than both need.
        QVERIFY(TinyModel(tiny()).write(path_));
        for (const std::uint64_t budget : {alone, with - 1}) {
            QVERIFY(open(hearth::test::small_engine(path_, budget)));
            QVERIFY(layer() == nullptr);
            QCOMPARE(impl().plan.ram.total(), alone);
            QVERIFY(impl().plan.reasons.back().starts_with(
                "the layer that foretells tokens is left out: it needs "));
            QVERIFY(answer(words(20), greedy(10), true));
        }
        QVERIFY(open(hearth::test::small_engine(path_, with)));
        QVERIFY(layer() != nullptr);
        // Not for a model that reads the disk: its RAM is for its own weights.
        TinyModelOptions large = tiny(64);
        large.n_layer = 8;
        large.n_ff = 1024;
        QVERIFY(load(large));
        QVERIFY(layer() != nullptr);
        const std::uint64_t less = impl().plan.ram.total() - impl().plan.ram.weights / 3;
        QVERIFY(open(hearth::test::small_engine(path_, less)));
        QVERIFY(impl().plan.reads_flash());
        QVERIFY(layer() == nullptr);
        QCOMPARE(impl().plan.reasons.back(),
                 std::string("the layer that foretells tokens is left out: RAM does not hold the "
                             "model"));
    }

    // Another budget between two answers: the layer goes. Alone it is not worth loading anew.
    void a_budget_moves() {
        QVERIFY(load(tiny()));
        const std::uint64_t with = impl().plan.ram.total();
        const auto wanted = answer(words(20), greedy(40), true);
        QVERIFY(wanted);
        QVERIFY(engine_->set_budget({.ram_bytes = with - 1}));
        auto again = answer(words(20), greedy(40), true);
        QVERIFY(again);
        QCOMPARE(again->token_ids, wanted->token_ids);
        QVERIFY(layer() == nullptr);
        QCOMPARE(again->guessed_tokens, 0);
        QVERIFY(engine_->set_budget({.ram_bytes = 2 * with}));
        again = answer(words(20), greedy(40), true);
        QVERIFY(again);
        QCOMPARE(again->token_ids, wanted->token_ids);
        QVERIFY(impl().ledger->actual() == impl().ledger->planned());
    }

    // Numbers that are none cost drafts and nothing else.
    void is_left_out_where_its_numbers_are_none() {
        const std::string name = "blk.2.nextn.enorm.weight";
        std::vector<float> norm(kEmbd, 1.0F);
        norm[5] = NAN;
        GgufBuilder file = TinyModel(tiny()).file();
        QVERIFY(file.without(name).tensor_f32(name, {kEmbd}, norm).write(path_));
        QVERIFY(open(hearth::test::small_engine(path_)));
        const auto with = answer(words(20), greedy(30), true);
        const auto without = answer(words(20), greedy(30), false);
        QVERIFY(with && without);
        QCOMPARE(with->token_ids, without->token_ids);
    }
};

QTEST_GUILESS_MAIN(ForetellingSessionTest)
#include "foretelling_session_test.moc"
