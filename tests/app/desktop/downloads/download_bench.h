// A server, a door, a clock that a test turns, and a file between them.
#pragma once

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QRandomGenerator>
#include <QTemporaryDir>

#include "app/desktop/network/test_server.h"
#include "downloads/file_download.h"
#include "downloads/speed_limit.h"
#include "network/network_control.h"
#include "network/network_door.h"
#include "virtual_clock.h"

namespace hearth::ui::test {

inline QByteArray randomBytes(qint64 bytes, quint32 seed) {
    QByteArray all(bytes, Qt::Uninitialized);
    QRandomGenerator random(seed);
    std::generate(all.begin(), all.end(), [&] { return static_cast<char>(random.bounded(256)); });
    return all;
}

inline QByteArray sha256(const QByteArray& bytes) {
    return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256);
}

inline QByteArray fileAt(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// In memory where there is such a place: thousands of chunks are synced.
inline QString quickFolder() {
    const QString memory = QStringLiteral("/dev/shm");
    return (QFileInfo(memory).isWritable() ? memory : QDir::tempPath()) +
           QStringLiteral("/hearth-downloads-XXXXXX");
}

class DownloadBench {
public:
    static constexpr qint64 kChunk = 16 * 1024;

    explicit DownloadBench(TestServer::Handler handler, const TestAuthority* tls = nullptr)
        : server([this, handler = std::move(handler)](const ServerRequest& request) {
              receivedBefore_ = receivedOfEnded_ + (file ? file->bytesReceived() : 0);
              return handler(request);
          }),
          door(control, tls == nullptr ? QSslConfiguration::defaultConfiguration() : tls->client),
          limit(clock),
          folder(quickFolder()) {
        if (tls != nullptr) {
            server.useTls(tls->server);
        }
        if (!server.start()) {
            qFatal("no server");
        }
    }

    QString target() const { return folder.filePath(QStringLiteral("model.gguf")); }
    QString part() const { return target() + QStringLiteral(".part"); }

    void make(const QByteArray& hash = {}, qint64 bytes = -1) {
        make({.url = QUrl(server.base() + QStringLiteral("/model.gguf")),
              .target = target(),
              .bytes = bytes,
              .sha256 = hash,
              .purpose = QStringLiteral("Test")});
    }
    void make(const FileOrder& order) {
        end();
        file = std::make_unique<FileDownload>(
            DownloadTools{door, clock, limit, [this] { return random.generateDouble(); }, kChunk},
            order);
    }
    // As a kill would: nothing is written any more.
    void end() {
        receivedOfEnded_ += file ? file->bytesReceived() : 0;
        file.reset();
    }
    qint64 bytesReceived() const { return receivedOfEnded_ + (file ? file->bytesReceived() : 0); }

    bool ended() const {
        return file->state() == FileDownload::State::Done ||
               file->state() == FileDownload::State::Stopped;
    }
    // Starts it, and runs until it has ended or `enough` says so. The clock is turned where nothing
    // else can happen: the file waits, or the server stalls and all that it sent has arrived.
    bool run(const std::function<bool()>& enough = [] { return false; }) {
        file->start();
        QDeadlineTimer patience(30'000);
        while (!ended() && !enough()) {
            if (patience.hasExpired()) {
                return false;
            }
            const bool waits = file->state() == FileDownload::State::Waiting;
            const bool stalled = server.stalls() && server.requests().size() > rungAt_ &&
                                 bytesReceived() - receivedBefore_ == server.bodyBytesOfLatest();
            if (waits || stalled) {
                rungAt_ = server.requests().size();
                clock.ringNext();
            }
            QCoreApplication::processEvents(QEventLoop::AllEvents, 1);
        }
        return true;
    }

    NetworkControl control;
    VirtualClock clock;
    QRandomGenerator random{1};
    TestServer server;
    NetworkDoor door;
    SpeedLimit limit;
    QTemporaryDir folder;
    std::unique_ptr<FileDownload> file;

private:
    qint64 receivedBefore_ = 0;  // the latest request
    qint64 receivedOfEnded_ = 0;
    qsizetype rungAt_ = 0;
};

// The part of `whole` that was asked for, as a good server sends it.
inline ServerAnswer serve(const ServerRequest& request, const QByteArray& whole,
                          const QByteArray& etag) {
    ServerAnswer answer{.headers = {{"Accept-Ranges", "bytes"}}, .body = whole};
    if (!etag.isEmpty()) {
        answer.headers.append({"ETag", etag});
    }
    const QByteArray condition = request.headers.value("if-range");
    const auto range = request.range();
    if (!range || (!condition.isEmpty() && condition != etag)) {
        return answer;
    }
    if (range->first >= whole.size()) {
        answer.status = 416;
        answer.headers.append({"Content-Range", "bytes */" + QByteArray::number(whole.size())});
        answer.body.clear();
        return answer;
    }
    const qint64 end =
        range->second < 0 ? whole.size() : std::min<qint64>(range->second, whole.size());
    answer.status = 206;
    answer.headers.append({"Content-Range", "bytes " + QByteArray::number(range->first) + '-' +
                                                QByteArray::number(end - 1) + '/' +
                                                QByteArray::number(whole.size())});
    answer.body = whole.mid(range->first, end - range->first);
    return answer;
}

}  // namespace hearth::ui::test
