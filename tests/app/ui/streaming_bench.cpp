// How much of each frame a streaming answer takes of the GUI thread: 20,000 pieces at about 200 a
// second's pace would be too long to watch, so they come as fast as the window takes them. Prints,
// asserts nothing. Run with QT_QPA_PLATFORM=offscreen where there is no display.
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <numeric>

#include "ui_window.h"

using hearth::ui::FakeInference;
using hearth::ui::test::UiWindow;

namespace {

// The time between a frame's first and last work on the GUI thread.
class FrameClock : public QObject {
public:
    explicit FrameClock(QQuickWindow* window) {
        connect(
            window, &QQuickWindow::beforeFrameBegin, this, [this] { clock_.start(); },
            Qt::DirectConnection);
        connect(
            window, &QQuickWindow::afterFrameEnd, this,
            [this] {
                if (clock_.isValid()) {
                    render_ms_.append(static_cast<double>(clock_.nsecsElapsed()) / 1e6);
                }
            },
            Qt::DirectConnection);
    }
    QList<double> take() { return std::exchange(render_ms_, {}); }

private:
    QElapsedTimer clock_;
    QList<double> render_ms_;
};

double at(QList<double> values, double share) {
    if (values.isEmpty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1,
                           static_cast<qsizetype>(share * static_cast<double>(values.size())))];
}

}  // namespace

int main(int argc, char** argv) {
    QGuiApplication application(argc, argv);
    const int pieces = argc > 1 ? std::atoi(argv[1]) : 8000;
    UiWindow ui;
    if (!ui.ok() || !ui.activate()) {
        std::fprintf(stderr, "no window\n");
        return 1;
    }
    QString text;
    for (int i = 0; text.size() < qsizetype{4} * pieces; ++i) {
        text += QStringLiteral(
                    "Paragraph %1 with *some* markdown, `code` and a [link](https://example.org), "
                    "long enough to fill more than one line of the window.\n\n")
                    .arg(i);
        if (i % 5 == 4) {
            text += QStringLiteral("```cpp\nint value = %1;\nreturn value;\n```\n\n").arg(i);
        }
    }
    ui.inference().setScripts({FakeInference::scriptFrom(text)});
    ui.inference().setPieceDelayMs(1);
    FrameClock clock(ui.window());
    QElapsedTimer total;
    total.start();
    ui.app().replies()->send(QStringLiteral("Go on"));
    // A beat of the event loop: what it takes is what a key press has to wait.
    QList<double> beats;
    std::printf("%10s %14s %14s %14s %14s\n", "characters", "beat mean ms", "beat p99 ms",
                "frame mean ms", "frame p99 ms");
    qsizetype next = text.size() / 8;
    while (ui.app().replies()->generating()) {
        QElapsedTimer beat;
        beat.start();
        QCoreApplication::processEvents(QEventLoop::AllEvents);
        beats.append(static_cast<double>(beat.nsecsElapsed()) / 1e6);
        const qsizetype written = ui.message(1, "text").toString().size();
        if (written >= next || !ui.app().replies()->generating()) {
            const QList<double> frames = clock.take();
            const double frameMean = frames.isEmpty()
                                         ? 0
                                         : std::accumulate(frames.begin(), frames.end(), 0.0) /
                                               static_cast<double>(frames.size());
            std::printf("%10lld %14.3f %14.3f %14.3f %14.3f\n", static_cast<long long>(written),
                        std::accumulate(beats.begin(), beats.end(), 0.0) /
                            static_cast<double>(beats.size()),
                        at(beats, 0.99), frameMean, at(frames, 0.99));
            std::fflush(stdout);
            beats.clear();
            next += text.size() / 8;
        }
        QTest::qSleep(1);
    }
    std::printf("%lld characters in %.1f s\n", static_cast<long long>(text.size()),
                static_cast<double>(total.elapsed()) / 1000);
    return 0;
}
