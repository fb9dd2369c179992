// Qwen3.8-Flash-Next on the processor: several residual streams, a table that the latest tokens
// choose rows of, and attention that chooses blocks of the past. Logits are those of plain
// arithmetic however a text is cut into passes, each feature counts, and the table stays on disk.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "session/loaded_model.h"
#include "session/processor.h"
#include "support/reference_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::DType;
using hearth::TokenId;
using hearth::test::GgufBuilder;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;

namespace {

// Keys and values of earlier passes are read as halves; logits are about 1 each.
constexpr double kBound = 5e-3;
constexpr const char* kTable = "per_layer_token_embd.weight";

// Every now and then a text ends.
std::vector<TokenId> words(int count) {
    std::vector<TokenId> tokens;
    for (int i = 0; i < count; ++i) {
        tokens.push_back(i % 11 == 6 ? 2 : 3 + (i * i * 7 + i * 3 + 5) % 256);
    }
    return tokens;
}

TinyModelOptions options(int choice_budget = 0) {
    return {.arch = "qwen4exp", .n_layer = 4, .n_ctx = 256, .choice_budget = choice_budget};
}

std::vector<double> reference(const GgufBuilder& file, const std::vector<TokenId>& tokens) {
    const auto model = hearth::test::ReferenceModel::parse(file.bytes());
    return model ? model->logits(tokens) : std::vector<double>{};
}

double mean_divergence(const std::vector<double>& got, const std::vector<double>& wanted) {
    const auto n_vocab = static_cast<std::size_t>(TinyModel::kVocab);
    double sum = 0;
    for (std::size_t row = 0; row < wanted.size(); row += n_vocab) {
        double total_got = 0;
        double total_wanted = 0;
        for (std::size_t i = row; i < row + n_vocab; ++i) {
            total_got += std::exp(got[i]);
            total_wanted += std::exp(wanted[i]);
        }
        for (std::size_t i = row; i < row + n_vocab; ++i) {
            sum += std::exp(wanted[i]) / total_wanted *
                   (wanted[i] - std::log(total_wanted) - got[i] + std::log(total_got));
        }
    }
    return sum / static_cast<double>(wanted.size() / n_vocab);
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double off = std::fabs(a[i] - b[i]);
        most = std::max(most, std::isfinite(off) ? off : 1e9);
    }
    return most;
}

}  // namespace

class SeveralStreamsTest : public QObject {
    Q_OBJECT

private slots:
    // Passes of every size give each token what plain arithmetic gives it. All positions are read.
    void logits_are_those_of_plain_arithmetic_data() {
        QTest::addColumn<int>("batch");
        for (const int batch : {1, 2, 7, 64, 90}) {
            QTest::addRow("%d", batch) << batch;
        }
    }
    void logits_are_those_of_plain_arithmetic() {
        QFETCH(const int, batch);
        const std::vector<TokenId> tokens = words(90);
        const TinyModel model(options());
        const std::vector<double> got = logits_of(model.file(), tokens, batch);
        const std::vector<double> wanted = last_of(model.logits(tokens), batch);
        QCOMPARE(got.size(), wanted.size());
        QVERIFY2(largest_difference(got, wanted) < kBound,
                 qPrintable(QString::number(largest_difference(got, wanted))));
        QVERIFY(mean_divergence(got, wanted) < 1e-5);
    }

    // The same where attention chooses from position 19 on. A block that is as good as another but
    // for rounding may be the other one then, so a few logits are far off.
    void chosen_blocks_are_those_of_plain_arithmetic_data() {
        logits_are_those_of_plain_arithmetic_data();
    }
    void chosen_blocks_are_those_of_plain_arithmetic() {
        QFETCH(const int, batch);
        const std::vector<TokenId> tokens = words(90);
        const TinyModel model(options(16));
        const std::vector<double> wanted = model.logits(tokens);
        const std::vector<double> all = TinyModel(options()).logits(tokens);
        QVERIFY(mean_divergence(wanted, all) > 2e-4);
        // Up to position 18 all four blocks are seen.
        const auto n_same = static_cast<std::ptrdiff_t>(19 * TinyModel::kVocab);
        QVERIFY(std::equal(all.begin(), all.begin() + n_same, wanted.begin()));
        QVERIFY(!std::equal(all.begin(), all.begin() + n_same + TinyModel::kVocab, wanted.begin()));
        const std::vector<double> got = logits_of(model.file(), tokens, batch);
        const std::vector<double> some = last_of(wanted, batch);
        QCOMPARE(got.size(), some.size());
        if (batch == 90) {  // the first position that chooses
            const auto row_of = [&](const std::vector<double>& rows) {
                return std::vector<double>(rows.begin() + n_same,
                                           rows.begin() + n_same + TinyModel::kVocab);
            };
            const double chooses = largest_difference(row_of(all), row_of(wanted));
            QVERIFY(largest_difference(row_of(got), row_of(wanted)) < 0.2 * chooses);
        }
        QVERIFY2(mean_divergence(got, some) < 2e-5,
                 qPrintable(QString::number(mean_divergence(got, some))));
    }

