// How long a megabyte holds up the window: pasted, looked at, sent, shown. Prints the longest
// single stretch of work on the GUI thread and what the process grew by; asserts nothing. Run with
// QT_QPA_PLATFORM=offscreen where there is no display.
#include <QClipboard>
#include <QElapsedTimer>
#include <QFile>
#include <QGuiApplication>
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <functional>

#include "ui_window.h"

using hearth::ui::FakeInference;
using hearth::ui::test::UiWindow;

namespace {

double resident_mb() {
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly)) {
        return 0;
    }
    return file.readAll().split(' ').value(1).toDouble() * 4096 / 1e6;
}

double timed(const std::function<void()>& work) {
    QElapsedTimer timer;
    timer.start();
    work();
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

void step(const char* name, double before_mb, const std::function<void()>& act) {
    double longest = timed(act);
    QElapsedTimer rest;
    rest.start();
    while (rest.elapsed() < 800) {
        longest = std::max(longest, timed([] { QCoreApplication::processEvents(); }));
        QTest::qSleep(1);
    }
    std::printf("  %-10s %10.1f ms %10.1f MB more\n", name, longest, resident_mb() - before_mb);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    QGuiApplication application(argc, argv);
    const QString word = QStringLiteral("forty-nine characters that end in a line break at");
    for (const bool lines : {false, true}) {
        const QString text = lines ? (word + QLatin1Char('\n')).repeated(20'000)
                                   : (word + QLatin1Char(' ')).repeated(20'000);
        UiWindow ui;
        if (!ui.ok() || !ui.activate()) {
            std::fprintf(stderr, "no window\n");
            return 1;
        }
        ui.inference().setScripts({FakeInference::scriptFrom(QStringLiteral("It is long."))});
        ui.settle();
        QGuiApplication::clipboard()->setText(text);
        std::printf("%lld characters, %lld lines\n", static_cast<long long>(text.size()),
                    static_cast<long long>(text.count(QLatin1Char('\n'))));
        const double before = resident_mb();
        step("paste", before, [&] { ui.press(Qt::Key_V, Qt::ControlModifier); });
        step("type", before, [&] { ui.type(QStringLiteral("Sum up")); });
        step("look", before, [&] {
            if (const QQuickItem* look = ui.item(QStringLiteral("lookAtAttachment"))) {
                ui.click(look);
            }
        });
        step("its end", before, [&] { ui.press(Qt::Key_End); });
        step("close", before, [&] { ui.press(Qt::Key_Escape); });
        step("send", before, [&] {
            ui.press(Qt::Key_L, Qt::ControlModifier);
            ui.press(Qt::Key_Return);
        });
        step("leave", before, [&] { ui.press(Qt::Key_N, Qt::ControlModifier); });
        step("open", before, [&] { ui.press(Qt::Key_PageDown, Qt::ControlModifier); });
        step("again", before, [&] { ui.press(Qt::Key_R, Qt::ControlModifier); });
    }
    return 0;
}
