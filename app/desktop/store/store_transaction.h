// BEGIN IMMEDIATE ... COMMIT; without a commit it is rolled back.
#pragma once

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>

#include "store/store_error.h"

namespace hearth::ui {

class StoreTransaction {
public:
    StoreTransaction(const QSqlDatabase& database, StoreError* error)
        : database_(database), error_(error) {
        begun_ = execute("BEGIN IMMEDIATE");
    }
    ~StoreTransaction() {
        if (begun_) {
            QSqlQuery(database_).exec(QStringLiteral("ROLLBACK"));
        }
    }
    StoreTransaction(const StoreTransaction&) = delete;
    StoreTransaction& operator=(const StoreTransaction&) = delete;

    bool begun() const { return begun_; }
    bool commit() {
        if (!begun_ || !execute("COMMIT")) {
            return false;
        }
        begun_ = false;
        return true;
    }

private:
    bool execute(const char* sql) {
        QSqlQuery query(database_);
        if (query.exec(QLatin1String(sql))) {
            return true;
        }
        *error_ = storeErrorFrom(query.lastError());
        return false;
    }

    QSqlDatabase database_;
    StoreError* error_;
    bool begun_ = false;
};

}  // namespace hearth::ui
