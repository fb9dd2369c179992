#include "documents/document_child.h"

#include <QCoreApplication>
#include <QFile>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "documents/document_reader.h"
#include "system/process_limits.h"

namespace hearth::ui {

namespace {

// The largest texts take a tenth of it; a PDF of 200 MB is not held in memory.
constexpr quint64 kMostMemory = quint64{1536} << 20;
constexpr int kMostSeconds = 30;  // of the processor

}  // namespace

std::optional<int> documentReading(int argc, char** argv) {
    if (argc != 3 || std::strcmp(argv[1], "read-document") != 0) {
        return std::nullopt;
    }
    limitThisProcess(kMostMemory, kMostSeconds);
    const QCoreApplication application(argc, argv);
    const QByteArray bytes = readDocument(QCoreApplication::arguments().constLast()).toBytes();
    QFile out;
    const bool written =
        out.open(stdout, QIODevice::WriteOnly) && out.write(bytes) == bytes.size() && out.flush();
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace hearth::ui
