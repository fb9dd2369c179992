// Latent attention on the processor: logits are those of plain attention with a key and a value for
// each head, in each form that files have, however a text is cut into passes.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "session/loaded_model.h"
#include "support/reference_model.h"
#include "support/small_engine.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::DType;
using hearth::TokenId;
using hearth::test::GgufBuilder;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;
using hearth::test::words;

namespace {

TinyModelOptions options_of(bool fused, bool whole, DType type = DType::F32) {
    return {.arch = "deepseek2",
            .type = type,
            .n_ctx = 256,
            .n_leading = 2,  // no experts, between which rounding might decide
            .fused_kv_b = fused,
            .whole_queries = whole};
}

}  // namespace

class LatentAttentionTest : public QObject {
    Q_OBJECT

private slots:
    void logits_are_those_of_plain_attention_data() {
        QTest::addColumn<bool>("fused");
        QTest::addColumn<bool>("whole");
        QTest::addColumn<int>("type");
        QTest::addColumn<bool>("yarn");
        QTest::addColumn<QString>("kv");
        QTest::addColumn<double>("bound");
        const auto row = [](const char* name, bool fused, bool whole, DType type, bool yarn,
                            const char* kv, double bound) {
            QTest::newRow(name) << fused << whole << static_cast<int>(type) << yarn << QString(kv)
                                << bound;
        };
        row("a matrix for keys and one for values", false, false, DType::F32, false, "f16", 5e-3);
        row("one for both", true, false, DType::F32, false, "f16", 5e-3);
        row("queries of the input", false, true, DType::F32, false, "f16", 5e-3);
        row("one for both, queries of the input", true, true, DType::F32, true, "f16", 5e-3);
        row("YaRN", false, false, DType::F32, true, "f16", 5e-3);
        row("a past in bytes", false, false, DType::F32, false, "q8_0", 0.1);
        // Rounding what matrices are multiplied with.
        row("Q8_0", false, false, DType::Q8_0, false, "f16", 0.2);
        row("Q8_0, one for both", true, false, DType::Q8_0, false, "f16", 0.2);
        row("Q5_0, one for both", true, true, DType::Q5_0, false, "q8_0", 0.2);
    }
    void logits_are_those_of_plain_attention() {
        QFETCH(bool, fused);
        QFETCH(bool, whole);
        QFETCH(int, type);
        QFETCH(bool, yarn);
        QFETCH(QString, kv);
        QFETCH(double, bound);
        TinyModelOptions options = options_of(fused, whole, static_cast<DType>(type));
        options.rope_linear_factor = yarn ? 4.0F : 1.0F;
        options.yarn_context = yarn ? 32 : 0;
        QVERIFY(TinyModel(options).write(path_));
        const std::vector<TokenId> tokens = words(70);
        const std::vector<double> all = reference(tokens);
        for (const int batch : {1, 7, 64}) {
            const auto engine = load(2, kv.toStdString());
            QVERIFY(engine);
            hearth::Session& session = *engine->impl().session;
            double worst = 0;
            for (std::size_t first = 0; first < tokens.size();) {
                const std::size_t n =
                    std::min(static_cast<std::size_t>(batch), tokens.size() - first);
                QVERIFY(session.append(std::span(tokens).subspan(first, n), never_));
                first += n;
                const auto row = session.last_logits(never_);
                QVERIFY(row);
                for (std::size_t i = 0; i < row->size(); ++i) {
                    worst = std::max(worst, std::fabs(static_cast<double>((*row)[i]) -
                                                      all[(first - 1) * row->size() + i]));
                }
            }
            QVERIFY2(worst < bound, qPrintable(QString::number(worst)));
            QVERIFY(worst > 0);
        }
    }

    // The multiplier counts in the square, or the logits would be others.
    void scores_grow_under_yarn() {
        TinyModelOptions options = options_of(false, false);
        options.rope_linear_factor = 4.0F;
        options.yarn_context = 32;
        QVERIFY(TinyModel(options).write(path_));
        const std::vector<double> grown = reference(words(20));
        GgufBuilder file = TinyModel(options).file();
        const std::string multiplier = "deepseek2.rope.scaling.yarn_log_multiplier";
        file.without(multiplier).key(multiplier, 0.01F);
        QVERIFY(file.write(path_));
        const std::vector<double> less = reference(words(20));
        double most = 0;
        for (std::size_t i = 0; i < less.size(); ++i) {
            most = std::max(most, std::fabs(less[i] - grown[i]));
        }
        QVERIFY2(most > 0.02, qPrintable(QString::number(most)));
    }

    // A past that a single token reads in parts: its latents are narrower than its keys.
    void parts_of_a_long_past_are_joined() {
        TinyModelOptions options = options_of(false, false);
        options.n_ctx = 2400;
        QVERIFY(TinyModel(options).write(path_));
        const std::vector<TokenId> tokens = words(1101);
        const std::vector<double> all = reference(tokens);
        const auto engine = load(2, "f16");
        QVERIFY(engine);
        hearth::Session& session = *engine->impl().session;
        QVERIFY(session.append(std::span(tokens).first(1100), never_));
        QVERIFY(session.append(std::span(tokens).subspan(1100), never_));
        const auto row = session.last_logits(never_);
        QVERIFY(row);
        double worst = 0;
        for (std::size_t i = 0; i < row->size(); ++i) {
            worst = std::max(
                worst, std::fabs(static_cast<double>((*row)[i]) - all[1100 * row->size() + i]));
        }
        QVERIFY2(worst < 5e-3, qPrintable(QString::number(worst)));
    }

