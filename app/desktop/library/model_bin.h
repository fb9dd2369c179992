// Files to the system's bin, and back from there.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace hearth::ui {

struct BinnedFile {
    QString path;   // where it was
    QString inBin;  // where it is

    friend bool operator==(const BinnedFile&, const BinnedFile&) = default;
};

struct BinOutcome {
    QList<BinnedFile> files;
    QString wrong;  // a sentence; then nothing is in the bin
};

// All of them or none. Moves, never copies, so it takes milliseconds; but asks the disk.
BinOutcome moveToBin(const QStringList& paths);
// Empty, or why one of them could not be brought back; those before it are back.
QString bringBack(const QList<BinnedFile>& files);

}  // namespace hearth::ui
