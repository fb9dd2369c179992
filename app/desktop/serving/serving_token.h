// The token of the local API: in the system's keychain where there is one, else in memory until the
// program ends; never in a file. A first one is made when it is wanted first.
#pragma once

#include <QByteArray>
#include <QList>
#include <QObject>
#include <functional>
#include <memory>

#include "bridge/serving_service.h"
#include "network/token_keeper.h"

namespace hearth::ui {

class ServingToken : public QObject {
    Q_OBJECT

public:
    // service outlives it. A keychain that does not answer is awaited for at most patienceMs.
    ServingToken(ServingService& service, std::unique_ptr<SecretStore> store,
                 QObject* parent = nullptr, int patienceMs = TokenKeeper::kPatienceMs);

    // Calls back once there is a token: the kept one, else a new one. Empty: this system has no
    // random numbers. At once, from within the call, if it is known.
    void get(QObject* context, std::function<void(const QByteArray&)> done);
    // Makes another one in its place, at once. False: this system has no random numbers.
    bool renew();

    QByteArray token() const { return token_; }  // empty: not known so far
    bool isInKeychain() const { return inKeychain_; }

signals:
    void changed();

private:
    void take(const QByteArray& token, bool isKept);

    ServingService& service_;
    std::unique_ptr<SecretStore> store_;
    const int patienceMs_;
    QByteArray token_;
    bool inKeychain_ = false;
    QList<std::function<void()>> waiting_;
};

}  // namespace hearth::ui
