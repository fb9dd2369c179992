#include "downloads/download_queue.h"

#include <QFile>
#include <QRandomGenerator>
#include <algorithm>

#include "network/network_control.h"

namespace hearth::ui {

namespace {

using KeptState = QueuedDownload::State;
}  // namespace

DownloadQueue::DownloadQueue(NetworkControl& control, std::shared_ptr<Clock> clock,
                             const QString& file, const QSslConfiguration& tls, qint64 chunkBytes)
    : control_(control),
      clock_(std::move(clock)),
      file_(file),
      tls_(tls),
      chunkBytes_(chunkBytes),
      limit_(*clock_) {}

DownloadQueue::~DownloadQueue() = default;

void DownloadQueue::open() {
    // They are created here, not in the constructor, because they belong to this thread.
    door_ = std::make_unique<NetworkDoor>(control_, tls_);
    tellAlarm_ = clock_->alarm([this] { tell(); });
    const auto takeLimit = [this] {
        limit_.setBytesPerSecond(control_.rules().bytesPerSecondMost);
    };
    connect(&control_, &NetworkControl::rulesChanged, this, takeLimit);
    takeLimit();
    const QueueFileContent content = file_.isEmpty() ? QueueFileContent() : readQueueFile(file_);
    bool changed = false;
    for (const QueuedDownload& kept : content.downloads) {
        auto item = std::make_unique<Item>();
        item->kept = kept;
        if (kept.state == KeptState::Cancelled) {
            discardParts(*item);
            changed = true;
            continue;
        }
        for (const QString& path : kept.order.paths()) {
            item->left.append(PartFile::leftOf(path));
        }
        items_.push_back(std::move(item));
    }
    if (changed) {
        keep();
    }
    if (!content.problem.isEmpty()) {
        emit trouble(content.problem);
    }
    tell();
}

void DownloadQueue::close() {
    if (std::exchange(closed_, true)) {
        return;
    }
    for (auto it = items_.begin(); it != items_.end();) {
        Item& item = **it;
        if (item.file) {
            item.file->disconnect(this);
            item.file->pause();
            item.file.reset();
        }
        if (item.kept.state == KeptState::Cancelled) {
            discardParts(item);
            it = items_.erase(it);
        } else {
            ++it;
        }
    }
    if (door_ != nullptr) {
        keep();
    }
    items_.clear();
    tellAlarm_.reset();
    door_.reset();
}

DownloadQueue::Item* DownloadQueue::find(qint64 id) {
    const auto found = std::find_if(items_.begin(), items_.end(),
                                    [&](const auto& item) { return item->kept.id == id; });
    return found == items_.end() ? nullptr : found->get();
}

void DownloadQueue::add(qint64 id, const DownloadOrder& order) {
    auto item = std::make_unique<Item>();
    item->kept.id = id;
    item->kept.order = order;
    item->kept.partsDone.fill(false, order.parts.size());
    item->wanted = true;
    items_.push_back(std::move(item));
    keep();
    startMore();
    tell();
}

void DownloadQueue::pause(qint64 id) {
    Item* item = find(id);
    if (item == nullptr || !item->wanted) {
        return;
    }
    item->wanted = false;
    if (item->file) {
        item->file->pause();  // leads to fileStopped()
    }
    startMore();
    tell();
}

void DownloadQueue::resume(qint64 id) {
    Item* item = find(id);
    const bool may = item != nullptr && !item->wanted &&
                     (item->kept.state == KeptState::Open || item->kept.state == KeptState::Failed);
    if (!may) {
        return;
    }
    item->wanted = true;
    item->kept.text.clear();
    item->kept.state = KeptState::Open;
    item->meter.reset();
    keep();
    startMore();
    tell();
}

void DownloadQueue::cancel(qint64 id) {
    Item* item = find(id);
    if (item == nullptr || item->kept.state == KeptState::Done ||
        item->kept.state == KeptState::Cancelled) {
        return;
    }
    pause(id);
    item->file.reset();  // closes its files
    item->part = -1;
    item->kept.state = KeptState::Cancelled;
    item->kept.text.clear();
    item->undoEnds = clock_->alarm([this, id] {
        // Queued, because the alarm goes with the item and must not be deleted in its own call.
        QMetaObject::invokeMethod(
            this, [this, id] { remove(id); }, Qt::QueuedConnection);
    });
    item->undoEnds->set(kUndoMs);
    keep();
    tell();
}

void DownloadQueue::undoCancel(qint64 id) {
    Item* item = find(id);
    if (item == nullptr || item->kept.state != KeptState::Cancelled) {
        return;
    }
    item->undoEnds.reset();
    item->kept.state = KeptState::Open;
    keep();
    resume(id);
}

void DownloadQueue::remove(qint64 id) {
    Item* item = find(id);
    if (item == nullptr || item->kept.state == KeptState::Open) {
        return;
    }
    item->file.reset();
    if (item->kept.state != KeptState::Done) {
        discardParts(*item);
    }
    std::erase_if(items_, [&](const auto& each) { return each.get() == item; });
    keep();
    tell();
}

void DownloadQueue::discardParts(const Item& item) {
    for (qsizetype i = 0; i < item.kept.order.parts.size(); ++i) {
        if (!item.kept.partsDone.value(i)) {
            FileDownload::discard(item.kept.order.paths().at(i));
        }
    }
}

void DownloadQueue::startMore() {
    const auto runs = [](const auto& item) {
        return item->wanted && item->file != nullptr &&
               item->file->state() != FileDownload::State::Stopped &&
               item->file->state() != FileDownload::State::Idle;
    };
    auto running = std::count_if(items_.begin(), items_.end(), runs);
    for (const auto& item : items_) {
        if (running >= kAtOnce) {
            return;
        }
        if (item->wanted && !runs(item)) {
            startPart(*item);
            running += runs(item) ? 1 : 0;  // one without room leaves its turn to the next
        }
    }
}

// The first part that is not done, or the end of all parts.
void DownloadQueue::startPart(Item& item) {
    const QStringList paths = item.kept.order.paths();
    qsizetype next = 0;
    while (next < paths.size() && item.kept.partsDone.at(next) && QFile::exists(paths.at(next))) {
        ++next;
    }
    if (next == paths.size()) {
        item.wanted = false;
        item.file.reset();
        item.part = -1;
        item.kept.state = KeptState::Done;
        keep();
        emit completed(item.kept.id, item.kept.order.title, paths);
        return;
    }
    if (const QString text = noRoomFor(item); !text.isEmpty()) {
        item.wanted = false;
        item.kept.text = text;
        return;
    }
    const qint64 id = item.kept.id;
    if (item.part != next || item.file == nullptr) {
        const DownloadPart& part = item.kept.order.parts.at(next);
        item.kept.partsDone[next] = false;
        item.part = next;
        item.receivedOf = 0;
        item.file = std::make_unique<FileDownload>(
            DownloadTools{*door_, *clock_, limit_,
                          [] { return QRandomGenerator::global()->generateDouble(); }, chunkBytes_},
            FileOrder{part.url, paths.at(next), part.bytes, part.sha256,
                      tr("Download of %1").arg(part.fileName), part.bytesAbout, part.model,
                      part.architecture});
        connect(item.file.get(), &FileDownload::changed, this, [this, id] {
            if (Item* one = find(id)) {
                const qint64 received = one->file->bytesReceived() - one->file->bytesSkipped();
                one->meter.add(received - one->receivedOf, clock_->nowMs());
                one->receivedOf = received;
            }
            tellSoon();
        });
        // Queued: a file that ends must not be deleted within its own call.
        connect(
            item.file.get(), &FileDownload::stopped, this, [this, id] { fileStopped(id); },
            Qt::QueuedConnection);
    }
    item.file->start();
}

void DownloadQueue::fileStopped(qint64 id) {
    Item* item = find(id);
    if (item == nullptr || item->file == nullptr) {
        return;
    }
    using Reason = FileDownload::Reason;
    if (item->file->state() == FileDownload::State::Done) {
        item->kept.partsDone[item->part] = true;
        item->file.reset();
        item->part = -1;
        keep();
    } else if (item->file->state() == FileDownload::State::Stopped && item->wanted) {
        item->wanted = false;
        item->kept.text = item->file->text();
        const Reason reason = item->file->reason();
        if (reason != Reason::Paused && reason != Reason::Forbidden && reason != Reason::Disk) {
            item->kept.state = KeptState::Failed;
        }
        keep();
    }
    startMore();
    tell();
}

void DownloadQueue::keep() {
    if (file_.isEmpty()) {
        return;
    }
    QList<QueuedDownload> all;
    for (const auto& item : items_) {
        all.append(item->kept);
    }
    if (const QString text = writeQueueFile(file_, all); !text.isEmpty()) {
        emit trouble(text);
    }
}

void DownloadQueue::tellSoon() {
    if (closed_) {
        return;
    }
    const qint64 due = std::max(clock_->nowMs(), toldMs_ + kTellEveryMs);
    if (!tellAlarm_->isSet() || due < tellDueMs_) {
        tellDueMs_ = due;
        tellAlarm_->set(due - clock_->nowMs());
    }
}

void DownloadQueue::tell() {
    tellAlarm_->clear();
    toldMs_ = clock_->nowMs();
    const QList<DownloadStatus> all = statuses();
    emit changed(all);
    // Speeds fade and waits grow shorter even when nothing happens.
    if (std::any_of(all.begin(), all.end(), [](const auto& one) { return one.underWay(); })) {
        tellDueMs_ = toldMs_ + 1000;
        tellAlarm_->set(1000);
    }
}

}  // namespace hearth::ui
