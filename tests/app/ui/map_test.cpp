// The neuron map by keyboard and by mouse, in each state of the model.
#include <QTest>

#include "map/layer_rows.h"
#include "ui_window.h"

using namespace hearth::ui;
using hearth::ui::test::UiWindow;

class MapTest : public QObject {
    Q_OBJECT

    std::unique_ptr<UiWindow> ui_;

    QQuickItem* item(const char* name) const { return ui_->item(QLatin1String(name)); }
    QString text(const char* name) const {
        const QQuickItem* found = item(name);
        return found == nullptr ? QString() : found->property("text").toString();
    }
    QStringList lines() const {
        QStringList all;
        for (const QQuickItem* line : ui_->downwards("mapLine")) {
            all << line->property("text").toString();
        }
        return all;
    }
    NeuronMap& map() const { return *ui_->app().map(); }
    QString focused() const {
        const QQuickItem* now = ui_->window()->activeFocusItem();
        return now == nullptr ? QString() : now->objectName();
    }
    // A sparse model, part of whose neurons lie on disk.
    static MapReport report(int layers) {
        MapReport made;
        for (int i = 0; i < layers; ++i) {
            MappedLayer layer;
            layer.memory = 60'000'000;
            layer.disk = 40'000'000;
            layer.neurons = 1000;
            layer.tokens = 4;
            layer.fired = 0.25;
            layer.hits = 9;
            layer.misses = 1;
            layer.readBytes = 1'000'000ULL * static_cast<quint64>(i);
            made.layers << layer;
        }
        made.ramUsed = 100'000'000;
        made.ramBudget = 200'000'000;
        made.readBytes = 5'000'000;
        made.takenNs = 1;
        return made;
    }
    void toggle() {
        ui_->press(Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
        ui_->settle();
    }
    void show(int layers) {
        ui_->inference().setMap(report(layers));
        toggle();
        QTRY_VERIFY(item("layerRows") != nullptr);
        ui_->settle();
    }

private slots:
    void init() {
        QLocale::setDefault(QLocale::c());
        ui_ = std::make_unique<UiWindow>();
        QVERIFY(ui_->ok() && ui_->activate());
    }
    void cleanup() { ui_.reset(); }

    void isOpenedAndClosedByKeys() {
        QVERIFY(item("neuronMap") == nullptr);
        QVERIFY(!ui_->inference().mapWanted());
        show(6);
        QVERIFY(ui_->inference().mapWanted());
        QVERIFY(lines().contains("Weights of the layers: 360.0 MB memory, 240.0 MB disk"));
        QVERIFY(lines().contains("Neurons that fire for a token: 25 %"));
        QVERIFY(lines().contains("Needed from the disk, and already in memory: 90 %"));
        // The chat stays beside it, and the keyboard is at the layers once they are there.
        QVERIFY(item("composer") != nullptr);
        QVERIFY(UiWindow::area(item("composer")).right() <=
                UiWindow::area(item("neuronMap")).left());
        toggle();
        QVERIFY(item("neuronMap") == nullptr);
        QVERIFY(!ui_->inference().mapWanted());
        QCOMPARE(focused(), QString("composerInput"));
        show(6);
        ui_->press(Qt::Key_Escape);
        QTRY_VERIFY(item("neuronMap") == nullptr);
        QCOMPARE(focused(), QString("composerInput"));
    }

    void isOpenedByMouse() {
        ui_->inference().setMap(report(3));
        ui_->click(item("mapButton"));
        QTRY_VERIFY(item("layerRows") != nullptr);
        ui_->click(item("closeMap"));
        QTRY_VERIFY(item("neuronMap") == nullptr);
        ui_->click(item("modelPill"));
        QTRY_VERIFY(item("mapItem") != nullptr);
        ui_->click(item("mapItem"));
        QTRY_VERIFY(item("layerRows") != nullptr);
    }

    void layersAreChosenByKeys() {
        show(6);
        item("mapLayers")->forceActiveFocus();
        QCOMPARE(UiWindow::accessibleName(item("mapLayers")),
                 QString("Layers of the model, 6: Up and Down choose one"));
        QVERIFY(text("mapWords").startsWith("Fires: the share of"));
        const auto pressed = [&](int key, int selected) {
            ui_->press(key);
            ui_->settle();
            QCOMPARE(map().selected(), selected);
            const QString head = QStringLiteral("Layer %1 of 6. ").arg(selected + 1);
            QVERIFY(text("mapWords").startsWith(head));
            QCOMPARE(UiWindow::accessibleName(item("mapLayers")), text("mapWords"));
        };
        pressed(Qt::Key_Down, 0);
        pressed(Qt::Key_Down, 1);
        QVERIFY(text("mapWords").contains("60 % memory, 40 % disk"));
        QVERIFY(text("mapWords").contains("25 % of its 1000 neurons fire"));
        QVERIFY(text("mapWords").contains("memory already had 90 %"));
        QVERIFY(text("mapWords").contains("so far: 1.0 MB"));
        pressed(Qt::Key_End, 5);
        pressed(Qt::Key_Down, 5);
        pressed(Qt::Key_Up, 4);
        pressed(Qt::Key_Home, 0);
        pressed(Qt::Key_Up, 0);
        pressed(Qt::Key_PageDown, 5);
        pressed(Qt::Key_PageUp, 0);
    }

    void aLayerUnderThePointerIsChosen() {
        show(6);
        const QQuickItem* rows = item("layerRows");
        const int height = rows->property("rowHeight").toInt();
        const QPointF third = rows->mapToScene({100, 2.5 * height});
        QTest::mouseMove(ui_->window(), third.toPoint() - QPoint(5, 0));
        QTest::mouseMove(ui_->window(), third.toPoint());
        QTRY_COMPARE(map().selected(), 2);
        ui_->settle();
        QVERIFY(text("mapWords").startsWith("Layer 3 of 6. "));
    }

    // However many there are: one item draws them, and what is chosen scrolls into view.
    void manyLayers() {
        show(128);
        QQuickItem* rows = item("layerRows");
        QCOMPARE(qobject_cast<LayerRows*>(rows)->rows().size(), 128);
        QVERIFY(rows->childItems().isEmpty());
        item("mapLayers")->forceActiveFocus();
        for (const int key : {Qt::Key_End, Qt::Key_Home, Qt::Key_PageDown}) {
            ui_->press(key);
            ui_->settle();
            const QRectF list = UiWindow::area(item("mapLayers")->parentItem()->parentItem());
            const int height = rows->property("rowHeight").toInt();
            const qreal top =
                rows->mapToScene({0, static_cast<qreal>(map().selected() * height)}).y();
            QVERIFY(top >= list.top() - 1 && top + height <= list.bottom() + 1);
        }
        QVERIFY(map().selected() > 10);
    }

    void saysWhatTheModelDoes() {
        ui_->inference().setLoadDelayMs(200);
        show(6);
        item("mapLayers")->forceActiveFocus();
        ui_->app().model()->openPath("/models/other.gguf");
        ui_->settle();
        QVERIFY(text("mapSentence").startsWith("The model is being opened."));
        QVERIFY(item("layerRows") == nullptr);
        QCOMPARE(focused(), QString("closeMap"));  // the layers that had the keyboard are gone
        ui_->inference().setMap(report(4));
        QTRY_COMPARE(map().layerCount(), 4);
        ui_->settle();
        QVERIFY(item("mapSentence") == nullptr);

        ui_->inference().setLoadDelayMs(0);
        ui_->inference().setLoadError("“bad.gguf” is no model.");
        ui_->app().model()->openPath("/models/bad.gguf");
        QTRY_COMPARE(text("mapSentence"),
                     QString("The model could not be opened, so there are no layers to show."));
    }

    void aMixture() {
        MapReport mixture = report(4);
        for (MappedLayer& layer : mixture.layers) {
            layer.neurons = 0;
            layer.experts = 128;
            layer.expertsOfToken = 8;
            layer.chosen = {0, 6, 2};
        }
        ui_->inference().setMap(mixture);
        toggle();
        QTRY_VERIFY(item("layerRows") != nullptr);
        ui_->settle();
        QVERIFY(lines().contains("Chosen experts lay: 75 % memory, 25 % disk"));
        QVERIFY(text("mapWords").startsWith("Chosen: where the experts lay"));
    }

    void aBudgetThatMovesWhileItIsOpen() {
        show(6);
        map().select(1);
        MapReport moved = report(6);
        for (MappedLayer& layer : moved.layers) {
            layer.memory = 10'000'000;
            layer.disk = 90'000'000;
        }
        moved.ramUsed = 50'000'000;
        moved.ramBudget = 60'000'000;
        moved.takenNs = 2;
        ui_->inference().setMap(moved);
        ui_->settle();
        QVERIFY(lines().contains("The engine holds 50.0 MB of at most 60.0 MB memory"));
        QVERIFY(text("mapWords").contains("10 % memory, 90 % disk"));
    }

    // The map lies over the chat if the window has no room for both.
    void aNarrowWindow() {
        ui_->window()->resize(440, 700);
        ui_->settle();
        show(6);
        QCOMPARE(UiWindow::area(item("neuronMap")).width(), 440.0);
        QVERIFY(item("composer") == nullptr || !item("composer")->isEnabled());
        for (const QQuickItem* line : ui_->items("mapLine")) {
            QVERIFY(UiWindow::area(line).right() <= 440);
        }
        ui_->press(Qt::Key_Escape);
        QTRY_VERIFY(item("neuronMap") == nullptr);
        QCOMPARE(focused(), QString("composerInput"));
        // Settings hide it, and the chat brings it back.
        show(6);
        ui_->press(Qt::Key_Comma, Qt::ControlModifier);
        QTRY_VERIFY(item("settingsView") != nullptr);
        QVERIFY(item("neuronMap") == nullptr);
        ui_->press(Qt::Key_Comma, Qt::ControlModifier);
        QTRY_VERIFY(item("neuronMap") != nullptr);
    }
};

QTEST_MAIN(MapTest)
#include "map_test.moc"
