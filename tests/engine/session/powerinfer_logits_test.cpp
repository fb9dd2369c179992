// PowerInfer's own logits on files this project makes: both engines must mean the same by them. The
// numbers were read off PowerInfer, token by token, its predictors' masks in force; the threshold
// is so high that leaving neurons out moves logits several times as far as rounding does.
#include <hearth/engine.h>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <cmath>

#include "bench/sparse_model.h"
#include "session/loaded_model.h"
#include "support/temp_dir.h"

namespace {

std::vector<float> logits_one_by_one(const std::string& path, const std::string& mode,
                                     const QJsonArray& tokens, const QJsonArray& ids) {
    hearth::EngineOptions options;
    options.model_path = path;
    options.threads = 2;
    options.mode = mode;
    auto engine = hearth::Engine::load(options);
    std::vector<float> out;
    if (!engine) {
        qWarning("%s", engine.error().message.c_str());
        return out;
    }
    hearth::Session& session = *(*engine)->impl().session;
    for (const auto token : tokens) {
        if (!session.decode_one(token.toInt(), {})) {
            return {};
        }
        for (const auto id : ids) {
            out.push_back((*session.last_logits({}))[static_cast<std::size_t>(id.toInt())]);
        }
    }
    return out;
}

double rms_difference(const std::vector<float>& got, const QJsonArray& rows) {
    double squares = 0;
    std::size_t at = 0;
    for (const auto row : rows) {
        for (const auto value : row.toArray()) {
            const double difference = static_cast<double>(got.at(at++)) - value.toDouble();
            squares += difference * difference;
        }
    }
    return std::sqrt(squares / static_cast<double>(at));
}

}  // namespace

class PowerInferLogitsTest : public QObject {
    Q_OBJECT

private slots:
    void the_same_logits_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("kind");
        // Of the mean square's root; logits are about 1. Scores near the threshold fall on either
        // side of it, since both engines round activations to 8 bits, each in its own way.
        QTest::addColumn<double>("bound");
        QTest::newRow("llama") << "pwri" << int(hearth::bench::SparseKind::ReluGated) << 0.09;
        QTest::newRow("bamboo") << "bamboo" << int(hearth::bench::SparseKind::DRelu) << 0.03;
    }
    void the_same_logits() {
        QFETCH(QString, name);
        QFETCH(int, kind);
        QFETCH(double, bound);
        QFile file(QStringLiteral(HEARTH_SOURCE_DIR "/tests/data/powerinfer_logits.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject record = QJsonDocument::fromJson(file.readAll()).object();
        const QJsonArray tokens = record["tokens"].toArray();
        const QJsonArray ids = record["ids"].toArray();
        const QJsonArray rows = record[name].toArray();
        QCOMPARE(rows.size(), tokens.size());

        hearth::test::TempDir dir;
        const std::string path = dir.file("sparse.gguf");
        hearth::bench::SparseOptions options;
        options.kind = static_cast<hearth::bench::SparseKind>(kind);
        options.layer_output = 0.7;
        options.threshold = 1;
        QVERIFY(
            hearth::bench::write_sparse_model(path, *hearth::bench::find_shape("small"), options));
        const std::vector<float> predicted = logits_one_by_one(path, "predicted", tokens, ids);
        const std::vector<float> exact = logits_one_by_one(path, "exact", tokens, ids);
        QCOMPARE(predicted.size(), static_cast<std::size_t>(tokens.size() * ids.size()));
        QCOMPARE(exact.size(), predicted.size());
        const double off = rms_difference(predicted, rows);
        const double unmasked = rms_difference(exact, rows);
        qInfo("%.4f from PowerInfer's, %.4f without masks", off, unmasked);
        QVERIFY2(off < bound, qPrintable(QString::number(off)));
        QVERIFY2(unmasked > 1.8 * off, qPrintable(QString::number(unmasked)));
    }
};

QTEST_GUILESS_MAIN(PowerInferLogitsTest)
#include "powerinfer_logits_test.moc"
