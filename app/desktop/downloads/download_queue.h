// All downloads of a data folder: a few at once, the others after them. It lives on a thread of its
// own (Downloads puts it there), since it writes and hashes, and reports everything by signals.
// The list is written to the disk after each change. After a start all downloads are paused: no
// server is asked before a person says so.
// The list is on the disk after each change of it. After a start, all of it is paused: nothing is
// asked of anybody before a person says so.
#pragma once

#include <QHash>
#include <QList>
#include <QObject>
#include <memory>
#include <vector>

#include "downloads/clock.h"
#include "downloads/download_order.h"
#include "downloads/file_download.h"
#include "downloads/queue_file.h"
#include "downloads/speed_limit.h"
#include "downloads/speed_meter.h"
#include "network/network_door.h"

namespace hearth::ui {

class NetworkControl;

struct DownloadStatus {
    enum class State {
        Queued,
        Connecting,
        Receiving,
        Waiting,    // text says for what; continues by itself in waitSeconds
        Checking,   // checks what an earlier run left; stepBytes tells how far
        Verifying,  // hashes the whole; stepBytes tells how far
        Comparing,  // compares with a second copy; stepBytes tells how far
        Paused,     // text may say why
        Failed,     // text says why
        Done,
        Cancelled,  // can be undone for a while
    };
    qint64 id = 0;
    QString title;
    QString licence;
    QStringList paths;
    State state = State::Queued;
    QString text;
    qint64 bytesDone = 0;
    qint64 bytesTotal = -1;  // -1: unknown
    qint64 stepBytes = 0;
    double bytesPerSecond = 0;  // 0: unknown
    qint64 secondsLeft = -1;    // -1: unknown
    qint64 waitSeconds = 0;
    bool verified = false;  // of one that is done: its SHA-256 was known, and is right

    // True for a download that continues without a person's help.
    bool underWay() const { return state < State::Paused; }
};

class DownloadQueue : public QObject {
    Q_OBJECT

public:
    static constexpr int kAtOnce = 2;
    static constexpr qint64 kUndoMs = 60'000;
    static constexpr qint64 kTellEveryMs = 250;

    // `control` outlives it. `file` keeps the list; empty: nothing is kept.
    DownloadQueue(NetworkControl& control, std::shared_ptr<Clock> clock, const QString& file,
                  const QSslConfiguration& tls = QSslConfiguration::defaultConfiguration(),
                  qint64 chunkBytes = PartFile::kChunkBytes);
    ~DownloadQueue() override;

    // Called in its own thread, before everything else.
    void open();
    // Called before the end: pauses all downloads and writes all data.
    void close();

    // `id` is unused so far; the order was not refused.
    void add(qint64 id, const DownloadOrder& order);
    void pause(qint64 id);
    void resume(qint64 id);  // also a failed one
    // Deletes the received data once the cancellation can no longer be undone: after kUndoMs, at
    // the end of the program, or by remove().
    void cancel(qint64 id);
    void undoCancel(qint64 id);
    // Takes a done, failed or cancelled download off the list. Files of a done one stay.
    void remove(qint64 id);

    QList<DownloadStatus> statuses() const;

signals:
    void changed(const QList<hearth::ui::DownloadStatus>& all);
    void completed(qint64 id, const QString& title, const QStringList& paths);
    // A sentence about the list itself.
    void trouble(const QString& text);

private:
    struct Item {
        QueuedDownload kept;
        bool wanted = false;  // it runs, or waits for its turn
        std::unique_ptr<FileDownload> file;
        QList<PartFile::Left> left;  // of each part, by an earlier run
        qsizetype part = -1;         // the part that `file` downloads
        qint64 receivedOf = 0;       // bytes of `file` that the meter counted
        SpeedMeter meter;
        std::unique_ptr<Alarm> undoEnds;
    };

    Item* find(qint64 id);
    void startMore();
    void startPart(Item& item);
    void fileStopped(qint64 id);
    void discardParts(const Item& item);
    qint64 bytesTotal(const Item& item) const;
    qint64 bytesDone(const Item& item) const;
    QString noRoomFor(const Item& item) const;
    void keep();
    void tellSoon();
    void tell();
    DownloadStatus statusOf(const Item& item) const;

    NetworkControl& control_;
    std::shared_ptr<Clock> clock_;
    QString file_;
    QSslConfiguration tls_;
    qint64 chunkBytes_;
    std::unique_ptr<NetworkDoor> door_;
    SpeedLimit limit_;
    std::vector<std::unique_ptr<Item>> items_;
    std::unique_ptr<Alarm> tellAlarm_;
    qint64 toldMs_ = 0;
    qint64 tellDueMs_ = 0;
    bool closed_ = false;
};

}  // namespace hearth::ui

Q_DECLARE_METATYPE(QList<hearth::ui::DownloadStatus>)
