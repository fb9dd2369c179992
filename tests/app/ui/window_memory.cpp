// What the window takes beside a model larger than its budget: hearth under Xvfb answers one
// question with engine/ram at the budget, and its frame times and the most memory it held are
// printed.
//
//   hearth_bench_window_memory MODEL.gguf BUDGET [TOKENS=100] [KEY=VALUE ...]
//
// KEY=VALUE: further settings, as of hearth --set. Linux only: reads /proc.
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <algorithm>
#include <cstdio>

#include "store/conversation_store.h"
#include "virtual_display.h"

using namespace hearth::ui;

namespace {

constexpr int kMostMs = 590'000;

QByteArray contentOf(const QString& name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// "VmHWM" of /proc/PID/status, MiB.
double mebibytes(const QByteArray& status, const char* name) {
    const QRegularExpression line(QStringLiteral("%1:\\s+(\\d+) kB").arg(QLatin1String(name)));
    return line.match(QString::fromLatin1(status)).captured(1).toDouble() / 1024;
}

QList<int> frameTimes(const QByteArray& log) {
    static const QRegularExpression kFrame(
        QStringLiteral("rame rendered with '[a-z]+' renderloop in (\\d+)ms"));
    QList<int> times;
    for (auto it = kFrame.globalMatch(QString::fromUtf8(log)); it.hasNext();) {
        times << it.next().captured(1).toInt();
    }
    std::sort(times.begin(), times.end());
    return times;
}

}  // namespace

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    test::VirtualDisplay display;
    if (arguments.size() < 3 || !display.start(1280, 800)) {
        std::fprintf(stderr, "usage: MODEL.gguf BUDGET [TOKENS] [KEY=VALUE ...]; %s\n",
                     qPrintable(display.reason()));
        return 1;
    }
    const QTemporaryDir folder;
    QStringList options{QStringLiteral("--data-dir"), folder.path(), arguments[1],
                        QStringLiteral("--say"), QStringLiteral("Tell me a long story.")};
    const QStringList settings = QStringList{QStringLiteral("engine/ram=") + arguments[2],
                                             QStringLiteral("sampling/max-tokens=") +
                                                 arguments.value(3, QStringLiteral("100"))} +
                                 arguments.mid(4);
    for (const QString& setting : settings) {
        options << QStringLiteral("--set") << setting;
    }
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("DISPLAY"), QString::fromLatin1(display.name()));
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("xcb"));
    environment.insert(QStringLiteral("QT_LOGGING_RULES"),
                       QStringLiteral("qt.scenegraph.time.renderloop.debug=true"));
    environment.remove(QStringLiteral("QT_QUICK_BACKEND"));
    QProcess program;
    program.setProcessEnvironment(environment);
    program.start(QStringLiteral(HEARTH_BINARY_DIR "/bin/hearth"), options);
    QElapsedTimer clock;
    clock.start();
    QByteArray log;
    QByteArray status;
    while (!log.contains("answered: message") && clock.elapsed() < kMostMs &&
           program.state() != QProcess::NotRunning) {
        program.waitForReadyRead(200);
        log = contentOf(folder.filePath(QStringLiteral("hearth.log")));
        const QByteArray now =
            contentOf(QStringLiteral("/proc/%1/status").arg(program.processId()));
        status = now.contains("VmHWM") ? now : status;
    }
    program.terminate();
    ConversationStore store;
    if (!program.waitForFinished(10'000) || !log.contains("answered: message") ||
        store.open(folder.path()).mode != ConversationStore::Mode::ReadWrite) {
        std::fprintf(stderr, "it did not answer: %s\n", log.right(2000).constData());
        return 1;
    }
    const Message answer = store.activePath(store.conversations().first().id).last();
    const QList<int> frames = frameTimes(log);
    const auto rank = [&](double share) {
        return frames.isEmpty()
                   ? 0
                   : frames[static_cast<qsizetype>(share * static_cast<double>(frames.size() - 1))];
    };
    std::printf("%d tokens, %.2f tokens/s, the first after %.0f ms\n", answer.stats.tokenCount,
                answer.stats.tokensPerSecond, answer.stats.firstTokenMs);
    std::printf("%lld frames: P50 %d ms, P95 %d ms, P99 %d ms, longest %d ms\n",
                static_cast<long long>(frames.size()), rank(0.5), rank(0.95), rank(0.99), rank(1));
    std::printf(
        "resident: %.0f MiB at most; at the end %.0f MiB of its own and %.0f MiB of files\n",
        mebibytes(status, "VmHWM"), mebibytes(status, "RssAnon"), mebibytes(status, "RssFile"));
    return 0;
}
