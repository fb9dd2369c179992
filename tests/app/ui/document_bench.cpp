// How long documents hold up the window: attached, looked at, asked about, a passage opened. Prints
// the longest single stretch of work on the GUI thread, and the time until it was done; asserts
// nothing. Run with QT_QPA_PLATFORM=offscreen where there is no display.
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <functional>

#include "support/document_maker.h"
#include "ui_window.h"

using hearth::ui::FakeInference;
using hearth::ui::test::UiWindow;

namespace {

double timed(const std::function<void()>& work) {
    QElapsedTimer timer;
    timer.start();
    work();
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

void step(const char* name, const std::function<void()>& act, const std::function<bool()>& done) {
    QElapsedTimer whole;
    whole.start();
    double longest = timed(act);
    double done_ms = -1;
    // A while longer than it takes: what comes after counts too.
    for (QElapsedTimer rest; done_ms < 0 || rest.elapsed() < 500;) {
        longest = std::max(longest, timed([] { QCoreApplication::processEvents(); }));
        if (done_ms < 0 && done()) {
            done_ms = static_cast<double>(whole.elapsed());
            rest.start();
        }
        QTest::qSleep(1);
    }
    std::printf("  %-28s longest %6.1f ms, done after %8.0f ms\n", name, longest, done_ms);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const QGuiApplication application(argc, argv);
    const QTemporaryDir folder;
    QStringList pages;
    for (int page = 0; page < 2000; ++page) {
        pages.append(
            QStringLiteral("Clause %1 is about stairs and gardens.\n").arg(page).repeated(40));
    }
    const QString book = hearth::test::writeFile(folder.filePath(QStringLiteral("book.pdf")),
                                                 hearth::test::plainPdf(pages, 200'000'000));
    const QString log = hearth::test::writeFile(
        folder.filePath(QStringLiteral("log.txt")),
        QByteArray("A line of a log, and the rent is due.\n").repeated(5'300'000));
    for (const QString& path : {book, log}) {
        UiWindow ui;
        if (!ui.ok() || !ui.activate()) {
            std::fprintf(stderr, "no window\n");
            return 1;
        }
        ui.inference().setScripts({FakeInference::scriptFrom(QStringLiteral("It is long."))});
        std::printf("%s, %lld bytes\n", qPrintable(QFileInfo(path).fileName()),
                    static_cast<long long>(QFileInfo(path).size()));
        auto* attachments = ui.app().attachments();
        step(
            "attached", [&] { attachments->attach({path}); },
            [&] { return !attachments->reading(); });
        std::printf(
            "  %s\n",
            qPrintable(
                attachments->pending().value(0).toMap().value(QStringLiteral("says")).toString()));
        step(
            "its text opened", [&] { attachments->look(0); },
            [&] { return attachments->page()->says().isEmpty(); });
        step(
            "closed", [&] { ui.press(Qt::Key_Escape); }, [] { return true; });
        ui.app().chats()->setDraft(QStringLiteral("When is the rent due, by clause 1234?"));
        step(
            "asked", [&] { ui.app().replies()->send(ui.app().chats()->draft()); },
            [&] { return !ui.app().replies()->generating(); });
        step(
            "a passage opened",
            [&] {
                if (QQuickItem* used = ui.item(QStringLiteral("usedPassage"))) {
                    ui.click(used);
                }
            },
            [&] { return !ui.items(QStringLiteral("markedPassage")).isEmpty(); });
    }
    return 0;
}
