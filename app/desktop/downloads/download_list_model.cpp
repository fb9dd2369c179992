#include "downloads/download_list_model.h"

#include <QCoreApplication>
#include <algorithm>

#include "downloads/speed_meter.h"
#include "system/size_words.h"

namespace hearth::ui {

namespace {

using State = DownloadStatus::State;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Downloads)
};

QString size(qint64 bytes) {
    const int digits = bytes >= 1'000'000'000 ? 2 : bytes >= 100'000'000 ? 0 : 1;
    return sizeWords(static_cast<quint64>(bytes), digits);
}

QString doneOf(const DownloadStatus& status) {
    if (status.bytesTotal < 0) {
        return status.bytesDone > 0 ? size(status.bytesDone) : QString();
    }
    return Words::tr("%1 of %2").arg(size(status.bytesDone), size(status.bytesTotal));
}

int percent(qint64 part, qint64 whole) {
    return whole <= 0 ? 0 : static_cast<int>(std::clamp<qint64>(part * 100 / whole, 0, 100));
}

QString joined(std::initializer_list<QString> parts) {
    QStringList some;
    for (const QString& part : parts) {
        if (!part.isEmpty()) {
            some << part;
        }
    }
    return some.join(QStringLiteral(" · "));
}

QString waitText(qint64 seconds) {
    return seconds < 120 ? Words::tr("tries again in %1 s").arg(seconds)
                         : Words::tr("tries again in %1 min").arg((seconds + 30) / 60);
}

bool canResume(State state) {
    return state == State::Paused || state == State::Failed;
}

}  // namespace

QString downloadLine(const DownloadStatus& status) {
    switch (status.state) {
        case State::Queued:
            return joined({doneOf(status), Words::tr("waits for its turn")});
        case State::Connecting:
            return joined({doneOf(status), Words::tr("connecting")});
        case State::Receiving:
            return joined(
                {doneOf(status),
                 status.bytesPerSecond > 0
                     ? Words::tr("%1/s").arg(size(static_cast<qint64>(status.bytesPerSecond)))
                     : QString(),
                 timeLeftText(status.secondsLeft)});
        case State::Waiting:
            return joined({doneOf(status), waitText(status.waitSeconds)});
        case State::Checking:
            return Words::tr("Checks the part on the disk: %1 %")
                .arg(percent(status.stepBytes, status.bytesTotal));
        case State::Verifying:
            return Words::tr("Checks the whole file: %1 %")
                .arg(percent(status.stepBytes, status.bytesTotal));
        case State::Comparing:
            return Words::tr("Looks for the damaged part: %1 %")
                .arg(percent(status.stepBytes, status.bytesTotal));
        case State::Paused:
            return joined({doneOf(status), Words::tr("paused")});
        case State::Failed:
            return doneOf(status);
        case State::Done:
            return joined({size(status.bytesTotal), Words::tr("done"),
                           status.verified ? Words::tr("checked by its SHA-256")
                                           : Words::tr("not verified: its SHA-256 is not known")});
        case State::Cancelled:
            return Words::tr("Cancelled. The downloaded part will be deleted.");
    }
    return {};
}

int DownloadListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant DownloadListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const DownloadStatus& status = all_.at(index.row());
    const State state = status.state;
    switch (role) {
        case DownloadId:
            return status.id;
        case Title:
            return status.title;
        case Licence:
            return status.licence;
        case Line:
            return downloadLine(status);
        case Problem:
            return status.text;
        case Progress: {
            if (state == State::Done) {
                return 1.0;
            }
            const bool step =
                state == State::Checking || state == State::Verifying || state == State::Comparing;
            return status.bytesTotal <= 0
                       ? -1.0
                       : std::clamp(
                             static_cast<double>(step ? status.stepBytes : status.bytesDone) /
                                 static_cast<double>(status.bytesTotal),
                             0.0, 1.0);
        }
        case Tone:
            return state == State::Done     ? QStringLiteral("done")
                   : state == State::Failed ? QStringLiteral("failed")
                   : status.underWay()      ? QStringLiteral("running")
                                            : QStringLiteral("still");
        case CanPause:
            return status.underWay();
        case CanResume:
            return canResume(state);
        case ResumeText:
            return state == State::Failed ? Words::tr("Try again") : Words::tr("Go on");
        case CanCancel:
            return status.underWay() || canResume(state);
        case CanUndo:
            return state == State::Cancelled;
        case CanRemove:
            return state == State::Done || state == State::Cancelled;
        case ModelPath:
            return state == State::Done ? status.paths.value(0) : QString();
        default:
            return {};
    }
}

QHash<int, QByteArray> DownloadListModel::roleNames() const {
    return {{DownloadId, "downloadId"},
            {Title, "title"},
            {Licence, "licence"},
            {Line, "line"},
            {Problem, "problem"},
            {Progress, "progress"},
            {Tone, "tone"},
            {CanPause, "canPause"},
            {CanResume, "canResume"},
            {ResumeText, "resumeText"},
            {CanCancel, "canCancel"},
            {CanUndo, "canUndo"},
            {CanRemove, "canRemove"},
            {ModelPath, "modelPath"}};
}

void DownloadListModel::show(const QList<DownloadStatus>& all) {
    const qsizetype before = all_.size();
    const auto has = [](const QList<DownloadStatus>& list, qint64 id) {
        return std::any_of(list.begin(), list.end(),
                           [id](const DownloadStatus& one) { return one.id == id; });
    };
    for (int row = count() - 1; row >= 0; --row) {
        if (!has(all, all_.at(row).id)) {
            beginRemoveRows({}, row, row);
            all_.removeAt(row);
            endRemoveRows();
        }
    }
    // The queue appends and never moves a row.
    for (qsizetype row = 0; row < all.size(); ++row) {
        if (row < all_.size() && all_.at(row).id == all.at(row).id) {
            all_[row] = all.at(row);
            emit dataChanged(index(static_cast<int>(row)), index(static_cast<int>(row)));
        } else {
            beginInsertRows({}, static_cast<int>(row), static_cast<int>(row));
            all_.insert(row, all.at(row));
            endInsertRows();
        }
    }
    if (all_.size() != before) {
        emit countChanged();
    }
}

}  // namespace hearth::ui
