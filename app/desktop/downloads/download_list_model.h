// The rows of the page of downloads, in the window's words.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>

#include "downloads/download_queue.h"

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
        Line,      // "1.2 of 4.0 GB · 12 MB/s · 3 min left", or its present step
        Problem,   // why it stands still, a sentence; empty: it runs, or somebody stopped it
        Progress,  // 0 to 1; -1: unknown
        Tone,      // "running", "still", "failed", "done"
        CanPause,
        CanResume,
        ResumeText,  // "Go on" or "Try again"
        CanCancel,
        CanUndo,
        CanRemove,
        ModelPath,  // of one that is done: the file to open; else empty
    };

    using QAbstractListModel::QAbstractListModel;

    int count() const { return static_cast<int>(all_.size()); }
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    // Unchanged rows keep their place in a view: only changed rows are reported.
    void show(const QList<DownloadStatus>& all);
    const QList<DownloadStatus>& all() const { return all_; }

signals:
    void countChanged();

private:
    QList<DownloadStatus> all_;
};

// The text that Line has for one download.
QString downloadLine(const DownloadStatus& status);

}  // namespace hearth::ui
