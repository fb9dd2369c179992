// Moves files to the system's bin, and back.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace hearth::ui {

struct BinnedFile {
    QString path;   // its place before
    QString inBin;  // its place in the bin

    friend bool operator==(const BinnedFile&, const BinnedFile&) = default;
};

struct BinOutcome {
    QList<BinnedFile> files;
    QString wrong;  // a sentence; nothing is in the bin then
};

// Moves all files or none. It never copies, so it takes milliseconds, but it asks the disk.
BinOutcome moveToBin(const QStringList& paths);
// Returns nothing, or why a file could not be brought back; the files before it are back.
QString bringBack(const QList<BinnedFile>& files);

}  // namespace hearth::ui
