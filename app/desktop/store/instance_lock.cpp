#include "store/instance_lock.h"

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QUuid>

#include "store/store_error.h"

namespace hearth::ui {

InstanceLock::~InstanceLock() {
    release();
}

InstanceLock::Outcome InstanceLock::acquire(const QString& file) {
    release();
    connection_ = QStringLiteral("hearth-lock-") + QUuid::createUuid().toString();
    Outcome outcome = Outcome::CannotWrite;
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), connection_);
        database.setDatabaseName(file);
        database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=0"));
        if (database.open()) {
            QSqlQuery query(database);
            // Nothing is ever committed, so nothing is written, not even a journal.
            query.exec(QStringLiteral("PRAGMA journal_mode = MEMORY"));
            query.clear();
            if (query.exec(QStringLiteral("BEGIN EXCLUSIVE"))) {
                outcome = Outcome::Acquired;
            } else if (storeErrorFrom(query.lastError()).kind == StoreError::Kind::Busy) {
                outcome = Outcome::HeldByAnother;
            }
        }
    }
    if (outcome != Outcome::Acquired) {
        release();
    }
    return outcome;
}

void InstanceLock::release() {
    if (connection_.isEmpty()) {
        return;
    }
    QSqlDatabase::database(connection_, false).close();
    QSqlDatabase::removeDatabase(connection_);
    connection_.clear();
}

}  // namespace hearth::ui
