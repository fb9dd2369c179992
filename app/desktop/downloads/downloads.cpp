#include "downloads/downloads.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QUrl>
#include <algorithm>

#include "network/token_keeper.h"
#include "system/outside.h"

namespace hearth::ui {

Downloads::Downloads(NetworkControl& control, TokenKeeper& tokens, const Settings& settings,
                     QObject* parent)
    : QObject(parent),
      tokens_(tokens),
      readOnly_(settings.readOnly),
      queue_(new DownloadQueue(control, std::make_shared<SystemClock>(), settings.file,
                               settings.tls)) {
    qRegisterMetaType<QList<DownloadStatus>>();
    queue_->moveToThread(&thread_);
    connect(queue_, &DownloadQueue::changed, this, &Downloads::take);
    connect(queue_, &DownloadQueue::completed, this, &Downloads::completed);
    connect(queue_, &DownloadQueue::trouble, this, [this](const QString& text) {
        trouble_ = text;
        emit changed();
    });
    connect(&thread_, &QThread::finished, queue_, &QObject::deleteLater);
    thread_.setObjectName(QStringLiteral("downloads"));
    thread_.start(QThread::LowPriority);
    if (!readOnly_) {
        post([](DownloadQueue& queue) { queue.open(); });
    }
}

Downloads::~Downloads() {
    close();
}

void Downloads::close() {
    if (!thread_.isRunning()) {
        return;
    }
    if (!readOnly_) {
        QMetaObject::invokeMethod(queue_, &DownloadQueue::close, Qt::BlockingQueuedConnection);
    }
    thread_.quit();
    thread_.wait();
}

template <typename Call>
void Downloads::post(Call call) {
    if (!thread_.isRunning()) {
        return;  // the program ends
    }
    QMetaObject::invokeMethod(
        queue_, [queue = queue_, call] { call(*queue); }, Qt::QueuedConnection);
}

QString Downloads::add(const DownloadOrder& order) {
    if (readOnly_) {
        return tr("Hearth is open in another window; download it there.");
    }
    if (QString refused = refusalOf(order); !refused.isEmpty()) {
        return refused;
    }
    for (const QString& path : order.paths()) {
        if (willHave(path)) {
            return tr("%1 is among the downloads already.").arg(QFileInfo(path).fileName());
        }
        if (QFileInfo::exists(path)) {
            return tr("There is a file named %1 in this folder already.")
                .arg(QFileInfo(path).fileName());
        }
    }
    // Greater than any id of an earlier run.
    lastId_ = std::max(lastId_ + 1, QDateTime::currentMSecsSinceEpoch());
    added_.insert(lastId_, order.paths());
    tokens_.load(order.parts.first().url.host(), this, [this, id = lastId_, order] {
        post([id, order](DownloadQueue& queue) { queue.add(id, order); });
    });
    return {};
}

bool Downloads::willHave(const QString& path) const {
    const QString clean = QDir::cleanPath(path);
    const auto among = [&](const QStringList& paths) {
        return std::any_of(paths.begin(), paths.end(),
                           [&](const QString& one) { return QDir::cleanPath(one) == clean; });
    };
    return std::any_of(added_.begin(), added_.end(), among) ||
           std::any_of(list_.all().begin(), list_.all().end(), [&](const DownloadStatus& one) {
               return one.state != DownloadStatus::State::Done && among(one.paths);
           });
}

void Downloads::pause(qint64 id) {
    post([id](DownloadQueue& queue) { queue.pause(id); });
}

void Downloads::resume(qint64 id) {
    // The host is known to the queue alone; the token that people have is the hub's.
    tokens_.loadAll(this, [this, id] { post([id](DownloadQueue& queue) { queue.resume(id); }); });
}

void Downloads::cancel(qint64 id) {
    post([id](DownloadQueue& queue) { queue.cancel(id); });
}

void Downloads::undoCancel(qint64 id) {
    post([id](DownloadQueue& queue) { queue.undoCancel(id); });
}

void Downloads::remove(qint64 id) {
    post([id](DownloadQueue& queue) { queue.remove(id); });
}

void Downloads::showFolder(qint64 id) {
    for (const DownloadStatus& one : list_.all()) {
        if (one.id == id && !one.paths.isEmpty()) {
            openOutside(QUrl::fromLocalFile(QFileInfo(one.paths.first()).path()));
        }
    }
}

void Downloads::take(const QList<DownloadStatus>& all) {
    for (const DownloadStatus& one : all) {
        added_.remove(one.id);
    }
    list_.show(all);
    emit changed();
}

int Downloads::underWay() const {
    return static_cast<int>(std::count_if(list_.all().begin(), list_.all().end(),
                                          [](const auto& one) { return one.underWay(); }));
}

double Downloads::progress() const {
    double done = 0;
    double total = 0;
    for (const DownloadStatus& one : list_.all()) {
        if (!one.underWay()) {
            continue;
        }
        if (one.bytesTotal <= 0) {
            return -1;
        }
        done += static_cast<double>(one.bytesDone);
        total += static_cast<double>(one.bytesTotal);
    }
    return total <= 0 ? -1 : std::clamp(done / total, 0.0, 1.0);
}

QString Downloads::summary() const {
    const int number = underWay();
    if (number == 0) {
        return {};
    }
    const QString what = tr("%n downloads", nullptr, number);
    const double part = progress();
    return part < 0 ? what : tr("%1 · %2 %").arg(what).arg(static_cast<int>(part * 100));
}

}  // namespace hearth::ui
