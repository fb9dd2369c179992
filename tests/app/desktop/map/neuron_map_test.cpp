// The map's page without its window: when the engine is asked, and what is said in each state.
#include "map/neuron_map.h"

#include <QtTest>

#include "app/desktop/app_fixture.h"

using namespace hearth::ui;

class NeuronMapTest : public QObject, AppFixture {
    Q_OBJECT

    NeuronMap& map() { return *app_->map(); }
    static MapReport report(int layers) {
        MapReport made;
        for (int i = 0; i < layers; ++i) {
            MappedLayer layer;
            layer.memory = 1'000'000ULL * static_cast<quint64>(i + 1);
            layer.neurons = 96;
            layer.dense = true;
            made.layers << layer;
        }
        made.takenNs = 1;
        return made;
    }
    void show(int layers) {
        fake_->setMap(report(layers));
        map().setShown(true);
        QTRY_COMPARE(map().layerCount(), layers);
    }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { begin(); }
    void cleanup() { end(); }

    // Nobody looks, so the engine is not asked.
    void asksOnlyWhileItIsShown() {
        fake_->setMap(report(3));
        QCoreApplication::processEvents();
        QVERIFY(!fake_->mapWanted());
        QCOMPARE(map().layerCount(), 0);
        map().setShown(true);
        QVERIFY(fake_->mapWanted());
        QTRY_COMPARE(map().layerCount(), 3);
        QCOMPARE(map().sentence(), QString());
        map().select(1);
        map().setShown(false);
        QVERIFY(!fake_->mapWanted());
        QCOMPARE(map().layerCount(), 0);
        QCOMPARE(map().selected(), -1);
        // One that was under way.
        MapReport late = report(3);
        late.modelPath = model().path();
        emit fake_->mapped(late);
        QCOMPARE(map().layerCount(), 0);
        map().setShown(true);
        QTRY_COMPARE(map().layerCount(), 3);
    }

    void saysWhyThereAreNoLayers() {
        start(false);
        map().setShown(true);
        QCOMPARE(map().sentence(),
                 QString("No model is open. Open one, and its layers are shown here."));
        fake_->setLoadError(QStringLiteral("No model."));
        model().openPath(QStringLiteral("/models/bad.gguf"));
        QCOMPARE(map().sentence(), QString("The model is being opened. Its layers are shown here "
                                           "as soon as it is ready."));
        QTRY_COMPARE(model().state(), QStringLiteral("failed"));
        QCOMPARE(map().sentence(),
                 QString("The model could not be opened, so there are no layers to show."));
        fake_->setLoadError({});
        model().openPath(QStringLiteral("/models/good.gguf"));
        QTRY_COMPARE(model().state(), QStringLiteral("ready"));
        QVERIFY(map().sentence().startsWith("The engine is counting."));
        fake_->setMap(report(2));
        QCOMPARE(map().sentence(), QString());
        QCOMPARE(map().layerCount(), 2);
    }

    // The layers of another model take the place of those of the first, and not before it is ready.
    void anotherModelIsOpened() {
        show(5);
        map().select(4);
        fake_->setLoadDelayMs(50);
        MapReport stale = report(5);
        stale.modelPath = QStringLiteral("/models/fake.gguf");
        model().openPath(QStringLiteral("/models/other.gguf"));
        QCOMPARE(map().layerCount(), 0);
        QCOMPARE(map().selected(), -1);
        QVERIFY(!map().sentence().isEmpty());
        emit fake_->mapped(stale);
        QCOMPARE(map().layerCount(), 0);
        fake_->setMap(report(2));
        QTRY_COMPARE(model().state(), QStringLiteral("ready"));
        QTRY_COMPARE(map().layerCount(), 2);
        emit fake_->mapped(stale);  // of the model before
        QCOMPARE(map().layerCount(), 2);
    }

    void aBudgetThatMoves() {
        show(2);
        MapReport moved = report(2);
        moved.ramUsed = 5'000'000;
        moved.ramBudget = 6'000'000;
        moved.layers[0].memory = 200'000;
        moved.layers[0].disk = 800'000;
        moved.takenNs = 2;
        map().select(0);
        const QSignalSpy changed(&map(), &NeuronMap::layersChanged);
        fake_->setMap(moved);
        QCOMPARE(changed.count(), 1);
        QVERIFY(map().lines().contains("The engine holds 5.0 MB of at most 6.0 MB memory"));
        QVERIFY(map().selectedText().contains("20 % memory, 80 % disk"));
        QCOMPARE(map().selected(), 0);
    }

    void choosesALayer() {
        map().select(3);
        QCOMPARE(map().selected(), -1);  // there is none
        show(3);
        QCOMPARE(map().selectedText(), QString());
        map().select(7);
        QCOMPARE(map().selected(), 2);
        QVERIFY(map().selectedText().startsWith("Layer 3 of 3. Its weights, 3.0 MB"));
        map().select(-5);
        QCOMPARE(map().selected(), 0);
        QVERIFY(map().selectedText().startsWith("Layer 1 of 3. Its weights, 1.0 MB"));
    }

    void saysRatesOfTheAnswer() {
        MapReport now = report(2);
        now.layers[1].disk = 1;
        fake_->setMap(now);
        map().setShown(true);
        QTRY_COMPARE(map().layerCount(), 2);
        map().select(1);
        const auto pass = [&](qint64 seconds, bool answering, quint64 bytes) {
            now.takenNs = seconds * 1'000'000'000;
            now.answering = answering;
            now.readBytes = now.layers[1].readBytes = bytes;
            fake_->setMap(now);
        };
        pass(1, true, 1'000'000);
        QVERIFY(map().answering());
        QVERIFY(map().lines().contains("Read from the disk: 1.0 MB"));
        pass(2, true, 4'000'000);
        QVERIFY(map().lines().contains("Read from the disk: 4.0 MB, 3.0 MB a second now"));
        QVERIFY(map().selectedText().endsWith("so far: 4.0 MB, 3.0 MB a second now."));
        pass(3, false, 5'000'000);
        QVERIFY(!map().answering());
        QVERIFY(map().lines().contains(
            "Read from the disk: 5.0 MB, 2.0 MB a second in the last answer"));
        QVERIFY(map().selectedText().endsWith("2.0 MB a second in the last answer."));
    }
};

QTEST_MAIN(NeuronMapTest)
#include "neuron_map_test.moc"
