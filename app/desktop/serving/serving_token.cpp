#include "serving/serving_token.h"

#include <QPointer>
#include <QTimer>
#include <algorithm>
#include <utility>

namespace hearth::ui {

namespace {

const QString kKey = QStringLiteral("token of the local API");

// As the server takes it, so that a keychain's entry of another origin is no token.
bool isToken(const QString& text) {
    return text.size() >= 16 && text.size() <= 512 &&
           std::all_of(text.begin(), text.end(),
                       [](QChar c) { return c.unicode() > 0x20 && c.unicode() < 0x7f; });
}

}  // namespace

ServingToken::ServingToken(ServingService& service, std::unique_ptr<SecretStore> store,
                           QObject* parent, int patienceMs)
    : QObject(parent), service_(service), store_(std::move(store)), patienceMs_(patienceMs) {}

void ServingToken::get(QObject* context, std::function<void(const QByteArray&)> done) {
    if (!token_.isEmpty()) {
        done(token_);
        return;
    }
    const bool isFirst = waiting_.isEmpty();
    waiting_.append([this, context = QPointer<QObject>(context), done = std::move(done)] {
        if (context != nullptr) {
            done(token_);
        }
    });
    if (!isFirst) {
        return;
    }
    QTimer::singleShot(patienceMs_, this, [this] {
        if (!waiting_.isEmpty()) {  // the keychain may hold another one, which stays as it is
            take(service_.newToken(), true);
        }
    });
    store_->read(kKey, [self = QPointer<ServingToken>(this)](const QString& secret) {
        if (self == nullptr || self->waiting_.isEmpty()) {
            return;  // too late, or another one was made meanwhile
        }
        if (isToken(secret)) {
            self->inKeychain_ = true;
            self->take(secret.toLatin1(), true);
        } else {
            self->take(self->service_.newToken(), false);
        }
    });
}

bool ServingToken::renew() {
    const QByteArray token = service_.newToken();
    if (token.isEmpty()) {
        return false;
    }
    inKeychain_ = false;
    take(token, false);
    return true;
}

// isKept: it is in the keychain, or shall not be written there.
void ServingToken::take(const QByteArray& token, bool isKept) {
    token_ = token;
    emit changed();
    for (const auto& waits : std::exchange(waiting_, {})) {
        waits();
    }
    if (isKept || token.isEmpty()) {
        return;
    }
    store_->write(kKey, QString::fromLatin1(token),
                  [self = QPointer<ServingToken>(this), token](bool kept) {
                      if (self != nullptr && self->token_ == token) {
                          self->inKeychain_ = kept;
                          emit self->changed();
                      }
                  });
}

}  // namespace hearth::ui
