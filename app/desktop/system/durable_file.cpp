#include "system/durable_file.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileDevice>
#include <QFileInfo>
#include <cerrno>
#include <filesystem>
#include <system_error>

#ifdef Q_OS_WIN
#include <io.h>
#else
#include <fcntl.h>
#include <unistd.h>
#endif

namespace hearth::ui {

namespace {

DiskTrouble troubleOf(int error) {
    DiskTrouble trouble{DiskTrouble::Kind::Refused, qt_error_string(error)};
    if (error == ENOSPC) {
        trouble.kind = DiskTrouble::Kind::Full;
    }
#ifdef EDQUOT
    if (error == EDQUOT) {
        trouble.kind = DiskTrouble::Kind::Full;
    }
#endif
    if (error == EFBIG) {
        trouble.kind = DiskTrouble::Kind::TooLarge;
    }
    return trouble;
}

}  // namespace

QString DiskTrouble::sentence() const {
    switch (kind) {
        case Kind::None:
            break;
        case Kind::Full:
            return QCoreApplication::translate(
                "DiskTrouble", "The disk is full. Make room on it, then go on; nothing is lost.");
        case Kind::TooLarge:
            return QCoreApplication::translate(
                "DiskTrouble",
                "This disk cannot hold a file so large. Choose a folder on another one.");
        case Kind::Refused:
            return QCoreApplication::translate("DiskTrouble",
                                               "The folder cannot be written (%1). Choose another "
                                               "one, or allow this one to be written.")
                .arg(detail);
    }
    return {};
}

DiskTrouble troubleOf(const QFileDevice& file) {
    const int error = errno;  // Qt's own calls after the failed one do not change it
    DiskTrouble trouble = troubleOf(error);
    trouble.detail = file.errorString();
    return trouble;
}

DiskTrouble syncFile(QFileDevice& file) {
    if (!file.flush()) {
        return troubleOf(file);
    }
#if defined(Q_OS_WIN)
    const int result = _commit(file.handle());
#elif defined(Q_OS_DARWIN)
    const int result = fsync(file.handle());
#else
    const int result = fdatasync(file.handle());
#endif
    return result == 0 ? DiskTrouble{} : troubleOf(errno);
}

void syncFolder(const QString& folder) {
#ifndef Q_OS_WIN
    const int handle = open(QFile::encodeName(folder).constData(), O_RDONLY | O_DIRECTORY);
    if (handle >= 0) {
        fsync(handle);  // a file system that cannot do this keeps its own order
        close(handle);
    }
#else
    Q_UNUSED(folder)
#endif
}

DiskTrouble reserve(QFileDevice& file, qint64 bytes) {
#ifdef Q_OS_LINUX
    // posix_fallocate is no choice: where the file system cannot reserve, it writes the whole file
    // by itself.
    while (fallocate(file.handle(), 0, 0, bytes) != 0) {
        if (errno == EINTR) {
            continue;
        }
        return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? troubleOf(errno)
                                                                    : DiskTrouble{};
    }
#else
    Q_UNUSED(file)
    Q_UNUSED(bytes)
#endif
    return {};
}

qint64 freeBytes(const QString& folder) {
    QString there = QDir(folder).absolutePath();
    while (!QFileInfo::exists(there)) {
        const QString parent = QFileInfo(there).path();
        if (parent == there) {
            return -1;
        }
        there = parent;
    }
    // QStorageInfo looks for the mount, which a changed root need not list.
    std::error_code error;
    const std::filesystem::space_info space =
        std::filesystem::space(QFileInfo(there).filesystemAbsoluteFilePath(), error);
    return error ? -1 : static_cast<qint64>(space.available);
}

}  // namespace hearth::ui
