// The rows of the page of downloads, in the words of the window.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>

#include "download_queue.h"

namespace hearth::ui {

class DownloadListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Downloads has it")
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    enum Role {
        DownloadId = Qt::UserRole + 1,
        Title,
        Licence,
        Line,     // "1.2 of 4.0 GB · 12 MB/s · 3 min left", or what it is doing
        Problem,  // why it stands still, a sentence; empty: it does not, or that is as it should be
        Progress,  // 0 to 1; -1: not known
        Tone,      // "running", "still", "failed", "done"
        CanPause,
        CanResume,
        ResumeText,  // "Go on" or "Try again"
        CanCancel,
        CanUndo,
        CanRemove,
    };

    using QAbstractListModel::QAbstractListModel;

    int count() const { return static_cast<int>(all_.size()); }
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    // Rows that stay keep their place in a view: only what differs is told.
    void show(const QList<DownloadStatus>& all);
    const QList<DownloadStatus>& all() const { return all_; }

signals:
    void countChanged();

private:
    QList<DownloadStatus> all_;
};

// Of one download, as Line has it.
QString downloadLine(const DownloadStatus& status);

}  // namespace hearth::ui
