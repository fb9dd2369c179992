// What the window costs the model: hearth-cli run and hearth under Xvfb answer the same question
// with the same seed in turn, and the ratio of their tokens a second is printed pair by pair, then
// the median with its 95 % interval.
//
//   hearth_bench_window_speed [PAIRS=40] [RENDERER]
//
// RENDERER "opengl" draws by OpenGL, whatever draws that; else the program chooses.
#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QSettings>
#include <QTemporaryDir>
#include <QThread>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "store/conversation_store.h"
#include "system/app_paths.h"
#include "virtual_display.h"

using namespace hearth::ui;

namespace {

const QString kPrograms = QStringLiteral(HEARTH_BINARY_DIR "/bin/");
const QString kQuestion = QStringLiteral("Tell me a long story.");

struct Speed {
    int tokens = 0;
    double perSecond = 0;
};

std::optional<Speed> ofTheCommandLine(const QString& model, int seed) {
    QProcess program;
    program.start(
        kPrograms + QStringLiteral("hearth-cli"),
        {QStringLiteral("run"), QStringLiteral("-m"), model, QStringLiteral("-p"), kQuestion,
         QStringLiteral("--json"), QStringLiteral("--seed"), QString::number(seed)});
    if (!program.waitForFinished(120'000) || program.exitCode() != 0) {
        return std::nullopt;
    }
    const QJsonObject answer = QJsonDocument::fromJson(program.readAllStandardOutput()).object();
    return Speed{static_cast<int>(answer[QStringLiteral("token_ids")].toArray().size()),
                 answer[QStringLiteral("decode_per_s")].toDouble()};
}

std::optional<Speed> ofTheWindow(const QString& model, int seed,
                                 const QProcessEnvironment& environment) {
    const QTemporaryDir folder;
    {
        QSettings settings(folder.filePath(QStringLiteral("hearth.ini")), QSettings::IniFormat);
        settings.setValue(QStringLiteral("sampling/seed"), seed);
    }
    QProcess program;
    program.setProcessEnvironment(environment);
    program.start(
        kPrograms + QStringLiteral("hearth"),
        {QStringLiteral("--data-dir"), folder.path(), model, QStringLiteral("--say"), kQuestion});
    QElapsedTimer clock;
    clock.start();
    bool answered = false;
    while (!answered && clock.elapsed() < 120'000 && program.state() != QProcess::NotRunning) {
        program.waitForReadyRead(50);  // and looks at the process
        QFile log(folder.filePath(QStringLiteral("hearth.log")));
        answered = log.open(QIODevice::ReadOnly) && log.readAll().contains("answered: message");
    }
    program.terminate();
    ConversationStore store;
    if (!program.waitForFinished(10'000) || !answered ||
        store.open(folder.path()).mode != ConversationStore::Mode::ReadWrite) {
        return std::nullopt;
    }
    const Message answer = store.activePath(store.conversations().first().id).last();
    return Speed{answer.stats.tokenCount, answer.stats.tokensPerSecond};
}

}  // namespace

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    const int pairs = argc > 1 ? std::atoi(argv[1]) : 40;
    test::VirtualDisplay display;
    const QString model = starterModel(kPrograms);
    if (model.isEmpty() || !display.start(1280, 800)) {
        std::fprintf(stderr, "no starter model, or %s\n", qPrintable(display.reason()));
        return 1;
    }
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("DISPLAY"), QString::fromLatin1(display.name()));
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("xcb"));
    environment.remove(QStringLiteral("QT_QUICK_BACKEND"));
    if (argc > 2) {
        environment.insert(QStringLiteral("QSG_RHI_BACKEND"), QString::fromLocal8Bit(argv[2]));
    }
    QList<double> ratios;
    QList<double> line;
    QList<double> window;
    for (int i = 1; i <= pairs; ++i) {
        // Whoever is first finds the machine as the other left it.
        std::optional<Speed> two;
        if (i % 2 == 0) {
            two = ofTheWindow(model, i, environment);
        }
        const std::optional<Speed> one = ofTheCommandLine(model, i);
        if (i % 2 != 0) {
            two = ofTheWindow(model, i, environment);
        }
        if (!one || !two || one->tokens != two->tokens || one->perSecond <= 0) {
            std::fprintf(stderr, "pair %d: %d and %d tokens\n", i, one ? one->tokens : -1,
                         two ? two->tokens : -1);
            return 1;
        }
        line << one->perSecond;
        window << two->perSecond;
        ratios << two->perSecond / one->perSecond;
        std::printf("%4d %5d tokens %9.1f %9.1f %7.3f\n", i, one->tokens, line.last(),
                    window.last(), ratios.last());
        std::fflush(stdout);
    }
    for (QList<double>* values : {&ratios, &line, &window}) {
        std::sort(values->begin(), values->end());
    }
    // Of the median, by the ranks that a fair coin leaves out on each side.
    const double spread = 0.98 * std::sqrt(pairs);
    const auto rank = [&](double at) {
        return ratios[std::clamp<qsizetype>(std::lround(at), 0, ratios.size() - 1)];
    };
    std::printf(
        "tokens/s: command line %.0f, window %.0f; ratio %.3f, 95 %% interval %.3f to "
        "%.3f\n",
        line[line.size() / 2], window[window.size() / 2], ratios[ratios.size() / 2],
        rank(pairs / 2.0 - spread), rank(pairs / 2.0 + spread - 1));
    return 0;
}
