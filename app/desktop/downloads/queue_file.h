// The list of downloads on the disk: one JSON file, replaced as a whole. Which bytes of a file are
// there is not in it; that is the journal's beside the file (PartFile).
#pragma once

#include <QList>
#include <QString>

#include "download_order.h"

namespace hearth::ui {

struct QueuedDownload {
    enum class State { Open, Failed, Done, Cancelled };
    qint64 id = 0;
    DownloadOrder order;
    State state = State::Open;
    QString text;           // of a failed one
    QList<bool> partsDone;  // as many as parts
};

struct QueueFileContent {
    QList<QueuedDownload> downloads;
    QString problem;  // a sentence: the file could not be read, and where it is now
};

// A file that is none of ours, or holds orders that would be refused, is moved aside, or those
// orders are left out; a missing one is an empty list.
QueueFileContent readQueueFile(const QString& path);

// Empty: written, and on the disk. Else a sentence.
QString writeQueueFile(const QString& path, const QList<QueuedDownload>& downloads);

}  // namespace hearth::ui
