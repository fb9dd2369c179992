// The processor time that the open neuron map takes: the window, on an X server of its own, shows
// an answer that grows, in turn with the map and without it, and then rests with the map open.
// Prints the processor time of the whole process, of which the difference is the map's, and the
// time that the engine takes to make one map. Asserts nothing.
//
//   hearth_bench_ui_map [SECONDS=20] [TURNS=5] [LAYERS=128] [MODEL.gguf]
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <ctime>

#include <hearth/engine.h>

#include "ui_window.h"
#include "virtual_display.h"

using namespace hearth::ui;
using hearth::ui::test::UiWindow;

namespace {

double processSeconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Per cent of one core.
double share(int seconds) {
    QElapsedTimer clock;
    clock.start();
    const double before = processSeconds();
    QTest::qWait(seconds * 1000);
    return 100 * (processSeconds() - before) / (static_cast<double>(clock.nsecsElapsed()) / 1e9);
}

double median(QList<double> values) {
    std::sort(values.begin(), values.end());
    return values.at(values.size() / 2);
}

// Every number of every layer changes from one report to the next.
MapReport report(int layers, int step) {
    MapReport made;
    made.answering = true;
    made.takenNs = qint64{step} * 500'000'000;
    for (int i = 0; i < layers; ++i) {
        const auto at = static_cast<quint64>(step * 31 + i * 17);
        MappedLayer layer;
        layer.card = 40'000'000;
        layer.disk = 10'000'000 + at % 40 * 1'000'000;
        layer.memory = 150'000'000 - layer.disk;
        layer.neurons = 14336;
        layer.tokens = static_cast<quint64>(step);
        layer.fired = 0.05 + static_cast<double>(at % 60) / 200;
        layer.hits = 1000 + at % 900;
        layer.misses = 100 + at % 300;
        layer.readBytes = static_cast<quint64>(step) * (1'000'000 + at % 7 * 400'000);
        made.readBytes += layer.readBytes;
        made.layers << layer;
    }
    return made;
}

void timeTheEngine(const char* path) {
    auto engine = hearth::Engine::load({.model_path = path, .gpu = "none"});
    if (!engine) {
        std::printf("%s: %s\n", path, engine.error().message.c_str());
        return;
    }
    constexpr int kMaps = 2000;
    QElapsedTimer clock;
    clock.start();
    std::size_t layers = 0;
    for (int i = 0; i < kMaps; ++i) {
        const auto map = (*engine)->map();
        layers = map ? map->layers.size() : 0;
    }
    std::printf("the engine makes a map of %zu layers in %.1f us\n", layers,
                static_cast<double>(clock.nsecsElapsed()) / 1e3 / kMaps);
}

}  // namespace

int main(int argc, char** argv) {
    const int seconds = argc > 1 ? std::atoi(argv[1]) : 20;
    const int turns = argc > 2 ? std::atoi(argv[2]) : 5;
    const int layers = argc > 3 ? std::atoi(argv[3]) : 128;
    test::VirtualDisplay display;
    if (!display.start(1280, 960)) {
        std::fprintf(stderr, "%s\n", qPrintable(display.reason()));
        return 1;
    }
    qputenv("DISPLAY", display.name());
    qputenv("QT_QPA_PLATFORM", "xcb");
    qputenv("QT_QUICK_BACKEND", "software");  // as the program does where no GPU draws
    const QGuiApplication application(argc, argv);
    if (argc > 4) {
        timeTheEngine(argv[4]);
    }
    UiWindow ui;
    if (!ui.ok() || !ui.activate()) {
        std::fprintf(stderr, "no window\n");
        return 1;
    }
    ui.window()->resize(1240, 760);
    FakeInference::Script script;
    for (int i = 0; i < 1'000'000; ++i) {
        script.pieces << (i % 300 == 299 ? QStringLiteral("\n\n") : QStringLiteral("word "));
    }
    ui.inference().setScripts({script});
    ui.inference().setPieceDelayMs(50);
    QTimer reports;
    int step = 1;
    QObject::connect(&reports, &QTimer::timeout, &application,
                     [&] { ui.inference().setMap(report(layers, ++step)); });
    QList<double> differences;
    for (int turn = 0; turn < turns; ++turn) {
        double taken[2] = {};
        for (const bool open : {turn % 2 == 0, turn % 2 == 1}) {
            ui.app().chats()->newConversation();
            ui.app().replies()->send(QStringLiteral("Go on"));
            if (open) {
                QMetaObject::invokeMethod(ui.window(), "toggleMap");
                reports.start(InferenceService::kMapIntervalMs);
            }
            QTest::qWait(2000);
            taken[open ? 1 : 0] = share(seconds);
            reports.stop();
            if (open) {
                QMetaObject::invokeMethod(ui.window(), "toggleMap");
            }
            ui.app().replies()->stop();
            ui.waitForAnswer();
        }
        differences << taken[1] - taken[0];
        std::printf("turn %d: %.2f %% of a core without the map, %.2f %% with it: %+.2f\n",
                    turn + 1, taken[0], taken[1], differences.last());
        std::fflush(stdout);
    }
    std::printf("the open map takes %.2f %% of a core while an answer grows (median)\n",
                median(differences));
    for (const bool open : {false, true}) {
        if (open) {
            QMetaObject::invokeMethod(ui.window(), "toggleMap");
            ui.inference().setMap(report(layers, ++step));
        }
        QTest::qWait(3000);
        std::printf("the window at rest %s the map: %.2f %% of a core\n", open ? "with" : "without",
                    share(seconds));
    }
    return 0;
}
