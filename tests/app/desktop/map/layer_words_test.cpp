#include "map/layer_words.h"

#include <QtTest>

using namespace hearth::ui;

class LayerWordsTest : public QObject {
    Q_OBJECT

    static MappedLayer sparse() {
        MappedLayer layer;
        layer.card = 40'000'000;
        layer.memory = 50'000'000;
        layer.disk = 10'000'000;
        layer.neurons = 14336;
        layer.tokens = 12;
        layer.fired = 0.081;
        layer.hits = 970;
        layer.misses = 30;
        layer.readBytes = 12'000'000;
        return layer;
    }
    static MappedLayer mixture() {
        MappedLayer layer;
        layer.memory = 60'000'000;
        layer.disk = 60'000'000;
        layer.experts = 128;
        layer.expertsOfToken = 8;
        layer.chosen = {0, 3, 1};
        layer.hits = 3;
        layer.misses = 1;
        layer.readBytes = 1000;
        return layer;
    }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void saysAllOfALayer_data() {
        QTest::addColumn<MappedLayer>("layer");
        QTest::addColumn<QString>("words");
        const QString head = QStringLiteral("Layer 2 of 2. ");
        QTest::newRow("sparse")
            << sparse()
            << head +
                   "Its weights, 100.0 MB, lie: 40 % graphics card, 50 % memory, 10 % disk. "
                   "8.1 % of its 14336 neurons fire for a token. Of the neurons needed from the "
                   "disk, memory already had 97 %. Read from the disk so far: 12.0 MB, 1.5 MB a "
                   "second now.";
        QTest::newRow("mixture")
            << mixture()
            << head +
                   "Its weights, 120.0 MB, lie: 50 % memory, 50 % disk. A token chooses 8 of its "
                   "128 experts; those of the answers lay: 75 % memory, 25 % disk. Of the "
                   "experts needed from the disk, memory already had 75 %. Read from the disk so "
                   "far: 1.0 kB, 1.5 MB a second now.";
        MappedLayer layer = mixture();
        layer.chosen = {};
        layer.hits = layer.misses = layer.readBytes = layer.disk = 0;
        QTest::newRow("mixture before an answer")
            << layer
            << head +
                   "Its weights, 60.0 MB, lie: 100 % memory. A token chooses 8 of its 128 experts.";
        layer = {};
        layer.memory = 1'000'000;
        layer.neurons = 96;
        layer.dense = true;
        QTest::newRow("dense") << layer
                               << head +
                                      "Its weights, 1.0 MB, lie: 100 % memory. Each token "
                                      "computes all of its 96 neurons.";
        layer.tokens = 3;
        layer.fired = 0.5;
        QTest::newRow("sparse, computed dense")
            << layer
            << head +
                   "Its weights, 1.0 MB, lie: 100 % memory. 50 % of its 96 neurons fire for a "
                   "token; all are computed, which is faster here.";
        layer.dense = false;
        layer.tokens = 0;
        QTest::newRow("not counted yet") << layer
                                         << head +
                                                "Its weights, 1.0 MB, lie: 100 % memory. It has "
                                                "96 neurons; no answer has been counted yet.";
        layer.neurons = 0;
        QTest::newRow("recurrent") << layer
                                   << head +
                                          "Its weights, 1.0 MB, lie: 100 % memory. It has no "
                                          "feed-forward neurons.";
    }
    void saysAllOfALayer() {
        QFETCH(const MappedLayer, layer);
        QFETCH(const QString, words);
        MapReport report;
        report.layers = {{}, layer};
        QCOMPARE(layerWords(report, 1, 1.5e6, MapTime::Now), words);
    }

