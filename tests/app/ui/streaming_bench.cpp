// What a streaming answer takes of the GUI thread as it grows: each event of the event loop, and
// each frame with all events since the one before. Prints, asserts nothing. Run with
// QT_QPA_PLATFORM=offscreen where there is no display.
//
//   hearth_bench_ui_streaming [TOKENS] [TOKENS_A_SECOND] [prose|paragraph|list|code] [FRAME_MS]
//
// A token is five characters. As in the program, what comes within FRAME_MS (16) is shown at once.
#include <QTest>
#include <cstdio>
#include <numeric>

#include "app/ui/thread_clock.h"
#include "ui_window.h"

using hearth::ui::FakeInference;
using namespace hearth::ui::test;

namespace {

constexpr qsizetype kTokenChars = 5;

QString textOf(const QString& kind, qsizetype length) {
    QString text = kind == QLatin1String("code") ? QStringLiteral("```cpp\n") : QString();
    for (int i = 0; text.size() < length; ++i) {
        if (kind == QLatin1String("code")) {
            text += QStringLiteral("    int value%1 = compute(value%1, \"text\");  // and so on\n")
                        .arg(i);
            continue;
        }
        if (kind == QLatin1String("list")) {
            text += QStringLiteral("- Item %1 with *some* markdown and `code`, as lists have.\n")
                        .arg(i);
            continue;
        }
        text += QStringLiteral(
                    "Sentence %1 with *some* markdown, `code` and a [link](https://example.org), "
                    "long enough to fill more than one line of the window. ")
                    .arg(i);
        if (kind == QLatin1String("prose")) {
            text += QStringLiteral("\n\n");
            if (i % 5 == 4) {
                text += QStringLiteral("```cpp\nint value = %1;\nreturn value;\n```\n\n").arg(i);
            }
        }
    }
    return text.left(length);
}

void print(const char* name, const QList<double>& computed, const QList<double>& clock) {
    std::printf(
        "  %-7s %6lld | computed p50 %6.2f  p99 %6.2f  max %7.2f ms | on the clock p50 "
        "%6.2f  p99 %6.2f  max %7.2f ms\n",
        name, static_cast<long long>(computed.size()), at(computed, 0.5), at(computed, 0.99),
        at(computed, 1), at(clock, 0.5), at(clock, 0.99), at(clock, 1));
}

}  // namespace

int main(int argc, char** argv) {
    TimedApplication application(argc, argv);
    const int tokens = argc > 1 ? std::atoi(argv[1]) : 20'000;
    const int perSecond = argc > 2 ? std::atoi(argv[2]) : 200;
    const QString kind = argc > 3 ? QString::fromLatin1(argv[3]) : QStringLiteral("prose");
    const int frameMs = argc > 4 ? std::atoi(argv[4]) : 16;
    UiWindow ui;
    if (!ui.ok() || !ui.activate()) {
        std::fprintf(stderr, "no window\n");
        return 1;
    }
    const QString text = textOf(kind, kTokenChars * tokens);
    FakeInference::Script script;
    const qsizetype piece = std::max<qsizetype>(1, kTokenChars * perSecond * frameMs / 1000);
    for (qsizetype from = 0; from < text.size(); from += piece) {
        script.pieces << text.mid(from, piece);
    }
    ui.inference().setScripts({script});
    ui.inference().setPieceDelayMs(frameMs);

    TimedApplication::Times events;
    TimedApplication::Times frames;
    const auto take = [&] {
        const TimedApplication::Times times = application.take();
        events.computed_ms += times.computed_ms;
        events.clock_ms += times.clock_ms;
        return times;
    };
    // The frame's own event ends after this; its time counts for the next one, which is as good.
    QObject::connect(ui.window(), &QQuickWindow::frameSwapped, &application, [&] {
        const TimedApplication::Times times = take();
        frames.computed_ms.append(
            std::accumulate(times.computed_ms.begin(), times.computed_ms.end(), 0.0));
        frames.clock_ms.append(std::accumulate(times.clock_ms.begin(), times.clock_ms.end(), 0.0));
    });
    QElapsedTimer total;
    total.start();
    ui.app().replies()->send(QStringLiteral("Go on"));
    TimedApplication::Times allFrames;
    TimedApplication::Times allEvents;
    const auto report = [&](const QString& until) {
        std::printf("%s\n", qPrintable(until));
        print("events", events.computed_ms, events.clock_ms);
        print("frames", frames.computed_ms, frames.clock_ms);
        std::fflush(stdout);
        allEvents.computed_ms += events.computed_ms;
        allEvents.clock_ms += events.clock_ms;
        allFrames.computed_ms += frames.computed_ms;
        allFrames.clock_ms += frames.clock_ms;
        events = frames = {};
    };
    qsizetype next = text.size() / 5;
    while (ui.app().replies()->generating()) {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        const qsizetype written =
            ui.app().chats()->messages()->messages().constLast().content.size();
        if (written >= next) {
            report(QStringLiteral("%1 tokens").arg(written / kTokenChars));
            next += text.size() / 5;
        }
    }
    report(QStringLiteral("end"));
    std::swap(events, allEvents);
    std::swap(frames, allFrames);
    report(QStringLiteral("all: %1, %2 tokens in %3 s")
               .arg(kind)
               .arg(tokens)
               .arg(static_cast<double>(total.elapsed()) / 1000, 0, 'f', 1));
    return 0;
}
