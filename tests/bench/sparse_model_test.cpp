// Planted activity must be what the header of sparse_model.h says, measured a second way.
#include "bench/sparse_model.h"

#include <QtTest>
#include <cmath>
#include <numeric>
#include <set>

#include "bench/sparse_report.h"
#include "gguf/reader.h"
#include "support/gguf_builder.h"
#include "support/temp_dir.h"
#include "text/chat_template.h"

using namespace hearth;
using namespace hearth::bench;

namespace {

constexpr int kLayers = 2;
const ModelShape kTiny{"tiny", 256,  kLayers, 4,        4,   64,
                       1024,   1000, false,   10000.0F, 256, VocabKind::SentencePiece};

}  // namespace

class SparseModelTest : public QObject {
    Q_OBJECT

private slots:
    void frequencies_are_as_stated() {
        constexpr int kSteps = 10000;
        double sum = 0;
        double busy = 0;
        double squares = 0;
        for (int i = 0; i < kSteps; ++i) {
            const double rank = (i + 0.5) / kSteps;
            const double share = planted_frequency(rank);
            QVERIFY(share > 0 && share < 1);
            QVERIFY(i == 0 || share <= planted_frequency((i - 0.5) / kSteps));
            sum += share / kSteps;
            busy += rank < 0.26 ? share / kSteps : 0;
            squares += share * share / kSteps;
        }
        QVERIFY2(std::abs(sum - 0.1) < 0.0005, qPrintable(QString::number(sum)));
        QVERIFY2(std::abs(busy / sum - 0.8) < 0.005, qPrintable(QString::number(busy / sum)));
        QVERIFY(std::abs(squares / (2 * sum - squares) - 0.33) < 0.005);
    }

    void another_mean_is_as_stated_data() {
        QTest::addColumn<double>("firing");
        for (const double firing : {0.05, 0.3, 0.54, 0.8}) {
            QTest::addRow("%.2f", firing) << firing;
        }
    }
    void another_mean_is_as_stated() {
        QFETCH(double, firing);
        constexpr int kSteps = 1000;
        double sum = 0;
        double before = 1;
        for (int i = 0; i < kSteps; ++i) {
            const double share = planted_frequency((i + 0.5) / kSteps, firing);
            QVERIFY(share > 0 && share <= before);
            before = share;
            sum += share / kSteps;
        }
        QVERIFY2(std::abs(sum - firing) < 0.002, qPrintable(QString::number(sum)));
        const std::string path = dir_.file("firing.gguf");
        SparseOptions options;
        options.firing = firing;
        QVERIFY(write_sparse_model(path, kTiny, options));
        const auto layers = report_sparse_model(path, 200, 5, 2);
        QVERIFY(layers);
        for (const SparseLayerReport& layer : *layers) {
            QVERIFY2(std::abs(layer.density - firing) < 0.02,
                     qPrintable(QString::number(layer.density)));
        }
    }

