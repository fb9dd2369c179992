// Adds to QFile: bytes that are on the disk for certain, and reserved room for bytes to come.
#pragma once

#include <QString>

class QFileDevice;

namespace hearth::ui {

// A refusal of the disk. Any thread.
struct DiskTrouble {
    enum class Kind { None, Full, TooLarge, Refused };  // TooLarge: this file system has a limit
    Kind kind = Kind::None;
    QString detail = {};  // in the system's words

    explicit operator bool() const { return kind != Kind::None; }
    QString sentence() const;  // for people: what is wrong, and what to do
};

// The reason why the latest call on `file` failed. Call it right after the failure.
DiskTrouble troubleOf(const QFileDevice& file);

// Returns when the bytes of `file` would survive a power cut.
DiskTrouble syncFile(QFileDevice& file);
// Returns when the names in a folder would survive a power cut: call it after a rename.
void syncFolder(const QString& folder);

// Makes the file `bytes` large and reserves room on the disk for all of it. Keeps the file's
// content. A file system that cannot reserve leaves the file as it is and reports no trouble.
DiskTrouble reserve(QFileDevice& file, qint64 bytes);

// Bytes that this user can still write in `folder`, or in its nearest parent that exists. -1:
// unknown.
qint64 freeBytes(const QString& folder);

}  // namespace hearth::ui