    // Bit by bit: the first token of a batch sees itself alone, rounded as in the past.
    void a_token_alone_is_as_in_a_batch_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<bool>("fused");
        for (const DType type : {DType::F32, DType::BF16, DType::Q8_0, DType::Q4_0}) {
            for (const bool fused : {false, true}) {
                QTest::addRow("%s%s", hearth::dtype_info(type).name.data(),
                              fused ? ", one matrix for both" : "")
                    << static_cast<int>(type) << fused;
            }
        }
    }
    void a_token_alone_is_as_in_a_batch() {
        QFETCH(int, type);
        QFETCH(bool, fused);
        QVERIFY(TinyModel(options_of(fused, false, static_cast<DType>(type))).write(path_));
        const auto engine = load(2, "q8_0");
        QVERIFY(engine);
        hearth::Session& session = *engine->impl().session;
        const std::vector<TokenId> tokens = words(7);
        std::vector<float> first;
        const auto keep = [&](std::size_t, std::span<const float> row) {
            if (first.empty()) {
                first.assign(row.begin(), row.end());
            }
        };
        QVERIFY(session.score(tokens, hearth::Decoder::Want::All, keep, never_));
        session.clear();
        QVERIFY(session.append(std::span(tokens).first(1), never_));
        const auto alone = session.last_logits(never_);
        QVERIFY(alone && std::equal(alone->begin(), alone->end(), first.begin(), first.end()));
    }

    void threads_change_nothing() {
        QVERIFY(TinyModel(options_of(false, false, DType::Q8_0)).write(path_));
        const std::vector<TokenId> tokens = words(70);
        std::vector<float> first;
        for (const int threads : {1, 2, 3}) {
            const auto engine = load(threads, "f16");
            QVERIFY(engine);
            hearth::Session& session = *engine->impl().session;
            std::vector<float> got;
            for (const auto& [at, n] : {std::pair{0U, 67U}, {67U, 1U}, {68U, 2U}}) {
                QVERIFY(session.append(std::span(tokens).subspan(at, n), never_));
                const auto row = session.last_logits(never_);
                QVERIFY(row);
                got.insert(got.end(), row->begin(), row->end());
            }
            first = first.empty() ? got : first;
            QVERIFY(got == first);
        }
    }

    // What RAM does not hold is read in each pass, the matrices of attention last of all.
    void a_budget_changes_nothing() {
        TinyModelOptions options = options_of(true, false, DType::Q8_0);
        options.n_layer = 6;
        options.n_leading = 6;
        options.n_ctx = 64;
        options.n_embd = 256;
        options.n_ff = 128;
        QVERIFY(TinyModel(options).write(path_));
        const auto whole = load(2, "f16");
        QVERIFY(whole);
        const std::uint64_t weights = whole->impl().plan.ram.weights;
        const std::uint64_t all = whole->impl().plan.ram.total();
        const std::vector<TokenId> tokens = words(24);
        bool reads_attention = false;
        for (double share = 0.8; !reads_attention; share -= 0.03) {
            const auto some =
                load(2, "f16",
                     all - static_cast<std::uint64_t>((1 - share) * static_cast<double>(weights)));
            QVERIFY(some);
            QCOMPARE(some->impl().ledger->actual().total(), some->impl().plan.ram.total());
            const hearth::RoleSet streamed = some->impl().plan.placement.streamed(1);
            QVERIFY(streamed.any() && !streamed.has(hearth::Role::KeyUp));
            reads_attention = streamed.has(hearth::Role::Q);
            for (const auto& engine : {whole.get(), some.get()}) {
                engine->impl().session->clear();
                QVERIFY(engine->impl().session->append(tokens, never_));
                QVERIFY(engine->impl().session->decode_one(tokens[5], never_));
            }
            const auto wanted = whole->impl().session->last_logits(never_);
            const auto got = some->impl().session->last_logits(never_);
            QVERIFY(got && wanted && std::equal(got->begin(), got->end(), wanted->begin()));
        }
    }

    void what_is_planned_is_held_data() {
        QTest::addColumn<bool>("fused");
        QTest::addColumn<QString>("kv");
        QTest::newRow("f16") << false << QString("f16");
        QTest::newRow("q8_0, one matrix for both") << true << QString("q8_0");
    }
    void what_is_planned_is_held() {
        QFETCH(bool, fused);
        QFETCH(QString, kv);
        QVERIFY(TinyModel(options_of(fused, false, DType::Q8_0)).write(path_));
        const auto engine = load(2, kv.toStdString());
        QVERIFY(engine);
        const hearth::LoadedModel& model = engine->impl();
        QCOMPARE(model.ledger->actual().total(), model.plan.ram.total());
    }

private:
    std::vector<double> reference(const std::vector<TokenId>& tokens) const {
        const auto model = hearth::test::ReferenceModel::open(path_);
        return model ? model->logits(tokens) : std::vector<double>{};
    }
    std::unique_ptr<hearth::Engine> load(int threads, const std::string& kv,
                                         std::uint64_t ram_bytes = 0) const {
        hearth::EngineOptions options = hearth::test::small_engine(path_, ram_bytes);
        options.threads = threads;
        options.kv = kv;
        return hearth::test::load_or_say(options);
    }

    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
    const hearth::Cancellation never_{};
};

QTEST_GUILESS_MAIN(LatentAttentionTest)
#include "latent_attention_test.moc"