    void saysWhenADiskWasRead() {
        MapReport report;
        report.layers = {sparse()};
        report.readBytes = 13'000'000;
        const QString so_far = QStringLiteral("Read from the disk so far: 12.0 MB");
        QVERIFY(layerWords(report, 0, {}, MapTime::Now).endsWith(so_far + "."));
        QVERIFY(layerWords(report, 0, 2e6, MapTime::Never).endsWith(so_far + "."));
        QVERIFY(layerWords(report, 0, 2e6, MapTime::LastAnswer)
                    .endsWith(so_far + ", 2.0 MB a second in the last answer."));
        QCOMPARE(diskLine(report, 0.0, MapTime::Now),
                 QString("Read from the disk: 13.0 MB, 0 bytes a second now"));
        QCOMPARE(diskLine(report, 3e6, MapTime::LastAnswer),
                 QString("Read from the disk: 13.0 MB, 3.0 MB a second in the last answer"));
    }

    void sumsTheModel() {
        MapReport report;
        MappedLayer second = sparse();
        second.neurons = 1024;
        second.fired = 0.5;
        second.hits = 0;
        second.misses = 1000;
        report.layers = {sparse(), second};
        report.ramUsed = 100'000'000;
        report.ramBudget = 200'000'000;
        QCOMPARE(placesLine(report), QString("Weights of the layers: 80.0 MB graphics card, 100.0 "
                                             "MB memory, 20.0 MB disk"));
        QCOMPARE(memoryLine(report),
                 QString("The engine holds 100.0 MB of at most 200.0 MB memory"));
        // (14336 x 8.1 % + 1024 x 50 %) of 15360
        QCOMPARE(activityLine(report), QString("Neurons that fire for a token: 11 %"));
        QCOMPARE(cacheLine(report), QString("Needed from the disk, and already in memory: 49 %"));
        report.vramUsed = 80'000'000;
        report.vramBudget = 90'000'000;
        report.budgetWaits = true;
        QCOMPARE(memoryLine(report),
                 QString("The engine holds 100.0 MB of at most 200.0 MB memory, 80.0 MB of at most "
                         "90.0 MB graphics memory; a new budget holds from the next token on"));
        report.layers = {mixture(), {}, mixture()};
        QCOMPARE(activityLine(report), QString("Chosen experts lay: 75 % memory, 25 % disk"));
        report.layers[0].chosen = report.layers[2].chosen = {};
        QCOMPARE(activityLine(report), QString("Chosen experts: no answer has been counted yet"));
    }

    // A model that memory holds whole, or that fires nothing to count.
    void saysWhatThereIsNotToSay() {
        MapReport report;
        MappedLayer layer;
        layer.memory = 1'000'000;
        layer.neurons = 96;
        layer.dense = true;
        report.layers = {layer, layer};
        QCOMPARE(cacheLine(report), QString());
        QCOMPARE(diskLine(report, {}, MapTime::Never),
                 QString("Answers read nothing from the disk"));
        QCOMPARE(activityLine(report), QString("Each token computes all neurons"));
        report.layers[1].dense = false;
        QCOMPARE(activityLine(report),
                 QString("Neurons that fire: no answer has been counted yet"));
        QCOMPARE(placesLine(MapReport()), QString());
    }

    void percentagesAreNeverRoundedToAllOrNothing_data() {
        QTest::addColumn<quint64>("hits");
        QTest::addColumn<quint64>("misses");
        QTest::addColumn<QString>("words");
        QTest::newRow("all") << quint64{5} << quint64{0} << "100 %";
        QTest::newRow("nearly all") << quint64{99'999} << quint64{1} << "99 %";
        QTest::newRow("nothing") << quint64{0} << quint64{5} << "0 %";
        QTest::newRow("hardly any") << quint64{1} << quint64{99'999} << "under 0.1 %";
        QTest::newRow("few") << quint64{99} << quint64{900} << "9.9 %";
    }
    void percentagesAreNeverRoundedToAllOrNothing() {
        QFETCH(const quint64, hits);
        QFETCH(const quint64, misses);
        QFETCH(const QString, words);
        MapReport report;
        MappedLayer layer;
        layer.hits = hits;
        layer.misses = misses;
        report.layers = {layer};
        QCOMPARE(cacheLine(report), "Needed from the disk, and already in memory: " + words);
    }
};

Q_DECLARE_METATYPE(hearth::ui::MappedLayer)

QTEST_GUILESS_MAIN(LayerWordsTest)
#include "layer_words_test.moc"
