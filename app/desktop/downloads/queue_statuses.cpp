// Describes the downloads of a DownloadQueue.
#include <QFileInfo>
#include <algorithm>

#include "downloads/download_queue.h"

#include "system/size_words.h"

namespace hearth::ui {

namespace {

using KeptState = QueuedDownload::State;
using State = DownloadStatus::State;

}  // namespace

QString DownloadQueue::noRoomFor(const Item& item) const {
    const qint64 total = bytesTotal(item);
    const qint64 free = freeBytes(item.kept.order.folder);
    // Room that a part has already reserved is no longer free.
    qint64 reserved = 0;
    const QStringList paths = item.kept.order.paths();
    for (qsizetype i = 0; i < paths.size(); ++i) {
        if (item.kept.partsDone.at(i)) {
            reserved += std::max<qint64>(0, item.kept.order.parts.at(i).bytes);
        } else {
            reserved += QFileInfo(paths.at(i) + QStringLiteral(".part")).size();
        }
    }
    if (total < 0 || free < 0 || free >= total - reserved) {
        return {};
    }
    return tr("It needs %1 more on the disk, and %2 are free. Make room, then go on.")
        .arg(sizeWords(static_cast<quint64>(total - reserved)),
             sizeWords(static_cast<quint64>(free)));
}

qint64 DownloadQueue::bytesTotal(const Item& item) const {
    qint64 sum = 0;
    for (qsizetype i = 0; i < item.kept.order.parts.size(); ++i) {
        qint64 bytes = item.kept.order.parts.at(i).bytes;
        if (bytes < 0 && item.file != nullptr && i == item.part) {
            bytes = item.file->bytesTotal();
        }
        if (bytes < 0 && i != item.part) {
            bytes = item.left.value(i).bytesTotal;
        }
        if (bytes < 0 && item.kept.partsDone.at(i)) {
            bytes = QFileInfo(item.kept.order.paths().at(i)).size();
        }
        if (bytes < 0) {
            return -1;
        }
        sum += bytes;
    }
    return sum;
}

qint64 DownloadQueue::bytesDone(const Item& item) const {
    qint64 sum = item.file != nullptr ? item.file->bytesDone() : 0;
    for (qsizetype i = 0; i < item.kept.order.parts.size(); ++i) {
        if (item.kept.partsDone.at(i)) {
            sum += std::max<qint64>(QFileInfo(item.kept.order.paths().at(i)).size(), 0);
        } else if (i != item.part) {
            sum += item.left.value(i).bytesDone;
        }
    }
    return sum;
}

QList<DownloadStatus> DownloadQueue::statuses() const {
    QList<DownloadStatus> all;
    for (const auto& item : items_) {
        all.append(statusOf(*item));
    }
    return all;
}

DownloadStatus DownloadQueue::statusOf(const Item& item) const {
    DownloadStatus status;
    status.id = item.kept.id;
    status.title = item.kept.order.title;
    status.licence = item.kept.order.licence;
    status.paths = item.kept.order.paths();
    status.text = item.kept.text;
    status.bytesTotal = bytesTotal(item);
    status.bytesDone = bytesDone(item);
    if (item.kept.state != KeptState::Open) {
        status.state = item.kept.state == KeptState::Done     ? State::Done
                       : item.kept.state == KeptState::Failed ? State::Failed
                                                              : State::Cancelled;
        status.verified = status.state == State::Done && item.kept.order.hasAllHashes();
        return status;
    }
    if (!item.wanted) {
        status.state = State::Paused;
        return status;
    }
    if (item.file == nullptr) {
        return status;  // queued
    }
    const qint64 now = clock_->nowMs();
    status.stepBytes = item.file->stepBytes();
    switch (item.file->state()) {
        case FileDownload::State::Idle:
        case FileDownload::State::Stopped:
        case FileDownload::State::Done:
            break;
        case FileDownload::State::Checking:
            status.state = State::Checking;
            break;
        case FileDownload::State::Asking:
            status.state = State::Connecting;
            break;
        case FileDownload::State::Receiving:
            status.state = State::Receiving;
            status.bytesPerSecond = item.meter.bytesPerSecond(now);
            status.secondsLeft =
                status.bytesTotal < 0
                    ? -1
                    : item.meter.secondsLeft(status.bytesTotal - status.bytesDone, now);
            break;
        case FileDownload::State::Waiting:
            status.state = State::Waiting;
            status.text = item.file->text();
            status.waitSeconds =
                std::max<qint64>(0, (item.file->waitsUntilMs() - now + 999) / 1000);
            break;
        case FileDownload::State::Verifying:
            status.state = State::Verifying;
            break;
        case FileDownload::State::Comparing:
            status.state = State::Comparing;
            break;
    }
    return status;
}

}  // namespace hearth::ui