    void neurons_fire_as_planted_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<double>("gate_open");
        QTest::addColumn<double>("recall");
        QTest::addColumn<double>("precision");
        QTest::newRow("relu") << int(SparseKind::ReluGated) << 0.10 << 0.94 << 0.84;
        QTest::newRow("drelu") << int(SparseKind::DRelu) << 0.17 << 0.87 << 0.78;
    }
    void neurons_fire_as_planted() {
        QFETCH(int, kind);
        QFETCH(double, gate_open);
        QFETCH(double, recall);
        QFETCH(double, precision);
        const std::string path = dir_.file("sparse.gguf");
        SparseOptions options;
        options.kind = static_cast<SparseKind>(kind);
        const auto bytes = write_sparse_model(path, kTiny, options);
        QVERIFY2(bytes, bytes ? "" : bytes.error().message.c_str());
        QCOMPARE(static_cast<qint64>(*bytes), QFileInfo(QString::fromStdString(path)).size());
        const auto layers = report_sparse_model(path, 200, 5, 2);
        QVERIFY(layers);
        QCOMPARE(layers->size(), std::size_t{kLayers});
        for (const SparseLayerReport& layer : *layers) {
            const QString seen = QString(
                                     "density %1, gate open %2, busy %3, Jaccard %4, recall "
                                     "%5, precision %6, overlap %7")
                                     .arg(layer.density)
                                     .arg(layer.gate_open)
                                     .arg(layer.busy_share)
                                     .arg(layer.jaccard)
                                     .arg(layer.recall)
                                     .arg(layer.precision)
                                     .arg(layer.hot_overlap);
            QVERIFY2(std::abs(layer.density - 0.1) < 0.01, qPrintable(seen));
            QVERIFY2(std::abs(layer.gate_open - gate_open) < 0.02, qPrintable(seen));
            // The busiest are told by the same tokens they are counted on: a little more than 0.80.
            QVERIFY2(layer.busy_share > 0.77 && layer.busy_share < 0.85, qPrintable(seen));
            QVERIFY2(std::abs(layer.jaccard - 0.33) < 0.04, qPrintable(seen));
            QVERIFY2(layer.recall > recall && layer.recall < 0.995, qPrintable(seen));
            QVERIFY2(layer.precision > precision && layer.precision < 0.97, qPrintable(seen));
        }
        QVERIFY(layers->back().hot_overlap < 0.35);  // chance: 0.26
    }

    void talks_if_asked() {
        const std::string path = dir_.file("chat.gguf");
        for (const bool wanted : {false, true}) {
            SparseOptions options;
            options.chat_template = wanted;
            QVERIFY(write_sparse_model(path, kTiny, options));
            const auto file = GgufFile::open(path);
            QVERIFY(file);
            QCOMPARE(ChatTemplate::create(file->metadata()).has_value(), wanted);
        }
    }

    // Half as many neurons as of one topic are common to two tokens, in the mean of all pairs.
    void topics_make_other_neurons_fire() {
        const std::string path = dir_.file("topics.gguf");
        for (const auto kind : {SparseKind::ReluGated, SparseKind::DRelu}) {
            SparseOptions options;
            options.kind = kind;
            options.two_topics = true;
            QVERIFY(write_sparse_model(path, kTiny, options));
            const auto layers = report_sparse_model(path, 200, 5, 2);
            QVERIFY(layers);
            for (const SparseLayerReport& layer : *layers) {
                QVERIFY2(std::abs(layer.density - 0.1) < 0.02,
                         qPrintable(QString::number(layer.density)));
                QVERIFY2(layer.jaccard < 0.28, qPrintable(QString::number(layer.jaccard)));
                QVERIFY2(layer.recall > 0.84, qPrintable(QString::number(layer.recall)));
            }
        }
        ModelShape experts = kTiny;
        experts.experts = {.n = 4, .n_used = 2, .n_ff = 256};
        SparseOptions options;
        options.two_topics = true;
        QVERIFY(!write_sparse_model(path, experts, options));
    }

    void layout_is_powerinfers() {
        const std::string path = dir_.file("layout.gguf");
        SparseOptions options;
        options.predictor_rank = 96;
        QVERIFY(write_sparse_model(path, kTiny, options));
        const auto file = GgufFile::open(path);
        QVERIFY(file);
        QCOMPARE(file->container(), Container::Pwri);
        const auto& tensors = file->tensors().entries();
        QCOMPARE(tensors.size(), std::size_t{11 * kLayers + 3});
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            const bool predictor = tensors[i].name.find(".fc") != std::string::npos;
            QCOMPARE(predictor, i >= tensors.size() - 2 * kLayers);
        }
        using Shape = std::vector<std::uint64_t>;
        const auto shape = [&](const char* name) { return file->tensors().find(name)->shape; };
        QCOMPARE(shape("blk.1.ffn_down_t.weight"), (Shape{1024, 256}));
        QCOMPARE(shape("blk.1.fc1.weight"), (Shape{96, 256}));
        QCOMPARE(shape("blk.1.fc2.weight"), (Shape{1024, 96}));
        QCOMPARE(file->tensors().find("output.weight")->type, DType::Q6_K);
        const auto threshold = file->metadata().number("powerinfer.sparse_threshold");
        QVERIFY(threshold && *threshold == 0.0);
        const auto words = file->metadata().array("tokenizer.ggml.tokens", MetadataType::String);
        QVERIFY(words);
        const std::set<std::string> unique((*words)->strings.begin(), (*words)->strings.end());
        QCOMPARE(unique.size(), (*words)->strings.size());
    }

    void bytes_depend_on_the_seed_alone() {
        const auto made = [&](std::uint64_t seed, int threads) {
            const std::string path = dir_.file("same.gguf");
            SparseOptions options;
            options.kind = SparseKind::DRelu;
            options.output_type = DType::Q4_0;
            options.seed = seed;
            options.threads = threads;
            return write_sparse_model(path, kTiny, options) ? test::read_file(path) : test::Bytes{};
        };
        const test::Bytes one = made(7, 1);
        QVERIFY(!one.empty());
        QVERIFY(made(7, 3) == one);
        QVERIFY(made(8, 1) != one);
    }

    void refuses_what_it_cannot_make() {
        const std::string path = dir_.file("refused.gguf");
        const auto refused = [&](int n_embd, int rank, DType output) {
            ModelShape shape = kTiny;
            shape.n_embd = n_embd;
            SparseOptions options;
            options.predictor_rank = rank;
            options.output_type = output;
            const auto made = write_sparse_model(path, shape, options);
            return !made && made.error().code == ErrorCode::InvalidArgument &&
                   !QFileInfo::exists(QString::fromStdString(path));
        };
        QVERIFY(refused(260, 0, DType::Q4_0));
        QVERIFY(refused(288, 0, DType::Q6_K));
        QVERIFY(refused(256, 0, DType::Q8_0));
        QVERIFY(refused(256, 32, DType::Q4_0));
        QVERIFY(refused(256, 100, DType::Q4_0));
        QVERIFY(refused(256, 512, DType::Q4_0));
        for (const double firing : {0.0, 0.95}) {
            SparseOptions options;
            options.firing = firing;
            QVERIFY(!write_sparse_model(path, kTiny, options));
        }
    }

private:
    test::TempDir dir_;
};

QTEST_GUILESS_MAIN(SparseModelTest)
#include "sparse_model_test.moc"
