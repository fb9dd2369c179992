// The bars of the map: their lengths, their looks, and that nothing is drawn anew without a change.
#include "map/layer_rows.h"

#include <QImage>
#include <QPainter>
#include <QtTest>
#include <set>

#include "app/desktop/app_fixture.h"

using namespace hearth::ui;

class LayerRowsTest : public QObject, AppFixture {
    Q_OBJECT

    using Fill = LayerRows::Fill;

    void show(const MapReport& report) {
        fake_->setMap(report);
        app_->map()->setShown(true);
        QTRY_COMPARE(app_->map()->layerCount(), static_cast<int>(report.layers.size()));
    }
    std::unique_ptr<LayerRows> rows() {
        auto made = std::make_unique<LayerRows>();
        made->setProperty("labelWidth", 30);
        made->setProperty("gap", 10);
        made->setRowHeight(10);
        made->setProperty("groundColor", QColor(Qt::white));
        made->setProperty("cardColor", QColor(Qt::red));
        made->setProperty("memoryColor", QColor(Qt::red));
        made->setProperty("diskColor", QColor(Qt::red));
        made->setProperty("useColor", QColor(Qt::green));
        made->setProperty("trackColor", QColor(Qt::lightGray));
        made->setProperty("selectedColor", QColor(Qt::yellow));
        made->setProperty("textColor", QColor(Qt::black));
        made->setSize({570, 100});  // 500 pixels for bars
        made->setMap(app_->map());
        return made;
    }
    static QImage drawn(LayerRows& rows) {
        QImage image(570, 100, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        rows.paint(&painter);
        return image;
    }
    static MappedLayer layer(quint64 card, quint64 memory, quint64 disk) {
        MappedLayer made;
        made.card = card;
        made.memory = memory;
        made.disk = disk;
        return made;
    }

private slots:
    void init() { begin(); }
    void cleanup() { end(); }

    void barsAreSharesOfTheirColumns() {
        MapReport report;
        MappedLayer sparse = layer(50, 30, 20);
        sparse.neurons = 100;
        sparse.tokens = 1;
        sparse.fired = 0.2;
        sparse.hits = 3;
        sparse.misses = 1;
        MappedLayer mixture = layer(0, 1, 0);
        mixture.experts = 8;
        mixture.chosen = {1, 1, 2};
        report.layers = {sparse, mixture, layer(0, 0, 0)};
        show(report);
        const auto drawing = rows();
        QCOMPARE(drawing->columnX(0), 40.0);
        QCOMPARE(drawing->columnWidth(0), 230.0);
        QCOMPARE(drawing->columnX(1), 280.0);
        QCOMPARE(drawing->columnWidth(1), 90.0);
        const LayerRows::Row first = {{40, 115, Fill::Card},
                                      {155, 69, Fill::Memory},
                                      {224, 46, Fill::Disk},
                                      {280, 18, Fill::Use},
                                      {380, 68, Fill::Use}};
        QVERIFY(drawing->rows().at(0) == first);
        const LayerRows::Row second = {{40, 230, Fill::Memory},
                                       {280, 23, Fill::Card},
                                       {303, 22, Fill::Memory},
                                       {325, 45, Fill::Disk}};
        QVERIFY(drawing->rows().at(1) == second);
        QVERIFY(drawing->rows().at(2).isEmpty());
    }

    // The fastest layer fills the column, the others are measured by it.
    void ratesAreComparedWithTheFastest() {
        MapReport report;
        report.layers = {layer(0, 0, 1), layer(0, 0, 1), layer(0, 0, 1)};
        report.answering = true;
        report.takenNs = 1;
        show(report);
        const auto drawing = rows();
        for (const LayerRows::Row& row : drawing->rows()) {
            QCOMPARE(row.size(), 1);
        }
        report.takenNs += 1'000'000'000;
        report.layers[0].readBytes = 30;
        report.layers[2].readBytes = 60;
        fake_->setMap(report);
        QVERIFY(drawing->rows().at(0).last() == (LayerRows::Bar{480, 45, Fill::Use}));
        QCOMPARE(drawing->rows().at(1).size(), 1);
        QVERIFY(drawing->rows().at(2).last() == (LayerRows::Bar{480, 90, Fill::Use}));
    }

    // Places differ without their colours, and a layer of nothing is not drawn as one of something.
    void placesDifferWithoutColours() {
        MapReport report;
        report.layers = {layer(1, 0, 0), layer(0, 1, 0), layer(0, 0, 1), layer(0, 0, 0)};
        show(report);
        const auto drawing = rows();
        const QImage image = drawn(*drawing);
        std::set<int> inks;
        for (int row = 0; row < 4; ++row) {
            int red = 0;
            for (int y = row * 10 + 2; y < row * 10 + 8; ++y) {
                for (int x = 60; x < 160; ++x) {
                    red += image.pixelColor(x, y) == QColor(Qt::red) ? 1 : 0;
                }
            }
            inks.insert(red);
            QCOMPARE(red > 0, row < 3);
            QCOMPARE(red == 600, row == 0);
        }
        QCOMPARE(inks.size(), std::size_t{4});
        for (const char* place : {"card", "memory", "disk"}) {
            PlaceSwatch swatch;
            swatch.setSize({18, 12});
            swatch.setProperty("place", place);
            swatch.setProperty("color", QColor(Qt::red));
            swatch.setProperty("groundColor", QColor(Qt::white));
            QImage small(18, 12, QImage::Format_RGB32);
            small.fill(Qt::white);
            QPainter painter(&small);
            swatch.paint(&painter);
            int red = 0;
            for (int i = 0; i < 18 * 12; ++i) {
                red += small.pixelColor(i % 18, i / 18) == QColor(Qt::red) ? 1 : 0;
            }
            QCOMPARE(red == 18 * 12, qstrcmp(place, "card") == 0);
            QVERIFY(red > 0);
        }
    }

    void isDrawnAnewOnlyAfterAChange() {
        MapReport report;
        report.layers = {layer(0, 1'000'000, 0), layer(0, 1'000'000, 0)};
        show(report);
        const auto drawing = rows();
        const int before = drawing->repaints();
        report.takenNs = 5;
        fake_->setMap(report);
        report.layers[1].memory = 999'999;  // less than a pixel
        report.layers[1].disk = 0;
        fake_->setMap(report);
        QCOMPARE(drawing->repaints(), before);
        report.layers[1].disk = 500'000;
        fake_->setMap(report);
        QCOMPARE(drawing->repaints(), before + 1);
        app_->map()->select(1);
        QCOMPARE(drawing->repaints(), before + 2);
        QCOMPARE(drawn(*drawing).pixelColor(1, 15), QColor(Qt::yellow));
        QCOMPARE(drawn(*drawing).pixelColor(1, 5), QColor(Qt::white));
        app_->map()->setShown(false);
        QCOMPARE(drawing->repaints(), before + 3);
        QVERIFY(drawing->rows().isEmpty());
    }

    void findsTheLayerUnderThePointer() {
        MapReport report;
        report.layers = {layer(0, 1, 0), layer(0, 1, 0)};
        show(report);
        const auto drawing = rows();
        QCOMPARE(drawing->layerAt(-1), -1);
        QCOMPARE(drawing->layerAt(0), 0);
        QCOMPARE(drawing->layerAt(9.9), 0);
        QCOMPARE(drawing->layerAt(10), 1);
        QCOMPARE(drawing->layerAt(20), -1);
    }
};

QTEST_MAIN(LayerRowsTest)
#include "layer_rows_test.moc"
