#include "documents/drawing_child.h"

#include <QFile>
#include <QGuiApplication>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "documents/svg_drawing.h"
#include "documents/svg_source.h"
#include "system/process_limits.h"

namespace hearth::ui {

namespace {

constexpr const char* kCommand = "draw-svg";
constexpr int kArguments = 5;  // the program, the command, and the place
// A picture of the largest size takes 16 MB; fonts are mapped, not read.
constexpr quint64 kMostMemory = quint64{1024} << 20;
constexpr int kMostSeconds = 10;  // of the processor
constexpr qint64 kMostInput = 3 * qint64{kMostSvgCharacters} + 1;

QString text(qreal number) {
    return QString::number(number, 'g', 12);
}

}  // namespace

QStringList drawingArguments(const DrawingPlace& place) {
    return {QLatin1String(kCommand), text(place.room), text(place.zoom), text(place.ratio)};
}

std::optional<int> drawingChild(int argc, char** argv) {
    if (argc != kArguments || std::strcmp(argv[1], kCommand) != 0) {
        return std::nullopt;
    }
    const DrawingPlace place = {QByteArray(argv[2]).toDouble(), QByteArray(argv[3]).toDouble(),
                                QByteArray(argv[4]).toDouble()};
    if (!place.isSound()) {
        return EXIT_FAILURE;
    }
    limitThisProcess(kMostMemory, kMostSeconds);
    QFile in;
    if (!in.open(stdin, QIODevice::ReadOnly)) {
        return EXIT_FAILURE;
    }
    const QByteArray source = in.read(kMostInput);
    // No display, no theme, and no scale but that of the place.
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qunsetenv("QT_QPA_PLATFORMTHEME");
    qunsetenv("QT_IM_MODULE");
    int one = 1;
    const QGuiApplication application(one, argv);
    const QByteArray bytes = drawSvg(QString::fromUtf8(source), place).toBytes();
    QFile out;
    const bool written =
        out.open(stdout, QIODevice::WriteOnly) && out.write(bytes) == bytes.size() && out.flush();
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace hearth::ui
