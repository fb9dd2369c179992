// The map of the engine behind the window: it comes while it is wanted, and then only.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>

#include "bridge/local_inference.h"
#include "support/tiny_model.h"

using namespace hearth::ui;
using hearth::test::TinyModel;

class WatchedMapTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QList<MapReport> maps_;

    QString write(const QString& name, int layers) const {
        const QString path = folder_.filePath(name);
        const TinyModel model({.arch = "qwen3moe", .n_layer = layers, .n_ctx = 512});
        return model.write(path.toStdString()) ? path : QString();
    }
    void listen(LocalInference& inference) {
        maps_.clear();
        connect(&inference, &InferenceService::mapped, this,
                [this](const MapReport& map) { maps_ << map; });
    }
    static bool load(LocalInference& inference, const QString& path) {
        QSignalSpy reported(&inference, &InferenceService::reported);
        LoadOptions options{path, 1, 0};
        options.gpu = QStringLiteral("none");
        inference.loadModel(options);
        return reported.wait(60'000);
    }
    // Its summary; the engine's thread has done all that comes with an answer.
    static GenerationSummary answer(LocalInference& inference, int tokens) {
        QSignalSpy finished(&inference, &InferenceService::finished);
        GenerationSettings settings;
        settings.temperature = 0;
        settings.maxTokens = tokens;
        inference.generate(1, {{QStringLiteral("user"), QStringLiteral("What is rain?")}},
                           settings);
        if (!finished.wait(60'000)) {
            return {};
        }
        const auto summary = finished.first().at(1).value<GenerationSummary>();
        // The thread asks itself for the rest of its work, which reports a map, too, once the
        // answer is told: the first may come before that, and the second comes behind it.
        drain(inference);
        drain(inference);
        return summary;
    }
    // Answered by the engine's thread behind everything that it was asked before.
    static void drain(LocalInference& inference) {
        QSignalSpy reported(&inference, &InferenceService::reported);
        inference.setBudget({.id = 99});
        QVERIFY(reported.wait(60'000));
        QCoreApplication::processEvents();
    }

private slots:
    void initTestCase() {
        qRegisterMetaType<GenerationSummary>();
        QVERIFY(folder_.isValid());
    }

    void comesWhileItIsWanted() {
        const QString path = write(QStringLiteral("four.gguf"), 4);
        QVERIFY(!path.isEmpty());
        LocalInference inference;
        listen(inference);
        QVERIFY(load(inference, path));
        QVERIFY(answer(inference, 20).tokenCount > 0);
        QVERIFY(maps_.isEmpty());

        inference.watchMap(true);
        QTRY_COMPARE(maps_.size(), 1);
        QVERIFY(!maps_.first().answering);
        QCOMPARE(maps_.first().layers.size(), 4);
        QCOMPARE(maps_.first().modelPath, path);
        const quint64 tokens = maps_.first().tokens;
        QVERIFY(tokens > 0);

        // Each step of an answer, and its end.
        inference.setMapInterval(0);
        ExpertShares before;
        for (const MappedLayer& layer : maps_.first().layers) {
            before += layer.chosen;
        }
        maps_.clear();
        const GenerationSummary summary = answer(inference, 20);
        QVERIFY(summary.tokenCount > 5);
        QVERIFY(maps_.size() > 6);
        QVERIFY(maps_.first().answering);
        QCOMPARE(maps_.first().tokens, tokens);
        QVERIFY(!maps_.last().answering);
        QVERIFY(maps_.last().tokens > tokens);
        bool ended = false;
        for (qsizetype i = 1; i < maps_.size(); ++i) {
            QVERIFY(maps_.at(i).takenNs > maps_.at(i - 1).takenNs);
            QVERIFY(maps_.at(i).tokens >= maps_.at(i - 1).tokens);
            QVERIFY(!ended || !maps_.at(i).answering);
            ended = !maps_.at(i).answering;
        }
        ExpertShares chosen;
        for (const MappedLayer& layer : maps_.last().layers) {
            chosen += layer.chosen;
            QCOMPARE(layer.chosen.memory,
                     maps_.last().tokens * static_cast<quint64>(layer.expertsOfToken));
        }
        before += summary.experts;
        QVERIFY(chosen == before);

        // With a long step, an answer's beginning and its end.
        inference.setMapInterval(3'600'000);
        maps_.clear();
        QVERIFY(answer(inference, 20).tokenCount > 5);
        QCOMPARE(std::count_if(maps_.begin(), maps_.end(),
                               [](const MapReport& map) { return map.answering; }),
                 1);
        QVERIFY(!maps_.last().answering);

        inference.watchMap(false);
        maps_.clear();
        QVERIFY(answer(inference, 10).tokenCount > 0);
        QVERIFY(maps_.isEmpty());
    }

    void comesWithABudgetAndWithAnotherModel() {
        const QString four = write(QStringLiteral("four.gguf"), 4);
        const QString six = write(QStringLiteral("six.gguf"), 6);
        LocalInference inference;
        listen(inference);
        inference.watchMap(true);  // there is no model yet
        QVERIFY(load(inference, four));
        QTRY_VERIFY(!maps_.isEmpty());
        QCOMPARE(maps_.last().layers.size(), 4);
        const quint64 budget = maps_.last().ramBudget - (quint64{1} << 20);
        maps_.clear();
        inference.setBudget({.id = 1, .ramBytes = budget});
        QTRY_VERIFY(!maps_.isEmpty());
        QCOMPARE(maps_.last().ramBudget, budget);
        maps_.clear();
        QVERIFY(load(inference, six));
        QTRY_VERIFY(!maps_.isEmpty());
        QCOMPARE(maps_.last().modelPath, six);
        QCOMPARE(maps_.last().layers.size(), 6);
        QCOMPARE(maps_.last().tokens, quint64{0});
        maps_.clear();
        inference.unloadModel();
        inference.watchMap(true);
        QSignalSpy failed(&inference, &InferenceService::loadFailed);
        inference.loadModel({folder_.filePath(QStringLiteral("none.gguf")), 1, 0});
        QVERIFY(failed.wait(60'000));
        QVERIFY(maps_.isEmpty());
    }
};

QTEST_GUILESS_MAIN(WatchedMapTest)
#include "watched_map_test.moc"