    // Blocks of every length and pasts of both kinds: tiles of the past hold 16 positions.
    void blocks_of_other_lengths_data() {
        QTest::addColumn<int>("block");
        QTest::addColumn<int>("budget");
        QTest::addColumn<int>("heads");
        QTest::addColumn<bool>("bytes");
        QTest::newRow("whole tiles") << 16 << 32 << 4 << false;
        QTest::newRow("whole tiles of bytes") << 16 << 32 << 4 << true;
        QTest::newRow("longer than a tile") << 24 << 24 << 4 << false;
        QTest::newRow("odd") << 5 << 20 << 4 << false;
        QTest::newRow("odd, in bytes") << 5 << 20 << 4 << true;
        QTest::newRow("many heads of queries") << 2 << 16 << 20 << false;
    }
    void blocks_of_other_lengths() {
        QFETCH(const int, block);
        QFETCH(const int, budget);
        QFETCH(const int, heads);
        QFETCH(const bool, bytes);
        TinyModelOptions wanted_options = options(budget);
        wanted_options.n_head = heads;
        wanted_options.head_dim = 32;
        GgufBuilder file = TinyModel(wanted_options).file();
        const char* ratios = "qwen4exp.attention.compress_ratios";
        file.without(ratios).array(ratios, std::vector<std::int32_t>{0, block, 0, block});
        const std::vector<TokenId> tokens = words(90);
        const std::vector<double> wanted = reference(file, tokens);
        for (const int batch : {1, 90}) {
            const std::vector<double> got = logits_of(file, tokens, batch, bytes);
            const std::vector<double> some = last_of(wanted, batch);
            QCOMPARE(got.size(), some.size());
            const double off = mean_divergence(got, some);
            QVERIFY2(off < (bytes ? 4e-5 : 2e-5), qPrintable(QString::number(off)));
        }
    }

    // Each part of the file that a feature needs, made nothing: logits are others, and those of
    // plain arithmetic again.
    void each_feature_counts_data() {
        QTest::addColumn<QString>("ending");
        for (const char* ending :
             {"hc_attn_up", "hc_ffn_up", "output_hc_up", "hc_attn_inject", "hc_ffn_inject",
              "hc_attn_down", "ple_value", "ple_key", "ple_conv1d", "per_layer_token_embd",
              "indexer.q_proj", "indexer.k_proj", "attn_gate"}) {
            QTest::newRow(ending) << ending;
        }
    }
    void each_feature_counts() {
        QFETCH(const QString, ending);
        const std::vector<TokenId> tokens = words(40);
        const TinyModel model(options(16));
        const GgufBuilder whole = model.file();
        const GgufBuilder without = zeroed(whole, ending.toStdString() + ".weight");
        const std::vector<double> wanted = reference(without, tokens);
        const std::vector<double> got = logits_of(without, tokens, 40);
        QCOMPARE(got.size(), wanted.size());
        const double changed = mean_divergence(got, model.logits(tokens));
        QVERIFY2(changed > 2e-4, qPrintable(QString::number(changed)));
        // Blocks that are all worth nothing are chosen as they stand.
        const double off = mean_divergence(got, wanted);
        QVERIFY2(off < 2e-5, qPrintable(QString::number(off)));
    }

