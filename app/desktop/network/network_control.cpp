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

QByteArray NetworkControl::token(const QString& site) const {
    const QMutexLocker lock(&mutex_);
    return tokens_.value(site);
}

void NetworkControl::setToken(const QString& site, const QByteArray& token) {
    const QMutexLocker lock(&mutex_);
    if (token.isEmpty()) {
        tokens_.remove(site);
    } else {
        tokens_.insert(site, token);
    }
}

}  // namespace hearth::ui
