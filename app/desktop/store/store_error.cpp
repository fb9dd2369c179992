#include "store/store_error.h"

#include <QCoreApplication>
#include <QSqlError>

namespace hearth::ui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(StoreError)
};

}  // namespace

StoreError storeErrorFrom(const QSqlError& error) {
    StoreError result;
    if (error.type() == QSqlError::NoError) {
        return result;
    }
    // SQLite's result codes; the low byte is the primary one. Quota, file size limit, no room for
    // the shared memory: the user sees a full disk.
    constexpr int kIoErrorWrite = 778;
    constexpr int kIoErrorShmOpen = 4618;
    constexpr int kIoErrorShmSize = 4874;
    const int code = error.nativeErrorCode().toInt();
    const bool noRoom = code == kIoErrorWrite || code == kIoErrorShmOpen || code == kIoErrorShmSize;
    result.detail = QStringLiteral("SQLite %1: %2").arg(code).arg(error.databaseText());
    switch (noRoom ? 13 : code & 0xFF) {
        case 13:  // FULL
            result.kind = StoreError::Kind::DiskFull;
            break;
        case 3:   // PERM
        case 8:   // READONLY
        case 14:  // CANTOPEN
            result.kind = StoreError::Kind::NotWritable;
            break;
        case 5:  // BUSY
        case 6:  // LOCKED
            result.kind = StoreError::Kind::Busy;
            break;
        case 11:  // CORRUPT
        case 26:  // NOTADB
            result.kind = StoreError::Kind::Damaged;
            break;
        default:
            result.kind = StoreError::Kind::Other;
            break;
    }
    return result;
}

QString sentenceFor(const StoreError& error) {
    switch (error.kind) {
        case StoreError::Kind::None:
            return {};
        case StoreError::Kind::DiskFull:
            return Words::tr("The disk is full. Make some room on it, then try again.");
        case StoreError::Kind::NotWritable:
            return Words::tr(
                "The folder with your conversations cannot be written. Check its permissions, "
                "then try again.");
        case StoreError::Kind::Busy:
            return Words::tr(
                "Another program is using the file with your conversations. Close it, then try "
                "again.");
        case StoreError::Kind::Damaged:
            return Words::tr(
                "The file with your conversations is damaged. Restart Hearth: it keeps the file "
                "and begins a new one.");
        case StoreError::Kind::Other:
            break;
    }
    return Words::tr("The disk reported an error. Check it, then try again.");
}

}  // namespace hearth::ui