    // A table of other rows than those that a text reads changes nothing, and takes no memory.
    void the_table_stays_in_the_file() {
        const TinyModel model(options());
        const std::vector<TokenId> tokens = words(40);
        const std::vector<double> wanted = logits_of(model.file(), tokens, 40);
        const std::uint64_t bytes = planned_;
        GgufBuilder larger = model.file();
        const auto rows = table_of(larger);
        std::vector<float> more = rows;
        more.resize(rows.size() + 32 * 20000, std::numeric_limits<float>::quiet_NaN());
        larger.without(kTable).tensor_f32(kTable, {more.size() / 32, 32}, more);
        QVERIFY(logits_of(larger, tokens, 40) == wanted);
        QCOMPARE(planned_, bytes);
    }

    // Rows that are no numbers end a pass with an error that names them, and the next one works.
    void rows_that_are_no_numbers_are_told() {
        GgufBuilder file = TinyModel(options()).file();
        std::vector<float> rows = table_of(file);
        const std::vector<TokenId> tokens = words(12);
        // The first token is the first of a text, and reads one row of either head.
        const auto spec = spec_of(file);
        std::vector<std::uint64_t> read(2);
        const std::vector<std::int32_t> latest{tokens[0], hearth::NgramSpec::kNoToken,
                                               hearth::NgramSpec::kNoToken};
        hearth::ngram_rows(spec.ngram, latest, read);
        rows[read[1] * 32 + 31] = std::numeric_limits<float>::infinity();
        file.without(kTable).tensor_f32(kTable, {rows.size() / 32, 32}, rows);
        QVERIFY(file.write(path_));
        const auto engine = load();
        QVERIFY(engine);
        hearth::Session& session = *engine->impl().session;
        const auto failed = session.append(tokens, never_);
        QVERIFY(!failed);
        QVERIFY2(failed.error().message.find(kTable) != std::string::npos,
                 failed.error().message.c_str());
        session.clear();
        QVERIFY(session.append(std::span(tokens).subspan(1, 5), never_));
        QVERIFY(session.last_logits(never_));
    }

    // Types that a file may have its matrices in: those of the mixes and of the table too.
    void quantised_files_run_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("bound");
        QTest::newRow("F16") << static_cast<int>(DType::F16) << 1e-4;
        QTest::newRow("Q8_0") << static_cast<int>(DType::Q8_0) << 2e-2;
        QTest::newRow("Q4_0") << static_cast<int>(DType::Q4_0) << 2e-2;
    }
    void quantised_files_run() {
        QFETCH(const int, type);
        QFETCH(const double, bound);
        TinyModelOptions wanted_options = options(16);
        wanted_options.type = static_cast<DType>(type);
        const TinyModel model(wanted_options);
        const std::vector<TokenId> tokens = words(40);
        for (const int batch : {1, 40}) {
            const std::vector<double> got = logits_of(model.file(), tokens, batch);
            const std::vector<double> wanted = last_of(model.logits(tokens), batch);
            QCOMPARE(got.size(), wanted.size());
            const double off = mean_divergence(got, wanted);
            QVERIFY2(off < bound, qPrintable(QString::number(off)));
        }
    }

    // A RAM budget below the file: experts lie in slots, and not a bit of the logits changes.
    void a_budget_changes_no_bit() {
        TinyModelOptions wanted_options = options(16);
        wanted_options.n_ctx = 64;
        wanted_options.type = DType::Q8_0;
        wanted_options.n_embd = 256;
        wanted_options.n_ff = 512;
        QVERIFY(TinyModel(wanted_options).write(path_));
        const auto whole = load();
        QVERIFY(whole);
        const std::uint64_t all = whole->impl().plan.ram.total();
        const std::uint64_t experts = 4ULL * 8 * 3 * 256 * 512 * 34 / 32;
        QVERIFY(all > experts);
        const std::vector<TokenId> tokens = words(40);
        for (const double share : {0.8, 0.5}) {
            const auto some =
                load(all - static_cast<std::uint64_t>((1 - share) * static_cast<double>(experts)));
            QVERIFY(some);
            QVERIFY(some->flash().are_experts);
            QCOMPARE(some->impl().ledger->actual().total(), some->impl().plan.ram.total());
            for (const auto& engine : {whole.get(), some.get()}) {
                engine->impl().session->clear();
                QVERIFY(engine->impl().session->append(std::span(tokens).first(30), never_));
            }
            for (int i = 30; i < 40; ++i) {
                const auto wanted = whole->impl().session->last_logits(never_);
                const auto got = some->impl().session->last_logits(never_);
                QVERIFY(got && wanted && std::equal(got->begin(), got->end(), wanted->begin()));
                for (const auto& engine : {whole.get(), some.get()}) {
                    QVERIFY(engine->impl().session->decode_one(tokens[static_cast<std::size_t>(i)],
                                                               never_));
                }
            }
            QVERIFY(some->flash().neuron_misses > 0);
        }
    }

