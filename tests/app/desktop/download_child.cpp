// What download_kill_test kills: the real queue on the real clock, downloading one file.
//
//   hearth-download-child FOLDER URL SHA256 BYTES
//
// FOLDER/list.json is the list, FOLDER/file the file. Begins the download, or goes on with it. Ends
// with 0 once the file has its name, with 1 where it failed.
#include <QCoreApplication>
#include <cstdio>

#include "downloads/download_queue.h"
#include "network/network_control.h"

using namespace hearth::ui;

namespace {

constexpr qint64 kChunkBytes = 256 * 1024;
constexpr qint64 kBytesPerSecond = 24 << 20;  // slow enough to be hit in the middle

}  // namespace

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.size() != 5) {
        std::fputs("usage: hearth-download-child FOLDER URL SHA256 BYTES\n", stderr);
        return 2;
    }
    NetworkControl control;
    control.setRules({.bytesPerSecondMost = kBytesPerSecond});
    DownloadQueue queue(control, std::make_shared<SystemClock>(),
                        arguments.at(1) + QStringLiteral("/list.json"),
                        QSslConfiguration::defaultConfiguration(), kChunkBytes);
    QObject::connect(
        &queue, &DownloadQueue::completed, &application, [] { QCoreApplication::exit(0); },
        Qt::QueuedConnection);
    QObject::connect(&queue, &DownloadQueue::trouble,
                     [](const QString& text) { qFatal("%s", qPrintable(text)); });
    QObject::connect(&queue, &DownloadQueue::changed, [](const QList<DownloadStatus>& all) {
        for (const DownloadStatus& one : all) {
            if (one.state == DownloadStatus::State::Failed) {
                std::fprintf(stderr, "%s\n", qPrintable(one.text));
                QCoreApplication::exit(1);
            }
        }
    });
    queue.open();
    const QList<DownloadStatus> all = queue.statuses();
    if (all.isEmpty()) {
        queue.add(1, {QStringLiteral("A file"),
                      arguments.at(1),
                      QStringLiteral("mit"),
                      {{QUrl(arguments.at(2)), QStringLiteral("file"), arguments.at(4).toLongLong(),
                        QByteArray::fromHex(arguments.at(3).toLatin1())}}});
    } else {
        queue.resume(all.first().id);
    }
    const int result = QCoreApplication::exec();
    queue.close();
    return result;
}
