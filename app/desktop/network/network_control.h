// State that all doors of the program share: the rules, the tokens of this session, the list of
// requests. Any thread.
#pragma once

#include <QByteArray>
#include <QHash>
#include <QMutex>
#include <QObject>

#include "network/network_rules.h"
#include "network/request_log.h"

namespace hearth::ui {

class NetworkControl : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    NetworkRules rules() const;
    // Takes effect with the next request. Requests under way end if all are forbidden now.
    void setRules(const NetworkRules& rules);

    RequestLog& log() { return log_; }

    // The token that shows a site (siteOf()) its user ("hf_…"). It is in memory alone; token_keeper
    // copies it here from the system's keychain. Empty: there is none.
    QByteArray token(const QString& site) const;
    void setToken(const QString& site, const QByteArray& token);

signals:
    void rulesChanged();

private:
    mutable QMutex mutex_;
    NetworkRules rules_;
    QHash<QString, QByteArray> tokens_;
    RequestLog log_;
};

}  // namespace hearth::ui