private:
    // A file with the tensors of that ending full of zeros.
    static GgufBuilder zeroed(const GgufBuilder& whole, const std::string& ending) {
        const hearth::test::Bytes bytes = whole.bytes();
        const auto parsed = hearth::GgufFile::parse(bytes, "tiny.gguf");
        GgufBuilder file = whole;
        for (const hearth::TensorInfo& tensor : parsed->tensors().entries()) {
            if (tensor.name.ends_with(ending)) {
                file.without(tensor.name).tensor(tensor.name, tensor.shape, tensor.type);
            }
        }
        return file;
    }
    static std::vector<float> table_of(const GgufBuilder& file) {
        const hearth::test::Bytes bytes = file.bytes();
        const auto parsed = hearth::GgufFile::parse(bytes, "tiny.gguf");
        const hearth::TensorInfo* table = parsed->tensors().find(kTable);
        std::vector<float> rows(table->bytes / sizeof(float));
        std::memcpy(rows.data(), bytes.data() + table->offset, table->bytes);
        return rows;
    }
    static hearth::ModelSpec spec_of(const GgufBuilder& file) {
        const hearth::test::Bytes bytes = file.bytes();
        return *hearth::read_model_spec(*hearth::GgufFile::parse(bytes, "tiny.gguf"));
    }
    // The logits of the last position of each of the passes of so many tokens; where one pass has
    // them all, of every position. Empty: it failed.
    std::vector<double> logits_of(const GgufBuilder& file, const std::vector<TokenId>& tokens,
                                  int batch, bool bytes = false) {
        std::vector<double> all;
        if (!file.write(path_)) {
            return all;
        }
        const auto engine = load(0, bytes);
        if (!engine) {
            return all;
        }
        planned_ = engine->impl().plan.ram.weights;
        hearth::Session& session = *engine->impl().session;
        const auto keep = [&](std::size_t, std::span<const float> row) {
            all.insert(all.end(), row.begin(), row.end());
        };
        const auto n = static_cast<std::size_t>(batch);
        if (n >= tokens.size()) {
            const auto done = session.score(tokens, hearth::Decoder::Want::All, keep, never_);
            return done ? all : std::vector<double>{};
        }
        session.clear();
        for (std::size_t first = 0; first < tokens.size(); first += n) {
            const auto some = std::span(tokens).subspan(first, std::min(n, tokens.size() - first));
            if (!session.append(some, never_)) {
                return {};
            }
            const auto row = session.last_logits(never_);
            if (!row) {
                return {};
            }
            keep(0, *row);
        }
        return all;
    }
    // The rows that logits_of() gives, of those of every position.
    static std::vector<double> last_of(const std::vector<double>& all, int batch) {
        const std::size_t row = TinyModel::kVocab;
        const std::size_t n_tokens = all.size() / row;
        const auto n = static_cast<std::size_t>(batch);
        if (n >= n_tokens) {
            return all;
        }
        std::vector<double> some;
        for (std::size_t first = 0; first < n_tokens; first += n) {
            const std::size_t last = std::min(first + n, n_tokens) - 1;
            const auto at = all.begin() + static_cast<std::ptrdiff_t>(last * row);
            some.insert(some.end(), at, at + static_cast<std::ptrdiff_t>(row));
        }
        return some;
    }
    std::unique_ptr<hearth::Engine> load(std::uint64_t ram_bytes = 0, bool bytes = false) const {
        hearth::EngineOptions options;
        options.model_path = path_;
        if (ram_bytes > 0) {
            options.ram_bytes = ram_bytes;
        }
        options.threads = 2;
        options.gpu = "none";
        options.kv = bytes ? "q8_0" : "f16";
        auto engine = hearth::Engine::load(options);
        if (!engine) {
            qWarning("%s", engine.error().message.c_str());
        }
        return engine ? std::move(*engine) : nullptr;
    }

    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
    std::uint64_t planned_ = 0;  // bytes of weights, of logits_of()'s latest model
    const hearth::Cancellation never_{};
};

QTEST_GUILESS_MAIN(SeveralStreamsTest)
#include "several_streams_test.moc"
