// The reason why the disk refused something.
#pragma once

#include <QString>

class QSqlError;

namespace hearth::ui {

struct StoreError {
    enum class Kind { None, DiskFull, NotWritable, Busy, Damaged, Other };
    Kind kind = Kind::None;
    QString detail;  // for the log: SQLite's words; never chat text
};

StoreError storeErrorFrom(const QSqlError& error);
// For people: what happened and what to do.
QString sentenceFor(const StoreError& error);

}  // namespace hearth::ui
