// What all doors of the program share: the rules, the tokens of this session, the list of requests.
// Any thread.
#pragma once

#include <QByteArray>
#include <QHash>
#include <QMutex>
#include <QObject>

#include "network_rules.h"
#include "request_log.h"

namespace hearth::ui {

class NetworkControl : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    NetworkRules rules() const;
    // Counts for the next request at once. Requests under way end where all are forbidden now.
    void setRules(const NetworkRules& rules);

    RequestLog& log() { return log_; }

    // What a host is shown so that it knows its user ("hf_…"). In memory alone; token_keeper puts
    // it here from the system's keychain. Empty: there is none.
    QByteArray token(const QString& host) const;
    void setToken(const QString& host, const QByteArray& token);

signals:
    void rulesChanged();

private:
    mutable QMutex mutex_;
    NetworkRules rules_;
    QHash<QString, QByteArray> tokens_;
    RequestLog log_;
};

}  // namespace hearth::ui
