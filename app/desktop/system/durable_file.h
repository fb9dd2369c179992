// What QFile leaves out: bytes that are on the disk for certain, and room for those to come.
#pragma once

#include <QString>

class QFileDevice;

namespace hearth::ui {

// What the disk refused. Any thread.
struct DiskTrouble {
    enum class Kind { None, Full, TooLarge, Refused };  // TooLarge: this file system has a limit
    Kind kind = Kind::None;
    QString detail = {};  // in the system's words

    explicit operator bool() const { return kind != Kind::None; }
    QString sentence() const;  // for people: what, and what to do
};

// Of the call just before, which failed: why it did.
DiskTrouble troubleOf(const QFileDevice& file);

// Returns when the bytes of `file` would survive a power cut.
DiskTrouble syncFile(QFileDevice& file);
// Likewise the names in a folder: after a rename.
void syncFolder(const QString& folder);

// Makes the file `bytes` large, with room on the disk for all of it. A file system that cannot
// reserve leaves the file as it is, which is no trouble. Keeps what is in the file.
DiskTrouble reserve(QFileDevice& file, qint64 bytes);

// Free for this user where `folder` is, or its nearest parent that exists. -1: not known.
qint64 freeBytes(const QString& folder);

}  // namespace hearth::ui
