#include "network/network_control.h"

#include <QMutexLocker>

namespace hearth::ui {

NetworkRules NetworkControl::rules() const {
    const QMutexLocker lock(&mutex_);
    return rules_;
}

void NetworkControl::setRules(const NetworkRules& rules) {
    {
        const QMutexLocker lock(&mutex_);
        if (rules_ == rules) {
            return;
        }
        rules_ = rules;
    }
    emit rulesChanged();
}

QByteArray NetworkControl::token(const QString& host) const {
    const QMutexLocker lock(&mutex_);
    return tokens_.value(host);
}

void NetworkControl::setToken(const QString& host, const QByteArray& token) {
    const QMutexLocker lock(&mutex_);
    if (token.isEmpty()) {
        tokens_.remove(host);
    } else {
        tokens_.insert(host, token);
    }
}

}  // namespace hearth::ui
