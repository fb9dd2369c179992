// The list of downloads on the disk: one JSON file, replaced as a whole. The bytes of a file that
// are there are recorded in the journal beside that file (PartFile), not here.
#pragma once

#include <QList>
#include <QString>

#include "downloads/download_order.h"

namespace hearth::ui {

struct QueuedDownload {
    enum class State { Open, Failed, Done, Cancelled };
    qint64 id = 0;
    DownloadOrder order;
    State state = State::Open;
    QString text;           // of a failed download
    QList<bool> partsDone;  // as many as parts
};

struct QueueFileContent {
    QList<QueuedDownload> downloads;
    QString problem;  // a sentence: the file could not be read, and its new place
};

// A missing file is an empty list. A file of another kind is moved aside; orders that would be
// refused are left out.
QueueFileContent readQueueFile(const QString& path);

// Empty: the list is on the disk. Else a sentence.
QString writeQueueFile(const QString& path, const QList<QueuedDownload>& downloads);

}  // namespace hearth::ui
